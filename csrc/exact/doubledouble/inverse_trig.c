/* The inverses of sine, cosine and tangent, in radians and in half turns ("pi").
 *
 * The angles in half turns are rational only if they are multiples of 1/2, of 1/4 for the
 * inverses of tan (Niven, as in trig.c). In radians only an angle of 0 is rational when the
 * argument is (Lindemann). */
#include "exact/doubledouble/constants.h"
#include "exact/doubledouble/functions.h"

/* atan(y / x) for 0 <= y <= x: with c the multiple of 1/64 nearest to y / x, atan(y / x) =
 * atan(c) + atan(t), t = (y - c x) / (x + c y), |t| <= 1/128. The last term of the series of
 * atan(t) / t is below 2^-100; after the third term, where doubles are enough, it is below
 * 2^-44, which leaves an error of 2^-97.
 *
 * For a small quotient t = y / x it gives t (1 - t^2 / 3): even if y / x is as small as for two
 * halves, 2^-40, the correction of 2^-82 is not lost, but is in lo. So the result is below y /
 * x, as it should be, if that is a half itself. */
static dd atan_quotient(dd y, dd x)
{
    int k = (int)rint(64 * (y.hi / x.hi));
    double c = k / 64.0;
    dd t = dd_div(dd_sub(y, dd_mul_d(x, c)), dd_add(x, dd_mul_d(y, c)));
    dd series = dd_series(dd_neg(dd_mul(t, t)), INVERSE_ODD, 3, 7);
    return dd_add(ATAN_64THS[k], dd_mul(t, series));
}

static dd magnitude(dd a)
{
    return a.hi < 0 ? dd_neg(a) : a;
}

/* The angle from the x axis to the point (x, y), which is not the origin: atan2. */
static dd angle(dd y, dd x)
{
    dd height = magnitude(y), width = magnitude(x), result;
    if (height.hi <= width.hi)
        result = atan_quotient(height, width);
    else
        result = dd_sub(dd_scale(PI, 0.5), atan_quotient(width, height));
    if (x.hi < 0)
        result = dd_sub(PI, result);
    return dd_inexact(y.hi < 0 ? dd_neg(result) : result);
}

static dd half_turns(dd radians)
{
    return dd_inexact(dd_mul(radians, INVERSE_PI));
}

static dd radians(double half_turns)
{
    return half_turns == 0 ? dd_of(half_turns) : dd_mul_d(PI, half_turns);
}

/* sqrt(1 - x^2) for |x| < 1: the square is exact, having 22 bits. */
static dd other_leg(double x)
{
    return dd_sqrt(dd_fast_two_sum(1, -x * x));
}

/* Returns whether arc sine and arc cosine are rational, in half turns, or NaN. */
static bool is_special(double x)
{
    return x == 0 || fabs(x) >= 1;
}

static double special_asinpi(double x)
{
    return fabs(x) > 1 ? NAN : x / 2;
}

static double special_acospi(double x)
{
    return fabs(x) > 1 ? NAN : (1 - x) / 2;
}

dd dd_asin(double x)
{
    return is_special(x) ? radians(special_asinpi(x)) : angle(dd_of(x), other_leg(x));
}

dd dd_acos(double x)
{
    return is_special(x) ? radians(special_acospi(x)) : angle(other_leg(x), dd_of(x));
}

dd dd_asinpi(double x)
{
    return is_special(x) ? dd_of(special_asinpi(x)) : half_turns(dd_asin(x));
}

dd dd_acospi(double x)
{
    return is_special(x) ? dd_of(special_acospi(x)) : half_turns(dd_acos(x));
}

/* atan2pi(y, x) if it is a multiple of 1/4, otherwise NaN. Infinities count as equal. */
static double special_atan2pi(double y, double x)
{
    double height = fabs(y), width = fabs(x), quadrant;
    if (height == 0 || (isinf(width) && !isinf(height)))
        quadrant = 0;
    else if (height == width)
        quadrant = 0.25;
    else if (width == 0 || isinf(height))
        quadrant = 0.5;
    else
        return NAN;
    return copysign(signbit(x) ? 1 - quadrant : quadrant, y);
}

dd dd_atan2(double y, double x)
{
    double special = special_atan2pi(y, x);
    return isnan(special) ? angle(dd_of(y), dd_of(x)) : radians(special);
}

dd dd_atan2pi(double y, double x)
{
    double special = special_atan2pi(y, x);
    return isnan(special) ? half_turns(angle(dd_of(y), dd_of(x))) : dd_of(special);
}

dd dd_atan(double x)
{
    return dd_atan2(x, 1);
}

dd dd_atanpi(double x)
{
    return dd_atan2pi(x, 1);
}
