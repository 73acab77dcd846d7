"""Exact reductions of a device's arrays, rounded once: the same bits as on the host.

A call becomes one kernel, or two if there are too few results to keep the device busy: the first
one reduces chunks, the second one combines them. See preludes/reductions/base.h.
"""

from __future__ import annotations

import contextlib
import inspect
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

import halfcl as hc
from halfcl import _core
from halfcl.device._backends.libraries import DeviceArray
from halfcl.device._backends.machine import AnyReducingMachine
from halfcl.device._reductions.operations import DeviceOperations, check_place
from halfcl.device._source.catalogue import MODES
from halfcl.device._source.reduction_text import (
    FEW,
    NUMBERS,
    SHORT,
    SHORTEST,
    SQUARES,
    STATISTICS,
    TWO,
    Layout,
    Reduction,
    rows_together,
)
from halfcl.reductions import _arguments as arguments
from halfcl.reductions._arguments import Call, statistic_of
from halfcl.reductions._functions import shape_with_ones, shape_without, warn_of_few
from halfcl.reductions._states import FOLDS, STATE, Partial
from halfcl.typing import RoundingMode

#: Work-groups per compute unit, so that all units have work until the end; and work-items per unit
#: of a CPU.
_GROUPS, _ITEMS = 8, 4

#: Units of a row per lane, if enough rows keep a GPU busy: joining lanes takes as long as several.
_UNITS = 8

#: Work-items per work-group on a CPU.
FEW_ITEMS = 16

#: This many rows of few elements keep a device busy.
_MANY_ROWS = 1 << 10

#: Rows of fewer columns may be put side by side, up to so many, as long as so many rows remain.
_FEW_COLUMNS, _MOST_BESIDE, _LEAST_ROWS = 1000, 64, 64

#: Halves in a line of a GPU's cache.
_LINE = 64

#: Work-items that share a column at least, so that work-groups leave fewer bins to combine; and
#: work-groups over columns per compute unit, as many as reside there (HCR_BOUNDS in columns.h): for
#: sums, and for products.
_COLUMN_LANES, _COLUMN_GROUPS = 4, (6, 5)

#: Factors that a work-item multiplies at least, chunks that another one combines, and integers of a
#: chunk's product, as in preludes/reductions/product.h.
_FACTORS, _MERGED, _WORDS = 64, 64, 5

#: Elements per result at most: sums of so many fit into 64 bits; hardly a device holds more.
_MOST = 1 << 40

#: The reductions of devices, by the host's names.
REDUCTIONS = ("sum", "prod", "mean", "var", "std", "sumsq", "norm", "vdot")


class DeviceReduction:
    """One reduction over a device's arrays, as the host's is over NumPy's."""

    def __init__(self, reductions: DeviceReductions, name: str) -> None:
        host = getattr(hc, name)
        self._reductions, self._signature = reductions, inspect.signature(host)
        names = list(self._signature.parameters)
        self._count = 2 if "b" in names else 1
        self._others = frozenset(names[self._count :])
        self.__name__ = self.__qualname__ = name
        self.__doc__ = host.__doc__

    def __repr__(self) -> str:
        return f"<halfcl.device reduction {self.__name__!r} on {self._reductions!r}>"

    def __call__(self, *args: object, **kwargs: object) -> DeviceArray:
        if len(args) == self._count and self._others.issuperset(kwargs):  # ten times as fast
            return self._reductions.reduce(Call(self.__name__, args, **kwargs))  # type: ignore[arg-type]
        bound = self._signature.bind(*args, **kwargs).arguments
        arrays = tuple(bound.pop(key) for key in ("a", "b") if key in bound)
        return self._reductions.reduce(Call(self.__name__, arrays, **bound))


class DeviceReductions(DeviceOperations):
    """The reductions of a machine's arrays."""

    def __init__(self, machine: AnyReducingMachine) -> None:
        super().__init__(machine)
        self._cached: dict[Key, CachedCall] = {}

    # ------------------------------------------------------------ repeated calls

    def layouts(self, values: tuple[object, ...]) -> tuple[object, ...] | None:
        """Return the layouts of arrays, or None if any is not the machine's."""
        machine, arrays = self._machine, _as_arrays(values)
        if not all(machine.is_array(x) and not machine.placement_error(x) for x in arrays):
            return None
        return tuple([(x.shape, x.strides, x.dtype, machine.offset(x) % 8) for x in arrays])

    def find_cached(self, key: Key | None) -> CachedCall | None:
        """Return what an earlier call with that key came to, if it is known."""
        try:
            return self._cached.get(key)  # type: ignore[arg-type]
        except TypeError:  # not hashable: an error, or a list
            return None

    def _remember(self, key: Key, cached: CachedCall) -> None:
        """Store what a call comes to; forget all if there are too many."""
        if len(self._cached) >= MANY_CALLS:
            self._cached.clear()
        with contextlib.suppress(TypeError):  # a dtype may be an object that is not hashable
            self._cached[key] = cached

    def _run_cached(self, cached: CachedCall, arrays: Sequence[DeviceArray]) -> DeviceArray:
        """Run a call again that differs in its arrays' elements only."""
        result: DeviceArray = self._machine.empty(
            cached.final, cached.kind, cached.order, arrays[0]
        )
        self._run(cached.launches, arrays, result)
        return result

    # ------------------------------------------------------------ calls

    def reduce(self, call: Call, start: Start | None = None) -> DeviceArray:
        """Reduce arrays, as `halfcl.reductions._functions` does with NumPy's.

        start: used in place of the call's initial element. NaNs, infinities and empty slices raise
        no flags; a mask without true elements warns of nothing.
        """
        name, arrays, axis, dtype, out, keepdims, initial, where, ddof, rounding = call
        if rounding is not None:
            _core.check_mode(rounding)
        mode = rounding or _core.get_rounding()
        layouts = self.layouts(call.arrays) if start is None else None
        key = None if layouts is None else key_of(call, mode, layouts)
        cached = self.find_cached(key)
        if cached is not None:
            return self._run_cached(cached, _as_arrays(arrays))
        statistic = _check_statistic(name)
        operands = self._halves(name, arrays)
        kind = arguments.result_dtype(name, dtype, tuple(np.empty(0, x.dtype) for x in operands))
        shape = _broadcast(name, operands)
        reduced = arguments.axes(name, axis, len(shape))
        mask = self._mask(name, where, shape)
        freedom = arguments.degrees(name, ddof)
        final = (shape_with_ones if keepdims else shape_without)(shape, reduced)
        target = self._target(name, out, kind, final)
        first = start or Start.of(name, statistic, initial, rounding)
        source = self._arrange(operands, mask, shape, reduced)
        if mask is None:
            warn_of_few(statistic, np.array(source.n), freedom, 4)
        last = FinishArguments(source.n, freedom, list(MODES).index(mode), first)
        launches = self._prepare(statistic, NUMBERS[kind.itemsize], source, last)
        if key is not None and source.results and source.n > freedom and not source.copied:
            self._remember(key, CachedCall(kind, final, source.order, launches))
        result: Any = target
        if target is None or not self._is_writable(target, source, operands):
            result = self._machine.empty(final, kind, source.order, operands[0])
        self._run(launches, source.operands, result)
        return self._store_result(target, result)

    def partial(
        self, statistic: str, arrays: Sequence[object], axis: object, where: object = True
    ) -> Partial:
        """Return the states of a statistic's results, on the host."""
        operands = self._halves("Accumulator", arrays)
        shape = _broadcast("Accumulator", operands)
        reduced = arguments.axes("Accumulator", axis, len(shape))
        mask = self._mask("Accumulator", where, shape)
        source = self._arrange(operands, mask, shape, reduced)
        folds = FOLDS[_check_statistic(statistic)]
        width = STATE.itemsize // 8
        words = self._machine.empty(
            (source.results, width * len(folds) + 1), np.int64, "C", operands[0]
        )
        launches = self._prepare(
            statistic, "states", source, FinishArguments(source.n, 0, 0, Start(0, 0))
        )
        self._run(launches, source.operands, words)
        rows = self._machine.to_host(words)
        final = shape_without(shape, reduced)

        states = {}
        for k, fold in enumerate(folds):
            columns = np.ascontiguousarray(rows[:, width * k : width * (k + 1)])
            states[fold] = columns.view(STATE).reshape(final, order=source.order).copy()
        counts = rows[:, -1].reshape(final, order=source.order).copy()
        return Partial(statistic, states, counts)

    # ------------------------------------------------------------ arguments

    def _mask(self, name: str, where: object, shape: tuple[int, ...]) -> DeviceArray | None:
        """Return the mask on the device, or None if all elements count."""
        if where is True:
            return None
        is_on_device = self._machine.is_array(where)
        mask: Any = where if is_on_device else np.asarray(where)
        if is_on_device:
            check_place(self._machine, f"{name}: argument where", mask)
        if mask.dtype != np.bool_:
            raise TypeError(f"{name}: argument where: expected bool, got {mask.dtype}")
        if not _can_broadcast(mask.shape, shape):
            raise ValueError(
                f"{name}: argument where: expected a shape that broadcasts to {shape}, "
                f"got {mask.shape}"
            )
        return mask if is_on_device else self._machine.from_host(mask)  # type: ignore[no-any-return]

    def _is_writable(
        self, out: DeviceArray, source: _Arrangement, arrays: Sequence[DeviceArray]
    ) -> bool:
        """Return whether a kernel may write into out directly."""
        is_plain = out.flags.c_contiguous if source.order == "C" else out.flags.f_contiguous
        operands = [*arrays, *([] if source.mask is None else [source.mask])]
        return bool(is_plain) and all(self._machine.is_separate(out, x) for x in operands)

    # ------------------------------------------------------------ memory layout

    def _arrange(
        self,
        arrays: Sequence[DeviceArray],
        mask: DeviceArray | None,
        shape: tuple[int, ...],
        reduced: tuple[int, ...],
    ) -> _Arrangement:
        """Arrange arrays as rows or as blocks of columns, copied if they lie otherwise."""
        operands = [*arrays, *([] if mask is None else [mask])]
        for order in (tuple(range(len(shape))), _axes_by_strides(arrays[0])):
            if all(x.shape == shape and _is_packed(x, order) for x in operands):
                arranged = _Arrangement.of(shape, reduced, order)
                if arranged is not None:
                    return arranged.with_operands(operands, mask is not None)
        order = (*(k for k in range(len(shape)) if k not in reduced), *reduced)
        plain = _Arrangement.of(shape, reduced, tuple(range(len(shape))))
        if plain is None:
            plain = _Arrangement.of(shape, reduced, order)
            copies = [self._transpose(x, shape, order) for x in operands]
        else:
            copies = [self._machine.broadcast(x, shape) for x in operands]
        assert plain is not None
        return replace(plain.with_operands(copies, mask is not None), copied=True)

    def _transpose(
        self, x: DeviceArray, shape: tuple[int, ...], order: tuple[int, ...]
    ) -> DeviceArray:
        whole: DeviceArray = x if x.shape == shape else self._machine.broadcast(x, shape)
        axes = tuple(shape[k] for k in order)
        copy: DeviceArray = self._machine.broadcast(whole.transpose(order), axes)
        return copy

    # ------------------------------------------------------------ kernels

    def _are_short(
        self, source: _Arrangement, statistic: str, result: str, last: FinishArguments
    ) -> bool:
        """Return whether halves result from many short rows, without mask and start."""
        return (
            self._machine.dialect.reduces_short_rows
            and source.layout == "rows"
            and 0 < source.n <= SHORT[_has_products(statistic)]
            and source.results >= _MANY_ROWS
            and not source.has_mask
            and result == "e"
            and last.start == Start(0, 0)
        )

    def _prepare(
        self, statistic: str, result: str, source: _Arrangement, last: FinishArguments
    ) -> Launches | None:
        """Return the launches of a reduction, or None if there are no results."""
        if not source.results:
            return None
        if source.n > _MOST:
            raise OverflowError(
                f"{statistic}: expected at most 2^40 elements per result, got {source.n}"
            )
        if statistic == "prod":
            return self._prepare_product(result, source, last)
        if self._are_short(source, statistic, result, last):
            plan = _Plan.for_short_rows(self._machine, source, statistic)
        else:
            plan = _Plan.of(self._machine, source, statistic)
        rows, results = source.n // plan.beside, source.results * plan.beside
        head, tail = [np.uint64(results), np.uint64(rows), np.uint64(plan.each)], last.values()
        parts = plan.chunks * plan.beside
        reducing = plan.kernel(source, statistic, "bins" if parts > 1 else result)
        first = self._step(
            reducing, (plan.groups, plan.chunks), head, [*tail, *plan.columns(source)]
        )
        if parts == 1:
            return Launches([first], [])
        finish_kernel = reducing.finish_kernel(
            _choose_finish_lanes(self._machine, reducing.group, source.results, parts), result
        )
        groups = -(-source.results * finish_kernel.lanes // reducing.group)
        head = [np.uint64(source.results), np.uint64(parts)]
        second = self._step(finish_kernel, (groups, 1), head, tail)
        return Launches([first, second], [reducing.slots * parts * source.results])

    def _prepare_product(
        self, result: str, source: _Arrangement, last: FinishArguments
    ) -> Launches:
        """Return the launches of a product of all elements."""
        machine, results = self._machine, source.results
        group = machine.group if machine.is_wide else FEW_ITEMS
        lanes = 32 if machine.is_wide and source.layout == "rows" and source.n >= 32 else 1
        busy = machine.units * (_GROUPS * group if machine.is_wide else _ITEMS)
        chunks = max(1, min(busy // (results * lanes), source.n // (_FACTORS * lanes)))
        columns = np.uint64(1 if source.layout == "rows" else source.columns)
        tail, steps, sizes = last.values(), list[Step](), list[int]()
        length, tails = source.n, [*tail, columns]
        layout: Layout = "factors"
        while True:
            as_ = "bins" if chunks > 1 else result
            has_mask = source.has_mask and layout == "factors"
            kernel = Reduction(layout, "prod", as_, False, has_mask, group, lanes, False)
            groups = -(-results * chunks * lanes // group)
            head = [np.uint64(results), np.uint64(length), np.uint64(chunks)]
            steps.append(self._step(kernel, (groups, 1), head, tails))
            if chunks == 1:
                return Launches(steps, sizes)
            sizes.append(_WORDS * chunks * results)
            length, chunks = chunks, -(-chunks // _MERGED) if chunks > _MERGED else 1
            layout, lanes, tails = "finish factors", 1, tail

    def _step(
        self, kernel: Reduction, groups: tuple[int, int], head: Sequence[np.generic],
        tail: Sequence[np.generic],
    ) -> Step:  # fmt: skip
        return Step(self.launcher(kernel), groups, kernel.group, head, tail)

    def _run(
        self, launches: Launches | None, operands: Sequence[DeviceArray], out: DeviceArray
    ) -> None:
        if launches is None:
            return
        machine, read = self._machine, operands
        for step, size in zip(launches.steps, launches.sizes, strict=False):
            bins = machine.empty((size,), np.int64, "C", operands[0])
            step.run(machine, read, bins)
            read = [bins]
        launches.steps[-1].run(machine, read, out)


# ---------------------------------------------------------------- arguments


def _as_arrays(values: tuple[object, ...]) -> Any:
    """Return the values, typed as arrays; the machine has checked them."""
    return values


def _check_statistic(name: str) -> str:
    """Return the statistic of a function's name; raise TypeError if devices lack it."""
    statistic = statistic_of(name)
    if statistic not in STATISTICS:
        raise TypeError(f"expected one of {', '.join(STATISTICS)} on a device, got {name}")
    return statistic


def _broadcast(name: str, arrays: Sequence[DeviceArray]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*(x.shape for x in arrays))
    except ValueError:
        a, b = (x.shape for x in arrays)
        raise ValueError(
            f"{name}: argument b: expected a shape that broadcasts with {a}, got {b}"
        ) from None


def _can_broadcast(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(shape, to) == to
    except ValueError:
        return False


@dataclass(frozen=True)
class Start:
    """An element that all results begin with.

    units: in units of 2^-24, seen: its kind. For products these are its bits, and whether there is
    one.
    """

    units: int
    seen: int

    @classmethod
    def of(
        cls, name: str, statistic: str, initial: ArrayLike | None, rounding: RoundingMode | None
    ) -> Start:
        if initial is None:
            return cls(0, 0)
        if statistic == "prod":
            half = arguments.initial_half(name, initial, rounding)
            return cls(int(np.asarray(half).view(np.uint16)), 1)
        if statistic != "sum":
            raise TypeError(f"{name}: argument initial: expected None, got {initial!r}")
        number = arguments.initial_half(name, initial, rounding)
        state = Partial.empty("sum", ())
        state.add((np.asarray(number).reshape(1),), None)
        seen = int(state.states["sum"]["seen"])
        value = float(number)
        return cls(int(value * 2.0**24) if math.isfinite(value) else 0, seen)


@dataclass(frozen=True)
class FinishArguments:
    """The arguments that results are finished with."""

    count: int
    ddof: int
    mode: int
    start: Start

    def values(self) -> list[np.generic]:
        return [np.uint64(self.count), np.int64(self.ddof), np.int32(self.mode),
                np.int64(self.start.units), np.uint32(self.start.seen)]  # fmt: skip


# ---------------------------------------------------------------- repeated calls

#: Calls to remember at most.
MANY_CALLS = 1 << 10

#: A key of calls whose arrays differ in their elements only.
Key: TypeAlias = tuple[object, ...]


def key_of(call: Call, mode: RoundingMode, layouts: tuple[object, ...]) -> Key | None:
    """Return the key of a call with arrays of these layouts: shape, strides, dtype and offset.

    None for calls with out, initial or a mask.
    """
    if call.out is not None or call.initial is not None or call.where is not True:
        return None
    return _core.key_of_reduction(
        call.name, call.axis, call.dtype, call.keepdims, call.ddof, mode, layouts
    )


@dataclass(frozen=True)
class Step:
    """A launch of a kernel, with all arguments but the arrays' memory."""

    launcher: object
    groups: tuple[int, int]
    group: int
    head: Sequence[np.generic]
    tail: Sequence[np.generic]

    def run(
        self, machine: AnyReducingMachine, operands: Sequence[DeviceArray], out: DeviceArray
    ) -> None:
        memory = [m for x in (*operands, out) for m in machine.memory(x)]
        arguments = [*self.head, *memory, *self.tail]
        machine.launch(self.launcher, self.groups, self.group, arguments, operands, [out])


@dataclass(frozen=True)
class Launches:
    """Launches to run in sequence; each but the last fills bins, which the next one reads.

    sizes: numbers of integers in these bins.
    """

    steps: Sequence[Step]
    sizes: Sequence[int]


@dataclass(frozen=True)
class CachedCall:
    """The results' layout and the launches of a call, whatever its arrays' elements."""

    kind: np.dtype[np.generic]
    final: tuple[int, ...]
    order: Literal["C", "F"]
    launches: Launches | None


# ---------------------------------------------------------------- layouts


@dataclass(frozen=True)
class _Arrangement:
    """How arrays are reduced: rows of n, or blocks of n rows of columns.

    order: of the results in memory; results: their number; copied: whether the operands are copies,
    since the arrays lie otherwise.
    """

    layout: Literal["rows", "columns"]
    results: int
    n: int
    columns: int
    order: Literal["C", "F"]
    operands: list[DeviceArray]
    has_mask: bool = False
    copied: bool = False

    @property
    def mask(self) -> DeviceArray | None:
        return self.operands[-1] if self.has_mask else None

    def with_operands(self, operands: list[DeviceArray], has_mask: bool) -> _Arrangement:
        return replace(self, operands=operands, has_mask=has_mask)

    @classmethod
    def of(
        cls, shape: tuple[int, ...], reduced: tuple[int, ...], order: tuple[int, ...]
    ) -> _Arrangement | None:
        """Return the arrangement of arrays whose axes lie in that order; None if there is none."""
        results = math.prod(shape_without(shape, reduced))
        n = math.prod(shape[k] for k in reduced)
        remaining = [k for k in order if k not in reduced and shape[k] > 1]
        is_c, is_f = remaining == sorted(remaining), remaining == sorted(remaining, reverse=True)
        if not results or not n:
            return cls("rows", results, n, 1, "C", [])
        if not (is_c or is_f):
            return None
        pattern, columns = "", 1
        for k in order:
            if shape[k] == 1:
                continue
            kind = "r" if k in reduced else "k"
            pattern += kind if not pattern.endswith(kind) else ""
            columns = columns * shape[k] if kind == "k" else 1
        place: Literal["C", "F"] = "C" if is_c else "F"
        if pattern in ("", "k", "r", "kr"):
            return cls("rows", results, n, 1, place, [])
        if pattern in ("rk", "krk"):
            return cls("columns", results, n, columns, place, [])
        return None


def _axes_by_strides(x: DeviceArray) -> tuple[int, ...]:
    """Return the axes by decreasing strides."""
    return tuple(sorted(range(len(x.shape)), key=lambda k: -x.strides[k]))


def _is_packed(x: DeviceArray, order: tuple[int, ...]) -> bool:
    """Return whether elements are contiguous in that order of axes."""
    step = x.dtype.itemsize
    for k in reversed(order):
        if x.shape[k] > 1:
            if x.strides[k] != step:
                return False
            step *= x.shape[k]
    return True


# ---------------------------------------------------------------- launch plans


@dataclass(frozen=True)
class _Plan:
    """Numbers of work-groups and chunks; each: units per chunk, rows or packs of halves.

    beside: this many rows of few columns are reduced as one row of more columns, so that no
    work-item is idle; each of them has bins of its own, as if there were more chunks.
    """

    wide: int
    group: int
    lanes: int
    groups: int
    chunks: int
    each: int
    few: bool
    is_short: bool = False
    beside: int = 1

    def kernel(self, source: _Arrangement, statistic: str, result: str) -> Reduction:
        layout: Layout = "short rows" if self.is_short else source.layout
        return Reduction(
            layout, statistic, result, self.wide, source.has_mask, self.group, self.lanes, self.few,
            source.n if self.is_short and source.n <= SHORTEST else 0,
        )  # fmt: skip

    def columns(self, source: _Arrangement) -> list[np.generic]:
        """Return the last arguments of kernels over columns."""
        if source.layout == "rows":
            return []
        remainder = source.n % self.beside * source.columns
        return [np.uint64(source.columns * self.beside), np.uint64(remainder)]

    @classmethod
    def of(cls, machine: AnyReducingMachine, source: _Arrangement, statistic: str) -> _Plan:
        places = [machine.offset(x) for x in source.operands]
        has_products = _has_products(statistic)
        if source.layout == "columns":
            return cls._for_columns(machine, source, places, has_products)
        return cls._for_rows(machine, source, places, has_products)

    @classmethod
    def for_short_rows(
        cls, machine: AnyReducingMachine, source: _Arrangement, statistic: str
    ) -> _Plan:
        """Build the plan for short rows (see `_are_short`)."""
        rows = rows_together(statistic, source.n)
        return cls(True, machine.group, 1, -(-source.results // rows), 1, rows, True, True)

    @classmethod
    def _for_rows(
        cls, machine: AnyReducingMachine, source: _Arrangement, places: list[int],
        has_products: bool,
    ) -> _Plan:  # fmt: skip
        n = source.n
        alike = len({place % 8 for place in places}) == 1
        wide = alike and (n >= 32 or (n > 0 and n % 8 == 0 and places[0] % 8 == 0))
        units = -(-n // 8) if wide else n
        group, lanes = machine.group, 1
        if not machine.is_wide:
            group = power_below(min(FEW_ITEMS, source.results))
        else:
            lanes = choose_lanes(group, units // (2 if wide else 4), 32)
            few_lanes = min(lanes, choose_lanes(group, max(4, units // _UNITS), 32))
            is_busy = source.results * few_lanes >= machine.units * _GROUPS * group
            if is_busy and (has_products or units < 4 * group):
                lanes = few_lanes
            elif units >= 4 * group:
                lanes = group
        groups = -(-source.results * lanes // group)
        chunks = choose_chunks(machine, groups, units // (4 * lanes), lanes == group)
        each = max(1, -(-units // chunks))
        few = chunks == 1 and n <= FEW[has_products]
        return cls(wide, group, lanes, groups, chunks, each, few)

    @classmethod
    def _for_columns(
        cls, machine: AnyReducingMachine, source: _Arrangement, places: list[int],
        has_products: bool,
    ) -> _Plan:  # fmt: skip
        group = machine.group // 2 if machine.is_wide else FEW_ITEMS
        beside = _choose_rows_beside(source, group // _COLUMN_LANES) if machine.is_wide else 1
        columns, n = source.columns * beside, source.n // beside
        wide = min(_column_width(x) for x in (columns, *places))
        items = source.results * beside >> wide
        lanes, per_unit = 1, _COLUMN_GROUPS[has_products]
        if not machine.is_wide:
            group = power_below(min(group, items))
        elif items < machine.units * per_unit * group:
            lanes = max(_COLUMN_LANES, group // _power_above(min(group, items)))
        groups = -(-items * lanes // group)
        chunks = choose_chunks(machine, groups, n // (16 * lanes), True, per_unit)
        each = max(1, -(-n // chunks))
        if machine.is_wide:  # chunks begin where lines of the cache do
            aligned = _LINE // math.gcd(_LINE, columns)
            each = -(-each // aligned) * aligned
            chunks = -(-n // each)
        return cls(
            wide, group, lanes, groups, chunks, each, each <= FEW[has_products], beside=beside
        )


def _has_products(statistic: str) -> bool:
    """Return whether a statistic needs a sum of products."""
    return STATISTICS[statistic][2] in (TWO, SQUARES)


def _column_width(x: int) -> int:
    """Return k up to 2 if a number is a multiple of 2^k."""
    return 2 if x % 4 == 0 else 1 if x % 2 == 0 else 0


def _choose_rows_beside(source: _Arrangement, across: int) -> int:
    """Return how many rows of few columns to reduce as one.

    As few as allow the widest reads, and leave the fewest work-items of a group idle.
    """
    columns = source.columns
    if source.results != columns or columns >= _FEW_COLUMNS:
        return 1
    most = power_below(max(1, min(source.n // _LEAST_ROWS, _MOST_BESIDE)))
    if columns == power_below(columns):
        return min(most, max(1, 4 // columns))

    def rank(m: int) -> tuple[int, float, int]:
        wide = _column_width(columns * m)
        return -wide, -(columns * m >> wide) % across / (columns * m >> wide), m

    return min((1 << k for k in range(most.bit_length())), key=rank)


def choose_chunks(
    machine: AnyReducingMachine, groups: int, most: int, is_cut: bool, per_unit: int = _GROUPS
) -> int:
    """Return the number of chunks: as few as keep the device busy, and at most `most`.

    per_unit: work-groups that keep a unit of a GPU busy.
    """
    busy = machine.units * (per_unit if machine.is_wide else _ITEMS)
    if not is_cut and machine.is_wide:
        return 1
    return max(1, min(busy // groups, most, 1 << 15))


def _choose_finish_lanes(machine: AnyReducingMachine, group: int, results: int, chunks: int) -> int:
    """Return the lanes per result of the kernel that combines chunks.

    As many as keep the device busy; few for many results, so that neighbours read neighbours.
    """
    if not machine.is_wide:
        return 1
    idle = machine.units * _GROUPS * group // results
    return choose_lanes(group, min(idle, chunks), group if results <= machine.units else 32)


def choose_lanes(group: int, x: int, most: int) -> int:
    """Return the work-items per result: at most x and most, and one of few numbers.

    Each number is a kernel to be compiled.
    """
    return max(lanes for lanes in (1, 4, 8, 32, group) if lanes <= max(1, min(x, most, group)))


def power_below(x: int) -> int:
    """Return the greatest power of two that is at most x."""
    return 1 << (x.bit_length() - 1)


def _power_above(x: int) -> int:
    """Return the least power of two that is at least x."""
    return 1 << (x - 1).bit_length()
