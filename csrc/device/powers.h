/* Powers, and logarithms of sums of powers, on devices: the fast phases of the kernels
 * (kernels/shared/phases.h), and the slow paths, which decide the remaining cases with
 * integers, one call each.
 *
 * Exact results are found with integers. Other powers x^y are 2^t, |t| < 32, with a relative
 * error of t within 2^-59, that is an absolute one of 2^-54, which is nearer than any number at
 * which half rounds: the least relative distances are 2^-44.7 for pow, 2^-32.5 for pown,
 * 2^-45.5 for compoundn, 2^-51.7 for rootn, there with |t| < 2^-10 (exact/doubledouble/power.c,
 * tools/check_pairs). None is too near to 1: |t| is 2^-42 or more, and keeps its sign. */
#ifndef HALFCL_DEVICE_POWERS_H
#define HALFCL_DEVICE_POWERS_H

#include "device/fixed_point.h"
#include "kernels/functions/exp_log.h"
#include "kernels/functions/power_fast.h"
#include "kernels/functions/power_integer.h"

/* odd * 2^exponent > 0. */
typedef struct {
    uint32_t odd;
    int exponent;
} dyadic;

/* Returns size * 2^exponent, where size has at most 32 bits from its first to its last. */
ALWAYS_INLINE dyadic dyadic_of(uint64_t size, int exponent)
{
    int zeros = 63 - leading_zeros(size & (0 - size));
    return (dyadic){(uint32_t)(size >> zeros), exponent + zeros};
}

/* Returns a half other than 0, given as a float. */
ALWAYS_INLINE dyadic dyadic_of_half(vf x)
{
    return dyadic_of((uint64_t)half_in_units(vf_abs(x)), -24);
}

/* +-p / q, in lowest terms. */
typedef struct {
    bool minus;
    uint32_t p, q;
} ratio_of_integers;

/* Returns a^n, or the first of the powers of a that is 2^12 or more. */
ALWAYS_INLINE uint32_t short_power_of(uint32_t a, uint32_t n)
{
    uint32_t power = 1;
    for (uint32_t k = 0; k < n && power < 1 << 12; ++k)
        power *= a;
    return power;
}

/* Returns the n-th root of an odd number if it is an integer less than 2^12; otherwise 0. */
ALWAYS_INLINE uint32_t exact_root(uint32_t odd, uint32_t n)
{
    uint32_t root = 1;
    while (n > 1 && short_power_of(root, n) < odd)
        root += 2;
    return n == 1 ? odd : short_power_of(root, n) == odd ? root : 0;
}

/* Returns x^y if that has at most 12 bits and lies from 2^-32 to below 2^32; otherwise 0.
 *
 * For y = p / q the number x must be a q-th power: its odd part and its exponent (as in the
 * kernels of double-double). An integer power remains; if it is negative, the odd part must be
 * 1. p and q are clamped to 64: exponents are below 64, and 3^8 has 13 bits. */
ALWAYS_INLINE vf exact_power(dyadic x, ratio_of_integers y)
{
    uint32_t p = y.p < 64 ? y.p : 64, q = y.q < 64 ? y.q : 64;
    uint32_t root = exact_root(x.odd, q);
    if (root == 0 || x.exponent % (int)q != 0 || (y.minus && root > 1))
        return 0;
    uint32_t power = short_power_of(root, p);
    if (power >= 1 << 12)
        return 0;
    int exponent = x.exponent / (int)q;
    exponent = exponent == 0 ? 0 : exponent * (y.minus ? -(int)y.p : (int)y.p);
    return float_of_extended(extended_of(power, exponent), false);
}

/* Returns x^y rounded to odd. 2^32 and 2^-32 are far beyond half's range. */
ALWAYS_INLINE vf power_by_integers(dyadic x, ratio_of_integers y)
{
    bool minus;
    if (x.odd == 1 && x.exponent == 0)
        return 1;
    extended t = extended_product(extended_log2(extended_of(x.odd, x.exponent), &minus),
                                  extended_of(y.p, 0));
    if (y.q > 1)
        t = extended_quotient(t, extended_of(y.q, 0));
    minus = minus != y.minus;
    if (t.exponent >= 5 - 63)
        return minus ? 0x1p-100f : 0x1p100f;
    vf exact = exact_power(x, y);
    return exact > 0 ? exact : float_of_extended(a_bit_more(extended_exp2(t, minus)), false);
}

/* Returns the power for x or y that is 0 or infinite; neither |x| = 1 nor y = 0. */
ALWAYS_INLINE vf limit_of_power(bool grows, bool positive)
{
    return grows == positive ? INFINITY : 0;
}

ALWAYS_INLINE bool is_zero_or_infinite(vf x)
{
    return vf_abs(x) == 0 || vf_abs(x) == INFINITY;
}

/* Exponents that are integers: n / 1, or 1 / n. */
ALWAYS_INLINE uint32_t size_of_integer(vi n)
{
    return n < 0 ? 0 - (uint32_t)n : (uint32_t)n;
}

/* Returns |x|^y, not for NaNs. */
ALWAYS_INLINE vf magnitude_of_power(vf x, vf y)
{
    vf size = vf_abs(x);
    if (y == 0 || size == 1)
        return 1;
    if (is_zero_or_infinite(x) || is_zero_or_infinite(y))
        return limit_of_power(size > 1, y > 0);
    dyadic steps = dyadic_of_half(y);
    bool whole = steps.exponent >= 0;
    uint32_t p = whole ? steps.odd << steps.exponent : steps.odd;
    uint32_t q = whole ? 1 : (uint32_t)1 << -steps.exponent;
    return power_by_integers(dyadic_of_half(x), (ratio_of_integers){y < 0, p, q});
}

NOINLINE vf decide_pow(vf x, vf y)
{
    if (y == 0 || x == 1)
        return 1;
    bool undefined = x < 0 && x > -INFINITY && !is_integral(y);
    if (vf_unordered(x, y) || undefined)
        return NAN;
    vf size = magnitude_of_power(x, y);
    return is_odd_integer(y) ? vf_copysign(size, x) : size;
}

NOINLINE vf decide_powr(vf x, vf y)
{
    bool undefined =
        x == 1 ? is_zero_or_infinite(y) && y != 0 : is_zero_or_infinite(x) && y == 0;
    return vf_unordered(x, y) || x < 0 || undefined ? NAN : magnitude_of_power(x, y);
}

NOINLINE vf decide_pown(vf x, vf second)
{
    vi n = vf_bits(second);
    if (n == 0 || x == 1)
        return 1;
    if (x != x)
        return NAN;
    vf size = is_zero_or_infinite(x)
                  ? limit_of_power(x != 0, n > 0)
                  : power_by_integers(dyadic_of_half(x),
                                      (ratio_of_integers){n < 0, size_of_integer(n), 1});
    return with_sign_of_power(size, x, n);
}

NOINLINE vf decide_rootn(vf x, vf second)
{
    vi n = vf_bits(second);
    if (x != x || n == 0 || (x < 0 && vi_has_none(n, 1)))
        return NAN;
    vf size = is_zero_or_infinite(x)
                  ? limit_of_power(x != 0, n > 0)
                  : power_by_integers(dyadic_of_half(x),
                                      (ratio_of_integers){n < 0, 1, size_of_integer(n)});
    return with_sign_of_power(size, x, n);
}

/* 1 + x has at most 25 bits. */
NOINLINE vf decide_compoundn(vf x, vf second)
{
    vi n = vf_bits(second);
    if (x < -1 || (x != x && n != 0))
        return NAN;
    if (n == 0)
        return 1;
    if (x == -1 || x == INFINITY)
        return limit_of_power(x > 0, n > 0);
    uint64_t sum = (uint64_t)(half_in_units(1) + half_in_units(x));
    return power_by_integers(dyadic_of(sum, -24),
                             (ratio_of_integers){n < 0, size_of_integer(n), 1});
}

/* Returns log2(1 + 2^-gap), or the natural logarithm of 1 + e^-gap, in units of 2^-62; the gap
 * is in units of 2^-24. */
ALWAYS_INLINE uint64_t log_of_sum(uint64_t gap, bool natural)
{
    const extended octave = {0xb17217f7d1cf79ab, -64}, octaves = {0xb8aa3b295c17f0bb, -63};
    bool minus;
    extended t = extended_of(gap, -24), log = extended_of(1, 0);
    if (natural)
        t = extended_product(t, octaves);
    if (gap != 0 && t.exponent >= 6 - 63)
        return 0;
    if (gap != 0) {
        uint64_t power = in_units(extended_exp2(t, true), -63);
        log = extended_log2((extended){first_bit + power, -63}, &minus);
    }
    return in_units(natural ? extended_product(log, octave) : log, -62);
}

/* Returns whole + fraction, in units of 1 and of 2^-62; the fraction is at most 2^62. */
ALWAYS_INLINE vf float_of_parts(int64_t whole, uint64_t fraction)
{
    const uint64_t unit = (uint64_t)1 << 62, cut = (1 << 18) - 1;
    bool minus = whole < 0;
    uint64_t size = minus ? (uint64_t)(-whole - 1) : (uint64_t)whole;
    fraction = minus ? unit - fraction : fraction;
    uint64_t coarse = (size << 44) + (fraction >> 18) + ((fraction & cut) != 0 ? 1 : 0);
    return float_of_extended(size == 0 ? extended_of(fraction, -62) : extended_of(coarse, -44),
                             minus);
}

/* The larger operand plus a term that is more than 0, though perhaps less than the unit: then
 * the sticky bit records it. The sum is exact to base 2 for equal operands, never otherwise
 * (exact/doubledouble/exp_log.c). Numbers at which half rounds are multiples of 2^-25; so the
 * absolute error of 2^-59 does not matter even for small sums. The least relative distance from
 * such a number is 2^-49.5, except for sums nearer than that to the larger operand, for which
 * only the side counts. */
NOINLINE vf decide_log_add(vf x, vf y, bool natural)
{
    if (vf_unordered(x, y))
        return NAN;
    vf more = vf_max(x, y), less = vf_min(x, y);
    if (less == -INFINITY || more == INFINITY)
        return vf_add(more, 0.0f);
    int64_t units = half_in_units(more), gap = units - half_in_units(less);
    uint64_t inexact = natural || gap != 0 ? 1 : 0;
    uint64_t fraction = (uint64_t)(units & 0xffffff) << 38;
    fraction += log_of_sum((uint64_t)gap, natural) | inexact;
    return float_of_parts((units >> 24) + (int64_t)(fraction >> 62),
                          fraction & (((uint64_t)1 << 62) - 1));
}

NOINLINE vf decide_logaddexp(vf x, vf y)
{
    return decide_log_add(x, y, true);
}

NOINLINE vf decide_logaddexp2(vf x, vf y)
{
    return decide_log_add(x, y, false);
}

/* The fast paths: results that are NaN for that sign of x are decided, and so are squares,
 * which are exact and common. */

/* For any sign of x. */
ALWAYS_INLINE vf pow_fast_phase(vf x, vf y, vm *exact_case)
{
    vf size = pow_fast(vf_abs(x), y, exact_case);
    vf result = is_odd_integer(y) ? vf_copysign(size, x) : size;
    bool undefined = x < 0 && x > -INFINITY && !is_integral(y), square = y == 2 && x == x;
    *exact_case = undefined || square;
    return undefined ? NAN : square ? vf_mul(x, x) : result;
}

ALWAYS_INLINE vf powr_fast_phase(vf x, vf y, vm *exact_case)
{
    vf result = pow_fast(x, y, exact_case);
    bool square = y == 2 && x >= 0;
    *exact_case = x < 0 || square;
    return square ? vf_mul(x, x) : result;
}

ALWAYS_INLINE vf pown_fast_phase(vf x, vf n, vm *exact_case)
{
    vf result = pown_by_logarithm(x, n, exact_case);
    *exact_case = is_exact_square(x, vf_bits(n));
    return *exact_case ? product_of(x, vf_bits(n)) : result;
}

ALWAYS_INLINE vf rootn_fast_phase(vf x, vf n, vm *exact_case)
{
    vf result = rootn_fast(x, n, exact_case);
    *exact_case = *exact_case || (x < 0 && vi_has_none(vf_bits(n), 1));
    return result;
}

/* For results far beyond half's range only the exponents are right. */
ALWAYS_INLINE vf compoundn_fast_phase(vf x, vf n, vm *exact_case)
{
    vf result = vf_abs(compoundn_fast(x, n, exact_case));
    *exact_case = x < -1;
    return result;
}

#endif
