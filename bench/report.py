"""Report the figures of compare.py: text, Markdown, a chart.

A row is {"op", "n", "mode", "ns": {column: ns an element}} and its verdict, below. A ratio above 1
means that halfcl is faster.
"""

import math
import re
from itertools import groupby
from pathlib import Path

HALFCL = "halfcl "
WIDTH = 11


def verdict(ns, mode):
    """Return the fastest peer, its time over halfcl's, and the worst directed mode's over rte's."""
    theirs = {name: value for name, value in ns.items() if not name.startswith(HALFCL)}
    directed = [ns[HALFCL + m] for m in ("rtz", "rtp", "rtn") if HALFCL + m in ns]
    ours, nearest = ns.get(HALFCL + mode), ns.get(HALFCL + "rte")
    fastest = min(theirs, key=theirs.get, default=None)
    return {
        "fastest": fastest,
        "ratio": theirs[fastest] / ours if fastest and ours else None,
        "directed": max(directed) / nearest if directed and nearest else None,
    }


def geometric_mean(values):
    return math.exp(math.fsum(map(math.log, values)) / len(values))


def number(value, digits=3):
    return "" if value is None else f"{value:.{digits}f}"


def header(columns):
    names = [*columns, "fastest peer", "peer/halfcl", "directed/rte"]
    return f"{'ns an element':14}{'n':>8} " + " ".join(f"{name:>{WIDTH}}" for name in names)


def line(row, columns):
    cells = [number(row["ns"].get(name)) for name in columns]
    cells += [row["fastest"] or "", number(row["ratio"], 2), number(row["directed"], 2)]
    widths = [max(WIDTH, len(name)) for name in [*columns, "fastest peer", "", "directed/rte"]]
    body = " ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
    return f"{row['op']:14}{row['n']:8} " + body


def means(rows):
    """Return lines with the geometric mean of the ratios for each size and over all."""
    for label, chosen in [*by_size(rows), ("all", rows)]:
        ratios = [row["ratio"] for row in chosen if row["ratio"]]
        if ratios:
            ahead = sum(ratio > 1 for ratio in ratios)
            yield (
                f"{label}: fastest peer / halfcl {geometric_mean(ratios):.2f} (geometric mean), "
                f"halfcl fastest in {ahead} of {len(ratios)}"
            )


def by_size(rows):
    for n, group in groupby(rows, key=lambda row: row["n"]):
        yield size(n), list(group)


def size(n):
    power = n.bit_length() - 1
    return f"n = 2^{power}" if n == 1 << power else f"n = {n}"


def summary(result):
    facts = result["machine"] | result["columns"]
    return "\n".join(["", *means(result["rows"]), *(f"{k}: {v}" for k, v in facts.items())])


def conditions(machine, columns):
    """Return one line on the machine and the measurement."""
    peers = ", ".join(dict.fromkeys(text for name, text in columns.items() if name != "halfcl"))
    return f"{machine['cpu']}, Python {machine['python']}, {peers}; {machine['date']}"


def markdown(result):
    """Return the tables, with the time to beat in bold."""
    return "\n\n".join(table(label, rows) for label, rows in by_size(result["rows"]))


def table(label, rows):
    names = list(dict.fromkeys(name for row in rows for name in row["ns"]))
    names.sort(key=lambda name: not name.startswith(HALFCL))
    heads = [f"ns an element, {label}", *names, "fastest peer / halfcl"]
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "---:|" * (len(heads) - 1)]
    for row in rows:
        cells = [number(row["ns"].get(name)) for name in names]
        bold = [f"**{c}**" if n == row["fastest"] else c for n, c in zip(names, cells, strict=True)]
        lines.append("| " + " | ".join([row["op"], *bold, number(row["ratio"], 2)]) + " |")
    return "\n".join(lines)


def write(paths, tables):
    """Put each table, {name: text}, between its marks on the page that has them.

    The marks are <!-- name --> and <!-- end -->. Raises ValueError, and writes nothing, unless
    exactly one page has them.
    """
    pages = {path: Path(path).read_text(encoding="utf-8") for path in paths}
    for name, text in tables.items():
        pattern = rf"(<!-- {re.escape(name)} -->\n).*?(<!-- end -->)"
        matching = [path for path in pages for _ in re.finditer(pattern, pages[path], flags=re.S)]
        if len(matching) != 1:
            where = " ".join(map(str, paths))
            expected = f"expected <!-- {name} --> and <!-- end --> once"
            raise ValueError(f"{where}: {expected}, got {len(matching)}")
        pages[matching[0]] = re.sub(
            pattern, lambda m, t=text: f"{m[1]}\n{t}\n\n{m[2]}", pages[matching[0]], flags=re.S
        )
    for path, page in pages.items():
        Path(path).write_text(page, encoding="utf-8")


AHEAD, BEHIND, INK, FAINT = "#2a6f97", "#c8553d", "#222222", "#5a5a5a"


def chart(result, path):
    """Draw the speed relative to the fastest peer: a panel per size, a bar per operation."""
    from matplotlib.figure import Figure

    panels = [(label, [r for r in rows if r["ratio"]]) for label, rows in by_size(result["rows"])]
    panels = [(label, rows) for label, rows in panels if rows]
    if not panels:
        print("no chart: it needs both halfcl and a peer")
        return
    height = 1.6 + 0.3 * max(len(rows) for _, rows in panels)
    figure = Figure(figsize=(5.2 * len(panels), height), layout="constrained")
    grid = figure.subplots(1, len(panels), squeeze=False)[0]
    for axes, (label, rows) in zip(grid, panels, strict=True):
        panel(axes, label, rows)
    figure.suptitle("Speed of halfcl relative to the fastest peer", color=INK, weight="bold")
    facts = result["machine"]
    figure.supxlabel(
        f"time of the fastest peer / time of halfcl\n{facts['cpu']}, one core, {facts['date']}",
        fontsize=8,
        color=FAINT,
    )
    figure.savefig(path, dpi=150)


def panel(axes, label, rows):
    ratios = [row["ratio"] for row in rows]
    bars = axes.barh(
        [row["op"] for row in rows],
        ratios,
        height=0.7,
        color=[AHEAD if ratio >= 1 else BEHIND for ratio in ratios],
    )
    axes.axvline(1, color=INK, linewidth=1)
    blank = {"facecolor": "white", "edgecolor": "none", "pad": 1}
    notes = [f"{row['ratio']:.2f}  {row['fastest']}" for row in rows]
    axes.bar_label(bars, notes, padding=4, fontsize=8, color=FAINT, bbox=blank)
    axes.invert_yaxis()
    axes.margins(y=0.01)
    axes.set_xlim(0, 1.4 * max(1.1, *ratios))
    axes.set_title(f"{label}: geometric mean {geometric_mean(ratios):.2f}", fontsize=10, color=INK)
    axes.tick_params(length=0, colors=INK)
    axes.spines[["top", "right", "bottom"]].set_visible(False)
    axes.spines["left"].set_color(FAINT)
