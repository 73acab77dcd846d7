"""Libraries that the program imports: once, in the process that all runs are copies of."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterable
from contextlib import suppress

#: Those that take long to import, and that bear it: a copy of a process has none of its threads.
KNOWN = frozenset("PIL contourpy matplotlib networkx pandas scipy skimage sklearn sympy".split())


def known_imported() -> list[tuple[str, str]]:
    """The modules of such libraries that are imported here, in their order, each with its file."""
    return [
        (name, getattr(module, "__file__", None) or "")
        for name, module in list(sys.modules.items())
        if name.partition(".")[0] in KNOWN
    ]


def import_all(modules: Iterable[tuple[str, str]]) -> None:
    """Import here what a run has imported, if it is the same file.

    Parameters
    ----------
    modules : iterable of (str, str)
        As `known_imported` gave them there.
    """
    refused: set[str] = set()
    for name, file in modules:
        library = name.partition(".")[0]
        if name in sys.modules or library in refused:
            continue
        if name == library and not _is_found_at(name, file):
            refused.add(library)
            continue
        with suppress(Exception):  # then each run does so itself
            importlib.import_module(name)


def _is_found_at(name: str, file: str) -> bool:
    with suppress(ImportError, ValueError):
        spec = importlib.util.find_spec(name)
        return spec is not None and spec.origin == file
    return False
