"""OpenCL's half precision for NumPy: correctly rounded, in every IEEE rounding mode, fast."""

from __future__ import annotations

from typing import Any

import numpy as _np

from halfcl import _core, constants as _constants, conversion as _conversion
from halfcl._core import Function, get_rounding, half
from halfcl.builtins import TABLE as _TABLE, docstring as _docstring
from halfcl.constants import *  # noqa: F403
from halfcl.conversion import convert, parse
from halfcl.regions import rounding

__version__ = "0.1.0"


def _teach_numpy() -> None:
    """Give NumPy's ufuncs loops for half: the table's kernels, else float32's loops."""
    # matvec and vecmat are there since NumPy 2.2; clip's ufunc is only in _core.umath.
    ufuncs = {n: u for n, u in vars(_np._core.umath).items() if isinstance(u, _np.ufunc)}
    extended = set()
    for row in _TABLE:
        for ufunc in (ufuncs[name] for name in row.numpy if name in ufuncs):
            _core.extend_numpy_ufunc(
                ufunc, row.kernel, row.types, row.governed,
                identity=row.identity, reduce=row.reduce,
            )  # fmt: skip
            extended.add(ufunc)
    for ufunc in set(ufuncs.values()) - extended:
        _core.borrow_float_loops(ufunc)


def _define_functions() -> list[str]:
    """Make the table's functions and their ufuncs module attributes."""
    defined = []
    for row in _TABLE:
        if not row.public:
            continue
        doc = _docstring(row)
        ufuncs = {
            mode: _core.make_ufunc(
                f"{row.name}_{mode}", doc, mode, [(row.kernel, row.types)],
                identity=row.identity, reduce=row.reduce,
            )  # fmt: skip
            for mode in row.modes
        }
        in_modes = [ufuncs.get(mode, ufuncs["rte"]) for mode in _core.MODES]
        function = _core.Function(row.name, doc, in_modes, row.governed)
        globals()[row.name] = function
        defined.append(row.name)
        for mode, ufunc in zip(_core.MODES, in_modes, strict=True):
            globals()[f"{row.name}_{mode}"] = ufunc
            defined.append(f"{row.name}_{mode}")
    return defined


_teach_numpy()

__all__ = [
    "Function", "convert", "get_rounding", "half", "parse", "rounding",
    *_define_functions(),
    *(name for name in vars(_constants) if name.isupper() or name in ("FPConfig", "device_info", "finfo")),
]  # fmt: skip


def __getattr__(name: str) -> Any:
    # convert_* and as_*: several hundred names, made when asked for.
    value = _conversion.make(name)
    if value is None:
        raise AttributeError(f"module 'halfcl' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_conversion.names()})
