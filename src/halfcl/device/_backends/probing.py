"""Test whether a device's arithmetic follows IEEE 754.

It runs the operations that the functions use, and compares the results with correct ones.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl.device._source.catalogue import MODES
from halfcl.device._source.dialects import Dialect

_Words = NDArray[np.uint32]
_Floats = NDArray[np.float32]


class DeviceError(RuntimeError):
    """A device cannot compute halfcl's functions, or has failed; the message is one line."""


def first_error(log: str, mark: str = "error:") -> str:
    """Return the first line with a mark in a compiler's log, or else the first line."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    errors = [line for line in lines if mark in line]
    return (errors or lines or ["it does not compile"])[0]


#: The functions whose text the tests need.
FUNCTIONS = ("add", "divide", "sqrt")

#: Operations on three floats a, b, c: their names, and the expressions of the results' bits.
_FLOAT_OPERATIONS = {
    "fused multiplication and addition": "hci_bits_of_float(hci_float_fma(a, b, c))",
    "addition": "hci_bits_of_float(hci_float_add(a, b))",
    "multiplication": "hci_bits_of_float(hci_float_mul(a, b))",
    "a product and then a sum": "hci_bits_of_float(hci_float_add(hci_float_mul(a, b), c))",
    "the error of a sum": (
        "hci_bits_of_float(hci_float_add(hci_float_add(hci_float_add(a, b), -a), -b))"
    ),
    "comparisons": "(a < b) + 2 * (a == b) + 4 * (a > b) + 8 * (a <= b) + 16 * (a >= b)"
    " + 32 * (a != b) + 64 * (a != a)",
    "rint": "hci_bits_of_float(hci_float_rint(a))",
    "trunc": "hci_bits_of_float(hci_float_trunc(a))",
    "ceil": "hci_bits_of_float(hci_float_ceil(a))",
    "floor": "hci_bits_of_float(hci_float_floor(a))",
}

#: Operations on two integers of 64 bits, p and q.
_INTEGER_OPERATIONS = {
    "the high word of a product": "hci_mul_high(p, q)",
    "the low word of a product": "p * q",
    "leading zeros": "(hci_ulong)hci_leading_zeros(p | 1)",
    "shifts": "(p >> (int)(q & 63)) ^ (p << (int)(q & 31))",
    "shifts of negative numbers": "(hci_ulong)((hci_long)p >> (int)(q & 63))",
}

#: Operations on two floats, if the compiler's own division and square root are used.
_QUOTIENT_OPERATIONS = {
    "division": "hci_bits_of_float(hci_vf_div(a, b))",
    "square roots": "hci_bits_of_float(hci_root(fabs_of(a), hci_RTE))",
}

#: Operations on two halves, which every function's rounding uses.
_HALF_OPERATIONS = {
    f"hc_{name}_{mode}({operands})": (name, mode)
    for name, operands in (("add", "a, b"), ("divide", "a, b"), ("sqrt", "a"))
    for mode in MODES
}

#: The kernels; {kernel}, {buffer} and {index} are in the device's language.
_KERNELS = """
#define fabs_of(x) hci_float_of_bits(hci_bits_of_float(x) & 0x7fffffffu)

{kernel} void hck_floats({buffer}const float *x, {buffer}unsigned int *out)
{{
    unsigned int i = {index};
    float a = x[3 * i], b = x[3 * i + 1], c = x[3 * i + 2];
    {floats}
}}

{kernel} void hck_quotients({buffer}const float *x, {buffer}unsigned int *out)
{{
    unsigned int i = {index};
    float a = x[3 * i], b = x[3 * i + 1];
    {quotients}
}}

{kernel} void hck_integers({buffer}const hci_ulong *x, {buffer}hci_ulong *out)
{{
    unsigned int i = {index};
    hci_ulong p = x[2 * i], q = x[2 * i + 1];
    {integers}
}}

{kernel} void hck_functions({buffer}const unsigned short *x, {buffer}unsigned short *out)
{{
    unsigned int i = {index};
    hc_half a = HCI_HALF(x[2 * i]), b = HCI_HALF(x[2 * i + 1]);
    {functions}
}}

{kernel} void hck_widen({buffer}const unsigned short *x, {buffer}float *out)
{{
    unsigned int i = {index};
    out[i] = hci_vf_widen(x[i]);
}}

{kernel} void hck_narrow({buffer}const float *x, {buffer}unsigned short *out)
{{
    unsigned int i = {index};
    {narrow}
}}
"""


def kernels(dialect: Dialect) -> str:
    """Return the text of the tests' kernels, to follow one of `FUNCTIONS`."""

    def stores(expressions: Collection[str]) -> str:
        count = len(expressions)
        lines = (f"out[{count} * i + {k}] = {e};" for k, e in enumerate(expressions))
        return "\n    ".join(lines)

    return _KERNELS.format(
        kernel=dialect.kernel, buffer=dialect.space, index=dialect.item,
        floats=stores(_FLOAT_OPERATIONS.values()),
        quotients=stores(_QUOTIENT_OPERATIONS.values()),
        integers=stores(_INTEGER_OPERATIONS.values()),
        functions=stores([f"HCI_BITS({call})" for call in _HALF_OPERATIONS]),
        narrow=stores([f"hci_rounded_half(x[i], {mode})" for mode in MODES.values()]),
    )  # fmt: skip


# ---------------------------------------------------------------- inputs and correct results


def _nearest(x: Fraction) -> np.float32:
    """Round a number once to float32, in which it is normal."""
    if not x:
        return np.float32(0)
    size = abs(x)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent
    unit = Fraction(2) ** (exponent - 23)
    return np.float32(float(round(x / unit) * unit))


_NUMBERS = (
    0.0, -0.0, 1.0, -1.0, 0.5, 1.5, -2.5, 3.0, 1 + 2.0**-12, 1 - 2.0**-12, 1 + 2.0**-23, 1 / 3,
    -(1 + 2.0**-11 + 2.0**-22), 4095.5, -4096.5, 2.0**23 - 0.5, 2.0**24 + 2, -65519.99, 65520.0,
    2.0**-14, -(2.0**-24), 1.9999999 * 2.0**-25, 6.1e-5, 1e30, -1e-20, np.inf, -np.inf, np.nan,
)  # fmt: skip


@cache
def _floats() -> _Floats:
    """Return rows a, b, c; c is the rounded product's negative, or far from it."""
    numbers = np.array(_NUMBERS, np.float32)
    a, b = (x.ravel() for x in np.meshgrid(numbers, numbers))
    with np.errstate(all="ignore"):
        minus = -(a * b)
        third = [np.zeros_like(a), minus, numbers[np.arange(a.size) % 23], minus * np.float32(0.75)]
    rows = np.concatenate([np.stack([a, b, c], 1) for c in third])
    return np.ascontiguousarray(rows)


@cache
def _right_floats() -> tuple[_Words, NDArray[np.bool_]]:
    """Return a column per operation on floats, and where no result is subnormal."""
    x = _floats()
    a, b, c = x.T
    with np.errstate(all="ignore"):
        product_, sum_ = a * b, a + b
        columns = [
            _exact_fma(a, b, c), sum_, product_, product_ + c, (sum_ - a) - b,
            sum(w * t for w, t in zip(
                (1, 2, 4, 8, 16, 32, 64), (a < b, a == b, a > b, a <= b, a >= b, a != b, a != a),
                strict=True)),
            np.rint(a), np.trunc(a), np.ceil(a), np.floor(a),
        ]  # fmt: skip
        results = [
            y.astype(np.uint32) if y.dtype.kind == "i" else y.astype(np.float32).view(np.uint32)
            for y in map(np.asarray, columns)
        ]
        sizes = np.stack([np.abs(y) for y in (*columns[:5], product_, sum_ - a)], 1)
    usual = ((sizes == 0) | ~(sizes < 2.0**-125)).all(1)
    return np.stack(results, 1), usual


def _exact_fma(a: _Floats, b: _Floats, c: _Floats) -> _Floats:
    """Return a * b + c, rounded once where it is finite."""
    with np.errstate(all="ignore"):
        simple: _Floats = (a.astype(np.float64) * b + c).astype(np.float32)
    for i, (p, q, r) in enumerate(zip(a.tolist(), b.tolist(), c.tolist(), strict=True)):
        if np.isfinite(simple[i]) and simple[i] != 0:
            simple[i] = _nearest(Fraction(p) * Fraction(q) + Fraction(r))
    return simple


@cache
def _integers() -> NDArray[np.uint64]:
    numbers = [0, 1, 2, 3, 2**31, 2**32 - 1, 2**32 + 1, 2**63, 2**64 - 1, 0x9E3779B97F4A7C15]
    return np.array(list(product(numbers, repeat=2)), np.uint64)


@cache
def _right_integers() -> NDArray[np.uint64]:
    rows = []
    for p, q in _integers().tolist():
        signed = p - 2**64 if p >> 63 else p
        rows.append([
            p * q >> 64, p * q, 64 - (p | 1).bit_length(),
            (p >> (q & 63)) ^ (p << (q & 31)), signed >> (q & 63),
        ])  # fmt: skip
    return np.array([[n % 2**64 for n in row] for row in rows], np.uint64)


@cache
def _right_quotients() -> tuple[_Words, NDArray[np.bool_]]:
    a, b, _ = _floats().T
    with np.errstate(all="ignore"):
        quotient, root = a / b, np.sqrt(np.abs(a))
        usual = (quotient == 0) | ~(np.abs(quotient) < 2.0**-125)
    return np.stack([quotient.view(np.uint32), root.view(np.uint32)], 1), usual


@cache
def _halves() -> NDArray[np.uint16]:
    """Return pairs of halves, as bits."""
    with np.errstate(over="ignore"):
        numbers = np.unique(np.array(_NUMBERS, np.float16).view(np.uint16)).tolist()
    pairs = list(product([*numbers, 1, 0x83FF, 0x7BFF, 0xFBFE, 0x3555, 0xB556], repeat=2))
    return np.array(pairs, np.uint16)


@cache
def _right_halves() -> NDArray[np.uint16]:
    a, b = np.ascontiguousarray(_halves().T).view(hc.half)
    columns = []
    with np.errstate(all="ignore"):
        for name, mode in _HALF_OPERATIONS.values():
            operands = (a,) if name == "sqrt" else (a, b)
            columns.append(getattr(hc, name)(*operands, rounding=mode).view(np.uint16))
    return np.stack(columns, 1)


_HALVES = np.arange(1 << 16, dtype=np.uint16)


@cache
def _floats_near_halves() -> _Floats:
    """Return all halves, the midpoints between neighbours, and the floats next to these."""
    halves = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float64)
    ends = np.append(halves, 65536)
    targets = np.concatenate([ends, (ends[1:] + ends[:-1]) / 2, [1e5, 1e30, 2.0**-100]])
    exact = targets.astype(np.float32)
    near = [np.nextafter(exact, np.float32(end)) for end in (0, np.inf)]
    sizes = np.concatenate([exact, *near])
    sizes = sizes[(sizes == 0) | (sizes >= np.finfo(np.float32).tiny)]
    specials = np.array([np.inf, np.nan], np.float32)
    sizes = np.concatenate([sizes, specials])
    return np.concatenate([sizes, -sizes])


@cache
def _right_narrow() -> NDArray[np.uint16]:
    with np.errstate(all="ignore"):
        columns: list[NDArray[Any]] = [
            hc.convert(_floats_near_halves(), hc.half, rounding=mode) for mode in hc.MODES
        ]
    return np.stack([column.view(np.uint16) for column in columns], 1)


# ---------------------------------------------------------------- the verdict


class Prober(Protocol):
    """Runs one of the tests' kernels on a device."""

    def __call__(self, name: str, values: NDArray[Any], out: NDArray[Any], count: int) -> None: ...


@dataclass(frozen=True)
class Verdict:
    """The first operation of each kind that a device computes wrong; "" for none.

    arithmetic: of those that every function uses; division, conversion: of the device's own.
    """

    arithmetic: str
    division: str
    conversion: str


def probe(run: Prober, division: bool) -> Verdict:
    """Return what a device computes wrong.

    run: runs a named kernel over count elements, from a NumPy array to another one; division:
    whether division and square roots are the device's own.
    """
    return Verdict(_arithmetic(run), _division(run) if division else "", _conversion(run))


def _arithmetic(run: Prober) -> str:
    right, usual = _right_floats()
    got = np.zeros_like(right)
    run("hck_floats", _floats(), got, len(right))
    words = np.zeros_like(_right_integers())
    run("hck_integers", _integers(), words, len(words))
    halves = np.zeros_like(_right_halves())
    run("hck_functions", _halves(), halves, len(halves))
    return (
        _first_wrong(_FLOAT_OPERATIONS, got, right, usual)
        or _first_wrong(_INTEGER_OPERATIONS, words, _right_integers())
        or _first_wrong(_HALF_OPERATIONS, halves, _right_halves())
    )


def _division(run: Prober) -> str:
    right, usual = _right_quotients()
    got = np.zeros_like(right)
    run("hck_quotients", _floats(), got, len(right))
    return _first_wrong(_QUOTIENT_OPERATIONS, got, right, usual)


def _conversion(run: Prober) -> str:
    wide = np.zeros(_HALVES.size, np.float32)
    run("hck_widen", _HALVES, wide, wide.size)
    with np.errstate(invalid="ignore"):  # Arm reports signalling NaNs
        right = _HALVES.view(np.float16).astype(np.float32)
    if not _are_same(wide.view(np.uint32), right.view(np.uint32)).all():
        return "half to float"
    narrow = np.zeros_like(_right_narrow())
    run("hck_narrow", _floats_near_halves(), narrow, len(narrow))
    return "" if _are_same(narrow, _right_narrow()).all() else "float to half"


#: Masks by the dtype of bits: all but the sign, and infinity's.
_NANS = {np.dtype(np.uint16): (0x7FFF, 0x7C00), np.dtype(np.uint32): (0x7FFFFFFF, 0x7F800000)}


def _are_same(got: NDArray[Any], right: NDArray[Any]) -> NDArray[np.bool_]:
    """Return where bits are equal, with all NaNs alike."""
    same: NDArray[np.bool_] = got == right
    if got.dtype in _NANS:
        size, infinity = _NANS[got.dtype]
        same |= ((got & size) > infinity) & ((right & size) > infinity)
    return same


def _first_wrong(
    names: Iterable[str], got: NDArray[Any], right: NDArray[Any],
    usual: NDArray[np.bool_] | bool = True,
) -> str:  # fmt: skip
    """Return the first name whose column is wrong where it counts, or ""."""
    good = (_are_same(got, right) | ~np.reshape(usual, (-1, 1))).all(0)
    return next((name for name, is_good in zip(names, good, strict=True) if not is_good), "")
