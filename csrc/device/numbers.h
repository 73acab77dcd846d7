/* Conversions of halves on devices: to and from integers, floats, normalised integers. */
#ifndef HALFCL_DEVICE_NUMBERS_H
#define HALFCL_DEVICE_NUMBERS_H

#include "kernels/numbers/normalized.h"

/* Converts a float of any magnitude. One so small that a device may flush it becomes 2^-40,
 * which rounds to half alike. */
ALWAYS_INLINE vh device_convert_half_float(float x, halfcl_rounding mode)
{
    int32_t magnitude = magnitude_bits(x), least = vf_bits(0x1p-40f);
    int32_t size = magnitude != 0 && magnitude < least ? least : magnitude;
    return rounded_half(vf_of_bits(size | sign_bits(x)), mode);
}

/* Converts a magnitude that is an integer: it is clamped beyond half's range, and exact in
 * float. */
ALWAYS_INLINE vh half_of_size(uint64_t size, bool negative, halfcl_rounding mode)
{
    float x = (float)(int32_t)(size < 1 << 18 ? size : 1 << 18);
    return rounded_half(negative ? -x : x, mode);
}

ALWAYS_INLINE vh device_convert_half_long(int64_t x, halfcl_rounding mode)
{
    return half_of_size(x < 0 ? 0 - (uint64_t)x : (uint64_t)x, x < 0, mode);
}

ALWAYS_INLINE vh device_convert_half_ulong(uint64_t x, halfcl_rounding mode)
{
    return half_of_size(x, false, mode);
}

ALWAYS_INLINE vh device_convert_half_int(int32_t x, halfcl_rounding mode)
{
    vi clamped = vi_max(vi_min(x, 1 << 18), -(1 << 18));
    return rounded_half(vf_of_int(clamped), mode);
}

ALWAYS_INLINE vh device_convert_half_uint(uint32_t x, halfcl_rounding mode)
{
    return device_convert_half_int((int32_t)(x < 1 << 18 ? x : 1 << 18), mode);
}

/* Converts integers of 8 and 16 bits. */
ALWAYS_INLINE vh device_convert_half_small(int32_t x, halfcl_rounding mode)
{
    return rounded_half(vf_of_int(x), mode);
}

ALWAYS_INLINE float device_convert_float(vh x, halfcl_rounding mode)
{
    (void)mode;
    return vf_widen(x);
}

/* Converts to an int32, whose low bits are the result; infinities and NaNs give INT32_MIN. */
ALWAYS_INLINE int32_t device_convert_int(vh x, halfcl_rounding mode)
{
    return vi_round(vf_widen(x), mode);
}

ALWAYS_INLINE int64_t device_convert_long(vh x, halfcl_rounding mode)
{
    int32_t whole = device_convert_int(x, mode);
    return whole == INT32_MIN ? (int64_t)((uint64_t)1 << 63) : whole;
}

/* Converts with saturation: NaN becomes 0. The infinities represent all that is beyond finite
 * halves. */

ALWAYS_INLINE int32_t saturate(vh x, int32_t least, int32_t most, halfcl_rounding mode)
{
    vf v = vf_widen(x);
    int32_t whole = vi_round(v, mode);
    whole = vi_max(vi_min(whole, most), least);
    whole = v == INFINITY ? most : v == -INFINITY ? least : whole;
    return v != v ? 0 : whole;
}

ALWAYS_INLINE int32_t device_convert_char_sat(vh x, halfcl_rounding mode)
{
    return saturate(x, -128, 127, mode);
}

ALWAYS_INLINE int32_t device_convert_uchar_sat(vh x, halfcl_rounding mode)
{
    return saturate(x, 0, 255, mode);
}

ALWAYS_INLINE int32_t device_convert_short_sat(vh x, halfcl_rounding mode)
{
    return saturate(x, -32768, 32767, mode);
}

ALWAYS_INLINE int32_t device_convert_ushort_sat(vh x, halfcl_rounding mode)
{
    return saturate(x, 0, 65535, mode);
}

ALWAYS_INLINE int32_t device_convert_int_sat(vh x, halfcl_rounding mode)
{
    return saturate(x, INT32_MIN, INT32_MAX, mode);
}

ALWAYS_INLINE uint32_t device_convert_uint_sat(vh x, halfcl_rounding mode)
{
    return x == HALF_INF ? 0xffffffff : (uint32_t)saturate(x, 0, INT32_MAX, mode);
}

ALWAYS_INLINE int64_t device_convert_long_sat(vh x, halfcl_rounding mode)
{
    const uint64_t top = (uint64_t)1 << 63;
    return x == HALF_INF                 ? (int64_t)(top - 1)
           : x == (HALF_INF | HALF_SIGN) ? (int64_t)top
                                         : saturate(x, INT32_MIN, INT32_MAX, mode);
}

ALWAYS_INLINE uint64_t device_convert_ulong_sat(vh x, halfcl_rounding mode)
{
    return x == HALF_INF ? 0 - (uint64_t)1 : (uint64_t)saturate(x, 0, INT32_MAX, mode);
}

/* Normalised integers: those of 8 bits as in the kernels. So are those of 16 bits, except that
 * the one rounding in the mode is one to odd here. */

ALWAYS_INLINE vh fraction_of_word(int32_t code, float unit, float least, halfcl_rounding mode)
{
    vf c = vf_of_int(code), fraction;
    if (mode == HALFCL_RTE) {
        fraction = fraction_of_16_bits(c, unit, mode);
    } else {
        vf start = vf_mul(c, unit), more = unit * (1 + unit + 0x1p-23f);
        vf sum = vf_fma(start, more, start);
        fraction = vf_min(rounded_to_odd(sum, rest_of_fma(start, more, start, sum)), 1);
    }
    return rounded_half(vf_max(fraction, least), mode);
}

ALWAYS_INLINE vh device_from_unorm8(int32_t code, halfcl_rounding mode)
{
    return rounded_half(fraction_of_8_bits(vf_of_int(code), 255), mode);
}

ALWAYS_INLINE vh device_from_snorm8(int32_t code, halfcl_rounding mode)
{
    return rounded_half(vf_max(fraction_of_8_bits(vf_of_int(code), 127), -1), mode);
}

ALWAYS_INLINE vh device_from_unorm16(int32_t code, halfcl_rounding mode)
{
    return fraction_of_word(code, 0x1p-16f, 0, mode);
}

ALWAYS_INLINE vh device_from_snorm16(int32_t code, halfcl_rounding mode)
{
    return fraction_of_word(code, 0x1p-15f, -1, mode);
}

/* Returns |x| greatest, an integer in units of 2^-24, rounded to an integer. NaN becomes 0.
 * Beyond 2 all codes are the last one with that sign. */
ALWAYS_INLINE int32_t code_of_fraction(vh x, uint32_t greatest, int32_t least,
                                       halfcl_rounding mode)
{
    const uint32_t one = 1 << 24;
    vf v = vf_widen(x), size = vf_min(vf_abs(v), 2);
    bool minus = v < 0, away = minus ? mode == HALFCL_RTN : mode == HALFCL_RTP;
    uint64_t exact = (uint64_t)(uint32_t)(int32_t)vf_mul(size, 0x1p24f) * greatest;
    uint32_t whole = (uint32_t)(exact >> 24), rest = (uint32_t)exact & (one - 1);
    bool up = mode == HALFCL_RTE ? rest + (whole & 1) > one / 2 : away && rest != 0;
    int32_t code = (int32_t)whole + up;
    code = vi_max(vi_min(minus ? -code : code, (int32_t)greatest), least);
    return v != v ? 0 : code;
}

ALWAYS_INLINE int32_t device_to_unorm8(vh x, halfcl_rounding mode)
{
    return code_of_fraction(x, 255, 0, mode);
}

ALWAYS_INLINE int32_t device_to_snorm8(vh x, halfcl_rounding mode)
{
    return code_of_fraction(x, 127, -128, mode);
}

ALWAYS_INLINE int32_t device_to_unorm16(vh x, halfcl_rounding mode)
{
    return code_of_fraction(x, 65535, 0, mode);
}

ALWAYS_INLINE int32_t device_to_snorm16(vh x, halfcl_rounding mode)
{
    return code_of_fraction(x, 32767, -32768, mode);
}

#endif
