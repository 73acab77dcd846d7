"""Reductions: sums and their like, in the order in which a device goes.

A work-group takes as many elements as it has work-items, again and again, and combines what these
have found in pairs that lie half of what is left apart. A second kernel does so with what the
groups have found.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import DTypeLike

from halfcl.cl.pyopencl._ctypes import dtype_to_ctype
from halfcl.cl.pyopencl._devices import CommandQueue, Event
from halfcl.cl.pyopencl._layout import Allocator, ArrayBase
from halfcl.cl.pyopencl._snippets import (
    Argument,
    Arguments,
    Options,
    VectorArg,
    declared,
    for_macro,
    kernel_of,
    parse_arg_list,
    values_of,
)

_GROUP = 256  # work-items of a work-group, a power of two
_EACH = 4  # elements that a work-item takes, unless there are too many for that
_MOST_GROUPS = 1024
_FOUND = "pyopencl_reduction_inp"

_A = TypeVar("_A", bound=ArrayBase)


def _source(
    name: str, out: str, arguments: Sequence[Argument], neutral: str, reduce_expr: str,
    map_expr: str, preamble: str,
) -> str:  # fmt: skip
    return f"""#define PCL_READ_AND_MAP(i) ({for_macro(map_expr)})
#define PCL_REDUCE(a, b) ({for_macro(reduce_expr)})
{preamble}
typedef {out} pcl_out_type;
__kernel void {name}(__global pcl_out_type *pcl_out, {declared(arguments)}long pcl_start,
                     long pcl_step, long pcl_count, long pcl_each)
{{
    __local pcl_out_type pcl_found[{_GROUP}];
    const int pcl_id = get_local_id(0);
    const long pcl_first = get_group_id(0) * pcl_each * {_GROUP} + pcl_id;
    pcl_out_type pcl_sum = {neutral};
    for (long pcl_k = 0; pcl_k < pcl_each; pcl_k++) {{
        const long pcl_place = pcl_first + pcl_k * {_GROUP};
        if (pcl_place < pcl_count) {{
            const long i = pcl_start + pcl_place * pcl_step;
            pcl_sum = PCL_REDUCE(pcl_sum, PCL_READ_AND_MAP(i));
        }}
    }}
    pcl_found[pcl_id] = pcl_sum;
    for (int pcl_half = {_GROUP // 2}; pcl_half > 0; pcl_half /= 2) {{
        barrier(CLK_LOCAL_MEM_FENCE);
        if (pcl_id < pcl_half)
            pcl_found[pcl_id] = PCL_REDUCE(pcl_found[pcl_id], pcl_found[pcl_id + pcl_half]);
    }}
    if (pcl_id == 0)
        pcl_out[get_group_id(0)] = pcl_found[0];
}}
"""


class Reduction:
    """Two kernels: of what is given, and of what the first has found."""

    def __init__(
        self, dtype_out: DTypeLike, neutral: str, reduce_expr: str, map_expr: str | None,
        arguments: Arguments, name: str = "reduce_kernel", options: Options = None,
        preamble: str = "",
    ) -> None:  # fmt: skip
        self.dtype_out, self._name = np.dtype(dtype_out), name
        first = parse_arg_list(arguments, with_offset=True)
        second = [VectorArg(self.dtype_out, _FOUND), *first]
        out = dtype_to_ctype(self.dtype_out)
        self._stages = []
        for number, expression, parameters in (
            (1, map_expr or "in[i]", first), (2, f"{_FOUND}[i]", second)
        ):  # fmt: skip
            stage = f"{name}_stage{number}"
            source = _source(stage, out, parameters, neutral, reduce_expr, expression, preamble)
            kernel_of(source, stage, options)  # what is wrong is told at once
            self._stages.append((source, stage, options, parameters))

    def on(
        self,
        kind: type[_A],
        args: Sequence[object],
        *,
        queue: CommandQueue | None = None,
        allocator: Allocator | None = None,
        wait_for: Iterable[Event] | None = None,
        out: _A | None = None,
        over: slice | None = None,
        part: slice | None = None,
    ) -> tuple[_A, Event]:
        """The result, in an array of a class; over: of indices, part: of the first array."""
        arrays = [value for value in args if isinstance(value, ArrayBase)]
        queue = queue or (arrays[0].queue if arrays else None)
        if queue is None:
            raise TypeError("must specify queue argument when no vector argument present")
        allocator = allocator or (arrays[0].allocator if arrays else None)
        places = _places(arrays, over, part)
        for source, stage, options, parameters in self._stages:
            groups, each = _sizes(len(places))
            found = kind(queue, () if groups == 1 else groups, self.dtype_out, allocator=allocator)
            if groups == 1 and out is not None:
                found = out
            values = values_of(self._name, parameters, args)
            counts = places.start, places.step, len(places), each
            event = kernel_of(source, stage, options)(
                queue, (groups * _GROUP,), (_GROUP,), found.memory(), *values, *counts,
                wait_for=wait_for,
            )  # fmt: skip
            found.add_event(event)
            if groups == 1:
                break
            args, places = (found, *args), range(groups)
        return found, event


def _places(arrays: Sequence[ArrayBase], over: slice | None, part: slice | None) -> range:
    """The indices that are gone through."""
    if over is not None and part is not None:
        raise TypeError("may not specify both range and slice keyword arguments")
    if over is not None:
        return range(over.start or 0, over.stop, over.step or 1)
    if not arrays:
        raise TypeError("must have vector argument when range is not specified")
    return range(arrays[0].size)[part or slice(None)]


def _sizes(count: int) -> tuple[int, int]:
    """How many work-groups there are, and how many elements a work-item takes."""
    if count <= _EACH * _GROUP * _MOST_GROUPS:
        return max(1, -(-count // (_EACH * _GROUP))), _EACH
    return _MOST_GROUPS, -(-count // (_GROUP * _MOST_GROUPS))
