"""The functions ulp_error and ulps_between."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfcl import _core
from halfcl._opencl.ulps import doubles
from halfcl._support.arguments.byte_order import as_native
from halfcl._support.foreign import dispatch_to_library

_HALVES = (_core.half, np.float16)
_MAGNITUDE = 0x7FFF
_NO_DISTANCE = 2**31 - 1


def _halves(function: str, argument: str, x: object) -> NDArray[Any]:
    """Return x as an array of half or float16, in native byte order."""
    array: NDArray[Any] = np.asarray(x)
    if array.dtype.type not in _HALVES:
        raise TypeError(
            f"{function}: argument {argument}: expected half or float16, got {array.dtype}; "
            "halfcl.convert(x, halfcl.half) rounds it to half"
        )
    return as_native(array)


@dispatch_to_library
def ulp_error(got: ArrayLike, exact: object) -> Any:
    """Return the error of half results, in units of the last place.

    Parameters
    ----------
    got : array_like of half or float16, any shape, broadcast
        The results.
    exact : array_like of real numbers, any shape, broadcast
        The exact values: half, float16 to float64, long double, integers,
        `fractions.Fraction`, `decimal.Decimal`, ``gmpy2.mpfr``; the last three in lists and
        arrays of objects.

    Returns
    -------
    float64 or array of float64
        ``(got - exact) / ulp``: positive where the result is too large. The ulp is half's at
        the exact value, as `ulp` returns it: 2**-10 for 1 <= abs(exact) < 2, at least
        2**-24, at most 32.

    Raises
    ------
    TypeError
        If ``got`` is neither half nor float16, or ``exact`` are not real numbers.
    ValueError
        If the shapes do not broadcast.

    See Also
    --------
    ulp, ulps_between, allowed_ulp

    Notes
    -----
    Accuracy: the exact error, rounded once to float64.

    Right results have at most 0.5 ulp to nearest, and less than 1 ulp in a directed mode.
    Zeros are equal, whatever their signs, and the error itself is never -0. NaN for NaN is no
    error; a NaN on one side alone gives NaN. Of infinities equal ones have no error, and finite
    for infinite is infinitely wrong. An infinite result for a finite number counts as 65536, so
    that rounding to it costs no more than rounding elsewhere: from 65520 half an ulp, and nothing
    where the number is itself 65536 or more. A finite result for such a number is as wrong as it
    is, in units of 32.

    Source: OpenCL C, "Relative Error as ULPs", whose ulp of an exact power of two is half as
    large; cl_khr_fp16 measures from the infinitely precise result, too.

    Examples
    --------
    >>> import halfcl as hc
    >>> from fractions import Fraction
    >>> hc.ulp_error(hc.half(1) / 3, Fraction(1, 3))
    np.float64(-0.3333333333333333)
    >>> hc.ulp_error(hc.divide(hc.half(1), 3, rounding="rtp"), Fraction(1, 3))
    np.float64(0.6666666666666666)
    >>> hc.ulp_error(hc.nextup(hc.half(-1)), hc.half(-1))
    np.float64(0.5)
    """
    results = _halves("ulp_error", "got", got).astype(np.float64)
    numbers = _numbers(exact)
    if numbers.dtype == object:
        from halfcl._opencl.ulps import (
            exact as exactly,  # it takes milliseconds to import fractions
        )

        with np.errstate(all="ignore"):
            return np.vectorize(exactly.error, otypes=[np.float64])(results, numbers)[()]
    return doubles.errors(results, numbers)[()]


def _numbers(exact: object) -> NDArray[Any]:
    """Return the exact values as float64 where that is exact, else as objects."""
    array: NDArray[Any] = np.asarray(exact)
    kind, size = array.dtype.kind, array.dtype.itemsize
    if kind not in "biufO":
        raise TypeError(f"ulp_error: argument exact: expected real numbers, got {array.dtype}")
    if kind == "O" or (kind in "iu" and size > 4) or (kind == "f" and size > 8):
        return array.astype(object)
    return array.astype(np.float64)


@dispatch_to_library
def ulps_between(a: ArrayLike, b: ArrayLike) -> Any:
    """Return the distance of two halves: the number of steps from one half to the next.

    Parameters
    ----------
    a, b : array_like of half or float16, any shape, broadcast

    Returns
    -------
    int32 or array of int32
        The distance, never negative.

    Raises
    ------
    TypeError
        If an argument is neither half nor float16.
    ValueError
        If the shapes do not broadcast.

    See Also
    --------
    ulp_error : the error against an exact value, with its sign.
    nextup, nextdown : one step.

    Notes
    -----
    Accuracy: exact.

    Both zeros are one number. Infinities are one step beyond ±65504. NaNs are no distance from
    one another, and from every number the largest int32, 2147483647.

    Source: the order of IEEE 754's nextUp (IEEE 754-2019, 5.3.1).

    Examples
    --------
    >>> import halfcl as hc
    >>> hc.ulps_between(hc.half(1), hc.nextup(hc.half(1)))
    np.int32(1)
    >>> hc.ulps_between(hc.half("-6e-8"), hc.half("6e-8"))
    np.int32(2)
    """
    places = [_halves("ulps_between", name, x) for name, x in (("a", a), ("b", b))]
    nan = [np.isnan(x) for x in places]
    one, other = (_ordinal(x) for x in places)
    distance = np.where(nan[0] | nan[1], np.int32(_NO_DISTANCE), np.abs(one - other))
    return np.where(nan[0] & nan[1], np.int32(0), distance)[()]


def _ordinal(x: NDArray[Any]) -> NDArray[Any]:
    """Return the position of a half in the order of all; zeros are 0."""
    bits = x.view(np.uint16).astype(np.int32)
    magnitude = bits & _MAGNITUDE
    ordinal: NDArray[Any] = np.where(bits > _MAGNITUDE, -magnitude, magnitude)
    return ordinal
