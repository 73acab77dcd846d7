"""The number of processors that this process may use, by its affinity and its cgroups' quotas."""

from __future__ import annotations

import os
from collections.abc import Iterator

# pathlib would take longer to import than all of this to run.


def usable_processors(root: str = "") -> int:
    """Return how many processors this process may keep busy, at least 1.

    On Linux that is the number of processors that it may run on (``taskset``), or the quota of time
    of its cgroup and those around it (``docker run --cpus=1.5``, ``cpu.max``), rounded up, if that
    is less; elsewhere, the number of processors. root: a prefix of the paths of the system's files.
    """
    try:
        count = len(os.sched_getaffinity(0))
    except (AttributeError, OSError):  # other systems; sandboxes
        count = os.cpu_count() or 1
    return min([count, *_quotas(root)])


def _quotas(root: str) -> Iterator[int]:
    """Yield the quotas, in processors, of the process's cgroup and those around it."""
    for line in _read(f"{root}/proc/self/cgroup").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, group = rest.partition(":/")
        if not controllers:  # version 2 has one tree for all
            for folder in _folders(f"{root}/sys/fs/cgroup", group):
                yield from _share(_read(f"{folder}/cpu.max"))
        elif "cpu" in controllers.split(","):
            for folder in _folders(f"{root}/sys/fs/cgroup/cpu", group):
                quota, period = (_read(f"{folder}/cpu.cfs_{x}_us") for x in ("quota", "period"))
                yield from _share(f"{quota} {period}")


def _read(path: str) -> str:
    """Return a file's text; "" if there is none, as on other systems or in a sandbox."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, ValueError):
        return ""


def _folders(tree: str, group: str) -> Iterator[str]:
    """Yield a cgroup's folder and those around it; containers hide some."""
    while group:
        yield f"{tree}/{group}"
        group = group.rpartition("/")[0]
    yield tree


def _share(words: str) -> Iterator[int]:
    """Yield quota over period, rounded up, if both are given."""
    try:
        quota, period = map(int, words.split())
    except ValueError:  # not both; or "max", no limit
        return
    if quota > 0 and period > 0:  # -1: no limit
        yield -(-quota // period)
