"""Arrays in buffers, with NumPy's operators: pyopencl.array."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike

from halfcl._support.names import publish
from halfcl.cl.pyopencl._arithmetic import BOOL, common_dtype, element, is_scalar
from halfcl.cl.pyopencl._arrays import (
    Array,
    arange,
    empty,
    empty_like,
    put,
    to_device,
    zeros,
    zeros_like,
)
from halfcl.cl.pyopencl._ctypes import dtype_to_ctype
from halfcl.cl.pyopencl._devices import CommandQueue, Event
from halfcl.cl.pyopencl._layout import ArrayHasOffsetError
from halfcl.cl.pyopencl._snippets import run
from halfcl.cl.pyopencl.reduction import ReductionKernel
from halfcl.cl.pyopencl.scan import GenericScanKernel

__all__ = [
    "Array",
    "ArrayHasOffsetError",
    "all",
    "any",
    "arange",
    "as_strided",
    "concatenate",
    "cumsum",
    "diff",
    "dot",
    "empty",
    "empty_like",
    "hstack",
    "if_positive",
    "logical_and",
    "logical_not",
    "logical_or",
    "max",
    "maximum",
    "min",
    "minimum",
    "multi_put",
    "multi_take",
    "reshape",
    "stack",
    "subset_dot",
    "subset_max",
    "subset_min",
    "sum",
    "take",
    "to_device",
    "transpose",
    "vdot",
    "zeros",
    "zeros_like",
]

_NONE = object()


# ---------------------------------------------------------------- other shapes, and parts


def as_strided(
    ary: Array, shape: Sequence[int] | None = None, strides: Sequence[int] | None = None
) -> Array:
    """The same memory with another shape and other strides."""
    return Array(
        ary.queue or ary.context, ary.shape if shape is None else shape, ary.dtype,
        allocator=ary.allocator, data=ary.data, strides=ary.strides if strides is None else strides,
    )  # fmt: skip


def transpose(a: Array, axes: Sequence[int] | None = None) -> Array:
    """`Array.transpose`."""
    return a.transpose(axes)


def reshape(a: Array, shape: Sequence[int]) -> Array:
    """`Array.reshape`."""
    return a.reshape(shape)


def take(
    a: Array, indices: Array, out: Array | None = None, queue: CommandQueue | None = None,
    wait_for: Iterable[Event] | None = None,
) -> Array:  # fmt: skip
    """The elements at indices, of arrays with one axis."""
    if out is None:
        out = type(a)(queue or a.queue, indices.shape, a.dtype, allocator=a.allocator)
    operation = "z[i] = x[indices[i]]"
    return run(out, operation, queue=queue, wait_for=wait_for, x=a, indices=indices)


def multi_take(
    arrays: Sequence[Array], indices: Array, out: Sequence[Array] | None = None,
    queue: CommandQueue | None = None,
) -> list[Array]:  # fmt: skip
    """`take` of several arrays."""
    outs: Sequence[Array | None] = [None] * len(arrays) if out is None else out
    return [take(a, indices, one, queue) for a, one in zip(arrays, outs, strict=True)]


def multi_put(
    arrays: Sequence[Array], dest_indices: Array, dest_shape: Sequence[int] | None = None,
    out: Sequence[Array] | None = None, queue: CommandQueue | None = None,
    wait_for: Iterable[Event] | None = None,
) -> list[Array]:  # fmt: skip
    """Put elements, or a number, to indices of others, which are new unless they are given."""
    if out is None:
        if dest_shape is None:
            raise ValueError("multi_put: expected dest_shape or out")
        out = [Array(queue or a.queue, dest_shape, a.dtype, allocator=a.allocator) for a in arrays]
    for value, target in zip(arrays, out, strict=True):
        put(target, dest_indices, value, queue, wait_for)
    return list(out)


def concatenate(
    arrays: Sequence[Array], axis: int = 0, queue: CommandQueue | None = None,
    allocator: Any = None,
) -> Array:  # fmt: skip
    """One array behind another, along an axis.

    Raises
    ------
    ValueError
        If there are none, or their other axes differ.
    NotImplementedError
        If the parts of the result are not in one piece: along another axis than the first.
    """
    if not arrays:
        raise ValueError("need at least one array to concatenate")
    first = arrays[0]
    for number, ary in enumerate(arrays):
        if ary.ndim != first.ndim:
            raise ValueError(
                f"{number}-th array has different number of axes: expected {first.ndim}, "
                f"got {ary.ndim})"
            )
        for k in builtins.range(first.ndim):
            if k != axis and ary.shape[k] != first.shape[k]:
                raise ValueError(f"{number}-th array has residual not matching other arrays")
    shape = list(first.shape)
    shape[axis] = builtins.sum(ary.shape[axis] for ary in arrays)
    dtype = np.result_type(*[ary.dtype for ary in arrays])
    out = type(first)(queue or first.queue, shape, dtype, allocator=allocator or first.allocator)
    start = 0
    for ary in arrays:
        stop = start + ary.shape[axis]
        out.setitem((*[slice(None)] * axis, slice(start, stop)), ary, queue)
        start = stop
    return out


def hstack(arrays: Sequence[Array], queue: CommandQueue | None = None) -> Array:
    """One array behind another, along the last axis."""
    if not arrays:
        raise ValueError("need at least one array to hstack")
    if len({ary.ndim for ary in arrays}) > 1:
        raise ValueError("arguments must all have the same number of axes")
    return concatenate(arrays, arrays[0].ndim - 1, queue)


def stack(arrays: Sequence[Array], axis: int = 0, queue: CommandQueue | None = None) -> Array:
    """Arrays of one shape, one beside another along a new axis, which is the first or the last."""
    if not arrays:
        raise ValueError("need at least one array to stack")
    first = arrays[0]
    axis = first.ndim if axis == -1 else axis
    if builtins.any(ary.shape != first.shape for ary in arrays):
        raise ValueError("arrays must have the same shape")
    if not 0 <= axis <= first.ndim:
        raise ValueError("invalid axis")
    order = "C" if axis == 0 else "F"
    if axis not in (0, first.ndim):
        raise NotImplementedError(f"stack: axis {axis}: expected the first or the last")
    shape = (*first.shape[:axis], len(arrays), *first.shape[axis:])
    dtype = np.result_type(*[ary.dtype for ary in arrays])
    out = type(first)(queue or first.queue, shape, dtype, order, first.allocator)
    for k, ary in enumerate(arrays):
        out.setitem((*[slice(None)] * axis, k), ary, queue)
    return out


def diff(array: Array, queue: CommandQueue | None = None, allocator: Any = None) -> Array:
    """What each element has more than the one before it."""
    if array.ndim != 1:
        raise ValueError("multi-D arrays are not supported")
    out = type(array)(queue or array.queue, array.size - 1, array.dtype, allocator=allocator)
    return run(out, "z[i] = x[i + 1] - x[i]", queue=queue, x=array)


# ---------------------------------------------------------------- element by element


def if_positive(
    criterion: Any, then_: Any, else_: Any, out: Array | None = None,
    queue: CommandQueue | None = None,
) -> object:  # fmt: skip
    """then_ where the criterion is more than 0, else_ elsewhere; both are of one dtype.

    Raises
    ------
    ValueError
        If dtypes or shapes differ.
    """
    if is_scalar(criterion):
        return np.where(criterion, then_, else_)
    pair = [x if isinstance(x, Array) else np.array(x)[()] for x in (then_, else_)]
    if pair[0].dtype != pair[1].dtype:
        raise ValueError(
            f"dtypes do not match: then_ary is '{pair[0].dtype}' and else_ary is '{pair[1].dtype}'"
        )
    for name, operand in zip(("then_ary", "else_ary"), pair, strict=True):
        if operand.shape not in ((), criterion.shape):
            raise ValueError(
                f"shapes do not match: 'criterion' has shape {criterion.shape}, '{name}' has "
                f"shape {operand.shape}"
            )
    if out is None:
        out = criterion.new_like(pair[0].dtype)
    x, y = pair
    operation = f"z[i] = c[i] > 0 ? {element('x', x)} : {element('y', y)}"
    return run(out, operation, queue=queue, c=criterion, x=x, y=y)


def _extreme(
    which: Literal["min", "max"], a: Any, b: Any, out: Array | None, queue: CommandQueue | None
) -> object:
    if is_scalar(a) and is_scalar(b):
        return (np.minimum if which == "min" else np.maximum)(a, b)
    if out is None:
        array = a if isinstance(a, Array) and (a.shape or not isinstance(b, Array)) else b
        out = array.new_like(common_dtype(a, b), queue)
    kind = dtype_to_ctype(out.dtype)
    x, y = (f"(({kind}) {element(name, value)})" for name, value in (("x", a), ("y", b)))
    operation = _extreme_of(which, out.dtype, x, y)
    return run(out, f"z[i] = {operation}", queue=queue, x=a, y=b)


def _extreme_of(which: str, dtype: np.dtype[Any], x: str, y: str) -> str:
    """An expression; a NaN on either side gives NaN."""
    if dtype.kind == "f":
        return f"(isnan({x}) || isnan({y})) ? {x} + {y} : f{which}({x}, {y})"
    if dtype.kind in "iu":
        return f"{which}({x}, {y})"
    raise TypeError(f"unsupported dtype specified: {dtype}")


def maximum(a: object, b: Any, out: Array | None = None, queue: CommandQueue | None = None) -> Any:
    """The larger of two, element by element; NaN if one is."""
    return _extreme("max", a, b, out, queue)


def minimum(a: object, b: Any, out: Array | None = None, queue: CommandQueue | None = None) -> Any:
    """The smaller of two, element by element; NaN if one is."""
    return _extreme("min", a, b, out, queue)


def _logical(operator: str, x1: Any, x2: Any, out: Any, queue: CommandQueue | None) -> Array:
    arrays = [x for x in (x1, x2) if isinstance(x, Array)]
    if not arrays:
        raise ValueError("logical_or/logical_and: expected an Array, got numbers")
    if len(arrays) == 2 and x1.shape != x2.shape:
        raise NotImplementedError("Broadcasting not supported")
    found: Array = arrays[0].new_like(BOOL, queue) if out is None else out
    operation = f"z[i] = {element('x', x1)} {operator} {element('y', x2)}"
    return run(found, operation, queue=queue, x=x1, y=x2)


def logical_and(
    x1: object, x2: object, /, out: Array | None = None, queue: CommandQueue | None = None
) -> Array:
    """Whether neither is 0: int8."""
    return _logical("&&", x1, x2, out, queue)


def logical_or(
    x1: object, x2: object, /, out: Array | None = None, queue: CommandQueue | None = None
) -> Array:
    """Whether one is not 0: int8."""
    return _logical("||", x1, x2, out, queue)


def logical_not(x: Array, /, out: Array | None = None, queue: CommandQueue | None = None) -> Array:
    """Whether elements are 0: int8."""
    out = x.new_like(BOOL, queue) if out is None else out
    return run(out, f"z[i] = ({element('x', x)} == 0)", queue=queue, x=x)


# ---------------------------------------------------------------- reductions


def _of(a: Array) -> str:
    return dtype_to_ctype(a.dtype)


def _context_of(a: Array) -> Any:
    return a.context


def _reduced(
    a: Array, dtype: DTypeLike, neutral: str, reduce_expr: str, arguments: str,
    values: Sequence[Array], queue: CommandQueue | None, part: Any = None,
    map_expr: str | None = None,
) -> Array:  # fmt: skip
    kernel = ReductionKernel(
        _context_of(a), dtype, neutral, reduce_expr, map_expr, arguments
    )  # fmt: skip
    found: Array = kernel(*values, queue=queue, slice=part)
    return found


def sum(
    a: Array, dtype: DTypeLike | None = None, queue: CommandQueue | None = None,
    slice: builtins.slice | None = None, initial: Any = _NONE,
) -> Array:  # fmt: skip
    """The sum of all elements, an array without axes.

    It is added up in its own dtype, in the order in which a device goes: not that of NumPy's sum.
    """
    kind = a.dtype if dtype is None else np.dtype(dtype)
    out = _reduced(a, kind, "0", "a+b", f"const {_of(a)} *in", [a], queue, slice)
    if initial is _NONE:
        return out
    if not is_scalar(initial):
        raise ValueError("'initial' is not a scalar")
    found: Array = out + a.dtype.type(initial)
    return found


def any(
    a: Array, queue: CommandQueue | None = None, wait_for: Iterable[Event] | None = None
) -> object:
    """Whether an element is not 0."""
    return a.any(queue, wait_for) if len(a) else np.int8(False)


def all(
    a: Array, queue: CommandQueue | None = None, wait_for: Iterable[Event] | None = None
) -> object:
    """Whether no element is 0."""
    return a.all(queue, wait_for) if len(a) else np.int8(True)


def dot(
    a: Array, b: Array, dtype: DTypeLike | None = None, queue: CommandQueue | None = None,
    slice: builtins.slice | None = None,
) -> Array:  # fmt: skip
    """The sum of products, an array without axes."""
    kind = common_dtype(a, b) if dtype is None else np.dtype(dtype)
    arguments = f"const {_of(a)} *a, const {_of(b)} *b"
    return _reduced(a, kind, "0", "a+b", arguments, [a, b], queue, slice, "a[i]*b[i]")


vdot = dot  # there are no complex numbers


def subset_dot(
    subset: Array, a: Array, b: Array, dtype: DTypeLike | None = None,
    queue: CommandQueue | None = None, slice: builtins.slice | None = None,
) -> Array:  # fmt: skip
    """`dot` of the elements at indices."""
    kind = common_dtype(a, b) if dtype is None else np.dtype(dtype)
    arguments = f"const {_of(subset)} *lookup_tbl, const {_of(a)} *a, const {_of(b)} *b"
    product = "a[lookup_tbl[i]]*b[lookup_tbl[i]]"
    return _reduced(a, kind, "0", "a+b", arguments, [subset, a, b], queue, slice, product)


def _first_of_extremes(which: str, dtype: np.dtype[Any]) -> str:
    """An expression that no element is beyond."""
    if dtype.kind == "f":
        return "INFINITY" if which == "min" else "-INFINITY"
    limits = np.iinfo(dtype)
    number = limits.max if which == "min" else limits.min
    return str(number) if number >= 0 else f"({number + 1} - 1)"


def _reduced_extreme(
    which: Literal["min", "max"], a: Any, queue: CommandQueue | None, initial: object
) -> object:
    if is_scalar(a):
        return np.array(a).dtype.type(a)
    if len(a) == 0:
        if initial is _NONE:
            raise ValueError(f"zero-size array to reduction '{which}' which has no identity")
        return initial
    out = _extreme_reduction(which, a, f"const {_of(a)} *in", [a], queue)
    return out if initial is _NONE else _extreme(which, out, a.dtype.type(initial), None, queue)


def _extreme_reduction(
    which: str, a: Array, arguments: str, values: Sequence[Array], queue: CommandQueue | None,
    part: object = None, map_expr: str | None = None,
) -> Array:  # fmt: skip
    neutral = _first_of_extremes(which, a.dtype)
    expression = _extreme_of(which, a.dtype, "a", "b")
    return _reduced(a, a.dtype, neutral, expression, arguments, values, queue, part, map_expr)


def min(a: object, queue: CommandQueue | None = None, initial: object = _NONE) -> object:
    """The smallest element, an array without axes; NaN if there is one."""
    return _reduced_extreme("min", a, queue, initial)


def max(a: object, queue: CommandQueue | None = None, initial: object = _NONE) -> object:
    """The largest element, an array without axes; NaN if there is one."""
    return _reduced_extreme("max", a, queue, initial)


def _subset_extreme(
    which: str, subset: Array, a: Array, queue: CommandQueue | None, part: object
) -> Array:
    arguments = f"const {_of(subset)} *lookup_tbl, const {_of(a)} *in"
    return _extreme_reduction(
        which, a, arguments, [subset, a], queue, part, "in[lookup_tbl[i]]"
    )  # fmt: skip


def subset_min(
    subset: Array, a: Array, queue: CommandQueue | None = None, slice: builtins.slice | None = None
) -> Array:
    """The smallest of the elements at indices."""
    return _subset_extreme("min", subset, a, queue, slice)


def subset_max(
    subset: Array, a: Array, queue: CommandQueue | None = None, slice: builtins.slice | None = None
) -> Array:
    """The largest of the elements at indices."""
    return _subset_extreme("max", subset, a, queue, slice)


def cumsum(
    a: Array, output_dtype: DTypeLike | None = None, queue: CommandQueue | None = None,
    wait_for: Iterable[Event] | None = None, *, return_event: bool = False,
) -> object:  # fmt: skip
    """The sums of all elements up to each; of dtypes of 4 bytes or 8."""
    kind = a.dtype if output_dtype is None else np.dtype(output_dtype)
    arguments = f"{_of(a)} *input, {dtype_to_ctype(kind)} *output"
    out = a.new_like(kind)
    kernel = GenericScanKernel(
        _context_of(a), kind, arguments, "input[i]", "a+b", "0", "output[i] = item;"
    )  # fmt: skip
    event = kernel(a, out, queue=queue, wait_for=wait_for)
    return (event, out) if return_event else out


publish(globals())
