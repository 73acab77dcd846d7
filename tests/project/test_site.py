"""The parts of the site are complete, without a build, which `make -C docs` does."""

import fnmatch
import functools
import importlib
import inspect
import json
import os
import re
import runpy
import sys
import types
from pathlib import Path

import numpy as np
import pytest
from browser import dump_page, needs_chromium
from exhaustive import one_in
from places import ROOT

import halfcl as hc

DOCS = ROOT / "docs"
sys.path += [str(DOCS / "_ext"), str(ROOT / "tools")]

import dependency_picture  # noqa: E402
import doubles  # noqa: E402
import groups  # noqa: E402
import make_float_functions  # noqa: E402
import make_opencl_map  # noqa: E402
import plots  # noqa: E402
import reference_pages  # noqa: E402
import source_links  # noqa: E402
import tables  # noqa: E402

pytestmark = pytest.mark.once

GENERATED = ("_build", "gallery", "generated")


def pages():
    """Return the pages that people have written."""
    pages = sorted(DOCS.glob("**/*.md"))
    return [path for path in pages if not set(GENERATED) & set(path.relative_to(DOCS).parts)]


@functools.cache
def reference():
    """Return the texts of the reference's pages, which a tool makes, by names of files."""
    return reference_pages.pages()


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
    assert (
        rewrite("[e](../explanation/gallery_src/notebooks/plot_rounding_lecture.py)")
        == "[e](../explanation/gallery/notebooks/plot_rounding_lecture.rst)"
    )
    contributing = source_links.source(
        "<!-- site: ../../CONTRIBUTING.md -->\n", DOCS / "project" / "p.md", DOCS
    )
    assert contributing.startswith("# Working on halfcl") and "](architecture.md)" in contributing


def test_landing_page_has_version_and_addresses(monkeypatch):
    """Addresses are those of pyproject.toml; a workflow knows its repository."""
    for name in ("GITHUB_REPOSITORY", "GITHUB_SERVER_URL"):
        monkeypatch.delenv(name, raising=False)
    page = DOCS / "index.md"
    text = source_links.source(page.read_text(encoding="utf-8"), page, DOCS)
    line = text.split("\n\n")[1]
    assert line.startswith(f"Version {hc.__version__} · [")
    assert "](project/changelog.md)" in line and "](project/citing.md)" in line
    of_workflow = {"GITHUB_REPOSITORY": "a/b", "GITHUB_SERVER_URL": "https://host"}
    urls = source_links.addresses({"urls": {"Index": "https://x/y"}}, of_workflow)
    assert urls == {"Index": "https://x/y", "Source": "https://host/a/b"}
    assert source_links.addresses({"urls": {"Source": "s"}}, of_workflow) == {"Source": "s"}
    assert source_links.addresses({}, {}) == {}
    assert source_links.version_line(urls).endswith(
        " · [Index](https://x/y) · [Source](https://host/a/b) · "
    )


def test_landing_page_has_the_gallery():
    """The landing page shows every script of the gallery."""
    page = (DOCS / "index.md").read_text(encoding="utf-8")
    patterns = re.findall(r"^\.\. minigallery:: (.*)$", page, re.M)
    shown = {path for pattern in patterns for path in DOCS.glob(pattern)}
    assert shown == set(DOCS.glob("explanation/gallery_src/**/plot_*.py")) != set()


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
    texts = reference()
    for row in groups.rows():
        text = texts[f"{row.name}.rst"]
        assert f".. autofunction:: halfcl.{row.name}\n" in text and row.spec in text
        if row.opencl:
            assert reference_pages.limit(row.limit) in text
        for _, _, file in plots.pictures(row):
            assert f"plots/{file}" in text
        assert f":ref:`{row.name} <function-{row.name}>`" in texts["functions.rst"]


@pytest.mark.parametrize("row", groups.rows(), ids=lambda row: row.name)
def test_function_page_says_it_once(row):
    """Accuracy, special values and source are in the table, and not again in the docstring."""
    lines = docstring_on_page(row)
    assert ".. rubric:: Examples" in lines and not any("rubric:: Notes" in line for line in lines)
    page = reference()[f"{row.name}.rst"] + "\n".join(lines)
    assert page.count("   * - Accuracy\n") == 1 and "Accuracy:" not in page
    assert "Source:" not in page and page.count(f"     - {row.spec}\n") == 1
    assert page.count(f"\n{row.summary}\n") == 1
    values = reference_pages._bars(reference_pages._line(row.edge_cases))
    assert not values or page.count(values) == 1
    help_text = getattr(hc, row.name).__doc__
    assert all(text in help_text for text in ("Accuracy: ", f"Source: {row.spec}.", row.summary))


def docstring_on_page(row):
    """Return the lines of a function's docstring on its page, as after numpydoc's titles."""
    text = inspect.getdoc(getattr(hc, row.name)).partition("\n\n")[2]
    text = re.sub(r"^(Notes|Examples)\n-+\n", r".. rubric:: \1\n\n", text, flags=re.M)
    lines = text.split("\n")
    reference_pages._plain_text(None, "function", f"halfcl.{row.name}", None, None, lines)
    return lines


@needs_chromium
def test_search_puts_own_names_first(tmp_path):
    """A name in fewer modules comes first among equal matches; other orders stay as they are."""
    results = {
        "own": ["sqrt", "halfcl.sqrt", "#a", "Python function, in sqrt", 16, "a"],
        "part": ["i", "halfcl.interval.sqrt", "#b", "Python function, in interval", 16, "b"],
        "deep": ["d", "halfcl.a.b.c.d.sqrt", "#b", "Python function, in d", 16, "b"],
        "partial": ["r", "halfcl.rsqrt", "#c", "Python function, in rsqrt", 11, "c"],
        "title": ["sqrt", "sqrt, of v2.5", "", None, 16, "a"],
    }
    script = (DOCS / "_ext" / "search_scorer.js").read_text(encoding="utf-8")
    (tmp_path / "page.html").write_text(
        f"<title></title><script>{script}; const results = {json.dumps(results)};"
        "document.title = JSON.stringify(Object.entries(results).map("
        "([name, result]) => [name, Scorer.score(result)]))</script>"
    )
    dumped = dump_page(tmp_path / "page.html")
    scores = dict(json.loads(re.search(r"<title>(.*?)</title>", dumped)[1]))
    names = sorted(scores, key=scores.get, reverse=True)
    assert names == ["title", "own", "part", "deep", "partial"]
    assert scores["title"] == 16


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
    text = reference()["suffixed.rst"]
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


@one_in(3)
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


def test_cells_as_programs_read_them():
    cells = {
        "65,536": "65536", "1,234,567.5": "1234567.5", "6,586 (4.93)": "6586 (4.93)",
        "\N{MINUS SIGN}3": "-3", "0.22, 0.97": "0.22, 0.97", "1,23": "1,23",
        "1.234,567": "1.234,567", "a\n b": "a b", "sum, 1,024": "sum, 1024",
    }  # fmt: skip
    assert {text: tables.plain(text) for text in cells} == cells


def test_only_tables_of_figures_become_files():
    assert tables.has_figures([["", "n"], ["exp", "1"]])
    assert tables.has_figures([["", "a", "b"], ["exp", "", "-1.5e-3"]])
    assert not tables.has_figures([["2024", "1"], ["1", "words"], ["2", "3 words"]])


def test_heat_follows_error_and_limit():
    assert tables.heat("", False) == "none"
    assert tables.heat("0", False) == "right"
    assert tables.heat("1,301", False) == "hair"
    assert tables.heat("187,709 (1.86)", False) == "more"
    assert tables.heat("15", True) == tables.heat("11,382 (8)", True) == "beyond"
    assert tables.heat("44,438 (1.1e+04)", True) == "far"


def test_tables_of_a_page_are_files(tmp_path):
    """A page's tables are coloured, written, and linked; those without figures are left alone."""
    core = pytest.importorskip("docutils.core", reason="without the extra 'docs'")
    rst = """
Title
=====

.. raw:: html

   <!-- heat map -->

==== ======= ==========
name torch   numpy
==== ======= ==========
exp  1,234   **3 (9)**
==== ======= ==========

==== =====
name words
==== =====
exp  none
==== =====
"""
    doctree = core.publish_doctree(rst, settings_overrides={"doctitle_xform": False})
    builder = types.SimpleNamespace(format="html")
    app = types.SimpleNamespace(builder=builder, outdir=tmp_path)
    tables._resolve(app, doctree, "evidence/half/page")
    (file,) = tmp_path.rglob("*.csv")
    assert file == tmp_path / "_figures" / "evidence" / "half" / "page" / "title.csv"
    assert file.read_text(encoding="utf-8") == "name,torch,numpy\nexp,1234,3 (9)\n"
    first, second = doctree.findall(lambda node: node.tagname == "table")
    assert first["classes"] == ["heat"] and second["classes"] == []
    classes = [entry["classes"] for entry in first.findall(lambda node: node.tagname == "entry")]
    assert classes[-2:] == [["heat-hair"], ["heat-far"]] and not any(classes[:4])
    links = [node.astext() for node in doctree.findall(lambda node: node.tagname == "raw")][1:]
    assert [re.search('href="(.*?)"', link)[1] for link in links] == [
        "../../_figures/evidence/half/page/title.csv"
    ]


def test_the_picture_of_dependencies():
    picture = dependency_picture.draw(
        "a[top] --> b[middle]\nb[middle] --> c[ground]\na[top] --> c[ground]"
    )
    tops = dict(re.findall(r'<text x="\d+" y="(\d+)">(\w+)<', picture))
    assert [name for _, name in sorted((int(y), n) for y, n in tops.items())] == [
        "top", "middle", "ground"
    ]  # fmt: skip
    assert picture.count("<path") == 3


@pytest.mark.parametrize("tool", [make_opencl_map, make_float_functions])
def test_tables_of_functions_are_up_to_date(tool):
    page = tool.PAGE.read_text(encoding="utf-8")
    start, end = tool.MARKS
    assert page.split(start)[1].split(end)[0] == tool.table()


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
