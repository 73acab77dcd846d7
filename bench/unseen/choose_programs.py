"""Choose programs by the rule of program_set.py from a folder of repositories, and write the table.

    python bench/unseen/choose_programs.py MIRROR

It runs programs that others wrote, without a display and with a time limit.
"""

import argparse
import ast
import collections
import csv
import itertools
import os
import re
import resource
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path, PurePosixPath

import program_set
import sources

#: Programs of a kind that are looked for; others fill the table if a kind has fewer than its share.
MOST_OF_KIND = 14

#: Seconds of processor time, and of any time.
SECONDS, HALF_SECONDS, ANY_SECONDS = 5, 10, 60

#: Runs a program with seeded generators, as ``python -m halfcl stability --seed 0`` does.
RUN_SEEDED = """
import itertools, random, runpy, sys
import numpy as np
random.seed(0)
np.random.seed(0)
generator, calls = np.random.default_rng, itertools.count(0)
np.random.default_rng = lambda seed=None: generator(next(calls) if seed is None else seed)
sys.argv = sys.argv[1:]
sys.path[0] = sys.argv[0].rpartition("/")[0]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def licence(snapshot):
    """Return the licence of a repository and its copyright line; "" if it is another one."""
    for name in snapshot.names():
        if re.fullmatch(r"(?i)(licen[sc]e|copying)(\.\w+)?", name):
            text = snapshot.data(name).decode("utf-8", "replace")
            owner = re.search(r"(?im)^\W*copyright\s.*$", text)
            owner = " ".join(owner[0].split()) if owner else ""
            if "Permission is hereby granted, free of charge" in text:
                return "MIT", owner
            if "Redistribution and use in source and binary forms" in text:
                return "BSD", owner
    return "", ""


def why_not_by_text(snapshot, path, names):
    """Return why a file is rejected before it runs; "" if it is not."""
    text = snapshot.data(path).decode("utf-8", "replace")
    if len(text.splitlines()) < program_set.LINES:
        return "short"
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return "not Python 3"
    modules = program_set.modules_of(tree)
    folder = PurePosixPath(path).parent
    if "numpy" not in modules:
        return "no NumPy"
    others = modules - sys.stdlib_module_names - program_set.LIBRARIES
    if any(m == "." or not program_set.own_files(m, folder, names) for m in others):
        return "imports other packages"
    called = {getattr(node.func, "id", getattr(node.func, "attr", ""))
              for node in ast.walk(tree) if isinstance(node, ast.Call)}  # fmt: skip
    if called & program_set.READERS:
        return "reads files or the keyboard"
    return ""


def limit_time(seconds):
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


def run(folder, script, seconds, count=None):
    """Return the output of a program, or None if it fails or takes longer."""
    environment = os.environ | {"MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1"}
    if count is not None:
        environment["HALVES_MADE"] = str(count)
    with tempfile.TemporaryDirectory() as work:
        try:
            done = subprocess.run(
                [sys.executable, "-W", "ignore", "-c", RUN_SEEDED, str(folder / script)],
                cwd=work, env=environment, timeout=ANY_SECONDS, capture_output=True,
                stdin=subprocess.DEVNULL, preexec_fn=partial(limit_time, seconds))  # fmt: skip
        except subprocess.TimeoutExpired:
            return None
    return None if done.returncode else done.stdout.decode("utf-8", "replace")


_FRACTION = re.compile(r"\d\.\d|nan|inf", re.IGNORECASE)


def why_not_by_runs(folder, script, draws):
    """Return why a program is rejected after it ran; "" if it is not."""
    outputs = [run(folder / "double", script, SECONDS) for _ in range(2)]
    if None in outputs:
        return f"does not run in {SECONDS} seconds"
    if not (_FRACTION.search(outputs[0]) or draws):
        return "no number with a fraction"
    if outputs[0] != outputs[1]:
        return "differs from run to run"
    count = folder / "count"
    output = run(folder / "half", script, HALF_SECONDS, count)
    if output is None:
        return "does not run in float16"
    halves = sum(map(int, count.read_text().split())) if count.exists() else 0
    if not halves:
        return "makes no array in float16"
    return "" if _FRACTION.search(output) or draws else "no number in float16"


def accept_programs(snapshot, repository, rejected):
    """Yield the accepted programs of a repository as rows of the table; count the others."""
    kind, owner = licence(snapshot)
    if not kind:
        rejected["repositories without MIT or BSD"] += 1
        return
    names, count = set(snapshot.names()), 0
    for path in sorted(n for n in names if n.endswith(".py")):
        if count == program_set.MOST:
            return
        reason = why_not_by_text(snapshot, path, names)
        files = [] if reason else program_set.files_of(snapshot, path, names)
        if not reason:
            with tempfile.TemporaryDirectory() as work:
                try:
                    program_set.write(snapshot, path, files, work)
                except (SyntaxError, ValueError, UnicodeError):
                    reason = "not Python 3"
                else:
                    draws = "plt." in snapshot.text(path)
                    reason = why_not_by_runs(Path(work), PurePosixPath(path).name, draws)
        if reason:
            rejected[reason] += 1
            continue
        count += 1
        print(f"{repository} {path}", file=sys.stderr, flush=True)
        yield {"repository": repository, "commit": snapshot.commit, "path": path, "licence": kind,
               "copyright": owner, "sha256": program_set.digest(snapshot, files)}  # fmt: skip


def candidates(kind, mirror, rejected):
    """Yield the accepted programs of all repositories that the queries of a kind gave."""
    for repository in program_set.REPOSITORIES[kind]:
        folder = program_set.repository_folder(mirror, repository)
        if folder is None:
            rejected["repositories that could not be had"] += 1
            continue
        commit = sources.git(folder, "rev-parse", "HEAD").decode().strip()
        yield from accept_programs(sources.Snapshot(folder, commit), repository, rejected)


def choose(mirror, rejected):
    """Return the rows of the table: the kinds take turns."""
    wanted = program_set.HELD_OUT + program_set.DEVELOPMENT
    with ThreadPoolExecutor() as pool:
        some = [
            pool.submit(
                lambda k: list(itertools.islice(candidates(k, mirror, rejected), MOST_OF_KIND)), k
            )
            for k in program_set.REPOSITORIES
        ]
    turns = itertools.zip_longest(*(rows.result() for rows in some))
    rows = list(itertools.islice((row for turn in turns for row in turn if row), wanted))
    for k, row in enumerate(rows):
        row["set"] = "held-out" if k < program_set.HELD_OUT else "development"
        stem = re.sub(r"\W+", "_", PurePosixPath(row["path"]).stem)
        row["name"] = f"{k + 1:02}_{stem}"
    return rows


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("mirror", help="a folder of git repositories, as OWNER+NAME/repo")
    options = parser.parse_args(arguments)
    rejected = collections.Counter()
    rows = choose(options.mirror, rejected)
    with open(program_set.TABLE, "w", encoding="utf-8", newline="") as file:
        fields = list(program_set.Program.__dataclass_fields__)
        table = csv.DictWriter(file, fields, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    for reason, count in rejected.most_common():
        print(f"{count:5}  {reason}")


if __name__ == "__main__":
    main()
