/* Images: from coordinates to texels, in float and 32 bits, for 2D images whose coordinates
 * count texels. All operations are exact. */
#ifndef HALFCL_KERNELS_IMAGES_PLAIN_H
#define HALFCL_KERNELS_IMAGES_PLAIN_H

#include "simd/simd.h"

enum { BLOCK = HALFCL_IMAGE_BLOCK, DOUBLES = LANES / 2 };

/* If coordinates count texels, float and 32 bits are enough: for the most common images and
 * samplers, in half the time. */
static bool are_plain(const halfcl_image *image, const halfcl_sampler *sampler,
                      const halfcl_coordinates *coordinates, const int64_t *layers)
{
    enum { EXACT = 1 << 23 }; /* integers in this range, and halves of them, are floats */
    bool small = image->size[0] < EXACT && image->size[1] < EXACT &&
                 image->step[0] == (int32_t)image->step[0] &&
                 image->step[1] == (int32_t)image->step[1];
    bool repeats = sampler->addressing == HALFCL_ADDRESS_REPEAT ||
                   sampler->addressing == HALFCL_ADDRESS_MIRRORED_REPEAT;
    bool are_floats = sampler->filter == HALFCL_NEAREST || !coordinates->are_integers;
    return small && image->dims == 2 && !layers && coordinates->width == 2 && !repeats &&
           !sampler->normalized && are_floats;
}

/* The arrays of one call: x and y separately, padded to a multiple of LANES. */
typedef struct {
    size_t n, whole;
    _Alignas(64) int32_t column[2][BLOCK]; /* floats, too */
} plain_places;

static void take_plain(const halfcl_coordinates *coordinates, size_t first, size_t n,
                       plain_places *p)
{
    const int32_t *start = (const int32_t *)coordinates->start + 2 * first;
    p->n = n;
    p->whole = (n + LANES - 1) / LANES * LANES;
    for (size_t i = 0; i < n; ++i) {
        p->column[0][i] = start[2 * i];
        p->column[1][i] = start[2 * i + 1];
    }
    for (size_t i = n; i < p->whole; ++i)
        for (int d = 0; d < 2; ++d)
            p->column[d][i] = p->column[d][0];
}

/* Replaces floats by their floors; large ones and NaN become a number outside. */
ALWAYS_INLINE void floors_of(int32_t *column, size_t n, int32_t size)
{
    for (size_t i = 0; i < n; i += LANES) {
        vf x = vf_load((const float *)(const void *)(column + i));
        x = vf_min(vf_max(x, vf_set(-2)), vf_set((float)(size + 1))); /* NaN becomes -2 */
        vi_store_32(column + i, vi_round(vf_floor(x), HALFCL_RTE));
    }
}

ALWAYS_INLINE void clamp_indices(int32_t *column, size_t n, int32_t size)
{
    for (size_t i = 0; i < n; i += LANES) {
        vi index = vi_max(vi_load_32(column + i), vi_set(0));
        vi_store_32(column + i, vi_min(index, vi_set(size - 1)));
    }
}

static void plain_nearest(const halfcl_image *image, const halfcl_sampler *sampler,
                          bool are_integers, plain_places *p, char *border, char **at)
{
    for (int d = 0; d < 2; ++d) {
        if (!are_integers)
            floors_of(p->column[d], p->whole, image->size[d]);
        if (sampler->addressing == HALFCL_ADDRESS_CLAMP_TO_EDGE)
            clamp_indices(p->column[d], p->whole, image->size[d]);
    }
    /* For texels outside the sum may wrap, and is not used. */
    const uint32_t width = (uint32_t)image->size[0], height = (uint32_t)image->size[1];
    const int64_t across = (int32_t)image->step[0], down = (int32_t)image->step[1];
    const uintptr_t texels = (uintptr_t)image->texels, outside = (uintptr_t)border;
    for (size_t i = 0; i < p->n; ++i) {
        int32_t x = p->column[0][i], y = p->column[1][i];
        bool inside = ((uint32_t)x < width) & ((uint32_t)y < height);
        uintptr_t texel = texels + (uintptr_t)(x * across) + (uintptr_t)(y * down);
        at[i] = (char *)(inside ? texel : outside);
    }
}

/* Replaces coordinates by the indices of first texels; returns whether some are outside. All
 * operations are exact, since a half is subtracted from numbers of at least a half only. */
ALWAYS_INLINE bool first_texels(int32_t *column, size_t n, int32_t size, double *weight)
{
    const vf half = vf_set(0.5f), last = vf_set((float)size - 0.5f);
    const vf before_last = vf_set(size > 1 ? (float)(size - 2) : 0);
    vm outside = vm_none();
    for (size_t i = 0; i < n; i += LANES) {
        vf coordinate = vf_load((const float *)(const void *)(column + i));
        vf x = vf_min(vf_max(coordinate, half), last); /* NaN becomes the first texel */
        outside = vm_or(outside, vm_not(vf_equal(x, coordinate)));
        x = vf_sub(x, half);
        vf first = vf_min(vf_floor(x), before_last), above = vf_sub(x, first);
        vd_store(weight + i, vd_low(above));
        vd_store(weight + i + DOUBLES, vd_high(above));
        vi_store_32(column + i, vi_round(first, HALFCL_RTE));
    }
    return vm_any(outside);
}

/* LINEAR: returns false if some sample's texels are not together. */
static bool plain_together(const halfcl_image *image, const halfcl_sampler *sampler,
                           plain_places *p, halfcl_texels *corners)
{
    bool outside = false;
    for (int d = 0; d < 2; ++d)
        outside |= first_texels(p->column[d], p->whole, image->size[d], corners->weight[d]);
    const int64_t across = (int32_t)image->step[0], down = (int32_t)image->step[1];
    const uintptr_t texels = (uintptr_t)image->texels;
    for (size_t i = 0; i < p->n; ++i)
        corners->at[0][i] = (char *)(texels + (uintptr_t)(p->column[0][i] * across) +
                                     (uintptr_t)(p->column[1][i] * down));
    return !outside || sampler->addressing == HALFCL_ADDRESS_CLAMP_TO_EDGE;
}

/* Returns false for LINEAR if some sample's texels are not together: the result is arbitrary
 * then. */
static bool locate_plain(const halfcl_image *image, const halfcl_sampler *sampler,
                         const halfcl_coordinates *coordinates, size_t first, size_t n,
                         char *border, halfcl_texels *corners)
{
    plain_places p; /* not initialised: it is large */
    take_plain(coordinates, first, n, &p);
    corners->together = sampler->filter == HALFCL_LINEAR;
    if (corners->together)
        return plain_together(image, sampler, &p, corners);
    plain_nearest(image, sampler, coordinates->are_integers, &p, border, corners->at[0]);
    return true;
}

#endif
