"""Tests of formulas of vectors: what NumPy does with an array of numbers, ranges do with boxes."""

import operator
import warnings
from fractions import Fraction

import numpy as np
import pytest
from exhaustive import either, one_in, shared_out

import halfcl as hc
from halfcl import interval
from halfcl.interval import DecoratedInterval, Interval, LimitWarning, range_of, taylor, vector

WEIGHTS = np.array([1.0, -2.0, 3.0])
MATRIX = np.arange(9.0).reshape(3, 3) - 4
FORMS = (interval.mean_value, taylor, lambda f, x: range_of(f, x, limit=40))


def assign(v):
    """Write to elements and slices; ``a`` is a number, so that writing to it leaves v alone."""
    w = np.zeros_like(v)
    w[0], w[1:] = v[1], v[:2] * 2
    w += 1
    w[0] -= v[2]
    a = v[0]
    a += 1
    np.multiply(w, 2, out=w)
    return w.sum() + a - v[0]


def of_halfcl(v):
    """Call functions that refuse doubles; at points, NumPy's."""
    if v.dtype == float:
        return (np.exp(v) + v * v + v).sum() + v @ v + np.sqrt(v @ v) + (v * v).sum()
    return (hc.exp(v) + hc.fma(v, v, v)).sum() + hc.dot(v, v) + hc.length(v) + sum(interval.sqr(v))


def of_intervals(v):
    """Call halfcl.interval's functions of whole arrays; at points, NumPy's."""
    if v.dtype == float:
        return v.sum() * 2 + v @ v + np.mean(v) + np.linalg.norm(v) + (v / np.sqrt(v @ v))[0]
    total = interval.sum(v) + interval.cumsum(v)[-1] + interval.dot(v, v) + interval.mean(v)
    return total + interval.norm(v) + interval.normalize(v)[0]


def in_a_new_array(v):
    """Fill an array of the type of the arguments."""
    w = np.zeros(2, v[0].dtype)
    w[0], w[1] = v[0], 2 * v[1]
    return w @ w + w[0]


def weigh_by_position(v):
    total = 0.0
    for i, x in enumerate(v):
        total = total + (i + 1) * x
    return total / len(v)


#: Formulas of a vector of three numbers, which work on NumPy's arrays and on boxes.
FORMULAS = {
    "(v * v).sum()": lambda v: (v * v).sum(),
    "np.sum": lambda v: np.sum(v, axis=0),
    "builtin sum": lambda v: sum(v),
    "mean": lambda v: v.mean() + np.mean(v),
    "v @ w": lambda v: v @ WEIGHTS + WEIGHTS @ v,
    "v @ A @ v": lambda v: v @ MATRIX @ v,
    "list @": lambda v: v @ [1, 2, 3],
    "np.dot": lambda v: np.dot(v, v) + v.dot(WEIGHTS),
    "inner, vdot, vecdot": lambda v: np.inner(v, v) + np.vdot(v, v) + np.vecdot(v, WEIGHTS),
    "max, min, ptp": lambda v: v.max() + np.min(v) * 2 + np.ptp(v),
    "prod": lambda v: v.prod() + np.prod(v[1:]),
    "len and index": lambda v: len(v) * v[0] - v[-1] + v[1, None][0],
    "iteration": weigh_by_position,
    "unpacking": lambda v: (lambda x, y, z: x * y - z)(*v),
    "slices": lambda v: v[1:].sum() - v[::-1][0] + v[[0, 2]].sum() + v[np.array([1, 0, 0]) > 0][0],
    "concatenate": lambda v: np.concatenate([v, v[:1], [1.0]]).sum(),
    "stack": lambda v: np.stack([v, WEIGHTS]).max(axis=0).sum() + np.hstack([v[0], v[1:]])[0],
    "np.array": lambda v: (np.array([v[0], v[1] ** 2]) @ np.array([v[1], 1.0])) * 2,
    "np.sin of np.array": lambda v: np.sin(np.array([v[0], v[1]]))[1] + np.hypot(*np.array(v[:2])),
    "np.asarray": lambda v: np.asarray(v)[0] + np.asarray(v[1]),
    "norm": lambda v: np.linalg.norm(v) + np.linalg.norm(v, 1) + np.linalg.norm(v, np.inf),
    "norm by axis": lambda v: np.linalg.norm(np.outer(v, v), axis=1).sum(),
    "outer, trace": lambda v: np.trace(np.outer(v, v)) + np.add.outer(v, v).sum(),
    "cumsum, diff": lambda v: np.cumsum(v)[-1] + np.diff(v).sum() + np.cumprod(v)[1],
    "var, std": lambda v: v.var() + np.var(v, ddof=1) + np.std(v + 1),
    "average": lambda v: np.average(v, weights=[1, 2, 3]),
    "ufuncs": lambda v: (np.exp(-v) + np.sqrt(v) + abs(v) - v**2 + 2**v).sum(),
    "halfcl": of_halfcl,
    "functions of intervals": of_intervals,
    "lists of components": lambda v: np.sum([v[0], v[1]]) + np.dot([v[0], 1], v[1:]),
    "mean of a list": lambda v: np.mean([v[0], v[2]]),
    "dtype": in_a_new_array,
    "maximum, clip": lambda v: np.maximum(v, 0.5).sum() + np.clip(v, 0.2, 0.5).sum() + v.clip(1)[0],
    "where": lambda v: np.where([True, False, True], v, 0).sum(),
    "number times array": lambda v: (v[0] * WEIGHTS).sum() + (WEIGHTS + v[1]).sum(),
    "assignment": assign,
    "like": lambda v: (np.zeros_like(v) + np.ones_like(v) + np.full_like(v, 2)).sum() * v[0],
    "polyval": lambda v: np.polyval([1, 2, 3], v[0]) + np.polyval(v, 0.5),
    "einsum": lambda v: np.einsum("i,i", v, v) + np.tensordot(v, WEIGHTS, 1),
    "reshape": lambda v: v.reshape(3, 1).T.ravel()[0] + v[:, None].squeeze()[1] + v.copy()[2],
    "matrix": lambda v: (v[:, None] * MATRIX).sum(axis=0).max() + (MATRIX @ np.diag(v)).sum(),
    "trapezoid, cross": lambda v: np.trapezoid(v) + np.cross(v, WEIGHTS)[0],
    "kron, convolve": lambda v: np.kron(v, [1, 2])[3] + np.convolve(v, [1, 1])[1],
    "roll, flip": lambda v: (np.roll(v, 1) * v).sum() + np.flip(v)[0] * v[0],
    "powers": lambda v: (v ** np.array([2, 3, 1])).sum() + (v**2).sum() ** 0.5,
    "rint": lambda v: np.round(v * 0).sum() + v.round()[0] - np.floor(v)[0],
    "fractions": lambda v: v[0] * Fraction(1, 3) + Fraction(1, 3) * v.sum(),
    "halves": lambda v: (v * hc.half([0.5, 1, 2]) + np.float16([1, 2, 3])).sum(),
}  # fmt: skip

BOX = ([0.25, 0.5, 0.75], [0.625, 1.0, 1.25])


def sample(count=200, low=BOX[0], high=BOX[1]):
    """Return points of a box: corners and others."""
    rng = np.random.default_rng(2)
    low, high = np.array(low), np.array(high)
    inside = rng.uniform(low, high, (count, len(low)))
    return np.concatenate([np.where(rng.integers(0, 2, inside.shape), low, high), inside])


@one_in(3)
@pytest.mark.parametrize("name", FORMULAS)
def test_formulas_of_vectors_are_enclosed(name):
    """Boxes contain the values that NumPy computes at points, and are not much wider."""
    f, x = FORMULAS[name], vector(Interval(*BOX))
    values = np.array([float(f(v.copy())) for v in sample()])
    for form in FORMS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LimitWarning)
            actual = form(f, x)
        low, high = float(actual.inf), float(actual.sup)
        assert actual.shape == () and low - 1e-9 <= values.min() and values.max() <= high + 1e-9
    assert high - low <= 2 * (values.max() - values.min()) + 0.02  # the last form is range_of


def test_ranges_of_vectors_equal_those_of_several_arguments():
    def f(v):
        return v @ v - v[0] * v[1] + np.exp(v).sum()

    def g(x, y, z):
        return x * x + y * y + z * z - x * y + (np.exp(x) + np.exp(y) + np.exp(z))

    x = Interval(*BOX)
    for form in FORMS[:2]:
        assert interval.equal(form(f, vector(x)), form(g, tuple(x)))


def test_points_are_exact():
    """Sums of halves are exact: 2048 and a thousand ones."""
    x = Interval(np.array([2048] + [1] * 100, np.float16))
    assert interval.equal(interval.mean_value(np.sum, vector(x)), Interval(2148))
    assert interval.equal(interval.mean_value(lambda v: v[:0].sum() + v.prod(), vector(x)), 2048)


def test_arrays_of_vectors_are_several_boxes():
    x = Interval([[0, 1, 2], [1, 1, 1]], 3)
    actual = range_of(lambda v: v.sum(), vector(x))
    assert interval.equal(actual, Interval([3, 3], 9)).all()
    actual = range_of(lambda v, s: s * v.max(), (vector(x[:, None]), Interval([1, 2])))
    assert interval.equal(actual, Interval([[2, 4], [1, 2]], [[3, 6], [3, 6]])).all()
    assert interval.mean_value(np.sum, vector(x[:0])).shape == (0,)
    assert interval.is_empty(interval.mean_value(np.sum, vector(Interval(["[empty]", "[0, 1]"]))))


def test_decorations_are_those_of_single_boxes():
    x = DecoratedInterval([[1, 2], [-1, 2]], 4)
    actual = range_of(lambda v: np.sqrt(v).sum(), vector(x))
    assert actual.decoration.tolist() == ["com", "trv"] and actual.shape == (2,)
    actual = range_of(lambda v, s: v[0] * s, (vector(x), Interval(1)))
    assert actual.decoration.tolist() == ["com", "com"]
    assert range_of(lambda v: 3, vector(x)).decoration.tolist() == ["com", "com"]


def test_arrays_made_of_arguments_that_are_numbers():
    """Such arrays do not mix boxes, although intervals of several boxes would be mixed."""
    x, y = Interval([1, 2, 3], [2, 3, 4]), Interval([0, 1, 0], 1)
    actual = range_of(lambda x, y: np.stack([x, y]).sum(axis=-1), (x, y))
    assert interval.equal(actual, x + y).all()
    actual = range_of(lambda x, y: np.stack([x, y]).max(), (x, DecoratedInterval(y)))
    assert actual.sup.tolist() == [2, 3, 4] and actual.decoration.tolist() == ["com"] * 3
    actual = range_of(lambda x, y: np.linalg.norm([x, y]), (x, y)).sup.astype(float)
    want = np.hypot(x.sup.astype(float), 1)
    assert np.all(actual >= want) and np.all(actual <= 1.001 * want)


def test_other_operands():
    """Intervals as constants, on either side; text and complex numbers are refused."""
    x, w = vector(Interval(*BOX)), Interval([1, 2, 3], [1, 2, 4])
    for f in (lambda v: v @ w, lambda v: w @ v, lambda v: (w * v).sum(), lambda v: np.sum(v * w)):
        actual = interval.mean_value(f, x)
        assert interval.equal(actual, Interval(0.25 + 1 + 2.25, 0.625 + 2 + 5))
    for f in (lambda v: v + "1", lambda v: v * 1j, lambda v: v[0] + ["a", "b", "c"]):
        with pytest.raises(TypeError):
            interval.mean_value(f, x)


@shared_out
def test_random_formulas_of_vectors():
    """Random sums, products and reductions of vectors contain their values at points."""
    rng = np.random.default_rng(3)
    unary = (np.sin, np.exp, np.abs, np.square, np.negative, np.arctan, lambda v: v[::-1])
    binary = (np.add, np.multiply, np.subtract, np.maximum, operator.add)
    last = (np.sum, np.max, np.mean, np.prod, np.linalg.norm, lambda v: v @ v, lambda v: v[0])

    def build(depth):
        if not depth:
            constant = rng.uniform(-1, 1, 3)
            return (lambda v: v, lambda v: v, lambda v: v * 0 + constant)[rng.integers(3)]
        one, other = build(depth - 1), build(depth - 1)
        if rng.random() < 0.5:
            function = unary[rng.integers(len(unary))]
            return lambda v: function(one(v))
        function = binary[rng.integers(len(binary))]
        return lambda v: function(one(v), other(v))

    for _ in range(either(300, 20, some=60)):
        inner, reduce = build(rng.integers(1, 4)), last[rng.integers(len(last))]

        def f(v, inner=inner, reduce=reduce):
            return reduce(inner(v))

        low = np.float16(rng.uniform(-1, 1, 3)).astype(float)
        high = low + 2.0 ** -rng.integers(0, 6, 3)
        x = interval.from_values(low, high)
        values = np.array([f(v) for v in sample(40, low, high)])
        slack = 1e-12 * (1 + np.abs(values).max())
        for form in FORMS:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", LimitWarning)
                actual = form(f, vector(x))
            assert float(actual.inf) - slack <= values.min()
            assert values.max() <= float(actual.sup) + slack


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (np.sort, "^f: sort: it has no derivative"),
        (np.median, "^f: median: it has no derivative"),
        (np.unique, "^f: unique: it has no derivative"),
        (np.argmax, "^f: argmax: it has no derivative"),
        (lambda v: v.argmax(), "^f: argmax: it has no derivative"),
        (lambda v: v.sort(), "^f: sort: it has no derivative"),
        (lambda v: np.linalg.det(np.outer(v, v)), r"^f: linalg\.det: it has no derivative"),
        (lambda v: np.linalg.solve(MATRIX, v), r"^f: linalg\.solve: it has no derivative"),
        (lambda v: np.linalg.norm(np.outer(v, v), 2), r"^f: linalg\.norm, ord=2"),
        (np.fft.fft, "^f: fft: it has no derivative"),
        (lambda v: np.isnan(v).any(), "^f: isnan: it has no derivative"),
        (lambda v: np.mod(v, 2).sum(), "^f: remainder: it has no derivative"),
        (lambda v: v[0] if v else v[1], "^f: bool"),
        (lambda v: v[0] in v, "^f: in: "),
        (lambda v: v.sum(dtype=float), r"^f: add\.reduce, dtype="),
        (lambda v: np.sqrt(v, where=[True, False, True]), "^f: sqrt, where="),
        (lambda v: np.add(v, 1, out=np.zeros(3)), "out: expected an argument of f, got ndarray"),
        (lambda v: v.astype(float), "^f: astype"),
        (lambda v: np.add.reduceat(v, [0]), r"^f: add\.reduceat: it has no derivative"),
        (lambda v: v, r"expected one result, got an array of shape \(3,\)"),
        (lambda v: [v[0]], "expected one result, got list"),
        (lambda v: v[0].sum(), "sum: each element of its arguments is a separate box"),
        (lambda v: v[0][0], "indexing: each element"),
    ],
)
def test_what_vectors_refuse(f, expected):
    with pytest.raises((TypeError, AttributeError), match=expected):
        interval.mean_value(f, vector(Interval(*BOX)))


@pytest.mark.parametrize(
    "f",
    [
        np.sum, np.mean, np.max, np.prod, np.linalg.norm, np.cumsum, np.var, np.average,
        np.trapezoid, lambda x: np.dot(x, x), lambda x: x @ x, lambda x: np.inner(x, x),
        lambda x: np.vdot(x, x), lambda x: hc.dot(x, x), len, lambda x: x[0], list,
    ],
)  # fmt: skip
def test_arguments_that_are_numbers_refuse_what_combines_boxes(f):
    """Without `vector` each element is a box, so that sums would be of different boxes."""
    for form in (interval.mean_value, range_of):
        with pytest.raises((TypeError, ValueError, IndexError)):
            form(f, Interval([1, 2, 3], [2, 3, 4]))


def test_errors_of_numpy_propagate():
    x = vector(Interval(*BOX))
    for f, error in (
        (lambda v: v[7], IndexError),
        (lambda v: v @ np.ones(2), ValueError),
        (lambda v: v + np.ones(2), ValueError),
        (lambda v: v[:0].max(), ValueError),
        (lambda v: v[:0].mean(), ValueError),
        (lambda v: v.sum(axis=1), np.exceptions.AxisError),
        (lambda v: v.var(ddof=3), ValueError),
        (lambda v: np.add(v, 1, out=v[:2]), ValueError),
    ):
        with pytest.raises(error):
            interval.mean_value(f, x)


def test_vector():
    x = Interval(*BOX)
    assert repr(vector(x)) == f"vector({x!r})"
    assert vector(vector(x)).box is vector(x).box or interval.equal(vector(x).box, x).all()
    assert vector(np.float16([1, 2])).components()[1].inf == 2
    for bad, error in (
        (Interval(0, 1), ValueError), (Interval([0, 1], 1)[:0], ValueError), ("[0, 1]", TypeError),
        (np.zeros(2), TypeError),
    ):  # fmt: skip
        with pytest.raises(error, match="vector: x: expected"):
            vector(bad)
    with pytest.raises(TypeError, match=r"expected an interval for each argument of f"):
        range_of(lambda v: v, (vector(x), vector(x)))
    with pytest.raises(ValueError, match="expected shapes that broadcast"):
        range_of(lambda v, w: v[0], (vector(Interval([[1], [2]])), vector(Interval([[1]] * 3))))


def test_formula_may_write_to_its_vector():
    def f(v):
        v += 1
        v[0] = 0
        return v.sum()

    x = Interval(*BOX)
    before = x.copy()
    assert interval.equal(interval.mean_value(f, vector(x)), Interval(3.25, 4.25))
    assert interval.equal(x, before).all()
