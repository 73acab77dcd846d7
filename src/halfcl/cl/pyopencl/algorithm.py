"""Elements chosen by a condition: pyopencl.algorithm."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from halfcl._support.names import publish
from halfcl.cl.pyopencl._arrays import Array, empty_like
from halfcl.cl.pyopencl._devices import CommandQueue, Event
from halfcl.cl.pyopencl._refused import refusing
from halfcl.cl.pyopencl._snippets import Argument, Fetch, ScalarArg, VectorArg
from halfcl.cl.pyopencl.scan import GenericScanKernel

__all__ = [
    "KeyValueSorter",
    "ListOfListsBuilder",
    "RadixSort",
    "copy_if",
    "partition",
    "remove_if",
    "unique",
]

#: Names and values of more arguments that a condition uses.
ExtraArgs = Sequence[tuple[str, Any]]
_COUNT = np.dtype(np.uint32)


def _chosen(
    ary: Array, outs: Sequence[str], input_expr: str, statement: str,
    extra_args: ExtraArgs | None, preamble: str, queue: CommandQueue | None,
    wait_for: Iterable[Event] | None, fetches: Sequence[Fetch] = (),
) -> tuple[Any, ...]:  # fmt: skip
    """What a scan that counts puts into new arrays, how many it has counted, and its event."""
    extra = list(extra_args or ())
    arguments: list[Argument] = [VectorArg(ary.dtype, name) for name in ("ary", *outs)]
    arguments.append(VectorArg(_COUNT, "count"))
    for name, value in extra:
        is_array = isinstance(value, Array)
        dtype = value.dtype if is_array else np.asarray(value).dtype
        arguments.append(VectorArg(dtype, name) if is_array else ScalarArg(dtype, name))
    assert ary.context is not None
    kernel = GenericScanKernel(
        ary.context, _COUNT, arguments, input_expr, "a+b", "0",
        f"{statement} if (i + 1 == N) *count = item;", input_fetch_exprs=fetches,
        preamble=preamble,
    )  # fmt: skip
    found = [empty_like(ary) for _ in outs]
    count = Array(queue or ary.queue, (), _COUNT, allocator=ary.allocator).clear()
    values = [value for _, value in extra]
    event = kernel(ary, *found, count, *values, queue=queue, wait_for=wait_for)
    return (*found, count, event)


def copy_if(
    ary: Array, predicate: str, extra_args: ExtraArgs | None = None, preamble: str = "",
    queue: CommandQueue | None = None, wait_for: Iterable[Event] | None = None,
) -> tuple[Array, Array, Event]:  # fmt: skip
    """The elements that fulfil a condition, in their order.

    Parameters
    ----------
    ary : Array
    predicate : str
        An expression of ``ary[i]``, and of the extra arguments.
    extra_args : list of tuples, optional
        Names and values.
    preamble : str, optional
        Stands in front of the kernel.
    queue : CommandQueue, optional
    wait_for : list of Event, optional

    Returns
    -------
    out : Array
        As long as the array; what comes after the chosen elements is any value.
    count : Array
        How many there are, without axes.
    event : Event

    Raises
    ------
    RuntimeError
        If the condition does not compile.

    Examples
    --------
    >>> import numpy as np
    >>> import halfcl.cl.pyopencl as cl, halfcl.cl.pyopencl.array as cl_array
    >>> from halfcl.cl.pyopencl.algorithm import copy_if
    >>> queue = cl.CommandQueue(cl.create_some_context())
    >>> x = cl_array.to_device(queue, np.array([3, 0.5, 7, 1], np.float16))
    >>> out, count, event = copy_if(x, "ary[i] > least", [("least", np.float16(2))])
    >>> out[: int(count.get())]
    cl.Array([3., 7.], dtype=float16)
    """
    statement = "if (prev_item != item) out[item - 1] = ary[i];"
    return _chosen(
        ary, ["out"], f"({predicate}) ? 1 : 0", statement, extra_args, preamble, queue, wait_for
    )


def remove_if(
    ary: Array, predicate: str, extra_args: ExtraArgs | None = None, preamble: str = "",
    queue: CommandQueue | None = None, wait_for: Iterable[Event] | None = None,
) -> tuple[Array, Array, Event]:  # fmt: skip
    """The elements that do not fulfil a condition; otherwise as `copy_if`."""
    return copy_if(ary, f"!({predicate})", extra_args, preamble, queue, wait_for)


def partition(
    ary: Array, predicate: str, extra_args: ExtraArgs | None = None, preamble: str = "",
    queue: CommandQueue | None = None, wait_for: Iterable[Event] | None = None,
) -> tuple[Array, Array, Array, Event]:  # fmt: skip
    """The elements that fulfil a condition, and those that do not; otherwise as `copy_if`."""
    statement = """if (prev_item != item) out_true[item - 1] = ary[i];
                   else out_false[i - item] = ary[i];"""
    return _chosen(
        ary, ["out_true", "out_false"], f"({predicate}) ? 1 : 0", statement, extra_args, preamble,
        queue, wait_for,
    )  # fmt: skip


def unique(
    ary: Array, is_equal_expr: str = "a == b", extra_args: ExtraArgs | None = None,
    preamble: str = "", queue: CommandQueue | None = None,
    wait_for: Iterable[Event] | None = None,
) -> tuple[Array, Array, Event]:  # fmt: skip
    """The elements that are not equal to the one before them; otherwise as `copy_if`."""
    equal = f"#define IS_EQUAL_EXPR(a, b) ({is_equal_expr})\n"
    return _chosen(
        ary, ["out"], "(i == 0) || (IS_EQUAL_EXPR(before, here) ? 0 : 1)",
        "if (prev_item != item) out[item - 1] = ary[i];", extra_args, f"{preamble}\n{equal}",
        queue, wait_for, [("before", "ary", -1), ("here", "ary", 0)],
    )  # fmt: skip


_WHY = "halfcl has no sorting; numpy.sort on the host does it"
RadixSort = refusing("algorithm.RadixSort", _WHY)
KeyValueSorter = refusing("algorithm.KeyValueSorter", _WHY)
ListOfListsBuilder = refusing("algorithm.ListOfListsBuilder", "halfcl has none")

publish(globals())
