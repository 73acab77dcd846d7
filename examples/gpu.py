"""A softmax and a layer norm of halves in PyTorch: its own, and of functions rounded once.

python examples/gpu.py [--device cuda|cpu] [--markdown] [--page FILE] [--picture FILE]
"""

import argparse
import platform
import re
import time
from functools import partial
from pathlib import Path

import numpy as np
import style
from on_device import align_columns, floats

import halfcl as hc

try:
    import torch
except ImportError:
    raise SystemExit(
        'PyTorch is needed: pip install torch; for a GPU CuPy, too: pip install "halfcl[cuda13]"'
    ) from None

ROWS, LENGTH = 512, 2048
EPSILON = 2.0**-16  # a half
ORDERS = 100


# ---------------------------------------------------------------- softmax


def softmax_in_steps(x):
    """Compute by PyTorch's steps, each of which rounds to half."""
    e = torch.exp(x - x.amax(-1, keepdim=True))
    return e / e.sum(-1, keepdim=True)


def softmax(x):
    """Compute the same steps, each result the nearest half."""
    e = hc.exp(hc.subtract(x, x.amax(-1, keepdim=True)))
    return hc.divide(e, hc.sum(e, axis=-1, keepdims=True))


def subtract_greatest(x):
    """Return x less the greatest of its row, as two halves whose sum is exact (by Knuth)."""
    m = x.amax(-1, keepdim=True)
    d = hc.subtract(x, m)
    back = hc.subtract(d, x)
    return d, hc.subtract(hc.subtract(x, hc.subtract(d, back)), hc.add(m, back))


def softmax_mended(x):
    """Compute the softmax and keep what the subtraction rounds away.

    exp(d + r) is exp(d) (1 + r) for a small r.
    """
    d, r = subtract_greatest(x)
    e = hc.exp(d)
    e = hc.fma(e, r, e)
    return hc.divide(e, hc.sum(e, axis=-1, keepdims=True))


def softmax_bounds(x):
    """Return two halves that enclose the exact result: 1 + r <= exp(r) <= 1 + r + r * r."""
    d, r = subtract_greatest(x)
    low, high = hc.exp(d, rounding="rtn"), hc.exp(d, rounding="rtp")
    low = hc.fma(low, r, low, rounding="rtn")
    high = hc.fma(high, hc.fma(r, r, r, rounding="rtp"), high, rounding="rtp")
    least = hc.sum(low, axis=-1, keepdims=True, rounding="rtn")
    most = hc.sum(high, axis=-1, keepdims=True, rounding="rtp")
    return hc.divide(low, most, rounding="rtn"), hc.divide(high, least, rounding="rtp")


def exact_softmax(x):
    return torch.softmax(x.double(), -1)


# ---------------------------------------------------------------- layer norm


def layer_norm_in_steps(x):
    """Compute by PyTorch's steps, each of which rounds to half."""
    variance = x.var(-1, correction=0, keepdim=True)
    return (x - x.mean(-1, keepdim=True)) * torch.rsqrt(variance + EPSILON)


def scale(x, mode="rte", other="rte"):
    """Return 1 / sqrt(variance + EPSILON), which falls as it grows: a bound needs two modes."""
    variance = hc.var(x, axis=-1, keepdims=True, rounding=other)
    return hc.rsqrt(hc.add(variance, EPSILON, rounding=other), rounding=mode)


def layer_norm(x):
    """Compute the same steps, each result the nearest half."""
    centred = hc.subtract(x, hc.mean(x, axis=-1, keepdims=True))
    return hc.multiply(centred, scale(x))


def subtract_mean(x, mode="rte", other="rte"):
    """Return x less the mean of its row, which is two halves, a large one and a small one."""
    mean = hc.mean(x, axis=-1, keepdims=True, dtype=torch.float32, rounding=other)
    large = mean.half()
    small = hc.convert_half(mean - large, rounding=other)
    return hc.subtract(hc.subtract(x, large, rounding=mode), small, rounding=mode)


def layer_norm_mended(x):
    return hc.multiply(subtract_mean(x), scale(x))


def layer_norm_bounds(x):
    """Return two halves that enclose the exact result."""
    low, high = subtract_mean(x, "rtn", "rtp"), subtract_mean(x, "rtp", "rtn")
    least, most = scale(x, "rtn", "rtp"), scale(x, "rtp", "rtn")
    return (
        hc.multiply(low, torch.where(low < 0, most, least), rounding="rtn"),
        hc.multiply(high, torch.where(high < 0, least, most), rounding="rtp"),
    )


def exact_layer_norm(x):
    return torch.nn.functional.layer_norm(x.double(), x.shape[-1:], eps=EPSILON)


def torch_layer_norm(x):
    return torch.nn.functional.layer_norm(x, x.shape[-1:], eps=EPSILON)


# ---------------------------------------------------------------- what is compared

#: By computation: the label of each way, and its function.
WAYS = {
    "softmax": (
        ("torch.softmax", partial(torch.softmax, dim=-1)),
        ("PyTorch, in steps", softmax_in_steps),
        ("halfcl, in steps", softmax),
        ("halfcl, mended", softmax_mended),
    ),
    "layer norm": (
        ("F.layer_norm", torch_layer_norm),
        ("PyTorch, in steps", layer_norm_in_steps),
        ("halfcl, in steps", layer_norm),
        ("halfcl, mended", layer_norm_mended),
    ),
}
EXACT = {"softmax": exact_softmax, "layer norm": exact_layer_norm}
BOUNDS = {"softmax": softmax_bounds, "layer norm": layer_norm_bounds}


def inputs(device, rows=ROWS, length=LENGTH):
    """Return scores of an attention, and activations that are far from zero."""
    rng = np.random.default_rng(0)
    drawn = {
        "softmax": rng.normal(0, 3, (rows, length)),
        "layer norm": rng.normal(10, 1, (rows, length)),
    }
    return {name: torch.from_numpy(x.astype(np.float16)).to(device) for name, x in drawn.items()}


def errors(got, exact):
    """Return the error of each element, in ulps."""
    return np.abs(hc.ulp_error(got.cpu().numpy(), exact.cpu().numpy()))


def microseconds(function, x):
    """Return the best time of some calls on a GPU, until the GPU has finished them."""
    best = float("inf")
    for _ in range(20):
        torch.cuda.synchronize(x.device)
        start = time.perf_counter()
        for _ in range(10):
            function(x)
        torch.cuda.synchronize(x.device)
        best = min(best, (time.perf_counter() - start) / 10)
    return 1e6 * best


def measure(device, arguments):
    """Return a row for each way: its name and cells; and the errors by function and way."""
    rows, by_way = [], {}
    for name, ways in WAYS.items():
        x, exact = arguments[name], EXACT[name](arguments[name])
        for label, function in ways:
            by_way[name, label] = error = errors(function(x), exact)
            cells = [f"{error.max():.3g}", f"{error.mean():.3f}", f"{(error > 0.5).mean():.2%}"]
            rows.append([name, label, *cells, *time_cell(device, function, x)])
    return rows, by_way


def measure_bounds(device, arguments):
    """Return a row for each pair of bounds."""
    rows = []
    for name, bounds in BOUNDS.items():
        x, exact = arguments[name], EXACT[name](arguments[name])
        low, high = bounds(x)
        apart = hc.ulps_between(low.cpu().numpy(), high.cpu().numpy())
        outside = (exact < low.double()) | (exact > high.double())
        cells = [f"{int(outside.sum())}", f"{apart.max():.0f}", f"{apart.mean():.2f}"]
        rows.append([name, *cells, *time_cell(device, bounds, x)])
    return rows


def time_cell(device, function, x):
    """Return a cell with the time if there is a GPU, else no cell."""
    return [f"{microseconds(function, x):.0f}"] if device.startswith("cuda") else []


# ---------------------------------------------------------------- the order of a sum


def terms(device, count=1 << 16):
    """Return large numbers that cancel, and small ones that remain."""
    rng = np.random.default_rng(1)
    large = (rng.uniform(1, 2, count // 2) * 2.0 ** rng.integers(0, 8, count // 2)).astype("e")
    small = rng.normal(0.01, 0.1, count // 16).astype(np.float16)
    return torch.from_numpy(np.concatenate([large, -large, small])).to(device)


def sums(function, x, orders=ORDERS):
    """Return the different sums of the same numbers in several orders, ascending."""
    generator = torch.Generator().manual_seed(0)
    orderings = (torch.randperm(len(x), generator=generator) for _ in range(orders))
    return sorted({float(function(x[order.to(x.device)])) for order in orderings})


#: The label of each sum, and its function.
SUMS = (("torch.sum", torch.sum), ("halfcl.sum", hc.sum))


def measure_sums(device):
    """Return a row for each sum."""
    x = terms(device)
    return [
        [label, f"{len(results)}", f"{results[0]:g}", f"{results[-1]:g}"]
        for label, function in SUMS
        for results in [sums(function, x)]
    ]


# ---------------------------------------------------------------- shown


#: The tables' heads; where there is a GPU there are times, too.
HEAD = ["", "made by", "greatest error", "mean error", "not nearest"]
BOUNDS_HEAD = ["bounds of", "exact results outside", "widest", "mean"]
SUM_HEAD = [f"sum in {ORDERS} orders", "different results", "least", "greatest"]


def where(device):
    """Return one line on the machine and the libraries."""
    is_cuda = device.startswith("cuda")
    name = torch.cuda.get_device_name(device) if is_cuda else platform.machine()
    return f"{name}, PyTorch {torch.__version__}, {ROWS} rows of {LENGTH:,}; errors in ulps"


def tables(device):
    """Return the tables as rows, the head first; and the errors."""
    arguments = inputs(device)
    rows, errors_by_way = measure(device, arguments)
    time = ["µs"] if device.startswith("cuda") else []
    bounds = [[*BOUNDS_HEAD, *time], *measure_bounds(device, arguments)]
    return [[[*HEAD, *time], *rows], bounds, [SUM_HEAD, *measure_sums(device)]], errors_by_way


def as_markdown(rows):
    head, *others = rows
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *others]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def text(device, all_rows, markdown):
    shown = as_markdown if markdown else align_columns
    return "\n\n".join([f"{where(device)}.", *map(shown, all_rows)])


#: The marks around the tables of a page: the command that makes them, and an end.
MARKS = r"(<!-- python examples/gpu\.py [^\n]* -->\n).*?(<!-- end -->)"


def put(page, new):
    """Put the tables into a page, between its marks."""
    before = page.read_text(encoding="utf-8")
    after, count = re.subn(MARKS, lambda m: f"{m[1]}\n{new}\n\n{m[2]}", before, flags=re.DOTALL)
    if count != 1:
        raise SystemExit(f"{page}: expected the marks of one table, got {count}")
    page.write_text(after, encoding="utf-8")


def picture(errors_by_way):
    figure, panels = style.panels(*WAYS)
    colours = (style.EXACT, style.UNSTABLE, style.ENCLOSURE, style.STABLE)
    widths = (1.5, 4, 1.5, 1.5)  # halfcl's steps lie on PyTorch's
    for ax, (name, ways) in zip(panels, WAYS.items(), strict=True):
        for (label, _), colour, width in zip(ways, colours, widths, strict=True):
            error = np.sort(floats(errors_by_way[name, label]).ravel())[::-1]
            share = np.arange(1, error.size + 1) / error.size
            kept = np.unique(np.geomspace(1, error.size, 400).astype(int)) - 1
            ax.plot(error[kept], share[kept], color=colour, lw=width, label=label)
        ax.axvline(0.5, color="0.7", lw=0.8, zorder=0)
        ax.set(xscale="log", yscale="log", xlim=(0.25, None), xlabel="error, ulps")
        ax.set_ylabel("share of results with as much")
        ax.xaxis.set_major_formatter("{x:g}")
        ax.legend(frameon=False, fontsize="small", loc="upper right")
    return figure


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    usual = "cuda" if torch.cuda.is_available() else "cpu"
    parser.add_argument("--device", default=usual, help="PyTorch's name: cuda or cpu")
    parser.add_argument("--markdown", action="store_true", help="print the tables as Markdown")
    parser.add_argument(
        "--page", type=Path, metavar="FILE", help="put the tables into this page, too"
    )
    parser.add_argument("--picture", metavar="FILE", help="draw the picture, too")
    options = parser.parse_args(argv)
    rows, errors_by_way = tables(options.device)
    print(text(options.device, rows, options.markdown))
    if options.page:
        put(options.page, text(options.device, rows, markdown=True))
    if options.picture:
        style.save(picture(errors_by_way), options.picture)


if __name__ == "__main__":
    main()
