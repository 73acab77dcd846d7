"""Print the names of processor features that the installed NumPy can disable.

NPY_DISABLE_CPU_FEATURES=$(python tools/without_simd.py avx512) pytest

runs the tests beside the NumPy of a processor without AVX-512: its results and exceptions differ
from processor to processor. Names differ, too: up to NumPy 2.3 they are AVX512F, AVX512_SKX and
so on, from 2.4 on X86_V4. What this processor has not, or NumPy needs, is left out: NumPy
takes no such name.
"""

import argparse

from numpy._core import _multiarray_umath as numpy_core

#: Which names go with what is turned off; the last is all that NumPy chooses when it runs.
_STARTS = {
    "avx512": ("AVX512", "X86_V4"),
    "avx2": ("AVX512", "X86_V4", "AVX2", "FMA3", "F16C", "X86_V3"),
    "all": ("",),
}


def names(off: str) -> list[str]:
    """Return the features to disable."""
    has = numpy_core.__cpu_features__
    return [
        name for name in numpy_core.__cpu_dispatch__ if has[name] and name.startswith(_STARTS[off])
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("off", choices=_STARTS)
    print(*names(parser.parse_args().off))
