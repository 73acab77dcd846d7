"""Numbers of MPFR, with 200 bits, for formulas that are written with NumPy's functions.

In arrays of objects NumPy's functions are the methods of their names.
"""

import gmpy2
import numpy as np

#: With exponents that let sines be found in time.
CONTEXT = gmpy2.context(precision=200, emax=20_000, emin=-20_000)

_OF_ONE = {
    "sqrt": "sqrt", "cbrt": "cbrt", "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log",
    "log1p": "log1p", "sin": "sin", "cos": "cos", "tan": "tan", "sinh": "sinh", "cosh": "cosh",
    "tanh": "tanh", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh",
    "arccosh": "acosh", "arctanh": "atanh",
}  # fmt: skip


def _raw(x):
    return x.value if isinstance(x, Number) else CONTEXT.mul(gmpy2.mpfr(float(x), 53), 1)


class Number:
    """One number; NaN where a function is undefined, and in all that is computed of that."""

    def __init__(self, value):
        self.value = value if gmpy2.is_finite(value) else gmpy2.nan()

    def hypot(self, other):
        return Number(CONTEXT.hypot(self.value, _raw(other)))

    def arctan2(self, other):
        return Number(CONTEXT.atan2(self.value, _raw(other)))

    def __neg__(self):
        return Number(CONTEXT.sub(0, self.value))  # whose zero is +0

    def __abs__(self):
        return Number(CONTEXT.maxnum(self.value, CONTEXT.sub(0, self.value)))

    def __pow__(self, other):
        return Number(CONTEXT.pow(self.value, _raw(other)))

    def __floor__(self):
        return Number(CONTEXT.rint_floor(self.value))

    def __lt__(self, other):
        return self.value < _raw(other)

    def __gt__(self, other):
        return self.value > _raw(other)

    def __le__(self, other):
        return self.value <= _raw(other)

    def __ge__(self, other):
        return self.value >= _raw(other)

    def __eq__(self, other):
        return self.value == _raw(other)

    __hash__ = None


def _of_one(name):
    function = getattr(CONTEXT, name)
    return lambda self: Number(function(self.value))


def _operator(name, swapped):
    function = getattr(CONTEXT, name)
    if swapped:
        return lambda self, other: Number(function(_raw(other), self.value))
    return lambda self, other: Number(function(self.value, _raw(other)))


for _name, _other in _OF_ONE.items():
    setattr(Number, _name, _of_one(_other))
for _name, _other in {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div"}.items():
    setattr(Number, f"__{_name}__", _operator(_other, False))
    setattr(Number, f"__r{_name}__", _operator(_other, True))


def numbers(x):
    """Return an array of Numbers from doubles."""
    array = np.empty(np.shape(x), object)
    for index, value in np.ndenumerate(np.asarray(x, np.float64)):
        array[index] = Number(gmpy2.mpfr(float(value), 53))
    return array


def values(f, points):
    """Return a formula's values at points (doubles), as mpfr; NaN where undefined."""
    results = f(*map(numbers, points))
    results = np.broadcast_to(np.asarray(results, object), np.shape(points[0]))
    raw = np.empty(results.shape, object)
    for index, value in np.ndenumerate(results):
        raw[index] = _raw(value)
    return raw


def outside(low, high, exact):
    """Return where exact numbers are outside of bounds (doubles); NaN and infinities are not."""
    return np.array(
        [
            bool(gmpy2.is_finite(y)) and not (float(a) <= y <= float(b))
            for a, b, y in zip(np.ravel(low), np.ravel(high), np.ravel(exact), strict=True)
        ]
    )
