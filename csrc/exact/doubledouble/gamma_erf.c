/* The error and gamma functions.
 *
 * Only the values marked as exact below are exact. It is not proven for every half that the
 * others are irrational, but according to MPFR none is closer than 2^-37, relatively, to a
 * number at which half rounds, except where erf and erfc saturate. */
#include "exact/doubledouble/constants.h"
#include "exact/doubledouble/elementary.h"
#include "exact/doubledouble/functions.h"

#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))

/* Returns how many terms of a power series, whose coefficients are at most about 1, exceed
 * 2^-100 at x, up to the number available. */
static int terms_at(double x, int available)
{
    int exponent;
    frexp(x, &exponent);
    int enough = exponent < 0 ? 100 / -exponent + 1 : available;
    return enough < available ? enough : available;
}

/* erf and erfc: from 4 on erfc is little more than a quarter of the least half. */
static const double ERF_SMALL = 2.5, ERF_LARGE = 4;

/* The Maclaurin series of erf, for |x| < ERF_SMALL. It alternates, with terms up to 2^5, while
 * 1 - erf falls to 2^-12: the error stays below 2^-83, relatively to either. The first omitted
 * term is 2^-102. */
static dd erf_series(double x)
{
    int n = terms_at(x * x, LENGTH(ERF_SERIES));
    dd series = dd_series(dd_of(x * x), ERF_SERIES, n, n);
    return dd_mul_d(series, x);
}

/* erfc for ERF_SMALL <= x < ERF_LARGE: the Taylor series around the middle. Its terms are up to
 * 2^13 times the result: the error stays below 2^-87. The omitted terms add up to 2^-94 of the
 * result. */
static dd erfc_series(double x)
{
    const int n = LENGTH(ERFC_SERIES);
    return dd_series(dd_of(x - 3.25), ERFC_SERIES, n, n);
}

static dd one_minus(dd a)
{
    return dd_add_d(dd_neg(a), 1);
}

/* erfc for x > 0 */
static dd positive_erfc(double x)
{
    if (x >= ERF_LARGE)
        return dd_inexact(dd_of(0x1p-60));
    return x < ERF_SMALL ? one_minus(erf_series(x)) : erfc_series(x);
}

dd dd_erf(double x)
{
    if (x == 0 || isinf(x))
        return dd_of(x == 0 ? x : copysign(1, x));
    if (fabs(x) < ERF_SMALL)
        return dd_inexact(erf_series(x));
    dd size = one_minus(positive_erfc(fabs(x)));
    return x < 0 ? dd_neg(size) : size;
}

dd dd_erfc(double x)
{
    if (x == 0 || isinf(x))
        return dd_of(x == 0 ? 1 : x < 0 ? 2 : 0);
    if (x > 0)
        return dd_inexact(positive_erfc(x));
    return dd_inexact(dd_add_d(dd_neg(positive_erfc(-x)), 2));
}

/* gamma, whose poles are the integers from 0 down, and log |gamma|. Below -14 gamma is less
 * than 2^-33, however close to a pole a half is. */
static const double GAMMA_BOUND = 14;

/* 1 / gamma(x) for |x| <= GAMMA_BOUND, from its Taylor series around 1, which converges
 * everywhere: with x = 1 + steps + u, |u| <= 1/2, and gamma(x + 1) = x gamma(x). The factors u
 * + step are exact. The last third of the terms is below 2^-55, so that doubles are enough. */
static dd inverse_gamma(double x)
{
    double steps = rint(x - 1), u = x - 1 - steps;
    int n = terms_at(u, LENGTH(INVERSE_GAMMA_SERIES));
    dd result = dd_series(dd_of(u), INVERSE_GAMMA_SERIES, 2 * n / 3 + 1, n), factors = dd_of(1);
    for (double step = 0; step > steps; --step)
        result = dd_mul_d(result, u + step);
    for (double step = 1; step <= steps; ++step)
        factors = dd_mul_d(factors, u + step);
    return steps > 0 ? dd_div(result, factors) : result;
}

static double factorial(double n)
{
    return n > 1 ? n * factorial(n - 1) : 1;
}

dd dd_tgamma(double x)
{
    bool is_integer = x == rint(x);
    if (x == 0 || isinf(x))
        return dd_of(x == 0 ? 1 / x : x > 0 ? x : NAN);
    if (x < 0 && is_integer)
        return dd_of(NAN);
    if (x > 10 || fabs(x) < 0x1p-16) /* beyond 2^16 */
        return dd_inexact(dd_of(copysign(0x1p30, x)));
    if (x < -GAMMA_BOUND) /* negative between an odd integer and the even one above it */
        return dd_inexact(dd_of(remainder(floor(x), 2) == 0 ? 0x1p-60 : -0x1p-60));
    return is_integer ? dd_of(factorial(x - 1)) : dd_inexact(dd_inverse(inverse_gamma(x)));
}

/* log(gamma(x)) for x >= 14: Stirling's series. The error is less than the first omitted term,
 * 2^-95; from the sixth on they are below 2^-47. */
static dd stirling(double x)
{
    dd inverse = dd_inverse(dd_of(x)), square = dd_mul(inverse, inverse);
    dd series = dd_series(square, STIRLING_SERIES, 5, LENGTH(STIRLING_SERIES));
    dd power = dd_mul_d(dd_log_of(dd_of(x)), x - 0.5);
    dd rest = dd_add_d(dd_add(dd_mul(inverse, series), HALF_LOG_2_PI), -x);
    return dd_add(power, rest);
}

static dd magnitude(dd a)
{
    return a.hi < 0 ? dd_neg(a) : a;
}

/* log |gamma(x)| for x < 8192 that is not a pole. It falls to 2^-17, at -2.457, where the error
 * of gamma, 2^-100, counts that much more. */
static dd lgamma_of(double x)
{
    if (fabs(x) < GAMMA_BOUND)
        return dd_neg(dd_log_of(magnitude(inverse_gamma(x))));
    if (x > 0)
        return stirling(x);
    /* gamma(x) gamma(1 - x) = pi / sin(pi x) */
    dd product = dd_div(PI, magnitude(dd_sinpi(x)));
    return dd_sub(dd_log_of(product), stirling(1 - x));
}

dd dd_lgamma(double x)
{
    if (isinf(x) || (x <= 0 && x == rint(x)))
        return dd_of(INFINITY);
    if (x == 1 || x == 2)
        return dd_of(0);
    if (x >= 8192) /* beyond 2^16 */
        return dd_inexact(dd_of(0x1p30));
    return dd_inexact(lgamma_of(x));
}

/* lgamma in double, where it is neither infinite nor exact. */

static double series_in_double(double x, const dd *c, int n)
{
    double sum = c[n - 1].hi;
    for (int i = n - 2; i >= 0; --i)
        sum = sum * x + c[i].hi;
    return sum;
}

/* log x for a normal x > 0, computed as in dd_log_of. */
static double log_in_double(double x)
{
    uint64_t bits = bits_of_double(x);
    int64_t exponent = (int64_t)(bits - bits_of_double(0.7071)) >> 52;
    double m = double_of_bits(bits - ((uint64_t)exponent << 52)), k = rint(64 / m);
    double far = (double)exponent * LOG_2.hi - LOG_64THS[(int)k - 45].hi;
    double z = m * (k / 64) - 1, s = z / (2 + z);
    return far + 2 * s * series_in_double(s * s, INVERSE_ODD, 5);
}

/* For |x| < GAMMA_BOUND, computed as in inverse_gamma. */
static double small_lgamma_in_double(double x)
{
    double steps = rint(x - 1), u = x - 1 - steps, factors = 1;
    for (double step = 0; step > steps; --step)
        factors *= u + step;
    for (double step = 1; step <= steps; ++step)
        factors *= u + step;
    double series = series_in_double(u, INVERSE_GAMMA_SERIES, 21);
    return log_in_double(fabs(steps > 0 ? factors / series : 1 / (series * factors)));
}

static double stirling_in_double(double x)
{
    double inverse = 1 / x, series = series_in_double(inverse * inverse, STIRLING_SERIES, 6);
    return (x - 0.5) * log_in_double(x) - x + (inverse * series + HALF_LOG_2_PI.hi);
}

/* Halves of that magnitude are multiples of 1/128. */
static double reflected_lgamma_in_double(double x)
{
    double sine = SIN_128THS[(int)(128 * fabs(x - rint(x)))].hi;
    return log_in_double(PI.hi / sine) - stirling_in_double(1 - x);
}

/* The error is that of some twenty operations within 2^-53, on numbers that are not much
 * greater than 1 or the result, and of series truncated below 2^-54. */
double halfcl_lgamma_estimate(double x, double *error)
{
    double size = fabs(x), y;
    if (size >= 8192 || x == 1 || x == 2 || (x <= 0 && x == rint(x)))
        return NAN;
    if (size < GAMMA_BOUND)
        y = small_lgamma_in_double(x);
    else
        y = x > 0 ? stirling_in_double(x) : reflected_lgamma_in_double(x);
    *error = 0x1p-45 * (1 + fabs(y));
    return y;
}
