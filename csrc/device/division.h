/* Division with remainder as in Python, by two steps of division in float. */
#ifndef HALFCL_DEVICE_DIVISION_H
#define HALFCL_DEVICE_DIVISION_H

#include "kernels/functions/division.h"

/* Computes a quotient and its remainder, exactly; the remainder is less than 0.54 b.
 *
 * The first quotient, of 24 bits, has an error of 1/2 or 2^-23 of it. Its remainder is a
 * multiple of the last place of b, or of a if that is smaller (then it is a or a - b); or with
 * a quotient q >= 2^24 of the last places of b and q together, and at most twice b times these.
 * So it has at most 13 bits, and the fused operation is exact. The second quotient is at most
 * 2^18, with an error of 1/2 + 2^-5. Their sum is exact below 2^24, and beyond half's range
 * otherwise. */
ALWAYS_INLINE vf remainder_by_steps(vf a, vf b, vf *quotient)
{
    vf inverse = vf_reciprocal_estimate(b);
    inverse = vf_fma(inverse, vf_fnma(b, inverse, vf_set(1)), inverse);
    vf first = vf_rint(vf_mul(a, inverse)), rest = vf_fnma(first, b, a);
    vf second = vf_rint(vf_mul(rest, inverse));
    *quotient = vf_select(first == 0, first, vf_add(first, second)); /* keeps a zero's sign */
    return vf_fnma(second, b, rest);
}

ALWAYS_INLINE vf floor_division(vf a, vf b, vf *rest, halfcl_rounding mode)
{
    vf quotient, one = vf_set(1);
    vm zero = vf_equal(b, vf_set(0));
    vf divisor = usable_divisor(b, zero);
    vf rest_of_steps = remainder_by_steps(vf_select(zero, one, a), divisor, &quotient);
    *rest = vf_select(zero, vf_set(NAN), floored_remainder(rest_of_steps, b, mode));
    return floored_quotient(a, b, zero, quotient, rest_of_steps);
}

#endif
