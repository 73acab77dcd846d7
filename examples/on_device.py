"""What the examples on devices share: a kernel run on the host and on a device, to the same bits.

On the device the kernel calls halfcl's functions, from `halfcl.device.opencl`; on the host it calls
those of host.cl, which are OpenCL's own under the rounding pragma, that no device honours.
"""

import functools
import sys
import warnings
from pathlib import Path

import numpy as np

from halfcl import cl, device

FOLDER = Path(__file__).parent


@functools.cache
def context():
    """Of the first OpenCL device; None, after one line that says why, if there is none."""
    try:
        import pyopencl

        return pyopencl.create_some_context(interactive=False)
    except ImportError:
        reason = "pyopencl is missing (pip install pyopencl)"
    except pyopencl.Error as error:
        reason = str(error)
    print(f"no OpenCL device: {reason}; on the host alone", file=sys.stderr)
    return None


def forms():
    """In which forms the device takes halves: True, as half, False, as their bits."""
    if context() is None:
        return []
    has_half = "cl_khr_fp16" in context().devices[0].extensions.split()
    return [True, False] if has_half else [False]


@functools.cache
def built(file, functions, options, fp16):
    """The program on the device: halfcl's functions, then the kernels."""
    import pyopencl

    source = (FOLDER / file).read_text(encoding="utf-8")
    text = device.opencl(functions, fp16=fp16) + source
    with warnings.catch_warnings():  # some compilers tell that all is well
        warnings.simplefilter("ignore", pyopencl.CompilerWarning)
        return pyopencl.Program(context(), text).build(list(options))


@functools.cache
def built_on_host(file, options):
    source = "".join((FOLDER / name).read_text(encoding="utf-8") for name in ("host.cl", file))
    return cl.Program(source, options=" ".join(options), name=file)


def launched(program, kernel, size, arrays):
    """What the arrays hold after a kernel has run on the device."""
    import pyopencl

    flags = pyopencl.mem_flags.READ_WRITE | pyopencl.mem_flags.COPY_HOST_PTR
    queue = pyopencl.CommandQueue(context())
    found = [array.copy() for array in arrays]
    buffers = [pyopencl.Buffer(context(), flags, hostbuf=array) for array in found]
    pyopencl.Kernel(program, kernel)(queue, (size,), None, *buffers)
    for array, buffer in zip(found, buffers, strict=True):
        pyopencl.enqueue_copy(queue, array, buffer)
    return found


def run(file, functions, kernel, size, arrays, options=()):
    """Run a kernel of a file of OpenCL C, on the host, whose results the arrays then hold, and on
    the device in each form: to the same bits."""
    given = [array.copy() for array in arrays]
    built_on_host(file, options)[kernel](size, None, *arrays)
    for fp16 in forms():
        program = built(file, functions, options, fp16)
        for array, found in zip(arrays, launched(program, kernel, size, given), strict=True):
            assert array.tobytes() == found.tobytes(), f"{kernel}, fp16={fp16}: not as on the host"


def tell():
    """One line on where it ran, if there is a device."""
    if context() is not None:
        how = " and ".join("half" if fp16 else "bits" for fp16 in forms())
        print(f"On {context().devices[0].name.strip()}, as {how}, the same bits as on the host.")


def aligned(rows):
    """Rows of cells as a table."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    )


def floats(halves):
    """On purpose: every half is a float64."""
    return np.asarray(halves).astype(np.float64)
