"""No argument, whatever its class or code does, ends the process.

tests/helpers/hostile.py tries the cases. Here it runs in processes of their own, in which every
larger piece of memory has pages of its own, so that freed memory cannot be read. Under
AddressSanitizer (tools/test_address_sanitizer.sh) nothing else is needed.
"""

import os
import re
import subprocess
import sys

import numpy as np
import pytest
from exhaustive import either, left_out, shared_out
from places import ROOT, TESTS

import halfcl as hc

pytestmark = [pytest.mark.once, pytest.mark.kernels]

PROGRAM = TESTS / "helpers" / "hostile.py"

#: Pieces of memory from this size on have pages of their own, by GNU's and by others' libraries.
LIBRARY = {"MALLOC_MMAP_THRESHOLD_": "4096", "MALLOC_PERTURB_": "165"}

LONGEST = 900  # seconds that one process may take before it hangs


def run(arguments, folder):
    """Return whether the process ended well, the place and name of the last case, and errors."""
    path = folder / "case"
    environment = {**os.environ, **LIBRARY, "PYTHONPATH": os.pathsep.join(sys.path)}
    result = subprocess.run(
        [sys.executable, "-X", "faulthandler", PROGRAM, path, *map(str, arguments)],
        env=environment, cwd=folder, capture_output=True, text=True, timeout=LONGEST, check=False,
    )  # fmt: skip
    place, _, name = path.read_text().strip().partition(" ") if path.exists() else ("0", "", "none")
    return result.returncode == 0, int(place), name, result.stderr


def is_called_by_numpy(report):
    """Return whether AddressSanitizer's report is about a loop of halfcl's called by NumPy.

    In that case NumPy has read the addresses.
    """
    calls = re.findall(r"^ +#\d+ 0x\w+ (?:in )?(.*)", report, re.MULTILINE)
    calls = [call for call in calls if "libsanitizer" not in call and "/gcc/" not in call]
    own = ["csrc/" in call or "halfcl/_core/" in call for call in calls]
    return any(own[:1]) and False in own and "_multiarray_umath" in calls[own.index(False)]


def is_of_numpy(place, name, folder):
    """Return whether plain NumPy ends as well, with float16 in place of half."""
    return not run(("plain", place, 1, place + 1), folder)[0]


def is_ours(part, place, folder):
    """Return whether one case alone ends a process, through halfcl.

    NumPy writes to memory that hostile objects have freed: then any later case may end.
    """
    ended_well, _, name, errors = run((part, place, 1, place + 1), folder)
    if ended_well:
        return None
    is_function_of_halfcl = part == "public" or name.startswith(("hc.", "half", "vector"))
    if not is_function_of_halfcl and (
        is_called_by_numpy(errors) or is_of_numpy(place, name, folder)
    ):
        return None
    return f"{place} {name}\n{errors[:3000]}"


def crashes(part, step, folder):
    """Return the errors that ended processes of every step-th case, and the number of cases."""
    errors, start = [], 0
    while True:
        ended_well, place, _, _ = run((part, start, step), folder)
        if ended_well:
            return errors, place
        errors.append(is_ours(part, place, folder))
        start = place + step


@shared_out
@pytest.mark.parametrize(("part", "step", "least"), [
    ("public", either(1, 151, 7), 15_000),
    ("numpy", either(1, 37, 3), 10_000),
])  # fmt: skip
def test_hostile_objects_never_end_the_process(part, step, least, tmp_path):
    pytest.importorskip("wrapt")
    errors, count = crashes(part, step, tmp_path)
    errors = [error for error in errors if error]
    assert not errors, f"{len(errors)}\n" + "\n".join(errors[:5])
    assert count > least


@left_out("half takes the same ways")
def test_hostile_objects_with_accelerated_float16(tmp_path):
    pytest.importorskip("wrapt")
    errors = [error for error in crashes("accelerated", either(1, 1, 7), tmp_path)[0] if error]
    assert not errors, "\n".join(errors[:5])


# ---------------------------------------------------------------- single cases


def outcome_of(program, folder):
    """Return the status and the output of a process that runs a program some times."""
    result = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", PROGRAM_HEAD + program],
        env={**os.environ, **LIBRARY, "PYTHONPATH": os.pathsep.join(sys.path)},
        cwd=folder, capture_output=True, text=True, timeout=LONGEST, check=False,
    )  # fmt: skip
    return result.returncode, result.stdout, result.stderr[-3000:]


PROGRAM_HEAD = """
import numpy as np, wrapt, halfcl as hc

class S:
    __slots__ = ()
    __class__ = np.ndarray

x, four = np.arange(4, dtype=hc.half), hc.half4(1, 2, 3, 4)

def say(call):
    for _ in range(5):
        try:
            result = repr(call())
        except Exception as error:
            result = type(error).__name__
    print(result)
"""

#: Calls, and what comes of them.
LIES = {
    "four + wrapt.ObjectProxy(x)": "TypeError",  # as four + x is
    "four + wrapt.ObjectProxy(x[:1])": "half4([1., 2., 3., 4.])",
    "x + wrapt.ObjectProxy(x)": "array([0., 2., 4., 6.], dtype=half)",
    "hc.dot(x, wrapt.ObjectProxy(x))": "half(14.0)",
    "hc.add(x, wrapt.ObjectProxy(x))": "array([0., 2., 4., 6.], dtype=half)",
    "x.searchsorted(wrapt.ObjectProxy(x))": "array([0, 1, 2, 3])",
    "hc.half(wrapt.ObjectProxy(np.longdouble(1.5)))": "half(1.5)",
    "hc.dot(S(), four)": "TypeError",
    "four + S()": "TypeError",
    "np.arange(8, dtype=hc.half).searchsorted(S())": "TypeError",
    "hc.half.__reduce__(wrapt.ObjectProxy(hc.half(1)))": "TypeError",
}


def test_false_class_attributes_change_nothing(tmp_path):
    """An object's class counts, whatever its ``__class__`` is."""
    pytest.importorskip("wrapt")
    calls = "\n".join(f"say(lambda: {call})" for call in LIES)
    status, output, errors = outcome_of(calls, tmp_path)
    assert status == 0, errors
    assert dict(zip(LIES, output.splitlines(), strict=True)) == LIES


RESIZING = """
a = b = np.ones(1 << 20, hc.half)

class Mode(str):
    def __hash__(self):
        a.resize(1, refcheck=False)
        return str.__hash__(self)

class Index(np.int64):
    def __index__(self):
        a.resize(1, refcheck=False)
        return 0

class Indices:
    def __array__(self, dtype=None, copy=None):
        a.resize(1, refcheck=False)
        return np.arange(1 << 19)

def again(*shape):
    global a
    a = np.ones(shape or 1 << 20, hc.half)
    a[0] = 60000
    return a

np.seterr(all="call")
np.seterrcall(lambda *_: a.resize(1, refcheck=False))
"""

#: Calls in which code of users resizes an array that is as long as no later page is there.
RESIZED = (
    "hc.matmul(again(), a, rounding=Mode('rtp'))",
    "hc.sum(again(), rounding=Mode('rtp'))",
    "hc.sum(again(), initial=1.0, rounding=Mode('rtp'))",
    "np.add.reduceat(again(), Indices())",
    "np.maximum.accumulate(again(), Index(0))",
    "np.add.accumulate(again(), Index(0))",
    "again(1 << 17, 8).argmax(Index(0))",
    "again(1 << 17, 8).argsort(Index(0))",
    "again().partition(5, Index(0))",
    "again().partition(Indices())",
    "hc.vload_half(Index(0), again())",
    "np.add.reduce(again(), initial=1e6)",
    "np.exp(again(), out=a, where=a > 1)",
)


def test_code_of_users_runs_before_addresses_are_taken(tmp_path):
    calls = "\n".join(f"say(lambda: {call})" for call in RESIZED)
    status, output, errors = outcome_of(RESIZING + calls, tmp_path)
    assert status == 0, errors
    assert len(output.splitlines()) == len(RESIZED)


def test_mode_of_derived_str_is_its_text():
    """A mode is its text, whatever a class derived from str claims."""

    class Mode(str):
        __slots__ = ()

        def __hash__(self):
            raise AssertionError

        def __eq__(self, other):
            raise AssertionError

    x = np.full(3, 0.1, hc.half)
    for mode in ("rte", "rtz", "rtp", "rtn"):
        assert hc.sum(x, rounding=Mode(mode)) == hc.sum(x, rounding=mode)
        assert hc.half(0.1, rounding=Mode(mode)) == hc.half(0.1, rounding=mode)
    with pytest.raises(ValueError, match=r"^rounding: expected one of"):
        hc.sum(x, rounding=Mode("up"))


# ---------------------------------------------------------------- the rule

#: Classes whose check Cython compiles to C's; and that of an error, which nothing in C follows.
KNOWN = {"str", "bytes", "list", "tuple", "int", "float", "bool", "type", "float16", "longdouble",
         "ValueError"}  # fmt: skip


def test_isinstance_is_only_used_with_classes_of_cython():
    """isinstance with another class is Python's, which trusts ``__class__``."""
    errors = []
    for path in sorted((ROOT / "src" / "halfcl" / "_core").glob("*.p[xy][xi]")):
        text = path.read_text(encoding="utf-8")
        for classes in re.findall(r"isinstance\([^,()]*, (\(.*?\)|[\w.]+)\)", text):
            errors += [f"{path.name}: {name}" for name in re.findall(r"[\w.]+", classes)
                      if name not in KNOWN and not name.startswith("cnp.")]  # fmt: skip
    assert not errors
