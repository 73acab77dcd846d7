/* Sums of halves on devices. */
#ifndef HALFCL_DEVICE_SUMS_H
#define HALFCL_DEVICE_SUMS_H

/* What rounds to half in mode as a + b does, of halves as floats.
 *
 * Halves are floats, and rounding is monotone: the float to nearest rounds alike unless it is a
 * half that a + b is not. Then b, the smaller one, is too small to count, and the sum is a: in
 * any other case b has no place as low as what is lost. So it is moved in b's direction, where
 * mode heeds that, by 2^-20 of itself, which is not as far as the next half. Zeros that cancel
 * are negative in rtn. Checked on all pairs. */
ALWAYS_INLINE vf halves_sum(vf a, vf b, halfcl_rounding mode)
{
    vf sum = vf_add(a, b);
    bool is_a = sum == a, is_b = sum == b;
    if (mode == HALFCL_RTZ) {
        bool beyond = (vf_bits(a) ^ vf_bits(b)) < 0 && ((is_a && b != 0) || (is_b && a != 0));
        return beyond ? vf_mul(sum, 1 - 0x1p-20f) : sum;
    }
    if (mode == HALFCL_RTP) {
        bool below = (is_a && b > 0) || (is_b && a > 0);
        return below ? vf_mul(sum, sum > 0 ? 1 + 0x1p-20f : 1 - 0x1p-20f) : sum;
    }
    if (mode == HALFCL_RTN) {
        bool above = (is_a && b < 0) || (is_b && a < 0);
        bool minus = sum == 0 && (vf_sign(a) || vf_sign(b));
        vf moved = vf_mul(sum, sum > 0 ? 1 - 0x1p-20f : 1 + 0x1p-20f);
        return minus ? -0.0f : above ? moved : sum;
    }
    return sum;
}

OP(vf, halves_difference, (vf a, vf b, halfcl_rounding mode), halves_sum(a, -b, mode))

#endif
