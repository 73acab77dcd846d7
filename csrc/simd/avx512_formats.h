/* The part of the vocabulary of avx512.h for other formats in memory. */
#ifndef HALFCL_SIMD_AVX512_FORMATS_H
#define HALFCL_SIMD_AVX512_FORMATS_H

#include "simd/avx512_floats.h"

/* Integers are clamped to +-2^18: beyond half's range, so that results do not change, and exact
 * in float. */

OP(vi, vi_load_b, (const void *p), _mm512_cvtepi8_epi32(LOAD128(p)))
OP(vi, vi_load_B, (const void *p), _mm512_cvtepu8_epi32(LOAD128(p)))
OP(vi, vi_load_h, (const void *p), _mm512_cvtepi16_epi32(LOAD256(p)))
OP(vi, vi_load_H, (const void *p), _mm512_cvtepu16_epi32(LOAD256(p)))
OP(vi, vi_load_i, (const void *p),
   _mm512_max_epi32(_mm512_min_epi32(LOAD512(p), _mm512_set1_epi32(1 << 18)),
                    _mm512_set1_epi32(-(1 << 18))))
OP(vi, vi_load_I, (const void *p), _mm512_min_epu32(LOAD512(p), _mm512_set1_epi32(1 << 18)))

OP(vi, join_64, (__m512i low, __m512i high),
   _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(low)),
                      _mm512_cvtepi64_epi32(high), 1))
OP(__m512i, clamp_q, (__m512i v),
   _mm512_max_epi64(_mm512_min_epi64(v, _mm512_set1_epi64(1 << 18)),
                    _mm512_set1_epi64(-(1 << 18))))
OP(__m512i, clamp_Q, (__m512i v), _mm512_min_epu64(v, _mm512_set1_epi64(1 << 18)))
OP(vi, vi_load_q, (const void *p),
   join_64(clamp_q(LOAD512(p)), clamp_q(LOAD512((const int64_t *)p + 8))))
OP(vi, vi_load_Q, (const void *p),
   join_64(clamp_Q(LOAD512(p)), clamp_Q(LOAD512((const int64_t *)p + 8))))

OP(void, vi_store_8, (void *p, vi v), _mm_storeu_si128((__m128i *)p, _mm512_cvtepi32_epi8(v)))
/* Stores the low words of two vectors. */
ALWAYS_INLINE void vi_store_16_pair(void *p, vi low, vi high)
{
    const __m512i even =
        _mm512_set_epi16(62, 60, 58, 56, 54, 52, 50, 48, 46, 44, 42, 40, 38, 36, 34, 32, 30, 28,
                         26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    _mm512_storeu_si512(p, _mm512_permutex2var_epi16(low, even, high));
}

OP(vi, vi_load_32, (const void *p), LOAD512(p))
/* Loads n < LANES elements; the missing ones come from fill. */
OP(vi, vi_load_n, (const int32_t *p, size_t n, vi fill),
   _mm512_mask_loadu_epi32(fill, (__mmask16)first(n), p))
OP(void, vi_store_32, (void *p, vi v), _mm512_storeu_si512(p, v))

/* Stores integers sign-extended; INT32_MIN becomes low and INT32_MAX becomes high. */
ALWAYS_INLINE void vi_store_64(void *p, vi v, int64_t low, int64_t high)
{
    __mmask16 lows = _mm512_cmpeq_epi32_mask(v, _mm512_set1_epi32(INT32_MIN));
    __mmask16 highs = _mm512_cmpeq_epi32_mask(v, _mm512_set1_epi32(INT32_MAX));
    __m512i half[2] = {_mm512_cvtepi32_epi64(_mm512_castsi512_si256(v)),
                       _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(v, 1))};
    for (int k = 0; k < 2; ++k) {
        __m512i w = _mm512_mask_set1_epi64(half[k], (__mmask8)(lows >> 8 * k), low);
        w = _mm512_mask_set1_epi64(w, (__mmask8)(highs >> 8 * k), high);
        _mm512_storeu_si512((int64_t *)p + 8 * k, w);
    }
}

OP(vf, vf_load, (const void *p), _mm512_loadu_ps(p))

/* Loads four numbers, each into four lanes. */
ALWAYS_INLINE vf vf_load_quads(const float *p)
{
    const __m512i quads = _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0);
    return _mm512_permutexvar_ps(quads, _mm512_castps128_ps512(_mm_loadu_ps(p)));
}

ALWAYS_INLINE void vf_load_pairs_e(char *const *at, ptrdiff_t further, vf *left, vf *right)
{
    __m256i even = _mm256_castsi128_si256(LOAD128(at[0] + further));
    __m256i odd = _mm256_castsi128_si256(LOAD128(at[1] + further));
    even = _mm256_inserti128_si256(even, LOAD128(at[2] + further), 1);
    odd = _mm256_inserti128_si256(odd, LOAD128(at[3] + further), 1);
    *left = vf_widen(_mm256_unpacklo_epi64(even, odd));
    *right = vf_widen(_mm256_unpackhi_epi64(even, odd));
}

OP(__m128i, load_64, (const char *p), _mm_loadl_epi64((const __m128i *)p))

ALWAYS_INLINE void vf_load_pairs_B(char *const *at, ptrdiff_t further, vf *left, vf *right)
{
    __m128i low = _mm_unpacklo_epi32(load_64(at[0] + further), load_64(at[1] + further));
    __m128i high = _mm_unpacklo_epi32(load_64(at[2] + further), load_64(at[3] + further));
    *left = vf_of_int(_mm512_cvtepu8_epi32(_mm_unpacklo_epi64(low, high)));
    *right = vf_of_int(_mm512_cvtepu8_epi32(_mm_unpackhi_epi64(low, high)));
}

ALWAYS_INLINE void vf_store(void *p, vf v, acc *seen)
{
    (void)seen;
    _mm512_storeu_ps(p, v);
}

#endif
