"""Time intervals against halfcl's own functions and against other libraries of intervals.

    python bench/interval.py                        all operations, 2^14 elements
    python bench/interval.py add mul -n 4096 --rounds 20

Contiguous arrays, results new, best of many blocks of calls, the columns timed in turns on one
pinned core; ns an element. The peers compute in double: crival on arrays, python-flint's arb and
mpmath's iv on one number after the other, as they have no arrays. `halves` is the time over that of
halfcl's function of halves itself, output given.
The peers: pip install crival python-flint mpmath
"""

import argparse
import operator
import timeit
from collections import deque
from functools import partial

import numpy as np
import timing

import halfcl as hc
from halfcl import interval

#: By name: the number of arguments, and halfcl's function of halves.
OPS = {
    "neg": (1, hc.negative), "add": (2, hc.add), "sub": (2, hc.subtract), "mul": (2, hc.multiply),
    "div": (2, hc.divide), "sqr": (1, None), "sqrt": (1, hc.sqrt), "fma": (3, hc.fma),
    "exp": (1, hc.exp), "log": (1, hc.log), "sin": (1, hc.sin), "pow": (2, hc.pow),
    "sum": (1, None), "dot": (2, None),
}  # fmt: skip
OPS = {name: row for name, row in OPS.items() if hasattr(interval, name)}
OPERATORS = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv,
    "neg": operator.neg, "pow": operator.pow,
}  # fmt: skip
FEW = 256  # elements for peers that accept single numbers


def bounds(n):
    """Return lower and upper bounds of three arrays of positive intervals, as doubles."""
    rng = np.random.default_rng(1)
    ends = rng.uniform(0.5, 4, (3, 2, n)).astype(np.float16).astype(float)
    return np.sort(ends, axis=1)


def crival_columns(name, count, ends):
    """Return {column: (block, elements)} of the library, if it is installed and has it."""
    try:
        import ival
    except ImportError:
        return {}
    function = OPERATORS.get(name) or getattr(ival, name, None)
    arrays = [ival.Interval(*x) for x in ends[:count]]
    return time_column("crival", function, arrays, ends.shape[-1])


def time_column(column, function, arguments, elements):
    """Return a column, or {} if the library lacks the operation or rejects the arguments."""
    try:
        function(*arguments)
    except (TypeError, AttributeError):
        return {}
    return {column: (timeit.Timer(partial(function, *arguments)).timeit, elements)}


def each(function):
    """Return a function of sequences that calls another on their elements."""
    return lambda *arguments: deque(map(function, *arguments), maxlen=0)


def arb_columns(name, count, ends):
    try:
        from flint import arb
    except ImportError:
        return {}
    middle, radius = ends.mean(axis=1), (ends[:, 1] - ends[:, 0]) / 2
    balls = [[arb(m, r) for m, r in zip(*x, strict=True)]
             for x in zip(middle[:count, :FEW], radius[:count, :FEW], strict=True)]  # fmt: skip
    function = OPERATORS.get(name) or getattr(arb, name, None)
    return time_column("arb", function and each(function), balls, FEW)


def mpmath_columns(name, count, ends):
    try:
        from mpmath import iv
    except ImportError:
        return {}
    numbers = [[iv.mpf(pair) for pair in x[:, :FEW].T.tolist()] for x in ends[:count]]
    function = OPERATORS.get(name) or getattr(iv, name, None)
    return time_column("mpmath.iv", function and each(function), numbers, FEW)


def columns(name, n):
    """Return {column: (block, elements)} of one operation."""
    count, of_halves = OPS[name]
    ends = bounds(n)
    halves = [hc.convert(x[0], hc.half) for x in ends[:count]]
    intervals = [interval.from_values(*x) for x in ends[:count]]
    blocks = {"interval": (timeit.Timer(partial(getattr(interval, name), *intervals)).timeit, n)}
    if of_halves is not None:
        call = partial(of_halves, *halves, out=np.empty_like(halves[0]))
        blocks["halves"] = (timeit.Timer(call).timeit, n)
    for peer in (crival_columns, arb_columns, mpmath_columns):
        blocks |= peer(name, count, ends)
    return blocks


def row(name, n, rounds):
    """Return the text of one operation."""
    blocks = columns(name, n)
    best = timing.best_of({key: block for key, (block, _) in blocks.items()}, rounds)
    ns = {key: best[key] / blocks[key][1] * 1e9 for key in best}
    text = f"{name:5} {ns['interval']:8.3f} ns"
    if "halves" in ns:
        text += f"   {ns['interval'] / ns['halves']:5.2f} times halves"
    for peer in [name for name in ns if name not in ("interval", "halves")]:
        text += f"   {peer} {ns[peer]:.1f} ns: {ns[peer] / ns['interval']:.0f} times as long"
    return text


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("ops", nargs="*", metavar="op", help=f"of {', '.join(OPS)}; default all")
    parser.add_argument("-n", type=int, default=2**14, help="elements")
    parser.add_argument("--rounds", type=int, default=50, help="blocks timed per column")
    parser.add_argument("--core", type=int, help="the core to run on; default the last")
    options = parser.parse_args()
    if unknown := set(options.ops) - set(OPS):
        parser.error(f"no such operation: {', '.join(sorted(unknown))}; there are {', '.join(OPS)}")
    timing.settle(options.core)
    for name in options.ops or OPS:
        print(row(name, options.n, options.rounds), flush=True)
    print()
    for what, value in timing.machine().items():
        print(f"{what}: {value}")


if __name__ == "__main__":
    main()
