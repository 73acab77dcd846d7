/* Colours in the vocabulary of x86-64: four doubles fill a vector of AVX2, which AVX-512 has,
 * too. */
#ifndef HALFCL_SIMD_X86_COLORS_H
#define HALFCL_SIMD_X86_COLORS_H

#include <immintrin.h>

#include "simd/define.h"

typedef __m256d vc;

OP(vc, vc_set, (double x), _mm256_set1_pd(x))
OP(vc, vc_load, (const void *p), _mm256_loadu_pd(p))
OP(vc, vc_load_f, (const void *p), _mm256_cvtps_pd(_mm_loadu_ps(p)))
OP(vc, vc_load_e, (const void *p), _mm256_cvtps_pd(_mm_cvtph_ps(_mm_loadl_epi64(p))))
OP(vc, vc_load_h, (const void *p), _mm256_cvtepi32_pd(_mm_cvtepi16_epi32(_mm_loadl_epi64(p))))
OP(vc, vc_load_H, (const void *p), _mm256_cvtepi32_pd(_mm_cvtepu16_epi32(_mm_loadl_epi64(p))))
OP(vc, vc_load_b, (const void *p), _mm256_cvtepi32_pd(_mm_cvtepi8_epi32(_mm_loadu_si32(p))))
OP(vc, vc_load_B, (const void *p), _mm256_cvtepi32_pd(_mm_cvtepu8_epi32(_mm_loadu_si32(p))))
OP(void, vc_store, (void *p, vc v), _mm256_storeu_pd(p, v))
OP(vc, vc_add, (vc a, vc b), _mm256_add_pd(a, b))
OP(vc, vc_sub, (vc a, vc b), _mm256_sub_pd(a, b))
OP(vc, vc_muladd, (vc a, vc b, vc c), _mm256_fmadd_pd(a, b, c))
OP(vc, vc_min, (vc a, vc b), _mm256_min_pd(a, b))
OP(vc, vc_max, (vc a, vc b), _mm256_max_pd(a, b))

/* Lane i is the sum of the lanes of the i-th of four. */
ALWAYS_INLINE vc sums_of_four(__m256d a, __m256d b, __m256d c, __m256d d)
{
    const vc ab = _mm256_hadd_pd(a, b), cd = _mm256_hadd_pd(c, d);
    return _mm256_add_pd(_mm256_permute2f128_pd(ab, cd, 0x21), _mm256_blend_pd(ab, cd, 0xc));
}

#endif
