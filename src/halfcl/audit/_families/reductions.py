"""Audit reductions: how wrong they are, and how much the order of the elements matters."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl.audit._families.functions import Progress
from halfcl.audit._records import ReductionReport
from halfcl.audit._results.mistakes import Array
from halfcl.audit._targets.base import Call
from halfcl.audit._targets.calling import Clock

_Halves = NDArray[np.float16]
_Doubles = NDArray[np.float64]
_Shape = tuple[int, int]

#: Lengths of rows, and how many rows there are. Threads and blocks share a single long row.
ROWS_OF = {32: 256, 1024: 64, 65536: 1}

#: Orders of the same elements.
ORDERS = 20

#: Added to the variance in layer_norm, as is the default of other libraries.
EPSILON = 1e-5


# ---------------------------------------------------------------- correct results


def _softmax(x: _Halves) -> _Doubles:
    wide = x.astype(np.float64)
    e = np.exp(wide - wide.max(axis=-1, keepdims=True))  # the difference is exact
    shares: _Doubles = e / e.sum(axis=-1, keepdims=True)
    return shares


def _layer_norm(x: _Halves) -> _Doubles:
    """Return (x - mean) / sqrt(variance + EPSILON); the exact sum keeps cancellation harmless."""
    length = x.shape[-1]
    total = hc.sum(x, axis=-1, keepdims=True, dtype=np.float64)
    variance = hc.var(x, axis=-1, keepdims=True, dtype=np.float64)
    centred = (length * x.astype(np.float64) - total) / length
    normalized: _Doubles = centred / np.sqrt(variance + EPSILON)
    return normalized


def _halfcl_reduction(name: str) -> Callable[[_Halves], _Doubles]:
    """Return halfcl's reduction: exact, and rounded once to float64."""
    function = getattr(hc, name)
    return lambda x: np.asarray(function(x, axis=-1, dtype=np.float64))


#: The exact results, by the reductions' names.
EXACT: dict[str, Callable[[_Halves], _Doubles]] = {
    **{name: _halfcl_reduction(name) for name in ("sum", "mean", "var", "norm")},
    "softmax": _softmax,
    "layer_norm": _layer_norm,
}


def _right(name: str, x: _Halves, exact: _Doubles) -> Array:
    if hasattr(hc, name):
        return np.asarray(getattr(hc, name)(x, axis=-1)).view(np.float16)
    return np.asarray(hc.convert(exact, np.float16))


# ---------------------------------------------------------------- inputs


def _cancelling(rng: np.random.Generator, shape: _Shape) -> Array:
    """Return pairs of equal size and opposite signs, and some small numbers that remain."""
    rows, length = shape
    few = length // 8
    size = (rows, (length - few) // 2)
    large = (1 + rng.random(size)) * 2.0 ** rng.integers(0, 8, size)
    return np.concatenate([large, -large, rng.normal(0, 0.1, (rows, few))], axis=1)


def _large(rng: np.random.Generator, shape: _Shape) -> Array:
    """Return numbers near half's maximum: sums of some overflow, sums of all do not."""
    rows, length = shape
    one = rng.uniform(20000, 60000, (rows, length // 2))
    return np.concatenate([one, rng.normal(0, 64, one.shape) - one], axis=1)


#: The families of inputs, by name.
INPUTS: dict[str, Callable[[np.random.Generator, _Shape], Array]] = {
    "uniform": lambda rng, shape: rng.random(shape),
    "normal": lambda rng, shape: rng.normal(0, 1, shape),
    "offset": lambda rng, shape: rng.normal(100, 1, shape),  # far from 0, relative to deviations
    "cancelling": _cancelling,
    "large": _large,
}


def draw(inputs: str, length: int, seed: int) -> _Halves:
    """Return rows of a family, each in an order of its own."""
    rng = np.random.default_rng([seed, length, *inputs.encode()])
    halves = INPUTS[inputs](rng, (ROWS_OF[length], length)).astype(np.float16)
    return rng.permuted(halves, axis=1)


# ---------------------------------------------------------------- the audit


def audit(
    name: str, call: Call, clock: Clock, *, full: bool, seed: int, progress: Progress
) -> list[ReductionReport]:
    """Return a report for each family of inputs and each length."""
    cases = [(inputs, length) for inputs in INPUTS for length in ROWS_OF]
    reports = []
    for done, (inputs, length) in enumerate(cases):
        progress(done, len(cases))
        x = draw(inputs, length, seed)
        reports.append(_report(name, call, inputs, x, _in_orders(call, name, x, seed, clock)))
    return reports


def _in_orders(call: Call, name: str, x: _Halves, seed: int, clock: Clock) -> _Halves:
    """Return results, one row per order.

    If there is one result per element, they are in the original order of elements.
    """
    exact = EXACT[name](x[:1])
    is_reduced = exact.ndim == 1
    shape = (len(x),) if is_reduced else x.shape
    rng, results = np.random.default_rng(seed), []
    for k in range(ORDERS):
        order = rng.permutation(x.shape[1])
        reordered = (np.ascontiguousarray(x[:, order]),)
        types = (np.dtype(np.float16),)
        got = clock.call(call, reordered, types, (shape,), trusted=k > 0)[0].reshape(shape)
        results.append(got if is_reduced else got[:, np.argsort(order)])
    return np.stack(results).reshape(ORDERS, -1)


def _report(name: str, call: Call, inputs: str, x: _Halves, got: _Halves) -> ReductionReport:
    """Return a report of results, which have a row for each order."""
    exact = EXACT[name](x)
    right, exact = _right(name, x, exact).ravel(), exact.ravel()
    numbers = np.isfinite(got) & np.isfinite(right)
    differ = ~((got == right) | (np.isnan(got) & np.isnan(right)))
    errors = np.abs(hc.ulp_error(got, np.broadcast_to(exact, got.shape)))[numbers]
    results = _count_distinct(got)
    return ReductionReport(
        name, call.spelled, inputs, x.shape[1],
        orders=ORDERS,
        tested=got.size,
        wrong=int(differ.sum()),
        not_numbers=int((differ & ~numbers).sum()),
        max_ulp=float(errors.max(initial=0)),
        mean_ulp=float(errors.mean()) if errors.size else 0.0,
        results=right.size,
        unsteady=int((results > 1).sum()),
        most_results=int(results.max()),
    )  # fmt: skip


def _count_distinct(got: _Halves) -> NDArray[np.intp]:
    """Return the number of different numbers in each column; all NaNs and both zeros are equal."""
    plain = np.where(np.isnan(got), np.float16(np.nan), got + np.float16(0)).view(np.uint16)
    ordered = np.sort(plain, axis=0)
    counts: NDArray[np.intp] = 1 + np.count_nonzero(ordered[1:] != ordered[:-1], axis=0)
    return counts
