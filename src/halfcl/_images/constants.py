"""OpenCL's constants of images and samplers, in classes named like pyopencl's."""

from __future__ import annotations

import enum
from typing import TypeVar

import numpy as np


class _Named(enum.EnumMeta):
    """A class of constants; a name that it lacks is an error that lists its names."""

    def __getattr__(cls, name: str) -> object:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in cls._member_map_:  # Python 3.11 looks for members here
            return cls._member_map_[name]
        names = ", ".join(cls._member_map_)
        raise AttributeError(f"halfcl.{cls.__name__}: expected one of {names}, got {name!r}")


class _Constants(enum.IntEnum, metaclass=_Named):
    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    __str__ = __repr__


class channel_order(_Constants):
    """The components of an image's channels, in the order of memory: ``cl_channel_order``.

    A channel ``x`` exists in memory and is ignored; names with an ``s`` are encoded in sRGB.
    """

    R = 0x10B0
    A = 0x10B1
    RG = 0x10B2
    RA = 0x10B3
    RGB = 0x10B4
    RGBA = 0x10B5
    BGRA = 0x10B6
    ARGB = 0x10B7
    INTENSITY = 0x10B8
    LUMINANCE = 0x10B9
    Rx = 0x10BA
    RGx = 0x10BB
    RGBx = 0x10BC
    DEPTH = 0x10BD
    sRGB = 0x10BF
    sRGBx = 0x10C0
    sRGBA = 0x10C1
    sBGRA = 0x10C2
    ABGR = 0x10C3


class channel_type(_Constants):
    """The data type of an image's channels in memory: ``cl_channel_type``."""

    SNORM_INT8 = 0x10D0
    SNORM_INT16 = 0x10D1
    UNORM_INT8 = 0x10D2
    UNORM_INT16 = 0x10D3
    UNORM_SHORT_565 = 0x10D4
    UNORM_SHORT_555 = 0x10D5
    UNORM_INT_101010 = 0x10D6
    SIGNED_INT8 = 0x10D7
    SIGNED_INT16 = 0x10D8
    SIGNED_INT32 = 0x10D9
    UNSIGNED_INT8 = 0x10DA
    UNSIGNED_INT16 = 0x10DB
    UNSIGNED_INT32 = 0x10DC
    HALF_FLOAT = 0x10DD
    FLOAT = 0x10DE
    UNORM_INT_101010_2 = 0x10E0


class mem_object_type(_Constants):
    """The shapes of images: those ``cl_mem_object_type`` that name images."""

    IMAGE2D = 0x10F1
    IMAGE3D = 0x10F2
    IMAGE2D_ARRAY = 0x10F3
    IMAGE1D = 0x10F4
    IMAGE1D_ARRAY = 0x10F5
    IMAGE1D_BUFFER = 0x10F6


class addressing_mode(_Constants):
    """The rule for coordinates outside of an image: ``cl_addressing_mode``."""

    NONE = 0x1130
    CLAMP_TO_EDGE = 0x1131
    CLAMP = 0x1132
    REPEAT = 0x1133
    MIRRORED_REPEAT = 0x1134


class filter_mode(_Constants):
    """Nearest texel, or weighted mean of the texels around: ``cl_filter_mode``."""

    NEAREST = 0x1140
    LINEAR = 0x1141


_C = TypeVar("_C", bound=_Constants)


def as_constant(function: str, argument: str, kind: type[_C], value: object) -> _C:
    """Convert an argument, a constant or its number, to the constant."""
    expected = f"one of halfcl.{kind.__name__}: {', '.join(kind.__members__)}"
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{function}: argument {argument}: expected {expected}, got {value!r}")
    try:
        return kind(int(value))
    except ValueError:
        raise ValueError(
            f"{function}: argument {argument}: expected {expected}, got {value!r}"
        ) from None
