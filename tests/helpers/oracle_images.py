"""Reads and writes of images by exact fractions: addressing, filtering and conversions.

Shares no code with halfcl. Formats, samplers and shapes go by OpenCL's names; coordinates and
colours are Python's numbers; results are bits of the type that is read, or None for any NaN.
"""

import functools
import itertools
import math
from fractions import Fraction

import gmpy2
import numpy as np

#: The channels in the order of memory; d is depth, i intensity, l luminance.
LETTERS = {
    "R": "r", "A": "a", "RG": "rg", "RA": "ra", "Rx": "rx", "RGx": "rgx", "RGB": "rgb",
    "RGBx": "rgbx", "RGBA": "rgba", "BGRA": "bgra", "ARGB": "argb", "ABGR": "abgr",
    "INTENSITY": "i", "LUMINANCE": "l", "DEPTH": "d", "sRGB": "rgb", "sRGBx": "rgbx",
    "sRGBA": "rgba", "sBGRA": "bgra",
}  # fmt: skip

#: Whose border is opaque.
OPAQUE = ("R", "RG", "RGB", "LUMINANCE", "sRGB")

DTYPES = {
    "UNORM_INT8": "u1", "UNORM_INT16": "u2", "SNORM_INT8": "i1", "SNORM_INT16": "i2",
    "UNSIGNED_INT8": "u1", "UNSIGNED_INT16": "u2", "UNSIGNED_INT32": "u4",
    "SIGNED_INT8": "i1", "SIGNED_INT16": "i2", "SIGNED_INT32": "i4",
    "HALF_FLOAT": "f2", "FLOAT": "f4",
    "UNORM_SHORT_565": "u2", "UNORM_SHORT_555": "u2",
    "UNORM_INT_101010": "u4", "UNORM_INT_101010_2": "u4",
}  # fmt: skip

#: Letter, lowest bit, number of bits.
FIELDS = {
    "UNORM_SHORT_565": (("r", 11, 5), ("g", 5, 6), ("b", 0, 5)),
    "UNORM_SHORT_555": (("r", 10, 5), ("g", 5, 5), ("b", 0, 5)),
    "UNORM_INT_101010": (("r", 20, 10), ("g", 10, 10), ("b", 0, 10)),
    "UNORM_INT_101010_2": (("r", 22, 10), ("g", 12, 10), ("b", 2, 10), ("a", 0, 2)),
}

GREATEST = {"UNORM_INT8": 255, "UNORM_INT16": 65535, "SNORM_INT8": 127, "SNORM_INT16": 32767}

_UNPACKED = [name for name in DTYPES if name not in FIELDS]
_FRACTIONAL = [*GREATEST, "HALF_FLOAT", "FLOAT"]
_BYTES = ["UNORM_INT8", "SNORM_INT8", "SIGNED_INT8", "UNSIGNED_INT8"]

#: What the standard allows.
FORMATS = [
    *itertools.product(("R", "A", "RG", "RA", "Rx", "RGx", "RGBA"), _UNPACKED),
    ("RGBA", "UNORM_INT_101010_2"),
    *itertools.product(("INTENSITY", "LUMINANCE"), _FRACTIONAL),
    *itertools.product(("RGB", "RGBx"), [name for name in FIELDS if not name.endswith("_2")]),
    *itertools.product(("BGRA", "ARGB", "ABGR"), _BYTES),
    *(("DEPTH", name) for name in ("UNORM_INT16", "FLOAT")),
    *((name, "UNORM_INT8") for name in LETTERS if name.startswith("s")),
]


# ---------------------------------------------------------------- numbers


def steps_up(quotient, rest, negative, mode):
    """Return whether a magnitude between two numbers rounds to the greater; rest is in 0 to 1."""
    if mode == "rte":
        return rest > Fraction(1, 2) or (rest == Fraction(1, 2) and quotient % 2 == 1)
    return rest > 0 and mode == ("rtn" if negative else "rtp")


def in_units(x, exponent):
    """Return a positive fraction in units of 2^exponent: integer part, and the rest of a unit."""
    numerator, denominator = x.numerator << max(-exponent, 0), x.denominator << max(exponent, 0)
    whole, rest = divmod(numerator, denominator)
    return whole, Fraction(rest, denominator)


def exponent_of(x):
    """Return the exponent of the greatest power of 2 that is not above."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if in_units(x, e)[0] else e - 1


#: Significant bits, exponent of the least number, bits of infinity.
SHAPES = {"h": (11, -24, 0x7C00), "f": (24, -149, 0x7F800000)}
WIDTHS = {"h": 16, "f": 32}


def round_to(x, kind, mode):
    """Return the bits of a fraction, or of an infinite or NaN float, rounded once."""
    precision, least, infinity = SHAPES[kind]
    sign = 1 << (WIDTHS[kind] - 1)
    if isinstance(x, float) and math.isnan(x):
        return None
    negative = x < 0 or (isinstance(x, float) and math.copysign(1, x) < 0)
    sign *= negative
    if isinstance(x, float) and math.isinf(x):
        return sign | infinity
    size = abs(Fraction(x))
    if size == 0:
        return sign
    place = max(exponent_of(size) - (precision - 1), least)
    whole, rest = in_units(size, place)
    whole += steps_up(whole, rest, negative, mode)
    bits = ((place - least) << (precision - 1)) + whole
    if bits >= infinity:
        away = mode == "rte" or mode == ("rtn" if negative else "rtp")
        bits = infinity if away else infinity - 1
    return sign | bits


def to_odd(x):
    """Round a positive fraction to odd with 24 bits: truncated, with a sticky last bit."""
    if x == 0:
        return x
    exponent = exponent_of(x) - 23
    whole, rest = in_units(x, exponent)
    return (whole | (rest > 0)) * Fraction(2) ** exponent


def integer_of(f, greatest, low, high, mode):
    """greatest * f as an integer from low to high."""
    if math.isnan(f):
        return 0
    if math.isinf(f):
        return high if f > 0 else low
    x = Fraction(f) * greatest
    size = math.floor(abs(x))
    size += steps_up(size, abs(x) - size, x < 0, mode)
    return max(low, min(high, -size if x < 0 else size))


def power(x, exponent):
    """Return a power of fractions, to 300 bits."""
    with gmpy2.context(precision=300):
        result = gmpy2.mpq(gmpy2.mpfr(gmpy2.mpq(x)) ** gmpy2.mpfr(gmpy2.mpq(exponent)))
    return Fraction(int(result.numerator), int(result.denominator))


@functools.cache
def decode_srgb(code):
    """Decode a code of sRGB to a linear number."""
    c = Fraction(code, 255)
    if c <= Fraction("0.04045"):
        return c / Fraction("12.92")
    return power((c + Fraction("0.055")) / Fraction("1.055"), Fraction(12, 5))


def encode_srgb(f):
    """Encode a linear number as a code of sRGB."""
    if math.isnan(f) or f <= 0:
        return 0
    if f > 1:
        return 255
    x = Fraction(f)
    if x < Fraction("0.0031308"):
        s = x * Fraction("12.92")
    else:
        s = Fraction("1.055") * power(x, Fraction(5, 12)) - Fraction("0.055")
    return math.floor(s * 255 + Fraction(1, 2))


# ---------------------------------------------------------------- texels


def channels_of(texel, order, type_name):
    """Return a texel of an array as numbers by letters: codes, or the floats themselves."""
    if type_name in FIELDS:
        word = int(texel)
        return {name: (word >> low) & ((1 << n) - 1) for name, low, n in FIELDS[type_name]}
    numbers = np.atleast_1d(texel).tolist()
    return dict(zip(LETTERS[order], numbers, strict=True))


def number_of(letter, code, order, type_name):
    """Return a channel's exact number: a fraction, or a float for its zeros and NaNs."""
    if type_name in FIELDS:
        bits = next(n for name, _, n in FIELDS[type_name] if name == letter)
        return Fraction(code, (1 << bits) - 1)
    if order.startswith("s") and letter in "rgb":
        return to_odd(decode_srgb(code))
    if type_name in GREATEST:
        return max(Fraction(code, GREATEST[type_name]), Fraction(-1))
    return code


def color_of(texel, order, type_name):
    """Red, green, blue and alpha."""
    numbers = {
        letter: number_of(letter, code, order, type_name)
        for letter, code in channels_of(texel, order, type_name).items()
        if letter != "x"
    }
    if "d" in numbers:
        return [numbers["d"]]
    if "i" in numbers:
        return [numbers["i"]] * 4
    if "l" in numbers:
        return [numbers["l"]] * 3 + [1]
    return [numbers.get(letter, int(letter == "a")) for letter in "rgba"]


def border_of(order):
    return [0] if order == "DEPTH" else [0, 0, 0, int(order in OPAQUE)]


# ---------------------------------------------------------------- where


def fold(s, addressing):
    """Map a normalised coordinate of an image that repeats to 0 to 1."""
    if not math.isfinite(s):
        return Fraction(0)
    s = Fraction(s)
    return s - math.floor(s) if addressing == "REPEAT" else abs(s - 2 * round(s / 2))


def edge(u, size):
    """Return the texel nearest to a coordinate that is not finite."""
    return size - 1 if u > 0 else 0


def places(coordinate, size, sampler):
    """Return the texels along one dimension: pairs of an index (None outside) and its weight."""
    normalized, addressing, linear = sampler
    repeats = addressing in ("REPEAT", "MIRRORED_REPEAT")
    if repeats:
        u = fold(coordinate, addressing) * size
    elif math.isfinite(coordinate):
        u = Fraction(coordinate) * (size if normalized else 1)
    else:
        return [(edge(coordinate, size) if addressing == "CLAMP_TO_EDGE" else None, Fraction(1))]
    u -= Fraction(1, 2) * linear
    first = math.floor(u)
    second = u - first if linear else Fraction(0)
    texels = []
    for index, weight in ((first, 1 - second), (first + 1, second)):
        if addressing == "REPEAT":
            index %= size
        elif addressing in ("CLAMP_TO_EDGE", "MIRRORED_REPEAT"):
            index = max(0, min(size - 1, index))
        elif not 0 <= index < size:
            index = None
        if weight:
            texels.append((index, weight))
    return texels


def layer_of(coordinate, layers, sampled):
    if not sampled:
        return coordinate if 0 <= coordinate < layers else None
    if not math.isfinite(coordinate):
        return edge(coordinate, layers)
    return max(0, min(layers - 1, round(Fraction(coordinate))))


def sizes_of(array, kind):
    """Width, height and depth, as far as there are; and layers, or None."""
    axes = {"IMAGE1D": 1, "IMAGE1D_BUFFER": 1, "IMAGE2D": 2, "IMAGE3D": 3}.get(kind)
    if axes:
        return array.shape[:axes][::-1], None
    return array.shape[1 : 2 if kind == "IMAGE1D_ARRAY" else 3][::-1], array.shape[0]


# ---------------------------------------------------------------- reading


def weighted_sum(numbers, weights):
    """Return the weighted sum, with positive zeros; a float for infinities and NaN."""
    special = [float(x) for x in numbers if isinstance(x, float) and not math.isfinite(x)]
    if special:
        return sum(special[1:], special[0])
    return sum((w * Fraction(x) for x, w in zip(numbers, weights, strict=True)), Fraction(0))


def exact_colors(array, order, type_name, kind, sampler, coordinates):
    """Return the colours at coordinates before rounding, as `color_of` does for a texel.

    sampler: (normalized, addressing's name, whether linear); None if there is none.
    """
    sizes, layers = sizes_of(array, kind)
    normalized, addressing, linear = sampler or (False, "NONE", False)

    @functools.cache
    def color_at(index):
        if None in index:
            return border_of(order)
        return color_of(array[index], order, type_name)

    def color(coordinate):
        layer = ()
        if layers is not None:
            layer = (layer_of(coordinate[len(sizes)], layers, sampler is not None),)
        along = [
            places(c, n, (normalized, addressing, linear))
            for c, n in zip(coordinate, sizes, strict=False)
        ]
        corners = list(itertools.product(*along))
        colors = [color_at((*layer, *(i for i, _ in reversed(corner)))) for corner in corners]
        if not linear:
            return colors[0]
        weights = [math.prod(w for _, w in corner) for corner in corners]
        return [weighted_sum(numbers, weights) for numbers in zip(*colors, strict=True)]

    return [color(coordinate) for coordinate in coordinates]


def bits_of_color(color, numbers, mode):
    """Return the bits that read_image* yields; numbers is its suffix: h, f, i or ui."""
    if numbers in ("i", "ui"):
        return [int(c) for c in color]
    return [round_to(c, numbers, mode) for c in color]


def read(array, order, type_name, kind, sampler, coordinate, numbers, mode):
    """Return the bits at one coordinate."""
    (color,) = exact_colors(array, order, type_name, kind, sampler, [coordinate])
    return bits_of_color(color, numbers, mode)


# ---------------------------------------------------------------- writing


def code_of(f, letter, order, type_name, mode):
    """Return the code that a channel holds after a number was written."""
    if type_name in FIELDS:
        bits = next(n for name, _, n in FIELDS[type_name] if name == letter)
        return integer_of(f, (1 << bits) - 1, 0, (1 << bits) - 1, mode)
    if order.startswith("s") and letter in "rgb":
        return encode_srgb(f)
    limits = np.iinfo(DTYPES[type_name])
    return integer_of(f, GREATEST.get(type_name, 1), limits.min, limits.max, mode)


def write(array, order, type_name, kind, coordinate, color, mode):
    """Write a colour of Python's numbers; whether it was outside. NaN's bits are left open."""
    sizes, layers = sizes_of(array, kind)
    all_sizes = (*sizes, *(() if layers is None else (layers,)))
    index = coordinate[: len(all_sizes)]
    if not all(0 <= i < n for i, n in zip(index, all_sizes, strict=True)):
        return True
    index = (*(index[len(sizes) :]), *reversed(index[: len(sizes)]))
    by_letter = dict(zip("rgba", color, strict=False)) | dict.fromkeys("ild", color[0])
    if type_name in FIELDS:
        array[index] = sum(
            code_of(by_letter[name], name, order, type_name, mode) << low
            for name, low, _ in FIELDS[type_name]
        )
        return False
    texel = array[index] if array.ndim > len(index) else array[(*index, np.newaxis)]
    for place, letter in enumerate(LETTERS[order]):
        f = by_letter.get(letter, 0)  # of what the format ignores
        if type_name in ("HALF_FLOAT", "FLOAT"):
            number = "h" if type_name == "HALF_FLOAT" else "f"
            bits = round_to(float(f), number, mode)
            texel.view(f"u{array.itemsize}")[place] = (
                SHAPES[number][2] + 1 if bits is None else bits
            )
        else:
            texel[place] = code_of(f, letter, order, type_name, mode)
    return False
