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

from halfcl._support.extras import MissingPackageError
from halfcl._support.names import publish

__all__ = ["allow_in_graph", "register_operators"]


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


def _import(module: str, why: str) -> ModuleType:
    """One that needs PyTorch."""
    try:
        import_module("torch")
    except ImportError as error:
        raise MissingPackageError(f"PyTorch is needed {why}: pip install torch") from error
    return import_module(module)


publish(globals())
