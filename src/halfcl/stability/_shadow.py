"""Halves that carry shadows: reference values in double-double, some functions in doubles.

A shadow is the result of the same operations with hardly any rounding. By default halves decide
comparisons, so that a run with shadows takes the branches of a plain run.
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
#: Values in plain code: halves or wider ones, or Python numbers.
Value: TypeAlias = NDArray[Any] | np.generic | float


#: A choice between values: truths or indices, for elements or one.
Choice: TypeAlias = NDArray[np.generic] | np.generic | bool | int


class NoShadowError(Exception):
    """The reason why a run has no shadow."""


def run_uncounted(function: Callable[..., _T], *args: object, **keywords: object) -> _T:
    """Call a function on plain values, and do not count its kernels.

    A shadow is computed along with the call. Kernels that are still counted at the end of a run
    have rounded values without shadows.
    """
    count = kernels_run()
    result = function(*args, **keywords)
    forget_kernels_since(count)
    if (branches := BRANCHES.get()) is not None:
        branches.step()
    return result


def count_lost_shadow() -> None:
    """Count a value that lost its shadow, as if a kernel had returned it."""
    forget_kernels_since(kernels_run() + 1)


_NUMPY_TYPES = (np.ndarray, np.generic)
_NUMBERS = (float, int)  # tuples, since isinstance is fastest with them


def _is_float(x: object) -> bool:
    return type(x) is half or (isinstance(x, _NUMPY_TYPES) and x.dtype.kind == "f")


class HalfBranches:
    """First run: the halves decide branches where a half and its shadow may disagree.

    Attributes
    ----------
    decided : dict
        For each site its decisions, in their order.
    divergent : dict
        For each site where shadows would decide differently: how many elements, out of how many.
    steps : int
        Number of operations.
    """

    def __init__(self, find: Callable[[FrameType], Site]) -> None:
        self.find = find
        self.decided: dict[Site, list[Choice]] = {}
        self.divergent: dict[Site, list[int]] = {}
        self.steps = 0

    def step(self) -> None:
        """Count an operation."""
        self.steps += 1

    def choose(self, by_halves: Choice, by_shadows: Choice) -> Choice:
        """Return the halves' decision, and record whether the shadows' one differs."""
        site = self.find(sys._getframe(1))
        decided = self.decided.setdefault(site, [])
        decided.append(by_halves)
        is_same = np.array_equal(by_halves, by_shadows)
        if not is_same and site not in self.divergent:
            self.divergent[site] = [0, sum(np.size(one) for one in decided[:-1])]
        if site in self.divergent:
            counts = self.divergent[site]
            counts[0] += 0 if is_same else int(np.count_nonzero(by_halves != by_shadows))
            counts[1] += np.size(by_halves)
        return by_halves


_ENDLESS = "without rounding it does not end"


class LoopError(NoShadowError):
    """A site decides more often than in the first run, since the end of a loop diverges."""

    def __init__(self, site: Site) -> None:
        super().__init__(_ENDLESS)
        self.site = site


class ShadowBranches:
    """Second run: branches follow the reference values, except loop exits.

    before: the first run. loops: sites where the decisions of the first run are repeated, so that
    loops run as many times.
    """

    def __init__(self, before: HalfBranches, loops: Collection[Site]) -> None:
        self._before, self._loops = before, loops
        self._counts: dict[Site, int] = {}
        self._differing: dict[Site, None] = {}  # sites whose last decision differs, the latest last
        self._steps_left = _MOST_TIMES * before.steps + _SPARE

    def step(self) -> None:
        """Count an operation; raise NoShadowError if the run seems endless."""
        self._steps_left -= 1
        if self._steps_left < 0:
            raise NoShadowError(_ENDLESS)

    def choose(self, by_halves: Choice, by_shadows: Choice) -> Choice:
        """Return the shadows' decision, or that of the first run at sites that end loops."""
        site = self._before.find(sys._getframe(1))
        k = self._counts.get(site, 0)
        decided = self._before.decided.get(site, [])
        if k >= self._most(site, len(decided)):
            raise LoopError(self._latest(self._differing) or site)
        self._counts[site] = k + 1
        self._differing.pop(site, None)
        if k >= len(decided):
            return by_shadows
        if site in self._loops:
            if np.shape(decided[k]) != np.shape(by_shadows):
                raise NoShadowError("without rounding it has arrays of other lengths")
            return decided[k]
        if not np.array_equal(by_shadows, decided[k]):
            self._differing[site] = None
        return by_shadows

    def _most(self, site: Site, count: int) -> int:
        is_same = site not in self._loops and site not in self._before.divergent
        return _MOST_TIMES * count + _SPARE if is_same else count

    def _latest(self, sites: Iterable[Site]) -> Site:
        return next((site for site in reversed(list(sites)) if site not in self._loops), None)

    def find_early_exit(self) -> Site:
        """Return the site that ended a loop early, after the run; None if there is none."""
        counts = self._counts
        return self._latest(s for s in self._differing if counts[s] < len(self._before.decided[s]))


#: Bounds of the second run: it may take _MOST_TIMES as many operations as the first, plus _SPARE.
#: The same holds for decisions at a site where both runs agree.
_MOST_TIMES, _SPARE = 16, 256


#: The branches of the run in this context; None outside of a run: then halves decide.
BRANCHES: ContextVar[HalfBranches | ShadowBranches | None] = ContextVar(
    "halfcl_branches", default=None
)


def _decide(by_halves: Choice, by_shadows: Callable[[], Choice]) -> Choice:
    branches = BRANCHES.get()
    return by_halves if branches is None else branches.choose(by_halves, by_shadows())


class _NoAttributeError(NoShadowError, AttributeError):
    """A missing shadow of an attribute; an AttributeError, so that hasattr returns False."""


class Shadow:
    """A half or array of halves with its shadow, which behaves like the half or array.

    Attributes
    ----------
    value : array or scalar of a floating-point type
        The value in plain code.
    pair : Pair
        The shadow: arrays of doubles of the same shape, or floats.
    """

    __slots__ = ("pair", "value")
    __hash__ = None  # type: ignore[assignment]

    value: Any
    pair: Pair

    def __new__(cls, value: Value, pair: Pair) -> Shadow:
        return object.__new__(_VectorShadow if isinstance(value, VectorBase) else Shadow)

    def __init__(self, value: Value, pair: Pair) -> None:
        self.value, self.pair = value, pair
        high, low = pair
        if type(value) is half and type(high) is type(low) is float:
            return
        if isinstance(value, np.ndarray):
            low = (
                _broadcast_part(low, value.shape) if not dd.is_large(value) else _zeros(value.shape)
            )
            self.pair = Pair(_broadcast_part(high, value.shape), low)
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
        run_uncounted(operator.setitem, self.value, k, shadow.value)
        self.pair.high[k] = shadow.pair.high
        if self.pair.low.flags.writeable:
            self.pair.low[k] = shadow.pair.low

    def __iter__(self) -> Iterator[Shadow]:
        return (self[k] for k in range(len(self)))

    def __bool__(self) -> bool:
        return bool(_is_nonzero(self))

    def __float__(self) -> float:
        return float(self._numbers_for_python())

    def _numbers_for_python(self) -> Any:
        """Return the values for conversion to Python numbers: halves, or shadows if they decide."""
        if isinstance(BRANCHES.get(), ShadowBranches):
            return np.asarray(self.pair.high)
        self._count_if_rounded()
        return self.value

    def _count_if_rounded(self) -> None:
        """Count a lost shadow, unless it is equal to the value."""
        exact = np.asarray(self.pair.high) == np.asarray(self.value).astype(np.float64)
        if not (exact.all() and not np.any(self.pair.low)):
            count_lost_shadow()

    def __int__(self) -> int:
        return int(_decide(int(self.value), lambda: int(_round_to_integer(self, np.trunc))))

    def __round__(self, ndigits: int | None = None) -> object:
        if ndigits is not None:
            return np.round(self, ndigits)
        return _decide(round(self.value), lambda: int(_round_to_integer(self, np.rint)))

    def __repr__(self) -> str:
        return repr(self.value)

    def __str__(self) -> str:
        return str(self.value)

    def __format__(self, spec: str) -> str:
        return format(self.value, spec)

    def __array__(self, dtype: object = None, copy: object = None) -> NDArray[Any]:
        raise NoShadowError("it converts results to a plain array")

    # ------------------------------------------------------------ methods of arrays

    def __getattr__(self, name: str) -> Any:
        if name in _DECIDING_METHODS:
            return functools.partial(getattr(np, name), self)
        if name in _VALUE_ATTRIBUTES:
            return getattr(
                self._numbers_for_python() if name in _PYTHON_NUMBER_METHODS else self.value, name
            )
        if name in _STRUCTURAL_METHODS:
            return functools.partial(self._move, name)
        if name in _COMPUTING_METHODS:
            return functools.partial(getattr(np, name), self)
        raise _NoAttributeError(f"it uses .{name}, which does not support shadows")

    def _move(self, name: str, *args: object, **keywords: object) -> Shadow:
        def move(part: object) -> object:
            array = np.float64(part) if isinstance(part, float) else part
            return getattr(array, name)(*args, **keywords)

        value: Any = run_uncounted(move, self.value)
        return Shadow(value, Pair(move(self.pair.high), move(self.pair.low)))

    def __copy__(self) -> Shadow:
        return self._move("copy")

    def __deepcopy__(self, memo: object) -> Shadow:
        return self._move("copy")

    @property
    def T(self) -> Shadow:
        """The transposed array."""
        transposed: Shadow = self.transpose()
        return transposed

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

    def astype(self, dtype: DTypeLike, **_: object) -> object:
        """Return a copy as another type; conversions to integers and bools are choices."""
        if np.dtype(dtype).kind in "iu":
            whole: Any = run_uncounted(self.value.astype, np.dtype(dtype))
            return _decide(whole, lambda: _round_to_integer(self, np.trunc).astype(whole.dtype))
        if np.dtype(dtype).kind == "b":
            return _is_nonzero(self)
        copied = Pair(np.copy(self.pair.high), np.copy(self.pair.low))
        return with_shadow(run_uncounted(self.value.astype, np.dtype(dtype)), copied)

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
        value: Any = run_uncounted(getattr(ufunc, method), *map(plain, inputs), **keywords)
        if value is NotImplemented:
            return value
        if not _is_or_has_float(value):
            return _truths_of_ufunc(_name_of(ufunc), method, inputs, keywords, value)
        result = _shadows_of_ufunc(ufunc, method, inputs, keywords, value)
        (out,) = outs[:1]
        if out is None and where is True:
            return result
        if not isinstance(out, Shadow) or len(outs) > 1:
            raise NoShadowError("it writes to a plain array, or uses several outputs")
        out[...] = result if where is True else np.where(where, result, out)  # type: ignore[call-overload]
        return out

    def __array_function__(
        self,
        function: Callable[..., object],
        types: Iterable[type],
        args: tuple[object, ...],
        keywords: dict[str, object],
    ) -> object:
        if keywords.get("out") is not None:
            raise NoShadowError("it writes to a plain array")

        def call_on(part: Callable[[object], object]) -> object:
            named = {name: _map_nested(part, x) for name, x in keywords.items()}
            return function(*(_map_nested(part, x) for x in args), **named)

        value: Any = run_uncounted(call_on, plain)
        if not _is_or_has_float(value):
            return _decide_by_function(function, value, lambda: call_on(as_doubles), args, keywords)
        own = _PAIR_FUNCTIONS.get(function)
        pair = (
            None if own is None or keywords.keys() - _SUPPORTED_KEYWORDS else own(*args, **keywords)
        )
        if pair is not None:
            return with_shadow(value, pair)
        if getattr(function, "__name__", "") in STRUCTURAL:
            return _attach_shadows(value, call_on(_high_part), call_on(_low_part))
        return _attach_shadows(value, call_on(as_doubles), None)


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


@functools.lru_cache(64)
def _zeros(shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return a read-only second part for arrays that have none."""
    return np.broadcast_to(0.0, shape)


#: Attributes and methods of arrays that are taken from the value.
_VALUE_ATTRIBUTES = frozenset({
    "dtype", "shape", "ndim", "size", "itemsize", "nbytes", "item", "tolist", "flags",
    "is_integer", "strides",
})  # fmt: skip
#: Methods that choose among elements, as NumPy's functions of the same name do.
_DECIDING_METHODS = frozenset(
    {"any", "all", "argmax", "argmin", "argsort", "nonzero", "searchsorted"}
)
#: Those of _VALUE_ATTRIBUTES that return Python numbers.
_PYTHON_NUMBER_METHODS = ("item", "tolist")
#: Methods that compute, as NumPy's functions of the same name do.
_COMPUTING_METHODS = frozenset({
    "sum", "mean", "max", "min", "prod", "cumsum", "cumprod", "dot", "std", "var", "clip",
    "repeat", "take", "diagonal", "round", "trace", "compress",
})  # fmt: skip
_STRUCTURAL_METHODS = frozenset(
    {"reshape", "ravel", "flatten", "transpose", "squeeze", "swapaxes", "copy"}
)

#: NumPy's structural functions, which move elements and do not compute.
STRUCTURAL = (
    "reshape", "ravel", "transpose", "permute_dims", "matrix_transpose", "swapaxes", "moveaxis",
    "rollaxis", "squeeze", "expand_dims", "broadcast_to", "broadcast_arrays", "atleast_1d",
    "atleast_2d", "atleast_3d", "take", "take_along_axis", "repeat", "tile", "roll", "rot90",
    "flip", "fliplr", "flipud", "split", "array_split", "hsplit", "vsplit", "dsplit", "delete",
    "diagonal", "tril", "triu", "compress", "extract", "copy", "resize", "unstack", "concatenate",
    "stack", "hstack", "vstack", "dstack", "column_stack", "where", "full_like", "zeros_like",
    "ones_like", "sort",
)  # fmt: skip
#: Keywords that do not change the reference values, or are passed on.
_SUPPORTED_KEYWORDS = frozenset({"axis", "keepdims", "dtype", "casting", "order"})


# ---------------------------------------------------------------- operands


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
    if isinstance(x, _NUMBERS):
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
    return Shadow(value, pair) if _is_float(value) else value


def _is_or_has_float(value: object) -> bool:
    several = value if isinstance(value, tuple | list) else (value,)
    return any(map(_is_float, several))


def _map_nested(function: Callable[[object], object], x: object) -> object:
    """Apply a function to an object, or to the items of lists and tuples at any depth."""
    if type(x) is list or type(x) is tuple:
        return type(x)(_map_nested(function, item) for item in x)
    return function(x)


def is_half_type(x: object) -> bool:
    """Tell whether an object is the type or dtype half or float16."""
    is_type = isinstance(x, type | np.dtype)
    return is_type and np.dtype(x).type in (half, np.float16)  # type: ignore[call-overload]


def as_doubles(x: object) -> object:
    """Return an argument for a function that computes in doubles."""
    if isinstance(x, Shadow):
        return np.asarray(x.pair.high).astype(np.float64, copy=False)[()]
    if _is_float(x):
        return np.asarray(x).astype(np.float64)[()]
    if width_of(x) and isinstance(x, type) and is_half_type(np.dtype(x).base):
        return np.dtype((np.float64, np.dtype(x).shape))
    return np.float64 if is_half_type(x) else x


def _high_part(x: object) -> object:
    """Return the high part as an argument of a structural function, which may return a view."""
    return x.pair.high if isinstance(x, Shadow) else as_doubles(x)


def _low_part(x: object) -> object:
    """Return the low part as an argument of a structural function."""
    if isinstance(x, Shadow):
        return x.pair.low
    if isinstance(x, float) or _is_float(x):
        return np.zeros(np.shape(np.asarray(x)))[()]
    return as_doubles(x)


def _attach_shadows(value: object, high: object, low: object) -> object:
    """Return results with shadows, also inside a tuple or list."""
    if isinstance(value, tuple | list):
        highs: Any = high
        lows: Any = [None] * len(value) if low is None else low
        return type(value)(
            [_attach_shadows(*parts) for parts in zip(value, highs, lows, strict=True)]
        )
    result: Any = value
    return with_shadow(result, Pair(high, 0.0 if low is None else low))


# ---------------------------------------------------------------- NumPy's ufuncs

_MODES = ("_rte", "_rtz", "_rtp", "_rtn")
_VECTOR_UFUNCS = frozenset({"cross", "dot", "distance", "length", "normalize"})
_MATRIX_UFUNCS = ("matmul", "vecdot", "vecmat", "matvec")


def _name_of(ufunc: np.ufunc) -> str:
    """Return the name of a ufunc without its rounding mode."""
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
    if keywords.keys() - _SUPPORTED_KEYWORDS:
        raise NoShadowError(f"{name} does not support shadows with these arguments")
    if method == "__call__" and name in _BY_VALUE:
        return _attach_pairs(value, _BY_VALUE[name](inputs[: ufunc.nin], value))
    operands = [as_shadow(x).pair for x in inputs[: ufunc.nin]]
    if method == "__call__":
        return _attach_pairs(value, _compute_pairs(name, operands))
    known = dd.ARITHMETIC if method == "outer" else dd.JOINED
    if name not in known or isinstance(value, tuple) or method not in _UFUNC_METHODS:
        raise NoShadowError(f"{name}.{method} does not support shadows")
    return Shadow(value, _UFUNC_METHODS[method](name, *operands, keywords.get("axis", 0),
                                                    bool(keywords.get("keepdims"))))  # fmt: skip


def _step_to_neighbour(inputs: Sequence[object], value: Any) -> Pair:
    """Move the shadow as far as the function moves the half."""
    x = as_shadow(inputs[0])
    with np.errstate(all="ignore"):
        step = _doubles_of(value) - _doubles_of(x.value)
        moved = dd.add(x.pair, Pair(step, 0.0 * step))
    is_finite = np.isfinite(step)
    high = np.where(is_finite, moved.high, _doubles_of(value))
    return Pair(high, np.where(is_finite, moved.low, 0.0))


def _value_as_pair(inputs: Sequence[object], value: Any) -> Pair:
    """Return the half result itself, as an exact pair."""
    return dd.as_pair(_doubles_of(value))


def _significand(inputs: Sequence[object], value: Any) -> tuple[Pair, None]:
    """Return the significand that belongs to the exponent of the half."""
    x = as_shadow(inputs[0]).pair
    power = -np.asarray(value[1])
    return Pair(np.ldexp(x.high, power), np.ldexp(x.low, power)), None


def _is_beyond_edge(inputs: Sequence[object], value: Any) -> Pair:
    """Return 1 where the second argument is at least the first, else 0; NaN for NaN."""
    edge, x = inputs
    truths: Any = _compare("ge", _doubles_of(value) == 1, x, edge)
    return dd.as_pair(np.where(np.isnan(_doubles_of(value)), np.nan, truths))


def _doubles_of(x: object) -> NDArray[np.float64]:
    return np.asarray(x).astype(np.float64)


#: Functions whose shadows also depend on the half result.
_BY_VALUE: dict[str, Callable[[Sequence[object], Any], Pairs]] = {
    "nextup": _step_to_neighbour,
    "nextdown": _step_to_neighbour,
    "nextafter": _step_to_neighbour,
    "ulp": _value_as_pair,
    "spacing": _value_as_pair,
    "frexp": _significand,
    "step": _is_beyond_edge,
}


def _compute_pairs(name: str, operands: Sequence[Pair]) -> Pairs:
    compute = dd.UFUNCS.get(name)
    if name in _MATRIX_UFUNCS and hasattr(np, name):
        compute = dd.in_doubles(getattr(np, name))
    if compute is None:
        raise NoShadowError(f"{name} does not support shadows")
    if name in _MATRIX_UFUNCS or name in _VECTOR_UFUNCS:
        operands = list(map(dd.widen_high, operands))
    return compute(*operands)


def _attach_pairs(value: Value | tuple[Value, ...], pairs: Pairs) -> object:
    if isinstance(pairs, Pair):
        return Shadow(value, pairs) if not isinstance(value, tuple) else value
    values = value if isinstance(value, tuple) else (value,)
    return tuple(v if p is None else with_shadow(v, p) for v, p in zip(values, pairs, strict=True))


def _reduce(name: str, x: Pair, axis: object, keepdims: bool) -> Pair:
    """Reduce a pair along one axis after the other."""
    ndim = np.ndim(x.high)
    axes: Any = tuple(range(ndim)) if axis is None else axis
    numbers = {a % ndim for a in (axes if isinstance(axes, tuple) else (axes,))}
    for k in sorted(numbers, reverse=True):
        x = dd.reduce(name, x, k)
        if keepdims:
            x = dd.map_parts(x, functools.partial(np.expand_dims, axis=k))
    return x


def _accumulate(name: str, x: Pair, axis: object, keepdims: bool) -> Pair:
    number: Any = axis
    return dd.accumulate(name, x, number)


def _outer(name: str, x: Pair, y: Pair, axis: object, keepdims: bool) -> Pair:
    ones = (1,) * np.ndim(y.high)
    return dd.ARITHMETIC[name](dd.map_parts(x, lambda part: part.reshape((*part.shape, *ones))), y)


_UFUNC_METHODS: dict[str, Callable[..., Pair]] = {
    "reduce": _reduce,
    "accumulate": _accumulate,
    "outer": _outer,
}


# ---------------------------------------------------------------- decisions

#: Relative to 1 plus the numbers, shadows that differ by more than this decide comparisons.
_SURE_GAP, _SURE_GAP_OF_LARGE = 2.0**-40, 2.0**-18


def _gap(x: Pair, y: Pair) -> tuple[Doubles | float, dd.Truths]:
    """Return x - y, and whether its sign is sure: neither NaN nor small enough for rounding."""
    gap: Any = (x.high - y.high) + (x.low - y.low)
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
#: Comparisons by the names of ufuncs.
_COMPARING_UFUNCS = {
    "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge", "equal": "eq",
    "not_equal": "ne", "isless": "lt", "islessequal": "le", "isgreater": "gt",
    "isgreaterequal": "ge", "isequal": "eq", "isnotequal": "ne",
}  # fmt: skip
#: Functions that test one number for infinity or NaN.
_CLASSIFYING_UFUNCS: dict[str, Callable[[Doubles], Choice]] = {
    "isfinite": np.isfinite, "isinf": np.isinf, "isnan": np.isnan,
}  # fmt: skip


def _compare(name: str, value: Choice, x: object, y: object) -> Choice:
    """Decide a comparison; value is its result for halves."""
    if BRANCHES.get() is None or not (_is_number(x) and _is_number(y)):
        return value
    gap, is_sure = _gap(as_shadow(x).pair, as_shadow(y).pair)

    def by_shadows() -> Choice:
        truths = _as_vector_truths(value, _COMPARISONS[name](gap, 0))
        sure = _select_sure(is_sure, truths, value)
        return np.asarray(sure).view(type(value)) if isinstance(value, VectorBase) else sure

    return _decide(value, by_shadows)


def _is_nonzero(x: Shadow) -> Choice:
    """Decide which elements are not zero."""
    return _compare("ne", x.value != 0, x, 0)


def _is_number(x: object) -> bool:
    """Tell whether an operand can have a shadow."""
    if isinstance(x, np.ndarray | np.generic):
        return x.dtype.kind in "fiub"
    return isinstance(x, (Shadow, *_NUMBERS))


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


def _round_to_integer(x: Shadow, function: np.ufunc) -> NDArray[np.float64]:
    """Round the shadow to an integer; use the half where two integers are possible."""
    high = np.asarray(x.pair.high)
    bound = (_SURE_GAP_OF_LARGE if dd.is_large(high) else _SURE_GAP) * (1 + abs(high))
    low, high = function(high - bound), function(high + bound)
    by_halves: NDArray[np.float64] = function(np.asarray(x.value).astype(np.float64))
    return np.where(low == high, low, by_halves)


def _truths_of_ufunc(
    name: str, method: str, inputs: Sequence[object], keywords: dict[str, object], value: Choice
) -> Choice:
    if method != "__call__" or keywords or BRANCHES.get() is None:
        return value
    if name in _COMPARING_UFUNCS:
        return _compare(_COMPARING_UFUNCS[name], value, *inputs)
    if name in _CLASSIFYING_UFUNCS:
        high = as_shadow(inputs[0]).pair.high
        return _decide(value, lambda: _CLASSIFYING_UFUNCS[name](high))
    return value


#: NumPy's functions of the truths of elements.
_TRUTH_FUNCTIONS: tuple[Callable[..., object], ...] = (
    np.any,
    np.all,
    np.nonzero,
    np.flatnonzero,
    np.count_nonzero,
    np.argwhere,
)


def _decide_by_function(
    function: Callable[..., object],
    value: object,
    by_shadows: Callable[[], Any],
    args: tuple[object, ...],
    keywords: dict[str, object],
) -> object:
    """Decide results of NumPy's functions that are not floats: truths, indices, shapes."""
    if function in _TRUTH_FUNCTIONS and args and isinstance(args[0], Shadow):
        return function(_is_nonzero(args[0]), *args[1:], **keywords)
    if not isinstance(value, np.ndarray | np.generic | bool | int) or function is np.can_cast:
        return value
    return _decide(value, by_shadows)


# ---------------------------------------------------------------- NumPy's functions


def _reduction_along(name: str) -> Callable[..., Pair]:
    def reduce(x: object, axis: object = None, keepdims: bool = False, **_: object) -> Pair:
        return _reduce(name, as_shadow(x).pair, axis, keepdims)

    return reduce


def _mean(x: object, axis: object = None, **keywords: object) -> Pair:
    shadow = as_shadow(x)
    total = _reduction_along("add")(shadow, axis, **keywords)
    count = np.size(shadow.value) / max(np.size(total.high), 1)
    return dd.div(total, Pair(float(count), 0.0))


def _running(name: str) -> Callable[..., Pair]:
    def accumulate(x: object, axis: int | None = None, **_: object) -> Pair:
        shadow = as_shadow(x)
        pair = shadow.pair if axis is not None else dd.map_parts(shadow.pair, np.ravel)
        return dd.accumulate(name, pair, axis or 0)

    return accumulate


def _dot(x: object, y: object) -> Pair | None:
    """Return the dot product of one-dimensional arrays; None for others."""
    a, b = as_shadow(x), as_shadow(y)
    if np.ndim(a.value) != 1 or np.ndim(b.value) != 1:
        return None
    return dd.reduce("add", dd.mul(dd.widen_high(a.pair), dd.widen_high(b.pair)), 0)


#: Functions that compute in pairs; all others compute in doubles.
_PAIR_FUNCTIONS: dict[Callable[..., object], Callable[..., Pair | None]] = {
    np.sum: _reduction_along("add"),
    np.prod: _reduction_along("multiply"),
    np.max: _reduction_along("maximum"),
    np.min: _reduction_along("minimum"),
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
    """Add x + y, y + x and x += y to Shadow, with a fast path for numbers and shadows."""
    compute_pairs: Any = dd.UFUNCS[ufunc.__name__]

    def forward(self: Shadow, other: object) -> object:
        y = _operand(other)
        if y is None:
            return ufunc(self, other)
        return with_shadow(
            run_uncounted(compute, self.value, y.value), compute_pairs(self.pair, y.pair)
        )

    def backward(self: Shadow, other: object) -> object:
        y = _operand(other)
        if y is None:
            return ufunc(other, self)
        return with_shadow(
            run_uncounted(compute, y.value, self.value), compute_pairs(y.pair, self.pair)
        )

    def in_place(self: Shadow, other: object) -> object:
        if not isinstance(self.value, np.ndarray):
            return forward(self, other)
        return ufunc(self, other, out=(self,))

    for prefix, method in (("", forward), ("r", backward), ("i", in_place)):
        setattr(Shadow, f"__{prefix}{name}__", method)


def _add_comparison(name: str) -> None:
    compute: Callable[..., Choice] = getattr(operator, name)

    def compare(self: Shadow, other: object) -> object:
        return _compare(name, compute(self.value, plain(other)), self, other)

    setattr(Shadow, f"__{name}__", compare)


def _add_unary(
    name: str, compute: Callable[..., Value], compute_pair: Callable[[Pair], Pair]
) -> None:
    def method(self: Shadow) -> Shadow:
        return Shadow(run_uncounted(compute, self.value), compute_pair(self.pair))

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
