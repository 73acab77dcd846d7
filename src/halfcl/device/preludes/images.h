/* ------------------------------------------------------------ coordinates */

/* The bits of samplers, as in OpenCL's CLK_ constants. */
#define HCI_NORMALIZED 0x1u
#define HCI_ADDRESSING 0xeu
#define HCI_CLAMP_TO_EDGE 2u
#define HCI_REPEAT 6u
#define HCI_MIRRORED_REPEAT 8u
#define HCI_LINEAR 0x20u

/* The value for reads without a sampler. */
#define HCI_NO_SAMPLER 0x40u

/* All arithmetic is in integers, as on the host: a coordinate is a multiple of 2^-149, and so
 * is its product with a size, minus a half, and so are weights. They are limbs of 32 bits, the
 * lowest first. */
#define HCI_UNIT 149
#define HCI_UNIT_LIMB 4
#define HCI_UNIT_BIT 21
#define HCI_FIXED 8
#define HCI_WEIGHT 5
#define HCI_PRODUCT (3 * HCI_WEIGHT + 1)
#define HCI_SUM 25

/* A float or an int: significand 2^(bit - 149). */
typedef struct {
    unsigned int significand;
    int bit, is_negative, is_nan;
} hci_coordinate;

/* The two texels beside a coordinate, -1 for one outside; and the weight of the second one. */
typedef struct {
    int index[2];
    unsigned int weight[HCI_WEIGHT];
} hci_place;

HCI_FUNCTION hci_coordinate hci_coordinate_of_float(float x)
{
    unsigned int bits = hci_bits_of_float(x), exponent = bits >> 23 & 255;
    hci_coordinate c;
    c.significand = (bits & 0x7fffff) | (exponent ? 0x800000u : 0);
    c.bit = exponent ? (int)exponent - 1 : 0;
    c.is_negative = bits >> 31 != 0;
    c.is_nan = (bits & 0x7fffffff) > 0x7f800000;
    return c;
}

HCI_FUNCTION hci_coordinate hci_coordinate_of_int(int x)
{
    hci_coordinate c;
    c.significand = x < 0 ? 0u - (unsigned int)x : (unsigned int)x;
    c.bit = HCI_UNIT;
    c.is_negative = x < 0;
    c.is_nan = 0;
    return c;
}

HCI_FUNCTION void hci_fixed_negate(unsigned int *x)
{
    hci_ulong carry = 1;
    for (int k = 0; k < HCI_FIXED; ++k) {
        carry += ~x[k];
        x[k] = (unsigned int)carry;
        carry >>= 32;
    }
}

HCI_FUNCTION void hci_fixed_multiply(unsigned int *x, unsigned int factor)
{
    hci_ulong carry = 0;
    for (int k = 0; k < HCI_FIXED; ++k) {
        carry += (hci_ulong)x[k] * factor;
        x[k] = (unsigned int)carry;
        carry >>= 32;
    }
}

HCI_FUNCTION void hci_fixed_add(unsigned int *x, int bit, unsigned int value)
{
    hci_ulong carry = (hci_ulong)value << bit % 32;
    for (int k = 0; k < HCI_FIXED; ++k) {
        if (k < bit / 32)
            continue;
        carry += x[k];
        x[k] = (unsigned int)carry;
        carry >>= 32;
    }
}

/* Set all bits from this one on to 0. */
HCI_FUNCTION void hci_fixed_cut(unsigned int *x, int bit)
{
    x[bit / 32] &= (1u << bit % 32) - 1;
    for (int k = bit / 32 + 1; k < HCI_FIXED; ++k)
        x[k] = 0;
}

HCI_FUNCTION hci_long hci_fixed_floor(const unsigned int *x)
{
    hci_ulong low = (hci_ulong)x[HCI_UNIT_LIMB + 1] << 32 | x[HCI_UNIT_LIMB];
    hci_ulong high = (hci_ulong)x[HCI_UNIT_LIMB + 3] << 32 | x[HCI_UNIT_LIMB + 2];
    return (hci_long)(low >> HCI_UNIT_BIT | high << (64 - HCI_UNIT_BIT));
}

HCI_FUNCTION int hci_index_of(hci_long i, int size, unsigned int addressing)
{
    int is_below = i < 0;
    if (!is_below && i < size)
        return (int)i;
    if (addressing == HCI_CLAMP_TO_EDGE || addressing == HCI_MIRRORED_REPEAT)
        return is_below ? 0 : size - 1;
    if (addressing == HCI_REPEAT)
        return is_below ? size - 1 : 0;
    return -1;
}

HCI_RARE hci_place hci_place_of(hci_coordinate c, int size, unsigned int sampler)
{
    hci_place place;
    unsigned int x[HCI_FIXED], addressing = sampler & HCI_ADDRESSING;
    int is_huge = c.is_nan || c.bit > HCI_UNIT + 8; /* floats from 2^32 on */
    for (int k = 0; k < 2; ++k)
        place.index[k] = 0;
    for (int k = 0; k < HCI_WEIGHT; ++k)
        place.weight[k] = 0;
    if (c.is_nan && addressing == HCI_CLAMP_TO_EDGE)
        return place;
    if (is_huge) { /* even for mirrored repeats, otherwise outside */
        int repeats = addressing == HCI_REPEAT || addressing == HCI_MIRRORED_REPEAT;
        c.significand = repeats ? 0 : 1;
        c.bit = HCI_UNIT + 32;
        c.is_negative |= c.is_nan;
    }
    for (int k = 0; k < HCI_FIXED; ++k)
        x[k] = 0;
    hci_fixed_add(x, c.bit, c.significand);
    if (c.is_negative)
        hci_fixed_negate(x);
    if (addressing == HCI_REPEAT)
        hci_fixed_cut(x, HCI_UNIT);
    if (addressing == HCI_MIRRORED_REPEAT) {
        hci_fixed_cut(x, HCI_UNIT + 1);
        if (hci_fixed_floor(x) >= 1) { /* the distance from 2 */
            hci_fixed_negate(x);
            hci_fixed_add(x, HCI_UNIT, 2);
        }
    }
    if (sampler & HCI_NORMALIZED)
        hci_fixed_multiply(x, (unsigned int)size);
    if (sampler & HCI_LINEAR) { /* subtract a half */
        hci_fixed_negate(x);
        hci_fixed_add(x, HCI_UNIT - 1, 1);
        hci_fixed_negate(x);
    }
    hci_long i = hci_fixed_floor(x);
    place.index[0] = hci_index_of(i, size, addressing);
    place.index[1] = hci_index_of(i + 1, size, addressing);
    if (sampler & HCI_LINEAR) {
        hci_fixed_cut(x, HCI_UNIT);
        for (int k = 0; k < HCI_WEIGHT; ++k)
            place.weight[k] = x[k];
    }
    return place;
}

/* True if a sampler takes the texel at a coordinate's floor: it needs no limbs. */
HCI_FUNCTION int hci_is_near(unsigned int sampler)
{
    return !(sampler & (HCI_NORMALIZED | HCI_LINEAR)) &&
           (sampler & HCI_ADDRESSING) < HCI_REPEAT;
}

/* The index of the texel at a coordinate's floor; -1 outside. */
HCI_FUNCTION int hci_near_index(hci_coordinate c, int size, unsigned int addressing)
{
    int shift = HCI_UNIT - c.bit;
    hci_ulong whole;
    if (c.is_nan)
        return addressing == HCI_CLAMP_TO_EDGE ? 0 : -1;
    if (shift <= 0) /* from 2^41 on all are outside */
        whole = (hci_ulong)c.significand << (shift < -16 ? 16 : -shift);
    else {
        whole = shift < 32 ? c.significand >> shift : 0;
        if (c.is_negative && whole << (shift & 31) != c.significand)
            ++whole;
    }
    return hci_index_of(c.is_negative ? -(hci_long)whole : (hci_long)whole, size, addressing);
}

/* The nearest of an image's layers, ties to even; without a sampler -1 is outside. */
HCI_FUNCTION int hci_layer_of(hci_coordinate c, int layers, unsigned int sampler)
{
    int whole, last = layers - 1;
    if (c.is_nan)
        return 0;
    if (c.bit == HCI_UNIT || c.significand == 0) /* an int, or a float of at least 2^23 */
        whole = c.significand > (unsigned int)last ? layers : (int)c.significand;
    else if (c.bit > HCI_UNIT)
        whole = c.bit - HCI_UNIT > 8 ||
                        (hci_ulong)c.significand << (c.bit - HCI_UNIT) > (hci_ulong)last
                    ? layers
                    : (int)(c.significand << (c.bit - HCI_UNIT));
    else if (HCI_UNIT - c.bit > 24) /* less than a half */
        whole = 0;
    else {
        int shift = HCI_UNIT - c.bit;
        unsigned int rest = c.significand << (32 - shift), half_of_it = 0x80000000u;
        whole = (int)(c.significand >> shift);
        whole += rest > half_of_it || (rest == half_of_it && (whole & 1));
    }
    if (c.is_negative && c.significand != 0)
        return sampler & HCI_NO_SAMPLER ? -1 : 0;
    if (whole > last)
        return sampler & HCI_NO_SAMPLER ? -1 : last;
    return whole;
}

/* ------------------------------------------------------------ sums of texels */

/* high 2^(exponent - 63), whose top bit is set, as a float: rounded to nearest, or to odd, so
 * that rounding again is correct; more: whether there are further bits. */
HCI_FUNCTION float hci_rounded(hci_ulong high, int exponent, int more, int is_negative,
                               int to_odd)
{
    int least = exponent < -126 ? -126 : exponent, drop = 40 + least - exponent;
    hci_ulong bits = drop < 64 ? high >> drop : 0;
    hci_ulong rest = drop > 64 ? 0 : high << (64 - drop), middle = (hci_ulong)1 << 63;
    more = more || drop > 64;
    if (to_odd)
        bits |= (unsigned int)(more || rest != 0);
    else
        bits += rest > middle || (rest == middle && (more || (bits & 1)));
    unsigned int sign = is_negative ? 0x80000000u : 0;
    return hci_float_of_bits(sign | (((unsigned int)(least + 126) << 23) + (unsigned int)bits));
}

/* A code divided by that of 1. */
HCI_FUNCTION float hci_code_quotient(float code, unsigned int divisor, int to_odd)
{
    if (divisor == 1 || code == 0)
        return code;
    hci_ulong size = (hci_ulong)(code < 0 ? -code : code) << 47;
    hci_ulong quotient = size / divisor;
    int shift = hci_leading_zeros(quotient);
    return hci_rounded(quotient << shift, 16 - shift, size % divisor != 0, code < 0, to_odd);
}

/* Multiply limbs; the product has `more` further limbs. */
HCI_FUNCTION int hci_sum_multiply(unsigned int *x, int count, const unsigned int *y, int more)
{
    unsigned int product[HCI_PRODUCT];
    for (int k = 0; k < count + more; ++k)
        product[k] = 0;
    for (int i = 0; i < count; ++i) {
        hci_ulong carry = 0;
        for (int k = 0; k < more; ++k) {
            carry += (hci_ulong)x[i] * y[k] + product[i + k];
            product[i + k] = (unsigned int)carry;
            carry >>= 32;
        }
        product[i + more] = (unsigned int)carry;
    }
    for (int k = 0; k < count + more; ++k)
        x[k] = product[k];
    return count + more;
}

/* Add or subtract weight * significand << bit; the sum has so many limbs. */
HCI_FUNCTION void hci_sum_add(unsigned int *sum, int limbs, const unsigned int *weight,
                              int count, unsigned int significand, int bit, int is_negative)
{
    hci_ulong product = 0, change = is_negative;
    unsigned int before = 0, mask = is_negative ? 0xffffffffu : 0;
    for (int k = 0; k < limbs; ++k) {
        int i = k - bit / 32;
        unsigned int limb = 0, shifted;
        if (i >= 0) {
            product += i < count ? (hci_ulong)weight[i] * significand : 0;
            limb = (unsigned int)product;
            product >>= 32;
        }
        shifted = (unsigned int)(((hci_ulong)limb << 32 | before) >> (32 - bit % 32));
        before = limb;
        change += (hci_ulong)sum[k] + (shifted ^ mask);
        sum[k] = (unsigned int)change;
        change >>= 32;
    }
}

/* A sum divided by a divisor, in units of 2^-unit, as a float. */
HCI_FUNCTION float hci_sum_rounded(unsigned int *sum, int limbs, int unit, unsigned int divisor,
                                   int to_odd)
{
    int is_negative = sum[limbs - 1] >> 31 != 0, more = 0, top = limbs - 1, shift;
    hci_ulong rest = 0, carry = is_negative, high;
    for (int k = 0; is_negative && k < limbs; ++k) {
        carry += ~sum[k];
        sum[k] = (unsigned int)carry;
        carry >>= 32;
    }
    for (int k = limbs - 1; divisor > 1 && k >= 0; --k) {
        rest = rest << 32 | sum[k];
        sum[k] = (unsigned int)(rest / divisor);
        rest %= divisor;
    }
    while (top > 0 && sum[top] == 0)
        --top;
    if (sum[top] == 0 && rest == 0)
        return 0;
    high = (hci_ulong)sum[top] << 32 | (top > 0 ? sum[top - 1] : 0);
    shift = hci_leading_zeros(high);
    high <<= shift;
    if (top > 1 && shift > 0) {
        high |= sum[top - 2] >> (32 - shift);
        more = sum[top - 2] << shift != 0;
    } else if (top > 1)
        more = sum[top - 2] != 0;
    for (int k = 0; k < top - 2; ++k)
        more |= sum[k] != 0;
    return hci_rounded(high, 32 * top + 31 - shift - unit, more || rest != 0, is_negative,
                       to_odd);
}

/* The lowest limb of a weight that is not zero; HCI_WEIGHT if all are. */
HCI_FUNCTION int hci_first_limb(const unsigned int *weight)
{
    int first = 0;
    while (first < HCI_WEIGHT && weight[first] == 0)
        ++first;
    return first;
}

/* A corner's weight, a product over all dimensions, and its number of limbs. */
HCI_FUNCTION int hci_weight_of(const hci_place *places, int dims, int corner,
                               unsigned int *weight)
{
    int count = 1;
    weight[0] = 1;
    for (int d = 0; d < dims; ++d) {
        int first = hci_first_limb(places[d].weight);
        unsigned int factor[HCI_WEIGHT];
        hci_ulong borrow = 0;
        if (first == HCI_WEIGHT)
            continue; /* the first texel has the whole weight */
        for (int k = first; k < HCI_WEIGHT; ++k) {
            hci_ulong one = k == HCI_UNIT_LIMB ? 1u << HCI_UNIT_BIT : 0;
            hci_ulong rest = one - places[d].weight[k] - borrow;
            borrow = rest >> 63;
            factor[k - first] = corner >> d & 1 ? places[d].weight[k] : (unsigned int)rest;
        }
        count = hci_sum_multiply(weight, count, factor, HCI_WEIGHT - first);
    }
    return count;
}

/* True if a corner's weight is not zero. */
HCI_FUNCTION int hci_counts(const hci_place *places, int dims, int corner)
{
    for (int d = 0; d < dims; ++d)
        if (corner >> d & 1 && hci_first_limb(places[d].weight) == HCI_WEIGHT)
            return 0;
    return 1;
}

/* The sum of texels times their weights, divided by a divisor. Bit d of a texel's number is
 * its side along dimension d. */
HCI_RARE float hci_blend(const float *texels, const hci_place *places, int dims,
                         unsigned int divisor, int to_odd)
{
    unsigned int sum[HCI_SUM], weight[HCI_PRODUCT];
    int lowest = HCI_FIXED, highest = 0, limbs = 1, unit = HCI_UNIT, infinite = 0;
    for (int corner = 0; corner < 1 << dims; ++corner) {
        unsigned int bits = hci_bits_of_float(texels[corner]);
        if ((bits & 0x7fffffff) == 0 || !hci_counts(places, dims, corner))
            continue;
        hci_coordinate texel = hci_coordinate_of_float(texels[corner]);
        if (texel.is_nan)
            return HCI_NAN;
        if ((bits & 0x7fffffff) == 0x7f800000)
            infinite |= texel.is_negative ? 2 : 1;
        lowest = texel.bit / 32 < lowest ? texel.bit / 32 : lowest;
        highest = texel.bit / 32 > highest ? texel.bit / 32 : highest;
    }
    if (infinite)
        return infinite == 3 ? HCI_NAN : infinite == 2 ? -HCI_INFINITY : HCI_INFINITY;
    if (lowest == HCI_FIXED)
        return 0;
    if (divisor > 1) /* quotients have lower bits */
        --lowest;
    limbs += highest - lowest + 2;
    unit -= 32 * lowest;
    for (int d = 0; d < dims; ++d) {
        int first = hci_first_limb(places[d].weight);
        limbs += HCI_WEIGHT - first;
        unit += first < HCI_WEIGHT ? HCI_UNIT - 32 * first : 0;
    }
    for (int k = 0; k < limbs; ++k)
        sum[k] = 0;
    for (int corner = 0; corner < 1 << dims; ++corner) {
        hci_coordinate texel = hci_coordinate_of_float(texels[corner]);
        if (texel.significand == 0 || !hci_counts(places, dims, corner))
            continue;
        int count = hci_weight_of(places, dims, corner, weight);
        hci_sum_add(sum, limbs, weight, count, texel.significand, texel.bit - 32 * lowest,
                    texel.is_negative);
    }
    return hci_sum_rounded(sum, limbs, unit, divisor, to_odd);
}

/* ------------------------------------------------------------ samples */

/* The size of an image along x, y and z; its layers, if it has any; its border's alpha; and
 * the divisors of its components' codes. */
typedef struct {
    int size[3], dims, layers, alpha;
    unsigned int divisor[4];
} hci_layout;

/* The place of a sample. */
typedef struct {
    hci_place along[3];
    int layer, dims; /* the number of filtered dimensions */
    int is_short;    /* whether corners' weights have few bits */
    hci_ulong weight[8];
} hci_places;

/* Bits per dimension of short weights, whose products then have 63 bits. */
HCI_FUNCTION int hci_short_bits(int dims)
{
    return dims == 3 ? 21 : 31;
}

HCI_FUNCTION void hci_weigh(hci_places *found)
{
    int bits = hci_short_bits(found->dims), shift = HCI_UNIT - 96 - bits;
    hci_ulong second[3];
    found->is_short = 1;
    for (int d = 0; d < found->dims; ++d) {
        const unsigned int *weight = found->along[d].weight;
        hci_ulong top = (hci_ulong)weight[4] << 32 | weight[3];
        second[d] = top >> shift;
        found->is_short &=
            second[d] << shift == top && (weight[0] | weight[1] | weight[2]) == 0;
    }
    for (int corner = 0; corner < 1 << found->dims; ++corner) {
        found->weight[corner] = 1;
        for (int d = 0; d < found->dims; ++d)
            found->weight[corner] *=
                corner >> d & 1 ? second[d] : ((hci_ulong)1 << bits) - second[d];
    }
}

/* An integer of 128 bits. */
typedef struct {
    hci_ulong high, low;
} hci_total;

HCI_FUNCTION hci_total hci_total_negative(hci_total x)
{
    x.low = 0 - x.low;
    x.high = 0 - x.high - (x.low != 0);
    return x;
}

/* Add or subtract a product. */
HCI_FUNCTION void hci_total_add(hci_total *sum, hci_ulong a, hci_ulong b, int is_negative)
{
    hci_total product;
    product.high = hci_mul_high(a, b);
    product.low = a * b;
    if (is_negative)
        product = hci_total_negative(product);
    sum->low += product.low;
    sum->high += product.high + (sum->low < product.low);
}

/* Divide, and return the remainder. */
HCI_FUNCTION unsigned int hci_total_divide(hci_total *x, unsigned int divisor)
{
    hci_ulong middle = x->high % divisor << 32 | x->low >> 32;
    hci_ulong last = middle % divisor << 32 | (x->low & 0xffffffff);
    x->high /= divisor;
    x->low = middle / divisor << 32 | last / divisor;
    return (unsigned int)(last % divisor);
}

/* Find a last bit of which all texels are multiples, low enough for quotients. Return whether
 * there is one: texels must be finite, and not too far apart. */
HCI_FUNCTION int hci_last_bit(const float *texels, const hci_places *found,
                              unsigned int divisor, int *last)
{
    int least = 1 << 10, greatest = 0;
    for (int corner = 0; corner < 1 << found->dims; ++corner) {
        hci_coordinate texel = hci_coordinate_of_float(texels[corner]);
        unsigned int bits = texel.significand;
        if (bits == 0 || found->weight[corner] == 0)
            continue;
        int lowest = texel.bit + 63 - hci_leading_zeros((hci_ulong)(bits & (0u - bits)));
        least = lowest < least ? lowest : least;
        greatest = texel.bit > greatest ? texel.bit : greatest;
    }
    *last = divisor > 1 ? least - 44 : least;
    return greatest < 254 && greatest + 24 - *last <= 62;
}

/* The sum of texels times their weights, divided by a divisor, in 128 bits; or in as many as
 * necessary. */
HCI_SELDOM float hci_filtered(const float *texels, const hci_places *found,
                              unsigned int divisor, int to_odd)
{
    int last, shift, more = 0, is_negative;
    hci_total sum;
    if (!found->is_short || !hci_last_bit(texels, found, divisor, &last))
        return hci_blend(texels, found->along, found->dims, divisor, to_odd);
    sum.high = sum.low = 0;
    for (int corner = 0; corner < 1 << found->dims; ++corner) {
        hci_coordinate texel = hci_coordinate_of_float(texels[corner]);
        hci_ulong value = texel.significand;
        if (value == 0 || found->weight[corner] == 0)
            continue;
        value = texel.bit < last ? value >> (last - texel.bit) : value << (texel.bit - last);
        hci_total_add(&sum, value, found->weight[corner], texel.is_negative);
    }
    is_negative = sum.high >> 63 != 0;
    if (is_negative)
        sum = hci_total_negative(sum);
    if (divisor > 1)
        more = hci_total_divide(&sum, divisor) != 0;
    if ((sum.high | sum.low) == 0)
        return 0;
    shift = sum.high ? hci_leading_zeros(sum.high) : 64 + hci_leading_zeros(sum.low);
    if (shift >= 64)
        sum.high = sum.low << (shift - 64);
    else if (shift > 0) {
        sum.high = sum.high << shift | sum.low >> (64 - shift);
        more |= sum.low << shift != 0;
    } else
        more |= sum.low != 0;
    int unit = HCI_UNIT - last + found->dims * hci_short_bits(found->dims);
    return hci_rounded(sum.high, 127 - shift - unit, more, is_negative, to_odd);
}

HCI_SELDOM hci_places hci_find(hci_layout own, unsigned int sampler, const hci_coordinate *at)
{
    hci_places found;
    found.layer = own.layers ? hci_layer_of(at[own.dims], own.layers, sampler) : 0;
    found.dims = sampler & HCI_LINEAR ? own.dims : 0;
    for (int d = 0; d < own.dims; ++d)
        found.along[d] = hci_place_of(at[d], own.size[d], sampler);
    hci_weigh(&found);
    return found;
}

/* A corner's texel as x, y, z and layer; whether it is inside. */
HCI_FUNCTION int hci_corner(hci_layout own, const hci_places *found, int corner, int *texel)
{
    int is_inside = found->layer >= 0;
    texel[1] = texel[2] = 0;
    texel[3] = found->layer;
    for (int d = 0; d < own.dims; ++d) {
        texel[d] = found->along[d].index[corner >> d & 1];
        is_inside &= texel[d] >= 0;
    }
    return is_inside;
}

/* Find the texel at a coordinate's floor, for samplers of which hci_is_near is true; return
 * whether it is inside. */
HCI_FUNCTION int hci_near_texel(hci_layout own, unsigned int sampler, const hci_coordinate *at,
                                int *texel)
{
    int is_inside;
    texel[1] = texel[2] = 0;
    texel[3] = own.layers ? hci_layer_of(at[own.dims], own.layers, sampler) : 0;
    is_inside = texel[3] >= 0;
    for (int d = 0; d < own.dims; ++d) {
        texel[d] = hci_near_index(at[d], own.size[d], sampler & HCI_ADDRESSING);
        is_inside &= texel[d] >= 0;
    }
    return is_inside;
}

/* Define sampling of a kind of image with its functions hci_layout_of and hci_fetch: four
 * numbers; to_odd: round to odd, so that they can be rounded again. HCI_SAMPLING is the start
 * of such functions' declarations. */
#define HCI_SAMPLE(IMAGE)                                                                      \
    HCI_SAMPLING void hci_sample(IMAGE a, unsigned int sampler, const hci_coordinate *at,      \
                                 int to_odd, float *out)                                       \
    {                                                                                          \
        hci_layout own = hci_layout_of(a);                                                     \
        hci_places found = hci_find(own, sampler, at);                                         \
        float corners[4][8], values[4];                                                        \
        int texel[4];                                                                          \
        for (int corner = 0; corner < 1 << found.dims; ++corner) {                             \
            values[0] = values[1] = values[2] = 0;                                             \
            values[3] = own.alpha ? (float)own.divisor[3] : 0;                                 \
            if (hci_corner(own, &found, corner, texel))                                        \
                hci_fetch(a, texel, own.divisor, values);                                      \
            for (int k = 0; k < 4; ++k)                                                        \
                corners[k][corner] = values[k];                                                \
        }                                                                                      \
        for (int k = 0; k < 4; ++k)                                                            \
            out[k] = found.dims ? hci_filtered(corners[k], &found, own.divisor[k], to_odd)     \
                                : hci_code_quotient(corners[k][0], own.divisor[k], to_odd);    \
    }

/* Define hci_near, for samplers of which hci_is_near is true: a fraction of the text. */
#define HCI_SAMPLE_NEAR(IMAGE)                                                                 \
    HCI_SAMPLING void hci_near(IMAGE a, unsigned int sampler, const hci_coordinate *at,        \
                               int to_odd, float *out)                                         \
    {                                                                                          \
        hci_layout own = hci_layout_of(a);                                                     \
        float values[4];                                                                       \
        int texel[4];                                                                          \
        values[0] = values[1] = values[2] = 0;                                                 \
        values[3] = own.alpha ? (float)own.divisor[3] : 0;                                     \
        if (hci_near_texel(own, sampler, at, texel))                                           \
            hci_fetch(a, texel, own.divisor, values);                                          \
        for (int k = 0; k < 4; ++k)                                                            \
            out[k] = hci_code_quotient(values[k], own.divisor[k], to_odd);                     \
    }

/* Sampling of integers, which are not filtered. */
#define HCI_SAMPLE_INTEGERS(IMAGE, T, fetch)                                                   \
    HCI_SAMPLING void hci_sample(IMAGE a, unsigned int sampler, const hci_coordinate *at,      \
                                 T *out)                                                       \
    {                                                                                          \
        hci_layout own = hci_layout_of(a);                                                     \
        hci_places found = hci_find(own, sampler, at);                                         \
        int texel[4];                                                                          \
        out[0] = out[1] = out[2] = 0;                                                          \
        out[3] = (T)own.alpha;                                                                 \
        if (hci_corner(own, &found, 0, texel))                                                 \
            fetch(a, texel, out);                                                              \
    }
