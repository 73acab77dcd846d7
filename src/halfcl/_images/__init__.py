"""OpenCL's images over NumPy arrays: formats, samplers, and the built-in image functions."""

from halfcl._images.constants import (
    addressing_mode,
    channel_order,
    channel_type,
    filter_mode,
    mem_object_type,
)
from halfcl._images.formats import ImageFormat
from halfcl._images.image import Image
from halfcl._images.mipmapping import mipmaps
from halfcl._images.queries import (
    get_image_array_size,
    get_image_channel_data_type,
    get_image_channel_order,
    get_image_depth,
    get_image_dim,
    get_image_height,
    get_image_width,
)
from halfcl._images.reading import read_imagef, read_imageh, read_imagei, read_imageui
from halfcl._images.resampling import resample
from halfcl._images.sampler import Sampler
from halfcl._images.writing import write_imagef, write_imageh, write_imagei, write_imageui

__all__ = [
    "Image",
    "ImageFormat",
    "Sampler",
    "addressing_mode",
    "channel_order",
    "channel_type",
    "filter_mode",
    "get_image_array_size",
    "get_image_channel_data_type",
    "get_image_channel_order",
    "get_image_depth",
    "get_image_dim",
    "get_image_height",
    "get_image_width",
    "mem_object_type",
    "mipmaps",
    "read_imagef",
    "read_imageh",
    "read_imagei",
    "read_imageui",
    "resample",
    "write_imagef",
    "write_imageh",
    "write_imagei",
    "write_imageui",
]
