"""A small linear system: elimination in order, with pivots, and a solution that is proven.

python examples/linear_solve.py [--picture FILE]
"""

import numpy as np
import style

from halfcl import half, interval, stability
from halfcl.interval import Interval


def check_system(a, b):
    """Raise an error unless a is a square matrix, and b has as many rows, both of half."""
    for name, matrix in (("a", a), ("b", b)):
        if getattr(matrix, "dtype", None) != half:
            dtype = getattr(matrix, "dtype", type(matrix).__name__)
            raise TypeError(f"{name}: expected an array of half, got {dtype}")
    if len(a.shape) != 2 or a.shape[0] != a.shape[1]:
        raise ValueError(f"a: expected a square matrix, got shape {a.shape}")
    if len(b.shape) != 2 or len(b) != len(a):
        raise ValueError(f"b: expected shape ({len(a)}, columns), got {b.shape}")


def eliminate(a, b, pivot):
    """Solve a x = b for each column of b, by Gauss' elimination."""
    check_system(a, b)
    n, rows = len(a), list(np.concatenate([a, b], axis=1))
    for k in range(n):
        if pivot:
            best = max(range(k, n), key=lambda i: abs(rows[i][k]))
            rows[k], rows[best] = rows[best], rows[k]
        for i in range(k + 1, n):
            factor = rows[i][k] / rows[k][k]
            rows[i] = rows[i] - factor * rows[k]
    x = np.zeros_like(b)
    for k in reversed(range(n)):
        x[k] = (rows[k][n:] - rows[k][:n] @ x) / rows[k][k]
    return x


def in_order(a, b):
    return eliminate(a, b, pivot=False)


def with_pivots(a, b):
    return eliminate(a, b, pivot=True)


def enclosure(a, b):
    """Enclose the solution for one column b by Krawczyk's method, else return anywhere."""
    check_system(a, b)
    if b.shape[1] != 1:
        raise ValueError(f"b: expected one column, got shape {b.shape}")
    one, anywhere = half(np.eye(len(a))), Interval(np.zeros_like(b)) + interval.entire
    with np.errstate(all="ignore"):
        x, inverse = with_pivots(a, b), with_pivots(a, one)
    if not (np.isfinite(x).all() and np.isfinite(inverse).all()):
        return anywhere
    # b - a x and 1 - inverse a, each a product of matrices: exact, then rounded outward once.
    rest = interval.matmul(np.hstack([b, a]), np.vstack([half([[1]]), -x]))
    error = interval.matmul(np.hstack([one, -inverse]), np.vstack([one, a]))
    first = Interval(inverse) @ rest
    correction = first
    for _ in range(10):
        trial = correction * Interval(0.9, 1.1) + Interval(-1e-4, 1e-4)
        correction = first + error @ trial
        if interval.interior(correction, trial).all():
            return x + correction
    return anywhere


def system(corner):
    """Return three equations, the first of which has a small coefficient in the corner."""
    a = half([[corner, 1, 0.5], [1, 1, -0.25], [0.5, -1, 2]])
    return a, half([[1.5], [2], [1]])


def first_unknowns(solve):
    """Return the first unknown of many systems, as a function of their corners."""

    def f(corners):
        return np.stack([solve(*system(corner))[0, 0] for corner in corners])

    f.__name__ = solve.__name__
    return f


def show():
    print(stability.compare([in_order, with_pivots], *system(0.001)))
    print(stability.blame(in_order, *system(0.001)))
    print(enclosure(*system(0.001)))


def picture():
    corners = half(np.geomspace(0.0005, 0.5, 120))
    x, exact = style.as_floats(corners), first_unknowns(enclosure)(corners)
    truth = [np.linalg.solve(*map(style.as_floats, system(corner)))[0, 0] for corner in corners]
    off = style.per_cent_off(np.array(truth))
    figure, (first, second) = style.panels("in order", "with pivots")
    formulas = (first, in_order, style.UNSTABLE), (second, with_pivots, style.STABLE)
    for ax, solve, colour in formulas:
        style.draw_enclosure(ax, x, exact, off)
        report = stability.rerun(first_unknowns(solve), corners)
        style.draw_rerun(ax, x, report, colour, "four roundings", off)
        ax.set(xscale="log", xlabel="coefficient in the corner", ylabel="off by, per cent")
        ax.legend(frameon=False, fontsize="small", loc="upper right")
    first.set_ylim(-105, 205)
    second.set_ylim(-0.6, 0.6)
    return figure


def main(argv=None):
    style.run(__doc__, show, picture, argv)


if __name__ == "__main__":
    main()
