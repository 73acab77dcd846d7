"""Numbers that become float16 or half by casts and stores, in Experiments that govern casts."""

import threading
import warnings
from contextvars import Context

import numpy as np
import pytest
from exhaustive import in_turn, one_in

import halfcl as hc
from halfcl._core import HALF_DTYPE, Experiment
from halfcl._numpy import acceleration

FEW, MANY = 3, 9000

#: Neither of these numbers is a half.
NUMBER, INTEGER = 0.1, 2049


def wide(n, dtype=np.float64):
    return (0.1 + np.arange(n) / 977).astype(dtype)


def target(dtype, n=40):
    return np.zeros(n, dtype)


def store(dtype, index, value, n=40):
    array = target(dtype, n)
    array[index] = value
    return array


def fill(dtype, value):
    array = target(dtype, 4)
    array.fill(value)
    return array


def in_place(function, dtype, *args):
    """Return an array that a function of NumPy has written to."""
    array = target(dtype, 4)
    function(array, *args)
    return array


def new_unaligned(dtype, n=40):
    return np.zeros(2 * n + 1, np.uint8)[1:].view(dtype)


def put_in(array, value, index=slice(None)):
    array[index] = value
    return array.astype(np.float64)


def added_into(dtype, n, stride=1):
    out = target(dtype, n * stride)[::stride]
    np.add(wide(n), wide(n), out=out, casting="same_kind")
    return out


def cast_complex(dtype):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        return wide(FEW).astype(complex).astype(dtype)


def put_in_field(dtype, value):
    array = np.zeros(3, [("a", dtype), ("b", int)])
    array["a"] = value
    return array["a"].copy()


def of_tuple(dtype):
    array = np.zeros(3, [("a", dtype), ("b", int)])
    array[0] = (NUMBER, 1)
    return array["a"].copy()


MASK = np.array([True, False, True, True])

STORES = {
    "item: float": lambda t: store(t, 1, NUMBER),
    "item: int": lambda t: store(t, 1, INTEGER),
    "item: float64": lambda t: store(t, 1, np.float64(NUMBER)),
    "item: float32": lambda t: store(t, 1, np.float32(NUMBER)),
    "item: longdouble": lambda t: store(t, 1, np.longdouble(NUMBER)),
    "item: int64": lambda t: store(t, 1, np.int64(INTEGER)),
    "item: 0-d": lambda t: store(t, 1, np.array(NUMBER)),
    "0-d": lambda t: put_in(np.zeros((), t), NUMBER, ()),
    "0-d: float64": lambda t: put_in(np.zeros((), t), np.float64(NUMBER), ...),
    "slice: few": lambda t: store(t, slice(None), wide(FEW), FEW),
    "slice: many": lambda t: store(t, slice(None), wide(MANY), MANY),
    "slice: strided": lambda t: store(t, slice(None, None, 3), wide(2 * MANY)[::6], MANY),
    "slice: float": lambda t: store(t, slice(None), NUMBER),
    "slice: list": lambda t: store(t, slice(None), [0.1, 0.2, 0.3], 3),
    "swapped": lambda t: put_in(target(np.dtype(t).newbyteorder()), wide(40)),
    "swapped: float": lambda t: put_in(target(np.dtype(t).newbyteorder()), NUMBER, 3),
    "unaligned": lambda t: put_in(new_unaligned(t), wide(40)),
    "unaligned: float": lambda t: put_in(new_unaligned(t), NUMBER, 3),
    "astype: few": lambda t: wide(FEW).astype(t),
    "astype: many": lambda t: wide(MANY).astype(t),
    "astype: float32": lambda t: wide(MANY, np.float32).astype(t),
    "astype: longdouble": lambda t: wide(MANY, np.longdouble).astype(t),
    "astype: int16": lambda t: np.arange(2040, 2080, dtype=np.int16).astype(t),
    "astype: swapped": lambda t: wide(40, ">f8").astype(t),
    "astype: complex": cast_complex,
    "astype: object": lambda t: wide(FEW).astype(object).astype(t),
    "astype: scalar": lambda t: np.float64(NUMBER).astype(t),
    "class: float": lambda t: np.dtype(t).type(NUMBER),
    "class: int": lambda t: np.dtype(t).type(INTEGER),
    "class: float64": lambda t: np.dtype(t).type(np.float64(NUMBER)),
    "class: array": lambda t: np.dtype(t).type(wide(FEW)),
    "array: list": lambda t: np.array([0.1, 0.2], t),
    "array: nested": lambda t: np.array([[0.1, np.float64(0.2)], [np.float32(0.3), 1]], t),
    "array: wide": lambda t: np.array(wide(MANY), t),
    "asarray": lambda t: np.asarray(wide(FEW), dtype=t),
    "full": lambda t: np.full(5, NUMBER, t),
    "full_like": lambda t: np.full_like(target(t), np.float64(NUMBER)),
    "linspace": lambda t: np.linspace(0, 1, 7, dtype=t),
    "arange": lambda t: np.arange(0, 1, 0.1, dtype=t),
    "fromiter": lambda t: np.fromiter(iter([0.1, 0.2]), t),
    "out=: few": lambda t: added_into(t, FEW),
    "out=: many": lambda t: added_into(t, MANY),
    "out=: strided": lambda t: added_into(t, MANY, 3),
    "sum": lambda t: np.sum(wide(40), dtype=t),
    "mean": lambda t: np.mean(wide(40), dtype=t),
    "beside an array": lambda t: np.maximum(target(t), NUMBER),
    "beside an array: many": lambda t: np.maximum(target(t, MANY), NUMBER),
    "beside an array: where=": lambda t: np.maximum(
        target(t, 4), NUMBER, where=MASK, out=target(t, 4)
    ),
    "beside an array: axes": lambda t: np.maximum(target(t, 6).reshape(3, 2).T, NUMBER),
    "beside an array: int": lambda t: np.maximum(target(t), INTEGER),
    "beside a scalar": lambda t: np.dtype(t).type(0) + NUMBER,
    "in place": lambda t: in_place(np.ndarray.__iadd__, t, wide(4)),
    "mask": lambda t: store(t, MASK, wide(3), 4),
    "mask: float": lambda t: store(t, MASK, NUMBER, 4),
    "indices": lambda t: store(t, [0, 2], wide(2)),
    "indices: float": lambda t: store(t, [0, 2], NUMBER),
    "flat": lambda t: in_place(lambda y: y.flat.__setitem__(1, NUMBER), t),
    "fill": lambda t: fill(t, NUMBER),
    "fill: float64": lambda t: fill(t, np.float64(NUMBER)),
    "copyto": lambda t: in_place(np.copyto, t, wide(4)),
    "copyto: float": lambda t: in_place(np.copyto, t, NUMBER),
    "put": lambda t: in_place(np.put, t, [0, 1], [0.1, 0.2]),
    "where": lambda t: np.where(MASK, target(t, 4), NUMBER),
    "where: cast": lambda t: np.where(MASK, wide(4), 0.3).astype(t),
    "field": lambda t: put_in_field(t, wide(3)),
    "field: float": lambda t: put_in_field(t, NUMBER),
    "field: tuple": of_tuple,
    "add.at": lambda t: in_place(np.add.at, t, [0, 1], wide(2)),
    "concatenate": lambda t: np.concatenate([wide(2)] * 2, dtype=t, casting="same_kind"),
    "nan_to_num": lambda t: np.nan_to_num(np.array([np.nan, 1], t), nan=NUMBER),
    "clip": lambda t: np.clip(np.array([0, 1, 2], t), NUMBER, 1.3),
    "masked array": lambda t: np.ma.array(wide(4), mask=MASK, dtype=t).filled(0),
    "vectorize": lambda t: np.vectorize(lambda x: x / 3, otypes=[t])(wide(4)),
}  # fmt: skip

#: Where runs that ask for modes round each addition, as they do without stores.
SUMS = ("sum", "mean")

#: Stores of numbers that are halves.
EXACT = {
    "item: float": lambda t: store(t, 1, 0.5),
    "item: int": lambda t: store(t, 1, 2048),
    "item: infinity": lambda t: store(t, 1, -np.inf),
    "item: nan": lambda t: store(t, 1, np.nan),
    "item: float64": lambda t: store(t, 1, np.float64(0.5)),
    "astype": lambda t: np.arange(2048.0).astype(t),
    "astype: empty": lambda t: np.zeros(0).astype(t),
    "astype: bool": lambda t: MASK.astype(t),
    "array": lambda t: np.array([1, 0.25, 3], t),
}


@pytest.fixture(autouse=True)
def accelerated():
    with hc.accelerated(), np.errstate(all="ignore"):
        yield


def run(store, dtype, mode="rte", **options):
    """Return what a store makes in an Experiment, as bits."""
    result = Experiment(mode, casts=True, **options).call(store, (dtype,))
    return np.asarray(result).astype(np.float64)


both_types = pytest.mark.parametrize("dtype", [np.float16, HALF_DTYPE], ids=["float16", "half"])
each_store = pytest.mark.parametrize("name", STORES)


@in_turn
@both_types
@each_store
def test_store_follows_the_mode(name, dtype):
    down, up, nearest = (run(STORES[name], dtype, mode) for mode in ("rtn", "rtp", "rte"))
    assert np.all(down <= nearest) and np.all(nearest <= up) and np.any(down < up)
    if name not in SUMS:  # neighbours
        halves = down.astype(np.float16).view(np.int16), up.astype(np.float16).view(np.int16)
        assert np.all(halves[1] - halves[0] <= 1) and np.all(down[down < up] >= 0)


@one_in(3)
@in_turn
@both_types
@each_store
def test_store_asks_for_its_mode(name, dtype):
    asked = []

    def decide():
        asked.append(1)
        return "rtp"

    assert np.array_equal(run(STORES[name], dtype, "rtp"), run(STORES[name], dtype, decide=decide))
    assert asked


@one_in(3)
@in_turn
@both_types
@each_store
def test_store_rounds_at_random(name, dtype):
    results = {run(STORES[name], dtype, "random", seed=k).tobytes() for k in range(16)}
    assert len(results) > 1
    low, high = (run(STORES[name], dtype, mode) for mode in ("rtn", "rtp"))
    assert all(np.all(low <= np.frombuffer(one).reshape(low.shape)) for one in results)
    assert all(np.all(np.frombuffer(one).reshape(low.shape) <= high) for one in results)


@pytest.mark.parametrize("name", EXACT)
def test_exact_store_asks_nothing(name):
    asked = []

    def decide():
        asked.append(1)
        return "rtp"

    plain = EXACT[name](np.float16).astype(np.float64)
    assert np.array_equal(run(EXACT[name], np.float16, decide=decide), plain, equal_nan=True)
    assert not asked


#: Stores of which halfcl computes nothing itself outside of Experiments.
NUMPYS = [
    name
    for name in STORES
    if name not in (*SUMS, "arange", "beside a scalar", "in place", "add.at", "clip")
]


@in_turn
@pytest.mark.parametrize("region", ["rounding", "Experiment"])
@pytest.mark.parametrize("name", NUMPYS)
def test_store_is_to_nearest_in_other_regions(name, region):
    """Regions do not govern NumPy's casts to float16, nor do Experiments that do not ask for it."""
    nearest = np.asarray(STORES[name](np.float16))
    watching = Experiment("rte", casts=True)  # its existence changes nothing
    with hc.rounding("rtp") if region == "rounding" else Experiment("rtp"):
        assert np.array_equal(np.asarray(STORES[name](np.float16)), nearest)
    del watching


@pytest.mark.parametrize("name", NUMPYS)
def test_experiment_governs_stores_in_regions_inside(name):
    def inside(dtype):
        with hc.rounding("rtn"):
            return STORES[name](dtype)

    assert np.array_equal(run(inside, np.float16, "rtp"), run(STORES[name], np.float16, "rtp"))


def test_restored_numpy_stores_to_nearest():
    with Experiment("rtp", casts=True):
        assert float(np.float16(NUMBER)) > NUMBER
        hc.decelerate()
        try:
            assert float(np.float16(NUMBER)) < NUMBER
            assert float(np.full(MANY, NUMBER).astype(np.float16)[0]) < NUMBER
        finally:
            hc.accelerate()
        assert float(np.float16(NUMBER)) > NUMBER
    hc.decelerate()


def test_stores_in_effect_are_checked(monkeypatch):
    assert acceleration.do_stores_follow_experiments()
    hc.decelerate()
    assert not acceleration.do_stores_follow_experiments()
    monkeypatch.setattr(acceleration, "_ineffective", None)
    monkeypatch.setattr(acceleration, "_STORES", (lambda: np.float16(0.5),))
    with pytest.warns(RuntimeWarning, match="expected stability tests to round numbers"):
        hc.accelerate()
    hc.decelerate()


def test_other_contexts_store_to_nearest():
    results = []

    def work():
        results.append(wide(MANY).astype(np.float16))

    with Experiment("rtp", casts=True):
        thread = threading.Thread(target=Context().run, args=(work,))
        thread.start()
        thread.join()
        assert np.any(results[0] < wide(MANY).astype(np.float16))


def test_overflow_of_stores_is_reported():
    for one in (lambda: store(np.float16, 0, 1e6), lambda: np.full(FEW, 1e6).astype(np.float16)):
        for mode, result in (("rtp", np.inf), ("rtz", 65504)):
            with np.errstate(over="raise"), pytest.raises(FloatingPointError, match="in cast"):
                Experiment(mode, casts=True).call(one, ())
            with np.errstate(over="ignore"):
                assert Experiment(mode, casts=True).call(one, ())[0] == result


def test_errors_of_stores_are_numpys():
    with Experiment("rtp", casts=True):
        with pytest.raises(ValueError, match="sequence"):
            target(np.float16)[0] = [1.0, 2.0]
        with pytest.raises((TypeError, ValueError)):
            target(np.float16)[0] = "word"
        with pytest.raises(TypeError):
            target(np.float16)[0] = object()


def test_error_in_decide_ends_the_run():
    def decide():
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        Experiment("rte", decide, casts=True).call(lambda: wide(MANY).astype(np.float16), ())


def test_what_decide_stores_rounds_to_nearest():
    seen = []

    def decide():
        seen.append(np.float16(NUMBER))
        return "rtp"

    number = Experiment("rte", decide, casts=True).call(lambda: np.float16(NUMBER), ())
    assert float(number) > NUMBER > float(seen[0])
