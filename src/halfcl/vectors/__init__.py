"""OpenCL's vectors as arrays whose last axis is the vector: half2 … half16, char2 … double16."""

from __future__ import annotations

from halfcl.names import publish
from halfcl.vectors.registry import vector_type
from halfcl.vectors.shuffle import shuffle, shuffle2, vec_step
from halfcl.vectors.structs import from_struct, to_struct
from halfcl.vectors.types import TYPES
from halfcl.vectors.vector import Vector

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

publish(__name__, map(globals().get, __all__))
