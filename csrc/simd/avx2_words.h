/* The part of the vocabulary of avx2.h for 16-bit integers. */
#ifndef HALFCL_SIMD_AVX2_WORDS_H
#define HALFCL_SIMD_AVX2_WORDS_H

#include "simd/avx2_floats.h"

/* Missing elements in memory read as the half 1. */

/* The compiler would load the vector again for each use, which takes longer than the operations
 * on it. */
ALWAYS_INLINE vw vw_load(const void *p)
{
    vw v = LOAD256(p);
    __asm__("" : "+x"(v));
    return v;
}
OP(void, vw_store, (void *p, vw v), _mm256_storeu_si256((__m256i *)p, v))

ALWAYS_INLINE vw vw_load_n(const void *p, size_t n)
{
    const uint16_t *halves = p;
    __m128i high = n > 8 ? vh_load_n(halves + 8, n - 8) : _mm_set1_epi16(HALF_ONE);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(vh_load_n(halves, n)), high, 1);
}

ALWAYS_INLINE void vw_store_n(void *p, vw v, size_t n)
{
    uint16_t *halves = p;
    vh_store_n(halves, _mm256_castsi256_si128(v), n);
    if (n > 8)
        vh_store_n(halves + 8, _mm256_extracti128_si256(v, 1), n - 8);
}

OP(vw, vw_set, (int x), _mm256_set1_epi16((short)x))
OP(uint16_t, vw_first, (vw v), (uint16_t)_mm_cvtsi128_si32(_mm256_castsi256_si128(v)))
OP(vw, vw_and, (vw a, vw b), _mm256_and_si256(a, b))
OP(vw, vw_or, (vw a, vw b), _mm256_or_si256(a, b))
OP(vw, vw_xor, (vw a, vw b), _mm256_xor_si256(a, b))
OP(vw, vw_add, (vw a, vw b), _mm256_add_epi16(a, b))
OP(vw, vw_sub, (vw a, vw b), _mm256_sub_epi16(a, b))
OP(vw, vw_min, (vw a, vw b), _mm256_min_epi16(a, b))
OP(vw, vw_max, (vw a, vw b), _mm256_max_epi16(a, b))
OP(wm, vw_equal, (vw a, vw b), _mm256_cmpeq_epi16(a, b))
OP(wm, vw_greater, (vw a, vw b), _mm256_cmpgt_epi16(a, b))
OP(wm, vw_negative, (vw a), _mm256_srai_epi16(a, 15))
OP(vw, vw_select, (wm m, vw a, vw b), _mm256_blendv_epi8(b, a, m))
OP(vw, vw_ordered, (vw a, int offset),
   vw_add(_mm256_sign_epi16(vw_and(a, vw_set(HALF_MAGNITUDE)), a), vw_set(offset)))

OP(vw, vh_join, (vh low, vh high), _mm256_set_m128i(high, low))

OP(wm, wm_and, (wm a, wm b), _mm256_and_si256(a, b))
OP(wm, wm_or, (wm a, wm b), _mm256_or_si256(a, b))
OP(wm, wm_xor, (wm a, wm b), _mm256_xor_si256(a, b))
OP(wm, wm_not, (wm a), _mm256_xor_si256(a, _mm256_set1_epi16(-1)))
OP(bool, wm_any, (wm a), _mm256_movemask_epi8(a) != 0)

/* Truths in memory are bytes, 0 or 1. */

ALWAYS_INLINE __m128i truth_bytes(wm m)
{
    __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(m), _mm256_extracti128_si256(m, 1));
    return _mm_and_si128(bytes, _mm_set1_epi8(1));
}

OP(unsigned, wm_bits, (wm m),
   (unsigned)_mm_movemask_epi8(_mm_packs_epi16(_mm256_castsi256_si128(m),
                                               _mm256_extracti128_si256(m, 1))))
OP(void, wm_store, (uint8_t *p, wm m), _mm_storeu_si128((__m128i *)p, truth_bytes(m)))

ALWAYS_INLINE void wm_store_pair(uint8_t *p, wm low, wm high)
{
    __m256i bytes = _mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0xd8);
    _mm256_storeu_si256((__m256i *)p, _mm256_and_si256(bytes, _mm256_set1_epi8(1)));
}

ALWAYS_INLINE void wm_store_n(uint8_t *p, wm m, size_t n)
{
    uint8_t bytes[WORDS];
    wm_store(bytes, m);
    memcpy(p, bytes, n < WORDS ? n : WORDS);
}

ALWAYS_INLINE wm wm_load(const uint8_t *p)
{
    __m256i words = _mm256_cvtepu8_epi16(LOAD128(p));
    return wm_not(vw_equal(words, _mm256_setzero_si256()));
}

ALWAYS_INLINE wm wm_load_n(const uint8_t *p, size_t n)
{
    uint8_t bytes[WORDS] = {0};
    memcpy(bytes, p, n < WORDS ? n : WORDS);
    return wm_load(bytes);
}

#endif
