/* The part of the vocabulary of neon.h for other formats in memory. */
#ifndef HALFCL_SIMD_NEON_FORMATS_H
#define HALFCL_SIMD_NEON_FORMATS_H

#include "simd/neon_floats.h"

OP(vf, vf_load, (const void *p), (vf){vld1q_f32(p), vld1q_f32((const float *)p + 4)})

ALWAYS_INLINE void vf_store(void *p, vf v, acc *seen)
{
    (void)seen;
    vf_put(p, v);
}

/* Loads two numbers, each into four lanes. */
OP(vf, vf_load_quads, (const float *p), (vf){vld1q_dup_f32(p), vld1q_dup_f32(p + 1)})

OP(float16x8_t, load_eight_halves, (const char *p),
   vreinterpretq_f16_u8(vld1q_u8((const uint8_t *)p)))

ALWAYS_INLINE void vf_load_pairs_e(char *const *at, ptrdiff_t further, vf *left, vf *right)
{
    float16x8_t first = load_eight_halves(at[0] + further);
    float16x8_t second = load_eight_halves(at[1] + further);
    *left = (vf){vcvt_f32_f16(vget_low_f16(first)), vcvt_f32_f16(vget_low_f16(second))};
    *right = (vf){vcvt_high_f32_f16(first), vcvt_high_f32_f16(second)};
}

/* Integers. */

OP(vi, int_of_words, (int16x8_t v), (vi){vmovl_s16(vget_low_s16(v)), vmovl_high_s16(v)})

OP(vi, vi_load_32, (const void *p), (vi){vld1q_s32(p), vld1q_s32((const int32_t *)p + 4)})
OP(vi, vi_load_b, (const void *p), int_of_words(vmovl_s8(vld1_s8(p))))
OP(vi, vi_load_B, (const void *p), vi_widen(vmovl_u8(vld1_u8(p))))
OP(vi, vi_load_h, (const void *p), int_of_words(vld1q_s16(p)))
OP(vi, vi_load_H, (const void *p), vi_widen(vld1q_u16(p)))

ALWAYS_INLINE void vf_load_pairs_B(char *const *at, ptrdiff_t further, vf *left, vf *right)
{
    vf first = vf_of_int(vi_load_B(at[0] + further)),
       second = vf_of_int(vi_load_B(at[1] + further));
    *left = (vf){first.low, second.low};
    *right = (vf){first.high, second.high};
}

/* Clamped to +-2^18: beyond half's range, so that results do not change, and exact in float.
 * Numbers of 64 bits are first saturated to 32. */

OP(vi, clamp_signed, (vi v), vi_max(vi_min(v, vi_set(1 << 18)), vi_set(-(1 << 18))))
OP(int32x4_t, clamp_unsigned, (uint32x4_t v), signed_of(vminq_u32(v, vdupq_n_u32(1 << 18))))

OP(vi, vi_load_i, (const void *p), clamp_signed(vi_load_32(p)))
OP(vi, vi_load_I, (const void *p),
   (vi){clamp_unsigned(vld1q_u32(p)), clamp_unsigned(vld1q_u32((const uint32_t *)p + 4))})

OP(int32x4_t, four_of_q, (const int64_t *p),
   vqmovn_high_s64(vqmovn_s64(vld1q_s64(p)), vld1q_s64(p + 2)))
OP(uint32x4_t, four_of_Q, (const uint64_t *p),
   vqmovn_high_u64(vqmovn_u64(vld1q_u64(p)), vld1q_u64(p + 2)))

OP(vi, vi_load_q, (const void *p),
   clamp_signed((vi){four_of_q(p), four_of_q((const int64_t *)p + 4)}))
OP(vi, vi_load_Q, (const void *p),
   (vi){clamp_unsigned(four_of_Q(p)), clamp_unsigned(four_of_Q((const uint64_t *)p + 4))})

/* Loads n < LANES elements; the missing ones come from fill. */
ALWAYS_INLINE vi vi_load_n(const int32_t *p, size_t n, vi fill)
{
    int32_t part[LANES];
    memcpy(part, &fill, sizeof part);
    memcpy(part, p, n * sizeof *p);
    return vi_load_32(part);
}

OP(int16x8_t, low_words, (vi v), vmovn_high_s32(vmovn_s32(v.low), v.high))

OP(void, vi_store_8, (void *p, vi v), vst1_s8(p, vmovn_s16(low_words(v))))
OP(void, vi_store_32, (void *p, vi v), (void)memcpy(p, &v, sizeof v))

ALWAYS_INLINE void vi_store_16_pair(void *p, vi low, vi high)
{
    vst1q_s16(p, low_words(low));
    vst1q_s16((int16_t *)p + 8, low_words(high));
}

/* Stores integers sign-extended; INT32_MIN becomes low and INT32_MAX becomes high. */
ALWAYS_INLINE void vi_store_64(void *p, vi v, int64_t low, int64_t high)
{
    const int32x4_t quads[] = {v.low, v.high};
    for (int k = 0; k < 4; ++k) {
        int32x4_t four = quads[k / 2];
        int64x2_t wide = k % 2 ? vmovl_high_s32(four) : vmovl_s32(vget_low_s32(four));
        wide = vbslq_s64(vceqq_s64(wide, vdupq_n_s64(INT32_MIN)), vdupq_n_s64(low), wide);
        wide = vbslq_s64(vceqq_s64(wide, vdupq_n_s64(INT32_MAX)), vdupq_n_s64(high), wide);
        vst1q_s64((int64_t *)p + 2 * k, wide);
    }
}

#endif
