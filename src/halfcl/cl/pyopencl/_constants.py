"""OpenCL's constants, by pyopencl's names."""

from __future__ import annotations

import enum
from typing import Any

from halfcl._opencl.constants import FPConfig

#: The flags of floating-point types, without their prefix, as pyopencl has them.
device_fp_config = enum.IntFlag(  # type: ignore[misc]
    "device_fp_config",
    {name.removeprefix("CL_FP_"): int(flag) for name, flag in FPConfig.__members__.items()},
)


class _Named:
    """pyopencl's way to a constant's name."""

    @classmethod
    def to_string(cls, value: int, default_format: str | None = None) -> str:
        """The name of a constant, or of flags; of others the format with them, or a ValueError."""
        try:
            found: Any = cls(value)  # type: ignore[call-arg]
        except ValueError:
            found = None
        name = getattr(found, "name", None)
        if name is not None:
            return str(name).replace("|", " | ")
        if default_format is None:
            raise ValueError(f"{cls.__name__}: no {value!r}")
        return default_format % value


class device_type(_Named, enum.IntFlag):
    DEFAULT = 1
    CPU = 2
    GPU = 4
    ACCELERATOR = 8
    CUSTOM = 16
    ALL = 0xFFFFFFFF


class mem_flags(_Named, enum.IntFlag):
    READ_WRITE = 1
    WRITE_ONLY = 2
    READ_ONLY = 4
    USE_HOST_PTR = 8
    ALLOC_HOST_PTR = 16
    COPY_HOST_PTR = 32
    HOST_WRITE_ONLY = 128
    HOST_READ_ONLY = 256
    HOST_NO_ACCESS = 512


class map_flags(_Named, enum.IntFlag):
    READ = 1
    WRITE = 2
    WRITE_INVALIDATE_REGION = 4


class command_queue_properties(_Named, enum.IntFlag):
    OUT_OF_ORDER_EXEC_MODE_ENABLE = 1
    PROFILING_ENABLE = 2


class command_execution_status(_Named, enum.IntEnum):
    COMPLETE = 0
    RUNNING = 1
    SUBMITTED = 2
    QUEUED = 3


class command_type(_Named, enum.IntEnum):
    NDRANGE_KERNEL = 0x11F0
    READ_BUFFER = 0x11F3
    WRITE_BUFFER = 0x11F4
    COPY_BUFFER = 0x11F5
    READ_IMAGE = 0x11F6
    WRITE_IMAGE = 0x11F7
    COPY_IMAGE = 0x11F8
    MAP_BUFFER = 0x11FB
    MAP_IMAGE = 0x11FC
    UNMAP_MEM_OBJECT = 0x11FD
    MARKER = 0x11FE
    BARRIER = 0x1205
    FILL_BUFFER = 0x1207


class context_properties(_Named, enum.IntEnum):
    PLATFORM = 0x1084


class platform_info(_Named, enum.IntEnum):
    PROFILE = 0x0900
    VERSION = 0x0901
    NAME = 0x0902
    VENDOR = 0x0903
    EXTENSIONS = 0x0904


class device_info(_Named, enum.IntEnum):
    TYPE = 0x1000
    VENDOR_ID = 0x1001
    MAX_COMPUTE_UNITS = 0x1002
    MAX_WORK_ITEM_DIMENSIONS = 0x1003
    MAX_WORK_GROUP_SIZE = 0x1004
    MAX_WORK_ITEM_SIZES = 0x1005
    PREFERRED_VECTOR_WIDTH_FLOAT = 0x100A
    MAX_CLOCK_FREQUENCY = 0x100C
    ADDRESS_BITS = 0x100D
    MAX_MEM_ALLOC_SIZE = 0x1010
    IMAGE_SUPPORT = 0x1016
    MEM_BASE_ADDR_ALIGN = 0x1019
    SINGLE_FP_CONFIG = 0x101B
    GLOBAL_MEM_SIZE = 0x101F
    MAX_CONSTANT_BUFFER_SIZE = 0x1020
    LOCAL_MEM_SIZE = 0x1023
    ENDIAN_LITTLE = 0x1026
    AVAILABLE = 0x1027
    COMPILER_AVAILABLE = 0x1028
    NAME = 0x102B
    VENDOR = 0x102C
    DRIVER_VERSION = 0x102D
    PROFILE = 0x102E
    VERSION = 0x102F
    EXTENSIONS = 0x1030
    PLATFORM = 0x1031
    DOUBLE_FP_CONFIG = 0x1032
    HALF_FP_CONFIG = 0x1033
    PREFERRED_VECTOR_WIDTH_HALF = 0x1034
    OPENCL_C_VERSION = 0x103D


class program_build_info(_Named, enum.IntEnum):
    STATUS = 0x1181
    OPTIONS = 0x1182
    LOG = 0x1183


class kernel_work_group_info(_Named, enum.IntEnum):
    WORK_GROUP_SIZE = 0x11B0
    COMPILE_WORK_GROUP_SIZE = 0x11B1
    LOCAL_MEM_SIZE = 0x11B2
    PREFERRED_WORK_GROUP_SIZE_MULTIPLE = 0x11B3
    PRIVATE_MEM_SIZE = 0x11B4


class profiling_info(_Named, enum.IntEnum):
    QUEUED = 0x1280
    SUBMIT = 0x1281
    START = 0x1282
    END = 0x1283
