"""Images and samplers on their way to a device: what is asked of each library's."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

import halfcl as hc
from halfcl._images.arguments import Coordinates, as_sampler, check_format
from halfcl.cl import _builtins as builtins, _tree as tree
from halfcl.cl._errors import LaunchError
from halfcl.cl._translation.images import Uses
from halfcl.cl._types import Vector

#: What makes an error of one of a kernel's calls.
Refusal: TypeAlias = Callable[[tree.Node, Exception], LaunchError]


class Use(NamedTuple):
    """What a kernel does with one of its images.

    where: what an error's text begins with; refusal: an error of one of the calls; samplers: all
    of the launch.
    """

    where: str
    access: str
    calls: Sequence[tree.BuiltinCall]
    refusal: Refusal
    samplers: Sequence[hc.Sampler]

    @property
    def is_filtered(self) -> bool:
        """Whether a sampler may filter it."""
        return any(sampler.is_linear for sampler in self.samplers)

    @property
    def has_border(self) -> bool:
        """Whether a sampler may read what lies outside."""
        modes = hc.addressing_mode
        return any(s.addressing_mode in (modes.NONE, modes.CLAMP) for s in self.samplers)


class Carried(ABC):
    """An image on a device."""

    def __init__(self, image: hc.Image) -> None:
        self.image = image

    @property
    @abstractmethod
    def argument(self) -> Any:
        """As a kernel takes it."""

    @abstractmethod
    def come_back(self) -> None:
        """What kernels have written, to halfcl's image."""


class Images(ABC):
    """A device's."""

    @abstractmethod
    def carried(self, image: hc.Image, use: Use) -> Carried:
        """An image there."""

    @abstractmethod
    def may_also(self, carried: Any, use: Use) -> bool:
        """Whether an image there serves another parameter, too."""

    def sampler(self, sampler: hc.Sampler) -> Any:
        """As the text takes it."""
        return np.uint32(builtins.sampler_bits(sampler))


def check_formats(image: hc.Image, use: Use) -> None:
    """An error if the kernel reads or writes other numbers than the image's."""
    for call in use.calls:
        if not call.name.startswith("get_"):
            try:
                check_format(call.name, image)
            except TypeError as error:
                raise use.refusal(call, error) from None


def check_constants(uses: Uses, refusal: Refusal) -> None:
    """The same as `check_sampler`, of samplers in source."""
    for bits, calls in uses.of_constants.items():
        check_sampler(builtins.sampler(bits), calls, refusal)


def check_sampler(sampler: hc.Sampler, calls: Iterable[tree.BuiltinCall], refusal: Refusal) -> None:
    """An error if it is not for what the kernel reads by it."""
    for call in calls:
        try:
            as_sampler(call.name, _ANY, sampler, _coordinates_of(call))
        except ValueError as error:
            raise refusal(call, error) from None


def _coordinates_of(call: tree.BuiltinCall) -> Coordinates:
    """Some of their type."""
    type_ = call.arguments[-1].type
    width = type_.width if isinstance(type_, Vector) else 1
    rows = np.zeros((1, width), np.float32 if type_.is_floating else np.int32)
    return Coordinates(rows, (1,))


#: That it has a sampler is known when the source is parsed.
_ANY = hc.Image.empty((1, 1), hc.ImageFormat(hc.channel_order.RGBA, hc.channel_type.FLOAT))
