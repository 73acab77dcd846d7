"""The libraries that the audit knows: one module each, imported on demand."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from halfcl._tables.twins import suggest_spelling
from halfcl.audit._targets.base import Target, TargetError

#: By name: the module in this package, the name with its options, and a description.
_KNOWN: dict[str, tuple[str, str, str]] = {
    "numpy": ("numpy_float16", "numpy", "NumPy's own float16"),
    "torch": ("pytorch", "torch[:device]", "PyTorch: cpu, cuda, mps"),
    "jax": ("jax_numpy", "jax[:platform]", "JAX: cpu, gpu, tpu"),
    "tensorflow": ("tensorflow_math", "tensorflow[:device]", "TensorFlow"),
    "numkong": ("numkong_kernels", "numkong", "NumKong"),
    "cupy": ("devices.cupy_arrays", "cupy", "CuPy on an NVIDIA GPU"),
    "cuda_fp16": (
        "devices.cuda_fp16",
        "cuda_fp16",
        "the intrinsics of NVIDIA's cuda_fp16.h, by CuPy",
    ),
    "opencl": (
        "devices.opencl",
        "opencl[:platform[:device]]",
        "an OpenCL device's builtins, by pyopencl",
    ),
    "device": (
        "devices.device",
        "device:opencl[:platform[:device]]",
        "halfcl.device's functions; device:cuda",
    ),
}


def known_targets() -> dict[str, str]:
    """Return the names of targets with their options, and descriptions.

    Examples
    --------
    >>> from halfcl import audit
    >>> audit.known_targets()["torch[:device]"]
    'PyTorch: cpu, cuda, mps'
    """
    named = {spelling: summary for _, spelling, summary in _KNOWN.values()}
    return {**named, "module:function=exp": "any callable; its meaning follows ="}


def find(name: str) -> Target:
    """Return a target by its name, one of `known_targets`.

    The target interprets what follows the first colon. Raise TargetError for another name, and
    MissingPackageError if a package is missing.
    """
    if "=" in name:
        return _make("callables", name)
    first, _, rest = name.partition(":")
    if first not in _KNOWN:
        names = ", ".join(known_targets())
        hint = suggest_spelling(first, _KNOWN)
        raise TargetError(f"target: expected one of {names}; got {name!r}{hint}")
    return _make(_KNOWN[first][0], rest)


def _make(module: str, rest: str) -> Target:
    """Return the target of a module, by its function make(rest)."""
    result: Any = import_module(f"halfcl.audit._targets.{module}").make(rest)
    target: Target = result
    return target
