"""Kernels, which are launched on arrays."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

import halfcl as hc
from halfcl.cl._frontend import calls, tree, types
from halfcl.cl._frontend.listing import extents_of, listing
from halfcl.cl._frontend.pragmas import Pragmas
from halfcl.cl._frontend.preprocessing import Text
from halfcl.cl._interpreter.checking import CheckedLaunch
from halfcl.cl._interpreter.contraction import (
    Contract,
    Contracting,
    Contraction,
    differing_elements,
)
from halfcl.cl._interpreter.generation import Names, function_key
from halfcl.cl._interpreter.launching.arguments import bind
from halfcl.cl._interpreter.launching.copies import copies
from halfcl.cl._interpreter.launching.launch import Launch, choose_block_size
from halfcl.cl._interpreter.launching.sizes import (
    Sizes,
    check_timeout,
    launch_region,
    make_grid,
    resolve_modes,
    resolve_sub_group_size,
)
from halfcl.typing import RoundingMode


class Argument(NamedTuple):
    """A parameter of a kernel: see `Kernel.args`.

    Attributes
    ----------
    name : str
    type : str
        As OpenCL C writes it: ``"const half4*"``, ``"int"``, ``"image2d_t"``.
    space : str
        For pointers the address space pointed to, ``"global"``, ``"constant"`` or ``"local"``;
        ``"global"`` for images, ``"private"`` for all else.
    access : str
        ``"read_only"`` or ``"write_only"`` for images, else ``"none"``.
    """

    name: str
    type: str
    space: str
    access: str


class _Program(Protocol):
    """The interface of Program that kernels need."""

    source: str
    options: str
    name: str
    contract: Contract
    _text: Text
    _pragmas: Pragmas

    def _module(self, mode: tree.Mode, contracting: Contracting, checks: bool) -> Names: ...

    def __getitem__(self, name: str) -> Kernel: ...


class Kernel:
    """A kernel of a `Program`: call it to launch it.

    ``kernel(global_size, local_size, *args, rounding=None, offset=None, timeout=None,
    check=False, progress=None, sub_group_size=None)``

    Parameters
    ----------
    global_size : int or tuple of one to three ints
        Number of work-items, x first.
    local_size : int, tuple of ints, or None
        Work-items per work-group and dimension: divisors of the global sizes. None:
        ``reqd_work_group_size`` if the kernel has it, else along x the largest divisor up to 256,
        and 1 along y and z.
    *args : any
        One argument per parameter of the kernel (`args`):

        - pointers to global and constant memory: NumPy arrays in C order, changed in place, or
          None, a null pointer. An array of any shape has the parameter's type as dtype, float16
          for half, too; for vectors its size is a multiple of the components (4 for half3, its
          size in memory); for structs it has a structured dtype of the same size, whose fields
          have the same names, types and offsets, or uint8.
          An array of NumPy's void (``x.view("V1")``) has bytes of any type;
        - pointers to local memory: `LocalMemory`;
        - numbers: of Python or NumPy. Integers must fit, and integer parameters accept no floats;
          numbers that a floating type cannot hold are rounded to nearest even;
        - vectors: a sequence of as many numbers, or a `halfcl.half4` and its kin; structs: a
          NumPy scalar of such a structured dtype, or a 0-d array;
        - images: `halfcl.Image`; samplers: `halfcl.Sampler`.
    rounding : {"rte", "rtz", "rtp", "rtn"} or array_like of them, optional
        The default mode, used before the first ``SELECT_ROUNDING_MODE`` of the text. An array
        has a mode per work-group, in the order of their ids (x fastest), either flat or in the
        shape of the groups (x last). By default the mode of the `halfcl.rounding` region in
        force, or rte without one.
    offset : int or tuple of ints, optional
        The first global id, by dimension; 0 by default.
    timeout : float, optional
        A time limit: after it the launch raises a LaunchError, at the next iteration of a loop.
    check : bool, optional
        Whether to look for errors that a GPU hides: reads of uninitialised private and local
        memory; races between work-items, on buffers, on local memory and on images;
        asynchronous copies used before the wait, or without a wait; coordinates outside of an
        image where the standard does not define the result; uses of the value of a function that
        returned none; integers divided by zero; and floating numbers converted, without
        saturation, to an integer that cannot hold them. The kernel runs to its end; then the
        findings are raised. It takes some 2 to 4 times as long; kernels that only access shared
        buffers take 20 to 50 times as long.
    progress : callable, optional
        Called after each block of work-items with the numbers of finished and of all work-items.

    sub_group_size : int, optional
        Work-items per sub-group: a power of two up to 128. By default the value of
        ``intel_reqd_sub_group_size`` or of Qualcomm's attribute, else 32. The last sub-group of
        a work-group has the remaining work-items.

    Attributes
    ----------
    name : str
    args : tuple of Argument

    Returns
    -------
    Contraction or None
        The differences if the program has ``contract="both"``; else None.

    Raises
    ------
    TypeError, ValueError
        If sizes, modes or arguments do not fit; the message has the argument's number (from 1)
        and name. Nothing has been written then.
    CheckError
        If ``check`` found any errors.
    LaunchError
        If an access is outside of memory or the kernel cannot continue for another reason; or if
        it exceeds its time limit.

    Notes
    -----
    Work-items run block by block in the calling thread, in blocks of some 32768 or of whole
    work-groups, up to 32 times as many if no floating value is wider than half2 or float. Several
    threads may launch one kernel at the same time. After a `LaunchError`, or Ctrl-C, the buffers
    hold what had been written until then. The caller's `numpy.errstate` has no effect and is not
    changed. A region only sets the mode: built-in functions round to nearest.

    A kernel pickles as the source of its program.

    Source: the OpenCL API, clEnqueueNDRangeKernel; OpenCL C, Kernels.

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> from halfcl import cl
    >>> program = cl.Program('''
    ...     #pragma OPENCL EXTENSION cl_khr_fp16 : enable
    ...     kernel void scale(global half *a, half factor) { a[get_global_id(0)] *= factor; }
    ... ''')
    >>> a = np.array([1, 2, 3], hc.half)
    >>> program.scale(3, None, a, 0.1)
    >>> a
    array([0.1   , 0.2   , 0.2998], dtype=half)
    >>> program.scale(3, 1, a, 0.1, rounding=["rtp", "rtz", "rtn"])
    >>> a
    array([0.01   , 0.01999, 0.02997], dtype=half)
    >>> program.scale.args
    (Argument(name='a', type='half*', space='global', access='none'), \
Argument(name='factor', type='half', space='private', access='none'))
    """

    def __init__(self, program: _Program, function: tree.Function) -> None:
        """Create a kernel of a Program."""
        self._program, self._function = program, function
        self.name = self.__name__ = function.name
        self.args = tuple(map(_describe, function.parameters))
        self._code_name = f"f_{function_key(function)}"

    @cached_property
    def _by_groups(self) -> bool:
        """True if its work-items must run together with their whole work-group."""
        return calls.uses_groups(self._function, set())

    @cached_property
    def _widest(self) -> int:
        """The bytes of its widest floating value."""
        return calls.widest_floating(self._function)

    @cached_property
    def _keeps_arrays(self) -> bool:
        """True if it has private arrays or structures."""
        return calls.has_private_arrays(self._function)

    @cached_property
    def _variables(self) -> int:
        """The number of its floating variables."""
        return calls.count_floating(self._function)

    def __call__(
        self,
        global_size: Sizes,
        local_size: Sizes | None = None,
        *args: object,
        rounding: RoundingMode | ArrayLike | None = None,
        offset: Sizes | None = None,
        timeout: float | None = None,
        check: bool = False,
        progress: Callable[[int, int], object] | None = None,
        sub_group_size: int | None = None,
    ) -> Contraction | None:
        sizes = make_grid(
            self.name,
            self._function.required_size,
            global_size,
            local_size,
            offset,
            resolve_sub_group_size(self.name, self._function.sub_group_size, sub_group_size),
        )
        modes = resolve_modes(self.name, rounding, sizes)
        check_timeout(self.name, timeout)
        if progress is not None and not callable(progress):
            raise TypeError(
                f"{self.name}: argument progress: expected a callable or None, got {progress!r}"
            )
        values = bind(self.name, self._function.parameters, args)
        about = self.name, self._program._text.place_of, timeout
        launch = CheckedLaunch(*about, self._function.parameters) if check else Launch(*about)
        launch.progress = progress
        group = math.prod(sizes.local_sizes) if self._by_groups else 0
        block = choose_block_size(self._widest, self._keeps_arrays or check, self._variables, group)

        def run(contracting: Contracting) -> None:
            with launch_region(modes):
                launch.run(
                    lambda mode: self._code(mode, contracting, check),
                    sizes,
                    self._by_groups,
                    modes,
                    values,
                    block,
                )

        if self._program.contract != "both":
            run(self._program.contract)
            launch.report()
            return None
        contraction = _run_both_ways(launch, run, self._output_arrays(args))
        launch.report(contraction)
        return contraction

    def _code(
        self, mode: tree.Mode, contracting: Contracting, check: bool
    ) -> Callable[..., object]:
        module = self._program._module(mode, contracting, check)
        function: Callable[..., object] = module[self._code_name]
        return function

    # ------------------------------------------------------------ contraction

    def _output_arrays(self, args: Sequence[object]) -> dict[str, NDArray[Any]]:
        """Return the arrays that the kernel may write to, by parameter name."""
        arrays = {}
        for parameter, value in zip(self._function.parameters, args, strict=True):
            if isinstance(value, hc.Image) and _is_target(parameter):
                arrays[parameter.name] = value.array
            elif isinstance(value, np.ndarray) and _may_write(parameter):
                arrays[parameter.name] = value.view(np.ndarray)
        return arrays

    # ------------------------------------------------------------ views of it

    def listing(self) -> str:
        """Return the source of the kernel and its callees, with the pragma state of each line.

        Returns
        -------
        str
            One line per line of the source: the rounding mode, ``(rte)`` where no pragma sets
            one, so that a launch's ``rounding=`` decides; whether contraction is allowed; the
            line number; the line. Lines of included files are omitted.

        See Also
        --------
        Program.listing : the listing of the whole source.

        Examples
        --------
        >>> from halfcl import cl
        >>> program = cl.Program('''
        ... #pragma OPENCL EXTENSION cl_khr_fp16 : enable
        ... #pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable
        ... #pragma OPENCL SELECT_ROUNDING_MODE rtp
        ... half up(half a, half b) { return a + b; }
        ... #pragma OPENCL SELECT_ROUNDING_MODE rte
        ... kernel void add(global half *a) {
        ...     #pragma OPENCL FP_CONTRACT OFF
        ...     a[0] = up(a[1], a[2]);
        ... }''')
        >>> print(program.add.listing())
        rounding  contract  line
        rtp       on           5  half up(half a, half b) { return a + b; }
        rte       on           7  kernel void add(global half *a) {
        rte       off          8      #pragma OPENCL FP_CONTRACT OFF
        rte       off          9      a[0] = up(a[1], a[2]);
        rte       on          10  }
        """
        program = self._program
        extents = extents_of(program._text, calls.reachable_functions(self._function, []))
        return listing(program.source, program._text, program._pragmas, extents)

    def pure(self) -> Callable[..., NDArray[Any] | tuple[NDArray[Any], ...]]:
        """Return the kernel as a function without side effects, which returns its half arrays.

        `halfcl.stability.rerun` and `halfcl.stability.compare` use it for kernels.

        Returns
        -------
        callable
            It is called like the kernel, launches it on copies of the arrays and images that it
            may write to, which overlap as the originals do, and returns the arrays of half: one,
            or a tuple if there are more.

        Raises
        ------
        TypeError
            If the kernel has no pointer to half that it may write to.

        Examples
        --------
        >>> import numpy as np, halfcl as hc
        >>> from halfcl import cl, stability
        >>> program = cl.Program('''
        ...     #pragma OPENCL EXTENSION cl_khr_fp16 : enable
        ...     kernel void f(global const half *x, global half *y) {
        ...         size_t i = get_global_id(0);
        ...         y[i] = (1 + x[i]) - 1;
        ...     }''')
        >>> x, y = np.array([0.01, 1], hc.half), np.zeros(2, hc.half)
        >>> stability.rerun(program.f, 2, None, x, y).stable
        array([False,  True])
        >>> program.f.pure()(2, None, x, y), y
        (array([0.009766, 1.      ], dtype=half), array([0., 0.], dtype=half))
        """
        parameters = self._function.parameters
        written = [i for i, p in enumerate(parameters) if _may_write(p) or _is_target(p)]
        halves = [i for i in written if not parameters[i].access and _is_half(parameters[i].type)]
        if not halves:
            raise TypeError(
                f"{self.name}: expected a parameter that points to half, without const, "
                f"got a kernel without one"
            )

        def launch(
            global_size: Sizes, local_size: Sizes | None, *args: object, **options: Any
        ) -> NDArray[Any] | tuple[NDArray[Any], ...]:
            own = copies(args, written)
            self(global_size, local_size, *own, **options)
            candidates = (own[i] for i in halves)
            results = tuple(array for array in candidates if isinstance(array, np.ndarray))
            return results[0] if len(results) == 1 else results

        launch.__name__ = self.name
        return launch

    def __reduce__(self) -> tuple[Callable[[_Program, str], object], tuple[_Program, str]]:
        return operator.getitem, (self._program, self.name)

    def __repr__(self) -> str:
        parameters = ", ".join(map(_declare, self.args))
        return f"<halfcl.cl.Kernel {self.name}({parameters})>"


def _run_both_ways(
    launch: Launch, run: Callable[[Contracting], None], written: dict[str, NDArray[Any]]
) -> Contraction:
    """Run a launch fused and undo it; then run it separately, watching what would be fused.

    run: runs the launch; written: by name, the arrays that it may write to.
    """
    before = {name: array.copy() for name, array in written.items()}
    launch.is_rehearsal = True
    try:
        run("always")
        fused = {name: array.copy() for name, array in written.items()}
    finally:
        launch.is_rehearsal = False
        for name, array in written.items():
            array[...] = before[name]
    run("watched")
    elements = {name: differing_elements(array, fused[name]) for name, array in written.items()}
    return Contraction(launch.name, launch.recorder.sites(launch.place_of), elements)


def _describe(parameter: tree.Declaration) -> Argument:
    type_ = parameter.type
    access = parameter.access or "none"
    if isinstance(type_, types.Pointer):
        const = "const " if type_.is_const else ""
        return Argument(parameter.name, f"{const}{type_.pointee}*", type_.space, access)
    is_image = isinstance(type_, types.Opaque) and type_.is_image
    return Argument(parameter.name, str(type_), "global" if is_image else "private", access)


def _declare(argument: Argument) -> str:
    """Return a parameter as a declaration in OpenCL C."""
    if argument.access != "none":
        return f"{argument.access} {argument.type} {argument.name}"
    space = "" if argument.space == "private" else f"{argument.space} "
    return f"{space}{argument.type} {argument.name}"


def _may_write(parameter: tree.Declaration) -> bool:
    type_ = parameter.type
    return isinstance(type_, types.Pointer) and type_.space == "global" and not type_.is_const


def _is_target(parameter: tree.Declaration) -> bool:
    """Return whether a parameter is an image that the kernel may write to."""
    type_ = parameter.type
    return isinstance(type_, types.Opaque) and type_.is_image and parameter.access != "read_only"


def _is_half(type_: types.Type) -> bool:
    return (
        isinstance(type_, types.Pointer) and getattr(type_.pointee, "element", None) == types.HALF
    )
