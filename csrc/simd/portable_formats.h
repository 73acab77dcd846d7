/* The part of the vocabulary of portable.h for other formats in memory.
 */
#ifndef HALFCL_SIMD_PORTABLE_FORMATS_H
#define HALFCL_SIMD_PORTABLE_FORMATS_H

#include "simd/portable_floats.h"

/* Integers are clamped to +-2^18: beyond half's range, so that results do not change, and exact
 * in float. */

#define CLAMPED(x) ((x) > 1 << 18 ? 1 << 18 : (x))
#define CLAMPED_BELOW(x) ((x) < -(1 << 18) ? -(1 << 18) : CLAMPED(x))
#define LOAD_INTEGERS(letter, type, value)                                                     \
    ALWAYS_INLINE vi vi_load_##letter(const void *from)                                        \
    {                                                                                          \
        vi v;                                                                                  \
        type p[LANES];                                                                         \
        memcpy(p, from, sizeof p);                                                             \
        EACH(k, LANES) v[k] = (int32_t)(value);                                                \
        return v;                                                                              \
    }
LOAD_INTEGERS(b, int8_t, p[k])
LOAD_INTEGERS(B, uint8_t, p[k])
LOAD_INTEGERS(h, int16_t, p[k])
LOAD_INTEGERS(H, uint16_t, p[k])
LOAD_INTEGERS(i, int32_t, CLAMPED_BELOW(p[k]))
LOAD_INTEGERS(I, uint32_t, CLAMPED(p[k]))
LOAD_INTEGERS(q, int64_t, CLAMPED_BELOW(p[k]))
LOAD_INTEGERS(Q, uint64_t, CLAMPED(p[k]))

ALWAYS_INLINE void vi_store_8(void *p, vi v)
{
    EACH(k, LANES)((uint8_t *)p)[k] = (uint8_t)v[k];
}

ALWAYS_INLINE void vi_store_16_pair(void *p, vi low, vi high)
{
    const vh words[] = {__builtin_convertvector(low, vh), __builtin_convertvector(high, vh)};
    memcpy(p, words, sizeof words);
}

ALWAYS_INLINE vi vi_load_32(const void *p)
{
    vi v;
    memcpy(&v, p, sizeof v);
    return v;
}

ALWAYS_INLINE void vi_store_32(void *p, vi v)
{
    memcpy(p, &v, sizeof v);
}

/* Loads n < LANES elements; the missing ones come from fill. */
ALWAYS_INLINE vi vi_load_n(const int32_t *p, size_t n, vi fill)
{
    EACH(k, LANES) fill[k] = (size_t)k < n ? p[k] : fill[k];
    return fill;
}

/* Stores integers sign-extended; INT32_MIN becomes low and INT32_MAX becomes high. */
ALWAYS_INLINE void vi_store_64(void *p, vi v, int64_t low, int64_t high)
{
    int64_t wide[LANES];
    EACH(k, LANES) wide[k] = v[k] == INT32_MIN ? low : v[k] == INT32_MAX ? high : v[k];
    memcpy(p, wide, sizeof wide);
}

ALWAYS_INLINE vf vf_load(const void *p)
{
    vf v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* Makes signalling NaNs, which vf_widen leaves as they are, quiet. */
ALWAYS_INLINE void vf_store(void *p, vf v, acc *seen)
{
    vm nan = magnitude_bits(v) > FLOAT_INF;
    vf quiet = (vf)((vi)v | (nan & FLOAT_QUIET));
    seen->flags |= ((vi)quiet != (vi)v) & HALFCL_INVALID;
    memcpy(p, &quiet, sizeof quiet);
}

/* Loads one number into four lanes. */
OP(vf, vf_load_quads, (const float *p), vf_set(*p))

ALWAYS_INLINE void vf_load_pairs_e(char *const *at, ptrdiff_t further, vf *left, vf *right)
{
    const char *pair = at[0] + further;
    *left = vf_widen(vh_load((const uint16_t *)(const void *)pair));
    *right = vf_widen(vh_load((const uint16_t *)(const void *)pair + LANES));
}

ALWAYS_INLINE void vf_load_pairs_B(char *const *at, ptrdiff_t further, vf *left, vf *right)
{
    *left = vf_of_int(vi_load_B(at[0] + further));
    *right = vf_of_int(vi_load_B(at[0] + further + LANES));
}

ALWAYS_INLINE void vf_put(float *p, vf v)
{
    memcpy(p, &v, sizeof v);
}

#endif
