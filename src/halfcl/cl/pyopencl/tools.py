"""What kernels made of snippets need to know of types and arguments: pyopencl.tools."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from halfcl._support.names import publish
from halfcl.cl.pyopencl._constants import mem_flags
from halfcl.cl.pyopencl._ctypes import dtype_to_ctype, get_or_register_dtype
from halfcl.cl.pyopencl._devices import CommandQueue, Context, Device
from halfcl.cl.pyopencl._memory import Buffer
from halfcl.cl.pyopencl._programs import Program
from halfcl.cl.pyopencl._snippets import (
    Argument,
    ScalarArg,
    VectorArg,
    parse_arg_list,
    parse_c_arg,
)
from halfcl.cl.pyopencl._transfers import enqueue_copy

__all__ = [
    "Argument",
    "DeferredAllocator",
    "ImmediateAllocator",
    "MemoryPool",
    "ScalarArg",
    "VectorArg",
    "context_dependent_memoize",
    "dtype_to_c_struct",
    "dtype_to_ctype",
    "get_or_register_dtype",
    "match_dtype_to_c_struct",
    "parse_arg_list",
    "parse_c_arg",
    "register_dtype",
]

_F = TypeVar("_F", bound=Callable[..., Any])


class DeferredAllocator:
    """Gives buffers of so many bytes, in a context."""

    def __init__(self, context: Context, mem_flags: int = mem_flags.READ_WRITE) -> None:
        self._context, self._flags = context, mem_flags

    def __call__(self, size: int) -> Buffer:
        return Buffer(self._context, self._flags, size)


class ImmediateAllocator(DeferredAllocator):
    """Gives buffers of so many bytes, in a queue's context."""

    def __init__(self, queue: CommandQueue, mem_flags: int = mem_flags.READ_WRITE) -> None:
        super().__init__(queue.context, mem_flags)


class MemoryPool:
    """Gives buffers as an allocator does; it keeps none, since they cost little."""

    active_bytes = managed_bytes = held_blocks = active_blocks = 0

    def __init__(self, allocator: Callable[[int], Buffer]) -> None:
        self._allocator = allocator

    def allocate(self, size: int) -> Buffer:
        return self._allocator(size)

    __call__ = allocate

    def free_held(self) -> None:
        """There is nothing held."""

    def stop_holding(self) -> None:
        """There is nothing held."""


def context_dependent_memoize(func: _F) -> _F:
    """Remember a function's results, by all of its arguments."""
    return functools.lru_cache(maxsize=None)(func)  # type: ignore[return-value]


def register_dtype(dtype: Any, name: Any) -> None:
    """`get_or_register_dtype`, as it was called once."""
    get_or_register_dtype(name, dtype)


def match_dtype_to_c_struct(
    device: Device, name: str, dtype: np.dtype[Any], context: Context | None = None
) -> tuple[np.dtype[Any], str]:
    """A struct's dtype with its fields where C has them, and its declaration.

    Raises
    ------
    ValueError
        If the dtype has no fields, or one is of a dtype that C has no name for.

    Examples
    --------
    >>> import numpy as np
    >>> import halfcl.cl.pyopencl as cl
    >>> from halfcl.cl.pyopencl.tools import match_dtype_to_c_struct
    >>> device = cl.create_some_context().devices[0]
    >>> dtype = np.dtype([("h", np.float16), ("n", np.int32)])
    >>> dtype, declaration = match_dtype_to_c_struct(device, "pair", dtype)
    >>> dtype.fields["n"], dtype.itemsize
    ((dtype('int32'), 4), 8)
    >>> print(declaration.strip())
    typedef struct {
      half h;
      int n;
    } pair;
    """
    if not dtype.fields:
        raise ValueError(f"dtype has no fields: '{dtype}'")
    fields = sorted(dtype.fields.items(), key=lambda field: field[1][1])
    lines = "".join(f"  {_declared(field, kind)};\n" for field, (kind, *_) in fields)
    declaration = f"typedef struct {{\n{lines}}} {name};\n\n"
    sizes = _size_and_offsets(name, declaration, [field for field, _ in fields])
    found = np.dtype({
        "names": [field for field, _ in fields],
        "formats": [kind for _, (kind, *_) in fields],
        "offsets": sizes[1:], "itemsize": sizes[0],
    })  # fmt: skip
    return found, declaration


def _declared(name: str, kind: np.dtype[Any]) -> str:
    base, shape = kind.subdtype or (kind, ())
    return f"{dtype_to_ctype(base)} {name}{''.join(f'[{size}]' for size in shape)}"


def _size_and_offsets(name: str, declaration: str, fields: list[str]) -> list[int]:
    """As the compiler has them."""
    places = "".join(
        f"    result[{k}] = (uchar *) &it.{field} - (uchar *) &it;\n"
        for k, field in enumerate(fields, 1)
    )
    source = f"""#pragma OPENCL EXTENSION cl_khr_fp16 : enable
{declaration}
kernel void sizes(global uint *result)
{{
    {name} it;
    result[0] = sizeof({name});
{places}}}
"""
    context = Context()
    queue = CommandQueue(context)
    result = np.zeros(1 + len(fields), np.uint32)
    buffer = Buffer(context, mem_flags.READ_WRITE, result.nbytes)
    Program(context, source).build().sizes(queue, (1,), None, buffer)
    enqueue_copy(queue, result, buffer)
    return [int(size) for size in result]


def dtype_to_c_struct(device: Device, dtype: np.dtype[Any]) -> str:
    """A struct's declaration, by the name that it is registered with; nothing for others."""
    if dtype.fields is None or "s0" in dtype.fields:
        return ""
    return match_dtype_to_c_struct(device, dtype_to_ctype(dtype), dtype)[1]


publish(globals())
