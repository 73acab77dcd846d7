"""Domains kept: what rounding moved outside is put back, what is truly outside stays outside.

The oracle is exact: rational arithmetic on the halves given.
"""

import sys
import threading
from fractions import Fraction

import numpy as np
import pytest
from exhaustive import either, shared_out
from safe_cases import X, Y, Z, remainder, same

import halfcl as hc
from halfcl import half, safe

pytestmark = [pytest.mark.once, pytest.mark.filterwarnings("ignore:(invalid|divide|overflow)")]


def nearly_outside(count, seed):
    """Return points on the unit sphere, and near it on both sides."""
    rng = np.random.default_rng(seed)
    p = rng.normal(size=(3, count))
    p *= rng.choice([0.7, 0.99, 1, 1, 1.001, 1.3], count) / np.sqrt((p * p).sum(axis=0))
    return [half(row) for row in p]


def nearly_equal(count, seed):
    """Return two numbers that are nearly equal, and one that is 1 or slightly more."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(0.3, 3, count)
    z = rng.choice([-1.1, -1, 1, 1, 1.001, 1.1], count)
    return half(x), half(x * rng.choice([1, 1 + 2.0**-10, 1.01], count)), half(z)


def nearly_flat(count, seed):
    """Return sides of triangles, of which many are flat, nearly flat, or impossible."""
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
    "sqrt": (remainder, nearly_outside, 0, None, False),
    "log": (remainder, nearly_outside, 0, None, True),
    "asin": (lambda x, y, z: z * (2 * x * y / (x * x + y * y)), nearly_equal, -1, 1, False),
    "acos": (lambda x, y, z: (x * x + y * y - z * z) / (2 * x * y), nearly_flat, -1, 1, False),
    "atanh": (squares, nearly_outside, -1, 1, True),
    "acosh": (squares, nearly_outside, 1, None, False),
}


def is_truly_inside(exact, low, high, is_open):
    if is_open:
        return [v > low and (high is None or v < high) for v in exact]
    return [v >= low and (high is None or v <= high) for v in exact]


@shared_out
@pytest.mark.parametrize("name", CASES)
def test_rationals_decide(name):
    """No argument inside becomes NaN, none outside is saved, and saved ones are nearly right."""
    expression, numbers, low, high, is_open = CASES[name]
    count = either(17_000, 3000)
    x, y, z = numbers(count, seed=len(name))
    function = getattr(safe, name)
    with safe.domains() as kept:
        got = function(lambda: expression(x, y, z))
    plain = expression(x, y, z)
    exact = list(map(expression, *map(fractions, (x, y, z))))
    inside = np.array(is_truly_inside(exact, low, high, is_open))
    in_domain = safe._functions.DOMAINS[name].is_outside(plain) == 0
    assert np.isfinite(got[inside]).all()
    same(got[in_domain], getattr(hc, name)(plain[in_domain]))
    same(got[~in_domain & ~inside], getattr(hc, name)(plain[~in_domain & ~inside]))
    saved = inside & ~in_domain
    assert (kept.saved, kept.proved) == (saved.sum(), saved.sum()) and saved.sum() > 4
    assert kept.outside == (~in_domain & ~inside).sum() > 100
    assert kept.elements == count
    for value, true in zip(got[saved], np.array(exact, object)[saved], strict=True):
        assert value in accepted_values(name, true)


def accepted_values(name, true):
    """Return values at the halves of the domain around a number, or next to its open end."""
    domain = safe._functions.DOMAINS[name]
    around = [hc.convert(true, half, rounding=mode) for mode in ("rtn", "rtp")]
    return [getattr(hc, name)(min(max(a, domain.least), domain.greatest)) for a in around]


def test_variance():
    """Sums of squares minus the mean's are kept; sums of a column round at each step."""
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
        inside = np.sqrt(abs(remainder(x, y, z)))
        got = safe.sqrt(lambda: abs(remainder(x, y, z)))
        assert not np.isnan(safe.sqrt(lambda: remainder(x, y, z))[remainder(x, y, z) >= 0]).any()
    same(got, inside)
    same(safe.sqrt(lambda: x * x, rounding=mode), hc.sqrt(x * x, rounding=mode))
    modes = np.resize(np.arange(4, dtype=np.uint8), 500)
    same(safe.sqrt(lambda: x * x, rounding=modes), hc.sqrt(x * x, rounding=modes))
    with pytest.raises(ValueError, match="rounding: expected one of"):
        safe.sqrt(lambda: x * x, rounding="up")


def test_redirected_value_counts_if_enclosed():
    """exp is enclosed in halves, so widely that the value rounded up is in the enclosure."""
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
    same(safe.sqrt(lambda: runs.append(1) or remainder(X, Y, Z))[:2], half([0.5, 0.001525]))
    assert len(runs) == 4


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
        assert safe.sqrt(remainder, X[:2], Y[:2], Z[:2])[1] < 0.002
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
        root = np.sqrt(remainder(*pair, z))
        return {"root": root, "same": z}, [root * scale], len(root)

    z = Z.copy()
    results, (twice,), n = f((X, Y), z=z)
    assert f.__doc__ == "Doc." and n == 3 and calls == [safe.Tracked]
    assert results["same"] is z and type(twice) is type(results["root"]) is np.ndarray
    same(twice, results["root"] * 2)


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
            safe.sqrt(remainder, X, Y, Z)  # twice
        safe.domains(lambda x, y, z: np.arccos(1 - remainder(x, y, z)))(X, Y, Z)
        with safe.domains() as inner:
            tracked = [kept.track(v) for v in (X, Y, Z)]
            root = np.sqrt(remainder(*tracked))
    assert inner.elements == 3 and root.value[0] == 0.5
    first, second, third = kept.calls
    assert (first.function, first.elements, first.saved, first.proved) == ("sqrt", 6, 2, 2)
    assert first.outside == 2 and first.source.endswith("# twice")
    assert first.file == __file__ and first.line > 0
    assert (second.function, second.elements) == ("acos", 3) and (
        second.saved,
        second.outside,
    ) == (
        0,
        1,
    )
    assert third.line > second.line > first.line
    assert (kept.elements, kept.saved, kept.proved, kept.outside) == (12, 3, 3, 4)
    head, *rows = str(kept).splitlines()
    assert head.split() == [
        "function", "elements", "saved", "proved", "outside", "strayed", "call",
    ]  # fmt: skip
    assert len(rows) == 3 and rows[0].startswith("sqrt             6      2       2        2")
    assert repr(safe.domains()) == "no calls"
    safe.sqrt(remainder, X, Y, Z)
    assert kept.elements == 12


def test_report_counts_strayed_arguments():
    """The report counts arguments inside as computed but truly outside, if enclosures are known."""
    rng = np.random.default_rng(5)
    x, y, z = (half(v) for v in rng.uniform(0, 1, (3, 20000)))
    with np.errstate(invalid="ignore"):
        computed = remainder(x, y, z)
        with safe.domains() as kept:
            got = safe.domains(lambda x, y, z: np.sqrt(remainder(x, y, z)))(x, y, z)
        with safe.domains() as of_function:
            safe.sqrt(remainder, x, y, z)
    wide = [v.astype(float) for v in (x, y, z)]
    truly = 1 - sum(v * v for v in wide) < 0  # squares of halves, and their sums, are exact
    strayed = truly & np.asarray(computed >= 0)
    assert kept.strayed == strayed.sum() > 0 and not np.isnan(got[strayed]).any()
    assert kept.strayed + kept.outside == truly.sum()
    assert of_function.strayed == kept.strayed  # others are outside, so that it looked
    with safe.domains() as unseen:
        safe.sqrt(remainder, x[strayed], y[strayed], z[strayed])
    assert unseen.strayed == 0 and unseen.elements == strayed.sum()


def test_threads():
    """Each thread's context has a separate report, and separate counts of kernels."""
    sums, errors = [], []

    def work(count):
        try:
            with safe.domains() as kept:
                for _ in range(count):
                    safe.sqrt(remainder, X, Y, Z)
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
    # Those that Python starts with a copy of the context have its reports, too.
    inherited = getattr(sys.flags, "thread_inherit_context", False)
    assert outer.saved == (140 if inherited else 0)
