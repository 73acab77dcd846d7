/* Comparisons, classification, maximum and minimum, on the bits of halves. Nothing here
 * raises an exception, save spacing and nextafter. */
#include "map.h"

ALWAYS_INLINE vw magnitude_of(vw a)
{
    return vw_and(a, vw_set(HALF_MAGNITUDE));
}

/* Integers in the order of the halves; both zeros are 0. */
ALWAYS_INLINE vw order_key(vw a)
{
    vw magnitude = magnitude_of(a);
    return vw_select(vw_negative(a), vw_sub(vw_set(0), magnitude), magnitude);
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

ALWAYS_INLINE wm ordered(vw a, vw b)
{
    return wm_not(wm_or(is_nan(a), is_nan(b)));
}

ALWAYS_INLINE wm is_equal(vw a, vw b)
{
    return wm_and(vw_equal(order_key(a), order_key(b)), ordered(a, b));
}

ALWAYS_INLINE wm is_not_equal(vw a, vw b)
{
    return wm_not(is_equal(a, b));
}

ALWAYS_INLINE wm is_greater(vw a, vw b)
{
    return wm_and(vw_greater(order_key(a), order_key(b)), ordered(a, b));
}

ALWAYS_INLINE wm is_less(vw a, vw b)
{
    return is_greater(b, a);
}

ALWAYS_INLINE wm is_less_equal(vw a, vw b)
{
    return wm_and(wm_not(vw_greater(order_key(a), order_key(b))), ordered(a, b));
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

ALWAYS_INLINE vw larger(vw a, vw b)
{
    wm first = wm_or(is_nan(a), is_greater_equal(a, b));
    return quiet(vw_select(first, a, b));
}

ALWAYS_INLINE vw smaller(vw a, vw b)
{
    wm first = wm_or(is_nan(a), is_less_equal(a, b));
    return quiet(vw_select(first, a, b));
}

ALWAYS_INLINE vw larger_number(vw a, vw b)
{
    wm first = wm_or(is_nan(b), is_greater_equal(a, b));
    return quiet(vw_select(first, a, b));
}

ALWAYS_INLINE vw smaller_number(vw a, vw b)
{
    wm first = wm_or(is_nan(b), is_less_equal(a, b));
    return quiet(vw_select(first, a, b));
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

WORD_BINARY(maximum, larger)
WORD_BINARY(minimum, smaller)
WORD_BINARY(fmax_e, larger_number)
WORD_BINARY(fmin_e, smaller_number)
WORD_BINARY(copysign_e, with_sign)
WORD_UNARY(sign, sign_of)

/* The neighbour of x in the direction of y. */
static uint16_t neighbour(uint16_t x, uint16_t y, unsigned *flags)
{
    unsigned x_size = x & HALF_MAGNITUDE, y_size = y & HALF_MAGNITUDE;
    bool same_sign = ((x ^ y) & HALF_SIGN) == 0;
    if (x_size > HALF_INF || y_size > HALF_INF)
        return HALF_NAN;
    if (x == y || (x_size | y_size) == 0)
        return x;
    if (x_size == 0)
        return (y & HALF_SIGN) | 1;
    if (!same_sign || x_size > y_size)
        return x - 1;
    if (x_size == HALF_LARGEST)
        *flags |= HALFCL_OVERFLOW;
    return x + 1;
}

/* The distance to the neighbour of larger magnitude, with the sign, save that NumPy takes
 * the neighbour towards plus infinity of a negative power of two. */
static uint16_t spacing_of(uint16_t x, unsigned *flags)
{
    int exponent = x >> 10 & 0x1f;
    bool below = x & HALF_SIGN && (x & 0x3ff) == 0;
    if (exponent == 0x1f) {
        *flags |= HALFCL_INVALID;
        return HALF_NAN;
    }
    if (x == HALF_LARGEST) {
        *flags |= HALFCL_OVERFLOW;
        return HALF_INF;
    }
    int ulp = exponent - 10 - below; /* exponent field of one unit of the last place */
    if (ulp > 0)
        return (uint16_t)(ulp << 10);
    return (uint16_t)(ulp + 9 > 0 ? 1 << (ulp + 9) : 1);
}

static unsigned nextafter_ee_e(void *const *args, size_t n, halfcl_rounding mode)
{
    const uint16_t *a = args[0], *b = args[1];
    uint16_t *out = args[2];
    unsigned flags = 0;
    (void)mode;
    for (size_t i = 0; i < n; ++i)
        out[i] = neighbour(a[i], b[i], &flags);
    return flags;
}

static unsigned spacing_e_e(void *const *args, size_t n, halfcl_rounding mode)
{
    const uint16_t *a = args[0];
    uint16_t *out = args[1];
    unsigned flags = 0;
    (void)mode;
    for (size_t i = 0; i < n; ++i)
        out[i] = spacing_of(a[i], &flags);
    return flags;
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
        {"copysign", "ee>e", copysign_e}, {"sign", "e>e", sign},                               \
        {"nextafter", "ee>e", nextafter_ee_e}, {"spacing", "e>e", spacing_e_e},
