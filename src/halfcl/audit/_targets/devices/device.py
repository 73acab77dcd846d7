"""Target for halfcl's own functions on a device, compiled by `halfcl.device`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Generic, Protocol, TypeVar

import numpy as np

import halfcl as hc
from halfcl._support.extras import require
from halfcl._tables import TABLE
from halfcl._tables.row import Builtin
from halfcl.audit._records import TargetInfo
from halfcl.audit._results.mistakes import Array
from halfcl.audit._targets.base import Call, Conversion, Target, TargetError, UnsupportedError
from halfcl.audit._targets.devices.cupy_device import CupyDevice
from halfcl.audit._targets.devices.opencl_device import Device, choose
from halfcl.device import DeviceError, DeviceFunctions, compile
from halfcl.device._backends.libraries import CudaArray, DeviceArray, OpenCLArray
from halfcl.device._source.catalogue import Form, forms
from halfcl.typing import RoundingMode

_T = TypeVar("_T")
_A = TypeVar("_A", bound=DeviceArray)

_SPELLINGS = "device:opencl, device:opencl:platform:device, device:cuda or device:cuda:number"


def make(rest: str) -> Target:
    """Return the target ``device:opencl[:platform[:device]]`` or ``device:cuda[:number]``."""
    language, _, selection = rest.partition(":")
    name = f"device:{rest}"
    make_target = _MAKERS.get(language)
    if make_target is None:
        raise TargetError(f"target: expected {_SPELLINGS}; got {name!r}")
    return make_target(name, selection)


def _opencl_target(name: str, selection: str) -> DeviceTarget[OpenCLArray]:
    cl = require("pyopencl", "pyopencl", "opencl", f"to audit the target {name!r}")
    arrays = require("pyopencl.array", "pyopencl", "opencl", f"to audit the target {name!r}")
    platform, _, number = selection.partition(":")
    device = choose(cl, platform, number)
    runner = Device(cl, device, name)
    queue = runner.queue
    facts = {
        "platform": device.platform.version.partition("  ")[0].strip(),
        "OpenCL C": device.opencl_c_version.strip(),
        "driver": device.driver_version.strip(),
        "pyopencl": cl.VERSION_TEXT,
    }
    return DeviceTarget[OpenCLArray](
        TargetInfo(name, "halfcl.device", hc.__version__, device.name.strip(), facts),
        _compile(name, queue), partial(arrays.to_device, queue), lambda x: x.get(queue),
        runner.try_call,
    )  # fmt: skip


def _cuda_target(name: str, selection: str) -> DeviceTarget[CudaArray]:
    device = CupyDevice(name, selection)
    facts = {**device.facts(), "CuPy": device.cupy.__version__}
    return DeviceTarget(
        TargetInfo(name, "halfcl.device", hc.__version__, device.name, facts),
        _compile(name, device.cupy.cuda.Device(device.number)), device.from_host, device.to_host,
        device.try_call,
    )  # fmt: skip


#: Functions that make a target of a dialect's name.
_MAKERS: dict[str, Callable[[str, str], Target]] = {
    "opencl": _opencl_target, "cuda": _cuda_target,
}  # fmt: skip


def _compile(name: str, where: object) -> DeviceFunctions:
    try:
        return compile(where)
    except DeviceError as error:
        raise TargetError(f"{name}: {error}") from None


class TryCall(Protocol):
    """Calls a function; raises TargetError if the device fails."""

    def __call__(self, call: Callable[..., _T], /, *arguments: object) -> _T: ...


class DeviceTarget(Generic[_A]):
    """The functions of a device, in each mode; from_host and to_host copy arrays."""

    def __init__(
        self, info: TargetInfo, functions: DeviceFunctions, from_host: Callable[[Array], _A],
        to_host: Callable[[_A], Array], try_call: TryCall,
    ) -> None:  # fmt: skip
        self._info, self._functions, self._try_call = info, functions, try_call
        self._from_host, self._to_host = from_host, to_host

    def describe(self) -> TargetInfo:
        return self._info

    def functions(self) -> Mapping[str, Call]:
        return dict(pair for row in self._rows("") for pair in self._calls(row))

    def _calls(self, row: Builtin) -> Iterable[tuple[str, Call]]:
        """Yield the function under its own name in rte, and in other modes with a suffix."""
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
                    yield from self._form_conversions(form)

    def _form_conversions(self, form: Form) -> Iterable[Conversion]:
        source, destination = (np.dtype(c).name for c in (form.inputs, form.outputs))
        for mode in ("rte",) if form.name == "convert_float" else hc.MODES:
            yield Conversion(
                f"hc_{form.name}_{mode}({source})", partial(self._run, form.name, mode), mode,
                source=source, destination=destination, saturate=form.name.endswith("_sat"),
            )  # fmt: skip

    def _run(
        self, name: str, mode: RoundingMode, *arguments: Array, **keywords: int
    ) -> Array | tuple[Array, ...]:
        """Call a function with arrays of the host; return arrays of the host."""
        from_host, try_call = self._from_host, self._try_call
        function = getattr(self._functions, name)
        try:
            operands = [try_call(from_host, np.ascontiguousarray(x)) for x in arguments]
            results = try_call(partial(function, rounding=mode, **keywords), *operands)
        except DeviceError as error:
            raise UnsupportedError(str(error)) from None
        if isinstance(results, tuple):
            return tuple(try_call(self._to_host, x) for x in results)
        return try_call(self._to_host, results)
