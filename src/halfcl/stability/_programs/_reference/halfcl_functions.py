"""halfcl's functions in a reference run: computed in doubles, not rounded."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

import halfcl as hc
from halfcl._core import Function, half
from halfcl._settings.regions import SUFFIXES
from halfcl._tables.types import WIDTHS
from halfcl.audit._results.exact import DOUBLES
from halfcl.stability._programs._reference.probing import POWERS
from halfcl.stability._programs._reference.reading import Reader
from halfcl.stability._shadow._numbers import doubledouble as dd
from halfcl.vectors._registry import CLASSES, VectorBase

#: Numbers of the wide type.
Wide: TypeAlias = NDArray[np.floating[Any]] | np.floating[Any]

#: `numpy.sum`, with keywords as the program has them.
_sum: Callable[..., Wide] = np.sum

#: Keywords that only decide how a result is rounded.
_ROUNDING = ("rounding", "exact")


def _select(a: ArrayLike, b: ArrayLike, c: object) -> object:
    is_b = np.asarray(c) < 0 if isinstance(c, VectorBase) else np.asarray(c) != 0
    return np.where(is_b, b, a)


def _fract(x: Wide) -> tuple[object, object]:
    return x - np.floor(x), np.floor(x)


def _lgamma_sign(x: Wide) -> tuple[object, object]:
    is_negative = (np.asarray(x) < 0) & (np.floor(x) % 2 != 0)
    return DOUBLES["lgamma"](x), np.where(is_negative, -1, 1).astype(np.int32)


def _remquo(x: Wide, y: Wide) -> tuple[object, object]:
    """Return the remainder, and the low bits of the quotient with its sign."""
    remainder = cast("Wide", _by_pairs("remainder")(x, y))
    quotient = np.rint((x - remainder) / y)
    bits = np.where(np.isfinite(quotient), np.fmod(quotient, 128), 0)
    return remainder, bits.astype(np.int32)


def _norm(x: Wide, **keywords: object) -> object:
    return np.sqrt(_sum(np.square(x), **keywords))


def _sum_of_squares(x: Wide, **keywords: object) -> object:
    return _sum(np.square(x), **keywords)


def _sum_of_products(x: Wide, y: Wide, **keywords: object) -> object:
    return _sum(np.multiply(x, y), **keywords)


#: Functions whose table entries in doubles lack a result, or that have none.
_OWN: dict[str, Callable[..., object]] = {
    "fract": _fract, "lgamma_r": _lgamma_sign, "frexp": np.frexp, "select": _select,
    "remquo": lambda x, y: _remquo(x, y), "modf": np.modf,
    "isequal": np.equal, "isnotequal": np.not_equal, "isless": np.less,
    "islessequal": np.less_equal, "isgreater": np.greater, "isgreaterequal": np.greater_equal,
    "isfinite": np.isfinite, "isinf": np.isinf, "isnan": np.isnan, "signbit": np.signbit,
    "islessgreater": lambda x, y: (x < y) | (x > y),
    "isordered": lambda x, y: ~(np.isnan(x) | np.isnan(y)),
    "isunordered": lambda x, y: np.isnan(x) | np.isnan(y),
    "step": lambda edge, x: np.where(np.asarray(x) < edge, 0.0, 1.0),
    "ilogb": lambda x: np.frexp(x)[1] - 1,
    "nan": lambda code: np.asarray(code) * np.nan,
    **{name: getattr(np, name) for name in (
        "sum", "mean", "prod", "std", "var", "cumsum", "matmul"
    )},
    "norm": _norm, "sumsq": _sum_of_squares, "vdot": _sum_of_products,
}  # fmt: skip


#: Functions that also take doubles, and give no halves then.
_TAKE_DOUBLES = ("shuffle", "shuffle2", "vec_step", "watch")
_TAKE_DOUBLES_BY_RULE = ("vload", "vstore")


def _by_pairs(name: str) -> Callable[..., object]:
    """Return a function in doubles by the one in pairs of doubles."""
    compute = dd.UFUNCS[name]

    def call(*operands: object) -> object:
        pairs = compute(*map(dd.as_pair, operands))
        if isinstance(pairs, dd.Pair):
            return pairs.high
        return tuple(p.high if isinstance(p, dd.Pair) else p for p in pairs)

    return call


def _in_doubles(name: str) -> Callable[..., object] | None:
    """Return one of halfcl's functions in doubles; None if there is none."""
    if name in _OWN:
        return _OWN[name]
    if name in DOUBLES:
        return DOUBLES[name]
    return _by_pairs(name) if name in dd.UFUNCS else None


class WideFunction:
    """One of halfcl's functions, computed in doubles; it has the attributes of a `Function`."""

    def __init__(self, name: str, original: object, compute: Callable[..., object], reader: Reader):
        self.__name__, self._original = name, original
        self._compute, self._reader = compute, reader
        self.rte = self.rtz = self.rtp = self.rtn = self

    def __call__(
        self, *args: object, out: object = None, where: object = True, **keywords: object
    ) -> object:
        """Return the result in doubles; keywords about rounding do nothing."""
        for name in (*_ROUNDING, "casting", "order", "subok"):
            keywords.pop(name, None)
        if self.__name__ in hc.__all__ and where is not True and self.__name__ in _REDUCING:
            keywords["where"], where = where, True
        with np.errstate(all="ignore"):
            result = self._compute(*map(self._as_wide, args), **keywords)
        if out is None:
            return self._finish(result)
        for target, part in zip(*map(_as_tuple, (out, result)), strict=False):
            np.copyto(target, part, casting="unsafe", where=where)
        return out

    def _as_wide(self, x: object) -> object:
        """Return an argument as wide numbers; integers of arrays stay integers."""
        if isinstance(x, list | tuple):
            x = np.asarray(x)
        wide = self._reader.widen(x)
        if isinstance(wide, bool | int | float):
            return self._reader.wide(wide) if self._takes_only_halves() else wide
        if (
            isinstance(wide, np.ndarray | np.generic)
            and wide.dtype.kind in "bu"
            and wide.itemsize == 1
        ):
            return wide.astype(self._reader.wide)
        return wide

    def _takes_only_halves(self) -> bool:
        return self.__name__ not in ("pown", "rootn", "ldexp", "compoundn", "select", "nan")

    def _finish(self, result: object) -> object:
        if isinstance(result, tuple):
            return tuple(map(self._finish, result))
        return result[()] if isinstance(result, np.ndarray) and not result.ndim else result

    def reduce(self, x: object, *args: object, **keywords: object) -> object:
        """Reduce an array by the function."""
        return self._by_ufunc("reduce", x, *args, **keywords)

    def accumulate(self, x: object, *args: object, **keywords: object) -> object:
        """Return the partial results of a reduction."""
        return self._by_ufunc("accumulate", x, *args, **keywords)

    def outer(self, x: object, y: object, **keywords: object) -> object:
        """Return the function of all pairs of elements."""
        return self._by_ufunc("outer", x, y, **keywords)

    def at(self, x: object, *args: object) -> None:
        """Apply the function to elements of an array, in place."""
        self._by_ufunc("at", x, *args)

    def _by_ufunc(self, method: str, *args: object, **keywords: object) -> object:
        keywords.pop("rounding", None)
        ufunc = self._compute if isinstance(self._compute, np.ufunc) else None
        ufunc = ufunc or getattr(np, self.__name__, None)
        if not isinstance(ufunc, np.ufunc):
            raise TypeError(f"{self.__name__}.{method}: not followed in doubles")
        return getattr(ufunc, method)(*map(self._reader.widen, args), **keywords)

    def __getattr__(self, name: str) -> object:
        return getattr(self._original, name)


_REDUCING = ("sum", "mean", "prod", "std", "var", "norm", "sumsq", "vdot")


def _as_tuple(x: object) -> tuple[object, ...]:
    return x if isinstance(x, tuple) else (x,)


def _without_suffix(name: str) -> str:
    """Return the name of a function without the rounding mode at its end."""
    return name[:-4] if name.endswith(SUFFIXES) else name


def rounding_call(
    name: str, function: Callable[..., object], reader: Reader
) -> Callable[..., object]:
    """Return a function that computes on halves, rounded from wide numbers, which is recorded."""
    stem = _without_suffix(name.rpartition(".")[2])

    @functools.wraps(function)
    def call(*args: object, **keywords: object) -> object:
        if not (reader.is_wide(args) or reader.is_wide(tuple(keywords.values()))):
            return reader.widen(function(*args, **keywords))
        is_moved = stem in POWERS
        note = reader.leaks.note_numbers if is_moved else reader.leaks.note
        note(f"{name} needs halves")
        narrow = [reader.to_halves(x) for x in args]
        copies = [x.copy() if isinstance(x, np.ndarray) else x for x in narrow]
        others = {key: reader.to_halves(x) for key, x in keywords.items()}
        with reader.leaks.ignore_roundings():
            result = reader.widen(function(*narrow, **others))
        result = reader.move(result, stem) if is_moved else result
        for original, before, after in zip(args, copies, narrow, strict=True):
            if after is original or not isinstance(original, np.ndarray):
                continue
            if isinstance(before, np.ndarray) and isinstance(after, np.ndarray):
                changed = before.view(np.uint16) != after.view(np.uint16)
                original[changed] = after[changed]
        return result

    return call


def _convert(reader: Reader) -> Callable[..., object]:
    def convert(
        x: object, dtype: DTypeLike | None = None, *args: object, **keywords: object
    ) -> object:
        if dtype is None or np.dtype(dtype) == np.dtype(reader.half):
            return np.asarray(reader.widen(x)).astype(reader.wide)[()]
        return hc_convert(x, dtype, *args, **keywords)

    hc_convert: Callable[..., object] = hc.convert
    return convert


def _widen_only(reader: Reader) -> Callable[..., object]:
    def convert_half(x: object, *_: object, **__: object) -> object:
        return np.asanyarray(reader.widen(x)).astype(reader.wide)[()]

    return convert_half


def replace(name: str, value: object, reader: Reader) -> object:
    """Return what replaces one of halfcl's public names in a reference run."""
    stem = _without_suffix(name)
    if isinstance(value, half):  # constants
        return reader.widen(value)
    if value is half:
        return reader.half
    if isinstance(value, type) and issubclass(value, VectorBase):
        return _wide_vector(value)
    if stem == "finfo":
        stand_in: Any = reader.half
        return lambda: np.finfo(stand_in)
    if stem == "convert":
        return _convert(reader)
    if stem.startswith("convert_half"):
        return _widen_only(reader)
    is_ufunc = isinstance(value, Function | np.ufunc)
    if (is_ufunc or stem in _OWN) and (compute := _in_doubles(stem)) is not None:
        return WideFunction(stem, value, compute, reader)
    is_plain = stem in _TAKE_DOUBLES or stem.startswith(("convert_", *_TAKE_DOUBLES_BY_RULE))
    if not callable(value) or isinstance(value, type) or (is_plain and "half" not in stem):
        return value
    if is_ufunc or stem in _NEED_HALVES or "half" in stem:
        return rounding_call(f"halfcl.{name}", value, reader)
    return value


#: Other functions that compute with halves.
_NEED_HALVES = (
    "ulp_error", "ulps_between", "resample", "read_imagef", "read_imageh", "read_imagei",
    "read_imageui", "write_imagef", "write_imageh", "write_imagei", "write_imageui", "to_struct",
    "from_struct", "parse",
)  # fmt: skip


def _wide_vector(kind: type) -> object:
    """Return the vector type of doubles for one of halves."""
    for width in WIDTHS:
        if kind is CLASSES.get((np.dtype(half), width)):
            return CLASSES[np.dtype(np.float64), width]
    return kind


def replaced_names(reader: Reader) -> Iterator[tuple[str, object]]:
    """Yield halfcl's names with what replaces them."""
    for name, value in list(vars(hc).items()):
        if not name.startswith("_") and (new := replace(name, value, reader)) is not value:
            yield name, new


def replace_late(reader: Reader, keep: Callable[[str], None]) -> Callable[[str], object]:
    """Return a replacement for halfcl's `__getattr__`, which makes names on first use.

    keep: is called with each name that it replaces.
    """
    make: Callable[[str], object] = vars(hc)["__getattr__"]

    def get(name: str) -> object:
        value = make(name)
        new = replace(name, value, reader)
        if new is not value:
            keep(name)
            vars(hc)[name] = new
        return new

    return get
