"""The signatures that `inspect.signature` returns for halfcl's functions."""

from __future__ import annotations

import functools
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

#: The parameters of every NumPy ufunc; `format_signature` writes "...".
_COMMON = (
    _keyword("casting", "same_kind"),
    _keyword("order", "K"),
    _keyword("dtype", None),
    _keyword("subok", True),
)


def _signature(arguments: Iterable[str], out: object, keywords: Iterable[Parameter]) -> Signature:
    inputs = [Parameter(name, Parameter.POSITIONAL_ONLY) for name in arguments]
    output = Parameter("out", Parameter.POSITIONAL_OR_KEYWORD, default=out)
    return Signature([*inputs, output, *keywords, *_COMMON])


def row_signature(row: Builtin) -> Signature:
    """Return the signature of a row's function."""
    return _row_signature(row.argument_names, len(row.outputs), row.signature)


@functools.cache
def _row_signature(arguments: tuple[str, ...], outputs: int, core: str) -> Signature:
    """Return the signature of all rows with these arguments: most rows share theirs."""
    out = None if outputs == 1 else (None,) * outputs
    own: tuple[Parameter, ...] = _ELEMENTWISE
    if core:
        own = _VECTORS + (_REDUCING if core.endswith("()") else ())
    return _signature(arguments, out, (_ROUNDING, *own))


def conversion_signature(takes_rounding: bool) -> Signature:
    """Return the signature of a ``convert_*``, with or without a mode in its name."""
    return _signature("x", None, (_ROUNDING,) * takes_rounding + _ELEMENTWISE)


def ufunc_like_signature(function: object) -> Signature:
    """Return the signature of a Python function, without its annotations."""
    signature = inspect.signature(function)  # type: ignore[arg-type]
    bare = [p.replace(annotation=Parameter.empty) for p in signature.parameters.values()]
    return Signature(bare)


@functools.cache
def format_signature(signature: Signature) -> str:
    """Return a signature as text, without the parameters that every ufunc has."""
    common = {parameter.name for parameter in _COMMON}
    own = [p for p in signature.parameters.values() if p.name not in common]
    return f"{str(Signature(own))[:-1]}, ...)"
