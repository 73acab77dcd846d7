"""The roots of a quadratic equation: two cancellations, and a cure for each.

python examples/quadratic.py [--picture FILE]
"""

import numpy as np
import style

import halfcl as hc
from halfcl import half, interval, stability
from halfcl.interval import Interval

# The polynomial is a x² - 2 b x + c with positive a, b, c and real roots.


def smaller_at_school(a, b, c):
    square = b * b
    root = np.sqrt(square - a * c)
    return (b - root) / a


def gap_at_school(a, b, c):
    square = b * b
    product = a * c
    return 2 * np.sqrt(square - product) / a


def discriminant(a, b, c):
    """Return Kahan's b² - a c, which adds back what rounding took from either product."""
    square, product = b * b, a * c
    return (square - product) + (hc.fma(b, b, -square) - hc.fma(a, c, -product))


def smaller_cured(a, b, c):
    return c / (b + np.sqrt(discriminant(a, b, c)))


def gap_cured(a, b, c):
    return 2 * np.sqrt(discriminant(a, b, c)) / a


def enclosure(a, b, c):
    """Return the smaller root, and the gap, with the discriminant rounded outward once."""
    exact = interval.dot(Interval(np.stack([b, a], -1)), np.stack([b, -c], -1))
    return c / (b + np.sqrt(exact)), 2 * np.sqrt(exact) / a


def far_apart(count=200):
    """Return equations whose roots are nearly r and 1/r, and the numbers r."""
    r = np.geomspace(1.5, 60, count)
    one = np.ones(count)
    return half(one), half((r + 1 / r) / 2), half(one), r


def close_together(count=200):
    """Return equations whose roots are nearly b/a (1 - d) and b/a (1 + d), and the numbers d."""
    d = np.geomspace(0.02, 0.3, count)
    a, b = half(np.linspace(0.8, 1.2, count)), half(np.linspace(0.85, 1.3, count))
    c = style.as_floats(b) ** 2 / style.as_floats(a) * (1 - d * d)
    return a, b, hc.convert(c, half, rounding="rtz"), d


def show():
    for formulas, (*equations, _) in (
        ((smaller_at_school, smaller_cured), far_apart()),
        ((gap_at_school, gap_cured), close_together()),
    ):
        print(stability.compare(formulas, *equations))
        print(stability.blame(formulas[0], *equations))


def draw(ax, k, formulas, equations, x):
    exact = interval.mid(enclosure(*equations)[k])
    off = style.per_cent_off(style.as_floats(exact))
    for formula, colour in zip(formulas, (style.UNSTABLE, style.STABLE), strict=True):
        style.draw_rerun(ax, x, stability.rerun(formula, *equations), colour, formula.__name__, off)
    ax.set(xscale="log", ylabel="off by, per cent")
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter("")
    ax.legend(frameon=False, fontsize="small", loc="best")


def picture():
    figure, (first, second) = style.panels(
        "the smaller of two roots far apart", "the gap between two close roots"
    )
    *equations, r = far_apart()
    draw(first, 0, (smaller_at_school, smaller_cured), equations, r)
    first.set(xlabel="the larger root", ylim=(-105, 105), xticks=[2, 5, 10, 20, 50])
    *equations, d = close_together()
    draw(second, 1, (gap_at_school, gap_cured), equations, d)
    second.set(xlabel="d, where the roots are 1 - d and 1 + d", xticks=[0.02, 0.05, 0.1, 0.2])
    return figure


def main(argv=None):
    style.run(__doc__, show, picture, argv)


if __name__ == "__main__":
    main()
