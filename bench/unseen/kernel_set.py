"""OpenCL C sources of public projects, as the projects' host programs build them.

    python bench/unseen/kernel_set.py FOLDER [--mirror FOLDER_OF_REPOSITORIES] [--only NAME ...]

The table, kernels.toml, names each project's origin, the folders that are fetched, and what its
host passes to clBuildProgram. `.cl` files are taken from these folders, none left out, and the
headers beside them. Of a project with too many, the table says which are to be built: those of
some names, and of others every n-th by name. FOLDER/NAME has them; files that the host concatenates
with others begin with `#include` lines for these. FOLDER/NAME/options.txt has the options, and
files.txt beside it the names of the files to build, as tools/try_kernels.py reads them. No source
is kept here.

An origin is `git URL COMMIT`, `wheel NAME==VERSION` or `sdist NAME==VERSION` (of Python's package
index), or `debian PACKAGE`. With --mirror, git repositories come from OWNER+NAME of that folder.
"""

import argparse
import fnmatch
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path, PurePosixPath

import sources

TABLE = Path(__file__).with_name("kernels.toml")
SUFFIXES = {".cl", ".h", ".hpp", ".clh", ".inc", ""}


def projects(only=()):
    """Return the rows of the table, by name."""
    rows = tomllib.loads(TABLE.read_text())
    return {name: row for name, row in rows.items() if not only or name in only}


def snapshot(origin, mirror, work):
    """Return the files of an origin; `work` is a folder for what must be fetched."""
    kind, *words = origin.split()
    if kind == "git":
        url, commit = words
        if mirror is None:
            return sources.Snapshot(sources.clone(url, commit, work / "git"), commit)
        owner, name = url.removesuffix(".git").split("/")[-2:]
        return sources.Snapshot(mirror / f"{owner}+{name}" / "repo", commit)
    (wanted,) = words
    return sources.Snapshot(FETCH[kind](wanted, work), None)


def fetch_wheel(requirement, work):
    (path,) = _pip(requirement, work, "--only-binary=:all:").glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        archive.extractall(work / "files")
    return work / "files"


def fetch_sdist(requirement, work):
    (path,) = _pip(requirement, work, "--no-binary=:all:").glob("*.tar.gz")
    with tarfile.open(path) as archive:
        archive.extractall(work / "files", filter="data")
    (top,) = (work / "files").iterdir()
    return top


def fetch_package(package, work):
    subprocess.run(["apt-get", "download", "-q", package], cwd=work, check=True)
    (path,) = work.glob("*.deb")
    subprocess.run(["dpkg-deb", "-x", path, work / "files"], check=True)
    return work / "files"


FETCH = {"wheel": fetch_wheel, "sdist": fetch_sdist, "debian": fetch_package}


def _pip(requirement, work, *options):
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *options]
    subprocess.run([*command, "--dest", work, requirement], check=True)
    return work


def write(folder, row, files):
    """Write a project's files; return how many of them are to be built."""
    names = files.names(row["folder"])
    chosen = choose(row, [PurePosixPath(n).relative_to(row["folder"]).as_posix() for n in names])
    for path in names:
        if PurePosixPath(path).suffix in SUFFIXES:
            data = files.data(path)
            relative = PurePosixPath(path).relative_to(row["folder"])
            if relative.as_posix() in chosen:
                data = _before(row, relative) + data
            target = folder / relative
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    for name in row.get("absent", ()):  # the host removes the lines that include these
        (folder / name).write_text("")
    (folder / "files.txt").write_text("".join(f"{name}\n" for name in chosen))
    options = row.get("options", {})
    lines = [f"{p}  {_with_common(o, options.get('*', ''))}\n" for p, o in options.items()]
    (folder / "options.txt").write_text("".join(lines))
    return len(chosen)


def _with_common(options, common):
    return f"{common} {options[1:].strip()}" if options.startswith("+") else options


def choose(row, names):
    """Return the names of the files to build, rather than to include, in order.

    They fit one of the patterns "files" of the row, or are every n-th of those that fit "sample".
    """
    wanted = {n for pattern in row.get("files", ["*.cl"]) for n in fnmatch.filter(names, pattern)}
    if "sample" in row:
        rest = sorted(fnmatch.filter(names, row["sample"]))
        wanted.update(rest[:: row["every"]])
    return sorted(wanted)


def _before(row, path):
    """Return the lines that the project's host puts before a file's text."""
    for pattern, lines in row.get("before", {}).items():
        if fnmatch.fnmatch(path.as_posix(), pattern):
            return "".join(f"{line}\n" for line in lines).encode()
    return b""


def main():
    """Write the projects that the command line names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--mirror", type=Path)
    parser.add_argument("--only", nargs="*", default=())
    options = parser.parse_args()
    for name, row in projects(options.only).items():
        target = options.folder / name
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        with tempfile.TemporaryDirectory() as work:
            count = write(target, row, snapshot(row["origin"], options.mirror, Path(work)))
        print(f"{name}: {count} files")


if __name__ == "__main__":
    main()
