"""The complete source of halfcl's functions for a device's compiler."""

from __future__ import annotations

import textwrap
import zlib
from collections.abc import Collection, Iterable

import halfcl
from halfcl.device._source.catalogue import Form, aliases, definitions, select_forms
from halfcl.device._source.declarations import collect, defined_names, find_functions, prelude
from halfcl.device._source.dialects import CUDA, OPENCL, Dialect

#: The guard allows including a text twice; two different ones would define the same names.
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
    """Return the functions' source in OpenCL C, for kernels to call.

    For each function ``NAME`` the text defines ``hc_NAME``, which rounds to nearest, and
    ``hc_NAME_rte``, ``_rtz``, ``_rtp`` and ``_rtn``, for halves and for vectors of 2, 3, 4, 8 and
    16. Every result is correctly rounded, also on devices without rounding modes.

    Parameters
    ----------
    functions : iterable of str, optional
        Names of halfcl's functions, such as ``"add"`` or ``"hc_add"``, with OpenCL's conversions
        (``"convert_int_sat"``); ``sub``, ``mul``, ``div`` and ``neg`` are short for operators. By
        default all, with which programs take longer to build.
    fp16 : bool, default True
        Whether halves are ``half``, which needs the device's ``cl_khr_fp16``, or their bits in
        ``ushort``, which every device has. ``hc_half``, ``hc_half2`` ... are the types in both.

    Returns
    -------
    str
        The text. It needs nothing else, and may be included twice.

    Raises
    ------
    TypeError
        If functions is not an iterable of names, or fp16 is not True or False.
    ValueError
        If there is no function of a name, or functions is empty.

    See Also
    --------
    cuda : the same in CUDA C++.

    Notes
    -----
    OpenCL C 1.2 or later. Build options that would make the functions wrong are errors if the
    compiler reports them. It does not report ``-cl-unsafe-math-optimizations``: never use that.
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
    return source(OPENCL.variant(fp16), functions)


#: Macros that a program may define, and a description for the heading.
_NATIVE = {
    "HC_NATIVE_DIVISION": """
HC_NATIVE_DIVISION: define it if you build with -cl-fp32-correctly-rounded-divide-sqrt, and
division and square root are the device's.
""",
    "HC_NATIVE_CONVERSION": """
HC_NATIVE_CONVERSION: define it if the device converts between half and float as IEEE 754 has it, in
the four modes and with subnormal numbers, and conversions are its instructions.
""",
    "HC_NATIVE_ARITHMETIC": """
HC_NATIVE_ARITHMETIC: define it with HC_NATIVE_CONVERSION if the device rounds sums, differences and
products of halves to nearest as IEEE 754 has it, and these are its own.
""",
    "HC_NATIVE_LOADS": """
HC_NATIVE_LOADS: define it if vload_half and vstore_half convert as IEEE 754 has it, in the four
modes and with subnormal numbers, and conversions are theirs. GPUs have instructions for them.
""",
    "HC_WHOLE_VECTORS": """
HC_WHOLE_VECTORS: define it for CPUs whose compilers do not vectorize kernels with such functions.
Sums, products and conversions of vectors then compute with vectors.
""",
    "HC_COMPUTE_CAPABILITY": """
HC_COMPUTE_CAPABILITY: with HC_NATIVE_LOADS, define it as that of an NVIDIA GPU, 900 for 9.0, and
sums and products are its instructions.
""",
}

#: This order of arguments allows the mode to be a macro, but not the name.
_IN_MODE = """\
/* HC_IN(add, MODE) is hc_add_rtp where MODE is rtp: for kernels built once for each mode. */
#define HC_IN(name, mode) HCI_IN(hc_##name##_, mode)
#define HCI_IN(prefix, mode) prefix##mode"""


def cuda(functions: Iterable[str] | None = None) -> str:
    """Return the functions' source in CUDA C++, for kernels to call.

    The functions are those of `opencl`, for ``__half``: ``hc_half`` is that type, and ``hc_half2``
    ... ``hc_half16`` are structs with the components ``v.s[0]``, ``v.s[1]`` ...

    Parameters
    ----------
    functions : iterable of str, optional
        Names of functions; by default all.

    Returns
    -------
    str
        The text. It includes ``cuda_fp16.h``; nvcc and NVRTC read it.

    Raises
    ------
    TypeError
        If functions is not an iterable of names.
    ValueError
        If there is no function of a name, or functions is empty.

    See Also
    --------
    opencl : the same in OpenCL C, with the names in full.

    Notes
    -----
    Source: this library; the functions are those of cl_khr_fp16.

    Examples
    --------
    >>> from halfcl import device
    >>> "#include <cuda_fp16.h>" in device.cuda(["add"])
    True
    """
    return source(CUDA, functions)


def source(
    dialect: Dialect,
    functions: Iterable[str] | None = None,
    called: Collection[str] = (),
) -> str:
    """Return the functions' source in a dialect; see `opencl` for the arguments.

    called: functions that compilers must not inline, since a program calls them many times.
    """
    forms = select_forms(functions)
    needed = internals(dialect, {form.root for form in forms})
    more = "".join(text for name, text in _NATIVE.items() if any(name in i for i in needed))
    parts = [
        *needed,
        dialect.definitions,
        *_definitions(dialect, forms, called),
        aliases(forms),
        _IN_MODE,
        dialect.end,
    ]
    return f"{_heading(dialect.title, forms, dialect.note + more)}\n\n{_guard(parts)}\n"


def _definitions(dialect: Dialect, forms: list[Form], called: Collection[str]) -> list[str]:
    """Return the definitions of functions that are inlined, and of those that are called."""
    inlined = [form for form in forms if form.name not in called]
    others = [form for form in forms if form.name in called]
    texts = [definitions(inlined, dialect.bodies, dialect.macro)] if inlined else []
    if others:
        macro = "{}_called".format
        texts.append(definitions(others, dialect.called_bodies, lambda f: macro(dialect.macro(f))))
    return texts


def size_of(dialect: Dialect, form: Form) -> int:
    """Return how many characters of text a function consists of."""
    return sum(map(len, internals(dialect, [form.root], has_own=False)))


def internals(dialect: Dialect, roots: Iterable[str], has_own: bool = True) -> list[str]:
    """Return the preludes and the declarations that functions of a dialect use.

    has_own: whether with `Dialect.own_functions`.
    """
    base = prelude(dialect.prelude)
    replaced = dict[str, str]()
    for file, condition in dialect.natives.items():
        form = f"#if {condition}\n{{}}\n#else\n@@\n#endif" if condition else "{}"
        functions = find_functions(prelude(file))
        replaced |= {name: form.format(text) for name, text in functions.items()}
    own, helpers = dialect.own_functions() if has_own else ({}, ())
    own = {name: text.replace("@@", replaced.get(name, "@@")) for name, text in own.items()}
    declarations = collect(roots, defined_names(base), replaced | own, helpers)
    return [*([dialect.head] if dialect.head else []), base, *declarations]


def _heading(language: str, forms: Iterable[Form], more: str) -> str:
    """Return the comment at the start of a text."""
    names = ", ".join(dict.fromkeys(form.name for form in forms))
    return _HEADING.format(
        language=language, version=halfcl.__version__, names=textwrap.fill(names, 96), more=more
    )


def _guard(parts: Iterable[str]) -> str:
    """Return the parts between include guards."""
    text = "\n\n".join(part.strip() for part in parts if part)
    return _GUARD.format(number=f"0x{zlib.crc32(text.encode()):08x}", text=text)
