/* Comparisons, classification and selection, on the bits of halves. Nothing here raises an
 * exception, not even for NaNs. */
#ifndef HALFCL_KERNELS_ELEMENTWISE_RELATIONAL_H
#define HALFCL_KERNELS_ELEMENTWISE_RELATIONAL_H

#include "kernels/shared/map.h"

ALWAYS_INLINE vw magnitude_of(vw a)
{
    return vw_and(a, vw_set(HALF_MAGNITUDE));
}

/* Offsets that rotate the integers in the order of halves so that all NaNs are at one end. */
enum { NANS_ABOVE = HALF_INF - 0x8000, NANS_BELOW = 0x7fff - HALF_INF };

ALWAYS_INLINE wm is_nan(vw a)
{
    ON_QUIET_HALVES(return vx_unordered(a, a);)
    return vw_greater(magnitude_of(a), vw_set(HALF_INF));
}

ALWAYS_INLINE wm is_unordered(vw a, vw b)
{
    ON_QUIET_HALVES(return vx_unordered(a, b);)
    return wm_or(is_nan(a), is_nan(b));
}

ALWAYS_INLINE wm is_ordered(vw a, vw b)
{
    return wm_not(is_unordered(a, b));
}

ALWAYS_INLINE bool any_nan(vw a, vw b)
{
    return __builtin_expect(wm_any(is_unordered(a, b)), 0);
}

ALWAYS_INLINE wm is_inf(vw a)
{
    return vw_equal(magnitude_of(a), vw_set(HALF_INF));
}

ALWAYS_INLINE wm is_finite(vw a)
{
    return vw_greater(vw_set(HALF_INF), magnitude_of(a));
}

/* Returns whether an integer in that order, with NaNs above, is the key of a number. */
ALWAYS_INLINE wm is_number_key(vw key)
{
    return wm_not(vw_greater(key, vw_set(HALF_INF + NANS_ABOVE)));
}

ALWAYS_INLINE wm is_equal(vw a, vw b)
{
    ON_QUIET_HALVES(return vx_equal(a, b);)
    return wm_and(vw_equal(vw_ordered(a, 0), vw_ordered(b, 0)), wm_not(is_nan(a)));
}

ALWAYS_INLINE wm is_not_equal(vw a, vw b)
{
    return wm_not(is_equal(a, b));
}

/* With NaNs above, a smaller key is never that of a NaN. */
ALWAYS_INLINE wm is_less(vw a, vw b)
{
    ON_QUIET_HALVES(return vx_less(a, b);)
    vw x = vw_ordered(a, NANS_ABOVE), y = vw_ordered(b, NANS_ABOVE);
    return wm_and(vw_greater(y, x), is_number_key(y));
}

ALWAYS_INLINE wm is_less_or_greater(vw a, vw b)
{
    ON_QUIET_HALVES(return vx_less_or_greater(a, b);)
    vw x = vw_ordered(a, NANS_ABOVE), y = vw_ordered(b, NANS_ABOVE);
    return wm_and(wm_not(vw_equal(x, y)), wm_and(is_number_key(x), is_number_key(y)));
}

ALWAYS_INLINE wm is_greater(vw a, vw b)
{
    return is_less(b, a);
}

ALWAYS_INLINE wm is_less_equal(vw a, vw b)
{
    ON_QUIET_HALVES(return vx_less_equal(a, b);)
    vw x = vw_ordered(a, NANS_ABOVE), next = vw_ordered(b, NANS_ABOVE + 1);
    return wm_and(vw_greater(next, x),
                  wm_not(vw_greater(next, vw_set(HALF_INF + NANS_ABOVE + 1))));
}

ALWAYS_INLINE wm is_greater_equal(vw a, vw b)
{
    return is_less_equal(b, a);
}

ALWAYS_INLINE wm is_normal(vw a)
{
    vw magnitude = magnitude_of(a);
    return wm_and(vw_greater(magnitude, vw_set(HALF_MIN_NORMAL - 1)), is_finite(a));
}

TRUTH_BINARY(equal, is_equal)
TRUTH_BINARY(not_equal, is_not_equal)
TRUTH_BINARY(less, is_less)
TRUTH_BINARY(less_equal, is_less_equal)
TRUTH_BINARY(greater, is_greater)
TRUTH_BINARY(greater_equal, is_greater_equal)
TRUTH_BINARY(less_greater, is_less_or_greater)
TRUTH_BINARY(ordered_kernel, is_ordered)
TRUTH_BINARY(unordered, is_unordered)
TRUTH_UNARY(isnormal_kernel, is_normal)
TRUTH_UNARY(isnan_kernel, is_nan)
TRUTH_UNARY(isinf_kernel, is_inf)
TRUTH_UNARY(isfinite_kernel, is_finite)
TRUTH_UNARY(signbit_kernel, vw_negative)

/* A half as a truth value: NaN is true. */

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

/* Makes NaNs quiet, for functions that select a number and not bits. */
ALWAYS_INLINE vw quiet(vw a)
{
    return vw_select(is_nan(a), vw_or(a, vw_set(HALF_QUIET)), a);
}

/* Selection by truths, by integers that are not zero, by the top bit; and bit by bit. */

ALWAYS_INLINE vw selected_by_integer(vw a, vw b, vw c)
{
    return vw_select(vw_equal(c, vw_set(0)), a, b);
}

ALWAYS_INLINE vw selected_by_top_bit(vw a, vw b, vw c)
{
    return vw_select(vw_negative(c), b, a);
}

ALWAYS_INLINE vw selected_bits(vw a, vw b, vw c)
{
    return vw_xor(a, vw_and(vw_xor(a, b), c));
}

static unsigned select_by_truth(void *const *args, size_t n, halfcl_rounding mode)
{
    const uint16_t *a = args[0], *b = args[1];
    const uint8_t *c = args[2];
    uint16_t *out = args[3];
    size_t at = 0;
    (void)mode;
    for (; at + WORDS <= n; at += WORDS)
        vw_store(out + at, vw_select(wm_load(ahead_of(c + at)), vw_load(ahead_of(b + at)),
                                     vw_load(ahead_of(a + at))));
    if (at < n)
        vw_store_n(out + at,
                   vw_select(wm_load_n(c + at, n - at), vw_load_n(b + at, n - at),
                             vw_load_n(a + at, n - at)),
                   n - at);
    return 0;
}

ALWAYS_INLINE vw selected_number(vw a, vw b)
{
    return vw_select(is_nan(a), b, a);
}

WORD_BINARY(number_or, selected_number)
WORD_TERNARY(select_by_integer, selected_by_integer)
WORD_TERNARY(select_by_top_bit, selected_by_top_bit)
WORD_TERNARY(bitselect, selected_bits)

#define RELATIONAL_KERNELS                                                                     \
    BINARY("number_or", number_or)                                                             \
    RELATION("equal", equal)                                                                   \
    RELATION("not_equal", not_equal)                                                           \
    RELATION("less", less)                                                                     \
    RELATION("less_equal", less_equal)                                                         \
    RELATION("greater", greater)                                                               \
    RELATION("greater_equal", greater_equal)                                                   \
    RELATION("less_greater", less_greater)                                                     \
    RELATION("ordered", ordered_kernel)                                                        \
    RELATION("unordered", unordered)                                                           \
    TEST("isnormal", isnormal_kernel)                                                          \
    TEST("isnan", isnan_kernel)                                                                \
    TEST("isinf", isinf_kernel)                                                                \
    TEST("isfinite", isfinite_kernel)                                                          \
    TEST("signbit", signbit_kernel)                                                            \
    RELATION("logical_and", logical_and)                                                       \
    RELATION("logical_or", logical_or)                                                         \
    RELATION("logical_xor", logical_xor)                                                       \
    TEST("logical_not", logical_not)                                                           \
    MAP("select", select_by_truth, 3, 1, HALFCL_HALF, HALFCL_HALF, HALFCL_BOOL, HALFCL_HALF)   \
    MAP("select", select_by_integer, 3, 1, HALFCL_HALF, HALFCL_HALF, HALFCL_INT16,             \
        HALFCL_HALF)                                                                           \
    MAP("select_by_top_bit", select_by_top_bit, 3, 1, HALFCL_HALF, HALFCL_HALF, HALFCL_INT16,  \
        HALFCL_HALF)                                                                           \
    MAP("bitselect", bitselect, 3, 1, HALFCL_UINT16, HALFCL_UINT16, HALFCL_UINT16,             \
        HALFCL_UINT16)                                                                         \
    TERNARY("bitselect", bitselect)

#endif
