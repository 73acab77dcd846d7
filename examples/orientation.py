"""On which side of a line a point lies: an OpenCL kernel, contracted and not, and its proof.

python examples/orientation.py [--picture FILE]
"""

from pathlib import Path

import numpy as np
import style

from halfcl import cl, half

SOURCE = Path(__file__).with_name("orientation.cl").read_text(encoding="utf-8")
Q, R = half([12, 12]), half([24, 24])  # the line is the diagonal
SIZE = 128


def points():
    """Return points next to (0.5, 0.5): neighbouring halves, each several times."""
    y, x = np.mgrid[:SIZE, :SIZE]
    return half(0.5 + np.stack([x, y], axis=-1) / 1024)


def sides(kernel, contract="never"):
    """Return the sign that a kernel computes for each point."""
    values = np.zeros((SIZE, SIZE), half)
    program = cl.Program(SOURCE, contract=contract, name="orientation.cl")
    program[kernel](SIZE * SIZE, None, points(), Q, R, values)
    return np.sign(style.as_floats(values))


def exact():
    """Return the exact signs, by float64."""
    p, q, r = (style.as_floats(values) for values in (points(), Q, R))
    a, b = q - p, r - p
    return np.sign(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


def results():
    """Return the signs by name."""
    return {
        "exact": exact(),
        "two products": sides("side"),
        "contracted": sides("side", "always"),
        "proven": sides("proven_side"),
    }


def show():
    signs_by_name = results()
    for name, signs in signs_by_name.items():
        wrong = (signs != signs_by_name["exact"]).sum()
        opposite = (signs * signs_by_name["exact"] < 0).sum()
        mirrored = (signs == -signs.T).all()
        print(f"{name}: {wrong} not as exact, {opposite} opposite; mirrored: {mirrored}")


def picture():
    signs_by_name = results()
    figure, axes = style.panels(*signs_by_name)
    for ax, signs in zip(axes, signs_by_name.values(), strict=True):
        ax.imshow(signs, origin="lower", cmap="RdBu", vmin=-1.4, vmax=1.4)
        ax.set_xticks([])
        ax.set_yticks([])
    figure.set_figheight(2.5)
    return figure


def main(argv=None):
    style.run(__doc__, show, picture, argv)


if __name__ == "__main__":
    main()
