"""Elementary functions of intervals that are monotone, or even and monotone from 0 on.

The bounds of a monotone function are the function of the bounds, rounded outward once, as the
correctly rounded kernels compute it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from halfcl.interval._bounds.pairs import Bounds, kernel


@dataclasses.dataclass(frozen=True)
class Monotone:
    """A monotone function, by its name here and in halfcl."""

    name: str
    summary: str
    example: tuple[float, float]
    shown: str
    domain: str = ""  #: empty for all numbers
    source: str = "IEEE 1788-2015, 9.1 and 10.6.1"

    def docstring(self) -> str:
        """Return the docstring, in the format of other functions of bounds."""
        low, high = self.example
        domain = f"Domain: {self.domain}; numbers outside drop out.\n" if self.domain else ""
        return f"""Return {self.summary}

{domain}Accuracy: tightest.
Source: {self.source}.

>>> from halfcl import interval
>>> interval.{self.name}(interval.Interval({low:g}, {high:g}))
Interval('{self.shown}')
"""


def _make_function(row: Monotone) -> Callable[[Bounds], Bounds]:
    """Return the function of intervals that a row describes."""
    compute = kernel(row.name)

    def function(x: Bounds) -> Bounds:
        return compute(*x)

    function.__name__ = function.__qualname__ = row.name
    function.__doc__ = row.docstring()
    return function


_OWN = "Not in IEEE 1788-2015, but follows its rules"

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
    Monotone("log", "the natural logarithm.", (1, 4), "[0, 1.3868]", domain="(0, inf)"),
    Monotone("log2", "the logarithm to base 2.", (0.5, 4), "[-1, 2]", domain="(0, inf)"),
    Monotone("log10", "the logarithm to base 10.", (0.5, 100), "[-0.30127, 2]", domain="(0, inf)"),
    Monotone(
        "log1p",
        "the natural logarithm of 1 + x.",
        (-0.5, 3),
        "[-0.69336, 1.3868]",
        domain="(-1, inf)",
    ),
    Monotone("asin", "the arc sine.", (-0.5, 1), "[-0.52393, 1.5713]", domain="[-1, 1]"),
    Monotone("acos", "the arc cosine.", (-0.5, 1), "[0, 2.0958]", domain="[-1, 1]"),
    Monotone("atan", "the arc tangent.", (-0.5, 10), "[-0.46387, 1.4717]"),
    Monotone(
        "asinpi", "the arc sine, divided by pi.", (-0.5, 1), "[-0.16675, 0.5]", domain="[-1, 1]"
    ),
    Monotone(
        "acospi",
        "the arc cosine, divided by pi.",
        (-0.5, 1),
        "[0, 0.667]",
        domain="[-1, 1]",
    ),
    Monotone("atanpi", "the arc tangent, divided by pi.", (-0.5, 10), "[-0.14771, 0.46851]"),
    Monotone("sinh", "the hyperbolic sine.", (-1, 2), "[-1.1758, 3.627]"),
    Monotone(
        "cosh", "the hyperbolic cosine.", (-1, 2), "[1, 3.7637]", source="IEEE 1788-2015, 9.1"
    ),
    Monotone("tanh", "the hyperbolic tangent.", (-1, 2), "[-0.76172, 0.96436]"),
    Monotone("asinh", "the inverse hyperbolic sine.", (-1, 2), "[-0.88184, 1.4444]"),
    Monotone("acosh", "the inverse hyperbolic cosine.", (1, 2), "[0, 1.3174]", domain="[1, inf)"),
    Monotone(
        "atanh",
        "the inverse hyperbolic tangent.",
        (-0.5, 0.75),
        "[-0.54932, 0.97315]",
        domain="(-1, 1)",
    ),
    Monotone("cbrt", "the cube root.", (-8, 3), "[-2, 1.4424]"),
    Monotone(
        "rsqrt",
        "the reciprocal of the square root.",
        (0.5, 4),
        "[0.5, 1.4151]",
        domain="(0, inf)",
    ),
    Monotone("erf", "the error function.", (-1, 2), "[-0.84278, 0.99561]", source=_OWN),
    Monotone(
        "erfc",
        "1 minus the error function, without cancellation.",
        (-1, 2),
        "[0.0046768, 1.8428]",
        source=_OWN,
    ),
)


FUNCTIONS: dict[str, Callable[..., Bounds]] = {row.name: _make_function(row) for row in _ROWS}
#: The domains of functions that are not defined everywhere.
DOMAINS: dict[str, str] = {row.name: row.domain for row in _ROWS if row.domain}
#: The functions that raise no floating-point exceptions.
QUIET = frozenset(FUNCTIONS.values())
