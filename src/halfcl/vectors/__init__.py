"""OpenCL's vectors as arrays whose last axis is the vector: half2 … half16, char2 … double16."""

from halfcl._support.names import publish
from halfcl.vectors._registry import vector_type
from halfcl.vectors._shuffle import shuffle, shuffle2, vec_step
from halfcl.vectors._structs import from_struct, to_struct
from halfcl.vectors._types import TYPES
from halfcl.vectors._vector import Vector, _unpickled

globals().update(TYPES)

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

publish(globals(), _unpickled)
