"""Stand-ins for half, NumPy, halfcl and their functions in a run with shadows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

import halfcl as hc
from halfcl._core import HALF_DTYPE, half
from halfcl._tables.types import WIDTHS
from halfcl.audit._results.exact import DOUBLES
from halfcl.stability._runs import is_half
from halfcl.stability._shadow._numbers.doubledouble import Pair
from halfcl.stability._shadow.branches import run_uncounted
from halfcl.stability._shadow.values import (
    Shadow,
    Value,
    as_doubles,
    as_shadow,
    as_vectors,
    has_shadow,
    is_half_type,
    plain,
    with_shadow,
)
from halfcl.vectors._registry import CLASSES, width_of


def _to_half(x: object = 0, *args: object, **keywords: object) -> Shadow:
    """Return half(x), whose shadow is the number x."""
    number: Any = x
    value: Any = run_uncounted(half, plain(x), *args, **keywords)
    is_text = isinstance(x, str | bytes)
    return Shadow(value, as_shadow(float(number) if is_text else x).pair)


class _Type(type):
    """Metaclass of stand-ins for types: a shadow is an instance of its value's type."""

    original: type

    def __instancecheck__(cls, x: object) -> bool:
        return isinstance(x.value if isinstance(x, Shadow) else x, cls.original)

    def __getattr__(cls, name: str) -> object:
        return getattr(cls.original, name)


class _HalfType(_Type):
    """Metaclass of the stand-in for half and float16, which may be called."""

    def __call__(cls, *args: object, **keywords: object) -> Shadow:
        return _to_half(*args, **keywords)


class _Half(metaclass=_HalfType):
    """Stand-in for half and NumPy's float16; NumPy reads its dtype."""

    original = half
    dtype = HALF_DTYPE


class _Array(metaclass=_Type):
    """Stand-in for NumPy's ndarray."""

    original = np.ndarray


def _wrap_creation(name: str) -> Callable[..., object]:
    """Return a stand-in for a NumPy function that creates arrays: arrays of half get shadows."""
    make: Callable[..., NDArray[Any]] = getattr(np, name)

    def create(*args: object, **keywords: object) -> object:
        value = run_uncounted(make, *map(plain, args), **{k: plain(x) for k, x in keywords.items()})
        if not is_half_type(value.dtype):
            return value
        wide = make(*map(as_doubles, args), **{k: as_doubles(x) for k, x in keywords.items()})
        return Shadow(value, Pair(wide, 0.0))

    return create


def _wrap_array(name: str) -> Callable[..., object]:
    """Return a stand-in for a NumPy function that makes an array of its argument."""
    make: Callable[..., NDArray[Any]] = getattr(np, name)

    def array(x: object, dtype: DTypeLike | None = None, **keywords: object) -> object:
        if not has_shadow(x):
            value = run_uncounted(make, x, dtype, **keywords)
            return _shadow_of_numbers(x, value) if is_half_type(value.dtype) else value
        if isinstance(x, Shadow) and dtype is None and name != "array":
            return x
        shadow = as_shadow(x)
        return shadow.astype(shadow.value.dtype if dtype is None else dtype)

    return array


def _shadow_of_numbers(x: object, value: NDArray[Any]) -> Shadow:
    """Return an array of halves whose shadow is the numbers that it was made of."""
    wide = np.asarray(x)
    is_alike = wide.dtype.kind in "fiub" and wide.shape == value.shape
    return Shadow(value, as_shadow(wide if is_alike else value).pair)


def _wrap_for_lists(name: str) -> Callable[..., object]:
    """Return a stand-in for a NumPy function, which would convert a list to a plain array."""
    function: Callable[..., object] = getattr(np, name)

    def call(x: object, *args: object, **keywords: object) -> object:
        is_list = isinstance(x, list | tuple) and has_shadow(x)
        return function(as_shadow(x) if is_list else x, *args, **keywords)

    return call


def _sum_of_products(x: object, y: object, **keywords: object) -> Shadow:
    total: Shadow = np.sum(np.multiply(x, y), **keywords)  # type: ignore[call-overload]
    return total


def _sum_of_squares(x: object, **keywords: object) -> Shadow:
    return _sum_of_products(x, x, **keywords)


def _norm(x: object, **keywords: object) -> object:
    return np.sqrt(_sum_of_squares(x, **keywords))


#: halfcl's reductions, and how NumPy computes them.
_REDUCTIONS: dict[str, Callable[..., Shadow]] = {
    name: getattr(np, name) for name in ("sum", "mean", "prod", "std", "var", "cumsum", "matmul")
} | {"norm": _norm, "sumsq": _sum_of_squares, "vdot": _sum_of_products}


def _wrap_reduction(name: str) -> Callable[..., object]:
    """Return a stand-in for one of halfcl's reductions."""
    function: Callable[..., Value] = getattr(hc, name)
    by_numpy = _REDUCTIONS[name]

    def reduction(*args: object, **keywords: object) -> object:
        value = run_uncounted(function, *map(plain, args), **keywords)
        if not has_shadow(args):
            return value
        for own_keyword in ("rounding", "exact"):
            keywords.pop(own_keyword, None)
        shadows = (as_shadow(x) if has_shadow(x) else x for x in args)
        return with_shadow(value, by_numpy(*shadows, **keywords).pair)

    return reduction


def _convert(x: object, dtype: object, *args: object, **keywords: object) -> object:
    target: Any = half if dtype is _Half else dtype
    value: Any = run_uncounted(hc.convert, plain(x), target, *args, **keywords)
    if not has_shadow(x) and not is_half_type(target):
        return value
    return with_shadow(value, as_shadow(x).pair)


def _wrap_from_integers(name: str) -> Callable[..., object]:
    """Return a stand-in for one of halfcl's functions that make halves from integers."""
    function: Callable[..., Value] = getattr(hc, name)
    in_doubles = DOUBLES.get(name)

    def call(*args: object, **keywords: object) -> object:
        value = run_uncounted(function, *args, **keywords)
        wide = value if in_doubles is None else in_doubles(*(np.asarray(x, float) for x in args))
        return Shadow(value, Pair(np.asarray(wide).astype(np.float64), 0.0))

    return call


def _select(a: object, b: object, c: object) -> object:
    """Stand in for `halfcl.select`: b where c is true, else a; no shadow decides."""
    value: Any = run_uncounted(hc.select, *map(plain, (a, b, c)))
    if not has_shadow([a, b]):
        return value
    # NumPy 2.0 casts the 1 of ones_like, which counts as a kernel.
    zeros, ones = np.zeros_like(value), run_uncounted(np.ones_like, value)
    is_b = np.asarray(run_uncounted(hc.select, zeros, ones, plain(c))) == 1
    parts = zip(as_shadow(a).pair, as_shadow(b).pair, strict=True)
    return Shadow(value, Pair(*(np.where(is_b, y, x) for x, y in parts)))


def _pairs_of_vectors(operands: Iterable[object]) -> Iterator[tuple[NDArray[Any], ...]]:
    """Yield the high parts of operands as vectors, then their low parts."""
    shadows = map(as_shadow, operands)
    return zip(*([as_vectors(part, x.value) for part in x.pair] for x in shadows), strict=True)


def _wrap_shuffle(name: str) -> Callable[..., object]:
    """Return a stand-in for one of halfcl's functions that select components by indices."""
    function: Callable[..., Any] = getattr(hc, name)

    def shuffle(*args: object) -> object:
        *vectors, mask = args
        value = run_uncounted(function, *map(plain, args))
        if not has_shadow(vectors):
            return value
        wide: Any = np.asarray(mask).astype(np.uint64)
        kind = CLASSES.get((wide.dtype, width_of(mask)))
        numbers = wide if kind is None else wide.view(kind)
        pairs = _pairs_of_vectors(vectors)
        return Shadow(value, Pair(*(np.asarray(function(*part, numbers)) for part in pairs)))

    return shuffle


class _VectorType(_Type):
    """Metaclass of stand-ins for vector types; calls build vectors from components."""

    def __call__(cls, *components: object) -> object:
        value = run_uncounted(cls.original, *map(plain, components))
        make: Any = CLASSES[np.dtype(np.float64), width_of(cls.original)]
        parts = _pairs_of_vectors(components)
        return Shadow(value, Pair(*(np.asarray(make(*part)) for part in parts)))


def _vector_stand_in(kind: type) -> object:
    """Return the stand-in for a vector type such as half2; NumPy reads its dtype."""
    return _VectorType(kind.__name__, (), {"original": kind, "dtype": np.dtype(kind)})


class _Module:
    """Stand-in for a module, in which some names are replaced."""

    def __init__(self, module: ModuleType, names: Mapping[str, object]) -> None:
        self._module, self._names = module, names

    def __getattr__(self, name: str) -> object:
        return self._names[name] if name in self._names else getattr(self._module, name)


_CREATION = ("zeros", "ones", "empty", "full", "arange", "linspace", "eye", "identity", "logspace",
           "geomspace")  # fmt: skip
_UFUNCS = ("absolute", "exp", "sqrt")
_LIST_FUNCTIONS = ("sum", "prod", "mean", "max", "min", "std", "var", "cumsum", "cumprod", "dot",
                   "sort", "median", *_UFUNCS)  # fmt: skip
_NUMPY_NAMES: dict[str, object] = {
    **{name: _wrap_creation(name) for name in _CREATION},
    **{name: _wrap_array(name) for name in ("array", "asarray", "asanyarray", "ascontiguousarray")},
    **{name: _wrap_for_lists(name) for name in _LIST_FUNCTIONS},
    "float16": _Half,
    "ndarray": _Array,
    "finfo": lambda kind: np.finfo(np.float16 if is_half_type(kind) or kind is _Half else kind),
}
_HALFCL_NAMES: dict[str, object] = {
    **{name: _wrap_reduction(name) for name in _REDUCTIONS},
    **{
        name: _wrap_from_integers(name)
        for name in ("nan", *(n for n in DOUBLES if n.startswith("from_")))
    },
    **{name: _wrap_shuffle(name) for name in ("shuffle", "shuffle2")},
    **{f"half{width}": _vector_stand_in(getattr(hc, f"half{width}")) for width in WIDTHS},
    "half": _Half,
    "convert": _convert,
    "select": _select,
}
#: Stand-ins, by the id of the object that they replace.
_STAND_INS: dict[int, object] = {
    id(half): _Half,
    id(np): _Module(np, _NUMPY_NAMES),
    id(hc): _Module(hc, _HALFCL_NAMES),
    **{id(getattr(np, name)): new for name, new in _NUMPY_NAMES.items() if name not in _UFUNCS},
    **{id(getattr(hc, name)): new for name, new in _HALFCL_NAMES.items()},
}


def _copy(x: object) -> object:
    return np.array(x, subok=bool(width_of(x))) if isinstance(x, np.ndarray) else x


class ShadowReplacer:
    """Replaces halves by shadows, also inside lists, tuples and dicts.

    The containers are new, so that the run does not write to the user's. Equal objects (by
    identity) get one replacement.
    """

    def __init__(self) -> None:
        self._seen: dict[int, tuple[object, object]] = {}

    def __call__(self, x: object) -> object:
        if id(x) in _STAND_INS:
            return _STAND_INS[id(x)]
        if id(x) not in self._seen:
            self._seen[id(x)] = x, self._replace(x)  # keep x alive, so that its id is unique
        return self._seen[id(x)][1]

    def _replace(self, x: object) -> object:
        if type(x) is list or type(x) is tuple:
            return type(x)(map(self, x))
        if type(x) is dict:
            return {name: self(item) for name, item in x.items()}
        if is_half(x) and (type(x) in (np.ndarray, np.memmap, half) or width_of(x)):
            return as_shadow(_copy(x))
        return x
