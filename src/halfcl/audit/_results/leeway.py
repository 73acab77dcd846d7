"""Arguments for which OpenCL does not specify results: no result is wrong there."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from halfcl._tables.row import Builtin
from halfcl.audit._results.mistakes import Array, Mask, bits


def _any_of(test: Callable[[Array], Mask]) -> Callable[..., Mask]:
    """Return a function that tests whether any argument satisfies a condition."""

    def test_any(*arguments: Array) -> Mask:
        mask: Mask = np.logical_or.reduce([test(x) for x in arguments])
        return mask

    return test_any


def _zeros(*arguments: Array) -> Mask:
    """Return where both zeros are among the arguments."""
    positive, negative = (
        np.logical_or.reduce([bits(x) == zero for x in arguments]) for zero in (0x0000, 0x8000)
    )
    both: Mask = positive & negative
    return both


#: Tests by the words of a row's ``open``.
_UNSPECIFIED: dict[str, Callable[..., Mask]] = {
    "zeros": _zeros,
    "zero": lambda x: x == 0,
    "nans": _any_of(np.isnan),
    "infinities": _any_of(np.isinf),
    "mixed": lambda *components: (
        np.logical_or.reduce([np.isinf(x) for x in components])
        & np.logical_or.reduce([np.isnan(x) for x in components])
    ),
    "poles": lambda x: (x <= 0) & (x == np.floor(x)),
    "bounds": lambda x, low, high: low > high,
    "edges": lambda low, high, x: low >= high,
    "weights": lambda x, y, a: ~((a >= 0) & (a <= 1)),
}


def is_unspecified(row: Builtin, arguments: tuple[Array, ...]) -> Mask:
    """Return where the result is unspecified, as bools."""
    with np.errstate(all="ignore"):
        mask: Mask = np.logical_or.reduce([_UNSPECIFIED[word](*arguments) for word in row.open])
    return mask
