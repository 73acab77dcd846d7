"""Constant expressions of all kinds, as variables of a program, of its kernels, and private."""

import numpy as np

HEAD = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
struct P { int a; int b; };
typedef struct { int a; int b[2]; } S;
constant int A[] = {1, 2, 3};
constant int B = 5;
constant S S0 = {1, {2, 3}};
constant half HA[2] = {0.3h, 0.4h};
constant half F1 = 0.1h;
"""

#: By type, constant expressions.
EXPRESSIONS = {
    "int": """(int)2.5h; sizeof(half4); -(1 << 3) % 5; 3 ?: 4; A[1]; B + 1; (1, 2); 'a'; 1.5f > 1;
        !2.5f; A[1] > 2 ? 3 : 4; (int)(0.1h * 3); 2.5h && 0.0h; S0.b[1]; (2 > 1) - (3 != 3);
        __builtin_expect(3, 1); (char)300; ~0u >> 4; 1 <= 2; (int)-2.5h; __builtin_popcount(7);
        __builtin_clz(9) + __builtin_ctz(8); __builtin_bswap32(1);
        (int)&((local struct P *)0)->b""",
    "half": """0.1h * 3; (half)0.1f + 1; -INFINITY; HALF_MAX * 2; 1 / 3.0h; 2.5h > 1 ? 0.1h : 2;
        -(half)3; (half)1e-8f; 3; (half)(0.1 + 0.2); M_PI_H / 2; HA[1]; F1; HA[0] * HA[1] - F1;
        NAN; 0 ?: 0.1h; 3 ?: 0.1h; 100003""",
    "float": """1.0f / 3; 0.1h; F1 * 2; 0.1f * 0.1f + 0.1f; 1 / 3.0; HUGE_VALF; 16777217;
        __builtin_inff(); HA[1] * 3.0f""",
    "half4": """(half4)(0); (half4)(1, 2, 3, 4) * 0.1h; (half4)((half2)(0.1h), 2, 3); 0; 0.1h;
        -(half4)(1, 2, 3, 4); (half4)(1) / 3""",
    "int4": """(int4)(1, 2, 3, 4) << 2; (int4)(1, 2, 3, 4) < (int4)(2); !(int4)(0, 1, 2, 3);
        !(uint4)(0, 1, 2, 3);
        (int4)(1) && (int4)(0, 1, 0, 1); ~(int4)(3); (int4)(7) % (int4)(3);
        (int4)(8, -8, 1, 0) >> (int4)(1); (int4)(A[0], B, 2, 3) * 3""",
    "ulong": """sizeof(int) * 3; (ulong)-1; 1ul << 40; __builtin_offsetof(S, b); (ulong)1e10f;
        (ulong)(!(uint3)(0u)).x; __builtin_bswap64((ulong)(!(uint2)(0u)).y)""",
    "double": "0.1; 1.0 / 3; 0.1h; (double)0.1f; F1 / 3.0",
    "bool": "2.5h; 0.5f; 1 && 2.0; !0.1h",
}
CASES = [(t, e.strip()) for t, es in EXPRESSIONS.items() for e in es.split(";") if e.strip()]
BYTES = 16


def source_of(declare, cases=CASES):
    """Kernels k0, k1 and so on; declare: "outside", "inside" or "private"."""
    texts = [HEAD]
    for n, (type_, expression) in enumerate(cases):
        declaration = f"{type_} X{n} = {expression};"
        inside = "" if declare == "outside" else declaration
        if declare == "outside":
            texts.append(f"constant {declaration}")
        elif declare == "inside":
            inside = f"constant {declaration}"
        store = f"*(global {type_} *)o = X{n};" if type_ != "bool" else f"o[0] = X{n};"
        texts.append(f"kernel void k{n}(global uchar *o) {{ {inside} {store} }}")
    return "\n".join(texts)


def results(program, mode, cases=CASES):
    outs = []
    for n in range(len(cases)):
        outs.append(np.zeros(BYTES, np.uint8))
        program[f"k{n}"](1, 1, outs[-1], rounding=mode)
    return [out.tobytes() for out in outs]
