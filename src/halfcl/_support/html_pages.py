"""Self-contained HTML pages."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape


def page(title: str, style: str, parts: Iterable[str], script: str = "") -> str:
    """Return a complete page.

    Parameters
    ----------
    title, style, script : str
        The title as text, and the contents of the style and script elements.
    parts : iterable of str
        HTML; empty parts are left out.

    Returns
    -------
    str

    Examples
    --------
    >>> from halfcl._support.html_pages import page
    >>> page("A & B", "", ["<p>text</p>", ""]).splitlines()[-3:]
    ['<p>text</p>', '</body>', '</html>']
    """
    code = f"<script>\n{script}</script>\n" if script else ""
    return (
        "<!doctype html>\n"
        '<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        + "\n".join(part for part in parts if part)
        + f"\n{code}</body>\n</html>\n"
    )
