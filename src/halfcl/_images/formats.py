"""Image formats: the combinations of channel orders and types that the standard allows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from halfcl import _core
from halfcl._images import constants
from halfcl._images.constants import as_constant, channel_order, channel_type

#: In place of a channel's number: the component is always 0, or 1.
ZERO, ONE = -1, -2

_T = channel_type

_NORMALIZED = frozenset({_T.UNORM_INT8, _T.UNORM_INT16, _T.SNORM_INT8, _T.SNORM_INT16})
_SIGNED = frozenset({_T.SIGNED_INT8, _T.SIGNED_INT16, _T.SIGNED_INT32})
_UNSIGNED = frozenset({_T.UNSIGNED_INT8, _T.UNSIGNED_INT16, _T.UNSIGNED_INT32})
FLOATING = frozenset({_T.HALF_FLOAT, _T.FLOAT})
_PACKED = frozenset({_T.UNORM_SHORT_565, _T.UNORM_SHORT_555, _T.UNORM_INT_101010})
_UNPACKED = _NORMALIZED | _SIGNED | _UNSIGNED | FLOATING
_BYTES = frozenset({_T.UNORM_INT8, _T.SNORM_INT8, _T.SIGNED_INT8, _T.UNSIGNED_INT8})
_UNORM8 = frozenset({_T.UNORM_INT8})


@dataclass(frozen=True)
class Order:
    """A channel order.

    components: of red, green, blue and alpha, the channel's number in memory, ZERO or ONE.
    border_alpha: the border colour is (0, 0, 0, border_alpha).
    """

    components: tuple[int, int, int, int]
    channels: int
    border_alpha: int
    types: frozenset[channel_type]
    srgb: bool = False


_O = channel_order

ORDERS: dict[channel_order, Order] = {
    _O.R: Order((0, ZERO, ZERO, ONE), 1, 1, _UNPACKED),
    _O.A: Order((ZERO, ZERO, ZERO, 0), 1, 0, _UNPACKED),
    _O.RG: Order((0, 1, ZERO, ONE), 2, 1, _UNPACKED),
    _O.RA: Order((0, ZERO, ZERO, 1), 2, 0, _UNPACKED),
    _O.Rx: Order((0, ZERO, ZERO, ONE), 2, 0, _UNPACKED),
    _O.RGx: Order((0, 1, ZERO, ONE), 3, 0, _UNPACKED),
    _O.RGB: Order((0, 1, 2, ONE), 3, 1, _PACKED),
    _O.RGBx: Order((0, 1, 2, ONE), 4, 0, _PACKED),
    _O.RGBA: Order((0, 1, 2, 3), 4, 0, _UNPACKED | {_T.UNORM_INT_101010_2}),
    _O.BGRA: Order((2, 1, 0, 3), 4, 0, _BYTES),
    _O.ARGB: Order((1, 2, 3, 0), 4, 0, _BYTES),
    _O.ABGR: Order((3, 2, 1, 0), 4, 0, _BYTES),
    _O.INTENSITY: Order((0, 0, 0, 0), 1, 0, _NORMALIZED | FLOATING),
    _O.LUMINANCE: Order((0, 0, 0, ONE), 1, 1, _NORMALIZED | FLOATING),
    _O.DEPTH: Order((0, ZERO, ZERO, ZERO), 1, 0, frozenset({_T.UNORM_INT16, _T.FLOAT})),
    _O.sRGB: Order((0, 1, 2, ONE), 3, 1, _UNORM8, srgb=True),
    _O.sRGBx: Order((0, 1, 2, ONE), 4, 0, _UNORM8, srgb=True),
    _O.sRGBA: Order((0, 1, 2, 3), 4, 0, _UNORM8, srgb=True),
    _O.sBGRA: Order((2, 1, 0, 3), 4, 0, _UNORM8, srgb=True),
}

_HALF = np.dtype(_core.half)

#: The dtypes of arrays that may be images of a type; new arrays get the first. A packed type is
#: one number for all channels.
DTYPES: dict[channel_type, tuple[np.dtype[Any], ...]] = {
    _T.SNORM_INT8: (np.dtype(np.int8),),
    _T.SNORM_INT16: (np.dtype(np.int16),),
    _T.UNORM_INT8: (np.dtype(np.uint8),),
    _T.UNORM_INT16: (np.dtype(np.uint16),),
    _T.UNORM_SHORT_565: (np.dtype(np.uint16),),
    _T.UNORM_SHORT_555: (np.dtype(np.uint16),),
    _T.UNORM_INT_101010: (np.dtype(np.uint32),),
    _T.UNORM_INT_101010_2: (np.dtype(np.uint32),),
    _T.SIGNED_INT8: (np.dtype(np.int8),),
    _T.SIGNED_INT16: (np.dtype(np.int16),),
    _T.SIGNED_INT32: (np.dtype(np.int32),),
    _T.UNSIGNED_INT8: (np.dtype(np.uint8),),
    _T.UNSIGNED_INT16: (np.dtype(np.uint16),),
    _T.UNSIGNED_INT32: (np.dtype(np.uint32),),
    _T.HALF_FLOAT: (_HALF, np.dtype(np.float16)),
    _T.FLOAT: (np.dtype(np.float32),),
}

#: The code that stands for 1, by channel, for types that are codes.
_GREATEST: dict[channel_type, tuple[int, ...]] = {
    _T.SNORM_INT8: (127,) * 4,
    _T.SNORM_INT16: (32767,) * 4,
    _T.UNORM_INT8: (255,) * 4,
    _T.UNORM_INT16: (65535,) * 4,
    _T.UNORM_SHORT_565: (31, 63, 31),
    _T.UNORM_SHORT_555: (31, 31, 31),
    _T.UNORM_INT_101010: (1023, 1023, 1023),
    _T.UNORM_INT_101010_2: (1023, 1023, 1023, 3),
}

#: The shift of each channel in a packed word.
_SHIFTS: dict[channel_type, tuple[int, ...]] = {
    _T.UNORM_SHORT_565: (11, 5, 0),
    _T.UNORM_SHORT_555: (10, 5, 0),
    _T.UNORM_INT_101010: (20, 10, 0),
    _T.UNORM_INT_101010_2: (22, 12, 2, 0),
}

_WORDS = _PACKED | {_T.UNORM_INT_101010_2}


def _names(types: frozenset[channel_type]) -> str:
    return ", ".join(sorted(t.name for t in types))


@dataclass(frozen=True)
class ImageFormat:
    """The order and type of an image's channels: ``cl_image_format``.

    Parameters
    ----------
    channel_order : halfcl.channel_order
        The components of the channels, in the order of memory.
    channel_data_type : halfcl.channel_type
        The data type of a channel in memory.

    Attributes
    ----------
    channel_count : int
        The number of channels of an element in memory, including ignored ones.
    dtype : numpy.dtype
        The dtype of this format's arrays: that of a channel, or of an element where the type is
        packed. Half images may also be arrays of float16.
    itemsize : int
        Bytes of an element.

    Raises
    ------
    TypeError
        If an argument is no constant of OpenCL's.
    ValueError
        If it is one of something else, or the standard does not allow the two together.

    Notes
    -----
    Allowed are: R, A, RG, RA, Rx, RGx and RGBA with all types that are not packed, RGBA also with
    UNORM_INT_101010_2; INTENSITY and LUMINANCE with the normalised and the floating types; RGB and
    RGBx with the other packed types; BGRA, ARGB and ABGR with types of 8 bits; DEPTH with
    UNORM_INT16 and FLOAT; sRGB, sRGBx, sRGBA and sBGRA with UNORM_INT8.

    Formats are equal if both constants are.

    Source: the OpenCL API, Image Format Descriptor.

    Examples
    --------
    >>> import halfcl as hc
    >>> pixels = hc.ImageFormat(hc.channel_order.RGBA, hc.channel_type.HALF_FLOAT)
    >>> pixels.channel_count, pixels.dtype, pixels.itemsize
    (4, dtype(half), 8)
    """

    channel_order: constants.channel_order
    channel_data_type: constants.channel_type

    def __post_init__(self) -> None:
        order = as_constant("ImageFormat", "channel_order", channel_order, self.channel_order)
        data_type = as_constant(
            "ImageFormat", "channel_data_type", channel_type, self.channel_data_type
        )
        allowed = ORDERS[order].types
        if data_type not in allowed:
            raise ValueError(
                f"ImageFormat: argument channel_data_type: expected one that {order.name} goes "
                f"with ({_names(allowed)}), got {data_type.name}"
            )
        object.__setattr__(self, "channel_order", order)
        object.__setattr__(self, "channel_data_type", data_type)

    @property
    def channel_count(self) -> int:
        return ORDERS[self.channel_order].channels

    @property
    def dtype(self) -> np.dtype[Any]:
        return DTYPES[self.channel_data_type][0]

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize * (self.channels_on_an_axis or 1)

    @property
    def channels_on_an_axis(self) -> int:
        """The length of an array's last axis; 0 if an element is one number and has no axis."""
        count = self.channel_count
        return 0 if count == 1 or self.channel_data_type in _WORDS else count

    @property
    def is_depth(self) -> bool:
        return self.channel_order is channel_order.DEPTH

    @property
    def numbers(self) -> str:
        """The suffix of the format's functions: "i" or "ui" for integers, else "f" (and "h")."""
        if self.channel_data_type in _SIGNED:
            return "i"
        return "ui" if self.channel_data_type in _UNSIGNED else "f"

    def __repr__(self) -> str:
        return f"ImageFormat({self.channel_order!r}, {self.channel_data_type!r})"

    def __str__(self) -> str:
        return f"{self.channel_order.name}, {self.channel_data_type.name}"


def _by_component(format_: ImageFormat, per_channel: tuple[int, ...]) -> tuple[int, ...]:
    """Reorder numbers per channel to red, green, blue and alpha; 0 for missing channels."""
    components = ORDERS[format_.channel_order].components
    return tuple(per_channel[channel] if channel >= 0 else 0 for channel in components)


def components_to_show(format_: ImageFormat) -> list[int]:
    """Return the components that a picture shows: one as grey, also beside alpha, else colours.

    Integers in alpha are no opacity.
    """
    channels = ORDERS[format_.channel_order].components
    present = [k for k, channel in enumerate(channels) if channel >= 0]
    if len({channels[k] for k in present}) == 1:  # INTENSITY's are all the same
        return present[:1]
    colours = [0, 1, 2] if 1 in present else [0]
    return [*colours, 3] if 3 in present and format_.numbers == "f" else colours


def scale_to_show(format_: ImageFormat) -> Literal["light", "screen", "integers"]:
    """Return how a picture shows numbers: as linear light, as they are, or from least to most."""
    if format_.numbers != "f":
        return "integers"
    is_light = ORDERS[format_.channel_order].srgb or format_.channel_data_type in FLOATING
    return "light" if is_light else "screen"


def greatest_codes(format_: ImageFormat) -> tuple[int, ...]:
    """Return the codes that stand for 1 in red, green, blue and alpha; 0 for missing channels."""
    return _by_component(format_, _GREATEST.get(format_.channel_data_type, (0,) * 4))


def packing_shifts(format_: ImageFormat) -> tuple[int, ...] | None:
    """Return the shifts of red, green, blue and alpha in a packed word; None if not packed."""
    shifts = _SHIFTS.get(format_.channel_data_type)
    return None if shifts is None else _by_component(format_, shifts)


def code_divisors(format_: ImageFormat) -> tuple[int, ...]:
    """Return the divisors of the four components' codes; 1 where a component is no quotient.

    Colours in sRGB, for example, are no quotients of their codes.
    """
    is_srgb = ORDERS[format_.channel_order].srgb
    return tuple(
        1 if code == 0 or (is_srgb and k < 3) else code
        for k, code in enumerate(greatest_codes(format_))
    )
