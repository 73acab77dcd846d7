"""Those of `__init__.py`, for type checkers: they see no class that a table makes."""

from halfcl import (
    _float16 as float16,
    _int8 as int8,
    _int16 as int16,
    _uint8 as uint8,
    _uint16 as uint16,
)
from halfcl.vectors._registry import vector_type as vector_type
from halfcl.vectors._shuffle import shuffle as shuffle, shuffle2 as shuffle2, vec_step as vec_step
from halfcl.vectors._structs import from_struct as from_struct, to_struct as to_struct
from halfcl.vectors._types import TYPES as TYPES
from halfcl.vectors._vector import Vector as Vector

__all__ = [
    "TYPES",
    "Vector",
    "float16",
    "from_struct",
    "int8",
    "int16",
    "shuffle",
    "shuffle2",
    "to_struct",
    "uint8",
    "uint16",
    "vec_step",
    "vector_type",
]
