"""The rules of launches: what a translation needs that the program does not know of.

The layer sets arguments and launches kernels by them (csrc/layer/launches.c).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from halfcl.cl._frontend import tree
from halfcl.cl._frontend.errors import BuildError, Diagnostic
from halfcl.cl._frontend.source import Source
from halfcl.cl._frontend.types import SAMPLER
from halfcl.cl._translation.images import computes_samplers
from halfcl.cl._translation.sub_groups import (
    is_sub_group_call,
    lanes_of,
    needs_one_sub_group,
    needs_row,
    uses_sub_groups,
)

#: The layer keeps a bit per argument.
_MOST_ARGUMENTS = 64

_IS_ROW, _IS_SIZED = 1, 2


class Launches:
    """The needs of launches of a program's kernels. most_items: see `Device`."""

    def __init__(self, source: Source, most_items: int) -> None:
        self._source, self._most_items = source, most_items
        self._is_linked = source.options.is_linked
        self.samplers_are_numbers = computes_samplers(source.tree, is_linked=self._is_linked)

    def check(self) -> None:
        """Raise BuildError if the layer cannot launch what the program needs."""
        refused = [x for function in self._functions() for x in self._reasons(function)]
        if refused:
            raise BuildError(refused)

    def rules(self) -> Iterator[str]:
        """Yield a line for each kernel that has rules."""
        for function in self._functions():
            if not function.is_kernel:
                continue
            samplers = sum(1 << i for i in self._samplers(function))
            sizes = self._sizes(function) if uses_sub_groups(function) else (0, 0, 0)
            if samplers or any(sizes):
                yield "\t".join(map(str, (function.name, *sizes, samplers))) + "\n"

    def _functions(self) -> Iterator[tree.Function]:
        return (f for f in self._source.tree.functions.values() if f.body is not None)

    def _samplers(self, kernel: tree.Function) -> list[int]:
        """Return the positions of the arguments that are samplers in the author's text alone."""
        if not self.samplers_are_numbers:
            return []
        return [i for i, each in enumerate(kernel.parameters) if each.type == SAMPLER]

    def _sizes(self, kernel: tree.Function) -> tuple[int, int, int]:
        """Return the most work-items of a work-group, the size of sub-groups, and flags."""
        flags = _IS_SIZED if kernel.required_size else 0
        most, lanes = math.prod(kernel.required_size or (self._most_items,)), lanes_of(kernel)
        if needs_one_sub_group(kernel):
            most = min(most, lanes)
            flags |= _IS_ROW if needs_row(kernel) else 0
        return most, lanes, flags

    # ------------------------------------------------------------ what is refused

    def _reasons(self, function: tree.Function) -> Iterator[Diagnostic]:
        """Yield why a function's program is not translated."""
        if any(i >= _MOST_ARGUMENTS for i in self._samplers(function)):
            yield self._refusal(function, f"samplers behind argument {_MOST_ARGUMENTS}")
        if not uses_sub_groups(function):
            return
        if function.is_kernel:
            yield from self._reasons_of_size(function)
        elif self._is_linked and not self._is_static(function):
            what = f"{function.name} uses sub-groups or work-groups, and other programs may call it"
            yield self._refusal(function, f"{what}: make it static")

    def _reasons_of_size(self, kernel: tree.Function) -> Iterator[Diagnostic]:
        required = math.prod(kernel.required_size or (1,))
        most, lanes, flags = self._sizes(kernel)
        if required > self._most_items:
            what = f"work-groups of {required:,} work-items, for whose sub-groups the device lacks"
            yield self._refusal(kernel, f"{what} local memory")
        elif required > most or (flags & _IS_ROW and required != (kernel.required_size or (1,))[0]):
            what = f"work-groups of {required} work-items where some may call functions of"
            row = ", which must lie along x" if flags & _IS_ROW else ""
            yield self._refusal(kernel, f"{what} sub-groups without others (of {lanes}{row})")

    def _refusal(self, function: tree.Function, what: str) -> Diagnostic:
        calls = [node for node in tree.walk(function) if is_sub_group_call(node)]
        place = self._source.text.place_of((calls[0] if calls else function).at)
        return Diagnostic(place, "error", f"not translated by the layer: {what}")

    def _is_static(self, function: tree.Function) -> bool:
        assert function.body is not None
        front = self._source.text.text.encode()[function.at : function.body.at]
        return b"static" in front.partition(b"(")[0].split()
