"""OpenCL's half precision for NumPy: correctly rounded, in every IEEE rounding mode, fast."""

from contextlib import suppress as _suppress
from importlib import import_module as _import_module
from typing import Any as _Any

import _halfcl_script

if _halfcl_script.is_command():  # before NumPy is imported, which takes longest
    _halfcl_script.end_at_interrupt()

from halfcl import _core, _images
from halfcl._core import Function, get_rounding, half
from halfcl._numpy import acceleration as _acceleration
from halfcl._numpy.acceleration import accelerate_if_requested as _accelerate_if_requested
from halfcl._numpy.compat import (
    IS_PLAIN as _IS_PLAIN,
    call_when_imported as _call_when_imported,
    register as _register,
    ufuncs as _numpy_ufuncs,
)
from halfcl._opencl import constants as _constants, conversion as _conversion, memory as _memory
from halfcl._opencl.conversion import convert, parse
from halfcl._opencl.selection import FUNCTIONS as _SELECTION
from halfcl._opencl.ulps import allowed_ulp, ulp_error, ulps_between
from halfcl._settings.regions import MODES, rounding
from halfcl._settings.threads import get_num_threads, num_threads, set_num_threads
from halfcl._support import names as _names
from halfcl._support.extras import (
    MissingPackageError,
    are_installed as _are_installed,
)
from halfcl._support.foreign import adapter_for as _adapter_for, before_region as _before_region
from halfcl._tables import TABLE as _TABLE, Builtin as _Builtin, signatures as _signatures
from halfcl._tables.docstrings import docstring as _docstring
from halfcl._tables.twins import suggest_name as _suggest_name
from halfcl.reductions._public import FUNCTIONS as _REDUCTIONS
from halfcl.vectors import (
    TYPES as _VECTOR_TYPES,
    from_struct,
    shuffle,
    shuffle2,
    to_struct,
    vec_step,
)

__version__ = "0.1.0"


def _teach_numpy() -> None:
    """Give NumPy's ufuncs loops for half: the table's kernels."""
    ufuncs = _numpy_ufuncs()  # matvec and vecmat exist since NumPy 2.2
    for row in _TABLE:
        kernels = [(row.kernel, types) for types in (row.types, *row.numpy_types)]
        for ufunc in (ufuncs[name] for name in row.numpy if name in ufuncs):
            _core.extend_numpy_ufunc(
                ufunc, kernels, row.governed,
                identity=row.identity, reduce=row.reduce, signature=row.signature,
                promotion=row.promotion,
            )  # fmt: skip


def _make_function(row: _Builtin) -> Function:
    """Make the function of a row, with its ufuncs."""
    doc = _docstring(row)
    ufuncs = {
        mode: _core.make_ufunc(
            f"{row.name}_{mode}", doc, mode, [(row.kernel, row.types)],
            identity=row.identity, neutral=row.neutral, reduce=row.reduce,
            signature=row.signature, result_is_half="e" not in row.inputs,
        )
        for mode in row.modes
    }  # fmt: skip
    in_modes = [ufuncs.get(mode, ufuncs["rte"]) for mode in _core.MODES]
    function = _core.make_function(row.name, doc, in_modes, row.governed)
    function.__signature__ = _signatures.row_signature(row)
    return function


def _public() -> dict[str, _Any]:
    """Return the table's functions and their ufuncs by name."""
    functions = [_make_function(row) for row in _TABLE if row.public]
    return {
        name: value
        for function in functions
        for name, value in (
            (function.__name__, function),
            *((f"{function.__name__}_{mode}", getattr(function, mode)) for mode in _core.MODES),
        )
    }


def _let_threadpoolctl_limit_threads() -> None:
    with _suppress(ImportError):  # early versions take no controllers
        _import_module("halfcl._settings.threadpools")


_teach_numpy()
_register()
_accelerate_if_requested()
_core.set_adapter_for_class(_adapter_for)
_core.set_before_region(_before_region)
_functions = _public()
# Not by star imports, by which editors would also offer what those modules import.
for _module in (_acceleration, _constants, _images):
    globals().update({name: getattr(_module, name) for name in _module.__all__})
globals().update(_functions)
globals().update(_SELECTION)
globals().update(_REDUCTIONS)
_vectors = {n: cls for n, cls in _VECTOR_TYPES.items() if n not in _names.AMBIGUOUS}
globals().update(_vectors)
if _IS_PLAIN:  # then no finder waits for an import
    _let_threadpoolctl_limit_threads()
else:
    _call_when_imported("threadpoolctl", _let_threadpoolctl_limit_threads)

_generated = [
    *_functions,
    *_SELECTION,
    *_REDUCTIONS,
    *_vectors,
    *_acceleration.__all__,
    *_constants.__all__,
    *_images.__all__,
]
__all__ = [
    "MODES",
    "Function",
    "MissingPackageError",
    "allowed_ulp",
    "convert",
    "from_struct",
    "get_num_threads",
    "get_rounding",
    "half",
    "num_threads",
    "parse",
    "rounding",
    "set_num_threads",
    "shuffle",
    "shuffle2",
    "to_struct",
    "ulp_error",
    "ulps_between",
    "vec_step",
    *_names.names_for_import(_generated),
]
_everything = list(dict.fromkeys([*__all__, *_generated]))
_names.publish(globals(), *(globals()[name] for name in _everything[len(__all__) :]))
_core.count_no_more(globals()[name] for name in _everything)


#: Subpackages that are imported on first use, as in ``halfcl.io.read_exr``, with the modules of
#: other packages that they need.
_PARTS: dict[str, tuple[str, ...]] = {
    "arrays": (), "audit": (), "check": (), "cl": ("clang",), "dask": ("dask",),
    "device": (), "interval": (), "io": (), "plots": (), "safe": (), "stability": (), "testing": (),
}  # fmt: skip

#: Functions that are imported on first use, and their modules.
_LATE = {"show": "halfcl._anatomy", "show_versions": "halfcl._installation"}

#: Public modules that define some of these names.
_BENEATH = ("reductions", "typing", "vectors")


def __getattr__(name: str) -> _Any:
    if name in _PARTS:
        try:
            return _import_module(f"halfcl.{name}")
        except MissingPackageError as error:  # what hasattr and listings expect
            raise AttributeError(f"module 'halfcl' has no attribute {name!r}: {error}") from error
    if name in _LATE:
        function = getattr(_import_module(_LATE[name]), name)
        function.__module__ = __name__  # by which it pickles
        return globals().setdefault(name, function)
    # Make convert_*, as_*, vload* and vstore* on first use: they are several hundred names.
    value = _conversion.make(name) or _memory.make(name)
    if value is None:
        why = _names.explain_missing(name) or _suggest_name(name, __dir__)
        raise AttributeError(f"module 'halfcl' has no attribute {name!r}{why}")
    return globals().setdefault(name, value)  # keep the object of the thread that was first


def __dir__() -> list[str]:
    parts = [part for part, modules in _PARTS.items() if _are_installed(modules)]
    return sorted({*_names.listed_names(_everything), *_LATE, *_BENEATH, *parts, "__version__"})


def _reachable() -> list[str]:
    """Return every public name, including those made by rule."""
    by_rule = (*_conversion.names(), *_memory.names())
    return sorted({*_everything, *_LATE, *_BENEATH, *_PARTS, "__version__", *by_rule})
