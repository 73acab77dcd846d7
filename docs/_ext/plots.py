"""Two pictures for each function of the table: its graph, and its rounding errors.

Drawn twice, for light and for dark pages, by the code that draws `halfcl.plots`. They are kept
until what they are made of changes.
"""

import hashlib
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from doubles import exact

import halfcl as hc
from halfcl import _drawing
from halfcl._drawing.axes import MODE_COLOURS, add_legend
from halfcl._drawing.clouds import draw_cloud
from halfcl._drawing.scales import use_halves, use_ulps
from halfcl._tables import TABLE, Builtin
from halfcl._tables.row import Domain
from halfcl.audit._results import exact as _exact

mpl.use("agg")
from matplotlib.axes import Axes
from matplotlib.figure import Figure


@dataclass(frozen=True)
class Palette:
    """Colours for pages of one brightness: of text, of lines of a grid, of curves, of maps."""

    name: str
    text: str
    grid: str
    curves: tuple[str, ...]
    map: str

    def style(self) -> dict[str, Any]:
        """The parameters of matplotlib that draw with these colours on nothing."""
        colours = dict.fromkeys(
            ("text.color", "axes.labelcolor", "xtick.labelcolor", "ytick.labelcolor"), self.text
        )
        lines = dict.fromkeys(("axes.edgecolor", "grid.color", "xtick.color", "ytick.color"),
                              self.grid)  # fmt: skip
        return colours | lines | _STYLE | {
            "axes.prop_cycle": mpl.cycler(color=self.curves), "image.cmap": self.map,
        }  # fmt: skip


_STYLE = {
    "axes.facecolor": "none", "axes.grid": True, "axes.spines.right": False,
    "axes.spines.top": False, "axes.labelsize": 9, "axes.titlesize": 9, "grid.linewidth": 0.4,
    "xtick.labelsize": 8, "ytick.labelsize": 8, "legend.frameon": False, "font.size": 9,
    "lines.linewidth": 1.4,
}  # fmt: skip

PALETTES = (
    Palette("light", "#323639", "#d5d8dc", ("#0a58ca", "#c2410c", "#0f766e"), "RdBu_r"),
    Palette("dark", "#ced6dd", "#4a5058", ("#6ea8fe", "#fd9a5a", "#5eead4"), "coolwarm"),
)

_HALVES = np.arange(65536, dtype=np.uint16).view(np.float16).astype(hc.half)
_FINITE = np.sort(_HALVES[np.isfinite(_HALVES)])

#: Where a graph is drawn, if not from -4 to 4.
_WINDOWS = {
    **dict.fromkeys(("sin", "cos", "tan", "sincos"), (-7, 7)),
    **dict.fromkeys(("degrees", "radians"), (-180, 180)),
    **dict.fromkeys(("to_unorm8", "to_unorm16", "to_snorm8", "to_snorm16"), (-1.5, 1.5)),
    "tgamma": (-4.2, 4.6), "lgamma": (-4.2, 8), "lgamma_r": (-4.2, 8),
    "mix": (-0.5, 1.5), "exp10": (-2, 1.2), "exp10m1": (-2, 1.2), "ulp": (-10, 10),
}  # fmt: skip


def _window(domain: Domain) -> tuple[float, float]:
    """Return the arguments of a function that are drawn: its domain and a little more."""
    if np.isfinite(domain.high):
        return domain.low - 0.1, domain.high + 0.1
    return (min(domain.low, 0) - 0.5, 8) if np.isfinite(domain.low) else (-4, 4)


#: What stands beside x, by a function's name or types: label and arguments, x being None.
_BESIDE: dict[str, tuple[tuple[str, tuple[Any, ...]], ...]] = {
    "ei>e": tuple((f"n = {n}", (None, n)) for n in (-1, 2, 3)),
    "fma": (("x² - 1", (None, None, -1)), ("x / 3 + 1", (None, hc.half(1 / 3), 1))),
    "mad": (("x² - 1", (None, None, -1)), ("x / 3 + 1", (None, hc.half(1 / 3), 1))),
    "clamp": (("from -1 to 2", (None, -1, 2)),),
    "mix": (("of 1 and 3", (1, 3, None)), ("of 2 and 0.1", (2, hc.half(0.1), None))),
    "smoothstep": (("from -1 to 1", (-1, 1, None)), ("from 0 to 3", (0, 3, None))),
}
#: Whose results are one and the same between -4 and 4, or NaN.
_NO_PICTURE = ("nan", "isfinite", "isinf", "isnan", "isnormal", "isordered", "isunordered")


# ---------------------------------------------------------------- what is drawn


def _call(row: Builtin, arguments: tuple[Any, ...], rounding: str = "rte") -> tuple[Any, ...]:
    """All results of a function, as doubles."""
    with np.errstate(all="ignore"):
        results = getattr(hc, row.name)(*arguments, rounding=rounding)
    results = results if isinstance(results, tuple) else (results,)
    return tuple(np.asarray(result).astype(float) for result in results)


def _curves(row: Builtin) -> tuple[tuple[str, tuple[Any, ...]], ...]:
    """The label and the arguments of each curve, x being None."""
    return _BESIDE.get(row.name) or _BESIDE.get(row.types) or (("", (None,)),)


def _codes(row: Builtin) -> Any:
    """All arguments of a function of integers."""
    limits = np.iinfo(np.dtype(row.inputs))
    return np.arange(limits.min, limits.max + 1).astype(row.inputs)


def _with(arguments: tuple[Any, ...], x: Any) -> tuple[Any, ...]:
    return tuple(x if value is None else value for value in arguments)


@cache
def _plane() -> tuple[Any, Any]:
    """Halves from -4 to 4, each with each."""
    line = np.linspace(-4, 4, 201).astype(hc.half)
    return np.meshgrid(line, line)


def _on_plane(row: Builtin, x: Any, y: Any) -> tuple[Any, ...]:
    """The arguments of a function of two numbers, or of a vector (x, y)."""
    if not row.signature:
        return x, y
    vectors = np.stack([x, y], axis=-1)
    if row.name == "cross":
        vectors = np.concatenate([vectors, np.zeros_like(vectors[..., :1])], axis=-1)
        return vectors, hc.half([1, 0.5, 0])
    return (vectors, hc.half([1, 0.5])) if row.nin == 2 else (vectors,)


def _of_vector(row: Builtin, value: Any) -> Any:
    """The component that is drawn: x of `normalize`, z of `cross`."""
    return {"normalize": value[..., 0], "cross": value[..., -1]}.get(row.name, value)


def _errors(row: Builtin, got: Any, exact: Any) -> Any:
    """In ulps, or in codes of an integer; NaN where there is nothing to err from."""
    if row.outputs[0] in "bBhH":
        return got - exact
    usual = np.isfinite(got) & (np.abs(exact) < 65504)
    error = hc.ulp_error(hc.convert(np.where(usual, got, 0), hc.half), np.where(usual, exact, 0))
    return np.where(usual, error, np.nan)


# ---------------------------------------------------------------- how


def _steps(x: Any, y: Any) -> Any:
    """NaN where a curve jumps from one pole to another, so that no line joins them."""
    jump = np.abs(np.diff(y, prepend=y[:1])) > 6
    return np.where(jump & (np.sign(y) != np.sign(np.roll(y, 1))), np.nan, y)


def _graph(row: Builtin, axes: Axes) -> None:
    """The function between two numbers."""
    low, high = _WINDOWS.get(row.name) or _window(row.domain)
    x = _codes(row) if row.inputs[0] not in "e" else np.linspace(low, high, 4001).astype(hc.half)
    drawn = []
    for label, arguments in _curves(row):
        for place, y in enumerate(_call(row, _with(arguments, x))):
            name = row.results[place] if len(row.results) > 1 else label
            y = np.where(np.isfinite(y), y, np.nan)
            drawn.append(y)
            axes.plot(x.astype(float), _steps(x, y), label=name)
    values = np.concatenate(drawn)
    values = values[np.isfinite(values)]
    bottom, top = np.percentile(values, [3, 97])
    room = 0.5 * max(top - bottom, 0.1)
    axes.set_ylim(max(values.min(), bottom - room) - 0.1 * room,
                  min(values.max(), top + room) + 0.1 * room)  # fmt: skip
    axes.set_xlabel("code" if row.inputs[0] not in "e" else "x")
    if len(drawn) > 1:
        add_legend(axes, columns=3)


def _map(row: Builtin, axes: Axes) -> None:
    """A function of two numbers, in colours."""
    value = _of_vector(row, _call(row, _on_plane(row, *_plane()))[0])
    value = np.where(np.isfinite(value), value, np.nan)
    far = min(np.nanmax(np.abs(value)), 3 * np.nanpercentile(np.abs(value), 75)) or 1
    picture = axes.imshow(value, origin="lower", extent=(-4, 4, -4, 4), vmin=-far, vmax=far,
                          interpolation="nearest")  # fmt: skip
    axes.figure.subplots_adjust(right=0.88)  # room for its numbers
    axes.figure.colorbar(picture, ax=axes, fraction=0.05)
    first, second = row.argument_names[:2] if not row.signature else ("x", "y")
    axes.set_xlabel(first)
    axes.set_ylabel(second)
    axes.grid(visible=False)


def _modes(row: Builtin) -> tuple[str, ...]:
    """The modes to show, the nearest last, so that it is on top."""
    return ("rtn", "rtp", "rte") if "rtp" in row.modes else ("rte",)


def _scatter(row: Builtin, axes: Axes) -> None:
    """The error at each half, in the order of halves."""
    of_codes = row.inputs[0] not in "e"
    x = _codes(row) if of_codes else _FINITE
    _, arguments = _curves(row)[0]
    right = exact(row.name, _with(arguments, x))
    for mode in _modes(row):
        got = _call(row, _with(arguments, x), mode)[0]
        errors = _errors(row, got, right)
        draw_cloud(axes, x.astype(float), errors, label=mode, colour=MODE_COLOURS[mode])
    axes.set_xlabel("every code" if of_codes else "every x, in order")
    if not of_codes:
        use_halves(axes)
    use_ulps(axes, largest=1)
    add_legend(axes, columns=3)


def _histogram(row: Builtin, axes: Axes) -> None:
    """How often which error comes on the plane."""
    arguments = _on_plane(row, *_plane())
    right = _of_vector(row, exact(row.name, arguments))
    for mode in _modes(row):
        got = _of_vector(row, _call(row, arguments, mode)[0])
        errors = _errors(row, got, right).ravel()
        errors = errors[np.isfinite(errors)]
        axes.hist(
            errors, bins=np.linspace(-1, 1, 81), histtype="step", color=MODE_COLOURS[mode],
            label=mode,
        )  # fmt: skip
    axes.set_yticks([])
    axes.set_xlabel(f"error, {_unit(row)}")
    add_legend(axes, columns=3)


def _unit(row: Builtin) -> str:
    return "codes" if row.outputs[0] in "bBhH" else "ulp"


def _plan(row: Builtin) -> list[tuple[str, Callable[[Builtin, Axes], None]]]:
    """The titles of a picture's parts, and who draws them."""
    of_two = row.signature or row.inputs == "ee"
    parts = [(_title(row), _map if of_two else _graph)]
    if row.governed != "exact":
        errors = "Rounding errors" if of_two else f"Rounding error, {_unit(row)}"
        parts.append((errors, _histogram if of_two else _scatter))
    return parts


def _title(row: Builtin) -> str:
    special = {
        "length": "length of (x, y)", "normalize": "x of normalize((x, y))",
        "distance": "distance of (x, y) and (1, 0.5)", "dot": "dot of (x, y) and (1, 0.5)",
        "cross": "z of the cross product of (x, y, 0) and (1, 0.5, 0)",
    }  # fmt: skip
    return special.get(row.name, row.name)


def draw(row: Builtin, part: int, palette: Palette, path: Path) -> None:
    """One part of a picture: the function itself, or its errors."""
    title, drawing = _plan(row)[part]
    with mpl.rc_context(palette.style()):
        figure = Figure(figsize=(4.4, 3.1))  # a layout that fits by itself takes half the time
        axes = figure.subplots(
            gridspec_kw={"left": 0.13, "right": 0.95, "bottom": 0.16, "top": 0.91}
        )
        axes.set_title(title, loc="right")
        drawing(row, axes)
        figure.savefig(path, dpi=130, transparent=True, metadata={"Software": None})


# ---------------------------------------------------------------- all of them


def _digest(row: Builtin) -> str:
    """Of what a picture is made of."""
    here = Path(__file__).parent
    drawing = sorted(Path(_drawing.__file__).parent.glob("*.py"))
    files = (here / "plots.py", here / "doubles.py", Path(_exact.__file__), *drawing)
    made_of = [file.read_text(encoding="utf-8") for file in files]
    text = "".join([*made_of, hc.__version__, mpl.__version__, row.name, row.types])
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def pictures(row: Builtin) -> list[tuple[int, Palette, str]]:
    """The part, the colours and the file's name of each."""
    parts = range(len(_plan(row))) if row.name not in _NO_PICTURE else ()
    names = ("graph", "errors")
    return [(k, p, f"{row.name}-{names[k]}-{p.name}.png") for k in parts for p in PALETTES]


def _draw_both(name: str, folder: Path) -> None:
    row = next(row for row in TABLE if row.public and row.name == name)
    for part, palette, file in pictures(row):
        draw(row, part, palette, folder / file)
    (folder / f"{row.name}.digest").write_text(_digest(row))


def draw_all(rows: list[Builtin], folder: Path, processes: int) -> None:
    """Draw what is not there, or out of date."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [row for row in rows if not _is_kept(row, folder)]
    with ProcessPoolExecutor(processes) as pool:
        for task in [pool.submit(_draw_both, row.name, folder) for row in rows]:
            task.result()


def _is_kept(row: Builtin, folder: Path) -> bool:
    digest = folder / f"{row.name}.digest"
    return digest.exists() and digest.read_text() == _digest(row)
