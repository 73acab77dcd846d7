/* Conversions of one number, in integer arithmetic only. */
#include "format/half.h"

float halfcl_to_float(uint16_t half)
{
    uint32_t magnitude = half & HALF_MAGNITUDE, bits;
    if (magnitude >= HALF_INF) {
        bits = FLOAT_INF | (magnitude & 0x3ff) << FLOAT_CUT;
        if (magnitude > HALF_INF)
            bits |= FLOAT_QUIET;
    } else if (magnitude >= HALF_MIN_NORMAL) {
        bits = (magnitude << FLOAT_CUT) + ((uint32_t)112 << 23);
    } else {
        bits = bits_of_float((float)(int32_t)magnitude * 0x1p-24f);
    }
    return float_of_bits(bits | (uint32_t)(half & HALF_SIGN) << 16);
}

static int top_bit(uint64_t x)
{
#if defined(__GNUC__) || defined(__clang__)
    return 63 - __builtin_clzll(x);
#endif
    int bit = 0;
    for (int step = 32; step > 0; step /= 2) {
        if (x >> step) {
            x >>= step;
            bit += step;
        }
    }
    return bit;
}

uint16_t half_round_pack(bool negative, uint64_t significand, int exponent,
                         halfcl_rounding mode, unsigned *flags)
{
    uint16_t sign = negative ? HALF_SIGN : 0;
    if (significand == 0)
        return sign;
    /* The last place of the result is 2^unit: the result has 11 bits or the spacing of the
     * subnormals. */
    int top = top_bit(significand) + exponent;
    if (top > 40) {
        significand = 1;
        exponent = top = 40;
    }
    int unit = top < -14 ? -24 : top - 10;
    int cut = unit - exponent;
    uint64_t kept = cut > 63 ? 0 : cut >= 0 ? significand >> cut : significand << -cut;
    bool inexact = false, up = false;
    if (cut > 0) {
        uint64_t rest = cut > 63 ? significand : significand - (kept << cut);
        uint64_t midpoint = cut > 64 ? UINT64_MAX : (uint64_t)1 << (cut - 1);
        inexact = rest != 0;
        up = mode == HALFCL_RTE ? rest > midpoint || (rest == midpoint && (kept & 1))
                                : inexact && rounds_away(negative, mode);
    }
    if (inexact && top < -14)
        *flags |= HALFCL_UNDERFLOW;
    /* The leading bit of `kept` adds one to the exponent field, and so does a carry. */
    uint64_t packed = ((uint64_t)(unit + 24) << 10) + kept + up;
    if (packed >= HALF_INF) {
        *flags |= HALFCL_OVERFLOW;
        packed = mode == HALFCL_RTE || rounds_away(negative, mode) ? HALF_INF : HALF_LARGEST;
    }
    return (uint16_t)packed | sign;
}

uint16_t halfcl_from_double(double value, halfcl_rounding mode, unsigned *flags)
{
    unsigned ignored = 0;
    if (!flags)
        flags = &ignored;
    uint64_t bits = bits_of_double(value);
    bool negative = bits >> 63;
    int biased = bits >> 52 & 0x7ff;
    uint64_t fraction = bits & (((uint64_t)1 << 52) - 1);
    if (biased == 0x7ff) {
        uint16_t sign = negative ? HALF_SIGN : 0;
        if (fraction == 0)
            return HALF_INF | sign;
        if (!(fraction >> 51))
            *flags |= HALFCL_INVALID;
        return HALF_NAN | (uint16_t)(fraction >> 42) | sign;
    }
    if (biased == 0)
        biased = 1;
    else
        fraction |= (uint64_t)1 << 52;
    return half_round_pack(negative, fraction, biased - 1075, mode, flags);
}

bool halfcl_widen_few(char *to, ptrdiff_t to_step, bool to_double, const char *from,
                      ptrdiff_t step, size_t n)
{
    for (size_t i = 0; i < n; i++, to += to_step, from += step) {
        const uint16_t half = read_half(from);
        const uint64_t magnitude = half & HALF_MAGNITUDE;
        if (magnitude > HALF_INF)
            return false;
        const bool is_normal = magnitude >= HALF_MIN_NORMAL && magnitude < HALF_INF;
        if (to_double) {
            /* Normal numbers have the same digits, and an exponent with another bias. */
            uint64_t bits = (uint64_t)(half & HALF_SIGN) << 48;
            bits |= (magnitude << 42) + ((uint64_t)1008 << 52);
            const double wide =
                is_normal ? double_of_bits(bits) : (double)halfcl_to_float(half);
            memcpy(to, &wide, sizeof wide);
        } else {
            const float single = halfcl_to_float(half);
            memcpy(to, &single, sizeof single);
        }
    }
    return true;
}
