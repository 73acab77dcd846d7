"""Elementary functions of intervals that are monotone, or even and monotone from 0 on.

The bounds of a monotone function are the function of the bounds, rounded outward once, as the
correctly rounded kernels compute it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import halfcl as hc
from halfcl._tables import ROWS
from halfcl._tables.row import ALL_NUMBERS, Domain
from halfcl.interval._bounds.documentation import document
from halfcl.interval._bounds.pairs import Bounds, Halves, as_arrays, kernel, make_empty, select


@dataclasses.dataclass(frozen=True)
class Elementary:
    """A function of one number, by its name here and in halfcl."""

    name: str
    summary: str
    example: tuple[float, float]
    shown: str
    source: str = "IEEE 1788-2015, 9.1 and 10.6.1"
    has_kernel: bool = True  #: one of intervals
    note: str = ""
    poles: str = ""  #: the domain in words, if it has gaps

    @property
    def domain(self) -> Domain:
        """The numbers that the function is defined on, without gaps."""
        return ROWS[self.name].domain

    def docstring(self) -> str:
        """Return the docstring: a summary, a note and an example."""
        low, high = self.example
        note = f"\n\n{self.note}" if self.note else ""
        return f"""Return {self.summary}{note}

>>> from halfcl import interval
>>> interval.{self.name}(interval.Interval({low:g}, {high:g}))
Interval('{self.shown}')"""


def make_function(row: Elementary) -> Callable[[Bounds], Bounds]:
    """Return the function of intervals that a row describes."""
    compute = kernel(row.name) if row.has_kernel else _rising(getattr(hc, row.name), row.domain)

    def function(x: Bounds) -> Bounds:
        return compute(*x)

    function.__name__ = function.__qualname__ = row.name
    function.__doc__ = row.docstring()
    domain = f"{row.domain}; numbers outside drop out" if row.domain != ALL_NUMBERS else row.poles
    return document(source=row.source, domain=domain)(function)


def _rising(function: hc.Function, domain: Domain) -> Callable[..., Bounds]:
    """Return a rising function of bounds, which is -inf at the lower end of an open domain."""
    if domain == ALL_NUMBERS:
        return lambda low, high: as_arrays(function.rtn(low), function.rtp(high))
    end = hc.half(domain.low)

    def compute(low: Halves, high: Halves) -> Bounds:
        least = function.rtn(select(low > end, low, end))
        return make_empty(~(high > end), least, function.rtp(high))

    return compute


_OWN = "Not in IEEE 1788-2015, but follows its rules"
_C23, _OPENCL = "IEEE 1788-2015, 10.6.1", "OpenCL C, Common Functions"

_ROWS = (
    Elementary("exp", "e to the power x.", (-1, 2), "[0.36767, 7.3907]"),
    Elementary("exp2", "2 to the power x.", (-1, 3), "[0.5, 8]"),
    Elementary("exp10", "10 to the power x.", (-1, 2), "[0.099975, 100]"),
    Elementary(
        "expm1", "e to the power x, minus 1, without cancellation near 0.",
        (-1, 2), "[-0.63233, 6.3907]",
    ),
    Elementary("log", "the natural logarithm.", (1, 4), "[0, 1.3868]"),
    Elementary("log2", "the logarithm to base 2.", (0.5, 4), "[-1, 2]"),
    Elementary("log10", "the logarithm to base 10.", (0.5, 100), "[-0.30127, 2]"),
    Elementary("log1p", "the natural logarithm of 1 + x.", (-0.5, 3), "[-0.69336, 1.3868]"),
    Elementary("asin", "the arc sine.", (-0.5, 1), "[-0.52393, 1.5713]"),
    Elementary("acos", "the arc cosine.", (-0.5, 1), "[0, 2.0958]"),
    Elementary("atan", "the arc tangent.", (-0.5, 10), "[-0.46387, 1.4717]"),
    Elementary("asinpi", "the arc sine, divided by pi.", (-0.5, 1), "[-0.16675, 0.5]"),
    Elementary("acospi", "the arc cosine, divided by pi.", (-0.5, 1), "[0, 0.667]"),
    Elementary("atanpi", "the arc tangent, divided by pi.", (-0.5, 10), "[-0.14771, 0.46851]"),
    Elementary("sinh", "the hyperbolic sine.", (-1, 2), "[-1.1758, 3.627]"),
    Elementary(
        "cosh", "the hyperbolic cosine.", (-1, 2), "[1, 3.7637]", source="IEEE 1788-2015, 9.1"
    ),
    Elementary("tanh", "the hyperbolic tangent.", (-1, 2), "[-0.76172, 0.96436]"),
    Elementary("asinh", "the inverse hyperbolic sine.", (-1, 2), "[-0.88184, 1.4444]"),
    Elementary("acosh", "the inverse hyperbolic cosine.", (1, 2), "[0, 1.3174]"),
    Elementary("atanh", "the inverse hyperbolic tangent.", (-0.5, 0.75), "[-0.54932, 0.97315]"),
    Elementary("cbrt", "the cube root.", (-8, 3), "[-2, 1.4424]"),
    Elementary("rsqrt", "the reciprocal of the square root.", (0.5, 4), "[0.5, 1.4151]"),
    Elementary("erf", "the error function.", (-1, 2), "[-0.84278, 0.99561]", source=_OWN),
    Elementary(
        "erfc", "1 minus the error function, without cancellation.",
        (-1, 2), "[0.0046768, 1.8428]", source=_OWN,
    ),
    Elementary(
        "exp2m1", "2 to the power x, minus 1, without cancellation near 0.",
        (-1, 3), "[-0.5, 7]", source=_C23, has_kernel=False,
    ),
    Elementary(
        "exp10m1", "10 to the power x, minus 1, without cancellation near 0.",
        (-1, 2), "[-0.9004, 99]", source=_C23, has_kernel=False,
    ),
    Elementary(
        "log2p1", "the logarithm of 1 + x to base 2.", (-0.5, 3), "[-1, 2]",
        source=_C23, has_kernel=False,
    ),
    Elementary(
        "log10p1", "the logarithm of 1 + x to base 10.", (-0.5, 9), "[-0.30127, 1]",
        source=_C23, has_kernel=False,
    ),
    Elementary(
        "degrees", "an angle in radians as degrees.", (-1, 2), "[-57.313, 114.63]",
        source=_OPENCL, has_kernel=False,
    ),
    Elementary(
        "radians", "an angle in degrees as radians.", (-45, 180), "[-0.78565, 3.1426]",
        source=_OPENCL, has_kernel=False,
    ),
)  # fmt: skip


FUNCTIONS: dict[str, Callable[..., Bounds]] = {row.name: make_function(row) for row in _ROWS}
#: The functions that raise no floating-point exceptions.
QUIET = frozenset(FUNCTIONS[row.name] for row in _ROWS if row.has_kernel)
