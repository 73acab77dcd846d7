/* Numbers at even distances, start + i * step, as doubles that round to half like the exact
 * ones. */
#include <math.h>

#include "env/env.h"
#include "exact/doubledouble/dd.h"
#include "format/fma.h"
#include "format/rounding_test.h"
#include "halfcl.h"

/* Returns the sum, truncated with a sticky last bit, so that a later rounding is correct. */
static double sum_to_odd(double a, double b)
{
    const dd sum = dd_two_sum(a, b);
    uint64_t bits = bits_of_double(sum.hi);
    if (sum.lo != 0 && isfinite(sum.hi) && !(bits & 1))
        bits += (sum.lo > 0) == (sum.hi > 0) ? 1 : UINT64_MAX;
    return double_of_bits(bits);
}

/* Boldo and Melquiond's algorithm. */
double halfcl_multiply_add_to_odd(double x, double y, double z)
{
    const double product = x * y;
    const dd low = dd_two_sum(z, halfcl_fma(x, y, -product)),
             high = dd_two_sum(product, low.hi);
    return isfinite(high.hi) ? sum_to_odd(high.hi, sum_to_odd(low.lo, high.lo)) : high.hi;
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

/* Returns the differences of the first 12 bits, and of the exponents, within an error. */
static inline uint64_t short_bits_apart(double x, double error)
{
    return (bits_of_double(x - error) ^ bits_of_double(x + error)) >> REST_OF_SHORT;
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
        differences |= short_bits_apart(to[i], error);
    for (size_t i = 0; i < n && (differences != 0 || (exactly && !are_exact)); i++)
        if (exactly || short_bits_apart(to[i], error) != 0)
            to[i] = halfcl_multiply_add_to_odd((double)(first + i), step, start);
    halfcl_leave(&env);
}
