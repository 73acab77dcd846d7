"""Atomics of C11 on all types, with orders and scopes; no result depends on the items' order."""

import numpy as np

SOURCE = """
typedef struct { atomic_int count; int data; } Node;
global atomic_int total = ATOMIC_VAR_INIT(5);
kernel void k(global atomic_int *a, global atomic_uint *u, global atomic_long *l,
              global atomic_float *f, volatile global Node *n, global int *o) {
    int i = get_global_id(0);
    local atomic_int s;
    local atomic_flag lock;
    if (get_local_id(0) == 0) { atomic_init(&s, 3); atomic_flag_clear(&lock); }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add(a, i);
    atomic_fetch_sub_explicit(a + 1, i, memory_order_relaxed);
    atomic_fetch_max_explicit(a + 2, i * 7 % 5, memory_order_acq_rel, memory_scope_device);
    atomic_fetch_min(u, 100u - i);
    atomic_fetch_or(u + 1, 1u << i);
    atomic_fetch_xor(u + 2, (uint)i);
    atomic_fetch_and(u + 3, ~(1u << i));
    atomic_fetch_add(l, (long)i << 33);
    atomic_fetch_max(l + 1, (long)-i);
    atomic_fetch_sub(l + 2, 1L);
    atomic_fetch_add_explicit(&s, 1, memory_order_seq_cst, memory_scope_work_group);
    atomic_store(f + i, i * 0.5f);
    o[4 * i] = (int)(atomic_load(f + i) * 4) + (atomic_exchange(f + 20 + i, 2.0f) == 1.0f);
    int e = atomic_load_explicit(a + 3, memory_order_acquire);
    while (!atomic_compare_exchange_weak(a + 3, &e, e * 2 + 1)) ;
    int w = 77;
    o[4 * i + 1] = atomic_compare_exchange_strong(a + 4 + i, &w, 5) ? 1000 : w;
    atomic_fetch_add(&n[i].count, 3);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
    if (!atomic_flag_test_and_set(&lock)) atomic_fetch_add(&s, 100);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[4 * i + 2] = atomic_load(&s);
    atomic_fetch_add(&total, 2);
}
kernel void last(global int *o) { o[0] = atomic_load(&total); }
"""

#: What eight items in groups of four leave.
EXPECTED = {
    "a": [1 + 28, 2 - 28, 4, (4 + 1) * 256 - 1, 5, 1, 5, 3, 5, 5, 5, 7],
    "u": [93, 255, 0, 0xFFFFFFFF - 255],
    "l": [7 + (28 << 33), 0, 3 - 8],
    "f": [i * 0.5 for i in range(8)] + [0] * 12 + [2] * 8,
    "n": [(2 * i + 3, 2 * i + 1) for i in range(8)],
    "o": [[2 * i + (i % 2 == 0), 1000 if i in (0, 2, 4, 6) else (1, 3, 5, 7)[i // 2], 107, 0]
          for i in range(8)],
    "total": 5 + 16,
}  # fmt: skip


def results(program):
    """Return what the kernels leave, by name."""
    arrays = {
        "a": np.array([1, 2, 3, 4, 77, 1, 77, 3, 77, 5, 77, 7], np.int32),
        "u": np.array([1000, 0, 0, 0xFFFFFFFF], np.uint32),
        "l": np.array([7, -(1 << 40), 3], np.int64),
        "f": np.array([0] * 20 + [1, 2] * 4, np.float32),
        "n": np.arange(16).astype(np.int32).view([("count", "i4"), ("data", "i4")]),
        "o": np.zeros(32, np.int32),
    }
    program.k(8, 4, *arrays.values())
    total = np.zeros(1, np.int32)
    program.last(1, 1, total)
    values = {name: array.tolist() for name, array in arrays.items()}
    return {**values, "o": arrays["o"].reshape(8, 4).tolist(), "total": int(total[0])}
