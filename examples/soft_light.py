"""A picture's details, from a blur that is computed by running sums, in float16: plain NumPy.

    python examples/soft_light.py
    python -m halfcl stability examples/soft_light.py            # which digits to trust, and why
    python -m halfcl stability examples/soft_light.py --mended   # the same with what was found

A blur of a box takes two additions a pixel, however wide the box is: the sum of the next box is
that of the last one, plus what enters and minus what leaves. Each sum goes on with the last one's
errors. docs/howto/stability_of_programs.md reads the report.
"""

import argparse

import numpy as np

half = np.float16


def lamp(height, width, row, column, size):
    """Return the light of a lamp."""
    y = np.arange(height)[:, None] - row
    x = np.arange(width)[None, :] - column
    return 1 / (1 + (y * y + x * x) / size**2)


def room(height, width):
    """Return a picture, from 0 to 255: two lamps in a dark room with a tiled floor."""
    light = 220 * lamp(height, width, height * 0.2, width * 0.3, 12)
    light = light + 140 * lamp(height, width, height * 0.35, width * 0.7, 8)
    floor = np.arange(height)[:, None] > height * 0.7
    tiles = (np.arange(height)[:, None] // 6 + np.arange(width)[None, :] // 6) % 2
    return (light + 0.05 + 0.2 * floor * tiles).astype(half)


def pad(picture, radius):
    """Pad a picture with its first and last row at both ends."""
    first = np.repeat(picture[:1], radius + 1, axis=0)
    last = np.repeat(picture[-1:], radius, axis=0)
    return np.concatenate([first, picture, last])


def blur_rows(picture, radius):
    """Replace each row by the mean of the `radius` rows above and below it."""
    rows = pad(picture, radius)
    width = 2 * radius + 1
    blurred = np.empty_like(picture)
    total = rows[:width].sum(axis=0)
    for k in range(len(picture)):
        total += rows[k + width] - rows[k]
        blurred[k] = total / width
    return blurred


def blur_rows_mended(picture, radius):
    """Blur rows with each sum from its beginning, so that errors do not add up."""
    rows = pad(picture, radius)[1:]
    boxes = np.lib.stride_tricks.sliding_window_view(rows, 2 * radius + 1, axis=0)
    return boxes.mean(axis=-1)


def blur(picture, radius, blur_rows):
    """Blur in both directions."""
    down = blur_rows(picture, radius)
    return blur_rows(down.T, radius).T


def soft_light(picture, blurred, strength):
    """Lighten dark parts where their surroundings are dark."""
    dark = 1 / (1 + blurred / 16)
    return picture * (1 + strength * dark)


def contrast(picture, blurred):
    """Return the pixels' distance from their surroundings, relative to these."""
    return (picture - blurred) / (blurred + half(0.01))


def parse(argv=None):
    """Parse the command line."""
    parser = argparse.ArgumentParser(description="a picture's details in float16")
    parser.add_argument("--height", type=int, default=120, help="rows")
    parser.add_argument("--width", type=int, default=90, help="columns")
    parser.add_argument("--radius", type=int, default=7, help="radius of the blur")
    parser.add_argument("--strength", type=float, default=1.5, help="strength of the light")
    parser.add_argument("--mended", action="store_true", help="avoid running sums")
    return parser.parse_args(argv)


def main(argv=None):
    """Print the contrast in the dark half of the picture; return the blurred picture."""
    options = parse(argv)
    picture = room(options.height, options.width)
    rows = blur_rows_mended if options.mended else blur_rows
    blurred = blur(picture, options.radius, rows)
    lit = soft_light(picture, blurred, half(options.strength))
    floor = contrast(picture, blurred)[-options.height // 4 :]
    print(f"darkest surroundings: {float(blurred.min()):.4f}")
    print(f"contrast on the floor: {float(np.abs(floor).mean()):.4f}")
    print(f"mean light: {float(lit.mean()):.2f}")
    np.save("blurred.npy", blurred)
    return blurred


if __name__ == "__main__":
    main()
