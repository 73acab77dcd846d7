"""The examples on devices, on the host and on an OpenCL device if there is one.

Each run asserts that both give the same bits.
"""

import functools
import sys
from fractions import Fraction

import numpy as np
import pytest
from places import ROOT

from halfcl import half

pytest.importorskip("clang.cindex", reason='needs libclang: pip install "halfcl[kernels]"')
sys.path.insert(0, str(ROOT / "examples"))

import device_intervals
import device_neighbours
import device_rerun
import neighbour_list
import on_device
import planet

pytestmark = [pytest.mark.once, pytest.mark.kernels]

ALL = [device_intervals, device_neighbours, device_rerun]


def exact(halves):
    return [Fraction(x) for x in np.asarray(halves).astype(float).tolist()]


@pytest.mark.parametrize("example", ALL, ids=lambda example: example.__name__)
def test_runs(example, capsys):
    example.main()
    printed = capsys.readouterr().out
    assert on_device.context() is None or "the same bits as on the host" in printed


def test_planet_is_drawn(monkeypatch, capsys, tmp_path):
    """The translated program is right on each device, and draws the stored results."""
    monkeypatch.setattr(planet, "SIZE", 24)
    kept, picture = tmp_path / "runs.npz", tmp_path / "planet.png"
    planet.main(["--save", str(kept)])
    printed = capsys.readouterr()
    if not planet.devices():
        assert "no OpenCL device: " in printed.err
        return
    assert ", translated: 0.0% of the pixels differ, by up to 0 ulp" in printed.out
    assert ", float: " in printed.out
    pytest.importorskip("matplotlib")
    planet.main(["--draw", str(kept), str(picture)])
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_without_a_device(monkeypatch, capsys):
    """One line reports it, once, and the host computes alone."""
    monkeypatch.setitem(sys.modules, "pyopencl", None)
    monkeypatch.setattr(on_device, "context", functools.cache(on_device.context.__wrapped__))
    device_rerun.main()
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("no OpenCL device: ")
    assert line.endswith("(pip install pyopencl); on the host alone")


def test_differences_raise(monkeypatch):
    monkeypatch.setattr(on_device, "forms", lambda: [False])
    monkeypatch.setattr(on_device, "build", lambda *_: None)
    monkeypatch.setattr(on_device, "launch", lambda p, kernel, size, arrays: arrays)
    with pytest.raises(AssertionError, match="ranges, fp16=False: not as on the host"):
        device_intervals.ranges(half([[1, 2]]))


def test_unstable_formula_has_large_spread():
    results_of_modes, sides = device_rerun.rerun(), device_rerun.triangles()
    heron, kahan = device_rerun.spread(results_of_modes)
    assert heron.max() == 1 and kahan.max() < 0.007
    right = np.array([float(device_rerun.exact(row)) for row in sides])
    for results in results_of_modes.values():
        assert np.abs(on_device.floats(results[1]) / right - 1).max() < 0.004
    off = np.abs(on_device.floats(results_of_modes["rte"][0]) / right - 1)
    assert off.max() > 0.9 and (off > 0.05).sum() > 50  # it is as wrong as the spread says


def test_zeros_are_enclosed():
    rounds = device_intervals.search()
    zeros = device_intervals.join(rounds[-1][0])
    for low, high in zeros:  # the polynomial changes its sign in each
        a, b = (((x - 5) * x + 2) * x + 3 for x in exact([low, high]))
        assert a * b <= 0
    assert len(zeros) == 3 and all(float(high - low) < 0.008 for low, high in zeros)


def test_ranges_enclose():
    rng = np.random.default_rng(0)
    boxes = np.sort(half(rng.uniform(-6, 6, (200, 2))), axis=1)
    low, high = device_intervals.ranges(boxes)
    for bounds, (a, b) in zip(zip(exact(low), exact(high), strict=True), boxes, strict=True):
        (a, b) = exact([a, b])
        for k in range(9):
            x = a + (b - a) * k / 8
            assert bounds[0] <= ((x - 5) * x + 2) * x + 3 <= bounds[1]


def test_no_neighbour_is_missed():
    particles, start = device_neighbours.sort_by_cell()
    near = device_neighbours.exact_pairs(particles)
    toward_zero = device_neighbours.pairs(particles, start, "rtz")
    assert near <= toward_zero and len(toward_zero) < 1.002 * len(near)
    assert near - device_neighbours.pairs(particles, start, "rte")
    host = set()
    for i, j in neighbour_list.candidates(particles):
        squared = neighbour_list.round_distance("rtz", neighbour_list.gaps(particles, i, j))
        on_list = squared <= neighbour_list.TOWARD_ZERO
        host |= {
            tuple(sorted(p)) for p in zip(i[on_list].tolist(), j[on_list].tolist(), strict=True)
        }
    assert toward_zero == host
