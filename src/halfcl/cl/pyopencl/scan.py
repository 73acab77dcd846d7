"""Prefix sums and their like of arrays: pyopencl.scan.

Each of log2(n) launches combines every element with the one that lies 1, 2, 4, ... before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from halfcl._support.names import publish
from halfcl.cl.pyopencl._arrays import Array, empty_like
from halfcl.cl.pyopencl._ctypes import dtype_to_ctype
from halfcl.cl.pyopencl._devices import CommandQueue, Context, Device, Event, check_context
from halfcl.cl.pyopencl._layout import Allocator
from halfcl.cl.pyopencl._refused import TEMPLATES, refusing
from halfcl.cl.pyopencl._snippets import (
    Argument,
    Arguments,
    Fetch,
    Options,
    VectorArg,
    declared,
    for_macro,
    kernel_of,
    parse_arg_list,
    values_of,
)
from halfcl.cl.pyopencl._transfers import enqueue_marker

__all__ = [
    "ExclusiveScanKernel",
    "GenericDebugScanKernel",
    "GenericScanKernel",
    "InclusiveScanKernel",
    "ScanTemplate",
]

_COMBINE = """
__kernel void {name}_combine(__global const scan_type *from, __global scan_type *to,
                             __global const char *from_starts, __global char *to_starts, long step)
{{
    const long i = get_global_id(0);
    scan_type b = from[i];
    char starts = from_starts[i];
    if (i >= step) {{
        const scan_type a = from[i - step];
        b = SCAN_EXPR(a, b, (starts != 0));
        starts |= from_starts[i - step];
    }}
    to[i] = b;
    to_starts[i] = starts;
}}
"""

_READ = """
__kernel void {name}_read({arguments}__global scan_type *scan_items, __global char *scan_starts,
                          __global char *scan_is_start, {index} N)
{{
    const {index} i = get_global_id(0);
{fetches}
    const scan_type a = INPUT_EXPR(i);
    scan_items[i] = a;
    scan_starts[i] = scan_is_start[i] = ({is_start}) != 0;
}}
"""

_WRITE = """
__kernel void {name}_write({arguments}__global const scan_type *scan_items,
                           __global const char *scan_is_start, {index} N)
{{
    const {index} i = get_global_id(0);
    scan_type item = scan_items[i];
    const scan_type last_item = scan_items[N - 1];
    scan_type prev_item = {neutral};
    if (i > 0 && !scan_is_start[i])
        prev_item = scan_items[i - 1];
    {{
{output_statement};
    }}
}}
"""


class GenericScanKernel:
    """What elements up to each have in common, of snippets of C.

    Parameters
    ----------
    ctx : Context
    dtype : dtype
        Of what is scanned; of a multiple of 4 bytes, as pyopencl wants it.
    arguments : str or list
        A C argument list; the first array says how many elements there are.
    input_expr : str
        Of the arguments at ``i``: what is scanned.
    scan_expr : str
        Of ``a``, what comes before, and ``b``; associative. In segments it heeds
        ``across_seg_boundary`` itself: ``across_seg_boundary ? b : a + b``.
    neutral : str
        An expression: what is before the first element.
    output_statement : str
        For each ``i``, with ``item``, ``prev_item``, ``last_item``, and ``N`` elements.
    is_segment_start_expr : str, optional
        Of the arguments, ``i`` and ``a``, the input: whether a segment begins.
    input_fetch_exprs : list of tuples, optional
        ``(name, argument, offset)``, an offset of 0 or -1: names for elements in `input_expr`.
    index_dtype : dtype, optional
        Of ``i`` and ``N``; int32 unless given.
    name_prefix : str, optional
    options : str or list of str, optional
        As `Program.build` takes them.
    preamble : str, optional
        Stands in front of the kernels: functions, and pragmas.
    devices : list of Device, optional

    Raises
    ------
    TypeError, ValueError, builtins.RuntimeError
        If an argument is none of these.
    RuntimeError
        If a kernel does not build.

    Examples
    --------
    >>> import numpy as np
    >>> import halfcl.cl.pyopencl as cl, halfcl.cl.pyopencl.array as cl_array
    >>> from halfcl.cl.pyopencl.scan import GenericScanKernel
    >>> context = cl.create_some_context()
    >>> queue = cl.CommandQueue(context)
    >>> sums = GenericScanKernel(context, np.float32, "half *x, float *out", "(float) x[i]",
    ...                          "a + b", "0", "out[i] = item;")
    >>> x = cl_array.to_device(queue, np.array([1, 0.5, 0.25], np.float16))
    >>> out = cl_array.empty(queue, 3, np.float32)
    >>> _ = sums(x, out)
    >>> out
    cl.Array([1.  , 1.5 , 1.75], dtype=float32)
    """

    def __init__(
        self,
        ctx: Context,
        dtype: DTypeLike,
        arguments: Arguments,
        input_expr: str,
        scan_expr: str,
        neutral: str | None,
        output_statement: str,
        is_segment_start_expr: str | None = None,
        input_fetch_exprs: Sequence[Fetch] | None = None,
        index_dtype: DTypeLike | None = None,
        name_prefix: str = "scan",
        options: Options = None,
        preamble: str = "",
        devices: Sequence[Device] | None = None,
    ) -> None:
        check_context("GenericScanKernel", ctx)
        self.context, self.dtype = ctx, np.dtype(dtype)
        if neutral is None:
            raise ValueError("must provide a 'neutral' element in scan")
        if self.dtype.itemsize % 4:
            raise TypeError("scan value type must have size divisible by 4 bytes")
        index = np.dtype(np.int32 if index_dtype is None else index_dtype)
        if index.kind != "i":
            raise TypeError("index_dtype must be signed")
        self.arguments = parse_arg_list(arguments, with_offset=True)
        self._first = _first_array(self.arguments)
        self._name, self._options = name_prefix, options
        parts = {
            "name": name_prefix, "arguments": declared(self.arguments),
            "index": dtype_to_ctype(index), "neutral": neutral,
            "fetches": _fetches(self.arguments, input_fetch_exprs or ()),
            "is_start": for_macro(is_segment_start_expr or "0"),
            "output_statement": output_statement,
        }  # fmt: skip
        self._source = f"""{preamble}
typedef {dtype_to_ctype(self.dtype)} scan_type;
#define SCAN_EXPR(a, b, across_seg_boundary) ({for_macro(scan_expr)})
#define INPUT_EXPR(i) ({for_macro(input_expr)})
{_COMBINE.format(**parts)}{_READ.format(**parts)}{_WRITE.format(**parts)}"""
        kernel_of(self._source, f"{name_prefix}_read", options)  # what is wrong is told at once

    def __call__(
        self,
        *args: Any,
        allocator: Allocator | None = None,
        queue: CommandQueue | None = None,
        size: int | None = None,
        wait_for: Iterable[Event] | None = None,
    ) -> Event:
        """Do it, for all elements of the first array or for so many."""
        if len(args) != len(self.arguments):
            raise TypeError(f"expected {len(self.arguments)} arguments, got {len(args)}")
        values = values_of(self._name, self.arguments, args)
        first: Array = args[self._first]
        chosen = queue or first.queue
        if chosen is None:
            raise ValueError("PyOpenCL array has no queue; call .with_queue() to add one")
        count = first.shape[0] if size is None else size
        if count == 0:
            return enqueue_marker(chosen, wait_for)
        event = self._scan(chosen, values, count, wait_for)
        for value in args:
            if isinstance(value, Array):
                value.add_event(event)
        return event

    def _scan(
        self, queue: CommandQueue, values: Sequence[object], count: int,
        wait_for: Iterable[Event] | None,
    ) -> Event:  # fmt: skip
        items, new_items = (Array(queue, count, self.dtype) for _ in range(2))
        starts, new_starts, is_start = (Array(queue, count, np.int8) for _ in range(3))

        def launch(stage: str, *given: object) -> Event:
            kernel = kernel_of(self._source, f"{self._name}_{stage}", self._options)
            memory = [x.memory() if isinstance(x, Array) else x for x in given]
            return kernel(queue, (count,), None, *memory, wait_for=wait_for)

        launch("read", *values, items, starts, is_start, count)
        step = 1
        while step < count:
            launch("combine", items, new_items, starts, new_starts, step)
            items, new_items, starts, new_starts = new_items, items, new_starts, starts
            step *= 2
        return launch("write", *values, items, is_start, count)


class GenericDebugScanKernel(GenericScanKernel):
    """The same: here nothing runs at once that a debugger would have to part."""


class _OfOneArray(GenericScanKernel):
    """A scan of an array into another, or into itself."""

    _statement = ""

    def __init__(
        self,
        ctx: Context,
        dtype: DTypeLike,
        scan_expr: str,
        neutral: str | None = None,
        name_prefix: str = "scan",
        options: Options = None,
        preamble: str = "",
        devices: Sequence[Device] | None = None,
    ) -> None:
        kind = dtype_to_ctype(dtype)
        super().__init__(
            ctx, dtype, f"__global {kind} *input_ary, __global {kind} *output_ary",
            "input_ary[i]", scan_expr, neutral, self._statement, name_prefix=name_prefix,
            options=options, preamble=preamble, devices=devices,
        )  # fmt: skip

    def __call__(  # type: ignore[override]
        self,
        input_ary: Array,
        output_ary: Array | str | None = None,
        allocator: Allocator | None = None,
        queue: CommandQueue | None = None,
    ) -> Array:
        """The result, in an array that is given, in a "new" one, or in the input itself."""
        if output_ary is None:
            output_ary = input_ary
        if isinstance(output_ary, str):
            if output_ary != "new":
                raise ValueError(f"output_ary: expected an Array or 'new', got {output_ary!r}")
            output_ary = empty_like(input_ary)
        if input_ary.shape != output_ary.shape:
            raise ValueError("input and output must have the same shape")
        super().__call__(input_ary, output_ary, queue=queue)
        return output_ary


class InclusiveScanKernel(_OfOneArray):
    """``InclusiveScanKernel(ctx, dtype, scan_expr, neutral)``: each element with all before it.

    Examples
    --------
    >>> import numpy as np
    >>> import halfcl.cl.pyopencl as cl, halfcl.cl.pyopencl.array as cl_array
    >>> from halfcl.cl.pyopencl.scan import InclusiveScanKernel
    >>> context = cl.create_some_context()
    >>> x = cl_array.arange(cl.CommandQueue(context), 5, dtype=np.int32)
    >>> InclusiveScanKernel(context, np.int32, "a + b", "0")(x)
    cl.Array([ 0,  1,  3,  6, 10], dtype=int32)
    """

    _statement = "output_ary[i] = item;"


class ExclusiveScanKernel(_OfOneArray):
    """``ExclusiveScanKernel(ctx, dtype, scan_expr, neutral)``: all that is before each element.

    Examples
    --------
    >>> import numpy as np
    >>> import halfcl.cl.pyopencl as cl, halfcl.cl.pyopencl.array as cl_array
    >>> from halfcl.cl.pyopencl.scan import ExclusiveScanKernel
    >>> context = cl.create_some_context()
    >>> x = cl_array.arange(cl.CommandQueue(context), 5, dtype=np.int32)
    >>> ExclusiveScanKernel(context, np.int32, "a + b", "0")(x)
    cl.Array([0, 0, 1, 3, 6], dtype=int32)
    """

    _statement = "output_ary[i] = prev_item;"


def _first_array(arguments: Sequence[Argument]) -> int:
    for number, argument in enumerate(arguments):
        if isinstance(argument, VectorArg):
            return number
    raise ValueError("arguments: expected an array, got none")


def _fetches(arguments: Sequence[Argument], exprs: Sequence[Fetch]) -> str:
    """Declarations of elements by names of their own."""
    kinds = {argument.name: dtype_to_ctype(argument.dtype) for argument in arguments}
    lines = []
    for name, array, offset in exprs:
        if offset not in (0, -1):
            raise RuntimeError("input_fetch_expr offsets must either be 0 or -1")
        if array not in kinds:
            raise ValueError(f"input_fetch_exprs: no argument {array!r}")
        lines.append(f"    {kinds[array]} {name};")
        lines.append(f"    if (i + {offset} >= 0) {name} = {array}[i + {offset}];")
    return "\n".join(lines)


ScanTemplate = refusing("scan.ScanTemplate", TEMPLATES)

publish(globals())
