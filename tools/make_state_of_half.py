"""Make docs/evidence/state_of_half.md, and its pictures, from reports of ``halfcl audit --json``.

    python tools/make_state_of_half.py [REPORT.json ...]

The reports named are first stored in docs/evidence/audits, in short; then the page is made of all
that are there. A report of the same target and library takes the place of an older one.
"""

import argparse
import json
import re
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path

from matplotlib.figure import Figure

from halfcl._tables import TABLE
from halfcl.audit._output import reproducer
from halfcl.audit._report import BIN, FIRST_PLACE, VERSION, Report, over_lengths, ulps as exact_ulps

DOCS = Path(__file__).resolve().parent.parent / "docs" / "evidence"
STORED = DOCS / "audits"
PAGE = DOCS / "state_of_half.md"

CASES = 3  # of the worst results that are stored
DIGITS = 3  # of a curve's errors
MOST_SNIPPETS = 8  # of a target

HEAD = """# The state of half

This page says how right the half-precision functions of other libraries and devices are.

```sh
python -m halfcl audit TARGET --html report.html      # audit your own
```

halfcl audited every target below:
functions of one half on all 65,536 inputs, those of two on more than a million pairs, conversions
around every half and every midpoint, functions of vectors on families made to go wrong, and
[sums and their like](#reductions) in several orders. A result is wrong if one bit of it is; a
zero's sign counts, any NaN stands for a NaN. The error is in ulp of the exact result; at most 0.5
is what correct rounding leaves. The verdict is by OpenCL's limits for half in the full profile:
`within` the limit, `beyond` it, `flushes` (within it but for subnormal numbers taken as zeros), or
`open`, where OpenCL sets no limit.

**How to read a verdict.** Hardly any library promises correct rounding, so a wrong result is no
defect by itself: a function with a few results barely more than 0.5 ulp off, computed in float
and then rounded, is as good as its users need. `within` is what OpenCL asks of a device. `beyond`
is one result or more that it would not take: a larger error, a NaN, an infinity or the sign of an
exact zero out of place, any wrong result of arithmetic and conversions, which it wants correctly
rounded. Of `dot` and `cross` OpenCL limits the absolute error, by the sizes of the components, so
that no limit in ulp stands beside them. The test vectors are hard on purpose: they cancel,
overflow or underflow on the way, as few real ones do. Most libraries never promised OpenCL's
limits, and what they give may be what their own documentation says; they are measured by these
limits all the same: one yardstick for all. What a library computes in a wider type is named, and
not counted.

In the pictures the axis has all halves in their order; blue is what correct rounding leaves, too,
amber is more, red is beyond OpenCL's limit, the dashed line.

Your own library takes two commands: `pip install '.[pages]'` ([or from the
sources](../howto/installing.md)) and `python -m halfcl audit TARGET --html report.html`. Its page
shows every function's errors over all inputs ([how](../howto/audit.md)). This page is made by
`python tools/make_state_of_half.py` of the reports in [docs/evidence/audits](audits).
"""


# ---------------------------------------------------------------- what is stored


def store(path):
    """Store a report in short form in docs/evidence/audits."""
    report = Report.from_json(path.read_text(encoding="utf-8"))
    short = replace(report, functions=tuple(shorten(f) for f in report.functions))
    text = json.dumps({"version": VERSION, **asdict(short)}, allow_nan=False, separators=(",", ":"))
    lines = text.replace('{"name":', '\n{"name":')  # a line a function or reduction, for diffs
    STORED.mkdir(exist_ok=True)
    (STORED / f"{slug(report.target.name)}.json").write_text(lines + "\n", encoding="utf-8")


def slug(name):
    return re.sub(r"\W+", "_", name.lower()).strip("_")


def shorten(function):
    """Return a function without its curve, unless it is drawn."""
    curve = tuple(e and float(f"{e:.{DIGITS}g}") for e in function.curve)
    return replace(
        function,
        worst=tuple(sorted(function.worst, key=lambda c: -abs(c.ulps or 0))[:CASES]),
        curve=curve if is_bad(function) else (),
        curve_mistakes=function.curve_mistakes if is_bad(function) else (),
    )


def is_bad(function):
    """Return whether to show a function with picture and code.

    It is shown if it is beyond the limit, or far off where there is no limit.
    """
    return function.is_beyond or (function.wrong > 0 and function.max_ulp > 8)


# ---------------------------------------------------------------- tables


def glance(reports):
    """Return the overview, a line per target."""
    lines = [
        "| target | library | device | audited | right | within | open | beyond | date |",
        "|---|---|---|---:|---:|---:|---:|---:|---|",
    ]
    for report in reports:
        counts = Counter(f.verdicts[0] for f in report.functions)
        within = counts["within"] + counts["flushes"]
        target = report.target
        lines.append(
            f"| [{target.name}](#{anchor(report)}) | {target.library} {target.version} "
            f"| {target.device} | {len(report.functions)} | {counts['correct']} | {within} "
            f"| {counts['open']} | {counts['beyond']} | {report.date[:10]} |"
        )
    return "\n".join(lines)


def anchor(report):
    return re.sub(r"[^\w-]", "", report.target.name.lower().replace(" ", "-"))


def matrix(reports):
    """Return the table of functions by targets: wrong results, and the largest error."""
    columns = [report for report in reports if len(by_name(report)) > 3]
    names = [name for name in MATH if sum(name in by_name(report) for report in columns) > 1]
    lines = [
        f"| | {' | '.join(report.target.name for report in columns)} |",
        f"|---|{'---:|' * len(columns)}",
    ]
    lines += [
        f"| {name} | {' | '.join(cell(by_name(report).get(name)) for report in columns)} |"
        for name in names
    ]
    return "\n".join(lines)


def by_name(report):
    """Return the functions of numbers by halfcl's names, the first of each."""
    functions = {}
    for function in report.functions:
        functions.setdefault(computes(report, function), function)
    return {name: function for name, function in functions.items() if name in MATH}


MATH = [row.name for row in TABLE if row.public and row.section in ("Operators", "Math", "Common")
        and row.outputs == "e" and row.inputs in ("e", "ee")]  # fmt: skip


def cell(function):
    if function is None:
        return ""
    if not function.wrong:
        return "0"
    text = f"{function.wrong:,} ({ulps(function.max_ulp)})"
    return f"**{text}**" if function.is_beyond else text


def ulps(error):
    """Format an error in few digits, or in more where it would read as half an ulp and is not."""
    short = f"{error:.3g}" if error < 1e4 else f"{error:.1e}"
    return exact_ulps(error) if float(short) == 0.5 != error else short


def details(report):
    """Return a target's wrong functions, the worst first, and the names of the right ones."""
    wrong = report.worst(len(report.functions))
    lines = [
        "| function | called | wrong | of | max ulp | limit | verdict | mistakes |",
        "|---|---|---:|---:|---:|---:|---|---|",
    ]
    for f in wrong:
        limit = "" if f.limits[0] is None else f"{f.limits[0]:g}"
        lines.append(
            f"| {f.label} | `{f.spelled}` | {f.wrong:,} | {f.tested:,} | {ulps(f.max_ulp)} "
            f"| {limit} | {f.verdicts[0]} | {mistakes(f)} |"
        )
    return "\n".join(lines) if wrong else "Nothing is wrong."


def mistakes(function):
    """Return the mistakes that an error in ulp does not show."""
    kinds = {k: n for k, n in function.mistakes.items() if k not in ("an ulp off or more",
             "rounded the wrong way")}  # fmt: skip
    kinds |= {"steps the wrong way": function.monotonicity, "asymmetric": function.symmetry}
    return ", ".join(f"{kind}: {n:,}" for kind, n in kinds.items() if n)


def right(report):
    """Return which functions are right, and on how many inputs."""
    every = [f.label for f in report.functions if not f.wrong and f.exhaustive]
    sample = [f.label for f in report.functions if not f.wrong and not f.exhaustive]
    parts = []
    if every:
        parts.append(f"Right on every input there is ({len(every)}): {names(every)}.")
    if sample:
        parts.append(f"Right on every input of the sample ({len(sample)}): {names(sample)}.")
    return "\n\n".join(parts)


def names(labels):
    return ", ".join(f"`{label}`" for label in labels)


def witness(reports):
    """Return the rounded functions of which a target's every result equals halfcl's."""
    rounded = {row.name for row in TABLE if row.ulp == 0.5 and row.inputs == "e"} - WHOLE
    lines = []
    for report in reports:
        agreeing = [
            function.spelled
            for function in report.functions
            if not function.wrong
            and function.exhaustive
            and not function.result
            and computes(report, function) in rounded
        ]
        if agreeing:
            lines.append(f"- {report.target.name} ({len(agreeing)}): {names(agreeing)}")
    return "\n".join(lines)


#: Functions that round to integers, which say little about others.
WHOLE = {"rint", "round", "trunc", "ceil", "floor"}


def computes(report, function):
    """Return halfcl's name of the function that is computed."""
    if report.target.name != "cuda_fp16":
        return function.name
    from halfcl.audit._targets.devices.cuda_sources import FUNCTIONS

    return next((each.computes for each in FUNCTIONS if each.name == function.name), "")


# ---------------------------------------------------------------- reductions

FAMILIES = {
    "uniform": "between 0 and 1",
    "normal": "of mean 0 and deviation 1",
    "offset": "of mean 100 and deviation 1",
    "cancelling": "pairs of both signs up to 256, and an eighth of small numbers",
    "large": "pairs of both signs up to 60000 that nearly cancel",
}
REDUCTIONS = ("sum", "mean", "var", "norm", "softmax", "layer_norm")


def reductions(reports):
    """Return the section on errors of reductions by target; empty if no report has any."""
    having = [report for report in reports if report.reductions]
    if not having:
        return []
    text = (
        "Rows of 32, 1024 and 65,536 halves, the same elements in 20 orders: "
        + "; ".join(f"*{name}*, {numbers}" for name, numbers in FAMILIES.items())
        + ". Each cell is the greatest error in ulp of the exact result, and shares of the "
        "results: *wrong* are not the exact result rounded once, *no numbers* are the wrong ones "
        "that are NaN or infinite and should be numbers or the contrary, *by order* are other "
        "numbers in another order. Where there is no share all is right. `var` is without a "
        "correction, `layer_norm` with 1e-5 added to the variance. What computes in float32 and "
        "rounds at the end is nearly right but where sums cancel; what rounds to half on the way "
        "is not, and may overflow. OpenCL has no limits for these."
    )
    head = f"| | called | {' | '.join(FAMILIES)} |\n|---|---|{'---:|' * len(FAMILIES)}"
    tables = [
        f"### {report.target.name}: reductions\n\n{head}\n" + "\n".join(reduction_rows(report))
        for report in having
    ]
    return ["## Reductions", text, *tables]


def reduction_rows(report):
    """Yield a line for each reduction of a target."""
    cells = {(each.name, each.inputs): each for each in over_lengths(report.reductions)}
    for name in REDUCTIONS:
        entries = [cells.get((name, inputs)) for inputs in FAMILIES]
        if all(entries):
            row = " | ".join(map(reduction_cell, entries))
            yield f"| {name} | `{entries[0].spelled}` | {row} |"


def reduction_cell(reduction):
    if reduction.not_numbers == reduction.tested:
        return "no numbers"
    parts = [
        (reduction.wrong, reduction.tested, "wrong"),
        (reduction.not_numbers, reduction.tested, "no numbers"),
        (reduction.unsteady, reduction.results, "by order"),
    ]
    shares = [f"{share(count / whole)} {what}" for count, whole, what in parts if count]
    return ", ".join([ulps(reduction.max_ulp), *shares])


def share(part):
    """Return a share in per cent, with two digits."""
    return f"{100 * part:.0f} %" if part >= 0.1 else f"{100 * part:.2g} %"


# ---------------------------------------------------------------- what is badly wrong


def bad(report):
    """Return the functions to show: one per name, with the shortest vectors."""
    shortest = {}
    for function in report.worst(len(report.functions)):
        name = function.name.partition("(")[0]
        if is_bad(function) and width(function) < width(shortest.get(name)):
            shortest[name] = function
    return list(shortest.values())


def width(function):
    """Return the width of a function's vectors; 1 for numbers, and more than any for None."""
    if function is None:
        return 1000
    match = re.fullmatch(r"half(\d+)", function.result)
    return int(match[1]) if match else 1


def snippets(report):
    parts = []
    for function in bad(report)[:MOST_SNIPPETS]:
        code = reproducer.code_for(report.target, function)
        if code:
            language = "cpp" if report.target.name == "cuda_fp16" else "python"
            parts.append(f"`{function.spelled}`:\n\n```{language}\n{code}\n```")
    return "\n\n".join(parts)


def picture(report):
    """Draw the errors of the badly wrong functions of one half; return "" if there are none."""
    drawn = [f for f in bad(report) if f.curve and f.max_ulp > 0.5][:6]
    path = DOCS / f"state_of_half_{slug(report.target.name)}.png"
    path.unlink(missing_ok=True)
    if not drawn:
        return ""
    figure = Figure(figsize=(9, 1.9 * len(drawn)), dpi=90, layout="constrained")
    for panel, function in zip(
        figure.subplots(len(drawn), squeeze=False)[:, 0], drawn, strict=True
    ):
        draw(panel, function)
    figure.savefig(path, metadata={"Software": None})
    labels = ", ".join(function.spelled for function in drawn)
    return f"![Errors in ulp of {labels} over all inputs]({path.name})"


def draw(panel, function):
    places = [FIRST_PLACE + BIN * k for k in range(len(function.curve))]
    errors = [error or 0 for error in function.curve]
    limit = function.limits[0]
    beyond = "#c0281c" if limit else "#e0a100"
    panel.fill_between(places, errors, step="post", color=beyond, linewidth=0)
    if limit:
        panel.fill_between(
            places, [min(e, limit) for e in errors], step="post", color="#e0a100", linewidth=0
        )
        panel.axhline(limit, color="black", linestyle="--", linewidth=0.8)
    panel.fill_between(
        places, [min(e, 0.5) for e in errors], step="post", color="#0b62a8", linewidth=0
    )
    top = max(4, 2 * max(errors))
    for mark in function.curve_mistakes:
        panel.plot(places[mark], top, marker="|", color="#c0281c", clip_on=False)
    panel.set_yscale("log", base=2)
    panel.set(ylim=(0.125, top), xlim=(places[0], places[-1]), ylabel="ulp")
    panel.yaxis.set_major_formatter("{x:g}")
    panel.set_title(f"{function.spelled}: {function.wrong:,} wrong", fontsize=10, loc="left")
    panel.set_xticks(
        [-31743, -23552, -15360, -7168, 0, 7168, 15360, 23552, 31743],
        ["-65504", "-256", "-1", "-2⁻⁸", "0", "2⁻⁸", "1", "256", "65504"],
    )


# ---------------------------------------------------------------- the page


def section(report):
    target = report.target
    facts = "; ".join(f"{name} {value}" for name, value in target.facts.items())
    parts = [
        f"## {target.name}",
        f"{target.library} {target.version} on {target.device}{'; ' * bool(facts)}{facts}. "
        f"{report.date[:10]}, halfcl {report.halfcl}.",
        picture(report),
        details(report),
        lines("Not computed in half", report.unsupported),
        lines("Failed", report.failed),
        right(report),
        snippets(report),
    ]
    return "\n\n".join(part for part in parts if part)


def lines(head, reasons):
    return f"{head}: " + "; ".join(f"`{k}` ({v})" for k, v in reasons.items()) if reasons else ""


def page(reports):
    parts = [
        HEAD.rstrip(),
        "## At a glance",
        glance(reports),
        "## Functions by targets",
        "Wrong results, and the greatest error in ulp; bold: beyond OpenCL's limit. Functions of "
        "two arguments are on the sample. Empty: it has no such function for half.",
        matrix(reports),
        *reductions(reports),
        "## Witnesses",
        "Where somebody else's function gives halfcl's very bits on all 65,536 inputs, two "
        "implementations that share nothing bear each other out, beside MPFR, which all of "
        "halfcl's results are checked against. These do, of functions whose results are rounded. "
        "NVIDIA's intrinsics (`cuda_fp16`), by hardware and code of NVIDIA's own, are the best "
        "witness that there is.",
        witness(reports),
        *(section(report) for report in reports),
    ]
    return "\n\n".join(parts) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("reports", nargs="*", type=Path, metavar="REPORT.json")
    for path in parser.parse_args().reports:
        store(path)
    reports = [Report.from_json(p.read_text(encoding="utf-8")) for p in sorted(STORED.iterdir())]
    PAGE.write_text(page(reports), encoding="utf-8")


if __name__ == "__main__":
    main()
