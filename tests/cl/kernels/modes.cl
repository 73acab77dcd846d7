#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable
#pragma OPENCL FP_CONTRACT OFF

/* Each operation in both directions: an interval is (lower, upper). */
#pragma OPENCL SELECT_ROUNDING_MODE rtn
half add_rtn(half a, half b) { return a + b; }
half sub_rtn(half a, half b) { return a - b; }
half mul_rtn(half a, half b) { return a * b; }
half div_rtn(half a, half b) { return a / b; }
#pragma OPENCL SELECT_ROUNDING_MODE rtp
half add_rtp(half a, half b) { return a + b; }
half sub_rtp(half a, half b) { return a - b; }
half mul_rtp(half a, half b) { return a * b; }
half div_rtp(half a, half b) { return a / b; }
#pragma OPENCL SELECT_ROUNDING_MODE rte

half2 add(half2 a, half2 b) { return (half2)(add_rtn(a.x, b.x), add_rtp(a.y, b.y)); }
half2 sub(half2 a, half2 b) { return (half2)(sub_rtn(a.x, b.y), sub_rtp(a.y, b.x)); }

half2 mul(half2 a, half2 b) {
    half lower = fmin(fmin(mul_rtn(a.x, b.x), mul_rtn(a.x, b.y)),
                      fmin(mul_rtn(a.y, b.x), mul_rtn(a.y, b.y)));
    half upper = fmax(fmax(mul_rtp(a.x, b.x), mul_rtp(a.x, b.y)),
                      fmax(mul_rtp(a.y, b.x), mul_rtp(a.y, b.y)));
    return (half2)(lower, upper);
}

kernel void interval_sum(global const half2 *a, global const half2 *b, global half2 *out) {
    size_t i = get_global_id(0);
    out[i] = add(a[i], b[i]);
}

kernel void interval_horner(global const half2 *x, constant half *c, int n, global half2 *out) {
    size_t i = get_global_id(0);
    half2 sum = (half2)(c[n - 1]);
    for (int k = n - 2; k >= 0; --k) sum = add(mul(sum, x[i]), (half2)(c[k]));
    out[i] = sum;
}

/* Bounds of (a - b) / (a + b), of positive numbers. */
kernel void interval_quotient(global const half *a, global const half *b, global half2 *out) {
    size_t i = get_global_id(0);
    half2 d = sub((half2)(a[i]), (half2)(b[i])), s = add((half2)(a[i]), (half2)(b[i]));
    half lower = d.x < 0 ? div_rtn(d.x, s.x) : div_rtn(d.x, s.y);
    half upper = d.y < 0 ? div_rtp(d.y, s.y) : div_rtp(d.y, s.x);
    out[i] = (half2)(lower, upper);
}

/* Distances rounded toward zero find no neighbour too few. */
kernel void neighbours(global const half3 *points, half radius, global int *counts, int n) {
    size_t i = get_global_id(0);
    int count = 0;
    #pragma OPENCL SELECT_ROUNDING_MODE rtz
    for (int k = 0; k < n; ++k) {
        half3 d = points[k] - points[i];
        half squared = d.x * d.x + d.y * d.y + d.z * d.z;
        if (k != i && squared <= radius * radius) ++count;
    }
    counts[i] = count;
}

/* The radicand must not be negative, so it is rounded up. */
kernel void leg(global const half *hypotenuse, global const half *other, global half *out) {
    size_t i = get_global_id(0);
    half c = hypotenuse[i], a = other[i];
    #pragma OPENCL SELECT_ROUNDING_MODE rtp
    out[i] = sqrt((c - a) * (c + a));
}

/* Kahan: the same formula in all modes. The macro's name takes in the mode that holds. */
#define JOIN(a, b) a##_##b
#define OF_MODE(name, mode) JOIN(name, mode)
#define NAMED(name) OF_MODE(name, __ROUNDING_MODE__)
#define FORMULA half NAMED(area)(half a, half b, half c) { \
    half s = (a + b + c) / 2; \
    return s * (s - a) * (s - b) * (s - c); }

#pragma OPENCL SELECT_ROUNDING_MODE rte
FORMULA
#pragma OPENCL SELECT_ROUNDING_MODE rtz
FORMULA
#pragma OPENCL SELECT_ROUNDING_MODE rtp
FORMULA
#pragma OPENCL SELECT_ROUNDING_MODE rtn
FORMULA
#pragma OPENCL SELECT_ROUNDING_MODE rte

kernel void rerun(global const half4 *sides, global half4 *out) {
    size_t i = get_global_id(0);
    half a = sides[i].x, b = sides[i].y, c = sides[i].z;
    out[i] = (half4)(area_rte(a, b, c), area_rtz(a, b, c), area_rtp(a, b, c), area_rtn(a, b, c));
}

/* One sum in four modes, of which the worst spread of a group is kept in local memory. */
kernel void spread_of_sums(global const half *in, global half *out, int n) {
    local half sums[4];
    int l = get_local_id(0);
    half sum = 0;
    global const half *x = in + get_group_id(0) * n;
    if (l == 0) {
        #pragma OPENCL SELECT_ROUNDING_MODE rte
        for (int k = 0; k < n; ++k) sum += x[k];
    } else if (l == 1) {
        #pragma OPENCL SELECT_ROUNDING_MODE rtz
        for (int k = 0; k < n; ++k) sum += x[k];
    } else if (l == 2) {
        #pragma OPENCL SELECT_ROUNDING_MODE rtp
        for (int k = 0; k < n; ++k) sum += x[k];
    } else {
        #pragma OPENCL SELECT_ROUNDING_MODE rtn
        for (int k = 0; k < n; ++k) sum += x[k];
    }
    sums[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) out[get_group_id(0)] = fmax(fmax(sums[0], sums[1]), sums[2]) - sums[3];
}
