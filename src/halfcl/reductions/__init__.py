"""Sums, means, variances and their kin: exact, and rounded once."""

from __future__ import annotations

from halfcl.names import publish
from halfcl.reductions.accumulator import Accumulator
from halfcl.reductions.functions import reduce_for_numpy
from halfcl.reductions.public import FUNCTIONS

__all__ = ["FUNCTIONS", "Accumulator", "reduce_for_numpy"]

publish(__name__, map(globals().get, __all__))
