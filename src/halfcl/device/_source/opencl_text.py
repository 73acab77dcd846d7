"""The public functions in OpenCL C.

Scalar functions call the engine's; functions of vectors call themselves on both halves of a vector.
"""

from __future__ import annotations

from collections.abc import Iterable

from halfcl.device._source.catalogue import TYPES, Form, scalar_body

WITH_HALF = """\
#ifndef cl_khr_fp16
#error "this device has no cl_khr_fp16: generate the functions with fp16=False (--no-fp16)"
#endif
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
"""

#: The type of halves: with cl_khr_fp16, or their bits.
_TYPE = {True: "half", False: "ushort"}
_BITS = {
    True: "#define HCI_BITS(x) as_ushort(x)\n#define HCI_HALF(x) as_half((ushort)(x))\n",
    False: "#define HCI_BITS(x) (x)\n#define HCI_HALF(x) ((ushort)(x))\n",
}
_WIDTHS = (2, 3, 4, 8, 16)
_PARTS = "0123456789abcdef"


def types(fp16: bool) -> str:
    """Return definitions of hc_half, hc_half2, ... and of macros for their bits."""
    names = [f"typedef {_TYPE[fp16]}{n} hc_half{n};" for n in ("", *_WIDTHS)]
    return "\n".join([*names, _BITS[fp16]])


def _type(letter: str, width: int) -> str:
    if letter == "?":
        return "int" if width == 1 else f"short{width}"
    name = "hc_half" if letter == "e" else TYPES[letter]
    return name if width == 1 else f"{name}{width}"


def _parameters(form: Form, width: int) -> str:
    inputs = [f"{_type(c, width)} {v}" for c, v in zip(form.inputs, "xyz", strict=False)]
    outputs = [f"{_type(c, width)} *{v}" for c, v in zip(form.outputs[1:], "pq", strict=False)]
    return ", ".join(inputs + outputs)


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


def _elementwise(form: Form) -> Iterable[str]:
    result = _type(form.outputs[0], 1)
    yield f"HCI_OVERLOAD {result} name({_parameters(form, 1)}) {scalar_body(form, result)}"
    for width in _WIDTHS:
        result, parameters = _type(form.outputs[0], width), _parameters(form, width)
        yield f"HCI_OVERLOAD {result} name({parameters}) {_split_body(form, width)}"


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


def bodies(form: Form) -> list[str]:
    """Return a form's functions, in terms of a macro's parameters name, f and mode."""
    return list(_geometric(form) if form.vectors else _elementwise(form))
