"""Compile halfcl's functions into callables over a device's arrays."""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn, TypeAlias

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

import halfcl as hc
from halfcl import _core
from halfcl._tables import TABLE
from halfcl.device._backends.libraries import DeviceArray, Results
from halfcl.device._backends.machine import AnyMachine, Launchers
from halfcl.device._other_functions import OTHERS, other_function
from halfcl.device._reductions.operations import check_place, mask
from halfcl.device._reductions.products import DeviceProducts
from halfcl.device._reductions.reducing import REDUCTIONS, DeviceReduction, DeviceReductions
from halfcl.device._reductions.running_sums import DeviceRunningSums
from halfcl.device._source.catalogue import MODES, SHORT, Form, forms, hint, select_forms
from halfcl.device._source.kernel_text import ARRAY, NUMBER, ONE, Kernel
from halfcl.typing import RoundingMode

_ROWS = {row.name: row for row in TABLE if row.public}

#: NumPy's letters by kind and size of a dtype: C's long may be an int or a long long.
_LETTERS = {(np.dtype(c).kind, np.dtype(c).itemsize): c for c in "?bBhHiIqQefd"}

#: Narrower dtypes that the host accepts in place of a half or an integer.
_NARROWER = {"e": frozenset("?bB"), "i": frozenset("?bBhH"), "H": frozenset("?B")}


#: An operand of a kernel: an array, or a number as NumPy's scalar.
_Operand: TypeAlias = DeviceArray | np.generic

#: The array for a result, or None for a new one.
_Out: TypeAlias = DeviceArray | None


def compile(where: object, functions: Iterable[str] | None = None) -> DeviceFunctions:
    """Return halfcl's functions on a device, over its arrays.

    Each function accepts what the host's function of that name does, with arrays of the device in
    place of NumPy's, and returns the same bits: correctly rounded, whatever rounding the device
    has. A function is compiled at its first call.

    Parameters
    ----------
    where : pyopencl.CommandQueue, pyopencl.Context, cupy.cuda.Device or cupy.cuda.Stream
        Where kernels run. A context means a new queue on its first device; a CUDA device means
        the stream that is current at the call.
    functions : iterable of str, optional
        Names of functions; by default all that devices have.

    Returns
    -------
    DeviceFunctions
        An object with the functions as attributes.

    Raises
    ------
    TypeError
        If where has another type, or functions is not an iterable of names.
    ValueError
        If there is no function of a name.
    DeviceError
        If the device lacks what the functions need, or its arithmetic breaks IEEE 754. This is
        tested once per device, before the first functions are compiled for it.

    See Also
    --------
    opencl, cuda : the functions' source, for kernels of your own.

    Notes
    -----
    Operands are arrays of float16 (halfcl.half, where the device's arrays can hold it); some may
    be numbers. They are broadcast. Results are new arrays, or the arrays in ``out=``.
    ``rounding=`` and regions work as on the host, except arrays of modes. No flags are raised.
    Source: this library; the functions are those of cl_khr_fp16.

    Examples
    --------
    >>> import halfcl.device
    >>> halfcl.device.compile("cpu")
    Traceback (most recent call last):
        ...
    TypeError: where: expected a pyopencl.CommandQueue or Context, or a cupy.cuda.Device or \
Stream, got 'cpu'
    """
    names = {form.name for form in select_forms(functions)}
    return DeviceFunctions(_machine(where), [name for name in _host_names() if name in names])


def _machine(where: object) -> AnyMachine:
    """Return the device of an object; only libraries that are imported already are tried."""
    cl, cupy = sys.modules.get("pyopencl"), sys.modules.get("cupy")
    if cl is not None and isinstance(where, (cl.CommandQueue, cl.Context)):
        from halfcl.device._backends.on_opencl import OpenCLMachine

        return OpenCLMachine(where)
    if cupy is not None and isinstance(
        where, (cupy.cuda.Device, cupy.cuda.Stream, cupy.cuda.ExternalStream)
    ):
        from halfcl.device._backends.on_cuda import CudaMachine

        return CudaMachine(where)
    raise TypeError(
        "where: expected a pyopencl.CommandQueue or Context, or a cupy.cuda.Device or Stream, "
        f"got {where!r}"
    )


def _host_names() -> list[str]:
    """Return the names of functions for devices that the host has, too."""
    return [name for name in forms() if isinstance(getattr(hc, name, None), _core.Function)]


class DeviceFunctions:
    """halfcl's functions on a device, from `compile`; each is an attribute."""

    def __init__(self, machine: AnyMachine, names: Sequence[str]) -> None:
        self.machine, self._names = machine, tuple(names)
        self.launcher = Launchers(machine)
        self.reductions = DeviceReductions(machine)
        self.products = DeviceProducts(machine, self.reductions)
        self.matmul = self.products.matmul
        self.running_sums = DeviceRunningSums(machine)
        self.cumsum = self.running_sums.cumsum

    def __repr__(self) -> str:
        shown = ", ".join(self._names[:6]) + (", ..." if len(self._names) > 6 else "")
        return f"<halfcl.device.DeviceFunctions: {len(self._names)} on {self.machine!r}: {shown}>"

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._names, *REDUCTIONS, *OTHERS]

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name in REDUCTIONS:
            reduction = DeviceReduction(self.reductions, name)
            setattr(self, name, reduction)
            return reduction
        full = SHORT.get(name, name)
        if full not in self._names:
            other = None if name.startswith("_") else other_function(self, name)
            if other is not None:
                return other
            raise AttributeError(f"{name}: {self._explain_missing(name)}", name=name, obj=self)
        function = DeviceFunction(self.machine, full, self.launcher)
        setattr(self, name, function)
        return function

    def _explain_missing(self, name: str) -> str:
        stem, _, mode = name.rpartition("_")
        if mode in MODES and SHORT.get(stem, stem) in forms():
            return f"use {stem} with rounding={mode!r}"
        is_known = SHORT.get(name, name) in _host_names()
        if is_known:
            return "not among the functions that were compiled"
        return f"no function for devices{hint(name)}"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "functions of a device cannot be copied or pickled; use halfcl.device.compile"
        )


class DeviceFunction:
    """One function over a device's arrays, as `halfcl.Function` is over NumPy's."""

    def __init__(
        self, machine: AnyMachine, name: str, launcher: Callable[[Kernel], object]
    ) -> None:
        self._machine, self._launcher, self._host = machine, launcher, getattr(hc, name)
        self._forms = {form.inputs: form for form in forms()[name]}
        self._is_conversion = name not in _ROWS
        form = next(iter(self._forms.values()))
        self._governed = _ROWS[name].governed if name in _ROWS else "exact"
        if name == "convert_half":
            self._governed = "operator"
        self._default, self._vectors = form.default, form.vectors
        self._has_one_mode = self._governed == "exact" and form.default == "rte"
        self.nin, self.nout = len(form.inputs), len(form.outputs)
        self.__name__ = self.__qualname__ = name
        self.__doc__ = self._host.__doc__

    __reduce__ = DeviceFunctions.__reduce__

    def __repr__(self) -> str:
        return f"<halfcl.device function {self.__name__!r} on {self._machine!r}>"

    def __call__(
        self, *operands: object, out: object = None, rounding: RoundingMode | None = None,
        **others: object,
    ) -> Any:  # fmt: skip
        if self._machine.is_array(rounding) or isinstance(rounding, np.ndarray):
            raise ValueError("rounding: expected one mode on a device, got an array")
        if rounding is not None:
            _core.check_mode(rounding)
        if self._vectors and ("axis" in others or "keepdims" in others):
            return self._call_along_axis(operands, out, rounding, **others)
        where = (
            None if self._vectors else mask(self._machine, self.__name__, others.pop("where", True))
        )
        inputs, outs = self._read(operands, out, others)
        mode = rounding or self._region_mode()
        number_mode = rounding or hc.get_rounding()
        if not any(self._machine.is_array(x) for x in inputs):
            return self._calculate_on_host(inputs, outs, mode, where)
        form, converted = self._convert_operands(inputs, number_mode)
        self._check_outs(form, outs)
        shape, width = self._shape(form, inputs, converted, outs, where)
        dtype: type[np.floating[Any]] = np.float16
        if any(getattr(getattr(x, "dtype", None), "type", None) is hc.half for x in inputs):
            dtype = hc.half
        return self._calculate(form, mode, converted, outs, shape, width, dtype, where)

    def _call_along_axis(
        self, operands: tuple[object, ...], out: object, rounding: RoundingMode | None,
        axis: object = -1, keepdims: object = False, **others: object,
    ) -> DeviceArray:  # fmt: skip
        """Call a function of vectors along another axis than the last, or with keepdims."""
        machine, name = self._machine, self.__name__
        inputs, outs = self._read(operands, out, others)
        form = next(iter(self._forms.values()))
        self._check_outs(form, outs)
        if keepdims and form.vectors == "vector":
            raise TypeError(f"{name}: keepdims: expected False, since results are vectors")
        moved = [self._move_axis(x, axis, -1) for x in inputs]
        result: DeviceArray = self(*moved, rounding=rounding)
        if form.vectors == "vector":
            turned = self._move_axis(result, -1, axis)
            result = machine.broadcast(turned, turned.shape)  # contiguous in C's order
        elif keepdims:
            at = normalize_axis_index(_index(axis), len(result.shape) + 1)
            result = machine.reshape(result, (*result.shape[:at], 1, *result.shape[at:]))
        (target,) = outs
        if target is None:
            return result
        if target.shape != result.shape:
            raise ValueError(f"{name}: out: expected shape {result.shape}, got {target.shape}")
        machine.assign(target, result, None)
        return target

    def _move_axis(self, x: object, source: object, target: object) -> Any:
        """Return an array with an axis moved; other arguments as they are."""
        if not self._machine.is_array(x) or not x.shape:
            return x
        axes = len(x.shape)
        start, end = (normalize_axis_index(_index(k), axes) for k in (source, target))
        return x if start == end else self._machine.move_axis(x, start, end)

    def _region_mode(self) -> RoundingMode:
        if self._governed == "operator":
            return hc.get_rounding()
        return _core.get_builtin_rounding() if self._governed == "builtin" else self._default

    # ------------------------------------------------------------ arguments

    def _read(
        self, operands: tuple[object, ...], out: object, others: dict[str, object]
    ) -> tuple[list[object], list[_Out]]:
        """Return the inputs, and the arrays for results, None for new ones."""
        machine, name, more = self._machine, self.__name__, len(operands) - self.nin
        if others or not 0 <= more <= self.nout:
            self._refuse([self._stand_in(x) for x in operands], **others)
            raise TypeError(
                f"{name}: expected no {', '.join(others)} on a device; use the host's function"
            )
        if more and out is not None:
            raise TypeError("cannot specify 'out' as both a positional and keyword argument")
        targets = [*operands[self.nin :], *[None] * (self.nout - more)] if more else self._outs(out)
        outs: list[Any] = targets  # checked next
        for x in outs:
            if x is not None and not machine.is_array(x):
                raise TypeError(f"{name}: out: expected a {machine.array_name}, got {_kind(x)}")
        for k, x in enumerate((*operands[: self.nin], *outs)):
            if machine.is_array(x):
                check_place(
                    machine, self._describe_argument(k) if k < self.nin else f"{name}: out", x
                )
        return list(operands[: self.nin]), outs

    def _outs(self, out: object) -> list[object]:
        if out is None:
            return [None] * self.nout
        if isinstance(out, tuple) and len(out) != self.nout:
            raise ValueError("The 'out' tuple must have exactly one entry per ufunc output")
        if not isinstance(out, tuple) and self.nout > 1:
            raise TypeError("'out' must be a tuple of arrays")
        return list(out) if isinstance(out, tuple) else [out]

    def _describe_argument(self, k: int) -> str:
        row = _ROWS.get(self.__name__)
        argument = row.argument_names[k] if row else "x"
        return f"{self.__name__}: argument {k + 1} ({argument})"

    def _stand_in(self, x: object) -> object:
        """Return a stand-in of an operand for the host's checks: an empty array for an array."""
        if not self._machine.is_array(x):
            return x
        return np.empty((0, *x.shape[-1:]) if self._vectors else 0, x.dtype)

    def _refuse(self, operands: Sequence[object], **others: object) -> None:
        """Call the host's function, so that it raises its error for these operands."""
        with np.errstate(all="ignore"):
            self._host(*operands, **others)

    # ------------------------------------------------------------ operands of the right types

    def _convert_operands(
        self, inputs: Sequence[object], mode: RoundingMode
    ) -> tuple[Form, list[_Operand]]:
        """Return the form for the operands, and these as arrays and NumPy's scalars."""
        machine, letters = self._machine, list[str]()
        for x in inputs:
            letters.append(_letter(x.dtype) if machine.is_array(x) else "")
        form = self._form(letters[0]) if self._is_conversion else None
        form = form or next(iter(self._forms.values()))
        return form, [
            self._array(x, letter, expected, k)
            if machine.is_array(x) else self._number(x, expected, k, mode, inputs)
            for k, (x, letter, expected) in enumerate(
                zip(inputs, letters, form.inputs, strict=True)
            )
        ]  # fmt: skip

    def _form(self, letter: str) -> Form | None:
        """Return the form of a conversion for a dtype's letter, or None."""
        form = self._forms.get("B" if letter == "?" else letter)
        if form is None and letter == "e":
            return forms()["positive"][0]  # convert_half of halves
        return form

    def _array(self, x: DeviceArray, letter: str, expected: str, k: int) -> DeviceArray:
        """Return an array in the expected dtype; raise the host's error if it has another."""
        if letter == "?" and expected in "BHi":
            x, letter = self._machine.view(x, np.uint8), "B"
        if letter == expected:
            return x
        if letter in _NARROWER.get(expected, ()) and not self._is_conversion:
            if expected != "e":
                x = self._machine.as_type(x, np.dtype(expected))
            else:
                x = DeviceFunction(self._machine, "convert_half", self._launcher)(x)
            return x
        stand_in = self._stand_in(x)
        self._refuse([stand_in] if self.nin == 1 else self._host_operands(stand_in, k))
        raise TypeError(
            f"{self._describe_argument(k)}: expected {self._describe_expected(expected)}, got "
            f"{x.dtype}"
        )

    def _host_operands(self, operand: object, k: int) -> list[object]:
        """Return operands for the host: empty arrays, and the one in question."""
        letters = next(iter(self._forms))
        operands: list[object] = [
            np.empty(0, hc.half if letter == "e" else letter) for letter in letters
        ]
        operands[k] = operand
        return operands

    def _describe_expected(self, expected: str) -> str:
        if self._is_conversion:
            types = [np.dtype(c).name for c in self._forms]
            return f"an array of {' or '.join(types)}"
        return f"an array of {np.dtype(expected).name}"

    def _number(
        self, x: object, expected: str, k: int, mode: RoundingMode, inputs: Sequence[object]
    ) -> np.generic:
        """Return a number as NumPy's scalar; a half as its bits."""
        if isinstance(x, np.ndarray) and x.ndim == 0:
            x = x[()]
        number: np.generic
        if isinstance(x, (bool, int, float, np.generic)):
            if self._vectors:
                self._refuse([self._stand_in(y) for y in inputs])
            if expected == "e" or not isinstance(x, (float, np.floating)):
                letter = _letter(x.dtype) if isinstance(x, np.generic) else expected
                if expected == "e" and letter in ("e", *_NARROWER["e"]):
                    bits: Any = np.asarray(_as_half(x, mode)).view(np.uint16)
                    number = bits[()]
                    return number
                if letter == expected or letter in _NARROWER.get(expected, ()):
                    number = np.dtype(expected).type(x)
                    return number
        machine = self._machine
        if x is None or isinstance(x, (bool, int, float, complex, str, bytes, np.generic)):
            self._refuse(self._host_operands(x, k))
        raise TypeError(
            f"{self._describe_argument(k)}: expected a {machine.array_name} or a number, got "
            f"{_kind(x)}; "
            f"{machine.to_device} puts an array on the device"
        )

    # ------------------------------------------------------------ shapes

    def _shape(
        self,
        form: Form,
        inputs: Sequence[object],
        operands: Sequence[_Operand],
        outs: Sequence[_Out],
        where: _Out,
    ) -> tuple[tuple[int, ...], int]:
        """Return the results' shape without components, and the number of components or 0."""
        arrays = [x for x in operands if not isinstance(x, np.generic)]
        width = self._width(form, inputs, arrays) if form.vectors else 0
        shapes = [x.shape[:-1] if width else x.shape for x in arrays]
        shapes += [] if where is None else [where.shape]
        try:
            shape = shapes[0] if len(shapes) == 1 else np.broadcast_shapes(*shapes)
        except ValueError:
            self._refuse(self._zeros(inputs))
            raise
        return self._shape_with_outs(form, inputs, outs, shape, width), width

    def _zeros(self, inputs: Sequence[object]) -> list[object]:
        """Return zeros of the operands' shapes, which take no memory, for the host's checks."""
        is_array = self._machine.is_array
        return [
            np.broadcast_to(np.zeros((), x.dtype), x.shape) if is_array(x) else x for x in inputs
        ]

    def _width(self, form: Form, inputs: Sequence[object], arrays: Sequence[DeviceArray]) -> int:
        if any(x.shape == () for x in arrays) or len({x.shape[-1] for x in arrays}) > 1:
            self._refuse(self._zeros(inputs))
            raise ValueError(f"{self.__name__}: expected vectors of one number of components")
        width = arrays[0].shape[-1]
        if width not in form.widths:
            self._refuse([np.zeros((0, width), x.dtype) for x in arrays])
            widths = ", ".join(map(str, form.widths))
            raise ValueError(
                f"{self.__name__}: expected vectors of {widths} components along the last axis "
                f"on a device, got {width}"
            )
        return width

    def _shape_with_outs(
        self, form: Form, inputs: Sequence[object], outs: Sequence[_Out], shape: tuple[int, ...],
        width: int,
    ) -> tuple[int, ...]:  # fmt: skip
        """Return the shape to broadcast results to; raise the host's error if there is none."""
        out_shapes = [tuple(out.shape) for out in outs if out is not None]
        components = (width,) if form.vectors == "vector" else ()
        try:
            full = np.broadcast_shapes((*shape, *components), *out_shapes)
        except ValueError:
            full = ()
        axes = len(full) - len(components)
        if all(own == full for own in out_shapes) and full[axes:] == components:
            return full[:axes]
        stand_ins = [None if x is None else np.empty(x.shape, x.dtype) for x in outs]
        self._refuse(self._zeros(inputs), out=tuple(stand_ins))
        raise ValueError(f"{self.__name__}: out: expected shape {shape}, got {out_shapes}")

    def _check_outs(self, form: Form, outs: Sequence[_Out]) -> None:
        for out, letter in zip(outs, form.outputs, strict=True):
            if out is not None and _letter(out.dtype) != letter:
                raise TypeError(
                    f"{self.__name__}: out: expected an array of {np.dtype(letter).name}, "
                    f"got {out.dtype}"
                )

    # ------------------------------------------------------------ results

    def _calculate(
        self, form: Form, mode: RoundingMode, operands: Sequence[_Operand], outs: Sequence[_Out],
        shape: tuple[int, ...], width: int, dtype: type[np.floating[Any]], where: _Out,
    ) -> Results:  # fmt: skip
        """Allocate results, run the kernel, and store results in out where necessary."""
        machine = self._machine
        arrays = [x for x in operands if not isinstance(x, np.generic)]
        order = _order(arrays, outs, shape) if not width else "C"
        full = (*shape, width) if form.vectors == "vector" else shape
        written = [
            out
            if out is not None
            and where is None
            and self._is_writable(out, full, order, arrays, outs)
            else machine.empty(full, dtype if c == "e" else np.dtype(c), order, arrays[0])
            for out, c in zip(outs, form.outputs, strict=True)
        ]  # fmt: skip
        count = math.prod(shape)
        if count:
            self._run(form, mode, operands, written, shape, width, count, order)
        for out, result in zip(outs, written, strict=True):
            if out is not None and out is not result:
                machine.assign(out, result, where)
        results = [
            result if out is None else out for out, result in zip(outs, written, strict=True)
        ]
        return results[0] if self.nout == 1 else tuple(results)

    def _is_writable(
        self, out: DeviceArray, shape: tuple[int, ...], order: str,
        arrays: Sequence[DeviceArray], outs: Sequence[_Out],
    ) -> bool:  # fmt: skip
        """Return whether a kernel may write into out directly."""
        machine = self._machine
        return (
            out.shape == shape
            and _is_contiguous(out, order)
            and sum(x is not None for x in outs) == 1
            and not self._vectors
            and all(machine.is_separate(out, x) for x in arrays)
        )

    def _run(
        self, form: Form, mode: RoundingMode, operands: Sequence[_Operand],
        written: Sequence[DeviceArray], shape: tuple[int, ...], width: int, count: int, order: str,
    ) -> None:  # fmt: skip
        """Launch the kernel for operands of these shapes."""
        machine, kinds, arguments = self._machine, list[str](), list[_Operand]()
        for x in operands:
            kind = NUMBER
            if not isinstance(x, np.generic):
                kind = ONE if count > 1 and _size(x) == max(width, 1) else ARRAY
                is_ready = kind == ARRAY and x.shape == shape and _is_contiguous(x, order)
                if not is_ready:
                    full = x.shape if kind == ONE else (*shape, width) if width else shape
                    x = machine.broadcast(x, full)
            kinds.append(kind)
            arguments.append(x)
        wide = machine.is_wide and not width
        if wide:
            flat = [x for x, kind in zip(arguments, kinds, strict=True) if kind == ARRAY]
            wide = all(machine.is_aligned(x) for x in (*flat, *written))
        mode = "rte" if self._has_one_mode else mode
        whole = not wide and machine.is_whole(count)
        kernel = Kernel(form, mode, tuple(kinds), width, wide, whole)
        machine.run(self._launcher(kernel), kernel, count, arguments, written)

    def _calculate_on_host(
        self, inputs: Sequence[object], outs: Sequence[_Out], mode: RoundingMode, where: _Out
    ) -> Results:
        """Compute with numbers only on the host, and copy the result to the device."""
        for k, x in enumerate(inputs):
            if isinstance(x, (np.ndarray, list, tuple)) and np.ndim(x):
                self._number(x, next(iter(self._forms))[k], k, mode, inputs)
        computed = self._host(*inputs, rounding=mode)
        results = computed if isinstance(computed, tuple) else (computed,)
        form = next(iter(self._forms.values()))
        self._check_outs(form, outs)
        shape = self._shape_with_outs(form, inputs, outs, () if where is None else where.shape, 0)
        arrays = [self._machine.from_host(np.full(shape, _plain(x))) for x in results]
        for k, out in enumerate(outs):
            if out is not None:
                self._machine.assign(out, arrays[k], where)
                arrays[k] = out
        return arrays[0] if self.nout == 1 else tuple(arrays)


# ---------------------------------------------------------------- helpers


def _index(axis: object) -> int:
    """Return the number of an axis; raise TypeError if it is none."""
    index: Any = axis
    return operator.index(index)


def _letter(dtype: np.dtype[Any]) -> str:
    """Return NumPy's letter of a dtype, "e" for both halves, or "" if devices lack the dtype."""
    if dtype.type is hc.half:
        return "e" if dtype.isnative else ""
    return _LETTERS.get((dtype.kind, dtype.itemsize), "") if dtype.isnative else ""


def _as_half(x: float | np.generic, mode: RoundingMode) -> np.floating[Any]:
    """Return a number rounded to half."""
    if isinstance(x, np.float16):
        return x
    return hc.half(x.item() if isinstance(x, np.generic) else x, rounding=mode)


def _plain(x: np.generic) -> np.generic:
    """Return half as float16, which every device's arrays support."""
    return x.view(np.float16) if isinstance(x, hc.half) else x


def _kind(x: object) -> str:
    return type(x).__name__


def _size(x: DeviceArray) -> int:
    return math.prod(x.shape)


def _is_contiguous(x: DeviceArray, order: str) -> bool:
    return bool(x.flags.c_contiguous if order == "C" else x.flags.f_contiguous)


def _order(arrays: Sequence[DeviceArray], outs: Sequence[_Out], shape: tuple[int, ...]) -> str:
    """Return the memory order in which all arrays lie already, or C's."""
    every = [*(x for x in arrays if x.shape != ()), *(x for x in outs if x is not None)]
    is_fortran = all(x.shape == shape and x.flags.f_contiguous for x in every)
    return "F" if is_fortran and not all(x.flags.c_contiguous for x in every) else "C"
