"""Reruns of code in other rounding modes, which show where rounding decides (Kahan's test).

`rerun` runs a function of half arrays in the four rounding modes and at random, and reports how
far its results lie apart. `blame` finds the steps that cause it. `compare` runs several formulas
for one quantity.

>>> from halfcl import half, stability
>>> bool(stability.rerun(lambda x: (1 + x) - 1, half(0.01)).stable)
False
"""

from halfcl._support.names import publish
from halfcl.stability._blaming import Blame, Step, blame
from halfcl.stability._comparison import Comparison, compare
from halfcl.stability._enclosures.undecided import UndecidedComparison
from halfcl.stability._measures import THRESHOLD
from halfcl.stability._programs._recording.watching import watch
from halfcl.stability._reruns import Rerun, rerun
from halfcl.stability._runs import BranchDivergence, Promotion
from halfcl.stability._sites import CodeLocation

__all__ = [
    "THRESHOLD",
    "Blame",
    "BranchDivergence",
    "CodeLocation",
    "Comparison",
    "Promotion",
    "Rerun",
    "Step",
    "UndecidedComparison",
    "blame",
    "compare",
    "rerun",
    "watch",
]

publish(globals())
