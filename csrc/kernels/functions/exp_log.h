/* Exponentials and logarithms. */
#ifndef HALFCL_KERNELS_FUNCTIONS_EXP_LOG_H
#define HALFCL_KERNELS_FUNCTIONS_EXP_LOG_H

#include <math.h>

#include "kernels/functions/coefficients.h"
#include "kernels/functions/function2.h"
#include "kernels/functions/in_float.h"
#include "kernels/functions/tuned.h"

/* The error of the approximations, in units of float's last place. Measured: 12.8 if the larger
 * argument is subtracted from the logarithm; 5.4 if it is added. */
enum { LOG_ADD_SLACK = 16 };

static const float log2_of_e = 1.44269504088896340736f;
static const float log_of_2 = 0.69314718055994530942f;

/* Sums of powers: log(b^x + b^y) is more + log(1 + b^(less - more)). */

static float logaddexp_slow_path(uint16_t x, uint16_t y, unsigned *flags)
{
    return halfcl_evaluate(dd_logaddexp, x, y, flags);
}

static float logaddexp2_slow_path(uint16_t x, uint16_t y, unsigned *flags)
{
    return halfcl_evaluate(dd_logaddexp2, x, y, flags);
}

/* log2(1 + 2^t) for t <= 0. The quotient compensates the rounding error of the sum. */
ALWAYS_INLINE double log2_of_sum_in_double(double t)
{
    static const double slope = 1.44269504088896340736;
    double power = exp2_in_double(t < -100 ? -100 : t), sum = 1 + power;
    return sum == 1 ? slope * power : log2_in_double(sum) * (power / (sum - 1));
}

/* octave: log(2) to the base. Exact for x == y to base 2, and if one is -infinity. */
ALWAYS_INLINE double log_add_in_double(double x, double y, double octave, bool *exact_case)
{
    double more = fmax(x, y), less = fmin(x, y), octaves = (less - more) / octave;
    if (isnan(x) || isnan(y) || more == INFINITY)
        return NAN;
    *exact_case = less == -INFINITY || (octave == 1 && octaves == 0);
    if (less == -INFINITY)
        return more + 0.0;
    double sum = more + octave * log2_of_sum_in_double(octaves);
    if (*exact_case)
        return sum;
    if (fabs(sum) < fabs(more) / 256) /* too few bits remain */
        return NAN;
    *exact_case = sum == more; /* and the result is slightly more */
    return *exact_case ? nextafter(sum, INFINITY) : sum;
}

static double logaddexp_accurate(double x, double y, bool *exact_case)
{
    return log_add_in_double(x, y, 0.69314718055994530942, exact_case);
}

static double logaddexp2_accurate(double x, double y, bool *exact_case)
{
    return log_add_in_double(x, y, 1, exact_case);
}

/* 2^floor(x) 2^f, where f is x minus its floor. */
ALWAYS_INLINE vf approximate_exp2(vf x)
{
    return vn_scale(POLYNOMIAL(vf_above_floor(x), exp2_fraction), x);
}

/* The logarithm to a base: x = 2^exponent m, and with a factor near scale / m, such that s =
 * factor * m - scale is exact, log x = octave * (exponent + log2(scale / factor)) + log(1 + s /
 * scale), where octave is log 2 and the last term is s * slope. Around 1 the first term is
 * exactly 0. For 0, negative numbers, infinity and NaN the exponent or m is infinite or NaN. */
typedef struct {
    vf octaves, factor, s;
} log_parts;

ALWAYS_INLINE log_parts log_parts_of(vf x)
{
    vf m = vn_significand(x);
    vi interval = vi_shift_right(vf_bits(m), 23 - 5);
    vf octaves = vn_add(vn_exponent(x), vf_look_up32(log2_steps, interval));
    vf factor = vf_look_up32(log2_factors, interval);
    return (log_parts){octaves, factor, vn_fma(m, factor, vf_set(-log2_scale))};
}

ALWAYS_INLINE vf log_of_parts(log_parts x, float octave, const float slope[4])
{
    return vn_fma(x.s, polynomial(x.s, slope, 4), vn_mul(x.octaves, vf_set(octave)));
}

/* log(1 + t), for 0 <= t <= 1. */
ALWAYS_INLINE vf log_above_1(vf t, float octave, const float slope[4])
{
    vf sum = vn_add(vf_set(1), t), lost = vn_sub(t, vn_sub(sum, vf_set(1)));
    log_parts parts = log_parts_of(sum);
    parts.s = vn_fma(lost, parts.factor, parts.s);
    return log_of_parts(parts, octave, slope);
}

/* The sum is not the larger argument alone: it differs from that by at least 2^-18 of it, and
 * no half is so near to another. It is a hard case if it has lost more than a bit. */
ALWAYS_INLINE vf log_add(vf x, vf y, vf power, float octave, const float slope[4])
{
    vf more = vn_max(x, y), size = vf_abs(more), log = log_above_1(power, octave, slope);
    vf sum = vn_add(more, vn_max(log, vn_mul(size, vf_set(0x1p-18f))));
    vm small = vf_less(vn_mul(vf_abs(sum), vf_set(1.5f)), size);
    return vf_select(vm_or(small, vf_special(vn_add(x, y))), vf_set(NAN), sum);
}

/* Returns less - more, as far as it matters, and its rounding error. */
ALWAYS_INLINE vf gap_between(vf x, vf y, vf *lost)
{
    vf more = vn_max(x, y), less = vn_min(x, y), gap = vn_sub(less, more);
    *lost = vn_sub(vn_sub(less, gap), more);
    return vn_max(gap, vf_set(-64));
}

ALWAYS_INLINE vf logaddexp_fast(vf x, vf y, vm *exact_case)
{
    (void)exact_case;
    const vf octaves = vf_set(log2_of_e), octaves_low = vf_set(0x1.4ae0cp-26f);
    vf lost, gap = gap_between(x, y, &lost), t = vn_mul(gap, octaves);
    vf rest = vn_fma(gap, octaves_low, vn_fma(gap, octaves, vn_sub(vf_set(0), t)));
    vf power = approximate_exp2(t);
    power = vn_fma(power, vn_fma(rest, vf_set(log_of_2), lost), power);
    return log_add(x, y, power, log_of_2, log_slope);
}

ALWAYS_INLINE vf logaddexp2_fast(vf x, vf y, vm *exact_case)
{
    (void)exact_case;
    vf lost, gap = gap_between(x, y, &lost), power = approximate_exp2(gap);
    power = vn_fma(power, vn_mul(lost, vf_set(log_of_2)), power);
    return log_add(x, y, power, 1, log2_slope);
}

/* One operand is -infinity. */
ALWAYS_INLINE vf log_add_special(vf x, vf y, vm *exact_case)
{
    vm numbers = vm_and(vf_equal(x, x), vf_equal(y, y));
    *exact_case = vm_and(numbers, vf_equal(vf_min(x, y), vf_set(-INFINITY)));
    return vf_add(vf_max(x, y), vf_set(0));
}

/* Only vf_scale rounds in the mode, and raises overflow and underflow; no result lies just
 * below 2^-14, where the conversion to half would miss underflow. */

/* 2^k (power + power * growth), where k is x in units that double the function, with 5 bits of
 * fraction, and power is 2 to that fraction. */
typedef struct {
    vf k, power;
} power_parts;

/* If scaling is not an instruction, exponents must stay in float's range: beyond +-32 all
 * powers here are beyond half's range, as they are at +-32. */
ALWAYS_INLINE vf limit_exponent(vf x)
{
    const vf limit = vf_set(32), other = vf_set(-32);
    if (HAVE_EXPONENTS)
        return x;
    return vf_select(vf_less(limit, x), limit, vf_select(vf_less(x, other), other, x));
}

/* Infinities differ from numbers only if the mode keeps the numbers' results finite and above
 * 0. */
ALWAYS_INLINE vf at_infinities(vf power, vf x, halfcl_rounding mode)
{
    if (HAVE_EXPONENTS || mode == HALFCL_RTE)
        return power;
    if (mode == HALFCL_RTP)
        return vf_zero_where(vf_equal(x, vf_set(-INFINITY)), power);
    return vf_select(vf_equal(x, vf_set(INFINITY)), x, power);
}

/* Far below half's range k is clamped, since subnormal floats take the processor hundreds of
 * cycles; except for -infinity, which is more as an unsigned integer. With infinite k growth is
 * NaN, and vf_scale is still right. */
ALWAYS_INLINE power_parts power_parts_of(vf x, float octaves, const float powers[32])
{
    const vf shift = vf_set(0x1.8p18f), least = vf_set(0x1.8p18f - 100);
    vf shifted = vn_fma(x, vf_set(octaves), shift);
    if (HAVE_EXPONENTS)
        shifted = vf_of_bits(vi_highest(vf_bits(shifted), vf_bits(least)));
    return (power_parts){vn_sub(shifted, shift), vf_look_up32(powers, vf_bits(shifted))};
}

/* growth = r + r^2 / 2 for r = x - log(2) k. The sum is rounded to odd: near 1 many results
 * rounded to nearest would be equal to numbers at which half rounds. */
ALWAYS_INLINE vf power_of_e(vf x, halfcl_rounding mode)
{
    vf near = limit_exponent(x);
    power_parts parts = power_parts_of(near, log2_of_e, exp_powers);
    vf r = vn_fnma(parts.k, vf_set(log_of_2), near);
    vf growth = vn_fma(vn_mul(vf_set(0.5f), r), r, r);
    vf power = vn_positive_fma_odd(parts.power, growth, parts.power);
    return at_infinities(vf_scale(power, parts.k), x, mode);
}

/* growth = 2^f - 1 for f = log2(10) x - k. Rounding down gives the exact results, except for
 * 10. Far below half's range, where k is clamped, the sum may be negative. */
ALWAYS_INLINE vf power_of_10(vf x, halfcl_rounding mode)
{
    vf near = limit_exponent(x);
    power_parts parts = power_parts_of(near, exp10_octaves[0], exp10_powers);
    vf f = vn_fms(near, vf_set(exp10_octaves[0]), parts.k);
    f = vn_fma(near, vf_set(exp10_octaves[1]), f);
    vf growth = vn_mul(f, POLYNOMIAL(f, exp10_growth));
    vf result = vf_scale(vn_fma_down(parts.power, growth, parts.power), parts.k);
    result = vf_select(vf_equal(x, vf_set(1)), vf_set(10), vf_abs(result));
    return at_infinities(result, x, mode);
}

/* 2^k - 1 + 2^k (e^r - 1), where k is the integer nearest to x in octaves, and r the rest. Both
 * sums are rounded up, which keeps tiny results above x, and others above -1. Beyond 12 the
 * result overflows half or rounds as the one at 12. */
ALWAYS_INLINE vf power_of_e_less_1(vf x, halfcl_rounding mode)
{
    (void)mode;
    const vf shift = vf_set(INTEGER_SHIFT), one = vf_set(1);
    vf near = vn_within(x, vf_set(12));
    vf k = vn_sub(vn_fma(near, vf_set(log2_of_e), shift), shift), power = vn_scale(one, k);
    vf r = vn_fnma(k, vf_set(log_of_2), near);
    vf rise = inexact_fma_odd(vn_mul(r, r), POLYNOMIAL(r, expm1_growth), r);
    vf result = vn_fma_up(power, rise, vn_sub(power, one));
    return vf_fixed(result, x, FIXES(ITS_NAN, ITSELF, MINUS_1, ITS_INF, AS_COMPUTED), 0);
}

/* 2^floor(x) 2^f, where f is x minus its floor. */
ALWAYS_INLINE vf power_of_2(vf x, halfcl_rounding mode)
{
    vf near = limit_exponent(x), f = vf_above_floor(near),
       slope = polynomial(f, exp2_polynomial + 1, 5);
    vf power = vn_positive_fma_odd(slope, f, vf_set(exp2_polynomial[0]));
    return at_infinities(vf_scale(power, near), x, mode);
}

/* The numbers for which exponent and significand are not special, if these are not
 * instructions. */
enum {
    LOG_FIXES = HAVE_EXPONENTS ? 0 : FIXES(ITS_NAN, MINUS_INF, A_NAN, PLUS_INF, A_NAN),
};

/* For x = 2^exponent m, octave * exponent + log(1 / inverse) + log(1 + s), where s is inverse m
 * - 1. Around 1 the first two terms give exactly 0. The significand of negative numbers is
 * invalid. */
ALWAYS_INLINE vf log_of(vf x, const float octave[1], const float inverses[32],
                        const float steps[32], const float slope[3])
{
    vf m = vf_significand(x);
    vi interval = vi_shift_right(vf_bits(m), 23 - 5);
    vf s = vn_fma(m, vf_look_up32(inverses, interval), vf_set(-1));
    vf log = vn_fma(vn_exponent(x), vf_set(octave[0]), vf_look_up32(steps, interval));
    log = vn_fma(s, polynomial(s, slope, 3), log);
    return vf_fixed(log, x, LOG_FIXES, POLE_AT_0);
}

ALWAYS_INLINE vf natural_log(vf x, halfcl_rounding mode)
{
    (void)mode;
    return log_of(x, natural_octave, natural_inverses, natural_steps, natural_slope);
}

ALWAYS_INLINE vf binary_log(vf x, halfcl_rounding mode)
{
    (void)mode;
    return log_of(x, binary_octave, binary_inverses, binary_steps, binary_slope);
}

/* One half has a logarithm so near to a number at which half rounds that no constants were
 * found that are right for it, too. */
ALWAYS_INLINE vf decimal_log(vf x, halfcl_rounding mode)
{
    (void)mode;
    vf log = log_of(x, decimal_octave, decimal_inverses, decimal_steps, decimal_slope);
    return vf_select(vf_equal(x, vf_set(126.0625f)), vf_set(0x1.0cdffep1f), log);
}

/* The logarithm of 1 + x with s + s^2 slope. If the first two terms give 0, s is x, so the
 * rounding of 1 + x does not matter; rounding down keeps tiny results below x. */
ALWAYS_INLINE vf natural_log_above_1(vf x, halfcl_rounding mode)
{
    (void)mode;
    vf above = vn_fma_up(x, vf_set(1), vf_set(1)), m = vf_significand(above);
    vi interval = vi_shift_right(vf_bits(m), 23 - 5);
    vf s = vn_fma(m, vf_look_up32(log1p_inverses, interval), vf_set(-1));
    vf log = vn_fma(vn_exponent(above), vf_set(natural_octave[0]),
                    vf_look_up32(log1p_steps, interval));
    s = vf_select(vf_zero(log), x, s);
    log = inexact_fma_odd(vn_mul(s, s), POLYNOMIAL(s, log1p_slope), vn_add(log, s));
    log = vf_fixed(log, above,
                   FIXES(ITS_NAN, MINUS_INF, A_NAN, PLUS_INF, A_NAN) | FIX_AT_1(PLUS_0),
                   POLE_AT_0 | INVALID_AT_MINUS_INF | INVALID_BELOW_0);
    return vf_copysign(log, x);
}

IN_FLOAT((HAVE_STATIC_ROUNDING && HAVE_LOOKUP && HAVE_EXPONENTS), exp, power_of_e, NEVER_TINY)
IN_FLOAT((HAVE_STATIC_ROUNDING && HAVE_EXPONENTS), exp2, power_of_2, NEVER_TINY)
IN_FLOAT((HAVE_STATIC_ROUNDING && HAVE_LOOKUP && HAVE_EXPONENTS), exp10, power_of_10,
         NEVER_TINY)
IN_FLOAT((HAVE_STATIC_ROUNDING && HAVE_FIXES && HAVE_LOOKUP && HAVE_EXPONENTS), expm1,
         power_of_e_less_1, MAYBE_TINY)
TABLED(exp2m1)
TABLED(exp10m1)
IN_FLOAT((HAVE_STATIC_ROUNDING && HAVE_FIXES && HAVE_LOOKUP && HAVE_EXPONENTS), log,
         natural_log, NEVER_TINY)
IN_FLOAT((HAVE_STATIC_ROUNDING && HAVE_FIXES && HAVE_LOOKUP && HAVE_EXPONENTS), log2,
         binary_log, NEVER_TINY)
IN_FLOAT((HAVE_STATIC_ROUNDING && HAVE_FIXES && HAVE_LOOKUP && HAVE_EXPONENTS), log10,
         decimal_log, NEVER_TINY)
IN_FLOAT((HAVE_STATIC_ROUNDING && HAVE_FIXES && HAVE_LOOKUP && HAVE_EXPONENTS), log1p,
         natural_log_above_1, MAYBE_TINY)
TABLED(log2p1)
TABLED(log10p1)
FUNCTION2_IN(SCHEDULED, HAVE_FMA, logaddexp, logaddexp_fast, LOG_ADD_SLACK, log_add_special,
             logaddexp_accurate, logaddexp_slow_path)
FUNCTION2_IN(SCHEDULED, HAVE_FMA, logaddexp2, logaddexp2_fast, LOG_ADD_SLACK, log_add_special,
             logaddexp2_accurate, logaddexp2_slow_path)

#define EXP_LOG_KERNELS                                                                        \
    UNARY("exp", exp_kernel)                                                                   \
    UNARY("exp2", exp2_kernel)                                                                 \
    UNARY("exp10", exp10_kernel)                                                               \
    UNARY("expm1", expm1_kernel)                                                               \
    UNARY("log", log_kernel)                                                                   \
    UNARY("log2", log2_kernel)                                                                 \
    UNARY("log10", log10_kernel)                                                               \
    UNARY("log1p", log1p_kernel)                                                               \
    UNARY("exp2m1", exp2m1_kernel)                                                             \
    UNARY("exp10m1", exp10m1_kernel)                                                           \
    UNARY("log2p1", log2p1_kernel)                                                             \
    UNARY("log10p1", log10p1_kernel)                                                           \
    BINARY("logaddexp", logaddexp_kernel)                                                      \
    BINARY("logaddexp2", logaddexp2_kernel)

#endif
