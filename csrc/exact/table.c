#include "exact/table.h"

#include <stdatomic.h>

typedef enum { NO, ODD, EVEN } symmetry;

typedef struct {
    dd (*value)(double);
    symmetry symmetry;
} row;

#define ROW(name, symmetry) [FUNCTION_##name] = {dd_##name, symmetry},
static const row rows[FUNCTIONS] = {HALFCL_FUNCTIONS(ROW)};
#undef ROW

/* Of functions that would take long: in double, with a bound of the error. NaN where there is
 * no such bound, as for all exact results. */
typedef double estimate(double x, double *error);
static estimate *const estimates[FUNCTIONS] = {[FUNCTION_lgamma] = halfcl_lgamma_estimate};

/* Filled by whoever asks first. Threads that ask at once each fill it, with the same
 * values: no lock, so nothing that a fork could leave locked. */
static _Atomic uint32_t tables[FUNCTIONS][HALVES];
static atomic_bool filled[FUNCTIONS];

/* To odd. Magnitudes beyond 2^100 and below 2^-100 become these, which half cannot tell
 * from them and float can hold. */
static float round_dd_to_odd(dd v)
{
    const uint64_t cut = ((uint64_t)1 << 29) - 1;
    double size = fabs(v.hi);
    if (isnan(v.hi) || isinf(v.hi) || size == 0)
        return (float)v.hi;
    if (size > 0x1p100 || size < 0x1p-100)
        return (float)copysign(size < 1 ? 0x1p-100 : 0x1p100, v.hi);
    uint64_t bits = bits_of_double(v.hi);
    if (v.lo != 0 && (v.lo < 0) != (v.hi < 0))
        bits--; /* hi is beyond the value, so that the value is cut off to one less */
    bool inexact = v.lo != 0 || (bits & cut) != 0;
    return (float)double_of_bits((bits & ~cut) | (uint64_t)inexact << 29);
}

/* What all numbers within error of y round to, or NaN if they differ. */
static float round_estimate_to_odd(double y, double error)
{
    float low = round_dd_to_odd(dd_of(y - error)), high = round_dd_to_odd(dd_of(y + error));
    return low == high ? low : NAN;
}

static uint32_t entry(halfcl_function id, uint16_t half)
{
    double x = halfcl_to_float(half), error = 0;
    if (half_is_nan(half))
        return bits_of_float(NAN);
    float result = estimates[id] ? round_estimate_to_odd(estimates[id](x, &error), error) : NAN;
    return bits_of_float(isnan(result) ? round_dd_to_odd(rows[id].value(x)) : result);
}

static void fill(halfcl_function id)
{
    const row *function = &rows[id];
    const uint32_t minus = 0x80000000, flip = function->symmetry == ODD ? minus : 0;
    halfcl_env env;
    halfcl_enter(&env, HALFCL_RTE);
    for (uint32_t half = 0; half < HALVES; half++) {
        uint32_t bits = half >= HALF_SIGN && function->symmetry != NO
                            ? tables[id][half - HALF_SIGN] ^ flip
                            : entry(id, (uint16_t)half);
        atomic_store_explicit(&tables[id][half], bits, memory_order_relaxed);
    }
    halfcl_leave(&env);
}

const float *halfcl_table(halfcl_function id)
{
    if (!atomic_load_explicit(&filled[id], memory_order_acquire)) {
        fill(id);
        atomic_store_explicit(&filled[id], true, memory_order_release);
    }
    return (const float *)tables[id];
}

const float *halfcl_sincos_table(void)
{
    static _Alignas(2 * sizeof(float)) _Atomic uint32_t pairs[HALVES][2];
    static atomic_bool pairs_filled;
    if (!atomic_load_explicit(&pairs_filled, memory_order_acquire)) {
        const float *sines = halfcl_table(FUNCTION_sin), *cosines = halfcl_table(FUNCTION_cos);
        for (uint32_t half = 0; half < HALVES; half++) {
            uint32_t sine = bits_of_float(sines[half]), cosine = bits_of_float(cosines[half]);
            atomic_store_explicit(&pairs[half][0], sine, memory_order_relaxed);
            atomic_store_explicit(&pairs[half][1], cosine, memory_order_relaxed);
        }
        atomic_store_explicit(&pairs_filled, true, memory_order_release);
    }
    return (const float *)pairs;
}

/* Of a function whose arguments are NaNs, infinite or signalling as said. */
static unsigned special_flags(float result, bool any_nan, bool any_infinite,
                              bool any_signalling)
{
    unsigned flags = any_signalling ? HALFCL_INVALID : 0;
    if (isnan(result) && !any_nan)
        flags |= HALFCL_INVALID;
    if (isinf(result) && !any_infinite)
        flags |= HALFCL_DIVBYZERO;
    return flags;
}

unsigned halfcl_table_flags(halfcl_function id, uint16_t half)
{
    bool infinite = (half & HALF_MAGNITUDE) == HALF_INF;
    return special_flags(halfcl_table(id)[half], half_is_nan(half), infinite,
                         half_is_signalling(half));
}

float halfcl_evaluate(halfcl_dd_binary *f, uint16_t x, uint16_t y, unsigned *flags)
{
    bool any_nan = half_is_nan(x) || half_is_nan(y);
    bool any_infinite = (x & HALF_MAGNITUDE) == HALF_INF || (y & HALF_MAGNITUDE) == HALF_INF;
    float result = NAN;
    if (!any_nan) {
        halfcl_env env;
        halfcl_enter(&env, HALFCL_RTE);
        result = round_dd_to_odd(f(halfcl_to_float(x), halfcl_to_float(y)));
        halfcl_leave(&env);
    }
    *flags |= special_flags(result, any_nan, any_infinite,
                            half_is_signalling(x) || half_is_signalling(y));
    return result;
}

float halfcl_evaluate_power(halfcl_dd_power *f, uint16_t x, int32_t n, unsigned *flags)
{
    float result = NAN;
    if (!half_is_nan(x)) {
        halfcl_env env;
        halfcl_enter(&env, HALFCL_RTE);
        result = round_dd_to_odd(f(halfcl_to_float(x), n));
        halfcl_leave(&env);
    }
    bool infinite = (x & HALF_MAGNITUDE) == HALF_INF;
    *flags |= special_flags(result, half_is_nan(x), infinite, half_is_signalling(x));
    return result;
}
