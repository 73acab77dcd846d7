"""Domains kept: arguments that rounding moved out of a function's domain are put back.

`sqrt`, `log` and the like take a function that computes their argument:

>>> import numpy as np
>>> from halfcl import half, safe
"""

from __future__ import annotations

from halfcl._support.names import publish
from halfcl.safe._functions import domains, make
from halfcl.safe._report import Call, Kept
from halfcl.safe._tracked import Tracked, track
from halfcl.safe._watching import NotFollowed

sqrt = make("sqrt")
rsqrt = make("rsqrt")
log = make("log")
log2 = make("log2")
log10 = make("log10")
log1p = make("log1p")
acosh = make("acosh")
asin = make("asin")
acos = make("acos")
asinpi = make("asinpi")
acospi = make("acospi")
atanh = make("atanh")

__all__ = [
    "Call",
    "Kept",
    "NotFollowed",
    "Tracked",
    "acos",
    "acosh",
    "acospi",
    "asin",
    "asinpi",
    "atanh",
    "domains",
    "log",
    "log1p",
    "log2",
    "log10",
    "rsqrt",
    "sqrt",
    "track",
]

publish(globals())
