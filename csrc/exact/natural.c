#include "exact/natural.h"

#include <math.h>

natural natural_of(uint64_t x)
{
    return (natural){{(uint32_t)x, (uint32_t)(x >> 32)}};
}

bool natural_is_zero(const natural *x)
{
    uint32_t any = 0;
    for (int k = 0; k < NATURAL_LIMBS; ++k)
        any |= x->limb[k];
    return any == 0;
}

static int limb_bits(uint32_t limb)
{
    int bits = 0;
    for (int step = 16; step > 0; step /= 2) {
        if (limb >> step) {
            limb >>= step;
            bits += step;
        }
    }
    return bits + (limb != 0);
}

int natural_bits(const natural *x)
{
    int top = NATURAL_LIMBS - 1;
    while (top > 0 && x->limb[top] == 0)
        --top;
    return 32 * top + limb_bits(x->limb[top]);
}

int natural_compare(const natural *a, const natural *b)
{
    for (int k = NATURAL_LIMBS - 1; k >= 0; --k) {
        if (a->limb[k] != b->limb[k])
            return a->limb[k] < b->limb[k] ? -1 : 1;
    }
    return 0;
}

natural natural_product(const natural *a, const natural *b)
{
    natural product = {{0}};
    for (int i = 0; i < NATURAL_LIMBS; ++i) {
        uint64_t carry = 0;
        for (int k = 0; a->limb[i] != 0 && i + k < NATURAL_LIMBS; ++k) {
            carry += (uint64_t)a->limb[i] * b->limb[k] + product.limb[i + k];
            product.limb[i + k] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    return product;
}

natural natural_difference(const natural *a, const natural *b)
{
    natural difference;
    uint64_t carry = 1;
    for (int k = 0; k < NATURAL_LIMBS; ++k) {
        carry += (uint64_t)a->limb[k] + (uint32_t)~b->limb[k];
        difference.limb[k] = (uint32_t)carry;
        carry >>= 32;
    }
    return difference;
}

/* Returns limb k after a left shift by 0 to 31 bits, from limbs k and k - 1. */
static uint32_t shifted_limb(const natural *x, int k, int bits)
{
    uint64_t high = k >= 0 && k < NATURAL_LIMBS ? x->limb[k] : 0;
    uint64_t low = k >= 1 && k <= NATURAL_LIMBS ? x->limb[k - 1] : 0;
    return (uint32_t)((high << 32 | low) << bits >> 32);
}

natural natural_shifted(const natural *x, int left)
{
    natural shifted;
    int bits = left & 31, limbs = (left - bits) / 32;
    for (int k = 0; k < NATURAL_LIMBS; ++k)
        shifted.limb[k] = shifted_limb(x, k - limbs, bits);
    return shifted;
}

natural natural_quotient(const natural *x, uint64_t divisor, bool *rest)
{
    natural quotient = {{0}};
    uint64_t remainder = 0;
    if (divisor >> 32 == 0) {
        for (int k = NATURAL_LIMBS - 1; k >= 0; --k) {
            remainder = remainder << 32 | x->limb[k];
            quotient.limb[k] = (uint32_t)(remainder / divisor);
            remainder %= divisor;
        }
    } else {
        for (int bit = NATURAL_BITS - 1; bit >= 0; --bit) {
            remainder = remainder << 1 | (x->limb[bit / 32] >> bit % 32 & 1);
            if (remainder >= divisor) {
                remainder -= divisor;
                quotient.limb[bit / 32] |= (uint32_t)1 << bit % 32;
            }
        }
    }
    *rest |= remainder != 0;
    return quotient;
}

/* Returns the bits from `first` on of a number that has at most 64 of them. */
static uint64_t bits_from(const natural *x, int first, bool *rest)
{
    natural cut = natural_shifted(x, -first);
    for (int bit = 0; bit < first; ++bit)
        *rest |= x->limb[bit / 32] >> bit % 32 & 1;
    return (uint64_t)cut.limb[1] << 32 | cut.limb[0];
}

uint64_t natural_significand(const natural *x, int *exponent)
{
    int bits = natural_bits(x);
    bool rest = false;
    *exponent = bits > 64 ? bits - 64 : 0;
    uint64_t significand = bits_from(x, *exponent, &rest);
    return significand | rest;
}

double natural_near(const natural *x)
{
    int top = NATURAL_LIMBS - 1;
    while (top > 2 && x->limb[top] == 0)
        --top;
    double high = (double)((uint64_t)x->limb[top] << 32 | x->limb[top - 1]);
    return ldexp(high * 0x1p32 + x->limb[top - 2], 32 * (top - 2));
}

static bool square_fits(uint64_t root, const natural *x)
{
    natural side = natural_of(root), square = natural_product(&side, &side);
    return natural_compare(&square, x) <= 0;
}

uint64_t natural_root(const natural *x, bool *rest)
{
    enum { CLOSE = 1 << 12 }; /* the error of sqrt below 2^60, or more */
    uint64_t near = (uint64_t)sqrt(natural_near(x)), root = near < CLOSE ? 0 : near - CLOSE;
    for (uint64_t bit = 2 * CLOSE; bit > 0; bit /= 2) {
        if (square_fits(root + bit, x))
            root += bit;
    }
    natural side = natural_of(root), square = natural_product(&side, &side);
    *rest |= natural_compare(&square, x) != 0;
    return root;
}
