"""Rows of OpenCL's common functions."""

from __future__ import annotations

from typing import Any

from halfcl._tables.row import EVERYWHERE, Builtin

_SPEC = "cl_khr_fp16, Common Functions"


def _common(name: str, types: str, summary: str, limit: float | None, **others: Any) -> Builtin:
    """Make a row of a common function, whose result is rounded by default."""
    governed = others.pop("governed", "builtin")
    return Builtin(
        name, name, types, governed, summary,
        section="Common", spec=_SPEC, limit=limit, embedded=limit, **others,
    )  # fmt: skip


def _exact(name: str, types: str, summary: str, **others: object) -> Builtin:
    """Make a row of a function whose results need no rounding."""
    return _common(name, types, summary, 0, governed="exact", ulp=0, **others)


COMMON: tuple[Builtin, ...] = (
    _exact(
        "clamp", "eee>e", "x, kept between two bounds: fmin(fmax(x, minval), maxval).",
        parameters=("x", "minval", "maxval"),
        open=("zeros", "nans", "bounds"),
        edge_cases="By that formula everywhere: maxval if minval > maxval (which OpenCL leaves "
        "undefined), minval if x is NaN, x if both bounds are. (``numpy.clip`` passes NaNs on.) "
        "Raises no flag.",
        example=">>> hc.clamp(half(2.5), half(-1), half(1))\nhalf(1.0)",
    ),
    _common(
        "degrees", "e>e", "Radians as degrees: 180 / pi times x.", 2,
        numpy=("degrees", "rad2deg"),
        increasing=EVERYWHERE, symmetry="odd",
        derivatives=("180 / M_PI",), second_derivatives=("0",),
        formula="180 / M_PI * x",
        edge_cases="degrees(±0) is ±0, degrees(±inf) is ±inf. Overflows beyond 1143.2.",
        example=">>> hc.degrees(half(1))\nhalf(57.28)",
    ),
    _exact(
        "max", "ee>e", "y if x < y, else x.",
        open=("infinities", "nans"),
        edge_cases="By that formula everywhere, also for infinities and NaNs (which OpenCL leaves "
        "undefined): x if either is NaN, and of zeros the first. A NaN comes out quiet. Raises no "
        "flag. (`fmax` prefers numbers to NaNs, ``numpy.maximum`` NaNs to numbers.)",
        example=">>> hc.max(half(1), half(2)), hc.max(half(1), half('nan'))\n"
        "(half(2.0), half(1.0))",
    ),
    _exact(
        "min", "ee>e", "y if y < x, else x.",
        open=("infinities", "nans"),
        edge_cases="By that formula everywhere, also for infinities and NaNs (which OpenCL leaves "
        "undefined): x if either is NaN, and of zeros the first. A NaN comes out quiet. Raises no "
        "flag. (`fmin` prefers numbers to NaNs, ``numpy.minimum`` NaNs to numbers.)",
        example=">>> hc.min(half(1), half(2)), hc.min(half('nan'), half(1))\n"
        "(half(1.0), half(nan))",
    ),
    _common(
        "mix", "eee>e", "Linear blend: x + (y - x) * a, evaluated exactly and rounded once.", None,
        parameters=("x", "y", "a"),
        open=("weights",),
        derivatives=("1 - a", "a", "y - x"),
        formula="x + (y - x) * a",
        edge_cases="By that formula also where ``a`` is not in [0, 1] (which OpenCL leaves "
        "undefined). mix(x, y, 0) is x and mix(x, y, 1) is y, if both are finite. An exact zero is "
        "+0, in ``rtn`` -0, unless all terms of the sum have the same sign. With infinities it is "
        "what IEEE arithmetic makes of the formula: inf - inf and inf * 0 are NaN and raise the "
        "invalid flag.",
        example=">>> hc.mix(half(1), half(2), half(1/3)), "
        "hc.mix(half(1), half(2), half(1/3), rounding='rtp')\n(half(1.333), half(1.334))",
    ),
    _common(
        "radians", "e>e", "Degrees as radians: pi / 180 times x.", 2,
        numpy=("radians", "deg2rad"),
        increasing=EVERYWHERE, symmetry="odd",
        derivatives=("M_PI / 180",), second_derivatives=("0",),
        formula="M_PI / 180 * x",
        edge_cases="radians(±0) is ±0, radians(±inf) is ±inf.",
        example=">>> hc.radians(half(180), rounding='rtp')\nhalf(3.143)",
    ),
    _exact(
        "sign", "e>e", "1 for x > 0, -1 for x < 0.",
        increasing=EVERYWHERE, symmetry="odd",
        edge_cases="sign(±0) is ±0, sign of NaN is +0. (``numpy.sign`` has +0 and NaN.) Raises no "
        "flag.",
        example=">>> hc.sign(half(-2.5)), hc.sign(half(-0.0)), hc.sign(half('nan'))\n"
        "(half(-1.0), half(-0.0), half(0.0))",
    ),
    _common(
        "smoothstep", "eee>e",
        "Smooth step from 0 to 1: t * t * (3 - 2 * t), with t = (x - edge0) / (edge1 - edge0) "
        "kept\nwithin [0, 1]; evaluated exactly and rounded once.",
        None, parameters=("edge0", "edge1", "x"),
        open=("edges", "nans"),
        edge_cases="0 up to edge0 and 1 from edge1 on. By that formula also where OpenCL leaves it "
        "undefined: with edge0 > edge1 the step goes down; with edge0 = edge1 it is sudden, and "
        "for x the same, as for inf - inf and inf / inf, NaN, raising the invalid flag. NaN if any "
        "argument is.",
        example=">>> hc.smoothstep(half(0), half(3), half(1))\nhalf(0.2593)",
    ),
    _exact(
        "step", "ee>e", "0 if x < edge, else 1.", parameters=("edge", "x"),
        edge_cases="By that formula for NaNs too: 1 if either is NaN. Raises no flag.",
        example=">>> hc.step(half(0.5), half(0.25)), hc.step(half(0.5), half(0.5))\n"
        "(half(0.0), half(1.0))",
    ),
)  # fmt: skip
