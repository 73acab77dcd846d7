"""The vector types, and sample vectors, for the tests of vectors."""

import numpy as np

import halfcl as hc
from halfcl import vectors

WIDTHS = (2, 3, 4, 8, 16)

#: OpenCL's scalar types by name, as this test knows them.
SCALARS = {
    "char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16,
    "int": np.int32, "uint": np.uint32, "long": np.int64, "ulong": np.uint64,
    "half": hc.half, "float": np.float32, "double": np.float64,
}  # fmt: skip

#: What relational operators give for vectors of each type.
TRUTHS = {
    "char": "char", "uchar": "char", "short": "short", "ushort": "short", "half": "short",
    "int": "int", "uint": "int", "float": "int", "long": "long", "ulong": "long", "double": "long",
}  # fmt: skip

NAMES = [f"{scalar}{width}" for scalar in SCALARS for width in WIDTHS]


def split(name):
    """Split a vector type's name into scalar type and width."""
    scalar = name.rstrip("0123456789")
    return scalar, int(name[len(scalar) :])


def make(name, *shape):
    """Vectors of a type whose components count up from 1, and so differ: a new array."""
    scalar, width = split(name)
    count = int(np.prod(shape, dtype=int)) * width
    plain = (np.arange(count) % 120 + 1).astype(SCALARS[scalar]).reshape(*shape, width)
    return plain.view(getattr(vectors, name))


def is_plain(x):
    return type(x) is np.ndarray


def check(got, want, name=None):
    """Components bit by bit, and the class: a vector type's name, or None for a plain array."""
    assert type(got) is (getattr(vectors, name) if name else np.ndarray), type(got)
    plain = np.asarray(got)
    assert plain.shape == np.shape(want)
    assert plain.dtype == np.asarray(want).dtype
    assert plain.tobytes() == np.asarray(want).tobytes(), (plain, want)
