"""Write the digests of right results that ``python -m halfcl check`` compares with.

    python tools/make_digests.py

The results are those of the tests' oracle, MPFR: needs gmpy2. No kernel of halfcl has a part
in them.
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "helpers"))

import oracle_exact  # noqa: E402
from oracle_functions import MATH, everywhere  # noqa: E402

from halfcl.check import digests  # noqa: E402

TARGET = ROOT / "src" / "halfcl" / "check" / "digests.json"


def functions():
    """Return the functions of one half that the check covers, with their rounding modes."""
    every = ("rte", "rtz", "rtp", "rtn")
    exact = dict.fromkeys(oracle_exact.OF_ONE, ("rte",))
    return dict.fromkeys(MATH, every) | exact | {"fract": every}


def right_digests():
    """Return {function: {mode: digests}} of the exact results."""
    return {
        name: {mode: digests(*everywhere(name)[mode][0]) for mode in modes}
        for name, modes in functions().items()
    }


if __name__ == "__main__":
    text = json.dumps(right_digests(), indent=1)
    TARGET.write_text(text + "\n", encoding="ascii")
