"""The error of a result against a double, in ulps, by float64 arithmetic alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

MANTISSA_BITS = 11
LEAST_EXPONENT, GREATEST_EXPONENT = -24, 5
#: The value that an infinite result counts as: the successor of 65504.
BEYOND = 2**16


def errors(got: NDArray[Any], exact: NDArray[Any]) -> NDArray[Any]:
    """Return the errors of doubles; differences are rounded once, since units are powers of two."""
    exponent = np.frexp(np.where(np.isfinite(exact), exact, 1))[1] - MANTISSA_BITS
    exponent = np.clip(np.where(exact == 0, LEAST_EXPONENT, exponent), LEAST_EXPONENT,
                       GREATEST_EXPONENT)  # fmt: skip
    beyond = np.isinf(got) & np.isfinite(exact)
    counted = np.where(beyond, np.copysign(np.maximum(BEYOND, _same_side(got, exact)), got), got)
    same = (counted == exact) | (np.isnan(got) & np.isnan(exact))
    with np.errstate(all="ignore"):
        return np.where(same, 0.0, np.ldexp(counted - exact, -exponent))


def _same_side(got: NDArray[Any], exact: NDArray[Any]) -> NDArray[Any]:
    """Return the exact number's magnitude where it has the result's sign, else 0."""
    return np.where(np.signbit(got) == np.signbit(exact), np.abs(exact), 0)
