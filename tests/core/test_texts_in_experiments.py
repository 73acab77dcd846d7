"""Texts and single numbers that become float16 or half in Experiments that govern casts."""

import io
import threading
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import halfcl as hc
from halfcl import half
from halfcl._core import Experiment

STRING = np.dtypes.StringDType()


def read_text_file(text, dtype, tmp_path):
    path = tmp_path / "numbers.txt"
    path.write_text(text, encoding="ascii")
    return np.fromfile(path, dtype, sep=" ")


def store(dtype, value):
    array = np.zeros(1, dtype)
    array[0] = value
    return array


#: Ways by which a text becomes a number of a type: functions of both, and of a folder.
TEXTS = {
    "scalar": lambda t, d, _: np.dtype(d).type(t),
    "bytes": lambda t, d, _: np.dtype(d).type(t.encode()),
    "np.str_": lambda t, d, _: np.dtype(d).type(np.str_(t)),
    "list": lambda t, d, _: np.array([t], d),
    "store": lambda t, d, _: store(d, t),
    "full": lambda t, d, _: np.full(2, t, d),
    "U": lambda t, d, _: np.array([t, "1"]).astype(d)[:1],
    "S": lambda t, d, _: np.array([t.encode()]).astype(d),
    "swapped": lambda t, d, _: np.array([[t], [t]], ">U9").astype(np.dtype(d).newbyteorder(">")),
    "strided": lambda t, d, _: np.array([t, "1", "2"])[::-2].astype(d)[1:],
    "StringDType": lambda t, d, _: np.array([t], STRING).astype(d),
    "objects": lambda t, d, _: np.array([t], object).astype(d),
    "field": lambda t, d, _: np.array([(t, 1)], "U9,i4").astype([("a", d), ("b", int)])["a"],
    "fromstring": lambda t, d, _: np.fromstring(t, d, sep=" "),
    "fromfile": read_text_file,
    "loadtxt": lambda t, d, _: np.loadtxt(io.StringIO(t), dtype=d),
    "genfromtxt": lambda t, d, _: np.genfromtxt(io.StringIO(t), dtype=d),
}  # fmt: skip

#: Ways by which 0.1 becomes a half without a text.
NUMBERS = {
    "scalar": lambda d: np.dtype(d).type(0.1),
    "of float64": lambda d: np.float64(0.1).astype(d),
    "of float32": lambda d: np.dtype(d).type(np.float32(0.1)),
    "list": lambda d: np.array([0.1, 0.1], d),
    "store": lambda d: store(d, 0.1),
    "fill": lambda d: np.full((2, 2), 0.1, d),
    "Fraction": lambda d: np.array([Fraction(1, 10)], d),
    "Decimal": lambda d: np.array([Decimal("0.1")], d),
    "operand": lambda d: np.zeros(2, d) + 0.1,
    "operand of scalar": lambda d: np.dtype(d).type(0) + 0.1,
}


@pytest.fixture(autouse=True)
def accelerate():
    with hc.accelerated():
        yield


def values(function, *args):
    return set(np.ravel(function(*args)).astype(float).tolist())


@pytest.mark.parametrize("dtype", [np.float16, half])
@pytest.mark.parametrize("way", TEXTS)
def test_texts_follow_the_mode_and_ask(way, dtype, tmp_path):
    call = TEXTS[way]
    low, high = 0.0999755859375, 0.10003662109375  # halves next to 0.1
    expected = {"rte": low, "rtz": low, "rtn": low, "rtp": high}
    for mode, value in expected.items():
        experiment = Experiment(mode, casts=True)
        assert experiment.call(lambda: values(call, "0.1", dtype, tmp_path), ()) == {value}, mode
    asked = []
    experiment = Experiment("rte", lambda: asked.append(1) or "rtp", casts=True)
    assert experiment.call(lambda: values(call, "0.1", dtype, tmp_path), ()) == {high} and asked
    asked.clear()
    experiment = Experiment("rte", lambda: asked.append(1) or "rtp", casts=True)
    assert experiment.call(lambda: values(call, "0.5", dtype, tmp_path), ()) == {0.5}
    assert not asked or dtype is half


def test_equal_numbers_stay_equal_in_random_modes(tmp_path):
    """In all threads, and in another direction in other runs."""
    directions = []
    for seed in range(24):
        results = []

        def run(results=results):
            for dtype in (np.float16, half):
                for call in NUMBERS.values():
                    results.append(values(call, dtype))
                for call in TEXTS.values():
                    results.append(values(call, "0.1", dtype, tmp_path))

        Experiment("random", seed=seed, casts=True).call(run, ())
        thread_seed = seed + (3 << 32)  # the seed of a program's third thread
        Experiment("random", seed=thread_seed, casts=True).call(run, ())
        assert len(set().union(*results)) == 1
        directions.append(results[0].pop() > 0.1)
    assert 6 < sum(directions) < 18


def test_direction_depends_on_the_number():
    numbers = np.random.default_rng(1).uniform(1, 2, 400).tolist()
    down = np.array(
        Experiment("rtn", casts=True).call(lambda: [np.float16(x) for x in numbers], ())
    )
    one, other = (
        np.array(Experiment("random", seed=seed, casts=True).call(
            lambda: [np.float16(x) for x in numbers], ()))
        for seed in (1, 2)
    )  # fmt: skip
    assert 150 < np.count_nonzero(one == down) < 250
    assert 150 < np.count_nonzero(one == other) < 250


def test_arrays_of_numbers_are_rounded_element_by_element():
    experiment = Experiment("random", seed=1, casts=True)
    cast = experiment.call(lambda: np.full(200, 0.1).astype(np.float16), ())
    assert 60 < np.count_nonzero(cast > 0.1) < 140


def test_decided_directions_of_numbers():
    """With `numbers` equal numbers are equal whatever `decide` alternates, -1 is opposite."""
    numbers = [0.1, 0.3, 0.7, 1.1, 2.3, "0.9", Fraction(1, 3)] * 2

    def run(sign, answer=None):
        modes = iter(["rtn", "rtp"] * 99)
        decide = (lambda: answer) if answer else lambda: next(modes)
        experiment = Experiment("rte", decide, casts=True, numbers=sign)
        return experiment.call(
            lambda: [float(t(x)) for t in (np.float16, half) for x in numbers], ()
        )

    one, other, alternating = run(1), run(-1), run(0)
    assert one[:7] == one[7:14] == one[14:21] == one[21:] and alternating[:7] != alternating[7:14]
    for a, b, x in zip(one, other, numbers * 2, strict=True):
        assert min(a, b) < float(x) < max(a, b)
    assert run(1, "rte") == [float(np.float16(float(x))) for x in numbers] * 2
    assert all(y <= float(x) for y, x in zip(run(1, "rtz"), numbers * 2, strict=True))


def test_exact_numbers_decide_nothing():
    experiment = Experiment("random", seed=1, casts=True)
    call = lambda: [np.float16("0.5"), half(0.25), np.array(["3"]).astype("f2"), np.float16(7)]  # noqa: E731
    experiment.call(call, ())
    assert not experiment.tossed
    experiment.call(lambda: np.float16("0.1"), ())
    assert experiment.tossed


#: Texts whose results and errors are NumPy's own.
ODD = ["inf", "-Infinity", "nan", "1_0.5", " 3.1 ", "x", "", "0x10", "1e400", "-1e-400", "70000"]


@pytest.mark.parametrize("text", ODD)
@pytest.mark.parametrize(
    "way",
    [
        np.float16,
        lambda t: np.array([t]).astype("f2"),
        lambda t: np.array([t], STRING).astype("f2"),
    ],
)
def test_odd_texts_have_the_results_and_errors_of_numpy(way, text):
    def run():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                result = repr(TEXTS[way](text, "f2", None))
            except Exception as error:
                result = repr(error)
        return result, [str(each.message) for each in caught]

    with hc.accelerated():
        inside = Experiment("rte", casts=True).call(run, ())
    hc.decelerate()
    assert inside == run()


def test_missing_strings_and_many_dimensions():
    missing = np.array([["0.1", None], ["0.3", "0.1"]], np.dtypes.StringDType(na_object=None))
    with pytest.raises(ValueError, match="missing data"):
        Experiment("rtp", casts=True).call(lambda: missing.astype("f2"), ())
    table = np.array([["0.1", "0.3"], ["nan", "-0.1"]], STRING)
    cast = Experiment("rtp", casts=True).call(lambda: table.astype("f2"), ())
    assert (cast[0] > [0.1, 0.3]).all() and np.isnan(cast[1, 0]) and float(cast[1, 1]) > -0.1
    empty = np.empty((0, 3), "U4")
    assert Experiment("rtp", casts=True).call(lambda: empty.astype("f2"), ()).shape == (0, 3)


def test_overflow_of_a_text_is_watched():
    seen = []
    experiment = Experiment("rte", casts=True, not_finite=lambda *each: seen.append(each))
    with np.errstate(all="ignore"):
        experiment.call(lambda: (np.array(["7e4"]).astype("f2"), np.float16("1e10")), ())
    assert seen[:2] == [("cast", (7e4,), "overflow"), ("cast", (1e10,), "overflow")]


def test_texts_outside_experiments_round_to_nearest(tmp_path):
    """Also in regions, and in threads while an Experiment is active in another one."""
    experiment, results = Experiment("rtp", casts=True), []

    def others():
        with hc.rounding("rtp"):
            for call in TEXTS.values():
                results.append(values(call, "0.1", np.float16, tmp_path))

    def run():
        thread = threading.Thread(target=others)
        thread.start()
        thread.join()

    experiment.call(run, ())
    assert set().union(*results) == {0.0999755859375} and len(results) == len(TEXTS)
