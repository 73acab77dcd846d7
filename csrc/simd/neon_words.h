/* The part of the vocabulary of neon.h for 16-bit integers. */
#ifndef HALFCL_SIMD_NEON_WORDS_H
#define HALFCL_SIMD_NEON_WORDS_H

#include "simd/neon_floats.h"

/* Missing elements in memory read as the half 1. */

OP(vw, vw_load, (const void *p), (vw){vld1q_s16(p), vld1q_s16((const int16_t *)p + 8)})

ALWAYS_INLINE void vw_store(void *p, vw v)
{
    vst1q_s16(p, v.low);
    vst1q_s16((int16_t *)p + 8, v.high);
}

OP(vw, vh_join, (vh low, vh high),
   (vw){vreinterpretq_s16_u16(low), vreinterpretq_s16_u16(high)})

ALWAYS_INLINE vw vw_load_n(const void *p, size_t n)
{
    const uint16_t *halves = p;
    return vh_join(vh_load_n(halves, n),
                   n > 8 ? vh_load_n(halves + 8, n - 8) : vdupq_n_u16(HALF_ONE));
}

ALWAYS_INLINE void vw_store_n(void *p, vw v, size_t n)
{
    uint16_t *halves = p;
    vh_store_n(halves, vreinterpretq_u16_s16(v.low), n);
    if (n > 8)
        vh_store_n(halves + 8, vreinterpretq_u16_s16(v.high), n - 8);
}

OP(vw, vw_set, (int x), TWICE(vw, vdupq_n_s16, (int16_t)x))
OP(vw, vw_and, (vw a, vw b), BOTH2(vw, vandq_s16, a, b))
OP(vw, vw_or, (vw a, vw b), BOTH2(vw, vorrq_s16, a, b))
OP(vw, vw_xor, (vw a, vw b), BOTH2(vw, veorq_s16, a, b))
OP(vw, vw_add, (vw a, vw b), BOTH2(vw, vaddq_s16, a, b))
OP(vw, vw_sub, (vw a, vw b), BOTH2(vw, vsubq_s16, a, b))
OP(vw, vw_min, (vw a, vw b), BOTH2(vw, vminq_s16, a, b))
OP(vw, vw_max, (vw a, vw b), BOTH2(vw, vmaxq_s16, a, b))
OP(wm, vw_equal, (vw a, vw b), BOTH2(wm, vceqq_s16, a, b))
OP(wm, vw_greater, (vw a, vw b), BOTH2(wm, vcgtq_s16, a, b))
OP(wm, vw_negative, (vw a), BOTH(wm, vcltzq_s16, a))
OP(vw, vw_select, (wm m, vw a, vw b), BOTH3(vw, vbslq_s16, m, a, b))

OP(wm, wm_and, (wm a, wm b), BOTH2(wm, vandq_u16, a, b))
OP(wm, wm_or, (wm a, wm b), BOTH2(wm, vorrq_u16, a, b))
OP(wm, wm_xor, (wm a, wm b), BOTH2(wm, veorq_u16, a, b))
OP(wm, wm_not, (wm a), BOTH(wm, vmvnq_u16, a))

/* Narrows to 8 bits a lane, in a register of integers. */
ALWAYS_INLINE bool wm_any(wm a)
{
    uint8x8_t lanes = vmovn_u16(vorrq_u16(a.low, a.high));
    return vget_lane_u64(vreinterpret_u64_u8(lanes), 0) != 0;
}

/* Truths in memory are bytes, 0 or 1. */

OP(uint8x16_t, truth_bytes, (wm m),
   vandq_u8(vmovn_high_u16(vmovn_u16(m.low), m.high), vdupq_n_u8(1)))
OP(void, wm_store, (uint8_t *p, wm m), vst1q_u8(p, truth_bytes(m)))

ALWAYS_INLINE void wm_store_n(uint8_t *p, wm m, size_t n)
{
    uint8_t bytes[WORDS];
    wm_store(bytes, m);
    memcpy(p, bytes, n < WORDS ? n : WORDS);
}

ALWAYS_INLINE wm wm_load(const uint8_t *p)
{
    uint8x16_t bytes = vld1q_u8(p);
    int8x16_t truths = vreinterpretq_s8_u8(vtstq_u8(bytes, bytes));
    return (wm){vreinterpretq_u16_s16(vmovl_s8(vget_low_s8(truths))),
                vreinterpretq_u16_s16(vmovl_high_s8(truths))};
}

ALWAYS_INLINE wm wm_load_n(const uint8_t *p, size_t n)
{
    uint8_t bytes[WORDS] = {0};
    memcpy(bytes, p, n < WORDS ? n : WORDS);
    return wm_load(bytes);
}

#endif
