"""What reading an image has to give, by OpenCL's formulas in rationals. Shares no code with halfcl.

A texel's component is a Fraction, or a float if it is infinite or NaN; so is a colour's.
"""

import itertools
import math
from fractions import Fraction

NONE, CLAMP_TO_EDGE, CLAMP, REPEAT, MIRRORED_REPEAT = range(0x1130, 0x1135)
NEAREST, LINEAR = 0x1140, 0x1141
HALF_UNIT = Fraction(1, 2)
HUGE = 1 << 40


def exact(x):
    """A number as a Fraction, if it is one."""
    return Fraction(x) if math.isfinite(x) else float(x)


def coordinate_of(s, size, normalized, addressing):
    """The coordinate among texels, a Fraction; None where NaN is outside."""
    if addressing in (REPEAT, MIRRORED_REPEAT):
        s = Fraction(s) if math.isfinite(s) else Fraction(0)
        if addressing == REPEAT:
            return (s - math.floor(s)) * size
        return abs(s - 2 * round(s / 2)) * size
    if math.isnan(s):
        return Fraction(0) if addressing == CLAMP_TO_EDGE else None
    if math.isinf(s):
        return Fraction(HUGE if s > 0 else -HUGE)
    return Fraction(s) * (size if normalized else 1)


def wrapped(i, size, addressing):
    """A texel's index; None outside."""
    if addressing == REPEAT:
        return i % size
    if addressing in (CLAMP_TO_EDGE, MIRRORED_REPEAT):
        return min(max(i, 0), size - 1)
    return i if 0 <= i < size else None


def places(s, size, sampler):
    """The indices along one dimension that count, each with its weight."""
    normalized, addressing, filter = sampler
    u = coordinate_of(s, size, normalized, addressing)
    if u is None:
        return [(None, Fraction(1))]
    if filter == NEAREST:
        return [(wrapped(math.floor(u), size, addressing), Fraction(1))]
    if math.isnan(s) and addressing == CLAMP_TO_EDGE:
        return [(0, Fraction(1))]
    first = math.floor(u - HALF_UNIT)
    weight = u - HALF_UNIT - first
    both = [(first, 1 - weight), (first + 1, weight)]
    return [(wrapped(i, size, addressing), w) for i, w in both if w]


def layer_of(w, layers, sampler):
    if sampler is None:
        return w if 0 <= w < layers else None
    if math.isnan(w):
        return 0
    return min(max(round(w) if math.isfinite(w) else int(math.copysign(HUGE, w)), 0), layers - 1)


def total(terms):
    """The sum of weighted components."""
    special = [value for value, _ in terms if isinstance(value, float)]
    if special:
        return sum(special)
    return sum((value * weight for value, weight in terms), Fraction(0))


def read(texel, border, sizes, layers, sampler, coordinate):
    """The colour at a coordinate; texel(layer, z, y, x) gives a texel's."""
    dims = len(sizes)
    along = [
        places(s, size, sampler or (False, NONE, NEAREST))
        for s, size in zip(coordinate, sizes, strict=False)
    ]
    layer = layer_of(coordinate[dims], layers, sampler) if layers else 0
    terms = []
    for corner in itertools.product(*along):
        indices = [i for i, _ in corner]
        inside = layer is not None and None not in indices
        xyz = [*indices, 0, 0][:3]
        color = texel(layer, xyz[2], xyz[1], xyz[0]) if inside else border
        terms.append((color, math.prod((w for _, w in corner), start=Fraction(1))))
    return [total([(color[k], weight) for color, weight in terms]) for k in range(4)]


def rounded(x, bits, least_exponent, mode):
    """A Fraction rounded to that many bits, of units of 2^least_exponent at least; may overflow."""
    if x == 0:
        return 0.0
    size = abs(x)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if Fraction(2) ** exponent > size:
        exponent -= 1
    unit = Fraction(2) ** max(exponent - bits + 1, least_exponent)
    down, rest = divmod(x, unit)
    up = {
        "rte": rest * 2 > unit or (rest * 2 == unit and down % 2 == 1),
        "rtz": x < 0 and rest > 0,
        "rtp": rest > 0,
        "rtn": False,
    }[mode]
    return (down + up) * unit


def rounded_to(x, mode, bits=11, least_exponent=-24, greatest=Fraction(65504)):
    """The half, as a float, that a component rounds to; by the others another format's."""
    if isinstance(x, float):
        return x
    y = rounded(x, bits, least_exponent, mode)
    if abs(y) <= greatest:
        return math.copysign(float(y), x)
    toward_zero = mode == "rtz" or mode == ("rtn" if y > 0 else "rtp")
    return math.copysign(float(greatest) if toward_zero else math.inf, y)


FLOAT = {
    "bits": 24,
    "least_exponent": -149,
    "greatest": Fraction(2) ** 128 - Fraction(2) ** 104,
}
