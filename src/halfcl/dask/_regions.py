"""The region in which a Dask array is made is the one in which its blocks are computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import dask
from dask._task_spec import Task
from dask.array.core import Array
from dask.blockwise import Blockwise
from dask.callbacks import Callback
from dask.highlevelgraph import HighLevelGraph

from halfcl import _core
from halfcl._settings.regions import rounding
from halfcl.typing import RoundingMode


@dataclass(frozen=True)
class InRegion:
    """A function that runs in a region. It pickles, and Dask tells two of them apart."""

    function: Callable[..., object]
    mode: RoundingMode
    builtins: bool
    strict: bool

    def __call__(self, *args: object, **kwargs: object) -> object:
        with rounding(self.mode, builtins=self.builtins, strict=self.strict):
            return self.function(*args, **kwargs)

    def __str__(self) -> str:
        """The region, as it is told in names."""
        flags = [name for name in ("builtins", "strict") if getattr(self, name)]
        return "-".join([self.mode, *flags])


def refuse_random() -> None:
    """RuntimeError where a region rounds at random, which is not seen from where Dask computes."""
    if _core.rounds_at_random():
        raise RuntimeError(
            "halfcl.stability reruns what is computed here and now: compute() Dask arrays first, "
            "or rerun the function that Dask maps over blocks"
        )


def in_region_in_force(function: Callable[..., object]) -> InRegion | None:
    """The function in the region in force; None outside any, where all is to nearest."""
    refuse_random()
    mode, strict = _core.get_rounding(), _core.is_strict()
    if mode == "rte" and not strict:
        return None
    return InRegion(function, mode, _core.get_builtin_rounding() == mode, strict)


def bind(array: object) -> Array | None:
    """A plugin of Dask, called with each new array: the same one, its blocks made in the region.

    Dask calls functions of blocks in threads and processes of its own, where no region is in
    force, and names what is computed alike alike: so the name tells the region, too.
    """
    if not isinstance(array, Array):
        return None  # what another plugin has made of it
    layer = array.dask.layers.get(array.name)
    if not isinstance(layer, Blockwise) or layer.collection_annotations is not None:
        return None  # from no function of blocks; or made before: Dask annotates layers then
    bound = in_region_in_force(layer.task.func)
    if bound is None:
        return None
    name = f"{array.name}-{bound}"
    task = Task(name, bound, *layer.task.args, **layer.task.kwargs)
    made = Blockwise(
        name, layer.output_indices, task, layer.indices, layer.numblocks, layer.concatenate,
        layer.new_axes, layer.output_blocks, layer.annotations, layer.io_deps,
    )  # fmt: skip
    made.collection_annotations = {}  # it is bound already
    layers = {**array.dask.layers, name: made}
    needed = {**array.dask.dependencies, name: array.dask.dependencies[array.name]}
    del layers[array.name], needed[array.name]
    graph = HighLevelGraph(layers, needed)
    return Array(graph, name, array.chunks, meta=array._meta, dtype=array.dtype)


def prepare_region() -> None:
    """Make it one of Dask's plugins of arrays, unless it is.

    Called before each region: a new configuration, or one that holds in a with block, may be
    without it.
    """
    plugins = tuple(dask.config.get("array_plugins", ()) or ())
    if bind not in plugins:
        dask.config.set(array_plugins=(*plugins, bind))


#: In which Dask's own threads compute, and so the one that calls compute(), if that computes.
_OUTSIDE = rounding("rte")


def _enter_outside(graph: object) -> None:
    _OUTSIDE.__enter__()


def _leave_outside(graph: object, state: object, failed: bool) -> None:
    _OUTSIDE.__exit__()


def compute_outside() -> None:
    """Have what is made outside regions computed so, even if compute() is called in one."""
    Callback(start=_enter_outside, finish=_leave_outside).register()
