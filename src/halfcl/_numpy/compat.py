"""What halfcl touches of NumPy's private parts, all of it: `ENTRIES`.

Where a version of NumPy lacks one, or has something else in its place, it is left alone:
halfcl imports, and does less as the entry says. With ``HALFCL_NUMPY=plain`` so is everything of
NumPy's own that would be changed; docs/reference/numpy_changes.md lists it.
The C side is in ``_core/numpy_compat.h`` and ``numpy_methods.h``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from threading import get_ident
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfcl import _core
from halfcl._numpy.einsum import teach_einsum
from halfcl._numpy.peers import teach_fft, teach_groupby, teach_index, teach_merge
from halfcl._numpy.vectorize import teach_vectorize
from halfcl._numpy.wide import teach_masked, teach_wide
from halfcl._opencl.constants import finfo
from halfcl._tables import TABLE
from halfcl.reductions._functions import reduce_for_numpy
from halfcl.reductions._into_half import reduce_others_for_numpy

half = _core.half


def _enter_finfo() -> bool:
    # numpy.finfo keeps what it made.
    cache = np.finfo._finfo_cache  # type: ignore[attr-defined]
    cache.update({half: finfo(), _core.HALF_DTYPE: finfo()})
    return True


def _enter_precision() -> bool:
    np.lib._type_check_impl.array_precision[half] = 0  # type: ignore[attr-defined]
    return True


def _printed_as_float16(get: Callable[..., object]) -> Callable[..., object]:
    """The function that chooses how an array's elements are printed, for half too."""

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
        floats.insert(0, half)  # the widest is last
    return True


def _fill_extrema(ma: ModuleType) -> None:
    for fillers, extremum in ((ma.min_filler, np.inf), (ma.max_filler, -np.inf)):
        fillers.update({half: extremum, _core.HALF_DTYPE: extremum})


class _Later:
    """Teaches a module something when it is imported: numpy.ma takes as long as halfcl."""

    def __init__(self, name: str, teach: Callable[[ModuleType], None]):
        self.name, self.teach = name, teach
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
        load = spec.loader.exec_module

        def load_and_teach(module: ModuleType) -> None:
            # Another list: of this one, other threads that import may be looking at the next.
            sys.meta_path = [finder for finder in sys.meta_path if finder is not self]
            load(module)
            with suppress(AttributeError, OSError):
                self.teach(module)

        spec.loader.exec_module = load_and_teach  # type: ignore[method-assign]
        return spec


def _teach_when_imported(name: str, teach: Callable[[ModuleType], None]) -> bool:
    if name in sys.modules:
        teach(sys.modules[name])
    elif not any(isinstance(x, _Later) and x.name == name for x in sys.meta_path):
        sys.meta_path.insert(0, _Later(name, teach))
    return True


def _enter_fillers() -> bool:
    return _teach_when_imported("numpy.ma.core", _fill_extrema)


def _enter_masked_average() -> bool:
    return _teach_when_imported("numpy.ma.extras", teach_masked)


def _enter_fft() -> bool:
    return _teach_when_imported("scipy.fft._pocketfft.helper", teach_fft)


def _enter_pandas() -> bool:
    _teach_when_imported("pandas.core.indexes.base", teach_index)
    _teach_when_imported("pandas.core.groupby.ops", teach_groupby)
    return _teach_when_imported("pandas.core.reshape.merge", teach_merge)


def _enter_printing() -> bool:
    arrayprint = import_module("numpy._core.arrayprint")
    name = "_get_format_function"
    choose = getattr(arrayprint, name)
    if choose.__module__ != __name__:
        setattr(arrayprint, name, _printed_as_float16(choose))
    return True


def _enter_converter() -> bool:
    mapper = import_module("numpy.lib._iotools").StringConverter._mapper
    if not any(entry[0] is half for entry in mapper):
        mapper.insert(-1, (half, half, np.nan))  # the last one is NumPy's default
    return True


#: Methods that numpy._core._methods has kept since before they were replaced.
_KEPT_METHODS = {
    "umr_sum": np.add, "umr_prod": np.multiply, "umr_maximum": np.maximum, "umr_minimum": np.minimum
}  # fmt: skip


def _enter_reduce() -> bool:
    methods: Any = import_module("numpy._core._methods")
    if not all(callable(getattr(methods, kept)) for kept in _KEPT_METHODS):
        return False
    if not _core.teach_ufunc_methods(reduce_for_numpy, reduce_others_for_numpy):
        return False
    for kept, ufunc in _KEPT_METHODS.items():  # what ndarray's methods call
        setattr(methods, kept, ufunc.reduce)
    return True


def _enter_umath() -> bool:
    _ufuncs.update(_ufuncs_of(import_module("numpy._core.umath")))
    return True


def _ufuncs_of(module: object) -> dict[str, np.ufunc]:
    return {name: u for name, u in vars(module).items() if isinstance(u, np.ufunc)}


_ufuncs = _ufuncs_of(np)


def ufuncs() -> dict[str, np.ufunc]:
    """NumPy's ufuncs by name, those that have none in `numpy` itself too."""
    _try(_UMATH)
    return _ufuncs


_FLOAT16 = np.dtype(np.float16)

#: NumPy's casts from and to float16, and the loops of ufunc.at for it, that halfcl can replace.
_methods: list[_core.ReplacedCast | _core.ReplacedCopies | _core.ReplacedAt] = []


def replaceable_methods() -> list[_core.ReplacedCast | _core.ReplacedCopies | _core.ReplacedAt]:
    """NumPy's array methods for float16 that can be replaced; none if they cannot."""
    return _methods


def _enter_methods() -> bool:
    if not _methods:
        copies = _core.ReplacedCopies(_cast(_FLOAT16, _FLOAT16))
        _methods.extend([*_casts(), copies, *_indexed_loops()])
    return True


def _cast(source: np.dtype[Any], target: np.dtype[Any]) -> object:
    """What NumPy casts by."""
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


#: Processors' features with any of which NumPy sorts integers of 16 and of 32 bits by vectors.
_SORTS_16_BITS = ("AVX512_ICL", "ASIMD")
_SORTS_32_BITS = ("AVX512_SKX", "AVX2", "ASIMD")


def _enter_features() -> bool:
    features = import_module("numpy._core._multiarray_umath").__cpu_features__
    _core.sort_by_integers(
        any(map(features.get, _SORTS_16_BITS)), any(map(features.get, _SORTS_32_BITS))
    )
    return True


def _enter_calls() -> bool:
    for name in {name for row in TABLE for name in row.numpy} & ufuncs().keys():
        _core.take_calls(ufuncs()[name])
    return _core.takes_calls(np.add) and _core.take_products()


@dataclass
class Entry:
    """One private part of NumPy."""

    name: str
    #: What halfcl needs it for.
    reason: str
    #: Those of NumPy in which it is known to be there.
    versions: str
    #: What fails where it is not.
    without: str
    #: What is changed that is NumPy's own, and not half's alone; nothing if halfcl only reads it.
    changes: str
    #: Does what is to be done to it, once or again; whether it is what it is taken for.
    enter: Callable[[], bool] = field(repr=False)
    #: Whether it was found and did.
    present: bool = False


_UMATH = Entry(
    "numpy._core.umath",
    "the ufunc behind numpy.clip has no other name",
    "2.0 to 2.5",
    "numpy.clip of half raises TypeError",
    "",
    _enter_umath,
)

#: Every private part of NumPy that halfcl touches.
ENTRIES = (
    _UMATH,
    Entry(
        "numpy.finfo._finfo_cache",
        "numpy.finfo knows NumPy's own types alone",
        "2.0 to 2.5",
        "numpy.finfo(half) raises or gives float16's numbers; halfcl.finfo() has them",
        "",
        _enter_finfo,
    ),
    Entry(
        "numpy.lib._type_check_impl.array_precision",
        "numpy.common_type, which the testing functions that count ulps call, looks types up",
        "2.0 to 2.5",
        "numpy.common_type of half raises TypeError",
        "",
        _enter_precision,
    ),
    Entry(
        "numpy._core.numerictypes: allTypes, sctypes",
        "numpy.isdtype, and with it what follows the array API, looks types up",
        "2.0 to 2.5",
        "numpy.isdtype of half raises TypeError, most of scipy.stats and xarray's mean too",
        "",
        _enter_types,
    ),
    Entry(
        "numpy.ma.core: min_filler, max_filler",
        "numpy.ma puts these in the place of what is masked, by type",
        "2.0 to 2.5",
        "numpy.ma.min, max, argmin, ptp and median of half raise TypeError",
        "a finder in `sys.meta_path` waits until `numpy.ma` is imported, and goes then",
        _enter_fillers,
    ),
    Entry(
        "numpy.lib._iotools.StringConverter._mapper",
        "numpy.genfromtxt reads floating types by float, which rounds first",
        "2.0 to 2.5",
        "numpy.genfromtxt rounds to half twice",
        "the list has half, too",
        _enter_converter,
    ),
    Entry(
        "numpy._core.arrayprint._get_format_function",
        "since NumPy 2.5 arrays of types that are not NumPy's print each element by str",
        "2.0 to 2.5",
        "arrays of half print with columns that do not line up",
        "the function is replaced by one that calls it",
        _enter_printing,
    ),
    Entry(
        "numpy.ndarray: sort, partition, argmax and their like, searchsorted, dot, nonzero",
        "a dtype has no slots for them, or slots that are called for each row, or each product",
        "2.0 to 2.5, as C methods with METH_FASTCALL | METH_KEYWORDS, nonzero with METH_VARARGS",
        "partition, median and percentile of half take 200 times as long, searchsorted 30 times, "
        "sort and argmax of short rows 10 times, dot of matrices 40 times",
        "the methods' functions are replaced by ones that call them for all but half",
        _core.teach_methods,
    ),
    Entry(
        "numpy._core._multiarray_umath.__cpu_features__",
        "NumPy sorts integers faster than halfcl, where it does so by vectors",
        "2.0 to 2.5",
        "sorting of 32 to 65536 halves takes up to twice as long, argsort of them too",
        "",
        _enter_features,
    ),
    Entry(
        "code of mean, var, std, nanmean, nanvar, nanstd, average, trapezoid, norm",
        "numpy calculates them in halves, for whose range sums on the way are too large, and "
        "rounds means twice",
        "2.0 to 2.5, as Python functions whose source is at hand",
        "numpy.var and the others of many halves overflow, as float16's; they round more than once",
        "their code is compiled again, with a statement more, which does nothing but for half, and "
        "for float16 while accelerate() is on",
        teach_wide,
    ),
    Entry(
        "numpy.ma.average",
        "numpy.ma calculates it in halves, too, and is imported later",
        "2.0 to 2.5, as a Python function whose source is at hand",
        "numpy.ma.average of many halves overflows, as float16's",
        "its code, as those; a finder as for the fillers",
        _enter_masked_average,
    ),
    Entry(
        "scipy.fft._pocketfft.helper._asfarray",
        "SciPy's transforms are of float32 and float64, to which it converts float16 alone",
        "2.0 to 2.5, with SciPy 1.14 to 1.17",
        "scipy.fft, and with it scipy.signal.fftconvolve, refuses half",
        "its code is compiled again, with a statement more; a finder as for the fillers",
        _enter_fft,
    ),
    Entry(
        "pandas: WrappedCythonOp, Index, merge",
        "pandas' loops are of float32 and float64, to which it converts float16 alone",
        "2.0 to 2.5, with pandas 3.1",
        "groupby of half fails where keys are not sorted, and indexes of half find nothing",
        "three functions are replaced by ones that call them for all but half; finders",
        _enter_pandas,
    ),
    Entry(
        "numpy.vectorize._get_ufunc_and_otypes",
        "numpy.vectorize keeps its results' types as letters, and half's is float16's",
        "2.0 to 2.5, as a Python function whose source is at hand",
        "numpy.vectorize gives float16 where it is not told to give half by otypes",
        "its code is compiled again, so that it keeps half's type",
        teach_vectorize,
    ),
    Entry(
        "numpy._core.einsumfunc.c_einsum",
        "numpy.einsum has loops for NumPy's own types, and takes no others",
        "2.0 to 2.5",
        "numpy.einsum of half raises TypeError; a.view(numpy.float16) is taken",
        "the function is replaced by one that calls it for all but half",
        teach_einsum,
    ),
    Entry(
        "PyArray_DTypeMeta.flags: NPY_DT_NUMERIC",
        "a legacy dtype cannot declare that it is of numbers, which numpy.testing asks",
        "2.0 to 2.5",
        "numpy.testing.assert_array_equal of half fails where there are NaNs (since 2.4)",
        "",
        _core.teach_numeric,
    ),
    Entry(
        "PyArray_DTypeMeta.dt_slots: NPY_DT_common_dtype",
        "a legacy dtype leaves it to Python's numbers what they have in common with it",
        "2.0 to 2.5, where NumPy's own number types share one method there",
        "types that three arguments have in common are not float16's: of half, bool, 1 float64",
        "",
        _core.teach_promotion,
    ),
    Entry(
        "PyUFuncObject.type_resolver",
        "NumPy looks for dtype=half among the loops of its own types",
        "2.0 to 2.5",
        "ufuncs with dtype=half refuse arguments of which none is half; so does numpy.linalg.norm",
        "each ufunc's resolver is replaced by one that calls it for all but half",
        lambda: _core.teach_resolvers(u for u in ufuncs().values() if u.signature is None),
    ),
    Entry(
        "numpy._ArrayMethod of float16's casts and ufunc.at",
        "accelerate() replaces a function in each",
        "2.0 to 2.5, by the size of the struct and what it says of itself",
        "accelerate() leaves NumPy's casts, and regions leave ufunc.at on float16 alone",
        "",
        _enter_methods,
    ),
    Entry(
        "numpy._ArrayMethod of half's cast to itself",
        "a legacy dtype cannot say that copies of its elements are copies of bytes",
        "2.0 to 2.5, by the size of the struct and what it says of itself",
        "copies of small arrays of half take 1.7 times as long as float16's, and one thread",
        "",
        _enter_copies,
    ),
    Entry(
        "numpy.ufunc: reduce, accumulate, reduceat; numpy._core._methods: umr_sum and its like",
        "NumPy adds the rows of an array one by one, with halves for accumulators, and takes a "
        "call for each short row",
        "2.0 to 2.5, as C methods called with METH_FASTCALL | METH_KEYWORDS",
        "sums and products along some axes, and running ones of float16, round at each step, "
        "extrema of short rows take many times as long; halfcl.sum and halfcl.prod round once",
        "the methods' functions are replaced by ones that call them for all but half, and float16 "
        "while accelerate() is on",
        _enter_reduce,
    ),
    Entry(
        "numpy.ufunc.at",
        "NumPy takes a call of the loop for each element, and converts each value by itself",
        "2.0 to 2.5, as a C method called with METH_VARARGS",
        "ufunc.at of half takes 5 times as long",
        "the method's function is replaced by one that calls it for all but half, and float16 "
        "while accelerate() is on",
        _core.teach_at,
    ),
    Entry(
        "numpy._core._multiarray_umath: dot, inner, correlate, correlate2, count_nonzero",
        "NumPy makes one dot product after the other, and asks for each half whether it is zero",
        "2.0 to 2.5, as C functions of one of four calling conventions",
        "dot, inner and tensordot of matrices of half take 40 times as long, convolve 20 times",
        "the functions are replaced by ones that call them for all but half, and float16 while "
        "accelerate() is on",
        lambda: _core.teach_functions(import_module("numpy._core._multiarray_umath")),
    ),
    Entry(
        "numpy._core._multiarray_umath.where",
        "NumPy chooses elements by branches, and asks for each half whether it is zero",
        "2.0 to 2.5, as a C function of one of four calling conventions",
        "numpy.where of half takes 20 times as long",
        "the function is replaced by one that calls it for all but half, and float16 while "
        "accelerate() is on",
        lambda: _core.teach_where(import_module("numpy._core._multiarray_umath")),
    ),
    Entry(
        "casts of a DType between others",
        "NumPy's function that gives a legacy dtype casts with loops is private",
        "2.0 to 2.5",
        "half converts from and to Python numbers alone",
        "",
        lambda: _core.CASTS_ARE_THERE,
    ),
    Entry(
        "NPY_METH_get_loop, NPY_METH_get_reduction_initial",
        "a loop is chosen by the rounding mode when it is asked for",
        "2.0 to 2.5; compiled in",
        "halfcl does not build",
        "",
        lambda: True,
    ),
    Entry(
        "PyUFuncObject.vectorcall",
        "a ufunc's usual calls on half, a + b, are halfcl's before they are NumPy's",
        "2.0 to 2.5; compiled in",
        "they take twice as long on few elements, transposed arrays some 15 times; numpy.clip of "
        "half between Python integers gives float32",
        "each ufunc's function is replaced by one that calls it for all but half",
        _enter_calls,
    ),
    Entry(
        "PyArray_PyLongDType, PyArray_PyFloatDType, PyArray_PyComplexDType",
        "the DTypes by which Python numbers take part in the promotion of ufuncs",
        "2.0 to 2.5; compiled in",
        "halfcl does not build",
        "",
        lambda: True,
    ),
)


def _asked_for() -> str:
    value = os.environ.get("HALFCL_NUMPY", "")
    if value not in ("", "taught", "plain"):
        raise ImportError(
            f"HALFCL_NUMPY={value[:40]!r}: expected 'taught' or 'plain'",
            name="halfcl",  # by which python -m halfcl tells that the message says it all
        )
    return value


#: HALFCL_NUMPY=plain: what is NumPy's own stays as it is.
IS_PLAIN = _asked_for() == "plain"


def _try(entry: Entry) -> None:
    if IS_PLAIN and entry.changes:
        return
    try:
        entry.present = entry.enter()
    except (ImportError, AttributeError, TypeError, ValueError, OSError):
        entry.present = False


def register() -> None:
    """Enter half where NumPy looks its own floating types up: each of `ENTRIES` that is there."""
    for entry in ENTRIES:
        _try(entry)
