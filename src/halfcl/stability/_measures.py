"""Measures of how far results lie apart: in ulps, in decimal digits, and by statistics."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

import halfcl as hc
from halfcl._core import half
from halfcl._opencl.ulps.ordinals import ordinals

Doubles: TypeAlias = NDArray[np.float64]

#: The spread, in ulps, above which an element is called unstable: rounding then decides 5 of a
#: half's 11 bits. Thirty steps whose errors have one direction, without amplification, stay within.
THRESHOLD = 32

#: The maximum of `digits`: the decimal digits that a difference of one ulp leaves, plus one for
#: equal results.
ALL_DIGITS = 4
#: The 11 bits of a half in decimal digits: the maximum of `significant_digits`.
PRECISION_IN_DIGITS = 11 * math.log10(2)
#: Confidence level of the estimate by `significant_digits`.
CONFIDENCE = 0.95


def spread(runs: Sequence[ArrayLike]) -> Doubles:
    """Return the ulps from the least to the largest result of several runs, element by element.

    The spread is 0 where all are NaN or the same infinity, and infinite where only some are.
    """
    places = np.stack([ordinals(run) for run in runs])
    with np.errstate(invalid="ignore"):
        gap = np.asarray(places.max(axis=0) - places.min(axis=0))  # inf - inf is NaN
    same = (np.isnan(places).all(axis=0)) | (places == places[0]).all(axis=0)
    return np.where(same, 0.0, np.where(np.isnan(gap), np.inf, gap))


def distances(values: ArrayLike, low: ArrayLike, high: ArrayLike) -> tuple[Doubles, Doubles]:
    """Return the ulps from values to the nearest and to the farthest number of intervals.

    Empty intervals, whose bounds are NaN, give NaN. A value that is NaN gives 0 and infinity.
    """
    places, below, above = ordinals(values), ordinals(low), ordinals(high)
    with np.errstate(invalid="ignore"):  # inf - inf is NaN, which fmax ignores
        down, up = below - places, places - above
        nearest = np.fmax(np.fmax(down, up), 0)
        farthest = np.fmax(np.abs(down), np.abs(up))
    farthest = np.where(np.isnan(places), np.inf, farthest)
    empty = np.isnan(below)
    return np.where(empty, np.nan, nearest), np.where(empty, np.nan, farthest)


def error(values: ArrayLike, exact: Doubles) -> Doubles:
    """Return the ulps from values to the exact results, element by element.

    The error is 0 where the exact result rounds to the same half, or both are NaN. It is infinite
    where only one of them is infinite or NaN.
    """
    with np.errstate(all="ignore"):
        nearest = np.asarray(hc.convert(exact, half)).reshape(np.shape(exact))
    same = spread([values, nearest])
    with np.errstate(invalid="ignore"):  # inf - inf is NaN, where the error is 0
        apart = np.abs(ordinals(values) - ordinals(np.where(np.isfinite(same), exact, 0)))
    return np.where((same == 0) | np.isinf(same), same, apart)


#: A result is wrong if its error exceeds _ERROR thresholds. It is unstable, since it can only be
#: right by chance, if its spread exceeds _CHANCE thresholds.
_ERROR, _CHANCE = 0.5, 6


def verdict(
    spread: Doubles, error: Doubles, threshold: float, whole: bool = True
) -> NDArray[np.str_]:
    """Return "stable", "unstable" or "off" for each element, by its spread and error in ulps.

    An unknown error is NaN: then the spread decides. If the shadow does not cover all steps (whole
    is False), the error may be larger: then both decide.
    """
    right = np.where(np.isnan(error) | (not whole), threshold, threshold * _CHANCE)
    wrong = (error > threshold * _ERROR) | (spread > right)
    return np.where(wrong, np.where(spread > threshold, "unstable", "off"), "stable")


def digits(runs: Sequence[ArrayLike]) -> NDArray[np.int64]:
    """Return the significant decimal digits that the results share, element by element.

    Results share d digits if they differ by at most 10**-d of the largest magnitude. Equal results
    give `ALL_DIGITS`; results with an infinity or NaN give 0.
    """
    results = np.stack([np.asarray(run).astype(np.float64) for run in runs])
    with np.errstate(invalid="ignore"):
        gap = results.max(axis=0) - results.min(axis=0)
        size = np.abs(results).max(axis=0)
        shared = sum((gap * 10**d <= size).astype(np.int64) for d in range(1, ALL_DIGITS))
    count = np.where(gap == 0, ALL_DIGITS, shared)
    return np.where(np.isfinite(results).all(axis=0), count, 0)


def _probability_within(t: float, freedom: int) -> float:
    """Return the probability that Student's t lies between -t and t."""
    angle = math.atan(t / math.sqrt(freedom))
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = freedom % 2
    term, total = (cosine if odd else 1.0), 0.0
    for k in range(2 + odd, freedom + 1, 2):
        total += term
        term *= cosine * cosine * (k - 1) / k
    return (angle + sine * total) * 2 / math.pi if odd else sine * total


@functools.cache
def students_t(freedom: int) -> float:
    """Return the t that Student's distribution exceeds in magnitude with 1 - `CONFIDENCE`.

    freedom: degrees of freedom, 1 or more.

    Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4.

    >>> from halfcl.stability._measures import students_t
    >>> round(students_t(2), 3)
    4.303
    """
    low, high = 0.0, 1.0
    while _probability_within(high, freedom) < CONFIDENCE:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        if _probability_within(middle, freedom) < CONFIDENCE:
            low = middle
        else:
            high = middle
    return high


def significant_digits(samples: object) -> Doubles:
    """Estimate the significant decimal digits of the mean of results that were rounded at random.

    samples: the results of N runs, as the first axis. The digits are log10(sqrt(N) |mean| / (t s)),
    where s is the samples' standard deviation and t Student's for N - 1 degrees of freedom and
    95 %: at least 0, at most `PRECISION_IN_DIGITS`; 0 where a sample is infinite or NaN.

    Source: J. Vignes, "A stochastic arithmetic for reliable scientific computation", Mathematics
    and Computers in Simulation 35, 1993 (the CESTAC method).
    """
    results = np.asarray(samples).astype(np.float64)
    count = results.shape[0]
    finite = np.isfinite(results).all(axis=0)
    results = np.where(finite, results, 0)
    mean, deviation = np.abs(results.mean(axis=0)), results.std(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = np.log10(math.sqrt(count) * mean / (students_t(count - 1) * deviation))
    estimate = np.where(deviation == 0, PRECISION_IN_DIGITS, estimate)
    return np.where(finite, np.clip(estimate, 0, PRECISION_IN_DIGITS), 0.0)
