#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF

kernel void reduce_sum(global const half *in, global half *out, local half *part) {
    int l = get_local_id(0);
    part[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = get_local_size(0) / 2; step > 0; step >>= 1) {
        if (l < step) part[l] += part[l + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) out[get_group_id(0)] = part[0];
}

kernel void reduce_argmax(global const half *in, global int *out) {
    local int best[16];
    int l = get_local_id(0);
    best[l] = get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 8; step > 0; step /= 2) {
        if (l < step && in[best[l + step]] > in[best[l]]) best[l] = best[l + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (!l) out[get_group_id(0)] = best[0];
}

kernel void scan_steps(global int *data) {
    local int t[2][16];
    int l = get_local_id(0), now = 0;
    t[0][l] = data[get_global_id(0)];
    for (int d = 1; d < 16; d <<= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        t[1 - now][l] = t[now][l] + (l >= d ? t[now][l - d] : 0);
        now = 1 - now;
    }
    data[get_global_id(0)] = t[now][l];
}

kernel void scan_tree(global half *data) {
    local half t[16];
    int l = get_local_id(0), offset = 1;
    size_t first = 2 * (get_global_id(0) - l);
    t[2 * l] = data[first + 2 * l];
    t[2 * l + 1] = data[first + 2 * l + 1];
    for (int d = 8; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d) t[offset * (2 * l + 2) - 1] += t[offset * (2 * l + 1) - 1];
        offset *= 2;
    }
    if (l == 0) t[15] = 0;
    for (int d = 1; d < 16; d *= 2) {
        offset >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d) {
            int a = offset * (2 * l + 1) - 1, b = offset * (2 * l + 2) - 1;
            half old = t[a];
            t[a] = t[b];
            t[b] += old;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    data[first + 2 * l] = t[2 * l];
    data[first + 2 * l + 1] = t[2 * l + 1];
}

kernel void bitonic_sort(global half *data, local half *t) {
    int l = get_local_id(0), n = get_local_size(0);
    t[l] = data[get_global_id(0)];
    for (int k = 2; k <= n; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            int other = l ^ j;
            half a = t[l], b = t[other];
            bool up = (l & k) == 0, first = l < other;
            barrier(CLK_LOCAL_MEM_FENCE);
            if ((a > b) == (up == first)) t[l] = b;
        }
    data[get_global_id(0)] = t[l];
}

kernel void sort4(global int4 *data) {
    size_t i = get_global_id(0);
    int4 v = data[i];
    v = (int4)(min(v.xz, v.yw), max(v.xz, v.yw)).xzyw;
    v = (int4)(min(v.xy, v.zw), max(v.xy, v.zw));
    v.yz = (int2)(min(v.y, v.z), max(v.y, v.z));
    data[i] = v;
}

kernel void odd_even_pass(global short *data, int n, int phase) {
    int i = 2 * get_global_id(0) + phase;
    if (i + 1 < n && data[i] > data[i + 1]) {
        short t = data[i];
        data[i] = data[i + 1];
        data[i + 1] = t;
    }
}

kernel void histogram_counted(global const uchar *in, int n, global uint *out) {
    uint bin = get_global_id(0), count = 0;
    for (int k = 0; k < n; ++k) count += in[k] >> 4 == bin;
    out[bin] = count;
}

kernel void compact(global const int *in, global int *out, global int *count) {
    local int place[17];
    int l = get_local_id(0), g = get_group_id(0), v = in[get_global_id(0)];
    place[l + 1] = v > 0;
    if (l == 0) place[0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        for (int k = 0; k < 16; ++k) place[k + 1] += place[k];
        count[g] = place[16];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v > 0) out[16 * g + place[l]] = v;
}

kernel void stencil_local(global const half *in, global half *out) {
    local half t[18];
    int l = get_local_id(0), i = get_global_id(0), n = get_global_size(0);
    t[l + 1] = in[i];
    if (l == 0) t[0] = i ? in[i - 1] : 0.0h;
    if (l == 15) t[17] = i + 1 < n ? in[i + 1] : 0.0h;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = (t[l] + t[l + 1] + t[l + 2]) / 3;
}

kernel void rank_sort(global const half *in, global half *out, int n) {
    int i = get_global_id(0), rank = 0;
    half v = in[i];
    for (int k = 0; k < n; ++k) rank += in[k] < v || (in[k] == v && k < i);
    out[rank] = v;
}
