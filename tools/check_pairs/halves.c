#include "halves.h"

#include <math.h>
#include <string.h>

double values[HALVES];

void init_values(void)
{
    for (unsigned bits = 0; bits < HALVES; ++bits) {
        int exponent = bits >> 10 & 31;
        unsigned significand = bits & 0x3ff;
        double size = exponent == 31 && significand ? NAN
                      : exponent == 31              ? INFINITY
                      : exponent                    ? ldexp(significand | 0x400, exponent - 25)
                                                    : ldexp(significand, -24);
        values[bits] = bits & SIGN ? -size : size;
    }
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

double to_odd(double truncated)
{
    uint64_t bits = bits_of(truncated) | 1;
    memcpy(&truncated, &bits, sizeof bits);
    return truncated;
}

static void set_all(rounded *out, unsigned bits)
{
    for (int m = 0; m < MODES; ++m) {
        out->bits[m] = (uint16_t)bits;
        out->flags[m] = 0;
    }
}

void round_to_half(double exact, rounded *out)
{
    enum { LEAST_EXPONENT = -14, TOO_SMALL = -30, TOO_LARGE = 17 };
    unsigned sign = signbit(exact) ? SIGN : 0;
    if (isnan(exact) || isinf(exact) || exact == 0) {
        set_all(out, isnan(exact) ? NAN_BITS : isinf(exact) ? sign | INF : sign);
        return;
    }
    uint64_t bits = bits_of(exact), hidden = (uint64_t)1 << 52;
    uint64_t significand = (bits & (hidden - 1)) | hidden;
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    exponent = exponent < TOO_SMALL ? TOO_SMALL : exponent > TOO_LARGE ? TOO_LARGE : exponent;

    /* The half below is kept units of 2^unit. Its bits are the exponent's and kept, whose
     * leading bit, if any, adds one to the exponent; as does a carry. */
    int unit = exponent < LEAST_EXPONENT ? -24 : exponent - 10, cut = unit - exponent + 52;
    uint64_t kept = significand >> cut, rest = significand - (kept << cut);
    uint64_t midpoint = (uint64_t)1 << (cut - 1);
    unsigned below = (unsigned)((unit + 24) * 1024) + (unsigned)kept;
    bool nearer_above = rest > midpoint || (rest == midpoint && kept % 2 == 1);
    unsigned nearest = below + nearer_above, beyond = below + (rest != 0);

    int toward_zero = sign ? HALFCL_RTP : HALFCL_RTN;
    bool tiny = exponent < LEAST_EXPONENT && rest != 0;
    for (int m = 0; m < MODES; ++m) {
        bool cuts = m == HALFCL_RTZ || m == toward_zero;
        unsigned size = m == HALFCL_RTE ? nearest : cuts ? below : beyond;
        unsigned flags = tiny ? HALFCL_UNDERFLOW : 0;
        if (size >= INF) {
            size = cuts ? LARGEST : INF;
            flags |= HALFCL_OVERFLOW;
        }
        out->bits[m] = (uint16_t)(sign | size);
        out->flags[m] = (uint8_t)flags;
    }
}
