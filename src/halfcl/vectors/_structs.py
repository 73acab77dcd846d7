"""Vectors as structured arrays with one field per component, as in pyopencl."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halfcl._core import half
from halfcl._tables.types import WIDTHS
from halfcl.vectors._registry import as_plain, vector_type, width_of

if TYPE_CHECKING:
    from halfcl.vectors._vector import Vector

_LETTERS = "xyzw"


def _component(name: str) -> int | None:
    """Return the index that a field's name or title stands for: x, s0, s10, sa; None for others."""
    if name in tuple(_LETTERS):
        return _LETTERS.index(name)
    if re.fullmatch("s[0-9]+", name):
        return int(name[1:])
    return int(name[1:], 16) if re.fullmatch("[sS][a-fA-F]", name) else None


def _component_fields(dtype: np.dtype[Any]) -> dict[int, tuple[np.dtype[Any], int]]:
    """Return the type and offset of each component among the fields; other fields are padding."""
    components = {}
    for name, (element, offset, *_) in (dtype.fields or {}).items():
        index = _component(name)
        if index is not None:
            components[index] = (element, offset)
    return components


def _layout(argument: str, dtype: np.dtype[Any]) -> tuple[np.dtype[Any], int, slice]:
    """Return the type and number of a struct's components, and their slice in that type."""
    fields = _component_fields(dtype)
    width = len(fields)
    if sorted(fields) != list(range(width)) or width not in WIDTHS:
        raise TypeError(
            f"{argument}: expected fields x, y, z, w or s0, s1, … for 2, 3, 4, 8 or 16 components, "
            f"got {dtype}"
        )
    (element, first), (_, second) = fields[0], fields[1]
    step = second - first
    regular = step and all(fields[i] == (element, first + i * step) for i in range(width))
    if not regular or any(n % element.itemsize for n in (first, step, dtype.itemsize)):
        raise TypeError(
            f"{argument}: expected components of one type at regular distances, got {dtype}"
        )
    first, step = first // element.itemsize, step // element.itemsize
    stop = first + width * step
    return element, width, slice(first, None if stop < 0 else stop, step)


def from_struct(a: NDArray[Any]) -> Vector:
    """View structured elements as vectors, without a copy.

    Parameters
    ----------
    a : structured array or scalar, any shape
        Has fields (names or titles) ``x y z w`` or ``s0 s1 …``, of one type, at regular
        distances, as pyopencl.cltypes has, or the same with float16 or `half`. Other fields,
        such as the padding of three components, are ignored.

    Returns
    -------
    vectors, in the memory of ``a``
        Have shape ``(*a.shape, n)``; fields of float16 give vectors of half.

    Raises
    ------
    TypeError
        If ``a`` has no such fields.

    See Also
    --------
    to_struct : the inverse.

    Notes
    -----
    Source: the ``cl_half2`` … types of OpenCL's headers; three components take the
    place of four.

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> a = np.zeros(2, dtype=[(name, np.float16) for name in "xyzw"])
    >>> v = hc.from_struct(a)
    >>> v.y = 1
    >>> v, a["y"]
    (half4([[0., 1., 0., 0.],
           [0., 1., 0., 0.]]), array([1., 1.], dtype=float16))
    """
    array = np.asarray(a)
    element, width, where = _layout("from_struct: a", array.dtype)
    places = array.view(np.dtype((element, (array.dtype.itemsize // element.itemsize,))))
    components = places[..., where]
    kind = np.dtype(half) if element == np.float16 else element
    vectors: type[Vector] = vector_type(kind, width)
    return components.view(kind).view(vectors)


def _struct(element: np.dtype[Any], width: int) -> np.dtype[Any]:
    """Return the structured dtype of one vector, as pyopencl.cltypes, with titles and padding."""
    count = 4 if width == 3 else width
    titles = [*_LETTERS[:width], *[None] * count][:count]
    return np.dtype(
        {
            "names": [*(f"s{i}" for i in range(width)), "padding0"][: len(titles)],
            "formats": [element] * len(titles),
            "titles": titles,
        }
    )


def _owner(array: NDArray[Any]) -> NDArray[Any] | None:
    """Return the array that owns the memory; None if another object does."""
    base: Any = array
    while isinstance(base, np.ndarray) and base.base is not None:
        base = base.base
    return base if isinstance(base, np.ndarray) and base.flags.owndata else None


def _find_padded(dtype: np.dtype[Any], size: int) -> int | None:
    """Return the offset of three adjacent components that are followed by padding, else None.

    Padding means that no field is in the fourth's place, or only one whose name says so.
    """
    fields = _component_fields(dtype)
    if sorted(fields) != [0, 1, 2]:
        return None
    first = fields[0][1]
    if any(fields[i][0].itemsize != size or fields[i][1] != first + i * size for i in range(3)):
        return None
    start, end = first + 3 * size, first + 4 * size
    others = [
        offset < end and start < offset + element.itemsize
        for name, (element, offset, *_) in (dtype.fields or {}).items()
        if not name.startswith("padding")
    ]
    return None if any(others) or end > dtype.itemsize else first


def _pad_in_place(plain: NDArray[Any]) -> NDArray[Any] | None:
    """Return vectors of three with the padding after each, if it is surely padding; else None.

    The memory alone cannot decide this: a row's first three columns look the same. So it must have
    been allocated for structs with padding, and each vector must be the components of one.
    """
    owner, size = _owner(plain), plain.itemsize
    if owner is None or owner.dtype.fields is None or plain.size == 0:
        return None
    first = _find_padded(owner.dtype, size)
    if first is None or not owner.flags.forc or plain.strides[-1] != size:
        return None
    low, high = np.lib.array_utils.byte_bounds(plain)
    start, end = np.lib.array_utils.byte_bounds(owner)
    distances = [low - start - first, plain.ctypes.data - low, *plain.strides[:-1]]
    if low < start or high > end or any(n % owner.itemsize for n in distances):
        return None
    return np.lib.stride_tricks.as_strided(plain, (*plain.shape[:-1], 4))


def _pad(plain: NDArray[Any]) -> NDArray[Any]:
    """Return vectors of three as four components."""
    padded = _pad_in_place(plain)
    if padded is None:
        # Allocate structs, so that _pad_in_place recognises the padding later.
        structs = np.zeros(plain.shape[:-1], _struct(plain.dtype, 3))
        padded = structs.view(np.dtype((plain.dtype, (4,))))
        padded[..., :3] = plain
    return padded


def to_struct(v: NDArray[Any]) -> NDArray[Any]:
    """View vectors as structured elements, without a copy where the memory allows.

    Parameters
    ----------
    v : vector or array of vectors

    Returns
    -------
    structured array, of shape ``v.shape[:-1]``
        Has fields ``s0 s1 …`` (the first four also as ``x y z w``), as in pyopencl.cltypes,
        of float16 for halves. It shares the memory of ``v`` if components are adjacent and,
        with three components, if the memory belongs to structs with padding, as those that
        `from_struct` views. Otherwise it is a copy.

    Raises
    ------
    TypeError
        If ``v`` is not a vector.

    See Also
    --------
    from_struct : the inverse.

    Notes
    -----
    Source: the ``cl_half2`` … types of OpenCL's headers; three components take the
    place of four.

    Examples
    --------
    >>> import halfcl as hc
    >>> v = hc.half4(1, 2, 3, 0)
    >>> s = hc.to_struct(v)
    >>> s["w"] = 5
    >>> s["s0"], v
    (array(1., dtype=float16), half4([1., 2., 3., 5.]))
    """
    width = width_of(v)
    if not width or isinstance(v, type):
        raise TypeError(f"to_struct: v: expected a vector, as halfcl.half4, got {type(v).__name__}")
    plain = as_plain(v)
    if plain.dtype == half:
        plain = plain.view(np.float16)
    if width == 3:
        plain = _pad(plain)
    if plain.strides[-1] != plain.itemsize:
        plain = np.ascontiguousarray(plain)
    return plain.view(_struct(plain.dtype, width))[..., 0]
