"""The type that stands for half in a reference run: its arrays and numbers are wider."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfcl._core import half

#: The types that a reference run replaces.
HALF_TYPES: tuple[type, ...] = (np.float16, half)

#: NumPy's own type, which stays reachable while a stand-in replaces it.
FLOAT16 = np.float16

#: Types that a half may be: those of `stand_in_for`, by their names as arguments.
WIDE_TYPES: dict[str, type[np.floating[Any]]] = {"double": np.float64, "long double": np.longdouble}


def is_longer() -> bool:
    """Return whether a long double has more bits than a double on this machine."""
    return bool(np.finfo(np.longdouble).nmant > np.finfo(np.float64).nmant)


class HalfMeta(type):
    """Metaclass of stand-ins: each is called, compared and tested like the type of half.

    wide: the type of its numbers. note_question: is called where a program asks whether a number of
    the wide type is a half, and returns True.
    """

    wide: type[np.floating[Any]]
    note_question: Callable[[], bool]

    def __call__(
        cls, x: float | str | bytes | NDArray[Any] | np.generic = 0.0, *_: object, **__: object
    ) -> NDArray[Any] | np.generic:
        """Return a number or an array of the wide type, not rounded to half."""
        if isinstance(x, str | bytes):
            return _parse(x, cls.wide)
        if isinstance(x, np.ndarray):
            return np.asanyarray(x).astype(cls.wide)[()]
        return cls.wide(x)

    def __instancecheck__(cls, x: object) -> bool:
        return cls._answer(type(x)) or isinstance(x, (cls.wide, *HALF_TYPES))

    def __subclasscheck__(cls, other: type) -> bool:
        is_half = cls._answer(other) or other in HALF_TYPES
        return is_half or type.__subclasscheck__(cls, other)

    def _answer(cls, other: type) -> bool:
        """Return whether a type is the wide one, which a half has, or a wider number."""
        return other is cls.wide and cls.note_question()

    def __eq__(cls, other: object) -> bool:
        if other is cls or other is cls.wide or other in HALF_TYPES:
            return True
        return NotImplemented  # a dtype compares itself with types

    #: Not the wide type's: a dict may have both as keys, as programs that compare types do.
    __hash__ = type.__hash__

    def __getattr__(cls, name: str) -> object:
        return getattr(half, name)


def _parse(text: str | bytes, wide: type[np.floating[Any]]) -> np.floating[Any]:
    """Return the number of a text, which may have the suffix of OpenCL's literals."""
    plain = text.decode() if isinstance(text, bytes) else text
    try:
        return wide(plain)
    except ValueError:
        return wide(float.fromhex(plain.rstrip("hH")) if "x" in plain else plain.rstrip("hH"))


def stand_in_for(wide: type[np.floating[Any]]) -> HalfMeta:
    """Return the stand-in for half whose numbers are of a wide type; NumPy reads its dtype.

    >>> import numpy as np
    >>> from halfcl.stability._programs._reference.stand_in import stand_in_for
    >>> Half = stand_in_for(np.float64)
    >>> np.dtype(Half), Half(0.1), isinstance(np.float64(1), Half)
    (dtype('float64'), np.float64(0.1), True)
    """
    names = {"wide": wide, "__slots__": (), "__module__": "numpy", "__qualname__": "float16",
             "note_question": staticmethod(lambda: True)}  # fmt: skip
    return HalfMeta("float16", (wide,), names)


def is_half_type(dtype: np.dtype[Any]) -> bool:
    """Return whether a dtype is NumPy's float16 or half, in any byte order."""
    return dtype.type in (FLOAT16, half)


def widen_type(dtype: np.dtype[Any], wide: type[np.floating[Any]]) -> np.dtype[Any]:
    """Return a dtype with the wide type in place of half, also in fields and subarrays.

    >>> import numpy as np
    >>> from halfcl.stability._programs._reference.stand_in import widen_type
    >>> widen_type(np.dtype([("a", "f2"), ("b", "i4")]), np.float64)
    dtype([('a', '<f8'), ('b', '<i4')])
    """
    if dtype.fields:
        fields = [(name, widen_type(dtype.fields[name][0], wide)) for name in dtype.names or ()]
        return np.dtype(fields)
    if dtype.subdtype:
        base, shape = dtype.subdtype
        return np.dtype((widen_type(base, wide), shape))
    return np.dtype(wide) if is_half_type(dtype) else dtype


def has_halves(dtype: np.dtype[Any]) -> bool:
    """Return whether a dtype is half, or has fields of it."""
    if dtype.fields:
        return any(has_halves(field[0]) for field in dtype.fields.values())
    return is_half_type(dtype.base)
