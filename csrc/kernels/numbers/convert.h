/* Conversions between the types other than half: bool, integers, float and double. Loops in
 * plain C, which compilers vectorise. If values may be out of range, each block is checked
 * first, and a slower loop converts it if it has such values.
 *
 * They are right whether the hardware rounds in the kernel's mode or to nearest. NaNs are not
 * compared with <, which would raise invalid, unless they are invalid anyway. */
#ifndef HALFCL_KERNELS_NUMBERS_CONVERT_H
#define HALFCL_KERNELS_NUMBERS_CONVERT_H

#include <math.h>

#include "format/half.h"
#include "kernels/shared/rows.h"

enum { LOOKED_THROUGH = 512 }; /* elements of a block */

/* Calls X for each integer type: letter, C type, width, least and greatest value. There are two
 * lists because a macro cannot expand inside itself; in the second, the arguments for the
 * source come first. */
#define EACH_SOURCE(X)                                                                         \
    X(b, int8_t, 8, INT8_MIN, INT8_MAX)                                                        \
    X(B, uint8_t, 8, 0, UINT8_MAX)                                                             \
    X(h, int16_t, 16, INT16_MIN, INT16_MAX)                                                    \
    X(H, uint16_t, 16, 0, UINT16_MAX)                                                          \
    X(i, int32_t, 32, INT32_MIN, INT32_MAX)                                                    \
    X(I, uint32_t, 32, 0, UINT32_MAX)                                                          \
    X(q, int64_t, 64, INT64_MIN, INT64_MAX)                                                    \
    X(Q, uint64_t, 64, 0, UINT64_MAX)
#define EACH_TARGET(X, ...)                                                                    \
    X(__VA_ARGS__, b, int8_t, 8, INT8_MIN, INT8_MAX)                                           \
    X(__VA_ARGS__, B, uint8_t, 8, 0, UINT8_MAX)                                                \
    X(__VA_ARGS__, h, int16_t, 16, INT16_MIN, INT16_MAX)                                       \
    X(__VA_ARGS__, H, uint16_t, 16, 0, UINT16_MAX)                                             \
    X(__VA_ARGS__, i, int32_t, 32, INT32_MIN, INT32_MAX)                                       \
    X(__VA_ARGS__, I, uint32_t, 32, 0, UINT32_MAX)                                             \
    X(__VA_ARGS__, q, int64_t, 64, INT64_MIN, INT64_MAX)                                       \
    X(__VA_ARGS__, Q, uint64_t, 64, 0, UINT64_MAX)

/* Defines a kernel that raises nothing and does the same in every mode: the value for each
 * x. */
#define EXACT_KERNEL(name, S, T, value)                                                        \
    static unsigned name(void *const *args, size_t n, halfcl_rounding mode)                    \
    {                                                                                          \
        (void)mode;                                                                            \
        const S *in = args[0];                                                                 \
        T *out = args[1];                                                                      \
        for (size_t i = 0; i < n; ++i) {                                                       \
            S x = in[i];                                                                       \
            out[i] = (T)(value);                                                               \
        }                                                                                      \
        return 0;                                                                              \
    }

/* ---------------------------------------------------------------- integers to integers */

/* Wrapping is the same for signed and unsigned targets. */
#define WRAPPING(s, S, value)                                                                  \
    EXACT_KERNEL(wrap_##s##_8, S, uint8_t, value)                                              \
    EXACT_KERNEL(wrap_##s##_16, S, uint16_t, value)                                            \
    EXACT_KERNEL(wrap_##s##_32, S, uint32_t, value)                                            \
    EXACT_KERNEL(wrap_##s##_64, S, uint64_t, value)
#define WRAPPING_FROM(s, S, width, least, greatest) WRAPPING(s, S, x)
EACH_SOURCE(WRAPPING_FROM)
WRAPPING(truth, uint8_t, x != 0)

/* The target's ends, if the source can exceed them; otherwise the source's own. */
#define LOW_END(least, target) ((int64_t)(least) < (int64_t)(target) ? (target) : (least))
#define HIGH_END(most, target) ((uint64_t)(most) > (uint64_t)(target) ? (target) : (most))

#define SATURATING(s, S, width, least, most, t, T, t_width, t_least, t_most)                   \
    static const S low_##s##_##t = (S)((least) < 0 ? LOW_END(least, t_least) : 0);             \
    static const S high_##s##_##t = (S)HIGH_END(most, t_most);                                 \
    EXACT_KERNEL(saturate_##s##_##t, S, T,                                                     \
                 x<low_##s##_##t ? low_##s##_##t : x> high_##s##_##t ? high_##s##_##t : x)
#define SATURATING_FROM(...) EACH_TARGET(SATURATING, __VA_ARGS__)
EACH_SOURCE(SATURATING_FROM)

/* ---------------------------------------------------------------- to float and double */

static const uint64_t DOUBLE_MAGNITUDE = INT64_MAX, DOUBLE_INF = (uint64_t)0x7ff << 52;

/* Returns the correction, in units of the last bit, of a magnitude in a floating-point format
 * that was rounded to nearest, or in the mode already. */
ALWAYS_INLINE int rounding_step(bool too_large, bool too_small, uint32_t negative,
                                halfcl_rounding mode)
{
    uint32_t away = rounds_away(negative, mode);
    int step = (int)(away & too_small) - (int)(~away & too_large);
    return mode == HALFCL_RTE ? 0 : step;
}

ALWAYS_INLINE float float_in_mode(double x, halfcl_rounding mode)
{
    float near = (float)x;
    uint64_t bits = bits_of_double(x), wanted = bits & DOUBLE_MAGNITUDE;
    uint64_t got = bits_of_double((double)near) & DOUBLE_MAGNITUDE;
    bool number = wanted <= DOUBLE_INF;
    int step = rounding_step(number & (got > wanted), number & (got < wanted),
                             (uint32_t)(bits >> 63), mode);
    return float_of_bits(bits_of_float(near) + (uint32_t)step);
}

/* Adds two exact parts, and rounds the sum once. The error of the sum is exact as well, or at
 * least has the right sign. */
ALWAYS_INLINE double sum_in_mode(double high, double low, halfcl_rounding mode)
{
    double sum = high + low, rest = low - (sum - high);
    bool negative = sum < 0, too_large = negative ? rest > 0 : rest < 0;
    int step = rounding_step(too_large, rest != 0 && !too_large, negative, mode);
    return double_of_bits(bits_of_double(sum) + (uint64_t)(int64_t)step);
}

ALWAYS_INLINE double q_to_double(int64_t x, halfcl_rounding mode)
{
    return sum_in_mode((double)(x >> 32) * 0x1p32, (double)(x & UINT32_MAX), mode);
}

ALWAYS_INLINE double Q_to_double(uint64_t x, halfcl_rounding mode)
{
    return sum_in_mode((double)(x >> 32) * 0x1p32, (double)(x & UINT32_MAX), mode);
}

/* Rounds large integers to odd, with the 42 bits or more that remain. */
ALWAYS_INLINE float Q_to_float(uint64_t x, halfcl_rounding mode)
{
    uint64_t odd = (x >> 11 | ((x & 0x7ff) != 0)) << 11;
    return float_in_mode((double)(x >> 53 ? odd : x), mode);
}

ALWAYS_INLINE float q_to_float(int64_t x, halfcl_rounding mode)
{
    uint64_t size = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
    uint64_t odd = (size >> 11 | ((size & 0x7ff) != 0)) << 11;
    double magnitude = (double)(size >> 53 ? odd : size);
    return float_in_mode(x < 0 ? -magnitude : magnitude, mode);
}

ALWAYS_INLINE float i_to_float(int32_t x, halfcl_rounding mode)
{
    return float_in_mode((double)x, mode);
}

ALWAYS_INLINE float I_to_float(uint32_t x, halfcl_rounding mode)
{
    return float_in_mode((double)x, mode);
}

/* The hardware rounds to nearest even by itself. */
#define ROUNDED_KERNEL(name, S, T, in_mode)                                                    \
    static unsigned name(void *const *args, size_t n, halfcl_rounding mode)                    \
    {                                                                                          \
        const S *in = args[0];                                                                 \
        T *out = args[1];                                                                      \
        if (mode == HALFCL_RTE)                                                                \
            for (size_t i = 0; i < n; ++i)                                                     \
                out[i] = (T)in[i];                                                             \
        else                                                                                   \
            for (size_t i = 0; i < n; ++i)                                                     \
                out[i] = in_mode(in[i], mode);                                                 \
        return 0;                                                                              \
    }
ROUNDED_KERNEL(to_float_i, int32_t, float, i_to_float)
ROUNDED_KERNEL(to_float_I, uint32_t, float, I_to_float)
ROUNDED_KERNEL(to_float_q, int64_t, float, q_to_float)
ROUNDED_KERNEL(to_float_Q, uint64_t, float, Q_to_float)
ROUNDED_KERNEL(to_double_q, int64_t, double, q_to_double)
ROUNDED_KERNEL(to_double_Q, uint64_t, double, Q_to_double)

EXACT_KERNEL(to_float_truth, uint8_t, float, x != 0)
EXACT_KERNEL(to_float_b, int8_t, float, x)
EXACT_KERNEL(to_float_B, uint8_t, float, x)
EXACT_KERNEL(to_float_h, int16_t, float, x)
EXACT_KERNEL(to_float_H, uint16_t, float, x)
EXACT_KERNEL(to_double_truth, uint8_t, double, x != 0)
EXACT_KERNEL(to_double_b, int8_t, double, x)
EXACT_KERNEL(to_double_B, uint8_t, double, x)
EXACT_KERNEL(to_double_h, int16_t, double, x)
EXACT_KERNEL(to_double_H, uint16_t, double, x)
EXACT_KERNEL(to_double_i, int32_t, double, x)
EXACT_KERNEL(to_double_I, uint32_t, double, x)
EXACT_KERNEL(to_double_f, float, double, x)

/* A number in its own type already; also a NaN, whose bits do not change. */
EXACT_KERNEL(same_f, uint32_t, uint32_t, x)
EXACT_KERNEL(same_d, uint64_t, uint64_t, x)

/* Returns whether some double in a block may overflow or underflow in float: all but zeros and
 * those in its range of normal numbers. A difference of magnitudes has the sign bit set if it
 * is negative. */
static bool may_leave_float(const double *in, size_t n)
{
    const uint64_t least = bits_of_double(0x1p-126), most = bits_of_double(0x1.fffffep127);
    uint64_t seen = 0;
    for (size_t i = 0; i < n; ++i) {
        uint64_t size = bits_of_double(in[i]) & DOUBLE_MAGNITUDE;
        seen |= ((size - least) & ~(size - 1)) | (most - size);
    }
    return seen >> 63;
}

static unsigned narrow_with_flags(float *out, const double *in, size_t n, halfcl_rounding mode)
{
    const uint64_t least = bits_of_double(0x1p-126), beyond = bits_of_double(0x1p128);
    bool overflow = false, underflow = false;
    for (size_t i = 0; i < n; ++i) {
        double x = in[i];
        float y = float_in_mode(x, mode);
        uint64_t size = bits_of_double(x) & DOUBLE_MAGNITUDE;
        uint64_t got = bits_of_double((double)y) & DOUBLE_MAGNITUDE;
        overflow |= (size < DOUBLE_INF) & ((size >= beyond) | (got == DOUBLE_INF));
        underflow |= (size < least) & (got != size);
        out[i] = y;
    }
    return (overflow ? HALFCL_OVERFLOW : 0) | (underflow ? HALFCL_UNDERFLOW : 0);
}

static unsigned to_float_d(void *const *args, size_t n, halfcl_rounding mode)
{
    unsigned flags = 0;
    for (size_t done = 0; done < n; done += LOOKED_THROUGH) {
        const double *in = (const double *)args[0] + done;
        float *out = (float *)args[1] + done;
        size_t count = n - done < LOOKED_THROUGH ? n - done : LOOKED_THROUGH;
        if (may_leave_float(in, count))
            flags |= narrow_with_flags(out, in, count, mode);
        else if (mode == HALFCL_RTE)
            for (size_t i = 0; i < count; ++i)
                out[i] = (float)in[i];
        else
            for (size_t i = 0; i < count; ++i)
                out[i] = float_in_mode(in[i], mode);
    }
    return flags;
}

/* ---------------------------------------------------------------- float and double to integers
 */

/* Returns the low bits of an integer; for infinity and NaN, only the target's top bit, or none
 * in 8 and 16 bits. */
ALWAYS_INLINE uint64_t wrapped_bits(double whole, int width)
{
    uint64_t bits = bits_of_double(whole), hidden = (uint64_t)1 << 52;
    uint64_t significand = (bits & (hidden - 1)) | hidden;
    int exponent = (int)(bits >> 52 & 0x7ff) - 1075;
    if ((bits & DOUBLE_MAGNITUDE) >= DOUBLE_INF)
        return width < 32 ? 0 : (uint64_t)1 << (width - 1);
    if (exponent <= -64 || exponent >= 64)
        return 0;
    uint64_t size = exponent < 0 ? significand >> -exponent : significand << exponent;
    return bits >> 63 ? 0 - size : size;
}

/* Numbers at least as large are out of the type's range; exact in float, too. */
#define BEYOND(least, width) ((double)((uint64_t)1 << ((width) - 1)) * ((least) < 0 ? 1 : 2))

/* The parameters of both formats: letter, C type, the unsigned and the signed integer of its
 * size, the bits of infinity. */
#define FLOATING(f, F, U, I, infinity, rint_f, ceil_f, floor_f)                                \
    /* Returns whether all are in a range. */                                                  \
    static bool are_within_##f(const F *in, size_t n, F least, F beyond)                       \
    {                                                                                          \
        I outside = 0;                                                                         \
        for (size_t i = 0; i < n; ++i)                                                         \
            outside |= !(in[i] >= least) | !(in[i] < beyond);                                  \
        return !outside;                                                                       \
    }                                                                                          \
                                                                                               \
    /* Returns x or zero, selected by its bits, so that no compiler converts numbers out of    \
     * range. */                                                                               \
    ALWAYS_INLINE F if_##f(bool condition, F x)                                                \
    {                                                                                          \
        U bits;                                                                                \
        memcpy(&bits, &x, sizeof x);                                                           \
        bits &= 0 - (U)condition;                                                              \
        memcpy(&x, &bits, sizeof x);                                                           \
        return x;                                                                              \
    }                                                                                          \
                                                                                               \
    static void zero_nans_##f(F *out, const F *in, size_t n)                                   \
    {                                                                                          \
        for (size_t i = 0; i < n; ++i) {                                                       \
            U bits;                                                                            \
            memcpy(&bits, in + i, sizeof bits);                                                \
            out[i] = if_##f((bits & ((U) - 1 >> 1)) <= (U)(infinity), in[i]);                  \
        }                                                                                      \
    }                                                                                          \
                                                                                               \
    /* Rounds to integers in every mode but rtz, which is the final conversion's. */           \
    static void make_whole_##f(F *out, const F *in, size_t n, halfcl_rounding mode)            \
    {                                                                                          \
        if (mode == HALFCL_RTE)                                                                \
            for (size_t i = 0; i < n; ++i)                                                     \
                out[i] = rint_f(in[i]);                                                        \
        else if (mode == HALFCL_RTP)                                                           \
            for (size_t i = 0; i < n; ++i)                                                     \
                out[i] = ceil_f(in[i]);                                                        \
        else if (mode == HALFCL_RTN)                                                           \
            for (size_t i = 0; i < n; ++i)                                                     \
                out[i] = floor_f(in[i]);                                                       \
    }
FLOATING(f, float, uint32_t, int32_t, 0x7f800000, rintf, ceilf, floorf)
FLOATING(d, double, uint64_t, int64_t, (uint64_t)0x7ff << 52, rint, ceil, floor)

#define FLOATING_TO_INTEGER(f, F, t, T, width, least, most)                                    \
    static unsigned wrap_all_##f##_##t(T *out, const F *in, size_t n)                          \
    {                                                                                          \
        unsigned flags = 0;                                                                    \
        for (size_t i = 0; i < n; ++i) {                                                       \
            double whole = trunc((double)in[i]);                                               \
            if (!(whole >= (double)(least) && whole < BEYOND(least, width)))                   \
                flags = HALFCL_INVALID;                                                        \
            out[i] = (T)wrapped_bits(whole, width);                                            \
        }                                                                                      \
        return flags;                                                                          \
    }                                                                                          \
                                                                                               \
    static unsigned to_integer_##f##_##t(void *const *args, size_t n, halfcl_rounding mode)    \
    {                                                                                          \
        unsigned flags = 0;                                                                    \
        F whole[LOOKED_THROUGH];                                                               \
        for (size_t done = 0; done < n; done += LOOKED_THROUGH) {                              \
            size_t count = n - done < LOOKED_THROUGH ? n - done : LOOKED_THROUGH;              \
            const F *in = (const F *)args[0] + done;                                           \
            T *out = (T *)args[1] + done;                                                      \
            if (mode != HALFCL_RTZ) {                                                          \
                make_whole_##f(whole, in, count, mode);                                        \
                in = whole;                                                                    \
            }                                                                                  \
            if (are_within_##f(in, count, (F)(least), (F)BEYOND(least, width)))                \
                for (size_t i = 0; i < count; ++i)                                             \
                    out[i] = (T)in[i];                                                         \
            else                                                                               \
                flags |= wrap_all_##f##_##t(out, in, count);                                   \
        }                                                                                      \
        return flags;                                                                          \
    }                                                                                          \
                                                                                               \
    static unsigned saturate_##f##_##t(void *const *args, size_t n, halfcl_rounding mode)      \
    {                                                                                          \
        const F low = (F)(least), beyond = (F)BEYOND(least, width);                            \
        F whole[LOOKED_THROUGH];                                                               \
        for (size_t done = 0; done < n; done += LOOKED_THROUGH) {                              \
            size_t count = n - done < LOOKED_THROUGH ? n - done : LOOKED_THROUGH;              \
            T *out = (T *)args[1] + done;                                                      \
            zero_nans_##f(whole, (const F *)args[0] + done, count);                            \
            make_whole_##f(whole, whole, count, mode);                                         \
            for (size_t i = 0; i < count; ++i) {                                               \
                F x = whole[i];                                                                \
                T inside = (T)if_##f(!(x < low) & !(x >= beyond), x);                          \
                out[i] = x < low ? (T)(least) : x >= beyond ? (T)(most) : inside;              \
            }                                                                                  \
        }                                                                                      \
        return 0;                                                                              \
    }
EACH_TARGET(FLOATING_TO_INTEGER, f, float)
EACH_TARGET(FLOATING_TO_INTEGER, d, double)

/* ---------------------------------------------------------------- the kernels */

#define PAIR_ROWS(s, S, width, least, most, t, T, t_width, t_least, t_most)                    \
    MAP("convert", wrap_##s##_##t_width, 1, 1, TYPE_OF(S), TYPE_OF(T))                         \
    MAP("convert_sat", saturate_##s##_##t, 1, 1, TYPE_OF(S), TYPE_OF(T))
#define SOURCE_ROWS(s, S, ...)                                                                 \
    EACH_TARGET(PAIR_ROWS, s, S, __VA_ARGS__)                                                  \
    MAP("convert", to_float_##s, 1, 1, TYPE_OF(S), HALFCL_FLOAT)                               \
    MAP("convert", to_double_##s, 1, 1, TYPE_OF(S), HALFCL_DOUBLE)
#define TARGET_ROWS(name, t, T, width, least, most)                                            \
    MAP("convert", wrap_truth_##width, 1, 1, HALFCL_BOOL, TYPE_OF(T))                          \
    MAP("convert_sat", wrap_truth_##width, 1, 1, HALFCL_BOOL, TYPE_OF(T))                      \
    MAP("convert", to_integer_f_##t, 1, 1, HALFCL_FLOAT, TYPE_OF(T))                           \
    MAP("convert_sat", saturate_f_##t, 1, 1, HALFCL_FLOAT, TYPE_OF(T))                         \
    MAP("convert", to_integer_d_##t, 1, 1, HALFCL_DOUBLE, TYPE_OF(T))                          \
    MAP("convert_sat", saturate_d_##t, 1, 1, HALFCL_DOUBLE, TYPE_OF(T))

#define CONVERT_NUMBERS_KERNELS                                                                \
    EACH_SOURCE(SOURCE_ROWS)                                                                   \
    EACH_TARGET(TARGET_ROWS, )                                                                 \
    MAP("convert", to_float_truth, 1, 1, HALFCL_BOOL, HALFCL_FLOAT)                            \
    MAP("convert", to_double_truth, 1, 1, HALFCL_BOOL, HALFCL_DOUBLE)                          \
    MAP("convert", to_double_f, 1, 1, HALFCL_FLOAT, HALFCL_DOUBLE)                             \
    MAP("convert", to_float_d, 1, 1, HALFCL_DOUBLE, HALFCL_FLOAT)                              \
    MAP("convert", same_f, 1, 1, HALFCL_FLOAT, HALFCL_FLOAT)                                   \
    MAP("convert", same_d, 1, 1, HALFCL_DOUBLE, HALFCL_DOUBLE)

#endif
