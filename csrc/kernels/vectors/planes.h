/* Splits many vectors into planes, one per component, and joins them again. */
#ifndef HALFCL_KERNELS_VECTORS_PLANES_H
#define HALFCL_KERNELS_VECTORS_PLANES_H

#include "format/strided.h"
#include "kernels/shared/map.h"

/* The kernels work on blocks of so many vectors, and on those of at most so many components by
 * component: a block of the usual four components stays in L1. */
enum { VECTORS = 256, WIDEST = 16 };

typedef uint16_t half_plane[VECTORS];

/* For a constant width, so that the compiler vectorises them; planes are so many halves
 * apart. */
ALWAYS_INLINE void split_vectors(const uint16_t *restrict rows, size_t n, size_t width,
                                 uint16_t *restrict planes, size_t apart)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < width; k++)
            planes[k * apart + i] = rows[width * i + k];
    }
}

ALWAYS_INLINE void join_vectors(uint16_t *restrict rows, size_t n, size_t width,
                                const uint16_t *restrict planes, size_t apart)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < width; k++)
            rows[width * i + k] = planes[k * apart + i];
    }
}

/* Calls for a width, with the usual ones as constants. */
#define BY_WIDTH(width, CALL)                                                                  \
    switch (width) {                                                                           \
    case 1:                                                                                    \
        CALL(1);                                                                               \
        break;                                                                                 \
    case 2:                                                                                    \
        CALL(2);                                                                               \
        break;                                                                                 \
    case 3:                                                                                    \
        CALL(3);                                                                               \
        break;                                                                                 \
    case 4:                                                                                    \
        CALL(4);                                                                               \
        break;                                                                                 \
    default:                                                                                   \
        CALL(width);                                                                           \
    }

enum { MOST_JOINED = 4 };

/* Returns whether the vectors are contiguous in memory, aligned, and short. */
static bool are_joined(const halfcl_vectors *v)
{
    return v->width <= MOST_JOINED && v->step == 2 * (ptrdiff_t)v->width &&
           (v->component == 2 || v->width == 1) && (uintptr_t)v->start % 2 == 0;
}

static char *component_of(const halfcl_vectors *v, size_t i, size_t k)
{
    return v->start + (ptrdiff_t)i * v->step + (ptrdiff_t)k * v->component;
}

/* Copies n vectors from memory to planes, and returns a description of these. */
static __attribute__((noinline)) halfcl_vectors split(const halfcl_vectors *v, size_t n,
                                                      half_plane *planes)
{
    if (are_joined(v)) {
        const uint16_t *rows = (const uint16_t *)v->start;
#define SPLIT(width) split_vectors(rows, n, width, planes[0], VECTORS)
        BY_WIDTH(v->width, SPLIT)
#undef SPLIT
    } else {
        for (size_t k = 0; k < v->width; k++)
            halfcl_copy((char *)planes[k], 2, component_of(v, 0, k), v->step, n);
    }
    /* The last vector of lanes is computed as a whole. */
    for (size_t k = 0; k < v->width; k++) {
        for (size_t i = n; i % LANES != 0; i++)
            planes[k][i] = HALF_ONE;
    }
    return (halfcl_vectors){(char *)planes, 2, sizeof *planes, v->width};
}

static __attribute__((noinline)) void join(const halfcl_vectors *v, size_t n,
                                           const half_plane *planes)
{
    if (are_joined(v)) {
        uint16_t *rows = (uint16_t *)v->start;
#define JOIN(width) join_vectors(rows, n, width, planes[0], VECTORS)
        BY_WIDTH(v->width, JOIN)
#undef JOIN
    } else {
        for (size_t k = 0; k < v->width; k++)
            halfcl_copy(component_of(v, 0, k), v->step, (const char *)planes[k], 2, n);
    }
}

#endif
