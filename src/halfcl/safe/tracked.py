"""Halves with an enclosure of what they would be without rounding."""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, TypeAlias

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

import halfcl as hc
from halfcl._core import forget_kernels_since, kernels_run
from halfcl.interval import Interval
from halfcl.interval.bounds import HALF
from halfcl.safe import enclosures
from halfcl.safe.domain import BY_UFUNC, Domain, keep
from halfcl.safe.noting import note
from halfcl.safe.wide import Wide, given
from halfcl.stability.sites import describe, find_site
from halfcl.tables import TABLE
from halfcl.vectors.registry import vector_type, width_of

#: A thread, and how many kernels had given halves in it; None: it cannot be told any more.
Mark: TypeAlias = tuple[int, int] | None

_MODES = ("_rte", "_rtz", "_rtp", "_rtn")


class NotFollowed(TypeError):
    """What is raised where a computation cannot be followed by enclosures."""


def refuse(reason: str, name: str = "") -> NoReturn:
    """Raise NotFollowed with the line of the program that computes."""
    place = describe(find_site(sys._getframe(1), refuse.__code__), name)
    raise NotFollowed(f"safe: cannot follow {place}: {reason}") from None


@contextmanager
def _aside() -> Iterator[None]:
    """Computing that is followed: its kernels are not counted."""
    count = kernels_run()
    try:
        yield
    finally:
        forget_kernels_since(count)


def mark() -> Mark:
    """Now, as told by the kernels that were run outside of what is followed."""
    return threading.get_ident(), kernels_run()


def _older(one: Mark, other: Mark) -> Mark:
    if one is None or other is None or one[0] != other[0]:
        return one if one == other else None
    return min(one, other)


def is_half(x: Any) -> bool:
    """Whether it is an array or scalar of half, or of float16."""
    if isinstance(x, np.ndarray):
        return x.dtype.type in (hc.half, np.float16)
    return isinstance(x, np.float16)


def as_half(x: Any) -> Any:
    """float16 as half; others as they are."""
    if isinstance(x, np.float16) and not isinstance(x, hc.half):
        return hc.half(x)
    if isinstance(x, np.ndarray) and x.dtype.type is np.float16:
        return (x if x.dtype.isnative else x.astype(np.float16)).view(HALF)
    return x


class Tracked(NDArrayOperatorsMixin):
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

    __slots__ = ("__weakref__", "_mark", "_value", "_wide")
    __hash__ = None  # type: ignore[assignment]

    _value: Any
    _wide: Wide
    _mark: Mark

    def __init__(self) -> None:
        raise TypeError("Tracked: made by safe.track(x)")

    @classmethod
    def of(cls, value: Any, enclosure: Wide, since: Mark) -> Tracked:
        """For this package: since when no half may be computed beside."""
        if enclosure.shape != np.shape(value):
            refuse(f"its shape is {np.shape(value)}, its enclosure's {enclosure.shape}")
        new = cls.__new__(cls)
        new._value, new._mark = value, since
        new._wide = enclosures.unknown_to_entire(enclosure, value)
        return new

    # ------------------------------------------------------------ what it is

    @property
    def value(self) -> Any:
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
        return len(self._value)

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        with _aside():
            return f"Tracked({self._value!r}, {self.enclosure!r})"

    def __str__(self) -> str:
        with _aside():
            return str(self._value)

    def __format__(self, spec: str) -> str:
        with _aside():
            return format(self._value, spec)

    # ------------------------------------------------------------ what it refuses

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        refuse("a tracked half is not an array of NumPy; .value is")

    def __float__(self) -> float:
        refuse("a tracked half cannot become a Python number; .value can")

    __int__ = __index__ = __complex__ = __float__

    def __reduce__(self) -> NoReturn:
        raise TypeError("Tracked: cannot be pickled; .value can")

    # ------------------------------------------------------------ elements

    def __getitem__(self, index: Any) -> Tracked:
        return Tracked.of(self._value[index], self._wide[index], self._mark)

    def __setitem__(self, index: Any, value: Any) -> None:
        since = self._join([value])
        with _aside():
            enclosure = enclosures.as_wide(_enclosure_of(value))
            self._value[index] = _value_of(value)
            self._wide.lo[index], self._wide.hi[index] = enclosure.lo, enclosure.hi
        self._mark = since

    def __iter__(self) -> Iterator[Tracked]:
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d Tracked")
        return (self[i] for i in range(len(self)))

    def __getattr__(self, name: str) -> Any:
        if width_of(self._value) and not name.startswith("_"):  # a swizzle
            kind = vector_type(np.float64, width_of(self._value))
            found = self._wide.map(lambda bound: getattr(bound.view(kind), name))
            return Tracked.of(getattr(self._value, name), found, self._mark)
        raise AttributeError(
            f"'Tracked' object has no attribute {name!r}; its .value, plain halves, may have it"
        )

    # ------------------------------------------------------------ methods of arrays

    def _moved(self, method: str, *args: Any, **keywords: Any) -> Tracked:
        def move(x: Any) -> Any:
            return getattr(x, method)(*args, **keywords)

        return Tracked.of(move(self._value), self._wide.map(move), self._mark)

    def reshape(self, *shape: Any, **keywords: Any) -> Tracked:
        """As of an array."""
        return self._moved("reshape", *shape, **keywords)

    def ravel(self) -> Tracked:
        """As of an array."""
        return self._moved("ravel")

    def flatten(self) -> Tracked:
        """As of an array."""
        return self._moved("flatten")

    def transpose(self, *axes: Any) -> Tracked:
        """As of an array."""
        return self._moved("transpose", *axes)

    def squeeze(self, axis: Any = None) -> Tracked:
        """As of an array."""
        return self._moved("squeeze", axis)

    def swapaxes(self, axis1: int, axis2: int) -> Tracked:
        """As of an array."""
        return self._moved("swapaxes", axis1, axis2)

    def copy(self) -> Tracked:
        """As of an array."""
        return self._moved("copy")

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> Tracked:
        return self.copy()

    def astype(self, dtype: Any, **keywords: Any) -> Tracked:
        """A copy; of half alone."""
        if np.dtype(dtype) != HALF:
            refuse(f"half becomes {np.dtype(dtype)}")
        return self.copy()

    def sum(self, axis: Any = None, **keywords: Any) -> Any:
        """As of an array."""
        return np.sum(self, axis=axis, **keywords)

    def mean(self, axis: Any = None, **keywords: Any) -> Any:
        """As of an array."""
        return np.mean(self, axis=axis, **keywords)

    def max(self, axis: Any = None, **keywords: Any) -> Any:
        """As of an array."""
        return np.max(self, axis=axis, **keywords)

    def min(self, axis: Any = None, **keywords: Any) -> Any:
        """As of an array."""
        return np.min(self, axis=axis, **keywords)

    def dot(self, other: Any) -> Any:
        """As of an array."""
        return np.dot(self, other)

    def clip(self, *args: Any, **keywords: Any) -> Any:
        """As of an array."""
        return np.clip(self, *args, **keywords)

    # ------------------------------------------------------------ computing

    def _join(self, operands: Any) -> Mark:
        """Since when a result is followed; refused where it is not, beside such operands."""
        operands, since = list(operands), self._mark
        for x in operands:
            if isinstance(x, Tracked):
                since = _older(since, x._mark)
        if since != mark() and any(is_half(x) for x in operands):
            refuse(
                "halves that are not tracked may have been computed beside it; hand them over "
                "as arguments, or safe.track(x) takes x for exact"
            )
        return since

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **keywords: Any) -> Any:
        (out,) = keywords.pop("out", (None,))[:1]
        if not (out is None or isinstance(out, Tracked)):
            refuse(f"out: expected Tracked, got {type(out).__name__}")
        since = self._join(inputs)
        with _aside():
            found = _apply_ufunc(ufunc, method, inputs, keywords, since)
        if out is None or found is NotImplemented:
            return found
        if not isinstance(found, Tracked):
            refuse("out: expected a bool array for truths, got Tracked")
        out[...] = found
        return out

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        since = self._join(_leaves((*args, *kwargs.values())))
        if func in _OF_VALUES:
            return func(*_map(_value_of, args), **_map(_value_of, kwargs))
        with _aside():
            return _apply_function(func, args, kwargs, since)


# ---------------------------------------------------------------- operands


def _leaves(x: Any) -> Iterator[Any]:
    """What is in lists and tuples, at any depth."""
    if isinstance(x, list | tuple):
        for item in x:
            yield from _leaves(item)
    else:
        yield x


def _map(function: Callable[[Any], Any], x: Any) -> Any:
    """A function of what is in lists and tuples, at any depth."""
    if isinstance(x, dict):
        return {name: _map(function, item) for name, item in x.items()}
    if isinstance(x, list | tuple):
        return type(x)(_map(function, item) for item in x)
    return function(x)


def _value_of(x: Any) -> Any:
    return x._value if isinstance(x, Tracked) else x


def _enclosure_of(x: Any) -> Any:
    """Enclosures of tracked halves, and of halves and infinities beside; others as they are."""
    if isinstance(x, Tracked):
        return x._wide
    is_inexact = isinstance(x, float | int) and not abs(x) < 1 << 53  # or no number
    return given(x) if is_half(x) or is_inexact else x


# ---------------------------------------------------------------- NumPy's ufuncs

#: The ufuncs whose results are truths, also where vectors have them as integers.
_TRUTHS = frozenset(
    {name for row in TABLE if row.section == "Relational" for name in (row.name, *row.numpy)}
    | {"logical_and", "logical_or", "logical_xor", "logical_not"}
)


def _apply_ufunc(
    ufunc: np.ufunc, method: str, inputs: Any, keywords: dict[str, Any], since: Mark
) -> Any:
    if keywords.get("where", True) is not True:
        refuse(f"{ufunc.__name__} with where has no enclosure")
    name, call = _named(ufunc, method)
    if method == "__call__" and _takes_modes(ufunc):
        *inputs, modes = inputs
        call = functools.partial(_with_modes, call, modes)
    if name in BY_UFUNC and method == "__call__" and not keywords:
        return kept(BY_UFUNC[name], track(inputs[0]), call)
    enclose = None if name in _TRUTHS else _enclose_ufunc(ufunc, name, method, inputs)
    value = call(*map(_value_of, inputs), **keywords)
    if enclose is None or value is NotImplemented:
        return value
    if method == "reduce":
        keywords.setdefault("axis", 0)
    return _tracked(name, value, enclose, inputs, keywords, since)


def _named(ufunc: np.ufunc, method: str) -> tuple[str, Callable[..., Any]]:
    """A ufunc's name, without its mode, and what computes its values."""
    name: str = ufunc.__name__
    if not name.endswith(_MODES):
        return name, getattr(ufunc, method)
    name, mode = name[:-4], name[-3:]
    if mode == "rte" or method != "__call__":
        return name, getattr(ufunc, method)
    # halfcl's functions, and not their ufuncs, round the numbers beside halves in the mode.
    return name, functools.partial(getattr(hc, name), rounding=mode)


def _takes_modes(ufunc: np.ufunc) -> bool:
    """Whether its last operand is an array of modes: what ``rounding=`` such an array calls."""
    function = getattr(hc, ufunc.__name__, None)
    return isinstance(function, hc.Function) and ufunc.nin == function.nin + 1


def _with_modes(call: Callable[..., Any], modes: Any, *operands: Any, **keywords: Any) -> Any:
    return call(*operands, modes, **keywords)


def _enclose_ufunc(ufunc: np.ufunc, name: str, method: str, inputs: Any) -> Callable[..., Any]:
    """What computes the enclosures."""
    if method == "reduce" and name in enclosures.REDUCTIONS:
        return enclosures.REDUCTIONS[name]
    if method != "__call__":
        refuse(f"{name}.{method} has no enclosure")
    if name == "multiply" and inputs[0] is inputs[1]:
        return lambda x, _: enclosures.UFUNCS["square"](x)
    found = enclosures.UFUNCS.get(name) or enclosures.of_intervals(name)
    return found or refuse(f"{name} has no enclosure")


def _tracked(
    name: str, value: Any, enclose: Callable[..., Any], args: Any, keywords: Any, since: Mark
) -> Any:
    """Values with their enclosures; refused where there are none."""
    _check_halves(name, value)
    try:
        with np.errstate(all="ignore"):
            found = enclose(*_map(_enclosure_of, args), **_map(_enclosure_of, keywords))
    except (TypeError, ValueError, OverflowError) as error:
        refuse(f"{name} has no enclosure of these arguments: {error}")
    return _joined(name, value, found, since)


def _check_halves(name: str, value: Any) -> None:
    """NotFollowed unless it is one or several halves."""
    for x in value if isinstance(value, list | tuple) else [value]:
        dtype = getattr(x, "dtype", None)
        if dtype is None or dtype.kind in "iub":
            refuse(f"{name} has no enclosure")
        if dtype.type is not hc.half:
            refuse(f"half becomes {dtype}; half(x), or a Python number beside half, stays half")


def _joined(name: str, value: Any, found: Any, since: Mark) -> Any:
    """Tracked halves of values and enclosures, or lists and tuples of them."""
    if isinstance(value, list | tuple):
        return type(value)(_joined(name, v, f, since) for v, f in zip(value, found, strict=True))
    return Tracked.of(value, found, since)


def kept(domain: Domain, x: Tracked, function: Callable[..., Any], redirect: Any = None) -> Tracked:
    """A function of a domain: arguments that rounding moved out of it are put back."""
    with _aside():
        arguments, counts = keep(domain, x._value, x._wide, redirect)
        note(domain.name, counts)
        value = function(arguments)
        with np.errstate(all="ignore"):
            found = enclosures.of_domain(domain.name, x._wide)
        return Tracked.of(value, found, x._mark)


# ---------------------------------------------------------------- NumPy's functions

#: What tells of values alone.
_OF_VALUES = frozenset({
    np.shape, np.ndim, np.size, np.any, np.all, np.argmax, np.argmin, np.argsort, np.nonzero,
    np.flatnonzero, np.count_nonzero, np.argwhere, np.isclose, np.allclose, np.array_equal,
    np.searchsorted, np.array_repr, np.array_str, np.array2string, np.iscomplexobj, np.isrealobj,
    np.result_type, np.may_share_memory, np.shares_memory,
})  # fmt: skip


def _apply_function(func: Any, args: Any, kwargs: dict[str, Any], since: Mark) -> Any:
    name = func.__name__
    enclose = enclosures.FUNCTIONS.get(func)
    if enclose is None:
        refuse(f"{name} has no enclosure")
    if kwargs.pop("out", None) is not None or enclosures.names_out(func, args):
        refuse(f"{name} with out has no enclosure")
    value = func(*_map(_value_of, args), **_map(_value_of, kwargs))
    return _tracked(name, value, enclose, args, kwargs, since)


def track(x: Any) -> Any:
    """Halves as given, of which what is computed can be followed.

    Parameters
    ----------
    x : half or float16 array or scalar, or Tracked
        Taken for exact. float16 becomes half.

    Returns
    -------
    Tracked
        With x itself as its value, not a copy.

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
    with _aside():
        x = as_half(x)
        return Tracked.of(x, given(x), mark())
