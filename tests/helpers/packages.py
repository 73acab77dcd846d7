"""Packages that take long to import, and are imported when a test uses them."""

import importlib
import importlib.util
from types import ModuleType

import pytest


class _Later(ModuleType):
    def __getattr__(self, name):
        if name.startswith("_"):  # which pytest looks for in all that a test file has
            raise AttributeError(name)
        return getattr(importlib.import_module(self.__name__), name)


def later(name):
    """Return a module on first use; skip the file's tests where its package is not installed."""
    if importlib.util.find_spec(name.partition(".")[0]) is None:
        pytest.skip(f"{name} is not installed", allow_module_level=True)
    return _Later(name)
