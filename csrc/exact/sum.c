#include "exact/sum.h"

static const int64_t LIMB_MASK = 0xffffffff;

/* floor(x / 2^32), without a shift of negative numbers. */
static int64_t carry_of(int64_t x)
{
    return (x - (x & LIMB_MASK)) / ((int64_t)1 << 32);
}

uint16_t exact_special(unsigned seen, unsigned *flags)
{
    const unsigned both = SEEN_PLUS_INFINITY | SEEN_MINUS_INFINITY;
    if (seen & SEEN_INVALID || (seen & SEEN_SPECIAL) == both)
        *flags |= HALFCL_INVALID;
    if (seen & SEEN_NAN || (seen & both) == both)
        return HALF_NAN;
    return seen & SEEN_MINUS_INFINITY ? HALF_INF | HALF_SIGN : HALF_INF;
}

void exact_add(exact_sum *sum, int limb, int64_t integer)
{
    for (; integer != 0 && limb + 1 < EXACT_LIMBS; ++limb) {
        int64_t total = sum->limb[limb] + (integer & LIMB_MASK);
        sum->limb[limb] = total & LIMB_MASK;
        integer = carry_of(integer) + carry_of(total);
    }
    sum->limb[limb] += integer;
}

void exact_carry(exact_sum *sum)
{
    int64_t carry = 0;
    for (int k = 0; k + 1 < EXACT_LIMBS; ++k) {
        int64_t total = sum->limb[k] + carry;
        sum->limb[k] = total & LIMB_MASK;
        carry = carry_of(total);
    }
    sum->limb[EXACT_LIMBS - 1] += carry;
}

bool exact_is_zero(const exact_sum *sum)
{
    int64_t any = 0;
    for (int k = 0; k < EXACT_LIMBS; ++k)
        any |= sum->limb[k];
    return any == 0;
}

uint16_t exact_round(const exact_sum *sum, int unit, halfcl_rounding mode, unsigned *flags)
{
    exact_sum size = *sum;
    bool negative = size.limb[EXACT_LIMBS - 1] < 0;
    if (negative) {
        size = (exact_sum){0};
        for (int k = 0; k < EXACT_LIMBS; ++k)
            exact_add(&size, k, -sum->limb[k]);
    }
    int top = EXACT_LIMBS - 1;
    while (top > 0 && size.limb[top] == 0)
        --top;
    if (top == 0)
        return half_round_pack(negative, (uint64_t)size.limb[0], unit, mode, flags);
    /* Two limbs have at least 33 significant bits; the rest is sticky. */
    uint64_t significand = (uint64_t)size.limb[top] << 32 | (uint64_t)size.limb[top - 1];
    for (int k = 0; k < top - 1; ++k)
        significand |= size.limb[k] != 0;
    return half_round_pack(negative, significand, 32 * (top - 1) + unit, mode, flags);
}
