"""Target for NumPy's own float16."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from halfcl import accelerated_ufuncs, processor_info
from halfcl._tables import TABLE
from halfcl.audit._records import TargetInfo
from halfcl.audit._targets.base import (
    NUMBER_TYPES,
    Call,
    Conversion,
    FunctionTarget,
    Target,
    TargetError,
    along_last_axis,
    casts,
    processor,
)

#: NumPy's ufuncs with halfcl's names, but other definitions.
_OTHERS = ("sign",)


class NumPyTarget(FunctionTarget):
    """NumPy's ufuncs on float16, and its casts."""

    def describe(self) -> TargetInfo:
        return TargetInfo(
            "numpy", "NumPy", np.__version__, processor(), {"machine": processor_info()["machine"]}
        )

    def functions(self) -> Mapping[str, Call]:
        ufuncs = {
            row.name: twin
            for row in TABLE
            if row.public and row.numpy and not row.signature and row.name not in _OTHERS
            for twin in [next((t for t in row.numpy if hasattr(np, t)), None)]
            if twin
        }
        return {name: Call(f"np.{twin}", getattr(np, twin)) for name, twin in ufuncs.items()}

    def reductions(self) -> Mapping[str, Call]:
        functions: dict[str, tuple[str, Callable[..., object]]] = {
            "sum": ("np.sum", np.sum),
            "mean": ("np.mean", np.mean),
            "var": ("np.var", np.var),
            "norm": ("np.linalg.norm", np.linalg.norm),
        }
        return along_last_axis(functions)

    def conversions(self) -> Iterable[Conversion]:
        return casts(NUMBER_TYPES, "x.astype(np.{})", lambda name, x: x.astype(name))


def make(rest: str) -> Target:
    """Return the target; raise TargetError if halfcl has replaced NumPy's loops."""
    if rest:
        raise TargetError(f"target: expected nothing after numpy, got {rest!r}")
    if accelerated_ufuncs():
        raise TargetError(
            "target: expected NumPy's own float16 loops, got halfcl's; "
            "call halfcl.decelerate() first, or unset HALFCL_ACCELERATE"
        )
    return NumPyTarget()
