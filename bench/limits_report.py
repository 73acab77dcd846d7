"""Report the runs of limits.py: lines, the targets, and tables for docs/evidence/speed.md.

A run is {"threads", "isa", "held", "machine", "columns", "rates", "rows"}; a row is one operation
at one size: as compare.py has it, and besides "kernel" (halfcl without Python's call), "stream"
(what loads and stores the same bytes) and "compute" (what its instructions take at least).
"""

import report
from native import COPY
from ops import OPS

HEADER = (
    f"{'ns an element':14}{'n':>9} {'halfcl':>8} {'kernel':>8} {'stream':>8} {'compute':>8} "
    f"{'of limit':>8} {'peer':>8} {'times':>6}  which"
)


def ours(row):
    return row["ns"].get(f"halfcl {row['mode']}")


def limit(row):
    """Return the least time that the machine allows; None where nothing is known."""
    bounds = [row[key] for key in ("stream", "compute") if row.get(key)]
    return max(bounds) if bounds else None


def share(row, time=None):
    """Return the share of the limit that halfcl, or the given time, reaches."""
    time, least = time or ours(row), limit(row)
    return least / time if time and least else None


def bound_by(row):
    if not limit(row):
        return ""
    return row["compute_by"] if limit(row) == row.get("compute") else "bytes"


def number(value, digits=3):
    return report.number(value, digits)


def line(row):
    fastest = row["fastest"]
    cells = [ours(row), row["kernel"], row["stream"], row["compute"]]
    text = " ".join(f"{number(cell, 4):>8}" for cell in cells)
    peer = number(row["ns"].get(fastest), 4)
    of = number(share(row), 2)
    return (
        f"{row['op']:14}{row['n']:9} {text} {of:>8} {peer:>8} {number(row['ratio'], 2):>6}  "
        f"{fastest or ''}"
    )


def share_out(runs):
    """Set the instructions' time of rows with several threads, divided by the cores."""
    one = [run for run in runs if run["threads"] == 1]
    counted = {(run["isa"], r["op"]): r for run in one for r in run["rows"] if r.get("compute")}
    for run in runs:
        for row in run["rows"] if run["threads"] > 1 else ():
            known = counted.get((run["isa"], row["op"]))
            if known:
                row |= {key: known[key] for key in ("compute_by", "instructions", "vectors")}
                row["compute"] = known["compute"] / run["threads"]


def size(n):
    return report.size(n).removeprefix("n = ")


# ---------------------------------------------------------------- targets

NOISE = 0.95  # of a peer's time, where memory bounds both
CHEAPEST = 20


def rows_at(run, n):
    return [row for row in run["rows"] if row["n"] == n and ours(row)]


def memory_bounds(row):
    return bound_by(row) == "bytes" and share(row) >= 0.8


def is_ahead(row):
    return row["ratio"] >= (NOISE if memory_bounds(row) else 1)


def cheapest(rows):
    """Return the element-wise rows with the fewest vector instructions per element."""
    counted = [row for row in rows if row.get("instructions") and is_elementwise(row)]
    return sorted(counted, key=lambda row: row["vectors"])[:CHEAPEST]


def is_elementwise(row):
    return not (OPS[row["op"]].vector or OPS[row["op"]].reduces)


def relative_time(row, name):
    """Return a peer's time over halfcl's."""
    return row["ns"][name] / ours(row)


def failing(rows, holds, value):
    return [f"{r['op']} {size(r['n'])}: {value(r):.2f}" for r in rows if not holds(r)]


def ahead_target(run):
    rows = [row for row in rows_at(run, 2**14) if row["ratio"]]
    yield "ahead of every peer", rows, failing(rows, is_ahead, lambda row: row["ratio"])


def stream_targets(run):
    for n, least in ((2**14, 0.8), (2**20, 0.9)):
        rows = [row for row in cheapest(rows_at(run, n)) if row["stream"]]
        reached = [
            f"{r['op']}: {r['stream'] / ours(r):.2f}" for r in rows if r["stream"] < least * ours(r)
        ]
        what = f"{least} of the streaming limit at {size(n)}, the {CHEAPEST} cheapest functions"
        yield what, rows, reached


def torch_target(run):
    name = "PyTorch f16"
    rows = [row for row in run["rows"] if name in row["ns"] and ours(row)]
    bad = failing(
        rows, lambda row: relative_time(row, name) >= 1, lambda row: relative_time(row, name)
    )
    yield "ahead of PyTorch with as many threads, at every size", rows, bad


def at(run, op, n=2**24):
    return [row for row in run["rows"] if row["op"] == op and row["n"] == n and ours(row)]


def core_targets(one, run):
    """Yield the targets of all the cores: exp against one core, add against a copy."""
    cores, least = run["threads"], run["threads"] / 2
    rows = at(run, "exp")
    if rows and at(one, "exp"):
        times = ours(at(one, "exp")[0]) / ours(rows[0])
        bad = [] if times >= least else [f"{times:.1f} times"]
        yield f"exp at 2^24 {least:g} times as fast as one core", rows, bad
    rows, copies = at(run, "add"), at(run, COPY.name)
    if rows and copies and copies[0]["stream"]:
        copied = copies[0]["bytes"] / copies[0]["stream"]
        reached = rows[0]["bytes"] / ours(rows[0]) / copied
        bad = [] if reached >= 0.8 else [f"{reached:.2f} of {copied:.1f} GB/s"]
        yield f"add at 2^24 0.8 of copy bandwidth ({cores} cores)", rows, bad


def targets(runs):
    """Yield each target of a run: what it requires, how many rows it has, and those that fail."""
    free = [run for run in runs if not run["held"]]
    one = next((run for run in free if run["threads"] == 1), None)
    for run in runs:
        checks = [*ahead_target(run), *stream_targets(run)] if run["threads"] == 1 else []
        checks += torch_target(run)
        if one and run in free and run["threads"] > 1:
            checks += core_targets(one, run)
        for what, rows, bad in checks:
            if rows:
                yield f"{title(run)}: {what}", len(rows), bad


def title(run):
    cores = "one core" if run["threads"] == 1 else f"{run['threads']} cores"
    return f"{cores}, {run['isa']}{' alone' if run['held'] else ''}"


def summary(runs):
    lines = []
    for run in runs:
        lines += [f"\n{title(run)}", *report.means(sorted(run["rows"], key=lambda row: row["n"]))]
        facts = run["machine"] | run["columns"] | {k: number(v, 1) for k, v in run["rates"].items()}
        lines += [f"{key}: {value}" for key, value in facts.items()]
    lines.append("\nTargets")
    for what, count, bad in targets(runs):
        lines.append(f"{'fail' if bad else 'pass'}  {what}: {count - len(bad)} of {count}")
        lines += [f"      {text}" for text in bad]
    return "\n".join(lines)


# ---------------------------------------------------------------- tables


def markdown(heads, rows, left=1):
    """Return a table whose first columns are texts and whose others are numbers."""
    marks = ["---"] * left + ["---:"] * (len(heads) - left)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [heads, marks, *rows])


def figures(run, n):
    """Return the table of one run at one size."""
    heads = ["", "halfcl", "fastest peer", "which", "times as fast"]
    heads += ["kernel", "bytes alone", "instructions", "their time", "of the limit"]
    body = []
    for row in rows_at(run, n):
        peer = row["ns"].get(row["fastest"])
        cells = [row["op"], number(ours(row)), number(peer), row["fastest"] or ""]
        cells += [number(row["ratio"], 2), number(row["kernel"]), number(row["stream"])]
        cells += [number(row.get("instructions"), 2), number(row["compute"])]
        body.append([*cells, number(share(row), 2)])
    return markdown(heads, body)


def sizes(run):
    return sorted({row["n"] for row in run["rows"]})


#: The sizes whose figures a page has, of one core and of more.
SHOWN = {False: (2**14, 2**20), True: (2**20, 2**24)}


def all_figures(runs):
    parts = [
        f"{title(run).capitalize()}, n = {size(n)}, ns an element:\n\n{figures(run, n)}"
        for run in runs
        for n in SHOWN[run["threads"] > 1]
        if rows_at(run, n)
    ]
    return "\n\n".join(parts)


def behind(runs):
    """Return for each run the rows where a peer is ahead by more than noise."""
    return "\n\n".join(f"{title(run).capitalize()}:\n\n{behind_table(run)}" for run in runs)


def behind_table(run):
    """Return a table with a row per function, and its ratio at each size where it is behind."""
    by_function = {}
    for row in run["rows"]:
        if row["ratio"] and not is_ahead(row):
            by_function.setdefault(row["op"], {})[row["n"]] = row
    if not by_function:
        return "None."
    heads = ["", *map(size, sizes(run)), "of the limit, at the worst", "fastest peer there"]
    body = []
    for name, at in sorted(by_function.items(), key=lambda item: worst(item[1])["ratio"]):
        ratios = [number(at[n]["ratio"], 2) if n in at else "" for n in sizes(run)]
        row = worst(at)
        body.append([name, *ratios, number(share(row), 2), row["fastest"]])
    return markdown(heads, body)


def worst(rows):
    return min(rows.values(), key=lambda row: row["ratio"])


def farthest(runs, count=10):
    """Return the rows of one core that are farthest from the limit, without the calls' cost."""
    heads = ["", "n", "kernel", "bytes alone", "instructions take", "bound by", "of the limit"]
    rows = [row for run in runs if run["threads"] == 1 for row in run["rows"]]
    rows = [row for row in rows if row["kernel"] and row["compute"] and row["n"] == 2**14]
    rows.sort(key=lambda row: share(row, row["kernel"]))
    body = [
        [
            row["op"], size(row["n"]), number(row["kernel"]), number(row["stream"]),
            number(row["compute"]), bound_by(row), number(share(row, row["kernel"]), 2),
        ]
        for row in rows[:count]
    ]  # fmt: skip
    return markdown(heads, body) if body else "Not measured."


def at_a_glance(runs):
    """Return how often halfcl is ahead, and how near the limit it is."""
    heads = ["", "n", "fastest peer / halfcl", "ahead", "of the limit"]
    body = []
    for run in runs:
        for n in sizes(run):
            rows = rows_at(run, n)
            ratios = [row["ratio"] for row in rows if row["ratio"]]
            shares = [share(row) for row in rows if share(row)]
            ahead = f"{sum(map(is_ahead, [r for r in rows if r['ratio']]))} of {len(ratios)}"
            cells = [number(mean(ratios), 2), ahead, number(mean(shares), 2)]
            body.append([title(run), size(n), *cells])
    return markdown(heads, body)


def mean(values):
    return report.geometric_mean(values) if values else None


def conditions(runs):
    """Return one line per run on the conditions of the measurement."""
    return "\n".join(
        f"- {title(run).capitalize()}: {report.conditions(run['machine'], run['columns'])}."
        for run in runs
    )


def targets_table(runs):
    """Return the table of the targets."""
    body = [
        ["no" if bad else "yes", what, f"{count - len(bad)} of {count}", "; ".join(bad)]
        for what, count, bad in targets(runs)
    ]
    return markdown(["reached", "target", "rows", "those that fail"], body, left=4)


def tables(runs):
    """Return {name of its marks in docs/evidence/speed.md: text}; AVX2 apart, if measured."""
    free = [run for run in runs if not run["held"]]
    held = [run for run in runs if run["held"]]
    tables = {}
    if free:
        tables = {
            "conditions": conditions(free), "at a glance": at_a_glance(free),
            "behind": behind(free), "targets": targets_table(free), "farthest": farthest(free),
            "all figures": all_figures(free),
        }  # fmt: skip
    if held:
        tables |= {
            "avx2 conditions": conditions(held), "avx2 at a glance": at_a_glance(held),
            "avx2 behind": behind(held), "avx2 figures": all_figures(held),
        }  # fmt: skip
    return tables
