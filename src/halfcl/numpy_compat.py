"""What halfcl touches of NumPy's private parts, all of it: `ENTRIES`.

Where a version of NumPy lacks one, or has something else in its place, it is left alone:
halfcl imports, and does less as the entry says. The C side is in ``_core/numpy_compat.h``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

from halfcl import _core
from halfcl.constants import finfo

half = _core.half


def _enter_finfo() -> bool:
    # numpy.finfo keeps what it made.
    cache = np.finfo._finfo_cache  # type: ignore[attr-defined]
    cache.update({half: finfo(), _core.HALF_DTYPE: finfo()})
    return True


def _enter_precision() -> bool:
    np.lib._type_check_impl.array_precision[half] = 0  # type: ignore[attr-defined]
    return True


def _printed_as_float16(get: Callable[..., Any]) -> Callable[..., Any]:
    """The function that chooses how an array's elements are printed, for half too."""

    def get_format_function(data: Any, **options: Any) -> Any:
        if data.dtype.type is half:
            data = data.view(np.dtype(np.float16).newbyteorder(data.dtype.byteorder))
        return get(data, **options)

    get_format_function.__module__ = __name__
    return get_format_function


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


def _enter_umath() -> bool:
    _ufuncs.update(_ufuncs_of(import_module("numpy._core.umath")))
    return True


def _ufuncs_of(module: Any) -> dict[str, np.ufunc]:
    return {name: u for name, u in vars(module).items() if isinstance(u, np.ufunc)}


_ufuncs = _ufuncs_of(np)


def ufuncs() -> dict[str, np.ufunc]:
    """NumPy's ufuncs by name, those that have none in `numpy` itself too."""
    _try(_UMATH)
    return _ufuncs


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
    #: Does what is to be done to it, once or again; whether it is what it is taken for.
    enter: Callable[[], bool] = field(repr=False)
    #: Whether it was found and did.
    present: bool = False


_UMATH = Entry(
    "numpy._core.umath",
    "the ufunc behind numpy.clip has no other name",
    "2.0 to 2.5",
    "numpy.clip of half raises TypeError",
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
        _enter_finfo,
    ),
    Entry(
        "numpy.lib._type_check_impl.array_precision",
        "numpy.common_type, which the testing functions that count ulps call, looks types up",
        "2.0 to 2.5",
        "numpy.common_type of half raises TypeError",
        _enter_precision,
    ),
    Entry(
        "numpy.lib._iotools.StringConverter._mapper",
        "numpy.genfromtxt reads floating types by float, which rounds first",
        "2.0 to 2.5",
        "numpy.genfromtxt rounds to half twice",
        _enter_converter,
    ),
    Entry(
        "numpy._core.arrayprint._get_format_function",
        "since NumPy 2.5 arrays of types that are not NumPy's print each element by str",
        "2.0 to 2.5",
        "arrays of half print with columns that do not line up",
        _enter_printing,
    ),
    Entry(
        "numpy.ndarray: partition, argpartition",
        "a dtype has no slot for them, and NumPy sorts by comparing",
        "2.0 to 2.5, as C methods called with METH_FASTCALL | METH_KEYWORDS",
        "partition, median and percentile of half take 200 times as long",
        _core.teach_partition,
    ),
    Entry(
        "casts of a DType between others",
        "NumPy's function that gives a legacy dtype casts with loops is private",
        "2.0 to 2.5",
        "half converts from and to Python numbers alone",
        lambda: _core.CASTS_ARE_THERE,
    ),
    Entry(
        "NPY_METH_get_loop, NPY_METH_get_reduction_initial",
        "a loop is chosen by the rounding mode when it is asked for",
        "2.0 to 2.5; compiled in",
        "halfcl does not build",
        lambda: True,
    ),
    Entry(
        "PyArray_PyLongDType, PyArray_PyFloatDType, PyArray_PyComplexDType",
        "the DTypes by which Python numbers take part in the promotion of ufuncs",
        "2.0 to 2.5; compiled in",
        "halfcl does not build",
        lambda: True,
    ),
)


def _try(entry: Entry) -> None:
    try:
        entry.present = entry.enter()
    except (ImportError, AttributeError, TypeError):
        entry.present = False


def register() -> None:
    """Enter half where NumPy looks its own floating types up: each of `ENTRIES` that is there."""
    for entry in ENTRIES:
        _try(entry)
