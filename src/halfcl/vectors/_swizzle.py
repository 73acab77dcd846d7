"""Components by name: ``v.x``, ``v.wzyx``, ``v.s01``, ``v.lo``, read and assigned."""

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
from halfcl.vectors._registry import VectorBase, as_plain, width_of

#: What selects components of the last axis.
Index: TypeAlias = int | slice | NDArray[np.intp]

_LETTERS = ("xyzw", "rgba")
_NUMERIC = re.compile("[sS][0-9a-fA-F]+")


def names(width: int) -> list[str]:
    """The names of single components and of halves: what completion offers."""
    letters = [letter for letters in _LETTERS for letter in letters[:width]]
    return [*letters, *(f"s{i:x}" for i in range(width)), *_halves(width)]


def _halves(width: int) -> dict[str, range]:
    """Lower and upper half, even and odd components; three are the first of four."""
    padded = range(4 if width == 3 else width)
    middle = len(padded) // 2
    return {"lo": padded[:middle], "hi": padded[middle:], "even": padded[::2], "odd": padded[1::2]}


def _spelled(name: str) -> list[int] | None:
    """The indices of a component's letters; None if these are no components' letters."""
    for letters in _LETTERS:
        if name and set(name) <= set(letters):
            return [letters.index(letter) for letter in name]
    if _NUMERIC.fullmatch(name):
        return [int(digit, 16) for digit in name[1:]]
    return None


def _is_mixed(name: str) -> bool:
    """Whether someone meant components, but of two notations."""
    digits = name[1:] if name[:1] in "sS" else name
    return set(digits) <= set("xyzwrgba0123456789") and bool(set(name) & set("xyzwrgba"))


def _components(kind: str, width: int, name: str) -> Sequence[int]:
    """The indices that a name stands for; AttributeError, with the reason, if it is illegal."""
    halves = _halves(width)
    if name in halves:
        return halves[name]
    indices = _spelled(name)
    if indices is None:
        reason = "mixes xyzw, rgba and numeric indices" if _is_mixed(name) else "no such attribute"
        raise AttributeError(f"{kind}.{name}: {reason}")
    if max(indices) >= width:
        raise AttributeError(
            f"{kind}.{name}: component {max(indices)} is beyond the {width} of {kind}"
        )
    if len(indices) not in (1, *WIDTHS):
        raise AttributeError(
            f"{kind}.{name}: {len(indices)} components; vectors have 2, 3, 4, 8 or 16"
        )
    return indices


def _index(indices: Sequence[int]) -> slice | NDArray[np.intp]:
    """What selects these components of the last axis: a slice where their spacing is regular."""
    first, *others = indices
    step = others[0] - first if others else 1
    stop = first + step * len(indices)
    if step == 0 or list(indices) != list(range(first, stop, step)):
        return np.array(indices, np.intp)
    return slice(first, None if stop < 0 else stop, step)


@dataclass(frozen=True)
class _Plan:
    """How a name is read and assigned.

    count: of components; 1 is a scalar.
    index: of the last axis: an integer, a slice, or an array of integers. Of `hi` and
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
    """What reads those components of a vector: a view wherever their spacing is regular."""
    index = plan.index
    if isinstance(index, int):

        def scalar(vector: VectorBase) -> Result:
            if vector.ndim == 1:
                return np.ndarray.__getitem__(vector, index)
            return _core.components(vector, index, 1, 1, np.ndarray)

        return scalar
    selected = kind.family[plan.count]
    if plan.undefined:

        def padded(vector: VectorBase) -> VectorBase:
            # OpenCL leaves the fourth of three components undefined; here it reads 0.
            found = np.zeros((*vector.shape[:-1], plan.count), vector.dtype)
            found[..., :1] = as_plain(vector)[..., index]
            return found.view(selected)

        return padded
    if isinstance(index, slice):
        first, step = index.start, index.step
        return lambda vector: _core.components(vector, first, step, plan.count, selected)
    return lambda vector: as_plain(vector).take(index, axis=-1).view(selected)


#: The attributes that classes were given, the oldest first. 16 components have 10^19 names.
_given: dict[tuple[type, str], None] = {}
_MOST_GIVEN = 1024
_giving = threading.Lock()


def _give(kind: type, name: str, reader: property) -> None:
    """Make it an attribute of the class, in place of the oldest one if there are too many."""
    with _giving:
        if len(_given) >= _MOST_GIVEN:
            old_kind, old_name = next(iter(_given))
            del _given[old_kind, old_name]
            if old_name in vars(old_kind):
                delattr(old_kind, old_name)
        _given[kind, name] = None
        setattr(kind, name, reader)


def component(kind: type[VectorBase], name: str) -> property:
    """What reads components of vectors of a class, now an attribute of it: scalars, or vectors.

    AttributeError, with the reason, if the name is illegal.
    """
    reader = property(_reader(kind, _plan(kind.__name__, kind.width, name)))
    _give(kind, name, reader)
    return reader


def _check_assigned(
    kind: str, name: str, plan: _Plan, vector: NDArray[Any], value: ArrayLike
) -> None:
    """Vectors are assigned to as many components, of their own type."""
    if plan.repeats:
        raise AttributeError(f"{kind}.{name}: a component repeats, so it cannot be assigned to")
    width = width_of(value)
    if width and width != plan.count:
        expected = f"a vector of {plan.count}" if plan.count > 1 else "a scalar"
        raise ValueError(f"{kind}.{name}: expected {expected}, got {type(value).__name__}")
    if width and isinstance(value, VectorBase) and value.dtype != vector.dtype:
        raise TypeError(
            f"{kind}.{name}: expected elements of type {vector.dtype}, got "
            f"{type(value).__name__}; halfcl.convert or x.astype converts"
        )


def assign(vector: NDArray[Any], width: int, name: str, value: ArrayLike) -> None:
    """Store a scalar, a vector or a plain array in the components of that name."""
    kind = type(vector).__name__
    plan = _plan(kind, width, name)
    _check_assigned(kind, name, plan, vector, value)
    if plan.undefined and np.ndim(value):
        value = np.asarray(value)[..., :1]
    as_plain(vector)[..., plan.index] = value
