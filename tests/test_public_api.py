"""The public names: which exist, which are shown, and the rules that each follows."""

import builtins
import copy
import inspect
import pickle
import pkgutil
from importlib import import_module
from importlib.util import find_spec

import numpy as np
import pytest

import halfcl as hc
from halfcl._support import names

pytestmark = pytest.mark.once

PARTS = (
    "arrays", "audit", "check", "cl", "dask", "device", "interval", "io", "plots", "safe",
    "stability", "testing",
)  # fmt: skip
MODULES = ("halfcl", *(f"halfcl.{part}" for part in (*PARTS, "reductions", "vectors")))

#: All public modules: what is in these, in ``__all__``, is what halfcl promises.
PUBLIC_MODULES = {
    *MODULES,
    "halfcl.cl.pyopencl",
    "halfcl.typing",
}

#: Those that can be imported here: one of them needs pyopencl, which most tests run without.
IMPORTABLE = PUBLIC_MODULES - ({"halfcl.cl.pyopencl"} if find_spec("pyopencl") is None else set())

#: Names that are another module's, which has them under its own.
OTHERS = {
    "halfcl": {"Function": "halfcl._core.native"},
    "halfcl.dask": {"ARRAY": "dask.array.core"},
    "halfcl.vectors": dict.fromkeys(
        ["from_struct", "shuffle", "shuffle2", "to_struct", "vec_step"], "halfcl"
    ),
}


def public(module):
    """Return a module's public names and objects; halfcl's include names made by rule."""
    imported = import_module(module)
    listed = hc._reachable() if module == "halfcl" else imported.__all__
    things = {name: getattr(imported, name) for name in listed}
    return {name: thing for name, thing in things.items() if not inspect.ismodule(thing)}


# ---------------------------------------------------------------- which are shown


def test_a_person_sees_some_two_hundred():
    assert 200 <= len(dir(hc)) <= 250
    shown = {
        "half",
        "rounding",
        "exp",
        "max",
        "sum",
        "convert",
        "half4",
        "HALF_MAX",
        "M_PI_H",
        "Image",
    }
    assert shown <= set(dir(hc))
    assert set(dir(hc)) >= {*hc.__all__, *PARTS, "__version__"}


@pytest.mark.parametrize(
    "name", ["exp_rtp", "int4", "double16", "vload4", "vstore_half4_rtz", "vloada_half3",
             "as_half4", "convert_int", "convert_int4_sat_rtp", "CL_HALF_MAX", "FP_ILOGB0"],
)  # fmt: skip
def test_names_with_a_rule_are_there_and_not_shown(name):
    assert getattr(hc, name) is not None and name in hc._reachable()
    assert name not in dir(hc) and name not in hc.__all__


def test_all_is_there_once():
    assert len(set(hc.__all__)) == len(hc.__all__) and set(hc.__all__) <= set(dir(hc))
    for name in hc._reachable():
        assert hasattr(hc, name)
    assert set(dir(hc)) <= set(hc._reachable())


def test_imported_names_are_not_shown():
    for name in ("np", "Any", "annotations", "tables", "conversion", "_core", "names"):
        assert name not in dir(hc)
    assert not hasattr(hc, "Any") and not hasattr(hc, "np")


def test_import_star_hides_no_function_of_python():
    namespace = {}
    exec("from halfcl import *", namespace)
    assert not {name for name in namespace if not name.startswith("__")} & set(dir(builtins))
    assert namespace["exp"] is hc.exp and {"max", "round", "pow", "sum"} <= set(dir(hc))


# ---------------------------------------------------------------- which modules there are


def is_private(module):
    """Return whether one of the module's names begins with an underscore, as in SciPy."""
    return any(part.startswith("_") for part in module.split("."))


def test_private_modules_have_underscores():
    modules = {"halfcl", *(m.name for m in pkgutil.walk_packages(hc.__path__, "halfcl."))}
    assert {module for module in modules if not is_private(module)} == PUBLIC_MODULES


@pytest.mark.parametrize("module", sorted(IMPORTABLE))
def test_public_modules_give_no_others(module):
    """Neither as attributes: `from halfcl.cl import _tree as tree` makes one in a public module."""
    things = vars(import_module(module)).items()
    reached = {
        thing.__name__
        for name, thing in things
        if inspect.ismodule(thing) and not name.startswith("_")
    }
    assert {name for name in reached if name.split(".")[0] == "halfcl"} <= PUBLIC_MODULES


@pytest.mark.parametrize("module", sorted(IMPORTABLE - {"halfcl"}))
def test_modules_show_public_names(module):
    imported = import_module(module)
    assert len(set(imported.__all__)) == len(imported.__all__) > 0
    assert all(hasattr(imported, name) for name in imported.__all__)
    if hasattr(imported, "__path__"):
        assert dir(imported) == sorted(imported.__all__)


# ---------------------------------------------------------------- names with two meanings


@pytest.mark.parametrize("name", ["float16", "int8", "int16", "uint8", "uint16"])
def test_numpys_names_are_no_vectors(name):
    with pytest.raises(
        AttributeError, match=rf"numpy\.{name} .*, halfcl\.vectors\.{name} .*vector"
    ):
        getattr(hc, name)
    assert name not in hc._reachable() and not hasattr(hc, name)
    assert getattr(hc.vectors, name).width == int(name.lstrip("abcdefghijklmnopqrstuvwxyz"))
    with pytest.raises(ImportError):
        exec(f"from halfcl import {name}")


def test_no_other_name_is_a_dtype_of_numpys():
    alike = {name for name in hc._reachable() if isinstance(getattr(np, name, None), type)}
    assert alike <= {"half", "finfo"}


@pytest.mark.parametrize(
    ("call", "meant"),
    [
        (lambda: hc.max([1, 2]), r"max\(\) .*: OpenCL's max\(x, y\) .*numpy\.max\(a\)"),
        (lambda: hc.min(np.ones(3, hc.half)), r"OpenCL's min\(x, y\) .*numpy\.min\(a\)"),
        (lambda: hc.round(2.567, 2), r"round: argument out: .*numpy\.round\(x, decimals\)"),
        (lambda: hc.round(hc.half(2), 1, rounding="rtp"), r"numpy\.round\(x, decimals\)"),
        (lambda: hc.any(np.ones(3, hc.half)), r"any: .*OpenCL's any\(x\) .*numpy\.any\(x\)"),
        (lambda: hc.all(np.ones(3, hc.half)), r"all: .*OpenCL's all\(x\) .*numpy\.all\(x\)"),
    ],
)  # fmt: skip
def test_error_suggests_numpys_function(call, meant):
    with pytest.raises(TypeError, match=meant):
        call()


@pytest.mark.parametrize("call", [lambda: hc.exp(1, 2), lambda: hc.pow(2, 3, 5)])
def test_scalar_in_place_of_out_raises_plainly(call):
    with pytest.raises(TypeError, match=r"^(exp|pow): argument out: expected an array$"):
        call()


@pytest.mark.parametrize(
    "call",
    [lambda mode: hc.exp(1.5, mode), lambda mode: hc.divide(hc.half([1, 2]), 7, mode),
     lambda mode: hc.frexp(2.5, mode), lambda mode: hc.dot(hc.half4(1), hc.half4(2), mode)],
)  # fmt: skip
def test_mode_in_place_of_out_names_the_keyword(call):
    for mode in hc.MODES:
        with pytest.raises(TypeError, match=f"got '{mode}'; rounding='{mode}' is given by name$"):
            call(mode)
    with pytest.raises(TypeError, match=r"argument out: expected an array$"):
        call("up")


# ---------------------------------------------------------------- each of them


@pytest.mark.parametrize("module", MODULES)
def test_every_name_pickles_copies_and_tells(module):
    for name, thing in public(module).items():
        if not callable(thing):
            continue
        assert pickle.loads(pickle.dumps(thing)) is thing, name
        assert copy.copy(thing) is thing and copy.deepcopy(thing) is thing, name
        assert (inspect.getdoc(thing) or "").strip() and repr(thing), name
        if not isinstance(thing, np.ufunc):  # which have no module
            expected = OTHERS.get(module, {}).get(name, module)
            if expected == module and getattr(hc, name, None) is thing:
                expected = "halfcl"
            assert thing.__module__ == expected, name
            assert thing.__qualname__.endswith(thing.__name__), name
        if not isinstance(thing, type | np.ufunc):  # some of which have none
            assert inspect.signature(thing) is not None, name


@pytest.mark.parametrize("module", MODULES)
def test_values_pickle(module):
    for name, thing in public(module).items():
        if not callable(thing) and name not in ("FUNCTIONS", "TYPES"):
            again = pickle.loads(pickle.dumps(thing))
            assert type(again) is type(thing) and repr(again) == repr(thing), name


def test_shown_and_imported():
    assert names.listed_names(["max", "max_rtp", "half2", "float2"]) == ["max", "half2"]
    assert names.names_for_import(["max", "max_rtp", "half2", "float2"]) == ["half2"]
    hint = ": numpy.uint8 is a dtype, halfcl.vectors.uint8 a vector of eight uints"
    assert names.explain_missing("uint8") == hint and names.explain_missing("int4") == ""


# ---------------------------------------------------------------- keywords


@pytest.mark.parametrize(
    "call",
    [
        lambda: hc.convert(1.5, hc.half, "rtp"),
        lambda: hc.parse("1.5", "rtp"),
        lambda: hc.testing.assert_correctly_rounded(np.sqrt, "sqrt", "rte"),
    ],
)
def test_rounding_is_a_keyword_everywhere(call):
    with pytest.raises(TypeError, match="positional"):
        call()


# halfcl.dask's are called by halfcl itself, with all that it was given.
@pytest.mark.parametrize("module", [m for m in MODULES if m != "halfcl.dask"])
def test_rounding_and_rng_are_keywords(module):
    for name, thing in public(module).items():
        if inspect.isroutine(thing) or isinstance(thing, hc.Function):
            parameters = inspect.signature(thing).parameters
            assert "seed" not in parameters, name
            for keyword in {"rounding", "rng"} & parameters.keys():
                assert parameters[keyword].kind is inspect.Parameter.KEYWORD_ONLY, name
