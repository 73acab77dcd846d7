"""Which operations on halves a device rounds to nearest itself, as a probe of it shows.

Square roots and conversions are tried on all there is to one operand; of two, edges with each
other, and many at random, bit for bit beside halfcl's. Sums of products and what else follows each
other are tried, too: compilers may keep more digits between them than a half has.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl.device._libraries import OpenCLDevice, Program, Queue, original_program

#: By name the expression of halves a, b, c, and what is right.
_OPERATIONS: dict[str, tuple[tuple[str, Any], ...]] = {
    "add": (
        ("a + b", lambda a, b, c: hc.add.rte(a, b)),
        ("a + b + c", lambda a, b, c: hc.add.rte(hc.add.rte(a, b), c)),
    ),
    "subtract": (
        ("a - b", lambda a, b, c: hc.subtract.rte(a, b)),
        ("a - b - c", lambda a, b, c: hc.subtract.rte(hc.subtract.rte(a, b), c)),
    ),
    "multiply": (
        ("a * b", lambda a, b, c: hc.multiply.rte(a, b)),
        ("a * b * c", lambda a, b, c: hc.multiply.rte(hc.multiply.rte(a, b), c)),
        ("a * b + c", lambda a, b, c: hc.add.rte(hc.multiply.rte(a, b), c)),
        ("c - a * b", lambda a, b, c: hc.subtract.rte(c, hc.multiply.rte(a, b))),
    ),
    "divide": (
        ("a / b", lambda a, b, c: hc.divide.rte(a, b)),
        ("a / b + c", lambda a, b, c: hc.add.rte(hc.divide.rte(a, b), c)),
    ),
    "sqrt": (("sqrt(c)", lambda a, b, c: hc.sqrt.rte(c)),),
    "convert_half": (("x[i]", None),),
}

_KERNEL = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF
kernel void probe(global const half *h, global const float *x, global half *out) {{
    size_t i = get_global_id(0), n = get_global_size(0);
    half a = h[i], b = h[n + i], c = h[2 * n + i];
{stores}
}}"""

_DIVISION = """#pragma OPENCL FP_CONTRACT OFF
kernel void probe(global const float *x, global float *out) {
    size_t i = get_global_id(0), n = get_global_size(0);
    out[i] = x[i] / x[n + i];
    out[n + i] = sqrt(fabs(x[i]));
}"""

#: With which division and roots of float are right, where the device has it.
DIVISION = "-cl-fp32-correctly-rounded-divide-sqrt"

_known: dict[OpenCLDevice, frozenset[str]] = {}
_divides: dict[OpenCLDevice, tuple[str, ...] | None] = {}
_knowing = threading.Lock()


def native(library: ModuleType, queue: Queue, build: Callable[[str], Program]) -> frozenset[str]:
    """Of a queue's device, which is asked once. build: makes a program of a text, or raises."""
    key = queue.device
    with _knowing:
        if key not in _known:
            _known[key] = _probed(library, queue, build)
        return _known[key]


def division(library: ModuleType, queue: Queue) -> tuple[str, ...] | None:
    """The options with which a device divides floats rightly; None if there are none."""
    key = queue.device
    with _knowing:
        if key not in _divides:
            tried = ((DIVISION,), ()) if _claims(queue) else ((), (DIVISION,))
            right = (options for options in tried if _is_right(library, queue, options))
            _divides[key] = next(right, None)
        return _divides[key]


def _claims(queue: Queue) -> bool:
    """Whether a device says that it has the option."""
    return bool(queue.device.single_fp_config & 1 << 7)


def _is_right(library: ModuleType, queue: Queue, options: tuple[str, ...]) -> bool:
    rng = np.random.default_rng(12)
    x = rng.integers(0, 1 << 32, (2, 1 << 18)).astype(np.uint32).view(np.float32)
    half = x.shape[1] // 2
    x[:, :half] = rng.uniform(1, 4, (2, half)).astype(np.float32)
    out = np.zeros_like(x)
    flags = library.mem_flags.READ_WRITE | library.mem_flags.COPY_HOST_PTR
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pyopencl's, of what a compiler remarks
        try:
            program = original_program(library)(queue.context, _DIVISION).build(
                options=list(options), devices=[queue.device]
            )
        except library.Error:
            return False
    held = [library.Buffer(queue.context, flags, hostbuf=a) for a in (x, out)]
    library.Kernel(program, "probe")(queue, (x.shape[1],), None, *held)
    library.enqueue_copy(queue, out, held[1])
    queue.finish()
    with np.errstate(all="ignore"):
        wanted = np.stack([x[0] / x[1], np.sqrt(np.abs(x[0]))])
    same = (out.view(np.uint32) == wanted.view(np.uint32)) | (np.isnan(out) & np.isnan(wanted))
    return bool(same.all())


def _halves() -> NDArray[Any]:
    """a, b and c; c has every half."""
    rng = np.random.default_rng(11)
    count = 1 << 18
    found = rng.integers(0, 1 << 16, (3, count)).astype(np.uint16)
    near = rng.integers(0x3000, 0x4400, (3, count // 4)).astype(np.uint16)  # ordinary numbers
    found[:, : count // 4] = near ^ (rng.integers(0, 2, near.shape) << 15).astype(np.uint16)
    edges = np.array([0, 1, 2, 0x3FF, 0x400, 0x3BFF, 0x3C00, 0x3C01, 0x7BFF, 0x7C00, 0x7E00])
    edges = np.concatenate([edges, edges | 0x8000]).astype(np.uint16)
    pairs = np.stack(np.meshgrid(edges, edges, edges), 0).reshape(3, -1)
    found[:, -pairs.shape[1] :] = pairs
    found[2, count // 4 : count // 4 + (1 << 16)] = np.arange(1 << 16)
    return found


def _floats(count: int) -> NDArray[np.float32]:
    """Halves, what lies midway, their neighbours, and others."""
    halves = np.arange(0x7C01, dtype=np.uint16).view(np.float16).astype(np.float64)
    halves[-1] = 65536
    aimed = np.concatenate([halves, (halves[1:] + halves[:-1]) / 2]).astype(np.float32)
    near = [np.nextafter(aimed, np.float32(end)) for end in (0, np.inf)]
    sizes = np.concatenate([aimed, *near, np.array([np.inf, np.nan, 1e30], np.float32)])
    found = np.resize(sizes, count)
    found[count // 2 :] *= -1
    return found


def _probed(library: ModuleType, queue: Queue, build: Callable[[str], Program]) -> frozenset[str]:
    expressions = [(name, *row) for name, rows in _OPERATIONS.items() for row in rows]
    lines = [f"    out[{k} * n + i] = {e};" for k, (_, e, _) in enumerate(expressions)]
    program = build(_KERNEL.format(stores="\n".join(lines)))
    halves = _halves()
    count = halves.shape[1]
    floats = _floats(count)
    out = np.zeros((len(expressions), count), np.uint16)
    flags = library.mem_flags
    held = [
        library.Buffer(queue.context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=x)
        for x in (halves, floats, out)
    ]
    library.Kernel(program, "probe")(queue, (count,), None, *held)
    library.enqueue_copy(queue, out, held[-1])
    queue.finish()
    wrong = set()
    with hc.rounding("rte"), np.errstate(all="ignore"):
        a, b, c = halves.view(hc.half)
        for (name, _, right), got in zip(expressions, out, strict=True):
            wanted = right(a, b, c) if right else hc.convert_half(floats, rounding="rte")
            if not _are_same(got, wanted.view(np.uint16)):
                wrong.add(name)
    if wrong & {"add", "subtract", "multiply", "divide"}:
        wrong |= {"add", "subtract", "multiply", "divide"}  # they were tried together
    return frozenset(_OPERATIONS) - wrong


def _are_same(got: NDArray[np.uint16], wanted: NDArray[np.uint16]) -> bool:
    """By bits, but for NaNs, which all are one."""
    nans = ((got & 0x7FFF) > 0x7C00) & ((wanted & 0x7FFF) > 0x7C00)
    return bool(((got == wanted) | nans).all())
