/* The fast phases of geometric functions on planes: one vector per lane. */
#ifndef HALFCL_KERNELS_VECTORS_GEOMETRIC_PLANES_H
#define HALFCL_KERNELS_VECTORS_GEOMETRIC_PLANES_H

#include "kernels/vectors/block.h"
#include "kernels/vectors/enclosure.h"

ALWAYS_INLINE enclosure sum_planes(const vector_block *v, size_t i, size_t width, add_term *add)
{
    const half_plane *a = (const half_plane *)v->a.start, *b = (const half_plane *)v->b.start;
    enclosure sum = no_terms();
    for (size_t k = 0; k < width; k++)
        sum = add(sum, load(a[k] + i), load(b[k] + i));
    return sum;
}

ALWAYS_INLINE void dot_of_planes(const vector_block *v, size_t width, float_plane *y,
                                 bit_plane *hard)
{
    for (size_t i = 0; i < v->n; i += LANES)
        put_sum(sum_planes(v, i, width, add_product), v->mode, (place){y[0], hard[0], i});
}

ALWAYS_INLINE void length_of_planes(const vector_block *v, size_t width, float_plane *y,
                                    bit_plane *hard)
{
    for (size_t i = 0; i < v->n; i += LANES)
        put_root(sum_planes(v, i, width, add_square), SLACK(width), (place){y[0], hard[0], i});
}

ALWAYS_INLINE void distance_of_planes(const vector_block *v, size_t width, float_plane *y,
                                      bit_plane *hard)
{
    for (size_t i = 0; i < v->n; i += LANES)
        put_root(sum_planes(v, i, width, add_squared_difference), SLACK(width),
                 (place){y[0], hard[0], i});
}

/* Replaces results by sums that are infinite or a NaN. */
#define SPECIAL_PLANES_LOOP(name, add)                                                         \
    static __attribute__((noinline)) void special_##name##_planes_loop(                        \
        const vector_block *v, float_plane *y, bit_plane *hard)                                \
    {                                                                                          \
        for (size_t i = 0; i < v->n; i += LANES)                                               \
            put_special_sum(sum_planes(v, i, v->a.width, add), v->mode,                        \
                            (place){y[0], hard[0], i});                                        \
    }
SPECIAL_PLANES_LOOP(dot, add_special_product)
SPECIAL_PLANES_LOOP(distance, add_squared_difference)
SPECIAL_PLANES_LOOP(length, add_square)

ALWAYS_INLINE void cross_each(const vector_block *v, float_plane *y, bit_plane *hard,
                              add_term *add, put_result *put)
{
    const half_plane *planes[] = {(const half_plane *)v->a.start,
                                  (const half_plane *)v->b.start};
    for (size_t i = 0; i < v->n; i += LANES) {
        vf a[CROSS_WIDTH], b[CROSS_WIDTH];
        for (int k = 0; k < CROSS_WIDTH; k++) {
            a[k] = load(planes[0][k] + i);
            b[k] = load(planes[1][k] + i);
        }
        for (int k = 0; k < CROSS_WIDTH; k++) {
            enclosure sum = add(no_terms(), a[cross_next[k]], b[cross_last[k]]);
            sum = add(sum, vf_minus(a[cross_last[k]]), b[cross_next[k]]);
            put(sum, v->mode, (place){y[k], hard[k], i});
        }
    }
}

ALWAYS_INLINE void cross_of_planes(const vector_block *v, size_t width, float_plane *y,
                                   bit_plane *hard)
{
    (void)width;
    cross_each(v, y, hard, add_product, put_sum);
}

static __attribute__((noinline)) void special_cross_planes_loop(const vector_block *v,
                                                                float_plane *y, bit_plane *hard)
{
    cross_each(v, y, hard, add_special_product, put_special_sum);
}

/* Sets the sums of infinite vectors to the number of their infinite components, which count as
 * 1. */
ALWAYS_INLINE squares count_infinities(const vector_block *v, size_t i, size_t width,
                                       vm infinite, squares sum)
{
    const half_plane *a = (const half_plane *)v->a.start;
    vf count = vf_set(0);
    for (size_t k = 0; k < width; k++)
        count = vf_add(count, vf_abs(sign_if_infinite(load(a[k] + i))));
    return (squares){vf_select(infinite, count, sum.low), vf_select(infinite, count, sum.high)};
}

ALWAYS_INLINE void normalize_of_planes(const vector_block *v, size_t width, float_plane *y,
                                       bit_plane *hard)
{
    const half_plane *a = (const half_plane *)v->a.start;
    for (size_t i = 0; i < v->n; i += LANES) {
        squares sum = bounds(sum_planes(v, i, width, add_square));
        vf inverse = inverse_root(sum.high);
        for (size_t k = 0; k < width; k++)
            put_ratio(load(a[k] + i), sum, inverse, SLACK(width), (place){y[k], hard[k], i});
    }
}

/* Normalizes zeros, infinities and NaNs, too, without invalid operations. */
ALWAYS_INLINE void normalize_carefully_of_planes(const vector_block *v, size_t width,
                                                 float_plane *y, bit_plane *hard)
{
    const half_plane *a = (const half_plane *)v->a.start;
    for (size_t i = 0; i < v->n; i += LANES) {
        squares sum = bounds(sum_planes(v, i, width, add_square));
        const vm infinite = vf_equal(sum.high, vf_set(INFINITY));
        sum = count_infinities(v, i, width, infinite, sum);
        const vf inverse = inverse_of_sum(sum);
        for (size_t k = 0; k < width; k++) {
            vf x = load(a[k] + i);
            x = vf_select(infinite, sign_if_infinite(x), x);
            put_ratio(x, sum, inverse, SLACK(width), (place){y[k], hard[k], i});
        }
    }
}

/* A separate function keeps its constants in registers. */
#define PLANES_LOOP(name)                                                                      \
    static __attribute__((noinline)) void name##_planes_loop(                                  \
        const vector_block *v, float_plane *restrict y, bit_plane *restrict hard)              \
    {                                                                                          \
        BY_WIDTH(v->a.width, name##_OF_WIDTH)                                                  \
    }
#define dot_OF_WIDTH(width) dot_of_planes(v, width, y, hard)
#define cross_OF_WIDTH(width) cross_of_planes(v, width, y, hard)
#define length_OF_WIDTH(width) length_of_planes(v, width, y, hard)
#define distance_OF_WIDTH(width) distance_of_planes(v, width, y, hard)
#define normalize_OF_WIDTH(width) normalize_of_planes(v, width, y, hard)
#define normalize_carefully_OF_WIDTH(width) normalize_carefully_of_planes(v, width, y, hard)
PLANES_LOOP(dot)
PLANES_LOOP(distance)
PLANES_LOOP(length)
PLANES_LOOP(cross)
PLANES_LOOP(normalize)
PLANES_LOOP(normalize_carefully)

#endif
