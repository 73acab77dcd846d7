/* The neighbours of a half, and the distance to them. */
#ifndef HALFCL_KERNELS_FUNCTIONS_NEIGHBOURS_H
#define HALFCL_KERNELS_FUNCTIONS_NEIGHBOURS_H

#include "kernels/elementwise/extrema.h"

/* The neighbour of a in the direction of b, which is b if they are equal: the sign of a zero is
 * b's, as in C. Records overflows. */
ALWAYS_INLINE vw neighbour(vw a, vw b, wm *overflow)
{
    vw one = vw_set(1), from = vw_ordered(a, 0), to = vw_ordered(b, 0);
    wm away = wm_xor(vw_greater(to, from), vw_negative(a));
    vw next = vw_add(a, vw_select(away, one, vw_set(-1)));
    next = vw_select(is_false(a), with_sign(one, b), next);
    next = vw_select(vw_equal(from, to), b, next);
    next = vw_select(wm_or(is_nan(a), is_nan(b)), vw_set(HALF_NAN), next);
    *overflow = wm_or(*overflow, wm_and(is_inf(next), is_finite(a)));
    return next;
}

static unsigned nextafter_kernel(void *const *args, size_t n, halfcl_rounding mode)
{
    const uint16_t *a = args[0], *b = args[1];
    uint16_t *out = args[2];
    wm overflow = vw_negative(vw_set(0));
    (void)mode;
    for (size_t at = 0; at < n; at += WORDS) {
        vw x = vw_load_n(a + at, n - at), y = vw_load_n(b + at, n - at);
        vw_store_n(out + at, neighbour(x, y, &overflow), n - at);
    }
    return wm_any(overflow) ? HALFCL_OVERFLOW : 0;
}

/* IEEE 754's nextUp and nextDown: the neighbour in the direction of an infinity, or that
 * infinity itself. The neighbour of the least number of the other sign is a zero of that sign.
 * They raise nothing. */
ALWAYS_INLINE unsigned next_towards(void *const *args, size_t n, uint16_t infinity)
{
    const uint16_t *a = args[0];
    uint16_t *out = args[1];
    wm overflow = vw_negative(vw_set(0));
    for (size_t at = 0; at < n; at += WORDS) {
        vw x = vw_load_n(a + at, n - at);
        vw_store_n(out + at, neighbour(x, vw_set(infinity), &overflow), n - at);
    }
    return 0;
}

static unsigned nextup_kernel(void *const *args, size_t n, halfcl_rounding mode)
{
    (void)mode;
    return next_towards(args, n, HALF_INF);
}

static unsigned nextdown_kernel(void *const *args, size_t n, halfcl_rounding mode)
{
    (void)mode;
    return next_towards(args, n, HALF_INF | HALF_SIGN);
}

/* The distance to the neighbour of larger magnitude, with the sign, except that NumPy uses the
 * neighbour towards plus infinity for a negative power of two. It is computed from the power of
 * two at or below the magnitude: a unit of its last place is 2^-10 of that, at least 2^-24. */

ALWAYS_INLINE vw power_of_two_below(vw a)
{
    vw exponent = vw_set(HALF_INF), magnitude = magnitude_of(a), power = vw_and(a, exponent);
    wm lower = wm_and(vw_negative(a), wm_and(vw_equal(power, magnitude), is_true(a)));
    return vw_select(lower, vw_and(vw_sub(magnitude, vw_set(1)), exponent), power);
}

ALWAYS_INLINE vf unit_of(vf power)
{
    return vf_max(vf_mul(power, vf_set(0x1p-10f)), vf_set(0x1p-24f));
}

ALWAYS_INLINE vw units_of_last_place(vw powers)
{
    uint16_t at[WORDS];
    vh units[WORDS / LANES];
    acc exact = acc_none();
    vw_store(at, powers);
    for (int k = 0; k < WORDS / LANES; ++k)
        units[k] = vf_narrow(unit_of(load(at + k * LANES)), HALFCL_RTE, &exact);
    return vh_join(units[0], units[1]);
}

static unsigned spacing_kernel(void *const *args, size_t n, halfcl_rounding mode)
{
    const uint16_t *a = args[0];
    uint16_t *out = args[1];
    wm none = vw_negative(vw_set(0)), invalid = none, overflow = none;
    (void)mode;
    for (size_t at = 0; at < n; at += WORDS) {
        vw x = vw_load_n(a + at, n - at), result = units_of_last_place(power_of_two_below(x));
        wm nonfinite = wm_not(is_finite(x)), largest = vw_equal(x, vw_set(HALF_LARGEST));
        result = vw_select(largest, vw_set(HALF_INF), result);
        result = vw_select(nonfinite, vw_set(HALF_NAN), result);
        vw_store_n(out + at, result, n - at);
        invalid = wm_or(invalid, nonfinite);
        overflow = wm_or(overflow, largest);
    }
    return (wm_any(invalid) ? HALFCL_INVALID : 0) | (wm_any(overflow) ? HALFCL_OVERFLOW : 0);
}

/* A unit of the last place of the magnitude: positive, and infinite for infinities. */
static unsigned ulp_kernel(void *const *args, size_t n, halfcl_rounding mode)
{
    const uint16_t *a = args[0];
    uint16_t *out = args[1];
    (void)mode;
    for (size_t at = 0; at < n; at += WORDS) {
        vw x = vw_load_n(a + at, n - at);
        vw result = units_of_last_place(vw_and(x, vw_set(HALF_INF)));
        vw_store_n(out + at, vw_select(is_nan(x), vw_set(HALF_NAN), result), n - at);
    }
    return 0;
}

#define NEIGHBOUR_KERNELS                                                                      \
    BINARY("nextafter", nextafter_kernel)                                                      \
    UNARY("nextup", nextup_kernel)                                                             \
    UNARY("nextdown", nextdown_kernel)                                                         \
    UNARY("ulp", ulp_kernel)                                                                   \
    UNARY("spacing", spacing_kernel)

#endif
