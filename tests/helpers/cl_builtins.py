"""Tiny kernels, one for each call of a built-in function, built together and run on arrays."""

import math
from fractions import Fraction

import numpy as np
from exhaustive import either

import halfcl as hc
from halfcl import cl

#: Of vectors; or the one that is stored as another and the greatest.
WIDTHS = either((2, 3, 4, 8, 16), (3, 16))
DTYPES = {
    "char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16,
    "int": np.int32, "uint": np.uint32, "long": np.int64, "ulong": np.uint64,
    "half": hc.half, "float": np.float32, "double": np.float64,
}  # fmt: skip
INTEGERS = tuple(DTYPES)[:8]
FLOATING = tuple(DTYPES)[8:]

#: Built-in functions round to nearest whatever this says.
HEAD = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable
#pragma OPENCL SELECT_ROUNDING_MODE rtp
"""


def split(type_name):
    """Element and width: half3 is half, 3."""
    element = type_name.rstrip("0123456789")
    return element, int(type_name[len(element) :] or 1)


def in_memory(array, type_name):
    """Return an array of shape (items, width) as it lies in a buffer, with three padded to four."""
    element, width = split(type_name)
    array = np.asarray(array).astype(DTYPES[element]).reshape(-1, width)
    return np.pad(array, ((0, 0), (0, 1))) if width == 3 else array


class Calls:
    """Calls of built-in functions: `add` gives each a kernel, `run` calls one of them."""

    def __init__(self):
        self.sources = []
        self.kernels = {}
        self.program = None

    def add(self, name, arguments, result, pointee=None):
        """Add a kernel for name(arguments) -> result; a last argument may point to pointee."""
        key = (name, tuple(arguments), result)
        kernel = self.kernels[key] = f"k{len(self.sources)}"
        parameters = [f"global const {t} *a{i}" for i, t in enumerate(arguments)]
        values = [f"a{i}[i]" for i in range(len(arguments))]
        if pointee:
            parameters.append(f"global {pointee} *p")
            values.append("p + i")
        self.sources.append(
            f"kernel void {kernel}({', '.join([*parameters, f'global {result} *out'])}) {{\n"
            f"  int i = get_global_id(0); out[i] = {name}({', '.join(values)}); }}"
        )
        return key

    def run(self, key, *arrays, pointee=None):
        """Results of shape (items, width); with a pointee what was stored, too."""
        if self.program is None:
            self.program = cl.Program(HEAD + "\n".join(self.sources))
        _, arguments, result = key
        buffers = [in_memory(a, t) for a, t in zip(arrays, arguments, strict=True)]
        count = len(buffers[0])
        outs = [np.zeros_like(in_memory(np.zeros((count, split(t)[1])), t))
                for t in ([pointee] if pointee else []) + [result]]  # fmt: skip
        getattr(self.program, self.kernels[key])(count, None, *buffers, *outs)
        results = [o[:, : split(t)[1]] for o, t in zip(outs[::-1], [result, pointee], strict=False)]
        return results if pointee else results[0]


# ---------------------------------------------------------------- values

_BITS = {"half": (np.uint16, 10), "float": (np.uint32, 23), "double": (np.uint64, 52)}


def edges(element):
    """Values at which functions change, both signs."""
    dtype = DTYPES[element]
    if element in INTEGERS:
        info = np.iinfo(dtype)
        near = [0, 1, 2, 3, 5, 7, 127, 128, 255, 1 << (info.bits // 2), info.max, info.max - 1]
        values = {n for k in near for n in (k, -k, info.min + k) if info.min <= n <= info.max}
        return np.array(sorted(values), dtype)
    pattern, mantissa = _BITS[element]
    top = pattern(np.iinfo(pattern).max >> 1)
    infinity = pattern(int(top) >> mantissa << mantissa)
    codes = [0, 1, 2, (1 << mantissa) - 1, 1 << mantissa, int(infinity) - 1, int(infinity)]
    codes.append(int(infinity) | 1 << (mantissa - 1))
    small = np.array(codes, pattern).view(dtype)
    numbers = np.array([0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 3.5, 4, 7, 8, 9, 100.5]).astype(dtype)
    positive = np.concatenate([small, numbers])
    return np.concatenate([positive, -positive])


def values(element, count, seed, span=None):
    """Edges in all pairings as far as they go, then random ones: of shape (count,)."""
    rng = np.random.default_rng(seed)
    known = rng.permutation(edges(element))
    dtype = DTYPES[element]
    if element in INTEGERS:
        info = np.iinfo(dtype)
        drawn = rng.integers(info.min, info.max, count, dtype, endpoint=True)
        drawn >>= rng.integers(0, info.bits - 1, count).astype(dtype)
    elif span:
        drawn = rng.uniform(*span, count).astype(dtype)
    else:
        drawn = (rng.normal(size=count) * 2.0 ** rng.integers(-8, 8, count)).astype(dtype)
    drawn[: len(known)] = known[:count]
    return rng.permutation(drawn)


def same(results, wanted, note=""):
    """Bit for bit; NaNs are all alike."""
    results, wanted = np.asarray(results), np.asarray(wanted)
    assert results.shape == wanted.shape, (note, results.shape, wanted.shape)
    if results.dtype.kind in "iub":
        different = results != wanted
    else:
        wanted = wanted.astype(results.dtype)
        pattern = f"u{results.dtype.itemsize}"
        nans = np.isnan(results) & np.isnan(wanted)
        bits = [np.ascontiguousarray(x).view(pattern) for x in (results, wanted)]
        different = (bits[0] != bits[1]) & ~nans
    where = np.argwhere(different)[:5]
    details = [(tuple(map(int, w)), results[tuple(w)], wanted[tuple(w)]) for w in where]
    assert not different.any(), (note, details)


# ---------------------------------------------------------------- rounding exact numbers

_FORMATS = {"half": (11, -14, 16), "float": (24, -126, 128), "double": (53, -1022, 1024)}


def nearest(exact, element, sign=1):
    """Round an exact Fraction to a floating type, to nearest even; sign is that of a zero."""
    precision, least, beyond = _FORMATS[element]
    if exact == 0:
        return math.copysign(0.0, sign)
    size = abs(exact)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent
    unit = Fraction(2) ** (max(exponent, least) - precision + 1)
    rounded = round(size / unit) * unit
    magnitude = math.inf if rounded >= Fraction(2) ** beyond else float(rounded)
    return magnitude if exact > 0 else -magnitude
