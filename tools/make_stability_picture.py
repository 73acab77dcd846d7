"""Draw docs/pictures/stability.png: two formulas that fail the rerun test, and their cures.

python tools/make_stability_picture.py [file]
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import halfcl as hc
from halfcl import half, stability

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "pictures" / "stability.png"


def angle_by_acos(u, v):
    return np.arccos(hc.dot(u, v) / (hc.length(u) * hc.length(v)))


def angle_by_atan2(u, v):
    u, v = hc.normalize(u), hc.normalize(v)
    return 2 * np.arctan2(hc.length(u - v), hc.length(u + v))


def by_difference(b, c):
    return (b - np.sqrt(b * b - 4 * c)) / 2


def by_quotient(b, c):
    return 2 * c / (b + np.sqrt(b * b - 4 * c))


def draw_angles(panels):
    """Draw the angle between two vectors of lengths 1.7 and 0.9, from 0.01 to 0.2."""
    angle = np.linspace(0.01, 0.2, 300)
    u = half(
        1.7 * np.stack([np.full_like(angle, np.cos(0.4)), np.full_like(angle, np.sin(0.4))], -1)
    )
    v = half(0.9 * np.stack([np.cos(0.4 + angle), np.sin(0.4 + angle)], -1))
    for panel, formula in zip(panels, (angle_by_acos, angle_by_atan2), strict=True):
        with np.errstate(invalid="ignore"):  # rounding lifts some arguments of acos above 1
            stability.rerun(formula, u, v).plot(angle, ax=panel)
        panel.set(xlabel="angle, radians", ylabel="computed", ylim=(0, 0.22))


def draw_roots(panels):
    """Draw the smaller root of x² - b x + c."""
    b = half(np.linspace(2.5, 20, 120))
    c = half(np.linspace(0.02, 1.5, 100))[:, None]
    for panel, formula in zip(panels, (by_difference, by_quotient), strict=True):
        stability.rerun(formula, b, c).plot(ax=panel)
        panel.set(xlabel="b", ylabel="c")


def main():
    figure = Figure(figsize=(10, 7), dpi=110, layout="constrained")
    panels = figure.subplots(2, 2)
    draw_angles(panels[0])
    draw_roots(panels[1])
    figure.savefig(sys.argv[1] if sys.argv[1:] else PICTURE)


if __name__ == "__main__":
    main()
