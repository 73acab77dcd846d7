"""What the packages are made from agrees with itself: versions, and what the sdist has."""

import re
import subprocess
import tomllib
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

import halfcl as hc

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parent.parent
if not (ROOT / "MANIFEST.in").exists():
    pytest.skip("the sources are not beside the tests", allow_module_level=True)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_one_version():
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert re.search(r"^version: (.*)$", text("CITATION.cff"), re.MULTILINE)[1] == hc.__version__
    assert hc.__version__ in text("CHANGELOG.md")
    with suppress(PackageNotFoundError):  # run from the sources
        assert version("halfcl") == hc.__version__


def test_versions_of_python_are_those_that_wheels_are_built_for():
    oldest = PROJECT["project"]["requires-python"].removeprefix(">=3.")
    built = [name.removeprefix("cp3").removesuffix("-*") for name in
             PROJECT["tool"]["cibuildwheel"]["build"]]  # fmt: skip
    assert built[0] == oldest and built == ["11", "12", "13", "14", "14t"]


def tracked():
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a repository of git")
    return {name for name in listed.split("\0") if name and (ROOT / name).is_file()}


def test_the_sdist_has_all_but_what_is_of_the_repository():
    """By MANIFEST.in, as setuptools reads it."""
    filelist = pytest.importorskip("setuptools._distutils.filelist").FileList()
    names = tracked()
    filelist.allfiles = [*names, "src/halfcl/_core/native.so", "csrc/build/x.o", "a.pyc"]
    for line in text("MANIFEST.in").splitlines():
        filelist.process_template_line(line)
    listed = set(filelist.files)
    assert listed <= names
    of_the_repository = (".git", ".pre-commit", "setup.py", "pyproject.toml", "MANIFEST.in")
    missing = {name for name in names - listed if not name.startswith(of_the_repository)}
    assert missing == set(), "MANIFEST.in leaves them out"


def test_actions_are_pinned():
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        for used in re.findall(r"uses: (.*)", path.read_text(encoding="utf-8")):
            assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", used), (path.name, used)
