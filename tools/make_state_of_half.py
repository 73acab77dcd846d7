"""Make docs/evidence/state_of_half.md, and a page per target, of reports of audits.

    python tools/make_state_of_half.py [REPORT.json ...]

``halfcl audit --json`` writes reports. Those named are first stored in docs/evidence/audits, in
short; then the pages, their pictures and their figures as CSV are made of all that are there. A
report of the same target and library takes the place of an older one.
"""

import argparse
import csv
import json
import re
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path

from matplotlib.figure import Figure

from halfcl._tables import TABLE
from halfcl.audit._output import reproducer
from halfcl.audit._records import BIN, FIRST_PLACE, over_lengths, ulps as exact_ulps
from halfcl.audit._report import VERSION, Report

DOCS = Path(__file__).resolve().parent.parent / "docs" / "evidence"
STORED = DOCS / "audits"
PAGE = DOCS / "state_of_half.md"
TARGETS = "state_of_half"  # the folder of the targets' pages, beside `PAGE`

CASES = 3  # of the worst results that are stored
DIGITS = 3  # of a curve's errors
MOST_SNIPPETS = 8  # of a target
MOST_WRONG = 8  # functions in the list of the worst
HAIR = 0.51  # ulp: float32 that is rounded to half has no larger errors

HEAD = """# The state of half

This page says how right the half-precision functions of other libraries and devices are. Each
target has a page of its own.

```sh
python -m halfcl audit TARGET --html report.html      # audit your own
```
"""

HEAT = """\
Each cell has the number of wrong results, and the greatest error in ulp where that is more than
0.51. Functions of one half are tested on all 65,536 inputs, those of two on more than a million
pairs. Blue: nothing is wrong. Pale yellow: at most 0.51 ulp off. Amber: more, within OpenCL's
limit or without one. Red and **bold**: beyond the limit; dark red: more than 8 ulp off. Empty: the
target has no such function for half.
"""

METHOD = """## How to read the figures

halfcl tests functions of one half on all 65,536 inputs, those of two on more than a million pairs,
conversions around every half and every midpoint, functions of vectors on families made to go wrong,
and sums and their like in several orders. A result is wrong if one bit of it is; a zero's sign
counts, any NaN stands for a NaN. The error is in ulp of the exact result; at most 0.5 is what
correct rounding leaves. The verdict is by OpenCL's limits for half in the full profile:

- `within`: all results are within OpenCL's limit.
- `flushes`: within it but for subnormal numbers taken as zeros.
- `open`: OpenCL sets no limit.
- `beyond`: a larger error; a NaN, an infinity or the sign of an exact zero out of place; any wrong
  result of arithmetic and conversions, which OpenCL wants correctly rounded.

Hardly any library promises correct rounding, so a wrong result is no defect by itself. Most never
promised OpenCL's limits, and what they give may be what their own documentation says; they are
measured by these limits all the same: one yardstick for all. Of `dot` and `cross` OpenCL limits the
absolute error, by the sizes of the components, so that no limit in ulp stands beside them. The
test vectors are hard on purpose: they cancel, overflow or underflow on the way, as few real ones
do. What a library computes in a wider type is named, and not counted.

All figures are in two files: [functions.csv](state_of_half/functions.csv) and
[reductions.csv](state_of_half/reductions.csv). `python tools/make_state_of_half.py` makes them, and
these pages, of the reports in [docs/evidence/audits](audits).

## Audit your own

Two commands: `pip install "halfcl[pages]"` ([or from the sources](../howto/installing.md)) and
`python -m halfcl audit TARGET --html report.html`. Its page shows every function's errors over all
inputs ([how](../howto/audit.md)).
"""

PICTURES = """In the picture the axis has all halves in their order; blue is what correct rounding
leaves, too, amber is more, red is beyond OpenCL's limit, the dashed line."""


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
            f"| {link(report)} | {target.library} {target.version} "
            f"| {target.device} | {len(report.functions)} | {counts['correct']} | {within} "
            f"| {counts['open']} | {counts['beyond']} | {report.date[:10]} |"
        )
    return "\n".join(lines)


def link(report):
    """Return a link to a target's page, from the page of all."""
    return f"[{report.target.name}]({TARGETS}/{slug(report.target.name)}.md)"


def matrix(reports):
    """Return the table of functions by targets: wrong results, and the largest error."""
    columns = [report for report in reports if len(by_name(report)) > 3]
    names = [name for name in MATH if sum(name in by_name(report) for report in columns) > 1]
    lines = [
        f"| | {' | '.join(map(link, columns))} |",
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
    error = f" ({ulps(function.max_ulp)})" if function.max_ulp > HAIR else ""
    text = f"{function.wrong:,}{error}"
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


def reductions(report):
    """Return the section on errors of a target's reductions; empty if it has none."""
    if not report.reductions:
        return ""
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
    table = "\n".join([head, *reduction_rows(report)])
    return f"## Sums and their like\n\n{text}\n\n{table}"


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
    path = DOCS / TARGETS / f"{slug(report.target.name)}.png"
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
    return f"![Errors in ulp of {labels} over all inputs]({path.name})\n\n{PICTURES}"


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


# ---------------------------------------------------------------- findings in words

ARITHMETIC = ("add", "subtract", "multiply", "divide", "fma", "sqrt")


def findings(reports):
    """Return what the reports say, as a list; sentences that no report bears out are left out."""
    sentences = (
        overall, hairs, arithmetic, worst, double_conversions, dot_products, long_sums, best,
    )  # fmt: skip
    texts = [sentence(reports) for sentence in sentences]
    return "\n".join(f"- {text}" for text in texts if text)


def everywhere(reports):
    """Yield each function of each target, with the target's link."""
    for report in reports:
        for function in report.functions:
            yield link(report), function


def overall(reports):
    functions = [function for _, function in everywhere(reports)]
    count = Counter(function.verdicts[0] for function in functions)
    return (
        f"**{len(functions)} functions of {len(reports)} targets** were audited: "
        f"{count['correct']} have no wrong result, {count['within'] + count['flushes']} are within "
        f"OpenCL's limits, {count['beyond']} go beyond them, and for {count['open']} OpenCL sets "
        "none."
    )


def hairs(reports):
    wrong = [function for _, function in everywhere(reports) if function.wrong]
    small = [function for function in wrong if function.max_ulp <= HAIR and not function.is_beyond]
    if not small:
        return ""
    return (
        f"**{len(small)} of the {len(wrong)} functions with a wrong result** are off by at most "
        f"{HAIR} ulp, and within the limits: as good as float32 rounded at the end, which is as "
        "good as most users need."
    )


def arithmetic(reports):
    names = ", ".join(f"`{name}`" for name in ARITHMETIC)
    wrong = [
        f"`{function.name}` of {target} ({function.wrong:,} of {function.tested:,})"
        for target, function in everywhere(reports)
        if function.name in ARITHMETIC and function.wrong
    ]
    where = f"only in {', '.join(wrong)}" if wrong else "nowhere"
    return f"**Arithmetic** ({names}) has wrong results {where}."


def worst(reports):
    """Name the functions of numbers with the most wrong results, once per target."""
    beyond = [
        (function.wrong, name, link(report), function)
        for report in reports
        for name, function in by_name(report).items()
        if function.is_beyond and function.exhaustive and function.max_ulp > 0.5
    ]
    beyond.sort(key=lambda entry: (-entry[0], entry[2]))
    texts = [
        f"`{name}` of {target} ({function.wrong:,}, up to {ulps(function.max_ulp)} ulp)"
        for _, name, target, function in beyond[:MOST_WRONG]
    ]
    if not texts:
        return ""
    return f"**The most wrong results of 65,536**: {'; '.join(texts)}."


def double_conversions(reports):
    wrong = {
        target: function
        for target, function in everywhere(reports)
        if function.name == "convert_half(double)" and function.wrong
    }
    if not wrong:
        return ""
    share_wrong = max(function.wrong / function.tested for function in wrong.values())
    return (
        f"**Conversion from double** is not correctly rounded in {', '.join(wrong)}: up to "
        f"{share(share_wrong)} of doubles around halves and midpoints come out wrong."
    )


def dot_products(reports):
    lost = Counter()
    for target, function in everywhere(reports):
        if function.name == "dot":
            kinds = ("NaN for a number", "infinity for a number")
            count = sum(function.mistakes.get(kind, 0) for kind in kinds)
            lost[target] = max(lost[target], count / function.tested)
    targets = [f"{target} ({share(part)})" for target, part in lost.items() if part]
    if not targets:
        return ""
    return (
        "**Dot products** give a NaN or an infinity for a number, since they overflow on the way. "
        f"So many hard cases do: {', '.join(targets)}."
    )


def long_sums(reports):
    """Name each target's reduction with the largest share of wrong results."""
    texts = []
    for report in reports:
        parts = [
            (each.wrong / each.tested, each.name, each.inputs)
            for each in over_lengths(report.reductions)
            if each.wrong
        ]
        if parts:
            part, name, inputs = max(parts)
            texts.append(f"`{name}` of {link(report)} ({share(part)} wrong on *{inputs}*)")
    return f"**Sums and their like**, the worst of each: {', '.join(texts)}." if texts else ""


def best(reports):
    targets = [
        link(report) for report in reports if not any(each.is_beyond for each in report.functions)
    ]
    return f"**Nothing is beyond the limits** in {', '.join(targets)}." if targets else ""


# ---------------------------------------------------------------- the pages


def target_page(report):
    """Return the page of one target."""
    target = report.target
    facts = "; ".join(f"{name} {value}" for name, value in target.facts.items())
    code = snippets(report)
    parts = [
        f"# The state of half: {target.name}",
        f"This page lists what is wrong in {target.library} {target.version} on "
        f"{target.device}{'; ' * bool(facts)}{facts}. halfcl {report.halfcl} audited it on "
        f"{report.date[:10]}. [All targets](../state_of_half.md), and how to read "
        "the figures.",
        picture(report),
        "## Functions with wrong results",
        details(report),
        "## The others",
        lines("Not computed in half", report.unsupported),
        lines("Failed", report.failed),
        right(report),
        reductions(report),
        f"## To see it yourself\n\n{code}" if code else "",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def lines(head, reasons):
    return f"{head}: " + "; ".join(f"`{k}` ({v})" for k, v in reasons.items()) if reasons else ""


def page(reports):
    """Return the page of all targets."""
    parts = [
        HEAD.rstrip(),
        "## What the audits found",
        findings(reports),
        "## Functions by targets",
        HEAT.rstrip(),
        f"<!-- heat map -->\n\n{matrix(reports)}",
        "## Targets",
        glance(reports),
        "## Witnesses",
        "Where somebody else's function gives halfcl's very bits on all 65,536 inputs, two "
        "implementations that share nothing bear each other out, beside MPFR, which all of "
        "halfcl's results are checked against. These do, of functions whose results are rounded. "
        "NVIDIA's intrinsics (`cuda_fp16`), by hardware and code of NVIDIA's own, are the best "
        "witness that there is.",
        witness(reports),
        METHOD.rstrip(),
        contents(reports),
    ]
    return "\n\n".join(parts) + "\n"


def contents(reports):
    entries = "\n".join(
        f"{report.target.name} <{TARGETS}/{slug(report.target.name)}>" for report in reports
    )
    return f"```{{toctree}}\n:hidden:\n\n{entries}\n```"


# ---------------------------------------------------------------- figures as CSV


def function_figures(reports):
    """Yield the rows of functions.csv."""
    yield ("target", "library", "version", "device", "date", "function", "called", "tested",
           "exhaustive", "wrong", "max_ulp", "limit", "verdict")  # fmt: skip
    for report in reports:
        target = report.target
        facts = target.name, target.library, target.version, target.device, report.date[:10]
        for f in report.functions:
            yield (*facts, f.label, f.spelled, f.tested, f.exhaustive, f.wrong, f.max_ulp,
                   f.limits[0], f.verdicts[0])  # fmt: skip


def reduction_figures(reports):
    """Yield the rows of reductions.csv."""
    yield ("target", "library", "version", "device", "date", "reduction", "called", "inputs",
           "length", "tested", "wrong", "not_numbers", "max_ulp", "results",
           "unsteady")  # fmt: skip
    for report in reports:
        target = report.target
        facts = target.name, target.library, target.version, target.device, report.date[:10]
        for r in report.reductions:
            yield (*facts, r.name, r.spelled, r.inputs, r.length, r.tested, r.wrong, r.not_numbers,
                   r.max_ulp, r.results, r.unsteady)  # fmt: skip


def write_csv(path, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("reports", nargs="*", type=Path, metavar="REPORT.json")
    for path in parser.parse_args().reports:
        store(path)
    reports = [Report.from_json(p.read_text(encoding="utf-8")) for p in sorted(STORED.iterdir())]
    folder = DOCS / TARGETS
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    PAGE.write_text(page(reports), encoding="utf-8")
    for report in reports:
        path = folder / f"{slug(report.target.name)}.md"
        path.write_text(target_page(report), encoding="utf-8")
    write_csv(folder / "functions.csv", function_figures(reports))
    write_csv(folder / "reductions.csv", reduction_figures(reports))


if __name__ == "__main__":
    main()
