"""The neighbour list of examples/: it misses no neighbour, for the reason that its proof states."""

import importlib
from fractions import Fraction

import numpy as np
import pytest
from exhaustive import left_out
from places import ROOT

import halfcl as hc
from halfcl import half

pytestmark = [pytest.mark.once, pytest.mark.kernels]
EXAMPLES = ROOT / "examples"
UNIT = 1 << 24  # every half is a whole number of 2^-24


@pytest.fixture
def example(monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    return importlib.import_module("neighbour_list")


def whole(halves):
    """Return halves, exactly, as integers: units of 2^-24."""
    return (np.asarray(halves).astype(float) * UNIT).astype(np.int64).astype(object)


def random_gaps(rng, count, around=None):
    """Return gaps of random places; around: many of them with distances close to it."""
    spread = np.where(rng.random((2, count)) < 0.2, rng.integers(1, 24, (2, count)), 0)
    ahead, behind = hc.convert(rng.random((2, 2, count)) * 2.0**-spread, half)
    cells = rng.integers(0, 3, (2, count), dtype=np.int8)
    if around is not None:
        turn = rng.random(count) * np.pi / 2
        along = around * rng.uniform(0.998, 1.002, count) * np.array([np.cos(turn), np.sin(turn)])
        cells = rng.integers(0, 2, (2, count), dtype=np.int8)
        free = np.clip(along + behind.astype(float) - cells, 0, 1)
        ahead = hc.convert(free, half)
    return ahead, behind, cells


def exact_squares(ahead, behind, cells):
    """Return the squared distances by integers, in units of 2^-48."""
    along = whole(ahead) + cells.astype(object) * UNIT - whole(behind)
    return (along * along).sum(axis=0)


@pytest.mark.parametrize("every", [1, 4])
def test_list_misses_no_neighbour(example, every):
    result = example.simulate(4000, 8, every)
    for way in ("toward zero", "to nearest, with a margin"):
        assert result.missed_making[way] == result.missed_using[way] == 0
        assert result.listed[way] >= result.inside
    assert result.lists == 8 // every and result.neighbours > 8 * 4000 * 6


def test_rounding_to_nearest_misses_neighbours(example):
    """The test detects a list that misses neighbours."""
    result = example.simulate(4000, 8, 1)
    assert result.missed_making["to nearest"] == result.missed_using["to nearest"] > 0


def test_toward_zero_lists_less_than_a_margin(example):
    result = example.simulate(4000, 4, 1)
    extra = {way: pairs - result.inside for way, pairs in result.listed.items()}
    assert 0 < 2 * extra["toward zero"] < extra["to nearest, with a margin"]
    assert abs(result.bias["rte"]) * 4 < result.bias["rtz"]


def test_reference_by_all_pairs(example):
    """Candidates omit no neighbour, name none twice, and have the right counts.

    The reference is all pairs, in integers.
    """
    particles = example.place(700, seed=3)
    for _ in range(5):
        example.move(particles)
    side = particles.side * UNIT
    where = particles.cell.astype(object) * UNIT + whole(particles.x)
    i, j = np.triu_indices(700, 1)
    along = (where[:, j] - where[:, i]) % side
    along = np.minimum(along, side - along)
    near = (along * along).sum(axis=0) <= whole(example.LIST_RADIUS) ** 2
    expected = set(zip(i[near].tolist(), j[near].tolist(), strict=True))
    limit = float(example.LIST_RADIUS) ** 2
    pairs = []
    for a, b in example.candidates(particles):
        chosen = example.exact(*example.gaps(particles, a, b)) <= limit
        pairs += zip(a[chosen].tolist(), b[chosen].tolist(), strict=True)
    assert len(pairs) == len(expected)
    assert {tuple(sorted(pair)) for pair in pairs} == expected


def test_float64_is_exact(example):
    gap = random_gaps(np.random.default_rng(1), 20_000)
    got = example.exact(*gap)
    assert [Fraction(x) for x in got.tolist()] == [
        Fraction(int(x), UNIT * UNIT) for x in exact_squares(*gap)
    ]


def test_toward_zero_is_never_above_exact(example):
    """The proof's conclusion holds; but not in the other order, nor to nearest."""
    radius = float(example.LIST_RADIUS)
    for around in (None, radius):
        gap = random_gaps(np.random.default_rng(2), 20_000, around)
        exact = exact_squares(*gap)
        assert (whole(example.round_distance("rtz", gap)) * UNIT <= exact).all()
        assert (whole(example.round_distance("rte", gap)) * UNIT > exact).any()
        ahead, behind, cells = gap
        with hc.rounding("rtz"):
            along = (ahead - behind) + cells
            other = along[0] * along[0] + along[1] * along[1]
        assert (whole(other) * UNIT > exact).any()


def test_steps_of_the_proof(example):
    """Each operation, rounded toward zero, is not above the exact one in magnitude.

    It does not decrease with any of the operands that were rounded before it.
    """
    rng = np.random.default_rng(3)
    a, b = (np.sort(hc.convert(rng.random((2, 20_000)) * 2, half), axis=0) for _ in range(2))
    for operation, unit in ((hc.add, 1), (hc.multiply, UNIT)):
        low, high = (operation(a[k], b[k], rounding="rtz") for k in (0, 1))
        assert (low <= high).all()
        plain = whole(a) + whole(b) if unit == 1 else whole(a) * whole(b)
        assert (whole(low) * unit <= plain[0]).all() and (whole(high) * unit <= plain[1]).all()
    difference = hc.subtract(a[0], b[0], rounding="rtz")
    assert (abs(whole(difference)) <= abs(whole(a[0]) - whole(b[0]))).all()


def test_toward_zero_is_never_above_nearest(example):
    gap = random_gaps(np.random.default_rng(4), 20_000, float(example.LIST_RADIUS))
    assert (example.round_distance("rtz", gap) <= example.round_distance("rte", gap)).all()


def hard_gaps(rng, count, radius):
    """Return gaps just within a radius, in the next cell in both directions; all steps round."""
    turn = rng.uniform(0.6, 0.97, count)
    along = radius * rng.uniform(0.9993, 1, count) * np.array([np.cos(turn), np.sin(turn)])
    behind = hc.convert(rng.uniform(np.clip(1 - along, 0, 0.5), 0.5), half)
    ahead = hc.convert(np.maximum(along - 1 + behind.astype(float), 0), half, rounding="rtn")
    return ahead, behind, np.ones((2, count), np.int8)


@pytest.mark.parametrize("radius", [0.98, 0.9, 0.75, 0.3, 2.0**-10])
def test_margin_suffices(example, radius):
    radius, rng = half(radius), np.random.default_rng(5)
    for gap in (random_gaps(rng, 20_000, float(radius)), hard_gaps(rng, 200_000, float(radius))):
        inside = example.exact(*gap) <= float(radius) ** 2
        nearest = example.round_distance("rte", gap)
        assert (nearest[inside] <= example.margin(radius)).all()


def test_smaller_margin_misses_neighbours(example):
    """Neither the margin that sufficed in a run, nor one for the squares' rounding suffices."""
    gap = hard_gaps(np.random.default_rng(6), 300_000, float(example.LIST_RADIUS))
    inside = example.exact(*gap) <= float(example.LIST_RADIUS) ** 2
    trial = float(example.LIST_RADIUS) ** 2 * (1 + 2.0**-11) ** 2 + 2.0**-23
    trial = hc.convert(trial, half, rounding="rtp")
    assert (example.round_distance("rte", gap)[inside] > trial).any()
    assert (example.round_distance("rtz", gap)[inside] <= example.TOWARD_ZERO).all()


def test_travel(example):
    """No particle leaves its cell's halves, nor moves further per step than the list allows."""
    particles = example.place(20_000, seed=6)
    farthest = 0
    for _ in range(10):
        before = particles.cell * 1.0 + particles.x.astype(float)
        example.move(particles)
        assert ((particles.x >= 0) & (particles.x <= 1)).all()
        assert ((particles.cell >= 0) & (particles.cell < particles.side)).all()
        moved = abs(particles.cell + particles.x.astype(float) - before)
        moved = np.minimum(moved, particles.side - moved)
        farthest = max(farthest, np.hypot(*moved).max())
    assert float(example.SPEED) * 0.9 < farthest <= example.TRAVEL


def test_command_line(example, tmp_path, capsys):
    example.main(
        ["--particles", "3000", "--steps", "2", "--every", "1",
         "--picture", str(tmp_path / "picture.png")]
    )  # fmt: skip
    table = capsys.readouterr().out
    assert "| toward zero |" in table and "3,000 particles, 2 steps, 2 lists" in table
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("option", "value"), [("--particles", "224"), ("--steps", "0"), ("--every", "0"),
                          ("--every", "75")]
)  # fmt: skip
def test_bad_arguments(example, option, value, capsys):
    with pytest.raises(SystemExit):
        example.main([option, value])
    assert f"{option[2:]}: " in capsys.readouterr().err


@left_out("Dask's arrays and clusters are tested in tests/dask")
@pytest.mark.filterwarnings("ignore")  # what the cluster's event loop says when it ends
def test_results_are_the_same_with_dask(monkeypatch, tmp_path, capsys):
    """Results have the same bits however the work is split, and as for NumPy's array."""
    for package in ("distributed", "zarr", "dask.array"):
        pytest.importorskip(package)
    monkeypatch.syspath_prepend(EXAMPLES)
    past_memory = importlib.import_module("past_memory")
    monkeypatch.setattr(past_memory, "SIDE", 64)
    past_memory.main(["--size", str(6 * 2 * 64 * 64 / 2**30), "--folder", str(tmp_path)])
    text = capsys.readouterr().out
    assert "the same bits: True" in text and "6 blocks" in text and not list(tmp_path.iterdir())
    y = past_memory.response(past_memory.noise(6 * 2 * 64 * 64 / 2**30).compute())
    exact = sum(Fraction(float(v)) for v in y.ravel())
    assert f"sum {float(exact).hex()}," in text
