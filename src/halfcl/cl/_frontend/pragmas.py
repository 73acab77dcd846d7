"""The state of pragmas at each place of a program's text.

SELECT_ROUNDING_MODE lasts until the next one, regardless of blocks. FP_CONTRACT lasts until the end
of the enclosing block, or of the file.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Set
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from halfcl import MODES
from halfcl.cl._frontend.errors import Diagnostic
from halfcl.cl._frontend.preprocessing import SELECT, Pragma, Text
from halfcl.cl._frontend.preprocessing.header import EXTENSIONS
from halfcl.cl._frontend.tree import Mode

_T = TypeVar("_T")

#: Clang's messages where half is not enabled, some of which do not name the extension.
_DISABLED_HALF = re.compile(r"cl_khr_fp16|\bhalf\b.* is not allowed")
_ENABLE_HALF = "add #pragma OPENCL EXTENSION cl_khr_fp16 : enable to the source, before this"


@dataclass(slots=True)
class _Steps(Generic[_T]):
    """A value that changes along the text."""

    starts: list[int]
    values: list[_T]

    def at(self, offset: int) -> _T:
        return self.values[bisect.bisect_right(self.starts, offset) - 1]

    def add(self, start: int, value: _T) -> None:
        self.starts.append(start)
        self.values.append(value)


@dataclass(slots=True)
class Pragmas:
    """The pragma state along a text."""

    rounding: _Steps[Mode] = field(default_factory=lambda: _Steps([0], [None]))
    contraction: _Steps[bool] = field(default_factory=lambda: _Steps([0], [True]))
    half: _Steps[bool] = field(default_factory=lambda: _Steps([0], [False]))
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def with_remedy(self, message: str, offset: int) -> str:
        """Return a compiler's message; if half is not enabled, add how to enable it."""
        if self.half.at(offset) or not _DISABLED_HALF.search(message):
            return message
        return f"{message} (halfcl: {_ENABLE_HALF})"

    def _warn(self, pragma: Pragma, message: str) -> None:
        self.diagnostics.append(Diagnostic(pragma.location, "warning", message))


def read_pragmas(text: Text, extensions: Set[str] = frozenset()) -> Pragmas:
    """Return the pragma state along a text. extensions: those enabled from its beginning."""
    result = Pragmas()
    result.half.values[0] = "cl_khr_fp16" in extensions
    selects = SELECT in extensions
    blocks = Blocks(text)
    for pragma in text.pragmas:
        words = pragma.words
        if words[:1] == ("EXTENSION",):
            selects = _extension(result, pragma, selects)
        elif words[:1] == ("SELECT_ROUNDING_MODE",):
            _select(result, pragma, selects)
        elif words[:1] == ("FP_CONTRACT",):
            if words[1:] in (("ON",), ("OFF",), ("DEFAULT",)):
                blocks.contract(pragma)
            else:
                got = " ".join(words[1:]) or "nothing"
                result._warn(pragma, f"expected ON, OFF or DEFAULT, got {got}; ignored")
        else:
            result._warn(pragma, f"unknown pragma OPENCL {' '.join(words)}, ignored")
    result.contraction = blocks.steps()
    return result


def _extension(result: Pragmas, pragma: Pragma, selects: bool) -> bool:
    if len(pragma.words) != 4 or pragma.words[2] != ":":
        result._warn(pragma, "expected EXTENSION name : enable or disable; ignored")
        return selects
    name, behaviour = pragma.words[1], pragma.words[3]
    if behaviour not in ("enable", "disable"):
        result._warn(pragma, f"expected enable or disable, got {behaviour}; ignored")
        return selects
    if name != "all" and name not in EXTENSIONS:
        result._warn(pragma, f"unknown extension {name}, ignored")
    enabled = behaviour == "enable"
    if name in ("cl_khr_fp16", "all"):
        result.half.add(pragma.at, enabled)
    return enabled if name in (SELECT, "all") else selects


def _select(result: Pragmas, pragma: Pragma, selects: bool) -> None:
    words = pragma.words
    mode = words[1] if len(words) == 2 else ""
    if not selects:
        result._warn(pragma, f"SELECT_ROUNDING_MODE is ignored: {SELECT} is not enabled")
    elif mode not in MODES:
        got = " ".join(words[1:]) or "nothing"
        result._warn(pragma, f"expected rte, rtz, rtp or rtn, got {got}; ignored")
    else:
        result.rounding.add(pragma.at, mode)


class Blocks:
    """The blocks of a text, and the FP_CONTRACT in force in each."""

    _TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|[{}]')

    def __init__(self, text: Text) -> None:
        self.ends: list[tuple[int, int]] = []  # start and end of each block
        opened: list[int] = []
        for match in self._TOKENS.finditer(text.text.encode()):
            if match[0] == b"{":
                opened.append(match.start())
            elif match[0] == b"}" and opened:
                self.ends.append((opened.pop(), match.start()))
        self.scopes: list[tuple[int, int, bool]] = []  # start, end, whether ON

    def contract(self, pragma: Pragma) -> None:
        enclosing = [end for start, end in self.ends if start < pragma.at < end]
        end = min(enclosing, default=1 << 62)
        self.scopes.append((pragma.at, end, pragma.words[1] != "OFF"))

    def steps(self) -> _Steps[bool]:
        """Return the value at each change: that of the innermost scope, which began last."""
        changes = sorted({0, *(s for s, _, _ in self.scopes), *(e for _, e, _ in self.scopes)})
        values: list[bool] = []
        for change in changes:
            holding = [on for start, end, on in self.scopes if start <= change < end]
            values.append(holding[-1] if holding else True)
        return _Steps(changes, values)
