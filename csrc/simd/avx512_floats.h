/* The vocabulary (VOCABULARY.md) for x86-64 with AVX-512 F, BW, DQ and VL.
 *
 * The rounding mode is in MXCSR, and its sticky flags record invalid, division by
 * zero, overflow, and underflow where the result is tiny after rounding. */
#ifndef HALFCL_SIMD_AVX512_FLOATS_H
#define HALFCL_SIMD_AVX512_FLOATS_H

#include <immintrin.h>
#include <math.h>

#include "simd/define.h"
#include "simd/x86_colors.h"

#define HAVE_FMA 1
#define HAVE_STATIC_ROUNDING 1
#define HAVE_EXPONENTS 1
#define HAVE_FIXES 1
#define HAVE_GATHER 1
#define HAVE_LOOKUP 1
#define HAVE_BIT_MASKS 1
#define HAVE_CHEAP_TINY 1
#define HAVE_UNDERFLOW 0

/* These operations have a better implementation here than in derived.h. */
#define vf_zero vf_zero
#define canonical_nan canonical_nan
#define vf_flipped vf_flipped
#define vm_first vm_first
#define vf_clear vf_clear
#define vf_narrow_where vf_narrow_where
#define vn_least_abs_where vn_least_abs_where
#define vn_near_inverse_where vn_near_inverse_where
#define vm_still_ordered vm_still_ordered
#define vf_above_trunc vf_above_trunc
#define vf_above_floor vf_above_floor
#define vn_off_integer vn_off_integer
#define vn_positive_fma_odd vn_positive_fma_odd
#define vf_rcbrt_estimate vf_rcbrt_estimate
#define vf_hard_cases vf_hard_cases
#define vf_difference_inexact vf_difference_inexact
#define vf_ldexp vf_ldexp
#define vf_reciprocal_estimate vf_reciprocal_estimate
#define vf_rsqrt_estimate vf_rsqrt_estimate
#define vf_gather_pairs vf_gather_pairs
#define vf_sums_of_lanes vf_sums_of_lanes
#define vf_fma_odd vf_fma_odd
#define vh_set vh_set

enum { LANES = 16, WORDS = 32 };

typedef __m256i vh;
typedef __m512 vf;
typedef __m512d vd;
typedef __m512i vi;
typedef __mmask16 vm;
typedef __m512i vw;
typedef __mmask32 wm;
typedef struct {
    __m512i tiny; /* a lane is zero after any tiny inexact value */
    unsigned raised;
} acc;

#define LOAD128(p) _mm_loadu_si128((const __m128i *)(p))
#define LOAD256(p) _mm256_loadu_si256((const __m256i *)(p))
#define LOAD512(p) _mm512_loadu_si512(p)

/* Called before slow functions, which are compiled for any processor: dirty upper halves of
 * vector registers would make them slower still. */
OP(void, leave_vectors, (void), _mm256_zeroupper())

/* Exceptions. */

OP(acc, acc_none, (void), ((acc){_mm512_set1_epi32(-1), 0}))
OP(unsigned, acc_flags, (acc seen),
   seen.raised | (_mm512_testn_epi32_mask(seen.tiny, seen.tiny) ? HALFCL_UNDERFLOW : 0))

/* Adds the underflows that the conversion to half will not record: of values in [2^-14 - 2^-25,
 * 2^-14), tiny and inexact, that may round to 2^-14. They differ only in the bits that half
 * lacks. Two cheap instructions suffice: comparisons would compete with the conversions. */
ALWAYS_INLINE void acc_tiny(acc *seen, vf v)
{
    const uint32_t interval = FLOAT_HALF_MIN - (1 << FLOAT_CUT);
    const uint32_t compared = FLOAT_MAGNITUDE - ((1 << FLOAT_CUT) - 1);
    /* (v ^ interval) & compared */
    __m512i away =
        _mm512_ternarylogic_epi32(_mm512_castps_si512(v), _mm512_set1_epi32((int)interval),
                                  _mm512_set1_epi32((int)compared), 0x28);
    seen->tiny = _mm512_min_epu32(seen->tiny, away);
}

/* Halves in memory; missing elements read as 1. */

OP(__mmask32, first, (size_t n), n < 32 ? ((uint32_t)1 << n) - 1 : UINT32_MAX)
OP(vh, vh_set, (uint16_t half), _mm256_set1_epi16((short)half))
OP(uint16_t, vh_first, (vh v), (uint16_t)_mm_cvtsi128_si32(_mm256_castsi256_si128(v)))
OP(vh, vh_load, (const uint16_t *p), _mm256_loadu_si256((const __m256i *)p))
OP(vh, vh_load_n, (const uint16_t *p, size_t n),
   _mm256_mask_loadu_epi16(_mm256_set1_epi16(HALF_ONE), (__mmask16)first(n), p))
OP(void, vh_store, (uint16_t *p, vh v), _mm256_storeu_epi16(p, v)) /* fuses with vf_narrow */
OP(void, vh_store_n, (uint16_t *p, vh v, size_t n),
   _mm256_mask_storeu_epi16(p, (__mmask16)first(n), v))

ALWAYS_INLINE vh vh_zero_nan(vh v)
{
    __m256i magnitude = _mm256_and_si256(v, _mm256_set1_epi16(HALF_MAGNITUDE));
    __mmask16 number = _mm256_cmple_epi16_mask(magnitude, _mm256_set1_epi16(HALF_INF));
    return _mm256_maskz_mov_epi16(number, v);
}

/* Floats. */

OP(float, float_of_half, (uint16_t half), _cvtsh_ss(half))
OP(vf, vf_widen, (vh v), _mm512_cvtph_ps(v))
OP(vi, vi_widen, (vh v), _mm512_cvtepu16_epi32(v))

ALWAYS_INLINE vh vf_narrow(vf v, halfcl_rounding mode, acc *seen)
{
    (void)mode, (void)seen;
    return _mm512_cvtps_ph(v, _MM_FROUND_CUR_DIRECTION);
}

/* One instruction: it merges into memory and leaves the other lanes unchanged. */
ALWAYS_INLINE void vf_narrow_where(uint16_t *p, vm m, vf v, halfcl_rounding mode, acc *seen)
{
    (void)mode, (void)seen;
    _mm256_mask_storeu_epi16(p, m, _mm512_maskz_cvtps_ph(m, v, _MM_FROUND_CUR_DIRECTION));
}

OP(vm, vh_equal, (vh a, vh b), _mm256_cmpeq_epi16_mask(a, b))
OP(vm, vh_has_none, (vh v, int bits),
   _mm256_testn_epi16_mask(v, _mm256_set1_epi16((short)bits)))

OP(vf, vf_set, (float x), _mm512_set1_ps(x))
OP(vf, vf_add, (vf a, vf b), _mm512_add_ps(a, b))
OP(vf, vf_sub, (vf a, vf b), _mm512_sub_ps(a, b))
OP(vf, vf_mul, (vf a, vf b), _mm512_mul_ps(a, b))
OP(vf, vf_div, (vf a, vf b), _mm512_div_ps(a, b))
OP(vf, vf_sqrt, (vf a), _mm512_sqrt_ps(a))
OP(vf, vf_abs, (vf a), _mm512_abs_ps(a))
OP(vf, vf_min, (vf a, vf b), _mm512_min_ps(a, b))
OP(vf, vf_max, (vf a, vf b), _mm512_max_ps(a, b))
OP(vf, vf_copysign, (vf a, vf b),
   _mm512_castsi512_ps(_mm512_ternarylogic_epi32(_mm512_castps_si512(a), _mm512_castps_si512(b),
                                                 _mm512_set1_epi32(FLOAT_MAGNITUDE), 0xe4)))

OP(vm, vf_less, (vf a, vf b), _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ))
OP(vm, vf_less_equal, (vf a, vf b), _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ))
OP(vm, vf_equal, (vf a, vf b), _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ))
OP(vm, vf_unordered, (vf a, vf b), _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q))
OP(vm, vm_still_ordered, (vm lanes, vf a, vf b),
   _mm512_mask_cmp_ps_mask(lanes, a, b, _CMP_ORD_Q))
OP(vm, vm_first, (size_t n), (vm)first(n))
OP(vm, vf_zero, (vf a), _mm512_fpclass_ps_mask(a, 0x06))
OP(vm, vf_special, (vf a), _mm512_fpclass_ps_mask(a, 0x99)) /* infinities and NaNs */
OP(vm, vf_zero_or_special, (vf a), _mm512_fpclass_ps_mask(a, 0x9f))
OP(vf, vf_select, (vm m, vf a, vf b), _mm512_mask_mov_ps(b, m, a))
#ifndef __clang__ /* it would add in all lanes, with the exceptions, and then select some */
#define vf_add_where vf_add_where
OP(vf, vf_add_where, (vm m, vf a, vf b), _mm512_mask_add_ps(a, m, a, b))
OP(vf, vf_muladd_where, (vm m, vf a, vf b), _mm512_mask3_fmadd_ps(b, _mm512_set1_ps(1), a, m))
#endif
OP(vf, vf_zero_where, (vm m, vf a), _mm512_maskz_mov_ps((vm)~m, a))

#define ROUND(how) _mm512_roundscale_ps(a, _MM_FROUND_NO_EXC | _MM_FROUND_TO_##how)
OP(vf, vf_rint, (vf a), ROUND(NEAREST_INT))
OP(vf, vf_trunc, (vf a), ROUND(ZERO))
OP(vf, vf_ceil, (vf a), ROUND(POS_INF))
OP(vf, vf_floor, (vf a), ROUND(NEG_INF))
#undef ROUND

#define REDUCE(how) _mm512_reduce_ps(a, _MM_FROUND_NO_EXC | _MM_FROUND_TO_##how)
OP(vf, vf_above_trunc, (vf a), REDUCE(ZERO))
OP(vf, vf_above_floor, (vf a), REDUCE(NEG_INF))
#undef REDUCE

/* a * b + c and c - a * b, rounded once. */
OP(vf, vf_fma, (vf a, vf b, vf c), _mm512_fmadd_ps(a, b, c))
OP(vf, vf_fnma, (vf a, vf b, vf c), _mm512_fnmadd_ps(a, b, c))

/* 1 / sqrt(a) with a relative error of 2^-14; infinity for 0. */
OP(vf, vf_rsqrt_estimate, (vf a), _mm512_rsqrt14_ps(a))

/* 1 / a with a relative error of 2^-11; infinity for 0, 0 for infinity. It raises no
 * exceptions. */
OP(vf, vf_reciprocal_estimate, (vf a), _mm512_rcp14_ps(a))

/* 1 / cbrt(a) within 4 %, for a > 0: a third of the exponent and fraction, in 16-bit words. */
OP(vf, vf_rcbrt_estimate, (vf a),
   _mm512_castsi512_ps(_mm512_sub_epi32(_mm512_set1_epi32(0x54a14000),
                                        _mm512_mulhi_epu16(_mm512_castps_si512(a),
                                                           _mm512_set1_epi16(0x5555)))))

OP(vm, vf_sign, (vf a), _mm512_movepi32_mask(_mm512_castps_si512(a)))
OP(vi, vf_bits, (vf a), _mm512_castps_si512(a))
OP(vf, vf_of_bits, (vi a), _mm512_castsi512_ps(a))

/* Flips the sign of a where bit 31 of sign is set. */
OP(vf, vf_flipped, (vf a, vi sign),
   _mm512_castsi512_ps(_mm512_ternarylogic_epi32(_mm512_castps_si512(a), sign,
                                                 _mm512_set1_epi32(INT32_MIN), 0x78)))

OP(vf, vf_gather, (const float *table, vi index),
   _mm512_mask_i32gather_ps(_mm512_setzero_ps(), 0xffff, index, table, 4))

OP(vf, vf_look_up16, (const float *table, vi index),
   _mm512_permutexvar_ps(index, _mm512_loadu_ps(table)))
OP(vf, vf_look_up32, (const float *table, vi index),
   _mm512_permutex2var_ps(_mm512_loadu_ps(table), index, _mm512_loadu_ps(table + 16)))

OP(vf, vf_exponent, (vf a), _mm512_getexp_ps(a))
OP(vf, vf_significand, (vf a), _mm512_getmant_ps(a, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_nan))
OP(vf, vf_scale, (vf a, vf b), _mm512_scalef_ps(a, b))

/* Approximations round to nearest whatever the mode is, and raise no exceptions. */
#define NEAREST (_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
OP(vf, vn_add, (vf a, vf b), _mm512_add_round_ps(a, b, NEAREST))
OP(vf, vn_sub, (vf a, vf b), _mm512_sub_round_ps(a, b, NEAREST))
OP(vf, vn_mul, (vf a, vf b), _mm512_mul_round_ps(a, b, NEAREST))
/* a * b where m is true, otherwise a. */
OP(vf, vn_mul_where, (vm m, vf a, vf b), _mm512_mask_mul_round_ps(a, m, a, b, NEAREST))
OP(vf, vn_div, (vf a, vf b), _mm512_div_round_ps(a, b, NEAREST))
OP(vf, vn_fma, (vf a, vf b, vf c), _mm512_fmadd_round_ps(a, b, c, NEAREST))
OP(vf, vn_fms, (vf a, vf b, vf c), _mm512_fmsub_round_ps(a, b, c, NEAREST))
OP(vf, vn_fnma, (vf a, vf b, vf c), _mm512_fnmadd_round_ps(a, b, c, NEAREST))
OP(vf, vn_min, (vf a, vf b), _mm512_min_round_ps(a, b, _MM_FROUND_NO_EXC))
OP(vf, vn_max, (vf a, vf b), _mm512_max_round_ps(a, b, _MM_FROUND_NO_EXC))
/* The smaller of |a| and |b|; the number if the other one is a NaN. */
OP(vf, vn_least_abs, (vf a, vf b), _mm512_range_round_ps(a, b, 0xa, _MM_FROUND_NO_EXC))
OP(vf, vn_least_abs_where, (vm m, vf a, vf b),
   _mm512_mask_range_round_ps(a, m, b, a, 0xa, _MM_FROUND_NO_EXC))
OP(vf, vn_greatest_abs, (vf a, vf b), _mm512_range_round_ps(a, b, 0xb, _MM_FROUND_NO_EXC))
/* The smaller magnitude with the sign of a. */
OP(vf, vn_within, (vf a, vf b), _mm512_range_round_ps(a, b, 0x2, _MM_FROUND_NO_EXC))
/* 1 / a where m is true, otherwise a: an estimate and a step of Newton's method take half as
 * long as a division. */
ALWAYS_INLINE vf vn_inverse_where(vm m, vf a)
{
    vf inverse = _mm512_mask_rcp14_ps(a, m, a);
    vm finite = _mm512_mask_cmp_ps_mask(m, a, _mm512_set1_ps(INFINITY), _CMP_LT_OQ);
    vf rest = _mm512_maskz_fnmadd_round_ps(finite, a, inverse, _mm512_set1_ps(1), NEAREST);
    return _mm512_fmadd_round_ps(inverse, rest, inverse, NEAREST);
}
ALWAYS_INLINE vf vn_near_inverse_where(vm m, vf a)
{
    vf inverse = _mm512_mask_rcp14_ps(a, m, a);
    vf rest = _mm512_fnmadd_round_ps(a, inverse, _mm512_set1_ps(1), NEAREST);
    return _mm512_mask_fmadd_round_ps(inverse, m, rest, inverse, NEAREST);
}
/* a / b: the remainder of a first quotient times the estimate corrects its error. */
ALWAYS_INLINE vf vn_quotient(vf a, vf b)
{
    vf inverse = _mm512_rcp14_ps(b);
    vf quotient = _mm512_mul_round_ps(a, inverse, NEAREST);
    vf rest = _mm512_fnmadd_round_ps(b, quotient, a, NEAREST);
    return _mm512_fmadd_round_ps(rest, inverse, quotient, NEAREST);
}
/* sqrt(y) where m is true, otherwise a: an estimate and a step of Heron's method. */
ALWAYS_INLINE vf vn_root_where(vm m, vf y, vf a)
{
    vf inverse = _mm512_rsqrt14_ps(y);
    vf half_inverse = _mm512_mul_round_ps(inverse, _mm512_set1_ps(0.5f), NEAREST);
    vf root = _mm512_mask_mul_round_ps(a, m, y, inverse, NEAREST);
    vf rest = _mm512_fnmadd_round_ps(root, root, y, NEAREST);
    return _mm512_mask3_fmadd_round_ps(half_inverse, rest, root, m, NEAREST);
}
/* c - a where m is true, otherwise a. */
OP(vf, vn_complement_where, (vm m, vf a, vf c), _mm512_mask_sub_round_ps(a, m, c, a, NEAREST))
OP(vf, vn_scale, (vf a, vf b), _mm512_scalef_round_ps(a, b, NEAREST))
OP(vf, vn_exponent, (vf a), _mm512_getexp_round_ps(a, _MM_FROUND_NO_EXC))
OP(vf, vn_significand, (vf a),
   _mm512_getmant_round_ps(a, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_nan, _MM_FROUND_NO_EXC))
#undef NEAREST

/* a * b + c, rounded up, down, and toward zero. */
OP(vf, vn_fma_up, (vf a, vf b, vf c),
   _mm512_fmadd_round_ps(a, b, c, _MM_FROUND_NO_EXC | _MM_FROUND_TO_POS_INF))
OP(vf, vn_fma_down, (vf a, vf b, vf c),
   _mm512_fmadd_round_ps(a, b, c, _MM_FROUND_NO_EXC | _MM_FROUND_TO_NEG_INF))
OP(vf, vn_mul_cut, (vf a, vf b),
   _mm512_mul_round_ps(a, b, _MM_FROUND_NO_EXC | _MM_FROUND_TO_ZERO))
OP(vf, vn_fnma_cut, (vf a, vf b, vf c),
   _mm512_fnmadd_round_ps(a, b, c, _MM_FROUND_NO_EXC | _MM_FROUND_TO_ZERO))
OP(vf, vn_fma_cut, (vf a, vf b, vf c),
   _mm512_fmadd_round_ps(a, b, c, _MM_FROUND_NO_EXC | _MM_FROUND_TO_ZERO))

/* a * b + c > 0 rounded to odd, whatever the mode is, without exceptions: if the results
 * rounded down and up differ, they are neighbours, and the lower one gets its last bit set. */
ALWAYS_INLINE vf vn_positive_fma_odd(vf a, vf b, vf c)
{
    vf down = vn_fma_down(a, b, c), up = vn_fma_up(a, b, c);
    __m512i one = _mm512_set1_epi32(1); /* down | ((down ^ up) & one) */
    return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(_mm512_castps_si512(down),
                                                         _mm512_castps_si512(up), one, 0xf8));
}

/* a minus the nearest integer, exactly; +0 for integers, 0 for infinity. */
OP(vf, vn_off_integer, (vf a),
   _mm512_reduce_ps(a, _MM_FROUND_NO_EXC | _MM_FROUND_TO_NEAREST_INT))

/* The codes of a fix are those of the instruction. */
#define vf_fixed(result, x, fixes, raises)                                                     \
    _mm512_fixupimm_ps(result, x, _mm512_set1_epi32(fixes), raises)

/* NaNs, quiet or not, become the constant; all other values stay. */
OP(vf, canonical_nan, (vf v),
   _mm512_fixupimm_ps(_mm512_set1_ps(NAN), v, _mm512_set1_epi32(0x11111100), 0))

/* first: table[2 i], second: table[2 i + 1], where i is v without its sign. */
ALWAYS_INLINE void vf_gather_pairs(const float *table, vh v, vf *first, vf *second)
{
    const __m512i even =
        _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    const __m512i odd = _mm512_or_si512(even, _mm512_set1_epi32(1));
    v = _mm256_and_si256(v, _mm256_set1_epi16(HALF_MAGNITUDE));
    __m256i low = _mm256_cvtepu16_epi32(_mm256_castsi256_si128(v));
    __m256i high = _mm256_cvtepu16_epi32(_mm256_extracti128_si256(v, 1));
    vf low_pairs = _mm512_castpd_ps(
        _mm512_mask_i32gather_pd(_mm512_setzero_pd(), 0xff, low, table, 2 * sizeof *table));
    vf high_pairs = _mm512_castpd_ps(
        _mm512_mask_i32gather_pd(_mm512_setzero_pd(), 0xff, high, table, 2 * sizeof *table));
    *first = _mm512_permutex2var_ps(low_pairs, even, high_pairs);
    *second = _mm512_permutex2var_ps(low_pairs, odd, high_pairs);
}

/* Returns in each block of four lanes the sums of that block of a, b, c and d. */
ALWAYS_INLINE vf sums_of_blocks(vf a, vf b, vf c, vf d)
{
    vf ab = vf_add(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
    vf cd = vf_add(_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
    vd first = _mm512_castps_pd(ab), second = _mm512_castps_pd(cd);
    return vf_add(_mm512_castpd_ps(_mm512_unpacklo_pd(first, second)),
                  _mm512_castpd_ps(_mm512_unpackhi_pd(first, second)));
}

/* Adds neighbouring blocks, of a and then of b. */
OP(vf, add_blocks, (vf a, vf b),
   vf_add(_mm512_shuffle_f32x4(a, b, 0x88), _mm512_shuffle_f32x4(a, b, 0xdd)))

/* Lane i is the sum of the lanes of rows[i], rounded at each of log2(LANES) additions. */
ALWAYS_INLINE vf vf_sums_of_lanes(const vf *rows)
{
    vf sums[4];
    for (int k = 0; k < 4; k++)
        sums[k] =
            sums_of_blocks(rows[4 * k], rows[4 * k + 1], rows[4 * k + 2], rows[4 * k + 3]);
    return add_blocks(add_blocks(sums[0], sums[1]), add_blocks(sums[2], sums[3]));
}

/* Stores floats as they are, without quieting NaNs. */
OP(void, vf_put, (float *p, vf v), _mm512_storeu_ps(p, v))

OP(vm, vf_hard_cases, (vf v, int slack, vm exact_case),
   _mm512_mask_testn_epi32_mask((vm)~exact_case,
                                _mm512_add_epi32(_mm512_castps_si512(v),
                                                 _mm512_set1_epi32(slack)),
                                _mm512_set1_epi32(0x1000 - 2 * slack)))

OP(vm, vf_clear_above, (vf v, int units),
   _mm512_test_epi32_mask(_mm512_castps_si512(v), _mm512_set1_epi32(0x1000 - units)))
OP(vm, vf_clear, (vf v, int slack),
   _mm512_test_epi32_mask(_mm512_add_epi32(_mm512_castps_si512(v), _mm512_set1_epi32(slack)),
                          _mm512_set1_epi32(0x1000 - 2 * slack)))

/* Doubles. */

OP(vd, vd_set, (double x), _mm512_set1_pd(x))
OP(vd, vd_low, (vf v), _mm512_cvtps_pd(_mm512_castps512_ps256(v)))
OP(vd, vd_high, (vf v), _mm512_cvtps_pd(_mm512_extractf32x8_ps(v, 1)))
OP(vd, vd_add, (vd a, vd b), _mm512_add_pd(a, b))
OP(vd, vd_sub, (vd a, vd b), _mm512_sub_pd(a, b))
OP(vd, vd_mul, (vd a, vd b), _mm512_mul_pd(a, b))
#define vd_muladd vd_muladd
OP(vd, vd_muladd, (vd a, vd b, vd c), _mm512_fmadd_pd(a, b, c))
OP(vd, vd_div, (vd a, vd b), _mm512_div_pd(a, b))
OP(vd, vd_sqrt, (vd a), _mm512_sqrt_pd(a))
OP(vd, vd_min, (vd a, vd b), _mm512_min_pd(a, b))
OP(vd, vd_max, (vd a, vd b), _mm512_max_pd(a, b))
OP(vd, vd_trunc, (vd a), _mm512_roundscale_pd(a, _MM_FROUND_NO_EXC | _MM_FROUND_TO_ZERO))
OP(vd, vd_floor, (vd a), _mm512_roundscale_pd(a, _MM_FROUND_NO_EXC | _MM_FROUND_TO_NEG_INF))
OP(vd, vd_load, (const void *p), _mm512_loadu_pd(p))
#define vc_sums_of_lanes vc_sums_of_lanes
OP(vc, sum_of_halves, (vd a),
   _mm256_add_pd(_mm512_castpd512_pd256(a), _mm512_extractf64x4_pd(a, 1)))
OP(vc, vc_sums_of_lanes, (vd a, vd b, vd c, vd d),
   sums_of_four(sum_of_halves(a), sum_of_halves(b), sum_of_halves(c), sum_of_halves(d)))
OP(vd, vd_load_e, (const uint16_t *p), _mm512_cvtps_pd(_mm256_cvtph_ps(LOAD128(p))))
OP(void, vd_store, (void *p, vd v), _mm512_storeu_pd(p, v))
OP(void, vd_store_q, (int64_t *p, vd v), _mm512_storeu_si512(p, _mm512_cvtpd_epi64(v)))

/* Narrows to float, rounded to odd: truncate 29 bits, with a sticky bit in the last place. */
ALWAYS_INLINE __m256 narrow_odd(vd v)
{
    __m512i bits = _mm512_castpd_si512(v), cut = _mm512_set1_epi64(((int64_t)1 << 29) - 1);
    __m512i carry = _mm512_add_epi64(_mm512_and_si512(bits, cut), cut);
    /* (bits | carry) & ~cut */
    bits = _mm512_ternarylogic_epi64(bits, carry, cut, 0x54);
    return _mm512_cvtpd_ps(_mm512_castsi512_pd(bits));
}

OP(vf, vf_join_odd, (vd low, vd high),
   _mm512_insertf32x8(_mm512_castps256_ps512(narrow_odd(low)), narrow_odd(high), 1))

/* a * b + c, fit for one rounding to half. The rounding to float does harm only if it gives a
 * number at which half rounds, whose last 12 bits are zero, although the sum is no such number.
 * Then the sum lies between that number and its neighbour, the other one of those rounded down
 * and up: that neighbour is odd, and serves. If the sum is such a number, all three are the
 * same, except for the sign of 0. */
ALWAYS_INLINE vf vf_fma_odd(vf a, vf b, vf c, halfcl_rounding mode)
{
    (void)mode;
    vf sum = _mm512_fmadd_ps(a, b, c);
    __m512i bits = _mm512_castps_si512(sum);
    vm few_bits = _mm512_testn_epi32_mask(bits, _mm512_set1_epi32(0xfff));
    if (!few_bits)
        return sum;
    vf down = _mm512_fmadd_round_ps(a, b, c, _MM_FROUND_NO_EXC | _MM_FROUND_TO_NEG_INF);
    vf up = _mm512_fmadd_round_ps(a, b, c, _MM_FROUND_NO_EXC | _MM_FROUND_TO_POS_INF);
    __m512i other = _mm512_ternarylogic_epi32(bits, _mm512_castps_si512(down),
                                              _mm512_castps_si512(up), 0x96);
    /* all bits but the sign */
    return _mm512_castsi512_ps(_mm512_mask_ternarylogic_epi32(
        bits, few_bits, other, _mm512_set1_epi32(FLOAT_MAGNITUDE), 0xd8));
}

/* vf_fma_odd where a is any float. */
OP(vf, vf_fma_odd_of_float, (vf a, vf b, vf c, halfcl_rounding mode), vf_fma_odd(a, b, c, mode))

/* True where a - b is not a float. */
ALWAYS_INLINE vm vf_difference_inexact(vf a, vf b)
{
    vf down = _mm512_sub_round_ps(a, b, _MM_FROUND_NO_EXC | _MM_FROUND_TO_NEG_INF);
    vf up = _mm512_sub_round_ps(a, b, _MM_FROUND_NO_EXC | _MM_FROUND_TO_POS_INF);
    return _mm512_cmp_ps_mask(down, up, _CMP_NEQ_OQ);
}

/* 32-bit integers. */

OP(vi, vi_set, (int32_t x), _mm512_set1_epi32(x))
OP(vi, vi_add, (vi a, vi b), _mm512_add_epi32(a, b))
OP(vi, vi_sub, (vi a, vi b), _mm512_sub_epi32(a, b))
OP(vi, vi_and, (vi a, vi b), _mm512_and_si512(a, b))
OP(vi, vi_or, (vi a, vi b), _mm512_or_si512(a, b))
OP(vi, vi_xor, (vi a, vi b), _mm512_xor_si512(a, b))
OP(vi, vi_shift_left, (vi a, unsigned count), _mm512_slli_epi32(a, count))
OP(vi, vi_shift_right, (vi a, unsigned count), _mm512_srai_epi32(a, count)) /* arithmetic */
OP(vm, vi_less, (vi a, vi b), _mm512_cmplt_epi32_mask(a, b))
OP(vi, vi_min, (vi a, vi b), _mm512_min_epi32(a, b))
OP(vi, vi_max, (vi a, vi b), _mm512_max_epi32(a, b))
OP(vm, vi_equal, (vi a, vi b), _mm512_cmpeq_epi32_mask(a, b))
OP(vi, vi_select, (vm m, vi a, vi b), _mm512_mask_mov_epi32(b, m, a))
OP(vi, vi_abs, (vi a), _mm512_abs_epi32(a))                   /* INT32_MIN stays */
OP(vi, vi_highest, (vi a, vi b), _mm512_max_epu32(a, b))      /* unsigned */
OP(vm, vi_below, (vi a, vi b), _mm512_cmplt_epu32_mask(a, b)) /* unsigned */
OP(vm, vi_has_none, (vi a, int bits), _mm512_testn_epi32_mask(a, _mm512_set1_epi32(bits)))
OP(vm, vi_has, (vi a, int bit), _mm512_test_epi32_mask(a, _mm512_set1_epi32(bit)))
OP(vf, vf_of_int, (vi a), _mm512_cvtepi32_ps(a))

/* a * 2^n for halves a and any n, fit for one rounding to half. */
OP(vf, vf_ldexp, (vf a, vi n), _mm512_scalef_ps(a, vf_of_int(n)))

/* Rounds to integer in the mode; infinity and NaN give INT32_MIN. */
OP(vi, vi_round, (vf a, halfcl_rounding mode), ((void)mode, _mm512_cvtps_epi32(a)))

#endif
