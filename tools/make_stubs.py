"""Write src/halfcl/__init__.pyi, halfcl's public names for editors and type checkers.

    python tools/make_stubs.py          writes it
    python tools/make_stubs.py -        prints it

Functions have the signatures of `inspect.signature`; the types follow from the names
of the parameters, below.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import numpy as np

import halfcl as hc
from halfcl import _images as images
from halfcl._opencl import constants, conversion, memory
from halfcl._support.names import AMBIGUOUS
from halfcl.vectors import TYPES as VECTORS, Vector, _swizzle as swizzle

STUB = Path(__file__).resolve().parent.parent / "src" / "halfcl" / "__init__.pyi"

HEAD = '''\
"""halfcl's public names and their types. Made by tools/make_stubs.py: not to be edited."""

# Operators of vectors give vectors, calls take less than a ufunc's *args, and to a type checker
# half is a subclass of float16, so overloads for half come first.
# mypy: disable-error-code="override, misc, overload-overlap"

from typing import Any, Generic, Literal, Protocol, TypeAlias, TypeVar, overload, type_check_only

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from typing_extensions import Self

from halfcl import arrays as arrays
from halfcl import audit as audit
from halfcl import check as check
from halfcl import cl as cl
from halfcl import dask as dask
from halfcl import device as device
from halfcl import interval as interval
from halfcl import io as io
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
from halfcl.vectors import Vector
from halfcl.vectors import from_struct as from_struct
from halfcl.vectors import shuffle as shuffle
from halfcl.vectors import shuffle2 as shuffle2
from halfcl.vectors import to_struct as to_struct
from halfcl.vectors import vec_step as vec_step

__version__: str
__all__ = [{all}]

_Array: TypeAlias = NDArray[Any]
_Offset: TypeAlias = ArrayLike | range
_Axis: TypeAlias = int | tuple[int, ...] | None
_Mode: TypeAlias = RoundingMode | None
_Modes: TypeAlias = RoundingMode | _Array | None
_Outputs: TypeAlias = tuple[_Array | None, _Array | None]
_Casting: TypeAlias = Literal["no", "equiv", "safe", "same_kind", "unsafe"]
_Order: TypeAlias = Literal["K", "A", "C", "F"]
_Number: TypeAlias = half | float | np.bool_ | np.int8 | np.uint8
_Integer: TypeAlias = int | np.integer[Any]
_Number_co = TypeVar("_Number_co", bound=np.generic, covariant=True)
_OfHalves = TypeVar("_OfHalves", half2, half3, half4, half8, half16)
_T_co = TypeVar("_T_co", covariant=True)
_Half = TypeVar("_Half")  # the type of .lo, .hi, .even and .odd
'''

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
    "offset": "_Offset",
    "p": "_Array",
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
    """Return the parameters with their types, and the marks between their kinds."""
    parts: list[str] = []
    before = None
    for parameter in signature.parameters.values():
        kind = parameter.kind
        if before is parameter.POSITIONAL_ONLY and kind is not before:
            parts.append("/")
        if kind is parameter.KEYWORD_ONLY and before is not kind:
            parts.append("*")
        parts.append(parameter_text(parameter))
        before = kind
    return [*parts, "/"] if before is inspect.Parameter.POSITIONAL_ONLY else parts


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


def conversions(general: list[str]) -> Iterator[Overload]:
    """Yield the overloads of a conversion to numbers of a type: of numbers, vectors and arrays."""
    rest = [text for text in general[1:] if not text.startswith(("out:", "dtype:"))]
    for argument, result in (
        ("float | np.number[Any] | np.bool_", "_Number_co"),
        ("Vector", "Vector"),
        ("NDArray[Any]", "NDArray[_Number_co]"),
    ):
        yield [f"x: {argument}", *rest], result


def overloads(name: str, thing: object, signature: inspect.Signature) -> list[Overload]:
    """Return a function's overloads; the last one accepts all."""
    general = parameters(signature), result_type(thing, signature)
    if name.startswith("convert_") and isinstance(thing, hc.Function):
        return [*conversions(general[0]), general]
    row = ROWS.get(name)
    if row is None or "e" not in row.inputs or "keepdims" in signature.parameters:
        return [general]  # one number per vector; an array may hold any number of vectors
    count = len(row.inputs)
    rest = [text for text in general[0][count:] if not text.startswith(("out:", "dtype:"))]
    typed = []
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


def class_name(name: str, thing: object, signature: inspect.Signature) -> str:
    """Return the class name for a signature: _FunctionOfXY, _TestOfX, _PairOfX, _AlongAxisOfX."""
    positional = [p for p in signature.parameters.values() if p.kind is p.POSITIONAL_ONLY]
    kind = kind_of(ROWS[name].outputs) if name in ROWS else "Conversion"
    if "axis" in signature.parameters:
        kind = "Reduction" if "keepdims" in signature.parameters else "AlongAxis"
    elif "rounding" not in signature.parameters:
        kind = "ConversionInMode" if name.startswith("convert_") else "Choice"
    if kind.startswith("Conversion"):
        return f"_{kind}ToNumber" if isinstance(thing, hc.Function) else f"_{kind}"
    letters = ROWS[name].inputs if name in ROWS else "e" * len(positional)
    names = (
        p.name.capitalize() + ("" if letter == "e" else "Integer")
        for p, letter in zip(positional, letters, strict=True)
    )
    return f"_{kind}Of{''.join(names)}"


def result_type(thing: object, signature: inspect.Signature) -> str:
    if not isinstance(thing, hc.Function):
        return "_T_co"
    return "tuple[Any, Any]" if "_Outputs" in " ".join(parameters(signature)) else "Any"


def class_of(kind: str, name: str, thing: object, signature: inspect.Signature) -> str:
    """Return the text of the class for callables of one signature."""
    base = "Function" if isinstance(thing, hc.Function) else "Protocol[_T_co]"
    base += ", Generic[_Number_co]" if kind.endswith("ToNumber") else ""
    ways = overloads(name, thing, signature)
    text = f"@type_check_only\nclass {kind}({base}):\n"
    for arguments, result in ways:
        lines = "".join(f"        {line},\n" for line in ["self", *arguments])
        lines = lines.replace("rounding: _Mode =", "rounding: _Modes =")  # each element's, too
        text += "    @overload\n" if len(ways) > 1 else ""
        text += f"    def __call__(\n{lines}    ) -> {result}: ...\n"
    return text


class Callables:
    """The declarations of callables, and the classes that these need."""

    def __init__(self) -> None:
        self.classes: dict[str, str] = {}

    def declare(self, name: str, thing: object) -> str:
        if isinstance(thing, np.ufunc):
            return f"{name}: np.ufunc"
        signature = inspect.signature(thing)  # type: ignore[arg-type]
        if name.startswith("convert_"):
            return f"{name}: {self.class_for(name, thing, signature)}[{conversion_result(name)}]"
        if isinstance(thing, hc.Function):
            return f"{name}: {self.class_for(name, thing, signature)}"
        return f"def {name}({', '.join(parameters(signature))}) -> {plain_result(name)}: ..."

    def class_for(self, name: str, thing: object, signature: inspect.Signature) -> str:
        kind = class_name(name, thing, signature)
        text = class_of(kind, name, thing, signature)
        if self.classes.setdefault(kind, text) != text:
            raise ValueError(f"{name}: {kind} is the name of another signature, too")
        return kind


def conversion_result(name: str) -> str:
    """Return the type of a conversion's result: a vector's class, or that of numbers."""
    target = name.split("_")[1]
    if target in VECTORS:
        return target
    number = np.dtype(VECTORS[f"{target}2"]).base.type
    return "half" if number is hc.half else f"np.{number.__name__}"


def plain_result(name: str) -> str:
    """Return a plain function's result type, as far as its name implies it."""
    if name.startswith("vstore"):
        return "None"
    vector = name.removeprefix("as_")
    return vector if vector in VECTORS else "Any"


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
    return f"@type_check_only\nclass _Components(Vector):\n{body}\n"


def vector_base(width: int) -> str:
    """Return the class of vectors of a width, with their components."""
    single = [name for name in swizzle.names(width) if name not in ("lo", "hi", "even", "odd")]
    lines = "".join(f"    {name}: Any\n" for name in single)
    halves = "".join(f"    {name}: _Half\n" for name in ("lo", "hi", "even", "odd"))
    return f"@type_check_only\nclass _Vector{width}(_Components, Generic[_Half]):\n{lines}{halves}"


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
    names = hc._everything
    vectors = VECTORS
    imports = "\n".join(f"from halfcl._images import {name} as {name}" for name in images.__all__)
    head = HEAD.replace("{images}", imports)
    imported = {line.split(" as ")[1] for line in head.splitlines() if " as " in line}
    values = [n for n in constants.__all__ if n not in imported]
    functions = [n for n in names if n not in {*vectors, *imported, *values}]
    callables = Callables()
    sections = [
        section("constants", map(constant, values)),
        section("vectors", [vector_class(*item) for item in vectors.items()]),
        *(
            section(title, [callables.declare(name, getattr(hc, name)) for name in names])
            for title, names in (
                ("functions", functions),
                ("conversions", conversion.names()),
                ("loads and stores", memory.names()),
            )
        ),
    ]
    bases = [vector_base(width) for width in sorted({t.width for t in vectors.values()})]
    classes = "\n".join([*callables.classes.values(), operators(), *bases])
    # These are not names of the top level, but of halfcl.vectors.
    body = f"{classes}{''.join(sections)}"
    body = re.sub(rf"(?<![\w.])({'|'.join(AMBIGUOUS)})\b", r"_\1", body)
    public = "".join(f"\n    {name!r}," for name in sorted(hc.__all__))
    head = head.replace("{all}", f"{public}\n")
    return f"{head}\n{body}"


def main() -> None:
    if sys.argv[1:] == ["-"]:
        print(text(), end="")
    else:
        STUB.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
