"""What was kept: counts by the place of the call."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from halfcl._support.text_tables import align_columns
from halfcl.safe._domain import Counts
from halfcl.safe._noting import Key, open_reports
from halfcl.safe._tracked import Tracked, track
from halfcl.stability._sites import Place, Placed, describe


@dataclass(frozen=True)
class Call(Placed):
    """A call in a program of a function whose domain is kept; all its runs together.

    Attributes
    ----------
    function : str
        The function's name in halfcl.
    elements : int
        The arguments that it was called with.
    saved : int
        Of these, those outside the domain whose enclosure meets it: they were put inside.
    proved : int
        Of the saved, those whose whole enclosure is inside. Of the others it cannot tell.
    outside : int
        Those whose enclosure misses the domain: truly outside.
    strayed : int
        Of the others, which are inside as computed, those whose enclosure misses the domain: truly
        outside, too, though the function gives a number. Known where enclosures are: of decorated
        and tracked code, and in the function form where another argument is outside.
    place : Place
        Where it is: ``.file``, ``.line``, ``.source``.
    """

    function: str
    place: Place
    elements: int
    saved: int
    proved: int
    outside: int
    strayed: int


class Kept:
    """The report of what happens inside ``with safe.domains() as kept``; printed, it is a table.

    Threads have contexts of their own: what another thread computes is not in it. Of contexts
    inside each other the outer ones have what the inner ones have.
    """

    def __init__(self) -> None:
        self._counts: dict[Key, Counts] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> Kept:
        open_reports.set((*open_reports.get(), self))
        return self

    def __exit__(self, *exception: object) -> None:
        reports = list(open_reports.get())
        if self in reports:  # but where a generator is left in another context
            reports.reverse()
            reports.remove(self)
            open_reports.set(tuple(reversed(reports)))

    def track(self, x: object) -> Tracked:
        """`safe.track`: halves, as given, that what is computed of them can be followed from."""
        return track(x)

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls, in the order of their first runs."""
        with self._lock:
            counts = dict(self._counts)
        return tuple(
            Call(name, describe(site, name), *counted) for (name, site), counted in counts.items()
        )

    def _sum(self, index: int) -> int:
        with self._lock:
            return sum(counted[index] for counted in self._counts.values())

    @property
    def elements(self) -> int:
        """How many arguments there were."""
        return self._sum(0)

    @property
    def saved(self) -> int:
        """How many were outside the domain, and may be inside but for rounding: put inside."""
        return self._sum(1)

    @property
    def proved(self) -> int:
        """Of the saved, how many are proved to be inside but for rounding."""
        return self._sum(2)

    @property
    def outside(self) -> int:
        """How many are truly outside, which is proved."""
        return self._sum(3)

    @property
    def strayed(self) -> int:
        """How many were inside as computed, though it is proved that they are truly outside."""
        return self._sum(4)

    def __repr__(self) -> str:
        head = ("function", *Counts._fields, "call")
        rows = [
            (c.function, *(str(getattr(c, name)) for name in Counts._fields), str(c.place))
            for c in self.calls
        ]
        return align_columns(head, rows, left=[0, len(head) - 1]) if rows else "no calls"

    def add(self, key: Key, counts: Counts) -> None:
        """Count a call, for `noting`."""
        with self._lock:
            before = self._counts.get(key, Counts())
            self._counts[key] = Counts(*map(sum, zip(before, counts, strict=True)))
