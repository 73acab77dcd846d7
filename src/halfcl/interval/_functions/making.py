"""Conversion of values and text to intervals, and of intervals to text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl._support.arguments.integers import as_int
from halfcl.interval._arrays import text
from halfcl.interval._arrays.interval import Interval
from halfcl.interval._arrays.values import (
    as_bounds,
    check_order,
    check_reals,
    enclose,
    parse_numbers,
)
from halfcl.interval._bounds.pairs import HALF, Base
from halfcl.interval._decorated.array import DecoratedInterval, decorated_literal


def _constant(low: float, high: float) -> Interval:
    bounds = np.array(low, HALF), np.array(high, HALF)
    for bound in bounds:
        bound.flags.writeable = False
    return Interval.of(bounds)


#: The empty set, and all real numbers.
empty = _constant(np.nan, np.nan)
entire = _constant(-np.inf, np.inf)


def from_values(lo: object, hi: object = None) -> Interval:
    """Return the tightest intervals that enclose values, or the numbers between two values.

    Parameters
    ----------
    lo, hi : array_like
        Numbers of any kind: float64, float32, integers of any size, Fractions, Decimals, and
        text; arrays and lists of them. Without ``hi``, ``lo`` may be text that states
        an interval: ``"[1.25, 1.5]"``, ``"[1/3, 2/3]"``, ``"[empty]"``, ``"[entire]"``,
        ``"[, 3]"``, ``"1.5?2"`` (1.5, uncertain by 2 units of its last digit).

    Returns
    -------
    Interval

    Raises
    ------
    ValueError
        If a value is NaN, a lower bound is above its upper bound, or a text is not an interval.
    TypeError
        If a value is not a real number.

    Notes
    -----
    Accuracy: tightest; the exact values, rounded outward once. The exact value of ``0.1`` is the
    double, that of ``"0.1"`` the decimal number; the tightest half interval of both is the same.
    Source: IEEE 1788-2015, 9.7, 12.11, 12.12.7.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from halfcl.interval import from_values
    >>> from_values([0.1, 2, Fraction(1, 3)])
    Interval(['[0.099975, 0.10004]', '[2, 2]', '[0.33325, 0.3335]'])
    >>> from_values("[1/3, 2/3]"), from_values("1.5?2"), from_values(1e6)
    (Interval('[0.33325, 0.667]'), Interval('[1.2998, 1.7002]'), Interval('[65504, inf]'))
    """
    if hi is not None:
        lo, hi = parse_numbers(lo), parse_numbers(hi)
    below = enclose(lo, "lo")
    above = below if hi is None else enclose(hi, "hi")
    if hi is None:
        check_reals(below)
    else:
        check_order(below, above, lo, hi)
    low, high = np.broadcast_arrays(below[0], above[1])
    return Interval.of((low.copy(), high.copy()))


def to_text(x: object, digits: int | None = None) -> NDArray[np.str_] | str:
    """Return the text of intervals, which encloses them.

    Parameters
    ----------
    x : Interval
    digits : int, optional
        Significant decimal digits, rounded outward; by default, as many as are exact.

    Returns
    -------
    str, or array of str
        `from_values` of exact text returns x again.

    Notes
    -----
    Accuracy: exact, or rounded outward to the number of digits.

    >>> from halfcl.interval import from_values, to_text
    >>> to_text(from_values("0.1")), to_text(from_values("0.1"), digits=3)
    ('[0.0999755859375, 0.10003662109375]', '[0.0999, 0.101]')
    """
    if digits is not None and as_int("to_text: digits", digits) < 1:
        raise ValueError(f"to_text: digits: expected at least 1, got {digits}")
    numeral = text.significant(text.EXACT if digits is None else min(digits, text.EXACT))
    if isinstance(x, DecoratedInterval):
        texts = np.vectorize(decorated_literal, "U")(to_text(x._bare, digits), x.decoration)
        return texts if texts.ndim else str(texts)
    low, high = (hc.convert_double(v) for v in as_bounds(x if isinstance(x, Base) else Interval(x)))
    if np.ndim(low) == 0:
        return text.literal(float(low), float(high), numeral)
    texts = np.empty(np.shape(low), object)
    for index in np.ndindex(texts.shape):
        texts[index] = text.literal(float(low[index]), float(high[index]), numeral)
    return texts.astype(str) if texts.size else np.empty(texts.shape, "U1")
