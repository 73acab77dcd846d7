"""A run of a function on halves with shadows, beside its run on plain ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

import halfcl as hc
from halfcl._core import HALF_DTYPE, Experiment, half, kernels_run
from halfcl._tables.types import WIDTHS
from halfcl.audit._results.exact import DOUBLES
from halfcl.stability import _doubledouble as dd
from halfcl.stability._doubledouble import Pair
from halfcl.stability._runs import Results, Task, is_half, same_but_nans
from halfcl.stability._shadow import (
    WAY,
    HalvesWay,
    LoopError,
    NoShadowError,
    Shadow,
    ShadowsWay,
    Value,
    as_shadow,
    as_vectors,
    aside,
    has_shadow,
    is_half_type,
    plain,
    wide_of,
    with_shadow,
)
from halfcl.stability._sites import Finder, Site, describe, site_of_error
from halfcl.stability._substitution import Substitution
from halfcl.vectors._registry import CLASSES, width_of

# ---------------------------------------------------------------- what stands for what code names


def _to_half(x: object = 0, *args: object, **keywords: object) -> Shadow:
    """half(x): the number that x is is its shadow."""
    number: Any = x
    value: Any = aside(half, plain(x), *args, **keywords)
    is_text = isinstance(x, str | bytes)
    return Shadow(value, as_shadow(float(number) if is_text else x).pair)


class _Type(type):
    """What types are where they are asked for: shadows are of the type of their values."""

    original: type

    def __instancecheck__(cls, x: object) -> bool:
        return isinstance(x.value if isinstance(x, Shadow) else x, cls.original)

    def __getattr__(cls, name: str) -> object:
        return getattr(cls.original, name)


class _HalfType(_Type):
    """What half and float16 are where they are called."""

    def __call__(cls, *args: object, **keywords: object) -> Shadow:
        return _to_half(*args, **keywords)


class _Half(metaclass=_HalfType):
    """Stands for half, and for NumPy's float16. NumPy reads its dtype."""

    original = half
    dtype = HALF_DTYPE


class _Array(metaclass=_Type):
    """Stands for NumPy's arrays."""

    original = np.ndarray


def _made(name: str) -> Callable[..., object]:
    """A function of NumPy's that makes arrays: those of half get shadows."""
    make: Callable[..., NDArray[Any]] = getattr(np, name)

    def made(*args: object, **keywords: object) -> object:
        value = aside(make, *map(plain, args), **{k: plain(x) for k, x in keywords.items()})
        if not is_half_type(value.dtype):
            return value
        wide = make(*map(wide_of, args), **{k: wide_of(x) for k, x in keywords.items()})
        return Shadow(value, Pair(wide, 0.0))

    return made


def _array(name: str) -> Callable[..., object]:
    """A function of NumPy's that makes an array of what it is given."""
    make: Callable[..., NDArray[Any]] = getattr(np, name)

    def array(x: object, dtype: DTypeLike | None = None, **keywords: object) -> object:
        if not has_shadow(x):
            value = aside(make, x, dtype, **keywords)
            return _of_numbers(x, value) if is_half_type(value.dtype) else value
        if isinstance(x, Shadow) and dtype is None and name != "array":
            return x
        found = as_shadow(x)
        return found.astype(found.value.dtype if dtype is None else dtype)

    return array


def _of_numbers(x: object, value: NDArray[Any]) -> Shadow:
    """An array of halves, whose shadow is the numbers that it was made of."""
    wide = np.asarray(x)
    is_alike = wide.dtype.kind in "fiub" and wide.shape == value.shape
    return Shadow(value, as_shadow(wide if is_alike else value).pair)


def _of_lists(name: str) -> Callable[..., object]:
    """One of NumPy's functions, which would make a plain array of a list."""
    function: Callable[..., object] = getattr(np, name)

    def of_lists(x: object, *args: object, **keywords: object) -> object:
        is_list = isinstance(x, list | tuple) and has_shadow(x)
        return function(as_shadow(x) if is_list else x, *args, **keywords)

    return of_lists


def _sum_of_products(x: object, y: object, **keywords: object) -> Shadow:
    found: Shadow = np.sum(np.multiply(x, y), **keywords)  # type: ignore[call-overload]
    return found


def _sum_of_squares(x: object, **keywords: object) -> Shadow:
    return _sum_of_products(x, x, **keywords)


def _norm(x: object, **keywords: object) -> object:
    return np.sqrt(_sum_of_squares(x, **keywords))


#: halfcl's reductions, as NumPy's operations.
_REDUCTIONS: dict[str, Callable[..., Shadow]] = {
    name: getattr(np, name) for name in ("sum", "mean", "prod", "std", "var", "cumsum", "matmul")
} | {"norm": _norm, "sumsq": _sum_of_squares, "vdot": _sum_of_products}


def _reduction(name: str) -> Callable[..., object]:
    """One of halfcl's reductions."""
    function: Callable[..., Value] = getattr(hc, name)
    of_numpy = _REDUCTIONS[name]

    def reduction(*args: object, **keywords: object) -> object:
        value = aside(function, *map(plain, args), **keywords)
        if not has_shadow(args):
            return value
        for of_halfcl in ("rounding", "exact"):
            keywords.pop(of_halfcl, None)
        shadows = (as_shadow(x) if has_shadow(x) else x for x in args)
        return with_shadow(value, of_numpy(*shadows, **keywords).pair)

    return reduction


def _convert(x: object, dtype: object, *args: object, **keywords: object) -> object:
    target: Any = half if dtype is _Half else dtype
    value: Any = aside(hc.convert, plain(x), target, *args, **keywords)
    if not has_shadow(x) and not is_half_type(target):
        return value
    return with_shadow(value, as_shadow(x).pair)


def _is_from_integers(name: str) -> bool:
    return name.startswith("from_")


def _of_integers(name: str) -> Callable[..., object]:
    """One of halfcl's functions that make halves of integers."""
    function: Callable[..., Value] = getattr(hc, name)
    in_doubles = DOUBLES.get(name)

    def of_integers(*args: object, **keywords: object) -> object:
        value = aside(function, *args, **keywords)
        wide = value if in_doubles is None else in_doubles(*(np.asarray(x, float) for x in args))
        return Shadow(value, Pair(np.asarray(wide).astype(np.float64), 0.0))

    return of_integers


def _select(a: object, b: object, c: object) -> object:
    """b where c says so, else a: which does not depend on what they are."""
    value: Any = aside(hc.select, *map(plain, (a, b, c)))
    if not has_shadow([a, b]):
        return value
    zeros, ones = np.zeros_like(value), aside(np.ones_like, value)  # NumPy 2.0 casts that 1
    is_b = np.asarray(aside(hc.select, zeros, ones, plain(c))) == 1
    parts = zip(as_shadow(a).pair, as_shadow(b).pair, strict=True)
    return Shadow(value, Pair(*(np.where(is_b, y, x) for x, y in parts)))


def _shuffle(name: str) -> Callable[..., object]:
    """One of halfcl's functions that take components by their numbers."""
    function: Callable[..., Any] = getattr(hc, name)

    def shuffle(*args: object) -> object:
        *vectors, mask = args
        value = aside(function, *map(plain, args))
        if not has_shadow(vectors):
            return value
        wide: Any = np.asarray(mask).astype(np.uint64)
        kind = CLASSES.get((wide.dtype, width_of(mask)))
        numbers = wide if kind is None else wide.view(kind)
        shadows = [as_shadow(x) for x in vectors]
        parts = zip(*([as_vectors(part, x.value) for part in x.pair] for x in shadows), strict=True)
        return Shadow(value, Pair(*(np.asarray(function(*part, numbers)) for part in parts)))

    return shuffle


class _VectorType(_Type):
    """What types of vectors are where they are called: they put numbers and vectors together."""

    def __call__(cls, *components: object) -> object:
        value = aside(cls.original, *map(plain, components))
        make: Any = CLASSES[np.dtype(np.float64), width_of(cls.original)]
        shadows = [as_shadow(x) for x in components]
        parts = zip(*([as_vectors(part, x.value) for part in x.pair] for x in shadows), strict=True)
        return Shadow(value, Pair(*(np.asarray(make(*part)) for part in parts)))


def _vectors(kind: type) -> object:
    """Stands for half2 and its kin. NumPy reads its dtype."""
    return _VectorType(kind.__name__, (), {"original": kind, "dtype": np.dtype(kind)})


class _Module:
    """Stands for a module: some of its names are others."""

    def __init__(self, module: ModuleType, names: Mapping[str, object]) -> None:
        self._module, self._names = module, names

    def __getattr__(self, name: str) -> object:
        return self._names[name] if name in self._names else getattr(self._module, name)


_MAKING = ("zeros", "ones", "empty", "full", "arange", "linspace", "eye", "identity", "logspace",
           "geomspace")  # fmt: skip
_UFUNCS = ("absolute", "exp", "sqrt")
_LISTING = ("sum", "prod", "mean", "max", "min", "std", "var", "cumsum", "cumprod", "dot", "sort",
            "median", *_UFUNCS)  # fmt: skip
_NUMPY_NAMES: dict[str, object] = {
    **{name: _made(name) for name in _MAKING},
    **{name: _array(name) for name in ("array", "asarray", "asanyarray", "ascontiguousarray")},
    **{name: _of_lists(name) for name in _LISTING},
    "float16": _Half,
    "ndarray": _Array,
    "finfo": lambda kind: np.finfo(np.float16 if is_half_type(kind) or kind is _Half else kind),
}
_HALFCL_NAMES: dict[str, object] = {
    **{name: _reduction(name) for name in _REDUCTIONS},
    **{
        name: _of_integers(name) for name in ("nan", *(n for n in DOUBLES if n.startswith("from_")))
    },
    **{name: _shuffle(name) for name in ("shuffle", "shuffle2")},
    **{f"half{width}": _vectors(getattr(hc, f"half{width}")) for width in WIDTHS},
    "half": _Half,
    "convert": _convert,
    "select": _select,
}
#: What stands for what, by its id.
_STAND_INS: dict[int, object] = {
    id(half): _Half,
    id(np): _Module(np, _NUMPY_NAMES),
    id(hc): _Module(hc, _HALFCL_NAMES),
    **{id(getattr(np, name)): new for name, new in _NUMPY_NAMES.items() if name not in _UFUNCS},
    **{id(getattr(hc, name)): new for name, new in _HALFCL_NAMES.items()},
}


def _copied(x: object) -> object:
    return np.array(x, subok=bool(width_of(x))) if isinstance(x, np.ndarray) else x


class _Replacing:
    """Shadows in place of halves, also in lists, tuples and dicts of them; other containers new,
    so that what the run puts into them is not seen. The same for the same array."""

    def __init__(self) -> None:
        self._seen: dict[int, tuple[object, object]] = {}

    def __call__(self, x: object) -> object:
        if id(x) in _STAND_INS:
            return _STAND_INS[id(x)]
        if id(x) not in self._seen:
            self._seen[id(x)] = x, self._replaced(x)  # x is kept, so that its id stays its own
        return self._seen[id(x)][1]

    def _replaced(self, x: object) -> object:
        if type(x) is list or type(x) is tuple:
            return type(x)(map(self, x))
        if type(x) is dict:
            return {name: self(item) for name, item in x.items()}
        if is_half(x) and (type(x) in (np.ndarray, np.memmap, half) or width_of(x)):
            return as_shadow(_copied(x))
        return x


# ---------------------------------------------------------------- the run


def _run(function: Callable[..., object], args: tuple[object, ...]) -> object:
    with np.errstate(all="ignore"):
        return function(*args)


RUNNER = _run.__code__


class Exact(NamedTuple):
    """What the results of a run should be.

    results: as doubles; None of what is not known. reason: why none is known, or not all that was
    computed is followed. whole: whether it is. parted: what shadows decide otherwise than the
    halves: by the site, how many elements of how many.
    """

    results: tuple[NDArray[np.float64] | None, ...]
    reason: str
    whole: bool
    parted: Mapping[Site, Sequence[int]] = {}


def nothing_known(results: Results, reason: str) -> Exact:
    """Of results that have no shadow."""
    return Exact((None,) * len(results), reason, False)


_IN_PART = "some of its steps take no shadow along"


def exact_results(task: Task, results: Results) -> Exact:
    """What the same operations give with hardly any rounding; or None of all, and why.

    First along the way of the halves, which repeats the run to nearest, bit for bit. Where a
    shadow would decide otherwise, once more along the shadows' way; but loops go as often.

    results: of the run to nearest.
    """
    _keep_freed_memory(results)
    found = _exact_results(task, results)
    if all(x is None or np.isfinite(x).all() for x in found.results):
        return found
    token = dd.NO_FLOATS.set(True)
    try:
        return _exact_results(task, results)
    finally:
        dd.NO_FLOATS.reset(token)


#: Bytes of a shadow's arrays that the process may keep.
_KEPT = 1 << 23


def _keep_freed_memory(results: Results) -> None:
    """Have the C library keep what large arrays are freed of, for the next ones.

    It would give it back to the system, and ask for it anew at each operation, which takes longer
    than to compute. glibc learns from the largest block that was freed; this one is never written
    to, and so no memory is taken.
    """
    if any(dd.is_large(x) for x in results):
        np.empty(_KEPT, np.uint8)


def _exact_results(task: Task, results: Results) -> Exact:
    count = kernels_run()
    way = HalvesWay(Finder(RUNNER))
    try:
        found = _shadowed(task, way)
        whole = kernels_run() == count
        along = Exact(_checked(found, results), "" if whole else _IN_PART, whole)
    except (Exception, SystemExit) as error:
        return nothing_known(results, _reason(task, error))
    return _along_the_shadows(task, along, way) if way.parted else along


def _along_the_shadows(task: Task, along: Exact, way: HalvesWay) -> Exact:
    """What the same code gives where shadows decide; if that is not known, as halves do."""
    try:
        found = _shadows_of(_with_loops_as_before(task, way))
        known = tuple(map(_known_in_both, along.results, found))
        return along._replace(results=known, parted=way.parted)
    except (Exception, SystemExit) as error:
        reason = f"{_OTHER_WAY}{_reason(task, error)}"
        return along._replace(reason=reason, whole=False, parted=way.parted)


_OTHER_WAY = "a comparison goes another way where nothing is rounded, and there is no such run: "
#: Loops whose ends are found one after the other.
_MOST_LOOPS = 8


def _with_loops_as_before(task: Task, way: HalvesWay) -> tuple[object, ...]:
    """The results of a run along the shadows' way, whose loops go as often as those of halves."""
    loops: list[Site] = []
    while True:
        shadows = ShadowsWay(way, loops)
        try:
            found = _shadowed(task, shadows)
            loop = shadows.ended_early()
            if loop is None:
                return found
        except LoopError as error:
            if error.site in loops or len(loops) == _MOST_LOOPS:
                raise
            loop = error.site
        loops.append(loop)


def _known_in_both(
    one: NDArray[np.float64] | None, other: NDArray[np.float64] | None
) -> NDArray[np.float64] | None:
    if one is not None and other is not None and one.shape != other.shape:
        raise NoShadowError("it gives another shape")
    return None if one is None else other


def _shadowed(task: Task, way: HalvesWay | ShadowsWay) -> tuple[object, ...]:
    """The results of a run with shadows."""
    replacing = _Replacing()
    function = Substitution(replacing, own_module=False).of_callable(task.function)
    args = tuple(map(replacing, task.args))
    token = WAY.set(way)
    try:
        found = Experiment("rte").call(_run, (function, args))
    finally:
        WAY.reset(token)
    return tuple(found) if isinstance(found, tuple | list) else (found,)


def _shadows_of(found: tuple[object, ...]) -> tuple[NDArray[np.float64] | None, ...]:
    pairs = [as_shadow(x).pair if isinstance(x, Shadow) else None for x in found]
    return tuple(None if p is None else np.asarray(p.high).astype(np.float64) for p in pairs)


def _checked(found: tuple[object, ...], results: Results) -> tuple[NDArray[np.float64] | None, ...]:
    """The shadows, if the run was the same."""
    if len(found) != len(results) or not all(map(same_but_nans, map(plain, found), results)):
        raise NoShadowError("run once more it gives something else")
    known = _shadows_of(found)
    if all(one is None for one in known):
        raise NoShadowError("its results have lost their shadow")
    return known


def _reason(task: Task, error: BaseException) -> str:
    site = site_of_error(error, RUNNER)
    where = "" if site is None else f" at {describe(site, task.name)}"
    kind = "" if isinstance(error, NoShadowError) else f"{type(error).__name__}: "
    return f"{kind}{(str(error).splitlines() or [''])[0]}{where}"
