"""The region in which a Dask array is made is the one in which its blocks are computed."""

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

#: Operators and ufuncs that round, and so are computed in a region's mode where they can be.
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
    """A function that runs in a region. It pickles, and Dask tells two of them apart."""

    function: Callable[..., object]
    mode: RoundingMode
    builtins: bool
    strict: bool
    #: Whether float16 was halfcl's where the array was made.
    accelerated: bool = False

    @property
    def region(self) -> tuple[str, bool, bool, bool]:
        """Text that distinguishes the array from one made in another region."""
        return self.mode, self.builtins, self.strict, self.accelerated

    def __call__(self, *args: object, **kwargs: object) -> object:
        if self.accelerated and not is_accelerated() and _rounds_by_operator(self.function):
            self._check_blocks(args)
        with rounding(self.mode, builtins=self.builtins, strict=self.strict):
            return self.function(*args, **kwargs)

    def _check_blocks(self, blocks: tuple[object, ...]) -> None:
        """Raise RuntimeError for float16, which this process would round to nearest."""
        if any(map(_is_float16, blocks)):
            raise RuntimeError(
                f"rounding({self.mode!r}): blocks of float16: expected a worker that is "
                "accelerated, as the process that made the array, got a plain one; "
                "client.register_worker_callbacks(halfcl.accelerate) accelerates all"
            )


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
    has_builtins = _core.get_builtin_rounding() == mode
    return InRegion(function, mode, has_builtins, strict, is_accelerated())


def _warn_of_plain(bound: InRegion) -> None:
    """Warn of operators on float16 that no region governs."""
    if bound.mode != "rte" and not bound.accelerated:
        warnings.warn(
            f"rounding({bound.mode!r}): operators on Dask arrays of float16 round to nearest: "
            "expected half, or accelerate() here and on all workers",
            RuntimeWarning,
            stacklevel=3,
        )


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
    if array.dtype.type is np.float16 and _rounds_by_operator(bound.function):
        _warn_of_plain(bound)
    # As Dask's own names: apply_gufunc expects one hyphen, before a token.
    prefix, hyphen, _ = array.name.rpartition("-")
    name = f"{prefix if hyphen else array.name}-{tokenize(array.name, *bound.region)}"
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
