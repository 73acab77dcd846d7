"""Exact products of a device's matrices, rounded once: the same bits as on the host.

A kernel adds up the products of a row and a column exactly. If a library multiplies in double, it
does so first, and a kernel rounds its results wherever their error bounds decide the rounding: see
preludes/reductions/products/certified.h.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from halfcl import _core
from halfcl.device._backends.libraries import DeviceArray
from halfcl.device._backends.machine import AnyReducingMachine
from halfcl.device._reductions.operations import DeviceOperations
from halfcl.device._reductions.reducing import MANY_CALLS, DeviceReductions, Start
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

#: The arrays of a product, by their indices: the factors and the result; for a library's product,
#: the facts of both factors' vectors, both factors and the product in double; and numbers of
#: undecided elements.
_X, _Y, _OUT, _X_FACTS, _Y_FACTS, _X_DOUBLES, _Y_DOUBLES, _DOUBLES, _COUNTS = range(9)

#: An argument of a kernel: a number, or the index of an array.
_Argument: TypeAlias = np.generic | int

#: With fewer rows or columns, most of a tile would be idle.
_FEW_VECTORS = 8

#: Of preludes/reductions/products/tiles.h: results per work-item each way, work-items across.
_EACH, _ACROSS = 2, 16

_LANES = 32

#: Work-items per work-group of the kernel that reads a factor's columns.
_LARGE_GROUP = 1024


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

    def steps(self) -> list[_Argument]:
        """Return the distances as a kernel's arguments."""
        return [np.int64(self.step), np.int64(self.next), np.int64(self.stack)]

    def matrices(self, stack: int) -> int:
        """Return how many different matrices the factor has in a stack of so many products."""
        return stack if self.stack else 1


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

    def arguments(self) -> list[_Argument]:
        """Return the arguments of kernels that read both factors."""
        x, y = self.x, self.y
        return [np.uint64(x.vectors), np.uint64(y.vectors), np.uint64(self.n),
                _X, *x.steps(), _Y, *y.steps()]  # fmt: skip


@dataclass(frozen=True)
class ProductStep:
    """A launch of a kernel: its arguments, and the array that it writes."""

    kernel: Reduction
    groups: int
    arguments: Sequence[_Argument]
    written: int

    def arrays(self) -> list[int]:
        """Return the indices of the arrays that the kernel reads or writes."""
        return [x for x in self.arguments if isinstance(x, int)]


@dataclass(frozen=True)
class InDouble:
    """A factor as a library multiplies it: matrices of doubles.

    is_turned: whether their last two axes have to be exchanged; facts: number of words that
    describe the factor's vectors.
    """

    shape: tuple[int, ...]
    is_turned: bool
    facts: int


@dataclass(frozen=True)
class PreparedProduct:
    """The launches of a product, whatever its factors' elements.

    factors: both factors in double, if a library multiplies these. Then the last step rounds its
    product, and those before it make the factors.
    """

    shape: tuple[int, ...]
    factors: tuple[InDouble, InDouble] | None
    steps: Sequence[ProductStep]


#: The mode's index, and the layouts of both factors.
ProductKey: TypeAlias = tuple[int, tuple[object, ...]]


class DeviceProducts(DeviceOperations):
    """The products of a machine's matrices."""

    def __init__(self, machine: AnyReducingMachine, reductions: DeviceReductions) -> None:
        super().__init__(machine)
        self._reductions = reductions
        self._prepared: dict[ProductKey, PreparedProduct] = {}

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
            is_large = _is_worth_doubles(product)
            has_doubles = is_large and self._machine.can_multiply()
            prepared = self._prepare(product, mode, shape, has_doubles)
            self._run(product, prepared, result)
            are_own = product.x.array is operands[0] and product.y.array is operands[1]
            if are_own and has_doubles == is_large:  # a library may multiply the next time
                layouts: Any = self._reductions.layouts(operands)
                self._remember((mode, layouts), prepared)
        return self._store_result(target, result)

    def find_prepared(self, key: ProductKey) -> PreparedProduct | None:
        """Return the launches of an earlier product of arrays with these layouts, or None."""
        return self._prepared.get(key)

    def _remember(self, key: ProductKey, prepared: PreparedProduct) -> None:
        if len(self._prepared) >= MANY_CALLS:
            self._prepared.clear()
        self._prepared[key] = prepared

    def count_exact_elements(self, a: DeviceArray, b: DeviceArray) -> NDArray[np.uint32]:
        """Count, per block, the elements that a library's product does not decide; for benchmarks.

        Results are rounded to nearest.
        """
        product = self._product(a, b)
        counts = self._machine.empty((-(-product.results // self._group),), np.uint32, "C", a)
        out = self._machine.empty((product.results,), np.float16, "C", a)
        prepared = self._prepare(product, 0, (product.results,), True, is_counted=True)
        self._run(product, prepared, out, counts)
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

    def _run(
        self, product: _Product, prepared: PreparedProduct, out: DeviceArray,
        counts: DeviceArray | None = None,
    ) -> None:  # fmt: skip
        """Run the steps of a product."""
        machine = self._machine
        arrays: list[Any] = [product.x.array, product.y.array, out, *[None] * 5, counts]
        if prepared.factors is None:
            self._run_steps(prepared.steps, arrays)
            return
        for k, factor in enumerate(prepared.factors):
            arrays[_X_FACTS + k] = machine.empty((factor.facts,), np.uint32, "C", out)
            arrays[_X_DOUBLES + k] = machine.empty(factor.shape, np.float64, "C", out)
        self._run_steps(prepared.steps[:-1], arrays)
        x, y = (
            machine.move_axis(doubles, -1, -2) if factor.is_turned else doubles
            for doubles, factor in zip(arrays[_X_DOUBLES:_DOUBLES], prepared.factors, strict=True)
        )
        arrays[_DOUBLES] = machine.product(x, y)
        self._run_steps(prepared.steps[-1:], arrays)

    def _run_steps(self, steps: Sequence[ProductStep], arrays: Sequence[Any]) -> None:
        for step in steps:
            values = list[object]()
            for x in step.arguments:
                values += self._machine.memory(arrays[x]) if isinstance(x, int) else [x]
            read = [arrays[k] for k in step.arrays() if k != step.written]
            self._launch(step.kernel, (step.groups, 1), values, read, arrays[step.written])

    def _prepare(
        self, product: _Product, mode: int, shape: tuple[int, ...], has_doubles: bool, *,
        is_counted: bool = False,
    ) -> PreparedProduct:  # fmt: skip
        """Return the launches of a product."""
        if not has_doubles:
            return PreparedProduct(shape, None, [self._exact_step(product, mode)])
        x, y = product.x, product.y
        steps = [
            self._facts_step(x, product, _X, _X_FACTS, _X_DOUBLES),
            self._facts_step(y, product, _Y, _Y_FACTS, _Y_DOUBLES),
            self._rounding_step(product, mode, is_counted),
        ]
        factors = _in_double(x, product, x.step != 1), _in_double(y, product, y.step == 1)
        return PreparedProduct(shape, factors, steps)

    def _exact_step(self, product: _Product, mode: int) -> ProductStep:
        """Return the launch that computes each element exactly from its products."""
        x, y, group = product.x, product.y, self._group
        more: list[_Argument] = [_OUT, np.int32(mode)]
        if min(x.vectors, y.vectors) < _FEW_VECTORS or group < _ACROSS:
            kernel = self._kernel("dots", product.n, _LANES if self._machine.is_wide else 1)
            groups = -(-product.results * kernel.lanes // group)
            more.append(np.uint64(product.results))
        else:
            kernel = self._kernel("tiles", product.n)
            down = -(-x.vectors // (_EACH * group // _ACROSS))
            groups = product.stack * down * -(-y.vectors // (_EACH * _ACROSS))
        return ProductStep(kernel, groups, [*product.arguments(), *more], _OUT)

    def _rounding_step(self, product: _Product, mode: int, is_counted: bool) -> ProductStep:
        """Return the launch that rounds a library's product in double.

        It computes undecided elements exactly, and counts them per block if that is asked for.
        """
        steps = [np.uint64(f.vectors if f.stack else 0) for f in (product.x, product.y)]
        arguments: list[_Argument] = [
            *product.arguments(), _DOUBLES, _X_FACTS, steps[0], _Y_FACTS, steps[1],
            *([_COUNTS] if is_counted else _NOWHERE), _OUT, np.int32(mode),
            np.uint64(product.results),
        ]  # fmt: skip
        kernel = self._kernel("certified", product.n, _LANES)
        return ProductStep(kernel, -(-product.results // kernel.group), arguments, _OUT)

    def _facts_step(
        self, factor: _Factor, product: _Product, of: int, to: int, doubles: int
    ) -> ProductStep:
        """Return the launch that makes a factor's doubles and what rounding needs to know of it."""
        count = factor.vectors * factor.matrices(product.stack)
        kernel = self._kernel("facts", 0, _LANES)
        if factor.step != 1:  # few work-groups, as each reads many adjacent vectors
            kernel = replace(kernel, group=_LARGE_GROUP)
        arguments = [np.uint64(factor.vectors), np.uint64(product.n), of, *factor.steps(), to,
                     doubles, np.uint64(count)]  # fmt: skip
        return ProductStep(kernel, -(-count * kernel.lanes // kernel.group), arguments, to)


def _is_worth_doubles(product: _Product) -> bool:
    """Return whether a library's product in double is worth its launches."""
    vectors = min(product.x.vectors, product.y.vectors)
    return product.results * product.n >= MANY and vectors >= _FEW_VECTORS


def _in_double(factor: _Factor, product: _Product, is_turned: bool) -> InDouble:
    """Return how a factor's doubles lie: as the kernel of the facts writes them."""
    matrices = factor.matrices(product.stack)
    stack = (matrices,) if product.stack > 1 else ()
    vectors, n = factor.vectors, product.n
    matrix = (vectors, n) if factor.step == 1 else (n, vectors)
    return InDouble((*stack, *matrix), is_turned, vectors * matrices)


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
