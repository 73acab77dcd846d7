"""An OpenCL device that runs kernels over arrays, through pyopencl."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import TypeAlias, TypeVar

import numpy as np

from halfcl.audit._results.mistakes import Array
from halfcl.audit._targets.base import TargetError, UnsupportedError
from halfcl.audit._targets.devices import opencl_sources as sources
from halfcl.device._backends import choosing
from halfcl.device._backends.libraries import (
    Buffer,
    Context,
    ImageFormat,
    OpenCLDevice,
    OpenCLKernel,
    Queue,
    original_program,
)
from halfcl.device._backends.probing import DeviceError, first_error

_T = TypeVar("_T")

#: The results of a kernel: one array, or several.
Results: TypeAlias = Array | tuple[Array, ...]

_IMAGE_WIDTH = 256


def choose(cl: ModuleType, platform: str, device: str) -> OpenCLDevice:
    """Return pyopencl's device, as `halfcl.device` chooses it."""
    try:
        return choosing.choose(cl, platform, device)
    except DeviceError as error:
        raise TargetError(str(error)) from None


class Device:
    """A device with a context and a queue; kernels are built when they first run."""

    def __init__(self, cl: ModuleType, device: OpenCLDevice, target: str = "opencl") -> None:
        self._cl, self.info, self._target = cl, device, target
        self._kernels: dict[str, OpenCLKernel] = {}
        self._context: Context = self.try_call(lambda: cl.Context([device]))
        self.queue: Queue = self.try_call(lambda: cl.CommandQueue(self._context))

    def try_call(self, call: Callable[..., _T], /, *arguments: object) -> _T:
        """Call a function; raise TargetError with one line if the device fails."""
        try:
            return call(*arguments)
        except (self._cl.Error, MemoryError) as error:
            raise TargetError(f"{self._target}: {self.info.name.strip()} failed: {error}") from None

    def has(self, extension: str) -> bool:
        return extension in self.info.extensions.split()

    def flags(self, config: int) -> list[str]:
        """Return the names of the flags of a CL_DEVICE_..._FP_CONFIG."""
        every = self._cl.device_fp_config
        return [n for n in dir(every) if n.isupper() and config & getattr(every, n)]

    def has_half_images(self, order: str) -> bool:
        """Return whether kernels can read and write images of halves with an order of channels."""
        cl, image_format = self._cl, self._format(order)
        kinds = (cl.mem_flags.READ_ONLY, cl.mem_flags.WRITE_ONLY)
        image2d = cl.mem_object_type.IMAGE2D
        return bool(self.info.image_support) and all(
            image_format in cl.get_supported_image_formats(self._context, kind, image2d)
            for kind in kinds
        )

    # ------------------------------------------------------------ runs

    def run(self, text: str, inputs: str, outputs: str, *arguments: Array) -> Results:
        """Run a kernel of `opencl_sources` over arrays, converted to the inputs' letters.

        Results have the shape of the first array, also if they are vectors of halves.
        """
        shape = arguments[0].shape
        arrays = self._arrays(inputs, arguments)
        return self._results(text, arrays, [np.empty(shape, t) for t in outputs], arrays[0].size)

    def run_vectors(self, text: str, gives_vectors: bool, *arguments: Array) -> Results:
        """Run a kernel over vectors, which are rows."""
        shape = arguments[0].shape
        result = np.empty(shape if gives_vectors else shape[:1], np.float16)
        return self._results(text, self._arrays("eee", arguments), [result], shape[0])

    @staticmethod
    def _arrays(letters: str, arguments: Sequence[Array]) -> list[Array]:
        return [np.ascontiguousarray(x, t) for x, t in zip(arguments, letters, strict=False)]

    def _results(
        self, text: str, inputs: Sequence[Array], outputs: list[Array], size: int
    ) -> Results:
        kernel = self._kernel(text)
        if size:
            self.try_call(lambda: self._enqueue(kernel, inputs, outputs, size))
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def _enqueue(
        self, kernel: OpenCLKernel, inputs: Sequence[Array], outputs: Sequence[Array], size: int
    ) -> None:
        flags, context = self._cl.mem_flags, self._context
        copied = flags.READ_ONLY | flags.COPY_HOST_PTR
        read = [self._cl.Buffer(context, copied, hostbuf=x) for x in inputs]
        written = [self._cl.Buffer(context, flags.WRITE_ONLY, x.nbytes) for x in outputs]
        kernel(self.queue, (size,), None, *read, *written)
        for array, buffer in zip(outputs, written, strict=True):
            self._cl.enqueue_copy(self.queue, array, buffer)
        self.queue.finish()

    def _kernel(self, text: str) -> OpenCLKernel:
        if text not in self._kernels:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # pyopencl warns of a compiler's remarks
                try:
                    program = original_program(self._cl)(self._context, text).build()
                    self._kernels[text] = program.audited
                except self._cl.Error as error:
                    raise UnsupportedError(first_error(str(error))) from None
        return self._kernels[text]

    # ------------------------------------------------------------ images

    def _format(self, order: str) -> ImageFormat:
        cl = self._cl
        form: ImageFormat = cl.ImageFormat(
            getattr(cl.channel_order, order), cl.channel_type.HALF_FLOAT
        )
        return form

    def read_image(self, order: str, halves: Array) -> Array:
        """Return the floats that read_imagef reads from an image of halves."""
        rows = _rows(halves, sources.ORDERS[order])
        result = np.empty(rows.shape, np.float32)
        kernel = self._kernel(sources.read_image_kernel(order))
        self.try_call(lambda: self._enqueue_read(kernel, order, rows, result))
        return result.ravel()[: halves.size]

    def _enqueue_read(self, kernel: OpenCLKernel, order: str, rows: Array, result: Array) -> None:
        flags, shape = self._cl.mem_flags, (_IMAGE_WIDTH, len(rows))
        image = self._image(order, flags.READ_ONLY, shape, rows)
        written = self._cl.Buffer(self._context, flags.WRITE_ONLY, result.nbytes)
        kernel(self.queue, shape, None, image, written)
        self._cl.enqueue_copy(self.queue, result, written)
        self.queue.finish()

    def write_image(self, order: str, floats: Array) -> Array:
        """Return the halves of an image after write_imagef has stored floats."""
        rows = _rows(floats, sources.ORDERS[order])
        result = np.zeros(rows.shape, np.float16)  # zeros remain where a device writes nothing
        kernel = self._kernel(sources.write_image_kernel(order))
        self.try_call(lambda: self._enqueue_write(kernel, order, rows, result))
        return result.ravel()[: floats.size]

    def _enqueue_write(self, kernel: OpenCLKernel, order: str, rows: Array, result: Array) -> None:
        cl, flags, shape = self._cl, self._cl.mem_flags, (_IMAGE_WIDTH, len(rows))
        read = cl.Buffer(self._context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=rows)
        image = self._image(order, flags.WRITE_ONLY, shape, result)
        kernel(self.queue, shape, None, read, image)
        cl.enqueue_copy(self.queue, result, image, origin=(0, 0), region=shape)
        self.queue.finish()

    def _image(self, order: str, access: int, shape: tuple[int, int], pixels: Array) -> Buffer:
        flags = access | self._cl.mem_flags.COPY_HOST_PTR
        image: Buffer = self._cl.create_image(
            self._context, flags, self._format(order), shape=shape, hostbuf=pixels
        )
        return image


def _rows(array: Array, channels: int) -> Array:
    """Return an array as rows of an image, the last one padded with zeros."""
    width = _IMAGE_WIDTH * channels
    rows = np.zeros((max(1, -(-array.size // width)), width), array.dtype)
    rows.ravel()[: array.size] = array
    return rows
