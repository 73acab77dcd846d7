/* The upper half of the product of two 64-bit integers. */
#ifndef HALFCL_FORMAT_MUL_HIGH_H
#define HALFCL_FORMAT_MUL_HIGH_H

#include "format/half.h"

/* Computes it by products of 32 bits, for compilers without a 128-bit type. */
ALWAYS_INLINE uint64_t mul_high_by_words(uint64_t a, uint64_t b)
{
    const uint64_t a_low = a & UINT32_MAX, a_high = a >> 32;
    const uint64_t b_low = b & UINT32_MAX, b_high = b >> 32;
    uint64_t first = a_high * b_low + (a_low * b_low >> 32);
    uint64_t second = a_low * b_high + (first & UINT32_MAX);
    return a_high * b_high + (first >> 32) + (second >> 32);
}

ALWAYS_INLINE uint64_t mul_high(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    return (uint64_t)((unsigned __int128)a * b >> 64);
#else
    return mul_high_by_words(a, b);
#endif
}

#endif
