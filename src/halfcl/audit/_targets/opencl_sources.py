"""Kernels in OpenCL C that call one built-in each: text, which needs no device.

All are called ``audited``. They take their inputs and then their results, an array each, and work
item i does element i.
"""

from __future__ import annotations

from halfcl._tables.row import Builtin
from halfcl._tables.types import LETTERS

#: OpenCL C's types of the table's letters. A truth is stored as a byte.
TYPES = {letter: name for name, letter in LETTERS.items()} | {"?": "uchar"}

_ARGUMENTS = ("x", "y", "z")
_OPERATORS = {"add": "x + y", "subtract": "x - y", "multiply": "x * y", "divide": "x / y",
              "negative": "-x"}  # fmt: skip
#: What is made of a second result before it is compared: OpenCL 3.0 lets devices store more of
#: the quotient than the seven low bits that are demanded.
_THEN = {"remquo": "second = (second < 0 ? -1 : 1) * (int)(abs(second) & 127u);"}

_EXTENSIONS = {"e": "cl_khr_fp16", "d": "cl_khr_fp64"}


def _kernel(inputs: str, outputs: str, body: str, needed: str = "ed") -> str:
    """A kernel over arrays of the given letters, x, y, z and r, s; the body does element i.

    needed: the types that it computes with, if it has them, as opposed to pointing at them.
    """
    parameters = [
        *(f"global const {TYPES[t]} *in_{n}" for t, n in zip(inputs, _ARGUMENTS, strict=False)),
        *(f"global {TYPES[t]} *{n}" for t, n in zip(outputs, "rs", strict=False)),
    ]
    text = f"kernel void audited({', '.join(parameters)})\n{{\n"
    text += f"    const size_t i = get_global_id(0);\n{body}}}\n"
    pragmas = [
        f"#pragma OPENCL EXTENSION {name} : enable\n"
        for t, name in _EXTENSIONS.items()
        if t in inputs + outputs and t in needed
    ]
    return "".join(pragmas) + text


def _loads(inputs: str) -> str:
    return "".join(
        f"    const {TYPES[t]} {n} = in_{n}[i];\n" for t, n in zip(inputs, _ARGUMENTS, strict=False)
    )


def spelled(row: Builtin) -> str:
    """A function that is computed by component, as OpenCL C has it.

    A second result is what it writes through its last argument, a pointer.

    Examples
    --------
    >>> from halfcl.audit._targets.opencl_sources import spelled
    >>> from halfcl._tables import TABLE
    >>> [spelled(row) for row in TABLE if row.name in ("add", "exp", "sincos")]
    ['x + y', 'exp(x)', 'sincos(x, &second)']
    """
    arguments = [*_ARGUMENTS[: row.nin], *(["&second"] if len(row.outputs) == 2 else [])]
    return _OPERATORS.get(row.name) or f"{row.name}({', '.join(arguments)})"


def of_row(row: Builtin) -> str:
    """The kernel of such a function."""
    body = f"    r[i] = {spelled(row)};\n"
    if len(row.outputs) == 2:
        declared = f"    {TYPES[row.outputs[1]]} second;\n"
        body = f"{declared}{body}    {_THEN.get(row.name, '')}\n    s[i] = second;\n"
    return _kernel(row.inputs, row.outputs, _loads(row.inputs) + body)


def of_vectors(row: Builtin, width: int) -> str:
    """The kernel of a geometric function of vectors of a width, packed in the arrays."""
    vectors = row.signature.split("->")[0].count("(")
    names = _ARGUMENTS[:vectors]
    loads = "".join(f"    const half{width} {n} = vload{width}(i, in_{n});\n" for n in names)
    call = f"{row.name}({', '.join(names)})"
    is_vector = row.signature.endswith("(n)")
    store = f"vstore{width}({call}, i, r);" if is_vector else f"r[i] = {call};"
    return _kernel("e" * vectors, "e", f"{loads}    {store}\n")


def of_conversion(source: str, target: str, suffix: str) -> str:
    """The kernel of ``convert_<target><suffix>`` from a type, by their letters."""
    return _kernel(source, target, f"    r[i] = convert_{TYPES[target]}{suffix}(in_x[i]);\n")


def of_load() -> str:
    """The kernel of vload_half, which core OpenCL has on every device."""
    return _kernel("e", "f", "    r[i] = vload_half(i, in_x);\n", needed="")


def of_store(source: str, suffix: str) -> str:
    """The kernel of ``vstore_half<suffix>`` of floats or doubles, "f" or "d"."""
    return _kernel(source, "e", f"    vstore_half{suffix}(in_x[i], i, r);\n", needed="d")


#: Run over an image's two dimensions: one pixel each.
_IMAGE = """kernel void audited({arguments})
{{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    const size_t i = at.y * get_global_size(0) + at.x;
    {body}
}}
"""

#: The orders of channels that are audited. Every device that has images has RGBA of halves.
ORDERS = {"RGBA": 4, "R": 1}


def of_read_image(order: str) -> str:
    """The kernel of read_imagef of an image, into floats."""
    pixel = "read_imagef(image, at)"
    body = f"vstore4({pixel}, i, r);" if ORDERS[order] == 4 else f"r[i] = {pixel}.x;"
    return _IMAGE.format(arguments="read_only image2d_t image, global float *r", body=body)


def of_write_image(order: str) -> str:
    """The kernel of write_imagef of floats to an image."""
    pixel = "vload4(i, x)" if ORDERS[order] == 4 else "(float4)(x[i], 0.0f, 0.0f, 1.0f)"
    return _IMAGE.format(
        arguments="global const float *x, write_only image2d_t image",
        body=f"write_imagef(image, at, {pixel});",
    )
