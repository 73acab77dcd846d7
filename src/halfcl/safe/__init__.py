"""Functions that keep arguments in their domain: those that rounding moved out are put back.

`sqrt`, `log` and similar functions accept a function that computes their argument:

`sqrt`, `log` and the like take a function that computes their argument:

>>> import numpy as np
>>> from halfcl import half, safe
"""

from halfcl._support.names import publish
from halfcl.safe._functions import domains, make_function
from halfcl.safe._report import DomainCall, DomainReport
from halfcl.safe._tracked import Tracked, track
from halfcl.safe._watching import UntrackedError

sqrt = make_function("sqrt")
rsqrt = make_function("rsqrt")
log = make_function("log")
log2 = make_function("log2")
log10 = make_function("log10")
log1p = make_function("log1p")
acosh = make_function("acosh")
asin = make_function("asin")
acos = make_function("acos")
asinpi = make_function("asinpi")
acospi = make_function("acospi")
atanh = make_function("atanh")

__all__ = [
    "DomainCall",
    "DomainReport",
    "Tracked",
    "UntrackedError",
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
