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
 * is its product with a size, minus a half, and so are weights. Long integers are limbs of 32
 * bits, the lowest first: a weight's begin at 2^-160; a texel has nine, and a sum of texels
 * times their weights in three dimensions as many more as three weights. */
#define HCI_UNIT 149
#define HCI_WEIGHT 5
#define HCI_WEIGHT_UNIT 160
#define HCI_SUM 24

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

/* Write x 2^bit, or its negative, as limbs. */
HCI_SMALL void hci_spread(unsigned int *limbs, int count, hci_ulong x, int bit, int is_negative)
{
    hci_ulong carry = is_negative;
    HCI_ROLLED
    for (int k = 0; k < count; ++k) {
        int by = 32 * k - bit;
        hci_ulong limb = by <= -32 || by >= 64 ? 0 : by < 0 ? x << -by : x >> by;
        carry += (unsigned int)limb ^ (is_negative ? 0xffffffffu : 0);
        limbs[k] = (unsigned int)carry;
        carry >>= 32;
    }
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

/* A coordinate is whole + x 2^-shift, or whole - x 2^-shift, in which x has 63 bits at most. */
HCI_SMALL hci_place hci_place_of(hci_coordinate c, int size, unsigned int sampler)
{
    hci_place place;
    unsigned int addressing = sampler & HCI_ADDRESSING;
    int is_mirrored = addressing == HCI_MIRRORED_REPEAT, shift = HCI_UNIT - c.bit;
    hci_ulong x = c.significand, floor_of_x = 0;
    hci_long whole = 0;
    if (c.is_nan || shift < -8) { /* floats from 2^32 on: even for repeats, otherwise outside */
        x = addressing == HCI_REPEAT || is_mirrored ? 0 : 1;
        shift = -32;
        c.is_negative |= c.is_nan;
    }
    if (addressing == HCI_REPEAT || is_mirrored) { /* the rest by 1, or by 2 */
        int bits = shift + is_mirrored;
        x = bits <= 0 ? 0 : bits < 64 ? x & (((hci_ulong)1 << bits) - 1) : x;
        if (!is_mirrored)
            whole = c.is_negative && x != 0;
        else if ((c.is_negative = x != 0 && shift < 64 && x >> shift != 0))
            whole = 2; /* the distance from 2 */
    }
    if (sampler & HCI_NORMALIZED) {
        x *= (unsigned int)size;
        whole *= size;
    }
    if (shift <= 0) {
        floor_of_x = x << -shift;
        x = 0;
    } else if (shift < 64) {
        floor_of_x = x >> shift;
        x -= floor_of_x << shift;
    }
    whole += c.is_negative ? -(hci_long)floor_of_x - (x != 0) : (hci_long)floor_of_x;
    hci_spread(place.weight, HCI_WEIGHT, x, HCI_WEIGHT_UNIT - shift, c.is_negative);
    if (sampler & HCI_LINEAR) { /* subtract a half */
        whole -= place.weight[HCI_WEIGHT - 1] < 0x80000000u;
        place.weight[HCI_WEIGHT - 1] ^= 0x80000000u;
    }
    place.index[0] = hci_index_of(whole, size, addressing);
    place.index[1] = hci_index_of(whole + 1, size, addressing);
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

/* (high 2^64 + low) 2^-unit, and a little if there is more, divided by a divisor, as a float:
 * rounded to nearest, or to odd, so that rounding again is correct. */
HCI_SMALL float hci_rounded(hci_ulong high, hci_ulong low, int unit, int more,
                            unsigned int divisor, int is_negative, int to_odd)
{
    hci_ulong bits, rest, middle = (hci_ulong)1 << 63;
    int shift, exponent, least, drop;
    if (high == 0) {
        high = low;
        low = 0;
        unit -= 64;
    }
    if (high == 0)
        return 0;
    shift = hci_leading_zeros(high);
    high = high << shift | low >> 1 >> (63 - shift);
    more |= low << shift != 0;
    exponent = 127 - unit - shift;
    if (divisor > 1) {
        bits = high / divisor;
        more |= bits * divisor != high;
        shift = hci_leading_zeros(bits);
        high = bits << shift;
        exponent -= shift;
    }
    least = exponent < -126 ? -126 : exponent;
    drop = 40 + least - exponent;
    bits = drop < 64 ? high >> drop : 0;
    rest = drop > 64 ? 0 : high << (64 - drop);
    more |= drop > 64;
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
    hci_ulong size = (hci_ulong)(code < 0 ? -code : code);
    return hci_rounded(size, 0, 64, 0, divisor, code < 0, to_odd);
}

/* sum = a + (b - a) weight, of which the last limbs are behind those of a. */
HCI_LAST void hci_between(unsigned int *sum, const unsigned int *a, const unsigned int *b,
                          const unsigned int *weight)
{
    unsigned int between[HCI_SUM], total[HCI_SUM];
    hci_ulong carry = 1;
    HCI_ROLLED
    for (int k = 0; k < HCI_SUM; ++k) {
        carry += (hci_ulong)b[k] + (a[k] ^ 0xffffffffu);
        between[k] = (unsigned int)carry;
        carry >>= 32;
        total[k] = k < HCI_WEIGHT ? 0 : a[k - HCI_WEIGHT];
    }
    HCI_ROLLED
    for (int i = 0; i < HCI_WEIGHT; ++i) {
        carry = 0;
        HCI_ROLLED
        for (int k = i; k < HCI_SUM; ++k) {
            carry += (hci_ulong)weight[i] * between[k - i] + total[k];
            total[k] = (unsigned int)carry;
            carry >>= 32;
        }
    }
    HCI_ROLLED
    for (int k = 0; k < HCI_SUM; ++k)
        sum[k] = total[k];
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
    int layer, dims;     /* the number of filtered dimensions */
    int between;         /* bit d: whether the second texel along d has a weight */
    int is_exact;        /* whether corners' weights are exact; else they are within 4 of it */
    hci_ulong weight[8]; /* in units of 2^(dims - 63) */
} hci_places;

/* Find the corners' weights, by products of which the lower half is cut off. */
HCI_SMALL void hci_weigh(hci_places *found)
{
    hci_ulong second[3];
    found->is_exact = 1;
    found->between = 0;
    HCI_ROLLED
    for (int d = 0; d < found->dims; ++d) {
        const unsigned int *weight = found->along[d].weight;
        unsigned int rest = (weight[3] & 1) | weight[2] | weight[1] | weight[0];
        second[d] = ((hci_ulong)weight[4] << 32 | weight[3]) >> 1;
        found->is_exact &= rest == 0;
        found->between |= (second[d] != 0 || rest != 0) << d;
    }
    HCI_ROLLED
    for (int corner = 0; corner < 1 << found->dims; ++corner) {
        hci_ulong one = (hci_ulong)1 << 63, product = one;
        HCI_ROLLED
        for (int d = 0; d < found->dims; ++d) {
            hci_ulong factor = corner >> d & 1 ? second[d] : one - second[d];
            found->is_exact &= product * factor == 0;
            product = hci_mul_high(product, factor);
        }
        found->weight[corner] = product;
    }
}

/* The sum of texels times their weights, divided by a divisor, in as many bits as necessary.
 * Bit d of a texel's number is its side along dimension d. Texels without a weight are not
 * looked at. */
HCI_LAST float hci_blend(const float *texels, const hci_places *found, unsigned int divisor,
                         int to_odd)
{
    unsigned int sums[8][HCI_SUM];
    int infinite = 0, is_negative, unit = HCI_UNIT + HCI_WEIGHT_UNIT * found->dims, more = 0;
    hci_ulong high = 0, low = 0, carry;
    HCI_ROLLED
    for (int corner = 0; corner < 1 << found->dims; ++corner) {
        hci_coordinate texel = hci_coordinate_of_float(texels[corner]);
        hci_spread(sums[corner], HCI_SUM, texel.significand, texel.bit, texel.is_negative);
        if (texel.bit == 254 && !(corner & ~found->between))
            infinite |= texel.is_nan ? 4 : texel.is_negative ? 2 : 1;
    }
    if (infinite)
        return infinite == 1 ? HCI_INFINITY : infinite == 2 ? -HCI_INFINITY : HCI_NAN;
    HCI_ROLLED
    for (int d = 0; d < found->dims; ++d)
        HCI_ROLLED
    for (int k = 0; k < 1 << (found->dims - 1 - d); ++k)
        hci_between(sums[k], sums[2 * k], sums[2 * k + 1], found->along[d].weight);
    is_negative = sums[0][HCI_SUM - 1] >> 31 != 0;
    carry = is_negative;
    HCI_ROLLED
    for (int k = 0; k < HCI_SUM; ++k) {
        carry += sums[0][k] ^ (is_negative ? 0xffffffffu : 0);
        sums[0][k] = (unsigned int)carry;
        carry >>= 32;
    }
    unit -= 32 * HCI_SUM;
    HCI_ROLLED
    for (int k = HCI_SUM - 1; k >= 0; --k) {
        if (high >> 32) {
            more |= sums[0][k] != 0;
            continue;
        }
        high = high << 32 | low >> 32;
        low = low << 32 | sums[0][k];
        unit += 32;
    }
    return hci_rounded(high, low, unit, more, divisor, is_negative, to_odd);
}

/* Add or subtract a product in 128 bits. */
HCI_FUNCTION void hci_total_add(hci_ulong *sum, hci_ulong a, hci_ulong b, int is_negative)
{
    hci_ulong high = hci_mul_high(a, b), low = a * b, mask = 0 - (hci_ulong)is_negative;
    low = (low ^ mask) - mask;
    high = (high ^ mask) + (is_negative && low == 0);
    sum[0] += low;
    sum[1] += high + (sum[0] < low);
}

/* Sum texels as hci_blend does, in 128 bits if they determine the result: weights that are not
 * exact leave an error, and both ends of what the sum may be must be rounded alike. A texel has
 * 56 bits, of which the greatest one's last is bit 32, and eight weights at most 60 each, two
 * at most 62: a sum is below 2^120, and an error below 2^62. */
HCI_SMALL float hci_filtered(const float *texels, const hci_places *found, unsigned int divisor,
                             int to_odd)
{
    unsigned int first = hci_bits_of_float(texels[0]), differing = 0;
    int greatest = 0, is_cut = 0, unit, is_negative;
    hci_ulong sum[2] = {0, 0}, error = 0, high, low;
    HCI_ROLLED
    for (int corner = 0; corner < 1 << found->dims; ++corner) {
        hci_coordinate texel = hci_coordinate_of_float(texels[corner]);
        differing |= hci_bits_of_float(texels[corner]) ^ first;
        greatest = texel.bit > greatest ? texel.bit : greatest;
    }
    if (greatest == 254)
        return hci_blend(texels, found, divisor, to_odd);
    if (!differing)
        return texels[0] == 0 ? 0 : hci_code_quotient(texels[0], divisor, to_odd);
    HCI_ROLLED
    for (int corner = 0; corner < 1 << found->dims; ++corner) {
        hci_coordinate texel = hci_coordinate_of_float(texels[corner]);
        int shift = greatest - texel.bit;
        hci_ulong whole = (hci_ulong)texel.significand << 32,
                  value = shift < 64 ? whole >> shift : 0;
        is_cut |= shift < 64 ? value << shift != whole : whole != 0;
        hci_total_add(sum, value, found->weight[corner], texel.is_negative);
        error += found->is_exact ? 0 : 4 * value;
    }
    is_negative = sum[1] >> 63 != 0;
    low = is_negative ? 0 - sum[0] : sum[0];
    high = is_negative ? 0 - sum[1] - (sum[0] != 0) : sum[1];
    unit = HCI_UNIT + 32 + 63 - found->dims - greatest;
    if (!is_cut && (high != 0 || low >= error)) {
        float least = hci_rounded(high - (low < error), low - error, unit, 0, divisor,
                                  is_negative, to_odd);
        if (error == 0)
            return least;
        low += error;
        high += low < error;
        float most = hci_rounded(high, low, unit, 0, divisor, is_negative, to_odd);
        if (hci_bits_of_float(least) == hci_bits_of_float(most))
            return most;
    }
    return hci_blend(texels, found, divisor, to_odd);
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
