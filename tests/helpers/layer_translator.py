"""The translator process beside OpenCL's layer, started as the layer does."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

from halfcl.cl import _layer
from halfcl.cl._layer.protocol import encode, read_message

MAIN = Path(_layer.__file__).with_name("__main__.py")

#: What a CPU says of itself that has double and no halves.
CPU = {
    "device.NAME": b"cpu",
    "device.EXTENSIONS": b"cl_khr_fp64 cl_khr_byte_addressable_store",
    "device.SINGLE_FP_CONFIG": b"191",
    "device.DOUBLE_FP_CONFIG": b"63",
    "device.IS_CPU": b"1",
}

SOURCE = b"""#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable
#pragma OPENCL SELECT_ROUNDING_MODE rtp
kernel void upper(global const half *a, global half *out) { out[0] = a[0] + a[1]; }
"""


class Translator:
    """A running translator. Its cache is in a folder, and its log in a file there."""

    def __init__(self, folder, python=(sys.executable,), module=(str(MAIN),), **environment):
        self.log = folder / "log"
        variables = {"HALFCL_LAYER_CACHE": str(folder / "cache"), "HALFCL_LAYER_LOG": str(self.log)}
        self.process = subprocess.Popen(
            [*python, *module], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env={**os.environ, **variables, **environment},
        )  # fmt: skip

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(OSError):
                stream.close()
        self.process.wait()

    def send(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def ask(self, **fields):
        """Return the answer to a request."""
        self.send(encode(fields))
        return read_message(self.process.stdout)

    def translate(self, source=SOURCE, options=b"", **fields):
        return self.ask(command=b"translate", source=source, options=options, **CPU, **fields)

    def end(self):
        """Close the request stream; return the exit status and standard error."""
        self.process.stdin.close()
        errors = self.process.stderr.read()
        return self.process.wait(timeout=60), errors.decode()
