"""Sub-groups and collective functions of work-groups, against loops of Python over their lanes."""

import functools
import operator

import numpy as np
import pytest
from exhaustive import in_turn, one_in

import halfcl as hc
from halfcl import cl

HEAD = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
"""
LOCAL, GROUPS, SIZE = (10, 2), (2, 2), 8  # 20 items a group: sub-groups of 8, 8 and 4
ITEMS = 80


def sub_groups(size=SIZE, local=20):
    """Return for each item, in the order of group and linear id, the items of its sub-group."""
    members_of_items = []
    for group in range(ITEMS // local):
        for first in range(0, local, size):
            members = [local * group + k for k in range(first, min(first + size, local))]
            members_of_items += [members] * len(members)
    return members_of_items


def launch(body, *arguments, **options):
    """Return what each item writes to o; v is its value.

    Items are in the order of group and linear local id.
    """
    return launch_each([body], *arguments, **options)[0]


def launch_each(bodies, type_="int", values=None, before="", dtype=np.int32, **options):
    """Launch the kernels of one program, since a build takes longer than a launch."""
    kernels = "".join(kernel(f"k{n or ''}", body, type_) for n, body in enumerate(bodies))
    program = cl.Program(f"{HEAD}{before}{kernels}", options.pop("build", ""))
    values = np.arange(ITEMS).astype(dtype) if values is None else values
    size = tuple(a * b for a, b in zip(LOCAL, GROUPS, strict=True))
    options = {"sub_group_size": SIZE} | options
    results = []
    for n in range(len(bodies)):
        out = np.zeros(ITEMS, dtype)
        program[f"k{n or ''}"](size, LOCAL, values, out, **options)
        results.append(out.tolist())
    return results


def kernel(name, body, type_):
    return f"""
    kernel void {name}(global const {type_} *all, global {type_} *out) {{
        size_t n = get_local_id(0) + get_local_id(1) * get_local_size(0);
        size_t g = get_group_id(0) + get_group_id(1) * get_num_groups(0);
        size_t at = n + g * get_local_size(0) * get_local_size(1);
        uint lane = get_sub_group_local_id();
        {type_} v = all[at], o = 0;
        {body}
        out[at] = o;
    }}"""


@pytest.mark.parametrize("size", [1, 4, 8, 16, 32, 128])
def test_sizes_and_ids(size):
    for number, (body, wanted) in enumerate(
        {
            "get_sub_group_size()": lambda k, members: len(members),
            "get_max_sub_group_size()": lambda k, members: min(size, 20),
            "get_num_sub_groups()": lambda k, members: -(-20 // size),
            "get_enqueued_num_sub_groups()": lambda k, members: -(-20 // size),
            "get_sub_group_id()": lambda k, members: k % 20 // size,
            "get_sub_group_local_id()": lambda k, members: k % 20 % size,
        }.items()
    ):
        actual = launch(f"o = {body};", sub_group_size=size, build="-cl-std=CL3.0")
        assert actual == [wanted(k, members) for k, members in enumerate(sub_groups(size))], number


def random_values(dtype, seed=1):
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind in "iu":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, ITEMS, dtype, endpoint=True)
    return rng.normal(0, 3, ITEMS).astype(dtype)


TYPES = {"int": np.int32, "uint": np.uint32, "long": np.int64, "ulong": np.uint64, "char": np.int8,
         "ushort": np.uint16, "float": np.float32, "half": np.float16,
         "double": np.float64}  # fmt: skip
OPERATIONS = {"add": operator.add, "mul": operator.mul, "min": min, "max": max,
              "and": operator.and_, "or": operator.or_, "xor": operator.xor}  # fmt: skip


def identity(name, dtype):
    if np.dtype(dtype).kind == "f":
        return {"add": 0, "mul": 1, "min": np.inf, "max": -np.inf}[name]
    info = np.iinfo(dtype)
    ones = -1 if info.min else info.max
    return {"add": 0, "mul": 1, "min": info.max, "max": info.min, "and": ones}.get(name, 0)


def fold(name, items, values):
    """In order, each step as the type has it."""
    dtype = values.dtype
    if not items:
        return identity(name, dtype)
    with np.errstate(all="ignore"):
        combine = OPERATIONS[name]
        return functools.reduce(lambda a, b: np.asarray(combine(a, b)).astype(dtype)[()],
                                [values[k] for k in items]).item()  # fmt: skip


def scan_items(kind, k, members, active):
    members = [j for j in members if j in active]
    return {
        "reduce": members,
        "scan_inclusive": [j for j in members if j <= k],
        "scan_exclusive": [j for j in members if j < k],
    }[kind]


@one_in(2)
@in_turn
@pytest.mark.parametrize("kind", ["reduce", "scan_inclusive", "scan_exclusive"])
@pytest.mark.parametrize("type_", TYPES)
def test_reductions_and_scans(type_, kind):
    dtype = TYPES[type_]
    values = random_values(dtype)
    inputs = values.view(hc.half) if type_ == "half" else values
    everyone = set(range(ITEMS))
    cases = [("sub_group", "", SIZE, everyone, ["add", "min", "max"])]
    every = ["add", "mul", "min", "max"]
    every += ["and", "or", "xor"] if np.dtype(dtype).kind in "iu" else []
    cases.append(("sub_group", "non_uniform_", SIZE, {k for k in everyone if k % 3}, every))
    if np.dtype(dtype).itemsize > 2:
        cases.append(("work_group", "", 20, everyone, ["add", "min", "max"]))
    for prefix, how, size, active, names in cases:
        calls = [f"o = {prefix}_{how}{kind}_{name}(v);" for name in names]
        bodies = [f"if (at % 3) {call}" if how else call for call in calls]
        each = launch_each(bodies, type_, inputs, dtype=inputs.dtype, build="-cl-std=CL3.0")
        for name, actual in zip(names, each, strict=True):
            wanted = [
                fold(name, scan_items(kind, k, members, active), values) if k in active else 0
                for k, members in enumerate(sub_groups(size))
            ]
            assert actual == np.array(wanted, dtype).tolist(), (prefix, name)


@in_turn
@pytest.mark.parametrize("name", ["add", "mul", "min", "max", "and", "or", "xor"])
@pytest.mark.parametrize("cluster", [1, 2, 4, 8])
def test_clusters(name, cluster):
    values = random_values(np.int32)
    actual = launch(f"o = sub_group_clustered_reduce_{name}(v, {cluster});", values=values)
    assert actual == [fold(name, members, values) for members in sub_groups(cluster)]
    with pytest.raises(cl.LaunchError, match="cluster size: expected a power of two up to 8"):
        launch(f"o = sub_group_clustered_reduce_{name}(v, lane & 1 ? 4 : 16);")


@pytest.mark.parametrize("kind", ["reduce", "scan_inclusive", "scan_exclusive"])
@pytest.mark.parametrize("name", ["and", "or", "xor"])
def test_logical_operations(name, kind):
    values = np.random.default_rng(2).integers(0, 4, ITEMS).astype(np.int32) * 8
    values[8:16] = 9
    values[16:20] = 0
    call = f"sub_group_non_uniform_{kind}_logical_{name}(v)"
    actual = launch(f"o = {call} != 0;", values=values)
    for k, members in enumerate(sub_groups()):
        truths = [bool(values[j]) for j in scan_items(kind, k, members, set(range(ITEMS)))]
        wanted = {"and": all(truths), "or": any(truths), "xor": sum(truths) % 2 == 1}[name]
        assert actual[k] == wanted


def test_votes():
    values = np.repeat([1, 0, 1, 1, 0], 16).astype(np.int32)
    values[3] = 0
    for prefix, size in (("sub_group", SIZE), ("work_group", 20)):
        for kind, wanted in (("all", all), ("any", any)):
            actual = launch(f"o = {prefix}_{kind}(v) != 0;", values=values, build="-cl-std=CL2.0")
            assert actual == [wanted(values[j] for j in members) for members in sub_groups(size)]
    some = "if (lane & 1) o = 1 + (sub_group_non_uniform_{}(v) != 0);"
    for kind, wanted in (("all", all), ("any", any)):
        actual = launch(some.format(kind), values=values)
        for k, members in enumerate(sub_groups()):
            odd = members[1::2]
            assert actual[k] == (1 + wanted(values[j] for j in odd) if k in odd else 0)
    actual = launch(some.format("all_equal"), values=values)
    assert actual == [
        (1 + (len({values[j] for j in members[1::2]}) == 1) if k in members[1::2] else 0)
        for k, members in enumerate(sub_groups())
    ]
    actual = launch("if (lane > 1) o = sub_group_elect();")
    assert actual == [int(k == members[2]) for k, members in enumerate(sub_groups())]


def test_ballots():
    values = np.random.default_rng(3).integers(0, 2, ITEMS).astype(np.int32)
    bits = [
        sum(int(values[j]) << lane for lane, j in enumerate(members)) for members in sub_groups()
    ]
    lanes = [members.index(k) for k, members in enumerate(sub_groups())]
    for call, wanted in {
        "sub_group_ballot(v).x": lambda b, n: b,
        "sub_group_ballot(v).y": lambda b, n: 0,
        "sub_group_inverse_ballot(sub_group_ballot(v)) != 0": lambda b, n: b >> n & 1,
        "sub_group_ballot_bit_extract(sub_group_ballot(v), 2) != 0": lambda b, n: b >> 2 & 1,
        "sub_group_ballot_bit_count(sub_group_ballot(v))": lambda b, n: b.bit_count(),
        "sub_group_ballot_bit_count((uint4)(-1))": lambda b, n: SIZE,
        "sub_group_ballot_inclusive_scan(sub_group_ballot(v))":
            lambda b, n: (b & (2 << n) - 1).bit_count(),
        "sub_group_ballot_exclusive_scan(sub_group_ballot(v))":
            lambda b, n: (b & (1 << n) - 1).bit_count(),
        "sub_group_ballot_find_lsb((uint4)(12, 0, 0, 0))": lambda b, n: 2,
        "sub_group_ballot_find_msb((uint4)(12, 7, 0, 0))": lambda b, n: 3,
        "get_sub_group_eq_mask().x": lambda b, n: 1 << n,
        "get_sub_group_ge_mask().x": lambda b, n: 255 & -1 << n,
        "get_sub_group_gt_mask().x": lambda b, n: 255 & -2 << n,
        "get_sub_group_le_mask().x": lambda b, n: (2 << n) - 1,
        "get_sub_group_lt_mask().x": lambda b, n: (1 << n) - 1,
    }.items():  # fmt: skip
        actual = launch(f"o = {call};", values=values)
        assert actual == [wanted(b, n) for b, n in zip(bits, lanes, strict=True)], call
    actual = launch("if (lane != 1) o = sub_group_ballot(v).x;", values=values)
    assert actual == [0 if n == 1 else b & ~2 for b, n in zip(bits, lanes, strict=True)]
    wide = launch("o = sub_group_ballot(at % 20 == 17).x >> 17;", sub_group_size=128)
    assert wide == [1] * ITEMS


#: A call on v and lane, and the lane that it reads; lanes that are not there give one's own.
READS = {
    "sub_group_shuffle(v, 3)": lambda n, size: 3,
    "sub_group_shuffle(v, (lane * 5) & 3)": lambda n, size: n * 5 & 3,
    "sub_group_shuffle(v, lane + 3)": lambda n, size: n + 3,
    "sub_group_shuffle_xor(v, 1)": lambda n, size: n ^ 1,
    "sub_group_shuffle_xor(v, 6)": lambda n, size: n ^ 6,
    "sub_group_shuffle_up(v, 2)": lambda n, size: n - 2,
    "sub_group_shuffle_down(v, lane)": lambda n, size: 2 * n,
    "intel_sub_group_shuffle(v, 3 - (lane & 3))": lambda n, size: 3 - (n & 3),
    "intel_sub_group_shuffle_xor(v, 2)": lambda n, size: n ^ 2,
    "sub_group_broadcast(v, 3)": lambda n, size: 3,
    "sub_group_non_uniform_broadcast(v, 1)": lambda n, size: 1,
    "sub_group_broadcast_first(v)": lambda n, size: 0,
    "sub_group_rotate(v, 3)": lambda n, size: (n + 3) % 8,
    "sub_group_rotate(v, -1)": lambda n, size: (n - 1) % 8,
    "sub_group_clustered_rotate(v, 1, 4u)": lambda n, size: n // 4 * 4 + (n + 1) % 4,
}


@in_turn
@pytest.mark.parametrize("call", READS)
@pytest.mark.parametrize("type_", ["int", "half", "uchar", "double"])
def test_shuffles(call, type_):
    dtype = TYPES.get(type_, np.uint8)
    values = random_values(dtype, 4)
    inputs = values.view(hc.half) if type_ == "half" else values
    actual = launch(f"o = {call};", type_, inputs, dtype=inputs.dtype)
    for k, members in enumerate(sub_groups()):
        lane = READS[call](members.index(k), len(members))
        read = members[lane] if 0 <= lane < len(members) else k
        assert actual[k] == values[read], k


def test_shuffles_of_vectors():
    values = random_values(np.int32, 5)
    for call in ("intel_sub_group_shuffle(w, 2)", "sub_group_broadcast(w, 2u)"):
        body = f"int4 w = (int4)(v, v + 1, 7, lane); w = {call}; o = w.x ^ w.y ^ w.z ^ w.w;"
        actual = launch(body, values=values)
        with np.errstate(over="ignore"):
            mixed = values ^ (values + np.int32(1)) ^ 7 ^ 2
        assert actual == [mixed[members[2]] for members in sub_groups()]


def test_intels_windows():
    """Sixteen lanes, half of which have another value, in whole sub-groups."""
    source = f"""{HEAD}kernel void k(global int *out) {{
        int lane = get_sub_group_local_id(), at = get_global_id(0), a = 100 + at, b = 500 + at;
        out[4 * at] = intel_sub_group_shuffle_down(a, b, 3);
        out[4 * at + 1] = intel_sub_group_shuffle_up(a, b, 3);
        out[4 * at + 2] = intel_sub_group_shuffle_down(a, b, lane);
        out[4 * at + 3] = intel_sub_group_shuffle_up(a, b, 0);
    }}"""
    out = np.zeros((32, 4), np.int32)
    cl.Program(source).k(32, 16, out, sub_group_size=SIZE, check=True)
    for at, row in enumerate(out.tolist()):
        first, lane = at // SIZE * SIZE, at % SIZE

        def window(n, first=first):
            return 100 + first + n if n < SIZE else 500 + first + n - SIZE

        assert row == [window(lane + 3), window(lane + 5), window(2 * lane), 500 + at]


def test_broadcasts_of_work_groups():
    actual = launch("o = work_group_broadcast(v, 3, 1);", build="-cl-std=CL2.0")
    assert actual == [k // 20 * 20 + 13 for k in range(ITEMS)]
    with pytest.raises(cl.LaunchError, match="work_group_broadcast: local id outside of the work"):
        launch("o = work_group_broadcast(v, 3, 2);", build="-cl-std=CL2.0")


def test_barriers_of_sub_groups():
    body = "local int t[20]; t[n] = v; sub_group_barrier(CLK_LOCAL_MEM_FENCE);"
    body += "o = t[n / 8 * 8]; sub_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_sub_group);"
    assert launch(body, build="-cl-std=CL2.0", check=True) == [
        members[0] for members in sub_groups()
    ]
    with pytest.raises(cl.CheckError, match="race: local t"):
        launch("local int t[20]; t[n] = v; o = t[n / 8 * 8];", check=True)


DIVERGING = ["sub_group_reduce_add(v)", "sub_group_broadcast(v, 0)", "sub_group_all(v)",
             "sub_group_scan_exclusive_max(v)", "(sub_group_barrier(1), 1)"]  # fmt: skip


@pytest.mark.parametrize("call", DIVERGING)
@pytest.mark.parametrize("check", [False, True])
def test_divergent_sub_group_functions(call, check):
    wanted = rf"^program.cl:13:\d+: kernel k: {call.strip('(').split('(')[0]}: work-item \(8, 0\)"
    with pytest.raises(cl.LaunchError, match=wanted + " does not reach it.* its sub-group do"):
        launch(f"if (n != 8)\n o = {call};", check=check)
    whole = launch(f"if (n / 8 != 1) o = {call};", check=check)
    assert whole == [0 if k % 20 // 8 == 1 else x for k, x in enumerate(launch(f"o = {call};"))]


def test_divergent_work_group_functions():
    with pytest.raises(cl.LaunchError, match=r"work_group_any: work-item .* its work-group do"):
        launch("if (n / 8 != 1) o = work_group_any(v);", build="-cl-std=CL3.0")


#: Bodies that read lanes that are not there, and who, and why.
MISSING = {
    "o = sub_group_shuffle(v, 8);": ((0, 0), "lane 8, of 8"),
    "o = sub_group_shuffle(v, 4);": ((6, 1), "lane 4, of 4"),
    "o = sub_group_shuffle_xor(v, 4);": ((6, 1), "lane 4, of 4"),
    "o = sub_group_broadcast(v, 200);": ((0, 0), "lane 200, of 8"),
    "if (lane) o = sub_group_shuffle(v, 0);": ((1, 0), "lane 0, which is not active"),
    "if (lane != 2) o = sub_group_shuffle_down(v, 1);": ((1, 0), "lane 2, which is not active"),
    "if (lane != 2) o = sub_group_shuffle_up(v, 1);": ((3, 0), "lane 2, which is not active"),
}


@pytest.mark.parametrize("body", MISSING)
def test_reads_of_missing_lanes(body):
    launch(body)
    with pytest.raises(cl.CheckError) as it:
        launch(f"\n{body}", check=True)
    (finding,) = it.value.findings
    assert finding.kind == "read of a lane that is not there"
    assert finding.location.line == 13
    assert (finding.work_item, finding.detail.removeprefix(": ")) == MISSING[body]


def test_a_sum_by_shuffles_reads_nothing_that_it_must_not():
    """Lanes beyond the end are read, and not used."""
    body = "int s = v; for (uint d = 4; d; d /= 2) s += sub_group_shuffle_down(s, d);"
    body += "if (!lane) o = s;"
    actual = launch(body, check=True)
    assert actual[0] == sum(range(8))


@pytest.mark.parametrize(
    ("attribute", "size"),
    [
        ("intel_reqd_sub_group_size(16)", 16),
        ("intel_reqd_sub_group_size(2 * 4)", 8),
        ('qcom_reqd_sub_group_size("half")', 64),
        ('qcom_reqd_sub_group_size("full")', 128),
        ("reqd_work_group_size(128, 1, 1)", 32),
    ],
)
@pytest.mark.filterwarnings("error")
def test_sizes_that_attributes_say(attribute, size):
    source = f"kernel __attribute__(({attribute})) void k(global int *o)"
    source += "{ o[get_global_id(0)] = get_sub_group_size(); }"
    program, out = cl.Program(source), np.zeros(256, np.int32)
    program.k(256, 128, out)
    assert out.tolist() == [size] * 256
    if "sub" in attribute:
        program.k(256, 128, out, sub_group_size=size)
        with pytest.raises(ValueError, match=f"sub_group_size: expected {size}, as the kernel req"):
            program.k(256, 128, out, sub_group_size=4)
    else:
        program.k(256, 128, out, sub_group_size=4)
        assert out.tolist() == [4] * 256


def test_sizes_that_are_refused():
    for size, error in ((0, ValueError), (3, ValueError), (256, ValueError), ("8", TypeError)):
        with pytest.raises(error, match="k: argument sub_group_size: expected"):
            launch("", sub_group_size=size)
    for text in ("intel_reqd_sub_group_size(12)", 'qcom_reqd_sub_group_size("quarter")'):
        with pytest.raises(cl.BuildError, match=r"program.cl:2:\d+: .*expected a power of two"):
            cl.Program(f"\nkernel __attribute__(({text})) void k() {{}}")


def test_half_sums_are_rounded_at_each_lane():
    values = np.array(np.tile([2048, 1, 1, 1, -2048, 0.5, 0.25, 1], 10), hc.half)
    actual = launch("o = sub_group_reduce_add(v);", "half", values, dtype=hc.half)
    total = functools.reduce(operator.add, values[:8])
    assert float(total) != float(np.sum(values[:8].astype(float)))
    assert actual[:8] == [float(total)] * 8
