"""Programs in C that run with OpenCL's layer, whose translator is a mock.

Cases with a device need an OpenCL device, as PoCL's, and a loader that knows layers.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from exhaustive import more
from layer_in_c import compile_program, require_layer

from halfcl._command.layer_library import loader_without_layers

MOCK = Path(__file__).parent / "mock_translator.py"

#: The cases of csrc/layer/tests/test_programs.c that need more than the mock.
SPECIAL = {
    "devices", "devices_built_in_turn", "lenient", "many_builds", "no_python", "one_device_refuses",
    "request",
}  # fmt: skip
CASES = [
    "translated", "information", "kernel_information", "launch_rules", "kernels_keep_program",
    "untouched", "option_brings_half", "passed_by_translator", "refused", "error_of_driver",
    "rebuilding",
    "wrong_arguments", "callback", "build_in_progress", "release_during_build",
    "exit_during_build", "exit_in_callback", "release_callback", "threads",
    "threads_share_program", "translator_dies", "malformed_answers", "fork",
    "fork_during_build", "no_child", "closed_files", "no_standard_files", "unloading",
    "linking", "failed_compiling", "binaries", "device_information", "function_addresses",
    "source_in_parts",
]  # fmt: skip


class Runner:
    """Runs cases of a program with the layer."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.program = program
        self.log = folder / "log"
        self.request = folder / "request"
        mock = folder / "mock"
        command = shlex.join([sys.executable, "-S", "-E", str(MOCK)])
        mock.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        mock.chmod(0o700)
        self.environment = {
            "OPENCL_LAYERS": str(require_layer()),
            "HALFCL_LAYER_PYTHON": str(mock),
            "HALFCL_LAYER_LOG": str(self.log),
            "MOCK_MARK": str(folder / "mark"),
            "MOCK_REQUEST": str(self.request),
            "POCL_MAX_PTHREAD_COUNT": "1",  # more wait for each other in a loop
        }

    def run(self, *case: str, **environment: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [self.program, *case],
            env={**os.environ, **self.environment, **environment},
            capture_output=True, text=True, timeout=100, check=False,
        )  # fmt: skip

    def check(self, *case: str, **environment: str) -> None:
        result = self.run(*case, **environment)
        assert result.returncode == 0, result.stderr


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    require_layer()
    if loader := loader_without_layers():
        pytest.skip(f"{loader} has no layers")
    folder = tmp_path_factory.mktemp("programs")
    if not os.path.exists("/usr/include/CL/cl.h") or not shutil.which("ld"):
        pytest.skip("OpenCL's headers are not in /usr/include")
    try:
        return compile_program(folder, "test_programs.c", flags=["-lOpenCL"])
    except subprocess.CalledProcessError:
        pytest.skip("there is no OpenCL loader to link with (Debian: ocl-icd-opencl-dev)")


@pytest.fixture
def runner(programs, tmp_path):
    return Runner(programs, tmp_path)


@pytest.fixture
def two_devices(runner):
    """Give PoCL two devices of different names."""
    environment = {"POCL_DEVICES": "basic pthread"}
    if runner.run("devices", **environment).stderr.endswith("host->count == 2\n"):
        pytest.skip("the platform is not PoCL, which has as many devices as one asks for")
    return environment


@pytest.mark.devices
def test_all_cases_are_run(runner):
    names = runner.run().stdout.split()
    assert sorted(names) == sorted([*CASES, *SPECIAL])


@pytest.mark.devices
@pytest.mark.parametrize("case", CASES)
def test_case(runner, case):
    runner.check(case)


@pytest.mark.devices
@pytest.mark.parametrize(
    "case", ["devices", "devices_built_in_turn", "one_device_refuses", "binaries"]
)
def test_devices_that_differ(runner, two_devices, case):
    runner.check(case, **two_devices)


@pytest.mark.devices
@pytest.mark.parametrize("case", ["information", "kernels_keep_program", *more("linking")])
def test_devices_that_are_the_same(runner, case):
    runner.check(case, POCL_DEVICES="basic basic")


@pytest.mark.devices
def test_refused_text_is_built_if_lenient(runner):
    runner.check("lenient", HALFCL_LAYER_LENIENT="1")
    assert "built as it is: program.cl:1:4: error: not translated" in runner.log.read_text()


@pytest.mark.devices
@pytest.mark.parametrize("python", ["/no/python", "no-such-python", "/bin/false", "/bin/true"])
def test_no_python(runner, python):
    runner.check("no_python", HALFCL_LAYER_PYTHON=python)


@pytest.mark.devices
def test_translator_of_another_protocol(runner):
    result = runner.run("translated", MOCK_PROTOCOL="2")
    assert result.returncode == 1
    assert "expected protocol 1, got 2" in result.stderr


@pytest.mark.devices
def test_text_without_words_starts_no_translator(runner):
    runner.check("untouched")
    assert "translator" not in runner.log.read_text()


@pytest.mark.devices
def test_log_begins_with_hello(runner):
    runner.check("translated")
    first, *others = runner.log.read_text().splitlines()
    assert first.startswith("halfcl layer: ") and "hello" in first
    assert any("started the translator" in line for line in others)


@pytest.mark.devices
def test_relative_log_stays_in_its_folder(runner, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runner.check("translated", HALFCL_LAYER_LOG="here.log")
    assert "hello" in (tmp_path / "here.log").read_text()


@pytest.mark.devices
def test_unknown_value_is_said(runner):
    runner.check("translated", HALFCL_LAYER_FLOATS="fast")
    expected = "HALFCL_LAYER_FLOATS: expected exact or device, got fast; exact applies"
    assert expected in runner.log.read_text()


@pytest.mark.devices
def test_off_leaves_programs_to_driver(runner):
    result = runner.run("translated", HALFCL_LAYER="off")
    assert result.returncode == 1
    assert "mock" not in result.stderr
    assert "off: everything passes through" in runner.log.read_text()


@pytest.mark.devices
def test_request_has_all_that_program_passed(runner):
    runner.check("request", HALFCL_LAYER_FLOATS="device", HALFCL_LAYER_CACHE="off")
    written = json.loads(runner.request.read_text())
    request = written["request"]
    library = Path(runner.environment["OPENCL_LAYERS"]).resolve()
    assert written["arguments"] == ["-P", str(library.with_name("__main__.py"))]
    assert set(written["environment"]) == {"HALFCL_LAYER_LOG", "HALFCL_LAYER_CACHE"}
    assert request["options"] == ' -DX="1 2"  -cl-std=CL1.2'
    assert request["source"] == "#define fp16 WRITE_REQUEST\nkernel void f() {}"
    assert request["header:more.h"] == "#define SOMETHING 3\n"
    assert (request["stage"], request["floats"]) == ("compile", "device")
    assert request["folder"] == os.getcwd()
    assert "cl_khr_select_fprounding_mode" not in request["device.EXTENSIONS"]
    assert request["device.IMAGE_SUPPORT"] in "01" and request["device.IS_CPU"] in "01"
    assert request["device.ADDRESS_BITS"] in ("32", "64")
    numbers = {key: int(request[f"device.{key}_FP_CONFIG"]) for key in ("HALF", "SINGLE", "DOUBLE")}
    assert numbers["SINGLE"]
    texts = "NAME VENDOR VERSION DRIVER_VERSION OPENCL_C_VERSION PLATFORM_NAME PLATFORM_VERSION"
    assert all(request[f"device.{key}"] for key in texts.split())


@pytest.mark.devices
def test_library_named_twice(runner):
    library = runner.environment["OPENCL_LAYERS"]
    runner.check("translated", OPENCL_LAYERS=f"{library}:{library}")


@pytest.mark.devices
def test_copy_above_another_passes_through(runner, tmp_path):
    library = runner.environment["OPENCL_LAYERS"]
    copy = tmp_path / "copy.so"
    shutil.copy(library, copy)
    for layers in (f"{library}:{copy}", f"{copy}:{library}"):
        runner.check("translated", OPENCL_LAYERS=layers)
        runner.check("device_information", OPENCL_LAYERS=layers)
        log = runner.log.read_text()
        assert log.count("started the translator") == 1
        runner.log.unlink()


def run_clinfo(**environment: str) -> list[str]:
    result = subprocess.run(
        ["clinfo", "--raw"],
        env={**os.environ, **environment}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [line for line in result.stdout.splitlines() if line.startswith("[")]


@pytest.mark.devices
@pytest.mark.skipif(not shutil.which("clinfo"), reason="needs clinfo")
def test_clinfo_differs_in_extensions_alone(runner):
    before = run_clinfo()
    after = run_clinfo(OPENCL_LAYERS=runner.environment["OPENCL_LAYERS"])
    changed = {line.split(None, 2)[1] for line in set(before) ^ set(after)}
    assert "CL_DEVICE_EXTENSIONS" in changed
    # Without CL_DEVICE_LUID_VALID_KHR, NVIDIA's driver leaves CL_DEVICE_LUID_KHR as it finds it.
    assert changed - {"CL_DEVICE_LUID_KHR"} <= {
        "CL_DEVICE_EXTENSIONS", "CL_DEVICE_EXTENSIONS_WITH_VERSION", "CL_DEVICE_HALF_FP_CONFIG",
        "CL_DEVICE_SINGLE_FP_CONFIG", "CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF",
        "CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF",
    }  # fmt: skip
