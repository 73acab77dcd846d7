"""``python -m halfcl run X`` compared with ``python X``: output, errors and exit status.

What is held to each other are the kinds of programs that Python runs and the ways in which one
may end, about as CPython's ``test_cmd_line_script`` has them. Each costs a process that imports
halfcl, so programs try several things.
"""

import os
import py_compile
import re
import subprocess
import sys
import time
import zipfile

import pytest
from exhaustive import either, more, one_in, shared_out

from halfcl import accelerated_ufuncs
from halfcl._command import main

pytestmark = pytest.mark.once

PYTHON, OURS = (sys.executable,), (sys.executable, "-m", "halfcl", "run")
LIMIT = 120  # seconds, of a program that should take one
GIVEN = ("a", "-h", "--version", "--", "--=x", "-c", "\u00e9")

on_posix = pytest.mark.skipif(os.name != "posix", reason="of POSIX alone")

#: What a program can know of how it runs, and what users do with it, also in another folder.
#: Beside halfcl it leaves a note of whether it was accelerated.
FACTS = '''\
"""Says what it knows."""
import atexit, inspect, os, pickle, sys, threading
class Kept:
    number: int = 3
def annotated(x: int): ...
print(ascii(sorted(globals())))
print(ascii([__name__, __doc__, __package__, __spec__, __loader__]))
print(ascii(globals().get("__annotations__")))
print(ascii([globals().get("__file__"), globals().get("__cached__"), __builtins__]))
print(ascii([sys.argv, sys.path, os.getcwd(), annotated.__annotations__]))
main = sys.modules["__main__"]
print(vars(main) is globals(), pickle.loads(pickle.dumps(Kept())).number)
print(threading.current_thread() is threading.main_thread())
atexit.register(lambda: print(sys.modules["__main__"] is main, pickle.dumps(Kept())))
if "halfcl" in sys.modules:
    with open(os.environ["NOTE"], "w") as note:
        note.write(str(len(sys.modules["halfcl"].accelerated_ufuncs()) > 70))
os.chdir("/")
if os.path.isfile(globals().get("__file__", "")):
    print(os.path.isabs(__file__), inspect.getsource(annotated) == "def annotated(x: int): ...\\n")
'''

#: What may be on the way and at the end of a program, by its name.
ENDS = {
    "raises": "def f():\n    open('no such file')\ntry:\n    f()\nexcept OSError:\n    1 / 0\n",
    "raises_its_own": "class Stop(BaseException): ...\nraise Stop('gr\u00fc\u00dfe') from None\n",
    "syntax": "print('never')\nx = (1,\n",
    "leaves_with_a_number": "raise SystemExit(7)\n",
    "leaves_with_text": "import sys\nsys.exit('gr\u00fc\u00dfe')\n",
    "interrupted": "import os, signal, time\nprint('so far')\n"
    "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a job's may be ignored
    "os.kill(os.getpid(), signal.SIGINT)\ntime.sleep(5)\n",
    "closes_output": "import sys\nprint(1)\nsys.stdout.close()\n",
    "breaks_output": "import sys\nclass Output:\n    def write(self, text): ...\n"
    "    def flush(self): raise ValueError('so')\nsys.stdout = Output()\nprint(1)\n",
    "closes_the_file_below": "import os\nprint(1)\nos.close(1)\n",
    "hook": "import sys\nsys.excepthook = lambda kind, error, frames: print(\n"
    "    kind, error, frames is error.__traceback__, frames.tb_lineno, frames.tb_next,\n"
    "    sys.last_traceback is frames, sys.last_value is error)\n1 / 0\n",
    "goes_on": "import atexit, sys, threading, time, warnings\n"
    "def late():\n    time.sleep(0.05)\n    print(sys.modules['__main__'].__name__)\n    1 / 0\n"
    "class Last:\n    def __del__(self):\n        raise ValueError(__name__)\n"
    "def f(x: list[int]):\n    warnings.warn('mind', stacklevel=1)\n"
    "f(1)\nprint(f.__annotations__, [input(), input()])\n"
    "last = Last()\nthreading.Thread(target=late).start()\n"
    "atexit.register(lambda: 1 / 0)\natexit.register(print, 'first')\n",
}


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """Return a folder with programs of all kinds."""
    folder = tmp_path_factory.mktemp("programs")
    texts = {
        **{f"{name}.py": text for name, text in ENDS.items()},
        **dict.fromkeys(["script.py", "no_suffix", "gr\u00fc\u00dfe \u2200.py"], FACTS),
        **dict.fromkeys(["package/module.py", "package/__main__.py"], FACTS),
        **dict.fromkeys(["folder/__main__.py", "empty/other.py"], FACTS),
        "package/__init__.py": "import sys\nprint(sys.argv, sys.path[0])\n",
        "no_main/__init__.py": "",
        "needs/__init__.py": "import no_such_dependency\n",
        "needs/module.py": "",
        # As pip makes it.
        "bin/halfcl": "import sys\nfrom _halfcl_script import main\n"
        "if __name__ == '__main__':\n    sys.exit(main())\n",
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "compiled_folder").mkdir()
    for name in ("compiled.pyc", "compiled_without_suffix", "compiled_folder/__main__.pyc"):
        py_compile.compile(str(folder / "script.py"), str(folder / name), doraise=True)
    for name, suffix in (("zipped.zip", ".py"), ("zipped_without_suffix", ".pyc")):
        with zipfile.ZipFile(folder / name, "w") as file:
            source = {".py": "script.py", ".pyc": "compiled.pyc"}[suffix]
            file.write(folder / source, "__main__" + suffix)
    (folder / "other_version.pyc").write_bytes(b"\0" * 32)
    (folder / "not_utf8.py").write_bytes(b"x = '\xff'\n")
    (folder / "latin.py").write_bytes(b"# coding: latin-1\r\nprint(ascii('\xe9'))\r\n1 / 0\r\n")
    (folder / "bom.py").write_bytes(b"\xef\xbb\xbfraise SystemExit\n")
    if os.name == "posix":
        (folder / "bin" / "link.py").symlink_to(folder / "script.py")
        (folder / "bin" / "to_link.py").symlink_to("link.py")
    return folder


def start(command, folder, note="", **more):
    """Start a program, without Python's settings of this process."""
    environment = {name: text for name, text in os.environ.items() if name[:6] != "PYTHON"}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    environment.pop("HALFCL_ACCELERATE", None)
    environment.update(PYTHONIOENCODING="utf-8", NOTE=str(note))
    return subprocess.Popen(
        command, cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, encoding="utf-8", **more,
    )  # fmt: skip


def outcome(process, text=""):
    """Return the process' output and errors, without addresses, and its exit status."""
    try:
        out, err = process.communicate(text, timeout=LIMIT)
    finally:
        process.kill()
        process.wait()
    return [*(re.sub(r"\b0x[0-9a-fA-F]+", "0x", of) for of in (out, err)), process.returncode]


def run_by_both(arguments, folder, text="", python=PYTHON, own=OURS, **more):
    """Run a program by Python and by halfcl; return both outcomes."""
    processes = [start([*command, *arguments], folder, **more) for command in (python, own)]
    return [outcome(process, text) for process in processes]


# ------------------------------------------------------------------ what a program knows


@one_in(2)
@pytest.mark.parametrize(
    "arguments",
    [
        (os.path.join("bin", "..", "gr\u00fc\u00dfe \u2200.py"), *GIVEN),
        ("compiled_without_suffix", "-m"),
        (os.path.join(".", "folder", ""), *GIVEN),
        ("-m", "package", *GIVEN),
        *more(
            (os.path.join(".", "compiled.pyc"),),
            ("compiled_folder",),
            ("zipped.zip", *GIVEN),
            ("zipped_without_suffix",),
            ("-mpackage.module",),
            ("-c", FACTS, *GIVEN),
            *([(os.path.join("bin", "to_link.py"), "x")] if os.name == "posix" else []),
        ),
    ],
    ids=lambda arguments: " ".join(arguments)[:12],
)
def test_program_sees_the_same_state(arguments, programs, tmp_path):
    plain, own = run_by_both(arguments, programs, note=tmp_path / "note")
    assert plain[1:] == ["", 0]
    assert own == plain
    assert (tmp_path / "note").read_text() == "True"


@pytest.mark.parametrize("arguments", [("-c" + FACTS,), *more(("script.py",), ("-m", "script"))])
def test_by_the_script_that_pip_installs(arguments, programs, tmp_path):
    """The script lies beside other programs that are not the user's."""
    script = (sys.executable, str(programs / "bin" / "halfcl"), "run")
    plain, own = run_by_both(arguments, programs, own=script, note=tmp_path / "note")
    assert own == plain and plain[1:] == ["", 0]


@pytest.mark.parametrize("name", ["folder", *more("no_suffix")])
def test_where_python_puts_nothing_on_the_path(name, programs, tmp_path):
    """``python -P``, and a full path to what is run in another folder."""
    plain, own = run_by_both(
        [str(programs / name)], programs / "bin", python=(sys.executable, "-P"),
        own=(sys.executable, "-P", *OURS[1:]), note=tmp_path / "note",
    )  # fmt: skip
    assert own == plain and plain[1:] == ["", 0]


# ------------------------------------------------------------------ what can be read only once


@shared_out
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("-", FACTS),
        *either([("-", "def f():\n    raise ValueError('so')\nf()\n")], []),
        pytest.param("/dev/stdin", "import sys\nprint(sys.argv, __file__)\n", marks=on_posix),
    ],
)
def test_from_standard_input(name, text, programs, tmp_path):
    plain, own = run_by_both([name, *GIVEN], programs, text, note=tmp_path / "note")
    assert own == plain
    assert plain[0] or plain[2]


@on_posix
def test_from_a_substituted_process(programs, tmp_path):
    """``python <(...)``."""
    outcomes = []
    for command in (PYTHON, OURS):
        reading, writing = os.pipe()
        name = f"/dev/fd/{reading}"
        process = start([*command, name], programs, tmp_path / "note", pass_fds=[reading])
        os.close(reading)
        os.write(writing, FACTS.encode())
        os.close(writing)
        out, *rest = outcome(process)
        outcomes.append([out.replace(name, "/dev/fd/N"), *rest])
    assert outcomes[0] == outcomes[1] and outcomes[0][1:] == ["", 0]
    assert (tmp_path / "note").read_text() == "True"


def feed_fifo(process, fifo, text):
    """Write text to a FIFO once a reader has opened it, or until the process ends."""
    end = time.monotonic() + LIMIT
    while process.poll() is None and time.monotonic() < end:
        try:
            writing = os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:  # nobody reads yet
            time.sleep(0.01)
            continue
        os.write(writing, text.encode())
        os.close(writing)
        break
    return outcome(process)


@on_posix
def test_from_a_fifo(programs, tmp_path):
    os.mkfifo(tmp_path / "fifo")
    plain, own = (
        feed_fifo(
            start([*command, "fifo", "x"], tmp_path, tmp_path / "note"), tmp_path / "fifo", FACTS
        )
        for command in (PYTHON, OURS)
    )
    assert own == plain and plain[1:] == ["", 0] and "fifo" in plain[0]


# ------------------------------------------------------------------ how programs end


#: One of each kind: a traceback, a text, a signal, no output left, a hook, and what comes late.
FEW_ENDS = ("raises", "leaves_with_text", "interrupted", "closes_the_file_below", "hook", "goes_on")


@one_in(2)
@pytest.mark.parametrize(
    "name",
    [
        *(pytest.param(name, marks=on_posix if name == "interrupted" else ()) for name in FEW_ENDS),
        *more(*(name for name in ENDS if name not in FEW_ENDS)),
    ],
)
def test_program_ends_the_same(name, programs):
    plain, own = run_by_both([f"{name}.py"], programs, "one\ntwo\n")
    assert own == plain
    assert plain != ["", "", 0]


def test_exit_statuses_of_plain_python(programs):
    """The exit statuses of plain Python are those that the tests above assume."""
    ends = {
        "raises": 1, "syntax": 1, "leaves_with_a_number": 7, "leaves_with_text": 1,
        "closes_output": 0, "closes_the_file_below": 120,
    }  # fmt: skip
    processes = {name: start([*PYTHON, f"{name}.py"], programs) for name in ends}
    assert {name: outcome(process)[-1] for name, process in processes.items()} == ends


@one_in(2)
@pytest.mark.parametrize(
    "arguments",
    [
        ("-m", "no_such_module.at_all"),
        ("-c", "  indented = 1"),
        ("other_version.pyc",),
        ("latin.py",),
        *more(
            ("-m", "raises"),
            ("-m", "no_main"),
            ("-m", "needs.module"),
            ("-c", "def f():\n    raise ValueError('so')\nf()"),
            ("empty",),
            ("bom.py",),
        ),
    ],
    ids=lambda arguments: " ".join(arguments)[:12],
)
def test_errors_are_reported_the_same(arguments, programs):
    plain, own = run_by_both(arguments, programs)
    assert own == plain


def test_program_that_is_not_text(programs):
    """Python's message comes from its parser of files, which nothing else can use."""
    for out, err, status in run_by_both(["not_utf8.py"], programs):
        assert (out, status) == ("", 1)
        assert err.splitlines()[-1].startswith("SyntaxError: ") and "halfcl" not in err


@on_posix
def test_output_without_a_reader(programs):
    """The reader is gone when Python writes the rest of the output at exit."""
    ends = []
    for command in (PYTHON, OURS):
        code = "import sys\nprint(1)\nsys.stdin.read()"
        with start([*command, "-c", code], programs) as process:
            process.stdout.close()
            process.stdin.close()
            ends.append((process.stderr.read(), process.wait(LIMIT)))
    assert ends[0] == ends[1] and ends[0][1] == 120 and "BrokenPipeError" in ends[0][0]


# ------------------------------------------------------------------ processes of a program

CHILDREN = """\
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_all_start_methods, get_context
import numpy
class Sent:
    number = numpy.float16(5)
def received(sent):
    halfcl = sys.modules.get("halfcl")
    return __name__, sent.number, bool(halfcl and halfcl.accelerated_ufuncs())
def begin():
    if "halfcl" in sys.argv:
        import halfcl
        halfcl.accelerate()
if __name__ == "__main__":
    for method in get_all_start_methods():
        for initializer in (None, begin):
            with ProcessPoolExecutor(1, get_context(method), initializer) as pool:
                print(method, initializer and "begun", *pool.submit(received, Sent()).result())
"""


def test_processes_of_a_program(tmp_path):
    """A fork inherits the acceleration; other processes follow the options."""
    (tmp_path / "children.py").write_text(CHILDREN)
    commands = [
        [*PYTHON, "children.py"],
        [*OURS, "--no-children", "children.py", "halfcl"],
        [*OURS, "children.py"],
    ]
    outcomes = map(outcome, [start(command, tmp_path) for command in commands])
    (plain, *errors), alone, own = outcomes
    assert errors == ["", 0] and plain.count(" 5.0 False\n") >= 2
    lines = [
        line.replace("False", str("begun" in line or line.startswith("fork ")))
        for line in plain.splitlines()
    ]
    assert [alone[0].splitlines(), *alone[1:]] == [lines, "", 0]
    assert own == [plain.replace("False", "True"), "", 0]


# ------------------------------------------------------------------ without a program


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "expected script.py, -m module, -c code or - (standard input), got nothing"),
        (["-m"], "got nothing"),
        (["-c"], "got nothing"),
        ([""], "got nothing"),
        (["--no-children"], "got nothing"),
        (["-u", "script.py"], "got -u; python's own options come before -m halfcl"),
        (["--comparee", "x.py"], "got --comparee; did you mean --compare?"),
        (["--compare", "--round=3", "x.py"], "got --round; did you mean --rounds?"),
        (["--inspect", "x.py"], "got --inspect; python's own options come before -m halfcl"),
        (["a.ipynb"], "got the notebook a.ipynb; 'jupyter nbconvert --to script' makes a script"),
        (["missing.py"], "No such file or directory: 'missing.py'"),
        (["nul\0.py"], "embedded null"),
    ],
)
def test_without_a_program(arguments, message, capsys, tmp_path, monkeypatch):
    """Nothing of this process is changed."""
    monkeypatch.chdir(tmp_path)
    before = sys.argv, list(sys.path), sys.modules["__main__"], sys.excepthook, dict(os.environ)
    assert main(["run", *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("halfcl run: expected ") and message in line
    after = sys.argv, sys.path, sys.modules["__main__"], sys.excepthook, dict(os.environ)
    assert before == after
    assert not accelerated_ufuncs()
