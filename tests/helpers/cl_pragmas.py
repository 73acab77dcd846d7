"""Pragmas of rounding and contraction, put into random kernels at random."""

import random
import re

ENABLED = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable
"""

_BLOCK = re.compile(r"(?:\)|else|do) \{$")


def with_pragmas(source, seed, share=0.15):
    """Insert SELECT_ROUNDING_MODE between lines, and FP_CONTRACT where blocks begin."""
    rng = random.Random(seed)
    lines = []
    for line in source.replace("#pragma OPENCL FP_CONTRACT OFF\n", "").splitlines():
        lines.append(line)
        if line.startswith("#"):
            continue
        if _BLOCK.search(line) and not line.startswith("switch") and rng.random() < share:
            lines.append(f"#pragma OPENCL FP_CONTRACT {rng.choice(('ON', 'OFF'))}")
        if rng.random() < share:
            lines.append(
                f"#pragma OPENCL SELECT_ROUNDING_MODE {rng.choice(('rte', 'rtz', 'rtp', 'rtn'))}"
            )
    return ENABLED + "\n".join(lines) + "\n"
