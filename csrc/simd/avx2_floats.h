/* The vocabulary (VOCABULARY.md) for x86-64 with AVX2, FMA and F16C.
 *
 * The rounding mode is in MXCSR, and its sticky flags record invalid, division by
 * zero, overflow, and underflow where the result is tiny after rounding. */
#ifndef HALFCL_SIMD_AVX2_FLOATS_H
#define HALFCL_SIMD_AVX2_FLOATS_H

#include <immintrin.h>

#include "simd/define.h"
#include "simd/x86_colors.h"

#define HAVE_FMA 1
#define HAVE_STATIC_ROUNDING 0
#define HAVE_EXPONENTS 0
#define HAVE_FIXES 0
#define HAVE_GATHER 1
#define HAVE_LOOKUP 0
#define HAVE_BIT_MASKS 0
#define HAVE_CHEAP_TINY 0
#define HAVE_UNDERFLOW 0
#define HAVE_HALVES 0
#define HAVE_QUIET_HALVES 0
#define HAVE_HALF_DIVISION 0

/* These operations have a better implementation here than in derived.h. */
#define vf_reciprocal_estimate vf_reciprocal_estimate
#define vf_rsqrt_estimate vf_rsqrt_estimate
#define vf_gather_pairs vf_gather_pairs
#define vf_sums_of_lanes vf_sums_of_lanes
#define vf_significand vf_significand
#define vw_ordered vw_ordered
#define wm_store_pair wm_store_pair
#define wm_bits wm_bits
#define vh_set vh_set

enum { LANES = 8, WORDS = 16 };

typedef __m128i vh;
typedef __m256 vf;
typedef __m256d vd;
typedef __m256i vi;
typedef __m256 vm; /* the sign bit of a lane is its truth, the other bits copy it */
typedef __m256i vw;
typedef __m256i wm; /* 0 or -1 */
typedef struct {
    __m256i tiny;
} acc;

#define LOAD32(p) _mm_loadu_si32(p)
#define LOAD64(p) _mm_loadl_epi64((const __m128i *)(p))
#define LOAD128(p) _mm_loadu_si128((const __m128i *)(p))
#define LOAD256(p) _mm256_loadu_si256((const __m256i *)(p))

/* Called before slow functions, which are compiled for any processor: dirty upper halves of
 * vector registers would make them slower still. */
OP(void, leave_vectors, (void), _mm256_zeroupper())

/* Exceptions. */

OP(acc, acc_none, (void), (acc){_mm256_setzero_si256()})
OP(unsigned, acc_flags, (acc seen), _mm256_movemask_epi8(seen.tiny) ? HALFCL_UNDERFLOW : 0)

/* Adds the underflows that the conversion to half will not record: of values in (2^-14 - 2^-25,
 * 2^-14), tiny and inexact, that may round to 2^-14. */
ALWAYS_INLINE void acc_tiny(acc *seen, vf v)
{
    __m256i magnitude =
        _mm256_and_si256(_mm256_castps_si256(v), _mm256_set1_epi32(FLOAT_MAGNITUDE));
    /* The bias makes the interval start at INT32_MIN. */
    const uint32_t bias = 0x80000000u - (FLOAT_HALF_MIN - 0x1fff);
    __m256i above = _mm256_add_epi32(magnitude, _mm256_set1_epi32((int)bias));
    __m256i tiny = _mm256_cmpgt_epi32(_mm256_set1_epi32(INT32_MIN + 0x1fff), above);
    seen->tiny = _mm256_or_si256(seen->tiny, tiny);
}

/* Halves in memory; missing elements read as 1. */

OP(vh, vh_load, (const uint16_t *p), LOAD128(p))
OP(vh, vh_set, (uint16_t half), _mm_set1_epi16((short)half))
OP(uint16_t, vh_first, (vh v), (uint16_t)_mm_cvtsi128_si32(v))
OP(void, vh_store, (uint16_t *p, vh v), _mm_storeu_si128((__m128i *)p, v))

ALWAYS_INLINE vh vh_load_n(const uint16_t *p, size_t n)
{
    vh v = _mm_set1_epi16(HALF_ONE);
    if (n >= 8)
        return vh_load(p);
    if (n & 4)
        v = _mm_unpacklo_epi64(LOAD64(p), v);
    switch (n) {
    case 7:
        v = _mm_insert_epi16(v, p[6], 6); /* fall through */
    case 6:
        v = _mm_insert_epi16(v, p[5], 5); /* fall through */
    case 5:
        return _mm_insert_epi16(v, p[4], 4);
    case 3:
        v = _mm_insert_epi16(v, p[2], 2); /* fall through */
    case 2:
        v = _mm_insert_epi16(v, p[1], 1); /* fall through */
    case 1:
        v = _mm_insert_epi16(v, p[0], 0);
    }
    return v;
}

ALWAYS_INLINE void vh_store_n(uint16_t *p, vh v, size_t n)
{
    if (n >= 8) {
        vh_store(p, v);
        return;
    }
    if (n & 4) {
        _mm_storel_epi64((__m128i *)p, v);
        v = _mm_unpackhi_epi64(v, v);
        p += 4;
    }
    if (n & 2) {
        uint32_t two = (uint32_t)_mm_cvtsi128_si32(v);
        memcpy(p, &two, sizeof two);
        v = _mm_srli_si128(v, 4);
        p += 2;
    }
    if (n & 1)
        *p = (uint16_t)_mm_extract_epi16(v, 0);
}

ALWAYS_INLINE vh vh_zero_nan(vh v)
{
    __m128i magnitude = _mm_and_si128(v, _mm_set1_epi16(HALF_MAGNITUDE));
    return _mm_andnot_si128(_mm_cmpgt_epi16(magnitude, _mm_set1_epi16(HALF_INF)), v);
}

/* Floats. */

OP(float, float_of_half, (uint16_t half), _cvtsh_ss(half))
OP(vf, vf_widen, (vh v), _mm256_cvtph_ps(v))
OP(vi, vi_widen, (vh v), _mm256_cvtepu16_epi32(v))

ALWAYS_INLINE vh vf_narrow(vf v, halfcl_rounding mode, acc *seen)
{
    (void)mode, (void)seen;
    return _mm256_cvtps_ph(v, _MM_FROUND_CUR_DIRECTION);
}

OP(vm, vh_equal, (vh a, vh b),
   _mm256_castsi256_ps(_mm256_cvtepi16_epi32(_mm_cmpeq_epi16(a, b))))
OP(vm, vh_has_none, (vh v, int bits),
   vh_equal(_mm_and_si128(v, _mm_set1_epi16((short)bits)), _mm_setzero_si128()))

OP(vi, vi_set, (int32_t x), _mm256_set1_epi32(x))
OP(vf, vf_set, (float x), _mm256_set1_ps(x))
OP(vf, vf_add, (vf a, vf b), _mm256_add_ps(a, b))
OP(vf, vf_sub, (vf a, vf b), _mm256_sub_ps(a, b))
OP(vf, vf_mul, (vf a, vf b), _mm256_mul_ps(a, b))
OP(vf, vf_div, (vf a, vf b), _mm256_div_ps(a, b))
OP(vf, vf_sqrt, (vf a), _mm256_sqrt_ps(a))
OP(vf, vf_abs, (vf a), _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a))
OP(vf, vf_min, (vf a, vf b), _mm256_min_ps(a, b))
OP(vf, vf_max, (vf a, vf b), _mm256_max_ps(a, b))
OP(vf, vf_copysign, (vf a, vf b),
   _mm256_or_ps(vf_abs(a), _mm256_and_ps(_mm256_set1_ps(-0.0f), b)))

OP(vm, vf_less, (vf a, vf b), _mm256_cmp_ps(a, b, _CMP_LT_OQ))
OP(vm, vf_less_equal, (vf a, vf b), _mm256_cmp_ps(a, b, _CMP_LE_OQ))
OP(vm, vf_equal, (vf a, vf b), _mm256_cmp_ps(a, b, _CMP_EQ_OQ))
OP(vm, vf_unordered, (vf a, vf b), _mm256_cmp_ps(a, b, _CMP_UNORD_Q))
OP(vm, vf_special, (vf a),
   _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_castps_si256(vf_abs(a)),
                                          _mm256_set1_epi32(FLOAT_INF - 1))))

/* The bias puts zero above the infinities, and all else starts at INT32_MIN. */
ALWAYS_INLINE vm vf_zero_or_special(vf a)
{
    __m256i moved = _mm256_add_epi32(_mm256_castps_si256(vf_abs(a)), vi_set(INT32_MAX));
    return _mm256_castsi256_ps(_mm256_cmpgt_epi32(moved, vi_set(INT32_MIN + FLOAT_INF - 2)));
}

OP(vf, vf_select, (vm m, vf a, vf b), _mm256_blendv_ps(b, a, m))
OP(vf, vf_zero_where, (vm m, vf a), _mm256_andnot_ps(m, a))

OP(vm, vm_none, (void), _mm256_setzero_ps())
OP(vm, vm_and, (vm a, vm b), _mm256_and_ps(a, b))
OP(vm, vm_and_not, (vm a, vm b), _mm256_andnot_ps(b, a))
OP(vm, vm_or, (vm a, vm b), _mm256_or_ps(a, b))
OP(vm, vm_xor, (vm a, vm b), _mm256_xor_ps(a, b))
OP(vm, vm_not, (vm a), _mm256_xor_ps(a, _mm256_castsi256_ps(_mm256_set1_epi32(-1))))
OP(bool, vm_any, (vm a), _mm256_movemask_ps(a) != 0)
OP(unsigned, vm_bits, (vm a), (unsigned)_mm256_movemask_ps(a))
OP(void, vm_put, (char *bits, size_t lane, vm a),
   (void)(bits[lane / 8] = (char)_mm256_movemask_ps(a)))

#define ROUND(how) _mm256_round_ps(a, _MM_FROUND_NO_EXC | _MM_FROUND_TO_##how)
OP(vf, vf_rint, (vf a), ROUND(NEAREST_INT))
OP(vf, vf_trunc, (vf a), ROUND(ZERO))
OP(vf, vf_ceil, (vf a), ROUND(POS_INF))
OP(vf, vf_floor, (vf a), ROUND(NEG_INF))
#undef ROUND

/* a * b + c and c - a * b, rounded once. */
OP(vf, vf_fma, (vf a, vf b, vf c), _mm256_fmadd_ps(a, b, c))
OP(vf, vf_fnma, (vf a, vf b, vf c), _mm256_fnmadd_ps(a, b, c))

/* 1 / sqrt(a) with a relative error of 2^-14; NaN for 0. */
ALWAYS_INLINE vf vf_rsqrt_estimate(vf a)
{
    vf y = _mm256_rsqrt_ps(a); /* within 1.5 * 2^-12; then one step of Newton's method */
    vf rest = vf_fnma(vf_mul(a, y), y, vf_set(1));
    return vf_fma(vf_mul(vf_set(0.5f), y), rest, y);
}

/* 1 / a with a relative error of 2^-11; infinity for 0, 0 for infinity. It raises no
 * exceptions. */
OP(vf, vf_reciprocal_estimate, (vf a), _mm256_rcp_ps(a))

OP(vm, vf_sign, (vf a), a)
OP(vi, vf_bits, (vf a), _mm256_castps_si256(a))
OP(vf, vf_of_bits, (vi a), _mm256_castsi256_ps(a))

OP(vf, vf_gather, (const float *table, vi index), _mm256_i32gather_ps(table, index, 4))

OP(vf, vf_significand, (vf a),
   _mm256_or_ps(_mm256_and_ps(a, _mm256_castsi256_ps(vi_set(0x007fffff))), vf_set(1)))

/* first: table[2 i], second: table[2 i + 1], where i is v without its sign. */
ALWAYS_INLINE void vf_gather_pairs(const float *table, vh v, vf *first, vf *second)
{
    const double *pairs = (const double *)table;
    v = _mm_and_si128(v, _mm_set1_epi16(HALF_MAGNITUDE));
    __m128i low = _mm_cvtepu16_epi32(v), high = _mm_cvtepu16_epi32(_mm_unpackhi_epi64(v, v));
    vf low_pairs = _mm256_castpd_ps(_mm256_i32gather_pd(pairs, low, sizeof *pairs));
    vf high_pairs = _mm256_castpd_ps(_mm256_i32gather_pd(pairs, high, sizeof *pairs));
    /* The elements are 0 1 4 5 2 3 6 7: as 64-bit lanes, 0 2 1 3. */
    vf firsts = _mm256_shuffle_ps(low_pairs, high_pairs, 0x88);
    vf seconds = _mm256_shuffle_ps(low_pairs, high_pairs, 0xdd);
    *first = _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(firsts), 0xd8));
    *second = _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(seconds), 0xd8));
}

/* Returns in each block of four lanes the sums of that block of a, b, c and d. */
ALWAYS_INLINE vf sums_of_blocks(vf a, vf b, vf c, vf d)
{
    vf ab = vf_add(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
    vf cd = vf_add(_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
    vd first = _mm256_castps_pd(ab), second = _mm256_castps_pd(cd);
    return vf_add(_mm256_castpd_ps(_mm256_unpacklo_pd(first, second)),
                  _mm256_castpd_ps(_mm256_unpackhi_pd(first, second)));
}

/* Lane i is the sum of the lanes of rows[i], rounded at each of log2(LANES) additions. */
ALWAYS_INLINE vf vf_sums_of_lanes(const vf *rows)
{
    vf first = sums_of_blocks(rows[0], rows[1], rows[2], rows[3]);
    vf second = sums_of_blocks(rows[4], rows[5], rows[6], rows[7]);
    return vf_add(_mm256_permute2f128_ps(first, second, 0x20),
                  _mm256_permute2f128_ps(first, second, 0x31));
}

/* Stores floats as they are, without quieting NaNs. */
OP(void, vf_put, (float *p, vf v), _mm256_storeu_ps(p, v))

/* Doubles. */

OP(vd, vd_set, (double x), _mm256_set1_pd(x))
OP(vd, vd_low, (vf v), _mm256_cvtps_pd(_mm256_castps256_ps128(v)))
OP(vd, vd_high, (vf v), _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1)))
OP(vd, vd_add, (vd a, vd b), _mm256_add_pd(a, b))
OP(vd, vd_sub, (vd a, vd b), _mm256_sub_pd(a, b))
OP(vd, vd_mul, (vd a, vd b), _mm256_mul_pd(a, b))
#define vd_muladd vd_muladd
OP(vd, vd_muladd, (vd a, vd b, vd c), _mm256_fmadd_pd(a, b, c))
OP(vd, vd_div, (vd a, vd b), _mm256_div_pd(a, b))
OP(vd, vd_sqrt, (vd a), _mm256_sqrt_pd(a))
OP(vd, vd_min, (vd a, vd b), _mm256_min_pd(a, b))
OP(vd, vd_max, (vd a, vd b), _mm256_max_pd(a, b))
OP(vd, vd_trunc, (vd a), _mm256_round_pd(a, _MM_FROUND_NO_EXC | _MM_FROUND_TO_ZERO))
OP(vd, vd_floor, (vd a), _mm256_round_pd(a, _MM_FROUND_NO_EXC | _MM_FROUND_TO_NEG_INF))
OP(vd, vd_load, (const void *p), _mm256_loadu_pd(p))
#define vc_sums_of_lanes vc_sums_of_lanes
OP(vc, vc_sums_of_lanes, (vd a, vd b, vd c, vd d), sums_of_four(a, b, c, d))
OP(vd, vd_load_e, (const uint16_t *p), vc_load_e(p))
OP(void, vd_store, (void *p, vd v), _mm256_storeu_pd(p, v))

/* Adding 1.5 2^52 leaves the integer in the low bits. */
ALWAYS_INLINE void vd_store_q(int64_t *p, vd v)
{
    const vd above = vd_set(0x1.8p52);
    __m256i bits = _mm256_castpd_si256(vd_add(v, above));
    _mm256_storeu_si256((__m256i *)p, _mm256_sub_epi64(bits, _mm256_castpd_si256(above)));
}

/* Narrows to float, rounded to odd: truncate 29 bits, with a sticky bit in the last place. */
ALWAYS_INLINE __m128 narrow_odd(vd v)
{
    __m256i bits = _mm256_castpd_si256(v), cut = _mm256_set1_epi64x(((int64_t)1 << 29) - 1);
    __m256i carry = _mm256_add_epi64(_mm256_and_si256(bits, cut), cut);
    bits = _mm256_andnot_si256(cut, _mm256_or_si256(bits, carry));
    return _mm256_cvtpd_ps(_mm256_castsi256_pd(bits));
}

OP(vf, vf_join_odd, (vd low, vd high), _mm256_set_m128(narrow_odd(high), narrow_odd(low)))

/* 32-bit integers. */

OP(vi, vi_add, (vi a, vi b), _mm256_add_epi32(a, b))
OP(vi, vi_sub, (vi a, vi b), _mm256_sub_epi32(a, b))
OP(vi, vi_and, (vi a, vi b), _mm256_and_si256(a, b))
OP(vi, vi_or, (vi a, vi b), _mm256_or_si256(a, b))
OP(vi, vi_xor, (vi a, vi b), _mm256_xor_si256(a, b))
OP(vi, vi_shift_left, (vi a, int count), _mm256_slli_epi32(a, count))
OP(vi, vi_shift_right, (vi a, int count), _mm256_srai_epi32(a, count)) /* arithmetic */
OP(vm, vi_less, (vi a, vi b), _mm256_castsi256_ps(_mm256_cmpgt_epi32(b, a)))
OP(vi, vi_min, (vi a, vi b), _mm256_min_epi32(a, b))
OP(vi, vi_max, (vi a, vi b), _mm256_max_epi32(a, b))
OP(vm, vi_equal, (vi a, vi b), _mm256_castsi256_ps(_mm256_cmpeq_epi32(a, b)))
OP(vi, vi_select, (vm m, vi a, vi b), _mm256_blendv_epi8(b, a, _mm256_castps_si256(m)))
OP(vi, vi_abs, (vi a), _mm256_abs_epi32(a))              /* INT32_MIN stays */
OP(vi, vi_highest, (vi a, vi b), _mm256_max_epu32(a, b)) /* unsigned */
OP(vm, vi_below, (vi a, vi b),
   vi_less(vi_xor(a, vi_set(INT32_MIN)), vi_xor(b, vi_set(INT32_MIN)))) /* unsigned */
OP(vm, vi_has_none, (vi a, int bits), vi_equal(vi_and(a, vi_set(bits)), vi_set(0)))
OP(vm, vi_has, (vi a, int bit), vi_equal(vi_and(a, vi_set(bit)), vi_set(bit)))
OP(vf, vf_of_int, (vi a), _mm256_cvtepi32_ps(a))

/* Rounds to integer in the mode; infinity and NaN give INT32_MIN. */
OP(vi, vi_round, (vf a, halfcl_rounding mode), ((void)mode, _mm256_cvtps_epi32(a)))

#endif
