"""Packages that only some parts of halfcl need, and that importing halfcl does not import."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType


class MissingPackageError(ImportError):
    """A package of one of halfcl's extras is not installed."""


def require(module: str, package: str, extra: str, purpose: str) -> ModuleType:
    """Import a module of a package that an extra installs.

    package: its name for pip. purpose: the end of a sentence. MissingPackageError, with the command
    that installs it, if it is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingPackageError(
            f'{package} is needed {purpose}: pip install "halfcl[{extra}]"'
        ) from error


def require_cupy(purpose: str) -> ModuleType:
    """Import CuPy, whose package depends on the version of CUDA."""
    return require("cupy", "CuPy", "cuda13", f"{purpose} (with CUDA 12, of the extra cuda12)")


def are_installed(modules: Iterable[str]) -> bool:
    """Return whether packages are installed, by their modules, without importing them."""
    return all(find_spec(module) is not None for module in modules)
