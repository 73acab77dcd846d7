"""Images over NumPy arrays, and how their memory is laid out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfcl import _core
from halfcl._images.constants import as_constant, mem_object_type
from halfcl._images.formats import (
    DTYPES,
    FLOATING,
    ORDERS,
    ImageFormat,
    components_to_show,
    scale_to_show,
)
from halfcl._support.arguments.masks import check_unmasked

Array = NDArray[Any]


class Kind(NamedTuple):
    """A shape of image: the number of filtered coordinates, and whether a layer follows them."""

    dims: int
    layered: bool

    @property
    def axes(self) -> int:
        return self.dims + self.layered


_M = mem_object_type

KINDS: dict[mem_object_type, Kind] = {
    _M.IMAGE1D: Kind(1, False),
    _M.IMAGE1D_BUFFER: Kind(1, False),
    _M.IMAGE1D_ARRAY: Kind(1, True),
    _M.IMAGE2D: Kind(2, False),
    _M.IMAGE2D_ARRAY: Kind(2, True),
    _M.IMAGE3D: Kind(3, False),
}

#: The default image type, by the number of axes without that of channels.
_INFERRED = {1: _M.IMAGE1D, 2: _M.IMAGE2D, 3: _M.IMAGE3D}

#: The dtypes that texels are read as, by the suffix of the format's functions.
_DTYPES_READ: dict[str, type] = {"f": np.float32, "i": np.int32, "ui": np.uint32}

#: The engine's limits. Coordinates beyond int32 are outside of every image.
MOST_TEXELS, _MOST_LAYERS = 2**29 - 1, 2**31 - 1


def _format(function: str, format: object) -> ImageFormat:
    if not isinstance(format, ImageFormat):
        raise TypeError(
            f"{function}: argument format: expected a halfcl.ImageFormat, got {format!r}"
        )
    return format


def _resolve_type(function: str, image_type: object, axes: int) -> mem_object_type:
    """Return the image's type: the argument, or inferred from the number of axes."""
    if image_type is not None:
        return as_constant(function, "image_type", mem_object_type, image_type)
    return _INFERRED.get(axes, _M.IMAGE3D)  # _check_shape refuses other numbers of axes


def _check_kind(format: ImageFormat, image_type: mem_object_type) -> None:
    if format.is_depth and image_type not in (_M.IMAGE2D, _M.IMAGE2D_ARRAY):
        raise ValueError(
            "Image: argument image_type: expected IMAGE2D or IMAGE2D_ARRAY, as DEPTH images are, "
            f"got {image_type.name}"
        )


def _is_size(n: object) -> bool:
    return isinstance(n, int | np.integer) and not isinstance(n, bool) and int(n) > 0


def _check_dtype(array: Array, format: ImageFormat) -> None:
    if array.dtype in DTYPES[format.channel_data_type]:
        return
    expected = format.dtype
    if not array.dtype.isnative:
        expected = f"{expected} in native byte order"  # type: ignore[assignment]
    raise TypeError(
        f"Image: argument array: expected {expected}, as {format.channel_data_type.name} is, "
        f"got {array.dtype}"
    )


def _expected_shape(format: ImageFormat, image_type: mem_object_type) -> str:
    names = {
        _M.IMAGE1D_ARRAY: "layers, width",
        _M.IMAGE2D: "height, width",
        _M.IMAGE2D_ARRAY: "layers, height, width",
        _M.IMAGE3D: "depth, height, width",
    }.get(image_type, "width")
    channels = format.channels_on_an_axis
    return f"({names}{f', {channels}' if channels else ',' * (names == 'width')})"


def _check_shape(array: Array, format: ImageFormat, image_type: mem_object_type) -> None:
    channels = format.channels_on_an_axis
    axes = KINDS[image_type].axes + (channels > 0)
    if array.ndim != axes or (channels and array.shape[-1] != channels):
        raise ValueError(
            f"Image: argument array: expected shape {_expected_shape(format, image_type)} of an "
            f"{image_type.name} of {format}, got {array.shape}"
        )
    kind = KINDS[image_type]
    most = (*(_MOST_LAYERS,) * kind.layered, *(MOST_TEXELS,) * kind.dims)
    if not all(0 < n <= m for n, m in zip(array.shape, most, strict=False)):
        layers = f", of layers to {_MOST_LAYERS}" if kind.layered else ""
        raise ValueError(
            f"Image: argument array: expected sizes from 1 to {MOST_TEXELS}{layers}, "
            f"got {array.shape}"
        )
    if channels and array.strides[-1] != array.itemsize:
        raise ValueError(
            "Image: argument array: expected each element's channels next to each other, got "
            f"strides {array.strides}; use numpy.ascontiguousarray"
        )


def _by_axis(numbers: tuple[int, ...], kind: Kind, missing: int) -> tuple[int, int, int, int]:
    """Order a shape or strides as x, y, z and layers; missing layers are 0."""
    axes = numbers[: kind.axes][::-1]
    x, y, z = (*axes[: kind.dims], missing, missing)[:3]
    return x, y, z, axes[kind.dims] if kind.layered else 0


class Image:
    """An image over an array's memory, read and written as OpenCL does it.

    Parameters
    ----------
    array : array of the format's dtype
        The texels, not copied. Its axes are (height, width) of a 2D image, (width,) of a 1D image
        or buffer, (depth, height, width) of a 3D image, (layers, width) and (layers, height,
        width) of image arrays; and if the format has several channels, and is not packed, one
        more, the last, for these. Only that axis has to be contiguous: row and slice pitch are
        the array's strides, which may also be negative.
    format : ImageFormat
    image_type : halfcl.mem_object_type, optional
        The kind of image. By default a 1D, 2D or 3D image, by the number of axes.

    Attributes
    ----------
    array, format, image_type
        The constructor's arguments; an array of a subclass becomes a plain array.
    width, height, depth, array_size : int
        Sizes in texels; 0 for axes that the image lacks.
    element_size, row_pitch, slice_pitch : int
        Sizes in bytes; pitches are 0 where the image has no rows or slices.

    Raises
    ------
    TypeError
        If ``array`` is no array, masked, of another dtype or of swapped bytes; or ``format`` or
        ``image_type`` none.
    ValueError
        If the array's shape or strides do not fit, a size is 0 or beyond 2^29 - 1 (of layers
        2^31 - 1), or a DEPTH image is not 2D.

    Notes
    -----
    Source: the OpenCL API, Image Objects.

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> pixels = np.zeros((480, 640, 4), np.uint8)
    >>> image = hc.Image(pixels, hc.ImageFormat(hc.channel_order.RGBA, hc.channel_type.UNORM_INT8))
    >>> image, image.width, image.row_pitch
    (Image(IMAGE2D of RGBA, UNORM_INT8, 640 x 480), 640, 2560)
    >>> hc.write_imageh(image, (5, 3), hc.half4(1, 0.5, 0, 1))
    0
    >>> pixels[3, 5]
    array([255, 128,   0, 255], dtype=uint8)
    """

    __slots__ = ("_array", "_format", "_image_type", "_layout", "_sizes", "_steps")

    def __init__(self, array: Array, format: ImageFormat, image_type: object = None) -> None:
        if not isinstance(array, np.ndarray):
            raise TypeError(
                f"Image: argument array: expected a NumPy array, got {type(array).__name__}"
            )
        check_unmasked(array, "Image: argument array")
        _format("Image", format)
        axes = array.ndim - (format.channels_on_an_axis > 0)
        kind = _resolve_type("Image", image_type, axes)
        _check_kind(format, kind)
        plain = np.asarray(array)
        _check_dtype(plain, format)
        _check_shape(plain, format, kind)
        self._array, self._format, self._image_type = plain, format, kind
        self._lay_out()

    @classmethod
    def empty(cls, shape: object, format: ImageFormat, image_type: object = None) -> Image:
        """Return a new image with uninitialised texels.

        Parameters
        ----------
        shape : int or tuple of int
            The array's shape without channels: (height, width) for a 2D image.
        format : ImageFormat
        image_type : halfcl.mem_object_type, optional
            See `Image`.

        Returns
        -------
        Image

        Raises
        ------
        TypeError, ValueError
            See `Image`.

        Notes
        -----
        Source: the OpenCL API, Creating Image Objects.

        Examples
        --------
        >>> import halfcl as hc
        >>> depth = hc.ImageFormat(hc.channel_order.DEPTH, hc.channel_type.FLOAT)
        >>> hc.Image.empty((2, 3), depth).array.shape
        (2, 3)
        """
        channels = _format("Image.empty", format).channels_on_an_axis
        sizes = tuple(shape) if np.iterable(shape) else (shape,)
        if not all(_is_size(n) for n in sizes):
            raise ValueError(
                f"Image.empty: argument shape: expected positive integers, got {shape!r}"
            )
        try:
            array = np.empty((*sizes, channels) if channels else sizes, format.dtype)
        except ValueError:  # more bytes than there are addresses
            raise ValueError(
                f"Image.empty: argument shape: expected sizes that an array can have, got {shape!r}"
            ) from None
        return cls(array, format, image_type)

    def _lay_out(self) -> None:
        order, data_type = ORDERS[self._format.channel_order], self._format.channel_data_type
        self._sizes = _by_axis(self._array.shape, self.kind, 1)
        self._steps = _by_axis(self._array.strides, self.kind, 0)
        width, height, depth, layers = self._sizes
        channels = self._format.channels_on_an_axis or max(order.components) + 1
        self._layout = _core.ImageLayout(
            self._array, (width, height, depth), self._steps, self.kind.dims, layers,
            int(data_type), channels, order.components, order.border_alpha, order.srgb,
        )  # fmt: skip

    @property
    def array(self) -> Array:
        return self._array

    @property
    def format(self) -> ImageFormat:
        return self._format

    @property
    def image_type(self) -> mem_object_type:
        return self._image_type

    @property
    def kind(self) -> Kind:
        """The number of filtered coordinates, and whether there are layers."""
        return KINDS[self._image_type]

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """The sizes along x, y and z (1 for missing axes), and the number of layers (or 0)."""
        return self._sizes

    @property
    def steps(self) -> tuple[int, int, int, int]:
        """The bytes from one element to the next along x, y, z and layers."""
        return self._steps

    @property
    def layout(self) -> _core.ImageLayout:
        """The layout in memory that `_core.read_image` and `_core.write_image` expect."""
        return self._layout

    @property
    def width(self) -> int:
        return self._sizes[0]

    @property
    def height(self) -> int:
        return self._sizes[1] if self.kind.dims > 1 else 0

    @property
    def depth(self) -> int:
        return self._sizes[2] if self.kind.dims > 2 else 0

    @property
    def array_size(self) -> int:
        return self._sizes[3]

    @property
    def element_size(self) -> int:
        return self._format.itemsize

    @property
    def row_pitch(self) -> int:
        return self._steps[1]

    @property
    def slice_pitch(self) -> int:
        return self._steps[3] if self.kind.layered else self._steps[2]

    def __reduce__(self) -> tuple[type[Image], tuple[object, ...]]:
        return type(self), (self._array, self._format, self._image_type)

    @property
    def _planes(self) -> tuple[int, int, int]:
        """The sizes as pictures: width, height (1D layers are rows), and their number."""
        width, height, depth, layers = self._sizes
        if self.kind.axes == 3:
            return width, height, max(depth, layers)
        return width, max(height, layers), 1

    def _read_plane(self, plane: int, step: int) -> Array:
        """Return the texels of a slice or layer to show, in the channels to show."""
        width, height, _ = self._planes
        x, y = np.arange(0, width, step), np.arange(0, height, step)
        coordinates = np.full((len(y), len(x), 3), plane, np.int32)
        coordinates[..., 0], coordinates[..., 1] = x, y[:, np.newaxis]
        texels: Array = np.empty((coordinates.size // 3, 4), _DTYPES_READ[self._format.numbers])
        rows = np.ascontiguousarray(coordinates[..., : self.kind.axes])
        with np.errstate(all="ignore"):
            _core.read_image(self._layout, None, rows.reshape(len(texels), -1), texels, "rte")
        return texels.reshape(len(y), len(x), 4)[..., components_to_show(self._format)]

    def _repr_html_(self) -> str | None:
        from halfcl._support.pages import pictures

        width, height, count = self._planes
        step = pictures.step_for(width, height, count)
        names = [f"slice {k}" for k in range(min(count, pictures.MOST_SLICES))]
        notes = [f"slices 0 to {len(names) - 1} of {count}"] if len(names) < count else []
        if self._image_type is _M.IMAGE1D_ARRAY:
            notes.append("each row is a layer")
        if self._format.channel_data_type in FLOATING:
            notes.append("numbers are taken as linear light")
        try:
            planes = [self._read_plane(k, step) for k in range(len(names))]
        except ValueError:  # the array was resized; the notebook shows the text
            return None
        captions = names if count > 1 else [""]
        slices = dict(zip(captions, planes, strict=True))
        return pictures.draw(repr(self), slices, scale_to_show(self._format), step, notes)

    def __repr__(self) -> str:
        sizes = [self.width, self.height, self.depth][: self.kind.dims]
        layers = f", {self.array_size} layers" if self.kind.layered else ""
        text = " x ".join(map(str, sizes))
        return f"Image({self._image_type.name} of {self._format}, {text}{layers})"


def as_image(function: str, image: object) -> Image:
    """Check the argument image of a function."""
    if not isinstance(image, Image):
        raise TypeError(
            f"{function}: argument image: expected a halfcl.Image, got {type(image).__name__}; "
            "halfcl.Image(array, halfcl.ImageFormat(order, type)) makes one of an array"
        )
    return image
