"""Objects of the driver and memory, which the layer has to release: without an OpenCL device."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from exhaustive import EXHAUSTIVE, left_out, more
from layer_in_c import SOURCES, compile_program, require_layer

MOCK = Path(__file__).parent / "mock_translator.py"
DRIVER = SOURCES / "tests" / "driver.c"

#: A round makes 36 programs, and builds 9 of them through the translator.
ROUNDS = 1200 if EXHAUSTIVE else 50


def environment(folder: Path) -> dict[str, str]:
    mock = folder / "mock"
    command = shlex.join([sys.executable, "-S", "-E", str(MOCK)])
    mock.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
    mock.chmod(0o700)
    return {**os.environ, "HALFCL_LAYER_PYTHON": str(mock), "MOCK_MARK": str(folder / "mark")}


def run(program: Path, library: Path, rounds: int, threads: int, prefix: tuple[str, ...] = ()):
    result = subprocess.run(
        [*prefix, program, library, str(rounds), str(threads)],
        env=environment(program.parent), capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert result.stdout.endswith("builds\n")


def test_every_reference_is_released(tmp_path):
    library = require_layer()
    program = compile_program(tmp_path, "test_counts.c", [DRIVER], ["-ldl"])
    run(program, library, ROUNDS, 1)
    run(program, library, ROUNDS // 5, 4)


@left_out("the address sanitizer finds the same")
@pytest.mark.skipif(not shutil.which("valgrind"), reason="needs valgrind")
def test_no_memory_is_lost_or_misused(tmp_path):
    library = require_layer()
    program = compile_program(tmp_path, "test_counts.c", [DRIVER], ["-ldl"])
    kinds = "--errors-for-leak-kinds=definite,indirect"
    valgrind = ("valgrind", "-q", "--leak-check=full", kinds, "--error-exitcode=9")
    run(program, library, 5, 2, valgrind)


def test_no_memory_is_an_error_and_no_crash(tmp_path):
    """A round allocates 1,100 times; one allocation fails in each run."""
    require_layer()
    flags = ["-include", str(SOURCES / "tests" / "failing.h"), "-fvisibility=hidden"]
    library = tmp_path / "layer.so"
    program = compile_program(tmp_path, "test_counts.c", [DRIVER], ["-ldl"])
    sources = [*SOURCES.glob("*.c"), SOURCES / "tests" / "failing.c"]
    command = ["cc", "-std=gnu11", "-O1", "-fPIC", "-shared", "-pthread", *flags, *sources]
    subprocess.run([*command, "-o", library, "-ldl"], check=True)
    status = set()
    for k in range(0, 1100, 1 if EXHAUSTIVE else 97):
        result = subprocess.run(
            [program, library, "1", "1"],
            env={**environment(tmp_path), "FAIL_AT": str(k)},
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert result.returncode == 0 or "status -" in result.stderr, (k, result.stderr)
        status.add(result.returncode)
    assert status == {0, 1}


@pytest.mark.parametrize("sanitizer", ["address,undefined", *more("thread")])
def test_sanitizers_find_nothing(tmp_path, sanitizer):
    """The layer's own sources, compiled with a sanitizer, as is the program."""
    require_layer()
    flags = [f"-fsanitize={sanitizer}", "-fno-sanitize-recover=all"]
    library = tmp_path / "layer.so"
    command = ["cc", "-std=gnu11", "-g", "-O1", "-fPIC", "-shared", "-fvisibility=hidden"]
    try:
        program = compile_program(tmp_path, "test_counts.c", [DRIVER], [*flags, "-ldl"])
        subprocess.run(
            [*command, "-pthread", *flags, *SOURCES.glob("*.c"), "-o", library, "-ldl"], check=True
        )
    except subprocess.CalledProcessError:
        pytest.skip(f"the compiler has no {sanitizer} sanitizer")
    # The thread sanitizer needs addresses that are not random.
    prefix = ("setarch", "-R") if shutil.which("setarch") else ()
    run(program, library, 10, 4, prefix)
