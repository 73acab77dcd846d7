"""Checks of a call's image, coordinates and sampler, and their conversion for the engine."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfcl._images.constants import mem_object_type
from halfcl._images.image import Image, as_image
from halfcl._images.sampler import Sampler
from halfcl._opencl.conversion import conversion_to
from halfcl._support.arguments.masks import check_unmasked
from halfcl.vectors._registry import as_plain, width_of

Array = NDArray[Any]

_INT, _FLOAT = np.dtype(np.int32), np.dtype(np.float32)
_LIMITS = np.iinfo(np.int32)


class Coordinates(NamedTuple):
    """Contiguous rows of int32 or float32 coordinates, with the shape that results have."""

    rows: Array
    shape: tuple[int, ...]

    @property
    def are_integers(self) -> bool:
        return self.rows.dtype == _INT


def as_array(function: str, argument: str, x: object) -> tuple[Array, bool]:
    """Return x as a plain array, and whether NumPy chose the dtype instead of the caller."""
    check_unmasked(x, f"{function}: argument {argument}")
    if isinstance(x, np.ndarray):
        return as_plain(x), False
    try:
        return np.asarray(x), not isinstance(x, np.generic)
    except ValueError:
        raise ValueError(
            f"{function}: argument {argument}: expected numbers in an array, got {x!r}"
        ) from None


def as_contiguous(array: Array) -> Array:
    """Return the array if it is contiguous and aligned, else a copy that is."""
    flags = array.flags
    whole = flags.c_contiguous and flags.aligned
    return array if whole else np.require(array, requirements=("C", "A"))


def _integers(array: Array) -> Array:
    """Convert integers to int32; clamp what exceeds it, which is outside of every image anyway."""
    if array.dtype.itemsize < 4 or array.dtype == _INT:
        return array.astype(_INT, copy=False)
    least, greatest = int(array.min(initial=0)), int(array.max(initial=0))
    if least < _LIMITS.min or greatest > _LIMITS.max:
        array = np.clip(array, max(least, _LIMITS.min), min(greatest, _LIMITS.max))
    return array.astype(_INT)


def _far_integers(coord: object) -> Array | None:
    """Clamp integers beyond 64 bits to int32; return None if anything else is among them.

    NumPy makes floats or objects of such integers.
    """
    objects = np.asarray(coord, object)
    if not all(isinstance(n, int | np.integer) and not isinstance(n, bool) for n in objects.flat):
        return None
    ends = [max(_LIMITS.min, min(int(n), _LIMITS.max)) for n in objects.flat]
    return np.array(ends, _INT).reshape(objects.shape)


def _numbers(function: str, coord: object) -> Array:
    """Convert the argument coord to int32 or float32."""
    array, untyped = as_array(function, "coord", coord)
    if array.dtype == _FLOAT:
        return array
    if array.dtype.kind in "iu":
        return _integers(array)
    is_float = array.dtype.kind == "f"
    if untyped and (not is_float or (np.abs(array) >= 2.0**63).any()):
        integers = _far_integers(coord)
        if integers is not None:
            return integers
    if is_float and (untyped or np.can_cast(array.dtype, _FLOAT, "safe")):
        with np.errstate(all="ignore"):  # addressing raises no flags
            return np.asarray(conversion_to("float")(array, rounding="rte"))
    raise TypeError(
        f"{function}: argument coord: expected integers, or float32 or what is exact in it, "
        f"got {array.dtype}; use x.astype(numpy.float32)"
    )


def as_coordinates(function: str, image: Image, coord: object) -> Coordinates:
    """Check the argument coord: numbers for images of one coordinate, else a last axis of them."""
    count = image.kind.axes
    array = _numbers(function, coord)
    if count == 1:
        if width_of(coord):
            raise TypeError(
                f"{function}: argument coord: expected scalars, as an {image.image_type.name} has, "
                f"got {type(coord).__name__}"
            )
        return Coordinates(as_contiguous(array).reshape(-1, 1), array.shape)
    widths = (2,) if count == 2 else (4, 3)
    if array.ndim == 0 or array.shape[-1] not in widths:
        raise ValueError(
            f"{function}: argument coord: expected a last axis of length "
            f"{' or '.join(map(str, widths))}, as an {image.image_type.name} has, "
            f"got shape {array.shape}"
        )
    rows = as_contiguous(array).reshape(-1, array.shape[-1])
    return Coordinates(rows, array.shape[:-1])


def check_format(function: str, image: Image) -> None:
    """Raise TypeError if the function does not serve the channels of the image's format."""
    suffix, numbers = function.partition("_image")[2], image.format.numbers
    if suffix == numbers or (suffix == "h" and numbers == "f" and not image.format.is_depth):
        return
    expected = {
        "h": "a format of normalised or floating channels, and not DEPTH",
        "f": "a format of normalised or floating channels",
        "i": "a format of signed integers",
        "ui": "a format of unsigned integers",
    }[suffix]
    raise TypeError(
        f"{function}: argument image: expected {expected}, got {image.format}; use "
        f"{function.partition('_')[0]}_image{numbers}"
    )


def as_picture(function: str, image: object) -> Image:
    """Check the argument image: a 2D image of colours."""
    picture = as_image(function, image)
    if picture.image_type is not mem_object_type.IMAGE2D:
        raise TypeError(
            f"{function}: argument image: expected a 2D image, got an {picture.image_type.name}"
        )
    if picture.format.is_depth or picture.format.numbers != "f":
        raise TypeError(
            f"{function}: argument image: expected a format of normalised or floating channels, "
            f"and not DEPTH, got {picture.format}"
        )
    return picture


def as_sampler(
    function: str, image: Image, sampler: object, coordinates: Coordinates
) -> Sampler | None:
    """Check the argument sampler; raise an error where the standard leaves the call undefined."""
    if sampler is None:
        if not coordinates.are_integers:
            raise TypeError(
                f"{function}: argument coord: expected integers where there is no sampler, "
                "got floats"
            )
        return None
    if not isinstance(sampler, Sampler):
        raise TypeError(f"{function}: argument sampler: expected a halfcl.Sampler, got {sampler!r}")
    if image.image_type is mem_object_type.IMAGE1D_BUFFER:
        raise TypeError(
            f"{function}: argument sampler: expected none, as 1D image buffers are read without, "
            f"got {sampler}"
        )
    if sampler.is_linear and not function.endswith(("h", "f")):
        raise ValueError(
            f"{function}: argument sampler: expected filter mode NEAREST, as integers are read, "
            "got LINEAR"
        )
    if coordinates.are_integers and (sampler.is_linear or sampler.normalized_coords):
        raise ValueError(
            f"{function}: argument sampler: expected filter mode NEAREST and coordinates not "
            f"normalised, where they are integers, got {sampler}"
        )
    return sampler
