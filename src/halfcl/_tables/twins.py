"""Hints for names that halfcl lacks: NumPy's, shading languages', misspelt ones."""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Callable, Iterable

import numpy as np

from halfcl._core import MODES
from halfcl._tables import TABLE, Builtin
from halfcl.typing import RoundingMode


@functools.cache
def _rows() -> dict[str, Builtin]:
    """Return rows by the name of NumPy's ufunc; public rows replace others."""
    rows = sorted(TABLE, key=lambda row: row.public)
    return {name: row for row in rows for name in row.numpy}


#: The languages of SHADING's columns after the first.
LANGUAGES = ("HLSL", "GLSL", "Metal")

#: Calls of halfcl (hc) or NumPy (np), and those of LANGUAGES with the same result; "" if there is
#: none. docs/howto/from_shaders.md has them beside CUDA's.
SHADING: tuple[tuple[str, str, str, str], ...] = (
    ("hc.mix(a, b, t)", "lerp(a, b, t)", "mix(a, b, t)", "mix(a, b, t)"),
    ("hc.clamp(x, 0, 1)", "saturate(x)", "clamp(x, 0.0hf, 1.0hf)", "saturate(x)"),
    ("hc.clamp(x, a, b)", "clamp(x, a, b)", "clamp(x, a, b)", "clamp(x, a, b)"),
    ("hc.step(a, x)", "step(a, x)", "step(a, x)", "step(a, x)"),
    ("hc.smoothstep(a, b, x)", "smoothstep(a, b, x)", "smoothstep(a, b, x)", "smoothstep(a, b, x)"),
    ("hc.fmin(x, y)", "min(x, y)", "min(x, y)", "fmin(x, y)"),
    ("hc.fmax(x, y)", "max(x, y)", "max(x, y)", "fmax(x, y)"),
    ("hc.fabs(x)", "abs(x)", "abs(x)", "fabs(x)"),
    ("hc.sign(x)", "sign(x)", "sign(x)", "sign(x)"),
    ("hc.floor(x)", "floor(x)", "floor(x)", "floor(x)"),
    ("hc.ceil(x)", "ceil(x)", "ceil(x)", "ceil(x)"),
    ("hc.trunc(x)", "trunc(x)", "trunc(x)", "trunc(x)"),
    ("hc.rint(x)", "round(x)", "roundEven(x)", "rint(x)"),
    ("hc.round(x)", "", "", "round(x)"),
    ("hc.fract(x)[0]", "frac(x)", "fract(x)", "fract(x)"),
    ("hc.fmod(x, y)", "fmod(x, y)", "", "fmod(x, y)"),
    ("np.mod(x, y)", "", "mod(x, y)", ""),
    ("hc.fma(x, y, z)", "mad(x, y, z)", "fma(x, y, z)", "fma(x, y, z)"),
    ("hc.divide(1, x)", "rcp(x)", "1.0hf / x", "1.0h / x"),
    ("hc.sqrt(x)", "sqrt(x)", "sqrt(x)", "sqrt(x)"),
    ("hc.rsqrt(x)", "rsqrt(x)", "inversesqrt(x)", "rsqrt(x)"),
    ("hc.powr(x, y)", "pow(x, y)", "pow(x, y)", "powr(x, y)"),
    ("hc.exp(x)", "exp(x)", "exp(x)", "exp(x)"),
    ("hc.exp2(x)", "exp2(x)", "exp2(x)", "exp2(x)"),
    ("hc.log(x)", "log(x)", "log(x)", "log(x)"),
    ("hc.log2(x)", "log2(x)", "log2(x)", "log2(x)"),
    ("hc.log10(x)", "log10(x)", "", "log10(x)"),
    ("hc.sin(x)", "sin(x)", "sin(x)", "sin(x)"),
    ("hc.cos(x)", "cos(x)", "cos(x)", "cos(x)"),
    ("hc.tan(x)", "tan(x)", "tan(x)", "tan(x)"),
    ("hc.asin(t)", "asin(t)", "asin(t)", "asin(t)"),
    ("hc.acos(t)", "acos(t)", "acos(t)", "acos(t)"),
    ("hc.atan(x)", "atan(x)", "atan(x)", "atan(x)"),
    ("hc.atan2(y, x)", "atan2(y, x)", "atan(y, x)", "atan2(y, x)"),
    ("hc.sinh(x)", "sinh(x)", "sinh(x)", "sinh(x)"),
    ("hc.cosh(x)", "cosh(x)", "cosh(x)", "cosh(x)"),
    ("hc.tanh(x)", "tanh(x)", "tanh(x)", "tanh(x)"),
    ("hc.radians(x)", "radians(x)", "radians(x)", ""),
    ("hc.degrees(x)", "degrees(x)", "degrees(x)", ""),
    ("hc.dot(v, w)", "dot(v, w)", "dot(v, w)", "dot(v, w)"),
    ("hc.cross(v, w)", "cross(v, w)", "cross(v, w)", "cross(v, w)"),
    ("hc.length(v)", "length(v)", "length(v)", "length(v)"),
    ("hc.distance(v, w)", "distance(v, w)", "distance(v, w)", "distance(v, w)"),
    ("hc.normalize(v)", "normalize(v)", "normalize(v)", "normalize(v)"),
    ("v - 2 * hc.dot(w, v) * w", "reflect(v, w)", "reflect(v, w)", "reflect(v, w)"),
    ("hc.isnan(x)", "isnan(x)", "isnan(x)", "isnan(x)"),
    ("hc.isinf(x)", "isinf(x)", "isinf(x)", "isinf(x)"),
    ("hc.isfinite(x)", "isfinite(x)", "", "isfinite(x)"),
    ("hc.as_ushort(x)", "asuint16(x)", "float16BitsToUint16(x)", "as_type<ushort>(x)"),
    ("hc.as_half(n)", "asfloat16(n)", "uint16BitsToFloat16(n)", "as_type<half>(n)"),
)

#: CUDA's intrinsics by their types as in the table, with halfcl's names of what they compute; of
#: several that compute the same, the usual one first. `__hne` is false for NaNs, `__hneu` is true.
CUDA: dict[str, dict[str, str]] = {
    "e>e": {
        "hexp": "exp", "hexp2": "exp2", "hexp10": "exp10", "hlog": "log", "hlog2": "log2",
        "hlog10": "log10", "hsin": "sin", "hcos": "cos", "htanh": "tanh", "htanh_approx": "tanh",
        "hsqrt": "sqrt", "hrsqrt": "rsqrt", "hrcp": "reciprocal", "hceil": "ceil",
        "hfloor": "floor", "hrint": "rint", "htrunc": "trunc", "__habs": "fabs",
        "__hneg": "negative",
    },
    "ee>e": {
        "__hadd": "add", "__hsub": "subtract", "__hmul": "multiply", "__hdiv": "divide",
        "__hadd_rn": "add", "__hsub_rn": "subtract", "__hmul_rn": "multiply", "__hmax": "fmax",
        "__hmin": "fmin",
    },
    "eee>e": {"__hfma": "fma"},
    "e>?": {"__hisnan": "isnan", "__hisinf": "isinf"},
    "ee>?": {
        "__heq": "isequal", "__hneu": "isnotequal", "__hne": "islessgreater", "__hgt": "isgreater",
        "__hge": "isgreaterequal", "__hlt": "isless", "__hle": "islessequal",
    },
}  # fmt: skip

#: CUDA's suffixes of rounding modes.
CUDA_MODES: dict[str, RoundingMode] = {"rn": "rte", "rz": "rtz", "rd": "rtn", "ru": "rtp"}

_CUDA_CONVERSION = re.compile(r"__(\w+?)2(half|float)(?:_(r[nzud]))?")

#: What operators compute: by halfcl's names, and as OpenCL C.
_OPERATORS: dict[str, tuple[str, str]] = {
    "reciprocal": ("hc.divide(1, x)", "1 / x"), "negative": ("-x", "-x"),
    "add": ("hc.add(x, y)", "x + y"), "subtract": ("hc.subtract(x, y)", "x - y"),
    "multiply": ("hc.multiply(x, y)", "x * y"), "divide": ("hc.divide(x, y)", "x / y"),
}  # fmt: skip

#: Calls of SHADING that are not written alike in OpenCL C.
_IN_KERNELS: dict[str, str] = {
    "hc.clamp(x, 0, 1)": "clamp(x, 0.0h, 1.0h)", "hc.fract(x)[0]": "fract(x, &whole)",
    "hc.divide(1, x)": "1 / x", "np.mod(x, y)": "x - y * floor(x / y)",
}  # fmt: skip

#: What other languages' words are in OpenCL C; docs/howto/from_shaders.md has them, too.
_WORDS: dict[str, tuple[str, str]] = {
    "threadIdx": ("CUDA", "get_local_id(0)"),
    "blockIdx": ("CUDA", "get_group_id(0)"),
    "blockDim": ("CUDA", "get_local_size(0)"),
    "gridDim": ("CUDA", "get_num_groups(0)"),
    "__syncthreads": ("CUDA", "barrier(CLK_LOCAL_MEM_FENCE)"),
    "GroupMemoryBarrierWithGroupSync": ("HLSL", "barrier(CLK_LOCAL_MEM_FENCE)"),
    "groupshared": ("HLSL", "local"),
    "threadgroup_barrier": ("Metal", "barrier(CLK_LOCAL_MEM_FENCE)"),
    "threadgroup": ("Metal", "local"),
    "gl_GlobalInvocationID": ("GLSL", "get_global_id(0)"),
    "gl_LocalInvocationID": ("GLSL", "get_local_id(0)"),
    "__half": ("CUDA", "half"),
    "__half2": ("CUDA", "half2"),
    "float16_t": ("HLSL", "half"),
    **{f"f16vec{width}": ("GLSL", f"half{width}") for width in (2, 3, 4)},
    **{f"vec{width}": ("GLSL", f"float{width}") for width in (2, 3, 4)},
}

_MATRIX = "there are no matrix types; a matrix is an array of two axes, v @ m.T its product with v"
_DERIVATIVE = "there are no derivatives; numpy.diff(x, axis=-1) returns differences of neighbours"

#: Other names that halfcl has under no name of its own.
_OTHERS: dict[str, str] = {
    "rsq": "rsqrt(x) is the reciprocal square root",
    "ulps": "ulp_error(x, exact) or ulps_between(x, y)",
    "mul": "HLSL's mul(m, v) is v @ m.T, its mul(v, m) is v @ m; of elements it is hc.multiply",
    "refract": "it is r * v - (r * d + hc.sqrt(1 - r * r * (1 - d * d))) * n with d = hc.dot(n, v)",
    "texture": "GLSL's texture(image, uv) is hc.read_imageh(image, sampler, uv)",
    "tex2D": "CUDA's tex2D<T>(image, u, v) is hc.read_imageh(image, sampler, uv)",
    "bfloat16": "there is none; numpy.float32 holds each number of it, ml_dtypes has it as a dtype",
    **{
        name: f"{language}'s {name} is hc.{own}"
        for name, (language, own) in _WORDS.items()
        if own.startswith(("half", "float"))
    },
    **{f"half{rows}x{columns}": _MATRIX for rows in "234" for columns in "234"},
    **dict.fromkeys(("ddx", "ddy", "dFdx", "dFdy", "dfdx", "dfdy", "fwidth"), _DERIVATIVE),
    **{mode: f'modes are strings: rounding="{mode}"' for mode in MODES},
}

#: NumPy's functions that make arrays: without a dtype, not of halves.
_MAKERS = frozenset({
    "arange", "array", "asarray", "empty", "eye", "frombuffer", "fromiter", "full", "geomspace",
    "identity", "linspace", "logspace", "ones", "zeros",
})  # fmt: skip

#: How alike two names are for one to be taken for the other misspelt: 1 if they are equal.
_ALIKE = 0.8


def suggest_name(name: str, list_names: Callable[[], Iterable[str]]) -> str:
    """Return a hint for a name that halfcl lacks, as the end of a sentence, or "".

    list_names: returns the names that halfcl has. Python's own protocols get no hint, quickly.
    """
    if name.startswith("_") and (name.endswith("__") or not name.startswith("__")):
        return ""
    if name in _OTHERS:
        return f": {_OTHERS[name]}"
    shading = _suggest_shading(name)
    hint = f": {shading[0]} is {shading[1]}" if shading else ""
    if name.startswith("_"):
        return hint
    return _suggest_numpys(name) or hint or suggest_spelling(name, list_names())


def suggest_in_kernel(name: str) -> str:
    """Return a sentence for a name of another language that OpenCL C lacks, or ""."""
    if name in _WORDS:
        language, own = _WORDS[name]
        return f"{language}'s {name} is {own}"
    if shading := _suggest_shading(name):
        return f"{shading[0]} is {shading[2]}"
    return ""


def _suggest_numpys(name: str) -> str:
    """Return a hint for a name that NumPy has."""
    if name in _MAKERS:
        return f": numpy.{name} with dtype=halfcl.half"
    function = vars(np).get(name)
    own = getattr(function, "__name__", "")  # numpy.abs is numpy.absolute
    row = _rows().get(own)
    if row is None:
        is_other = callable(function) and not isinstance(function, type | np.ufunc)
        return f": NumPy has it, numpy.{name}" if is_other else ""
    if not row.public:
        return f": numpy.{name} takes halves"
    whose = "NumPy's other" if row.name == own else "OpenCL's"
    return f": {whose} name is {row.name}; numpy.{name} takes halves, too"


def _suggest_shading(name: str) -> tuple[str, str, str] | None:
    """Return a shading language's or CUDA's call of a name, halfcl's call, and OpenCL C's."""
    for own, *calls in SHADING:
        for language, call in zip(LANGUAGES, calls, strict=True):
            if call.startswith(f"{name}("):
                return f"{language}'s {call}", own, _IN_KERNELS.get(own, own.replace("hc.", ""))
    for types, names in CUDA.items():
        if name in names:
            arguments = ", ".join("xyz"[: types.index(">")])
            function = f"{names[name]}({arguments})"
            own, in_kernel = _OPERATORS.get(names[name], (f"hc.{function}", function))
            return f"CUDA's {name}({arguments})", own, in_kernel
    return _suggest_conversion(name)


def _suggest_conversion(name: str) -> tuple[str, str, str] | None:
    """Return the calls for CUDA's conversions to half and float."""
    conversion = _CUDA_CONVERSION.fullmatch(name)
    if conversion is None:
        return None
    _, to, suffix = conversion.groups()
    mode = CUDA_MODES[suffix or "rn"]
    dtype = "hc.half" if to == "half" else "np.float32"
    rounding, ending = ("", "") if mode == "rte" else (f', rounding="{mode}"', f"_{mode}")
    own = f"hc.convert(x, {dtype}{rounding})"
    return f"CUDA's {name}(x)", own, f"convert_{to}{ending}(x)"


def suggest_spelling(name: str, own_names: Iterable[str]) -> str:
    """Return a hint for a misspelt one of some names, as the end of a sentence, or ""."""
    by_spelling = {own.lower(): own for own in own_names}
    alike = difflib.get_close_matches(name.lower(), by_spelling, 1, _ALIKE)
    return f"; did you mean {by_spelling[alike[0]]}?" if alike else ""
