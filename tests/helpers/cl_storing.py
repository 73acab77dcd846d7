"""Functions that store a second result, in memory of each address space."""

import re

import numpy as np

from halfcl import cl

#: By address space: the pointer to a variable of type T, or to place K of the kernel's memory.
POINTERS = {
    "private": "T stored[1]; T *p = stored;",
    "local": "local T *p = (local T *)room;",
    "global": "global T *p = (global T *)(bytes + 128 * K);",
    "generic": "T *p = n ? (T *)room : (T *)(bytes + 128 * K);",
}
_FUNCTIONS = {"fract": "T", "modf": "T", "sincos": "T", "frexp": "I", "lgamma_r": "I"}


def _calls():
    for element in ("half", "float"):
        for width in ("", "2", "3", "4", "8", "16"):
            for name, stored in {**_FUNCTIONS, "remquo": "I"}.items():
                if element == "half" or name in ("fract", "modf", "frexp", "remquo"):
                    yield element + width, name, f"{'int' if stored == 'I' else element}{width}"


def source(space):
    """A kernel that calls all of them."""
    lines = []
    for k, (type_, name, stored) in enumerate(_calls()):
        pointer = POINTERS[space].replace("K", str(k))
        pointer = re.sub(r"\bT\b", stored, pointer)
        y = ", y" if name == "remquo" else ""
        first, second = (".s1", ".s0") if type_[-1].isdigit() else ("", "")
        lines.append(
            f"    {{ {pointer} {type_} v = ({type_})(x[{k % 7}]), y = ({type_})(x[{k % 5 + 1}]);\n"
            f"      {type_} r = {name}(v{y}, p); {stored} s = *p;\n"
            f"      out[{2 * k}] = r{first}; out[{2 * k + 1}] = s{second}; }}"
        )
    body = "\n".join(lines)
    return (
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
        f"kernel void k(global const half *x, global uchar *bytes, global float *out, int n) {{\n"
        f"    local float16 room[1];\n{body}\n}}"
    )


def assert_alike(space, **device):
    options = "-cl-std=CL2.0" if space == "generic" else ""
    count = len(list(_calls()))
    x = np.array([1.75, -3.3, 0.2, 100, 2.5, -0.7, np.inf], np.float16)
    results = []
    for more in ({}, device):
        program = cl.Program(source(space), options, **more)
        for n in (0, 1):
            results.append(np.zeros(2 * count, "f4"))
            program.k(1, 1, x, np.zeros(128 * count, "u1"), results[-1], n)
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])
        assert (np.signbit(result) == np.signbit(results[0]))[~np.isnan(result)].all()
