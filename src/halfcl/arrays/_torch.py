"""PyTorch's tensors, on the host and on CUDA devices."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, TypeGuard, TypeVar

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
from halfcl.arrays._torch_ops import DTYPES, gradient_of, refuse_tangents, register
from halfcl.arrays._torch_transforms import Results, with_gradient
from halfcl.device._catalogue import forms
from halfcl.device._kernel_text import ARRAY as ARRAY_KIND, NUMBER
from halfcl.reductions._arguments import Call, as_halves, numbers
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
    return _detached(x).numpy()


#: The dtypes that NumPy has, too: those of halfcl's arguments and results are among them.
_DTYPES_OF_NUMPY = frozenset({*DTYPES.values(), torch.float64, torch.complex64, torch.complex128})


def _detached(x: Tensor) -> Tensor:
    """Return the tensor without its gradient, if nobody keeps that, and with its own values in
    memory: a negated view has others there."""
    if x.dtype not in _DTYPES_OF_NUMPY:
        converts = "; x.half() converts it" if torch.is_floating_point(x) else ""
        raise TypeError(f"expected half, float16, bool, int8 or uint8, got {x.dtype}{converts}")
    refuse_tangents([x])
    if _is_wrapped(x):
        raise TypeError(
            "expected torch.Tensor with elements, got one within torch.func's transforms "
            "(vmap, grad), which this function does not take"
        )
    if x.requires_grad and torch.is_grad_enabled():
        raise TypeError(
            "expected torch.Tensor without a gradient, got one that requires it: x.detach()"
        )
    return x.detach().resolve_neg()


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


_M = TypeVar("_M", bound=Callable[..., object])


def _out_of_graph(method: _M) -> _M:
    """Decorate a method that PyTorch's compiler leaves to Python, with all that it calls."""
    left_to_python = torch.compiler.disable(method)

    @functools.wraps(method)
    def call(*args: object, **kwargs: object) -> object:
        # `disable` alone would cost each call a microsecond, whoever compiles or not.
        made: object = (left_to_python if torch.compiler.is_compiling() else method)(
            *args, **kwargs
        )
        return made

    return call  # type: ignore[return-value]


class _TorchPart(Part[Tensor]):
    """Whose functions are operators of PyTorch, too, for what has a gradient or no elements."""

    def _made(
        self, name: str, args: Sequence[object], kwargs: Mapping[str, object],
        call: Callable[[Home[Tensor], list[Any], dict[str, Any]], object],
    ) -> object:  # fmt: skip
        """Autograd is told what was written, as PyTorch's own functions tell it."""
        _refuse_negated(name, kwargs.get("out"))
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
        self._home(name, args)  # refuses arrays of other libraries
        operands = _as_tensors(name, ufunc, args, rounding or hc.get_rounding())
        if any(map(_is_wrapped, operands)):
            refuse_tangents(operands, name)
            return with_gradient(
                lambda *tensors: getattr(hc, name)(*tensors, rounding=mode),
                gradient_of(name, mode), operands,  # type: ignore[arg-type]
            )  # fmt: skip
        return getattr(torch.ops.halfcl, name)(*operands, rounding=mode)

    # ------------------------------------------------------------ reductions with gradients

    @_out_of_graph
    def reduce(self, call: Call) -> object:
        tensors = [x for x in (*call.arrays, call.where) if _is_tensor(x)]
        has_gradient = any(map(_keeps_gradient, call.arrays)) and call.name in gradients.NAMES
        if not has_gradient and not any(map(_is_wrapped, tensors)):
            return super().reduce(call)
        self._home(call.name, [*call.arrays, call.where])  # refuses arrays of other libraries
        refuse_tangents(tensors, call.name)
        _refuse_out(call.name, call.out)
        mode = _mode_of(call.rounding)
        bound = call._replace(rounding=mode)
        operands = [
            x if _is_tensor(x) else _half_as_tensor(call.name, x, mode) for x in call.arrays
        ]
        count, masks = len(operands), [call.where] if _is_tensor(call.where) else []

        def run(*tensors: Tensor) -> object:
            where: Any = tensors[count] if masks else call.where
            return self.reduce(bound._replace(arrays=tensors[:count], where=where))

        return with_gradient(run, gradients.of_reduction(bound, mode), [*operands, *masks])

    @_out_of_graph
    def cumsum(
        self, a: Tensor, axis: int | None, dtype: DTypeLike | None, out: object,
        rounding: RoundingMode | None,
    ) -> object:  # fmt: skip
        if not _keeps_gradient(a) and not _is_wrapped(a):
            return super().cumsum(a, axis, dtype, out, rounding)
        refuse_tangents([a], "cumsum")
        _refuse_out("cumsum", out)
        mode = _mode_of(rounding)
        return with_gradient(
            lambda x: self.cumsum(x, axis, dtype, None, mode),
            gradients.of_running_sums(axis, mode), [a],
        )  # fmt: skip

    @_out_of_graph
    def matmul(
        self, a: object, b: object, out: object, exact: bool, rounding: RoundingMode | None
    ) -> object:
        tensors = [x for x in (a, b) if _is_tensor(x)]
        if not any(_keeps_gradient(x) or _is_wrapped(x) for x in tensors):
            return super().matmul(a, b, out, exact, rounding)
        self._home("matmul", [a, b])  # refuses arrays of other libraries
        refuse_tangents(tensors, "matmul")
        _refuse_out("matmul", out)
        mode = _mode_of(rounding)
        operands = [x if _is_tensor(x) else _half_as_tensor("matmul", x, mode) for x in (a, b)]
        return with_gradient(
            lambda x, y: self.matmul(x, y, None, exact, mode),
            gradients.of_matmul(exact, mode), operands,
        )  # fmt: skip


def _keeps_gradient(x: object) -> bool:
    """Whether it is a tensor that a gradient is kept of, outside of torch.func's transforms."""
    return (
        _is_tensor(x) and x.requires_grad and torch.is_grad_enabled()
        and type(x) in (torch.Tensor, torch.nn.Parameter) and not _is_wrapped(x)
    )  # fmt: skip


def _refuse_negated(name: str, out: object) -> None:
    """TypeError where results would be written to memory that holds other numbers than the view."""
    for x in _tensors({"out": out}):
        if _is_tensor(x) and x.is_neg():
            raise TypeError(
                f"{name}: out: expected torch.Tensor with its values in memory, got a negated "
                "view; out.resolve_neg() makes a tensor of it"
            )


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


def _as_tensors(
    name: str, ufunc: np.ufunc, args: Sequence[object], rounding: RoundingMode
) -> list[Tensor]:
    """Return operands as tensors: numbers and lists become what the host makes of them, or are
    refused as there."""
    if all(map(_is_tensor, args)):
        return list(args)  # type: ignore[arg-type]
    letters = forms()[name][0].inputs
    stand_ins: list[Any] = [
        np.zeros(x.shape[-1:] if ufunc.signature else (), letter) if _is_tensor(x) else x
        for x, letter in zip(args, letters, strict=True)
    ]
    with np.errstate(all="ignore"):
        getattr(hc, name)(*stand_ins)
    device = next(filter(_is_tensor, args)).device
    return [
        x if _is_tensor(x) else _as_tensor(x, letter, rounding, device)
        for x, letter in zip(args, letters, strict=True)
    ]


def _half_as_tensor(name: str, x: object, rounding: RoundingMode) -> Tensor:
    """Return a number, or a list, beside a tensor in a reduction or product as halves."""
    array = as_halves(numbers(name, "b", x)) if np.ndim(x) else hc.half(x, rounding=rounding)  # type: ignore[arg-type]
    tensor: Tensor = torch.from_numpy(np.array(array).view(np.float16))
    return tensor


def _as_tensor(x: object, letter: str, rounding: RoundingMode, device: object) -> Tensor:
    """Return a number, or a list of some, as a tensor of the type that NumPy has a letter for."""
    with np.errstate(all="ignore"):  # no other library warns of what its elements become
        number: Any = x
        array: Any = (
            hc.convert(number, np.float16, rounding=rounding)
            if letter == "e"
            else np.array(number, letter)
        )
    tensor: Tensor = torch.from_numpy(np.array(array))
    return tensor.to(device) if tensor.ndim else tensor  # PyTorch takes numbers of the host


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
