"""Fits the polynomials of csrc/kernels, and prints the header with their coefficients.

    python tools/make_polynomials.py > csrc/kernels/coefficients.h

Needs mpmath and NumPy. Each row is fitted for the least greatest error, relative to the function
unless it says otherwise, with coefficients that are floats: they are rounded one after the other,
from the first, and those that follow are fitted again to make up for it.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass

import mpmath as mp
import numpy as np

mp.mp.dps = 40
POINTS = 400
LAWSON_STEPS = 60


@dataclass(frozen=True)
class Fit:
    """function(x) ~ sum of coefficient * x**power for low <= x <= high.

    fixed: the first coefficients, where they are to be exact. relative: to the function, else the
    absolute error counts.
    """

    name: str
    comment: str
    function: Callable
    low: float
    high: float
    powers: tuple[int, ...]
    fixed: tuple[float, ...] = ()
    relative: bool = True


FITS: tuple[Fit, ...] = ()


def chebyshev_points(low, high):
    angles = (np.arange(POINTS) + 0.5) * np.pi / POINTS
    return low + (high - low) * (1 - np.cos(angles)) / 2


def minimax(columns, target):
    """The combination of columns nearest to target in the greatest error (Lawson's algorithm)."""
    weights = np.full(target.size, 1 / target.size)
    best, least = None, np.inf
    for _ in range(LAWSON_STEPS):
        root = np.sqrt(weights)
        solution = np.linalg.lstsq(columns * root[:, None], target * root, rcond=None)[0]
        error = np.abs(columns @ solution - target)
        if error.max() < least:
            best, least = solution, error.max()
        weights *= error
        weights /= weights.sum()
    return best


def coefficients(fit):
    """Floats, and the greatest error that they leave as a power of two."""
    x = chebyshev_points(fit.low, fit.high)
    # The error is taken from more digits than a double has, since the fit is nearly as good.
    values = [fit.function(mp.mpf(float(point))) for point in x]
    scale = np.array([float(abs(value)) for value in values]) if fit.relative else np.ones_like(x)
    found = [np.float32(c) for c in fit.fixed]

    def rest(count):
        """What the first coefficients leave of the function, over the scale."""
        pairs = zip(x, values, scale, strict=True)
        terms = list(zip(found[:count], fit.powers, strict=False))
        return np.array(
            [
                float((v - mp.fsum(mp.mpf(float(c)) * mp.mpf(float(p)) ** k for c, k in terms)) / s)
                for p, v, s in pairs
            ]
        )

    while len(found) < len(fit.powers):
        # Columns scaled to the interval keep the least squares well conditioned.
        reach = max(abs(fit.low), abs(fit.high))
        powers = fit.powers[len(found) :]
        columns = np.stack([(x / reach) ** k / scale for k in powers], axis=1)
        solution = minimax(columns, rest(len(found)))
        found.append(np.float32(solution[0] / reach ** powers[0]))
    return found, np.abs(rest(len(found))).max()


def declaration(fit):
    found, error = coefficients(fit)
    kind = "relative" if fit.relative else "absolute"
    values = ", ".join(f"{float(c).hex()}f" for c in found)
    print(f"{fit.name}: {kind} error 2^{np.log2(error):.1f}", file=sys.stderr)
    return (
        f"/* {fit.comment} on [{fit.low:g}, {fit.high:g}], powers {list(fit.powers)};\n"
        f" * {kind} error 2^{np.log2(error):.1f}. */\n"
        f"static const float {fit.name}[] = {{{values}}};\n"
    )


def main():
    print("/* Coefficients of polynomials, by the command: python tools/make_polynomials.py */")
    print("#ifndef HALFCL_COEFFICIENTS_H\n#define HALFCL_COEFFICIENTS_H\n")
    for fit in FITS:
        print(declaration(fit))
    print("#endif")


if __name__ == "__main__":
    main()
