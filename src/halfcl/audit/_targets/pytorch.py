"""Target for PyTorch's functions on tensors of float16, on any of its devices."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import ModuleType
from typing import Any, Protocol, TypeAlias

from halfcl.audit._records import TargetInfo
from halfcl.audit._results.mistakes import Array
from halfcl.audit._targets.base import (
    Call,
    Conversion,
    Target,
    TargetError,
    UnsupportedError,
    casts,
    library,
    processor,
)
from halfcl.audit._targets.foreign_arrays import attribute


class Tensor(Protocol):
    """A tensor of PyTorch."""

    def to(self, device_or_dtype: object, /) -> Tensor: ...
    def cpu(self) -> Tensor: ...
    def numpy(self) -> Array: ...


Function: TypeAlias = Callable[..., Tensor | Sequence[Tensor]]

#: halfcl's names, with PyTorch's if these differ.
_NAMES: dict[str, str] = {
    **{name: name for name in (
        "add subtract multiply divide exp exp2 expm1 log log2 log10 log1p hypot pow rsqrt sqrt "
        "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh lgamma fmod trunc ceil "
        "floor copysign fmax fmin nextafter ldexp frexp isfinite isinf isnan signbit clamp"
    ).split()},
    "erf": "special.erf", "erfc": "special.erfc", "negative": "neg", "rint": "round",
       "fabs": "abs", "degrees": "rad2deg", "radians": "deg2rad", "mix": "lerp",
    "isequal": "eq", "isnotequal": "ne", "isgreater": "gt", "isgreaterequal": "ge",
       "isless": "lt", "islessequal": "le",
}  # fmt: skip

#: Functions that need an expression of one call. Expressions of several calls are left out: no
#: single function of PyTorch is responsible for their results.
_EXPRESSIONS: dict[str, tuple[str, Function]] = {
    "fma": ("torch.addcmul(c, a, b)", lambda torch, a, b, c: torch.addcmul(c, a, b)),
    "pown": ("torch.pow(x, n)", lambda torch, x, n: torch.pow(x, n)),
}

#: Functions of vectors along the last axis.
_VECTORS: dict[str, tuple[str, Function, tuple[int, ...]]] = {
    "length": (
        "torch.linalg.vector_norm(x, dim=-1)",
        lambda torch, x: torch.linalg.vector_norm(x, dim=-1), (2, 3, 4, 16),
    ),
    "normalize": (
        "torch.nn.functional.normalize(x, dim=-1)",
        lambda torch, x: torch.nn.functional.normalize(x, dim=-1), (2, 3, 4),
    ),
    "dot": (
        "torch.linalg.vecdot(x, y)", lambda torch, x, y: torch.linalg.vecdot(x, y), (2, 3, 4, 16),
    ),
    "cross": ("torch.linalg.cross(x, y)", lambda torch, x, y: torch.linalg.cross(x, y), (3,)),
}  # fmt: skip

#: Reductions along the last axis.
_REDUCTIONS: dict[str, tuple[str, Function]] = {
    "sum": ("torch.sum(x, dim=-1)", lambda torch, x: torch.sum(x, dim=-1)),
    "mean": ("torch.mean(x, dim=-1)", lambda torch, x: torch.mean(x, dim=-1)),
    "var": (
        "torch.var(x, dim=-1, correction=0)",
        lambda torch, x: torch.var(x, dim=-1, correction=0),
    ),
    "norm": (
        "torch.linalg.vector_norm(x, dim=-1)",
        lambda torch, x: torch.linalg.vector_norm(x, dim=-1),
    ),
    "softmax": ("torch.softmax(x, dim=-1)", lambda torch, x: torch.softmax(x, dim=-1)),
    "layer_norm": (
        "torch.nn.functional.layer_norm(x, x.shape[-1:])",
        lambda torch, x: torch.nn.functional.layer_norm(x, x.shape[-1:]),
    ),
}  # fmt: skip

#: The dtypes of conversions.
_TYPES = ("float32", "float64", "int8", "uint8", "int16", "int32", "int64")


class PyTorchTarget:
    """One device of PyTorch."""

    def __init__(self, device: str) -> None:
        self._torch = library("torch", "torch", "torch")
        self._device = device or "cpu"
        self._try_device()

    def _try_device(self) -> None:
        try:
            self._torch.zeros(1, device=self._device).cpu()
        except Exception as error:
            raise TargetError(
                f"target: expected a device of torch, got {self._device!r}: {_first_line(error)}"
            ) from error

    def describe(self) -> TargetInfo:
        torch, facts = self._torch, {"threads": str(self._torch.get_num_threads())}
        device = processor()
        if self._device.startswith("cuda"):
            device = torch.cuda.get_device_name(self._device)
            facts = {"CUDA": str(torch.version.cuda)}
        elif self._device != "cpu":
            device = self._device
        elif hasattr(torch.backends.cpu, "get_cpu_capability"):
            facts["instructions"] = torch.backends.cpu.get_cpu_capability()
        name = "torch" if self._device == "cpu" else f"torch:{self._device}"
        return TargetInfo(name, "PyTorch", torch.__version__, device, facts)

    def functions(self) -> Mapping[str, Call]:
        calls = {}
        for name, theirs in _NAMES.items():
            function = attribute(self._torch, theirs)  # None in a version without it
            if function is not None:
                calls[name] = Call(f"torch.{theirs}", self._on_tensors(function))
        for name, (spelled, function) in _EXPRESSIONS.items():
            calls[name] = Call(spelled, self._on_tensors(function, self._torch))
        return calls

    def conversions(self) -> Iterable[Conversion]:
        return casts(_TYPES, "x.to(torch.{})", self._cast)

    def _cast(self, name: str, x: Array) -> Array | tuple[Array, ...]:
        return self._on_tensors(lambda tensor: tensor.to(getattr(self._torch, name)))(x)

    def vectors(self) -> Mapping[str, Call]:
        return {
            name: Call(spelled, self._on_tensors(function, self._torch), widths=widths)
            for name, (spelled, function, widths) in _VECTORS.items()
        }

    def reductions(self) -> Mapping[str, Call]:
        return {
            name: Call(spelled, self._on_tensors(function, self._torch))
            for name, (spelled, function) in _REDUCTIONS.items()
        }

    def _on_tensors(
        self, function: Function, *first: ModuleType
    ) -> Callable[..., Array | tuple[Array, ...]]:
        """Return a function of tensors on the device as one of arrays."""

        def call(*arrays: Array) -> Array | tuple[Array, ...]:
            try:
                tensors = [self._torch.from_numpy(x).to(self._device) for x in arrays]
                results: Any = function(*first, *tensors)
                if isinstance(results, self._torch.Tensor):
                    array: Array = results.cpu().numpy()
                    return array
                return tuple(result.cpu().numpy() for result in results)
            except RuntimeError as error:
                raise self._explain(error) from error

        return call

    def _explain(self, error: RuntimeError) -> Exception:
        """Return the error, or another one for unsupported functions and lost devices."""
        line = _first_line(error)
        if isinstance(error, NotImplementedError) or "not implemented for" in line:
            return UnsupportedError(line)
        try:
            self._try_device()
        except TargetError:
            return TargetError(f"torch: expected the device {self._device} to work, got {line}")
        return error


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


def make(rest: str) -> Target:
    """Return the target on a device, by PyTorch's name: "cpu", "cuda", "cuda:1", "mps"."""
    return PyTorchTarget(rest)
