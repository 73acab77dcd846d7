/* Conversions between half and the other formats. Loops work on blocks of two vectors; fewer
 * elements are copied to a buffer padded with zeros, which convert to zeros. */
#ifndef HALFCL_KERNELS_ELEMENTWISE_CONVERT_H
#define HALFCL_KERNELS_ELEMENTWISE_CONVERT_H

#include "kernels/shared/map.h"

typedef struct {
    acc seen;
    vi least, most; /* the results for integers that do not fit */
} conversion;

typedef void converter(void *out, const void *in, halfcl_rounding mode, conversion *state);

/* Converts fewer elements than a block. */
ALWAYS_INLINE void convert_part(char *out, const char *in, size_t n, halfcl_rounding mode,
                                size_t in_size, size_t out_size, converter *convert,
                                conversion *state)
{
    uint64_t inputs[PAIR] = {0}, outputs[PAIR];
    memcpy(inputs, in, n * in_size);
    convert(outputs, inputs, mode, state);
    memcpy(out, outputs, n * out_size);
}

/* The first and the last block overlap others, if the input is not the output, so that the
 * output of the blocks between is aligned. */
ALWAYS_INLINE conversion map_converter(void *const *args, size_t n, halfcl_rounding mode,
                                       size_t in_size, size_t out_size, converter *convert)
{
    const char *in = args[0];
    char *out = args[1];
    bool separate = in != out && n >= PAIR;
    conversion state = {acc_none(), vi_set(0), vi_set(0)};
    size_t i = 0;
    if (separate && n >= FEW_ELEMENTS) {
        convert(out, in, mode, &state);
        i = elements_to_line(out, out_size, n) % PAIR;
    }
    for (; i + PAIR <= n; i += PAIR) {
        for (size_t line = 0; line < PAIR * in_size; line += CACHE_LINE)
            ahead_of(in + i * in_size + line);
        convert(out + i * out_size, in + i * in_size, mode, &state);
    }
    if (i < n && separate)
        convert(out + (n - PAIR) * out_size, in + (n - PAIR) * in_size, mode, &state);
    else if (i < n)
        convert_part(out + i * out_size, in + i * in_size, n - i, mode, in_size, out_size,
                     convert, &state);
    return state;
}

ALWAYS_INLINE int32_t least_lane(vi v)
{
    int32_t at[LANES], least = 0;
    vi_store_32(at, v);
    for (int k = 0; k < LANES; ++k)
        least = at[k] < least ? at[k] : least;
    return least;
}

ALWAYS_INLINE int32_t greatest_lane(vi v)
{
    int32_t at[LANES], greatest = 0;
    vi_store_32(at, v);
    for (int k = 0; k < LANES; ++k)
        greatest = at[k] > greatest ? at[k] : greatest;
    return greatest;
}

/* The formats: NumPy's letter, C type, and for integers those of their bounds that finite
 * halves may exceed, the result for infinity and NaN, and the width. */
#define INTEGERS_TO(X)                                                                         \
    X(b, int8_t, INT8_MIN, INT8_MAX, 8)                                                        \
    X(B, uint8_t, 0, UINT8_MAX, 8)                                                             \
    X(h, int16_t, INT16_MIN, INT16_MAX, 16)                                                    \
    X(H, uint16_t, 0, UINT16_MAX, 16)                                                          \
    X(i, int32_t, INT32_MIN + 1, INT32_MAX, 32)                                                \
    X(I, uint32_t, 0, INT32_MAX, 32)                                                           \
    X(q, int64_t, INT32_MIN + 1, INT32_MAX, 64)                                                \
    X(Q, uint64_t, 0, INT32_MAX, 64)

/* Half to integer. All finite halves fit an int32: round to that, then truncate to the width,
 * which wraps. Infinity and NaN give INT32_MIN, whose low 8 and 16 bits are zero and which is
 * out of the bounds of every format here. */

ALWAYS_INLINE void store_wrapped(char *out, vi first, vi second, int width)
{
    char *next = out + LANES * width / 8;
    if (width == 8) {
        vi_store_8(out, first);
        vi_store_8(next, second);
    } else if (width == 16) {
        vi_store_16_pair(out, first, second);
    } else if (width == 32) {
        vi_store_32(out, first);
        vi_store_32(next, second);
    } else {
        vi_store_64(out, first, INT64_MIN, INT32_MAX);
        vi_store_64(next, second, INT64_MIN, INT32_MAX);
    }
}

#if HAVE_HALVES

/* Converts PAIR halves to words if none is out of range; otherwise returns false. */
ALWAYS_INLINE bool half_to_word(void *out, const void *in, bool is_signed)
{
    vw x = vw_load(in), limit = vw_set(is_signed ? HALF_2_15 : HALF_INF);
    vw compared = is_signed ? vw_and(x, vw_set(HALF_MAGNITUDE)) : x;
    /* compared as unsigned words: those of negative halves are above the limit */
    if (__builtin_expect(wm_any(vw_not_below(compared, limit)), 0))
        return false;
    vw_store(out, is_signed ? vx_to_int(x) : vx_to_unsigned(x));
    return true;
}

#endif

#define HALF_TO_INTEGER(letter, type, low, high, width)                                        \
    ALWAYS_INLINE void half_to_##letter(void *out, const void *in, halfcl_rounding mode,       \
                                        conversion *state)                                     \
    {                                                                                          \
        ON_HALVES(if (width == 16 && half_to_word(out, in, (low) < 0)) return;)                \
        vi first = vi_round(load(in), mode);                                                   \
        vi second = vi_round(load((const uint16_t *)in + LANES), mode);                        \
        state->least = vi_min(state->least, vi_min(first, second));                            \
        state->most = vi_max(state->most, vi_max(first, second));                              \
        store_wrapped(out, first, second, width);                                              \
    }                                                                                          \
    static unsigned convert_to_##letter(void *const *args, size_t n, halfcl_rounding mode)     \
    {                                                                                          \
        conversion end = map_converter(args, n, mode, 2, sizeof(type), half_to_##letter);      \
        bool fits = least_lane(end.least) >= (low) && greatest_lane(end.most) <= (high);       \
        return fits ? 0 : HALFCL_INVALID;                                                      \
    }
INTEGERS_TO(HALF_TO_INTEGER)

/* Converts with saturation and without exceptions: NaN becomes zero while still a half. Bounds
 * that float can represent may apply before rounding, since they are integers; for the wide
 * formats only the infinities are out of range, and negative numbers if unsigned. */

ALWAYS_INLINE vi saturated_int32(const void *in, float low, float high, halfcl_rounding mode)
{
    vf v = vf_widen(vh_zero_nan(vh_load(in)));
    v = vf_max(vf_min(v, vf_set(high)), vf_set(low));
    return vi_round(v, mode);
}

/* The wide formats: infinity becomes 2^17 first, which is beyond all finite halves. */
ALWAYS_INLINE void convert_saturated(void *out, const void *in, halfcl_rounding mode,
                                     bool is_signed, int width)
{
    vi v = saturated_int32(in, is_signed ? -0x1p17f : 0, 0x1p17f, mode);
    vi top = vi_set(width == 32 && !is_signed ? -1 : INT32_MAX);
    v = vi_select(vi_equal(v, vi_set(1 << 17)), top, v);
    if (is_signed)
        v = vi_select(vi_equal(v, vi_set(-(1 << 17))), vi_set(INT32_MIN), v);
    if (width == 32)
        vi_store_32(out, v);
    else
        vi_store_64(out, v, INT64_MIN, is_signed ? INT64_MAX : -1);
}

#define HALF_TO_INTEGER_SAT(letter, type, low, high, width)                                    \
    ALWAYS_INLINE void half_to_##letter##_sat(void *out, const void *in, halfcl_rounding mode, \
                                              conversion *state)                               \
    {                                                                                          \
        (void)state;                                                                           \
        const uint16_t *from = in;                                                             \
        if (width <= 16) {                                                                     \
            store_wrapped(out, saturated_int32(from, low, high, mode),                         \
                          saturated_int32(from + LANES, low, high, mode), width);              \
            return;                                                                            \
        }                                                                                      \
        convert_saturated(out, from, mode, (low) < 0, width);                                  \
        convert_saturated((type *)out + LANES, from + LANES, mode, (low) < 0, width);          \
    }                                                                                          \
    static unsigned convert_sat_to_##letter(void *const *args, size_t n, halfcl_rounding mode) \
    {                                                                                          \
        map_converter(args, n, mode, 2, sizeof(type), half_to_##letter##_sat);                 \
        return 0;                                                                              \
    }
INTEGERS_TO(HALF_TO_INTEGER_SAT)

/* Integer to half, by way of a float that represents it exactly. */

#define INTEGER_TO_HALF(letter, type, low, high, width)                                        \
    ALWAYS_INLINE void letter##_to_half(void *out, const void *in, halfcl_rounding mode,       \
                                        conversion *state)                                     \
    {                                                                                          \
        const type *from = in;                                                                 \
        vf first = vf_of_int(vi_load_##letter(from));                                          \
        vf second = vf_of_int(vi_load_##letter(from + LANES));                                 \
        store_narrowed(out, first, second, mode, &state->seen, NEVER_TINY);                    \
    }                                                                                          \
    static unsigned convert_from_##letter(void *const *args, size_t n, halfcl_rounding mode)   \
    {                                                                                          \
        return acc_flags(                                                                      \
            map_converter(args, n, mode, sizeof(type), 2, letter##_to_half).seen);             \
    }
INTEGERS_TO(INTEGER_TO_HALF)

/* Conversions between floating-point formats. */

ALWAYS_INLINE void half_to_float(void *out, const void *in, halfcl_rounding mode,
                                 conversion *state)
{
    (void)mode;
    for (int k = 0; k < PAIR; k += LANES)
        vf_store((float *)out + k, load((const uint16_t *)in + k), &state->seen);
}

ALWAYS_INLINE void half_to_double(void *out, const void *in, halfcl_rounding mode,
                                  conversion *state)
{
    (void)mode, (void)state;
    for (int k = 0; k < PAIR; k += LANES) {
        vf v = load((const uint16_t *)in + k);
        vd_store((double *)out + k, vd_low(v));
        vd_store((double *)out + k + LANES / 2, vd_high(v));
    }
}

/* Stores rounded floats that may be tiny, as store_rounded does. Without a previous conversion
 * to float it is cheaper to check the halves of both vectors at once, on all instruction sets:
 * few are +-2^-14, and only those may come from a tiny value whose underflow the hardware did
 * not record. */
ALWAYS_INLINE void store_maybe_tiny(uint16_t *p, vf first, vf second, halfcl_rounding mode,
                                    acc *seen)
{
    vw halves = vh_join(vf_narrow(first, mode, seen), vf_narrow(second, mode, seen));
    vw magnitudes = vw_and(halves, vw_set(HALF_MAGNITUDE));
    if (wm_any(vw_equal(magnitudes, vw_set(HALF_MIN_NORMAL)))) {
        acc_tiny(seen, first);
        acc_tiny(seen, second);
    }
    vw_store(p, halves);
}

ALWAYS_INLINE void float_to_half(void *out, const void *in, halfcl_rounding mode,
                                 conversion *state)
{
    const float *from = in;
    store_maybe_tiny(out, vf_load(from), vf_load(from + LANES), mode, &state->seen);
}

/* A float rounded to odd is on the same side of all halves and midpoints as the double: these
 * have 12 bits, and subnormal ones fewer. */
ALWAYS_INLINE void double_to_half(void *out, const void *in, halfcl_rounding mode,
                                  conversion *state)
{
    const double *from = in;
    vf first = vf_load_double(from), second = vf_load_double(from + LANES);
    store_maybe_tiny(out, first, second, mode, &state->seen);
}

#define CONVERSION(name, in_size, out_size, convert)                                           \
    static unsigned name(void *const *args, size_t n, halfcl_rounding mode)                    \
    {                                                                                          \
        return acc_flags(map_converter(args, n, mode, in_size, out_size, convert).seen);       \
    }
CONVERSION(convert_to_float, 2, 4, half_to_float)
CONVERSION(convert_to_double, 2, 8, half_to_double)
CONVERSION(convert_from_float, 4, 2, float_to_half)
CONVERSION(convert_from_double, 8, 2, double_to_half)

/* Truths are bytes, 0 or 1; of an array that views other bytes, all but 0 are true, as in
 * NumPy.
 */

ALWAYS_INLINE wm nonzero(vw a)
{
    return wm_not(vw_equal(vw_and(a, vw_set(HALF_MAGNITUDE)), vw_set(0)));
}

TRUTH_UNARY(convert_to_bool, nonzero)

static unsigned convert_from_bool(void *const *args, size_t n, halfcl_rounding mode)
{
    (void)mode;
    const uint8_t *in = args[0];
    uint16_t *out = args[1];
    for (size_t i = 0; i < n; ++i)
        out[i] = (uint16_t)((0 - (in[i] != 0)) & HALF_ONE);
    return 0;
}

/* Halves of the other byte order. */
static unsigned swap_bytes(void *const *args, size_t n, halfcl_rounding mode)
{
    (void)mode;
    const uint16_t *in = args[0];
    uint16_t *out = args[1];
    for (size_t i = 0; i < n; ++i)
        out[i] = (uint16_t)(in[i] << 8 | in[i] >> 8);
    return 0;
}

#define INTEGER_ROWS(letter, type, low, high, width)                                           \
    MAP("convert", convert_to_##letter, 1, 1, HALFCL_HALF, TYPE_OF(type))                      \
    MAP("convert_sat", convert_sat_to_##letter, 1, 1, HALFCL_HALF, TYPE_OF(type))              \
    MAP("convert", convert_from_##letter, 1, 1, TYPE_OF(type), HALFCL_HALF)

#define CONVERT_KERNELS                                                                        \
    INTEGERS_TO(INTEGER_ROWS)                                                                  \
    MAP("convert", convert_to_float, 1, 1, HALFCL_HALF, HALFCL_FLOAT)                          \
    MAP("convert", convert_to_double, 1, 1, HALFCL_HALF, HALFCL_DOUBLE)                        \
    MAP("convert", convert_from_float, 1, 1, HALFCL_FLOAT, HALFCL_HALF)                        \
    MAP("convert", convert_from_double, 1, 1, HALFCL_DOUBLE, HALFCL_HALF)                      \
    TEST("convert", convert_to_bool)                                                           \
    MAP("convert", convert_from_bool, 1, 1, HALFCL_BOOL, HALFCL_HALF)                          \
    MAP("swap_bytes", swap_bytes, 1, 1, HALFCL_HALF, HALFCL_HALF)

#endif
