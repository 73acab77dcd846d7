"""Files that halfcl writes: their owners and permissions, and that no content is lost."""

import ast
import os
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from exhaustive import more, one_in

import halfcl as hc
from halfcl import half, io
from halfcl._command import main
from halfcl._support import files

pytestmark = pytest.mark.once

on_posix = pytest.mark.skipif(
    os.name == "nt", reason="Windows has no modes, and other links, devices and lengths of names"
)

PIXELS = half(np.random.default_rng(0).random((40, 50)))

#: Writers by the suffix of their files.
WRITERS = {
    "exr": lambda path: io.write_exr(path, PIXELS),
    "png": lambda path: io.write_png(path, PIXELS, transfer="linear"),
    "clf": lambda path: io.write_half_domain_lut(path, hc.sqrt),
}


@pytest.fixture(params=WRITERS)
def suffix(request):
    return request.param


@pytest.fixture
def path(tmp_path, suffix):
    return tmp_path / f"file.{suffix}"


@pytest.fixture
def write(suffix):
    return WRITERS[suffix]


@pytest.fixture
def content(tmp_path, write, suffix):
    """The bytes that the writer writes."""
    aside = tmp_path / f"aside.{suffix}"
    write(aside)
    written = aside.read_bytes()
    aside.unlink()
    return written


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


# ---------------------------------------------------------------- rights


@on_posix
@pytest.mark.parametrize("rights", [0o640, 0o755, *more(0o600, 0o664, 0o644)])
def test_replaced_file_keeps_its_mode(path, write, content, rights):
    path.write_bytes(b"older")
    path.chmod(rights)
    write(path)
    assert (mode(path), path.read_bytes()) == (rights, content)


@on_posix
@pytest.mark.parametrize("umask", [0o077, *more(0o022, 0o002)])
def test_new_file_has_the_default_mode(path, write, umask):
    before = os.umask(umask)
    try:
        write(path)
    finally:
        os.umask(before)
    assert mode(path) == 0o666 & ~umask


@on_posix
def test_temporary_file_is_private(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"older")
    path.chmod(0o600)
    with files.replacing(path) as temporary:
        assert mode(temporary) == 0o600


needs_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away"
)


@needs_root
def test_replaced_file_keeps_its_owner(path, write):
    path.write_bytes(b"older")
    path.chmod(0o640)
    os.chown(path, 12345, 23456)
    write(path)
    status = path.stat()
    assert (status.st_uid, status.st_gid, mode(path)) == (12345, 23456, 0o640)


@needs_root
@pytest.mark.parametrize(
    ("before", "after"), [(0o640, 0o600), (0o664, 0o644), (0o604, 0o600), (0o666, 0o666)]
)
def test_other_group_gets_common_permissions_only(path, write, monkeypatch, before, after):
    def deny(*arguments):
        raise PermissionError

    path.write_bytes(b"older")
    os.chown(path, 12345, 23456)
    path.chmod(before)
    monkeypatch.setattr(os, "chown", deny)
    write(path)
    assert mode(path) == after


ACCESS = "system.posix_acl_access"
#: Access control lists as Linux stores them: (tag, rights, id); user 12345 may read.
LIST = b"\x02\0\0\0" + b"".join(
    tag.to_bytes(2, "little") + rights.to_bytes(2, "little") + who.to_bytes(4, "little")
    for tag, rights, who in (
        (1, 6, 2**32 - 1), (2, 4, 12345), (4, 0, 2**32 - 1), (16, 4, 2**32 - 1), (32, 0, 2**32 - 1)
    )
)  # fmt: skip


def set_attribute(path, name, value):
    try:
        os.setxattr(path, name, value)
    except (AttributeError, OSError) as error:
        pytest.skip(f"no {name} here: {error}")


def test_replaced_file_keeps_its_access_list(path, write):
    path.write_bytes(b"older")
    set_attribute(path, ACCESS, LIST)
    set_attribute(path, "user.note", b"mine")
    write(path)
    assert os.getxattr(path, ACCESS) == LIST and os.getxattr(path, "user.note") == b"mine"


def test_folders_access_list_is_not_inherited(path, write):
    path.write_bytes(b"older")
    path.chmod(0o640)
    set_attribute(path.parent, "system.posix_acl_default", LIST)
    write(path)
    assert ACCESS not in os.listxattr(path) and mode(path) == 0o640


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write to every file"
)
def test_read_only_file_stays(path, write):
    path.write_bytes(b"older")
    path.chmod(0o444)
    with pytest.raises(PermissionError, match=path.name):
        write(path)
    assert path.read_bytes() == b"older" and os.listdir(path.parent) == [path.name]


# ---------------------------------------------------------------- links


@on_posix
@pytest.mark.parametrize("link", ["file", "folder/file", "missing"])
def test_links_are_written_through(tmp_path, suffix, write, content, link):
    (tmp_path / "folder").mkdir()
    for older in ("file", "folder/file"):
        (tmp_path / f"{older}.{suffix}").write_bytes(b"older")
    first, second = tmp_path / f"first.{suffix}", tmp_path / f"second.{suffix}"
    first.symlink_to(f"{link}.{suffix}")
    second.symlink_to(first)
    write(second)
    assert first.is_symlink() and second.is_symlink()
    assert (tmp_path / f"{link}.{suffix}").read_bytes() == content


@on_posix
def test_link_to_itself_is_refused(path, write):
    path.symlink_to(path.name)
    with pytest.raises(OSError, match=path.name):
        write(path)
    assert path.is_symlink() and os.listdir(path.parent) == [path.name]


def test_only_the_named_hard_link_is_replaced(path, write, content):
    path.write_bytes(b"older")
    other = path.with_name("other")
    os.link(path, other)
    write(path)
    assert path.read_bytes() == content and other.read_bytes() == b"older"


# ---------------------------------------------------------------- pipes and devices


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_pipe_receives_the_content(path, write, content):
    os.mkfifo(path)
    read = []
    reader = threading.Thread(target=lambda: read.append(path.read_bytes()))
    reader.start()
    write(path)
    reader.join()
    assert read == [content] and stat.S_ISFIFO(path.stat().st_mode)


@on_posix
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_full_device_is_an_error(path, write):
    path.symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left on device.*" + path.name):
        write(path)
    assert path.is_symlink() and stat.S_ISCHR(os.stat("/dev/full").st_mode)


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="there are no such sockets here")
def test_socket_is_refused(tmp_path, write, suffix, monkeypatch):
    monkeypatch.chdir(tmp_path)  # names of sockets are short
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(f"s.{suffix}")
        with pytest.raises(OSError, match=rf"s\.{suffix}"):
            write(f"s.{suffix}")
    assert stat.S_ISSOCK(os.stat(f"s.{suffix}").st_mode)


PRINTS = """
import sys
from halfcl._support import files
print("before")
files.write_bytes(sys.argv[1], b"written\\n")
print("after")
"""


@on_posix
@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="there is no /dev/stdout here")
@pytest.mark.parametrize("name", ["/dev/stdout", *more("/dev/fd/1", "/proc/self/fd/1", "link")])
def test_standard_output_by_name(tmp_path, name):
    """Standard output may be a pipe, a file, or a file in append mode; printed text stays."""
    if name == "link":
        name = str(tmp_path / "link")
        os.symlink("/dev/stdout", name)
    if not os.path.exists(name):
        pytest.skip(f"there is no {name} here")
    command = [sys.executable, "-c", PRINTS, name]
    piped = subprocess.run(command, capture_output=True, check=True).stdout
    assert piped == b"before\nwritten\nafter\n"
    for how, older in (("wb", b""), ("ab", b"older\n")):
        path = tmp_path / "out"
        path.write_bytes(b"older\n")
        with open(path, how) as out:
            subprocess.run(command, stdout=out, check=True)
        assert path.read_bytes() == older + piped


# ---------------------------------------------------------------- failures


@pytest.fixture
def full_disk():
    """Return a function that limits the size of files."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def limit(size):
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))

    yield limit
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("room", ["nothing", "some", "all but a byte"])
def test_full_disk_leaves_the_older_file(path, write, content, full_disk, room):
    path.write_bytes(b"older")
    full_disk({"nothing": 0, "some": len(content) // 2}.get(room, len(content) - 1))
    with pytest.raises(OSError, match=rf"File too large.*{path.name}'$"):
        write(path)
    assert path.read_bytes() == b"older" and os.listdir(path.parent) == [path.name]


def test_small_picture_is_not_truncated(tmp_path, full_disk):
    """OpenEXR writes a small picture when it closes the file, and reports no error then."""
    path = tmp_path / "a.exr"
    io.write_exr(path, PIXELS[:2, :3])
    older = path.read_bytes()
    full_disk(len(older) - 2)
    with pytest.raises(OSError, match="File too large"):
        io.write_exr(path, PIXELS[2:4, :3])
    assert path.read_bytes() == older


def test_interruption_leaves_the_older_file(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"older")
    with pytest.raises(KeyboardInterrupt), files.replacing(path) as temporary:
        with open(temporary, "wb") as file:
            file.write(b"new")
        raise KeyboardInterrupt
    assert path.read_bytes() == b"older" and os.listdir(tmp_path) == ["file"]


def test_errors_name_the_file(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    for name, error in (
        ("no/file", FileNotFoundError), ("file/file", NotADirectoryError),
        ("x" * 300, OSError), (".", IsADirectoryError),
    ):  # fmt: skip
        path = str(tmp_path / name)
        for ask in (files.check_place, lambda p: files.write_bytes(p, b"")):
            with pytest.raises(error) as caught:
                ask(path)
            assert repr(path) in str(caught.value) and ".halfcl-" not in str(caught.value)
    assert os.listdir(tmp_path) == ["file"]


@on_posix
def test_names_of_any_length_and_suffix(tmp_path):
    for name in ("a", ".a", "a." + "b" * 250, "x" * 255, "ä.png"):
        files.check_place(tmp_path / name)
        assert not os.path.exists(tmp_path / name)
        files.write_bytes(tmp_path / name, b"1")
        files.check_place(tmp_path / name)
        assert (tmp_path / name).read_bytes() == b"1"
    assert len(os.listdir(tmp_path)) == 5


# ---------------------------------------------------------------- the command line's files


def error_line(main_status, capsys):
    """Return the one line of a command's error."""
    assert main_status == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line


ADDS = """
kernel void add(global int *a, global int *b) {
    printf("ran\\n");
    a[get_global_id(0)] += 1;
    b[get_global_id(0)] += 2;
}
"""


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    """Arguments that run a kernel on two files, a.npy and b.npy."""
    pytest.importorskip("clang", reason="without the extra 'kernels'")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.cl").write_text(ADDS)
    for name, size in (("a", 1000), ("b", 3000)):
        np.save(f"{name}.npy", np.arange(size, dtype=np.int32))
        os.chmod(f"{name}.npy", 0o640)
    return ["kernel", "k.cl", "--run", "add", "--global", "1000", "--arg", "a.npy", "--arg"]


@on_posix
def test_kernels_results_keep_permissions(kernel):
    assert main([*kernel, "b.npy"]) == 0
    for name, added in (("a", 1), ("b", 2)):
        assert np.load(f"{name}.npy")[:1000].tolist() == [k + added for k in range(1000)]
        assert mode(f"{name}.npy") == 0o640


@pytest.mark.parametrize("room", [3000, 10_000, 12_127])
def test_kernel_on_a_full_disk_leaves_all_inputs(kernel, capsys, full_disk, room):
    """All files stay, also if the first one fits, or a byte is missing, which NumPy buffers."""
    before = {name: Path(f"{name}.npy").read_bytes() for name in "ab"}
    full_disk(room)
    status = main([*kernel, "b.npy"])
    assert "File too large: " in error_line(status, capsys)
    assert {name: Path(f"{name}.npy").read_bytes() for name in "ab"} == before
    assert sorted(os.listdir()) == ["a.npy", "b.npy", "k.cl"]


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("a.npy", "--arg a.npy: expected a file per array, got this one twice"),
        ("./a.npy", "--arg ./a.npy: expected a file per array"),
        ("zeros:int:1000:no/b.npy", "No such file or directory: 'no/b.npy'"),
        ("zeros:int:1000:k.cl", "expected a name that ends in .npy, got 'k.cl'"),
        ("zeros:int:1000:/dev/full", "expected a name that ends in .npy, got '/dev/full'"),
        ("empty.npy", "--arg empty.npy: "),
    ],
)
def test_kernel_that_cannot_save_is_not_run(kernel, capfd, argument, message):
    Path("empty.npy").touch()
    assert main([*kernel, argument]) == 2
    printed, errors = capfd.readouterr()
    assert message in errors and len(errors.splitlines()) == 1 and "ran" not in printed
    assert np.load("a.npy")[0] == 0 and "kernel" in Path("k.cl").read_text()


@on_posix
def test_kernels_results_on_a_full_device(kernel, capsys):
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full here")
    os.symlink("/dev/full", "full.npy")
    status = main([*kernel, "zeros:int:1000:full.npy"])
    assert "No space left on device: 'full.npy'" in error_line(status, capsys)
    assert np.load("a.npy")[0] == 0


@on_posix
@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there is no /dev/zero here")
@pytest.mark.parametrize(
    ("arguments", "name", "units"),
    [
        (["kernel", "/dev/zero"], "file", "16,777,216 characters"),
        (
            ["audit", "numpy", "--functions", "sqrt", "--baseline", "/dev/zero"],
            "--baseline",
            "16,777,216 characters",
        ),
    ],
)
def test_commands_limit_what_they_read(arguments, name, units, capsys):
    if arguments[0] == "kernel":
        pytest.importorskip("clang", reason="without the extra 'kernels'")
    line = error_line(main(arguments), capsys)
    assert line.endswith(f"{name}: expected a file of at most {units}, got '/dev/zero'")


def test_includes_are_limited(tmp_path, monkeypatch, capsys):
    """The limit holds for one file, and for a file that is included repeatedly."""
    pytest.importorskip("clang", reason="without the extra 'kernels'")
    monkeypatch.chdir(tmp_path)
    for name, text in (
        ("one.cl", '#include "big.h"\n'), ("two.cl", '\n#include "half.h"\n#include "half.h"\n')
    ):  # fmt: skip
        Path(name).write_text(text)
    Path("big.h").write_text("/*" + " " * (1 << 24) + "*/")
    Path("half.h").write_text("/*" + " " * (1 << 23) + "*/")
    for name, place in (("one.cl", "one.cl:1:2"), ("two.cl", "two.cl:3:2")):
        assert main(["kernel", name]) == 3
        errors = capsys.readouterr().err
        assert errors.startswith(f"{place}: error: ") and "16,777,216 characters" in errors


#: Commands that write a file, whose name comes last.
COMMANDS = {
    "device": ["device", "--language", "cuda", "--functions", "add", "-o"],
    "audit --json": ["audit", "numpy", "--functions", "sqrt", "--json"],
    "audit --html": ["audit", "numpy", "--functions", "sqrt", "--html"],
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_commands_replace_files_whole(tmp_path, command, full_disk, capsys):
    path = tmp_path / "file"
    path.write_bytes(b"older")
    path.chmod(0o640)
    full_disk(1000)
    assert "File too large: " in error_line(main([*command, str(path)]), capsys)
    assert path.read_bytes() == b"older" and os.listdir(tmp_path) == ["file"]
    full_disk(10**9)
    assert main([*command, str(path)]) == 0
    assert mode(path) == 0o640 and len(path.read_bytes()) > 1000


@on_posix
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_commands_on_a_full_device(command, capsys):
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full here")
    status = main([*command, "/dev/full"])
    assert "No space left on device: '/dev/full'" in error_line(status, capsys)
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


@on_posix
def test_audit_that_cannot_be_written_is_not_run(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("halfcl._command.commands.audit.run_audit", None)
    (tmp_path / "report-numpy.json").symlink_to("report-numpy.json")
    status = main(["audit", "numpy", "numpy", "--json", str(tmp_path / "report.json")])
    assert "report-numpy.json" in error_line(status, capsys)


def test_pictures_of_the_demo_are_whole(tmp_path, full_disk):
    panels = pytest.importorskip("halfcl._demo.panels")
    pytest.importorskip("PIL", reason="without the extra 'demo'")
    path = tmp_path / "picture.png"
    path.write_bytes(b"older")
    noise = np.random.default_rng(0).integers(0, 256, (200, 200), np.uint8)
    full_disk(10_000)
    with pytest.raises(OSError, match=r"picture\.png"):
        panels._save_pictures(tmp_path, {"picture": noise})
    assert path.read_bytes() == b"older" and os.listdir(tmp_path) == ["picture.png"]


@one_in(2)
@on_posix
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "command",
    [
        "--version", "info",
        *more("--help", "info --json", "device --list", "audit --list", "run --help"),
    ],
)  # fmt: skip
def test_standard_output_on_a_full_device(command, unbuffered):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "halfcl", *command.split()], stdout=full, text=True,
            stderr=subprocess.PIPE, env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        )  # fmt: skip
    (line,) = done.stderr.splitlines()
    assert done.returncode == 2 and line.endswith("No space left on device")


# ---------------------------------------------------------------- all of the package


PACKAGE = Path(files.__file__).parent


def writes(call):
    """Return whether a call writes to a file other than by `replacing`."""
    target = call.args[0] if call.args else None
    if isinstance(call.func, ast.Attribute):
        owner = call.func.value
        is_ours = isinstance(owner, ast.Name) and owner.id == "files"
        if call.func.attr in ("write_text", "write_bytes"):
            return not is_ours
        return call.func.attr in ("savefig", "savez", "savetxt", "tofile", "touch")
    if isinstance(call.func, ast.Name) and call.func.id == "open":
        modes = [*call.args[1:2], *(k.value for k in call.keywords if k.arg == "mode")]
        how = modes[0].value if modes and isinstance(modes[0], ast.Constant) else "r"
        return bool(set("wax+") & set(how)) and ast.unparse(target) != "temporary"
    return False


def test_package_writes_files_by_replacing_only():
    calls = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for path in PACKAGE.rglob("*.py")
        if path != Path(files.__file__)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and writes(node)
    ]
    assert calls == []
