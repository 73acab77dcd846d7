"""Whole texts: what a device's compiler is given."""

from __future__ import annotations

import textwrap
import zlib
from collections.abc import Iterable, Mapping

import halfcl
from halfcl.device import _cuda_text as cuda_text, _opencl_text as opencl_text
from halfcl.device._catalogue import Form, aliases, chosen, definitions
from halfcl.device._declarations import ROOT, defined_in, functions_in, needed, resource

#: A text may be included twice, but two that differ would define the same names.
_GUARD = """\
#if defined(HALFCL_DEVICE_H) && HALFCL_DEVICE_H != {number}
#error "two different texts of halfcl's functions: generate one that has all of them"
#endif
#ifndef HALFCL_DEVICE_H
#define HALFCL_DEVICE_H {number}

{text}

#endif"""

_HEADING = """\
/* Functions of half in {language}, by halfcl {version}:

{names}

hc_NAME rounds to nearest, hc_NAME_rte, _rtz, _rtp and _rtn to nearest, toward zero, up and down;
conversions to integers round toward zero without an ending. All results are correctly rounded.

Checked: each function, as this text has it, on every half and in every mode if it has one argument,
and on samples of operands if it has more, bit by bit beside halfcl on the CPU: see halfcl's
docs/evidence/device_proofs.md. `python -m halfcl audit device:opencl` repeats that on yours.
{more}*/"""


def opencl(functions: Iterable[str] | None = None, fp16: bool = True) -> str:
    """The functions' source in OpenCL C, for kernels to call.

    For each function ``NAME`` the text defines ``hc_NAME``, which rounds to nearest, and
    ``hc_NAME_rte``, ``_rtz``, ``_rtp`` and ``_rtn``, of halves and of vectors of 2, 3, 4, 8 and 16.
    Every result is correctly rounded, on devices that have no rounding modes, too.

    Parameters
    ----------
    functions : iterable of str, optional
        Names of halfcl's functions, such as ``"add"`` or ``"hc_add"``, with OpenCL's conversions
        (``"convert_int_sat"``); ``sub``, ``mul``, ``div`` and ``neg`` are short for operators. All,
        unless given: then programs build longer.
    fp16 : bool, default True
        Whether halves are ``half``, which needs the device's ``cl_khr_fp16``, or the bits of them
        in ``ushort``, which every device has. In both, ``hc_half`` and ``hc_half2`` ... are that.

    Returns
    -------
    str
        The text. It needs nothing else, and may be included twice.

    Raises
    ------
    TypeError
        If functions is no iterable of names, or fp16 is not True or False.
    ValueError
        If there is no function of a name, or functions is empty.

    See Also
    --------
    cuda : the same in CUDA C++.

    Notes
    -----
    OpenCL C 1.2 or later. Options of a build under which the functions would be wrong are errors
    where compilers tell them; ``-cl-unsafe-math-optimizations`` they do not: never use it.
    Source: this library; the functions are those of cl_khr_fp16.

    Examples
    --------
    >>> from halfcl import device
    >>> text = device.opencl(["add"], fp16=False)
    >>> "hc_add_rtn" in text
    True
    >>> kernel = text + "kernel void f(global hc_half *a) { a[0] = hc_add_rtn(a[0], a[1]); }"
    """
    if not isinstance(fp16, bool):
        raise TypeError(f"fp16: expected True or False, got {fp16!r}")
    forms = chosen(functions)
    internals = opencl_internals({form.root for form in forms}, fp16)
    more = "" if fp16 else "\nHalves are ushorts, their bits: the device needs no cl_khr_fp16.\n"
    more += "".join(text for name, text in _NATIVE.items() if any(name in i for i in internals))
    parts = [
        *internals,
        opencl_text.types(fp16),
        definitions(forms, opencl_text.bodies),
        aliases(forms),
        _IN_MODE,
        "#pragma OPENCL FP_CONTRACT DEFAULT",
    ]
    return f"{_heading('OpenCL C', forms, more)}\n\n{_guarded(parts)}\n"


#: What a program may define, by name, and what that does.
_NATIVE = {
    "HC_NATIVE_DIVISION": """
HC_NATIVE_DIVISION: define it if you build with -cl-fp32-correctly-rounded-divide-sqrt, and
division and square root are the device's.
""",
    "HC_NATIVE_CONVERSION": """
HC_NATIVE_CONVERSION: define it if the device converts between half and float as IEEE 754 has it, in
the four modes and with subnormal numbers, and conversions are its instructions.
""",
    "HC_NATIVE_LOADS": """
HC_NATIVE_LOADS: define it if vload_half and vstore_half convert as IEEE 754 has it, in the four
modes and with subnormal numbers, and conversions are theirs. GPUs have instructions for them.
""",
    "HC_COMPUTE_CAPABILITY": """
HC_COMPUTE_CAPABILITY: with HC_NATIVE_LOADS, define it as that of an NVIDIA GPU, 900 for 9.0, and
sums and products are its instructions.
""",
}

#: In this order the mode may be a macro, and the name none.
_IN_MODE = """\
/* HC_IN(add, MODE) is hc_add_rtp where MODE is rtp: for kernels built once for each mode. */
#define HC_IN(name, mode) HCI_IN(hc_##name##_, mode)
#define HCI_IN(prefix, mode) prefix##mode"""


def cuda(functions: Iterable[str] | None = None) -> str:
    """The functions' source in CUDA C++, for kernels to call.

    As `opencl` has it, of ``__half``: ``hc_half`` is that, and ``hc_half2`` ... ``hc_half16`` are
    structs, whose components are ``v.s[0]``, ``v.s[1]`` ...

    Parameters
    ----------
    functions : iterable of str, optional
        Names of functions; all, unless given.

    Returns
    -------
    str
        The text. It includes ``cuda_fp16.h``; nvcc and NVRTC read it.

    Raises
    ------
    TypeError
        If functions is no iterable of names.
    ValueError
        If there is no function of a name, or functions is empty.

    See Also
    --------
    opencl : the same in OpenCL C, where names are said in full.

    Notes
    -----
    Source: this library; the functions are those of cl_khr_fp16.

    Examples
    --------
    >>> from halfcl import device
    >>> "#include <cuda_fp16.h>" in device.cuda(["add"])
    True
    """
    forms = chosen(functions)
    parts = [
        *cuda_internals({form.root for form in forms}),
        cuda_text.TYPES_AND_VECTORS,
        definitions(forms, cuda_text.bodies, cuda_text.macro),
        aliases(forms),
        _IN_MODE,
    ]
    return f"{_heading('CUDA C++', forms, '')}\n\n{_guarded(parts)}\n"


#: From 5.3 on there is arithmetic of halves. A text without the options must build everywhere.
_NVIDIA = (
    "defined(HC_NATIVE_LOADS) && defined(HC_COMPUTE_CAPABILITY) && HC_COMPUTE_CAPABILITY >= 530"
)


def _if(condition: str, functions: Mapping[str, str]) -> dict[str, str]:
    """Functions that stand for others where the preprocessor finds a condition true."""
    return {n: f"#if {condition}\n{text}\n#else\n@@\n#endif" for n, text in functions.items()}


def _in(name: str) -> dict[str, str]:
    return functions_in(resource(f"preludes/{name}"))


def opencl_internals(roots: Iterable[str], fp16: bool) -> list[str]:
    """What functions are made of in OpenCL C, with what comes before it."""
    prelude = resource("preludes/opencl.h")
    replaced = _if("defined(HC_NATIVE_DIVISION)", _in("opencl_division.h"))
    if fp16:
        replaced |= _if("defined(HC_NATIVE_CONVERSION)", _in("opencl_conversion.h"))
    else:
        replaced |= _if("defined(HC_NATIVE_LOADS)", _in("opencl_loads.h"))
        replaced |= _if(_NVIDIA, _in("opencl_nvidia.h"))
    extension = [opencl_text.WITH_HALF] if fp16 else []
    return [*extension, prelude, *needed(roots, defined_in(prelude), replaced)]


def cuda_internals(roots: Iterable[str]) -> list[str]:
    """The same in CUDA C++."""
    prelude = resource("preludes/cuda.h")
    in_double = {
        ROOT + name: cuda_text.either(name, d) for name, d in cuda_text.in_double().items()
    }
    replaced = _in("cuda_native.h") | in_double
    return [prelude, *needed(roots, defined_in(prelude), replaced, cuda_text.helpers())]


def _heading(language: str, forms: Iterable[Form], more: str) -> str:
    names = ", ".join(dict.fromkeys(form.name for form in forms))
    return _HEADING.format(
        language=language, version=halfcl.__version__, names=textwrap.fill(names, 96), more=more
    )


def _guarded(parts: Iterable[str]) -> str:
    text = "\n\n".join(part.strip() for part in parts if part)
    return _GUARD.format(number=f"0x{zlib.crc32(text.encode()):08x}", text=text)
