"""Sums and their like of arrays: pyopencl.reduction."""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from typing import Any

from numpy.typing import DTypeLike

from halfcl._support.names import publish
from halfcl.cl.pyopencl._arrays import Array
from halfcl.cl.pyopencl._devices import CommandQueue, Context, Event, check_context
from halfcl.cl.pyopencl._layout import Allocator
from halfcl.cl.pyopencl._reducing import Reduction
from halfcl.cl.pyopencl._refused import TEMPLATES, refusing
from halfcl.cl.pyopencl._snippets import Arguments, Options

__all__ = ["ReductionKernel", "ReductionTemplate"]


class ReductionKernel(Reduction):
    """What elements have in common, of snippets of C.

    Parameters
    ----------
    ctx : Context
    dtype_out : dtype
        Of what is reduced, and of the result.
    neutral : str
        An expression: what the reduction begins with.
    reduce_expr : str
        Of ``a`` and ``b``; associative and commutative.
    map_expr : str, optional
        Of the arguments at ``i``; ``in[i]`` unless given.
    arguments : str or list
        A C argument list.
    name : str, optional
    options : str or list of str, optional
        As `Program.build` takes them.
    preamble : str, optional
        Stands in front of the kernel: functions, and pragmas.

    Raises
    ------
    ValueError, builtins.RuntimeError
        If the arguments are none.
    NotImplementedError
        If one is complex.
    RuntimeError
        If the kernel does not build.

    Examples
    --------
    >>> import numpy as np
    >>> import halfcl.cl.pyopencl as cl, halfcl.cl.pyopencl.array as cl_array
    >>> from halfcl.cl.pyopencl.reduction import ReductionKernel
    >>> context = cl.create_some_context()
    >>> queue = cl.CommandQueue(context)
    >>> longest = ReductionKernel(
    ...     context, np.float16, "0", "max(a, b)", "hypot(x[i], y[i])", "half *x, half *y")
    >>> x, y = (cl_array.to_device(queue, np.array(a, np.float16)) for a in ([3, 1], [4, 1]))
    >>> longest(x, y).get()
    array(5., dtype=float16)
    """

    def __init__(
        self,
        ctx: Context,
        dtype_out: DTypeLike,
        neutral: str,
        reduce_expr: str,
        map_expr: str | None = None,
        arguments: Arguments | None = None,
        name: str = "reduce_kernel",
        options: Options = None,
        preamble: str = "",
    ) -> None:
        check_context("ReductionKernel", ctx)
        if arguments is None:
            raise ValueError("arguments must not be None")
        super().__init__(
            dtype_out, neutral, reduce_expr, map_expr, arguments, name, options, preamble
        )

    def __call__(
        self,
        *args: object,
        return_event: bool = False,
        queue: CommandQueue | None = None,
        allocator: Allocator | None = None,
        wait_for: Iterable[Event] | None = None,
        out: Array | None = None,
        range: builtins.slice | None = None,
        slice: builtins.slice | None = None,
    ) -> Any:
        """The result, an array without axes; and the event, if it is asked for."""
        kinds = [type(value) for value in args if isinstance(value, Array)]
        found = self.on(
            kinds[0] if kinds else Array, args, queue=queue, allocator=allocator,
            wait_for=wait_for, out=out, over=range, part=slice,
        )  # fmt: skip
        return found if return_event else found[0]


ReductionTemplate = refusing("reduction.ReductionTemplate", TEMPLATES)

publish(globals())
