"""Pictures as OpenEXR has them: named channels and the header's attributes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import halfcl as hc


@dataclass(eq=False, repr=False)
class Picture:
    """Named channels of one size, with the rest of what an OpenEXR part holds.

    Attributes
    ----------
    channels : dict of str to array of shape (height, width)
        The channels in the order of the file, which is alphabetical: half, float32 or uint32.
        Their names are ``R``, ``G``, ``B``, ``A``; with a layer, ``diffuse.R``.
    name : str
        The part's name; empty if it has none.
    attributes : dict
        The header's other attributes, by the names and with the types of the package
        ``OpenEXR``: ``dataWindow``, ``displayWindow``, ``chromaticities``, your own.
        The windows are ``((left, top), (right, bottom))``, both ends included.
    compression : str
        One of `halfcl.io.COMPRESSIONS` or `halfcl.io.LOSSY_COMPRESSIONS`.
    tile : tuple of int, or None
        The tiles' width and height; None for scan lines.

    See Also
    --------
    read_exr, write_exr

    Examples
    --------
    >>> import numpy as np
    >>> from halfcl import half, io
    >>> picture = io.Picture({name: np.zeros((2, 3), half) for name in ("R", "G", "B", "depth.Z")})
    >>> picture
    <Picture 3 x 2: R, G, B, depth.Z>
    >>> picture.rgba.shape, picture.layers, list(picture.layer("depth"))
    ((2, 3, 4), ('', 'depth'), ['Z'])
    """

    channels: dict[str, NDArray[Any]]
    name: str = ""
    attributes: dict[str, Any] = field(default_factory=dict)
    compression: str = "zip"
    tile: tuple[int, int] | None = None

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        size = " x ".join(map(str, reversed(self.shape)))
        return f"<Picture{name} {size}: {', '.join(self.channels)}>"

    def _names_to_show(self) -> list[str]:
        """Return the channels that notebooks show: the first red, green and blue, or just one."""
        for layer in self.layers:
            names = [f"{layer}.{name}" if layer else name for name in "RGB"]
            if all(name in self.channels for name in names):
                return names
        return [*self.channels][:1]

    def _repr_html_(self) -> str | None:
        from halfcl._support.pages import notebooks, pictures

        names = self._names_to_show()
        arrays = [np.asarray(self.channels[name]) for name in names]
        shape = arrays[0].shape if arrays else ()
        are_numbers = all(np.can_cast(x.dtype, np.float32, "same_kind") for x in arrays)
        is_drawn = len(shape) == 2 and 0 not in shape and {x.shape for x in arrays} == {shape}
        if not (are_numbers and is_drawn):  # no such channels; only `write_exr` checks them
            return notebooks.fragment("display.html", blocks=[repr(self)])
        step = pictures.step_for(shape[1], shape[0], 1)
        is_integer = all(x.dtype.kind in "iub" for x in arrays)
        with np.errstate(all="ignore"):
            texels = np.stack([x[::step, ::step] for x in arrays], axis=-1)
            texels = texels if is_integer else texels.astype(np.float32)
        scale: pictures.Scale = "integers" if is_integer else "light"
        notes = [f"channels shown: {', '.join(names)}"]
        return pictures.draw(repr(self), {"": texels}, scale, step, notes)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of every channel: height, width."""
        return next((np.shape(channel) for channel in self.channels.values()), (0, 0))

    @property
    def layers(self) -> tuple[str, ...]:
        """The layers' names in order: the part of channel names before the last dot."""
        return tuple(dict.fromkeys(name.rpartition(".")[0] for name in self.channels))

    def layer(self, name: str) -> dict[str, NDArray[Any]]:
        """Return the channels of a layer, by their names within it.

        Parameters
        ----------
        name : str
            One of `layers`; empty for the channels that belong to none.

        Returns
        -------
        dict of str to array

        Raises
        ------
        ValueError
            If the picture has no such layer.
        """
        if name not in self.layers:
            raise ValueError(f"name: expected one of {self.layers}, got {name!r}")
        parts = ((full.rpartition("."), channel) for full, channel in self.channels.items())
        return {inner: channel for (layer, _, inner), channel in parts if layer == name}

    def stack(self, *names: str) -> NDArray[Any]:
        """Stack channels on a last axis.

        Parameters
        ----------
        *names : str

        Returns
        -------
        array of shape (height, width, len(names))
            A copy, with the channels' dtype; float32 where half and float32 mix.

        Raises
        ------
        ValueError
            If the picture lacks one of them, or no name is given.
        """
        missing = [name for name in names if name not in self.channels]
        if missing or not names:
            raise ValueError(f"names: expected some of {list(self.channels)}, got {list(names)}")
        return np.stack([self.channels[name] for name in names], axis=-1)

    @property
    def rgb(self) -> NDArray[Any]:
        """Channels R, G and B as an array of shape (height, width, 3): a copy."""
        return self.stack("R", "G", "B")

    @property
    def rgba(self) -> NDArray[Any]:
        """Channels R, G, B, A as an array of shape (height, width, 4): a copy; a missing A is 1."""
        if "A" in self.channels:
            return self.stack("R", "G", "B", "A")
        rgb = self.rgb
        opaque = np.ones((*rgb.shape[:2], 1), hc.half)
        return np.concatenate([rgb, opaque.astype(rgb.dtype)], axis=-1)
