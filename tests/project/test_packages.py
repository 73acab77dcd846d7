"""The sources of the packages are consistent: versions, and the content of the sdist."""

import json
import re
import subprocess
import sys
import tomllib
from contextlib import suppress
from datetime import date
from importlib.metadata import PackageNotFoundError, version

import pytest
from places import ROOT

import halfcl as hc

pytestmark = pytest.mark.once

if not (ROOT / "MANIFEST.in").exists():
    pytest.skip("the sources are not beside the tests", allow_module_level=True)
sys.path.append(str(ROOT / "tools"))

import add_site_version  # noqa: E402
import release_notes  # noqa: E402
import set_version  # noqa: E402

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def sections(changelog):
    """Return the headings of versions, each with its day if it has one."""
    return re.findall(r"^## (\S+)(?: - (\S+))?$", changelog, re.MULTILINE)


def test_one_version():
    """All places with the version agree (tools/set_version.py)."""
    assert PROJECT["project"]["dynamic"] == ["version"]
    for name, pattern, format_version in set_version.PLACES:
        versions = re.findall(pattern, text(name), re.MULTILINE)
        assert versions == [format_version(hc.__version__)], name
    with suppress(PackageNotFoundError):  # run from the sources
        assert version("halfcl") == hc.__version__


def test_changelog_and_citation_have_the_same_releases():
    listed = sections(text("CHANGELOG.md"))
    assert listed[0] == ("Unreleased", "")
    assert all(date.fromisoformat(day) for _, day in listed[1:])
    days = re.findall(r"^date-released: (.*)$", text("CITATION.cff"), re.MULTILINE)
    assert listed[1:2] == [(hc.__version__, day) for day in days]


def test_changelog_has_the_usual_kinds_of_changes():
    kinds = set(re.findall(r"^### (.*)$", text("CHANGELOG.md"), re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_a_version_is_set_by_one_command(tmp_path):
    names = ["CHANGELOG.md", *(name for name, _, _ in set_version.PLACES)]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text(name), encoding="utf-8")
    for new, day in (("9.0.0", "2030-01-02"), ("9.0.1", "2030-02-03")):
        set_version.set_version(tmp_path, new, date.fromisoformat(day))
        written = {name: (tmp_path / name).read_text(encoding="utf-8") for name in names}
        assert f'__version__ = "{new}"\n' in written["src/halfcl/__init__.py"]
        assert f"\nversion: {new}\ndate-released: {day}\n" in written["CITATION.cff"]
        assert "Development Status :: 5 - Production/Stable" in written["pyproject.toml"]
        assert sections(written["CHANGELOG.md"])[:2] == [("Unreleased", ""), (new, day)]


def test_a_version_is_set_in_all_files_or_none(tmp_path):
    for name in ("CHANGELOG.md", *(name for name, _, _ in set_version.PLACES)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text(name), encoding="utf-8")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="Unreleased"):
        set_version.set_version(tmp_path, "9.0.0", date(2030, 1, 2))
    assert (tmp_path / "CITATION.cff").read_text(encoding="utf-8") == text("CITATION.cff")


def test_release_notes():
    changelog = (
        "# C\n\n## Unreleased\n\n## 1.1.0 - 2030-01-01\n\n### Fixed\n- a\n\n## 1.0.0 - x\n- b\n"
    )
    assert release_notes.notes(changelog, "1.1.0") == "### Fixed\n- a\n"
    assert release_notes.notes(changelog, "1.0.0") == "- b\n"
    with pytest.raises(SystemExit, match=r"1\.0"):
        release_notes.notes(changelog, "1.0")


def test_versions_of_the_site(tmp_path):
    built, site = tmp_path / "built", tmp_path / "site"
    built.mkdir()
    with pytest.raises(SystemExit, match=r"index\.html"):
        add_site_version.add(built, site, "dev", "https://x.example")
    (built / "index.html").write_text("page")
    for name in ("dev", "v0.9.0", "1.0.0rc1", "0.10.1", "0.9.1"):
        add_site_version.add(built, site, name, "https://x.example/")
    listed = json.loads((site / "switcher.json").read_text())
    assert [(v["version"], v["preferred"]) for v in listed] == [
        ("0.10", True), ("0.9", False), ("dev", False)
    ]  # fmt: skip
    assert listed[0]["url"] == "https://x.example/0.10/"
    assert (site / "0.9" / "index.html").read_text() == "page"
    assert "url=0.10/" in (site / "index.html").read_text()
    with pytest.raises(SystemExit, match="main"):
        add_site_version.folder_of("main")


def test_citation():
    """The citation has the fields that the Citation File Format requires, and only known ones."""
    yaml = pytest.importorskip("yaml")
    citation = yaml.safe_load(text("CITATION.cff"))
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert set(citation) <= {
        "abstract", "authors", "cff-version", "date-released", "doi", "keywords", "license",
        "message", "repository-code", "title", "type", "url", "version",
    }  # fmt: skip
    assert citation["cff-version"] == "1.2.0" and citation["type"] == "software"
    assert citation["license"] == PROJECT["project"]["license"]
    assert citation["authors"] == PROJECT["project"]["authors"]


def test_conda_recipe_needs_what_the_project_needs():
    yaml = pytest.importorskip("yaml")
    recipe = yaml.safe_load(text("packaging/conda/recipe.yaml"))
    needs = recipe["requirements"]
    built_by = {line.replace(" ", "") for line in needs["host"]} - {"python", "pip"}
    assert built_by == set(PROJECT["build-system"]["requires"])
    run = {line.replace(" ", "") for line in needs["run"]} - {"python"}
    assert run == set(PROJECT["project"]["dependencies"])
    oldest = PROJECT["project"]["requires-python"].removeprefix(">=")
    assert recipe["build"]["skip"][0] == f'match(python, "<{oldest}")'
    assert recipe["about"]["license"] == PROJECT["project"]["license"]
    assert recipe["about"]["summary"] == PROJECT["project"]["description"]
    scripts = [f"{name} = {what}" for name, what in PROJECT["project"]["scripts"].items()]
    assert recipe["build"]["python"]["entry_points"] == scripts


def test_environment_of_conda_has_what_the_project_needs():
    yaml = pytest.importorskip("yaml")
    environment = yaml.safe_load(text("environment.yml"))
    needs = [line for line in environment["dependencies"] if isinstance(line, str)]
    versions = dict(line.partition(" ")[::2] for line in needs)
    assert versions["python"] == PROJECT["project"]["requires-python"]
    assert {
        name + versions[name] for name in versions if name not in ("python", "pip", "c-compiler")
    } == set(PROJECT["project"]["dependencies"])
    assert {"pip": ["."]} in environment["dependencies"]


def test_container_of_editors_installs_what_contributors_need():
    container = json.loads(text(".devcontainer/devcontainer.json"))
    command = re.findall(r"^(pip install .*)$", text("CONTRIBUTING.md"), re.MULTILINE)[0]
    assert container["postCreateCommand"] == f"python -m {command}"
    base = re.match(r"(?s).*^FROM python:(3\.\d+)", text(".devcontainer/Dockerfile"), re.MULTILINE)[
        1
    ]
    assert f"Programming Language :: Python :: {base}" in PROJECT["project"]["classifiers"]


def test_licence_is_stated_once():
    assert not [c for c in PROJECT["project"]["classifiers"] if c.startswith("License ::")]


def test_python_versions_are_those_of_the_wheels():
    oldest = PROJECT["project"]["requires-python"].removeprefix(">=3.")
    built = [name.removeprefix("cp3").removesuffix("-*") for name in
             PROJECT["tool"]["cibuildwheel"]["build"]]  # fmt: skip
    assert built[0] == oldest and built == ["11", "12", "13", "14", "14t"]
    named = [c.rpartition(" :: 3.")[2] for c in PROJECT["project"]["classifiers"] if " :: 3." in c]
    assert named == [name for name in built if name.isdigit()]


def tracked_files():
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a repository of git")
    return {name for name in listed.split("\0") if name and (ROOT / name).is_file()}


#: Files that builds write.
BUILT = (
    "src/halfcl/_core/native.so", "src/halfcl/device/kernels.h", "src/halfcl/__init__.pyi",
    "src/halfcl/_callables.pyi",
    "src/halfcl/vectors/__init__.pyi", "src/halfcl/device/preludes/cuda/double_tables.h",
    "src/halfcl/device/preludes/cpp/srgb.h", "csrc/build/x.o", "a.pyc",
)  # fmt: skip


def test_sdist_has_all_but_repository_files():
    """The sdist follows MANIFEST.in, as setuptools reads it."""
    filelist = pytest.importorskip("setuptools._distutils.filelist").FileList()
    names = tracked_files()
    filelist.allfiles = [*names, *BUILT]
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


# ---------------------------------------------------------------- extras

EXTRAS = PROJECT["project"]["optional-dependencies"]

#: Extras for work on halfcl, and those whose packages exclude each other.
NOT_OF_ALL = {"all", "bench", "dev", "docs", "test", "cuda12", "cuda13"}


def packages_of(extra):
    """Return the packages that an extra installs."""
    packages = set()
    for requirement in EXTRAS[extra]:
        parts = re.fullmatch(r"halfcl\[(.*)\]", requirement)
        if parts:
            packages |= set().union(*map(packages_of, parts[1].split(",")))
        else:
            packages.add(re.match(r"[\w-]+", requirement)[0].lower())
    return packages


def test_all_installs_what_the_other_extras_install():
    others = (packages_of(extra) for extra in EXTRAS.keys() - NOT_OF_ALL)
    assert packages_of("all") == set().union(*others)


def test_extras_do_more_than_show_progress():
    assert [extra for extra in EXTRAS if packages_of(extra) <= {"tqdm"}] == []


def test_pages_and_messages_name_extras_that_exist():
    files = (
        path
        for folder in ("src", "docs", "examples")
        for suffix in ("py", "md")
        for path in (ROOT / folder).rglob(f"*.{suffix}")
    )
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *files):
        content = path.read_text(encoding="utf-8")
        for extras in re.findall(r"""["'](?:\.|halfcl)\[([a-z0-9,]+)\]["']""", content):
            assert set(extras.split(",")) <= EXTRAS.keys(), path


def test_guide_lists_all_extras():
    table = re.search(r"^\| Extra \|(.*?)\n\n", text("docs/howto/installing.md"), re.M | re.S)[1]
    rows = (row.partition("|")[0] for row in re.findall(r"^\| (`.*)", table, re.M))
    assert sorted(name for row in rows for name in re.findall(r"`(\w+)`", row)) == sorted(EXTRAS)
