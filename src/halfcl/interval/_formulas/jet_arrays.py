"""Arrays of jets: vectors as arguments of formulas, and what NumPy makes of them."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import NDArray

from halfcl._support.duck_arrays.base import Args, Axes, Function, Keywords
from halfcl._support.duck_arrays.structural import STRUCTURAL
from halfcl.interval._arrays.interval import Interval
from halfcl.interval._arrays.methods import NUMPY
from halfcl.interval._arrays.ufuncs import name_of
from halfcl.interval._arrays.values import as_bounds, axes_of
from halfcl.interval._bounds.pairs import Base, Tracer
from halfcl.interval._decorated.array import DecoratedInterval
from halfcl.interval._formulas.jets import (
    OF_ARRAYS,
    RULES,
    Jet,
    apply_rule,
    constant,
    has_axes,
    refuse,
    refuse_axes,
    total,
)
from halfcl.interval._formulas.removable import current_run

#: Arrays whose elements are jets, or numbers that become jets when one meets them.
Objects: TypeAlias = NDArray[np.object_]


class VectorArgument:
    """An argument of a formula that is a vector: see `vector`."""

    __slots__ = ("box",)

    def __init__(self, box: Interval | DecoratedInterval) -> None:
        self.box = box

    def components(self) -> list[Interval | DecoratedInterval]:
        """Return the boxes of each component."""
        return [self.box[..., i] for i in range(self.box.shape[-1])]

    def __repr__(self) -> str:
        return f"vector({self.box!r})"


def vector(x: object) -> VectorArgument:
    """Return an argument of a formula that is a vector, as `range_of` and the like expect it.

    Parameters
    ----------
    x : Interval or DecoratedInterval
        Of shape (..., n): the last axis holds the n components. Other axes are several boxes, as
        for arguments that are numbers.

    Returns
    -------
    VectorArgument
        To be used as ``x`` of `mean_value`, `taylor`, `range_of`, `roots` and `solve`, or as an
        item of the tuple. The formula gets an array of shape (n,), with which it may do what it
        does with an array of numbers: ``v @ v``, ``v.sum()``, ``v[1:]``, ``np.linalg.norm(v)``.

    Raises
    ------
    TypeError
        If x is not an interval, or array of halves.
    ValueError
        If x has no axis, or no components.

    Notes
    -----
    Without it, each element of an array is a separate box. The formula computes with one element
    at a time, so a formula of n components costs about as much as one of n arguments.

    Accuracy: exact.
    Source: beside the standard.

    Examples
    --------
    >>> import numpy as np
    >>> from halfcl import interval
    >>> from halfcl.interval import Interval
    >>> def f(v):
    ...     return np.sum(v * v) - v[0]
    >>> interval.range_of(f, interval.vector(Interval([0, 0, 0], 1)))
    Interval('[-0.25, 2]')
    >>> interval.range_of(lambda v, s: s * v.max(), (interval.vector(Interval([0, 1], 2)), 3))
    Interval('[3, 6]')
    """
    if isinstance(x, VectorArgument):
        return x
    box = x if isinstance(x, DecoratedInterval) else Interval.of(as_bounds(x, "vector: x"))
    if not box.ndim or not box.shape[-1]:
        raise ValueError(
            f"vector: x: expected an array of at least one component, got shape {box.shape}"
        )
    return VectorArgument(box)


# ---------------------------------------------------------------- arrays of objects


def as_objects(x: object) -> Objects:
    """Return an operand as an array of jets and numbers; intervals become their elements."""
    if isinstance(x, np.ndarray):
        return x.view(np.ndarray).astype(object, copy=False)
    if isinstance(x, list | tuple):
        return _stack([as_objects(item) for item in x])
    if isinstance(x, Base) and x._lo.ndim:
        boxes: Any = x
        return _fill(x._lo.shape, (boxes[place] for place in np.ndindex(x._lo.shape)))
    return _fill((), [x])


def _fill(shape: tuple[int, ...], items: Iterable[object]) -> Objects:
    """Return an array with these elements; NumPy would look for sequences in them."""
    array = np.empty(shape, object)
    for place, item in zip(np.ndindex(shape), items, strict=True):
        array[place] = item
    return array


def _stack(arrays: Sequence[Objects]) -> Objects:
    if not arrays:
        return np.empty(0, object)
    return np.stack(arrays)


class JetArray(np.ndarray[Any, np.dtype[np.object_]], Tracer):
    """An array of jets, one for each element, as NumPy's functions accept it."""

    @classmethod
    def of(cls, jets: Objects) -> JetArray:
        """Return jets as such an array; numbers among them become jets."""
        _note_arrays()
        for place in np.ndindex(jets.shape):
            if not isinstance(jets[place], Jet):
                jets[place] = constant(0 if jets[place] is None else jets[place])
        return jets.view(cls)

    # ------------------------------------------------------------ elements

    def __getitem__(self, index: Any) -> Any:
        item = super().__getitem__(index)
        return item.copy() if isinstance(item, Jet) else item  # ``x += 1`` must not change self

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __setitem__(self, index: Any, value: object) -> None:
        target = self.view(np.ndarray)
        items = as_objects(value)
        items = _fill(items.shape, (_as_jet(items[place]) for place in np.ndindex(items.shape)))
        is_single = isinstance(target[index], Jet) and items.size == 1
        target[index] = items.ravel()[0] if is_single else items

    # ------------------------------------------------------------ NumPy's protocols

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: object, **keywords: Any
    ) -> object:
        return _call_ufunc(ufunc, method, inputs, keywords, keywords.pop("out", ()))

    def __array_function__(
        self, func: Function, types: Iterable[type], args: Any, kwargs: Any
    ) -> object:
        return _call_function(func, args, kwargs)

    def _apply_function(self, name: str, args: tuple[object, ...]) -> object:
        return apply_rule(name, args)

    def _apply_array_function(self, name: str, args: Args, keywords: Keywords) -> object:
        return _call_named(name, args, keywords)

    def __contains__(self, value: object) -> bool:
        refuse("in")

    def __bool__(self) -> bool:
        refuse("bool")


def _note_arrays() -> None:
    """Record that the formula makes arrays of its arguments, which boxes of intervals cannot be."""
    if (run := current_run()) is not None:
        run.has_arrays = True


def _as_array(x: Jet) -> Objects:
    _note_arrays()
    return _fill((), [x])


def _refuse_method(name: str) -> Callable[..., object]:
    return lambda self, *args, **keywords: refuse(name)


def _as_jet(x: object) -> Jet:
    return x if isinstance(x, Jet) else constant(x)


def wrap(result: object) -> object:
    """Return what NumPy's functions returned as jets and arrays of jets."""
    if isinstance(result, list | tuple):
        return type(result)(map(wrap, result))
    if not isinstance(result, np.ndarray) or result.dtype != object:
        return result
    return JetArray.of(result.view(np.ndarray)) if result.ndim else _as_jet(result[()])


# ---------------------------------------------------------------- ufuncs


def _apply_to_elements(name: str, inputs: Sequence[object]) -> object:
    """Apply an operation to the elements of arrays, which broadcast."""
    arrays = [as_objects(x) for x in inputs]

    def rule(*elements: object) -> object:
        return apply_rule(name, elements)

    count = 2 if name == "sincos" else 1
    return wrap(np.frompyfunc(rule, len(arrays), count)(*arrays))


def _call_ufunc(ufunc: np.ufunc, method: str, inputs: Args, keywords: Keywords, outs: Any) -> Any:
    name = name_of(ufunc)
    full_name = name if method == "__call__" else f"{name}.{method}"
    if method == "__call__":
        own = _VECTOR_UFUNCS.get(name)
        if ufunc.signature and own is None:
            refuse(name)
        if ufunc.signature and not any(map(has_axes, inputs)):
            refuse_axes(name)
        _check_keywords(name, keywords)
        result = own(*inputs) if own else apply_rule(name, inputs)
    elif method in _METHODS and ufunc.nin == 2 and not ufunc.signature and name in RULES:
        result = _METHODS[method](ufunc, name, *inputs, **keywords)
    else:
        refuse(full_name)
    return _write(full_name, result, outs) if any(out is not None for out in outs) else result


def _write(name: str, result: Any, outs: Sequence[object]) -> object:
    """Write results to the arrays in ``out``, and return these."""
    results = result if isinstance(result, tuple) else (result,)
    for out, value in zip(outs, results, strict=True):
        if not isinstance(out, JetArray | Jet | None):
            raise TypeError(f"f: {name}: out: expected an argument of f, got {type(out).__name__}")
        if out is not None and out.shape != value.shape:
            raise ValueError(f"f: {name}: out: expected shape {value.shape}, got {out.shape}")
    for out, value in zip(outs, results, strict=True):
        if isinstance(out, JetArray):
            out[...] = value
        elif isinstance(out, Jet):
            out._become(value)
    final = tuple(v if out is None else out for out, v in zip(outs, results, strict=True))
    return final if isinstance(result, tuple) else final[0]


_DEFAULTS: Keywords = {"where": True, "subok": True, "dtype": object, "casting": "same_kind"}


def _check_keywords(name: str, keywords: Keywords) -> None:
    """Raise TypeError for keywords with an effect."""
    for keyword, value in keywords.items():
        is_default = value is None or value is np._NoValue or value == _DEFAULTS.get(keyword)
        if not is_default:
            refuse(f"{name}, {keyword}=")


def _reduce(
    ufunc: np.ufunc,
    name: str,
    x: object,
    axis: Axes = 0,
    keepdims: bool = False,
    initial: object = np._NoValue,
    **others: object,
) -> Any:
    """Return numpy.ufunc.reduce along axes."""
    _check_keywords(f"{name}.reduce", others)
    items = as_objects(x)
    if not items.ndim:
        refuse_axes(f"{name}.reduce")
    axes = axes_of(axis, items.ndim)
    rest = tuple(n for i, n in enumerate(items.shape) if i not in axes)
    moved = np.moveaxis(items, axes, range(-len(axes), 0)) if axes else items
    lines = moved.reshape(*rest, math.prod(items.shape[i] for i in axes))
    first = [] if initial is np._NoValue or initial is None else [initial]
    result = _fill(
        rest, (_fold(ufunc, name, [*first, *lines[place]]) for place in np.ndindex(rest))
    )
    if keepdims:
        result = result.reshape([1 if i in axes else n for i, n in enumerate(items.shape)])
    return wrap(result)


def _fold(ufunc: np.ufunc, name: str, items: Sequence[object]) -> Jet:
    """Return the reduction of a line of elements."""
    if not items and ufunc.identity is None:
        raise ValueError(f"f: {name}.reduce: expected at least one element, got none")
    if name == "add":
        return total([_as_jet(x) for x in items])
    if not items:
        return constant(ufunc.identity)
    return _as_jet(functools.reduce(lambda x, y: apply_rule(name, (x, y)), items))


def _accumulate(
    ufunc: np.ufunc, name: str, x: object, axis: SupportsIndex = 0, **others: object
) -> object:
    _check_keywords(f"{name}.accumulate", others)
    function = np.frompyfunc(lambda x, y: apply_rule(name, (x, y)), 2, 1)
    return wrap(function.accumulate(as_objects(x), axis=axis))


def _outer(ufunc: np.ufunc, name: str, x: object, y: object, **others: object) -> object:
    _check_keywords(f"{name}.outer", others)
    first, second = as_objects(x), as_objects(y)
    return apply_rule(name, (first.reshape(first.shape + (1,) * second.ndim), second))


_METHODS: dict[str, Callable[..., object]] = {
    "reduce": _reduce, "accumulate": _accumulate, "outer": _outer,
}  # fmt: skip


def _product(function: Callable[..., object]) -> Callable[..., object]:
    """Return NumPy's product of arrays of objects, which uses their own products and sums."""

    def product(*inputs: object) -> object:
        return wrap(np.asarray(function(*map(as_objects, inputs)), object))

    return product


def _sum(x: object, axis: Axes = None, keepdims: bool = False) -> Any:
    return _reduce(np.add, "add", x, axis, keepdims)


def _vecdot(x: object, y: object, axis: int = -1, keepdims: bool = False) -> Any:
    return _sum(apply_rule("multiply", (as_objects(x), as_objects(y))), axis, keepdims)


def _length(x: object, axis: int = -1, keepdims: bool = False) -> object:
    return np.sqrt(_vecdot(x, x, axis, keepdims))


def _distance(x: object, y: object, axis: int = -1, keepdims: bool = False) -> object:
    return _length(apply_rule("subtract", (as_objects(x), as_objects(y))), axis, keepdims)


def _normalize(x: object, axis: int = -1) -> object:
    return apply_rule("divide", (as_objects(x), as_objects(_length(x, axis, True))))


#: Products of vectors and matrices, under NumPy's and halfcl's names.
_VECTOR_UFUNCS: dict[str, Callable[..., object]] = {
    "matmul": _product(np.matmul), "vecdot": _vecdot, "dot": _vecdot, "length": _length,
    "distance": _distance, "normalize": _normalize,
    **{
        name: _product(getattr(np, name)) for name in ("matvec", "vecmat") if hasattr(np, name)
    },
}  # fmt: skip


# ---------------------------------------------------------------- NumPy's functions


def _mean(
    a: object,
    axis: Axes = None,
    dtype: object = None,
    out: object = None,
    keepdims: bool = False,
    **others: object,
) -> Any:
    _check_keywords("mean", {"dtype": dtype, "out": out, **others})
    items = as_objects(a)
    return _sum(items, axis, keepdims) / _count(items, axis)


def _var(
    a: object,
    axis: Axes = None,
    dtype: object = None,
    out: object = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    correction: Any = np._NoValue,
    **others: object,
) -> Any:
    _check_keywords("var", {"dtype": dtype, "out": out, **others})
    items = as_objects(a)
    removed = ddof if correction is np._NoValue else correction
    count = _count(items, axis) - removed
    if count <= 0:
        raise ValueError(f"f: var: ddof: expected less than the number of elements, got {removed}")
    middle = as_objects(_sum(items, axis, True) / _count(items, axis))
    squares = apply_rule("square", (apply_rule("subtract", (items, middle)),))
    return _sum(squares, axis, keepdims) / count


def _count(items: Objects, axis: Axes) -> int:
    """Return the number of elements in a mean along axes."""
    if not items.ndim:
        refuse_axes("mean")
    count: int = math.prod(items.shape[i] for i in axes_of(axis, items.ndim))
    if not count:
        raise ValueError("f: mean: expected at least one element, got none")
    return count


def _std(*args: Any, **keywords: Any) -> object:
    return np.sqrt(_var(*args, **keywords))


def _round(a: object, decimals: SupportsIndex = 0, out: None = None) -> object:
    if decimals != 0 or out is not None:
        refuse("round, decimals=" if decimals != 0 else "round, out=")
    return apply_rule("rint", (as_objects(a),))


def _like(number: object) -> Callable[..., object]:
    def fill(
        a: object, *args: object, shape: int | tuple[int, ...] | None = None, **keywords: object
    ) -> object:
        value = args[0] if number is None else number
        value = keywords.pop("fill_value", value) if number is None else value
        size = as_objects(a).shape if shape is None else shape
        return wrap(np.full(size, _as_jet(value), object))

    return fill


def _norm(
    x: object, ord: object = None, axis: int | tuple[int, ...] | None = None, keepdims: bool = False
) -> object:
    """Return numpy.linalg.norm of vectors, and the Frobenius norm."""
    items = as_objects(x)
    if ord not in (None, 2, 1, np.inf, "fro") or (ord == 2 and axis is None and items.ndim > 1):
        refuse(f"linalg.norm, ord={ord!r}")
    if ord in (None, 2, "fro"):
        squares = apply_rule("square", (items,))
        return np.sqrt(_sum(squares, axis, keepdims))
    if (axis is None and items.ndim > 1) or np.ndim(axis or 0):
        refuse(f"linalg.norm of matrices, ord={ord!r}")
    ufunc, name = (np.add, "add") if ord == 1 else (np.maximum, "max")
    return _reduce(ufunc, name, apply_rule("abs", (items,)), axis, keepdims=keepdims)


def _dot(a: Any, b: object, out: None = None) -> object:
    return NUMPY.dot(a, b, out)


def _astype(a: Objects, dtype: object, *args: object, **keywords: object) -> object:
    if dtype not in (object, "O", np.dtype(object)):
        refuse("astype")  # other types would have to hold boxes
    return a.copy()


#: Methods that NumPy has in C, and those that compare elements.
_ARRAY_METHODS: dict[str, Callable[..., object]] = {
    "mean": _mean, "var": _var, "std": _std, "dot": _dot, "round": _round, "astype": _astype,
    **{
        name: _refuse_method(name)
        for name in (
            "sort", "argsort", "argmax", "argmin", "searchsorted", "partition", "argpartition",
        )
    },
}  # fmt: skip
for _name, _method in _ARRAY_METHODS.items():
    setattr(JetArray, _name, _method)

#: NumPy's functions that NumPy cannot compute from elements of jets as it stands.
_OWN: dict[Function, Callable[..., object]] = {
    np.mean: _mean, np.var: _var, np.std: _std, np.round: _round, np.around: _round,
    np.zeros_like: _like(0), np.ones_like: _like(1), np.empty_like: _like(0),
    np.full_like: _like(None), np.linalg.norm: _norm,
    np.shape: lambda a: as_objects(a).shape, np.ndim: lambda a: as_objects(a).ndim,
    np.size: lambda a, axis=None: np.size(as_objects(a), axis),
}  # fmt: skip


def _find(names: str) -> list[Function]:
    """Return the functions of those names that this version of NumPy has."""
    functions = []
    for name in names.split():
        place: Any = np
        for word in name.split("."):
            place = getattr(place, word, None)
        if place is not None:
            functions.append(place)
    return functions


#: NumPy's functions that compute with operators and ufuncs of elements, so that jets suffice.
_COMPOSED = {
    *STRUCTURAL,
    *_find(
        "sum prod cumsum cumprod cumulative_sum cumulative_prod max amax min amin ptp clip diff "
        "ediff1d dot inner outer vdot tensordot kron cross trace average trapezoid convolve "
        "correlate polyval vander real "
        "linalg.vector_norm linalg.matmul linalg.outer linalg.cross linalg.tensordot linalg.trace "
        "linalg.vecdot linalg.multi_dot linalg.matrix_power atleast_1d atleast_2d atleast_3d "
        "einsum array_split apply_along_axis iscomplexobj isrealobj result_type"
    ),
}


#: Those that a number may be given to.
_OF_NUMBERS = {*STRUCTURAL, *_find("real iscomplexobj isrealobj result_type")}


def _lift(x: object) -> object:
    """Return an argument with jets as arrays without axes, also inside lists."""
    if isinstance(x, Jet | Base):
        return as_objects(x).view(JetArray)
    if isinstance(x, list | tuple) and any(_has_jets(item) for item in x):
        return type(x)(map(_lift, x))
    return x


def _has_jets(x: object) -> bool:
    if isinstance(x, list | tuple):
        return any(map(_has_jets, x))
    return isinstance(x, Jet | JetArray | Base)


def _call_function(function: Function, args: Args, keywords: Keywords) -> object:
    own = _OWN.get(function)
    if own:
        return own(*args, **keywords)
    name = ("linalg." if function.__module__ == "numpy.linalg" else "") + function.__name__
    if function not in _COMPOSED:
        refuse(name)
    if function not in _OF_NUMBERS and not any(map(has_axes, (*args, *keywords.values()))):
        refuse_axes(name)
    lifted = {name: _lift(x) for name, x in keywords.items()}
    array = np.empty(0, object).view(JetArray)
    result = np.ndarray.__array_function__(
        array, function, (JetArray,), tuple(map(_lift, args)), lifted
    )
    return wrap(result)


#: Functions of whole arrays of `halfcl.interval`; others have no derivative here.
_NAMED: dict[str, Callable[..., object]] = {
    "sum": _sum,
    "mean": lambda x, axis=None, keepdims=False: _mean(x, axis, keepdims=keepdims),
    "cumsum": lambda x, axis=None: NUMPY.cumsum(x, axis),
    "diff": lambda x, n=1, axis=-1: NUMPY.diff(x, n, axis),
    "matmul": _VECTOR_UFUNCS["matmul"],
    "dot": _vecdot,
    "length": _length,
    "distance": _distance,
    "normalize": _normalize,
    "cross": lambda x, y, axis=-1: NUMPY.cross(x, y, axis=axis),
    "norm": _norm,
}


def _call_named(name: str, args: Args, keywords: Keywords) -> object:
    """Return the result of a function of whole arrays of `halfcl.interval`."""
    own = _NAMED.get(name)
    if own is None:
        refuse(name)
    if not any(map(has_axes, args)):
        refuse_axes(name)
    return own(*args, **keywords)


OF_ARRAYS.update(
    named=_call_named,
    rule=_apply_to_elements,
    ufunc=_call_ufunc,
    function=_call_function,
    array=_as_array,
    index=lambda x, index: wrap(as_objects(x)[index]),
)
