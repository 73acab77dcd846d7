"""halfcl's ufuncs over Dask arrays, each in the mode of its call."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import dask.array as da
import numpy as np
from dask.array import ufunc as da_ufunc
from dask.array.gufunc import apply_gufunc

import halfcl as hc
from halfcl import _core
from halfcl.dask._chunks import example_of
from halfcl.dask._functions import ByName, Operand, lazily, nothing_of, one_chunk, refused
from halfcl.dask._reductions import Aligned, reduce, with_axes
from halfcl.dask._regions import refuse_random
from halfcl.reductions._arguments import Call
from halfcl.typing import RoundingMode


def call_ufunc(
    ufunc: np.ufunc, args: list[object], kwargs: dict[str, Any], rounding: RoundingMode | None
) -> da.Array | tuple[da.Array, ...]:
    """A call of a halfcl.Function, by its ufunc in the mode asked for or the region's."""
    refuse_random()
    if ufunc.signature is not None:
        return _of_vectors(ufunc, args, **kwargs)
    if ufunc.nout == 2:
        return _two_results(ufunc)(*args, **kwargs)
    return lazily(on_blocks(ufunc), function_and_mode(ufunc)[0], args, kwargs)


def on_blocks(ufunc: np.ufunc) -> ByName:
    """A ufunc as a function that takes arrays of any library."""
    name, mode = function_and_mode(ufunc)
    return ByName(name, {"rounding": mode})


def function_and_mode(ufunc: np.ufunc) -> tuple[str, str]:
    """The name of a ufunc's function, and its mode."""
    name, _, mode = ufunc.__name__.rpartition("_")
    return name, mode


def _refuse_keywords(name: str, keywords: dict[str, object]) -> None:
    for keyword in keywords:
        raise TypeError(f"{name}: argument {keyword}: expected none beside Dask arrays")


def _two_results(ufunc: np.ufunc) -> Callable[..., tuple[da.Array, ...]]:
    """A ufunc of two results, for which Dask has no way of its own."""
    scalars = ["()"] * (ufunc.nin + ufunc.nout)
    signature = f"{','.join(scalars[: ufunc.nin])}->{','.join(scalars[ufunc.nin :])}"

    @functools.wraps(ufunc)
    def call(*args: object, **keywords: object) -> tuple[da.Array, ...]:
        _refuse_keywords(function_and_mode(ufunc)[0], keywords)
        made = ufunc(*(nothing_of(x) for x in args))
        arrays = Aligned.of([da.asanyarray(x) for x in args]).arrays
        ndim = max(x.ndim for x in arrays)
        metas = tuple(example_of(arrays, ndim, x.dtype) for x in made)
        return apply_gufunc(on_blocks(ufunc), signature, *arrays, meta=metas)

    return call


# ---------------------------------------------------------------- functions of vectors


def _of_vectors(
    ufunc: np.ufunc,
    args: list[object],
    *,
    axis: int = -1,
    keepdims: bool = False,
    **keywords: object,
) -> da.Array:
    """A function of vectors along an axis."""
    name, mode = function_and_mode(ufunc)
    _refuse_keywords(name, keywords)
    arrays = [da.asanyarray(x) for x in args]
    if any(x.ndim == 0 for x in arrays) or len(args) != ufunc.nin:
        refused(ufunc, args, {})
    arrays = [x if axis == -1 else da.moveaxis(x, axis, -1) for x in arrays]
    if name in _EXACT and any(len(x.chunks[-1]) != 1 for x in arrays):
        found = _EXACT[name](arrays, mode)
    else:
        for i, x in enumerate(arrays):
            one_chunk(name, str(i + 1), x)
        found = _of_blocks(ufunc, arrays)
    if gives_numbers(ufunc):
        return da.expand_dims(found, axis) if keepdims else found
    return found if axis == -1 else da.moveaxis(found, -1, axis)


def gives_numbers(ufunc: np.ufunc) -> bool:
    """Whether a function of vectors gives one number for each."""
    return (ufunc.signature or "").endswith("()")


def _of_blocks(ufunc: np.ufunc, arrays: list[da.Array]) -> da.Array:
    """A function of vectors along last axes of one chunk."""
    example = ufunc(*(nothing_of(x, x.shape[-1:]) for x in arrays))
    most = max(x.ndim for x in arrays)
    kept = most - gives_numbers(ufunc)
    like = example_of(arrays, kept, example.dtype)
    return da.blockwise(
        on_blocks(ufunc), tuple(range(kept)), *with_axes(arrays, most),
        concatenate=False, dtype=like.dtype, meta=like,
    )  # fmt: skip


def _dot(arrays: list[da.Array], mode: str) -> da.Array:
    return reduce(Call("dot", tuple(arrays), axis=-1, rounding=mode))


def _length(arrays: list[da.Array], mode: str) -> da.Array:
    """The norm, but infinite where a component is, even beside NaNs."""
    (x,) = arrays
    found = reduce(Call("length", (x,), axis=-1, rounding=mode))
    return da.where(da.isinf(x).any(axis=-1), found.dtype.type(np.inf), found)


#: Functions of vectors of any length that are exact reductions, so that these may lie in several
#: chunks.
_EXACT: dict[str, Callable[[list[da.Array], str], da.Array]] = {"dot": _dot, "length": _length}


# ---------------------------------------------------------------- methods

_REFUSED = {
    "at": "which are not written to: halfcl.select makes new ones",
    "reduceat": "whose blocks it would round in turn: halfcl.sum takes them, exactly",
    "accumulate": "whose blocks it would round in turn: halfcl.cumsum takes them, exactly",
    "reduce": "whose blocks it would round in turn: halfcl.sum and halfcl.prod take them",
}


def call_method(
    ufunc: np.ufunc, method: str, args: tuple[Operand, ...], kwargs: dict[str, object]
) -> da.Array:
    """A method of a halfcl.Function."""
    refuse_random()
    name, _ = function_and_mode(ufunc)
    if method == "outer" and ufunc.nin == 2 and ufunc.nout == 1 and ufunc.signature is None:
        if len(args) != 2:
            raise TypeError(f"{name}.outer: expected two arrays, got {len(args)} arguments")
        return _OneResult(ufunc).outer(args[0], args[1], **kwargs)
    why = _REFUSED.get(method, "and is of no function but those of two arguments")
    raise TypeError(f"{name}.{method}: takes no Dask arrays, {why}")


class _OneResult:
    """A ufunc's method outer, which Dask asks the ufunc that it has by that name."""

    def __init__(self, ufunc: np.ufunc) -> None:
        self.ufunc = ufunc

    def outer(self, a: Operand, b: Operand, **keywords: object) -> da.Array:
        left, right = da.asanyarray(a), da.asanyarray(b)
        name, _ = function_and_mode(self.ufunc)
        return lazily(self.ufunc, name, (left[(..., *(None,) * right.ndim)], right), keywords)


def register() -> None:
    """Put halfcl's ufuncs where Dask looks ufuncs up that it has no way for: by name."""
    for row in hc._tables.TABLE:
        for mode in _core.MODES if row.public else ():
            ufunc = getattr(hc, f"{row.name}_{mode}")
            made = _OneResult(ufunc) if ufunc.nout == 1 else _two_results(ufunc)
            setattr(da_ufunc, ufunc.__name__, made)
