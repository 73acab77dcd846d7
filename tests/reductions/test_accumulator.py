"""Tests of `halfcl.reductions.Accumulator`: merging in any order, copies, forged bytes."""

import contextlib
import copy
import pickle
import random

import numpy as np
import pytest
from exhaustive import either, shared_out

import halfcl as hc
from halfcl.reductions import Accumulator

STATISTICS = ("sum", "mean", "var", "std", "sumsq", "norm", "prod")
MODES = ("rte", "rtz", "rtp", "rtn")


def random_halves(seed, shape, magnitude=0x7C00):
    rng = np.random.default_rng(seed)
    n = int(np.prod(shape, dtype=int))
    bits = rng.integers(0, magnitude, n, np.uint16) | rng.integers(0, 2, n, np.uint16) << 15
    return bits.reshape(shape).view(hc.half)


def have_same_bits(x, y):
    return np.asarray(x).dtype == np.asarray(y).dtype and np.array_equal(
        np.ascontiguousarray(x).view(np.uint8), np.ascontiguousarray(y).view(np.uint8)
    )


def results(accumulator, name):
    ddofs = (0, 1) if name in ("var", "std") else (0,)
    with np.errstate(all="ignore"):
        return [
            accumulator.result(rounding=mode, dtype=dtype, ddof=ddof)
            for mode in MODES
            for dtype in (hc.half, np.float32, float)
            for ddof in ddofs
        ]


@pytest.mark.parametrize("name", STATISTICS)
def test_merging_in_any_order_gives_same_bits(name):
    """Split, permute and transpose an array, and merge pickled accumulators as a random tree."""
    rng, turns = np.random.default_rng(1), random.Random(1)
    magnitudes = (0x7C00, 0x0400) if name != "prod" else (0x4000,)
    for magnitude in magnitudes:
        x = random_halves(3, (60, 7), magnitude)
        if name == "prod":
            x = (x.astype(float) % 0.25 + 1).astype(hc.half)
        whole = results(Accumulator(name, axis=0).add(x), name)
        with np.errstate(all="ignore"):
            direct = getattr(hc, name)(x, axis=0)
        assert have_same_bits(direct, whole[0])
        for _ in range(5):
            cuts = np.sort(rng.integers(0, 60, 8))
            parts = np.split(x[rng.permutation(60)], cuts)
            partial = [Accumulator(name, axis=0).add(np.asfortranarray(part)) for part in parts]
            while len(partial) > 1:
                turns.shuffle(partial)
                other = partial.pop()
                partial[0] = partial[0].merge(pickle.loads(pickle.dumps(other)))
            assert partial[0].count.tolist() == [60] * 7
            if name != "prod":  # the error of a product may depend on the order
                assert all(map(have_same_bits, results(partial[0], name), whole))


def test_merged_dot_equals_vdot():
    x, y = random_halves(1, (50, 6)), random_halves(2, (50, 6))
    parts = [Accumulator("dot").add(x[i : i + 7], y[i : i + 7]) for i in range(0, 50, 7)]
    total = Accumulator("dot")
    for part in reversed(parts):
        total.merge(part)
    assert total.result(dtype=float) == hc.vdot(x, y, dtype=float)


def test_merging_infinities_and_zeros():
    def half(*values):
        return np.array(values, hc.half)

    for first, second, want in (
        (half(np.inf), half(1), np.inf), (half(np.inf), half(-np.inf), np.nan),
        (half(np.nan), half(1), np.nan),
    ):  # fmt: skip
        with np.errstate(all="ignore"):
            got = Accumulator("sum").add(first).merge(Accumulator("sum").add(second)).result()
        assert have_same_bits(got, hc.half(want))
    for mode in MODES:
        for first, second in ((half(-0.0), half(-0.0)), (half(0), half(-0.0)), (half(1), half(-1))):
            got = Accumulator("sum").add(first).merge(Accumulator("sum").add(second))
            want = hc.sum(np.concatenate([first, second]), rounding=mode)
            assert have_same_bits(got.result(rounding=mode), want)


def test_where_and_keepdims():
    x = random_halves(5, (4, 5, 6))
    where = np.random.default_rng(1).random(x.shape) < 0.5
    for axis in (None, 1, (0, 2), -1, ()):
        for keepdims in (False, True):
            accumulator = Accumulator("sum", axis=axis, keepdims=keepdims).add(x, where=where)
            want = hc.sum(x, axis=axis, keepdims=keepdims, where=where, dtype=float)
            assert have_same_bits(accumulator.result(dtype=float), want)
            assert accumulator.shape == np.shape(want)
            count = np.count_nonzero(where, axis=axis, keepdims=keepdims) if axis != () else where
            assert accumulator.count.tolist() == np.asarray(count).astype(int).tolist()


def test_results_without_elements():
    assert Accumulator("sum").result() == 0 and Accumulator("prod").result() == 1
    assert Accumulator("sum").merge(Accumulator("sum")).shape is None
    with pytest.warns(RuntimeWarning, match="Mean of empty"), np.errstate(all="ignore"):
        assert np.isnan(Accumulator("mean").result())


def test_result_is_float16_if_all_arrays_are():
    one, other = np.ones(3, np.float16), np.ones(3, hc.half)
    assert Accumulator("sum").add(one).result().dtype == np.float16
    assert Accumulator("sum").add(one).add(other).result().dtype == hc.half
    mixed = Accumulator("sum").add(one).merge(Accumulator("sum").add(other))
    assert mixed.result().dtype == hc.half


def test_copies_are_independent():
    one = Accumulator("sum").add(np.ones(3, hc.half))
    for other in (copy.copy(one), copy.deepcopy(one), one.copy()):
        other.add(np.ones(2, hc.half))
        assert one.result() == 3 and other.result() == 5
    assert one.merge(one).result() == 6
    assert one.nbytes == 56


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda a: Accumulator("median"), ValueError, "argument statistic: expected one of sum"),
        (lambda a: Accumulator("sum", axis="x"), TypeError, "argument axis: expected an int"),
        (lambda a: a.add(np.ones(3)), TypeError, "Accumulator.add: argument a: expected half"),
        (lambda a: a.add(np.ones(4, hc.half)), ValueError, "expected arrays of 2 axes"),
        (lambda a: a.add(np.ones((2, 4), hc.half)), ValueError, "Accumulator.add: expected arrays"),
        (lambda a: a.add(np.ones((2, 3), hc.half), where=[1]), TypeError, "argument where"),
        (lambda a: a.add(1, 2), TypeError, "expected one array for 'sum', got two"),
        (lambda a: Accumulator("dot").add(1), TypeError, "expected two arrays for 'dot', got one"),
        (lambda a: a.merge(3), TypeError, "argument other: expected an Accumulator, got int"),
        (lambda a: a.merge(Accumulator("mean", axis=0)), ValueError, "other: expected 'sum'"),
        (lambda a: a.merge(Accumulator("sum")), ValueError, "other: expected 'sum' along axis"),
        (lambda a: a.result(dtype=int), TypeError, "Accumulator.result: argument dtype: expected"),
        (lambda a: a.result(ddof=1.5), TypeError, "Accumulator.result: argument ddof: expected"),
        (lambda a: a.result(rounding="x"), ValueError, "rounding: expected one of"),
        (lambda a: Accumulator.from_bytes("x"), TypeError, "argument data: expected bytes"),
        (lambda a: Accumulator.from_bytes(b""), ValueError, "got no first line"),
        (lambda a: Accumulator.from_bytes(b"{}\n"), ValueError, "got another first line"),
        (lambda a: Accumulator.from_bytes(b"[" * 4000 + b"\n"), ValueError, "another first line"),
        (
            lambda a: Accumulator.from_bytes(a.to_bytes().replace(b'"dims"', b'"dimz"')),
            ValueError,
            "got another first line",
        ),
        (lambda a: Accumulator.from_bytes(a.to_bytes()[:-1]), ValueError, "bytes after the first"),
        (
            lambda a: Accumulator.from_bytes(a.to_bytes().replace(b'sion": 1', b'sion": 2')),
            ValueError, "version 1, got 2",
        ),
    ],
)  # fmt: skip
def test_errors_leave_state_unchanged(call, error, message):
    accumulator = Accumulator("sum", axis=0).add(np.ones((2, 3), hc.half))
    with pytest.raises(error, match=message):
        call(accumulator)
    assert accumulator.result().tolist() == [2, 2, 2]  # as before


@shared_out
@pytest.mark.parametrize("name", (*STATISTICS, "dot"))
def test_forged_bytes(name):
    """Check that changed bytes raise ValueError or are read as some state, without any crash."""
    x = random_halves(1, (20, 3), 0x5000)
    accumulator = Accumulator(name, axis=0).add(*(x,) * (1 + (name == "dot")))
    data, turns = accumulator.to_bytes(), random.Random(4)
    for turn in range(either(1500, 200)):
        forged = bytearray(data)
        for _ in range(turns.randrange(1, 4)):
            forged[turns.randrange(0 if turn % 3 == 0 else data.index(b"\n"), len(data))] = (
                turns.randrange(256)
            )
        try:
            read = Accumulator.from_bytes(bytes(forged))
        except ValueError:
            continue
        with np.errstate(all="ignore"):
            with contextlib.suppress(OverflowError):  # of counts
                read.merge(read.copy())
            if name not in ("mean", "var", "std") or (read.count > 0).all():
                read.result()
                read.result(dtype=float)


@pytest.mark.parametrize("statistic", ["sum", "std", "sumsq"])
def test_equal_states_have_equal_bytes(statistic):
    """Check bytes of states merged in other orders, and in memory with other contents."""
    x = np.random.default_rng(4).normal(size=(60, 7)).astype(np.float16)
    whole = Accumulator(statistic, axis=0).add(x)
    parts = [Accumulator(statistic, axis=0).add(part) for part in np.split(x, [1, 20, 50])]
    for order in (parts, parts[::-1]):
        total = Accumulator(statistic, axis=0)
        for part in order:
            total.merge(part)
        assert total.to_bytes() == whole.to_bytes()
