"""C++ on devices: functions of vectors are templates that call the one of scalars.

CUDA C++ is the dialect of it; see docs/project/add_a_dialect.md for another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from halfcl.device._source.catalogue import Form, scalar_function
from halfcl.device._source.declarations import ROOT, Declaration, declarations
from halfcl.device._source.dialects.dialect import Dialect


def _vector(types: Mapping[str, str], form: Form) -> str:
    """Return the function of vectors, which calls the scalar one for each component."""

    def type_of(letter: str) -> str:
        return f"hc_vector<{types[letter]}, n>"

    arguments = [f"{v}.s[k]" for v in "xyz"[: len(form.inputs)]]
    arguments += ["&p->s[k]"] if form.outputs[1:] else []
    result = type_of(form.outputs[0])
    return (
        f"template <int n> HCI_OVERLOAD {result} name({form.parameters(type_of)}) {{ {result} r; "
        f"for (int k = 0; k < n; ++k) r.s[k] = name({', '.join(arguments)}); return r; }}"
    )


def _geometric(half: str, form: Form) -> Iterable[str]:
    """Yield the functions of vectors, and of scalars as vectors of one component."""
    names = "ab"[: len(form.inputs)]
    arrays = " ".join(f"unsigned short {v}_bits[n];" for v in names)
    fill = " ".join(f"{v}_bits[k] = HCI_BITS({v}.s[k]);" for v in names)
    operands = ", ".join(f"{v}_bits" for v in names)
    vector = form.vectors == "vector"
    result = f"hc_vector<{half}, n>" if vector else half
    out = (
        f"unsigned short out[n]; hci_device_##f({operands}, n, out, mode); {result} r; "
        "for (int k = 0; k < n; ++k) r.s[k] = HCI_HALF(out[k]); return r;"
        if vector
        else f"return HCI_HALF(hci_device_##f({operands}, n, mode));"
    )
    parameters = ", ".join(f"hc_vector<{half}, n> {v}" for v in names)
    yield (
        f"template <int n> HCI_OVERLOAD {result} name({parameters}) {{ {arrays} "
        f"for (int k = 0; k < n; ++k) {{ {fill} }} {out} }}"
    )
    if 1 in form.widths:
        ones = " ".join(f"hc_vector<{half}, 1> {v}_1 = {{{{{v}}}}};" for v in names)
        call = f"name({', '.join(f'{v}_1' for v in names)})" + (".s[0]" if vector else "")
        scalars = ", ".join(f"{half} {v}" for v in names)
        yield f"HCI_OVERLOAD {half} name({scalars}) {{ {ones} return {call}; }}"


def _vector_in_phases(half: str) -> str:
    """Return the function of vectors that computes easy cases first, then the hard ones."""
    return (
        f"template <int n> HCI_OVERLOAD hc_vector<{half}, n> "
        f"name(hc_vector<{half}, n> x, hc_vector<{half}, n> y) "
        f"{{ hc_vector<{half}, n> r; bool hard = false; "
        '_Pragma("unroll") for (int k = 0; k < n; ++k) { '
        "unsigned short a = HCI_BITS(x.s[k]), b = HCI_BITS(y.s[k]); "
        "r.s[k] = HCI_HALF(hci_easy_##f(a, b, mode)); hard |= hci_is_hard_##f(a, b); } "
        'if (hard) { _Pragma("unroll") for (int k = 0; k < n; ++k) { '
        "unsigned short a = HCI_BITS(x.s[k]), b = HCI_BITS(y.s[k]); "
        "if (hci_is_hard_##f(a, b)) r.s[k] = HCI_HALF(hci_hard_##f(a, b, mode)); } } return r; }"
    )


#: The phases of a function in double, on GPUs where doubles are slow.
_ALL_EASY = """\
HCI_FUNCTION hci_vh hci_easy_{0}(hci_vh a, hci_vh b, hci_rounding mode)
{{
    return hci_device_{0}(a, b, mode);
}}
HCI_FUNCTION bool hci_is_hard_{0}(hci_vh, hci_vh)
{{
    return false;
}}
#define hci_hard_{0} hci_device_{0}"""


@dataclass(frozen=True, kw_only=True, eq=False)
class Cpp(Dialect):
    """A dialect of C++."""

    doubles: str = ""  #: file with functions in double, for where HC_FAST_DOUBLE is set
    tables: str = ""  #: file with their tables

    def bodies(self, form: Form) -> list[str]:
        half = self.types["e"]
        if form.vectors:
            return list(_geometric(half, form))
        in_phases = self.is_in_phases(form)
        vectors = _vector_in_phases(half) if in_phases else _vector(self.types, form)
        return [scalar_function(form, self.types.__getitem__), vectors]

    def guard(self, statements: Sequence[str]) -> list[str]:
        return ["if (i >= n)", "    return;", *statements]

    def load_vector(self, width: int, name: str, is_array: bool) -> tuple[list[str], str]:
        element = f"{width} * i + k" if is_array else "k"
        lines = [
            f"hc_half{width} {name}_v;",
            f"for (int k = 0; k < {width}; ++k)",
            f"    {name}_v.s[k] = {name}[{element}];",
        ]
        return lines, f"{name}_v"

    def store_vector(self, width: int, call: str) -> list[str]:
        return [
            f"hc_half{width} r_v = {call};",
            f"for (int k = 0; k < {width}; ++k)",
            f"    r[{width} * i + k] = r_v.s[k];",
        ]

    # ------------------------------------------------------------ functions in double

    @cached_property
    def double_roots(self) -> dict[str, Declaration]:
        """Functions that are computed in double where doubles are fast, by root."""
        every = declarations(self.doubles) if self.doubles else ()
        return {d.names[0].removeprefix(ROOT): d for d in every if d.names[0].startswith(ROOT)}

    def macro(self, form: Form) -> str:
        return f"{form.shape}_in_phases" if self.is_in_phases(form) else form.shape

    def is_in_phases(self, form: Form) -> bool:
        return form.root in self.double_roots

    def own_functions(self) -> tuple[Mapping[str, str], Sequence[Declaration]]:
        """Return the functions in double, and what they use.

        Where doubles are slow, a function is its own text, written as @@. Tables do not depend on
        the GPU, since CUDA requires that.
        """
        if not self.doubles:
            return {}, ()
        functions = {
            ROOT
            + root: f"#if HC_FAST_DOUBLE\n{d.text}\n#else\n@@\n\n{_ALL_EASY.format(root)}\n#endif"
            for root, d in self.double_roots.items()
        }
        helpers = [
            Declaration(d.names, f"#if HC_FAST_DOUBLE\n{d.text}\n#endif")
            for d in declarations(self.doubles)
            if not d.names[0].startswith(ROOT)
        ]
        return functions, [*declarations(self.tables), *helpers]
