"""numpy.einsum of halves, and of float16 while NumPy is accelerated.

NumPy's einsum only supports its own types, and sums float16 in float32. Here sums of one array, and
products of two, as matrices or element by element, are exact and rounded once. Those of three or
more arrays are computed in float64, and then rounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from string import ascii_letters
from types import EllipsisType, NotImplementedType
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from halfcl import _core
from halfcl._numpy.statistics import as_float16, is_float16, is_half, narrow, to_native, widen
from halfcl._support.results import Result, Results

half = _core.half

_Array = NDArray[Any]
#: One letter per axis.
_Labels = str

#: NumPy's original function.
_of_numpy: list[Callable[..., Any]] = []

#: An array is not repeated along axes of another one to more elements than these.
_MOST_REPEATED = 1 << 24


def _from_lists(operands: tuple[Any, ...]) -> tuple[str, tuple[object, ...]]:
    """Return subscripts and arrays of operands in which a list of axes follows each array."""

    def letters(axes: list[int | EllipsisType]) -> str:
        return "".join("..." if x is ... else ascii_letters[x] for x in axes)

    arrays, lists = operands[0::2], operands[1::2]
    subscripts = ",".join(letters(axes) for axes in lists[: len(operands) // 2])
    if len(operands) % 2 == 0:
        return subscripts, arrays
    return f"{subscripts}->{letters(operands[-1])}", arrays[:-1]


def _read(subscripts: str, ndims: tuple[int, ...]) -> tuple[tuple[_Labels, ...], _Labels] | None:
    """Return the labels of each array's axes and of the result's; None if NumPy raises an error.

    The axes of an ellipsis get letters that subscripts cannot have.
    """
    inputs, arrow, wanted = subscripts.replace(" ", "").partition("->")
    parts = inputs.split(",")
    if len(parts) != len(ndims):
        return None
    hidden = [n - len(part.replace("...", "")) for part, n in zip(parts, ndims, strict=True)]
    if any((n and "..." not in part) or n < 0 for part, n in zip(parts, hidden, strict=True)):
        return None
    most = "".join(chr(0x100 + k) for k in range(max(hidden)))
    parts = [
        part.replace("...", most[len(most) - n :], 1) for part, n in zip(parts, hidden, strict=True)
    ]
    joined = "".join(parts)
    if not arrow:
        wanted = most + "".join(sorted(x for x in set(joined) - set(most) if joined.count(x) == 1))
    elif "..." in wanted:
        wanted = wanted.replace("...", most, 1)
    elif most:
        return None
    letters = set(ascii_letters) | set(most)
    if (
        not set(joined) <= letters
        or not set(wanted) <= set(joined)
        or len(set(wanted)) < len(wanted)
    ):
        return None
    return tuple(parts), wanted


# ---------------------------------------------------------------- plans
#
# A plan has the steps that prepare each array, the function that combines arrays, and the steps for
# the result. Plans are cached by subscripts and shapes.

_Step = Callable[[Any], Any]


class _Plan(NamedTuple):
    prepare: tuple[tuple[_Step, ...], ...]
    combine: Callable[..., object]
    finish: tuple[_Step, ...]


def _chain(steps: tuple[_Step, ...]) -> _Step:
    """Return a function that runs steps one after the other."""
    if len(steps) == 1:
        return steps[0]

    def run(x: _Array) -> object:
        for step in steps:
            x = step(x)
        return x

    return run


def _compose(plan: _Plan) -> Callable[..., object]:
    """Return a function of the arrays that runs a plan; steps that it lacks cost nothing."""
    combine, chains = plan.combine, [_chain(steps) for steps in plan.prepare]
    if not any(plan.prepare):
        run = combine
    elif len(chains) == 1:
        run = lambda x: combine(chains[0](x))  # noqa: E731
    else:
        run = lambda x, y: combine(chains[0](x), chains[1](y))  # noqa: E731
    finish = _chain(plan.finish)
    return (lambda *arrays: finish(run(*arrays))) if plan.finish else run


class _Operand:
    """An array of a plan: the labels and lengths of its axes, and the steps that lead to it."""

    def __init__(self, labels: _Labels, shape: tuple[int, ...]):
        self.labels, self.shape, self.steps = labels, shape, list[_Step]()

    def _add_step(self, labels: _Labels, shape: tuple[int, ...], step: _Step) -> None:
        self.labels, self.shape = labels, shape
        self.steps.append(step)

    def take_diagonals(self) -> None:
        """Replace axes with a common label by their diagonal, a view whose axis comes last."""
        twice = next((x for x in self.labels if self.labels.count(x) > 1), "")
        if not twice:
            return
        i = self.labels.index(twice)
        j = self.labels.index(twice, i + 1)
        kept = [k for k in range(len(self.labels)) if k not in (i, j)]
        labels = "".join(self.labels[k] for k in kept) + twice
        shape = (*(self.shape[k] for k in kept), self.shape[i])
        self._add_step(labels, shape, lambda x: x.diagonal(0, i, j))
        self.take_diagonals()

    def drop_ones(self, sizes: dict[str, int]) -> None:
        """Drop axes of length 1 whose label has a longer axis in another array."""
        kept = [n == sizes[x] for x, n in zip(self.labels, self.shape, strict=True)]
        if all(kept):
            return
        index = tuple(slice(None) if k else 0 for k in kept)
        labels = "".join(x for x, k in zip(self.labels, kept, strict=True) if k)
        self._add_step(labels, tuple(sizes[x] for x in labels), lambda x: x[index])

    def repeat(self, labels: _Labels, sizes: dict[str, int]) -> None:
        """Repeat the array along further axes."""
        if not labels:
            return
        first = self.shape + (1,) * len(labels)
        shape = self.shape + tuple(sizes[x] for x in labels)
        self._add_step(
            self.labels + labels, shape, lambda x: np.broadcast_to(x.reshape(first), shape)
        )

    def transpose(self, labels: _Labels) -> None:
        """Bring the axes into an order."""
        if labels == self.labels:
            return
        order = [self.labels.index(x) for x in labels]
        shape = tuple(self.shape[k] for k in order)
        self._add_step(labels, shape, lambda x: x.transpose(order))

    def reshape(self, shape: tuple[int, ...]) -> None:
        """Reshape the array to axes without labels."""
        if shape != self.shape:
            self._add_step("", shape, lambda x: x.reshape(shape))


def _plan_transpose(operand: _Operand, labels: _Labels, wanted: _Labels) -> _Plan:
    """Plan a view of an array that can be written to; for diagonals NumPy's function makes it."""
    if operand.steps:
        letters = dict(zip(dict.fromkeys(labels), ascii_letters, strict=False))
        text = "->".join("".join(letters[x] for x in names) for names in (labels, wanted))
        operand.transpose(wanted)
        view_diagonals = _chain(tuple(operand.steps))

        def view(x: _Array) -> object:
            if x.dtype.type is np.float16:
                return _of_numpy[0](text, x)
            diagonals = view_diagonals(x)
            if x.flags.writeable:  # numpy.diagonal returns a view that is not
                diagonals.setflags(write=True)
            return diagonals

        return _Plan(((),), view, ())
    operand.transpose(wanted)
    (transpose,) = operand.steps or (lambda x: x[...],)
    return _Plan(((),), transpose, ())


def _plan_sum(operand: _Operand, labels: _Labels, wanted: _Labels) -> _Plan:
    axes = tuple(k for k, x in enumerate(operand.labels) if x not in wanted)
    if not axes:
        return _plan_transpose(operand, labels, wanted)
    rest = "".join(x for x in operand.labels if x in wanted)
    result = _Operand(rest, tuple(0 for _ in rest))
    result.transpose(wanted)
    add = np.add.reduce
    return _Plan((tuple(operand.steps),), lambda x: add(x, axes), tuple(result.steps))


def _lengths(labels: _Labels, sizes: dict[str, int]) -> tuple[int, ...]:
    return tuple(sizes[x] for x in labels)


def _plan_product(a: _Operand, b: _Operand, wanted: _Labels, sizes: dict[str, int]) -> _Plan | None:
    """Plan the sum of products of two arrays, each of which has each label at most once."""
    lone = "".join(x for x in a.labels if x not in b.labels + wanted)
    other = "".join(x for x in b.labels if x not in a.labels + wanted)
    if (lone or other) and math.prod(sizes.values()) > _MOST_REPEATED:
        return None
    a.repeat(other, sizes)
    b.repeat(lone, sizes)
    summed = "".join(x for x in a.labels if x in b.labels and x not in wanted)
    return (
        _plan_dot(a, b, wanted, sizes, summed) if summed else _plan_elementwise(a, b, wanted, sizes)
    )


def _plan_elementwise(a: _Operand, b: _Operand, wanted: _Labels, sizes: dict[str, int]) -> _Plan:
    for x in (a, b):
        x.transpose("".join(k for k in wanted if k in x.labels))
        present = wanted[min(map(wanted.index, x.labels), default=len(wanted)) :]
        x.reshape(tuple(sizes[k] if k in x.labels else 1 for k in present))
    return _Plan((tuple(a.steps), tuple(b.steps)), np.multiply, ())


def _plan_dot(
    a: _Operand, b: _Operand, wanted: _Labels, sizes: dict[str, int], summed: _Labels
) -> _Plan:
    """Plan a product of matrices, or of stacks of them, or dot products."""
    stacked = "".join(x for x in wanted if x in a.labels and x in b.labels)
    rows = "".join(x for x in wanted if x in a.labels and x not in b.labels)
    columns = "".join(x for x in wanted if x in b.labels and x not in a.labels)
    if rows and columns and wanted[-1] in rows:  # swap them, so that the result is not transposed
        plan = _plan_dot(b, a, wanted, sizes, summed)
        combine = plan.combine
        return _Plan(plan.prepare[::-1], lambda x, y: combine(y, x), plan.finish)
    stack, k = _lengths(stacked, sizes), math.prod(_lengths(summed, sizes))
    m, p = math.prod(_lengths(rows, sizes)), math.prod(_lengths(columns, sizes))
    a.transpose(stacked + rows + summed)
    if not rows and not columns:
        combine, shape = np.vecdot, stack
        b.transpose(stacked + summed)
        a.reshape((*stack, k))
        b.reshape((*stack, k))
    else:
        combine = np.matmul
        of_rows = (m,) if rows or stacked else ()
        of_columns = (p,) if columns or stacked else ()
        shape = (*stack, *of_rows, *of_columns)
        b.transpose(stacked + summed + columns)
        a.reshape((*stack, *of_rows, k))
        b.reshape((*stack, k, *of_columns))
    result = _Operand("", shape)
    result.reshape(_lengths(stacked + rows + columns, sizes))
    result.labels = stacked + rows + columns
    result.transpose(wanted)
    return _Plan((tuple(a.steps), tuple(b.steps)), combine, tuple(result.steps))


def _plan(subscripts: str, shapes: tuple[tuple[int, ...], ...]) -> _Plan | None:
    """Return the plan for one or two arrays; None if NumPy has to compute it or raise the error."""
    labels = _read(subscripts, tuple(map(len, shapes)))
    if labels is None or not all(map(math.prod, shapes)):
        return None
    parts, wanted = labels
    sizes: dict[str, int] = {}
    for part, shape in zip(parts, shapes, strict=True):
        for x, n in zip(part, shape, strict=True):
            if sizes.setdefault(x, n) != n:
                if 1 not in (n, sizes[x]) or part.count(x) > 1:
                    return None
                sizes[x] = max(n, sizes[x])
    operands = [_Operand(part, shape) for part, shape in zip(parts, shapes, strict=True)]
    for operand in operands:
        operand.take_diagonals()
        operand.drop_ones(sizes)
    if len(operands) == 1:
        return _plan_sum(operands[0], parts[0], wanted)
    return _plan_product(operands[0], operands[1], wanted, sizes)


@lru_cache(maxsize=256)
def _planned_function(subscripts: str, *shapes: tuple[int, ...]) -> Callable[..., Results] | None:
    """Return the function of one or two arrays that runs their plan, if there is one."""
    plan = _plan(subscripts, shapes)
    return None if plan is None else cast("Callable[..., Results]", _compose(plan))


# ---------------------------------------------------------------- calls


def _try_exactly(operands: tuple[Any, ...], out: _Array | None) -> Results | NotImplementedType:
    """Return the result for one array or two of the same dtype, by a plan, or NotImplemented."""
    if not isinstance(operands[0], str):
        if not _core.is_of_halves(operands[0]):
            return NotImplemented
        try:
            subscripts, arrays = _from_lists(operands)
        except (TypeError, IndexError):
            return NotImplemented
        operands = (subscripts, *arrays)
    shapes = _core.shapes_of_halves(operands)
    function = None if shapes is None else _planned_function(operands[0], *shapes)
    if function is None:
        return NotImplemented
    if out is None:
        return function(*operands[1:])
    if type(out) is not np.ndarray or out.dtype.type is not operands[1].dtype.type:
        return NotImplemented
    result = function(*operands[1:])
    if out.shape != np.shape(result):
        return NotImplemented
    out[...] = result
    return out


def _view(
    c_einsum: Callable[..., Any], operands: tuple[Any, ...], options: dict[str, object]
) -> _Array | None:
    """Return NumPy's writable view of a single array, if nothing is summed; else None."""
    arrays = [x for x in operands if isinstance(x, np.ndarray)]
    if len(arrays) != 1:
        return None
    (array,) = arrays
    result = c_einsum(*(x.view(np.uint16) if x is array else x for x in operands), **options)
    is_view = isinstance(result, np.ndarray) and np.may_share_memory(result, array)
    return cast("_Array", result.view(array.dtype)) if is_view else None


def _are_float16(operands: tuple[object, ...], out: object) -> bool:
    """Return whether all arrays are float16, and the output, if any, is plain native float16."""
    arrays = [x for x in operands if isinstance(x, np.ndarray | np.generic)]
    if out is not None and not (type(out) is np.ndarray and out.dtype == np.float16):
        return False
    return all(map(is_float16, arrays))


def _compute_as_halves(
    einsum: Callable[..., Results], operands: tuple[object, ...], out: _Array | None
) -> Results:
    """Call einsum with float16 viewed as half, and return float16 with the same bits."""
    views = (to_native(x).view(half) if is_float16(x) else x for x in operands)
    with np.errstate(all="ignore"):
        result = einsum(*views, out=None if out is None else out.view(half))
    return out if out is not None else as_float16(result)


#: The types of operands in most calls.
_PLAIN = frozenset((str, np.ndarray))


def _convert_lists(operands: tuple[object, ...]) -> tuple[object, ...]:
    """Return operands with arrays in place of lists, and of other objects, that hold halves."""
    if all(map(_is_plain, operands)):
        return operands
    has_lists = not isinstance(operands[0], str)  # then every second operand is a list of axes

    def is_array(index: int) -> bool:
        if not has_lists:
            return index > 0
        return index % 2 == 0 and index < len(operands) - len(operands) % 2

    return tuple(
        np.asanyarray(x) if is_array(k) and _core.may_hold_halves(x) else x
        for k, x in enumerate(operands)
    )


def _is_plain(operand: object) -> bool:
    """Return whether an operand is an array, a number or text, which need no conversion."""
    return isinstance(operand, np.ndarray | np.generic | str)


def _are_defaults(operands: tuple[object, ...], options: dict[str, Any]) -> bool:
    """Return whether options, except the order, equal those of a call of halves without any."""
    arrays = [x for x in operands if isinstance(x, np.ndarray)]
    if not arrays or not options.keys() <= {"order", "casting", "dtype"}:
        return False
    dtype, order, casting = (options.get(x) for x in ("dtype", "order", "casting"))
    kind = arrays[0].dtype.newbyteorder("=")
    return (
        all(_core.is_of_halves(x) and x.dtype.newbyteorder("=") == kind for x in arrays)
        and (dtype is None or np.dtype(dtype) == kind)
        and order in (None, "K", "A", "C", "F")
        and casting in (None, "safe", "same_kind", "unsafe")
    )


def _in_order(result: Any, order: str | None, operands: tuple[object, ...]) -> Any:
    """Return a result with its memory in an order; numbers and views stay unchanged."""
    if not isinstance(result, np.ndarray) or order not in ("C", "F"):
        return result
    if any(isinstance(x, np.ndarray) and np.may_share_memory(result, x) for x in operands):
        return result
    return np.asarray(result, order=cast("Any", order))


def _are_plain(operands: tuple[object, ...]) -> bool:
    """Return whether all arrays have the class and byte order that `_try_exactly` accepts."""
    arrays = [x for x in operands if isinstance(x, np.ndarray)]
    return all(type(x) is np.ndarray and x.dtype.isnative for x in arrays)


def _compute_wider(
    c_einsum: Callable[..., Results],
    operands: tuple[object, ...],
    out: _Array | None,
    options: dict[str, object],
) -> Results:
    """Compute in float64 and round once; with float32 or float64 operands or output, in these."""
    types = [x for x in operands if isinstance(x, np.ndarray | np.generic)]
    if np.result_type(*types).type is not half:
        return c_einsum(*(widen(x, np.float32) for x in operands), **_add_output(out, options))
    if out is None or np.asarray(out).dtype.type is half:
        return narrow(c_einsum(*map(widen, operands), **options), out, "einsum")
    wide = np.float32 if np.asarray(out).dtype.char in "fF" else np.float64
    return c_einsum(*(widen(x, wide) for x in operands), **_add_output(out, options))


def _add_output(out: _Array | None, options: dict[str, object]) -> dict[str, object]:
    return options if out is None else {**options, "out": out}


def make_einsum(c_einsum: Callable[..., Result]) -> Callable[..., object]:
    """Return an einsum that computes halves, and calls NumPy's einsum for other types."""

    def einsum(*operands: Any, out: _Array | None = None, **options: Any) -> Results:
        if not options and operands and type(operands[0]) is str:  # usual calls, with little ado
            result = _try_exactly(operands, out)
            if result is not NotImplemented:
                return result
        for operand in operands:
            if type(operand) not in _PLAIN:
                operands = _convert_lists(operands)
                break
        if options and _are_defaults(operands, options):
            if out is not None:  # the order of its memory stays
                return einsum(*operands, out=out)
            return _in_order(einsum(*operands), options.get("order"), operands)
        if operands and not options:
            result = _try_exactly(operands, out)
            if result is not NotImplemented:
                return result
        if options.get("dtype") is not None and np.dtype(options["dtype"]).type is half:
            del options["dtype"]
            casting = options.pop("casting", "safe")
            operands = tuple(
                x.astype(half, casting=casting) if isinstance(x, np.ndarray | np.generic) else x
                for x in operands
            )
        if options.get("dtype") is not None or not any(map(_core.is_of_halves, operands)):
            return c_einsum(*operands, **_add_output(out, options))
        view = _view(c_einsum, operands, options) if out is None else None
        if view is not None:
            return view
        if not options and _are_float16(operands, out):
            return _compute_as_halves(einsum, operands, out)
        if not any(map(is_half, operands)):
            return c_einsum(*operands, **_add_output(out, options))
        if not options and not _are_plain(operands):
            plain = (to_native(x) if isinstance(x, np.ndarray) else x for x in operands)
            return einsum(*plain, out=out)
        return _compute_wider(c_einsum, operands, out, options)

    einsum.__module__ = __name__
    return einsum


def teach_einsum() -> bool:
    """Make numpy.einsum accept half; return True."""
    module: Any = import_module("numpy._core.einsumfunc")
    if module.c_einsum.__module__ != __name__:
        _of_numpy.append(module.c_einsum)
        module.c_einsum = make_einsum(module.c_einsum)
    return True
