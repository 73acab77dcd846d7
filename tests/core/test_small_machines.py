"""halfcl on small machines and in restricted processes.

One processor, little memory, small stacks, no threads, nowhere to write to, no home, no /proc, an
output that only has ASCII. docs/howto/installing.md lists which of these are supported. Quotas of
processors are in test_threads.py, files that cannot be written completely in test_files.py.
"""

import io
import os
import shutil
import subprocess
import sys
import threading
from functools import cache, partial

import pytest
from exhaustive import either, left_out, shared_out

import halfcl as hc
from halfcl import _demo as demo
from halfcl._command import main
from halfcl.audit._families import functions

pytestmark = pytest.mark.once

MB = 1 << 20

# The requirements in docs/howto/installing.md.
MEMORY, STACK = 512 * MB, 256 << 10

on_linux = pytest.mark.skipif(
    sys.platform != "linux", reason="limits on memory, threads and files are set as Linux has them"
)


def run(*arguments, limits=(), within=(), **environment):
    """Run Python with the least environment; return its exit status, output and errors."""
    kept = {"PYTHONPATH": os.pathsep.join(sys.path), "PATH": os.environ.get("PATH", "")}
    result = subprocess.run(
        [*within, sys.executable, *arguments],
        env={**kept, "PYTHONDONTWRITEBYTECODE": "1", **environment},
        preexec_fn=partial(_set, limits) if limits else None,
        stdin=subprocess.DEVNULL, capture_output=True, text=True,
    )  # fmt: skip
    return result.returncode, result.stdout, result.stderr


def _set(limits):
    import resource

    for name, most in limits:
        resource.setrlimit(getattr(resource, name), (most, most))


# ---------------------------------------------------------------- memory


CHECK = """
import sys, threading
import numpy as np
import halfcl as hc
from halfcl import check

def calls(outcomes):
    outcomes += check.run(lambda line: None)
    x = np.arange(1 << 16, dtype=np.uint16).view(hc.half)
    y = np.linspace(-3, 3, 1 << 16).astype(hc.half)
    square, fours = y.reshape(256, 256), hc.half4(y.reshape(-1, 4))
    with np.errstate(all="ignore"):
        for function in (hc.pow, hc.powr, hc.atan2, hc.hypot, hc.remainder):
            function(x, x[::-1], rounding="rtp")
    np.sort(x), np.median(y), np.add.accumulate(y), y.astype(str), hc.sum(y), hc.var(y)
    square @ square, hc.dot(y, y), hc.normalize(fours), hc.half("1." + "3" * 5000)
    outcomes.append("done")

outcomes = []
threading.stack_size(int(sys.argv[1]))
thread = threading.Thread(target=calls, args=(outcomes,))
thread.start()
thread.join()
with open("/proc/self/status") as file:  # the peak that getrusage has is the parent's, too
    (peak,) = [line.split()[1] for line in file if line.startswith("VmHWM:")]
print(*outcomes, peak)
"""


@shared_out
@on_linux
@pytest.mark.parametrize("threads", ["8", *either(["1"], [])])
def test_little_memory_and_small_stacks(threads):
    """Limit the addresses, where the stacks of NumPy's threads and of halfcl's count in full."""
    limits = [("RLIMIT_AS", MEMORY), ("RLIMIT_STACK", STACK)]
    status, out, errors = run(
        "-c", CHECK, str(STACK), limits=limits, HALFCL_NUM_THREADS=threads, OPENBLAS_NUM_THREADS="1"
    )
    assert status == 0, errors
    outcome, peak = out.split()
    assert outcome == "done"
    assert int(peak) << 10 < 96 * MB  # 57 were measured, 25 of them NumPy's


# ---------------------------------------------------------------- processors and threads


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="processors cannot be chosen")
def test_one_processor():
    one = min(os.sched_getaffinity(0))
    code = f"import os; os.sched_setaffinity(0, [{one}]); from halfcl._command import main; main()"
    status, out, errors = run("-c", code, "info")
    assert status == 0, errors
    assert "threads          1 (the processors that this process may use)\n" in out


@pytest.mark.parametrize("begun", [0, 1])
def test_audit_without_more_threads(begun, monkeypatch):
    """The audit continues without more threads, and finds the same."""
    with hc.num_threads(1):
        alone = _audited_parts()
    started, start = [], threading.Thread.start

    def start_few(thread):
        if len(started) == begun:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", start_few)
    monkeypatch.setattr(hc, "get_num_threads", lambda: 4)
    assert _audited_parts() == alone
    assert len(started) == begun


def _audited_parts():
    return list(functions._map_slices(lambda part: part.stop, [slice(k, k + 3) for k in range(20)]))


# ---------------------------------------------------------------- files and folders


@shared_out
@on_linux
@pytest.mark.parametrize("command", ["check", *either(["info"], [])])
def test_commands_without_writable_folders(command):
    """There is no home, no folder for temporary files, and no disk space."""
    nowhere = dict.fromkeys(["HOME", "TMPDIR", "XDG_CACHE_HOME", "MPLCONFIGDIR"], os.devnull)
    status, _, errors = run("-m", "halfcl", command, limits=[("RLIMIT_FSIZE", 0)], **nowhere)
    assert (status, errors) == (0, "")


@left_out("a second, and full disks are in tests/support/test_files.py")
@on_linux
def test_demo_on_a_full_disk(tmp_path):
    """One line names the picture that did not fit, and no part of it remains."""
    pytest.importorskip("PIL")
    pytest.importorskip("matplotlib")
    code = (
        "from halfcl import _demo as demo; from halfcl._command import main; import sys\n"
        "demo.time_steps = lambda *_: {}; demo.time_table = lambda _: []\n"  # which take seconds
        "sys.exit(main())"
    )
    limits = [("RLIMIT_FSIZE", 4096)]
    status, _, errors = run(
        "-c", code, "demo", "--out", str(tmp_path / "out"), limits=limits, HOME=os.devnull,
        MPLCONFIGDIR=str(tmp_path),
    )  # fmt: skip
    assert status == 2
    last = errors.splitlines()[-1]
    assert last.startswith("halfcl demo: [Errno 27] ") and last.endswith("out/photo_rte.png'")
    assert "Traceback" not in errors and os.listdir(tmp_path / "out") == []


@cache
def _new_mounts():
    """Return a command's prefix that gives it mounts of its own; None where that is forbidden."""
    if not shutil.which("unshare"):
        return None
    for own in (["unshare", "-m"], ["unshare", "-rm"]):
        tried = [*own, "mount", "-t", "tmpfs", "none", "/dev/shm"]
        if subprocess.run(tried, capture_output=True).returncode == 0:
            return own
    return None


@shared_out
@on_linux
@pytest.mark.parametrize("folders", ["/proc", *either(["/sys /dev/shm"], [])])
def test_commands_without_system_folders(folders):
    own = _new_mounts()
    if own is None:
        pytest.skip("mounting is forbidden to this user")
    hidden = f'for x in {folders}; do mount -t tmpfs -o ro none $x || exit 99; done; exec "$@"'
    status, out, errors = run(
        "-m", "halfcl", "check", within=[*own, "sh", "-c", hidden, "-"], HALFCL_NUM_THREADS=""
    )
    assert (status, errors) == (0, "")
    assert out.endswith("results are right.\n")


# ---------------------------------------------------------------- output in ASCII


def print_as_command(text, encoding, errors, monkeypatch):
    """Return what reaches a stream when a command prints a text, and the stream's new state."""
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, errors=errors)
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr(demo, "run", lambda *_: print(text, end=""))
    assert main(["demo"]) == 0
    return raw.getvalue(), stream.errors


@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])
def test_unencodable_characters_are_escaped(errors, monkeypatch):
    """Characters are escaped, as Python does on standard error.

    With LC_ALL=C Python uses "surrogateescape".
    """
    text = "Stéfan, 100 µs"
    escaped = b"St\\xe9fan, 100 \\xb5s"
    assert print_as_command(text, "ascii", errors, monkeypatch) == (escaped, errors)
    assert print_as_command(text, "utf-8", errors, monkeypatch) == (text.encode(), errors)
    assert print_as_command(text, "cp1252", errors, monkeypatch) == (text.encode("cp1252"), errors)


def test_undecodable_file_names_are_escaped(monkeypatch):
    """Names are print_as_command unchanged where Python can, and escaped elsewhere."""
    name = "a\udcff\udcfe b"  # bytes ff and fe, as os.fsdecode gives them
    assert print_as_command(name, "ascii", "surrogateescape", monkeypatch)[0] == b"a\xff\xfe b"
    assert print_as_command(name, "utf-8", "strict", monkeypatch)[0] == b"a\\udcff\\udcfe b"
    assert (
        print_as_command("é" + name, "ascii", "surrogateescape", monkeypatch)[0]
        == b"\\xe9a\xff\xfe b"
    )


def test_chosen_encoding_of_output_is_kept(monkeypatch):
    assert print_as_command("é", "ascii", "replace", monkeypatch) == (b"?", "replace")


def test_program_that_is_run_has_pythons_output():
    code = "import sys; print(sys.stdout.errors)"
    arguments = ("-m", "halfcl", "run", "-c", code)
    assert run(*arguments, PYTHONIOENCODING="ascii:strict")[:2] == (0, "strict\n")


def test_help_is_printable_in_ascii():
    status, out, errors = run("-m", "halfcl", "--help", PYTHONIOENCODING="ascii:strict")
    assert (status, errors) == (0, "") and out.isascii()
