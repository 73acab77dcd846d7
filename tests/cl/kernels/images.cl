#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF

constant sampler_t clamped = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t bordered = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
constant sampler_t repeated = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;

kernel void convolve_clamped(read_only image2d_t in, write_only image2d_t out,
                             constant half *weights) {
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    half4 sum = 0;
    for (int j = -1; j <= 1; ++j)
        for (int i = -1; i <= 1; ++i)
            sum += weights[3 * j + i + 4] * read_imageh(in, clamped, p + (int2)(i, j));
    write_imageh(out, p, sum);
}

kernel void convolve_bordered(read_only image2d_t in, write_only image2d_t out,
                              constant half *weights) {
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    half4 sum = 0;
    for (int k = 0; k < 9; ++k)
        sum += weights[k] * read_imageh(in, bordered, p + (int2)(k % 3 - 1, k / 3 - 1));
    write_imageh(out, p, sum);
}

kernel void convolve_repeated(read_only image2d_t in, write_only image2d_t out,
                              constant half *weights) {
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    float2 size = convert_float2(get_image_dim(in));
    half4 sum = 0;
    for (int k = 0; k < 9; ++k) {
        float2 at = (convert_float2(p) + (float2)(k % 3 - 0.5f, k / 3 - 0.5f)) / size;
        sum += weights[k] * read_imageh(in, repeated, at);
    }
    write_imageh(out, p, sum);
}

kernel void resize(read_only image2d_t in, write_only image2d_t out, sampler_t linear) {
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    float2 at = (convert_float2(p) + 0.5f) / convert_float2(get_image_dim(out));
    write_imageh(out, p, read_imageh(in, linear, at));
}

kernel void next_level(read_only image2d_t in, write_only image2d_t out) {
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    half4 sum = 0;
    for (int k = 0; k < 4; ++k)
        sum += read_imageh(in, clamped, 2 * p + (int2)(k & 1, k >> 1));
    write_imageh(out, p, sum * 0.25h);
}

/* Shrink by the mean that a sampler takes at a corner of four texels. */
kernel void next_level_linear(read_only image2d_t in, write_only image2d_t out, sampler_t s) {
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    write_imageh(out, p, read_imageh(in, s, convert_float2(2 * p + 1)));
}

kernel void to_bytes(read_only image2d_t in, write_only image2d_t out, half exposure) {
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    half4 c = read_imageh(in, p);
    write_imageh(out, p, (half4)(c.xyz * exposure, 1));
}

/* An image where others have a buffer. */
kernel void gather_labels(read_only image2d_t labels, global int *counts) {
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    int label = read_imagei(labels, p).x;
    bool is_edge = false;
    for (int k = 0; k < 4; ++k)
        is_edge |= read_imagei(labels, clamped, p + (int2)((k & 1) * (k - 2), (~k & 1) * (k - 1))).x != label;
    if (is_edge) atomic_inc(&counts[label]);
}
