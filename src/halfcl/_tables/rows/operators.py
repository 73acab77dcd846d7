"""Rows of the operators."""

from __future__ import annotations

from halfcl._tables.row import EVERYWHERE, Builtin

_SPEC = "OpenCL C, Operators; IEEE 754-2008, 5.4.1"

OPERATORS: tuple[Builtin, ...] = (
    Builtin(
        "add", "add", "ee>e", "operator", "Sum of two halves.",
        numpy=("add",), limit=0.5, embedded=0.5, spec=_SPEC, identity=0.0, reduce="add_reduce",
        symmetry="commutative",
        # x + -0 is x for every x, except that -0 + +0 is -0 if rounded down; use +0 there.
        neutral=(-0.0, -0.0, -0.0, 0.0),
        derivatives=("1", "1"), second_derivatives=("0", "0", "0"),
        edge_cases="An exact zero sum of opposite numbers is +0, in ``rtn`` -0. inf - inf is NaN "
        "and raises the invalid flag.\nA sum over an axis that is contiguous in memory is exact, "
        "then rounded once.",
        example=">>> hc.add(half(1), half(2**-12), rounding='rtp')\nhalf(1.001)",
    ),
    Builtin(
        "subtract", "subtract", "ee>e", "operator", "Difference of two halves.",
        numpy=("subtract",), limit=0.5, embedded=0.5, spec=_SPEC,
        derivatives=("1", "-1"), second_derivatives=("0", "0", "0"),
        edge_cases="x - x is +0, in ``rtn`` -0. inf - inf is NaN and raises the invalid flag.",
        example=">>> hc.subtract(half(1), half(2**-12), rounding='rtz')\nhalf(0.9995)",
    ),
    Builtin(
        "multiply", "multiply", "ee>e", "operator", "Product of two halves.",
        numpy=("multiply",), limit=0.5, embedded=0.5, spec=_SPEC, identity=1.0,
        reduce="multiply_reduce",
        symmetry="commutative",
        derivatives=("y", "x"), second_derivatives=("0", "1", "0"),
        edge_cases="0 * inf is NaN and raises the invalid flag. Products beyond 65504 overflow: to "
        "infinity, or to 65504 where the mode rounds toward it.\nA product over an axis that is "
        "contiguous in memory is rounded once, in any order: of n factors it is known to "
        "n * 2**-101 before, and exact if it has 12 bits.",
        example=">>> hc.multiply(half(0.1), half(0.1), rounding='rtz')\nhalf(0.009995)",
    ),
    Builtin(
        "divide", "divide", "ee>e", "operator", "Quotient of two halves.",
        numpy=("divide",), limit=0.5, embedded=1, spec=_SPEC,
        derivatives=("1 / y", "-(x / y / y)"),
        second_derivatives=("0", "-(1 / y**2)", "2 * (x / y / y**2)"),
        edge_cases="x / 0 is an infinity and raises the divide-by-zero flag; 0 / 0 and inf / inf "
        "are NaN and raise the invalid flag.",
        example=">>> hc.divide(half(1), half(3), rounding='rtp')\nhalf(0.3335)",
    ),
    Builtin(
        "negative", "negative", "e>e", "exact", "The number with its sign changed.",
        numpy=("negative",), ulp=0, limit=0, embedded=0, spec=_SPEC,
        decreasing=EVERYWHERE, symmetry="odd",
        derivatives=("-1",), second_derivatives=("0",),
        edge_cases="Changes the sign of zeros and NaNs too. Raises no flag.",
        example=">>> hc.negative(half(0))\nhalf(-0.0)",
    ),
)  # fmt: skip
