"""The layer as loaders call it: tables of functions, without an OpenCL device."""

import os
import subprocess

import pytest
from layer_in_c import compile_program, require_layer

CASES = [
    "info", "tables", "missing_functions", "wrong_arguments", "twice_in_chain",
    "twice_around_another", "newer_loader",
]  # fmt: skip


@pytest.mark.parametrize("case", [*CASES, "off"])
def test_table(case, tmp_path):
    library = require_layer()
    program = compile_program(tmp_path, "test_loader.c", flags=["-ldl"])
    environment = {**os.environ, "HALFCL_LAYER": "off" if case == "off" else ""}
    subprocess.run([program, library, case], env=environment, check=True)
