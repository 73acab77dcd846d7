"""Source of OpenCL C kernels that call one builtin each; no device is needed.

All kernels are called ``audited``. Their arguments are one array for each input and then each
result; work-item i computes element i.
"""

from __future__ import annotations

from halfcl._tables.row import Builtin
from halfcl._tables.types import LETTERS

#: OpenCL C's types by the table's letters. Bools are stored as bytes.
TYPES = {letter: name for name, letter in LETTERS.items()} | {"?": "uchar"}

_ARGUMENTS = ("x", "y", "z")
_OPERATORS = {"add": "x + y", "subtract": "x - y", "multiply": "x * y", "divide": "x / y",
              "negative": "-x"}  # fmt: skip
#: Statements that normalise a second result: OpenCL 3.0 allows more of the quotient than the
#: required seven low bits.
_THEN = {"remquo": "second = (second < 0 ? -1 : 1) * (int)(abs(second) & 127u);"}

_EXTENSIONS = {"e": "cl_khr_fp16", "d": "cl_khr_fp64"}


def _kernel(inputs: str, outputs: str, body: str, needed: str = "ed") -> str:
    """Return a kernel over arrays x, y, z and r, s of these letters; the body computes element i.

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


def expression(row: Builtin) -> str:
    """Return the call of a function that works by component, in OpenCL C.

    A second result is written through the last argument, a pointer.

    Examples
    --------
    >>> from halfcl.audit._targets.devices.opencl_sources import expression
    >>> from halfcl._tables import TABLE
    >>> [expression(row) for row in TABLE if row.name in ("add", "exp", "sincos")]
    ['x + y', 'exp(x)', 'sincos(x, &second)']
    """
    arguments = [*_ARGUMENTS[: row.nin], *(["&second"] if len(row.outputs) == 2 else [])]
    return _OPERATORS.get(row.name) or f"{row.name}({', '.join(arguments)})"


def function_kernel(row: Builtin) -> str:
    """Return the kernel of such a function."""
    body = f"    r[i] = {expression(row)};\n"
    if len(row.outputs) == 2:
        declared = f"    {TYPES[row.outputs[1]]} second;\n"
        body = f"{declared}{body}    {_THEN.get(row.name, '')}\n    s[i] = second;\n"
    return _kernel(row.inputs, row.outputs, _loads(row.inputs) + body)


def vector_kernel(row: Builtin, width: int) -> str:
    """Return the kernel of a geometric function of vectors of a width, packed in the arrays."""
    vectors = row.signature.split("->")[0].count("(")
    names = _ARGUMENTS[:vectors]
    loads = "".join(f"    const half{width} {n} = vload{width}(i, in_{n});\n" for n in names)
    call = f"{row.name}({', '.join(names)})"
    is_vector = row.signature.endswith("(n)")
    store = f"vstore{width}({call}, i, r);" if is_vector else f"r[i] = {call};"
    return _kernel("e" * vectors, "e", f"{loads}    {store}\n")


def conversion_kernel(source: str, target: str, suffix: str) -> str:
    """Return the kernel of ``convert_<target><suffix>`` from a type, by their letters."""
    return _kernel(source, target, f"    r[i] = convert_{TYPES[target]}{suffix}(in_x[i]);\n")


def load_kernel() -> str:
    """Return the kernel of vload_half, which core OpenCL has on every device."""
    return _kernel("e", "f", "    r[i] = vload_half(i, in_x);\n", needed="")


def store_kernel(source: str, suffix: str) -> str:
    """Return the kernel of ``vstore_half<suffix>`` from floats or doubles, "f" or "d"."""
    return _kernel(source, "e", f"    vstore_half{suffix}(in_x[i], i, r);\n", needed="d")


#: A kernel over an image's two dimensions: one pixel per work-item.
_IMAGE = """kernel void audited({arguments})
{{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    const size_t i = at.y * get_global_size(0) + at.x;
    {body}
}}
"""

#: The orders of channels to audit. Every device with images has RGBA of halves.
ORDERS = {"RGBA": 4, "R": 1}


def read_image_kernel(order: str) -> str:
    """Return the kernel of read_imagef from an image, into floats."""
    pixel = "read_imagef(image, at)"
    body = f"vstore4({pixel}, i, r);" if ORDERS[order] == 4 else f"r[i] = {pixel}.x;"
    return _IMAGE.format(arguments="read_only image2d_t image, global float *r", body=body)


def write_image_kernel(order: str) -> str:
    """Return the kernel of write_imagef from floats to an image."""
    pixel = "vload4(i, x)" if ORDERS[order] == 4 else "(float4)(x[i], 0.0f, 0.0f, 1.0f)"
    return _IMAGE.format(
        arguments="global const float *x, write_only image2d_t image",
        body=f"write_imagef(image, at, {pixel});",
    )
