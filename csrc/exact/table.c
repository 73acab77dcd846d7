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

/* A fast estimate in double of a function that is slow otherwise, with a bound of its error. It
 * is NaN where there is no such bound, as for all exact results. */
typedef double estimate(double x, double *error);
static estimate *const estimates[FUNCTIONS] = {[FUNCTION_lgamma] = halfcl_lgamma_estimate};

typedef _Atomic uint32_t entry;

/* Threads that need an entry at the same time write the same value: so there is no lock that a
 * fork could leave locked. The first call sets all entries to MISSING: `started`. */
static entry tables[FUNCTIONS][HALVES];
static _Alignas(8) entry sincos_table[HALVES / 2][2];
static atomic_bool started[FUNCTIONS + 1];
enum { SINCOS = FUNCTIONS };

/* Rounds to odd. Magnitudes beyond 2^100 and below 2^-100 are clamped: to half they round
 * alike, and float can hold these. */
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
        bits--; /* hi is beyond the value, so the truncated value is one less */
    bool inexact = v.lo != 0 || (bits & cut) != 0;
    return (float)double_of_bits((bits & ~cut) | (uint64_t)inexact << 29);
}

/* Returns the float that all numbers within error of y round to, or NaN if they differ. */
static float round_estimate_to_odd(double y, double error)
{
    float low = round_dd_to_odd(dd_of(y - error)), high = round_dd_to_odd(dd_of(y + error));
    return low == high ? low : NAN;
}

static uint32_t entry_bits(halfcl_function id, uint16_t half)
{
    double x = halfcl_to_float(half), error = 0;
    if (half_is_nan(half))
        return bits_of_float(NAN);
    float result = estimates[id] ? round_estimate_to_odd(estimates[id](x, &error), error) : NAN;
    return bits_of_float(isnan(result) ? round_dd_to_odd(rows[id].value(x)) : result);
}

static void put(entry *to, uint32_t bits)
{
    atomic_store_explicit(to, bits, memory_order_relaxed);
}

static bool is_missing(const entry *at)
{
    return atomic_load_explicit(at, memory_order_relaxed) == (uint32_t)HALFCL_MISSING;
}

/* Returns HALVES entries from `first` on, after setting them to MISSING in the first call. */
static const float *prepare_table(int table, entry *first)
{
    if (!atomic_load_explicit(&started[table], memory_order_acquire)) {
        for (uint32_t k = 0; k < HALVES; k++)
            put(first + k, (uint32_t)HALFCL_MISSING);
        atomic_store_explicit(&started[table], true, memory_order_release);
    }
    return (const float *)first;
}

halfcl_table halfcl_table_of(halfcl_function id)
{
    return (halfcl_table){prepare_table((int)id, tables[id]), id};
}

const float *halfcl_sincos_table(void)
{
    return prepare_table(SINCOS, sincos_table[0]);
}

static void enter(halfcl_function id, uint16_t half)
{
    const symmetry symmetry = rows[id].symmetry;
    const uint16_t place = symmetry == NO ? half : half & HALF_MAGNITUDE;
    const uint32_t minus = 0x80000000, bits = entry_bits(id, place);
    put(&tables[id][place], bits);
    if (symmetry != NO)
        put(&tables[id][place | HALF_SIGN], symmetry == ODD ? bits ^ minus : bits);
}

void halfcl_fill_table(halfcl_function id, const uint16_t *halves, size_t n)
{
    halfcl_env env;
    halfcl_enter(&env, HALFCL_RTE);
    for (size_t i = 0; i < n; i++) {
        if (is_missing(&tables[id][halves[i]]))
            enter(id, halves[i]);
    }
    halfcl_leave(&env);
}

void halfcl_fill_sincos_table(const uint16_t *halves, size_t n)
{
    halfcl_env env;
    halfcl_enter(&env, HALFCL_RTE);
    for (size_t i = 0; i < n; i++) {
        const uint16_t size = halves[i] & HALF_MAGNITUDE;
        entry *pair = sincos_table[size];
        if (is_missing(&pair[0]) || is_missing(&pair[1])) {
            put(&pair[0], entry_bits(FUNCTION_sin, size));
            put(&pair[1], entry_bits(FUNCTION_cos, size));
        }
    }
    halfcl_leave(&env);
}

float halfcl_function_at(halfcl_function id, uint16_t half)
{
    halfcl_table_of(id);
    halfcl_fill_table(id, &half, 1);
    return float_of_bits(atomic_load_explicit(&tables[id][half], memory_order_relaxed));
}

void halfcl_forget_tables(void)
{
    for (int table = 0; table <= SINCOS; table++)
        atomic_store_explicit(&started[table], false, memory_order_relaxed);
}

/* Returns the flags of a function that has a NaN, infinite or signalling argument, as the
 * parameters say. */
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

unsigned halfcl_function_flags(halfcl_function id, uint16_t half)
{
    bool infinite = (half & HALF_MAGNITUDE) == HALF_INF;
    return special_flags(halfcl_function_at(id, half), half_is_nan(half), infinite,
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
