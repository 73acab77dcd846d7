"""The translator process: starts light, answers whatever comes, and ends with the program."""

import os
import signal
import struct
import sys

import cl_expressions
import pytest
from exhaustive import either, more, one_in
from layer_translator import CPU, SOURCE, Translator
from places import TESTS

import halfcl as hc
from halfcl import cl, device
from halfcl.cl._layer.protocol import encode
from halfcl.cl._layer.translating import translate_request

GROUPS = {"device.MAX_WORK_GROUP_SIZE": b"1024", "device.LOCAL_MEM_SIZE": b"32768"}

on_posix = pytest.mark.skipif(os.name != "posix", reason="signals are of POSIX")


@pytest.fixture
def translator(tmp_path):
    with Translator(tmp_path) as process:
        yield process


def test_hello(translator):
    expected = {"status": b"ok", "protocol": b"1", "version": hc.__version__.encode()}
    assert translator.ask(command=b"hello") == expected
    assert translator.end() == (0, "")


@pytest.mark.parametrize("module", [None, ("-m", "halfcl.cl._layer")])
def test_answers_by_path_and_as_a_module(tmp_path, module):
    with Translator(tmp_path, **({} if module is None else {"module": module})) as translator:
        first = translator.translate()
        assert first["status"] == b"ok"
        assert b"hc_add_rtp(a[0], a[1])" in first["text"]
        assert translator.translate() == first  # from the cache
        assert translator.end() == (0, "")


def test_cached_answer_imports_neither_halfcl_nor_numpy(tmp_path):
    with Translator(tmp_path) as translator:
        first = translator.translate()
    with Translator(tmp_path, (sys.executable, "-X", "importtime")) as translator:
        assert translator.translate() == first
        modules = [line.rpartition("|")[2].strip() for line in translator.end()[1].splitlines()]
    assert "halfcl.cl._layer.cache" in modules
    assert not {"numpy", "halfcl", "halfcl.cl", "clang.cindex"} & {*modules}


def test_texts_of_halfcl_itself_pass_and_import_little(tmp_path):
    """The modules that an answer from the cache does without would take as long as the answer."""
    head = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    text = cl.translate(f"{head}kernel void k(global half *a) {{ a[0] += a[1]; }}", fp16=False)
    with Translator(tmp_path, (sys.executable, "-X", "importtime")) as translator:
        for own in (text, device.opencl(["exp"])):
            answer = translator.translate(own.encode())
            assert answer == {"status": b"ok", "passes": b"untouched"}
        modules = [line.rpartition("|")[2].strip() for line in translator.end()[1].splitlines()]
    own = {*modules[modules.index("site") :]}
    assert "halfcl.cl._layer.serving" in own
    assert not own & {"re", "typing", "contextlib", "enum", "hashlib", "importlib.util", "signal"}
    with Translator(tmp_path) as translator:
        other = b"// #define HCI_FUNCTION x\nkernel void k(global half *a) { a[0] += a[1]; }"
        assert "passes" not in translator.translate(other)


def test_texts_are_the_same_without_halfcl_itself(tmp_path):
    """The process imports the package when a text needs it: for constants of halves, say."""
    sources = [path.read_bytes() for path in sorted((TESTS / "cl" / "kernels").glob("*.cl"))]
    sources.append(cl_expressions.program(None, step=either(11, 31)).encode())
    sources += [b"kernel void k(half a) { half b = a << 1; }", b"kernel void k(global half *a) {x}"]
    sources.append(
        b"kernel void k(read_only image2d_t i, sampler_t s, global half *a) {"
        b" *a = read_imageh(i, s, (float2)(1)).x + convert_half_rtz(0.1) / nan((ushort)1); }"
    )
    with Translator(tmp_path) as translator:
        for source in sources:
            request = {"source": source, "options": b"", **CPU, **GROUPS}
            expected, _ = translate_request(request)
            assert translator.ask(command=b"translate", **request) == expected
        assert translator.end() == (0, "")


def test_translation_imports_parts_of_halfcl(tmp_path):
    with Translator(tmp_path, (sys.executable, "-X", "importtime")) as translator:
        assert translator.translate()["status"] == b"ok"
        modules = [line.rpartition("|")[2].strip() for line in translator.end()[1].splitlines()]
    assert "halfcl.cl._layer.translating" in modules
    assert "halfcl" not in modules


def test_modules_in_the_working_folder_are_not_imported(tmp_path, monkeypatch):
    for name in ("numpy", "halfcl", "clang", "cache", "protocol"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(9)")
    monkeypatch.chdir(tmp_path)
    with Translator(tmp_path) as translator:
        assert translator.translate()["status"] == b"ok"


def test_unknown_command_is_answered(translator):
    answer = translator.ask(command=b"\xff")
    assert answer["status"] == b"failed"
    assert answer["log"].startswith(b"error: halfcl's translator failed: expected translate")
    assert translator.ask()["status"] == b"failed"
    assert translator.ask(command=b"hello")["status"] == b"ok"


def test_malformed_message_is_answered_and_ends_it(translator):
    translator.send(struct.pack("<I", 1 << 31))
    assert translator.end() == (0, "")


@pytest.mark.parametrize("length", [0, 2, 9, 40])
def test_end_within_a_message_ends_it_quietly(translator, length):
    translator.send(encode({"command": b"translate", "source": SOURCE})[:length])
    assert translator.end() == (0, "")


def test_reader_that_is_gone_ends_it_quietly(translator):
    translator.process.stdout.close()
    translator.send(encode({"command": b"hello"}))
    assert translator.end() == (0, "")


@on_posix
def test_keys_of_the_terminal_are_the_programs(translator):
    assert translator.ask(command=b"hello")["status"] == b"ok"
    for number in (signal.SIGINT, signal.SIGQUIT):
        translator.process.send_signal(number)
        assert translator.translate()["status"] == b"ok"


@one_in(3)
@pytest.mark.parametrize(
    "environment",
    [
        {"HALFCL_LAYER_CACHE": "", "HOME": "/proc/none", "XDG_CACHE_HOME": ""},
        {"HALFCL_LAYER_CACHE": "off"},
        {"HALFCL_LAYER_LOG": "/proc/none", "HALFCL_LAYER_CACHE": "/proc/none"},
        *more(
            {"HALFCL_LAYER_LOG": "-", "HALFCL_LAYER_CACHE": "/proc/none"},
            {"HALFCL_LAYER_CACHE": "/proc/none"},
            {"HALFCL_LAYER_LOG": "/proc/none"},
        ),
    ],
)
@on_posix
def test_folders_that_cannot_be_written(tmp_path, environment):
    with Translator(tmp_path, **environment) as translator:
        assert translator.translate()["status"] == b"ok"
        assert translator.translate()["status"] == b"ok"


def test_error_of_the_import_is_an_answer(tmp_path):
    with Translator(tmp_path, HALFCL_ISA="none") as translator:
        for _ in range(2):
            answer = translator.translate()
            assert answer["status"] == b"failed"
            assert b"HALFCL_ISA" in answer["log"]
    assert "Traceback" in translator.log.read_text()


def test_missing_libclang_is_named(tmp_path):
    code = "import sys, runpy; sys.modules['clang'] = None; sys.argv = sys.argv[1:]; "
    code += "sys.path.insert(0, ''); runpy.run_path(sys.argv[0], run_name='__main__')"
    with Translator(tmp_path, (sys.executable, "-c", code)) as translator:
        answer = translator.translate()
    assert answer["status"] == b"failed"
    assert b'pip install "halfcl[kernels]"' in answer["log"]


def test_includes_are_relative_to_the_programs_folder(translator, tmp_path):
    source = b'#include "n.h"\nkernel void k(global half *a) { a[0] += N; }'
    for number in (2, 3):
        (tmp_path / "n.h").write_text(f"#define N {number}\n")
        answer = translator.translate(source, folder=os.fsencode(tmp_path))
        assert b"#define N %d" % number in answer["text"]
    assert translator.translate(source, folder=b"/")["status"] == b"refused"


def test_folder_that_has_been_removed(translator, tmp_path):
    assert translator.translate(folder=os.fsencode(tmp_path / "none"))["status"] == b"ok"


def memory(process):
    with open(f"/proc/{process.pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_many_requests_need_no_more_memory(tmp_path):
    with Translator(tmp_path, HALFCL_LAYER_CACHE="off") as translator:

        def ask(count):
            for number in range(count):
                source = b"kernel void f(float half_of_%d) {} // half" % number
                assert translator.translate(source)["passes"] == b"untouched"
            for number in range(count // 100):
                source = b"kernel void f%d(global half *a) { a[0] += %d; }" % (number, number)
                assert translator.translate(source)["status"] == b"ok"
            return memory(translator.process)

        before = ask(1000)
        # KiB: each request would keep less than a KiB, each translation less than 100.
        assert ask(either(10_000, 2000)) < before + either(8000, 2000)
