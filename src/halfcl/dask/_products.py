"""Matrix products of Dask arrays."""

from __future__ import annotations

from typing import Any

import dask.array as da
import numpy as np
from dask.array.core import unify_chunks
from numpy.typing import NDArray

from halfcl.dask._chunks import example_of, is_of_other_library
from halfcl.dask._functions import ByName, Operand
from halfcl.dask._reductions import example, merge_blocks, pack, resolve_mode, round_blocks
from halfcl.reductions import _arguments as arguments
from halfcl.reductions._packed import Packed
from halfcl.typing import RoundingMode


def matmul(
    a: Operand, b: Operand, out: object, exact: bool, rounding: RoundingMode | None
) -> da.Array:
    """Return the product of matrices, like `halfcl.matmul` for NumPy's arrays."""
    mode = resolve_mode("matmul", out, rounding)
    kind = arguments.result_dtype("matmul", None, (example("matmul", a), example("matmul", b)))
    first, second = da.asanyarray(a), da.asanyarray(b)
    for argument, x in (("a", first), ("b", second)):
        if x.ndim == 0:
            raise ValueError(f"matmul: argument {argument}: expected axes, got a number")
    is_row, is_column = first.ndim == 1, second.ndim == 1  # the product has no axis for these
    first, second = first[None] if is_row else first, second[:, None] if is_column else second
    if first.shape[-1] != second.shape[-2]:
        raise ValueError(
            f"matmul: argument b: expected {first.shape[-1]} rows, as a has columns, "
            f"got {second.shape[-2]}"
        )
    is_one_block = first.numblocks[-1] == second.numblocks[-2] == 1
    is_on_device = is_of_other_library(first) or is_of_other_library(second)
    if exact and not (is_one_block or is_on_device):
        product = _merge_products(first, second, kind, mode)
    else:
        if not exact:
            _check_summed_axis(first, second)
        product = _multiply_blocks(first, second, kind, {"exact": exact, "rounding": mode})
    rows = (0,) if is_row else ()
    return product[
        (..., *rows, *((slice(None),) if is_row and not is_column else ()),
         *((0,) if is_column else ()))
    ]  # fmt: skip


def _indices(first: da.Array, second: da.Array) -> tuple[list[int], list[int], list[int]]:
    """Return the blockwise indices of the axes of stacks, of the first array and of the second.

    They number the stacks' axes, the rows, the columns and the summed axis, in this order.
    """
    most = max(first.ndim, second.ndim) - 2
    rows, columns, summed = most, most + 1, most + 2
    stacks = list(range(most))
    return (
        stacks,
        [*stacks[most - (first.ndim - 2) :], rows, summed],
        [*stacks[most - (second.ndim - 2) :], summed, columns],
    )


def _check_summed_axis(first: da.Array, second: da.Array) -> None:
    """Raise ValueError if there are several chunks along the summed axis."""
    for argument, x, axis in (("a", first, -1), ("b", second, -2)):
        if len(x.chunks[axis]) != 1:
            raise ValueError(
                f"matmul: argument {argument}: expected one chunk along the summed axis, "
                f"got {x.chunks[axis]}; use {argument}.rechunk({{{axis}: -1}}) or exact=True"
            )


def _multiply_blocks(
    first: da.Array, second: da.Array, kind: np.dtype[Any], keywords: dict[str, object]
) -> da.Array:
    """Return the product block by block, each from whole rows and columns."""
    stacks, of_first, of_second = _indices(first, second)
    ndim = len(stacks) + 2
    like = example_of([first, second], ndim, kind)
    return da.blockwise(
        ByName("matmul", keywords), tuple(range(ndim)), first, of_first, second, of_second,
        concatenate=first.numblocks[-1] > 1, dtype=like.dtype, meta=like,
    )  # fmt: skip


def _merge_products(
    first: da.Array, second: da.Array, kind: np.dtype[Any], mode: RoundingMode
) -> da.Array:
    """Return the product by exact states, one per pair of blocks, merged along the summed axis."""
    stacks, of_first, of_second = _indices(first, second)
    ndim = len(stacks) + 3
    sizes, (first, second) = unify_chunks(first, of_first, second, of_second)
    partial = da.blockwise(
        _products, tuple(range(ndim)), first, of_first, second, of_second, align_arrays=False,
        adjust_chunks=dict.fromkeys(range(ndim), 1), dtype=object, token="matmul",
        meta=np.empty((0,) * ndim, object),
    )  # fmt: skip
    total = merge_blocks("matmul", partial, (ndim - 1,))
    return round_blocks(
        "matmul", total, range(ndim - 1), [sizes[i] for i in range(ndim - 1)],
        np.empty((0,) * (ndim - 1), kind), ddof=0, kind=kind, rounding=mode, initial=None, axis=(),
    )  # fmt: skip


def _products(first: NDArray[Any], second: NDArray[Any]) -> Packed:
    """Return the packed exact dot products of a block's rows and another's columns."""
    rows, columns = first[..., :, None, :], second.swapaxes(-1, -2)[..., None, :, :]
    return pack("dot", (rows, columns), (-1,))
