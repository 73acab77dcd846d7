"""Test programs that others wrote, as they are and mended: docs/evidence/programs_of_others.md.

    python tools/stability_of_others.py FOLDER [--only NAME] [--report NAME]

FOLDER: a folder of checkouts, each named as its repository, at the commit that PROGRAMS names. The
tool copies each three times: changed to float16, mended, and in double precision as the reference.
It prints a table with the errors of the first two. --report prints the command's whole report of
one program instead, which quotes its source. Nothing of these programs is in this repository: an
edit gives the numbers of their lines that it replaces.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from halfcl.stability._programs._analysis.results import Result, collect_outputs
from halfcl.stability._programs._reporting.text import text
from halfcl.stability._programs._running.child import Run
from halfcl.stability._programs._running.launching import Launcher
from halfcl.stability._programs._testing import Options, Report, test_program
from halfcl.stability._programs._wording import ulps


@dataclass(frozen=True)
class Words:
    """A pattern, and the words that replace it everywhere in a file."""

    file: str
    pattern: str
    new: str


@dataclass(frozen=True)
class Lines:
    """Lines of a file, by their numbers, and their replacement."""

    file: str
    first: int
    last: int
    new: str


@dataclass(frozen=True)
class Program:
    """One program.

    Attributes
    ----------
    name, repository, commit : str
    command : tuple of str
        The program and its arguments.
    digests : dict
        SHA-256 of the files that are changed, its beginning.
    settings : tuple
        Changes that choose what it computes, or that let Python 3 run it.
    half : tuple of Words
        Changes that make it float16.
    mended : tuple of Lines
        What the report found.
    counts : tuple of str
        The results that depend on what is rounded.
    seed : int or None
        Of its random numbers.
    """

    name: str
    repository: str
    commit: str
    command: tuple[str, ...]
    digests: dict[str, str]
    settings: tuple[Words | Lines, ...]
    half: tuple[Words, ...]
    mended: tuple[Lines, ...]
    counts: tuple[str, ...]
    seed: int | None = None


#: A sum of each window from its beginning, in the place of running sums.
_BOX = """\
    tmp = sum(I[k:k+rows] / (2*r+1) for k in range(2*r+1))
    ret = sum(tmp[:, k:k+cols] / (2*r+1) for k in range(2*r+1))
    ret = ret if normalize else ret * (2*r+1)**2
"""

#: The mean of products of deviations from the means of each window.
_COVARIANCES = """\
        varI, covIp = (
            ((windows(self.I, self.radius) - meanI[..., None, None])
             * (windows(x, self.radius) - mean[..., None, None])).mean(axis=(-2, -1))
            for x, mean in ((self.I, meanI), (p, meanp))
        )
"""
_WINDOWS = """\
def windows(x, r):
    padded = np.pad(x, r, mode='reflect')
    return np.lib.stride_tricks.sliding_window_view(padded, (2*r+1, 2*r+1))


"""

_STEP = """\
        term = (h / 6.0) * (k1 + 2.0 * k2 + 2.0 * k3 + k4) - lost
        y[k + 1] = yk + term
        lost = (y[k + 1] - yk) - term
"""

_CENTRED = """\
    middle_x, middle_y = sum(x) / len(x), sum(y) / len(y)
    x, y = [ix - middle_x for ix in x], [iy - middle_y for iy in y]
"""

_COMPENSATED = """\
def compensated(terms):
    total = lost = 0
    for term in terms:
        term = term - lost
        total, before = total + term, total
        lost = (total - before) - term
    return total

"""

PROGRAMS = (
    Program(
        "epidemic",
        "nonlinear-vibes/ODEs-and-solvers-in-Python",
        "1e7aa32f324a891c40a02b3cb60b1e29f724ab20",
        ("main.py",),
        {"main.py": "06c0cc107acb2ca8", "solvers.py": "1a9e81df5fab849c",
         "models.py": "843e0a23956c466b"},
        (Lines("main.py", 17, 17, '    solver: str = "rk4"\n'),),
        (Words("solvers.py", r"dtype=float\b", "dtype=np.float16"),
         Words("models.py", r"dtype=float\b", "dtype=np.float16")),
        (Lines("solvers.py", 267, 266, "    lost = np.zeros_like(y0)\n"),
         Lines("solvers.py", 276, 276, _STEP)),
        tuple(f"figure 1: ${name}$, y" for name in "SIR"),
    ),
    Program(
        "guided filter",
        "lisabug/guided-filter",
        "61df5154bc69e6f18359b2285b0d5c423d1a6b12",
        ("main.py",),
        {"main.py": "46f6d36fcdcb2502", "core/filter.py": "80d1101e61a4f9a6",
         "cv/smooth.py": "7712aba4d6322db3", "cv/pad.py": "c71e019adafff24d"},
        (Lines("main.py", 15, 16, "    radius, eps = [4], [0.1**2]\n"),
         Lines("main.py", 48, 48, ""),
         Words("cv/smooth.py", r"from pad\b", "from cv.pad"),
         Words("cv/pad.py", r"\bxrange\b", "range")),
        (Words("core/filter.py", r"\bfloat32\b", "float16"),
         Words("cv/smooth.py", r"\bfloat32\b", "float16"),
         Words("cv/image.py", r"\bfloat32\b", "float16"),
         Words("cv/pad.py", r"(np\.zeros\(.*)\)$", r"\1, dtype=np.float16)")),
        (Lines("cv/smooth.py", 60, 68, _BOX),
         Lines("core/filter.py", 5, 5, "\n" + _WINDOWS),
         Lines("core/filter.py", 95, 96, ""),
         Lines("core/filter.py", 98, 99, _COVARIANCES)),
        ("figure 2: image 1",),
    ),
    Program(
        "circle",
        "AtsushiSakai/PythonRobotics",
        "b38c510e083d69a5755d98d0680bd50f3d9a91fa",
        ("Mapping/circle_fitting/circle_fitting.py",),
        {"Mapping/circle_fitting/circle_fitting.py": "848965c4ba913e40"},
        (),
        (Words("Mapping/circle_fitting/circle_fitting.py", r"\binv\(F\)",
               "inv(F.astype(np.float32))"),
         Words("Mapping/circle_fitting/circle_fitting.py", r"(?m)^    return rx, ry$",
               "    return list(np.array(rx, np.float16)), list(np.array(ry, np.float16))")),
        (Lines("Mapping/circle_fitting/circle_fitting.py", 48, 47, _CENTRED),
         Lines("Mapping/circle_fitting/circle_fitting.py", 70, 70,
               "    return cxe + float(middle_x), cye + float(middle_y), re, error\n")),
        ("figure 1: line 4, x", "figure 1: line 4, y"),
        seed=0,
    ),
    Program(
        "statistics",
        "joelgrus/data-science-from-scratch",
        "d5d0f117f41b3ccab3b07f1ee1fa21cfcf69afa1",
        ("-m", "scratch.statistics"),
        {"scratch/statistics.py": "ac0816ff41300fbf",
         "scratch/linear_algebra.py": "856eb7c3d12b55e0"},
        (Words("scratch/statistics.py", r"(?m)^assert [\d.]+( / 60)? < (.*) < .*$",
               r"print('\2', \2)"),),
        (Words("scratch/statistics.py", r"(?m)^(num_friends|daily_minutes) = (\[.*\])$",
               r"import numpy; \1 = list(numpy.array(\2, numpy.float16))"),),
        (Lines("scratch/linear_algebra.py", 58, 57, _COMPENSATED),
         Lines("scratch/linear_algebra.py", 62, 62,
               "    return compensated(v_i * w_i for v_i, w_i in zip(v, w))\n"),
         Lines("scratch/statistics.py", 43, 43,
               "    from scratch.linear_algebra import compensated\n"
               "    return compensated(xs) / len(xs)\n")),
        ("output",),
    ),
)  # fmt: skip


def check(program: Program, folder: Path) -> None:
    """Exit unless the files are those whose lines the edits name."""
    for name, digest in program.digests.items():
        file = folder / name
        if not file.is_file():
            sys.exit(
                f"{file}: expected a file of {program.repository} at {program.commit}, got none"
            )
        if not hashlib.sha256(file.read_bytes()).hexdigest().startswith(digest):
            sys.exit(
                f"{file}: expected that of {program.repository} at {program.commit}, got another"
            )


def change(folder: Path, edits: tuple[Words | Lines, ...]) -> None:
    """Edit files: first lines, from the end, since edits give line numbers of the original."""
    lines = sorted((e for e in edits if isinstance(e, Lines)), key=lambda e: -e.first)
    for edit in lines:
        file = folder / edit.file
        text = file.read_text().splitlines(keepends=True)
        text[edit.first - 1 : edit.last] = [edit.new]
        file.write_text("".join(text))
    for edit in edits:
        if isinstance(edit, Words):
            file = folder / edit.file
            text, count = re.subn(edit.pattern, edit.new, file.read_text(), flags=re.MULTILINE)
            assert count, edit
            file.write_text(text)


@contextmanager
def copy_of(program: Program, folder: Path, edits: tuple[Words | Lines, ...]) -> Iterator[None]:
    """Copy and edit a program, and enter the copy's folder."""
    with tempfile.TemporaryDirectory() as root:
        copy = Path(root, "program")
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(".git", "docs", "tests"))
        change(copy, (*program.settings, *edits))
        with chdir(copy):
            yield


def report_of(
    program: Program, folder: Path, edits: tuple[Words | Lines, ...], blame: bool
) -> Report:
    """Return the command's report of an edited copy."""
    options = Options(program.command, is_blamed=blame, random_seed=program.seed)
    with copy_of(program, folder, edits):
        return test_program(options)


def doubles(program: Program, folder: Path) -> dict[str, np.ndarray]:
    """Return the program's output in double precision."""
    half = tuple(
        Words(words.file, words.pattern, re.sub(r"float(16|32)", "float64", words.new))
        for words in program.half
    )
    with copy_of(program, folder, half), Launcher(3600.0) as launcher:
        outcome = launcher.run_first(Run(program.command, random_seed=program.seed))
        if outcome.stop_reason or outcome.error:
            sys.exit(f"{program.name}, in double precision: {outcome.stop_reason or outcome.error}")
        return {name: flat(output.parts) for name, output in collect_outputs(outcome).items()}


def flat(parts: tuple[np.ndarray, ...]) -> np.ndarray:
    return np.concatenate([np.asarray(part, float).reshape(-1) for part in parts])


def counted_results(program: Program, report: Report) -> list[Result]:
    return [result for result in report.results if result.name in program.counts]


#: The columns of the table, after those that name the program and the copy.
COLUMNS = ("not stable", "off by, ulps", "least true digits", "median", "off by")


def row(program: Program, report: Report, true: dict[str, np.ndarray]) -> list[str]:
    """Return the cells on a copy: how far its results are off from the reference, and from doubles.

    The report has all but the last cell: the largest difference from the program in double
    precision, which nothing of the report goes into.
    """
    results = counted_results(program, report)
    digits = np.concatenate([result.true_digits for result in results])
    unknown = np.count_nonzero(np.isnan(digits))
    off = max(np.abs(flat(r.first.parts) - true[r.name]).max() for r in results)
    bad = sum(result.disagreeing for result in results)
    cells = [f"{bad:,} of {digits.size:,}", ulps(max(r.largest_error for r in results)),
             f"{np.nanmin(digits):.1f}", f"{np.nanmedian(digits):.1f}", f"{off:.2g}"]  # fmt: skip
    if unknown:
        cells[1] += f" ({unknown:,} unknown)"
    return cells


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", choices=[program.name for program in PROGRAMS])
    parser.add_argument("--report", choices=[program.name for program in PROGRAMS])
    options = parser.parse_args()
    only = options.report or options.only
    programs = [program for program in PROGRAMS if only in (None, program.name)]
    if not options.report:
        print(f"| program | | {' | '.join(COLUMNS)} |")
        print(f"|---|---|{'---:|' * len(COLUMNS)}")
    for program in programs:
        folder = (options.folder / program.repository.replace("/", os.sep)).resolve()
        check(program, folder)
        if options.report:
            print(text(report_of(program, folder, program.half, True)))
            continue
        true = doubles(program, folder)
        for kind, edits in (("float16", ()), ("mended", program.mended)):
            report = report_of(program, folder, (*edits, *program.half), False)
            print(
                f"| {program.name} | {kind} | {' | '.join(row(program, report, true))} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
