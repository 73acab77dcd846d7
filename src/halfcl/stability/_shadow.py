"""Numbers with shadows: results as plain code has them, and beside them what they should be.

A shadow is what the same operations give if hardly anything is rounded: in `_doubledouble`, some
functions in doubles. Comparisons are those of the results, so that the same branches are taken.
"""

from __future__ import annotations

import functools
import math
import operator
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextvars import ContextVar
from types import FrameType
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from halfcl._core import forget_kernels_since, half, kernels_run
from halfcl.stability import _doubledouble as dd
from halfcl.stability._doubledouble import Doubles, Pair, Pairs
from halfcl.stability._sites import Site
from halfcl.vectors._registry import CLASSES, VectorBase, width_of

_T = TypeVar("_T")
#: What plain code has: halves or wider, or numbers of Python's.
Value: TypeAlias = NDArray[Any] | np.generic | float


#: What is decided: truths, or indices, of elements or one.
Choice: TypeAlias = NDArray[np.generic] | np.generic | bool | int


class NoShadowError(Exception):
    """Why a run has no shadow."""


def aside(function: Callable[..., _T], *args: object, **keywords: object) -> _T:
    """What plain code computes, beside which a shadow is computed: its kernels are not counted.

    Those that are counted at the end have rounded what no shadow follows.
    """
    count = kernels_run()
    found = function(*args, **keywords)
    forget_kernels_since(count)
    if (way := WAY.get()) is not None:
        way.step()
    return found


def count_as_lost() -> None:
    """Have a value that leaves its shadow counted, as if a kernel had given it."""
    forget_kernels_since(kernels_run() + 1)


_OF_NUMPY = (np.ndarray, np.generic)
_NUMBERS = (float, int)  # as tuples, which isinstance looks through fastest


def _is_float(x: object) -> bool:
    return type(x) is half or (isinstance(x, _OF_NUMPY) and x.dtype.kind == "f")


class HalvesWay:
    """What decides in a run where a half and its shadow may disagree: the halves.

    It notes what is decided, and where shadows would decide otherwise: how many elements of how
    many, by the site.
    """

    def __init__(self, find: Callable[[FrameType], Site]) -> None:
        self.find = find
        self.decided: dict[Site, list[Choice]] = {}
        self.parted: dict[Site, list[int]] = {}
        self.steps = 0

    def step(self) -> None:
        """One more operation."""
        self.steps += 1

    def choose(self, of_values: Choice, of_shadows: Choice) -> Choice:
        """What is decided, by halves or by shadows."""
        site = self.find(sys._getframe(1))
        decided = self.decided.setdefault(site, [])
        decided.append(of_values)
        is_same = np.array_equal(of_values, of_shadows)
        if not is_same and site not in self.parted:
            self.parted[site] = [0, sum(np.size(one) for one in decided[:-1])]
        if site in self.parted:
            found = self.parted[site]
            found[0] += 0 if is_same else int(np.count_nonzero(of_values != of_shadows))
            found[1] += np.size(of_values)
        return of_values


_NO_END = "it comes to no end where nothing is rounded"


class LoopError(NoShadowError):
    """A decision is made more often than before: it ends a loop."""

    def __init__(self, site: Site) -> None:
        super().__init__(_NO_END)
        self.site = site


class ShadowsWay:
    """The same after such a run: the shadows, but at sites that end loops.

    before: that run. loops: sites where it is decided once more as it was then, so that loops go as
    often.
    """

    def __init__(self, before: HalvesWay, loops: Collection[Site]) -> None:
        self._before, self._loops = before, loops
        self._counts: dict[Site, int] = {}
        self._differing: dict[Site, None] = {}  # those that decided otherwise last, the latest last
        self._steps_left = _MORE * before.steps + _SOME

    def step(self) -> None:
        """One more operation, if the run may still come to an end."""
        self._steps_left -= 1
        if self._steps_left < 0:
            raise NoShadowError(_NO_END)

    def choose(self, of_values: Choice, of_shadows: Choice) -> Choice:
        """What is decided, by shadows or as before."""
        site = self._before.find(sys._getframe(1))
        k = self._counts.get(site, 0)
        decided = self._before.decided.get(site, [])
        if k >= self._most(site, len(decided)):
            raise LoopError(self._latest(self._differing) or site)
        self._counts[site] = k + 1
        self._differing.pop(site, None)
        if k >= len(decided):
            return of_shadows
        if site in self._loops:
            if np.shape(decided[k]) != np.shape(of_shadows):
                raise NoShadowError("it has arrays of other lengths where nothing is rounded")
            return decided[k]
        if not np.array_equal(of_shadows, decided[k]):
            self._differing[site] = None
        return of_shadows

    def _most(self, site: Site, count: int) -> int:
        is_same = site not in self._loops and site not in self._before.parted
        return _MORE * count + _SOME if is_same else count

    def _latest(self, sites: Iterable[Site]) -> Site:
        return next((site for site in reversed(list(sites)) if site not in self._loops), None)

    def ended_early(self) -> Site:
        """What ended a loop before its time, after the run; None if nothing did."""
        counts = self._counts
        return self._latest(s for s in self._differing if counts[s] < len(self._before.decided[s]))


#: How much more often than before a site may be asked where both decide alike, and steps be made.
_MORE, _SOME = 16, 256


#: Of the run in this context; None outside of one: then halves decide.
WAY: ContextVar[HalvesWay | ShadowsWay | None] = ContextVar("halfcl_way", default=None)


def _decided(of_values: Choice, of_shadows: Callable[[], Choice]) -> Choice:
    way = WAY.get()
    return of_values if way is None else way.choose(of_values, of_shadows())


class _NoAttributeError(NoShadowError, AttributeError):
    """So that who asks whether there is one is told that there is none."""


class Shadow:
    """What plain code computes, and its shadow; it behaves like the half, or array of halves.

    Attributes
    ----------
    value : array or scalar of a floating-point type
        As plain code has it.
    pair : Pair
        The shadow: arrays of doubles of the same shape, or floats.
    """

    __slots__ = ("pair", "value")
    __hash__ = None  # type: ignore[assignment]

    value: Any
    pair: Pair

    def __new__(cls, value: Value, pair: Pair) -> Shadow:
        return object.__new__(_OfVectors if isinstance(value, VectorBase) else Shadow)

    def __init__(self, value: Value, pair: Pair) -> None:
        self.value, self.pair = value, pair
        high, low = pair
        if type(value) is half and type(high) is type(low) is float:
            return
        if isinstance(value, np.ndarray):
            low = _of_shape(low, value.shape) if not dd.is_large(value) else _zeros(value.shape)
            self.pair = Pair(_of_shape(high, value.shape), low)
        elif not type(high) is type(low) is float:
            self.pair = Pair(float(high), float(low))

    # ------------------------------------------------------------ elements

    def __len__(self) -> int:
        return len(self.value)

    def __getitem__(self, index: object) -> Shadow:
        k = plain(index)
        return Shadow(self.value[k], Pair(self.pair.high[k], self.pair.low[k]))

    def __setitem__(self, index: object, value: object) -> None:
        k, shadow = plain(index), as_shadow(value)
        aside(operator.setitem, self.value, k, shadow.value)
        self.pair.high[k] = shadow.pair.high
        if self.pair.low.flags.writeable:
            self.pair.low[k] = shadow.pair.low

    def __iter__(self) -> Iterator[Shadow]:
        return (self[k] for k in range(len(self)))

    def __bool__(self) -> bool:
        return bool(_truths_of(self))

    def __float__(self) -> float:
        return float(self._taken())

    def _taken(self) -> Any:
        """What numbers of Python's are made of: the halves; or the shadow, where that decides."""
        if isinstance(WAY.get(), ShadowsWay):
            return np.asarray(self.pair.high)
        self._lose()
        return self.value

    def _lose(self) -> None:
        """Its value is taken without the shadow: which matters unless they are the same."""
        exact = np.asarray(self.pair.high) == np.asarray(self.value).astype(np.float64)
        if not (exact.all() and not np.any(self.pair.low)):
            count_as_lost()

    def __int__(self) -> int:
        return int(_decided(int(self.value), lambda: int(_in_integers(self, np.trunc))))

    def __round__(self, ndigits: int | None = None) -> object:
        if ndigits is not None:
            return np.round(self, ndigits)
        return _decided(round(self.value), lambda: int(_in_integers(self, np.rint)))

    def __repr__(self) -> str:
        return repr(self.value)

    def __str__(self) -> str:
        return str(self.value)

    def __format__(self, spec: str) -> str:
        return format(self.value, spec)

    def __array__(self, dtype: object = None, copy: object = None) -> NDArray[Any]:
        raise NoShadowError("it makes a plain array of what it computes")

    # ------------------------------------------------------------ methods of arrays

    def __getattr__(self, name: str) -> Any:
        if name in _DECIDING:
            return functools.partial(getattr(np, name), self)
        if name in _OF_VALUE:
            return getattr(self._taken() if name in _LOSING else self.value, name)
        if name in _MOVING_METHODS:
            return functools.partial(self._moved, name)
        if name in _METHODS:
            return functools.partial(getattr(np, name), self)
        raise _NoAttributeError(f"it uses .{name}, which has no shadow")

    def _moved(self, name: str, *args: object, **keywords: object) -> Shadow:
        def move(part: object) -> object:
            of_numpy = np.float64(part) if isinstance(part, float) else part
            return getattr(of_numpy, name)(*args, **keywords)

        value: Any = aside(move, self.value)
        return Shadow(value, Pair(move(self.pair.high), move(self.pair.low)))

    def __copy__(self) -> Shadow:
        return self._moved("copy")

    def __deepcopy__(self, memo: object) -> Shadow:
        return self._moved("copy")

    @property
    def T(self) -> Shadow:
        """As of an array."""
        found: Shadow = self.transpose()
        return found

    @property
    def real(self) -> Shadow:
        """As of an array."""
        return self

    def sort(self, axis: int = -1, **_: object) -> None:
        """As of an array."""
        self[...] = np.sort(self, axis=axis)

    def fill(self, value: object) -> None:
        """As of an array."""
        self[...] = value

    def view(self, kind: Any) -> Shadow:
        """As half or float16, which are the same numbers; or as vectors."""
        if width_of(kind):
            value: Any = self.value.view(getattr(kind, "original", kind))
            if value.shape == self.value.shape:
                return Shadow(value, self.pair)
        if not is_half_type(kind):
            raise NoShadowError("it looks at halves as something else")
        return self

    def astype(self, dtype: DTypeLike, **_: object) -> object:
        """As of an array."""
        if np.dtype(dtype).kind in "iu":
            whole: Any = aside(self.value.astype, np.dtype(dtype))
            return _decided(whole, lambda: _in_integers(self, np.trunc).astype(whole.dtype))
        if np.dtype(dtype).kind == "b":
            return _truths_of(self)
        copied = Pair(np.copy(self.pair.high), np.copy(self.pair.low))
        return with_shadow(aside(self.value.astype, np.dtype(dtype)), copied)

    # ------------------------------------------------------------ computing

    def __matmul__(self, other: object) -> object:
        return np.matmul(self, other)  # type: ignore[call-overload]

    def __rmatmul__(self, other: object) -> object:
        return np.matmul(other, self)  # type: ignore[call-overload]

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: object, **keywords: object
    ) -> object:
        outs: Any = keywords.pop("out", (None,))  # a tuple, as NumPy has it
        where: Any = plain(keywords.pop("where", True)) if method == "__call__" else True
        value: Any = aside(getattr(ufunc, method), *map(plain, inputs), **keywords)
        if value is NotImplemented:
            return value
        if not _is_or_has_float(value):
            return _truths_of_ufunc(_name_of(ufunc), method, inputs, keywords, value)
        found = _shadows_of_ufunc(ufunc, method, inputs, keywords, value)
        (out,) = outs[:1]
        if out is None and where is True:
            return found
        if not isinstance(out, Shadow) or len(outs) > 1:
            raise NoShadowError("it computes into a plain array, or where it is told to")
        out[...] = found if where is True else np.where(where, found, out)  # type: ignore[call-overload]
        return out

    def __array_function__(
        self,
        function: Callable[..., object],
        types: Iterable[type],
        args: tuple[object, ...],
        keywords: dict[str, object],
    ) -> object:
        if keywords.get("out") is not None:
            raise NoShadowError("it computes into a plain array")

        def of_parts(part: Callable[[object], object]) -> object:
            named = {name: _mapped(part, x) for name, x in keywords.items()}
            return function(*(_mapped(part, x) for x in args), **named)

        value: Any = aside(of_parts, plain)
        if not _is_or_has_float(value):
            return _chosen(function, value, lambda: of_parts(wide_of), args, keywords)
        own = _OWN.get(function)
        pair = None if own is None or keywords.keys() - _KNOWN else own(*args, **keywords)
        if pair is not None:
            return with_shadow(value, pair)
        if getattr(function, "__name__", "") in MOVING:
            return _joined(value, of_parts(_high), of_parts(_low))
        return _joined(value, of_parts(wide_of), None)


class _OfVectors(Shadow):
    """Vectors, such as half4, with their shadows: arrays of doubles of the same shape."""

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
        aside(setattr, self.value, name, shadow.value)
        for part, given in zip(self.pair, shadow.pair, strict=True):
            if part.flags.writeable:
                setattr(as_vectors(part, self.value), name, as_vectors(given, shadow.value))


def as_vectors(part: Any, like: object) -> Any:
    """A part of a pair as vectors of doubles, if its value is vectors."""
    kind = CLASSES.get((np.dtype(np.float64), width_of(like)))
    return part if kind is None else np.asarray(part).view(kind)


def _of_shape(part: object, shape: tuple[int, ...]) -> NDArray[np.floating[Any]]:
    """A part as an array of that shape: the same where it can be, since it may be a view."""
    if isinstance(part, np.ndarray) and part.shape == shape:
        is_as_wide = part.dtype == np.float32 or part.size <= dd.MOST_IN_DOUBLES
        return part if is_as_wide else part.astype(dd.type_of(part.size), copy=False)
    return np.array(np.broadcast_to(np.asarray(part), shape), dd.type_of(math.prod(shape)))


@functools.lru_cache(64)
def _zeros(shape: tuple[int, ...]) -> NDArray[np.float64]:
    """The second part of what has none, not to be written to."""
    return np.broadcast_to(0.0, shape)


#: Of arrays: what tells of the value.
_OF_VALUE = frozenset({
    "dtype", "shape", "ndim", "size", "itemsize", "nbytes", "item", "tolist", "flags",
    "is_integer", "strides",
})  # fmt: skip
#: What chooses among elements, as NumPy's functions of the same name.
_DECIDING = frozenset({"any", "all", "argmax", "argmin", "argsort", "nonzero", "searchsorted"})
#: Of these what gives numbers of Python's.
_LOSING = ("item", "tolist")
#: The methods that are NumPy's functions of the same name.
_METHODS = frozenset({
    "sum", "mean", "max", "min", "prod", "cumsum", "cumprod", "dot", "std", "var", "clip",
    "repeat", "take", "diagonal", "round", "trace", "compress",
})  # fmt: skip
_MOVING_METHODS = frozenset(
    {"reshape", "ravel", "flatten", "transpose", "squeeze", "swapaxes", "copy"}
)

#: NumPy's functions that move elements, and do not compute.
MOVING = (
    "reshape", "ravel", "transpose", "permute_dims", "matrix_transpose", "swapaxes", "moveaxis",
    "rollaxis", "squeeze", "expand_dims", "broadcast_to", "broadcast_arrays", "atleast_1d",
    "atleast_2d", "atleast_3d", "take", "take_along_axis", "repeat", "tile", "roll", "rot90",
    "flip", "fliplr", "flipud", "split", "array_split", "hsplit", "vsplit", "dsplit", "delete",
    "diagonal", "tril", "triu", "compress", "extract", "copy", "resize", "unstack", "concatenate",
    "stack", "hstack", "vstack", "dstack", "column_stack", "where", "full_like", "zeros_like",
    "ones_like", "sort",
)  # fmt: skip
#: Keywords that change nothing in what an element should be, or are followed.
_KNOWN = frozenset({"axis", "keepdims", "dtype", "casting", "order"})


# ---------------------------------------------------------------- operands


def plain(x: object) -> Any:
    """What plain code has, also in tuples and lists."""
    if isinstance(x, Shadow):
        return x.value
    return type(x)(map(plain, x)) if type(x) is tuple or type(x) is list else x


def has_shadow(x: object) -> bool:
    """Whether it is one, or a list or tuple with one, at any depth."""
    if isinstance(x, list | tuple):
        return any(map(has_shadow, x))
    return isinstance(x, Shadow)


def as_shadow(x: object) -> Shadow:
    """An operand with its shadow: numbers and plain halves are exact; lists are stacked."""
    if isinstance(x, Shadow):
        return x
    if isinstance(x, _NUMBERS):
        return Shadow(x, dd.pair_of(x))
    if type(x) is half:
        return Shadow(x, Pair(float(x), 0.0))
    if isinstance(x, list | tuple):
        if not has_shadow(x):
            return as_shadow(np.asarray(x))
        return np.stack(list(map(as_shadow, x)))  # type: ignore[return-value]
    if not isinstance(x, _OF_NUMPY):
        raise NoShadowError(f"it computes with {type(x).__name__}")
    if x.dtype.kind not in "fiub":
        raise NoShadowError(f"it computes with {x.dtype}")
    return Shadow(x, dd.pair_of(x))


def with_shadow(value: Value, pair: Pair) -> Value | Shadow:
    """A result with its shadow; truths and integers are plain."""
    return Shadow(value, pair) if _is_float(value) else value


def _is_or_has_float(value: object) -> bool:
    several = value if isinstance(value, tuple | list) else (value,)
    return any(map(_is_float, several))


def _mapped(function: Callable[[object], object], x: object) -> object:
    """What a function gives of what is in lists and tuples, at any depth."""
    if type(x) is list or type(x) is tuple:
        return type(x)(_mapped(function, item) for item in x)
    return function(x)


def is_half_type(x: object) -> bool:
    """Whether it is half or float16, as a type or a dtype."""
    is_type = isinstance(x, type | np.dtype)
    return is_type and np.dtype(x).type in (half, np.float16)  # type: ignore[call-overload]


def wide_of(x: object) -> object:
    """An argument of a function that computes in doubles."""
    if isinstance(x, Shadow):
        return np.asarray(x.pair.high).astype(np.float64, copy=False)[()]
    if _is_float(x):
        return np.asarray(x).astype(np.float64)[()]
    if width_of(x) and isinstance(x, type) and is_half_type(np.dtype(x).base):
        return np.dtype((np.float64, np.dtype(x).shape))
    return np.float64 if is_half_type(x) else x


def _high(x: object) -> object:
    """The same of a function that moves elements, which may give a view."""
    return x.pair.high if isinstance(x, Shadow) else wide_of(x)


def _low(x: object) -> object:
    """The same of a function that moves elements."""
    if isinstance(x, Shadow):
        return x.pair.low
    if isinstance(x, float) or _is_float(x):
        return np.zeros(np.shape(np.asarray(x)))[()]
    return wide_of(x)


def _joined(value: object, high: object, low: object) -> object:
    """Results with shadows, also in a tuple or list."""
    if isinstance(value, tuple | list):
        highs: Any = high
        lows: Any = [None] * len(value) if low is None else low
        return type(value)([_joined(*parts) for parts in zip(value, highs, lows, strict=True)])
    found: Any = value
    return with_shadow(found, Pair(high, 0.0 if low is None else low))


# ---------------------------------------------------------------- NumPy's ufuncs

_MODES = ("_rte", "_rtz", "_rtp", "_rtn")
_OF_VECTORS = frozenset({"cross", "dot", "distance", "length", "normalize"})
_OF_MATRICES = ("matmul", "vecdot", "vecmat", "matvec")


def _name_of(ufunc: np.ufunc) -> str:
    """Without its rounding mode."""
    name = ufunc.__name__
    return name[:-4] if name.endswith(_MODES) else name


def _shadows_of_ufunc(
    ufunc: np.ufunc,
    method: str,
    inputs: Sequence[object],
    keywords: dict[str, object],
    value: Value | tuple[Value, ...],
) -> object:
    name = _name_of(ufunc)
    if keywords.keys() - _KNOWN:
        raise NoShadowError(f"{name} has no shadow with such arguments")
    if method == "__call__" and name in _BY_VALUE:
        return _results(value, _BY_VALUE[name](inputs[: ufunc.nin], value))
    operands = [as_shadow(x).pair for x in inputs[: ufunc.nin]]
    if method == "__call__":
        return _results(value, _computed(name, operands))
    known = dd.ARITHMETIC if method == "outer" else dd.JOINED
    if name not in known or isinstance(value, tuple) or method not in _METHODS_OF_UFUNCS:
        raise NoShadowError(f"{name}.{method} has no shadow")
    return Shadow(value, _METHODS_OF_UFUNCS[method](name, *operands, keywords.get("axis", 0),
                                                    bool(keywords.get("keepdims"))))  # fmt: skip


def _steps(inputs: Sequence[object], value: Any) -> Pair:
    """To the next half: as far from the shadow as that is from the half."""
    x = as_shadow(inputs[0])
    with np.errstate(all="ignore"):
        step = _wide(value) - _wide(x.value)
        moved = dd.add(x.pair, Pair(step, 0.0 * step))
    is_finite = np.isfinite(step)
    high = np.where(is_finite, moved.high, _wide(value))
    return Pair(high, np.where(is_finite, moved.low, 0.0))


def _itself(inputs: Sequence[object], value: Any) -> Pair:
    return dd.pair_of(_wide(value))


def _parts(inputs: Sequence[object], value: Any) -> tuple[Pair, None]:
    """A significand, beside the exponent of the half."""
    x = as_shadow(inputs[0]).pair
    power = -np.asarray(value[1])
    return Pair(np.ldexp(x.high, power), np.ldexp(x.low, power)), None


def _step(inputs: Sequence[object], value: Any) -> Pair:
    """Whether the second argument is not less than the first."""
    edge, x = inputs
    found: Any = _compared("ge", _wide(value) == 1, x, edge)
    return dd.pair_of(np.where(np.isnan(_wide(value)), np.nan, found))


def _wide(x: object) -> NDArray[np.float64]:
    return np.asarray(x).astype(np.float64)


#: What is computed from the halves' own result, too.
_BY_VALUE: dict[str, Callable[[Sequence[object], Any], Pairs]] = {
    "nextup": _steps, "nextdown": _steps, "nextafter": _steps, "ulp": _itself, "spacing": _itself,
    "frexp": _parts, "step": _step,
}  # fmt: skip


def _computed(name: str, operands: Sequence[Pair]) -> Pairs:
    compute = dd.UFUNCS.get(name)
    if name in _OF_MATRICES and hasattr(np, name):
        compute = dd.in_doubles(getattr(np, name))
    if compute is None:
        raise NoShadowError(f"{name} has no shadow")
    if name in _OF_MATRICES or name in _OF_VECTORS:
        operands = list(map(dd.in_double, operands))
    return compute(*operands)


def _results(value: Value | tuple[Value, ...], found: Pairs) -> object:
    if isinstance(found, Pair):
        return Shadow(value, found) if not isinstance(value, tuple) else value
    values = value if isinstance(value, tuple) else (value,)
    return tuple(v if p is None else with_shadow(v, p) for v, p in zip(values, found, strict=True))


def _reduced(name: str, x: Pair, axis: object, keepdims: bool) -> Pair:
    """Along one axis after the other."""
    ndim = np.ndim(x.high)
    axes: Any = tuple(range(ndim)) if axis is None else axis
    numbers = {a % ndim for a in (axes if isinstance(axes, tuple) else (axes,))}
    for k in sorted(numbers, reverse=True):
        x = dd.reduced(name, x, k)
        if keepdims:
            x = dd.moved(x, functools.partial(np.expand_dims, axis=k))
    return x


def _accumulated(name: str, x: Pair, axis: object, keepdims: bool) -> Pair:
    number: Any = axis
    return dd.accumulated(name, x, number)


def _outer(name: str, x: Pair, y: Pair, axis: object, keepdims: bool) -> Pair:
    ones = (1,) * np.ndim(y.high)
    return dd.ARITHMETIC[name](dd.moved(x, lambda part: part.reshape((*part.shape, *ones))), y)


_METHODS_OF_UFUNCS: dict[str, Callable[..., Pair]] = {
    "reduce": _reduced,
    "accumulate": _accumulated,
    "outer": _outer,
}


# ---------------------------------------------------------------- what is decided

#: By how much, beside 1 and the numbers themselves, shadows have to differ to be sure.
_SURE, _SURE_OF_LARGE = 2.0**-40, 2.0**-18


def _gap(x: Pair, y: Pair) -> tuple[Doubles | float, dd.Truths]:
    """x - y; and whether its sign is sure: not of NaN, nor of what rounding doubles may make."""
    gap: Any = (x.high - y.high) + (x.low - y.low)
    if isinstance(gap, float):
        size = min(abs(x.high), abs(y.high))
        return gap, abs(gap) > _SURE * (1 + size) or math.isinf(gap)
    bound = _SURE_OF_LARGE if dd.is_large(gap) else _SURE
    size = np.minimum(np.abs(x.high), np.abs(y.high))
    return gap, (np.abs(gap) > bound * (1 + size)) | np.isinf(gap)


_COMPARISONS: dict[str, Callable[[Doubles | float, float], Choice]] = {
    "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
    "eq": operator.eq, "ne": operator.ne,
}  # fmt: skip
#: By the names of ufuncs.
_OF_UFUNCS = {
    "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge", "equal": "eq",
    "not_equal": "ne", "isless": "lt", "islessequal": "le", "isgreater": "gt",
    "isgreaterequal": "ge", "isequal": "eq", "isnotequal": "ne",
}  # fmt: skip
#: Truths of one number that infinities and NaN decide.
_OF_ONE: dict[str, Callable[[Doubles], Choice]] = {
    "isfinite": np.isfinite, "isinf": np.isinf, "isnan": np.isnan,
}  # fmt: skip


def _compared(name: str, value: Choice, x: object, y: object) -> Choice:
    """A comparison, whose result of halves is known."""
    if WAY.get() is None or not (_is_number(x) and _is_number(y)):
        return value
    gap, is_sure = _gap(as_shadow(x).pair, as_shadow(y).pair)

    def of_shadows() -> Choice:
        truths = _as_truths_of(value, _COMPARISONS[name](gap, 0))
        found = _where_sure(is_sure, truths, value)
        return np.asarray(found).view(type(value)) if isinstance(value, VectorBase) else found

    return _decided(value, of_shadows)


def _truths_of(x: Shadow) -> Choice:
    """Whether its elements are not zero."""
    return _compared("ne", x.value != 0, x, 0)


def _is_number(x: object) -> bool:
    """Whether it can have a shadow."""
    if isinstance(x, np.ndarray | np.generic):
        return x.dtype.kind in "fiub"
    return isinstance(x, (Shadow, *_NUMBERS))


def _as_truths_of(value: Choice, truths: Choice) -> Choice:
    """As of vectors, whose truths are integers, all bits of them set; else as they are."""
    if not isinstance(value, VectorBase):
        return truths
    found: Choice = (-np.asarray(truths).astype(value.dtype)).view(type(value))
    return found


def _where_sure(is_sure: dd.Truths, of_shadows: Choice, of_values: Choice) -> Choice:
    if isinstance(is_sure, bool):
        return of_shadows if is_sure else of_values
    return np.where(is_sure, of_shadows, of_values)


def _in_integers(x: Shadow, function: np.ufunc) -> NDArray[np.float64]:
    """A whole number, as a double: of the halves where the shadow is too near to two."""
    high = np.asarray(x.pair.high)
    bound = (_SURE_OF_LARGE if dd.is_large(high) else _SURE) * (1 + abs(high))
    low, high = function(high - bound), function(high + bound)
    found: NDArray[np.float64] = function(np.asarray(x.value).astype(np.float64))
    return np.where(low == high, low, found)


def _truths_of_ufunc(
    name: str, method: str, inputs: Sequence[object], keywords: dict[str, object], value: Choice
) -> Choice:
    if method != "__call__" or keywords or WAY.get() is None:
        return value
    if name in _OF_UFUNCS:
        return _compared(_OF_UFUNCS[name], value, *inputs)
    if name in _OF_ONE:
        high = as_shadow(inputs[0]).pair.high
        return _decided(value, lambda: _OF_ONE[name](high))
    return value


#: Functions of NumPy's that ask which elements are zero.
_OF_TRUTHS: tuple[Callable[..., object], ...] = (
    np.any,
    np.all,
    np.nonzero,
    np.flatnonzero,
    np.count_nonzero,
    np.argwhere,
)


def _chosen(
    function: Callable[..., object],
    value: object,
    of_shadows: Callable[[], Any],
    args: tuple[object, ...],
    keywords: dict[str, object],
) -> object:
    """What a function of NumPy's says that are no floats: truths, indices, shapes."""
    if function in _OF_TRUTHS and args and isinstance(args[0], Shadow):
        return function(_truths_of(args[0]), *args[1:], **keywords)
    if not isinstance(value, np.ndarray | np.generic | bool | int) or function is np.can_cast:
        return value
    return _decided(value, of_shadows)


# ---------------------------------------------------------------- NumPy's functions


def _along(name: str) -> Callable[..., Pair]:
    def reduce(x: object, axis: object = None, keepdims: bool = False, **_: object) -> Pair:
        return _reduced(name, as_shadow(x).pair, axis, keepdims)

    return reduce


def _mean(x: object, axis: object = None, **keywords: object) -> Pair:
    shadow = as_shadow(x)
    total = _along("add")(shadow, axis, **keywords)
    count = np.size(shadow.value) / max(np.size(total.high), 1)
    return dd.div(total, Pair(float(count), 0.0))


def _running(name: str) -> Callable[..., Pair]:
    def accumulate(x: object, axis: int | None = None, **_: object) -> Pair:
        shadow = as_shadow(x)
        pair = shadow.pair if axis is not None else dd.moved(shadow.pair, np.ravel)
        return dd.accumulated(name, pair, axis or 0)

    return accumulate


def _dot(x: object, y: object) -> Pair | None:
    """Of one dimension; else None."""
    a, b = as_shadow(x), as_shadow(y)
    if np.ndim(a.value) != 1 or np.ndim(b.value) != 1:
        return None
    return dd.reduced("add", dd.mul(dd.in_double(a.pair), dd.in_double(b.pair)), 0)


#: What is computed in pairs. All others are computed in doubles.
_OWN: dict[Callable[..., object], Callable[..., Pair | None]] = {
    np.sum: _along("add"),
    np.prod: _along("multiply"),
    np.max: _along("maximum"),
    np.min: _along("minimum"),
    np.mean: _mean,
    np.cumsum: _running("add"),
    np.cumprod: _running("multiply"),
    np.dot: _dot,
    np.inner: _dot,
    np.vdot: _dot,
}


# ---------------------------------------------------------------- operators

_OPERANDS = (float, int, np.generic)


def _operand(x: object) -> Shadow | None:
    if isinstance(x, Shadow):
        return x
    return as_shadow(x) if isinstance(x, _OPERANDS) else None


def _add_operator(name: str, compute: Callable[..., Value], ufunc: np.ufunc) -> None:
    """x + y, y + x and x += y, quickly where both are numbers or have shadows."""
    of_pairs: Any = dd.UFUNCS[ufunc.__name__]

    def forward(self: Shadow, other: object) -> object:
        y = _operand(other)
        if y is None:
            return ufunc(self, other)
        return with_shadow(aside(compute, self.value, y.value), of_pairs(self.pair, y.pair))

    def backward(self: Shadow, other: object) -> object:
        y = _operand(other)
        if y is None:
            return ufunc(other, self)
        return with_shadow(aside(compute, y.value, self.value), of_pairs(y.pair, self.pair))

    def in_place(self: Shadow, other: object) -> object:
        if not isinstance(self.value, np.ndarray):
            return forward(self, other)
        return ufunc(self, other, out=(self,))

    for prefix, method in (("", forward), ("r", backward), ("i", in_place)):
        setattr(Shadow, f"__{prefix}{name}__", method)


def _add_comparison(name: str) -> None:
    compute: Callable[..., Choice] = getattr(operator, name)

    def compared(self: Shadow, other: object) -> object:
        return _compared(name, compute(self.value, plain(other)), self, other)

    setattr(Shadow, f"__{name}__", compared)


def _add_unary(name: str, compute: Callable[..., Value], of_pair: Callable[[Pair], Pair]) -> None:
    def method(self: Shadow) -> Shadow:
        return Shadow(aside(compute, self.value), of_pair(self.pair))

    setattr(Shadow, f"__{name}__", method)


for _name, _compute, _ufunc in (
    ("add", operator.add, np.add),
    ("sub", operator.sub, np.subtract),
    ("mul", operator.mul, np.multiply),
    ("truediv", operator.truediv, np.divide),
    ("pow", operator.pow, np.power),
    ("floordiv", operator.floordiv, np.floor_divide),
    ("mod", operator.mod, np.remainder),
):
    _add_operator(_name, _compute, _ufunc)
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    _add_comparison(_name)
_add_unary("neg", operator.neg, dd.neg)
_add_unary("pos", operator.pos, lambda x: x)
_add_unary("abs", operator.abs, dd.absolute)
