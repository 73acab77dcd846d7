/* Comparisons, classification, maximum and minimum, on the bits of halves. Nothing here
 * raises an exception, save spacing and nextafter. */
#ifndef HALFCL_RELATIONAL_H
#define HALFCL_RELATIONAL_H

#include "map.h"

ALWAYS_INLINE vw magnitude_of(vw a)
{
    return vw_and(a, vw_set(HALF_MAGNITUDE));
}

/* Integers in the order of the halves, both zeros the same, plus offset. NaNs lie beyond the
 * infinities; the offsets turn the circle of 16-bit integers so that all of them come to
 * one end. */
enum { NANS_ABOVE = HALF_INF - 0x8000, NANS_BELOW = 0x7fff - HALF_INF };

ALWAYS_INLINE vw order_key(vw a, int offset)
{
    vw plus = vw_add(a, vw_set(offset)), minus = vw_sub(vw_set(HALF_SIGN + offset), a);
    return vw_select(vw_negative(a), minus, plus);
}

ALWAYS_INLINE wm is_nan(vw a)
{
    return vw_greater(magnitude_of(a), vw_set(HALF_INF));
}

ALWAYS_INLINE wm is_inf(vw a)
{
    return vw_equal(magnitude_of(a), vw_set(HALF_INF));
}

ALWAYS_INLINE wm is_finite(vw a)
{
    return vw_greater(vw_set(HALF_INF), magnitude_of(a));
}

/* Whether a key with NaNs above is one of a number. */
ALWAYS_INLINE wm is_number_key(vw key)
{
    return vw_greater(vw_set(HALF_INF + NANS_ABOVE + 1), key);
}

ALWAYS_INLINE wm is_equal(vw a, vw b)
{
    vw x = order_key(a, NANS_ABOVE), y = order_key(b, NANS_ABOVE);
    return wm_and(vw_equal(x, y), is_number_key(x));
}

ALWAYS_INLINE wm is_not_equal(vw a, vw b)
{
    return wm_not(is_equal(a, b));
}

/* With NaNs above, a smaller key is never one of a NaN. */
ALWAYS_INLINE wm is_less(vw a, vw b)
{
    vw x = order_key(a, NANS_ABOVE), y = order_key(b, NANS_ABOVE);
    return wm_and(vw_greater(y, x), is_number_key(y));
}

ALWAYS_INLINE wm is_greater(vw a, vw b)
{
    return is_less(b, a);
}

ALWAYS_INLINE wm is_less_equal(vw a, vw b)
{
    vw x = order_key(a, NANS_ABOVE), y = order_key(b, NANS_ABOVE);
    return wm_and(vw_not_greater(x, y), is_number_key(y));
}

ALWAYS_INLINE wm is_greater_equal(vw a, vw b)
{
    return is_less_equal(b, a);
}

TRUTH_BINARY(equal, is_equal)
TRUTH_BINARY(not_equal, is_not_equal)
TRUTH_BINARY(less, is_less)
TRUTH_BINARY(less_equal, is_less_equal)
TRUTH_BINARY(greater, is_greater)
TRUTH_BINARY(greater_equal, is_greater_equal)
TRUTH_UNARY(isnan_e, is_nan)
TRUTH_UNARY(isinf_e, is_inf)
TRUTH_UNARY(isfinite_e, is_finite)
TRUTH_UNARY(signbit_e, vw_negative)

/* A half as a truth: NaN is true. */

ALWAYS_INLINE wm is_true(vw a)
{
    return vw_greater(magnitude_of(a), vw_set(0));
}

ALWAYS_INLINE wm is_false(vw a)
{
    return vw_equal(magnitude_of(a), vw_set(0));
}

ALWAYS_INLINE wm both_true(vw a, vw b)
{
    return wm_and(is_true(a), is_true(b));
}

ALWAYS_INLINE wm either_true(vw a, vw b)
{
    return is_true(vw_or(a, b));
}

ALWAYS_INLINE wm one_true(vw a, vw b)
{
    return wm_xor(is_true(a), is_true(b));
}

TRUTH_BINARY(logical_and, both_true)
TRUTH_BINARY(logical_or, either_true)
TRUTH_BINARY(logical_xor, one_true)
TRUTH_UNARY(logical_not, is_false)

/* The first operand if equal, as NumPy does; maximum and minimum prefer NaNs, fmax and
 * fmin numbers. NaNs come out quiet. */

ALWAYS_INLINE vw quiet(vw a)
{
    return vw_select(is_nan(a), vw_or(a, vw_set(HALF_QUIET)), a);
}

ALWAYS_INLINE vw second_if_above(vw a, vw b, int nans)
{
    return quiet(vw_select(vw_greater(order_key(b, nans), order_key(a, nans)), b, a));
}

ALWAYS_INLINE vw second_if_below(vw a, vw b, int nans)
{
    return quiet(vw_select(vw_greater(order_key(a, nans), order_key(b, nans)), b, a));
}

ALWAYS_INLINE vw larger(vw a, vw b)
{
    return second_if_above(a, b, NANS_ABOVE);
}

ALWAYS_INLINE vw smaller(vw a, vw b)
{
    return second_if_below(a, b, NANS_BELOW);
}

ALWAYS_INLINE vw larger_number(vw a, vw b)
{
    return second_if_above(a, b, NANS_BELOW);
}

ALWAYS_INLINE vw smaller_number(vw a, vw b)
{
    return second_if_below(a, b, NANS_ABOVE);
}

ALWAYS_INLINE vw with_sign(vw a, vw b)
{
    return vw_or(magnitude_of(a), vw_and(b, vw_set(HALF_SIGN)));
}

/* -1, 0 or 1, or the NaN itself; zero without sign, as NumPy has it. */
ALWAYS_INLINE vw sign_of(vw a)
{
    vw one = with_sign(vw_set(HALF_ONE), a);
    return vw_select(is_nan(a), quiet(a), vw_select(is_false(a), vw_set(0), one));
}

/* Any NaN gives a NaN. */
ALWAYS_INLINE vw clipped(vw a, vw low, vw high)
{
    return smaller(larger(a, low), high);
}

/* The magnitude, doubled, one more where positive, plus offset: so that of numbers of the same
 * magnitude the positive one has the larger key, and both zeros have the same. NaNs come to one
 * end, as above. */
enum { MAG_NANS_ABOVE = -0x8000, MAG_NANS_BELOW = 0x7fff - (2 * HALF_INF + 1) };

ALWAYS_INLINE vw magnitude_key(vw a, int offset)
{
    vw positive = vw_select(vw_greater(a, vw_set(0)), vw_set(offset + 1), vw_set(offset));
    return vw_add(vw_add(a, a), positive);
}

/* fmax and fmin by magnitude, and of numbers of the same magnitude. */

ALWAYS_INLINE vw larger_magnitude(vw a, vw b)
{
    vw x = magnitude_key(a, MAG_NANS_BELOW), y = magnitude_key(b, MAG_NANS_BELOW);
    return quiet(vw_select(vw_greater(y, x), b, a));
}

ALWAYS_INLINE vw smaller_magnitude(vw a, vw b)
{
    vw x = magnitude_key(a, MAG_NANS_ABOVE), y = magnitude_key(b, MAG_NANS_ABOVE);
    return quiet(vw_select(vw_greater(x, y), b, a));
}

/* 0 below zero, 1 above, at zero b; NumPy's. */
ALWAYS_INLINE vw step_at_zero(vw a, vw b)
{
    vw step = vw_select(vw_negative(a), vw_set(0), vw_set(HALF_ONE));
    return quiet(vw_select(is_false(a), b, vw_select(is_nan(a), a, step)));
}

WORD_BINARY(maxmag, larger_magnitude)
WORD_BINARY(minmag, smaller_magnitude)
WORD_BINARY(heaviside, step_at_zero)
WORD_TERNARY(clip, clipped)
WORD_BINARY(maximum, larger)
WORD_BINARY(minimum, smaller)
WORD_BINARY(fmax_e, larger_number)
WORD_BINARY(fmin_e, smaller_number)
WORD_BINARY(copysign_e, with_sign)
WORD_UNARY(sign, sign_of)

/* The neighbour of a in the direction of b, which is b if they are equal: the sign of a
 * zero is b's, as C has it. Notes overflows. */
ALWAYS_INLINE vw neighbour(vw a, vw b, wm *overflow)
{
    vw one = vw_set(1), from = order_key(a, 0), to = order_key(b, 0);
    wm away = wm_xor(vw_greater(to, from), vw_negative(a));
    vw next = vw_add(a, vw_select(away, one, vw_set(-1)));
    next = vw_select(is_false(a), with_sign(one, b), next);
    next = vw_select(vw_equal(from, to), b, next);
    next = vw_select(wm_or(is_nan(a), is_nan(b)), vw_set(HALF_NAN), next);
    *overflow = wm_or(*overflow, wm_and(is_inf(next), is_finite(a)));
    return next;
}

static unsigned nextafter_ee_e(void *const *args, size_t n, halfcl_rounding mode)
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

/* The distance to the neighbour of larger magnitude, with the sign, save that NumPy takes
 * the neighbour towards plus infinity of a negative power of two. By the power of two at or
 * below the magnitude: a unit of its last place is 2^-10 of that, 2^-24 at least. */

ALWAYS_INLINE vw power_of_two_below(vw a)
{
    vw exponent = vw_set(HALF_INF), magnitude = magnitude_of(a), power = vw_and(a, exponent);
    wm lower = wm_and(vw_negative(a), wm_and(vw_equal(power, magnitude), is_true(a)));
    return vw_select(lower, vw_and(vw_sub(magnitude, vw_set(1)), exponent), power);
}

ALWAYS_INLINE vw units_of_last_place(vw powers)
{
    uint16_t at[WORDS];
    vh units[WORDS / LANES];
    acc exact = acc_none();
    vw_store(at, powers);
    for (int k = 0; k < WORDS / LANES; ++k) {
        vf unit = vf_mul(load(at + k * LANES), vf_set(0x1p-10f));
        units[k] = vf_narrow(vf_max(unit, vf_set(0x1p-24f)), HALFCL_RTE, &exact);
    }
    return vh_join(units[0], units[1]);
}

static unsigned spacing_e_e(void *const *args, size_t n, halfcl_rounding mode)
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

#define RELATIONAL_KERNELS                                                                     \
    {"equal", "ee>?", equal}, {"not_equal", "ee>?", not_equal}, {"less", "ee>?", less},        \
        {"less_equal", "ee>?", less_equal}, {"greater", "ee>?", greater},                      \
        {"greater_equal", "ee>?", greater_equal}, {"isnan", "e>?", isnan_e},                   \
        {"isinf", "e>?", isinf_e}, {"isfinite", "e>?", isfinite_e},                            \
        {"signbit", "e>?", signbit_e}, {"logical_and", "ee>?", logical_and},                   \
        {"logical_or", "ee>?", logical_or}, {"logical_xor", "ee>?", logical_xor},              \
        {"logical_not", "e>?", logical_not}, {"maximum", "ee>e", maximum},                     \
        {"minimum", "ee>e", minimum}, {"fmax", "ee>e", fmax_e}, {"fmin", "ee>e", fmin_e},      \
        {"maxmag", "ee>e", maxmag}, {"minmag", "ee>e", minmag},                                \
        {"heaviside", "ee>e", heaviside}, {"copysign", "ee>e", copysign_e},                    \
        {"clip", "eee>e", clip}, {"sign", "e>e", sign}, {"nextafter", "ee>e", nextafter_ee_e}, \
        {"spacing", "e>e", spacing_e_e},

#endif
