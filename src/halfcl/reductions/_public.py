"""The public reductions: `halfcl.sum` and so on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numpy.typing import ArrayLike, DTypeLike

from halfcl._core import reduce_arrays
from halfcl.reductions._arguments import Array, Result
from halfcl.reductions._functions import running_sums
from halfcl.reductions._product import matmul
from halfcl.typing import RoundingMode

Axis = int | tuple[int, ...] | None
_F = TypeVar("_F", bound=Callable[..., Any])

#: The docstrings of all but `sum`.
_DOC = """{summary}

Parameters
----------
{parameters}

Returns
-------
{kind}
    Its dtype is ``dtype`` if that is given, else float16 if {float16}.

Raises
------
TypeError, ValueError
    As for `{like}`{also}.

Notes
-----
{notes}

Examples
--------
>>> import numpy as np, halfcl as hc
{example}
"""

_LIKE_SUM = "a, axis, dtype, out, keepdims, where, rounding\n    As for `sum`."


def _document(
    summary: str,
    notes: str,
    example: str,
    parameters: str = _LIKE_SUM,
    *,
    like: str = "sum",
    also: str = "",
    kind: str = "half, or array of half",
    float16: str = "``a`` is",
) -> Callable[[_F], _F]:
    """Return a decorator that sets a reduction's docstring."""

    def decorate(function: _F) -> _F:
        function.__doc__ = _DOC.format(
            summary=summary, parameters=parameters, notes=notes, example=example,
            like=like, also=also, kind=kind, float16=float16,
        )  # fmt: skip
        return function

    return decorate


def sum(
    a: ArrayLike,
    /,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
    *,
    rounding: RoundingMode | None = None,
) -> Result:
    """Return the exact sum of the elements, rounded once.

    Parameters
    ----------
    a : array_like of half or float16, any shape
        Bool, int8 and uint8, which are exact in half, are accepted too. Vectors are arrays of
        their components.
    axis : int, tuple of ints or None
        The axes to reduce; None: all.
    dtype : dtype, optional
        The dtype to which the exact result is rounded: half, float16, float32 or float64.
    out : array of the result's dtype and shape, optional
        The array to which the result is written.
    keepdims : bool
        Whether the result keeps the reduced axes, with length 1.
    initial : number, optional
        One more element; a number that is not a half is rounded to half in the call's mode.
    where : array_like of bool, broadcast to the shape of ``a``
        Which elements to include.
    rounding : {"rte", "rtz", "rtp", "rtn"}, optional
        Without it the mode is the region's, as for operators.

    Returns
    -------
    half, or array of half
        Its dtype is ``dtype`` if that is given, else float16 if ``a`` is.

    Raises
    ------
    TypeError
        If an argument has another dtype, or ``a`` has a mask.
    ValueError
        If shapes do not fit, or ``axis`` is not an axis (``numpy.exceptions.AxisError``).

    Notes
    -----
    Accuracy: exact, then rounded once. Neither the order of elements nor their layout in memory
    changes a bit, and no intermediate result overflows.

    An empty sum is +0. A zero sum is -0 if all terms are -0; in ``rtn`` also if any term is -0 or
    terms cancel. inf - inf is NaN and raises the invalid flag.

    Source: NumPy's ``sum``; OpenCL has none.

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> x = np.array([6e4, 6e4, -6e4, 2**-20], hc.half)
    >>> hc.sum(x), hc.sum(x, rounding="rtp"), hc.sum(x, dtype=np.float64)
    (half(6e+04), half(6.003e+04), np.float64(60000.000000953674))
    >>> hc.sum(np.ones((2, 3), hc.half), axis=0)
    array([2., 2., 2.], dtype=half)
    """
    return reduce_arrays("sum", (a,), axis, dtype, out, keepdims, initial, where, 0, rounding)


@_document(
    "Return the product of the elements.",
    """\
Accuracy: before rounding, the relative error of the product of n elements is at most n 2^-101;
no intermediate result overflows or underflows. So the result in half is correctly rounded,
unless the exact product is that close to a half, or to the middle of two halves, without being
equal to it.

An empty product is 1. 0 times infinity is NaN and raises the invalid flag.

Source: NumPy's ``prod``; OpenCL has none.""",
    """\
>>> hc.prod(np.array([6e4, 6e4, 2**-20, 2**-10], hc.half))
half(3.354)""",
    """\
a, axis, dtype, out, keepdims, initial, where, rounding
    As for `sum`.""",
)
def prod(
    a: ArrayLike,
    /,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
    *,
    rounding: RoundingMode | None = None,
) -> Result:
    return reduce_arrays("prod", (a,), axis, dtype, out, keepdims, initial, where, 0, rounding)


@_document(
    "Return the mean: the exact sum divided by the number of elements, rounded once.",
    """\
Accuracy: exact, then rounded once, whatever the order and the layout.

The mean of nothing is NaN, with the invalid flag and NumPy's warning. Signs of zeros,
infinities and NaNs are as for `sum`.

Source: NumPy's ``mean``; OpenCL has none.""",
    """\
>>> hc.mean(np.full(2**20, 0.6, hc.half)), hc.mean(np.array([1, 2], hc.half), dtype="f4")
(half(0.6), np.float32(1.5))""",
)
def mean(
    a: ArrayLike,
    /,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
    rounding: RoundingMode | None = None,
) -> Result:
    return reduce_arrays("mean", (a,), axis, dtype, out, keepdims, None, where, 0, rounding)


@_document(
    "Return the variance, correctly rounded.",
    """\
Accuracy: exact, then rounded once: (n sum(x^2) - sum(x)^2) / (n (n - ddof)), in integers.

The variance of nothing is NaN. If the number of elements is at most ``ddof``, the result is
infinite with the divide flag, or NaN with the invalid flag if all elements are equal, and
NumPy's warning is given. If an element is an infinity or a NaN, the result is NaN.

Source: NumPy's ``var``; OpenCL has none.""",
    """\
>>> hc.var(np.array([1, 2, 4], hc.half)), hc.var(np.array([1, 2, 4], hc.half), ddof=1)
(half(1.556), half(2.334))""",
    """\
a, axis, dtype, out, keepdims, where, rounding
    As for `sum`.
ddof : int
    The sum of squared differences is divided by the number of elements minus this.""",
    also="; also if ``ddof`` is not an integer",
)
def var(
    a: ArrayLike,
    /,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    ddof: int = 0,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
    rounding: RoundingMode | None = None,
) -> Result:
    return reduce_arrays("var", (a,), axis, dtype, out, keepdims, None, where, ddof, rounding)


@_document(
    "Return the standard deviation: the root of the exact variance, rounded once.",
    """\
Accuracy: exact, then rounded once.

Edge cases are those of `var`.

Source: NumPy's ``std``; OpenCL has none.""",
    """\
>>> hc.std(np.array([[1, 2], [3, 7]], hc.half), axis=1)
array([0.5, 2. ], dtype=half)""",
    """\
a, axis, dtype, out, ddof, keepdims, where, rounding
    As for `var`.""",
    like="var",
)
def std(
    a: ArrayLike,
    /,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    ddof: int = 0,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
    rounding: RoundingMode | None = None,
) -> Result:
    return reduce_arrays("std", (a,), axis, dtype, out, keepdims, None, where, ddof, rounding)


@_document(
    "Return the exact sum of squares, rounded once.",
    """\
Accuracy: exact, then rounded once, whatever the order and the layout.

The sum of nothing is +0. It is infinite if an element is, unless another is a NaN.

Source: none in OpenCL and NumPy.""",
    """\
>>> hc.sumsq(np.array([3, 4], hc.half)), hc.sumsq(np.full(8, 300, hc.half), dtype=np.float32)
(half(25.0), np.float32(720000.0))""",
)
def sumsq(
    a: ArrayLike,
    /,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
    rounding: RoundingMode | None = None,
) -> Result:
    return reduce_arrays("sumsq", (a,), axis, dtype, out, keepdims, None, where, 0, rounding)


@_document(
    "Return the Euclidean norm: the root of the exact sum of squares, rounded once.",
    """\
Accuracy: exact, then rounded once. `length` returns the norms of vectors along one
axis; if a vector has both an infinity and a NaN, `length` is infinite and `norm` NaN, as
NumPy's.

The norm of nothing is +0.

Source: NumPy's ``linalg.norm``.""",
    """\
>>> hc.norm(np.array([3e4, 4e4], hc.half)), hc.norm(np.ones((2, 2), hc.half), axis=0)
(half(5e+04), array([1.414, 1.414], dtype=half))""",
)
def norm(
    a: ArrayLike,
    /,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
    rounding: RoundingMode | None = None,
) -> Result:
    return reduce_arrays("norm", (a,), axis, dtype, out, keepdims, None, where, 0, rounding)


@_document(
    "Return the exact sum of the products of two arrays, rounded once.",
    """\
Accuracy: exact, then rounded once, whatever the order and the layout.

Zeros, infinities and NaNs are as for `dot`.

Source: NumPy's ``vdot``, which flattens arrays of one size.""",
    """\
>>> x = np.array([300, 300, 1], hc.half)
>>> hc.vdot(x, np.array([300, -300, 1], hc.half)), hc.vdot(x, x, dtype=np.float32)
(half(1.0), np.float32(180001.0))""",
    """\
a, b : array_like of half or float16, broadcast against each other
axis, dtype, out, keepdims, where, rounding
    As for `sum`. (`dot`, which is OpenCL's, sums along the last axis.)""",
    float16="both arguments are",
)
def vdot(
    a: ArrayLike,
    b: ArrayLike,
    /,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
    rounding: RoundingMode | None = None,
) -> Result:
    return reduce_arrays("vdot", (a, b), axis, dtype, out, keepdims, None, where, 0, rounding)


@_document(
    "Return running sums: for each element the exact sum of all up to it, rounded once.",
    """\
Accuracy: each sum is exact, then rounded once. Rounding errors do not add up, and a sum after
one that overflows may be finite again.

Zeros, infinities and NaNs are as for `sum`.

Source: NumPy's ``cumsum``; OpenCL has none.""",
    """\
>>> hc.cumsum(np.array([1, 2**-11, 2**-11], hc.half))
array([1.   , 1.   , 1.001], dtype=half)""",
    """\
a, dtype, out, rounding
    As for `sum`.
axis : int or None
    The axis along which to sum; None: all elements in C order, as a one-dimensional array.""",
    kind="array of half",
)
def cumsum(
    a: ArrayLike,
    /,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    *,
    rounding: RoundingMode | None = None,
) -> Result:
    return running_sums(a, axis, dtype, out, rounding)


FUNCTIONS = {f.__name__: f for f in (sum, prod, mean, var, std, sumsq, norm, vdot, cumsum, matmul)}
