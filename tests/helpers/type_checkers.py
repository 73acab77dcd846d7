"""Type checkers: this Python's, or those on the path, as in .ci/run."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def command_of(checker):
    """Return the command of a type checker; skip the test where there is none."""
    if importlib.util.find_spec(checker):
        return [sys.executable, "-m", checker]
    if path := shutil.which(checker):
        return [path]
    pytest.skip(f'{checker} is of the dev extra: pip install ".[dev]"')


def run_mypy(*files, folder=None):
    """Run mypy in its strict mode, without a configuration, in a folder; return the process.

    Runs of one process of tests share a cache, so that NumPy's types are analysed once.
    """
    cache = Path(os.environ["HALFCL_KEPT_RESULTS"]) / f"mypy-{os.getpid()}"
    command = [*command_of("mypy"), "--strict", "--cache-dir", str(cache), "--config-file="]
    command += ["--python-executable", sys.executable]
    return subprocess.run([*command, *map(str, files)], cwd=folder, capture_output=True, text=True)
