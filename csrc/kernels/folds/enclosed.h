/* A sum that is rounded at once, as most are: two bounds enclose it, which most often round to
 * the same half. This takes half the time of the exact sum. */
#ifndef HALFCL_KERNELS_FOLDS_ENCLOSED_H
#define HALFCL_KERNELS_FOLDS_ENCLOSED_H

#include <math.h>

#include "kernels/folds/sums.h"

/* Rounding up, the sum of the terms is an upper bound, and minus the sum of the negated terms a
 * lower bound: in floats for some turns, whose sums stay small and lose little, then in
 * doubles. */
typedef struct {
    vf high, minus_low;
} float_bounds;

typedef struct {
    vd high, minus_low;
} double_bounds;

/* Adds a term computed from x and y. */
typedef void enclose_term(float_bounds *sum, vf x, vf y);

ALWAYS_INLINE void enclose_first(float_bounds *sum, vf x, vf y)
{
    (void)y;
    sum->high = vf_add(sum->high, x);
    sum->minus_low = vf_sub(sum->minus_low, x);
}

ALWAYS_INLINE void enclose_product(float_bounds *sum, vf x, vf y)
{
    sum->high = vf_fma(x, y, sum->high);
    sum->minus_low = vf_fnma(x, y, sum->minus_low);
}

ALWAYS_INLINE void add_bounds(float_bounds *sum, float_bounds other)
{
    sum->high = vf_add(sum->high, other.high);
    sum->minus_low = vf_add(sum->minus_low, other.minus_low);
}

ALWAYS_INLINE void add_float_bounds(double_bounds *total, float_bounds sum)
{
    total->high = vd_add(total->high, widened_sum(sum.high));
    total->minus_low = vd_add(total->minus_low, widened_sum(sum.minus_low));
}

/* The chains fit the registers and hide the latency of additions. */
enum { BOUNDED_CHAINS = 6, BOUNDED_TURN = BOUNDED_CHAINS * LANES, BOUNDED_TURNS = 64 };

ALWAYS_INLINE void enclose_turns(double_bounds *total, const uint16_t *a, const uint16_t *b,
                                 size_t turns, enclose_term *enclose)
{
    const float_bounds none = {vf_set(0), vf_set(0)};
    float_bounds sum[BOUNDED_CHAINS];
    EACH(k, BOUNDED_CHAINS) sum[k] = none;
    for (size_t i = 0; i < turns; ++i, a += BOUNDED_TURN, b += BOUNDED_TURN) {
        ahead_of(a);
        ahead_of(b);
        EACH(k, BOUNDED_CHAINS) enclose(&sum[k], load(a + k * LANES), load(b + k * LANES));
    }
    EACH(k, BOUNDED_CHAINS / 2) add_bounds(&sum[k], sum[k + BOUNDED_CHAINS / 2]);
    for (int k = 1; k < BOUNDED_CHAINS / 2; ++k)
        add_bounds(&sum[0], sum[k]);
    add_float_bounds(total, sum[0]);
}

/* Adds less than a turn, padded with ones to a vector. */
ALWAYS_INLINE void enclose_rest(double_bounds *total, const uint16_t *a, const uint16_t *b,
                                size_t n, enclose_term *enclose)
{
    float_bounds sum = {vf_set(0), vf_set(0)};
    for (size_t i = 0; i < n; i += LANES)
        enclose(&sum, load_upto(a + i, n - i), load_upto(b + i, n - i));
    add_float_bounds(total, sum);
}

/* Rounds a number between the two if both round to the same half. Zeros have signs that the
 * bounds do not determine, and tiny numbers may be exact although the bounds are not. */
static bool round_between(double low, double high, uint16_t *result, halfcl_rounding mode,
                          unsigned *flags)
{
    unsigned low_flags = 0, high_flags = 0;
    const bool exact = low == high, tiny = low < 0x1p-14 && high > -0x1p-14;
    if (!isfinite(low) || !isfinite(high) || (exact ? low == 0 : tiny))
        return false;
    const uint16_t low_half = halfcl_from_double(low, mode, &low_flags);
    const uint16_t high_half = exact ? low_half : halfcl_from_double(high, mode, &high_flags);
    if (!exact && (low_half != high_half || low_flags != high_flags))
        return false;
    *result = low_half;
    *flags |= low_flags;
    return true;
}

/* Computes bounds of the sum of a number and n terms, of which one is special as soon as a term
 * is. */
ALWAYS_INLINE void enclose_sum(double first, const uint16_t *a, const uint16_t *b, size_t n,
                               enclose_term *enclose, double *low, double *high)
{
    const size_t most = BOUNDED_TURNS * BOUNDED_TURN, rest = n % BOUNDED_TURN;
    double_bounds sum = {vd_set(0), vd_set(0)};
    for (size_t i = 0, count; i < n - rest; i += count) {
        count = n - rest - i < most ? n - rest - i : most;
        enclose_turns(&sum, a + i, b + i, count / BOUNDED_TURN, enclose);
        if (is_special(sum_of_lanes(sum.high)))
            break;
    }
    enclose_rest(&sum, a + n - rest, b + n - rest, rest, enclose);
    const double others = first - ones_added(n);
    *high = sum_of_lanes(sum.high) + others;
    *low = -(sum_of_lanes(sum.minus_low) - others);
}

/* Sets *accumulator to the sum of it and n elements of which one is special. */
static void sum_of_specials(uint16_t *accumulator, const uint16_t *a, size_t n, unsigned *flags)
{
    halfcl_fold_state state = {0};
    note_specials(&state, accumulator, 1);
    note_specials(&state, a, n);
    *accumulator = exact_sum_special(state.seen, flags);
}

/* Sets *accumulator to the sum of it and n elements. */
static bool sum_enclosed(uint16_t *accumulator, const uint16_t *a, size_t n,
                         halfcl_rounding mode, unsigned *flags)
{
    double low, high;
    enclose_sum(float_of_half(*accumulator), a, a, n, enclose_first, &low, &high);
    if (!is_special(high))
        return round_between(low, high, accumulator, mode, flags);
    sum_of_specials(accumulator, a, n, flags);
    return true;
}

/* Computes the sum of n products. */
static bool products_enclosed(const uint16_t *a, const uint16_t *b, size_t n, uint16_t *result,
                              halfcl_rounding mode, unsigned *flags)
{
    double low, high;
    enclose_sum(0, a, b, n, enclose_product, &low, &high);
    if (!is_special(high))
        return round_between(low, high, result, mode, flags);
    *result = sum_of_special_products(a, b, n, flags);
    return true;
}

/* For vocabularies that use the processor's rounding mode. */
#define SUM_BY_BOUNDS (HAVE_FMA ? sum_enclosed : NULL)

#endif
