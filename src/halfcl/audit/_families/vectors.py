"""Audit functions of vectors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfcl._tables.row import AbsoluteError, Builtin, Limit as RowLimit, PerComponent
from halfcl.audit._families.functions import Progress, make_report
from halfcl.audit._records import FunctionReport
from halfcl.audit._results import leeway
from halfcl.audit._results.comparison import Limit, Results, tally
from halfcl.audit._results.exact import ROWS, exact, right
from halfcl.audit._results.inputs import SPECIAL
from halfcl.audit._results.mistakes import Array, flush
from halfcl.audit._targets.base import Call
from halfcl.audit._targets.calling import Clock

#: Vectors per family and width.
_COUNT = 1 << 14


def audit(
    name: str, call: Call, clock: Clock, *, full: bool, seed: int, progress: Progress
) -> list[FunctionReport]:
    """Return a report of a function for each width of vectors."""
    row, reports = ROWS[name], []
    for done, width in enumerate(call.widths):
        progress(done, len(call.widths))
        rng = np.random.default_rng([seed, width, *name.encode()])
        reports.append(_audit_width(row, call, width, _vectors(row.nin, width, rng), clock))
    return reports


class _Component:
    """One component of a function's vectors, for each of the results that a vector may have."""

    def __init__(self, vectors: Array, k: int, results: int) -> None:
        self._column, self._results = vectors[:, k], results

    def __getitem__(self, places: NDArray[np.intp], /) -> Array:
        return self._column[places // self._results]


def _audit_width(
    row: Builtin, call: Call, width: int, arguments: tuple[Array, ...], clock: Clock
) -> FunctionReport:
    """Audit a function of vectors of one width."""
    shape = right(row.name, arguments, call.rounding)[0].shape
    got = clock.call(call, arguments, (np.dtype(np.float16),), (shape,))[0].reshape(shape)
    if row.open:
        specified = ~leeway.is_unspecified(
            row, tuple(x[:, k] for x in arguments for k in range(width))
        )
        arguments, got = tuple(x[specified] for x in arguments), got[specified]
    results = right(row.name, arguments, call.rounding)
    numbers = exact(row.name, arguments, results)[0]
    assert numbers is not None
    components = shape[1] if len(shape) > 1 else 1
    columns = [_Component(x, k, components) for x in arguments for k in range(width)]
    limits = (
        _limit(row.limit, width, arguments, numbers),
        _limit(row.embedded, width, arguments, numbers),
    )

    def right_if_flushed(places: NDArray[np.intp]) -> Array:
        zeros = tuple(flush(x[places // components]) for x in arguments)
        results = right(row.name, zeros, call.rounding)[0].reshape(places.size, -1)
        return np.ascontiguousarray(results[np.arange(places.size), places % components])

    # A term that underflows is dropped as if a factor were zero, so sums of products decide
    # nothing.
    is_decisive = not isinstance(row.limit, AbsoluteError)
    counts = tally(Results(
        columns, got.ravel(), results[0].ravel(), numbers.ravel(), limits,
        right_if_flushed if is_decisive else None,
    ))  # fmt: skip
    return make_report(
        counts, limits, name=row.name, spelled=call.spelled, rounding=call.rounding,
        types=("float16",) * len(columns), result_type="float16", result=f"half{width}",
    )  # fmt: skip


def _limit(limit: RowLimit, width: int, arguments: tuple[Array, ...], exact: Array) -> Limit:
    """Return a limit in ulps, per component if it is an absolute error."""
    if isinstance(limit, PerComponent):
        return limit.of(width)
    if not isinstance(limit, AbsoluteError):
        return float(limit) if isinstance(limit, int | float) else None
    units = np.ldexp(1.0, np.clip(np.frexp(exact)[1] - 11, -24, 5))
    with np.errstate(invalid="ignore"):  # signalling NaNs, which Arm reports
        greatest = np.max([np.abs(x.astype(np.float64)).max(axis=1) for x in arguments], axis=0)
        bound = limit.of(width) * np.square(greatest) * 2.0**-10
        in_ulps = np.nan_to_num(bound.reshape(-1, *(1,) * (exact.ndim - 1)) / units, nan=np.inf)
    limits: Array = in_ulps.ravel()
    return limits


# ---------------------------------------------------------------- inputs


def _vectors(count: int, width: int, rng: np.random.Generator) -> tuple[Array, ...]:
    """Return one vector or two, of families that are hard for sums of squares and of products."""
    families = [
        [make(rng, (_COUNT, width)) for _ in range(count)]
        for make in (_any_exponents, _similar, _small, _large, _short, _specials, _one_large)
    ]
    if count == 2:
        families += [_nearly_equal(rng, width), _cancelling(rng, width)]
    return tuple(np.concatenate(column) for column in zip(*families, strict=True))


_Shape = tuple[int, int]
_Halves = NDArray[np.float16]


def _halves(values: Array, rng: np.random.Generator) -> _Halves:
    """Return numbers rounded to half, with random signs."""
    with np.errstate(over="ignore"):
        halves = values.astype(np.float16)
    signs = rng.choice(np.array([-1, 1], np.float16), values.shape)
    signed: _Halves = np.copysign(halves, signs)
    return signed


def _any_exponents(rng: np.random.Generator, shape: _Shape) -> _Halves:
    return _halves(np.ldexp(rng.random(shape) + 1, rng.integers(-25, 16, shape)), rng)


def _similar(rng: np.random.Generator, shape: _Shape) -> _Halves:
    """Return vectors whose components have one exponent."""
    exponents = rng.integers(-15, 15, (shape[0], 1))
    return _halves(np.ldexp(rng.random(shape) + 1, exponents), rng)


def _small(rng: np.random.Generator, shape: _Shape) -> _Halves:
    """Return vectors whose squares underflow; many components are subnormal."""
    return _halves(np.ldexp(rng.random(shape), rng.integers(-23, -11, (shape[0], 1))), rng)


def _large(rng: np.random.Generator, shape: _Shape) -> _Halves:
    """Return vectors whose squares overflow, and some lengths, too."""
    return _halves(np.ldexp(rng.random(shape) + 1, rng.integers(8, 16, (shape[0], 1))), rng)


def _short(rng: np.random.Generator, shape: _Shape) -> _Halves:
    """Return small integers, scaled, whose results are often exact, or ties."""
    return _halves(np.ldexp(rng.integers(0, 13, shape), rng.integers(-16, 8, (shape[0], 1))), rng)


def _specials(rng: np.random.Generator, shape: _Shape) -> _Halves:
    return rng.choice(SPECIAL, shape)


def _one_large(rng: np.random.Generator, shape: _Shape) -> _Halves:
    """Return vectors with one component to which the others add a few ulps or less."""
    exponents = np.broadcast_to(rng.integers(-2, 15, (shape[0], 1)), shape)
    less = rng.integers(3, 14, shape)
    less[np.arange(shape[0]), rng.integers(0, shape[1], shape[0])] = 0
    return _halves(np.ldexp(rng.random(shape) + 1, exponents - less), rng)


def _nearly_equal(rng: np.random.Generator, width: int) -> list[Array]:
    """Return points a few ulps apart, whose differences cancel."""
    first = _similar(rng, (_COUNT, width))
    steps = rng.integers(-3, 4, first.shape).astype(np.int16)
    return [first, (first.view(np.int16) + steps).view(np.float16)]


def _cancelling(rng: np.random.Generator, width: int) -> list[Array]:
    """Return vectors whose products cancel: the last component brings the sum to about zero."""
    first, second = (_similar(rng, (_COUNT, width)) for _ in "ab")
    wide = first.astype(np.float64), second.astype(np.float64)
    rest = (wide[0][:, :-1] * wide[1][:, :-1]).sum(axis=1)
    with np.errstate(over="ignore"):
        second[:, -1] = -rest / wide[0][:, -1]
    return [first, second]
