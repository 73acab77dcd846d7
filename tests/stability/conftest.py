"""Ways to run ``python -m halfcl`` for tests of whole programs."""

import functools

import pytest
from command_line import CommandLine

OPENS_FIGURE = """
import matplotlib
matplotlib.use("agg")
import matplotlib.pyplot as plt
plt.plot([1.0, 2.0])
"""


@pytest.fixture(scope="session")
def run_aside():
    """Run a command in a small process of its own; return its status, output and errors."""
    with CommandLine() as run:
        yield run


@pytest.fixture(scope="session")
def run_beside_figure():
    """Run a command in a small process that has imported Matplotlib, and opened a figure."""
    pytest.importorskip("matplotlib")
    with CommandLine(OPENS_FIGURE) as run:
        yield run


def runner_in_folder(request, run):
    """Return a function, which the module makes, that tests a program in a temporary folder."""
    request.getfixturevalue("monkeypatch").chdir(request.getfixturevalue("tmp_path"))
    return request.module.program_runner(run)


@pytest.fixture
def command(request, run_aside):
    """Function that tests a program in a temporary folder: status, output, errors."""
    return runner_in_folder(request, run_aside)


@pytest.fixture
def command_with(request, run_aside):
    """Function of other values of modules' variables; it returns one that tests a program."""
    return lambda changes: runner_in_folder(request, functools.partial(run_aside, changes=changes))


@pytest.fixture
def command_beside_figure(request, run_beside_figure):
    """Function that tests a program in forks of a process that has imported Matplotlib."""
    return runner_in_folder(request, run_beside_figure)
