"""Kahan's angle between two vectors: an arc cosine that is noise, and an arc tangent that is not.

python examples/angle.py [--picture FILE]
"""

import numpy as np
import style

from halfcl import half, interval, stability
from halfcl.interval import Interval


def length(u):
    return np.sqrt((u * u).sum(axis=-1, keepdims=True))


def by_acos(u, v):
    cosine = (u * v).sum(axis=-1, keepdims=True) / (length(u) * length(v))
    return np.arccos(np.minimum(cosine, 1))[..., 0]


def by_atan2(u, v):
    a, b = u / length(u), v / length(v)
    return 2 * np.arctan2(length(a - b), length(a + b))[..., 0]


def enclosure(u, v):
    """Return the exact angle in intervals; cross and dot product are each rounded outward once."""
    across = np.stack([v[..., 1], -v[..., 0]], axis=-1)
    return interval.atan2(abs(interval.dot(Interval(u), across)), interval.dot(Interval(u), v))


def vectors(count=300):
    """Return vectors of lengths 1.7 and 0.9, at angles from 0.03 to 0.25."""
    angle = 0.4 + np.stack([np.zeros(count), np.linspace(0.03, 0.25, count)])
    u, v = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    return half(1.7 * u), half(0.9 * v)


def show():
    u, v = vectors()
    print(stability.compare([by_acos, by_atan2], u, v))
    print(stability.blame(by_acos, u, v))


def picture():
    u, v = vectors()
    angle = style.as_floats(interval.mid(enclosure(u, v)))
    off = style.per_cent_off(angle)
    figure, (first, second) = style.panels("by the arc cosine", "by Kahan's arc tangent")
    for ax, formula, colour in ((first, by_acos, style.UNSTABLE), (second, by_atan2, style.STABLE)):
        style.draw_enclosure(ax, angle, formula(Interval(u), Interval(v)), off)
        style.draw_rerun(ax, angle, stability.rerun(formula, u, v), colour, "four roundings", off)
        ax.set(xlabel="angle, radians", ylabel="off by, per cent")
        ax.legend(frameon=False, fontsize="small", loc="upper right")
    first.set_ylim(-105, 105)
    second.set_ylim(-5, 5)
    return figure


def main(argv=None):
    style.run(__doc__, show, picture, argv)


if __name__ == "__main__":
    main()
