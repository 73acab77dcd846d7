"""Target for NumKong's element-wise kernels and casts on float16."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from halfcl.audit._records import TargetInfo
from halfcl.audit._results.mistakes import Array
from halfcl.audit._targets.base import (
    NUMBER_TYPES,
    Call,
    Conversion,
    Target,
    TargetError,
    library,
    processor,
)

_HALF = "float16"

#: The called expression and the function. NumKong allocates the results, since some of its kernels
#: read the buffer for a result before they write it.
_FUNCTIONS: dict[str, tuple[str, Callable[..., ArrayLike]]] = {
    "add": ("numkong.add(x, y)", lambda nk, x, y: nk.add(x, y)),
    "subtract": (
        "numkong.blend(x, y, alpha=1, beta=-1)",
        lambda nk, x, y: nk.blend(x, y, alpha=1.0, beta=-1.0),
    ),
    "multiply": ("numkong.multiply(x, y)", lambda nk, x, y: nk.multiply(x, y)),
    "negative": (
        "numkong.scale(x, alpha=-1, beta=0)",
        lambda nk, x: nk.scale(x, alpha=-1.0, beta=0.0),
    ),
    "fma": (
        "numkong.fma(a, b, c, alpha=1, beta=1)",
        lambda nk, a, b, c: nk.fma(a, b, c, alpha=1.0, beta=1.0),
    ),
    "sin": ("numkong.sin(x)", lambda nk, x: nk.sin(x)),
    "cos": ("numkong.cos(x)", lambda nk, x: nk.cos(x)),
    "atan": ("numkong.atan(x)", lambda nk, x: nk.atan(x)),
}


class NumKongTarget:
    """The kernels that NumKong selects on this machine."""

    def __init__(self) -> None:
        self._library = library("numkong", "numkong", "numkong")

    def describe(self) -> TargetInfo:
        capabilities = self._library.get_capabilities()
        used = ", ".join(sorted(name for name, there in capabilities.items() if there))
        return TargetInfo(
            "numkong", "NumKong", self._library.__version__, processor(), {"kernels": used}
        )

    def functions(self) -> Mapping[str, Call]:
        return {
            name: Call(spelled, self._adapt(function))
            for name, (spelled, function) in _FUNCTIONS.items()
        }

    def _adapt(self, function: Callable[..., ArrayLike]) -> Callable[..., Array]:
        def call(*arrays: Array) -> Array:
            return np.asarray(function(self._library, *arrays))

        return call

    def conversions(self) -> Iterable[Conversion]:
        for other in NUMBER_TYPES:
            yield self._cast(other, _HALF)
            if other.startswith("float"):  # to integers its casts neither cut off nor saturate
                yield self._cast(_HALF, other)

    def _cast(self, source: str, destination: str) -> Conversion:
        def cast(x: Array) -> Array:
            return np.asarray(self._library.astype(x, destination))

        return Conversion(
            f"numkong.astype(x, {destination!r})", cast, source=source, destination=destination
        )

    def vectors(self) -> Mapping[str, Call]:
        return {}


def make(rest: str) -> Target:
    """Return the target; it has no options."""
    if rest:
        raise TargetError(f"target: expected nothing after numkong, got {rest!r}")
    return NumKongTarget()
