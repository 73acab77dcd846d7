"""Source of kernels that call one function over arrays, in OpenCL C and CUDA C++."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from halfcl.device._source.catalogue import CUDA_TYPES, TYPES, Form
from halfcl.device._source.cuda_text import is_in_phases
from halfcl.typing import RoundingMode

#: The kinds of operands: an array; an array of one element, which all work-items use; a number.
ARRAY, ONE, NUMBER = "array", "one", "number"

#: Elements per work-item in wide kernels.
WIDE = 8


@dataclass(frozen=True)
class Kernel:
    """One kernel: a function in a mode, with operands of these kinds.

    width: of vectors, 0 for functions without; wide: whether a work-item has eight elements, from a
    multiple of eight on; whole: whether each work-item has an element.
    """

    form: Form
    mode: RoundingMode
    kinds: tuple[str, ...]
    width: int = 0
    wide: bool = False
    whole: bool = False

    @property
    def inputs(self) -> list[tuple[str, str, str]]:
        """Name, letter and kind of each operand."""
        return list(zip("xyz", self.form.inputs, self.kinds, strict=False))

    @property
    def outputs(self) -> list[tuple[str, str]]:
        """Name and letter of each result."""
        return list(zip("rs", self.form.outputs, strict=False))

    @property
    def function(self) -> str:
        return f"hc_{self.form.name}_{self.mode}"


# ---------------------------------------------------------------- OpenCL C


def _opencl_type(letter: str) -> str:
    return {"e": "hc_half", "?": "uchar"}.get(letter, TYPES[letter])


def opencl(kernel: Kernel) -> str:
    """Return the kernel hck(n, operands, results); arrays are passed with an offset each."""
    parameters = ["ulong n"]
    for name, letter, kind in kernel.inputs:
        if kind == NUMBER:
            parameters.append(f"{'ushort' if letter == 'e' else _opencl_type(letter)} {name}")
        else:
            parameters.append(f"__global const {_opencl_type(letter)} *{name}, ulong {name}_0")
    for name, letter in kernel.outputs:
        parameters.append(f"__global {_opencl_type(letter)} *{name}, ulong {name}_0")
    arrays = [name for name, _, kind in kernel.inputs if kind != NUMBER]
    offsets = [f"{name} += {name}_0;" for name in (*arrays, *(n for n, _ in kernel.outputs))]
    body = _opencl_wide(kernel) if kernel.wide else _opencl_each(kernel)
    return "\n".join([
        f"__kernel void hck({', '.join(parameters)})", "{",
        *_indent([*offsets, *body]), "}", "",
    ])  # fmt: skip


def _opencl_each(kernel: Kernel) -> list[str]:
    load = _opencl_vector if kernel.width > 1 else _element
    arguments = [load(kernel, name, kind, letter) for name, letter, kind in kernel.inputs]
    if kernel.form.vectors == "vector" and kernel.width > 1:
        stores = [f"vstore{kernel.width}({kernel.function}({', '.join(arguments)}), i, r);"]
    else:
        stores = _stores(kernel, arguments, "[i]")
    place = "ulong i = get_global_id(0);"
    if kernel.whole:  # without a comparison, compilers for CPUs vectorise better
        return [place, *stores]
    return [place, "if (i < n) {", *_indent(stores), "}"]


def _opencl_vector(kernel: Kernel, name: str, kind: str, letter: str) -> str:
    return f"vload{kernel.width}({'i' if kind == ARRAY else '0'}, {name})"


def _opencl_wide(kernel: Kernel) -> list[str]:
    """Return the body of a wide kernel: eight elements per access, the last ones one by one."""
    loads, tail, stores, rest = [], [], [], []
    lines = [f"ulong i = {WIDE} * (ulong)get_global_id(0);", "if (i >= n)", "    return;"]
    lines.append(f"int m = (int)min(n - i, (ulong){WIDE});")
    for name, letter, kind in kernel.inputs:
        if kind == ARRAY:
            kind_of = _opencl_type(letter)
            lines.append(f"{kind_of} {name}_8[{WIDE}];")
            loads.append(f"vstore8(*(__global const {kind_of}8 *)({name} + i), 0, {name}_8);")
            tail.append(f"{name}_8[k] = {name}[i + min(k, m - 1)];")
    for name, letter in kernel.outputs:
        kind_of = _opencl_type(letter)
        lines.append(f"{kind_of} {name}_8[{WIDE}];")
        stores.append(f"*(__global {kind_of}8 *)({name} + i) = vload8(0, {name}_8);")
        rest.append(f"{name}[i + k] = {name}_8[k];")
    return [*lines, *_wide_calls(kernel, "_8[k]", loads, tail, stores, rest)]


# ---------------------------------------------------------------- CUDA C++

_PACK = """
/* Eight elements, by accesses of 16 bytes at most. */
template <typename T> struct alignas(sizeof(T) == 1 ? 8 : 16) hck_pack {
    T v[8];
};
"""


def cuda(kernel: Kernel) -> str:
    """Return the kernel hck(n, operands, results)."""
    parameters = ["unsigned long long n"]
    for name, letter, kind in kernel.inputs:
        type_ = CUDA_TYPES[letter]
        number = "unsigned short" if letter == "e" else type_
        parameters.append(f"{number} {name}" if kind == NUMBER else f"const {type_} *{name}")
    parameters += [f"{CUDA_TYPES[letter]} *{name}" for name, letter in kernel.outputs]
    place = "(unsigned long long)blockIdx.x * blockDim.x + threadIdx.x"
    body = _cuda_wide(kernel) if kernel.wide else _cuda_each(kernel)
    factor = f"{WIDE} * (" if kernel.wide else "("
    start = [f"unsigned long long i = {factor}{place});", "if (i >= n)", "    return;"]
    return "\n".join([
        _PACK if kernel.wide else "",
        f'extern "C" __global__ void hck({", ".join(parameters)})', "{",
        *_indent([*start, *body]), "}", "",
    ])  # fmt: skip


def _cuda_each(kernel: Kernel) -> list[str]:
    if kernel.width < 2:
        arguments = [_element(kernel, name, kind, letter) for name, letter, kind in kernel.inputs]
        return _stores(kernel, arguments, "[i]")
    width, lines = kernel.width, []
    for name, _, kind in kernel.inputs:
        place = f"{width} * i + k" if kind == ARRAY else "k"
        lines += [
            f"hc_half{width} {name}_v;",
            f"for (int k = 0; k < {width}; ++k)",
            f"    {name}_v.s[k] = {name}[{place}];",
        ]
    call = f"{kernel.function}({', '.join(f'{name}_v' for name, _, _ in kernel.inputs)})"
    if kernel.form.vectors != "vector":
        return [*lines, f"r[i] = {call};"]
    return [
        *lines,
        f"hc_half{width} r_v = {call};",
        f"for (int k = 0; k < {width}; ++k)",
        f"    r[{width} * i + k] = r_v.s[k];",
    ]


def _cuda_wide(kernel: Kernel) -> list[str]:
    loads, tail, stores, rest = [], [], [], []
    lines = [f"int m = n - i < {WIDE} ? (int)(n - i) : {WIDE};"]
    for name, letter, kind in kernel.inputs:
        if kind == ARRAY:
            pack = f"hck_pack<{CUDA_TYPES[letter]}>"
            lines.append(f"{pack} {name}_p;")
            loads.append(f"{name}_p = *(const {pack} *)({name} + i);")
            tail.append(f"{name}_p.v[k] = {name}[i + (k < m ? k : m - 1)];")
    for name, letter in kernel.outputs:
        pack = f"hck_pack<{CUDA_TYPES[letter]}>"
        lines.append(f"{pack} {name}_p;")
        stores.append(f"*({pack} *)({name} + i) = {name}_p;")
        rest.append(f"{name}[i + k] = {name}_p.v[k];")
    in_phases = is_in_phases(kernel.form)
    return [*lines, *_wide_calls(kernel, "_p.v[k]", loads, tail, stores, rest, in_phases)]


# ---------------------------------------------------------------- both


def _indent(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _element(kernel: Kernel, name: str, kind: str, letter: str) -> str:
    if kind == NUMBER:
        return f"HCI_HALF({name})" if letter == "e" else name
    return f"{name}[{'i' if kind == ARRAY else 0}]"


def _stores(kernel: Kernel, arguments: list[str], place: str) -> list[str]:
    """Return the call and the stores of its results; a second one goes by way of a variable."""
    call = f"{kernel.function}({', '.join(arguments)})"
    if len(kernel.outputs) == 1:
        truth = " != 0" if kernel.form.outputs == "?" else ""
        return [f"r{place} = {call}{truth};"]
    kind = "hc_half " if kernel.form.outputs[1] == "e" else "int "
    call = f"{kernel.function}({', '.join([*arguments, '&other'])})"
    return [f"{kind}other;", f"r{place} = {call};", f"s{place} = other;"]


def _vector_call(kernel: Kernel, arguments: list[str], place: str) -> list[str]:
    """Return one call with vectors of eight components."""
    names = [name for name, _, _ in kernel.inputs]
    fill = " ".join(f"{n}_v.s[k] = {a};" for n, a in zip(names, arguments, strict=True))
    result = f"{kernel.function}({', '.join(f'{n}_v' for n in names)})"
    each = f"for (int k = 0; k < {WIDE}; ++k)"
    return [
        f"hc_half{WIDE} {', '.join(f'{n}_v' for n in names)};",
        "#pragma unroll",
        f"{each} {{ {fill} }}",
        f"hc_half{WIDE} r_v = {result};",
        "#pragma unroll",
        f"{each} r{place} = r_v.s[k];",
    ]


def _wide_calls(
    kernel: Kernel, place: str, loads: list[str], tail: list[str], stores: list[str],
    rest: list[str], in_phases: bool = False,
) -> list[str]:  # fmt: skip
    """Return eight calls between loads and stores; a last group of fewer elements goes one by one.

    place: what follows an operand's name for its element k; in_phases: whether the function of
    vectors does more than call the scalar one for each component.
    """
    arguments = [
        f"{name}{place}" if kind == ARRAY else _element(kernel, name, kind, letter)
        for name, letter, kind in kernel.inputs
    ]
    each = ["#pragma unroll", f"for (int k = 0; k < {WIDE}; ++k) {{"]  # constant indices only
    some = [f"if (k < m) {line}" for line in rest]
    lines = []
    if loads:
        lines += [f"if (m == {WIDE}) {{", *_indent(loads), "} else {"]
        lines += [*_indent([*each, *_indent(tail), "}"]), "}"]
    if in_phases:
        lines += _vector_call(kernel, arguments, place)
    else:
        lines += [*each, *_indent(_stores(kernel, arguments, place)), "}"]
    lines += [f"if (m == {WIDE}) {{", *_indent(stores), "} else {"]
    return [*lines, *_indent([*each, *_indent(some), "}"]), "}"]
