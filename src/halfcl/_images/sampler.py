"""Samplers: how coordinates select texels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halfcl._images import constants
from halfcl._images.constants import addressing_mode, as_constant, filter_mode

#: The modes that need normalised coordinates.
REPEATING = (addressing_mode.REPEAT, addressing_mode.MIRRORED_REPEAT)


@dataclass(frozen=True)
class Sampler:
    """A rule for reading an image: OpenCL's ``sampler_t``.

    Parameters
    ----------
    normalized_coords : bool
        Whether coordinates from 0 to 1 span the image; else they are counted in texels.
        Layers of image arrays are counted in any case.
    addressing_mode : halfcl.addressing_mode
        The colour outside of the image. NONE and CLAMP: the border colour. CLAMP_TO_EDGE: the
        nearest texel. REPEAT and MIRRORED_REPEAT: the image again, or its mirror image; these
        need normalised coordinates.
    filter_mode : halfcl.filter_mode
        NEAREST: the texel that the coordinates lie in. LINEAR: the mean of the 2, 4 or 8 texels
        around, weighted by how near they are.

    Raises
    ------
    TypeError
        If an argument is no constant of OpenCL's, or ``normalized_coords`` no bool.
    ValueError
        If the image repeats, and coordinates are not normalised.

    Notes
    -----
    Samplers are equal if all three are.

    Source: OpenCL C, Samplers.

    Examples
    --------
    >>> import halfcl as hc
    >>> hc.Sampler(True, hc.addressing_mode.REPEAT, hc.filter_mode.LINEAR)
    Sampler(True, addressing_mode.REPEAT, filter_mode.LINEAR)
    """

    normalized_coords: bool
    addressing_mode: constants.addressing_mode
    filter_mode: constants.filter_mode

    def __post_init__(self) -> None:
        normalized = self.normalized_coords
        if not isinstance(normalized, bool | np.bool):
            raise TypeError(
                f"Sampler: argument normalized_coords: expected a bool, got {normalized!r}"
            )
        addressing = as_constant(
            "Sampler", "addressing_mode", addressing_mode, self.addressing_mode
        )
        if addressing in REPEATING and not normalized:
            raise ValueError(
                f"Sampler: argument addressing_mode: expected NONE, CLAMP_TO_EDGE or CLAMP where "
                f"coordinates are not normalised, got {addressing.name}"
            )
        object.__setattr__(self, "normalized_coords", bool(normalized))
        object.__setattr__(self, "addressing_mode", addressing)
        filtering = as_constant("Sampler", "filter_mode", filter_mode, self.filter_mode)
        object.__setattr__(self, "filter_mode", filtering)

    @property
    def is_linear(self) -> bool:
        return self.filter_mode is filter_mode.LINEAR

    @property
    def for_engine(self) -> tuple[bool, int, int]:
        """The sampler as the tuple that `_core.read_image` expects."""
        return self.normalized_coords, int(self.addressing_mode), int(self.filter_mode)

    def __repr__(self) -> str:
        return f"Sampler({self.normalized_coords}, {self.addressing_mode!r}, {self.filter_mode!r})"
