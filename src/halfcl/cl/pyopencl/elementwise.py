"""A snippet of C for each element: pyopencl.elementwise."""

from __future__ import annotations

import builtins
import re
import warnings
from collections.abc import Iterable

from halfcl._support.names import publish
from halfcl.cl.pyopencl._devices import CommandQueue, Context, Event, check_context
from halfcl.cl.pyopencl._layout import ArrayBase
from halfcl.cl.pyopencl._refused import TEMPLATES, refusing
from halfcl.cl.pyopencl._snippets import (
    Argument,
    Arguments,
    Options,
    VectorArg,
    elementwise_source,
    kernel_of,
    parse_arg_list,
    values_of,
)

__all__ = ["ElementwiseKernel", "ElementwiseTemplate"]


class ElementwiseKernel:
    """Does the same for all elements of arrays: a snippet of C.

    Parameters
    ----------
    context : Context
    arguments : str or list
        A C argument list, or of `tools.VectorArg` and `tools.ScalarArg`.
    operation : str
        Statements, for the index ``i``; of ``n``. ``PYOPENCL_ELWISE_CONTINUE`` ends them early.
    name : str, optional
    options : str or list of str, optional
        As `Program.build` takes them.
    preamble : str, optional
        Stands in front of the kernel: functions, and pragmas.
    loop_prep, after_loop : str, optional
        Statements before and after the operation.
    auto_preamble : bool, optional
        Changes nothing: nothing has to be declared.

    Raises
    ------
    ValueError, builtins.RuntimeError
        If the arguments are none, or there is no array among them.
    NotImplementedError
        If one is complex.

    Examples
    --------
    >>> import halfcl as hc
    >>> import halfcl.cl.pyopencl as cl, halfcl.cl.pyopencl.array as cl_array
    >>> from halfcl.cl.pyopencl.elementwise import ElementwiseKernel
    >>> context = cl.create_some_context()
    >>> queue = cl.CommandQueue(context)
    >>> preamble = '''
    ...     #pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable
    ...     #pragma OPENCL SELECT_ROUNDING_MODE rtp
    ... '''
    >>> axpy = ElementwiseKernel(context, "half a, half *x, half *y", "y[i] = a * x[i] + y[i]",
    ...                          preamble=preamble)
    >>> x = cl_array.arange(queue, 3, dtype=hc.half)
    >>> y = cl_array.zeros(queue, 3, hc.half)
    >>> _ = axpy(0.1, x, y)
    >>> y
    cl.Array([0. , 0.1, 0.2], dtype=half)
    """

    def __init__(
        self,
        context: Context,
        arguments: Arguments,
        operation: str,
        name: str = "elwise_kernel",
        options: Options = None,
        *,
        preamble: str = "",
        loop_prep: str = "",
        after_loop: str = "",
        auto_preamble: bool = True,
    ) -> None:
        check_context("ElementwiseKernel", context)
        self.context, self.operation, self.name, self.options = context, operation, name, options
        self.arguments: list[Argument] = parse_arg_list(arguments, with_offset=True)
        if not any(isinstance(argument, VectorArg) for argument in self.arguments):
            raise RuntimeError(
                "ElementwiseKernel can only be used with functions that have at least one "
                "vector argument"
            )
        if re.search(r"\breturn\b", operation):
            warnings.warn(
                "Using a 'return' statement in an element-wise operation will likely lead to "
                "incorrect results. Use PYOPENCL_ELWISE_CONTINUE instead.",
                stacklevel=2,
            )
        self._parts = preamble, loop_prep, after_loop

    def _source(self, use_range: bool) -> str:
        return elementwise_source(
            self.name, self.arguments, self.operation, *self._parts, use_range
        )

    def __call__(
        self,
        *args: object,
        range: builtins.slice | None = None,
        slice: builtins.slice | None = None,
        queue: CommandQueue | None = None,
        wait_for: Iterable[Event] | None = None,
    ) -> Event:
        """Do it; with ``range``, at these indices, with ``slice`` at those of the first array."""
        if range is not None and slice is not None:
            raise TypeError("may not specify both range and slice keyword arguments")
        values = values_of(self.name, self.arguments, args)
        first = next(value for value in args if isinstance(value, ArrayBase))
        use_range = range is not None or slice is not None
        places = builtins.range(first.size)
        if slice is not None:
            places = places[slice]
        if range is not None:
            places = builtins.range(range.start or 0, range.stop, range.step or 1)
        counts = (places.start, places.stop, places.step) if use_range else (first.size,)
        chosen = queue or first.queue
        if chosen is None:
            raise ValueError("PyOpenCL array has no queue; call .with_queue() to add one")
        event = kernel_of(self._source(use_range), self.name, self.options)(
            chosen, (len(places),), None, *values, *counts, wait_for=wait_for,
            allow_empty_ndrange=True,
        )  # fmt: skip
        for value in args:
            if isinstance(value, ArrayBase):
                value.add_event(event)
        return event


ElementwiseTemplate = refusing("elementwise.ElementwiseTemplate", TEMPLATES)

publish(globals())
