"""Arguments for kernels of any program, by their types and by names that many hosts use."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

import halfcl as hc
from halfcl import cl
from halfcl.cl._frontend import tree, types
from halfcl.cl._translation import uses_of_images

#: Items of a work-group, and of a sub-group, where the kernel does not say.
LANES = 64
_BYTES = 1 << 18
_NE = {"00": 256, "01": 4, "02": 2, "03": 1, "10": 256, "11": 4, "12": 2, "13": 1,
       "20": 256, "21": 4, "22": 2, "23": 1, "1": 4, "2": 2, "3": 1}  # fmt: skip

_IMAGES = {
    "image1d_buffer_t": (hc.mem_object_type.IMAGE1D_BUFFER, (8192,)),
    "image1d_t": (hc.mem_object_type.IMAGE1D, (8192,)),
    "image1d_array_t": (hc.mem_object_type.IMAGE1D_ARRAY, (4, 128)),
    "image2d_t": (hc.mem_object_type.IMAGE2D, (64, 128)),
    "image2d_array_t": (hc.mem_object_type.IMAGE2D_ARRAY, (4, 64, 64)),
    "image3d_t": (hc.mem_object_type.IMAGE3D, (16, 32, 32)),
}
#: Channels of images by the ends of the names of the functions that use them; else halves.
_INTEGERS = {"ui": hc.channel_type.UNSIGNED_INT32, "imagei": hc.channel_type.SIGNED_INT32}
_SIZE = "width|height|depth|size|rows|cols|^[whn]$|dim|len|count|num|batch"

#: What arrays of integers in a struct hold, an element for each dimension of an array in memory,
#: by PARAMETER.FIELD: the first pattern counts. The strides are those of an array of these sizes.
_DIMENSIONS = (16, 16, 2, 1)
_ROWS = {
    "stri?de?s?": tuple(int(np.prod(_DIMENSIONS[:k])) for k in range(4)),
    "off|start|begin|first": (0, 0, 0, 0),
    "step": (1, 1, 1, 1),
    r"dim|shape|size|\.ne$": _DIMENSIONS,
}


class NotMadeError(Exception):
    """An argument that cannot be made; the text says which, and why."""


class Arguments:
    """The arguments of one kernel, drawn anew for each launch."""

    def __init__(self, function: tree.Function) -> None:
        self._function = function
        self._uses = uses_of_images(function).of_images
        self._size = 2 if re.search("f16|q[0-9]|iq|mxfp", function.name) else 4

    def draw(self) -> list[object]:
        """Draw the arguments of a launch; the numbers are the same each time.

        Raises NotMadeError for a struct that contains a pointer.
        """
        rng = np.random.default_rng(len(self._function.name))
        return [self._argument(p, rng) for p in self._function.parameters]

    def _argument(self, parameter: tree.Declaration, rng: np.random.Generator) -> object:
        type_ = parameter.type
        if isinstance(type_, types.Pointer):
            if type_.space == "local":
                return cl.LocalMemory(1 << 15)
            return self._buffer(parameter.name, type_.pointee, rng)
        if isinstance(type_, types.Opaque):
            return self._image(parameter, rng)
        if isinstance(type_, types.Vector):
            return [1] * type_.width
        if isinstance(type_, types.Record):
            return self._struct(parameter.name, type_)
        return self._number(parameter.name, type_.is_floating)

    def results(self, arguments: list[object]) -> list[np.ndarray[Any, Any]]:
        """Return the memory that a launch may have written, with zeros where no value lies.

        What a store leaves in the padding of structs, and behind 3-component vectors, is not
        defined.
        """
        arrays = []
        for parameter, argument in zip(self._function.parameters, arguments, strict=True):
            array = argument.array if isinstance(argument, hc.Image) else argument
            if isinstance(array, np.ndarray):
                arrays.append(_without_holes(array, parameter.type))
        return arrays

    # ------------------------------------------------------------ memory

    def _buffer(self, name: str, pointee: Any, rng: np.random.Generator) -> np.ndarray[Any, Any]:
        unit = pointee.size
        while isinstance(pointee, types.Array):
            pointee = pointee.element
        array = self._elements(name, pointee, rng)
        return array[: array.nbytes // unit * unit // array.itemsize]

    def _elements(self, name: str, pointee: Any, rng: np.random.Generator) -> np.ndarray[Any, Any]:
        element = getattr(pointee, "element", None)
        if isinstance(pointee, types.Record):
            return _records(name, pointee, rng)
        if element == types.HALF:
            return rng.normal(size=_BYTES // 2).astype(np.float16)
        if element == types.FLOAT:
            return rng.normal(size=_BYTES // 4).astype(np.float32)
        if element is not None and element.is_floating:
            return rng.normal(size=_BYTES // 8)
        if element is not None and element.size >= 4 and not re.search("q|scale|src0_[dm]", name):
            return rng.integers(0, 4, _BYTES // element.size).astype(element.dtype)
        is_small = self._size == 2 and name != "src1" and "dst" not in name
        floats = rng.normal(size=_BYTES // (2 if is_small else 4))
        array = floats.astype(np.float16 if is_small else np.float32)
        return array if element is None else array.view(element.dtype)

    def _image(self, parameter: tree.Declaration, rng: np.random.Generator) -> object:
        if parameter.type == types.SAMPLER:
            return hc.Sampler(False, hc.addressing_mode.CLAMP_TO_EDGE, hc.filter_mode.NEAREST)
        names = {call.name for call in self._uses.get(parameter.name, ())}
        kinds = (kind for end, kind in _INTEGERS.items() if any(n.endswith(end) for n in names))
        kind = next(kinds, hc.channel_type.HALF_FLOAT)
        image_type, shape = _IMAGES[parameter.type.name]
        if kind is hc.channel_type.HALF_FLOAT:
            array = rng.normal(size=(*shape, 4)).astype(np.float16)
        else:
            dtype = np.int32 if kind is hc.channel_type.SIGNED_INT32 else np.uint32
            array = rng.integers(0, 1 << 32, (*shape, 4)).astype(np.uint32).view(dtype)
        return hc.Image(array, hc.ImageFormat(hc.channel_order.RGBA, kind), image_type)

    # ------------------------------------------------------------ values

    def _number(self, name: str, is_floating: bool) -> float | int:
        if is_floating:
            return 1e-5 if name == "eps" else 0.5
        if match := re.fullmatch(r"ne(\d+)", name):
            first = 4 if re.search("mul_m|gem", self._function.name) else 256
            return _NE.get(match[1], first)
        if match := re.fullmatch(r"nb(\d?)(\d)", name):
            sizes = [_NE.get(f"{match[1]}{k}", 256) for k in range(int(match[2]))]
            return int(np.prod([self._size if match[1] == "0" else 4, *sizes]))
        if "off" in name:
            return 0
        if re.search(_SIZE, name.lower()):
            return 16
        return {"r2": 1, "r3": 1, "nth": LANES}.get(name, 4)

    def _struct(self, name: str, record: types.Record) -> np.void:
        """Return a struct whose numbers follow the rules of other parameters."""
        memory = np.zeros(record.size, np.uint8)
        for path, values in _numbers_of(memory.view(dtype_of(record, name)), name):
            field = path.rpartition(".")[2]
            is_floating = values.dtype.kind == "f"
            values[...] = self._number(field, is_floating)
            count = values.shape[-1]
            if not is_floating and values.ndim == 2 and count <= len(_DIMENSIONS):
                rows = (row for p, row in _ROWS.items() if re.search(p, path.lower()))
                values[...] = next(rows, tuple(values[0]))[:count]
        element: np.void = memory.view(f"V{record.size}")[0]
        return element


def _records(
    name: str, record: types.Record, rng: np.random.Generator
) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return the bytes of structs with random numbers: those of their types' buffers."""
    memory = np.zeros(_BYTES // record.size * record.size, np.uint8)
    for _, values in _numbers_of(memory.view(dtype_of(record, name)), name):
        if values.dtype.kind == "f":
            values[...] = rng.normal(size=values.shape)
        else:
            most = 4 if values.itemsize >= 4 else 1 << 7
            values[...] = rng.integers(0, most, values.shape)
    return memory


def dtype_of(type_: types.Type, path: str) -> np.dtype[Any]:
    """Return NumPy's dtype for a type, with the layout of the device; of a union the first member.

    path: the name of what has the type, for NotMadeError, which a pointer raises.
    """
    if isinstance(type_, types.Scalar):
        return np.dtype(np.float16) if type_ == types.HALF else type_.dtype
    if isinstance(type_, types.Vector):
        return np.dtype((dtype_of(type_.element, path), type_.size // type_.element.size))
    if isinstance(type_, types.Array):
        return np.dtype((dtype_of(type_.element, path), type_.length))
    if not isinstance(type_, types.Record):
        raise NotMadeError(f"{path} is a {type_}, inside a struct")
    fields = list(type_.fields.values())[: 1 if type_.is_union else None]
    layout = {
        "names": [field.name for field in fields],
        "formats": [dtype_of(field.type, f"{path}.{field.name}") for field in fields],
        "offsets": [field.offset for field in fields],
        "itemsize": type_.size,
    }
    return np.dtype(layout)


def holes_in(type_: types.Type) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return for each byte of a type whether it belongs to no value."""
    holes = np.zeros(type_.size, np.bool_)
    if isinstance(type_, types.Vector):
        holes[type_.element.size * type_.width :] = True
    elif isinstance(type_, types.Array):
        holes = np.tile(holes_in(type_.element), type_.length)
    elif isinstance(type_, types.Record):
        holes[:] = True
        for field in type_.fields.values():
            holes[field.offset : field.offset + field.type.size] &= holes_in(field.type)
    return holes


def _without_holes(array: np.ndarray[Any, Any], type_: types.Type) -> np.ndarray[Any, Any]:
    if not isinstance(type_, types.Pointer) or not (holes := holes_in(type_.pointee)).any():
        return array
    elements = array.reshape(-1).view(np.uint8).reshape(-1, holes.size)
    return np.where(holes, np.uint8(0), elements).reshape(-1).view(array.dtype)


def _numbers_of(structs: np.ndarray[Any, Any], path: str) -> list[tuple[str, np.ndarray[Any, Any]]]:
    """Return the numbers of an array of structs as views, field by field, with their paths."""
    if structs.dtype.names is None:
        return [(path, structs)]
    return [
        row for name in structs.dtype.names for row in _numbers_of(structs[name], f"{path}.{name}")
    ]
