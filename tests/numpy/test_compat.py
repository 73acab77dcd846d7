"""Tests of entries for NumPy's private parts, each of which may be missing; of the command line."""

import importlib
import importlib.abc
import importlib.util
import os
import re
import subprocess
import sys
from itertools import chain

import numpy as np
import pytest
from exhaustive import more, one_in

from halfcl._numpy import compat
from halfcl._numpy.compat import ENTRIES


def run(code_or_arguments, *, expected=0, **environment):
    """Run code, or Python with arguments, in a new process."""
    arguments = code_or_arguments
    if isinstance(arguments, str):
        arguments = ["-W", "error", "-c", arguments]
    result = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        capture_output=True,
        text=True,
    )
    assert result.returncode == expected, result.stderr
    return result


# NumPy's table of functions and DType classes for other extension modules.
TABLE = """
import ctypes
from numpy._core._multiarray_umath import _ARRAY_API
address = ctypes.pythonapi.PyCapsule_GetPointer
address.restype, address.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
table = ctypes.cast(address(_ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))
long, single, double, bytes_, timedelta = (320 + k for k in (8, 23, 24, 29, 32))
"""

CASTS = """
from numpy._core import _multiarray_umath as module
find = module._get_castingimpl
"""

# Code that deletes the part of an entry.
REMOVE = {
    "numpy._core.umath": "import sys, numpy.ma; "
    "sys.modules['numpy._core.umath'] = None; del np._core.umath",
    "numpy.dtypes.Float16DType: the function that stores an object": TABLE
    + "table[single] = table[timedelta]",
    "numpy.finfo._finfo_cache": """
class Cache:
    get, __setitem__ = np.finfo._finfo_cache.get, np.finfo._finfo_cache.__setitem__
np.finfo._finfo_cache = Cache()  # it has no update
""",
    "numpy.lib._type_check_impl.array_precision": "del np.lib._type_check_impl.array_precision",
    "numpy.lib._iotools.StringConverter._mapper": "from numpy.lib import _iotools; "
    "del _iotools.StringConverter._mapper",
    "numpy._core.arrayprint._get_format_function": "from numpy._core import arrayprint; "
    "del arrayprint._get_format_function",
    "numpy.ndarray: sort, partition, argmax and their like, searchsorted, dot, nonzero, round": (
        "import gc; del gc.get_referents(np.ndarray.__dict__)[0]['partition']"
    ),
    "numpy._core._multiarray_umath.__cpu_features__": (
        "del np._core._multiarray_umath.__cpu_features__"
    ),
    "numpy._ArrayMethod of float16's casts and ufunc.at": CASTS
    + "module._get_castingimpl = lambda a, b: find(a, b if a.type is str else a)",
    "numpy._ArrayMethod of StringDType's cast to float16; dicts of casts of numpy.dtypes": CASTS
    + "module._get_castingimpl = lambda a, b: find(*(2 * [b] if a.type is str else [a, b]))",
    "numpy._ArrayMethod of half's cast to itself": CASTS + "float16 = np.dtypes.Float16DType\n"
    "module._get_castingimpl = lambda a, b: None if a is b is not float16 else find(a, b)",
    "numpy.ufunc: reduce, accumulate, reduceat; numpy._core._methods: umr_sum and its like": (
        "from numpy._core import _methods; del _methods.umr_sum"
    ),
    "numpy.ufunc.at": "import gc; del gc.get_referents(np.ufunc.__dict__)[0]['at']",
    "numpy._core._multiarray_umath: dot, inner, vdot, correlate, correlate2, count_nonzero": (
        "from numpy._core import _multiarray_umath as m; m.correlate2 = m.correlate"
    ),
    "numpy._core._multiarray_umath.where": (
        "from numpy._core import _multiarray_umath as m; m.where = m.dot"
    ),
    "numpy._core._multiarray_umath.arange": (
        "from numpy._core import _multiarray_umath as m; m.arange = m.dot"
    ),
    "ml_dtypes: casts of its types": "import sys, types; "
    "sys.modules['ml_dtypes'] = package = types.ModuleType('ml_dtypes'); "
    "package.dtype = type('dtype', (), {'dtype': 3})",
    "numpy._core.numerictypes: allTypes, sctypes": "del np._core.numerictypes.allTypes",
    "code of mean, var, std, nanmean, nanvar, nanstd, average, trapezoid, norm": (
        "import linecache, numpy.ma; linecache.getlines = lambda *_: []"
    ),
    "numpy._core.einsumfunc.c_einsum": "del np._core.einsumfunc.c_einsum",
    "numpy.ma.core: min_filler, max_filler": "import numpy.ma; del np.ma.core.min_filler",
    "PyArray_DTypeMeta.flags: NPY_DT_NUMERIC": TABLE + "table[bytes_] = table[double]",
    "PyArray_DTypeMeta.dt_slots: NPY_DT_common_dtype": TABLE + "table[long] = table[timedelta]",
    "PyUFuncObject.type_resolver": """
import ctypes
ctypes.c_void_p.from_address(id(np.sqrt) + object.__basicsize__ + 128).value = None
""",
    "scipy.fft: helper._asfarray": "import sys, types; "
    "sys.modules['scipy.fft'] = types.ModuleType('fft')",
    "pandas: WrappedCythonOp, Index, merge, nanops": """
import sys, types
for name in ("pandas", "pyarrow", "pyarrow.pandas_compat"):
    sys.modules[name] = types.ModuleType(name)
""",
    "dask.tokenize": "import sys, types; sys.modules['dask'] = types.ModuleType('dask')",
    "distributed: protocol.numpy, shuffle._core": "import sys, types; "
    "sys.modules['distributed'] = types.ModuleType('distributed')",
    "zarr: Float16": "import sys, types; sys.modules['zarr'] = types.ModuleType('zarr')",
    "casts of a DType between others": TABLE
    + """
# PyList_Append, which raises SystemError without a list, replaces PyArrayInitDTypeMeta_FromSpec.
table[362] = ctypes.cast(ctypes.pythonapi.PyList_Append, ctypes.c_void_p).value
""",
}

#: Entries that are missing if another one is: they use the source of functions, or pandas' imports.
GONE_TOO = {
    "code of mean, var, std, nanmean, nanvar, nanstd, average, trapezoid, norm": [
        "code of linspace, quantile, histogram, gradient, cross and others",
        "numpy.ma: MaskedArray.mean, var, std, anom; average, median",
        "numpy.vectorize._get_ufunc_and_otypes",
    ],
    "pandas: WrappedCythonOp, Index, merge, nanops": [
        "pyarrow.pandas_compat: dataframe_to_arrays, dataframe_to_types",
    ],
}

#: The entries of REMOVE that are always tested.
SOME = list(REMOVE)[::10]

WITHOUT = """
import numpy as np
{remove}
import halfcl as hc
from halfcl._numpy import compat
from halfcl._numpy.compat import ENTRIES
print([entry.name for entry in ENTRIES if not entry.present])
a = np.zeros(4, hc.half)
a[:] = [4, 1, 3, 2]
assert np.sort(a).tolist() == [1, 2, 3, 4] and (a + a).tolist() == [8, 2, 6, 4]
assert float(hc.half(2) + 1) == 3 and hc.sqrt(a)[0] == 2 and np.sqrt(a)[0] == 2
assert hc.finfo().max == 65504
"""

COMPILED_IN = [entry.name for entry in ENTRIES if "compiled in" in entry.versions]


def test_every_entry_is_here():
    """Check that all entries are present in the versions of NumPy that halfcl is tested with."""
    assert [entry.name for entry in ENTRIES if not entry.present] == []
    assert sorted([*REMOVE, *chain(*GONE_TOO.values()), *COMPILED_IN]) == sorted(
        entry.name for entry in ENTRIES
    )
    for entry in ENTRIES:
        assert entry.reason and entry.without and re.match(r"2\.0 to 2\.\d", entry.versions)


@pytest.mark.parametrize("name", [*SOME, *more(*(name for name in REMOVE if name not in SOME))])
def test_import_without(name):
    """Check that halfcl works without an entry, and that a warning names it."""
    result = run(["-c", WITHOUT.format(remove=REMOVE[name])])
    missing = [name, *GONE_TOO.get(name, [])]
    assert result.stdout.strip() == repr(missing)
    warnings = re.findall(r"RuntimeWarning: halfcl: (.*?): not in effect", result.stderr)
    assert sorted(warnings) == sorted(missing) and result.stderr.count("Warning:") == len(missing)


def test_entries_without_effect_are_not_present(monkeypatch):
    """Check that calls decide, not the return value of an entry's own function."""
    entry = next(e for e in ENTRIES if "einsum" in e.name)
    idle = compat.Entry("name", "reason", "2.0", "nothing", "changed", lambda: True, lambda: False)
    raising = compat.Entry("other", "reason", "2.0", "nothing", "", lambda: True, lambda: 1 / 0)
    with pytest.warns(RuntimeWarning, match="not in effect beside NumPy") as warnings:
        compat._enter([entry, idle, raising])
    assert [str(w.message).split(": ")[1] for w in warnings] == ["name", "other"]
    assert entry.present and not idle.present and not raising.present
    with monkeypatch.context() as patch:
        # It must not call itself: other tests may have raised the limit on recursion.
        patch.setattr(np._core.einsumfunc, "c_einsum", lambda *args, **keywords: None)
        assert not compat.holds_outside_regions(entry.effect)
    assert compat.holds_outside_regions(entry.effect)


def test_every_change_has_an_effect_that_is_checked():
    for entry in ENTRIES:
        if entry.changes:
            assert entry.effect is not compat._has_no_effect, entry.name
        if importlib.util.find_spec(entry.module.partition(".")[0]) is not None:
            assert compat.holds_outside_regions(entry.effect), entry.name


@one_in(3)
@pytest.mark.parametrize("module", ["scipy.fft", "numpy.ma", "pandas"])
def test_modules_imported_in_strict_regions(module):
    """Check that the checks of entries run outside of the region."""
    pytest.importorskip(module)
    run(f"import halfcl\nwith halfcl.rounding('rtp', strict=True):\n    import {module}")


def test_unknown_scipy_warns():
    pytest.importorskip("scipy.fft")
    code = """
import halfcl, scipy.fft
import sys
from halfcl._numpy import compat
sys.modules["scipy.fft"].fft = lambda x: 1 / 0
compat.register()
"""
    result = run(["-c", code])
    assert "RuntimeWarning: halfcl: scipy.fft: helper._asfarray: not in effect" in result.stderr


def test_methods_of_another_calling_convention_are_left_alone():
    code = """
import gc
import numpy as np
methods = gc.get_referents(np.ndarray.__dict__)[0]
methods["partition"] = methods["sort"].__class__.__get__  # not a method of ndarray
before = methods["argpartition"], methods["partition"]
import warnings
with warnings.catch_warnings(record=True, action="always") as caught:
    import halfcl as hc
assert len(caught) == 1 and "numpy.ndarray: sort" in str(caught[0].message)
from halfcl._numpy import compat
from halfcl._numpy.compat import ENTRIES
print([entry.present for entry in ENTRIES if "partition" in entry.name])
assert methods["partition"] is before[1]
"""
    assert run(code).stdout.strip() == "[False]"


# NumPy's own functions' code, methods, finders of modules and ufuncs' calls, before and after.
PLAIN = """
import sys
import numpy as np
from numpy._core import _methods, arrayprint, einsumfunc
from numpy.lib import _iotools
import ctypes, inspect

def own():
    function = inspect.unwrap(np.nanmean)
    calls = ctypes.string_at(id(np.add), np.ufunc.__basicsize__)
    return [
        _methods._var.__code__, _methods._std.__code__, function.__code__, _methods.umr_sum,
        arrayprint._get_format_function, einsumfunc.c_einsum,
        np.vectorize._get_ufunc_and_otypes.__code__, list(sys.meta_path),
        list(_iotools.StringConverter._mapper), np.ndarray.partition, np.ufunc.reduce,
        calls[24:120],  # pointers to loops move; those to functions stay
    ]

before = own()
import halfcl as hc
after = own()
print([k for k in range(len(before)) if before[k] != after[k]])
a = np.array([4, 1, 3, 2], hc.half)
assert np.sort(a).tolist() == [1, 2, 3, 4] and (a + a).tolist() == [8, 2, 6, 4]
assert np.sqrt(a)[0] == 2 and np.exp(a)[1] == hc.exp(a)[1] and hc.var(a) == 1.25
assert hc.divide(a, 3, rounding="rtp")[1] > hc.divide(a, 3, rounding="rtn")[1]
assert np.median(a) == 2.5 and np.finfo(hc.half).max == 65504
with hc.accelerated():
    assert hc.accelerated_ufuncs() and np.exp(a.view(np.float16))[1] == np.exp(a)[1]
"""


def test_plain_changes_nothing_in_numpy():
    assert run(PLAIN, HALFCL_NUMPY="plain").stdout.strip() == "[]"
    assert len(run(PLAIN, HALFCL_NUMPY="taught").stdout.split(",")) >= 7
    assert "plain: HALFCL_NUMPY" in run(["-m", "halfcl", "info"], HALFCL_NUMPY="plain").stdout


def test_error_for_unknown_setting():
    result = run("import halfcl", expected=1, HALFCL_NUMPY="plane")
    assert "HALFCL_NUMPY='plane': expected 'taught' or 'plain'" in result.stderr
    (line,) = run(["-m", "halfcl"], expected=1, HALFCL_NUMPY="plane").stderr.splitlines()
    assert "HALFCL_NUMPY='plane': expected" in line


def test_info_names_missing_entries():
    name = "numpy.lib._type_check_impl.array_precision"
    show = "from halfcl._installation import report; print(report())"
    lines = run(["-c", f"import numpy as np; {REMOVE[name]}; {show}"]).stdout.splitlines()
    assert lines[-1].startswith(f"NumPy lacks (1)  {name}: numpy.common_type of half")
    assert "lacks" not in run(["-m", "halfcl", "info"]).stdout


def test_import_again():
    """Check that loops are added to NumPy's ufuncs once, and that earlier objects still work."""
    code = """
import importlib
import numpy as np
import halfcl as hc
from numpy._core import arrayprint
exp, half, a = hc.exp, hc.half, np.array([4, 1, 3, 2], hc.half)
choose = arrayprint._get_format_function
for _ in range(2):
    assert importlib.reload(hc) is hc
    importlib.reload(hc._numpy.compat)
    hc._numpy.compat.register()
assert hc.half is half and arrayprint._get_format_function is choose
for f in (exp, hc.exp):
    assert f(a).tolist() == hc.exp(a).tolist() and type(f(a)[0]) is half
assert np.exp(a).dtype.type is half and (a + a).tolist() == [8, 2, 6, 4]
assert np.median(a) == 2.5 and repr(a) == "array([4., 1., 3., 2.], dtype=half)"
assert hc.half4(a).xy.tolist() == [4, 1] and hc.convert_int(a).tolist() == [4, 1, 3, 2]
with hc.rounding("rtp"):
    assert hc.half(0.1) > hc.half(0.1, rounding="rtn")
"""
    run(code)


def test_accelerated_when_imported_again():
    """Check that a second import knows which loops the first one has replaced."""
    code = """
import sys
from itertools import chain
import numpy as np
import halfcl
halfcl.accelerate()
for name in [name for name in sys.modules if name.partition(".")[0] == "halfcl"]:
    if not name.startswith("halfcl._core"):
        del sys.modules[name]
import halfcl as hc
x = np.ones(5, np.float16)
assert hc is not halfcl and len(hc.accelerated_ufuncs()) > 70
hc.accelerate()
for number in range(2):
    with hc.rounding("rtp"):
        assert bool((x / 3 > np.float16(0.3333)).all()) is (number == 0)
    hc.decelerate()
"""
    run(code)


def test_import_after_removal_from_sys_modules():
    code = """
import sys
from itertools import chain
import numpy as np
import halfcl
for name in [name for name in sys.modules if name.partition(".")[0] == "halfcl"]:
    if not name.startswith("halfcl._core"):  # an extension module stays
        del sys.modules[name]
import halfcl as hc
assert (np.sqrt(np.array([4], hc.half)) == 2).all() and np.finfo(hc.half).max == 65504
"""
    run(code)


# ------------------------------------------------------------------ the command line


@pytest.mark.parametrize("isa", ["\udcff\udcfe", *more("bogus", "AVX2 ", "é")])
def test_command_with_a_bad_instruction_set(isa):
    """Check that the message is one line without a traceback."""
    name = os.fsencode(isa) if isa == "\udcff\udcfe" else isa
    result = run(["-m", "halfcl", "info"], expected=1, HALFCL_ISA=os.fsdecode(name))
    (line,) = result.stderr.splitlines()
    assert f"HALFCL_ISA={isa!r}: expected an instruction set that this processor has" in line
    assert "portable" in line and result.stdout == ""


@pytest.mark.parametrize("isa", ["bogus", "\udcff"])
def test_import_with_a_bad_instruction_set(isa):
    code = "try:\n    import halfcl\nexcept ImportError as e:\n    print(ascii(str(e)))"
    assert f"HALFCL_ISA={isa!a}: expected" in run(code, HALFCL_ISA=isa).stdout.replace("\\\\", "\\")


# If output is unbuffered, argparse ignores errors of writing its help.
BUFFERED = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": ""}


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")
@pytest.mark.parametrize("arguments", ["--help", *more("info", "--version", "info --help")])
def test_output_that_cannot_be_written(arguments):
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            [sys.executable, "-m", "halfcl", *arguments.split()],
            env=BUFFERED,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert result.returncode == 2
    (line,) = result.stderr.splitlines()
    assert line.startswith("halfcl") and "No space left" in line


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pipes that break so")
@pytest.mark.parametrize("arguments", ["info", *more("--help")])
def test_closed_pipe_is_silent(arguments):
    read, write = os.pipe()
    os.close(read)
    result = subprocess.run(
        [sys.executable, "-m", "halfcl", *arguments.split()],
        env=BUFFERED,
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(write)
    assert result.returncode == 1 and result.stderr == ""


@pytest.mark.parametrize("arguments", ["info extra", *more("develop", "--nothing")])
def test_usage(arguments):
    result = run(["-m", "halfcl", *arguments.split()], expected=2)
    assert result.stderr.startswith("usage: python -m halfcl") and result.stdout == ""


def test_help_without_arguments():
    result = run(["-m", "halfcl"])
    assert result.stdout.startswith("usage: python -m halfcl") and result.stderr == ""


def test_numpy_is_new_enough():
    assert np.lib.NumpyVersion(np.__version__) >= "2.0.0"


def test_function_is_called_after_import_not_by_find_spec(tmp_path, monkeypatch):
    (tmp_path / "taught_later.py").write_text("number = 1")
    monkeypatch.syspath_prepend(tmp_path)
    taught, before = [], list(sys.meta_path)
    compat.call_when_imported("taught_later", lambda: taught.append(sys.modules["taught_later"]))
    for _ in range(2):
        assert importlib.util.find_spec("taught_later").name == "taught_later"
    assert not taught and len(sys.meta_path) == len(before) + 1
    module = importlib.import_module("taught_later")
    assert taught == [module] and module.number == 1 and sys.meta_path == before


def test_loader_of_many_modules_stays(tmp_path, monkeypatch):
    """pytest loads its plugins, Zarr's among them, by one object, which is a finder, too."""

    class Hook(importlib.abc.MetaPathFinder, importlib.abc.Loader):
        def find_spec(self, name, path, target=None):
            is_own = name in ("of_many_a", "of_many_b")
            return importlib.util.spec_from_loader(name, self) if is_own else None

        def exec_module(self, module):
            module.number = 1

    hook, taught = Hook(), []
    monkeypatch.setattr(sys, "meta_path", [hook, *sys.meta_path])
    compat.call_when_imported("of_many_a", lambda: taught.append("of_many_a"))
    try:
        for name in ("of_many_a", "of_many_b"):
            module = importlib.import_module(name)
            assert module.number == 1 and module.__spec__.loader is module.__loader__ is hook
    finally:
        for name in ("of_many_a", "of_many_b"):
            sys.modules.pop(name, None)
    assert taught == ["of_many_a"] and "exec_module" not in vars(hook)


def test_import_takes_little_beside_numpy():
    """importlib.abc and what it imports take a tenth as long as all of halfcl."""
    run(
        "import sys, numpy\nbefore = set(sys.modules)\nimport halfcl\n"
        "more = {'importlib.abc', 'importlib.resources', 'tempfile', 'zipfile'}\n"
        "assert not more & (set(sys.modules) - before), more & (set(sys.modules) - before)"
    )
