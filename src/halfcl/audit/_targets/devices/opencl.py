"""Target for an OpenCL device: a kernel calls each builtin, through pyopencl.

Devices without ``cl_khr_fp16`` compute nothing in half. They still have what core OpenCL has of it,
which is audited: vload_half, vstore_half, and images of half channels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from types import ModuleType

import numpy as np

from halfcl._tables import TABLE
from halfcl._tables.row import Builtin
from halfcl.audit._records import TargetInfo
from halfcl.audit._results.mistakes import Array
from halfcl.audit._targets.base import Call, Conversion, library
from halfcl.audit._targets.devices import opencl_sources as sources
from halfcl.audit._targets.devices.opencl_device import Device, Results, choose
from halfcl.device._backends.libraries import OpenCLDevice
from halfcl.typing import RoundingMode

_SECTIONS = ("Operators", "Math", "Common", "Relational")
_INTEGERS = "bBhHiIqQ"

#: Suffixes of OpenCL's conversions, and their modes. For conversions to integers, "" is rtz.
_MODES: dict[str, RoundingMode] = {
    "": "rte", "_rte": "rte", "_rtz": "rtz", "_rtp": "rtp", "_rtn": "rtn",
}  # fmt: skip

#: A number three quarters of an ulp above 1, which distinguishes rte from rtz.
_BETWEEN = np.full(1, 1 + 0.75 * 2**-10, np.float32)


def make(rest: str) -> OpenCL:
    """Return the target ``opencl:platform:device``, each by number or a part of its name."""
    cl = library("pyopencl", "pyopencl", "opencl")
    platform, _, device = rest.partition(":")
    return OpenCL(cl, choose(cl, platform, device), f"opencl:{rest}" if rest else "opencl")


class OpenCL:
    """The builtins of a device."""

    def __init__(self, cl: ModuleType, device: OpenCLDevice, name: str) -> None:
        self._device, self._name, self._pyopencl = Device(cl, device), name, cl.VERSION_TEXT
        self._has_half = self._device.has("cl_khr_fp16")
        self._reals = "fd" if self._device.has("cl_khr_fp64") else "f"

    def describe(self) -> TargetInfo:
        device, platform = self._device.info, self._device.info.platform
        return TargetInfo(
            self._name, platform.name.strip(), device.driver_version.strip(), device.name.strip(),
            {
                "platform": platform.version.partition("  ")[0].strip(),
                "OpenCL C": device.opencl_c_version.strip(),
                "cl_khr_fp16": ", ".join(self._half_config())
                or "no: it has only what core OpenCL has of half",
                "pyopencl": self._pyopencl,
            },
        )  # fmt: skip

    def _half_config(self) -> list[str]:
        return self._device.flags(self._device.info.half_fp_config) if self._has_half else []

    def _rounding(self) -> RoundingMode:
        """Return rte, or rtz for a device whose halves only truncate."""
        config = self._half_config()
        return "rtz" if "ROUND_TO_ZERO" in config and "ROUND_TO_NEAREST" not in config else "rte"

    # ------------------------------------------------------------ functions

    def functions(self) -> Mapping[str, Call]:
        rows = [r for r in TABLE if r.public and r.opencl and r.section in _SECTIONS]
        return {
            row.name: self._scalar_call(row) for row in rows if self._has_half and "e" in row.inputs
        }

    def _scalar_call(self, row: Builtin) -> Call:
        run = partial(self._device.run, sources.function_kernel(row), row.inputs, row.outputs)
        spelled = sources.expression(row)
        return Call(spelled, _with_bool(run) if row.outputs == "?" else run, self._rounding())

    def vectors(self) -> Mapping[str, Call]:
        rows = [row for row in TABLE if row.public and row.signature]
        return {row.name: self._vector_call(row) for row in rows if self._has_half}

    def _vector_call(self, row: Builtin) -> Call:
        def call(*arguments: Array) -> Results:
            text = sources.vector_kernel(row, arguments[0].shape[1])
            return self._device.run_vectors(text, row.signature.endswith("(n)"), *arguments)

        widths = (3, 4) if row.name == "cross" else (2, 3, 4)
        return Call(row.name, call, self._rounding(), widths)

    # ------------------------------------------------------------ conversions

    def conversions(self) -> Iterable[Conversion]:
        yield self._conversion(
            "vload_half", "vload_half(i, x)", sources.load_kernel(), "e", "f", "rte"
        )
        for letter in self._reals:
            for ending, mode in _MODES.items():
                name = f"vstore_half{ending}"
                text = sources.store_kernel(letter, ending)
                yield self._conversion(name, f"{name}(x, i, r)", text, letter, "e", mode)
        for order in sources.ORDERS:
            if self._device.has_half_images(order):
                yield from self._images(order)
        if self._has_half:
            yield from self._explicit()

    def _images(self, order: str) -> Iterator[Conversion]:
        """Yield conversions by images.

        OpenCL lets write_imagef round to nearest or truncate; one number shows which.
        """
        read = partial(self._device.read_image, order)
        write = partial(self._device.write_image, order)
        mode: RoundingMode = "rte" if write(_BETWEEN) > 1 else "rtz"
        for name, function, source, destination in (
            ("read_imagef", read, "float16", "float32"),
            ("write_imagef", write, "float32", "float16"),
        ):
            label = f"{name}(CL_{order})"
            yield Conversion(
                label, function, mode, source=source, destination=destination, label=label
            )

    def _explicit(self) -> Iterator[Conversion]:
        """Yield convert_half and similar conversions."""
        for ending, mode in _MODES.items():
            for letter in _INTEGERS + self._reals:
                yield self._convert(letter, "e", ending, mode)
            for letter in _INTEGERS:
                yield self._convert("e", letter, f"_sat{ending}", mode if ending else "rtz")
        for letter in self._reals:
            yield self._convert("e", letter, "", "rte")

    def _convert(self, source: str, target: str, ending: str, mode: RoundingMode) -> Conversion:
        name = f"convert_{sources.TYPES[target]}{ending}"
        text = sources.conversion_kernel(source, target, ending)
        return self._conversion(name, f"{name}(x)", text, source, target, mode)

    def _conversion(
        self, name: str, spelled: str, text: str, source: str, target: str, mode: RoundingMode
    ) -> Conversion:
        return Conversion(
            spelled, partial(self._device.run, text, source, target), mode,
            source=np.dtype(source).name, destination=np.dtype(target).name,
            saturate="_sat" in name, label=f"{name}({sources.TYPES[source]})",
        )  # fmt: skip


def _with_bool(run: Callable[..., Results]) -> Callable[..., Array]:
    """Return a function whose results are bool instead of bytes."""
    return lambda *arguments: np.asarray(run(*arguments)).astype(bool)
