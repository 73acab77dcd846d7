"""Summing a series: the harmonic series, which in half converges, and two sums that do not.

python examples/series.py [--picture FILE]
"""

import numpy as np
import style

from halfcl import half, interval, stability
from halfcl.interval import Interval


def one_by_one(n):
    """Return the sums of 1/1 to 1/k for each k up to n."""
    sums, total = [], half(0)
    for k in range(1, n + 1):
        total = total + 1 / half(k)
        sums.append(total)
    return np.array(sums)


def compensated(n):
    """Return Kahan's sums: what rounding takes from one sum is added to the next term."""
    sums, total, lost = [], half(0), half(0)
    for k in range(1, n + 1):
        term = 1 / half(k) + lost
        before, total = total, total + term
        lost = term - (total - before)
        sums.append(total)
    return np.array(sums)


def at_once(n):
    """Return the sums by np.sum, which adds halves exactly and rounds once."""
    terms = 1 / half(np.arange(1, n + 1))
    return np.array([terms[:k].sum() for k in range(1, n + 1)])


def enclosure(n):
    terms = 1 / Interval(half(np.arange(1, n + 1)))
    return np.stack([interval.sum(terms[:k]) for k in range(1, n + 1)])


def show(n=2000):
    print(stability.compare([one_by_one, compensated, at_once], n))
    print(stability.blame(one_by_one, n))
    print("The last sum, in intervals:", enclosure(n)[-1])


def picture(n=2000):
    terms, exact = np.arange(1, n + 1), enclosure(n)
    truth = np.cumsum(1 / terms)
    figure, (first, second) = style.panels("one by one", "compensated")
    style.draw_rerun(first, terms, stability.rerun(one_by_one, n), style.UNSTABLE, "four roundings")
    first.plot(terms, truth, "--", color=style.EXACT, lw=1, label="exact")
    first.set(ylabel="sum", ylim=(0, 23))
    some = slice(None, None, 37)
    off = style.per_cent_off(truth[some])
    style.draw_enclosure(second, terms[some], exact[some], off)
    report = stability.rerun(lambda n: compensated(n)[some], n)
    style.draw_rerun(second, terms[some], report, style.STABLE, "four roundings", off)
    second.set(ylabel="off by, per cent", ylim=(-0.3, 0.3))
    for ax in (first, second):
        ax.set(xlabel="terms of 1 + 1/2 + 1/3 + ...")
        ax.legend(frameon=False, fontsize="small", loc="upper left")
    return figure


def main(argv=None):
    style.run(__doc__, show, picture, argv)


if __name__ == "__main__":
    main()
