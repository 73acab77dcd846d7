"""Experiments are notified of operations on halves that make infinities and NaNs."""

import numpy as np
import pytest
from exhaustive import in_turn

import halfcl as hc
from halfcl import half
from halfcl._core import HALF_DTYPE, Experiment

FEW, MANY = 3, 9000
INF, NAN = np.inf, np.nan


@pytest.fixture(autouse=True)
def accelerated():
    with hc.accelerated(), np.errstate(all="ignore"):
        yield


def notes(function, *args, mode="rte", **options):
    """Return the notifications of operations whose operands are known."""
    every = []
    experiment = Experiment(mode, not_finite=lambda *note: every.append(note), **options)
    experiment.call(function, args)
    return [(name, [float(x) for x in operands], why) for name, operands, why in every if operands]


ORIGINS = {
    "add": (np.add, (60000, 60000), "overflow"),
    "subtract": (np.subtract, (INF, INF), "invalid"),
    "multiply": (np.multiply, (0, INF), "invalid"),
    "divide": (np.divide, (1, 0), "divide by zero"),
    "log": (np.log, (0,), "divide by zero"),
    "sqrt": (np.sqrt, (-1,), "invalid"),
    "exp": (np.exp, (12,), "overflow"),
    "acos": (np.arccos, (2,), "invalid"),
}


def arrays(operands, dtype, n, layout):
    """Return arrays whose element n // 2 has these operands; all others are 0.5."""
    result = []
    for operand in operands:
        step = 3 if layout == "strided" else 1
        array = np.full(n * step, 0.5, dtype)[::step]
        array[n // 2] = operand
        if layout == "swapped":
            array = array.astype(array.dtype.newbyteorder())
        if layout == "unaligned":
            moved = np.zeros(2 * n + 1, np.uint8)[1:].view(dtype)
            moved[:] = array
            array = moved
        result.append(array)
    return result


@in_turn
@pytest.mark.parametrize("layout", ["contiguous", "strided", "swapped", "unaligned"])
@pytest.mark.parametrize("n", [FEW, MANY])
@pytest.mark.parametrize("dtype", [np.float16, HALF_DTYPE], ids=["float16", "half"])
@pytest.mark.parametrize("name", ORIGINS)
def test_first_element_is_notified(name, dtype, n, layout):
    function, operands, why = ORIGINS[name]
    assert notes(function, *arrays(operands, dtype, n, layout)) == [(name, list(operands), why)]


@pytest.mark.parametrize("dtype", [np.float16, HALF_DTYPE], ids=["float16", "half"])
@pytest.mark.parametrize("name", ORIGINS)
def test_scalars_are_notified(name, dtype):
    function, operands, why = ORIGINS[name]
    scalars = [np.dtype(dtype).type(operand) for operand in operands]
    assert [note[1:] for note in notes(function, *scalars)] == [(list(operands), why)]


@pytest.mark.parametrize("of", [np.float16, half])
@pytest.mark.parametrize(
    ("operate", "operands", "why"),
    [
        (lambda a, b: a * b, (300, 300), "overflow"),
        (lambda a, b: a / b, (1, 0), "divide by zero"),
        (lambda a, b: a - b, (INF, INF), "invalid"),
        (lambda a, b: a**b, (300, 2), "overflow"),
        (lambda a, b: a + b, (65504, 65504), "overflow"),
        (lambda a, b: a // b, (60000, 0.01), "overflow"),
    ],
)
def test_operators_of_scalars_are_notified(of, operate, operands, why):
    (note,) = notes(operate, *map(of, operands))
    assert note[1] == [float(of(x)) for x in operands] and note[2] == why


def test_operands_are_those_before_an_operation_in_place():
    x = np.array([1, 300, 2], np.float16)
    assert notes(lambda: np.multiply(x, x, out=x)) == [("multiply", [300, 300], "overflow")]
    y = np.array([[1, 300], [2, 4]], HALF_DTYPE)
    assert notes(lambda: y.__imul__(np.array([2, 400], HALF_DTYPE))) == [
        ("multiply", [300, 400], "overflow")
    ]


def test_broadcast_and_selected_elements_are_notified():
    x, y = np.array([[1], [300]], HALF_DTYPE), np.array([1, 400], HALF_DTYPE)
    for function in (lambda: x * y, lambda: hc.multiply(x, y)):
        assert notes(function) == [("multiply", [300, 400], "overflow")]
    assert not notes(lambda: np.multiply(y, y, where=[True, False], out=np.zeros(2, HALF_DTYPE)))
    assert len(notes(lambda: np.multiply(y, y, where=[False, True], out=y.copy()))) == 1


CASTS = {
    "array: few": lambda t: np.array([1, -1e10]).astype(t),
    "array: many": lambda t: np.append(np.ones(MANY), -1e10).astype(t),
    "float32": lambda t: np.array([1, -1e10], np.float32).astype(t),
    "item": lambda t: np.zeros(3, t).__setitem__(0, -1e10),
    "item: float64": lambda t: np.zeros(3, t).__setitem__(0, np.float64(-1e10)),
    "class": lambda t: np.dtype(t).type(-1e10),
    "beside an array": lambda t: np.maximum(np.zeros(3, t), -1e10),
    "list": lambda t: np.array([1, -1e10], t),
    "fill": lambda t: np.zeros(3, t).fill(-1e10),
}


@pytest.mark.parametrize("casts", [False, True])
@pytest.mark.parametrize("dtype", [np.float16, HALF_DTYPE], ids=["float16", "half"])
@pytest.mark.parametrize("name", CASTS)
def test_casts_are_notified(name, dtype, casts):
    ((operation, operands, why),) = notes(CASTS[name], dtype, casts=casts)
    assert (operation, why) == ("cast", "overflow") and operands[0] == pytest.approx(-1e10)


def test_casts_of_integers_name_them():
    assert notes(lambda: np.array([1, 70000]).astype(np.float16))[0][1] == [70000]
    assert notes(lambda: np.float16(70000))[0][1] == [70000]


def test_casts_that_saturate_are_not_notified():
    for mode in ("rtz", "rtp"):  # -1e10 becomes -65504
        assert not notes(CASTS["array: few"], np.float16, mode=mode, casts=True)
        assert not notes(CASTS["class"], half, mode=mode)


@pytest.mark.parametrize("dtype", [np.float16, HALF_DTYPE], ids=["float16", "half"])
def test_infinities_and_nans_that_pass_on_are_not_notified(dtype):
    x = np.array([INF, -INF, NAN, 1], dtype)
    for function in (
        lambda: x + np.float16(1), lambda: x * 2, lambda: np.exp(x), lambda: np.sqrt(abs(x)),
        lambda: np.array([INF, NAN]).astype(dtype), lambda: np.full(3, NAN, dtype),
        lambda: np.maximum(x, 1), lambda: np.where(x > 0, x, 0), lambda: x.astype(float),
        lambda: np.log(np.ones(3, dtype)), lambda: x.view(np.float16).astype(np.float32),
        lambda: np.dtype(dtype).type("inf"),
    ):  # fmt: skip
        assert notes(function) == []


@pytest.mark.parametrize("dtype", [np.float16, HALF_DTYPE], ids=["float16", "half"])
def test_sums_and_products_are_notified_without_operands(dtype):
    x = np.full(40, 60000, dtype)
    every = []
    experiment = Experiment("rte", not_finite=lambda *note: every.append(note))
    functions = [lambda: x @ x, lambda: np.dot(x.reshape(4, 10), x.reshape(10, 4)), lambda: x.sum()]
    for function in functions:
        every.clear()
        experiment.call(function, ())
        assert every and {note[1:] for note in every} == {((), "overflow")}


def test_results_and_modes_are_unchanged():
    """Being watched changes no bit of a result."""
    rng = np.random.default_rng(5)
    x = rng.integers(0, 1 << 16, 2000, dtype=np.uint16).view(np.float16)
    for dtype in (np.float16, HALF_DTYPE):
        a, b = x[:1000].view(dtype), x[1000:].view(dtype)
        for function in (np.add, np.multiply, np.divide, np.exp, np.log, np.floor_divide, np.sin):
            operands = (a, b)[: function.nin]
            for mode in ("rte", "rtp", "random"):
                plain, watched = (
                    Experiment(mode, seed=3, not_finite=watch).call(function, operands)
                    for watch in (None, lambda *note: None)
                )
                assert plain.tobytes() == watched.tobytes()


def test_computations_of_the_callback_are_not_watched():
    calls = []

    def watch(*note):
        calls.append(note)
        np.log(np.zeros(4, np.float16))
        half(300) * half(300)

    Experiment("rte", not_finite=watch).call(lambda: np.log(np.zeros(4, np.float16)), ())
    assert [call[0] for call in calls if call[1]] == ["log"]


def test_error_of_the_callback_ends_the_run():
    def watch(*note):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        Experiment("rte", not_finite=watch).call(lambda: np.log(np.zeros(4, np.float16)), ())


def test_nothing_is_watched_outside():
    calls = []
    experiment = Experiment("rte", not_finite=lambda *note: calls.append(note))
    with experiment:
        with Experiment("rte"):
            np.log(np.zeros(2, np.float16))
        assert not calls
    np.log(np.zeros(2, np.float16))
    assert not calls
