/* Double-double arithmetic: a number is the unevaluated sum hi + lo of two doubles with |lo| <=
 * ulp(hi) / 2, which gives some 106 bits.
 *
 * Algorithms and error bounds: M. Joldes, J.-M. Muller, V. Popescu, "Tight and rigorous error
 * bounds for basic building blocks of double-word arithmetic", ACM TOMS 44 (2017). The relative
 * error of every operation here is within 2^-100 unless its comment says otherwise, as long as
 * nothing overflows or falls below 2^-900. Expects rounding to nearest. */
#ifndef HALFCL_DD_H
#define HALFCL_DD_H

#include <math.h>

#include "format/fma.h"
#include "format/half.h"

typedef struct {
    double hi, lo;
} dd;

ALWAYS_INLINE dd dd_of(double x)
{
    return (dd){x, 0};
}

/* a + b exactly, for |a| >= |b| or a == 0. */
ALWAYS_INLINE dd dd_fast_two_sum(double a, double b)
{
    double sum = a + b;
    return (dd){sum, b - (sum - a)};
}

/* a + b exactly. */
ALWAYS_INLINE dd dd_two_sum(double a, double b)
{
    double sum = a + b, b_part = sum - a;
    return (dd){sum, (a - (sum - b_part)) + (b - b_part)};
}

/* The upper 26 bits of a number below 2^996, and the others (Veltkamp). */
ALWAYS_INLINE dd dd_split(double x)
{
    const double spread = x * (0x1p27 + 1), high = spread - (spread - x);
    return (dd){high, x - high};
}

/* a * b exactly. */
ALWAYS_INLINE dd dd_two_prod(double a, double b)
{
    double product = a * b;
    return (dd){product, halfcl_product_rest(a, b, product)};
}

/* a * b exactly, by Dekker's algorithm, for loops of which compilers make vectors: there a
 * fused multiply-add may be a call. */
ALWAYS_INLINE dd dd_two_prod_in_parts(double a, double b)
{
    const dd x = dd_split(a), y = dd_split(b);
    const double product = a * b;
    const double rest = (x.hi * y.hi - product) + x.hi * y.lo + x.lo * y.hi;
    return (dd){product, rest + x.lo * y.lo};
}

ALWAYS_INLINE dd dd_neg(dd a)
{
    return (dd){-a.hi, -a.lo};
}

ALWAYS_INLINE dd dd_add(dd a, dd b)
{
    dd high = dd_two_sum(a.hi, b.hi), low = dd_two_sum(a.lo, b.lo);
    high = dd_fast_two_sum(high.hi, high.lo + low.hi);
    return dd_fast_two_sum(high.hi, high.lo + low.lo);
}

/* a + b for |a| >= 2 |b| or a == 0; cheaper than dd_add. */
ALWAYS_INLINE dd dd_fast_add(dd a, dd b)
{
    dd high = dd_fast_two_sum(a.hi, b.hi);
    return dd_fast_two_sum(high.hi, high.lo + (a.lo + b.lo));
}

ALWAYS_INLINE dd dd_add_d(dd a, double b)
{
    dd high = dd_two_sum(a.hi, b);
    return dd_fast_two_sum(high.hi, high.lo + a.lo);
}

ALWAYS_INLINE dd dd_sub(dd a, dd b)
{
    return dd_add(a, dd_neg(b));
}

ALWAYS_INLINE dd dd_mul(dd a, dd b)
{
    dd product = dd_two_prod(a.hi, b.hi);
    return dd_fast_two_sum(product.hi, product.lo + (a.hi * b.lo + a.lo * b.hi));
}

ALWAYS_INLINE dd dd_mul_d(dd a, double b)
{
    dd product = dd_two_prod(a.hi, b);
    return dd_fast_two_sum(product.hi, product.lo + a.lo * b);
}

/* a times a power of two. */
ALWAYS_INLINE dd dd_scale(dd a, double power)
{
    return (dd){a.hi * power, a.lo * power};
}

ALWAYS_INLINE dd dd_div(dd a, dd b)
{
    double quotient = a.hi / b.hi;
    dd product = dd_mul_d(b, quotient);
    double rest = (a.hi - product.hi) + (a.lo - product.lo);
    return dd_fast_two_sum(quotient, rest / b.hi);
}

ALWAYS_INLINE dd dd_inverse(dd a)
{
    return dd_div(dd_of(1), a);
}

/* The root of a > 0: one step of Newton's method from the root of hi. */
ALWAYS_INLINE dd dd_sqrt(dd a)
{
    double root = sqrt(a.hi);
    dd rest = dd_sub(a, dd_two_prod(root, root));
    return dd_fast_two_sum(root, rest.hi / (2 * root));
}

/* c[0] + c[1] x + ... + c[n - 1] x^(n-1), by the compensated Horner scheme: the low parts are
 * summed separately. The terms from c[precise] on are so small that doubles are enough for
 * them. The error of the rest is within 2^-100 of the greatest term. */
ALWAYS_INLINE dd dd_series(dd x, const dd *c, int precise, int n)
{
    double tail = 0;
    for (int i = n - 1; i >= precise; --i)
        tail = tail * x.hi + c[i].hi;
    dd sum = dd_of(tail);
    for (int i = precise - 1; i >= 0; --i) {
        dd product = dd_two_prod(sum.hi, x.hi), high = dd_two_sum(c[i].hi, product.hi);
        double cross = sum.hi * x.lo + sum.lo * x.hi;
        sum = (dd){high.hi, high.lo + (product.lo + cross + c[i].lo)};
    }
    return dd_fast_two_sum(sum.hi, sum.lo);
}

/* Marks a result that is not a double, whatever the arithmetic gave: lo == 0 marks exact
 * results. */
ALWAYS_INLINE dd dd_inexact(dd a)
{
    return a.lo == 0 ? (dd){a.hi, a.hi * 0x1p-105} : a;
}

#endif
