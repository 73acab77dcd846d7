"""Binding of rounding regions: blocks are computed in the region in which their array was made."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import dask
import numpy as np
from dask._task_spec import Task
from dask.array.core import Array
from dask.base import tokenize
from dask.blockwise import Blockwise
from dask.callbacks import Callback
from dask.highlevelgraph import HighLevelGraph

from halfcl import _core
from halfcl._numpy.acceleration import is_accelerated
from halfcl._settings.regions import rounding
from halfcl.typing import RoundingMode

#: Names of operators and ufuncs that round.
_ROUNDING = frozenset(
    "add sub mul truediv pow subtract multiply divide power square sqrt reciprocal".split()
)


def _rounds_by_operator(function: object) -> bool:
    """Return whether a function is one of Python's or NumPy's own that rounds."""
    is_own = isinstance(function, np.ufunc) or getattr(function, "__module__", "") == "_operator"
    return is_own and getattr(function, "__name__", "") in _ROUNDING


def _is_float16(x: object) -> bool:
    return isinstance(x, np.ndarray) and x.dtype.type is np.float16


@dataclass(frozen=True)
class InRegion:
    """A function bound to a region. It can be pickled, and Dask's token of it has the region."""

    function: Callable[..., object]
    mode: RoundingMode
    builtins: bool
    strict: bool
    #: Whether float16 was halfcl's where the array was made.
    accelerated: bool = False

    @property
    def region(self) -> tuple[str, bool, bool, bool]:
        """The values that distinguish an array from one made in another region."""
        return self.mode, self.builtins, self.strict, self.accelerated

    def __call__(self, *args: object, **kwargs: object) -> object:
        if self.accelerated and not is_accelerated() and _rounds_by_operator(self.function):
            self._check_blocks(args)
        with rounding(self.mode, builtins=self.builtins, strict=self.strict):
            return self.function(*args, **kwargs)

    def _check_blocks(self, blocks: tuple[object, ...]) -> None:
        """Raise RuntimeError if a block is of float16, which this process rounds to nearest."""
        if any(map(_is_float16, blocks)):
            raise RuntimeError(
                f"rounding({self.mode!r}): blocks of float16: expected a worker that is "
                "accelerated, as the process that made the array, got a plain one; "
                "use client.register_worker_callbacks(halfcl.accelerate)"
            )


def refuse_random() -> None:
    """Raise RuntimeError in a region that rounds at random, which Dask's threads do not see."""
    if _core.rounds_at_random():
        raise RuntimeError(
            "halfcl.stability: expected arrays of NumPy, got a lazy Dask array; compute() it "
            "first, or rerun the function that Dask maps over blocks"
        )


def bind_function(function: Callable[..., object]) -> InRegion | None:
    """Return the function bound to the current region; None outside of any region."""
    refuse_random()
    mode, strict = _core.get_rounding(), _core.is_strict()
    if mode == "rte" and not strict:
        return None
    has_builtins = _core.get_builtin_rounding() == mode
    return InRegion(function, mode, has_builtins, strict, is_accelerated())


def _warn_of_plain(bound: InRegion) -> None:
    """Warn that operators on float16 ignore the region, unless NumPy is accelerated."""
    if bound.mode != "rte" and not bound.accelerated:
        warnings.warn(
            f"rounding({bound.mode!r}): operators on Dask arrays: expected half, got float16, "
            "which they round to nearest; use accelerate() here and on all workers",
            RuntimeWarning,
            stacklevel=3,
        )


def bind_array(array: object) -> Array | None:
    """Return a new Dask array with its blocks bound to the current region; a plugin of Dask.

    Dask calls functions of blocks in its own threads and processes, which are in no region. It
    gives equal computations equal names, so the name has to depend on the region.
    """
    if not isinstance(array, Array):
        return None  # another plugin has replaced it
    layer = array.dask.layers.get(array.name)
    if not isinstance(layer, Blockwise) or layer.collection_annotations is not None:
        return None  # not made by a function of blocks, or bound before: see the annotations below
    bound = bind_function(layer.task.func)
    if bound is None:
        return None
    if array.dtype.type is np.float16 and _rounds_by_operator(bound.function):
        _warn_of_plain(bound)
    # Like Dask's own names, since apply_gufunc expects one hyphen, before a token.
    prefix, hyphen, _ = array.name.rpartition("-")
    name = f"{prefix if hyphen else array.name}-{tokenize(array.name, *bound.region)}"
    task = Task(name, bound, *layer.task.args, **layer.task.kwargs)
    bound_layer = Blockwise(
        name, layer.output_indices, task, layer.indices, layer.numblocks, layer.concatenate,
        layer.new_axes, layer.output_blocks, layer.annotations, layer.io_deps,
    )  # fmt: skip
    bound_layer.collection_annotations = {}  # marks the layer as bound
    layers = {**array.dask.layers, name: bound_layer}
    needed = {**array.dask.dependencies, name: array.dask.dependencies[array.name]}
    del layers[array.name], needed[array.name]
    graph = HighLevelGraph(layers, needed)
    return Array(graph, name, array.chunks, meta=array._meta, dtype=array.dtype)


def prepare_region() -> None:
    """Register `bind_array` as a plugin of Dask, unless it is one already.

    It is called before each region, since a configuration set later, or by a with block, may lack
    the plugin.
    """
    plugins = tuple(dask.config.get("array_plugins", ()) or ())
    if bind_array not in plugins:
        dask.config.set(array_plugins=(*plugins, bind_array))


#: The mode of Dask's own threads, for the thread that calls compute(), which may compute, too.
_OUTSIDE = rounding("rte")


def _enter_outside(graph: object) -> None:
    _OUTSIDE.__enter__()


def _leave_outside(graph: object, state: object, failed: bool) -> None:
    _OUTSIDE.__exit__()


def compute_outside() -> None:
    """Compute arrays that were made outside of regions to nearest, even in a region.

    It registers callbacks with Dask.
    """
    Callback(start=_enter_outside, finish=_leave_outside).register()
