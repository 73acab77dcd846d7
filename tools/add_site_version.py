"""Lay a built site beside those of other versions, and list them for the version switcher.

    python tools/add_site_version.py BUILT SITE VERSION URL
    python tools/add_site_version.py --folder VERSION    # prints the folder's name

BUILT: the output of `make -C docs`. SITE: the folder of all versions, one folder per version.
VERSION: "dev", or a release, whose folder is named by its first two numbers. URL: where SITE is
served.
"""

import json
import re
import shutil
import sys
from pathlib import Path

DEV = "dev"


def folder_of(version):
    """Return the folder of a version: 1.2 for 1.2.3, whose pages replace those of 1.2.2."""
    if version == DEV or re.fullmatch(r"v?\d+\.\d+\.\d+(a|b|rc)\d+", version):
        return DEV
    match = re.fullmatch(r"v?(\d+\.\d+)\.\d+", version)
    if not match:
        raise SystemExit(f"version: expected a version such as 1.2.3 or {DEV}, got {version!r}")
    return match[1]


def versions(site):
    """Return the folders of releases, newest first, then that of the unreleased version."""
    names = [path.name for path in site.iterdir() if path.is_dir()]
    releases = [name for name in names if re.fullmatch(r"\d+\.\d+", name)]
    releases.sort(key=lambda name: [int(number) for number in name.split(".")], reverse=True)
    return releases + [name for name in names if name == DEV]


def switcher(site, url):
    """Return the list that the theme reads; the newest release is the preferred version."""
    listed = versions(site)
    return [
        {
            "version": name,
            "name": f"{name} (not released)" if name == DEV else name,
            "url": f"{url.rstrip('/')}/{name}/",
            "preferred": name == listed[0],
        }
        for name in listed
    ]


def add(built, site, version, url):
    """Replace the version's folder, and write the list and the page that leads to the newest."""
    name = folder_of(version)
    if not (built / "index.html").is_file():
        raise SystemExit(f"{built}: expected a folder with index.html; run make -C docs")
    site.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(site / name, ignore_errors=True)
    shutil.copytree(built, site / name)
    entries = switcher(site, url)
    newest = entries[0]["version"]
    (site / "switcher.json").write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")
    (site / "index.html").write_text(
        "<!doctype html>\n<title>halfcl</title>\n"
        f'<meta http-equiv="refresh" content="0; url={newest}/">\n'
        f'<a href="{newest}/">halfcl {newest}</a>\n',
        encoding="utf-8",
    )
    (site / ".nojekyll").touch()  # folders that begin with _ are served, too


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--folder":
        print(folder_of(sys.argv[2]))
        raise SystemExit
    if len(sys.argv) != 5:
        raise SystemExit("usage: python tools/add_site_version.py BUILT SITE VERSION URL")
    add(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4])
