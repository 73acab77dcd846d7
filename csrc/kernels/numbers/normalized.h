/* Conversions between half and normalised integers, which represent fractions of their greatest
 * value m: the channels of images.
 *
 * A code read, c / m, is computed in float and rounded to half. The numbers at which half
 * rounds, in any mode, have 12 bits. With 8 bits, c / m is such a number or at least 2^-21 of
 * it away, so that a product with 1 / m is enough: with a number slightly above that, and
 * truncated to 1 after.
 *
 * With 16 bits, m = 2^k - 1 and c / m = (c / 2^k) (1 + 2^-k + 2^-2k + ...). It is at least
 * 2^-16 above such a number, or at least 2^-28 below one, and equal to one only if that is 0 or
 * 1. So to nearest a product with less than 1 / m is enough, if less by no more than 2^-17. In
 * a directed mode that would lose 1, and a product with more would exceed numbers that it is
 * just below: it adds 2^-38 and is rounded once, in the mode, and truncated to 1. None is tiny
 * and rounds to 2^-14. The tests try all codes. */
#ifndef HALFCL_KERNELS_NUMBERS_NORMALIZED_H
#define HALFCL_KERNELS_NUMBERS_NORMALIZED_H

#include "kernels/elementwise/convert.h"

/* Calls X for each: name, its converters' letter, C type, greatest value, least value of a
 * fraction. */
#define NORMALIZED(X)                                                                          \
    X(unorm8, B, uint8_t, 255, 0)                                                              \
    X(unorm16, H, uint16_t, 65535, 0)                                                          \
    X(snorm8, b, int8_t, 127, -127)                                                            \
    X(snorm16, h, int16_t, 32767, -32767)

/* c / (2^k - 1), which half can round, with unit = 2^-k, as above. */
ALWAYS_INLINE vf fraction_of_16_bits(vf c, float unit, halfcl_rounding mode)
{
    if (mode == HALFCL_RTE)
        return vf_mul(c, vf_set(unit * (1 + unit - 0x1p-22f)));
    if (!HAVE_FMA)
        return vf_div(c, vf_set(1 / unit - 1));
    c = vf_mul(c, vf_set(unit));
    return vf_min(vf_fma(c, vf_set(unit * (1 + unit + 0x1p-23f)), c), vf_set(1));
}

ALWAYS_INLINE vf fraction_of_8_bits(vf c, float greatest)
{
    return vf_min(vf_mul(c, vf_set(0x1.000002p0f / greatest)), vf_set(1));
}

/* Signed codes have one more below, which is -1 like the next. */
ALWAYS_INLINE vf fraction_of(vi codes, float greatest, float least, halfcl_rounding mode)
{
    vf c = vf_of_int(codes);
    vf fraction = greatest > UINT8_MAX ? fraction_of_16_bits(c, 1 / (greatest + 1), mode)
                                       : fraction_of_8_bits(c, greatest);
    return least < 0 ? vf_max(fraction, vf_set(-1)) : fraction;
}

/* Floats from 2^23 to 2^24 are the integers there: x * greatest, added to one and rounded once,
 * in the mode, has the code in its low bits. But toward zero a negative one is rounded to the
 * wrong side. NaN becomes bottom. */
ALWAYS_INLINE vi code_in_float(vf x, float greatest, float bottom)
{
    const float zero = bottom < 0 ? 0x1.8p23f : 0x1p23f;
    vf code = vf_fma(x, vf_set(greatest), vf_set(zero));
    return vf_bits(vf_min(vf_max(code, vf_set(zero + bottom)), vf_set(zero + greatest)));
}

/* x * (m - 1), where m is 2^15 or 2^16 and |x| <= 2, to the nearest integer: x * m minus x. The
 * former is exact in float, and so are its distance from the nearest integer, which is zero if
 * |x| >= 1/2, and that minus x, a multiple of 2^-24 below 1 or of 2^-11. The one tie is at |x|
 * = 1/2: half is subtracted from x * m, which is even, so the even one of both integers
 * remains. */
ALWAYS_INLINE vi nearest_code(vf x, float m)
{
    vf product = vf_mul(x, vf_set(m));
    vf whole = vf_rint(product);
    vf rest = vf_sub(vf_sub(product, whole), x);
    return vi_add(vi_round(whole, HALFCL_RTE), vi_round(rest, HALFCL_RTE));
}

/* NaN becomes 0, as in saturated conversions to integers. A product with 8 bits is exact in
 * float; one with 16 is not, but then is on the right side of the integers, in a directed
 * mode. */
ALWAYS_INLINE vi code_of(const uint16_t *in, float greatest, float least, halfcl_rounding mode)
{
    float bottom = least < 0 ? least - 1 : 0;
    vh halves = vh_load(in);
    if (HAVE_FMA && bottom == 0)
        return code_in_float(vf_widen(halves), greatest, 0);
    vf x = vf_widen(vh_zero_nan(halves));
    if (HAVE_FMA && mode != HALFCL_RTZ)
        return code_in_float(x, greatest, bottom);
    if (mode == HALFCL_RTE && greatest > UINT8_MAX) {
        vi code = nearest_code(vf_max(vf_min(x, vf_set(2)), vf_set(-2)), greatest + 1);
        return vi_max(vi_min(code, vi_set((int)greatest)), vi_set((int)bottom));
    }
    x = vf_mul(x, vf_set(greatest));
    return vi_round(vf_max(vf_min(x, vf_set(greatest)), vf_set(bottom)), mode);
}

#define NORMALIZED_CONVERTERS(name, letter, type, greatest, least)                             \
    ALWAYS_INLINE void read_##name(void *out, const void *in, halfcl_rounding mode,            \
                                   conversion *state)                                          \
    {                                                                                          \
        const type *from = in;                                                                 \
        vf first = fraction_of(vi_load_##letter(from), greatest, least, mode);                 \
        vf second = fraction_of(vi_load_##letter(from + LANES), greatest, least, mode);        \
        store_narrowed(out, first, second, mode, &state->seen, NEVER_TINY);                    \
    }                                                                                          \
    ALWAYS_INLINE void write_##name(void *out, const void *in, halfcl_rounding mode,           \
                                    conversion *state)                                         \
    {                                                                                          \
        (void)state;                                                                           \
        const uint16_t *from = in;                                                             \
        store_wrapped(out, code_of(from, greatest, least, mode),                               \
                      code_of(from + LANES, greatest, least, mode), 8 * sizeof(type));         \
    }                                                                                          \
    CONVERSION(from_##name, sizeof(type), 2, read_##name)                                      \
    CONVERSION(to_##name, 2, sizeof(type), write_##name)
NORMALIZED(NORMALIZED_CONVERTERS)

#define NORMALIZED_ROWS(name, letter, type, greatest, least)                                   \
    MAP("from_" #name, from_##name, 1, 1, TYPE_OF(type), HALFCL_HALF)                          \
    QUIET_MAP("to_" #name, to_##name, 1, 1, HALFCL_HALF, TYPE_OF(type))

#define NORMALIZED_KERNELS NORMALIZED(NORMALIZED_ROWS)

#endif
