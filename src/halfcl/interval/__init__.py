"""Intervals: arrays of enclosures, each bound the exact one rounded outward once.

The operations of IEEE 1788-2015's set-based flavour on half, by its names in snake_case:

>>> from halfcl import interval
>>> x = interval.Interval([1, 2], [3, 4])
>>> 1 / x, interval.sqr(x - 2)
(Interval(['[0.33325, 1]', '[0.25, 0.5]']), Interval(['[0, 1]', '[0, 4]']))
>>> interval.from_values("0.1")
Interval('[0.099975, 0.10004]')
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halfcl.interval import (
    decorated_making,
    functions,
    geometric,
    numeric,
    protocols,
    reductions,
    relations,
    sums,
)
from halfcl.interval.array import Interval
from halfcl.interval.decorated import DecoratedInterval
from halfcl.interval.decorated_making import nai
from halfcl.interval.decorated_values import IntvlPartOfNaIWarning, UndefinedOperationWarning
from halfcl.interval.making import empty, entire, from_values, to_text
from halfcl.interval.plotting import plot_band
from halfcl.names import publish

protocols.fill()
globals().update(functions.FUNCTIONS)
globals().update(relations.FUNCTIONS)
globals().update(numeric.FUNCTIONS)
globals().update(sums.FUNCTIONS)
globals().update(reductions.FUNCTIONS)
globals().update(geometric.FUNCTIONS)
globals().update(decorated_making.FUNCTIONS)

__all__ = [
    "DecoratedInterval",
    "Interval",
    "IntvlPartOfNaIWarning",
    "UndefinedOperationWarning",
    "empty",
    "entire",
    "from_values",
    "nai",
    "plot_band",
    "to_text",
    *functions.FUNCTIONS,
    *relations.FUNCTIONS,
    *numeric.FUNCTIONS,
    *sums.FUNCTIONS,
    *reductions.FUNCTIONS,
    *geometric.FUNCTIONS,
    *decorated_making.FUNCTIONS,
]

publish(__name__, map(globals().get, __all__))

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
