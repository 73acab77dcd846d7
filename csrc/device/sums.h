/* Sums of halves on devices. */
#ifndef HALFCL_DEVICE_SUMS_H
#define HALFCL_DEVICE_SUMS_H

/* Returns a + b, for halves given as floats, rounded to half.
 *
 * To nearest, rounding twice gives the same as rounding once (arithmetic.h); in another mode
 * the result is that half or the next one. The rounding error of the first rounding tells
 * which: the sum minus the larger operand is exact, and is compared with the smaller one.
 * Rounding is monotonic, so that the other comparison is never wrong, but may miss a
 * difference. Zeros that cancel are negative in rtn, as 0 - 0 is for -a and b. */
ALWAYS_INLINE vh rounded_sum(vf a, vf b, halfcl_rounding mode)
{
    vf sum = mode == HALFCL_RTN ? -vf_sub(-a, b) : vf_add(a, b);
    vh nearest = rounded_half(sum, HALFCL_RTE);
    vi sign = mode == HALFCL_RTZ ? sign_bits(sum) : 0;
    vf x = vf_flipped(a, sign), y = vf_flipped(b, sign),
       all = vf_flipped(vf_widen(nearest), sign);
    vf less_x = vf_sub(all, x), less_y = vf_sub(all, y);
    bool is_below = less_x < y || less_y < x;
    bool is_above = less_x > y || less_y > x;
    return half_beside(nearest, is_below, is_above, mode);
}

OP(vh, rounded_difference, (vf a, vf b, halfcl_rounding mode), rounded_sum(a, -b, mode))

#endif
