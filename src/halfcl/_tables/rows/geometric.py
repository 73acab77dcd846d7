"""Rows of OpenCL's geometric functions."""

from __future__ import annotations

from typing import Any

from halfcl._tables.row import AbsoluteError, Builtin, PerComponent

_SPEC = "cl_khr_fp16, Geometric Functions; OpenCL C, Geometric Functions"
_NO_UNDUE = "Nothing overflows or underflows on the way: only the result is rounded, once."


def _geometric(name: str, summary: str, signature: str, **others: Any) -> Builtin:
    """Make a row of a function of vectors along an axis."""
    inputs = signature.split("->")[0].count("(")
    return Builtin(
        name, f"vectors_{name}", f"{'e' * inputs}>e", "builtin", summary,
        section="Geometric", spec=_SPEC, signature=signature, **others,
    )  # fmt: skip


GEOMETRIC: tuple[Builtin, ...] = (
    _geometric(
        "cross", "Cross product of vectors of 3 components, or of 4 of which the last counts for "
        "nothing.", "(n),(n)->(n)",
        limit=AbsoluteError(3),
        edge_cases="Each component is a difference of products, a1 b2 - a2 b1, rounded once: "
        "a zero out of unlike terms is +0, in ``rtn`` -0; inf - inf and 0 * inf are NaN and raise "
        "the invalid flag.\nWith 4 components the last of the result is +0. Other lengths, "
        "and scalars, raise ValueError.",
        example=">>> hc.cross(np.array([1, 0, 0], half), np.array([0, 1, 0], half))\n"
        "array([0., 0., 1.], dtype=half)",
    ),
    _geometric(
        "dot", "Dot product.", "(n),(n)->()",
        limit=AbsoluteError(-1, 2),
        edge_cases="The sum of the products, exact and then rounded once. A zero sum is +0, in "
        "``rtn`` -0 if there are terms other than +0; -0 if all terms are. inf - inf and 0 * inf "
        "are NaN and raise the invalid flag. Without components it is +0.",
        example=">>> a = np.array([[1, 2, 3], [3, 4, 0]], half)\n"
        ">>> hc.dot(a, a), hc.dot(a, a, axis=0, rounding='rtp')\n"
        "(array([14., 25.], dtype=half), array([10., 20.,  9.], dtype=half))",
    ),
    _geometric(
        "distance", "Distance between two points: the length of x - y.", "(n),(n)->()",
        limit=PerComponent(0, 2), open=("mixed",),
        edge_cases=f"{_NO_UNDUE} A point infinitely far from the other is at distance +inf, even "
        "if there are NaNs besides, as with `hypot`; inf - inf is NaN and raises the invalid flag.",
        example=">>> hc.distance(np.array([1, 2], half), np.array([4, 6], half))\nhalf(5.0)\n"
        ">>> hc.distance(half(1), half(-2))  # scalars\nhalf(3.0)",
    ),
    _geometric(
        "length", "Length: the square root of the sum of squares.", "(n)->()",
        limit=PerComponent(0.25, 0.5), open=("mixed",),
        edge_cases=f"{_NO_UNDUE} With an infinite component it is +inf, even if there are NaNs "
        "besides, as with `hypot`.",
        example=">>> hc.length(np.array([3e4, 4e4], half))\nhalf(5e+04)\n"
        ">>> hc.length(np.ones(2, half), rounding='rtp')\nhalf(1.415)",
    ),
    _geometric(
        "normalize", "Vector of the same direction and of length 1: x divided by its length.",
        "(n)->(n)",
        limit=PerComponent(1, 1), open=("infinities",),
        edge_cases=f"{_NO_UNDUE} A vector of zeros stays as it is. Beside infinite components, "
        "which count as 1 and -1, finite ones count as zeros of their sign. With a NaN all are "
        "NaN.",
        example=">>> hc.normalize(np.array([3e4, -4e4], half))\n"
        "array([ 0.6, -0.8], dtype=half)",
    ),
)  # fmt: skip
