"""Images on NVIDIA GPUs: plain memory, which the text's own functions read and write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl._images.formats import ORDERS, greatest_codes, packing_shifts
from halfcl.cl._carrying import Carried, Images, Use, check_formats

#: The text's hc_image: see device/preludes/cuda_images.h.
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
    """Those of a program. copied: bytes as an array of CuPy's; copy_back: the other way."""

    def __init__(
        self,
        copied: Callable[[NDArray[np.uint8]], Any],
        copy_back: Callable[[NDArray[np.uint8], Any], None],
    ) -> None:
        self._copied, self._copy_back = copied, copy_back

    def carried(self, image: hc.Image, use: Use) -> Carried:
        check_formats(image, use)
        if image.format.is_depth:
            raise ValueError(
                f"{use.where}: expected an image of colours on a GPU, got {image.format}"
            )
        return _InMemory(image, self._copied, self._copy_back)

    def may_also(self, carried: Carried, use: Use) -> bool:
        check_formats(carried.image, use)
        return True


class _InMemory(Carried):
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
        self._layout = _laid_out(hc.Image(whole, image.format, image.image_type))
        self._layout["texels"] = self._held.data.ptr

    @property
    def argument(self) -> Any:
        return self._layout.view(f"V{_LAYOUT.itemsize}")

    def come_back(self) -> None:
        found = np.empty_like(self.image.array, order="C")
        self._copy_back(found.reshape(-1).view(np.uint8), self._held)
        self.image.array[...] = found


def _laid_out(image: hc.Image) -> NDArray[Any]:
    """An array of one."""
    format_, order = image.format, ORDERS[image.format.channel_order]
    made = np.zeros(1, _LAYOUT)
    made["step"], made["size"] = image.steps, image.sizes[:3]
    made["dims"], made["layers"] = image.kind.dims, image.array_size
    made["type"], made["order"] = format_.channel_data_type, format_.channel_order
    made["alpha"], made["channel"] = order.border_alpha, order.components
    made["greatest"], made["shift"] = greatest_codes(format_), packing_shifts(format_) or 0
    made["channels"], made["bytes"] = format_.channel_count, format_.dtype.itemsize
    made["is_packed"], made["is_srgb"] = packing_shifts(format_) is not None, order.srgb
    return made
