#include "settle.h"

#include <math.h>
#include <string.h>

enum { PRECISION = 160, BOUNDARY_PRECISION = 12 };

static _Thread_local mpfr_t left, right, result, boundary;
static _Thread_local bool asked, close;
static _Thread_local double last_distance;

void init_settling(void)
{
    mpfr_inits2(53, left, right, (mpfr_ptr)0);
    mpfr_init2(result, PRECISION);
    mpfr_init2(boundary, BOUNDARY_PRECISION);
}

void end_settling(void)
{
    mpfr_clears(left, right, result, boundary, (mpfr_ptr)0);
    mpfr_free_cache();
}

bool mpfr_was_asked(double *distance)
{
    bool was_asked = asked;
    *distance = last_distance;
    asked = false;
    return was_asked;
}

bool was_close(void)
{
    bool result = close;
    close = false;
    return result;
}

/* Return how far the truncated result is from where rounding changes. */
static double distance_to_boundary(void)
{
    mpfr_set(boundary, result, MPFR_RNDN);
    mpfr_sub(left, result, boundary, MPFR_RNDN);
    mpfr_div(left, left, boundary, MPFR_RNDN);
    double distance = mpfr_get_d(left, MPFR_RNDN);
    return distance != 0 ? distance : 0x1p-160;
}

double settle_by_mpfr(mpfr_binary *f, double x, double y)
{
    mpfr_set_d(left, x, MPFR_RNDN);
    mpfr_set_d(right, y, MPFR_RNDN);
    bool inexact = f(result, left, right, MPFR_RNDZ) != 0;
    double truncated = mpfr_get_d(result, MPFR_RNDZ);
    asked = true;
    last_distance = inexact ? distance_to_boundary() : 0;
    inexact |= mpfr_cmp_d(result, truncated) != 0;
    return inexact ? to_odd(truncated) : truncated;
}

/* In units of a double's last place: what the C library may be off by, and 32 of a float's. */
static const uint64_t in_doubt = (uint64_t)1 << 14, close_by = (uint64_t)1 << (29 + 5);

/* True if a double is within so many units of its last place of a number of 12 bits: then the
 * last 41 of its 53 bits are nearly all the same. */
static bool is_near_boundary(double x, uint64_t near)
{
    const uint64_t unit = (uint64_t)1 << 41;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return ((bits + near) & (unit - 1)) <= 2 * near;
}

/* Estimates beyond half's range need not be close to the result, which is not exact in half
 * and rounds as any other number as large or as small. */
double settle(double estimate, mpfr_binary *f, double x, double y)
{
    double size = fabs(estimate);
    if (size > 0x1p17)
        return copysign(to_odd(0x1p17), estimate);
    if (size < 0x1p-30)
        return copysign(to_odd(0x1p-30), estimate);
    close = is_near_boundary(size, close_by);
    return is_near_boundary(size, in_doubt) ? settle_by_mpfr(f, x, y) : to_odd(estimate);
}

double just_beyond(double x)
{
    return copysign(to_odd(fmax(fabs(x), 0x1p-30)), x);
}

double just_before(double x)
{
    return to_odd(nextafter(x, 0));
}
