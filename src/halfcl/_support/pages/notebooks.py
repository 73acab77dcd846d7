"""Notebooks: results as HTML, the shell that runs, and names of cells."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, ClassVar, TypeAlias

from halfcl._support.extras import are_installed
from halfcl._support.pages import render
from halfcl._support.text_tables import Listing, Table

#: A part of a result: a line, a table or a list.
Block: TypeAlias = str | Table | Listing


class Displayed:
    """Base of results whose text, and whose HTML in notebooks, have the same lines and tables."""

    __slots__ = ()

    #: The text between two blocks.
    _SEPARATOR: ClassVar[str] = "\n"

    def _blocks(self) -> Sequence[Block]:
        """Return the lines, tables and lists that show the result."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return self._SEPARATOR.join(map(str, self._blocks()))

    def _repr_html_(self) -> str | None:
        return fragment("display.html", blocks=self._blocks())


def fragment(template: str, **data: object) -> str | None:
    """Return the HTML of a template for a notebook, or None without Jinja2.

    Where `_repr_html_` returns None, the notebook shows the text.
    """
    return render(template, **data) if are_installed(("jinja2",)) else None


def running_shell() -> Any:
    """Return IPython's shell that runs this process; None if there is none."""
    return getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()


def is_notebook() -> bool:
    """Return whether a notebook's kernel runs this process."""
    return hasattr(running_shell(), "kernel")


def name_of_cell(file: str) -> str:
    """Return IPython's name of a cell, such as "Cell In[3]", by its code's file name.

    The name is empty for anything but a cell.
    """
    compiler = getattr(running_shell(), "compile", None)
    name = getattr(compiler, "format_code_name", lambda file: None)(file)
    return " ".join(name or ())
