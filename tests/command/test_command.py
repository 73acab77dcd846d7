"""The command line as a whole: help, JSON, exit statuses, and user errors."""

import json
import os
import platform
import re
import subprocess
import sys
from importlib import metadata

import numpy as np
import pytest
from exhaustive import in_turn, more
from places import ROOT

import halfcl as hc
from halfcl import check, device
from halfcl._command import COMMANDS, main

pytestmark = pytest.mark.once

PAGE = ROOT / "docs" / "reference" / "command.md"


def run(*arguments, expected=0, **environment):
    result = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        capture_output=True, text=True,
    )  # fmt: skip
    assert result.returncode == expected, result.stderr
    return result


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_an_example_and_the_exit_status(name, capsys):
    with pytest.raises(SystemExit) as stop:
        main([name, "--help"])
    assert stop.value.code in (0, None)
    printed = capsys.readouterr().out
    assert re.search(rf"^examples?:\n.*python -m halfcl {name}\b", printed, re.MULTILINE)
    assert "exit status: " in printed
    assert max(map(len, printed.splitlines())) <= 100


def test_the_page_names_every_command_and_status():
    if not PAGE.exists():
        pytest.skip("the documentation is not beside the tests")
    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f"\n## `{name}`\n" not in text] == []
    assert re.findall(r"^\| (\d+) \|", text, re.MULTILINE) == ["0", "1", "2", "3", "4", "5", "130"]


def test_info_as_json(capsys):
    assert main(["info", "--json"]) == 0
    known = json.loads(capsys.readouterr().out)
    device = hc.processor_info()
    assert known["isa"] == device["isa"] and known["available"] == list(device["available"])
    assert (known["halfcl"], known["numpy"]) == (hc.__version__, np.__version__)
    assert "CL_FP_ROUND_TO_INF" in known["half_fp_config"] and known["numpy_lacks"] == []


def test_info_names_the_system_and_the_settings(capsys, monkeypatch):
    monkeypatch.setenv("HALFCL_NUM_THREADS", "1")
    assert main(["info", "--json"]) == 0
    known = json.loads(capsys.readouterr().out)
    assert known["system"].startswith(platform.system()) and platform.release() in known["system"]
    assert known["settings"]["HALFCL_NUM_THREADS"] == "1"
    assert all(name.startswith("HALFCL_") for name in known["settings"])
    assert main(["info"]) == 0
    assert re.search("^settings .*HALFCL_NUM_THREADS=1", capsys.readouterr().out, re.MULTILINE)


def test_info_as_json_is_of_the_region(capsys):
    with hc.rounding("rtn"), hc.num_threads(1):
        assert main(["info", "--json"]) == 0
    known = json.loads(capsys.readouterr().out)
    assert known["rounding_mode"] == "rtn" and known["threads"] == 1


def test_check_as_json(monkeypatch, capsys):
    right = check.reference_digests()["exp"]
    wrong = {**right, "rtp": right["rtp"][:8] + "00000000" + right["rtp"][16:]}
    monkeypatch.setattr(check, "reference_digests", lambda: {"exp": wrong})
    assert main(["check", "--json"]) == 1
    result = json.loads(capsys.readouterr().out)
    assert result["differences"] == [
        {"function": "exp", "rounding": "rtp", "first": 0x1000, "last": 0x1FFF}
    ]
    monkeypatch.setattr(check, "reference_digests", lambda: {"exp": right})
    assert main(["check", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["differences"] == [] and result["functions"] == {
        "exp": ["rte", "rtz", "rtp", "rtn"]
    }


def test_module_and_script_are_alike():
    """The command runs alike as a module and as the script that pip installs."""
    assert run("-m", "halfcl", "--version").stdout == f"halfcl {hc.__version__}\n"
    script = (
        "import sys, _halfcl_script; sys.argv[0] = 'bin/halfcl'; sys.exit(_halfcl_script.main())"
    )
    assert run("-c", script, "--version").stdout == f"halfcl {hc.__version__}\n"
    assert run("-c", script, "--help").stdout.startswith("usage: halfcl ")
    assert run("-m", "halfcl", "--help").stdout.startswith("usage: python -m halfcl ")


@pytest.mark.parametrize(
    "setting",
    ["HALFCL_ACCELERATE", "HALFCL_ISA", *more("HALFCL_EXACT_PRODUCTS", "HALFCL_NUM_THREADS")],
)
def test_the_script_has_no_traceback_for_a_bad_setting(setting):
    script = "import sys, _halfcl_script; sys.exit(_halfcl_script.main())"
    (line,) = run("-c", script, "info", expected=2, **{setting: "bogus"}).stderr.splitlines()
    assert line.startswith(f"halfcl: {setting}='bogus': expected")


def test_bad_repeat_is_a_user_error(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["demo", "--repeat", "many"])
    assert capsys.readouterr().err.endswith("--repeat: expected 1 or more, got many\n")


def test_interrupted(monkeypatch, capsys):
    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(check, "run", interrupt)
    monkeypatch.setattr("halfcl._command._discard_output", lambda: None)
    assert main(["check"]) == 130
    assert capsys.readouterr().err == ""


#: Interrupts this process when it begins to import a module, whose name the environment has.
INTERRUPTS = """
import os, signal, sys
class Finder:
    def find_spec(self, name, *_):
        if name == os.environ["INTERRUPT_AT"]:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
"""

SCRIPT = "import sys, _halfcl_script; sys.exit(_halfcl_script.main())"


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.skipif(sys.platform == "win32", reason="it has no such signals")
@in_turn
@pytest.mark.parametrize("command", [("-m", "halfcl"), ("-c", SCRIPT)])
@pytest.mark.parametrize(
    "module", ["numpy", "halfcl._core", "halfcl._command", "halfcl.stability._programs"]
)
def test_interrupted_while_importing(command, module, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(INTERRUPTS)
    path = os.pathsep.join([str(tmp_path), *sys.path])
    words = (*command, "stability", "missing.py")
    result = run(*words, expected=130, PYTHONPATH=path, INTERRUPT_AT=module)
    assert (result.stdout, result.stderr) == ("", "halfcl: interrupted\n")


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such signals")
@pytest.mark.parametrize(
    "command", ["import halfcl", "import halfcl._command as c; c.main(['info'])"]
)
def test_import_and_main_leave_interrupts_alone(command):
    text = f"import signal; {command}; assert signal.getsignal(2) is signal.default_int_handler"
    run("-c", text)
    text = "import signal; signal.signal(2, signal.SIG_IGN); import _halfcl_script as s\n" + (
        "s.end_at_interrupt(); s.raise_at_interrupt(); assert signal.getsignal(2) is signal.SIG_IGN"
    )
    run("-c", text)


# ------------------------------------------------------------------ device


def test_device_writes_the_functions_text(capsys, tmp_path):
    ask = ["device", "--language", "opencl", "--functions", "add, hc_exp,"]
    assert main(ask) == 0
    assert capsys.readouterr().out == device.opencl(["add", "exp"])
    path = tmp_path / "halfcl.h"
    assert main([*ask, "--no-fp16", "-o", str(path)]) == 0
    assert path.read_text(encoding="utf-8") == device.opencl(["add", "exp"], fp16=False)
    assert capsys.readouterr() == ("", "")


def test_device_of_all_functions(capsys):
    assert main(["device", "--language", "opencl"]) == 0
    assert capsys.readouterr().out == device.opencl()


def test_device_to_standard_output_by_name(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["device", "--language", "cuda", "--functions", "add", "-o", "-"]) == 0
    assert capsys.readouterr().out == device.cuda(["add"])
    assert not list(tmp_path.iterdir())


def test_device_without_standard_output(monkeypatch):
    """Python's standard output is None where a shell has closed it."""
    monkeypatch.setattr("sys.stdout", None)
    assert main(["device", "--list"]) == 0


def test_device_in_cuda(capsys):
    assert main(["device", "--language", "cuda", "--functions", "add"]) == 0
    assert capsys.readouterr().out == device.cuda(["add"])


def test_device_lists_the_functions(capsys):
    assert main(["device", "--list"]) == 0
    names = capsys.readouterr().out.split()
    assert names[:2] == ["add", "subtract"] and {"exp", "fma", "convert_int_sat"} <= {*names}
    assert device.opencl(names) == device.opencl()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "expected --language opencl or cuda"),
        (["--language", "cuda", "--no-fp16"], "--no-fp16 is of --language opencl alone"),
        (["--language", "opencl", "--functions", "ad"], "got 'ad'; did you"),
        (["--language", "opencl", "--functions", "add exq"], "got 'exq'; did you mean"),
        (["--language", "opencl", "--functions", ""], "expected names of functions"),
        (["--language", "opencl", "-o", "no/such/folder.h"], "No such file or directory"),
    ],
)
def test_device_with_wrong_arguments(arguments, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["device", *arguments]) == 2
    out, err = capsys.readouterr()
    (line,) = err.splitlines()
    assert not out and line.startswith("halfcl device: ") and message in line


def test_device_knows_no_other_language(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["device", "--language", "metal"])
    assert "'metal' (choose from" in capsys.readouterr().err.splitlines()[-1]


def test_show_versions(capsys, monkeypatch):
    monkeypatch.setattr("halfcl._installation._PACKAGES", ("pytest", "no-such-package"))
    hc.show_versions()
    printed = capsys.readouterr().out
    assert "no-such-package" not in printed
    for name, version in (("halfcl", hc.__version__), ("pytest", metadata.version("pytest"))):
        assert re.search(rf"^{name} +{re.escape(version)}$", printed, re.MULTILINE)
