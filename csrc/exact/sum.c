#include "exact/sum.h"

void exact_sum_carry(exact_sum *sum)
{
    int64_t carry = 0;
    for (int k = 0; k + 1 < EXACT_LIMBS; ++k) {
        int64_t total = sum->limb[k] + carry;
        sum->limb[k] = total & LIMB_MASK;
        carry = carry_of_limb(total);
    }
    sum->limb[EXACT_LIMBS - 1] += carry;
}

bool exact_sum_magnitude(exact_sum *sum)
{
    bool negative = sum->limb[EXACT_LIMBS - 1] < 0;
    bool is_short = negative && (sum->limb[0] | sum->limb[1]) != 0; /* above -2^64 */
    for (int k = 2; k < EXACT_LIMBS; ++k)
        is_short &= sum->limb[k] == (k + 1 < EXACT_LIMBS ? LIMB_MASK : -1);
    if (is_short) { /* as most sums do */
        uint64_t size = -((uint64_t)sum->limb[1] << 32 | (uint64_t)sum->limb[0]);
        *sum = (exact_sum){{(int64_t)(size & 0xffffffff), (int64_t)(size >> 32)}};
    } else if (negative) {
        for (int k = 0; k < EXACT_LIMBS; ++k)
            sum->limb[k] = -sum->limb[k];
        exact_sum_carry(sum);
    }
    return negative;
}

uint64_t exact_sum_significand(const exact_sum *magnitude, int *exponent)
{
    int top = EXACT_LIMBS - 1;
    while (top > 1 && magnitude->limb[top] == 0)
        --top;
    uint64_t significand =
        (uint64_t)magnitude->limb[top] << 32 | (uint64_t)magnitude->limb[top - 1];
    for (int k = 0; k < top - 1; ++k)
        significand |= magnitude->limb[k] != 0;
    *exponent = 32 * (top - 1);
    return significand;
}

uint16_t exact_sum_round(const exact_sum *sum, int unit, halfcl_rounding mode, unsigned *flags)
{
    exact_sum size = *sum;
    int exponent;
    bool negative = exact_sum_magnitude(&size);
    uint64_t significand = exact_sum_significand(&size, &exponent);
    return half_round_pack(negative, significand, exponent + unit, mode, flags);
}
