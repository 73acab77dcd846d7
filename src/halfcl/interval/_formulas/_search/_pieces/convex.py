"""Lower bounds of formulas on pieces from convex functions below them, in several variables.

Let M be the middle of the matrices of curvatures on a piece, and R their radius. With the slopes g
at a centre, f is at least f(c) + g s + s' M s / 2 - |s|' R |s| / 2 for a step s. If M is positive
definite, that has no lesser values than its tangent plane at any step, and at the least value the
plane is horizontal. If not, a multiple of a diagonal matrix is added, and subtracted again at its
greatest (the alpha-BB method of Adjiman et al. 1998).

Around a minimum, many small pieces have bounds that are hardly too low. If all matrices within R
are positive definite, f is convex, and its own tangent at the minimum is a bound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfcl.interval._formulas import doubles
from halfcl.interval._formulas.doubles import DoubleInterval, Doubles, point

Truths = NDArray[np.bool_]

#: The slack for rounding of eigenvalues, for each variable, of matrices with ones on the diagonal.
_SLACK = 1e-9
#: The least share of the largest diagonal element to which others are scaled, and the least one.
_FLAT, _LEAST = 2.0**-30, 2.0**-1000
#: How often steps are improved along each variable.
_SWEEPS = 3
#: The relative slack for rounding of sums of products that are not negative.
_ROUNDING = 2.0**-40


def matrices(
    curvatures: Mapping[tuple[int, int], DoubleInterval], falls: Truths, is_fixed: Truths
) -> tuple[Doubles, Doubles]:
    """Return the middles and radii of curvature matrices, one for each piece; radii are no less.

    falls: whether it is that of -f. is_fixed: the variables that do not change, which have ones.
    """
    number, count = is_fixed.shape
    middle, radius = np.zeros((2, count, number, number))
    signs = np.where(falls, -1.0, 1.0)
    for (i, j), x in curvatures.items():
        changes = ~(is_fixed[i] | is_fixed[j])
        own = np.where(changes, signs * (x.lo / 2 + x.hi / 2), 0.0)
        middle[:, i, j] = middle[:, j, i] = own
        radius[:, i, j] = radius[:, j, i] = np.where(
            changes, (x.hi / 2 - x.lo / 2) * (1 + _ROUNDING) + _ROUNDING * np.abs(own), 0.0
        )
    places, variables = np.nonzero(is_fixed.T)
    middle[places, variables, variables] = 1.0
    return middle, radius


class Scaled(NamedTuple):
    """Matrices with ones on the diagonal, their least eigenvalues, and the sizes of their radii."""

    scale: Doubles  #: the factors of variables, with a row per matrix; ones where it is unusable
    least: Doubles
    size: Doubles

    def are_definite(self) -> Truths:
        """Return whether all matrices within radii of the middle are positive definite."""
        return np.asarray(self.least > self.size + _SLACK * self.scale.shape[1])

    def shifts(self) -> Doubles:
        """Return what must be added to diagonals so that matrices are positive definite."""
        return np.asarray(np.maximum(_SLACK * self.scale.shape[1] - self.least, 0.0))


def scale_matrices(middle: Doubles, radius: Doubles) -> Scaled:
    """Return how matrices are scaled, which changes no sign of an eigenvalue, and what they are.

    Diagonals that are not positive have ones, too. Least eigenvalues of -inf are unknown.
    """
    diagonal = np.abs(np.diagonal(middle, axis1=1, axis2=2))
    is_finite: Truths = np.asarray(np.isfinite(middle) & np.isfinite(radius))
    usable = np.logical_and.reduce(is_finite, axis=(1, 2))
    diagonal = np.maximum(diagonal, _FLAT * diagonal.max(axis=1, initial=0.0)[:, None])
    scale = 1 / np.sqrt(np.where((diagonal > 0) & usable[:, None], diagonal, 1.0))
    scales = scale[:, :, None] * scale[:, None, :]
    usable &= np.isfinite(middle * scales).all(axis=(1, 2))
    size = np.where(usable, (radius * scales).sum(axis=2).max(axis=1), np.inf)
    least = np.full(usable.shape, -np.inf)
    if usable.any():
        own = (middle * scales)[usable]
        error = _SLACK * (np.abs(own).max(axis=(1, 2)) - 1)  # entries may be more than one
        least[usable] = np.linalg.eigvalsh(own)[:, 0] - np.maximum(error, 0.0)
    return Scaled(scale, least, size)


def minimizers(middle: Doubles, slopes: Doubles, low: Doubles, high: Doubles) -> Doubles:
    """Return steps within bounds at which convex quadratic functions are close to their least.

    slopes: at zero. All but the matrices have a row per variable.
    """
    step = -np.linalg.solve(middle, slopes.T[:, :, None])[:, :, 0].T
    step = np.clip(np.where(np.isfinite(step), step, 0.0), low, high)
    for _ in range(_SWEEPS):
        for i in range(len(step)):
            own = np.maximum(middle[:, i, i], _LEAST)
            change = slopes[i] + np.einsum("pj,jp->p", middle[:, i], step)
            moved = step[i] - change / own
            step[i] = np.clip(np.where(np.isfinite(moved), moved, step[i]), low[i], high[i])
    return np.asarray(step, np.float64)


def quadratic_bounds(
    middle: Doubles,
    radius: Doubles,
    matrices_scaled: Scaled,
    value: Doubles,
    slopes: tuple[Doubles, Doubles],
    steps: Sequence[DoubleInterval],
) -> Doubles:
    """Return lower bounds of f on pieces.

    value: lower bounds at centres. slopes: the bounds of slopes there, with a row per variable.
    steps: the distances of pieces from centres.
    """
    number, usable = len(steps), matrices_scaled.least > -np.inf
    shift = np.where(usable, matrices_scaled.shifts(), 0.0)[:, None] / matrices_scaled.scale**2
    convex = np.where(usable[:, None, None], middle, np.eye(number))
    convex[:, range(number), range(number)] += shift
    low, high = (np.stack([getattr(x, end) for x in steps]) for end in ("lo", "hi"))
    at = minimizers(convex, slopes[0] / 2 + slopes[1] / 2, low, high)
    matrix = [[point(convex[:, i, j]) for j in range(number)] for i in range(number)]
    total, half = point(value), point(0.5)
    for i in range(number):
        own, slope = point(at[i]), DoubleInterval(slopes[0][i], slopes[1][i])
        product = reduce(doubles.add, [doubles.mul(matrix[i][j], point(at[j]))
                                       for j in range(number)])  # fmt: skip
        mean = doubles.add(slope, doubles.mul(half, product))
        total = doubles.add(total, doubles.mul(mean, own))
        rest = doubles.mul(doubles.add(slope, product), doubles.sub(steps[i], own))
        total = doubles.add(total, rest)
    sizes = np.maximum(-low, high)
    lost = np.einsum("pij,ip,jp->p", radius, sizes, sizes) + np.einsum(
        "pi,ip->p", shift, sizes * sizes
    )
    lost = lost / 2 * (1 + _ROUNDING)
    bound = doubles.sub(total, point(lost)).lo
    return np.where(np.isfinite(bound) & usable, bound, -np.inf)
