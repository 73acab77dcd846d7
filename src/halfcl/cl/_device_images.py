"""Images and samplers on OpenCL devices: made there of halfcl's, and copied back.

OpenCL leaves open how a device rounds the codes of normalised channels, and what it writes of a
float. So each format is tried out before it is used, once a device: all codes of 8 and 16 bits are
read, and floats beside each place where a code, or a half, changes are written. Where a device has
other colours than halfcl, or no such format, the image is there one of floats: halfcl makes these
of the texels before a launch, and texels of what has been written behind it.

Where the text reads, not the device, a device's number has only to be nearest to the right code's.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

import halfcl as hc
from halfcl._images.formats import ORDERS, code_divisors
from halfcl.cl import _image_probes as probes, _tree as tree
from halfcl.cl._carrying import Carried, Images, Use, check_formats
from halfcl.cl._image_probes import Array
from halfcl.cl._translation import is_computed
from halfcl.device._libraries import Program, Queue

_FLOATS = hc.ImageFormat(hc.channel_order.RGBA, hc.channel_type.FLOAT)

#: A texel that no kernel has written: of NaNs one that no computation gives.
_UNTOUCHED = np.uint32(0x7FDEADC1)

#: "codes": reads as the text does, which has to find what codes there are.
_ALL = frozenset({"read", "readh", "codes", "write", "writeh"})
_known: dict[tuple[object, ...], frozenset[str]] = {}
_knowing = threading.Lock()


class Held(NamedTuple):
    """What the library has of an image: as a kernel takes it, and a buffer that it is made of."""

    image: Any
    is_read_and_written: bool
    buffer: Any = None


class DeviceImages(Images):
    """Those of one queue. build: makes a program of a text, or raises; has_samplers: whether texts
    read by samplers that are numbers."""

    def __init__(
        self, library: ModuleType, queue: Queue, build: Callable[[str], Program],
        has_samplers: bool,
    ) -> None:  # fmt: skip
        self._library, self._queue, self._build = library, queue, build
        self._has_samplers = has_samplers

    # ------------------------------------------------------------ images

    @np.errstate(all="ignore")
    def carried(self, image: hc.Image, use: Use) -> Carried:
        check_formats(image, use)
        does = self._deeds(use.calls)
        if not does & self._wrong_of(image.format):
            return _Own(self, image, self.made(use.where, image, use.access))
        if why := _not_as_floats(image, use):
            raise ValueError(
                f"{use.where}: expected a format that this device reads and writes as halfcl does, "
                f"where {why}, got {image.format}"
            )
        if does & self._wrong_of(_FLOATS):
            raise ValueError(f"{use.where}: this device has no right images of floats")
        return _AsFloats(self, image, use)

    @np.errstate(all="ignore")
    def may_also(self, carried: Any, use: Use) -> bool:
        check_formats(carried.image, use)
        is_right = not self._deeds(use.calls) & self._wrong_of(carried.image.format)
        return isinstance(carried, _Own) and carried.held.is_read_and_written and is_right

    def sampler(self, sampler: hc.Sampler) -> Any:
        """One of the device's where it reads."""
        if self._has_samplers:
            return super().sampler(sampler)
        modes = int(sampler.addressing_mode), int(sampler.filter_mode)
        return self._library.Sampler(self._queue.context, sampler.normalized_coords, *modes)

    def _deeds(self, calls: Sequence[tree.BuiltinCall]) -> set[str]:
        """Of _ALL what a kernel does with an image."""
        found = set()
        for call in calls:
            if call.name.startswith("write"):
                found.add("write" + "h" * call.name.endswith("h"))
            elif call.name.startswith("read"):
                is_own = self._has_samplers and is_computed(call)
                is_coded = is_own and call.name.endswith(("f", "h"))
                found.add("codes" if is_coded else "read" + "h" * call.name.endswith("h"))
        return found

    def made(self, where: str, image: hc.Image, access: str) -> Held:
        """One with the same texels. ValueError if the device has none of such a format or size."""
        flags = self._library.mem_flags
        tried = [flags.READ_WRITE]
        if access in ("read_only", "write_only"):
            tried.append(getattr(flags, access.upper()))
        why = ""
        for flag in tried:
            try:
                return self._made(image, flag)
            except self._library.Error as error:
                why = str(error).splitlines()[0]
        raise ValueError(f"{where}: expected an image that the device has, got {image!r}: {why}")

    def _made(self, image: hc.Image, flag: int) -> Held:
        cl, context, given = self._library, self._queue.context, image.format
        format_ = cl.ImageFormat(int(given.channel_order), int(given.channel_data_type))
        texels, copies = _texels(image), flag | cl.mem_flags.COPY_HOST_PTR
        is_both = flag == cl.mem_flags.READ_WRITE
        if image.image_type is hc.mem_object_type.IMAGE1D_BUFFER:
            buffer = cl.Buffer(context, copies, hostbuf=texels)
            made = cl.create_image(context, flag, format_, shape=_sizes(image), buffer=buffer)
            return Held(made, is_both, buffer)
        is_array = image.array_size > 0
        return Held(
            cl.create_image(
                context, copies, format_, shape=_sizes(image), hostbuf=texels, is_array=is_array
            ),
            is_both,
        )

    def texels(self, image: hc.Image, held: Held) -> Array:
        """Those of an image there, whose sizes are those of one here."""
        found = np.empty_like(_texels(image))
        if image.image_type is hc.mem_object_type.IMAGE1D_BUFFER:
            self._library.enqueue_copy(self._queue, found, held.buffer)
        elif image.kind.dims == 1:  # pyopencl copies none
            cl, size = self._library, (image.width, 1, 1)
            mapped, *_ = cl.enqueue_map_image(
                self._queue, held.image, cl.map_flags.READ, (0, 0, 0), size, found.shape, np.uint8
            )
            found[...] = mapped
            mapped.base.release(self._queue)
        else:
            region = (*_sizes(image), 1)[:3]
            self._library.enqueue_copy(
                self._queue, found, held.image, origin=(0, 0, 0), region=region
            )
        return found.view(image.array.dtype).reshape(image.array.shape)

    # ------------------------------------------------------------ probes

    def _wrong_of(self, format_: hc.ImageFormat) -> frozenset[str]:
        """Of _ALL what the device does otherwise than halfcl."""
        about = format_.channel_order, format_.channel_data_type
        return self._known(about, lambda: self._probe(format_))

    def _known(
        self, about: tuple[object, ...], probe: Callable[[], frozenset[str]]
    ) -> frozenset[str]:
        key = self._queue.device, *about
        with _knowing:
            if key not in _known:
                _known[key] = probe()
            return _known[key]

    def _probe(self, format_: hc.ImageFormat) -> frozenset[str]:
        if format_.is_depth:
            return _ALL
        name, _ = probes.NUMBERS[format_.numbers]
        text = probes.TEXELS.replace("imageN", f"image{format_.numbers}").replace("T4", f"{name}4")
        try:
            program = self._build(text)
            return self._probe_reading(program, format_) | self._probe_writing(program, format_)
        except ValueError:  # there is none
            return _ALL

    def _probe_reading(self, program: Program, format_: hc.ImageFormat) -> frozenset[str]:
        image = hc.Image(probes.every_texel(format_), format_)
        wanted = _read(image, format_.numbers)
        found = np.zeros_like(wanted)
        self._run(program, "read_texels", image, "read_only", found)
        wrong = set()
        if not probes.are_same(found, wanted):
            wrong |= {"read", "readh"}
        elif format_.numbers == "f" and not _are_halves(found, _read(image, "h")):
            wrong.add("readh")
        if not _have_codes(format_, found, wanted):
            wrong.add("codes")
        return frozenset(wrong)

    def _probe_writing(self, program: Program, format_: hc.ImageFormat) -> frozenset[str]:
        colors = probes.colors(format_)
        image = hc.Image.empty((len(colors) // probes.ROWS, probes.ROWS), format_)
        image.array[...] = 0
        wanted = hc.Image(image.array.copy(), format_)
        _write(wanted, probes.grid(image), colors.reshape(-1, probes.ROWS, 4))
        self._run(program, "write_texels", image, "write_only", colors)
        is_right = probes.are_same(image.array, wanted.array)
        return frozenset() if is_right else frozenset({"write", "writeh"})

    def _run(
        self, program: Program, name: str, image: hc.Image, access: str, buffer: Array
    ) -> None:
        cl = self._library
        held = self.made("a probe", image, access)
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        other = cl.Buffer(self._queue.context, flags, hostbuf=buffer)
        cl.Kernel(program, name)(self._queue, (image.width, image.height), None, held.image, other)
        if access == "read_only":
            cl.enqueue_copy(self._queue, buffer, other)
        else:
            image.array[...] = self.texels(image, held)
        self._queue.finish()


class _Own(Carried):
    """One of the device's own, of the same format."""

    def __init__(self, images: DeviceImages, image: hc.Image, held: Held) -> None:
        super().__init__(image)
        self._images, self.held = images, held

    @property
    def argument(self) -> Any:
        return self.held.image

    def come_back(self) -> None:
        self.image.array[...] = self._images.texels(self.image, self.held)


class _AsFloats(Carried):
    """One of floats, of the colours that the texels stand for."""

    def __init__(self, images: DeviceImages, image: hc.Image, use: Use) -> None:
        super().__init__(image)
        self._images = images
        colors = np.empty((*image.array.shape[: image.kind.axes], 4), np.float32)
        if use.access == "write_only":
            colors.view(np.uint32)[...] = _UNTOUCHED
        else:
            colors[...] = _colors_of(image, use)
        self._colors = hc.Image(colors, _FLOATS, image.image_type)
        self._held = images.made(use.where, self._colors, use.access)

    @property
    def argument(self) -> Any:
        return self._held.image

    @np.errstate(all="ignore")
    def come_back(self) -> None:
        found = self._images.texels(self._colors, self._held)
        is_written = (found.view(np.uint32) != _UNTOUCHED).any(-1)
        _write(self.image, probes.grid(self.image)[is_written], found[is_written])


def _colors_of(image: hc.Image, use: Use) -> Array:
    """As kernels are to read them: of halves as floats."""
    floats = _read(image, "f")
    asked = {call.name[-1] for call in use.calls if call.name.startswith("read")}
    if "h" not in asked or use.is_filtered:
        return floats
    halves = _read(image, "h")
    if "f" not in asked:
        return halves.astype(np.float32)
    if not _are_halves(floats, halves):
        raise ValueError(
            f"{use.where}: expected a kernel that reads it by read_imageh or read_imagef on this "
            f"device, not by both, got {image.format}"
        )
    return floats


def _not_as_floats(image: hc.Image, use: Use) -> str:
    """Why an image of floats cannot stand for it; "" if it can."""
    if image.format.numbers != "f" or image.format.is_depth:
        return "no image of floats can stand for it"
    if use.access not in ("read_only", "write_only"):
        return "it is read and written"
    if any("channel" in call.name for call in use.calls):
        return "the kernel asks for it"
    if not any(len(c.arguments) > 2 for c in use.calls if c.name.startswith("read")):
        return ""
    if use.has_border and ORDERS[image.format.channel_order].border_alpha:
        return "a sampler may read its border, which is opaque"
    if use.is_filtered and any(d != 1 for d in code_divisors(image.format)):
        return "a sampler filters its codes"
    return ""


def _have_codes(format_: hc.ImageFormat, found: Array, wanted: Array) -> bool:
    """Whether numbers that a device has read are the nearest to the same codes."""
    if format_.numbers != "f":
        return probes.are_same(found, wanted)
    divisors = np.array(code_divisors(format_), np.float32)
    codes = [
        np.where(divisors == 1, a, np.rint(a * divisors).astype(np.float32) + 0)
        for a in (found, wanted)
    ]
    return probes.are_same(*codes)


def _read(image: hc.Image, numbers: str) -> Array:
    """All its texels, rounded to nearest."""
    kept = {"rounding": "rte"} if numbers in ("f", "h") else {}
    found = getattr(hc, f"read_image{numbers}")(image, probes.grid(image), **kept)
    return np.asarray(found).view(np.ndarray)


def _write(image: hc.Image, at: Array, colors: Array) -> None:
    kept = {"rounding": "rte"} if image.format.numbers == "f" else {}
    getattr(hc, f"write_image{image.format.numbers}")(image, at, colors, **kept)


def _are_halves(floats: Array, halves: Array) -> bool:
    """Whether floats, rounded once more, are these halves."""
    found = np.asarray(hc.convert_half(floats, rounding="rte")).view(np.ndarray)
    return probes.are_same(found.view(np.float16), halves.view(np.float16))


def _texels(image: hc.Image) -> Array:
    """In one piece."""
    return np.ascontiguousarray(image.array).reshape(-1).view(np.uint8)


def _sizes(image: hc.Image) -> tuple[int, ...]:
    """x first; of an array's layers last."""
    sizes = image.width, image.height, image.depth, image.array_size
    return tuple(n for n in sizes if n)
