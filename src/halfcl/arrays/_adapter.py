"""Run a call on the device that its arrays lie on; base class of the libraries' adapters."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Generic, Protocol, TypeAlias, TypeGuard, TypeVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

import halfcl as hc
from halfcl import _core
from halfcl._support.foreign import adapter_for
from halfcl.reductions import Accumulator
from halfcl.reductions._arguments import Call
from halfcl.reductions._functions import prepare_and_reduce
from halfcl.typing import RoundingMode


class Shaped(Protocol):
    """An array of any library."""

    @property
    def shape(self) -> tuple[int, ...]: ...


_A = TypeVar("_A", bound=Shaped)

#: A function of elements, vectors or matrices, on the host or on a device.
Function: TypeAlias = Callable[..., object]


class Device(ABC, Generic[_A]):
    """A device that arrays lie on and functions run on; `str()` gives its name.

    There is one object per device. unwrap and wrap: convert between the library's arrays and those
    that the device's functions accept and return, on the same memory; enter: returns the context in
    which functions run: a device and a stream may be current.
    """

    def __init__(
        self, name: str, unwrap: Callable[[_A], object], wrap: Callable[[Any], _A],
        enter: Callable[[], AbstractContextManager[object]],
    ) -> None:  # fmt: skip
        self._name, self.unwrap, self.wrap, self.enter = name, unwrap, wrap, enter

    def __str__(self) -> str:
        return self._name

    @abstractmethod
    def function(self, name: str) -> Function:
        """Return a function of halfcl for this device."""

    def call_function(
        self, function: Function, args: list[object], kwargs: dict[str, object]
    ) -> object:
        """Call a function that is not in the table, such as convert."""
        return self.function(function.__name__)(*args, **kwargs)

    @abstractmethod
    def reduce(self, call: Call) -> object: ...

    @abstractmethod
    def accumulate(self, accumulator: Accumulator, arrays: Sequence[Any], where: Any) -> None: ...

    @abstractmethod
    def continue_cumsum(
        self, accumulator: Accumulator, a: Any, dtype: DTypeLike | None,
        rounding: RoundingMode | None,
    ) -> object: ...  # fmt: skip

    @abstractmethod
    def from_host(self, x: NDArray[Any]) -> _A:
        """Return a copy of an array of the host on this device."""


class Host(Device[_A]):
    """The host, whose functions accept a library's arrays as NumPy's."""

    def __init__(
        self, name: str, unwrap: Callable[[_A], object], wrap: Callable[[np.ndarray], _A]
    ) -> None:
        # Other libraries do not warn of overflow or NaNs.
        enter = functools.partial(np.errstate, all="ignore")
        super().__init__(name, unwrap, lambda x: wrap(_with_float16(x)), enter)

    def function(self, name: str) -> Function:
        function: Function = getattr(hc, name)
        return function

    def call_function(
        self, function: Function, args: list[object], kwargs: dict[str, object]
    ) -> object:
        return function(*args, **kwargs)

    def reduce(self, call: Call) -> object:
        return prepare_and_reduce(call)

    def accumulate(
        self, accumulator: Accumulator, arrays: Sequence[ArrayLike], where: ArrayLike
    ) -> None:
        accumulator.add(*arrays, where=where)

    def continue_cumsum(
        self, accumulator: Accumulator, a: ArrayLike, dtype: DTypeLike | None,
        rounding: RoundingMode | None,
    ) -> object:  # fmt: skip
        return accumulator.cumsum(a, dtype=dtype, rounding=rounding)

    def from_host(self, x: NDArray[Any]) -> _A:
        return self.wrap(x)


def _with_float16(x: object) -> NDArray[Any]:
    """Return a result as an array of NumPy's own types."""
    array = np.asarray(x)
    return array.view(np.float16) if array.dtype.type is hc.half else array


class Adapter(Generic[_A]):
    """Pass halfcl's functions on to a library's arrays; see `_support/foreign.py`.

    array: the class of its arrays; device_of: return an array's device, or raise a TypeError that
    says what is wrong with the array; convert: turn other arguments, such as a dtype, into what
    halfcl accepts; is_written: whether its arrays can be written to.
    """

    #: Arrays of modes are passed on, too; the adapter accepts or refuses them.
    takes_modes = True

    def __init__(
        self, array: type[_A] | tuple[type, ...], device_of: Callable[[_A], Device[_A]],
        convert: Callable[[object], Any] = lambda x: x, is_written: bool = True,
    ) -> None:  # fmt: skip
        self._array, self._device_of, self._convert = array, device_of, convert
        self._is_written = is_written

    # ------------------------------------------------------------ calls

    def call_ufunc(
        self, ufunc: np.ufunc, args: Sequence[object], kwargs: Mapping[str, object],
        rounding: RoundingMode | None,
    ) -> object:  # fmt: skip
        """Call a function of the table in the given mode, or in the region's."""
        name = ufunc.__name__.rpartition("_")[0]
        inputs, outs = list(args[: ufunc.nin]), tuple(args[ufunc.nin :])
        if outs and "out" not in kwargs and len(outs) <= ufunc.nout:
            kwargs = {**kwargs, "out": outs + (None,) * (ufunc.nout - len(outs))}
        elif outs:
            inputs = list(args)  # the function refuses them
        return self._run(
            name, inputs, {**kwargs, "rounding": rounding},
            lambda device, args, kwargs: device.function(name)(*args, **kwargs),
        )  # fmt: skip

    def call(self, function: Function, *args: object, **kwargs: object) -> object:
        """Call a function that is not in the table."""
        return self._run(
            function.__name__, args, kwargs,
            lambda device, args, kwargs: device.call_function(function, args, kwargs),
        )  # fmt: skip

    def call_method(
        self, ufunc: np.ufunc, method: str, args: Sequence[object], kwargs: Mapping[str, object]
    ) -> object:
        """Call a method of a function of the table; only outer is supported."""
        name, _, mode = ufunc.__name__.rpartition("_")
        if method == "outer" and ufunc.nin == 2 and ufunc.signature is None and len(args) == 2:
            one, other = self._align_for_outer(*args)
            return self.call_ufunc(ufunc, (one, other), kwargs, mode)  # type: ignore[arg-type]
        raise TypeError(
            f"{name}.{method}: expected NumPy arrays, got {self._describe(args)}; use halfcl.sum, "
            "cumsum and the other reductions, which are exact"
        )

    def _align_for_outer(self, *operands: object) -> tuple[object, object]:
        """Return the operands of outer with their axes apart, so that they broadcast."""
        arrays: Any = operands
        one, other = arrays
        a, b = (len(x.shape) if self._is_own(x) else np.ndim(x) for x in arrays)
        return (one.reshape((*one.shape, *(1,) * b)) if a and b else one), other

    # ------------------------------------------------------------ reductions

    def reduce(self, call: Call) -> object:
        if call.out is None and call.where is True and all(map(self._is_own, call.arrays)):
            device = self._common_device(call)
            if device is not None:
                return self._reduce_arrays(device, call)
        return self._run(
            call.name, call.arrays, {"out": call.out, "where": call.where, "dtype": call.dtype},
            lambda device, args, kwargs: device.reduce(call._replace(arrays=tuple(args), **kwargs)),
        )  # fmt: skip

    def _common_device(self, call: Call) -> Device[_A] | None:
        """Return the one device of a call whose arguments are all the library's, or None."""
        arrays: Any = call.arrays
        try:
            device, *others = map(self._device_of, arrays)
        except TypeError as error:
            raise _prefix_error(call.name, error) from None
        return device if all(other is device for other in others) else None

    def _reduce_arrays(self, device: Device[_A], call: Call) -> object:
        """Fast path of `_run` for a reduction without `out` or mask.

        It takes a third of the steps, since for few elements a call's time is mostly the host's.
        """
        with device.enter():
            try:
                arrays: tuple[object, ...] = tuple(map(device.unwrap, call.arrays))  # type: ignore[arg-type]
                dtype: Any = None if call.dtype is None else self._convert(call.dtype)
            except TypeError as error:
                raise _prefix_error(call.name, error) from None
            result = device.reduce(
                Call(call.name, arrays, call.axis, dtype, None, call.keepdims, call.initial, True,
                     call.ddof, call.rounding)
            )  # fmt: skip
            return device.wrap(result)

    def cumsum(
        self, a: _A, axis: int | None, dtype: DTypeLike | None, out: object,
        rounding: RoundingMode | None,
    ) -> object:  # fmt: skip
        return self._run(
            "cumsum", [a], {"dtype": dtype, "out": out},
            lambda device, args, kwargs: device.function("cumsum")(
                args[0], axis=axis, rounding=rounding, **kwargs
            ),
        )  # fmt: skip

    def accumulate(self, accumulator: Accumulator, arrays: Sequence[object], where: object) -> None:
        """Add arrays to an accumulator, as `Accumulator.add` does."""
        device = self._device("Accumulator.add", [*arrays, where])
        with device.enter():
            *unwrapped, mask = self._unwrap_all("Accumulator.add", device, [*arrays, where])
            device.accumulate(accumulator, unwrapped, mask)

    def continue_cumsum(
        self, accumulator: Accumulator, a: _A, dtype: DTypeLike | None,
        rounding: RoundingMode | None,
    ) -> object:  # fmt: skip
        """Continue a running sum, as `Accumulator.cumsum` does."""
        return self._run(
            "Accumulator.cumsum", [a], {"dtype": dtype},
            lambda device, args, kwargs: device.continue_cumsum(
                accumulator, args[0], kwargs["dtype"], rounding
            ),
        )  # fmt: skip

    def from_host(self, x: NDArray[Any], like: _A) -> _A:
        """Return a copy of an array of the host on the device that another one lies on."""
        device = self._device_of(like)
        with device.enter():
            return device.from_host(x)

    def matmul(
        self, a: object, b: object, out: object, exact: bool, rounding: RoundingMode | None
    ) -> object:
        return self._run(
            "matmul", [a, b], {"out": out},
            lambda device, args, kwargs: device.function("matmul")(
                *args, exact=exact, rounding=rounding, **kwargs
            ),
        )  # fmt: skip

    # ------------------------------------------------------------ devices

    def _run(
        self, name: str, args: Sequence[object], kwargs: Mapping[str, object],
        call: Callable[[Device[_A], list[Any], dict[str, Any]], object],
    ) -> object:  # fmt: skip
        """Run a call on its arrays' device; return arrays of the library, or out."""
        outs = kwargs.get("out")
        if outs is not None and not self._is_written:
            raise TypeError(
                f"{name}: out: expected None, since these arrays cannot be written to, got an array"
            )
        others = [x for key, x in kwargs.items() if key != "rounding"]
        device = self._device(name, [*args, *others])
        with device.enter():
            operands = self._unwrap_all(name, device, args)
            keywords = dict(
                zip(kwargs, self._unwrap_all(name, device, kwargs.values()), strict=True)
            )
            if outs is not None:
                _check_no_overlap(name, keywords["out"])
            result = call(device, operands, keywords)
            if outs is None and not isinstance(result, tuple):
                return device.wrap(result)
            results = result if isinstance(result, tuple) else (result,)
            targets = outs if isinstance(outs, tuple) else (outs,) * len(results)
            final = tuple(
                device.wrap(x) if out is None else out
                for x, out in zip(results, targets, strict=True)
            )
        return final if isinstance(result, tuple) else final[0]

    def _is_own(self, x: object) -> TypeGuard[_A]:
        return isinstance(x, self._array)

    def _unwrap_all(self, name: str, device: Device[_A], values: Iterable[object]) -> list[Any]:
        """Return arguments as the device's functions expect them."""
        try:
            return [x if x is None else self._unwrap(device, x) for x in values]
        except TypeError as error:
            raise _prefix_error(name, error) from None

    def _unwrap(self, device: Device[_A], x: object) -> object:
        if self._is_own(x):
            return device.unwrap(x)
        if isinstance(x, (tuple, list)):
            return type(x)(self._unwrap(device, y) for y in x)
        return self._convert(x)

    def _device(self, name: str, values: Sequence[object]) -> Device[_A]:
        """Return the one device of all arrays; raise TypeError if there are several."""
        devices: dict[str, Device[_A] | None] = {}
        for x in flatten(values):
            if x is None:
                continue
            if self._is_own(x):
                try:
                    device = self._device_of(x)
                except TypeError as error:
                    raise _prefix_error(name, error) from None
                devices[str(device)] = device
            elif (isinstance(x, np.ndarray) and x.ndim) or adapter_for(type(x)) is not None:
                devices[_describe(x)] = None
        (first, only), *more = devices.items()
        if more or only is None:
            raise TypeError(
                f"{name}: expected arrays of one library on one device, got "
                f"{' and '.join([first, *(key for key, _ in more)])}"
            )
        return only

    def _describe(self, values: Sequence[object]) -> str:
        return str(next(self._device_of(x) for x in values if self._is_own(x)))


def _prefix_error(name: str, error: TypeError) -> TypeError:
    """Return an argument's error with the function's name before it."""
    return TypeError(f"{name}: {error}")


def _check_no_overlap(name: str, out: object) -> None:
    """Raise ValueError if elements to be written share memory."""
    targets: Any = out if isinstance(out, tuple) else (out,)
    for x in targets:
        if not hasattr(x, "strides"):
            continue  # the function reports what it expected
        if any(step == 0 and length > 1 for step, length in zip(x.strides, x.shape, strict=True)):
            raise ValueError(
                f"{name}: out: expected elements that do not share memory, got shape "
                f"{x.shape} with strides {x.strides}"
            )


def refuse_random() -> None:
    """Raise RuntimeError in a region that rounds at random, which devices do not support."""
    if _core.rounds_at_random():
        raise RuntimeError(
            "halfcl.stability: expected arrays of the host, got arrays of a device or with "
            "gradients, which support the four rounding modes only"
        )


def has_modes(rounding: object) -> bool:
    """Return whether `rounding` is an array of modes."""
    return isinstance(rounding, np.ndarray)


def flatten(values: Iterable[object]) -> list[object]:
    """Return the values, with tuples such as out=(a, b) flattened."""
    return [y for x in values for y in (x if isinstance(x, tuple) else (x,))]


def _describe(x: object) -> str:
    """Return the name of the device of another library's array."""
    if isinstance(x, np.ndarray):
        return "numpy.ndarray on the host"
    adapter = adapter_for(type(x))
    if isinstance(adapter, Adapter):
        return adapter._describe([x])
    return f"{type(x).__module__}.{type(x).__name__}"
