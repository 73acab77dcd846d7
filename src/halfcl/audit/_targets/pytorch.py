"""PyTorch's functions on tensors of float16, on any of its devices."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import ModuleType
from typing import Any, Protocol, TypeAlias

from halfcl.audit._mistakes import Array
from halfcl.audit._report import TargetInfo
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
    """An array of PyTorch."""

    def to(self, device_or_dtype: object, /) -> Tensor: ...
    def cpu(self) -> Tensor: ...
    def numpy(self) -> Array: ...


Function: TypeAlias = Callable[..., Tensor | Sequence[Tensor]]

#: halfcl's names, and PyTorch's where it has another.
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

#: What takes an expression of one function: what many calls compute together is no function of
#: PyTorch's to be blamed for.
_EXPRESSIONS: dict[str, tuple[str, Function]] = {
    "fma": ("torch.addcmul(c, a, b)", lambda torch, a, b, c: torch.addcmul(c, a, b)),
    "pown": ("torch.pow(x, n)", lambda torch, x, n: torch.pow(x, n)),
}

#: Vectors lie along the last axis.
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

#: Along the last axis.
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

#: The types that it converts from and to.
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
                f"target: torch has no device {self._device!r} here: {_first_line(error)}"
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
        found = {}
        for name, theirs in _NAMES.items():
            function = attribute(self._torch, theirs)  # None in a version without it
            if function is not None:
                found[name] = Call(f"torch.{theirs}", self._on_tensors(function))
        for name, (spelled, function) in _EXPRESSIONS.items():
            found[name] = Call(spelled, self._on_tensors(function, self._torch))
        return found

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
        """A function of arrays out of one of tensors on the device."""

        def of_arrays(*arrays: Array) -> Array | tuple[Array, ...]:
            try:
                tensors = [self._torch.from_numpy(x).to(self._device) for x in arrays]
                results: Any = function(*first, *tensors)
                if isinstance(results, self._torch.Tensor):
                    found: Array = results.cpu().numpy()
                    return found
                return tuple(result.cpu().numpy() for result in results)
            except RuntimeError as error:
                raise self._explained(error) from error

        return of_arrays

    def _explained(self, error: RuntimeError) -> Exception:
        """What it does not compute, and a device that is gone, are told apart from mistakes."""
        line = _first_line(error)
        if isinstance(error, NotImplementedError) or "not implemented for" in line:
            return UnsupportedError(line)
        try:
            self._try_device()
        except TargetError:
            return TargetError(f"torch: the device {self._device} is lost: {line}")
        return error


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


def make(rest: str) -> Target:
    """The target on a device, by PyTorch's name: "cpu", "cuda", "cuda:1", "mps"."""
    return PyTorchTarget(rest)
