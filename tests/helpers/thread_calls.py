"""Calls of every kind that threads may share, for test_threads.py."""

import numpy as np

import halfcl as hc
from halfcl import _core, half, interval

FORMAT = hc.ImageFormat(hc.channel_order.RGBA, hc.channel_type.HALF_FLOAT)


class Operands:
    """Arrays for a call: of any halves, and of some whose results are no NaNs."""

    def __init__(self):
        rng = np.random.default_rng(0)
        n = 1800
        self.any, self.other = rng.integers(0, 1 << 16, (2, n)).astype(np.uint16).view(half)
        self.a, self.b, self.c = (rng.normal(size=(3, n)) * [[1], [30], [0.01]]).astype(half)
        self.f16, self.f32 = self.a.view(np.float16), rng.normal(size=n).astype(np.float32)
        self.i = rng.integers(-20, 20, n).astype(np.int32)
        self.mask = rng.random(n) < 0.5
        self.modes = rng.integers(0, 4, n).astype(np.uint8)
        self.m = self.a.reshape(36, 50)
        self.cube = self.b.reshape(10, 12, 15)
        self.strided, self.reversed = np.repeat(self.any, 3)[::3], self.other[::-1]
        self.swapped = self.any.astype(self.any.dtype.newbyteorder())
        self.unaligned = np.frombuffer(b"x" + self.any.tobytes(), np.uint8)[1:].view(half)
        self.v, self.w = (x.reshape(-1, 4).view(hc.half4) for x in (self.a, self.b))
        self.any_v = self.any.reshape(-1, 3)
        self.out = np.zeros(n, half)
        self.x = interval.Interval(np.minimum(self.a, self.b), np.maximum(self.a, self.b))


def in_place(function):
    """Return a call that returns the operands that a function changes."""

    def call_and_return(e):
        function(e)
        return e.a, e.any, e.out

    return call_and_return


def image_of(e):
    return hc.Image(e.a[:1600].reshape(20, 20, 4), FORMAT)


def read(e):
    linear = hc.Sampler(True, hc.addressing_mode.REPEAT, hc.filter_mode.LINEAR)
    return hc.read_imageh(image_of(e), linear, e.f32[:1200].reshape(-1, 2))


def write(e):
    texels = np.zeros((20, 20, 4), half)
    colors = np.arange(300 * 4).astype(half).reshape(-1, 4)
    at = np.abs(e.i[:600]).reshape(-1, 2)  # some twice: the last one stays
    hc.write_imageh(hc.Image(texels, FORMAT), at, colors)
    return texels


def at_random(e):
    with _core.Experiment("random", seed=7):
        return e.a / e.b, hc.exp(e.a), np.add.reduce(e.a), e.m @ e.m.T, hc.normalize(e.v)


def accelerated(call):
    def inside(e):
        with hc.accelerated():
            return call(e)

    return inside


#: Each gives arrays or numbers, or a tuple of them.
CALLS = {
    "add": lambda e: (e.any + e.other, hc.add(e.any, e.other, rounding="rtn")),
    "one": lambda e: (hc.exp(e.any), np.sin(e.any), hc.lgamma(e.any), -e.any, hc.tgamma(e.a)),
    "two": lambda e: (hc.atan2(e.any, e.other), hc.pow(e.any, e.other), hc.hypot(e.b, e.any)),
    "three": lambda e: (
        hc.fma(e.any, e.other, e.b),
        hc.mix(e.any, e.other, e.c),
        hc.clamp(e.any, -1, 1),
    ),
    "two results": lambda e: (
        *hc.frexp(e.any),
        *hc.modf(e.any),
        *hc.sincos(e.any),
        *hc.remquo(e.any, e.b),
    ),
    "truths": lambda e: (
        e.any < e.other,
        hc.isnan(e.any),
        hc.isless(e.any, e.other),
        np.isfinite(e.any),
    ),
    "integers": lambda e: (hc.ldexp(e.any, e.i), hc.pown(e.any, e.i), hc.ilogb(e.any)),
    "mixed": lambda e: (
        hc.add(e.any, e.f16),
        hc.add(e.f16, e.f16),
        e.any + 1.5,
        e.any + e.f32,
        hc.multiply(e.any, e.mask),
    ),
    "broadcast": lambda e: (e.m[:, :1] * e.m, e.m + e.m[0], e.cube + e.cube[:, :1], e.any * e.b[0]),
    "strided": lambda e: (
        e.strided + e.reversed,
        hc.exp(e.strided),
        e.m.T * e.m.T,
        e.cube[:, ::2] / e.cube[:, 1::2],
        hc.sqrt(e.m[:, ::-3]),
    ),
    "swapped": lambda e: (
        e.swapped + e.swapped,
        hc.exp(e.swapped),
        e.unaligned + e.any,
        hc.exp(e.unaligned),
    ),
    "where": in_place(lambda e: hc.add(e.any, e.other, out=e.out, where=e.mask)),
    "out": in_place(lambda e: hc.exp(e.a, out=e.out[::-1])),
    "in place": in_place(lambda e: hc.add(e.a, e.b, out=e.a)),
    "overlap": in_place(lambda e: np.add(e.any[1:], e.any[:-1], out=e.any[1:])),
    "reversed overlap": in_place(lambda e: hc.exp(e.a, out=e.a[::-1])),
    "sum": lambda e: (
        hc.sum(e.a),
        e.a.sum(),
        hc.sum(e.any),
        hc.sum(e.b, rounding="rtz"),
        np.add.reduce(e.c),
        hc.sum(e.a, dtype=np.float64),
        hc.sum(e.b, where=e.mask),
    ),
    "sum along": lambda e: tuple(
        hc.sum(e.cube, axis) for axis in (0, 1, 2, (0, 1), (0, 2), (1, 2), None)
    ),
    "numpy.sum along": lambda e: tuple(
        np.add.reduce(e.cube, axis) for axis in (0, 1, 2, (0, 2), None)
    ),
    "statistics": lambda e: (
        hc.mean(e.a),
        hc.var(e.cube, 0),
        hc.std(e.cube, 1),
        hc.norm(e.b),
        hc.sumsq(e.m, 0),
        np.mean(e.a),
        np.var(e.m, axis=0),
    ),
    "prod": lambda e: (hc.prod(e.m, 0), hc.prod(e.cube, 2), np.multiply.reduce(e.m)),
    "extrema": lambda e: (
        np.max(e.a),
        np.min(e.any),
        np.max(e.cube, 0),
        np.fmax.reduce(e.any),
        np.ptp(e.cube, 1),
        hc.fmin.reduce(e.any.reshape(36, 50), 1),
    ),
    "in order": lambda e: (
        np.subtract.reduce(e.a),
        hc.add.reduce(e.a, rounding="rtp"),
        np.divide.reduce(e.m, 1),
        np.hypot.reduce(e.c),
        np.subtract.accumulate(e.a),
    ),
    "running": lambda e: (
        np.cumsum(e.a),
        hc.cumsum(e.a),
        hc.cumsum(e.cube, 0),
        np.add.accumulate(e.m, 1),
        np.multiply.accumulate(e.a),
        np.maximum.accumulate(e.any),
    ),
    "segments": lambda e: (np.add.reduceat(e.a, np.arange(0, 1800, 90)), np.logaddexp(e.a, e.b)),
    "at": in_place(lambda e: np.add.at(e.a, np.abs(e.i), e.b)),
    "outer": lambda e: np.multiply.outer(e.a[:60], e.any[:60]),
    "products": lambda e: (
        hc.dot(e.a, e.b),
        np.dot(e.a, e.c),
        hc.vdot(e.a, e.b),
        np.vecdot(e.m, e.m) if hasattr(np, "vecdot") else 0,
        hc.dot(e.any_v, e.any_v),
    ),
    "matrices": lambda e: (
        e.m @ e.m.T,
        e.m.T @ e.m,
        np.matmul(e.cube, e.cube.swapaxes(1, 2)),
        e.m @ e.a[:50],
        hc.matmul(e.m, e.m.T),
        hc.matmul(e.m, e.m.T, rounding="rtp"),
    ),
    "sort": lambda e: (
        np.sort(e.any),
        np.sort(e.a, kind="stable"),
        np.sort(e.cube, axis=1),
        np.sort(e.any[::-2]),
    ),
    "argsort": lambda e: (
        np.argsort(e.any),
        np.argsort(e.a, kind="stable"),
        np.argsort(e.cube, axis=0),
        np.lexsort((e.a, e.i)),
    ),
    "select": lambda e: (
        np.partition(e.any, 900),
        np.argpartition(e.a, 7),
        np.median(e.a),
        np.unique(e.any),
        np.percentile(e.cube, 30, axis=1),
    ),
    "search": lambda e: (
        np.searchsorted(np.sort(e.a), e.any),
        np.searchsorted(np.sort(e.any), e.b, "right"),
        np.digitize(e.any, np.sort(e.a[:90])),
    ),
    "argmax": lambda e: (
        np.argmax(e.a),
        np.argmin(e.any),
        np.argmax(e.cube, 1),
        np.argmin(e.m, 0),
        np.nanargmax(e.b),
    ),
    "vectors": lambda e: (
        hc.normalize(e.v),
        hc.length(e.w),
        hc.dot(e.v, e.w),
        hc.distance(e.v, e.w),
        e.v.wzyx * 2,
        hc.cross(e.v, e.w),
        e.v > e.w,
        hc.length(e.any_v),
        hc.normalize(e.m, axis=0),
    ),
    "vectors in place": in_place(
        lambda e: (
            hc.normalize(e.a.reshape(-1, 3), out=e.a.reshape(-1, 3)),
            hc.normalize(e.any.reshape(4, -1), axis=0, out=e.any.reshape(4, -1)),
            hc.length(e.a.reshape(-1, 4)[:, :3], out=e.a.reshape(-1, 4)[:, 3]),
        )
    ),
    # NumPy makes no copy of an operand that is the output, though it is read along another axis.
    "vectors onto themselves": in_place(
        lambda e: (
            hc.length(e.a[:1600].reshape(40, 40), out=e.a[:1600].reshape(40, 40)),
            hc.distance(e.any, e.other, out=e.any),
            hc.dot(e.a, e.a, out=e.a, rounding=e.modes),
        )
    ),
    "modes": lambda e: (
        hc.divide(e.any, e.other, rounding=e.modes),
        hc.exp(e.b, rounding=e.modes[:1]),
        hc.normalize(e.v, rounding=e.modes[:450]),
        hc.add(e.m, e.m, rounding=e.modes[:50]),
    ),
    "casts": lambda e: (
        e.any.astype(np.float32),
        e.f32.astype(half),
        e.b.astype(np.int16),
        e.i.astype(half),
        e.any.astype(np.float64),
        hc.convert(e.f32, half, rounding="rtp"),
        hc.convert_int_sat_rtn(e.b),
        hc.to_unorm8(e.a),
        e.any.astype(bool),
    ),
    "memory": lambda e: (
        hc.vload4(range(450), e.any),
        hc.vload_half(range(1800), e.any),
        hc.select(e.any, e.other, e.i.astype(np.int16)),
        hc.as_short(e.any),
    ),
    "images": lambda e: (read(e), write(e)),
    "intervals": lambda e: tuple(
        x
        for i in (e.x + e.x, interval.exp(e.x), e.x.sum(), e.x * e.x, interval.sqrt(e.x))
        for x in (i.inf, i.sup)
    ),
    "accelerated": accelerated(
        lambda e: (
            e.f16 + e.f16,
            np.exp(e.f16),
            np.sort(e.f16),
            e.f16.astype(np.float32),
            e.f32.astype(np.float16),
            np.cumsum(e.f16),
            np.add.reduce(e.f16),
            np.matmul(e.f16.reshape(36, 50), e.f16.reshape(50, 36)),
            np.argsort(e.f16, kind="stable"),
            np.argmax(e.f16),
            e.f16.reshape(36, 50).sum(axis=0),
        )
    ),
    "at random": at_random,
}
