"""The table: one row for each function that halfcl defines or gives NumPy a half loop for.

Ufuncs, docstrings, tests and benchmarks are all made from it. To add a function,
add its kernel to the engine and its row here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

#: What a region's rounding mode does to a function. An operator follows it; a
#: built-in follows it only under ``builtins=True``; "exact" results need no rounding.
Governed = Literal["operator", "builtin", "exact"]


@dataclass(frozen=True)
class Builtin:
    """One row.

    kernel, types: the engine's kernel and its signature in NumPy's letters ("ee>e").
    numpy: the NumPy ufuncs that get this kernel as their loop for half.
    public: whether ``halfcl.<name>`` is a function.
    ulp: the accuracy of the result: 0.5 is correctly rounded in every mode, 0 exact.
    identity, reduce: the reduction's start value and the kernel that folds many elements.
    """

    name: str
    kernel: str
    types: str
    governed: Governed
    summary: str
    numpy: tuple[str, ...] = ()
    public: bool = True
    ulp: float = 0.5
    section: str = "Operators"
    spec: str = ""
    parameters: dict[str, str] = field(default_factory=dict)
    edge_cases: str = ""
    example: str = ""
    identity: float | None = None
    reduce: str = ""

    @property
    def nin(self) -> int:
        return self.types.index(">")

    @property
    def modes(self) -> tuple[str, ...]:
        """The modes in which it has a ufunc of its own."""
        return ("rte",) if self.governed == "exact" else ("rte", "rtz", "rtp", "rtn")


_OPERATOR = "OpenCL C, Operators; IEEE 754-2008, 5.4.1"
_MATH = "cl_khr_fp16, Math Functions"
_RELATIONAL = "OpenCL C, Relational and Equality Operators"

# Those whose reduction does not depend on the order, and has a kernel of its own.
_EXTREMA = ("maximum", "minimum", "fmax", "fmin")

# Functions that NumPy has and halfcl does not export: name and kernel, types,
# governed, NumPy ufuncs (those that this NumPy has), ulp, spec, summary.
_NUMPY_ONLY: tuple[tuple[str, str, Governed, tuple[str, ...], float, str, str], ...] = (
    ("floor_divide", "ee>e", "operator", ("floor_divide",), 0.5, _OPERATOR, "Python's //."),
    ("floor_remainder", "ee>e", "operator", ("remainder",), 0.5, _OPERATOR, "Python's %."),
    ("divmod", "ee>ee", "operator", ("divmod",), 0.5, _OPERATOR, "Python's divmod."),
    ("fmod", "ee>e", "exact", ("fmod",), 0, _MATH, "C's remainder."),
    ("pow", "ee>e", "builtin", ("power", "float_power"), 0.5, _MATH, "Power."),
    ("positive", "e>e", "exact", ("positive", "conjugate"), 0, _OPERATOR, "The same."),
    ("square", "e>e", "operator", ("square",), 0.5, _OPERATOR, "x * x."),
    ("reciprocal", "e>e", "operator", ("reciprocal",), 0.5, _OPERATOR, "1 / x."),
    ("equal", "ee>?", "exact", ("equal",), 0, _RELATIONAL, "x == y."),
    ("not_equal", "ee>?", "exact", ("not_equal",), 0, _RELATIONAL, "x != y."),
    ("less", "ee>?", "exact", ("less",), 0, _RELATIONAL, "x < y."),
    ("less_equal", "ee>?", "exact", ("less_equal",), 0, _RELATIONAL, "x <= y."),
    ("greater", "ee>?", "exact", ("greater",), 0, _RELATIONAL, "x > y."),
    ("greater_equal", "ee>?", "exact", ("greater_equal",), 0, _RELATIONAL, "x >= y."),
    ("isnan", "e>?", "exact", ("isnan",), 0, _RELATIONAL, "Whether NaN."),
    ("isinf", "e>?", "exact", ("isinf",), 0, _RELATIONAL, "Whether infinite."),
    ("isfinite", "e>?", "exact", ("isfinite",), 0, _RELATIONAL, "Whether finite."),
    ("signbit", "e>?", "exact", ("signbit",), 0, _RELATIONAL, "Whether the sign is set."),
    ("maximum", "ee>e", "exact", ("maximum",), 0, "", "The larger; NaN if any is."),
    ("minimum", "ee>e", "exact", ("minimum",), 0, "", "The smaller; NaN if any is."),
    ("fmax", "ee>e", "exact", ("fmax",), 0, _MATH, "The larger number."),
    ("fmin", "ee>e", "exact", ("fmin",), 0, _MATH, "The smaller number."),
    ("clip", "eee>e", "exact", ("clip",), 0, "", "Between two bounds; NaN if any is."),
    ("copysign", "ee>e", "exact", ("copysign",), 0, _MATH, "x with the sign of y."),
    ("sign", "e>e", "exact", ("sign",), 0, "", "-1, 0, 1 or NaN."),
    ("nextafter", "ee>e", "exact", ("nextafter",), 0, _MATH, "The neighbour toward y."),
    ("spacing", "e>e", "exact", ("spacing",), 0, "", "Distance to the next number."),
    ("rint", "e>e", "exact", ("rint",), 0, _MATH, "To the nearest integer, ties to even."),
    ("floor", "e>e", "exact", ("floor",), 0, _MATH, "The largest integer not above."),
    ("ceil", "e>e", "exact", ("ceil",), 0, _MATH, "The smallest integer not below."),
    ("trunc", "e>e", "exact", ("trunc",), 0, _MATH, "To an integer, toward zero."),
    ("dot", "ee>e", "operator", ("matmul", "vecdot", "matvec", "vecmat"), 0.5, "",
     "Sum of products, exact, then rounded once."),
)  # fmt: skip

TABLE: tuple[Builtin, ...] = (
    Builtin(
        "add", "add", "ee>e", "operator", "Sum of two halves.",
        numpy=("add",), spec=_OPERATOR, identity=0.0, reduce="add_reduce",
        edge_cases="An exact zero sum of opposite numbers is +0, in ``rtn`` -0. inf - inf is NaN "
        "and raises the invalid flag.\nA sum over an axis that is contiguous in memory is exact, "
        "then rounded once.",
        example=">>> hc.add(half(1), half(2**-12), rounding='rtp')\nhalf(1.001)",
    ),
    Builtin(
        "subtract", "subtract", "ee>e", "operator", "Difference of two halves.",
        numpy=("subtract",), spec=_OPERATOR,
        edge_cases="x - x is +0, in ``rtn`` -0. inf - inf is NaN and raises the invalid flag.",
        example=">>> hc.subtract(half(1), half(2**-12), rounding='rtz')\nhalf(0.9995)",
    ),
    Builtin(
        "multiply", "multiply", "ee>e", "operator", "Product of two halves.",
        numpy=("multiply",), spec=_OPERATOR, identity=1.0,
        edge_cases="0 * inf is NaN and raises the invalid flag. Products beyond 65504 overflow: to "
        "infinity, or to 65504 where the mode rounds toward it.",
        example=">>> hc.multiply(half(0.1), half(0.1), rounding='rtz')\nhalf(0.009995)",
    ),
    Builtin(
        "divide", "divide", "ee>e", "operator", "Quotient of two halves.",
        numpy=("divide",), spec=_OPERATOR,
        edge_cases="x / 0 is an infinity and raises the divide-by-zero flag; 0 / 0 and inf / inf "
        "are NaN and raise the invalid flag.",
        example=">>> hc.divide(half(1), half(3), rounding='rtp')\nhalf(0.3335)",
    ),
    Builtin(
        "negative", "negative", "e>e", "exact", "The number with its sign changed.",
        numpy=("negative",), spec=_OPERATOR, ulp=0,
        edge_cases="Changes the sign of zeros and NaNs too. Raises no flag.",
        example=">>> hc.negative(half(0))\nhalf(-0.0)",
    ),
    Builtin(
        "fabs", "fabs", "e>e", "exact", "Absolute value.",
        numpy=("fabs", "absolute"), spec=_MATH, section="Math", ulp=0,
        edge_cases="Clears the sign of NaNs too. Raises no flag.",
        example=">>> hc.fabs(half(-1.5))\nhalf(1.5)",
    ),
    Builtin(
        "sqrt", "sqrt", "e>e", "builtin", "Square root.",
        numpy=("sqrt",), spec=_MATH, section="Math",
        edge_cases="sqrt(-0) is -0; of any other negative number NaN, raising the invalid flag.",
        example=">>> hc.sqrt(half(2), rounding='rtp')\nhalf(1.415)",
    ),
    Builtin(
        "fma", "fma", "eee>e", "builtin", "a * b + c, rounded once.",
        spec=_MATH, section="Math",
        edge_cases="An exact zero is +0, in ``rtn`` -0, unless both terms have the same sign. "
        "0 * inf + c and inf - inf are NaN and raise the invalid flag.",
        example=">>> hc.fma(half(3), half(1/3), half(-1))\nhalf(-0.0002441)",
    ),
    Builtin(
        "mad", "fma", "eee>e", "builtin", "a * b + c, rounded once: the same as `fma`.",
        spec=_MATH, section="Math",
        edge_cases="As `fma`.",
        example=">>> hc.mad(half(2), half(3), half(1))\nhalf(7.0)",
    ),
    *(
        Builtin(name, name, types, governed, summary, numpy=twins, public=False, ulp=ulp,
                spec=spec, reduce=f"{name}_reduce" if name in _EXTREMA else "")
        for name, types, governed, twins, ulp, spec, summary in _NUMPY_ONLY
    ),
)  # fmt: skip


_TEMPLATE = """{signature}

{summary}

Parameters
----------
{parameters}
rounding : {{"rte", "rtz", "rtp", "rtn"}}, optional
    The rounding mode. {default}
out, where, axis, ...
    As for every NumPy ufunc.

Returns
-------
half or float16 array
    float16 if every array argument is float16, else half.

Raises
------
TypeError
    If an argument's dtype does not convert to half exactly
    (`convert` rounds it), or ``out`` has the wrong dtype.
ValueError
    If the rounding mode is unknown, or shapes do not broadcast.

Notes
-----
Accuracy: {accuracy}.

{edge_cases}

Source: {spec}.

Examples
--------
>>> import halfcl as hc
>>> from halfcl import half
{example}
"""

_DEFAULTS = {
    "operator": "The region's unless given.",
    "builtin": '"rte" unless given, or the region has ``builtins=True``.',
    "exact": "Taken for uniformity; the result is exact.",
}


def docstring(row: Builtin) -> str:
    """The public docstring of a row's function."""
    names = "abc"[: row.nin] if row.nin == 3 else "xy"[: row.nin]
    return _TEMPLATE.format(
        signature=f"{row.name}({', '.join(names)}, /, *, rounding=None, out=None, where=True)",
        summary=row.summary,
        parameters=f"{', '.join(names)} : array_like of half or float16, any shape, broadcast\n"
        "    Python numbers, bool, int8 and uint8 are exact in half and taken too.",
        default=_DEFAULTS[row.governed],
        accuracy="exact" if row.ulp == 0 else "correctly rounded in every mode",
        edge_cases=row.edge_cases,
        spec=row.spec,
        example=row.example,
    )
