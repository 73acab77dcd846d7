/* The part of the vocabulary of avx512.h for 16-bit integers. */
#ifndef HALFCL_SIMD_AVX512_WORDS_H
#define HALFCL_SIMD_AVX512_WORDS_H

#include "simd/avx512_floats.h"

/* Missing elements in memory read as the half 1. */

OP(vw, vw_load, (const void *p), LOAD512(p))
OP(vw, vw_load_n, (const void *p, size_t n),
   _mm512_mask_loadu_epi16(_mm512_set1_epi16(HALF_ONE), first(n), p))
OP(void, vw_store, (void *p, vw v), _mm512_storeu_si512(p, v))
OP(void, vw_store_n, (void *p, vw v, size_t n), _mm512_mask_storeu_epi16(p, first(n), v))
OP(vw, vw_set, (int x), _mm512_set1_epi16((short)x))
OP(uint16_t, vw_first, (vw v), (uint16_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(v)))
OP(vw, vw_and, (vw a, vw b), _mm512_and_si512(a, b))
OP(vw, vw_or, (vw a, vw b), _mm512_or_si512(a, b))
OP(vw, vw_xor, (vw a, vw b), _mm512_xor_si512(a, b))
OP(vw, vw_add, (vw a, vw b), _mm512_add_epi16(a, b))
OP(vw, vw_sub, (vw a, vw b), _mm512_sub_epi16(a, b))
OP(vw, vw_min, (vw a, vw b), _mm512_min_epi16(a, b))
OP(vw, vw_max, (vw a, vw b), _mm512_max_epi16(a, b))
OP(wm, vw_equal, (vw a, vw b), _mm512_cmpeq_epi16_mask(a, b))
OP(wm, vw_greater, (vw a, vw b), _mm512_cmpgt_epi16_mask(a, b))
OP(wm, vw_negative, (vw a), _mm512_movepi16_mask(a))
OP(vw, vw_select, (wm m, vw a, vw b), _mm512_mask_mov_epi16(b, m, a))

OP(vw, vh_join, (vh low, vh high), _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1))

/* Truths in memory are bytes, 0 or 1. */

OP(void, wm_store, (uint8_t *p, wm m),
   _mm256_storeu_si256((__m256i *)p, _mm256_maskz_set1_epi8(m, 1)))
OP(void, wm_store_n, (uint8_t *p, wm m, size_t n),
   _mm256_mask_storeu_epi8(p, first(n), _mm256_maskz_set1_epi8(m, 1)))
OP(wm, wm_load, (const uint8_t *p), _mm256_test_epi8_mask(LOAD256(p), LOAD256(p)))

ALWAYS_INLINE wm wm_load_n(const uint8_t *p, size_t n)
{
    __m256i bytes = _mm256_maskz_loadu_epi8(first(n), p);
    return _mm256_test_epi8_mask(bytes, bytes);
}

#endif
