"""Packages that only parts of halfcl need, and that importing halfcl does not."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType


class MissingPackageError(ImportError):
    """A package of one of halfcl's extras is not installed."""


def require(module: str, package: str, extra: str, purpose: str) -> ModuleType:
    """A module of a package that an extra installs.

    Parameters
    ----------
    module : str
        The module's name, as it is imported.
    package : str
        The package's name, as pip knows it.
    extra : str
        The extra that has it.
    purpose : str
        What it is needed for, as it ends a sentence.

    Returns
    -------
    module

    Raises
    ------
    MissingPackageError
        If the package is not installed. It names the command that installs it.

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
    """Whether packages are there, which are not imported.

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
