"""Texts start a translator if they have a word that brings halves or rounding modes."""

import subprocess
from pathlib import Path

import pytest
from layer_programs import SOURCES, compile_program

NEED = [
    "half x;",
    "half",
    "global half4*p",
    "x=(half2)(1)",
    "convert_half4_rtp(x)",
    "as_half2(x)",
    "vload_half(0, p)",
    "vstorea_half16_rte(x, 0, p)",
    "vloada_half3(0, p)",
    r"#pragma OPENCL SELECT_ROUNDING_MODE rtz\nfloat x;",
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable",
    "#if __ROUNDING_MODE__",
    "#ifdef cl_khr_select_fprounding_mode",
    "#ifdef __opencl_c_fp16",
    '#include "a.h"',
    "#  include <a.h>",
    "%:include <a.h>",
    r"#\n/* x */include MACRO",
    "float x = 1.0h;",
    "x = 1H;",
    "HALF_MAX",
    "M_PI_H",
    "read_imageh(image, xy)",
    "write_imageh(image, xy, c)",
    r"ha\\nlf x;",
    r"ha\ \nlf x;",
    "#define F(t) cl_##t##_half\nF",
    '_Pragma("OPENCL SELECT_ROUNDING_MODE rtp")',
    r"/* x */half y;",
    r"// x\nhalf y;",
    '"/*" half y; "*/"',
    "'\"' half y; '\"'",
    r'"\"" half y;',
    r"#error don't /* this\nhalf y;",
    r"'\'' half",
    "/* /* */ half",
    '"http://x"; half a;',
    r"#error unbalanced \" half",
]

NEED_NOT = [
    "",
    "float x;",
    "// half",
    "/* half */",
    r"/* \n half \n */ float x;",
    r"// x \\n half\nfloat y;",
    'printf("half");',
    "int half_width = halfway;",
    "half_sqrt(x) + native_sqrt(x)",
    "int cl_half_; float Half, behalf;",
    "x = 0x1F + 12u + 1.0f;",
    "int includes;",
    "/* half",
    "// half",
    "/*/ half */",
]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return compile_program(
        tmp_path_factory.mktemp("words"), "test_words.c", sources=[SOURCES / "words.c"]
    )


def ask(program: Path, texts: list[str]) -> list[bool]:
    lines = "".join(text.replace("\n", r"\n") + "\n" for text in texts)
    answer = subprocess.run([program], input=lines, capture_output=True, text=True, check=True)
    return [line == "1" for line in answer.stdout.splitlines()]


def test_words_that_bring_halves_or_modes(program):
    answers = ask(program, NEED)
    assert [text for text, answer in zip(NEED, answers, strict=True) if not answer] == []


def test_texts_without_such_words(program):
    answers = ask(program, NEED_NOT)
    assert [text for text, answer in zip(NEED_NOT, answers, strict=True) if answer] == []
