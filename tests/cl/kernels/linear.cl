#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF
#define TILE 4

kernel void axpy(half a, global const half *x, global half *y) {
    size_t i = get_global_id(0);
    y[i] += a * x[i];
}

kernel void mat_vec(global const half *m, global const half *v, global half *out, int n) {
    size_t row = get_global_id(0);
    half sum = 0;
    for (int k = 0; k < n; ++k) sum += m[row * n + k] * v[k];
    out[row] = sum;
}

kernel void mat_mul(global const half *a, global const half *b, global half *out, int n) {
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0);
    half sum = 0;
    for (int k = 0; k < n; ++k) sum = fma(a[y * n + k], b[k * w + x], sum);
    out[y * w + x] = sum;
}

__attribute__((reqd_work_group_size(TILE, TILE, 1)))
kernel void mat_mul_tiled(global const half *a, global const half *b, global half *out, int n) {
    local half tile_a[TILE][TILE], tile_b[TILE][TILE];
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0);
    int i = get_local_id(0), j = get_local_id(1);
    half sum = 0;
    for (int t = 0; t < n; t += TILE) {
        tile_a[j][i] = a[y * n + t + i];
        tile_b[j][i] = b[(t + j) * w + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; ++k) sum += tile_a[j][k] * tile_b[k][i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[y * w + x] = sum;
}

kernel void transpose(global const half *in, global half *out, local half *tile) {
    int i = get_local_id(0), j = get_local_id(1), n = get_local_size(0);
    int x = get_group_id(0) * n, y = get_group_id(1) * n, w = get_global_size(0), h = get_global_size(1);
    tile[j * (n + 1) + i] = in[(y + j) * w + x + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(x + j) * h + y + i] = tile[i * (n + 1) + j];
}

kernel void softmax(global half *rows, int n) {
    global half *row = rows + get_global_id(0) * n;
    half high = row[0];
    for (int k = 1; k < n; ++k) high = fmax(high, row[k]);
    half sum = 0;
    for (int k = 0; k < n; ++k) sum += row[k] = exp(row[k] - high);
    for (int k = 0; k < n; ++k) row[k] /= sum;
}

kernel void layer_norm(global const half *in, global half *out, int n, half epsilon) {
    size_t first = get_global_id(0) * n;
    float sum = 0, squares = 0;
    for (int k = 0; k < n; ++k) sum += in[first + k];
    float mean = sum / n;
    for (int k = 0; k < n; ++k) {
        float d = in[first + k] - mean;
        squares += d * d;
    }
    half scale = rsqrt((half)(squares / n) + epsilon);
    for (int k = 0; k < n; ++k) out[first + k] = (in[first + k] - (half)mean) * scale;
}

kernel void activations(global const half *in, global half4 *out) {
    size_t i = get_global_id(0);
    half x = in[i];
    half4 y = (half4)(x > 0 ? x : 0.0h, x > 0 ? x : 0.01h * x, 1 / (1 + exp(-x)), 0);
    y.w = x * y.z;
    out[i] = y;
}

kernel void max_pool(global const half *in, global half *out, int w) {
    int x = get_global_id(0), y = get_global_id(1);
    half best = -INFINITY;
    for (int k = 0; k < 4; ++k) best = max(best, in[(2 * y + (k >> 1)) * w + 2 * x + (k & 1)]);
    out[y * get_global_size(0) + x] = best;
}

kernel void convolve(global const half *in, constant half *taps, global half *out, int count) {
    int i = get_global_id(0);
    half sum = 0;
    for (int k = 0; k < count; ++k) sum += taps[k] * in[i + k];
    out[i] = sum;
}

kernel void quantise(global const half *in, global char *out, half scale) {
    size_t i = get_global_id(0);
    out[i] = convert_char_sat_rte(in[i] / scale);
}

kernel void dequantised_dot(global const char4 *a, global const char4 *b, global float *out, float scale) {
    size_t i = get_global_id(0);
    int4 p = convert_int4(a[i]) * convert_int4(b[i]);
    out[i] = (p.x + p.y + p.z + p.w) * scale;
}

kernel void solve2(global const float4 *m, global const float2 *v, global float2 *out) {
    size_t i = get_global_id(0);
    float4 a = m[i];
    float det = a.x * a.w - a.y * a.z;
    out[i] = (float2)(a.w * v[i].x - a.y * v[i].y, a.x * v[i].y - a.z * v[i].x) / det;
}

kernel void newton_sqrt(global const float *in, global float *out) {
    size_t i = get_global_id(0);
    float x = in[i], y = x > 1 ? x : 1, last;
    int n = 0;
    do {
        last = y;
        y = 0.5f * (y + x / y);
    } while (y < last && ++n < 50);
    out[i] = last;
}
