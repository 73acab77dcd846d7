"""Interfaces for images and samplers on a device, which each library implements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

import halfcl as hc
from halfcl._images.arguments import Coordinates, as_sampler, check_format
from halfcl.cl._frontend import tree
from halfcl.cl._frontend.errors import LaunchError
from halfcl.cl._frontend.literals.samplers import sampler_bits, sampler_of
from halfcl.cl._frontend.types import Vector
from halfcl.cl._translation.images import Uses

#: Makes a LaunchError from a call in a kernel and the error that it raised.
ErrorFactory: TypeAlias = Callable[[tree.Node, Exception], LaunchError]


class Use(NamedTuple):
    """How a kernel uses one of its images.

    where: prefix of error messages; error_at: makes the error of a call; samplers: all samplers of
    the launch.
    """

    where: str
    access: str
    calls: Sequence[tree.BuiltinCall]
    error_at: ErrorFactory
    samplers: Sequence[hc.Sampler]

    @property
    def is_filtered(self) -> bool:
        """True if a sampler may filter it."""
        return any(sampler.is_linear for sampler in self.samplers)

    @property
    def has_border(self) -> bool:
        """True if a sampler may read outside the image."""
        modes = hc.addressing_mode
        return any(s.addressing_mode in (modes.NONE, modes.CLAMP) for s in self.samplers)


class DeviceImage(ABC):
    """An image on a device, made from an image of halfcl."""

    def __init__(self, image: hc.Image) -> None:
        self.image = image

    @property
    @abstractmethod
    def argument(self) -> Any:
        """The image as a kernel argument."""

    @abstractmethod
    def copy_to_host(self) -> None:
        """Copy what kernels have written to halfcl's image."""


class Images(ABC):
    """The images of one device."""

    @abstractmethod
    def create_image(self, image: hc.Image, use: Use) -> DeviceImage:
        """Create the image on the device."""

    @abstractmethod
    def can_reuse(self, carried: Any, use: Use) -> bool:
        """Return whether an image on the device can also serve another parameter."""

    def sampler(self, sampler: hc.Sampler) -> Any:
        """Return a sampler as the translated text takes it."""
        return np.uint32(sampler_bits(sampler))


def check_formats(image: hc.Image, use: Use) -> None:
    """Raise an error if the kernel reads or writes other number types than the image's."""
    for call in use.calls:
        if call.builtin.family != "image query":
            try:
                check_format(call.name, image)
            except TypeError as error:
                raise use.error_at(call, error) from None


def check_constants(uses: Uses, error_at: ErrorFactory) -> None:
    """Check the samplers in the source (see `check_sampler`)."""
    for bits, calls in uses.of_constants.items():
        check_sampler(sampler_of(bits), calls, error_at)


def check_sampler(
    sampler: hc.Sampler, calls: Iterable[tree.BuiltinCall], error_at: ErrorFactory
) -> None:
    """Raise an error if a sampler does not fit the reads that use it."""
    for call in calls:
        try:
            as_sampler(call.name, _ANY, sampler, _sample_coordinates(call))
        except ValueError as error:
            raise error_at(call, error) from None


def _sample_coordinates(call: tree.BuiltinCall) -> Coordinates:
    """Return sample coordinates of the type that a call uses."""
    type_ = call.arguments[-1].type
    width = type_.width if isinstance(type_, Vector) else 1
    rows = np.zeros((1, width), np.float32 if type_.is_floating else np.int32)
    return Coordinates(rows, (1,))


#: An image to check samplers with; the parser has already checked that reads have one.
_ANY = hc.Image.empty((1, 1), hc.ImageFormat(hc.channel_order.RGBA, hc.channel_type.FLOAT))
