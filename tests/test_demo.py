"""The command line: the demo's pictures, its bound, and the printed facts."""

from __future__ import annotations

import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import halfcl as hc
from halfcl import demo
from halfcl.__main__ import info, main

Image = pytest.importorskip("PIL.Image")
pytest.importorskip("matplotlib")

PICTURES = tuple(f"photo_{mode}.png" for mode in demo.MODES)


@pytest.fixture(scope="module")
def photo():
    return demo.load_photo()


@pytest.fixture(scope="module")
def developed(photo):
    return {mode: demo.develop(photo, mode) for mode in demo.MODES}


@pytest.fixture(scope="module")
def demo_run(tmp_path_factory):
    """The demo's folder and what it printed, from a process of its own."""
    out = tmp_path_factory.mktemp("demo") / "made" / "by-the-demo"
    result = subprocess.run(
        [sys.executable, "-X", "utf8", "-m", "halfcl", "demo", "--out", str(out), "--repeat", "2"],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    return out, result.stdout


def exact_square(red: int, green: int, blue: int) -> Fraction:
    """The square of the exact result for one pixel: a rational number."""
    levels = (int(red), int(green), int(blue))
    x = sum(
        Fraction(v, 255) * Fraction(float(w)) for v, w in zip(levels, demo.WEIGHTS, strict=True)
    )
    return 2 * x**3 if x < Fraction(1, 2) else x * Fraction(3, 2) - Fraction(1, 2)


def assert_encloses(low, high, colours) -> None:
    for i, colour in enumerate(colours.T):
        square = exact_square(*colour)
        below, above = Fraction(float(low[i])) ** 2, Fraction(float(high[i])) ** 2
        assert below <= square <= above, (colour, low[i], high[i])


def test_the_weights_are_rec_709_and_sum_to_one():
    assert sum(Fraction(float(w)) for w in demo.WEIGHTS) == 1
    np.testing.assert_allclose(
        [float(w) for w in demo.WEIGHTS], (0.2126, 0.7152, 0.0722), atol=2**-11
    )


def test_files_and_their_sizes(demo_run, photo):
    out, printed = demo_run
    assert {path.name for path in out.iterdir()} == {*PICTURES, "gap.png", "overview.png"}
    for path in out.iterdir():
        assert f"wrote {path}" in printed
        with Image.open(path) as image:
            pixels = np.asarray(image.convert("L"))
        assert pixels.std() > 20, f"{path.name} is flat"
        if path.name in PICTURES:
            assert pixels.shape == photo.shape[1:]


def test_pictures_are_the_results(demo_run, developed):
    out, _ = demo_run
    for mode, result in developed.items():
        with Image.open(out / f"photo_{mode}.png") as image:
            assert image.mode == "L"
            grey = np.asarray(image)
        assert abs(grey - 255 * result.astype(np.float64)).max() <= 0.5 + 1 / 16


def test_printed_gap_is_the_widest(demo_run, developed):
    _, printed = demo_run
    # Rank among all non-negative halves: another way to count ulps.
    halves = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float64)
    low, high = (
        np.searchsorted(halves, developed[mode].astype(np.float64)) for mode in ("rtn", "rtp")
    )
    printed_gap = re.search(r"rounded up: (\d+) ulps \(mean ([\d.]+)\)", printed)
    assert printed_gap is not None
    assert int(printed_gap[1]) == (high - low).max() > 0
    assert float(printed_gap[2]) == pytest.approx((high - low).mean(), abs=0.005)
    np.testing.assert_array_equal(demo.gap_in_ulps(developed["rtn"], developed["rtp"]), high - low)


def test_printed_times(demo_run):
    _, printed = demo_run
    rows = re.findall(r"^(\S.*?) +(\d+) µs +(\d+) µs +([\d.]+)x$", printed, re.MULTILINE)
    assert [row[0] for row in rows] == [*demo._STEPS, "total"]
    assert all(int(row[2]) > 0 for row in rows)


def test_bound_encloses_the_exact_result(photo, developed):
    colours = photo.reshape(3, -1)
    low, high = developed["rtn"].ravel(), developed["rtp"].ravel()
    gap = demo.gap_in_ulps(low, high)
    rng = np.random.default_rng(16)
    sample = np.concatenate(
        [
            rng.choice(gap.size, 6000, replace=False),
            np.argsort(gap)[-500:],
            np.argsort(gap)[:500],
            np.argsort(low)[:200],
            np.argsort(low)[-200:],
        ]
    )
    assert_encloses(low[sample], high[sample], colours[:, sample])


def test_bound_encloses_the_exact_result_of_other_colours():
    rng = np.random.default_rng(709)
    greys = np.tile(np.arange(256, dtype=np.uint8), (3, 1))
    # Dark ones, whose results are subnormal, and ones around the curve's change at 1/2.
    dark = rng.integers(0, 4, (3, 200), dtype=np.uint8)
    middle = rng.integers(120, 136, (3, 1000), dtype=np.uint8)
    any_colour = rng.integers(0, 256, (3, 3000), dtype=np.uint8)
    colours = np.concatenate([greys, dark, middle, any_colour], axis=1)
    assert_encloses(demo.develop(colours, "rtn"), demo.develop(colours, "rtp"), colours)


def test_every_mode_lies_between_down_and_up(developed):
    for mode in ("rte", "rtz"):
        assert (developed["rtn"] <= developed[mode]).all()
        assert (developed[mode] <= developed["rtp"]).all()
    np.testing.assert_array_equal(
        developed["rtz"].view(np.uint16), developed["rtn"].view(np.uint16)
    )
    assert (developed["rte"] != developed["rtn"]).any()
    assert (developed["rte"] != developed["rtp"]).any()


@pytest.mark.parametrize("mode", demo.MODES)
def test_black_middle_and_white_stay(mode):
    with hc.rounding(mode, builtins=True):
        result = demo.contrast(np.array([0, 0.5, 1], hc.half))
    assert result.tolist() == [0, 0.5, 1]
    ends = np.array([[0, 255]] * 3, np.uint8)
    assert demo.develop(ends, mode).tolist() == [0, 1]


@pytest.mark.parametrize("mode", demo.MODES)
def test_the_curve_never_falls_and_raises_contrast(mode):
    levels = np.arange(0x3C01, dtype=np.uint16).view(hc.half)
    with hc.rounding(mode, builtins=True):
        curve = demo.contrast(levels).astype(np.float64)
    assert (np.diff(curve) >= 0).all()
    x = levels.astype(np.float64)
    assert (curve[x < 0.49] <= x[x < 0.49] + 2**-24).all()
    assert (curve[(x > 0.51) & (x < 0.99)] > x[(x > 0.51) & (x < 0.99)]).all()


def test_half_agrees_with_float16_up_to_the_gap(photo, developed):
    x = photo
    for _, float16_step in demo._STEPS.values():
        x = float16_step(x)
    distance = abs(demo.gap_in_ulps(developed["rte"], x))
    assert distance.max() <= 2 * demo.gap_in_ulps(developed["rtn"], developed["rtp"]).max()


def test_gap_in_ulps_counts_across_zero():
    tiny = 2.0**-24
    low = np.array([1, -tiny, -0.0, 0.0], hc.half)
    high = np.array([1 + 2.0**-10, tiny, 0.0, tiny], hc.half)
    assert demo.gap_in_ulps(low, high).tolist() == [1, 2, 0, 1]


def test_an_unknown_mode_is_refused(photo):
    with pytest.raises(ValueError, match="rte"):
        demo.develop(photo, "up")


def test_info_names_the_kernels_in_use(capsys):
    assert main(["info"]) == 0
    printed = capsys.readouterr().out
    device = hc.device_info()
    assert re.search(rf"^kernels in use +{device['isa']}$", printed, re.MULTILINE)
    for fact in (hc.__version__, np.__version__, *device["available"], *device["features"]):
        assert fact in printed
    assert "CL_FP_ROUND_TO_INF" in printed and "CL_FP_DENORM" in printed


def test_info_tells_the_mode_in_force():
    with hc.rounding("rtp"):
        assert re.search(r"^rounding mode +rtp$", info(), re.MULTILINE)


@pytest.mark.parametrize(
    "arguments", [[], ["develop"], ["demo", "--repeat", "0"], ["demo", "--repeat", "many"]]
)
def test_wrong_arguments(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert "usage: python -m halfcl" in capsys.readouterr().err


@pytest.mark.parametrize(("module", "package"), [("PIL", "Pillow"), ("matplotlib", "matplotlib")])
def test_a_missing_package_is_named(module, package, monkeypatch, tmp_path, capsys):
    for name in [name for name in sys.modules if name.partition(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    assert main(["demo", "--out", str(tmp_path / "out")]) == 1
    error = capsys.readouterr().err
    assert package in error and "pip install 'halfcl[demo]'" in error
    assert not (tmp_path / "out").exists()


def test_a_file_in_the_way(tmp_path, capsys):
    (tmp_path / "taken").write_text("")
    assert main(["demo", "--repeat", "1", "--out", str(tmp_path / "taken")]) == 1
    assert "taken" in capsys.readouterr().err


def test_the_photograph_names_its_source():
    readme = Path(demo.__file__).parent / "examples" / "README.md"
    text = readme.read_text(encoding="utf-8")
    for fact in ("chelsea.jpg", "Stéfan van der Walt", "scikit-image", "CC0"):
        assert fact in text
