"""All uses of NumPy's private parts: `ENTRIES`.

If a version of NumPy lacks one, or has something else in its place, halfcl leaves it alone: it
imports, warns, and lacks what the entry says. The `effect` of an entry, a call whose result depends
on whether halfcl computed it, checks each change at once; if it fails, the entry is not present
either. With ``HALFCL_NUMPY=plain`` nothing of NumPy's own is changed;
docs/reference/numpy_changes.md lists the changes. The C side is in ``_core/numpy_compat.h`` and
``numpy_methods.h``.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from contextvars import Context
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from threading import get_ident
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from halfcl import _core
from halfcl._numpy.einsum import teach_einsum
from halfcl._numpy.other_libraries import (
    teach_arrow,
    teach_fft,
    teach_groupby,
    teach_index,
    teach_merge,
    teach_ml_dtypes,
    teach_nanops,
    teach_serialization,
    teach_shuffling,
    teach_tokens,
    teach_zarr,
    warn_of_nanops,
)
from halfcl._numpy.ranges import teach_masked_median, teach_ranges
from halfcl._numpy.statistics import teach_statistics
from halfcl._numpy.vectorize import teach_vectorize
from halfcl._opencl.constants import finfo
from halfcl._tables import TABLE
from halfcl.reductions._functions import reduce_for_numpy
from halfcl.reductions._into_half import reduce_others_along_for_numpy, reduce_others_for_numpy

if TYPE_CHECKING:
    from importlib.abc import Loader

half = _core.half


def _enter_finfo() -> bool:
    # numpy.finfo looks types up in this cache first.
    cache = np.finfo._finfo_cache  # type: ignore[attr-defined]
    cache.update({half: finfo(), _core.HALF_DTYPE: finfo()})
    return True


def _enter_precision() -> bool:
    np.lib._type_check_impl.array_precision[half] = 0  # type: ignore[attr-defined]
    return True


def _wrap_format_choice(get: Callable[..., object]) -> Callable[..., object]:
    """Wrap the function that chooses how elements are printed: half is printed as float16."""

    def get_format_function(data: NDArray[Any], **options: object) -> object:
        if data.dtype.type is half:
            data = data.view(np.dtype(np.float16).newbyteorder(data.dtype.byteorder))
        return get(data, **options)

    get_format_function.__module__ = __name__
    return get_format_function


def _enter_types() -> bool:
    types = import_module("numpy._core.numerictypes")
    types.allTypes["halfcl.half"] = half
    floats = types.sctypes["float"]
    if half not in floats:
        floats.insert(0, half)  # the list is sorted by width
    return True


def _fill_extrema(ma: ModuleType) -> None:
    for fillers, extremum in ((ma.min_filler, np.inf), (ma.max_filler, -np.inf)):
        fillers.update({half: extremum, _core.HALF_DTYPE: extremum})


class _Later:
    """A finder that calls a function when a module is imported, such as numpy.ma, which is slow.

    The module is a public one, which imports the private parts: these may have other names in later
    versions.
    """

    def __init__(self, name: str, then: Callable[[], None]):
        self.name, self.then = name, then
        self._asking: set[int] = set()  # threads that ask the other finders

    def find_spec(self, name: str, path: object, target: object = None) -> ModuleSpec | None:
        thread = get_ident()
        if name != self.name or thread in self._asking:
            return None
        self._asking.add(thread)
        try:
            spec = find_spec(name)
        finally:
            self._asking.discard(thread)
        if spec is None or spec.loader is None:
            return None
        spec.loader = cast("Loader", _Loader(spec.loader, self._finish))
        return spec

    def _finish(self) -> None:
        # Replace the list, since other threads that import may be iterating over it.
        sys.meta_path = [finder for finder in sys.meta_path if finder is not self]
        self.then()


class _Loader:
    """Loads a module by another loader, and then calls a function.

    No importlib.abc.Loader, since to import that takes 10 ms.

    It takes the other one's place only until then. That one stays as it is, since a loader may be
    that of many modules, as pytest's is. If loading raises, the finder stays for the next import.
    """

    def __init__(self, loader: Loader, then: Callable[[], None]):
        self._loader, self._then = loader, then

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._then()


def call_when_imported(name: str, then: Callable[[], None]) -> None:
    """Call a function now if a public module is imported already, else after its import."""
    if name in sys.modules:
        then()
    elif not any(isinstance(x, _Later) and x.name == name for x in sys.meta_path):
        sys.meta_path.insert(0, _Later(name, then))


def _enter_fillers() -> bool:
    _fill_extrema(import_module("numpy.ma.core"))
    return True


def _enter_masked() -> bool:
    from halfcl._numpy import masked  # not at the top, since it imports numpy.ma

    extras = import_module("numpy.ma.extras")
    masked.teach_masked(import_module("numpy.ma.core"), extras)
    teach_masked_median(extras, masked.median)
    return True


def _enter_fft() -> bool:
    # SciPy 1.18 uses another library for its transforms, after which the package is named.
    fft = import_module("scipy.fft")
    package = "_duccfft" if hasattr(fft, "_duccfft") else "_pocketfft"
    teach_fft(import_module(f"scipy.fft.{package}.helper"))
    return True


def _teaching(*pairs: tuple[Callable[[Any], None], str]) -> Callable[[], bool]:
    """Return a function that calls functions with the modules of these names."""

    def enter() -> bool:
        for teach, module in pairs:
            teach(import_module(module))
        return True

    return enter


def _enter_arrow() -> bool:
    # pandas imports pyarrow if it is installed.
    if "pyarrow" in sys.modules:
        teach_arrow(import_module("pyarrow.pandas_compat"))
    return True


def enter_packages_of_dask() -> None:
    """Enter the entries of Dask, distributed and Zarr again, if these are imported.

    With HALFCL_NUMPY=plain no finder waits for their import: halfcl.dask calls this instead, and
    workers import halfcl last anyway.
    """
    for package in ("dask", "distributed", "zarr"):
        if package in sys.modules:
            _enter([entry for entry in ENTRIES if entry.module == package])


def _enter_printing() -> bool:
    arrayprint = import_module("numpy._core.arrayprint")
    name = "_get_format_function"
    choose = getattr(arrayprint, name)
    if choose.__module__ != __name__:
        setattr(arrayprint, name, _wrap_format_choice(choose))
    return True


def _enter_converter() -> bool:
    mapper = import_module("numpy.lib._iotools").StringConverter._mapper
    if not any(entry[0] is half for entry in mapper):
        mapper.insert(-1, (half, half, np.nan))  # the last entry has to be NumPy's default
    return True


#: Ufuncs whose original reduce methods numpy._core._methods has as global variables.
_KEPT_METHODS = {
    "umr_sum": np.add, "umr_prod": np.multiply, "umr_maximum": np.maximum, "umr_minimum": np.minimum
}  # fmt: skip


def _enter_reduce() -> bool:
    methods: Any = import_module("numpy._core._methods")
    if not all(callable(getattr(methods, kept)) for kept in _KEPT_METHODS):
        return False
    if not _core.teach_ufunc_methods(
        reduce_for_numpy, reduce_others_for_numpy, reduce_others_along_for_numpy
    ):
        return False
    for kept, ufunc in _KEPT_METHODS.items():  # ndarray's methods call these
        setattr(methods, kept, ufunc.reduce)
    return True


def _enter_umath() -> bool:
    _ufuncs.update(_ufuncs_of(import_module("numpy._core.umath")))
    return True


def _ufuncs_of(module: object) -> dict[str, np.ufunc]:
    return {name: u for name, u in vars(module).items() if isinstance(u, np.ufunc)}


_ufuncs = _ufuncs_of(np)


def ufuncs() -> dict[str, np.ufunc]:
    """Return NumPy's ufuncs by name, also those that are not in `numpy` itself."""
    _try(_UMATH)
    return _ufuncs


_FLOAT16 = np.dtype(np.float16)

#: What `accelerate` replaces by methods of these.
_Replaceable: TypeAlias = (
    _core.ReplacedCast
    | _core.ReplacedCopies
    | _core.ReplacedAt
    | _core.ReplacedTextCast
    | _core.ReplacedStringCast
)

#: NumPy's replaceable casts from and to float16, and loops of ufunc.at for it.
_methods: list[_Replaceable] = []


def replaceable_methods() -> list[_Replaceable]:
    """Return NumPy's array methods for float16 that can be replaced."""
    return [*_methods, *_text_methods]


def _enter_methods() -> bool:
    if not _methods:
        copies = _core.ReplacedCopies(_cast(_FLOAT16, _FLOAT16))
        _methods.extend([*_casts(), copies, *_indexed_loops()])
    return True


#: NumPy's replaceable casts of text to float16.
_text_methods: list[_core.ReplacedTextCast | _core.ReplacedStringCast] = []


def _enter_text_casts() -> bool:
    if not _text_methods:
        strings = _core.ReplacedStringCast(_cast(np.dtypes.StringDType(), _FLOAT16))
        casts = [_core.ReplacedTextCast(np.dtype(letter)) for letter in "SU"]
        _text_methods.extend([*casts, strings])
    return True


def _cast(source: np.dtype[Any], target: np.dtype[Any]) -> object:
    """Return NumPy's array method for a cast."""
    find = import_module("numpy._core._multiarray_umath")._get_castingimpl
    return find(type(source), type(target))


def _enter_copies() -> bool:
    own = _cast(_core.HALF_DTYPE, _core.HALF_DTYPE)
    return _core.teach_copies(own, _cast(_FLOAT16, _FLOAT16))


def _casts() -> list[_core.ReplacedCast]:
    if not _core.CASTS_ARE_THERE:
        return []
    others = [np.dtype(letter) for letter in "?bBhHiIlLqQfdgFDG"]
    pairs = [pair for other in others for pair in ((other, _FLOAT16), (_FLOAT16, other))]
    return [_core.ReplacedCast(_cast(a, b), a, b) for a, b in pairs]


def _indexed_loops() -> list[_core.ReplacedAt]:
    names = ("add", "subtract", "multiply", "divide", "floor_divide")
    ufuncs = [getattr(np, name) for name in names]
    return [
        _core.ReplacedAt(u, u._resolve_dtypes_and_context((_FLOAT16, _FLOAT16, None))[1])
        for u in ufuncs
    ]


#: Processor features with any of which NumPy has vectorised sorts of integers of 16 and 32 bits.
_SORTS_16_BITS = ("AVX512_ICL", "ASIMD")
_SORTS_32_BITS = ("AVX512_SKX", "AVX2", "ASIMD")


def _enter_features() -> bool:
    features = import_module("numpy._core._multiarray_umath").__cpu_features__
    # AMD's processors take some hundred cycles for a compressing store of AVX-512.
    is_slow = features.get("AVX512F") and _core.is_amd()
    _core.sort_by_integers(
        any(map(features.get, _SORTS_16_BITS)),
        any(map(features.get, _SORTS_32_BITS)),
        1 << (9 if is_slow else 16),
    )
    return True


def _find_warning_of_where() -> str:
    """Return what NumPy warns of in calls with where= and without out=, "" if it does not."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        np.positive(np.ones(1), where=np.ones(1, bool))
    return str(caught[0].message) if caught else ""


def _enter_calls() -> bool:
    _core.warn_of_where(_find_warning_of_where())
    present = ufuncs()
    for name in {name for row in TABLE for name in row.numpy} & present.keys():
        _core.take_calls(present[name])
    return _core.takes_calls(np.add) and _core.take_products()


def is_taken(call: Callable[[], object]) -> bool:
    """Return whether halfcl computes a call of one of NumPy's functions or methods.

    It is for calls whose results equal NumPy's to the last bit.
    """
    before = _core.calls_taken()
    call()
    return _core.calls_taken() != before


#: Halves for calls that show an effect. They are made of lists: numpy.ones casts, and the casts of
#: half may be missing.
_ONES = np.array([1, 1], half)
_LARGE = np.array([60000, 60000], half)  # the sum is beyond half's range
_FAR = np.array([200, -200, 200, -200], half)  # the sum of squares is beyond half's range
_DEEP = np.array([[2048], [1], [1]], half)  # the sum is 2048 if each addition rounds
_MANY = np.array([[1] * 16] * 8, half)


def _is_half(result: Any) -> bool:
    return result.dtype.type is half


def _reads_once() -> bool:
    # Rounded to float first, the number would be 1.
    return bool(np.genfromtxt(["1.00048828125000001"], dtype=half) == half(1 + 2**-10))


def _has_methods() -> bool:
    names = ("sort", "argsort", "argmax", "argmin", "nonzero")
    calls: list[Callable[[], object]] = [getattr(_MANY.copy(), name) for name in names]
    calls += [
        lambda: _MANY.copy().partition(1),
        lambda: _MANY.argpartition(1),
        lambda: _MANY[0].searchsorted(_MANY[0]),
        lambda: _MANY.dot(_MANY[0]),
    ]
    return all(map(is_taken, calls))


def _computes_in_float64() -> bool:
    if _core.CASTS_ARE_THERE and not (  # another entry is for the casts
        np.trapezoid(_LARGE) == np.average(_LARGE, weights=_ONES) == 60000
    ):
        return False
    return (
        [float(f(_LARGE)) for f in (np.mean, np.nanmean)] == [60000] * 2
        and [float(f(_FAR)) for f in (np.var, np.nanvar)] == [40000] * 2
        and [float(f(_FAR)) for f in (np.std, np.nanstd)] == [200] * 2
        and np.linalg.norm(_FAR) == 400
    )


def _reduces() -> bool:
    return (
        np.add.reduce(_DEEP, axis=0)[0] == _DEEP.sum(axis=0)[0] == 2050
        and is_taken(lambda: np.add.accumulate(_MANY, axis=0))
        and is_taken(lambda: np.add.reduceat(_MANY, [0, 1]))
    )


def _has_functions() -> bool:
    line = _MANY.ravel()
    return all(
        is_taken(call)
        for call in (
            lambda: np.dot(_MANY, _MANY[0]),
            lambda: np.inner(_MANY, _MANY),
            lambda: np.vdot(line, line),
            lambda: np.correlate(line, line[:3]),
            lambda: np.convolve(line, line[:3]),
            lambda: np.count_nonzero(line),
        )
    )


def _takes_masks() -> bool:
    masked = import_module("numpy.ma").array(_ONES, mask=[True, False])
    return bool(masked.min() == masked.max() == 1)


def _computes_masked() -> bool:
    ma = import_module("numpy.ma")
    far = ma.array([*_FAR, half(0)], mask=[0, 0, 0, 0, 1])
    return bool(
        ma.average(ma.array(_LARGE), weights=_ONES) == 60000
        and ma.array(_LARGE, mask=[0, 0]).mean() == 60000
        and far.var() == 40000
        and far.std() == 200
    )


def _transforms() -> bool:
    return bool(import_module("scipy.fft").fft(_ONES)[0] == 2)


def _takes_frames() -> bool:
    pandas = import_module("pandas")
    numbers = pandas.Series(np.array([1, 2, 1], half))
    frame = pandas.DataFrame({"x": numbers})
    return (
        numbers.groupby([1, 0, 1]).sum().tolist() == [2, 2]
        and pandas.Index(numbers.array.to_numpy()).get_loc(2.0) == 1
        and len(frame.merge(frame[1:], on="x")) == 3
    )


def _has_arrow_columns() -> bool:
    if "pyarrow" not in sys.modules:
        return True
    frame = import_module("pandas").DataFrame({"x": _ONES})
    return str(import_module("pyarrow").Schema.from_pandas(frame).types[0]) == "halffloat"


def _has_own_tokens() -> bool:
    tokenize = import_module("dask.tokenize").tokenize
    return bool(tokenize(_ONES) != tokenize(_ONES.view(np.float16)))


def _is_sent_as_half() -> bool:
    header, _ = import_module("distributed.protocol.numpy").serialize_numpy_ndarray(_ONES)
    return bool(header["dtype"][0] == 1)  # pickled


def _is_written_to_zarr() -> bool:
    floats = import_module("zarr.core.dtype.npy.float")
    return bool(floats.Float16._check_native_dtype(_core.HALF_DTYPE))


def _has_ranges() -> bool:
    if not _core.CASTS_ARE_THERE:  # another entry is for the casts
        return True
    wide: Any = np.array([-60000, 60000], half)
    return bool(np.linspace(wide[0], wide[1], 3)[1] == 0) and (
        np.histogram(wide, 2)[0].tolist() == [1, 1]
    )


def _casts_small_types() -> bool:
    bfloat16 = import_module("ml_dtypes").bfloat16
    return _ONES.astype(bfloat16).astype(half).tolist() == [1, 1]


def _has_no_effect() -> bool:
    """Return True: an entry that changes nothing has no effect to check."""
    return True


@dataclass
class Entry:
    """A private part of NumPy that halfcl uses."""

    name: str
    #: The reason why halfcl needs it.
    reason: str
    #: The consequence if it is missing.
    without: str
    #: The change for other types than half; "" if halfcl only reads it or adds half to it.
    changes: str
    #: Makes the change, once or again; returns whether the part is as expected.
    enter: Callable[[], bool] = field(repr=False)
    #: Returns whether the change has an effect, by a call whose result NumPy would not return.
    effect: Callable[[], bool] = field(repr=False, default=_has_no_effect)
    #: The public module that imports the part.
    module: str = "numpy"
    #: What is expected of it beside NumPy's versions, or of other packages.
    guard: str = ""
    #: Whether the change has been made, or waits for its module.
    present: bool = False

    @property
    def versions(self) -> str:
        """The versions of NumPy, and what else, that are known to have it."""
        return f"2.0 to 2.5{self.guard}"


_UMATH = Entry(
    "numpy._core.umath",
    "the ufunc behind numpy.clip has no other name",
    "numpy.clip of half raises TypeError",
    "",
    _enter_umath,
    lambda: _is_half(np.clip(_ONES, _ONES, _ONES)),
)

#: Every private part of NumPy that halfcl touches.
ENTRIES = (
    _UMATH,
    Entry(
        "numpy.finfo._finfo_cache",
        "numpy.finfo only knows NumPy's own types",
        "numpy.finfo(half) raises or gives float16's numbers; halfcl.finfo() has them",
        "",
        _enter_finfo,
        lambda: float(np.finfo(half).max) == float(np.finfo(_core.HALF_DTYPE).max) == 65504,
    ),
    Entry(
        "numpy.lib._type_check_impl.array_precision",
        "numpy.common_type, which the testing functions that count ulps call, looks types up in it",
        "numpy.common_type of half raises TypeError",
        "",
        _enter_precision,
        lambda: np.common_type(_ONES) is np.float16,
    ),
    Entry(
        "numpy._core.numerictypes: allTypes, sctypes",
        "numpy.isdtype, and libraries that follow the array API, look types up in it",
        "numpy.isdtype of half, most of scipy.stats and xarray's mean raise TypeError",
        "",
        _enter_types,
        lambda: np.isdtype(_core.HALF_DTYPE, "real floating"),
    ),
    Entry(
        "numpy.ma.core: min_filler, max_filler",
        "numpy.ma replaces masked elements by these numbers, by type",
        "numpy.ma.min, max, argmin, ptp and median of half raise TypeError",
        "a finder in `sys.meta_path` waits until `numpy.ma` is imported, and is then removed",
        _enter_fillers,
        _takes_masks,
        "numpy.ma",
    ),
    Entry(
        "numpy.lib._iotools.StringConverter._mapper",
        "numpy.genfromtxt reads floating types as float, which rounds first",
        "numpy.genfromtxt rounds to half twice",
        "half is added to the list",
        _enter_converter,
        _reads_once,
    ),
    Entry(
        "numpy._core.arrayprint._get_format_function",
        "since NumPy 2.5 arrays of types that are not NumPy's print each element with str",
        "the columns of printed arrays of half are not aligned",
        "the function is replaced by a wrapper",
        _enter_printing,
        lambda: str(np.array([1, 10.5], half)) == "[ 1.  10.5]",
    ),
    Entry(
        "numpy.ndarray: sort, partition, argmax and their like, searchsorted, dot, nonzero, round",
        "a dtype has no slots for them, or slots that are called once per row or per product",
        "round to decimals overflows; partition, median and percentile of half take 200 times as "
        "long, searchsorted 30 times, sort and argmax of short rows 10 times, dot of matrices 40 "
        "times",
        "the methods' functions are replaced by ones that call them for other types than half",
        _core.teach_methods,
        _has_methods,
        guard=", as C methods with METH_FASTCALL | METH_KEYWORDS, nonzero with METH_VARARGS, "
        "round with METH_VARARGS | METH_KEYWORDS",
    ),
    Entry(
        "numpy._core._multiarray_umath.__cpu_features__",
        "NumPy sorts integers faster than halfcl with vector instructions",
        "sort and argsort of 32 to 65536 halves take up to twice as long",
        "",
        _enter_features,
    ),
    Entry(
        "code of mean, var, std, nanmean, nanvar, nanstd, average, trapezoid, norm",
        "NumPy computes them in half, whose range intermediate sums exceed, and rounds means twice",
        "numpy.var and others overflow for many halves, as for float16, and round more than once",
        "their code is compiled again with one more statement, which only affects half, and "
        "float16 while NumPy is accelerated",
        teach_statistics,
        _computes_in_float64,
        guard=", as Python functions whose source is available",
    ),
    Entry(
        "code of linspace, quantile, histogram, gradient, cross and others",
        "NumPy computes them in half, whose range intermediate differences exceed, and rounds at "
        "each step",
        "ranges wider than 65504 give infinities, NaNs and empty histograms, quantiles of many "
        "halves NaN",
        "their code is compiled again with one more statement, which only affects half, and "
        "float16 while NumPy is accelerated",
        teach_ranges,
        _has_ranges,
        guard=", as Python functions whose source is available",
    ),
    Entry(
        "numpy.ma: MaskedArray.mean, var, std, anom; average, median",
        "numpy.ma computes them in half, too, and is imported later",
        "means, variances, averages and medians of masked halves overflow, like float16's; they "
        "round more than once",
        "their code is compiled again, like that of numpy.mean; a finder, as for the fillers",
        _enter_masked,
        _computes_masked,
        "numpy.ma",
        guard=", as Python functions whose source is available",
    ),
    Entry(
        "scipy.fft: helper._asfarray",
        "SciPy's transforms compute in float32 and float64; it only converts float16 to these",
        "scipy.fft, and with it scipy.signal.fftconvolve, refuses half",
        "its code is compiled again with one more statement; a finder, as for the fillers",
        _enter_fft,
        _transforms,
        "scipy.fft",
        guard=", with SciPy 1.14 to 1.18",
    ),
    Entry(
        "pandas: WrappedCythonOp, Index, merge, nanops",
        "pandas' loops compute in float32 and float64; it only converts float16 to these",
        "groupby of half fails where keys are not sorted, indexes of half find nothing, and sums, "
        "means and variances overflow, with a RuntimeWarning at the first",
        "functions are replaced by ones that call them for other types than half; finders",
        _teaching(
            (teach_index, "pandas.core.indexes.base"),
            (teach_groupby, "pandas.core.groupby.ops"),
            (teach_nanops, "pandas.core.nanops"),
            (teach_merge, "pandas.core.reshape.merge"),
        ),
        _takes_frames,
        "pandas",
        guard=", with pandas 3.1",
    ),
    Entry(
        "pyarrow.pandas_compat: dataframe_to_arrays, dataframe_to_types",
        "Arrow only knows NumPy's own types, by number",
        "Parquet and Feather refuse columns of half; use .astype(numpy.float16)",
        "functions are replaced by ones that convert columns of half to float16",
        _enter_arrow,
        _has_arrow_columns,
        "pandas",
        guard=", with pandas 3.1 and pyarrow 26.0",
    ),
    Entry(
        "dask.tokenize",
        "Dask names arrays by dtype.str, which is float16's for half",
        "arrays of half and of float16 with the same bits share one name, and therefore blocks",
        "",
        _teaching((teach_tokens, "dask.tokenize")),
        _has_own_tokens,
        "dask",
        guard=", with Dask 2025.1 to 2026.8",
    ),
    Entry(
        "distributed: protocol.numpy, shuffle._core",
        "Dask sends and spills arrays by dtype.str, which is float16's for half",
        "blocks of half become float16 when a cluster moves or spills them",
        "",
        _teaching(
            (teach_serialization, "distributed.protocol.numpy"),
            (teach_shuffling, "distributed.shuffle._core"),
        ),
        _is_sent_as_half,
        "distributed",
        guard=", with Dask 2025.1 to 2026.8",
    ),
    Entry(
        "zarr: Float16",
        "Zarr recognises float16 by its dtype",
        "Zarr refuses half; use x.view(numpy.float16)",
        "",
        _teaching((teach_zarr, "zarr.core.dtype.npy.float")),
        _is_written_to_zarr,
        "zarr",
        guard=", with Zarr 3.1",
    ),
    Entry(
        "ml_dtypes: casts of its types",
        "a type only registers casts from and to NumPy's own types",
        "half is not cast to or from bfloat16, float8 and int4; use float32 in between",
        "casts from and to half are registered with each of its types; a finder",
        _teaching((teach_ml_dtypes, "ml_dtypes")),
        _casts_small_types,
        "ml_dtypes",
        guard=", with ml_dtypes 0.5 and 0.6",
    ),
    Entry(
        "numpy.vectorize._get_ufunc_and_otypes",
        "numpy.vectorize stores its results' types as letters, and half's is float16's",
        "numpy.vectorize returns float16 instead of half, unless otypes says half",
        "its code is compiled again, so that it stores half's type",
        teach_vectorize,
        lambda: _is_half(np.vectorize(lambda number: number)(_ONES)),
        guard=", as a Python function whose source is available",
    ),
    Entry(
        "numpy._core.einsumfunc.c_einsum",
        "numpy.einsum only has loops for NumPy's own types",
        "numpy.einsum of half raises TypeError; use a.view(numpy.float16)",
        "the function is replaced by one that calls it for other types than half",
        teach_einsum,
        lambda: _is_half(np.einsum("i->", _ONES)),
    ),
    Entry(
        "PyArray_DTypeMeta.flags: NPY_DT_NUMERIC",
        "a legacy dtype cannot declare itself numeric, which numpy.testing checks",
        "numpy.testing.assert_array_equal of half fails where there are NaNs (since 2.4)",
        "",
        _core.teach_numeric,
        lambda: bool(type(_core.HALF_DTYPE)._is_numeric),
    ),
    Entry(
        "PyArray_DTypeMeta.dt_slots: NPY_DT_common_dtype",
        "a legacy dtype cannot decide how it is promoted with Python's numbers",
        "common types of three arguments are not float16's: for half, bool and 1 it is float64",
        "",
        _core.teach_promotion,
        lambda: np.result_type(_core.HALF_DTYPE, np.bool_, 1).type is half,
        guard=", where NumPy's own number types share one method there",
    ),
    Entry(
        "PyUFuncObject.type_resolver",
        "NumPy only looks for dtype=half among the loops of its own types",
        "ufuncs with dtype=half refuse arguments if none is half; so does numpy.linalg.norm",
        "each ufunc's resolver is replaced by one that calls it for other types than half",
        lambda: _core.teach_resolvers(u for u in ufuncs().values() if u.signature is None),
        lambda: _is_half(np.add(1, 2, dtype=half)),
    ),
    Entry(
        "numpy._ArrayMethod of float16's casts and ufunc.at",
        "accelerate() replaces one function in each",
        "accelerate() does not replace casts, and regions do not affect ufunc.at of float16",
        "",
        _enter_methods,
        guard=", by the size and the contents of the struct",
    ),
    Entry(
        "numpy.dtypes.Float16DType: the function that stores an object",
        "accelerate() replaces it, since NumPy stores Python's numbers by it",
        "stability tests round Python's numbers that become float16 to nearest",
        "",
        _core.knows_stores,
        guard=", by the place of another method",
    ),
    Entry(
        "numpy._ArrayMethod of StringDType's cast to float16; dicts of casts of numpy.dtypes",
        "accelerate() replaces the casts of text to float16",
        "stability tests round texts that are cast to float16 to nearest",
        "",
        _enter_text_casts,
        guard=", by the size and the contents of the struct",
    ),
    Entry(
        "numpy._ArrayMethod of half's cast to itself",
        "a legacy dtype cannot declare that copying elements is copying bytes",
        "copies of small arrays of half take 1.7 times as long as float16's, with one thread",
        "",
        _enter_copies,
        guard=", by the size and the contents of the struct",
    ),
    Entry(
        "numpy.ufunc: reduce, accumulate, reduceat; numpy._core._methods: umr_sum and its like",
        "NumPy adds the rows of an array one by one, with accumulators of half, and needs one call "
        "per short row",
        "sums and products along some axes, and running ones of float16, round at each step, and "
        "extrema of short rows take many times as long; halfcl.sum and halfcl.prod round once",
        "the methods' functions are replaced by ones that call them for other types than half, "
        "and than float16 while NumPy is accelerated",
        _enter_reduce,
        _reduces,
        guard=", as C methods called with METH_FASTCALL | METH_KEYWORDS",
    ),
    Entry(
        "numpy.ufunc.at",
        "NumPy calls the loop once per element, and converts values one by one",
        "ufunc.at of half takes 5 times as long",
        "the method's function is replaced by one that calls it for other types than half, "
        "and than float16 while NumPy is accelerated",
        _core.teach_at,
        lambda: is_taken(lambda: np.add.at(_MANY[0].copy(), np.arange(16), _MANY[0])),
        guard=", as a C method called with METH_VARARGS",
    ),
    Entry(
        "numpy._core._multiarray_umath: dot, inner, vdot, correlate, correlate2, count_nonzero",
        "NumPy computes one dot product after the other, and tests halves for zero one by one",
        "dot, inner and tensordot of matrices of half take 40 times as long, convolve 20 times",
        "the functions are replaced by ones that call them for other types than half, and than "
        "float16 while NumPy is accelerated",
        lambda: _core.teach_functions(import_module("numpy._core._multiarray_umath")),
        _has_functions,
        guard=", as C functions of one of four calling conventions",
    ),
    Entry(
        "numpy._core._multiarray_umath.where",
        "NumPy chooses elements with branches, and tests halves for zero one by one",
        "numpy.where of half takes 20 times as long",
        "the function is replaced by one that calls it for other types than half, and than float16 "
        "while NumPy is accelerated",
        lambda: _core.teach_where(import_module("numpy._core._multiarray_umath")),
        lambda: is_taken(lambda: np.where(_MANY > 1, _MANY, _MANY)),
        guard=", as a C function of one of four calling conventions",
    ),
    Entry(
        "numpy._core._multiarray_umath.arange",
        "NumPy computes a range from its first two halves and their rounded difference",
        "numpy.arange with dtype=half repeats the rounding error of its second element",
        "the function is replaced by one that calls it for other types than half, and than float16 "
        "while NumPy is accelerated",
        lambda: _core.teach_arange(import_module("numpy._core._multiarray_umath")),
        lambda: bool(np.arange(2049, -1, -1, dtype=half)[-1] == 0),
        guard=", as a C function of one of four calling conventions",
    ),
    Entry(
        "casts of a DType between others",
        "NumPy's function that adds casts with loops to a legacy dtype is private",
        "half only converts from and to Python numbers",
        "",
        lambda: _core.CASTS_ARE_THERE,
        lambda: _ONES.astype(np.int16).astype(half).dtype.type is half,
    ),
    Entry(
        "NPY_METH_get_loop, NPY_METH_get_reduction_initial",
        "loops are chosen by the rounding mode when NumPy requests them",
        "halfcl does not build",
        "",
        lambda: True,
        guard="; compiled in",
    ),
    Entry(
        "PyUFuncObject.vectorcall",
        "halfcl's fast path handles usual calls of ufuncs on half, such as a + b, before NumPy",
        "they take twice as long for few elements, and some 15 times for transposed arrays; "
        "numpy.clip of half between Python integers returns float32",
        "each ufunc's function is replaced by one that calls it for other types than half",
        _enter_calls,
        lambda: not _UMATH.present or _is_half(np.clip(_ONES, 0, 1)),
        guard="; compiled in",
    ),
    Entry(
        "PyArray_PyLongDType, PyArray_PyFloatDType, PyArray_PyComplexDType",
        "the DTypes that represent Python numbers in the promotion of ufuncs",
        "halfcl does not build",
        "",
        lambda: True,
        guard="; compiled in",
    ),
)


def _read_setting() -> str:
    """Return the value of HALFCL_NUMPY; ImportError if it is not a known one."""
    value = os.environ.get("HALFCL_NUMPY", "")
    if value not in ("", "taught", "plain"):
        raise ImportError(
            f"HALFCL_NUMPY={value[:40]!r}: expected 'taught' or 'plain'",
            name="halfcl",  # python -m halfcl then prints the message without a traceback
        )
    return value


#: Whether HALFCL_NUMPY=plain forbids changes of NumPy's own functions.
IS_PLAIN = _read_setting() == "plain"


def holds_outside_regions(check: Callable[[], bool]) -> bool:
    """Return whether a check holds outside of all regions, with all floating-point errors ignored.

    An exception counts as False.
    """

    def run() -> bool:
        with np.errstate(all="ignore"):
            return bool(check())

    try:
        return Context().run(run)  # a new context has no region and NumPy's default errstate
    except Exception:  # any library's
        return False


def _try(entry: Entry) -> None:
    if IS_PLAIN and entry.changes:
        return
    try:
        entry.present = entry.enter()
    except (ImportError, AttributeError, TypeError, ValueError, OSError):
        entry.present = False


def _enter(entries: list[Entry]) -> None:
    """Make the changes of one module's entries, check their effect, and warn of failures."""
    for entry in entries:
        _try(entry)
    for entry in entries:
        entry.present = entry.present and holds_outside_regions(entry.effect)
        if not entry.present:
            warnings.warn(
                f"halfcl: {entry.name}: not in effect beside NumPy {np.__version__}, known to be "
                f"in {entry.versions}; so {entry.without}",
                RuntimeWarning,
                stacklevel=2,
            )


def register() -> None:
    """Make the changes of all `ENTRIES`, now or when their module is imported."""
    entries = [entry for entry in ENTRIES if not (IS_PLAIN and entry.changes)]
    for entry in entries:
        entry.present = True
    for module in dict.fromkeys(entry.module for entry in entries):
        if IS_PLAIN and module not in sys.modules:
            continue  # no finder for the import
        together = [entry for entry in entries if entry.module == module]
        call_when_imported(module, partial(_enter, together))
    if IS_PLAIN:  # pandas' functions stay, but a warning tells of their overflows
        warn_of_nanops()
