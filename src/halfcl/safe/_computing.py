"""What NumPy's ufuncs and functions do to tracked halves: to values, and to enclosures."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias, TypeVar, overload

import numpy as np

import halfcl as hc
from halfcl._tables import TABLE
from halfcl.interval._bounds import Halves
from halfcl.safe import _enclosures as enclosures
from halfcl.safe._domain import BY_UFUNC, Domain, keep
from halfcl.safe._noting import note
from halfcl.safe._watching import Base, Mark, aside, is_half, refuse
from halfcl.safe._wide import Wide, given

_B = TypeVar("_B", bound=Base)
#: What makes a tracked half.
Make: TypeAlias = Callable[[Halves, Wide, Mark], Base]
#: One tracked half, or several.
Trackeds: TypeAlias = Base | list[Base] | tuple[Base, ...]
#: The halves of these.
Values: TypeAlias = Halves | list[Halves] | tuple[Halves, ...]

_MODES = ("_rte", "_rtz", "_rtp", "_rtn")

# ---------------------------------------------------------------- operands


def leaves(x: object) -> Iterator[object]:
    """What is in lists and tuples, at any depth."""
    if isinstance(x, list | tuple):
        for item in x:
            yield from leaves(item)
    else:
        yield x


@overload
def map_leaves(function: Callable[[object], object], x: dict[str, object]) -> dict[str, object]: ...
@overload
def map_leaves(function: Callable[[object], object], x: Sequence[object]) -> Sequence[object]: ...
@overload
def map_leaves(function: Callable[[object], object], x: object) -> object: ...
def map_leaves(function: Callable[[object], object], x: object) -> object:
    """A function of what is in lists and tuples, at any depth."""
    if isinstance(x, dict):
        return {name: map_leaves(function, item) for name, item in x.items()}
    if isinstance(x, list | tuple):
        return type(x)(map_leaves(function, item) for item in x)
    return function(x)


def value_of(x: object) -> object:
    """The halves of tracked ones; others as they are."""
    return x._value if isinstance(x, Base) else x


def enclosure_of(x: object) -> object:
    """Enclosures of tracked halves, and of halves and infinities beside; others as they are."""
    if isinstance(x, Base):
        return x._wide
    is_inexact = isinstance(x, float | int) and not abs(x) < 1 << 53  # or no number
    return given(x) if is_half(x) or is_inexact else x


# ---------------------------------------------------------------- NumPy's ufuncs

#: The ufuncs whose results are truths, also where vectors have them as integers.
_TRUTHS = frozenset(
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
    """What a ufunc gives of tracked halves: such again, or truths.

    make: of values and enclosures; since: see `Base.of`.
    """
    if keywords.get("where", True) is not True:
        refuse(f"{ufunc.__name__} with where has no enclosure")
    name, call = _named(ufunc, method)
    if method == "__call__" and _takes_modes(ufunc):
        *inputs, modes = inputs
        call = functools.partial(_with_modes, call, modes)
    x = inputs[0]  # it may be that out alone is tracked
    if name in BY_UFUNC and method == "__call__" and not keywords and isinstance(x, Base):
        return kept(BY_UFUNC[name], x, call)
    enclose = None if name in _TRUTHS else _enclose_ufunc(ufunc, name, method, inputs)
    value = call(*map(value_of, inputs), **keywords)
    if enclose is None or value is NotImplemented:
        return value
    if method == "reduce":
        keywords.setdefault("axis", 0)
    return _tracked(make, name, value, enclose, inputs, keywords, since)


def _named(ufunc: np.ufunc, method: str) -> tuple[str, Callable[..., Any]]:
    """A ufunc's name, without its mode, and what computes its values."""
    name: str = ufunc.__name__
    if not name.endswith(_MODES):
        return name, getattr(ufunc, method)
    name, mode = name[:-4], name[-3:]
    if mode == "rte" or method != "__call__":
        return name, getattr(ufunc, method)
    # halfcl's functions, and not their ufuncs, round the numbers beside halves in the mode.
    return name, functools.partial(getattr(hc, name), rounding=mode)


def _takes_modes(ufunc: np.ufunc) -> bool:
    """Whether its last operand is an array of modes: what ``rounding=`` such an array calls."""
    function = getattr(hc, ufunc.__name__, None)
    return isinstance(function, hc.Function) and ufunc.nin == function.nin + 1


def _with_modes(
    call: Callable[..., Any], modes: object, *operands: object, **keywords: object
) -> Any:
    return call(*operands, modes, **keywords)


def _enclose_ufunc(
    ufunc: np.ufunc, name: str, method: str, inputs: Sequence[object]
) -> enclosures.Function:
    """What computes the enclosures."""
    if method == "reduce" and name in enclosures.REDUCTIONS:
        return enclosures.REDUCTIONS[name]
    if method != "__call__":
        refuse(f"{name}.{method} has no enclosure")
    if name == "multiply" and inputs[0] is inputs[1]:
        return lambda x, _: enclosures.UFUNCS["square"](x)
    found = enclosures.UFUNCS.get(name) or enclosures.of_intervals(name)
    return found or refuse(f"{name} has no enclosure")


def _tracked(
    make: Make,
    name: str,
    value: Values,
    enclose: enclosures.Moving,
    args: Sequence[object],
    keywords: dict[str, object],
    since: Mark,
) -> Trackeds:
    """Values with their enclosures; refused where there are none."""
    _check_halves(name, value)
    try:
        with np.errstate(all="ignore"):
            found = enclose(*map_leaves(enclosure_of, args), **map_leaves(enclosure_of, keywords))
    except (TypeError, ValueError, OverflowError) as error:
        refuse(f"{name} has no enclosure of these arguments: {error}")
    return _joined(make, value, found, since)


def _check_halves(name: str, value: object) -> None:
    """NotFollowed unless it is one or several halves."""
    for x in value if isinstance(value, list | tuple) else [value]:
        dtype = getattr(x, "dtype", None)
        if dtype is None or dtype.kind in "iub":
            refuse(f"{name} has no enclosure")
        if dtype.type is not hc.half:
            refuse(f"half becomes {dtype}; half(x), or a Python number beside half, stays half")


def _joined(make: Make, value: Values, found: Any, since: Mark) -> Trackeds:
    """Tracked halves of values and enclosures, or lists and tuples of them."""
    if isinstance(value, list | tuple):
        container: type[list[Any]] | type[tuple[Any, ...]] = type(value)
        pairs = zip(value, found, strict=True)
        return container(_joined(make, v, f, since) for v, f in pairs)
    return make(value, found, since)


def kept(
    domain: Domain,
    x: _B,
    function: Callable[..., Halves],
    redirect: Callable[[], object] | None = None,
) -> _B:
    """A function of a domain: arguments that rounding moved out of it are put back."""
    with aside():
        arguments, counts = keep(domain, x._value, x._wide, redirect)
        note(domain.name, counts)
        value = function(arguments)
        with np.errstate(all="ignore"):
            found = enclosures.of_domain(domain.name, x._wide)
        return x.of(value, found, x._mark)


# ---------------------------------------------------------------- NumPy's functions

#: What tells of values alone.
_OF_VALUES = frozenset({
    np.shape, np.ndim, np.size, np.any, np.all, np.argmax, np.argmin, np.argsort, np.nonzero,
    np.flatnonzero, np.count_nonzero, np.argwhere, np.isclose, np.allclose, np.array_equal,
    np.searchsorted, np.array_repr, np.array_str, np.array2string, np.iscomplexobj, np.isrealobj,
    np.result_type, np.may_share_memory, np.shares_memory,
})  # fmt: skip


#: What takes a condition first.
_CHOOSING = frozenset({np.where, np.compress, np.extract})


def coupled(value: Halves, found: Wide, sources: Iterable[Base]) -> tuple[Halves, Wide]:
    """Values that were moved, and enclosures, of which both are views of the sources' or none is.

    NumPy copies the one and not the other where they lie otherwise in memory; written to, they
    would then no longer belong together.
    """
    for source in sources:
        shares = np.may_share_memory(value, source._value)
        if shares and not np.may_share_memory(found.lo, source._wide.lo):
            value = value.view()
            value.flags.writeable = False
        elif not shares:
            found = found.map(np.copy)
    return value, found


def apply_function(
    make: Make,
    func: Callable[..., object],
    args: tuple[object, ...],
    kwargs: dict[str, object],
    since: Mark,
) -> object:
    """What one of NumPy's functions gives of tracked halves; as `apply_ufunc`."""
    if func in _OF_VALUES:
        return func(*map_leaves(value_of, args), **map_leaves(value_of, kwargs))
    name = func.__name__
    enclose = enclosures.FUNCTIONS.get(func)
    if enclose is None:
        refuse(f"{name} has no enclosure")
    if kwargs.pop("out", None) is not None or enclosures.names_out(func, args):
        refuse(f"{name} with out has no enclosure")
    if func in _CHOOSING and args and isinstance(args[0], Base):
        args = (np.not_equal(args[0]._value, 0), *args[1:])
    sources = [x for x in leaves((*args, *kwargs.values())) if isinstance(x, Base)]
    value: Any = func(*map_leaves(value_of, args), **map_leaves(value_of, kwargs))

    def make_coupled(value: Halves, found: Wide, since: Mark) -> Base:
        return make(*coupled(value, found, sources), since)

    return _tracked(make_coupled, name, value, enclose, args, kwargs, since)
