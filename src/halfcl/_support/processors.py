"""How many processors this process may use: by its affinity, and by the quota of its cgroups."""

from __future__ import annotations

import os
from collections.abc import Iterator

# pathlib would take longer to import than all of this to run.


def usable_processors(root: str = "") -> int:
    """How many processors this process may keep busy.

    Parameters
    ----------
    root : str, optional
        What the paths of the system's files are to begin with.

    Returns
    -------
    int
        At least 1. On Linux the smaller of those that it may run on (``taskset``) and of the
        share of time that it and the groups around it may have (``docker run --cpus=1.5``,
        ``cpu.max``), rounded up; elsewhere those that there are.

    Examples
    --------
    >>> from halfcl._support.processors import usable_processors
    >>> usable_processors() >= 1
    True
    """
    try:
        count = len(os.sched_getaffinity(0))
    except (AttributeError, OSError):  # elsewhere; in a sandbox that forbids to ask
        count = os.cpu_count() or 1
    return min([count, *_quotas(root)])


def _quotas(root: str) -> Iterator[int]:
    """The quotas, in processors, of the process's cgroup and those around it."""
    for line in _text(f"{root}/proc/self/cgroup").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, group = rest.partition(":/")
        if not controllers:  # version 2 has one tree for all
            for folder in _around(f"{root}/sys/fs/cgroup", group):
                yield from _share(_text(f"{folder}/cpu.max"))
        elif "cpu" in controllers.split(","):
            for folder in _around(f"{root}/sys/fs/cgroup/cpu", group):
                quota, period = (_text(f"{folder}/cpu.cfs_{x}_us") for x in ("quota", "period"))
                yield from _share(f"{quota} {period}")


def _text(path: str) -> str:
    """What a file says; nothing where there is none, as on other systems or in a sandbox."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, ValueError):
        return ""


def _around(tree: str, group: str) -> Iterator[str]:
    """A cgroup's folder and those around it; in a container some are not to be seen."""
    while group:
        yield f"{tree}/{group}"
        group = group.rpartition("/")[0]
    yield tree


def _share(words: str) -> Iterator[int]:
    """Quota over period, rounded up, if both are there."""
    try:
        quota, period = map(int, words.split())
    except ValueError:  # not both; or "max", no limit
        return
    if quota > 0 and period > 0:  # -1: no limit
        yield -(-quota // period)
