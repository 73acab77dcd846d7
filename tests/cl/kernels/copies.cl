#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF

#define TILE 4

/* c = a b: rows of a's tile, and columns of b's, which are not beside each other. */
kernel void multiply_tiles(global const half *a, global const half *b, global half *c, int n) {
    local half rows[TILE][TILE], columns[TILE][TILE];
    int x = get_local_id(0), y = get_local_id(1);
    size_t left = get_group_id(0) * TILE, top = get_group_id(1) * TILE;
    half sum = 0;
    for (int k = 0; k < n; k += TILE) {
        event_t e = 0;
        for (int i = 0; i < TILE; ++i) {
            e = async_work_group_copy(rows[i], a + (top + i) * n + k, TILE, e);
            e = async_work_group_strided_copy(columns[i], b + k * n + left + i, TILE, n, e);
        }
        wait_group_events(1, &e);
        for (int i = 0; i < TILE; ++i) sum += rows[y][i] * columns[x][i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[get_global_id(1) * n + get_global_id(0)] = sum;
}

kernel void transpose_tiles(global const half *in, global half *out, int width, int height) {
    local half tile[TILE][TILE + 1];
    int x = get_local_id(0), y = get_local_id(1);
    int left = get_group_id(0) * TILE, top = get_group_id(1) * TILE;
    tile[y][x] = in[(top + y) * width + left + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(left + y) * height + top + x] = tile[x][y];
}

constant half weights[] = {0.0625h, 0.25h, 0.375h, 0.25h, 0.0625h};

half weighted(local const half *x) {
    half sum = 0;
    for (int k = 0; k < 5; ++k) sum += weights[k] * x[k];
    return sum;
}

/* A group has a row of 8 of an image that has a margin of 2. */
kernel void gauss_rows(global const half *in, global half *out, int width) {
    local half line[8 + 4];
    size_t y = get_global_id(1), first = get_group_id(0) * 8;
    event_t e = async_work_group_copy(line, in + y * (width + 4) + first, 12, 0);
    wait_group_events(1, &e);
    out[y * width + get_global_id(0)] = weighted(line + get_local_id(0));
}

/* And of what has become of it, a column. */
kernel void gauss_columns(global const half *in, global half *out, int width) {
    local half line[8 + 4], done[8];
    size_t x = get_global_id(0), first = get_group_id(1) * 8;
    int l = get_local_id(1);
    event_t e = async_work_group_strided_copy(line, in + first * width + x, 12, width, 0);
    wait_group_events(1, &e);
    done[l] = weighted(line + l);
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_strided_copy(out + first * width + x, done, 8, width, 0);
    wait_group_events(1, &e);
}

/* The next tile comes while this one is worked on. */
kernel void double_buffered(global const half4 *in, global half4 *out, int count) {
    local half4 tiles[2][8];
    int l = get_local_id(0);
    event_t events[2];
    half4 sum = 0;
    events[0] = async_work_group_copy(tiles[0], in, 8, 0);
    for (int k = 0; k < count; ++k) {
        int now = k & 1;
        if (k + 1 < count)
            events[1 - now] = async_work_group_copy(tiles[1 - now], in + (k + 1) * 8, 8, 0);
        wait_group_events(1, &events[now]);
        sum += tiles[now][7 - l] * (half)(k + 1);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sum;
}

/* Each group for itself, and what it comes to. */
kernel void scan_groups(global half *data, global half *sums, local half *t) {
    int l = get_local_id(0), n = get_local_size(0);
    t[l] = data[get_global_id(0)];
    for (int d = 1; d < n; d *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        half before = l >= d ? t[l - d] : 0.0h;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l >= d) t[l] += before;
    }
    data[get_global_id(0)] = t[l];
    if (l == n - 1) sums[get_group_id(0)] = t[l];
}

/* After it: what comes before a group is added. */
kernel void scan_add(global half *data, global const half *sums) {
    half before = 0;
    for (int g = 0; g < get_group_id(0); ++g) before += sums[g];
    if (get_group_id(0)) data[get_global_id(0)] += before;
}
