/* The part of the vocabulary of avx2.h for other formats in memory. */
#ifndef HALFCL_SIMD_AVX2_FORMATS_H
#define HALFCL_SIMD_AVX2_FORMATS_H

#include "simd/avx2_floats.h"

/* Integers are clamped to +-2^18: beyond half's range, so that results do not change, and exact
 * in float. */

OP(vi, vi_load_b, (const void *p), _mm256_cvtepi8_epi32(LOAD64(p)))
OP(vi, vi_load_B, (const void *p), _mm256_cvtepu8_epi32(LOAD64(p)))
OP(vi, vi_load_h, (const void *p), _mm256_cvtepi16_epi32(LOAD128(p)))
OP(vi, vi_load_H, (const void *p), _mm256_cvtepu16_epi32(LOAD128(p)))
OP(vi, vi_load_i, (const void *p),
   vi_max(vi_min(LOAD256(p), vi_set(1 << 18)), vi_set(-(1 << 18))))
OP(vi, vi_load_I, (const void *p), _mm256_min_epu32(LOAD256(p), vi_set(1 << 18)))

/* Joins the low halves of the 64-bit lanes. */
ALWAYS_INLINE vi join_64(__m256i low, __m256i high)
{
    __m256 mixed = _mm256_shuffle_ps(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high), 0x88);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(mixed), 0xd8);
}

ALWAYS_INLINE __m256i clamp_q(__m256i v)
{
    __m256i most = _mm256_set1_epi64x(1 << 18), least = _mm256_set1_epi64x(-(1 << 18));
    v = _mm256_blendv_epi8(v, most, _mm256_cmpgt_epi64(v, most));
    return _mm256_blendv_epi8(v, least, _mm256_cmpgt_epi64(least, v));
}

ALWAYS_INLINE __m256i clamp_Q(__m256i v)
{
    /* Compares by the upper 46 bits, which may include the sign bit. */
    __m256i most = _mm256_set1_epi64x(1 << 18);
    __m256i less = _mm256_cmpeq_epi64(_mm256_srli_epi64(v, 18), _mm256_setzero_si256());
    return _mm256_blendv_epi8(most, v, less);
}

OP(vi, vi_load_q, (const void *p),
   join_64(clamp_q(LOAD256(p)), clamp_q(LOAD256((const int64_t *)p + 4))))
OP(vi, vi_load_Q, (const void *p),
   join_64(clamp_Q(LOAD256(p)), clamp_Q(LOAD256((const int64_t *)p + 4))))

ALWAYS_INLINE void vi_store_8(void *p, vi v)
{
    const __m256i pick = _mm256_set1_epi32(0x0c080400);
    __m256i bytes = _mm256_shuffle_epi8(v, pick);
    __m128i low = _mm256_castsi256_si128(bytes), high = _mm256_extracti128_si256(bytes, 1);
    _mm_storel_epi64((__m128i *)p, _mm_unpacklo_epi32(low, high));
}

/* Stores the low words of two vectors. */
ALWAYS_INLINE void vi_store_16_pair(void *p, vi low, vi high)
{
    const __m256i word = _mm256_set1_epi32(0xffff);
    __m256i mixed =
        _mm256_packus_epi32(_mm256_and_si256(low, word), _mm256_and_si256(high, word));
    _mm256_storeu_si256(p, _mm256_permute4x64_epi64(mixed, 0xd8));
}

OP(vi, vi_load_32, (const void *p), LOAD256(p))
/* Loads n < LANES elements; the missing ones come from fill. */
ALWAYS_INLINE vi vi_load_n(const int32_t *p, size_t n, vi fill)
{
    int32_t part[LANES];
    _mm256_storeu_si256((__m256i *)part, fill);
    memcpy(part, p, n * sizeof *p);
    return LOAD256(part);
}
OP(void, vi_store_32, (void *p, vi v), _mm256_storeu_si256((__m256i *)p, v))

/* Stores integers sign-extended; INT32_MIN becomes low and INT32_MAX becomes high. */
ALWAYS_INLINE void vi_store_64(void *p, vi v, int64_t low, int64_t high)
{
    __m128i half[2] = {_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1)};
    for (int k = 0; k < 2; ++k) {
        __m256i w = _mm256_cvtepi32_epi64(half[k]);
        __m256i lows = _mm256_cmpeq_epi64(w, _mm256_set1_epi64x(INT32_MIN));
        __m256i highs = _mm256_cmpeq_epi64(w, _mm256_set1_epi64x(INT32_MAX));
        w = _mm256_blendv_epi8(w, _mm256_set1_epi64x(low), lows);
        w = _mm256_blendv_epi8(w, _mm256_set1_epi64x(high), highs);
        _mm256_storeu_si256((__m256i *)p + k, w);
    }
}

OP(vf, vf_load, (const void *p), _mm256_loadu_ps(p))

/* Loads two numbers, each into four lanes. */
ALWAYS_INLINE vf vf_load_quads(const float *p)
{
    return _mm256_set_m128(_mm_broadcast_ss(p + 1), _mm_broadcast_ss(p));
}

ALWAYS_INLINE void vf_load_pairs_e(char *const *at, ptrdiff_t further, vf *left, vf *right)
{
    __m128i first = LOAD128(at[0] + further), second = LOAD128(at[1] + further);
    *left = vf_widen(_mm_unpacklo_epi64(first, second));
    *right = vf_widen(_mm_unpackhi_epi64(first, second));
}

ALWAYS_INLINE void vf_load_pairs_B(char *const *at, ptrdiff_t further, vf *left, vf *right)
{
    __m128i both = _mm_unpacklo_epi32(LOAD64(at[0] + further), LOAD64(at[1] + further));
    *left = vf_of_int(_mm256_cvtepu8_epi32(both));
    *right = vf_of_int(_mm256_cvtepu8_epi32(_mm_unpackhi_epi64(both, both)));
}

ALWAYS_INLINE void vf_store(void *p, vf v, acc *seen)
{
    (void)seen;
    _mm256_storeu_ps(p, v);
}

#endif
