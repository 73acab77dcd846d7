"""Where rounding decides the result: code run again in other roundings (Kahan's test).

`rerun` runs a function of half arrays in the four rounding modes and at random, and says how
far its results lie apart; `blame` which step does it; `compare` sets formulas side by side.

>>> from halfcl import half, stability
>>> bool(stability.rerun(lambda x: (1 + x) - 1, half(0.01)).stable)
False
"""

from __future__ import annotations

from halfcl._support.names import publish
from halfcl.stability._blaming import Blame, Step, blame
from halfcl.stability._comparison import Comparison, compare
from halfcl.stability._measures import THRESHOLD
from halfcl.stability._programs._recording.watching import watch
from halfcl.stability._reruns import Rerun, rerun
from halfcl.stability._runs import Leaving, Parting
from halfcl.stability._sites import Place
from halfcl.stability._undecided import Doubt

__all__ = [
    "THRESHOLD",
    "Blame",
    "Comparison",
    "Doubt",
    "Leaving",
    "Parting",
    "Place",
    "Rerun",
    "Step",
    "blame",
    "compare",
    "rerun",
    "watch",
]

publish(globals())
