"""The functions that devices get: those of halfcl's table, operators under short names besides, and
OpenCL's conversions."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

from halfcl._tables import TABLE
from halfcl.device._declarations import roots
from halfcl.typing import RoundingMode

#: The modes, and how the engine's text calls them.
MODES: dict[RoundingMode, str] = {
    "rte": "hci_RTE", "rtz": "hci_RTZ", "rtp": "hci_RTP", "rtn": "hci_RTN",
}  # fmt: skip

#: OpenCL C's names of types, by NumPy's letters; "?" is a truth.
TYPES = {
    "e": "half", "f": "float", "b": "char", "B": "uchar", "h": "short", "H": "ushort",
    "i": "int", "I": "uint", "q": "long", "Q": "ulong", "?": "int",
}  # fmt: skip

#: CUDA C++'s.
CUDA_TYPES = {
    "e": "__half", "f": "float", "b": "signed char", "B": "unsigned char", "h": "short",
    "H": "unsigned short", "i": "int", "I": "unsigned int", "q": "long long",
    "Q": "unsigned long long", "?": "bool",
}  # fmt: skip

#: Short names of operators.
SHORT = {"sub": "subtract", "mul": "multiply", "div": "divide", "neg": "negative"}

#: Rows of vectors, by their names: NumPy's dot has one of numbers, too.
_OF_VECTORS = frozenset(row.name for row in TABLE if row.signature)

#: What a conversion from an integer is made of, by the letter: small ones go by way of int.
_FROM = {letter: "convert_half_small" for letter in "bBhH"} | {
    letter: f"convert_half_{TYPES[letter]}" for letter in "iIqQf"
}


@dataclass(frozen=True)
class Form:
    """One function: hc_name(inputs), and hc_name_mode(inputs).

    inputs, outputs: NumPy's letters; further outputs come by pointers. root: what it is made of.
    default: the mode of the plain name. vectors: "", or the shape of a geometric function's result:
    "number" or "vector"; widths: of its operands.
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
        """The name of the macro that makes functions of such operands."""
        letters = f"{self.inputs}_{self.outputs}".replace("?", "t")
        return f"HCI_{letters}" + (f"_{self.vectors}{max(self.widths)}" if self.vectors else "")

    def definitions(self, macro: str) -> str:
        """Calls of a macro: the plain name, and one with each mode."""
        names = {f"hc_{self.name}": self.default}
        names |= {f"hc_{self.name}_{mode}": mode for mode in MODES}
        calls = (f"{macro}({n}, {self.root}, {MODES[mode]})" for n, mode in names.items())
        return "\n".join(calls)


def _of_table() -> Iterable[Form]:
    for row in TABLE:
        if row.name not in _OF_VECTORS:
            yield Form(row.name, row.inputs, row.outputs, row.name)


def _geometric() -> Iterable[Form]:
    for row in TABLE:
        if row.signature:
            shape = "vector" if row.signature.endswith("(n)") else "number"
            widths = (3, 4) if row.name == "cross" else Form.widths
            yield Form(row.name, row.inputs, "e", row.name, "rte", shape, widths)


def _conversions() -> Iterable[Form]:
    for letter, root in _FROM.items():
        yield Form("convert_half", letter, "e", root)
    yield Form("convert_float", "e", "f", "convert_float")
    for letter in "bBhHiIqQ":
        name = f"convert_{TYPES[letter]}"
        whole = "convert_long" if letter in "qQ" else "convert_int"
        yield Form(name, "e", letter, whole, "rtz")
        yield Form(f"{name}_sat", "e", letter, f"{name}_sat", "rtz")


def scalar_body(form: Form, result: str) -> str:
    """What the form of scalars does, in all languages: of a macro's parameters f and mode, and
    of x, y, z and p, which points to where the second result goes; result: the first one's type."""
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
    """The public functions: macros, one for each shape unless macro says another name, of a
    language's bodies, and their uses."""
    macros = dict.fromkeys(
        " \\\n    ".join([f"#define {macro(form)}(name, f, mode)", *bodies(form)]) for form in forms
    )
    return "\n\n".join([*macros, *(form.definitions(macro(form)) for form in forms)])


def aliases(forms: Iterable[Form]) -> str:
    """The short names of the operators among them."""
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
    """All that there are, by name: a conversion has one for each type."""
    found = dict[str, list[Form]]()
    for form in (*_of_table(), *_geometric(), *_conversions()):
        if form.root in roots():
            found.setdefault(form.name, []).append(form)
    return {name: tuple(several) for name, several in found.items()}


def chosen(functions: Iterable[str] | None) -> list[Form]:
    """The forms of the functions of these names, in the table's order; of all, if it is None.

    Raises
    ------
    TypeError
        If functions is no iterable of names.
    ValueError
        If there is no function of a name.
    """
    if functions is None:
        return [form for several in forms().values() for form in several]
    names = [SHORT.get(name, name) for name in _names(functions)]
    for name in names:
        if name not in forms():
            raise ValueError(f"functions: no function {name!r} for devices{hint(name)}")
    return [form for name, several in forms().items() if name in names for form in several]


def _names(functions: Iterable[str]) -> list[str]:
    wrong = "functions: expected names of functions, as ['add', 'exp'], or None for all; got"
    if isinstance(functions, str):
        raise TypeError(f"{wrong} a string, {functions!r}")
    try:
        names = list(functions)
    except TypeError:
        raise TypeError(f"{wrong} {functions!r}") from None
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"{wrong} {name!r} among them")
    if not names:
        raise ValueError(f"{wrong} none")
    return [name.removeprefix("hc_") for name in names]


def hint(name: str) -> str:
    """What may have been meant by a name that no function has; or ""."""
    stem, _, ending = name.rpartition("_")
    if ending in MODES and SHORT.get(stem, stem) in forms():
        return f": {stem!r} brings all four modes"
    near = difflib.get_close_matches(name, [*forms(), *SHORT], n=1)
    return f": did you mean {near[0]!r}?" if near else ""
