"""Arrays of intervals that enclose results; each bound is exact, then rounded outward once.

The operations are those of IEEE 1788-2015's set-based flavour on half, under its names in
snake_case:

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

from halfcl._support.names import publish
from halfcl.interval import _protocols
from halfcl.interval._arrays.interval import Interval, _unpickled
from halfcl.interval._arrays.truth import Truth, UndecidedError
from halfcl.interval._decorated.array import DecoratedInterval, _unpickled_decorated
from halfcl.interval._decorated.values import IntvlPartOfNaIWarning, UndefinedOperationWarning
from halfcl.interval._formulas.forms import mean_value, taylor
from halfcl.interval._formulas.jet_arrays import vector
from halfcl.interval._formulas.ranges import LimitWarning, Range, range_of
from halfcl.interval._formulas.roots import Roots, roots
from halfcl.interval._formulas.solve import Solutions, solve
from halfcl.interval._functions import (
    decorating as _decorating,
    elementwise as _elementwise,
    numeric as _numeric,
    reductions as _reductions,
    relations as _relations,
    sums as _sums,
)
from halfcl.interval._functions.decorating import nai
from halfcl.interval._functions.making import empty, entire, from_values, to_text
from halfcl.interval._plotting import plot_band
from halfcl.interval._vectors import geometric as _geometric

_protocols.fill()
globals().update(_elementwise.FUNCTIONS)
globals().update(_relations.FUNCTIONS)
globals().update(_numeric.FUNCTIONS)
globals().update(_sums.FUNCTIONS)
globals().update(_reductions.FUNCTIONS)
globals().update(_geometric.FUNCTIONS)
globals().update(_decorating.FUNCTIONS)

__all__ = [
    "DecoratedInterval",
    "Interval",
    "IntvlPartOfNaIWarning",
    "LimitWarning",
    "Range",
    "Roots",
    "Solutions",
    "Truth",
    "UndecidedError",
    "UndefinedOperationWarning",
    "empty",
    "entire",
    "from_values",
    "mean_value",
    "nai",
    "plot_band",
    "range_of",
    "roots",
    "solve",
    "taylor",
    "to_text",
    "vector",
    *_elementwise.FUNCTIONS,
    *_relations.FUNCTIONS,
    *_numeric.FUNCTIONS,
    *_sums.FUNCTIONS,
    *_reductions.FUNCTIONS,
    *_geometric.FUNCTIONS,
    *_decorating.FUNCTIONS,
]

publish(globals(), _unpickled, _unpickled_decorated)

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
