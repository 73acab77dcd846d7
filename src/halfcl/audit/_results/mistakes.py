"""The kinds of mistakes, and the classification of wrong results."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

#: The kinds, the gravest first; this is their order in tables and among the worst cases.
NAN_FOR_NUMBER = "NaN for a number"
NUMBER_FOR_NAN = "number for a NaN"
INFINITY_FOR_NUMBER = "infinity for a number"
NUMBER_FOR_INFINITY = "number for an infinity"
VALUE = "wrong value"
INACCURATE = "an ulp off or more"
ROUNDING = "rounded the wrong way"
ARGUMENT_FLUSHED = "subnormal argument taken as zero"
RESULT_FLUSHED = "subnormal result flushed to zero"
FLUSHED = "subnormal argument and result, one of them flushed"
ZERO_SIGN = "wrong sign of zero"

KINDS = (
    NAN_FOR_NUMBER, NUMBER_FOR_NAN, INFINITY_FOR_NUMBER, NUMBER_FOR_INFINITY, VALUE, INACCURATE,
    ROUNDING, ARGUMENT_FLUSHED, RESULT_FLUSHED, FLUSHED, ZERO_SIGN,
)  # fmt: skip

#: Index of mistakes that may be either flushing or a wrong rounding: the error is less than an ulp,
#: and flushing would give the same. `Tally.decide` decides by the other mistakes.
EITHER = len(KINDS)

#: The mistakes of a device without subnormal numbers.
FLUSHES = (ARGUMENT_FLUSHED, RESULT_FLUSHED, FLUSHED)
#: The mistakes that concern NaNs and infinities.
NOT_NUMBERS = (NAN_FOR_NUMBER, NUMBER_FOR_NAN, INFINITY_FOR_NUMBER, NUMBER_FOR_INFINITY)
#: Short names of the kinds, for tables.
SHORT = dict(zip(KINDS, "nan number inf max value ulp round ftz-in ftz-out ftz -0".split(),
                 strict=True))  # fmt: skip

Array: TypeAlias = NDArray[Any]
Mask: TypeAlias = NDArray[np.bool_]


def bits(values: Array) -> Array:
    """Return values as unsigned integers of their size."""
    return values.view(f"u{values.dtype.itemsize}")


def find_differences(got: Array, right: Array) -> NDArray[np.intp]:
    """Return where results differ, bit by bit; all NaNs are equal."""
    places = np.flatnonzero(bits(got) != bits(right))
    if right.dtype.kind == "f" and places.size:
        places = places[~(np.isnan(got[places]) & np.isnan(right[places]))]
    return places


def is_subnormal(values: Array) -> Mask:
    """Return where numbers are subnormal; integers never are."""
    if values.dtype.kind != "f":
        return np.zeros(values.shape, bool)
    with np.errstate(invalid="ignore"):
        size = np.abs(values)
        mask: Mask = (size > 0) & (size < np.finfo(values.dtype).smallest_normal)
    return mask


def flush(values: Array) -> Array:
    """Return values with subnormal numbers replaced by zeros of their sign."""
    if values.dtype.kind != "f":
        return values
    return np.where(is_subnormal(values), np.copysign(np.zeros_like(values), values), values)


def is_signalling(values: Array) -> Mask:
    """Return where halves are signalling NaNs."""
    if values.dtype != np.float16:
        return np.zeros(values.shape, bool)
    mask: Mask = np.isnan(values) & ((bits(values) & 0x0200) == 0)
    return mask


def classify(got: Array, right: Array, error: Array, taken_as_zero: Mask) -> NDArray[np.int8]:
    """Return the kinds of wrong results, as indices in KINDS, or EITHER.

    taken_as_zero: where an argument is subnormal, and the result is correct for zero.
    """
    if right.dtype.kind != "f":
        return np.full(got.shape, KINDS.index(VALUE), np.int8)
    conditions: dict[str | int, Mask]
    with np.errstate(invalid="ignore"):
        to_zero = is_subnormal(right) & (got == 0)
        near = np.abs(error) < 1
        conditions = {
            ZERO_SIGN: (got == 0) & (right == 0),
            EITHER: near & (taken_as_zero | to_zero),
            FLUSHED: taken_as_zero & to_zero,
            ARGUMENT_FLUSHED: taken_as_zero,
            RESULT_FLUSHED: to_zero,
            NAN_FOR_NUMBER: np.isnan(got) & ~np.isnan(right),
            NUMBER_FOR_NAN: np.isnan(right) & ~np.isnan(got),
            NUMBER_FOR_INFINITY: np.isinf(right),
            INFINITY_FOR_NUMBER: np.isinf(got),
            ROUNDING: near,
        }
    places = [kind if isinstance(kind, int) else KINDS.index(kind) for kind in conditions]
    return np.select(list(conditions.values()), places, KINDS.index(INACCURATE)).astype(np.int8)
