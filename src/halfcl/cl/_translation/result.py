"""The result of a translation: a text, and the calls that it leaves to the device."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias, get_args

from halfcl.cl._frontend.errors import SourceLocation

#: Whose results functions of float have that OpenCL does not fix: halfcl's, or the device's.
FloatFunctions: TypeAlias = Literal["exact", "device"]

#: How to translate what is refused in "exact".
REMEDY = "float_functions='device' (--float-functions device) leaves it to the device"


def check_float_functions(function: str, value: object) -> None:
    """Raise ValueError unless an argument float_functions is one of `FloatFunctions`."""
    if value not in get_args(FloatFunctions):
        raise ValueError(
            f"{function}: argument float_functions: expected exact or device, got {value!r}"
        )


class DeviceCall(NamedTuple):
    """A call that a translation leaves to the device, whose results each device chooses.

    Attributes
    ----------
    location : SourceLocation or None
        The place of the call in the source.
    name, type : str
        The function, and the type for which it is called.

    Examples
    --------
    >>> from halfcl import cl
    >>> source = "kernel void f(global float *a) { a[0] = exp(a[0]); }"
    >>> result = cl.translate(source, float_functions="device", full_output=True)
    >>> print(*result.device_calls)
    program.cl:1:41: exp of float
    """

    location: SourceLocation | None
    name: str
    type: str

    def __str__(self) -> str:
        place = "" if self.location is None else f"{self.location}: "
        return f"{place}{self.name} of {self.type}"


class Translation(NamedTuple):
    """The full output of `translate`.

    Attributes
    ----------
    text : str
        The translated source.
    device_calls : tuple of DeviceCall
        The calls whose results each device chooses, in the order of the source, each once; none
        without ``float_functions="device"``.

    Examples
    --------
    >>> from halfcl import cl
    >>> source = "kernel void f(global float *a) { a[0] = fabs(a[0]); }"
    >>> cl.translate(source, full_output=True).device_calls
    ()
    """

    text: str
    device_calls: tuple[DeviceCall, ...] = ()


def note_of(calls: Iterable[DeviceCall]) -> list[str]:
    """Return a comment with the functions that a text leaves to the device."""
    names = dict.fromkeys(f"{call.name} of {call.type}" for call in calls)
    return [f"/* The device's own, with its results: {', '.join(names)}. */"] if names else []
