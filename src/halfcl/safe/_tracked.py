"""Halves with an enclosure of what they would be without rounding."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import DTypeLike, NDArray

from halfcl._core import forget_kernels_since, kernels_run
from halfcl.interval import Interval
from halfcl.interval._bounds import HALF, Axes, Halves, Index
from halfcl.safe._computing import (
    apply_function,
    apply_ufunc,
    coupled,
    enclosure_of,
    leaves,
    value_of,
)
from halfcl.safe._enclosures import as_wide
from halfcl.safe._watching import Base, as_half, aside, is_half, mark, refuse
from halfcl.safe._wide import given
from halfcl.vectors._registry import vector_type, width_of

#: The methods that are NumPy's functions of the same name.
_METHODS = frozenset({
    "sum", "mean", "max", "min", "dot", "clip", "any", "all", "argmax", "argmin", "argsort",
    "nonzero", "searchsorted", "repeat", "take", "diagonal",
})  # fmt: skip


class Tracked(NDArrayOperatorsMixin, Base):
    """Halves as computed, and an enclosure of what they would be if nothing had been rounded.

    Made by `track`, by `domains`, and by computing with them: NumPy's functions and operators
    and halfcl's, indexing and assignment, ``sum``, ``reshape`` and the like. Comparisons are those
    of the values, and give plain arrays. Functions of a domain, such as ``np.sqrt``, keep it.

    Attributes
    ----------
    value : half array or scalar
        As plain code computes it, bit by bit; but for what was put back into a domain.
    enclosure : Interval
        Around the exact value of the expression for the halves that were tracked.

    Raises
    ------
    TypeError
        Where it cannot be followed: where half is left, where a function has no enclosure,
        or beside halves that were computed of untracked ones.

    Examples
    --------
    >>> from halfcl import half, safe
    >>> x = safe.track(half(0.1)) * 3
    >>> x.value, x.enclosure
    (half(0.2998), Interval('[0.2998, 0.30005]'))
    """

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __init__(self) -> None:
        raise TypeError("Tracked: made by safe.track(x)")

    # ------------------------------------------------------------ what it is

    @property
    def value(self) -> Halves:
        """The halves; what is computed of them is not followed."""
        forget_kernels_since(kernels_run() + 1)
        return self._value

    @property
    def enclosure(self) -> Interval:
        """The intervals, rounded outward to halves; inside, they are of doubles."""
        return self._wide.interval()

    @property
    def shape(self) -> tuple[int, ...]:
        """As of an array."""
        return self._wide.lo.shape

    @property
    def ndim(self) -> int:
        """As of an array."""
        return self._wide.lo.ndim

    @property
    def size(self) -> int:
        """As of an array."""
        return self._wide.lo.size

    @property
    def dtype(self) -> np.dtype[Any]:
        """That of half."""
        return HALF

    @property
    def T(self) -> Tracked:
        """As of an array."""
        return self.transpose()

    def __len__(self) -> int:
        value: Any = self._value  # as where it has no length
        return len(value)

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        with aside():
            return f"Tracked({self._value!r}, {self.enclosure!r})"

    def __str__(self) -> str:
        with aside():
            return str(self._value)

    def __format__(self, spec: str) -> str:
        with aside():
            return format(self._value, spec)

    # ------------------------------------------------------------ what it refuses

    def __array__(self, dtype: object = None, copy: object = None) -> NDArray[Any]:
        refuse("a tracked half is not an array of NumPy; .value is")

    def __float__(self) -> float:
        refuse("a tracked half cannot become a Python number; .value can")

    __int__ = __index__ = __complex__ = __float__

    def __reduce__(self) -> NoReturn:
        raise TypeError("Tracked: cannot be pickled; .value can")

    # ------------------------------------------------------------ elements

    def __getitem__(self, index: Index) -> Tracked:
        value: Any = self._value
        return Tracked.of(value[index], self._wide[index], self._mark)

    def __setitem__(self, index: Index, value: object) -> None:
        since = self._join([value])
        halves: Any = self._value
        with aside():
            enclosure = as_wide(enclosure_of(value))
            halves[index] = value_of(value)
            self._wide.lo[index], self._wide.hi[index] = enclosure.lo, enclosure.hi
        self._mark = since

    def __iter__(self) -> Iterator[Tracked]:
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d Tracked")
        return (self[i] for i in range(len(self)))

    def __getattr__(self, name: str) -> Any:
        if name in _METHODS:
            return functools.partial(getattr(np, name), self)
        if width_of(self._value) and not name.startswith("_"):  # a swizzle
            kind = vector_type(np.float64, width_of(self._value))
            found = self._wide.map(lambda bound: getattr(bound.view(kind), name))
            return Tracked.of(getattr(self._value, name), found, self._mark)
        raise AttributeError(
            f"'Tracked' object has no attribute {name!r}; its .value, plain halves, may have it"
        )

    # ------------------------------------------------------------ methods of arrays

    def _moved(self, method: str, *args: object, **keywords: object) -> Tracked:
        def move(x: Halves) -> Any:
            return getattr(x, method)(*args, **keywords)

        value, found = coupled(move(self._value), self._wide.map(move), [self])
        return Tracked.of(value, found, self._mark)

    def reshape(self, *shape: object, **keywords: object) -> Tracked:
        """As of an array."""
        return self._moved("reshape", *shape, **keywords)

    def ravel(self) -> Tracked:
        """As of an array."""
        return self._moved("ravel")

    def flatten(self) -> Tracked:
        """As of an array."""
        return self._moved("flatten")

    def transpose(self, *axes: object) -> Tracked:
        """As of an array."""
        return self._moved("transpose", *axes)

    def squeeze(self, axis: Axes = None) -> Tracked:
        """As of an array."""
        return self._moved("squeeze", axis)

    def swapaxes(self, axis1: int, axis2: int) -> Tracked:
        """As of an array."""
        return self._moved("swapaxes", axis1, axis2)

    def copy(self) -> Tracked:
        """As of an array."""
        return self._moved("copy")

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> Tracked:
        return self.copy()

    def astype(self, dtype: DTypeLike, **keywords: object) -> Tracked:
        """A copy; of half alone."""
        if np.dtype(dtype) != HALF:
            refuse(f"half becomes {np.dtype(dtype)}")
        return self.copy()

    # ------------------------------------------------------------ computing

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: object, **keywords: object
    ) -> object:
        outs: Any = keywords.pop("out", (None,))  # a tuple, as NumPy has it
        (out,) = outs[:1]
        if not (out is None or isinstance(out, Tracked)):
            refuse(f"out: expected Tracked, got {type(out).__name__}")
        since = self._join(inputs)
        if out is not None:  # it may be that nothing else is tracked
            inputs = tuple(tracked(x) if is_half(x) else x for x in inputs)
        with aside():
            found = apply_ufunc(Tracked.of, ufunc, method, inputs, keywords, since)
        if out is None or found is NotImplemented:
            return found
        if not isinstance(found, Tracked):
            refuse("out: expected a bool array for truths, got Tracked")
        out[...] = found
        return out

    def __array_function__(
        self,
        func: Callable[..., object],
        types: Iterable[type],
        args: tuple[object, ...],
        kwargs: dict[str, object],
    ) -> object:
        since = self._join(leaves((*args, *kwargs.values())))
        with aside():
            return apply_function(Tracked.of, func, args, kwargs, since)


def track(x: object) -> Tracked:
    """Halves as given, of which what is computed can be followed.

    Parameters
    ----------
    x : half or float16 array or scalar, or Tracked
        Taken for exact. float16 becomes half.

    Returns
    -------
    Tracked
        Of a copy of x, so that writing to x later does not touch it.

    Raises
    ------
    TypeError
        If x is not half.

    See Also
    --------
    domains : does so with the arguments of a function.

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
        raise TypeError(f"x: expected half, got {kind}; halfcl.convert(x, half) makes half of it")
    return tracked(x.copy() if isinstance(x, np.ndarray) else x)


def tracked(x: Halves) -> Tracked:
    """Halves themselves, not a copy, for code that writes to them through this alone."""
    with aside():
        x = as_half(x)
        return Tracked.of(x, given(x), mark())
