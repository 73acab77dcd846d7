"""Docstrings of public functions of intervals, made from those of functions of bounds."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

_F = TypeVar("_F", bound=Callable[..., Any])


class Documentation(NamedTuple):
    """The accuracy, source and domain in the docstring of a public function."""

    accuracy: str = "tightest"
    source: str = "IEEE 1788-2015, the set-based flavour"
    domain: str = ""  #: all numbers, if it is empty


#: The documentation of functions of bounds; others have the default.
_DOCUMENTATION: dict[Callable[..., Any], Documentation] = {}


def document(**fields: str) -> Callable[[_F], _F]:
    """Return a decorator that gives a function of bounds its fields of `Documentation`."""

    def add(function: _F) -> _F:
        _DOCUMENTATION[function] = Documentation(**fields)
        return function

    return add


_TEMPLATE = """{summary}

Parameters
----------
{parameters}

Returns
-------
{returns}

Raises
------
TypeError
    If {types}.
ValueError
    If a number among the arguments is NaN or infinite, or shapes do not broadcast.

Notes
-----
Accuracy: {accuracy}.

Source: {source}.

Examples
--------
{example}"""

#: Longer explanations of accuracies.
_MEANINGS = {"tightest": "tightest; the range's bounds, rounded outward once"}


def _parameters(signature: inspect.Signature, integers: str | None, domain: str) -> str:
    """Return the docstring's lines for intervals, integers and optional intervals."""
    kinds: dict[str, list[str]] = {"interval": [], "integers": [], "optional": []}
    for p in signature.parameters.values():
        needed = "interval" if p.default is p.empty else "optional"
        kinds["integers" if p.name == integers else needed].append(p.name)
    lines = [f"{', '.join(kinds['interval'])} : Interval, half or number; arrays are broadcast"]
    if domain:
        lines += [textwrap.indent(f"Domain: {domain}.", "    ")]
    lines += [f"{name} : integers; arrays are broadcast" for name in kinds["integers"]]
    for name in kinds["optional"]:
        lines += [f"{name} : Interval, half or number, optional", "    Default: all numbers."]
    return "\n".join(lines)


def docstring(kernel: Callable[..., Any], integers: str | None, result: str) -> str:
    """Return a public function's docstring, from the summary and the example of its kernel's.

    integers: the parameter that accepts integers; result: the type of the result.
    """
    summary, mark, example = (inspect.getdoc(kernel) or "").partition(">>> ")
    accuracy, source, domain = _DOCUMENTATION.get(kernel, Documentation())
    types = "an argument has a type whose values are not all exact in half"
    return _TEMPLATE.format(
        summary=summary.strip(),
        parameters=_parameters(inspect.signature(kernel), integers, domain),
        returns=result + ("\n    Empty where no number is in the domain." if domain else ""),
        types=f"{types}, or {integers} are not integers" if integers else types,
        accuracy=_MEANINGS.get(accuracy, accuracy),
        source=source,
        example=mark + example,
    )
