"""Comparisons of arrays are branches: which elements go another way, and what that says."""

import sys
import threading

import numpy as np
import pytest

import halfcl as hc
from halfcl import half, stability
from halfcl._core import Experiment
from halfcl.stability._truths import MOST_BYTES, Truths, parted

pytestmark = pytest.mark.once

#: Of their squares the first rounds to nearest up, the second down, the third is exact.
X = half([0.1, 1.1, 1.5])


Y = X * X
#: Whether the exact square is more than the rounded one.
IS_MORE = X.astype(float) ** 2 > Y.astype(float)


def chosen_by_where(x):
    return np.where(x * x > Y, half(1), half(0))


def chosen_by_select(x):
    return np.select([x * x > Y, x < 0], [half(1) + 0 * x, x], half(0))


def assigned_by_mask(x):
    found = 0 * x
    found[x * x > Y] = 1
    return found


def assigned_by_indexing(x):
    found, mask = 0 * x, x * x > Y
    found[mask] = (x[mask] + 1) - x[mask]
    return found


def multiplied(x):
    return (x * x > Y).astype(half)


def counted_by_sign(x):
    return np.maximum(np.sign(x * x - Y), 0)


def written_where(x):
    return np.add(0 * x, 1, out=0 * x, where=x * x - Y > 0)


def negated(x):
    return np.where(~(x * x <= Y) & np.isfinite(x), half(1), half(0))


def by_a_ufunc(x):
    return np.where(hc.isgreater(x * x, Y), half(1), half(0))


def by_nonzero(x):
    found = 0 * x
    found[np.nonzero(np.maximum(x * x - Y, 0))] = 1
    return found


BY_MASKS = [
    chosen_by_where, chosen_by_select, assigned_by_mask, assigned_by_indexing, counted_by_sign,
    written_where, negated, by_a_ufunc, by_nonzero,
]  # fmt: skip


@pytest.mark.parametrize("f", BY_MASKS, ids=lambda f: f.__name__)
def test_shadow_chooses_by_itself(f):
    """Rounded to nearest all say 0, also where the exact square is more."""
    assert 0 < IS_MORE.sum() < len(X)
    found = stability.rerun(f, X)
    assert found.exact.tolist() == IS_MORE.tolist() and not found.values["rte"].any()
    assert np.array_equal(found.stable, ~IS_MORE & (found.spread_of_all == 0))


def test_what_no_run_shows():
    """Here no run at all goes the right way."""

    def f(n):  # the angle between two large numbers is not 0
        return np.where(np.arctan(n + 1) - np.arctan(n) > 0, half(1), half(2))

    found = stability.rerun(f, half([3, 200]))
    assert found.spread_of_all.tolist() == [0, 0]
    assert found.verdict.tolist() == ["stable", "off"] and found.exact.tolist() == [1, 1]
    (branch,) = found.branches
    assert (branch.elements, branch.of, branch.runs) == (1, 2, ("exact",))
    assert "np.where(np.arctan" in branch.source and branch.place.expression.endswith("> 0")
    assert "1 of 2 comparisons go another way at" in repr(found)


def test_a_scalar_branch_that_no_run_takes():
    def f(n):
        if np.arctan(n + 1) - np.arctan(n) > 0:
            return half(1)
        return half(2)

    found = stability.rerun(f, half(200))
    assert found.verdict == "off" and found.exact == 1 and found.whole
    assert "a comparison goes another way" in repr(found)
    assert stability.rerun(f, half(3)).branches == ()


def difference(x):
    """No run has one of large numbers."""
    return np.arctan(x + 1) - np.arctan(x)


@pytest.mark.parametrize(
    ("f", "index"),
    [
        (lambda x: x[np.argmax(difference(x))], 1),
        (lambda x: x[(-difference(x)).argmin()], 1),
        (lambda x: x[np.argsort(difference(x))[-1]], 1),
        (lambda x: x[int(1 - difference(x)[1])], 0),
        (lambda x: x[(1 - difference(x)).astype(int)][1], 0),
        (lambda x: x[int(np.any(difference(x) > 0))], 1),
        (lambda x: x[np.count_nonzero(difference(x)) - 2], 1),
        (lambda x: x[np.searchsorted(half([0, 1]), difference(x)[1], side="left")], 1),
    ],
)
def test_indices_are_chosen_by_shadows(f, index):
    """All differences are 0 in halves, whose least and largest is the first."""
    x = half([230, 200.5, 220])
    assert not difference(x).any()
    found = stability.rerun(f, x)
    assert found.exact == x[index]


def test_what_is_equal_but_for_the_last_bits_is_equal():
    """Shadows are not exact: of two that differ by what they are rounded by, halves decide."""

    def f(x):
        thirds = np.sin(x) / 3
        return np.where(thirds * 3 == np.sin(x), half(1), half(2)) * (thirds + thirds + thirds)

    x = half(np.linspace(0.1, 3, 200))
    is_equal = f(x) < 1.5 * np.sin(x)
    found = stability.rerun(f, x)
    assert is_equal.any() and not np.any(found.error[is_equal] > 16)


def test_loops_go_as_often_as_in_halves():
    """And inside of them elements are chosen by shadows."""

    def f(x):
        step, count, found = half(1), half(0), 0 * x
        while 1 + step != 1 and count < 20:
            found = np.where(x * x > Y, found + step, found)
            step, count = step / 2, count + 1
        return np.append(found, count)

    found = stability.rerun(f, X)
    assert found.exact[-1] == found.values["rte"][-1] == 11
    assert np.allclose(found.exact[:-1], np.where(IS_MORE, 2 - 2.0**-10, 0))
    assert {branch.source for branch in found.branches} >= {"while 1 + step != 1 and count < 20:"}


def test_loops_that_end_earlier_in_reals():
    def f(x):
        steps = half(0)
        while x * x - Y[1] <= 0 and steps < 5:
            steps = steps + 1
        return steps

    assert Y[1] < X[1].astype(float) ** 2
    found = stability.rerun(f, X[1])
    assert found.exact == found.values["rte"] == 5
    (branch,) = found.branches  # though Python compiles it twice
    assert branch.elements == branch.of == 6


def test_what_ends_a_loop_is_none_of_what_is_inside():
    def f(x):
        found = 0 * x
        for k in range(8):
            found = np.where(x * x > Y, found + 1, found)  # parts each time
            if (x * x)[1] * (k + 1) > Y[1] * 4:
                break
        return found

    found = stability.rerun(f, X)
    assert found.exact.tolist() == [5, 5, 0] and found.whole  # 4 loops would be enough in reals


def test_an_end_that_never_comes():
    """The run along the shadows' way is given up, and it is said that it was."""

    def f(x):
        while True:
            if x * x > Y[1]:
                return half(1)
            if int(x - x * x / Y[1]) == 0:
                return half(2)

    found = stability.rerun(f, X[1])
    assert found.exact is not None


def test_numbers_of_pythons_are_taken_of_what_decides():
    """Else a loop that they end would go on for ever where shadows choose what is in it."""

    def f(x):
        y = np.where(x * x > Y[1], x / 3, x / 7)
        return x * float(y)

    found = stability.rerun(f, X[1])
    assert np.isclose(found.exact, float(X[1]) ** 2 / 3, rtol=1e-9) and not found.whole

    def g(x, n):
        while float(x) > 0.5:
            x = np.where(difference(n) > 0, x * 1, x / 2)
        return x

    found = stability.rerun(g, half(1.1), half(200))  # in reals x stays what it is
    assert found.exact == float(half(1.1)) / 4  # as often as in half


def test_other_shapes_in_reals():
    def f(n):
        return n[np.arctan(n + 1) - np.arctan(n) <= 0]

    found = stability.rerun(f, half([3, 200]))
    assert found.shape == (1,) and not found.whole and "another shape" in found.reason


# ------------------------------------------------------------------ among the runs


def test_masks_that_runs_decide_otherwise():
    def f(x):
        mask = (x * x) / x > x
        return np.where(mask, x, x)

    x = half(np.linspace(0.1, 3, 64))
    found = stability.rerun(f, x, samples=4, rng=1)
    want = {}
    for mode in ("rte", "rtz", "rtp", "rtn"):
        with hc.rounding(mode):
            want[mode] = (x * x) / x > x
    differ = [mode for mode in want if (want[mode] != want["rte"]).any()]
    (branch,) = found.branches
    assert [run for run in branch.runs if run in want] == differ and differ
    assert branch.of == 64 and branch.elements >= max(
        (want[mode] != want["rte"]).sum() for mode in differ
    )
    assert branch.line == f.__code__.co_firstlineno + 1
    assert found.stable.all()  # whichever way it went


def test_comparisons_of_any_shape_and_step():
    """Strided, broadcast, transposed, reversed, of no axes and of none elements."""
    x = half(np.arange(24).reshape(4, 6))
    cases = [
        (x[:, ::2], x[::-1, 1::2]), (x.T, half(3)), (x[0], x[:, :1]), (x[:0], x[:0]),
        (half(np.array(1)), half(np.array(0))), (x.astype(">f2").astype(half), x + 1),
    ]  # fmt: skip
    for a, b in cases:
        truths = Truths(lambda frame: 0)
        Experiment("rtp", None, None, 0, truths.note).call(np.less, (a, b))
        want = np.less(np.asarray(a, float), np.asarray(b, float))
        sizes = truths.found[0].sizes if truths.found else []
        assert sum(sizes) == want.size
        count = int.from_bytes(truths.found[0].bits, "big").bit_count() if sizes else 0
        assert count == want.sum()


def test_float16_is_seen_while_numpy_is_accelerated():
    x = np.linspace(0, 1, 5, dtype=np.float16)
    long = np.linspace(0, 1, 5000, dtype=np.float16)
    with hc.accelerated():
        for array in (x, long):
            truths = Truths(lambda frame: 0)
            Experiment("rte", None, None, 0, truths.note).call(lambda a=array: a > 0.5, ())
            assert sum(truths.found[0].sizes) == array.size


def test_results_do_not_change_when_truths_are_heard():
    """Nor random ones: comparing tosses no coins."""

    def f(x):
        y = x / 3
        z = np.where(y > x / 7, y * y, y)
        return z / 3

    x = half(np.linspace(-3, 3, 500))
    for mode in ("rte", "rtp", "random"):
        plain = Experiment(mode, None, None, 5).call(f, (x,))
        heard = Experiment(mode, None, None, 5, Truths(lambda frame: 0).note).call(f, (x,))
        assert plain.tobytes() == heard.tobytes()


def test_an_error_of_the_listener_is_raised():
    def fail(truths):
        raise KeyError("from the listener")

    with pytest.raises(KeyError, match="listener"):
        Experiment("rte", None, None, 0, fail).call(np.less, (X, Y))


def test_what_the_listener_computes_is_not_told():
    told = []

    def hear(truths):
        told.append(bytes(truths))
        np.less(X, Y)

    Experiment("rte", None, None, 0, hear).call(np.less, (X, half(1)))
    assert told == [bytes([1, 0, 0])]
    np.less(X, Y)  # nor what comes after
    assert len(told) == 1


def test_regions_inside_and_threads():
    """An Experiment inside another hears alone; other threads are heard by none."""
    outer, inner = [], []

    def f():
        np.less(X, Y)
        Experiment("rte", None, None, 0, inner.append).call(np.less, (X[:1], Y[:1]))
        Experiment("rte").call(np.less, (X, Y))
        thread = threading.Thread(target=np.less, args=(X, Y))
        thread.start()
        thread.join()
        np.greater(X, Y)

    Experiment("rte", None, None, 0, outer.append).call(f, ())
    assert len(outer) == 2 and len(inner) == 1


def test_no_more_is_kept_than_is_said():
    truths = Truths(lambda frame: 0)
    for _ in range(3):
        truths.note(bytearray(MOST_BYTES * 3))
    assert len(truths.found[0].bits) <= MOST_BYTES


def test_parted_as_long_as_sizes_are_the_same():
    def noted(*arrays):
        truths = Truths(lambda frame: "here")
        for array in arrays:
            truths.note(bytearray(array))
        return truths.found

    runs = [
        ("rte", noted([1, 0, 0], [1] * 9, [0])),
        ("rtz", noted([1, 0, 1], [1] * 9)),
        ("rtp", noted([1, 1, 0], [0] * 8, [1])),
        ("rtn", noted([1, 0, 0], [1] * 9, [0], [1])),
    ]
    (found,) = parted(runs)
    assert (found.place, found.elements, found.of, found.runs) == ("here", 2, 13, ("rtz", "rtp"))
    assert parted(runs[:1]) == [] and parted([runs[0], ("rtn", {})]) == []


@pytest.mark.skipif(sys.version_info < (3, 11), reason="it names the part of a line")
def test_each_comparison_of_a_line_by_itself():
    def f(n):
        return np.select([n < 0, np.arctan(n + 1) - np.arctan(n) > 0], [n, half(1)], half(2))

    found = stability.rerun(f, half([3, 200]))
    (branch,) = found.branches
    assert branch.place.expression == "np.arctan(n + 1) - np.arctan(n) > 0"
    assert str(branch).endswith("> 0 (exact)")
