"""Products of matrices of a device's arrays, exact and rounded once: the same bits as on the host.

A kernel adds up the products of a row and a column exactly. Where a library multiplies in double,
it does so first, and a kernel rounds what it finds, wherever that decides the result: see
preludes/reductions_certified.h.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfcl import _core
from halfcl.device._catalogue import MODES
from halfcl.device._given import OnMachine
from halfcl.device._libraries import DeviceArray
from halfcl.device._machine import AnyReducingMachine
from halfcl.device._reducing import DeviceReductions, Start
from halfcl.device._reduction_text import FEW, Layout, Reduction
from halfcl.reductions import _arguments as arguments
from halfcl.reductions._arguments import Call
from halfcl.reductions._product import product_shape
from halfcl.typing import RoundingMode

#: From so many products on a library's product in double is worth its launches.
MANY = 1 << 24

#: An array that a kernel is not given.
_NOWHERE = [np.uint64(0), np.uint64(0)]

#: Fewer rows or columns than these leave most of a tile idle.
_FEW_VECTORS = 8

#: A tile of preludes/reductions_tiles.h: results of a work-item each way, and work-items across.
_EACH, _ACROSS = 2, 16

_LANES = 32


@dataclass(frozen=True)
class _Factor:
    """Vectors of a stack of matrices, the rows of the first factor or the columns of the second.

    step, next, stack: how many elements apart a vector's elements, vectors, and matrices lie.
    """

    array: DeviceArray
    vectors: int
    step: int
    next: int
    stack: int

    def steps(self) -> list[object]:
        return [np.int64(self.step), np.int64(self.next), np.int64(self.stack)]


@dataclass(frozen=True)
class _Product:
    """What is to be multiplied: a stack of so many products."""

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


class DeviceProducts(OnMachine):
    """The products of a machine's matrices."""

    def __init__(self, machine: AnyReducingMachine, reductions: DeviceReductions) -> None:
        super().__init__(machine)
        self._reductions = reductions

    def matmul(
        self, a: object, b: object, /, out: object = None, *, exact: bool = True,
        rounding: RoundingMode | None = None,
    ) -> DeviceArray:  # fmt: skip
        """As `halfcl.matmul`, of a device's arrays. Every result is exact and rounded once, which
        ``exact=False`` does not ask for."""
        if rounding is not None:
            _core.check_mode(rounding)
        given = self._halves("matmul", (a, b))
        shape = product_shape(given[0].shape, given[1].shape)
        kind = arguments.result_dtype("matmul", None, tuple(np.empty(0, x.dtype) for x in given))
        target = self._target("matmul", out, kind, shape)
        if math.prod(shape) == 1:
            return self._finished(target, self._dot(given, shape, rounding))
        made: Any = target
        if target is None or not self._is_writable(target, given):
            made = self._machine.empty(shape, kind, "C", given[0])
        if math.prod(shape):
            mode = list(MODES).index(rounding or _core.get_rounding())
            product = self._product(*given)
            found = self._in_doubles(product, given)
            if found is None:
                self._exact(product, made, mode)
            else:
                self._certify(product, found, made, mode)
        return self._finished(target, made)

    def exact_elements(self, a: DeviceArray, b: DeviceArray) -> NDArray[np.uint32]:
        """Of how many elements of each block a library's product does not decide the rounding to
        nearest: for benchmarks."""
        product = self._product(a, b)
        found = self._machine.product(a, b)
        assert found is not None
        counts = self._machine.empty((-(-product.results // self._group),), np.uint32, "C", a)
        out = self._machine.empty((product.results,), np.float16, "C", a)
        self._certify(product, found, out, 0, counts)
        return self._machine.fetched(counts)

    def _is_writable(self, out: DeviceArray, given: Sequence[DeviceArray]) -> bool:
        """Whether a kernel may write to it at once: each result is of many elements."""
        separate = (self._machine.is_separate(out, x, alike=False) for x in given)
        return bool(out.flags.c_contiguous) and all(separate)

    def _product(self, a: DeviceArray, b: DeviceArray) -> _Product:
        stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        x = self._factor(a, stack, -1, -2)
        y = self._factor(b, stack, max(-2, -len(b.shape)), -1 if len(b.shape) > 1 else -2)
        return _Product(x, y, a.shape[-1], math.prod(stack))

    def _factor(self, a: DeviceArray, stack: tuple[int, ...], along: int, across: int) -> _Factor:
        """Of an array with its vectors along an axis, and one after the other across another, if
        there is that."""
        size, is_matrix = a.dtype.itemsize, len(a.shape) > 1
        apart = _stack_step(a, stack)
        if apart is None or any(step % size for step in a.strides):
            a = self._machine.spread(a, (*stack, *a.shape[-2:]) if is_matrix else a.shape)
            apart = _stack_step(a, stack)
            assert apart is not None
        next = a.strides[across] // size if is_matrix else 0
        vectors = a.shape[across] if is_matrix else 1
        return _Factor(a, vectors, a.strides[along] // size, next, apart // size)

    def _dot(
        self, given: Sequence[DeviceArray], shape: tuple[int, ...], rounding: RoundingMode | None
    ) -> DeviceArray:
        """Of one row and one column, however long."""
        rows = [self._machine.spread(x, x.shape) for x in given]
        flat = tuple(self._machine.reshaped(x, (x.size,)) for x in rows)
        start = Start.of("matmul", "sum", 0, None)  # as products of matrices begin
        made = self._reductions.reduce(Call("vdot", flat, rounding=rounding), start)
        found: DeviceArray = self._machine.reshaped(made, shape)
        return found

    # ------------------------------------------------------------ kernels

    @property
    def _group(self) -> int:
        machine = self._machine
        return machine.group if machine.is_wide else min(machine.group, _ACROSS)

    def _kernel(self, layout: Layout, n: int, lanes: int = 1) -> Reduction:
        group = self._group
        few = n <= FEW[True]
        return Reduction(layout, "dot", "e", False, False, group, min(lanes, group), few)

    def _exact(self, product: _Product, out: DeviceArray, mode: int) -> None:
        """Each element by its products."""
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
        given = [*self._matrices(product), *more]
        self._launch(kernel, (groups, 1), given, product.arrays, out)

    def _matrices(self, product: _Product) -> list[object]:
        x, y, memory = product.x, product.y, self._machine.memory
        return [np.uint64(x.vectors), np.uint64(y.vectors), np.uint64(product.n),
                *memory(x.array), *x.steps(), *memory(y.array), *y.steps()]  # fmt: skip

    def _in_doubles(self, product: _Product, given: Sequence[DeviceArray]) -> DeviceArray | None:
        """A library's product, if it has one and that is worth it."""
        vectors = min(product.x.vectors, product.y.vectors)
        if product.results * product.n < MANY or vectors < _FEW_VECTORS:
            return None
        found: DeviceArray | None = self._machine.product(*given)
        return found

    def _certify(
        self, product: _Product, found: DeviceArray, out: DeviceArray, mode: int,
        counts: DeviceArray | None = None,
    ) -> None:  # fmt: skip
        """What a library has found, rounded. counts: where to tell how many elements it does not
        decide, block by block."""
        memory = self._machine.memory
        facts = [self._facts(x, product) for x in (product.x, product.y)]
        given = [*self._matrices(product), *memory(found)]
        for words, factor in zip(facts, (product.x, product.y), strict=True):
            given += [*memory(words), np.uint64(factor.vectors if factor.stack else 0)]
        given += _NOWHERE if counts is None else memory(counts)
        given += [*memory(out), np.int32(mode), np.uint64(product.results)]
        kernel = self._kernel("certified", product.n, _LANES)
        groups = -(-product.results // kernel.group)
        self._launch(kernel, (groups, 1), given, [*product.arrays, found, *facts], out)

    def _facts(self, factor: _Factor, product: _Product) -> DeviceArray:
        """What the kernel needs to know of each vector, in each matrix of a stack."""
        memory, count = self._machine.memory, factor.vectors
        count *= product.stack if factor.stack else 1
        words: DeviceArray = self._machine.empty((count,), np.uint32, "C", factor.array)
        kernel = self._kernel("facts", 0, _LANES)
        given = [np.uint64(factor.vectors), np.uint64(product.n), *memory(factor.array),
                 *factor.steps(), *memory(words), np.uint64(count)]  # fmt: skip
        groups = -(-count * kernel.lanes // kernel.group)
        self._launch(kernel, (groups, 1), given, [factor.array], words)
        return words


def _stack_step(x: DeviceArray, stack: tuple[int, ...]) -> int | None:
    """How many bytes further the next matrix lies, in a stack to which an array's is broadcast;
    None if steps differ."""
    lengths, strides = x.shape[:-2], x.strides[:-2]
    steps = [0] * (len(stack) - len(lengths))
    steps += [step if length > 1 else 0 for length, step in zip(lengths, strides, strict=True)]
    found, inside = None, 1
    for length, step in reversed(list(zip(stack, steps, strict=True))):
        if length == 1:
            continue
        if found is None:
            found = step
        elif step != found * inside:
            return None
        inside *= length
    return found or 0
