/* Sums, means, variances and roots from exact sums, rounded once to half, float or double. */
#include <math.h>

#include "exact/format.h"
#include "exact/natural.h"
#include "exact/sum.h"

/* Units of sums, and of sums of products. */
enum { SUM_UNIT = -24, PRODUCTS_UNIT = -48 };

/* The significands to be rounded have at least this many bits, two more than a double, or are
 * exact. */
enum { ENOUGH_BITS = 55 };

/* ------------------------------------------------------------ the formats */

static const format formats[HALFCL_TYPES] = {
    [HALFCL_HALF] = {11, -24, HALF_INF, HALF_QUIET, HALF_SIGN},
    [HALFCL_FLOAT] = {24, -149, FLOAT_INF, FLOAT_QUIET, (uint64_t)1 << 31},
    [HALFCL_DOUBLE] = {53, -1074, (uint64_t)0x7ff << 52, (uint64_t)1 << 51, (uint64_t)1 << 63},
};

static void store(halfcl_type type, uint64_t bits, void *result)
{
    uint16_t half = (uint16_t)bits;
    uint32_t single = (uint32_t)bits;
    if (type == HALFCL_HALF)
        memcpy(result, &half, sizeof half);
    else if (type == HALFCL_FLOAT)
        memcpy(result, &single, sizeof single);
    else
        memcpy(result, &bits, sizeof bits);
}

/* Rounds significand * 2^exponent to the format. */
static uint64_t pack(const format *f, bool negative, uint64_t significand, int exponent,
                     halfcl_rounding mode, unsigned *flags)
{
    if (f->precision == 11)
        return half_round_pack(negative, significand, exponent, mode, flags);
    natural whole = natural_of(significand);
    return round_to_format(*f, negative, significand, natural_bits(&whole), exponent, mode,
                           flags);
}

/* ------------------------------------------------------------ quotients and roots */

/* The exact value of a statistic: numerator / (first * second) * 2^unit, or its square root. */
typedef struct {
    natural numerator;
    uint64_t first, second;
    int unit;
    bool negative, root;
} quantity;

/* Returns the significand rounded to odd: at most 64 bits, and at least ENOUGH_BITS if it is
 * not exact. The quotient has 2 ENOUGH_BITS, since its root has half of them, and an even
 * exponent. */
static uint64_t significand_of(const quantity *q, int *exponent)
{
    natural first = natural_of(q->first), second = natural_of(q->second);
    int left = 2 * ENOUGH_BITS + 2 + natural_bits(&first) + natural_bits(&second) -
               natural_bits(&q->numerator);
    left += (q->unit - left) & 1;
    bool rest = false;
    for (int bit = 0; bit < -left; ++bit)
        rest |= q->numerator.limb[bit / 32] >> bit % 32 & 1;
    natural quotient = natural_shifted(&q->numerator, left);
    quotient = natural_quotient(&quotient, q->first, &rest);
    quotient = natural_quotient(&quotient, q->second, &rest);
    *exponent = q->unit - left;
    if (q->root) {
        *exponent /= 2;
        return natural_root(&quotient, &rest) | rest;
    }
    int cut;
    uint64_t significand = natural_significand(&quotient, &cut);
    *exponent += cut;
    return significand | rest;
}

/* Returns the quantity with a relative error within 2^-45. */
static double approximate(const quantity *q)
{
    double quotient = natural_near(&q->numerator) / (double)q->first / (double)q->second;
    quotient = ldexp(quotient, q->unit);
    return q->root ? sqrt(quotient) : quotient;
}

/* Rounds the quantity to half or float by a double that is near, if both ends of its error
 * interval lie between the same two neighbours, on the same side: then it is not exact. */
static bool round_near(const quantity *q, halfcl_type type, halfcl_rounding mode,
                       uint64_t *bits, unsigned *flags)
{
    const format *f = &formats[type];
    const uint64_t leading = (uint64_t)1 << 52, margin = 1 << 8; /* in units of 2^-52 */
    if (type == HALFCL_DOUBLE)
        return false;
    uint64_t size = bits_of_double(approximate(q));
    int exponent = (int)(size >> 52) - 1075;
    uint64_t middle = (size & (leading - 1)) | leading, packed[2][2];
    unsigned raised[2] = {0, 0}, ignored = 0;
    for (int end = 0; end < 2; ++end) {
        uint64_t significand = end ? middle + margin : middle - margin;
        packed[end][0] = pack(f, q->negative, significand, exponent, mode, &raised[end]);
        packed[end][1] = pack(f, false, significand, exponent, HALFCL_RTZ, &ignored);
    }
    uint64_t below = packed[0][1];
    bool clear =
        packed[0][0] == packed[1][0] && below == packed[1][1] && raised[0] == raised[1];
    *bits = packed[0][0];
    *flags |= clear ? raised[0] : 0;
    return clear;
}

static uint64_t round_quantity(const quantity *q, halfcl_type type, halfcl_rounding mode,
                               unsigned *flags)
{
    uint64_t bits;
    int exponent;
    if (natural_is_zero(&q->numerator))
        return 0;
    if (round_near(q, type, mode, &bits, flags))
        return bits;
    uint64_t significand = significand_of(q, &exponent);
    return pack(&formats[type], q->negative, significand, exponent, mode, flags);
}

/* ------------------------------------------------------------ statistics */

static natural size_of(const exact_sum *sum, bool *negative)
{
    exact_sum size = *sum;
    natural result = {{0}};
    *negative = exact_sum_magnitude(&size);
    for (int k = 0; k < EXACT_LIMBS; ++k)
        result.limb[k] = (uint32_t)size.limb[k];
    result.limb[EXACT_LIMBS] = (uint32_t)((uint64_t)size.limb[EXACT_LIMBS - 1] >> 32);
    return result;
}

/* Rounds the sum itself, if its two highest limbs are enough for the format. */
static bool round_short(const exact_sum *sum, int unit, halfcl_type type, halfcl_rounding mode,
                        uint64_t *bits, unsigned *flags)
{
    exact_sum size = *sum;
    int cut;
    bool negative = exact_sum_magnitude(&size);
    uint64_t significand = exact_sum_significand(&size, &cut);
    if (cut > 0 && type == HALFCL_DOUBLE)
        return false;
    *bits = pack(&formats[type], negative, significand, cut + unit, mode, flags);
    return true;
}

/* Rounds the sum divided by n, or its root. */
static uint64_t round_sum(const halfcl_fold_state *sum, int unit, uint64_t n, bool root,
                          halfcl_type type, halfcl_rounding mode, unsigned *flags)
{
    quantity q = {.first = n, .second = 1, .unit = unit, .root = root};
    uint64_t bits;
    if (sum->seen & SEEN_SPECIAL)
        return special_in(formats[type], exact_sum_special(sum->seen, flags));
    if (exact_sum_is_zero(&sum->sum) && !root)
        return special_in(formats[type], zero_is_negative(sum->seen, mode) ? HALF_SIGN : 0);
    bool is_power = (n & (n - 1)) == 0;
    for (uint64_t left = n; is_power && left > 1; left /= 2)
        --unit;
    if (is_power && !root && round_short(&sum->sum, unit, type, mode, &bits, flags))
        return bits;
    q.numerator = size_of(&sum->sum, &q.negative);
    return round_quantity(&q, type, mode, flags);
}

/* Rounds (n sum(x^2) - sum(x)^2) / (n (n - ddof)), or its root. By the Cauchy-Schwarz
 * inequality the difference is at least zero. */
static uint64_t round_variance(const halfcl_fold_state *sum, const halfcl_fold_state *squares,
                               uint64_t n, uint64_t freedom, bool root, halfcl_type type,
                               halfcl_rounding mode, unsigned *flags)
{
    const format *f = &formats[type];
    bool negative;
    quantity q = {.first = n, .second = freedom, .unit = PRODUCTS_UNIT, .root = root};
    if ((sum->seen | squares->seen) & SEEN_SPECIAL) {
        if (sum->seen & SEEN_INVALID || !(sum->seen & SEEN_NAN))
            *flags |= HALFCL_INVALID; /* inf - inf */
        return f->infinity | f->quiet;
    }
    natural count = natural_of(n), total = size_of(&sum->sum, &negative);
    natural all = size_of(&squares->sum, &negative);
    all = natural_product(&all, &count);
    total = natural_product(&total, &total);
    if (natural_compare(&all, &total) > 0)
        q.numerator = natural_difference(&all, &total);
    if (freedom > 0)
        return round_quantity(&q, type, mode, flags);
    bool zero = natural_is_zero(&q.numerator);
    *flags |= zero ? HALFCL_INVALID : HALFCL_DIVBYZERO;
    return zero ? f->infinity | f->quiet : f->infinity;
}

/* Returns the bits of |high + low| from high's leading one on, 63 of them, rounded to odd. */
static uint64_t product_significand(const halfcl_fold_state *product)
{
    const uint64_t leading = (uint64_t)1 << 52;
    double low = product->product.high < 0 ? -product->product.low : product->product.low;
    double units = low * 0x1p62, whole = floor(units);
    uint64_t high = (bits_of_double(product->product.high) & (leading - 1)) | leading;
    return ((high << 10) + (uint64_t)(int64_t)whole) | (whole != units);
}

unsigned halfcl_round_product(const halfcl_kernel *fold, const halfcl_fold_state *product,
                              halfcl_type type, halfcl_rounding mode, void *result)
{
    enum { LEAST = -4096, MOST = 4096 };
    const format *f = &formats[type];
    uint16_t half;
    if (!fold || fold->kind != HALFCL_FOLD || f->precision == 0)
        return HALFCL_MISUSE;
    unsigned flags = fold->fold.finish(product, &half, mode);
    uint64_t bits = half;
    if (type != HALFCL_HALF && (product->seen & (SEEN_SPECIAL | SEEN_ZERO))) {
        bits = special_in(*f, half);
    } else if (type != HALFCL_HALF) {
        flags = 0;
        int64_t exponent = product->product.exponent;
        exponent = exponent < LEAST ? LEAST : exponent > MOST ? MOST : exponent;
        bool none = product->product.high == 0; /* the product of no factors, 1 */
        bits = pack(f, product->product.high < 0, none ? 1 : product_significand(product),
                    none ? 0 : (int)exponent - 62, mode, &flags);
    }
    store(type, bits, result);
    return flags;
}

unsigned halfcl_round_statistic(halfcl_statistic what, const halfcl_moments *of, uint64_t n,
                                uint64_t freedom, halfcl_type type, halfcl_rounding mode,
                                void *result)
{
    if (formats[type].precision == 0)
        return HALFCL_MISUSE;
    bool of_products = what == HALFCL_SUM_OF_PRODUCTS || what == HALFCL_NORM;
    unsigned flags = 0;
    uint64_t bits = formats[type].infinity | formats[type].quiet;
    if (what == HALFCL_SUM || of_products)
        bits = round_sum(of_products ? of->products : of->sum,
                         of_products ? PRODUCTS_UNIT : SUM_UNIT, 1, what == HALFCL_NORM, type,
                         mode, &flags);
    else if (n == 0)
        flags = HALFCL_INVALID;
    else if (what == HALFCL_MEAN)
        bits = round_sum(of->sum, SUM_UNIT, n, false, type, mode, &flags);
    else
        bits = round_variance(of->sum, of->products, n, freedom, what == HALFCL_DEVIATION, type,
                              mode, &flags);
    store(type, bits, result);
    return flags;
}
