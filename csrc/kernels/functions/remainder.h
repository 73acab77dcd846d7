/* C's remainders: fmod, remainder, remquo.
 *
 * Magnitudes x and y are divided with an estimate of 1 / y; the remaining part of x shows the
 * error of the quotient. All products are exact, since their factors have at most 10 and 11
 * bits, and so are all differences: each is a multiple of the last place of x or of y, and less
 * than x, or than 2 y. Zero and infinity need no special treatment, except an infinite y: 0 or
 * infinity times the estimate, infinity or 0, is NaN where there is no remainder, and raises
 * invalid. */
#ifndef HALFCL_KERNELS_FUNCTIONS_REMAINDER_H
#define HALFCL_KERNELS_FUNCTIONS_REMAINDER_H

#include "kernels/shared/map.h"

/* y in products: 2^17, more than all finite x, replaces infinity. NaN becomes 2^17, too, but
 * its estimate stays NaN. */
ALWAYS_INLINE vf finite_divisor(vf y)
{
    return vf_of_bits(vi_min(vf_bits(y), vf_bits(vf_set(0x1p17f))));
}

/* Subtracts a multiple of 128 y from x. If x is 512 y or more, that is more than half of x, and
 * less than 2^-7 x + 128 y remains; otherwise the result is meaningless. */
ALWAYS_INLINE vf take_multiple(vf x, vf y, vf inverse)
{
    vf below = vf_mul(x, vf_mul(inverse, vf_set((1 - 0x1p-9f) / 128)));
    vf nine_bits = vf_of_bits(vi_and(vf_bits(below), vi_set(-(1 << 15))));
    return vf_nmuladd(vf_trunc(nine_bits), vf_mul(y, vf_set(128)), x);
}

/* Returns x / y rounded down to an integer, or 1 less than that, after subtracting multiples of
 * 128 y from x until the quotient by the estimate, whose relative error is 2^-11, has an error
 * of less than 1 / 4. */
ALWAYS_INLINE vf divide_down(vf *x, vf y, vf inverse)
{
    for (;;) {
        vf quotient = vf_muladd(*x, inverse, vf_set(-0.25f));
        vm large = vf_less(vf_set(512), quotient);
        if (!vm_any(large))
            return vf_trunc(quotient);
        *x = vf_select(large, take_multiple(*x, y, inverse), *x);
    }
}

ALWAYS_INLINE vf fmod_of(vf a, vf b, halfcl_rounding mode)
{
    (void)mode;
    vf x = vf_abs(a), y = finite_divisor(vf_abs(b));
    vf quotient = divide_down(&x, y, vf_reciprocal_estimate(vf_abs(b)));
    vf rest = vf_nmuladd(quotient, y, x);
    rest = vf_select(vf_less_equal(y, rest), vf_sub(rest, y), rest);
    return vf_copysign(rest, a);
}

/* Returns the bits of an integer, if it is below 2^23; 0 for NaN. */
ALWAYS_INLINE vi low_bits(vf integer, int32_t mask)
{
    return vi_and(vf_bits(vf_add(integer, vf_set(0x1p23f))), vi_set(mask));
}

/* Returns the quotient to nearest, ties to even, except for multiples of 128; and the remaining
 * part of x. The bits of magnitudes are in the order of these, so that adding 1 decides
 * ties. */
ALWAYS_INLINE vf divide_nearest(vf x, vf y, vf inverse, vf *quotient)
{
    *quotient = divide_down(&x, y, inverse);
    vf rest = vf_nmuladd(*quotient, y, x);
    vi doubled = vi_add(vf_bits(vf_add(rest, rest)), low_bits(*quotient, 1));
    vm past_middle = vi_less(vf_bits(y), doubled);
    *quotient = vf_select(past_middle, vf_add(*quotient, vf_set(1)), *quotient);
    return vf_select(past_middle, vf_sub(rest, y), rest);
}

/* Flips the sign if a is negative; a zero has a's sign. */
ALWAYS_INLINE vf signed_rest(vf rest, vf a)
{
    rest = vf_select(vf_equal(rest, vf_set(0)), vf_set(0), rest);
    return vf_of_bits(vi_xor(vf_bits(rest), vi_and(vf_bits(a), vi_set(INT32_MIN))));
}

ALWAYS_INLINE vf remquo_of(vf a, vf b, vi *quotient)
{
    vf x = vf_abs(a), y = vf_abs(b), count;
    vf rest = divide_nearest(x, finite_divisor(y), vf_reciprocal_estimate(y), &count);
    vi seven_bits = low_bits(count, 0x7f);
    vi minus = vi_shift_right(vi_xor(vf_bits(a), vf_bits(b)), 31);
    *quotient = vi_sub(vi_xor(seven_bits, minus), minus);
    return signed_rest(rest, a);
}

ALWAYS_INLINE vf remainder_of(vf a, vf b, halfcl_rounding mode)
{
    (void)mode;
    vi unused;
    return remquo_of(a, b, &unused);
}

FLOAT_BINARY(fmod_kernel, fmod_of, NEVER_TINY)
FLOAT_BINARY(remainder_kernel, remainder_of, NEVER_TINY)
KERNEL(remquo_kernel, map_binary_int(args, n, remquo_of))

#define REMAINDER_KERNELS                                                                      \
    BINARY("fmod", fmod_kernel)                                                                \
    BINARY("remainder", remainder_kernel)                                                      \
    MAP("remquo", remquo_kernel, 2, 2, HALFCL_HALF, HALFCL_HALF, HALFCL_HALF, HALFCL_INT32)

#endif
