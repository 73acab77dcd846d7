"""``python -m halfcl layer``: a program runs as without it, but in another environment."""

import json
import os
import signal
import subprocess
import sys
import types

import pytest

from halfcl._command import layer_library, main
from halfcl._command.commands import layer

on_posix = pytest.mark.skipif(os.name != "posix", reason="signals are of POSIX")

PRINT = "import json, os; print(json.dumps(dict(os.environ)))"


@pytest.fixture
def library(tmp_path, monkeypatch):
    """A library, whether or not one was built."""
    path = tmp_path / "libhalfcl_layer.so"
    path.touch()
    monkeypatch.setattr(layer, "library_path", lambda: str(path))
    monkeypatch.setattr(layer, "loader_without_layers", lambda: None)
    return str(path)


def environment_of(arguments, capfd):
    """Return the environment of a program that the command runs in a child process."""
    child = os.fork()
    if not child:
        try:
            main(["layer", *arguments, sys.executable, "-c", PRINT])
        finally:
            os._exit(99)
    assert os.waitpid(child, 0)[1] == 0
    return json.loads(capfd.readouterr().out)


def status_of(arguments):
    child = os.fork()
    if not child:
        try:
            os._exit(main(["layer", *arguments]))
        finally:
            os._exit(99)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def error_of(arguments, capsys):
    assert main(["layer", *arguments]) == 2
    output = capsys.readouterr()
    assert not output.out
    assert output.err.count("\n") == 1
    return output.err.removeprefix("halfcl layer: ")


@on_posix
def test_environment_of_the_program(library, capfd, monkeypatch):
    for name in list(os.environ):
        if name.startswith(("HALFCL_LAYER", "OPENCL_LAYERS")):
            monkeypatch.delenv(name)
    variables = environment_of([], capfd)
    assert variables["OPENCL_LAYERS"] == library
    assert variables["HALFCL_LAYER_PYTHON"] == sys.executable
    assert {name for name in variables if name.startswith("HALFCL_LAYER")} == {
        "HALFCL_LAYER_PYTHON"
    }
    arguments = ["--lenient", "--floats", "device", "--log", "log", "--off"]
    variables = environment_of(arguments, capfd)
    assert variables["HALFCL_LAYER_LENIENT"] == "1"
    assert variables["HALFCL_LAYER_FLOATS"] == "device"
    assert variables["HALFCL_LAYER_LOG"] == os.path.abspath("log")
    assert variables["HALFCL_LAYER"] == "off"
    assert environment_of(["--log", "-"], capfd)["HALFCL_LAYER_LOG"] == "-"


@on_posix
def test_other_layers_stay_and_it_is_added_once(library, capfd, monkeypatch):
    monkeypatch.setenv("OPENCL_LAYERS", "/other.so:")
    assert environment_of([], capfd)["OPENCL_LAYERS"] == f"/other.so:{library}"
    monkeypatch.setenv("OPENCL_LAYERS", f"{library}:/other.so")
    assert environment_of([], capfd)["OPENCL_LAYERS"] == f"{library}:/other.so"


@on_posix
def test_status_and_signals_are_the_programs(library):
    assert status_of(["sh", "-c", "exit 7"]) == 7
    assert status_of(["sh", "-c", "kill -TERM $$"]) == -signal.SIGTERM
    # Python ignores SIGPIPE, and programs that it starts would, too.
    assert status_of(["sh", "-c", "kill -PIPE $$"]) == -signal.SIGPIPE


@on_posix
def test_options_behind_the_program_are_its_own(library, capfd):
    arguments = [sys.executable, "-c", "import sys; print(sys.argv[1:])", "--log", "--path", "-h"]
    assert status_of(arguments) == 0
    assert capfd.readouterr().out == "['--log', '--path', '-h']\n"


@on_posix
@pytest.mark.parametrize("name", ["python", "python3", "file"])
def test_python_scripts_run_by_this_python(library, capfd, tmp_path, name):
    script = tmp_path / "script.py"
    script.write_text("import sys; print(sys.executable, sys.argv[1])")
    arguments = [str(script), "x"] if name == "file" else [name, str(script), "x"]
    assert status_of(arguments) == 0
    assert capfd.readouterr().out == f"{sys.executable} x\n"


def test_path(library, capsys):
    assert main(["layer", "--path"]) == 0
    assert capsys.readouterr().out == f"{library}\n"


def test_mistakes(library, capsys, tmp_path):
    assert error_of([], capsys).startswith("expected a program to run, got none")
    assert error_of(["--path", "clinfo"], capsys) == "--path: expected no program, got clinfo\n"
    assert "is not found" in error_of(["no-such-program"], capsys)
    assert "is not executable" in error_of([str(tmp_path)], capsys)


@on_posix
def test_file_that_the_system_does_not_execute(library, capfd, tmp_path):
    program = tmp_path / "program"
    program.write_bytes(b"\0")
    program.chmod(0o755)
    assert status_of([str(program)]) == 2
    assert capfd.readouterr().err.startswith(f"halfcl layer: {program}: ")


def test_installation_without_the_library(monkeypatch, capsys):
    monkeypatch.setattr(layer, "library_path", lambda: None)
    error = error_of(["clinfo"], capsys)
    assert "CL/cl_layer.h" in error
    assert "opencl-c-headers" in error
    assert error_of(["--path"], capsys) == error


def test_missing_libclang(library, monkeypatch, capsys):
    monkeypatch.setattr(layer, "are_installed", lambda modules: False)
    assert 'pip install "halfcl[kernels]"' in error_of([sys.executable], capsys)


def test_loader_without_layers_is_named(library, monkeypatch, capsys):
    monkeypatch.setattr(layer, "loader_without_layers", lambda: "/usr/lib/libOpenCL.so.1")
    options = types.SimpleNamespace(
        path=False, program=[sys.executable], lenient=False, floats=None, log=None, off=False
    )
    assert callable(layer.run(options))
    assert "libOpenCL.so.1 has no layers" in capsys.readouterr().err


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="libraries are ELF files")
def test_loader_is_searched_for_the_variable_of_layers(tmp_path, monkeypatch):
    plain = "int clGetPlatformIDs(void) { return 1; }"
    sources = {"old": plain, "new": f'{plain} char *variable = "OPENCL_LAYERS";'}
    for name, source in sources.items():
        folder = tmp_path / name
        folder.mkdir()
        path = folder / "libOpenCL.so.1"
        command = ["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", str(path)]
        subprocess.run(command, input=source.encode(), check=True)
        monkeypatch.setattr(layer_library, "_LOADER", str(path))
        loader = layer_library.loader_without_layers()
        assert loader == (str(path) if name == "old" else None)
    for name in ("libnone.so.1", "libc.so.6"):
        monkeypatch.setattr(layer_library, "_LOADER", name)
        assert layer_library.loader_without_layers() is None
