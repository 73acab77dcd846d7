"""compile: halfcl's functions as callables over a device's arrays."""

from __future__ import annotations

import math
import operator
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn, TypeAlias

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

import halfcl as hc
from halfcl import _core
from halfcl._tables import TABLE
from halfcl.device._catalogue import MODES, SHORT, Form, chosen, forms, hint
from halfcl.device._given import check_place, mask
from halfcl.device._kernel_text import ARRAY, NUMBER, ONE, Kernel
from halfcl.device._libraries import DeviceArray, Results
from halfcl.device._machine import AnyMachine
from halfcl.device._others import OTHERS, other_function
from halfcl.device._products import DeviceProducts
from halfcl.device._reducing import REDUCTIONS, DeviceReduction, DeviceReductions
from halfcl.device._running_sums import DeviceRunningSums
from halfcl.typing import RoundingMode

_ROWS = {row.name: row for row in TABLE if row.public}

#: The letters of dtypes, by kind and size: C's long is an int or a long long.
_LETTERS = {(np.dtype(c).kind, np.dtype(c).itemsize): c for c in "?bBhHiIqQefd"}

#: What is taken where a half, and where an integer is expected, as the host takes it.
_NARROWER = {"e": frozenset("?bB"), "i": frozenset("?bBhH"), "H": frozenset("?B")}


#: What a kernel is given: an array, or a number as NumPy's scalar.
_Operand: TypeAlias = DeviceArray | np.generic

#: Where a result goes; None: to a new array.
_Out: TypeAlias = DeviceArray | None


def compile(where: object, functions: Iterable[str] | None = None) -> DeviceFunctions:
    """halfcl's functions on a device, over its arrays.

    Each takes what the host's function of that name takes, with arrays of the device in place of
    NumPy's, and gives the same bits: correctly rounded, whatever rounding the device has. A
    function is compiled when it is first called.

    Parameters
    ----------
    where : pyopencl.CommandQueue, pyopencl.Context, cupy.cuda.Device or cupy.cuda.Stream
        Where kernels run. Of a context, a new queue on its first device; of a CUDA device, the
        stream that is current at the call.
    functions : iterable of str, optional
        Names of functions; all that devices have, unless given.

    Returns
    -------
    DeviceFunctions
        Its attributes are the functions.

    Raises
    ------
    TypeError
        If where is nothing of the kind, or functions is no iterable of names.
    ValueError
        If there is no function of a name.
    DeviceError
        If the device lacks what the functions need, or does not compute as IEEE 754 has it: that
        is tried out when the first functions are made for it.

    See Also
    --------
    opencl, cuda : the functions' source, for kernels of your own.

    Notes
    -----
    Operands are arrays of float16 (halfcl.half, where the device's arrays can hold it), of which
    some may be numbers. They are broadcast. Results are new arrays, or what ``out=`` says.
    ``rounding=`` and regions work as on the host, but for arrays of modes. No flags are raised.
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
    names = {form.name for form in chosen(functions)}
    return DeviceFunctions(_machine(where), [name for name in _on_host() if name in names])


def _machine(where: object) -> AnyMachine:
    """The device behind an object of a library that has been imported, then."""
    cl, cupy = sys.modules.get("pyopencl"), sys.modules.get("cupy")
    if cl is not None and isinstance(where, (cl.CommandQueue, cl.Context)):
        from halfcl.device._on_opencl import OpenCLMachine

        return OpenCLMachine(where)
    if cupy is not None and isinstance(
        where, (cupy.cuda.Device, cupy.cuda.Stream, cupy.cuda.ExternalStream)
    ):
        from halfcl.device._on_cuda import CudaMachine

        return CudaMachine(where)
    raise TypeError(
        "where: expected a pyopencl.CommandQueue or Context, or a cupy.cuda.Device or Stream, "
        f"got {where!r}"
    )


def _on_host() -> list[str]:
    """The names of those for devices that are functions of the host, too."""
    return [name for name in forms() if isinstance(getattr(hc, name, None), _core.Function)]


class DeviceFunctions:
    """halfcl's functions on a device, made by `compile`; each is an attribute."""

    def __init__(self, machine: AnyMachine, names: Sequence[str]) -> None:
        self.machine, self._names = machine, tuple(names)
        self._kernels: dict[Kernel, object] = {}
        self.reductions = DeviceReductions(machine)
        self.products = DeviceProducts(machine, self.reductions)
        self.matmul = self.products.matmul
        self.running_sums = DeviceRunningSums(machine)
        self.cumsum = self.running_sums.cumsum
        self._lock = threading.Lock()

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
            raise AttributeError(f"{name}: {self._lacks(name)}", name=name, obj=self)
        function = DeviceFunction(self.machine, full, self.launcher)
        setattr(self, name, function)
        return function

    def _lacks(self, name: str) -> str:
        stem, _, mode = name.rpartition("_")
        if mode in MODES and SHORT.get(stem, stem) in forms():
            return f"a mode is an argument of {stem}, rounding={mode!r}"
        is_there = SHORT.get(name, name) in _on_host()
        return "not among those asked for" if is_there else f"no function for devices{hint(name)}"

    def __reduce__(self) -> NoReturn:
        raise TypeError("functions of a device cannot be copied or pickled: compile makes them")

    def launcher(self, kernel: Kernel) -> object:
        """What launches a kernel, which is compiled once."""
        found = self._kernels.get(kernel)
        if found is None:
            with self._lock:
                found = self._kernels.get(kernel)
                if found is None:
                    found = self._kernels[kernel] = self.machine.compiled(kernel)
        return found


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
            return self._along(operands, out, rounding, **others)
        where = (
            None if self._vectors else mask(self._machine, self.__name__, others.pop("where", True))
        )
        inputs, outs = self._read(operands, out, others)
        mode = rounding or self._region_mode()
        number_mode = rounding or hc.get_rounding()
        if not any(self._machine.is_array(x) for x in inputs):
            return self._of_numbers(inputs, outs, mode, where)
        form, given = self._converted(inputs, number_mode)
        self._check_outs(form, outs)
        shape, width = self._shape(form, inputs, given, outs, where)
        dtype = np.float16
        if any(getattr(getattr(x, "dtype", None), "type", None) is hc.half for x in inputs):
            dtype = hc.half
        return self._calculated(form, mode, given, outs, shape, width, dtype, where)

    def _along(
        self, operands: tuple[object, ...], out: object, rounding: RoundingMode | None,
        axis: object = -1, keepdims: object = False, **others: object,
    ) -> DeviceArray:  # fmt: skip
        """A function of vectors along another axis than the last, or whose results keep it."""
        machine, name = self._machine, self.__name__
        inputs, outs = self._read(operands, out, others)
        form = next(iter(self._forms.values()))
        self._check_outs(form, outs)
        if keepdims and form.vectors == "vector":
            raise TypeError(f"{name}: keepdims: expected False, since results are vectors")
        moved = [self._moved(x, axis, -1) for x in inputs]
        made: DeviceArray = self(*moved, rounding=rounding)
        if form.vectors == "vector":
            turned = self._moved(made, -1, axis)
            made = machine.spread(turned, turned.shape)  # in C's order
        elif keepdims:
            at = normalize_axis_index(_index(axis), len(made.shape) + 1)
            made = machine.reshaped(made, (*made.shape[:at], 1, *made.shape[at:]))
        (target,) = outs
        if target is None:
            return made
        if target.shape != made.shape:
            raise ValueError(f"{name}: out: expected shape {made.shape}, got {target.shape}")
        machine.assign(target, made, None)
        return target

    def _moved(self, x: object, source: object, target: object) -> Any:
        """With an axis in another place; what is no array, as it is."""
        if not self._machine.is_array(x) or not x.shape:
            return x
        axes = len(x.shape)
        start, end = (normalize_axis_index(_index(k), axes) for k in (source, target))
        return x if start == end else self._machine.moved(x, start, end)

    def _region_mode(self) -> RoundingMode:
        if self._governed == "operator":
            return hc.get_rounding()
        return _core.get_builtin_rounding() if self._governed == "builtin" else self._default

    # ------------------------------------------------------------ what is given

    def _read(
        self, operands: tuple[object, ...], out: object, others: dict[str, object]
    ) -> tuple[list[object], list[_Out]]:
        """The inputs, and the results' arrays, None where there is none."""
        machine, name, more = self._machine, self.__name__, len(operands) - self.nin
        if others or not 0 <= more <= self.nout:
            self._refuse([self._witness(x) for x in operands], **others)
            raise TypeError(f"{name}: {', '.join(others)}: not taken on a device")
        if more and out is not None:
            raise TypeError("cannot specify 'out' as both a positional and keyword argument")
        given = [*operands[self.nin :], *[None] * (self.nout - more)] if more else self._outs(out)
        outs: list[Any] = given  # what they must be, the loops find
        for x in outs:
            if x is not None and not machine.is_array(x):
                raise TypeError(f"{name}: out: expected a {machine.array_name}, got {_kind(x)}")
        for k, x in enumerate((*operands[: self.nin], *outs)):
            if machine.is_array(x):
                check_place(machine, self._place(k) if k < self.nin else f"{name}: out", x)
        return list(operands[: self.nin]), outs

    def _outs(self, out: object) -> list[object]:
        if out is None:
            return [None] * self.nout
        if isinstance(out, tuple) and len(out) != self.nout:
            raise ValueError("The 'out' tuple must have exactly one entry per ufunc output")
        if not isinstance(out, tuple) and self.nout > 1:
            raise TypeError("'out' must be a tuple of arrays")
        return list(out) if isinstance(out, tuple) else [out]

    def _place(self, k: int) -> str:
        row = _ROWS.get(self.__name__)
        argument = row.argument_names[k] if row else "x"
        return f"{self.__name__}: argument {k + 1} ({argument})"

    def _witness(self, x: object) -> object:
        """What the host says of stands for an operand: an empty array for an array."""
        if not self._machine.is_array(x):
            return x
        return np.empty((0, *x.shape[-1:]) if self._vectors else 0, x.dtype)

    def _refuse(self, operands: Sequence[object], **others: object) -> None:
        """The host's error for these operands, if it has one."""
        with np.errstate(all="ignore"):
            self._host(*operands, **others)

    # ------------------------------------------------------------ operands of the right types

    def _converted(
        self, inputs: Sequence[object], mode: RoundingMode
    ) -> tuple[Form, list[_Operand]]:
        """The form for the operands, and these as it takes them: arrays, and NumPy's scalars."""
        machine, letters = self._machine, list[str]()
        for x in inputs:
            letters.append(_letter(x.dtype) if machine.is_array(x) else "")
        form = self._form(letters[0]) if self._is_conversion else None
        form = form or next(iter(self._forms.values()))
        return form, [
            self._array(x, letter, wanted, k)
            if machine.is_array(x) else self._number(x, wanted, k, mode, inputs)
            for k, (x, letter, wanted) in enumerate(zip(inputs, letters, form.inputs, strict=True))
        ]  # fmt: skip

    def _form(self, letter: str) -> Form | None:
        """Of a conversion, for what it is given."""
        form = self._forms.get("B" if letter == "?" else letter)
        if form is None and letter == "e":
            return forms()["positive"][0]  # convert_half of halves
        return form

    def _array(self, x: DeviceArray, letter: str, wanted: str, k: int) -> DeviceArray:
        if letter == "?" and wanted in "BHi":
            x, letter = self._machine.view(x, np.uint8), "B"
        if letter == wanted:
            return x
        if letter in _NARROWER.get(wanted, ()) and not self._is_conversion:
            if wanted != "e":
                x = self._machine.as_type(x, np.dtype(wanted))
            else:
                x = DeviceFunction(self._machine, "convert_half", self._launcher)(x)
            return x
        self._refuse([self._witness(x)] if self.nin == 1 else self._beside(self._witness(x), k))
        raise TypeError(f"{self._place(k)}: expected {self._expected(wanted)}, got {x.dtype}")

    def _beside(self, operand: object, k: int) -> list[object]:
        """Operands for the host, of which one is given."""
        letters = next(iter(self._forms))
        operands: list[object] = [
            np.empty(0, hc.half if letter == "e" else letter) for letter in letters
        ]
        operands[k] = operand
        return operands

    def _expected(self, wanted: str) -> str:
        if self._is_conversion:
            types = [np.dtype(c).name for c in self._forms]
            return f"an array of {' or '.join(types)}"
        return f"an array of {np.dtype(wanted).name}"

    def _number(
        self, x: object, wanted: str, k: int, mode: RoundingMode, inputs: Sequence[object]
    ) -> np.generic:
        """A number as NumPy's scalar: of a half, its bits."""
        if isinstance(x, np.ndarray) and x.ndim == 0:
            x = x[()]
        number: np.generic
        if isinstance(x, (bool, int, float, np.generic)):
            if self._vectors:
                self._refuse([self._witness(y) for y in inputs])
            if wanted == "e" or not isinstance(x, (float, np.floating)):
                letter = _letter(x.dtype) if isinstance(x, np.generic) else wanted
                if wanted == "e" and letter in ("e", *_NARROWER["e"]):
                    bits: Any = np.asarray(_as_half(x, mode)).view(np.uint16)
                    number = bits[()]
                    return number
                if letter == wanted or letter in _NARROWER.get(wanted, ()):
                    number = np.dtype(wanted).type(x)
                    return number
        machine = self._machine
        if x is None or isinstance(x, (bool, int, float, complex, str, bytes, np.generic)):
            self._refuse(self._beside(x, k))
        raise TypeError(
            f"{self._place(k)}: expected a {machine.array_name} or a number, got {_kind(x)}; "
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
        """The results' shape, without vectors' components; how many of these there are, or 0."""
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
        """What the host says of shapes of: zeros, which take no memory."""
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
        """The shape of all that is written, to which results are broadcast; or the host's error."""
        given = [tuple(out.shape) for out in outs if out is not None]
        components = (width,) if form.vectors == "vector" else ()
        try:
            full = np.broadcast_shapes((*shape, *components), *given)
        except ValueError:
            full = ()
        axes = len(full) - len(components)
        if all(own == full for own in given) and full[axes:] == components:
            return full[:axes]
        there = [None if x is None else np.empty(x.shape, x.dtype) for x in outs]
        self._refuse(self._zeros(inputs), out=tuple(there))
        raise ValueError(f"{self.__name__}: out: expected shape {shape}, got {given}")

    def _check_outs(self, form: Form, outs: Sequence[_Out]) -> None:
        for out, letter in zip(outs, form.outputs, strict=True):
            if out is not None and _letter(out.dtype) != letter:
                raise TypeError(
                    f"{self.__name__}: out: expected an array of {np.dtype(letter).name}, "
                    f"got {out.dtype}"
                )

    # ------------------------------------------------------------ results

    def _calculated(
        self, form: Form, mode: RoundingMode, operands: Sequence[_Operand], outs: Sequence[_Out],
        shape: tuple[int, ...], width: int, dtype: type[np.float16], where: _Out,
    ) -> Results:  # fmt: skip
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
        """Whether a kernel may write to it at once."""
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
        machine, kinds, given = self._machine, list[str](), list[_Operand]()
        for x in operands:
            kind = NUMBER
            if not isinstance(x, np.generic):
                kind = ONE if count > 1 and _size(x) == max(width, 1) else ARRAY
                is_ready = kind == ARRAY and x.shape == shape and _is_contiguous(x, order)
                if not is_ready:
                    full = x.shape if kind == ONE else (*shape, width) if width else shape
                    x = machine.spread(x, full)
            kinds.append(kind)
            given.append(x)
        wide = machine.is_wide and not width
        if wide:
            flat = [x for x, kind in zip(given, kinds, strict=True) if kind == ARRAY]
            wide = all(machine.is_aligned(x) for x in (*flat, *written))
        mode = "rte" if self._has_one_mode else mode
        whole = not wide and machine.is_whole(count)
        kernel = Kernel(form, mode, tuple(kinds), width, wide, whole)
        machine.run(self._launcher(kernel), kernel, count, given, written)

    def _of_numbers(
        self, inputs: Sequence[object], outs: Sequence[_Out], mode: RoundingMode, where: _Out
    ) -> Results:
        """The host's result, on the device."""
        for k, x in enumerate(inputs):
            if isinstance(x, (np.ndarray, list, tuple)) and np.ndim(x):
                self._number(x, next(iter(self._forms))[k], k, mode, inputs)
        found = self._host(*inputs, rounding=mode)
        results = found if isinstance(found, tuple) else (found,)
        form = next(iter(self._forms.values()))
        self._check_outs(form, outs)
        shape = self._shape_with_outs(form, inputs, outs, () if where is None else where.shape, 0)
        placed = [self._machine.from_host(np.full(shape, _plain(x))) for x in results]
        for k, out in enumerate(outs):
            if out is not None:
                self._machine.assign(out, placed[k], where)
                placed[k] = out
        return placed[0] if self.nout == 1 else tuple(placed)


# ---------------------------------------------------------------- small things


def _index(axis: object) -> int:
    """The number of an axis. TypeError if it is none."""
    given: Any = axis
    return operator.index(given)


def _letter(dtype: np.dtype[Any]) -> str:
    """NumPy's letter of a type, "e" of both halves; "" of what devices have nothing for."""
    if dtype.type is hc.half:
        return "e" if dtype.isnative else ""
    return _LETTERS.get((dtype.kind, dtype.itemsize), "") if dtype.isnative else ""


def _as_half(x: float | np.generic, mode: RoundingMode) -> np.float16:
    """A number that the host takes for a half, rounded to it."""
    if isinstance(x, np.float16):
        return x
    return hc.half(x.item() if isinstance(x, np.generic) else x, rounding=mode)


def _plain(x: np.generic) -> np.generic:
    """half as float16, which every device's arrays hold."""
    return x.view(np.float16) if isinstance(x, hc.half) else x


def _kind(x: object) -> str:
    return type(x).__name__


def _size(x: DeviceArray) -> int:
    return math.prod(x.shape)


def _is_contiguous(x: DeviceArray, order: str) -> bool:
    return bool(x.flags.c_contiguous if order == "C" else x.flags.f_contiguous)


def _order(arrays: Sequence[DeviceArray], outs: Sequence[_Out], shape: tuple[int, ...]) -> str:
    """That in which all lie already, or C's."""
    every = [*(x for x in arrays if x.shape != ()), *(x for x in outs if x is not None)]
    is_fortran = all(x.shape == shape and x.flags.f_contiguous for x in every)
    return "F" if is_fortran and not all(x.flags.c_contiguous for x in every) else "C"
