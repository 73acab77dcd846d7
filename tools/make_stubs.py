"""Write halfcl's public names for editors and type checkers: the stubs of halfcl, halfcl.vectors.

    python tools/make_stubs.py          writes them beside the sources, which have none in git
    python tools/make_stubs.py FOLDER   writes them to the package in this folder, as builds do

Functions have the signatures of `inspect.signature`; the types follow from the names
of the parameters, below. Names that follow rules, which `dir(halfcl)` does not list either, come
from `__getattr__`: an editor then offers what a person calls.
"""

from __future__ import annotations

import inspect
import itertools
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import halfcl as hc
from halfcl import _images as images
from halfcl._opencl import constants
from halfcl._support.names import listed_names
from halfcl.vectors import TYPES as VECTORS, Vector, _swizzle as swizzle

SOURCES = Path(__file__).resolve().parent.parent / "src"

HEAD = '''\
"""halfcl's public names and their types. Made by tools/make_stubs.py: not to be edited."""

# Calls accept less than a ufunc's *args, and to a type checker half is a subclass of float16, so
# overloads for half come first.
# mypy: disable-error-code="override, misc, overload-overlap"

from typing import Any, Literal, TypeAlias, TypedDict, TypeVar, overload, type_check_only

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from typing_extensions import Unpack

from halfcl import arrays as arrays
from halfcl import audit as audit
from halfcl import check as check
from halfcl import cl as cl
from halfcl import dask as dask
from halfcl import device as device
from halfcl import interval as interval
from halfcl import io as io
from halfcl import plots as plots
from halfcl import reductions as reductions
from halfcl import safe as safe
from halfcl import stability as stability
from halfcl import testing as testing
from halfcl import typing as typing
from halfcl import vectors as vectors
from halfcl._core import Function as Function
from halfcl._core import get_rounding as get_rounding
from halfcl._core import half as half
from halfcl._numpy.acceleration import accelerate as accelerate
from halfcl._numpy.acceleration import accelerated as accelerated
from halfcl._numpy.acceleration import accelerated_ufuncs as accelerated_ufuncs
from halfcl._numpy.acceleration import decelerate as decelerate
from halfcl._opencl.constants import FPConfig as FPConfig
from halfcl._opencl.constants import processor_info as processor_info
from halfcl._opencl.constants import finfo as finfo
from halfcl._opencl.conversion import convert as convert
from halfcl._opencl.conversion import parse as parse
{images}
from halfcl._settings.regions import MODES as MODES
from halfcl._settings.regions import rounding as rounding
from halfcl._settings.threads import get_num_threads as get_num_threads
from halfcl._settings.threads import num_threads as num_threads
from halfcl._settings.threads import set_num_threads as set_num_threads
from halfcl._support.extras import MissingPackageError as MissingPackageError
from halfcl.typing import RoundingMode
from halfcl._opencl.ulps import allowed_ulp as allowed_ulp
from halfcl._opencl.ulps import ulp_error as ulp_error
from halfcl._opencl.ulps import ulps_between as ulps_between
{vectors}
from halfcl.vectors import from_struct as from_struct
from halfcl.vectors import shuffle as shuffle
from halfcl.vectors import shuffle2 as shuffle2
from halfcl.vectors import to_struct as to_struct
from halfcl.vectors import vec_step as vec_step

__version__: str
__all__ = [{all}]

_Array: TypeAlias = NDArray[Any]
_Axis: TypeAlias = int | tuple[int, ...] | None
_Mode: TypeAlias = RoundingMode | None
_Modes: TypeAlias = RoundingMode | _Array | None
_Outputs: TypeAlias = tuple[_Array | None, _Array | None]
_Casting: TypeAlias = Literal["no", "equiv", "safe", "same_kind", "unsafe"]
_Order: TypeAlias = Literal["K", "A", "C", "F"]
_Number: TypeAlias = half | float | np.bool_ | np.int8 | np.uint8
_Integer: TypeAlias = int | np.integer[Any]
_OfHalves = TypeVar("_OfHalves", half2, half3, half4, half8, half16)

def __getattr__(name: str) -> Any: ...  # convert_int_sat, exp_rtz, vload4, short4: names by rule

@type_check_only
class _Settings(TypedDict, total=False):
    rounding: _Modes
    casting: _Casting
    order: _Order
    subok: bool

@type_check_only
class _Keywords(_Settings, total=False):
    where: ArrayLike

@type_check_only
class _AxisKeywords(_Settings, total=False):
    axis: int
'''

HEAD_OF_VECTORS = '''\
"""halfcl.vectors' names and their types. Made by tools/make_stubs.py: not to be edited."""

# Operators of vectors give vectors, unlike ndarray's.
# mypy: disable-error-code="override, misc"

from typing import Any, Generic, TypeVar, type_check_only

from numpy.typing import ArrayLike
from typing_extensions import Self

from halfcl.vectors._registry import vector_type as vector_type
from halfcl.vectors._shuffle import shuffle as shuffle
from halfcl.vectors._shuffle import shuffle2 as shuffle2
from halfcl.vectors._shuffle import vec_step as vec_step
from halfcl.vectors._structs import from_struct as from_struct
from halfcl.vectors._structs import to_struct as to_struct
from halfcl.vectors._types import TYPES as TYPES
from halfcl.vectors._vector import Vector as Vector

__all__ = [{all}]

_Half = TypeVar("_Half")  # the type of .lo, .hi, .even and .odd
'''

#: Classes of keywords, which one annotation stands for.
KEYWORDS = {
    "_Keywords": {"rounding", "casting", "order", "subok", "where"},
    "_AxisKeywords": {"rounding", "casting", "order", "subok", "axis"},
}

#: The types of parameters by their names; of any other name: ArrayLike.
TYPES = {
    "out": "_Array | None",
    "rounding": "_Mode",
    "where": "ArrayLike",
    "axis": "int",
    "keepdims": "bool",
    "casting": "_Casting",
    "order": "_Order",
    "dtype": "DTypeLike | None",
    "subok": "bool",
    "initial": "ArrayLike | None",
    "ddof": "int",
    "exact": "bool",
}


def type_of(parameter: inspect.Parameter) -> str:
    if isinstance(parameter.default, tuple):
        return "_Outputs"
    if parameter.name == "axis" and parameter.default is None:
        return "_Axis"  # any, all
    return TYPES.get(parameter.name, "ArrayLike")


def parameter_text(parameter: inspect.Parameter) -> str:
    default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
    return f"{parameter.name}: {type_of(parameter)}{default}".replace("'", '"')


def parameters(signature: inspect.Signature) -> list[str]:
    """Return the parameters with their types, and the marks between their kinds.

    If they include all keywords of one of `KEYWORDS`, ``**keywords`` stands for these.
    """
    parts: list[str] = []
    before = None
    name = next((n for n, words in KEYWORDS.items() if signature.parameters.keys() >= words), None)
    keywords = KEYWORDS[name] if name else ()
    for parameter in signature.parameters.values():
        kind = parameter.kind
        if parameter.name in keywords:
            continue
        if before is parameter.POSITIONAL_ONLY and kind is not before:
            parts.append("/")
        if kind is parameter.KEYWORD_ONLY and before is not kind:
            parts.append("*")
        parts.append(parameter_text(parameter))
        before = kind
    if before is inspect.Parameter.POSITIONAL_ONLY:
        parts.append("/")
    return [*parts, f"**keywords: Unpack[{name}]"] if name else parts


# ---------------------------------------------------------------- results by their arguments


#: The types of a result for one half, and for a vector of halves, by the result's letter.
RESULTS = {
    "e": ("half", "half"),
    "?": ("np.bool_", "short"),
    "b": ("np.int8", "char"),
    "B": ("np.uint8", "uchar"),
    "h": ("np.int16", "short"),
    "H": ("np.uint16", "ushort"),
    "i": ("np.int32", "int"),
}
WIDTHS = (2, 3, 4, 8, 16)
ROWS = {row.name: row for row in hc._tables.TABLE}


def together(results: list[str]) -> str:
    return results[0] if len(results) == 1 else f"tuple[{', '.join(results)}]"


#: Parameters, and the result.
Overload: TypeAlias = tuple[list[str], str]


def argument_types(inputs: str, outputs: str) -> Iterator[Overload]:
    """Yield the types of arguments and of the result for numbers, vectors, and arrays of half.

    A function of float16 gives float16. What is not here, as a mixture of both, is Any.
    """

    def arguments(of_half: str, of_integer: str) -> list[str]:
        return [of_half if letter == "e" else of_integer for letter in inputs]

    numbers = [RESULTS[letter][0] for letter in outputs]
    yield arguments("_Number", "_Integer"), together(numbers)
    if set(outputs) == {"e"}:
        vectors = together(["_OfHalves"] * len(outputs))
        yield arguments("_OfHalves | _Number", "ArrayLike"), vectors
    else:
        for width in WIDTHS:
            vectors = together([f"{RESULTS[letter][1]}{width}" for letter in outputs])
            yield arguments(f"half{width} | _Number", "ArrayLike"), vectors
    arrays = together([f"NDArray[{number}]" for number in numbers])
    yield arguments("NDArray[half] | _Number", "ArrayLike"), arrays
    if inputs.count("e") == 1:
        floats = ["np.float16" if number == "half" else number for number in numbers]
        yield arguments("np.float16", "_Integer"), together(floats)
        arrays = together([f"NDArray[{number}]" for number in floats])
        yield arguments("NDArray[np.float16]", "ArrayLike"), arrays


def overloads(name: str, signature: inspect.Signature) -> list[Overload]:
    """Return a function's overloads; the last one accepts all."""
    general = parameters(signature), result_type(signature)
    row = ROWS.get(name)
    if row is None or "e" not in row.inputs or "keepdims" in signature.parameters:
        return [general]  # one number per vector; an array may hold any number of vectors
    count = len(row.inputs)
    rest = [text for text in general[0][count:] if not text.startswith(("out:", "dtype:"))]
    rest = [text for text in rest if text != "*" or "keepdims" in signature.parameters]
    typed: list[Overload] = []
    for types, result in argument_types(row.inputs, row.outputs):
        arguments = [f"{p}: {t}" for p, t in zip(row.argument_names, types, strict=True)]
        typed.append(([*arguments, *rest], result))
    return [*typed, general]


# ---------------------------------------------------------------- callables by their signature


def kind_of(outputs: str) -> str:
    """Return the first word of the class name of functions with these outputs."""
    first = {"e": "Function", "?": "Test"}.get(outputs[0])
    first = first or RESULTS[outputs[0]][0].removeprefix("np.").capitalize()
    return first if len(outputs) == 1 else {"ee": "Pair", "ei": "PairWithInteger"}[outputs]


def class_name(name: str, signature: inspect.Signature) -> str:
    """Return the class name for a signature: _FunctionOfXY, _TestOfX, _PairOfX, _AlongAxisOfX."""
    positional = [p for p in signature.parameters.values() if p.kind is p.POSITIONAL_ONLY]
    kind = kind_of(ROWS[name].outputs) if name in ROWS else "Choice"
    if "axis" in signature.parameters:
        kind = "Reduction" if "keepdims" in signature.parameters else "AlongAxis"
    letters = ROWS[name].inputs if name in ROWS else "e" * len(positional)
    names = (
        p.name.capitalize() + ("" if letter == "e" else "Integer")
        for p, letter in zip(positional, letters, strict=True)
    )
    return f"_{kind}Of{''.join(names)}"


def result_type(signature: inspect.Signature) -> str:
    return "tuple[Any, Any]" if "_Outputs" in " ".join(parameters(signature)) else "Any"


def declaration(name: str, arguments: list[str], result: str, indent: str = "") -> str:
    """Return the declaration of a function, in lines of at most 100 columns."""
    line = f"{indent}def {name}({', '.join(arguments)}) -> {result}: ..."
    if len(line) <= 100:
        return line
    text = ", ".join(argument.replace(" ", "\0") for argument in arguments)  # to break between them
    inner = f"{indent}    "
    lines = textwrap.fill(f"{text},", 100, initial_indent=inner, subsequent_indent=inner)
    lines = lines.replace("\0", " ")
    return f"{indent}def {name}(\n{lines}\n{indent}) -> {result}: ..."


def class_of(kind: str, name: str, signature: inspect.Signature) -> str:
    """Return the text of the class for callables of one signature."""
    ways = overloads(name, signature)
    text = f"@type_check_only\nclass {kind}(Function):\n"
    for arguments, result in ways:
        text += "    @overload\n" if len(ways) > 1 else ""
        text += declaration("__call__", ["self", *arguments], result, "    ") + "\n"
    return text


class Callables:
    """The declarations of callables, and the classes that these need."""

    def __init__(self) -> None:
        self.classes: dict[str, str] = {}

    def declare(self, name: str, thing: object) -> str:
        signature = inspect.signature(thing)  # type: ignore[arg-type]
        if isinstance(thing, hc.Function):
            return f"{name}: {self.class_for(name, signature)}"
        return declaration(name, parameters(signature), "Any")

    def class_for(self, name: str, signature: inspect.Signature) -> str:
        kind = class_name(name, signature)
        text = class_of(kind, name, signature)
        if self.classes.setdefault(kind, text) != text:
            raise ValueError(f"{name}: {kind} is the name of another signature, too")
        return kind


# ---------------------------------------------------------------- vectors


_OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor")
_SHIFTS = ("lshift", "rshift")
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


def operators() -> str:
    """Return the class of all vectors, whose operators give vectors again, unlike ndarray's."""
    binary = [f"{side}{name}" for name in (*_OPERATORS, *_SHIFTS) for side in ("", "r", "i")]
    results = dict.fromkeys(binary, "Self") | dict.fromkeys(_COMPARISONS, "Any")
    lines = [f"    def __{name}__(self, other: Any, /) -> {r}: ..." for name, r in results.items()]
    lines += [f"    def __{name}__(self) -> Self: ..." for name in ("neg", "pos", "abs", "invert")]
    body = "\n".join(["    def __new__(cls, *components: ArrayLike) -> Self: ...", *lines])
    return f"@type_check_only\nclass _Components(Vector, Generic[_Half]):\n{body}\n"


def vector_base(width: int) -> str:
    """Return the class of vectors of a width, with the components that narrower ones lack."""
    base = {3: 2, 4: 3, 16: 8}.get(width)
    inherited = set(swizzle.names(base)) if base else set()
    names = [name for name in swizzle.names(width) if name not in inherited]
    lines = [f"    {n}: {'_Half' if n in ('lo', 'hi', 'even', 'odd') else 'Any'}" for n in names]
    header = f"class _Vector{width}({f'_Vector{base}' if base else '_Components'}[_Half]):"
    return "\n".join(["@type_check_only", header, *lines, ""])


def vector_class(name: str, cls: type[Vector]) -> str:
    lower = (cls.width + 1) // 2
    half = cls.family[lower].__name__ if lower > 1 else "Any"
    return f"class {name}(_Vector{cls.width}[{half}]): ..."


# ---------------------------------------------------------------- the file


def constant(name: str) -> str:
    return f"{name}: {type(getattr(hc, name)).__name__}"


def section(title: str, lines: Iterator[str] | list[str]) -> str:
    return f"\n# {'-' * 16} {title}\n\n" + "".join(f"{line}\n" for line in lines)


def text() -> str:
    """Return the stub of halfcl."""
    head = HEAD.replace(
        "{images}", "\n".join(f"from halfcl._images import {n} as {n}" for n in images.__all__)
    )
    imported = {line.split(" as ")[1] for line in head.splitlines() if " as " in line}
    elsewhere = {*VECTORS, *imported}
    names = [n for n in listed_names([*hc._everything, *hc._LATE]) if n not in elsewhere]
    values = [n for n in names if n in constants.__all__]
    callables = Callables()
    functions = [callables.declare(n, getattr(hc, n)) for n in names if n not in values]
    body = "\n".join(
        [
            *callables.classes.values(),
            section("constants", map(constant, values)),
            section("functions", functions),
        ]
    )
    public = listed_names(VECTORS)
    # Other vectors have private names here: a public one would not be found in `__getattr__`.
    used = [name for name in VECTORS if name not in public and re.search(rf"\b{name}\b", body)]
    body = re.sub(rf"(?<![\w.])(?=(?:{'|'.join(used)})\b)", "_", body)
    lines = [f"from halfcl.vectors import {n} as {n}" for n in public]
    lines += [f"from halfcl.vectors import {n} as _{n}" for n in used]
    head = head.replace("{vectors}", "\n".join(lines)).replace("{all}", listing(hc.__all__))
    return f"{head}\n{body}"


def text_of_vectors() -> str:
    """Return the stub of halfcl.vectors, with the classes that a table makes."""
    bases = [vector_base(width) for width in sorted({t.width for t in VECTORS.values()})]
    body = "\n".join([operators(), *bases, *itertools.starmap(vector_class, VECTORS.items())])
    return f"{HEAD_OF_VECTORS.replace('{all}', listing(hc.vectors.__all__))}\n{body}\n"


def listing(names: list[str]) -> str:
    """Return a list of names as the text between its brackets."""
    text = ", ".join(f'"{name}"' for name in sorted(names))
    return f"\n{textwrap.fill(text, 99, initial_indent='    ', subsequent_indent='    ')},\n"


def main(folder: Path = SOURCES) -> None:
    package = folder / "halfcl"
    for path, content in (
        (package / "__init__.pyi", text()),
        (package / "vectors" / "__init__.pyi", text_of_vectors()),
    ):
        path.write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
