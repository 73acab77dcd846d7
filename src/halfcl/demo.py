"""A photograph developed in half precision, with a proven bound on the rounding error.

Three steps take 8-bit colours to a contrasty black-and-white picture: `to_half`,
`luminance`, `contrast`. Run once rounding down (``rtn``) and once up (``rtp``),
they enclose the exact result. Why: each operation in them is a non-decreasing
function of every operand that carries rounding error (a division by 255, products
of non-negative numbers, sums, square roots, minimum and maximum), so feeding it
lower bounds and rounding down gives a lower bound, and likewise up; and the
constants are halves exactly, so that nothing else is rounded.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import halfcl as hc

MODES = ("rte", "rtz", "rtp", "rtn")

#: Rec. 709's weights of red, green and blue (0.2126, 0.7152, 0.0722) in 2048ths:
#: halves, whose sum is exactly 1, so that white stays white.
WEIGHTS = tuple(hc.half(count / 2048) for count in (435, 1465, 148))


class MissingPackageError(ImportError):
    """Pillow or matplotlib is not installed."""


def _require(module: str) -> Any:
    """A module of the ``demo`` extra."""
    try:
        return import_module(module)
    except ImportError as error:
        package = {"PIL": "Pillow"}.get(module.partition(".")[0], module.partition(".")[0])
        raise MissingPackageError(
            f"{package} is needed to read and draw pictures: pip install 'halfcl[demo]'"
        ) from error


def load_photo() -> NDArray[np.uint8]:
    """The photograph that comes with halfcl: Chelsea the cat, in the public domain.

    Returns
    -------
    uint8 array of shape (3, height, width)
        The red, green and blue planes.

    Raises
    ------
    MissingPackageError
        If Pillow is not installed.

    Examples
    --------
    >>> from halfcl import demo
    >>> demo.load_photo().shape
    (3, 300, 451)
    """
    image = _require("PIL.Image")
    with as_file(files("halfcl") / "examples" / "chelsea.jpg") as path, image.open(path) as photo:
        pixels = np.asarray(photo.convert("RGB"))
    return np.ascontiguousarray(np.moveaxis(pixels, -1, 0))


def to_half(photo: NDArray[np.uint8]) -> NDArray[Any]:
    """8-bit values as halves from 0 to 1: a division by 255.

    Parameters
    ----------
    photo : uint8 array of any shape

    Returns
    -------
    half array, the shape of ``photo``

    Notes
    -----
    Rounded in the region's mode.

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> from halfcl import demo
    >>> with hc.rounding("rtp"):
    ...     demo.to_half(np.array([0, 127, 255], np.uint8))
    array([0.   , 0.498, 1.   ], dtype=half)
    """
    return hc.convert(photo, hc.half) / hc.half(255)  # type: ignore[no-any-return]


def luminance(rgb: NDArray[Any]) -> NDArray[Any]:
    """The weighted sum of red, green and blue, with two fused multiply-adds.

    Parameters
    ----------
    rgb : half array of shape (3, ...)
        From 0 to 1, as from `to_half`.

    Returns
    -------
    half array of shape (...)

    Notes
    -----
    ``fma(red, w0, fma(green, w1, blue * w2))`` with `WEIGHTS`. Rounded in the
    region's mode; the region needs ``builtins=True`` for it to reach `fma`.

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> from halfcl import demo
    >>> float(demo.luminance(np.array([1, 0.5, 0.25], hc.half)))
    0.587890625
    """
    red, green, blue = rgb
    fma = hc.fma  # type: ignore[attr-defined]
    return fma(red, WEIGHTS[0], fma(green, WEIGHTS[1], blue * WEIGHTS[2]))  # type: ignore[no-any-return]


def contrast(x: NDArray[Any]) -> NDArray[Any]:
    """An S-shaped contrast curve through 0, 1/2 and 1.

    Parameters
    ----------
    x : half array of any shape
        From 0 to 1.

    Returns
    -------
    half array, the shape of ``x``

    Notes
    -----
    ``x sqrt(2x)`` darkens below 1/2, ``sqrt(1.5x - 0.5)`` brightens above; at 1/2
    both are 1/2 with slope 3/2. Both come from one product without a choice: with
    d = min(x, 1/2) and b = max(x, 1/2), of the factors ``2d sqrt(2d)`` and
    ``sqrt(1.5b - 0.5)`` the first is 1 above, the second 1/2 below.

    Rounded in the region's mode; the region needs ``builtins=True`` for it to
    reach `sqrt` and `fma`.

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> from halfcl import demo
    >>> demo.contrast(np.array([0, 0.25, 0.5, 0.75, 1], hc.half))
    array([0.    , 0.1768, 0.5   , 0.7905, 1.    ], dtype=half)
    """
    dark = np.minimum(x, hc.half(0.5))
    bright = np.maximum(x, hc.half(0.5))
    sqrt, fma = hc.sqrt, hc.fma  # type: ignore[attr-defined]
    twice = dark + dark
    return twice * sqrt(twice) * sqrt(fma(bright, hc.half(1.5), hc.half(-0.5)))


def develop(photo: NDArray[np.uint8], mode: str = "rte") -> NDArray[Any]:
    """All three steps, every operation rounded in one mode.

    Parameters
    ----------
    photo : uint8 array of shape (3, height, width)
        The red, green and blue planes.
    mode : {"rte", "rtz", "rtp", "rtn"}, optional
        The rounding mode.

    Returns
    -------
    half array of shape (height, width)
        The picture, from 0 (black) to 1 (white).

    Raises
    ------
    ValueError
        If the mode is none of the four.

    Examples
    --------
    >>> from halfcl import demo
    >>> photo = demo.load_photo()
    >>> low, high = demo.develop(photo, "rtn"), demo.develop(photo, "rtp")
    >>> bool((low <= high).all())
    True
    """
    with hc.rounding(mode, builtins=True):
        return contrast(luminance(to_half(photo)))


def gap_in_ulps(low: NDArray[Any], high: NDArray[Any]) -> NDArray[np.int32]:
    """How many steps from half to next half lead from one array up to the other.

    Parameters
    ----------
    low, high : half or float16 arrays of one shape
        Without NaN.

    Returns
    -------
    int32 array of that shape
        0 where both are equal, 1 where they are neighbours, …

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> from halfcl import demo
    >>> demo.gap_in_ulps(np.array([1, 0], hc.half), np.array([1, 2.0**-24], hc.half))
    array([0, 1], dtype=int32)
    """

    def ordered(x: NDArray[Any]) -> NDArray[np.int32]:
        # Like the numbers, the patterns without the sign bit count up from zero.
        bits = x.view(np.int16).astype(np.int32)
        return np.where(bits < 0, -(bits & 0x7FFF), bits)

    return ordered(high) - ordered(low)


def to_8_bit(picture: NDArray[Any]) -> NDArray[np.uint8]:
    """Halves from 0 to 1 as 8-bit grey levels, to the nearest.

    Parameters
    ----------
    picture : half array of any shape

    Returns
    -------
    uint8 array of that shape

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> from halfcl import demo
    >>> demo.to_8_bit(np.array([0, 0.5, 1], hc.half))
    array([  0, 128, 255], dtype=uint8)
    """
    levels = hc.multiply(picture, hc.half(255), rounding="rte")  # type: ignore[attr-defined]
    return hc.convert(levels, np.uint8, rounding="rte", saturate=True)  # type: ignore[no-any-return]


# ---------------------------------------------------------------- the same in float16

_F16 = np.float16
_F16_WEIGHTS = tuple(_F16(float(weight)) for weight in WEIGHTS)


def _float16_to_half(photo: NDArray[np.uint8]) -> NDArray[np.float16]:
    return photo.astype(_F16) / _F16(255)


def _float16_luminance(rgb: NDArray[np.float16]) -> NDArray[np.float16]:
    red, green, blue = rgb
    return red * _F16_WEIGHTS[0] + (green * _F16_WEIGHTS[1] + blue * _F16_WEIGHTS[2])


def _float16_contrast(x: NDArray[np.float16]) -> NDArray[np.float16]:
    dark = np.minimum(x, _F16(0.5))
    bright = np.maximum(x, _F16(0.5))
    twice = dark + dark
    return twice * np.sqrt(twice) * np.sqrt(bright * _F16(1.5) + _F16(-0.5))


_STEPS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "8 bits to half, / 255": (to_half, _float16_to_half),
    "luminance": (luminance, _float16_luminance),
    "contrast curve": (contrast, _float16_contrast),
}


def _run_timed(photo: NDArray[np.uint8], steps: list[Callable[[Any], Any]]) -> list[float]:
    """The seconds of each step, one after another on the photograph."""
    times = []
    x: Any = photo
    for step in steps:
        start = time.perf_counter()
        x = step(x)
        times.append(time.perf_counter() - start)
    return times


def time_steps(photo: NDArray[np.uint8], repeat: int = 50) -> dict[str, dict[str, float]]:
    """Seconds that each step takes: halfcl's in each mode, and NumPy float16's.

    Parameters
    ----------
    photo : uint8 array of shape (3, height, width)
    repeat : int, optional
        The best of so many runs counts, after one that does not. They take turns.

    Returns
    -------
    dict of dict of float
        ``times[step][who]``: who is a mode or ``"float16"``.

    Notes
    -----
    float16 has no fused multiply-add: it multiplies and adds. All else is the
    same, with the same temporaries. They are kept from going back to the system
    in between, for both: what counts is arithmetic, not page faults.

    Examples
    --------
    >>> from halfcl import demo
    >>> times = demo.time_steps(demo.load_photo(), repeat=1)
    >>> sorted(times["luminance"])
    ['float16', 'rte', 'rtn', 'rtp', 'rtz']
    """
    # Once a block this large was freed, the C library reuses freed memory below its size.
    np.empty(30 << 20, np.uint8)
    ours, theirs = ([step[i] for step in _STEPS.values()] for i in (0, 1))
    runs: dict[str, list[list[float]]] = {who: [] for who in ("float16", *MODES)}
    for _ in range(repeat + 1):
        runs["float16"].append(_run_timed(photo, theirs))
        for mode in MODES:
            with hc.rounding(mode, builtins=True):
                runs[mode].append(_run_timed(photo, ours))
    best = {who: np.min(times[1:], axis=0) for who, times in runs.items()}
    return {
        step: {who: float(times[i]) for who, times in best.items()} for i, step in enumerate(_STEPS)
    }


# ---------------------------------------------------------------- pictures and report


def _draw_gap(axes: Any, gap: NDArray[np.int32]) -> Any:
    """The heat map, one colour an ulp; gives what the colour bar needs."""
    widest = int(gap.max())
    colours = _require("matplotlib").colormaps["magma"].resampled(widest + 1)
    return axes.imshow(gap, cmap=colours, vmin=-0.5, vmax=widest + 0.5, interpolation="nearest")


def _add_colour_bar(figure: Any, image: Any, axes: Any, widest: int) -> None:
    bar = figure.colorbar(image, ax=axes, ticks=range(0, widest + 1, 1 + widest // 12), pad=0.02)
    bar.set_label("ulps")
    bar.ax.tick_params(length=0)
    bar.outline.set_visible(False)


def _draw(
    out: Path,
    photo: NDArray[np.uint8],
    pictures: dict[str, NDArray[np.uint8]],
    gap: NDArray[np.int32],
) -> list[Path]:
    """Write every PNG file; their paths."""
    image = _require("PIL.Image")
    new_figure = _require("matplotlib.figure").Figure
    paths = []
    for mode, picture in pictures.items():
        paths.append(out / f"photo_{mode}.png")
        image.fromarray(picture).save(paths[-1])

    height, width = gap.shape
    widest = int(gap.max())

    figure = new_figure(figsize=(9, 9 * 0.92 * height / width), dpi=120, layout="constrained")
    axes = figure.subplots()
    axes.set_axis_off()
    axes.set_title("Gap from rounded down (rtn) to rounded up (rtp): no error is wider")
    _add_colour_bar(figure, _draw_gap(axes, gap), axes, widest)
    paths.append(out / "gap.png")
    figure.savefig(paths[-1])

    figure = new_figure(figsize=(13.5, 13.5 * 0.7 * height / width), dpi=120, layout="constrained")
    panels = figure.subplots(2, 3)
    for panel in panels.flat:
        panel.set_axis_off()
    panels[0, 0].imshow(np.moveaxis(photo, 0, -1))
    panels[0, 0].set_title("the photograph")
    names = {
        "rte": "to nearest even: rte",
        "rtz": "toward zero: rtz",
        "rtn": "down: rtn",
        "rtp": "up: rtp",
    }
    for (mode, name), panel in zip(names.items(), panels.flat[1:5], strict=True):
        panel.imshow(pictures[mode], cmap="gray", vmin=0, vmax=255)
        panel.set_title(name)
    panels[1, 2].set_title("gap from rtn to rtp")
    _add_colour_bar(figure, _draw_gap(panels[1, 2], gap), panels[1, 2], widest)
    paths.append(out / "overview.png")
    figure.savefig(paths[-1])
    return paths


def _time_table(times: dict[str, dict[str, float]]) -> list[str]:
    """The times as lines of text, in microseconds."""
    columns = list(times.values())
    total = {who: sum(row[who] for row in columns) for who in columns[0]}
    lines = [f"{'step':<24}{'halfcl':>10}{'NumPy float16':>16}{'ratio':>9}"]
    for step, row in {**times, "total": total}.items():
        lines.append(
            f"{step:<24}{row['rte'] * 1e6:>7.0f} µs{row['float16'] * 1e6:>13.0f} µs"
            f"{row['float16'] / row['rte']:>8.1f}x"
        )
    others = ", ".join(f"{mode} {total[mode] * 1e6:.0f} µs" for mode in MODES if mode != "rte")
    return [*lines, f"halfcl's times are for rte; totals in the other modes: {others}."]


def run(out: str | Path = "halfcl-demo", repeat: int = 50) -> None:
    """Develop the photograph in the four modes; print times and the bound, write pictures.

    Parameters
    ----------
    out : str or Path, optional
        The folder for ``photo_rte.png`` … ``photo_rtn.png``, ``gap.png`` and
        ``overview.png``; made if missing.
    repeat : int, optional
        How many times to run the timed steps; the best counts.

    Raises
    ------
    MissingPackageError
        If Pillow or matplotlib is not installed.
    OSError
        If the files cannot be written.

    Examples
    --------
    >>> from halfcl import demo
    >>> demo.run("pictures")  # doctest: +SKIP
    """
    for module in ("PIL.Image", "matplotlib.figure"):
        _require(module)
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    photo = load_photo()
    height, width = photo.shape[1:]
    print(f"Chelsea the cat, {width} x {height} pixels, public domain (Stéfan van der Walt, CC0)")
    print(f"Kernels: {hc.device_info()['isa']}; one thread; best of {repeat} runs\n")  # type: ignore[attr-defined]
    print("\n".join(_time_table(time_steps(photo, repeat))))

    results = {mode: develop(photo, mode) for mode in MODES}
    gap = gap_in_ulps(results["rtn"], results["rtp"])
    pictures = {mode: to_8_bit(result) for mode, result in results.items()}
    same = bool((gap_in_ulps(results["rtn"], results["rtz"]) == 0).all())
    levels = pictures["rtp"].astype(np.int16) - pictures["rtn"]
    print(
        f"\nWidest gap between rounded down and rounded up: {gap.max()} ulps"
        f" (mean {gap.mean():.2f})."
        "\nThe exact result of every pixel lies in its gap: no mode is further off than that."
        f"\nrtz and rtn are {'the same bit for bit' if same else 'DIFFERENT'}: nothing here is"
        " negative."
        f"\nAs 8-bit grey, {np.mean(levels != 0):.1%} of the pixels differ between rtn"
        f" and rtp, by {levels.max()} of 255 levels at most.\n"
    )
    for path in _draw(out, photo, pictures, gap):
        print(f"wrote {path}")
