#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable

/* On which side of the line from p to r does q lie? By the sign of a determinant. */
kernel void side(global const half2 *p, half2 q, half2 r, global half *out)
{
    size_t i = get_global_id(0);
    half2 a = q - p[i], b = r - p[i];
    out[i] = a.x * b.y - a.y * b.x;
}

/* The proven variant: operations that round down, and up, by the rounding mode of their text. */
#pragma OPENCL SELECT_ROUNDING_MODE rtn
half2 to_rtn(half2 from, half2 to) { return to - from; }
half mul_rtn(half x, half y) { return x * y; }
half sub_rtn(half x, half y) { return x - y; }
#pragma OPENCL SELECT_ROUNDING_MODE rtp
half2 to_rtp(half2 from, half2 to) { return to - from; }
half mul_rtp(half x, half y) { return x * y; }
half sub_rtp(half x, half y) { return x - y; }
#pragma OPENCL SELECT_ROUNDING_MODE rte

/* 1 or -1 where that is certain, else 0; all of q - p and r - p must be positive. */
kernel void proven_side(global const half2 *p, half2 q, half2 r, global half *out)
{
    size_t i = get_global_id(0);
    half2 a_low = to_rtn(p[i], q), a_high = to_rtp(p[i], q);
    half2 b_low = to_rtn(p[i], r), b_high = to_rtp(p[i], r);
    half low = sub_rtn(mul_rtn(a_low.x, b_low.y), mul_rtp(a_high.y, b_high.x));
    half high = sub_rtp(mul_rtp(a_high.x, b_high.y), mul_rtn(a_low.y, b_low.x));
    out[i] = low > 0 ? 1 : high < 0 ? -1 : 0;
}
