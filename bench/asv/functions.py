"""Every operation of bench/ops.py, and calls of few elements."""

import sys
from pathlib import Path

import numpy as np

import halfcl as hc

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import ops
import peers


class Operations:
    """A call on 2^14 elements with an output, on one thread."""

    params = (list(ops.OPS), ("rte", "rtp"))
    param_names = ("operation", "rounding")

    def setup(self, name, mode):
        hc.set_num_threads(1)
        op = ops.OPS[name]
        columns = peers.HalfCL().columns(op, peers.Arrays(op, 2**14))
        column = f"halfcl {mode}"
        if column not in columns:
            raise NotImplementedError("it has one rounding mode")
        self.block = columns[column]

    def time_call(self, name, mode):
        self.block(1)


class Small:
    """The cost of a call, whatever it computes."""

    def setup(self):
        self.x = np.linspace(0.5, 2, 4).astype(hc.half)
        self.f = self.x.astype(np.float16)
        self.out = np.empty_like(self.x)
        self.number = hc.half(1.5)

    def time_function(self):
        hc.exp(self.x, out=self.out)

    def time_of_float16(self):
        hc.exp(self.f)

    def time_ufunc_of_numpy(self):
        np.add(self.x, self.x, self.out)

    def time_of_numbers(self):
        self.number * self.number

    def time_region(self):
        with hc.rounding("rtp"):
            pass


class Import:
    """The import of halfcl after NumPy, in a process of its own."""

    def timeraw_import(self):
        return "import halfcl", "import numpy"
