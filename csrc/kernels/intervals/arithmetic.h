/* Arithmetic of intervals: each is a lower and an upper bound, both NaN if it is empty; a lower
 * one is never inf, an upper one never -inf. Zeros have either sign. NaNs are those of the
 * processor.
 *
 * In rtp, each bound is the exact one rounded outward: for lower bounds the operations compute
 * the negative, which is rounded up, and then change its sign. Two roundings in one direction
 * are one, and a quotient or root in float may be to nearest (see elementwise/arithmetic.h).
 * Interval arithmetic has no exceptions: these kernels are quiet. */
#ifndef HALFCL_KERNELS_INTERVALS_ARITHMETIC_H
#define HALFCL_KERNELS_INTERVALS_ARITHMETIC_H

#include "kernels/shared/map.h"

typedef struct {
    vf low, high;
} interval;

/* The results of operations. */
typedef struct {
    vf minus_low, high;
} range;

/* function: the data that an operation needs, the same for all elements. */
typedef range interval_unary(interval, const void *function, halfcl_rounding);
typedef range interval_binary(interval, interval, halfcl_rounding);

ALWAYS_INLINE vf minus(vf a)
{
    return vf_flipped(a, vi_set(INT32_MIN));
}

ALWAYS_INLINE range interval_sum(interval x, interval y, halfcl_rounding mode)
{
    return (range){vf_sum(minus(x.low), minus(y.low), mode), vf_sum(x.high, y.high, mode)};
}

ALWAYS_INLINE range interval_difference(interval x, interval y, halfcl_rounding mode)
{
    return (range){vf_difference(y.high, x.low, mode), vf_difference(x.high, y.low, mode)};
}

/* Replaces infinity by a huge number, so that its product with zero is zero. Halves are far
 * below, and the product of two such numbers is a float. */
ALWAYS_INLINE interval replace_infinity(interval x)
{
    vf huge = vf_set(0x1p60f), minus_huge = vf_set(-0x1p60f);
    return (interval){vf_max(minus_huge, x.low), vf_min(huge, x.high)}; /* NaNs stay */
}

ALWAYS_INLINE range interval_product(interval x, interval y, halfcl_rounding mode)
{
    (void)mode;
    x = replace_infinity(x);
    y = replace_infinity(y);
    vf p = vf_mul(x.low, y.low), q = vf_mul(x.low, y.high);
    vf r = vf_mul(x.high, y.low), s = vf_mul(x.high, y.high);
    return (range){minus(vf_min(vf_min(p, q), vf_min(r, s))),
                   vf_max(vf_max(p, q), vf_max(r, s))};
}

ALWAYS_INLINE interval minus_where(vm m, interval x)
{
    return (interval){vf_select(m, minus(x.high), x.low), vf_select(m, minus(x.low), x.high)};
}

/* Returns r, with NaNs as bounds where it is empty. */
ALWAYS_INLINE range set_empty(vm empty, range r)
{
    vf nan = vf_set(NAN);
    return (range){vf_select(empty, nan, r.minus_low), vf_select(empty, nan, r.high)};
}

ALWAYS_INLINE vm interval_is_empty(interval x)
{
    return vf_unordered(x.low, x.high);
}

ALWAYS_INLINE vm interval_is_zero(interval x)
{
    return vm_and(vf_zero(x.low), vf_zero(x.high));
}

/* Divides by the numbers of y except zero: the quotient by [0, 0] is empty, and if zero is
 * inside, quotients have all signs and magnitudes. If y is negative, both operands change their
 * signs. */
ALWAYS_INLINE range interval_quotient(interval x, interval y, halfcl_rounding mode)
{
    (void)mode;
    vf zero = vf_set(0), inf = vf_set(INFINITY);
    vm negative = vf_less_equal(y.high, zero);
    vm empty = vm_or(vf_unordered(x.low, y.low), interval_is_zero(y));
    x = minus_where(negative, x);
    y = minus_where(negative, y);
    vf near = vf_abs(y.low);
    vf minus_low = vf_div(minus(x.low), vf_select(vf_less(x.low, zero), near, y.high));
    vf high = vf_div(x.high, vf_select(vf_less(zero, x.high), near, y.high));
    vm crosses = vm_and(vf_less(y.low, zero), vf_less(zero, y.high));
    vf all = vf_select(interval_is_zero(x), zero, inf);
    minus_low = vf_select(crosses, all, minus_low);
    high = vf_select(crosses, all, high);
    return set_empty(empty, (range){minus_low, high});
}

ALWAYS_INLINE range interval_inverse(interval x, const void *function, halfcl_rounding mode)
{
    (void)function;
    vf one = vf_set(1);
    return interval_quotient((interval){one, one}, x, mode);
}

/* A product of bounds, and these bounds. */
typedef struct {
    vf product, first, second;
} candidate;

ALWAYS_INLINE candidate better_candidate(candidate a, candidate b, bool greatest)
{
    vm second = greatest ? vf_less(a.product, b.product) : vf_less(b.product, a.product);
    return (candidate){vf_select(second, b.product, a.product),
                       vf_select(second, b.first, a.first),
                       vf_select(second, b.second, a.second)};
}

/* Returns the bounds of x and y with the least product, or the greatest: not a range, but two
 * halves. They are two zeros if the product is zero, since one may be infinite. */
ALWAYS_INLINE range factors(interval x, interval y, bool greatest)
{
    interval a = replace_infinity(x), b = replace_infinity(y);
    candidate p = {vf_mul(a.low, b.low), x.low, y.low};
    candidate q = {vf_mul(a.low, b.high), x.low, y.high};
    candidate r = {vf_mul(a.high, b.low), x.high, y.low};
    candidate s = {vf_mul(a.high, b.high), x.high, y.high};
    candidate best = better_candidate(better_candidate(p, q, greatest),
                                      better_candidate(r, s, greatest), greatest);
    vm zero = vf_zero(best.product);
    return (range){minus(vf_zero_where(zero, best.first)), vf_zero_where(zero, best.second)};
}

ALWAYS_INLINE range least_factors(interval x, interval y, halfcl_rounding mode)
{
    (void)mode;
    return factors(x, y, false);
}

ALWAYS_INLINE range greatest_factors(interval x, interval y, halfcl_rounding mode)
{
    (void)mode;
    return factors(x, y, true);
}

/* ---------------------------------------------------------------- loops */

/* A loop over n elements, a multiple of PAIR. */
typedef void pairs_loop(void *const *args, size_t n, halfcl_rounding mode,
                        const void *function);

/* Maps all elements: the remainder of pairs of vectors is copied, and padded with ones. */
static __attribute__((noinline)) unsigned map_pairs(void *const *args, int nin, size_t n,
                                                    halfcl_rounding mode, pairs_loop *loop,
                                                    const void *function)
{
    enum { RESULTS = 2 };
    uint16_t rest[HALFCL_MAX_OPERANDS][PAIR];
    void *last[HALFCL_MAX_OPERANDS];
    size_t remaining = n % PAIR, whole = n - remaining;
    loop(args, whole, mode, function);
    if (remaining == 0)
        return 0;
    for (int k = 0; k < nin + RESULTS; k++) {
        last[k] = rest[k];
        for (size_t i = remaining; i < PAIR; i++)
            rest[k][i] = HALF_ONE;
        if (k < nin)
            memcpy(rest[k], (const uint16_t *)args[k] + whole, remaining * sizeof *rest[k]);
    }
    loop(last, PAIR, mode, function);
    for (int k = nin; k < nin + RESULTS; k++)
        memcpy((uint16_t *)args[k] + whole, rest[k], remaining * sizeof *rest[k]);
    return 0;
}

ALWAYS_INLINE interval load_interval(const uint16_t *low, const uint16_t *high)
{
    return (interval){load(low), load(high)};
}

ALWAYS_INLINE void store_ranges(uint16_t *low, uint16_t *high, range first, range second,
                                halfcl_rounding mode)
{
    acc quiet = acc_none();
    vh minus_low = vf_narrow(first.minus_low, mode, &quiet);
    vh second_minus_low = vf_narrow(second.minus_low, mode, &quiet);
    vw_store(low, vw_xor(vh_join(minus_low, second_minus_low), vw_set(HALF_SIGN)));
    vh_store(high, vf_narrow(first.high, mode, &quiet));
    vh_store(high + LANES, vf_narrow(second.high, mode, &quiet));
}

ALWAYS_INLINE void each_interval(void *const *args, size_t n, halfcl_rounding mode,
                                 interval_unary *op, const void *function)
{
    const uint16_t *a = args[0], *b = args[1];
    uint16_t *low = args[2], *high = args[3];
    for (size_t i = 0, j = LANES; i < n; i += PAIR, j += PAIR) {
        range first = op(load_interval(a + i, b + i), function, mode);
        range second = op(load_interval(a + j, b + j), function, mode);
        store_ranges(low + i, high + i, first, second, mode);
    }
}

ALWAYS_INLINE void each_two_intervals(void *const *args, size_t n, halfcl_rounding mode,
                                      interval_binary *op)
{
    const uint16_t *a = args[0], *b = args[1], *c = args[2], *d = args[3];
    uint16_t *low = args[4], *high = args[5];
    for (size_t i = 0, j = LANES; i < n; i += PAIR, j += PAIR) {
        range first = op(load_interval(a + i, b + i), load_interval(c + i, d + i), mode);
        range second = op(load_interval(a + j, b + j), load_interval(c + j, d + j), mode);
        store_ranges(low + i, high + i, first, second, mode);
    }
}

/* Defines a kernel of nin bounds; each: its loop, with the arguments args, n, mode and
 * function. */
#define INTERVAL_KERNEL(name, nin, each, data)                                                 \
    static void name##_pairs(void *const *args, size_t n, halfcl_rounding mode,                \
                             const void *function)                                             \
    {                                                                                          \
        (void)function;                                                                        \
        each;                                                                                  \
    }                                                                                          \
    KERNEL(name, map_pairs(args, nin, n, mode, name##_pairs, data))

#define ARITHMETIC_KERNEL(name, op)                                                            \
    INTERVAL_KERNEL(name, 4, each_two_intervals(args, n, mode, op), NULL)

ARITHMETIC_KERNEL(interval_add, interval_sum)
ARITHMETIC_KERNEL(interval_subtract, interval_difference)
ARITHMETIC_KERNEL(interval_multiply, interval_product)
ARITHMETIC_KERNEL(interval_divide, interval_quotient)
ARITHMETIC_KERNEL(interval_least_factors, least_factors)
ARITHMETIC_KERNEL(interval_greatest_factors, greatest_factors)
INTERVAL_KERNEL(interval_reciprocal, 2, each_interval(args, n, mode, interval_inverse, NULL),
                NULL)

#define INTERVAL_KERNELS                                                                       \
    INTERVAL_BINARY("interval_add", interval_add)                                              \
    INTERVAL_BINARY("interval_subtract", interval_subtract)                                    \
    INTERVAL_BINARY("interval_multiply", interval_multiply)                                    \
    INTERVAL_BINARY("interval_divide", interval_divide)                                        \
    INTERVAL_BINARY("interval_least_factors", interval_least_factors)                          \
    INTERVAL_BINARY("interval_greatest_factors", interval_greatest_factors)                    \
    INTERVAL_UNARY("interval_reciprocal", interval_reciprocal)

#endif
