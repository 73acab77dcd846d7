"""pyopencl itself, on a real device, with programs that halfcl translates when they are built.

    import halfcl.cl.pyopencl.on_device as cl  # for: import pyopencl as cl

Contexts, queues, buffers and arrays are pyopencl's own; only `Program` is not. A source with halves
or rounding pragmas is translated (`halfcl.cl.translate`), so that it rounds as it says, whatever
the device has. Others go to the device as they are. `install` does so for pyopencl as a whole: for
scripts that stay as they are, and for the kernels that pyopencl makes itself.
"""

from __future__ import annotations

import functools
import re
import shlex
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from halfcl._support.extras import require
from halfcl.cl._devices.opencl import OnOpenCL
from halfcl.cl._frontend.errors import BuildError, Diagnostic
from halfcl.cl._frontend.source import parse_source
from halfcl.cl._interpreter.builtins import find as find_builtin
from halfcl.cl._translation import has_inexact_samplers, takes_samplers, uses_sub_groups
from halfcl.device._backends.libraries import original_program

__all__ = ["install", "uninstall"]

_HALVES = re.compile(r"half|SELECT_ROUNDING_MODE")
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*(.*?)[ \t]*$", re.MULTILINE)
_COMPLEX = re.compile(r"\bc(float|double)_")
_ENABLE = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable"
_MARK = "//CL//"  # pyopencl's, of code that it makes


def _library() -> Any:
    return require("pyopencl", "pyopencl", "opencl", "to run programs on a device")


@functools.cache
def _program_class() -> object:
    """Made when it is asked for: its base is pyopencl's, which need not be there."""
    plain = original_program(_library())

    class Program(plain):  # type: ignore[misc,valid-type]
        """pyopencl's Program, whose `build` translates sources with halves or rounding pragmas.

        Parameters
        ----------
        *args
            A context and a source; or what else pyopencl takes, which goes to the device as it is.

        Raises
        ------
        pyopencl.RuntimeError
            By `build`: if the source does not compile, or has what is not translated. It names the
            line.
        pyopencl.LogicError
            By `build`: if options are unknown.
        NotImplementedError
            By `build`: if the context has several devices, and ``devices`` does not say one.

        Notes
        -----
        Launches begin in rte. Kernels take halves as pyopencl does: float16 arrays and scalars.

        Examples
        --------
        .. code-block:: python

            import halfcl.cl.pyopencl.on_device as cl

            context = cl.create_some_context()
            program = cl.Program(context, source).build()  # rounds as source's pragmas say
        """

        #: pyopencl's own.
        untranslated = plain

        def __init__(self, *args: Any) -> None:
            has_text = len(args) == 2 and isinstance(args[1], str)
            self._given = args if has_text else None
            super().__init__(*args)

        def build(
            self,
            options: str | Sequence[str] | None = None,
            devices: Sequence[Any] | None = None,
            cache_dir: Any = None,
        ) -> Any:
            """Translate it, and build it."""
            words = shlex.split(options) if isinstance(options, str) else list(options or ())
            if self._given is not None and _is_translated(self._given[1], words):
                context, source = self._given
                device = _device(context, devices)
                text, words = _translated(context, device, source, words)
                super().__init__(context, text)
                devices = [device]
            super().build(words, devices, cache_dir)
            return self

    return Program


class _Launched(OnOpenCL):
    """By pyopencl, which gives samplers of its own: there the device reads."""

    passes_samplers_as_numbers = False


def _is_translated(source: str, options: Sequence[str]) -> bool:
    """Whether there may be halves or pragmas: what other files hold is not looked at."""
    files = [file for file in _INCLUDE.findall(source) if not file.startswith("<pyopencl-")]
    return bool(files or _HALVES.search("\n".join([source, *options])))


def _device(context: Any, devices: Sequence[Any] | None) -> Any:
    chosen = list(devices or context.devices)
    if len(chosen) != 1:
        raise NotImplementedError(
            f"Program.build: argument devices: expected one device, got {len(chosen)}: halfcl "
            "translates for one"
        )
    return chosen[0]


def _translated(
    context: Any, device: Any, source: str, options: Sequence[str]
) -> tuple[str, list[str]]:
    """The text for a device, and the options that it needs."""
    if not _COMPLEX.search(source):  # pyopencl includes it whatever there is
        source = _INCLUDE.sub(
            lambda found: "" if found[1] == "<pyopencl-complex.h>" else found[0], source
        )
    if "cl_khr_fp16" not in source:  # pyopencl's own kernels do not enable it
        source = source.replace(f"{_MARK}\n", f"{_ENABLE}\n", 1)
    library = _library()
    try:
        read = parse_source(source, shlex.join(options), "program.cl", find_builtin, extents=True)
        if any(map(uses_sub_groups, read.tree.functions.values())):
            message = "not translated for launches by pyopencl: sub-groups"
            raise BuildError([Diagnostic(None, "error", message)])
        if takes_samplers(read.tree) and has_inexact_samplers(read.tree):
            message = "not translated for launches by pyopencl: samplers in the source and others"
            raise BuildError([Diagnostic(None, "error", message)])
        return _Launched(read, "never", library.CommandQueue(context, device)).source("rte")
    except BuildError as error:
        raise library.RuntimeError(f"clBuildProgram failed: {error}") from error
    except ValueError as error:
        raise library.LogicError(f"clBuildProgram failed: {error}") from error


def install() -> None:
    """Let pyopencl's Program be this one, in the whole process.

    Programs of scripts that import pyopencl itself are translated then, and so are the kernels
    that pyopencl makes: those of ElementwiseKernel, ReductionKernel, GenericScanKernel and of
    arrays. pyopencl learns that float16 is half, which it does not know by itself. `uninstall`
    undoes all but that.

    Examples
    --------
    .. code-block:: python

        from halfcl.cl.pyopencl import on_device

        on_device.install()
        import script  # for pyopencl, as it is
    """
    import_module("pyopencl.tools").get_or_register_dtype("half", np.float16)
    _library().Program = _program_class()


def uninstall() -> None:
    """Let pyopencl's Program be its own again."""
    library = _library()
    library.Program = original_program(library)


def __getattr__(name: str) -> Any:
    """Program, and all else of pyopencl."""
    if name.startswith("__"):
        raise AttributeError(name)
    return _program_class() if name == "Program" else getattr(_library(), name)


def __dir__() -> list[str]:
    return sorted({*dir(_library()), *__all__})
