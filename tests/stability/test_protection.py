"""``python -m halfcl stability`` protects the user's files, and leaves no processes."""

import contextlib
import fcntl
import functools
import io
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import threading
import time
import traceback
from pathlib import Path

import pytest
from exhaustive import either, more, shared_out

import halfcl as hc
from halfcl._command import main
from halfcl.stability._programs import _testing
from halfcl.stability._programs._running import protecting, scratch
from halfcl.stability._programs._running.launching import Launcher

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux has namespaces and Landlock"),
]

COMPUTES = "import numpy as np\nx = np.float16([1, 2]) / np.float16(3)\nprint(x)\n"


@pytest.mark.parametrize("prepare", [hc.decelerate, hc.accelerate])
def test_launcher_leaves_acceleration_as_it_was(prepare, tmp_path):
    before = hc.accelerated_ufuncs()
    try:
        prepare()
        own = hc.accelerated_ufuncs()
        with Launcher(60.0, str(tmp_path)):
            assert hc.accelerated_ufuncs() == own
        assert hc.accelerated_ufuncs() == own
    finally:
        (hc.accelerate if before else hc.decelerate)()


#: Mechanisms that work here, by the value of the variable; they are the same for all folders.
_MEANS = {}


def means_here(tmp_path):
    wanted = os.environ.get(protecting.VARIABLE)
    if wanted not in _MEANS:
        with Launcher(60.0, str(tmp_path)) as launcher:
            _MEANS[wanted] = launcher.means
    return _MEANS[wanted]


@pytest.fixture(params=["overlay,landlock", "landlock", ""])
def means(request, monkeypatch, tmp_path):
    """Mechanisms of the system: each in turn, then only the audit hook."""
    monkeypatch.setenv(protecting.VARIABLE, request.param)
    wanted = [name for name in request.param.split(",") if name]
    for name in wanted:
        if name not in means_here(tmp_path):
            pytest.skip(f"{name} is forbidden here")
    return wanted


#: Of what the first of these does, or all of them do alike.
mostly_overlay = pytest.mark.parametrize(
    "means", ["overlay,landlock", *more("landlock", "")], indirect=True
)
mostly_landlock = pytest.mark.parametrize(
    "means", ["landlock", *more("overlay,landlock", "")], indirect=True
)

#: Runs are protected alike in all modes: two to nearest follow the first one, which has read
#: standard input.
ONE_MODE = ("rte",)


def program_runner(run):
    """Return a function that tests a program with a given source."""

    def run_program(text, *options):
        Path("program.py").write_text(COMPUTES + text, encoding="utf-8")
        usual = ["--no-blame", "--no-trace", "--samples", "0"]
        return run("stability", *usual, *options, "program.py")

    return run_program


@pytest.fixture
def command(tmp_path, monkeypatch, run_aside):
    """Function that tests a program in a temporary folder: status, output, errors."""
    monkeypatch.chdir(tmp_path)
    return program_runner(functools.partial(run_aside, modes=ONE_MODE))


@pytest.fixture
def command_with(tmp_path, monkeypatch, run_aside):
    """Function of a limit's name and value; it returns one that tests a program."""
    monkeypatch.chdir(tmp_path)

    def limit(name, value):
        changes = {name: value}
        return program_runner(functools.partial(run_aside, modes=ONE_MODE, changes=changes))

    return limit


def state_of(folder):
    """Return the names, contents, modes, times and link targets of all entries below a folder."""
    state = {}
    for parent, folders, names in os.walk(folder):
        for name in folders + names:
            path = Path(parent, name)
            if path.name == "program.py":
                continue
            value = os.readlink(path) if path.is_symlink() else ""
            if path.is_file() and not path.is_symlink():
                value = path.read_bytes()
            state[str(path)] = value, path.lstat().st_mode, path.lstat().st_mtime_ns
    return state


#: Each changes files in the working folder, whose names begin with K. Those with an asterisk need
#: an overlay to succeed.
CHANGES = {
    "hidden": "open('.K/s.txt', 'w').write('new')\nassert open('.K/s.txt').read() == 'new'",
    "hidden, removed": "os.remove('.K/s.txt')\nassert not os.path.exists('.K/s.txt')",
    "bytes": "open(b'Ka.txt', 'w').write('new')\nassert open('Ka.txt').read() == 'new'",
    "bytes by number": "os.close(os.open(b'Ka.txt', os.O_WRONLY | os.O_TRUNC))\n"
    "assert not open('Ka.txt').read()",
    "bytes, removed": "os.remove(os.path.abspath(b'Ka.txt'))",
    "bytes, renamed": "os.rename(os.path.abspath(b'Ka.txt'), os.path.abspath(b'Kb.txt'))",
    "symlink": "os.symlink('Ka.txt', os.path.abspath('Klink'))\n"
    "assert os.readlink(os.path.abspath('Klink'))",
    "link": "os.link(os.path.abspath('Ka.txt'), os.path.abspath('Klink'))",
    "fifo": "os.mkfifo(os.path.abspath('Kfifo'))",
    "mode": "os.chmod('Ka.txt', 0o600)",
    "times": "os.utime(os.path.abspath('Ka.txt'), (1, 1))",
    "folder, renamed": "os.rename('.K', 'Knew')\n"
    "assert open('Knew/s.txt').read() == 'old' and not os.path.exists('.K')",
    "tree": "shutil.rmtree('.K')",
    "FileIO *": "io.FileIO('Ka.txt', 'w').write(b'new')",
    "shell *": "subprocess.run('echo x > Ka.txt; rm .K/s.txt; chmod 600 Ka.txt', shell=True)",
    "sqlite": "d = sqlite3.connect('Ka.db')\nd.execute('create table t (x)')\nd.commit()",
}

#: Changes that a program makes one after the other, each to files of its own.
TOGETHER = (
    [change for change in CHANGES if "*" not in change], *([c] for c in CHANGES if "*" in c)
)  # fmt: skip


@pytest.mark.parametrize("changes", TOGETHER, ids=["all", "FileIO *", "shell *"])
def test_files_in_working_folder_stay_unchanged(command, tmp_path, means, changes):
    """Files stay and the program continues; without an overlay, some changes are refused."""
    if not means and changes == ["shell *"]:
        pytest.skip("only the system controls other processes")
    text = "import io, os, shutil, sqlite3, subprocess\n"
    for k, change in enumerate(changes):
        (tmp_path / f".{k}").mkdir()
        (tmp_path / f".{k}" / "s.txt").write_text("old")
        (tmp_path / f"{k}a.txt").write_text("old")
        (tmp_path / f"{k}a.db").touch()
        text += CHANGES[change].replace("K", str(k)) + "\n"
    before = state_of(tmp_path)
    status, out, err = command(text)
    after = state_of(tmp_path)
    assert {k: v[0] for k, v in after.items()} == {k: v[0] for k, v in before.items()}
    if "overlay" in means or changes != ["shell *"]:  # Landlock does not restrict chmod.
        assert after == before
    assert not list(tmp_path.glob(f"{scratch.PREFIX}*"))
    if "overlay" in means or changes == TOGETHER[0]:
        assert status == 0, (out, err)
        for name in means:
            assert protecting.NAMES[name] in out.splitlines()[-1]
        assert ("no overlay could be mounted" in out) == ("overlay" not in means)
    if changes == ["FileIO *"] and "overlay" not in means:
        assert status == 2 and f"writes to {tmp_path / '0a.txt'} outside its folder" in err


#: One write by Python, and one by another process.
WRITES = ("io.FileIO(P, 'w').write(b'new')", "os.system(f'echo new > {P}')")


@pytest.mark.parametrize(
    ("means", "write"),
    [
        ("overlay,landlock", WRITES[0]),
        ("landlock", WRITES[1]),
        ("", WRITES[0]),
        *either([("overlay,landlock", WRITES[1]), ("landlock", WRITES[0])], []),
    ],
    indirect=["means"],
)
@shared_out
def test_files_outside_stay_unchanged(command, tmp_path, means, write):
    """The error names files that Python opens; options make these writes possible."""
    place = tmp_path.parent / f"{tmp_path.name}-elsewhere"
    place.mkdir()
    file = place / "a.txt"
    file.write_text("old")
    text = f"import io, os\nP = {str(file)!r}\n{write}\n"
    status, _, err = command(text)
    assert file.read_text() == "old"
    if "FileIO" in write:
        assert status == 2 and f"writes to {file} outside its folder; --allow-write {file}" in err
    if "overlay" in means:
        assert command(text, "--also", str(place))[0] == 0 and file.read_text() == "old"
    assert command(text, "--allow-write", str(place))[0] == 0
    assert file.read_text().strip() == "new"
    shutil.rmtree(place)


@mostly_landlock
def test_allow_write_changes_files_in_working_folder(command, tmp_path, means):
    """Files and folders in it can be allowed; allowing its parent does not include it."""
    (tmp_path / "sub").mkdir()
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("old")
    text = "for name in ('a.txt', 'b.txt', 'sub/c.txt'):\n    open(name, 'w').write('new')\n"
    assert command(text, "--allow-write", "a.txt", "--allow-write", "sub")[0] == 0
    assert [(tmp_path / name).read_text() for name in ("a.txt", "b.txt")] == ["new", "old"]
    assert (tmp_path / "sub" / "c.txt").read_text() == "new"
    places = ["--allow-write", ".", "--allow-write", str(tmp_path.parent)]
    assert command(text, *places)[0] == 0 and (tmp_path / "b.txt").read_text() == "old"


@mostly_overlay
def test_targets_of_links_stay_unchanged(command, tmp_path, means):
    """Writing to a link in the folder does not change the file outside that it points to."""
    file = tmp_path.parent / f"{tmp_path.name}-target"
    file.write_text("old")
    (tmp_path / "link").symlink_to(file)
    status, _, err = command("open('link', 'w').write('new')\nassert open('link').read() == 'new'")
    assert status == 0, err
    assert file.read_text() == "old" and (tmp_path / "link").is_symlink()
    command("import subprocess; subprocess.run(['sh', '-c', 'echo x > link'])")
    if means:
        assert file.read_text() == "old"


#: Names files in many ways; the program succeeds, and the user's files stay.
PATHS = """
import os, shutil, tarfile
from pathlib import Path
E = {place!r}
folder = os.open("sub", os.O_RDONLY)
file = os.open("a.txt", os.O_WRONLY | os.O_TRUNC, dir_fd=folder)  # relative to the open folder
os.write(file, b"new"), os.close(file)
assert open("sub/a.txt").read() == "new" and open("a.txt").read() == "old"
os.unlink("b.txt", dir_fd=folder), os.mkdir("d", dir_fd=folder)
os.rename("c.txt", "e.txt", src_dir_fd=folder, dst_dir_fd=folder)
os.chmod("e.txt", 0o600, dir_fd=folder), os.utime("e.txt", (1, 1), dir_fd=folder)
assert sorted(os.listdir("sub")) == ["a.txt", "d", "e.txt"]
assert sorted(os.listdir(os.path.join({work!r}, "sub"))) == ["a.txt", "d", "e.txt"]
other = os.open(E, os.O_RDONLY)
os.close(os.open("x.txt", os.O_RDONLY | os.O_TRUNC, dir_fd=other))
open("../" + os.path.basename(E) + "/y.txt", "w").write("new")
assert open(os.path.join(E, "y.txt")).read() == "new" and not open(os.path.join(E, "x.txt")).read()
open("there/../z.txt", "w").write("new")  # in the parent of the link's target
assert not os.path.exists("z.txt")
class Named:
    def __fspath__(self): return b"sub/f.txt"
open(Named(), "w").write("new"), os.remove(Named())
open("g.txt", "w", opener=lambda path, flags: os.open(path, flags, dir_fd=folder)).write("new")
assert open("sub/g.txt").read() == "new"
os.remove("there")  # only the link
for missing in ("missing", "sub/missing"):
    try:
        os.remove(missing)
        raise AssertionError
    except FileNotFoundError as error:
        assert error.filename == missing
for wrong in (os.remove, os.rmdir):
    try:
        wrong(".cache")
        raise AssertionError
    except OSError:
        assert os.path.exists(".cache/s.txt")
assert not os.path.islink("a.txt") and os.stat("a.txt", follow_symlinks=False).st_size == 3
with tarfile.open("t.tar", "w") as tar:
    tar.add("a.txt")
    assert tar.getmembers()[0].isreg()
shutil.rmtree(".", ignore_errors=True)
assert not os.listdir(".")
"""


@mostly_landlock
def test_ways_to_name_files(command, tmp_path, means):
    """Files are named by open folders, `..` above the folder and after links, objects, openers."""
    place = tmp_path.parent / f"{tmp_path.name}-other"
    for folder in (tmp_path / "sub", tmp_path / ".cache", place, place / "in"):
        folder.mkdir()
    names = ("a.txt", "sub/a.txt", "sub/b.txt", "sub/c.txt", ".cache/s.txt")
    for file in (*(tmp_path / name for name in names), place / "x.txt", place / "y.txt"):
        file.write_text("old")
    (tmp_path / "there").symlink_to(place / "in")
    before = state_of(tmp_path), state_of(place)
    status, _, err = command(PATHS.format(place=str(place), work=str(tmp_path)))
    assert (state_of(tmp_path), state_of(place)) == before
    assert status == 0, err


def test_hook_refuses_fchmod_of_open_file(command, tmp_path, means):
    """The hook refuses to change the mode of a file that is open for reading, and names it."""
    (tmp_path / "a.txt").write_text("old")
    before = state_of(tmp_path)
    text = "import os\nfile = os.open('a.txt', os.O_RDONLY)\nos.fchmod(file, 0o600)\n"
    status, _, err = command(text + "os.utime(1, (1, 1))")
    assert state_of(tmp_path) == before
    assert status == (0 if "overlay" in means else 2)
    assert "overlay" in means or f"writes to {tmp_path / 'a.txt'} outside its folder" in err


@pytest.mark.parametrize("means", ["", *more("landlock")], indirect=True)
def test_hard_links_do_not_change_files_of_user(command, tmp_path, means):
    """A write to a hard link of a user's file does not change the file."""
    file = tmp_path.parent / f"{tmp_path.name}-file"
    file.write_text("old")
    text = f"import os\nos.link({str(file)!r}, 'x')\nopen('x', 'w').write('new')\n"
    status, _, err = command(f"{text}assert open({str(file)!r}).read() == 'new'")
    assert file.read_text() == "old" and status == 0, err


@pytest.mark.parametrize("means", [""], indirect=True)
def test_changed_files_are_copied_up_to_a_limit(command_with, tmp_path, means):
    """Without an overlay, changed files are copied up to the limit, but not overwritten files."""
    command = command_with(f"{scratch.__name__}.MOST_BYTES", 1000)
    (tmp_path / "a.bin").write_bytes(bytes(900))
    (tmp_path / "b.bin").write_bytes(bytes(101))
    text = "open('a.bin', 'ab').write(b'x')\n"
    assert command(f"{text}open('b.bin', 'w').write('x')")[0] == 0
    status, _, err = command(f"{text}open('b.bin', 'ab').write(b'x')")
    assert status == 2 and "expected at most 1 GiB of files that a program changes" in err
    assert "b.bin" in err and (tmp_path / "b.bin").stat().st_size == 101


def test_large_working_folders(command_with, tmp_path, means):
    """With an overlay there is no limit; without one, the error names the limit of links."""
    command = command_with(f"{scratch.__name__}._MOST_LINKS", 40)
    folder = tmp_path / "many"
    folder.mkdir()
    for k in range(50):
        (folder / f"{k}.txt").write_text("old")
    status, _, err = command("open('many/49.txt', 'w').write('new')")
    assert (folder / "49.txt").read_text() == "old"
    if "overlay" in means:
        assert status == 0
        return
    assert status == 2 and "expected at most 40 files and folders" in err and "--folder" in err
    (tmp_path / "few").mkdir()
    assert command("open('x.txt', 'w').write('new')", "--folder", "few")[0] == 0
    assert not list((tmp_path / "few").iterdir())


@mostly_overlay
def test_folder_names_with_commas_and_colons(tmp_path, monkeypatch, command, means):
    """These characters separate the options of an overlay."""
    folder = tmp_path / "a,b:c\\ d"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / "a.txt").write_text("old")
    assert command("import os\nassert os.getcwd()\nopen('a.txt', 'w').write('new')")[0] == 0
    assert (folder / "a.txt").read_text() == "old"


@mostly_overlay
def test_temporary_folder_in_the_working_folder(tmp_path, monkeypatch, command, means):
    (tmp_path / "scratch").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "scratch"))
    monkeypatch.setattr("tempfile.tempdir", None)
    assert command("open('a.txt', 'w').write('new')")[0] == 0
    assert not list((tmp_path / "scratch").iterdir()) and not (tmp_path / "a.txt").exists()


@mostly_overlay
def test_devices_and_shared_memory_work(command, tmp_path, means):
    text = (
        "import multiprocessing, os, tempfile, subprocess\n"
        "open('/dev/null', 'w').write('x')\n"
        "a, b = os.openpty(); os.write(b, b'x')\n"
        "lock = multiprocessing.Lock()\n"
        "from multiprocessing import shared_memory\n"
        "m = shared_memory.SharedMemory(create=True, size=8); m.close(); m.unlink()\n"
        "tempfile.TemporaryFile().write(b'x')\n"
        "subprocess.run('echo x > $TMPDIR/x; cat $TMPDIR/x > /dev/null', shell=True, check=True)\n"
    )
    status, _, err = command(text)
    assert status == 0, err


@mostly_landlock
def test_python_processes_write_to_folder_of_run(command, tmp_path, means):
    """Python processes of a run write to its folder; the report names a refused file."""
    place = tmp_path.parent / f"{tmp_path.name}-place"
    place.mkdir()
    for file in (tmp_path / "a.txt", place / "a.txt"):
        file.write_text("old")
    before = state_of(tmp_path), state_of(place)
    names = "a.txt", str(place / "a.txt")
    code = "".join(f"open({name!r}, 'w').write('1.5')\n" for name in names)
    start = "import subprocess, sys\nsubprocess.run([sys.executable, '-c', {!r}], check=True)\n"
    status, out, err = command(start.format(code))
    assert (state_of(tmp_path), state_of(place)) == before
    assert status == 0, err
    assert "\na.txt " in out and str(place / "a.txt") in out and "it starts 1 other process" in out
    code = f"import io\ntry:\n    io.FileIO({names[1]!r}, 'w')\nexcept OSError:\n    pass\n"
    status, _, err = command(start.format(code))
    assert (state_of(tmp_path), state_of(place)) == before
    assert status == 2 and f"writes to {names[1]} outside its folder" in err
    shutil.rmtree(place)


@pytest.mark.parametrize("means", [""], indirect=True)
def test_spawned_processes_write_to_folder_of_run(command, tmp_path, means):
    (tmp_path / "a.txt").write_text("old")
    before = state_of(tmp_path)
    text = "import multiprocessing, sys\ncode = \"open('a.txt', 'w').write('1.5')\"\n"
    text += (
        "del sys.modules['__main__'].__file__  # which the process would run, and import NumPy\n"
    )
    start = "multiprocessing.get_context('spawn').Process(target=exec, args=(code,)).start()"
    status, out, err = command(f"{text}{start}\n")
    assert state_of(tmp_path) == before
    assert status == 0 and "\na.txt " in out, err


@pytest.mark.parametrize("means", ["overlay,landlock", *more("landlock")], indirect=True)
def test_report_mentions_refused_programs(command, tmp_path, means):
    """The kernel does not list refusals, so the headline mentions failed programs."""
    file = tmp_path.parent / f"{tmp_path.name}-refused"
    file.write_text("old")
    text = f"import os\nos.system('touch -d 2001-01-01 {file}; (echo new > {file}){{}}')\n"
    before = file.stat().st_mtime_ns
    status, out, _ = command(text.format(""))
    assert status == 0 and file.read_text() == "old"
    headline = out.splitlines()[0]
    assert "within 32 ulps" in headline  # the reference may add how far off it is
    assert headline.endswith("; 1 other process failed; something was refused")
    assert "is refused, and not listed" in out
    assert command(text.format(" || true"))[1].splitlines()[0].endswith("; something was refused")
    # Landlock does not restrict changes of times, but mounts other than the overlay are read-only.
    assert "overlay" not in means or file.stat().st_mtime_ns == before
    file.unlink()


@pytest.mark.parametrize("means", ["landlock", ""], indirect=True)
def test_error_explains_read_only_folder(command, tmp_path, means):
    (tmp_path / "a.db").touch()
    file = tmp_path / "a.db"
    text = f"import sqlite3\nsqlite3.connect({str(file)!r}).execute('create table t (x)')"
    status, _, err = command(text)
    assert status == 2 and not file.stat().st_size
    message = "readonly database (no overlay could be mounted here"
    assert (message if means else f"writes to {file}") in err


@pytest.mark.parametrize("means", ["memory"], indirect=True)
def test_layers_in_memory_have_a_limit(command_with, tmp_path, means):
    command = command_with(f"{protecting.__name__}.MOST_BYTES", 1 << 20)
    assert command("open('a.bin', 'wb').write(bytes(1 << 19))")[0] == 0
    status, _, err = command("open('a.bin', 'wb').write(bytes(1 << 21))")
    assert status == 2 and "No space left on device" in err and not (tmp_path / "a.bin").exists()


def test_folders_on_an_overlay(tmp_path, monkeypatch):
    """Neither the scratch folder nor the working folder can be a layer, as in a container."""
    if "overlay" not in means_here(tmp_path):
        pytest.skip("overlays are forbidden here")
    monkeypatch.setattr(_testing, "MODES", ONE_MODE)
    top, upper, work = (tmp_path / name for name in ("top", "upper", "work"))
    for folder in (top / "own", top / "places", upper, work):
        folder.mkdir(parents=True)
    (top / "own" / "program.py").write_text(
        f"{COMPUTES}import os, shutil\nopen('a.txt', 'w').write('1.5')\n"
        "os.system('echo 2.5 > b.txt; mkdir c; echo 3.5 > c/d.txt')\n"
        "shutil.rmtree('old'), os.mkdir('old'), os.rename('old', 'new')\n"
    )
    (top / "own" / "old").mkdir()
    for name in ("a.txt", "old/e.txt"):
        (top / "own" / name).write_text("old")
    report = tmp_path / "report"
    before = state_of(top / "own")

    def run_below_an_overlay():
        protecting._enter_namespaces()
        protecting._mount_overlay(str(top), os.open(top, os.O_PATH), str(upper), str(work))
        os.environ["TMPDIR"], tempfile.tempdir = str(top / "places"), None
        os.environ.pop(protecting.VARIABLE, None)
        os.chdir(top / "own")
        with contextlib.redirect_stdout(io.StringIO()) as out:
            status = main(["stability", "--samples", "0", "--no-blame", "program.py"])
        assert state_of(top / "own") == before and not os.listdir(top / "places")
        report.write_text(f"{status}\n{out.getvalue()}")

    assert in_fork(run_below_an_overlay) == 0
    text = report.read_text()
    assert text.startswith("0\n") and "whose layer is in memory" in text
    assert "\na.txt" in text and "\nb.txt" in text and "\nc/d.txt" in text


def in_fork(function):
    """Call a function in a fork of this process, and return its exit status."""
    number = os.fork()
    if not number:
        status = 1
        try:
            function()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    return os.waitpid(number, 0)[1]


def test_command_in_threads(tmp_path, monkeypatch):
    """The command works in parallel threads, and in a process that ignores SIGCHLD."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_testing, "MODES", ONE_MODE)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "places"))
    monkeypatch.setattr("tempfile.tempdir", None)
    (tmp_path / "places").mkdir()
    Path("program.py").write_text(f"{COMPUTES}open('a.txt', 'w').write('1.5')\n")
    statuses = []

    def run():
        usual = ["--no-blame", "--no-trace", "--samples", "0"]
        statuses.append(main(["stability", *usual, "program.py"]))

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        run()
        assert signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGCHLD, before)
    assert statuses == [0, 0, 0]
    assert not Path("a.txt").exists() and not list((tmp_path / "places").iterdir())


def test_sources_that_another_thread_forgets(monkeypatch):
    """A test that begins meanwhile in another thread forgets changed files, too."""

    class Shared(dict):
        def __getitem__(self, file):
            self.pop(file)
            raise KeyError(file)

    cache = Shared({"a.py": (1, 0.0, [], "a.py"), "b.py": (1, 0.0, [], "b.py")})
    monkeypatch.setattr("linecache.cache", cache)
    _testing.forget_changed_sources()
    assert not cache


#: Only root may be able to read Python's files, so a first test by root imports the modules.
AS_NOBODY = """\
import ctypes, os, sys
from halfcl._command import main
from halfcl.stability._programs import _testing
_testing.MODES = ("rte",)
folder, command = sys.argv[1], ["stability", "--samples", "0", "--no-blame", "program.py"]
os.chdir(folder)
main(command)
os.setgroups([]), os.setgid(65534), os.setuid(65534)
ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # PR_SET_DUMPABLE, as after exec
for name in "abc":
    open(name, "w").write("old")
os.chmod("c", 0o444)
print("--", flush=True)
status = main(command)
print([open(name).read() for name in "abc"], status, os.listdir(os.environ["TMPDIR"]))
"""


@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="root can be another user")
@pytest.mark.parametrize("means", ["overlay,landlock", *more("landlock")], indirect=True)
def test_command_as_ordinary_user(means):
    """Files stay unchanged, and the user's permissions apply."""
    with tempfile.TemporaryDirectory() as folder:
        places = [os.path.join(folder, name) for name in ("work", "temporary")]
        for place in (*places, folder):
            os.makedirs(place, exist_ok=True)
            os.chmod(place, 0o777)
        Path(places[0], "program.py").write_text(
            f"{COMPUTES}import os\nif os.path.exists('c') and os.getuid():\n"
            "    open('a', 'w').write('new')\n    os.system('echo new > b')\n"
            "    os.system('echo new > c')\n    assert open('c').read() == 'old'\n"
        )
        ran = subprocess.run(
            [sys.executable, "-c", AS_NOBODY, places[0]], capture_output=True, text=True,
            env={**os.environ, "TMPDIR": places[1]}, check=False,
        )  # fmt: skip
    out = ran.stdout.split("--\n")[-1]
    assert "['old', 'old', 'old'] 0 []" in out, ran.stdout + ran.stderr
    for name in means:
        assert protecting.NAMES[name] in out


#: A child in its own session that ignores all signals except SIGKILL, and its child.
STAYS = "trap '' INT TERM HUP; sleep 300 & echo $$ $! > numbers; wait"


@pytest.mark.parametrize(
    "ending",
    [
        (signal.SIGTERM, ""),
        (signal.SIGKILL, "overlay,landlock"),
        ("group", ""),
        ("^C", "overlay,landlock"),
        *more(
            (signal.SIGHUP, "landlock"),
            (signal.SIGTERM, "overlay,landlock"),
            (signal.SIGKILL, "landlock"),
            (signal.SIGKILL, ""),
            ("group", "overlay,landlock"),
            ("^C", ""),
        ),
    ],
)
def test_runs_end_with_the_command(tmp_path, ending):
    """However the command ends, processes of its runs end, too, and folders are removed."""
    way, only = ending
    places, work, numbers = tmp_path / "places", tmp_path / "work", tmp_path / "numbers"
    places.mkdir(), work.mkdir(), numbers.mkdir()
    (work / "program.py").write_text(
        f"{COMPUTES}import os, signal, subprocess, time\n"
        f"os.chdir({str(numbers)!r})\n"
        f"subprocess.Popen(['sh', '-c', {STAYS!r}], start_new_session=True)\n"
        "open('own', 'w').write(str(os.getpid()))\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "while True: time.sleep(1)\n"
    )
    with command_process(work, way == "^C", only, places, numbers) as (process, keyboard):
        running = []
        try:
            until = time.monotonic() + 60
            while len(running) < 3 and time.monotonic() < until:
                running = [int(n) for file in numbers.iterdir() for n in file.read_text().split()]
                time.sleep(0.02)
            assert len(running) == 3 and list(places.iterdir())
            if way == "^C":
                os.write(keyboard, b"\x03")
                assert process.wait(30) == 130
            elif way == "group":
                os.killpg(process.pid, signal.SIGKILL)
                assert process.wait(30) == -signal.SIGKILL
            else:
                process.send_signal(way)
                assert process.wait(30) == -way
            while time.monotonic() < until and (
                any(is_running(number) for number in running) or list(places.iterdir())
            ):
                time.sleep(0.02)
            assert not any(is_running(number) for number in running)
            assert not list(places.iterdir())
        finally:
            for number in running:
                with contextlib.suppress(OSError):
                    os.kill(number, signal.SIGKILL)


@contextlib.contextmanager
def command_process(work, in_terminal, only, places, allowed):
    """Run the command in a process; yield it and the other end of its terminal."""
    keyboard, terminal = os.openpty()
    # The process may inherit an ignored SIGHUP (nohup), which would not end it.
    process = subprocess.Popen(
        ["env", "--default-signal", sys.executable, "-m", "halfcl", "stability",
         "--allow-write", str(allowed), "program.py"],
        cwd=work, stdin=terminal if in_terminal else subprocess.PIPE, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True,
        preexec_fn=(lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)) if in_terminal else None,
        env={**os.environ, "TMPDIR": str(places), protecting.VARIABLE: only},
    )  # fmt: skip
    try:
        yield process, keyboard
    finally:
        process.kill(), process.communicate()
        os.close(keyboard), os.close(terminal)


def is_running(number):
    """Return whether a process runs; a zombie does not."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
