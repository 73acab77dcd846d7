"""Probes of which half operations a device itself rounds to nearest.

Square roots and conversions are tried on all operands; operations on two operands on all pairs of
edge cases and on many random ones; the bits are compared with halfcl's. Sums of products and other
sequences are tried, too, since compilers may keep extra precision between operations. So are
products of complex numbers: a processor with AVX512-FP16 has an instruction for these that rounds
less often, and Intel's runtime for CPUs (2026.2) uses it also where contraction is off.
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
from halfcl.device._backends.libraries import OpenCLDevice, Program, Queue, original_program

#: By name: expressions in halves a, b, c, and functions for the right results.
_PROBES: dict[str, tuple[tuple[str, Any], ...]] = {
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
    "fma": (
        ("fma(a, b, c)", lambda a, b, c: hc.fma.rte(a, b, c)),
        ("fma(a, b, -fma(b, c, a))", lambda a, b, c: hc.fma.rte(a, b, -hc.fma.rte(b, c, a))),
    ),
    "convert_half": (("x[i]", None),),
}

_KERNEL = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF
kernel void probe(global const half *h, global const float *x, global half *out) {{
    size_t i = get_global_id(0), n = get_global_size(0);
    half a = h[i], b = h[n + i], c = h[2 * n + i];
{stores}
}}"""

#: The product of complex numbers, and its sum with one and difference, as in a Fourier transform.
_COMPLEX = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF
kernel void probe(global const half2 *h, global half2 *out) {
    size_t i = get_global_id(0), n = get_global_size(0);
    half2 a = h[i], b = h[n + i], c = h[2 * n + i];
    half2 v = (half2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
    out[i] = v;
    out[n + i] = c + v;
    out[2 * n + i] = c - v;
}"""

_DIVISION = """#pragma OPENCL FP_CONTRACT OFF
kernel void probe(global const float *x, global float *out) {
    size_t i = get_global_id(0), n = get_global_size(0);
    out[i] = x[i] / x[n + i];
    out[n + i] = sqrt(fabs(x[i]));
}"""

#: The option with which division and square roots of float are right, if the device has it.
DIVISION = "-cl-fp32-correctly-rounded-divide-sqrt"

_native_operations: dict[OpenCLDevice, frozenset[str]] = {}
_division_options: dict[OpenCLDevice, tuple[str, ...] | None] = {}
_lock = threading.Lock()


def find_native_operations(
    library: ModuleType, queue: Queue, build: Callable[[str], Program]
) -> frozenset[str]:
    """Return the native operations of a queue's device, which is probed once.

    build: builds a program or raises.
    """
    key = queue.device
    with _lock:
        if key not in _native_operations:
            _native_operations[key] = _probe(library, queue, build)
        return _native_operations[key]


def find_division_options(library: ModuleType, queue: Queue) -> tuple[str, ...] | None:
    """Return the options with which a device divides floats correctly; None if there are none."""
    key = queue.device
    with _lock:
        if key not in _division_options:
            tried = ((DIVISION,), ()) if _claims_division(queue) else ((), (DIVISION,))
            right = (options for options in tried if _is_right(library, queue, options))
            _division_options[key] = next(right, None)
        return _division_options[key]


def _claims_division(queue: Queue) -> bool:
    """Return whether a device claims to have the option."""
    return bool(queue.device.single_fp_config & 1 << 7)


def _is_right(library: ModuleType, queue: Queue, options: tuple[str, ...]) -> bool:
    rng = np.random.default_rng(12)
    x = rng.integers(0, 1 << 32, (2, 1 << 18)).astype(np.uint32).view(np.float32)
    half = x.shape[1] // 2
    x[:, :half] = rng.uniform(1, 4, (2, half)).astype(np.float32)
    out = np.zeros_like(x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pyopencl's warnings about compiler output
        try:
            program = original_program(library)(queue.context, _DIVISION).build(
                options=list(options), devices=[queue.device]
            )
        except library.Error:
            return False
    _launch(library, queue, program, x.shape[1], [x, out])
    with np.errstate(all="ignore"):
        expected = np.stack([x[0] / x[1], np.sqrt(np.abs(x[0]))])
    same = (out.view(np.uint32) == expected.view(np.uint32)) | (np.isnan(out) & np.isnan(expected))
    return bool(same.all())


def _halves() -> NDArray[Any]:
    """Return halves a, b and c; c has every half."""
    rng = np.random.default_rng(11)
    count = 1 << 18
    result = rng.integers(0, 1 << 16, (3, count)).astype(np.uint16)
    near = rng.integers(0x3000, 0x4400, (3, count // 4)).astype(np.uint16)  # ordinary numbers
    result[:, : count // 4] = near ^ (rng.integers(0, 2, near.shape) << 15).astype(np.uint16)
    edges = np.array([0, 1, 2, 0x3FF, 0x400, 0x3BFF, 0x3C00, 0x3C01, 0x7BFF, 0x7C00, 0x7E00])
    edges = np.concatenate([edges, edges | 0x8000]).astype(np.uint16)
    pairs = np.stack(np.meshgrid(edges, edges, edges), 0).reshape(3, -1)
    result[:, -pairs.shape[1] :] = pairs
    result[2, count // 4 : count // 4 + (1 << 16)] = np.arange(1 << 16)
    return result


def _floats(count: int) -> NDArray[np.float32]:
    """Return halves as floats, midpoints between them, their neighbours, and others."""
    halves = np.arange(0x7C01, dtype=np.uint16).view(np.float16).astype(np.float64)
    halves[-1] = 65536
    aimed = np.concatenate([halves, (halves[1:] + halves[:-1]) / 2]).astype(np.float32)
    near = [np.nextafter(aimed, np.float32(end)) for end in (0, np.inf)]
    sizes = np.concatenate([aimed, *near, np.array([np.inf, np.nan, 1e30], np.float32)])
    result = np.resize(sizes, count)
    result[count // 2 :] *= -1
    return result


def _probe(library: ModuleType, queue: Queue, build: Callable[[str], Program]) -> frozenset[str]:
    expressions = [(name, *row) for name, rows in _PROBES.items() for row in rows]
    lines = [f"    out[{k} * n + i] = {e};" for k, (_, e, _) in enumerate(expressions)]
    halves = _halves()
    count = halves.shape[1]
    floats = _floats(count)
    out = np.zeros((len(expressions), count), np.uint16)
    program = build(_KERNEL.format(stores="\n".join(lines)))
    _launch(library, queue, program, count, [halves, floats, out])
    wrong = set()
    with hc.rounding("rte"), np.errstate(all="ignore"):
        a, b, c = halves.view(hc.half)
        for (name, _, right), got in zip(expressions, out, strict=True):
            expected = right(a, b, c) if right else hc.convert(floats, hc.half, rounding="rte")
            if not _are_same(got, expected.view(np.uint16)):
                wrong.add(name)
    some = {"add", "subtract", "multiply", "divide"}  # some expressions combine them
    if wrong & some or not _multiplies_complex_numbers(library, queue, build, halves):
        wrong |= some
    return frozenset(_PROBES) - wrong


def _multiplies_complex_numbers(
    library: ModuleType,
    queue: Queue,
    build: Callable[[str], Program],
    halves: NDArray[np.uint16],
) -> bool:
    """Return whether a device rounds each operation of products of complex numbers."""
    pairs = halves.reshape(3, -1, 2)
    out = np.zeros_like(pairs)
    _launch(library, queue, build(_COMPLEX), pairs.shape[1], [pairs, out])
    with hc.rounding("rte"), np.errstate(all="ignore"):
        (ax, ay), (bx, by), c = (np.moveaxis(x, -1, 0) for x in pairs.view(hc.half))
        v = np.stack([ax * bx - ay * by, ax * by + ay * bx])
        expected = np.stack([v, c + v, c - v]).view(np.uint16)
    return _are_same(np.moveaxis(out, -1, 1), expected)


def _launch(
    library: ModuleType,
    queue: Queue,
    program: Program,
    count: int,
    arrays: list[NDArray[Any]],
) -> None:
    """Run a probe on so many items; the last array is for its results."""
    flags = library.mem_flags.READ_WRITE | library.mem_flags.COPY_HOST_PTR
    held = [library.Buffer(queue.context, flags, hostbuf=x) for x in arrays]
    library.Kernel(program, "probe")(queue, (count,), None, *held)
    library.enqueue_copy(queue, arrays[-1], held[-1])
    queue.finish()


def _are_same(got: NDArray[np.uint16], expected: NDArray[np.uint16]) -> bool:
    """Return whether bits are equal; all NaNs count as equal."""
    nans = ((got & 0x7FFF) > 0x7C00) & ((expected & 0x7FFF) > 0x7C00)
    return bool(((got == expected) | nans).all())
