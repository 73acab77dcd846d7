"""Tracked halves: halves with an enclosure of their values without rounding."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import DTypeLike, NDArray

from halfcl._core import forget_kernels_since, kernels_run
from halfcl._support.duck_arrays.base import Args, DuckArray, Function, Keywords
from halfcl._support.duck_arrays.structural import leaves
from halfcl.interval import Interval
from halfcl.interval._bounds.pairs import HALF, Halves, Index
from halfcl.interval._formulas.doubles import DoubleInterval, interval_of
from halfcl.safe._computing import (
    apply_function,
    apply_ufunc,
    couple,
    enclosure_of,
    value_of,
)
from halfcl.safe._enclosures import as_enclosure, from_exact
from halfcl.safe._watching import Base, as_half, is_half, mark, refuse, uncounted_kernels
from halfcl.vectors._registry import vector_type, width_of

#: The methods implemented by NumPy's functions of the same name.
_METHODS = frozenset({
    "sum", "mean", "max", "min", "dot", "clip", "any", "all", "argmax", "argmin", "argsort",
    "nonzero", "searchsorted", "repeat", "take", "diagonal",
})  # fmt: skip


#: numpy.astype, since NumPy 2.1.
_ASTYPE = getattr(np, "astype", None)


class Tracked(DuckArray, Base, like="_enclosure.lo"):
    """Computed halves with an enclosure of their values if nothing had been rounded.

    Created by `track`, by `domains`, and by computing with tracked halves: NumPy's and halfcl's
    functions and operators, indexing and assignment, methods such as ``sum`` and ``reshape``.
    Comparisons compare the values, and return plain arrays. Functions with a domain, such as
    ``np.sqrt``, keep arguments in it.

    Attributes
    ----------
    value : half array or scalar
        The value that plain code computes, bit by bit, except after an argument was put back.
    enclosure : Interval
        Contains the exact value of the expression for the halves that were tracked.

    Raises
    ------
    TypeError
        If a computation cannot be tracked: half becomes another type, a function has no enclosure,
        or another operand was computed from untracked halves.

    Examples
    --------
    >>> from halfcl import half, safe
    >>> x = safe.track(half(0.1)) * 3
    >>> x.value, x.enclosure
    (half(0.2998), Interval('[0.2998, 0.30005]'))
    """

    __slots__ = ()
    _SINGLE = "a 0-d Tracked"

    def __init__(self) -> None:
        raise TypeError("Tracked: expected no direct construction; use safe.track(x)")

    # ------------------------------------------------------------ attributes

    @property
    def value(self) -> Halves:
        """The plain halves; computing with them is not tracked."""
        forget_kernels_since(kernels_run() + 1)
        return self._value

    @property
    def enclosure(self) -> Interval:
        """The enclosing intervals, rounded outward from doubles to halves."""
        return interval_of(self._enclosure)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype half."""
        return HALF

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        with uncounted_kernels():
            return f"Tracked({self._value!r}, {self.enclosure!r})"

    def __str__(self) -> str:
        with uncounted_kernels():
            return str(self._value)

    def __format__(self, spec: str) -> str:
        with uncounted_kernels():
            return format(self._value, spec)

    # ------------------------------------------------------------ refused conversions

    def __array__(self, dtype: object = None, copy: object = None) -> NDArray[Any]:
        refuse("a tracked half cannot become a NumPy array; use .value")

    def __float__(self) -> float:
        refuse("a tracked half cannot become a Python number; use .value")

    __int__ = __index__ = __complex__ = __float__

    def __reduce__(self) -> NoReturn:
        raise TypeError("Tracked: cannot be pickled; use .value")

    # ------------------------------------------------------------ elements

    def __getitem__(self, index: Index) -> Tracked:
        value: Any = self._value
        return Tracked.of(value[index], self._enclosure[index], self._mark)

    def __setitem__(self, index: Index, value: object) -> None:
        since = self._merge_marks([value])
        halves: Any = self._value
        with uncounted_kernels():
            enclosure = as_enclosure(enclosure_of(value))
            halves[index] = value_of(value)
            self._enclosure.lo[index], self._enclosure.hi[index] = enclosure.lo, enclosure.hi
        self._mark = since

    def __getattr__(self, name: str) -> Any:
        if name in _METHODS:
            return functools.partial(getattr(np, name), self)
        if width_of(self._value) and not name.startswith("_"):  # a swizzle
            kind = vector_type(np.float64, width_of(self._value))
            enclosure = self._enclosure.map(lambda bound: getattr(bound.view(kind), name))
            return Tracked.of(getattr(self._value, name), enclosure, self._mark)
        raise AttributeError(
            f"'Tracked' object has no attribute {name!r}; use .value for those of plain halves"
        )

    # ------------------------------------------------------------ methods of arrays

    @property
    def _arrays(self) -> tuple[Any, ...]:
        return self._value, self._enclosure.lo, self._enclosure.hi

    def _from_arrays(self, arrays: Sequence[Any], /) -> Tracked:
        value, low, high = arrays
        return Tracked.of(*couple(value, DoubleInterval(low, high), [self]), self._mark)

    def astype(self, dtype: DTypeLike, **keywords: object) -> Tracked:
        """Return a copy; the only dtype is half."""
        if np.dtype(dtype) != HALF:
            refuse(f"half becomes {np.dtype(dtype)}")
        return self.copy()

    # ------------------------------------------------------------ computing

    def _call_ufunc(
        self, ufunc: np.ufunc, method: str, inputs: Args, keywords: Keywords, outs: Args
    ) -> object:
        out: Any = outs[0] if outs else None
        if not (out is None or isinstance(out, Tracked)):
            refuse(f"out: expected Tracked, got {type(out).__name__}")
        since = self._merge_marks(inputs)
        if out is not None:  # the other operands may be untracked
            inputs = tuple(track_in_place(x) if is_half(x) else x for x in inputs)
        with uncounted_kernels():
            result = apply_ufunc(Tracked.of, ufunc, method, inputs, keywords, since)
        if out is None or result is NotImplemented:
            return result
        if not isinstance(result, Tracked):
            refuse("out: expected an array of bools, got Tracked")
        out[...] = result
        return out

    def _call_function(self, function: Function, args: Args, keywords: Keywords) -> object:
        if function is _ASTYPE:
            return self.astype(*args[1:], **keywords)  # type: ignore[arg-type]
        since = self._merge_marks(leaves((*args, *keywords.values())))
        with uncounted_kernels():
            return apply_function(Tracked.of, function, args, keywords, since)


Tracked._OPERANDS = (Tracked, int, float, np.ndarray, np.generic)


def track(x: object) -> Tracked:
    """Return tracked halves, so that computing with them is tracked.

    Parameters
    ----------
    x : half or float16 array or scalar, or Tracked
        The halves, considered exact. float16 becomes half.

    Returns
    -------
    Tracked
        Has a copy of x, so that later writes to x have no effect.

    Raises
    ------
    TypeError
        If x is not half.

    See Also
    --------
    domains : tracks the arguments of a function.

    Examples
    --------
    >>> from halfcl import half, safe
    >>> a, b = safe.track(half(0.6)), safe.track(half(0.8))
    >>> (a * a + b * b).enclosure
    Interval('[0.99951, 1]')
    """
    if isinstance(x, Tracked):
        return x
    if not is_half(x):
        kind = x.dtype if isinstance(x, np.ndarray | np.generic) else type(x).__name__
        raise TypeError(f"track: x: expected half, got {kind}; use halfcl.convert(x, half)")
    return track_in_place(x.copy() if isinstance(x, np.ndarray) else x)


def track_in_place(x: Halves) -> Tracked:
    """Return tracked halves without a copy, for code that writes only through the result."""
    with uncounted_kernels():
        x = as_half(x)
        return Tracked.of(x, from_exact(x), mark())
