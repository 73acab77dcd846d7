"""The command ``python -m halfcl audit``, which audits libraries."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path, PurePath
from typing import TextIO

from halfcl._command.shared import USER_ERROR, names
from halfcl._support import files, pages
from halfcl._support.extras import MissingPackageError
from halfcl.audit._report import Report, ReportError
from halfcl.audit._results.exact import ROWS
from halfcl.audit._running import run as run_audit
from halfcl.audit._targets import find, known_targets
from halfcl.audit._targets.base import Call, ReductionTarget, Target, TargetError

DESCRIPTION = """\
Compare a library's half functions with correctly rounded results: all 65,536 inputs of one
argument, more than a million pairs of two, conversions, functions of vectors, and reductions."""
EPILOG = """\
examples:
  python -m halfcl audit torch --functions exp,erf
  python -m halfcl audit mymodule:fast_exp=exp --html report.html
  python -m halfcl audit numpy --json new.json --baseline old.json

exit status: 0 if no result is beyond OpenCL's limits (with --baseline: if nothing is worse than
there), 1 if one is, 2 if the target cannot be audited or an argument is wrong."""

#: What --json takes for standard output.
_OUTPUT = Path("-")

_FEW = 10  # names, which take no more than seconds
_LONGEST = 1 << 24  # characters of a report, a hundred times as many as a whole one has

_USER_ERRORS = (MissingPackageError, TargetError, ReportError, ValueError, OSError)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to its parser."""
    add = parser.add_argument
    add("targets", nargs="*", metavar="TARGET", help="; ".join(
        f"{spelling}: {summary}" for spelling, summary in known_targets().items()
    ))  # fmt: skip
    add("--functions", type=names, metavar="NAME,...", help="audit only these, by halfcl's names")
    add("--full", action="store_true", help="test functions of two halves on all 2**32 pairs; "
        "takes minutes")  # fmt: skip
    add("--seed", type=int, default=0, metavar="N", help="seed of the samples (default: 0)")
    add("--json", type=Path, metavar="FILE", help="write all results; - is standard output; "
        "each of several targets gets a file of its own, FILE-TARGET")  # fmt: skip
    add("--html", type=Path, metavar="FILE", help="write a page with plots, to files named alike; "
        "needs the extra 'pages'")  # fmt: skip
    add("--baseline", type=Path, metavar="FILE", help="a file that --json wrote before; show "
        "changes since")  # fmt: skip
    add("--list", action="store_true", help="list the targets, or the functions of those given")


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit status; errors of a target do not stop the others."""
    try:
        if options.list:
            return _list(options.targets)
        if not options.targets:
            raise TargetError(f"expected a target: one of {', '.join(known_targets())}")
        _refuse_functions(options.targets)
        _check_outputs(options)
    except _USER_ERRORS as error:
        return _print_error(error)
    several = len(options.targets) > 1
    return max([_status(target, options, several) for target in options.targets])


def _refuse_functions(targets: Sequence[str]) -> None:
    """Raise an error if functions are among the targets, before the others take their time."""
    functions = ",".join(name for name in targets if name in ROWS)
    if functions:
        raise TargetError(f"targets: expected libraries, got {functions}; --functions {functions}")


def _status(target: str, options: argparse.Namespace, several: bool) -> int:
    """Audit one target and return its status; errors do not keep others from being audited."""
    try:
        return _audit(target, options, several)
    except _USER_ERRORS as error:
        return _print_error(error)


def _print_error(error: Exception) -> int:
    if isinstance(error, BrokenPipeError):  # the reader went away, which is for all commands alike
        raise error
    print(f"halfcl audit: {_line(error)}", file=sys.stderr)
    return USER_ERROR


def _check_outputs(options: argparse.Namespace) -> None:
    """Raise an error if output files cannot be made or written, before minutes are spent."""
    several = len(options.targets) > 1
    if options.html is not None:
        pages.environment()  # imports Jinja2
    for option in ("json", "html"):
        path = getattr(options, option)
        if option == "json" and path == _OUTPUT:
            if several:
                raise ValueError(f"--json -: expected one target, got {len(options.targets)}")
        elif path is not None and (path.is_dir() or not path.parent.is_dir()):
            what = "a file, not a folder" if path.is_dir() else "a file in a folder that is there"
            raise ValueError(f"--{option}: expected {what}, got {path}")
        elif path is not None:
            for target in options.targets:
                files.check_place(_path_for(path, target, several))
    if options.json is not None and options.json == options.html:
        raise ValueError(f"--json, --html: expected two files, got {options.json} for both")


def _line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


def _path_for(path: Path, target: str, several: bool) -> Path:
    """Return the path of a target's file."""
    return Path(path_for_target(path, target)) if several else path


def path_for_target(path: PurePath, target: str) -> PurePath:
    """Return the file for one of several targets: "report.json" becomes "report-torch.json".

    Examples
    --------
    >>> from pathlib import PurePath
    >>> from halfcl._command.commands.audit import path_for_target
    >>> path_for_target(PurePath("a.json"), "torch:cuda").name
    'a-torch-cuda.json'
    """
    safe = "".join(c if c.isalnum() else "-" for c in target)
    return path.with_name(f"{path.stem}-{safe}{path.suffix}")


def _audit(target: str, options: argparse.Namespace, several: bool) -> int:
    def target_path(path: Path | None) -> Path | None:
        return _path_for(path, target, several) if path else None

    if options.seed < 0:
        raise ValueError(f"--seed: expected an integer from 0, got {options.seed}")
    baseline = _baseline(target_path(options.baseline))  # before minutes are spent
    audited = find(target)
    if options.functions is None:
        _suggest_fewer(target, audited)
    report = run_audit(
        audited, options.functions, full=options.full, rng=options.seed, progress=True
    )
    out = sys.stderr if options.json == _OUTPUT else sys.stdout
    print(report, file=out)
    for name, reason in report.failed.items():
        print(f"halfcl audit: {name}: {reason}", file=sys.stderr)
    if baseline is not None:
        _show_changes(report, baseline, target_path(options.baseline), out)
    if options.json == _OUTPUT:
        sys.stdout.write(report.to_json())
    else:
        _write(target_path(options.json), report.to_json)
    _write(target_path(options.html), lambda: _page(report))
    return report.status(baseline)


def _suggest_fewer(name: str, target: Target) -> None:
    """Print how to audit some functions only, before all of many take their time."""
    names = list(_calls(target))
    if len(names) > _FEW:
        print(
            f"halfcl audit: {name}: {len(names)} functions, which may take a minute; "
            f"--functions {','.join(names[:2])} audits only these",
            file=sys.stderr, flush=True,
        )  # fmt: skip


def _calls(target: Target) -> dict[str, Call]:
    """Return a target's functions of numbers and of vectors, and reductions, by their names."""
    reductions = target.reductions() if isinstance(target, ReductionTarget) else {}
    return {**target.functions(), **target.vectors(), **reductions}


def _baseline(path: Path | None) -> Report | None:
    if path is None:
        return None
    try:
        return Report.from_json(files.read_text(path, _LONGEST, "--baseline"))
    except (ReportError, UnicodeDecodeError) as error:
        raise ReportError(f"--baseline {path}: {error}") from error


def _show_changes(report: Report, baseline: Report, path: Path | None, out: TextIO) -> None:
    changes = report.compare(baseline)
    whose = baseline.target.name
    of = "" if whose == report.target.name else f", which is of {whose}"
    print(f"\nSince {path}{of}: " + ("" if changes else "nothing changed"), file=out)
    for change in changes:
        print(f"  {change}", file=out)


def _write(path: Path | None, text: Callable[[], str]) -> None:
    if path is not None:
        files.write_text(path, text())
        print(f"written: {path}", file=sys.stderr)


def _page(report: Report) -> str:
    html = import_module("halfcl.audit._output.html")  # it takes a while to import
    page: str = html.page(report)
    return page


def _list(targets: Sequence[str]) -> int:
    """Print the targets, or the functions of those given."""
    if not targets:
        width = max(map(len, known_targets()))
        for spelling, summary in known_targets().items():
            print(f"{spelling:<{width}}  {summary}")
    for name in targets:
        print(f"{name}:")
        for function, call in _calls(find(name)).items():
            print(f"  {function:<14} {call.spelled}")
    return 0
