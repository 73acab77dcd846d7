"""halfcl's functions over arrays of other libraries, where these lie: CuPy's, PyTorch's,
pyopencl's and JAX's.

There is nothing to import: ``hc.exp(x)`` and the other functions take such arrays as they take
NumPy's. They run on the device that has the arrays, in its current stream or queue, copy nothing
to the host, wait for nothing there, and give arrays of the same library, bit for bit what the host
gives.
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
    """Let torch.compile take halfcl's functions as they are called, as ``hc.exp(x)``.

    Without it ``hc.exp(x)`` breaks the graph; ``torch.ops.halfcl.exp(x)`` does not. It is called
    once in a process, before what is compiled runs, and imports PyTorch's compiler, which takes a
    second.

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
        "halfcl.arrays._torch_ops", "to let torch.compile take halfcl's functions"
    ).allow_in_graph()


def register_operators() -> None:
    """Make halfcl's functions operators of PyTorch: ``torch.ops.halfcl.exp`` and so on.

    The first call of halfcl's with a tensor does it, too. A program that begins with the operators
    calls this before, as often as it likes.

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
    _import("halfcl.arrays._torch", "to make halfcl's functions operators of it")


def merge_by_nccl(accumulator: Accumulator, communicator: Communicator) -> Accumulator:
    """Merge the accumulators of several GPUs, where each has a process or a thread of its own.

    All ranks of the communicator call it, with the device of each current. States are exact, so all
    of them get the same result, which is also that of one accumulator that has taken everything.

    Parameters
    ----------
    accumulator : halfcl.reductions.Accumulator
        What this rank has taken; of the same statistic and axes everywhere. It stays as it is.
    communicator : cupy.cuda.nccl.NcclCommunicator

    Returns
    -------
    halfcl.reductions.Accumulator
        A new one with all that was taken.

    Raises
    ------
    TypeError
        If an argument is not what is said above.
    ValueError
        On all ranks, if their statistics, axes or shapes differ.
    MissingPackageError
        If CuPy is not installed.

    Notes
    -----
    The state of a result has 56 to 104 bytes. They are gathered by ``ncclAllGather`` in the current
    stream, which is waited for.

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
            "merge_by_nccl: argument accumulator: expected an Accumulator, got "
            f"{type(accumulator).__name__}"
        )
    if not (hasattr(communicator, "allGather") and hasattr(communicator, "size")):
        raise TypeError(
            "merge_by_nccl: argument communicator: expected a "
            f"cupy.cuda.nccl.NcclCommunicator, got {type(communicator).__name__}"
        )
    module = _import("halfcl.arrays._nccl", "to merge accumulators by NCCL", "cupy", "CuPy")
    made: Accumulator = module.merged(accumulator, communicator)
    return made


def _import(module: str, why: str, needed: str = "torch", told: str = "PyTorch") -> ModuleType:
    """One that needs a library."""
    try:
        import_module(needed)
    except ImportError as error:
        raise MissingPackageError(f"{told} is needed {why}: pip install {needed}") from error
    return import_module(module)


publish(globals())
