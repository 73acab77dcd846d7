"""Replacement of pyopencl's `Program` in the whole process."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from types import ModuleType

import numpy as np

from halfcl.cl._translation import FloatFunctions, check_float_functions
from halfcl.cl.pyopencl import _checked, _mapping
from halfcl.cl.pyopencl._library import elementwise, pyopencl, tools
from halfcl.cl.pyopencl._program import Program


class _Reached(Exception):
    """The exception by which a probe shows that it was called."""


def install(check: bool = False, float_functions: FloatFunctions = "exact") -> None:
    """Let pyopencl's Program be halfcl's, in the whole process.

    Then programs of scripts that import pyopencl itself are translated or checked, and so are the
    kernels that pyopencl makes: those of arrays, ElementwiseKernel, ReductionKernel and
    GenericScanKernel. pyopencl also learns that float16 is half, which it does not know by itself.

    Parameters
    ----------
    check : bool, optional
        Whether kernels run on the host and are checked, as by ``Program(..., check=True)``.
        Programs from binaries still run on the device.
    float_functions : {"exact", "device"}, optional
        As for `Program`.

    Raises
    ------
    TypeError, ValueError
        If ``check`` is no bool, or ``float_functions`` is unknown.
    RuntimeError
        If this version of pyopencl makes kernels without its public Program; nothing is replaced.

    See Also
    --------
    uninstall : the reverse.

    Examples
    --------
    .. code-block:: python

        from halfcl.cl.pyopencl import install

        install()
        import script  # for pyopencl, as it is
    """
    if not isinstance(check, bool):
        raise TypeError(f"install: argument check: expected a bool, got {type(check).__name__}")
    check_float_functions("install", float_functions)
    uninstall()
    tools.get_or_register_dtype("half", np.float16)
    _require_effect()
    _replace({"Program": Program})
    _set(Program, "_float_functions_by_default", float_functions)
    if check:
        _set(Program, "_check_by_default", True)
        _set(pyopencl.MemoryObject, "release", _mapping.release)
        _replace(_checked.REPLACEMENTS)


def uninstall() -> None:
    """Let pyopencl's Program be its own again.

    Kernels that exist keep what they are, and float16 stays known as half.

    See Also
    --------
    install : the reverse.

    Examples
    --------
    .. code-block:: python

        from halfcl.cl.pyopencl import uninstall

        uninstall()
    """
    while _REPLACED:
        owner, name, original = _REPLACED.pop()
        setattr(owner, name, original)
    tools.clear_first_arg_caches()  # of kernels that pyopencl made for arrays


#: Modules or classes, their names that have been replaced, and what these named.
_REPLACED: list[tuple[object, str, object]] = []


def _replace(replacements: Mapping[str, object]) -> None:
    """Replace names of pyopencl in each of its modules that has them."""
    for name, replacement in replacements.items():
        original = getattr(pyopencl, name)
        for module in _loaded_modules():
            if vars(module).get(name) is original:
                _set(module, name, replacement)


def _set(owner: object, name: str, replacement: object) -> None:
    _REPLACED.append((owner, name, getattr(owner, name)))
    setattr(owner, name, replacement)


def _loaded_modules() -> Iterator[ModuleType]:
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "pyopencl":
            yield module


def _require_effect() -> None:
    """Raise RuntimeError unless pyopencl's own kernels are built by the Program put in place."""

    def probe(*args: object) -> None:
        raise _Reached

    _replace({"Program": probe})
    try:
        elementwise.get_elwise_program(None, [], "")
    except _Reached:
        return
    except Exception:  # an unknown version may fail anywhere; below is what matters
        pass
    finally:
        uninstall()
    raise RuntimeError(
        "install: expected a pyopencl whose kernels are made by pyopencl.Program, got version "
        f"{pyopencl.VERSION_TEXT}, which makes them in another way; use halfcl.cl.pyopencl.Program "
        "in place of pyopencl.Program"
    )
