"""Products of matrices that are Dask arrays."""

from __future__ import annotations

from typing import Any

import dask.array as da
import numpy as np
from dask.array.core import unify_chunks
from numpy.typing import NDArray

from halfcl import _core
from halfcl.dask._chunks import are_elsewhere, example_of
from halfcl.dask._functions import ByName, Operand
from halfcl.dask._reductions import example, merge_blocks, pack, round_blocks
from halfcl.reductions import _arguments as arguments
from halfcl.reductions._packed import Packed
from halfcl.typing import RoundingMode


def matmul(
    a: Operand, b: Operand, out: object, exact: bool, rounding: RoundingMode | None
) -> da.Array:
    """What `halfcl.matmul` is for NumPy's arrays."""
    if out is not None:
        raise TypeError(f"matmul: argument out: expected none beside Dask arrays, got {out!r}")
    mode = _core.get_rounding() if rounding is None else rounding
    _core.check_mode(mode)
    kind = arguments.result_dtype("matmul", None, (example("matmul", a), example("matmul", b)))
    left, right = da.asanyarray(a), da.asanyarray(b)
    for argument, x in (("a", left), ("b", right)):
        if x.ndim == 0:
            raise ValueError(f"matmul: argument {argument}: expected axes, got a number")
    row, column = left.ndim == 1, right.ndim == 1  # one-dimensional arrays, which leave no axis
    left, right = left[None] if row else left, right[:, None] if column else right
    if left.shape[-1] != right.shape[-2]:
        raise ValueError(
            f"matmul: argument b: expected {left.shape[-1]} rows, as a has columns, "
            f"got {right.shape[-2]}"
        )
    summed = left.numblocks[-1] == right.numblocks[-2] == 1
    elsewhere = are_elsewhere(left) or are_elsewhere(right)
    if exact and not (summed or elsewhere):
        found = _of_accumulators(left, right, kind, mode)
    else:
        if not exact:
            _check_one_chunk(left, right)
        found = _of_blocks(left, right, kind, {"exact": exact, "rounding": mode})
    return found[(..., *((0,) if row else ()), *((slice(None),) if row and not column else ()),
                  *((0,) if column else ()))]  # fmt: skip


def _indices(left: da.Array, right: da.Array) -> tuple[list[int], list[int], list[int]]:
    """Of the stacks' axes, of the left's axes and of the right's: rows, columns, what is summed."""
    most = max(left.ndim, right.ndim) - 2
    rows, columns, summed = most, most + 1, most + 2
    stacks = list(range(most))
    return (
        stacks,
        [*stacks[most - (left.ndim - 2) :], rows, summed],
        [*stacks[most - (right.ndim - 2) :], summed, columns],
    )


def _check_one_chunk(left: da.Array, right: da.Array) -> None:
    """ValueError if there are several along the axis that is summed."""
    for argument, x, axis in (("a", left, -1), ("b", right, -2)):
        if len(x.chunks[axis]) != 1:
            raise ValueError(
                f"matmul: argument {argument}: expected one chunk along the axis that is summed, "
                f"got {x.chunks[axis]}; {argument}.rechunk({{{axis}: -1}}) makes it one, and "
                "exact=True takes several"
            )


def _of_blocks(
    left: da.Array, right: da.Array, kind: np.dtype[Any], keywords: dict[str, object]
) -> da.Array:
    """Block by block of the result, of whole rows and columns."""
    stacks, of_left, of_right = _indices(left, right)
    ndim = len(stacks) + 2
    like = example_of([left, right], ndim, kind)
    return da.blockwise(
        ByName("matmul", keywords), tuple(range(ndim)), left, of_left, right, of_right,
        concatenate=left.numblocks[-1] > 1, dtype=like.dtype, meta=like,
    )  # fmt: skip


def _of_accumulators(
    left: da.Array, right: da.Array, kind: np.dtype[Any], mode: RoundingMode
) -> da.Array:
    """Of each pair of blocks one, and those of one result merged."""
    stacks, of_left, of_right = _indices(left, right)
    ndim = len(stacks) + 3
    sizes, (left, right) = unify_chunks(left, of_left, right, of_right)
    partial = da.blockwise(
        _products, tuple(range(ndim)), left, of_left, right, of_right, align_arrays=False,
        adjust_chunks=dict.fromkeys(range(ndim), 1), dtype=object, token="matmul",
        meta=np.empty((0,) * ndim, object),
    )  # fmt: skip
    total = merge_blocks("matmul", partial, (ndim - 1,))
    return round_blocks(
        "matmul", total, range(ndim - 1), [sizes[i] for i in range(ndim - 1)],
        np.empty((0,) * (ndim - 1), kind), ddof=0, kind=kind, rounding=mode, initial=None, axis=(),
    )  # fmt: skip


def _products(left: NDArray[Any], right: NDArray[Any]) -> Packed:
    """Multiply a block's rows by another's columns, to exact sums."""
    rows, columns = left[..., :, None, :], right.swapaxes(-1, -2)[..., None, :, :]
    return pack("dot", (rows, columns), (-1,))
