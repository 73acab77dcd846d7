"""Records the operations that first made an infinity or a NaN in a run."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np

from halfcl._tables import TABLE

Where = TypeVar("Where", bound=Hashable)

#: An operand of an operation: a number of NumPy's or of Python's, or a text that is converted.
Operand: TypeAlias = np.generic | float | str

#: NumPy's name of an exception, and what an `Experiment` calls it.
_REASONS = {"overflow": "overflow", "divide by zero": "divide by zero", "invalid value": "invalid"}

#: What NumPy writes of an exception: "Warning: overflow encountered in multiply".
_MESSAGE = re.compile(rf"(?:Warning: )?(({'|'.join(_REASONS)}) encountered in (.*))")

#: What NumPy writes of a NaN that becomes an integer, which makes neither NaN nor infinity.
_NAN_TO_INTEGER = "invalid value encountered in cast"

#: NumPy's names of functions, by their kernels.
_NUMPYS = {row.kernel: row.numpy[0] for row in TABLE if row.numpy}

#: Operators, by NumPy's names.
_OPERATORS = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "floor_divide": "//",
    "remainder": "%", "power": "**",
}  # fmt: skip

#: Operations on many halves, by their names.
_TOTALS = {
    "add_reduce": "a sum", "dot": "a sum of products", "matmul": "a product of matrices",
    "multiply_reduce": "a product", "vectors_dot": "a sum of products",
}  # fmt: skip


def _number(operand: Operand) -> str:
    """Return the text of an operand, without the zeros of an exponent.

    >>> from halfcl.stability._observing.nonfinite import _number
    >>> _number(-1e10), _number(np.float16(0.1)), _number(70000)
    ('-1e10', '0.1', '70000')
    """
    text = str(operand)
    if isinstance(operand, float | np.floating) and not isinstance(operand, np.float16):
        text = f"{float(operand):.6g}"
    return re.sub(r"e\+?(-?)0*(\d)", r"e\1\2", text.removesuffix(".0"))


def _expression(operation: str, operands: tuple[Operand, ...]) -> str:
    """Return an operation with its operands, in words or with an operator."""
    texts = [_number(operand) for operand in operands]
    if not texts:
        return _TOTALS.get(operation, operation)
    operation = _NUMPYS.get(operation, operation)
    if operation in _OPERATORS and len(texts) == 2:
        sign = _OPERATORS[operation]
        if sign in "+-" and texts[1].startswith("-"):
            texts[1] = f"({texts[1]})"
        return f" {sign} ".join(texts)
    name = "a cast" if operation == "cast" else operation
    return f"{name} of {' and '.join(texts)}"


@dataclass(frozen=True)
class NotFinite(Generic[Where]):
    """An operation that gave an infinity, though its operands are finite, or the first NaN.

    location: where it is. operation: its name, or NumPy's own words if it did not compute in half.
    operands: those of the first such element, if they are known. reason: "overflow", "divide by
    zero" or "invalid". count: how often it happened, at most once per operation on arrays.
    """

    location: Where
    operation: str
    operands: tuple[Operand, ...]
    reason: str
    count: int = 1

    @property
    def text(self) -> str:
        """The operation in words: "overflow of a cast of -1e10", "inf - inf", "log of 0"."""
        if " encountered in " in self.operation:
            return self.operation
        expression = _expression(self.operation, self.operands)
        if not self.operands:
            return f"{'NaN' if self.reason == 'invalid' else self.reason} in {expression}"
        return f"overflow of {expression}" if self.reason == "overflow" else expression


class NotFiniteRecorder(Generic[Where]):
    """Records where one run makes infinities and NaNs, in the order of their first occurrences.

    find: returns the location of a frame. is_ignored: tells whether what a frame computes does not
    count, since it only shows results.
    """

    def __init__(self, find: Callable[[FrameType], Where], is_ignored: Callable[[FrameType], bool]):
        self._find, self._is_ignored = find, is_ignored
        self._first: dict[tuple[Where, str, str], tuple[Operand, ...]] = {}
        self._counts: dict[tuple[Where, str, str], int] = {}
        self._last: tuple[Where, str] | None = None  # of an operation whose operands are known

    @property
    def records(self) -> list[NotFinite[Where]]:
        """The records, in the order of their first occurrences."""
        return [
            NotFinite(where, operation, operands, reason, self._counts[where, operation, reason])
            for (where, operation, reason), operands in self._first.items()
        ]

    def record(self, operation: str, operands: tuple[Operand, ...], reason: str) -> None:
        """Record one operation on halves, or a cast to them; an Experiment calls this."""
        self._note(sys._getframe(1), operation, operands, reason)

    def write(self, message: str) -> None:
        """Record an exception of an operation that may not compute in half, and warn of it.

        NumPy calls this inside `watching` in place of its own warning.
        """
        match = _MESSAGE.match(message.strip())
        if match is not None and match[1] != _NAN_TO_INTEGER:
            self._note(sys._getframe(1), match[1], (), _REASONS[match[2]])
        text = message.strip().removeprefix("Warning: ")
        warnings.warn(text, RuntimeWarning, stacklevel=2)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Return a context in which NumPy reports to `write` what it would warn of."""
        how: dict[str, Any] = dict(np.geterr())
        how |= {kind: "log" for kind in ("over", "divide", "invalid") if how[kind] == "warn"}
        with np.errstate(call=self, **how):
            yield

    def _note(
        self, frame: FrameType, operation: str, operands: tuple[Operand, ...], reason: str
    ) -> None:
        if self._is_ignored(frame):
            return
        where = self._find(frame)
        if operands:
            self._last = where, reason
        elif self._last == (where, reason):
            return  # the same operation, reported once more
        key = where, operation, reason
        self._first.setdefault(key, operands)
        self._counts[key] = self._counts.get(key, 0) + 1
