"""The findings of checked launches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from halfcl.cl._frontend.errors import LaunchError, SourceLocation
from halfcl.cl._interpreter.contraction import Contraction


@dataclass(frozen=True, slots=True)
class Finding:
    """An error of a kernel that a checked launch has found.

    Parameters
    ----------
    kind : str
        "uninitialized read", "race", "early use of an asynchronous copy", "asynchronous copy
        without a wait", "read outside of an image", "write outside of an image", "use of a value
        that was not returned", "division by zero", "overflow of a division", "conversion out of
        range", or "read of a lane that is not there".
    location : SourceLocation
        The place of the access in the source.
    kernel, memory : str
        Names. That of memory includes its address space ("local t"); others are "image a" and
        "function f"; for arithmetic the types ("int / int", "float to uchar").
    work_item : tuple of int
        The global id of the first work-item concerned.
    index : int, tuple of int or None
        The offset in the memory in bytes; for an image the texel's coordinates, x first; None for
        functions and arithmetic.
    detail : str
        Further details, such as the other work-item of a race.
    """

    kind: str
    location: SourceLocation | None
    kernel: str
    memory: str
    work_item: tuple[int, ...]
    index: int | tuple[int, ...] | None
    detail: str

    def __str__(self) -> str:
        where = {int: f", byte {self.index}", tuple: f", texel {self.index}"}
        return (
            f"{self.location}: kernel {self.kernel}: {self.kind}: {self.memory}"
            f"{where.get(type(self.index), '')}, work-item {self.work_item}{self.detail}"
        )


class CheckError(LaunchError):
    """The error that a checked launch raises at its end if it found any errors of the kernel.

    Attributes
    ----------
    findings : list of Finding
        All findings, one per line of the source.
    contraction : Contraction or None
        With ``contract="both"`` the result of the launch, unless it ended early.
    """

    def __init__(self, findings: list[Finding], contraction: Contraction | None = None) -> None:
        super().__init__("\n".join(map(str, findings)))
        self.findings, self.contraction = findings, contraction

    def __reduce__(self) -> tuple[type[CheckError], tuple[list[Finding], Contraction | None]]:
        return type(self), (self.findings, self.contraction)


def distinct(findings: list[Finding]) -> Iterator[Finding]:
    """Yield the first finding of each kind on each line."""
    seen = set()
    for finding in findings:
        key = (finding.kind, finding.location.line if finding.location else None, finding.memory)
        if key not in seen:
            seen.add(key)
            yield finding
