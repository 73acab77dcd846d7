"""Sums, means, variances and their kin: exact, and rounded once. The functions are halfcl's own,
as ``halfcl.sum``; here is what they accumulate in."""

from __future__ import annotations

from halfcl._support.names import publish
from halfcl.reductions._accumulator import Accumulator

__all__ = ["Accumulator"]

publish(globals())
