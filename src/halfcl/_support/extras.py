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

    Parameters
    ----------
    module : str
        The module's name for import.
    package : str
        The package's name for pip.
    extra : str
        The extra that has it.
    purpose : str
        The purpose, as the end of a sentence.

    Returns
    -------
    module

    Raises
    ------
    MissingPackageError
        If the package is not installed. The message has the command that installs it.

    Examples
    --------
    >>> from halfcl._support.extras import require
    >>> require("no_such_module", "Nobody", "demo", "to draw")
    Traceback (most recent call last):
        ...
    halfcl.MissingPackageError: Nobody is needed to draw: pip install 'halfcl[demo]'
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingPackageError(
            f"{package} is needed {purpose}: pip install 'halfcl[{extra}]'"
        ) from error


def are_installed(modules: Iterable[str]) -> bool:
    """Return whether packages are installed, without importing them.

    Parameters
    ----------
    modules : iterable of str
        Names of their modules, without dots.

    Returns
    -------
    bool

    Examples
    --------
    >>> from halfcl._support.extras import are_installed
    >>> are_installed(["numpy"]), are_installed(["numpy", "no_such_module"])
    (True, False)
    """
    return all(find_spec(module) is not None for module in modules)
