/* Division with remainder as in Python: //, % and divmod. C's remainders are in remainder.h. */
#ifndef HALFCL_KERNELS_FUNCTIONS_DIVISION_H
#define HALFCL_KERNELS_FUNCTIONS_DIVISION_H

#include <math.h>

#include "kernels/shared/map.h"

/* Returns the quotient truncated to an integer and the remainder, which is a half exactly. For
 * finite a and b other than zero; infinite a gives NaN and raises invalid.
 *
 * Let a and b be integers in units of the smaller one's last place. A quotient that is not the
 * integer k is at least 1 / b from it, which is more than an ulp of k as long as k b < 2^24 in
 * float, or 2^53 in double: then division cannot round up to k in any mode. |a / b| < 2^11
 * makes k b < 2^22; and always k b < 2^41. Then k b and a - k b are exact. Quotients that do
 * not fit a float are far beyond half's range. */
ALWAYS_INLINE vd remainder_double(vd a, vd b, vd *quotient)
{
    *quotient = vd_trunc(vd_div(a, b));
    return vd_sub(a, vd_mul(*quotient, b));
}

ALWAYS_INLINE vf remainder_float(vf a, vf b, vf *quotient)
{
    vm large = vf_less(vf_mul(vf_abs(b), vf_set(0x1p11f)), vf_abs(a));
    if (!vm_any(large)) {
        *quotient = vf_trunc(vf_div(a, b));
        return vf_sub(a, vf_mul(*quotient, b));
    }
    vd low, high;
    vd low_rest = remainder_double(vd_low(a), vd_low(b), &low);
    vd high_rest = remainder_double(vd_high(a), vd_high(b), &high);
    *quotient = vf_join_odd(low, high);
    return vf_join_odd(low_rest, high_rest);
}

/* Replaces an infinite b (any finite a is smaller than 2^17) and a zero. */
ALWAYS_INLINE vf usable_divisor(vf b, vm zero)
{
    vm infinite = vf_equal(vf_abs(b), vf_set(INFINITY));
    b = vf_select(infinite, vf_copysign(vf_set(0x1p17f), b), b);
    return vf_select(zero, vf_set(1), b);
}

/* Division by zero has no remainder: infinity replaces a and raises invalid, unless a is a
 * NaN. */
ALWAYS_INLINE vf usable_dividend(vf a, vm zero)
{
    return vf_select(vm_and(zero, vf_equal(a, a)), vf_set(INFINITY), a);
}

/* Returns whether the floor is one below the truncated quotient. */
ALWAYS_INLINE vm floors_below(vf rest, vf b)
{
    vf zero = vf_set(0);
    return vm_or(vm_and(vf_less(rest, zero), vf_less(zero, b)),
                 vm_and(vf_less(zero, rest), vf_less(b, zero)));
}

ALWAYS_INLINE vf floored_remainder(vf rest, vf b, halfcl_rounding mode)
{
    vf moved = vf_select(floors_below(rest, b), vf_sum(rest, b, mode), rest);
    return vf_select(vf_equal(moved, vf_set(0)), vf_copysign(moved, b), moved);
}

/* Returns the floor of a / b as a float, and a / b itself if b is zero. */
ALWAYS_INLINE vf floored_quotient(vf a, vf b, vm zero, vf quotient, vf rest)
{
    vf one = vf_set(1);
    quotient = vf_select(floors_below(rest, b), vf_sub(quotient, one), quotient);
    quotient = vf_select(vf_equal(rest, rest), quotient, rest);
    if (vm_any(zero)) {
        vf plain = vf_div(vf_select(zero, a, one), vf_select(zero, b, one));
        quotient = vf_select(zero, plain, quotient);
    }
    return quotient;
}

ALWAYS_INLINE vf floor_remainder_of(vf a, vf b, halfcl_rounding mode)
{
    vf quotient;
    vm zero = vf_equal(b, vf_set(0));
    vf rest = remainder_float(usable_dividend(a, zero), usable_divisor(b, zero), &quotient);
    return floored_remainder(rest, b, mode);
}

ALWAYS_INLINE vf floor_quotient_of(vf a, vf b, halfcl_rounding mode)
{
    (void)mode;
    vf quotient, one = vf_set(1);
    vm zero = vf_equal(b, vf_set(0));
    vf rest = remainder_float(vf_select(zero, one, a), usable_divisor(b, zero), &quotient);
    return floored_quotient(a, b, zero, quotient, rest);
}

FLOAT_BINARY(floor_remainder, floor_remainder_of, NEVER_TINY)
FLOAT_BINARY(floor_divide, floor_quotient_of, NEVER_TINY)

static unsigned divmod_kernel(void *const *args, size_t n, halfcl_rounding mode)
{
    const uint16_t *dividends = args[0], *divisors = args[1];
    uint16_t *quotients = args[2], *remainders = args[3];
    acc seen = acc_none();
    for (size_t at = 0; at < n; at += LANES) {
        vf a = load_n(dividends + at, n - at), b = load_n(divisors + at, n - at), quotient;
        vm zero = vf_equal(b, vf_set(0));
        vf rest = remainder_float(usable_dividend(a, zero), usable_divisor(b, zero), &quotient);
        quotient = floored_quotient(a, b, zero, quotient, rest);
        rest = floored_remainder(rest, b, mode);
        vh_store_n(quotients + at, round_to_half(quotient, mode, &seen, NEVER_TINY), n - at);
        vh_store_n(remainders + at, round_to_half(rest, mode, &seen, NEVER_TINY), n - at);
    }
    return acc_flags(seen);
}

#define DIVISION_KERNELS                                                                       \
    BINARY("floor_divide", floor_divide)                                                       \
    BINARY("floor_remainder", floor_remainder)                                                 \
    BINARY_PAIR("divmod", divmod_kernel)

#endif
