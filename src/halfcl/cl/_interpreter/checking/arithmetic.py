"""Checked arithmetic: operations whose results OpenCL C leaves undefined."""

from __future__ import annotations

import numpy as np

from halfcl.cl._frontend.types import Number, limits
from halfcl.cl._interpreter.checking.watching import WatchedRun
from halfcl.cl._interpreter.values import lanes
from halfcl.cl._interpreter.values.lanes import DEAD, Array, Mask, Ramp, Truths, Value
from halfcl.typing import RoundingMode

_ROUNDED = {"rte": np.rint, "rtz": np.trunc, "rtp": np.ceil, "rtn": np.floor}


class WatchedArithmetic(WatchedRun):
    """A block whose integer divisions, and conversions to integers, are watched."""

    def see_division(
        self, operator: str, number: Number, left: Value, right: Value, mask: Mask, at: int
    ) -> None:
        if type(right) is int and right not in (0, -1):
            return
        low, _ = limits(number.dtype)
        a, b = _array(left), _array(right)
        is_zero = b == 0
        self._find_first("division by zero", operator, number, (a, b), is_zero, mask, at)
        if low:
            overflows = (a == low) & (b == -1)
            kind = "overflow of a division"
            self._find_first(kind, operator, number, (a, b), overflows, mask, at)

    def see_conversion(
        self, source: Number, target: Number, mode: RoundingMode, value: Value, mask: Mask, at: int
    ) -> None:
        """Check a conversion of floating numbers to integers without saturation."""
        low, high = limits(target.dtype)
        numbers = lanes.as_array(value, source.dtype)
        rounded = _ROUNDED[mode](numbers.astype(np.float64))
        is_out = ~((rounded >= float(low)) & (rounded < float(high + 1)))  # NaN, too
        kind = "conversion out of range"
        self._find_first(kind, "to", source, (numbers, str(target)), is_out, mask, at)

    def _find_first(
        self,
        kind: str,
        operator: str,
        number: Number,
        operands: tuple[Array, Array | str],
        bad: Truths,
        mask: Mask,
        at: int,
    ) -> None:
        """Report the first component of the first active item for which a condition is bad.

        The second operand may be a type instead.
        """
        if mask is DEAD or not bad.any():
            return
        rows = np.broadcast_to(np.atleast_2d(bad), (np.atleast_2d(bad).shape[0], self.axes.count))
        items = rows.any(axis=0)
        if mask is not None:
            items = items & mask
        if not items.any():
            return
        item = int(items.argmax())
        component = int(rows[:, item].argmax())
        first, second = (x if isinstance(x, str) else _at(x, component, item) for x in operands)
        self.at = at
        right_type = operands[1] if isinstance(operands[1], str) else number
        what = f"{number} {operator} {right_type}"
        self.add_finding(kind, what, item, None, f": {first!s} {operator} {second!s}")


def _array(value: Value) -> Array:
    array: Array = value.array() if type(value) is Ramp else np.asarray(value)
    return array


def _at(array: Array, component: int, item: int) -> object:
    """Return a component of an item, in an array that may have one item or one row for all."""
    rows = np.atleast_2d(array)
    return rows[min(component, len(rows) - 1), min(item, rows.shape[1] - 1)]
