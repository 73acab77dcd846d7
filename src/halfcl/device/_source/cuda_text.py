"""The public functions in CUDA C++.

Scalar functions call the engine's; functions of vectors call the scalar function for each
component.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from halfcl.device._source.catalogue import CUDA_TYPES, Form, scalar_body
from halfcl.device._source.declarations import ROOT, Declaration, declarations

TYPES_AND_VECTORS = """\
#define HCI_BITS(x) __half_as_ushort(x)
#define HCI_HALF(x) __ushort_as_half((unsigned short)(x))

typedef __half hc_half;

/* n numbers next to each other: those of halves are hc_half2, hc_half3, ... */
template <typename T, int n> struct alignas((n == 3 ? 4 : n) * sizeof(T)) hc_vector {
    T s[n];
};
typedef hc_vector<__half, 2> hc_half2;
typedef hc_vector<__half, 3> hc_half3;
typedef hc_vector<__half, 4> hc_half4;
typedef hc_vector<__half, 8> hc_half8;
typedef hc_vector<__half, 16> hc_half16;
"""


def _scalar(form: Form) -> str:
    """Return the function of scalars."""
    parameters = [f"{CUDA_TYPES[c]} {v}" for c, v in zip(form.inputs, "xyz", strict=False)]
    parameters += [f"{CUDA_TYPES[c]} *p" for c in form.outputs[1:]]
    result = CUDA_TYPES[form.outputs[0]]
    return f"HCI_OVERLOAD {result} name({', '.join(parameters)}) {scalar_body(form, result)}"


def _vector(form: Form) -> str:
    """Return the function of vectors, which calls the scalar one for each component."""
    parameters = [
        f"hc_vector<{CUDA_TYPES[c]}, n> {v}" for c, v in zip(form.inputs, "xyz", strict=False)
    ]
    parameters += [f"hc_vector<{CUDA_TYPES[c]}, n> *p" for c in form.outputs[1:]]
    arguments = [f"{v}.s[k]" for v in "xyz"[: len(form.inputs)]]
    arguments += ["&p->s[k]"] if form.outputs[1:] else []
    result = f"hc_vector<{CUDA_TYPES[form.outputs[0]]}, n>"
    return (
        f"template <int n> HCI_OVERLOAD {result} name({', '.join(parameters)}) {{ {result} r; "
        f"for (int k = 0; k < n; ++k) r.s[k] = name({', '.join(arguments)}); return r; }}"
    )


def _geometric(form: Form) -> Iterable[str]:
    """Yield the functions of vectors, and of scalars as vectors of one component."""
    names = "ab"[: len(form.inputs)]
    arrays = " ".join(f"unsigned short {v}_bits[n];" for v in names)
    fill = " ".join(f"{v}_bits[k] = HCI_BITS({v}.s[k]);" for v in names)
    operands = ", ".join(f"{v}_bits" for v in names)
    vector = form.vectors == "vector"
    result = "hc_vector<__half, n>" if vector else "__half"
    out = (
        f"unsigned short out[n]; hci_device_##f({operands}, n, out, mode); {result} r; "
        "for (int k = 0; k < n; ++k) r.s[k] = HCI_HALF(out[k]); return r;"
        if vector
        else f"return HCI_HALF(hci_device_##f({operands}, n, mode));"
    )
    parameters = ", ".join(f"hc_vector<__half, n> {v}" for v in names)
    yield (
        f"template <int n> HCI_OVERLOAD {result} name({parameters}) {{ {arrays} "
        f"for (int k = 0; k < n; ++k) {{ {fill} }} {out} }}"
    )
    if 1 in form.widths:
        ones = " ".join(f"hc_vector<__half, 1> {v}_1 = {{{{{v}}}}};" for v in names)
        call = f"name({', '.join(f'{v}_1' for v in names)})" + (".s[0]" if vector else "")
        scalars = ", ".join(f"__half {v}" for v in names)
        yield f"HCI_OVERLOAD __half name({scalars}) {{ {ones} return {call}; }}"


def _vector_in_phases() -> str:
    """Return the function of vectors that computes easy cases first, then the hard ones."""
    return (
        "template <int n> HCI_OVERLOAD hc_vector<__half, n> "
        "name(hc_vector<__half, n> x, hc_vector<__half, n> y) "
        "{ hc_vector<__half, n> r; bool hard = false; "
        '_Pragma("unroll") for (int k = 0; k < n; ++k) { '
        "unsigned short a = HCI_BITS(x.s[k]), b = HCI_BITS(y.s[k]); "
        "r.s[k] = HCI_HALF(hci_easy_##f(a, b, mode)); hard |= hci_is_hard_##f(a, b); } "
        'if (hard) { _Pragma("unroll") for (int k = 0; k < n; ++k) { '
        "unsigned short a = HCI_BITS(x.s[k]), b = HCI_BITS(y.s[k]); "
        "if (hci_is_hard_##f(a, b)) r.s[k] = HCI_HALF(hci_hard_##f(a, b, mode)); } } return r; }"
    )


def is_in_phases(form: Form) -> bool:
    """Return whether a function treats easy and hard cases separately on GPUs with fast doubles."""
    return form.root in double_roots()


def macro(form: Form) -> str:
    """Return the name of the macro that defines functions of a form."""
    return f"{form.shape}_in_phases" if is_in_phases(form) else form.shape


def bodies(form: Form) -> list[str]:
    """Return a form's functions, in terms of a macro's parameters name, f and mode."""
    if form.vectors:
        return list(_geometric(form))
    return [_scalar(form), _vector_in_phases() if is_in_phases(form) else _vector(form)]


#: Texts of functions in double; and, for other GPUs, the names of their phases.
_TABLES, _FUNCTIONS = "preludes/cuda/double_tables.h", "preludes/cuda/double.h"
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


@cache
def double_roots() -> dict[str, Declaration]:
    """Return the functions that are computed in double where doubles are fast, by root."""
    return {
        d.names[0].removeprefix(ROOT): d
        for d in declarations(_FUNCTIONS)
        if d.names[0].startswith(ROOT)
    }


def double_or_own(root: str, declaration: Declaration) -> str:
    """Return a root's text in double, or with slow doubles its own, written as @@."""
    own = f"@@\n\n{_ALL_EASY.format(root)}"
    return f"#if HC_FAST_DOUBLE\n{declaration.text}\n#else\n{own}\n#endif"


def double_helpers() -> list[Declaration]:
    """Return the declarations that roots in double use.

    Tables do not depend on the GPU, since CUDA requires that.
    """
    return [
        *declarations(_TABLES),
        *(
            Declaration(d.names, f"#if HC_FAST_DOUBLE\n{d.text}\n#endif")
            for d in declarations(_FUNCTIONS)
            if not d.names[0].startswith(ROOT)
        ),
    ]
