"""NumPy's ufuncs and functions on tracked halves: they compute values and enclosures."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np

import halfcl as hc
from halfcl._core import DefaultEnvironment
from halfcl._settings.regions import SUFFIXES
from halfcl._support.duck_arrays.structural import STRUCTURAL, Call, join, leaves, map_leaves
from halfcl._tables import TABLE
from halfcl.interval._bounds.pairs import Halves
from halfcl.interval._formulas.doubles import DoubleInterval
from halfcl.safe import _enclosures as enclosures
from halfcl.safe._domain import BY_UFUNC, Domain, keep
from halfcl.safe._noting import record_call
from halfcl.safe._watching import Base, Mark, is_half, refuse, uncounted_kernels

_B = TypeVar("_B", bound=Base)
#: A constructor of tracked halves.
Make: TypeAlias = Callable[[Halves, DoubleInterval, Mark], Base]
#: One tracked half, or several.
Trackeds: TypeAlias = Base | list[Base] | tuple[Base, ...]
#: Their halves.
Values: TypeAlias = Halves | list[Halves] | tuple[Halves, ...]


# ---------------------------------------------------------------- operands


def value_of(x: object) -> object:
    """Return the halves of tracked ones, and other objects as they are."""
    return x._value if isinstance(x, Base) else x


def enclosure_of(x: object) -> object:
    """Return enclosures of tracked or plain halves and of infinities; other objects unchanged."""
    if isinstance(x, Base):
        return x._enclosure
    is_inexact = isinstance(x, float | int) and not abs(x) < 1 << 53  # also true for NaN
    return enclosures.from_exact(x) if is_half(x) or is_inexact else x


# ---------------------------------------------------------------- NumPy's ufuncs

#: The ufuncs whose results are bools, which are integers for vectors.
_PREDICATES = frozenset(
    {name for row in TABLE if row.section == "Relational" for name in (row.name, *row.numpy)}
    | {"logical_and", "logical_or", "logical_xor", "logical_not"}
)


def apply_ufunc(
    make: Make,
    ufunc: np.ufunc,
    method: str,
    inputs: Sequence[object],
    keywords: dict[str, object],
    since: Mark,
) -> object:
    """Return the result of a ufunc on tracked halves: tracked halves, or bools.

    make: the constructor from values and enclosures; since: see `Base.of`.
    """
    if keywords.get("where", True) is not True:
        refuse(f"{ufunc.__name__} with where has no enclosure")
    name, call = _split_mode(ufunc, method)
    if method == "__call__" and _takes_modes(ufunc):
        *inputs, modes = inputs
        call = functools.partial(_call_with_modes, call, modes)
    x = inputs[0]  # may be untracked if only out is tracked
    if name in BY_UFUNC and method == "__call__" and not keywords and isinstance(x, Base):
        return apply_in_domain(BY_UFUNC[name], x, call)
    enclose = None if name in _PREDICATES else _enclose_ufunc(ufunc, name, method, inputs)
    value = call(*map(value_of, inputs), **keywords)
    if enclose is None or value is NotImplemented:
        return value
    if method == "reduce":
        keywords.setdefault("axis", 0)
    return _track_results(make, name, value, enclose, inputs, keywords, since)


def _split_mode(ufunc: np.ufunc, method: str) -> tuple[str, Callable[..., Any]]:
    """Return a ufunc's name without its mode, and the function that computes its values."""
    name: str = ufunc.__name__
    if not name.endswith(SUFFIXES):
        return name, getattr(ufunc, method)
    name, mode = name[:-4], name[-3:]
    if mode == "rte" or method != "__call__":
        return name, getattr(ufunc, method)
    # Numbers among the operands are rounded in the mode by halfcl's functions, not by ufuncs.
    return name, functools.partial(getattr(hc, name), rounding=mode)


def _takes_modes(ufunc: np.ufunc) -> bool:
    """Return whether the last operand is an array of modes, as with ``rounding=`` an array."""
    function = getattr(hc, ufunc.__name__, None)
    return isinstance(function, hc.Function) and ufunc.nin == function.nin + 1


def _call_with_modes(
    call: Callable[..., Any], modes: object, *operands: object, **keywords: object
) -> Any:
    return call(*operands, modes, **keywords)


def _enclose_ufunc(
    ufunc: np.ufunc, name: str, method: str, inputs: Sequence[object]
) -> enclosures.Function:
    """Return the function that computes the enclosures."""
    if method == "reduce" and name in enclosures.REDUCTIONS:
        return enclosures.REDUCTIONS[name]
    if method != "__call__":
        refuse(f"{name}.{method} has no enclosure")
    if name == "multiply" and inputs[0] is inputs[1]:
        return lambda x, _: enclosures.UFUNCS["square"](x)
    enclose = enclosures.UFUNCS.get(name) or enclosures.interval_ufunc(name)
    return enclose or refuse(f"{name} has no enclosure")


def _track_results(
    make: Make,
    name: str,
    value: Values,
    enclose: enclosures.Function,
    args: Sequence[object],
    keywords: dict[str, object],
    since: Mark,
) -> Trackeds:
    """Return tracked halves from values and computed enclosures; refuse where there are none."""
    _check_halves(name, value)
    try:
        with np.errstate(all="ignore"), DefaultEnvironment():
            enclosures_found = enclose(
                *map_leaves(enclosure_of, args), **map_leaves(enclosure_of, keywords)
            )
    except (TypeError, ValueError, OverflowError) as error:
        refuse(f"{name} has no enclosure of these arguments: {error}")
    return _wrap_results(make, value, enclosures_found, since)


def _check_halves(name: str, value: object) -> None:
    """Raise UntrackedError unless the value is one or several halves."""
    for x in value if isinstance(value, list | tuple) else [value]:
        dtype = getattr(x, "dtype", None)
        if dtype is None or dtype.kind in "iub":
            refuse(f"{name} has no enclosure")
        if dtype.type is not hc.half:
            refuse(f"half becomes {dtype}; use half(x) or Python numbers as other operands")


def _wrap_results(make: Make, value: Values, enclosure: Any, since: Mark) -> Trackeds:
    """Return tracked halves from values and enclosures, or lists and tuples of them."""
    if isinstance(value, list | tuple):
        container: type[list[Any]] | type[tuple[Any, ...]] = type(value)
        pairs = zip(value, enclosure, strict=True)
        return container(_wrap_results(make, v, e, since) for v, e in pairs)
    return make(value, enclosure, since)


def apply_in_domain(
    domain: Domain,
    x: _B,
    function: Callable[..., Halves],
    redirect: Callable[[], object] | None = None,
) -> _B:
    """Apply a function with a domain; arguments that rounding moved out of it are put back."""
    with uncounted_kernels():
        arguments, counts = keep(domain, x._value, x._enclosure, redirect)
        record_call(domain.name, counts)
        value = function(arguments)
        with np.errstate(all="ignore"), DefaultEnvironment():
            enclosure = enclosures.enclose_domain_function(domain.name, x._enclosure)
        return x.of(value, enclosure, x._mark)


# ---------------------------------------------------------------- NumPy's functions

#: The functions whose results depend only on values.
_VALUE_FUNCTIONS = frozenset({
    np.shape, np.ndim, np.size, np.any, np.all, np.argmax, np.argmin, np.argsort, np.nonzero,
    np.flatnonzero, np.count_nonzero, np.argwhere, np.isclose, np.allclose, np.array_equal,
    np.searchsorted, np.array_repr, np.array_str, np.array2string, np.iscomplexobj, np.isrealobj,
    np.result_type, np.may_share_memory, np.shares_memory,
})  # fmt: skip


#: The parameters that are conditions, for which NumPy accepts no halves.
_CONDITIONS = ("condition", "mask", "where")


def couple(
    value: Halves, enclosure: DoubleInterval, sources: Iterable[Base]
) -> tuple[Halves, DoubleInterval]:
    """Return moved values and enclosures such that both are views of the sources, or neither is.

    NumPy copies one and not the other if their memory layouts differ. After a write they would no
    longer match.
    """
    shared = [x for x in sources if np.may_share_memory(value, x._value)]
    if not shared:
        return value, enclosure.map(np.copy)
    if not all(np.may_share_memory(enclosure.lo, x._enclosure.lo) for x in shared):
        value = value.view()
        value.flags.writeable = False
    return value, enclosure


def apply_function(
    make: Make,
    func: Callable[..., object],
    args: tuple[object, ...],
    kwargs: dict[str, object],
    since: Mark,
) -> object:
    """Return the result of one of NumPy's functions on tracked halves; see `apply_ufunc`."""
    if func in STRUCTURAL:
        return _move(make, STRUCTURAL[func].bind(args, kwargs), since)
    if func in _VALUE_FUNCTIONS:
        return func(*map_leaves(value_of, args), **map_leaves(value_of, kwargs))
    name = func.__name__
    enclose = enclosures.FUNCTIONS.get(func)
    if enclose is None:
        refuse(f"{name} has no enclosure")
    if kwargs.pop("out", None) is not None or enclosures.has_positional_out(func, args):
        refuse(f"{name} with out has no enclosure")
    value: Any = func(*map_leaves(value_of, args), **map_leaves(value_of, kwargs))
    return _track_results(make, name, value, enclose, args, kwargs, since)


def _move(make: Make, call: Call, since: Mark) -> object:
    """Return the result of a structural function on values, and on both bounds."""
    name, target = call.function.name, call.get(call.function.target)
    if call.out is not None:
        refuse(f"{name} with out has no enclosure")
    if call.function.target and not isinstance(target, Base):
        refuse(f"{name}: {call.function.target}: expected Tracked, got {type(target).__name__}")
    if reason := call.describe_computation():
        refuse(reason)
    sources = [x for x in leaves(call.arrays()) if isinstance(x, Base)]
    value: Any = call.run(functools.partial(map_leaves, value_of), _value_of_other)
    if target is None:
        _check_halves(name, value)
    try:
        low, high = (
            call.run(functools.partial(map_leaves, bound), _other_for_doubles)
            for bound in (_low, _high)
        )
    except (TypeError, ValueError) as error:
        refuse(f"{name} has no enclosure of these arguments: {error}")
    if target is not None:
        target._mark = since
        return None

    def make_coupled(results: Sequence[Any]) -> Base:
        value, low, high = results
        return make(*couple(value, DoubleInterval(low, high), sources), since)

    return join([value, low, high], make_coupled)


def _value_of_other(name: str, x: object) -> object:
    """Return an argument that says where elements go, with bools in place of tracked halves."""
    if isinstance(x, Base) and name in _CONDITIONS:
        return np.not_equal(x._value, 0)
    return map_leaves(value_of, x)


def _other_for_doubles(name: str, x: object) -> object:
    """Return such an argument for bounds, which are doubles."""
    return np.float64 if name == "dtype" and x is not None else _value_of_other(name, x)


def _low(x: object) -> object:
    enclosure = enclosure_of(x)
    return enclosure.lo if isinstance(enclosure, DoubleInterval) else x


def _high(x: object) -> object:
    enclosure = enclosure_of(x)
    return enclosure.hi if isinstance(enclosure, DoubleInterval) else x
