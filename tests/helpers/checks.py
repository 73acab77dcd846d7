"""Comparisons of halfcl with the oracle: result bits, and flags one element at a time.

Operands are columns: half bits as uint16, or integers.
"""

from contextlib import contextmanager
from functools import partial

import numpy as np
import oracle

import halfcl as hc
from halfcl._tables import ROWS


def bits(x):
    return x.view(np.uint16)


def half(column):
    """Bits as halves; other numbers as they are."""
    return column.view(hc.half) if column.dtype == np.uint16 else column


def in_region(mode, function, *operands, **options):
    with hc.rounding(mode, builtins=True):
        return function(*operands, **options)


@contextmanager
def invalid_operations():
    """Collect the reports of invalid operations; other exceptions are ignored."""
    raised = []
    with np.errstate(all="ignore", invalid="call", call=lambda kind, flag: raised.append(kind)):
        yield raised


def forms(name, mode):
    """Return the ways to call a function of the table in a mode, by the text that users write."""
    ways = {}
    if ROWS[name].public:
        function = getattr(hc, name)
        ways[f"{name}.{mode}"] = getattr(function, mode)
        ways[f"{name}_{mode}"] = getattr(hc, f"{name}_{mode}")
        ways[f"{name} in a region"] = partial(in_region, mode, function)
        ways[f"{name}(rounding=)"] = partial(function, rounding=mode)
    for twin in ROWS[name].numpy:
        if hasattr(np, twin):  # newer NumPy has more
            ways[f"np.{twin} in a region"] = partial(in_region, mode, getattr(np, twin))
    return ways


def as_tuple(results):
    return results if isinstance(results, tuple) else (results,)


def call(text, operands, i):
    """Return the text that a user would write for the i-th operands."""
    shown = (f"{x[i]:#06x}" if x.dtype == np.uint16 else str(x[i]) for x in operands)
    return f"{text}({', '.join(shown)})"


def agreement(got, want):
    """Return where results are right; any quiet NaN stands for a NaN."""
    return oracle.same(got, want) if want.dtype == np.uint16 else np.asarray(got) == want


def check_bits(text, operands, got, want):
    """Check that results, one or a tuple, equal those wanted, and are halves where bits are."""
    for g, w in zip(as_tuple(got), as_tuple(want), strict=True):
        assert g.dtype == (hc.half if w.dtype == np.uint16 else w.dtype)
        wrong = np.flatnonzero(~agreement(g, w))
        shown = g.view(w.dtype)
        rows = [
            f"{call(text, operands, i)} = {int(shown[i]):#x}, not {int(w[i]):#x}" for i in wrong[:5]
        ]
        assert not rows, f"{len(wrong)} wrong: " + "; ".join(rows)


def informative_indices(results, flags, n):
    """Return n indices of each combination of flags, and of results next to an edge."""
    rng = np.random.default_rng(n)
    first = as_tuple(results["rtz"][0])[0]
    groups = [np.flatnonzero(flags == f) for f in np.unique(flags)]
    if first.dtype == np.uint16:
        edges = (0, 1, 2, 0x3FE, 0x3FF, 0x400, 0x7BFE, 0x7BFF)
        groups += [np.flatnonzero(first & 0x7FFF == edge) for edge in edges]
    return np.concatenate([rng.permutation(group)[:n] for group in groups])


#: Operands that raise nothing: 1, where that is no pole, and no edge.
_HARMLESS = {"atanh": (0x3800,), "smoothstep": (0x0000, 0x3C00, 0x3C00)}


def flags_one_by_one(function, operands, indices, harmless=None):
    """Return the flags of each element in a call whose other elements raise none.

    It takes all positions of a vector, and of the remainder after whole vectors.
    """
    fill = harmless or [0x3C00 if x.dtype == np.uint16 else 1 for x in operands]
    columns = [np.full(71, f, x.dtype) for f, x in zip(fill, operands, strict=True)]
    arguments = [half(column) for column in columns]
    results = np.empty(len(indices), np.int64)
    with oracle.Watch() as watch:
        for k, i in enumerate(indices):
            for column, values in zip(columns, operands, strict=True):
                column[k % 71] = values[i]
            function(*arguments)
            results[k] = watch.take()
            for column, f in zip(columns, fill, strict=True):
                column[k % 71] = f
    return results


def check_flags(name, function, operands, results, mode, n=500):
    """All elements that raise the same together, and some that tell one by one."""
    flags = results[mode][1]
    with oracle.Watch() as watch:
        for group in np.unique(flags):
            function(*(half(x[flags == group]) for x in operands))
            assert watch.take() == group, f"{name} {mode}: all elements that raise {group}"
    indices = informative_indices(results, flags, n)
    raised = flags_one_by_one(function, operands, indices, _HARMLESS.get(name))
    wrong = np.flatnonzero(raised != flags[indices])
    rows = [
        f"{call(name, operands, indices[k])} {mode}: flags {raised[k]}, not {flags[indices[k]]}"
        for k in wrong[:5]
    ]
    assert not rows, f"{len(wrong)} wrong: " + "; ".join(rows)


def result_or_error(call):
    """Return a call's result, or its exception's type and text."""
    try:
        return call()
    except Exception as error:
        return type(error), str(error)
