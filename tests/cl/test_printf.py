"""printf: its text, against C's own and what the standard says."""

import ctypes
import re
import struct
import sys

import cuda_host
import numpy as np
import pytest

from halfcl import cl

ENABLED = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
"""


def capture(capsys, body, items=1, local=None):
    source = f"{ENABLED}kernel void k(global int *a) {{ int i = get_global_id(0); {body} }}"
    cl.Program(source).k(items, local, np.zeros(4, np.int32))
    return capsys.readouterr().out


#: Arguments of printf, and its text: as Intel's runtime has it, too.
TEXTS = {
    r'"%d|%5d|%-5d|%05d|%+d|% d|%.3d", -3, 42, 42, 42, 42, 42, 7': (
        "-3|   42|42   |00042|+42| 42|007"
    ),
    r'"%i|%u|%x|%X|%#x|%o|%#o", -1, -1, 255, 255, 255, 8, 8': "-1|4294967295|ff|FF|0xff|10|010",
    r'"%hhd|%hd|%ld", (char)-3, (short)-300, -3000000000L': "-3|-300|-3000000000",
    r'"%hhu|%hu|%lu", (uchar)200, (ushort)60000, ~0UL': "200|60000|18446744073709551615",
    r'"%hhx|%hx|%lx|%hhd", (char)-1, (short)-1, -1L, 300': "ff|ffff|ffffffffffffffff|44",
    r'"%.0d|%.0x|%#x|%#.0o|%05.3d|%+.0d", 0, 0, 0, 0, 7, 0': "||0|0|  007|+",
    r'"%f|%e|%g|%a|%F|%E|%G|%A", 1.5f, 1.5f, 1.5f, 1.5f, 1.5f, 1.5f, 1.5f, 1.5f': (
        "1.500000|1.500000e+00|1.5|0x1.8p+0|1.500000|1.500000E+00|1.5|0X1.8P+0"
    ),
    r'"%10.3f|%-10.2e|%+g|%#g", 3.14159f, 31415.9f, 2.0f, 2.0f': "     3.142|3.14e+04  |+2|2.00000",
    r'"%.0f|%#.0f|%010.2f|%.3a", 2.5f, 2.5f, -2.5f, 1.1f': "2|2.|-000002.50|0x1.19ap+0",
    r'"%v4hld|%v2hd|%v3hhx", (int4)(1, -2, 3, 4), (short2)(5, -6), (uchar3)(255, 16, 1)': (
        "1,-2,3,4|5,-6|ff,10,1"
    ),
    r'"%v8hhd|%v2ld|%v16hhu", (char8)(1, 2, 3, 4, 5, 6, 7, -8), (long2)(1, -1), (uchar16)(1)': (
        "1,2,3,4,5,6,7,-8|1,-1|" + ",".join("1" * 16)
    ),
    r'"%v4hlf|%v4hlx", (float4)(1, 2.5f, -3, 4), (uint4)(1, 255, 3, 0xdeadbeef)': (
        "1.000000,2.500000,-3.000000,4.000000|1,ff,3,deadbeef"
    ),
    r'"%4.1v2hlf|%v2hla|%v2lf", (float2)(1.25f, 2.5f), (float2)(1, 0.1f), (double2)(1, 2)': (
        " 1.2, 2.5|0x1p+0,0x1.99999ap-4|1.000000,2.000000"
    ),
    r'"%2.2v4hlf|%#v4hhx", (float4)(1, 2, 3, 4), (uchar4)(0xFA, 0xFB, 0xFC, 0xFD)': (
        "1.00,2.00,3.00,4.00|0xfa,0xfb,0xfc,0xfd"
    ),
    r'"%5v2hld|%-5v2hld|%+v2hld|%05v2hld|%.3v2hld", ' + ", ".join(["(int2)(1, 2)"] * 5): (
        "    1,    2|1    ,2    |+1,+2|00001,00002|001,002"
    ),
    r'"%f|%g|%a|%v2hf|%v4ha", 1.5h, 0.1h, 0.1h, (half2)(1, 2), (half4)(1, 0.1h, 3, 4)': (
        "1.500000|0.0999756|0x1.998p-4|1.000000,2.000000|0x1p+0,0x1.998p-4,0x1.8p+1,0x1p+2"
    ),
    r'"%s|%10s|%-10s|%.2s|%c|%3c|%-3c|%%", "abc", "abc", "abc", "abc", 65, 66, 67': (
        "abc|       abc|abc       |ab|A|  B|C  |%"
    ),
    r'"%f|%F|%e|%a|%010f|%f", INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, NAN': (
        "inf|-INF|inf|-inf|       inf|nan"
    ),
    r'"%s %d\n\t\"%%d\" \x41\101", i ? "x" : "y", 1, 2, 3': 'y 1\n\t"%d" AA',
    r'"%p|%d", (global int *)0, 5': "0x0|5",
    r'"plain"': "plain",
    r'"%lld|%llu|%zi|%zu|%.3llx", -3L, ~0UL, -1L, sizeof(int), 10L': (
        "-3|18446744073709551615|-1|4|00a"
    ),
    r'"%v4d|%v2f|%5.1v2g", (int4)(1, -2, 3, 4), (float2)(1, 2), (float2)(3, 4)': (
        "1,-2,3,4|1.000000,2.000000|    3,    4"
    ),
    r'"%s|%8s", (constant char *)0, (void *)0': "(null)|  (null)",
    r'"%lf", 0.5f': "0.500000",
    r'"%v3hld|%v2hld", (int3)(7), (int2)(i, 5)': "7,7,7|0,5",
    r'"%d %d", (int)get_local_size(0), sizeof(int) == 4': "1 1",
    r'"%u|%d|%x", true, (uchar)200, \'a\''.replace("\\'", "'"): "1|200|61",
}  # fmt: skip


@pytest.mark.skipif(cuda_host.GXX is None, reason="needs g++ to run CUDA C++ on the host")
def test_printf_formats_in_cuda(capfd):
    """All at once; the C library differs in how it writes 0x0 and what the standard leaves open."""
    texts = {a: text for a, text in TEXTS.items() if not re.search("%p|0x0|%a|%#?.0o|%c", a)}
    calls = " ".join(f'printf({arguments}); printf("@");' for arguments in texts)
    source = f"{ENABLED}kernel void k(int i) {{ {calls} }}"
    with cuda_host.in_place_of_cupy():
        cl.Program(source, device="cuda").k(1, None, 0)
        cuda_host.flush()
    for (arguments, text), printed in zip(
        texts.items(), capfd.readouterr().out.split("@"), strict=False
    ):
        assert printed == text, arguments


@pytest.mark.parametrize("arguments", TEXTS)
def test_printf_formats(arguments, capsys):
    assert capture(capsys, f"printf({arguments});") == TEXTS[arguments]


def test_real_numbers_as_c_prints_them(capsys):
    """Many formats and numbers, including subnormals and ties."""
    rng = np.random.default_rng(3)
    numbers = [0.0, -0.0, 1.97, 0.5, 2.5, 1e10, 1e-5, 99999.5, 2.0**-1074, 1.5 * 2.0**-1030, 1e308]
    numbers += [struct.unpack("d", rng.bytes(8))[0] for _ in range(40)]
    formats = [
        f"%{flags}{width}{precision}{letter}"
        for flags in ("", "-", "+", "#", "0", " 0")
        for width, precision in (("", ""), ("24", ""), ("", ".0"), ("12", ".3"), ("", ".17"))
        for letter in "feEgGaA"
    ]
    chosen = [(f, float(x)) for f in formats for x in rng.choice(numbers, 3) if abs(x) < 1e300]
    source = " ".join(
        f'printf("{f}|", as_double(0x{struct.unpack("Q", struct.pack("d", x))[0]:x}UL));'
        for f, x in chosen
    )
    library, buffer = ctypes.CDLL(None), ctypes.create_string_buffer(1000)
    wanted = []
    for f, x in chosen:
        library.snprintf(buffer, 1000, f.encode(), ctypes.c_double(x))
        wanted.append(buffer.value.decode())
    assert capture(capsys, source).split("|")[:-1] == wanted


def test_items_in_order_at_each_statement(capsys):
    body = 'printf("%d\\n", i); if (i & 1) printf("odd %d %g\\n", i, i * 0.5f); printf("end\\n");'
    wanted = "0\n1\n2\n3\nodd 1 0.5\nodd 3 1.5\nend\nend\nend\nend\n"
    assert capture(capsys, body, items=4) == wanted


def test_the_result_and_pointers(capsys):
    body = 'int r = printf("%p %s|", a + i, i ? "one" : "none"); printf("%d|", r);'
    first, second, *results = capture(capsys, body, items=2).split("|")
    addresses = [int(text.split()[0], 16) for text in (first, second)]
    assert addresses[1] - addresses[0] == 4
    assert (first.split()[1], second.split()[1], results) == ("none", "one", ["0", "0", ""])


def test_excess_arguments_are_evaluated(capsys):
    assert capture(capsys, 'printf("x%d", 1, ++a[0]); printf("%d", a[0]);') == "x11"


def test_replaced_stdout(capsys, monkeypatch):
    import io

    stream = io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    cl.Program('kernel void k() { printf("here"); }').k(2, None)
    assert stream.getvalue() == "herehere"


def test_missing_stdout(monkeypatch):
    """Programs without a console have no stream."""
    monkeypatch.setattr(sys, "stdout", None)
    out = np.zeros(1, np.int32)
    cl.Program('kernel void k(global int *o) { o[0] = 3 + printf("here"); }').k(1, None, out)
    assert out[0] == 3


def test_strings_that_are_pointed_to(capsys):
    source = r"""constant char text[] = "abc";
    kernel void k(global char *names) {
        size_t i = get_global_id(0);
        constant char *one = i ? "yes" : "no";
        printf("%s %5s %.2s %s %s\n", one, text, text + 1, names + 4 * i, (constant char *)0);
    }"""
    names = np.frombuffer(b"one\0two\0", np.int8).copy()
    cl.Program(source).k(2, None, names)
    expected = "no   abc bc one (null)\nyes   abc bc two (null)\n"
    assert capsys.readouterr().out == expected


REFUSED = {
    r'"%d"': "no argument for %d",
    r'"%d", 1.5f': "%d takes an integer, not double",
    r'"%f", 1': "%f takes a floating-point number, not int",
    r'"%d", (int2)(1)': "%d takes an integer, not int2",
    r'"%v4d", (char4)(1)': "%v4hld does not take char4",
    r'"%v4hlf", (float3)(1)': "%v4hlf does not take float3",
    r'"%v2hlf", (half2)(1)': "%v2hlf does not take half2",
    r'"%v2hx", (uint2)(1)': "%v2hx does not take uint2",
    r'"%v2hhf", (float2)(1)': "%v2hhf has length hh",
    r'"%hf", 1.5f': "%hf has length h",
    r'"%hld", 1': "%hld has length hl",
    r'"%s", 1': "%s takes a string literal",
    r'"%s", &i': "%s takes a string literal, or a pointer to constant or global characters",
    r'"%*d", 5, 1': "expected a conversion of OpenCL C",
    r'"%jd", 1L': "expected a conversion of OpenCL C",
    r'"%n", &i': "expected a conversion of OpenCL C",
    r'"%lc", 1': "%lc has length l",
    r'"%p", 1': "%p takes a pointer, not int",
    r'"50%"': "expected a conversion of OpenCL C",
    "text": "the format must be a string literal",
}


@pytest.mark.parametrize("arguments", REFUSED)
def test_refused_constructs(arguments):
    with pytest.raises(cl.BuildError) as caught:
        cl.Program(
            f"""{ENABLED}constant char text[] = "%d";
            kernel void k(global int *a) {{ int i = 0;
            printf({arguments}); }}"""
        )
    (error,) = [d for d in caught.value.diagnostics if d.severity == "error"]
    assert error.location.line == 5
    assert REFUSED[arguments] in error.message
