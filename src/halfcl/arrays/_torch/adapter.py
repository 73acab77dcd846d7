"""Adapter for PyTorch's tensors, on the host and on CUDA devices."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from operator import attrgetter, methodcaller
from typing import Any, TypeGuard, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

import halfcl as hc
from halfcl import _core
from halfcl._support.extras import require_cupy
from halfcl.arrays._adapter import Adapter, Device, Host, flatten, has_modes, refuse_random
from halfcl.arrays._cuda import CudaProducts, functions_on, kernel_finder, reduction_finder
from halfcl.arrays._libraries import Tensor
from halfcl.arrays._on_device import Accelerator
from halfcl.arrays._torch import reductions as gradients
from halfcl.arrays._torch.operators import DTYPES, gradient_of, refuse_tangents, register
from halfcl.arrays._torch.transforms import Results, with_gradient
from halfcl.device._backends.on_cuda import is_double_emulated
from halfcl.device._source.catalogue import forms
from halfcl.reductions._arguments import Call, as_halves, numbers
from halfcl.typing import RoundingMode

torch = import_module("torch")

#: The class of arrays that this adapter handles.
ARRAY: type[Tensor] = torch.Tensor


def _device(x: Tensor) -> Device[Tensor]:
    if x.layout is not torch.strided:
        raise TypeError(f"expected a dense torch.Tensor, got one of layout {x.layout}")
    return _cached_device(x.device.type, x.device.index)


@functools.cache
def _cached_device(kind: str, number: int | None) -> Device[Tensor]:
    if kind == "cpu":
        return Host("torch.Tensor on cpu", _as_numpy, torch.from_numpy)
    if kind == "cuda" and number is not None:
        return _make_accelerator(number)
    raise TypeError(f"expected torch.Tensor on the CPU or a CUDA device, got one on {kind}")


def _as_numpy(x: Tensor) -> NDArray[np.generic]:
    """Return a tensor of the host as NumPy's array; memory is shared."""
    return _detach(x).numpy()


#: The dtypes that NumPy has, too, among them all of halfcl's arguments and results.
_DTYPES_OF_NUMPY = frozenset({*DTYPES.values(), torch.float64, torch.complex64, torch.complex128})


def _detach(x: Tensor) -> Tensor:
    """Return a tensor without its gradient and with its values resolved in memory.

    Raise TypeError if the gradient would be lost. A negated view has other values in memory.
    """
    if x.dtype not in _DTYPES_OF_NUMPY:
        hint = "; use x.half()" if torch.is_floating_point(x) else ""
        raise TypeError(f"expected half, float16, bool, int8 or uint8, got {x.dtype}{hint}")
    refuse_tangents([x])
    if _is_wrapped(x):
        raise TypeError(
            "expected torch.Tensor with elements, got one within torch.func's transforms "
            "(vmap, grad), which this function does not support"
        )
    if x.requires_grad and torch.is_grad_enabled():
        raise TypeError(
            "expected torch.Tensor without a gradient, got one that requires it; use x.detach()"
        )
    return x.detach().resolve_neg()


def _make_accelerator(number: int) -> Accelerator[Tensor]:
    """Return a GPU's functions for tensors, with PyTorch's streams and allocator."""
    cupy: Any = require_cupy("to compute with torch.Tensor on CUDA devices")

    def allocate(size: int) -> Any:
        """Allocate memory with PyTorch, on the current device and stream."""
        tensor = torch.empty(size, dtype=torch.uint8, device=f"cuda:{number}")
        unowned = cupy.cuda.UnownedMemory(tensor.data_ptr(), size, tensor, number)
        return cupy.cuda.MemoryPointer(unowned, 0)

    @contextmanager
    def enter() -> Iterator[None]:
        with (
            cupy.cuda.Device(number),
            _stream(_current_stream(number), number),
            cupy.cuda.using_allocator(allocate),
        ):
            yield

    return Accelerator(
        f"torch.Tensor on cuda:{number}", functions_on(number),
        lambda x: cupy.from_dlpack(_detach(x)), torch.from_dlpack, enter,
    )  # fmt: skip


def _convert(x: object) -> object:
    """Return PyTorch's dtype as NumPy's, and other arguments as they are."""
    return np.dtype(str(x).removeprefix("torch.")) if isinstance(x, torch.dtype) else x


_M = TypeVar("_M", bound=Callable[..., object])


def _out_of_graph(method: _M) -> _M:
    """Decorate a method that PyTorch's compiler leaves to Python, with all that it calls."""
    uncompiled = torch.compiler.disable(method)

    @functools.wraps(method)
    def call(*args: object, **kwargs: object) -> object:
        # `disable` alone would cost each call a microsecond, also when nothing is compiled.
        result: object = (uncompiled if torch.compiler.is_compiling() else method)(*args, **kwargs)
        return result

    return call  # type: ignore[return-value]


class _TorchAdapter(Adapter[Tensor]):
    """Adapter whose functions are operators of PyTorch, too.

    They handle tensors with gradients and tensors without elements.
    """

    def _run(
        self, name: str, args: Sequence[object], kwargs: Mapping[str, object],
        call: Callable[[Device[Tensor], list[Any], dict[str, Any]], object],
    ) -> object:  # fmt: skip
        """Run a call, and tell autograd which tensors were written, as PyTorch's functions do."""
        _refuse_negated(name, kwargs.get("out"))
        result = super()._run(name, args, kwargs, call)
        for out in filter(_is_tensor, flatten([kwargs.get("out")])):
            torch.autograd.graph.increment_version(out)
        return result

    def call_ufunc(
        self, ufunc: np.ufunc, args: Sequence[object], kwargs: Mapping[str, object],
        rounding: RoundingMode | None,
    ) -> object:  # fmt: skip
        if not kwargs and not has_modes(rounding):
            result = _ARRAYS.call(ufunc, args, rounding)
            if result is None and _have_gaps(args):
                arrays = [x.contiguous() if _is_tensor(x) else x for x in args]
                result = _ARRAYS.call(ufunc, arrays, rounding)
            if result is not None:
                return result
        values = [*args, *flatten(kwargs.values())] if kwargs else args
        if all(map(_is_plain, values)):
            return super().call_ufunc(ufunc, _as_numbers(args), kwargs, rounding)
        name, _, mode = ufunc.__name__.rpartition("_")
        if len(args) != ufunc.nin or kwargs:
            raise TypeError(
                f"{name}: expected no keywords with tensors that require gradients, got some; "
                "use x.detach()"
            )
        if has_modes(rounding):
            raise TypeError(
                f"{name}: rounding: expected one mode with tensors that require gradients, got "
                "an array of modes"
            )
        refuse_random()
        self._device(name, args)  # refuses arrays of other libraries
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
        result = _reduce_again(call)
        if result is not None:
            return result
        tensors = [x for x in (*call.arrays, call.where) if _is_tensor(x)]
        has_gradient = any(map(_keeps_gradient, call.arrays)) and call.name in gradients.NAMES
        if not has_gradient and not any(map(_is_wrapped, tensors)):
            return super().reduce(call)
        self._device(call.name, [*call.arrays, call.where])  # refuses arrays of other libraries
        refuse_tangents(tensors, call.name)
        _refuse_out(call.name, call.out)
        mode = _resolve_mode(call.rounding)
        bound = call._replace(rounding=mode)
        operands = [
            x if _is_tensor(x) else _half_as_tensor(call.name, x, mode) for x in call.arrays
        ]
        count, masks = len(operands), [call.where] if _is_tensor(call.where) else []

        def run(*tensors: Tensor) -> object:
            where: Any = tensors[count] if masks else call.where
            return self.reduce(bound._replace(arrays=tensors[:count], where=where))

        return with_gradient(run, gradients.gradient_of_reduction(bound, mode), [*operands, *masks])

    @_out_of_graph
    def cumsum(
        self, a: Tensor, axis: int | None, dtype: DTypeLike | None, out: object,
        rounding: RoundingMode | None,
    ) -> object:  # fmt: skip
        if not _keeps_gradient(a) and not _is_wrapped(a):
            return super().cumsum(a, axis, dtype, out, rounding)
        refuse_tangents([a], "cumsum")
        _refuse_out("cumsum", out)
        mode = _resolve_mode(rounding)
        return with_gradient(
            lambda x: self.cumsum(x, axis, dtype, None, mode),
            gradients.gradient_of_cumsum(axis, mode), [a],
        )  # fmt: skip

    @_out_of_graph
    def matmul(
        self, a: object, b: object, out: object, exact: bool, rounding: RoundingMode | None
    ) -> object:
        result = None if out is not None else _PRODUCTS.run(a, b, rounding)
        if result is not None:
            return result
        tensors = [x for x in (a, b) if _is_tensor(x)]
        if not any(_keeps_gradient(x) or _is_wrapped(x) for x in tensors):
            return super().matmul(a, b, out, exact, rounding)
        self._device("matmul", [a, b])  # refuses arrays of other libraries
        refuse_tangents(tensors, "matmul")
        _refuse_out("matmul", out)
        mode = _resolve_mode(rounding)
        operands = [x if _is_tensor(x) else _half_as_tensor("matmul", x, mode) for x in (a, b)]
        return with_gradient(
            lambda x, y: self.matmul(x, y, None, exact, mode),
            gradients.gradient_of_matmul(exact, mode), operands,
        )  # fmt: skip


def _keeps_gradient(x: object) -> bool:
    """Return whether `x` is a tensor with a gradient, outside of torch.func's transforms."""
    return (
        _is_tensor(x) and x.requires_grad and torch.is_grad_enabled()
        and type(x) in (torch.Tensor, torch.nn.Parameter) and not _is_wrapped(x)
    )  # fmt: skip


def _refuse_negated(name: str, out: object) -> None:
    """Raise TypeError if out is a negated view, whose memory holds other numbers."""
    for x in flatten([out]):
        if _is_tensor(x) and x.is_neg():
            raise TypeError(
                f"{name}: out: expected torch.Tensor with its values in memory, got a negated "
                "view; use out.resolve_neg()"
            )


def _refuse_out(name: str, out: object) -> None:
    if out is not None:
        raise TypeError(
            f"{name}: out: expected None with tensors that require gradients, got "
            f"{type(out).__name__}"
        )


def _resolve_mode(rounding: RoundingMode | None) -> RoundingMode:
    """Return the mode of a call, in which its gradient is rounded, too."""
    refuse_random()
    if rounding is not None:
        _core.check_mode(rounding)
    return rounding or hc.get_rounding()


def _reduce_again(call: Call) -> object:
    """Return the result of a reduction that is prepared, or None, also if its dtype is none."""
    if call.dtype is not None:
        try:
            dtype: Any = _convert(call.dtype)
        except TypeError:
            return None
        call = call._replace(dtype=dtype)
    return _ARRAYS.reduce(call)


def _have_gaps(args: Sequence[object]) -> bool:
    """Return whether tensors are plain, on CUDA devices, and not all in C's order without gaps."""
    tensors = list(filter(_is_tensor, args))
    return (
        all(x.is_cuda and _is_plain(x) for x in tensors)
        and not all(x.is_contiguous() for x in tensors)
    )  # fmt: skip


#: PyTorch's own compiler calls this; the public function creates an object first.
_current_stream: Callable[[int], int] = getattr(
    torch._C,
    "_cuda_getCurrentRawStream",
    lambda number: torch.cuda.current_stream(number).cuda_stream,
)


@functools.lru_cache(1 << 10)
def _stream(stream: int, number: int) -> Any:
    """Return a stream of PyTorch's as one of CuPy's."""
    cupy: Any = require_cupy("to compute with torch.Tensor on CUDA devices")
    if hasattr(cupy.cuda.Stream, "from_external"):  # since CuPy 14
        return cupy.cuda.Stream.from_external(_Stream(stream))
    return cupy.cuda.ExternalStream(stream, number)


class _Stream:
    """A stream that implements CUDA's stream protocol."""

    def __init__(self, place: int) -> None:
        self._address = place

    def __cuda_stream__(self) -> tuple[int, int]:
        """Return the protocol's version and the stream's address."""
        return 0, self._address


def _read(
    x: Tensor,
) -> tuple[int, int, tuple[int, ...], tuple[int, ...], np.dtype[np.generic]] | None:
    """Return a tensor's address, device, shape, strides in bytes and dtype; None for others."""
    dtype = _NUMPY_DTYPES.get(x.dtype)
    if dtype is None or not x.is_cuda or x.layout is not torch.strided:
        return None
    strides = tuple(step * dtype.itemsize for step in x.stride())
    return x.data_ptr(), x.get_device(), tuple(x.shape), strides, dtype


def _make_in_order(like: Tensor, letter: str) -> Tensor:
    """Return a new tensor that lies in memory like another one."""
    tensor: Tensor = torch.empty_like(like, dtype=DTYPES[letter])
    return tensor


def _maker_of_results(shape: tuple[int, ...], itemsize: int) -> Callable[[Tensor], Tensor]:
    return methodcaller("new_empty", shape, dtype=_BY_SIZE[itemsize])


def _empty(like: Tensor, shape: tuple[int, ...], itemsize: int) -> Tensor:
    return like.new_empty(shape, dtype=_BY_SIZE[itemsize])


def _can_multiply(number: int) -> bool:
    """Return whether PyTorch multiplies doubles as IEEE 754 does, and would not refuse to."""
    return not is_double_emulated() and not torch.are_deterministic_algorithms_enabled()


def _multiply(x: Tensor, is_x_turned: bool, y: Tensor, is_y_turned: bool) -> Tensor:
    product: Tensor = torch.matmul(x.mT if is_x_turned else x, y.mT if is_y_turned else y)
    return product.contiguous()


_NUMPY_DTYPES = {dtype: np.dtype(letter) for letter, dtype in DTYPES.items()}
_BY_SIZE = {2: torch.float16, 4: torch.float32, 8: torch.float64}


def _is_tensor(x: object) -> TypeGuard[Tensor]:
    return isinstance(x, ARRAY)


def _is_plain(x: object) -> bool:
    """Return whether `x` is no tensor, or a tensor with elements and without a gradient."""
    if not _is_tensor(x):
        return True
    if type(x) is not torch.Tensor and type(x) is not torch.nn.Parameter:
        return False
    return not (x.requires_grad and torch.is_grad_enabled()) and not _is_wrapped(x)


#: Return whether `x` is a tensor within torch.func's transforms.
_is_wrapped: Callable[[Tensor], bool] = getattr(
    torch._C._functorch, "is_functorch_wrapped_tensor", lambda x: False
)


def _as_numbers(args: Sequence[object]) -> list[object]:
    """Replace tensors without axes on the host by numbers, if others lie on a device.

    PyTorch's own functions accept them like this.
    """
    if not any(_is_tensor(x) and x.device.type != "cpu" for x in args):
        return list(args)
    return [
        x.detach().numpy()[()] if _is_tensor(x) and x.ndim == 0 and x.device.type == "cpu" else x
        for x in args
    ]


def _as_tensors(
    name: str, ufunc: np.ufunc, args: Sequence[object], rounding: RoundingMode
) -> list[Tensor]:
    """Return operands as tensors; numbers and lists are converted or refused as on the host."""
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
    """Return a number or a list beside a tensor in a reduction or product, as halves."""
    array = as_halves(numbers(name, "b", x)) if np.ndim(x) else hc.half(x, rounding=rounding)  # type: ignore[arg-type, call-overload]
    tensor: Tensor = torch.from_numpy(np.array(array).view(np.float16))
    return tensor


def _as_tensor(x: object, letter: str, rounding: RoundingMode, device: object) -> Tensor:
    """Return a number, or a list of some, as a tensor of the dtype with NumPy's letter."""
    with np.errstate(all="ignore"):  # other libraries do not warn of overflow or NaNs
        number: Any = x
        array: Any = (
            hc.convert(number, np.float16, rounding=rounding)
            if letter == "e"
            else np.array(number, letter)
        )
    tensor: Tensor = torch.from_numpy(np.array(array))
    return tensor.to(device) if tensor.ndim else tensor  # PyTorch accepts numbers of the host


def _plain(name: str, operands: Sequence[Tensor], rounding: RoundingMode | None) -> Results:
    """Call the function on tensors with elements; an operator's implementation."""
    if rounding is not None:
        _core.check_mode(rounding)
    ufunc = getattr(getattr(hc, name), rounding or "rte")
    result: Any = Adapter.call_ufunc(ADAPTER, ufunc, _as_numbers(operands), {}, rounding)
    results: Results = result
    return results


#: What makes a tensor special: a negated view, a gradient to be kept, torch.func's transforms. The
#: first of each pair is a function in C.
_SPECIAL = (
    (_is_wrapped, lambda x: True),
    (torch.Tensor.is_neg, lambda x: True),
    (attrgetter("requires_grad"), lambda x: torch.is_grad_enabled()),
)  # fmt: skip

_ARRAYS = _core.CudaArrays(
    (torch.Tensor, torch.nn.Parameter), getattr(torch.Tensor, "__dlpack_c_exchange_api__", None),
    _read, _current_stream, _SPECIAL,
    {letter: functools.partial(torch.empty_like, dtype=dtype) for letter, dtype in DTYPES.items()},
    _make_in_order, kernel_finder(_stream), reduction_finder(_maker_of_results),
)  # fmt: skip
_PRODUCTS = CudaProducts(_ARRAYS, _empty, _can_multiply, _multiply)

ADAPTER = _TorchAdapter(ARRAY, _device, _convert)
register(_plain)
