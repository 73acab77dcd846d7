/* Functions whose exact result is a double, or a choice of an operand. */
#include "functions.h"

#include <math.h>

#include "halves.h"

/* Halves are multiples of 2^-24 below 2^16: sums have 41 bits, products 22. */
double add(double x, double y)
{
    return x + y;
}

double subtract(double x, double y)
{
    return x - y;
}

double multiply(double x, double y)
{
    return x * y;
}

double positive_difference(double x, double y)
{
    if (isnan(x) || isnan(y))
        return NAN;
    return x > y ? x - y : 0;
}

/* Beyond 2^64 or below 2^-64 times a half is out of half's range. */
double scaled(double x, double n)
{
    return ldexp(x, (int)fmax(-64, fmin(n, 64)));
}

static uint64_t in_units(double x) /* of the least half */
{
    return (uint64_t)(fabs(x) * 0x1p24);
}

static bool no_remainder(double x, double y)
{
    return isnan(x) || isnan(y) || isinf(x) || y == 0;
}

double truncated_remainder(double x, double y)
{
    if (no_remainder(x, y))
        return NAN;
    uint64_t rest = isinf(y) ? in_units(x) : in_units(x) % in_units(y);
    return copysign((double)rest * 0x1p-24, x);
}

/* True if the integer nearest to the quotient, or the even one of two, is the one above. */
static bool rounds_up(uint64_t x, uint64_t y)
{
    uint64_t twice = 2 * (x % y);
    return twice > y || (twice == y && x / y % 2 == 1);
}

/* The remainder is x's if the quotient is 0. */
double nearest_remainder(double x, double y)
{
    if (no_remainder(x, y))
        return NAN;
    if (isinf(y))
        return x;
    uint64_t dividend = in_units(x), divisor = in_units(y), rest = dividend % divisor;
    if (rounds_up(dividend, divisor))
        return copysign((double)(divisor - rest) * 0x1p-24, -x);
    return copysign((double)rest * 0x1p-24, x);
}

/* The low seven bits, with the quotient's sign. */
int32_t nearest_quotient(double x, double y)
{
    if (no_remainder(x, y) || isinf(y))
        return 0;
    uint64_t dividend = in_units(x), divisor = in_units(y);
    int32_t low = (int32_t)((dividend / divisor + rounds_up(dividend, divisor)) & 127);
    return signbit(x) != signbit(y) ? -low : low;
}

/* The first if they are equal, zeros of either sign too. */
uint16_t larger_number(uint16_t a, uint16_t b)
{
    return is_nan(a) || values[a] < values[b] ? b : a;
}

uint16_t smaller_number(uint16_t a, uint16_t b)
{
    return is_nan(a) || values[b] < values[a] ? b : a;
}

uint16_t larger_magnitude(uint16_t a, uint16_t b)
{
    double x = fabs(values[a]), y = fabs(values[b]);
    return x > y ? a : y > x ? b : larger_number(a, b);
}

uint16_t smaller_magnitude(uint16_t a, uint16_t b)
{
    double x = fabs(values[a]), y = fabs(values[b]);
    return x < y ? a : y < x ? b : smaller_number(a, b);
}

uint16_t with_sign(uint16_t a, uint16_t b)
{
    return (a & MAGNITUDE) | (b & SIGN);
}

/* The bits of numbers of one sign are in the order of their magnitudes. */
uint16_t neighbour(uint16_t a, uint16_t b)
{
    double x = values[a], y = values[b];
    if (isnan(x) || isnan(y))
        return NAN_BITS;
    if (x == y)
        return b;
    if (x == 0)
        return (b & SIGN) | 1;
    return (uint16_t)((x < y) == (x > 0) ? a + 1 : a - 1);
}
