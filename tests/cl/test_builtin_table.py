"""The table of built-in functions: each row can be called, and is translated or refused by name."""

import functools
import re

import pytest
from exhaustive import in_turn

from halfcl import _tables, cl
from halfcl.cl._frontend import tree
from halfcl.cl._frontend.builtins import TABLE, find
from halfcl.cl._frontend.builtins.table import FAMILIES
from halfcl.cl._interpreter.builtins import maker
from halfcl.cl._interpreter.builtins.numeric import floats
from halfcl.cl._translation.texts.floats import EXACT, IN_DOUBLE
from halfcl.cl._translation.vectorizing import is_at_risk

ROWS = list(TABLE.values())

#: The functions of OpenCL C 1.2, section 6.12, by subsection; {n} is a width.
STANDARD = {
    "work-item functions": """get_work_dim get_global_size get_global_id get_local_size
        get_local_id get_num_groups get_group_id get_global_offset""",
    "math functions": """acos acosh acospi asin asinh asinpi atan atan2 atanh atanpi atan2pi cbrt
        ceil copysign cos cosh cospi erfc erf exp exp2 exp10 expm1 fabs fdim floor fma fmax fmin
        fmod fract frexp hypot ilogb ldexp lgamma lgamma_r log log2 log10 log1p logb mad maxmag
        minmag modf nan nextafter pow pown powr remainder remquo rint rootn round rsqrt sin sincos
        sinh sinpi sqrt tan tanh tanpi tgamma trunc half_cos half_divide half_exp half_exp2
        half_exp10 half_log half_log2 half_log10 half_powr half_recip half_rsqrt half_sin half_sqrt
        half_tan native_cos native_divide native_exp native_exp2 native_exp10 native_log
        native_log2 native_log10 native_powr native_recip native_rsqrt native_sin native_sqrt
        native_tan""",
    "integer functions": """abs abs_diff add_sat hadd rhadd clamp clz mad_hi mad_sat max min mul_hi
        rotate sub_sat upsample popcount mad24 mul24""",
    "common functions": "clamp degrees max min mix radians step smoothstep sign",
    "geometric functions": """cross dot distance length normalize fast_distance fast_length
        fast_normalize""",
    "relational functions": """isequal isnotequal isgreater isgreaterequal isless islessequal
        islessgreater isfinite isinf isnan isnormal isordered isunordered signbit any all bitselect
        select""",
    "vector data loads and stores": """vload{n} vstore{n} vload_half vload_half{n} vstore_half
        vstore_half_rte vstore_half{n} vstore_half{n}_rtz vloada_half{n} vstorea_half{n}
        vstorea_half{n}_rtp""",
    "synchronization": "barrier mem_fence read_mem_fence write_mem_fence",
    "async copies": """async_work_group_copy async_work_group_strided_copy wait_group_events
        prefetch""",
    "atomic functions": """atomic_add atomic_sub atomic_xchg atomic_inc atomic_dec atomic_cmpxchg
        atomic_min atomic_max atomic_and atomic_or atomic_xor""",
    "miscellaneous vector functions": "shuffle shuffle2",
    "printf": "printf",
    "image functions": """read_imagef read_imagei read_imageui read_imageh write_imagef write_imagei
        write_imageui write_imageh get_image_width get_image_height get_image_depth
        get_image_channel_data_type get_image_channel_order get_image_dim get_image_array_size""",
    "conversions": "convert_half convert_char{n} convert_uint{n}_sat_rtz convert_double{n}_rtn",
}

#: Functions that a translation refuses for reasons other than their accuracy.
BLOCKS = {"": "uint", "_uc": "uchar", "_us": "ushort", "_ui": "uint", "_ul": "ulong"}
IMAGES = {"get_image_depth": "image3d_t", "get_image_array_size": "image2d_array_t"}


#: Families whose functions work component by component.
ELEMENTWISE = ("math", "integer", "relational", "selection")
#: Families whose functions are for halves and doubles, but for those that combine bits.
FLOATING_FAMILIES = (
    "math", "relational", "vector memory", "prefetch", "async copy", "work-group", "sub-group",
)  # fmt: skip


def element_of(row, overload, wanted=""):
    """The element that the test calls a function with; wanted, if the function has it."""
    names = {element.name for element in overload.elements}
    if wanted in names and row.family not in ("sub-group block", "half memory", "atomic"):
        return wanted
    if row.family == "sub-group block":
        return BLOCKS[row.parts["block"].strip("0123456789")]
    if row.family == "half memory" or names == {"float", "half", "double"}:
        return "float"
    if row.family in ("atomic", "sub-group", "work-group"):
        return "int"
    return "char" if names == {"char", "uchar"} else "int" if "float" not in names else "float"


def types_of(row, overload, wanted="", more=""):
    """The types that the words of a signature stand for in the test's call.

    wanted: the preferred element; more: the width for functions that have any.
    """
    element = element_of(row, overload, wanted)
    width = row.parts.get("width", "") or (more if row.family in ELEMENTWISE else "")
    bits = {"half": "ushort", "double": "ulong"}.get(element, "uint")
    if row.family in ("dot", "geometric", "shuffle") and not width:
        width = "4"
    if row.name == "upsample":
        element = "short"
    number = element + width
    block = element + row.parts.get("block", "").lstrip("_abcdefghijklmnopqrstuvwxyz")
    return {
        "T": number, "S": number, "E": element, "I": f"int{more and width}",
        "U": f"{bits}{more and width}", "int": "int",
        "uint": "uint", "uint4": "uint4", "size_t": "ulong", "size_t?": "ulong",
        "E*": f"global {element} *", "T*": f"private {number} *",
        "I*": f"private int{more and width} *",
        "half*": "global half *", "void*": f"global {element} *", "char*": "constant char *",
        "A*": "global atomic_int *", "int?": "int", "order": "int", "scope": "int", "bool": "bool",
        "image": IMAGES.get(row.name, "image2d_t"), "sampler": "sampler_t",
        "event": "event_t", "event_t*": "private event_t *",
        "X": {"conversion": number, "dot": "int", "selection": "int", "packed dot": "uint",
              "shuffle": "uint4", "compiler": "uint", "integer": "ushort", "geometric": "char4",
              "sub-group block": block, "image read": "int2",
              "image write": "int2"}.get(row.family),
    }  # fmt: skip


def arguments_of(row, overload, *wanted):
    """The places and types of the arguments in the test's call."""
    types = types_of(row, overload, *wanted)
    for place, parameter in enumerate(overload.parameters):
        if parameter == "..." or (parameter == "int?" and not row.parts.get("explicit")):
            continue
        type_ = types[parameter]
        if row.family == "async copy" and parameter == "T*":
            type_ = "local float *" if place == 0 else "const global float *"
        if row.family == "prefetch" and parameter == "T*":
            type_ = "const global float *"
        if row.family == "image write" and place == 2:
            channels = {"f": "float4", "h": "half4", "i": "int4", "ui": "uint4"}
            type_ = channels[row.parts["channels"]]
        if row.parts.get("result") == "int" and place == 2:
            type_ = "int"
        yield place, type_


def call_of(row, overload, number, *wanted):
    """A kernel that calls a function."""
    parameters, before, values = [], [], []
    for place, type_ in arguments_of(row, overload, *wanted):
        name = f"a{place}"
        if type_ == "constant char *":
            name = '"%d"'
            values += [name, "1"]
            continue
        if type_ == "event_t":
            before.append(f"event_t {name} = 0;")
        elif type_.startswith("private "):
            pointee = type_.removeprefix("private ").removesuffix(" *")
            before.append(f"{pointee} x{place}[1];")
            name = f"x{place}"
        elif type_.startswith("half"):
            parameters.append(f"global const {type_} *{name}")
            name = f"*{name}"
        else:
            access = "write_only " if row.effect == "write" else "read_only "
            access = access if type_.startswith("image") else ""
            parameters.append(f"{access}{type_} {name}")
        values.append(name)
    body = " ".join([*before, f"{row.name}({', '.join(values)});"])
    return f"kernel void k{number}({', '.join(parameters)}) {{ {body} }}"


CALLS = [(row, overload) for row in ROWS for overload in row.overloads]
HEAD = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
SOURCE = HEAD + "\n".join(call_of(*call, number) for number, call in enumerate(CALLS))


@functools.cache
def refusals(language):
    """The rows that a translation refuses, and the messages."""
    try:
        cl.translate(SOURCE, language, options="-cl-std=CL3.0")
    except cl.BuildError as error:
        return {CALLS[d.location.line - 2][0].name: d.message for d in error.diagnostics}
    return {}


def test_interpreter_has_every_function():
    for row, overload in CALLS:
        assert callable(maker(overload.function)), row.name


def test_every_row_can_be_called():
    program = cl.Program(SOURCE, "-cl-std=CL3.0")
    assert len(program.kernels) == len(CALLS) > len(TABLE) > 900
    for checks in (False, True):
        program._module("rte", checks=checks)


def test_results_have_the_types_of_signatures():
    program = cl.Program(SOURCE, "-cl-std=CL3.0")
    for (row, overload), kernel in zip(CALLS, program.kernels, strict=True):
        nodes = tree.walk(kernel._function.body)
        (call,) = (n for n in nodes if isinstance(n, tree.BuiltinCall) and n.name == row.name)
        types = {**types_of(row, overload), "void": "void", "event": "event_t", "B": "int"}
        if overload.result not in ("X", "void*"):
            assert str(call.type) == types[overload.result], row.name


@pytest.mark.parametrize("language", ["opencl", "cuda"])
def test_every_row_that_opencl_fixes_is_translated(language):
    for row in ROWS:
        message = refusals(language).get(row.name)
        assert (message is not None) == (not row.device), (row.name, message)
        assert message is None or re.search(rf"\b{row.name}\b", message), message


@in_turn
@pytest.mark.parametrize("width", ["", "3"])
@pytest.mark.parametrize("element", ["half", "double"])
@pytest.mark.parametrize("language", ["opencl", "cuda"])
def test_every_function_is_translated_of_halves_and_doubles(language, element, width):
    """With float_functions="device", all that the interpreter builds: compilers take it, too."""
    calls = [
        call_of(row, overload, number, element, width)
        for number, (row, overload) in enumerate(CALLS)
        if element in {e.name for e in overload.elements}
        and row.family in FLOATING_FAMILIES
        and not re.fullmatch(r"(logical_)?x?(and|or)", row.parts.get("operation", ""))
    ]
    source = HEAD + "\n".join(calls)
    program = cl.Program(source, "-cl-std=CL3.0")
    assert len(program.kernels) > 150
    cl.translate(source, language, options="-cl-std=CL3.0", float_functions="device")


@pytest.mark.parametrize("section", STANDARD)
def test_functions_of_the_standard_are_in_the_table(section):
    widths = ("2", "3", "4", "8", "16")
    names = {n.format(n=width) for n in STANDARD[section].split() for width in widths}
    assert names - TABLE.keys() == set()


def test_halfcls_functions_of_opencl_are_in_the_table():
    operators = ("add", "subtract", "multiply", "divide", "negative")
    rows = [r for r in _tables.TABLE if r.public and r.opencl and r.section != "Normalized"]
    assert {r.name for r in rows} - TABLE.keys() == set(operators)


def test_other_tables_have_the_same_names():
    math = {r.stem for r in ROWS if r.family == "math"}
    assert math == set(floats.FUNCTIONS)
    assert {r.stem for r in ROWS if r.device == "double"} == {"dot", "cross", *IN_DOUBLE}
    replaced = {r.stem if r.device == "text" else r.device for r in ROWS} & EXACT.keys()
    assert replaced == EXACT.keys() - {"number"}  # which conversions call
    assert {r.family for r in ROWS} == set(FAMILIES)


@pytest.mark.parametrize(
    ("name", "stem", "parts"),
    [
        ("convert_uchar16_sat_rtn", "convert_",
         {"type": "uchar", "width": "16", "saturates": "_sat", "mode": "_rtn"}),
        ("vstorea_half3_rtz", "vstore_half", {"aligned": "a", "width": "3", "mode": "_rtz"}),
        ("native_powr", "powr", {"native": "native_"}),
        ("fast_length", "length", {"fast": "fast_"}),
        ("sub_group_non_uniform_scan_inclusive_logical_xor", "sub_group_non_uniform__",
         {"fold": "scan_inclusive", "operation": "logical_xor"}),
        ("atom_cmpxchg", "cmpxchg", {"atomic": "atom_"}),
    ],
)  # fmt: skip
def test_names_are_taken_apart(name, stem, parts):
    row = find(name)
    assert (row.name, row.stem, row.parts) == (name, stem, parts)
    assert row.mode == (parts["mode"][1:] if "mode" in parts else None)


def test_other_names_are_not_found():
    for name in ("", "expp", "convert_bool", "convert_float5", "vload1", "vloada_half", "my_exp"):
        assert find(name) is None


@pytest.mark.parametrize(
    ("access", "call", "types"),
    [
        ("read", "read_imagef(a, s, (float2)(0), 1.0f)", "image2d_t, sampler_t, float2, float"),
        ("write", "write_imagef(a, (int2)(0), 1, (float4)(0))", "image2d_t, int2, int, float4"),
    ],
)
def test_calls_of_no_signature_are_refused(access, call, types):
    """clang declares levels of detail."""
    source = f"kernel void k({access}_only image2d_t a, sampler_t s) {{ {call}; }}"
    name = call.partition("(")[0]
    with pytest.raises(cl.BuildError, match=re.escape(f"not supported: {name}({types})")):
        cl.Program(source, "-cl-std=CL3.0 -Dcl_khr_mipmap_image_writes=1")


@pytest.mark.parametrize(
    ("names", "uniform", "convergence", "needs_group"),
    [
        ("exp max get_global_size get_image_width", "arguments", "none", False),
        ("get_global_id fract vload4 read_imagef atomic_add get_fence", "never", "none", False),
        ("get_group_id get_local_size", "arguments", "none", True),
        ("get_local_id", "never", "none", True),
        ("get_num_sub_groups get_max_sub_group_size", "arguments", "active", True),
        ("get_sub_group_id sub_group_shuffle sub_group_elect", "never", "active", True),
        ("sub_group_all sub_group_broadcast sub_group_reduce_add", "never", "sub_group", True),
        ("work_group_all work_group_reduce_min work_group_broadcast", "always", "work_group", True),
        (
            "work_group_scan_inclusive_add barrier async_work_group_copy",
            "never",
            "work_group",
            True,
        ),
        ("printf", "never", "active", False),
    ],
)
def test_what_a_row_says_of_groups(names, uniform, convergence, needs_group):
    for name in names.split():
        row = find(name)
        assert (row.uniform, row.convergence, row.needs_group) == (
            uniform, convergence, needs_group
        ), name  # fmt: skip


@pytest.mark.parametrize(
    ("body", "is_risk"),
    [
        ("b[0] = isless(a[0], a[1]);", True),
        ("a[0] = select(a[0], a[1], b[0]);", True),
        ("a[0] = bitselect(a[0], a[1], a[2]);", True),
        ("b[0].x = atom_inc((global int *)b);", True),
        ("b[0].x = signbit(a[0].x);", False),
        ("a[0] = fmax(a[0], a[1]); b[0] = clz(b[1]);", False),
    ],
)
def test_functions_that_a_vectorizer_may_get_wrong(body, is_risk):
    source = f"kernel void k(global float4 *a, global int4 *b) {{ {body} }}"
    (kernel,) = cl.Program(source).kernels
    assert is_at_risk(kernel._function) is is_risk


@pytest.mark.parametrize("fp16", [True, False])
def test_functions_that_move_bits_of_halves_keep_their_text(fp16):
    body = """h[1] = select(h[0], h[1], s[0]); h[2] = bitselect(h[0], h[1], h[2]);
    h[3] = shuffle(h[0], u[0]); vstore4(vload4(0, p), 1, p); prefetch(p, 4);"""
    parameters = "global half4 *h, global short4 *s, global ushort4 *u, global half *p"
    text = cl.translate(f"{HEAD}kernel void k({parameters})\n{{\n    {body}\n}}", fp16=fp16)
    assert body in text
