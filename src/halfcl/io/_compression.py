"""OpenEXR's compressions: their names, and which of them are lossless."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from halfcl.io._picture import Picture

#: Compressions that are lossless for half and uint32; all but ``pxr24`` also for float32.
COMPRESSIONS = (
    "none", "rle", "zips", "zip", "piz", "pxr24",
    "htj2k256", "htj2k32", "lj2k", "zstd",
)  # fmt: skip

#: Compressions that change half.
LOSSY_COMPRESSIONS = ("b44", "b44a", "dwaa", "dwab")


def constant_name(compression: str) -> str:
    """Return the package's name of a compression."""
    return f"{'no' if compression == 'none' else compression}_compression".upper()


class Named(Protocol):
    """One of the package's constants."""

    @property
    def name(self) -> str: ...


def compression_name(value: Named) -> str:
    """Return the name of a compression from its constant."""
    name = str(value.name).removesuffix("_COMPRESSION").lower()
    return "none" if name == "no" else name


def check_compression(openexr: object, picture: Picture, lossy: bool) -> None:
    """Raise ValueError for a compression that is unknown, or lossy without ``lossy=True``."""
    name = picture.compression
    known = {n for n in dir(openexr) if n.endswith("_COMPRESSION")}
    allowed = [
        choice
        for choice in (*COMPRESSIONS, *(LOSSY_COMPRESSIONS if lossy else ()))
        if constant_name(choice) in known
    ]
    if name not in allowed:
        hint = "; use lossy=True" if name in LOSSY_COMPRESSIONS else ""
        raise ValueError(f"compression: expected one of {allowed}, got {name!r}{hint}")
    floats = [key for key, channel in picture.channels.items() if channel.dtype == np.float32]
    if name == "pxr24" and floats and not lossy:
        raise ValueError(
            f"compression: expected one that keeps float32 ({floats}), got 'pxr24'; use lossy=True"
        )
