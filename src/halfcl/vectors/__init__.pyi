"""Those of `__init__.py`, for type checkers: they see no class that a table makes."""

from halfcl import _float16 as float16
from halfcl import _int8 as int8
from halfcl import _int16 as int16
from halfcl import _uint8 as uint8
from halfcl import _uint16 as uint16
from halfcl.vectors.registry import vector_type as vector_type
from halfcl.vectors.shuffle import shuffle as shuffle
from halfcl.vectors.shuffle import shuffle2 as shuffle2
from halfcl.vectors.shuffle import vec_step as vec_step
from halfcl.vectors.structs import from_struct as from_struct
from halfcl.vectors.structs import to_struct as to_struct
from halfcl.vectors.types import TYPES as TYPES
from halfcl.vectors.vector import Vector as Vector

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
