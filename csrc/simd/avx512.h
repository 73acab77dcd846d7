/* The vector vocabulary of portable.h for AVX-512 F, BW, DQ and VL.
 *
 * The rounding mode is in MXCSR, and its sticky flags record invalid, division by
 * zero, overflow, and underflow where the result is tiny after rounding. */
#include <immintrin.h>

#include "../half.h"

#define EMBEDDED_ROUNDING 1 /* instructions that say how they round: vn_fma */
#define VECTOR_FUNCTIONS 1  /* fused multiply-add, and what else approximations need */

enum { LANES = 16, WORDS = 32 };

typedef __m256i vh;
typedef __m512 vf;
typedef __m512d vd;
typedef __m512i vi;
typedef __mmask16 vm;
typedef __m512i vw;
typedef __mmask32 wm;
typedef struct {
    __m512i tiny; /* has a zero lane after any */
} acc;

#define OP(type, name, params, expression)                                                     \
    ALWAYS_INLINE type name params                                                             \
    {                                                                                          \
        return expression;                                                                     \
    }

/* To come before calls of slow functions, which are compiled for any processor: what vectors
 * leave in the registers would make them slower still. */
OP(void, leave_vectors, (void), _mm256_zeroupper())

/* Exceptions. */

OP(acc, acc_none, (void), (acc){_mm512_set1_epi32(-1)})
OP(unsigned, acc_flags, (acc seen),
   _mm512_testn_epi32_mask(seen.tiny, seen.tiny) ? HALFCL_UNDERFLOW : 0)

/* Adds the underflows that the conversion to half will not record: of values in
 * [2^-14 - 2^-25, 2^-14), tiny and inexact, that may round to 2^-14. They differ only in the
 * bits that half lacks. Two cheap instructions: comparisons compete with the conversions. */
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

/* Of two vectors that give these halves. */
ALWAYS_INLINE void acc_tiny_pair(acc *seen, vf first, vf second, vh low, vh high)
{
    (void)low, (void)high;
    acc_tiny(seen, first);
    acc_tiny(seen, second);
}

/* Halves in memory; what is missing reads as 1. */

OP(__mmask32, first, (size_t n), n < 32 ? ((uint32_t)1 << n) - 1 : UINT32_MAX)
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

ALWAYS_INLINE vh vf_narrow(vf v, halfcl_rounding mode, acc *seen)
{
    (void)mode, (void)seen;
    return _mm512_cvtps_ph(v, _MM_FROUND_CUR_DIRECTION);
}

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
OP(vm, vf_zero, (vf a), _mm512_fpclass_ps_mask(a, 0x06))
OP(vm, vf_special, (vf a), _mm512_fpclass_ps_mask(a, 0x99)) /* infinities and NaNs */
OP(vm, vf_zero_or_special, (vf a), _mm512_fpclass_ps_mask(a, 0x9f))
OP(vf, vf_select, (vm m, vf a, vf b), _mm512_mask_mov_ps(b, m, a))

OP(vm, vm_none, (void), 0)
OP(vm, vm_and, (vm a, vm b), (vm)(a & b))
OP(vm, vm_and_not, (vm a, vm b), (vm)(a & ~b))
OP(vm, vm_or, (vm a, vm b), (vm)(a | b))
OP(vm, vm_xor, (vm a, vm b), (vm)(a ^ b))
OP(vm, vm_not, (vm a), (vm)~a)
OP(bool, vm_any, (vm a), a != 0)
OP(unsigned, vm_bits, (vm a), a)
OP(void, vm_put, (char *p, vm a), (void)memcpy(p, &a, sizeof a)) /* LANES bits */

#define ROUND(how) _mm512_roundscale_ps(a, _MM_FROUND_NO_EXC | _MM_FROUND_TO_##how)
OP(vf, vf_rint, (vf a), ROUND(NEAREST_INT))
OP(vf, vf_trunc, (vf a), ROUND(ZERO))
OP(vf, vf_ceil, (vf a), ROUND(POS_INF))
OP(vf, vf_floor, (vf a), ROUND(NEG_INF))
#undef ROUND

/* a less its truncation or its floor, exactly, of finite a if a float has the difference; of
 * infinity, 0. The sign of zeros says nothing. */
#define REDUCE(how) _mm512_reduce_ps(a, _MM_FROUND_NO_EXC | _MM_FROUND_TO_##how)
OP(vf, vf_above_trunc, (vf a), REDUCE(ZERO))
OP(vf, vf_above_floor, (vf a), REDUCE(NEG_INF))
#undef REDUCE

/* a * b + c and c - a * b, rounded once. */
OP(vf, vf_fma, (vf a, vf b, vf c), _mm512_fmadd_ps(a, b, c))
OP(vf, vf_fnma, (vf a, vf b, vf c), _mm512_fnmadd_ps(a, b, c))

/* 1 / sqrt(a) within 2^-14 relatively; of 0, infinity. */
OP(vf, vf_rsqrt_estimate, (vf a), _mm512_rsqrt14_ps(a))

/* The same, rounded once or twice. */
OP(vf, vf_muladd, (vf a, vf b, vf c), vf_fma(a, b, c))
OP(vf, vf_nmuladd, (vf a, vf b, vf c), vf_fnma(a, b, c))

/* 1 / a within 2^-11 relatively; of 0, infinity; of infinity, 0. No exceptions. */
OP(vf, vf_reciprocal_estimate, (vf a), _mm512_rcp14_ps(a))

/* 1 / cbrt(a) within 4 %, for a > 0: a third of the exponent and fraction, in 16-bit words. */
OP(vf, vf_rcbrt_estimate, (vf a),
   _mm512_castsi512_ps(_mm512_sub_epi32(_mm512_set1_epi32(0x54a14000),
                                        _mm512_mulhi_epu16(_mm512_castps_si512(a),
                                                           _mm512_set1_epi16(0x5555)))))

OP(vm, vf_sign, (vf a), _mm512_movepi32_mask(_mm512_castps_si512(a)))
OP(vi, vf_bits, (vf a), _mm512_castps_si512(a))
OP(vf, vf_of_bits, (vi a), _mm512_castsi512_ps(a))

/* a with the other sign where that bit is set. */
OP(vf, vf_flipped, (vf a, vi sign),
   _mm512_castsi512_ps(_mm512_ternarylogic_epi32(_mm512_castps_si512(a), sign,
                                                 _mm512_set1_epi32(INT32_MIN), 0x78)))

/* table[the bits of v]. */
OP(vf, vf_gather, (const float *table, vh v),
   _mm512_mask_i32gather_ps(_mm512_setzero_ps(), 0xffff, _mm512_cvtepu16_epi32(v), table, 4))

/* table[the last 4 or 5 bits of index]. */
OP(vf, vf_look_up16, (const float *table, vi index),
   _mm512_permutexvar_ps(index, _mm512_loadu_ps(table)))
OP(vf, vf_look_up32, (const float *table, vi index),
   _mm512_permutex2var_ps(_mm512_loadu_ps(table), index, _mm512_loadu_ps(table + 16)))

/* a = significand(a) * 2^exponent(a), 1 <= significand(a) < 2, for finite a > 0. Else one of
 * them is infinite or NaN. */
OP(vf, vf_significand, (vf a), _mm512_getmant_ps(a, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_nan))

/* a * 2^floor(b). */
OP(vf, vf_scale, (vf a, vf b), _mm512_scalef_ps(a, b))

/* For approximations: rounded to nearest whatever the mode is, and without exceptions. */
#define NEAREST (_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
OP(vf, vn_add, (vf a, vf b), _mm512_add_round_ps(a, b, NEAREST))
OP(vf, vn_sub, (vf a, vf b), _mm512_sub_round_ps(a, b, NEAREST))
OP(vf, vn_mul, (vf a, vf b), _mm512_mul_round_ps(a, b, NEAREST))
/* a * b where m says so, else a. */
OP(vf, vn_mul_where, (vm m, vf a, vf b), _mm512_mask_mul_round_ps(a, m, a, b, NEAREST))
OP(vf, vn_div, (vf a, vf b), _mm512_div_round_ps(a, b, NEAREST))
OP(vf, vn_fma, (vf a, vf b, vf c), _mm512_fmadd_round_ps(a, b, c, NEAREST))
OP(vf, vn_fms, (vf a, vf b, vf c), _mm512_fmsub_round_ps(a, b, c, NEAREST))
OP(vf, vn_fnma, (vf a, vf b, vf c), _mm512_fnmadd_round_ps(a, b, c, NEAREST))
OP(vf, vn_min, (vf a, vf b), _mm512_min_round_ps(a, b, _MM_FROUND_NO_EXC))
OP(vf, vn_max, (vf a, vf b), _mm512_max_round_ps(a, b, _MM_FROUND_NO_EXC))
/* The less of |a| and |b|; of a NaN and a number the number. */
OP(vf, vn_least_abs, (vf a, vf b), _mm512_range_round_ps(a, b, 0xa, _MM_FROUND_NO_EXC))
/* 1 / a and c - a where m says so, else a. */
OP(vf, vn_inverse_where, (vm m, vf a),
   _mm512_mask_div_round_ps(a, m, _mm512_set1_ps(1), a, NEAREST))
OP(vf, vn_complement_where, (vm m, vf a, vf c), _mm512_mask_sub_round_ps(a, m, c, a, NEAREST))
OP(vf, vn_scale, (vf a, vf b), _mm512_scalef_round_ps(a, b, NEAREST))
OP(vf, vn_exponent, (vf a), _mm512_getexp_round_ps(a, _MM_FROUND_NO_EXC))
OP(vf, vn_significand, (vf a),
   _mm512_getmant_round_ps(a, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_nan, _MM_FROUND_NO_EXC))
#undef NEAREST

/* The same, rounded up, down, and toward zero. */
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

/* a * b + c > 0 rounded to odd, whatever the mode is, and without exceptions: if the results
 * rounded down and up differ, they are neighbours, and the lower one gets its last bit set. */
ALWAYS_INLINE vf vn_positive_fma_odd(vf a, vf b, vf c)
{
    vf down = vn_fma_down(a, b, c), up = vn_fma_up(a, b, c);
    __m512i one = _mm512_set1_epi32(1); /* down | ((down ^ up) & one) */
    return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(_mm512_castps_si512(down),
                                                         _mm512_castps_si512(up), one, 0xf8));
}

/* a less the integer nearest to it, exactly; of integers +0, of infinity 0. */
OP(vf, vn_off_integer, (vf a),
   _mm512_reduce_ps(a, _MM_FROUND_NO_EXC | _MM_FROUND_TO_NEAREST_INT))

/* What a function gives for special arguments, and which of them raise an exception. */
typedef enum {
    AS_COMPUTED = 0,
    ITSELF = 1,
    ITS_NAN = 2,
    A_NAN = 3,
    PLUS_INF = 5,
    ITS_INF = 6,
    PLUS_0 = 8,
    MINUS_1 = 9,
    PLUS_1 = 10
} fix;
enum {
    POLE_AT_0 = 1 << 0,
    INVALID_AT_MINUS_INF = 1 << 5,
    INVALID_BELOW_0 = 1 << 6,
    INVALID_AT_INF = 1 << 7
};
#define FIXES(at_nan, at_0, at_minus_inf, at_inf, below_0)                                     \
    ((at_nan) | (at_0) << 8 | (at_minus_inf) << 16 | (at_inf) << 20 | (below_0) << 24)

/* The result of a function of x, with these fixes, a constant; raises is one, too. */
#define vf_fixed(result, x, fixes, raises)                                                     \
    _mm512_fixupimm_ps(result, x, _mm512_set1_epi32(fixes), raises)

/* first: table[2 i], second: table[2 i + 1], where i are the bits of v. */
ALWAYS_INLINE void vf_gather_pairs(const float *table, vh v, vf *first, vf *second)
{
    const __m512i even =
        _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    const __m512i odd = _mm512_or_si512(even, _mm512_set1_epi32(1));
    __m256i low = _mm256_cvtepu16_epi32(_mm256_castsi256_si128(v));
    __m256i high = _mm256_cvtepu16_epi32(_mm256_extracti128_si256(v, 1));
    vf low_pairs = _mm512_castpd_ps(
        _mm512_mask_i32gather_pd(_mm512_setzero_pd(), 0xff, low, table, 2 * sizeof *table));
    vf high_pairs = _mm512_castpd_ps(
        _mm512_mask_i32gather_pd(_mm512_setzero_pd(), 0xff, high, table, 2 * sizeof *table));
    *first = _mm512_permutex2var_ps(low_pairs, even, high_pairs);
    *second = _mm512_permutex2var_ps(low_pairs, odd, high_pairs);
}

/* In each block of four lanes, the sums of that block of a, b, c and d. */
ALWAYS_INLINE vf sums_of_blocks(vf a, vf b, vf c, vf d)
{
    vf ab = vf_add(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
    vf cd = vf_add(_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
    vd first = _mm512_castps_pd(ab), second = _mm512_castps_pd(cd);
    return vf_add(_mm512_castpd_ps(_mm512_unpacklo_pd(first, second)),
                  _mm512_castpd_ps(_mm512_unpackhi_pd(first, second)));
}

/* The sums of neighbouring blocks, of a and then of b. */
OP(vf, add_blocks, (vf a, vf b),
   vf_add(_mm512_shuffle_f32x4(a, b, 0x88), _mm512_shuffle_f32x4(a, b, 0xdd)))

/* Lane i: the sum of the lanes of rows[i], rounded at each of log2(LANES) additions. */
ALWAYS_INLINE vf vf_sums_of_lanes(const vf *rows)
{
    vf sums[4];
    for (int k = 0; k < 4; k++)
        sums[k] =
            sums_of_blocks(rows[4 * k], rows[4 * k + 1], rows[4 * k + 2], rows[4 * k + 3]);
    return add_blocks(add_blocks(sums[0], sums[1]), add_blocks(sums[2], sums[3]));
}

/* In memory, as it is. */
OP(void, vf_put, (float *p, vf v), _mm512_storeu_ps(p, v))

/* Which lanes are within slack, a power of two, units of float's last place of a number whose
 * last 12 bits are zero, and not settled. */
OP(vm, vf_doubtful, (vf v, int slack, vm settled),
   _mm512_mask_testn_epi32_mask((vm)~settled,
                                _mm512_add_epi32(_mm512_castps_si512(v),
                                                 _mm512_set1_epi32(slack)),
                                _mm512_set1_epi32(0x1000 - 2 * slack)))

/* Doubles. */

OP(vd, vd_set, (double x), _mm512_set1_pd(x))
OP(vd, vd_low, (vf v), _mm512_cvtps_pd(_mm512_castps512_ps256(v)))
OP(vd, vd_high, (vf v), _mm512_cvtps_pd(_mm512_extractf32x8_ps(v, 1)))
OP(vd, vd_add, (vd a, vd b), _mm512_add_pd(a, b))
OP(vd, vd_sub, (vd a, vd b), _mm512_sub_pd(a, b))
OP(vd, vd_mul, (vd a, vd b), _mm512_mul_pd(a, b))
OP(vd, vd_div, (vd a, vd b), _mm512_div_pd(a, b))
OP(vd, vd_min, (vd a, vd b), _mm512_min_pd(a, b))
OP(vd, vd_max, (vd a, vd b), _mm512_max_pd(a, b))
OP(vd, vd_trunc, (vd a), _mm512_roundscale_pd(a, _MM_FROUND_NO_EXC | _MM_FROUND_TO_ZERO))
OP(vd, vd_load, (const void *p), _mm512_loadu_pd(p))
OP(void, vd_store, (void *p, vd v), _mm512_storeu_pd(p, v))

/* To float by rounding to odd: cut 29 bits and, if any was set, set the last that
 * stays. */
ALWAYS_INLINE __m256 round_to_odd(vd v)
{
    __m512i bits = _mm512_castpd_si512(v), cut = _mm512_set1_epi64(((int64_t)1 << 29) - 1);
    __m512i carry = _mm512_add_epi64(_mm512_and_si512(bits, cut), cut);
    /* (bits | carry) & ~cut */
    bits = _mm512_ternarylogic_epi64(bits, carry, cut, 0x54);
    return _mm512_cvtpd_ps(_mm512_castsi512_pd(bits));
}

OP(vf, vf_join_odd, (vd low, vd high),
   _mm512_insertf32x8(_mm512_castps256_ps512(round_to_odd(low)), round_to_odd(high), 1))

/* Doubles from memory, rounded to odd. Beyond float's range this rounds in the mode, as
 * the conversion to half will. */
OP(vf, vf_load_double, (const void *p),
   vf_join_odd(vd_load(p), vd_load((const double *)p + LANES / 2)))

/* a + b and a - b, fit for one rounding to half: two roundings in one direction compose, and in
 * rte 24 = 2 * 11 + 2 bits make the first one innocuous. */
OP(vf, vf_sum, (vf a, vf b, halfcl_rounding mode), ((void)mode, _mm512_add_ps(a, b)))
OP(vf, vf_difference, (vf a, vf b, halfcl_rounding mode), ((void)mode, _mm512_sub_ps(a, b)))

/* a * b + c, fit for one rounding to half. If the results rounded down and up differ,
 * they are neighbours, and the odd one of them is the sum rounded to odd. Else the sum
 * is exact, or a NaN, or a zero whose sign depends on the mode. */
ALWAYS_INLINE vf vf_fma_odd(vf a, vf b, vf c, halfcl_rounding mode)
{
    (void)mode;
    vf plain = _mm512_fmadd_ps(a, b, c); /* and its exceptions */
    vf down = _mm512_fmadd_round_ps(a, b, c, _MM_FROUND_NO_EXC | _MM_FROUND_TO_NEG_INF);
    vf up = _mm512_fmadd_round_ps(a, b, c, _MM_FROUND_NO_EXC | _MM_FROUND_TO_POS_INF);
    __mmask16 inexact = _mm512_cmp_ps_mask(down, up, _CMP_NEQ_OQ);
    __mmask16 odd =
        _mm512_mask_test_epi32_mask(inexact, _mm512_castps_si512(up), _mm512_set1_epi32(1));
    return _mm512_mask_mov_ps(_mm512_mask_mov_ps(plain, inexact, down), odd, up);
}

/* The same where a is any float. */
OP(vf, vf_fma_odd_of_float, (vf a, vf b, vf c, halfcl_rounding mode), vf_fma_odd(a, b, c, mode))

/* Where a - b is no float. */
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

/* To integer by the mode; infinity and NaN give INT32_MIN. */
OP(vi, vi_round, (vf a, halfcl_rounding mode), ((void)mode, _mm512_cvtps_epi32(a)))

/* Other formats in memory. Integers come clamped to +-2^18: beyond half's range, so
 * that nothing changes, and exact in float. */

#define LOAD128(p) _mm_loadu_si128((const __m128i *)(p))
#define LOAD256(p) _mm256_loadu_si256((const __m256i *)(p))
#define LOAD512(p) _mm512_loadu_si512(p)

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
/* The low words of two vectors. */
ALWAYS_INLINE void vi_store_16_pair(void *p, vi low, vi high)
{
    const __m512i even =
        _mm512_set_epi16(62, 60, 58, 56, 54, 52, 50, 48, 46, 44, 42, 40, 38, 36, 34, 32, 30, 28,
                         26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    _mm512_storeu_si512(p, _mm512_permutex2var_epi16(low, even, high));
}

OP(vi, vi_load_32, (const void *p), LOAD512(p))
/* n < LANES of them; what is missing is from fill. */
OP(vi, vi_load_n, (const int32_t *p, size_t n, vi fill),
   _mm512_mask_loadu_epi32(fill, (__mmask16)first(n), p))
OP(void, vi_store_32, (void *p, vi v), _mm512_storeu_si512(p, v))

/* Sign-extended; INT32_MIN becomes low and INT32_MAX becomes high. */
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

ALWAYS_INLINE void vf_store(void *p, vf v, acc *seen)
{
    (void)seen;
    _mm512_storeu_ps(p, v);
}

/* 16-bit integers, signed; what is missing in memory reads as the half 1. */

OP(vw, vw_load, (const void *p), LOAD512(p))
OP(vw, vw_load_n, (const void *p, size_t n),
   _mm512_mask_loadu_epi16(_mm512_set1_epi16(HALF_ONE), first(n), p))
OP(void, vw_store, (void *p, vw v), _mm512_storeu_si512(p, v))
OP(void, vw_store_n, (void *p, vw v, size_t n), _mm512_mask_storeu_epi16(p, first(n), v))
OP(vw, vw_set, (int x), _mm512_set1_epi16((short)x))
OP(vw, vw_and, (vw a, vw b), _mm512_and_si512(a, b))
OP(vw, vw_or, (vw a, vw b), _mm512_or_si512(a, b))
OP(vw, vw_xor, (vw a, vw b), _mm512_xor_si512(a, b))
OP(vw, vw_add, (vw a, vw b), _mm512_add_epi16(a, b))
OP(vw, vw_sub, (vw a, vw b), _mm512_sub_epi16(a, b))
OP(vw, vw_min, (vw a, vw b), _mm512_min_epi16(a, b))
OP(vw, vw_max, (vw a, vw b), _mm512_max_epi16(a, b))
OP(wm, vw_equal, (vw a, vw b), _mm512_cmpeq_epi16_mask(a, b))
OP(wm, vw_greater, (vw a, vw b), _mm512_cmpgt_epi16_mask(a, b))
OP(wm, vw_not_greater, (vw a, vw b), _mm512_cmple_epi16_mask(a, b))
OP(wm, vw_negative, (vw a), _mm512_movepi16_mask(a))
OP(vw, vw_select, (wm m, vw a, vw b), _mm512_mask_mov_epi16(b, m, a))

OP(vw, vh_join, (vh low, vh high), _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1))

OP(wm, wm_and, (wm a, wm b), a &b)
OP(wm, wm_or, (wm a, wm b), a | b)
OP(wm, wm_xor, (wm a, wm b), a ^ b)
OP(wm, wm_not, (wm a), ~a)
OP(bool, wm_any, (wm a), a != 0)

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
