/* Functions of one half that kernels compute by table only, for devices: approximations in
 * float with constants (device/constants.h) chosen so that for every half the result lies
 * between the same two numbers at which half rounds as the exact one, and is exact if that is
 * (as in kernels/functions/in_float.h). Halves for which no such constants were found have
 * their results in tables. Tests try every half. */
#ifndef HALFCL_DEVICE_BY_HARD_CASES_H
#define HALFCL_DEVICE_BY_HARD_CASES_H

#include "device/constants.h"
#include "kernels/elementwise/arithmetic.h"
#include "kernels/functions/exp_log.h"
#include "kernels/functions/gamma_erf.h"
#include "kernels/functions/in_float.h"
#include "kernels/functions/trig.h"
#include "kernels/vectors/enclosure.h"

/* Returns the sum of n terms c[pieces i + k] x^i, where k is piece modulo pieces, a power of
 * two. */
ALWAYS_INLINE vf piecewise_of(int pieces, vf x, vi piece, const float *c, int n)
{
    vi k = vi_and(piece, vi_set(pieces - 1));
    vf sum = vf_gather(c + pieces * (n - 1), k);
    for (int i = n - 2; i >= 0; --i)
        sum = vn_fma(sum, x, vf_gather(c + pieces * i, k));
    return sum;
}

/* Returns the result for x if x is one of the cases, which are count pairs of an argument and
 * its result; otherwise the approximation. */
ALWAYS_INLINE vf case_of(vf approximation, vf x, const float *cases, int count)
{
    for (int i = 0; i < count; ++i)
        approximation = vf_select(vf_equal(x, vf_set(cases[2 * i])), vf_set(cases[2 * i + 1]),
                                  approximation);
    return approximation;
}

/* The cases need to be searched only if the approximation is within the slack, in units of
 * float's last place, of a number at which half rounds, as few results are. */
enum { CASES_SLACK = 4 };

ALWAYS_INLINE vf with_cases(vf approximation, vf x, const float *cases, int count)
{
    if (vm_any(vf_hard_cases(approximation, CASES_SLACK, vm_none())))
        return case_of(approximation, x, cases, count);
    return approximation;
}

/* Returns x (slope + growth). slope has 13 bits: if x is as short as a half, there is one
 * rounding. */
ALWAYS_INLINE vf add_growth(vf x, float slope, vf growth)
{
    return vn_fma(x, growth, vn_mul(x, vf_set(slope)));
}

/* Returns 1 / x for x other than 0. */
ALWAYS_INLINE vf inverse_by_estimate(vf x)
{
    return quotient_by_estimate(vf_set(1), x, vf_reciprocal_estimate(x));
}

/* Returns the root of x > 0, otherwise 0. */
ALWAYS_INLINE vf root_or_0(vf x)
{
    vm positive = vf_less(vf_set(0), x);
    return vf_zero_where(vm_not(positive), root_by_estimate(vf_select(positive, x, vf_set(1))));
}

/* Returns 2^k - 1 + 2^k rise, where k is the integer in shifted. */
ALWAYS_INLINE vf power_less_1(vf shifted, vf rise)
{
    vi exponent = vi_shift_left(vf_bits(shifted), 23);
    vf power = vf_of_bits(vi_add(exponent, vi_set(0x3f800000)));
    return vn_fma(power, rise, vn_sub(power, vf_set(1)));
}

/* x = k + r. Beyond 17 the result overflows half or rounds as the one at 17 does. */
ALWAYS_INLINE vf power_of_2_less_1(vf x, halfcl_rounding mode)
{
    (void)mode;
    const vf shift = vf_set(INTEGER_SHIFT);
    vf near = vn_within(x, vf_set(17)), shifted = vn_add(near, shift);
    vf r = vn_sub(near, vn_sub(shifted, shift));
    vf rise = add_growth(r, EXP2M1_SLOPE, piecewise(r, 30, exp2m1_growth, 3));
    vf result = with_cases(power_less_1(shifted, rise), x, exp2m1_cases, EXP2M1_CASES);
    return vf_fixed(result, x, FIXES(ITS_NAN, ITSELF, MINUS_1, ITS_INF, AS_COMPUTED), 0);
}

/* x = log10(2) k + r, where log10(2) is a sum of two floats. */
ALWAYS_INLINE vf power_of_10_less_1(vf x, halfcl_rounding mode)
{
    (void)mode;
    const vf shift = vf_set(INTEGER_SHIFT);
    vf near = vn_within(x, vf_set(6)), shifted = vn_fma(near, vf_set(0x1.a934fp+1f), shift);
    vf k = vn_sub(shifted, shift), r = vn_fnma(k, vf_set(0x1.3441p-2f), near);
    r = vn_fnma(k, vf_set(0x1.a84fbcp-21f), r);
    vf rise = add_growth(r, EXP10M1_SLOPE, piecewise(r, 98, exp10m1_growth, 3));
    return vf_fixed(power_less_1(shifted, rise), x,
                    FIXES(ITS_NAN, ITSELF, MINUS_1, ITS_INF, AS_COMPUTED), 0);
}

/* Returns the logarithm of 1 + x, as log_of does. If exponent and step give 0, s is x, so the
 * rounding of 1 + x does not matter. */
ALWAYS_INLINE vf log_above_1_of(vf x, float octave, const float inverses[32],
                                const float steps[32], float slope, const float growth[4],
                                const float *cases, int count)
{
    vf above = vn_add(x, vf_set(1)), m = vn_significand(above);
    vi interval = vi_shift_right(vf_bits(m), 23 - 5);
    vf s = vn_fma(m, vf_look_up32(inverses, interval), vf_set(-1));
    vf log = vn_fma(vn_exponent(above), vf_set(octave), vf_look_up32(steps, interval));
    s = vf_select(vf_zero(log), x, s);
    log = vn_add(log, add_growth(s, slope, polynomial(s, growth, 4)));
    log = with_cases(log, x, cases, count);
    log = vf_fixed(log, above, FIXES(ITS_NAN, MINUS_INF, A_NAN, PLUS_INF, A_NAN), 0);
    return vf_copysign(log, x);
}

ALWAYS_INLINE vf binary_log_above_1(vf x, halfcl_rounding mode)
{
    (void)mode;
    return log_above_1_of(x, 1, log2p1_inverses, log2p1_steps, LOG2P1_SLOPE, log2p1_growth,
                          log2p1_cases, LOG2P1_CASES);
}

ALWAYS_INLINE vf decimal_log_above_1(vf x, halfcl_rounding mode)
{
    (void)mode;
    return log_above_1_of(x, decimal_octave[0], log10p1_inverses, log10p1_steps, LOG10P1_SLOPE,
                          log10p1_growth, log10p1_cases, LOG10P1_CASES);
}

/* Returns the tangent t, or that of the angle plus a right angle if the number of right angles
 * is odd. */
ALWAYS_INLINE vf turn_if_odd(vf t, vf shifted)
{
    vm odd = vi_has(vf_bits(shifted), 1);
    return vf_select(odd, vf_minus(inverse_by_estimate(t)), t);
}

/* x = (pi / 2) k + r. */
ALWAYS_INLINE vf tan_of(vf x, halfcl_rounding mode)
{
    (void)mode;
    const vf shift = vf_set(INTEGER_SHIFT), half = vf_set(0.5f);
    vf shifted = vn_fma(x, vf_set(2 * half_turns), shift);
    vf r = less_half_turns(x, vn_mul(vn_sub(shifted, shift), half));
    vf t = vn_fma(r, piecewise(vf_abs(r), 38, tan_growth, 4), r);
    return vf_select(vf_zero(x), x, turn_if_odd(t, shifted));
}

/* |x| = k / 2 + f; then the sign of x is added. Zeros and poles alternate in sign. */
ALWAYS_INLINE vf tanpi_of(vf x, halfcl_rounding mode)
{
    (void)mode;
    const vf shift = vf_set(INTEGER_SHIFT);
    vf size = vf_abs(x), shifted = vn_fma(size, vf_set(2), shift), k = vn_sub(shifted, shift);
    vf f = vn_fnma(k, vf_set(0.5f), size);
    vf t = add_growth(f, TANPI_SLOPE, piecewise(vf_abs(f), 124, tanpi_growth, 4));
    t = with_cases(turn_if_odd(t, shifted), size, tanpi_cases, TANPI_CASES);
    vm pole = vi_has(vf_bits(shifted), 1);
    vf bound = vf_flipped(vf_select(pole, vf_set(INFINITY), vf_set(0)),
                          vi_shift_left(vf_bits(shifted), 30));
    return vf_flipped(vf_select(vf_zero(f), bound, t), vf_bits(x));
}

/* Up to 8.5/31 the result is x (slope + growth); beyond, 1/2 - sqrt(1 - |x|) factor. */
ALWAYS_INLINE vf asinpi_of(vf x, halfcl_rounding mode)
{
    (void)mode;
    vf size = vf_abs(x), root = root_or_0(vn_sub(vf_set(1), size));
    vm steep = vf_less(vf_set(8.5f / 31), size);
    vf factor = vf_select(steep, root, size);
    vf start = vf_select(steep, vf_set(0.5f), vn_mul(size, vf_set(ASINPI_SLOPE)));
    vf angle = vn_fma(factor, piecewise(size, 31, asinpi_in_pieces, 3), start);
    angle = vf_select(vf_less_equal(size, vf_set(1)), angle, vf_set(NAN));
    return vf_copysign(angle, x);
}

/* Up to 8.5/31 the result is 1/2 - x factor; beyond, sqrt(1 - |x|) factor, or 1 minus that.
 * Tiny x change the result as little as somewhat larger ones do. */
ALWAYS_INLINE vf acospi_of(vf x, halfcl_rounding mode)
{
    (void)mode;
    vf size = vf_abs(x), root = root_or_0(vn_sub(vf_set(1), size));
    vm steep = vf_less(vf_set(8.5f / 31), size);
    vf factor = vf_select(steep, root, vf_max(size, vf_set(0x1p-16f)));
    factor = vf_zero_where(vf_zero(x), vf_copysign(factor, x));
    vf far = vf_select(vf_sign(x), vf_set(1), vf_set(0));
    vf start = vf_select(steep, far, vf_set(0.5f));
    vf angle = vn_fma(factor, piecewise(size, 31, acospi_in_pieces, 3), start);
    return vf_select(vf_less_equal(size, vf_set(1)), angle, vf_set(NAN));
}

/* For |x| <= 1; otherwise 1/2 minus the result for 1 / |x|. */
ALWAYS_INLINE vf atanpi_of(vf x, halfcl_rounding mode)
{
    (void)mode;
    vf size = vf_abs(x);
    vm steep = vf_less(vf_set(1), size);
    vf tangent = vn_inverse_where(steep, size);
    vf growth = piecewise(tangent, 31, atanpi_growth_in_pieces, 3);
    vf angle = add_growth(tangent, ATANPI_SLOPE, growth);
    angle = vn_complement_where(steep, angle, vf_set(0.5f));
    return vf_copysign(with_cases(angle, size, atanpi_cases, ATANPI_CASES), x);
}

/* The result is |x| + |x| growth; beyond 1/2, -log(1 - |x|) / 2 + log(1 + |x|) / 2, the second
 * term in pieces like growth. */
ALWAYS_INLINE vf atanh_of(vf x, halfcl_rounding mode)
{
    vf size = vf_abs(x), log = natural_log(vn_sub(vf_set(1), size), mode);
    vm steep = vf_less_equal(vf_set(0.5f), size);
    vf factor = vf_select(steep, vf_set(1), size);
    vf start = vf_select(steep, vn_mul(log, vf_set(-0.5f)), size);
    vf result = vn_fma(factor, piecewise(size, 31, atanh_in_pieces, 4), start);
    return vf_copysign(result, x);
}

/* The result is v + v growth for v = |x|; beyond 1, log(2 |x|) + v growth for v = 1 / |x|. Many
 * results are just below |x|, within the slack, so the slack does not decide whether to search
 * the cases. */
ALWAYS_INLINE vf asinh_of(vf x, halfcl_rounding mode)
{
    (void)mode;
    vf size = vf_abs(x);
    vm steep = vf_less(vf_set(1), size);
    vf v = vn_inverse_where(steep, size),
       shifted = vn_fma(v, vf_set(31), vf_set(INTEGER_SHIFT));
    vi piece = vi_add(vf_bits(shifted), vi_select(steep, vi_set(32), vi_set(0)));
    vf log =
        log_of(vn_add(size, size), natural_octave, asinh_inverses, asinh_steps, natural_slope);
    vf start = vf_select(steep, log, size);
    vf result = vn_fma(v, piecewise_of(64, v, piece, asinh_in_pieces, 4), start);
    return vf_copysign(case_of(result, size, asinh_cases, ASINH_CASES), x);
}

/* log(x + sqrt(x^2 - 1)). The error of the sum matters near 1. */
ALWAYS_INLINE vf acosh_of(vf x, halfcl_rounding mode)
{
    (void)mode;
    vf root = root_or_0(vn_fma(x, x, vf_set(-1))), sum = vn_add(x, root);
    vf lost = vn_sub(root, vn_sub(sum, x)), m = vn_significand(sum),
       exponent = vn_exponent(sum);
    vi interval = vi_shift_right(vf_bits(m), 23 - 5);
    vf inverse = vf_look_up32(acosh_inverses, interval);
    vf s = vn_fma(m, inverse, vf_set(-1));
    s = vn_fma(vf_select(vf_zero(exponent), lost, vf_set(0)), inverse, s);
    vf log = vn_fma(exponent, vf_set(natural_octave[0]), vf_look_up32(acosh_steps, interval));
    log = vn_fma(s, polynomial(s, natural_slope, 3), log);
    log = vf_select(vf_equal(x, vf_set(INFINITY)), x, log);
    return vf_select(vf_less_equal(vf_set(1), x), log, vf_set(NAN));
}

/* Pieces of 33/256 as polynomials of r, the distance of |x| from the middle. Results below
 * 2^-25 round as that of 3.99 does. Below 0 the result is 2 minus that of |x|, and below -3 it
 * rounds as that of -3. Tiny x change the result as little as somewhat larger ones do. */
ALWAYS_INLINE vf erfc_of(vf x, halfcl_rounding mode)
{
    (void)mode;
    const vf shift = vf_set(INTEGER_SHIFT);
    vm negative = vf_sign(x);
    vf most = vf_select(negative, vf_set(3), vf_set(3.99f));
    vf size = vf_max(vf_min(vf_abs(x), most), vf_set(0x1p-20f));
    vf shifted = vn_fma(size, vf_set(0x1.f07c1ep+2f), shift);
    vf r = vn_fnma(vn_sub(shifted, shift), vf_set(33.0f / 256), size);
    vf result = piecewise_at(r, vf_bits(shifted), erfc_in_pieces, 6);
    result =
        with_cases(vn_complement_where(negative, result, vf_set(2)), x, erfc_cases, ERFC_CASES);
    result = vf_select(vf_equal(x, vf_set(-INFINITY)), vf_set(2), result);
    return vf_fixed(result, x, FIXES(ITS_NAN, PLUS_1, AS_COMPUTED, PLUS_0, AS_COMPUTED), 0);
}

/* The gamma function and its logarithm are those of 1 + a in pieces: a is x - 1, or x, with
 * gamma(1 + x) = x gamma(x), or -x, with gamma(x) gamma(1 - x) = pi / sin(pi x). */

/* Beyond 15 gamma(x) overflows, and below -14 it is less than 2^-25, or undefined. */
ALWAYS_INLINE vf tgamma_of(vf x, halfcl_rounding mode)
{
    const vf shift = vf_set(INTEGER_SHIFT), one = vf_set(1);
    vm low = vf_less(x, one), reflected = vf_less(x, vf_set(-0.25f));
    vf a = vf_select(low, vf_select(reflected, vf_minus(x), x), vn_sub(x, one));
    a = vf_min(vf_set(14), a);
    vf shifted = vn_fma(vn_add(a, one), vf_set(8), shift);
    vf centre = vn_mul(vn_sub(shifted, shift), vf_set(0.125f));
    vf gamma = piecewise_of(128, vn_add(vn_sub(one, centre), a), vf_bits(shifted),
                            tgamma_in_pieces, 6);
    vf divisor = vf_select(reflected, vn_mul(gamma, sinpi_of(x, mode)), vf_select(low, x, one));
    vf dividend = vf_select(reflected, vf_set(0x1.921fb6p+1f), gamma);
    vf result = quotient_by_estimate(dividend, divisor, vf_reciprocal_estimate(divisor));
    result = with_cases(result, x, tgamma_cases, TGAMMA_CASES);
    vm infinite = vm_or(vf_zero(x), vf_equal(x, vf_set(INFINITY)));
    return vf_select(infinite, vf_copysign(vf_set(INFINITY), x), result);
}

/* Pieces are eighths of octaves. Below 4 they approximate log(gamma(1 + a)) / (a (a - 1)), so
 * that the zeros at 1 and 2 are exact. */
ALWAYS_INLINE vf lgamma_of(vf x, halfcl_rounding mode)
{
    const vf one = vf_set(1), half = vf_set(0.5f);
    vm low = vf_less(x, half), reflected = vf_less(x, vf_minus(half));
    vf a = vf_select(low, vf_select(reflected, vf_minus(x), x), vn_sub(x, one));
    a = vf_min(vf_set(16000), a);
    vf y = vn_add(a, one);
    vi piece = vi_shift_right(vf_bits(y), 20);
    vf centre = vf_of_bits(vi_or(vi_shift_left(piece, 20), vi_set(1 << 19)));
    vf part = piecewise_of(128, vn_add(vn_sub(one, centre), a), piece, lgamma_in_pieces, 5);
    vf weight = vf_select(vf_less(y, vf_set(4)), vn_mul(a, vn_sub(a, one)), one);
    weight = vf_select(reflected, vf_minus(weight), weight);
    vf sine = vf_abs(vn_mul(sinpi_of(x, mode), vf_set(half_turns)));
    vf factor = vf_select(low, vf_select(reflected, sine, vf_abs(x)), one);
    vf log = log_of_parts(log_parts_of(factor), log_of_2, log_slope);
    vf result = vn_fma(weight, part, vn_sub(vf_set(0), log));
    result = with_cases(result, x, lgamma_cases, LGAMMA_CASES);
    vm infinite = vm_or(vf_zero(factor), vf_equal(vf_abs(x), vf_set(INFINITY)));
    return vf_select(infinite, vf_set(INFINITY), result);
}

#endif
