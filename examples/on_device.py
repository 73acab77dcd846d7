"""Run a kernel of the device examples on the host and on a device, and compare all bits.

On the device the kernel calls halfcl's functions, from `halfcl.device.opencl`. On the host it calls
those of host.cl, which are OpenCL's own under the rounding pragma, which no device honours.
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
    """Return a context of the first OpenCL device; print why and return None if there is none."""
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
    """Return the device's forms of halves: True for half, False for their bits."""
    if context() is None:
        return []
    has_half = "cl_khr_fp16" in context().devices[0].extensions.split()
    return [True, False] if has_half else [False]


@functools.cache
def build(file, functions, options, fp16):
    """Build the program on the device: halfcl's functions, then the kernels."""
    import pyopencl

    source = (FOLDER / file).read_text(encoding="utf-8")
    text = device.opencl(functions, fp16=fp16) + source
    with warnings.catch_warnings():  # some compilers warn of a success
        warnings.simplefilter("ignore", pyopencl.CompilerWarning)
        return pyopencl.Program(context(), text).build(list(options))


@functools.cache
def build_on_host(file, options):
    source = "".join((FOLDER / name).read_text(encoding="utf-8") for name in ("host.cl", file))
    return cl.Program(source, options=" ".join(options), name=file)


def launch(program, kernel, size, arrays):
    """Return the contents of the arrays after a kernel has run on the device."""
    import pyopencl

    flags = pyopencl.mem_flags.READ_WRITE | pyopencl.mem_flags.COPY_HOST_PTR
    queue = pyopencl.CommandQueue(context())
    results = [array.copy() for array in arrays]
    buffers = [pyopencl.Buffer(context(), flags, hostbuf=array) for array in results]
    pyopencl.Kernel(program, kernel)(queue, (size,), None, *buffers)
    for array, buffer in zip(results, buffers, strict=True):
        pyopencl.enqueue_copy(queue, array, buffer)
    return results


def run(file, functions, kernel, size, arrays, options=()):
    """Run a kernel on the host, and on the device in each form, with the same bits.

    The kernel is in a file of OpenCL C. The arrays then hold the host's results.
    """
    inputs = [array.copy() for array in arrays]
    build_on_host(file, options)[kernel](size, None, *arrays)
    for fp16 in forms():
        program = build(file, functions, options, fp16)
        for array, result in zip(arrays, launch(program, kernel, size, inputs), strict=True):
            assert array.tobytes() == result.tobytes(), f"{kernel}, fp16={fp16}: not as on the host"


def tell():
    """Print one line on where the kernels ran, if there is a device."""
    if context() is not None:
        how = " and ".join("half" if fp16 else "bits" for fp16 in forms())
        print(f"On {context().devices[0].name.strip()}, as {how}, the same bits as on the host.")


def align_columns(rows):
    """Return rows of cells as a table."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    )


def floats(halves):
    """Return halves as float64, which is exact and here intended."""
    return np.asarray(halves).astype(np.float64)
