"""Ordinary use of halfcl that a type checker has to accept. tests/test_typing.py checks it."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl import half, safe, stability, vectors
from halfcl.interval import Interval
from halfcl.typing import HalfLike, RoundingMode

a: NDArray[half] = np.array([1, 2, 3], dtype=hc.half)
mode: RoundingMode = "rtz"

# Functions, their ufuncs, and what these have besides a call.
hc.exp(a)
hc.exp(a, rounding="rtp")
hc.exp(a, np.empty_like(a), where=a > 1, rounding=mode)
hc.exp.rtp(a)
hc.exp_rtp(a, out=np.empty_like(a))
hc.add.reduce(a, rounding="rtn")
ufunc: np.ufunc = hc.add_rtz
function: hc.Function = hc.add
mantissa, exponent = hc.frexp(a, out=(a, None))
hc.dot(a, a, axis=0, keepdims=True, rounding="rtp")
hc.select(a, -a, hc.isless(a, 0), out=a)
hc.any(hc.isnan(a), axis=0)


def pictures_in_files() -> None:
    picture: hc.io.Picture = hc.io.read_exr("a.exr", part="beauty")
    channel: NDArray[Any] = picture.channels["diffuse.R"]
    hc.io.write_exr("b.exr", {"R": channel}, dtype=half, overflow="clamp", compression="piz")
    hc.io.write_png("b.png", picture.rgba, transfer="srgb", bits=16)
    hc.io.write_half_domain_lut("exp.clf", hc.exp)


# What they give: a number, an array or a vector, as the arguments are.
assert_type(hc.exp(half(1)), half)
assert_type(hc.exp(1), half)
assert_type(hc.exp(a), NDArray[half])
assert_type(hc.exp(np.float16(1)), np.float16)
floats: NDArray[np.float16] = np.zeros(3, np.float16)
assert_type(hc.exp(floats, rounding="rtp"), NDArray[np.float16])
assert_type(hc.exp(hc.half4(1)), hc.half4)
assert_type(hc.add(a, 1), NDArray[half])
assert_type(hc.add(half(1), 0.5), half)
assert_type(hc.fma(2, hc.half3(1), half(3)), hc.half3)
assert_type(hc.isless(a, 1), NDArray[np.bool_])
assert_type(hc.isless(1, hc.half2(1)), vectors.short2)
assert_type(hc.ilogb(hc.half8(1)), vectors.int8)
assert_type(hc.pown(a, 3), NDArray[half])
assert_type(hc.pown(hc.half4(2), vectors.int4(1, 2, 3, 4)), hc.half4)
assert_type(hc.sincos(a), tuple[NDArray[half], NDArray[half]])
assert_type(hc.frexp(hc.half2(1, 2)), tuple[hc.half2, vectors.int2])
assert_type(hc.normalize(hc.half3(3, 4, 0)), hc.half3)
assert_type(hc.exp([1.5, 2]), NDArray[half])
assert_type(hc.add(a, [1, 2, 3]), NDArray[half])
assert_type(hc.exp(a, a.copy()), NDArray[half])
assert_type(hc.exp(a, out=(a.copy(),)), NDArray[half])
assert_type(hc.exp(hc.half4(1), out=hc.half4(0)), hc.half4)
assert_type(hc.add(np.float16(1), 2), np.float16)
assert_type(hc.add(floats, 1), NDArray[np.float16])
assert_type(hc.from_unorm8(255), half)
assert_type(hc.from_unorm8([0, 255]), NDArray[half])
assert_type(hc.from_unorm8(vectors.uchar4(255)), hc.half4)
assert_type(hc.nan(1), half)
assert_type(hc.select(half(1), half(2), True), half)
assert_type(hc.select(a, -a, [True, False, True]), NDArray[half])
assert_type(hc.any(a > 0), np.bool_)
# NumPy's stubs know of some of these only that they are floats: so halves may be.
hc.exp(a / 3), hc.exp(1 / a), hc.exp(a * a), hc.exp(np.sqrt(a)), hc.exp(np.mean(a))

# Reductions.
assert_type(hc.sum(a), half)
assert_type(hc.sum([1.5, 2]), half)
assert_type(hc.mean(hc.half4(1)), half)
assert_type(hc.norm(floats), np.float16)
assert_type(hc.vdot(a, [1, 2, 3]), half)
assert_type(hc.sum(a, axis=0, keepdims=True), NDArray[half])
assert_type(hc.sum(np.stack([a, a]), axis=0, out=a.copy()), NDArray[half])
assert_type(hc.cumsum(a), NDArray[half])
total: half = hc.sum(a, axis=0)

# Halves of numbers, arrays and text.
assert_type(half(0.1, rounding="rtp"), half)
assert_type(half("0x1.8p1"), half)
assert_type(half([1, 2]), NDArray[half])
assert_type(half(np.ones(3)), NDArray[half])
assert_type(hc.parse("0.1"), half)
assert_type(hc.parse(["0.1", "1"]), NDArray[half])
half(None), half(Fraction(1, 3)), half(Decimal("0.1"))


def exp_of(x: HalfLike) -> NDArray[half]:
    return hc.exp(np.asarray(x, half))


exp_of(1), exp_of([1, half(2)]), exp_of(a), exp_of(hc.half4(1)), exp_of(np.zeros(3, np.int8))


class Column:
    """It has what pandas' series have."""

    iloc = None

    def __array__(self, dtype: object = None, copy: object = None) -> NDArray[half]:
        return a


hc.exp(Column()), hc.sum(Column())
assert_type(half(Column()), NDArray[half])
assert_type(hc.convert(Column()), NDArray[half])

# Regions.
with hc.rounding("rtz", builtins=True):
    assert_type(hc.get_rounding(), RoundingMode)


@hc.rounding("rtn")
def third(x: half) -> half:
    return x / half(3)


# Conversions, loads and stores.
assert_type(hc.convert([0.1], hc.half, rounding="rtp"), NDArray[half])
assert_type(hc.convert(0.1), half)
assert_type(hc.convert("0.1"), half)
assert_type(hc.convert(Fraction(1, 3)), half)
assert_type(hc.convert(np.ones(3)), NDArray[half])
assert_type(hc.convert(a, np.int8, saturate=True), NDArray[np.int8])
assert_type(hc.convert(0.1, np.float32), np.float32)
assert_type(hc.convert(np.ones((5, 4)), hc.half4), hc.half4)
hc.convert(a, "char")
hc.convert_int_sat(a, rounding="rtp")
hc.convert_int_sat_rtp(a)
hc.vload4(range(2), np.zeros(8, half), out=np.zeros((2, 4), half))
hc.vstore_half_rtz([0.1], 0, a)
hc.vstorea_half3(np.zeros(3), 0, a, rounding="rtn")
integers: vectors.int4 = hc.convert_int4(np.zeros((5, 4), half))
bits: vectors.ushort4 = hc.as_ushort4(hc.half4(1))

# Vectors.
v = hc.half4(hc.half2(1, 2), 3, 0)
assert_type(v.lo, hc.half2)
assert_type(v + 2 * v, hc.half4)
assert_type(v.wzyx, hc.half4)
assert_type(v.xy, hc.half2)
assert_type(v.rgb, hc.half3)
assert_type(hc.half16(1).xxx, hc.half3)
assert_type(vectors.int4(1).zw, vectors.int2)
assert_type(v < 1, vectors.short4)
assert_type(vectors.int4(1) / 2, vectors.double4)
w: Any = v.s01
v.xy *= 2
v.yz = 3
v.lo = (1, 2)
v += v.w
np.zeros(10, dtype=hc.half4).view(hc.half4)
assert_type(vectors.short2(1, 2) & 3, vectors.short2)
assert_type(vectors.int8(1).lo, vectors.int4)

# Images.
rgba = hc.ImageFormat(hc.channel_order.RGBA, hc.channel_type.UNORM_INT8)
image = hc.Image(np.zeros((2, 3, 4), np.uint8), rgba)
sampler = hc.Sampler(True, hc.addressing_mode.REPEAT, hc.filter_mode.LINEAR)
hc.read_imageh(image, sampler, np.zeros((5, 2), np.float32), out=np.zeros((5, 4), half))
hc.read_imagef(image, (1, 2), rounding="rtp")
assert_type(hc.write_imageh(image, hc.int2(1, 2), hc.half4(1)), int)
assert_type(hc.get_image_channel_order(image), hc.channel_order)

# Constants.
assert_type(hc.M_PI_H, half)
digits: int = hc.HALF_DIG + hc.processor_info()["half_fp_config"]

# Intervals.
i = Interval(1, 2)
assert_type(i * 3, Interval)
assert_type(3 * i, Interval)
assert_type(1 / i - i**2, Interval)
assert_type(abs(-i), Interval)
assert_type(hc.exp(i), Interval)
assert_type(hc.fma(2, i, a), Interval)
bounds: Any = np.sqrt(i).sup  # NumPy's stubs say Any

# Reruns.
assert_type(stability.rerun(exp_of, a), stability.Rerun)
assert_type(stability.rerun(np.exp, a).stable, NDArray[np.bool_])


def two(x: NDArray[half], y: NDArray[half]) -> tuple[NDArray[half], NDArray[half]]:
    return -x, -y


assert_type(stability.rerun(two, a, a), tuple[stability.Rerun, ...])

# Domains kept.
safe.sqrt(lambda: a * a, rounding="rtp")


@safe.domains
def root(x: NDArray[half]) -> NDArray[half]:
    return np.sqrt(x)


assert_type(root(a), NDArray[half])
with safe.domains() as kept:
    root(a)
    assert_type(kept.saved, int)
assert_type(kept.calls[0].line, int)
