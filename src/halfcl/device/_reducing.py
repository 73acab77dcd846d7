"""Reductions of a device's arrays, exact and rounded once: the same bits as on the host.

A call becomes one kernel, or two: the first takes chunks of what is reduced, where there are too
few results to keep the device busy, and the second one finishes. See preludes/reductions.h.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

import halfcl as hc
from halfcl import _core
from halfcl.device._catalogue import MODES
from halfcl.device._given import OnMachine, check_place
from halfcl.device._libraries import DeviceArray
from halfcl.device._machine import AnyReducingMachine
from halfcl.device._reduction_text import (
    FEW,
    NUMBERS,
    SHORT,
    SHORTEST,
    SQUARES,
    STATISTICS,
    TOGETHER,
    TWO,
    Layout,
    Reduction,
)
from halfcl.reductions import _arguments as arguments
from halfcl.reductions._arguments import Call, statistic_of
from halfcl.reductions._functions import shape_with_ones, shape_without, warn_of_few
from halfcl.reductions._states import FOLDS, STATE, Partial
from halfcl.typing import RoundingMode

#: Groups that a device is to have for each of its units, so that all of them have work until the
#: end; and work-items on a CPU.
_GROUPS, _ITEMS = 8, 4

#: Work-items of a group on a CPU.
FEW_ITEMS = 16

#: So many rows of few elements keep a device busy.
_MANY_ROWS = 1 << 10

#: Rows of fewer columns may be put side by side, up to so many, as long as so many are left; then
#: so many work-items share a result.
_FEW_COLUMNS, _MOST_BESIDE, _LEAST_ROWS, _BESIDE_LANES = 1000, 64, 64, 4

#: Factors that a work-item multiplies at least, chunks that another one then multiplies, and
#: integers of a chunk's product, as preludes/reductions_product.h has it.
_FACTORS, _MERGED, _WORDS = 64, 64, 5

#: Integers of 64 bits hold what may be reduced to one result, which a device can hardly have.
_MOST = 1 << 40

#: The functions that there are, by the host's names.
REDUCTIONS = ("sum", "prod", "mean", "var", "std", "sumsq", "norm", "vdot")


class DeviceReduction:
    """One of them over a device's arrays, as the host's is over NumPy's."""

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
        if len(args) == self._count and self._others.issuperset(kwargs):  # in a tenth of the time
            return self._reductions.reduce(Call(self.__name__, args, **kwargs))  # type: ignore[arg-type]
        given = self._signature.bind(*args, **kwargs).arguments
        arrays = tuple(given.pop(key) for key in ("a", "b") if key in given)
        return self._reductions.reduce(Call(self.__name__, arrays, **given))


class DeviceReductions(OnMachine):
    """The reductions of a machine's arrays."""

    def __init__(self, machine: AnyReducingMachine) -> None:
        super().__init__(machine)
        self._known: dict[_Key, _Known] = {}

    # ------------------------------------------------------------ the same call again

    def _key(self, call: Call, mode: RoundingMode) -> _Key:
        """What tells calls apart whose arrays differ in their elements alone; None where a call
        has more than that."""
        name, _, axis, dtype, out, keepdims, initial, where, ddof, _ = call
        machine, arrays = self._machine, _as_arrays(call.arrays)
        if out is not None or initial is not None or where is not True:
            return None
        if not all(machine.is_array(x) and not machine.elsewhere(x) for x in arrays):
            return None
        how = tuple([(x.shape, x.strides, x.dtype, machine.place(x) % 8) for x in arrays])
        is_plain = axis is None and keepdims is False and type(ddof) is int and ddof == 0
        exactly = "" if is_plain else repr((axis, keepdims, ddof))  # True is no 1 among axes
        return name, exactly, dtype, mode, how

    def _remember(self, key: _Key, known: _Known) -> None:
        if len(self._known) >= _MANY_CALLS:
            self._known.clear()
        self._known[key] = known

    def _again(self, known: _Known, arrays: Sequence[DeviceArray]) -> DeviceArray:
        made: DeviceArray = self._machine.empty(known.final, known.kind, known.order, arrays[0])
        self._run(known.prepared, arrays, made)
        return made

    # ------------------------------------------------------------ what is called

    def reduce(self, call: Call, start: Start | None = None) -> DeviceArray:
        """What `halfcl.reductions._functions` does with NumPy's arrays. start: in place of the
        call's initial element.

        NaNs, infinities and empty slices raise no flags; a mask that leaves nothing warns of
        nothing.
        """
        name, arrays, axis, dtype, out, keepdims, initial, where, ddof, rounding = call
        if rounding is not None:
            _core.check_mode(rounding)
        mode = rounding or _core.get_rounding()
        key = self._key(call, mode) if start is None else None
        try:
            known = self._known.get(key)
        except TypeError:  # of what does not hash: it is refused, or a list
            known = key = None
        if known is not None:
            return self._again(known, _as_arrays(arrays))
        statistic = _known(name)
        given = self._halves(name, arrays)
        kind = arguments.result_dtype(name, dtype, tuple(np.empty(0, x.dtype) for x in given))
        shape = _broadcast(name, given)
        reduced = arguments.axes(name, axis, len(shape))
        mask = self._mask(name, where, shape)
        freedom = arguments.degrees(name, ddof)
        final = (shape_with_ones if keepdims else shape_without)(shape, reduced)
        target = self._target(name, out, kind, final)
        first = start or Start.of(name, statistic, initial, rounding)
        laid = self._laid(given, mask, shape, reduced)
        if mask is None:
            warn_of_few(statistic, np.array(laid.n), freedom, 4)
        last = Last(laid.n, freedom, list(MODES).index(mode), first)
        prepared = self._prepared(statistic, NUMBERS[kind.itemsize], laid, last)
        if key is not None and laid.results and laid.n > freedom and not laid.copied:
            self._remember(key, _Known(kind, final, laid.order, prepared))
        made: Any = target
        if target is None or not self._is_writable(target, laid, given):
            made = self._machine.empty(final, kind, laid.order, given[0])
        self._run(prepared, laid.operands, made)
        return self._finished(target, made)

    def partial(
        self, statistic: str, arrays: Sequence[object], axis: object, where: object = True
    ) -> Partial:
        """The states of a statistic's results, on the host."""
        given = self._halves("Accumulator", arrays)
        shape = _broadcast("Accumulator", given)
        reduced = arguments.axes("Accumulator", axis, len(shape))
        mask = self._mask("Accumulator", where, shape)
        laid = self._laid(given, mask, shape, reduced)
        folds = FOLDS[_known(statistic)]
        width = STATE.itemsize // 8
        made = self._machine.empty((laid.results, width * len(folds) + 1), np.int64, "C", given[0])
        prepared = self._prepared(statistic, "states", laid, Last(laid.n, 0, 0, Start(0, 0)))
        self._run(prepared, laid.operands, made)
        found = self._machine.fetched(made)
        final = shape_without(shape, reduced)

        states = {}
        for k, fold in enumerate(folds):
            part = np.ascontiguousarray(found[:, width * k : width * (k + 1)])
            states[fold] = part.view(STATE).reshape(final, order=laid.order).copy()
        counts = found[:, -1].reshape(final, order=laid.order).copy()
        return Partial(statistic, states, counts)

    # ------------------------------------------------------------ what is given

    def _mask(self, name: str, where: object, shape: tuple[int, ...]) -> DeviceArray | None:
        """The mask, on the device; None if all elements count."""
        if where is True:
            return None
        is_there = self._machine.is_array(where)
        found: Any = where if is_there else np.asarray(where)
        if is_there:
            check_place(self._machine, f"{name}: argument where", found)
        if found.dtype != np.bool_:
            raise TypeError(f"{name}: argument where: expected bool, got {found.dtype}")
        if not _spreads(found.shape, shape):
            raise ValueError(
                f"{name}: argument where: expected a shape that broadcasts to {shape}, "
                f"got {found.shape}"
            )
        return found if is_there else self._machine.from_host(found)  # type: ignore[no-any-return]

    def _is_writable(self, out: DeviceArray, laid: _Laid, arrays: Sequence[DeviceArray]) -> bool:
        """Whether a kernel may write to it at once."""
        is_plain = out.flags.c_contiguous if laid.order == "C" else out.flags.f_contiguous
        operands = [*arrays, *([] if laid.mask is None else [laid.mask])]
        return bool(is_plain) and all(self._machine.is_separate(out, x) for x in operands)

    # ------------------------------------------------------------ how it lies

    def _laid(
        self,
        arrays: Sequence[DeviceArray],
        mask: DeviceArray | None,
        shape: tuple[int, ...],
        reduced: tuple[int, ...],
    ) -> _Laid:
        """Arrays as rows or as blocks of columns: as they lie, or else copied."""
        operands = [*arrays, *([] if mask is None else [mask])]
        for order in (tuple(range(len(shape))), _by_strides(arrays[0])):
            if all(x.shape == shape and _is_packed(x, order) for x in operands):
                found = _Laid.of(shape, reduced, order)
                if found is not None:
                    return found.holding(operands, mask is not None)
        order = (*(k for k in range(len(shape)) if k not in reduced), *reduced)
        plain = _Laid.of(shape, reduced, tuple(range(len(shape))))
        if plain is None:
            plain = _Laid.of(shape, reduced, order)
            spread = [self._transposed(x, shape, order) for x in operands]
        else:
            spread = [self._machine.spread(x, shape) for x in operands]
        assert plain is not None
        return replace(plain.holding(spread, mask is not None), copied=True)

    def _transposed(
        self, x: DeviceArray, shape: tuple[int, ...], order: tuple[int, ...]
    ) -> DeviceArray:
        whole: DeviceArray = x if x.shape == shape else self._machine.spread(x, shape)
        axes = tuple(shape[k] for k in order)
        found: DeviceArray = self._machine.spread(whole.transpose(order), axes)
        return found

    # ------------------------------------------------------------ kernels

    def _are_short(self, laid: _Laid, last: Last) -> bool:
        """Whether there are many rows of few elements, with nothing more to them."""
        return (
            self._machine.is_cuda
            and laid.layout == "rows"
            and 0 < laid.n <= SHORT
            and laid.results >= _MANY_ROWS
            and not laid.has_mask
            and last.start == Start(0, 0)
        )

    def _prepared(self, statistic: str, result: str, laid: _Laid, last: Last) -> _Prepared | None:
        """What is to be launched; None if there are no results."""
        if not laid.results:
            return None
        if laid.n > _MOST:
            raise OverflowError(f"expected at most 2^40 elements for each result, got {laid.n}")
        if statistic == "prod":
            return self._prepared_product(result, laid, last)
        if statistic == "sum" and result == "e" and self._are_short(laid, last):
            plan = _Plan.of_short_rows(self._machine, laid)
        else:
            plan = _Plan.of(self._machine, laid, statistic)
        rows, results = laid.n // plan.beside, laid.results * plan.beside
        head, tail = [np.uint64(results), np.uint64(rows), np.uint64(plan.each)], last.values()
        parts = plan.chunks * plan.beside
        taking = plan.kernel(laid, statistic, "bins" if parts > 1 else result)
        first = self._step(taking, (plan.groups, plan.chunks), head, [*tail, *plan.columns(laid)])
        if parts == 1:
            return _Prepared([first], [])
        finishing = taking.finishing(
            _finishing_lanes(self._machine, taking.group, laid.results, parts), result
        )
        groups = -(-laid.results * finishing.lanes // taking.group)
        head = [np.uint64(laid.results), np.uint64(parts)]
        second = self._step(finishing, (groups, 1), head, tail)
        return _Prepared([first, second], [taking.slots * parts * laid.results])

    def _prepared_product(self, result: str, laid: _Laid, last: Last) -> _Prepared:
        """Of the elements, not of products of two."""
        machine, results = self._machine, laid.results
        group = machine.group if machine.is_wide else FEW_ITEMS
        lanes = 32 if machine.is_wide and laid.layout == "rows" and laid.n >= 32 else 1
        busy = machine.units * (_GROUPS * group if machine.is_wide else _ITEMS)
        chunks = max(1, min(busy // (results * lanes), laid.n // (_FACTORS * lanes)))
        columns = np.uint64(1 if laid.layout == "rows" else laid.columns)
        tail, steps, sizes = last.values(), list[_Step](), list[int]()
        length, tails = laid.n, [*tail, columns]
        layout: Layout = "factors"
        while True:
            as_ = "bins" if chunks > 1 else result
            has_mask = laid.has_mask and layout == "factors"
            kernel = Reduction(layout, "prod", as_, False, has_mask, group, lanes, False)
            groups = -(-results * chunks * lanes // group)
            head = [np.uint64(results), np.uint64(length), np.uint64(chunks)]
            steps.append(self._step(kernel, (groups, 1), head, tails))
            if chunks == 1:
                return _Prepared(steps, sizes)
            sizes.append(_WORDS * chunks * results)
            length, chunks = chunks, -(-chunks // _MERGED) if chunks > _MERGED else 1
            layout, lanes, tails = "finish factors", 1, tail

    def _step(
        self, kernel: Reduction, groups: tuple[int, int], head: Sequence[np.generic],
        tail: Sequence[np.generic],
    ) -> _Step:  # fmt: skip
        return _Step(self._launcher(kernel), groups, kernel.group, head, tail)

    def _run(
        self, prepared: _Prepared | None, operands: Sequence[DeviceArray], out: DeviceArray
    ) -> None:
        if prepared is None:
            return
        machine, read = self._machine, operands
        for step, size in zip(prepared.steps, prepared.sizes, strict=False):
            bins = machine.empty((size,), np.int64, "C", operands[0])
            step.run(machine, read, bins)
            read = [bins]
        prepared.steps[-1].run(machine, read, out)


# ---------------------------------------------------------------- arguments


def _as_arrays(values: tuple[object, ...]) -> Any:
    """They are, where the machine has found that."""
    return values


def _known(name: str) -> str:
    """The statistic of a function's name, if devices have it."""
    statistic = statistic_of(name)
    if statistic not in STATISTICS:
        raise TypeError(f"{name}: expected one of {', '.join(STATISTICS)} on a device")
    return statistic


def _broadcast(name: str, arrays: Sequence[DeviceArray]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*(x.shape for x in arrays))
    except ValueError:
        a, b = (x.shape for x in arrays)
        raise ValueError(
            f"{name}: argument b: expected a shape that broadcasts with {a}, got {b}"
        ) from None


def _spreads(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(shape, to) == to
    except ValueError:
        return False


@dataclass(frozen=True)
class Start:
    """An element that all results begin with: in units of 2^-24, and what it is. Of products its
    bits, and whether there is one."""

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
            raise TypeError(f"{name}: argument initial: expected none, got {initial!r}")
        number = arguments.initial_half(name, initial, rounding)
        state = Partial.empty("sum", ())
        state.add((np.asarray(number).reshape(1),), None)
        seen = int(state.states["sum"]["seen"])
        value = float(number)
        return cls(int(value * 2.0**24) if math.isfinite(value) else 0, seen)


@dataclass(frozen=True)
class Last:
    """What results are made with."""

    count: int
    ddof: int
    mode: int
    start: Start

    def values(self) -> list[np.generic]:
        return [np.uint64(self.count), np.int64(self.ddof), np.int32(self.mode),
                np.int64(self.start.units), np.uint32(self.start.seen)]  # fmt: skip


# ---------------------------------------------------------------- calls that were there before

#: So many are remembered.
_MANY_CALLS = 1 << 10

_Key: TypeAlias = tuple[object, ...] | None


@dataclass(frozen=True)
class _Step:
    """A kernel to be launched: its arguments but for where its arrays are."""

    launcher: object
    groups: tuple[int, int]
    group: int
    head: Sequence[np.generic]
    tail: Sequence[np.generic]

    def run(
        self, machine: AnyReducingMachine, operands: Sequence[DeviceArray], out: DeviceArray
    ) -> None:
        memory = [m for x in (*operands, out) for m in machine.memory(x)]
        given = [*self.head, *memory, *self.tail]
        machine.launch(self.launcher, self.groups, self.group, given, operands, [out])


@dataclass(frozen=True)
class _Prepared:
    """Kernels one after the other. Each but the last makes so many integers of bins, which the next
    one reads."""

    steps: Sequence[_Step]
    sizes: Sequence[int]


@dataclass(frozen=True)
class _Known:
    """What a call comes to, whatever its arrays hold."""

    kind: np.dtype[np.generic]
    final: tuple[int, ...]
    order: Literal["C", "F"]
    prepared: _Prepared | None


# ---------------------------------------------------------------- layouts


@dataclass(frozen=True)
class _Laid:
    """How arrays are reduced: rows of n, or blocks of n rows of columns.

    order: that of results, of which there are so many, in memory; copied: whether the operands
    are copies, since the arrays lie otherwise.
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

    def holding(self, operands: list[DeviceArray], has_mask: bool) -> _Laid:
        return replace(self, operands=operands, has_mask=has_mask)

    @classmethod
    def of(
        cls, shape: tuple[int, ...], reduced: tuple[int, ...], order: tuple[int, ...]
    ) -> _Laid | None:
        """Of arrays whose axes lie in that order; None if they lie neither way."""
        results = math.prod(shape_without(shape, reduced))
        n = math.prod(shape[k] for k in reduced)
        kept = [k for k in order if k not in reduced and shape[k] > 1]
        is_c, is_f = kept == sorted(kept), kept == sorted(kept, reverse=True)
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


def _by_strides(x: DeviceArray) -> tuple[int, ...]:
    """The axes, the one with the greatest steps first."""
    return tuple(sorted(range(len(x.shape)), key=lambda k: -x.strides[k]))


def _is_packed(x: DeviceArray, order: tuple[int, ...]) -> bool:
    """Whether elements lie one after the other in that order of axes."""
    step = x.dtype.itemsize
    for k in reversed(order):
        if x.shape[k] > 1:
            if x.strides[k] != step:
                return False
            step *= x.shape[k]
    return True


# ---------------------------------------------------------------- how kernels are launched


@dataclass(frozen=True)
class _Plan:
    """Groups, and chunks of each units: rows, or packs of halves.

    beside: so many rows of few columns are taken as one of more columns, so that no item is idle;
    each of these has bins of its own, as if there were more chunks.
    """

    wide: bool
    group: int
    lanes: int
    groups: int
    chunks: int
    each: int
    few: bool
    is_short: bool = False
    beside: int = 1

    def kernel(self, laid: _Laid, statistic: str, result: str) -> Reduction:
        layout: Layout = "short rows" if self.is_short else laid.layout
        return Reduction(
            layout, statistic, result, self.wide, laid.has_mask, self.group, self.lanes, self.few,
            laid.n if self.is_short and laid.n <= SHORTEST else 0,
        )  # fmt: skip

    def columns(self, laid: _Laid) -> list[np.generic]:
        """What kernels over columns are told of them, at last."""
        if laid.layout == "rows":
            return []
        further = laid.n % self.beside * laid.columns
        return [np.uint64(laid.columns * self.beside), np.uint64(further)]

    @classmethod
    def of(cls, machine: AnyReducingMachine, laid: _Laid, statistic: str) -> _Plan:
        places = [machine.place(x) for x in laid.operands]
        most = FEW[STATISTICS[statistic][2] in (TWO, SQUARES)]
        if laid.layout == "columns":
            return cls._of_columns(machine, laid, places, most)
        return cls._of_rows(machine, laid, places, most)

    @classmethod
    def of_short_rows(cls, machine: AnyReducingMachine, laid: _Laid) -> _Plan:
        """Of what `_are_short` says it of."""
        rows = TOGETHER // laid.n
        return cls(True, machine.group, 1, -(-laid.results // rows), 1, rows, False, True)

    @classmethod
    def _of_rows(
        cls, machine: AnyReducingMachine, laid: _Laid, places: list[int], most: int
    ) -> _Plan:
        n = laid.n
        alike = len({place % 8 for place in places}) == 1
        wide = alike and (n >= 32 or (n > 0 and n % 8 == 0 and places[0] % 8 == 0))
        units = -(-n // 8) if wide else n
        group, lanes = machine.group, 1
        if not machine.is_wide:
            group = power_below(min(FEW_ITEMS, laid.results))
        elif units >= 4 * group:
            lanes = group
        else:
            lanes = lanes_of(group, units // (2 if wide else 4), 32)
        groups = -(-laid.results * lanes // group)
        chunks = chunks_of(machine, groups, units // (4 * lanes), lanes == group)
        each = max(1, -(-units // chunks))
        few = chunks == 1 and n <= most
        return cls(wide, group, lanes, groups, chunks, each, few)

    @classmethod
    def _of_columns(
        cls, machine: AnyReducingMachine, laid: _Laid, places: list[int], most: int
    ) -> _Plan:
        beside = _rows_beside(laid, machine.group // _BESIDE_LANES) if machine.is_wide else 1
        columns, results, n = laid.columns * beside, laid.results * beside, -(-laid.n // beside)
        wide = columns % 2 == 0 and all(place % 2 == 0 for place in places)
        items = results // 2 if wide else results
        group, lanes = machine.group, 1
        if beside > 1:
            lanes = _BESIDE_LANES
        elif machine.is_wide:
            if not 16 < items < group:  # so an H200 is faster; of other numbers it is slower
                group //= 2
            lanes = lanes_of(group, group // _power_above(min(group, items)), group)
        else:
            group = power_below(min(FEW_ITEMS, items))
        groups = -(-items * lanes // group)
        chunks = chunks_of(machine, groups, n // (16 * lanes), True)
        each = -(-n // chunks)
        return cls(wide, group, lanes, groups, chunks, each, each <= most, beside=beside)


def _rows_beside(laid: _Laid, across: int) -> int:
    """How many rows of columns are taken as one, so that fewest items of those that are across a
    group are idle: 1 where few are. Where two columns are read at once they have as many rows."""
    columns = laid.columns
    if columns * laid.n % 2 == 1 or laid.results != columns or columns >= _FEW_COLUMNS:
        return 1
    if columns == power_below(columns):
        return 1
    most = power_below(max(1, min(laid.n // _LEAST_ROWS, _MOST_BESIDE)))
    tried = [1 << k for k in range(1, most.bit_length())]
    return min(tried, key=lambda m: (-(columns * m // 2) % across / (columns * m), m), default=1)


def chunks_of(machine: AnyReducingMachine, groups: int, most: int, is_cut: bool) -> int:
    """How many there are to be: as few as keep the device busy, and no more than most."""
    busy = machine.units * (_GROUPS if machine.is_wide else _ITEMS)
    if not is_cut and machine.is_wide:
        return 1
    return max(1, min(busy // groups, most, 1 << 15))


def _finishing_lanes(machine: AnyReducingMachine, group: int, results: int, chunks: int) -> int:
    """As many as keep the device busy; of many results few, so that neighbours read neighbours."""
    if not machine.is_wide:
        return 1
    idle = machine.units * _GROUPS * group // results
    return lanes_of(group, min(idle, chunks), group if results <= machine.units else 32)


def lanes_of(group: int, x: int, most: int) -> int:
    """Work-items that share a result: no more than x and most, and one of few numbers, since each
    is a kernel to be compiled."""
    return max(lanes for lanes in (1, 4, 32, group) if lanes <= max(1, min(x, most, group)))


def power_below(x: int) -> int:
    """The greatest power of two that is no more than x."""
    return 1 << (x.bit_length() - 1)


def _power_above(x: int) -> int:
    """The least power of two that is no less than x."""
    return 1 << (x - 1).bit_length()
