"""Arithmetic of arrays: what pyopencl's kernels compute, operation by operation.

A number beside an array has the dtype that pyopencl gives it. A quotient by a number is a product
with its reciprocal, and ``0`` is added to what a number scales, as there: -0 becomes 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import DTypeLike

from halfcl.cl.pyopencl._ctypes import dtype_to_ctype
from halfcl.cl.pyopencl._devices import CommandQueue, Event
from halfcl.cl.pyopencl._layout import ArrayBase
from halfcl.cl.pyopencl._snippets import run

_Dtype = np.dtype[Any]
BOOL = np.dtype(np.int8)


def is_scalar(value: object) -> bool:
    """Whether it is a number."""
    return bool(np.isscalar(value)) and not isinstance(value, str | bytes)


#: What operators take beside an array: another one, or a number.
Operand: TypeAlias = "ArrayBase | complex | np.generic"


def common_dtype(one: Operand, other: Operand) -> _Dtype:
    """Of arrays, and of numbers as NumPy takes them beside arrays."""
    operands = [each.dtype if isinstance(each, ArrayBase) else each for each in (one, other)]
    return np.result_type(*operands)


def _quotient_dtype(one: Operand, other: Operand) -> _Dtype:
    """Of NumPy's true division."""
    x, y = (np.ones(1, x.dtype) if isinstance(x, ArrayBase) else x for x in (one, other))
    with np.errstate(all="ignore"):
        dtype: _Dtype = np.true_divide(x, y).dtype
    return dtype


def element(name: str, operand: object) -> str:
    """An operand where a kernel reads it; of an array without axes it is the one there is."""
    if not isinstance(operand, ArrayBase):
        return name
    return f"{name}[0]" if operand.shape == () else f"{name}[i]"


def _cast(name: str, operand: ArrayBase, dtype: _Dtype) -> str:
    kind = dtype_to_ctype(dtype)
    return f"(({kind}) {element(name, operand)})"


def _new_for_both(one: Arithmetic, other: Arithmetic, dtype: _Dtype) -> Arithmetic:
    """A new array for what two give: of one shape, or one of them without axes."""
    if one.shape == other.shape or other.shape == ():
        return one.new_like(dtype)
    if one.shape == ():
        return other.new_like(dtype)
    raise NotImplementedError(
        f"Broadcasting binary operator with shapes: {one.shape}, {other.shape}."
    )


def _check_in_place(one: Arithmetic, other: Arithmetic) -> None:
    if other.shape not in (one.shape, ()):
        raise NotImplementedError(
            f"Broadcasting binary op with shapes: {one.shape}, {other.shape}."
        )


def _combined(out: Arithmetic, x: Arithmetic, operator: str, y: Arithmetic) -> Arithmetic:
    """out = x + y, or x - y, in out's dtype."""
    operation = f"z[i] = {_cast('x', x, out.dtype)} {operator} {_cast('y', y, out.dtype)}"
    return run(out, operation, x=x, y=y)


def _product(out: Arithmetic, x: Arithmetic, y: Arithmetic) -> Arithmetic:
    return run(out, f"z[i] = {element('x', x)} * {element('y', y)}", x=x, y=y)


def _quotient(out: Arithmetic, x: Arithmetic, y: Arithmetic) -> Arithmetic:
    return _combined(out, x, "/", y)


def _shifted(out: Arithmetic, x: Arithmetic, by: Operand) -> Arithmetic:
    return run(out, "z[i] = x[i] + b", x=x, b=by)


def _scaled(out: Arithmetic, by: Operand, x: Arithmetic) -> Arithmetic:
    return run(out, "z[i] = a*x[i] + 0", a=by, x=x)


def _bitwise(operator: str, in_place: bool = False) -> Callable[[Arithmetic, object], object]:
    """The method of an operator on integers."""

    def method(self: Arithmetic, other: Any) -> Any:
        is_array = isinstance(other, Arithmetic)
        if not (is_array or is_scalar(other)):
            return NotImplemented
        dtype = common_dtype(self, other)
        if not np.issubdtype(dtype, np.integer):
            raise TypeError(f"Integral types only: {dtype}")
        if in_place and is_array:
            _check_in_place(self, other)
        out = self if in_place else _new_for_both(self, other if is_array else self, dtype)
        operation = f"z[i] = {element('x', self)} {operator} {element('y', other)}"
        return run(out, operation, x=self, y=other)

    return method


def _comparison(operator: str) -> Callable[[Arithmetic, object], Any]:
    """The method of a comparison, whose results are 0 and 1 of int8."""

    def method(self: Arithmetic, other: Any) -> Any:
        if isinstance(other, Arithmetic):
            if self.shape != other.shape:
                raise ValueError("shapes of comparison arguments do not match")
        elif not is_scalar(other):
            return NotImplemented
        else:
            if not np.can_cast(common_dtype(self, other), self.dtype, "same_kind"):
                raise TypeError(f"cannot compare {self.dtype} with {other!r}")
            other = self.dtype.type(other)
        operation = f"z[i] = {element('x', self)} {operator} {element('y', other)}"
        return run(self.new_like(BOOL), operation, x=self, y=other)

    return method


class Arithmetic(ArrayBase):
    """`Array`'s operators."""

    __array_priority__ = 100
    __array_ufunc__ = None  # NumPy's scalars leave operators to the array

    def __add__(self, other: Operand) -> Any:
        if isinstance(other, Arithmetic):
            out = _new_for_both(self, other, common_dtype(self, other))
            return _combined(out, self, "+", other)
        if not is_scalar(other):
            return NotImplemented
        if other == 0:
            return self.copy()
        dtype = common_dtype(self, other)
        return _shifted(self.new_like(dtype), self, dtype.type(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Arithmetic:
        if isinstance(other, Arithmetic):
            out = _new_for_both(self, other, common_dtype(self, other))
            return _combined(out, self, "-", other)
        if not is_scalar(other):
            return NotImplemented
        if other == 0:
            return self.copy()
        return _shifted(self.new_like(common_dtype(self, other)), self, -other)

    def __rsub__(self, other: Any) -> Self:
        if not is_scalar(other):
            return NotImplemented
        out = self.new_like(common_dtype(self, other))
        operation = f"z[i] = b - {_cast('x', self, out.dtype)}"
        return run(out, operation, x=self, b=out.dtype.type(other))

    def __iadd__(self, other: Operand) -> Self:
        if isinstance(other, Arithmetic):
            _check_in_place(self, other)
            _combined(self, self, "+", other)
        elif is_scalar(other):
            _shifted(self, self, other)
        else:
            return NotImplemented
        return self

    def __isub__(self, other: Any) -> Self:
        if isinstance(other, Arithmetic):
            _check_in_place(self, other)
            _combined(self, self, "-", other)
        elif is_scalar(other):
            _shifted(self, self, -other)
        else:
            return NotImplemented
        return self

    def __pos__(self) -> Self:
        return self

    def __neg__(self) -> Self:
        return run(self.new_like(), f"z[i] = 0 - {element('x', self)}", x=self)

    def __mul__(self, other: Operand) -> Arithmetic:
        if isinstance(other, Arithmetic):
            return _product(_new_for_both(self, other, common_dtype(self, other)), self, other)
        if not is_scalar(other):
            return NotImplemented
        dtype = common_dtype(self, other)
        return _scaled(self.new_like(dtype), dtype.type(other), self)

    __rmul__ = __mul__

    def __imul__(self, other: Operand) -> Self:
        if isinstance(other, Arithmetic):
            _check_in_place(self, other)
            _product(self, self, other)
        elif is_scalar(other):
            _scaled(self, other, self)
        else:
            return NotImplemented
        return self

    def __truediv__(self, other: Operand) -> Arithmetic:
        if isinstance(other, Arithmetic):
            return _quotient(_new_for_both(self, other, _quotient_dtype(self, other)), self, other)
        if not is_scalar(other):
            return NotImplemented
        if other == 1:
            return self.copy()
        dtype = _quotient_dtype(self, other)
        return _scaled(self.new_like(dtype), _reciprocal(other, dtype), self)

    def __rtruediv__(self, other: Operand) -> Self:
        if not is_scalar(other):
            return NotImplemented
        dtype = _quotient_dtype(self, other)
        return run(self.new_like(dtype), "z[i] = y / x[i]", x=self, y=dtype.type(other))

    def __itruediv__(self, other: Operand) -> Self:
        if not (isinstance(other, Arithmetic) or is_scalar(other)):
            return NotImplemented
        dtype = _quotient_dtype(self, other)
        if not np.can_cast(dtype, self.dtype, "same_kind"):
            raise TypeError(f"Cannot cast {self.dtype!r} to {dtype!r}")
        if isinstance(other, Arithmetic):
            _check_in_place(self, other)
            _quotient(self, self, other)
        elif other != 1:
            _scaled(self, dtype.type(_reciprocal(other, None)), self)
        return self

    __and__ = __rand__ = _bitwise("&")
    __or__ = __ror__ = _bitwise("|")
    __xor__ = __rxor__ = _bitwise("^")
    __iand__ = _bitwise("&", in_place=True)
    __ior__ = _bitwise("|", in_place=True)
    __ixor__ = _bitwise("^", in_place=True)

    def __invert__(self) -> Self:
        if not np.issubdtype(self.dtype, np.integer):
            raise TypeError(f"Integral types only: {self.dtype}")
        return run(self.new_like(), "z[i] = ~ x[i]", x=self)

    def __pow__(self, other: Operand) -> Any:
        if isinstance(other, Arithmetic) and self.shape != other.shape:
            raise AssertionError(f"pow: expected one shape, got {self.shape} and {other.shape}")
        if not (isinstance(other, Arithmetic) or is_scalar(other)):
            return NotImplemented
        return self._power(common_dtype(self, other), self, other)

    def __rpow__(self, other: Operand) -> Any:
        if not is_scalar(other):
            return NotImplemented
        dtype = common_dtype(self, other)
        return self._power(dtype, dtype.type(other), self)

    def _power(self, dtype: _Dtype, x: Operand, y: object) -> Self:
        kind = dtype_to_ctype(dtype)
        operation = f"z[i] = pow(({kind}) {element('x', x)}, ({kind}) {element('y', y)})"
        return run(self.new_like(dtype), operation, x=x, y=y)

    def __abs__(self) -> Self:
        name = {"f": "fabs", "i": "abs"}.get(self.dtype.kind, "")
        return run(self.new_like(), f"z[i] = {name}({element('x', self)})", x=self)

    __eq__ = _comparison("==")
    __ne__ = _comparison("!=")
    __lt__ = _comparison("<")
    __le__ = _comparison("<=")
    __gt__ = _comparison(">")
    __ge__ = _comparison(">=")

    def __hash__(self) -> int:
        raise TypeError("pyopencl arrays are not hashable.")

    def mul_add(
        self, selffac: Any, other: Any, otherfac: object, queue: CommandQueue | None = None
    ) -> object:
        """selffac * self + otherfac * other."""
        dtype = common_dtype(self, other)
        if isinstance(other, Arithmetic):
            out = _new_for_both(self, other, dtype)
            operation = f"z[i] = a*{_cast('x', self, dtype)} + b*{_cast('y', other, dtype)}"
            a, b = dtype.type(selffac), dtype.type(otherfac)
            return run(out, operation, queue=queue, a=a, x=self, b=b, y=other)
        total = dtype.type(otherfac * other)
        out = self.new_like(dtype)
        return run(out, "z[i] = a*x[i] + b", queue=queue, a=selffac, x=self, b=total)

    def astype(self, dtype: DTypeLike, queue: CommandQueue | None = None) -> Self:
        """A copy in another dtype, converted as C does."""
        if self.dtype == dtype:
            return self.copy()
        return run(self.new_like(dtype), f"z[i] = {element('x', self)}", queue=queue, x=self)

    def fill(
        self, value: Any, queue: CommandQueue | None = None,
        wait_for: Iterable[Event] | None = None,
    ) -> Self:  # fmt: skip
        """Make all elements a number."""
        return run(self, "z[i] = a", queue=queue, wait_for=wait_for, a=self.dtype.type(value))

    def reverse(self, queue: CommandQueue | None = None) -> Self:
        """A copy whose elements are in the opposite order."""
        return run(self.new_like(), "z[i] = x[n - 1 - i]", queue=queue, x=self)

    @property
    def real(self) -> Self:
        return self

    @property
    def imag(self) -> Self:
        return self.new_like().fill(0)

    def conj(self) -> Self:
        """Itself: there are no complex numbers."""
        return self

    conjugate = conj


def _reciprocal(number: Any, dtype: _Dtype | None) -> Any:
    one = 1 if dtype is None else dtype.type(1)
    with np.errstate(all="ignore"):
        return np.true_divide(one, number)
