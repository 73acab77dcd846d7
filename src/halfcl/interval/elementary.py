"""Elementary functions of intervals that are monotone, or even and monotone from 0 on.

The bounds of a monotone function are the function of the bounds, rounded outward once: what the
correctly rounded kernels give.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

import halfcl as hc
from halfcl.interval.bounds import INF, NAN, ONE, TINY, ZERO, Bounds, both, magnitudes, select

_NEXT_TO_ONE = hc.half(1 - 2.0**-11)


@dataclasses.dataclass(frozen=True)
class Domain:
    """Where a function has values.

    An interval meets the domain if it reaches ``reach[0]`` from below and ``reach[1]`` from
    above; what is outside of ``clip``, the domain's closure, is cut off. An open end is one that
    intervals have to reach beyond, to the next half.
    """

    text: str
    clip: tuple[Any, Any]
    reach: tuple[Any, Any]

    def part(self, x: Bounds) -> Bounds:
        """What of an interval is inside. Where a bound of the domain is 0, it is +0."""
        lower = select(x[0] <= self.clip[0], self.clip[0], x[0])
        lower = select(x[1] < self.reach[0], NAN, lower)
        if self.clip[1] == INF:
            return lower, select(lower != lower, NAN, x[1])
        lower = select(x[0] > self.reach[1], NAN, lower)
        upper = select(x[1] >= self.clip[1], self.clip[1], x[1])
        return lower, select(lower != lower, NAN, upper)


_POSITIVE = Domain("(0, inf)", (ZERO, INF), (TINY, INF))
_ABOVE_MINUS_ONE = Domain("(-1, inf)", (-ONE, INF), (-_NEXT_TO_ONE, INF))
_FROM_ONE = Domain("[1, inf)", (ONE, INF), (ONE, INF))
_UP_TO_ONE = Domain("[-1, 1]", (-ONE, ONE), (-ONE, ONE))
_BELOW_ONE = Domain("(-1, 1)", (-ONE, ONE), (-_NEXT_TO_ONE, _NEXT_TO_ONE))


@dataclasses.dataclass(frozen=True)
class Monotone:
    """A monotone function: its name here and in halfcl, which way it goes, its domain."""

    name: str
    summary: str
    example: tuple[float, float]
    shown: str
    rising: bool = True
    domain: Domain | None = None
    source: str = "IEEE 1788-2015, 9.1 and 10.6.1"

    def docstring(self) -> str:
        """As other functions of bounds have it."""
        low, high = self.example
        domain = f"Domain: {self.domain.text}; what is outside drops out.\n" if self.domain else ""
        return f"""{self.summary}

{domain}Accuracy: tightest.
Source: {self.source}.

>>> from halfcl import interval
>>> interval.{self.name}(interval.Interval({low:g}, {high:g}))
Interval('{self.shown}')
"""


def _function(row: Monotone) -> Callable[[Bounds], Bounds]:
    """The function of intervals that a row describes."""
    down, up = getattr(hc, row.name).rtn, getattr(hc, row.name).rtp

    def rising(x: Bounds) -> Bounds:
        return both(down(x[0]), up(x[1]))

    def falling(x: Bounds) -> Bounds:
        return both(down(x[1]), up(x[0]))

    everywhere, domain = rising if row.rising else falling, row.domain
    if domain is None:
        return _named(everywhere, row)

    def function(x: Bounds) -> Bounds:
        # The flags of a correctly rounded function say whether anything is outside of the
        # domain or at its open end: no comparison is as fast.
        try:
            with np.errstate(all="ignore", invalid="raise", divide="raise"):
                return everywhere(x)
        except FloatingPointError:
            with np.errstate(all="ignore"):
                return everywhere(domain.part(x))

    return _named(function, row)


def _named(function: Callable[[Bounds], Bounds], row: Monotone) -> Callable[[Bounds], Bounds]:
    function.__name__ = function.__qualname__ = row.name
    function.__doc__ = row.docstring()
    return function


_BESIDE = "Not in IEEE 1788-2015, but by its rules"

_ROWS = (
    Monotone("exp", "e to the power x.", (-1, 2), "[0.36767, 7.3907]"),
    Monotone("exp2", "2 to the power x.", (-1, 3), "[0.5, 8]"),
    Monotone("exp10", "10 to the power x.", (-1, 2), "[0.099975, 100]"),
    Monotone(
        "expm1",
        "e to the power x, minus 1, without cancellation near 0.",
        (-1, 2),
        "[-0.63233, 6.3907]",
    ),
    Monotone("log", "Natural logarithm.", (1, 4), "[0, 1.3868]", domain=_POSITIVE),
    Monotone("log2", "Logarithm to base 2.", (0.5, 4), "[-1, 2]", domain=_POSITIVE),
    Monotone("log10", "Logarithm to base 10.", (0.5, 100), "[-0.30127, 2]", domain=_POSITIVE),
    Monotone(
        "log1p",
        "Natural logarithm of 1 + x.",
        (-0.5, 3),
        "[-0.69336, 1.3868]",
        domain=_ABOVE_MINUS_ONE,
    ),
    Monotone("asin", "Arc sine.", (-0.5, 1), "[-0.52393, 1.5713]", domain=_UP_TO_ONE),
    Monotone("acos", "Arc cosine.", (-0.5, 1), "[0, 2.0958]", rising=False, domain=_UP_TO_ONE),
    Monotone("atan", "Arc tangent.", (-0.5, 10), "[-0.46387, 1.4717]"),
    Monotone("asinpi", "Arc sine, divided by pi.", (-0.5, 1), "[-0.16675, 0.5]", domain=_UP_TO_ONE),
    Monotone(
        "acospi",
        "Arc cosine, divided by pi.",
        (-0.5, 1),
        "[0, 0.667]",
        rising=False,
        domain=_UP_TO_ONE,
    ),
    Monotone("atanpi", "Arc tangent, divided by pi.", (-0.5, 10), "[-0.14771, 0.46851]"),
    Monotone("sinh", "Hyperbolic sine.", (-1, 2), "[-1.1758, 3.627]"),
    Monotone("tanh", "Hyperbolic tangent.", (-1, 2), "[-0.76172, 0.96436]"),
    Monotone("asinh", "Inverse hyperbolic sine.", (-1, 2), "[-0.88184, 1.4444]"),
    Monotone("acosh", "Inverse hyperbolic cosine.", (1, 2), "[0, 1.3174]", domain=_FROM_ONE),
    Monotone(
        "atanh",
        "Inverse hyperbolic tangent.",
        (-0.5, 0.75),
        "[-0.54932, 0.97315]",
        domain=_BELOW_ONE,
    ),
    Monotone("cbrt", "Cube root.", (-8, 3), "[-2, 1.4424]"),
    Monotone(
        "rsqrt",
        "1 divided by the square root.",
        (0.5, 4),
        "[0.5, 1.4151]",
        rising=False,
        domain=_POSITIVE,
    ),
    Monotone("erf", "Error function.", (-1, 2), "[-0.84278, 0.99561]", source=_BESIDE),
    Monotone(
        "erfc",
        "1 minus the error function, without cancellation.",
        (-1, 2),
        "[0.0046768, 1.8428]",
        rising=False,
        source=_BESIDE,
    ),
)


def cosh(x: Bounds) -> Bounds:
    """Hyperbolic cosine.

    Accuracy: tightest.
    Source: IEEE 1788-2015, 9.1.

    >>> from halfcl import interval
    >>> interval.cosh(interval.Interval(-1, 2))
    Interval('[1, 3.7637]')
    """
    least, greatest = magnitudes(x)
    return both(hc.cosh_rtn(least), hc.cosh_rtp(greatest))


FUNCTIONS: dict[str, Callable[..., Bounds]] = {row.name: _function(row) for row in _ROWS}
FUNCTIONS |= {"cosh": cosh}
#: Of those that are not defined everywhere.
DOMAINS = {row.name: row.domain.text for row in _ROWS if row.domain}
#: Those that raise no floating-point exceptions.
QUIET = frozenset(FUNCTIONS[row.name] for row in _ROWS if row.domain)
