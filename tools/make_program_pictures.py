"""Draw docs/pictures/program_*.png: parts of the report on examples/soft_light.py.

python tools/make_program_pictures.py

Needs Pillow, and Chromium on the path.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image, ImageChops

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = "soft_light.py"

#: The pictures, and the headings of the sections that they show.
PICTURES = {
    "program_time": ("Digits over the program's time",),
    "program_blame": ("What is to blame", "Better formulas"),
}


def report(folder):
    """Return the command's page."""
    page = folder / "page.html"
    command = [sys.executable, "-m", "halfcl", "stability", "--html", page, EXAMPLE]
    subprocess.run(command, cwd=ROOT / "examples", check=False, stdout=subprocess.DEVNULL)
    return page.read_text(encoding="utf-8").replace(str(ROOT / "examples") + "/", "")


def part(page, headings):
    """Return a page with only some of its sections."""
    head, *sections = re.split(r"(?=<h2>|</body>)", page)
    head = head[: head.index("<h1>")]
    kept = [s for s in sections if any(s.startswith(f"<h2>{h}") for h in headings)]
    return head + "".join(kept) + "</body></html>"


def draw(html, path, folder, colours=64):
    """Draw the page as a picture, cropped to its content."""
    source, whole = folder / "part.html", folder / "whole.png"
    source.write_text(html, encoding="utf-8")
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    subprocess.run(
        [browser, *options, "--window-size=1000,1600", f"--screenshot={whole}", source.as_uri()],
        check=True, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    picture = Image.open(whole).convert("RGB")
    empty = Image.new("RGB", picture.size, picture.getpixel((0, 0)))
    top, bottom = ImageChops.difference(picture, empty).getbbox()[1::2]
    picture = picture.crop((0, max(top - 12, 0), picture.width, min(bottom + 24, picture.height)))
    picture = picture if colours is None else picture.quantize(colours)
    picture.save(path, format="png", optimize=True)


def main():
    """Draw all pictures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        page = report(folder)
        for picture, headings in PICTURES.items():
            path = ROOT / "docs" / "pictures" / f"{picture}.png"
            draw(part(page, headings), path, folder)
            print(path, path.stat().st_size)


if __name__ == "__main__":
    main()
