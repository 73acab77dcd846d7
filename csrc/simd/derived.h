/* Operations of the vocabulary made of other operations, for the sets that have no better
 * implementation. A set has a better one where it states the capability, or defines a macro
 * with the operation's name, as that name. */
#ifndef HALFCL_SIMD_DERIVED_H
#define HALFCL_SIMD_DERIVED_H

#include <math.h>

#include "format/fma.h"
#include "simd/vocabulary.h"

#if !defined HAVE_FMA || !defined HAVE_STATIC_ROUNDING || !defined HAVE_EXPONENTS ||           \
    !defined HAVE_FIXES || !defined HAVE_GATHER || !defined HAVE_LOOKUP ||                     \
    !defined HAVE_BIT_MASKS || !defined HAVE_CHEAP_TINY || !defined HAVE_UNDERFLOW ||          \
    !defined HAVE_HALVES || !defined HAVE_QUIET_HALVES || !defined HAVE_HALF_DIVISION
#error "A set states each capability, as 0 or 1: see VOCABULARY.md."
#endif

/* Masks. */

#if HAVE_BIT_MASKS
OP(vm, vm_none, (void), 0)
OP(vm, vm_and, (vm a, vm b), (vm)(a & b))
OP(vm, vm_and_not, (vm a, vm b), (vm)(a & ~b))
OP(vm, vm_or, (vm a, vm b), (vm)(a | b))
OP(vm, vm_xor, (vm a, vm b), (vm)(a ^ b))
OP(vm, vm_not, (vm a), (vm)~a)
OP(bool, vm_any, (vm a), a != 0)
OP(unsigned, vm_bits, (vm a), a)
OP(void, vm_put, (char *bits, size_t lane, vm a), (void)memcpy(bits + lane / 8, &a, sizeof a))
OP(wm, wm_and, (wm a, wm b), (wm)(a & b))
OP(wm, wm_or, (wm a, wm b), (wm)(a | b))
OP(wm, wm_xor, (wm a, wm b), (wm)(a ^ b))
OP(wm, wm_not, (wm a), (wm)~a)
OP(bool, wm_any, (wm a), a != 0)
OP(unsigned, wm_bits, (wm a), a)
#endif

/* Vectors rarely give halves that are +-2^-14, and only those need a check. */
ALWAYS_INLINE void acc_tiny_pair(acc *seen, vf first, vf second, vh low, vh high)
{
    vw magnitudes = vw_and(vh_join(low, high), vw_set(HALF_MAGNITUDE));
    if (!HAVE_CHEAP_TINY && !wm_any(vw_equal(magnitudes, vw_set(HALF_MIN_NORMAL))))
        return;
    acc_tiny(seen, first);
    acc_tiny(seen, second);
}

/* Halves. */

#ifndef vh_set
ALWAYS_INLINE vh vh_set(uint16_t half)
{
    uint16_t halves[LANES];
    EACH(k, LANES) halves[k] = half;
    return vh_load(halves);
}

ALWAYS_INLINE uint16_t vh_first(vh v)
{
    uint16_t halves[LANES];
    vh_store(halves, v);
    return halves[0];
}

ALWAYS_INLINE uint16_t vw_first(vw v)
{
    uint16_t words[WORDS];
    vw_store(words, v);
    return words[0];
}
#endif

#ifndef vh_transpose
typedef uint16_t eight_halves __attribute__((vector_size(16)));

/* Zips the first halves of both, in turn, and the last ones. */
#if defined __clang__ || __GNUC__ >= 12
#define ZIP_FIRST(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define ZIP_LAST(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#else
#define ZIP_FIRST(a, b) __builtin_shuffle(a, b, (eight_halves){0, 8, 1, 9, 2, 10, 3, 11})
#define ZIP_LAST(a, b) __builtin_shuffle(a, b, (eight_halves){4, 12, 5, 13, 6, 14, 7, 15})
#endif

/* Zips three times, each row with the one four further: rows become columns. */
ALWAYS_INLINE void vh_transpose(void *to, ptrdiff_t to_step, const void *from,
                                ptrdiff_t from_step)
{
    eight_halves rows[8], zipped[8];
    EACH(k, 8) memcpy(&rows[k], (const char *)from + k * from_step, sizeof *rows);
    EACH(turn, 3)
    {
        EACH(k, 4) zipped[2 * k] = ZIP_FIRST(rows[k], rows[k + 4]);
        EACH(k, 4) zipped[2 * k + 1] = ZIP_LAST(rows[k], rows[k + 4]);
        memcpy(rows, zipped, sizeof rows);
    }
    EACH(k, 8) memcpy((char *)to + k * to_step, &rows[k], sizeof *rows);
}
#endif

/* 16-bit integers. */

#ifndef vw_ordered
OP(vw, vw_ordered, (vw a, int offset),
   vw_select(vw_negative(a), vw_sub(vw_set(HALF_SIGN + offset), a), vw_add(a, vw_set(offset))))
#endif

#if !HAVE_BIT_MASKS && !defined wm_bits
/* Eight bytes, each 0 or 1, times this constant have their bits in the top byte. */
ALWAYS_INLINE unsigned wm_bits(wm a)
{
    uint8_t bytes[WORDS];
    unsigned bits = 0;
    wm_store(bytes, a);
    for (unsigned k = 0; k < WORDS; k += 8) {
        uint64_t eight;
        memcpy(&eight, bytes + k, sizeof eight);
        bits |= (unsigned)(eight * UINT64_C(0x0102040810204080) >> 56) << k;
    }
    return bits;
}
#endif

#ifndef wm_store_pair
ALWAYS_INLINE void wm_store_pair(uint8_t *p, wm low, wm high)
{
    wm_store(p, low);
    wm_store(p + WORDS, high);
}
#endif

/* NaNs. */

/* Returns those lanes, among some, where neither is a NaN. */
#ifndef vm_still_ordered
OP(vm, vm_still_ordered, (vm lanes, vf a, vf b), vm_and_not(lanes, vf_unordered(a, b)))
#endif

#ifndef canonical_nan
OP(vf, canonical_nan, (vf v), vf_select(vf_unordered(v, v), vf_set(NAN), v))
#endif

/* Replaces NaNs by the canonical one before vf_narrow. They are rare, so this mostly costs a
 * comparison and a branch. */
ALWAYS_INLINE void canonical_nans(vf *first, vf *second)
{
    if (__builtin_expect(vm_any(vf_unordered(*first, *second)), 0)) {
        *first = canonical_nan(*first);
        *second = canonical_nan(*second);
    }
}

/* Floats. */

#ifndef vh_exact
ALWAYS_INLINE vh vh_exact(vf v)
{
    acc none = acc_none();
    return vf_narrow(v, HALFCL_RTE, &none);
}
#endif

#ifndef vm_first
ALWAYS_INLINE vm vm_first(size_t n)
{
    float places[LANES];
    EACH(k, LANES) places[k] = (float)k;
    return vf_less(vf_load(places), vf_set((float)n));
}
#endif

#ifndef vf_narrow_where
ALWAYS_INLINE void vf_narrow_where(uint16_t *p, vm m, vf v, halfcl_rounding mode, acc *seen)
{
    uint16_t halves[LANES];
    vh_store(halves, vf_narrow(vf_select(m, v, vf_set(1)), mode, seen));
    for (unsigned lanes = vm_bits(m); lanes; lanes &= lanes - 1)
        p[__builtin_ctz(lanes)] = halves[__builtin_ctz(lanes)];
}
#endif

#ifndef vf_zero
OP(vm, vf_zero, (vf a), vf_equal(a, vf_set(0)))
#endif

#ifndef vf_flipped
OP(vf, vf_flipped, (vf a, vi sign),
   vf_of_bits(vi_xor(vf_bits(a), vi_and(sign, vi_set(INT32_MIN)))))
#endif

#ifndef vf_above_trunc
ALWAYS_INLINE vf infinity_to_zero(vf a)
{
    return vf_zero_where(vf_equal(vf_abs(a), vf_set(INFINITY)), a);
}

ALWAYS_INLINE vf vf_above_trunc(vf a)
{
    vf finite = infinity_to_zero(a);
    return vf_sub(finite, vf_trunc(finite));
}

ALWAYS_INLINE vf vf_above_floor(vf a)
{
    vf finite = infinity_to_zero(a);
    return vf_sub(finite, vf_floor(finite));
}

ALWAYS_INLINE vf vn_off_integer(vf a)
{
    vf finite = infinity_to_zero(a);
    return vf_sub(finite, vf_rint(finite));
}
#endif

#if !HAVE_FMA
/* Computes lane by lane. */
ALWAYS_INLINE vf vf_fma(vf a, vf b, vf c)
{
    float x[LANES], y[LANES], z[LANES];
    vf_put(x, a);
    vf_put(y, b);
    vf_put(z, c);
    EACH(k, LANES) z[k] = halfcl_fmaf(x[k], y[k], z[k]);
    return vf_load(z);
}

ALWAYS_INLINE vf vf_fnma(vf a, vf b, vf c)
{
    return vf_fma(vf_flipped(a, vi_set(INT32_MIN)), b, c);
}
#endif

OP(vf, vf_muladd, (vf a, vf b, vf c), HAVE_FMA ? vf_fma(a, b, c) : vf_add(vf_mul(a, b), c))
OP(vf, vf_nmuladd, (vf a, vf b, vf c), HAVE_FMA ? vf_fnma(a, b, c) : vf_sub(c, vf_mul(a, b)))

#ifndef vd_muladd
OP(vd, vd_muladd, (vd a, vd b, vd c), vd_add(vd_mul(a, b), c))
#endif

#ifndef vf_add_where
OP(vf, vf_add_where, (vm m, vf a, vf b), vf_add(a, vf_zero_where(vm_not(m), b)))
OP(vf, vf_muladd_where, (vm m, vf a, vf b),
   vf_muladd(vf_zero_where(vm_not(m), b), vf_set(1), a))
#endif

#ifndef vf_reciprocal_estimate
ALWAYS_INLINE vf vf_reciprocal_estimate(vf a)
{
    vm zero = vf_zero(a);
    vf inverse = vf_div(vf_set(1), vf_select(zero, vf_set(1), a));
    return vf_select(zero, vf_copysign(vf_set(INFINITY), a), inverse);
}
#endif

#ifndef vf_rsqrt_estimate
OP(vf, vf_rsqrt_estimate, (vf a), vf_div(vf_set(1), vf_sqrt(a)))
#endif

#ifndef vf_rcbrt_estimate
/* A third of the exponent and fraction, computed as 1/4 (1 + 1/4) (1 + 1/16) (1 + 1/256). */
ALWAYS_INLINE vf vf_rcbrt_estimate(vf a)
{
    vi third = vi_shift_right(vf_bits(a), 2);
    third = vi_add(third, vi_shift_right(third, 2));
    third = vi_add(third, vi_shift_right(third, 4));
    third = vi_add(third, vi_shift_right(third, 8));
    return vf_of_bits(vi_sub(vi_set(0x54a14000), third));
}
#endif

#ifndef vf_sums_of_lanes
ALWAYS_INLINE vf vf_sums_of_lanes(const vf *rows)
{
    float sums[LANES];
    for (int i = 0; i < LANES; i++) {
        float at[LANES];
        vf_put(at, rows[i]);
        for (int width = LANES / 2; width > 0; width /= 2)
            EACH(k, width) at[k] += at[k + width];
        sums[i] = at[0];
    }
    return vf_load(sums);
}
#endif

#ifndef vc_sums_of_lanes
ALWAYS_INLINE vc vc_sums_of_lanes(vd a, vd b, vd c, vd d)
{
    const vd rows[] = {a, b, c, d};
    double sums[4];
    EACH(i, 4)
    {
        double at[LANES / 2];
        vd_store(at, rows[i]);
        for (int width = LANES / 4; width > 0; width /= 2)
            EACH(k, width) at[k] += at[k + width];
        sums[i] = at[0];
    }
    return vc_load(sums);
}
#endif

#ifndef vf_hard_cases
ALWAYS_INLINE vm vf_hard_cases(vf v, int slack, vm exact_case)
{
    vi moved = vi_add(vf_bits(v), vi_set(slack));
    return vm_and_not(vi_has_none(moved, 0x1000 - 2 * slack), exact_case);
}
#endif

#ifndef vf_clear
OP(vm, vf_clear, (vf v, int slack), vm_not(vf_hard_cases(v, slack, vm_none())))
OP(vm, vf_clear_above, (vf v, int units), vm_not(vi_has_none(vf_bits(v), 0x1000 - units)))
#endif

#ifndef vf_difference_inexact
/* A difference is inexact if subtracting the operand of larger magnitude from it (which is
 * exact) does not give the other one. */
ALWAYS_INLINE vm vf_difference_inexact(vf a, vf b)
{
    vf difference = vf_sub(a, b);
    vm special = vf_special(difference);
    vf finite = vf_zero_where(special, difference); /* inf - inf would raise invalid */
    vm exact = vm_and(vf_equal(vf_sub(a, finite), b), vf_equal(vf_add(finite, b), a));
    return vm_not(vm_or(exact, special));
}
#endif

#ifndef vf_ldexp
/* Beyond +-60 all products of halves are out of half's range, just as with +-60; and within it
 * they are floats. */
ALWAYS_INLINE vf vf_ldexp(vf a, vi n)
{
    vi clamped = vi_max(vi_min(n, vi_set(60)), vi_set(-60));
    return vf_mul(a, vf_of_bits(vi_shift_left(vi_add(clamped, vi_set(127)), 23)));
}
#endif

/* Fit for one rounding to half. */

#ifndef vf_load_double
/* vf_join_odd maps doubles beyond float's range to numbers beyond half's, on the same side. */
OP(vf, vf_load_double, (const void *p),
   vf_join_odd(vd_load(p), vd_load((const double *)p + LANES / 2)))
#endif

#ifndef vf_sum
/* Two roundings in one direction compose, and in rte 24 = 2 * 11 + 2 bits make the first one
 * innocuous. */
OP(vf, vf_sum, (vf a, vf b, halfcl_rounding mode), ((void)mode, vf_add(a, b)))
OP(vf, vf_difference, (vf a, vf b, halfcl_rounding mode), ((void)mode, vf_sub(a, b)))
#endif

#ifndef vf_fma_odd
/* The product is exact. The sum in double is exact or, if its bits span more than 53, c alone
 * plus or minus less than 2^-40 |c|: then the direction of the mode decides, and rte gives c,
 * the nearest half. */
static __attribute__((noinline)) vf fma_in_double(vf a, vf b, vf c)
{
    vf product = vf_mul(a, b);
    return vf_join_odd(vd_add(vd_low(product), vd_low(c)),
                       vd_add(vd_high(product), vd_high(c)));
}

/* a * b + c, fit for one rounding to half. Halves and their midpoints have at most 12 bits. A
 * float sum of more bits lies between two of them, and so does the exact sum, since rounding is
 * monotonic. So does a sum of 12 bits if it is exact: if subtracting the operand of larger
 * magnitude (which is exact) gives the other one. The remaining cases are rare. */
ALWAYS_INLINE vf vf_fma_odd(vf a, vf b, vf c, halfcl_rounding mode)
{
    (void)mode;
    vf sum = vf_fma(a, b, c);
    vm few_bits = vi_has_none(vf_bits(sum), 0xfff);
    if (vm_any(few_bits)) {
        vf product = vf_mul(a, b);
        vm special = vf_special(sum);
        vf finite = vf_zero_where(special, sum); /* inf - inf would raise invalid */
        vm exact =
            vm_and(vf_equal(vf_sub(finite, product), c), vf_equal(vf_sub(finite, c), product));
        if (vm_any(vm_and_not(few_bits, vm_or(exact, special))))
            return fma_in_double(a, b, c);
    }
    return sum;
}

/* vf_fma_odd where a is any float. The product is exact in double only; the sum there is exact
 * or, if its bits span more than 53, c plus or minus less than 2^-40 |c| as above, or beyond
 * half's range. */
ALWAYS_INLINE vf vf_fma_odd_of_float(vf a, vf b, vf c, halfcl_rounding mode)
{
    (void)mode;
    vf sum = vf_fma(a, b, c);
    vm few_bits = vi_has_none(vf_bits(sum), 0xfff);
    if (!vm_any(vm_and_not(few_bits, vf_special(sum))))
        return sum;
    return vf_join_odd(vd_add(vd_mul(vd_low(a), vd_low(b)), vd_low(c)),
                       vd_add(vd_mul(vd_high(a), vd_high(b)), vd_high(c)));
}
#endif

/* Tables. */

#if !HAVE_GATHER && !defined vf_gather
ALWAYS_INLINE vf vf_gather(const float *table, vi index)
{
    int32_t at[LANES];
    float values[LANES];
    vi_store_32(at, index);
    EACH(k, LANES) values[k] = shared_float(table + at[k]);
    return vf_load(values);
}
#endif

#ifndef vf_gather_halves
OP(vf, vf_gather_halves, (const float *table, vh v), vf_gather(table, vi_widen(v)))
#endif

#ifndef vf_gather_pairs
ALWAYS_INLINE void vf_gather_pairs(const float *table, vh v, vf *first, vf *second)
{
    vi even = vi_shift_left(vi_and(vi_widen(v), vi_set(HALF_MAGNITUDE)), 1);
    *first = vf_gather(table, even);
    *second = vf_gather(table + 1, even);
}
#endif

#if !HAVE_LOOKUP
OP(vf, vf_look_up16, (const float *table, vi index),
   vf_gather(table, vi_and(index, vi_set(15))))
OP(vf, vf_look_up32, (const float *table, vi index),
   vf_gather(table, vi_and(index, vi_set(31))))
#endif

/* Exponents. */

#if !HAVE_EXPONENTS
#ifndef vf_exponent
ALWAYS_INLINE vf vf_exponent(vf a)
{
    vi bits = vf_bits(a), biased = vi_shift_right(bits, 23);
    vm below = vi_less(bits, vi_set(1)); /* includes the bits of -0 and of 0 */
    vm above = vi_less(vi_set(FLOAT_INF - 1), bits);
    return vf_select(vm_or(below, above), vf_set(NAN), vf_of_int(vi_sub(biased, vi_set(127))));
}
#endif

#ifndef vf_significand
ALWAYS_INLINE vf vf_significand(vf a)
{
    vi fraction = vi_and(vf_bits(a), vi_set(0x007fffff));
    return vf_of_bits(vi_or(fraction, vf_bits(vf_set(1))));
}
#endif

#ifndef vf_scale
/* Scales in two steps, each within float's range. */
ALWAYS_INLINE vf vf_scale(vf a, vf b)
{
    b = vf_min(vf_max(b, vf_set(-252)), vf_set(252));
    vi power = vi_round(vf_floor(b), HALFCL_RTE), half = vi_shift_right(power, 1);
    vi rest = vi_sub(power, half), bias = vi_set(127);
    vf first = vf_of_bits(vi_shift_left(vi_add(half, bias), 23));
    vf second = vf_of_bits(vi_shift_left(vi_add(rest, bias), 23));
    return vf_mul(vf_mul(a, first), second);
}
#endif
#endif

/* Static rounding without an instruction for it: the environment must round to nearest, and
 * exceptions are whatever the steps raise. */

#if !HAVE_STATIC_ROUNDING
OP(vf, vn_add, (vf a, vf b), vf_add(a, b))
OP(vf, vn_sub, (vf a, vf b), vf_sub(a, b))
OP(vf, vn_mul, (vf a, vf b), vf_mul(a, b))
OP(vf, vn_div, (vf a, vf b), vf_div(a, b))
OP(vf, vn_fma, (vf a, vf b, vf c), vf_fma(a, b, c))
OP(vf, vn_fnma, (vf a, vf b, vf c), vf_fnma(a, b, c))
OP(vf, vn_fms, (vf a, vf b, vf c), vf_fma(a, b, vf_flipped(c, vi_set(INT32_MIN))))
OP(vf, vn_min, (vf a, vf b), vf_min(a, b))
OP(vf, vn_max, (vf a, vf b), vf_max(a, b))
OP(vf, vn_least_abs, (vf a, vf b), vf_min(vf_abs(a), vf_abs(b)))
OP(vf, vn_greatest_abs, (vf a, vf b), vf_max(vf_abs(a), vf_abs(b)))
OP(vf, vn_within, (vf a, vf b), vf_copysign(vf_min(vf_abs(a), vf_abs(b)), a))
OP(vf, vn_mul_where, (vm m, vf a, vf b), vf_select(m, vf_mul(a, b), a))
OP(vf, vn_inverse_where, (vm m, vf a), vf_select(m, vf_div(vf_set(1), a), a))
OP(vf, vn_quotient, (vf a, vf b), vf_div(a, b))
OP(vf, vn_root_where, (vm m, vf y, vf a), vf_select(m, vf_sqrt(y), a))
OP(vf, vn_complement_where, (vm m, vf a, vf c), vf_select(m, vf_sub(c, a), a))
OP(vf, vn_scale, (vf a, vf b), vf_scale(a, b))
OP(vf, vn_exponent, (vf a), vf_exponent(a))
OP(vf, vn_significand, (vf a), vf_significand(a))

/* Returns the sign of a * b + c - nearest, where nearest is the float nearest to the sum: the
 * product is exact in double, and so is the error of its sum with c. */
ALWAYS_INLINE int side_of_sum(float a, float b, float c, float nearest)
{
    double product = (double)a * b, sum = product + c, moved = sum - product;
    double lack = (product - (sum - moved)) + (c - moved);
    double above = sum == nearest ? lack : sum - nearest;
    return (above > 0) - (above < 0);
}

ALWAYS_INLINE float fma_to(float a, float b, float c, halfcl_rounding mode)
{
    float nearest = halfcl_fmaf(a, b, c);
    int side = side_of_sum(a, b, c, nearest);
    if (side < 0 && (mode == HALFCL_RTN || (mode == HALFCL_RTZ && nearest > 0)))
        return nextafterf(nearest, -INFINITY);
    if (side > 0 && (mode == HALFCL_RTP || (mode == HALFCL_RTZ && nearest < 0)))
        return nextafterf(nearest, INFINITY);
    bool cancels = side == 0 && nearest == 0 && (signbit(a) != signbit(b)) != !!signbit(c);
    return cancels ? (mode == HALFCL_RTN ? -0.0f : 0.0f) : nearest;
}

ALWAYS_INLINE vf fma_lanes_to(vf a, vf b, vf c, halfcl_rounding mode)
{
    float x[LANES], y[LANES], z[LANES];
    vf_put(x, a);
    vf_put(y, b);
    vf_put(z, c);
    EACH(k, LANES) z[k] = fma_to(x[k], y[k], z[k], mode);
    return vf_load(z);
}

OP(vf, vn_fma_up, (vf a, vf b, vf c), fma_lanes_to(a, b, c, HALFCL_RTP))
OP(vf, vn_fma_down, (vf a, vf b, vf c), fma_lanes_to(a, b, c, HALFCL_RTN))
OP(vf, vn_fma_cut, (vf a, vf b, vf c), fma_lanes_to(a, b, c, HALFCL_RTZ))
OP(vf, vn_fnma_cut, (vf a, vf b, vf c), vn_fma_cut(vf_flipped(a, vi_set(INT32_MIN)), b, c))
OP(vf, vn_mul_cut, (vf a, vf b),
   vn_fma_cut(a, b, vf_copysign(vf_set(0), vf_of_bits(vi_xor(vf_bits(a), vf_bits(b))))))
#endif

#ifndef vn_near_inverse_where
/* An estimate and a step of Newton's method. */
ALWAYS_INLINE vf vn_near_inverse_where(vm m, vf a)
{
    vf estimate = vf_reciprocal_estimate(a), rest = vn_fnma(a, estimate, vf_set(1));
    return vf_select(m, vn_fma(estimate, rest, estimate), a);
}
#endif

#ifndef vn_least_abs_where
OP(vf, vn_least_abs_where, (vm m, vf a, vf b), vf_select(m, vn_least_abs(b, a), a))
#endif

#ifndef vn_positive_fma_odd
/* If the results rounded down and up differ, they are neighbours, and the lower one gets its
 * last bit set. */
ALWAYS_INLINE vf vn_positive_fma_odd(vf a, vf b, vf c)
{
    vi down = vf_bits(vn_fma_down(a, b, c)), up = vf_bits(vn_fma_up(a, b, c));
    return vf_of_bits(vi_or(down, vi_and(vi_xor(down, up), vi_set(1))));
}
#endif

#endif
