"""Write halfcl's public names and their types for editors and type checkers, as stubs.

    python tools/make_stubs.py          writes them beside the sources, which have none in git
    python tools/make_stubs.py FOLDER   writes them to the package in this folder, as builds do

Functions have the signatures of `inspect.signature`. The types of arguments and results follow from
the table's letters (`LIKE`, `RESULTS`), those of keywords from their names (`TYPES`). Names that
follow rules, which `dir(halfcl)` does not list either, come from `__getattr__`: an editor then
offers what a person calls.
"""

from __future__ import annotations

import inspect
import itertools
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import halfcl as hc
from halfcl import _images as images
from halfcl._opencl import constants
from halfcl._support.names import listed_names
from halfcl.vectors import TYPES as VECTORS, Vector, _swizzle as swizzle

SOURCES = Path(__file__).resolve().parent.parent / "src"

HEAD = '''\
"""halfcl's public names and their types. Made by tools/make_stubs.py: not to be edited."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy

from halfcl import _callables
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
{callables}
from halfcl._core import Function as Function
from halfcl._core import get_rounding as get_rounding
from halfcl._core import half as half
from halfcl._numpy.acceleration import accelerate as accelerate
from halfcl._numpy.acceleration import accelerated as accelerated
from halfcl._numpy.acceleration import accelerated_functions as accelerated_functions
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

def __getattr__(name: str) -> Any: ...  # convert_int_sat, exp_rtz, vload4, short4: names by rule
def show(value: float | numpy.generic | str | Fraction | Decimal) -> None: ...
def show_versions() -> None: ...
'''

HEAD_OF_CALLABLES = '''\
"""The types of halfcl's functions. Made by tools/make_stubs.py: not to be edited."""

# Calls accept less than a ufunc's *args. Overloads overlap, as numbers are among what becomes an
# array, and as NumPy's stubs give floating[Any] for results that are half.
# mypy: disable-error-code="override, misc, overload-overlap"

from typing import Any, Literal, TypeAlias, TypedDict, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from typing_extensions import Unpack

from halfcl._annotations import Float16, HalfLike, Halves, IntegersOf, Nested, Number
from halfcl._annotations import Int8, Int16, Int32, UInt8, UInt16
from halfcl._core import Function, half
from halfcl._support.duck_arrays.base import DuckArray
from halfcl.typing import RoundingMode
{vectors}

_Array: TypeAlias = NDArray[Any]
_Out = TypeVar("_Out", bound=_Array)
_Mode: TypeAlias = RoundingMode | None
_Duck = TypeVar("_Duck", bound=DuckArray)
_OfHalves = TypeVar("_OfHalves", half2, half3, half4, half8, half16)
_Axes: TypeAlias = int | tuple[int, ...] | None

class _Settings(TypedDict, total=False):
    rounding: RoundingMode | _Array | None
    casting: Literal["no", "equiv", "safe", "same_kind", "unsafe"]
    order: Literal["K", "A", "C", "F"]
    subok: bool

class Keywords(_Settings, total=False):
    where: ArrayLike

class AxisKeywords(_Settings, total=False):
    axis: int
'''

HEAD_OF_VECTORS = '''\
"""halfcl.vectors' names and their types. Made by tools/make_stubs.py: not to be edited."""

# Operators of vectors give vectors, unlike ndarray's.
# mypy: disable-error-code="override, misc"

import os
from typing import Any, Generic, Literal, TypeAlias, TypeVar, overload, type_check_only

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

# Words such as wzyx are too many to be offered. Pyright has them from `__getattr__`. Mypy refuses
# its overloads, and reads MYPY as true; others do not enter a branch for such an os.name.
MYPY = False

_Component = TypeVar("_Component")
_Half = TypeVar("_Half")  # the type of .lo, .hi, .even and .odd
_Two = TypeVar("_Two")  # that of words of two letters, and so on
_Three = TypeVar("_Three")
_Four = TypeVar("_Four")
_Truth = TypeVar("_Truth")  # that of comparisons
_Quotient = TypeVar("_Quotient")

@type_check_only
class _Components(Generic[_Component]):
    def __get__(self, vector: object, kind: type | None = None) -> _Component: ...
    def __set__(self, vector: object, value: ArrayLike) -> None: ...
'''

#: Classes of keywords, which one annotation stands for.
KEYWORDS = {
    "Keywords": {"rounding", "casting", "order", "subok", "where"},
    "AxisKeywords": {"rounding", "casting", "order", "subok", "axis"},
}

#: The types of keywords by their names.
TYPES = {
    "out": "_Array | tuple[_Array] | None",
    "rounding": "_Mode",
    "where": "ArrayLike",
    "axis": "int",
    "keepdims": "bool",
    "dtype": "DTypeLike | None",
    "initial": "float | np.generic | None",
    "ddof": "int",
    "exact": "bool",
}

#: The types of what a function accepts, by the letter of its input. Each letter of integers stands
#: for narrower types, too. "s" is for what can be selected, "t" for truths.
LIKE = {
    "e": "HalfLike",
    "b": "IntegersOf[Int8]",
    "B": "IntegersOf[UInt8]",
    "h": "IntegersOf[Int16]",
    "H": "IntegersOf[UInt16]",
    "i": "IntegersOf[Int32]",
    "s": "HalfLike | IntegersOf[Int16 | UInt16]",
    "t": "IntegersOf[np.integer[Any] | np.bool_]",
}

#: The types of the numbers among these.
NUMBERS = {
    "e": "Number",
    "b": "int | Int8",
    "B": "int | UInt8",
    "h": "int | Int16",
    "H": "int | UInt16",
    "i": "int | Int32",
    "t": "int | np.integer[Any] | np.bool_",
}

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


class Way(NamedTuple):
    """One way to call a function: the types of its arguments, and of the result.

    keywords: types in place of those in `TYPES`. After "=" they are required; "" leaves one out.
    """

    arguments: list[str]
    result: str
    keywords: Mapping[str, str] = MappingProxyType({})


def names_of_arguments(signature: inspect.Signature) -> list[str]:
    """Return the names of the arguments that are passed by position."""
    only = inspect.Parameter.POSITIONAL_ONLY
    return [p.name for p in signature.parameters.values() if p.kind is only]


def type_of(keyword: inspect.Parameter) -> str:
    """Return the type of a keyword."""
    if isinstance(keyword.default, tuple):
        return "tuple[_Array | None, _Array | None]"
    if keyword.name == "axis" and keyword.default is None:
        return "_Axes"
    return TYPES[keyword.name]


def parameters(signature: inspect.Signature, way: Way) -> list[str]:
    """Return the parameters with their types, and the marks between their kinds.

    If they include all keywords of one of `KEYWORDS`, ``**keywords`` stands for these.
    """
    arguments = names_of_arguments(signature)
    parts = [f"{name}: {type_}" for name, type_ in zip(arguments, way.arguments, strict=True)]
    parts += ["/"] if parts else []
    words = signature.parameters.keys()
    common = next((name for name, some in KEYWORDS.items() if words >= some), "")
    left_out = {name for name, type_ in way.keywords.items() if not type_}
    has_default = False
    for keyword in signature.parameters.values():
        if keyword.name in {*arguments, *left_out, *KEYWORDS.get(common, ())}:
            continue
        type_ = way.keywords.get(keyword.name, type_of(keyword))
        required = type_.startswith("=")
        by_name = keyword.kind is keyword.KEYWORD_ONLY or (required and has_default)
        if by_name and "*" not in parts:
            parts.append("*")
        has_default |= not required
        default = "" if required else f" = {keyword.default!r}".replace("'", '"')
        parts.append(f"{keyword.name}: {type_.removeprefix('=')}{default}")
    return [*parts, f"**keywords: Unpack[{common}]"] if common else parts


# ---------------------------------------------------------------- results by their arguments

#: Keywords on which the type of a result depends.
NEITHER = {"out": "", "dtype": ""}


def together(results: list[str]) -> str:
    return results[0] if len(results) == 1 else f"tuple[{', '.join(results)}]"


def ways_of_ducks(inputs: str, outputs: str) -> Iterator[Way]:
    """Yield the ways of intervals, and of whatever else is computed like halves."""
    for place in range(len(inputs)) if set(outputs) == {"e"} else ():
        if inputs[place] == "e":
            arguments = [f"_Duck | {LIKE[x]}" for x in inputs]
            arguments[place] = "_Duck"
            yield Way(arguments, together(["_Duck"] * len(outputs)), NEITHER)


def ways_by_element(inputs: str, outputs: str) -> Iterator[Way]:
    """Yield the ways of numbers, vectors and arrays: those of half, and those of float16.

    A function of float16 gives float16. What is not here, as a mixture of both, is Any.
    """
    letter, *_ = inputs

    def way(argument: str, others: Mapping[str, str], results: list[str]) -> Way:
        arguments = [argument if x == letter else others[x] for x in inputs]
        return Way(arguments, together(results), NEITHER)

    numbers = [RESULTS[x][0] for x in outputs]
    yield way(NUMBERS[letter], NUMBERS, numbers)
    if {letter, *outputs} == {"e"}:
        yield way("_OfHalves | Number", LIKE, ["_OfHalves"] * len(outputs))
    else:
        for width in WIDTHS:
            vectors = [f"{RESULTS[x][1]}{width}" for x in outputs]
            yield way(f"{RESULTS[letter][1]}{width} | {NUMBERS[letter]}", LIKE, vectors)
    yield way("Halves" if letter == "e" else LIKE[letter], LIKE, [f"NDArray[{x}]" for x in numbers])
    if letter == "e":
        floats = ["np.float16" if x == "half" else x for x in numbers]
        yield way("np.float16 | float", NUMBERS, floats)
        yield way("Float16", LIKE, [f"NDArray[{x}]" for x in floats])


def ways_to_reduce(count: int) -> Iterator[Way]:
    """Yield the ways to reduce all elements to one number, and to keep the axes."""
    for argument, number in (("Halves", "half"), ("Float16", "np.float16")):
        arguments = [argument] * count
        one = {"axis": "None", "dtype": "None", "out": "None", "keepdims": "Literal[False]"}
        yield Way(arguments, number, one)
        kept = {"dtype": "None", "out": "None", "keepdims": "=Literal[True]"}
        yield Way(arguments, f"NDArray[{number}]", kept)


def ways_of_others(name: str, count: int) -> Iterator[Way]:
    """Yield the ways to call a function that is not in the table."""
    if name in ("select", "bitselect"):
        yield from ways_by_element("eet" if name == "select" else "eee", "e")
    elif name in ("any", "all"):
        one = {"axis": "None", "keepdims": "Literal[False]"}
        yield Way(["bool | np.bool_ | NDArray[np.bool_] | Nested[bool]"], "np.bool_", one)
    elif name == "cumsum":
        for argument, number in (("Halves", "half"), ("Float16", "np.float16")):
            yield Way([argument], f"NDArray[{number}]", {"dtype": "None", "out": "None"})
    elif name != "matmul":  # whose result may be a number
        yield from ways_to_reduce(count)


def inputs_of(name: str, count: int) -> str:
    """Return a letter for each argument of a function."""
    others = {"select": "sst", "bitselect": "sss", "any": "t", "all": "t"}
    return ROWS[name].inputs if name in ROWS else others.get(name, "e" * count)


def ways_to_call(name: str, signature: inspect.Signature) -> list[Way]:
    """Return the ways to call a function; the last one accepts all."""
    inputs = inputs_of(name, len(names_of_arguments(signature)))
    like = [LIKE[letter] for letter in inputs]
    ways = [*ways_of_ducks(inputs, ROWS[name].outputs)] if name in ROWS else []
    if name not in ROWS:
        ways += ways_of_others(name, len(inputs))
    elif "keepdims" not in signature.parameters:
        ways += ways_by_element(inputs, ROWS[name].outputs)
    else:  # one number per vector; an array may hold any number of vectors
        ways.append(Way([NUMBERS[letter] for letter in inputs], "half", NEITHER))
    out = signature.parameters.get("out")
    if out and out.default is None:
        ways.append(Way(like, "_Out", {"out": "=_Out | tuple[_Out]"}))
    return [*ways, Way(like, "tuple[Any, Any]" if out and out.default else "Any")]


# ---------------------------------------------------------------- callables by their signature


def kind_of(outputs: str) -> str:
    """Return the first word of the class name of functions with these outputs."""
    first = {"e": "Function", "?": "Test"}.get(outputs[0])
    first = first or RESULTS[outputs[0]][0].removeprefix("np.").capitalize()
    return first if len(outputs) == 1 else {"ee": "Pair", "ei": "PairWithInteger"}[outputs]


def class_name(name: str, signature: inspect.Signature) -> str:
    """Return the class name for a signature: FunctionOfXY, TestOfX, PairOfX, AlongAxisOfX."""
    if name not in ROWS:
        return f"{name.capitalize()}OfABC"
    row = ROWS[name]
    kind = kind_of(row.outputs)
    if "axis" in signature.parameters:
        kind = "Reduction" if "keepdims" in signature.parameters else "AlongAxis"
    names = (
        argument.capitalize() + ("" if letter == "e" else RESULTS[letter][0].removeprefix("np."))
        for argument, letter in zip(names_of_arguments(signature), row.inputs, strict=True)
    )
    return f"{kind}Of{''.join(names)}"


def declaration(name: str, parts: list[str], result: str, indent: str = "") -> str:
    """Return the declaration of a function, in lines of at most 100 columns."""
    line = f"{indent}def {name}({', '.join(parts)}) -> {result}: ..."
    if len(line) <= 100:
        return line
    text = ", ".join(part.replace(" ", "\0") for part in parts)  # to break between them
    inner = f"{indent}    "
    lines = textwrap.fill(f"{text},", 100, initial_indent=inner, subsequent_indent=inner)
    lines = lines.replace("\0", " ")
    return f"{indent}def {name}(\n{lines}\n{indent}) -> {result}: ..."


def declarations(name: str, thing: object, called: str = "", indent: str = "") -> str:
    """Return the declarations of a function, one for each way to call it."""
    signature = inspect.signature(thing)  # type: ignore[arg-type]
    ways = ways_to_call(name, signature)
    text = ""
    for way in ways:
        text += f"{indent}@overload\n" if len(ways) > 1 else ""
        parts = parameters(signature, way)
        parts = ["self", *parts] if called else parts
        text += declaration(called or name, parts, way.result, indent) + "\n"
    return text


class Callables:
    """The classes of halfcl's functions, and the functions that have no class."""

    def __init__(self) -> None:
        self.classes: dict[str, str] = {}
        self.functions: dict[str, str] = {}

    def add(self, name: str, thing: object) -> str:
        """Add a function; return the line that imports or declares it."""
        if isinstance(thing, hc.Function):
            return f"{name}: _callables.{self.class_for(name, thing)}"
        self.functions[name] = declarations(name, thing)
        return f"from halfcl._callables import {name} as {name}"

    def class_for(self, name: str, thing: hc.Function) -> str:
        """Return the name of a function's class."""
        kind = class_name(name, inspect.signature(thing))
        text = f"class {kind}(Function):\n{declarations(name, thing, '__call__', '    ')}"
        if self.classes.setdefault(kind, text) != text:
            raise ValueError(f"{name}: {kind} is the name of another signature, too")
        return kind


# ---------------------------------------------------------------- vectors


_OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor")
_SHIFTS = ("lshift", "rshift")
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


#: The parameters of vectors' classes: the classes of their parts and results.
_PARAMETERS = "_Half, _Two, _Three, _Four, _Truth, _Quotient"


def operators() -> str:
    """Return the class of all vectors, whose operators give vectors again, unlike ndarray's."""
    binary = [f"{side}{name}" for name in (*_OPERATORS, *_SHIFTS) for side in ("", "r", "i")]
    results = dict.fromkeys(binary, "Self") | dict.fromkeys(_COMPARISONS, "_Truth")
    results |= dict.fromkeys(("truediv", "rtruediv"), "_Quotient")
    lines = [f"    def __{name}__(self, other: Any, /) -> {r}: ..." for name, r in results.items()]
    lines += [f"    def __{name}__(self) -> Self: ..." for name in ("neg", "pos", "abs", "invert")]
    body = "\n".join(["    def __new__(cls, *components: ArrayLike) -> Self: ...", *lines])
    return f"@type_check_only\nclass _Vector(Vector, Generic[{_PARAMETERS}]):\n{body}\n"


def words(width: int, length: int) -> list[str]:
    """Return the words of a length that name components of vectors of a width by letters."""
    sets = (letters[:width] for letters in swizzle.LETTERS)
    return ["".join(word) for letters in sets for word in itertools.product(letters, repeat=length)]


def alias(width: int, length: int) -> str:
    """Return the name of the alias for all words of a length."""
    return f"_WordsOf{length}From{min(width, 4)}"


def words_alias(width: int, length: int) -> str:
    """Return the declaration of an alias for all words of a length."""
    text = textwrap.fill(", ".join(f'"{word}"' for word in words(width, length)), 96)
    return f"{alias(width, length)}: TypeAlias = Literal[\n{textwrap.indent(text, '    ')},\n]\n"


#: The parameters by the length of words.
_LENGTHS = {2: "_Two", 3: "_Three", 4: "_Four"}


def vector_base(width: int) -> str:
    """Return the class of vectors of a width, with the components that narrower ones lack."""
    base = {3: 2, 4: 3, 16: 8}.get(width, 0)
    text = "" if width > 4 else "".join(words_alias(width, length) for length in _LENGTHS)
    text += f"@type_check_only\nclass _Vector{width}(_Vector{base or ''}[{_PARAMETERS}]):\n"
    inherited = set(swizzle.names(base)) if base else set()
    for name in swizzle.names(width):
        if name not in inherited:
            type_ = "_Half" if name in ("lo", "hi", "even", "odd") else "Any"
            text += f"    {name}: _Components[{type_}]\n"
    return text if width > 8 else text + words_by_checker(width, base)


def words_by_checker(width: int, base: int) -> str:
    """Return the declarations of words, for mypy those that the base class lacks."""
    text = '    if os.name == "mypy":\n        if MYPY:\n'
    for length, type_ in _LENGTHS.items():
        known = words(base, length) if base else []
        for word in words(width, length):
            if word not in known:
                text += f"            {word}: _Components[{type_}]\n"
    text += "    if not MYPY:\n"
    for length, type_ in _LENGTHS.items():
        text += "        @overload\n"
        text += f"        def __getattr__(self, name: {alias(width, length)}) -> {type_}: ...\n"
    return f"{text}        @overload\n        def __getattr__(self, name: str) -> Any: ...\n"


def vector_class(name: str, cls: type[Vector]) -> str:
    """Return the class of a vector type, with the classes of its parts and results."""
    lower = (cls.width + 1) // 2
    family = {width: kind.__name__ for width, kind in cls.family.items()}
    one = cls(1)
    results = [type(one == one).__name__, type(one / one).__name__]
    classes = [family.get(lower, "Any"), family[2], family[3], family[4], *results]
    return f"class {name}(_Vector{cls.width}[{', '.join(classes)}]): ..."


# ---------------------------------------------------------------- the files


def listing(names: list[str]) -> str:
    """Return a list of names as the text between its brackets."""
    text = ", ".join(f'"{name}"' for name in sorted(names))
    return f"\n{textwrap.fill(text, 99, initial_indent='    ', subsequent_indent='    ')},\n"


def imports(module: str, names: Iterable[str], public: bool = True) -> str:
    """Return lines that import names, which belong to the importing module if public."""
    return "\n".join(f"from {module} import {n}{f' as {n}' if public else ''}" for n in names)


def texts_of_functions() -> tuple[str, str]:
    """Return the stub of halfcl, and that of its functions' types."""
    head = HEAD.replace("{images}", imports("halfcl._images", images.__all__))
    head = head.replace("{vectors}", imports("halfcl.vectors", listed_names(VECTORS)))
    elsewhere = set(re.findall(r" as (\w+)$", head, re.M))
    callables = Callables()
    lines = []
    for name in listed_names(hc._everything):
        if name in constants.__all__ and name not in elsewhere:
            lines.append(f"{name}: {type(getattr(hc, name)).__name__}")
        elif name not in elsewhere:
            lines.append(callables.add(name, getattr(hc, name)))
    declared = "\n".join(line for line in lines if not line.startswith("from"))
    imported = "\n".join(line for line in lines if line.startswith("from"))
    head = head.replace("{callables}", imported).replace("{all}", listing(hc.__all__))
    body = "\n".join([*callables.classes.values(), *callables.functions.values()])
    used = [name for name in VECTORS if re.search(rf"(?<![\w.]){name}\b", body + "half8 half16")]
    vectors = imports("halfcl.vectors", used, public=False)
    return f"{head}\n{declared}\n", HEAD_OF_CALLABLES.replace("{vectors}", vectors) + f"\n{body}"


def text_of_vectors() -> str:
    """Return the stub of halfcl.vectors, with the classes that a table makes."""
    bases = [vector_base(width) for width in sorted({t.width for t in VECTORS.values()})]
    body = "\n".join([operators(), *bases, *itertools.starmap(vector_class, VECTORS.items())])
    return f"{HEAD_OF_VECTORS.replace('{all}', listing(hc.vectors.__all__))}\n{body}\n"


def stubs() -> dict[str, str]:
    """Return the text of each stub by its path in the package."""
    package, functions = texts_of_functions()
    return {
        "__init__.pyi": package,
        "_callables.pyi": functions,
        "vectors/__init__.pyi": text_of_vectors(),
    }


def main(folder: Path = SOURCES) -> None:
    for path, content in stubs().items():
        (folder / "halfcl" / path).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
