"""NumPy's calls on half and on float16, with the notes of docs/reference/numpy.md."""

import numpy as np

from halfcl import half

HALF = np.dtype(half)


def arguments(t):
    """Return the variables of the expressions below, in a dtype.

    The numbers are such that sums and products are exact: any order of summation agrees.
    """
    return {
        "np": np,
        "t": t,
        "x": np.array([3, -1.5, 0, 2, 0.25, -4, 1, 8], t),
        "y": np.array([1, 2, -2, 0.5, 4, 1, 1, -8], t),
        "p": np.array([1, 2, 4, 8, 0.5, 0.25], t),
        "n": np.array([1, np.nan, -2, np.inf, 0, 4, -0.0], t),
        "f": np.array([0.3, -1.7, 2.5, 3.5, -0.5, 1e-3], t),
        "m": np.array([[1, 2, 0], [0.5, -3, 1], [4, 0, 2]], t),
        "k": np.arange(24, dtype=t).reshape(2, 3, 4),
        "e": np.array([], t),
        "b": np.array([1, 0, 1, 1, 0, 0, 1, 1], bool),
    }


def outcome(expression, t):
    """Return results as (dtype, shape, values), with half for float16; or the exception."""
    try:
        return describe(eval(expression, arguments(t)), t)
    except Exception as error:
        return next(c for c in type(error).__mro__ if c.__module__ == "builtins")


def describe(result, t):
    """Describe a result; float16 counts as half only if it was asked for."""
    name = "float16" if t is np.float16 else "half"
    if isinstance(result, tuple | list):
        return [describe(part, t) for part in result]
    if isinstance(result, str | bytes | dict | np.dtype):
        return str(result).replace(name, "half")
    if isinstance(result, type):
        return result.__name__
    array = np.asarray(result)
    dtype = HALF if array.dtype == t else array.dtype
    return dtype, array.shape, type(result).__name__.replace(name, "half"), str(array.tolist())


CALLS = """
np.sum(x)
np.sum(k, axis=1)
np.sum(k, axis=(0, 2), keepdims=True)
np.sum(x, where=b)
np.sum(n[6:])
np.sum(n[6:], where=[False], out=np.ones((), t))
np.sum(n[6:], initial=-0.0)
np.sum(x, initial=2)
np.sum(x, dtype=np.float32)
np.sum(x, dtype=np.float64)
np.sum(x.astype("f4"), dtype=t)
np.sum(e)
np.sum(k, axis=1, out=np.zeros((2, 4), t))
np.prod(p)
np.prod(m, axis=0)
np.prod(e)
np.mean(x)
np.mean(k, axis=1)
np.mean(x, where=b)
np.mean(x, dtype=np.float64)
np.std(y)
np.std(k, axis=2, ddof=1)
np.var(x)
np.var(k, axis=0)
np.average(p[:4], weights=[1, 1, 2, 4])
np.average(k, axis=1)
np.cumsum(x)
np.cumsum(m, axis=0)
np.cumsum(x, dtype=np.float32)
np.cumprod(p)
np.cumprod(m, axis=1)
np.cumulative_sum(x, include_initial=True)
np.cumulative_prod(p)
np.diff(x)
np.diff(m, n=2, axis=0)
np.ediff1d(x)
np.gradient(p)
np.trapezoid(x)
np.cross(m[0], m[1])
np.min(x)
np.max(k, axis=1)
np.max(n)
np.min(n)
np.max(x, initial=100)
np.max(x, where=b, initial=-9)
np.max(e)
np.ptp(x)
np.nanmin(n)
np.nanmax(n)
np.nansum(n)
np.nanprod(n)
np.nanmean(n[:3])
np.nanstd(n[:3])
np.nanvar(n[:3])
np.nancumsum(n)
np.nancumprod(n)
np.nanargmin(n)
np.nan_to_num(n)
np.argmax(x)
np.argmin(k, axis=1)
np.argmax(n)
np.argmin(n)
np.argmax(k, axis=1, keepdims=True)
np.nonzero(x)
np.flatnonzero(n)
np.count_nonzero(m, axis=0)
np.argwhere(m)
np.any(x)
np.all(x)
np.any(m, axis=1)
np.all(n)
np.where(b, x, y)
np.where(x > 1, x, 0)
np.where(x > 1, x, 0.1)
np.where(b, x, np.float32(1))
np.where(x)
np.select([x > 2, x < 0], [x, y], default=9)
np.choose([0, 1, 0, 1, 0, 0, 0, 1], [x, y])
np.piecewise(x, [x < 0, x >= 0], [-1, lambda v: v * 2])
np.extract(b, x)
np.compress(b, x)
np.take(x, [0, 2, -1])
np.take(m, [0, 2], axis=1)
np.take(x, [0, 20], mode="clip")
np.take_along_axis(m, np.argsort(m, axis=1), axis=1)
np.concatenate([x, y])
np.concatenate([x, np.ones(2, "f4")])
np.concatenate([x, np.ones(2, "i1")])
np.concatenate([x, [1.5]], dtype=t)
np.stack([x, y], axis=1)
np.vstack([x, y])
np.hstack([x, y])
np.dstack([x, y])
np.column_stack([x, y])
np.block([[m, m], [m, m]])
np.split(x, 4)
np.array_split(x, 3)
np.append(x, 7)
np.insert(x, 2, 0.1)
np.delete(x, [1, 2])
np.repeat(x, 2)
np.repeat(x, [1, 0, 2, 1, 1, 0, 0, 3])
np.tile(m, (2, 1))
np.pad(x, 2)
np.pad(x, 2, mode="edge")
np.pad(x, (1, 3), mode="linear_ramp", end_values=9)
np.pad(p, 2, mode="mean")
np.roll(x, 3)
np.rot90(m)
np.flip(x)
np.fliplr(m)
np.trim_zeros(np.array([0, 0, 1, 2, 0], t))
np.resize(x, (3, 5))
np.reshape(k, (4, 6), order="F")
np.transpose(k, (2, 0, 1))
np.moveaxis(k, 0, 2)
np.rollaxis(k, 2)
np.expand_dims(x, 0)
np.atleast_2d(x)
np.broadcast_to(x, (2, 8))
np.broadcast_arrays(x, m[0, :1])
np.ravel(m, "F")
np.tril(m)
np.triu(m, 1)
np.diag(m)
np.diagflat(x[:2])
np.trace(m)
np.sort(x)
np.argsort(x)
np.lexsort((x, y))
np.searchsorted(p[:4], [3, 9, 0])
np.unique(y)
np.unique(y, return_counts=True)
np.unique(m, axis=0)
np.isin(x, y)
np.intersect1d(x, y)
np.union1d(x, y)
np.setxor1d(x, y)
np.median(x)
np.median(k, axis=1)
np.percentile(x, 50)
np.percentile(x, [25, 75])
np.percentile(p, 30, method="nearest")
np.quantile(x, [0, 0.5, 1])
np.histogram(x, bins=4)
np.histogram(x, bins=[-5, 0, 5, 10])
np.histogram2d(x, y, bins=2)
np.histogram_bin_edges(x, 4)
np.digitize(x, p[:4])
np.bincount([0, 1, 1], weights=p[:3])
np.interp([1.5, 2.5], p[:4], y[:4])
np.corrcoef(x, y)
np.cov(x, y)
np.correlate(x, y[:3])
np.convolve(x, y[:3])
np.convolve(x, y[:3], "same")
np.dot(x[2:3], y[2:3])
np.dot(x, y)
np.dot(m, m)
np.dot(m, m[0])
np.dot(x, 2)
np.dot(m, np.float32(2) * np.ones(3, "f4"))
np.vdot(x, y)
np.inner(m, m)
np.outer(x, y)
np.matmul(x[2:3], y[2:3])
np.matmul(m, m)
np.matmul(k, k.transpose(0, 2, 1))
np.matmul(m, m[0], out=np.zeros(3, t))
np.vecdot(x[2:3], y[2:3])
np.vecdot(k, k)
np.matvec(m, m[0])
np.vecmat(m[0], m)
np.tensordot(k, k, axes=([1, 2], [1, 2]))
np.kron(m, m)
np.linalg.multi_dot([m, m, m])
np.linalg.matrix_power(m, 3)
np.linalg.norm(x)
np.linalg.norm(m, axis=1)
np.linalg.norm(m, ord=1)
np.linalg.norm(x, ord=np.inf)
np.linalg.vector_norm(p)
np.linalg.cross(m, m[::-1])
np.linalg.outer(x, y)
np.linalg.inv(m)
np.linalg.solve(m, m[0])
np.linalg.det(m)
np.fft.fft(x)
np.fft.rfft(x)
np.fft.fftshift(x)
np.clip(x, -1, 2)
np.clip(x, y, None)
np.clip(x, -0.1, 0.1)
np.clip(x, 0, np.float64(2))
np.clip(x, np.float32(0), 2)
np.clip(x, 0, np.arange(x.size).reshape(x.shape))
np.clip(n, 0, 1)
np.round(f)
np.round(f, 1)
np.around(x, -1)
np.fix(f)
np.sign(n)
np.abs(n)
np.real(x)
np.imag(x)
np.conj(x)
np.angle(x)
np.isreal(x)
np.iscomplexobj(x)
np.isrealobj(x)
np.real_if_close(x)
np.isclose(x, x * t(1.001))
np.isclose(n, n, equal_nan=True)
np.allclose(x, x)
np.array_equal(x, x.copy())
np.array_equal(n, n, equal_nan=True)
np.array_equiv(x, x[None])
np.isposinf(n)
np.isneginf(n)
np.isfinite(n)
np.signbit(n)
np.heaviside(x, 0.5)
np.sinc(np.array([0.5, 1, 2], t)) > 0.5
np.i0(np.array([0.0], t))
np.unwrap(np.array([0, 1, 2], t))
np.polyval(p, 2)
np.polyadd(p, x)
np.polymul(p, [1, 2])
np.polyder(p)
np.polyint(p)
np.poly1d(p)(2)
np.polyfit([0, 1, 2], np.array([0, 1, 2], t), 1).round(6)
np.vander(p, 3)
np.meshgrid(x, p)
np.ix_(x, p)
np.apply_along_axis(np.sum, 1, m)
np.apply_over_axes(np.sum, k, [0, 2])
np.vectorize(lambda v: v + v)(x)
np.vectorize(lambda v: v * 2)(x)
np.vectorize(lambda v: v * 2, otypes=[t])(x)
np.frompyfunc(lambda v: v + 1, 1, 1)(x)
np.fromiter(x, t)
np.nditer(x).dtypes[0].itemsize
np.lib.stride_tricks.sliding_window_view(x, 3).sum(axis=1)
np.lib.stride_tricks.as_strided(x, (3, 2), (4, 2))
np.may_share_memory(x, x[1:])
np.shares_memory(x, y)
np.copy(x)
np.copyto(x, y)
np.asarray_chkfinite(x)
np.asarray_chkfinite(n)
np.require(x, requirements=["C", "W"])
np.ascontiguousarray(m.T)
np.zeros_like(x)
np.empty_like(x).shape
np.full_like(x, 0.1)
np.ones_like(k)
np.packbits(x > 0)
np.iinfo(x.dtype)
np.min_scalar_type(x[0]).itemsize
np.mintypecode("e")
np.issubdtype(x.dtype, np.floating)
np.can_cast(x.dtype, np.float32)
np.result_type(x, 1.5).itemsize
np.ma.array(x, mask=b).sum()
np.ma.array(x, mask=b) + 1
np.ma.masked_invalid(n).mean()
np.ma.masked_where(x > 1, x).filled(0)
np.ma.median(np.ma.array(x, mask=b))
np.lib.recfunctions.structured_to_unstructured(np.zeros(2, [("a", t), ("b", t)]))
np.add.reduce(k, axis=(0, 1))
np.add.accumulate(x)
np.add.reduceat(x, [0, 3, 5])
np.add.outer(x, y)
np.multiply.reduce(m, axis=None)
np.multiply.outer(x, [1, 2])
np.maximum.reduce(k, axis=2)
np.minimum.accumulate(x)
np.maximum.reduceat(x, [0, 4])
np.subtract.reduce(x)
np.subtract.accumulate(x)
np.divide.reduce(p)
np.logical_and.reduce(x)
np.logical_or.reduce(m, axis=1)
np.logical_xor.reduce(x)
np.fmax.reduce(n)
np.hypot(np.array([3], t), np.array([4], t))
np.add(x, y, where=b, out=np.zeros(8, t))
np.add(x, y, dtype=np.float32)
np.add(x, y, dtype=t)
np.add(x, 1, dtype=t)
np.add(x.astype("f4"), 1, dtype=t, casting="same_kind")
np.add(x, y, out=np.zeros(8, "f4"))
np.add(x, y, out=np.zeros(8, "i4"))
np.add(x, np.ones(8, "f4"), out=np.zeros(8, t))
np.add(x, y, signature=(t, t, t))
np.add(x, y, casting="no")
np.sqrt(p, dtype=np.float64)
np.array2string(x)
np.array_str(f)
np.array_repr(f)
np.format_float_positional(f[0])
np.format_float_scientific(f[0])
np.savetxt(__import__("io").StringIO(), m)
np.testing.assert_allclose(x, x)
np.testing.assert_array_almost_equal_nulp(x, x)
np.testing.assert_array_max_ulp(x, x).tolist()
np.common_type(x, b.view("i1"))
np.random.default_rng(0).permutation(x)
np.random.default_rng(0).choice(x, 3)
np.random.default_rng(0).shuffle(x)
np.random.default_rng(0).normal(x, 0)
np.char.mod("%.2f", f)
np.einsum_path("ij,jk->ik", m, m)[0]
np.putmask(x, b, y)
np.nanquantile(n, 0.5)
np.nanpercentile(n[:3], 50, method="lower")
np.astype(x, "f8")
np.unstack(m)
np.permute_dims(k, (1, 0, 2))
np.matrix_transpose(m)
np.asmatrix(m) * np.asmatrix(m)
np.divmod(x, y)
np.frexp(f)
np.modf(f)
np.ldexp(x, 3)
np.logaddexp(np.array([-np.inf], t), np.array([1], t))
""".strip().splitlines()

#: Expressions of an array `x` of half, whether they work, and what to know.
DECIDED = [
    ("np.var(x), np.std(x), x.var(), x.std(), np.linalg.norm(x), np.average(x)", True,
     "exact, rounded once in the region's mode"),
    ("np.nanmean(x), np.nanvar(x), np.nanstd(x)", True, "the same, of what is no NaN"),
    ("np.var(x, mean=x[0]), np.std(x, mean=x[0])", True, "exact about the mean that is given, "
     "rounded once. With a float64 mean, as with float16, they are float64, and computed in it"),
    ("np.ma.array(x).mean(), np.ma.array(x).var(), np.ma.array(x).std(), np.ma.array(x).anom(), "
     "np.ma.average(np.ma.array(x))", True, "exact, rounded once: what `where=~mask` gives. "
     "Masks, classes and dtypes are as with float16: `var` and `std` of an array that has a mask "
     "are float64"),
    ("np.average(x, weights=x), np.ma.average(np.ma.array(x), weights=x), np.trapezoid(x)", True,
     "computed in float64 and rounded once in the region's mode, so nothing overflows on the way"),
    ("np.round(x, 1), x.round(-1)", True, "the half nearest to the exact decimal (ties go to the "
     "even digit), in every mode. Beyond half's range it is the largest half"),
    ("np.arange(1, 0, -.001, dtype=half)", True, "each element is the exact start + i * step of "
     "the numbers as doubles, rounded once in the region's mode"),
    ("np.quantile(x, .3), np.percentile(x, 30), np.nanquantile(x, .3)", True, "the place among "
     "the numbers is found in float64; what lies between two is exact, rounded once"),
    ("np.ma.median(np.ma.array(x))", True, "the exact mean of one or two numbers, rounded once"),
    ("np.linspace(x[0], x[1]), np.geomspace(x[0], x[1]), np.gradient(x), np.unwrap(x), "
     "np.diff(x, n=2), np.cross(x[:3], x[1:]), np.polyval(x, x), "
     "np.linalg.matrix_power(x.reshape(2, 2), 3)", True, "computed in float64, which is not always "
     "exact, and rounded once in the region's mode, so nothing overflows on the way"),
    ("np.histogram(x, 3), np.histogramdd(x, 3)", True, "edges are computed in float64 and rounded "
     "to half, and numbers are counted between these edges. Sums of weights are exact, and "
     "rounded once"),
    ("np.linalg.norm(x.reshape(2, 2), 2)", True, "the same. float16 is refused"),
    ("np.einsum('i,i->', x, x)", True,
     "exact and rounded once, of lists, too; of three arrays in float64. It reports overflow, "
     "which float16's does not. What calculates nothing (`ii->i`) is a view"),
    ("np.sum(x), np.dot(x, x), np.vecdot(x, x), x @ x", True,
     "exact, rounded once. As with float16, they start from +0: if all terms are -0 they give "
     "+0, except in `rtn`. `hc.sum` and `hc.dot` give -0"),
    ("np.vectorize(lambda v: v + v)(x)", True,
     "half. NumPy looks types up by letters, and half has float16's letter"),
    ("np.common_type(x)", True,
     "float16, from a table of NumPy's. `np.testing` uses it to compare halves in ulps"),
    ("np.ptp(x[:2]), np.ma.array(x).min(), np.nanmedian(x.reshape(2, 2), axis=0)", True,
     "as float16's"),
    ("np.sqrt(4, dtype=half), np.exp(np.arange(3), dtype=half)", True,
     "calculated in half, whatever the arguments are"),
    ("np.result_type(half, bool, 1), np.clip(x, np.float32(0), 1)", True,
     "the common type is float16's, for any number of arguments in any order. One difference: "
     "text, a Python number and half have text in common, where float16 is refused"),
    ("np.isdtype(x.dtype, 'real floating')", True, "half is among NumPy's types"),
    ("np.float_power(x, x)", True, "float64, as with float16. `**` and `np.power` give half"),
    ("np.spacing(half(-1))", True,
     "positive, as with float16. With float32 and float64 it has the number's sign"),
    ("np.isclose(half4(1, 2, 3, 4), 2)", True,
     "a plain array of bool. `v > 2` is OpenCL's mask of -1 and 0, which plain arrays take for "
     "positions: `a[np.asarray(v) > 2]`"),
    ("half(np.ma.array([1, 2], mask=[0, 1]))", True, "keeps the class of arrays"),
    ("x.astype('m8[s]'), x.astype(np.dtypes.StringDType())", True,
     "casts to and from dates, times and text, as float16's. An infinity is NaT on any "
     "processor"),
    ("half('\\u20031'), half('1e10000')", True,
     "Unicode's spaces are taken. Text beyond double's range is infinite without a warning"),
    ("np.testing.assert_array_equal(x, x)", True, "NaN and infinities are compared as numbers"),
    ("memoryview(x)", False, "`memoryview(x.view(np.float16))`: the same memory"),
    ("np.from_dlpack(x)", False, "`np.from_dlpack(x.view(np.float16)).view(half)`"),
    ("x * np.timedelta64(3, 's')", False, "`x.view(np.float16) * np.timedelta64(3, 's')`"),
    ("np.linalg.inv(x.reshape(2, 2))", False, "`.astype(np.float32)`, as of float16"),
]  # fmt: skip

#: Package, import name, and an expression that takes the array `a` there and back.
PEERS = [
    ("h5py", "h5py", "h5py.File(path, 'w').create_dataset('a', data=a.view(np.float16))"
     "[...].view(half)"),
    ("zarr", "zarr", "zarr.array(a.view(np.float16))[:].view(half)"),
    ("netCDF4", "netCDF4", "netcdf(path, a.view(np.uint16)).view(half)"),
    ("Arrow", "pyarrow", "pyarrow.array(a.view(np.float16)).to_numpy().view(half)"),
    ("PyTorch", "torch", "torch.from_numpy(a.view(np.float16)).numpy().view(half)"),
    ("JAX", "jax", "np.asarray(jax.numpy.asarray(a.view(np.float16))).view(half)"),
    ("CuPy", "cupy", "cupy.asnumpy(cupy.asarray(a.view(np.float16))).view(half)"),
    ("SciPy", "scipy.fft", "scipy.fft.ifft(scipy.fft.fft(a.view(np.float16))).real.astype(half)"),
    ("SciPy", "scipy.stats", "scipy.stats.zscore(a) * a.std() + a.mean()"),
    ("SciPy", "scipy.special", "scipy.special.logsumexp(np.stack([a, a]), axis=0) "
     "- np.log(half(2))"),
    ("pandas", "pandas", "pandas.Series(a).groupby(np.arange(a.size)).sum().to_numpy()"),
    ("pandas", "pandas", "pandas.DataFrame({'x': a.astype('f4')}).merge(pandas.DataFrame("
     "{'x': a.astype('f4')}), on='x')['x'].to_numpy().astype(half)"),
    ("xarray", "xarray", "xarray.DataArray(a).where(xarray.DataArray(a) < 99).values"),
]  # fmt: skip


#: The oldest versions of packages for which they hold: before, pandas knew no other floats.
OLDEST = {"pandas": "3.1"}


def netcdf(path, bits):
    """Bits written as a variable of uint16, which netCDF has no floating type for, and read."""
    import netCDF4

    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("n", bits.size)
        file.createVariable("a", "u2", ("n",))[:] = bits
        return file["a"][:].filled()


def ufuncs():
    """Every NumPy ufunc with a loop for float16 (and no other for its arguments)."""
    for name, ufunc in sorted(vars(np).items()):
        if not isinstance(ufunc, np.ufunc) or ufunc.__name__ != name or ufunc.signature:
            continue
        if any(set(types.split("->")[0]) == {"e"} for types in ufunc.types):
            yield name
