"""Rows of conversions between half and normalised integers, the channels of images."""

from __future__ import annotations

from halfcl._tables.row import Builtin

_SPEC = "OpenCL C, Conversion Rules for Normalized Integer Channel Data Types; cl_khr_fp16"

# Name, letter, least and greatest value, what of the codes is special, an example of either way.
_TYPES: tuple[tuple[str, str, int, int, str, str, str], ...] = (
    ("unorm8", "B", 0, 255, "",
     "hc.from_unorm8(np.array([0, 128, 255], np.uint8))\n"
     "array([0.   , 0.502, 1.   ], dtype=half)",
     "hc.to_unorm8(np.array([-1, 0.5, 2], half))\narray([  0, 128, 255], dtype=uint8)"),
    ("unorm16", "H", 0, 65535, "Codes 1 to 3 give subnormal numbers and underflow. ",
     "hc.from_unorm16(np.array([0, 32768, 65535], np.uint16))\narray([0. , 0.5, 1. ], dtype=half)",
     "hc.to_unorm16(np.array([-1, 0.5, 2], half))\narray([    0, 32768, 65535], dtype=uint16)"),
    ("snorm8", "b", -128, 127, "-128 gives -1, as -127 does. ",
     "hc.from_snorm8(np.array([-128, 64, 127], np.int8))\n"
     "array([-1.   ,  0.504,  1.   ], dtype=half)",
     "hc.to_snorm8(np.array([-1, 0.5, 2], half))\narray([-127,   64,  127], dtype=int8)"),
    ("snorm16", "h", -32768, 32767,
     "-32768 gives -1, as -32767 does. Codes 1 and -1 give subnormal numbers and underflow. ",
     "hc.from_snorm16(np.array([-32768, 16384, 32767], np.int16))\n"
     "array([-1. ,  0.5,  1. ], dtype=half)",
     "hc.to_snorm16(np.array([-1, 0.5, 2], half))\narray([-32767,  16384,  32767], dtype=int16)"),
)  # fmt: skip


def _reading(name: str, letter: str, greatest: int, special: str, example: str) -> Builtin:
    return Builtin(
        f"from_{name}", f"from_{name}", f"{letter}>e", "operator",
        f"Normalised integers as fractions of their greatest value: x / {greatest}.",
        section="Normalized", spec=_SPEC, limit=1.5, embedded=1.5,
        edge_cases=f"0 and {greatest} give 0 and 1. {special}".strip(),
        example=f">>> import numpy as np\n>>> {example}",
    )  # fmt: skip


def _writing(name: str, letter: str, least: int, greatest: int, example: str) -> Builtin:
    return Builtin(
        f"to_{name}", f"to_{name}", f"e>{letter}", "builtin",
        f"Halves as normalised integers: {greatest} * x, rounded to an integer.",
        section="Normalized", spec=_SPEC, limit="0.6 of a unit", embedded="0.6 of a unit",
        edge_cases=f"What is beyond {least} and {greatest} gives these, NaN gives 0. Raises no "
        "flag.",
        example=f">>> import numpy as np\n>>> {example}",
    )  # fmt: skip


NORMALIZED: tuple[Builtin, ...] = tuple(
    row
    for name, letter, least, greatest, special, read, written in _TYPES
    for row in (
        _reading(name, letter, greatest, special, read),
        _writing(name, letter, least, greatest, written),
    )
)
