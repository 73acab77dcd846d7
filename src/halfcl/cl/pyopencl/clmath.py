"""OpenCL's functions on arrays: pyopencl.clmath.

``sin(array, queue=None)`` and its like give a new array of the same dtype; halves are correctly
rounded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from halfcl._support.names import publish
from halfcl.cl.pyopencl._arithmetic import common_dtype
from halfcl.cl.pyopencl._arrays import Array
from halfcl.cl.pyopencl._devices import CommandQueue
from halfcl.cl.pyopencl._snippets import run


class _Function(Protocol):
    def __call__(self, array: Array, queue: CommandQueue | None = None) -> Array: ...


def _unary(name: str) -> _Function:
    def function(array: Array, queue: CommandQueue | None = None) -> Array:
        return run(array.new_like(queue=queue), f"z[i] = {name}(x[i])", queue=queue, x=array)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"OpenCL's {name}, element by element."
    return function


acos, acosh, acospi = _unary("acos"), _unary("acosh"), _unary("acospi")
asin, asinh, asinpi = _unary("asin"), _unary("asinh"), _unary("asinpi")
atan, atanh, atanpi = _unary("atan"), _unary("atanh"), _unary("atanpi")
cbrt, ceil, erf, erfc = _unary("cbrt"), _unary("ceil"), _unary("erf"), _unary("erfc")
cos, cosh, cospi = _unary("cos"), _unary("cosh"), _unary("cospi")
exp, exp2, exp10, expm1 = _unary("exp"), _unary("exp2"), _unary("exp10"), _unary("expm1")
fabs, floor, ilogb = _unary("fabs"), _unary("floor"), _unary("ilogb")
lgamma, log, log2, log10 = _unary("lgamma"), _unary("log"), _unary("log2"), _unary("log10")
log1p, logb, nan, rint = _unary("log1p"), _unary("logb"), _unary("nan"), _unary("rint")
round, sin, sinh, sinpi = _unary("round"), _unary("sin"), _unary("sinh"), _unary("sinpi")
sqrt, tan, tanh, tanpi = _unary("sqrt"), _unary("tan"), _unary("tanh"), _unary("tanpi")
tgamma, trunc = _unary("tgamma"), _unary("trunc")


def _binary(name: str, x: Array, y: Array, queue: CommandQueue | None) -> Array:
    """pyopencl computes these in float, or in double where an argument or a product is."""
    dtype = common_dtype(x, y)
    kind = "double" if (np.array(0, x.dtype) * np.array(0, y.dtype)).itemsize > 4 else "float"
    operation = f"z[i] = {name}(({kind}) x[i], ({kind}) y[i])"
    return run(x.new_like(dtype, queue), operation, queue=queue, x=x, y=y)


def atan2(y: Array, x: Array, queue: CommandQueue | None = None) -> Array:
    """OpenCL's atan2, element by element."""
    return _binary("atan2", y, x, queue)


def atan2pi(y: Array, x: Array, queue: CommandQueue | None = None) -> Array:
    """OpenCL's atan2pi, element by element."""
    return _binary("atan2pi", y, x, queue)


def fmod(arg: Array, mod: Array, queue: CommandQueue | None = None) -> Array:
    """OpenCL's fmod, element by element."""
    return _binary("fmod", arg, mod, queue)


def frexp(arg: Array, queue: CommandQueue | None = None) -> tuple[Array, Array]:
    """Significands, and exponents of int32."""
    exponents = arg.new_like(np.int32, queue)
    operation = "int expt = 0; z[i] = frexp(x[i], &expt); e[i] = expt"
    return run(arg.new_like(queue=queue), operation, queue=queue, x=arg, e=exponents), exponents


def ldexp(significand: Array, exponent: Array, queue: CommandQueue | None = None) -> Array:
    """Significands times powers of 2."""
    out = significand.new_like(queue=queue)
    return run(out, "z[i] = ldexp(x[i], (int) y[i])", queue=queue, x=significand, y=exponent)


def modf(arg: Array, queue: CommandQueue | None = None) -> tuple[Array, Array]:
    """Fractions and whole numbers."""
    whole = arg.new_like(queue=queue)
    operation = "z[i] = modf(x[i], &whole[i])"
    return run(arg.new_like(queue=queue), operation, queue=queue, x=arg, whole=whole), whole


def _missing(name: str) -> Callable[..., object]:
    def function(*args: object, **kwargs: object) -> object:
        raise NotImplementedError(f"pyopencl.clmath.{name}: halfcl has no Bessel functions")

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "Not there: it says so."
    return function


bessel_jn, bessel_yn, hankel_01 = map(_missing, ("bessel_jn", "bessel_yn", "hankel_01"))

__all__ = sorted(
    name for name, value in globals().items()
    if callable(value) and not name.startswith("_") and getattr(value, "__module__", "") == __name__
)  # fmt: skip

publish(globals())
