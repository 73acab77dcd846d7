"""Random calls of the ufunc layer are compared with calls on one element at a time.

Strides, byte order, alignment, broadcasting, overlap, where, out and the ways to pass a rounding
mode change neither an element's result nor the flags. The seeds are fixed; HALFCL_FUZZ_ROUNDS=10
does ten times as many calls (a failure names the case's number).
"""

import contextlib
import os
from dataclasses import dataclass, field

import numpy as np
import pytest

import halfcl as hc
from halfcl import half

ROUNDS = int(os.environ.get("HALFCL_FUZZ_ROUNDS", "1"))
MODES = ("rte", "rtz", "rtp", "rtn")
HALF = np.dtype(half)
HALVES = (HALF, np.dtype(np.float16))
SWAPPED = tuple(dtype.newbyteorder() for dtype in HALVES)
ROWS = [row for row in hc._tables.TABLE if row.public and not row.signature]
FOLDS = [row for row in ROWS if row.types == "ee>e"]
GEOMETRIC = [row for row in hc._tables.TABLE if row.public and row.signature]

#: What an argument of a letter may be; the first is what one element is computed with.
DTYPES = {
    "e": (HALF, HALF, *HALVES, *SWAPPED, np.dtype(bool), np.dtype(np.int8), np.dtype(np.uint8)),
    "i": tuple(map(np.dtype, ("i4", "i4", ">i4", "i2", "i1", "u1", "?"))),
    "H": tuple(map(np.dtype, ("u2", "u2", ">u2", "u1", "?"))),
    "h": tuple(map(np.dtype, ("i2", "i2", ">i2", "i1", "u1", "?"))),
    "B": tuple(map(np.dtype, ("u1", "u1", "?"))),
    "b": tuple(map(np.dtype, ("i1", "i1", "?"))),
}
OUTPUTS = {
    "e": (*HALVES, *SWAPPED),
    "i": tuple(map(np.dtype, ("i4", ">i4", "i8"))),
    "?": (np.dtype(bool),),
    **{c: tuple(map(np.dtype, (c, f">{c}"))) for c in "bBhH"},
}
NATIVE = {"e": HALF, **{c: np.dtype(c) for c in "ibBhH?"}}


def is_half(dtype):
    return dtype.newbyteorder("=") in HALVES


# ---------------------------------------------------------------- arrays


def values(rng, shape, dtype):
    """Return random elements: halves of all bit patterns, or only near 1."""
    if not is_half(dtype):
        low, high = {"b": (0, 2), "i": (-9, 10), "u": (0, 10)}[dtype.kind]
        return rng.integers(low, high, shape).astype(dtype)
    bits = rng.integers(0, 1 << 16, shape, dtype=np.uint16)
    common = np.array([0, 0x8000, 0x3C00, 0xBC00, 0x7C00, 0xFC00, 0x7E00, 1, 0x3800], np.uint16)
    kind = rng.integers(0, 4, shape)
    near_one = bits % 0x1800 + 0x3000 | bits & 0x8000
    bits = np.select([kind == 0, kind == 1], [rng.choice(common, shape), bits], near_one)
    return np.asarray(bits, np.uint16).view(HALF).astype(dtype)


def shape_of(rng):
    sizes = rng.choice([0, 1, 1, 2, 3, 5, 17, 40], rng.integers(0, 4))
    return tuple(int(n) for n in sizes) if np.prod(sizes) < 3000 else (2, 33)


def broadcastable_shape(rng, shape):
    """Return a shape that broadcasts to another shape."""
    kept = shape[rng.integers(0, len(shape) + 1) if rng.random() < 0.2 else 0 :]
    return tuple(1 if rng.random() < 0.15 else n for n in kept)


def empty(rng, shape, dtype):
    """Return an empty array in a random layout: order of axes, steps, gaps, alignment."""
    order = rng.permutation(len(shape))
    steps = rng.choice([1, 1, 1, 2, 3], len(shape)) if rng.random() < 0.5 else [1] * len(shape)
    strides, size = [0] * len(shape), dtype.itemsize
    for axis in order:
        strides[axis] = size * int(steps[axis])
        size = strides[axis] * max(1, shape[axis])
    offset = int(rng.choice([0, 0, 0, 1, dtype.itemsize]))
    memory = np.frombuffer(bytearray(rng.bytes(size + offset)), np.uint8)
    array = np.ndarray(shape, dtype, memory, offset, strides)
    signs = rng.choice([1, 1, 1, -1], len(shape))
    return array[(..., *(slice(None, None, int(sign)) for sign in signs))]


def random_array(rng, shape, dtype):
    """Return random elements in a random layout."""
    array = empty(rng, shape, dtype)
    array[...] = values(rng, shape, dtype)
    return array


def overlapping_memory(rng, array, shape, dtype):
    """Return shifted writable memory of an array; None if it does not fit."""
    memory = array
    while isinstance(memory.base, np.ndarray):
        memory = memory.base
    count = int(np.prod(shape, dtype=int))
    room = memory.size - count * dtype.itemsize
    if memory.dtype != np.uint8 or room < 0 or count == 0 or not memory.flags.c_contiguous:
        return None
    offset = int(rng.integers(0, min(room, 64) + 1))
    memory_again = np.ndarray(shape, dtype, memory, offset)
    return memory_again[::-1] if shape and rng.random() < 0.3 else memory_again


def outputs(rng, row, shape, arguments):
    """Return the argument out of a call: None, fresh memory, an argument, or memory of one."""
    outs, kind = [], rng.integers(0, 5)
    for letter in row.outputs:
        dtype = OUTPUTS[letter][rng.integers(len(OUTPUTS[letter]))]
        out = empty(rng, shape, dtype)
        if kind == 3 and not outs:  # two results do not share memory
            own = [a for a in arguments if a.shape == shape and letter == "e" and is_half(a.dtype)]
            out = own[rng.integers(len(own))] if own else out
        elif kind == 4 and not outs:
            shared = overlapping_memory(rng, arguments[rng.integers(len(arguments))], shape, dtype)
            out = out if shared is None else shared
        outs.append(out)
    return tuple(outs) if kind > 1 else None


# ---------------------------------------------------------------- ways to call


@dataclass
class Flags:
    """Records the floating-point flags that calls raise."""

    raised: set = field(default_factory=set)

    @contextlib.contextmanager
    def record(self):
        with np.errstate(all="call", call=lambda kind, _: self.raised.add(kind)):
            yield self.raised


def caller(rng, row, mode):
    """Return the function in a rounding mode, passed in one of the ways, and its text."""
    function = getattr(hc, row.name)
    way = rng.integers(0, 4)
    if way == 0:
        return lambda *args, **kw: function(*args, rounding=mode, **kw), f"rounding={mode!r}"
    if way == 1:
        return getattr(hc, f"{row.name}_{mode}"), f"{row.name}_{mode}"
    ufunc, name = function, f"hc.{row.name}"
    twins = [name for name in row.numpy if hasattr(np, name)]
    if way == 3 and twins and row.name not in NOT_TWINS:
        ufunc, name = getattr(np, twins[0]), f"np.{twins[0]}"

    def in_a_region(*args, **kwargs):
        with hc.rounding(mode, builtins=True):
            return ufunc(*args, **kwargs)

    return in_a_region, f"{name} in a region of {mode}"


#: NumPy's function takes other arguments for those of integers or float16.
NOT_TWINS = {row.name for row in ROWS if row.types != "e>e" * (len(row.inputs) == 1) and
             row.types != "ee>e"}  # fmt: skip


def one_by_one(row, mode, shape, arguments, where):
    """Return the results of calls on single native elements, as bits, and the flags."""
    function = getattr(getattr(hc, row.name), mode)
    columns = [
        np.broadcast_to(a, shape).astype(NATIVE[letter]).reshape(-1, 1)
        for a, letter in zip(arguments, row.inputs, strict=True)
    ]
    results = [np.zeros((int(np.prod(shape, dtype=int)), 1), NATIVE[c]) for c in row.outputs]
    flags = Flags()
    with flags.record() as raised:
        for k in np.flatnonzero(np.broadcast_to(where, shape)):
            function(*(c[k] for c in columns), out=tuple(r[k] for r in results))
    return [r.reshape(shape) for r in results], raised


def canonical(array):
    """Return numbers to compare: halves as their bits, with one NaN for all."""
    array = np.asarray(array)
    if not is_half(array.dtype):
        return array
    bits = array.astype(array.dtype.newbyteorder("=")).view(np.uint16)
    return np.where((bits & 0x7FFF) > 0x7C00, 0x7E00, bits)


def check(got, want, case, where=True):
    np.testing.assert_array_equal(
        *(np.where(where, canonical(x), 0) for x in (got, want)), err_msg=str(case)
    )


def cases(kind, count):
    """Yield (number, generator) of the cases of a kind."""
    for number in range(count * ROUNDS):
        yield number, np.random.default_rng((sum(map(ord, kind)), number))


# ---------------------------------------------------------------- calls


def at_once(row, mode, shape, arguments, where):
    """Return the results of one call on consecutive native elements, for large arrays."""
    function = getattr(getattr(hc, row.name), mode)
    chosen = np.broadcast_to(where, shape)
    columns = [
        np.broadcast_to(a, shape)[chosen].astype(NATIVE[letter])
        for a, letter in zip(arguments, row.inputs, strict=True)
    ]
    results = [np.zeros(shape, NATIVE[c]) for c in row.outputs]
    with Flags().record() as raised:
        at_once_results = function(*columns)
    for result, part in zip(
        results, at_once_results if len(results) > 1 else (at_once_results,), strict=True
    ):
        result[chosen] = part
    return results, raised


def is_narrowed_by_numpy(out, arguments):
    """Return whether NumPy computes `out` in a narrower copy and writes all of it back.

    It does so also where `where` is false: an overlapping_memory int64 is cut to 32 bits there, in
    np.frexp, too.
    """
    return any(o.dtype.itemsize == 8 and np.may_share_memory(o, a) for o in out for a in arguments)


def elementwise_case(number, rng, shape, reference):
    row, mode = ROWS[rng.integers(len(ROWS))], MODES[rng.integers(4)]
    shapes = [broadcastable_shape(rng, shape) for _ in row.inputs]
    shapes[rng.integers(len(shapes))] = shape
    dtypes = [DTYPES[c][rng.integers(len(DTYPES[c]))] for c in row.inputs]
    call, how = caller(rng, row, mode)
    if how.startswith("np.") or "e" in row.inputs:
        # Without a half NumPy's functions, and those of halves alone, are others.
        first = row.inputs.index("e")
        dtypes[first] = DTYPES["e"][rng.integers(6)]
        if how.startswith("np."):
            dtypes[first] = HALF
    arguments = [random_array(rng, s, d) for s, d in zip(shapes, dtypes, strict=True)]
    out = outputs(rng, row, shape, arguments)
    where = True
    if out is not None and rng.random() < 0.4 and not is_narrowed_by_numpy(out, arguments):
        where = random_array(rng, broadcastable_shape(rng, shape), np.dtype(bool))
    case = f"case {number}: {row.name}, {how}, {shapes} of {dtypes}, out {out and out[0].dtype}"
    before = [np.array(o) for o in out or ()]
    want, want_flags = reference(row, mode, shape, arguments, where)
    keywords = {} if where is True else {"where": where}
    if out is not None:
        keywords["out"] = out if len(out) > 1 or rng.random() < 0.5 else out[0]
    with Flags().record() as flags:
        got = call(*arguments, **keywords)
    got = got if isinstance(got, tuple) else (got,)
    assert flags == want_flags, case
    for k, (result, expected) in enumerate(zip(got, want, strict=True)):
        if out is None:
            check(result, expected, case, where)
            assert result.dtype == result_dtype(row, k, dtypes), case
        else:
            assert result is out[k], case
            kept = before[k].astype(before[k].dtype.newbyteorder("="))
            check(result, np.where(where, expected.astype(kept.dtype), kept), case)
    # np.generic or array, as NumPy's ufuncs decide.
    assert out is not None or isinstance(got[0], np.ndarray) == (shape != ()), case


def result_dtype(row, k, dtypes):
    """Return the dtype of a new result: float16 if all halves among the arguments are."""
    if row.outputs[k] != "e":
        return NATIVE[row.outputs[k]]
    halves = {d.newbyteorder("=") for d in dtypes if is_half(d)}
    return np.dtype(np.float16) if halves == {np.dtype(np.float16)} else HALF


def test_calls_equal_calls_on_single_elements():
    for number, rng in cases("calls", 1200):
        elementwise_case(number, rng, shape_of(rng), one_by_one)


def test_calls_of_many_elements():
    """There are so many elements that buffers and blocks have seams."""
    for number, rng in cases("many", 100):
        shape = (int(rng.integers(4000, 20000)),)
        shape = shape if rng.random() < 0.7 else (int(rng.integers(2, 70)), 257)
        elementwise_case(number, rng, shape, at_once)


# ---------------------------------------------------------------- methods


def stepwise(row, mode):
    """Return a function of two halves, on the bits of scalars."""
    function = getattr(getattr(hc, row.name), mode)
    return lambda x, y: function(np.atleast_1d(x).astype(HALF), np.atleast_1d(y).astype(HALF))[0]


def accumulate(step, elements):
    """Return the results of accumulating elements."""
    results = [elements[0]]
    for x in elements[1:]:
        results.append(step(results[-1], x))
    return np.array([np.asarray(r, HALF) for r in results], HALF)


def operand(rng, row, shape):
    """Return halves; where a reduction rounds once, or in any order, halves that make it unique."""
    dtype = DTYPES["e"][rng.integers(6)]
    array = random_array(rng, shape, dtype)
    if row.name == "multiply":
        array[...] = rng.choice([-1, 1], shape)
        for _ in range(15 if array.size else 0):  # so that no product of some is over 2^15
            array[tuple(rng.integers(shape))] = rng.choice([-2, 2])
    elif row.reduce:
        array[...] = rng.choice([-3, -1, 0, 2, 5], shape)
    return array


# Functions whose reduction starts from the identity, as float16's do: `hypot.reduce([-1.])` is 1.
FROM_THE_IDENTITY = ("hypot", "logaddexp", "logaddexp2")


@pytest.mark.parametrize("method", ["reduce", "accumulate", "reduceat"])
def test_folds_equal_stepwise_results(method):
    for number, rng in cases(method, 150):
        row, mode = FOLDS[rng.integers(len(FOLDS))], MODES[rng.integers(4)]
        shape = (*shape_of(rng)[:2], int(rng.integers(1, 9)))
        axis = int(rng.integers(len(shape)))
        if shape[axis] == 0:
            continue
        array, step = operand(rng, row, shape), stepwise(row, mode)
        function = getattr(hc, row.name)
        case = f"case {number}: {row.name}.{method} {mode} of {shape}, axis {axis}, {array.dtype}"
        lines = np.moveaxis(array, axis, -1).astype(HALF)
        starts = rng.integers(0, shape[axis], 3)
        arguments = (array, starts) if method == "reduceat" else (array,)
        with np.errstate(all="ignore"):
            got = getattr(getattr(function, mode), method)(*arguments, axis=axis)
            want = np.empty((*lines.shape[:-1], np.shape(np.moveaxis(got, axis, -1))[-1])
                            if method != "reduce" else lines.shape[:-1], HALF)  # fmt: skip
            for index in np.ndindex(lines.shape[:-1]):
                want[index] = fold_of(method, row, step, lines[index], starts)
        want = want if method == "reduce" else np.moveaxis(want, -1, axis)
        check(got, want, case)


def fold_of(method, row, step, line, starts):
    """Return a method's result for one line of elements."""
    if method == "reduce" and row.name in FROM_THE_IDENTITY:
        line = np.concatenate((np.array([row.identity], HALF), line))
    if method == "reduceat":
        ends = [*starts[1:], len(line)]
        return [
            accumulate(step, line[a : max(b, a + 1)])[-1] for a, b in zip(starts, ends, strict=True)
        ]
    every = accumulate(step, line)
    return every if method == "accumulate" else every[-1]


def test_reductions_with_keywords():
    """Reduce over several axes, with initial, where, keepdims, out, where any order is exact."""
    for number, rng in cases("keywords", 200):
        name, choices = [("add", [-3, -1, 0, 2, 5]), ("multiply", [-1, 1])][rng.integers(2)]
        mode, shape = MODES[rng.integers(4)], shape_of(rng)
        integers = rng.choice(choices, shape)
        array = empty(rng, shape, DTYPES["e"][rng.integers(6)])
        array[...] = integers
        axes = [k for k in range(len(shape)) if rng.random() < 0.5]
        keywords = {"axis": tuple(axes) if axes else None, "keepdims": bool(rng.integers(2))}
        if rng.random() < 0.5:
            keywords["where"] = random_array(rng, broadcastable_shape(rng, shape), np.dtype(bool))
        if rng.random() < 0.5:
            keywords["initial"] = 2
        want = getattr(np, name).reduce(integers, **keywords)
        dtype = OUTPUTS["e"][rng.integers(4)]
        out = empty(rng, want.shape, dtype) if rng.random() < 0.5 else None
        got = getattr(hc, name).reduce(array, **keywords, out=out, rounding=mode)
        case = f"case {number}: {name}.reduce {mode} of {shape} {array.dtype}, {keywords}, {out}"
        assert out is None or got is out, case
        np.testing.assert_array_equal(np.asarray(got).astype(np.float64), want, err_msg=case)


def test_outer_equals_single_calls():
    for number, rng in cases("outer", 100):
        row, mode = FOLDS[rng.integers(len(FOLDS))], MODES[rng.integers(4)]
        x, y = (
            random_array(rng, shape_of(rng)[:2], DTYPES["e"][rng.integers(6)]) for _ in range(2)
        )
        shape = x.shape + y.shape
        with np.errstate(all="ignore"):
            got = getattr(hc, row.name).outer(x, y, rounding=mode)
        columns = [x.reshape(x.shape + (1,) * y.ndim), np.broadcast_to(y, shape)]
        want, _ = one_by_one(row, mode, shape, columns, True)
        check(got, want[0], f"case {number}: {row.name}.outer {mode} {x.shape} {y.shape}")


def test_at_equals_stepwise_results():
    for number, rng in cases("at", 100):
        row, mode = FOLDS[rng.integers(len(FOLDS))], MODES[rng.integers(4)]
        array = random_array(rng, (int(rng.integers(1, 9)),), DTYPES["e"][rng.integers(6)])
        places = rng.integers(-len(array), len(array), int(rng.integers(0, 12)))
        others = random_array(rng, places.shape, DTYPES["e"][rng.integers(6)])
        want, step = array.astype(HALF), stepwise(row, mode)
        with np.errstate(all="ignore"):
            for place, other in zip(places, others, strict=True):
                want[place] = step(want[place], other)
            getattr(hc, row.name).at(array, places, others, rounding=mode)
        check(array, want, f"case {number}: {row.name}.at {mode} {array.dtype} {others.dtype}")


# ---------------------------------------------------------------- vectors


def test_functions_of_vectors_equal_single_calls():
    for number, rng in cases("geometric", 250):
        row, mode = GEOMETRIC[rng.integers(len(GEOMETRIC))], MODES[rng.integers(4)]
        width = int(rng.choice([3, 4] if row.name == "cross" else [1, 2, 3, 4, 5, 8, 16, 19]))
        lead = shape_of(rng)[:2]
        axis = int(rng.integers(-len(lead) - 1, len(lead) + 1))
        shapes = [broadcastable_shape(rng, lead) for _ in row.inputs]
        shapes[rng.integers(len(shapes))] = lead
        call, how = caller(rng, row, mode)
        # The vectors last, then moved where axis says; broadcasting counts axes from the end.
        if axis != -1:
            shapes = [lead] * len(shapes)
        arguments = [
            np.moveaxis(random_array(rng, (*s, width), DTYPES["e"][rng.integers(6)]), -1, axis)
            for s in shapes
        ]
        case = f"case {number}: {how} of {row.name}, {[a.shape for a in arguments]}, axis {axis}"
        vectors = [np.moveaxis(a, axis, -1).astype(HALF) for a in arguments]
        function = getattr(getattr(hc, row.name), mode)
        gives_vectors = not row.signature.endswith("()")
        want = np.empty((*lead, width) if gives_vectors else lead, HALF)
        columns = [np.broadcast_to(v, (*lead, width)) for v in vectors]
        with Flags().record() as want_flags:
            for index in np.ndindex(lead):
                want[index] = function(*(np.array(c[index]) for c in columns))
        want = np.moveaxis(want, -1, axis) if gives_vectors else want
        out = None
        if rng.random() < 0.6:
            out = outputs(rng, row, want.shape, arguments)
        keywords = {} if axis == -1 and rng.random() < 0.5 else {"axis": axis}
        if out is not None:
            keywords["out"] = out[0]
        with Flags().record() as flags:
            got = call(*arguments, **keywords)
        assert out is None or got is out[0], case
        check(got, want, case)
        assert flags == want_flags, case


# ---------------------------------------------------------------- errors


def wrong(rng, row, shape, arguments):
    """Return keywords, or arguments, that a call must refuse, and their description."""
    bad_out = tuple(np.full((*shape[:-1], shape[-1] + 1), 7, NATIVE[c]) for c in row.outputs)
    bad_dtype = tuple(np.full(shape, 7, "M8[s]" if c == "?" else bool) for c in row.outputs)
    wide = list(arguments)
    wide[row.inputs.index("e")] = np.ones(shape, np.float32)
    misshapen = list(arguments)
    misshapen[-1] = np.ones((*shape, 7), NATIVE[row.inputs[-1]])
    good = tuple(np.full(shape, 7, NATIVE[c]) for c in row.outputs)
    choices = {
        "shape of out": (arguments, {"out": bad_out}),
        "dtype of out": (arguments, {"out": bad_dtype}),
        "float32": (wide, {"out": good}),
        "rounding": (arguments, {"out": good, "rounding": "up"}),
        "where": (arguments, {"out": good, "where": np.ones(shape, np.float64) + 0.5}),
        "read-only": (arguments, {"out": good}),
        "keyword": (arguments, {"out": good, "whree": True}),
        "too few": (arguments[:-1], {"out": good}),
    }
    if len(arguments) > 1:
        choices["shapes"] = (misshapen, {"out": good})
    what = list(choices)[rng.integers(len(choices))]
    if what == "read-only":
        good[0].flags.writeable = False
    return what, *choices[what]


def test_wrong_calls_write_nothing():
    """Wrong calls are refused, and nothing is written."""
    rows = [row for row in ROWS if "e" in row.inputs]
    for number, rng in cases("errors", 400):
        row = rows[rng.integers(len(rows))]
        shape = tuple(int(n) for n in rng.integers(2, 6, rng.integers(1, 3)))
        arguments = [random_array(rng, shape, DTYPES[c][rng.integers(4)]) for c in row.inputs]
        what, args, keywords = wrong(rng, row, shape, arguments)
        outs = keywords["out"]
        before = [out.tobytes() for out in outs]
        case = f"case {number}: {row.name}, {what}"
        try:
            with np.errstate(all="ignore"):
                getattr(hc, row.name)(*args, **keywords)
        except (TypeError, ValueError) as error:
            assert str(error), case
        else:
            pytest.fail(f"{case}: was taken")
        assert [out.tobytes() for out in outs] == before, case
