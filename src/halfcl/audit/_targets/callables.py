"""Any functions of arrays: "module:function=exp,other=log2"."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np

from halfcl.audit._calling import told
from halfcl.audit._exact import ROWS
from halfcl.audit._report import TargetInfo
from halfcl.audit._targets.base import Call, NothingMore, Target, TargetError, processor

_EXPECTED = 'expected "module:function=exp", and more after commas'


class CallablesTarget(NothingMore):
    """Functions of arrays of float16 by halfcl's names, which say what they are meant to be.

    Parameters
    ----------
    name : str
        What the report calls them.
    functions : mapping of str to callable or Call

    Examples
    --------
    >>> import numpy as np
    >>> from halfcl import audit
    >>> mine = audit.CallablesTarget("mine", {"exp2": lambda x: np.float16(2) ** x})
    >>> audit.run(mine)["exp2"].wrong
    0
    """

    def __init__(
        self, name: str, functions: Mapping[str, Callable[..., object]], version: str = ""
    ) -> None:
        self._name, self._functions, self._version = name, functions, version

    def describe(self) -> TargetInfo:
        return TargetInfo(self._name, self._name, self._version, processor())

    def functions(self) -> Mapping[str, Call]:
        return {
            name: function if isinstance(function, Call) else Call(_spelled(function), function)
            for name, function in self._functions.items()
        }


def _spelled(function: Callable[..., object]) -> str:
    """The module and the name, but not the function that it was made in."""
    module = getattr(function, "__module__", None)
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", repr(function))
    own = str(name).rpartition(".<locals>.")[2]
    return f"{module}.{own}" if module and module != "builtins" else own


def make(text: str) -> Target:
    """The target that a text says; modules are found in the working directory, too."""
    module_name, colon, pairs = text.partition(":")
    if not (module_name and colon and pairs):
        raise TargetError(f"target: {_EXPECTED}; got {text!r}")
    module = _imported(module_name)
    functions: dict[str, Callable[..., object]] = {}
    for pair in pairs.split(","):
        path, _, name = pair.partition("=")
        if name not in ROWS:
            raise TargetError(f"target: expected one of halfcl's functions after =, got {pair!r}")
        if name in functions:
            raise TargetError(f"target: expected one function for each name, got two for {name!r}")
        functions[name] = Call(f"{module_name}.{path}", _found(module, module_name, path))
    version = str(getattr(module, "__version__", ""))
    return CallablesTarget(module_name, functions, version)


def _imported(name: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return import_module(name)
    except (Exception, SystemExit) as error:  # a script may exit()
        raise TargetError(
            f"target: the module {name!r} cannot be imported: {told(error)}"
        ) from error


def _found(module: object, module_name: str, path: str) -> Callable[..., object] | np.ufunc:
    found = module
    for name in path.split("."):
        try:
            found = getattr(found, name, None)
        except Exception as error:  # a module's own __getattr__
            raise TargetError(f"target: {module_name}:{path}: {told(error)}") from error
    if not callable(found):
        raise TargetError(f"target: the module {module_name!r} has no function {path!r}")
    return found
