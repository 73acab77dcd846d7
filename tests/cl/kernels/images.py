"""images.cl over scalars: texels in lists, weights in fractions."""

import math
from fractions import Fraction

import numpy as np
from cl_library import H, Wanted, integers, values

import halfcl as hc

W, HEIGHT = 8, 6
WEIGHTS = np.array([1, 2, 1, 2, -3, 2, 1, 2, 0.3], H)


def half_image(array):
    return hc.Image(array, hc.ImageFormat(hc.channel_order.RGBA, hc.channel_type.HALF_FLOAT))


def picture():
    return values(HEIGHT, W, 4, low=0, high=4)


def each(source, width, height, of, *others):
    """of: four halves of each place."""
    wanted = np.array([[of(x, y) for x in range(width)] for y in range(height)], H)
    target = half_image(np.zeros((height, width, 4), H))
    return Wanted((width, height), None, [half_image(source), target, *others], {1: wanted})


def convolve(at):
    """at: the texel of any place."""

    def of(x, y):
        total = [H(0)] * 4
        for k in range(9):
            texel = at(x + k % 3 - 1, y + k // 3 - 1)
            total = [t + WEIGHTS[k] * v for t, v in zip(total, texel, strict=True)]
        return total

    return each(picture(), W, HEIGHT, of, WEIGHTS)


def clamp(image, x, y):
    return image[min(max(y, 0), len(image) - 1)][min(max(x, 0), len(image[0]) - 1)]


def convolve_clamped():
    return convolve(lambda x, y: clamp(picture(), x, y))


def convolve_bordered():
    image = picture()
    return convolve(lambda x, y: image[y, x] if 0 <= x < W and 0 <= y < HEIGHT else [H(0)] * 4)


def convolve_repeated():
    return convolve(lambda x, y: picture()[y % HEIGHT, x % W])


def nearest(value):
    """The half, ties to even."""
    first = H(float(value))
    near = [np.array(int(first.view("u2")) + k, "u2").view(H)[()] for k in (-1, 0, 1)]
    near = [h for h in near if np.isfinite(h)]
    return min(near, key=lambda h: (abs(Fraction(float(h)) - value), int(h.view("u2")) & 1))


def linear(image, u, v):
    """Exact, and rounded once. u, v: in texels."""
    u, v = u - Fraction(1, 2), v - Fraction(1, 2)
    x, y = math.floor(u), math.floor(v)
    a, b = u - x, v - y
    values = []
    for c in range(4):
        total = Fraction(0)
        for i, j, weight in (
            (0, 0, (1 - a) * (1 - b)),
            (1, 0, a * (1 - b)),
            (0, 1, (1 - a) * b),
            (1, 1, a * b),
        ):
            total += weight * Fraction(float(clamp(image, x + i, y + j)[c]))
        values.append(nearest(total))
    return values


EDGE = hc.addressing_mode.CLAMP_TO_EDGE


def resize():
    image, sampler = picture(), hc.Sampler(True, EDGE, hc.filter_mode.LINEAR)

    def scale(i, count, texels):
        at = (np.float32(i) + np.float32(0.5)) / np.float32(count)
        return Fraction(float(at)) * texels

    def of(x, y):
        return linear(image, scale(x, 11, W), scale(y, 9, HEIGHT))

    return each(image, 11, 9, of, sampler)


def next_level():
    image = picture()

    def of(x, y):
        total = [H(0)] * 4
        for k in range(4):
            texel = image[2 * y + k // 2, 2 * x + k % 2]
            total = [t + v for t, v in zip(total, texel, strict=True)]
        return [t * H(0.25) for t in total]

    return each(image, W // 2, HEIGHT // 2, of)


def next_level_linear():
    image, sampler = picture(), hc.Sampler(False, EDGE, hc.filter_mode.LINEAR)
    of = lambda x, y: linear(image, Fraction(2 * x + 1), Fraction(2 * y + 1))  # noqa: E731
    return each(image, W // 2, HEIGHT // 2, of, sampler)


def to_bytes():
    image = values(HEIGHT, W, 4, low=-0.5, high=1.5)
    exposure = H(0.7)

    def byte(value):
        """To the nearest, ties to even, of what is clamped."""
        return round(255 * min(max(Fraction(float(value)), Fraction(0)), Fraction(1)))

    wanted = [[[*(byte(v * exposure) for v in p[:3]), 255] for p in row] for row in image]
    form = hc.ImageFormat(hc.channel_order.RGBA, hc.channel_type.UNORM_INT8)
    target = hc.Image(np.zeros((HEIGHT, W, 4), "u1"), form)
    arguments = [half_image(image), target, exposure]
    return Wanted((W, HEIGHT), None, arguments, {1: np.array(wanted, "u1")})


def gather_labels():
    labels = integers(HEIGHT, W, dtype="i2", low=0, high=1)
    counts = [0, 0]
    for y in range(HEIGHT):
        for x in range(W):
            around = ((x, y - 1), (x - 1, y), (x, y + 1), (x + 1, y))
            counts[labels[y, x]] += any(clamp(labels, *p) != labels[y, x] for p in around)
    form = hc.ImageFormat(hc.channel_order.R, hc.channel_type.SIGNED_INT16)
    arguments = [hc.Image(labels, form), np.zeros(2, "i4")]
    return Wanted((W, HEIGHT), None, arguments, {1: np.array(counts, "i4")})
