/* mix and smoothstep, rounded once: by the kernels' operations, or exactly if these are not
 * enough. */
#ifndef HALFCL_DEVICE_INTERPOLATION_H
#define HALFCL_DEVICE_INTERPOLATION_H

#include "device/wide.h"
#include "kernels/elementwise/interpolation.h"
#include "kernels/vectors/enclosure.h"

/* Returns the sum of three products of halves (or halves), each exact, rounded to odd; its
 * zeros are zeros in any case. The rounding errors of the first two additions are added,
 * together with the error of that addition. This second-order error is not 0 only if both
 * additions were inexact: then neither cancelled much, it is below 2^-44 of the sum, and the
 * sum of the two last errors has the sign of the total error. */
ALWAYS_INLINE vf sum_of_three(vf a, vf b, vf c)
{
    vf first = vf_add(a, b), first_rest = rest_of_sum(a, b, first);
    vf second = vf_add(first, c), second_rest = rest_of_sum(first, c, second);
    vf rest = vf_add(first_rest, second_rest),
       least = rest_of_sum(first_rest, second_rest, rest);
    vf sum = vf_add(second, rest);
    return rounded_to_odd(sum, vf_add(rest_of_sum(second, rest, sum), least));
}

/* Returns x - x a + y a, with the zeros, infinities and NaNs of x + (y - x) a in float. If the
 * sum is zero and x is not, it is exact: a difference of more than 24 bits has a factor that x
 * has not. */
ALWAYS_INLINE vf mix_exactly(vf x, vf y, vf a, halfcl_rounding mode)
{
    halfcl_rounding of_zeros = mode == HALFCL_RTN ? HALFCL_RTN : HALFCL_RTE;
    vf exact = sum_of_three(x, vf_mul(-x, a), vf_mul(y, a));
    vf plain = vf_sum(x, vf_mul(vf_difference(y, x, of_zeros), a), of_zeros);
    return exact == 0 || vf_special(plain) ? plain : exact;
}

/* If the difference is a float, one fused operation is enough, unless its result has so few
 * bits that the sum may be on either side of it. */
ALWAYS_INLINE vf mix_in_float(vf x, vf y, vf a, halfcl_rounding mode)
{
    vf difference = vf_sub(y, x), sum = vf_fma(difference, a, x);
    bool exact = rest_of_sum(y, -x, difference) == 0;
    if (!exact || (vf_bits(sum) & 0xfff) == 0)
        return mix_exactly(x, y, a, mode);
    return sum;
}

/* Returns the sign of t t (3 - 2 t) - s 2^e, where t = n / d: it is the sign of n n (3 d - 2 n)
 * 2^-e - s d d d, numbers of up to 162 and 135 bits, for t t (3 - 2 t) of at least about
 * 2^-26. */
ALWAYS_INLINE int compare_smoothstep_to_float(uint64_t n, uint64_t d, short_float bound)
{
    wide numerator = wide_product(wide_product(wide_of(n), n), 3 * d - 2 * n);
    wide cube = wide_product(wide_product(wide_of(d), d), d);
    return wide_compare(wide_shifted(numerator, -bound.exponent),
                        wide_product(cube, bound.significand));
}

/* Returns the result that is near, not 0, on the right side of the number at which half
 * rounds. */
NOINLINE vf smoothstep_exactly(vf edge0, vf edge1, vf x, vf near)
{
    int64_t start = units_of(edge0);
    uint64_t n = size_of_units(units_of(x) - start);
    uint64_t d = size_of_units(units_of(edge1) - start);
    vf number = nearest_of_12_bits(near);
    int side = compare_smoothstep_to_float(n < d ? n : d, d, short_float_of(number));
    return nudge(number, side > 0, side < 0);
}

/* Returns the result if the differences are floats, from the value and its rounding errors: the
 * relative error is within 2^-38, most of it from the remainder of the quotient divided by an
 * estimate. If only the last product is inexact, it decides exactly. */
ALWAYS_INLINE vf smoothstep_closely(vf n, vf d, vf near, bool *hard)
{
    vf t = vf_div(n, d), lost = vf_mul(vf_fnma(t, d, n), vf_reciprocal_estimate(d));
    vf square = vf_mul(t, t), square_rest = vf_fma(t, t, -square);
    vf factor = vf_fnma(vf_set(2), t, vf_set(3));
    vf factor_rest = rest_of_sum(vf_set(3), vf_mul(vf_set(-2), t), factor);
    vf slope = vf_mul(vf_mul(vf_set(6), t), vf_sub(vf_set(1), t));
    vf value = vf_mul(square, factor), rest = vf_fma(square, factor, -value);
    vf rests = vf_fma(slope, lost, vf_fma(square_rest, factor, vf_mul(square, factor_rest)));
    bool exact = lost == 0 && square_rest == 0 && factor_rest == 0;
    vf number = nearest_of_12_bits(near);
    vf over = vf_add(vf_sub(value, number), vf_add(rest, rests));
    *hard = !exact && vf_abs(over) <= vf_mul(value, 0x1p-38f);
    return nudge(number, over > 0, over < 0);
}

ALWAYS_INLINE vf smoothstep_hard_case_of(vf edge0, vf edge1, vf x, vf near)
{
    bool hard;
    vf n = vf_sub(x, edge0), d = vf_sub(edge1, edge0);
    bool are_floats = rest_of_sum(x, -edge0, n) == 0 && rest_of_sum(edge1, -edge0, d) == 0;
    vf result = smoothstep_closely(n, d, near, &hard);
    return are_floats && !hard ? result : smoothstep_exactly(edge0, edge1, x, near);
}

/* Results below 2^-25 round alike. The division here, within 2^-24 and 2^-46, uses none of the
 * slack. */
ALWAYS_INLINE vf smoothstep_in_float(vf edge0, vf edge1, vf x)
{
    vm exact_case;
    vf result = smoothstep_of(edge0, edge1, x, &exact_case);
    bool hard = vf_hard_cases(result, 8, exact_case) && result >= 0x1p-26f;
    return hard ? smoothstep_hard_case_of(edge0, edge1, x, result) : result;
}

#endif
