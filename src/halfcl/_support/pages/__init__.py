"""Self-contained HTML pages by Jinja2; their markup, style and script are in `templates`.

What data a template gets is escaped, without an exception.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from halfcl._support.extras import require

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def environment() -> Environment:
    """Return Jinja2's environment with the templates; raise MissingPackageError without Jinja2."""
    require("jinja2", "Jinja2", "pages", "to write pages")
    from jinja2 import Environment, PackageLoader, StrictUndefined

    own = Environment(
        loader=PackageLoader(__name__),
        autoescape=True,
        undefined=StrictUndefined,  # a misspelt name is an error, not an empty text
        trim_blocks=True,
        lstrip_blocks=True,
    )
    own.filters["grouped"] = "{:,}".format
    return own


def render(template: str, **data: object) -> str:
    r"""Return a complete page from a file in `templates` that extends ``page.html``.

    Lone surrogates, which names of files may have and UTF-8 lacks, become ``\udc80``.

    Examples
    --------
    >>> from halfcl._support.pages import render
    >>> render("page.html", title="A & B").splitlines()[-1]
    '</html>'
    """
    text = environment().get_template(template).render(data)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
