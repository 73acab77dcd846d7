"""Target for any functions of arrays: "module:function=exp,other=log2"."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np

from halfcl.audit._records import TargetInfo
from halfcl.audit._results.exact import ROWS
from halfcl.audit._targets.base import Call, FunctionTarget, Target, TargetError, processor
from halfcl.audit._targets.calling import describe_error

_EXPECTED = 'expected "module:function=exp", and more after commas'


class CallablesTarget(FunctionTarget):
    """Functions of arrays of float16, by the names of the halfcl functions that they compute.

    Parameters
    ----------
    name : str
        Their name in the report.
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
            name: function
            if isinstance(function, Call)
            else Call(_qualified_name(function), function)
            for name, function in self._functions.items()
        }


def _qualified_name(function: Callable[..., object]) -> str:
    """Return the module and the name, without the function that it was defined in."""
    module = getattr(function, "__module__", None)
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", repr(function))
    own = str(name).rpartition(".<locals>.")[2]
    return f"{module}.{own}" if module and module != "builtins" else own


def make(text: str) -> Target:
    """Return the target that a text describes; modules are also found in the working directory."""
    module_name, colon, pairs = text.partition(":")
    if not (module_name and colon and pairs):
        raise TargetError(f"target: {_EXPECTED}; got {text!r}")
    module = _import(module_name)
    functions: dict[str, Callable[..., object]] = {}
    for pair in pairs.split(","):
        path, _, name = pair.partition("=")
        if name not in ROWS:
            raise TargetError(f"target: expected one of halfcl's functions after =, got {pair!r}")
        if name in functions:
            raise TargetError(f"target: expected one function for each name, got two for {name!r}")
        functions[name] = Call(f"{module_name}.{path}", _find_function(module, module_name, path))
    version = str(getattr(module, "__version__", ""))
    return CallablesTarget(module_name, functions, version)


def _import(name: str) -> ModuleType:
    """Import a module, also from the working directory."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return import_module(name)
    except (Exception, SystemExit) as error:  # a script may call exit()
        raise TargetError(
            f"target: expected a module that can be imported, got {name!r}: {describe_error(error)}"
        ) from error


def _find_function(module: object, module_name: str, path: str) -> Callable[..., object] | np.ufunc:
    """Return a module's function; raise TargetError if there is none."""
    function = module
    for name in path.split("."):
        try:
            function = getattr(function, name, None)
        except Exception as error:  # raised by a module's own __getattr__
            raise TargetError(f"target: {module_name}:{path}: {describe_error(error)}") from error
    if not callable(function):
        raise TargetError(f"target: expected a function of {module_name!r}, got {path!r}")
    return function
