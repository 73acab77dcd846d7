"""The report of arguments put back into domains: counts by the place of the call."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from halfcl._support.pages.notebooks import Block, Displayed
from halfcl._support.text_tables import Table
from halfcl.safe._domain import Counts
from halfcl.safe._noting import Key, open_reports
from halfcl.safe._tracked import Tracked, track
from halfcl.stability._sites import CodeLocation, Located, describe


@dataclass(frozen=True)
class DomainCall(Located):
    """A call in a program of a function with a domain, all its runs together.

    Attributes
    ----------
    function : str
        The function's name in halfcl.
    elements : int
        The number of arguments of all runs.
    saved : int
        The number of arguments outside the domain whose enclosure meets it; they were put inside.
    proved : int
        The number of saved arguments whose whole enclosure is inside; for others this is unknown.
    outside : int
        The number of arguments whose enclosure misses the domain: they are truly outside.
    strayed : int
        The number of arguments that are inside as computed, but whose enclosure misses the domain:
        they are truly outside, although the function returns a number. Counted where enclosures are
        known: in decorated and tracked code, and in the function form if another argument is
        outside.
    location : CodeLocation
        The place of the call: ``.file``, ``.line``, ``.source``.
    """

    function: str
    location: CodeLocation
    elements: int
    saved: int
    proved: int
    outside: int
    strayed: int


class DomainReport(Displayed):
    """The report of a ``with safe.domains() as report`` block.

    Its repr is a table, also in notebooks.

    Threads have separate contexts, so calls in other threads are not included. With nested
    contexts, the outer ones include the calls of the inner ones.
    """

    def __init__(self) -> None:
        self._counts: dict[Key, Counts] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> DomainReport:
        open_reports.set((*open_reports.get(), self))
        return self

    def __exit__(self, *exception: object) -> None:
        reports = list(open_reports.get())
        if self in reports:  # false if a generator is closed in another context
            reports.reverse()
            reports.remove(self)
            open_reports.set(tuple(reversed(reports)))

    def track(self, x: object) -> Tracked:
        """Return `safe.track` of halves, so that computing with them can be tracked."""
        return track(x)

    @property
    def calls(self) -> tuple[DomainCall, ...]:
        """The calls, in the order of their first runs."""
        with self._lock:
            counts = dict(self._counts)
        return tuple(
            DomainCall(name, describe(site, name), *counted)
            for (name, site), counted in counts.items()
        )

    def _sum(self, index: int) -> int:
        with self._lock:
            return sum(counts[index] for counts in self._counts.values())

    @property
    def elements(self) -> int:
        """The number of arguments."""
        return self._sum(0)

    @property
    def saved(self) -> int:
        """The number of arguments put back, which may be outside only because of rounding."""
        return self._sum(1)

    @property
    def proved(self) -> int:
        """The number of saved arguments proved to be outside only because of rounding."""
        return self._sum(2)

    @property
    def outside(self) -> int:
        """The number of arguments proved to be truly outside."""
        return self._sum(3)

    @property
    def strayed(self) -> int:
        """The number of arguments inside as computed, but proved to be truly outside."""
        return self._sum(4)

    def _blocks(self) -> list[Block]:
        head = ("function", *Counts._fields, "call")
        rows = [
            (c.function, *(str(getattr(c, name)) for name in Counts._fields), str(c.location))
            for c in self.calls
        ]
        last = len(head) - 1
        return [Table(head, rows, words=[0, last], code=[last]) if rows else "no calls"]

    def add(self, key: Key, counts: Counts) -> None:
        """Add the counts of a call; called by `record_call`."""
        with self._lock:
            before = self._counts.get(key, Counts())
            self._counts[key] = Counts(*map(sum, zip(before, counts, strict=True)))
