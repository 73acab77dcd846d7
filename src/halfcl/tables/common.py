"""Rows of OpenCL's common functions."""

from __future__ import annotations

from halfcl.tables.row import Builtin

_SPEC = "cl_khr_fp16, Common Functions"

COMMON: tuple[Builtin, ...] = (
    Builtin(
        "degrees", "degrees", "e>e", "builtin", "Radians as degrees: 180 / pi times x.",
        numpy=("degrees", "rad2deg"), limit=2, section="Common", spec=_SPEC,
        edge_cases="degrees(±0) is ±0, degrees(±inf) is ±inf. Overflows beyond 1143.2.",
        example=">>> hc.degrees(half(1))\nhalf(57.28)",
    ),
    Builtin(
        "radians", "radians", "e>e", "builtin", "Degrees as radians: pi / 180 times x.",
        numpy=("radians", "deg2rad"), limit=2, section="Common", spec=_SPEC,
        edge_cases="radians(±0) is ±0, radians(±inf) is ±inf.",
        example=">>> hc.radians(half(180), rounding='rtp')\nhalf(3.143)",
    ),
)  # fmt: skip
