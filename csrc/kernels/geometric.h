/* Geometric functions of many vectors.
 *
 * A kernel takes {operands} for n vectors: halfcl_vectors, inputs then output, anywhere in
 * memory. It works on blocks of vectors in the two phases of function.h: first floats that
 * round to half as the exact results do, see enclosure.h, then these are rounded in the
 * kernel's mode. What the first phase leaves in doubt, exact_vector.h decides.
 *
 * Short vectors are taken apart into planes, a vector each lane. Long ones, and those of more
 * than a few components that lie in one piece of memory, are read along their rows, and the
 * sums of the lanes of LANES rows are added up together. */
#include "../exact_vector.h"
#include "enclosure.h"
#include "reduce.h"
#include "vector_planes.h"

enum { VECTOR_DOUBTS = VECTORS / 8 };

typedef float float_plane[VECTORS];
typedef char doubt_plane[VECTOR_DOUBTS];

/* What is known of the squares of LANES rows: bounds, the inverse of the root, and the exact
 * sum where it was needed. */
typedef struct {
    float low[LANES], high[LANES], inverse[LANES];
    exact_norm exact[LANES];
    bool is_known[LANES];
} row_norms;

/* The vectors that a phase works on: planes or rows. Of a function of one, b is a. */
typedef struct {
    halfcl_vectors a, b;
    size_t n;
    halfcl_rounding mode;
    row_norms *norms; /* of normalized rows, */
    size_t done;      /* of which this is the first component at work */
} vector_block;

/* Whether the components follow each other. */
static bool is_row(const halfcl_vectors *v)
{
    return v->component == sizeof(uint16_t);
}

static bool is_aligned(const halfcl_vectors *v)
{
    return ((uintptr_t)v->start | (size_t)v->step | (size_t)v->component) % 2 == 0;
}

static exact_operands operands_at(const vector_block *v, size_t i)
{
    return (exact_operands){component_of(&v->a, i, 0),
                            component_of(&v->b, i, 0),
                            v->a.component,
                            v->b.component,
                            v->a.width,
                            dot};
}

/* The exact way, for element i of result k: a vector and its component, or of normalized rows
 * the component and the row. */
typedef double decide_vector(const vector_block *v, size_t i, size_t k, unsigned *flags);

static double dot_decide(const vector_block *v, size_t i, size_t k, unsigned *flags)
{
    exact_operands operands = operands_at(v, i);
    (void)k;
    return exact_dot(&operands, v->mode, flags);
}

static double length_decide(const vector_block *v, size_t i, size_t k, unsigned *flags)
{
    exact_operands operands = operands_at(v, i);
    (void)k;
    return exact_length(&operands, flags);
}

static double distance_decide(const vector_block *v, size_t i, size_t k, unsigned *flags)
{
    exact_operands operands = operands_at(v, i);
    (void)k;
    return exact_distance(&operands, flags);
}

static double normalize_decide(const vector_block *v, size_t i, size_t k, unsigned *flags)
{
    exact_operands operands = operands_at(v, i);
    return exact_normalize(&operands, k, flags);
}

static const exact_norm *norm_of_row(const vector_block *v, size_t row, unsigned *flags)
{
    if (!v->norms->is_known[row]) {
        exact_operands operands = operands_at(v, row);
        v->norms->exact[row] = exact_norm_of(&operands, flags);
        v->norms->is_known[row] = true;
    }
    return &v->norms->exact[row];
}

static double ratio_decide(const vector_block *v, size_t i, size_t k, unsigned *flags)
{
    uint16_t x;
    memcpy(&x, component_of(&v->a, k, v->done + i), sizeof x);
    return exact_ratio(x, norm_of_row(v, k, flags));
}

/* Component k of a cross product comes of the components after it, in turn: a1 b2 - a2 b1. */
enum { CROSS_WIDTH = 3 };
static const size_t cross_next[] = {1, 2, 0}, cross_last[] = {2, 0, 1};

static double cross_decide(const vector_block *v, size_t i, size_t k, unsigned *flags)
{
    const half_plane *a = (const half_plane *)v->a.start, *b = (const half_plane *)v->b.start;
    const uint16_t x[] = {a[cross_next[k]][i], a[cross_last[k]][i]};
    const uint16_t y[] = {b[cross_last[k]][i], b[cross_next[k]][i] ^ HALF_SIGN};
    exact_operands operands = {(const char *)x, (const char *)y, sizeof *x, sizeof *y, 2, dot};
    return exact_dot(&operands, v->mode, flags);
}

/* The first phase: planes of results, and of what is in doubt. */
typedef void vectors_phase(const vector_block *v, float_plane *y, doubt_plane *doubts);

#if VECTOR_FUNCTIONS

/* ------------------------------------------------------------ planes */

ALWAYS_INLINE enclosure sum_planes(const vector_block *v, size_t i, size_t width, add_term *add)
{
    const half_plane *a = (const half_plane *)v->a.start, *b = (const half_plane *)v->b.start;
    enclosure sum = no_terms();
    for (size_t k = 0; k < width; k++)
        sum = add(sum, load(a[k] + i), load(b[k] + i));
    return sum;
}

ALWAYS_INLINE void dot_of_planes(const vector_block *v, size_t width, float_plane *y,
                                 doubt_plane *doubts)
{
    for (size_t i = 0; i < v->n; i += LANES)
        put_sum(sum_planes(v, i, width, add_product), v->mode, y[0] + i, doubts[0] + i / 8);
}

ALWAYS_INLINE void length_of_planes(const vector_block *v, size_t width, float_plane *y,
                                    doubt_plane *doubts)
{
    for (size_t i = 0; i < v->n; i += LANES)
        put_root(sum_planes(v, i, width, add_square), SLACK(width), y[0] + i,
                 doubts[0] + i / 8);
}

ALWAYS_INLINE void distance_of_planes(const vector_block *v, size_t width, float_plane *y,
                                      doubt_plane *doubts)
{
    for (size_t i = 0; i < v->n; i += LANES)
        put_root(sum_planes(v, i, width, add_squared_difference), SLACK(width), y[0] + i,
                 doubts[0] + i / 8);
}

ALWAYS_INLINE void cross_of_planes(const vector_block *v, size_t width, float_plane *y,
                                   doubt_plane *doubts)
{
    const half_plane *planes[] = {(const half_plane *)v->a.start,
                                  (const half_plane *)v->b.start};
    (void)width;
    for (size_t i = 0; i < v->n; i += LANES) {
        vf a[CROSS_WIDTH], b[CROSS_WIDTH];
        for (int k = 0; k < CROSS_WIDTH; k++) {
            a[k] = load(planes[0][k] + i);
            b[k] = load(planes[1][k] + i);
        }
        for (int k = 0; k < CROSS_WIDTH; k++) {
            enclosure sum = add_product(no_terms(), a[cross_next[k]], b[cross_last[k]]);
            sum = add_product(sum, vf_minus(a[cross_last[k]]), b[cross_next[k]]);
            put_sum(sum, v->mode, y[k] + i, doubts[k] + i / 8);
        }
    }
}

ALWAYS_INLINE void normalize_of_planes(const vector_block *v, size_t width, float_plane *y,
                                       doubt_plane *doubts)
{
    const half_plane *a = (const half_plane *)v->a.start;
    for (size_t i = 0; i < v->n; i += LANES) {
        squares sum = bounds(sum_planes(v, i, width, add_square));
        vf inverse = inverse_root(sum.high);
        for (size_t k = 0; k < width; k++)
            put_ratio(load(a[k] + i), sum, inverse, SLACK(width), y[k] + i, doubts[k] + i / 8);
    }
}

/* ------------------------------------------------------------ rows */

/* A row is added up in chunks, these in pairs, and so on: however many terms there are, fewer
 * than 2^7 additions come one after the other. */
enum { CHUNK = VECTORS, MOST_PAIRINGS = 56, LANE_ADDITIONS = LANES == 16 ? 4 : 3 };

static bool can_be_read(const halfcl_vectors *v)
{
    return is_row(v) && is_aligned(v);
}

/* Components [k, k + n) of a row, where they are or copied to buffer. */
ALWAYS_INLINE const uint16_t *row_chunk(const halfcl_vectors *v, size_t i, size_t k, size_t n,
                                        uint16_t *buffer)
{
    const char *from = component_of(v, i, k);
    if (can_be_read(v))
        return (const uint16_t *)from; /* faster than a call */
    return halfcl_gather(buffer, from, v->component, n);
}

ALWAYS_INLINE vm first_lanes(size_t n)
{
    float places[LANES];
    for (size_t k = 0; k < LANES; k++)
        places[k] = k < n;
    return vf_less(vf_set(0), vf_load(places));
}

/* Adds LANES terms, one in each lane; or n, if there are fewer, in the lanes that are last. */
ALWAYS_INLINE enclosure add_terms(enclosure sum, const uint16_t *x, const uint16_t *y, size_t n,
                                  vm last, add_term *add)
{
    if (n >= LANES)
        return add(sum, load(x), load(y));
    return select_enclosure(last, add(sum, load_n(x, n), load_n(y, n)), sum);
}

/* The sum of n terms, in two parts whose additions do not wait for each other. */
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

/* The sum of one row's terms, a part in each lane. */
typedef enclosure sum_row(const vector_block *v, size_t i, vm last, add_term *add);

/* Bit j of the number of chunks so far tells whether there is a sum of 2^j of them that waits
 * for another such sum. */
ALWAYS_INLINE enclosure sum_any_row(const vector_block *v, size_t i, vm last, add_term *add)
{
    uint16_t a_buffer[CHUNK], b_buffer[CHUNK];
    enclosure waiting[MOST_PAIRINGS];
    size_t depth = 0, chunks = 0;
    for (size_t k = 0; k < v->a.width; k += CHUNK) {
        size_t n = v->a.width - k < CHUNK ? v->a.width - k : CHUNK;
        const uint16_t *x = row_chunk(&v->a, i, k, n, a_buffer);
        const uint16_t *y = row_chunk(&v->b, i, k, n, b_buffer);
        enclosure sum = sum_chunk(x, y, n, last, add);
        for (size_t rest = chunks++; rest & 1; rest >>= 1)
            sum = add_enclosures(waiting[--depth], sum);
        waiting[depth++] = sum;
    }
    enclosure sum = waiting[--depth];
    while (depth > 0)
        sum = add_enclosures(waiting[--depth], sum);
    return sum;
}

/* The same of rows that can be read where they are, of a chunk at most. What finding chunks
 * costs would show. */
ALWAYS_INLINE enclosure sum_short_row(const vector_block *v, size_t i, vm last, add_term *add)
{
    const uint16_t *x = (const uint16_t *)component_of(&v->a, i, 0);
    const uint16_t *y = (const uint16_t *)component_of(&v->b, i, 0);
    return sum_chunk(x, y, v->a.width, last, add);
}

/* Of LANES rows from i on, a lane each; without terms past the last row. */
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

typedef void put_result(enclosure sum, halfcl_rounding mode, float *y, char *doubts);

ALWAYS_INLINE void map_rows(const vector_block *v, float_plane *y, doubt_plane *doubts,
                            add_term *add, put_result *put)
{
    vm last = first_lanes(v->a.width % LANES);
    if (v->a.width == 0) { /* +0, which only exact_dot tells from terms that cancel */
        memset(doubts[0], -1, sizeof doubts[0]);
        return;
    }
    for (size_t i = 0; i < v->n; i += LANES)
        put(sum_rows(v, i, last, add), v->mode, y[0] + i, doubts[0] + i / 8);
}

/* Of rows up to a chunk bounds will do. Of longer ones some ratio is in doubt nearly always,
 * and asks for the exact sum: then that serves all. */
static __attribute__((noinline)) void find_norms(const vector_block *v, unsigned *flags)
{
    row_norms *norms = v->norms;
    if (v->a.width <= CHUNK) {
        squares sum = bounds(sum_rows(v, 0, first_lanes(v->a.width % LANES), add_square));
        vf_put(norms->low, sum.low);
        vf_put(norms->high, sum.high);
    }
    for (size_t i = 0; i < v->n && v->a.width > CHUNK; i++) {
        const exact_norm *norm = norm_of_row(v, i, flags);
        double square = norm->infinite ? NAN : norm->square;
        norms->low[i] = -(float)-square;
        norms->high[i] = (float)square;
    }
    vf_put(norms->inverse, inverse_root(vf_load(norms->high)));
}

/* n components of row i. */
static __attribute__((noinline)) void find_ratios(const vector_block *v, size_t i,
                                                  const uint16_t *x, size_t n, float *y,
                                                  char *doubts)
{
    squares sum = {vf_set(v->norms->low[i]), vf_set(v->norms->high[i])};
    vf inverse = vf_set(v->norms->inverse[i]);
    size_t additions = v->a.width > CHUNK ? 1 : v->a.width / PAIR + 1 + LANE_ADDITIONS;
    int slack = SLACK(additions);
    for (size_t k = 0; k < n; k += LANES)
        put_ratio(load_upto(x + k, n - k), sum, inverse, slack, y + k, doubts + k / 8);
}

/* ------------------------------------------------------------ phases */

/* A function for itself keeps its constants in registers. */
#define PLANES_PHASE(name)                                                                     \
    static __attribute__((noinline)) void name##_planes_phase(                                 \
        const vector_block *v, float_plane *restrict y, doubt_plane *restrict doubts)          \
    {                                                                                          \
        BY_WIDTH(v->a.width, name##_OF_WIDTH)                                                  \
    }
#define dot_OF_WIDTH(width) dot_of_planes(v, width, y, doubts)
#define cross_OF_WIDTH(width) cross_of_planes(v, width, y, doubts)
#define length_OF_WIDTH(width) length_of_planes(v, width, y, doubts)
#define distance_OF_WIDTH(width) distance_of_planes(v, width, y, doubts)
#define normalize_OF_WIDTH(width) normalize_of_planes(v, width, y, doubts)

#define ROWS_PHASE(name, add, put)                                                             \
    static __attribute__((noinline)) void name##_rows_phase(                                   \
        const vector_block *v, float_plane *restrict y, doubt_plane *restrict doubts)          \
    {                                                                                          \
        map_rows(v, y, doubts, add, put);                                                      \
    }

/* Decides what is in doubt of n elements of result k. */
ALWAYS_INLINE unsigned decide_doubts(const vector_block *v, size_t n, size_t k, float *y,
                                     const char *doubts, decide_vector *decide)
{
    unsigned flags = 0;
    for (size_t g = 0; GROUP * g < n; g++) {
        for (uint64_t lanes = doubts_of_group(doubts, g, n); lanes; lanes &= lanes - 1) {
            size_t i = GROUP * g + (size_t)__builtin_ctzll(lanes);
            leave_vectors();
            y[i] = odd_float(decide(v, i, k, &flags));
        }
    }
    return flags;
}

#else

/* Without vector functions everything is in doubt. */

#define PLANES_PHASE(name)                                                                     \
    static void name##_planes_phase(const vector_block *v, float_plane *y,                     \
                                    doubt_plane *doubts)                                       \
    {                                                                                          \
        (void)v, (void)y, (void)doubts;                                                        \
    }
#define ROWS_PHASE(name, add, put)                                                             \
    static void name##_rows_phase(const vector_block *v, float_plane *y, doubt_plane *doubts)  \
    {                                                                                          \
        (void)v, (void)y, (void)doubts;                                                        \
    }

static void find_norms(const vector_block *v, unsigned *flags)
{
    (void)v, (void)flags;
}

static void find_ratios(const vector_block *v, size_t i, const uint16_t *x, size_t n, float *y,
                        char *doubts)
{
    (void)v, (void)i, (void)x, (void)n, (void)y, (void)doubts;
}

ALWAYS_INLINE unsigned decide_doubts(const vector_block *v, size_t n, size_t k, float *y,
                                     const char *doubts, decide_vector *decide)
{
    unsigned flags = 0;
    (void)doubts;
    for (size_t i = 0; i < n; i++)
        y[i] = odd_float(decide(v, i, k, &flags));
    return flags;
}

#endif

PLANES_PHASE(dot)
PLANES_PHASE(distance)
PLANES_PHASE(length)
PLANES_PHASE(cross)
PLANES_PHASE(normalize)
ROWS_PHASE(dot, add_product, put_sum)
ROWS_PHASE(distance, add_squared_difference, put_root_of_many)
ROWS_PHASE(length, add_square, put_root_of_many)

/* ------------------------------------------------------------ kernels */

/* Whether sums go along the rows: of vectors in one piece, or too many for planes. */
static bool by_rows(const halfcl_vectors *a, const halfcl_vectors *b)
{
    bool in_one_piece = is_row(a) && is_row(b);
    return a->width == 0 || a->width > (in_one_piece ? MOST_JOINED : WIDEST);
}

static halfcl_vectors vectors_from(const halfcl_vectors *v, size_t i)
{
    return (halfcl_vectors){component_of(v, i, 0), v->step, v->component, v->width};
}

/* Of the planes of the output, the first ones are computed, and others are zero. b is a in
 * functions of one. rows: the phase if the block is of rows, else NULL. */
ALWAYS_INLINE unsigned map_vectors(const halfcl_vectors *a, const halfcl_vectors *b,
                                   const halfcl_vectors *out, size_t n, size_t computed,
                                   halfcl_rounding mode, vectors_phase *planes,
                                   vectors_phase *rows, decide_vector *decide)
{
    _Alignas(64) half_plane a_planes[WIDEST], b_planes[WIDEST], results[WIDEST];
    _Alignas(64) float_plane y[WIDEST];
    doubt_plane doubts[WIDEST] = {{0}};
    unsigned flags = 0;
    acc seen = acc_none();
    for (size_t k = computed; k < out->width; k++)
        memset(results[k], 0, sizeof results[k]);
    for (size_t done = 0; done < n; done += VECTORS) {
        const halfcl_vectors to = vectors_from(out, done);
        vector_block v = {.a = vectors_from(a, done), .b = vectors_from(b, done), .mode = mode};
        halfcl_env env;
        v.n = n - done < VECTORS ? n - done : VECTORS;
        if (!rows) {
            v.a = split(&v.a, v.n, a_planes);
            v.b = a == b ? v.a : split(&v.b, v.n, b_planes);
        }
        halfcl_enter(&env, HALFCL_RTP);
        (rows ? rows : planes)(&v, y, doubts);
        for (size_t k = 0; k < computed; k++) {
            flags |= decide_doubts(&v, v.n, k, y[k], doubts[k], decide);
            fill_lanes(y[k], v.n);
        }
        halfcl_leave(&env);
        for (size_t k = 0; k < computed; k++)
            round_block(y[k], v.n, results[k], mode, &seen, MAYBE_TINY);
        join(&to, v.n, results);
    }
    return flags | acc_flags(seen);
}

/* Components [v->done, v->done + n) of normalized rows. */
static unsigned normalize_chunk(const vector_block *v, size_t n, const halfcl_vectors *out,
                                acc *seen)
{
    _Alignas(64) float_plane y[LANES];
    doubt_plane doubts[LANES] = {{0}};
    half_plane halves;
    bool in_place = is_row(out) && is_aligned(out);
    halfcl_env env;
    unsigned flags = 0;
    halfcl_enter(&env, HALFCL_RTP);
    for (size_t i = 0; i < v->n; i++) {
        const char *from = component_of(&v->a, i, v->done);
        find_ratios(v, i, halfcl_gather(halves, from, v->a.component, n), n, y[i], doubts[i]);
        fill_lanes(y[i], n);
    }
    for (size_t i = 0; i < v->n; i++) /* not before the doubts have reached memory */
        flags |= decide_doubts(v, n, i, y[i], doubts[i], ratio_decide);
    halfcl_leave(&env);
    for (size_t i = 0; i < v->n; i++) {
        char *to = component_of(out, i, v->done);
        uint16_t *results = in_place ? (uint16_t *)to : halves;
        round_block(y[i], n, results, v->mode, seen, MAYBE_TINY);
        if (!in_place)
            halfcl_copy(to, out->component, (const char *)halves, sizeof *halves, n);
    }
    return flags;
}

static unsigned normalize_rows(const halfcl_vectors *a, const halfcl_vectors *out, size_t n,
                               halfcl_rounding mode)
{
    unsigned flags = 0;
    acc seen = acc_none();
    for (size_t done = 0; done < n; done += LANES) {
        const halfcl_vectors from = vectors_from(a, done), to = vectors_from(out, done);
        row_norms norms = {.is_known = {0}};
        vector_block v = {from, from, n - done < LANES ? n - done : LANES, mode, &norms, 0};
        halfcl_env env;
        halfcl_enter(&env, HALFCL_RTP);
        find_norms(&v, &flags);
        halfcl_leave(&env);
        for (; v.done < a->width; v.done += VECTORS) {
            size_t left = a->width - v.done;
            flags |= normalize_chunk(&v, left < VECTORS ? left : VECTORS, &to, &seen);
        }
    }
    return flags | acc_flags(seen);
}

#define SCALAR_KERNEL(name, b, out)                                                            \
    static unsigned name##_vectors(void *const *args, size_t n, halfcl_rounding mode)          \
    {                                                                                          \
        const halfcl_vectors *v = args[0];                                                     \
        return map_vectors(v, b, out, n, 1, mode, name##_planes_phase,                         \
                           by_rows(v, b) ? name##_rows_phase : NULL, name##_decide);           \
    }
SCALAR_KERNEL(dot, v + 1, v + 2)
SCALAR_KERNEL(distance, v + 1, v + 2)
SCALAR_KERNEL(length, v, v + 1)

static unsigned cross_vectors(void *const *args, size_t n, halfcl_rounding mode)
{
    const halfcl_vectors *v = args[0];
    return map_vectors(v, v + 1, v + 2, n, CROSS_WIDTH, mode, cross_planes_phase, NULL,
                       cross_decide);
}

static unsigned normalize_vectors(void *const *args, size_t n, halfcl_rounding mode)
{
    const halfcl_vectors *v = args[0];
    return v->width > WIDEST ? normalize_rows(v, v + 1, n, mode)
                             : map_vectors(v, v, v + 1, n, v->width, mode,
                                           normalize_planes_phase, NULL, normalize_decide);
}

#define GEOMETRIC_KERNELS                                                                      \
    {"vectors_dot", "ee>e", dot_vectors}, {"vectors_distance", "ee>e", distance_vectors},      \
        {"vectors_length", "e>e", length_vectors}, {"vectors_cross", "ee>e", cross_vectors},   \
        {"vectors_normalize", "e>e", normalize_vectors},
