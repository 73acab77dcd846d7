"""Functions that decorate intervals, and return their decorations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfcl.interval._arrays.interval import Interval
from halfcl.interval._bounds.pairs import Truths
from halfcl.interval._decorated.array import DecoratedInterval, promote
from halfcl.interval._decorated.decorations import ILL, codes_of
from halfcl.interval._functions.making import empty


def _nai() -> DecoratedInterval:
    codes = np.array(ILL, np.uint8)
    codes.flags.writeable = False
    return DecoratedInterval.of(empty, codes)


#: Not an Interval.
nai = _nai()


def new_dec(x: object) -> DecoratedInterval:
    """Decorate intervals as strongly as possible: com, dac if unbounded, trv if empty.

    Parameters
    ----------
    x : Interval, half or number

    Returns
    -------
    DecoratedInterval
        A copy; decorated intervals keep their decorations.

    Notes
    -----
    Accuracy: exact. Source: IEEE 1788-2015, 10.5.2 and 11.5.

    Examples
    --------
    >>> from halfcl.interval import Interval, new_dec
    >>> new_dec(Interval([1, 2], [3, float("inf")]))
    DecoratedInterval(['[1, 3]_com', '[2, inf]_dac'])
    """
    return promote(x, "x").copy()


def set_dec(x: object, decoration: object) -> DecoratedInterval:
    """Set the decorations of intervals, which the caller asserts.

    Parameters
    ----------
    x : Interval, half or number
        Present decorations are replaced; NaI stays NaI.
    decoration : array_like of str or int
        As for `DecoratedInterval`, broadcast against x. Unbounded intervals get dac instead of com,
        empty ones trv instead of all others but ill.

    Returns
    -------
    DecoratedInterval

    Raises
    ------
    ValueError
        If a decoration is not one of the five, or shapes do not broadcast.

    Warns
    -----
    UndefinedOperationWarning
        If a decoration is ill; those elements become NaI.

    Notes
    -----
    Accuracy: exact. Source: IEEE 1788-2015, 10.5.2 and 11.5.

    Examples
    --------
    >>> from halfcl.interval import Interval, set_dec
    >>> set_dec(Interval([1, 2], [3, float("inf")]), "com")
    DecoratedInterval(['[1, 3]_com', '[2, inf]_dac'])
    """
    return DecoratedInterval(promote(x, "x"), decoration=codes_of(decoration))


def interval_part(x: object) -> Interval:
    """Return intervals without their decorations.

    Parameters
    ----------
    x : DecoratedInterval

    Returns
    -------
    Interval
        A copy; NaI becomes the empty set.

    Warns
    -----
    IntvlPartOfNaIWarning
        If an element of x is NaI.

    Notes
    -----
    Accuracy: exact. Source: IEEE 1788-2015, 10.5.2 and 12.12.

    Examples
    --------
    >>> from halfcl.interval import DecoratedInterval, interval_part
    >>> interval_part(DecoratedInterval("[1, 2]_dac"))
    Interval('[1, 2]')
    """
    return promote(x, "x").interval


def decoration_part(x: object) -> NDArray[np.str_] | str:
    """Return decorations as text: com, dac, def, trv, ill.

    Parameters
    ----------
    x : DecoratedInterval

    Returns
    -------
    array of str, or str

    Notes
    -----
    Accuracy: exact. Source: IEEE 1788-2015, 10.5.2.

    Examples
    --------
    >>> from halfcl.interval import DecoratedInterval, decoration_part
    >>> decoration_part(DecoratedInterval(["[1, 2]", "[1, 2]_dac"]))
    array(['com', 'dac'], dtype='<U3')
    """
    return promote(x, "x").decoration


def is_nai(x: object) -> Truths:
    """Return where x is Not an Interval; intervals without decorations never are.

    Parameters
    ----------
    x : DecoratedInterval

    Returns
    -------
    array of bool, or bool

    Notes
    -----
    Accuracy: exact. Source: IEEE 1788-2015, 12.12.9.

    Examples
    --------
    >>> from halfcl.interval import DecoratedInterval, is_nai
    >>> is_nai(DecoratedInterval(["[nai]", "[empty]"]))
    array([ True, False])
    """
    return np.equal(promote(x, "x")._codes, ILL)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (new_dec, set_dec, interval_part, decoration_part, is_nai)
}
