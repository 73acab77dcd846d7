/* The vector vocabulary in plain C: loops over short arrays, which compilers
 * vectorise for whatever the processor has.
 *
 * Right whatever the dynamic rounding mode is, so long as it is the kernel's mode
 * or to nearest: what rounding matters is done in integers or to odd. NaN operands
 * are never compared with <, which would raise invalid.
 *
 *   vh  LANES halves          vf  LANES floats       vd  LANES / 2 doubles
 *   vi  LANES int32           vm  LANES truths
 *   vw  WORDS 16-bit integers wm  WORDS truths
 *   acc the exceptions seen by a loop and not by the hardware */
#include <math.h>

#include "../half.h"

enum { LANES = 8, WORDS = 16 };

typedef struct {
    uint16_t at[LANES];
} vh;
typedef struct {
    float at[LANES];
} vf;
typedef struct {
    double at[LANES / 2];
} vd;
typedef struct {
    int32_t at[LANES];
} vi;
typedef struct {
    int32_t at[LANES]; /* 0 or -1 */
} vm;
typedef struct {
    int16_t at[WORDS];
} vw;
typedef struct {
    int16_t at[WORDS]; /* 0 or -1 */
} wm;
typedef struct {
    uint32_t at[LANES]; /* HALFCL_* */
} acc;

#define EACH(k, count) for (int k = 0; k < (count); ++k)
#define LANEWISE(type, name, params, count, expression)                                        \
    ALWAYS_INLINE type name params                                                             \
    {                                                                                          \
        type r;                                                                                \
        EACH(k, count) r.at[k] = (expression);                                                 \
        return r;                                                                              \
    }

/* Exceptions. */

LANEWISE(acc, acc_none, (void), LANES, 0)

ALWAYS_INLINE unsigned acc_flags(acc seen)
{
    unsigned flags = 0;
    EACH(k, LANES) flags |= seen.at[k];
    return flags;
}

/* vf_narrow sees all underflows by itself. */
ALWAYS_INLINE void acc_tiny(acc *seen, vf v)
{
    (void)seen, (void)v;
}

/* Halves in memory; what is missing reads as 1. */

ALWAYS_INLINE vh vh_load(const uint16_t *p)
{
    vh v;
    memcpy(&v, p, sizeof v);
    return v;
}

ALWAYS_INLINE vh vh_load_n(const uint16_t *p, size_t n)
{
    vh v;
    EACH(k, LANES) v.at[k] = (size_t)k < n ? p[k] : HALF_ONE;
    return v;
}

ALWAYS_INLINE void vh_store(uint16_t *p, vh v)
{
    memcpy(p, &v, sizeof v);
}

ALWAYS_INLINE void vh_store_n(uint16_t *p, vh v, size_t n)
{
    for (size_t k = 0; k < n && k < LANES; ++k)
        p[k] = v.at[k];
}

LANEWISE(vh, vh_zero_nan, (vh v), LANES, (v.at[k] & HALF_MAGNITUDE) > HALF_INF ? 0 : v.at[k])

/* Floats. */

LANEWISE(vf, vf_widen, (vh v), LANES, float_of_bits(half_widen(v.at[k])))

ALWAYS_INLINE vh vf_narrow(vf v, halfcl_rounding mode, acc *seen)
{
    vh r;
    EACH(k, LANES)
    r.at[k] = (uint16_t)half_narrow(bits_of_float(v.at[k]), mode, &seen->at[k]);
    return r;
}

LANEWISE(vf, vf_set, (float x), LANES, x)
LANEWISE(vf, vf_add, (vf a, vf b), LANES, a.at[k] + b.at[k])
LANEWISE(vf, vf_sub, (vf a, vf b), LANES, a.at[k] - b.at[k])
LANEWISE(vf, vf_mul, (vf a, vf b), LANES, a.at[k] * b.at[k])
LANEWISE(vf, vf_div, (vf a, vf b), LANES, a.at[k] / b.at[k])
LANEWISE(vf, vf_sqrt, (vf a), LANES, sqrtf(a.at[k]))
LANEWISE(vf, vf_abs, (vf a), LANES, float_of_bits(bits_of_float(a.at[k]) & FLOAT_MAGNITUDE))
LANEWISE(vf, vf_min, (vf a, vf b), LANES, a.at[k] < b.at[k] ? a.at[k] : b.at[k])
LANEWISE(vf, vf_max, (vf a, vf b), LANES, a.at[k] > b.at[k] ? a.at[k] : b.at[k])
LANEWISE(vf, vf_copysign, (vf a, vf b), LANES,
         float_of_bits((bits_of_float(a.at[k]) & FLOAT_MAGNITUDE) |
                       (bits_of_float(b.at[k]) & ~(uint32_t)FLOAT_MAGNITUDE)))

LANEWISE(vm, vf_less, (vf a, vf b), LANES, -(int32_t)isless(a.at[k], b.at[k]))
LANEWISE(vm, vf_equal, (vf a, vf b), LANES, -(int32_t)(a.at[k] == b.at[k]))
LANEWISE(vm, vf_special, (vf a), LANES,
         -(int32_t)((bits_of_float(a.at[k]) & FLOAT_INF) == FLOAT_INF))
LANEWISE(vf, vf_select, (vm m, vf a, vf b), LANES, m.at[k] ? a.at[k] : b.at[k])

LANEWISE(vm, vm_and, (vm a, vm b), LANES, a.at[k] & b.at[k])
LANEWISE(vm, vm_or, (vm a, vm b), LANES, a.at[k] | b.at[k])
LANEWISE(vm, vm_xor, (vm a, vm b), LANES, a.at[k] ^ b.at[k])
LANEWISE(vm, vm_not, (vm a), LANES, ~a.at[k])

ALWAYS_INLINE bool vm_any(vm m)
{
    int32_t any = 0;
    EACH(k, LANES) any |= m.at[k];
    return any != 0;
}

/* To an integral value, by a fixed mode. Only values below 2^23 need work, and
 * the work on them is exact. */
ALWAYS_INLINE float round_to_integral(float x, halfcl_rounding mode)
{
    uint32_t bits = bits_of_float(x), sign = bits & ~(uint32_t)FLOAT_MAGNITUDE;
    int32_t magnitude = bits & FLOAT_MAGNITUDE;
    bool small = magnitude < 0x4b000000;
    float y = float_of_bits(small ? magnitude : 0);
    int32_t whole = (int32_t)y;
    float rest = y - (float)whole;
    uint32_t nearest = mode == HALFCL_RTE, away = rounds_away(bits >> 31, mode);
    int32_t up = (nearest & ((rest > 0.5f) | ((rest == 0.5f) & whole))) | (away & (rest > 0));
    uint32_t rounded = bits_of_float((float)(whole + up)) | sign;
    return float_of_bits(small ? rounded : bits);
}

LANEWISE(vf, vf_rint, (vf a), LANES, round_to_integral(a.at[k], HALFCL_RTE))
LANEWISE(vf, vf_trunc, (vf a), LANES, round_to_integral(a.at[k], HALFCL_RTZ))
LANEWISE(vf, vf_ceil, (vf a), LANES, round_to_integral(a.at[k], HALFCL_RTP))
LANEWISE(vf, vf_floor, (vf a), LANES, round_to_integral(a.at[k], HALFCL_RTN))

/* Doubles. */

LANEWISE(vd, vd_set, (double x), LANES / 2, x)
LANEWISE(vd, vd_low, (vf v), LANES / 2, v.at[k])
LANEWISE(vd, vd_high, (vf v), LANES / 2, v.at[k + LANES / 2])
LANEWISE(vd, vd_add, (vd a, vd b), LANES / 2, a.at[k] + b.at[k])
LANEWISE(vd, vd_sub, (vd a, vd b), LANES / 2, a.at[k] - b.at[k])
LANEWISE(vd, vd_mul, (vd a, vd b), LANES / 2, a.at[k] * b.at[k])
LANEWISE(vd, vd_div, (vd a, vd b), LANES / 2, a.at[k] / b.at[k])
LANEWISE(vd, vd_trunc, (vd a), LANES / 2, trunc(a.at[k]))

ALWAYS_INLINE vd vd_load(const double *p)
{
    vd v;
    memcpy(&v, p, sizeof v);
    return v;
}

ALWAYS_INLINE void vd_store(double *p, vd v)
{
    memcpy(p, &v, sizeof v);
}

/* To float by rounding to odd: cut 29 bits and, if any was set, set the last that
 * stays. Magnitudes outside 2^+-100 first come to 2^+-100: still beyond half's range
 * on the same side, and inside float's. */
ALWAYS_INLINE float round_to_odd(double x)
{
    const uint64_t least = (uint64_t)(1023 - 100) << 52, most = (uint64_t)(1023 + 100) << 52;
    const uint64_t inf = (uint64_t)0x7ff << 52, cut = ((uint64_t)1 << 29) - 1;
    uint64_t bits = bits_of_double(x), magnitude = bits & ~((uint64_t)1 << 63);
    uint64_t sign = bits ^ magnitude;
    magnitude = magnitude > most && magnitude < inf ? most : magnitude;
    magnitude = magnitude < least && magnitude > 0 ? least : magnitude;
    magnitude = (magnitude | ((magnitude & cut) + cut)) & ~cut;
    return (float)double_of_bits(magnitude | sign);
}

ALWAYS_INLINE vf vf_join_odd(vd low, vd high)
{
    vf r;
    EACH(k, LANES / 2)
    {
        r.at[k] = round_to_odd(low.at[k]);
        r.at[k + LANES / 2] = round_to_odd(high.at[k]);
    }
    return r;
}

/* IEEE 754's sign of a sum that is exactly zero. */
ALWAYS_INLINE double signed_sum(double a, double b, halfcl_rounding mode)
{
    double sum = a + b;
    uint64_t signs = mode == HALFCL_RTN ? bits_of_double(a) | bits_of_double(b)
                                        : bits_of_double(a) & bits_of_double(b);
    double zero = double_of_bits(signs >> 63 << 63);
    return sum == 0 ? zero : sum;
}

/* a + b and a - b, fit for one rounding to half. Halves are multiples of 2^-24 below 2^16,
 * so these are exact in double. */
LANEWISE(vf, vf_sum, (vf a, vf b, halfcl_rounding mode), LANES,
         round_to_odd(signed_sum(a.at[k], b.at[k], mode)))

LANEWISE(vf, vf_difference, (vf a, vf b, halfcl_rounding mode), LANES,
         round_to_odd(signed_sum(a.at[k], -(double)b.at[k], mode)))

/* a * b + c, fit for one rounding to half. The product p is exact. Where |p| is
 * below 2^-25 |c| only its sign matters (c is a half), and 2^-25 |c| may stand for it;
 * then the sum needs 25 + 22 bits or so, and is exact in double too. */
ALWAYS_INLINE float fma_odd(double a, double b, double c, halfcl_rounding mode)
{
    double product = a * b, least = fabs(c) * 0x1p-25;
    bool negligible = isless(fabs(product), least) && product != 0 && isless(fabs(c), 0x1p17);
    return round_to_odd(signed_sum(negligible ? copysign(least, product) : product, c, mode));
}

LANEWISE(vf, vf_fma_odd, (vf a, vf b, vf c, halfcl_rounding mode), LANES,
         fma_odd(a.at[k], b.at[k], c.at[k], mode))

/* 32-bit integers. */

LANEWISE(vi, vi_set, (int32_t x), LANES, x)
LANEWISE(vi, vi_min, (vi a, vi b), LANES, a.at[k] < b.at[k] ? a.at[k] : b.at[k])
LANEWISE(vi, vi_max, (vi a, vi b), LANES, a.at[k] > b.at[k] ? a.at[k] : b.at[k])
LANEWISE(vm, vi_equal, (vi a, vi b), LANES, -(int32_t)(a.at[k] == b.at[k]))
LANEWISE(vi, vi_select, (vm m, vi a, vi b), LANES, m.at[k] ? a.at[k] : b.at[k])
LANEWISE(vf, vf_of_int, (vi a), LANES, (float)a.at[k])

/* To integer by the mode; infinity and NaN give INT32_MIN. */
ALWAYS_INLINE int32_t round_to_int(float x, halfcl_rounding mode)
{
    bool special = (bits_of_float(x) & FLOAT_INF) == FLOAT_INF;
    int32_t whole = (int32_t)round_to_integral(special ? 0 : x, mode);
    return special ? INT32_MIN : whole;
}

LANEWISE(vi, vi_round, (vf a, halfcl_rounding mode), LANES, round_to_int(a.at[k], mode))

/* Other formats in memory. Integers come clamped to +-2^18: beyond half's range, so
 * that nothing changes, and exact in float. */

#define CLAMPED(x) ((x) > 1 << 18 ? 1 << 18 : (x))
#define CLAMPED_BELOW(x) ((x) < -(1 << 18) ? -(1 << 18) : CLAMPED(x))
LANEWISE(vi, vi_load_b, (const int8_t *p), LANES, p[k])
LANEWISE(vi, vi_load_B, (const uint8_t *p), LANES, p[k])
LANEWISE(vi, vi_load_h, (const int16_t *p), LANES, p[k])
LANEWISE(vi, vi_load_H, (const uint16_t *p), LANES, p[k])
LANEWISE(vi, vi_load_i, (const int32_t *p), LANES, CLAMPED_BELOW(p[k]))
LANEWISE(vi, vi_load_I, (const uint32_t *p), LANES, (int32_t)CLAMPED(p[k]))
LANEWISE(vi, vi_load_q, (const int64_t *p), LANES, (int32_t)CLAMPED_BELOW(p[k]))
LANEWISE(vi, vi_load_Q, (const uint64_t *p), LANES, (int32_t)CLAMPED(p[k]))

ALWAYS_INLINE void vi_store_8(void *p, vi v)
{
    EACH(k, LANES)((uint8_t *)p)[k] = (uint8_t)v.at[k];
}

ALWAYS_INLINE void vi_store_16(void *p, vi v)
{
    EACH(k, LANES)((uint16_t *)p)[k] = (uint16_t)v.at[k];
}

ALWAYS_INLINE void vi_store_32(void *p, vi v)
{
    memcpy(p, &v, sizeof v);
}

/* Sign-extended; INT32_MIN becomes low and INT32_MAX becomes high. */
ALWAYS_INLINE void vi_store_64(void *p, vi v, int64_t low, int64_t high)
{
    EACH(k, LANES)((int64_t *)p)[k] = v.at[k] == INT32_MIN   ? low
                                      : v.at[k] == INT32_MAX ? high
                                                             : v.at[k];
}

ALWAYS_INLINE vf vf_load(const float *p)
{
    vf v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* Makes signalling NaNs, which vf_widen left alone, quiet. */
ALWAYS_INLINE void vf_store(float *p, vf v, acc *seen)
{
    EACH(k, LANES)
    {
        uint32_t bits = bits_of_float(v.at[k]);
        bool nan = (int32_t)(bits & FLOAT_MAGNITUDE) > FLOAT_INF;
        seen->at[k] |= nan & !(bits & FLOAT_QUIET) ? HALFCL_INVALID : 0;
        p[k] = float_of_bits(bits | (nan ? FLOAT_QUIET : 0));
    }
}

/* 16-bit integers, signed; what is missing in memory reads as the half 1. */

ALWAYS_INLINE vw vw_load(const void *p)
{
    vw v;
    memcpy(&v, p, sizeof v);
    return v;
}

ALWAYS_INLINE vw vw_load_n(const void *p, size_t n)
{
    vw v;
    EACH(k, WORDS) v.at[k] = (size_t)k < n ? ((const int16_t *)p)[k] : HALF_ONE;
    return v;
}

ALWAYS_INLINE void vw_store(void *p, vw v)
{
    memcpy(p, &v, sizeof v);
}

ALWAYS_INLINE void vw_store_n(void *p, vw v, size_t n)
{
    for (size_t k = 0; k < n && k < WORDS; ++k)
        ((int16_t *)p)[k] = v.at[k];
}

LANEWISE(vw, vw_set, (int x), WORDS, (int16_t)x)
LANEWISE(vw, vw_and, (vw a, vw b), WORDS, a.at[k] & b.at[k])
LANEWISE(vw, vw_or, (vw a, vw b), WORDS, a.at[k] | b.at[k])
LANEWISE(vw, vw_xor, (vw a, vw b), WORDS, a.at[k] ^ b.at[k])
LANEWISE(vw, vw_add, (vw a, vw b), WORDS, (int16_t)(a.at[k] + b.at[k]))
LANEWISE(vw, vw_sub, (vw a, vw b), WORDS, (int16_t)(a.at[k] - b.at[k]))
LANEWISE(wm, vw_equal, (vw a, vw b), WORDS, (int16_t)-(a.at[k] == b.at[k]))
LANEWISE(wm, vw_greater, (vw a, vw b), WORDS, (int16_t)-(a.at[k] > b.at[k]))
LANEWISE(wm, vw_negative, (vw a), WORDS, (int16_t)-(a.at[k] < 0))
LANEWISE(vw, vw_select, (wm m, vw a, vw b), WORDS, m.at[k] ? a.at[k] : b.at[k])

LANEWISE(wm, wm_and, (wm a, wm b), WORDS, a.at[k] & b.at[k])
LANEWISE(wm, wm_or, (wm a, wm b), WORDS, a.at[k] | b.at[k])
LANEWISE(wm, wm_xor, (wm a, wm b), WORDS, a.at[k] ^ b.at[k])
LANEWISE(wm, wm_not, (wm a), WORDS, (int16_t)~a.at[k])

ALWAYS_INLINE bool wm_any(wm m)
{
    int16_t any = 0;
    EACH(k, WORDS) any |= m.at[k];
    return any != 0;
}

/* Truths in memory are bytes, 0 or 1. */

ALWAYS_INLINE void wm_store(uint8_t *p, wm m)
{
    EACH(k, WORDS) p[k] = m.at[k] & 1;
}

ALWAYS_INLINE void wm_store_n(uint8_t *p, wm m, size_t n)
{
    for (size_t k = 0; k < n && k < WORDS; ++k)
        p[k] = m.at[k] & 1;
}
