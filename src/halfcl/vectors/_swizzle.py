"""Reading and assigning components by name: ``v.x``, ``v.wzyx``, ``v.s01``, ``v.lo``."""

from __future__ import annotations

import functools
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfcl import _core
from halfcl._support.results import Result
from halfcl._tables.types import WIDTHS
from halfcl.vectors._registry import VectorBase, as_plain, conversion_call, width_of

#: An index of components on the last axis.
Index: TypeAlias = int | slice | NDArray[np.intp]

#: The sets of letters that name the first components.
LETTERS = ("xyzw", "rgba")
_NUMERIC = re.compile("[sS][0-9a-fA-F]+")


def names(width: int) -> list[str]:
    """Return the names of single components and of halves, for completion."""
    letters = [letter for letters in LETTERS for letter in letters[:width]]
    return [*letters, *(f"s{i:x}" for i in range(width)), *_halves(width)]


def _halves(width: int) -> dict[str, range]:
    """Return the lower and upper half, even and odd components; three are the first of four."""
    padded = range(4 if width == 3 else width)
    middle = len(padded) // 2
    return {"lo": padded[:middle], "hi": padded[middle:], "even": padded[::2], "odd": padded[1::2]}


def _parse_letters(name: str) -> list[int] | None:
    """Return the indices of a name's letters; None if they do not name components."""
    for letters in LETTERS:
        if name and set(name) <= set(letters):
            return [letters.index(letter) for letter in name]
    if _NUMERIC.fullmatch(name):
        return [int(digit, 16) for digit in name[1:]]
    return None


def _is_mixed(name: str) -> bool:
    """Return whether a name mixes notations of components."""
    digits = name[1:] if name[:1] in "sS" else name
    return set(digits) <= set("xyzwrgba0123456789") and bool(set(name) & set("xyzwrgba"))


def _components(kind: str, width: int, name: str) -> Sequence[int]:
    """Return the indices that a name stands for; raise AttributeError if it is illegal."""
    halves = _halves(width)
    if name in halves:
        return halves[name]
    indices = _parse_letters(name)
    if indices is None:
        if _is_mixed(name):
            raise AttributeError(f"{kind}.{name}: mixes xyzw, rgba and numeric indices")
        raise AttributeError(
            f"{kind}.{name}: no such attribute; components are letters of xyzw or rgba, or s and "
            "hexadecimal digits"
        )
    if max(indices) >= width:
        raise AttributeError(
            f"{kind}.{name}: component {max(indices)} is beyond the {width} of {kind}"
        )
    if len(indices) not in (1, *WIDTHS):
        raise AttributeError(
            f"{kind}.{name}: expected 1, 2, 3, 4, 8 or 16 components, got {len(indices)}"
        )
    return indices


def _index(indices: Sequence[int]) -> slice | NDArray[np.intp]:
    """Return the index of components on the last axis: a slice where their spacing is regular."""
    first, *others = indices
    step = others[0] - first if others else 1
    stop = first + step * len(indices)
    if step == 0 or list(indices) != list(range(first, stop, step)):
        return np.array(indices, np.intp)
    return slice(first, None if stop < 0 else stop, step)


@dataclass(frozen=True)
class _Plan:
    """The plan for reading and assigning a name.

    count: the number of components; 1 is a scalar.
    index: the index on the last axis: an integer, a slice, or an array of integers. For `hi` and
        `odd` of three components, whose second is undefined, it selects the first.
    """

    count: int
    index: Index
    repeats: bool
    undefined: bool


@functools.lru_cache(maxsize=1024)
def _plan(kind: str, width: int, name: str) -> _Plan:
    indices = _components(kind, width, name)
    defined = [i for i in indices if i < width]
    return _Plan(
        count=len(indices),
        index=indices[0] if len(indices) == 1 else _index(defined),
        repeats=len(set(indices)) < len(indices),
        undefined=len(defined) < len(indices),
    )


def _reader(kind: type[VectorBase], plan: _Plan) -> Callable[[VectorBase], Result]:
    """Return a function that reads components, as a view if their spacing is regular."""
    index = plan.index
    if isinstance(index, int):

        def read_scalar(vector: VectorBase) -> Result:
            if vector.ndim == 1:
                return np.ndarray.__getitem__(vector, index)
            return _core.components(vector, index, 1, 1, np.ndarray)

        return read_scalar
    selected = kind.family[plan.count]
    if plan.undefined:

        def read_padded(vector: VectorBase) -> VectorBase:
            # OpenCL leaves the fourth of three components undefined; here it reads 0.
            components = np.zeros((*vector.shape[:-1], plan.count), vector.dtype)
            components[..., :1] = as_plain(vector)[..., index]
            return components.view(selected)

        return read_padded
    if isinstance(index, slice):
        first, step = index.start, index.step
        return lambda vector: _core.components(vector, first, step, plan.count, selected)
    return lambda vector: as_plain(vector).take(index, axis=-1).view(selected)


#: The attributes added to classes, oldest first; limited, as 16 components have 10^19 names.
_cached: dict[tuple[type, str], None] = {}
_MOST_CACHED = 1024
_cache_lock = threading.Lock()


def _cache_attribute(kind: type, name: str, reader: property) -> None:
    """Add an attribute to the class, in place of the oldest one if there are too many."""
    with _cache_lock:
        if len(_cached) >= _MOST_CACHED:
            old_kind, old_name = next(iter(_cached))
            del _cached[old_kind, old_name]
            if old_name in vars(old_kind):
                delattr(old_kind, old_name)
        _cached[kind, name] = None
        setattr(kind, name, reader)


def component(kind: type[VectorBase], name: str) -> property:
    """Return the property that reads components of vectors of a class, and add it to the class.

    Raise AttributeError, with the reason, if the name is illegal.
    """
    reader = property(_reader(kind, _plan(kind.__name__, kind.width, name)))
    _cache_attribute(kind, name, reader)
    return reader


def _check_assignment(
    kind: str, name: str, plan: _Plan, vector: NDArray[Any], value: ArrayLike
) -> None:
    """Raise an error unless the value has as many components as the name, and the same type."""
    if plan.repeats:
        raise AttributeError(f"{kind}.{name}: cannot be assigned to, as a component repeats")
    width = width_of(value)
    if width and width != plan.count:
        expected = f"a vector of {plan.count}" if plan.count > 1 else "a scalar"
        raise ValueError(f"{kind}.{name}: expected {expected}, got {type(value).__name__}")
    if width and isinstance(value, VectorBase) and value.dtype != vector.dtype:
        raise TypeError(
            f"{kind}.{name}: expected elements of type {vector.dtype}, got "
            f"{type(value).__name__}; use {conversion_call(vector.dtype)}"
        )


def assign(vector: NDArray[Any], width: int, name: str, value: ArrayLike) -> None:
    """Store a scalar, a vector or a plain array in the components of a name."""
    kind = type(vector).__name__
    plan = _plan(kind, width, name)
    _check_assignment(kind, name, plan, vector, value)
    if plan.undefined and np.ndim(value):
        value = np.asarray(value)[..., :1]
    as_plain(vector)[..., plan.index] = value
