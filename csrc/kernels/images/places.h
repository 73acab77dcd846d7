/* Images: from coordinates to texels, in double.
 *
 * If the hardware records nothing inexact, places and weights are exact. */
#ifndef HALFCL_KERNELS_IMAGES_PLACES_H
#define HALFCL_KERNELS_IMAGES_PLACES_H

#include "kernels/images/plain.h"
#include "simd/simd.h"

/* ------------------------------------------------------------ places */

/* Byte offsets of the first and the second texel along a dimension. Texels outside are at about
 * HALFCL_OUTSIDE: sums with other offsets stay below half of that. */
typedef struct {
    int64_t offset[2][BLOCK];
} places;

/* The constants of one dimension's loop, in every lane. */
typedef struct {
    vd size, last, step, scale, least, most;
    vd before_last; /* the last texel that has a next one; 0 if there is only one */
} axis_lanes;

ALWAYS_INLINE vd clamp_lanes(vd x, vd low, vd high)
{
    return vd_min(vd_max(x, low), high); /* NaN becomes low */
}

/* A product with a size is exact: 24 bits and 29. */

/* (s - floor(s)) size. Infinities and NaNs give 0. */
ALWAYS_INLINE vd repeat_index(vd s, const axis_lanes *axis)
{
    vd whole = vd_mul(vd_floor(s), axis->size);
    return vd_max(vd_sub(vd_mul(s, axis->size), whole), vd_set(0));
}

/* The distance to the nearest even integer, times the size. Infinities and NaNs give 0. */
ALWAYS_INLINE vd mirror_index(vd s, const axis_lanes *axis)
{
    vd size = vd_max(s, vd_sub(vd_set(0), s));
    vd even = vd_mul(vd_floor(vd_mul(size, vd_set(0.5))), vd_set(2));
    vd up = vd_max(vd_sub(size, even), vd_set(0));
    return vd_mul(vd_min(up, vd_sub(vd_set(2), up)), axis->size);
}

/* An index one before the first or after the last texel wraps around; inexact results only need
 * to be inside. */
ALWAYS_INLINE vd wrap_index(vd index, const axis_lanes *axis)
{
    vd zero = vd_set(0), one = vd_set(1);
    vd before = clamp_lanes(vd_sub(zero, index), zero, one);
    vd after = clamp_lanes(vd_sub(index, axis->last), zero, one);
    index = vd_add(index, vd_mul(vd_sub(before, after), axis->size));
    return clamp_lanes(index, zero, axis->last);
}

/* Returns the offset in bytes; about HALFCL_OUTSIDE if the index is outside. */
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
        return vd_mul(wrap_index(index, axis), axis->step);
    return vd_mul(clamp_lanes(index, vd_set(0), axis->last), axis->step);
}

/* Returns coordinates in texels. */
ALWAYS_INLINE vd among_texels(vd x, int addressing, const axis_lanes *axis)
{
    if (addressing == HALFCL_ADDRESS_REPEAT)
        return repeat_index(x, axis);
    if (addressing == HALFCL_ADDRESS_MIRRORED_REPEAT)
        return mirror_index(x, axis);
    return clamp_lanes(vd_mul(x, axis->scale), axis->least, axis->most);
}

/* NEAREST: finds the offsets of texels. */
ALWAYS_INLINE void find_nearest(const axis_lanes *axes, int addressing, int dims,
                                const double (*columns)[BLOCK], size_t n, int64_t *offsets)
{
    for (size_t i = 0; i < n; i += DOUBLES) {
        vd sum = vd_set(0);
        for (int d = 0; d < dims; ++d) {
            vd x = among_texels(vd_load(columns[d] + i), addressing, &axes[d]);
            sum = vd_add(sum, offset_of(vd_floor(x), addressing, &axes[d]));
        }
        vd_store_q(offsets + i, sum);
    }
}

/* LINEAR, for texels next to each other: finds the offsets of the first ones. Clamped
 * coordinates use the last two, with the weight 0 or 1. Returns whether all were inside, or the
 * sampler clamps. */
ALWAYS_INLINE bool find_together(const axis_lanes *axes, int addressing, int dims,
                                 const double (*columns)[BLOCK], size_t n, int64_t *offsets,
                                 double (*weight)[BLOCK])
{
    const vd zero = vd_set(0);
    vd furthest = zero;
    for (size_t i = 0; i < n; i += DOUBLES) {
        vd sum = zero;
        for (int d = 0; d < dims; ++d) {
            const axis_lanes *axis = &axes[d];
            vd x = among_texels(vd_load(columns[d] + i), addressing, axis);
            x = vd_sub(x, vd_set(0.5));
            furthest = vd_max(furthest, vd_max(vd_sub(zero, x), vd_sub(x, axis->last)));
            x = clamp_lanes(x, zero, axis->last);
            vd first = vd_min(vd_floor(x), axis->before_last);
            vd_store(weight[d] + i, vd_sub(x, first));
            sum = vd_add(sum, vd_mul(first, axis->step));
        }
        vd_store_q(offsets + i, sum);
    }
    double lanes[DOUBLES], outside = 0;
    vd_store(lanes, furthest);
    for (int k = 0; k < DOUBLES; ++k)
        outside = lanes[k] > outside ? lanes[k] : outside;
    return outside == 0 || addressing == HALFCL_ADDRESS_CLAMP_TO_EDGE ||
           addressing == HALFCL_ADDRESS_MIRRORED_REPEAT;
}

/* LINEAR, for texels anywhere. */
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

#define DIMS_LOOPS(name, addressing, dims)                                                     \
    static void nearest_##name##_##dims(                                                       \
        const axis_lanes *axes, const double (*columns)[BLOCK], size_t n, int64_t *offsets)    \
    {                                                                                          \
        find_nearest(axes, addressing, dims, columns, n, offsets);                             \
    }                                                                                          \
    static bool together_##name##_##dims(const axis_lanes *axes,                               \
                                         const double (*columns)[BLOCK], size_t n,             \
                                         int64_t *offsets, double (*weight)[BLOCK])            \
    {                                                                                          \
        return find_together(axes, addressing, dims, columns, n, offsets, weight);             \
    }
#define ADDRESSING_LOOPS(name, addressing)                                                     \
    DIMS_LOOPS(name, addressing, 1)                                                            \
    DIMS_LOOPS(name, addressing, 2)                                                            \
    DIMS_LOOPS(name, addressing, 3)                                                            \
    static void apart_##name(const axis_lanes *axis, const double *column, size_t n,           \
                             places *along, double *weight)                                    \
    {                                                                                          \
        find_apart(axis, addressing, column, n, along, weight);                                \
    }
ADDRESSING_LOOPS(border, HALFCL_ADDRESS_CLAMP)
ADDRESSING_LOOPS(edge, HALFCL_ADDRESS_CLAMP_TO_EDGE)
ADDRESSING_LOOPS(repeat, HALFCL_ADDRESS_REPEAT)
ADDRESSING_LOOPS(mirror, HALFCL_ADDRESS_MIRRORED_REPEAT)

/* Indexed by OpenCL's constant minus that of NONE, and by dimensions minus one. */
#define LOOPS_OF(name)                                                                         \
    {{nearest_##name##_1, nearest_##name##_2, nearest_##name##_3},                             \
     {together_##name##_1, together_##name##_2, together_##name##_3},                          \
     apart_##name}
static const struct {
    void (*nearest[3])(const axis_lanes *, const double (*)[BLOCK], size_t, int64_t *);
    bool (*together[3])(const axis_lanes *, const double (*)[BLOCK], size_t, int64_t *,
                        double (*)[BLOCK]);
    void (*apart)(const axis_lanes *, const double *, size_t, places *, double *);
} addressing_loops[] = {LOOPS_OF(border), LOOPS_OF(edge), LOOPS_OF(border), LOOPS_OF(repeat),
                        LOOPS_OF(mirror)};

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

/* Copies every width-th number; compilers vectorise loops with a constant width. */
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

/* The arguments of one call of locate. */
typedef struct {
    const halfcl_image *image;
    int row; /* of addressing_loops */
    bool may_be_outside;
    const int64_t *layers;
    char *border;
    size_t n, whole; /* n, and n rounded up to a multiple of LANES */
    axis_lanes axes[3];
    _Alignas(64) double columns[3][BLOCK];
} location;

/* Converts offsets to the addresses of a corner's texels. */
static void point_to(const location *l, int64_t *offsets, char **at)
{
    const int64_t *layers = l->layers;
    intptr_t start = (intptr_t)l->image->texels, border = (intptr_t)l->border;
    if (layers)
        for (size_t i = 0; i < l->n; ++i)
            offsets[i] += layers[i];
    if (layers || l->may_be_outside)
        for (size_t i = 0; i < l->n; ++i)
            at[i] = (char *)(offsets[i] < HALFCL_OUTSIDE / 2 ? border
                                                             : start + (intptr_t)offsets[i]);
    else
        for (size_t i = 0; i < l->n; ++i)
            at[i] = (char *)(start + (intptr_t)offsets[i]);
}

static void locate_nearest(const location *l, halfcl_texels *texels)
{
    _Alignas(64) int64_t offsets[BLOCK];
    const double (*columns)[BLOCK] = (const double (*)[BLOCK])l->columns;
    addressing_loops[l->row].nearest[l->image->dims - 1](l->axes, columns, l->whole, offsets);
    point_to(l, offsets, texels->at[0]);
}

/* Sets the bytes between texels that are together. */
static void find_apart_by(const halfcl_image *image, ptrdiff_t *apart)
{
    for (int d = 0; d < 3; ++d)
        apart[d] = image->size[d] > 1 ? image->step[d] : 0;
}

/* Returns false if some sample's texels are not together. */
static bool locate_together(const location *l, halfcl_texels *texels)
{
    _Alignas(64) int64_t offsets[BLOCK];
    const double (*columns)[BLOCK] = (const double (*)[BLOCK])l->columns;
    if (!addressing_loops[l->row].together[l->image->dims - 1](l->axes, columns, l->whole,
                                                               offsets, texels->weight))
        return false;
    point_to(l, offsets, texels->at[0]);
    return true;
}

static void locate_apart(const location *l, halfcl_texels *texels)
{
    _Alignas(64) places along[3];
    _Alignas(64) int64_t offsets[BLOCK];
    int dims = l->image->dims;
    for (int d = 0; d < dims; ++d)
        addressing_loops[l->row].apart(&l->axes[d], l->columns[d], l->whole, &along[d],
                                       texels->weight[d]);
    for (int corner = 0; corner < 1 << dims; ++corner) {
        memcpy(offsets, along[0].offset[corner & 1], l->n * sizeof *offsets);
        for (int d = 1; d < dims; ++d)
            for (size_t i = 0; i < l->n; ++i)
                offsets[i] += along[d].offset[corner >> d & 1][i];
        point_to(l, offsets, texels->at[corner]);
    }
}

static bool locate(const halfcl_image *image, const halfcl_sampler *sampler,
                   const halfcl_coordinates *coordinates, size_t first, size_t n,
                   const int64_t *layers, char *border, halfcl_texels *texels)
{
    find_apart_by(image, texels->apart);
    if (are_plain(image, sampler, coordinates, layers) &&
        locate_plain(image, sampler, coordinates, first, n, border, texels))
        return true;
    location l; /* not initialised as a whole: it is large */
    l.image = image;
    l.row = (int)sampler->addressing - HALFCL_ADDRESS_NONE;
    l.may_be_outside = sampler->addressing == HALFCL_ADDRESS_NONE ||
                       sampler->addressing == HALFCL_ADDRESS_CLAMP;
    l.layers = layers;
    l.border = border;
    l.n = n;
    l.whole = (n + LANES - 1) / LANES * LANES;
    for (int d = 0; d < image->dims; ++d) {
        l.axes[d] = axis_of(image, sampler, d);
        take_column(coordinates, first, n, d, l.columns[d]);
        for (size_t i = n; i < l.whole; ++i)
            l.columns[d][i] = l.columns[d][0];
    }
    texels->together = sampler->filter == HALFCL_LINEAR && locate_together(&l, texels);
    if (sampler->filter == HALFCL_NEAREST)
        locate_nearest(&l, texels);
    else if (!texels->together)
        locate_apart(&l, texels);
    return false;
}

#endif
