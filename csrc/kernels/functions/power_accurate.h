/* Powers and roots one at a time: the slow path, and the accurate phase before it. */
#ifndef HALFCL_KERNELS_FUNCTIONS_POWER_ACCURATE_H
#define HALFCL_KERNELS_FUNCTIONS_POWER_ACCURATE_H

#include <math.h>

#include "exact/table.h"
#include "kernels/functions/accurate.h"

/* The slow path, in double-double arithmetic. */

static bool is_one(uint16_t x, uint16_t y)
{
    return x == HALF_ONE || (y & HALF_MAGNITUDE) == 0;
}

/* 1^y and x^0 are 1, for NaNs too; signalling ones still raise invalid. */
static float pow_slow_path(uint16_t x, uint16_t y, unsigned *flags)
{
    float result = halfcl_evaluate(dd_pow, x, y, flags);
    return is_one(x, y) ? 1 : result;
}

static float powr_slow_path(uint16_t x, uint16_t y, unsigned *flags)
{
    return halfcl_evaluate(dd_powr, x, y, flags);
}

/* x^0 is 1, for a NaN too. */
static float pown_slow_path(uint16_t x, int32_t n, unsigned *flags)
{
    float result = halfcl_evaluate_power(dd_pown, x, n, flags);
    return n == 0 ? 1 : result;
}

static float rootn_slow_path(uint16_t x, int32_t n, unsigned *flags)
{
    return halfcl_evaluate_power(dd_rootn, x, n, flags);
}

/* (1 + x)^0 is 1, for a NaN too. */
static float compoundn_slow_path(uint16_t x, int32_t n, unsigned *flags)
{
    float result = halfcl_evaluate_power(dd_compoundn, x, n, flags);
    return n == 0 && half_is_nan(x) ? 1 : result;
}

/* The accurate phase, in double. */

/* size^y, if a few operations with at most one rounding give it. */
static double short_power_in_double(double size, double y, bool *exact_case)
{
    double steps = fabs(y);
    if (y == 0.5) {
        *exact_case = true;
        return sqrt_in_double(size);
    }
    if (steps > 4 || steps != rint(steps))
        return NAN;
    double square = (steps >= 1 ? size : 1) * (steps >= 2 ? size : 1);
    double power = square * ((steps >= 3 ? size : 1) * (steps >= 4 ? size : 1));
    bool power_of_two = bits_of_double(power) << 12 == 0;
    *exact_case = y >= 0 || power_of_two;
    return y < 0 ? 1 / power : power;
}

static bool is_odd(double integer)
{
    return rint(integer / 2) != integer / 2;
}

static double pow_accurate(double x, double y, bool *exact_case)
{
    if (!isfinite(x) || !isfinite(y) || (x < 0 && y != rint(y)))
        return NAN;
    if (x == 0) {
        *exact_case = y > 0;
        return y > 0 && y == rint(y) && is_odd(y) ? x : 0;
    }
    double size = fabs(x), power = short_power_in_double(size, y, exact_case);
    if (isnan(power)) {
        double t = y * log2_in_double(size);
        bool beyond = fabs(t) > 100; /* half's range */
        power = exp2_in_double(beyond ? copysign(100, t) : t);
        *exact_case = beyond || t == 0; /* 0 only if size is 1 */
    }
    return x < 0 && is_odd(y) ? -power : power;
}

static double powr_accurate(double x, double y, bool *exact_case)
{
    return x < 0 ? NAN : pow_accurate(fabs(x), y, exact_case);
}

/* The sum is exact, but has up to 25 bits: its third and fourth powers may be rounded twice. */
static double compoundn_accurate(double x, double n, bool *exact_case)
{
    double power = x < -1 ? NAN : pow_accurate(1 + x, n, exact_case);
    *exact_case &= fabs(n) < 3 || fabs(n) > 4;
    return power;
}

/* The n-th root of size, if it is exact or accurate as that of sqrt_in_double. */
static double short_root_in_double(double size, double n, bool *exact_case)
{
    *exact_case = n == 1 || n == 2;
    return n == 1 ? size : n == 2 ? sqrt_in_double(size) : NAN;
}

static double rootn_accurate(double x, double n, bool *exact_case)
{
    if (!isfinite(x) || x == 0 || n == 0 || (x < 0 && !is_odd(n)))
        return NAN;
    double size = fabs(x), root = short_root_in_double(size, n, exact_case);
    if (isnan(root)) {
        root = exp2_in_double(log2_in_double(size) / n);
        double shorter = (float)root; /* the only one that may be exact */
        *exact_case = n == 3 && shorter * shorter * shorter == size;
        root = *exact_case ? shorter : root;
    }
    return x < 0 ? -root : root;
}

#endif
