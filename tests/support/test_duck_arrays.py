"""Test arrays that consist of several: their base, and NumPy's structural functions on them."""

import copy
import inspect

import numpy as np
import pytest
from exhaustive import in_turn, one_in

import halfcl as hc
from halfcl import safe
from halfcl._support.duck_arrays.base import DuckArray
from halfcl._support.duck_arrays.structural import STRUCTURAL
from halfcl.interval import DecoratedInterval, Interval
from halfcl.interval._arrays.truth import sides_of
from halfcl.interval._formulas import doubles, jets
from halfcl.stability._enclosures.undecided import Undecided, Unproven
from halfcl.stability._shadow.branches import NoShadowError
from halfcl.stability._shadow.values import Shadow, as_shadow

SHAPES = [(), (0,), (4,), (1, 4), (2, 3), (3, 0), (2, 2, 2)]


def halves(rng, shape):
    return (rng.integers(1, 64, shape) / 8).astype(hc.half)


def make_interval(rng, shape):
    low = halves(rng, shape)
    return Interval(low, low + halves(rng, shape))


def make_decorated(rng, shape):
    x = make_interval(rng, shape)
    return DecoratedInterval(x.inf, x.sup, rng.choice([4, 8, 12, 16], shape))


def make_tracked(rng, shape):
    return safe.track(halves(rng, shape)) * 1.1


def make_shadow(rng, shape):
    return as_shadow(halves(rng, shape)) * 0.1


def make_undecided(rng, shape):
    possible = np.array(rng.integers(0, 4, shape) > 0)
    certain = possible & (rng.integers(0, 2, shape) > 0)
    return Undecided.of(certain, possible, "less")


def sides(x):
    return tuple(map(np.asarray, sides_of(x)))


#: For each class: a function that makes one, its arrays, and those of the number 1.
CLASSES = {
    "Interval": (make_interval, lambda x: x._arrays, (1, 1)),
    "DecoratedInterval": (make_decorated, lambda x: x._arrays, (1, 1, 16)),
    "Tracked": (make_tracked, lambda x: (x._value, x._enclosure.lo, x._enclosure.hi), (1, 1, 1)),
    "Shadow": (make_shadow, lambda x: (x.value, *x.pair), (1, 1.0, 0.0)),
    "Undecided": (make_undecided, sides, (True, True)),
}

#: Calls of structural functions of two arrays of one shape, a mask, and a number.
CALLS = {
    "reshape": [lambda x, y, m, n: np.reshape(x, -1), lambda x, y, m, n: np.reshape(x, (-1,), "F")],
    "ravel": [lambda x, y, m, n: np.ravel(x), lambda x, y, m, n: np.ravel(x, order="F")],
    "transpose": [lambda x, y, m, n: np.transpose(x), lambda x, y, m, n: np.permute_dims(x)],
    "matrix_transpose": [lambda x, y, m, n: np.matrix_transpose(x),
                         lambda x, y, m, n: np.linalg.matrix_transpose(x)],
    "swapaxes": [lambda x, y, m, n: np.swapaxes(x, 0, -1)],
    "moveaxis": [lambda x, y, m, n: np.moveaxis(x, -1, 0)],
    "rollaxis": [lambda x, y, m, n: np.rollaxis(x, np.ndim(x) - 1)],
    "squeeze": [lambda x, y, m, n: np.squeeze(x), lambda x, y, m, n: np.squeeze(x, axis=0)],
    "expand_dims": [lambda x, y, m, n: np.expand_dims(x, axis=0)],
    "broadcast_to": [lambda x, y, m, n: np.broadcast_to(x, (2, *np.shape(m)))],
    "take": [lambda x, y, m, n: np.take(x, [0, 1]),
             lambda x, y, m, n: np.take(x, 0, -1, mode="wrap"),
             lambda x, y, m, n: np.take(x, [5, 0], 0, None, "clip")],
    "take_along_axis": [lambda x, y, m, n: np.take_along_axis(x, np.asarray(m).astype(int), -1)],
    "compress": [lambda x, y, m, n: np.compress(np.ravel(m), x)],
    "extract": [lambda x, y, m, n: np.extract(m, x)],
    "repeat": [lambda x, y, m, n: np.repeat(x, 2), lambda x, y, m, n: np.repeat(x, 3, axis=0)],
    "tile": [lambda x, y, m, n: np.tile(x, (2, 2))],
    "roll": [lambda x, y, m, n: np.roll(x, 1), lambda x, y, m, n: np.roll(x, -1, axis=0)],
    "rot90": [lambda x, y, m, n: np.rot90(x), lambda x, y, m, n: np.rot90(x, k=3)],
    "flip": [lambda x, y, m, n: np.flip(x), lambda x, y, m, n: np.flip(x, axis=-1)],
    "fliplr": [lambda x, y, m, n: np.fliplr(x)],
    "flipud": [lambda x, y, m, n: np.flipud(x)],
    "split": [lambda x, y, m, n: np.split(x, 2), lambda x, y, m, n: np.split(x, [1], axis=-1)],
    "array_split": [lambda x, y, m, n: np.array_split(x, 3)],
    "hsplit": [lambda x, y, m, n: np.hsplit(x, [1])],
    "vsplit": [lambda x, y, m, n: np.vsplit(x, [1])],
    "dsplit": [lambda x, y, m, n: np.dsplit(x, [1])],
    "unstack": [lambda x, y, m, n: np.unstack(x), lambda x, y, m, n: np.unstack(x, axis=-1)],
    "delete": [lambda x, y, m, n: np.delete(x, 0), lambda x, y, m, n: np.delete(x, [0], axis=-1)],
    "diagonal": [lambda x, y, m, n: np.diagonal(x, 1), lambda x, y, m, n: np.linalg.diagonal(x)],
    "diag": [lambda x, y, m, n: np.diag(x, k=1)],
    "diagflat": [lambda x, y, m, n: np.diagflat(x)],
    "tril": [lambda x, y, m, n: np.tril(x, -1)],
    "triu": [lambda x, y, m, n: np.triu(x, k=1)],
    "copy": [lambda x, y, m, n: np.copy(x), lambda x, y, m, n: np.copy(x, order="F")],
    "resize": [lambda x, y, m, n: np.resize(x, (3, 3))],
    "sliding_window_view": [lambda x, y, m, n: np.lib.stride_tricks.sliding_window_view(x, 2, -1)],
    "insert": [lambda x, y, m, n: np.insert(x, 0, n), lambda x, y, m, n: np.insert(x, [0], n, -1),
               lambda x, y, m, n: np.insert(np.ravel(x), 0, values=np.ravel(y))],
    "append": [lambda x, y, m, n: np.append(x, y), lambda x, y, m, n: np.append(x, y, axis=0)],
    "pad": [lambda x, y, m, n: np.pad(x, 1), lambda x, y, m, n: np.pad(x, (0, 2), "edge"),
            lambda x, y, m, n: np.pad(x, 1, constant_values=n),
            lambda x, y, m, n: np.pad(x, 1, mode="wrap")],
    "where": [lambda x, y, m, n: np.where(m, x, y), lambda x, y, m, n: np.where(m, n, x)],
    "select": [lambda x, y, m, n: np.select([m, m], [x, y]),
               lambda x, y, m, n: np.select([m], [x], default=n)],
    "choose": [lambda x, y, m, n: np.choose(np.asarray(m).astype(int), [x, y]),
               lambda x, y, m, n: np.choose(np.asarray(m).astype(int), (x, y), mode="clip")],
    "full_like": [lambda x, y, m, n: np.full_like(x, n),
                  lambda x, y, m, n: np.full_like(x, n, None),
                  lambda x, y, m, n: np.full_like(x, fill_value=n, shape=(2, 1))],
    "zeros_like": [lambda x, y, m, n: np.zeros_like(x), lambda x, y, m, n: np.zeros_like(a=x)],
    "concatenate": [lambda x, y, m, n: np.concatenate([x, y]),
                    lambda x, y, m, n: np.concat((x, y, x), -1),
                    lambda x, y, m, n: np.concatenate([x, y], axis=None),
                    lambda x, y, m, n: np.concatenate([x, y], -1, casting="same_kind")],
    "stack": [lambda x, y, m, n: np.stack([x, y]), lambda x, y, m, n: np.stack((x, y), axis=-1)],
    "hstack": [lambda x, y, m, n: np.hstack([x, y])],
    "vstack": [lambda x, y, m, n: np.vstack([x, y])],
    "dstack": [lambda x, y, m, n: np.dstack([x, y])],
    "column_stack": [lambda x, y, m, n: np.column_stack([x, y])],
    "block": [lambda x, y, m, n: np.block([x, y]), lambda x, y, m, n: np.block([[x, y], [y, x]])],
    "broadcast_arrays": [lambda x, y, m, n: np.broadcast_arrays(x, np.expand_dims(y, 0))],
    "atleast_1d": [lambda x, y, m, n: np.atleast_1d(x)],
    "atleast_2d": [lambda x, y, m, n: np.atleast_2d(x, y)],
    "atleast_3d": [lambda x, y, m, n: np.atleast_3d(x, y)],
    "meshgrid": [lambda x, y, m, n: np.meshgrid(x, y),
                 lambda x, y, m, n: np.meshgrid(x, y, indexing="ij", copy=False)],
    "copyto": [lambda x, y, m, n: np.copyto(x, y), lambda x, y, m, n: np.copyto(x, n, where=m)],
    "put": [lambda x, y, m, n: np.put(x, [0, -1], y)],
    "place": [lambda x, y, m, n: np.place(x, m, np.ravel(y))],
    "putmask": [lambda x, y, m, n: np.putmask(x, m, y)],
    "put_along_axis": [
        lambda x, y, m, n: np.put_along_axis(x, np.asarray(m).astype(int), y, -1)],
    "fill_diagonal": [lambda x, y, m, n: np.fill_diagonal(x, n)],
}  # fmt: skip
#: What truths refuse, which are read-only, and not numbers.
_READ_ONLY = {"copyto", "put", "place", "putmask", "put_along_axis", "fill_diagonal"}
_OF_NUMBERS = {"zeros_like", "select"}


def outcome(call, *arguments):
    """Return what a call returns as a list, or the type of its error."""
    try:
        result = call(*arguments)
    except Exception as error:
        return type(error)
    return list(result) if isinstance(result, list | tuple) else [result]


def equal(one, other):
    one, other = np.asarray(one), np.asarray(other)
    return one.shape == other.shape and np.array_equal(one, other)


@one_in(3)
@in_turn
@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("name", CALLS)
def test_structural_functions_treat_every_class_as_its_arrays(name, kind):
    if kind == "Undecided" and name in _READ_ONLY | _OF_NUMBERS:
        pytest.skip("tested below")
    if name == "unstack" and not hasattr(np, "unstack"):
        pytest.skip("NumPy 2.1 and later")
    make, arrays_of, number = CLASSES[kind]
    rng = np.random.default_rng(sorted(CALLS).index(name))
    for shape in SHAPES:
        for call in CALLS[name]:
            x, y = make(rng, shape), make(rng, shape)
            mask = np.array(rng.integers(0, 2, shape)) > 0
            if name in _READ_ONLY and not shape:
                continue  # scalars stand for arrays without axes
            copies = [np.array(part) for part in arrays_of(x)]
            parts_of_all = zip(copies, arrays_of(y), number, strict=True)
            expected = [outcome(call, part, other, mask, n) for part, other, n in parts_of_all]
            one = Interval(1) if kind == "Interval" else DecoratedInterval("1_com")
            actual = outcome(call, x, y, mask, one if "Interval" in kind else number[0])
            if isinstance(expected[0], type):
                assert isinstance(actual, type), (shape, actual)
                continue
            assert not isinstance(actual, type), (shape, actual, expected[0])
            if name in _READ_ONLY:
                actual, expected = [x], [[part] for part in copies]
            assert len(actual) == len(expected[0])
            for item, *parts in zip(actual, *expected, strict=True):
                if kind == "DecoratedInterval":  # zeros that NumPy fills in get their decoration
                    parts[2] = np.where(parts[2] == 0, 16, parts[2])
                if not np.isscalar(item):
                    assert all(map(equal, arrays_of(item), parts)), (shape, item, parts)


def test_table_has_calls_for_all_functions():
    names = {function.__name__ for function in STRUCTURAL}
    assert names - {"ones_like", "empty_like"} == CALLS.keys() - (
        set() if hasattr(np, "unstack") else {"unstack"}
    )


@pytest.mark.parametrize("function", STRUCTURAL, ids=lambda function: function.__name__)
def test_table_has_numpys_parameters(function):
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        pytest.skip("this version of NumPy states no signature")
    row = STRUCTURAL[function]
    if row.is_variadic:
        assert next(iter(parameters)).kind is inspect.Parameter.VAR_POSITIONAL
        return
    kinds = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    names = [x.name.replace("newshape", "shape") for x in parameters if x.kind in kinds]
    if row.implementation is not function:  # zeros_like and others, by numpy.full_like
        names = ["a", "fill_value", *names[1:]]
    assert list(row.names) == names


def test_ones_and_zeros_of_every_class():
    rng = np.random.default_rng(1)
    for kind in ("Interval", "DecoratedInterval", "Tracked", "Shadow"):
        make, arrays_of, number = CLASSES[kind]
        ones = np.ones_like(make(rng, (2, 3)))
        assert all(map(equal, arrays_of(ones), [np.full((2, 3), n) for n in number]))
        assert np.empty_like(make(rng, (2, 3)), shape=(4,)).shape == (4,)


def test_shadows_are_written_with_their_values():
    x, y = as_shadow(np.ones(3, hc.half)), as_shadow(np.full(3, hc.half(0.1))) * 0.1
    np.copyto(x, y)
    assert np.array_equal(x.pair.high, y.pair.high) and np.array_equal(x.value, y.value)
    out = as_shadow(np.zeros(6, hc.half))
    assert np.concatenate([y, y], 0, out) is out and np.array_equal(out.pair.high[3:], y.pair.high)
    for call in (lambda: np.copyto(np.zeros(3, hc.half), y), lambda: np.add.at(x, [0], 1),
                 lambda: np.take(y, [0], 0, np.zeros(1, hc.half))):  # fmt: skip
        with pytest.raises(NoShadowError):
            call()
    truths = np.zeros(3, bool)
    assert np.less(y, 1, out=truths) is truths and truths.all()


def test_outputs_of_another_shape_are_refused():
    """Only ufuncs broadcast to their outputs, as in NumPy."""
    s = as_shadow(np.ones(3, hc.half))
    for call in (lambda out: np.take(s, [0], out=out), lambda out: np.stack([s], out=out),
                 lambda out: np.concatenate([s[:1]], out=out)):  # fmt: skip
        out = as_shadow(np.zeros((2, 3), hc.half))
        with pytest.raises(ValueError, match=r"out: expected shape \(.*\), got \(2, 3\)"):
            call(out)
        assert not out.value.any() and not out.pair.high.any()
    assert np.array_equal(np.add(s[:1], s[:1], out=out).value, np.full((2, 3), 2))


@pytest.mark.parametrize("ufunc", [np.modf, np.frexp])
def test_a_second_output_is_not_forgotten(ufunc):
    s, second = as_shadow(np.full(3, hc.half(1.5))), as_shadow(np.zeros(3, hc.half))
    for other in (second, np.zeros(3, hc.half)):
        with pytest.raises(NoShadowError, match="several outputs"):
            ufunc(s, out=(None, other))
    assert len(ufunc(s, out=(None, None))) == 2


def test_sorted_shadows_keep_both_parts_together():
    x = as_shadow(np.array([3, 1, 2], hc.half)) * 0.1
    order = [1, 2, 0]
    result = np.sort(x)
    for part, sorted_part in zip(x.pair, result.pair, strict=True):
        assert np.array_equal(np.asarray(part)[order], sorted_part)


def test_undecided_truths_are_read_only():
    u = make_undecided(np.random.default_rng(3), (2, 3))
    for name in _READ_ONLY:
        with pytest.raises(Unproven):
            CALLS[name][0](u, u, np.ones((2, 3), bool), True)
    for call in (lambda: np.pad(u, 1, "mean"), lambda: np.concatenate([u, u], dtype=float),
                 lambda: np.stack([u, 0.5 * np.ones((2, 3))]), lambda: np.sort(u)):  # fmt: skip
        with pytest.raises(Unproven):
            call()


def test_bounds_of_plain_arrays_are_copies():
    a = np.ones(3, hc.half)
    for x in (Interval(1), DecoratedInterval(1)):
        one = np.atleast_1d(a, x)[0]
        low, high = one._arrays[:2]
        assert not np.may_share_memory(low, high) and not np.may_share_memory(low, a)
        one[0] = 7
        assert a.tolist() == [1, 1, 1] and one.sup.tolist() == [7, 1, 1]


def test_tracked_halves_that_are_written_keep_the_earlier_mark():
    earlier, plain = safe.track(hc.half(1)), np.ones(3, hc.half)
    np.add(plain, hc.half(1))  # a kernel that is not tracked
    target = safe.track(np.zeros(3, hc.half))
    assert earlier._mark < target._mark
    np.copyto(target, earlier)
    assert target._mark == earlier._mark
    with pytest.raises(safe.UntrackedError, match="not tracked"):
        np.copyto(target, plain)


def test_each_of_several_tracked_results_is_a_view_of_its_source():
    x, y = safe.track(hc.half(0.5)) * 1.1, safe.track(np.ones(2, hc.half)) * 1.1
    for function in (np.atleast_2d, lambda *a: np.meshgrid(*a, copy=False, sparse=True)):
        _, view = function(x, y)
        view[...] = 0
        assert y.value.tolist() == [0, 0] and y.enclosure.sup.tolist() == [0, 0]
        y[...] = 1


@pytest.mark.parametrize("make", [make_interval, make_decorated, make_tracked, make_shadow])
def test_first_parameter_of_empty_like_by_name(make):
    x = make(np.random.default_rng(0), (2, 3))
    for keywords in ({}, {"shape": (4,)}, {"order": "F"}):
        result = np.empty_like(prototype=x, **keywords)
        assert type(result) is type(x) and result.shape == keywords.get("shape", (2, 3))


def test_padding_that_computes_is_refused():
    rng = np.random.default_rng(2)
    for keywords in ({"mode": "mean"}, {"mode": "reflect", "reflect_type": "odd"}):
        with pytest.raises(safe.UntrackedError, match="pad"):
            np.pad(make_tracked(rng, 4), 1, **keywords)
        high = np.pad(make_shadow(rng, 4), 1, **keywords).pair.high
        assert high.shape == (6,)


# ---------------------------------------------------------------- the base


@pytest.mark.parametrize("kind", CLASSES)
def test_members_of_every_class(kind):
    make, arrays_of, _ = CLASSES[kind]
    rng = np.random.default_rng(5)
    for shape in SHAPES:
        x = make(rng, shape)
        first = np.asarray(arrays_of(x)[0])
        assert (x.shape, x.ndim, x.size) == (first.shape, first.ndim, first.size)
        methods = [
            ("reshape", -1),
            ("ravel",),
            ("flatten",),
            ("transpose",),
            ("squeeze",),
            ("copy",),
        ]
        methods += [("swapaxes", 0, -1)] if shape else []
        for method, *args in methods:
            parts = [getattr(np.asarray(part), method)(*args) for part in arrays_of(x)]
            assert all(map(equal, arrays_of(getattr(x, method)(*args)), parts))
        assert all(map(equal, arrays_of(x.T), [np.asarray(p).T for p in arrays_of(x)]))
        if len(shape) > 1:
            assert all(map(equal, arrays_of(x.mT), [np.asarray(p).mT for p in arrays_of(x)]))
        for copied in (copy.copy(x), copy.deepcopy(x)):
            assert all(map(equal, arrays_of(copied), arrays_of(x)))
        if not shape and kind != "Undecided":
            with pytest.raises(TypeError, match=r"len\(\) of"):
                len(x)
            with pytest.raises(TypeError, match="iteration over"):
                iter(x)


def test_views_are_written_through():
    rng = np.random.default_rng(6)
    for kind in ("Interval", "DecoratedInterval", "Tracked", "Shadow"):
        x = CLASSES[kind][0](rng, (2, 3))
        x.T[0, 1] = 2
        x.reshape(-1)[5] = 3
        first = CLASSES[kind][1](x)[0]
        assert first[1, 0] == 2 and first[1, 2] == 3


class Foreign:
    """A class that implements ufuncs and functions, and computes with any other."""

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        return "ufunc"

    def __array_function__(self, func, types, args, kwargs):
        return "function"


class OptsOut:
    """A class whose own operators compute, and which no ufunc accepts."""

    __array_ufunc__ = None

    def __radd__(self, other):
        return "radd"

    def __gt__(self, other):
        return "gt"


@pytest.mark.parametrize("kind", ["Interval", "DecoratedInterval", "Tracked", "Shadow"])
def test_other_classes_have_precedence(kind):
    x = CLASSES[kind][0](np.random.default_rng(7), (2, 3))
    assert x + Foreign() == Foreign() + x == np.multiply(x, Foreign()) == "ufunc"
    assert np.stack([x, Foreign()]) == np.stack([Foreign(), x]) == "function"
    assert x + OptsOut() == "radd" and (x < OptsOut()) == "gt"
    with pytest.raises(TypeError):
        x * OptsOut()


def test_classes_do_not_mix():
    rng = np.random.default_rng(8)
    x, t, s = make_interval(rng, 3), make_tracked(rng, 3), make_shadow(rng, 3)
    for a, b in ((x, t), (t, x), (x, s), (s, x), (t, s), (s, t)):
        for call in (lambda a=a, b=b: a + b, lambda a=a, b=b: np.concatenate([a, b])):
            with pytest.raises(TypeError):
                call()


@pytest.mark.parametrize("kind", ["Interval", "DecoratedInterval", "Tracked"])
def test_outputs_of_ufuncs(kind):
    rng = np.random.default_rng(9)
    make, arrays_of, _ = CLASSES[kind]
    x, y, out = make(rng, 3), make(rng, 3), make(rng, 3)
    total = x + y
    assert np.add(x, y, out=out) is out and all(map(equal, arrays_of(out), arrays_of(total)))
    assert all(map(equal, arrays_of(np.add(x, y, out=(None,))), arrays_of(total)))
    before = [part.copy() for part in arrays_of(out)]
    other = make_tracked(rng, 3) if "Interval" in kind else make_interval(rng, 3)
    for wrong, error in (((), ValueError), ((out, out), ValueError), (np.zeros(3), TypeError),
                         (other, TypeError)):  # fmt: skip
        with pytest.raises(error):
            np.add(x, y, out=wrong)
    assert all(map(equal, arrays_of(out), before))


@pytest.mark.parametrize("kind", ["Interval", "DecoratedInterval", "Tracked", "Shadow"])
def test_lists_of_elements_are_arrays(kind):
    x = CLASSES[kind][0](np.random.default_rng(10), 3)
    for actual, expected in (
        (np.concatenate([[x[0], x[1]], x]), x[[0, 1, 0, 1, 2]]),
        (np.stack([[x[0], x[1]], x[1:]]), x[[[0, 1], [1, 2]]]),
        (np.where([True, False, True], [x[0], x[0], x[1]], x), x[[0, 1, 1]]),
        (np.append(x, [x[2]]), x[[0, 1, 2, 2]]),
    ):
        assert all(map(equal, *map(CLASSES[kind][1], (actual, expected))))


def test_reductions_of_intervals_write_to_out():
    x = Interval([[1, 2], [3, 4]], 5)
    out = Interval([0, 0])
    assert np.add.reduce(x, out=out) is out and out.inf.tolist() == [4, 6]
    with pytest.raises(ValueError, match=r"add\.reduce: out: expected shape"):
        np.add.reduce(x, axis=None, out=out)


def test_jets_do_not_move_boxes():
    x = jets.variables([doubles.from_number(Interval([1, 2], 3))], 1)[0]
    assert isinstance(x, DuckArray) and x.shape == () and np.size(x) == 1
    for call in (lambda: x.reshape(2, 1), lambda: x.T, lambda: len(x), lambda: x.flatten()):
        with pytest.raises(TypeError, match=r"^f: \w+: each element of its arguments is a"):
            call()
    assert isinstance(make_shadow(np.random.default_rng(0), 2), Shadow)


@pytest.mark.skipif(not hasattr(np, "astype"), reason="NumPy 2.1 and later")
def test_numpys_astype():
    rng = np.random.default_rng(11)
    assert np.astype(make_shadow(rng, 3), np.float64).value.dtype == np.float64
    for make in (make_interval, make_decorated, make_tracked):
        x = make(rng, 3)
        assert type(np.astype(x, hc.half)) is type(x) and np.astype(x, hc.half).shape == (3,)
        with pytest.raises(TypeError):
            np.astype(x, np.float64)
