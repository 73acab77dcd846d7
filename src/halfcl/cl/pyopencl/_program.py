"""Programs that are translated for a device, or interpreted on the host."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from typing import ClassVar

from halfcl import cl
from halfcl.cl._devices.opencl import OnOpenCL
from halfcl.cl._frontend.source import parse_source
from halfcl.cl._translation import (
    FloatFunctions,
    check_float_functions,
    has_inexact_samplers,
    needs_one_sub_group,
    takes_samplers,
)
from halfcl.cl.pyopencl._checked import CheckedKernel
from halfcl.cl.pyopencl._library import as_pyopencl, logic_error, pyopencl, tools
from halfcl.device._backends.libraries import original_program

_HALVES = re.compile(r"half|SELECT_ROUNDING_MODE")
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*(.*?)[ \t]*$", re.MULTILINE)
_COMPLEX = re.compile(r"\bc(float|double)_")
_ENABLE = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable"
_MARK = "//CL//"  # begins the sources that pyopencl makes

#: The folder of pyopencl's own headers, which it adds to every build.
_HEADERS = os.path.join(pyopencl.__path__[0], "cl")

_ORIGINAL = original_program(pyopencl)


class Program(_ORIGINAL):  # type: ignore[misc,valid-type]
    """pyopencl's Program, whose kernels round as the source says, or are checked.

    Parameters
    ----------
    *args
        A context and a source. pyopencl's other arguments (binaries, SPIR-V) give a program of
        pyopencl's own, which the device runs as it is.
    check : bool, optional
        Whether kernels run on the host, by halfcl's interpreter on the memory of the buffers and
        images, and are checked: see ``check`` of `halfcl.cl.Kernel`. By default `build` translates
        sources with halves or rounding pragmas for the device, and passes others on unchanged.
    float_functions : {"exact", "device"}, optional
        Whose results functions of float and double have in translated programs where OpenCL does
        not fix them: see `halfcl.cl.translate`. By default as `install` was told, else "exact".

    Attributes
    ----------
    device_calls : tuple of halfcl.cl.DeviceCall
        After `build`: the calls that ``float_functions="device"`` left to the device.

    Raises
    ------
    pyopencl.RuntimeError
        By `build`: if the source does not compile, or uses something that is not translated; the
        message names the line. By a checked launch: if the check found an error; the exception's
        ``__cause__`` is the `halfcl.cl.CheckError`.
    pyopencl.LogicError
        If ``check`` is given without a source. By `build`: if options are unknown. By a checked
        launch: if arguments or sizes are wrong; no buffer has been changed then.
    NotImplementedError
        By `build`: if the context has several devices, and ``devices`` does not name one.

    Notes
    -----
    Translated launches start in rte, checked ones in the mode of the `halfcl.rounding` region.
    Kernels take halves as float16 scalars and arrays. A checked launch is finished when the call
    returns; its event belongs to the queue. Kernels of a checked program are attributes of it;
    after ``install(check=True)`` ``pyopencl.Kernel(program, name)`` is one, too.

    Examples
    --------
    .. code-block:: python

        import pyopencl as cl
        from halfcl.cl.pyopencl import Program

        context = cl.create_some_context()
        program = Program(context, source).build()  # rounds as source's pragmas say
        checked = Program(context, source, check=True).build()
    """

    #: pyopencl's own class.
    untranslated = _ORIGINAL

    #: The default of ``check``, which `install` sets.
    _check_by_default: ClassVar[bool] = False

    #: The default of ``float_functions``, which `install` sets.
    _float_functions_by_default: ClassVar[FloatFunctions] = "exact"

    def __init__(
        self, *args: object, check: bool | None = None,
        float_functions: FloatFunctions | None = None,
    ) -> None:  # fmt: skip
        # Underscores, since kernels are attributes, too.
        self._checked: cl.Program | None = None
        self._options: list[str] = []
        if not (check is None or isinstance(check, bool)):
            raise TypeError(f"Program: argument check: expected True, False or None, got {check!r}")
        if float_functions is not None:
            check_float_functions("Program", float_functions)
        self._float_functions = float_functions or self._float_functions_by_default
        self.device_calls: tuple[cl.DeviceCall, ...] = ()
        self._text, self._text_context = _source(args), args[0] if args else None
        if check and self._text is None:
            raise logic_error("Program", "argument check: expected a source to check, got none")
        self._checks = self._check_by_default if check is None else check
        super().__init__(*args)

    def build(
        self,
        options: str | Sequence[str] | None = None,
        devices: Sequence[object] | None = None,
        cache_dir: object = None,
    ) -> Program:
        """Translate and build the program, or build it for the interpreter."""
        if self._text is None:
            super().build(options, devices, cache_dir)
            return self
        with as_pyopencl("clBuildProgram"):
            words = shlex.split(options) if isinstance(options, str) else list(options or ())
        self._options = words
        if self._checks:
            with as_pyopencl("clBuildProgram"):
                self._checked = cl.Program(
                    _prepare(self._text), shlex.join([*words, "-I", _HEADERS])
                )
            # Never built: it answers questions about the context, the devices and the source.
            self._prg = pyopencl._cl._Program(self._text_context, self._text)
            return self
        if _is_translated(self._text, words):
            context = self._text_context  # pyopencl deletes its own after a build
            device = _device(context, devices)
            result, words = _translate(context, device, self._text, words, self._float_functions)
            super().__init__(context, result.text)
            self.device_calls = result.device_calls
            devices = [device]
        super().build(words, devices, cache_dir)
        return self

    def __getattr__(self, name: str) -> object:
        checked = self.__dict__.get("_checked")
        if checked is None:
            return super().__getattr__(name)
        try:
            return CheckedKernel(self, checked[name])
        except KeyError as error:
            raise AttributeError(error.args[0], name=name, obj=self) from None

    def all_kernels(self) -> Sequence[object]:
        """Return all kernels, in the order of the source."""
        if self._checked is None:
            kernels: Sequence[object] = super().all_kernels()
            return kernels
        return [CheckedKernel(self, kernel) for kernel in self._checked.kernels]

    def get_info(self, arg: int) -> object:
        """Return what pyopencl says of the program, with the kernels of a checked one."""
        if self._checked is not None:
            names = [kernel.name for kernel in self._checked.kernels]
            if arg == pyopencl.program_info.KERNEL_NAMES:
                return ";".join(names)
            if arg == pyopencl.program_info.NUM_KERNELS:
                return len(names)
        return super().get_info(arg)

    @property
    def kernel_names(self) -> object:
        """The names of the kernels, with semicolons between them."""
        return self.get_info(pyopencl.program_info.KERNEL_NAMES)

    @property
    def num_kernels(self) -> object:
        """The number of kernels."""
        return self.get_info(pyopencl.program_info.NUM_KERNELS)

    def get_build_info(self, device: object, param: int) -> object:
        """Return the status, log and options of a checked program's build, else pyopencl's."""
        if self._checked is not None:
            if param == pyopencl.program_build_info.STATUS:
                return 0  # CL_BUILD_SUCCESS, for which pyopencl has no name
            if param == pyopencl.program_build_info.LOG:
                return "\n".join(map(str, self._checked.diagnostics))
            if param == pyopencl.program_build_info.OPTIONS:
                return shlex.join(self._options)
        return super().get_build_info(device, param)


def _source(args: Sequence[object]) -> str | None:
    """Return the source among a program's arguments; None for binaries and the like."""
    source = args[1] if len(args) == 2 else None
    if isinstance(source, bytes) and not tools.is_spirv(source):
        try:
            return source.decode()
        except UnicodeDecodeError:  # a device may know the encoding
            return None
    return source if isinstance(source, str) else None


def _is_translated(source: str, options: Sequence[str]) -> bool:
    """Return whether there may be halves or pragmas; included files are not read for that."""
    files = [file for file in _INCLUDE.findall(source) if not file.startswith("<pyopencl-")]
    return bool(files or _HALVES.search("\n".join([source, *options])))


def _device(context: object, devices: Sequence[object] | None) -> object:
    candidates = list(devices or context.devices)  # type: ignore[attr-defined]
    if len(candidates) != 1:
        raise NotImplementedError(
            f"Program.build: argument devices: expected one device, got {len(candidates)}: halfcl "
            "translates for one"
        )
    return candidates[0]


def _prepare(source: str) -> str:
    """Return a source that includes and enables only what it needs.

    pyopencl includes complex arithmetic in all its kernels, and enables half in none.
    """
    if not _COMPLEX.search(source):
        source = _INCLUDE.sub(
            lambda line: "" if line[1] == "<pyopencl-complex.h>" else line[0], source
        )
    if "cl_khr_fp16" not in source:
        source = source.replace(f"{_MARK}\n", f"{_ENABLE}\n", 1)
    return source


def _translate(
    context: object, device: object, source: str, options: Sequence[str],
    float_functions: FloatFunctions,
) -> tuple[cl.Translation, list[str]]:  # fmt: skip
    """Return the translation for a device, and the build options that it needs."""
    with as_pyopencl("clBuildProgram"):
        words = shlex.join([*options, "-I", _HEADERS])
        parsed = parse_source(_prepare(source), words, "program.cl", extents=True)
        kernels = (f for f in parsed.tree.functions.values() if f.is_kernel)
        if any(map(needs_one_sub_group, kernels)):
            _refuse("functions of sub-groups that others of a work-group may not call")
        if takes_samplers(parsed.tree) and has_inexact_samplers(parsed.tree):
            _refuse("samplers in the source and others")
        queue = pyopencl.CommandQueue(context, device)
        launched = _Launched(parsed, "never", queue, float_functions=float_functions)
        return launched.source("rte")


def _refuse(feature: str) -> None:
    message = f"not translated for launches by pyopencl: {feature}"
    raise cl.BuildError([cl.Diagnostic(None, "error", message)])


class _Launched(OnOpenCL):
    """A translation for launches by pyopencl, which passes samplers of its own to the device."""

    adds_sub_group_parameters = False
    passes_samplers_as_numbers = False
    checks_formats = False
