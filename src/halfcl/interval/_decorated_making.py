"""Decorating intervals, and what decorations are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfcl.interval._array import Interval
from halfcl.interval._bounds import Truths
from halfcl.interval._decorated import DecoratedInterval, promoted
from halfcl.interval._decorations import ILL, codes_of
from halfcl.interval._making import empty


def _nai() -> DecoratedInterval:
    codes = np.array(ILL, np.uint8)
    codes.flags.writeable = False
    return DecoratedInterval.of(empty, codes)


#: Not an Interval.
nai = _nai()


def new_dec(x: object) -> DecoratedInterval:
    """Intervals with the strongest decoration that they can have: com, dac if unbounded, trv if
    empty.

    Parameters
    ----------
    x : Interval, half or number

    Returns
    -------
    DecoratedInterval
        A copy; of decorated intervals as they are.

    Notes
    -----
    Accuracy: exact. Source: IEEE 1788-2015, 10.5.2 and 11.5.

    Examples
    --------
    >>> from halfcl.interval import Interval, new_dec
    >>> new_dec(Interval([1, 2], [3, float("inf")]))
    DecoratedInterval(['[1, 3]_com', '[2, inf]_dac'])
    """
    return promoted(x, "x").copy()


def set_dec(x: object, decoration: object) -> DecoratedInterval:
    """Intervals with decorations: an assertion of whoever calls.

    Parameters
    ----------
    x : Interval, half or number
        Of decorated intervals the interval counts; NaI stays that.
    decoration : array_like of str or int
        As of `DecoratedInterval`, broadcast against x. What is unbounded gets dac for com, what is
        empty trv for all but ill.

    Returns
    -------
    DecoratedInterval

    Raises
    ------
    ValueError
        If a decoration is none of the five, or shapes do not broadcast.

    Warns
    -----
    UndefinedOperationWarning
        Where the decoration is ill: those elements are NaI.

    Notes
    -----
    Accuracy: exact. Source: IEEE 1788-2015, 10.5.2 and 11.5.

    Examples
    --------
    >>> from halfcl.interval import Interval, set_dec
    >>> set_dec(Interval([1, 2], [3, float("inf")]), "com")
    DecoratedInterval(['[1, 3]_com', '[2, inf]_dac'])
    """
    return DecoratedInterval(promoted(x, "x"), decoration=codes_of(decoration))


def interval_part(x: object) -> Interval:
    """Intervals without their decorations.

    Parameters
    ----------
    x : DecoratedInterval

    Returns
    -------
    Interval
        A copy; of NaI the empty set.

    Warns
    -----
    IntvlPartOfNaIWarning
        Where x is NaI.

    Notes
    -----
    Accuracy: exact. Source: IEEE 1788-2015, 10.5.2 and 12.12.

    Examples
    --------
    >>> from halfcl.interval import DecoratedInterval, interval_part
    >>> interval_part(DecoratedInterval("[1, 2]_dac"))
    Interval('[1, 2]')
    """
    return promoted(x, "x").interval


def decoration_part(x: object) -> NDArray[np.str_] | str:
    """Decorations as text: com, dac, def, trv, ill.

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
    return promoted(x, "x").decoration


def is_nai(x: object) -> Truths:
    """Where x is Not an Interval; intervals without decorations never are.

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
    return np.equal(promoted(x, "x")._codes, ILL)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (new_dec, set_dec, interval_part, decoration_part, is_nai)
}
