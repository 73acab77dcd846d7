"""What `inspect.signature` says of halfcl's functions: what their calls take."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from inspect import Parameter, Signature

from halfcl._tables.row import Builtin


def _keyword(name: str, default: object) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default)


_ROUNDING = _keyword("rounding", None)
_ELEMENTWISE = (_keyword("where", True),)
_VECTORS = (_keyword("axis", -1),)
_REDUCING = (_keyword("keepdims", False),)

#: What every NumPy ufunc takes; `brief` says "...".
_COMMON = (
    _keyword("casting", "same_kind"),
    _keyword("order", "K"),
    _keyword("dtype", None),
    _keyword("subok", True),
)


def _signature(arguments: Iterable[str], out: object, keywords: Iterable[Parameter]) -> Signature:
    given = [Parameter(name, Parameter.POSITIONAL_ONLY) for name in arguments]
    output = Parameter("out", Parameter.POSITIONAL_OR_KEYWORD, default=out)
    return Signature([*given, output, *keywords, *_COMMON])


def of_row(row: Builtin) -> Signature:
    """The signature of a row's function."""
    out = None if len(row.outputs) == 1 else (None,) * len(row.outputs)
    own: tuple[Parameter, ...] = _ELEMENTWISE
    if row.signature:
        own = _VECTORS + (_REDUCING if row.signature.endswith("()") else ())
    return _signature(row.argument_names, out, (_ROUNDING, *own))


def of_conversion(takes_rounding: bool) -> Signature:
    """The signature of a ``convert_*``, with or without a mode in its name."""
    return _signature("x", None, (_ROUNDING,) * takes_rounding + _ELEMENTWISE)


def of_ufunc_like(function: object) -> Signature:
    """The signature of a Python function, without its annotations."""
    signature = inspect.signature(function)  # type: ignore[arg-type]
    bare = [p.replace(annotation=Parameter.empty) for p in signature.parameters.values()]
    return Signature(bare)


def brief(signature: Signature) -> str:
    """It as text, without what every ufunc takes."""
    common = {parameter.name for parameter in _COMMON}
    own = [p for p in signature.parameters.values() if p.name not in common]
    return f"{str(Signature(own))[:-1]}, ...)"
