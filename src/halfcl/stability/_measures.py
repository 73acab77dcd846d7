"""How far results lie apart: in ulps, in decimal digits, and by statistics."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

import halfcl as hc
from halfcl._core import half

Doubles: TypeAlias = NDArray[np.float64]

#: The spread, in ulps, beyond which an element is called unstable: 5 of a half's 11 bits are then
#: rounding's. Some thirty steps that all err one way, and none of which makes errors larger, pass.
THRESHOLD = 32

#: Decimal digits that a difference of one ulp leaves, and one more for none: the most of `digits`.
ALL_DIGITS = 4
#: What the 11 bits of a half are worth: the most of `significant_digits`.
PRECISION_IN_DIGITS = 11 * math.log10(2)
#: How sure the estimate of `significant_digits` is.
CONFIDENCE = 0.95

_LEAST_EXPONENT = -14  # of normal halves
_STEPS = 1 << 10  # halves from a power of two to the next


def ordinals(values: ArrayLike) -> Doubles:
    """The numbers of halves from zero to values; NaN of NaN, infinite of infinities.

    Parameters
    ----------
    values : half or wider floating-point array of any shape
        Between halves the ordinal is a fraction, linear from each to the next.

    Returns
    -------
    float64 array of that shape

    Examples
    --------
    >>> import numpy as np
    >>> from halfcl import half
    >>> from halfcl.stability._measures import ordinals
    >>> ordinals(np.array([0, 1, 1.001, -2], half))
    array([     0.,  15360.,  15361., -16384.])
    """
    wide = np.asarray(values).astype(np.float64)
    size = np.where(np.isfinite(wide), np.abs(wide), 0)
    exponent = np.where(size > 0, np.frexp(size)[1] - 1, _LEAST_EXPONENT)
    exponent = np.maximum(exponent, _LEAST_EXPONENT)
    above = np.ldexp(size, -exponent) - 1  # the power of two; of subnormals negative
    found = np.copysign((exponent - _LEAST_EXPONENT + 1 + above) * _STEPS, wide)
    return np.where(np.isfinite(wide), found, wide)


def spread(runs: Sequence[ArrayLike]) -> Doubles:
    """The ulps from the least to the largest of several runs' results, element by element.

    Zero where all are NaN, or the same infinity; infinite where only some are.
    """
    found = np.stack([ordinals(run) for run in runs])
    with np.errstate(invalid="ignore"):
        gap = np.asarray(found.max(axis=0) - found.min(axis=0))  # inf - inf is NaN
    same = (np.isnan(found).all(axis=0)) | (found == found[0]).all(axis=0)
    return np.where(same, 0.0, np.where(np.isnan(gap), np.inf, gap))


def distances(values: ArrayLike, low: ArrayLike, high: ArrayLike) -> tuple[Doubles, Doubles]:
    """The ulps from values to the nearest and to the farthest number of intervals.

    NaN of empty intervals, whose bounds are NaN. A NaN is anywhere: 0 and infinite.
    """
    found, below, above = ordinals(values), ordinals(low), ordinals(high)
    with np.errstate(invalid="ignore"):  # inf - inf is NaN, which fmax leaves out
        down, up = below - found, found - above
        nearest = np.fmax(np.fmax(down, up), 0)
        farthest = np.fmax(np.abs(down), np.abs(up))
    farthest = np.where(np.isnan(found), np.inf, farthest)
    empty = np.isnan(below)
    return np.where(empty, np.nan, nearest), np.where(empty, np.nan, farthest)


def error(values: ArrayLike, exact: Doubles) -> Doubles:
    """The ulps from values to what they should be, element by element.

    Zero where that rounds to the same half, or both are NaN; infinite where one is infinite or
    NaN alone.
    """
    with np.errstate(all="ignore"):
        nearest = np.asarray(hc.convert(exact, half)).reshape(np.shape(exact))
    same = spread([values, nearest])
    apart = np.abs(ordinals(values) - ordinals(np.where(np.isfinite(same), exact, 0)))
    return np.where((same == 0) | np.isinf(same), same, apart)


#: What is wrong: results off by more than this part of the threshold; and however right they are,
#: by chance then, those whose runs lie apart by more than so many thresholds.
_ERROR, _CHANCE = 0.5, 6


def verdict(
    spread: Doubles, error: Doubles, threshold: float, whole: bool = True
) -> NDArray[np.str_]:
    """What is said of elements whose runs lie so far apart, and are off by so much, in ulps.

    Where the error is not known it is NaN: then the spread decides. If the shadow is not whole, the
    error may be larger: then both do.
    """
    right = np.where(np.isnan(error) | (not whole), threshold, threshold * _CHANCE)
    wrong = (error > threshold * _ERROR) | (spread > right)
    return np.where(wrong, np.where(spread > threshold, "unstable", "off"), "stable")


def digits(runs: Sequence[ArrayLike]) -> NDArray[np.int64]:
    """The significant decimal digits that the results share, element by element.

    d digits are shared where the results differ by at most 10**-d of the largest magnitude;
    `ALL_DIGITS` where they are the same, 0 where one is infinite or NaN.
    """
    found = np.stack([np.asarray(run).astype(np.float64) for run in runs])
    with np.errstate(invalid="ignore"):
        gap = found.max(axis=0) - found.min(axis=0)
        size = np.abs(found).max(axis=0)
        shared = sum((gap * 10**d <= size).astype(np.int64) for d in range(1, ALL_DIGITS))
    count = np.where(gap == 0, ALL_DIGITS, shared)
    return np.where(np.isfinite(found).all(axis=0), count, 0)


def _within(t: float, freedom: int) -> float:
    """The probability that Student's t lies between -t and t."""
    angle = math.atan(t / math.sqrt(freedom))
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = freedom % 2
    term, total = (cosine if odd else 1.0), 0.0
    for k in range(2 + odd, freedom + 1, 2):
        total += term
        term *= cosine * cosine * (k - 1) / k
    return (angle + sine * total) * 2 / math.pi if odd else sine * total


@functools.cache
def students_t(freedom: int, confidence: float = CONFIDENCE) -> float:
    """The t that Student's distribution exceeds in magnitude with probability 1 - confidence.

    Parameters
    ----------
    freedom : int
        Degrees of freedom, 1 or more.
    confidence : float, optional
        Between 0 and 1.

    Notes
    -----
    Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4.

    Examples
    --------
    >>> from halfcl.stability._measures import students_t
    >>> round(students_t(2), 3)
    4.303
    """
    low, high = 0.0, 1.0
    while _within(high, freedom) < confidence:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        if _within(middle, freedom) < confidence:
            low = middle
        else:
            high = middle
    return high


def significant_digits(samples: object) -> Doubles:
    """The significant decimal digits of the mean of results that were rounded at random.

    Parameters
    ----------
    samples : array of shape (N, ...), N at least 2
        What each of N runs gave.

    Returns
    -------
    float64 array of shape (...)
        log10(sqrt(N) |mean| / (t s)): s is the samples' standard deviation, t Student's for
        N - 1 degrees of freedom and 95 %. At least 0, at most `PRECISION_IN_DIGITS`; 0 where a
        sample is infinite or NaN.

    Notes
    -----
    Source: J. Vignes, "A stochastic arithmetic for reliable scientific computation",
    Mathematics and Computers in Simulation 35, 1993 (the CESTAC method).
    """
    found = np.asarray(samples).astype(np.float64)
    count = found.shape[0]
    finite = np.isfinite(found).all(axis=0)
    found = np.where(finite, found, 0)
    mean, deviation = np.abs(found.mean(axis=0)), found.std(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = np.log10(math.sqrt(count) * mean / (students_t(count - 1) * deviation))
    estimate = np.where(deviation == 0, PRECISION_IN_DIGITS, estimate)
    return np.where(finite, np.clip(estimate, 0, PRECISION_IN_DIGITS), 0.0)
