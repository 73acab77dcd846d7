"""The public functions of a text in CUDA C++: each calls what the engine's text has, for scalars;
for vectors it calls itself on each component."""

from __future__ import annotations

from collections.abc import Iterable

from halfcl.device._catalogue import CUDA_TYPES, Form, scalar_body

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
    parameters = [f"{CUDA_TYPES[c]} {v}" for c, v in zip(form.inputs, "xyz", strict=False)]
    parameters += [f"{CUDA_TYPES[c]} *p" for c in form.outputs[1:]]
    result = CUDA_TYPES[form.outputs[0]]
    return f"HCI_OVERLOAD {result} name({', '.join(parameters)}) {scalar_body(form, result)}"


def _vector(form: Form) -> str:
    """The same of each component."""
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
    """Of vectors, and of scalars as vectors of one."""
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


def bodies(form: Form) -> list[str]:
    """A form's functions, of what a macro's parameters name, f and mode say."""
    return list(_geometric(form)) if form.vectors else [_scalar(form), _vector(form)]
