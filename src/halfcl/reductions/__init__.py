"""Exact reductions, rounded once: the state in which sums, means and variances accumulate.

The functions themselves are ``halfcl.sum`` and so on; here is `Accumulator`.
"""

from halfcl._support.names import publish
from halfcl.reductions._accumulator import Accumulator

__all__ = ["Accumulator"]

publish(globals())
