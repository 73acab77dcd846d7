#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF

kernel void histogram_global(global const uchar *in, global uint *out) {
    atomic_inc(&out[in[get_global_id(0)] >> 4]);
}

kernel void histogram_local(global const uchar *in, global uint *out) {
    local uint bins[16];
    int l = get_local_id(0);
    bins[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 4; ++k) atomic_inc(&bins[in[4 * get_global_id(0) + k] >> 4]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (bins[l]) atomic_add(&out[l], bins[l]);
}

kernel void compact_counted(global const half *in, global half *out, volatile global int *count) {
    half v = in[get_global_id(0)];
    if (v > 0.5h) out[atomic_inc(count)] = v;
}

kernel void compact_groups(global const int *in, global int *out, global int *count) {
    local int kept[16], n, first;
    int l = get_local_id(0), v = in[get_global_id(0)];
    if (l == 0) n = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v & 1) kept[atomic_inc(&n)] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) first = atomic_add(count, n);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < n) out[first + l] = kept[l];
}

kernel void bounds_of_points(global const int2 *points, global int *box) {
    int2 p = points[get_global_id(0)];
    atomic_min(box, p.x);
    atomic_min(box + 1, p.y);
    atomic_max(box + 2, p.x);
    atomic_max(box + 3, p.y);
}

/* Depth above, colour below. */
kernel void depth_buffer(global const uint3 *fragments, global uint *buffer) {
    uint3 f = fragments[get_global_id(0)];
    atomic_min(&buffer[f.x], f.y << 16 | f.z);
}

/* Two halves in a word, of which none can be added to by itself. */
void add_half(volatile global uint *word, bool upper, half value) {
    uint old = atomic_or(word, 0u), found;
    do {
        found = old;
        half2 both = as_half2(found);
        if (upper) both.y += value; else both.x += value;
        old = atomic_cmpxchg(word, found, as_uint(both));
    } while (old != found);
}

kernel void splat_to_halves(global const half *in, global const int *where, global uint *sums) {
    int i = get_global_id(0), to = where[i];
    add_half(&sums[to / 2], to & 1, in[i]);
}
