/* The error and gamma functions. */
#include "constants.h"
#include "elementary.h"
#include "functions.h"

#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))

/* How many terms of a power series, whose coefficients are at most 1 or so, exceed 2^-100
 * at x; not more than there are. */
static int terms_at(double x, int available)
{
    int exponent;
    frexp(x, &exponent);
    int enough = exponent < 0 ? 100 / -exponent + 1 : available;
    return enough < available ? enough : available;
}

/* erf and erfc. From 4 on, erfc is less than half of the least half. */
static const double ERF_BOUND = 4, ERF_SMALL = 2.5;

/* The Maclaurin series of erf, for |x| < 2.5. It alternates, with terms up to 2^3 while erfc
 * goes down to 2^-11: the error stays below 2^-86, relatively to either. */
static dd erf_series(double x)
{
    dd series = dd_polynomial(dd_of(x * x), ERF_SERIES, terms_at(x * x, LENGTH(ERF_SERIES)));
    return dd_mul_d(series, x);
}

/* erfc for 2.5 <= x < 4: the Taylor series around 3.25. Its terms are up to 2^14 times the
 * result, which leaves an error of 2^-86; the terms left out are 2^-95. */
static dd erfc_series(double x)
{
    return dd_polynomial(dd_of(x - 3.25), ERFC_SERIES, LENGTH(ERFC_SERIES));
}

static dd one_minus(dd a)
{
    return dd_add_d(dd_neg(a), 1);
}

/* erfc for x > 0: */
static dd positive_erfc(double x)
{
    if (x >= ERF_BOUND)
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

/* gamma(x) and log |gamma(x)|. Poles are the integers from 0 down. */

/* Between -14 and the next integer, as close to it as a half can be, gamma is 2^-29. */
static const double GAMMA_LEAST = -14;

/* gamma(x) for |x| < 15, from the Taylor series of 1 / gamma around 1, which converges
 * everywhere: with x = 1 + steps + u, |u| <= 1/2, and gamma(x + 1) = x gamma(x).
 * Each factor is exact. So is the result for an integer x, where u is 0. */
static dd gamma_of(double x)
{
    double steps = rint(x - 1), u = x - 1 - steps;
    dd inverse = dd_polynomial(dd_of(u), INVERSE_GAMMA_SERIES,
                               terms_at(u, LENGTH(INVERSE_GAMMA_SERIES)));
    dd factors = dd_of(1);
    for (double n = 1; n <= steps; ++n)
        factors = dd_mul_d(factors, u + n);
    for (double n = 0; n > steps; --n)
        factors = dd_mul_d(factors, u + n);
    return steps > 0 ? dd_div(factors, inverse) : dd_inverse(dd_mul(inverse, factors));
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
    if (x < GAMMA_LEAST) /* the sign alternates from each integer to the next */
        return dd_inexact(dd_of(remainder(floor(x), 2) == 0 ? 0x1p-60 : -0x1p-60));
    return is_integer ? gamma_of(x) : dd_inexact(gamma_of(x));
}

/* log(gamma(x)) for x >= 14: Stirling's series. It has
 * its error below the first term left out, 2^-95. */
static dd stirling(double x)
{
    dd inverse = dd_inverse(dd_of(x));
    dd series =
        dd_polynomial(dd_mul(inverse, inverse), STIRLING_SERIES, LENGTH(STIRLING_SERIES));
    dd power = dd_mul_d(dd_log_of(dd_of(x)), x - 0.5);
    dd rest = dd_add_d(dd_add(dd_mul(inverse, series), HALF_LOG_2_PI), -x);
    return dd_add(power, rest);
}

static dd magnitude(dd a)
{
    return a.hi < 0 ? dd_neg(a) : a;
}

/* log |gamma(x)| for x no pole, and smaller than 8192. Where gamma is near 1 in size its
 * logarithm loses accuracy, but no half comes so close that more than 2^-14 is lost. */
static dd lgamma_of(double x)
{
    if (fabs(x) < -GAMMA_LEAST)
        return dd_log_of(magnitude(gamma_of(x)));
    if (x > 0)
        return stirling(x);
    /* gamma(x) gamma(1 - x) = pi / sin(pi x) */
    dd product = dd_div(PI, magnitude(dd_sinpi(x)));
    return dd_sub(dd_log_of(product), stirling(1 - x));
}

/* By experiment, it is rational for no other half. */
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
