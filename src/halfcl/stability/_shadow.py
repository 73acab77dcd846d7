"""Numbers with shadows: results as plain code has them, and beside them what they should be.

A shadow is what the same operations give if hardly anything is rounded: in `_doubledouble`, some
functions in doubles. Comparisons are those of the results, so that the same branches are taken.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from halfcl._core import forget_kernels_since, half, kernels_run
from halfcl.stability import _doubledouble as dd
from halfcl.stability._doubledouble import Pair, Pairs

_T = TypeVar("_T")
#: What plain code has: halves or wider, or numbers of Python's.
Value: TypeAlias = NDArray[Any] | np.generic | float


class NoShadowError(Exception):
    """Why a run has no shadow."""


def aside(function: Callable[..., _T], *args: object, **keywords: object) -> _T:
    """What plain code computes, beside which a shadow is computed: its kernels are not counted.

    Those that are counted at the end have rounded what no shadow follows.
    """
    count = kernels_run()
    found = function(*args, **keywords)
    forget_kernels_since(count)
    return found


def count_as_lost() -> None:
    """Have a value that leaves its shadow counted, as if a kernel had given it."""
    forget_kernels_since(kernels_run() + 1)


_OF_NUMPY = (np.ndarray, np.generic)
_NUMBERS = (float, int)  # as tuples, which isinstance looks through fastest


def _is_float(x: object) -> bool:
    return type(x) is half or (isinstance(x, _OF_NUMPY) and x.dtype.kind == "f")


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

    def __init__(self, value: Value, pair: Pair) -> None:
        self.value, self.pair = value, pair
        high, low = pair
        if type(value) is half and type(high) is type(low) is float:
            return
        if isinstance(value, np.ndarray):
            high = _of_shape(high, value.shape)
            is_pair = not dd.is_large(value)
            low = (_of_shape if is_pair else np.broadcast_to)(low if is_pair else 0.0, value.shape)
            self.pair = Pair(high, low)
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
        return bool(self.value)

    def __float__(self) -> float:
        self._lose()
        return float(self.value)

    def _lose(self) -> None:
        """Its value is taken without the shadow: which matters unless they are the same."""
        exact = np.asarray(self.pair.high) == np.asarray(self.value).astype(np.float64)
        if not (exact.all() and not np.any(self.pair.low)):
            count_as_lost()

    def __int__(self) -> int:
        return int(self.value)

    def __round__(self, ndigits: int | None = None) -> object:
        return round(self.value) if ndigits is None else np.round(self, ndigits)

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
        if name in _OF_VALUE:
            if name in _LOSING:
                self._lose()
            return getattr(self.value, name)
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

    def view(self, kind: object) -> Shadow:
        """As half or float16, which are the same numbers."""
        if not is_half_type(kind):
            raise NoShadowError("it looks at halves as something else")
        return self

    def astype(self, dtype: DTypeLike, **_: object) -> object:
        """As of an array."""
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
        if value is NotImplemented or not _is_or_has_float(value):
            return value
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
            return value
        own = _OWN.get(function)
        pair = None if own is None or keywords.keys() - _KNOWN else own(*args, **keywords)
        if pair is not None:
            return with_shadow(value, pair)
        is_moving = getattr(function, "__name__", "") in MOVING
        return _joined(value, of_parts(wide_of), of_parts(_low) if is_moving else None)


def _of_shape(part: object, shape: tuple[int, ...]) -> NDArray[np.float64]:
    if isinstance(part, np.ndarray) and part.shape == shape:
        return part
    return np.array(np.broadcast_to(np.asarray(part), shape), np.float64)


#: Of arrays: what tells of the value.
_OF_VALUE = frozenset({
    "dtype", "shape", "ndim", "size", "itemsize", "nbytes", "item", "tolist", "any", "all",
    "argmax", "argmin", "argsort", "nonzero", "searchsorted", "flags", "is_integer", "strides",
})  # fmt: skip
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
        return x.pair.high
    if _is_float(x):
        return np.asarray(x).astype(np.float64)[()]
    return np.float64 if is_half_type(x) else x


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
_OF_MATRICES = ("matmul", "vecdot", "vecmat", "matvec")


def _shadows_of_ufunc(
    ufunc: np.ufunc,
    method: str,
    inputs: Sequence[object],
    keywords: dict[str, object],
    value: Value | tuple[Value, ...],
) -> object:
    name = ufunc.__name__
    name = name[:-4] if name.endswith(_MODES) else name
    if keywords.keys() - _KNOWN:
        raise NoShadowError(f"{name} has no shadow with such arguments")
    operands = [as_shadow(x).pair for x in inputs[: ufunc.nin]]
    if method == "__call__":
        return _results(value, _computed(name, operands))
    known = dd.ARITHMETIC if method == "outer" else dd.JOINED
    if name not in known or isinstance(value, tuple) or method not in _METHODS_OF_UFUNCS:
        raise NoShadowError(f"{name}.{method} has no shadow")
    return Shadow(value, _METHODS_OF_UFUNCS[method](name, *operands, keywords.get("axis", 0),
                                                    bool(keywords.get("keepdims"))))  # fmt: skip


def _computed(name: str, operands: Sequence[Pair]) -> Pairs:
    compute = dd.UFUNCS.get(name)
    if name in _OF_MATRICES and hasattr(np, name):
        compute = dd.in_doubles(getattr(np, name))
    if compute is None:
        raise NoShadowError(f"{name} has no shadow")
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
    return dd.reduced("add", dd.mul(a.pair, b.pair), 0)


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
    compute: Callable[..., object] = getattr(operator, name)

    def compared(self: Shadow, other: object) -> object:
        return compute(self.value, plain(other))

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
