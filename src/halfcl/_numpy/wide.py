"""Functions of NumPy that would overflow in halves on the way to a result that halves hold.

The variance of 2^20 halves near 0.6 is a small number, and the sum that NumPy makes it from is
beyond half's range. So do these functions of `FUNCTIONS` what numpy.mean does for float16 by
itself: of an array of half they calculate in float64, and round the result to half once, in the
region's mode. With ``dtype`` they do what it asks for, as before.

Means, variances, deviations and norms are halfcl's own statistics where these take the arguments:
exact, and rounded once, of float16 too while accelerate() is on.

They are Python functions of NumPy's, under names that anybody may have imported, and ndarray.var
keeps one of them by itself. So the functions stay the objects that they are, and get code with
one statement more at its start: the same source, compiled again.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import sys
from collections.abc import Callable
from importlib import import_module
from types import CodeType, FunctionType, ModuleType, NoneType
from typing import Any, TypeGuard, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from halfcl import _core
from halfcl._opencl.conversion import convert
from halfcl._support.results import Result, Results

half = _core.half

#: Module and function; the parameters that make the result's type with the first one; the
#: statistic that it is, or nothing; when it is halfcl's: HALF asks for half, EITHER for float16,
#: too, while accelerate() is on.
FUNCTIONS = (
    ("numpy._core._methods", "_mean", (), "mean", "EITHER(a) and dtype is None"),
    ("numpy._core._methods", "_var", (), "var", "EITHER(a) and dtype is None"),
    ("numpy._core._methods", "_std", (), "std", "EITHER(a) and dtype is None"),
    ("numpy.lib._nanfunctions_impl", "nanmean", (), "mean", "EITHER(a) and dtype is None"),
    ("numpy.lib._nanfunctions_impl", "nanvar", (), "var", "EITHER(a) and dtype is None"),
    ("numpy.lib._nanfunctions_impl", "nanstd", (), "std", "EITHER(a) and dtype is None"),
    ("numpy.lib._function_base_impl", "average", ("weights",), "mean", "HALF(a)"),
    ("numpy.lib._function_base_impl", "trapezoid", ("x", "dx"), "", "HALF(y)"),
    (
        "numpy.linalg._linalg", "norm", (), "norm",
        "(EITHER(x) if ord is None or ord == 2 or ord == 'fro' else"
        " ord != 1 and ord != inf and ord != -inf and HALF(x))",
    ),
)  # fmt: skip

#: What the statement at the start calls, among the globals of NumPy's module.
_IN_FLOAT64 = "_halfcl_in_float64"


#: Elements that NumPy's own cast from float16 converts in less time.
_FEW = 1024

#: What may be half; and what is not, which most parameters are.
_HAVE_DTYPE = (np.ndarray, half)
_PLAIN = (NoneType, bool, int, float, tuple)


def is_half(value: object) -> TypeGuard[NDArray[_core.half] | _core.half]:
    """Whether value is an array of half, or one."""
    return isinstance(value, _HAVE_DTYPE) and value.dtype.type is half


def widened(value: object, dtype: DTypeLike = np.float64) -> object:
    """Half in more room; anything else as it is."""
    if not is_half(value):
        return value
    if type(value) is np.ndarray and value.size < _FEW and value.dtype.isnative:
        return value.view(np.float16).astype(dtype)  # convert takes longer to look at what it is
    if type(value) is np.ndarray or isinstance(value, half):
        return convert(value, dtype)  # which a strict region lets pass
    return value.astype(dtype)


def narrowed(result: Results, out: NDArray[Any] | None) -> Results:
    """A result as half, in out if that is given."""
    if out is None and type(result) is np.float64:
        return half(result)
    if isinstance(result, tuple):
        return tuple(map(_as_half, result))
    if out is not None:
        if out.shape != np.shape(result):  # which assignment would broadcast
            raise ValueError(f"out: expected shape {np.shape(result)}, got {out.shape}")
        out[...] = result
        return out
    return _as_half(result)


def _as_half(result: Result) -> Result:
    if result is getattr(sys.modules.get("numpy.ma.core"), "masked", None):
        return result
    return result.astype(half) if isinstance(result, np.ndarray) else half(result)


def _gives_half(operands: list[object]) -> bool:
    numbers = [x for x in operands if x is not None]
    if len(numbers) == 1:
        return is_half(numbers[0])
    types = [x if isinstance(x, int | float | np.generic) else np.asarray(x) for x in numbers]
    return np.result_type(*types).type is half


def _calculate(
    function: Callable[..., Results], operands: tuple[str, ...], parameters: dict[str, Any]
) -> Results:
    if parameters.get("dtype") is not None or not _gives_half([parameters[x] for x in operands]):
        return function(**parameters)
    out = parameters.get("out")
    goes_to_half = out is None or is_half(out)
    wide = {
        name: value if type(value) in _PLAIN or name == "out" else widened(value)
        for name, value in parameters.items()
    }
    if not goes_to_half:
        return function(**wide)
    if "out" in wide:
        wide["out"] = None
    return narrowed(function(**wide), out)


def _is_euclidean(array: NDArray[Any], order: object, axis: object) -> bool:
    """Whether numpy.linalg.norm with these arguments is the root of a sum of squares."""
    if order is None:
        return not isinstance(axis, tuple) or len(axis) <= 2
    if not isinstance(order, int | float | str):
        return False
    if axis is None:
        return (array.ndim, order) in ((1, 2), (2, "fro"))
    return order == (2 if isinstance(axis, int) else "fro")


def _is_missing(value: object) -> bool:
    return value is None or value is np._NoValue


def as_float16(found: Any) -> Any:
    """Halves, or one, with the bits that they have."""
    return found.view(np.float16) if isinstance(found, np.ndarray) else np.float16(found)


def native(array: NDArray[Any]) -> NDArray[Any]:
    """The same numbers in an ndarray of the machine's own byte order."""
    return np.asarray(array, array.dtype.newbyteorder("="))


def _has_own_ways(array: NDArray[Any]) -> bool:
    """Whether its class is asked before NumPy's functions calculate, or keeps axes or masks."""
    kind = type(array)
    return kind.__array_ufunc__ is not np.ndarray.__array_ufunc__ or isinstance(
        array, np.matrix | getattr(sys.modules.get("numpy.ma"), "MaskedArray", np.matrix)
    )


def _plain(array: object) -> NDArray[Any] | None:
    """The numbers of an array, as `_core` takes them; None if that is not for halfcl to find."""
    if type(array) is np.ndarray and array.dtype.isnative:
        return array
    if not isinstance(array, np.ndarray) or _has_own_ways(array):
        return None
    return native(array)


def _exactly(
    statistic: str, given_array: object, parameters: dict[str, Any], *, skips_nans: bool = False
) -> Any:
    """The statistic, rounded once; NotImplemented where NumPy is to do it, or to complain."""
    given = parameters.get
    array = _plain(given_array)
    if array is None or not _is_missing(given("mean")):
        return NotImplemented
    where = given("where", True)
    if skips_nans:
        if where is not np._NoValue:
            return NotImplemented
        where = ~np.isnan(array)
        where = bool(where.all()) or where  # of all of them it takes no time to leave some out
    if given("dtype") not in (None, array.dtype):
        return NotImplemented
    ddof = given("ddof", 0)
    if not _is_missing(given("correction")):
        if ddof != 0:
            return NotImplemented
        ddof = given("correction")
    if statistic == "norm" and not _is_euclidean(array, given("ord"), given("axis")):
        return NotImplemented
    if given("weights") is not None or given("returned"):
        return NotImplemented
    keepdims = given("keepdims")
    count = _core.kernels_run()
    found = _core.reduce_at_once(
        statistic, (array,), given("axis"), None, given("out"),
        False if keepdims is np._NoValue else keepdims, None, where, ddof, None,
    )  # fmt: skip
    if array.dtype.type is not half:
        _core.forget_kernels_since(count)  # what float16 arrays are computed by is not counted
    if type(given_array) is np.ndarray or statistic == "norm" or given("out") is not None:
        return found
    if found is NotImplemented:
        return found
    return cast("NDArray[Any]", given_array).__array_wrap__(
        np.asarray(found), None, np.ndim(found) == 0
    )


def source_of(code: CodeType) -> str:
    """A function's source, on lines of the numbers that it has in its file.

    Not by inspect.getsource, which reads all of a file as tokens to find the end.
    """
    end = max(position[1] or 0 for position in code.co_positions())
    lines = linecache.getlines(code.co_filename)[code.co_firstlineno - 1 : end]
    if not lines:
        raise OSError(f"no source of {code.co_name}")
    return "\n" * (code.co_firstlineno - 1) + "".join(lines)


def with_statement(function: FunctionType, statement: str) -> CodeType:
    """The function's code, with one statement more at its start."""
    code = function.__code__
    tree = ast.parse(source_of(code))
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    definition.decorator_list = []
    first = ast.parse(statement).body
    ast.increment_lineno(first[0], code.co_firstlineno - 1)
    definition.body[0:0] = first
    module = compile(tree, code.co_filename, "exec")
    return next(c for c in module.co_consts if isinstance(c, CodeType))


class _Wide(dict[str, Callable[[dict[str, Any]], Results]]):
    """By function of a module, what calculates in float64, or exactly."""

    takes = staticmethod(is_half)
    takes_float16_too = staticmethod(_core.is_of_halves)  # while accelerate() is on


def _as_of_half(
    function: Callable[..., Results], first: str, parameters: dict[str, Any]
) -> Results:
    """A call on float16 as one on half: rounded once from float64."""
    array, out = parameters[first], parameters.get("out")
    if not array.dtype.isnative:
        array = array.astype(np.float16)
    parameters = {**parameters, first: array.view(half)}
    if not isinstance(out, np.ndarray) or out.dtype.type is not np.float16:
        found: Any = _calculate(function, (first,), parameters)
        return cast("Results", found if out is not None else as_float16(found))
    swapped = None if out.dtype.isnative else out
    parameters["out"] = (out if swapped is None else out.astype(np.float16)).view(half)
    found = _calculate(function, (first,), parameters)
    if swapped is not None:
        swapped[...] = found.view(np.float16)
    return cast("Results", out)


def _teach(function: FunctionType, operands: tuple[str, ...], statistic: str, when: str) -> None:
    wide = function.__globals__.setdefault(_IN_FLOAT64, _Wide())
    name = function.__name__
    if name in wide:  # halfcl was imported before
        return
    first = function.__code__.co_varnames[0]
    takes = when.replace("HALF(", f"{_IN_FLOAT64}.takes(")
    takes = takes.replace("EITHER(", f"{_IN_FLOAT64}.takes_float16_too(")
    code = with_statement(function, f"if {takes}: return {_IN_FLOAT64}[{name!r}](locals())")
    original = FunctionType(function.__code__, function.__globals__, name, function.__defaults__)
    original.__kwdefaults__ = function.__kwdefaults__
    skips_nans = name.startswith("nan")

    def calculate(parameters: dict[str, Any]) -> Results:
        array = parameters[first]
        if statistic:
            found = _exactly(statistic, array, parameters, skips_nans=skips_nans)
            if found is not NotImplemented:
                return cast("Results", found)
        if name == "_mean":
            return cast("Results", original(**parameters))
        if is_half(array):
            return _calculate(original, (first, *operands), parameters)
        if parameters.get("dtype") is not None or _has_own_ways(array):
            return cast("Results", original(**parameters))
        return _as_of_half(original, first, parameters)

    wide[name] = calculate
    function.__code__ = code


def teach_masked(module: ModuleType) -> None:
    """Let average, of the module numpy.ma.extras, calculate in float64, too."""
    _teach(module.average, ("weights",), "", "HALF(a)")


def teach_wide() -> bool:
    """Let `FUNCTIONS` calculate in float64 on arrays of half; whether all of them do."""
    for module, name, operands, statistic, when in FUNCTIONS:
        function = getattr(import_module(module), name)
        _teach(inspect.unwrap(function), operands, statistic, when)
    return True
