"""A report as text: a table, and the worst cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath

from halfcl._support.text_tables import align_columns
from halfcl.audit._report import (
    Case,
    FunctionReport,
    ReductionReport,
    Report,
    hexadecimal,
    number,
    over_lengths,
    ulps,
)
from halfcl.audit._results.mistakes import NOT_NUMBERS, SHORT

_HEAD = ("function", "tested", "wrong", "max ulp", "mean ulp", "mistakes", "full", "embedded")
_REDUCTIONS_HEAD = ("reduction", "elements", "tested", "wrong", "nan, inf", "max ulp", "mean ulp",
                    "by order", "results")  # fmt: skip
#: The columns that are align_columns to the left.
_LEFT = (0, 5, 6, 7)

#: Number of the worst functions that are listed with a case.
_CASES = 10


def table(report: Report) -> str:
    """Return a line for each audited function, and a summary; see also `failures`.

    Examples
    --------
    >>> from halfcl import audit
    >>> from halfcl.audit._output.terminal import table
    >>> print(table(audit.run("numpy", ["sqrt", "rint"])))  # doctest: +ELLIPSIS
    NumPy ... on ...
    <BLANKLINE>
    function  tested  wrong  max ulp  mean ulp  mistakes  full     embedded
    sqrt      65,536      0    0.49994    0.2491            correct  correct
    rint      65,536      0    0.00000    0.0000            correct  correct
    <BLANKLINE>
    2 of 2 correctly rounded. ...
    """
    info = report.target
    parts = [
        f"{info.library} {info.version} on {info.device}".replace("  ", " "),
        *(
            [align_columns(_HEAD, map(_row, report.functions), left=_LEFT)]
            if report.functions
            else []
        ),
        *_reduction_tables(report.reductions),
        *_cases(report.worst(_CASES)),
        *_reasons("Not computed for half", report.unsupported),
        _summary(report),
    ]
    return "\n\n".join(parts)


def _row(function: FunctionReport) -> tuple[str, ...]:
    return (
        function.label,
        f"{function.tested:,}",
        f"{function.wrong:,}",
        ulps(function.max_ulp),
        f"{function.mean_ulp:.4f}" if function.mean_ulp < 1000 else f"{function.mean_ulp:.3g}",
        flags(function),
        *function.verdicts,
    )


def _reduction_tables(reductions: Sequence[ReductionReport]) -> list[str]:
    """Return a table with a line for each reduction and family of inputs, or no table."""
    if not reductions:
        return []
    rows = [
        (
            each.name, each.inputs, f"{each.tested:,}", f"{each.wrong:,}", f"{each.not_numbers:,}",
            ulps(each.max_ulp), f"{each.mean_ulp:.4f}", f"{each.unsteady:,} of {each.results:,}",
            f"{each.most_results}",
        )
        for each in over_lengths(reductions)
    ]  # fmt: skip
    return [align_columns(_REDUCTIONS_HEAD, rows, left=(0, 1))]


def flags(function: FunctionReport) -> str:
    """Return the kinds of mistakes with counts, such as "round 6, -0 2"."""
    counts = [(SHORT[kind], count) for kind, count in function.mistakes.items()]
    counts += [("mono", function.monotonicity), ("sym", function.symmetry)]
    return ", ".join(f"{name} {count:,}" for name, count in counts if count)


def _cases(functions: Iterable[FunctionReport]) -> list[str]:
    lines = [case(function, function.worst[0]) for function in functions if function.worst]
    return ["\n".join(["The worst:", *(f"  {line}" for line in lines)])] if lines else []


def case(function: FunctionReport, wrong: Case) -> str:
    """Describe a wrong result: values, bits, and the correct result.

    Examples
    --------
    >>> from halfcl import audit
    >>> from halfcl.audit._output.terminal import case
    >>> exp = audit.FunctionReport("exp", "f", ("float16",), "float16")
    >>> case(exp, audit.Case((0x3c00,), 0x4171, 0x4170, "an ulp off or more", None, 1.61))
    'exp(1.0 = 0x3c00): got 2.72 = 0x4171, right is 2.719 = 0x4170; an ulp off or more, 1.610 ulp'
    """
    arguments = ", ".join(
        _value_and_bits(bits, dtype)
        for bits, dtype in zip(wrong.arguments, function.types, strict=True)
    )
    got, right = (_value_and_bits(bits, function.result_type) for bits in (wrong.got, wrong.right))
    error = f", {ulps(abs(wrong.ulps))} ulp" if wrong.ulps and wrong.kind not in NOT_NUMBERS else ""
    name = function.label.partition("(")[0]
    return f"{name}({arguments}): got {got}, right is {right}; {wrong.kind}{error}"


def _value_and_bits(bits: int, dtype: str) -> str:
    """Return a number with its bits, which integers and bools do without."""
    value = number(bits, dtype)
    return f"{value} = {hexadecimal(bits, dtype)}" if dtype.startswith("float") else value


def _reasons(head: str, reasons: Mapping[str, str]) -> list[str]:
    lines = [f"  {name}: {reason}" for name, reason in reasons.items()]
    return ["\n".join([f"{head}:", *lines])] if lines else []


def _summary(report: Report) -> str:
    """Return how many functions are correct, and which are beyond OpenCL's limits."""
    count = len(report.functions)
    seconds = ", ".join(f"{name} {took:.1f} s" for name, took in report.seconds.items())
    if not count and report.reductions:
        return f"({seconds})"
    correct = sum(not function.wrong for function in report.functions)
    beyond = [function.label for function in report.functions if function.is_beyond]
    within = f"Beyond OpenCL's limits: {', '.join(beyond)}." if beyond else (
        "Nothing is beyond OpenCL's limits."
    )  # fmt: skip
    if not count:
        within = "Nothing was audited."
    if report.failed:
        within += f" {len(report.failed)} failed."
    return f"{correct} of {count} correctly rounded. {within} ({seconds})"


def failures(report: Report) -> list[str]:
    """Return a line for each function whose calls broke the contract.

    Examples
    --------
    >>> from halfcl import audit
    >>> from halfcl.audit._output.terminal import failures
    >>> mine = audit.CallablesTarget("mine", {"exp": audit.Call("mine.exp", lambda x: x[1:])})
    >>> failures(audit.run(mine))
    ['exp: mine.exp: expected an array of shape (65536,), got (65535,)']
    """
    return [f"{name}: {reason}" for name, reason in report.failed.items()]


def path_for_target(path: PurePath, target: str) -> PurePath:
    """Return the file for one of several targets: "report.json" becomes "report-torch.json".

    Examples
    --------
    >>> from pathlib import PurePath
    >>> from halfcl.audit._output.terminal import path_for_target
    >>> path_for_target(PurePath("a.json"), "torch:cuda").name
    'a-torch-cuda.json'
    """
    safe = "".join(c if c.isalnum() else "-" for c in target)
    return path.with_name(f"{path.stem}-{safe}{path.suffix}")
