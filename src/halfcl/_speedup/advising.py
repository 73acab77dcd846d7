"""Says why a call, or a whole program, gains nothing by acceleration."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import halfcl as hc
from halfcl._speedup.comparing import Call, Report
from halfcl.stability._programs._wording import location

#: A call that is less than this many times as fast gains nothing.
_GAIN = 1.1

#: Calls that take a smaller share of the program's time get no advice.
_SHARE = 0.01

#: Limits on the names of calls in a line.
_MOST_NAMES = 3

#: Below this many elements most of the time is that of the call itself.
_FEW_ELEMENTS = 64

#: Products of matrices of fewer elements take as long in float32.
_PRODUCT_ELEMENTS = 1 << 14

_PRODUCTS = frozenset("dot einsum inner matmul ndarray.dot tensordot".split())

#: Functions that convert numbers: both types are meant.
_CONVERSIONS = frozenset("array asarray ndarray.astype".split())


def advice(report: Report, most_calls: int) -> list[str]:
    """Return lines of advice on a program and on its calls, as many as are shown."""
    return [*_on_program(report), *_on_calls(report, report.calls[:most_calls])]


def _on_program(report: Report) -> Iterator[str]:
    if report.accelerates:
        yield (
            "the program calls halfcl.accelerate() itself: its plain runs are accelerated, too, "
            "and the comparison says nothing"
        )
    if report.processes and report.options.accelerates_children and report.ratio < 1 / _GAIN:
        yield (
            "Python processes that it starts import halfcl, which takes time; --no-children leaves "
            "them as they are"
        )
    if report.why_no_calls:
        yield f"its calls could not be timed one by one: {report.why_no_calls}"
        return
    if not report.calls:
        where = (
            "its calls in other processes are not timed one by one"
            if report.processes
            else "halfcl accelerates NumPy's float16 alone"
        )
        yield f"no call of NumPy was seen on the program's own lines: {where}"
        return
    if not any("float16" in call.types for call in report.calls):
        types = " and ".join(_main_types(report.calls)) or "no arrays"
        yield (
            f"nothing to gain: no call on the program's lines computes with float16, but with "
            f"{types}; halfcl accelerates float16 alone"
        )
        return
    rest = 1 - sum(call.plain_seconds for call in report.calls) / report.plain_seconds
    if rest > 0.5:
        yield (
            f"{rest:.0%} of the plain time passes outside of these calls, in Python and other "
            "libraries, which acceleration does not change"
        )


def _main_types(calls: Sequence[Call]) -> list[str]:
    """Return the types of the call that weighs most and computes with any."""
    for call in calls:
        if numbers := sorted(call.types - {"bool"}):
            return numbers
    return []


def _on_calls(report: Report, calls: Sequence[Call]) -> Iterator[str]:
    """Yield a line for each reason, with the calls that it is the reason of."""
    if not any("float16" in call.types for call in report.calls):
        return
    least = _SHARE * max(report.plain_seconds, report.accelerated_seconds)
    names, reasons = _accelerated_names(), dict[tuple[str, str], list[Call]]()
    for call in calls:
        if call.weight < least:
            continue
        gains = call.ratio is not None and call.ratio >= _GAIN
        if not gains:
            reason = _reason(call, names, report.options.exact_products is False)
            reasons.setdefault(("nothing", reason), []).append(call)
        elif _leaves_half(call):  # The conversion alone is faster.
            reasons.setdefault(("little", _LEAVES_HALF), []).append(call)
    for (gain, reason), own in reasons.items():
        places = [f"{call.name} at {location(call.file, call.line)}" for call in own[:_MOST_NAMES]]
        more = f" and {len(own) - _MOST_NAMES} more" if len(own) > _MOST_NAMES else ""
        verb = "gains" if len(own) == 1 else "gain"
        yield f"{', '.join(places)}{more} {verb} {gain}: {reason}"


def _accelerated_names() -> frozenset[str]:
    with hc.accelerated():
        return frozenset([*hc.accelerated_ufuncs(), *hc.accelerated_functions()])


def _short_name(call: Call) -> str:
    return call.name.removeprefix("numpy.")


def _reason(call: Call, names: frozenset[str], is_inexact: bool) -> str:
    """Return the first reason that applies to a call."""
    if call.ratio is None:
        return "only one of the two kinds of runs calls this"
    for applies, reason in _REASONS:
        if applies(call):
            return reason
    if _short_name(call) in _PRODUCTS and call.elements >= _PRODUCT_ELEMENTS and not is_inexact:
        return (
            "each element is the exact sum of its products; with --inexact-products they are "
            "summed in float32"
        )
    if not _is_accelerated(_short_name(call), names):
        return "NumPy's own code runs in both, since halfcl has none for this"
    if call.elements < _FEW_ELEMENTS:
        return (
            "the arrays are small, and most of the time is that of the call; fewer calls on larger "
            "arrays gain"
        )
    if call.ratio < 1 / _GAIN:
        return "NumPy is faster here; a first call also loads what later ones need"
    return "NumPy is as fast here"


def _is_accelerated(name: str, names: frozenset[str]) -> bool:
    """Return whether halfcl computes a function, also as a method of arrays or of a ufunc."""
    method = name.rpartition(".")[2]
    return bool(names & {name, name.removeprefix("ndarray."), f"ufunc.{method}"})


def _is_wider(call: Call) -> bool:
    is_conversion = _short_name(call) in _CONVERSIONS
    return bool(call.types & {"float32", "float64"}) and not is_conversion


def _leaves_half(call: Call) -> bool:
    return "float16" in call.types and _is_wider(call)


_LEAVES_HALF = (
    "float16 meets a wider type here, in which NumPy computes; x.astype(numpy.float16) before "
    "keeps to half precision"
)

#: Reasons in the order in which they are tried, and the calls that they apply to.
_REASONS: tuple[tuple[Callable[[Call], bool], str], ...] = (
    (lambda call: not call.types, "no arrays are computed"),
    (
        lambda call: "half" in call.types and "float16" not in call.types,
        "the arrays are of half, which halfcl computes in both",
    ),
    (
        lambda call: "float16" not in call.types,
        "it computes with other types than float16, the only one that is accelerated",
    ),
    (_leaves_half, _LEAVES_HALF),
)
