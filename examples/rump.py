"""An expression like Rump's: wrong, and the same in all four roundings.

python examples/rump.py [--picture FILE]
"""

import numpy as np
import style

import halfcl as hc
from halfcl import half, interval, stability
from halfcl.interval import Interval

X, Y = half(3.75), half(6.5)  # where the exact value is 1/256


def as_written(x, y):
    """Return 9 x⁴ - y⁴ + y²/8."""
    first = 9 * x * x * x * x
    second = y * y * y * y
    return first - second + y * y / 8


def factored(x, y, dot=hc.dot):
    """Return (3 x² - y² + h) (3 x² + y² - h) + h², h = 1/16; either factor is rounded once."""
    h, one = np.full_like(x, 1 / 16), np.ones_like(x)
    factors = np.stack([x, x, x, y, one], axis=-1)
    difference = dot(factors, np.stack([x, x, x, -y, h], axis=-1))
    total = dot(factors, np.stack([x, x, x, y, -h], axis=-1))
    return difference * total + h * h


def enclosure(x, y):
    return factored(Interval(x), Interval(y), interval.dot)


def points(count=61):
    """Return X, repeated, and halves around Y."""
    steps = np.arange(count) - count // 2
    y = half(float(Y) + steps * float(hc.ulp(Y)))
    return np.full_like(y, X), y


def show():
    print(stability.rerun(as_written, X, Y, samples=10, rng=1))
    print("as written, in intervals:", as_written(Interval(X), Interval(Y)))
    print("factored, and in intervals:", factored(X, Y), enclosure(X, Y))
    print(stability.compare([as_written, factored], *points()))
    print(stability.blame(as_written, *points()))


def picture():
    x, y = points()
    wide_x, wide_y = style.as_floats(x), style.as_floats(y)
    exact = 9 * wide_x**4 - wide_y**4 + wide_y**2 / 8  # less than 53 bits

    def off(values):
        return style.as_floats(values) - exact

    figure, (first, second) = style.panels("as written", "factored")
    style.draw_enclosure(first, wide_y, as_written(Interval(x), Interval(y)), off)
    style.draw_enclosure(second, wide_y, enclosure(x, y), off)
    written, cured = (stability.rerun(f, x, y) for f in (as_written, factored))
    style.draw_rerun(first, wide_y, written, style.UNSTABLE, "four roundings", off)
    style.draw_rerun(second, wide_y, cured, style.STABLE, "four roundings", off)
    for ax in (first, second):
        ax.set(xlabel="y", ylabel="off by")
        ax.legend(frameon=False, fontsize="small", loc="upper right")
    return figure


def main(argv=None):
    style.run(__doc__, show, picture, argv)


if __name__ == "__main__":
    main()
