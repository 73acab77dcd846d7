"""The logistic map in intervals: what an orbit's start does not tell, and its sides do.

python examples/logistic.py [--picture FILE]
"""

import numpy as np
import style

from halfcl import half, stability
from halfcl.interval import Interval


def stack(orbit):
    return np.stack(orbit) if isinstance(orbit[0], Interval) else np.array(orbit)


def forward(x, steps=40):
    """Return the orbit of x under x -> 4 x (1 - x), from [0, 1] to itself."""
    orbit = [x]
    for _ in range(steps):
        orbit.append(4 * orbit[-1] * (1 - orbit[-1]))
    return stack(orbit)


def forward_tightly(x, steps=40):
    """Return the same orbit with x once per step: in intervals each step is its exact range."""
    orbit = [x]
    for _ in range(steps):
        orbit.append(1 - np.square(2 * orbit[-1] - 1))
    return stack(orbit)


def sides(orbit):
    """Return which points of an orbit lie right of 1/2."""
    return [bool(x > half(0.5)) for x in orbit]


def backward(last, sides):
    """Return the orbit that ends in last and has its other points on these sides of 1/2."""
    orbit = [last]
    for right in sides[-2::-1]:
        root = np.sqrt(1 - orbit[-1])
        before = (1 + root) / 2 if right else orbit[-1] / (2 + 2 * root)
        orbit.append(before)
    return stack(orbit[::-1])


def show(start=0.3):
    start = half(start)
    print(stability.rerun(forward, start))
    for formula in (forward, forward_tightly):
        print(formula.__name__, formula(Interval(start), 12))
    sides_of_middle = sides(forward(start))
    print(stability.rerun(backward, half(0.5), sides_of_middle))
    print(backward(Interval(0, 1), sides_of_middle))


def picture(start=0.3, steps=40):
    start = half(start)
    orbit, x = forward(start, steps), np.arange(steps + 1)
    exact = backward(Interval(0, 1), sides(orbit))
    figure, (first, second) = style.panels("forward, from 0.3", "backward, along its sides of 1/2")
    style.draw_enclosure(first, x, forward_tightly(Interval(start), steps))
    style.draw_rerun(first, x, stability.rerun(forward, start), style.UNSTABLE, "four roundings")
    style.draw_enclosure(second, x, exact)
    report = stability.rerun(backward, half(0.5), sides(orbit))
    style.draw_rerun(second, x, report, style.STABLE, "four roundings")
    second.plot(x, style.as_floats(orbit), ".", color=style.UNSTABLE, ms=3, label="forward")
    for ax in (first, second):
        ax.set(xlabel="step", ylim=(-0.02, 1.3), yticks=[0, 0.5, 1])
        ax.legend(frameon=False, fontsize="small", loc="upper left", ncols=3)
    return figure


def main(argv=None):
    style.run(__doc__, show, picture, argv)


if __name__ == "__main__":
    main()
