"""An audit's findings in tables and lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from halfcl._support.text_tables import Listing, Table
from halfcl.audit._records import (
    Case,
    FunctionReport,
    ReductionReport,
    hexadecimal,
    number,
    over_lengths,
    ulps,
)
from halfcl.audit._results.mistakes import NOT_NUMBERS, SHORT

_HEAD = ("function", "tested", "wrong", "max ulp", "mean ulp", "mistakes", "full", "embedded")
_REDUCTIONS_HEAD = ("reduction", "elements", "tested", "wrong", "nan, inf", "max ulp", "mean ulp",
                    "by order", "results")  # fmt: skip
#: The columns of words.
_WORDS, _REDUCTION_WORDS = (0, 5, 6, 7), (0, 1)


def function_tables(functions: Sequence[FunctionReport]) -> list[Table]:
    """Return a table with a row for each function, those beyond limits marked, or no table."""
    beyond = [k for k, function in enumerate(functions) if function.is_beyond]
    rows = [_row(function) for function in functions]
    return [Table(_HEAD, rows, words=_WORDS, marked=beyond)] if rows else []


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


def reduction_tables(reductions: Sequence[ReductionReport]) -> list[Table]:
    """Return a table with a row for each reduction and family of inputs, or no table."""
    rows = [
        (
            each.name, each.inputs, f"{each.tested:,}", f"{each.wrong:,}", f"{each.not_numbers:,}",
            ulps(each.max_ulp), f"{each.mean_ulp:.4f}", f"{each.unsteady:,} of {each.results:,}",
            f"{each.most_results}",
        )
        for each in over_lengths(reductions)
    ]  # fmt: skip
    return [Table(_REDUCTIONS_HEAD, rows, words=_REDUCTION_WORDS)] if rows else []


def flags(function: FunctionReport) -> str:
    """Return the kinds of mistakes with counts, such as "round 6, -0 2"."""
    counts = [(SHORT.get(kind, kind), count) for kind, count in function.mistakes.items()]
    counts += [("mono", function.monotonicity), ("sym", function.symmetry)]
    return ", ".join(f"{name} {count:,}" for name, count in counts if count)


def worst_cases(functions: Sequence[FunctionReport]) -> list[Listing]:
    """Return a list of the worst result of each function, or no list."""
    lines = [case(function, function.worst[0]) for function in functions if function.worst]
    return [Listing("The worst", lines)] if lines else []


def case(function: FunctionReport, wrong: Case) -> str:
    """Describe a wrong result: values, bits, and the correct result.

    Examples
    --------
    >>> from halfcl import audit
    >>> from halfcl.audit._tables import case
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


def reason_lists(heading: str, reasons: Mapping[str, str]) -> list[Listing]:
    """Return a list of functions with reasons, or no list."""
    lines = [f"{name}: {reason}" for name, reason in reasons.items()]
    return [Listing(heading, lines)] if lines else []
