"""What checked launches report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from halfcl.cl._contraction import Contraction
from halfcl.cl._errors import LaunchError, Place


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that no run of a kernel may do.

    Parameters
    ----------
    kind : str
        "uninitialized read", "race", "early use of an asynchronous copy", "asynchronous copy
        without a wait", "read outside of an image", "write outside of an image", "use of a value
        that was not returned", "division by zero", "overflow of a division", "conversion out of
        range", or "read of a lane that is not there".
    place : Place
        Of the access in the source.
    kernel, memory : str
        Names: of what is in memory with its space, as "local t"; "image a"; "function f"; of
        arithmetic the types, as "int / int" and "float to uchar".
    work_item : tuple of int
        The global id of the first work-item that was found.
    index : int, tuple of int or None
        Where in the memory, in bytes; of an image the texel's coordinates, x first; None of a
        function or of arithmetic.
    detail : str
        With whom, and so on.
    """

    kind: str
    place: Place | None
    kernel: str
    memory: str
    work_item: tuple[int, ...]
    index: int | tuple[int, ...] | None
    detail: str

    def __str__(self) -> str:
        where = {int: f", byte {self.index}", tuple: f", texel {self.index}"}
        return (
            f"{self.place}: kernel {self.kernel}: {self.kind}: {self.memory}"
            f"{where.get(type(self.index), '')}, work-item {self.work_item}{self.detail}"
        )


class CheckError(LaunchError):
    """What a checked launch has found, after it ran to its end.

    Attributes
    ----------
    findings : list of Finding
        All, one for a line.
    contraction : Contraction or None
        With ``contract="both"`` what the launch would have returned, unless it broke off.
    """

    def __init__(self, findings: list[Finding], contraction: Contraction | None = None) -> None:
        super().__init__("\n".join(map(str, findings)))
        self.findings, self.contraction = findings, contraction

    def __reduce__(self) -> tuple[type[CheckError], tuple[list[Finding], Contraction | None]]:
        return type(self), (self.findings, self.contraction)


def distinct(findings: list[Finding]) -> Iterator[Finding]:
    """The first one of each kind on each line."""
    seen = set()
    for finding in findings:
        key = (finding.kind, finding.place.line if finding.place else None, finding.memory)
        if key not in seen:
            seen.add(key)
            yield finding
