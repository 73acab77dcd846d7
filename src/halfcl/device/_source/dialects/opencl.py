"""OpenCL C, with halves as `half` or as their bits in `ushort`.

Functions of vectors call one of whole vectors, or themselves on both halves of a vector.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from halfcl.device._source.catalogue import TYPES, Form, scalar_function
from halfcl.device._source.declarations import ROOT, Declaration, declarations
from halfcl.device._source.dialects.dialect import Dialect, Packs

_WIDTHS = (2, 3, 4, 8, 16)
_PARTS = "0123456789abcdef"

#: Functions use the name of halves that both variants have.
_TYPES = TYPES | {"e": "hc_half"}


def _type(letter: str, width: int) -> str:
    if letter == "?" and width > 1:
        return f"short{width}"
    return _TYPES[letter] if width == 1 else f"{_TYPES[letter]}{width}"


def _split_body(form: Form, width: int) -> str:
    """Return the body of a function of vectors, which calls itself on a vector's two halves.

    Vectors of three are split into two components and one.
    """
    low, high = ("s01", "s2") if width == 3 else ("lo", "hi")

    def call(part: str, pointer: str) -> str:
        arguments = [f"{v}.{part}" for v in "xyz"[: len(form.inputs)]]
        truth = "(short)-" if form.outputs == "?" and (width == 2 or part == "s2") else ""
        return f"{truth}name({', '.join([*arguments, *([pointer] if form.outputs[1:] else [])])})"

    result = _type(form.outputs[0], width)
    if not form.outputs[1:]:
        return f"{{ return ({result})({call(low, '')}, {call(high, '')}); }}"
    start, rest = (2, 1) if width == 3 else (width // 2, width // 2)
    second = form.outputs[1]
    return (
        f"{{ {_type(second, start)} low; {_type(second, rest)} high; "
        f"{result} first = ({result})({call(low, '&low')}, {call(high, '&high')}); "
        f"*p = ({_type(second, width)})(low, high); return first; }}"
    )


#: Functions of whole vectors, by the names that the engine's functions of one half have.
_WHOLE = {
    d.names[0].removeprefix(ROOT).removesuffix("_vector"): d
    for d in declarations("opencl/vectors.h")
    if d.names[0].startswith(ROOT)
}


def is_whole(form: Form) -> bool:
    """Return whether functions of whole vectors compute it."""
    return form.root in _WHOLE


def _whole_body(form: Form, width: int, parts: str) -> str:
    """Return the body of a function, which calls one of whole vectors, or has these parts."""
    suffix = "" if width == 1 else width
    inputs = [
        f"HCI_VECTOR_BITS({v}, {suffix})" if c == "e" else v
        for c, v in zip(form.inputs, "xyz", strict=False)
    ]
    whole = f"hci_device_##f##_vector({', '.join(inputs)}, mode)"
    if form.outputs == "e":
        whole = f"HCI_VECTOR_HALVES({whole}, {suffix})"
    choice = "HCI_ONE" if width == 1 else "HCI_WHOLE"
    other = parts.removeprefix("{ return ").removesuffix("; }")
    return f"{{ return {choice}(mode, {whole}, {other}); }}"


def _elementwise(form: Form) -> Iterable[str]:
    one = scalar_function(form, _TYPES.__getitem__)
    if is_whole(form):
        head, brace, body = one.partition("{")
        one = head + _whole_body(form, 1, brace + body)
    yield one
    for width in _WIDTHS:
        parameters = form.parameters(partial(_type, width=width))
        result, body = _type(form.outputs[0], width), _split_body(form, width)
        body = _whole_body(form, width, body) if is_whole(form) else body
        yield f"HCI_OVERLOAD {result} name({parameters}) {body}"


def _geometric(form: Form) -> Iterable[str]:
    for width in form.widths:
        vector = _type("e", width)
        result = vector if form.vectors == "vector" else "hc_half"
        names = "ab"[: len(form.inputs)]
        parameters = ", ".join(f"{vector} {v}" for v in names)
        parts = [""] if width == 1 else [f".s{p}" for p in _PARTS[:width]]
        arrays = " ".join(
            f"ushort {v}_bits[] = {{{', '.join(f'HCI_BITS({v}{p})' for p in parts)}}};"
            for v in names
        )
        operands = ", ".join(f"{v}_bits" for v in names)
        if form.vectors == "vector":
            halves = ", ".join(f"HCI_HALF(out[{k}])" for k in range(width))
            result_text = halves if width == 1 else f"({vector})({halves})"
            call = f"hci_device_##f({operands}, {width}, out, mode);"
            body = f"ushort out[{width}]; {call} return {result_text};"
        else:
            body = f"return HCI_HALF(hci_device_##f({operands}, {width}, mode));"
        yield f"HCI_OVERLOAD {result} name({parameters}) {{ {arrays} {body} }}"


_HEAD = re.compile(r"HCI_OVERLOAD (\w+) name\((.*?)\) \{")


def _not_inlined(body: str) -> Iterable[str]:
    """Yield a function under another name, and the one of this name, which calls it.

    Intel's runtime for CPUs passes wrong arguments to functions of vectors of three.
    """
    match = _HEAD.match(body)
    assert match is not None
    result, parameters = match.groups()
    arguments = ", ".join(re.findall(r"(\w+)(?:,|$)", parameters))
    has_three = re.search(r"[a-z]3 ", f"{result} {parameters}")
    yield re.sub(r"\bname\(", "name##_inlined(", body)
    attribute = "HCI_OVERLOAD" if has_three else "HCI_CALLED"
    yield f"{attribute} {result} name({parameters}) {{ return name##_inlined({arguments}); }}"


class _OpenCL(Dialect):
    def bodies(self, form: Form) -> list[str]:
        return list(_geometric(form) if form.vectors else _elementwise(form))

    def called_bodies(self, form: Form) -> list[str]:
        return [text for body in self.bodies(form) for text in _not_inlined(body)]

    def macro(self, form: Form) -> str:
        return f"{form.shape}_whole" if is_whole(form) else form.shape

    def own_functions(self) -> tuple[Mapping[str, str], Sequence[Declaration]]:
        """Return the functions of whole vectors behind those of one half, and what they use."""
        form = "#if HCI_VECTORS\n{}\n#endif"
        functions = {f"{ROOT}{root}": f"@@\n\n{form.format(d.text)}" for root, d in _WHOLE.items()}
        helpers = [
            Declaration(d.names, form.format(d.text))
            for d in declarations("opencl/vectors.h")
            if d not in _WHOLE.values()
        ]
        return functions, helpers

    def guard(self, statements: Sequence[str]) -> list[str]:
        return ["if (i < n) {", *(f"    {line}" for line in statements), "}"]

    def load_vector(self, width: int, name: str, is_array: bool) -> tuple[list[str], str]:
        return [], f"vload{width}({'i' if is_array else '0'}, {name})"

    def store_vector(self, width: int, call: str) -> list[str]:
        return [f"vstore{width}({call}, i, r);"]


def _definitions(half: str, macros: Mapping[str, str]) -> str:
    """Return the definitions of the types of halves, and of the macros for their bits."""
    names = [f"typedef {half}{n} hc_half{n};" for n in ("", *_WIDTHS)]
    return "\n".join([*names, *(f"#define {name} {text}" for name, text in macros.items()), ""])


_BITS = {
    "HCI_BITS(x)": "(x)",
    "HCI_HALF(x)": "((ushort)(x))",
    "HCI_VECTOR_BITS(x, n)": "(x)",
    "HCI_VECTOR_HALVES(x, n)": "(x)",
}
_HALVES = {
    "HCI_BITS(x)": "as_ushort(x)",
    "HCI_HALF(x)": "as_half((ushort)(x))",
    "HCI_VECTOR_BITS(x, n)": "as_ushort##n(x)",
    "HCI_VECTOR_HALVES(x, n)": "as_half##n(x)",
}


#: Compute capability 5.3 has arithmetic of halves. A text must build without the options.
_NVIDIA = (
    "defined(HC_NATIVE_LOADS) && defined(HC_COMPUTE_CAPABILITY) && HC_COMPUTE_CAPABILITY >= 530"
)

OPENCL_IN_BITS = _OpenCL(
    name="opencl",
    title="OpenCL C",
    types=_TYPES,
    head="""\
#if defined(HC_NATIVE_CONVERSION) && defined(cl_khr_fp16)
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#else
#undef HC_NATIVE_CONVERSION
#endif
""",
    prelude="opencl/base.h",
    natives={
        "opencl/division.h": "defined(HC_NATIVE_DIVISION)",
        "opencl/conversion.h": "defined(HC_NATIVE_CONVERSION)",
        "opencl/loads.h": "defined(HC_NATIVE_LOADS)",
        "opencl/nvidia.h": _NVIDIA,
    },
    definitions=_definitions("ushort", _BITS),
    end="#pragma OPENCL FP_CONTRACT DEFAULT",
    note="\nHalves are ushorts, their bits: the device needs no cl_khr_fp16.\n",
    kernel="__kernel",
    space="__global ",
    item="get_global_id(0)",
    truth="uchar",
    offset=", ulong {name}_0",
    start="{name} += {name}_0;",
    packs=Packs(
        first="8 * (ulong)get_global_id(0)",
        count="(int)min(n - i, (ulong)8)",
        variable="{type} {name}_8[8];",
        element="{name}_8[k]",
        load="vstore8(*(__global const {type}8 *)({name} + i), 0, {name}_8);",
        store="*(__global {type}8 *)({name} + i) = vload8(0, {name}_8);",
        within="min(k, m - 1)",
    ),
    reductions=("reductions/opencl.h",),
)

OPENCL = replace(
    OPENCL_IN_BITS,
    head="""\
#ifndef cl_khr_fp16
#error "this device has no cl_khr_fp16: generate the functions with fp16=False (--no-fp16)"
#endif
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
""",
    natives={
        "opencl/division.h": "defined(HC_NATIVE_DIVISION)",
        "opencl/conversion.h": "defined(HC_NATIVE_CONVERSION)",
    },
    definitions=_definitions("half", _HALVES),
    note="",
    in_bits=OPENCL_IN_BITS,
)
