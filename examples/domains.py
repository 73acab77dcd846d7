"""Arguments that rounding moves out of a domain: a square root and an arc cosine, kept in theirs.

python examples/domains.py [--picture FILE]
"""

import numpy as np
import style

from halfcl import half, safe


def last_component(x, y, z):
    """Return the last component of a unit quaternion from the other three."""
    return np.sqrt(1 - x * x - y * y - z * z)


def angle(u, v):
    """Return the angle between vectors, by the arc cosine."""
    u, v = u / length(u), v / length(v)
    return np.arccos((u * v).sum(axis=-1))


def length(u):
    return np.sqrt((u * u).sum(axis=-1, keepdims=True))


def quaternions(count=400):
    """Return quaternions of rotations by nearly half a turn: the last component is nearly 0."""
    rng = np.random.default_rng(4)
    axis = rng.normal(size=(3, count))
    axis /= np.sqrt((axis * axis).sum(axis=0))
    return tuple(half(axis * np.sqrt(1 - rng.uniform(0, 0.04, count) ** 2)))


def vectors(count=400):
    """Return pairs of vectors at angles up to 0.08."""
    rng = np.random.default_rng(5)
    u, across = rng.normal(size=(2, count, 3))
    across -= u * (across * u).sum(-1, keepdims=True) / (u * u).sum(-1, keepdims=True)
    across *= np.sqrt((u * u).sum(-1, keepdims=True) / (across * across).sum(-1, keepdims=True))
    return half(u), half(u + across * np.linspace(0, 0.08, count)[:, None])


def show():
    with np.errstate(invalid="ignore"), safe.domains() as kept:
        for f, args in ((last_component, quaternions()), (angle, vectors())):
            plain, safely = f(*args), safe.domains(f)(*args)
            print(f"{f.__name__}: NaN {np.isnan(plain).sum()} times, kept {np.isnan(safely).sum()}")
    print(kept)


def draw(ax, x, f, args, exact):
    """Draw results over the exact arguments, with those that were NaN highlighted."""
    with np.errstate(invalid="ignore"):
        plain, safely = style.as_floats(f(*args)), style.as_floats(safe.domains(f)(*args))
    lost = np.isnan(plain) & ~np.isnan(safely)
    order = np.argsort(x)
    ax.plot(x[order], exact[order], color=style.EXACT, lw=1, label="exact")
    ax.plot(x, plain, ".", ms=3, color=style.STABLE, label="in the domain anyway")
    ax.plot(x[lost], safely[lost], ".", ms=6, color=style.UNSTABLE, label="kept in it, else NaN")
    truly = np.isnan(safely)
    if truly.any():
        ax.plot(
            x[truly], np.full(truly.sum(), -0.003), "|", color="0.5", label="truly outside: NaN"
        )
    ax.legend(frameon=False, fontsize="small", loc="upper left")


def picture():
    figure, (first, second) = style.panels("√(1 - x² - y² - z²)", "angle by the arc cosine")
    x, y, z = quaternions()
    argument = 1 - sum(style.as_floats(v) ** 2 for v in (x, y, z))
    near = argument < 0.001
    exact = np.sqrt(np.where(argument < 0, np.nan, argument))
    args = tuple(v[near] for v in (x, y, z))
    draw(first, argument[near] * 1e4, last_component, args, exact[near])
    first.set(xlabel="exact 1 - x² - y² - z², in 1/10000")
    u, v = vectors()
    p, q = style.as_floats(u), style.as_floats(v)
    cross = np.sqrt((np.cross(p, q) ** 2).sum(-1))
    exact = np.arctan2(cross, (p * q).sum(-1))
    draw(second, exact, angle, (u, v), exact)
    second.set(xlabel="exact angle, radians")
    return figure


def main(argv=None):
    style.run(__doc__, show, picture, argv)


if __name__ == "__main__":
    main()
