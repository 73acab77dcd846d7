/* The part of the vocabulary of portable.h for 16-bit integers. */
#ifndef HALFCL_SIMD_PORTABLE_WORDS_H
#define HALFCL_SIMD_PORTABLE_WORDS_H

#include "simd/portable_floats.h"

/* Missing elements in memory read as the half 1. */

ALWAYS_INLINE vw vw_load(const void *p)
{
    vw v;
    memcpy(&v, p, sizeof v);
    return v;
}

ALWAYS_INLINE vw vw_load_n(const void *p, size_t n)
{
    vw v = vw_set(HALF_ONE);
    EACH(k, WORDS) v[k] = (size_t)k < n ? ((const int16_t *)p)[k] : v[k];
    return v;
}

ALWAYS_INLINE void vw_store(void *p, vw v)
{
    memcpy(p, &v, sizeof v);
}

ALWAYS_INLINE void vw_store_n(void *p, vw v, size_t n)
{
    for (size_t k = 0; k < n && k < WORDS; ++k)
        ((int16_t *)p)[k] = v[k];
}

OP(vw, vw_and, (vw a, vw b), a &b)
OP(vw, vw_or, (vw a, vw b), a | b)
OP(vw, vw_xor, (vw a, vw b), a ^ b)
/* These wrap. */
OP(vw, vw_add, (vw a, vw b), (vw)((vuw)a + (vuw)b))
OP(vw, vw_sub, (vw a, vw b), (vw)((vuw)a - (vuw)b))
OP(wm, vw_equal, (vw a, vw b), a == b)
OP(wm, vw_greater, (vw a, vw b), a > b)
OP(wm, vw_negative, (vw a), a < 0)
OP(vw, vw_select, (wm m, vw a, vw b), (m & a) | (~m & b))
OP(vw, vw_min, (vw a, vw b), vw_select(a < b, a, b))
OP(vw, vw_max, (vw a, vw b), vw_select(a > b, a, b))
ALWAYS_INLINE vw vh_join(vh low, vh high)
{
    const vh both[] = {low, high};
    vw v;
    memcpy(&v, both, sizeof v);
    return v;
}

OP(wm, wm_and, (wm a, wm b), a &b)
OP(wm, wm_or, (wm a, wm b), a | b)
OP(wm, wm_xor, (wm a, wm b), a ^ b)
OP(wm, wm_not, (wm a), ~a)

ALWAYS_INLINE bool wm_any(wm a)
{
    uint64_t halves[2];
    memcpy(halves, &a, sizeof halves);
    return (halves[0] | halves[1]) != 0;
}

/* Truths in memory are bytes, 0 or 1. */

ALWAYS_INLINE void wm_store(uint8_t *p, wm m)
{
    EACH(k, WORDS) p[k] = m[k] & 1;
}

ALWAYS_INLINE void wm_store_n(uint8_t *p, wm m, size_t n)
{
    for (size_t k = 0; k < n && k < WORDS; ++k)
        p[k] = m[k] & 1;
}

ALWAYS_INLINE wm wm_load_n(const uint8_t *p, size_t n)
{
    wm m = vw_set(0);
    for (size_t k = 0; k < n && k < WORDS; ++k)
        m[k] = p[k] ? -1 : 0;
    return m;
}

ALWAYS_INLINE wm wm_load(const uint8_t *p)
{
    return wm_load_n(p, WORDS);
}

#endif
