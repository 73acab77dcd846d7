"""Barriers whose flags are computed, in checked launches."""

import numpy as np
import pytest

from halfcl import cl

#: Items of a work-group read what others of it have written, behind a barrier.
SOURCE = """
kernel void k(global int *a, global int *flags) {{
    local int t[4];
    size_t i = get_global_id(0), l = get_local_id(0);
    t[l] = i;
    if (a[i] >= 0) barrier({});
    a[i] = t[3 - l];
}}"""

LOCAL, GLOBAL = 1, 2
CROSSED = [3, 2, 1, 0, 7, 6, 5, 4]


def launch(flags, given=(LOCAL,) * 8, a=(0,) * 8):
    array = np.array(a, np.int32)
    cl.Program(SOURCE.format(flags)).k(8, 4, array, np.array(given, np.int32), check=True)
    return array.tolist()


@pytest.mark.parametrize(
    ("flags", "item"),
    [
        ("get_local_id(0) == 2 ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE", 2),
        ("get_local_id(0) + 1", 1),
        ("flags[i]", 6),
    ],
)
def test_flags_that_differ_in_a_work_group(flags, item):
    values = [LOCAL] * 6 + [GLOBAL] + [LOCAL]
    with pytest.raises(cl.LaunchError) as caught:
        launch(flags, values)
    assert type(caught.value) is cl.LaunchError
    assert str(caught.value) == (
        f"program.cl:6:20: kernel k: barrier: work-item ({item},) has other flags than the "
        "first of its work-group"
    )


def test_differing_flags_in_group_that_skips_the_barrier():
    """No item of the second group reaches the barrier, so their reads are unordered."""
    flags = [LOCAL] * 4 + [LOCAL, GLOBAL, LOCAL, GLOBAL]
    with pytest.raises(cl.CheckError, match=r"race: local t, byte \d+, work-item \([4-7],\)"):
        launch("flags[i]", flags, [0] * 4 + [-1] * 4)


@pytest.mark.parametrize("flags", ["flags[i]", "flags[0]", "((int2)(1)).x", "1 + i * 0"])
def test_flags_that_are_the_same_in_a_work_group(flags):
    assert launch(flags) == CROSSED
    assert launch(flags, [LOCAL | GLOBAL] * 8) == CROSSED


def test_flags_of_each_work_group():
    """The second one's fences other memory: its items race."""
    assert launch("flags[i]", [LOCAL] * 4 + [LOCAL | GLOBAL] * 4) == CROSSED
    for flags in ("flags[i]", "get_group_id(0) + 1"):
        with pytest.raises(cl.CheckError, match=r"work-item \([4-7],\).* no barrier") as caught:
            launch(flags, [LOCAL] * 4 + [GLOBAL] * 4)
        assert "work-item (0,)" not in str(caught.value)
