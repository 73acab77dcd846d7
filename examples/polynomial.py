"""The range of a polynomial, enclosed by subdivision: three ways to write it.

python examples/polynomial.py [--picture FILE]
"""

import numpy as np
import style

from halfcl import half, interval, stability
from halfcl.interval import Interval

RANGE = -1, 2.28515625  # exactly, for x from 0.75 to 4.25


def by_horner(x):
    """Return x⁴ - 10 x³ + 35 x² - 50 x + 24."""
    y = x - 10
    for coefficient in (35, -50, 24):
        y = y * x
        y = y + coefficient
    return y


def by_factors(x):
    return (x - 1) * (x - 2) * (x - 3) * (x - 4)


def slope(x):
    """Return the derivative, about the middle."""
    s = x - half(2.5)
    return 4 * s * (np.square(s) - half(1.25))


def by_mean_value(x):
    """Return Moore's mean value form: for narrow x, the slope bounds how little it varies."""
    middle = Interval(interval.mid(x))
    return by_factors(middle) + slope(x) * (x - middle)


FORMS = {by_horner: style.UNSTABLE, by_factors: style.STABLE, by_mean_value: style.EXACT}


def points(count=300):
    return half(np.linspace(0.75, 4.25, count))


def enclosure(form, pieces):
    """Return the hull of the form's values on `pieces` parts of [0.75, 4.25]."""
    ends = half(np.linspace(0.75, 4.25, pieces + 1))
    values = form(Interval(ends[:-1], ends[1:]))
    return Interval(values.inf.min(), values.sup.max())


def show():
    print(stability.compare([by_horner, by_factors], points()))
    print(stability.blame(by_horner, points()))
    for pieces in (1, 4, 16, 64, 256):
        print(pieces, *(enclosure(form, pieces) for form in FORMS))


def picture():
    figure, (first, second) = style.panels("values in four roundings", "range too wide by")
    x, pieces = points(), 2 ** np.arange(12)
    for form, colour in list(FORMS.items())[:2]:
        report = stability.rerun(form, x)
        style.draw_rerun(first, style.as_floats(x), report, colour, form.__name__)
    first.set(xlabel="x", ylim=(-2, 3))
    for form, colour in FORMS.items():
        widths = [style.as_floats(interval.wid(enclosure(form, int(n)))) for n in pieces]
        second.plot(pieces, widths - np.diff(RANGE), ".-", color=colour, label=form.__name__)
    second.set(xscale="log", yscale="log", xlabel="pieces")
    for ax in (first, second):
        ax.legend(frameon=False, fontsize="small", loc="upper right")
    return figure


def main(argv=None):
    style.run(__doc__, show, picture, argv)


if __name__ == "__main__":
    main()
