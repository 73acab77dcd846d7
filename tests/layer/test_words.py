"""Texts start a translator if they have a word that brings halves or rounding modes."""

import subprocess
from pathlib import Path

import pytest
from layer_in_c import SOURCES, compile_program

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
    names = ("words.c", "includes.c", "text.c", "system_posix.c", "environment.c")
    return compile_program(
        tmp_path_factory.mktemp("words"), "test_words.c",
        sources=[SOURCES / name for name in names], flags=["-ldl"],
    )  # fmt: skip


def ask(program: Path, texts: list[str], *arguments: str, cwd: Path | None = None) -> list[bool]:
    lines = "".join(text.replace("\n", r"\n") + "\n" for text in texts)
    answer = subprocess.run(
        [program, *arguments], input=lines, capture_output=True, text=True, check=True, cwd=cwd
    )
    return [line == "1" for line in answer.stdout.splitlines()]


def test_words_that_bring_halves_or_modes(program):
    answers = ask(program, NEED)
    assert [text for text, answer in zip(NEED, answers, strict=True) if not answer] == []


def test_texts_without_such_words(program):
    answers = ask(program, NEED_NOT)
    assert [text for text, answer in zip(NEED_NOT, answers, strict=True) if answer] == []


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("files")
    files = {
        "plain.h": '#include "inner/a.h"\n#include <plain.h>\n', "inner/a.h": '# include "b.h"\n',
        "inner/b.h": "/* half */", "modes.h": "#pragma OPENCL SELECT_ROUNDING_MODE rtp\n",
        "inner/deep.h": '#if 0\n#include "../modes.h"\n#endif\n', "part.h": "#define P my_half\n",
        "round/about.h": '#include "../round/about.h"\n', "cut.h": "int x; /* half",
    }  # fmt: skip
    for name, text in files.items():
        (path / name).parent.mkdir(exist_ok=True)
        (path / name).write_text(text)
    return path


@pytest.mark.parametrize(
    ("source", "options"),
    [
        ('#include "plain.h"\n', "-I ."),
        ("#include <b.h>\n", "-I inner"),
        ("  #  include <b.h> // why\n", "-DA -Iinner -w"),
        (r"#inc\\nlude <b.h>", "-I  inner"),
        ('#include "cut.h"', ""),
    ],
)
def test_included_files_without_halves_and_modes(program, folder, source, options):
    assert ask(program, [source], options, cwd=folder) == [False]
    path = folder / "inner" / "a.h"
    assert ask(program, [f'#include "{path}"'], cwd=folder) == [False]


@pytest.mark.parametrize(
    ("source", "options"),
    [
        ('#include "modes.h"', ""),
        ('#include "part.h"', ""),  # a macro may make half of it
        ('#include "round/about.h"', ""),  # without end
        ("#include <deep.h>", "-Iinner"),
        ("#include NAME", "-DNAME=<b.h>"),
        ("#include <none.h>", "-Iinner"),
        ("#include <b.h>", ""),
        ("#include <b.h>", "-I"),
        ("#include <b.h>", '-I "inner"'),  # more than the layer reads itself
        ('#include "b.h', "-Iinner"),
        ('#include "inner"', ""),
        ('#include "/dev/zero"', ""),
        ('%: include "modes.h"', ""),
        ("#/* */include /* */ <b.h>", "-Iinner"),
    ],
)
def test_all_other_includes_are_looked_at_closely(program, folder, source, options):
    assert ask(program, [source], options, cwd=folder) == [True]


def test_headers_in_memory_are_no_files(program, folder):
    assert ask(program, ["#include <m.h>", "#include <n.h>"], "", "m.h") == [False, True]
