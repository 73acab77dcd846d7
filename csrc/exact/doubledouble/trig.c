/* Sine, cosine and tangent, of radians and of half turns ("pi"); degrees and radians.
 *
 * For a rational number of radians other than 0 they are irrational (Lindemann). For a rational
 * number of half turns they are rational only if |sin| and |cos| are 0, 1/2 or 1 and |tan| is
 * 0, 1 or a pole (Niven): 1/2 belongs to thirds, which are not halves, so only the multiples of
 * 1/2 remain, of 1/4 for tan. */
#include "exact/doubledouble/constants.h"
#include "exact/doubledouble/functions.h"

/* k pi / 128 + rest for |rest| <= pi / 256, with the sine and cosine of the rest. */
typedef struct {
    int k;
    dd sin, cos;
} angle;

/* Taylor series: their terms are below 2^-100 after the sixth, and below 2^-46, where doubles
 * are enough, after the third. */
static angle angle_at(double k, dd rest)
{
    dd square = dd_mul(rest, rest);
    return (angle){(int)k, dd_mul(rest, dd_series(square, SIN_SERIES, 3, 6)),
                   dd_series(square, COS_SERIES, 3, 6)};
}

/* Cody and Waite's reduction. |x| < 2^16, so |k| < 2^22, and the product with the high part,
 * which has 31 bits, is exact; so is its difference from x. The low part has 106 bits more: the
 * error is below 2^-117, and no half is closer than 2^-17 to a multiple of pi / 2. */
static angle angle_of_radians(double x)
{
    double k = rint(x / PI_BY_128.hi), near_0 = x - k * PI_BY_128_HIGH.hi;
    return angle_at(k, dd_sub(dd_of(near_0), dd_mul_d(PI_BY_128_LOW, k)));
}

static angle angle_of_half_turns(double x)
{
    double k = rint(128 * x);
    return angle_at(k, dd_mul_d(PI_BY_128, 128 * x - k));
}

/* sin(k pi / 128) */
static dd sin_128ths(int k)
{
    int in_quarter = k & 63;
    dd size = SIN_128THS[k & 64 ? 64 - in_quarter : in_quarter];
    return k & 128 ? dd_neg(size) : size;
}

/* The sine of a sum. Where the result is near 0, so that its relative error could grow, the
 * first product is exactly 0. */
static dd sine(angle a)
{
    dd from_k = dd_mul(sin_128ths(a.k), a.cos);
    dd from_rest = dd_mul(sin_128ths(a.k + 64), a.sin);
    return dd_inexact(dd_add(from_k, from_rest));
}

static dd cosine(angle a)
{
    a.k += 64;
    return sine(a);
}

static dd tangent(angle a)
{
    return dd_inexact(dd_div(sine(a), cosine(a)));
}

dd dd_sin(double x)
{
    if (x == 0 || isinf(x))
        return dd_of(x == 0 ? x : NAN);
    return sine(angle_of_radians(x));
}

dd dd_cos(double x)
{
    if (x == 0 || isinf(x))
        return dd_of(x == 0 ? 1 : NAN);
    return cosine(angle_of_radians(x));
}

dd dd_tan(double x)
{
    if (x == 0 || isinf(x))
        return dd_of(x == 0 ? x : NAN);
    return tangent(angle_of_radians(x));
}

static bool is_integer(double x)
{
    return x == rint(x);
}

/* The sine of n quarter turns. */
static double sin_quarters(double n)
{
    static const double cycle[4] = {0, 1, 0, -1};
    return cycle[(int)n & 3];
}

dd dd_sinpi(double x)
{
    if (isinf(x))
        return dd_of(NAN);
    if (is_integer(x))
        return dd_of(copysign(0, x));
    if (is_integer(2 * x))
        return dd_of(sin_quarters(2 * x));
    return sine(angle_of_half_turns(x));
}

dd dd_cospi(double x)
{
    if (isinf(x))
        return dd_of(NAN);
    if (is_integer(2 * x))
        return dd_of(sin_quarters(2 * x + 1));
    return cosine(angle_of_half_turns(x));
}

dd dd_tanpi(double x)
{
    if (isinf(x))
        return dd_of(NAN);
    if (is_integer(2 * x)) /* zeros and poles, whose signs come from the division */
        return dd_of(dd_sinpi(x).hi / dd_cospi(x).hi);
    if (is_integer(4 * x)) /* n + 1/4 or n - 1/4 */
        return dd_of(sin_quarters(4 * x));
    return tangent(angle_of_half_turns(x));
}

/* A multiple of an irrational number. */
static dd multiple(dd unit, double x)
{
    return x == 0 || isinf(x) ? dd_of(x) : dd_inexact(dd_mul_d(unit, x));
}

dd dd_degrees(double x)
{
    return multiple(DEGREES_OF_RADIAN, x);
}

dd dd_radians(double x)
{
    return multiple(RADIANS_OF_DEGREE, x);
}
