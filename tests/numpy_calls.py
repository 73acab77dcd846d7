"""What docs/numpy.md says beside the calls that are as float16's: tests and the page use it."""

#: Expressions of an array `x` of half, whether they work, and what to know.
DECIDED = [
    ("np.var(x), np.std(x), x.var(), x.std()", True,
     "in float64, rounded once in the region's mode: no overflow on the way"),
    ("np.nanmean(x), np.nanvar(x), np.nanstd(x)", True, "the same"),
    ("np.average(x, weights=x), np.trapezoid(x), np.linalg.norm(x)", True, "the same"),
    ("np.ma.average(np.ma.array(x), weights=x)", True, "the same; `var`, `std` and `anom` of "
     "masked arrays come from differences in halves, as float16's"),
    ("np.linalg.norm(x.reshape(2, 2), 2)", True, "the same; float16 is refused"),
    ("np.einsum('i,i->', x, x)", True,
     "in float64, rounded once; what calculates nothing (`ii->i`) is a view"),
    ("np.sum(x), np.dot(x, x), np.vecdot(x, x), x @ x", True,
     "exact, rounded once; they start from +0, so that of terms that are all -0 they give +0, "
     "except in `rtn`, as of float16. `hc.sum` and `hc.dot` give -0"),
    ("np.vectorize(lambda v: v + v)(x)", True,
     "half, though NumPy looks for types by letters, and half's is float16's"),
    ("np.common_type(x)", True,
     "float16, from a table of NumPy's: `np.testing` compares halves in ulps by it"),
    ("np.ptp(x[:2]), np.ma.array(x).min(), np.nanmedian(x.reshape(2, 2), axis=0)", True,
     "as float16's"),
    ("np.sqrt(4, dtype=half), np.exp(np.arange(3), dtype=half)", True,
     "calculated in half, whatever the arguments are"),
    ("np.result_type(half, bool, 1), np.clip(x, np.float32(0), 1)", True,
     "types in common are float16's, of any number of arguments in any order; text, a number of "
     "Python's and half are text, where float16 is refused"),
    ("np.isdtype(x.dtype, 'real floating')", True, "half is among NumPy's types"),
    ("np.float_power(x, x)", True, "float64, as of float16; `**` and `np.power` give half"),
    ("np.spacing(half(-1))", True,
     "positive, as float16's; of float32 and float64 it has the number's sign"),
    ("np.isclose(half4(1, 2, 3, 4), 2)", True,
     "a plain array of bool. `v > 2` is OpenCL's mask of -1 and 0, which plain arrays take for "
     "positions: `a[np.asarray(v) > 2]`"),
    ("half(np.ma.array([1, 2], mask=[0, 1]))", True, "keeps the class of arrays"),
    ("x.astype('m8[s]'), x.astype(np.dtypes.StringDType())", True,
     "casts to and from dates, times and text, as float16's; an infinity is NaT on any processor"),
    ("half('\\u20031'), half('1e10000')", True,
     "Unicode's spaces are taken; text beyond double's range is infinite without a warning"),
    ("np.testing.assert_array_equal(x, x)", True, "NaN and infinities are compared as numbers"),
    ("memoryview(x)", False, "`memoryview(x.view(np.float16))`: the same memory"),
    ("np.from_dlpack(x)", False, "`np.from_dlpack(x.view(np.float16)).view(half)`"),
    ("x * np.timedelta64(3, 's')", False, "`x.view(np.float16) * np.timedelta64(3, 's')`"),
    ("np.linalg.inv(x.reshape(2, 2))", False, "as float16: `.astype(np.float32)`"),
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
