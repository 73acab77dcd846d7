"""The reference, written when Sphinx starts: a page for each function of the table, one for each
group of the other public names. All of it comes from the table, docstrings, and `groups`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import groups
import numpy as np
import plots
from groups import Group

import halfcl as hc
from halfcl._tables import Builtin

if TYPE_CHECKING:  # the tests do without
    from sphinx.application import Sphinx

FOLDER = "reference/generated"

_GOVERNED = {
    "operator": "Every region governs it, as OpenCL's pragma governs operators.",
    "builtin": "To nearest, unless the call says another mode or a region has ``builtins=True``.",
    "exact": "Exact: there is nothing to round.",
}


def _heading(text: str, line: str = "=") -> str:
    return f"{text}\n{line * len(text)}\n"


def _table(head: Iterable[str], lines: Iterable[Iterable[str]], widths: str = "auto") -> str:
    """A table in a box that scrolls."""

    def items(cells: Iterable[str]) -> str:
        return "\n".join(f"     {'-' if i else '* -'} {cell}".replace("     * -", "   * -")
                         for i, cell in enumerate(cells))  # fmt: skip

    body = "\n".join(items(line) for line in [head, *lines])
    return f".. list-table::\n   :header-rows: 1\n   :widths: {widths}\n\n{body}\n"


def limit(value: Any) -> str:
    """What OpenCL allows, in words."""
    if value is None:
        return "left open"
    if isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return {0: "0 ulp", 0.5: "correctly rounded"}.get(value, f"{value:g} ulp")
    return str(value)


def accuracy(row: Builtin) -> str:
    return "exact" if row.ulp == 0 else "correctly rounded"


def _line(text: str) -> str:
    """Plain text as a cell of a table."""
    return " ".join(text.split()).replace("*", "\\*")


def _bars(text: str) -> str:
    """|x| is a magnitude, no substitution of reStructuredText."""
    return re.sub(r"\|(\w+)\|", r"\\|\1\\|", text)


# ---------------------------------------------------------------- a function of the table


def _pictures(row: Builtin, to_plots: str) -> Iterator[str]:
    for part, palette, file in plots.pictures(row):
        what = ("graph", "rounding errors")[part]
        yield (
            f".. image:: {to_plots}/{file}\n"
            f"   :class: only-{palette.name} plot\n   :alt: {row.name}: {what}\n"
        )


def _facts(row: Builtin) -> str:
    of_opencl = "no such function" if not row.opencl else limit(row.limit)
    if row.opencl and row.embedded != row.limit:
        of_opencl += f"; embedded profile: {limit(row.embedded)}"
    if len(row.modes) > 1:
        ufuncs = f"``{row.name}_rte``, ``_rtz``, ``_rtp``, ``_rtn``"
    else:
        ufuncs = f"``{row.name}_rte`` (``_rtz``, ``_rtp`` and ``_rtn`` are the same)"
    facts = [
        ("Accuracy", accuracy(row)),
        ("OpenCL's limit for half", of_opencl),
        ("Rounding mode", _GOVERNED[row.governed]),
        ("NumPy's name", ", ".join(f"``np.{name}``" for name in row.numpy) or "none"),
        ("Its ufuncs", ufuncs),
        ("Special values", _bars(_line(row.edge_cases)) or "none"),
        ("Source", row.spec),
    ]
    return (
        _table(("", ""), facts, "30 70")
        .replace("   :header-rows: 1\n", "")
        .replace("   * - \n     - \n", "")
    )


def _function_page(row: Builtin, to_plots: str) -> str:
    parts = [
        f".. _function-{row.name}:\n",
        _heading(row.name),
        f"{row.summary}\n",
        *_pictures(row, to_plots),
        _facts(row),
        f".. py:currentmodule:: halfcl\n\n.. autofunction:: halfcl.{row.name}\n",
    ]
    return "\n".join(parts)


_INTRODUCTION = """\
Each takes halves, float16, and Python's numbers, arrays of any shape, every keyword of a NumPy
ufunc, and ``rounding=``.

On each page is the function's graph, and its rounding error at every half: to nearest (rte) within
half an ulp, down (rtn) and up (rtp) within one, on their side of zero. Of functions of two
arguments the errors are counted, on a grid of 201 by 201 halves.
"""


def _functions_index(sections: dict[str, list[Builtin]]) -> str:
    parts = [
        _heading("Functions"),
        _INTRODUCTION,
    ]
    for section, rows in sections.items():
        parts += [
            _heading(section, "-"),
            groups.SECTIONS[section].replace("`", "``") + "\n",
            _table(
                ("Function", "", "OpenCL allows"),
                (
                    (f":ref:`{row.name} <function-{row.name}>`", _line(row.summary),
                     limit(row.limit) if row.opencl else "none")
                    for row in rows
                ),
                "25 55 20",
            ),
            ".. toctree::\n   :hidden:\n\n" + "".join(f"   {row.name}\n" for row in rows),
        ]  # fmt: skip
    return "\n".join(parts)


# ---------------------------------------------------------------- other names


def _summary(thing: Any) -> str:
    lines = [line.strip() for line in (thing.__doc__ or "").strip().splitlines()]
    if lines and "(" in lines[0] and not lines[0].endswith("."):  # the signature
        lines = lines[1:]
    paragraph = " ".join(lines).strip() if "" not in lines else None
    if paragraph is None:
        while lines and not lines[0]:
            lines = lines[1:]
        paragraph = " ".join(lines[: lines.index("")] if "" in lines else lines)
    return paragraph.split(". ")[0].replace("*", "\\*").rstrip(".") + "."


def _autodoc(group: Group, name: str) -> str:
    thing = getattr(group.imported(), name)
    if not isinstance(thing, type):
        return f".. autofunction:: {group.module}.{name}\n"
    # Swizzles are not listed, nor what only Python's exceptions and tuples have.
    bare = group.slug == "vectors" or issubclass(thing, Exception | tuple)
    members = "" if bare else "   :members:\n"
    return f".. autoclass:: {group.module}.{name}\n{members}"


def _value(value: Any) -> str:
    if isinstance(value, np.floating):
        return f"``{value}``, ``{hc.half(value).hex()}``"
    return f"``{value!s}``"


#: A name with a rule: its stem, a width of vectors, an ending.
_RULE = re.compile(
    r"(v(?:load|store)a?(?:_half)?|(?:convert|as)_[a-z]+|[a-z]+)(\d*)((?:_sat)?(?:_rt[ezpn])?)"
)


def by_rule(names: Iterable[str]) -> list[tuple[str, list[str], list[str]]]:
    """Stems with widths and endings: each stem with each of the widths and endings is a name."""
    widths: dict[tuple[str, str], list[str]] = {}
    for name in names:
        match = _RULE.fullmatch(name)
        assert match, name
        widths.setdefault((match[1], match[3]), []).append(match[2])
    endings: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (stem, ending), found in widths.items():
        key = stem, tuple(sorted(found, key=lambda width: int(width or 0)))
        endings.setdefault(key, []).append(ending)
    return [(stem, list(found), sorted(each)) for (stem, found), each in sorted(endings.items())]


def _rule_table(names: list[str]) -> str:
    """A row for each stem: what may follow it."""

    def each(parts: list[str]) -> str:
        return ", ".join(f"``{part}``" if part else "nothing" for part in parts)

    lines = (
        (f"``{stem}``", each(widths), each(endings), str(len(widths) * len(endings)))
        for stem, widths, endings in by_rule(names)
    )
    return f"All {len(names)} names, by their parts:\n\n" + _table(
        ("Begins with", "then", "ends with", "names"), lines, "25 30 35 10"
    )


def _rule_tables(group: Group) -> list[str]:
    """A table for each rule of a group."""
    patterns = dict.fromkeys(pattern for _, pattern in group.families)
    return [_rule_table(groups.members(pattern)) for pattern in patterns]


_SUFFIXED = """\
Each function has four ufuncs more, one for each rounding mode: ``exp_rtp`` is ``exp`` rounded up.
It is the same object as ``hc.exp.rtp``. Python's ``dir`` and completion leave these names out.

.. code-block:: pycon

   >>> hc.exp_rtp(hc.half(1)), hc.exp.rtp is hc.exp_rtp
   (half(2.719), True)

They take every keyword of a NumPy ufunc, and no ``rounding=``. A Python number beside a half is
rounded before it comes to them, in the region's mode. Of exact functions the four are the same.
"""


def _suffixed_page(rows: Iterable[Builtin]) -> str:
    """The ufuncs of one mode, by one rule."""
    lines = (
        (f":ref:`{row.name} <function-{row.name}>`",
         ", ".join(f"``{row.name}_{mode}``" for mode in hc.MODES),
         "yes" if len(row.modes) > 1 else "no: exact")
        for row in rows
    )  # fmt: skip
    return "\n".join([
        _heading("Ufuncs of one mode"),
        _SUFFIXED,
        _table(("Function", "Ufuncs", "They differ"), lines, "20 60 20"),
    ])  # fmt: skip


def _group_page(group: Group) -> str:
    module = group.imported()
    parts = [
        f".. _group-{group.slug}:\n",
        _heading(group.title + (": names" if group.module == "halfcl" else "")),
    ]
    if group.module != "halfcl":
        parts.append(f".. py:module:: {group.module}\n")
    parts.append(group.text.replace("`", "``") + "\n")
    if group.pages:
        links = (f":doc:`/{page.removesuffix('.md')}`" for page in group.pages)
        parts.append(f"More: {', '.join(links)}.\n")
    if group.names:
        names = (
            (f":py:obj:`~{group.module}.{name}`", _summary(getattr(module, name)))
            for name in group.names
        )
        parts.append(_table(("Name", ""), names, "30 70"))
    if group.tabled:
        values = ((f"``{name}``", _value(getattr(module, name))) for name in group.tabled)
        parts.append(_table(("Constant", "Value"), values, "40 60"))
    parts += _rule_tables(group)
    examples = tuple(name for name, _ in group.families if name not in group.names)
    parts += [_autodoc(group, name) for name in (*group.names, *examples)]
    return "\n".join(parts)


# ---------------------------------------------------------------- writing


def _write(path: Path, text: str) -> None:
    """Only where it changes, so that Sphinx reads again only what did."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def pages() -> dict[str, str]:
    """Names of files and their text."""
    sections = {
        section: [row for row in groups.rows() if row.section == section]
        for section in groups.SECTIONS
    }
    found = {f"{row.name}.rst": _function_page(row, "plots") for row in groups.rows()}
    found["functions.rst"] = _functions_index(sections)
    found["suffixed.rst"] = _suffixed_page(groups.rows())
    found |= {f"group_{group.slug}.rst": _group_page(group) for group in groups.groups()}
    return found


def _generate(app: Sphinx) -> None:
    folder = Path(app.srcdir) / FOLDER
    wanted = pages()
    for name, text in wanted.items():
        _write(folder / name, text)
    for path in folder.glob("*.rst"):
        if path.name not in wanted:
            path.unlink()
    plots.draw_all(groups.rows(), folder / "plots", min(4, os.cpu_count() or 1))


#: The table's functions, by their full names.
_ROWS = {f"halfcl.{row.name}": row for row in groups.rows()}

_FIELD = re.compile(r"^(\w+(?:, \w+)*): (?=\S)")


def _fields(lines: list[str]) -> list[str]:
    """A class's "name, other: what they are", line by line, as a list of fields."""
    found: list[str] = []
    for is_text, group in groupby(lines, bool):
        paragraph = list(group)
        if is_text and all(_FIELD.match(line) or line[0] == " " for line in paragraph):
            paragraph = [_FIELD.sub(r":\1: ", line) for line in paragraph]
        found += paragraph
    return found


_NOTES = re.compile(r"^\.\. rubric:: Notes\n.*?(?=^\.\. rubric:: )", re.MULTILINE | re.DOTALL)


def said_once(row: Builtin, lines: list[str]) -> list[str]:
    """Return a function's docstring, as numpydoc writes it, without what its page says above it.

    Its page begins with the summary; accuracy, special values, NumPy's name and source, which are
    the docstring's notes, are in the table of facts.
    """
    text = "\n".join(lines)
    text = re.sub(
        r"^\.\. rubric:: Notes\n.*?(?=^\.\. rubric:: )", "", text, count=1, flags=re.M | re.S
    )
    return text.replace(f"{row.summary}\n", "", 1).split("\n")


def _plain_text(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Write what reStructuredText would read otherwise than people do, and nothing twice."""
    row = _ROWS.get(name)
    if row:
        lines[:] = said_once(row, lines)
    lines[:] = map(_bars, _fields(lines) if what == "class" else lines)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("builder-inited", _generate)
    app.connect("autodoc-process-docstring", _plain_text)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
