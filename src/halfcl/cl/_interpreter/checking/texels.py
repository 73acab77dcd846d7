"""Checked accesses to images: which texels they use, and races and bounds of these."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds
from numpy.typing import NDArray

import halfcl as hc
from halfcl.cl._interpreter.checking.arithmetic import WatchedArithmetic
from halfcl.cl._interpreter.checking.shadow_memory import Indexed, unit_of
from halfcl.cl._interpreter.values.lanes import Mask

_Array = NDArray[Any]

_MODE = hc.addressing_mode


class WatchedImages(WatchedArithmetic):
    """A block whose accesses to images are watched."""

    def see_image(
        self,
        kind: str,
        image: hc.Image,
        sampler: hc.Sampler | None,
        where: _Array,
        mask: Mask,
        at: int,
    ) -> None:
        self.at = at
        name = f"image {self.launch.images[id(image), kind]}"
        items = self.active(mask)
        items = np.arange(self.axes.count) if items is None else items
        rows = where.reshape(len(where), -1)
        rows = np.broadcast_to(rows, (self.axes.count, rows.shape[1]))[items]
        outside = _outside(image, sampler, rows)
        if outside.any():
            row = int(outside.argmax())
            texel = tuple(rows[row, : image.kind.axes].tolist())
            self.add_finding(f"{kind} outside of an image", name, int(items[row]), texel)
        shadow, base = self.launch.shadows[id(image)]
        if shadow is None:
            return
        steps = image.array.strides[: image.kind.axes][::-1]
        origin = base + image.array.__array_interface__["data"][0] - byte_bounds(image.array)[0]
        unit = shadow.reduce_unit(unit_of(image.element_size, origin, *steps))
        now, epochs = self.visits("global")
        for texels, inside in _texels(image, sampler, rows):
            if not inside.any():
                continue
            who, starts = items[inside], origin + texels[inside] @ np.array(steps)
            cells = Indexed(starts, image.element_size, unit, who)
            mine = cells.per_row(now)
            visit = shadow.read if kind == "read" else shadow.write
            race = visit(cells, mine, epochs, mine)
            if race:
                texel = tuple(texels[inside][race.row].tolist())
                self.add_finding("race", name, int(who[race.row]), texel, self.describe_other(race))


def _sizes(image: hc.Image) -> tuple[int, ...]:
    """Return the sizes along x first; layers last."""
    return image.array.shape[: image.kind.axes][::-1]


def _outside(image: hc.Image, sampler: hc.Sampler | None, rows: _Array) -> _Array:
    """Return where OpenCL leaves the result undefined; with CLAMP and so on it does not."""
    if sampler is not None and sampler.addressing_mode is not _MODE.NONE:
        return np.zeros(len(rows), np.bool_)
    sizes = _sizes(image)
    is_outside = np.zeros(len(rows), np.bool_)
    for axis, size in enumerate(sizes):
        if sampler is not None and axis == image.kind.dims:
            break  # the layer is clamped to the nearest one
        limit = 1 if sampler is not None and sampler.normalized_coords else size
        is_outside |= ~((rows[:, axis] >= 0) & (rows[:, axis] < limit))  # NaN, too
    return is_outside


def _texels(
    image: hc.Image, sampler: hc.Sampler | None, rows: _Array
) -> Iterator[tuple[_Array, _Array]]:
    """Yield the texels of each row one by one, and whether each exists."""
    dims, sizes = image.kind.dims, _sizes(image)
    along = [_along(rows[:, axis], sizes[axis], sampler) for axis in range(dims)]
    if image.kind.layered:
        layer = np.rint(rows[:, dims])
        clamped = np.clip(np.nan_to_num(layer), 0, sizes[dims] - 1)
        inside = np.ones(len(rows), np.bool_) if sampler is not None else layer == clamped
        along.append([(clamped.astype(np.int64), inside)])
    for combination in itertools.product(*along):
        texels = np.stack([index for index, _ in combination], axis=1)
        yield texels, np.logical_and.reduce([inside for _, inside in combination])


def _along(column: _Array, size: int, sampler: hc.Sampler | None) -> list[tuple[_Array, _Array]]:
    """Return indices along an axis by OpenCL C's image addressing, and which are texels."""
    x = column.astype(np.float64)
    mode = _MODE.NONE if sampler is None else sampler.addressing_mode
    if mode is _MODE.REPEAT:
        x = np.nan_to_num((x - np.floor(x)) * size)
    elif mode is _MODE.MIRRORED_REPEAT:
        x = np.nan_to_num(np.abs(x - 2 * np.rint(0.5 * x)) * size)
    elif sampler is not None and sampler.normalized_coords:
        x = x * size
    x = np.clip(np.nan_to_num(x, nan=-2), -2, size + 2)
    if sampler is None or not sampler.is_linear:
        return [_clamp_index(np.floor(x), size, mode)]
    before = np.floor(x - 0.5)
    first, inside = _clamp_index(before, size, mode)
    second, inside_too = _clamp_index(before + 1, size, mode)
    return [(first, inside), (second, inside_too & (x - 0.5 != before))]  # else its weight is 0


def _clamp_index(index: _Array, size: int, mode: hc.addressing_mode) -> tuple[_Array, _Array]:
    if mode is _MODE.REPEAT:
        index = np.where(index < 0, index + size, np.where(index >= size, index - size, index))
    clamped = np.clip(index, 0, size - 1)
    has_border = mode in (_MODE.NONE, _MODE.CLAMP)
    inside = index == clamped if has_border else np.ones(index.shape, np.bool_)
    return clamped.astype(np.int64), inside
