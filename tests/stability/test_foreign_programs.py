"""``python -m halfcl stability``: programs with figures, functions and large libraries."""

import importlib
import logging
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from exhaustive import either, more, shared_out

from halfcl.stability._programs._recording.places import Places
from halfcl.stability._programs._recording.returns import ReturnWatcher
from halfcl.stability._programs._recording.watching import Recorder
from halfcl.stability._programs._running.child import Run
from halfcl.stability._programs._running.launching import Launcher
from halfcl.stability._programs._running.libraries import import_libraries, imported_libraries

pytestmark = pytest.mark.once


def program_runner(run):
    """Return a function that tests a program with a given source."""

    def run_program(text, *options):
        Path("program.py").write_text(text, encoding="utf-8")
        options = ("--no-blame", "--samples", "0", *options)
        return run("stability", *options, "program.py", modes=("rte", "rtp"))

    return run_program


def rows_of(out):
    """Return the cells of each result: numbers, spread, error, true digits, not stable."""
    table = out[out.index("\nresult ") + 1 :].split("\n\n")[0]
    end = table.index("not stable") + len("not stable")  # a column may follow
    lines = (line[:end].rsplit(None, 5) for line in table.splitlines())
    return {w[0].strip(): w[1:] for w in lines if len(w) == 6 and w[1].isdecimal()}


DRAWS = """\
import numpy as np
import matplotlib.pyplot as plt

x = np.arange(1, 11).astype(np.float16) / 128
y = 1 - np.cos(x)
plt.plot(x, y, label="versine")
plt.plot(y * 2)
plt.savefig("first.png")
plt.savefig("again.svg")
plt.clf()
plt.scatter(x, y)
plt.pause(1000)
plt.close()
figure, (left, right) = plt.subplots(1, 2)
left.imshow(np.outer(y, x))
right.bar(np.arange(10), y)
figure.waitforbuttonpress()
plt.show()
"""


def test_figures_are_compared(command_beside_figure):
    """Saved, closed and open figures are compared; nothing is shown, and `pause` returns at once.

    Figures that are open in the command's process do not belong to the program.
    """
    status, out, _ = command_beside_figure(DRAWS)
    rows = rows_of(out)
    sizes = {name: int(row[0]) for name, row in rows.items()}
    assert sizes == {
        "figure 1: versine, x": 10, "figure 1: versine, y": 10, "figure 1: line 2, y": 10,
        "figure 1: collection 1, places": 20, "figure 1, axes 1: image 1": 100,
        "figure 1, axes 2: bars, places": 20, "figure 1, axes 2: bars, heights": 10,
    }  # fmt: skip
    assert status == 1 and rows["figure 1: versine, x"][1:] == ["0", "0", "3.3", "0"]
    assert all(float(rows[name][1]) > 32 for name in sizes if name[-3:] not in (", x", "ces"))
    assert "\nfigure 1, axes 2: bars, places: is float64;" in out
    # Matplotlib has converted the positions of points from half to double.
    assert float(rows["figure 1: collection 1, places"][1]) > 32


def test_watch_selects_lines_of_figures(command_beside_figure):
    text = (
        "import matplotlib.pyplot as plt\nimport numpy as np\n"
        "x = np.linspace(0.01, 0.1, 10).astype(np.float16)\n"
        "plt.plot(x, 1 - np.cos(x), label='versine')\nplt.plot(x, x)\n"
    )
    status, out, _ = command_beside_figure(text, "--watch", "figure 1: versine", "--no-trace")
    assert status == 1 and len([name for name in rows_of(out) if "figure" in name]) == 2
    status, _, err = command_beside_figure(text, "--watch", "figure 7", "--no-trace")
    assert status == 2 and "expected a global variable, a function's (main.x), a file" in err


IN_FUNCTIONS = """\
import numpy as np

class Solver:
    def __init__(self, start):
        self.x = start

    def step(self, by):
        change = np.exp(by) - 1
        name = "text"
        return self.x + change

def main():
    solver = Solver(np.float16([1, 2]))
    for k in range(3):
        y = solver.step(np.float16(0.003))
    unused = None

main()
"""


@shared_out
def test_watch_compares_variables_of_functions(command):
    """Variables are recorded at each return, also while steps are traced."""
    status, out, _ = command(IN_FUNCTIONS, "--watch", "Solver.step.change", "--watch", "main.y")
    rows = rows_of(out)
    assert status == 1 and rows["Solver.step.change"][0] == "3" and rows["main.y"][0] == "2"
    assert float(rows["Solver.step.change"][1]) > 32 > float(rows["main.y"][1])
    assert command(IN_FUNCTIONS, "--watch", "step.change", "--no-trace")[0] == 1
    status, _, err = command(IN_FUNCTIONS, "--watch", "Solver.step.name")
    assert status == 2 and "'Solver.step.name': expected numbers" in err
    for name in ("main.z", "step", *either((".y", "main."), ())):
        status, _, err = command(IN_FUNCTIONS, "--watch", name)
        assert status == 2 and f"got {name!r}; the program outputs nothing" in err


#: The thread that starts first computes last.
IN_THREADS = """\
import threading
import time
import numpy as np

def work(k):
    time.sleep(0.03 * abs(4 - k))
    y = 1 + np.full(1, k, np.float16) / 77
    return y

threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 4)]
for thread in threads:
    thread.start()
work(4)
for thread in threads:
    thread.join()
"""


def test_watch_orders_threads_by_their_start(command):
    """Values of each thread stay together, whichever computes first."""
    status, out, _ = command(IN_THREADS, "--watch", "work.y")
    assert status == 0 and rows_of(out)["work.y"][0] == "4"
    with Launcher(60.0) as launcher:
        outcome = launcher.run_first(Run(("program.py",), variables=("work.y",)))
    want = 1 + np.array([4, 1, 2, 3], np.float16) / 77
    assert np.array_equal(np.ravel(outcome.watched["work.y"]), want)


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such signals")
@pytest.mark.parametrize("only_later", [True, *more(False)])
def test_an_interrupt_ends_all_runs(tmp_path, only_later):
    """SIGINT ends all runs: the first one, and others, which have their own process groups."""
    marks, scratch = tmp_path.with_name(f"{tmp_path.name}-marks"), tmp_path / "scratch"
    marks.mkdir(), scratch.mkdir()
    (tmp_path / "program.py").write_text(
        "import os, subprocess, time\nimport numpy as np\n"
        "def main():\n"
        "    y = np.ones(2, np.float16) / 3\n"
        f"    mark = os.path.join({str(marks)!r}, str(os.getpid()))\n"
        "    subprocess.run(['touch', mark], check=True)\n"  # which is not redirected
        f"    runs = subprocess.run(['ls', {str(marks)!r}], stdout=-1).stdout.split()\n"
        f"    if len(runs) > {int(only_later)}:\n"
        "        time.sleep(60)\n"
        "    return y\n"
        "main()\n"
    )
    options = ["--allow-write", str(marks), "--watch", "main.y", "program.py"]
    command = [sys.executable, "-m", "halfcl", "stability", *options]
    process = subprocess.Popen(
        command, cwd=tmp_path, env={**os.environ, "TMPDIR": str(scratch)}, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    try:
        until = time.monotonic() + 60
        while len(list(marks.iterdir())) < 1 + only_later and time.monotonic() < until:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode in (130, -signal.SIGINT) and "Traceback" not in err
    assert not list(scratch.iterdir()) and len(list(marks.iterdir())) > only_later
    for mark in marks.iterdir():
        with pytest.raises(ProcessLookupError):
            os.kill(int(mark.name), 0)


def test_other_processes_keep_their_backend(command_beside_figure, monkeypatch):
    """Only the program itself gets the Matplotlib backend of the report."""
    text = (
        "import os, subprocess, sys\nimport numpy as np\n"
        "code = 'import os; print(os.environ.get(\"MPLBACKEND\"))'\n"
        "output = subprocess.run([sys.executable, '-c', code], stdout=-1, text=True).stdout\n"
        "assert output.strip() == str(os.environ.get('MPLBACKEND')) == EXPECTED\n"
        "import matplotlib.pyplot as plt\n"
        "plt.plot(np.float16([0.1, 0.3]) / 3)\nplt.show()\n"
        "assert 'halfcl' in plt.get_backend()\n"
    )
    monkeypatch.delenv("MPLBACKEND", raising=False)
    for expected in either(("None", "svg"), ("None",)):
        if expected != "None":
            monkeypatch.setenv("MPLBACKEND", expected)
        status, out, _ = command_beside_figure(text.replace("EXPECTED", repr(expected)))
        assert status == 0 and rows_of(out)["figure 1: line 1, y"][0] == "2"


def test_figures_of_all_kinds(command_beside_figure):
    """Dates, words, 3D, masks, colours, and another backend that the program chooses."""
    text = (
        "import datetime\nimport matplotlib\nmatplotlib.use('Agg')\n"
        "import numpy as np\nimport matplotlib.pyplot as plt\n"
        "x = np.float16([1, 2, 3]) / np.float16(7)\n"
        "plt.plot([datetime.date(2020, 1, d) for d in (1, 2, 3)], x)\n"
        "plt.figure()\nplt.plot(list('abc'), np.ma.masked_less(x, 0.2))\n"
        "plt.figure()\nplt.subplot(projection='3d').plot(x, x, x, label='way')\n"
        "plt.figure()\nplt.fill_between(x, x)\nplt.contourf(np.outer(x, x))\n"
    )
    _, out, err = command_beside_figure(text)
    rows = rows_of(out)
    assert {"figure 1: line 1, y", "figure 2: line 1, y", "figure 3: way, z"} <= set(rows), err
    assert "figure 1: line 1, x" not in rows and "figure 2: line 1, x" not in rows


def test_watching_file_sets_no_profile_function():
    """A name such as energy.npy has a dot, too, but does not slow down the run."""
    watcher = ReturnWatcher(Places("line"), Recorder(), ("energy.npy", "x", "a.b.csv"), int)
    watcher.start()
    assert sys.getprofile() is None
    watcher = ReturnWatcher(Places("line"), Recorder(), ("main.x",), int)
    before = sys.getprofile()
    watcher.start()
    started = sys.getprofile()
    watcher.stop()
    assert started is not before and sys.getprofile() is None


def test_programs_without_output_fail_after_two_runs(command):
    """The error comes after two runs, not after all."""
    text = "import numpy as np\nx = np.float16(1) / np.float16(3)\nopen('log', 'a').write('x')\n"
    status, _, err = command(text, "--samples", "9000")
    assert status == 2 and "it outputs nothing that can be compared" in err
    status, _, err = command("print(1.5)", "--samples", "9000")
    assert status == 2 and "no operation of it rounds to half" in err


def test_report_abbreviates_many_results(command):
    text = (
        "import numpy as np\nfrom halfcl import stability\n"
        "for k in range(40):\n"
        "    stability.watch(f'n{k}', np.cos(np.float16(0.01)) - (1 if k in (3, 33) else 0))\n"
    )
    _, out, _ = command(text)
    rows = [name for name in rows_of(out) if name.startswith("n")]
    assert (
        rows[:2] == ["n3", "n33"]
        and len(rows) == 16
        and "\nand 24 more, each with at least 3.3 digits" in out
    )
    _, out, _ = command(text, "--samples", "3")
    assert re.search(r"and 24 more, each with at least 3\.[0-3] digits", out)


def test_report_lists_wider_results_in_one_line(command):
    text = (
        "import numpy as np\nfrom halfcl import stability\nx = np.float16([1, 2]) / np.float16(3)\n"
        "for k in range(9):\n    stability.watch(f'n{k}', x.astype(np.float64))\n"
    )
    _, out, _ = command(text)
    assert "n0; n1; n2; n3; n4; n5; and 3 more: are float64; operations in this type" in out


def test_libraries_are_imported_once(tmp_path, monkeypatch):
    """Known libraries are imported if they have the same file here; modules of programs are not."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "networkx.py").write_text("raise SystemExit('ran')")
    (tmp_path / "own.py").write_text("raise SystemExit('ran')")
    sys.modules.pop("networkx", None)
    import_libraries([("networkx", "/elsewhere/networkx.py"), ("networkx.utils", ""), ("PIL", "")])
    assert "networkx" not in sys.modules
    pytest.importorskip("matplotlib")
    names = [name for name, _ in imported_libraries(())]
    assert "matplotlib" in names and "sys" not in names and "own" not in names


def test_font_of_axes_is_found_once_for_all_runs():
    """Each axis asks for it; messages on fonts that are not installed are left to the runs."""
    pytest.importorskip("matplotlib")
    ticker = importlib.import_module("matplotlib.ticker")
    fonts = importlib.import_module("matplotlib.font_manager")
    import_libraries([])
    before = fonts.FontManager._findfont_cached.cache_info()
    ticker.ScalarFormatter()
    after = fonts.FontManager._findfont_cached.cache_info()
    assert after.misses == before.misses
    assert not logging.getLogger("matplotlib.font_manager").disabled
