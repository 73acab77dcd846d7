"""Programs, which are built from source."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import get_args

import numpy as np

from halfcl.cl._devices.cuda import OnCuda
from halfcl.cl._devices.opencl import OnOpenCL
from halfcl.cl._devices.programs import DeviceKernel, OnDevice
from halfcl.cl._frontend import tree
from halfcl.cl._frontend.errors import BuildError, BuildWarning, Diagnostic
from halfcl.cl._frontend.listing import listing
from halfcl.cl._frontend.preprocessing.options import with_extensions
from halfcl.cl._frontend.source import build_step, parse_source
from halfcl.cl._interpreter.contraction import Contract, Contracting
from halfcl.cl._interpreter.generation import Names, generate
from halfcl.cl._interpreter.kernel import Kernel
from halfcl.cl._interpreter.launching.launch import Grid, Launch, Run
from halfcl.cl._interpreter.memory.pointers import Pointer
from halfcl.cl._translation import DeviceCall, FloatFunctions, check_float_functions


class Program:
    """A program in OpenCL C: its kernels are attributes, ``program.name(...)``, and items.

    Parameters
    ----------
    source : str
        OpenCL C 1.2; with ``-cl-std=CL2.0`` or ``CL3.0`` also their features for kernels.
    options : str, optional
        Options of clBuildProgram: ``-D NAME``, ``-D NAME=value``, ``-I folder``,
        ``-cl-std=CL1.0`` to ``CL3.0``, ``-w`` (no warnings), ``-Werror``,
        ``-cl-single-precision-constant``. ``-cl-ext=-cl_khr_fp16`` removes an extension. Options
        that permit less precise results (``-cl-fast-relaxed-math``, ...) are accepted, but change
        no result.
    contract : {"never", "always", "both"}, optional
        How to compute a product and a sum in one expression (``a*b + c``, ``c - a*b``,
        ``x += a*b``) where ``FP_CONTRACT`` allows fusing them, as it does by default: as two
        operations ("never"), or as one fma in the rounding mode of the sum ("always"). With "both"
        a launch runs both ways, and returns a `Contraction` with the elements and lines that
        differ; the buffers then hold the results of "never".
    name : str, optional
        The file name in messages.
    device : pyopencl.CommandQueue, cupy.cuda.Device, cupy.cuda.Stream, "cuda", optional
        The device on which kernels run, translated (see `translate`) and compiled by the
        device's own compiler; by default they run here, on the host. With a device, launches
        also accept pyopencl's or CuPy's arrays. "cuda" is the current GPU.
    fp16 : bool, optional
        Whether to use the OpenCL device's own halves rather than their bits. By default they are
        used if the device has any.
    float_functions : {"exact", "device"}, optional
        Whose results functions of float and double have on the device where OpenCL does not fix
        them: see `translate`. Without a device it has no effect.
    extensions : str or iterable of str, optional
        Extensions that are enabled without pragmas, as by ``-cl-ext=+NAME``: ``"cl_khr_fp16"`` for
        kernels that compute with half, but whose host or device enables it. They become options.

    Attributes
    ----------
    source, options, contract, name : str
        The arguments; `options` also has the extensions.
    device : object
        The argument.
    kernels : tuple of Kernel
        The kernels in the order of the source.
    diagnostics : tuple of Diagnostic
        The warnings of clang and the preprocessor.
    device_calls : tuple of DeviceCall
        The calls whose results the device chooses; none without ``float_functions="device"``.

    Raises
    ------
    BuildError
        If the source does not compile, or uses something unsupported; lists all errors.
    TypeError, ValueError
        If an argument is no str, or options or ``contract`` are unknown.

    Warns
    -----
    BuildWarning
        One warning per diagnostic.

    Notes
    -----
    Results follow the text exactly: halves are correctly rounded, in the mode that
    ``SELECT_ROUNDING_MODE`` sets at that place. ``"always"`` fuses each sum or difference with an
    operand that is a product, perhaps in parentheses or negated; if both operands are products,
    with the left one, as clang does. Calls, casts and assignments prevent it. Programs pickle as
    their source, and are built again.

    A kernel that has the name of an attribute of Program is only an item: ``program["source"]``.

    Source: the OpenCL API, Program Objects; OpenCL C, ``FP_CONTRACT``.

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> from halfcl import cl
    >>> source = '''
    ...     #pragma OPENCL EXTENSION cl_khr_fp16 : enable
    ...     kernel void axpy(half a, global const half *x, global half *y) {
    ...         size_t i = get_global_id(0);
    ...         y[i] = a * x[i] + y[i];
    ...     }'''
    >>> program = cl.Program(source, contract="both")
    >>> program
    <halfcl.cl.Program program.cl: axpy>
    >>> x, y = np.array([0.1, 0.5, 0.9], hc.half), np.ones(3, hc.half)
    >>> program.axpy(3, None, 0.4, x, y)
    axpy: contraction changes 1 of 3 elements of y
    program.cl:5:25: a*b + c: differs for 1 work-item; work-item 2: a = 0.4, b = 0.9, c = 1.0: \
separate 1.359, fused 1.36
    """

    def __init__(
        self,
        source: str,
        options: str = "",
        contract: Contract = "never",
        name: str = "program.cl",
        device: object = None,
        fp16: bool | None = None,
        float_functions: FloatFunctions = "exact",
        extensions: str | Iterable[str] = (),
    ) -> None:
        options = with_extensions(options, extensions, "Program")
        self._build(source, options, contract, name, device, fp16, float_functions)
        for diagnostic in self.diagnostics:
            warnings.warn(str(diagnostic), BuildWarning, stacklevel=2)

    def _build(
        self,
        source: str,
        options: str,
        contract: Contract,
        name: str,
        device: object = None,
        fp16: bool | None = None,
        float_functions: FloatFunctions = "exact",
    ) -> None:
        if not isinstance(contract, str):
            raise TypeError(
                f"Program: argument contract: expected a str, got {type(contract).__name__}"
            )
        if contract not in get_args(Contract):
            raise ValueError(
                f"Program: argument contract: expected never, always or both, got {contract!r}"
            )
        check_float_functions("Program", float_functions)
        self._parsed = parse_source(source, options, name, device is not None)
        self.source, self.options, self.contract, self.name = source, options, contract, name
        self._text, self._pragmas = self._parsed.text, self._parsed.pragmas
        self._tree, self.diagnostics = self._parsed.tree, self._parsed.diagnostics
        self.device_calls: tuple[DeviceCall, ...] = ()
        self._modules: dict[tuple[tree.Mode, Contracting, bool], Names] = {}
        self._variables: dict[int, Pointer] = {}  # of program scope, by their declarations
        if contract == "both" and any(d.space == "global" for d in _variables(self._tree)):
            why = "contract='both' with variables of program scope, which keep their values"
            raise BuildError([Diagnostic(None, "error", f"not supported: {why}")])
        self.device = device
        functions = [f for f in self._tree.functions.values() if f.is_kernel and f.body]
        if device is not None:
            self.kernels = self._device_kernels(functions, fp16, float_functions)
            return
        for contracting in _CONTRACTING[contract]:
            self._module("rte", contracting)
        self.kernels = tuple(Kernel(self, f) for f in functions)

    def _device_kernels(
        self, functions: list[tree.Function], fp16: bool | None, float_functions: FloatFunctions
    ) -> tuple[Kernel, ...]:
        library = OnCuda if OnCuda.runs_on(self.device) else OnOpenCL
        device: OnDevice = library(self._parsed, self.contract, self.device, fp16, float_functions)
        self.device_calls = device.translation("rte").device_calls
        return tuple(DeviceKernel(self, f, device) for f in functions)

    def _module(
        self, mode: tree.Mode, contracting: Contracting = "never", checks: bool = False
    ) -> Names:
        """Return the generated code for a default mode."""
        key = mode, contracting, checks
        if key not in self._modules:
            with build_step(), np.errstate(all="ignore"):  # constants may overflow
                module = generate(self._tree, mode, contracting, checks)
            run = Run(Grid((1,), (1,), (0,)), Launch("", self._text.place_of), [(0, 1)])
            with np.errstate(all="ignore"):
                module["constants"](run, None)
            for declaration, name in module["__variables__"]:
                # All modules share them, and they keep their values between launches.
                module[name] = self._variables.setdefault(id(declaration), module[name])
            self._modules[key] = module
        return self._modules[key]

    def listing(self) -> str:
        """Return the source with the rounding mode and contraction in force beside each line.

        Returns
        -------
        str
            The columns of `Kernel.listing`, for all lines.

        Examples
        --------
        >>> from halfcl import cl
        >>> print(cl.Program("kernel void f(global float *a) {\\n    *a += 1;\\n}").listing())
        rounding  contract  line
        (rte)     on           1  kernel void f(global float *a) {
        (rte)     on           2      *a += 1;
        (rte)     on           3  }
        """
        return listing(self.source, self._text, self._pragmas, None)

    def __getitem__(self, name: str) -> Kernel:
        for kernel in self.kernels:
            if kernel.name == name:
                return kernel
        names = ", ".join(kernel.name for kernel in self.kernels) or "none"
        raise KeyError(f"Program: expected the name of a kernel ({names}), got {name!r}")

    def __getattr__(self, name: str) -> Kernel:
        if name.startswith("__") or "kernels" not in self.__dict__:
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(error.args[0], name=name, obj=self) from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(kernel.name for kernel in self.kernels)]

    def __reduce__(self) -> tuple[Callable[..., Program], tuple[str, str, Contract, str]]:
        if self.device is not None:
            raise TypeError(
                f"Program: expected a program without a device to pickle, got {self.device!r}"
            )
        return _rebuild, (self.source, self.options, self.contract, self.name)

    def __repr__(self) -> str:
        names = ", ".join(kernel.name for kernel in self.kernels) or "no kernels"
        return f"<halfcl.cl.Program {self.name}: {names}>"


def _variables(program: tree.Program) -> Iterator[tree.Declaration]:
    """Yield the variables of a program, also those of its functions."""
    yield from program.constants
    for function in program.functions.values():
        for node in tree.walk(function.body) if function.body else ():
            if isinstance(node, tree.Declare | tree.Switch):
                yield from node.variables


#: The ways in which a launch runs its code.
_CONTRACTING: dict[str, tuple[Contracting, ...]] = {
    "never": ("never",),
    "always": ("always",),
    "both": ("always", "watched"),
}


def _rebuild(source: str, options: str, contract: Contract, name: str) -> Program:
    """Build an unpickled program, without repeating its warnings."""
    program = Program.__new__(Program)
    program._build(source, options, contract, name)
    return program
