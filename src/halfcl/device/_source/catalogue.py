"""The functions that devices have: halfcl's table, short operator names, OpenCL's conversions."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

from halfcl._tables import TABLE
from halfcl.device._source.declarations import roots
from halfcl.typing import RoundingMode

#: The rounding modes, and their names in the engine's text.
MODES: dict[RoundingMode, str] = {
    "rte": "hci_RTE", "rtz": "hci_RTZ", "rtp": "hci_RTP", "rtn": "hci_RTN",
}  # fmt: skip

#: OpenCL C's names of types, by NumPy's letters; "?" is bool, an int in OpenCL C.
TYPES = {
    "e": "half", "f": "float", "b": "char", "B": "uchar", "h": "short", "H": "ushort",
    "i": "int", "I": "uint", "q": "long", "Q": "ulong", "?": "int",
}  # fmt: skip

#: Short names of operators, and their full names.
SHORT = {"sub": "subtract", "mul": "multiply", "div": "divide", "neg": "negative"}

#: Names of functions of vectors: NumPy's dot has a version for numbers, too.
_VECTOR_NAMES = frozenset(row.name for row in TABLE if row.signature)

#: The root of each conversion to half, by the letter; small integers go by way of int.
_CONVERSION_ROOTS = {letter: "convert_half_small" for letter in "bBhH"} | {
    letter: f"convert_half_{TYPES[letter]}" for letter in "iIqQf"
}


@dataclass(frozen=True)
class Form:
    """One overload of a function: hc_name(inputs), and hc_name_mode(inputs).

    inputs, outputs: NumPy's letters; further outputs are pointer parameters. root: the engine's
    function that it calls. default: the mode of the plain name. vectors: "", or the shape of a
    geometric function's result, "number" or "vector"; widths: of its operands.
    """

    name: str
    inputs: str
    outputs: str
    root: str
    default: RoundingMode = "rte"
    vectors: str = ""
    widths: tuple[int, ...] = (1, 2, 3, 4, 8, 16)

    @property
    def shape(self) -> str:
        """The name of the macro that defines functions of such operands."""
        letters = f"{self.inputs}_{self.outputs}".replace("?", "t")
        return f"HCI_{letters}" + (f"_{self.vectors}{max(self.widths)}" if self.vectors else "")

    def parameters(self, type_of: Callable[[str], str]) -> str:
        """Return a function's parameters: x, y, z, and p, which points to the second result."""
        inputs = [f"{type_of(c)} {v}" for c, v in zip(self.inputs, "xyz", strict=False)]
        return ", ".join(inputs + [f"{type_of(c)} *p" for c in self.outputs[1:]])

    def definitions(self, macro: str) -> str:
        """Return calls of a macro: for the plain name, and for the name with each mode."""
        names = {f"hc_{self.name}": self.default}
        names |= {f"hc_{self.name}_{mode}": mode for mode in MODES}
        calls = (f"{macro}({n}, {self.root}, {MODES[mode]})" for n, mode in names.items())
        return "\n".join(calls)


def _table_forms() -> Iterable[Form]:
    for row in TABLE:
        if row.name not in _VECTOR_NAMES:
            yield Form(row.name, row.inputs, row.outputs, row.name)


def _vector_forms() -> Iterable[Form]:
    for row in TABLE:
        if row.signature:
            shape = "vector" if row.signature.endswith("(n)") else "number"
            widths = (3, 4) if row.name == "cross" else Form.widths
            yield Form(row.name, row.inputs, "e", row.name, "rte", shape, widths)


def _conversion_forms() -> Iterable[Form]:
    for letter, root in _CONVERSION_ROOTS.items():
        yield Form("convert_half", letter, "e", root)
    yield Form("convert_float", "e", "f", "convert_float")
    for letter in "bBhHiIqQ":
        name = f"convert_{TYPES[letter]}"
        whole = "convert_long" if letter in "qQ" else "convert_int"
        yield Form(name, "e", letter, whole, "rtz")
        yield Form(f"{name}_sat", "e", letter, f"{name}_sat", "rtz")


def scalar_function(form: Form, type_of: Callable[[str], str]) -> str:
    """Return a form's function of scalars, the same in all dialects but for the types.

    It uses a macro's parameters name, f and mode.
    """
    result = type_of(form.outputs[0])
    return f"HCI_OVERLOAD {result} name({form.parameters(type_of)}) {_scalar_body(form, result)}"


def _scalar_body(form: Form, result: str) -> str:
    """Return the body of a scalar function; result: the type of the first result."""
    inputs = [f"HCI_BITS({v})" if c == "e" else v for c, v in zip(form.inputs, "xyz", strict=False)]
    second = form.outputs[1:]
    pointer = {"": [], "e": ["&second"], "i": ["p"]}[second]
    call = f"hci_device_##f({', '.join([*inputs, *pointer, 'mode'])})"
    value = f"HCI_HALF({call})" if form.outputs[0] == "e" else f"({result}){call}"
    if second != "e":
        return f"{{ return {value}; }}"
    return (
        f"{{ unsigned short second; hc_half first = {value}; *p = HCI_HALF(second); "
        "return first; }"
    )


def definitions(
    forms: Iterable[Form],
    bodies: Callable[[Form], Iterable[str]],
    macro: Callable[[Form], str] = lambda form: form.shape,
) -> str:
    """Return the public functions: a macro for each shape of operands, and its uses.

    bodies: return a language's functions of a form; macro: return the name of a form's macro.
    """
    macros = dict.fromkeys(
        " \\\n    ".join([f"#define {macro(form)}(name, f, mode)", *bodies(form)]) for form in forms
    )
    return "\n\n".join([*macros, *(form.definitions(macro(form)) for form in forms)])


def aliases(forms: Iterable[Form]) -> str:
    """Return macros for the short names of the operators among the forms."""
    endings = ("", *(f"_{mode}" for mode in MODES))
    names = {form.name for form in forms}
    return "\n".join(
        f"#define hc_{short}{ending} hc_{name}{ending}"
        for short, name in SHORT.items()
        if name in names
        for ending in endings
    )


@cache
def forms() -> dict[str, tuple[Form, ...]]:
    """Return all forms by function name; a conversion has one for each type."""
    all_forms = dict[str, list[Form]]()
    for form in (*_table_forms(), *_vector_forms(), *_conversion_forms()):
        if form.root in roots():
            all_forms.setdefault(form.name, []).append(form)
    return {name: tuple(several) for name, several in all_forms.items()}


def select_forms(functions: Iterable[str] | None) -> list[Form]:
    """Return the forms of the functions of these names, in the table's order; None means all.

    Raise TypeError if functions is not an iterable of names, ValueError for an unknown name.
    """
    if functions is None:
        return [form for several in forms().values() for form in several]
    names = [SHORT.get(name, name) for name in _check_names(functions)]
    for name in names:
        if name not in forms():
            raise ValueError(
                f"functions: expected names of functions for devices, got {name!r}{hint(name)}"
            )
    return [form for name, several in forms().items() if name in names for form in several]


def _check_names(functions: Iterable[str]) -> list[str]:
    message = "functions: expected names of functions, as ['add', 'exp'], or None for all; got"
    if isinstance(functions, str):
        raise TypeError(f"{message} a string, {functions!r}")
    try:
        names = list(functions)
    except TypeError:
        raise TypeError(f"{message} {functions!r}") from None
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"{message} {name!r} among them")
    if not names:
        raise ValueError(f"{message} none")
    return [name.removeprefix("hc_") for name in names]


def hint(name: str) -> str:
    """Return a suggestion for a name that no function has, or ""."""
    stem, _, ending = name.rpartition("_")
    if ending in MODES and SHORT.get(stem, stem) in forms():
        return f"; {stem!r} has all four modes"
    near = difflib.get_close_matches(name, [*forms(), *SHORT], n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
