/* The part of the vocabulary of avx512fp16.h for arithmetic on halves themselves.
 *
 * MXCSR controls their rounding, too, and records their exceptions; its FTZ and DAZ do not
 * apply to them. */
#ifndef HALFCL_SIMD_AVX512_HALVES_H
#define HALFCL_SIMD_AVX512_HALVES_H

#include "simd/avx512_words.h"

#define HAVE_HALVES 1
#define HAVE_QUIET_HALVES 1
#define HAVE_HALF_DIVISION 0 /* slower than float's */

#define H(v) _mm512_castsi512_ph(v)
#define BITS(v) _mm512_castph_si512(v)

OP(void, acc_raise, (acc * seen, unsigned flags), (void)(seen->raised |= flags))

OP(vh, vw_low, (vw a), _mm512_castsi512_si256(a))
OP(vh, vw_high, (vw a), _mm512_extracti64x4_epi64(a, 1))
OP(wm, vw_not_below, (vw a, vw b), _mm512_cmpge_epu16_mask(a, b)) /* unsigned */
OP(vi, vi_widen_signed, (vh v), _mm512_cvtepi16_epi32(v))
OP(void, vi_store_n, (int32_t *p, vi v, size_t n),
   _mm512_mask_storeu_epi32(p, (__mmask16)first(n), v))

OP(vw, vx_add, (vw a, vw b), BITS(_mm512_add_ph(H(a), H(b))))
OP(vw, vx_sub, (vw a, vw b), BITS(_mm512_sub_ph(H(a), H(b))))
OP(vw, vx_mul, (vw a, vw b), BITS(_mm512_mul_ph(H(a), H(b))))
OP(vw, vx_fma, (vw a, vw b, vw c), BITS(_mm512_fmadd_ph(H(a), H(b), H(c))))

#define NO_EXCEPTIONS _MM_FROUND_NO_EXC
#define COMPARED(how) _mm512_cmp_round_ph_mask(H(a), H(b), _CMP_##how##_Q, NO_EXCEPTIONS)
#define COMPARED_O(how) _mm512_cmp_round_ph_mask(H(a), H(b), _CMP_##how##_OQ, NO_EXCEPTIONS)
OP(wm, vx_unordered, (vw a, vw b), COMPARED(UNORD))
OP(wm, vx_equal, (vw a, vw b), COMPARED_O(EQ))
OP(wm, vx_less, (vw a, vw b), COMPARED_O(LT))
OP(wm, vx_less_equal, (vw a, vw b), COMPARED_O(LE))
OP(wm, vx_less_or_greater, (vw a, vw b), COMPARED_O(NEQ))
#undef COMPARED
#undef COMPARED_O
OP(vw, vx_max, (vw a, vw b), BITS(_mm512_max_round_ph(H(a), H(b), NO_EXCEPTIONS)))
OP(vw, vx_min, (vw a, vw b), BITS(_mm512_min_round_ph(H(a), H(b), NO_EXCEPTIONS)))
OP(wm, vx_zero_or_infinite, (vw a), _mm512_fpclass_ph_mask(H(a), 0x1e))
OP(wm, vx_zero_or_special, (vw a), _mm512_fpclass_ph_mask(H(a), 0x9f))

#define ROUNDED(how) BITS(_mm512_roundscale_ph(H(a), 8 | _MM_FROUND_TO_##how))
OP(vw, vx_rint, (vw a), ROUNDED(NEAREST_INT))
OP(vw, vx_trunc, (vw a), ROUNDED(ZERO))
OP(vw, vx_ceil, (vw a), ROUNDED(POS_INF))
OP(vw, vx_floor, (vw a), ROUNDED(NEG_INF))
#undef ROUNDED

/* Rounds half away from zero: a truncated sum has the integer part of the exact one. It raises
 * nothing; so signalling NaNs are made quiet before it. */
ALWAYS_INLINE vw vx_round(vw a)
{
    const vw sign = vw_set(HALF_SIGN), one_half = vw_set(HALF_ONE_HALF);
    __m512h quiet = _mm512_scalef_ph(H(a), _mm512_setzero_ph());
    __m512h moved = _mm512_add_round_ph(quiet, H(vw_or(vw_and(a, sign), one_half)),
                                        NO_EXCEPTIONS | _MM_FROUND_TO_ZERO);
    return vx_trunc(BITS(moved));
}

OP(vw, vx_exponent, (vw a), BITS(_mm512_getexp_ph(H(a))))
OP(vw, vx_significand, (vw a),
   BITS(_mm512_getmant_ph(H(a), _MM_MANT_NORM_p5_1, _MM_MANT_SIGN_src)))

OP(vw, vx_to_int, (vw a), _mm512_cvtph_epi16(H(a)))
OP(vw, vx_to_unsigned, (vw a), _mm512_cvtph_epu16(H(a)))

#undef H
#undef BITS
#undef NO_EXCEPTIONS

#endif
