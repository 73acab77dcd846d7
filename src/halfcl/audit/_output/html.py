"""A report as one self-contained HTML page: it needs no network and no other file."""

from __future__ import annotations

from collections.abc import Iterable

from halfcl._support.pages import render
from halfcl.audit._output import plot, reproducer
from halfcl.audit._records import BUCKETS, Case, FunctionReport, hexadecimal, number, ulps
from halfcl.audit._report import Report
from halfcl.audit._results import mistakes

#: The words for verdicts, and their style.
_VERDICTS = {
    "correct": ("right", "right everywhere"),
    "within": ("within", "within the limit"),
    "flushes": ("within", "within it but for subnormals"),
    "beyond": ("beyond", "beyond the limit"),
    "open": ("open", "no limit"),
}

_STEPS, _SYMMETRY = "steps", "symmetry"

#: Mistakes that the summary counts besides errors in ulps, by their short names.
_OTHERS = {
    mistakes.SHORT[kind]: kind
    for kind in (*mistakes.NOT_NUMBERS, *mistakes.FLUSHES, mistakes.ZERO_SIGN)
} | {
    _STEPS: "steps to the next input that go the wrong way",
    _SYMMETRY: "other results than symmetry demands",
}


def page(report: Report) -> str:
    """Return a report as HTML, a complete page; raise MissingPackageError without Jinja2.

    It adapts to the reader's choice of light or dark, and to narrow windows.

    Examples
    --------
    >>> from halfcl import audit
    >>> from halfcl.audit._output.html import page
    >>> page(audit.run("numpy", ["sqrt"])).splitlines()[0]
    '<!doctype html>'
    """
    return render(
        "audit.html",
        title=f"How right is {report.target.name}?",
        report=report,
        functions=_worst_first(report),
        conditions=_conditions(report),
        totals=_totals(report.functions),
        legend=_OTHERS,
        ulps=_ulps,
        verdicts=_verdicts,
        other_mistakes=_other_mistakes,
        summary=_summary,
        details=_details,
        chart=plot.chart,
        histogram=_histogram,
        mistakes=_mistakes,
        value=_value,
        arguments=_arguments,
        code=lambda function: _code(report, function),
    )


def _worst_first(report: Report) -> list[FunctionReport]:
    """Return the functions, the worst first; correct ones follow in the report's order."""
    wrong = report.worst(len(report.functions))
    return wrong + [each for each in report.functions if not each.wrong]


def _conditions(report: Report) -> dict[str, str]:
    target = report.target
    return {
        "target": target.name,
        "library": f"{target.library} {target.version}",
        "device": target.device,
        **target.facts,
        "audited by": f"halfcl {report.halfcl}",
        "date": report.date,
    }


def _totals(functions: Iterable[FunctionReport]) -> dict[str, int]:
    verdicts = [each.verdicts[0] for each in functions]
    return {
        "audited": len(verdicts),
        "right everywhere": verdicts.count("correct"),
        "within OpenCL's limit": verdicts.count("within") + verdicts.count("flushes"),
        "wrong, with no limit": verdicts.count("open"),
        "beyond OpenCL's limit": verdicts.count("beyond"),
    }


def _ulps(error: float) -> str:
    """Return an error in four digits, or in more if it would be confused with half an ulp."""
    short = f"{error:,.0f}" if 1e4 <= abs(error) < 1e9 else f"{error:.4g}"
    return ulps(error) if short == "0.5" and error != 0.5 else short


def _verdicts(function: FunctionReport) -> list[tuple[str, str]]:
    """Return the style and the text of the verdict by each profile."""
    return [
        (_VERDICTS[verdict][0], verdict if limit is None else f"{verdict} ({limit:g})")
        for verdict, limit in zip(function.verdicts, function.limits, strict=True)
    ]


def _other_mistakes(function: FunctionReport) -> str:
    """Return the counts of mistakes other than errors in ulps, by their short names."""
    counts = {short: function.mistakes.get(kind, 0) for short, kind in _OTHERS.items()}
    counts |= {_STEPS: function.monotonicity, _SYMMETRY: function.symmetry}
    return ", ".join(f"{short} {count:,}" for short, count in counts.items() if count)


# ---------------------------------------------------------------- one function


def _summary(function: FunctionReport) -> str:
    if function.wrong:
        return f"{function.wrong:,} of {function.tested:,} wrong"
    return _VERDICTS[function.verdicts[0]][1]


def _details(function: FunctionReport) -> str:
    """Return the errors of a function, and how it was called."""
    errors = ""
    if sum(function.histogram):
        most, mean = _ulps(function.max_ulp), _ulps(function.mean_ulp)
        errors = f"; error at most {most} ulp, {mean} on average"
    inputs = "every input" if function.exhaustive else "a sample of inputs"
    rounding = "" if function.rounding == "rte" else f", rounded by {function.rounding}"
    return f"{errors}; {inputs}{rounding}"


def _histogram(function: FunctionReport) -> list[tuple[str, int, float]]:
    """Return the errors of each bucket up to the last used one, their number, and a bar's length.

    Lengths are logarithms, as shares of the longest one.
    """
    counts = function.histogram
    used = [k for k, count in enumerate(counts) if count]
    if not used:
        return []
    most = max(counts).bit_length()
    return [(_bucket(k), counts[k], counts[k].bit_length() / most) for k in range(used[-1] + 1)]


def _bucket(k: int) -> str:
    if k == 0:
        return "exact"
    return f"≤ {BUCKETS[k]:g}" if k < len(BUCKETS) else f"> {BUCKETS[-1]:g}"


def _mistakes(function: FunctionReport) -> dict[str, int]:
    """Return the counts by kind, in words."""
    return {
        **function.mistakes,
        "step to the next input that goes the wrong way": function.monotonicity,
        "other result than symmetry demands": function.symmetry,
    }


def _arguments(function: FunctionReport, case: Case) -> list[tuple[str, str]]:
    pairs = zip(case.arguments, function.types, strict=False)
    return [_value(bits, dtype) for bits, dtype in pairs]


def _value(bits: int, dtype: str) -> tuple[str, str]:
    """Return a number, and its bits."""
    return number(bits, dtype), hexadecimal(bits, dtype)


def _code(report: Report, function: FunctionReport) -> str:
    """Return code that reproduces the worst result of a bad function, or ""."""
    is_bad = function.is_beyond or function.max_ulp > 1
    return reproducer.code_for(report.target, function) if is_bad else ""
