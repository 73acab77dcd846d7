/* Numbers at even distances, start + i * step, as doubles that round to half like the exact
 * ones. */
#include <math.h>

#include "env/env.h"
#include "format/fma.h"
#include "format/half.h"
#include "halfcl.h"

enum { REST = 41 }; /* bits of a double after the 12 of a half or a midpoint of two */

/* Returns the sum, truncated with a sticky last bit, so that a later rounding is correct. */
static double sum_to_odd(double a, double b)
{
    double sum = a + b;
    const double part = sum - a, error = (a - (sum - part)) + (b - part);
    uint64_t bits = bits_of_double(sum);
    if (error != 0 && isfinite(sum) && !(bits & 1)) {
        bits += (error > 0) == (sum > 0) ? 1 : UINT64_MAX;
        sum = double_of_bits(bits);
    }
    return sum;
}

/* Boldo and Melquiond's algorithm. */
double halfcl_multiply_add_to_odd(double x, double y, double z)
{
    const double product = x * y, error = halfcl_fma(x, y, -product), low = z + error;
    double part = low - z;
    const double low_error = (z - (low - part)) + (error - part), high = product + low;
    if (!isfinite(high))
        return high;
    part = high - product;
    return sum_to_odd(high, sum_to_odd(low_error, (product - (high - part)) + (low - part)));
}

/* Returns the exponent of the last bit that is set in one of two finite numbers. */
static int least_exponent(double x, double y)
{
    int least = 0;
    const double numbers[] = {x, y};
    for (int i = 0; i < 2; i++) {
        int exponent;
        const uint64_t digits = (uint64_t)ldexp(fabs(frexp(numbers[i], &exponent)), 53);
        if (digits != 0 && exponent - 53 + __builtin_ctzll(digits) < least)
            least = exponent - 53 + __builtin_ctzll(digits);
    }
    return least;
}

void halfcl_even_numbers(double *to, double start, double step, size_t first, size_t n,
                         bool exactly)
{
    const double end = fabs(start) + (double)(first + n) * fabs(step), i0 = (double)first;
    const double error = end * 0x1p-50; /* four times the largest */
    const int unit = isfinite(end) ? least_exponent(start, step) : 0;
    const bool are_exact = isfinite(end) && end < ldexp(1, unit + 53);
    uint64_t differences = 0;
    halfcl_env env;
    halfcl_enter(&env, HALFCL_RTE);
    start += 0.0; /* a range begins with +0, whatever the signs */
    for (int i = 0; i < (int)n; i++)
        to[i] = start + (i0 + i) * step;
    for (int i = 0; i < (int)n && !are_exact; i++)
        differences |= (bits_of_double(to[i] - error) ^ bits_of_double(to[i] + error)) >> REST;
    for (size_t i = 0; i < n && (differences != 0 || (exactly && !are_exact)); i++)
        if (exactly ||
            (bits_of_double(to[i] - error) ^ bits_of_double(to[i] + error)) >> REST != 0)
            to[i] = halfcl_multiply_add_to_odd((double)(first + i), step, start);
    halfcl_leave(&env);
}
