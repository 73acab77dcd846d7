"""halfcl's functions on arrays of CuPy, PyTorch, pyopencl and JAX, on the device that has them.

There is nothing to import: ``hc.exp(x)`` and the other functions accept such arrays as they accept
NumPy's. They run on the device that has the arrays, in its current stream or queue, copy nothing to
the host, wait for nothing there, and return arrays of the same library. The results have the same
bits as on the host.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from halfcl._support.extras import MissingPackageError
from halfcl._support.names import publish
from halfcl.reductions import Accumulator

if TYPE_CHECKING:
    from halfcl.arrays._nccl import Communicator

__all__ = ["allow_in_graph", "merge_by_nccl", "register_operators"]


def allow_in_graph() -> None:
    """Let torch.compile accept halfcl's functions when called as ``hc.exp(x)``.

    Without it ``hc.exp(x)`` breaks the graph; ``torch.ops.halfcl.exp(x)`` does not. Call it once in
    a process, before compiled code runs. It imports PyTorch's compiler, which takes a second.

    Raises
    ------
    MissingPackageError
        If PyTorch is not installed.

    Examples
    --------
    >>> from halfcl.arrays import allow_in_graph
    >>> allow_in_graph()                                              # doctest: +SKIP
    >>> compiled = torch.compile(lambda x: hc.exp(x) + 1)             # doctest: +SKIP
    """
    _import(
        "halfcl.arrays._torch.operators", "to let torch.compile accept halfcl's functions"
    ).allow_in_graph()


def register_operators() -> None:
    """Make halfcl's functions operators of PyTorch: ``torch.ops.halfcl.exp`` and so on.

    The first call of halfcl's with a tensor does this, too. A program that begins with the
    operators calls it before; further calls do nothing.

    Raises
    ------
    MissingPackageError
        If PyTorch is not installed.

    Examples
    --------
    >>> from halfcl.arrays import register_operators
    >>> register_operators()                                          # doctest: +SKIP
    >>> torch.ops.halfcl.exp(x, rounding="rtz")                       # doctest: +SKIP
    """
    _import("halfcl.arrays._torch.adapter", "to make halfcl's functions operators of it")


def merge_by_nccl(accumulator: Accumulator, communicator: Communicator) -> Accumulator:
    """Merge the accumulators of several GPUs, each with a process or a thread of its own.

    All ranks of the communicator call it, each with its device current. States are exact, so all
    ranks get the same result: that of one accumulator to which all elements were added.

    Parameters
    ----------
    accumulator : halfcl.reductions.Accumulator
        This rank's accumulator; statistic and axes are the same on all ranks. It is not changed.
    communicator : cupy.cuda.nccl.NcclCommunicator

    Returns
    -------
    halfcl.reductions.Accumulator
        A new one with the elements of all ranks.

    Raises
    ------
    TypeError
        If an argument has another type.
    ValueError
        On all ranks, if their statistics, axes or shapes differ.
    MissingPackageError
        If CuPy is not installed.

    Notes
    -----
    The state of a result has 56 to 104 bytes. ``ncclAllGather`` gathers them in the current stream;
    the call waits for it.

    Source: NCCL's documentation, Collective Operations.

    Examples
    --------
    >>> from halfcl.arrays import merge_by_nccl
    >>> from halfcl.reductions import Accumulator
    >>> from cupy.cuda.nccl import NcclCommunicator                           # doctest: +SKIP
    >>> communicator = NcclCommunicator(2, unique_id, rank)                   # doctest: +SKIP
    >>> own = Accumulator("sum").add(x)    # each of the two of its x         # doctest: +SKIP
    >>> merge_by_nccl(own, communicator).result(rounding="rtp")               # doctest: +SKIP
    """
    if not isinstance(accumulator, Accumulator):
        raise TypeError(
            f"merge_by_nccl: accumulator: expected an Accumulator, got {type(accumulator).__name__}"
        )
    if not (hasattr(communicator, "allGather") and hasattr(communicator, "size")):
        raise TypeError(
            "merge_by_nccl: communicator: expected a "
            f"cupy.cuda.nccl.NcclCommunicator, got {type(communicator).__name__}"
        )
    module = _import("halfcl.arrays._nccl", "to merge accumulators by NCCL", "cupy", "CuPy")
    merged: Accumulator = module.merge(accumulator, communicator)
    return merged


def _import(module: str, purpose: str, library: str = "torch", name: str = "PyTorch") -> ModuleType:
    """Import a module that needs a library; raise MissingPackageError without the library."""
    try:
        import_module(library)
    except ImportError as error:
        raise MissingPackageError(f"{name} is needed {purpose}: pip install {library}") from error
    return import_module(module)


publish(globals())
