"""Halves with shadows, their elements and methods, and conversions from and to plain values."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from halfcl._core import half
from halfcl._support.duck_arrays.base import NO_KEYWORDS, Args, DuckArray, Keywords
from halfcl.stability._shadow._numbers import doubledouble as dd
from halfcl.stability._shadow._numbers.doubledouble import Pair
from halfcl.stability._shadow._numbers.unbounded import (
    RANGE,
    as_decimals,
    as_doubles as in_range,
    is_unbounded,
)
from halfcl.stability._shadow.branches import (
    BRANCHES,
    NoShadowError,
    ShadowBranches,
    count_lost_shadow,
    run_uncounted,
)
from halfcl.vectors._registry import CLASSES, VectorBase, width_of

#: Values in plain code: halves or wider ones, or Python numbers.
Value: TypeAlias = NDArray[Any] | np.generic | float


_NUMPY_TYPES = (np.ndarray, np.generic)


NUMBERS = (float, int)  # tuples, since isinstance is fastest with them


def is_float(x: object) -> bool:
    """Return whether a value is a floating number or array of NumPy, or a half."""
    return type(x) is half or (isinstance(x, _NUMPY_TYPES) and x.dtype.kind == "f")


class _NoAttributeError(NoShadowError, AttributeError):
    """A missing shadow of an attribute; an AttributeError, so that hasattr returns False."""


class Shadow(DuckArray, like="value"):
    """A half or array of halves with its shadow, which behaves like the half or array.

    Attributes
    ----------
    value : array or scalar of a floating-point type
        The value in plain code.
    pair : Pair
        The shadow: arrays of doubles of the same shape, or floats.

    Notes
    -----
    Methods that compute or decide are in other modules (see the package).
    """

    __slots__ = ("pair", "value")
    _SINGLE = "a half"

    value: Any
    pair: Pair

    def __new__(cls, value: Value, pair: Pair) -> Shadow:
        return object.__new__(_VectorShadow if isinstance(value, VectorBase) else Shadow)

    def __init__(self, value: Value, pair: Pair) -> None:
        self.value, self.pair = value, pair
        high, low = pair
        if type(value) is half and type(high) is type(low) is float and not is_unbounded():
            return
        if is_unbounded():
            self.pair = _pair_of_decimals(value, high)
            return
        if isinstance(value, np.ndarray):
            low = (
                _broadcast_part(low, value.shape) if not dd.is_large(value) else _zeros(value.shape)
            )
            self.pair = Pair(_broadcast_part(high, value.shape), low)
        elif not type(high) is type(low) is float:
            self.pair = Pair(float(high), float(low))

    def __getitem__(self, index: object) -> Shadow:
        k = plain(index)
        return Shadow(self.value[k], Pair(self.pair.high[k], self.pair.low[k]))

    def __setitem__(self, index: object, value: object) -> None:
        k, shadow = plain(index), as_shadow(value)
        run_uncounted(operator.setitem, self.value, k, shadow.value)
        self.pair.high[k] = shadow.pair.high
        if self.pair.low.flags.writeable:
            self.pair.low[k] = shadow.pair.low

    def __float__(self) -> float:
        return float(self._numbers_for_python())

    def _numbers_for_python(self) -> Any:
        """Return the values for conversion to Python numbers: halves, or shadows if they decide."""
        if isinstance(BRANCHES.get(), ShadowBranches):
            return np.asarray(in_range(self.pair.high, RANGE.get()))
        self._count_if_rounded()
        return self.value

    def _count_if_rounded(self) -> None:
        """Count a lost shadow, unless it is equal to the value."""
        exact = np.asarray(in_range(self.pair.high)) == np.asarray(self.value).astype(np.float64)
        if not (exact.all() and not np.any(self.pair.low)):
            count_lost_shadow()

    def __repr__(self) -> str:
        return repr(self.value)

    def __str__(self) -> str:
        return str(self.value)

    def __format__(self, spec: str) -> str:
        return format(self.value, spec)

    def __array__(self, dtype: object = None, copy: object = None) -> NDArray[Any]:
        raise NoShadowError("it converts results to a plain array")

    def __getattr__(self, name: str) -> Any:
        if name in _VALUE_ATTRIBUTES:
            return getattr(
                self._numbers_for_python() if name in _PYTHON_NUMBER_METHODS else self.value, name
            )
        if name in _METHODS:
            return functools.partial(getattr(np, name), self)
        raise _NoAttributeError(f"it uses .{name}, which does not support shadows")

    @property
    def _arrays(self) -> tuple[Any, ...]:
        high, low = self.pair
        if isinstance(high, float):
            high, low = np.float64(high), np.float64(low)
        elif isinstance(high, Decimal):
            high, low = np.array(high, object), np.float64(low)
        return self.value, high, low

    def _from_arrays(self, arrays: Sequence[Any], /) -> Shadow:
        return Shadow(arrays[0], Pair(*arrays[1:]))

    def _move(self, method: str, args: Args = (), keywords: Keywords = NO_KEYWORDS) -> Shadow:
        shadow: Shadow = run_uncounted(super()._move, method, args, keywords)
        return shadow

    @property
    def real(self) -> Shadow:
        """The real part: the array itself."""
        return self

    def sort(self, axis: int = -1, **_: object) -> None:
        """Sort the array in place."""
        self[...] = np.sort(self, axis=axis)

    def fill(self, value: object) -> None:
        """Fill the array with a value."""
        self[...] = value

    def view(self, kind: Any) -> Shadow:
        """Return a view as half or float16, which are the same numbers, or as vectors."""
        if width_of(kind):
            value: Any = self.value.view(getattr(kind, "original", kind))
            if value.shape == self.value.shape:
                return Shadow(value, self.pair)
        if not is_half_type(kind):
            raise NoShadowError("it views halves as another type")
        return self


Shadow._OPERANDS = (Shadow, *NUMBERS, *_NUMPY_TYPES)


class _VectorShadow(Shadow):
    """Vectors, such as half4, with their shadows; these are arrays of the same shape."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if hasattr(np.ndarray, name) or not hasattr(self.value, name):  # else components
            return super().__getattr__(name)
        parts = (getattr(as_vectors(part, self.value), name) for part in self.pair)
        return Shadow(getattr(self.value, name), Pair(*map(np.asarray, parts)))

    def __setattr__(self, name: str, new: Any) -> None:
        if name in Shadow.__slots__:
            object.__setattr__(self, name, new)
            return
        shadow = as_shadow(new)
        run_uncounted(setattr, self.value, name, shadow.value)
        for part, new_part in zip(self.pair, shadow.pair, strict=True):
            if part.flags.writeable:
                setattr(as_vectors(part, self.value), name, as_vectors(new_part, shadow.value))


def as_vectors(part: Any, like: object) -> Any:
    """Return a part of a pair as vectors of doubles if the value consists of vectors."""
    kind = CLASSES.get((np.dtype(np.float64), width_of(like)))
    return part if kind is None else np.asarray(part).view(kind)


def _broadcast_part(part: object, shape: tuple[int, ...]) -> NDArray[np.floating[Any]]:
    """Return a part as an array of that shape; unchanged if possible, since it may be a view."""
    if isinstance(part, np.ndarray) and part.shape == shape:
        is_as_wide = part.dtype == np.float32 or part.size <= dd.MOST_IN_DOUBLES
        return part if is_as_wide else part.astype(dd.dtype_for(part.size), copy=False)
    return np.array(np.broadcast_to(np.asarray(part), shape), dd.dtype_for(math.prod(shape)))


def _pair_of_decimals(value: Value, high: object) -> Pair:
    """Return the pair of a value whose shadow is Decimals, of the value's shape."""
    if not isinstance(value, np.ndarray):
        return Pair(as_decimals(np.asarray(high)), 0.0)
    decimals = as_decimals(np.asarray(high))
    if not (isinstance(decimals, np.ndarray) and decimals.shape == value.shape):
        decimals = np.array(np.broadcast_to(np.asarray(decimals, object), value.shape))
    return Pair(decimals, _zeros(value.shape))


@functools.lru_cache(64)
def _zeros(shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return a read-only second part for arrays that have none."""
    return np.broadcast_to(0.0, shape)


#: Attributes and methods of arrays that are taken from the value.
_VALUE_ATTRIBUTES = frozenset({
    "dtype", "itemsize", "nbytes", "item", "tolist", "flags", "is_integer", "strides",
})  # fmt: skip


#: Those of _VALUE_ATTRIBUTES that return Python numbers.
_PYTHON_NUMBER_METHODS = ("item", "tolist")


#: Methods that choose, compute or move, as NumPy's functions of the same name do.
_METHODS = frozenset({
    "any", "all", "argmax", "argmin", "argsort", "nonzero", "searchsorted", "sum", "mean", "max",
    "min", "prod", "cumsum", "cumprod", "dot", "std", "var", "clip", "repeat", "take", "diagonal",
    "round", "trace", "compress",
})  # fmt: skip


def plain(x: object) -> Any:
    """Return the value without its shadow, also inside tuples and lists."""
    if isinstance(x, Shadow):
        return x.value
    return type(x)(map(plain, x)) if type(x) is tuple or type(x) is list else x


def has_shadow(x: object) -> bool:
    """Tell whether an object is a Shadow, or a list or tuple that contains one."""
    if isinstance(x, list | tuple):
        return any(map(has_shadow, x))
    return isinstance(x, Shadow)


def as_shadow(x: object) -> Shadow:
    """Return an operand with its shadow: numbers and plain halves are exact; stack lists."""
    if isinstance(x, Shadow):
        return x
    if isinstance(x, NUMBERS):
        return Shadow(x, dd.as_pair(x))
    if type(x) is half:
        return Shadow(x, Pair(float(x), 0.0))
    if isinstance(x, list | tuple):
        if not has_shadow(x):
            return as_shadow(np.asarray(x))
        return np.stack(list(map(as_shadow, x)))  # type: ignore[return-value]
    if not isinstance(x, _NUMPY_TYPES):
        raise NoShadowError(f"it computes with {type(x).__name__}")
    if x.dtype.kind not in "fiub":
        raise NoShadowError(f"it computes with {x.dtype}")
    return Shadow(x, dd.as_pair(x))


def with_shadow(value: Value, pair: Pair) -> Value | Shadow:
    """Return a result with its shadow; truths and integers stay plain."""
    return Shadow(value, pair) if is_float(value) else value


def is_or_has_float(value: object) -> bool:
    """Return whether a value is a floating one, or a list or tuple with one."""
    several = value if isinstance(value, tuple | list) else (value,)
    return any(map(is_float, several))


def is_half_type(x: object) -> bool:
    """Tell whether an object is the type or dtype half or float16."""
    is_type = isinstance(x, type | np.dtype)
    return is_type and np.dtype(x).type in (half, np.float16)  # type: ignore[call-overload]


def as_doubles(x: object) -> object:
    """Return an argument for a function that computes in doubles."""
    if isinstance(x, Shadow):
        high = in_range(x.pair.high, RANGE.get())
        return np.asarray(high).astype(np.float64, copy=False)[()]
    if is_float(x):
        return np.asarray(x).astype(np.float64)[()]
    if width_of(x) and isinstance(x, type) and is_half_type(np.dtype(x).base):
        return np.dtype((np.float64, np.dtype(x).shape))
    return np.float64 if is_half_type(x) else x
