"""Programs as the layer translates them, on a device: bit for bit what the interpreter computes.

The texts and options are the translator's answers; pyopencl builds and launches them as a program
with the layer would. The mode that a launch chooses here is a pragma in front there.
"""

import os
import subprocess
import sys

import cl_expressions
import cl_statements
import numpy as np
import pytest
from cl_devices import queue_of
from cl_kernels import DEVICE_KERNELS, FOLDER, assert_alike, differing_indices
from cl_pragmas import ENABLED, with_pragmas
from cl_random import FLOATING, INTEGERS, program_of
from exhaustive import either, in_modes, shared_out

import halfcl as hc
from halfcl import cl
from halfcl._command.layer_library import library_path
from halfcl.cl import _program
from halfcl.cl._devices.opencl import OnOpenCL
from halfcl.cl._layer.translating import translate_request
from halfcl.cl._translation import Translation

library = pytest.importorskip("pyopencl", reason="needs pyopencl and an OpenCL device")

pytestmark = [
    pytest.mark.once,
    pytest.mark.kernels,
    pytest.mark.filterwarnings("ignore::halfcl.cl.BuildWarning"),
]

COUNT = int(os.environ.get("HALFCL_RANDOM_KERNELS", either(50, 24)))
TOGETHER = min(25, COUNT // 2) or 1
DTYPES = {"uchar": "u1", "ushort": "u2", "uint": "u4", "ulong": "u8", "half": "f2", "float": "f4"}
RESULTS = {"half": hc.half, "float": "f4", "double": "f8", "int": "i4", "long": "i8"}


def description_of(device, hides_half):
    """Return the fields of a request that describe a device."""
    extensions = device.extensions.split()
    if hides_half:
        extensions = [name for name in extensions if name != "cl_khr_fp16"]
    is_cpu = bool(device.type & library.device_type.CPU)
    values = {
        "NAME": device.name, "VENDOR": device.vendor, "EXTENSIONS": " ".join(extensions),
        "SINGLE_FP_CONFIG": device.single_fp_config, "DOUBLE_FP_CONFIG": device.double_fp_config,
        "IS_CPU": int(is_cpu), "MAX_WORK_GROUP_SIZE": device.max_work_group_size,
        "LOCAL_MEM_SIZE": device.local_mem_size,
    }  # fmt: skip
    return {f"device.{name}": str(value).encode() for name, value in values.items()}


class Layered(OnOpenCL):
    """A program whose texts are the translator's answers."""

    passes_samplers_as_numbers = True
    adds_sub_group_parameters = False

    def _translate(self, contract, mode):
        source = f"{ENABLED}#pragma OPENCL SELECT_ROUNDING_MODE {mode}\n{self._source.source}"
        options = " ".join(f"-I{folder}" for folder in self._source.options.include_folders)
        answer, _ = translate_request(
            {
                "source": source.encode(),
                "options": options.encode(),
                **description_of(self.queue.device, not self._fp16),
            }
        )
        if answer["status"] != b"ok":
            raise cl.BuildError([cl.Diagnostic(None, "error", answer["log"].decode())])
        assert "passes" not in answer
        self._options_of_layer = answer["options"].decode().split()
        return Translation(answer["text"].decode())

    def _build_options(self):
        if not hasattr(self, "_options_of_layer"):  # a probe's text
            return super()._build_options()
        return self._options_of_layer


@pytest.fixture(autouse=True)
def use_layered_programs(monkeypatch):
    monkeypatch.setattr(_program, "OnOpenCL", Layered)


@pytest.fixture(scope="module")
def queue():
    yield from queue_of(library)


@pytest.fixture(scope="module", params=[False, True], ids=["bits", "fp16"])
def fp16(request, queue):
    if request.param and "cl_khr_fp16" not in queue.device.extensions.split():
        pytest.skip("the device has no halves of its own")
    return request.param


_programs = {}


def programs(stem, queue, fp16):
    """Return a program here, and one as the layer builds it."""
    if (stem, fp16) not in _programs:
        source = (FOLDER / f"{stem}.cl").read_text()
        _programs[stem, fp16] = cl.Program(source), cl.Program(source, device=queue, fp16=fp16)
    return _programs[stem, fp16]


STEMS = sorted({stem for stem, _ in DEVICE_KERNELS})


@shared_out
@pytest.mark.parametrize(
    ("stem", "name", "mode"),
    [
        (stem, name, mode)
        for stem, mode in in_modes(STEMS, hc.MODES)
        for of, name in DEVICE_KERNELS
        if of == stem
    ],
)
def test_the_library(stem, name, mode, queue, fp16):
    assert_alike(*programs(stem, queue, fp16), stem, name, mode)


@shared_out
@pytest.mark.parametrize("mode", either(hc.MODES, ["rtn"]))
def test_expressions(mode, queue, fp16):
    step, items = either((1, 2000), (2, 500))
    source = cl_expressions.program(None, step=step)
    here, there = cl.Program(source), cl.Program(source, device=queue, fp16=fp16)
    inputs = cl_expressions.inputs(items)
    results = []
    for name, expression in cl_expressions.kernels(step).items():
        outs = [np.zeros(items, RESULTS[name.split("_")[0]]) for _ in range(2)]
        for program, out in zip((here, there), outs, strict=True):
            program[name](items, None, *inputs, out, rounding=mode)
        if differing_indices(*outs).size:
            results.append(expression)
    assert not results


@shared_out
@pytest.mark.parametrize(("name", "mode"), in_modes(cl_statements.STATEMENTS, hc.MODES))
def test_statements(name, mode, queue, fp16):
    source = cl_statements.program(name, None)
    inputs, items = cl_statements.arguments(), cl_statements.ITEMS
    outs = []
    for more in ({}, {"device": queue, "fp16": fp16}):
        outs.append(np.zeros(8 * items, hc.half))
        cl.Program(source, **more).k(items, None, *inputs, outs[-1], rounding=mode)
    assert not differing_indices(*outs).size


@shared_out
@pytest.mark.parametrize("first", range(0, COUNT, TOGETHER))
def test_random_kernels(first, queue, fp16):
    mode = hc.MODES[first // TOGETHER % 4]
    source = with_pragmas(program_of(range(first, first + TOGETHER)), first)
    results = []
    for more in ({}, {"device": queue, "fp16": fp16}):
        program = cl.Program(source, **more)
        results.append([])
        for seed in range(first, first + TOGETHER):
            outputs = [np.zeros(16, DTYPES[t]) for t in (*INTEGERS, *FLOATING)]
            program[f"k{seed}"](16, None, *outputs, rounding=mode)
            results[-1].append([x.tobytes() for x in outputs])
    assert results[0] == results[1]


SCRIPT = """
import numpy as np, pyopencl, pyopencl.array
import halfcl as hc
from halfcl import cl
from halfcl.cl.pyopencl import Program

context = pyopencl.Context([d for p in pyopencl.get_platforms() for d in p.get_devices()][:1])
queue = pyopencl.CommandQueue(context)
assert "cl_khr_select_fprounding_mode" in queue.device.extensions
source = "kernel void k(global half *a) { size_t i = get_global_id(0); a[i] = a[i] / 3; }"
source = f"#pragma OPENCL SELECT_ROUNDING_MODE rtp\\n{source}"
source = f"#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable\\n{source}"
source = f"#pragma OPENCL EXTENSION cl_khr_fp16 : enable\\n{source}"
a = np.arange(100).astype(np.float16)
right = hc.divide(a, np.float16(3), rounding="rtp")
for build in (lambda: Program(context, source).build(),
              lambda: pyopencl.Program(context, source).build()):
    there = pyopencl.array.to_device(queue, a)
    build().k(queue, a.shape, None, there.data)
    assert there.get().tobytes() == right.tobytes()
out = a.copy()
cl.Program(source, device=queue).k(a.size, None, out)
assert out.tobytes() == right.tobytes()
assert hc.exp(pyopencl.array.to_device(queue, a)).get().tobytes() == hc.exp(a).tobytes()
print("right")
"""


@pytest.mark.skipif(library_path() is None, reason="halfcl was built without the layer")
def test_halfcl_itself_under_the_layer(queue, tmp_path):
    """Its programs, its arrays and pyopencl's programs in one script."""
    command = [sys.executable, "-m", "halfcl", "layer", sys.executable, "-c", SCRIPT]
    environment = {**os.environ, "HALFCL_LAYER_CACHE": str(tmp_path), "PYOPENCL_NO_CACHE": "1"}
    result = subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment, timeout=200
    )
    assert result.stdout == "right\n", result.stderr
