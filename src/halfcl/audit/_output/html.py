"""A report as one self-contained HTML page: it needs no network and no other file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files

from halfcl._support import html_pages
from halfcl.audit._output import plot, reproducer
from halfcl.audit._report import (
    BUCKETS,
    Case,
    FunctionReport,
    ReductionReport,
    Report,
    hexadecimal,
    number,
    ulps,
)
from halfcl.audit._results import mistakes

#: The words for verdicts, and their style.
_VERDICTS = {
    "correct": ("right", "right everywhere"),
    "within": ("within", "within the limit"),
    "flushes": ("within", "within it but for subnormals"),
    "beyond": ("beyond", "beyond the limit"),
    "open": ("open", "no limit"),
}

_COLUMNS = ("function", "called", "inputs", "wrong", "max ulp", "mean ulp", "full profile",
            "embedded", "besides")  # fmt: skip
_TEXT = {"function", "called", "full profile", "embedded", "besides"}


def page(report: Report) -> str:
    """Return a report as HTML.

    Parameters
    ----------
    report : Report

    Returns
    -------
    str
        A complete page: the conditions, a table of all functions, and for each function its
        errors over all inputs, their histogram, the worst results, and for bad ones code that
        reproduces them. It adapts to the reader's choice of light or dark, and to narrow windows.

    Examples
    --------
    >>> from halfcl import audit
    >>> from halfcl.audit._output.html import page
    >>> page(audit.run("numpy", ["sqrt"])).splitlines()[0]
    '<!doctype html>'
    """
    title = f"How right is {report.target.name}?"
    functions = _worst_first(report)
    body = [
        f"<h1>{escape(title)}</h1>",
        _lead(report),
        _conditions(report),
        _totals(report.functions),
        _summary(functions),
        _reductions(report.reductions),
        _lines("Not computed", report.unsupported),
        _lines("Failed", report.failed),
        *(_function(report, each) for each in functions),
    ]
    return html_pages.page(title, _resource("style.css"), body, _resource("script.js"))


def _resource(name: str) -> str:
    """Return a text file of the page."""
    return (files("halfcl.audit") / "page" / name).read_text(encoding="utf-8")


def _worst_first(report: Report) -> list[FunctionReport]:
    """Return the functions, the worst first; correct ones follow in the report's order."""
    wrong = report.worst(len(report.functions))
    return wrong + [each for each in report.functions if not each.wrong]


def _lead(report: Report) -> str:
    return (
        "<p>Every result is compared with the right one: the exact result, rounded once to half, "
        "as halfcl computes it, which is proven against MPFR. A result is wrong if one bit of it "
        "is; a zero's sign counts, any NaN stands for a NaN. The limits are those of OpenCL for "
        "half.</p>"
    )


def _conditions(report: Report) -> str:
    target = report.target
    rows = {
        "target": target.name,
        "library": f"{target.library} {target.version}",
        "device": target.device,
        **target.facts,
        "audited by": f"halfcl {report.halfcl}",
        "date": report.date,
    }
    items = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(str(value))}</dd>\n"
        for name, value in rows.items()
        if value
    )
    return f'<dl class="conditions">\n{items}</dl>'


def _totals(functions: Iterable[FunctionReport]) -> str:
    verdicts = [each.verdicts[0] for each in functions]
    counts = {
        "audited": len(verdicts),
        "right everywhere": verdicts.count("correct"),
        "within OpenCL's limit": verdicts.count("within") + verdicts.count("flushes"),
        "wrong, with no limit": verdicts.count("open"),
        "beyond OpenCL's limit": verdicts.count("beyond"),
    }
    items = "".join(f"<li><b>{count}</b> {name}</li>\n" for name, count in counts.items())
    return f'<ul class="totals">\n{items}</ul>'


# ---------------------------------------------------------------- summary table


def _summary(functions: Iterable[FunctionReport]) -> str:
    heads = "".join(
        f'<th{_text(name)} scope="col"><button>{name}</button></th>' for name in _COLUMNS
    )
    rows = "\n".join(_row(each) for each in functions)
    return (
        '<div class="wide"><table class="summary">\n'
        f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>\n"
        f"<p><small>Besides: {_legend()}.</small></p>"
    )


def _legend() -> str:
    """Return an explanation of the short names of mistakes."""
    kinds = [*mistakes.NOT_NUMBERS, *mistakes.FLUSHES, mistakes.ZERO_SIGN]
    meanings: dict[str, list[str]] = {}
    for kind in kinds:
        meanings.setdefault(mistakes.SHORT[kind], []).append(kind)
    meanings["steps"] = ["steps to the next input that go the wrong way"]
    meanings["symmetry"] = ["other results than symmetry demands"]
    return "; ".join(f"<b>{short}</b> {' or '.join(kinds)}" for short, kinds in meanings.items())


def _text(column: str, columns: set[str] = _TEXT) -> str:
    return ' class="text"' if column in columns else ""


def _row(function: FunctionReport) -> str:
    label = escape(function.label)
    full, embedded = (_verdict(function, k) for k in range(2))
    return (
        f'<tr><td><a href="#{label}">{label}</a></td>'
        f'<td class="text"><code>{escape(function.spelled)}</code></td>'
        f'<td data-key="{function.tested}">{function.tested:,}</td>'
        f'<td data-key="{function.wrong}">{function.wrong:,}</td>'
        f'<td data-key="{function.max_ulp}">{_ulps(function.max_ulp)}</td>'
        f'<td data-key="{function.mean_ulp}">{_ulps(function.mean_ulp)}</td>'
        f"{full}{embedded}"
        f'<td class="notes">{escape(_other_mistakes(function))}</td></tr>'
    )


def _verdict(function: FunctionReport, profile: int) -> str:
    verdict, limit = function.verdicts[profile], function.limits[profile]
    style, _ = _VERDICTS[verdict]
    allowed = "" if limit is None else f" ({limit:g})"
    return f'<td class="text {style}">{verdict}{allowed}</td>'


def _ulps(error: float) -> str:
    """Return an error in four digits, or in more if it would be confused with half an ulp."""
    short = f"{error:,.0f}" if 1e4 <= abs(error) < 1e9 else f"{error:.4g}"
    return ulps(error) if short == "0.5" and error != 0.5 else short


def _other_mistakes(function: FunctionReport) -> str:
    """Return the counts of mistakes other than errors in ulps, by their short names."""
    kinds = [*mistakes.NOT_NUMBERS, *mistakes.FLUSHES, mistakes.ZERO_SIGN]
    counts = {mistakes.SHORT[kind]: 0 for kind in kinds}
    for kind in kinds:
        counts[mistakes.SHORT[kind]] += function.mistakes.get(kind, 0)
    counts |= {"steps": function.monotonicity, "symmetry": function.symmetry}
    return ", ".join(f"{name} {n:,}" for name, n in counts.items() if n)


def _lines(head: str, reasons: Mapping[str, str]) -> str:
    if not reasons:
        return ""
    items = "".join(
        f"<dt><code>{escape(name)}</code></dt><dd>{escape(why)}</dd>\n"
        for name, why in reasons.items()
    )
    return f'<h2>{head}</h2>\n<dl class="conditions">\n{items}</dl>'


# ---------------------------------------------------------------- reductions

_REDUCTIONS_COLUMNS = ("reduction", "called", "elements", "length", "results", "wrong",
                       "NaN, infinite", "max ulp", "mean ulp", "depend on the order",
                       "different results")  # fmt: skip
_REDUCTIONS_TEXT = {"reduction", "called", "elements"}


def _reductions(reductions: Sequence[ReductionReport]) -> str:
    """Return a table with a line for each reduction, family of inputs and length."""
    if not reductions:
        return ""
    heads = "".join(
        f'<th{_text(name, _REDUCTIONS_TEXT)} scope="col"><button>{name}</button></th>'
        for name in _REDUCTIONS_COLUMNS
    )
    rows = "\n".join(map(_reduction, reductions))
    return (
        "<h2>Reductions</h2>\n"
        f"<p>The same elements in {reductions[0].orders} orders. A result depends on the order if "
        "two orders give different numbers.</p>\n"
        '<div class="wide"><table class="summary">\n'
        f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>"
    )


def _reduction(report: ReductionReport) -> str:
    counts = (report.length, report.tested, report.wrong, report.not_numbers)
    numbers = [
        *((count, f"{count:,}") for count in counts),
        *((error, _ulps(error)) for error in (report.max_ulp, report.mean_ulp)),
        (report.unsteady / report.results, f"{report.unsteady:,} of {report.results:,}"),
        (report.most_results, f"{report.most_results}"),
    ]
    cells = "".join(f'<td data-key="{key}">{text}</td>' for key, text in numbers)
    return (
        f'<tr><td class="text">{escape(report.name)}</td>'
        f'<td class="text"><code>{escape(report.spelled)}</code></td>'
        f'<td class="text">{escape(report.inputs)}</td>{cells}</tr>'
    )


# ---------------------------------------------------------------- one function


def _function(report: Report, function: FunctionReport) -> str:
    label = escape(function.label)
    style, words = _VERDICTS[function.verdicts[0]]
    counted = f"{function.wrong:,} of {function.tested:,} wrong" if function.wrong else words
    parts = [
        plot.figure(function),
        f'<div class="parts">{_histogram(function)}{_mistakes(function)}</div>',
        _worst(function),
        _reproducer(report, function),
    ]
    head = (
        f"<h2>{label}<code>{escape(function.spelled)}</code></h2>\n"
        f'<p><span class="{style}">{counted}</span>{_errors(function)}{_how(function)}.</p>'
    )
    body = "\n".join(part for part in parts if part)
    if not function.wrong:
        body = f"<details><summary>Errors</summary>\n{body}\n</details>"
    return f'<section class="function" id="{label}">\n{head}\n{body}\n</section>'


def _errors(function: FunctionReport) -> str:
    if not sum(function.histogram):
        return ""
    most, mean = _ulps(function.max_ulp), _ulps(function.mean_ulp)
    return f"; error at most {most} ulp, {mean} on average"


def _how(function: FunctionReport) -> str:
    inputs = "every input" if function.exhaustive else "a sample of inputs"
    rounding = "" if function.rounding == "rte" else f", rounded by {function.rounding}"
    return f"; {inputs}{rounding}"


def _histogram(function: FunctionReport) -> str:
    counts = function.histogram
    used = [k for k, count in enumerate(counts) if count]
    if not used:
        return ""
    most = max(counts).bit_length()
    rows = "\n".join(
        f"<tr><td>{_bucket(k)}</td><td>{counts[k]:,}</td>"
        f'<td><i style="width:{100 * counts[k].bit_length() / most:.0f}%"></i></td></tr>'
        for k in range(used[-1] + 1)
    )
    return (
        "<div><h3>Errors in ulp</h3>\n"
        '<table class="histogram"><thead><tr><th class="text">error</th><th>results</th>'
        f'<th class="text">logarithmic</th></tr></thead><tbody>\n{rows}\n</tbody></table></div>'
    )


def _bucket(k: int) -> str:
    if k == 0:
        return "exact"
    return f"≤ {BUCKETS[k]:g}" if k < len(BUCKETS) else f"> {BUCKETS[-1]:g}"


def _mistakes(function: FunctionReport) -> str:
    """Return the counts by kind, in words."""
    counts = {
        **function.mistakes,
        "step to the next input that goes the wrong way": function.monotonicity,
        "other result than symmetry demands": function.symmetry,
    }
    rows = "\n".join(
        f'<tr><td>{n:,}</td><td class="text">{escape(kind)}</td></tr>'
        for kind, n in counts.items()
        if n
    )
    if not rows:
        return ""
    return f"<div><h3>Mistakes</h3>\n<table><tbody>\n{rows}\n</tbody></table></div>"


def _worst(function: FunctionReport) -> str:
    if not function.worst:
        return ""
    rows = "\n".join(_case(function, case) for case in function.worst)
    return (
        '<h3>The worst</h3>\n<div class="wide"><table><thead><tr><th class="text">of</th>'
        '<th>is</th><th>should be</th><th>ulp</th><th class="text">mistake</th></tr></thead>'
        f"<tbody>\n{rows}\n</tbody></table></div>"
    )


def _case(function: FunctionReport, case: Case) -> str:
    arguments = ", ".join(
        _bits(bits, kind) for bits, kind in zip(case.arguments, function.types, strict=False)
    )
    error = "" if case.ulps is None else _ulps(case.ulps)
    return (
        f'<tr><td class="arguments">{arguments}</td>'
        f"<td>{_bits(case.got, function.result_type)}</td>"
        f"<td>{_bits(case.right, function.result_type)}</td><td>{error}</td>"
        f'<td class="text">{escape(case.kind)}</td></tr>'
    )


def _bits(bits: int, dtype: str) -> str:
    digits = hexadecimal(bits, dtype)
    return f'<span class="pair">{number(bits, dtype)} <span class="bits">{digits}</span></span>'


def _reproducer(report: Report, function: FunctionReport) -> str:
    is_bad = function.is_beyond or function.max_ulp > 1
    text = reproducer.code_for(report.target, function) if is_bad else ""
    if not text:
        return ""
    return (
        "<h3>To see it</h3>\n"
        f'<div class="snippet"><pre>{escape(text)}</pre><button type="button">copy</button></div>'
    )
