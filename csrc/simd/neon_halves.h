/* The part of the vocabulary of neon_fp16.h for arithmetic on halves themselves.
 *
 * FPCR controls their rounding, too, and FPSR has their exceptions, underflow before rounding.
 * Comparisons raise invalid, and the greater one of two zeros is +0: comparisons of integers
 * serve better. */
#ifndef HALFCL_SIMD_NEON_HALVES_H
#define HALFCL_SIMD_NEON_HALVES_H

#include "simd/neon_formats.h"
#include "simd/neon_words.h"

#define HAVE_HALVES 1
#define HAVE_QUIET_HALVES 0
#define HAVE_HALF_DIVISION 1

OP(void, acc_raise, (acc * seen, unsigned flags), (void)(seen->flags |= flags))

OP(vh, vw_low, (vw a), vreinterpretq_u16_s16(a.low))
OP(vh, vw_high, (vw a), vreinterpretq_u16_s16(a.high))
OP(wm, vw_not_below, (vw a, vw b),
   (wm){vcgeq_u16(vw_low(a), vw_low(b)), vcgeq_u16(vw_high(a), vw_high(b))}) /* unsigned */
OP(vi, vi_widen_signed, (vh v), int_of_words(vreinterpretq_s16_u16(v)))

ALWAYS_INLINE void vi_store_n(int32_t *p, vi v, size_t n)
{
    memcpy(p, &v, (n < LANES ? n : LANES) * sizeof *p);
}

typedef struct {
    float16x8_t low, high;
} halves;

OP(halves, halves_of, (vw a), BOTH(halves, vreinterpretq_f16_s16, a))
OP(vw, words_of, (halves a), BOTH(vw, vreinterpretq_s16_f16, a))

#define UNARY_OF_HALVES(f, a) words_of(BOTH(halves, f, halves_of(a)))
#define BINARY_OF_HALVES(f, a, b) words_of(BOTH2(halves, f, halves_of(a), halves_of(b)))

OP(vw, vx_add, (vw a, vw b), BINARY_OF_HALVES(vaddq_f16, a, b))
OP(vw, vx_sub, (vw a, vw b), BINARY_OF_HALVES(vsubq_f16, a, b))
OP(vw, vx_mul, (vw a, vw b), BINARY_OF_HALVES(vmulq_f16, a, b))
OP(vw, vx_div, (vw a, vw b), BINARY_OF_HALVES(vdivq_f16, a, b))
OP(vw, vx_sqrt, (vw a), UNARY_OF_HALVES(vsqrtq_f16, a))
OP(vw, vx_fma, (vw a, vw b, vw c),
   words_of(BOTH3(halves, vfmaq_f16, halves_of(c), halves_of(a), halves_of(b))))

OP(vw, vx_rint, (vw a), UNARY_OF_HALVES(vrndnq_f16, a))
OP(vw, vx_trunc, (vw a), UNARY_OF_HALVES(vrndq_f16, a))
OP(vw, vx_ceil, (vw a), UNARY_OF_HALVES(vrndpq_f16, a))
OP(vw, vx_floor, (vw a), UNARY_OF_HALVES(vrndmq_f16, a))
OP(vw, vx_round, (vw a), UNARY_OF_HALVES(vrndaq_f16, a))

OP(int16x8_t, word_of, (float16x8_t a), vcvtq_s16_f16(vrndiq_f16(a)))
OP(int16x8_t, unsigned_word_of, (float16x8_t a),
   vreinterpretq_s16_u16(vcvtq_u16_f16(vrndiq_f16(a))))
OP(vw, vx_to_int, (vw a), BOTH(vw, word_of, halves_of(a)))
OP(vw, vx_to_unsigned, (vw a), BOTH(vw, unsigned_word_of, halves_of(a)))

#undef UNARY_OF_HALVES
#undef BINARY_OF_HALVES

#endif
