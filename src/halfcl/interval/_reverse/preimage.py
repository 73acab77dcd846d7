"""Sets of numbers that reverse operations intersect with an interval.

A branch is a closed interval of real numbers. Each end is known by the halves next to it: the end
rounded down and rounded up. These determine exactly whether an interval of halves meets the branch,
and the tightest interval around their intersection. The lower end may also be open where it is a
half: then the end rounded up is the next half.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

import halfcl as hc
from halfcl.interval._bounds.pairs import (
    Array,
    Bounds,
    as_arrays,
    entire,
    fill_like,
    make_empty,
    select,
)

#: A number rounded down and rounded up.
Ends: TypeAlias = tuple[Array, Array]


class Branch(NamedTuple):
    """Both roundings of the lower end and of the upper end; all are NaN for an empty branch."""

    least_down: Array
    least_up: Array
    greatest_down: Array
    greatest_up: Array

    def mirror(self) -> Branch:
        """Return the branch of the negated numbers."""
        return Branch(*(hc.negative(end) for end in reversed(self)))

    @classmethod
    def of(cls, least: Ends, greatest: Ends, opens: tuple[Array, Array]) -> Branch:
        """Return the branch with these roundings of its ends; ends that are open must be halves."""
        after = hc.nextafter(least[0], fill_like(np.inf, least[0]))
        before = hc.nextafter(greatest[1], fill_like(-np.inf, greatest[1]))
        return cls(
            least[0], select(opens[0], after, least[1]),
            select(opens[1], before, greatest[0]), greatest[1],
        )  # fmt: skip

    def where(self, condition: Array) -> Branch:
        """Return the branch, empty where the condition does not hold."""
        return Branch(*make_empty(~condition, *self[:2]), *make_empty(~condition, *self[2:]))

    def meet(self, x: Bounds) -> Bounds:
        """Return the tightest interval around the intersection with x."""
        meets = (self.least_up <= x[1]) & (x[0] <= self.greatest_down)
        lower, upper = hc.max(self.least_down, x[0]), hc.min(self.greatest_up, x[1])
        return make_empty(~meets, lower, upper)


def entire_if_none(x: Bounds | None, like: Bounds) -> Bounds:
    """Return the interval to intersect with, which is all numbers if there is none."""
    return entire(like[0]) if x is None else as_arrays(*x)


def round_down(approximate: Array, at_most: Callable[[Array], Array]) -> Array:
    """Return the greatest halves that are at most some numbers.

    The numbers are known as doubles, to less than the distance between halves. ``at_most(h)`` tests
    exactly whether halves are at most the numbers.
    """
    h = np.asarray(hc.convert_half_rtn(approximate))
    above = np.asarray(hc.nextafter(h, fill_like(np.inf, h)))
    h = select(at_most(above), above, h)
    return select(at_most(h), h, hc.nextafter(h, fill_like(-np.inf, h)))


def both_roundings(
    approximate: Array, at_most: Callable[[Array], Array], equal: Callable[[Array], Array]
) -> Ends:
    """Return numbers rounded down and rounded up.

    The numbers are known as for `round_down`; ``equal(h)`` tests whether halves are exactly equal
    to them.
    """
    down = round_down(approximate, at_most)
    return down, select(equal(down), down, hc.nextafter(down, fill_like(np.inf, down)))
