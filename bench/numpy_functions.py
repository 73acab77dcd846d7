"""Time NumPy's functions on halves, four ways: plain float16, accelerated float16, half, float32.

python bench/numpy_functions.py                              all calls, some 7 minutes on one core
python bench/numpy_functions.py np.sum sorting               those that contain "np.sum", the sorting
python bench/numpy_functions.py --sizes 1024 --rounds 50     one size, more rounds
python bench/numpy_functions.py --columns plain half         two of the ways
python bench/numpy_functions.py --json sweep.json            keep the figures, with the machine
python bench/numpy_functions.py --read sweep.json --markdown the table for the docs, nothing is timed

It prints what is slow: calls of accelerated float16 and of half that take longer than plain
float16's, calls that take longer than float32's at the largest size, what raises an exception, and
a summary. Plain is float16 with halfcl imported and halfcl.accelerate() off. Everything is in one
process on one core, in turns; what looks slow is timed again, in more rounds, before it counts.
"""  # noqa: E501

import argparse
import ast
import itertools
import json
import math
import sys
import timeit
import warnings
from pathlib import Path

import numpy as np
import ops
import report
import timing

import halfcl as hc

SIZES = (1 << 4, 1 << 10, 1 << 18)

#: Each way's dtype, and the call that switches acceleration on or off.
COLUMNS = {
    "plain": (np.float16, hc.decelerate),
    "accelerated": (np.float16, hc.accelerate),
    "half": (hc.half, hc.decelerate),
    "float32": (np.float32, hc.decelerate),
}
OURS = ("accelerated", "half")

LIMIT = 0.95  # speeds above this do not count as slower, since they are noise
ROUNDS, BUDGET = 15, 0.04  # seconds per column and size, or two calls if these take longer
AGAIN, BUDGET_AGAIN = 2, 0.1  # times as many rounds, for calls that look slow

# ---------------------------------------------------------------- what the statements are about


def side(n):
    """Return the side of a square matrix of n elements."""
    return max(1, math.isqrt(n))


def rows_of(k):
    """Return rows of k elements, n in all or slightly fewer."""
    return lambda rng, n: rng.uniform(-4, 4, (max(1, n // k), k))


def square(low, high):
    return lambda rng, n: rng.uniform(low, high, (side(n), side(n)))


def with_nans(rng, n):
    """Return numbers of which one in eight is NaN, but not the last."""
    values = rng.uniform(-4, 4, n)
    values[:-1:8] = np.nan
    return values


def blocks(rng, n):
    half_side = max(1, side(n) // 2)
    return rng.uniform(-4, 4, (half_side, 2, half_side, 2))


#: Arrays of the column's dtype, of n elements from -4 to 4 unless noted. All columns have the
#: same numbers.
FLOATS = {
    "a": ops.uniform(-4, 4),
    "b": ops.uniform(-4, 4),
    "p": ops.uniform(0.25, 4),  # positive
    "u": ops.uniform(-1, 1),
    "q": ops.uniform(0.98, 1.02),  # whose products stay finite
    "z": lambda rng, n: np.zeros(n),
    "out": ops.uniform(-4, 4),
    "s": lambda rng, n: np.sort(rng.uniform(-4, 4, n)),
    "nans": with_nans,
    "edges": lambda rng, n: np.linspace(-4, 4, 17),
    "coefficients": lambda rng, n: rng.uniform(-1, 1, 5),
    "w9": lambda rng, n: rng.uniform(0, 1 / 9, 9),
    "w101": lambda rng, n: rng.uniform(0, 1 / 101, 101),
    "m": square(-1, 1),
    "m2": square(-1, 1),
    "mout": square(-1, 1),
    "v": lambda rng, n: rng.uniform(-1, 1, side(n)),
    "v2": lambda rng, n: rng.uniform(-1, 1, side(n)),
    "nm": lambda rng, n: with_nans(rng, side(n) ** 2).reshape(side(n), side(n)),
    "cube": blocks,  # (h, 2, w, 2), of which blocks of two by two are axes 1 and 3
    "c4": lambda rng, n: rng.uniform(-4, 4, (4, max(1, n // 4))),  # columns of four
    **{f"r{k}": rows_of(k) for k in (2, 3, 4, 8, 9, 16, 32)},  # rows of k
    "r3b": rows_of(3),
    "k3": lambda rng, n: rng.uniform(-1, 1, (3, 3)),
    "k4": lambda rng, n: rng.uniform(-1, 1, (4, 4)),
    "s4": lambda rng, n: rng.uniform(-1, 1, (max(1, n // 16), 4, 4)),  # a stack of 4 x 4
    "s4b": lambda rng, n: rng.uniform(-1, 1, (max(1, n // 16), 4, 4)),
}

#: Arrays, and others, that are the same in all columns.
OTHERS = {
    "n": lambda rng, n: n,
    "mask": lambda rng, n: rng.random(n) < 0.5,
    "few": lambda rng, n: rng.random(n) < 1 / 16,
    "mmask": lambda rng, n: rng.random((side(n), side(n))) < 0.5,
    "truth": lambda rng, n: np.zeros(n, bool),
    "i": lambda rng, n: rng.permutation(n),
    "j": lambda rng, n: rng.integers(0, n, n),  # some twice, some never
    "c": lambda rng, n: rng.integers(0, 2, n),
    "c16": lambda rng, n: rng.integers(0, 16, n),
    "rows": lambda rng, n: rng.permutation(side(n)),
    "order": lambda rng, n: np.argsort(rng.random((side(n), side(n))), axis=1),
    "starts": lambda rng, n: np.arange(0, n, 4),
    "e": lambda rng, n: rng.integers(-3, 3, n).astype(np.int32),
    "i8": lambda rng, n: rng.integers(-100, 100, n).astype(np.int8),
    "u8": lambda rng, n: rng.integers(0, 200, n).astype(np.uint8),
    "i16": lambda rng, n: rng.integers(-2000, 2000, n).astype(np.int16),
    "i32": lambda rng, n: rng.integers(-2000, 2000, n).astype(np.int32),
    "i64": lambda rng, n: rng.integers(-2000, 2000, n),
    "f32": lambda rng, n: rng.uniform(-4, 4, n).astype(np.float32),
    "f64": ops.uniform(-4, 4),
    "c64": lambda rng, n: rng.uniform(-4, 4, n).astype(np.complex64),
    "l": lambda rng, n: rng.uniform(-4, 4, n).tolist(),
}

#: Variables derived from these, by the column's dtype t.
DERIVED = {
    "t": lambda rng, n, t: t,
    "x": lambda rng, n, t: t.type(1.5),
    "y": lambda rng, n, t: t.type(2.25),
    "one": lambda rng, n, t: t.type(1),
    "scalars": lambda rng, n, t: list(array(rng.uniform(-4, 4, n), t)),
    "g": lambda rng, n, t: np.ma.array(array(rng.uniform(-4, 4, n), t), mask=rng.random(n) < 0.1),
    "g2": lambda rng, n, t: np.ma.array(array(rng.uniform(-4, 4, n), t), mask=rng.random(n) < 0.1),
}

GLOBALS = {"np": np, "windows": np.lib.stride_tricks.sliding_window_view}

# ---------------------------------------------------------------- the statements

#: By family. Calls in place do not change the values, so that each call does the same work.
FAMILIES = {
    "arithmetic": """
a + b; a - b; a * b; a / p; a // p; a % p; -a; +a; abs(a); divmod(a, p); a * b + a
a + x; x - a; a * x; a / x; x / p; a // x; a % x; a + 1; a - 1.5; a * 2.5; a / 3
1 / p; a // 2; a % 1; 2 - a; a.__iadd__(z); out.__isub__(z); out.__imul__(one)
out.__itruediv__(one); out.__imul__(1.0); out.__iadd__(0); np.add(a, b); np.subtract(a, b)
np.multiply(a, b); np.divide(a, p); np.floor_divide(a, p); np.remainder(a, p); np.add(a, b, out=out)
np.subtract(a, b, out=out); np.multiply(a, x, out=out); np.divide(a, p, out=out)
np.add(a, b, where=mask, out=out); np.multiply(a, b, where=mask, out=out)
np.sqrt(p, where=mask, out=out); np.add(a, b, dtype=np.float32); np.fmod(a, p); np.negative(a)
np.positive(a); np.absolute(a); np.fabs(a); m + v; m * v[:, None]; m - m.T; a[::2] + b[::2]
a[::-1] * b; np.add(a[::2], b[::2], out=out[::2]); m.T + m2.T; np.add.outer(v, v2)
np.multiply.outer(v, v2); np.subtract.outer(v, v2); a + f32; a * f64; a + i8; a * c
""",
    "comparisons": """
a < b; a <= b; a > b; a >= b; a == b; a != b; a < x; a > 1; a == 0; a != 1.5
np.less(a, b, out=truth); np.logical_and(a, b); np.logical_or(a, b); np.logical_xor(a, b)
np.logical_not(a); (a > x) & (a < y); np.maximum(a, b); np.minimum(a, b); np.fmax(a, b)
np.fmin(a, b); np.maximum(a, 0); np.minimum(a, x); np.isnan(a); np.isinf(a); np.isfinite(a)
np.signbit(a); np.isnan(nans).any(); np.isposinf(a); np.isclose(a, b); np.allclose(a, a)
np.allclose(a, b); np.array_equal(a, a); np.array_equal(a, b); np.isin(a, b); np.isin(a, edges)
np.array_equiv(m, m)
""",
    "functions": """
np.sqrt(p); np.cbrt(a); np.square(a); np.reciprocal(p); np.exp(a); np.exp2(a); np.expm1(a)
np.log(p); np.log2(p); np.log10(p); np.log1p(p); np.sin(a); np.cos(a); np.tan(a); np.arcsin(u)
np.arccos(u); np.arctan(a); np.sinh(a); np.cosh(a); np.tanh(a); np.arcsinh(a); np.arccosh(1 + p)
np.arctanh(u * x / y); np.degrees(a); np.radians(a); np.hypot(a, b); np.arctan2(a, b)
np.logaddexp(a, b); np.logaddexp2(a, b); np.copysign(a, b); np.nextafter(a, b); np.spacing(a)
np.ldexp(a, e); np.frexp(a); np.modf(a); np.heaviside(a, x); np.sign(a); np.sinc(a); np.i0(u)
np.exp(a, out=out); np.sin(a, out=out); np.exp(m.T); np.sqrt(p[::2]); np.float_power(p, x)
np.unwrap(a); a ** 2; a ** 3; p ** .5; p ** x; p ** -1; 2 ** a; x ** a; np.power(a, 2)
np.power(p, .5); np.power(a, 3); p ** a; np.power(p, x); np.square(a, out=out)
""",
    "rounding": """
np.floor(a); np.ceil(a); np.trunc(a); np.rint(a); np.fix(a); np.round(a); np.round(a, 2)
np.around(a, 1); a.round(); np.clip(a, -1, 1); np.clip(a, x, y); a.clip(0, None)
np.clip(a, x, y, out=out); np.nan_to_num(nans); np.nan_to_num(a); np.clip(m, -v, 1)
""",
    "compound": """
1 / (1 + np.exp(-a)); np.where(a > 0, a, a * x); (a - a.mean()) / a.std()
np.exp(m - m.max(axis=1, keepdims=True)); np.sqrt(np.sum(a * a)); np.mean((a - b) ** 2)
np.abs(a - b).max(); m / np.linalg.norm(m, axis=1, keepdims=True); (a - a.min()) / np.ptp(a)
np.sum(np.abs(a - b) < x); a[1:] - a[:-1]; m[1:, 1:] + m[:-1, :-1]; 0.5 * a * (1 + np.tanh(a))
""",
    "casts": """
a.astype(bool); a.astype(np.int8); a.astype(np.uint8); a.astype(np.int16); a.astype(np.int32)
a.astype(np.int64); a.astype(np.float32); a.astype(np.float64); a.astype(np.complex64); a.astype(t)
a.astype(t, copy=False); p.astype(np.uint16); mask.astype(t); i8.astype(t); u8.astype(t)
i16.astype(t); i32.astype(t); i64.astype(t); f32.astype(t); f64.astype(t); c64.real.astype(t)
c64.astype(t); a[::2].astype(np.float32); f32[::2].astype(t); m.T.astype(np.float32); a.copy()
a[::2].copy(); m.T.copy(); np.ascontiguousarray(m.T); np.copyto(out, a)
np.copyto(out, f32, casting="unsafe"); np.copyto(out, a, where=mask); a.byteswap(); a.view(np.uint8)
a.tobytes(); np.frombuffer(a.tobytes(), t); a.flatten(); m.ravel(order="F"); a.reshape(4, -1)
np.asarray(a, dtype=np.float32); np.asfortranarray(m); np.array(a); np.result_type(a, 1.0)
""",
    "creation": """
np.zeros(n, t); np.ones(n, t); np.empty(n, t); np.full(n, x); np.full(n, 1.5, t)
np.arange(n, dtype=t); np.zeros_like(a); np.linspace(0, 1, n, dtype=t); np.array(l, t)
np.array(scalars); np.asarray(scalars, t); np.ones_like(a); np.full_like(a, x)
np.eye(v.size, dtype=t); np.logspace(0, 1, n, dtype=t); np.geomspace(1, 2, n, dtype=t)
np.arange(0, 1, 1 / n, dtype=t); np.fromiter(l, t, n); np.meshgrid(v, v2); np.tril(m); np.triu(m)
np.diag(v); np.diag(m); np.vander(a, 4); np.tri(v.size, dtype=t)
np.meshgrid(v, v2, indexing="ij", sparse=True)
""",
    "reductions": """
np.sum(a, where=mask); np.mean(a, where=mask); np.std(a, where=mask)
np.max(a, where=mask, initial=x); np.prod(q, where=mask); np.any(a, where=mask)
np.sum(m, axis=0, where=mmask); np.sum(m, axis=1, keepdims=True); np.max(m, axis=0, keepdims=True)
np.mean(m, axis=1, keepdims=True); np.sum(a, dtype=np.float32); np.mean(a, dtype=np.float32)
np.sum(m, axis=0, dtype=np.float32); np.sum(m, axis=1, dtype=np.float32)
np.cumsum(a, dtype=np.float32); np.mean(m, axis=0, dtype=np.float32); np.var(a, dtype=np.float32)
np.std(m, axis=1, ddof=1); np.prod(q, dtype=np.float32); np.sum(a, initial=x); np.prod(q, initial=x)
np.max(a, initial=x); np.min(m, axis=0, initial=x); np.sum(m, axis=1, out=v); np.subtract.reduce(a)
np.logical_and.reduce(a); np.logical_or.reduce(m, axis=1); np.multiply.reduce(q)
np.divide.reduce(q); np.add.reduce(m); np.maximum.reduce(m, axis=None); np.fmax.reduce(nans)
np.hypot.reduce(u); np.logaddexp.reduce(u); a.sum(); a.mean(); a.std(); a.max(); a.argmax()
m.sum(0); m.sum(1); m.mean(0); m.max(1); m.any(1); a[::2].sum(); m.T.sum(0)
np.add.reduceat(a, starts); np.maximum.reduceat(a, starts); np.multiply.reduceat(q, starts)
np.minimum.reduceat(a, starts); np.add.at(out, j, z); np.subtract.at(out, j, z)
np.maximum.at(out, j, a); np.multiply.at(out, j, one); np.add.at(out, j, 0)
np.bincount(c16, weights=a); np.bincount(j, weights=a); np.average(a, weights=p)
np.average(m, axis=1, weights=m2 ** 2 + 1); np.add.accumulate(a); np.multiply.accumulate(q)
np.subtract.accumulate(a); np.logical_or.accumulate(a); np.fmax.accumulate(a); np.cumsum(a, out=out)
a.cumsum(); np.diff(a, 2); np.ediff1d(a); np.trapezoid(a, s); np.gradient(a, x); np.gradient(m)
np.linalg.norm(a, 1); np.linalg.norm(a, np.inf); np.linalg.norm(m); np.linalg.norm(m, 1)
np.linalg.norm(a - b); np.nansum(nans); np.nanmean(nans); np.nanstd(nans); np.nanmax(nans)
np.nanmin(nans); np.nanprod(nans); np.nanvar(nans); np.nanmedian(nans); np.nanpercentile(nans, 30)
np.nanargmax(nans); np.nanargmin(nans); np.nancumsum(nans); np.nansum(nm, axis=0)
np.nansum(nm, axis=1); np.nanmean(nm, axis=0); np.nanmean(nm, axis=1); np.nanstd(nm, axis=0)
np.nanmax(nm, axis=0); np.nanmax(nm, axis=1); np.nanmin(nm, axis=0); np.nanmedian(nm, axis=1)
np.nanquantile(nm, .3, axis=1); np.median(r9, axis=-1); np.median(m); np.percentile(a, (10, 50, 90))
np.quantile(m, (.25, .75), axis=0); np.percentile(a, 30, method="nearest"); np.cov(c4)
np.corrcoef(c4); np.cov(a, b); np.corrcoef(a, b); windows(a, 8).mean(-1); windows(a, 8).max(-1)
windows(a, 8).sum(-1); windows(m, (3, 3)).sum((2, 3)); np.apply_along_axis(np.sum, 1, m)
np.histogram(a, 16); np.histogram(a, edges); np.histogram(a, 16, (-4, 4))
np.histogram(a, 16, weights=p); np.digitize(a, edges); np.histogram2d(a, b, 8)
np.interp(a, edges, edges); np.interp(a, s, b); np.searchsorted(s, a); np.searchsorted(edges, a)
np.searchsorted(s, a, side="right"); np.searchsorted(s, x); np.polyval(coefficients, a)
np.polyval([1, 2, 3], a)
""",
    "products": """
np.dot(a, b); np.inner(a, b); np.vdot(a, b); np.outer(v, v2); np.matmul(a, b); np.vecdot(m, m2)
np.vecdot(r4, r4); m @ m2; m.T @ m2; m @ m2.T; m.T @ m2.T; m @ m.T; np.matmul(m, m2, out=mout)
np.dot(m, m2); np.inner(m, m2); m.dot(v); v @ m; m @ v; m.T @ v; v @ m.T; np.dot(m, v); s4 @ s4b
s4 @ k4; k4 @ s4; r3 @ k3; r3 @ k3.T; r4 @ k4; k3 @ r3.T; r16 @ r16[0]; s4 @ s4b.transpose(0, 2, 1)
np.matmul(m[:, None, :], m2[:, :, None]); np.tensordot(m, m2, 1); np.tensordot(m, m2, 2)
np.linalg.multi_dot((m, m2, v)); np.kron(k3, m); np.kron(v, w9); np.linalg.matrix_power(m, 3)
np.linalg.matrix_power(s4, 3); np.cross(r3, r3b); np.cross(r3, r3b[0]); np.trace(m)
np.einsum("ij,jk", m, m2); np.einsum("i,i->", a, b); np.einsum("ij,ij->i", m, m2)
np.einsum("ij->j", m); np.einsum("ij->i", m); np.einsum("ij->", m); np.einsum("ij,j->i", m, v)
np.einsum("i,j->ij", v, v2); np.einsum("ii->i", m); np.einsum("ijk,ikl->ijl", s4, s4b)
np.einsum("ii", m); np.einsum("ij,jk", m, m2, optimize=True)
np.einsum("ij,jk,k->i", m, m2, v, optimize=True); np.einsum("ij->ji", m); np.einsum("i,i->i", a, b)
np.einsum("ij,kj->ik", r3, k3); np.einsum("nij,nj->ni", s4, s4b[:, 0]); np.einsum("i->", a)
np.convolve(a, w9, "full"); np.convolve(a, w9, "same"); np.convolve(a, w9, "valid")
np.convolve(a, w101, "full"); np.convolve(a, w101, "same"); np.convolve(a, w101, "valid")
np.correlate(a, w9, "full"); np.correlate(a, w9, "same"); np.correlate(a, w9, "valid")
np.correlate(a, w101, "full"); np.correlate(a, w101, "same"); np.correlate(a, w101, "valid")
np.fft.fft(a); np.fft.rfft(a); np.fft.rfft2(m); np.fft.fftshift(a)
""",
    "sorting": """
np.sort(a); np.sort(m, axis=0); np.sort(m, axis=1); np.sort(m, axis=None); np.sort(r4); np.sort(r8)
np.sort(r16); np.sort(r32); np.sort(c4, axis=0); np.sort(r9); np.sort(a, kind="stable"); np.sort(s)
np.argsort(a); np.argsort(m, axis=0); np.argsort(m, axis=1); np.argsort(r4); np.argsort(r8)
np.argsort(r16); np.argsort(r32); np.argsort(a, kind="stable"); np.argsort(c4, axis=0); s.sort()
np.partition(a, n // 2); np.partition(m, 3, axis=0); np.partition(m, 3, axis=1); np.partition(r8, 4)
np.partition(a, (1, n // 2)); np.argpartition(a, n // 2); np.argpartition(m, 3, axis=1)
np.argpartition(r8, 4); np.lexsort((a, b)); np.lexsort((r8, r8)); np.unique(a)
np.unique(a, return_counts=True); np.unique(a, return_inverse=True); np.unique(r4, axis=0)
np.sort(a)[::-1]; np.unique(a, return_index=True); np.intersect1d(a, b); np.union1d(a, b)
np.setdiff1d(a, b); np.lexsort((a, c))
""",
    "choosing": """
np.nonzero(a); np.flatnonzero(a); np.argwhere(a); np.nonzero(a > x); np.where(a)
np.where(mask, a, b); np.where(mask, a, x); np.where(mask, a, 0); np.where(few, a, b)
np.where(a > b, a, b); np.where(mmask, m, v); a[mask]; a[few]; m[mmask]; a[a > 0]
out.__setitem__(mask, x); out.__setitem__(few, 1.5); out.__setitem__(mask, a[mask])
mout.__setitem__(mmask, 0); a[i]; a[j]; m[rows]; m[:, rows]; m[rows[:, None], rows]
out.__setitem__(i, a); out.__setitem__(j, x); mout.__setitem__(rows, m); np.take(a, i)
np.take(m, rows, axis=1); np.take(a, j, mode="clip"); np.take_along_axis(m, order, 1)
np.put(out, i, a); np.take(a, i, out=out, mode="clip"); np.put_along_axis(mout, order, m, 1)
np.putmask(out, mask, a); np.place(out, mask, a); np.choose(c, (a, b))
np.select([a > x, a < 0], [a, b], x); np.compress(mask, a); np.extract(mask, a); np.delete(a, 3)
np.insert(a, 3, x); np.append(a, b); np.repeat(a, 3); np.repeat(m, 2, axis=0); np.tile(a, 3)
np.tile(m, (2, 2)); np.roll(a, 1); np.roll(m, 1, axis=1); np.flip(a).copy(); np.flip(m, 1).copy()
np.rot90(m).copy(); np.concatenate((a, b)); np.stack((a, b)); np.stack((a, b), axis=-1)
np.hstack((m, m2)); np.vstack((m, m2)); np.concatenate((m, m2), axis=1); np.column_stack((a, b))
np.pad(a, 4); np.pad(a, 4, mode="edge"); np.pad(a, 4, mode="reflect"); np.pad(m, 1)
np.pad(m, 1, mode="edge"); np.pad(m, 1, mode="reflect"); np.array_split(a, 4)
np.broadcast_to(v, m.shape).copy(); m.transpose().copy(); s4.transpose(2, 1, 0).copy()
np.diagonal(m).copy(); out.__setitem__(slice(None), a); out.__setitem__(slice(None), x)
out.__setitem__(slice(None), 1.5); out.fill(x); out.fill(1); out.__setitem__(slice(None), f32)
out.__setitem__(slice(None), i32); mout.__setitem__(slice(None), v); np.fill_diagonal(mout, x)
a[1:-1]; m[1]; m[:, 1]; a[None]; m.T; np.searchsorted(edges, m); np.block([[m, m2], [m2, m]])
np.resize(a, 2 * n); np.piecewise(a, [mask], [x, 0])
""",
    "python": """
a.tolist(); m.tolist(); list(a); list(m); sum(scalars); max(scalars); sorted(scalars); a.item(3)
a[3]; m[1, 2]; str(a); repr(a); str(m); np.array2string(a)
a.view(np.uint16 if t.itemsize == 2 else np.uint32); bytes(a.data); a.dtype == t; len(a)
out.__setitem__(3, x); out.__setitem__(3, 1.5); mout.__setitem__((1, 2), 1)
[float(value) for value in a[:16]]; x in a; a.nbytes; np.array([x, y]); np.asarray(x)
np.asarray(1.5, t); np.can_cast(t, np.float32); np.promote_types(t, np.int8); np.finfo(t)
""",
    "scalars": """
x + y; x - y; x * y; x / y; x // y; x % y; x ** 2; x ** y; -x; abs(x); x + 1; x * 2.5; 1 / x; x < y
x == 1; x == y; x > 0; hash(x); float(x); int(x); bool(x); repr(x); str(x); f"{x:.2f}"; round(x, 1)
x.item(); t.type(1.5); t.type(x); x.astype(np.float32); divmod(x, y); np.exp(x); np.sqrt(x)
np.sin(x); np.log(x); np.floor(x); np.maximum(x, y); np.isnan(x); np.add(x, y); np.abs(x); max(x, y)
np.float32(x) + x; x + np.float32(1); x * np.int8(2); np.clip(x, 0, 1); np.round(x, 1)
""",
    "masked": """
g.sum(); g.mean(); g.std(); g.max(); g.min(); g + g2; g * 2; g / g2; np.ma.sqrt(g); g.filled(0)
g.compressed(); np.ma.median(g); np.ma.masked_where(a > x, a); np.ma.masked_invalid(nans)
g.argmax(); g.cumsum(); np.ma.average(g); g > 0
""",
}  # fmt: skip

#: Reductions at each place below: {x} is the array, {axis} what follows it.
REDUCTIONS = """
np.sum({x}{axis}); np.mean({x}{axis}); np.std({x}{axis}); np.var({x}{axis}); np.prod({x}{axis})
np.max({x}{axis}); np.min({x}{axis}); np.ptp({x}{axis}); np.any({x}{axis}); np.all({x}{axis})
np.median({x}{axis}); np.percentile({x}, 30{axis}); np.quantile({x}, .3{axis})
np.average({x}{axis}); np.nansum({x}{axis}); np.nanmean({x}{axis}); np.nanmax({x}{axis})
np.nanstd({x}{axis}); np.count_nonzero({x}{axis}); np.linalg.norm({x}{axis})
"""

#: Reductions that accept only one axis.
ALONG = """
np.argmax({x}{axis}); np.argmin({x}{axis}); np.cumsum({x}{axis}); np.cumprod({x}{axis})
np.diff({x}{axis}); np.gradient({x}{axis}); np.maximum.accumulate({x}{axis})
np.minimum.accumulate({x}{axis}); np.trapezoid({x}{axis})
"""

#: Over everything, the axes of a square, short rows, columns, blocks of two by two.
PLACES = (
    ("a", ""),
    ("m", ", axis=0"),
    ("m", ", axis=1"),
    *((f"r{k}", ", axis=-1") for k in (2, 3, 4, 8, 16, 32)),
    ("c4", ", axis=0"),
    ("cube", ", axis=(1, 3)"),
)


def split(table):
    return [text for line in table.split("\n") for text in line.split("; ") if text]


def reductions_with_axes():
    """Yield the reductions, each with its arrays and axes."""
    for template in split(REDUCTIONS) + split(ALONG):
        for x, axis in PLACES:
            if "(" not in axis or template in split(REDUCTIONS):
                yield template.format(x=x, axis=axis)


def statements():
    """Yield every call, with its family."""
    for family, table in FAMILIES.items():
        yield from ((text, family) for text in split(table))
    yield from ((text, "places") for text in reductions_with_axes())


def choose(parts):
    """Return the statements that contain, or whose family contains, a part; all without parts."""
    return [
        (text, family)
        for text, family in statements()
        if not parts or any(part in text or part in family for part in parts)
    ]


# ---------------------------------------------------------------- timing


def array(values, dtype):
    """Return an array of the dtype with halves' values."""
    return timing.aligned_copy(np.asarray(values, np.float16).astype(dtype))


def setup(statement, size, dtype):
    """Return the variables of a statement, with the same numbers for every dtype."""
    dtype = np.dtype(dtype)
    variables = dict(GLOBALS)
    tree = ast.parse(statement, mode="eval")
    for name in {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}:
        rng = np.random.default_rng((size, *name.encode()))
        if name in FLOATS:
            variables[name] = array(FLOATS[name](rng, size), dtype)
        elif name in OTHERS:
            variables[name] = OTHERS[name](rng, size)
        elif name in DERIVED:
            variables[name] = DERIVED[name](rng, size, dtype)
    return variables


class Block:
    """A column of timing.best_of: runs a timer count times, until its budget is spent.

    From then on, or once it has raised an exception, it costs nothing and is infinitely slow.
    `prepare` returns the timer for a dtype.
    """

    def __init__(self, prepare, dtype, switch, budget):
        self.switch = switch
        self.left, self.calls, self.error = budget, 0, ""
        hc.decelerate()  # prepare the variables alike for all columns
        try:
            self.timer = prepare(dtype)
        except Exception as error:
            self.fail(error)

    def fail(self, error):
        lines = str(error).splitlines() or [""]
        self.error = f"{type(error).__name__}: {lines[0]}"

    def __call__(self, count):
        # The first call warms up and two are timed, however long they take.
        if self.error or (self.left < 0 and self.calls > 2):
            return math.inf
        self.switch()
        try:
            if count > 1:
                self.timer.timeit(1)  # the switch leaves cold caches
            seconds = self.timer.timeit(count)
        except Exception as error:
            self.fail(error)
            return math.inf
        self.left -= seconds
        self.calls += 1
        return seconds


def times(statement, size, columns, rounds, budget):
    """Return {column: seconds} and {column: the error's text}, timed in turns."""

    def prepare(dtype):
        return timeit.Timer(statement, globals=setup(statement, size, dtype))

    blocks = {column: Block(prepare, *COLUMNS[column], budget) for column in columns}
    best = timing.best_of(blocks, rounds)
    hc.decelerate()
    errors = {column: block.error for column, block in blocks.items() if block.error}
    return {c: seconds for c, seconds in best.items() if c not in errors}, errors


def slow_pairs(seconds, largest):
    """Return ["half/plain", ...]: the reported columns that are slower than a reference."""
    references = ("plain", "float32") if largest else ("plain",)
    return [
        f"{column}/{reference}"
        for column, reference in itertools.product(OURS, references)
        if column in seconds
        and reference in seconds
        and seconds[reference] / seconds[column] < LIMIT
    ]


def columns_to_time_again(seconds):
    """Return the columns to time again: not plain float16 if it takes more than twice as long."""
    ours = [seconds[column] for column in OURS if column in seconds]
    return [column for column in seconds if column != "plain" or seconds["plain"] < 2 * max(ours)]


def measure(statement, size, options):
    """Measure a row of the result; a column is slow if it was slow twice."""
    largest = size == max(options.sizes)
    seconds, errors = times(statement, size, options.columns, options.rounds, BUDGET)
    if slow := slow_pairs(seconds, largest):
        # Repeat only these figures, since other work on the machine slows single columns, too.
        columns, rounds = columns_to_time_again(seconds), AGAIN * options.rounds
        seconds |= times(statement, size, columns, rounds, BUDGET_AGAIN)[0]
        slow = [pair for pair in slow_pairs(seconds, largest) if pair in slow]
    return {"statement": statement, "size": size, "seconds": seconds, "errors": errors,
            "slow": slow}  # fmt: skip


def sweep(options):
    """Measure all figures; return them with the machine."""
    calls = choose(options.parts)
    rows = []
    for done, (statement, family) in enumerate(calls):
        if done % 100 == 0:
            print(f"{done} of {len(calls)} calls", file=sys.stderr, flush=True)
        # The number of scalars is the same at every size.
        there = options.sizes[:1] if family == "scalars" else options.sizes
        rows += [measure(statement, size, options) for size in there]
    return {"machine": timing.machine(), "columns": options.columns, "rounds": options.rounds,
            "rows": rows}  # fmt: skip


# ---------------------------------------------------------------- reports


def sizes(result):
    return sorted({row["size"] for row in result["rows"]})


def ratios_of(rows, column, reference):
    """Return pairs of speed relative to the reference and row, the slowest first."""
    pairs = [
        (row["seconds"][reference] / row["seconds"][column], row)
        for row in rows
        if column in row["seconds"] and reference in row["seconds"]
    ]
    return sorted(pairs, key=lambda pair: pair[0])


def slower(rows, column, reference):
    slow = [row for row in rows if f"{column}/{reference}" in row["slow"]]
    return ratios_of(slow, column, reference)


def list_slow(title, pairs, column, reference):
    """Yield a list of slow calls, as lines."""
    yield f"\n{title}: {len(pairs)}"
    if pairs:
        yield f"{'times as fast':>13} {column + ', µs':>16} {reference + ', µs':>16} {'n':>7}  call"
    for ratio, row in pairs:
        ours, theirs = (1e6 * row["seconds"][name] for name in (column, reference))
        yield f"{ratio:13.2f} {ours:16.2f} {theirs:16.2f} {row['size']:7}  {row['statement']}"


def exceptions(rows):
    """Yield a line for each call and column that raises an exception."""
    sizes = {}
    for row in rows:
        for column, error in row["errors"].items():
            sizes.setdefault((column, row["statement"], error), []).append(str(row["size"]))
    yield f"\nraises an exception: {len(sizes)}"
    for (column, statement, error), where in sizes.items():
        yield f"{column:12} {statement}, n = {', '.join(where)}: {error}"


HEADS = (
    "elements", "dtype", "calls", "times as fast as float16", "slower than float16",
    "times as fast as float32", "slower than float32",
)  # fmt: skip


def summary(result):
    """Yield a row of cells for each size and column: geometric means and counts."""
    for size in sizes(result):
        rows = [row for row in result["rows"] if row["size"] == size]
        for column in (name for name in result["columns"] if name != "plain"):
            cells = []
            for reference in ("plain", "float32"):
                ratios = [ratio for ratio, _ in ratios_of(rows, column, reference)]
                mean = f"{report.geometric_mean(ratios):.2f}" if ratios else ""
                # Only what slow_pairs() looks for has been timed again.
                certain = column in OURS and (reference == "plain" or size == max(sizes(result)))
                count = str(len(slower(rows, column, reference))) if certain and ratios else ""
                cells += [mean, count] if column != reference else ["", ""]
            calls = sum(column in row["seconds"] for row in rows)
            yield [report.size(size).removeprefix("n = "), column, str(calls), *cells]


def conditions(result):
    facts = result["machine"]
    return report.conditions(facts, {"NumPy": f"NumPy {facts['numpy']}"})


def markdown(result):
    names = {"accelerated": "float16, accelerated", "half": "`half`"}
    yield "| " + " | ".join(HEADS) + " |"
    yield "|---:|---|" + "---:|" * (len(HEADS) - 2)
    for size, column, *cells in summary(result):
        yield "| " + " | ".join([size, names.get(column, column), *cells]) + " |"
    yield f"\n{conditions(result)}"


def reports(result):
    """Yield all reports, as lines."""
    rows, largest = result["rows"], max(sizes(result))
    for column in OURS:
        yield from list_slow(f"{column} slower than plain float16", slower(rows, column, "plain"),
                          column, "plain")  # fmt: skip
    rows_there = [row for row in rows if row["size"] == largest]
    for column in OURS:
        yield from list_slow(f"{column} slower than float32, {report.size(largest)}",
                          slower(rows_there, column, "float32"), column, "float32")  # fmt: skip
    yield from exceptions(rows)
    yield f"\n{len({row['statement'] for row in rows})} calls: geometric means, counts"
    widths = [len(head) for head in HEADS]
    widths[1] = max(map(len, COLUMNS))
    for cells in (HEADS, *summary(result)):
        yield "  ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
    yield ""
    yield from (f"{what}: {value}" for what, value in result["machine"].items())


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="part", help="of statements, or of families: "
                        + ", ".join([*FAMILIES, "places"]))  # fmt: skip
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="elements, powers of 4")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--columns", nargs="+", choices=COLUMNS, default=list(COLUMNS))
    parser.add_argument("--json", metavar="FILE", help="keep all figures there")
    parser.add_argument("--read", metavar="FILE", help="report kept figures; nothing is timed")
    parser.add_argument(
        "--markdown", action="store_true", help="print only the summary, as a table"
    )
    parser.add_argument("--core", type=int, help="the core to run on; default the last")
    options = parser.parse_args()
    if options.read:
        result = json.loads(Path(options.read).read_text(encoding="utf-8"))
    else:
        timing.settle(options.core)
        np.seterr(all="ignore")
        warnings.simplefilter("ignore")
        if not choose(options.parts):
            parser.error("no statement contains any of these parts")
        result = sweep(options)
    if options.json:
        Path(options.json).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    for line in (markdown if options.markdown else reports)(result):
        print(line)


if __name__ == "__main__":
    main()
