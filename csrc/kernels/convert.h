/* Between half and the other formats. Blocks of LANES elements; what is left at the
 * end goes through a buffer filled up with zeros, which convert to zeros. */
#include "map.h"

typedef struct {
    acc seen;
    vi least, most; /* the integers produced, for those that do not fit */
} conversion;

typedef void converter(void *out, const void *in, halfcl_rounding mode, conversion *state);

ALWAYS_INLINE conversion map_converter(void *const *args, size_t n, halfcl_rounding mode,
                                       size_t in_size, size_t out_size, converter *convert)
{
    const char *in = args[0];
    char *out = args[1];
    conversion state = {acc_none(), vi_set(0), vi_set(0)};
    size_t i = 0;
    for (; i + 2 * LANES <= n; i += 2 * LANES) {
        convert(out + i * out_size, in + i * in_size, mode, &state);
        convert(out + (i + LANES) * out_size, in + (i + LANES) * in_size, mode, &state);
    }
    if (i + LANES <= n) {
        convert(out + i * out_size, in + i * in_size, mode, &state);
        i += LANES;
    }
    if (i < n) {
        uint64_t inputs[LANES] = {0}, outputs[LANES];
        memcpy(inputs, in + i * in_size, (n - i) * in_size);
        convert(outputs, inputs, mode, &state);
        memcpy(out + i * out_size, outputs, (n - i) * out_size);
    }
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

/* The formats: NumPy's letter, C type, and for integers those of their bounds that
 * finite halves may pass, what infinity and NaN become, and the width. */
#define INTEGERS_TO(X)                                                                         \
    X(b, int8_t, INT8_MIN, INT8_MAX, 8)                                                        \
    X(B, uint8_t, 0, UINT8_MAX, 8)                                                             \
    X(h, int16_t, INT16_MIN, INT16_MAX, 16)                                                    \
    X(H, uint16_t, 0, UINT16_MAX, 16)                                                          \
    X(i, int32_t, INT32_MIN + 1, INT32_MAX, 32)                                                \
    X(I, uint32_t, 0, INT32_MAX, 32)                                                           \
    X(q, int64_t, INT32_MIN + 1, INT32_MAX, 64)                                                \
    X(Q, uint64_t, 0, INT32_MAX, 64)

/* Half to integer. All finite halves fit an int32: round to that, then cut to the width,
 * which wraps. Infinity and NaN give INT32_MIN, whose low 8 and 16 bits are zero and
 * which is out of the bounds of every format here. */

ALWAYS_INLINE void store_wrapped(void *out, vi v, int width)
{
    if (width == 8)
        vi_store_8(out, v);
    else if (width == 16)
        vi_store_16(out, v);
    else if (width == 32)
        vi_store_32(out, v);
    else
        vi_store_64(out, v, INT64_MIN, INT32_MAX);
}

#define HALF_TO_INTEGER(letter, type, low, high, width)                                        \
    ALWAYS_INLINE void half_to_##letter(void *out, const void *in, halfcl_rounding mode,       \
                                        conversion *state)                                     \
    {                                                                                          \
        vi v = vi_round(load(in), mode);                                                       \
        state->least = vi_min(state->least, v);                                                \
        state->most = vi_max(state->most, v);                                                  \
        store_wrapped(out, v, width);                                                          \
    }                                                                                          \
    static unsigned convert_e_##letter(void *const *args, size_t n, halfcl_rounding mode)      \
    {                                                                                          \
        conversion end = map_converter(args, n, mode, 2, sizeof(type), half_to_##letter);      \
        bool fits = least_lane(end.least) >= (low) && greatest_lane(end.most) <= (high);       \
        return fits ? 0 : HALFCL_INVALID;                                                      \
    }
INTEGERS_TO(HALF_TO_INTEGER)

/* The same, saturated and without exceptions: NaN becomes zero while still a half. Bounds
 * within float's reach may apply before rounding, as they are integers; of the wide formats
 * only the infinities are out, and negative numbers if unsigned. */

ALWAYS_INLINE vi saturated_int32(const void *in, float low, float high, halfcl_rounding mode)
{
    vf v = vf_widen(vh_zero_nan(vh_load(in)));
    v = vf_max(vf_min(v, vf_set(high)), vf_set(low));
    return vi_round(v, mode);
}

ALWAYS_INLINE void convert_saturated(void *out, const void *in, halfcl_rounding mode,
                                     int32_t low, int32_t high, int width)
{
    bool is_signed = low < 0;
    if (width <= 16) {
        store_wrapped(out, saturated_int32(in, (float)low, (float)high, mode), width);
        return;
    }
    /* Infinity becomes 2^17 first, beyond all finite halves. */
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
        convert_saturated(out, in, mode, low, high, width);                                    \
    }                                                                                          \
    static unsigned convert_sat_e_##letter(void *const *args, size_t n, halfcl_rounding mode)  \
    {                                                                                          \
        map_converter(args, n, mode, 2, sizeof(type), half_to_##letter##_sat);                 \
        return 0;                                                                              \
    }
INTEGERS_TO(HALF_TO_INTEGER_SAT)

/* Integer to half, through a float that holds it exactly. */

#define INTEGER_TO_HALF(letter, type, low, high, width)                                        \
    ALWAYS_INLINE void letter##_to_half(void *out, const void *in, halfcl_rounding mode,       \
                                        conversion *state)                                     \
    {                                                                                          \
        vf v = vf_of_int(vi_load_##letter(in));                                                \
        vh_store(out, vf_narrow(v, mode, &state->seen));                                       \
    }                                                                                          \
    static unsigned convert_##letter##_e(void *const *args, size_t n, halfcl_rounding mode)    \
    {                                                                                          \
        return acc_flags(                                                                      \
            map_converter(args, n, mode, sizeof(type), 2, letter##_to_half).seen);             \
    }
INTEGERS_TO(INTEGER_TO_HALF)

/* Between floating-point formats. */

ALWAYS_INLINE void half_to_float(void *out, const void *in, halfcl_rounding mode,
                                 conversion *state)
{
    (void)mode;
    vf_store(out, load(in), &state->seen);
}

ALWAYS_INLINE void half_to_double(void *out, const void *in, halfcl_rounding mode,
                                  conversion *state)
{
    (void)mode, (void)state;
    vf v = load(in);
    vd_store(out, vd_low(v));
    vd_store((double *)out + LANES / 2, vd_high(v));
}

ALWAYS_INLINE void float_to_half(void *out, const void *in, halfcl_rounding mode,
                                 conversion *state)
{
    vh_store(out, round_to_half(vf_load(in), mode, &state->seen, MAYBE_TINY));
}

/* A float rounded to odd is on the same side of all halves and midpoints as the double:
 * these have 12 bits, and subnormal ones fewer. */
ALWAYS_INLINE void double_to_half(void *out, const void *in, halfcl_rounding mode,
                                  conversion *state)
{
    vh_store(out, round_to_half(vf_load_double(in), mode, &state->seen, MAYBE_TINY));
}

#define CONVERSION(name, in_size, out_size, convert)                                           \
    static unsigned name(void *const *args, size_t n, halfcl_rounding mode)                    \
    {                                                                                          \
        return acc_flags(map_converter(args, n, mode, in_size, out_size, convert).seen);       \
    }
CONVERSION(convert_e_f, 2, 4, half_to_float)
CONVERSION(convert_e_d, 2, 8, half_to_double)
CONVERSION(convert_f_e, 4, 2, float_to_half)
CONVERSION(convert_d_e, 8, 2, double_to_half)

/* Truths are bytes, 0 or 1. */

ALWAYS_INLINE wm nonzero(vw a)
{
    return wm_not(vw_equal(vw_and(a, vw_set(HALF_MAGNITUDE)), vw_set(0)));
}

TRUTH_UNARY(convert_e_bool, nonzero)

static unsigned convert_bool_e(void *const *args, size_t n, halfcl_rounding mode)
{
    (void)mode;
    const uint8_t *in = args[0];
    uint16_t *out = args[1];
    for (size_t i = 0; i < n; ++i)
        out[i] = (uint16_t)((0 - in[i]) & HALF_ONE);
    return 0;
}

#define INTEGER_ROWS(letter, type, low, high, width)                                           \
    {"convert", "e>" #letter, convert_e_##letter},                                             \
        {"convert_sat", "e>" #letter, convert_sat_e_##letter},                                 \
        {"convert", #letter ">e", convert_##letter##_e},

#define CONVERT_KERNELS                                                                        \
    INTEGERS_TO(INTEGER_ROWS){"convert", "e>f", convert_e_f}, {"convert", "e>d", convert_e_d}, \
        {"convert", "f>e", convert_f_e}, {"convert", "d>e", convert_d_e},                      \
        {"convert", "e>?", convert_e_bool}, {"convert", "?>e", convert_bool_e},
