"""The parts of the site are complete, without a build, which `make -C docs` does."""

import fnmatch
import importlib
import os
import re
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest
from places import ROOT

import halfcl as hc

DOCS = ROOT / "docs"
sys.path += [str(DOCS / "_ext"), str(ROOT / "tools")]

import dependency_picture  # noqa: E402
import doubles  # noqa: E402
import groups  # noqa: E402
import make_opencl_map  # noqa: E402
import plots  # noqa: E402
import reference_pages  # noqa: E402
import source_links  # noqa: E402

pytestmark = pytest.mark.once

GENERATED = ("_build", "gallery", "generated")


def pages():
    """Return the pages that people have written."""
    pages = sorted(DOCS.glob("**/*.md"))
    return [path for path in pages if not set(GENERATED) & set(path.relative_to(DOCS).parts)]


def entries(page):
    """Return the pages in a page's tables of contents, as paths without suffixes."""
    blocks = re.findall(
        r"^```\{toctree\}\n(.*?)^```", page.read_text(encoding="utf-8"), re.S | re.M
    )
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    names = [re.sub(r".*<(.*)>$", r"\1", line) for line in lines if line and line[0] != ":"]
    return [os.path.normpath((page.parent / name).relative_to(DOCS)) for name in names]


def test_every_page_is_in_a_table_of_contents():
    names = {str(page.relative_to(DOCS).with_suffix("")): page for page in pages()}
    reached, waiting = {"index"}, ["index"]
    while waiting:
        for entry in entries(names[waiting.pop()]):
            matches = set(fnmatch.filter(names, entry))
            outside = set(GENERATED) & set(Path(entry).parts)
            assert matches or outside, f"no page is {entry}"
            waiting += matches - reached
            reached |= matches
    assert reached == set(names)


def anchors(page):
    """Return the fragments of a page's headings, as GitHub and MyST make them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    headings = re.findall(r"^#+ +(.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(DOCS)))
def test_links(page):
    """Links between files, and to headings in them, have targets."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    for target, fragment in re.findall(r"\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)", text):
        path = (page.parent / target).resolve() if target else page
        is_generated = set(GENERATED) & set(Path(target).parts)
        assert is_generated or path.exists(), target
        assert not fragment or fragment in anchors(path), f"{target}#{fragment}"


def test_links_on_the_site():
    def rewrite(text):
        return source_links.rewrite(
            text, DOCS / "howto" / "kernels.md", DOCS / "howto" / "kernels.md", DOCS
        )

    assert rewrite("[a](../../tests/cl/scripts) [b](io.md#x)") == "a [b](io.md#x)"
    assert rewrite("[c](../../CONTRIBUTING.md)") == "[c](../project/contributing.md)"
    assert (
        rewrite("[d](../explanation/gallery_src/plot_spacing.py)")
        == "[d](../explanation/gallery/plot_spacing.rst)"
    )
    contributing = source_links.source(
        "<!-- site: ../../CONTRIBUTING.md -->\n", DOCS / "project" / "p.md", DOCS
    )
    assert contributing.startswith("# Working on halfcl") and "](architecture.md)" in contributing


def test_opencl_map_links_to_the_reference():
    page = DOCS / "reference" / "opencl.md"
    text = source_links.source(page.read_text(encoding="utf-8"), page, DOCS)
    linked = re.findall(r"\]\(generated/(\w+)\.rst\)", text)
    assert linked == [row.name for row in groups.rows() if row.opencl]


def test_reference_has_every_public_name():
    assert not {name for name in hc._reachable() if not name.startswith("_")} - groups.documented()


def test_groups_name_existing_functions():
    for group in groups.groups():
        module = group.imported()
        for name in (*group.names, *group.tabled):
            assert hasattr(module, name), f"{group.slug}: {name}"
        for name, pattern in group.families:
            assert re.fullmatch(pattern, name) and name in groups.members(pattern)
        if group.module != "halfcl" and group.slug != "accumulator":
            assert {*group.names, *group.tabled} == set(module.__all__)


def test_the_reference_names_its_groups():
    listed = entries(DOCS / "reference" / "index.md")
    known = {f"reference/generated/group_{group.slug}" for group in groups.groups()}
    named = {entry for entry in listed if "*" not in entry}
    assert {entry for entry in named if "group_" in entry} <= known
    assert all(any(fnmatch.fnmatch(name, entry) for entry in listed) for name in known)


def test_a_page_for_each_function():
    texts = reference_pages.pages()
    for row in groups.rows():
        text = texts[f"{row.name}.rst"]
        assert f".. autofunction:: halfcl.{row.name}\n" in text and row.spec in text
        if row.opencl:
            assert reference_pages.limit(row.limit) in text
        for _, _, file in plots.pictures(row):
            assert f"plots/{file}" in text
        assert f":ref:`{row.name} <function-{row.name}>`" in texts["functions.rst"]


def test_names_by_rule():
    """The patterns in the tables of names, spelled out, are the names."""
    for group in groups.groups():
        for _, pattern in group.families:
            names = groups.members(pattern)
            spelled = [
                f"{stem}{width}{ending}"
                for stem, widths, endings in reference_pages.by_rule(names)
                for width in widths
                for ending in endings
            ]
            assert sorted(spelled) == sorted(names)
    text = reference_pages.pages()["suffixed.rst"]
    for row in groups.rows():
        assert all(f"``{row.name}_{mode}``" in text for mode in hc.MODES)


def test_fields_of_a_class():
    """Fields are listed only where a paragraph has nothing else."""
    fields = ["What.", "", "a, b: two", "    things.", "c: one.", "", "Note: this", "is text."]
    assert reference_pages._fields(fields) == [
        "What.", "", ":a, b: two", "    things.", ":c: one.", "", "Note: this", "is text."
    ]  # fmt: skip


def rounded_rows():
    return [row for row in groups.rows() if row.governed != "exact"]


@pytest.mark.parametrize("row", rounded_rows(), ids=lambda row: row.name)
def test_doubles_are_near_the_function(row):
    """The reference of the error plots is within half an ulp of the nearest, wherever drawn."""
    if row.signature or row.inputs == "ee":
        arguments = plots._on_plane(row, *plots._plane())
    else:
        x = plots._FINITE if row.inputs[0] == "e" else plots._codes(row)
        arguments = plots._with(plots._curves(row)[0][1], x)
    right = plots._of_vector(row, doubles.exact(row.name, arguments))
    got = plots._of_vector(row, plots._call(row, arguments)[0])
    errors = plots._errors(row, got, right)
    assert np.isfinite(errors).sum() > 100
    assert np.nanmax(np.abs(errors)) < 0.5 + 1e-3


def test_pictures(tmp_path):
    """Pictures are drawn, kept, and drawn again when their sources have changed."""
    rows = [row for row in groups.rows() if row.name in ("exp", "hypot", "isnan")]
    plots.draw_all(rows, tmp_path, 1)
    drawn = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("*.png")}
    assert set(drawn) == {file for row in rows for _, _, file in plots.pictures(row)}
    (tmp_path / "hypot.digest").write_text("another")
    plots.draw_all(rows, tmp_path, 1)
    again = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("*.png")}
    assert {name.split("-")[0] for name in drawn if again[name] != drawn[name]} == {"hypot"}


def test_the_picture_of_dependencies():
    picture = dependency_picture.draw(
        "a[top] --> b[middle]\nb[middle] --> c[ground]\na[top] --> c[ground]"
    )
    tops = dict(re.findall(r'<text x="\d+" y="(\d+)">(\w+)<', picture))
    assert [name for _, name in sorted((int(y), n) for y, n in tops.items())] == [
        "top", "middle", "ground"
    ]  # fmt: skip
    assert picture.count("<path") == 3


def test_the_map_from_opencl_is_up_to_date():
    page = make_opencl_map.PAGE.read_text(encoding="utf-8")
    start, end = make_opencl_map.MARKS
    assert page.split(start)[1].split(end)[0] == make_opencl_map.table()


@pytest.mark.parametrize(
    "script", sorted(DOCS.glob("explanation/gallery_src/*.py")), ids=lambda path: path.stem
)
def test_gallery(script, monkeypatch):
    """Each script runs, draws, and begins with a title."""
    plt = importlib.import_module("matplotlib.pyplot")
    monkeypatch.setattr(plt, "show", lambda: None)
    before = set(plt.get_fignums())
    title, line = (runpy.run_path(str(script))["__doc__"] or "").strip().splitlines()[:2]
    drawn = set(plt.get_fignums()) - before
    for number in drawn:
        plt.close(number)
    assert drawn and set(line) == {"="} and len(line) == len(title)
