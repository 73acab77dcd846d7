"""What a checked launch finds: planted bugs, each with the line that has it, and nothing else."""

import numpy as np
import pytest

from halfcl import cl

N = 64

#: Before the kernel, on its first line.
HELPERS = (
    "typedef struct { int x, y; } S; typedef struct __attribute__((packed)) { char c; int n; } P; "
    "int second(S *s) { return s->y; } int second_of(S s) { return s.y; } "
    "S half_made(int x) { S s; s.x = x; return s; } "
    "int across(local int *t, int l) { return t[7 - l]; } "
    "void sync() { barrier(CLK_LOCAL_MEM_FENCE); } "
    "void put(local int *t, int l, int x) { t[l] = x; sync(); } "
    "int counted(int x, int y) { x += 1; if (x > 3) y = x; return y; } "
)

#: Of asynchronous copies: a group's eight elements of `a`.
MINE = "a + 8 * get_group_id(0)"
FROM = f"event_t e = async_work_group_copy(t, {MINE}, 8, 0);"
TO = f"event_t e = async_work_group_copy({MINE}, t, 8, 0);"
FILLED = "local int t[8];\nt[l] = l;\nbarrier(CLK_LOCAL_MEM_FENCE);\n"
WAIT = "wait_group_events(1, &e);"

#: Name, kernel (of one global int array `a` of N elements and 8 work-items a group; "2D": 4 x 4 of
#: 8 x 8, whose second coordinates are j and m), and what is found: kind, line, memory.
BUGS = {
    "uninitialised variable": (
        "int x;\nif (i > 2) x = 1;\na[i] = x;",
        ("uninitialized read", 3, "private x"),
    ),
    "uninitialised component": (
        "int4 v;\nv.xyz = 1;\na[i] = v.w;",
        ("uninitialized read", 3, "private v"),
    ),
    "uninitialised element": (
        "int t[4];\nt[i & 1] = 1;\na[i] = t[1];",
        ("uninitialized read", 3, "private t"),
    ),
    "a variable of a loop's body keeps nothing": (
        "for (int k = 0; k < 2; ++k) { int x;\nif (k == 0) x = 1;\na[i] = x; }",
        ("uninitialized read", 3, "private x"),
    ),
    "uninitialised local memory": (
        "local int t[8];\nif (l < 4) t[l] = l;\nbarrier(CLK_LOCAL_MEM_FENCE);\na[i] = t[7 - l];",
        ("uninitialized read", 4, "local t"),
    ),
    "no barrier": (
        "local int t[8];\nt[l] = l;\na[i] = t[7 - l];",
        ("race", 3, "local t"),
    ),
    "a barrier of the other memory": (
        "local int t[8];\nt[l] = l;\nbarrier(CLK_GLOBAL_MEM_FENCE);\na[i] = t[7 - l];",
        ("race", 4, "local t"),
    ),
    "one barrier too few in a loop": (
        "local int t[8];\nfor (int k = 0; k < 2; ++k) {\nt[l] = k;\n"
        "barrier(CLK_LOCAL_MEM_FENCE);\na[i] = t[7 - l];\n}",
        ("race", 3, "local t"),
    ),
    "all write to one element": ("a[0] = i;", ("race", 1, "global a")),
    "groups that read what others write": (
        "a[i] = i;\nbarrier(CLK_GLOBAL_MEM_FENCE);\nint x = a[(i + 8) % 64];\nif (x < 0) a[i] = x;",
        ("race", 3, "global a"),
    ),
    "read by several, written by one": (
        "local int t[8];\nif (l == 0) t[3] = 1;\nbarrier(CLK_LOCAL_MEM_FENCE);\na[i] = t[3];\n"
        "if (l == 5) t[3] = 2;",
        ("race", 5, "local t"),
    ),
    "an atomic and a plain write": (
        "atomic_add(&a[0], 1);\nif (i == 5) a[0] = 0;",
        ("race", 2, "global a"),
    ),
    "a copy used before the wait": (
        "local int t[8];\nevent_t e = async_work_group_copy(t, a + 8 * get_group_id(0), 8, 0);\n"
        "int x = t[l];\nwait_group_events(1, &e);\na[i] = x;",
        ("early use of an asynchronous copy", 3, "local t"),
    ),
    "a member through a pointer": (
        "S s;\ns.x = 1;\nS *p = &s;\na[i] = p->y;",
        ("uninitialized read", 4, "private s"),
    ),
    "a member in a function": (
        "S s;\ns.x = 1;\na[i] = second(&s);",
        ("uninitialized read", 1, "private s"),
    ),
    "a member of a copied struct": (
        "S s;\ns.x = 1;\nS r = s;\na[i] = r.y;",
        ("uninitialized read", 4, "private r"),
    ),
    "a member of an argument": (
        "S s;\ns.x = 1;\na[i] = second_of(s);",
        ("uninitialized read", 1, "private s"),
    ),
    "a member of a result": (
        "S s = half_made(i);\na[i] = s.x;\na[i] = s.y;",
        ("uninitialized read", 3, "private s"),
    ),
    "a member in an array of structs": (
        "S s[2];\ns[0].x = s[1].y = 1;\ns[1] = s[0];\na[i] = s[1].x;\na[i] = s[1].y;",
        ("uninitialized read", 5, "private s"),
    ),
    "a packed member": ("P p;\np.c = 1;\na[i] = p.n;", ("uninitialized read", 3, "private p")),
    "a structure of some items": (
        "S s = {1, 2}, r;\nr.x = 1;\nif (i == 5) s = r;\na[i] = s.y;",
        ("uninitialized read", 4, "private s"),
    ),
    "by vload": (
        "int t[4];\nt[0] = 1;\na[i] = vload2(0, t).x;",
        ("uninitialized read", 3, "private t"),
    ),
    "a label jumps over what a variable gets": (
        "switch (i & 1) {\ncase 0: ;\nint x = 1;\na[i] = x;\nbreak;\ndefault:\na[i] = x;\n}",
        ("uninitialized read", 7, "private x"),
    ),
    "incremented": ("int x;\nx++;\na[i] = 1;", ("uninitialized read", 2, "private x")),
    "a pointer": ("S *p;\nif (p)\na[i] = 1;", ("uninitialized read", 2, "private p")),
    "an event": ("event_t e;\nwait_group_events(1, &e);", ("uninitialized read", 2, "private e")),
    "an atomic on what nobody set": (
        "local int n;\natomic_inc(&n);",
        ("uninitialized read", 2, "local n"),
    ),
    "a vector and its component": (
        "local int4 t[8];\nt[l] = (int4)(l);\nt[7 - l].x = 1;",
        ("race", 3, "local t"),
    ),
    "a member that another wrote": (
        "local S t[8];\nt[l].x = t[l].y = l;\na[i] = t[7 - l].y;",
        ("race", 3, "local t"),
    ),
    "in a function": (
        "local int t[8];\nt[l] = l;\na[i] = across(t, l);",
        ("race", 1, "local t"),
    ),
    "a fence is no barrier": (
        "local int t[8];\nt[l] = l;\nmem_fence(CLK_LOCAL_MEM_FENCE);\na[i] = t[7 - l];",
        ("race", 4, "local t"),
    ),
    "a local count, read too early": (
        "local int n;\nif (l == 0) n = 0;\nbarrier(CLK_LOCAL_MEM_FENCE);\natomic_inc(&n);\n"
        "a[i] = n;",
        ("race", 5, "local n"),
    ),
    "a local count, set too late": (
        "local int n;\nif (l == 0) n = 0;\natomic_inc(&n);\nbarrier(CLK_LOCAL_MEM_FENCE);\n"
        "a[i] = n;",
        ("race", 3, "local n"),
    ),
    "a count of all groups": (
        "atomic_inc(a);\nbarrier(CLK_GLOBAL_MEM_FENCE);\nif (a[0] < 0)\na[i + 1] = 0;",
        ("race", 3, "global a"),
    ),
    "vstore over others' elements": ("vstore2((int2)(i), 0, a + i % 63);", ("race", 1, "global a")),
    "added to by two": ("a[i / 2] += 1;", ("race", 1, "global a")),
    "2D transposed": (
        "local int t[4][4];\nt[m][l] = i;\na[8 * j + i] = t[l][m];",
        ("race", 3, "local t"),
    ),
    "2D of another group": (
        "a[8 * j + i] = i;\nbarrier(CLK_GLOBAL_MEM_FENCE);\nif (a[8 * i + j] < 0)\na[0] = 0;",
        ("race", 3, "global a"),
    ),
    "2D a column written by all its items": ("a[i] = j;", ("race", 1, "global a")),
    "copied out before the barrier": (
        f"local int t[8];\nt[l] = l;\n{TO}\n{WAIT}",
        ("race", 3, "local t"),
    ),
    "copied over what others still read": (
        f"{FILLED}int x = t[7 - l];\n{FROM}\n{WAIT}\nbarrier(CLK_GLOBAL_MEM_FENCE);\na[i] = x;",
        ("race", 5, "local t"),
    ),
    "what has been copied is changed and read": (
        f"local int t[8];\n{FROM}\n{WAIT}\nt[l] += 1;\nint x = t[7 - l];",
        ("race", 5, "local t"),
    ),
    "all groups copy to one place": (
        f"{FILLED}event_t e = async_work_group_copy(a, t, 8, 0);\n{WAIT}",
        ("race", 4, "global a"),
    ),
    "a copy of what another group writes": (
        "local int t[8];\na[i] = i;\n"
        f"event_t e = async_work_group_copy(t, a + 8 * (7 - get_group_id(0)), 8, 0);\n{WAIT}",
        ("race", 3, "global a"),
    ),
    "undefined elements copied out": (
        "local int t[8];\nif (l < 5) t[l] = l;\nbarrier(CLK_LOCAL_MEM_FENCE);\n" + TO + WAIT,
        ("uninitialized read", 4, "local t"),
    ),
    "the source of a copy changed before the wait": (
        f"{FILLED}{TO}\nt[l] = 3;\n{WAIT}",
        ("early use of an asynchronous copy", 5, "local t"),
    ),
    "copied to global memory, and read before the wait": (
        f"{FILLED}{TO}\nint x = a[i];\n{WAIT}",
        ("early use of an asynchronous copy", 5, "global a"),
    ),
    "a second copy into what the first one fills": (
        f"local int t[8];\n{FROM}\ne = async_work_group_copy(t, {MINE}, 4, e);\n{WAIT}",
        ("early use of an asynchronous copy", 3, "local t"),
    ),
    "a copy that nobody waits for": (
        f"local int t[8];\n{FROM}",
        ("asynchronous copy without a wait", 2, "local t"),
    ),
}

#: Right ones that look alike.
RIGHT = {
    "a struct by a function": "S s = half_made(i);\ns.y = 2;\nS r = s;\na[i] = second(&r);",
    "a struct of some items": "S s = {1, 2}, r;\nr.x = 1;\nif (i == 5) s = r;\na[i] = s.x;",
    "a packed struct": "P p;\np.c = 1;\np.n = i;\nP q = p;\na[i] = q.n;",
    "parameters assigned to": "a[i] = counted(i, 3);",
    "sections of a switch": (
        "switch (i & 1) { case 0: ; int x = 1; a[i] = x; break; default: x = 2; a[i] = x; }"
    ),
    "components by several items": (
        "local int4 t[2];\n((local int *)t)[l] = l;\nbarrier(CLK_LOCAL_MEM_FENCE);\n"
        "a[i] = t[l / 4].x;"
    ),
    "members by several items": (
        "local S t[8];\nt[l].x = l;\nt[7 - l].y = 1;\nbarrier(CLK_LOCAL_MEM_FENCE);\n"
        "a[i] = t[7 - l].x;"
    ),
    "a local count": (
        "local int n;\nif (l == 0) n = 0;\nbarrier(CLK_LOCAL_MEM_FENCE);\natomic_inc(&n);\n"
        "barrier(CLK_LOCAL_MEM_FENCE);\na[i] = n;"
    ),
    "barriers in functions, in a loop": (
        "local int t[8];\nfor (int k = 0; k < 3; ++k) {\nput(t, l, k);\n"
        "a[i] = across(t, l);\nsync();\n}"
    ),
    "2D transposed": (
        "local int t[4][4];\nt[m][l] = i;\nbarrier(CLK_LOCAL_MEM_FENCE);\na[8 * j + i] = t[l][m];"
    ),
    "copied out after the barrier": f"{FILLED}{TO}{WAIT}t[l] = a[i];",
    "copied over what all have read": (
        f"{FILLED}int x = t[7 - l];\nbarrier(CLK_LOCAL_MEM_FENCE);\n{FROM}{WAIT}\n"
        "barrier(CLK_GLOBAL_MEM_FENCE);\na[i] = x + t[7 - l];"
    ),
    "two copies of one event": (
        f"local int t[16];\n{FROM}e = async_work_group_copy(t + 8, {MINE}, 8, e);{WAIT}\n"
        "barrier(CLK_GLOBAL_MEM_FENCE);\na[i] = t[l] + t[8 + l];"
    ),
    "the source is read before the wait": f"{FILLED}{TO}\nint x = t[7 - l];\n{WAIT}",
    "three components copied as four": (
        "local int3 t[2];\nif (l < 2) t[l] = (int3)(l);\nbarrier(CLK_LOCAL_MEM_FENCE);\n"
        f"event_t e = async_work_group_copy((global int3 *)({MINE}), t, 2, 0);\n{WAIT}\n"
        "if (l % 4 == 3) a[i] = 0;"
    ),
    "set before": "int x;\nif (i > 2) x = 1; else x = 2;\na[i] = x;",
    "only what is asked for": "int x;\nif (i > 2) x = 1;\na[i] = i > 2 && x == 1;",
    "components": "int4 v;\nv.xyz = 1;\nv.w = 2;\na[i] = v.x + v.w + v.zy.x;",
    "array with values": "int t[4] = {1};\na[i] = t[i & 3];",
    "structs": "struct { int x, y; } s, r;\ns.x = 1;\nr = s;\na[i] = r.x;",
    "barrier": "local int t[8];\nt[l] = l;\nbarrier(CLK_LOCAL_MEM_FENCE);\na[i] = t[7 - l];",
    "barriers in a loop": (
        "local int t[8];\nfor (int k = 0; k < 3; ++k) {\nt[l] = k;\n"
        "barrier(CLK_LOCAL_MEM_FENCE);\na[i] = t[7 - l];\nbarrier(CLK_LOCAL_MEM_FENCE);\n}"
    ),
    "groups by themselves": (
        "a[i] = i;\nbarrier(CLK_GLOBAL_MEM_FENCE);\n"
        "int x = a[8 * get_group_id(0) + 7 - l];\nbarrier(CLK_GLOBAL_MEM_FENCE);\na[i] = x;"
    ),
    "atomics": "atomic_add(&a[0], 1);\natomic_max(&a[1], i);",
    "a reduction": (
        "local int t[8];\nt[l] = i;\nfor (int k = 4; k > 0; k >>= 1) {\n"
        "barrier(CLK_LOCAL_MEM_FENCE);\nif (l < k) t[l] += t[l + k];\n}\nif (l == 0) a[i] = t[0];"
    ),
    "a copy waited for": (
        "local int t[8];\nevent_t e = async_work_group_copy(t, a + 8 * get_group_id(0), 8, 0);\n"
        "wait_group_events(1, &e);\nbarrier(CLK_GLOBAL_MEM_FENCE);\na[i] = t[l];"
    ),
}


def launch(body, check=True, is_2d=False):
    """The kernel's first line is the body's."""
    text = "kernel void k(global int *a) { int i = get_global_id(0), l = get_local_id(0); "
    if is_2d:
        text += "int j = get_global_id(1), m = get_local_id(1); "
    a = np.arange(N, dtype=np.int32)
    sizes = ((8, 8), (4, 4)) if is_2d else (N, 8)
    cl.Program(f"{HELPERS}{text}{body}\n}}").k(*sizes, a, check=check)
    return a


@pytest.mark.parametrize("name", BUGS)
def test_finds_planted_bugs(name):
    body, wanted = BUGS[name]
    with pytest.raises(cl.CheckError) as caught:
        launch(body, is_2d="2D" in name)
    found = {(f.kind, f.place.line, f.memory) for f in caught.value.findings}
    assert wanted in found
    assert len(found) == 1, str(caught.value)
    launch(body, check=False, is_2d="2D" in name)


@pytest.mark.parametrize("name", RIGHT)
def test_finds_nothing_else(name):
    checked, plain = (launch(RIGHT[name], check, "2D" in name) for check in (True, False))
    assert (checked == plain).all()


def test_message():
    with pytest.raises(cl.CheckError) as caught:
        launch(BUGS["uninitialised variable"][0])
    assert str(caught.value) == (
        "program.cl:3:8: kernel k: uninitialized read: private x, byte 0, work-item (0,)"
    )


def test_message_of_a_race():
    """Both work-items are told by their global ids."""
    with pytest.raises(cl.CheckError) as caught:
        launch(BUGS["2D transposed"][0], is_2d=True)
    assert str(caught.value) == (
        "program.cl:3:16: kernel k: race: local t, byte 16, work-item (1, 0) and work-item (0, 1), "
        "no barrier between"
    )
    with pytest.raises(cl.CheckError, match=r"\) and an asynchronous copy of work-group \(7,\)"):
        launch(
            BUGS["a copy of what another group writes"][0]
            .replace("a[i] = i;", "")
            .replace("7 - get_group_id(0)", "0")
            + "a[0] = i;"
        )


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
def test_barriers_that_not_all_come_to(body, check):
    line = 1 if "sync" in body else 2
    with pytest.raises(cl.LaunchError, match=f"^program.cl:{line}:.* barrier: .* does not come"):
        launch(body, check)


def test_what_was_found_before_a_fault():
    """A pointer that is undefined is null as it happens: the cause is told, and the fault."""
    body = "global int *p;\nif (i > 2) p = a;\na[i] =\n*p;"
    with pytest.raises(cl.LaunchError, match=r"program.cl:4:.* read by a null pointer"):
        launch(body, check=False)
    with pytest.raises(cl.CheckError, match=r"program.cl:4:.* uninitialized read: private p") as it:
        launch(body)
    assert "null pointer" in str(it.value.__cause__)
