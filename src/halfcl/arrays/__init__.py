"""halfcl's functions over arrays of other libraries, where these lie: CuPy's, PyTorch's,
pyopencl's and JAX's.

There is nothing to import: ``hc.exp(x)`` and the other functions take such arrays as they take
NumPy's. They run on the device that has the arrays, in its current stream or queue, copy nothing
to the host, wait for nothing there, and give arrays of the same library, bit for bit what the host
gives.
"""

from __future__ import annotations

from importlib import import_module

from halfcl._support.extras import MissingPackageError
from halfcl._support.names import publish

__all__ = ["allow_in_graph"]


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
    try:
        import_module("torch")
    except ImportError as error:
        raise MissingPackageError(
            "PyTorch is needed to let torch.compile take halfcl's functions: pip install torch"
        ) from error
    import_module("halfcl.arrays._torch_ops").allow_in_graph()


publish(globals())
