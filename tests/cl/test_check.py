"""Checked launches find planted bugs, each at its line, and nothing else."""

import pickle
import re
import textwrap

import numpy as np
import pytest
from exhaustive import one_in

import halfcl as hc
from halfcl import cl

N = 64

#: Before the kernel. The macros are of asynchronous copies of a group's eight elements of `a`.
HELPERS = """
typedef struct { int x, y; } S;
typedef struct __attribute__((packed)) { char c; int n; int t[2]; } P;
int second(S *s) { return s->y; }
int second_of(S s) { return s.y; }
S half_made(int x) { S s; s.x = x; return s; }
int across(local int *t, int l) { return t[7 - l]; }
void sync() { barrier(CLK_LOCAL_MEM_FENCE); }
void put(local int *t, int l, int x) { t[l] = x; sync(); }
int counted(int x, int y) { x += 1; if (x > 3) y = x; return y; }
#define MINE a + 8 * get_group_id(0)
#define COPY_IN event_t e = async_work_group_copy(t, MINE, 8, 0);
#define COPY_OUT event_t e = async_work_group_copy(MINE, t, 8, 0);
#define WAIT wait_group_events(1, &e);
#define FILLED local int t[8]; t[l] = l; barrier(CLK_LOCAL_MEM_FENCE);
"""

#: What a line does wrong, beside it: kind and memory; perhaps in a helper.
MARK = re.compile(r"// (?:in (\w+): )?([a-z ]+): (.+)")

#: Kernels of one global int array `a` of N elements, 8 work-items a group; "2D": 4 x 4 of 8 x 8,
#: whose second coordinates are j and m.
BUGS = {
    "uninitialised variable": """
        int x;
        if (i > 2) x = 1;
        a[i] = x;  // uninitialized read: private x
    """,
    "uninitialised component": """
        int4 v;
        v.xyz = 1;
        a[i] = v.w;  // uninitialized read: private v
    """,
    "uninitialised element": """
        int t[4];
        t[i & 1] = 1;
        a[i] = t[1];  // uninitialized read: private t
    """,
    "a variable of a loop's body keeps nothing": """
        for (int k = 0; k < 2; ++k) { int x;
        if (k == 0) x = 1;
        a[i] = x; }  // uninitialized read: private x
    """,
    "uninitialised local memory": """
        local int t[8];
        if (l < 4) t[l] = l;
        barrier(CLK_LOCAL_MEM_FENCE);
        a[i] = t[7 - l];  // uninitialized read: local t
    """,
    "no barrier": """
        local int t[8];
        t[l] = l;
        a[i] = t[7 - l];  // race: local t
    """,
    "a barrier of the other memory": """
        local int t[8];
        t[l] = l;
        barrier(CLK_GLOBAL_MEM_FENCE);
        a[i] = t[7 - l];  // race: local t
    """,
    "one barrier too few in a loop": """
        local int t[8];
        for (int k = 0; k < 2; ++k) {
        t[l] = k;  // race: local t
        barrier(CLK_LOCAL_MEM_FENCE);
        a[i] = t[7 - l];
        }
    """,
    "all write to one element": "a[0] = i;  // race: global a",
    "groups that read what others write": """
        a[i] = i;
        barrier(CLK_GLOBAL_MEM_FENCE);
        int x = a[(i + 8) % 64];  // race: global a
        if (x < 0) a[i] = x;
    """,
    "read by several, written by one": """
        local int t[8];
        if (l == 0) t[3] = 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        a[i] = t[3];
        if (l == 5) t[3] = 2;  // race: local t
    """,
    "an atomic and a plain write": """
        atomic_add(&a[0], 1);
        if (i == 5) a[0] = 0;  // race: global a
    """,
    "a copy used before the wait": """
        local int t[8];
        COPY_IN
        int x = t[l];  // early use of an asynchronous copy: local t
        WAIT
        a[i] = x;
    """,
    "a member through a pointer": """
        S s;
        s.x = 1;
        S *p = &s;
        a[i] = p->y;  // uninitialized read: private s
    """,
    "a member in a function": """
        S s;
        s.x = 1;
        a[i] = second(&s);  // in second: uninitialized read: private s
    """,
    "a member of a copied struct": """
        S s;
        s.x = 1;
        S r = s;
        a[i] = r.y;  // uninitialized read: private r
    """,
    "a member of an argument": """
        S s;
        s.x = 1;
        a[i] = second_of(s);  // in second_of: uninitialized read: private s
    """,
    "a member of a result": """
        S s = half_made(i);
        a[i] = s.x;
        a[i] = s.y;  // uninitialized read: private s
    """,
    "a member in an array of structs": """
        S s[2];
        s[0].x = s[1].y = 1;
        s[1] = s[0];
        a[i] = s[1].x;
        a[i] = s[1].y;  // uninitialized read: private s
    """,
    "a packed member": """
        P p;
        p.c = 1;
        a[i] = p.n;  // uninitialized read: private p
    """,
    "a structure of some items": """
        S s = {1, 2}, r;
        r.x = 1;
        if (i == 5) s = r;
        a[i] = s.y;  // uninitialized read: private s
    """,
    "by vload": """
        int t[4];
        t[0] = 1;
        a[i] = vload2(0, t).x;  // uninitialized read: private t
    """,
    "a label jumps over what a variable gets": """
        switch (i & 1) {
        case 0: ;
        int x = 1;
        a[i] = x;
        break;
        default:
        a[i] = x;  // uninitialized read: private x
        }
    """,
    "incremented": """
        int x;
        x++;  // uninitialized read: private x
        a[i] = 1;
    """,
    "a pointer": """
        S *p;
        if (p)  // uninitialized read: private p
        a[i] = 1;
    """,
    "an event": """
        event_t e;
        WAIT  // uninitialized read: private e
    """,
    "an atomic on what nobody set": """
        local int n;
        atomic_inc(&n);  // uninitialized read: local n
    """,
    "a vector and its component": """
        local int4 t[8];
        t[l] = (int4)(l);
        t[7 - l].x = 1;  // race: local t
    """,
    "a member that another wrote": """
        local S t[8];
        t[l].x = t[l].y = l;
        a[i] = t[7 - l].y;  // race: local t
    """,
    "in a function": """
        local int t[8];
        t[l] = l;
        a[i] = across(t, l);  // in across: race: local t
    """,
    "a fence is no barrier": """
        local int t[8];
        t[l] = l;
        mem_fence(CLK_LOCAL_MEM_FENCE);
        a[i] = t[7 - l];  // race: local t
    """,
    "a local count, read too early": """
        local int n;
        if (l == 0) n = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        atomic_inc(&n);
        a[i] = n;  // race: local n
    """,
    "a local count, set too late": """
        local int n;
        if (l == 0) n = 0;
        atomic_inc(&n);  // race: local n
        barrier(CLK_LOCAL_MEM_FENCE);
        a[i] = n;
    """,
    "a count of all groups": """
        atomic_inc(a);
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (a[0] < 0)  // race: global a
        a[i + 1] = 0;
    """,
    "vstore over others' elements": "vstore2((int2)(i), 0, a + i % 63);  // race: global a",
    "added to by two": "a[i / 2] += 1;  // race: global a",
    "2D transposed": """
        local int t[4][4];
        t[m][l] = i;
        a[8 * j + i] = t[l][m];  // race: local t
    """,
    "2D of another group": """
        a[8 * j + i] = i;
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (a[8 * i + j] < 0)  // race: global a
        a[0] = 0;
    """,
    "2D a column written by all its items": "a[i] = j;  // race: global a",
    "copied out before the barrier": """
        local int t[8];
        t[l] = l;
        COPY_OUT  // race: local t
        WAIT
    """,
    "copied over what others still read": """
        FILLED
        int x = t[7 - l];
        COPY_IN  // race: local t
        WAIT
        barrier(CLK_GLOBAL_MEM_FENCE);
        a[i] = x;
    """,
    "what has been copied is changed and read": """
        local int t[8];
        COPY_IN
        WAIT
        t[l] += 1;
        int x = t[7 - l];  // race: local t
    """,
    "all groups copy to one place": """
        FILLED
        event_t e = async_work_group_copy(a, t, 8, 0);  // race: global a
        WAIT
    """,
    "a copy of what another group writes": """
        local int t[8];
        a[i] = i;
        int other = 7 - get_group_id(0);
        event_t e = async_work_group_copy(t, a + 8 * other, 8, 0);  // race: global a
        WAIT
    """,
    "undefined elements copied out": """
        local int t[8];
        if (l < 5) t[l] = l;
        barrier(CLK_LOCAL_MEM_FENCE);
        COPY_OUT WAIT  // uninitialized read: local t
    """,
    "the source of a copy changed before the wait": """
        FILLED
        COPY_OUT
        t[l] = 3;  // early use of an asynchronous copy: local t
        WAIT
    """,
    "copied to global memory, and read before the wait": """
        FILLED
        COPY_OUT
        int x = a[i];  // early use of an asynchronous copy: global a
        WAIT
    """,
    "a second copy into what the first one fills": """
        local int t[8];
        COPY_IN
        e = async_work_group_copy(t, MINE, 4, e);  // early use of an asynchronous copy: local t
        WAIT
    """,
    "a copy that nobody waits for": """
        local int t[8];
        COPY_IN  // asynchronous copy without a wait: local t
    """,
}

#: Right ones that look alike.
RIGHT = {
    "a struct by a function": """
        S s = half_made(i);
        s.y = 2;
        S r = s;
        a[i] = second(&r);
    """,
    "a struct of some items": """
        S s = {1, 2}, r;
        r.x = 1;
        if (i == 5) s = r;
        a[i] = s.x;
    """,
    "a packed struct": """
        P p;
        p.c = 1;
        p.n = i;
        P q = p;
        a[i] = q.n;
    """,
    "parameters assigned to": "a[i] = counted(i, 3);",
    "sections of a switch": (
        "switch (i & 1) { case 0: ; int x = 1; a[i] = x; break; default: x = 2; a[i] = x; }"
    ),
    "components by several items": """
        local int4 t[2];
        ((local int *)t)[l] = l;
        barrier(CLK_LOCAL_MEM_FENCE);
        a[i] = t[l / 4].x;
    """,
    "members by several items": """
        local S t[8];
        t[l].x = l;
        t[7 - l].y = 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        a[i] = t[7 - l].x;
    """,
    "a local count": """
        local int n;
        if (l == 0) n = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        atomic_inc(&n);
        barrier(CLK_LOCAL_MEM_FENCE);
        a[i] = n;
    """,
    "barriers in functions, in a loop": """
        local int t[8];
        for (int k = 0; k < 3; ++k) {
        put(t, l, k);
        a[i] = across(t, l);
        sync();
        }
    """,
    "2D transposed": """
        local int t[4][4];
        t[m][l] = i;
        barrier(CLK_LOCAL_MEM_FENCE);
        a[8 * j + i] = t[l][m];
    """,
    "copied out after the barrier": """
        FILLED
        COPY_OUT WAIT t[l] = a[i];
    """,
    "copied over what all have read": """
        FILLED
        int x = t[7 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
        COPY_IN WAIT
        barrier(CLK_GLOBAL_MEM_FENCE);
        a[i] = x + t[7 - l];
    """,
    "two copies of one event": """
        local int t[16];
        COPY_IN e = async_work_group_copy(t + 8, MINE, 8, e); WAIT
        barrier(CLK_GLOBAL_MEM_FENCE);
        a[i] = t[l] + t[8 + l];
    """,
    "the source is read before the wait": """
        FILLED
        COPY_OUT
        int x = t[7 - l];
        WAIT
    """,
    "three components copied as four": """
        local int3 t[2];
        if (l < 2) t[l] = (int3)(l);
        barrier(CLK_LOCAL_MEM_FENCE);
        event_t e = async_work_group_copy((global int3 *)(MINE), t, 2, 0);
        WAIT
        if (l % 4 == 3) a[i] = 0;
    """,
    "set before": """
        int x;
        if (i > 2) x = 1; else x = 2;
        a[i] = x;
    """,
    "only what is asked for": """
        int x;
        if (i > 2) x = 1;
        a[i] = i > 2 && x == 1;
    """,
    "components": """
        int4 v;
        v.xyz = 1;
        v.w = 2;
        a[i] = v.x + v.w + v.zy.x;
    """,
    "array with values": """
        int t[4] = {1};
        a[i] = t[i & 3];
    """,
    "structs": """
        struct { int x, y; } s, r;
        s.x = 1;
        r = s;
        a[i] = r.x;
    """,
    "barrier": """
        FILLED
        a[i] = t[7 - l];
    """,
    "barriers in a loop": """
        local int t[8];
        for (int k = 0; k < 3; ++k) {
        t[l] = k;
        barrier(CLK_LOCAL_MEM_FENCE);
        a[i] = t[7 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
        }
    """,
    "groups by themselves": """
        a[i] = i;
        barrier(CLK_GLOBAL_MEM_FENCE);
        int x = a[8 * get_group_id(0) + 7 - l];
        barrier(CLK_GLOBAL_MEM_FENCE);
        a[i] = x;
    """,
    "atomics": """
        atomic_add(&a[0], 1);
        atomic_max(&a[1], i);
    """,
    "a reduction": """
        local int t[8];
        t[l] = i;
        for (int k = 4; k > 0; k >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < k) t[l] += t[l + k];
        }
        if (l == 0) a[i] = t[0];
    """,
    "a copy waited for": """
        local int t[8];
        COPY_IN
        WAIT
        barrier(CLK_GLOBAL_MEM_FENCE);
        a[i] = t[l];
    """,
}

#: Of a 4 x 4 image, read as `a` and written as `b`, in work-groups of 2 x 2.
IMAGE_BUGS = {
    "read transposed": """
        float4 v = read_imagef(a, none, (int2)(y, x));
        write_imagef(b, (int2)(x, y), v);  // race: image b
    """,
    "written by a row's items": """
        write_imagef(b, (int2)(0, y), (float4)(x));  // race: image b
    """,
    "a filter that reads neighbours": """
        float4 v = read_imagef(a, linear, (float2)(x, y) + 0.75f);
        write_imagef(b, (int2)(x, y), v);  // race: image b
    """,
    "repeated": """
        float4 v = read_imagef(a, repeat, (float2)(x + 5, y) / 4);
        write_imagef(b, (int2)(x, y), v);  // race: image b
    """,
    "a barrier too few": """
        write_imagef(b, (int2)(x, y), (float4)(1));
        float4 v = read_imagef(a, none, (int2)(x ^ 1, y));  // race: image a
    """,
    "a barrier is of its group": """
        write_imagef(b, (int2)(x, y), (float4)(1));
        barrier(CLK_GLOBAL_MEM_FENCE);
        float4 v = read_imagef(a, none, (int2)(3 - x, y));  // race: image a
    """,
    "read outside": """
        float4 v = read_imagef(a, none, (int2)(x + 1, y));  // read outside of an image: image a
    """,
    "read outside without a sampler": """
        float4 v = read_imagef(a, (int2)(x, y - 1));  // read outside of an image: image a
    """,
    "written outside": """
        write_imagef(b, (int2)(x, y + 1), (float4)(1));  // write outside of an image: image b
    """,
}

IMAGE_RIGHT = {
    "each its own": """
        float4 v = read_imagef(a, none, (int2)(x, y));
        write_imagef(b, (int2)(x, y), v);
    """,
    "at the middle of a texel a filter reads no other": """
        float4 v = read_imagef(a, linear, (float2)(x, y) + 0.5f);
        write_imagef(b, (int2)(x, y), v);
    """,
    "a barrier between": """
        write_imagef(b, (int2)(x, y), (float4)(1));
        barrier(CLK_GLOBAL_MEM_FENCE);
        float4 v = read_imagef(a, none, (int2)(x ^ 1, y));
    """,
    "outside, where that is clamped": "float4 v = read_imagef(a, linear, (float2)(x + 9, y));",
    "some write": "if (x == 1) write_imagef(b, (int2)(y, 3), (float4)(1));",
}

IMAGE_HEAD = """
constant sampler_t none = CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
constant sampler_t linear = CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
constant sampler_t repeat = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;
kernel void k(read_only image2d_t a, write_only image2d_t b) {
int x = get_global_id(0), y = get_global_id(1);
"""


def source_of(body, is_2d=False):
    text = "kernel void k(global int *a) { int i = get_global_id(0), l = get_local_id(0);"
    if is_2d:
        text += " int j = get_global_id(1), m = get_local_id(1);"
    return f"{HELPERS}{text}\n{textwrap.dedent(body).strip()}\n}}"


def launch(body, check=True, is_2d=False):
    a = np.arange(N, dtype=np.int32)
    sizes = ((8, 8), (4, 4)) if is_2d else (N, 8)
    cl.Program(source_of(body, is_2d)).k(*sizes, a, check=check)
    return a


def launch_image(body, check=True, is_one=True):
    """is_one: what is written is what is read."""
    form = hc.ImageFormat(hc.channel_order.RGBA, hc.channel_type.FLOAT)
    images = [hc.Image(np.ones((4, 4, 4), np.float32), form) for _ in range(2)]
    source = f"{IMAGE_HEAD}{textwrap.dedent(body).strip()}\n}}"
    cl.Program(source).k((4, 4), (2, 2), images[0], images[not is_one], check=check)


def marks_in(source):
    """Return kind, line and memory of each planted bug."""
    lines = source.split("\n")
    marks = set()
    for number, line in enumerate(lines, 1):
        if mark := MARK.search(line):
            helper, kind, memory = mark.groups()
            if helper:
                number = 1 + next(n for n, text in enumerate(lines) if f" {helper}(" in text)
            marks.add((kind, number, memory))
    return marks


def findings(caught):
    return {(f.kind, f.location.line, f.memory) for f in caught.value.findings}


@pytest.mark.parametrize("name", BUGS)
def test_finds_planted_bugs(name):
    is_2d = "2D" in name
    with pytest.raises(cl.CheckError) as caught:
        launch(BUGS[name], is_2d=is_2d)
    assert findings(caught) == marks_in(source_of(BUGS[name], is_2d)), str(caught.value)
    assert len(caught.value.findings) == 1
    launch(BUGS[name], check=False, is_2d=is_2d)


@one_in(2)
@pytest.mark.parametrize("name", RIGHT)
def test_checks_accept_correct_programs(name):
    checked, plain = (launch(RIGHT[name], check, "2D" in name) for check in (True, False))
    assert (checked == plain).all()


@pytest.mark.parametrize("name", IMAGE_BUGS)
def test_finds_planted_bugs_of_images(name):
    with pytest.raises(cl.CheckError) as caught:
        launch_image(IMAGE_BUGS[name])
    assert findings(caught) == marks_in(IMAGE_HEAD + textwrap.dedent(IMAGE_BUGS[name]).strip())
    launch_image(IMAGE_BUGS[name], check=False)


@pytest.mark.parametrize("name", IMAGE_RIGHT)
def test_checks_accept_correct_image_programs(name):
    launch_image(IMAGE_RIGHT[name])


def test_findings_name_the_right_image():
    launch_image(IMAGE_BUGS["read transposed"], is_one=False)
    launch_image(IMAGE_BUGS["a filter that reads neighbours"], is_one=False)


def test_message():
    with pytest.raises(cl.CheckError) as caught:
        launch(BUGS["uninitialised variable"])
    assert re.sub(r":\d+:", ":#:", str(caught.value), count=1) == (
        "program.cl:#:8: kernel k: uninitialized read: private x, byte 0, work-item (0,)"
    )


def test_message_of_a_race():
    """Both work-items are told by their global ids."""
    with pytest.raises(cl.CheckError) as caught:
        launch(BUGS["2D transposed"], is_2d=True)
    assert re.sub(r":\d+:", ":#:", str(caught.value), count=1) == (
        "program.cl:#:16: kernel k: race: local t, byte 16, work-item (1, 0) and work-item (0, 1), "
        "no barrier between"
    )
    body = "local int t[8];\nevent_t e = async_work_group_copy(t, a, 8, 0);\nWAIT\na[0] = i;"
    with pytest.raises(cl.CheckError, match=r"\) and an asynchronous copy of work-group \(7,\)"):
        launch(body)


def test_message_of_an_image():
    with pytest.raises(cl.CheckError) as caught:
        launch_image(IMAGE_BUGS["read transposed"])
    assert str(caught.value) == (
        "program.cl:8:1: kernel k: race: image b, texel (1, 0), work-item (1, 0) and "
        "work-item (0, 1), no barrier between"
    )
    with pytest.raises(cl.CheckError, match=r"texel \(0, -1\), work-item \(0, 0\)$"):
        launch_image(IMAGE_BUGS["read outside without a sampler"])


# ---------------------------------------------------------------- functions without a value

NO_VALUE = """int some(int x) { if (x > 2) return 1; }
int all(int x) { if (x > 2) return 1; else return 2; }
int none(int x) { }
kernel void k(global int *a) { int i = get_global_id(0);
"""


@pytest.mark.filterwarnings("ignore::halfcl.cl.BuildWarning")
@pytest.mark.parametrize(
    "body, wanted",
    [
        ("a[i] = some(i);", {("use of a value that was not returned", 5, "function some")}),
        ("a[i] = 1 + none(i);", {("use of a value that was not returned", 5, "function none")}),
        ("if (i > 2) a[i] = some(i);", set()),
        ("some(i); none(i); a[i] = all(i);", set()),
        ("(void)some(i); for (int j = 0; j < 2; j++, none(i)) { } a[i] = (some(i), 2);", set()),
        ("i ? (void)some(i) : (void)none(i);", set()),
    ],
)
def test_values_that_are_not_returned(body, wanted):
    program = cl.Program(NO_VALUE + body + "}")
    assert [str(d) for d in program.diagnostics] == [
        "program.cl:1:40: warning: non-void function does not return a value in all control paths",
        "program.cl:3:19: warning: non-void function does not return a value",
    ]
    a = np.zeros(8, np.int32)
    program.k(8, None, a)
    if not wanted:
        return program.k(8, None, a, check=True)
    with pytest.raises(cl.CheckError, match=r"work-item \(0,\)$") as caught:
        program.k(8, None, a, check=True)
    assert findings(caught) == wanted


def test_the_last_reader_is_no_race_with_itself():
    """The numbers of earlier readers are not kept."""
    body = "int i = get_global_id(0), x = a[0]; if (i == 3) a[0] = x;"
    program = cl.Program(f"kernel void k(global int *a) {{ {body} }}")
    with pytest.raises(cl.CheckError, match=r"work-item \(3,\) and another one, no barrier"):
        program.k(4, None, np.zeros(1, np.int32), check=True)
    body = body.replace("== 3", "== 1")
    program = cl.Program(f"kernel void k(global int *a) {{ {body} }}")
    with pytest.raises(cl.CheckError, match=r"work-item \(1,\) and work-item \(3,\), no barrier"):
        program.k(4, None, np.zeros(1, np.int32), check=True)


def test_missing_return_is_a_warning():
    with pytest.warns(cl.BuildWarning, match="does not return a value"):
        cl.Program("int f() { } kernel void k(global int *a) { *a = f(); }")


# ---------------------------------------------------------------- together with other things

HALF = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"

TILES = f"""{HALF}typedef struct {{ half scale; int last; }} S;
kernel void k(global const half *x, global half *o, local half *t, S s) {{
    int i = get_global_id(0), l = get_local_id(0);
    t[l] = x[i] * x[i] - s.scale * x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[i] = t[s.last - l];
    BUG
}}"""


def tiles(bug="", **options):
    x, o = np.linspace(0.1, 3, 16).astype(hc.half), np.zeros(16, hc.half)
    s = np.zeros((), np.dtype([("scale", np.float16), ("last", np.int32)], align=True))
    s["scale"], s["last"] = 1, 7
    program = cl.Program(TILES, f"-D BUG={bug}", contract="both")
    report = program.k(16, 8, x, o, cl.LocalMemory(16), s[()], **options)
    return report, o


@pytest.mark.parametrize("rounding", [None, ["rtp", "rtn"]])
def test_with_contraction(rounding):
    """The second run finds nothing of the first; and both reports are as they are alone."""
    plain, wanted = tiles(rounding=rounding)
    checked, got = tiles(check=True, rounding=rounding)
    assert plain and str(checked) == str(plain)
    assert got.tobytes() == wanted.tobytes()
    assert len(checked.sites) == 1  # though there is code for each mode
    assert sum(map(np.count_nonzero, checked.elements.values())) == checked.sites[0].items
    with pytest.raises(cl.CheckError) as caught:
        tiles("o[0]=i;", check=True, rounding=rounding)
    assert [(f.kind, f.memory) for f in caught.value.findings] == [("race", "global o")]
    assert caught.value.contraction.sites[0].items == plain.sites[0].items
    assert pickle.loads(pickle.dumps(caught.value)).contraction.kernel == "k"


@pytest.mark.parametrize("groups", [None, ["rtp"] * 4])
def test_with_a_mode_for_each_group(groups):
    """The kernel does not use groups."""
    program = cl.Program(f"{HALF}kernel void k(global half *o) {{ o[get_global_id(0) / 2] = 1; }}")
    with pytest.raises(cl.CheckError, match=r"byte 2, work-item \(2, 5\) and work-item \(3, 5\)"):
        program.k((4, 1), (1, 1), np.zeros(8, hc.half), check=True, rounding=groups, offset=(2, 5))


def test_with_printf(capfd):
    program = cl.Program('kernel void k() { int z, i = get_global_id(0); printf("%d,", i + z); }')
    with pytest.raises(cl.CheckError) as caught:
        program.k(3, None, check=True)
    assert findings(caught) == {("uninitialized read", 1, "private z")}
    assert capfd.readouterr().out == "0,1,2,"


def test_buffers_that_overlap():
    program = cl.Program(
        "kernel void k(global const int *b, global int *a) {\n"
        "int i = get_global_id(0), v = b[i ^ 1];\na[i] = v; }"
    )
    a = np.arange(12, dtype=np.int32)
    program.k(6, None, a[:6], a[6:], check=True)
    for first, second in ((a, a), (a[:8], a[4:])):
        with pytest.raises(cl.CheckError) as caught:
            program.k(8, None, first, second, check=True)
        assert findings(caught) == {("race", 3, "global a")}


def test_an_image_over_a_buffer():
    pixels = np.zeros((4, 4), np.float32)
    form = hc.ImageFormat(hc.channel_order.R, hc.channel_type.FLOAT)
    program = cl.Program(
        """kernel void k(global float *a, write_only image2d_t b) {
        int i = get_global_id(0); a[i] = 1;
        if (i < 4) write_imagef(b, (int2)(i, 3), (float4)(1)); }"""
    )
    program.k(4, None, pixels, hc.Image(pixels, form), check=True)
    with pytest.raises(cl.CheckError, match=r"image b, texel \(0, 3\), .* work-item \(12,\)"):
        program.k(16, None, pixels, hc.Image(pixels, form), check=True)


@pytest.mark.parametrize(
    "body",
    [
        "if (l < 4)\nbarrier(CLK_LOCAL_MEM_FENCE);",
        "if (l < 4) return;\nbarrier(CLK_LOCAL_MEM_FENCE);",
        "if (l < 4)\nbarrier(CLK_LOCAL_MEM_FENCE); else barrier(CLK_LOCAL_MEM_FENCE);",
        "for (int k = 0; k < l; ++k)\nbarrier(CLK_LOCAL_MEM_FENCE);",
        "if (l < 4)\nsync();",
    ],
)
@pytest.mark.parametrize("check", [False, True])
def test_divergent_barriers(body, check):
    lines = source_of(body).split("\n")
    where = "void sync()" if "sync" in body else "barrier(CLK_LOCAL_MEM_FENCE);"
    line = 1 + next(n for n, text in enumerate(lines) if text.startswith(where))
    with pytest.raises(cl.LaunchError, match=f"^program.cl:{line}:.* barrier: .* does not reach"):
        launch(body, check)


def test_findings_before_a_fault_are_reported():
    """A pointer that is undefined is null as it happens: the cause is told, and the fault."""
    body = "global int *p;\nif (i > 2) p = a;\na[i] =\n*p;"
    with pytest.raises(cl.LaunchError, match=r"read by a null pointer"):
        launch(body, check=False)
    with pytest.raises(cl.CheckError, match=r" uninitialized read: private p") as it:
        launch(body)
    assert "null pointer" in str(it.value.__cause__)
