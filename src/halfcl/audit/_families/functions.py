"""Audit functions of halves and integers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import NotRequired, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl._tables.row import Builtin
from halfcl.audit._records import FunctionReport
from halfcl.audit._results import inputs, leeway, properties
from halfcl.audit._results.comparison import Limit, Results, Tally, errors, find_wrong, tally
from halfcl.audit._results.exact import ROWS, exact, right
from halfcl.audit._results.mistakes import Array, find_differences, flush
from halfcl.audit._targets.base import Call
from halfcl.audit._targets.calling import Clock
from halfcl.typing import RoundingMode

#: Elements to compare at a time: they fit into a processor's cache, and are worth a thread.
_SLICE = 1 << 17

Progress = Callable[[int, int], None]

#: The limits in the full and the embedded profile.
Limits = tuple[Limit, Limit]


class _Extra(TypedDict, total=False):
    """Fields of reports on functions of one half, and on symmetric ones."""

    monotonicity: int
    symmetry: int
    curve: tuple[float | None, ...]
    curve_mistakes: tuple[int, ...]


class _Fields(_Extra):
    """Fields of a report besides the counts."""

    name: str
    spelled: str
    rounding: RoundingMode
    types: tuple[str, ...]
    result_type: str
    result: NotRequired[str]
    exhaustive: NotRequired[bool]


def audit(
    name: str, call: Call, clock: Clock, *, full: bool, seed: int, progress: Progress,
    within: Limits | None = None,
) -> list[FunctionReport]:  # fmt: skip
    """Return a report for each result of a function; within: limits instead of OpenCL's."""
    row = ROWS[call.computes or name]
    within = within or limits(row)
    tallies = [Tally() for _ in row.outputs]
    asymmetric, total = 0, inputs.count(row, full)
    for done, arguments in enumerate(inputs.chunks(row, full, seed)):
        progress(done, total)
        got = _call(call, row, arguments, clock, trusted=done > 0)
        parts = _compare_slices(row, call.rounding, arguments, got, within)
        for each, part in zip(tallies, parts, strict=True):
            each.add(part)
        if row.symmetry == "commutative" and total == 1:
            asymmetric = _count_asymmetric(row, call, arguments, got[0].copy(), clock)
    extras = _extra_fields(row, call, got) if row.inputs == "e" else [{} for _ in got]
    if row.symmetry == "commutative":
        extras[0]["symmetry"] = asymmetric
    return [
        replace(_report(row, call, place, each, full, within, extra), name=name)
        for place, (each, extra) in enumerate(zip(tallies, extras, strict=True))
    ]


def _call(
    call: Call, row: Builtin, arguments: inputs.Columns, clock: Clock, trusted: bool = False
) -> tuple[Array, ...]:
    types = tuple(np.dtype(letter) for letter in row.outputs)
    shapes = (arguments[0].shape,) * len(types)
    return clock.call(call, arguments, types, shapes, trusted)


def _compare_slices(
    row: Builtin,
    rounding: RoundingMode,
    arguments: inputs.Columns,
    got: tuple[Array, ...],
    within: Limits,
) -> list[Tally]:
    """Compare results in slices, with as many threads as halfcl may use.

    NumPy releases the lock while it computes.
    """
    tallies = [Tally() for _ in got]
    slices = [slice(k, k + _SLICE) for k in range(0, arguments[0].size, _SLICE)]

    def compare(part: slice) -> list[Tally]:
        columns, results = (tuple(x[part] for x in each) for each in (arguments, got))
        with np.errstate(all="ignore"):  # each thread has a state of its own
            return _compare(row, rounding, columns, results, within)

    for parts in _map_slices(compare, slices):
        for each, part in zip(tallies, parts, strict=True):
            each.add(part)
    return tallies


def _map_slices(
    function: Callable[[slice], list[Tally]], slices: list[slice]
) -> Iterator[list[Tally]]:
    """Apply a function to slices, in threads if there are several."""
    threads = min(hc.get_num_threads(), len(slices))
    if threads <= 1:
        yield from map(function, slices)
        return
    with ThreadPoolExecutor(threads) as pool:
        try:
            parts = [pool.submit(function, part) for part in slices]
        except RuntimeError:  # the system has no more threads
            pool.shutdown(cancel_futures=True)
            yield from map(function, slices)
        else:
            yield from (part.result() for part in parts)


def _compare(
    row: Builtin,
    rounding: RoundingMode,
    arguments: inputs.Columns,
    got: tuple[Array, ...],
    within: Limits,
) -> list[Tally]:
    if row.open:
        specified = ~leeway.is_unspecified(row, arguments)
        arguments, got = tuple(x[specified] for x in arguments), tuple(x[specified] for x in got)
    results = right(row.name, arguments, rounding)
    numbers = exact(row.name, arguments, results)
    return [
        tally(Results(
            arguments, got[k], results[k], numbers[k], within,
            _right_if_flushed(row, rounding, arguments, k),
        ))
        for k in range(len(got))
    ]  # fmt: skip


def _right_if_flushed(
    row: Builtin, rounding: RoundingMode, arguments: inputs.Columns, place: int
) -> Callable[[NDArray[np.intp]], Array]:
    """Return a function for the correct results at some places if subnormals were zeros."""

    def right_at(places: NDArray[np.intp]) -> Array:
        zeros = tuple(flush(x[places]) for x in arguments)
        return right(row.name, zeros, rounding)[place]

    return right_at


def limits(row: Builtin) -> Limits:
    """Return the limits in the full and the embedded profile; None if there is none in ulps."""
    full, embedded = (
        float(limit) if isinstance(limit, int | float) else None
        for limit in (row.limit, row.embedded)
    )
    return full, embedded


def _extra_fields(row: Builtin, call: Call, got: tuple[Array, ...]) -> list[_Extra]:
    """Return the additional fields of a report for each result of a function of one half."""
    if len(got) > 1:
        return [{} for _ in got]
    extra: _Extra = {"monotonicity": properties.lost_monotonicity(row, got[0])}
    if call.rounding in ("rte", "rtz"):  # the others are not symmetric themselves
        extra["symmetry"] = properties.lost_symmetry(row, got[0])
    if got[0].dtype == np.float16:
        of_all = _results_of_all(row, call, got)
        extra["curve"], extra["curve_mistakes"] = properties.curve(errors(of_all))
    return [extra]


def _results_of_all(row: Builtin, call: Call, got: tuple[Array, ...]) -> Results:
    """Return the first results of a function of one half for all halves, and the right ones."""
    arguments = (inputs.all_values("e"),)
    results = right(row.name, arguments, call.rounding)
    return Results(arguments, got[0], results[0], exact(row.name, arguments, results)[0])


def errors_in_order(name: str, call: Call, clock: Clock) -> tuple[Array, NDArray[np.bool_]]:
    """Return the errors of a function of one half in ulps, and which of its results are wrong.

    They are those of all halves except NaNs, as `properties.ORDERED` has them. A result that is
    right to be NaN, or that OpenCL leaves unspecified, has no error: NaN.
    """
    row, arguments = ROWS[call.computes or name], (inputs.all_values("e"),)
    of_all = _results_of_all(row, call, _call(call, row, arguments, clock))
    unspecified = leeway.is_unspecified(row, arguments)
    has_number = ~(np.isnan(of_all.right) | unspecified)
    wrong = np.zeros(of_all.got.size, bool)
    wrong[find_wrong(of_all)] = True
    error = np.where(has_number, errors(of_all), np.nan)
    return error[properties.ORDERED], (wrong & ~unspecified)[properties.ORDERED]


def _count_asymmetric(
    row: Builtin, call: Call, arguments: inputs.Columns, got: Array, clock: Clock
) -> int:
    """Return how many results change when the first two arguments are swapped."""
    first, second, *others = arguments
    swapped = _call(call, row, (second, first, *others), clock)[0]
    differ = find_differences(got, swapped)
    if row.open:
        differ = differ[~leeway.is_unspecified(row, tuple(x[differ] for x in arguments))]
    return int(differ.size)


def _report(
    row: Builtin, call: Call, place: int, counts: Tally, full: bool, within: Limits, extra: _Extra
) -> FunctionReport:
    return make_report(
        counts, within,
        name=row.name,
        spelled=call.spelled,
        rounding=call.rounding,
        types=tuple(np.dtype(letter).name for letter in row.inputs),
        result_type=np.dtype(row.outputs[place]).name,
        result=row.results[place] if row.results else "",
        exhaustive=inputs.is_exhaustive(row, full),
        **extra,
    )  # fmt: skip


def _common_limit(limit: Limit) -> float | None:
    """Return a limit if it is the same for all elements."""
    return limit if isinstance(limit, float) else None


def make_report(counts: Tally, within: Limits, **others: Unpack[_Fields]) -> FunctionReport:
    """Return a report of a tally; others are its other fields."""
    counts.decide()
    full, embedded = within
    beyond_full, beyond_embedded = counts.beyond.sum(axis=1).tolist()
    return FunctionReport(
        tested=counts.tested,
        wrong=counts.wrong,
        max_ulp=counts.greatest,
        mean_ulp=counts.mean,
        histogram=tuple(counts.histogram.tolist()),
        mistakes=counts.mistakes,
        limits=(_common_limit(full), _common_limit(embedded)),
        beyond=(beyond_full, beyond_embedded),
        verdicts=(counts.verdict(0, full), counts.verdict(1, embedded)),
        worst=tuple(counts.cases),
        **others,
    )
