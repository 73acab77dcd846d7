"""The zeros of a polynomial, enclosed with proof on a device: intervals in a kernel.

python examples/device_intervals.py

The line from -2 to 6 is cut into boxes, and the kernel of device_intervals.cl bounds the range of
x³ - 5x² + 2x + 3 over each: lower bounds by functions that round down, upper bounds by such that
round up. A box whose range does not have 0 in it has no zero: that is a proof. The others are cut
again.
"""

import numpy as np
import on_device

from halfcl import half
from halfcl.interval import Interval

FUNCTIONS = ("add", "mul", "fmin", "fmax", "convert_half")
BOXES = 64  # at first; a power of two, so that their ends are halves
ROUNDS = 6


def ranges(boxes):
    """Return the polynomial's lower and upper bounds over boxes, which are rows of two ends."""
    low, high = np.zeros((2, len(boxes)), half)
    arrays = [boxes, low, high]
    on_device.run("device_intervals.cl", FUNCTIONS, "ranges", len(boxes), arrays)
    return low, high


def by_interval(boxes):
    """Return the bounds over boxes by halfcl.interval, on the host."""
    x = Interval(boxes[:, 0], boxes[:, 1])
    return ((x + -5) * x + 2) * x + 3


def halves_of(boxes):
    """Cut each box in two, at the middle rounded to half."""
    low, high = boxes.T
    middle = half((on_device.floats(low) + on_device.floats(high)) / 2)
    return np.stack([low, middle, middle, high], axis=-1).reshape(-1, 2)


def search():
    """Return for each round the boxes that remain, and how many there were."""
    ends = half(np.linspace(-2, 6, BOXES + 1))
    boxes, rounds = np.stack([ends[:-1], ends[1:]], axis=-1), []
    for _ in range(ROUNDS):
        low, high = ranges(boxes)
        other = by_interval(boxes)
        assert (low == other.inf).all() and (high == other.sup).all()
        kept = boxes[(low <= 0) & (high >= 0)]
        rounds.append((kept, len(boxes)))
        boxes = halves_of(kept)
    return rounds


def join(boxes):
    """Join boxes that touch."""
    joined_boxes = [list(boxes[0])]
    for low, high in boxes[1:]:
        if low <= joined_boxes[-1][1]:
            joined_boxes[-1][1] = high
        else:
            joined_boxes.append([low, high])
    return joined_boxes


def main():
    rounds = search()
    rows = [["boxes", "left", "of widths"]]
    for kept, count in rounds:
        widths = on_device.floats(kept[:, 1]) - on_device.floats(kept[:, 0])
        rows.append([str(count), str(len(kept)), f"{widths.max():.4g}"])
    print(on_device.align_columns(rows))
    zeros = ", ".join(f"[{float(low):.5g}, {float(high):.5g}]" for low, high in join(rounds[-1][0]))
    print(f"Every zero from -2 to 6 is in {zeros}.")
    on_device.tell()


if __name__ == "__main__":
    main()
