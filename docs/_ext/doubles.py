"""Doubles of the table's rounded functions, which their plots of rounding errors are drawn against.

They are those that audits count errors from: within some 2^-50, relatively, far below what a plot
in ulps of half shows. Proofs are the tests' affair, which go by MPFR.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from halfcl.audit._results import exact as _exact


def _code(low: float, scale: float) -> Callable[[Any], Any]:
    return lambda x: np.clip(x * scale, low, scale)


#: Codes, which audits compare as integers; and fract, which never reaches 1.
_OWN: dict[str, Callable[[Any], Any]] = {
    "to_unorm8": _code(0, 255), "to_unorm16": _code(0, 65535),
    "to_snorm8": _code(-128, 127), "to_snorm16": _code(-32768, 32767),
    "fract": lambda x: np.minimum(x - np.floor(x), 1 - 2.0**-11),
}  # fmt: skip


def exact(name: str, arguments: tuple[Any, ...]) -> Any:
    """The first result of a function, of numbers of any type."""
    function = _OWN.get(name) or _exact.DOUBLES[name]
    with np.errstate(all="ignore"):
        found = function(*(np.asarray(value).astype(float) for value in arguments))
    return found[0] if isinstance(found, tuple) else found
