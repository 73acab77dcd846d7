"""The reports that are open, and how calls are recorded in them."""

from __future__ import annotations

import sys
from contextvars import ContextVar
from typing import Protocol, TypeAlias

from halfcl.safe._domain import Counts
from halfcl.stability._sites import Site, find_site

#: A function's name, and the site of its call.
Key: TypeAlias = tuple[str, Site]


class Report(Protocol):
    """The protocol of a report, a `halfcl.safe._report.DomainReport`."""

    def add(self, key: Key, counts: Counts) -> None:
        """Add the counts of a call."""


#: The reports that are open in this context, the outermost first.
open_reports: ContextVar[tuple[Report, ...]] = ContextVar("halfcl_domain_reports", default=())


def record_call(name: str, counts: Counts) -> None:
    """Add a call of a function to the open reports."""
    reports = open_reports.get()
    if not reports:
        return
    key = name, find_site(sys._getframe(1), record_call.__code__)
    for report in dict.fromkeys(reports):
        report.add(key, counts)
