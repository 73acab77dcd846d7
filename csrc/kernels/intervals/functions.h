/* Functions of intervals: the function at two points, rounded outward as in arithmetic.h.
 *
 * Rounding is monotonic, so that, rounding up, the greatest of several values gives the
 * greatest rounded value: values that round correctly (name##_at, see by_table.h) are compared
 * as they are, and rounded once. */
#ifndef HALFCL_KERNELS_INTERVALS_FUNCTIONS_H
#define HALFCL_KERNELS_INTERVALS_FUNCTIONS_H

#include "kernels/functions/exp_log.h"
#include "kernels/functions/gamma_erf.h"
#include "kernels/functions/hyperbolic.h"
#include "kernels/functions/inverse_trig.h"
#include "kernels/functions/roots.h"
#include "kernels/functions/trig.h"
#include "kernels/intervals/arithmetic.h"

typedef vf value_at(vf x, const halfcl_table *table, halfcl_rounding mode);

/* ---------------------------------------------------------------- monotone functions */

/* Even functions rise from 0 on. */
typedef enum { RISING, FALLING, EVEN } trend;

/* The domain of a function: from first to last among the halves; and its limits there, from
 * least to greatest. At an open end these two differ. */
typedef struct {
    float least, first, last, greatest;
} domain;

#define BEFORE_1 (1 - 0x1p-11f)
#define ALL_NUMBERS ((domain){-INFINITY, -INFINITY, INFINITY, INFINITY})
#define POSITIVE ((domain){0, 0x1p-24f, INFINITY, INFINITY})
#define NOT_NEGATIVE ((domain){0, 0, INFINITY, INFINITY})
#define ABOVE_MINUS_1 ((domain){-1, -BEFORE_1, INFINITY, INFINITY})
#define FROM_1 ((domain){1, 1, INFINITY, INFINITY})
#define UP_TO_1 ((domain){-1, -1, 1, 1})
#define BELOW_1 ((domain){-1, -BEFORE_1, BEFORE_1, 1})

typedef struct {
    value_at *at;
    const halfcl_table *table;
    trend trend;
    domain domain;
} monotone;

ALWAYS_INLINE interval magnitudes(interval x)
{
    vf least = vf_max(x.low, minus(x.high));
    return (interval){vf_max(vf_set(0), least), vf_max(minus(x.low), x.high)}; /* NaNs stay */
}

/* Returns the part of x inside the domain. A bound of 0 is +0: poles have the sign of zeros. */
ALWAYS_INLINE interval clip_to_domain(interval x, const domain *d, vm *empty)
{
    if (d->first > -INFINITY) {
        *empty = vm_not(vf_less_equal(vf_set(d->first), x.high));
        x.low = vf_max(x.low, vf_set(d->least));
    }
    if (d->last < INFINITY) {
        *empty = vm_or(*empty, vm_not(vf_less_equal(x.low, vf_set(d->last))));
        x.high = vf_min(x.high, vf_set(d->greatest));
    }
    return x;
}

/* Functions with a domain stay in half's range except at their poles. A value beyond it rounds
 * down to the largest half, infinite or not. */
ALWAYS_INLINE range monotone_range(interval x, const void *function, halfcl_rounding mode)
{
    const monotone *f = function;
    vm empty = vm_none();
    x = clip_to_domain(x, &f->domain, &empty);
    if (f->trend == EVEN)
        x = magnitudes(x);
    vf least = f->at(f->trend == FALLING ? x.high : x.low, f->table, mode);
    vf greatest = f->at(f->trend == FALLING ? x.low : x.high, f->table, mode);
    if (f->domain.first > -INFINITY)
        return set_empty(empty, (range){minus(least), greatest});
    return (range){minus(vf_min(vf_set(0x1p17f), least)), greatest};
}

ALWAYS_INLINE vf any_at(vf x, const halfcl_table *table, halfcl_rounding mode)
{
    (void)mode;
    return results_for(table, vh_exact(x));
}

/* One loop for all functions that have tables. */
static void monotone_pairs(void *const *args, size_t n, halfcl_rounding mode,
                           const void *function)
{
    monotone f = *(const monotone *)function;
    f.at = any_at;
    each_interval(args, n, mode, monotone_range, &f);
}

AT(abs, NO_TABLE, x)
AT(sqr, NO_TABLE, vf_mul(x, x))
AT(sqrt, NO_TABLE, vf_sqrt(x))

#define MONOTONE_FUNCTIONS(F)                                                                  \
    F(abs, EVEN, ALL_NUMBERS)                                                                  \
    F(sqr, EVEN, ALL_NUMBERS)                                                                  \
    F(sqrt, RISING, NOT_NEGATIVE)                                                              \
    F(cbrt, RISING, ALL_NUMBERS)                                                               \
    F(rsqrt, FALLING, POSITIVE)                                                                \
    F(exp, RISING, ALL_NUMBERS)                                                                \
    F(exp2, RISING, ALL_NUMBERS)                                                               \
    F(exp10, RISING, ALL_NUMBERS)                                                              \
    F(expm1, RISING, ALL_NUMBERS)                                                              \
    F(log, RISING, POSITIVE)                                                                   \
    F(log2, RISING, POSITIVE)                                                                  \
    F(log10, RISING, POSITIVE)                                                                 \
    F(log1p, RISING, ABOVE_MINUS_1)                                                            \
    F(asin, RISING, UP_TO_1)                                                                   \
    F(acos, FALLING, UP_TO_1)                                                                  \
    F(atan, RISING, ALL_NUMBERS)                                                               \
    F(asinpi, RISING, UP_TO_1)                                                                 \
    F(acospi, FALLING, UP_TO_1)                                                                \
    F(atanpi, RISING, ALL_NUMBERS)                                                             \
    F(sinh, RISING, ALL_NUMBERS)                                                               \
    F(cosh, EVEN, ALL_NUMBERS)                                                                 \
    F(tanh, RISING, ALL_NUMBERS)                                                               \
    F(asinh, RISING, ALL_NUMBERS)                                                              \
    F(acosh, RISING, FROM_1)                                                                   \
    F(atanh, RISING, BELOW_1)                                                                  \
    F(erf, RISING, ALL_NUMBERS)                                                                \
    F(erfc, FALLING, ALL_NUMBERS)

/* Defines a kernel by the function itself, or by its table. */
#define FUNCTION_KERNEL(name, type, op, pairs, ...)                                            \
    static void name##_pairs(void *const *args, size_t n, halfcl_rounding mode,                \
                             const void *function)                                             \
    {                                                                                          \
        const type f = {name##_at, NULL, __VA_ARGS__};                                         \
        (void)function;                                                                        \
        each_interval(args, n, mode, op, &f);                                                  \
    }                                                                                          \
    static unsigned interval_##name(void *const *args, size_t n, halfcl_rounding mode)         \
    {                                                                                          \
        if (name##_TABLE == NO_TABLE)                                                          \
            return map_pairs(args, 2, n, mode, name##_pairs, NULL);                            \
        const halfcl_table table = halfcl_table_of((halfcl_function)name##_TABLE);             \
        const type f = {NULL, &table, __VA_ARGS__};                                            \
        return map_pairs(args, 2, n, mode, pairs, &f);                                         \
    }

#define MONOTONE_KERNEL(name, trend, domain)                                                   \
    FUNCTION_KERNEL(name, monotone, monotone_range, monotone_pairs, trend, domain)
MONOTONE_FUNCTIONS(MONOTONE_KERNEL)

/* ---------------------------------------------------------------- periodic functions */

/* Returns the quarter of a turn in which x lies: floor(2 x / pi), in the last bits, or far
 * below or above all quarters if x is infinite. The relative error of the product in double is
 * less than 2^-51, however it is rounded. No half but 0 is nearer to a multiple of pi / 2 than
 * 2^-29 of it (54304 is the nearest one). So the product is on the same side of every integer
 * as the quotient, and stays there when rounded to odd. */
ALWAYS_INLINE vi quarter_of_radians(vf x)
{
    vd scale = vd_set(0.63661977236758134308);
    vf quarters = vf_join_odd(vd_mul(vd_low(x), scale), vd_mul(vd_high(x), scale));
    return vf_bits(vf_add(vf_floor(quarters), vf_set(INTEGER_SHIFT)));
}

/* Returns the quarter for half turns: floor(2 x), exactly. */
ALWAYS_INLINE vi quarter_of_half_turns(vf x)
{
    return vf_bits(vf_add(vf_floor(vf_add(x, x)), vf_set(INTEGER_SHIFT)));
}

typedef enum { RADIANS, HALF_TURNS } unit;

/* Returns the index of the monotonic piece of the function in which a bound lies. */
ALWAYS_INLINE vi piece_of(vf x, unit unit, int phase)
{
    vi quarter = unit == RADIANS ? quarter_of_radians(x) : quarter_of_half_turns(x);
    return vi_shift_right(vi_add(quarter, vi_set(phase)), 1);
}

/* Values between -1 and 1; the function rises in pieces with an odd number. */
typedef struct {
    value_at *at;
    const halfcl_table *table;
    unit unit;
    int phase;
} wave;

enum { SINE = 3, COSINE = 0 };

/* Counts the ends of pieces inside: one is a maximum if the first piece rises, a minimum if it
 * falls; two or more are both. */
ALWAYS_INLINE range wave_range(interval x, const void *function, halfcl_rounding mode)
{
    const wave *f = function;
    interval finite = replace_infinity(x);
    vi first = piece_of(finite.low, f->unit, f->phase);
    vi last = piece_of(finite.high, f->unit, f->phase);
    vi rises = vi_and(first, vi_set(1)), ends = vi_sub(last, first);
    vm has_minimum = vi_less(rises, ends);
    vm has_maximum = vi_less(vi_set(1), vi_add(ends, rises));
    vf one = vf_set(1);
    vf start = f->at(x.low, f->table, mode), end = f->at(x.high, f->table, mode);
    range r = {vf_select(has_minimum, one, minus(vf_min(start, end))),
               vf_select(has_maximum, one, vf_max(start, end))};
    return set_empty(interval_is_empty(x), r);
}

static void wave_pairs(void *const *args, size_t n, halfcl_rounding mode, const void *function)
{
    wave f = *(const wave *)function;
    f.at = any_at;
    each_interval(args, n, mode, wave_range, &f);
}

#define PERIODIC_FUNCTIONS(F)                                                                  \
    F(sin, RADIANS, SINE)                                                                      \
    F(cos, RADIANS, COSINE)                                                                    \
    F(sinpi, HALF_TURNS, SINE)                                                                 \
    F(cospi, HALF_TURNS, COSINE)

#define WAVE_KERNEL(name, unit, phase)                                                         \
    FUNCTION_KERNEL(name, wave, wave_range, wave_pairs, unit, phase)
PERIODIC_FUNCTIONS(WAVE_KERNEL)

/* Returns all numbers if a pole is inside. */
ALWAYS_INLINE range tan_range(interval x, const void *table, halfcl_rounding mode)
{
    (void)mode;
    interval finite = replace_infinity(x);
    vi first = piece_of(finite.low, RADIANS, SINE);
    vi last = piece_of(finite.high, RADIANS, SINE);
    vf inf = vf_set(INFINITY);
    vm alone = vi_equal(first, last);
    range r = {vf_select(alone, minus(results_for(table, vh_exact(x.low))), inf),
               vf_select(alone, results_for(table, vh_exact(x.high)), inf)};
    return set_empty(interval_is_empty(x), r);
}

/* Poles are halves: one at the lower bound belongs to the piece before, and one at the upper
 * bound to the piece after, so they are not inside. Adding 1/2 is exact. */
ALWAYS_INLINE range tanpi_range(interval x, const void *table, halfcl_rounding mode)
{
    (void)mode;
    vf half = vf_set(0.5f), inf = vf_set(INFINITY), minus_inf = vf_set(-INFINITY);
    vf first = vf_floor(vf_add(x.low, half)), last = vf_ceil(vf_sub(x.high, half));
    vf start = results_for(table, vh_exact(x.low)), end = results_for(table, vh_exact(x.high));
    vm pole = vf_less(first, last), nothing = vf_less(last, first);
    vm at_start = vm_or(pole, vf_equal(start, inf)),
       at_end = vm_or(pole, vf_equal(end, minus_inf));
    range r = {vf_select(at_start, inf, minus(start)), vf_select(at_end, inf, end)};
    return set_empty(vm_or(nothing, interval_is_empty(x)), r);
}

INTERVAL_KERNEL(interval_tan, 2, each_interval(args, n, mode, tan_range, function),
                (const halfcl_table[]){halfcl_table_of(FUNCTION_tan)})
INTERVAL_KERNEL(interval_tanpi, 2, each_interval(args, n, mode, tanpi_range, function),
                (const halfcl_table[]){halfcl_table_of(FUNCTION_tanpi)})

/* ---------------------------------------------------------------- rows */

#define FUNCTION_ROW(name, ...) INTERVAL_UNARY("interval_" #name, interval_##name)
#define INTERVAL_FUNCTION_KERNELS                                                              \
    MONOTONE_FUNCTIONS(FUNCTION_ROW)                                                           \
    PERIODIC_FUNCTIONS(FUNCTION_ROW)                                                           \
    INTERVAL_UNARY("interval_tan", interval_tan)                                               \
    INTERVAL_UNARY("interval_tanpi", interval_tanpi)

#endif
