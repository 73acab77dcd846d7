"""The reductions as they are called."""

from __future__ import annotations

from numpy.typing import ArrayLike, DTypeLike

from halfcl._core import reduce_arrays
from halfcl.reductions._arguments import Array, Result
from halfcl.reductions._functions import running_sums
from halfcl.reductions._product import matmul
from halfcl.typing import RoundingMode

Axis = int | tuple[int, ...] | None


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
    """Sum of the elements, exact and rounded once.

    Parameters
    ----------
    a : array_like of half or float16, any shape
        Bool, int8 and uint8, which are exact in half, are taken too. Vectors are arrays of their
        components.
    axis : int, tuple of ints or None
        The axes to reduce; None: all.
    dtype : dtype, optional
        What the exact result is rounded to: half, float16, float32 or float64.
    out : array of the result's dtype and shape, optional
        Where the result goes.
    keepdims : bool
        Whether the axes that are reduced stay, with length 1.
    initial : number, optional
        One more element; rounded to half, if it is none, in the call's mode.
    where : array_like of bool, broadcast to the shape of ``a``
        Which elements count.
    rounding : {"rte", "rtz", "rtp", "rtn"}, optional
        Without it the mode is the region's, as for operators.

    Returns
    -------
    half, or array of half
        Of ``dtype`` if it is given, else float16 if ``a`` is.

    Raises
    ------
    TypeError
        If an argument's dtype is none of these, or ``a`` has a mask.
    ValueError
        If shapes do not fit, or ``axis`` names no axis (``numpy.exceptions.AxisError``).

    Notes
    -----
    Accuracy: exact, then rounded once. Neither the order of elements nor their layout in memory
    changes a bit, and nothing overflows on the way.

    A sum of nothing is +0. A zero sum is -0 if all terms are, and in ``rtn`` if any is or they
    cancel. inf - inf is NaN and raises the invalid flag.

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
    """Product of the elements.

    Parameters
    ----------
    a, axis, dtype, out, keepdims, initial, where, rounding
        As for `sum`.

    Returns
    -------
    half, or array of half
        Of ``dtype`` if it is given, else float16 if ``a`` is.

    Raises
    ------
    TypeError, ValueError
        As `sum` does.

    Notes
    -----
    Accuracy: within n 2^-101 of the product of n elements, relatively, before it is rounded;
    nothing overflows or underflows on the way. So a half is right, unless the exact product is
    that close to a number where half rounds, and is not that number.

    A product of nothing is 1. 0 times infinity is NaN and raises the invalid flag.

    Source: NumPy's ``prod``; OpenCL has none.

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> hc.prod(np.array([6e4, 6e4, 2**-20, 2**-10], hc.half))
    half(3.354)
    """
    return reduce_arrays("prod", (a,), axis, dtype, out, keepdims, initial, where, 0, rounding)


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
    """Arithmetic mean: the exact sum, divided by the number of elements, rounded once.

    Parameters
    ----------
    a, axis, dtype, out, keepdims, where, rounding
        As for `sum`.

    Returns
    -------
    half, or array of half
        Of ``dtype`` if it is given, else float16 if ``a`` is.

    Raises
    ------
    TypeError, ValueError
        As `sum` does.

    Notes
    -----
    Accuracy: exact, then rounded once, whatever the order and the layout.

    Of nothing it is NaN, with the invalid flag and NumPy's warning. Signs of zeros, infinities
    and NaNs are as for `sum`.

    Source: NumPy's ``mean``; OpenCL has none.

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> hc.mean(np.full(2**20, 0.6, hc.half)), hc.mean(np.array([1, 2], hc.half), dtype="f4")
    (half(0.6), np.float32(1.5))
    """
    return reduce_arrays("mean", (a,), axis, dtype, out, keepdims, None, where, 0, rounding)


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
    """Variance, correctly rounded.

    Parameters
    ----------
    a, axis, dtype, out, keepdims, where, rounding
        As for `sum`.
    ddof : int
        The sum of squared differences is divided by the number of elements less this.

    Returns
    -------
    half, or array of half
        Of ``dtype`` if it is given, else float16 if ``a`` is.

    Raises
    ------
    TypeError, ValueError
        As `sum` does; if ``ddof`` is no integer.

    Notes
    -----
    Accuracy: exact, then rounded once: (n sum(x^2) - sum(x)^2) / (n (n - ddof)), in integers.

    Of nothing it is NaN. If ``ddof`` leaves nothing to divide by, it is infinite with the
    divide flag, or NaN with the invalid flag if all elements are equal, and NumPy's warning comes.
    With an infinity or a NaN among the elements it is NaN.

    Source: NumPy's ``var``; OpenCL has none.

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> hc.var(np.array([1, 2, 4], hc.half)), hc.var(np.array([1, 2, 4], hc.half), ddof=1)
    (half(1.556), half(2.334))
    """
    return reduce_arrays("var", (a,), axis, dtype, out, keepdims, None, where, ddof, rounding)


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
    """Standard deviation: the square root of the exact variance, rounded once.

    Parameters
    ----------
    a, axis, dtype, out, ddof, keepdims, where, rounding
        As for `var`.

    Returns
    -------
    half, or array of half
        Of ``dtype`` if it is given, else float16 if ``a`` is.

    Raises
    ------
    TypeError, ValueError
        As `var` does.

    Notes
    -----
    Accuracy: exact, then rounded once.

    Edge cases are those of `var`.

    Source: NumPy's ``std``; OpenCL has none.

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> hc.std(np.array([[1, 2], [3, 7]], hc.half), axis=1)
    array([0.5, 2. ], dtype=half)
    """
    return reduce_arrays("std", (a,), axis, dtype, out, keepdims, None, where, ddof, rounding)


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
    """Sum of squares, exact and rounded once.

    Parameters
    ----------
    a, axis, dtype, out, keepdims, where, rounding
        As for `sum`.

    Returns
    -------
    half, or array of half
        Of ``dtype`` if it is given, else float16 if ``a`` is.

    Raises
    ------
    TypeError, ValueError
        As `sum` does.

    Notes
    -----
    Accuracy: exact, then rounded once, whatever the order and the layout.

    Of nothing it is +0; with an infinity it is infinite, unless there is a NaN.

    Source: none in OpenCL and NumPy.

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> hc.sumsq(np.array([3, 4], hc.half)), hc.sumsq(np.full(8, 300, hc.half), dtype=np.float32)
    (half(25.0), np.float32(720000.0))
    """
    return reduce_arrays("sumsq", (a,), axis, dtype, out, keepdims, None, where, 0, rounding)


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
    """Euclidean norm: the square root of the exact sum of squares, rounded once.

    Parameters
    ----------
    a, axis, dtype, out, keepdims, where, rounding
        As for `sum`.

    Returns
    -------
    half, or array of half
        Of ``dtype`` if it is given, else float16 if ``a`` is.

    Raises
    ------
    TypeError, ValueError
        As `sum` does.

    Notes
    -----
    Accuracy: exact, then rounded once. `length` is the same of vectors along one axis, but for
    NaNs beside infinities, where that is infinite and this is NaN, as NumPy's.

    Of nothing it is +0.

    Source: NumPy's ``linalg.norm``.

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> hc.norm(np.array([3e4, 4e4], hc.half)), hc.norm(np.ones((2, 2), hc.half), axis=0)
    (half(5e+04), array([1.414, 1.414], dtype=half))
    """
    return reduce_arrays("norm", (a,), axis, dtype, out, keepdims, None, where, 0, rounding)


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
    """Sum of the products of two arrays, exact and rounded once.

    Parameters
    ----------
    a, b : array_like of half or float16, broadcast against each other
    axis, dtype, out, keepdims, where, rounding
        As for `sum`. (`dot`, which is OpenCL's, goes along the last axis.)

    Returns
    -------
    half, or array of half
        Of ``dtype`` if it is given, else float16 if both arguments are.

    Raises
    ------
    TypeError, ValueError
        As `sum` does.

    Notes
    -----
    Accuracy: exact, then rounded once, whatever the order and the layout.

    Zeros, infinities and NaNs are as for `dot`.

    Source: NumPy's ``vdot``, which takes arrays of one size, as if they were flat.

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> x = np.array([300, 300, 1], hc.half)
    >>> hc.vdot(x, np.array([300, -300, 1], hc.half)), hc.vdot(x, x, dtype=np.float32)
    (half(1.0), np.float32(180001.0))
    """
    return reduce_arrays("vdot", (a, b), axis, dtype, out, keepdims, None, where, 0, rounding)


def cumsum(
    a: ArrayLike,
    /,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    *,
    rounding: RoundingMode | None = None,
) -> Result:
    """Running sums: for each element the exact sum of all up to it, rounded once.

    Parameters
    ----------
    a, dtype, out, rounding
        As for `sum`.
    axis : int or None
        Along which sums run; None: over all elements in C order, into one dimension.

    Returns
    -------
    array of half
        Of ``dtype`` if it is given, else float16 if ``a`` is.

    Raises
    ------
    TypeError, ValueError
        As `sum` does.

    Notes
    -----
    Accuracy: each is exact, then rounded once; roundings do not add up, and a sum that
    overflows comes back when it may.

    Zeros, infinities and NaNs are as for `sum`.

    Source: NumPy's ``cumsum``; OpenCL has none.

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> hc.cumsum(np.array([1, 2**-11, 2**-11], hc.half))
    array([1.   , 1.   , 1.001], dtype=half)
    """
    return running_sums(a, axis, dtype, out, rounding)


FUNCTIONS = {f.__name__: f for f in (sum, prod, mean, var, std, sumsq, norm, vdot, cumsum, matmul)}
