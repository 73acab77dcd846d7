/* Powers and roots, within 2^-99 if they are not exact. That is enough, since inexact ones are
 * not too near to any b at which half rounds, the halves and the midpoints between them:
 *
 * - b = 1: |log(x)| >= 2^-11 unless x = 1, and log(x^y) = y log(x). So x^y is at least 2^-36
 *   away from 1, and x^(1 / n) at least 2^-43; (1 + x)^n at least 2^-25, as |log(1 + x)| is.
 * - y an integer, 1 < |y| <= 6: x^y / b for y > 0, or x^-y b for y < 0, is a quotient or a
 *   product of dyadic numbers of at most 66 and 12 bits. It is not 1, thus at least 2^-78
 *   away from 1. For 1 + x, with 25 bits, that holds for |n| <= 2.
 * - For no other reason is x^y known to be near b, so that the 2^30 pairs (x, y) within half's
 *   range should be as near as random numbers, 2^-12 / 2^30. An exhaustive search agrees. The
 *   least relative distances, other than from b = 1, are
 *       2^-44.7 for pow, at x = 0x1.4d8p-12, y = 0x1.c58p-7;
 *       2^-32.5 for pown, at x = 0x1.ffcp-1, n = 815;
 *       2^-51.7 for rootn, at x = 0x1.cf4p-12, n = -15824, found from the integers n close to
 *       log(x) / log(b). */
#include "exact/doubledouble/elementary.h"
#include "exact/doubledouble/functions.h"

/* x = odd * 2^exponent, for finite x > 0. */
static double odd_part(double x, int *exponent)
{
    double integer = frexp(x, exponent) * 0x1p53;
    double lowest_bit = (double)((int64_t)integer & -(int64_t)integer);
    *exponent += ilogb(lowest_bit) - 53;
    return integer / lowest_bit;
}

/* x^y for x > 0 if it is a double, otherwise 0; 0 may also replace results that half rounds to
 * 0 or infinity.
 *
 * Let y = n / 2^j in lowest terms. If x^y is r, a dyadic number, then x^n = r^(2^j): in x^n
 * every prime has an exponent divisible by 2^j, hence, n being odd where j > 0, in x too, and x
 * has a dyadic 2^j-th root. An integer power of odd * 2^exponent remains. If it is negative,
 * the result is dyadic for odd = 1 only. */
static double exact_power(double x, double y)
{
    int exponent;
    double odd = odd_part(x, &exponent), power = 1;
    for (; y != rint(y); y *= 2) {
        double root = sqrt(odd);
        if (root != rint(root) || exponent % 2 != 0)
            return 0;
        odd = root;
        exponent /= 2;
    }
    if (odd > 1) {
        if (y < 0 || y > 33) /* 3^34 > 2^53 */
            return 0;
        for (int i = 0; i < y; ++i)
            power *= odd;
    }
    if (power >= 0x1p53 || fabs(exponent * y) > 900)
        return 0;
    return ldexp(power, (int)(exponent * y));
}

/* x^y for finite x > 0 and y. */
static dd positive_power(double x, double y)
{
    double exact = exact_power(x, y);
    if (exact != 0)
        return dd_of(exact);
    return dd_exp_bounded(dd_mul_d(dd_log_of(dd_of(x)), y));
}

/* The power if x or y is infinite or x is 0, but neither |x| = 1 nor y = 0: a limit. */
static double power_limit(double x, double y)
{
    return (x > 1) == (y > 0) ? INFINITY : 0;
}

static bool is_odd(double x)
{
    return x == rint(x) && x / 2 != rint(x / 2);
}

static dd with_sign(dd a, bool negative)
{
    return negative ? dd_neg(a) : a;
}

dd dd_pow(double x, double y)
{
    double size = fabs(x);
    if (y == 0 || x == 1 || (size == 1 && isinf(y)))
        return dd_of(1);
    bool negative = signbit(x) && is_odd(y);
    if (size == 0 || isinf(size) || isinf(y))
        return with_sign(dd_of(power_limit(size, y)), negative);
    if (x < 0 && y != rint(y))
        return dd_of(NAN);
    return with_sign(positive_power(size, y), negative);
}

dd dd_powr(double x, double y)
{
    bool undefined = x == 1 ? isinf(y) : (x == 0 || isinf(x)) && y == 0;
    if (x < 0 || undefined)
        return dd_of(NAN);
    return dd_pow(fabs(x), y);
}

dd dd_pown(double x, int32_t n)
{
    return dd_pow(x, n);
}

/* 1 + x is exact: below 2 it is a multiple of 2^-24, above it has 17 bits. For negative sums no
 * power is defined, unlike pown's. */
dd dd_compoundn(double x, int32_t n)
{
    return x < -1 ? dd_of(NAN) : dd_pow(1 + x, n);
}

/* x^(1 / n) for finite x > 0. If it is dyadic, it has no more bits than x, and is hi. */
static dd positive_root(double x, double n)
{
    dd root = dd_exp_bounded(dd_div(dd_log_of(dd_of(x)), dd_of(n)));
    bool may_be_exact = root.hi == (float)root.hi;
    return may_be_exact && exact_power(root.hi, n) == x ? dd_of(root.hi) : root;
}

dd dd_rootn(double x, int32_t n)
{
    double size = fabs(x);
    bool odd = n % 2 != 0, negative = signbit(x) && odd;
    if (n == 0 || (x < 0 && !odd))
        return dd_of(NAN);
    if (size == 0 || isinf(size))
        return with_sign(dd_of(power_limit(size, n)), negative);
    return with_sign(positive_root(size, n), negative);
}

dd dd_cbrt(double x)
{
    return dd_rootn(x, 3);
}

dd dd_rsqrt(double x)
{
    int exponent;
    if (x < 0)
        return dd_of(NAN);
    if (x == 0 || isinf(x))
        return dd_of(1 / x);
    dd root = dd_inverse(dd_sqrt(dd_of(x)));
    return odd_part(x, &exponent) == 1 && exponent % 2 == 0 ? root : dd_inexact(root);
}

/* The sum of squares is exact as a double-double, and so is its root if it is a double. If not,
 * lo is not 0: it is the error of hi's square, divided by 2 hi. */
dd dd_hypot(double x, double y)
{
    if (isinf(x) || isinf(y))
        return dd_of(INFINITY);
    dd sum = dd_two_sum(x * x, y * y);
    return sum.hi == 0 ? dd_of(0) : dd_sqrt(sum);
}
