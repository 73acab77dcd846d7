"""Provide what pages take from other files: links to them, whole texts, and the version.

A page that begins with ``<!-- site: ../FILE -->`` is that file on the site, if it is there. Links
to scripts become downloads, links to files with a page of their own that page, to folders plain
text. The landing page begins with the version and the project's addresses elsewhere.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import halfcl

if TYPE_CHECKING:  # the tests do without
    from sphinx.application import Sphinx

_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:|mailto:|#|/)([^)#\s]+)(#[^)\s]*)?\)")
_OTHER = re.compile(r"<!-- site: (\S+) -->\n")

#: In the map from OpenCL, the calls of the table of functions.
_CALL = re.compile(r"\| (`hc\.(\w+)\([^`]*`) \|")

#: Files outside of the site that have a page in it.
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
    "csrc/README.md": "project/engine.md",
    "csrc/layer/README.md": "project/layer.md",
    "CITATION.cff": "project/citing.md",
    "CODE_OF_CONDUCT.md": "project/conduct.md",
    "SECURITY.md": "project/security.md",
}


def rewrite(text: str, origin: Path, page: Path, docs: Path) -> str:
    """A text from the file ``origin`` with links that are good on ``page``."""

    def link(match: re.Match[str]) -> str:
        label, target, anchor = match[1], match[2], match[3] or ""
        path = (origin.parent / target).resolve()
        known = PAGES.get(os.path.relpath(path, docs.parent))
        if known:
            path = docs / known
        if "gallery_src" in path.parts and path.suffix == ".py":
            parts = ("gallery" if part == "gallery_src" else part for part in path.parts)
            path = Path(*parts).with_suffix(".rst")
        if path.is_dir():
            return label
        return f"[{label}]({os.path.relpath(path, page.parent)}{anchor})"

    return _LINK.sub(link, text)


def addresses(project: Mapping[str, Any], environment: Mapping[str, str]) -> dict[str, str]:
    """Return the project's addresses elsewhere, by their names: those that pyproject.toml has.

    A workflow that builds the site knows where its sources are, too.
    """
    urls = dict(project.get("urls", {}))
    repository = environment.get("GITHUB_REPOSITORY")
    if repository and "Source" not in urls:
        urls["Source"] = f"{environment['GITHUB_SERVER_URL']}/{repository}"
    return urls


def version_line(urls: Mapping[str, str]) -> str:
    """Return the beginning of the landing page's line of links."""
    links = (f"[{name}]({url}) · " for name, url in urls.items())
    return f"Version {halfcl.__version__} · {''.join(links)}"


def source(text: str, page: Path, docs: Path) -> str:
    """What the site has for a page's text."""
    other = _OTHER.match(text)
    origin = (page.parent / other[1]).resolve() if other else page
    if origin != page and origin.exists():
        text = origin.read_text(encoding="utf-8")
        if origin.suffix == ".cff":
            text = f"# How to cite\n\n```yaml\n{text}```\n"
    else:
        origin = page
    text = text.replace("\n\n```\n", "\n```\n")  # doctest wants that line, readers do not
    text = rewrite(text, origin, page, docs)
    if page == docs / "index.md":
        pyproject = tomllib.loads((docs.parent / "pyproject.toml").read_text(encoding="utf-8"))
        line = version_line(addresses(pyproject["project"], os.environ))
        text = text.replace("<!-- version -->", line)
    if page == docs / "reference" / "opencl.md":
        before, mark, table = text.partition("<!-- builtins -->\n")
        text = before + mark + _CALL.sub(r"| [\1](generated/\2.rst) |", table)
    return text


def _read(app: Sphinx, name: str, text: list[str]) -> None:
    page = Path(app.env.doc2path(name))
    if page.suffix == ".md":
        text[0] = source(text[0], page, Path(app.srcdir))


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("source-read", _read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
