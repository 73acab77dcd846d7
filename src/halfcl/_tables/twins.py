"""Hints for names that halfcl lacks: NumPy's, shading languages', misspelt ones."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Callable, Iterable

import numpy as np

from halfcl._core import MODES
from halfcl._tables import TABLE, Builtin


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

#: Other names that halfcl has under no name of its own.
_OTHERS: dict[str, str] = {
    "rsq": "rsqrt(x) is the reciprocal square root",
    "ulps": "ulp_error(x, exact) or ulps_between(x, y)",
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
    if name.startswith("_"):
        return ""
    if name in _OTHERS:
        return f": {_OTHERS[name]}"
    return _suggest_numpys(name) or _suggest_shading(name) or _suggest_spelling(name, list_names())


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


def _suggest_shading(name: str) -> str:
    """Return a hint for a name that a shading language has."""
    for own, *calls in SHADING:
        for language, call in zip(LANGUAGES, calls, strict=True):
            if call.startswith(f"{name}("):
                return f": {language}'s {call} is {own}"
    return ""


def _suggest_spelling(name: str, own_names: Iterable[str]) -> str:
    """Return a hint for a misspelt name."""
    by_spelling = {own.lower(): own for own in own_names}
    alike = difflib.get_close_matches(name.lower(), by_spelling, 1, _ALIKE)
    return f"; did you mean {by_spelling[alike[0]]}?" if alike else ""
