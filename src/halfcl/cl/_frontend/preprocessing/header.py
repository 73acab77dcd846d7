"""The predefined parts of OpenCL C: type declarations for clang, macros for the preprocessor."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from halfcl import half
from halfcl._opencl import constants
from halfcl.cl._frontend.builtins import TABLE
from halfcl.cl._frontend.preprocessing.macros.definitions import Macro, define
from halfcl.cl._frontend.preprocessing.options import EXTENSIONS, Options
from halfcl.cl._frontend.types import SCALARS, WIDTHS

_NUMBERS = [s for name, s in SCALARS.items() if name != "bool"]

_DECLARATIONS = "\n".join(
    [
        *(f"typedef unsigned {name} u{name};" for name in ("char", "short", "int", "long")),
        "typedef __SIZE_TYPE__ size_t;",
        "typedef __PTRDIFF_TYPE__ ptrdiff_t;",
        "typedef __INTPTR_TYPE__ intptr_t;",
        "typedef __UINTPTR_TYPE__ uintptr_t;",
        "typedef uint cl_mem_fence_flags;",
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable",
        "#pragma OPENCL EXTENSION cl_khr_fp64 : enable",
        *(
            f"typedef {s} {s}{n} __attribute__((ext_vector_type({n})));"
            for s in _NUMBERS
            for n in WIDTHS
        ),
        "#pragma OPENCL EXTENSION cl_khr_fp16 : disable",
        "",
    ]
)

#: Declarations since OpenCL C 2.0.
_LATER_DECLARATIONS = """
typedef enum memory_order {
    memory_order_relaxed, memory_order_acquire = 2, memory_order_release, memory_order_acq_rel,
    memory_order_seq_cst
} memory_order;
typedef enum memory_scope {
    memory_scope_work_item, memory_scope_work_group, memory_scope_device,
    memory_scope_all_svm_devices, memory_scope_sub_group,
    memory_scope_all_devices = memory_scope_all_svm_devices
} memory_scope;
cl_mem_fence_flags get_fence(const void *pointer);
"""


def _intel_declarations() -> str:
    """Return declarations of Intel's shuffles for all types, which clang does not declare."""
    rows = [row for name, row in TABLE.items() if name.startswith("intel_sub_group_shuffle")]
    types = [f"{s}{n}" for s in _NUMBERS for n in ("", *WIDTHS)]
    lines = ["#pragma OPENCL EXTENSION cl_khr_fp16 : enable"]
    for row in rows:
        parameters = ", ".join(row.overloads[0].parameters)
        lines += [
            f"{t} __attribute__((overloadable)) {row.name}({parameters.replace('T', t)});"
            for t in types
        ]
    lines.append("#pragma OPENCL EXTENSION cl_khr_fp16 : disable")
    return "\n".join([*lines, *_block_declarations(), ""])


#: By the end of their names, the elements of cl_intel_subgroups' block reads and writes.
BLOCK_ELEMENTS = {"": "uint", "_uc": "uchar", "_us": "ushort", "_ui": "uint", "_ul": "ulong"}


def _block_declarations() -> Iterator[str]:
    """Yield declarations of block reads and writes, of buffers and of images."""
    start = "__attribute__((overloadable)) intel_sub_group_block_"
    for ending, element in BLOCK_ELEMENTS.items():
        for width in ("", "2", "4", "8", *(["16"] if element in ("uchar", "ushort") else [])):
            name, type_ = f"{ending}{width}", f"{element}{width}"
            for space in ("global", "local"):
                yield f"{type_} {start}read{name}(const {space} {element} *p);"
                yield f"void {start}write{name}({space} {element} *p, {type_} x);"
            yield f"{type_} {start}read{name}(read_only image2d_t image, int2 place);"
            yield f"void {start}write{name}(write_only image2d_t image, int2 place, {type_} x);"


def declarations(options: Options, program: str) -> str:
    """Return what clang reads before a program, which enables extensions itself."""
    text = _DECLARATIONS
    if options.version >= 120:  # earlier versions have no variadic functions
        text += "int printf(__constant const char *format, ...);\n"
    if "intel_sub_group" in program:
        text += _intel_declarations()
    return text + (_LATER_DECLARATIONS if options.version >= 200 else "")


#: Macros of these extensions; clang declares the functions if they are defined.
EXTENSION_FEATURES = (
    "__opencl_c_integer_dot_product_input_4x8bit",
    "__opencl_c_integer_dot_product_input_4x8bit_packed",
)

#: Optional features of OpenCL C 3.0 that are supported.
FEATURES = tuple(
    f"__opencl_c_{name}"
    for name in """3d_image_writes atomic_order_acq_rel atomic_order_seq_cst
    atomic_scope_all_devices atomic_scope_device fp64 generic_address_space images int64 subgroups
    work_group_collective_functions""".split()
)

_LIMITS = {
    "CHAR_BIT": "8",
    "CHAR_MAX": "127",
    "CHAR_MIN": "(-128)",
    "SCHAR_MAX": "127",
    "SCHAR_MIN": "(-128)",
    "UCHAR_MAX": "255",
    "SHRT_MAX": "32767",
    "SHRT_MIN": "(-32768)",
    "USHRT_MAX": "65535",
    "INT_MAX": "2147483647",
    "INT_MIN": "(-2147483647 - 1)",
    "UINT_MAX": "0xffffffffU",
    "LONG_MAX": "0x7fffffffffffffffL",
    "LONG_MIN": "(-0x7fffffffffffffffL - 1)",
    "ULONG_MAX": "0xffffffffffffffffUL",
}

_FLOATING = {
    "FLT_DIG": "6",
    "FLT_MANT_DIG": "24",
    "FLT_MAX_10_EXP": "+38",
    "FLT_MAX_EXP": "+128",
    "FLT_MIN_10_EXP": "-37",
    "FLT_MIN_EXP": "-125",
    "FLT_RADIX": "2",
    "FLT_MAX": "0x1.fffffep127f",
    "FLT_MIN": "0x1.0p-126f",
    "FLT_EPSILON": "0x1.0p-23f",
    "DBL_DIG": "15",
    "DBL_MANT_DIG": "53",
    "DBL_MAX_10_EXP": "+308",
    "DBL_MAX_EXP": "+1024",
    "DBL_MIN_10_EXP": "-307",
    "DBL_MIN_EXP": "-1021",
    "DBL_MAX": "0x1.fffffffffffffp1023",
    "DBL_MIN": "0x1.0p-1022",
    "DBL_EPSILON": "0x1.0p-52",
    "FP_ILOGB0": "(-2147483647 - 1)",
    "FP_ILOGBNAN": "2147483647",
    "MAXFLOAT": "0x1.fffffep127f",
    "HUGE_VALF": "__builtin_huge_valf()",
    "INFINITY": "__builtin_huge_valf()",
    "HUGE_VAL": "__builtin_huge_val()",
    "NAN": '(__builtin_nanf(""))',  # in parentheses: else clang's extent of it begins inside
    "NULL": "((void *)0)",
}

_FENCES = {"CLK_LOCAL_MEM_FENCE": "0x1", "CLK_GLOBAL_MEM_FENCE": "0x2"}

SAMPLER_BITS = {
    "CLK_ADDRESS_NONE": "0",
    "CLK_ADDRESS_CLAMP_TO_EDGE": "2",
    "CLK_ADDRESS_CLAMP": "4",
    "CLK_ADDRESS_REPEAT": "6",
    "CLK_ADDRESS_MIRRORED_REPEAT": "8",
    "CLK_NORMALIZED_COORDS_FALSE": "0",
    "CLK_NORMALIZED_COORDS_TRUE": "1",
    "CLK_FILTER_NEAREST": "0x10",
    "CLK_FILTER_LINEAR": "0x20",
}

#: Channel orders and types, as returned by get_image_channel_order and so on.
_CHANNELS = {
    **{
        f"CLK_{name}": hex(0x10B0 + i)
        for i, name in enumerate(
            "R A RG RA RGB RGBA BGRA ARGB INTENSITY LUMINANCE Rx RGx RGBx DEPTH".split()
        )
    },
    **{
        f"CLK_{name}": hex(0x10D0 + i)
        for i, name in enumerate(
            "SNORM_INT8 SNORM_INT16 UNORM_INT8 UNORM_INT16 UNORM_SHORT_565 UNORM_SHORT_555 "
            "UNORM_INT_101010 SIGNED_INT8 SIGNED_INT16 SIGNED_INT32 UNSIGNED_INT8 "
            "UNSIGNED_INT16 UNSIGNED_INT32 HALF_FLOAT FLOAT".split()
        )
    },
}

_MATH = {
    "E": math.e,
    "LOG2E": 1 / math.log(2),
    "LOG10E": 1 / math.log(10),
    "LN2": math.log(2),
    "LN10": math.log(10),
    "PI": math.pi,
    "PI_2": math.pi / 2,
    "PI_4": math.pi / 4,
    "1_PI": 1 / math.pi,
    "2_PI": 2 / math.pi,
    "2_SQRTPI": 2 / math.sqrt(math.pi),
    "SQRT2": math.sqrt(2),
    "SQRT1_2": math.sqrt(0.5),
}


def _half_constants() -> dict[str, str]:
    """Return HALF_MAX, M_PI_H and their kin from `halfcl._opencl.constants`.

    FP_FAST_FMA_HALF is defined, as 1, if it is true: measured, fma takes 0.8 times as long as a
    product and a sum. FP_FAST_FMAF and FP_FAST_FMA are not: it takes 1.5 and 1.1 times as long.
    """
    values = {name: getattr(constants, name) for name in constants.__all__}
    return {
        name: str(int(value)) if isinstance(value, int) else f"{float(value).hex()}h"
        for name, value in values.items()
        if isinstance(value, int | half) and value is not False
    }


@functools.cache
def macros() -> Mapping[str, str]:
    """Return replacements by macro name, with parameters if it has any."""
    targets = ["size_t", *(f"{s}{n}" for s in _NUMBERS for n in ("", *WIDTHS))]
    casts = {f"as_{target}(x)": f"__builtin_astype((x), {target})" for target in targets}
    numbers = {
        **{f"M_{name}": value.hex() for name, value in _MATH.items()},
        **{f"M_{name}_F": value.hex() + "f" for name, value in _MATH.items()},
    }
    flags = dict.fromkeys(
        (*EXTENSIONS, *EXTENSION_FEATURES, "__ENDIAN_LITTLE__", "__IMAGE_SUPPORT__"), "1"
    )
    flags["__kernel_exec(X, typen)"] = "__kernel __attribute__((work_group_size_hint(X, 1, 1)))"
    tables = _LIMITS | _FLOATING | _FENCES | SAMPLER_BITS | _CHANNELS
    return MappingProxyType(casts | numbers | flags | tables | _half_constants())


@functools.cache
def _define_all() -> dict[str, Macro]:
    """Return the macros of the header, defined."""
    definitions = (define(f"{name} {value}") for name, value in macros().items())
    return {macro.name: macro for macro in definitions}


def defined_macros(options: Options) -> dict[str, Macro]:
    """Return the macros of the header and those that depend on the options, defined."""
    versions = [define(f"{n} {value}") for n, value in version_macros(options).items()]
    every = _define_all() | {macro.name: macro for macro in versions}
    return {name: macro for name, macro in every.items() if name not in options.removed}


def version_macros(options: Options) -> dict[str, str]:
    """Return the macros that depend on the options."""
    newest = max(120, options.version)  # the version that a device would need
    replacements = {"__OPENCL_C_VERSION__": str(options.version), "__OPENCL_VERSION__": str(newest)}
    for version in (100, 110, 120, 200, 300):
        if version <= newest:
            replacements[f"CL_VERSION_{version // 100}_{version // 10 % 10}"] = str(version)
    if options.version >= 300:
        replacements |= dict.fromkeys(FEATURES, "1")
    if options.version >= 200:
        replacements |= {"ATOMIC_VAR_INIT(x)": "(x)", "ATOMIC_FLAG_INIT": "0"}
    if "-cl-fast-relaxed-math" in options.permissions:
        replacements["__FAST_RELAXED_MATH__"] = "1"
    return replacements


def values_of_devices(options: Options) -> dict[str, str]:
    """Return the macros that devices may lack, or define as other values."""
    fixed = {name: _FLOATING[name] for name in ("FP_ILOGB0", "FP_ILOGBNAN")}
    return _half_constants() | fixed | version_macros(options)
