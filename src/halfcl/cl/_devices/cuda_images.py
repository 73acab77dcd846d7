"""Images on NVIDIA GPUs: plain memory, read and written by functions in the translated text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl._images.formats import ORDERS, greatest_codes, packing_shifts
from halfcl.cl._devices.images import DeviceImage, Images, Use, check_formats

#: The layout of the text's hc_image: see device/preludes/cpp/images.h.
_LAYOUT = np.dtype(
    [
        ("texels", np.uint64), ("step", np.int64, 4), ("size", np.int32, 3), ("dims", np.int32),
        ("layers", np.int32), ("type", np.int32), ("order", np.int32), ("alpha", np.int32),
        ("channel", np.int32, 4), ("greatest", np.int32, 4), ("shift", np.int32, 4),
        ("channels", np.int32), ("bytes", np.int32), ("is_packed", np.int32),
        ("is_srgb", np.int32),
    ],
    align=True,
)  # fmt: skip


class CudaImages(Images):
    """The images of a program.

    copied: copies bytes to an array of CuPy's; copy_back: copies them back.
    """

    def __init__(
        self,
        copied: Callable[[NDArray[np.uint8]], Any],
        copy_back: Callable[[NDArray[np.uint8], Any], None],
    ) -> None:
        self._copied, self._copy_back = copied, copy_back

    def create_image(self, image: hc.Image, use: Use) -> DeviceImage:
        check_formats(image, use)
        if image.format.is_depth:
            raise ValueError(
                f"{use.where}: expected an image of colours on a GPU, got {image.format}"
            )
        return _InMemory(image, self._copied, self._copy_back)

    def can_reuse(self, carried: DeviceImage, use: Use) -> bool:
        check_formats(carried.image, use)
        return True


class _InMemory(DeviceImage):
    """An image in a GPU's memory."""

    def __init__(
        self,
        image: hc.Image,
        copied: Callable[[NDArray[np.uint8]], Any],
        copy_back: Callable[[NDArray[np.uint8], Any], None],
    ) -> None:
        super().__init__(image)
        self._copy_back = copy_back
        whole = np.ascontiguousarray(image.array)
        self._held = copied(whole.reshape(-1).view(np.uint8))
        self._layout = _describe_layout(hc.Image(whole, image.format, image.image_type))
        self._layout["texels"] = self._held.data.ptr

    @property
    def argument(self) -> Any:
        return self._layout.view(f"V{_LAYOUT.itemsize}")

    def copy_to_host(self) -> None:
        texels = np.empty_like(self.image.array, order="C")
        self._copy_back(texels.reshape(-1).view(np.uint8), self._held)
        self.image.array[...] = texels


def _describe_layout(image: hc.Image) -> NDArray[Any]:
    """Return the description of an image as an array of one element."""
    format_, order = image.format, ORDERS[image.format.channel_order]
    layout = np.zeros(1, _LAYOUT)
    layout["step"], layout["size"] = image.steps, image.sizes[:3]
    layout["dims"], layout["layers"] = image.kind.dims, image.array_size
    layout["type"], layout["order"] = format_.channel_data_type, format_.channel_order
    layout["alpha"], layout["channel"] = order.border_alpha, order.components
    layout["greatest"], layout["shift"] = greatest_codes(format_), packing_shifts(format_) or 0
    layout["channels"], layout["bytes"] = format_.channel_count, format_.dtype.itemsize
    layout["is_packed"], layout["is_srgb"] = packing_shifts(format_) is not None, order.srgb
    return layout
