"""Which reports are open, and how calls get into them."""

from __future__ import annotations

import sys
from contextvars import ContextVar
from typing import Protocol, TypeAlias

from halfcl.safe._domain import Counts
from halfcl.stability._sites import Site, find_site

#: A function's name, and where it is called.
Key: TypeAlias = tuple[str, Site]


class Report(Protocol):
    """What takes calls: a `halfcl.safe._report.Kept`."""

    def add(self, key: Key, counts: Counts) -> None:
        """Count a call."""


#: Those open in this context, the outermost first.
open_reports: ContextVar[tuple[Report, ...]] = ContextVar("halfcl_domains_kept", default=())


def note(name: str, counts: Counts) -> None:
    """Put a call of a function into the open reports."""
    reports = open_reports.get()
    if not reports:
        return
    key = name, find_site(sys._getframe(1), note.__code__)
    for report in dict.fromkeys(reports):
        report.add(key, counts)
