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
    vd before_last; /* the last texel that has another one after it; of one alone 0 */
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

/* Coordinates as they are counted in texels. */
ALWAYS_INLINE vd among_texels(vd x, int addressing, const axis_lanes *axis)
{
    if (addressing == HALFCL_ADDRESS_REPEAT)
        return repeated(x, axis);
    if (addressing == HALFCL_ADDRESS_MIRRORED_REPEAT)
        return mirrored(x, axis);
    return clamp_lanes(vd_mul(x, axis->scale), axis->least, axis->most);
}

/* NEAREST: adds the offsets along a dimension. */
ALWAYS_INLINE void add_nearest(const axis_lanes *axis, int addressing, const double *column,
                               size_t n, double *sums)
{
    for (size_t i = 0; i < n; i += DOUBLES) {
        vd x = among_texels(vd_load(column + i), addressing, axis);
        vd offset = offset_of(vd_floor(x), addressing, axis);
        vd_store(sums + i, vd_add(vd_load(sums + i), offset));
    }
}

/* LINEAR, both texels next to each other: where clamped they are the last two, the weight 0 or 1.
 * Returns whether all were inside, or clamping is what is asked for. */
ALWAYS_INLINE bool add_together(const axis_lanes *axis, int addressing, const double *column,
                                size_t n, double *sums, double *weight)
{
    const vd zero = vd_set(0);
    vd furthest = zero;
    for (size_t i = 0; i < n; i += DOUBLES) {
        vd x = among_texels(vd_load(column + i), addressing, axis);
        x = vd_sub(x, vd_set(0.5));
        furthest = vd_max(furthest, vd_max(vd_sub(zero, x), vd_sub(x, axis->last)));
        x = clamp_lanes(x, zero, axis->last);
        vd first = vd_min(vd_floor(x), axis->before_last);
        vd_store(weight + i, vd_sub(x, first));
        vd_store(sums + i, vd_add(vd_load(sums + i), vd_mul(first, axis->step)));
    }
    double lanes[DOUBLES], outside = 0;
    vd_store(lanes, furthest);
    for (int k = 0; k < DOUBLES; ++k)
        outside = lanes[k] > outside ? lanes[k] : outside;
    return outside == 0 || addressing == HALFCL_ADDRESS_CLAMP_TO_EDGE ||
           addressing == HALFCL_ADDRESS_MIRRORED_REPEAT;
}

/* LINEAR, texels anywhere. */
ALWAYS_INLINE void find_apart(const axis_lanes *axis, int addressing, const double *column,
                              size_t n, places *along, double *weight)
{
    for (size_t i = 0; i < n; i += DOUBLES) {
        vd x = among_texels(vd_load(column + i), addressing, axis);
        x = vd_sub(x, vd_set(0.5));
        vd first = vd_floor(x), second = vd_add(first, vd_set(1));
        vd_store_q(along->offset[0] + i, offset_of(first, addressing, axis));
        vd_store_q(along->offset[1] + i, offset_of(second, addressing, axis));
        vd_store(weight + i, vd_sub(x, first));
    }
}

#define ADDRESSING_LOOPS(name, addressing)                                                     \
    static void nearest_##name(const axis_lanes *axis, const double *column, size_t n,         \
                               double *sums)                                                   \
    {                                                                                          \
        add_nearest(axis, addressing, column, n, sums);                                        \
    }                                                                                          \
    static bool together_##name(const axis_lanes *axis, const double *column, size_t n,        \
                                double *sums, double *weight)                                  \
    {                                                                                          \
        return add_together(axis, addressing, column, n, sums, weight);                        \
    }                                                                                          \
    static void apart_##name(const axis_lanes *axis, const double *column, size_t n,           \
                             places *along, double *weight)                                    \
    {                                                                                          \
        find_apart(axis, addressing, column, n, along, weight);                                \
    }
ADDRESSING_LOOPS(border, HALFCL_ADDRESS_CLAMP)
ADDRESSING_LOOPS(edge, HALFCL_ADDRESS_CLAMP_TO_EDGE)
ADDRESSING_LOOPS(repeat, HALFCL_ADDRESS_REPEAT)
ADDRESSING_LOOPS(mirror, HALFCL_ADDRESS_MIRRORED_REPEAT)

/* By OpenCL's constant less that of NONE. */
static const struct {
    void (*nearest)(const axis_lanes *, const double *, size_t, double *);
    bool (*together)(const axis_lanes *, const double *, size_t, double *, double *);
    void (*apart)(const axis_lanes *, const double *, size_t, places *, double *);
} addressing_loops[] = {
    {nearest_border, together_border, apart_border},
    {nearest_edge, together_edge, apart_edge},
    {nearest_border, together_border, apart_border},
    {nearest_repeat, together_repeat, apart_repeat},
    {nearest_mirror, together_mirror, apart_mirror},
};

static axis_lanes axis_of(const halfcl_image *image, const halfcl_sampler *sampler, int d)
{
    double size = image->size[d];
    return (axis_lanes){
        .size = vd_set(size),
        .last = vd_set(size - 1),
        .before_last = vd_set(size > 1 ? size - 2 : 0),
        .step = vd_set((double)image->step[d]),
        .scale = vd_set(sampler->normalized ? size : 1),
        .least = vd_set(-2),
        .most = vd_set(size + 2),
    };
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

/* One call of locate. */
typedef struct {
    const halfcl_image *image;
    const halfcl_sampler *sampler;
    const int64_t *layers;
    char *border;
    size_t n, whole; /* a multiple of DOUBLES */
    _Alignas(64) double columns[3][BLOCK];
} location;

/* From offsets to a corner's texels. */
static void point_to(const location *l, bool may_be_outside, int64_t *offsets, char **at)
{
    const int64_t *layers = l->layers;
    intptr_t start = (intptr_t)l->image->texels, border = (intptr_t)l->border;
    if (layers)
        for (size_t i = 0; i < l->n; ++i)
            offsets[i] += layers[i];
    if (layers || may_be_outside)
        for (size_t i = 0; i < l->n; ++i)
            at[i] = (char *)(offsets[i] < HALFCL_OUTSIDE / 2 ? border
                                                             : start + (intptr_t)offsets[i]);
    else
        for (size_t i = 0; i < l->n; ++i)
            at[i] = (char *)(start + (intptr_t)offsets[i]);
}

static void point_to_sums(const location *l, bool may_be_outside, const double *sums,
                          char **at)
{
    _Alignas(64) int64_t offsets[BLOCK];
    for (size_t i = 0; i < l->whole; i += DOUBLES)
        vd_store_q(offsets + i, vd_load(sums + i));
    point_to(l, may_be_outside, offsets, at);
}

static bool may_be_outside(const halfcl_sampler *sampler)
{
    return sampler->addressing == HALFCL_ADDRESS_NONE ||
           sampler->addressing == HALFCL_ADDRESS_CLAMP;
}

static void locate_nearest(const location *l, halfcl_texels *found)
{
    _Alignas(64) double sums[BLOCK] = {0};
    int row = l->sampler->addressing - HALFCL_ADDRESS_NONE;
    for (int d = 0; d < l->image->dims; ++d) {
        axis_lanes axis = axis_of(l->image, l->sampler, d);
        addressing_loops[row].nearest(&axis, l->columns[d], l->whole, sums);
    }
    point_to_sums(l, may_be_outside(l->sampler), sums, found->at[0]);
}

/* False if some sample's texels are not together. */
static bool locate_together(const location *l, halfcl_texels *found)
{
    _Alignas(64) double sums[BLOCK] = {0};
    int row = l->sampler->addressing - HALFCL_ADDRESS_NONE;
    for (int d = 0; d < 3; ++d) {
        found->apart[d] = l->image->size[d] > 1 ? l->image->step[d] : 0;
        if (d >= l->image->dims)
            continue;
        axis_lanes axis = axis_of(l->image, l->sampler, d);
        if (!addressing_loops[row].together(&axis, l->columns[d], l->whole, sums,
                                            found->weight[d]))
            return false;
    }
    point_to_sums(l, false, sums, found->at[0]);
    return true;
}

static void locate_apart(const location *l, halfcl_texels *found)
{
    _Alignas(64) places along[3];
    int row = l->sampler->addressing - HALFCL_ADDRESS_NONE, dims = l->image->dims;
    for (int d = 0; d < dims; ++d) {
        axis_lanes axis = axis_of(l->image, l->sampler, d);
        addressing_loops[row].apart(&axis, l->columns[d], l->whole, &along[d],
                                    found->weight[d]);
    }
    for (int corner = 0; corner < 1 << dims; ++corner) {
        _Alignas(64) int64_t offsets[BLOCK];
        memcpy(offsets, along[0].offset[corner & 1], sizeof offsets);
        for (int d = 1; d < dims; ++d)
            for (size_t i = 0; i < l->n; ++i)
                offsets[i] += along[d].offset[corner >> d & 1][i];
        point_to(l, may_be_outside(l->sampler), offsets, found->at[corner]);
    }
}

static void locate(const halfcl_image *image, const halfcl_sampler *sampler,
                   const halfcl_coordinates *coordinates, size_t first, size_t n,
                   const int64_t *layers, char *border, halfcl_texels *found)
{
    location l = {.image = image, .sampler = sampler, .layers = layers, .border = border,
                  .n = n, .whole = (n + DOUBLES - 1) / DOUBLES * DOUBLES};
    for (int d = 0; d < image->dims; ++d) {
        take_column(coordinates, first, n, d, l.columns[d]);
        for (size_t i = n; i < l.whole; ++i)
            l.columns[d][i] = l.columns[d][0];
    }
    found->together = sampler->filter == HALFCL_LINEAR && locate_together(&l, found);
    if (sampler->filter == HALFCL_NEAREST)
        locate_nearest(&l, found);
    else if (!found->together)
        locate_apart(&l, found);
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

ALWAYS_INLINE bool blend_texels(const halfcl_texels *texels, int dims, bool together,
                                load_texel *load, size_t n, double *colors, double *bounds)
{
    const vc zero = vc_set(0);
    vc special = zero;
    ptrdiff_t further[8] = {0};
    for (int k = 1; k < 1 << dims; ++k)
        for (int d = 0; d < dims; ++d)
            further[k] += k >> d & 1 ? texels->apart[d] : 0;
    for (size_t i = 0; i < n; ++i) {
        vc t[8], weight[3];
        for (int k = 0; k < 1 << dims; ++k)
            t[k] = load(together ? texels->at[0][i] + further[k] : texels->at[k][i]);
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

/* What matters most has loops of its own: planes whose texels are together. */
#define BLEND_OF(letter)                                                                       \
    static bool blend_##letter(const halfcl_texels *texels, int dims, size_t n,                \
                               double *colors, double *bounds)                                 \
    {                                                                                          \
        bool together = texels->together;                                                      \
        if (dims == 1)                                                                         \
            return blend_texels(texels, 1, together, texel_##letter, n, colors, bounds);       \
        if (dims == 3)                                                                         \
            return blend_texels(texels, 3, together, texel_##letter, n, colors, bounds);       \
        if (together && !bounds)                                                               \
            return blend_texels(texels, 2, true, texel_##letter, n, colors, NULL);             \
        return blend_texels(texels, 2, together, texel_##letter, n, colors, bounds);           \
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
