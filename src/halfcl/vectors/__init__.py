"""OpenCL's vectors as arrays whose last axis is the vector: half2 … half16, char2 … double16."""

from __future__ import annotations

from halfcl.vectors.registry import vector_type
from halfcl.vectors.shuffle import shuffle, shuffle2, vec_step
from halfcl.vectors.structs import from_struct, to_struct
from halfcl.vectors.types import TYPES
from halfcl.vectors.vector import Vector

__all__ = [
    "TYPES",
    "Vector",
    "from_struct",
    "shuffle",
    "shuffle2",
    "to_struct",
    "vec_step",
    "vector_type",
]
