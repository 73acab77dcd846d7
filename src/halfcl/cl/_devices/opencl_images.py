"""Images and samplers on OpenCL devices, made from halfcl's and copied back.

OpenCL does not fix how a device rounds the codes of normalised channels, nor which code it writes
for a float. So each format is probed once per device before it is used: all codes of 8 and 16 bits
are read, and floats on both sides of each value where the code (or half) changes are written. If a
device returns other colours than halfcl, or lacks the format, the device's image has floats: halfcl
converts the texels to floats before a launch and converts what was written after it.

Where the translated text reads texels itself, a device's number only needs to be nearest to the
right code's.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

import halfcl as hc
from halfcl._images.formats import ORDERS, code_divisors
from halfcl.cl._devices import image_probes as probes
from halfcl.cl._devices.image_probes import Array
from halfcl.cl._devices.images import DeviceImage, Images, Use, check_formats
from halfcl.cl._frontend import tree
from halfcl.cl._translation import is_computed
from halfcl.device._backends.libraries import Program, Queue

_FLOATS = hc.ImageFormat(hc.channel_order.RGBA, hc.channel_type.FLOAT)

#: A texel that no kernel has written: a NaN that no computation gives.
_UNTOUCHED = np.uint32(0x7FDEADC1)

#: Kinds of access. "codes": reads by the translated text, which recovers the codes.
_ALL = frozenset({"read", "readh", "codes", "write", "writeh"})
_probed: dict[tuple[object, ...], frozenset[str]] = {}
_lock = threading.Lock()


class LibraryImage(NamedTuple):
    """An image of the library: the kernel argument, and a buffer if it is made from one."""

    image: Any
    is_read_and_written: bool
    buffer: Any = None


class DeviceImages(Images):
    """The images of one queue.

    build: builds a program or raises; has_samplers: whether texts read with samplers that are
    numbers.
    """

    def __init__(
        self, library: ModuleType, queue: Queue, build: Callable[[str], Program],
        has_samplers: bool,
    ) -> None:  # fmt: skip
        self._library, self._queue, self._build = library, queue, build
        self._has_samplers = has_samplers

    # ------------------------------------------------------------ images

    @np.errstate(all="ignore")
    def create_image(self, image: hc.Image, use: Use) -> DeviceImage:
        check_formats(image, use)
        does = self._accesses(use.calls)
        if not does & self._wrong_accesses(image.format):
            return _NativeImage(self, image, self.create(use.where, image, use.access))
        if why := _reason_against_floats(image, use):
            raise ValueError(
                f"{use.where}: expected a format that this device reads and writes as halfcl does, "
                f"where {why}, got {image.format}"
            )
        if does & self._wrong_accesses(_FLOATS):
            raise ValueError(
                f"{use.where}: expected a device with correct images of floats, got one without"
            )
        return _FloatImage(self, image, use)

    @np.errstate(all="ignore")
    def can_reuse(self, carried: Any, use: Use) -> bool:
        check_formats(carried.image, use)
        is_right = not self._accesses(use.calls) & self._wrong_accesses(carried.image.format)
        return isinstance(carried, _NativeImage) and carried.held.is_read_and_written and is_right

    def sampler(self, sampler: hc.Sampler) -> Any:
        """Return a number if the text reads with samplers itself, else a sampler of the device."""
        if self._has_samplers:
            return super().sampler(sampler)
        modes = int(sampler.addressing_mode), int(sampler.filter_mode)
        return self._library.Sampler(self._queue.context, sampler.normalized_coords, *modes)

    def _accesses(self, calls: Sequence[tree.BuiltinCall]) -> set[str]:
        """Return the kinds of access in `_ALL` that a kernel makes to an image."""
        accesses = set()
        for call in calls:
            effect, channels = call.builtin.effect, call.builtin.parts.get("channels")
            is_own = effect == "read" and self._has_samplers and is_computed(call)
            if is_own and channels in ("f", "h"):
                accesses.add("codes")
            elif effect != "none":
                accesses.add(f"{effect}{'h' if channels == 'h' else ''}")
        return accesses

    def create(self, where: str, image: hc.Image, access: str) -> LibraryImage:
        """Create an image with the same texels; raise ValueError if the device cannot have it."""
        flags = self._library.mem_flags
        tried = [flags.READ_WRITE]
        if access in ("read_only", "write_only"):
            tried.append(getattr(flags, access.upper()))
        why = ""
        for flag in tried:
            try:
                return self._create_with_flag(image, flag)
            except self._library.Error as error:
                why = str(error).splitlines()[0]
        raise ValueError(f"{where}: expected an image that the device has, got {image!r}: {why}")

    def _create_with_flag(self, image: hc.Image, flag: int) -> LibraryImage:
        cl, context = self._library, self._queue.context
        order, type_ = image.format.channel_order, image.format.channel_data_type
        format_ = cl.ImageFormat(int(order), int(type_))
        texels, copies = _texels(image), flag | cl.mem_flags.COPY_HOST_PTR
        is_both = flag == cl.mem_flags.READ_WRITE
        if image.image_type is hc.mem_object_type.IMAGE1D_BUFFER:
            buffer = cl.Buffer(context, copies, hostbuf=texels)
            device_image = cl.create_image(
                context, flag, format_, shape=_sizes(image), buffer=buffer
            )
            return LibraryImage(device_image, is_both, buffer)
        is_array = image.array_size > 0
        if image.image_type is hc.mem_object_type.IMAGE1D_ARRAY:
            lines = self._lines(image)
            return LibraryImage(
                cl.Image(context, copies, format_, desc=lines, hostbuf=texels), is_both
            )
        return LibraryImage(
            cl.create_image(
                context, copies, format_, shape=_sizes(image), hostbuf=texels, is_array=is_array
            ),
            is_both,
        )

    def _lines(self, image: hc.Image) -> Any:
        """Describe an array of lines, of whose layers create_image does not tell the library."""
        description = self._library.ImageDescriptor()
        description.image_type = self._library.mem_object_type.IMAGE1D_ARRAY
        description.shape = (image.width, 1, image.array_size)  # the last one also of layers
        description.pitches = (0, 0)
        description.num_mip_levels = description.num_samples = 0
        description.buffer = None
        return description

    def texels(self, image: hc.Image, held: LibraryImage) -> Array:
        """Return the texels of a device's image, which has the sizes of a halfcl image."""
        data = np.empty_like(_texels(image))
        if image.image_type is hc.mem_object_type.IMAGE1D_BUFFER:
            self._library.enqueue_copy(self._queue, data, held.buffer)
        elif image.kind.dims == 1:  # pyopencl copies none
            cl, size = self._library, (*_sizes(image), 1, 1)[:3]
            mapped, *_ = cl.enqueue_map_image(
                self._queue, held.image, cl.map_flags.READ, (0, 0, 0), size, data.shape, np.uint8
            )
            data[...] = mapped
            mapped.base.release(self._queue)
        else:
            region = (*_sizes(image), 1)[:3]
            self._library.enqueue_copy(
                self._queue, data, held.image, origin=(0, 0, 0), region=region
            )
        return data.view(image.array.dtype).reshape(image.array.shape)

    # ------------------------------------------------------------ probes

    def _wrong_accesses(self, format_: hc.ImageFormat) -> frozenset[str]:
        """Return the kinds of access in `_ALL` that the device does not make as halfcl does."""
        about = format_.channel_order, format_.channel_data_type
        return self._remember(about, lambda: self._probe(format_))

    def _remember(
        self, about: tuple[object, ...], probe: Callable[[], frozenset[str]]
    ) -> frozenset[str]:
        key = self._queue.device, *about
        with _lock:
            if key not in _probed:
                _probed[key] = probe()
            return _probed[key]

    def _probe(self, format_: hc.ImageFormat) -> frozenset[str]:
        if format_.is_depth:
            return _ALL
        name, _ = probes.NUMBERS[format_.numbers]
        text = probes.TEXELS.replace("imageN", f"image{format_.numbers}").replace("T4", f"{name}4")
        try:
            program = self._build(text)
            return self._probe_reading(program, format_) | self._probe_writing(program, format_)
        except ValueError:  # the device lacks the format
            return _ALL

    def _probe_reading(self, program: Program, format_: hc.ImageFormat) -> frozenset[str]:
        image = hc.Image(probes.every_texel(format_), format_)
        expected = _read(image, format_.numbers)
        actual = np.zeros_like(expected)
        self._run(program, "read_texels", image, "read_only", actual)
        wrong = set()
        if not probes.are_same(actual, expected):
            wrong |= {"read", "readh"}
        elif format_.numbers == "f" and not _are_halves(actual, _read(image, "h")):
            wrong.add("readh")
        if not _have_codes(format_, actual, expected):
            wrong.add("codes")
        return frozenset(wrong)

    def _probe_writing(self, program: Program, format_: hc.ImageFormat) -> frozenset[str]:
        colors = probes.colors(format_)
        image = hc.Image.empty((len(colors) // probes.ROWS, probes.ROWS), format_)
        image.array[...] = 0
        expected = hc.Image(image.array.copy(), format_)
        _write(expected, probes.grid(image), colors.reshape(-1, probes.ROWS, 4))
        self._run(program, "write_texels", image, "write_only", colors)
        is_right = probes.are_same(image.array, expected.array)
        return frozenset() if is_right else frozenset({"write", "writeh"})

    def _run(
        self, program: Program, name: str, image: hc.Image, access: str, buffer: Array
    ) -> None:
        cl = self._library
        held = self.create("a probe", image, access)
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        other = cl.Buffer(self._queue.context, flags, hostbuf=buffer)
        cl.Kernel(program, name)(self._queue, (image.width, image.height), None, held.image, other)
        if access == "read_only":
            cl.enqueue_copy(self._queue, buffer, other)
        else:
            image.array[...] = self.texels(image, held)
        self._queue.finish()


class _NativeImage(DeviceImage):
    """An image of the device in the same format."""

    def __init__(self, images: DeviceImages, image: hc.Image, held: LibraryImage) -> None:
        super().__init__(image)
        self._images, self.held = images, held

    @property
    def argument(self) -> Any:
        return self.held.image

    def copy_to_host(self) -> None:
        self.image.array[...] = self._images.texels(self.image, self.held)


class _FloatImage(DeviceImage):
    """An image of floats on the device, with the colours that the texels represent."""

    def __init__(self, images: DeviceImages, image: hc.Image, use: Use) -> None:
        super().__init__(image)
        self._images = images
        colors = np.empty((*image.array.shape[: image.kind.axes], 4), np.float32)
        if use.access == "write_only":
            colors.view(np.uint32)[...] = _UNTOUCHED
        else:
            colors[...] = _colors_of(image, use)
        self._colors = hc.Image(colors, _FLOATS, image.image_type)
        self._held = images.create(use.where, self._colors, use.access)

    @property
    def argument(self) -> Any:
        return self._held.image

    @np.errstate(all="ignore")
    def copy_to_host(self) -> None:
        colors = self._images.texels(self._colors, self._held)
        is_written = (colors.view(np.uint32) != _UNTOUCHED).any(-1)
        _write(self.image, probes.grid(self.image)[is_written], colors[is_written])


def _colors_of(image: hc.Image, use: Use) -> Array:
    """Return the texels as floats, as kernels must read them; halves are converted to floats."""
    floats = _read(image, "f")
    asked = {c.builtin.parts["channels"] for c in use.calls if c.builtin.effect == "read"}
    if "h" not in asked or use.is_filtered:
        return floats
    halves = _read(image, "h")
    if "f" not in asked:
        return halves.astype(np.float32)
    if not _are_halves(floats, halves):
        raise ValueError(
            f"{use.where}: expected a kernel that reads it with read_imageh or read_imagef on "
            f"this device, not with both, got {image.format}"
        )
    return floats


def _reason_against_floats(image: hc.Image, use: Use) -> str:
    """Return why an image of floats cannot replace it; "" if it can."""
    if image.format.numbers != "f" or image.format.is_depth:
        return "no image of floats can stand for it"
    if use.access not in ("read_only", "write_only"):
        return "it is read and written"
    if any("channel" in call.name for call in use.calls):
        return "the kernel asks for it"
    if not any(len(c.arguments) > 2 for c in use.calls if c.builtin.effect == "read"):
        return ""
    if use.has_border and ORDERS[image.format.channel_order].border_alpha:
        return "a sampler may read its border, which is opaque"
    if use.is_filtered and any(d != 1 for d in code_divisors(image.format)):
        return "a sampler filters its codes"
    return ""


def _have_codes(format_: hc.ImageFormat, actual: Array, expected: Array) -> bool:
    """Return whether the numbers that a device read are nearest to the same codes."""
    if format_.numbers != "f":
        return probes.are_same(actual, expected)
    divisors = np.array(code_divisors(format_), np.float32)
    codes = [
        np.where(divisors == 1, a, np.rint(a * divisors).astype(np.float32) + 0)
        for a in (actual, expected)
    ]
    return probes.are_same(*codes)


def _read(image: hc.Image, numbers: str) -> Array:
    """Read all texels, rounded to nearest."""
    options = {"rounding": "rte"} if numbers in ("f", "h") else {}
    colors = getattr(hc, f"read_image{numbers}")(image, probes.grid(image), **options)
    return np.asarray(colors).view(np.ndarray)


def _write(image: hc.Image, at: Array, colors: Array) -> None:
    options = {"rounding": "rte"} if image.format.numbers == "f" else {}
    getattr(hc, f"write_image{image.format.numbers}")(image, at, colors, **options)


def _are_halves(floats: Array, halves: Array) -> bool:
    """Return whether floats, rounded once more, equal these halves."""
    rounded = np.asarray(hc.convert_half(floats, rounding="rte")).view(np.ndarray)
    return probes.are_same(rounded.view(np.float16), halves.view(np.float16))


def _texels(image: hc.Image) -> Array:
    """Return the bytes of all texels in one contiguous array."""
    return np.ascontiguousarray(image.array).reshape(-1).view(np.uint8)


def _sizes(image: hc.Image) -> tuple[int, ...]:
    """Return the sizes, x first; the number of layers of an array last."""
    sizes = image.width, image.height, image.depth, image.array_size
    return tuple(n for n in sizes if n)
