"""The examples of stability: cures are stable, unstable formulas are reported."""

import math
import sys
from fractions import Fraction

import numpy as np
import pytest
from exhaustive import either, shared_out
from places import ROOT

from halfcl import half, interval, safe, stability
from halfcl.interval import Interval

sys.path.insert(0, str(ROOT / "examples"))

import angle
import domains
import linear_solve
import logistic
import polynomial
import quadratic
import rump
import series

pytestmark = pytest.mark.once

ALL = [angle, domains, quadratic, series, logistic, polynomial, rump, linear_solve]


@shared_out
@pytest.mark.parametrize("example", either(ALL, ALL[2::3]), ids=lambda example: example.__name__)
def test_runs_and_draws(example, tmp_path, capsys):
    path = tmp_path / "picture.png"
    example.main(["--picture", str(path)])
    assert capsys.readouterr().out
    assert path.read_bytes()[:4] == b"\x89PNG"


def wide(values):
    return np.asarray(values).astype(np.float64)


def assert_inside(enclosure, truth, slack=0.0):
    """Assert that an enclosure contains the true values.

    slack: the relative error of the truth, where that is rounded, too.
    """
    truth = np.asarray(truth, np.float64)
    room = np.abs(truth) * slack
    assert (wide(enclosure.inf) <= truth + room).all()
    assert (truth - room <= wide(enclosure.sup)).all()


def widest(enclosure):
    """Return the largest width in units of the midpoint."""
    low, high = wide(enclosure.inf), wide(enclosure.sup)
    return ((high - low) / np.abs(high + low) * 2).max()


def errors(formula, truth, *args):
    """Return the largest relative error in any rounding."""
    runs = stability.rerun(formula, *args).values.values()
    return max(np.abs(wide(run) / truth - 1).max() for run in runs)


def drifting(formula, *args):
    """Return where the four modes drift apart.

    Results called stable there are right by chance: to a few ulps, if they drift far apart.
    """
    report = stability.rerun(formula, *args)
    assert report.reason == "" and (report.error[report.stable] <= 16).all()
    is_chance = report.stable & (report.spread_of_all > 6 * stability.THRESHOLD)
    assert (report.error[is_chance] <= 8).all()
    return report.spread > stability.THRESHOLD


def test_angle():
    u, v = angle.vectors()
    assert np.count_nonzero(~drifting(angle.by_acos, u, v)) < 15
    assert stability.rerun(angle.by_atan2, u, v).stable.all()
    p, q = wide(u).T, wide(v).T
    truth = np.arctan2(np.abs(p[0] * q[1] - p[1] * q[0]), p[0] * q[0] + p[1] * q[1])
    exact = angle.enclosure(u, v)
    assert_inside(exact, truth, 1e-14)
    assert widest(exact) < 0.003
    assert_inside(angle.by_atan2(Interval(u), Interval(v)), truth, 1e-14)
    assert_inside(angle.by_acos(Interval(u), Interval(v)), truth, 1e-14)
    assert errors(angle.by_acos, truth, u, v) > 0.9
    assert errors(angle.by_atan2, truth, u, v) < 0.009
    steps = stability.blame(angle.by_acos, u, v)
    assert "arccos" not in steps[0].source and steps[0].effect > 10000


def test_quadratic():
    for k, equations, at_school, cured in (
        (0, quadratic.far_apart(), quadratic.smaller_at_school, quadratic.smaller_cured),
        (1, quadratic.close_together(), quadratic.gap_at_school, quadratic.gap_cured),
    ):
        *equations, _ = equations
        a, b, c = map(wide, equations)
        root = np.sqrt(b * b - a * c)  # exact below the root: products have 22 bits
        truth = (c / (b + root), 2 * root / a)[k]
        exact = quadratic.enclosure(*equations)[k]
        assert_inside(exact, truth, 1e-14)
        assert widest(exact) < 0.004
        assert np.count_nonzero(drifting(at_school, *equations)) >= 60
        assert stability.rerun(cured, *equations).stable.all()
        assert errors(at_school, truth, *equations) > 0.35
        assert errors(cured, truth, *equations) < 0.004
        assert "b * b" in "".join(
            step.source for step in stability.blame(at_school, *equations)[:2]
        )


def test_series():
    n = 2000
    truth = np.cumsum(1 / np.arange(1, n + 1))
    exact = series.enclosure(n)
    assert_inside(exact, truth, 1e-12)
    assert widest(exact) < 0.0025
    assert drifting(series.one_by_one, n)[100:].all()
    assert errors(series.one_by_one, truth, n) > 1.5
    for cured in (series.compensated, series.at_once):
        assert stability.rerun(cured, n).stable.all()
        assert errors(cured, truth, n) < 0.003
    worst = stability.blame(series.one_by_one, 200)[0]
    assert worst.source == "total = total + 1 / half(k)" and worst.effect > 80


def true_orbits(ends, sides):
    """Return the orbits, computed backward in float64, where errors shrink and are negligible."""
    orbits = [np.asarray(ends, np.float64)]
    for right in sides[-2::-1]:
        root = np.sqrt(1 - orbits[-1])
        orbits.append((1 + root) / 2 if right else orbits[-1] / (2 + 2 * root))
    return np.stack(orbits[::-1])


def test_logistic():
    start, steps = half(0.3), 40
    assert drifting(logistic.forward, start)[7:15].all()
    orbit = [Fraction(float(start))]
    for _ in range(12):
        orbit.append(4 * orbit[-1] * (1 - orbit[-1]))
    assert_inside(logistic.forward(Interval(start), 12), list(map(float, orbit)), 1e-14)
    tight = logistic.forward_tightly(Interval(start), steps)
    assert_inside(tight[:13], list(map(float, orbit)), 1e-14)
    assert wide(tight.inf).min() >= 0 and wide(tight.sup).max() == 1
    sides = logistic.sides(logistic.forward(start, steps))
    assert stability.rerun(logistic.backward, half(0.5), sides).stable.all()
    exact = logistic.backward(Interval(0, 1), sides)
    for orbit in true_orbits(np.linspace(0, 1, 11), sides).T:
        assert np.allclose(orbit[1:], 4 * orbit[:-1] * (1 - orbit[:-1]), rtol=0, atol=1e-14)
        assert_inside(exact, orbit, 1e-14)
    assert (wide(exact.sup) - wide(exact.inf))[:34].max() < 0.025


def test_polynomial():
    x = polynomial.points()
    assert np.count_nonzero(drifting(polynomial.by_horner, x)) > 280
    assert stability.rerun(polynomial.by_factors, x).stable.all()
    exact = [math.prod(Fraction(v) - k for k in (1, 2, 3, 4)) for v in wide(x).tolist()]
    truth = np.array([float(v) for v in exact])
    for form in polynomial.FORMS:
        assert_inside(form(Interval(x)), truth, 1e-15)
    assert errors(polynomial.by_factors, truth, x) < 0.006
    assert errors(polynomial.by_horner, truth, x) > 1
    low, high = polynomial.RANGE
    too_wide = []
    for form in polynomial.FORMS:
        ranges = [polynomial.enclosure(form, pieces) for pieces in (1, 16, 64)]
        assert all(r.inf <= low and r.sup >= high for r in ranges)
        too_wide.append([float(r.sup) - float(r.inf) - (high - low) for r in ranges])
    assert too_wide[0][2] > 10 and too_wide[1][2] < 0.2 and too_wide[2][2] < 0.03


def test_rump():
    by_chance = stability.rerun(rump.as_written, rump.X, rump.Y, samples=10, rng=1)
    assert by_chance.spread == 0 and by_chance.significant_digits == 0
    assert stability.rerun(rump.as_written, rump.X, rump.Y).verdict == "off"
    x, y = rump.points()
    assert rump.X in x and rump.Y in y
    assert np.count_nonzero(drifting(rump.as_written, x, y)) > 40
    assert stability.rerun(rump.factored, x, y).stable.all()
    pairs = [(Fraction(a), Fraction(b)) for a, b in zip(*map(list, map(wide, (x, y))), strict=True)]
    truth = np.array([float(9 * a**4 - b**4 + b**2 / 8) for a, b in pairs])
    assert truth[30] == 1 / 256
    exact = rump.enclosure(x, y)
    assert_inside(exact, truth, 1e-15)
    assert widest(exact) < 0.007
    assert_inside(rump.as_written(Interval(x), Interval(y)), truth)
    assert errors(rump.as_written, truth, x, y) > 50
    assert errors(rump.factored, truth, x, y) < 0.004
    assert all("y" in step.source for step in stability.blame(rump.as_written, x, y)[:2])


def solve_exactly(a, b):
    """Solve three equations by Cramer's rule in Fractions."""
    rows = [[Fraction(v) for v in row] for row in wide(a).tolist()]
    right = [Fraction(v) for (v,) in wide(b).tolist()]

    def determinant(m):
        return sum(
            m[0][i] * (m[1][j] * m[2][k] - m[1][k] * m[2][j])
            for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1))
        )

    swapped = [
        [[right[i] if j == k else row[j] for j in range(3)] for i, row in enumerate(rows)]
        for k in range(3)
    ]
    return np.array([[float(determinant(m) / determinant(rows))] for m in swapped])


def test_linear_solve():
    for corner in (0.0005, 0.001, 0.01, 0.3, 2):
        a, b = linear_solve.system(half(corner))
        truth, exact = solve_exactly(a, b), linear_solve.enclosure(a, b)
        assert_inside(exact, truth, 1e-15)
        assert widest(exact) < 0.003
        assert stability.rerun(linear_solve.with_pivots, a, b).stable.all()
        assert errors(linear_solve.with_pivots, truth, a, b) < 0.004
    a, b = linear_solve.system(half(0.001))
    assert not stability.rerun(linear_solve.in_order, a, b).stable.any()
    assert errors(linear_solve.in_order, solve_exactly(a, b), a, b) > 0.9
    assert stability.blame(linear_solve.in_order, a, b)[0].source.startswith("factor = ")
    k = np.arange(4)
    hilbert = half(1 / (1 + k + k[:, None]))
    assert interval.is_entire(linear_solve.enclosure(hilbert, half(np.ones((4, 1))))).all()
    corners = half([0.001, 0.1])
    values = linear_solve.first_unknowns(linear_solve.with_pivots)(corners)
    assert values.shape == (2,) and values.dtype == a.dtype


@pytest.mark.filterwarnings("ignore:invalid value")
def test_domains():
    """Exact arguments in the domain give no NaN; of others all NaNs remain."""
    x, y, z = domains.quaternions()
    plain = domains.last_component(x, y, z)
    with safe.domains() as kept:
        got = safe.domains(domains.last_component)(x, y, z)
    exact = 1 - sum(wide(v) ** 2 for v in (x, y, z))  # exact: squares have 22 bits, of 2^-48
    assert (np.isnan(got) == (np.isnan(plain) & (exact < 0))).all()
    saved = np.isnan(plain) & (exact >= 0)
    assert kept.saved == kept.proved == saved.sum() > 5
    assert (np.abs(wide(got)[saved] - np.sqrt(exact[saved])) < 2**-11).all()
    u, v = domains.vectors()
    assert np.isnan(domains.angle(u, v)).sum() > 5
    assert not np.isnan(safe.domains(domains.angle)(u, v)).any()
