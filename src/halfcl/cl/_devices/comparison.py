"""Comparison of a device's results with the right ones, for a kernel translated and as written."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl.cl._devices.opencl import OnOpenCL
from halfcl.cl._devices.programs import DeviceKernel
from halfcl.cl._frontend.errors import BuildError
from halfcl.cl._frontend.source import Source, parse_source
from halfcl.cl._interpreter.contraction import Contract
from halfcl.cl._interpreter.kernel import Kernel
from halfcl.cl._interpreter.launching.copies import copies
from halfcl.cl._interpreter.launching.sizes import Sizes
from halfcl.cl._translation import Translation
from halfcl.cl._translation.target import Fusing
from halfcl.device._backends.libraries import Program, Queue
from halfcl.typing import RoundingMode


@dataclass(frozen=True, slots=True)
class Deviation:
    """How far a device's results in one array are from the right ones.

    Attributes
    ----------
    name : str
        The kernel's parameter.
    elements, differing : int
        How many there are, and how many of them have another value. A NaN is any NaN; zeros of
        different signs differ.
    ulps : int
        The largest difference of floating numbers in ulps; infinities are next to the largest
        numbers. 0 for integers and structs.
    nans : int
        Elements that are NaN on one side only, which `ulps` leaves out.
    index : tuple of int or None
        The index of the first NaN, or else of the first largest difference; None if nothing
        differs.
    right, actual : NumPy scalar or None
        The right value and the device's at `index`.
    """

    name: str
    elements: int
    differing: int
    ulps: int = 0
    nans: int = 0
    index: tuple[int, ...] | None = None
    right: object = None
    actual: object = None

    def __str__(self) -> str:
        if not self.differing:
            return f"{self.name}: all of {self.elements} elements equal"
        text = f"{self.name}: {self.differing} of {self.elements} elements differ"
        text += f", by up to {self.ulps} ulp{'' if self.ulps == 1 else 's'}" if self.ulps else ""
        text += f", {self.nans} are NaN on one side" if self.nans else ""
        place = ", ".join(map(str, self.index or ()))
        return f"{text}; [{place}] is {self.actual!s}, right {self.right!s}"


@dataclass(frozen=True, slots=True)
class DeviceComparison:
    """The result of `compare`. True if either text's results on the device differ anywhere.

    Attributes
    ----------
    device : str
        Its name.
    translated, as_written : tuple of Deviation
        One per array that the kernel may write to.
    why_not : str
        Why the text as written did not run there; "" if it did.
    """

    device: str
    translated: tuple[Deviation, ...]
    as_written: tuple[Deviation, ...]
    why_not: str = ""

    def __bool__(self) -> bool:
        return any(d.differing for d in (*self.translated, *self.as_written))

    def __str__(self) -> str:
        lines = [f"{self.device}:"]
        lines += [f"  translated: {d}" for d in self.translated]
        lines += [f"  as written: {d}" for d in self.as_written]
        return "\n".join([*lines, *([f"  as written: {self.why_not}"] if self.why_not else [])])


class _AsWritten(OnOpenCL):
    """A program on a device without translation: the device's compiler decides how it rounds."""

    adds_sub_group_parameters = False
    passes_samplers_as_numbers = False

    def __init__(self, source: Source, contract: Contract, queue: Queue, options: str) -> None:
        self._given = options
        super().__init__(source, contract, queue)

    def _translate(self, contract: Fusing, mode: RoundingMode) -> Translation:
        return Translation(self._source.source)

    def _build(self, text: str) -> Program:
        if text != self._source.source:  # a probe of the device
            return super()._build(text)
        return self._compile(text, shlex.split(self._given))


def compare(
    kernel: Kernel,
    device: Queue,
    global_size: Sizes,
    local_size: Sizes | None,
    *args: object,
    rounding: RoundingMode | None = None,
    offset: Sizes | None = None,
) -> DeviceComparison:
    """Compare a kernel's results on a device, translated and as written, with the right ones.

    Parameters
    ----------
    kernel : Kernel
        A kernel of a `Program` without a device, whose results are right.
    device : pyopencl.CommandQueue
        A queue of the device.
    global_size, local_size, *args, rounding, offset
        As the kernel takes them. Nothing is written to the arrays: it runs on copies.

    Returns
    -------
    DeviceComparison
        Print it to see the differences.

    Raises
    ------
    BuildError
        If the translation does not build on the device.
    TypeError, ValueError
        As the kernel and `Program` raise them.

    Notes
    -----
    A device ignores ``SELECT_ROUNDING_MODE`` and ``rounding`` when it runs the text as written.
    Without ``FP_CONTRACT OFF`` it may also fuse products and sums, which are two operations here
    unless the program has ``contract="always"``.

    Source: this library.

    Examples
    --------
    >>> import pyopencl, numpy as np  # doctest: +SKIP
    >>> queue = pyopencl.CommandQueue(pyopencl.create_some_context())  # doctest: +SKIP
    >>> print(cl.compare(program.shade, queue, 512, None, colours, out))  # doctest: +SKIP
    Intel(R) Xeon(R) Processor:
      translated: out: all of 2048 elements equal
      as written: out: 31 of 2048 elements differ, by up to 1 ulp; [17] is 0.1666, right 0.1665
    """
    if isinstance(kernel, DeviceKernel):
        raise TypeError(
            "compare: argument kernel: expected a kernel of a Program without a device, "
            f"got {kernel!r}"
        )
    program = kernel._program
    source = parse_source(program.source, program.options, program.name, True, "compare")
    indices = [i for i, a in enumerate(args) if isinstance(a, np.ndarray | hc.Image)]

    def run_on_copies(by: Kernel) -> dict[str, NDArray[Any]]:
        own = copies(args, indices)
        by(global_size, local_size, *own, rounding=rounding, offset=offset)
        return kernel._output_arrays(own)

    there = OnOpenCL(source, program.contract, device)
    right = run_on_copies(kernel)
    function = kernel._function
    translated = _deviations(right, run_on_copies(DeviceKernel(program, function, there)))
    name = device.device.name.strip()
    try:
        own = _AsWritten(source, program.contract, device, program.options)
        actual = run_on_copies(DeviceKernel(program, function, own))
    except BuildError as error:
        return DeviceComparison(name, translated, (), _reason(device, error))
    return DeviceComparison(name, translated, _deviations(right, actual))


def _reason(queue: Queue, error: BuildError) -> str:
    if "cl_khr_fp16" not in queue.device.extensions.split():
        return "does not build: the device does not support half"
    return "does not build: " + str(error).strip().splitlines()[0]


# ---------------------------------------------------------------- differences


def _deviations(
    right: dict[str, NDArray[Any]], actual: dict[str, NDArray[Any]]
) -> tuple[Deviation, ...]:
    return tuple(_deviation(name, array, actual[name]) for name, array in right.items())


def _deviation(name: str, right: NDArray[Any], actual: NDArray[Any]) -> Deviation:
    """Compare the values of one array."""
    if right.dtype.type is hc.half:
        floats = [a.view(np.float16) for a in (right, actual)]
    elif right.dtype.kind == "f":
        floats = [right, actual]
    else:
        differ = _differing_bytes(right, actual)
        return _summarize(name, differ, differ, right, actual, 0, 0)
    missing = [np.isnan(a) for a in floats]
    nans = missing[0] != missing[1]
    steps = np.where(missing[0] | missing[1], np.uint64(0), _steps(*floats))
    signs = (floats[0] == 0) & (floats[1] == 0) & (np.signbit(floats[0]) != np.signbit(floats[1]))
    size = np.where(nans, np.uint64(2**64 - 1), np.maximum(steps, signs.astype(np.uint64)))
    ulps = int(steps.max(initial=0))
    return _summarize(name, size != 0, size, right, actual, ulps, int(nans.sum()))


def _summarize(
    name: str, differ: NDArray[Any], size: NDArray[Any], right: NDArray[Any],
    actual: NDArray[Any], ulps: int, nans: int,
) -> Deviation:  # fmt: skip
    """Describe which elements differ."""
    count = int(np.count_nonzero(differ))
    if not count:
        return Deviation(name, right.size, 0)
    place = tuple(int(i) for i in np.unravel_index(int(size.argmax()), right.shape))
    return Deviation(name, right.size, count, ulps, nans, place, right[place], actual[place])


def _differing_bytes(right: NDArray[Any], actual: NDArray[Any]) -> NDArray[Any]:
    """Return which integers or structs differ."""
    rows = [a.reshape(-1).view(np.uint8).reshape((*a.shape, a.itemsize)) for a in (right, actual)]
    differ: NDArray[Any] = (rows[0] != rows[1]).any(-1)
    return differ


def _steps(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.uint64]:
    """Return the distance of two arrays in representable numbers; both zeros count as one."""
    bits = f"u{a.dtype.itemsize}"
    top = np.uint64(1 << (8 * a.dtype.itemsize - 1))
    places = []
    for x in (a, b):
        magnitude = np.abs(x).view(bits).astype(np.uint64)
        places.append(np.where(np.signbit(x), top - magnitude, top + magnitude))
    steps: NDArray[np.uint64] = np.maximum(*places) - np.minimum(*places)
    return steps
