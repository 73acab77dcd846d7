"""Moves the numbers that a reference run loses, to show which results depend on them.

A few functions exist for halves alone, such as `numpy.nextafter`. In a reference run they get the
halves nearest to its numbers, and what they return goes on as wide numbers, though it is off. Two
more runs, the probes, move it: each number in the first probe up or down, at random, and in the
second by as much the other way. What the function would return for the wide number lies between
both. Movements are fractions of ulps, so that those of several numbers cancel by no chance.

A result is untouched if both probes give the same bits as the reference run. What a program
computes from a moved number moves, too, unless it is a decision: a comparison, an integer, a last
printed digit. A decision that is the same at both ends is the same between them, since steps of
arithmetic and comparisons are monotone in each number over so short a way. Everything else counts
as touched: results that a probe lacks, that have other words or shapes there, and all of them if a
probe fails.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: The directions of the two probes.
DIRECTIONS = (1, -1)

#: By function, how many times smaller or larger what it returns may be, as powers of 2, at least
#: and at most: some ulps for neighbours, and more than twice for ulps, which double where their
#: number reaches a power of 2. What other functions of halves return may be anything.
_ULP = 2.0**-9
POWERS = {
    **dict.fromkeys(("nextafter", "nextup", "nextdown"), (_ULP, 3 * _ULP)),
    **dict.fromkeys(("spacing", "ulp"), (1.0, 2.0)),
}

#: The least movement: an ulp of zero.
_SMALLEST = 2.0**-24

_SEED = 16


class Mover:
    """Moves numbers in one of the probes; each run draws the same random numbers.

    direction: 1 or -1.
    """

    def __init__(self, direction: int):
        self._direction = direction
        self._random = np.random.Generator(np.random.PCG64(_SEED))  # not one of the program's

    def move(self, x: NDArray[Any], function: str) -> NDArray[Any]:
        """Return numbers that a function of `POWERS` has returned, each moved by what it may be.

        >>> import numpy as np
        >>> from halfcl.stability._programs._reference.probing import Mover
        >>> x = np.array([1.0, -2.0])
        >>> up, down = (Mover(direction).move(x, "nextup") for direction in (1, -1))
        >>> (up != x).all(), np.allclose(up * down, x * x, rtol=1e-5)
        (np.True_, True)
        """
        signs = self._direction * self._random.choice((-1, 1), x.shape)
        powers = signs * self._random.uniform(*POWERS[function], x.shape)
        with np.errstate(all="ignore"):
            addend = np.copysign(_SMALLEST * (1 + np.abs(powers)), x * signs)
            return np.asarray(x * 2.0**powers + addend).astype(x.dtype)
