/* Functions whose results must be rounded: special cases first, then a settled estimate. */
#include "functions.h"

#include <math.h>
#include <stdlib.h>

#include "settle.h"

static const double pi = 3.141592653589793116, log_of_2 = 0.6931471805599453094;

/* For doubles that are integers of some 32 bits, or no integers. */
static bool is_integer(double x)
{
    return (double)(int64_t)x == x;
}

static bool is_odd(double x)
{
    return is_integer(x) && (int64_t)x % 2 != 0;
}

double quotient(double x, double y)
{
    double estimate = x / y;
    bool exact = isnan(estimate) || isinf(estimate) || estimate == 0;
    return exact ? estimate : settle(estimate, mpfr_div, x, y);
}

/* For y < 2^-13 x the result is above x by less than y^2 / 2x < 2^-27 x. */
double right_hypot(double x, double y)
{
    if (isinf(x) || isinf(y))
        return INFINITY;
    if (isnan(x) || isnan(y))
        return NAN;
    double longer = fmax(fabs(x), fabs(y)), shorter = fmin(fabs(x), fabs(y));
    if (shorter == 0)
        return longer;
    if (shorter < 0x1p-13 * longer)
        return just_beyond(longer);
    return settle(hypot(x, y), mpfr_hypot, x, y);
}

/* ------------------------------------------------------------------ powers and roots */

/* x^y for 0 <= x <= inf and -inf <= y <= inf, other than 0^0, inf^0 and 1^inf. */
static double plain_power(double x, double y, mpfr_binary *f)
{
    if (y == 0 || x == 1)
        return 1;
    if (x == 0 || isinf(x) || isinf(y))
        return (x > 1) == (y > 0) ? INFINITY : 0;
    return settle(pow(x, y), f, x, y);
}

/* The power of a base whose sign is kept by odd exponents. Of a negative one only integer
 * powers, and infinite ones, are defined. */
static double signed_power(double x, double y, mpfr_binary *f)
{
    double size = plain_power(fabs(x), y, f);
    return signbit(x) && is_odd(y) ? -size : size;
}

double right_pow(double x, double y)
{
    if (y == 0 || x == 1)
        return 1;
    if (isnan(x) || isnan(y))
        return NAN;
    if (isinf(y))
        return x == -1 ? 1 : plain_power(fabs(x), y, mpfr_pow);
    bool finite_negative = x < 0 && !isinf(x);
    return finite_negative && !is_integer(y) ? NAN : signed_power(x, y, mpfr_pow);
}

double right_powr(double x, double y)
{
    bool undefined = (x == 0 && y == 0) || (isinf(x) && y == 0) || (x == 1 && isinf(y));
    if (isnan(x) || isnan(y) || x < 0 || undefined)
        return NAN;
    return plain_power(fabs(x), y, mpfr_pow);
}

static int mpfr_integer_power(mpfr_t result, const mpfr_t x, const mpfr_t n, mpfr_rnd_t mode)
{
    return mpfr_pow_si(result, x, mpfr_get_si(n, MPFR_RNDN), mode);
}

double right_pown(double x, double n)
{
    if (n == 0)
        return 1;
    return isnan(x) ? NAN : signed_power(x, n, mpfr_integer_power);
}

/* 1 + x is a double: below 2 a multiple of 2^-24, above it has 17 bits. */
double right_compoundn(double x, double n)
{
    return x < -1 ? NAN : right_pown(1 + x, n);
}

static int mpfr_integer_root(mpfr_t result, const mpfr_t x, const mpfr_t n, mpfr_rnd_t mode)
{
    return mpfr_rootn_si(result, x, mpfr_get_si(n, MPFR_RNDN), mode);
}

/* The estimate is x^(1/n) with 1/n rounded, which changes it by a factor within
 * 2^-53 |log x| < 2^-48 of 1. */
double right_rootn(double x, double n)
{
    if (isnan(x) || n == 0 || (x < 0 && !is_odd(n)))
        return NAN;
    double size = fabs(x), root;
    if (size == 1)
        root = 1;
    else if (size == 0 || isinf(size))
        root = (size > 1) == (n > 0) ? INFINITY : 0;
    else
        root = settle(pow(size, 1 / n), mpfr_integer_root, size, n);
    return signbit(x) && is_odd(n) ? -root : root;
}

/* ------------------------------------------------------------------ angles */

/* The angle as a part of a half turn where it is known, else NaN. */
static double known_part(double y, double x)
{
    if (y == 0)
        return signbit(x) ? 1 : 0;
    if (isinf(y) && isinf(x))
        return x < 0 ? 0.75 : 0.25;
    if (isinf(y) || x == 0)
        return 0.5;
    if (isinf(x))
        return x < 0 ? 1 : 0;
    return NAN;
}

double right_atan2(double y, double x)
{
    if (isnan(x) || isnan(y))
        return NAN;
    double part = known_part(y, x);
    if (isnan(part))
        return copysign(settle(atan2(fabs(y), x), mpfr_atan2, fabs(y), x), y);
    return copysign(part == 0 ? 0 : to_odd(part * pi), y);
}

double right_atan2pi(double y, double x)
{
    if (isnan(x) || isnan(y))
        return NAN;
    double part = known_part(y, x);
    if (isnan(part))
        part = settle(atan2(fabs(y), x) / pi, mpfr_atan2pi, fabs(y), x);
    return copysign(part, y);
}

/* ------------------------------------------------------------------ logarithms of sums */

/* log_b(b^x + b^y) = high + log_b(1 + b^(low - high)), for b = e or 2. */

typedef int mpfr_unary(mpfr_t result, const mpfr_t x, mpfr_rnd_t mode);

/* Each step is within 2^-255 of its result, but if the last sum cancels, that counts for
 * more. The result is never exact: of b = 2 and high = low the caller takes care. */
static int mpfr_log_of_sum(mpfr_t result, const mpfr_t high, const mpfr_t low, mpfr_rnd_t mode,
                           mpfr_unary *power_of_b, const mpfr_t log_b)
{
    enum { WORKING_PRECISION = 256, SPARE = 8 };
    mpfr_t sum;
    mpfr_init2(sum, WORKING_PRECISION);
    mpfr_sub(sum, low, high, MPFR_RNDN);
    power_of_b(sum, sum, MPFR_RNDN);
    mpfr_log1p(sum, sum, MPFR_RNDN);
    mpfr_div(sum, sum, log_b, MPFR_RNDN);
    mpfr_add(sum, sum, high, MPFR_RNDN);

    mpfr_exp_t cancelled = mpfr_zero_p(high) ? 0 : mpfr_get_exp(high) - mpfr_get_exp(sum);
    mpfr_exp_t certain = WORKING_PRECISION - SPARE - (cancelled > 0 ? cancelled : 0);
    if (!mpfr_can_round(sum, certain, MPFR_RNDN, mode, mpfr_get_prec(result)))
        abort();
    int ternary = mpfr_set(result, sum, mode);
    mpfr_clear(sum);
    return ternary;
}

static int mpfr_logaddexp(mpfr_t result, const mpfr_t high, const mpfr_t low, mpfr_rnd_t mode)
{
    mpfr_t one;
    mpfr_init_set_ui(one, 1, MPFR_RNDN);
    int ternary = mpfr_log_of_sum(result, high, low, mode, mpfr_exp, one);
    mpfr_clear(one);
    return ternary;
}

static int mpfr_logaddexp2(mpfr_t result, const mpfr_t high, const mpfr_t low, mpfr_rnd_t mode)
{
    mpfr_t log_2;
    mpfr_init2(log_2, 2 * mpfr_get_prec(result));
    mpfr_const_log2(log_2, MPFR_RNDN);
    int ternary = mpfr_log_of_sum(result, high, low, mode, mpfr_exp2, log_2);
    mpfr_clear(log_2);
    return ternary;
}

/* high + term, rounded to odd. A term below 2^-26 does not reach the next midpoint. Where the
 * sum cancels, the estimate has lost bits. */
static double settle_sum(double high, double low, double term, mpfr_binary *f)
{
    if (term < 0x1p-26)
        return high < 0 ? just_before(high) : just_beyond(fabs(high));
    double estimate = high + term;
    if (fabs(estimate) < fabs(high) / 64)
        return settle_by_mpfr(f, high, low);
    return settle(estimate, f, high, low);
}

double right_logaddexp(double x, double y)
{
    double high = fmax(x, y), low = fmin(x, y);
    if (isnan(x) || isnan(y))
        return NAN;
    if (isinf(high) || isinf(low))
        return high + 0; /* the logarithm of 1 is +0 */
    return settle_sum(high, low, log1p(exp(low - high)), mpfr_logaddexp);
}

double right_logaddexp2(double x, double y)
{
    double high = fmax(x, y), low = fmin(x, y);
    if (isnan(x) || isnan(y))
        return NAN;
    if (isinf(high) || isinf(low))
        return high + 0; /* the logarithm of 1 is +0 */
    if (low == high)
        return high + 1;
    return settle_sum(high, low, log1p(exp2(low - high)) / log_of_2, mpfr_logaddexp2);
}
