"""Exact products of a device's matrices, rounded once: the same bits as on the host.

A kernel adds up the products of a row and a column exactly. If a library multiplies in double, it
does so first, and a kernel rounds its results wherever their error bounds decide the rounding: see
preludes/reductions/products/certified.h.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfcl import _core
from halfcl.device._backends.libraries import DeviceArray
from halfcl.device._backends.machine import AnyReducingMachine
from halfcl.device._reductions.operations import DeviceOperations
from halfcl.device._reductions.reducing import DeviceReductions, Start
from halfcl.device._source.catalogue import MODES
from halfcl.device._source.reduction_text import FEW, Layout, Reduction
from halfcl.reductions import _arguments as arguments
from halfcl.reductions._arguments import Call
from halfcl.reductions._product import product_shape
from halfcl.typing import RoundingMode

#: From this many products on, a library's product in double is worth its launches.
MANY = 1 << 24

#: Stands for an array that a kernel does not receive.
_NOWHERE = [np.uint64(0), np.uint64(0)]

#: With fewer rows or columns, most of a tile would be idle.
_FEW_VECTORS = 8

#: Of preludes/reductions/products/tiles.h: results per work-item each way, work-items across.
_EACH, _ACROSS = 2, 16

_LANES = 32


@dataclass(frozen=True)
class _Factor:
    """Vectors of a stack of matrices: rows of the first factor, or columns of the second.

    step, next, stack: distances in elements between a vector's elements, vectors, and matrices.
    """

    array: DeviceArray
    vectors: int
    step: int
    next: int
    stack: int

    def steps(self) -> list[object]:
        """Return the distances as a kernel's arguments."""
        return [np.int64(self.step), np.int64(self.next), np.int64(self.stack)]


@dataclass(frozen=True)
class _Product:
    """A stack of products to compute."""

    x: _Factor
    y: _Factor
    n: int
    stack: int

    @property
    def results(self) -> int:
        return self.stack * self.x.vectors * self.y.vectors

    @property
    def arrays(self) -> list[DeviceArray]:
        return [self.x.array, self.y.array]


class DeviceProducts(DeviceOperations):
    """The products of a machine's matrices."""

    def __init__(self, machine: AnyReducingMachine, reductions: DeviceReductions) -> None:
        super().__init__(machine)
        self._reductions = reductions

    def matmul(
        self, a: object, b: object, /, out: object = None, *, exact: bool = True,
        rounding: RoundingMode | None = None,
    ) -> DeviceArray:  # fmt: skip
        """Multiply matrices on a device, as `halfcl.matmul` does.

        Every result is exact and rounded once, also with ``exact=False``.
        """
        if rounding is not None:
            _core.check_mode(rounding)
        operands = self._halves("matmul", (a, b))
        shape = product_shape(operands[0].shape, operands[1].shape)
        kind = arguments.result_dtype("matmul", None, tuple(np.empty(0, x.dtype) for x in operands))
        target = self._target("matmul", out, kind, shape)
        if math.prod(shape) == 1:
            return self._store_result(target, self._dot(operands, shape, rounding))
        result: Any = target
        if target is None or not self._is_writable(target, operands):
            result = self._machine.empty(shape, kind, "C", operands[0])
        if math.prod(shape):
            mode = list(MODES).index(rounding or _core.get_rounding())
            product = self._product(*operands)
            doubles = self._multiply_in_double(product, operands)
            if doubles is None:
                self._multiply_exactly(product, result, mode)
            else:
                self._certify(product, doubles, result, mode)
        return self._store_result(target, result)

    def count_exact_elements(self, a: DeviceArray, b: DeviceArray) -> NDArray[np.uint32]:
        """Count, per block, the elements that a library's product does not decide; for benchmarks.

        Results are rounded to nearest.
        """
        product = self._product(a, b)
        doubles = self._machine.product(a, b)
        assert doubles is not None
        counts = self._machine.empty((-(-product.results // self._group),), np.uint32, "C", a)
        out = self._machine.empty((product.results,), np.float16, "C", a)
        self._certify(product, doubles, out, 0, counts)
        return self._machine.to_host(counts)

    def _is_writable(self, out: DeviceArray, operands: Sequence[DeviceArray]) -> bool:
        """Return whether a kernel may write into out directly: each result needs many elements."""
        separate = (self._machine.is_separate(out, x, alike=False) for x in operands)
        return bool(out.flags.c_contiguous) and all(separate)

    def _product(self, a: DeviceArray, b: DeviceArray) -> _Product:
        stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        x = self._factor(a, stack, -1, -2)
        y = self._factor(b, stack, max(-2, -len(b.shape)), -1 if len(b.shape) > 1 else -2)
        return _Product(x, y, a.shape[-1], math.prod(stack))

    def _factor(self, a: DeviceArray, stack: tuple[int, ...], along: int, across: int) -> _Factor:
        """Return an array as vectors along one axis, side by side across another axis, if any."""
        size, is_matrix = a.dtype.itemsize, len(a.shape) > 1
        stack_step = _stack_step(a, stack)
        if stack_step is None or any(step % size for step in a.strides):
            a = self._machine.broadcast(a, (*stack, *a.shape[-2:]) if is_matrix else a.shape)
            stack_step = _stack_step(a, stack)
            assert stack_step is not None
        next = a.strides[across] // size if is_matrix else 0
        vectors = a.shape[across] if is_matrix else 1
        return _Factor(a, vectors, a.strides[along] // size, next, stack_step // size)

    def _dot(
        self, operands: Sequence[DeviceArray], shape: tuple[int, ...], rounding: RoundingMode | None
    ) -> DeviceArray:
        """Return the product of one row and one column, of any length."""
        rows = [self._machine.broadcast(x, x.shape) for x in operands]
        flat = tuple(self._machine.reshape(x, (x.size,)) for x in rows)
        start = Start.of("matmul", "sum", 0, None)  # the start of matrix products
        sum_ = self._reductions.reduce(Call("vdot", flat, rounding=rounding), start)
        result: DeviceArray = self._machine.reshape(sum_, shape)
        return result

    # ------------------------------------------------------------ kernels

    @property
    def _group(self) -> int:
        machine = self._machine
        return machine.group if machine.is_wide else min(machine.group, _ACROSS)

    def _kernel(self, layout: Layout, n: int, lanes: int = 1) -> Reduction:
        group = self._group
        few = n <= FEW[True]
        return Reduction(layout, "dot", "e", False, False, group, min(lanes, group), few)

    def _multiply_exactly(self, product: _Product, out: DeviceArray, mode: int) -> None:
        """Compute each element exactly from its products."""
        x, y, group = product.x, product.y, self._group
        more: list[object] = [*self._machine.memory(out), np.int32(mode)]
        if min(x.vectors, y.vectors) < _FEW_VECTORS or group < _ACROSS:
            kernel = self._kernel("dots", product.n, _LANES if self._machine.is_wide else 1)
            groups = -(-product.results * kernel.lanes // group)
            more.append(np.uint64(product.results))
        else:
            kernel = self._kernel("tiles", product.n)
            down = -(-x.vectors // (_EACH * group // _ACROSS))
            groups = product.stack * down * -(-y.vectors // (_EACH * _ACROSS))
        values = [*self._matrices(product), *more]
        self._launch(kernel, (groups, 1), values, product.arrays, out)

    def _matrices(self, product: _Product) -> list[object]:
        x, y, memory = product.x, product.y, self._machine.memory
        return [np.uint64(x.vectors), np.uint64(y.vectors), np.uint64(product.n),
                *memory(x.array), *x.steps(), *memory(y.array), *y.steps()]  # fmt: skip

    def _multiply_in_double(
        self, product: _Product, operands: Sequence[DeviceArray]
    ) -> DeviceArray | None:
        """Return a library's product in double, if there is one and it is worth the launches."""
        vectors = min(product.x.vectors, product.y.vectors)
        if product.results * product.n < MANY or vectors < _FEW_VECTORS:
            return None
        doubles: DeviceArray | None = self._machine.product(*operands)
        return doubles

    def _certify(
        self, product: _Product, doubles: DeviceArray, out: DeviceArray, mode: int,
        counts: DeviceArray | None = None,
    ) -> None:  # fmt: skip
        """Round a library's product in double, or compute an element exactly if that is undecided.

        counts: array for the number of elements per block that were undecided.
        """
        memory = self._machine.memory
        facts = [self._collect_facts(x, product) for x in (product.x, product.y)]
        values = [*self._matrices(product), *memory(doubles)]
        for words, factor in zip(facts, (product.x, product.y), strict=True):
            values += [*memory(words), np.uint64(factor.vectors if factor.stack else 0)]
        values += _NOWHERE if counts is None else memory(counts)
        values += [*memory(out), np.int32(mode), np.uint64(product.results)]
        kernel = self._kernel("certified", product.n, _LANES)
        groups = -(-product.results // kernel.group)
        self._launch(kernel, (groups, 1), values, [*product.arrays, doubles, *facts], out)

    def _collect_facts(self, factor: _Factor, product: _Product) -> DeviceArray:
        """Compute what the kernel needs to know of each vector, in each matrix of a stack."""
        memory, count = self._machine.memory, factor.vectors
        count *= product.stack if factor.stack else 1
        words: DeviceArray = self._machine.empty((count,), np.uint32, "C", factor.array)
        kernel = self._kernel("facts", 0, _LANES)
        values = [np.uint64(factor.vectors), np.uint64(product.n), *memory(factor.array),
                 *factor.steps(), *memory(words), np.uint64(count)]  # fmt: skip
        groups = -(-count * kernel.lanes // kernel.group)
        self._launch(kernel, (groups, 1), values, [factor.array], words)
        return words


def _stack_step(x: DeviceArray, stack: tuple[int, ...]) -> int | None:
    """Return the distance in bytes between matrices in a stack, or None if distances differ.

    The array is broadcast to the stack.
    """
    lengths, strides = x.shape[:-2], x.strides[:-2]
    steps = [0] * (len(stack) - len(lengths))
    steps += [step if length > 1 else 0 for length, step in zip(lengths, strides, strict=True)]
    result, inside = None, 1
    for length, step in reversed(list(zip(stack, steps, strict=True))):
        if length == 1:
            continue
        if result is None:
            result = step
        elif step != result * inside:
            return None
        inside *= length
    return result or 0
