/* The vocabulary (VOCABULARY.md) for 64-bit Arm: Advanced SIMD, which all of them have.
 *
 * The rounding mode is in FPCR, and the sticky flags of FPSR record all exceptions; underflow
 * where the result is tiny before rounding, as halfcl requires. So acc records nothing.
 *
 * Vectors are two registers: 8 halves fill one, and independent instructions hide each other's
 * latency. Comparisons with < and <= raise invalid for quiet NaNs, whereas minima and maxima
 * (FMINNM, FMAXNM), which prefer numbers, raise nothing. */
#ifndef HALFCL_SIMD_NEON_FLOATS_H
#define HALFCL_SIMD_NEON_FLOATS_H

#include <arm_neon.h>
#include <math.h>

#include "simd/define.h"

#define HAVE_FMA 1
#define HAVE_STATIC_ROUNDING 0
#define HAVE_EXPONENTS 0
#define HAVE_FIXES 0
#define HAVE_GATHER 0
#define HAVE_LOOKUP 0
#define HAVE_BIT_MASKS 0
#define HAVE_CHEAP_TINY 1 /* it does nothing here */
#define HAVE_UNDERFLOW 1

/* These operations have a better implementation here than in derived.h. */
#define vm_still_ordered vm_still_ordered
#define vf_reciprocal_estimate vf_reciprocal_estimate
#define vf_rsqrt_estimate vf_rsqrt_estimate
#define vf_gather vf_gather
#define vf_gather_halves vf_gather_halves
#define vf_gather_pairs vf_gather_pairs
#define vf_sums_of_lanes vf_sums_of_lanes

enum { LANES = 8, WORDS = 16 };

typedef uint16x8_t vh;
typedef struct {
    float32x4_t low, high;
} vf;
typedef struct {
    float64x2_t low, high;
} vd;
typedef vd vc;
typedef struct {
    int32x4_t low, high;
} vi;
typedef struct {
    uint32x4_t low, high; /* 0 or -1 */
} vm;
typedef struct {
    int16x8_t low, high;
} vw;
typedef struct {
    uint16x8_t low, high; /* 0 or -1 */
} wm;
typedef struct {
    unsigned flags; /* always 0 */
} acc;

/* Applies an instruction to both registers of its operands. */
#define BOTH(type, f, a) ((type){f((a).low), f((a).high)})
#define BOTH2(type, f, a, b) ((type){f((a).low, (b).low), f((a).high, (b).high)})
#define BOTH3(type, f, a, b, c)                                                                \
    ((type){f((a).low, (b).low, (c).low), f((a).high, (b).high, (c).high)})
#define TWICE(type, f, x) ((type){f(x), f(x)})

/* Called before slow functions, which are compiled for any processor. */
OP(void, leave_vectors, (void), (void)0)

/* Exceptions. */

OP(acc, acc_none, (void), (acc){0})
OP(unsigned, acc_flags, (acc seen), seen.flags)
OP(void, acc_tiny, (acc * seen, vf v), (void)seen, (void)v)

/* Halves in memory; missing elements read as 1. */

OP(vh, vh_load, (const uint16_t *p), vld1q_u16(p))
OP(void, vh_store, (uint16_t *p, vh v), vst1q_u16(p, v))

ALWAYS_INLINE vh vh_load_n(const uint16_t *p, size_t n)
{
    vh v = vdupq_n_u16(HALF_ONE);
    if (n >= 8)
        return vh_load(p);
    if (n & 4)
        v = vcombine_u16(vld1_u16(p), vget_low_u16(v));
    switch (n) {
    case 7:
        v = vld1q_lane_u16(p + 6, v, 6); /* fall through */
    case 6:
        v = vld1q_lane_u16(p + 5, v, 5); /* fall through */
    case 5:
        return vld1q_lane_u16(p + 4, v, 4);
    case 3:
        v = vld1q_lane_u16(p + 2, v, 2); /* fall through */
    case 2:
        v = vld1q_lane_u16(p + 1, v, 1); /* fall through */
    case 1:
        v = vld1q_lane_u16(p, v, 0);
    }
    return v;
}

ALWAYS_INLINE void vh_store_n(uint16_t *p, vh v, size_t n)
{
    if (n >= 8) {
        vh_store(p, v);
        return;
    }
    if (n & 4) {
        vst1_u16(p, vget_low_u16(v));
        v = vextq_u16(v, v, 4);
        p += 4;
    }
    if (n & 2) {
        vst1q_lane_u16(p, v, 0);
        vst1q_lane_u16(p + 1, v, 1);
        v = vextq_u16(v, v, 2);
        p += 2;
    }
    if (n & 1)
        vst1q_lane_u16(p, v, 0);
}

ALWAYS_INLINE vh vh_zero_nan(vh v)
{
    uint16x8_t magnitude = vandq_u16(v, vdupq_n_u16(HALF_MAGNITUDE));
    return vandq_u16(v, vcleq_u16(magnitude, vdupq_n_u16(HALF_INF)));
}

/* Floats. */

ALWAYS_INLINE float float_of_half(uint16_t half)
{
    __fp16 x;
    memcpy(&x, &half, sizeof x);
    return x;
}

ALWAYS_INLINE vf vf_widen(vh v)
{
    float16x8_t halves = vreinterpretq_f16_u16(v);
    return (vf){vcvt_f32_f16(vget_low_f16(halves)), vcvt_high_f32_f16(halves)};
}

ALWAYS_INLINE vh vf_narrow(vf v, halfcl_rounding mode, acc *seen)
{
    (void)mode, (void)seen;
    return vreinterpretq_u16_f16(vcvt_high_f16_f32(vcvt_f16_f32(v.low), v.high));
}

OP(vi, vi_set, (int32_t x), TWICE(vi, vdupq_n_s32, x))
OP(vf, vf_set, (float x), TWICE(vf, vdupq_n_f32, x))
OP(vi, vf_bits, (vf a), BOTH(vi, vreinterpretq_s32_f32, a))
OP(vf, vf_of_bits, (vi a), BOTH(vf, vreinterpretq_f32_s32, a))

OP(vf, vf_add, (vf a, vf b), BOTH2(vf, vaddq_f32, a, b))
OP(vf, vf_sub, (vf a, vf b), BOTH2(vf, vsubq_f32, a, b))
OP(vf, vf_mul, (vf a, vf b), BOTH2(vf, vmulq_f32, a, b))
OP(vf, vf_div, (vf a, vf b), BOTH2(vf, vdivq_f32, a, b))
OP(vf, vf_sqrt, (vf a), BOTH(vf, vsqrtq_f32, a))
OP(vf, vf_abs, (vf a), BOTH(vf, vabsq_f32, a))

OP(vm, signalling_less, (vf a, vf b), BOTH2(vm, vcltq_f32, a, b))
OP(vf, vf_select, (vm m, vf a, vf b), BOTH3(vf, vbslq_f32, m, a, b))
OP(vf, vf_min, (vf a, vf b), vf_select(signalling_less(a, b), a, b))
OP(vf, vf_max, (vf a, vf b), vf_select(signalling_less(b, a), a, b))

ALWAYS_INLINE vf vf_copysign(vf a, vf b)
{
    const vm sign = TWICE(vm, vdupq_n_u32, 0x80000000u);
    return vf_select(sign, b, a);
}

/* a * b + c and c - a * b, rounded once. */
OP(vf, vf_fma, (vf a, vf b, vf c), BOTH3(vf, vfmaq_f32, c, a, b))
OP(vf, vf_fnma, (vf a, vf b, vf c), BOTH3(vf, vfmsq_f32, c, a, b))

OP(vf, vf_rint, (vf a), BOTH(vf, vrndnq_f32, a))
OP(vf, vf_trunc, (vf a), BOTH(vf, vrndq_f32, a))
OP(vf, vf_ceil, (vf a), BOTH(vf, vrndpq_f32, a))
OP(vf, vf_floor, (vf a), BOTH(vf, vrndmq_f32, a))

/* Masks. */

OP(vm, vm_none, (void), TWICE(vm, vdupq_n_u32, 0))
OP(vm, vm_and, (vm a, vm b), BOTH2(vm, vandq_u32, a, b))
OP(vm, vm_and_not, (vm a, vm b), BOTH2(vm, vbicq_u32, a, b))
OP(vm, vm_or, (vm a, vm b), BOTH2(vm, vorrq_u32, a, b))
OP(vm, vm_xor, (vm a, vm b), BOTH2(vm, veorq_u32, a, b))
OP(vm, vm_not, (vm a), BOTH(vm, vmvnq_u32, a))
OP(uint16x8_t, narrow_mask, (vm a), vmovn_high_u32(vmovn_u32(a.low), a.high))

/* Narrows to 16 bits a lane, in a register of integers. */
ALWAYS_INLINE bool vm_any(vm a)
{
    uint16x4_t lanes = vmovn_u32(vorrq_u32(a.low, a.high));
    return vget_lane_u64(vreinterpret_u64_u16(lanes), 0) != 0;
}

ALWAYS_INLINE unsigned vm_bits(vm a)
{
    const uint16x8_t bits = {1, 2, 4, 8, 16, 32, 64, 128};
    return vaddvq_u16(vandq_u16(narrow_mask(a), bits));
}

OP(void, vm_put, (char *bits, size_t lane, vm a), (void)(bits[lane / 8] = (char)vm_bits(a)))

/* Comparisons. */

/* The greater one, or a NaN. */
OP(vf, greater_or_nan, (vf a, vf b), BOTH2(vf, vmaxq_f32, a, b))

OP(vm, vf_equal, (vf a, vf b), BOTH2(vm, vceqq_f32, a, b))
OP(vm, equals_itself, (vf a), vf_equal(a, a))
OP(vm, vf_unordered, (vf a, vf b), vm_not(equals_itself(greater_or_nan(a, b))))
OP(vm, vm_still_ordered, (vm lanes, vf a, vf b),
   vm_and(lanes, equals_itself(greater_or_nan(a, b))))

/* A NaN a becomes infinity, a NaN b minus infinity: a < b is false then. */
ALWAYS_INLINE vm vf_less(vf a, vf b)
{
    const vf inf = vf_set(INFINITY), minus_inf = vf_set(-INFINITY);
    return signalling_less(BOTH2(vf, vminnmq_f32, a, inf),
                           BOTH2(vf, vmaxnmq_f32, b, minus_inf));
}

OP(vm, vf_less_equal, (vf a, vf b), vm_or(vf_less(a, b), vf_equal(a, b)))

OP(vf, vf_zero_where, (vm m, vf a),
   vf_of_bits((vi){vbicq_s32(vf_bits(a).low, vreinterpretq_s32_u32(m.low)),
                   vbicq_s32(vf_bits(a).high, vreinterpretq_s32_u32(m.high))}))
OP(vm, vf_sign, (vf a), BOTH(vm, vcltzq_s32, vf_bits(a)))

/* The bits without the sign, shifted left by one. */
OP(uint32x4_t, doubled_bits, (float32x4_t a), vshlq_n_u32(vreinterpretq_u32_f32(a), 1))
OP(vm, doubled_above, (uint32x4_t low, uint32x4_t high, uint32_t x),
   (vm){vcgtq_u32(low, vdupq_n_u32(x)), vcgtq_u32(high, vdupq_n_u32(x))})

OP(vm, vf_special, (vf a),
   doubled_above(doubled_bits(a.low), doubled_bits(a.high), 2u * FLOAT_INF - 1))

/* Subtracting one puts 0 above all others. */
ALWAYS_INLINE vm vf_zero_or_special(vf a)
{
    const uint32x4_t one = vdupq_n_u32(1);
    return doubled_above(vsubq_u32(doubled_bits(a.low), one),
                         vsubq_u32(doubled_bits(a.high), one), 2u * FLOAT_INF - 2);
}

OP(vm, vh_equal, (vh a, vh b),
   (vm){vreinterpretq_u32_s32(vmovl_s16(vget_low_s16(vreinterpretq_s16_u16(vceqq_u16(a, b))))),
        vreinterpretq_u32_s32(vmovl_high_s16(vreinterpretq_s16_u16(vceqq_u16(a, b))))})
OP(vm, vh_has_none, (vh v, int bits),
   vh_equal(vandq_u16(v, vdupq_n_u16((uint16_t)bits)), vdupq_n_u16(0)))

/* Estimates. */

/* 1 / sqrt(a) with a relative error of 2^-14; infinity for 0. The instruction gives 8 bits, a
 * step of Newton's method twice as many. */
ALWAYS_INLINE vf vf_rsqrt_estimate(vf a)
{
    vf y = BOTH(vf, vrsqrteq_f32, a);
    return vf_mul(y, BOTH2(vf, vrsqrtsq_f32, vf_mul(a, y), y));
}

/* 1 / a with a relative error of 2^-11; infinity for 0, 0 for infinity. The instruction would
 * raise division by zero. */
ALWAYS_INLINE vf vf_reciprocal_estimate(vf a)
{
    vm zero = vf_equal(a, vf_set(0));
    vf divisor = vf_select(zero, vf_set(1), a);
    vf y = BOTH(vf, vrecpeq_f32, divisor);
    y = vf_mul(y, BOTH2(vf, vrecpsq_f32, divisor, y));
    return vf_select(zero, vf_copysign(vf_set(INFINITY), a), y);
}

/* Gathers lane by lane: the indices come from two registers of integers. */

ALWAYS_INLINE float32x4_t gather_four(const float *table, int32x4_t index)
{
    uint64_t first = vgetq_lane_u64(vreinterpretq_u64_s32(index), 0);
    uint64_t second = vgetq_lane_u64(vreinterpretq_u64_s32(index), 1);
    return (float32x4_t){
        shared_float(table + (int32_t)first), shared_float(table + (int32_t)(first >> 32)),
        shared_float(table + (int32_t)second), shared_float(table + (int32_t)(second >> 32))};
}

OP(vf, vf_gather, (const float *table, vi index),
   (vf){gather_four(table, index.low), gather_four(table, index.high)})

ALWAYS_INLINE float32x4_t gather_four_halves(const float *table, uint64_t halves)
{
    return (float32x4_t){
        shared_float(table + (halves & 0xffff)), shared_float(table + (halves >> 16 & 0xffff)),
        shared_float(table + (halves >> 32 & 0xffff)), shared_float(table + (halves >> 48))};
}

ALWAYS_INLINE vf vf_gather_halves(const float *table, vh v)
{
    uint64x2_t halves = vreinterpretq_u64_u16(v);
    return (vf){gather_four_halves(table, vgetq_lane_u64(halves, 0)),
                gather_four_halves(table, vgetq_lane_u64(halves, 1))};
}

ALWAYS_INLINE void gather_four_pairs(const float *table, uint64_t halves, float32x4_t *first,
                                     float32x4_t *second)
{
    float32x4_t low = vcombine_f32(vld1_f32(table + 2 * (halves & 0xffff)),
                                   vld1_f32(table + 2 * (halves >> 16 & 0xffff)));
    float32x4_t high = vcombine_f32(vld1_f32(table + 2 * (halves >> 32 & 0xffff)),
                                    vld1_f32(table + 2 * (halves >> 48)));
    *first = vuzp1q_f32(low, high);
    *second = vuzp2q_f32(low, high);
}

/* first: table[2 i], second: table[2 i + 1], where i is v without its sign. */
ALWAYS_INLINE void vf_gather_pairs(const float *table, vh v, vf *first, vf *second)
{
    uint64x2_t halves = vreinterpretq_u64_u16(vandq_u16(v, vdupq_n_u16(HALF_MAGNITUDE)));
    gather_four_pairs(table, vgetq_lane_u64(halves, 0), &first->low, &second->low);
    gather_four_pairs(table, vgetq_lane_u64(halves, 1), &first->high, &second->high);
}

ALWAYS_INLINE float32x4_t sums_of_four(const vf *rows)
{
    float32x4_t sums[4];
    EACH(k, 4) sums[k] = vaddq_f32(rows[k].low, rows[k].high);
    return vpaddq_f32(vpaddq_f32(sums[0], sums[1]), vpaddq_f32(sums[2], sums[3]));
}

/* Lane i is the sum of the lanes of rows[i], rounded at each of log2(LANES) additions. */
OP(vf, vf_sums_of_lanes, (const vf *rows), (vf){sums_of_four(rows), sums_of_four(rows + 4)})

/* Stores floats as they are, without quieting NaNs. */
ALWAYS_INLINE void vf_put(float *p, vf v)
{
    vst1q_f32(p, v.low);
    vst1q_f32(p + 4, v.high);
}

/* Doubles. */

OP(vd, vd_set, (double x), TWICE(vd, vdupq_n_f64, x))
OP(vd, double_of, (float32x4_t v), (vd){vcvt_f64_f32(vget_low_f32(v)), vcvt_high_f64_f32(v)})
OP(vd, vd_low, (vf v), double_of(v.low))
OP(vd, vd_high, (vf v), double_of(v.high))
OP(vd, vd_add, (vd a, vd b), BOTH2(vd, vaddq_f64, a, b))
OP(vd, vd_sub, (vd a, vd b), BOTH2(vd, vsubq_f64, a, b))
OP(vd, vd_mul, (vd a, vd b), BOTH2(vd, vmulq_f64, a, b))
#define vd_muladd vd_muladd
OP(vd, vd_muladd, (vd a, vd b, vd c), BOTH3(vd, vfmaq_f64, c, a, b))
OP(vd, vd_div, (vd a, vd b), BOTH2(vd, vdivq_f64, a, b))
OP(vd, vd_sqrt, (vd a), BOTH(vd, vsqrtq_f64, a))
OP(float64x2_t, less_of_two, (float64x2_t a, float64x2_t b), vbslq_f64(vcltq_f64(a, b), a, b))
OP(float64x2_t, greater_of_two, (float64x2_t a, float64x2_t b),
   vbslq_f64(vcgtq_f64(a, b), a, b))
OP(vd, vd_min, (vd a, vd b), BOTH2(vd, less_of_two, a, b))
OP(vd, vd_max, (vd a, vd b), BOTH2(vd, greater_of_two, a, b))
OP(vd, vd_trunc, (vd a), BOTH(vd, vrndq_f64, a))
OP(vd, vd_floor, (vd a), BOTH(vd, vrndmq_f64, a))

ALWAYS_INLINE vd vd_load(const void *p)
{
    vd v;
    memcpy(&v, p, sizeof v);
    return v;
}

OP(void, vd_store, (void *p, vd v), (void)memcpy(p, &v, sizeof v))

ALWAYS_INLINE void vd_store_q(int64_t *p, vd v)
{
    vst1q_s64(p, vcvtq_s64_f64(v.low));
    vst1q_s64(p + 2, vcvtq_s64_f64(v.high));
}

/* One instruction converts doubles to floats, rounded to odd. */
OP(float32x4_t, narrow_odd, (vd v), vcvtx_high_f32_f64(vcvtx_f32_f64(v.low), v.high))
OP(vf, vf_join_odd, (vd low, vd high), (vf){narrow_odd(low), narrow_odd(high)})

/* Colours. */

OP(vc, color_of, (int32x4_t v),
   (vc){vcvtq_f64_s64(vmovl_s32(vget_low_s32(v))), vcvtq_f64_s64(vmovl_high_s32(v))})
OP(int32x4_t, color_of_words, (int16x4_t v), vmovl_s16(v))
OP(int32x4_t, color_of_unsigned, (uint16x4_t v), vreinterpretq_s32_u32(vmovl_u16(v)))

ALWAYS_INLINE uint8x8_t load_four_bytes(const void *p)
{
    uint32_t bytes;
    memcpy(&bytes, p, sizeof bytes);
    return vcreate_u8(bytes);
}

OP(vc, vc_set, (double x), vd_set(x))
OP(vc, vc_load, (const void *p), vd_load(p))
OP(vc, vc_load_f, (const void *p), double_of(vld1q_f32(p)))
OP(vc, vc_load_e, (const void *p), double_of(vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p)))))
OP(vd, vd_load_e, (const uint16_t *p), vc_load_e(p))
OP(vc, vc_load_h, (const void *p), color_of(color_of_words(vld1_s16(p))))
OP(vc, vc_load_H, (const void *p), color_of(color_of_unsigned(vld1_u16(p))))
OP(vc, vc_load_b, (const void *p),
   color_of(color_of_words(vget_low_s16(vmovl_s8(vreinterpret_s8_u8(load_four_bytes(p)))))))
OP(vc, vc_load_B, (const void *p),
   color_of(color_of_unsigned(vget_low_u16(vmovl_u8(load_four_bytes(p))))))
OP(void, vc_store, (void *p, vc v), vd_store(p, v))
OP(vc, vc_add, (vc a, vc b), vd_add(a, b))
OP(vc, vc_sub, (vc a, vc b), vd_sub(a, b))
OP(vc, vc_muladd, (vc a, vc b, vc c), BOTH3(vc, vfmaq_f64, c, a, b))
OP(vc, vc_min, (vc a, vc b), vd_min(a, b))
OP(vc, vc_max, (vc a, vc b), vd_max(a, b))

/* 32-bit integers. */

OP(uint32x4_t, unsigned_of, (int32x4_t a), vreinterpretq_u32_s32(a))
OP(int32x4_t, signed_of, (uint32x4_t a), vreinterpretq_s32_u32(a))

OP(vi, vi_widen, (vh v),
   (vi){signed_of(vmovl_u16(vget_low_u16(v))), signed_of(vmovl_high_u16(v))})
OP(vi, vi_add, (vi a, vi b), BOTH2(vi, vaddq_s32, a, b))
OP(vi, vi_sub, (vi a, vi b), BOTH2(vi, vsubq_s32, a, b))
OP(vi, vi_and, (vi a, vi b), BOTH2(vi, vandq_s32, a, b))
OP(vi, vi_or, (vi a, vi b), BOTH2(vi, vorrq_s32, a, b))
OP(vi, vi_xor, (vi a, vi b), BOTH2(vi, veorq_s32, a, b))
OP(vi, vi_shift_left, (vi a, int count),
   (vi){signed_of(unsigned_of(a.low) << count), signed_of(unsigned_of(a.high) << count)})
OP(vi, vi_shift_right, (vi a, int count),
   (vi){a.low >> count, a.high >> count}) /* arithmetic */
OP(vm, vi_less, (vi a, vi b), BOTH2(vm, vcltq_s32, a, b))
OP(vm, vi_below, (vi a, vi b),
   (vm){vcltq_u32(unsigned_of(a.low), unsigned_of(b.low)),
        vcltq_u32(unsigned_of(a.high), unsigned_of(b.high))}) /* unsigned */
OP(vi, vi_min, (vi a, vi b), BOTH2(vi, vminq_s32, a, b))
OP(vi, vi_max, (vi a, vi b), BOTH2(vi, vmaxq_s32, a, b))
OP(vi, vi_highest, (vi a, vi b),
   (vi){signed_of(vmaxq_u32(unsigned_of(a.low), unsigned_of(b.low))),
        signed_of(vmaxq_u32(unsigned_of(a.high), unsigned_of(b.high)))}) /* unsigned */
OP(vm, vi_equal, (vi a, vi b), BOTH2(vm, vceqq_s32, a, b))
OP(vi, vi_select, (vm m, vi a, vi b), BOTH3(vi, vbslq_s32, m, a, b))
OP(vi, vi_abs, (vi a), BOTH(vi, vabsq_s32, a)) /* INT32_MIN stays */
OP(vm, vi_has, (vi a, int bits), BOTH2(vm, vtstq_s32, a, vi_set(bits)))
OP(vm, vi_has_none, (vi a, int bits), vm_not(vi_has(a, bits)))
OP(vf, vf_of_int, (vi a), BOTH(vf, vcvtq_f32_s32, a))

/* Rounds to integer in the mode. The conversion saturates; infinity and NaN give INT32_MIN. */
ALWAYS_INLINE vi vi_round(vf a, halfcl_rounding mode)
{
    (void)mode;
    vf whole = BOTH(vf, vrndiq_f32, a);
    return vi_select(vf_special(a), vi_set(INT32_MIN), BOTH(vi, vcvtq_s32_f32, whole));
}

#endif
