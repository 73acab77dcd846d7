"""Set the version everywhere; `halfcl.__version__` defines it, and the other places follow.

    python tools/set_version.py 1.0.0 [--date 2026-12-01]

What CHANGELOG.md has as unreleased becomes the version's section, of that date (by default today).
"""

import argparse
import re
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

UNRELEASED = "## Unreleased\n"


def status(version):
    """Return a version's classifier; the promises of docs/project/promises.md begin with 1.0."""
    stable = int(version.split(".")[0]) >= 1
    return "5 - Production/Stable" if stable else "4 - Beta"


#: (file, pattern with one group, what the group becomes of a version).
PLACES = (
    ("src/halfcl/__init__.py", r'^__version__ = "(.*)"$', str),
    ("CITATION.cff", r"^version: (.*)$", str),
    ("packaging/conda/recipe.yaml", r'^  version: "(.*)" #', str),
    ("pyproject.toml", r'"Development Status :: (.*)"', status),
)  # fmt: skip


def replace(text, pattern, new):
    """Return the text with the pattern's group replaced; the pattern must match once."""
    (match,) = re.finditer(pattern, text, re.MULTILINE)
    return text[: match.start(1)] + new + text[match.end(1) :]


def set_date(citation, day):
    """Return CITATION.cff with the day of the release, which the first release adds."""
    without = re.sub(r"^date-released: .*\n", "", citation, flags=re.MULTILINE)
    return re.sub(r"^(version: .*\n)", rf"\1date-released: {day}\n", without, flags=re.MULTILINE)


def add_release(changelog, version, day):
    """Return CHANGELOG.md with the unreleased entries moved to the version's section."""
    if UNRELEASED not in changelog:
        raise SystemExit(f"CHANGELOG.md: expected a line {UNRELEASED.strip()!r}, got none")
    return changelog.replace(UNRELEASED, f"{UNRELEASED}\n## {version} - {day}\n", 1)


def set_version(root, version, day):
    """Write all files, after reading and changing all of them without an error."""
    paths = {name: root / name for name, _, _ in PLACES} | {"CHANGELOG.md": root / "CHANGELOG.md"}
    texts = {name: path.read_text(encoding="utf-8") for name, path in paths.items()}
    for name, pattern, convert in PLACES:
        texts[name] = replace(texts[name], pattern, convert(version))
    texts["CITATION.cff"] = set_date(texts["CITATION.cff"], day)
    texts["CHANGELOG.md"] = add_release(texts["CHANGELOG.md"], version, day)
    for name, text in texts.items():
        paths[name].write_text(text, encoding="utf-8")


def _version(text):
    if not re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", text):
        raise argparse.ArgumentTypeError(
            f"version: expected one such as 1.0.0 or 1.0.0rc1, got {text!r}"
        )
    return text


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("version", type=_version)
    parser.add_argument("--date", type=date.fromisoformat, default=date.today())
    arguments = parser.parse_args()
    set_version(ROOT, arguments.version, arguments.date)
