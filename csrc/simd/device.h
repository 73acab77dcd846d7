/* The vocabulary (VOCABULARY.md) of one lane, for devices that run one work-item per element.
 * tools/make_device.py extracts these operations from the kernels' headers and translates them
 * to OpenCL C and CUDA; compiled as C they are tested for every half.
 *
 * Devices have no rounding modes, and need none: each operation rounds to nearest, or as its
 * name or its mode argument says. There are no exceptions either: nothing raises. */
#ifndef HALFCL_SIMD_DEVICE_H
#define HALFCL_SIMD_DEVICE_H

#include "simd/define.h"
#include "simd/device_primitives.h"

#define HAVE_FMA 1
#define HAVE_STATIC_ROUNDING 1
#define HAVE_EXPONENTS 0
#define HAVE_FIXES 1
#define HAVE_GATHER 1
#define HAVE_LOOKUP 1
#define HAVE_BIT_MASKS 0
#define HAVE_CHEAP_TINY 1
#define HAVE_UNDERFLOW 1
#define HAVE_HALVES 0
#define HAVE_QUIET_HALVES 0
#define HAVE_HALF_DIVISION 0

enum { LANES = 1, WORDS = 1 };

typedef uint16_t vh;
typedef float vf;
typedef int32_t vi;
typedef bool vm;
typedef int16_t vw;
typedef bool wm;

/* 32-bit integers and truths. */
OP(vi, vi_set, (int32_t x), x)
OP(vi, vi_select, (vm m, vi a, vi b), m ? a : b)
OP(vi, vi_min, (vi a, vi b), a < b ? a : b)
OP(vi, vi_max, (vi a, vi b), a > b ? a : b)
OP(vm, vi_equal, (vi a, vi b), a == b)
OP(vi, vi_add, (vi a, vi b), (vi)((uint32_t)a + (uint32_t)b))
OP(vi, vi_sub, (vi a, vi b), (vi)((uint32_t)a - (uint32_t)b))
OP(vi, vi_and, (vi a, vi b), a &b)
OP(vi, vi_or, (vi a, vi b), a | b)
OP(vi, vi_xor, (vi a, vi b), a ^ b)
OP(vi, vi_shift_left, (vi a, int count), (vi)((uint32_t)a << count))
OP(vi, vi_shift_right, (vi a, int count), a >> count)
OP(vm, vi_less, (vi a, vi b), a < b)
OP(vm, vi_below, (vi a, vi b), (uint32_t)a < (uint32_t)b)
OP(vi, vi_highest, (vi a, vi b), (uint32_t)a > (uint32_t)b ? a : b)
OP(vm, vi_has_none, (vi a, int bits), (a & bits) == 0)
OP(vm, vi_has, (vi a, int bit), (a & bit) != 0)
OP(vm, vm_none, (void), false)
OP(vm, vm_and, (vm a, vm b), a &&b)
OP(vm, vm_and_not, (vm a, vm b), a && !b)
OP(vm, vm_or, (vm a, vm b), a || b)
OP(vm, vm_not, (vm a), !a)
OP(bool, vm_any, (vm a), a)

/* Floats as their bits. */
OP(vi, vf_bits, (vf a), (vi)bits_of_float(a))
OP(vf, vf_of_bits, (vi a), float_of_bits((uint32_t)a))
OP(vi, magnitude_bits, (vf a), vf_bits(a) & FLOAT_MAGNITUDE)
OP(vi, sign_bits, (vf a), vf_bits(a) & ~FLOAT_MAGNITUDE)
OP(vf, vf_set, (float x), x)
OP(vf, vf_abs, (vf a), vf_of_bits(magnitude_bits(a)))
OP(vf, vf_copysign, (vf a, vf b), vf_of_bits(magnitude_bits(a) | sign_bits(b)))
OP(vf, vf_select, (vm m, vf a, vf b), m ? a : b)
OP(vf, vf_zero_where, (vm m, vf a), m ? 0.0f : a)
OP(vm, vf_sign, (vf a), vf_bits(a) < 0)
OP(vm, vf_special, (vf a), magnitude_bits(a) >= FLOAT_INF)
OP(vm, vf_zero_or_special, (vf a), vf_special(a) || magnitude_bits(a) == 0)
OP(vm, vf_unordered, (vf a, vf b),
   magnitude_bits(a) > FLOAT_INF || magnitude_bits(b) > FLOAT_INF)
OP(vf, vf_of_int, (vi a), (float)a)

/* Floats, rounded to nearest. */
OP(vf, vf_add, (vf a, vf b), float_add(a, b))
OP(vf, vf_sub, (vf a, vf b), float_add(a, -b))
OP(vf, vf_mul, (vf a, vf b), float_mul(a, b))
OP(vf, vf_fma, (vf a, vf b, vf c), float_fma(a, b, c))
OP(vf, vf_fnma, (vf a, vf b, vf c), float_fma(-a, b, c))
OP(vf, vf_min, (vf a, vf b), a < b ? a : b)
OP(vf, vf_max, (vf a, vf b), a > b ? a : b)
OP(vm, vf_less, (vf a, vf b), a < b)
OP(vm, vf_less_equal, (vf a, vf b), a <= b)
OP(vm, vf_equal, (vf a, vf b), a == b)
OP(vf, vf_rint, (vf a), float_rint(a))
OP(vf, vf_trunc, (vf a), float_trunc(a))
OP(vf, vf_ceil, (vf a), float_ceil(a))
OP(vf, vf_floor, (vf a), float_floor(a))

OP(vf, vn_add, (vf a, vf b), float_add(a, b))
OP(vf, vn_sub, (vf a, vf b), float_add(a, -b))
OP(vf, vn_mul, (vf a, vf b), float_mul(a, b))
OP(vf, vn_fma, (vf a, vf b, vf c), float_fma(a, b, c))
OP(vf, vn_fnma, (vf a, vf b, vf c), float_fma(-a, b, c))
OP(vf, vn_fms, (vf a, vf b, vf c), float_fma(a, b, -c))
OP(vf, vn_min, (vf a, vf b), a < b ? a : b)
OP(vf, vn_max, (vf a, vf b), a > b ? a : b)
OP(vf, vn_least_abs, (vf a, vf b), vf_min(vf_abs(a), vf_abs(b)))
OP(vf, vn_within, (vf a, vf b), vf_copysign(vf_min(vf_abs(a), vf_abs(b)), a))
OP(vf, vn_mul_where, (vm m, vf a, vf b), m ? float_mul(a, b) : a)
OP(vf, vn_complement_where, (vm m, vf a, vf c), m ? float_add(c, -a) : a)

/* Results together with their rounding errors. */

/* Returns value rounded to odd, if rest is its error after rounding to nearest, or has the sign
 * of that error. */
ALWAYS_INLINE vf rounded_to_odd(vf value, vf rest)
{
    bool inexact = rest < 0 || rest > 0, beyond = (vf_bits(value) ^ vf_bits(rest)) < 0;
    return inexact ? vf_of_bits((vf_bits(value) - beyond) | 1) : value;
}

/* Returns a + b - sum, where sum is a + b to nearest. */
ALWAYS_INLINE vf rest_of_sum(vf a, vf b, vf sum)
{
    vf moved = vf_sub(sum, a);
    return vf_add(vf_sub(a, vf_sub(sum, moved)), vf_sub(b, moved));
}

/* Returns a b + c - sum, or a number of that sign, if |a b| <= |c| or c is 0, or the sum has
 * few bits: sum - c is exact then. */
ALWAYS_INLINE vf rest_of_fma(vf a, vf b, vf c, vf sum)
{
    return vf_fma(a, b, vf_sub(c, sum));
}

/* The directed sums of the kernels meet this condition. */
ALWAYS_INLINE vf vn_fma_up(vf a, vf b, vf c)
{
    vf sum = vf_fma(a, b, c);
    bool below = rest_of_fma(a, b, c, sum) > 0;
    return vf_of_bits(vf_bits(sum) + (sum < 0 ? -below : below));
}

ALWAYS_INLINE vf vn_fma_down(vf a, vf b, vf c)
{
    return -vn_fma_up(-a, b, -c);
}

ALWAYS_INLINE vf vn_fma_cut(vf a, vf b, vf c)
{
    vf sum = vf_fma(a, b, c), rest = rest_of_fma(a, b, c, sum);
    bool beyond = sum < 0 ? rest > 0 : rest < 0;
    return vf_of_bits(vf_bits(sum) - beyond);
}

OP(vf, vn_fnma_cut, (vf a, vf b, vf c), vn_fma_cut(-a, b, c))
OP(vf, vn_mul_cut, (vf a, vf b),
   vn_fma_cut(a, b, vf_copysign(0, vf_of_bits(vf_bits(a) ^ vf_bits(b)))))

#define vn_positive_fma_odd vn_positive_fma_odd
ALWAYS_INLINE vf vn_positive_fma_odd(vf a, vf b, vf c)
{
    vf sum = vf_fma(a, b, c);
    return rounded_to_odd(sum, rest_of_fma(a, b, c, sum));
}

/* The sum of halves, fit for one rounding to half: rounding to nearest is innocuous here (see
 * arithmetic.h). Zeros that cancel are negative in rtn. */
ALWAYS_INLINE vf sum_to_odd(vf a, vf b, halfcl_rounding mode)
{
    vf sum = vf_add(a, b);
    bool minus = mode == HALFCL_RTN && sum == 0 && (vf_sign(a) || vf_sign(b));
    return minus ? -0.0f : rounded_to_odd(sum, rest_of_sum(a, b, sum));
}

#define vf_load_double vf_load_double /* devices may have no doubles */
#define vf_sum vf_sum
#define vf_fma_odd vf_fma_odd
OP(vf, vf_sum, (vf a, vf b, halfcl_rounding mode),
   mode == HALFCL_RTE ? vf_add(a, b) : sum_to_odd(a, b, mode))
OP(vf, vf_difference, (vf a, vf b, halfcl_rounding mode), vf_sum(a, -b, mode))
OP(vf, vf_fma_odd, (vf a, vf b, vf c, halfcl_rounding mode), sum_to_odd(vf_mul(a, b), c, mode))

/* Estimates have the same bits on all devices. */

/* 1 / a within 2^-17: a first guess from the bits, and two steps of Newton's method. */
#define vf_reciprocal_estimate vf_reciprocal_estimate
ALWAYS_INLINE vf vf_reciprocal_estimate(vf a)
{
    vf x = vf_of_bits(0x7ef311c7 - magnitude_bits(a)), size = vf_abs(a);
    x = vf_mul(x, vf_fnma(size, x, vf_set(2)));
    x = vf_mul(x, vf_fnma(size, x, vf_set(2)));
    x = size == 0 ? INFINITY : size == INFINITY ? 0 : x;
    return vf_copysign(a != a ? a : x, a);
}

/* 1 / sqrt(a) of a > 0 within 2^-17. */
#define vf_rsqrt_estimate vf_rsqrt_estimate
ALWAYS_INLINE vf vf_rsqrt_estimate(vf a)
{
    vf x = vf_of_bits(vi_sub(0x5f375a86, vf_bits(a) >> 1)), half = vf_mul(a, vf_set(0.5f));
    x = vf_mul(x, vf_fnma(vf_mul(half, x), x, vf_set(1.5f)));
    x = vf_mul(x, vf_fnma(vf_mul(half, x), x, vf_set(1.5f)));
    return a == 0 ? INFINITY : x;
}

/* a / b if the estimate of 1 / b is finite and not 0. */
ALWAYS_INLINE vf quotient_by_estimate(vf a, vf b, vf estimate)
{
    vf inverse = vf_fma(estimate, vf_fnma(b, estimate, vf_set(1)), estimate);
    vf quotient = vf_mul(a, inverse);
    return vf_fma(vf_fnma(quotient, b, a), inverse, quotient);
}

/* The quotient of halves and similar numbers, with a relative error of little more than 2^-24:
 * on the right side of every number at which half rounds (arithmetic.h). Zeros, infinities and
 * NaNs are those of a times the estimate. */
ALWAYS_INLINE vf vf_div(vf a, vf b)
{
    vf estimate = vf_reciprocal_estimate(b);
    bool plain = vf_zero_or_special(a) || vf_zero_or_special(b);
    return plain ? vf_mul(a, estimate) : quotient_by_estimate(a, b, estimate);
}

OP(vf, vn_div, (vf a, vf b), vf_div(a, b))
OP(vf, vn_quotient, (vf a, vf b), vf_div(a, b))
OP(vf, vn_inverse_where, (vm m, vf a), m ? vf_div(1, a) : a)

/* A third of the bits, in integers of 16 bits, to which the constants are tuned. */
#define vf_rcbrt_estimate vf_rcbrt_estimate
ALWAYS_INLINE vf vf_rcbrt_estimate(vf a)
{
    uint32_t bits = bits_of_float(a), third = 0x5555;
    uint32_t high = (bits >> 16) * third & 0xffff0000, low = (bits & 0xffff) * third >> 16;
    return float_of_bits(0x54a14000 - (high | low));
}

/* An estimate and a step of Heron's method. */
ALWAYS_INLINE vf vn_root_where(vm m, vf y, vf a)
{
    vf inverse = vf_rsqrt_estimate(y), root = vf_mul(y, inverse);
    root = vf_fma(vf_mul(inverse, vf_set(0.5f)), vf_fnma(root, root, y), root);
    return m ? root : a;
}

OP(vf, vf_sqrt, (vf a), vn_root_where(true, a, a))

/* Exponents. */

/* For normal a > 0; vn_significand of other numbers is NaN. */
#define vf_exponent vf_exponent
ALWAYS_INLINE vf vf_exponent(vf a)
{
    return vf_of_int((vf_bits(a) >> 23) - 127);
}

#define vf_significand vf_significand
ALWAYS_INLINE vf vf_significand(vf a)
{
    return vf_of_bits((vf_bits(a) & 0x007fffff) | 0x3f800000);
}

/* For |b| < 100 or a NaN: adds b to a float so large that the integer is in its last bits, and
 * shifts these to the exponent. */
#define vf_scale vf_scale
ALWAYS_INLINE vf vf_scale(vf a, vf b)
{
    vi shifted = vf_bits(vf_add(vf_floor(b), 0x1.8p23f));
    vf scaled = vf_of_bits((vi)(bits_of_float(a) + ((uint32_t)shifted << 23)));
    return vf_fma(b, 0, scaled);
}

OP(vf, vn_exponent, (vf a), vf_exponent(a))
OP(vf, vn_significand, (vf a), bits_of_float(a) - 1 >= FLOAT_INF - 1 ? NAN : vf_significand(a))

/* For any b: finite results stay within 2^100, on the right side of half's range and inside
 * float's. */
ALWAYS_INLINE vf vn_scale(vf a, vf b)
{
    vf scaled = vf_scale(a, b > 99 ? 99 : b < -99 ? -99 : b);
    return vf_special(b) && b == b ? vf_max(b, 0) : scaled;
}

/* Tables. */
OP(vf, vf_gather, (const float *table, vi index), table[index])
OP(vf, vf_look_up16, (const float *table, vi index), table[index & 15])
OP(vf, vf_look_up32, (const float *table, vi index), table[index & 31])

/* Conversion. */

/* Halves to floats: the bits of normal ones are shifted, subnormal ones are integers in units
 * of 2^-24. */
ALWAYS_INLINE vf vf_widen(vh v)
{
    int32_t magnitude = v & HALF_MAGNITUDE;
    int32_t normal = (magnitude << FLOAT_CUT) + (magnitude >= HALF_INF ? 224 << 23 : 112 << 23);
    float subnormal = float_mul((float)magnitude, 0x1p-24f);
    int32_t bits = magnitude < HALF_MIN_NORMAL ? vf_bits(subnormal) : normal;
    return vf_of_bits(bits | (int32_t)((uint32_t)(v & HALF_SIGN) << 16));
}

/* Rounds a magnitude to a normal half or infinity: it adds the rounding increment below the
 * last place, and a carry into the exponent is right. Overflow gives infinity, or the largest
 * half in the modes that round toward it. */
ALWAYS_INLINE int32_t normal_half(int32_t magnitude, bool away, halfcl_rounding mode)
{
    bool nearest = mode == HALFCL_RTE;
    int32_t bump = nearest ? 0xfff + ((magnitude >> FLOAT_CUT) & 1) : away ? 0x1fff : 0;
    int32_t half_bits = (vi_add(magnitude, bump) >> FLOAT_CUT) - (112 << 10);
    int32_t most = nearest || away || magnitude >= FLOAT_INF ? HALF_INF : HALF_LARGEST;
    return half_bits < most ? half_bits : most;
}

/* Rounds a magnitude below 2^-14: the sum with 1/2, whose last place is that of subnormal
 * halves, rounds to nearest; in other modes its error says whether to correct it. */
ALWAYS_INLINE int32_t subnormal_half(vf size, bool away, halfcl_rounding mode)
{
    vf sum = vf_add(size, 0.5f), rest = vf_sub(size, vf_sub(sum, 0.5f));
    int32_t units = vf_bits(sum) - 0x3f000000;
    return mode == HALFCL_RTE ? units : away ? units + (rest > 0) : units - (rest < 0);
}

/* Returns nearest, a half rounded to nearest, corrected for the mode: itself, or its neighbour
 * if it lies below or above the exact value. In rtz is_above compares magnitudes. */
ALWAYS_INLINE vh half_beside(vh nearest, bool is_below, bool is_above, halfcl_rounding mode)
{
    int32_t up = (vw)nearest < 0 ? -1 : 1; /* in the bits */
    return (vh)(mode == HALFCL_RTP   ? nearest + (is_below ? up : 0)
                : mode == HALFCL_RTN ? nearest - (is_above ? up : 0)
                : mode == HALFCL_RTZ ? nearest - is_above
                                     : nearest);
}

/* Rounds a float to half. It is 0, or at least 2^-126. */
ALWAYS_INLINE vh rounded_half(vf v, halfcl_rounding mode)
{
    int32_t magnitude = magnitude_bits(v), sign = (int32_t)((uint32_t)sign_bits(v) >> 16);
    bool away = sign ? mode == HALFCL_RTN : mode == HALFCL_RTP;
    int32_t result = magnitude < FLOAT_HALF_MIN ? subnormal_half(vf_abs(v), away, mode)
                                                : normal_half(magnitude, away, mode);
    return magnitude > FLOAT_INF ? HALF_NAN : (vh)(result | sign);
}

/* Rounds to integer in the mode; infinities and NaNs give INT32_MIN. */
ALWAYS_INLINE vi vi_round(vf v, halfcl_rounding mode)
{
    vf whole = mode == HALFCL_RTE   ? vf_rint(v)
               : mode == HALFCL_RTZ ? vf_trunc(v)
               : mode == HALFCL_RTP ? vf_ceil(v)
                                    : vf_floor(v);
    return vf_special(v) ? INT32_MIN : (vi)whole;
}

/* 16-bit integers. */
OP(vw, vw_set, (int x), (vw)x)
OP(vw, vw_and, (vw a, vw b), (vw)(a & b))
OP(vw, vw_or, (vw a, vw b), (vw)(a | b))
OP(vw, vw_xor, (vw a, vw b), (vw)(a ^ b))
OP(vw, vw_add, (vw a, vw b), (vw)(a + b))
OP(vw, vw_sub, (vw a, vw b), (vw)(a - b))
OP(vw, vw_max, (vw a, vw b), a > b ? a : b)
OP(vw, vw_select, (wm m, vw a, vw b), m ? a : b)
OP(wm, vw_equal, (vw a, vw b), a == b)
OP(wm, vw_greater, (vw a, vw b), a > b)
OP(wm, vw_negative, (vw a), a < 0)
OP(wm, wm_and, (wm a, wm b), a &&b)
OP(wm, wm_or, (wm a, wm b), a || b)
OP(wm, wm_xor, (wm a, wm b), a != b)
OP(wm, wm_not, (wm a), !a)
OP(bool, wm_any, (wm a), a)

#endif
