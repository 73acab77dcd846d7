"""Rows of OpenCL's mathematical functions."""

from __future__ import annotations

from math import inf, pi
from typing import Any

from halfcl._tables.row import (
    ABOVE_MINUS_ONE,
    ABOVE_ZERO,
    EVERYWHERE,
    FROM_ONE,
    FROM_ZERO,
    INSIDE_UNIT,
    NEGATIVE,
    POSITIVE,
    TINY,
    UNIT,
    Builtin,
)

_SPEC = "cl_khr_fp16, Math Functions; C11, annex F"


#: The minimum of the gamma function among positive numbers.
_GAMMA_LEAST = 1.4616321449683623

#: OpenCL's limit in both profiles, or in the full and in the embedded one.
_Limits = float | tuple[float, float] | None


def _math(name: str, summary: str, limit: _Limits, **others: Any) -> Builtin:
    """Make a row of a function that by default has one argument and one rounded result."""
    full, embedded = limit if isinstance(limit, tuple) else (limit, limit)
    kernel = others.pop("kernel", name)
    types = others.pop("types", "e>e")
    governed = others.pop("governed", "builtin")
    spec = others.pop("spec", _SPEC)
    return Builtin(
        name, kernel, types, governed, summary,
        section="Math", spec=spec, limit=full, embedded=embedded, **others,
    )  # fmt: skip


def _c23(name: str, summary: str, spec: str, **others: object) -> Builtin:
    """Make a row of a function that C has and OpenCL lacks."""
    return _math(name, summary, None, spec=f"C23, {spec}", opencl=False, **others)


def _exact(name: str, summary: str, limit: _Limits = 0, **others: object) -> Builtin:
    """Make a row of a function whose results need no rounding."""
    return _math(name, summary, limit, governed="exact", ulp=0, **others)


_EXPONENTIALS = (
    _math(
        "exp", "e to the power x.", (2, 3), numpy=("exp",),
        increasing=EVERYWHERE,
        derivatives=("exp(x)",), second_derivatives=("exp(x)",),
        edge_cases="exp(±0) is 1, exp(-inf) is +0, exp(+inf) is +inf.",
        example=">>> hc.exp(half(1)), hc.exp(half(1), rounding='rtn')\n(half(2.719), half(2.717))",
    ),
    _math(
        "exp2", "2 to the power x.", (2, 3), numpy=("exp2",),
        increasing=EVERYWHERE,
        derivatives=("M_LN2 * exp2(x)",), second_derivatives=("M_LN2**2 * exp2(x)",),
        edge_cases="exp2(±0) is 1, exp2(-inf) is +0, exp2(+inf) is +inf. Integers from -24 to 15 "
        "give exact results.",
        example=">>> hc.exp2(half(-24))\nhalf(6e-08)",
    ),
    _math(
        "exp10", "10 to the power x.", (2, 3),
        increasing=EVERYWHERE,
        derivatives=("M_LN10 * exp10(x)",), second_derivatives=("M_LN10**2 * exp10(x)",),
        formula="exp(x * M_LN10)",
        edge_cases="exp10(±0) is 1, exp10(-inf) is +0, exp10(+inf) is +inf.",
        example=">>> hc.exp10(half(3)), hc.exp10(half(-2), rounding='rtp')\n"
        "(half(1e+03), half(0.01))",
    ),
    _math(
        "expm1", "e to the power x, minus 1.", (2, 3), numpy=("expm1",),
        increasing=EVERYWHERE,
        derivatives=("exp(x)",), second_derivatives=("exp(x)",),
        edge_cases="expm1(±0) is ±0, expm1(-inf) is -1, expm1(+inf) is +inf.",
        example=">>> hc.expm1(half(0.001))\nhalf(0.001001)",
    ),
    _c23(
        "exp2m1", "2 to the power x, minus 1.", "7.12.6.5 and F.10.3.5",
        increasing=EVERYWHERE,
        derivatives=("M_LN2 * exp2(x)",), second_derivatives=("M_LN2**2 * exp2(x)",),
        formula="expm1(x * M_LN2)",
        edge_cases="exp2m1(±0) is ±0, exp2m1(-inf) is -1, exp2m1(+inf) is +inf. Integers give "
        "exact results where half has them.",
        example=">>> hc.exp2m1(half(3)), hc.exp2m1(half(0.001))\n(half(7.0), half(0.000694))",
    ),
    _c23(
        "exp10m1", "10 to the power x, minus 1.", "7.12.6.3 and F.10.3.3",
        increasing=EVERYWHERE,
        derivatives=("M_LN10 * exp10(x)",), second_derivatives=("M_LN10**2 * exp10(x)",),
        formula="expm1(x * M_LN10)",
        edge_cases="exp10m1(±0) is ±0, exp10m1(-inf) is -1, exp10m1(+inf) is +inf. Exact for 1, 2 "
        "and 3.",
        example=">>> hc.exp10m1(half(2)), hc.exp10m1(half(-5), rounding='rtz')\n"
        "(half(99.0), half(-0.9995))",
    ),
    _math(
        "log", "Natural logarithm.", (2, 3), numpy=("log",),
        increasing=POSITIVE,
        domain=ABOVE_ZERO, derivatives=("1 / x",), second_derivatives=("-(1 / x**2)",),
        edge_cases="log(1) is +0, log(+inf) is +inf. log(±0) is -inf and raises the divide-by-zero "
        "flag; of any other negative number NaN, raising the invalid flag.",
        example=">>> hc.log(half(10)), hc.log(half(10), rounding='rtn')\n(half(2.303), half(2.3))",
    ),
    _math(
        "log2", "Logarithm to base 2.", (2, 3), numpy=("log2",),
        increasing=POSITIVE,
        domain=ABOVE_ZERO,
        derivatives=("1 / M_LN2 / x",), second_derivatives=("-(1 / M_LN2 / x**2)",),
        formula="log(x) / M_LN2",
        edge_cases="As `log`. Exact for powers of two.",
        example=">>> hc.log2(half(2**-24))\nhalf(-24.0)",
    ),
    _math(
        "log10", "Logarithm to base 10.", (2, 3), numpy=("log10",),
        increasing=POSITIVE,
        domain=ABOVE_ZERO,
        derivatives=("1 / M_LN10 / x",), second_derivatives=("-(1 / M_LN10 / x**2)",),
        formula="log(x) / M_LN10",
        edge_cases="As `log`. Exact for 1, 10, 100, 1000 and 10000.",
        example=">>> hc.log10(half(1000))\nhalf(3.0)",
    ),
    _math(
        "log1p", "Natural logarithm of 1 + x.", (2, 3), numpy=("log1p",),
        increasing=(-1, inf),
        domain=ABOVE_MINUS_ONE,
        derivatives=("1 / (x + 1)",), second_derivatives=("-(1 / (x + 1)**2)",),
        edge_cases="log1p(±0) is ±0, log1p(+inf) is +inf. log1p(-1) is -inf and raises the "
        "divide-by-zero flag; below -1 NaN, raising the invalid flag.",
        example=">>> hc.log1p(half(0.001))\nhalf(0.000999)",
    ),
    _c23(
        "log2p1", "Logarithm of 1 + x to base 2.", "7.12.6.16 and F.10.3.16",
        increasing=(-1, inf),
        domain=ABOVE_MINUS_ONE,
        derivatives=("1 / M_LN2 / (x + 1)",), second_derivatives=("-(1 / M_LN2 / (x + 1)**2)",),
        formula="log1p(x) / M_LN2",
        edge_cases="As `log1p`. Exact where 1 + x is a power of two.",
        example=">>> hc.log2p1(half(7)), hc.log2p1(half(-0.75))\n(half(3.0), half(-2.0))",
    ),
    _c23(
        "log10p1", "Logarithm of 1 + x to base 10.", "7.12.6.13 and F.10.3.13",
        increasing=(-1, inf),
        domain=ABOVE_MINUS_ONE,
        derivatives=("1 / M_LN10 / (x + 1)",), second_derivatives=("-(1 / M_LN10 / (x + 1)**2)",),
        formula="log1p(x) / M_LN10",
        edge_cases="As `log1p`. Exact for 9, 99 and 999.",
        example=">>> hc.log10p1(half(99)), hc.log10p1(half(0.001))\n(half(2.0), half(0.0004342))",
    ),
)  # fmt: skip

_POWERS = (
    _math(
        "cbrt", "Cube root.", 2, numpy=("cbrt",),
        increasing=EVERYWHERE, symmetry="odd",
        derivatives=("1 / (3 * cbrt(x)**2)",), second_derivatives=("-2 / (9 * cbrt(x)**5)",),
        edge_cases="cbrt(±0) is ±0, cbrt(±inf) is ±inf. Negative numbers have negative roots.",
        example=">>> hc.cbrt(half(-27))\nhalf(-3.0)",
    ),
    _c23(
        "compoundn", "(1 + x) to the power n, an integer: compound interest.",
        "7.12.7.2 and F.10.4.2", types="ei>e", parameters=("x", "n"),
        formula="exp(n * log1p(x))",
        edge_cases="The sum is not rounded. compoundn(x, 0) is 1 for x >= -1, and of a NaN. "
        "compoundn(-1, n) is +0 for n > 0; for n < 0 it is +inf and raises the divide-by-zero "
        "flag. compoundn(+inf, n) is +inf for n > 0 and +0 for n < 0. For x < -1 NaN, raising the "
        "invalid flag.",
        example=">>> hc.compoundn(half(0.05), 10), hc.compoundn(half(2**-24), 1 << 24)\n"
        "(half(1.629), half(2.719))",
    ),
    _math(
        "hypot", "Length of the hypotenuse: the square root of x² + y².", (2, 3),
        types="ee>e", numpy=("hypot",), identity=0.0,
        symmetry="commutative",
        derivatives=("x / sqrt(x**2 + y**2)", "y / sqrt(x**2 + y**2)"),
        formula="sqrt(x**2 + y**2)",
        edge_cases="Squares neither overflow nor underflow. If either argument is infinite the "
        "result is +inf, even if the other is NaN.",
        example=">>> hc.hypot(half(300), half(400))\nhalf(500.0)",
    ),
    _math(
        "pow", "x to the power y.", (4, 5), types="ee>e", numpy=("power",),
        derivatives=("y * pow(x, y - 1)", "pow(x, y) * log(x)"),
        second_derivatives=(
            "y * (y - 1) * pow(x, y - 2)",
            "pow(x, y - 1) + y * pow(x, y - 1) * log(x)",
            "pow(x, y) * log(x)**2",
        ),
        edge_cases="pow(x, ±0) and pow(1, y) are 1, even of NaN; so is pow(-1, ±inf). Of a finite "
        "x < 0 and a y that is no integer: NaN, raising the invalid flag. pow(±0, y) with finite "
        "y < 0 is an infinity, negative for -0 and odd y, and raises the divide-by-zero flag.",
        example=">>> hc.pow(half(2), half(0.5))\nhalf(1.414)",
    ),
    _math(
        "pown", "x to the power y, an integer.", (4, 5), types="ei>e",
        edge_cases="pown(x, 0) is 1, even of NaN. pown(±0, y) with y < 0 is an infinity, negative "
        "for -0 and odd y, and raises the divide-by-zero flag.",
        example=">>> hc.pown(half(-3), 5)\nhalf(-243.0)",
    ),
    _math(
        "powr", "x to the power y, for x >= 0.", (4, 5), types="ee>e",
        edge_cases="As exp(y * log(x)): NaN if either is; NaN and the invalid flag for x < 0, "
        "and of powr(±0, ±0), powr(+inf, ±0) and powr(1, ±inf). powr(±0, y) with finite y < 0 is "
        "+inf and raises the divide-by-zero flag.",
        example=">>> hc.powr(half(2), half(0.5), rounding='rtp')\nhalf(1.415)",
    ),
    _math(
        "rootn", "The y-th root of x: x to the power 1 / y.", (4, 5), types="ei>e",
        edge_cases="rootn(x, 0), and an even root of x < 0, is NaN and raises the invalid flag. "
        "rootn(±0, y) with y < 0 is an infinity, negative for -0 and odd y, and raises the "
        "divide-by-zero flag. Exact roots are exact.",
        example=">>> hc.rootn(half(243), 5)\nhalf(3.0)",
    ),
    _math(
        "rsqrt", "1 / sqrt(x).", 1,
        decreasing=POSITIVE,
        domain=ABOVE_ZERO,
        derivatives=("-0.5 / (x * sqrt(x))",), second_derivatives=("0.75 / (x**2 * sqrt(x))",),
        formula="1 / sqrt(x)",
        edge_cases="rsqrt(±0) is ±inf and raises the divide-by-zero flag; rsqrt(+inf) is +0; of "
        "any other negative number NaN, raising the invalid flag.",
        example=">>> hc.rsqrt(half(0.25))\nhalf(2.0)",
    ),
    _math(
        "sqrt", "Square root.", (0.5, 1), numpy=("sqrt",),
        increasing=POSITIVE,
        domain=FROM_ZERO,
        derivatives=("0.5 / sqrt(x)",), second_derivatives=("-0.25 / (x * sqrt(x))",),
        edge_cases="sqrt(-0) is -0; of any other negative number NaN, raising the invalid flag.",
        example=">>> hc.sqrt(half(2), rounding='rtp')\nhalf(1.415)",
    ),
)  # fmt: skip

_TRIGONOMETRY = (
    _math(
        "sin", "Sine of an angle in radians.", 2, numpy=("sin",),
        increasing=(-pi / 2, pi / 2), symmetry="odd",
        derivatives=("cos(x)",), second_derivatives=("-sin(x)",),
        edge_cases="sin(±0) is ±0. sin(±inf) is NaN and raises the invalid flag.",
        example=">>> hc.sin(half(1)), hc.sin(half(65504))\n(half(0.8413), half(0.9756))",
    ),
    _math(
        "cos", "Cosine of an angle in radians.", 2, numpy=("cos",),
        increasing=(-pi, 0), decreasing=(0, pi), symmetry="even",
        derivatives=("-sin(x)",), second_derivatives=("-cos(x)",),
        edge_cases="cos(±0) is 1. cos(±inf) is NaN and raises the invalid flag.",
        example=">>> hc.cos(half(0.01)), hc.cos(half(0.01), rounding='rtz')\n"
        "(half(1.0), half(0.9995))",
    ),
    _math(
        "tan", "Tangent of an angle in radians.", (2, 3), numpy=("tan",),
        increasing=(-pi / 2, pi / 2), symmetry="odd",
        poles="odd multiples of pi/2",
        derivatives=("1 + tan(x)**2",), second_derivatives=("2 * tan(x) * (1 + tan(x)**2)",),
        edge_cases="tan(±0) is ±0. tan(±inf) is NaN and raises the invalid flag.",
        example=">>> hc.tan(half(1))\nhalf(1.558)",
    ),
    _math(
        "sincos", "Sine and cosine of an angle in radians.", 2,
        types="e>ee", results=("sine", "cosine"),
        edge_cases="As `sin` and `cos`.",
        example=">>> hc.sincos(half(1))\n(half(0.8413), half(0.5405))",
    ),
    _math(
        "sinpi", "Sine of pi times x.", 2,
        increasing=(-0.5, 0.5), symmetry="odd",
        derivatives=("M_PI * cospi(x)",), second_derivatives=("-M_PI**2 * sinpi(x)",),
        edge_cases="Of integers it is 0 with x's sign, halfway between them 1 or -1. sinpi(±inf) "
        "is NaN and raises the invalid flag.",
        example=">>> hc.sinpi(half(0.5)), hc.sinpi(half(-3))\n(half(1.0), half(-0.0))",
    ),
    _math(
        "cospi", "Cosine of pi times x.", 2,
        increasing=(-1, 0), decreasing=(0, 1), symmetry="even",
        derivatives=("-M_PI * sinpi(x)",), second_derivatives=("-M_PI**2 * cospi(x)",),
        edge_cases="Of integers it is 1 or -1, halfway between them +0. cospi(±inf) is NaN and "
        "raises the invalid flag.",
        example=">>> hc.cospi(half(3)), hc.cospi(half(2.5))\n(half(-1.0), half(0.0))",
    ),
    _math(
        "tanpi", "Tangent of pi times x.", (2, 3),
        increasing=(-0.5, 0.5), symmetry="odd",
        poles="odd multiples of 1/2",
        derivatives=("M_PI * (1 + tanpi(x)**2)",),
        second_derivatives=("M_PI**2 * 2 * tanpi(x) * (1 + tanpi(x)**2)",),
        formula="sinpi(x) / cospi(x)",
        edge_cases="Of even integers it is 0 with x's sign, of odd ones with the other. Halfway "
        "between integers it is an infinity, positive after an even one, and raises the "
        "divide-by-zero flag. tanpi(±inf) is NaN and raises the invalid flag.",
        example=">>> hc.tanpi(half(0.25)), hc.tanpi(half(3))\n(half(1.0), half(-0.0))",
    ),
    _math(
        "asin", "Arc sine, in radians.", (2, 3), numpy=("arcsin",),
        increasing=(-1, 1), symmetry="odd",
        domain=UNIT, derivatives=("1 / sqrt(1 - x**2)",),
        second_derivatives=("x / ((1 - x**2) * sqrt(1 - x**2))",),
        edge_cases="asin(±0) is ±0. NaN for |x| > 1, raising the invalid flag.",
        example=">>> hc.asin(half(1), rounding='rtp')\nhalf(1.571)",
    ),
    _math(
        "acos", "Arc cosine, in radians.", (2, 3), numpy=("arccos",),
        decreasing=(-1, 1),
        domain=UNIT, derivatives=("-1 / sqrt(1 - x**2)",),
        second_derivatives=("-(x / ((1 - x**2) * sqrt(1 - x**2)))",),
        edge_cases="acos(1) is +0. NaN for |x| > 1, raising the invalid flag.",
        example=">>> hc.acos(half(-1))\nhalf(3.14)",
    ),
    _math(
        "atan", "Arc tangent, in radians.", (2, 3), numpy=("arctan",),
        increasing=EVERYWHERE, symmetry="odd",
        derivatives=("1 / (1 + x**2)",), second_derivatives=("-2 * x / (1 + x**2)**2",),
        edge_cases="atan(±0) is ±0, atan(±inf) is ±pi/2, rounded.",
        example=">>> hc.atan(half(1))\nhalf(0.785)",
    ),
    _math(
        "atan2", "Angle of the point (x, y), in radians: the arc tangent of y / x.", (2, 3),
        types="ee>e", parameters=("y", "x"), numpy=("arctan2",),
        derivatives=("x / (y**2 + x**2)", "-y / (y**2 + x**2)"),
        second_derivatives=(
            "-2 * y * x / (y**2 + x**2)**2",
            "(y**2 - x**2) / (y**2 + x**2)**2",
            "2 * y * x / (y**2 + x**2)**2",
        ),
        edge_cases="In [-pi, pi], with y's sign. Zeros have signs: atan2(±0, -0) is ±pi, "
        "atan2(±0, +0) is ±0. Infinities give multiples of pi/4. Only underflow raises a flag.",
        example=">>> hc.atan2(half(1), half(-1))\nhalf(2.355)",
    ),
    _math(
        "asinpi", "Arc sine over pi: in half turns.", (2, 3),
        increasing=(-1, 1), symmetry="odd",
        domain=UNIT, derivatives=("1 / M_PI / sqrt(1 - x**2)",),
        second_derivatives=("1 / M_PI * (x / ((1 - x**2) * sqrt(1 - x**2)))",),
        formula="asin(x) / M_PI",
        edge_cases="asinpi(±0) is ±0, asinpi(±1) is ±0.5. NaN for |x| > 1, raising the invalid "
        "flag.",
        example=">>> hc.asinpi(half(0.5))\nhalf(0.1666)",
    ),
    _math(
        "acospi", "Arc cosine over pi: in half turns.", (2, 3),
        decreasing=(-1, 1),
        domain=UNIT, derivatives=("-1 / M_PI / sqrt(1 - x**2)",),
        second_derivatives=("-1 / M_PI * (x / ((1 - x**2) * sqrt(1 - x**2)))",),
        formula="acos(x) / M_PI",
        edge_cases="acospi(1) is +0, acospi(±0) is 0.5. NaN for |x| > 1, raising the invalid flag.",
        example=">>> hc.acospi(half(-1))\nhalf(1.0)",
    ),
    _math(
        "atanpi", "Arc tangent over pi: in half turns.", (2, 3),
        increasing=EVERYWHERE, symmetry="odd",
        derivatives=("1 / M_PI / (1 + x**2)",),
        second_derivatives=("-2 / M_PI * x / (1 + x**2)**2",),
        formula="atan(x) / M_PI",
        edge_cases="atanpi(±0) is ±0, atanpi(±1) is ±0.25, atanpi(±inf) is ±0.5.",
        example=">>> hc.atanpi(half(1))\nhalf(0.25)",
    ),
    _math(
        "atan2pi", "Angle of the point (x, y) over pi: in half turns.", (2, 3),
        types="ee>e", parameters=("y", "x"),
        derivatives=("1 / M_PI * x / (y**2 + x**2)", "-1 / M_PI * y / (y**2 + x**2)"),
        formula="atan2(y, x) / M_PI",
        edge_cases="In [-1, 1], with y's sign. atan2pi(±0, -0) is ±1, atan2pi(±0, +0) is ±0. "
        "Infinities give multiples of 0.25. Only underflow raises a flag.",
        example=">>> hc.atan2pi(half(1), half(-1))\nhalf(0.75)",
    ),
)  # fmt: skip

_HYPERBOLIC = (
    _math(
        "sinh", "Hyperbolic sine.", (2, 3), numpy=("sinh",),
        increasing=EVERYWHERE, symmetry="odd",
        derivatives=("cosh(x)",), second_derivatives=("sinh(x)",),
        edge_cases="sinh(±0) is ±0, sinh(±inf) is ±inf.",
        example=">>> hc.sinh(half(1))\nhalf(1.175)",
    ),
    _math(
        "cosh", "Hyperbolic cosine.", (2, 3), numpy=("cosh",),
        increasing=POSITIVE, decreasing=NEGATIVE, symmetry="even",
        derivatives=("sinh(x)",), second_derivatives=("cosh(x)",),
        edge_cases="cosh(±0) is 1, cosh(±inf) is +inf.",
        example=">>> hc.cosh(half(1))\nhalf(1.543)",
    ),
    _math(
        "tanh", "Hyperbolic tangent.", (2, 3), numpy=("tanh",),
        increasing=EVERYWHERE, symmetry="odd",
        derivatives=("1 - tanh(x)**2",), second_derivatives=("-2 * tanh(x) * (1 - tanh(x)**2)",),
        edge_cases="tanh(±0) is ±0, tanh(±inf) is ±1. Of finite numbers below 1 in magnitude: so "
        "it rounds where the mode is toward zero.",
        example=">>> hc.tanh(half(10)), hc.tanh(half(10), rounding='rtz')\n"
        "(half(1.0), half(0.9995))",
    ),
    _math(
        "asinh", "Inverse hyperbolic sine.", (2, 3), numpy=("arcsinh",),
        increasing=EVERYWHERE, symmetry="odd",
        derivatives=("1 / sqrt(1 + x**2)",),
        second_derivatives=("-(x / ((1 + x**2) * sqrt(1 + x**2)))",),
        edge_cases="asinh(±0) is ±0, asinh(±inf) is ±inf.",
        example=">>> hc.asinh(half(1))\nhalf(0.8813)",
    ),
    _math(
        "acosh", "Inverse hyperbolic cosine.", (2, 3), numpy=("arccosh",),
        increasing=(1, inf),
        domain=FROM_ONE, derivatives=("1 / sqrt(x**2 - 1)",),
        second_derivatives=("-(x / ((x**2 - 1) * sqrt(x**2 - 1)))",),
        edge_cases="acosh(1) is +0, acosh(+inf) is +inf. NaN for x < 1, raising the invalid flag.",
        example=">>> hc.acosh(half(2))\nhalf(1.317)",
    ),
    _math(
        "atanh", "Inverse hyperbolic tangent.", (2, 3), numpy=("arctanh",),
        increasing=(-1, 1), symmetry="odd",
        domain=INSIDE_UNIT,
        derivatives=("1 / (1 - x**2)",), second_derivatives=("2 * x / (1 - x**2)**2",),
        edge_cases="atanh(±0) is ±0. atanh(±1) is ±inf and raises the divide-by-zero flag; NaN for "
        "|x| > 1, raising the invalid flag.",
        example=">>> hc.atanh(half(0.5))\nhalf(0.5493)",
    ),
)  # fmt: skip

_GAMMA = (
    _math(
        "erf", "Error function.", 4,
        increasing=EVERYWHERE, symmetry="odd",
        derivatives=("M_2_SQRTPI * exp(-x**2)",),
        second_derivatives=("-2 * x * (M_2_SQRTPI * exp(-x**2))",),
        edge_cases="erf(±0) is ±0, erf(±inf) is ±1.",
        example=">>> hc.erf(half(0.5))\nhalf(0.5205)",
    ),
    _math(
        "erfc", "Complementary error function: 1 - erf(x).", 4,
        decreasing=EVERYWHERE,
        derivatives=("-M_2_SQRTPI * exp(-x**2)",),
        second_derivatives=("-2 * x * (-M_2_SQRTPI * exp(-x**2))",),
        edge_cases="erfc(-inf) is 2, erfc(+inf) is +0.",
        example=">>> hc.erfc(half(2)), hc.erfc(half(10), rounding='rtp')\n"
        "(half(0.004677), half(6e-08))",
    ),
    _math(
        "tgamma", "Gamma function.", 4,
        increasing=(_GAMMA_LEAST, inf), decreasing=(TINY, _GAMMA_LEAST),
        edge_cases="tgamma(±0) is ±inf and raises the divide-by-zero flag; of negative integers "
        "and -inf it is NaN and raises the invalid flag. tgamma(+inf) is +inf.",
        example=">>> hc.tgamma(half(5)), hc.tgamma(half(0.5))\n(half(24.0), half(1.772))",
    ),
    _math(
        "lgamma", "Natural logarithm of the gamma function's magnitude.", None,
        increasing=(_GAMMA_LEAST, inf), decreasing=(TINY, _GAMMA_LEAST),
        edge_cases="lgamma(1) and lgamma(2) are +0, lgamma(±inf) is +inf. Of zero or a negative "
        "integer it is +inf and raises the divide-by-zero flag.",
        example=">>> hc.lgamma(half(100))\nhalf(359.2)",
    ),
    _math(
        "lgamma_r", "`lgamma`, and the sign of the gamma function.", None,
        types="e>ei", results=("lgamma", "sign"),
        open=("poles",),
        edge_cases="The sign is 1 or -1, and 0 of zero or a negative integer.",
        example=">>> hc.lgamma_r(half(-0.5))\n(half(1.266), np.int32(-1))",
    ),
)  # fmt: skip

_SUMS = (
    _math(
        "fma", "a * b + c, rounded once.", 0.5, types="eee>e",
        symmetry="commutative",
        derivatives=("b", "a", "1"),
        formula="a * b + c",
        edge_cases="An exact zero is +0, in ``rtn`` -0, unless both terms have the same sign. "
        "0 * inf + c and inf - inf are NaN and raise the invalid flag.",
        example=">>> hc.fma(half(3), half(1/3), half(-1))\nhalf(-0.0002441)",
    ),
    _math(
        "mad", "a * b + c, rounded once: the same as `fma`.", None, kernel="fma", types="eee>e",
        symmetry="commutative",
        derivatives=("b", "a", "1"),
        formula="a * b + c",
        edge_cases="As `fma`.",
        example=">>> hc.mad(half(2), half(3), half(1))\nhalf(7.0)",
    ),
    _math(
        "fdim", "x - y if that is positive, else +0.", 0.5, types="ee>e",
        edge_cases="fdim(x, x) is +0 in every mode, of infinities too. NaN if either is.",
        example=">>> hc.fdim(half(3), half(1)), hc.fdim(half(1), half(3))\n(half(2.0), half(0.0))",
    ),
)  # fmt: skip

_REMAINDERS = (
    _exact(
        "fmod", "x - n * y, with n = x / y rounded toward zero.", types="ee>e", numpy=("fmod",),
        edge_cases="Has x's sign, as zero too. fmod(x, ±inf) is x. Of infinite x or zero y NaN, "
        "raising the invalid flag.",
        example=">>> hc.fmod(half(-7), half(4))\nhalf(-3.0)",
    ),
    _exact(
        "remainder", "x - n * y, with n = x / y rounded to nearest, ties to even.", types="ee>e",
        edge_cases="Zero has x's sign. remainder(x, ±inf) is x. Of infinite x or zero y NaN, "
        "raising the invalid flag. (``numpy.remainder`` is Python's ``%``.)",
        example=">>> hc.remainder(half(-7), half(4))\nhalf(1.0)",
    ),
    _exact(
        "remquo", "`remainder`, and the low seven bits of the quotient n.", types="ee>ei",
        results=("remainder", "quotient"),
        edge_cases="The quotient's bits are those of |n|, its sign is that of x / y. It is 0 where "
        "the remainder is NaN.",
        example=">>> hc.remquo(half(-7), half(4))\n(half(1.0), np.int32(-2))",
    ),
)  # fmt: skip

_INTEGRAL = (
    _exact(
        "rint", "The nearest integer, ties to even.", 0.5, numpy=("rint",),
        increasing=EVERYWHERE, symmetry="odd",
        edge_cases="Zeros keep x's sign. Whatever the mode is: a function of its own direction.",
        example=">>> hc.rint(half(2.5)), hc.rint(half(-0.5))\n(half(2.0), half(-0.0))",
    ),
    _exact(
        "round", "The nearest integer, ties away from zero.", 0.5,
        increasing=EVERYWHERE, symmetry="odd",
        edge_cases="Zeros keep x's sign. (``numpy.round`` is `rint`.)",
        example=">>> hc.round(half(2.5)), hc.round(half(-0.5))\n(half(3.0), half(-1.0))",
    ),
    _exact(
        "trunc", "To an integer, toward zero.", 0.5, numpy=("trunc",),
        increasing=EVERYWHERE, symmetry="odd",
        edge_cases="Zeros keep x's sign.",
        example=">>> hc.trunc(half(-2.5)), hc.trunc(half(-0.5))\n(half(-2.0), half(-0.0))",
    ),
    _exact(
        "ceil", "The smallest integer not below x.", 0.5, numpy=("ceil",),
        increasing=EVERYWHERE,
        edge_cases="Between -1 and 0 it is -0.",
        example=">>> hc.ceil(half(2.5)), hc.ceil(half(-0.5))\n(half(3.0), half(-0.0))",
    ),
    _exact(
        "floor", "The largest integer not above x.", 0.5, numpy=("floor",),
        increasing=EVERYWHERE,
        edge_cases="floor(-0) is -0.",
        example=">>> hc.floor(half(2.5)), hc.floor(half(-0.5))\n(half(2.0), half(-1.0))",
    ),
)  # fmt: skip

_PARTS = (
    _math(
        "fract", "x - floor(x), and the floor.", 0.5,
        types="e>ee", results=("fraction", "floor"),
        edge_cases="The fraction is below 1: of a small negative x at most 0x1.ffcp-1. Of integers "
        "it is +0 in every mode, of -0 and -inf -0.",
        example=">>> hc.fract(half(-1.25)), hc.fract(half(-2**-24))\n"
        "((half(0.75), half(-2.0)), (half(0.9995), half(-1.0)))",
    ),
    _exact(
        "modf", "The fraction and the integer part, both with x's sign.",
        types="e>ee", results=("fraction", "integer"), numpy=("modf",),
        edge_cases="modf(±inf) is (±0, ±inf).",
        example=">>> hc.modf(half(-1.25))\n(half(-0.25), half(-1.0))",
    ),
    _exact(
        "frexp", "Mantissa in [0.5, 1) and exponent: x is mantissa * 2**exponent.",
        types="e>ei", results=("mantissa", "exponent"), numpy=("frexp",),
        open=("infinities", "nans"),
        edge_cases="Zeros, infinities and NaNs are their own mantissas, with exponent 0.",
        example=">>> hc.frexp(half(10))\n(half(0.625), np.int32(4))",
    ),
    _math(
        "ldexp", "x * 2**k.", 0.5, types="ei>e", parameters=("x", "k"),
        numpy=("ldexp",), numpy_types=("eq>e",), promotion="integer",
        edge_cases="Rounded once, subnormal results too. Zeros, infinities and NaNs stay as they "
        "are.",
        example=">>> hc.ldexp(half(0.75), 3), hc.ldexp(half(1), -25, rounding='rtp')\n"
        "(half(6.0), half(6e-08))",
    ),
    _exact(
        "ilogb", "The exponent of x, as an integer.", types="e>i",
        open=("zero", "nans"),
        edge_cases="Subnormal numbers have theirs, down to -24. Zero gives `FP_ILOGB0`, NaN "
        "`FP_ILOGBNAN`, infinity the largest integer; these three raise the invalid flag.",
        example=">>> hc.ilogb(half(10)), hc.ilogb(half(2**-24))\n(np.int32(3), np.int32(-24))",
    ),
    _exact(
        "logb", "The exponent of x.",
        increasing=POSITIVE, decreasing=NEGATIVE, symmetry="even",
        edge_cases="Subnormal numbers have theirs, down to -24. logb(±inf) is +inf. logb(±0) is "
        "-inf and raises the divide-by-zero flag.",
        example=">>> hc.logb(half(10)), hc.logb(half(2**-24))\n(half(3.0), half(-24.0))",
    ),
)  # fmt: skip

_SELECTIONS = (
    _exact(
        "fabs", "Absolute value.", numpy=("fabs", "absolute"),
        increasing=POSITIVE, decreasing=NEGATIVE, symmetry="even",
        edge_cases="Clears the sign of NaNs too. Raises no flag.",
        example=">>> hc.fabs(half(-1.5))\nhalf(1.5)",
    ),
    _exact(
        "copysign", "x with the sign of y.", types="ee>e", numpy=("copysign",),
        edge_cases="NaNs have signs, too, and are passed on bit for bit. Raises no flag.",
        example=">>> hc.copysign(half(1.5), half(-0.0))\nhalf(-1.5)",
    ),
    _exact(
        "fmax", "The larger of two numbers.", types="ee>e", numpy=("fmax",), reduce="fmax_reduce",
        symmetry="commutative", open=("zeros",),
        edge_cases="If one argument is NaN, the other; of equal ones, ±0 too, the first. Raises no "
        "flag.",
        example=">>> hc.fmax(half('nan'), half(1))\nhalf(1.0)",
    ),
    _exact(
        "fmin", "The smaller of two numbers.", types="ee>e", numpy=("fmin",), reduce="fmin_reduce",
        symmetry="commutative", open=("zeros",),
        edge_cases="If one argument is NaN, the other; of equal ones, ±0 too, the first. Raises no "
        "flag.",
        example=">>> hc.fmin(half('nan'), half(1))\nhalf(1.0)",
    ),
    _exact(
        "maxmag", "The number of larger magnitude.", types="ee>e",
        symmetry="commutative", open=("zeros",),
        edge_cases="`fmax` if the magnitudes are the same, or one is NaN. Raises no flag.",
        example=">>> hc.maxmag(half(-3), half(2)), hc.maxmag(half(-2), half(2))\n"
        "(half(-3.0), half(2.0))",
    ),
    _exact(
        "minmag", "The number of smaller magnitude.", types="ee>e",
        symmetry="commutative", open=("zeros",),
        edge_cases="`fmin` if the magnitudes are the same, or one is NaN. Raises no flag.",
        example=">>> hc.minmag(half(-3), half(2)), hc.minmag(half(-2), half(2))\n"
        "(half(2.0), half(-2.0))",
    ),
    _exact(
        "nextafter", "The half next to x in the direction of y.", types="ee>e",
        numpy=("nextafter",),
        edge_cases="y if they are equal. From either zero it is the least number of y's sign. From "
        "a finite number to infinity raises the overflow flag.",
        example=">>> hc.nextafter(half(1), half(2)), hc.nextafter(half(-0.0), half(1))\n"
        "(half(1.001), half(6e-08))",
    ),
    _exact(
        "nextdown", "The largest half below x.", None, opencl=False,
        spec="IEEE 754-2019, 5.3.1; C23, 7.12.11.6",
        increasing=EVERYWHERE,
        edge_cases="nextdown(±0) is the least negative number, nextdown of the least positive one "
        "+0; nextdown(+inf) is 65504, nextdown(-inf) is -inf. Raises no flag.",
        example=">>> hc.nextdown(half(1)), hc.nextdown(half(-65504))\n(half(0.9995), half(-inf))",
    ),
    _exact(
        "nextup", "The least half above x.", None, opencl=False,
        spec="IEEE 754-2019, 5.3.1; C23, 7.12.11.5",
        increasing=EVERYWHERE,
        edge_cases="nextup(±0) is the least positive number, nextup of the least negative one -0; "
        "nextup(-inf) is -65504, nextup(+inf) is +inf. Raises no flag.",
        example=">>> hc.nextup(half(1)), hc.nextup(half(0)), hc.nextup(half(65504))\n"
        "(half(1.001), half(6e-08), half(inf))",
    ),
    _exact(
        "ulp", "A unit of the last place of x: the distance of x to the next number of larger "
        "magnitude.", None, opencl=False,
        spec="as ``math.ulp`` of Python's floats",
        increasing=POSITIVE, decreasing=NEGATIVE, symmetry="even",
        edge_cases="Never negative: ulp(-x) is ulp(x). (``numpy.spacing`` of negative numbers is "
        "negative, but of their powers of two positive, and half as large.) ulp(±0) is the least "
        "number, 2**-24; ulp(±65504) is 32; ulp(±inf) is +inf. Raises no flag.",
        example=">>> hc.ulp(half(1)), hc.ulp(half(-1)), hc.ulp(half(0))\n"
        "(half(0.000977), half(0.000977), half(6e-08))",
    ),
    _exact(
        "nan", "A quiet NaN that carries a code.", types="H>e", parameters=("nancode",),
        edge_cases="The code's low nine bits are those of the NaN.",
        example=">>> hc.nan(5), hex(hc.as_ushort(hc.nan(5)))\n(half(nan), '0x7e05')",
    ),
)  # fmt: skip

MATH: tuple[Builtin, ...] = (
    *_EXPONENTIALS,
    *_POWERS,
    *_TRIGONOMETRY,
    *_HYPERBOLIC,
    *_GAMMA,
    *_SUMS,
    *_REMAINDERS,
    *_INTEGRAL,
    *_PARTS,
    *_SELECTIONS,
)
