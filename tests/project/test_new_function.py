"""The recipe of a new function: few files name one, and a tool writes the skeleton."""

import re
import shutil
import subprocess
import sys

import pytest
from places import ROOT

from halfcl._tables import TABLE

pytestmark = pytest.mark.skipif(
    not (ROOT / "tools").exists(), reason="the sources are not beside the tests"
)


#: Files that are made by tools, or store results.
MADE = re.compile(r"\.pyi$|kernels\.h$|digests\.json$|/golden/")


def files_that_name(name):
    """Return the files outside docs that name a function, except those that tools make."""
    if not shutil.which("git"):
        pytest.skip("git, which lists the sources, is not installed")
    command = ["git", "grep", "-lw", name, "--", "src", "csrc", "tests", "tools", "bench"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if result.returncode > 1:
        pytest.skip("the sources are in no git repository")
    return [path for path in result.stdout.splitlines() if not MADE.search(path)]


@pytest.mark.parametrize("name", [row.name for row in TABLE if row.is_smooth and not row.opencl])
def test_few_files_name_a_function(name):
    files = files_that_name(name)
    assert len(files) <= 12, files


def test_skeleton_names_the_function_in_each_place(tmp_path):
    for folder in ("src/halfcl/_tables", "csrc/exact", "csrc/kernels", "csrc/device"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    for file in ("tools/new_function.py", "tests/helpers/oracle_mpfr.py"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, tmp_path / file)
    shutil.copy(ROOT / "tests/helpers/edge_cases.txt", tmp_path / "tests/helpers")
    command = [sys.executable, tmp_path / "tools" / "new_function.py"]
    result = subprocess.run([*command, "exp3m1"], capture_output=True, text=True, check=True)
    files = result.stdout.split()
    assert len(files) == 7
    for file in files:
        copied = (tmp_path / file).read_text(encoding="utf-8")
        original = (ROOT / file).read_text(encoding="utf-8")
        assert copied.count("exp3m1") == copied.count("exp2m1") > 0
        lines = [line for line in copied.splitlines() if "exp3m1" not in line]
        assert set(original.splitlines()) <= {*lines}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["Exp3"], "name: expected small letters and digits"),
        (["exp3m1", "--like", "nothing"], "--like: expected a function of the table"),
        (["fabs2", "--like", "fabs"], "--like: expected a function with a reference"),
    ],
)
def test_skeleton_refuses(arguments, message):
    command = [sys.executable, ROOT / "tools" / "new_function.py", *arguments]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 2 and message in result.stderr
