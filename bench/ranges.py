"""Measure how wide enclosures of formulas are, and what they cost.

    python bench/ranges.py                widths, over the best possible, of bench/formulas.py
    python bench/ranges.py --time         times an element, beside python-flint's arb and mpmath.iv

Widths: each formula at 64 points and on 12 boxes inside its domain, which are a part of 1 to 2^-11
of it. The best is the interval of halves around the values that double arithmetic finds at many
points, which are drawn ever closer to the least and the greatest; so ratios are a little too
large, where it did not find the extremes. Points at which the value is a half have no ratio, boxes
that are unbounded in truth are left out.

Times: of one pinned core, columns in turns, ns an element. The peers compute f(x), of one number
after the other; pip install python-flint mpmath
"""

import argparse
import timeit
import warnings
from functools import partial

import formulas
import numpy as np
import timing
from sampled_ranges import doubles, outward, sample_range, values

from halfcl import interval
from halfcl.interval import Interval

POINTS, BOXES = 64, 12


def natural_form(f, x):
    return f(*x)


def range_of(f, x, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", interval.LimitWarning)
        return interval.range_of(f, x, **options)


def best_form(f, x):
    """Return the tightest enclosure without bisection."""
    return interval.mean_value(f, x) & interval.taylor(f, x)


WAYS = {
    "f(x)": natural_form,
    "mean value": interval.mean_value,
    "Taylor": interval.taylor,
    "both": best_form,
    "range_of, 100 boxes": partial(range_of, limit=100),
    "range_of": range_of,
}

# ---------------------------------------------------------------- widths


def boxes(rng, domains):
    """Return lower and upper bounds of each variable, as halves."""
    ends = []
    for a, b in domains:
        width = (b - a) * 2.0 ** -rng.integers(0, 12, BOXES)
        low = np.float16(a + (b - a - width) * rng.uniform(0, 1, BOXES))
        ends.append((low, np.float16(np.minimum(np.maximum(low + width, low), b))))
    return ends


def ratios_at_points(rng, f, domains):
    """Return each form's widths relative to the best, at points whose value is not a half."""
    at = [np.float16(rng.uniform(a, b, POINTS)) for a, b in domains]
    exact = values(f, [x.astype(float) for x in at])
    best = outward(exact, exact)
    real = np.isfinite(best) & (best > 0)
    x = tuple(Interval(v) for v in at)
    ratios = {}
    for name in ("f(x)", "mean value", "Taylor"):
        enclosure = WAYS[name](f, x)
        ratios[name] = (doubles(enclosure.sup) - doubles(enclosure.inf))[real] / best[real]
    return ratios


def ratios_on_boxes(rng, f, domains):
    """Return each form's widths relative to the best on boxes; infinite where it is unbounded."""
    ends = boxes(rng, domains)
    best = []
    for i in range(BOXES):
        low, high = ([float(pair[k][i]) for pair in ends] for k in (0, 1))
        best.append(sample_range(rng, f, low, high))
    best = outward(*np.array(best).T)
    real = np.isfinite(best) & (best > 0) & (best < 60000)
    x = tuple(Interval(*pair) for pair in ends)
    ratios = {}
    for name, way in WAYS.items():
        enclosure = way(f, x)
        ratios[name] = (doubles(enclosure.sup) - doubles(enclosure.inf))[real] / best[real]
    return ratios


def collect(ratios):
    """Return {kind: {form: ratios of all formulas}}."""
    by_kind = {}
    for kind, rows in formulas.KINDS.items():
        parts = [ratios(np.random.default_rng(i), f, ends) for i, (f, *ends) in enumerate(rows)]
        by_kind[kind] = {name: np.concatenate([p[name] for p in parts]) for name in parts[0]}
    ways = next(iter(by_kind.values()))
    by_kind["all"] = {name: np.concatenate([kind[name] for kind in by_kind.values()])
                      for name in ways}  # fmt: skip
    return by_kind


def cell(ratios):
    """Return the median, 90th percentile and mean of bounded ratios, and the unbounded count."""
    bounded = ratios[np.isfinite(ratios)]
    figures = np.median(bounded), np.quantile(bounded, 0.9), bounded.mean()
    text = ", ".join(f"{x:.2f}" if x < 10 else f"{x:,.0f}" for x in figures)
    return f"{text}; {ratios.size - bounded.size} unbounded" if bounded.size < ratios.size else text


def print_table(title, by_kind):
    ways = list(by_kind["all"])
    print(f"| {title} | number | {' | '.join(ways)} |")
    print(f"|---|---:|{'---:|' * len(ways)}")
    for kind, of in by_kind.items():
        print(f"| {kind} | {of['f(x)'].size:,} | {' | '.join(map(cell, of.values()))} |")
    print()


# ---------------------------------------------------------------- times


def polynomial(x):
    return (x * x - 2) * x + 1


def quotient(x):
    return x / (1 + x * x)


class Functions:
    """Functions such as exp and sin, for each kind of number."""

    def __init__(self, exp, sin):
        self.exp, self.sin = exp, sin


def oscillation(x, of=np):
    return of.exp(x) * of.sin(x)


TIMED = {"(x x - 2) x + 1": polynomial, "x / (1 + x x)": quotient, "exp(x) sin(x)": oscillation}
FEW = 256


def each(f, numbers):
    return [f(x) for x in numbers]


def peers(f, low, high):
    """Return {name: a call that computes f(x) of several intervals}."""
    calls = {}
    pairs = list(zip(low[:FEW].tolist(), high[:FEW].tolist(), strict=True))
    takes = f is oscillation
    try:
        from flint import arb
    except ImportError:
        pass
    else:
        balls = [arb((a + b) / 2, (b - a) / 2) for a, b in pairs]
        g = partial(f, of=Functions(arb.exp, arb.sin)) if takes else f
        calls["python-flint, f(x)"] = partial(each, g, balls)
    try:
        from mpmath import iv
    except ImportError:
        return calls
    numbers = [iv.mpf(pair) for pair in pairs]
    calls["mpmath.iv, f(x)"] = partial(each, partial(f, of=iv) if takes else f, numbers)
    return calls


def print_times(n, rounds):
    low = np.float16(np.random.default_rng(1).uniform(0.25, 1.25, n))
    high = low + np.float16(2.0**-6)
    x = (Interval(low, high),)
    for title, f in TIMED.items():
        calls = {name: (partial(way, f, x), n) for name, way in WAYS.items() if name != "both"}
        some = (x[0][:FEW],)
        calls |= {name: (partial(WAYS[name], f, some), FEW) for name in calls if "range" in name}
        calls |= {name: (call, FEW) for name, call in peers(f, low.astype(float), high).items()}
        blocks = {name: timeit.Timer(call).timeit for name, (call, _) in calls.items()}
        best = timing.best_of(blocks, rounds)
        cells = [f"{name} {best[name] / count * 1e9:,.0f}" for name, (_, count) in calls.items()]
        print(f"{title}: {', '.join(cells)} ns")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--time", action="store_true", help="measure times instead of widths")
    parser.add_argument("-n", type=int, default=2**14, help="elements, for times")
    parser.add_argument("--rounds", type=int, default=10, help="blocks timed per column")
    parser.add_argument("--core", type=int, help="the core to run on; default the last")
    options = parser.parse_args()
    if not options.time:
        print_table("at points", collect(ratios_at_points))
        print_table("on boxes", collect(ratios_on_boxes))
        return
    timing.settle(options.core)
    print_times(options.n, options.rounds)
    print()
    for what, value in timing.machine().items():
        print(f"{what}: {value}")


if __name__ == "__main__":
    main()
