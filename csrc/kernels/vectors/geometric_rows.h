/* The fast phases of geometric functions along the rows, and the norms of normalized rows. */
#ifndef HALFCL_KERNELS_VECTORS_GEOMETRIC_ROWS_H
#define HALFCL_KERNELS_VECTORS_GEOMETRIC_ROWS_H

#include "kernels/vectors/block.h"
#include "kernels/vectors/enclosure.h"

/* A row is summed in chunks, these in pairs, and so on: however many terms there are, fewer
 * than 2^7 additions depend on each other. */
enum { CHUNK = VECTORS, LONG_CHUNK = 2 * CHUNK, MOST_PAIRINGS = 56 };
enum { LANE_ADDITIONS = LANES > 8 ? 4 : 3 };

/* Returns components [k, k + n) of a row, in place or copied to buffer. */
ALWAYS_INLINE const uint16_t *row_chunk(const halfcl_vectors *v, size_t i, size_t k, size_t n,
                                        uint16_t *buffer)
{
    const char *from = component_of(v, i, k);
    if (can_be_read(v))
        return (const uint16_t *)from; /* faster than a call */
    return halfcl_gather(buffer, from, v->component, n);
}

/* Adds LANES terms, one in each lane; or n, if there are fewer, in the lanes of `last`. */
ALWAYS_INLINE enclosure add_terms(enclosure sum, const uint16_t *x, const uint16_t *y, size_t n,
                                  vm last, add_term *add)
{
    if (n >= LANES)
        return add(sum, load(x), load(y));
    return select_enclosure(last, add(sum, load_n(x, n), load_n(y, n)), sum);
}

/* Returns the sum of n terms, in two independent parts. */
ALWAYS_INLINE enclosure sum_chunk(const uint16_t *x, const uint16_t *y, size_t n, vm last,
                                  add_term *add)
{
    enclosure sum = add_terms(no_terms(), x, y, n, last, add), other = no_terms();
    size_t k = LANES;
    if (n <= LANES)
        return sum;
    for (; k + PAIR <= n; k += PAIR) {
        other = add(other, load(x + k), load(y + k));
        sum = add(sum, load(x + k + LANES), load(y + k + LANES));
    }
    for (; k < n; k += LANES)
        other = add_terms(other, x + k, y + k, n - k, last, add);
    return add_enclosures(sum, other);
}

/* Returns the sum of LONG_CHUNK terms, in four parts. */
ALWAYS_INLINE enclosure sum_long_chunk(const uint16_t *x, const uint16_t *y, add_term *add)
{
    enclosure a = no_terms(), b = a, c = a, d = a;
    for (size_t k = 0; k < LONG_CHUNK; k += 2 * PAIR) {
        const uint16_t *at = ahead_of(x + k), *other = ahead_of(y + k);
        a = add(a, load(at), load(other));
        b = add(b, load(at + LANES), load(other + LANES));
        c = add(c, load(at + 2 * LANES), load(other + 2 * LANES));
        d = add(d, load(at + 3 * LANES), load(other + 3 * LANES));
    }
    return add_enclosures(add_enclosures(a, b), add_enclosures(c, d));
}

/* Returns the sum of one row's terms, a part in each lane. */
typedef enclosure sum_row(const vector_block *v, size_t i, vm last, add_term *add);

/* Bit j of the number of chunks so far says whether a sum of 2^j of them waits for another such
 * sum. */
ALWAYS_INLINE enclosure sum_any_row(const vector_block *v, size_t i, vm last, add_term *add)
{
    uint16_t a_buffer[CHUNK], b_buffer[CHUNK];
    enclosure waiting[MOST_PAIRINGS];
    const bool direct = can_be_read(&v->a) && can_be_read(&v->b);
    size_t depth = 0, chunks = 0;
    for (size_t k = 0, n; k < v->a.width; k += n) {
        const size_t remaining = v->a.width - k;
        const bool is_long = direct && remaining >= LONG_CHUNK;
        n = is_long ? LONG_CHUNK : remaining < CHUNK ? remaining : CHUNK;
        const uint16_t *x = row_chunk(&v->a, i, k, n, a_buffer);
        const uint16_t *y = row_chunk(&v->b, i, k, n, b_buffer);
        enclosure sum = is_long ? sum_long_chunk(x, y, add) : sum_chunk(x, y, n, last, add);
        for (size_t rest = chunks++; rest & 1; rest >>= 1)
            sum = add_enclosures(waiting[--depth], sum);
        waiting[depth++] = sum;
    }
    enclosure sum = waiting[--depth];
    while (depth > 0)
        sum = add_enclosures(waiting[--depth], sum);
    return sum;
}

/* Returns the sum of a row that can be read in place and has at most one chunk. The overhead of
 * chunks would be noticeable. */
ALWAYS_INLINE enclosure sum_short_row(const vector_block *v, size_t i, vm last, add_term *add)
{
    const uint16_t *x = (const uint16_t *)component_of(&v->a, i, 0);
    const uint16_t *y = (const uint16_t *)component_of(&v->b, i, 0);
    return sum_chunk(x, y, v->a.width, last, add);
}

/* Returns the sums of LANES rows from i on, one per lane; lanes past the last row have no
 * terms. */
ALWAYS_INLINE enclosure sum_each_row(const vector_block *v, size_t i, vm last, add_term *add,
                                     sum_row *sum_one)
{
    vf minus_low[LANES], high[LANES];
    for (size_t row = 0; row < LANES; row++) {
        enclosure sum = i + row < v->n ? sum_one(v, i + row, last, add) : no_terms();
        minus_low[row] = sum.minus_low;
        high[row] = sum.high;
    }
    return (enclosure){vf_sums_of_lanes(minus_low), vf_sums_of_lanes(high)};
}

ALWAYS_INLINE enclosure sum_rows(const vector_block *v, size_t i, vm last, add_term *add)
{
    return v->a.width <= CHUNK && can_be_read(&v->a) && can_be_read(&v->b)
               ? sum_each_row(v, i, last, add, sum_short_row)
               : sum_each_row(v, i, last, add, sum_any_row);
}

ALWAYS_INLINE void map_rows(const vector_block *v, float_plane *y, bit_plane *hard,
                            add_term *add, put_result *put)
{
    vm last = vm_first(v->a.width % LANES);
    if (v->a.width == 0) { /* +0, which only exact_dot distinguishes from terms that cancel */
        memset(hard[0], -1, sizeof hard[0]);
        memset(y[0], 0, sizeof y[0]);
        return;
    }
    for (size_t i = 0; i < v->n; i += LANES)
        put(sum_rows(v, i, last, add), v->mode, (place){y[0], hard[0], i});
}

/* Takes the exact sum of row i: the number of infinite components if there is one, see
 * sign_if_infinite, and a NaN if a component is one. */
static void find_exact_norm(const vector_block *v, size_t i, unsigned *flags)
{
    const double square = norm_of_row(v, i, flags)->square;
    v->norms->low[i] = -(float)-square;
    v->norms->high[i] = (float)square;
}

/* For rows up to a chunk bounds are enough. In longer ones some ratio is a hard case nearly
 * always, and needs the exact sum: then that is used for all. */
static __attribute__((noinline)) void find_norms(const vector_block *v, unsigned *flags)
{
    row_norms *norms = v->norms;
    if (v->a.width <= CHUNK) {
        squares sum = bounds(sum_rows(v, 0, vm_first(v->a.width % LANES), add_square));
        vf_put(norms->low, sum.low);
        vf_put(norms->high, sum.high);
    }
    for (size_t i = 0; i < v->n; i++) {
        if (v->a.width > CHUNK || is_special(norms->high[i]))
            find_exact_norm(v, i, flags);
    }
    vf_put(norms->inverse,
           inverse_of_sum((squares){vf_load(norms->low), vf_load(norms->high)}));
}

/* Normalizes n components of row i. */
static __attribute__((noinline)) void
find_ratios(const vector_block *v, size_t i, const uint16_t *x, size_t n, float *y, char *hard)
{
    const row_norms *norms = v->norms;
    const bool is_infinite = norms->is_known[i] && norms->exact[i].infinite;
    squares sum = {vf_set(norms->low[i]), vf_set(norms->high[i])};
    vf inverse = vf_set(norms->inverse[i]);
    size_t additions = v->a.width > CHUNK ? 1 : v->a.width / PAIR + 1 + LANE_ADDITIONS;
    int slack = SLACK(additions);
    for (size_t k = 0; k < n; k += LANES) {
        const vf component = load_upto(x + k, n - k);
        put_ratio(is_infinite ? sign_if_infinite(component) : component, sum, inverse, slack,
                  (place){y, hard, k});
    }
}

/* Sets all of a row's ratios, each of which is a NaN. */
static void fill_with_nans(float *y, size_t n, char *hard)
{
    for (size_t k = 0; k < n; k += LANES)
        vf_put(y + k, vf_set(NAN));
    memset(hard, 0, VECTOR_BITS);
}

/* A separate function keeps its constants in registers. */
#define ROWS_LOOP(name, add, put)                                                              \
    static __attribute__((noinline)) void name##_rows_loop(                                    \
        const vector_block *v, float_plane *restrict y, bit_plane *restrict hard)              \
    {                                                                                          \
        map_rows(v, y, hard, add, put);                                                        \
    }
ROWS_LOOP(short_dot, add_product, put_sum)
ROWS_LOOP(distance, add_squared_difference, put_root_of_many)
ROWS_LOOP(length, add_square, put_root_of_many)
ROWS_LOOP(special_dot, add_special_product, put_special_sum)
ROWS_LOOP(special_distance, add_squared_difference, put_special_sum)
ROWS_LOOP(special_length, add_square, put_special_sum)

/* With more terms of both signs the bounds are often too far apart: then adding them exactly at
 * once is faster. */
enum { MOST_ENCLOSED = HAVE_STATIC_ROUNDING ? 1 << 16 : 1 << 17 };

static void dot_rows_loop(const vector_block *v, float_plane *y, bit_plane *hard)
{
    if (v->a.width > MOST_ENCLOSED) {
        memset(hard[0], -1, sizeof hard[0]);
        memset(y[0], 0, sizeof y[0]);
    } else {
        short_dot_rows_loop(v, y, hard);
    }
}

#endif
