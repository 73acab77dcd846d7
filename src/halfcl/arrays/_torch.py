"""PyTorch's tensors, on the host and on CUDA devices."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import DTypeLike, NDArray

import halfcl as hc
from halfcl import _core
from halfcl._support.extras import require
from halfcl.arrays import _torch_reductions as gradients
from halfcl.arrays._cuda import functions_on, half_bits, launch
from halfcl.arrays._libraries import Tensor
from halfcl.arrays._on_device import OnDevice
from halfcl.arrays._part import Home, Host, Part, has_modes, refuse_random
from halfcl.arrays._torch_ops import DTYPES, Results, register
from halfcl.device._kernel_text import ARRAY as ARRAY_KIND, NUMBER
from halfcl.reductions._arguments import Call
from halfcl.typing import RoundingMode

torch = import_module("torch")

#: The class of arrays that this part knows.
ARRAY: type[Tensor] = torch.Tensor


def _home(x: Tensor) -> Home[Tensor]:
    if x.layout is not torch.strided:
        raise TypeError(f"expected a dense torch.Tensor, got one of layout {x.layout}")
    return _home_on(x.device.type, x.device.index)


@functools.cache
def _home_on(kind: str, number: int | None) -> Home[Tensor]:
    if kind == "cpu":
        return Host("torch.Tensor on cpu", _on_host, torch.from_numpy)
    if kind == "cuda" and number is not None:
        return _on_cuda(number)
    raise TypeError(f"expected torch.Tensor on the CPU or a CUDA device, got one on {kind}")


def _on_host(x: Tensor) -> NDArray[np.generic]:
    """The same memory as NumPy's array."""
    try:
        return _detached(x).numpy()
    except (RuntimeError, TypeError) as error:  # of dtypes that NumPy lacks, of negated views
        raise TypeError(
            f"expected torch.Tensor that NumPy can read, got {x.dtype}: {error}"
        ) from None


def _detached(x: Tensor) -> Tensor:
    """Without its gradient, if nobody keeps that."""
    if x.requires_grad and torch.is_grad_enabled():
        raise TypeError(
            "expected torch.Tensor without a gradient, got one that requires it: x.detach()"
        )
    return x.detach()


def _on_cuda(number: int) -> OnDevice[Tensor]:
    cupy: Any = require("cupy", "CuPy", "cuda", "to compute with torch.Tensor on CUDA devices")

    def memory(size: int) -> Any:
        """From PyTorch's allocator, of the device and stream in force."""
        tensor = torch.empty(size, dtype=torch.uint8, device=f"cuda:{number}")
        unowned = cupy.cuda.UnownedMemory(tensor.data_ptr(), size, tensor, number)
        return cupy.cuda.MemoryPointer(unowned, 0)

    @contextmanager
    def entered() -> Iterator[None]:
        with (
            cupy.cuda.Device(number),
            _stream(_current_stream(number), number),
            cupy.cuda.using_allocator(memory),
        ):
            yield

    return OnDevice(
        f"torch.Tensor on cuda:{number}", functions_on(number),
        lambda x: cupy.from_dlpack(_detached(x)), torch.from_dlpack, entered,
    )  # fmt: skip


def _other(x: object) -> object:
    """A dtype of PyTorch's as NumPy's."""
    return np.dtype(str(x).removeprefix("torch.")) if isinstance(x, torch.dtype) else x


class _TorchPart(Part[Tensor]):
    """Whose functions are operators of PyTorch, too, for what has a gradient or no elements."""

    def _made(
        self, name: str, args: Sequence[object], kwargs: Mapping[str, object],
        call: Callable[[Home[Tensor], list[Any], dict[str, Any]], object],
    ) -> object:  # fmt: skip
        """Autograd is told what was written, as PyTorch's own functions tell it."""
        made = super()._made(name, args, kwargs, call)
        for out in filter(_is_tensor, _tensors({"out": kwargs.get("out")})):
            torch.autograd.graph.increment_version(out)
        return made

    def call_ufunc(
        self, ufunc: np.ufunc, args: Sequence[object], kwargs: Mapping[str, object],
        rounding: RoundingMode | None,
    ) -> object:  # fmt: skip
        found = None if kwargs or has_modes(rounding) else _at_once(ufunc, args, rounding)
        if found is not None:
            return found
        given = args if len(args) == ufunc.nin and not kwargs else [*args, *_tensors(kwargs)]
        if all(map(_is_plain, given)):
            return super().call_ufunc(ufunc, _as_numbers(args), kwargs, rounding)
        name, _, mode = ufunc.__name__.rpartition("_")
        if len(args) != ufunc.nin or kwargs:
            raise TypeError(
                f"{name}: expected neither out nor other keywords where a gradient is kept"
            )
        if has_modes(rounding):
            raise TypeError(
                f"{name}: rounding: expected one mode where a gradient is kept, got an array"
            )
        refuse_random()
        numbers: RoundingMode = rounding or hc.get_rounding()
        operands = [x if _is_tensor(x) else _as_tensor(x, numbers) for x in args]
        return getattr(torch.ops.halfcl, name)(*operands, rounding=mode)

    # ------------------------------------------------------------ reductions with gradients

    def reduce(self, call: Call) -> object:
        is_wanted = any(map(_keeps_gradient, call.arrays)) and call.name in gradients.NAMES
        if not is_wanted or not all(_is_tensor(x) or np.ndim(x) == 0 for x in call.arrays):  # type: ignore[arg-type]
            return super().reduce(call)
        _refuse_out(call.name, call.out)
        mode = _mode_of(call.rounding)
        bound = call._replace(rounding=mode)
        operands = [x if _is_tensor(x) else _as_tensor(x, mode) for x in call.arrays]
        count, masks = len(operands), [call.where] if _is_tensor(call.where) else []
        return gradients.with_gradient(
            lambda *tensors: Part.reduce(self, bound._replace(arrays=tensors[:count])),
            gradients.of_reduction(bound, mode), [*operands, *masks],
        )  # fmt: skip

    def cumsum(
        self, a: Tensor, axis: int | None, dtype: DTypeLike | None, out: object,
        rounding: RoundingMode | None,
    ) -> object:  # fmt: skip
        if not _keeps_gradient(a):
            return super().cumsum(a, axis, dtype, out, rounding)
        _refuse_out("cumsum", out)
        mode = _mode_of(rounding)
        return gradients.with_gradient(
            lambda x: Part.cumsum(self, x, axis, dtype, None, mode),
            gradients.of_running_sums(axis, mode), [a],
        )  # fmt: skip

    def matmul(
        self, a: object, b: object, out: object, exact: bool, rounding: RoundingMode | None
    ) -> object:
        if not (_keeps_gradient(a) or _keeps_gradient(b)) or not (_is_tensor(a) and _is_tensor(b)):
            return super().matmul(a, b, out, exact, rounding)
        _refuse_out("matmul", out)
        mode = _mode_of(rounding)
        return gradients.with_gradient(
            lambda x, y: Part.matmul(self, x, y, None, exact, mode),
            gradients.of_matmul(exact, mode), [a, b],
        )  # fmt: skip


def _keeps_gradient(x: object) -> bool:
    """Whether it is a tensor that a gradient is kept of, outside of torch.func's transforms."""
    return (
        _is_tensor(x) and x.requires_grad and torch.is_grad_enabled()
        and type(x) in (torch.Tensor, torch.nn.Parameter) and not _is_wrapped(x)
    )  # fmt: skip


def _refuse_out(name: str, out: object) -> None:
    if out is not None:
        raise TypeError(f"{name}: argument out: expected none where a gradient is kept")


def _mode_of(rounding: RoundingMode | None) -> RoundingMode:
    """The mode of a call, whose gradient is rounded in it, too."""
    refuse_random()
    if rounding is not None:
        _core.check_mode(rounding)
    return rounding or hc.get_rounding()


def _at_once(
    ufunc: np.ufunc, args: Sequence[object], rounding: RoundingMode | None
) -> Tensor | tuple[Tensor, ...] | None:
    """Of tensors of one shape on the current CUDA device, and of numbers where halves are taken;
    None of anything else."""
    first = next(filter(_is_tensor, args))
    return _launched(ufunc, args, rounding, first) if first.is_cuda else None


def _launched(
    ufunc: np.ufunc, args: Sequence[object], rounding: RoundingMode | None, first: Tensor
) -> Tensor | tuple[Tensor, ...] | None:
    number, shape = _current_device(), first.shape
    made = launch(ufunc, number, tuple([ARRAY_KIND if _is_tensor(x) else NUMBER for x in args]))
    count = first.numel()
    if made is None or not count:
        return None
    operands: list[object] = []
    are_apart = False
    for x, letter in zip(args, made.inputs, strict=True):
        if not _is_tensor(x):
            if not isinstance(x, (float, int)) or letter != "e" or type(x) is bool:
                return None
            operands.append(half_bits(x, rounding))
        elif (
            x.dtype is DTYPES[letter] and x.shape == shape and _is_plain(x) and not x.is_neg()
            and x.get_device() == number
        ):  # fmt: skip
            are_apart |= not x.is_contiguous()
            operands.append(x)
        else:
            return None
    if are_apart:
        operands = _lying_alike(operands, first)
        first = next(filter(_is_tensor, operands))
    given = [x.data_ptr() if _is_tensor(x) else x for x in operands]
    if any(isinstance(place, int) and place & 15 for place in given):
        return None
    results = [torch.empty_like(first, dtype=DTYPES[letter]) for letter in made.outputs]
    places = [x.data_ptr() for x in results]
    made(count, given, places, _stream(_current_stream(number), number))
    return results[0] if len(results) == 1 else tuple(results)


def _lying_alike(operands: list[object], first: Tensor) -> list[object]:
    """Tensors whose elements lie in memory in one order and without gaps: as they are if they do,
    else copies. Beside numbers."""
    dense = torch.empty_like(first).stride()
    if all(not _is_tensor(x) or x.stride() == dense for x in operands):
        return operands
    return [x.contiguous() if _is_tensor(x) else x for x in operands]


#: What PyTorch's own compiler asks; its public functions make an object first.
_current_device: Callable[[], int] = getattr(torch._C, "_cuda_getDevice", torch.cuda.current_device)
_current_stream: Callable[[int], int] = getattr(
    torch._C,
    "_cuda_getCurrentRawStream",
    lambda number: torch.cuda.current_stream(number).cuda_stream,
)


@functools.lru_cache(1 << 10)
def _stream(stream: int, number: int) -> Any:
    """A stream of PyTorch's, to be made CuPy's current one."""
    cupy: Any = require("cupy", "CuPy", "cuda", "to compute with torch.Tensor on CUDA devices")
    if hasattr(cupy.cuda.Stream, "from_external"):  # since CuPy 14
        return cupy.cuda.Stream.from_external(_Stream(stream))
    return cupy.cuda.ExternalStream(stream, number)


class _Stream:
    """A stream by CUDA's protocol of them."""

    def __init__(self, place: int) -> None:
        self._place = place

    def __cuda_stream__(self) -> tuple[int, int]:
        """The protocol's version, and where the stream is."""
        return 0, self._place


def _is_tensor(x: object) -> TypeGuard[Tensor]:
    return isinstance(x, ARRAY)


def _tensors(kwargs: Mapping[str, object]) -> list[object]:
    return [y for x in kwargs.values() for y in (x if isinstance(x, tuple) else (x,))]


def _is_plain(x: object) -> bool:
    """Whether it is no tensor, or one with elements whose gradient nobody keeps."""
    if not _is_tensor(x):
        return True
    if type(x) is not torch.Tensor and type(x) is not torch.nn.Parameter:
        return False
    return not (x.requires_grad and torch.is_grad_enabled()) and not _is_wrapped(x)


#: Whether it is a tensor within torch.func's transforms.
_is_wrapped: Callable[[Tensor], bool] = getattr(
    torch._C._functorch, "is_functorch_wrapped_tensor", lambda x: False
)


def _as_numbers(args: Sequence[object]) -> list[object]:
    """With numbers in place of tensors without axes that lie on the host, beside those that do not:
    so PyTorch takes them."""
    if not any(_is_tensor(x) and x.device.type != "cpu" for x in args):
        return list(args)
    return [
        x.detach().numpy()[()] if _is_tensor(x) and x.ndim == 0 and x.device.type == "cpu" else x
        for x in args
    ]


def _as_tensor(x: object, rounding: RoundingMode) -> Tensor:
    """A number, of which a float is rounded to half."""
    number: Any = x
    if isinstance(x, (int, np.bool, np.integer)):
        made: Tensor = torch.tensor(number)
    else:
        made = torch.tensor(float(hc.half(number, rounding=rounding)), dtype=torch.float16)
    return made


def _plain(name: str, operands: Sequence[Tensor], rounding: RoundingMode | None) -> Results:
    """The function of tensors with elements, as an operator has it."""
    if rounding is not None:
        _core.check_mode(rounding)
    ufunc = getattr(getattr(hc, name), rounding or "rte")
    found: Any = Part.call_ufunc(PART, ufunc, _as_numbers(operands), {}, rounding)
    results: Results = found
    return results


PART = _TorchPart(ARRAY, _home, _other)
register(_plain)
