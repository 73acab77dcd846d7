"""The one platform and device, contexts, queues and events."""

from __future__ import annotations

import enum
import time
from collections.abc import Callable, Iterable, Sequence

import halfcl
from halfcl._opencl import constants
from halfcl.cl._frontend.preprocessing.header import EXTENSIONS
from halfcl.cl.pyopencl._constants import (
    command_execution_status,
    command_queue_properties,
    command_type,
    device_fp_config,
    device_info,
    device_type,
    platform_info,
    profiling_info,
)
from halfcl.cl.pyopencl._errors import LogicError, expect, integer

_ALL_MODES = (
    device_fp_config.DENORM  # type: ignore[attr-defined]
    | device_fp_config.INF_NAN  # type: ignore[attr-defined]
    | device_fp_config.ROUND_TO_NEAREST  # type: ignore[attr-defined]
    | device_fp_config.ROUND_TO_ZERO  # type: ignore[attr-defined]
    | device_fp_config.ROUND_TO_INF  # type: ignore[attr-defined]
    | device_fp_config.FMA  # type: ignore[attr-defined]
)


class _WithInfo:
    """get_info(constant) gives the attribute of the constant's name."""

    _info: type[enum.IntEnum]

    def get_info(self, param: int) -> object:
        try:
            return getattr(self, self._info(param).name.lower())
        except (ValueError, AttributeError):
            raise LogicError(f"{type(self).__name__}.get_info: no {param!r}") from None


class Platform(_WithInfo):
    """halfcl."""

    _info = platform_info
    name = vendor = "halfcl"
    profile = "FULL_PROFILE"
    extensions = " ".join(EXTENSIONS)
    version = f"OpenCL 1.2 halfcl {halfcl.__version__}"

    def get_devices(self, device_type: int = device_type.ALL) -> list[Device]:
        device_type = integer("Platform.get_devices: argument device_type", device_type)
        return [_DEVICE] if device_type & int(_DEVICE.type | 1) else []

    def __repr__(self) -> str:
        return "<halfcl.cl.pyopencl.Platform 'halfcl'>"


class Device(_WithInfo):
    """halfcl on this machine's processor; attributes by pyopencl's names."""

    _info = device_info
    name = "halfcl"
    vendor = "halfcl"
    vendor_id = 0
    type = device_type.CPU
    version = f"OpenCL 1.2 halfcl {halfcl.__version__}"
    driver_version = halfcl.__version__
    opencl_c_version = "OpenCL C 1.2"
    profile = "FULL_PROFILE"
    extensions = " ".join(EXTENSIONS)
    max_compute_units = 1
    max_clock_frequency = 1
    max_work_item_dimensions = 3
    max_work_group_size = 8192
    max_work_item_sizes = (8192, 8192, 8192)
    preferred_vector_width_half = 1
    preferred_vector_width_float = 1
    address_bits = 64
    max_mem_alloc_size = global_mem_size = 1 << 40
    max_constant_buffer_size = 1 << 40
    local_mem_size = 1 << 20
    mem_base_addr_align = 1024  # bits: a long16
    image_support = endian_little = available = compiler_available = True
    half_fp_config = device_fp_config(int(constants.HALF_FP_CONFIG))
    single_fp_config = double_fp_config = _ALL_MODES

    @property
    def platform(self) -> Platform:
        return _PLATFORM

    def __repr__(self) -> str:
        return "<halfcl.cl.pyopencl.Device 'halfcl' on 'halfcl'>"


_PLATFORM, _DEVICE = Platform(), Device()


def get_platforms() -> list[Platform]:
    """The one platform."""
    return [_PLATFORM]


class Context:
    """pyopencl's: of the one device, whatever is asked for."""

    def __init__(
        self,
        devices: Sequence[Device] | None = None,
        properties: object = None,
        dev_type: int | None = None,
    ) -> None:
        if devices is not None:
            expect("Context: argument devices", devices, Iterable)
            for device in devices:
                expect("Context: argument devices", device, Device)
        self.devices = [_DEVICE]
        self.properties = properties

    @property
    def num_devices(self) -> int:
        return len(self.devices)


def check_context(what: str, context: object) -> None:
    """LogicError if it is none."""
    expect(f"{what}: argument context", context, Context)


def create_some_context(
    interactive: bool | None = None, answers: Sequence[str] | None = None
) -> Context:
    """Nothing is asked: there is one device."""
    return Context()


class CommandQueue:
    """Does what is enqueued at once, and in order."""

    def __init__(
        self, context: Context, device: Device | None = None, properties: int | None = None
    ) -> None:
        check_context("CommandQueue", context)
        if device is not None:
            expect("CommandQueue: argument device", device, Device)
        self.context, self.device = context, device or _DEVICE
        number = 0 if properties is None else properties
        self.properties = command_queue_properties(
            integer("CommandQueue: argument properties", number)
        )

    def finish(self) -> None:
        """All is done."""

    def flush(self) -> None:
        """All is done."""

    def __enter__(self) -> CommandQueue:
        return self

    def __exit__(self, *error: object) -> None:
        self.finish()


class _Profile:
    """Times in nanoseconds, of a clock that never goes back."""

    def __init__(self, queued: int, start: int, end: int) -> None:
        self.queued, self.submit, self.start, self.end = queued, queued, start, end


class Event:
    """Of something that is done."""

    command_execution_status = command_execution_status.COMPLETE

    def __init__(self, queue: CommandQueue, kind: command_type, profile: _Profile) -> None:
        self.command_queue, self.context = queue, queue.context
        self.command_type, self.profile = kind, profile

    def wait(self) -> None:
        """It is done."""

    def get_profiling_info(self, param: int) -> int:
        try:
            return int(getattr(self.profile, profiling_info(param).name.lower()))
        except ValueError:
            raise LogicError(f"Event.get_profiling_info: argument param: no {param!r}") from None

    def set_callback(self, type: int, callback: Callable[[int], None]) -> None:
        callback(int(self.command_execution_status))


def wait_for_events(events: Iterable[Event]) -> None:
    """All is done."""
    expect("argument wait_for", events, Iterable)
    for event in events:
        expect("argument wait_for", event, Event)
        event.wait()


def timed(
    queue: CommandQueue,
    kind: command_type,
    wait_for: Iterable[Event] | None,
    work: Callable[[], object],
) -> Event:
    """Do something on a queue."""
    expect("argument queue", queue, CommandQueue)
    queued = time.perf_counter_ns()
    wait_for_events(() if wait_for is None else wait_for)
    start = time.perf_counter_ns()
    work()
    return Event(queue, kind, _Profile(queued, start, time.perf_counter_ns()))
