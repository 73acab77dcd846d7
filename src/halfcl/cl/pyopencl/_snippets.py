"""Kernels made of snippets of C: their arguments, and how they are built and launched."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import DTypeLike

from halfcl.cl.pyopencl._ctypes import dtype_of, dtype_to_ctype
from halfcl.cl.pyopencl._devices import CommandQueue, Event, create_some_context
from halfcl.cl.pyopencl._layout import ArrayBase
from halfcl.cl.pyopencl._programs import Kernel, Program


class Argument:
    """Of a kernel that is made of snippets: a name and a dtype."""

    def __init__(self, dtype: DTypeLike, name: str) -> None:
        self.dtype, self.name = np.dtype(dtype), name

    def declarator(self) -> str:
        """As the kernel's signature has it."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), self.dtype, self.name))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.dtype}, {self.name!r})"


class VectorArg(Argument):
    """An array."""

    def __init__(self, dtype: DTypeLike, name: str, with_offset: bool = False) -> None:
        super().__init__(dtype, name)
        self.with_offset = with_offset

    def declarator(self) -> str:
        """As the kernel's signature has it."""
        return f"__global {dtype_to_ctype(self.dtype)} *{self.name}"


class ScalarArg(Argument):
    """A number."""

    def declarator(self) -> str:
        """As the kernel's signature has it."""
        return f"{dtype_to_ctype(self.dtype)} {self.name}"


Arguments: TypeAlias = "str | Sequence[Argument | str]"
Options: TypeAlias = "str | Sequence[str] | None"

#: Of a scan: a name for an element, its array's, and an offset of 0 or -1.
Fetch = tuple[str, str, int]

_QUALIFIER = re.compile(r"\b(__global|global|const|volatile|__restrict__|__restrict|restrict)\b")
_DECLARATOR = re.compile(r"(\**)\s*(\w+)(\s*\[[ 0-9]*\])*\s*$")


def parse_c_arg(c_arg: str, with_offset: bool = False) -> Argument:
    """An argument, of its C declaration.

    Raises
    ------
    builtins.RuntimeError
        If it is in local or constant memory.
    ValueError
        If it is no declaration, or of a type that is not known.

    Examples
    --------
    >>> from halfcl.cl.pyopencl.tools import parse_c_arg
    >>> parse_c_arg("__global const half *x"), parse_c_arg("unsigned int n")
    (VectorArg(float16, 'x'), ScalarArg(uint32, 'n'))
    """
    if re.search(r"\b(__)?(local|constant)\b", c_arg):
        raise RuntimeError(
            "cannot deal with local or constant OpenCL address spaces in C argument lists"
        )
    plain = _QUALIFIER.sub(" ", c_arg)
    found = _DECLARATOR.search(plain)
    if found is None:
        raise ValueError(f"couldn't parse C declarator '{plain}'")
    stars, name, brackets = found.groups()
    dtype = dtype_of(plain[: found.start()])
    return VectorArg(dtype, name, with_offset) if stars or brackets else ScalarArg(dtype, name)


def parse_arg_list(arguments: Arguments, with_offset: bool = False) -> list[Argument]:
    """Arguments, of a C argument list or of what it has."""
    parts = arguments.split(",") if isinstance(arguments, str) else arguments
    return [parse_c_arg(part, with_offset) if isinstance(part, str) else part for part in parts]


def declared(arguments: Iterable[Argument]) -> str:
    """The arguments, each with a comma behind it."""
    return "".join(f"{argument.declarator()}, " for argument in arguments)


def for_macro(code: str) -> str:
    """A snippet as a macro's body."""
    code = code.replace("//CL//", "\n")
    if "//" in code:
        raise RuntimeError("end-of-line comments ('//') may not be used in code snippets")
    return code.replace("\n", " \\\n")


_HALVES = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"


@functools.lru_cache(maxsize=1024)
def _program(source: str, options: str) -> Program:
    """Built once: pyopencl keeps what it builds, too."""
    return Program(create_some_context(), _HALVES + source).build(options)


def kernel_of(source: str, name: str, options: Options = None) -> Kernel:
    """One of its own, which remembers arguments; of a program that others may have built."""
    chosen = options if isinstance(options, str) else " ".join(options or ())
    return Kernel(_program(source, chosen), name)


def values_of(name: str, arguments: Sequence[Argument], values: Sequence[object]) -> list[object]:
    """What a kernel is called with: of arrays their memory, from where they begin.

    Raises
    ------
    TypeError
        If there are too few or too many, or one is no array and should be.
    builtins.RuntimeError
        If an array is not in one piece.
    """
    if len(values) != len(arguments):
        names = ", ".join(argument.name for argument in arguments)
        raise TypeError(f"{name}: expected {len(arguments)} arguments ({names}), got {len(values)}")
    return [_value(name, *each) for each in zip(arguments, values, strict=True)]


def _value(name: str, argument: Argument, value: object) -> object:
    if not isinstance(argument, VectorArg):
        if isinstance(value, ArrayBase):
            raise TypeError(f"{name}: argument {argument.name}: expected a number, got an Array")
        return value
    if not isinstance(value, ArrayBase):
        got = type(value).__name__
        raise TypeError(f"{name}: argument {argument.name}: expected an Array, got {got}")
    if not value.flags.forc:
        raise RuntimeError(f"{name} cannot deal with non-contiguous arrays")
    return value.memory()


_A = TypeVar("_A", bound=ArrayBase)


@dataclass
class Element:
    """What `run` makes an operation on: a pointer to an array's elements, or a number."""

    argument: Argument
    value: object

    @classmethod
    def of(cls, name: str, value: object) -> Element:
        if isinstance(value, ArrayBase):
            return cls(VectorArg(value.dtype, name), value)
        dtype = value.dtype if isinstance(value, np.generic) else np.array(value).dtype
        return cls(ScalarArg(dtype, name), value)


def elementwise_source(
    name: str, arguments: Sequence[Argument], operation: str, preamble: str = "",
    loop_prep: str = "", after_loop: str = "", use_range: bool = False,
) -> str:  # fmt: skip
    """A kernel that does something for each ``i``, one a work-item."""
    counts = "long start, long stop, long step" if use_range else "long n"
    first = "start + get_global_id(0) * step" if use_range else "get_global_id(0)"
    return f"""{preamble}
#define PYOPENCL_ELWISE_CONTINUE continue
__kernel void {name}({declared(arguments)}{counts})
{{
    int lid = get_local_id(0);
    int gsize = get_global_size(0);
    int work_group_start = get_local_size(0) * get_group_id(0);
    long i = {first};
    {loop_prep};
    do {{
{operation};
    }} while (0);
    {after_loop};
}}
"""


def run(
    out: _A,
    operation: str,
    *,
    queue: CommandQueue | None = None,
    wait_for: Iterable[Event] | None = None,
    **operands: object,
) -> _A:
    """Do something for each element of an array, named z, with operands by their names.

    Operands are arrays, or numbers of the dtype that they have.
    """
    chosen = queue or out.queue
    if chosen is None:
        raise ValueError(
            "PyOpenCL array has no queue; call .with_queue() to add one in order to be able to "
            "perform operations"
        )
    elements = [Element.of(name, value) for name, value in {"z": out, **operands}.items()]
    for element in elements:
        if isinstance(element.value, ArrayBase):
            _check_order(out, element.value)
    arguments = [element.argument for element in elements]
    kernel = kernel_of(elementwise_source("elwise", arguments, operation), "elwise")
    values = values_of("elwise", arguments, [element.value for element in elements])
    out.add_event(
        kernel(chosen, (out.size,), None, *values, out.size, wait_for=wait_for,
               allow_empty_ndrange=True)
    )  # fmt: skip
    return out


def _check_order(out: ArrayBase, operand: ArrayBase) -> None:
    """NotImplementedError if elements do not lie in memory as the result's do."""
    if not operand.flags.forc:
        raise NotImplementedError("cannot operate on non-contiguous array")
    alike = ("c_contiguous", "f_contiguous")
    if out.shape == operand.shape and not any(
        getattr(out.flags, order) and getattr(operand.flags, order) for order in alike
    ):
        raise NotImplementedError("cannot operate on arrays of different orders, C and F")
