"""halfcl's own functions on a device, compiled by `halfcl.device`: whether they are right there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Generic, Protocol, TypeVar

import numpy as np

import halfcl as hc
from halfcl._support.extras import require
from halfcl._tables import TABLE
from halfcl._tables.row import Builtin
from halfcl.audit._mistakes import Array
from halfcl.audit._report import TargetInfo
from halfcl.audit._targets.base import Call, Conversion, Target, TargetError, UnsupportedError
from halfcl.audit._targets.cupy_device import CupyDevice
from halfcl.audit._targets.opencl_device import choose
from halfcl.device import DeviceError, DeviceFunctions, compile
from halfcl.device._catalogue import Form, forms
from halfcl.device._libraries import Context, CudaArray, DeviceArray, OpenCLArray, Queue
from halfcl.typing import RoundingMode

_T = TypeVar("_T")
_A = TypeVar("_A", bound=DeviceArray)

_SPELLINGS = "device:opencl, device:opencl:platform:device, device:cuda or device:cuda:number"


def make(rest: str) -> Target:
    """The target ``device:opencl[:platform[:device]]`` or ``device:cuda[:number]``."""
    language, _, place = rest.partition(":")
    name = f"device:{rest}"
    if language == "opencl":
        return _on_opencl(name, place)
    if language == "cuda":
        return _on_cuda(name, place)
    raise TargetError(f"target: expected {_SPELLINGS}; got {name!r}")


def _on_opencl(name: str, place: str) -> OnDevice[OpenCLArray]:
    cl = require("pyopencl", "pyopencl", "opencl", f"to audit the target {name!r}")
    arrays = require("pyopencl.array", "pyopencl", "opencl", f"to audit the target {name!r}")
    platform, _, number = place.partition(":")
    device = choose(cl, platform, number)

    def tried(call: Callable[..., _T], /, *arguments: object) -> _T:
        try:
            return call(*arguments)
        except (cl.Error, MemoryError) as error:
            raise TargetError(f"{name}: {device.name.strip()} failed: {error}") from None

    context: Context = tried(cl.Context, [device])
    queue: Queue = tried(cl.CommandQueue, context)
    facts = {
        "platform": device.platform.version.partition("  ")[0].strip(),
        "OpenCL C": device.opencl_c_version.strip(),
        "driver": device.driver_version.strip(),
        "pyopencl": cl.VERSION_TEXT,
    }
    return OnDevice[OpenCLArray](
        TargetInfo(name, "halfcl.device", hc.__version__, device.name.strip(), facts),
        _compiled(name, queue), partial(arrays.to_device, queue), lambda x: x.get(queue), tried,
    )  # fmt: skip


def _on_cuda(name: str, place: str) -> OnDevice[CudaArray]:
    device = CupyDevice(name, place)
    facts = {**device.facts(), "CuPy": device.cupy.__version__}
    return OnDevice(
        TargetInfo(name, "halfcl.device", hc.__version__, device.name, facts),
        _compiled(name, device.cupy.cuda.Device(device.number)), device.from_host, device.taken,
        device.tried,
    )  # fmt: skip


def _compiled(name: str, where: object) -> DeviceFunctions:
    try:
        return compile(where)
    except DeviceError as error:
        raise TargetError(f"{name}: {error}") from None


class Tried(Protocol):
    """Calls a function, and raises TargetError if the device fails."""

    def __call__(self, call: Callable[..., _T], /, *arguments: object) -> _T: ...


class OnDevice(Generic[_A]):
    """The functions of a device, in each mode.

    Parameters
    ----------
    info : TargetInfo
        What it is.
    functions : DeviceFunctions
        Its functions.
    place, take : callable
        Bring an array to the device, and back.
    tried : callable
    """

    def __init__(
        self, info: TargetInfo, functions: DeviceFunctions, place: Callable[[Array], _A],
        take: Callable[[_A], Array], tried: Tried,
    ) -> None:  # fmt: skip
        self._info, self._functions, self._tried = info, functions, tried
        self._place, self._take = place, take

    def describe(self) -> TargetInfo:
        return self._info

    def functions(self) -> Mapping[str, Call]:
        return dict(pair for row in self._rows("") for pair in self._of_row(row))

    def _of_row(self, row: Builtin) -> Iterable[tuple[str, Call]]:
        """To nearest under its own name; where it rounds, under others in the other modes."""
        for mode in row.modes:
            name = row.name if mode == "rte" else f"{row.name}_{mode}"
            call = partial(self._run, row.name, mode)
            spelled = f"hc_{row.name}_{mode}" if len(row.modes) > 1 else f"hc_{row.name}"
            yield name, Call(spelled, call, mode, computes=row.name)

    def vectors(self) -> Mapping[str, Call]:
        return {
            row.name: Call(
                f"hc_{row.name}", partial(self._run, row.name, "rte"), "rte",
                tuple(n for n in forms()[row.name][0].widths if n > 1),
            )
            for row in self._rows("()")
        }  # fmt: skip

    def reductions(self) -> Mapping[str, Call]:
        return {
            name: Call(f"{name}(x, axis=-1)", partial(self._run, name, "rte", axis=-1))
            for name in ("sum", "mean", "var", "norm")
        }

    def _rows(self, of_vectors: str) -> Iterable[Builtin]:
        names = dir(self._functions)
        public = (row for row in TABLE if row.public and row.name in names)
        return (row for row in public if bool(row.signature) == bool(of_vectors))

    def conversions(self) -> Iterable[Conversion]:
        for name in dir(self._functions):
            if name.startswith("convert_"):
                for form in forms()[name]:
                    yield from self._of_form(form)

    def _of_form(self, form: Form) -> Iterable[Conversion]:
        source, destination = (np.dtype(c).name for c in (form.inputs, form.outputs))
        for mode in ("rte",) if form.name == "convert_float" else hc.MODES:
            yield Conversion(
                f"hc_{form.name}_{mode}({source})", partial(self._run, form.name, mode), mode,
                source=source, destination=destination, saturate=form.name.endswith("_sat"),
            )  # fmt: skip

    def _run(
        self, name: str, mode: RoundingMode, *arguments: Array, **keywords: int
    ) -> Array | tuple[Array, ...]:
        """From arrays of the host to such."""
        place, tried = self._place, self._tried
        function = getattr(self._functions, name)
        try:
            operands = [tried(place, np.ascontiguousarray(x)) for x in arguments]
            found = tried(partial(function, rounding=mode, **keywords), *operands)
        except DeviceError as error:
            raise UnsupportedError(str(error)) from None
        if isinstance(found, tuple):
            return tuple(tried(self._take, x) for x in found)
        return tried(self._take, found)
