"""Print the section of a version in CHANGELOG.md, for the release's page.

python tools/release_notes.py 1.0.0
"""

import re
import sys
from pathlib import Path

CHANGELOG = Path(__file__).resolve().parent.parent / "CHANGELOG.md"


def notes(changelog, version):
    """Return the section of a version, without its heading."""
    heading = rf"^## {re.escape(version)}(?: - [^\n]*)?\n"
    match = re.search(heading + r"(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    if match is None:
        raise SystemExit(f"CHANGELOG.md: expected a section {version}, got none")
    return match[1].strip() + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: python tools/release_notes.py VERSION")
    sys.stdout.write(notes(CHANGELOG.read_text(encoding="utf-8"), sys.argv[1]))
