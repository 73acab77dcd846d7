"""Audit conversions between half and other types."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl._tables.types import SCALAR_TYPES
from halfcl.audit._families.functions import Progress, make_report
from halfcl.audit._records import FunctionReport
from halfcl.audit._results.comparison import Results, tally
from halfcl.audit._results.inputs import all_values, unique
from halfcl.audit._results.mistakes import Array, bits, flush
from halfcl.audit._targets.base import Conversion
from halfcl.audit._targets.calling import Clock
from halfcl.typing import RoundingMode

_NAMES = {dtype.name: name for name, dtype in SCALAR_TYPES.items()} | {"float16": "half"}

#: Conversions are correctly rounded in both profiles.
_LIMITS = (0.5, 0.5)


def name(conversion: Conversion) -> str:
    """Return OpenCL's name of a conversion, with the type that it accepts.

    Examples
    --------
    >>> from halfcl.audit import Conversion
    >>> from halfcl.audit._families.conversions import name
    >>> name(Conversion("f", abs, rounding="rtz", source="float64", destination="float16"))
    'convert_half_rtz(double)'
    """
    if conversion.label:
        return conversion.label
    saturated = "_sat" if conversion.saturate else ""
    default = "rte" if np.dtype(conversion.destination).kind == "f" else "rtz"
    mode = "" if conversion.rounding == default else f"_{conversion.rounding}"
    to = _NAMES[conversion.destination]
    return f"convert_{to}{saturated}{mode}({_NAMES[conversion.source]})"


def audit(
    conversion: Conversion, clock: Clock, *, full: bool, seed: int, progress: Progress
) -> list[FunctionReport]:
    """Return the report of a conversion."""
    x = _inputs(conversion, np.random.default_rng(seed))
    to = np.dtype(conversion.destination)
    got = clock.call(conversion, (x,), (to,), (x.shape,))[0]
    counts = tally(Results(
        (x,), got, _right(conversion, x), _exact(conversion, x), _LIMITS,
        lambda places: _right(conversion, flush(x[places])),
    ))  # fmt: skip
    return [make_report(
        counts, _LIMITS, name=name(conversion), spelled=conversion.spelled,
        rounding=conversion.rounding, types=(x.dtype.name,), result_type=to.name,
        exhaustive=x.dtype.itemsize <= 2,
    )]  # fmt: skip


def _right(conversion: Conversion, x: Array) -> Array:
    with np.errstate(all="ignore"):
        return np.asarray(hc.convert(
            x, conversion.destination, rounding=conversion.rounding, saturate=conversion.saturate,
        ))  # fmt: skip


def _exact(conversion: Conversion, x: Array) -> NDArray[np.float64] | None:
    """Return the numbers themselves, with those that overflow half clipped to 65536.

    In directed modes 65504 is correct for these. 64-bit integers are exact as doubles where half is
    finite.
    """
    if np.dtype(conversion.destination).kind != "f":
        return None
    with np.errstate(invalid="ignore"):  # signalling NaNs
        exact = x.astype(np.float64)
        return np.clip(exact, -65536, 65536) if conversion.destination == "float16" else exact


# ---------------------------------------------------------------- inputs


def _inputs(conversion: Conversion, rng: np.random.Generator) -> Array:
    source, to = np.dtype(conversion.source), np.dtype(conversion.destination)
    if source.kind == "f" and source.itemsize > 2:
        return _reals(source, rng)
    if source.itemsize <= 2:
        x = all_values(source.char)
        return x if to.kind == "f" or conversion.saturate else x[_fits(x, to, conversion.rounding)]
    return _integers(source, rng)


#: Functions that round to integers, by mode.
_TO_INTEGERS = {"rte": np.rint, "rtz": np.trunc, "rtp": np.ceil, "rtn": np.floor}


def _fits(x: Array, to: np.dtype[Any], rounding: RoundingMode) -> NDArray[np.bool_]:
    """Return where the rounded number fits into an integer type; OpenCL does not specify others."""
    limits = np.iinfo(to)
    with np.errstate(invalid="ignore"):
        integer = _TO_INTEGERS[rounding](x.astype(np.float64))
        return (integer >= float(limits.min)) & (integer <= float(limits.max))


def _reals(dtype: np.dtype[Any], rng: np.random.Generator) -> Array:
    """Return halves, midpoints between them, neighbours of both, all exponents, and NaNs."""
    halves = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float64)
    ends = np.append(halves, 65536)
    middles = (ends[1:] + ends[:-1]) / 2
    targets = np.concatenate([ends, middles, [2.0**-25, 2.0**-26, 65520, 1e5, 1e30]])
    near = [targets.astype(dtype)]
    near += [np.nextafter(near[0], dtype.type(end)) for end in (0, np.inf)]
    if dtype.itemsize > 4:  # numbers that round to a tie on the way through float32
        single = targets.astype(np.float32)
        near += [np.nextafter(single, np.float32(end)).astype(dtype) for end in (0, np.inf)]
        near += [targets * (1 + s * 2.0**-30) for s in (1, -1)]
    positive = np.concatenate([*near, _any_bits(dtype, rng), _specials(dtype)])
    return _unique(np.concatenate([positive, -positive]).astype(dtype))


def _any_bits(dtype: np.dtype[Any], rng: np.random.Generator) -> Array:
    """Return numbers with half's exponents, and with all exponents."""
    n = 1 << 17
    exponents = rng.integers(-30, 20, n)
    in_range = np.ldexp(rng.random(n) + 1, exponents).astype(dtype)
    words = rng.integers(0, np.iinfo(np.uint64).max, n, np.uint64, endpoint=True)
    return np.concatenate([in_range, words.view(dtype)[:n]])


def _specials(dtype: np.dtype[Any]) -> Array:
    limits = np.finfo(dtype)
    numbers = np.array(
        [0, limits.smallest_subnormal, limits.smallest_normal, limits.max, np.inf, np.nan], dtype
    )
    return np.concatenate([numbers, _nans(dtype)])


def _nans(dtype: np.dtype[Any]) -> Array:
    """Return NaNs with one bit of payload each; truncated to half, most would be infinities."""
    infinity = bits(np.array([np.inf], dtype))
    payloads = np.arange(np.finfo(dtype).nmant, dtype=infinity.dtype)
    nans: Array = (infinity | (infinity.dtype.type(1) << payloads)).view(dtype)
    return nans


def _integers(dtype: np.dtype[Any], rng: np.random.Generator) -> Array:
    """Return small integers, powers of two with neighbours, and random ones of all sizes."""
    limits = np.iinfo(dtype)
    small = np.arange(max(limits.min, -(1 << 17)), 1 << 17)
    powers = [
        s * (1 << k) + d for k in range(17, 8 * dtype.itemsize) for d in (-1, 0, 1) for s in (1, -1)
    ]
    powers = [n for n in (*powers, limits.min, limits.max) if limits.min <= n <= limits.max]
    random = rng.integers(limits.min, limits.max, 1 << 16, dtype, endpoint=True)
    return _unique(np.concatenate([small.astype(dtype), np.array(powers, dtype), random]))


def _unique(x: Array) -> Array:
    """Return each number once, by its bits, with both zeros and all NaNs."""
    return unique(bits(x)).view(x.dtype)
