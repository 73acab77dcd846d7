"""Sub-groups in translations: what is given to functions, and where all of a group must come."""

import re

import pytest

from halfcl import cl
from halfcl.cl._frontend.source import parse_source
from halfcl.cl._translation import translate_parsed

pytestmark = [
    pytest.mark.once,
    pytest.mark.kernels,
    pytest.mark.filterwarnings("ignore::halfcl.cl.BuildWarning"),
]

HEAD = """#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
"""


def own(source, **options):
    """The author's part of a translation."""
    return cl.translate(HEAD + source, rounding="rte", **options).partition(
        '#line 1 "program.cl"\n'
    )[2]


def test_functions_get_slots_and_lanes_parameters():
    text = own("""float sum(float x) { return sub_group_reduce_add(x); }
uint lane(void) { return get_sub_group_local_id(); }
uint size() { return get_sub_group_size(); }
float twice(float x) { return 2 * x; }
__attribute__((intel_reqd_sub_group_size(16))) kernel void k(global float *a) {
    a[lane()] = sum(twice(a[0])) + size() + sub_group_any(a[1] > 0.5f); // all
}
kernel void plain(global float *a) { a[0] = twice(a[1]); }
""")
    parameters = "local ulong *hc_slots, uint hc_lanes"
    for line in (
        f"float sum(float x, {parameters}) "
        "{ return hc_reduce_add_float(x, hc_slots, hc_lanes); }",
        f"uint lane({parameters}) {{ return hc_sub_group_local_id(hc_lanes); }}",
        f"uint size({parameters}) {{ return hc_sub_group_size(hc_lanes); }}",
        "float twice(float x) { return 2 * x; }",
        f"kernel void k(global float *a, {parameters}) {{",
        "a[lane(hc_slots, hc_lanes)] = sum(twice(a[0]), hc_slots, hc_lanes) + size(hc_slots, "
        "hc_lanes) + hc_reduce_or_int(0 != (int)(a[1] > 0.5f), hc_slots, hc_lanes); // all",
        "kernel void plain(global float *a) { a[0] = twice(a[1]); }",
    ):
        assert line in text
    assert "reqd_sub_group_size" not in text
    assert "// #pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable" in text


def test_macros_with_calls():
    text = own("""#define SUM(x) sub_group_reduce_add(x)
float sum(float x) { return SUM(x); }
#define CALL sum(a[0])
kernel void k(global float *a) { a[1] = CALL; }
""")
    assert "{ return hc_reduce_add_float(x, hc_slots, hc_lanes); }" in text
    assert "a[1] = sum(a[0], hc_slots, hc_lanes);" in text


#: Statements with a shuffle S, which single items may call; n is an argument, lid an id.
TOGETHER = [
    "S;",
    "if (n > 3) S;",
    "for (int i = 0; i < n; i++) S;",
    "for (int i = 0; i < n; i++) { if (i == n / 2) break; S; }",
    "for (int i = lid; i < n; i += 32) a[i] = 1; S;",
    "if (lid > 3) a[0] = 1; S;",
    "int t = lid; t = n; if (get_group_id(0) + get_local_size(0) > n) return; S;",
    "switch (n) { case 1: S; break; default: if (n > 2) break; S; }",
    "do S; while (c[2] > n);",
    "int m = work_group_reduce_add(lid); if (m > 3) S;",
    "if (same(n)) S;",
    "a[0] = n > 2 ? S : 3;",
    "inside(a, n);",
    "for (int i = 0; i < lid; i++) { if (i == 2) break; } S;",
    "if (get_num_sub_groups() > 1 && n) S;",
]
APART = [
    "if (lid > 3) S;",
    "if (lid > 3) return; S;",
    "for (int i = lid; i < n; i++) S;",
    "for (int i = 0; i < n; i++) { if (i == lid) break; S; }",
    "for (int i = 0; i < n; i++) { S; if (i == lid) break; }",
    "for (int i = 0; i < n; i++) { if (i == lid) continue; S; }",
    "for (int i = 0; i < n; i++) { S; if (i == lid) return; }",
    "int t = n; if (lid > 3) t = 2; if (t > 1) S;",
    "int t = n; for (int i = 0; i < lid; i++) t++; if (t > 1) S;",
    "int t = 0; for (int i = 0; i < n; i++) { if (t > 1) S; t = lid; }",
    "switch (lid) { case 1: S; }",
    "switch (n) { case 1: if (lid > 3) break; S; }",
    "for (int i = 0; i < n; i++) { switch (n) { case 1: if (lid) continue; } S; }",
    "do S; while (a[2] > n);",
    "if (c[lid] > 1) S;",
    "if (same(lid)) S;",
    "if (other(n)) S;",
    "a[0] = lid > 2 ? S : 3;",
    "inside(a, lid);",
    "inside(a, n); inside(a, lid);",
    "int t = n; change(&t); if (t > 3) S;",
    "if (lid > 1 && S > 2) a[0] = 1;",
    "int t = n; int m = t = lid; if (t) S;",
    "if (lid > 3) early(a);",
    "int2 v = (int2)(n); v.x = lid; if (v.y) S;",
]

KERNEL = """float same(float x) { float y = x; return y + 1; }
float other(float x) { if (get_local_id(0) > 2) return 1; return 2; }
void change(int *p) { *p += get_local_id(0); }
void early(global int *a) { a[3] = sub_group_shuffle(a[2], 1u); }
void inside(global int *a, int m) { if (m > 1) a[1] = sub_group_shuffle(a[0], 1u); }
kernel void k(global int *a, constant int *c, int n) {
    int lid = get_local_id(0);
    STATEMENTS
}
"""


def source_of(statements):
    source = KERNEL.replace("STATEMENTS", statements).replace("S;", "a[7] = S;")
    kept = re.sub(r"\bS\b", "sub_group_shuffle(a[0], 1u)", source)
    for name in ("early", "inside"):  # only where they are called
        if f"{name}(a" not in statements:
            kept = re.sub(rf"void {name}\(.*\n", "", kept)
    return kept


@pytest.mark.parametrize("statements", TOGETHER)
def test_uniform_calls_are_translated(statements):
    assert "hc_lane_int(" in own(source_of(statements), options="-cl-std=CL3.0")


@pytest.mark.parametrize("statements", APART)
def test_divergent_calls_are_refused(statements):
    with pytest.raises(cl.BuildError, match="sub_group_shuffle where some work-items may come"):
        own(source_of(statements), options="-cl-std=CL3.0")


def test_declarations_get_the_parameters_too():
    text = own("""int f(int x), g(void);
int g(void), f(int);
kernel void k(global int *a) __attribute__((reqd_work_group_size(8, 1, 1)))
    __attribute__((intel_reqd_sub_group_size(8)));
kernel void k(global int *a) { *a = f((1)) + g(); /* f(int x); */ }
int f(int x) { return sub_group_broadcast(x, 1u) + (int)sizeof("f(int)"); }
int g(void) { return f(2); }
""")
    parameters = "local ulong *hc_slots, uint hc_lanes"
    for line in (
        f"int f(int x, {parameters}), g({parameters});\n",
        f"int g({parameters}), f(int, {parameters});\n",
        f"k(global int *a, {parameters}) __attribute__((reqd_work_group_size(8, 1, 1)))",
        f"kernel void k(global int *a, {parameters}) {{ *a = f((1), hc_slots, hc_lanes) + "
        "g(hc_slots, hc_lanes); /* f(int x); */ }\n",
        f"int f(int x, {parameters}) {{",
        f"int g({parameters}) {{ return f(2, hc_slots, hc_lanes); }}",
    ):
        assert line in text, text
    assert "reqd_sub_group_size" not in text


def test_ballots_and_work_groups():
    text = own(
        """kernel void k(global uint4 *a, global float *b) {
    a[0] = sub_group_ballot(a[1].x > 2) & get_sub_group_lt_mask();
    b[0] = work_group_reduce_add(b[1]) + sub_group_clustered_reduce_max(b[2], 4u);
    b[3] = intel_sub_group_shuffle_down(b[4], b[5], 2u) + sub_group_rotate(b[6], -1);
}""",
        options="-cl-std=CL3.0",
    )
    for line in (
        "a[0] = hc_ballot(0 != (int)(a[1].x > 2), hc_slots, hc_lanes) & "
        "hc_sub_group_lt_mask(hc_lanes);",
        "b[0] = hc_reduce_add_float(b[1], hc_slots, hc_items()) + "
        "hc_cluster_max_float(b[2], 4u, hc_slots, hc_lanes);",
        "hc_two_float(b[4], b[5], hc_lane_behind_of_two(2u, hc_lanes), hc_slots, hc_lanes)",
        "hc_lane_float(b[6], hc_lane_rotated(-1, hc_lanes, hc_lanes), hc_slots, hc_lanes)",
    ):
        assert line in text, text


def parsed_text(source, is_intel):
    parsed = parse_source(HEAD + source, "", "k.cl", True)
    return translate_parsed(parsed, True, "never", "rte", frozenset(), is_intel).text


@pytest.mark.parametrize("count", [16, 17])
def test_intel_calls_many_exchanges(count):
    """It takes seconds to inline a hundred."""
    calls = "a[0] += sub_group_broadcast(a[1], 3u); " * count
    source = f"kernel void k(global float *a) {{ {calls}}}"
    for is_intel in (True, False):
        kind = "HCI_RARE" if is_intel and count > 16 else "HCI_FUNCTION"
        assert f"#define HC_EXCHANGE {kind}\n" in parsed_text(source, is_intel)


@pytest.mark.parametrize(
    ("type_", "words"),
    [
        ("float8", ["ulong"] * 4), ("half3", ["uint", "ushort"]), ("uchar16", ["ulong"] * 2),
        ("double2", ["ulong"] * 2), ("short2", ["uint"]), ("int3", ["ulong", "uint"]),
    ],
)  # fmt: skip
def test_components_of_vectors_are_exchanged_together(type_, words):
    text = parsed_text(
        f"kernel void k(global {type_} *a) {{ *a = intel_sub_group_shuffle(*a, 1u); }}", False
    )
    body = text.partition(f"hc_lane_{type_}(")[2].partition("}")[0]
    assert re.findall(r"hc_lane_([a-z]+)\(", body) == words


def test_analysis_of_many_branches_is_fast():
    functions = ["int f0(int x) { return sub_group_broadcast(x, 1u); }"]
    functions += [f"int f{k}(int x) {{ return f{k - 1}(x) + f{k - 1}(x); }}" for k in range(1, 40)]
    source = "\n".join([*functions, "kernel void k(global int *a) { *a = f39(*a); }"])
    assert own(source).count("hc_slots, hc_lanes") == 80
