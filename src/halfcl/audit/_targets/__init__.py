"""The libraries that the audit knows: a module each, imported when asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from halfcl.audit._targets.base import Target, TargetError

#: The name, the module here, how it is spelled with all that it takes, and what it is.
_KNOWN: dict[str, tuple[str, str, str]] = {
    "numpy": ("numpy_float16", "numpy", "NumPy's own float16"),
    "torch": ("pytorch", "torch[:device]", "PyTorch: cpu, cuda, mps"),
    "jax": ("jax_numpy", "jax[:platform]", "JAX: cpu, gpu, tpu"),
    "tensorflow": ("tensorflow_math", "tensorflow[:device]", "TensorFlow"),
    "numkong": ("numkong_kernels", "numkong", "NumKong"),
    "cupy": ("cupy_arrays", "cupy", "CuPy on an NVIDIA GPU"),
    "cuda_fp16": ("cuda_fp16", "cuda_fp16", "the intrinsics of NVIDIA's cuda_fp16.h, by CuPy"),
    "opencl": ("opencl", "opencl[:platform[:device]]", "an OpenCL device's builtins, by pyopencl"),
    "device": (
        "device",
        "device:opencl[:platform[:device]]",
        "halfcl.device's functions; device:cuda",
    ),
}


def known_targets() -> dict[str, str]:
    """How targets are spelled, and what they are.

    Examples
    --------
    >>> from halfcl import audit
    >>> audit.known_targets()["torch[:device]"]
    'PyTorch: cpu, cuda, mps'
    """
    named = {spelling: summary for _, spelling, summary in _KNOWN.values()}
    return {**named, "module:function=exp": "any callable: what it is meant to be stands after ="}


def find(name: str) -> Target:
    """A target by its name.

    Parameters
    ----------
    name : str
        One of `known_targets`; what follows the first colon is the target's own.

    Raises
    ------
    TargetError
        If there is no such target.
    MissingPackageError
        If a package is missing; says by which command it is installed.
    """
    if "=" in name:
        return _made("callables", name)
    first, _, rest = name.partition(":")
    if first not in _KNOWN:
        names = ", ".join(known_targets())
        raise TargetError(f"target: expected one of {names}; got {name!r}")
    return _made(_KNOWN[first][0], rest)


def _made(module: str, rest: str) -> Target:
    """Each module has make(rest), which gives the target."""
    made: Any = import_module(f"halfcl.audit._targets.{module}").make(rest)
    target: Target = made
    return target
