"""The demo's resampled photograph: its errors, against sums over all texels in float64."""

from __future__ import annotations

import re

import numpy as np
import pytest

import halfcl as hc
from halfcl import _demo as demo
from halfcl._demo import panels, resampling

pytest.importorskip("PIL.Image")
pytest.importorskip("matplotlib")

HALF, PILLOW_LIGHT, PILLOW_CODES = (
    "halfcl, light in half",
    "Pillow, light in 8 bits",
    "Pillow, codes of sRGB in 8 bits",
)

#: How far one rounding of light to half is off at most, in levels of sRGB; and a little for the
#: places, which are rounded to float32.
ONE_ROUNDING = 0.042


@pytest.fixture(scope="module")
def codes():
    return np.ascontiguousarray(demo.load_photo().transpose(1, 2, 0))


@pytest.fixture(scope="module")
def results():
    return demo.resample_photo(demo.load_photo())


def to_light(codes):
    x = np.asarray(codes) / 255
    return np.where(x > 0.04045, ((200 * x + 11) / 211) ** 2.4, 25 * x / 323)


def to_levels(light):
    bright = (211 * np.maximum(light, 1e-3) ** (5 / 12) - 11) / 200
    return 255 * np.where(light > 0.0031308, bright, 323 * light / 25)


def tent(places, size):
    """Return the weights of all texels at coordinates, clamped: 0 to 1 for the nearest two."""
    places = np.clip(places, 0.5, size - 0.5)
    return np.maximum(0, 1 - abs(places[:, np.newaxis] - np.arange(size) - 0.5))


def transform_exactly(light, matrix, x, y):
    """Return the exact colours at the result's pixels x, y."""
    across = tent(matrix[0] @ (x + 0.5, y + 0.5, np.ones(x.shape)), light.shape[1])
    down = tent(matrix[1] @ (x + 0.5, y + 0.5, np.ones(x.shape)), light.shape[0])
    rows = (down @ light.reshape(light.shape[0], -1)).reshape(len(x), *light.shape[1:])
    return np.einsum("ni,nic->nc", across, rows)


def box(light, size):
    """Return means of squares, by matrices."""
    rows, columns = (np.kron(np.eye(n // size), np.full(size, 1 / size)) for n in light.shape[:2])
    return np.moveaxis(rows @ np.moveaxis(light, -1, 0) @ columns.T, 0, -1)


def test_half_is_off_by_one_rounding_and_pillow_by_levels(results):
    assert list(results) == [*resampling.MATRICES, "mipmaps"]
    for name, (_, errors) in results.items():
        assert list(errors) == [HALF, PILLOW_LIGHT, PILLOW_CODES]
        assert 0.03 < np.nanmax(errors[HALF]) < ONE_ROUNDING, name
        for who in (PILLOW_LIGHT, PILLOW_CODES):
            assert np.nanmax(errors[who]) > 5, (name, who)
            assert np.nanmean(errors[who]) > 20 * np.nanmean(errors[HALF]), (name, who)


def test_errors_of_one_rounding_to_half():
    halves = np.arange(0x3C01, dtype=np.uint16).view(np.float16).astype(np.float64)
    levels = to_levels(halves)
    middles = to_levels((halves[1:] + halves[:-1]) / 2)
    furthest = np.maximum(middles - levels[:-1], levels[1:] - middles).max()
    assert furthest < ONE_ROUNDING < 1.03 * furthest


@pytest.mark.parametrize("name", resampling.MATRICES)
def test_warps_equal_sums_over_all_texels(codes, results, name):
    rng = np.random.default_rng(11)
    height, width = codes.shape[:2]
    # Where errors are largest, at the corners, and anywhere.
    worst = np.argsort(results[name].errors[PILLOW_CODES], axis=None)[-100:]
    corners = [0, width - 1, (height - 1) * width, height * width - 1]
    y, x = np.divmod(np.concatenate([worst, corners, rng.integers(0, height * width, 600)]), width)
    matrix = resampling.MATRICES[name]
    exact = transform_exactly(to_light(codes), matrix, x, y)
    ours = hc.resample(hc.Image(codes, resampling.SRGB), matrix=matrix)[y, x, :3]
    error = abs(to_levels(ours.astype(np.float64)) - to_levels(exact)).max(axis=-1)
    assert error.max() < ONE_ROUNDING
    # The map tells just that; the picture is the nearest code or, next to a tie, its neighbour.
    np.testing.assert_allclose(results[name].errors[HALF][y, x], error, atol=1e-6)
    assert abs(results[name].picture[y, x] - to_levels(exact)).max() <= 0.5 + ONE_ROUNDING
    theirs = resampling.pillow_bilinear(codes, matrix)[y, x]
    error = abs(theirs - to_levels(exact)).max(axis=-1)
    np.testing.assert_allclose(results[name].errors[PILLOW_CODES][y, x], error, atol=1e-6)


def test_pillow_is_right_up_to_a_level(codes):
    """Pillow's errors come from 8 bits and non-linear light, not from other coordinates."""
    x, y = (grid.ravel() for grid in np.meshgrid(np.arange(0, 451, 18), np.arange(0, 300, 13)))
    for matrix in resampling.MATRICES.values():
        exact = transform_exactly(codes.astype(np.float64), matrix, x, y)
        assert abs(resampling.pillow_bilinear(codes, matrix)[y, x] - exact).max() < 1 + 1e-6
    part = codes[resampling.PART]
    for k in resampling.LEVELS:
        theirs = resampling.pillow_means(part, 2**k)
        assert abs(theirs - box(part.astype(np.float64), 2**k)).max() <= 0.5 + 1e-6


def test_mipmaps_are_means(codes, results):
    part = codes[resampling.PART]
    _, errors = results["mipmaps"]
    levels = hc.mipmaps(hc.Image(part, resampling.SRGB))
    x = y = 0
    for k in resampling.LEVELS:
        exact = to_levels(box(to_light(part), 2**k))
        shape = exact.shape[:2]
        assert shape == (288 >> k, 448 >> k)
        place = np.s_[y : y + shape[0], x : x + shape[1]]
        error = abs(to_levels(levels[k][..., :3].astype(np.float64)) - exact).max(axis=-1)
        np.testing.assert_allclose(errors[HALF][place], error, atol=1e-6)
        assert abs(results["mipmaps"].picture[place] - exact).max() <= 0.5 + ONE_ROUNDING
        x, y = 448 >> 1, y + (shape[0] if k > 1 else 0)
    drawn = sum((288 >> k) * (448 >> k) for k in resampling.LEVELS)
    assert np.isfinite(errors[HALF]).sum() == drawn
    assert (results["mipmaps"].picture[np.isnan(errors[HALF])] == 255).all()


def test_rotation_keeps_inside_the_photograph():
    corners = np.array([[0.5, 450.5, 0.5, 450.5], [0.5, 0.5, 299.5, 299.5], [1, 1, 1, 1]])
    for matrix in resampling.MATRICES.values():
        x, y = matrix @ corners
        assert x.min() >= 0.5 and x.max() <= 450.5 and y.min() >= 0.5 and y.max() <= 299.5
    turn = resampling.MATRICES["rotated by 15 degrees, enlarged 1.4 times"]
    np.testing.assert_allclose(turn @ (225.5, 150, 1), (225.5, 150))
    np.testing.assert_allclose(turn[:, :2] @ turn[:, :2].T * 1.4**2, np.eye(2), atol=1e-12)


def test_srgb_there_and_back():
    levels = np.arange(256) / 255
    np.testing.assert_allclose(resampling.decode(levels), to_light(np.arange(256)), rtol=1e-12)
    light = np.linspace(0, 1, 1001)
    np.testing.assert_allclose(255 * resampling.encode(light), to_levels(light), rtol=1e-12)


def test_printed_and_drawn_errors_are_the_measured_ones(tmp_path, capsys, monkeypatch, results):
    figures = []
    new_figure = panels._new_figure
    monkeypatch.setattr(
        panels, "_new_figure", lambda *size: figures.append(new_figure(*size)) or figures[-1]
    )
    assert demo._run_resampling(demo.load_photo(), tmp_path) == [tmp_path / "resampling.png"]
    lines = re.findall(r"^  (\S.*?) +mean (\S+), at most (\S+)$", capsys.readouterr().out, re.M)
    titles = [axes.get_title() for axes in figures[0].axes]
    assert set(results) < set(titles)
    errors = [item for _, errors in results.values() for item in errors.items()]
    assert [line[0] for line in lines] == [who for who, _ in errors]
    for (who, mean, worst), (_, error) in zip(lines, errors, strict=True):
        drawn = error[~np.isnan(error)]
        assert float(mean) == pytest.approx(drawn.mean(), rel=0.06)
        assert float(worst) == pytest.approx(drawn.max(), rel=0.06)
        assert f"error of {who}:\nmean {mean}, at most {worst}" in titles
