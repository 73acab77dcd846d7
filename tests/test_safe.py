"""Domains kept: what rounding moved outside is put back, what is truly outside stays outside.

The oracle is exact: rational arithmetic on the halves given.
"""

import functools
import pickle
import threading
from fractions import Fraction

import numpy as np
import pytest

import halfcl as hc
from halfcl import half, safe, stability
from halfcl._core import kernels_run
from halfcl.safe import wide
from halfcl.safe.wide import given

pytestmark = [pytest.mark.once, pytest.mark.filterwarnings("ignore:(invalid|divide|overflow)")]

X, Y, Z = half([0.5, 0.35, 0.6]), half([0.5, 0.9, 0.7]), half([0.5, 0.26, 0.5])


def left(x, y, z):
    """1 - x² - y² - z²: inside the domain of sqrt, out of it by rounding, truly outside."""
    return 1 - x * x - y * y - z * z


def same(one, other):
    a, b = np.asarray(one), np.asarray(other)
    assert a.dtype == b.dtype == np.dtype(half)
    assert a.shape == b.shape
    np.testing.assert_array_equal(a.view(np.uint16), b.view(np.uint16))


def nearly_outside(count, seed):
    """Points of which some are on the unit sphere, some near, on both sides."""
    rng = np.random.default_rng(seed)
    p = rng.normal(size=(3, count))
    p *= rng.choice([0.7, 0.99, 1, 1, 1.001, 1.3], count) / np.sqrt((p * p).sum(axis=0))
    return [half(row) for row in p]


def nearly_equal(count, seed):
    """Two numbers that are nearly the same, and one that is 1, or beyond."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(0.3, 3, count)
    z = rng.choice([-1.1, -1, 1, 1, 1.001, 1.1], count)
    return half(x), half(x * rng.choice([1, 1 + 2.0**-10, 1.01], count)), half(z)


def nearly_flat(count, seed):
    """The sides of triangles, of which many are flat, or nearly, or none."""
    rng = np.random.default_rng(seed)
    x, y = half(rng.uniform(0.3, 3, (2, count)))
    third = np.where(rng.random(count) < 0.5, x + y, abs(x - y))
    return x, y, half(third.astype(float) * rng.choice([1, 1, 1.001, 0.999, 1.2], count))


def fractions(x):
    return [Fraction(v) for v in np.asarray(x).astype(float).tolist()]


def squares(x, y, z):
    return x * x + y * y + z * z


# The argument, in halves or Fractions; numbers for it; the domain, and whether it is open.
CASES = {
    "sqrt": (left, nearly_outside, 0, None, False),
    "log": (left, nearly_outside, 0, None, True),
    "asin": (lambda x, y, z: z * (2 * x * y / (x * x + y * y)), nearly_equal, -1, 1, False),
    "acos": (lambda x, y, z: (x * x + y * y - z * z) / (2 * x * y), nearly_flat, -1, 1, False),
    "atanh": (squares, nearly_outside, -1, 1, True),
    "acosh": (squares, nearly_outside, 1, None, False),
}


def truly_inside(exact, low, high, is_open):
    if is_open:
        return [v > low and (high is None or v < high) for v in exact]
    return [v >= low and (high is None or v <= high) for v in exact]


@pytest.mark.parametrize("name", CASES)
def test_rationals_decide(name):
    """100,000 in all: none inside becomes NaN, none outside is saved, the saved nearly right."""
    expression, numbers, low, high, is_open = CASES[name]
    x, y, z = numbers(17_000, seed=len(name))
    function = getattr(safe, name)
    with safe.domains() as kept:
        got = function(lambda: expression(x, y, z))
    plain = expression(x, y, z)
    exact = list(map(expression, *map(fractions, (x, y, z))))
    inside = np.array(truly_inside(exact, low, high, is_open))
    in_domain = safe.functions.DOMAINS[name].outside(plain) == 0
    assert np.isfinite(got[inside]).all()
    same(got[in_domain], getattr(hc, name)(plain[in_domain]))
    same(got[~in_domain & ~inside], getattr(hc, name)(plain[~in_domain & ~inside]))
    saved = inside & ~in_domain
    assert (kept.saved, kept.proved) == (saved.sum(), saved.sum()) and saved.sum() > 4
    assert kept.outside == (~in_domain & ~inside).sum() > 100
    assert kept.elements == 17_000
    for value, true in zip(got[saved], np.array(exact, object)[saved], strict=True):
        assert value in kept_values(name, true)


def kept_values(name, true):
    """Of the halves around a number, in the domain; or of the one next to its open end."""
    domain = safe.functions.DOMAINS[name]
    around = [hc.convert(true, half, rounding=mode) for mode in ("rtn", "rtp")]
    return [getattr(hc, name)(min(max(a, domain.least), domain.greatest)) for a in around]


def test_variance():
    """Rounded sums of squares, less the mean's; sums of a column are rounded step by step."""
    rng = np.random.default_rng(1)
    x = half(rng.uniform(0.5, 3, 3000) + rng.uniform(-1, 1, (5, 3000)) * 2.0**-9)

    def variance(x):
        mean = x.sum(axis=0) / 5
        return (x * x).sum(axis=0) / 5 - mean * mean

    assert np.isnan(np.sqrt(variance(x))).sum() > 300
    with safe.domains() as kept:
        got = safe.sqrt(variance, x)
    assert not np.isnan(got).any() and kept.outside == 0
    exact = [variance_of(column) for column in np.asarray(x).astype(float).T]
    negative = np.asarray(variance(x) < 0)
    assert kept.saved == negative.sum()
    assert kept.proved == sum(v >= 0 for v, out in zip(exact, negative, strict=True) if out)


def variance_of(column):
    values = [Fraction(v) for v in column]
    mean = sum(values) / 5
    return sum(v * v for v in values) / 5 - mean * mean


@pytest.mark.parametrize("mode", hc.MODES)
def test_modes(mode):
    """The region's mode rounds the expression, rounding= the function."""
    x, y, z = nearly_outside(500, seed=9)
    with hc.rounding(mode, builtins=True):
        inside = np.sqrt(abs(left(x, y, z)))
        got = safe.sqrt(lambda: abs(left(x, y, z)))
        assert not np.isnan(safe.sqrt(lambda: left(x, y, z))[left(x, y, z) >= 0]).any()
    same(got, inside)
    same(safe.sqrt(lambda: x * x, rounding=mode), hc.sqrt(x * x, rounding=mode))
    modes = np.resize(np.arange(4, dtype=np.uint8), 500)
    same(safe.sqrt(lambda: x * x, rounding=modes), hc.sqrt(x * x, rounding=modes))
    with pytest.raises(ValueError, match="rounding: expected one of"):
        safe.sqrt(lambda: x * x, rounding="up")


def test_redirected_value_is_taken_where_it_is_enclosed():
    """exp is enclosed in halves: so wide that the value rounded up is in the enclosure."""
    x = half(1.5)

    def argument():
        return hc.exp(x) - 4 - 0.482

    with hc.rounding("rtp", builtins=True):
        redirected = argument()
    assert argument() < 0 < redirected
    with safe.domains() as kept:
        assert safe.sqrt(argument) == hc.sqrt(redirected)
    assert (kept.saved, kept.proved) == (1, 0)
    assert safe.domains(lambda x: np.sqrt(hc.exp(x) - 4 - 0.482))(x) == 0  # the closest half


def test_nothing_outside_costs_one_run():
    runs = []

    def argument():
        runs.append(1)
        return X * X

    same(safe.sqrt(argument), np.sqrt(X * X))
    assert len(runs) == 1
    same(safe.sqrt(lambda: runs.append(1) or left(X, Y, Z))[:2], half([0.5, 0.001525]))
    assert len(runs) == 4


# ---------------------------------------------------------------- what can be followed

MODULE_X, MODULE_Y, MODULE_Z = X, Y, Z
with np.errstate(invalid="ignore"):
    EXPECTED = safe.sqrt(lambda: left(X, Y, Z))


class Owner:
    x, y, z = X, Y, Z

    def argument(self, z):
        return left(self.x, self.y, z)

    def named(self, x=X, *, y=Y):
        return left(x, y, Z)


def of_globals():
    return left(MODULE_X, MODULE_Y, MODULE_Z)


def test_expected():
    assert EXPECTED[0] == 0.5 and 0 < EXPECTED[1] < 0.002 and np.isnan(EXPECTED[2])


@pytest.mark.parametrize(
    "call",
    [
        lambda: safe.sqrt(of_globals),
        lambda: safe.sqrt(lambda: of_globals()),
        lambda: safe.sqrt(hc.rounding("rte")(of_globals)),
        lambda: safe.sqrt(left, X, Y, Z),
        lambda: safe.sqrt(functools.partial(left, X, z=Z), Y),
        lambda: safe.sqrt(Owner().named),
        lambda: safe.sqrt(lambda o, p: left(o, p, Z), Owner.x, Owner.y),
        lambda: safe.sqrt(lambda v: left(*v), (X, Y, Z)),
        lambda: safe.sqrt(lambda v: left(**v), {"x": X, "y": Y, "z": Z}),
        lambda: safe.sqrt(lambda x=X, *, y=Y: left(x, y, Z)),
        lambda: safe.sqrt(lambda: sum([-v * v for v in (X, Y, Z)], half(1))),
        lambda: safe.sqrt(lambda: (lambda q: left(q, Y, Z))(X)),
        lambda: safe.sqrt(lambda: np.subtract(np.subtract(1 - X * X, Y * Y), Z * Z)),
        lambda: safe.sqrt(lambda: hc.fma(Z, -Z, 1 - X * X - Y * Y)),
        lambda: safe.sqrt(lambda: left(*(v.astype(half) for v in (X, Y, Z)))),
        lambda: safe.sqrt(left, X.view(np.float16), Y.astype(np.float16), Z),
        lambda: safe.sqrt(left, X.astype(X.dtype.newbyteorder()), Y, Z),
    ],
)
def test_ways_to_name_halves(call):
    got = call()
    assert isinstance(got, np.ndarray) and got[0] == 0.5 and np.isnan(got[2])
    assert 0 <= got[1] < 0.002


def test_shapes():
    for shape in ((), (1,), (0,), (3, 1), (0, 4)):
        x, y, z = (np.full(shape, v[1]) for v in (X, Y, Z))
        got = safe.sqrt(left, x, y, z)
        assert np.shape(got) == shape
        assert isinstance(got, half) == (shape == ())
        if np.size(got):
            same(np.reshape(got, -1)[0], EXPECTED[1])
    same(safe.sqrt(left, X[1], Y[1], Z[1]), EXPECTED[1])
    same(safe.sqrt(left, X[:2], Y[1], Z[1])[1], EXPECTED[1])


def test_vectors():
    u = hc.half4(0.35, 0.9, 0.26, 0)
    v = hc.normalize(hc.half4(1, 2, 3, 0.5))
    got = safe.sqrt(lambda: 1 - (u * u).xxxx - (u * u).y - (u * u).z)
    assert isinstance(got, hc.half4) and (got < 0.002).all() and not np.isnan(got).any()
    rng = np.random.default_rng(3)
    p = hc.normalize(half(rng.normal(size=(2000, 3))))
    with safe.domains() as kept:
        assert not np.isnan(safe.acos(lambda: p[:, 0] ** 2 + p[:, 1] ** 2 + p[:, 2] ** 2)
                            [[sum(Fraction(c) ** 2 for c in row) <= 1
                              for row in p.astype(float).tolist()]]).any()  # fmt: skip
        q = half(rng.normal(size=(2000, 3)))
        angle = safe.acos(lambda: hc.dot(hc.normalize(q), q / np.sqrt(hc.dot(q, q))[:, None]))
    assert not np.isnan(angle).any() and kept.saved > 50 and v.shape == (4,)


def test_tracks_numpy():
    """Values are those of plain code bit by bit; each enclosure has the exact value."""
    a, b = half([[0.3, 1.7], [2.9, -5.1]]), half([[7.3, 0.11], [-13, 0.7]])
    s, t = safe.track(a), safe.track(b)
    for function, exact in [
        (lambda x, y: x + y * 0.1, lambda x, y: x + y * Fraction(0.1)),
        (lambda x, y: np.sum(x * y, axis=0), lambda x, y: (x * y).sum(axis=0)),
        (lambda x, y: x @ y, lambda x, y: x @ y),
        (lambda x, y: np.dot(x[0], y[1]), lambda x, y: x[0] @ y[1]),
        (lambda x, y: np.where(x > 1, x, y / 3), lambda x, y: np.where(x > 1, x, y / 3)),
        (lambda x, y: np.concatenate([x, y.T]).reshape(2, 4),
         lambda x, y: np.concatenate([x, y.T]).reshape(2, 4)),
        (lambda x, y: np.mean(x * x, axis=1), lambda x, y: (x * x).sum(axis=1) / 2),
        (lambda x, y: x**2 - y**3, lambda x, y: x * x - y * y * y),
        (lambda x, y: np.max(x - y) - y.min(), lambda x, y: (x - y).max() - y.min()),
        (lambda x, y: np.clip(x / y, -1, 0.3),
         lambda x, y: np.minimum(np.maximum(x / y, -1), Fraction(0.3))),
        (lambda x, y: x.repeat(2) - y.take([1, 0, 3, 2, 2, 1, 0, 3]),
         lambda x, y: x.repeat(2) - y.take([1, 0, 3, 2, 2, 1, 0, 3])),
        (lambda x, y: hc.mix(x, y, x), lambda x, y: x + (y - x) * x),
        (lambda x, y: hc.dot(x, y, axis=0), lambda x, y: (x * y).sum(axis=0)),
        (lambda x, y: hc.length(x) ** 2, lambda x, y: (x * x).sum(axis=1)),
        (lambda x, y: hc.cross(np.array([x[0, 0], x[0, 1], y[0, 0]]), y.ravel()[:3])
         if isinstance(x, np.ndarray) else hc.cross(np.stack([x[0, 0], x[0, 1], y[0, 0]]),
                                                    y.ravel()[:3]),
         lambda x, y: np.cross([x[0, 0], x[0, 1], y[0, 0]], y.ravel()[:3])),
        (lambda x, y: x / (x - x + y) - 1 / x, lambda x, y: x / y - 1 / x),
        (lambda x, y: np.linalg.norm(x) ** 2, lambda x, y: (x * x).sum()),
        (lambda x, y: hc.fmax(abs(-x), y) - np.minimum(x, +y),
         lambda x, y: np.maximum(abs(x), y) - np.minimum(x, y)),
    ]:  # fmt: skip
        found, plain = function(s, t), function(a, b)
        same(found._value, plain)
        true = np.asarray(exact(*(np.vectorize(Fraction)(v.astype(float)) for v in (a, b))))
        low, high = (np.vectorize(Fraction, otypes=[object])(v)
                     for v in (found._wide.lo, found._wide.hi))  # fmt: skip
        assert np.shape(low) == np.shape(true)
        assert np.all(low <= true) and np.all(true <= high)
        assert np.all(np.asarray(high - low).astype(float) < 1e-9)


def test_in_place():
    @safe.domains
    def fill(x, y, z, out):
        out[...] = left(x, y, z)
        out += 0
        out[0] = 1
        np.sqrt(out, out=out)

    out = np.zeros(3, half)
    fill(X, Y, Z, out)
    assert out[0] == 1 and 0 <= out[1] < 0.002 and np.isnan(out[2])


def test_shared_memory():
    """Writing to one of two arrays that share memory would belie the enclosure of the other."""
    buffer = half([0.5, 0.5, 0.5])

    @safe.domains
    def write(x, y):
        x[:] = x * 3
        return np.sqrt(1 - y)

    with pytest.raises(ValueError, match="read-only"):
        write(buffer, buffer[1:])
    assert (buffer == 0.5).all()
    same(write(buffer, buffer), half([np.nan] * 3))  # one array, and one enclosure
    assert (buffer == 1.5).all()


# ---------------------------------------------------------------- what cannot be


@pytest.mark.parametrize(
    "argument",
    [
        lambda: left(Owner.x, Owner.y, Owner.z),
        lambda: Owner().argument(Z),
        lambda: 1 - X * X - Y * Y - Owner.z * Owner.z,
        lambda: 1 - X * X - Y * Y - hc.multiply_rtp(Owner.z, Owner.z),
        lambda: 1 - X * X - Y * Y - (Owner.z * Owner.z)[1].item(),
        lambda: 1 - X * X - Y * Y - float(Owner.z[1] * Owner.z[1]),
        lambda: 1 - X * X - Y * Y - [Owner.z * Owner.z][0],
        lambda: 1 - X * X - Y * Y - Owner.z.mean(),
        lambda: left(X, Y, half(Owner.z.astype(float) + 0)),
        lambda: safe.domains(left)(Owner.x, Owner.y, Owner.z) + 0 * X,
        lambda: left(X, Y, Z) if isinstance(X, np.ndarray) else safe.track(X).value * 0 - 1,
        lambda: left(X, Y, Z) + X.sum().item() * 0,
        lambda: np.frompyfunc(lambda v: v - half(1), 1, 1)(X).astype(half),
    ],
)
def test_unfollowed(argument):
    with pytest.raises(safe.NotFollowed, match=r"cannot follow test_safe\.py:\d+"):
        safe.sqrt(argument)


def in_region(x, y):
    with hc.rounding("rtp"):
        return x - Owner.z * y


def test_unfollowed_in_a_region():
    with pytest.raises(safe.NotFollowed, match=r"cannot follow test_safe\.py"):
        safe.sqrt(lambda: in_region(half(-1), Owner.x))


def test_the_line_is_named():
    def argument():
        d = 1 - X * X - Y * Y
        return d * Owner.x - Owner.z * Owner.z  # here

    with pytest.raises(safe.NotFollowed, match=r"Owner.z \* Owner.z|Owner.x"):
        safe.sqrt(argument)
    with pytest.raises(safe.NotFollowed, match=r"half becomes float64"):
        safe.domains(lambda x: half((x * np.sqrt(2)).value))(X)


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (X, r"expected a function that computes the argument.*got an array of half"),
        (1.5, "got float"),
        (lambda: 1.5, "expected a half array or scalar, got float"),
        (lambda: X.astype(float), "got float64"),
        (lambda: np.float16(1), "got float16"),
        (lambda: None, "got NoneType"),
        (lambda: [X], "got list"),
    ],
)
def test_bad_input(f, message):
    with pytest.raises(TypeError, match=message):
        safe.sqrt(f)


def test_errors_pass():
    def argument():
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        safe.sqrt(argument)
    with pytest.raises(TypeError, match="positional"):
        safe.sqrt(left, X)
    with pytest.raises(TypeError, match="x: expected half, got float64"):
        safe.track(np.ones(3))
    with pytest.raises(TypeError, match=r"made by safe\.track"):
        safe.Tracked()
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(safe.track(X))
    for convert in (float, int, complex, np.asarray, half, lambda t: t.astype(float)):
        with pytest.raises(safe.NotFollowed):
            convert(safe.track(half(1)))


def test_random_is_noticed():
    rng = np.random.default_rng(1)
    with pytest.raises(ValueError, match="two runs give different results"):
        safe.sqrt(lambda: X * float(rng.integers(1, 9)) - 5)


def test_outputs():
    t, plain = safe.track(X[:2].copy()), np.zeros(2, half)
    for call in (lambda: np.add(t, t, out=plain), lambda: np.copyto(plain, t),
                 lambda: np.take(t, [0, 1], 0, plain), lambda: np.sum(t, out=plain[:1]),
                 lambda: np.less(t, 1, out=t), lambda: plain.__setitem__(slice(2), t),
                 lambda: np.take(t, [0, 1], 0, t), lambda: np.max(t, None, plain[0]),
                 lambda: np.add.at(t, [0], 1),
                 lambda: np.sqrt(t, where=[True, False])):  # fmt: skip
        with pytest.raises(safe.NotFollowed, match="cannot follow"):
            call()
    with pytest.raises(ValueError, match="with a sequence"):
        plain[0] = t[0]
    assert not plain.any()
    same(t._value, X[:2])
    assert np.sqrt(X[:2], out=t) is t
    same(t._value, np.sqrt(X[:2]))
    with pytest.raises(AttributeError, match=r"no attribute 'item'; its \.value"):
        t.item()


def test_writes_are_noticed():
    x = half([-1.0, 2])

    def argument():
        nonlocal x
        x += 1
        return x - 1.5

    with pytest.raises((ValueError, TypeError)):
        safe.sqrt(argument)


def test_reruns():
    """In every mode, and at random, what computes in a domain is no impure function."""
    args = (X[:2], Y[:2], Z[:2])
    for f in (lambda x, y, z: safe.sqrt(left, x, y, z),
              safe.domains(lambda x, y, z: np.sqrt(left(x, y, z)))):  # fmt: skip
        report = stability.rerun(f, *args, samples=5, rng=1)
        assert not np.isnan(report.samples).any()
        for mode in hc.MODES:
            with hc.rounding(mode, builtins=True):
                same(report.values[mode], f(*args))
        assert "left" not in stability.blame(f, *args)[0].source


def test_modes_as_data():
    modes = np.array([0, 1, 2], np.uint8)
    t = safe.track(X)
    same(hc.sqrt(t, rounding=modes)._value, hc.sqrt(X, rounding=modes))
    t = safe.track(X)
    found = hc.add(t, Y, rounding=modes)
    same(found._value, hc.add(X, Y, rounding=modes))
    assert (found._wide.lo == X.astype(float) + Y.astype(float)).all()


def test_user_code_stays_as_it_is():
    before = dict(globals())
    closure = [MODULE_X]
    argument = lambda: left(closure[0], MODULE_Y, MODULE_Z)  # noqa: E731
    safe.sqrt(argument)
    assert all(globals()[name] is value for name, value in before.items())
    assert closure[0] is X and argument.__closure__[0].cell_contents is closure


def test_recursion_and_generators():
    def power(v, n):
        return v if n == 1 else v * power(v, n - 1)

    x = X

    def squared():
        return x * x

    same(safe.sqrt(lambda: 1 - squared() - Y * Y - Z * Z), EXPECTED)
    got = safe.sqrt(lambda: 1 - sum(power(v, 2) for v in (X, Y, Z)))
    assert got[0] == 0.5 and np.isnan(got[2])
    with pytest.raises(TypeError, match="gives its results later"):

        @safe.domains
        def items(x):
            yield x

    with pytest.raises(TypeError, match="expected a function"):
        safe.domains(3)


def test_infinite_and_nan():
    x = half([np.inf, -np.inf, np.nan, 6e4, -6e4, 4])
    with safe.domains() as kept:
        same(safe.sqrt(lambda: x * 2), np.sqrt(x * 2))
    assert (kept.saved, kept.outside) == (0, 2)
    zero = half([0.0])
    with safe.domains() as kept, np.errstate(all="ignore"):
        assert safe.acos(lambda: 1 / zero)[0] == hc.acos(half(1))  # unknown: not proved outside
        assert np.isnan(safe.acos(lambda: 2 + zero)[0])
        assert safe.log(lambda: zero * 1)[0] == -np.inf  # truly 0
    assert (kept.saved, kept.proved, kept.outside) == (1, 0, 2)


def test_flags():
    with np.errstate(invalid="raise", divide="raise"):
        assert safe.sqrt(left, X[:2], Y[:2], Z[:2])[1] < 0.002
        for name, f in (("sqrt", lambda: X - 5), ("log", lambda: X - X), ("acos", lambda: X + 5)):
            with pytest.raises(FloatingPointError):
                getattr(safe, name)(f)


# ---------------------------------------------------------------- decorator and context


def test_decorator():
    calls = []

    @safe.domains
    def f(pair, *, z, scale=2.0):
        """Doc."""
        calls.append(type(z))
        root = np.sqrt(left(*pair, z))
        return {"root": root, "same": z}, [root * scale], len(root)

    z = Z.copy()
    found, (twice,), n = f((X, Y), z=z)
    assert f.__doc__ == "Doc." and n == 3 and calls == [safe.Tracked]
    assert found["same"] is z and type(twice) is type(found["root"]) is np.ndarray
    same(twice, found["root"] * 2)


def test_nested_functions_stay_tracked():
    @safe.domains
    def inner(x, y):
        return 1 - x * x - y * y

    @safe.domains
    def outer(x, y, z):
        return safe.sqrt(inner(x, y) - z * z), safe.sqrt(lambda: inner(x, y) - z * z)

    for got in outer(X, Y, Z):
        assert type(got) is np.ndarray and got[1] < 0.002 and np.isnan(got[2])


def test_report():
    with safe.domains() as kept:
        for _ in range(2):
            safe.sqrt(left, X, Y, Z)  # twice
        safe.domains(lambda x, y, z: np.arccos(1 - left(x, y, z)))(X, Y, Z)
        with safe.domains() as inner:
            tracked = [kept.track(v) for v in (X, Y, Z)]
            root = np.sqrt(left(*tracked))
    assert inner.elements == 3 and root.value[0] == 0.5
    first, second, third = kept.calls
    assert (first.function, first.elements, first.saved, first.proved) == ("sqrt", 6, 2, 2)
    assert first.outside == 2 and first.source.endswith("# twice")
    assert first.file == __file__ and first.line > 0
    assert (second.function, second.elements) == ("acos", 3) and (second.saved, second.outside) == (
        0,
        1,
    )
    assert third.line > second.line > first.line
    assert (kept.elements, kept.saved, kept.proved, kept.outside) == (12, 3, 3, 4)
    head, *rows = str(kept).splitlines()
    assert head.split() == ["function", "elements", "saved", "proved", "outside", "call"]
    assert len(rows) == 3 and rows[0].startswith("sqrt             6      2       2        2")
    assert repr(safe.domains()) == "no calls"
    safe.sqrt(left, X, Y, Z)
    assert kept.elements == 12


def test_threads():
    """Each thread's context has its own report, and its own counts of kernels."""
    sums, errors = [], []

    def work(count):
        try:
            with safe.domains() as kept:
                for _ in range(count):
                    safe.sqrt(left, X, Y, Z)
            sums.append((count, kept.saved))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in (20, 30, 40, 50)]
    with safe.domains() as outer:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not errors and sorted(sums) == [(n, n) for n in (20, 30, 40, 50)]
    assert outer.saved == 0


def test_kernels_are_counted():
    """What gives halves counts, be it by a region, an explicit mode, NumPy's dot or sums."""
    a = half([1.0, 2, 3])
    for call in (
        lambda: a + a, lambda: half(2) * half(3), lambda: hc.exp_rtp(a), lambda: a[::2] * 2,
        lambda: np.dot(a, a), lambda: a @ a, lambda: a.sum(), lambda: hc.dot(a, a),
        lambda: np.cumsum(a), lambda: hc.add(a, a, rounding=np.array([0, 1, 2])),
        lambda: hc.dot(a[None], a, rounding=np.array([1])), lambda: a.mean(),
        lambda: np.ones(3).astype(half),
    ):  # fmt: skip
        before = kernels_run()
        call()
        assert kernels_run() > before
    for call in (lambda: half(0.1), lambda: half([1, 2]), lambda: a > 1, lambda: a[1:].copy()):
        before = kernels_run()
        call()
        assert kernels_run() == before


# ---------------------------------------------------------------- enclosures of doubles


def some_doubles(rng, count):
    """Of all sizes: halves, short ones, long ones, subnormal and huge ones, zeros."""
    x = rng.normal(size=count) * 2.0 ** rng.integers(-40, 40, count)
    x = np.where(rng.random(count) < 0.4, x.astype(np.float16).astype(float), x)
    x = np.where(rng.random(count) < 0.3, x.astype(np.float32).astype(float), x)
    x = np.where(np.isfinite(x), x, 3.0)
    scale = rng.choice([0, 2.0**-1000, 2.0**900, 1, 1, 1, 1, 1, 1, 1, 1], count)
    return np.where(scale == 1, x, x * scale)


def some_intervals(rng, count):
    low, high = some_doubles(rng, count), some_doubles(rng, count)
    high = np.where(rng.random(count) < 0.4, low, high)
    return wide.Wide(np.minimum(low, high), np.maximum(low, high))


def exact_range(operation, x, y):
    corners = [operation(a, b) for a in x for b in y]
    return min(corners), max(corners)


def assert_encloses(found, low, high, k):
    """Around the exact range, and hardly wider."""
    room = max(abs(low), abs(high)) * Fraction(2.0**-49) + Fraction(2.0**-890)
    for bound, true, way in ((found.lo[k].item(), low, 1), (found.hi[k].item(), high, -1)):
        if np.isinf(bound):
            assert bound * way == -np.inf and true * way < -(2**1000)
        else:
            off = (true - Fraction(bound)) * way
            assert off >= 0 and (off <= room or abs(true) > 2**1000)


def is_short(x):
    return x == 0 or (Fraction(2.0**-100) < abs(x) < 2**100 and Fraction(float(np.float32(x))) == x)


@pytest.mark.parametrize(
    ("function", "operation"),
    [("add", Fraction.__add__), ("sub", Fraction.__sub__), ("mul", Fraction.__mul__),
     ("div", Fraction.__truediv__)],
)  # fmt: skip
def test_doubles_enclose(function, operation):
    rng = np.random.default_rng(7)
    for intervals in (True, False):
        x, y = some_intervals(rng, 2000), some_intervals(rng, 2000)
        if not intervals:
            x, y = wide.Wide(x.lo, x.lo), wide.Wide(y.lo, y.lo)
        with np.errstate(all="ignore"):
            found = getattr(wide, function)(x, y)
        for k in range(2000):
            if function == "div" and y.lo[k] <= 0 <= y.hi[k]:
                continue
            a, b = ([Fraction(v.lo[k].item()), Fraction(v.hi[k].item())] for v in (x, y))
            low, high = exact_range(operation, a, b)
            assert_encloses(found, low, high, k)
            if function == "mul" and not intervals and is_short(low) and is_short(a[0]):
                assert found.lo[k] == found.hi[k] == low


def test_doubles_of_several():
    rng = np.random.default_rng(8)
    x = some_intervals(rng, 3000)
    x = wide.Wide(*(np.clip(v, -(2.0**60), 2.0**60).reshape(300, 10) for v in (x.lo, x.hi)))
    with np.errstate(all="ignore"):
        total, root, square = wide.sum(x, axis=1), wide.sqrt(x), wide.sqr(x)
    for k, (lows, highs) in enumerate(zip(x.lo, x.hi, strict=True)):
        low, high = (sum(map(Fraction, v.tolist())) for v in (lows, highs))
        size = Fraction(2.0**-45) * sum(abs(Fraction(v)) for v in (*lows.tolist(), *highs.tolist()))
        assert low - size <= Fraction(total.lo[k].item()) <= low
        assert high <= Fraction(total.hi[k].item()) <= high + size
        for j in range(10):
            a, b = Fraction(lows[j].item()), Fraction(highs[j].item())
            s, t = Fraction(square.lo[k, j].item()), Fraction(square.hi[k, j].item())
            least = 0 if a <= 0 <= b else min(a * a, b * b)
            assert 0 <= s <= least and max(a * a, b * b) <= t
            if b >= 0:
                p, q = Fraction(root.lo[k, j].item()), Fraction(root.hi[k, j].item())
                assert p >= 0 and p * p <= max(a, 0) and b <= q * q
                assert q * q <= b * (1 + Fraction(2.0**-49))
            else:
                assert np.isnan(root.lo[k, j])
    halves = given(half(rng.uniform(-0.7, 0.7, size=(4, 50))))
    exact = wide.dot(halves, halves)
    assert (exact.lo == exact.hi).all()


def test_unbounded_and_empty():
    x = wide.Wide([-np.inf, 0, -np.inf, np.nan], [np.inf, np.inf, -1, np.nan])
    y = wide.Wide([0.0, 0, 2, 1], [0.0, 1, np.inf, 1])
    with np.errstate(all="ignore"):
        product, total = wide.mul(x, y), wide.add(x, y)
    assert product.lo[0] <= 0 <= product.hi[0] and product.lo[1] <= 0 and product.hi[1] == np.inf
    assert (product.lo[2], product.is_empty[3]) == (-np.inf, True) and -3 < product.hi[2] >= -2.1
    assert (total.lo[:3] == [-np.inf, 0, -np.inf]).all() and (total.hi[:3] == np.inf).all()
    assert given(half([np.inf]))[0].lo == 65504 and given(10**400).lo > 1e4
    assert given(2**60 + 1).lo < 2**60 + 1 < given(2**60 + 1).hi
