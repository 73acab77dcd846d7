"""Array, and what makes arrays."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from halfcl.cl.pyopencl._arithmetic import BOOL, Arithmetic
from halfcl.cl.pyopencl._ctypes import dtype_to_ctype
from halfcl.cl.pyopencl._devices import CommandQueue, Event
from halfcl.cl.pyopencl._layout import SAME_QUEUE, Allocator, ArrayBase
from halfcl.cl.pyopencl._reducing import Reduction
from halfcl.cl.pyopencl._snippets import run


class Array(Arithmetic):
    """An array in a buffer, with NumPy's operators: each runs a kernel that halfcl makes.

    Parameters
    ----------
    cq : CommandQueue or Context
        Where operators run; with a context alone there are none.
    shape : int or tuple of int
    dtype : dtype
        float16, halfcl's half, float32, float64 or integers. Complex numbers are refused, once they
        are computed with.
    order : {"C", "F"}, optional
    allocator : callable, optional
        Gives a Buffer of as many bytes as it is asked for.
    data : Buffer, optional
        Where the elements are, `offset` bytes from its beginning; unless given, new memory.
    offset : int, optional
    strides : tuple of int, optional
        In bytes.
    events : list of Event, optional
        What the elements depend on.

    Attributes
    ----------
    queue : CommandQueue or None
    context : Context
    shape, strides : tuple of int
    dtype : dtype
    size, ndim, nbytes, offset : int
    base_data : Buffer or None
        None if there are no elements.
    data : Buffer or None
        The same, if the elements begin where it does.

    Raises
    ------
    TypeError, ValueError
        If an argument is none that makes an array.

    Notes
    -----
    Results are those that pyopencl's kernels give, each operation rounded correctly: a quotient by
    a number is a product with its reciprocal, for one. Operators take arrays in one piece, of one
    shape and order; others are a NotImplementedError, as in pyopencl. Comparisons give int8.

    Examples
    --------
    >>> import numpy as np
    >>> import halfcl.cl.pyopencl as cl, halfcl.cl.pyopencl.array as cl_array
    >>> queue = cl.CommandQueue(cl.create_some_context())
    >>> x = cl_array.to_device(queue, np.array([0.1, 0.2, 0.3], np.float16))
    >>> x + x * x
    cl.Array([0.11  , 0.24  , 0.3901], dtype=float16)
    >>> x[1:].get()
    array([0.2, 0.3], dtype=float16)
    """

    def __getitem__(self, index: object) -> Self:
        if not isinstance(index, ArrayBase):
            return self.part(index)
        _check_indices(self, index)
        out = self._like(index.shape, self.dtype)
        return run(out, "z[i] = x[indices[i]]", x=self, indices=index)

    def __setitem__(self, subscript: object, value: object) -> None:
        self.setitem(subscript, value)

    def setitem(
        self, subscript: object, value: object, queue: CommandQueue | None = None,
        wait_for: Iterable[Event] | None = None,
    ) -> None:  # fmt: skip
        """Let elements be a number, or an array's."""
        if isinstance(subscript, ArrayBase):
            _check_indices(self, subscript)
            chosen = queue or self.queue
            put(self, subscript, value, chosen, wait_for)
            return
        target = self.part(subscript)
        if not target.size:
            return
        if isinstance(value, np.ndarray):
            chosen = queue or self.queue
            assert chosen is not None
            value = to_device(chosen, value)
        if not isinstance(value, ArrayBase):
            target.fill(value, queue, wait_for)
            return
        if target.ndim != value.ndim:
            raise NotImplementedError("broadcasting is not supported in __setitem__")
        if target.shape != value.shape:
            raise ValueError("cannot assign between arrays of differing shapes")
        run(target, "z[i] = x[i]", queue=queue, wait_for=wait_for, x=value)

    def any(
        self, queue: CommandQueue | None = None, wait_for: Iterable[Event] | None = None
    ) -> Array:
        """Whether one is not 0: int8, without axes."""
        return self._asked("false", "a || b", queue, wait_for)

    def all(
        self, queue: CommandQueue | None = None, wait_for: Iterable[Event] | None = None
    ) -> Array:
        """Whether none is 0: int8, without axes."""
        return self._asked("true", "a && b", queue, wait_for)

    def _asked(
        self, neutral: str, reduce_expr: str, queue: CommandQueue | None,
        wait_for: Iterable[Event] | None,
    ) -> Array:  # fmt: skip
        arguments = f"const {dtype_to_ctype(self.dtype)} *in"
        ask = Reduction(BOOL, neutral, reduce_expr, "(bool) (in[i])", arguments)
        return ask.on(Array, (self,), queue=queue, wait_for=wait_for)[0]


def _check_indices(array: ArrayBase, index: ArrayBase) -> None:
    if index.dtype.kind not in "iu":
        raise TypeError("fancy indexing is only allowed with integers")
    if index.ndim != 1:
        raise NotImplementedError("multidimensional fancy indexing is not supported")
    if array.ndim != 1:
        raise NotImplementedError("fancy indexing into a multi-d array is not supported")


def put(
    array: Array, indices: ArrayBase, value: Any, queue: CommandQueue | None,
    wait_for: Iterable[Event] | None = None,
) -> None:  # fmt: skip
    """array[indices] = value."""
    given = value if isinstance(value, ArrayBase) else array.dtype.type(value)
    is_one = not isinstance(value, ArrayBase) or value.shape == ()
    source = ("x[0]" if isinstance(value, ArrayBase) else "x") if is_one else "x[i]"
    index = indices.with_queue(queue or array.queue)
    kind = dtype_to_ctype(array.dtype)
    # The indices are what is gone through; they stay as they are.
    run(
        index, f"to[z[i]] = ({kind}) {source}", queue=queue, wait_for=wait_for, to=array, x=given
    )  # fmt: skip


empty = Array


def to_device(
    queue: CommandQueue,
    ary: NDArray[Any],
    allocator: Allocator | None = None,
    async_: bool = False,
    array_queue: object = SAME_QUEUE,
) -> Array:
    """A copy of an array of the host's.

    Parameters
    ----------
    queue : CommandQueue
    ary : ndarray
        In one piece, in C's order or Fortran's.
    allocator : callable, optional
    async_ : bool, optional
        It is done at once.
    array_queue : CommandQueue or None, optional
        The array's, if it is not `queue`.

    Returns
    -------
    Array

    Raises
    ------
    builtins.RuntimeError
        If it is of objects, or not in one piece.

    Examples
    --------
    >>> import numpy as np
    >>> import halfcl.cl.pyopencl as cl, halfcl.cl.pyopencl.array as cl_array
    >>> queue = cl.CommandQueue(cl.create_some_context())
    >>> cl_array.to_device(queue, np.float32([1, 2])) * 3
    cl.Array([3., 6.], dtype=float32)
    """
    if ary.dtype.hasobject:
        raise RuntimeError("to_device does not work on object arrays.")
    found = Array(queue, ary.shape, ary.dtype, allocator=allocator, strides=ary.strides)
    found.set(ary, queue, async_)
    return found if array_queue is SAME_QUEUE else found.with_queue(array_queue)  # type: ignore[arg-type]


def zeros(
    queue: CommandQueue, shape: int | Iterable[int], dtype: DTypeLike, order: str = "C",
    allocator: Allocator | None = None,
) -> Array:  # fmt: skip
    """An array of zeros."""
    return Array(queue, shape, dtype, order, allocator).clear()


def empty_like(
    ary: Array, queue: CommandQueue | object = SAME_QUEUE, allocator: Allocator | None = None
) -> Array:
    """An array of another's shape, dtype and order, of any values."""
    found = ary.new_like()
    return found if queue is SAME_QUEUE else found.with_queue(queue)  # type: ignore[arg-type]


def zeros_like(ary: Array) -> Array:
    """An array of another's shape, dtype and order, of zeros."""
    return ary.new_like().clear()


_ARANGE = ("start", "stop", "step")


def arange(queue: CommandQueue, *args: object, **kwargs: object) -> Array:
    """``arange(queue, [start,] stop [, step], dtype=...)``: numbers at equal distances.

    Raises
    ------
    TypeError
        If there is no dtype.
    ValueError
        If there is no stop, or an argument is there twice, or unknown.

    Examples
    --------
    >>> import halfcl as hc
    >>> import halfcl.cl.pyopencl as cl, halfcl.cl.pyopencl.array as cl_array
    >>> queue = cl.CommandQueue(cl.create_some_context())
    >>> cl_array.arange(queue, 0, 1, 0.25, dtype=hc.half)
    cl.Array([0.  , 0.25, 0.5 , 0.75], dtype=half)
    """
    given: dict[str, Any] = {}
    if args and isinstance(args[-1], np.dtype):
        given["dtype"], args = args[-1], args[:-1]
    if len(args) > 3:
        raise ValueError("too many arguments")
    given.update(zip(_ARANGE if len(args) > 1 else ("stop",), args, strict=False))
    for name, value in kwargs.items():
        if name not in (*_ARANGE, "dtype", "allocator"):
            raise ValueError(f"unexpected keyword argument '{name}'")
        if name in given:
            raise ValueError(f"may not specify '{name}' by position and keyword")
        given[name] = value
    if given.get("stop") is None:
        raise ValueError("stop argument required")
    if given.get("dtype") is None:
        raise TypeError("arange requires a dtype argument")
    dtype = np.dtype(given["dtype"])
    start, stop, step = (
        dtype.type(given.get(name, default))
        for name, default in zip(_ARANGE, (0, None, 1), strict=True)
    )
    count = max(0, math.ceil((float(stop) - float(start)) / float(step)))
    out = Array(queue, count, dtype, allocator=given.get("allocator"))
    operation = f"z[i] = start + (({dtype_to_ctype(dtype)}) i) * step"
    return run(out, operation, start=start, step=step)
