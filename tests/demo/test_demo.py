"""The command line: the demo's pictures, its bound and errors, and the printed facts."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import halfcl as hc
from halfcl import _demo as demo
from halfcl._command import main
from halfcl._demo import developing, shading
from halfcl._installation import report

Image = pytest.importorskip("PIL.Image")
pytest.importorskip("matplotlib")

LIGHTS = {"upper_left": shading.UPPER_LEFT, "right": shading.RIGHT}
RELIEFS = tuple(f"lit_from_{name}.png" for name in LIGHTS)
PICTURES = (*(f"photo_{mode}.png" for mode in demo.MODES), "normals.png", *RELIEFS)
PANELS = ("gap.png", "overview.png", "shading.png", "resampling.png")


@pytest.fixture(scope="module")
def photo():
    return demo.load_photo()


@pytest.fixture(scope="module")
def pictures_by_mode(photo):
    return {mode: demo.develop(photo, mode) for mode in demo.MODES}


@pytest.fixture(scope="module")
def demo_run(tmp_path_factory):
    """Run the demo in a process of its own; return its folder and output.

    It takes seconds, so that tests in another of pytest's processes use what one has made.
    """
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "demo-run"
    out, printed = shared / "made" / "by-the-demo", shared / "printed"
    if printed.exists():
        return out, printed.read_text(encoding="utf-8")
    try:
        shared.mkdir()
    except FileExistsError:  # another is about to make it
        return run_demo(tmp_path_factory.mktemp("demo") / "made" / "by-the-demo")
    _, text = run_demo(out)
    unfinished = shared / "unfinished"
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(printed)
    return out, text


def run_demo(out):
    """Run the demo, which makes a folder; return that and its output."""
    result = subprocess.run(
        [sys.executable, "-X", "utf8", "-m", "halfcl", "demo", "--out", str(out), "--repeat", "1"],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    return out, result.stdout


def exact_square(red: int, green: int, blue: int) -> Fraction:
    """Return the square of the exact result for one pixel, a rational number."""
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
    assert {path.name for path in out.iterdir()} == {*PICTURES, *PANELS}
    for path in out.iterdir():
        assert f"wrote {path}" in printed
        with Image.open(path) as image:
            pixels = np.asarray(image.convert("RGB"))
        assert pixels.std() > 20, f"{path.name} is flat"
        if path.name in PICTURES:
            assert pixels.shape == (*photo.shape[1:], 3)


def test_pictures_are_the_results(demo_run, pictures_by_mode):
    out, _ = demo_run
    for mode, result in pictures_by_mode.items():
        with Image.open(out / f"photo_{mode}.png") as image:
            assert image.mode == "L"
            grey = np.asarray(image)
        assert abs(grey - 255 * result.astype(np.float64)).max() <= 0.5 + 1 / 16


def test_printed_gap_is_the_widest(demo_run, pictures_by_mode):
    _, printed = demo_run
    # Rank among all non-negative halves: another way to count ulps.
    halves = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float64)
    low, high = (
        np.searchsorted(halves, pictures_by_mode[mode].astype(np.float64))
        for mode in ("rtn", "rtp")
    )
    printed_gap = re.search(r"rounded up: (\d+) ulps \(mean ([\d.]+)\)", printed)
    assert printed_gap is not None
    assert int(printed_gap[1]) == (high - low).max() > 0
    assert float(printed_gap[2]) == pytest.approx((high - low).mean(), abs=0.005)
    np.testing.assert_array_equal(
        demo.gap_in_ulps(pictures_by_mode["rtn"], pictures_by_mode["rtp"]), high - low
    )


def test_printed_times(demo_run):
    _, printed = demo_run
    rows = re.findall(r"^(\S.*?) +(\d+) µs +(\d+) µs +([\d.]+)x$", printed, re.MULTILINE)
    assert [row[0] for row in rows] == [*developing.STEPS, "total", *shading.steps(), "total"]
    assert all(int(row[2]) > 0 for row in rows)


def test_bound_encloses_the_exact_result(photo, pictures_by_mode):
    colours = photo.reshape(3, -1)
    low, high = pictures_by_mode["rtn"].ravel(), pictures_by_mode["rtp"].ravel()
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


def test_every_mode_lies_between_down_and_up(pictures_by_mode):
    for mode in ("rte", "rtz"):
        assert (pictures_by_mode["rtn"] <= pictures_by_mode[mode]).all()
        assert (pictures_by_mode[mode] <= pictures_by_mode["rtp"]).all()
    np.testing.assert_array_equal(
        pictures_by_mode["rtz"].view(np.uint16), pictures_by_mode["rtn"].view(np.uint16)
    )
    assert (pictures_by_mode["rte"] != pictures_by_mode["rtn"]).any()
    assert (pictures_by_mode["rte"] != pictures_by_mode["rtp"]).any()


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


def test_half_agrees_with_float16_up_to_the_gap(photo, pictures_by_mode):
    x = photo
    for _, float16_step in developing.STEPS.values():
        x = float16_step(x)
    distance = abs(demo.gap_in_ulps(pictures_by_mode["rte"], x))
    assert (
        distance.max()
        <= 2 * demo.gap_in_ulps(pictures_by_mode["rtn"], pictures_by_mode["rtp"]).max()
    )


def test_gap_in_ulps_counts_across_zero():
    tiny = 2.0**-24
    low = np.array([1, -tiny, -0.0, 0.0], hc.half)
    high = np.array([1 + 2.0**-10, tiny, 0.0, tiny], hc.half)
    assert demo.gap_in_ulps(low, high).tolist() == [1, 2, 0, 1]


def test_an_unknown_mode_is_refused(photo):
    with pytest.raises(ValueError, match="rte"):
        demo.develop(photo, "up")


# ---------------------------------------------------------------- the relief


#: Half of the distance between halves from 1/2 to 1: what one rounding is off there.
HALF_ULP = 2.0**-12


def smoothing(size: int) -> np.ndarray:
    """Return the matrix that smooths twice, with a quarter of each neighbour."""
    once = np.diag(np.full(size, 0.5)) + np.diag(np.full(size - 1, 0.25), 1)
    once += np.diag(np.full(size - 1, 0.25), -1)
    once[0, 0] = once[-1, -1] = 0.75
    return once @ once


def falling(size: int) -> np.ndarray:
    """Return the matrix of the element before minus the one after; edges repeat."""
    matrix = np.diag(np.ones(size - 1), -1) - np.diag(np.ones(size - 1), 1)
    matrix[0, 0], matrix[-1, -1] = 1, -1
    return matrix


def exact_slopes(height):
    rows, columns = (smoothing(size) for size in height.shape)
    across, down = height @ falling(height.shape[1]).T, falling(height.shape[0]) @ height
    return rows @ across @ columns, rows @ down @ columns


def exact_normals(across, down):
    normals = np.stack([across, down, np.full_like(across, shading.FLATNESS)], axis=-1)
    return normals / np.linalg.norm(normals, axis=-1, keepdims=True)


def exact_cosines(normals, light):
    towards = np.asarray(light) / np.linalg.norm(light)
    # The halfway vector of two unit vectors, from half the angle between them.
    z = np.sqrt((1 + towards[2]) / 2)
    halfway = np.array([*(towards[:2] / (2 * z)), z])
    return np.maximum(normals @ towards, 0), np.maximum(normals @ halfway, 0)


def exact_colour(lit, shines):
    shadow, full, highlight = (
        rgb.astype(np.float64) for rgb in (shading.SHADOW, shading.LIT, shading.HIGHLIGHT)
    )
    return (shadow * (1 - lit) + full * lit) * (1 - shines) + highlight * shines


def exact_relief(photo, light):
    height = np.einsum("c,chw->hw", [float(w) for w in demo.WEIGHTS], photo / 255)
    lit, halfway = exact_cosines(exact_normals(*exact_slopes(height)), light)
    return exact_colour(lit, halfway**shading.SHININESS)


def assert_correctly_rounded(result, exact):
    """Check that errors are at most half the distance between halves."""
    exact = np.asarray(exact, np.float64)
    ulp = np.maximum(2.0 ** (np.floor(np.log2(np.maximum(abs(exact), 2.0**-14))) - 10), 2.0**-24)
    assert (abs(np.asarray(result, np.float64) - exact) <= ulp / 2 * (1 + 1e-6)).all()


def as_float64(arrays):
    return tuple(np.asarray(array, np.float64) for array in arrays)


@pytest.fixture(scope="module")
def slopes(photo):
    return shading.downhill(shading.height(photo))


def test_slopes_are_smoothed_differences(photo, slopes):
    height = shading.height(photo).astype(np.float64)
    # Nine roundings: of the difference, and two in each of four passes, by weights that sum to 1.
    rows, columns = (smoothing(size) for size in height.shape)
    falls = abs(height @ falling(height.shape[1]).T), abs(falling(height.shape[0]) @ height)
    for slope, exact, fall in zip(slopes, exact_slopes(height), falls, strict=True):
        bound = 9 * (2.0**-11 * (1 + 2**-7) * (rows @ fall @ columns) + 2.0**-25)
        assert slope.dtype == hc.half
        assert (abs(slope.astype(np.float64) - exact) <= bound).all()


def test_normals_are_correctly_rounded(slopes):
    normals = shading.normals(slopes)
    assert type(normals) is hc.half3
    assert_correctly_rounded(normals, exact_normals(*as_float64(slopes)))


@pytest.mark.parametrize("light", [*LIGHTS.values(), (0, 0, 5), (0, -3, 0.5)])
def test_cosines(slopes, light):
    normals = shading.normals(slopes)
    exact = exact_cosines(normals.astype(np.float64).view(np.ndarray), light)
    # Two normalizations and a sum in the directions, whose errors add up over three components
    # of lengths whose sum is at most sqrt(3); and the dot product's own.
    bound = (3 * 3**0.5 + 1) * HALF_ULP
    for cosine, expected in zip(shading.facing(normals, light), exact, strict=True):
        assert cosine.dtype == hc.half and cosine.min() >= 0
        assert abs(cosine.astype(np.float64) - expected).max() <= bound


def test_highlights_are_correctly_rounded(slopes):
    cosines = shading.facing(shading.normals(slopes), shading.UPPER_LEFT)
    lit, shines = shading.shine(cosines)
    assert lit is cosines[0]
    assert_correctly_rounded(shines, cosines[1].astype(np.float64) ** 24)


def test_colours_are_mixed():
    amounts = np.arange(0, 0x3C01, 7, dtype=np.uint16).view(hc.half)
    lit, shines = np.meshgrid(amounts, amounts[::31])
    bronze = shading.colour((lit, shines))
    assert bronze.dtype == hc.half and bronze.shape == (3, *lit.shape)
    exact = exact_colour(*as_float64((lit, shines)))
    assert abs(bronze.astype(np.float64) - exact).max() <= 2 * HALF_ULP


@pytest.mark.parametrize("light", LIGHTS.values(), ids=LIGHTS)
def test_the_relief_is_as_exact_as_half_allows(photo, light):
    exact = exact_relief(photo, light)
    error = demo.error_in_levels(demo.shade(photo, light), exact)
    # A cosine of 1 - 2^-11 or 1: to the power 24, that alone is 3 of 255 levels.
    assert error.max() < 3 and error.mean() < 0.2
    float16 = demo.error_in_levels(shading.shade_in_numpy(photo, light), exact)
    assert float16.max() > 1.2 * error.max() and float16.mean() > 1.2 * error.mean()


def test_numpy_in_float64_is_exact_enough_to_measure_by(photo):
    exact = shading.shade_in_numpy(photo, shading.UPPER_LEFT, np.float64)
    assert exact.dtype == np.float64
    np.testing.assert_allclose(exact, exact_relief(photo, shading.UPPER_LEFT), atol=1e-13)


def test_each_side_computes_in_its_own_type(photo):
    x, y = photo, photo
    for ours, theirs in shading.steps().values():
        x, y = ours(x), theirs(y)
        for results, dtype in ((x, hc.half), (y, np.float16)):
            arrays = results if isinstance(results, tuple) else (results,)
            assert all(array.dtype == dtype for array in arrays)


@pytest.mark.parametrize(
    ("light", "bright"), [((-1, 0, 1), "left"), ((1, 0, 1), "right"), ((0, -1, 1), "top")]
)
def test_the_side_toward_the_lamp_is_lit(light, bright):
    y, x = np.mgrid[-20:21, -20:21]
    hill = np.clip(255 - 10 * np.hypot(x, y), 0, 255).astype(np.uint8)
    red = demo.shade(np.tile(hill, (3, 1, 1)), light)[0].astype(np.float64)
    sides = {"left": red[20, 10], "right": red[20, 30], "top": red[10, 20], "bottom": red[30, 20]}
    assert max(sides, key=sides.__getitem__) == bright
    assert sides[bright] > red[0, 0]


def test_a_plain_photograph_is_a_plain_relief():
    relief = demo.shade(np.full((3, 5, 7), 200, np.uint8))
    assert (relief == relief[:, :1, :1]).all()
    exact = exact_relief(np.full((3, 5, 7), 200, np.uint8), shading.UPPER_LEFT)
    np.testing.assert_allclose(relief.astype(np.float64), exact, atol=4 * HALF_ULP)


def test_directed_modes_enclose_the_normals(slopes):
    exact = exact_normals(*as_float64(slopes))
    with hc.rounding("rtn", builtins=True):
        low = shading.normals(slopes).astype(np.float64)
    with hc.rounding("rtp", builtins=True):
        high = shading.normals(slopes).astype(np.float64)
    assert (low <= exact + 1e-15).all() and (exact - 1e-15 <= high).all()
    assert (low < high).any()


def test_pictures_of_the_relief(demo_run, photo, slopes):
    out, _ = demo_run
    results = {
        f"lit_from_{name}.png": np.moveaxis(exact_relief(photo, light), 0, -1)
        for name, light in LIGHTS.items()
    }
    normals = exact_normals(*exact_slopes(shading.height(photo).astype(np.float64)))
    results["normals.png"] = (normals + 1) / 2
    for name, exact in results.items():
        with Image.open(out / name) as image:
            assert image.mode == "RGB"
            levels = np.asarray(image, np.float64)
        assert abs(levels - 255 * exact).max() < 3.5, name
        assert abs(levels - 255 * exact).mean() < 0.35, name


def test_printed_errors(demo_run, photo):
    _, printed = demo_run
    exact = exact_relief(photo, shading.UPPER_LEFT)
    pictures = {
        "halfcl": demo.shade(photo),
        "NumPy float16": shading.shade_in_numpy(photo),
    }
    for who, picture in pictures.items():
        error = 255 * abs(picture.astype(np.float64) - exact).max(axis=0)
        line = re.search(
            rf"^{who} +mean ([\d.]+), at most ([\d.]+); .* in ([\d.]+)% of the pixels$",
            printed,
            re.MULTILINE,
        )
        assert line is not None, who
        assert float(line[1]) == pytest.approx(error.mean(), abs=0.00501)
        assert float(line[2]) == pytest.approx(error.max(), abs=0.0501)
        assert float(line[3]) == pytest.approx(100 * (error >= 0.5).mean(), abs=0.0501)


# ---------------------------------------------------------------- the command line


def test_info_names_the_kernels_in_use(capsys):
    assert main(["info"]) == 0
    printed = capsys.readouterr().out
    device = hc.processor_info()
    assert re.search(rf"^kernels in use +{device['isa']}$", printed, re.MULTILINE)
    for fact in (hc.__version__, np.__version__, *device["available"], *device["features"]):
        assert fact in printed
    assert "CL_FP_ROUND_TO_INF" in printed and "CL_FP_DENORM" in printed


def test_info_tells_the_mode_in_force():
    with hc.rounding("rtp"):
        assert re.search(r"^rounding mode +rtp$", report(), re.MULTILINE)


@pytest.mark.parametrize(
    "arguments", [["develop"], ["demo", "--repeat", "0"], ["demo", "--repeat", "many"]]
)
def test_wrong_arguments(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert "usage: " in capsys.readouterr().err


@pytest.mark.parametrize(("module", "package"), [("PIL", "Pillow"), ("matplotlib", "matplotlib")])
def test_a_missing_package_is_named(module, package, monkeypatch, tmp_path, capsys):
    for name in [name for name in sys.modules if name.partition(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    assert main(["demo", "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert package in error and 'pip install "halfcl[demo]"' in error
    assert not (tmp_path / "out").exists()


def test_a_file_in_the_way(tmp_path, capsys):
    (tmp_path / "taken").write_text("")
    assert main(["demo", "--repeat", "1", "--out", str(tmp_path / "taken")]) == 2
    assert "taken" in capsys.readouterr().err


def test_the_photograph_names_its_source():
    readme = Path(hc.__file__).parent / "_demo" / "README.md"
    text = readme.read_text(encoding="utf-8")
    for fact in ("chelsea.jpg", "Stéfan van der Walt", "scikit-image", "CC0"):
        assert fact in text
