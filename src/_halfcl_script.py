"""The script ``halfcl``. Beside the package, so that it can tell what importing that fails for."""

import contextlib
import itertools
import os
import signal
import sys
import threading

#: The status of a command that Ctrl-C ends, as shells say it.
INTERRUPTED = 130


def main() -> int:
    """Run the command line; the exit status."""
    end_at_interrupt()
    try:
        from halfcl._command import main as run
    except ImportError as error:
        if error.name != "halfcl":  # by which halfcl tells that the message says it all
            raise
        print(f"halfcl: {error}", file=sys.stderr)
        return 2
    return run()


def end_at_interrupt() -> None:
    """End this process with a line on Ctrl-C until `raise_at_interrupt`, while it imports modules.

    A KeyboardInterrupt would end the import of the package with a traceback that nobody can catch.
    A handler of another kind stays.
    """
    _replace_handler(signal.default_int_handler, _end)


def raise_at_interrupt() -> None:
    """Raise KeyboardInterrupt on Ctrl-C again, if `end_at_interrupt` has changed that."""
    _replace_handler(_end, signal.default_int_handler)


def is_command() -> bool:
    """Return whether Python imports the package to run ``python -m halfcl``."""
    if getattr(sys, "argv", [])[:1] != [
        "-m"
    ]:  # It is the file's name as soon as the package is imported.
        return False
    words = sys.orig_argv
    return "-mhalfcl" in words or ("-m", "halfcl") in itertools.pairwise(words)


def _replace_handler(old: object, new: "signal._HANDLER") -> None:
    is_main = threading.current_thread() is threading.main_thread()
    if is_main and signal.getsignal(signal.SIGINT) is old:
        signal.signal(signal.SIGINT, new)


def _end(*_: object) -> None:
    with contextlib.suppress(OSError):
        os.write(2, b"halfcl: interrupted\n")
    os._exit(INTERRUPTED)
