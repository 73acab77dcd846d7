/* Images: from coordinates to texels, and sums of texels by weights, in double.
 *
 * Where the hardware records nothing inexact, all is exact: most coordinates and texels have few
 * enough bits. */
#ifndef HALFCL_IMAGES_H
#define HALFCL_IMAGES_H

#include "simd/simd.h"

/* ------------------------------------------------------------ places */

enum { BLOCK = HALFCL_IMAGE_BLOCK, DOUBLES = LANES / 2 };

/* Bytes to the first and the second texel along a dimension. What is outside is at
 * HALFCL_OUTSIDE, or so: sums with others are below half of that. */
typedef struct {
    int64_t offset[2][BLOCK];
} places;

/* What one dimension's loop needs in every lane. */
typedef struct {
    vd size, last, step, scale, least, most;
} axis_lanes;

ALWAYS_INLINE vd clamp_lanes(vd x, vd low, vd high)
{
    return vd_min(vd_max(x, low), high); /* NaN: low */
}

/* A product with a size is exact: 24 bits and 29. */

/* (s - floor(s)) size. Infinities and NaNs: 0. */
ALWAYS_INLINE vd repeated(vd s, const axis_lanes *axis)
{
    vd whole = vd_mul(vd_floor(s), axis->size);
    return vd_max(vd_sub(vd_mul(s, axis->size), whole), vd_set(0));
}

/* The distance to the nearest even integer, times the size; the same. */
ALWAYS_INLINE vd mirrored(vd s, const axis_lanes *axis)
{
    vd size = vd_max(s, vd_sub(vd_set(0), s));
    vd even = vd_mul(vd_floor(vd_mul(size, vd_set(0.5))), vd_set(2));
    vd up = vd_max(vd_sub(size, even), vd_set(0));
    return vd_mul(vd_min(up, vd_sub(vd_set(2), up)), axis->size);
}

/* An index one before the first or after the last texel comes round; and of results that are
 * not exact only that matters that they are inside. */
ALWAYS_INLINE vd wrap_round(vd index, const axis_lanes *axis)
{
    vd zero = vd_set(0), one = vd_set(1);
    vd before = clamp_lanes(vd_sub(zero, index), zero, one);
    vd after = clamp_lanes(vd_sub(index, axis->last), zero, one);
    index = vd_add(index, vd_mul(vd_sub(before, after), axis->size));
    return clamp_lanes(index, zero, axis->last);
}

/* In bytes; where the index is outside, HALFCL_OUTSIDE or so. */
ALWAYS_INLINE vd offset_or_outside(vd index, const axis_lanes *axis)
{
    vd inside = clamp_lanes(index, vd_set(0), axis->last);
    vd distance = vd_sub(index, inside), minus = vd_sub(inside, index);
    vd outside = vd_min(vd_max(distance, minus), vd_set(1));
    return vd_add(vd_mul(inside, axis->step), vd_mul(outside, vd_set(HALFCL_OUTSIDE)));
}

ALWAYS_INLINE vd offset_of(vd index, int addressing, const axis_lanes *axis)
{
    if (addressing == HALFCL_ADDRESS_NONE || addressing == HALFCL_ADDRESS_CLAMP)
        return offset_or_outside(index, axis);
    if (addressing == HALFCL_ADDRESS_REPEAT)
        return vd_mul(wrap_round(index, axis), axis->step);
    return vd_mul(clamp_lanes(index, vd_set(0), axis->last), axis->step);
}

ALWAYS_INLINE void places_of(const axis_lanes *axis, int addressing, bool linear,
                             const double *coordinates, size_t n, places *along,
                             double *weight)
{
    for (size_t i = 0; i < n; i += DOUBLES) {
        vd x = vd_load(coordinates + i);
        if (addressing == HALFCL_ADDRESS_REPEAT)
            x = repeated(x, axis);
        else if (addressing == HALFCL_ADDRESS_MIRRORED_REPEAT)
            x = mirrored(x, axis);
        else
            x = clamp_lanes(vd_mul(x, axis->scale), axis->least, axis->most);
        if (linear)
            x = vd_sub(x, vd_set(0.5));
        vd first = vd_floor(x);
        vd_store_q(along->offset[0] + i, offset_of(first, addressing, axis));
        if (linear) {
            vd second = vd_add(first, vd_set(1));
            vd_store_q(along->offset[1] + i, offset_of(second, addressing, axis));
            vd_store(weight + i, vd_sub(x, first));
        }
    }
}

#define PLACES_LOOP(name, addressing, linear)                                                  \
    static void name(const axis_lanes *axis, const double *coordinates, size_t n,              \
                     places *along, double *weight)                                            \
    {                                                                                          \
        places_of(axis, addressing, linear, coordinates, n, along, weight);                    \
    }
PLACES_LOOP(nearest_inside, HALFCL_ADDRESS_CLAMP_TO_EDGE, false)
PLACES_LOOP(nearest_or_border, HALFCL_ADDRESS_CLAMP, false)
PLACES_LOOP(nearest_repeated, HALFCL_ADDRESS_REPEAT, false)
PLACES_LOOP(nearest_mirrored, HALFCL_ADDRESS_MIRRORED_REPEAT, false)
PLACES_LOOP(linear_inside, HALFCL_ADDRESS_CLAMP_TO_EDGE, true)
PLACES_LOOP(linear_or_border, HALFCL_ADDRESS_CLAMP, true)
PLACES_LOOP(linear_repeated, HALFCL_ADDRESS_REPEAT, true)
PLACES_LOOP(linear_mirrored, HALFCL_ADDRESS_MIRRORED_REPEAT, true)

static void find_places(const halfcl_image *image, const halfcl_sampler *sampler, int d,
                        const double *coordinates, size_t n, places *along, double *weight)
{
    static void (*const loops[2][5])(const axis_lanes *, const double *, size_t, places *,
                                     double *) = {
        {nearest_or_border, nearest_inside, nearest_or_border, nearest_repeated,
         nearest_mirrored},
        {linear_or_border, linear_inside, linear_or_border, linear_repeated, linear_mirrored},
    };
    double size = image->size[d];
    const axis_lanes axis = {
        .size = vd_set(size),
        .last = vd_set(size - 1),
        .step = vd_set((double)image->step[d]),
        .scale = vd_set(sampler->normalized ? size : 1),
        .least = vd_set(-2),
        .most = vd_set(size + 2),
    };
    loops[sampler->filter == HALFCL_LINEAR][sampler->addressing - HALFCL_ADDRESS_NONE](
        &axis, coordinates, n, along, weight);
}

/* ------------------------------------------------------------ texels */

/* One of every so many numbers; compilers make vectors of loops that know how many. */
#define TAKE_COLUMN(type, width)                                                               \
    for (size_t i = 0; i < n; ++i)                                                             \
        column[i] = (double)((const type *)start)[i * (width)];

static void take_column(const halfcl_coordinates *coordinates, size_t first, size_t n, int d,
                        double *column)
{
    size_t width = coordinates->width;
    const void *start =
        (const char *)coordinates->start + sizeof(float) * (first * width + (size_t)d);
    if (coordinates->are_integers) {
        if (width == 2) {
            TAKE_COLUMN(int32_t, 2)
        } else
            TAKE_COLUMN(int32_t, width)
    } else if (width == 2) {
        TAKE_COLUMN(float, 2)
    } else
        TAKE_COLUMN(float, width)
}

/* A corner's texels: n is a multiple of DOUBLES. */
static void point_to(const int64_t *const *offsets, int count, size_t n, char *texels,
                     char *border, char **at)
{
    const int64_t *x = offsets[0], *y = offsets[1], *z = offsets[2], *layer = offsets[3];
    uintptr_t start = (uintptr_t)texels, outside = (uintptr_t)border;
    for (size_t i = 0; i < n; ++i) {
        int64_t sum = x[i];
        if (count > 1)
            sum += y[i];
        if (count > 2)
            sum += z[i];
        if (count > 3)
            sum += layer[i];
        at[i] = (char *)(sum < HALFCL_OUTSIDE / 2 ? outside : start + (uintptr_t)sum);
    }
}

static void locate(const halfcl_image *image, const halfcl_sampler *sampler,
                   const halfcl_coordinates *coordinates, size_t first, size_t n,
                   const int64_t *layers, char *border, halfcl_texels *found)
{
    _Alignas(64) places along[3];
    _Alignas(64) double column[BLOCK];
    int dims = image->dims, corners = sampler->filter == HALFCL_LINEAR ? 1 << dims : 1;
    size_t whole = (n + DOUBLES - 1) / DOUBLES * DOUBLES;
    for (int d = 0; d < dims; ++d) {
        take_column(coordinates, first, n, d, column);
        for (size_t i = n; i < whole; ++i)
            column[i] = 0;
        find_places(image, sampler, d, column, whole, &along[d], found->weight[d]);
    }
    for (int corner = 0; corner < corners; ++corner) {
        const int64_t *offsets[4] = {NULL};
        for (int d = 0; d < dims; ++d)
            offsets[d] = along[d].offset[corner >> d & 1];
        if (layers)
            offsets[dims] = layers;
        point_to(offsets, dims + (layers != NULL), n, image->texels, border,
                 found->at[corner]);
    }
}

/* ------------------------------------------------------------ sums */

/* The loads of a texel's four channels. Signed codes below -m count as -m. */
ALWAYS_INLINE vc texel_e(const char *p) { return vc_load_e(p); }
ALWAYS_INLINE vc texel_f(const char *p) { return vc_load_f(p); }
ALWAYS_INLINE vc texel_d(const char *p) { return vc_load(p); }
ALWAYS_INLINE vc texel_B(const char *p) { return vc_load_B(p); }
ALWAYS_INLINE vc texel_H(const char *p) { return vc_load_H(p); }
ALWAYS_INLINE vc texel_b(const char *p) { return vc_max(vc_load_b(p), vc_set(-INT8_MAX)); }
ALWAYS_INLINE vc texel_h(const char *p) { return vc_max(vc_load_h(p), vc_set(-INT16_MAX)); }

typedef vc load_texel(const char *p);

ALWAYS_INLINE vc blend_two(vc first, vc second, vc weight)
{
    return vc_muladd(weight, vc_sub(second, first), first);
}

/* Along x, then y, then z. */
ALWAYS_INLINE vc blend_corners(const vc *t, const vc *weight, int dims)
{
    vc along_x = blend_two(t[0], t[1], weight[0]);
    if (dims == 1)
        return along_x;
    vc in_plane = blend_two(along_x, blend_two(t[2], t[3], weight[0]), weight[1]);
    if (dims == 2)
        return in_plane;
    return blend_two(in_plane, blend_corners(t + 4, weight, 2), weight[2]);
}

/* In units of 2^-53 of the largest texel, sums of dims steps are off by 8, 28 and 92 at most: a
 * step adds 2 for the difference and its product, 2 more without FMA, 1 for the sum, and 1 for
 * a weight off by 2^-53, to what came in, twice over for the difference. 2^-45 is 256. Texels
 * that are all the same give just that, so that the bound need not pass what they differ by. */
ALWAYS_INLINE vc bound_of(const vc *t, int corners)
{
    vc least = t[0], most = t[0];
    for (int k = 1; k < corners; ++k) {
        least = vc_min(least, t[k]);
        most = vc_max(most, t[k]);
    }
    vc size = vc_max(most, vc_sub(vc_set(0), least));
    vc bound = vc_muladd(size, vc_set(0x1p-45), vc_set(0));
    return vc_min(bound, vc_sub(most, least));
}

ALWAYS_INLINE bool blend_texels(const halfcl_texels *texels, int dims, load_texel *load,
                                size_t n, double *colors, double *bounds)
{
    const vc zero = vc_set(0);
    vc special = zero;
    for (size_t i = 0; i < n; ++i) {
        vc t[8], weight[3];
        for (int k = 0; k < 1 << dims; ++k)
            t[k] = load(texels->at[k][i]);
        for (int d = 0; d < dims; ++d)
            weight[d] = vc_set(texels->weight[d][i]);
        vc color = vc_add(blend_corners(t, weight, dims), zero); /* -0 becomes 0 */
        special = vc_muladd(color, zero, special);
        vc_store(colors + 4 * i, color);
        if (bounds)
            vc_store(bounds + 4 * i, bound_of(t, 1 << dims));
    }
    double any[4];
    vc_store(any, special);
    return any[0] + any[1] + any[2] + any[3] == 0;
}

#define BLEND_OF(letter)                                                                       \
    static bool blend_##letter(const halfcl_texels *texels, int dims, size_t n,                \
                               double *colors, double *bounds)                                 \
    {                                                                                          \
        if (dims == 1)                                                                         \
            return blend_texels(texels, 1, texel_##letter, n, colors, bounds);                 \
        if (dims == 3)                                                                         \
            return blend_texels(texels, 3, texel_##letter, n, colors, bounds);                 \
        if (bounds)                                                                            \
            return blend_texels(texels, 2, texel_##letter, n, colors, bounds);                 \
        return blend_texels(texels, 2, texel_##letter, n, colors, NULL);                       \
    }
BLEND_OF(e)
BLEND_OF(f)
BLEND_OF(d)
BLEND_OF(b)
BLEND_OF(B)
BLEND_OF(h)
BLEND_OF(H)

/* ------------------------------------------------------------ quotients */

/* Quotients by integers below 2^16, rounded to odd. Of a quotient to nearest, cut in two parts,
 * the products with the divisor are exact, and so is what is left of the dividend: its sign says
 * on which side the exact quotient is. */
static unsigned divide_to_odd(void *const *args, size_t n, halfcl_rounding mode)
{
    (void)mode; /* the processor rounds to nearest */
    const double *dividends = args[0], *divisors = args[1];
    double *out = args[2];
    for (size_t i = 0; i < n; ++i) {
        double quotient = dividends[i] / divisors[i];
        uint64_t bits = bits_of_double(quotient);
        double high = double_of_bits(bits >> 21 << 21), low = quotient - high;
        uint64_t left =
            bits_of_double((dividends[i] - high * divisors[i]) - low * divisors[i]);
        uint64_t is_inexact = (left << 1 | (0 - (left << 1))) >> 63;
        uint64_t is_even = ~bits & 1, is_less = (left ^ bits) >> 63;
        bits += (0 - (is_inexact & is_even)) & (1 - 2 * is_less);
        out[i] = double_of_bits(bits);
    }
    return 0;
}

#define BLEND(type, loop)                                                                      \
    {"blend", HALFCL_BLEND, {1, 1, {type, HALFCL_DOUBLE}}, {.blend = loop}},
#define IMAGE_KERNELS                                                                          \
    MAP("divide_to_odd", divide_to_odd, 2, 1, HALFCL_DOUBLE, HALFCL_DOUBLE, HALFCL_DOUBLE)     \
    {"locate", HALFCL_LOCATE, {0}, {.locate = locate}},                                        \
    BLEND(HALFCL_HALF, blend_e)                                                                \
    BLEND(HALFCL_FLOAT, blend_f)                                                               \
    BLEND(HALFCL_DOUBLE, blend_d)                                                              \
    BLEND(HALFCL_INT8, blend_b)                                                                \
    BLEND(HALFCL_UINT8, blend_B)                                                               \
    BLEND(HALFCL_INT16, blend_h)                                                               \
    BLEND(HALFCL_UINT16, blend_H)

#endif
