/* Running sums and products of halves as NumPy has them: each step in float, then rounded to
 * half, to nearest; with the same exceptions. The processor's own conversions take a third of
 * the time of NumPy's. */
#ifndef HALFCL_RUNNING_H
#define HALFCL_RUNNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "halfcl.h"

/* result[i] = result[i - 1] op in[i]. True if a step was inexact and tiny. */
typedef bool halfcl_running(uint16_t first, const char *in, ptrdiff_t in_step, char *out,
                            ptrdiff_t out_step, ptrdiff_t n);

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#include <immintrin.h>

#define HALFCL_F16C __attribute__((target("f16c")))

static inline HALFCL_F16C __m128 halfcl_float_of(uint16_t bits)
{
    return _mm_cvtph_ps(_mm_cvtsi32_si128(bits));
}

static inline uint32_t halfcl_bits_of(__m128 x)
{
    return (uint32_t)_mm_cvtsi128_si32(_mm_castps_si128(x));
}

/* Compared as integers, which raises nothing for NaNs. */
#define HALFCL_RUNNING(name, operation)                                                        \
    static HALFCL_F16C bool name(uint16_t first, const char *in, ptrdiff_t in_step, char *out, \
                                 ptrdiff_t out_step, ptrdiff_t n)                              \
    {                                                                                          \
        const uint32_t least_normal = 0x38800000;                                              \
        __m128 total = halfcl_float_of(first);                                                 \
        bool lost = false;                                                                     \
        for (; n > 0; n--, in += in_step, out += out_step) {                                   \
            uint16_t bits;                                                                     \
            memcpy(&bits, in, sizeof bits);                                                    \
            __m128 exact = operation(total, halfcl_float_of(bits));                            \
            __m128i rounded = _mm_cvtps_ph(exact, _MM_FROUND_TO_NEAREST_INT);                  \
            bits = (uint16_t)_mm_cvtsi128_si32(rounded);                                       \
            memcpy(out, &bits, sizeof bits);                                                   \
            total = _mm_cvtph_ps(rounded);                                                     \
            lost |= (halfcl_bits_of(exact) & 0x7FFFFFFF) < least_normal &&                     \
                    halfcl_bits_of(exact) != halfcl_bits_of(total);                            \
        }                                                                                      \
        return lost;                                                                           \
    }

HALFCL_RUNNING(halfcl_running_sum, _mm_add_ss)
HALFCL_RUNNING(halfcl_running_product, _mm_mul_ss)

/* As the engine finds out: not every compiler's __builtin_cpu_supports knows this one. */
static inline bool halfcl_has_f16c(void)
{
    const char *feature;
    for (size_t i = 0; (feature = halfcl_cpu_feature(i)); ++i) {
        if (strcmp(feature, "f16c") == 0)
            return true;
    }
    return false;
}

/* By the name of the kernel that makes a step; NULL if it is NumPy's to do. */
static inline halfcl_running *halfcl_find_running(const char *name)
{
    if (!halfcl_has_f16c())
        return NULL;
    return strcmp(name, "add") == 0        ? halfcl_running_sum
           : strcmp(name, "multiply") == 0 ? halfcl_running_product
                                           : NULL;
}

#else

static inline halfcl_running *halfcl_find_running(const char *name)
{
    (void)name;
    return NULL;
}

#endif
#endif
