/* Exponentials and logarithms.
 *
 * Few results are exact. For rational x other than 0, e^x is transcendental (Lindemann's
 * theorem); 2^x and 10^x are rational for integers only, and 10^-1 is not a double. So among
 * numbers 1 + x, whose primes are 2 and others, only powers of 2, and those of 10 from 1 on,
 * have rational logarithms to these bases. */
#include "exact/doubledouble/constants.h"
#include "exact/doubledouble/elementary.h"
#include "exact/doubledouble/functions.h"

/* e^r - 1 for |r| <= log(2) / 128. */
static dd expm1_series(dd r)
{
    return dd_mul(r, dd_series(r, INVERSE_FACTORIAL + 1, 5, 10));
}

/* Returns the integer k nearest to 64 x / log 2, and the rest: e^x = 2^(k / 64) e^rest. */
static double reduce(dd x, dd *rest)
{
    double k = rint(x.hi * (64 * LOG2_E.hi));
    *rest = dd_sub(x, dd_mul_d(LOG_2_BY_64, k));
    return k;
}

/* 2^(k / 64) */
static dd exp2_64ths(double k)
{
    double exponent = floor(k / 64);
    return dd_scale(EXP2_64THS[(int)(k - 64 * exponent)], ldexp(1, (int)exponent));
}

dd dd_exp_of(dd x)
{
    dd rest, power = exp2_64ths(reduce(x, &rest));
    return dd_fast_add(power, dd_mul(power, expm1_series(rest)));
}

dd dd_expm1_of(dd x)
{
    dd rest, power = exp2_64ths(reduce(x, &rest));
    return dd_add(dd_add_d(power, -1), dd_mul(power, expm1_series(rest)));
}

dd dd_exp2_of(dd x)
{
    double k = rint(64 * x.hi);
    dd power = exp2_64ths(k), rest = dd_mul(dd_add_d(x, -k / 64), LOG_2);
    return dd_fast_add(power, dd_mul(power, expm1_series(rest)));
}

/* log(1 + z) = 2 artanh(z / (2 + z)), for |z| < 2^-6. */
static dd log1p_series(dd z)
{
    dd s = dd_div(z, dd_add_d(z, 2));
    return dd_scale(dd_mul(s, dd_series(dd_mul(s, s), INVERSE_ODD, 4, 8)), 2);
}

/* With x = 2^exponent m and k / 64 close to 1 / m, log x = exponent log 2 - log(k / 64) + log(m
 * k / 64), where the first two terms are exactly 0 around x = 1. Since m lies between the roots
 * of 1/2 and 2, k is 45 to 91. x is a normal double. */
dd dd_log_of(dd x)
{
    uint64_t bits = bits_of_double(x.hi);
    int64_t exponent = (int64_t)(bits - bits_of_double(0.7071)) >> 52;
    double m = double_of_bits(bits - ((uint64_t)exponent << 52)), k = rint(64 / m);
    double scale = double_of_bits((uint64_t)(1023 - 6 - exponent) << 52);
    dd near_1 = dd_mul_d(x, k * scale);
    dd far = dd_sub(dd_mul_d(LOG_2, (double)exponent), LOG_64THS[(int)k - 45]);
    return dd_add(far, log1p_series(dd_add_d(near_1, -1)));
}

dd dd_log1p_of(dd x)
{
    return fabs(x.hi) < 0x1p-6 ? log1p_series(x) : dd_log_of(dd_add_d(x, 1));
}

dd dd_log2_of(dd x)
{
    return dd_mul(dd_log_of(x), LOG2_E);
}

/* e^20 is beyond half's range, and so is e^-20. */
dd dd_exp_bounded(dd x)
{
    if (fabs(x.hi) > 20)
        return dd_inexact(dd_of(x.hi > 0 ? 0x1p28 : 0x1p-28));
    return dd_inexact(dd_exp_of(x));
}

/* b^x for b > 1 and x zero or infinite. */
static double exp_limit(double x)
{
    return x == 0 ? 1 : x > 0 ? x : 0;
}

dd dd_exp(double x)
{
    if (x == 0 || isinf(x))
        return dd_of(exp_limit(x));
    return dd_exp_bounded(dd_of(x));
}

dd dd_exp2(double x)
{
    if (isinf(x))
        return dd_of(exp_limit(x));
    if (x == rint(x) && fabs(x) < 900)
        return dd_of(ldexp(1, (int)x));
    return dd_exp_bounded(dd_mul_d(LOG_2, x));
}

/* The powers that do not overflow half. */
enum { POWERS = 6 };
static const double POWERS_OF_10[POWERS] = {1, 10, 100, 1000, 10000, 100000};

dd dd_exp10(double x)
{
    if (isinf(x))
        return dd_of(exp_limit(x));
    if (x == rint(x) && x >= 0 && x < POWERS)
        return dd_of(POWERS_OF_10[(int)x]);
    return dd_exp_bounded(dd_mul_d(LOG_10, x));
}

dd dd_expm1(double x)
{
    if (x == 0 || isinf(x))
        return dd_of(x < 0 ? -1 : x);
    return dd_inexact(dd_expm1_of(dd_of(fmax(-60, fmin(x, 60)))));
}

/* b^x - 1 for finite x, given log b and b^x if that is a double, otherwise 0. To half, results
 * beyond 2^80 round as 2^80 does, and those below 2^-80 - 1 as that does: the sum still has a
 * lo, and is inexact. */
static dd power_less_1(double x, dd log_b, double exact_power)
{
    if (exact_power != 0)
        return x == 0 ? dd_of(x) : dd_two_sum(exact_power, -1);
    double limit = 80 * LOG_2.hi / log_b.hi;
    return dd_inexact(dd_expm1_of(dd_mul_d(log_b, fmax(-limit, fmin(x, limit)))));
}

dd dd_exp2m1(double x)
{
    if (isinf(x))
        return dd_of(x < 0 ? -1 : x);
    bool exact = x == rint(x) && fabs(x) < 80;
    return power_less_1(x, LOG_2, exact ? ldexp(1, (int)x) : 0);
}

dd dd_exp10m1(double x)
{
    if (isinf(x))
        return dd_of(x < 0 ? -1 : x);
    bool exact = x == rint(x) && x >= 0 && x < POWERS;
    return power_less_1(x, LOG_10, exact ? POWERS_OF_10[(int)x] : 0);
}

/* log x, to any base, where x > 0 and finite does not hold. */
static double log_limit(double x)
{
    return x == 0 ? -INFINITY : x > 0 ? x : NAN;
}

static bool is_positive(double x)
{
    return x > 0 && x < INFINITY;
}

dd dd_log(double x)
{
    if (!is_positive(x) || x == 1)
        return dd_of(x == 1 ? 0 : log_limit(x));
    return dd_inexact(dd_log_of(dd_of(x)));
}

dd dd_log2(double x)
{
    int exponent;
    if (!is_positive(x))
        return dd_of(log_limit(x));
    if (frexp(x, &exponent) == 0.5)
        return dd_of(exponent - 1);
    return dd_inexact(dd_log2_of(dd_of(x)));
}

dd dd_log10(double x)
{
    if (!is_positive(x))
        return dd_of(log_limit(x));
    for (int n = 0; n < POWERS; ++n)
        if (x == POWERS_OF_10[n])
            return dd_of(n);
    return dd_inexact(dd_mul(dd_log_of(dd_of(x)), LOG10_E));
}

dd dd_log1p(double x)
{
    if (!is_positive(1 + x))
        return dd_of(log_limit(1 + x));
    return x == 0 ? dd_of(x) : dd_inexact(dd_log1p_of(dd_of(x)));
}

/* log_b(1 + x), given log_b and log_b e: exact where log_b is exact for a sum that is a
 * double. */
static dd log_b_p1(double x, dd (*log_b)(double), dd log_b_e)
{
    dd log = log_b(1 + x);
    if (x == 0)
        return dd_of(x);
    return log.lo == 0 ? log : dd_inexact(dd_mul(dd_log1p_of(dd_of(x)), log_b_e));
}

dd dd_log2p1(double x)
{
    return log_b_p1(x, dd_log2, LOG2_E);
}

dd dd_log10p1(double x)
{
    return log_b_p1(x, dd_log10, LOG10_E);
}

/* log(e^x + e^y) = x + log(1 + e^(y - x)), with x >= y. It is never exact: by Lindemann's
 * theorem, e^x + e^y is not e^z for rational x, y, z. e^-200 may replace anything smaller, and
 * is not lost when added to x: it stays in lo. */
dd dd_logaddexp(double x, double y)
{
    double larger = fmax(x, y);
    if (isinf(x) || isinf(y))
        return dd_of(larger + 0.0);
    dd power = dd_exp_of(dd_of(fmax(fmin(x, y) - larger, -200)));
    return dd_inexact(dd_add_d(dd_log1p_of(power), larger));
}

/* log2(2^x + 2^y). It is exact only for x = y: otherwise 1 + 2^(x - y) is odd, in a ring of
 * integers with roots of 2, and 2^z, z > 0, is not. */
dd dd_logaddexp2(double x, double y)
{
    double larger = fmax(x, y);
    if (isinf(x) || isinf(y))
        return dd_of(larger + 0.0);
    if (x == y)
        return dd_of(x + 1);
    dd power = dd_exp2_of(dd_of(fmax(fmin(x, y) - larger, -200)));
    return dd_inexact(dd_add_d(dd_mul(dd_log1p_of(power), LOG2_E), larger));
}
