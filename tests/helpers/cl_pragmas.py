"""Pragmas of rounding and contraction, put into random kernels at random."""

import random
import re

ENABLED = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable
#define PRAGMA(text) _Pragma(#text)
"""
#: The forms of a pragma; the first one is the most frequent.
_FORMS = ("#pragma {}", "#pragma {}", '_Pragma("{}")', "PRAGMA({})")

_BLOCK = re.compile(r"(?:\)|else|do) \{$")


def with_pragmas(source, seed, share=0.15):
    """Insert SELECT_ROUNDING_MODE between lines, and FP_CONTRACT where blocks begin."""
    rng, forms = random.Random(seed), random.Random(seed)
    lines = []
    for line in source.replace("#pragma OPENCL FP_CONTRACT OFF\n", "").splitlines():
        lines.append(line)
        if line.startswith("#"):
            continue
        if _BLOCK.search(line) and not line.startswith("switch") and rng.random() < share:
            words = f"OPENCL FP_CONTRACT {rng.choice(('ON', 'OFF'))}"
            lines.append(forms.choice(_FORMS).format(words))
        if rng.random() < share:
            words = f"OPENCL SELECT_ROUNDING_MODE {rng.choice(('rte', 'rtz', 'rtp', 'rtn'))}"
            lines.append(forms.choice(_FORMS).format(words))
    return ENABLED + "\n".join(lines) + "\n"
