"""Comparisons of halves with shadows, and their conversions to bools and integers."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from halfcl.stability._shadow._numbers import doubledouble as dd
from halfcl.stability._shadow._numbers.doubledouble import Doubles, Pair
from halfcl.stability._shadow._numbers.unbounded import (
    RANGE,
    as_decimals,
    as_doubles as in_range,
    is_unbounded,
)
from halfcl.stability._shadow.branches import BRANCHES, Choice, decide, run_uncounted
from halfcl.stability._shadow.values import NUMBERS, Shadow, as_shadow, with_shadow
from halfcl.vectors._registry import VectorBase

#: Relative to 1 plus the numbers, shadows that differ by more than this decide comparisons.
_SURE_GAP, _SURE_GAP_OF_LARGE = 2.0**-40, 2.0**-18


def _gap(x: Pair, y: Pair) -> tuple[Doubles | float, dd.Truths]:
    """Return x - y, and whether its sign is sure: neither NaN nor small enough for rounding."""
    gap: Any
    if is_unbounded():
        gap = in_range(dd.sub(x, y).high)
        x, y = (Pair(in_range(as_decimals(one.high)), 0.0) for one in (x, y))
    else:
        gap = (x.high - y.high) + (x.low - y.low)
    if isinstance(gap, float):
        size = min(abs(x.high), abs(y.high))
        return gap, abs(gap) > _SURE_GAP * (1 + size) or math.isinf(gap)
    bound = _SURE_GAP_OF_LARGE if dd.is_large(gap) else _SURE_GAP
    size = np.minimum(np.abs(x.high), np.abs(y.high))
    return gap, (np.abs(gap) > bound * (1 + size)) | np.isinf(gap)


_COMPARISONS: dict[str, Callable[[Doubles | float, float], Choice]] = {
    "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
    "eq": operator.eq, "ne": operator.ne,
}  # fmt: skip


def compare(name: str, value: Choice, x: object, y: object) -> Choice:
    """Decide a comparison; value is its result for halves."""
    if BRANCHES.get() is None or not (_is_number(x) and _is_number(y)):
        return value
    gap, is_sure = _gap(as_shadow(x).pair, as_shadow(y).pair)

    def by_shadows() -> Choice:
        truths = _as_vector_truths(value, _COMPARISONS[name](gap, 0))
        sure = _select_sure(is_sure, truths, value)
        return np.asarray(sure).view(type(value)) if isinstance(value, VectorBase) else sure

    return decide(value, by_shadows)


def is_nonzero(x: Shadow) -> Choice:
    """Decide which elements are not zero."""
    return compare("ne", x.value != 0, x, 0)


def _is_number(x: object) -> bool:
    """Tell whether an operand can have a shadow."""
    if isinstance(x, np.ndarray | np.generic):
        return x.dtype.kind in "fiub"
    return isinstance(x, (Shadow, *NUMBERS))


def _as_vector_truths(value: Choice, truths: Choice) -> Choice:
    """Return truths like those of value: for vectors, integers with all bits set."""
    if not isinstance(value, VectorBase):
        return truths
    masks: Choice = (-np.asarray(truths).astype(value.dtype)).view(type(value))
    return masks


def _select_sure(is_sure: dd.Truths, by_shadows: Choice, by_halves: Choice) -> Choice:
    if isinstance(is_sure, bool):
        return by_shadows if is_sure else by_halves
    return np.where(is_sure, by_shadows, by_halves)


def round_to_integer(x: Shadow, function: np.ufunc) -> NDArray[np.float64]:
    """Round the shadow to an integer; use the half where two integers are possible."""
    high = np.asarray(in_range(x.pair.high, RANGE.get()))
    bound = (_SURE_GAP_OF_LARGE if dd.is_large(high) else _SURE_GAP) * (1 + abs(high))
    low, high = function(high - bound), function(high + bound)
    by_halves: NDArray[np.float64] = function(np.asarray(x.value).astype(np.float64))
    return np.where(low == high, low, by_halves)


def is_true(x: Shadow) -> bool:
    """Return the truth of a number."""
    return bool(is_nonzero(x))


def as_int(x: Shadow) -> int:
    """Truncate a number to an integer."""
    return int(decide(int(x.value), lambda: int(round_to_integer(x, np.trunc))))


def round_number(x: Shadow, ndigits: int | None = None) -> object:
    """Round a number to an integer, or to decimals."""
    if ndigits is not None:
        return np.round(x, ndigits)
    return decide(round(x.value), lambda: int(round_to_integer(x, np.rint)))


def astype(x: Shadow, dtype: DTypeLike, **_: object) -> object:
    """Return a copy as another type; conversions to integers and bools are choices."""
    if np.dtype(dtype).kind in "iu":
        whole: Any = run_uncounted(x.value.astype, np.dtype(dtype))
        return decide(whole, lambda: round_to_integer(x, np.trunc).astype(whole.dtype))
    if np.dtype(dtype).kind == "b":
        return is_nonzero(x)
    copied = Pair(np.copy(x.pair.high), np.copy(x.pair.low))
    return with_shadow(run_uncounted(x.value.astype, np.dtype(dtype)), copied)


#: Methods of Shadow.
METHODS: dict[str, Callable[..., object]] = {
    "__bool__": is_true,
    "__int__": as_int,
    "__round__": round_number,
    "astype": astype,
}
