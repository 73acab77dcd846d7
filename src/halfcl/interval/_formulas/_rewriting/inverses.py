"""Functions of inverse functions, as products of powers and roots.

cos(atan z) is 1 / sqrt(1 + z^2). These hold wherever the inverse function is defined, by its
range: cosines of arcs of sines and tangents are not negative, nor are sines of arcs of cosines and
hyperbolic sines of acosh.
"""

from __future__ import annotations

from typing import NamedTuple


class Composition(NamedTuple):
    """z^power times root^of_root, for the root of a + b z^2."""

    power: int
    of_root: int = 0
    square: tuple[int, int] = (1, 0)  #: a, b


_CIRCLE, _PLUS, _MINUS = (1, -1), (1, 1), (-1, 1)
_SELF = Composition(1)

#: By the names of a function and of the inverse function that is its operand.
COMPOSITIONS: dict[tuple[str, str], Composition] = {
    ("sin", "asin"): _SELF,
    ("cos", "asin"): Composition(0, 1, _CIRCLE),
    ("tan", "asin"): Composition(1, -1, _CIRCLE),
    ("cos", "acos"): _SELF,
    ("sin", "acos"): Composition(0, 1, _CIRCLE),
    ("tan", "acos"): Composition(-1, 1, _CIRCLE),
    ("tan", "atan"): _SELF,
    ("sin", "atan"): Composition(1, -1, _PLUS),
    ("cos", "atan"): Composition(0, -1, _PLUS),
    ("sinh", "asinh"): _SELF,
    ("cosh", "asinh"): Composition(0, 1, _PLUS),
    ("tanh", "asinh"): Composition(1, -1, _PLUS),
    ("cosh", "acosh"): _SELF,
    ("sinh", "acosh"): Composition(0, 1, _MINUS),
    ("tanh", "acosh"): Composition(-1, 1, _MINUS),
    ("tanh", "atanh"): _SELF,
    ("sinh", "atanh"): Composition(1, -1, _CIRCLE),
    ("cosh", "atanh"): Composition(0, -1, _CIRCLE),
    ("exp", "log"): _SELF,
}
