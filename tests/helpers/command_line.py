"""``python -m halfcl`` in copies of a small process.

The command tests a program by copies of its own process. Those of pytest's, of several hundred MB,
take ten times as long as what most of the tests' programs do.
"""

import ast
import gc
import importlib
import os
import pickle
import subprocess
import sys
import tempfile

MODES = ("rte", "rtz", "rtp", "rtn")

#: Whether a process can be copied: see `halfcl.stability._programs._running.launching`.
FORKS = hasattr(os, "fork") and sys.platform != "darwin"

#: The command that starts this file.
ITSELF = (sys.executable, "-W", "error", __file__)

TESTING = "halfcl.stability._programs._testing"

#: The reference is one run, as where no type is longer than double: `bool()` is False.
ONE_REFERENCE = {f"{TESTING}.is_longer": bool}

#: What a command imports when it needs it.
USED = (
    "halfcl._command.commands.run", "halfcl._command.commands.stability",
    "halfcl.stability._programs._testing", "halfcl.stability._programs._reporting.page",
    "halfcl.stability._programs._reporting.text", "numpy.ma", "numpy.random",
)  # fmt: skip


class CommandLine:
    """A process that imports halfcl once, and is copied for each command.

    start: code that the process runs once, before the first command.
    """

    def __init__(self, start=""):
        self._start, self._server = start, None

    def __enter__(self):
        if FORKS:
            command = [*ITSELF, "serve", self._start]
            self._server = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=os.sep
            )
        return self

    def __exit__(self, *error):
        if self._server is not None:
            self._server.communicate()

    def __call__(self, *arguments, modes=MODES, changes=None, longer=False):
        """Run a command in the working folder; return its status, its output and its errors.

        modes: the rounding modes of a program's runs, where these are forked.
        changes: other values of modules' variables, by name ("module.variable").
        longer: whether a run in a longer type checks the reference run, on systems that have one.
        """
        changes = changes or {}
        if self._server is None:
            command = [*ITSELF, "run", repr(changes), *arguments]
            result = subprocess.run(command, capture_output=True, text=True)
            return result.returncode, result.stdout, result.stderr
        changes = {f"{TESTING}.MODES": modes, **({} if longer else ONE_REFERENCE), **changes}
        pickle.dump((arguments, changes, os.getcwd(), dict(os.environ)), self._server.stdin)
        self._server.stdin.flush()
        return pickle.load(self._server.stdout)


def serve():
    """Answer each command from standard input, until that ends."""
    for name in USED:  # once, for all copies
        importlib.import_module(name)
    exec(sys.argv[2], {})
    check_acceleration()
    gc.collect()
    gc.freeze()  # a collection in a copy would copy all pages
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    while True:
        try:
            arguments, changes, folder, environment = pickle.load(requests)
        except EOFError:
            return
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
            number = os.fork()
            if not number:
                run_copy(arguments, changes, folder, environment, out, errors)
            status = os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
            pickle.dump((status, *map(read, (out, errors))), answers)
        answers.flush()


def check_acceleration():
    """Let halfcl try once which functions it accelerates; each copy would."""
    from halfcl import accelerated

    with accelerated():
        pass


def run_changed(arguments, changes):
    """Run a command in this process after changes of modules' variables; return its status."""
    from halfcl._command import main

    for name, value in changes.items():
        module, _, variable = name.rpartition(".")
        vars(importlib.import_module(module))[variable] = value
    return main(arguments)


def run_copy(arguments, changes, folder, environment, out, errors):
    """Run a command in this process, and end it."""
    status = 1
    try:
        os.environ.clear()
        os.environ.update(environment)
        tempfile.tempdir = None  # the environment names another
        os.chdir(folder)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for number, other in enumerate((nothing, out.fileno(), errors.fileno())):
            os.dup2(other, number)
        try:
            status = run_changed(arguments, changes)
        except SystemExit as end:
            status = end.code
        except BaseException:
            sys.excepthook(*sys.exc_info())
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(status)


def read(stream):
    """Return all of a file's text."""
    stream.seek(0)
    return stream.read().decode()


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve()
    else:
        sys.exit(run_changed(sys.argv[3:], ast.literal_eval(sys.argv[2])))
