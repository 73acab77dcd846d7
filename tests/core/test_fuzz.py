"""Random calls of the ufunc layer against calls on one element at a time.

Strides, byte order, alignment, broadcasting, overlap, where, out and the ways to a rounding mode
change nothing of what a function gives for an element, nor of the flags that it raises. The seeds
are fixed; HALFCL_FUZZ_ROUNDS=10 does ten times as many calls (a failure names the case's number).
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
    """Random elements: of halves all bit patterns, or near 1, where functions have results."""
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


def narrowed(rng, shape):
    """A shape that broadcasts to that one."""
    kept = shape[rng.integers(0, len(shape) + 1) if rng.random() < 0.2 else 0 :]
    return tuple(1 if rng.random() < 0.15 else n for n in kept)


def empty(rng, shape, dtype):
    """An array in a layout of its own: order of axes, steps, gaps, alignment."""
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


def placed(rng, shape, dtype):
    """Random elements in a random layout."""
    array = empty(rng, shape, dtype)
    array[...] = values(rng, shape, dtype)
    return array


def overlapping(rng, array, shape, dtype):
    """Writable memory of an array again, shifted; None if it does not fit."""
    memory = array
    while isinstance(memory.base, np.ndarray):
        memory = memory.base
    count = int(np.prod(shape, dtype=int))
    room = memory.size - count * dtype.itemsize
    if memory.dtype != np.uint8 or room < 0 or count == 0 or not memory.flags.c_contiguous:
        return None
    offset = int(rng.integers(0, min(room, 64) + 1))
    found = np.ndarray(shape, dtype, memory, offset)
    return found[::-1] if shape and rng.random() < 0.3 else found


def outputs(rng, row, shape, arguments):
    """What a call is given as out: None, fresh memory, an argument, or memory of one."""
    found, kind = [], rng.integers(0, 5)
    for letter in row.outputs:
        dtype = OUTPUTS[letter][rng.integers(len(OUTPUTS[letter]))]
        out = empty(rng, shape, dtype)
        if kind == 3 and not found:  # two results do not share memory
            own = [a for a in arguments if a.shape == shape and letter == "e" and is_half(a.dtype)]
            out = own[rng.integers(len(own))] if own else out
        elif kind == 4 and not found:
            shared = overlapping(rng, arguments[rng.integers(len(arguments))], shape, dtype)
            out = out if shared is None else shared
        found.append(out)
    return tuple(found) if kind > 1 else None


# ---------------------------------------------------------------- ways to call


@dataclass
class Flags:
    """The floating-point flags that calls raise."""

    raised: set = field(default_factory=set)

    @contextlib.contextmanager
    def recorded(self):
        with np.errstate(all="call", call=lambda kind, _: self.raised.add(kind)):
            yield self.raised


def caller(rng, row, mode):
    """The function in a rounding mode, by one of the ways; how it reads."""
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
    """The results of calls on single native elements, as bits; and the flags."""
    function = getattr(getattr(hc, row.name), mode)
    columns = [
        np.broadcast_to(a, shape).astype(NATIVE[letter]).reshape(-1, 1)
        for a, letter in zip(arguments, row.inputs, strict=True)
    ]
    results = [np.zeros((int(np.prod(shape, dtype=int)), 1), NATIVE[c]) for c in row.outputs]
    flags = Flags()
    with flags.recorded() as raised:
        for k in np.flatnonzero(np.broadcast_to(where, shape)):
            function(*(c[k] for c in columns), out=tuple(r[k] for r in results))
    return [r.reshape(shape) for r in results], raised


def canonical(array):
    """As numbers to compare: halves as their bits, one NaN for all."""
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
    """(number, generator) of the cases of a kind."""
    for number in range(count * ROUNDS):
        yield number, np.random.default_rng((sum(map(ord, kind)), number))


# ---------------------------------------------------------------- calls


def at_once(row, mode, shape, arguments, where):
    """The same of a call on consecutive native elements, where there are too many for that."""
    function = getattr(getattr(hc, row.name), mode)
    chosen = np.broadcast_to(where, shape)
    columns = [
        np.broadcast_to(a, shape)[chosen].astype(NATIVE[letter])
        for a, letter in zip(arguments, row.inputs, strict=True)
    ]
    results = [np.zeros(shape, NATIVE[c]) for c in row.outputs]
    with Flags().recorded() as raised:
        found = function(*columns)
    for result, part in zip(results, found if len(results) > 1 else (found,), strict=True):
        result[chosen] = part
    return results, raised


def narrowed_by_numpy(out, arguments):
    """Whether NumPy makes a copy of `out` as the result's type and then writes all of it back,
    also where `where` is false: an overlapping int64 is cut to 32 bits there, np.frexp's too."""
    return any(o.dtype.itemsize == 8 and np.may_share_memory(o, a) for o in out for a in arguments)


def elementwise_case(number, rng, shape, reference):
    row, mode = ROWS[rng.integers(len(ROWS))], MODES[rng.integers(4)]
    shapes = [narrowed(rng, shape) for _ in row.inputs]
    shapes[rng.integers(len(shapes))] = shape
    dtypes = [DTYPES[c][rng.integers(len(DTYPES[c]))] for c in row.inputs]
    call, how = caller(rng, row, mode)
    if how.startswith("np.") or "e" in row.inputs:
        # Without a half NumPy's functions, and those of halves alone, are others.
        first = row.inputs.index("e")
        dtypes[first] = DTYPES["e"][rng.integers(6)]
        if how.startswith("np."):
            dtypes[first] = HALF
    arguments = [placed(rng, s, d) for s, d in zip(shapes, dtypes, strict=True)]
    out = outputs(rng, row, shape, arguments)
    where = True
    if out is not None and rng.random() < 0.4 and not narrowed_by_numpy(out, arguments):
        where = placed(rng, narrowed(rng, shape), np.dtype(bool))
    case = f"case {number}: {row.name}, {how}, {shapes} of {dtypes}, out {out and out[0].dtype}"
    before = [np.array(o) for o in out or ()]
    want, want_flags = reference(row, mode, shape, arguments, where)
    given = {} if where is True else {"where": where}
    if out is not None:
        given["out"] = out if len(out) > 1 or rng.random() < 0.5 else out[0]
    with Flags().recorded() as flags:
        got = call(*arguments, **given)
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
    """Of a new result: float16 if all halves among the arguments are, and some is."""
    if row.outputs[k] != "e":
        return NATIVE[row.outputs[k]]
    halves = {d.newbyteorder("=") for d in dtypes if is_half(d)}
    return np.dtype(np.float16) if halves == {np.dtype(np.float16)} else HALF


def test_calls():
    for number, rng in cases("calls", 1200):
        elementwise_case(number, rng, shape_of(rng), one_by_one)


def test_calls_of_many_elements():
    """So many that buffers and blocks have seams."""
    for number, rng in cases("many", 100):
        shape = (int(rng.integers(4000, 20000)),)
        shape = shape if rng.random() < 0.7 else (int(rng.integers(2, 70)), 257)
        elementwise_case(number, rng, shape, at_once)


# ---------------------------------------------------------------- methods


def stepwise(row, mode):
    """A function of two halves, as bits of scalars."""
    function = getattr(getattr(hc, row.name), mode)
    return lambda x, y: function(np.atleast_1d(x).astype(HALF), np.atleast_1d(y).astype(HALF))[0]


def folded(step, elements):
    """The results of accumulating them."""
    results = [elements[0]]
    for x in elements[1:]:
        results.append(step(results[-1], x))
    return np.array([np.asarray(r, HALF) for r in results], HALF)


def operand(rng, row, shape):
    """Halves; where a reduction rounds once, or in any order, such for which that is the same."""
    dtype = DTYPES["e"][rng.integers(6)]
    array = placed(rng, shape, dtype)
    if row.name == "multiply":
        array[...] = rng.choice([-1, 1], shape)
        for _ in range(15 if array.size else 0):  # so that no product of some is over 2^15
            array[tuple(rng.integers(shape))] = rng.choice([-2, 2])
    elif row.reduce:
        array[...] = rng.choice([-3, -1, 0, 2, 5], shape)
    return array


#: Those whose reduction starts from the identity, as float16's do: `hypot.reduce([-1.])` is 1.
FROM_THE_IDENTITY = ("hypot", "logaddexp", "logaddexp2")


@pytest.mark.parametrize("method", ["reduce", "accumulate", "reduceat"])
def test_folds(method):
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
    """What a method makes of one line of elements."""
    if method == "reduce" and row.name in FROM_THE_IDENTITY:
        line = np.concatenate((np.array([row.identity], HALF), line))
    if method == "reduceat":
        ends = [*starts[1:], len(line)]
        return [
            folded(step, line[a : max(b, a + 1)])[-1] for a, b in zip(starts, ends, strict=True)
        ]
    every = folded(step, line)
    return every if method == "accumulate" else every[-1]


def test_reductions_with_keywords():
    """Over several axes, with initial, where, keepdims, out: of what is exact in any order."""
    for number, rng in cases("keywords", 200):
        name, choices = [("add", [-3, -1, 0, 2, 5]), ("multiply", [-1, 1])][rng.integers(2)]
        mode, shape = MODES[rng.integers(4)], shape_of(rng)
        integers = rng.choice(choices, shape)
        array = empty(rng, shape, DTYPES["e"][rng.integers(6)])
        array[...] = integers
        axes = [k for k in range(len(shape)) if rng.random() < 0.5]
        given = {"axis": tuple(axes) if axes else None, "keepdims": bool(rng.integers(2))}
        if rng.random() < 0.5:
            given["where"] = placed(rng, narrowed(rng, shape), np.dtype(bool))
        if rng.random() < 0.5:
            given["initial"] = 2
        want = getattr(np, name).reduce(integers, **given)
        dtype = OUTPUTS["e"][rng.integers(4)]
        out = empty(rng, want.shape, dtype) if rng.random() < 0.5 else None
        got = getattr(hc, name).reduce(array, **given, out=out, rounding=mode)
        case = f"case {number}: {name}.reduce {mode} of {shape} {array.dtype}, {given}, {out}"
        assert out is None or got is out, case
        np.testing.assert_array_equal(np.asarray(got).astype(np.float64), want, err_msg=case)


def test_outer():
    for number, rng in cases("outer", 100):
        row, mode = FOLDS[rng.integers(len(FOLDS))], MODES[rng.integers(4)]
        x, y = (placed(rng, shape_of(rng)[:2], DTYPES["e"][rng.integers(6)]) for _ in range(2))
        shape = x.shape + y.shape
        with np.errstate(all="ignore"):
            got = getattr(hc, row.name).outer(x, y, rounding=mode)
        columns = [x.reshape(x.shape + (1,) * y.ndim), np.broadcast_to(y, shape)]
        want, _ = one_by_one(row, mode, shape, columns, True)
        check(got, want[0], f"case {number}: {row.name}.outer {mode} {x.shape} {y.shape}")


def test_at():
    for number, rng in cases("at", 100):
        row, mode = FOLDS[rng.integers(len(FOLDS))], MODES[rng.integers(4)]
        array = placed(rng, (int(rng.integers(1, 9)),), DTYPES["e"][rng.integers(6)])
        places = rng.integers(-len(array), len(array), int(rng.integers(0, 12)))
        others = placed(rng, places.shape, DTYPES["e"][rng.integers(6)])
        want, step = array.astype(HALF), stepwise(row, mode)
        with np.errstate(all="ignore"):
            for place, other in zip(places, others, strict=True):
                want[place] = step(want[place], other)
            getattr(hc, row.name).at(array, places, others, rounding=mode)
        check(array, want, f"case {number}: {row.name}.at {mode} {array.dtype} {others.dtype}")


# ---------------------------------------------------------------- vectors


def test_geometric():
    for number, rng in cases("geometric", 250):
        row, mode = GEOMETRIC[rng.integers(len(GEOMETRIC))], MODES[rng.integers(4)]
        width = int(rng.choice([3, 4] if row.name == "cross" else [1, 2, 3, 4, 5, 8, 16, 19]))
        lead = shape_of(rng)[:2]
        axis = int(rng.integers(-len(lead) - 1, len(lead) + 1))
        shapes = [narrowed(rng, lead) for _ in row.inputs]
        shapes[rng.integers(len(shapes))] = lead
        call, how = caller(rng, row, mode)
        # The vectors last, then moved where axis says; broadcasting counts axes from the end.
        if axis != -1:
            shapes = [lead] * len(shapes)
        arguments = [
            np.moveaxis(placed(rng, (*s, width), DTYPES["e"][rng.integers(6)]), -1, axis)
            for s in shapes
        ]
        case = f"case {number}: {how} of {row.name}, {[a.shape for a in arguments]}, axis {axis}"
        vectors = [np.moveaxis(a, axis, -1).astype(HALF) for a in arguments]
        function = getattr(getattr(hc, row.name), mode)
        gives_vectors = not row.signature.endswith("()")
        want = np.empty((*lead, width) if gives_vectors else lead, HALF)
        columns = [np.broadcast_to(v, (*lead, width)) for v in vectors]
        with Flags().recorded() as want_flags:
            for index in np.ndindex(lead):
                want[index] = function(*(np.array(c[index]) for c in columns))
        want = np.moveaxis(want, -1, axis) if gives_vectors else want
        out = None
        if rng.random() < 0.6:
            out = outputs(rng, row, want.shape, arguments)
        given = {} if axis == -1 and rng.random() < 0.5 else {"axis": axis}
        if out is not None:
            given["out"] = out[0]
        with Flags().recorded() as flags:
            got = call(*arguments, **given)
        assert out is None or got is out[0], case
        check(got, want, case)
        assert flags == want_flags, case


# ---------------------------------------------------------------- errors


def wrong(rng, row, shape, arguments):
    """Keywords, or arguments, that a call must refuse, and what they are."""
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


def test_errors():
    """Refused, and nothing is written."""
    rows = [row for row in ROWS if "e" in row.inputs]
    for number, rng in cases("errors", 400):
        row = rows[rng.integers(len(rows))]
        shape = tuple(int(n) for n in rng.integers(2, 6, rng.integers(1, 3)))
        arguments = [placed(rng, shape, DTYPES[c][rng.integers(4)]) for c in row.inputs]
        what, args, given = wrong(rng, row, shape, arguments)
        outs = given["out"]
        before = [out.tobytes() for out in outs]
        case = f"case {number}: {row.name}, {what}"
        try:
            with np.errstate(all="ignore"):
                getattr(hc, row.name)(*args, **given)
        except (TypeError, ValueError) as error:
            assert str(error), case
        else:
            pytest.fail(f"{case}: was taken")
        assert [out.tobytes() for out in outs] == before, case
