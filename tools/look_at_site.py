"""Open every page of the built site in a browser, at two widths, light and dark.

    python tools/look_at_site.py                    what is wrong, and exit status 1 if anything is
    python tools/look_at_site.py --pictures FOLDER  pictures of some pages, to be looked at, too

Wrong are pictures that do not load, pages wider than the window, text that ends beyond it where
nothing scrolls, heads of tables that are hidden, errors of scripts, and a cheat sheet that takes
more than a sheet of A4 or is pale on it. Needs `pip install playwright` and Chromium: the
system's, or that of `playwright install chromium`.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

SITE = Path(__file__).resolve().parent.parent / "docs" / "_build" / "html"
WIDTHS, HEIGHT = (390, 1280), 900
SCHEMES = ("light", "dark")
PICTURED = (
    "index", "tutorial/start", "howto/index", "reference/opencl", "howto/cookbook",
    "explanation/anatomy", "explanation/gallery/index", "evidence/speed", "project/architecture",
    "howto/audit", "evidence/state_of_half", "evidence/state_of_half/torch", "reference/command",
    "howto/installing", "reference/generated/functions", "reference/generated/exp",
    "reference/generated/atan2", "tutorial/is_it_for_me", "howto/from_shaders", "howto/depend",
    "howto/faq", "reference/differences", "reference/cheat_sheet", "reference/glossary",
)  # fmt: skip
ONE_SHEET = ("reference/cheat_sheet",)  # printed on A4

BROKEN = """[...document.images].filter(image =>
    image.complete && !image.naturalWidth && getComputedStyle(image).display != "none"
).map(image => image.src)"""

CUT_OFF = """[...document.querySelectorAll("article :is(p, dt, dd, li, h1, h2)")].filter(text => {
    if (text.getBoundingClientRect().right <= innerWidth + 1) return false
    for (let box = text.parentElement; box.tagName != "ARTICLE"; box = box.parentElement)
        if (["auto", "scroll"].includes(getComputedStyle(box).overflowX)) return false
    return true
}).map(text => text.innerText.slice(0, 40))"""

HIDDEN_HEADS = """[...document.querySelectorAll("article thead")].filter(head =>
    head.textContent.trim() && getComputedStyle(head).display == "none"
).map(head => head.textContent.trim().replace(/\\s+/g, " ").slice(0, 40))"""


def pages() -> Iterator[str]:
    """Return each page's path, without its suffix."""
    for path in sorted(SITE.rglob("*.html")):
        if not any(part.startswith("_") for part in path.relative_to(SITE).parts):
            yield str(path.relative_to(SITE).with_suffix(""))


def look(browser: Browser, width: int, scheme: str, pictures: Path | None) -> list[str]:
    """Return the faults of all pages at one width, in one colour scheme."""
    wrong: list[str] = []
    context = browser.new_context(
        viewport={"width": width, "height": HEIGHT}, color_scheme=scheme, reduced_motion="reduce"
    )
    tab = context.new_page()
    tab.on("pageerror", lambda error: wrong.append(f"{tab.url}: {error}"))
    tab.on("requestfailed", lambda request: wrong.append(f"{tab.url}: no {request.url}"))
    for page in pages():
        tab.goto((SITE / f"{page}.html").as_uri())
        wrong += [f"{page}: a picture that does not load: {url}" for url in tab.evaluate(BROKEN)]
        wrong += [f"{page}: cut off: {text!r}" for text in tab.evaluate(CUT_OFF)]
        wrong += [f"{page}: a hidden head: {text!r}" for text in tab.evaluate(HIDDEN_HEADS)]
        wide = tab.evaluate("document.documentElement.scrollWidth")
        if wide > width:
            wrong.append(f"{page}: {wide} pixels wide in a window of {width}")
        if pictures and page in PICTURED:
            tab.screenshot(path=pictures / f"{page.replace('/', '-')}-{width}-{scheme}.png")
    context.close()
    return wrong


def look_on_paper(browser: Browser) -> list[str]:
    """Return the faults of pages that have to fit one sheet of A4, whatever the colour scheme."""
    wrong: list[str] = []
    for page in ONE_SHEET:
        papers = [print_page(browser, page, scheme) for scheme in SCHEMES]
        sheets = len(re.findall(rb"/Type\s*/Page\b", papers[0]))
        if sheets != 1:
            wrong.append(f"{page}: {sheets} sheets of paper")
        if papers[0] != papers[1]:
            wrong.append(f"{page}: printed in the dark theme's colours")
    return wrong


def print_page(browser: Browser, page: str, scheme: str) -> bytes:
    """Return a page as a PDF, without its dates."""
    context = browser.new_context(color_scheme=scheme)
    tab = context.new_page()
    tab.goto((SITE / f"{page}.html").as_uri())
    paper = tab.pdf(prefer_css_page_size=True)
    context.close()
    return re.sub(rb"/\w+Date \(.*?\)", b"", paper)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=Path, help="folder for pictures of some pages")
    arguments = parser.parse_args()
    if arguments.pictures:
        arguments.pictures.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        wrong = [
            line
            for width in WIDTHS
            for scheme in SCHEMES
            for line in look(browser, width, scheme, arguments.pictures)
        ]
        wrong += look_on_paper(browser)
        browser.close()
    print("\n".join(wrong) or f"{len(list(pages()))} pages: nothing is wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
