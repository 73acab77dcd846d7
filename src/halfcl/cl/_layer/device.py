"""The device of a request: what it says of itself decides how to translate for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from halfcl.cl._translation.sub_groups import most_items_of

if TYPE_CHECKING:
    from halfcl.cl._layer.protocol import Fields

#: Bits of CL_DEVICE_SINGLE_FP_CONFIG.
_SUBNORMAL, _INF_NAN, _NEAREST, _DIVISION = 1 << 0, 1 << 1, 1 << 2, 1 << 7

_DIVISION_OPTION = "-cl-fp32-correctly-rounded-divide-sqrt"


class Device(NamedTuple):
    """A device, by what its driver says. native: operations on halves that a probe allowed."""

    name: str
    extensions: frozenset[str]
    single: int
    double: int
    is_cpu: bool
    is_intel: bool  # Intel's runtime for CPUs
    native: frozenset[str]
    most_items: int  # of a work-group, whose work-items have 8 bytes of local memory each

    @property
    def fp16(self) -> bool:
        return "cl_khr_fp16" in self.extensions

    def options(self) -> list[str]:
        """Return build options for the functions of a translation.

        The option for division is there if the device says so. CPUs divide correctly without.
        """
        if self.single & _DIVISION:
            return [_DIVISION_OPTION, "-DHC_NATIVE_DIVISION"]
        return ["-DHC_NATIVE_DIVISION"] if self.is_cpu else []

    def lacks_arithmetic(self) -> str:
        """Return what the functions of halves need and the device says that it lacks."""
        needs = (
            ("infinities and NaN in float", _INF_NAN),
            ("rounding to nearest in float", _NEAREST),
        )
        return ", ".join(what for what, bit in needs if not self.single & bit)

    def abilities(self, floats: str) -> dict[str, bool]:
        """Return which needs of a text (`NEEDS`) the device meets.

        floats="device" accepts the device's division and subnormal floats as they are.
        """
        is_left = floats == "device"
        return {
            "double": bool(self.double),
            "division": is_left or self.is_cpu or bool(self.single & _DIVISION),
            "subnormal": is_left or bool(self.single & _SUBNORMAL),
        }


def device_of(request: Fields) -> Device:
    """Return the device that a request describes."""

    def text(name: str) -> str:
        return request.get(f"device.{name}", b"").decode("utf-8", "replace").strip("\0 ")

    def number(name: str) -> int:
        value = text(name)
        return int(value) if value.isdecimal() and len(value) < 20 else 0

    is_cpu = bool(number("IS_CPU"))
    return Device(
        text("NAME"), frozenset(text("EXTENSIONS").split()), number("SINGLE_FP_CONFIG"),
        number("DOUBLE_FP_CONFIG"), is_cpu, is_cpu and text("VENDOR").startswith("Intel("),
        frozenset(request.get("native", b"").decode("ascii", "replace").split()),
        most_items_of(number("MAX_WORK_GROUP_SIZE"), number("LOCAL_MEM_SIZE")),
    )  # fmt: skip
