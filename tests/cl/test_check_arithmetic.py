"""Checked launches find undefined arithmetic, and nothing else."""

import numpy as np
import pytest

import halfcl as hc
from halfcl import cl

HEAD = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
ARGUMENTS = "global const int *n, global const float *x, global const half *h, global long *o"
N = np.array([7, 0, -1, -(2**31), 5, 3, 2, 1], np.int32)
X = np.array([0.5, -0.9, 254.6, 255.5, 256, -1, 1e30, np.nan], np.float32)
H = np.array([0, 1, 2, 60000, np.inf, np.nan, -1, 300], np.float16).view(hc.half)


def launch(body, before="", check=True):
    """The second line of the program is the body."""
    out = np.zeros(8, np.int64)
    text = f"{HEAD}{before}kernel void k({ARGUMENTS}) {{ int i = get_global_id(0);\n{body}\n}}"
    cl.Program(text, "-w").k(8, None, N, X, H, out, check=check)
    return out


#: A body, and of each finding kind, types, work-item and detail.
FOUND = {
    "o[i] = 7 / n[i];": [("division by zero", "int / int", 1, "7 / 0")],
    "o[i] = n[i] % n[1];": [("division by zero", "int % int", 0, "7 % 0")],
    "int v = i; v /= n[i]; o[i] = v;": [("division by zero", "int / int", 1, "1 / 0")],
    "uint v = 5; v %= (uint)n[i]; o[i] = v;": [("division by zero", "uint % uint", 1, "5 % 0")],
    "o[i] = i / (i - 4);": [("division by zero", "int / int", 4, "4 / 0")],
    "o[i] = 3ul / (ulong)i;": [("division by zero", "ulong / ulong", 0, "3 / 0")],
    "if (i > 3) o[i] = 1 / (n[i] - 2);": [("division by zero", "int / int", 6, "1 / 0")],
    "int4 v = (int4)(1, 2, 3, 4) / (int4)(1, i, 1, i - 2); o[i] = v.x;": [
        ("division by zero", "int4 / int4", 0, "2 / 0")],
    "o[i] = n[i] / (i == 3 ? -1 : 1);": [
        ("overflow of a division", "int / int", 3, "-2147483648 / -1")],
    "o[i] = n[i] % -1;": [("overflow of a division", "int % int", 3, "-2147483648 % -1")],
    "o[i] = (i > 0 && 4 / (i - 1) > 2);": [("division by zero", "int / int", 1, "4 / 0")],
    "o[i] = (uchar)x[i];": [("conversion out of range", "float to uchar", 4, "256.0 to uchar")],
    "if (i != 1) o[i] = convert_uchar_rte(x[i]);": [
        ("conversion out of range", "float to uchar", 3, "255.5 to uchar")],
    "o[i] = convert_uchar_rtn(x[i]);": [
        ("conversion out of range", "float to uchar", 1, "-0.9 to uchar")],
    "long v = x[i]; o[i] = v;": [
        ("conversion out of range", "float to long", 6, "1e+30 to long")],
    "int v = i; v += x[i]; o[i] = v;": [
        ("conversion out of range", "float to int", 6, "1e+30 to int")],
    "o[i] = (ushort)h[i];": [("conversion out of range", "half to ushort", 4, "inf to ushort")],
    "o[i] = (int)(double)x[i];": [
        ("conversion out of range", "double to int", 6, "1.0000000150474662e+30 to int")],
    "o[i] = convert_char2((float2)(0, x[i])).y;": [
        ("conversion out of range", "float2 to char2", 2, "254.6 to char2")],
    "o[i] = (long)1e30f;": [("conversion out of range", "float to long", 0, "1e+30 to long")],
    "int t[] = {1, 2, 3, 4, 5, 6, 7, 8, 1e10f}; o[i] = t[i];": [
        ("conversion out of range", "float to int", 0, "1e+10 to int")],
    "o[i] = 1 / n[1] +\n 2 % n[1];": [
        ("division by zero", "int / int", 0, "1 / 0"),
        ("division by zero", "int % int", 0, "2 % 0")],
}  # fmt: skip


@pytest.mark.parametrize("body", FOUND)
def test_undefined_arithmetic_is_found(body):
    with pytest.raises(cl.CheckError) as it:
        launch(body)
    findings = [(f.kind, f.memory, f.work_item[0], f.detail.removeprefix(": ")) for f in
             it.value.findings]  # fmt: skip
    assert findings == FOUND[body]
    for line, finding in enumerate(it.value.findings, 3):
        assert finding.location.line == line
    wanted = FOUND[body][0]
    assert str(it.value).startswith(
        f"program.cl:3:{it.value.findings[0].location.column}: kernel k: "
    )
    assert f"{wanted[0]}: {wanted[1]}, work-item ({wanted[2]},): {wanted[3]}" in str(it.value)


NOTHING = [
    "o[i] = n[i] ? 7 / n[i] : 0;",
    "o[i] = n[i] != 0 && 7 / n[i] > 1;",
    "o[i] = n[i] == 0 || 7 / n[i] > 1;",
    "if (n[i]) o[i] = 7 % n[i];",
    "o[i] = 7.0f / n[i] > 1;",
    "o[i] = convert_uchar_sat(x[i]);",
    "o[i] = convert_int_sat_rte(h[i]);",
    "o[i] = (bool)x[i];",
    "o[i] = n[i] / (n[i] == -2147483648 ? 1 : -1) * 0;",
    "if (x[i] > -1 && x[i] < 255.99f) o[i] = (uchar)x[i];",
    "if (i < 2) o[i] = (char)x[i] + convert_uchar_rtp(x[i]);",
    "o[i] = (long)-9223372036854775808.0f + (char)-128.9f + (ulong)18446742974197923840.0f;",
    "o[i] = 1 << (i + 31);",
]


@pytest.mark.parametrize("body", NOTHING)
def test_checks_accept_defined_arithmetic(body):
    assert launch(body).tolist() == launch(body, check=False).tolist()


def test_constants_of_the_program():
    """They are made when it is built, of clang's constant expressions."""
    assert launch("o[i] = t[i & 1];", "constant int t[] = {5 / 2, (int)2.5f};").tolist() == [2] * 8
