"""The built-in image query functions, such as get_image_width."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from halfcl._images.constants import channel_order, channel_type
from halfcl._images.image import Image, as_image
from halfcl.vectors._registry import vector_type

if TYPE_CHECKING:
    from halfcl.vectors._vector import Vector

_F = TypeVar("_F", bound=Callable[..., Any])

_DOC = """{summary}

Parameters
----------
image : Image
    {which}

Returns
-------
{returns}

Raises
------
TypeError
    If ``image`` is not an image, or of a shape for which OpenCL C lacks the function.

Notes
-----
Source: OpenCL C, Built-in Image Query Functions.

Examples
--------
>>> import halfcl as hc
>>> half = hc.ImageFormat(hc.channel_order.RG, hc.channel_type.HALF_FLOAT)
>>> {example}
"""

_2D = "image = hc.Image.empty((480, 640), half)"
_3D = "image = hc.Image.empty((16, 480, 640), half)"
_LAYERS = "image = hc.Image.empty((16, 480, 640), half, hc.mem_object_type.IMAGE2D_ARRAY)"


def _example(image: str, call: str, result: str) -> str:
    return f"{image}\n>>> {call}\n{result}"


def _set_docstring(summary: str, which: str, returns: str, example: str) -> Callable[[_F], _F]:
    """Return a decorator that sets the function's docstring."""

    def decorate(function: _F) -> _F:
        function.__doc__ = _DOC.format(
            summary=summary, which=which, returns=returns, example=example
        )
        return function

    return decorate


def _refuse(function: str, expected: str, image: Image) -> TypeError:
    return TypeError(
        f"{function}: argument image: expected {expected}, got an {image.image_type.name}"
    )


@_set_docstring("The width of an image.", "Of any shape.", "int",
             _example(_2D, "hc.get_image_width(image)", "640"))  # fmt: skip
def get_image_width(image: Image, /) -> int:
    return as_image("get_image_width", image).width


@_set_docstring("The height of an image.", "2D, 3D or a 2D image array.", "int",
             _example(_2D, "hc.get_image_height(image)", "480"))  # fmt: skip
def get_image_height(image: Image, /) -> int:
    if as_image("get_image_height", image).kind.dims == 1:
        raise _refuse("get_image_height", "a 2D or 3D image or 2D image array", image)
    return image.height


@_set_docstring("The depth of a 3D image.", "3D.", "int",
             _example(_3D, "hc.get_image_depth(image)", "16"))  # fmt: skip
def get_image_depth(image: Image, /) -> int:
    if as_image("get_image_depth", image).kind.dims != 3:
        raise _refuse("get_image_depth", "a 3D image", image)
    return image.depth


@_set_docstring("Width, height and depth of an image.", "2D, 3D or a 2D image array.",
             "int2 of width and height; of 3D images int4 of width, height, depth and 0",
             _example(_2D, "hc.get_image_dim(image)", "int2([640, 480])"))  # fmt: skip
def get_image_dim(image: Image, /) -> Vector:
    dims = as_image("get_image_dim", image).kind.dims
    if dims == 1:
        raise _refuse("get_image_dim", "a 2D or 3D image or 2D image array", image)
    sizes = (
        [image.width, image.height] if dims == 2 else [image.width, image.height, image.depth, 0]
    )
    vectors: type[Vector] = vector_type(np.int32, len(sizes))
    return np.array(sizes, np.int32).view(vectors)


@_set_docstring("The number of layers of an image array.", "A 1D or 2D image array.", "int",
             _example(_LAYERS, "hc.get_image_array_size(image)", "16"))  # fmt: skip
def get_image_array_size(image: Image, /) -> int:
    if not as_image("get_image_array_size", image).kind.layered:
        raise _refuse("get_image_array_size", "an image array", image)
    return image.array_size


@_set_docstring("The channel data type of an image.", "Of any shape.", "halfcl.channel_type",
             _example(_2D, "hc.get_image_channel_data_type(image)",
                      "channel_type.HALF_FLOAT"))  # fmt: skip
def get_image_channel_data_type(image: Image, /) -> channel_type:
    return as_image("get_image_channel_data_type", image).format.channel_data_type


@_set_docstring("The channel order of an image.", "Of any shape.", "halfcl.channel_order",
             _example(_2D, "hc.get_image_channel_order(image)", "channel_order.RG"))  # fmt: skip
def get_image_channel_order(image: Image, /) -> channel_order:
    return as_image("get_image_channel_order", image).format.channel_order
