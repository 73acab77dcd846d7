"""The text in front of a translated source: halfcl.device's functions, and helpers."""

from __future__ import annotations

import re

from halfcl import MODES
from halfcl.cl._frontend.preprocessing.header import values_of_devices
from halfcl.cl._frontend.preprocessing.options import Options
from halfcl.cl._translation.editing.directives import SKIPPED_PRAGMA, skip_pragma_operators
from halfcl.cl._translation.images import image_text
from halfcl.cl._translation.numbers.constants import CHOICES, half_constant, parenthesize_negative
from halfcl.cl._translation.result import note_of
from halfcl.cl._translation.target import NEEDS, Target
from halfcl.cl._translation.texts.by_words import BY_WORDS
from halfcl.cl._translation.texts.directed_rounding import wide_text
from halfcl.cl._translation.texts.dots import dot_text
from halfcl.cl._translation.texts.floats import float_text
from halfcl.cl._translation.texts.inlining import called_functions
from halfcl.cl._translation.texts.storing import storing_text
from halfcl.cl._translation.texts.sub_groups import sub_group_text
from halfcl.device._source.dialects import OPENCL
from halfcl.device._source.text import source

_WIDTHS = ("", "2", "3", "4", "8", "16")

_MODE = """\
/* The rounding mode that a launch begins with: -DHC_MODE=rtp and so on. */
#ifndef HC_MODE
#define HC_MODE rte
#endif"""

_IN_MODE = """\
#ifndef HC_IN
#define HC_IN(name, mode) HCI_IN(hc_##name##_, mode)
#define HCI_IN(prefix, mode) prefix##mode
#endif"""

#: Intel's runtime for CPUs (2026.2) passes wrong arguments to functions that take 3-component
#: vectors, in any OpenCL C, unless they are inlined. Other compilers decide themselves: if all is
#: inlined, they take up to three times as long.
_INLINE = """\
#if defined(__INTEL_LLVM_COMPILER) || defined(cl_intel_vec_len_hint)
#define HCI_INLINE __attribute__((always_inline))
#else
#define HCI_INLINE
#endif"""

#: An attribute with which Intel's runtime does not vectorize a kernel.
_ONE_LANE = "#define HC_ONE_LANE __attribute__((intel_vec_len_hint(1)))"

#: A pragma with which it does not vectorize a loop, for items that it runs one by one.
_IN_ORDER = '#define HC_IN_ORDER _Pragma("clang loop vectorize(disable)")'

_DOUBLE = """\
#if !defined(cl_khr_fp64) && !defined(__opencl_c_fp64)
#error "this kernel computes in double: the device has none"
#endif"""

_AS = "#define hc_as(x, type) as_##type(x)"

#: Halves as their bits, under their own names.
_BITS = "\n".join(
    [f"#define half{n} ushort{n}\n#define as_half{n}(x) as_ushort{n}(x)" for n in _WIDTHS]
)

_TRUTH = "#define hc_truth(x) (((x) & 0x7fff) != 0)"

_MEMORY = "\n".join(
    [
        "#define hc_load(i, p) ((p)[i])",
        "#define hc_store(x, i, p) ((p)[i] = (x))",
        *(f"#define hc_load{n}(i, p) vload{n}(i, p)" for n in _WIDTHS[1:]),
        *(f"#define hc_store{n}(x, i, p) vstore{n}(x, i, p)" for n in _WIDTHS[1:]),
        "#define hc_loada3(i, p) vload3(0, (p) + 4 * (i))",
        "#define hc_storea3(x, i, p) vstore3(x, 0, (p) + 4 * (i))",
    ]
)

#: Round to odd (truncated with a sticky bit), so that rounding again is right.
_ODD = """\
static inline float __attribute__((overloadable)) hc_odd_float(double x)
{
    float f = (float)x;
    if ((double)f == x || x != x)
        return f;
    uint bits = as_uint(f);
    if (fabs((double)f) > fabs(x))
        --bits;
    return as_float(bits | 1);
}"""


def _parts(name: str, result: str, source: str) -> list[str]:
    """Return a function for vectors that applies a scalar function to their two halves."""
    texts = []
    for n in _WIDTHS[1:]:
        low, high = ("s01", "s2") if n == "3" else ("lo", "hi")
        texts.append(
            f"static inline {result}{n} __attribute__((always_inline, overloadable)) "
            f"{name}({source}{n} x) "
            f"{{ return ({result}{n})({name}(x.{low}), {name}(x.{high})); }}"
        )
    return texts


def _fma_macros(names: set[str]) -> list[str]:
    """Return fma macros of halves, float and double, for `texts.directed_rounding`."""
    texts = []
    for name in sorted(names):
        match = re.fullmatch(r"fma(_last)?(_negative)?(_less)?_(half|wide)", name)
        if not match:
            continue
        parameters = "c, a, b" if match[1] else "a, b, c"
        for mode in MODES:
            negate = "hc_negative" if match[4] == "half" else "-"
            a = f"{negate}(a)" if match[2] else "a"
            c = f"{negate}(c)" if match[3] else "c"
            called = f"hc_fma_{mode}" if match[4] == "half" else f"hc_fma_of_wide_{mode}"
            texts.append(f"#define hc_{name}_{mode}({parameters}) {called}({a}, b, {c})")
    return texts


def _language_macros(target: Target, text: str, options: Options) -> list[str]:
    """Return macros of the language that a text names, with their values on the host."""
    words = set(re.findall(r"\b[A-Z_]\w+", text))
    texts = []
    for name, value in values_of_devices(options).items():
        if name in words:
            if value.endswith("h"):
                value = half_constant(target, float.fromhex(value[:-1]))
            texts.append(f"#undef {name}\n#define {name} {parenthesize_negative(value)}")
    return texts


def prelude(target: Target, text: str, options: Options) -> str:
    """Return the functions and macros that a translated text uses, and those of -D."""
    helpers, fp16 = target.helpers, target.fp16
    needed = set(target.functions)
    if not fp16:
        needed.add("negative")
    parts = [f"/* It needs of the device: {NEEDS[need]}. */" for need in sorted(target.needs)]
    parts += note_of(target.device_calls)
    if options.version < 120:
        parts.append("#define static // which OpenCL C 1.0 and 1.1 do not have")
    if "double" in target.needs:
        parts.append(_DOUBLE)
    if needed or fp16:
        names, dialect = sorted(needed or {"negative"}), OPENCL.variant(fp16)
        called = called_functions(target, text)
        parts.append(source(dialect, names, called))
    parts.append("#pragma OPENCL FP_CONTRACT OFF")
    if "HCI_INLINE" in text:
        parts.append(_INLINE)
    if "HC_ONE_LANE" in text:
        parts.append(_ONE_LANE)
    if target.is_intel:
        parts.append(_IN_ORDER)
    elif "sub_groups" in helpers:
        parts.append("#define HC_IN_ORDER")
    if "HC_MODE" in text:
        parts.append(_MODE)
    parts.append(_IN_MODE)
    if "choose" in helpers:
        parts.append(CHOICES)
    if not fp16:
        parts.append(_BITS)
    if "hc_as(" in text:
        parts.append(_AS)
    if "truth" in helpers:
        parts.append(_TRUTH)
    if "memory" in helpers:
        parts.append(_MEMORY)
    parts += [text for name, text in BY_WORDS.items() if name in helpers]
    if "odd_float" in helpers:
        parts += [_ODD, *_parts("hc_odd_float", "float", "double")]
    parts += wide_text(helpers)
    parts += float_text(helpers)
    parts += storing_text(helpers)
    parts += dot_text(helpers)
    parts += sub_group_text(helpers, text, target.is_intel)
    parts += image_text(helpers)
    parts += _fma_macros(helpers)
    parts += _language_macros(target, "\n".join([text, *options.defines]), options)
    defines = [f"#define {skip_pragma_operators(text)}" for text in options.defines]
    if SKIPPED_PRAGMA in "\n".join([text, *defines]):
        parts.append(f"#define {SKIPPED_PRAGMA}(text)")
    return "\n".join(parts + defines)
