/* Arithmetic of intervals: a lower and an upper bound each, both NaN if it is empty; a lower
 * one is never inf, an upper one never -inf. Zeros have either sign. NaNs as they come.
 *
 * Run in rtp, each bound is the exact one rounded outward: of lower bounds the operations
 * compute the negative, which is rounded up, and then changes its sign. Two roundings in one
 * direction are one, and a quotient or root in float may be to nearest (see arithmetic.h).
 * Interval arithmetic has no exceptions: these kernels are quiet. */
#ifndef HALFCL_INTERVALS_H
#define HALFCL_INTERVALS_H

#include "kernels/map.h"

typedef struct {
    vf low, high;
} interval;

/* What operations give. */
typedef struct {
    vf minus_low, high;
} range;

/* function: what an operation is to know of one. */
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

/* A huge number for infinity, so that its product with zero is zero. Halves are far below, and
 * the product of two is a float. */
ALWAYS_INLINE interval bounded(interval x)
{
    vf huge = vf_set(0x1p60f), minus_huge = vf_set(-0x1p60f);
    return (interval){vf_max(minus_huge, x.low), vf_min(huge, x.high)}; /* NaNs stay */
}

ALWAYS_INLINE range interval_product(interval x, interval y, halfcl_rounding mode)
{
    (void)mode;
    x = bounded(x);
    y = bounded(y);
    vf p = vf_mul(x.low, y.low), q = vf_mul(x.low, y.high);
    vf r = vf_mul(x.high, y.low), s = vf_mul(x.high, y.high);
    return (range){minus(vf_min(vf_min(p, q), vf_min(r, s))),
                   vf_max(vf_max(p, q), vf_max(r, s))};
}

ALWAYS_INLINE interval minus_where(vm m, interval x)
{
    return (interval){vf_select(m, minus(x.high), x.low), vf_select(m, minus(x.low), x.high)};
}

/* NaNs for bounds where there is nothing. */
ALWAYS_INLINE range range_unless(vm empty, range r)
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

/* By the numbers of y but zero: of [0, 0] nothing, and if zero is inside, of all signs and
 * sizes. Where y is negative, both change their signs. */
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
    return range_unless(empty, (range){minus_low, high});
}

ALWAYS_INLINE range interval_inverse(interval x, const void *function, halfcl_rounding mode)
{
    (void)function;
    vf one = vf_set(1);
    return interval_quotient((interval){one, one}, x, mode);
}

/* A product of bounds, and the bounds. */
typedef struct {
    vf product, first, second;
} candidate;

ALWAYS_INLINE candidate better(candidate a, candidate b, bool greatest)
{
    vm second = greatest ? vf_less(a.product, b.product) : vf_less(b.product, a.product);
    return (candidate){vf_select(second, b.product, a.product),
                       vf_select(second, b.first, a.first),
                       vf_select(second, b.second, a.second)};
}

/* The bounds of x and y whose product is the least, or the greatest: not a range, but two
 * halves. Two zeros if it is zero, since one may be infinite. */
ALWAYS_INLINE range factors(interval x, interval y, bool greatest)
{
    interval a = bounded(x), b = bounded(y);
    candidate p = {vf_mul(a.low, b.low), x.low, y.low};
    candidate q = {vf_mul(a.low, b.high), x.low, y.high};
    candidate r = {vf_mul(a.high, b.low), x.high, y.low};
    candidate s = {vf_mul(a.high, b.high), x.high, y.high};
    candidate best = better(better(p, q, greatest), better(r, s, greatest), greatest);
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

/* The words of two vectors of minus lower bounds: lower bounds. */
ALWAYS_INLINE vw lower_words(vf first, vf second, halfcl_rounding mode, acc *seen)
{
    vw words = vh_join(vf_narrow(first, mode, seen), vf_narrow(second, mode, seen));
    return vw_xor(words, vw_set(HALF_SIGN));
}

/* CALL(LOAD) is the operation with its operands read by LOAD(pointer): a pair of vectors a
 * turn, then what is left, a vector at a time. */
#define MAP_INTERVALS(low, high, CALL)                                                         \
    acc seen = acc_none();                                                                     \
    size_t at = 0;                                                                             \
    for (size_t turn = 0; turn + PAIR <= n; turn += PAIR) {                                    \
        range first = CALL(LOAD_WHOLE);                                                        \
        at += LANES;                                                                           \
        range second = CALL(LOAD_WHOLE);                                                       \
        at += LANES;                                                                           \
        vw_store((low) + turn, lower_words(first.minus_low, second.minus_low, mode, &seen));   \
        vh_store((high) + turn, vf_narrow(first.high, mode, &seen));                           \
        vh_store((high) + turn + LANES, vf_narrow(second.high, mode, &seen));                  \
    }                                                                                          \
    for (; at < n; at += LANES) {                                                              \
        size_t left = n - at < LANES ? n - at : LANES;                                         \
        range last = CALL(LOAD_PART);                                                          \
        vw_store_n((low) + at, lower_words(last.minus_low, last.minus_low, mode, &seen),       \
                   left);                                                                      \
        vh_store_n((high) + at, vf_narrow(last.high, mode, &seen), left);                      \
    }                                                                                          \
    return acc_flags(seen);

#define LOAD_WHOLE(p) load((p) + at)
#define LOAD_PART(p) load_n((p) + at, left)

ALWAYS_INLINE unsigned map_interval(void *const *args, size_t n, halfcl_rounding mode,
                                    interval_unary *op, const void *function)
{
    const uint16_t *a = args[0], *b = args[1];
    uint16_t *low = args[2], *high = args[3];
#define CALL(LOAD) op((interval){LOAD(a), LOAD(b)}, function, mode)
    MAP_INTERVALS(low, high, CALL)
#undef CALL
}

ALWAYS_INLINE unsigned map_intervals(void *const *args, size_t n, halfcl_rounding mode,
                                     interval_binary *op)
{
    const uint16_t *a = args[0], *b = args[1], *c = args[2], *d = args[3];
    uint16_t *low = args[4], *high = args[5];
#define CALL(LOAD) op((interval){LOAD(a), LOAD(b)}, (interval){LOAD(c), LOAD(d)}, mode)
    MAP_INTERVALS(low, high, CALL)
#undef CALL
}

#undef LOAD_WHOLE
#undef LOAD_PART

KERNEL(interval_add, map_intervals(args, n, mode, interval_sum))
KERNEL(interval_subtract, map_intervals(args, n, mode, interval_difference))
KERNEL(interval_multiply, map_intervals(args, n, mode, interval_product))
KERNEL(interval_divide, map_intervals(args, n, mode, interval_quotient))
KERNEL(interval_least_factors, map_intervals(args, n, mode, least_factors))
KERNEL(interval_greatest_factors, map_intervals(args, n, mode, greatest_factors))
KERNEL(interval_reciprocal, map_interval(args, n, mode, interval_inverse, NULL))

#define INTERVAL_KERNELS                                                                       \
    INTERVAL_BINARY("interval_add", interval_add)                                              \
    INTERVAL_BINARY("interval_subtract", interval_subtract)                                    \
    INTERVAL_BINARY("interval_multiply", interval_multiply)                                    \
    INTERVAL_BINARY("interval_divide", interval_divide)                                        \
    INTERVAL_BINARY("interval_least_factors", interval_least_factors)                          \
    INTERVAL_BINARY("interval_greatest_factors", interval_greatest_factors)                    \
    INTERVAL_UNARY("interval_reciprocal", interval_reciprocal)

#endif
