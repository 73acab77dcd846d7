"""Tests of tracked computations: which code can be tracked, and that all other code is refused."""

import contextlib
import functools
import pickle
from fractions import Fraction

import numpy as np
import pytest
from safe_cases import EXPECTED, X, Y, Z, remainder, same

import halfcl as hc
from halfcl import half, safe, stability
from halfcl._core import kernels_run

pytestmark = [pytest.mark.once, pytest.mark.filterwarnings("ignore:(invalid|divide|overflow)")]

# ---------------------------------------------------------------- code that can be tracked

MODULE_X, MODULE_Y, MODULE_Z = X, Y, Z


class Owner:
    x, y, z = X, Y, Z

    def argument(self, z):
        return remainder(self.x, self.y, z)

    def defaults(self, x=X, *, y=Y):
        return remainder(x, y, Z)


def argument_of_globals():
    return remainder(MODULE_X, MODULE_Y, MODULE_Z)


def test_expected():
    assert EXPECTED[0] == 0.5 and 0 < EXPECTED[1] < 0.002 and np.isnan(EXPECTED[2])


@pytest.mark.parametrize(
    "call",
    [
        lambda: safe.sqrt(argument_of_globals),
        lambda: safe.sqrt(lambda: argument_of_globals()),
        lambda: safe.sqrt(hc.rounding("rte")(argument_of_globals)),
        lambda: safe.sqrt(remainder, X, Y, Z),
        lambda: safe.sqrt(functools.partial(remainder, X, z=Z), Y),
        lambda: safe.sqrt(Owner().defaults),
        lambda: safe.sqrt(lambda o, p: remainder(o, p, Z), Owner.x, Owner.y),
        lambda: safe.sqrt(lambda v: remainder(*v), (X, Y, Z)),
        lambda: safe.sqrt(lambda v: remainder(**v), {"x": X, "y": Y, "z": Z}),
        lambda: safe.sqrt(lambda x=X, *, y=Y: remainder(x, y, Z)),
        lambda: safe.sqrt(lambda: sum([-v * v for v in (X, Y, Z)], half(1))),
        lambda: safe.sqrt(lambda: (lambda q: remainder(q, Y, Z))(X)),
        lambda: safe.sqrt(lambda: np.subtract(np.subtract(1 - X * X, Y * Y), Z * Z)),
        lambda: safe.sqrt(lambda: hc.fma(Z, -Z, 1 - X * X - Y * Y)),
        lambda: safe.sqrt(lambda: remainder(*(v.astype(half) for v in (X, Y, Z)))),
        lambda: safe.sqrt(remainder, X.view(np.float16), Y.astype(np.float16), Z),
        lambda: safe.sqrt(remainder, X.astype(X.dtype.newbyteorder()), Y, Z),
    ],
)
def test_ways_to_name_halves(call):
    got = call()
    assert isinstance(got, np.ndarray) and got[0] == 0.5 and np.isnan(got[2])
    assert 0 <= got[1] < 0.002


def test_shapes():
    for shape in ((), (1,), (0,), (3, 1), (0, 4)):
        x, y, z = (np.full(shape, v[1]) for v in (X, Y, Z))
        got = safe.sqrt(remainder, x, y, z)
        assert np.shape(got) == shape
        assert isinstance(got, half) == (shape == ())
        if np.size(got):
            same(np.reshape(got, -1)[0], EXPECTED[1])
    same(safe.sqrt(remainder, X[1], Y[1], Z[1]), EXPECTED[1])
    same(safe.sqrt(remainder, X[:2], Y[1], Z[1])[1], EXPECTED[1])


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
    """Values are those of plain code, bit by bit, and each enclosure contains the exact value."""
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
        tracked, plain = function(s, t), function(a, b)
        same(tracked._value, plain)
        true = np.asarray(exact(*(np.vectorize(Fraction)(v.astype(float)) for v in (a, b))))
        low, high = (np.vectorize(Fraction, otypes=[object])(v)
                     for v in (tracked._enclosure.lo, tracked._enclosure.hi))  # fmt: skip
        assert np.shape(low) == np.shape(true)
        assert np.all(low <= true) and np.all(true <= high)
        assert np.all(np.asarray(high - low).astype(float) < 1e-9)


def test_in_place():
    @safe.domains
    def fill(x, y, z, out):
        out[...] = remainder(x, y, z)
        out += 0
        out[0] = 1
        np.sqrt(out, out=out)

    out = np.zeros(3, half)
    fill(X, Y, Z, out)
    assert out[0] == 1 and 0 <= out[1] < 0.002 and np.isnan(out[2])


def test_shared_memory():
    """Writes to arrays that share memory are refused, as they would invalidate enclosures."""
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


@pytest.mark.parametrize(
    "move",
    [lambda t: t.ravel(), lambda t: t.reshape(-1), lambda t: np.ravel(t), lambda t: t.T,
     lambda t: t[::-1], lambda t: t.flatten(), lambda t: np.flip(t), lambda t: t[[0, 1]],
     lambda t: np.broadcast_to(t, (2, *t.shape)), lambda t: t.squeeze(), lambda t: np.copy(t)],
)  # fmt: skip
def test_views_and_copies(move):
    """Values and enclosures still match after a write through a view or copy."""
    whole = half(np.arange(24).reshape(4, 6))
    for array in (whole.copy(), whole[::2, 1:4], whole.T, whole[::-1], whole[0], whole[:, 0]):
        t = safe.track(array)
        moved = move(t)
        with contextlib.suppress(ValueError):  # read-only
            moved[0] = 100
        for one in (t, moved):
            assert (one._enclosure.lo == one._value.astype(float)).all()
            assert (one._enclosure.hi == one._value.astype(float)).all()


def test_conditions():
    t = safe.track(half([0.0, 2, -1]))
    assert (np.where(t, t, 5)._enclosure.lo == [5, 2, -1]).all()
    assert (np.compress(t, t)._enclosure.hi == [2, -1]).all()
    near = (t + 1) / 3 * 3 - 1  # about 0, 2 and -1
    assert (np.where(near, 1, t)._enclosure.lo == np.where(near._value, 1, [0, 2, -1])).all()


# ---------------------------------------------------------------- what cannot be


@pytest.mark.parametrize(
    "argument",
    [
        lambda: remainder(Owner.x, Owner.y, Owner.z),
        lambda: Owner().argument(Z),
        lambda: 1 - X * X - Y * Y - Owner.z * Owner.z,
        lambda: 1 - X * X - Y * Y - hc.multiply_rtp(Owner.z, Owner.z),
        lambda: 1 - X * X - Y * Y - (Owner.z * Owner.z)[1].item(),
        lambda: 1 - X * X - Y * Y - float(Owner.z[1] * Owner.z[1]),
        lambda: 1 - X * X - Y * Y - [Owner.z * Owner.z][0],
        lambda: 1 - X * X - Y * Y - Owner.z.mean(),
        lambda: remainder(X, Y, half(Owner.z.astype(float) + 0)),
        lambda: safe.domains(remainder)(Owner.x, Owner.y, Owner.z) + 0 * X,
        lambda: remainder(X, Y, Z) if isinstance(X, np.ndarray) else safe.track(X).value * 0 - 1,
        lambda: remainder(X, Y, Z) + X.sum().item() * 0,
        lambda: np.frompyfunc(lambda v: v - half(1), 1, 1)(X).astype(half),
    ],
)
def test_code_that_cannot_be_tracked(argument):
    with pytest.raises(safe.UntrackedError, match=r"cannot track \w+\.py:\d+"):
        safe.sqrt(argument)


def in_region(x, y):
    with hc.rounding("rtp"):
        return x - Owner.z * y


def test_code_that_cannot_be_tracked_in_region():
    with pytest.raises(safe.UntrackedError, match=r"cannot track \w+\.py:\d+"):
        safe.sqrt(lambda: in_region(half(-1), Owner.x))


def test_error_names_the_line():
    def argument():
        d = 1 - X * X - Y * Y
        return d * Owner.x - Owner.z * Owner.z  # here

    with pytest.raises(safe.UntrackedError, match=r"Owner.z \* Owner.z|Owner.x"):
        safe.sqrt(argument)
    with pytest.raises(safe.UntrackedError, match=r"half becomes float64"):
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
        safe.sqrt(remainder, X)
    with pytest.raises(TypeError, match="x: expected half, got float64"):
        safe.track(np.ones(3))
    with pytest.raises(TypeError, match=r"use safe\.track"):
        safe.Tracked()
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(safe.track(X))
    for convert in (float, int, complex, np.asarray, half, lambda t: t.astype(float)):
        with pytest.raises(safe.UntrackedError):
            convert(safe.track(half(1)))


def test_random_functions_are_refused():
    rng = np.random.default_rng(1)
    with pytest.raises(ValueError, match="expected equal results of two runs"):
        safe.sqrt(lambda: X * float(rng.integers(1, 9)) - 5)


def test_outputs():
    t, plain = safe.track(X[:2].copy()), np.zeros(2, half)
    for call in (lambda: np.add(t, t, out=plain), lambda: np.copyto(plain, t),
                 lambda: np.take(t, [0, 1], 0, plain), lambda: np.sum(t, out=plain[:1]),
                 lambda: np.less(t, 1, out=t), lambda: plain.__setitem__(slice(2), t),
                 lambda: np.take(t, [0, 1], 0, t), lambda: np.max(t, None, plain[0]),
                 lambda: np.add.at(t, [0], 1),
                 lambda: np.sqrt(t, where=[True, False])):  # fmt: skip
        with pytest.raises(safe.UntrackedError, match="cannot track"):
            call()
    for call in (lambda: np.sqrt(2.0, out=t), lambda: np.log([2.0, 3.0], out=t)):
        with pytest.raises(safe.UntrackedError, match="half becomes float64"):
            call()
    with pytest.raises(ValueError, match="with a sequence"):
        plain[0] = t[0]
    assert not plain.any()
    same(t._value, X[:2])
    assert np.sqrt(X[:2], out=t) is t
    same(t._value, np.sqrt(X[:2]))
    with pytest.raises(AttributeError, match=r"no attribute 'item'; use \.value"):
        t.item()


def test_writes_to_plain_arrays_are_refused():
    x = half([-1.0, 2])

    def argument():
        nonlocal x
        x += 1
        return x - 1.5

    with pytest.raises((ValueError, TypeError)):
        safe.sqrt(argument)


def test_reruns():
    """Functions that keep domains are pure for stability.rerun, in every mode and at random."""
    args = (X[:2], Y[:2], Z[:2])
    for f in (lambda x, y, z: safe.sqrt(remainder, x, y, z),
              safe.domains(lambda x, y, z: np.sqrt(remainder(x, y, z)))):  # fmt: skip
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
    tracked = hc.add(t, Y, rounding=modes)
    same(tracked._value, hc.add(X, Y, rounding=modes))
    assert (tracked._enclosure.lo == X.astype(float) + Y.astype(float)).all()


def test_user_code_stays_as_it_is():
    before = dict(globals())
    closure = [MODULE_X]
    argument = lambda: remainder(closure[0], MODULE_Y, MODULE_Z)  # noqa: E731
    safe.sqrt(argument)
    assert all(globals()[name] is value for name, value in before.items())
    assert closure[0] is X and argument.__closure__[0].cell_contents is closure


def test_recursion_and_generators():
    def power(v, n):
        return v if n == 1 else v * power(v, n - 1)

    x = X

    def squares():
        return x * x

    same(safe.sqrt(lambda: 1 - squares() - Y * Y - Z * Z), EXPECTED)
    got = safe.sqrt(lambda: 1 - sum(power(v, 2) for v in (X, Y, Z)))
    assert got[0] == 0.5 and np.isnan(got[2])
    with pytest.raises(TypeError, match="returns its results later"):

        @safe.domains
        def items(x):
            yield x

    with pytest.raises(TypeError, match="expected a function"):
        safe.domains(3)


def test_kernels_are_counted():
    """All that computes halves counts: regions, explicit modes, NumPy's dot and sums."""
    a = half([1.0, 2, 3])
    for call in (
        lambda: a + a, lambda: half(2) / half(3), lambda: hc.exp_rtp(a), lambda: a[::2] * 2,
        lambda: np.dot(a, a), lambda: a @ a, lambda: a.sum(), lambda: hc.dot(a, a),
        lambda: np.cumsum(a), lambda: hc.add(a, a, rounding=np.array([0, 1, 2])),
        lambda: hc.dot(a[None], a, rounding=np.array([1])), lambda: a.mean(),
        lambda: np.ones(3).astype(half), lambda: half(2048) + 1, lambda: half(1) * 0.1,
        lambda: 2049 - half(1), lambda: half(2**-24) * half(0.5), lambda: half(65504) + half(65504),
        lambda: half(1) / 3,
    ):  # fmt: skip
        before = kernels_run()
        with np.errstate(all="ignore"):
            call()
        assert kernels_run() > before
    for call in (
        lambda: half(0.1), lambda: half([1, 2]), lambda: a > 1, lambda: a[1:].copy(),
        # Of halves alone what is exact is no more than they are.
        lambda: half(1) + 1, lambda: half(2) * half(3), lambda: half(1) - 1, lambda: -half(0.1),
        lambda: half(6) / 4, lambda: abs(half(-3)), lambda: half(0) * 7, lambda: 2 - half(0.5),
    ):  # fmt: skip
        before = kernels_run()
        call()
        assert kernels_run() == before


def test_counters_of_half():
    """A loop counter in half is accepted while it is exact, and refused after that."""

    @safe.domains
    def total(x, n, step):
        i, tracked = half(1), x * 0
        while i <= n:
            tracked = tracked + x / i
            i = i + step
        while i > 0:
            i -= step
        return np.sqrt(tracked - x - x / 2 - x / 3 + i)

    x = half([0.3, 1.7, 2.9])
    got = total(x, half(3), 1)
    assert not np.isnan(got).any() and (got < 0.1).all()
    with pytest.raises(TypeError, match="halves that are not tracked"):
        total(x, half(3), 0.1)
    assert not np.isnan(safe.sqrt(lambda n: remainder(X, Y, Z) + (n + 1 - n - 1), half(7))[1])


def test_track_copies():
    """Later writes to the halves change neither value nor enclosure."""
    x = half([0.5, 0.25])
    followed = safe.track(x)
    x[0] = 5
    assert followed.value[0] == 0.5 and 0.5 in followed.enclosure[0]
    followed[1] = 3
    assert x[1] == 0.25 and followed.value[1] == 3
