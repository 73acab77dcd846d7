"""The vector types half2 … half16, char2 … double16, created by one factory."""

from __future__ import annotations

from typing import cast

from halfcl._support.names import AMBIGUOUS
from halfcl._tables.types import SCALAR_TYPES, WIDTHS
from halfcl.vectors._registry import CLASSES
from halfcl.vectors._vector import Vector, VectorType

_DOC = """{name}(*components)

{count} components of OpenCL's ``{scalar}``: a vector, or an array of vectors on its last axis.

Parameters
----------
*components : scalars, vectors, arrays of them
    {count} components in all: scalars and arrays of scalars have one each, vectors as many
    as their width; the other axes broadcast. Or one scalar for all components (a bool sets
    all bits of integers); or one array or list, whose last axis has the components.

Returns
-------
{name}

Raises
------
ValueError
    If the components do not add up to {count}.
TypeError
    If an argument is not exact in {element}, or a vector has other elements.

See Also
--------
convert_{name} : converts other types.
numpy.ndarray.view : ``x.view({name})`` returns the vectors in the memory of an array.

Notes
-----
Components are attributes: ``.x .y .z .w``, ``.r .g .b .a``, ``.s0`` to ``.sf``, as many of
one set as a vector may have (``.wzyx``, ``.s01``), ``.lo .hi .even .odd``. Source: OpenCL C,
Vector Literals; Vector Components; cl_khr_fp16.

Examples
--------
>>> import numpy as np
>>> from {module} import {name}
>>> v = {name}(range({count}))
>>> v.shape, v.dtype, int(v.y)
(({count},), {element!r}, 1)
>>> np.zeros(5, dtype={name}).view({name}).lo.shape
(5,{lower})
"""


def _make(scalar: str, width: int, family: dict[int, type[Vector]]) -> type[Vector]:
    """Return the class of vectors of one of OpenCL's scalar types, and a width."""
    name, element = f"{scalar}{width}", SCALAR_TYPES[scalar]
    module = "halfcl.vectors" if name in AMBIGUOUS else "halfcl"
    lower = "" if width == 2 else f" {(width + 1) // 2}"
    cls = VectorType(
        name,
        (Vector,),
        {
            "__slots__": (),
            "__module__": module,
            "__doc__": _DOC.format(
                name=name, count=width, scalar=scalar, element=element, lower=lower, module=module
            ),
            "__halfcl_vector__": width,
            "width": width,
            "element": element,
            "family": family,
        },
    )
    return cast(type[Vector], cls)


def _make_family(scalar: str) -> dict[int, type[Vector]]:
    """Return the classes of one element type, by width."""
    family: dict[int, type[Vector]] = {}
    for width in WIDTHS:
        family[width] = CLASSES[SCALAR_TYPES[scalar], width] = _make(scalar, width, family)
    return family


#: The classes by name.
TYPES: dict[str, type[Vector]] = {
    cls.__name__: cls for scalar in SCALAR_TYPES for cls in _make_family(scalar).values()
}
