/* The fast phase of powers, and the special cases among their hard cases. */
#ifndef HALFCL_KERNELS_FUNCTIONS_POWER_FAST_H
#define HALFCL_KERNELS_FUNCTIONS_POWER_FAST_H

#include <math.h>

#include "kernels/functions/coefficients.h"
#include "kernels/functions/polynomial.h"
#include "kernels/shared/phases.h"

/* The approximations lie above the exact results, by more than 0 and less than so many units of
 * float's last place. Their error is at most 1.7, and 2 is added. Measured: powers from 0.3
 * to 3.3. */
enum { POWER_ABOVE = -4 };

/* log2(x) = first + rest, and sum is nearly that. A hard case unless x is finite and > 0.
 *
 * With s = factor * x - scale, which is exact, log2(x) is exponent + step + log2(1 + s /
 * scale). Exponent and step have an exact sum. The last term is s plus a correction of at most
 * 1/40 of s. Near 1 step is 0, and so the relative error of the logarithm is as small as
 * elsewhere. */
typedef struct {
    vf first, rest, sum;
} log2_parts;

/* Computes it from exponent + step; first is the float nearest to the logarithm, or one beside
 * it. */
ALWAYS_INLINE log2_parts log2_from(vf step, vf s)
{
    vf correction = POLYNOMIAL(s, log2_correction);
    vf sum = vn_add(step, vn_fma(s, correction, s));
    vf rest = vn_add(vn_sub(step, sum), s);
    return (log2_parts){sum, vn_fma(s, correction, rest), sum};
}

#if HAVE_LOOKUP
/* A third table costs less than it saves: exponent, step and s are multiples of 2^-19, and
 * their sum is exact. The rounding error of step is added to the rest. */
ALWAYS_INLINE log2_parts log2_of(vf x)
{
    vf significand = vn_significand(x);
    vi cell = vf_bits(vn_fma(significand, vf_set(power_cells), vf_set(0x1.8p23f)));
    vf step = vn_add(vn_exponent(x), vf_look_up32(power_steps, cell));
    vf s = vn_fma(significand, vf_look_up32(power_factors, cell), vf_set(-power_scale));
    vf rest = vn_fma(s, POLYNOMIAL(s, power_correction), vf_look_up32(power_rests, cell));
    vf first = vn_add(step, s);
    return (log2_parts){first, rest, vn_add(first, rest)};
}
#else
ALWAYS_INLINE log2_parts log2_of(vf x)
{
    vf significand = vn_significand(x);
    vi interval = vi_shift_right(vf_bits(significand), 23 - 5);
    vf step = vn_add(vn_exponent(x), vf_look_up32(log2_steps, interval));
    vf s = vn_fma(significand, vf_look_up32(log2_factors, interval), vf_set(-log2_scale));
    return log2_from(step, s);
}
#endif

/* 2^(a first + b rest), for |b rest| < 1/4 if the result is in half's range. Beyond float's
 * range it is 0 or infinite, and so a hard case. The difference of the exponent from a multiple
 * of 1/16 is rounded once it is small. */
ALWAYS_INLINE vf exp2_of(vf a, vf b, log2_parts log)
{
    const vf shift = vf_set(0x1.8p19f); /* keeps 4 bits of the fraction */
    vf shifted = vn_fma(a, log.sum, shift), rounded = vn_sub(shifted, shift);
    vf f = vn_fma(b, log.rest, vn_fms(a, log.first, rounded));
    vf power = vf_look_up16(powers_above, vf_bits(shifted));
    vf growth = POLYNOMIAL(f, exp2_growth);
    return vn_scale(vn_fma(vn_mul(power, f), growth, power), rounded);
}

/* x^y for x > 0. */
ALWAYS_INLINE vf power_of(vf x, vf y)
{
    log2_parts log = log2_of(x);
    return exp2_of(y, y, log);
}

ALWAYS_INLINE vf pow_fast(vf x, vf y, vm *exact_case)
{
    (void)exact_case;
    return power_of(x, y);
}

/* Special cases among the hard ones. */

/* Returns value rounded to odd, where rest is its error after rounding to nearest. */
ALWAYS_INLINE vf nearest_to_odd(vf value, vf rest)
{
    vm inexact = vm_not(vf_equal(rest, vf_set(0)));
    vm beyond = vi_less(vi_xor(vf_bits(value), vf_bits(rest)), vi_set(0));
    vi down = vi_select(vm_and(inexact, beyond), vi_set(1), vi_set(0));
    vi odd = vi_select(inexact, vi_set(1), vi_set(0));
    return vf_of_bits(vi_or(vi_sub(vf_bits(value), down), odd));
}

/* x^y for finite x >= 0, and a y that makes it a product, an inverse or a square root. */
ALWAYS_INLINE vf short_power(vf x, vf y, vm *exact_case)
{
    vf square = vf_mul(x, x), cube = vf_mul(square, x), fourth = vf_mul(square, square);
    vf root = vf_sqrt(x), inverse = vf_div(vf_set(1), x);
    const struct {
        float y;
        vf power, rest;
    } rows[] = {
        {-1, inverse, vf_fnma(inverse, x, vf_set(1))},
        {0, vf_set(1), vf_set(0)},
        {0.5f, root, vf_fnma(root, root, x)},
        {1, x, vf_set(0)},
        {2, square, vf_set(0)},
        {3, cube, vf_fma(square, x, vf_sub(vf_set(0), cube))},
        {4, fourth, vf_fma(square, square, vf_sub(vf_set(0), fourth))},
    };
    vf power = x, rest = vf_set(0);
    *exact_case = vm_none();
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        vm here = vf_equal(y, vf_set(rows[k].y));
        power = vf_select(here, rows[k].power, power);
        rest = vf_select(here, rows[k].rest, rest);
        *exact_case = vm_or(*exact_case, here);
    }
    *exact_case = vm_and_not(*exact_case, vf_special(rest)); /* for 1 / 0 */
    return nearest_to_odd(power, rest);
}

/* Decides an approximation of 2^t if it passes the rounding test, or if t is far beyond half's
 * range. */
ALWAYS_INLINE vf decide_power(vf result, vf t, vm *exact_case)
{
    vm passes = passing_lanes(result, POWER_ABOVE);
    vm beyond = vm_and_not(vf_less(vf_set(100), vf_abs(t)), vf_special(t));
    *exact_case = vm_or(passes, beyond);
    return vf_select(beyond, vf_scale(vf_set(1), vf_copysign(vf_set(100), t)), result);
}

/* |x|^y for finite x and y: short powers, approximations that pass the rounding test, results
 * far beyond half's range, and powers of 0 and 1. */
ALWAYS_INLINE vf size_of_power(vf x, vf y, vm *exact_case)
{
    vf size = vf_abs(x), short_one = short_power(size, y, exact_case);
    vm special = vf_special(vf_add(x, y)), exact = vm_and_not(*exact_case, special);
    *exact_case = exact;
    if (!vm_any(vm_not(exact)))
        return short_one;
    vf t = vf_mul(y, log2_of(size).sum), result = power_of(size, y);
    vm one = vf_equal(size, vf_set(1)), zero = vf_equal(x, vf_set(0));
    zero = vm_and(zero, vf_less(vf_set(0), y));
    result = decide_power(result, t, exact_case);
    result = vf_select(one, vf_set(1), vf_select(zero, vf_set(0), result));
    *exact_case = vm_and_not(vm_or(*exact_case, vm_or(one, zero)), special);
    *exact_case = vm_or(*exact_case, exact);
    return vf_select(exact, short_one, result);
}

ALWAYS_INLINE vm is_integral(vf y)
{
    return vf_equal(vf_rint(y), y);
}

ALWAYS_INLINE vm is_odd_integer(vf y)
{
    return vm_and_not(is_integral(y), is_integral(vf_mul(y, vf_set(0.5f))));
}

ALWAYS_INLINE vf pow_special(vf x, vf y, vm *exact_case)
{
    vf size = size_of_power(x, y, exact_case);
    *exact_case = vm_and_not(*exact_case, vm_and_not(vf_less(x, vf_set(0)), is_integral(y)));
    return vf_select(is_odd_integer(y), vf_copysign(size, x), size);
}

ALWAYS_INLINE vf powr_special(vf x, vf y, vm *exact_case)
{
    vf result = size_of_power(x, y, exact_case);
    vm zero_to_zero = vf_equal(vf_max(x, vf_abs(y)), vf_set(0));
    *exact_case = vm_and_not(*exact_case, vm_or(vf_less(x, vf_set(0)), zero_to_zero));
    return result;
}

#endif
