"""Imports large libraries only once: in the process from which all runs are forked."""

from __future__ import annotations

import importlib
import importlib.util
import logging
import sys
from collections.abc import Container, Iterable
from contextlib import suppress

#: Libraries that take long to import and still work in a fork, which has none of the threads.
KNOWN = frozenset(
    "PIL contourpy matplotlib networkx numpy pandas scipy skimage sklearn sympy".split()
)


def imported_libraries(older: Container[str]) -> list[tuple[str, str]]:
    """Return the imported modules of these libraries in order, each with its file.

    older: names of modules to leave out, those that were imported before the program ran. These
    are not touched, since a fork would copy their memory.
    """
    return [
        (name, getattr(sys.modules[name], "__file__", None) or "")
        for name in list(sys.modules)
        if name not in older and name.partition(".")[0] in KNOWN
    ]


def import_libraries(modules: Iterable[tuple[str, str]]) -> None:
    """Import modules that a run has imported, if they come from the same file here.

    modules: names and files, as `imported_libraries` returned them in the run.
    """
    refused: set[str] = set()
    for name, file in modules:
        library = name.partition(".")[0]
        if name in sys.modules or library in refused:
            continue
        if name == library and not _is_found_at(name, file):
            refused.add(library)
            continue
        with suppress(Exception):  # then each run imports it
            importlib.import_module(name)
    _find_default_font()


def _find_default_font() -> None:
    """Let Matplotlib find the file of its default font, which it keeps: all axes need it."""
    ticker = sys.modules.get("matplotlib.ticker")
    if ticker is None:
        return
    logger = logging.getLogger("matplotlib.font_manager")
    was_disabled, logger.disabled = logger.disabled, True
    try:
        with suppress(Exception):  # then each run looks for it
            ticker.ScalarFormatter()
    finally:
        logger.disabled = was_disabled


def _is_found_at(name: str, file: str) -> bool:
    with suppress(ImportError, ValueError):
        spec = importlib.util.find_spec(name)
        return spec is not None and spec.origin == file
    return False
