"""Measures of how far results lie apart: in ulps, in decimal digits, and by statistics."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
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
#: The smallest number of random runs from which `significant_digits` can estimate.
LEAST_SAMPLES = 2

_BITS = 11
_LEAST_EXPONENT = -14
#: The smallest normal half: digits of smaller halves count relative to it, since these have fewer
#: bits, however good the code is.
SMALLEST_NORMAL = 2.0**_LEAST_EXPONENT
SMALLEST_SUBNORMAL = 2.0 ** (_LEAST_EXPONENT - _BITS + 1)
_LARGEST = 65504.0  # the largest half


# ---------------------------------------------------------------- scales


@dataclass(frozen=True)
class Scale:
    """The unit in which differences of a result's elements count, in place of their own ulps.

    kind: "max", "norm" or "abs". number: the unit of "abs".
    """

    kind: str
    number: float = 0.0

    def __str__(self) -> str:
        return f"abs:{self.number:g}" if self.kind == "abs" else self.kind

    @property
    def name(self) -> str:
        """The name of the unit in reports."""
        names = {"max": "ulps of the largest element", "norm": "ulps of the 2-norm"}
        return names.get(self.kind, f"units of {self.number:g}")

    @classmethod
    def parse(cls, scale: object, name: str = "scale") -> Scale | None:
        """Return the scale for "max", "norm" or "abs:1e-3"; None for None and "ulp".

        name: the name of the argument in errors. Raise TypeError unless scale is a str, a Scale or
        None, ValueError for other texts.

        >>> from halfcl.stability._measures import Scale
        >>> Scale.parse("abs:1e-3")
        Scale(kind='abs', number=0.001)
        """
        if scale is None or isinstance(scale, Scale):
            return scale
        expected = f"{name}: expected 'max', 'norm', 'abs:1e-3' (a unit) or 'ulp'"
        if not isinstance(scale, str):
            raise TypeError(f"{expected}, got {type(scale).__name__}")
        if scale == "ulp":
            return None
        if scale in ("max", "norm"):
            return cls(scale)
        kind, _, text = scale.partition(":")
        try:
            number = float(text) if kind == "abs" else math.nan
        except ValueError:
            number = math.nan
        if not 0 < number < math.inf:
            raise ValueError(f"{expected}, got {scale!r}")
        return cls("abs", number)

    def size(self, values: ArrayLike) -> float:
        """Return the magnitude to which differences of these values are relative.

        It is the magnitude of the largest finite element, or the 2-norm of the finite elements;
        for "abs" 2048 units, since the largest half of a binade has almost that many ulps.
        """
        if self.kind == "abs":
            return self.number * float(1 << _BITS)
        wide = np.abs(np.asarray(values).astype(np.float64)).ravel()
        wide = wide[np.isfinite(wide)]
        most = float(wide.max(initial=0.0))
        if self.kind == "max" or not most:
            return most
        return most * math.sqrt(float(np.square(wide / most).sum()))

    def unit(self, values: ArrayLike) -> float:
        """Return the unit in which differences of these values count.

        It is the ulp of `size`: the distance of neighbouring halves there, as if halves had no
        largest number; or the unit of "abs".
        """
        return self.number if self.kind == "abs" else ulp_of(self.size(values))


def ulp_of(size: float) -> float:
    """Return the distance of neighbouring halves at a magnitude.

    >>> from halfcl.stability._measures import ulp_of
    >>> ulp_of(1.5), ulp_of(0.0) == 2.0**-24
    (0.0009765625, True)
    """
    exponent = math.frexp(size)[1] - 1 if size else _LEAST_EXPONENT
    return math.ldexp(1.0, max(exponent, _LEAST_EXPONENT) - _BITS + 1)


def unit_of(scale: Scale | None, values: ArrayLike) -> float | None:
    """Return the unit of a scale for values; None if they count in their own ulps."""
    return None if scale is None else scale.unit(values)


def size_of(scale: Scale | None, values: ArrayLike) -> float | None:
    """Return the magnitude to which digits of values are relative; None for their own."""
    return None if scale is None else scale.size(values)


# ---------------------------------------------------------------- differences


def _places(values: ArrayLike, unit: ArrayLike | None) -> Doubles:
    """Return numbers whose differences count: ordinals of halves, or the values themselves."""
    return ordinals(values) if unit is None else np.asarray(values).astype(np.float64)


def spread(runs: Sequence[ArrayLike], unit: ArrayLike | None = None) -> Doubles:
    """Return the ulps from the least to the largest result of several runs, element by element.

    The spread is 0 where all are NaN or the same infinity, and infinite where only some are.

    unit: counts in place of the elements' own ulps; one, or one for each element.
    """
    places = np.stack([_places(run, unit) for run in runs])
    with np.errstate(invalid="ignore", over="ignore"):
        gap = np.asarray(places.max(axis=0) - places.min(axis=0))  # inf - inf is NaN
        gap = gap if unit is None else np.asarray(gap / unit)
    same = (np.isnan(places).all(axis=0)) | (places == places[0]).all(axis=0)
    return np.where(same, 0.0, np.where(np.isnan(gap), np.inf, gap))


def distances(
    values: ArrayLike, low: ArrayLike, high: ArrayLike, unit: ArrayLike | None = None
) -> tuple[Doubles, Doubles]:
    """Return the ulps from values to the nearest and to the farthest number of intervals.

    Empty intervals, whose bounds are NaN, give NaN. A value that is NaN gives 0 and infinity.

    unit: as in `spread`.
    """
    places, below, above = (_places(x, unit) for x in (values, low, high))
    with np.errstate(invalid="ignore", over="ignore"):  # inf - inf is NaN, which fmax ignores
        down, up = below - places, places - above
        nearest = np.fmax(np.fmax(down, up), 0)
        farthest = np.fmax(np.abs(down), np.abs(up))
        if unit is not None:
            nearest, farthest = nearest / unit, farthest / unit
    farthest = np.where(np.isnan(places), np.inf, farthest)
    empty = np.isnan(below)
    return np.where(empty, np.nan, nearest), np.where(empty, np.nan, farthest)


def error(values: ArrayLike, exact: Doubles, unit: ArrayLike | None = None) -> Doubles:
    """Return the ulps from values to the exact results, element by element.

    The error is 0 where the exact result rounds to the same half, or both are NaN. It is infinite
    where only one of them is infinite or NaN.

    unit: as in `spread`.
    """
    with np.errstate(all="ignore"):
        nearest = np.asarray(hc.convert(exact, half)).reshape(np.shape(exact)).astype(np.float64)
    # Numbers of wider types may be finite there, too.
    wide = np.abs(np.asarray(values).astype(np.float64))
    is_beyond = np.isinf(nearest) & np.isfinite(wide) & (wide > _LARGEST)
    same = spread([values, np.where(is_beyond, exact, nearest)])
    with np.errstate(invalid="ignore", over="ignore"):  # inf - inf is NaN, where the error is 0
        apart = np.abs(_places(values, unit) - _places(np.where(np.isfinite(same), exact, 0), unit))
        apart = apart if unit is None else np.asarray(apart / unit)
    return np.where((same == 0) | np.isinf(same), same, apart)


# ---------------------------------------------------------------- verdicts

#: A result is wrong if its error exceeds MOST_ERROR thresholds; or _DOUBT thresholds if its spread
#: exceeds _CHANCE thresholds, so that its error is only by chance no larger. No spread makes a
#: result wrong that is known to be right to an ulp or a few.
MOST_ERROR, _DOUBT, _CHANCE = 0.5, 0.25, 6

#: The verdicts on elements that are wrong, or may be.
BAD_VERDICTS = ("unstable", "off", "not finite")


def verdict(
    values: ArrayLike,
    spread: Doubles,
    error: Doubles,
    exact: Doubles | None,
    threshold: float,
    whole: bool = True,
) -> NDArray[np.str_]:
    """Return the verdict on each element of the run to nearest.

    "stable": the error is at most half the threshold, or a quarter if the spread exceeds six; if
    the error is unknown, the spread is at most the threshold. "unstable": it is not, and the spread
    shows it. "off": the error is larger, although no run shows it. Elements that are infinite or
    NaN are never stable: "overflows" if the exact result is finite, but rounds to this infinity,
    "infinite" if it is this infinity (1 / 0), "undefined" if both are NaN, "not finite" if the
    exact result is unknown and all runs agree.

    values: of the run to nearest. spread, error: in ulps; an unknown error is NaN. exact: the exact
    results, or None. whole: whether the exact results cover all steps: if not, they can show that
    an element is off, but not that it is right.
    """
    wide = np.asarray(values).astype(np.float64)
    is_trusted = ~np.isnan(error) & whole
    spreads = spread > threshold
    by_chance = (error > threshold * _DOUBT) & (spread > threshold * _CHANCE)
    wrong = (error > threshold * MOST_ERROR) | by_chance | (spreads & ~is_trusted)
    words = np.where(wrong, np.where(spreads, "unstable", "off"), "stable")
    is_right = is_trusted & ~wrong
    truth = np.full(wide.shape, np.nan) if exact is None else np.broadcast_to(exact, wide.shape)
    by_right = np.where(
        np.isnan(wide), "undefined", np.where(np.isfinite(truth), "overflows", "infinite")
    )
    words = np.where(~np.isfinite(wide) & ~wrong, np.where(is_right, by_right, "not finite"), words)
    return words


def is_bad(words: NDArray[np.str_]) -> NDArray[np.bool_]:
    """Return which verdicts are those of elements that are wrong, or may be."""
    return np.isin(words, BAD_VERDICTS)


# ---------------------------------------------------------------- digits


def digits(runs: Sequence[ArrayLike], size: ArrayLike | None = None) -> NDArray[np.int64]:
    """Return the significant decimal digits that the results share, element by element.

    Results share d digits if they differ by at most 10**-d of the largest magnitude. Equal results
    give `ALL_DIGITS`; results with an infinity or NaN give 0.

    size: the magnitude of a scale, in place of the largest one of each element.
    """
    results = np.stack([np.asarray(run).astype(np.float64) for run in runs])
    with np.errstate(invalid="ignore"):
        gap = results.max(axis=0) - results.min(axis=0)
        largest = np.abs(results).max(axis=0) if size is None else size
        shared = sum((gap * 10**d <= largest).astype(np.int64) for d in range(1, ALL_DIGITS))
    count = np.where(gap == 0, ALL_DIGITS, shared)
    return np.where(np.isfinite(results).all(axis=0), count, 0)


def true_digits(values: ArrayLike, exact: Doubles, size: ArrayLike | None = None) -> Doubles:
    """Return the correct decimal digits of values: -log10 of the relative error.

    At least 0, at most `PRECISION_IN_DIGITS`, also where the exact result rounds to the same half.
    0 where only one of both is infinite or NaN. The error is relative to the exact result, or to
    the smallest normal half if that is larger.

    size: the magnitude of a scale, in place of that of the exact results.
    """
    wide = np.asarray(values).astype(np.float64)
    right = error(values, exact) == 0
    with np.errstate(all="ignore"):
        largest = np.maximum(np.abs(exact), SMALLEST_NORMAL) if size is None else size
        count = -np.log10(np.abs(wide - exact) / largest)
    count = np.where(np.isfinite(wide) & np.isfinite(exact), count, 0.0)
    return np.where(
        right, PRECISION_IN_DIGITS, np.clip(count, 0, PRECISION_IN_DIGITS) + 0.0
    )  # no -0


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


def significant_digits(samples: object, size: ArrayLike | None = None) -> Doubles:
    """Estimate the significant decimal digits of the mean of results that were rounded at random.

    samples: the results of N runs, as the first axis. The digits are log10(sqrt(N) |mean| / (t s)),
    where s is the samples' standard deviation and t Student's for N - 1 degrees of freedom and
    95 %: at least 0, at most `PRECISION_IN_DIGITS`; 0 where a sample is infinite or NaN; NaN if N
    is less than `LEAST_SAMPLES`. The smallest normal half replaces a smaller mean: subnormal halves
    have fewer bits, and a result that is 0 has no digits of its own. But numbers of wider types
    that are smaller than all halves have digits of their own.

    size: the magnitude of a scale, in place of that of the mean.

    Source: J. Vignes, "A stochastic arithmetic for reliable scientific computation", Mathematics
    and Computers in Simulation 35, 1993 (the CESTAC method, of CADNA).
    """
    results = np.asarray(samples).astype(np.float64)
    count = results.shape[0]
    if count < LEAST_SAMPLES:
        return np.full(results.shape[1:], np.nan)
    finite = np.isfinite(results).all(axis=0)
    results = np.where(finite, results, 0)
    mean, deviation = np.abs(results.mean(axis=0)), results.std(axis=0, ddof=1)
    if size is None:
        are_halves = np.abs(results).max(axis=0) >= SMALLEST_SUBNORMAL
        size = np.where(are_halves, np.maximum(mean, SMALLEST_NORMAL), mean)
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = np.log10(
            math.sqrt(count) * np.asarray(size) / (students_t(count - 1) * deviation)
        )
    estimate = np.where(deviation == 0, PRECISION_IN_DIGITS, estimate)
    return np.where(finite, np.clip(estimate, 0, PRECISION_IN_DIGITS) + 0.0, 0.0)
