/* Geometric functions of many vectors.
 *
 * A kernel computes blocks of vectors in the phases of phases.h: first floats that round to
 * half as the exact results do, see enclosure.h, then these are rounded in the kernel's mode.
 * Hard cases are decided exactly, see block.h.
 *
 * Short vectors are split into planes, one vector per lane. Long ones, and those of more than a
 * few components that are contiguous in memory, are read along their rows, and the sums of the
 * lanes of LANES rows are added together. */
#ifndef HALFCL_KERNELS_VECTORS_GEOMETRIC_H
#define HALFCL_KERNELS_VECTORS_GEOMETRIC_H

#include "kernels/folds/enclosed.h"
#include "kernels/vectors/geometric_planes.h"
#include "kernels/vectors/geometric_rows.h"

/* Without fused multiply-add every component is a hard case. */
enum { ALL_HARD = HAVE_FMA ? 0 : -1 };

/* Decides the hard cases of n elements of result k; if `met` is given, it sets that instead
 * where the fast phase met an infinity or a NaN. */
ALWAYS_INLINE unsigned solve_hard_components(const vector_block *v, size_t n, size_t k,
                                             float *y, const char *hard,
                                             hard_component *hard_case, bool *met)
{
    unsigned flags = 0;
    for (size_t g = 0; GROUP * g < n; g++) {
        for (uint64_t lanes = hard_cases_of_group(hard, g, n); lanes; lanes &= lanes - 1) {
            size_t i = GROUP * g + (size_t)__builtin_ctzll(lanes);
            if (met && is_special(y[i])) {
                *met = true;
                continue;
            }
            leave_vectors();
            y[i] = round_to_odd(hard_case(v, i, k, &flags));
        }
    }
    return flags;
}

static bool has_infinity(const halfcl_vectors *planes, size_t n)
{
    const vw infinity = vw_set(HALF_INF);
    wm any = vw_greater(infinity, infinity);
    for (size_t k = 0; k < planes->width; ++k) {
        const uint16_t *plane = ((const half_plane *)planes->start)[k];
        for (size_t i = 0; i < n; i += WORDS) {
            const vw halves = load_words_upto(plane + i, n - i);
            any = wm_or(any, vw_equal(vw_and(halves, vw_set(HALF_MAGNITUDE)), infinity));
        }
    }
    return wm_any(any);
}

/* Decides the hard cases that are infinite, and the NaNs, too, if nothing decides before them:
 * no operation was invalid, so that the sums tell all about their terms. */
static void decide_specials(float *y, size_t n, char *hard, bool decide_nans)
{
    const vf infinity = vf_set(INFINITY);
    char decided[VECTOR_BITS + sizeof(uint64_t)] = {0};
    for (size_t i = 0; i < n; i += LANES) {
        const vf results = vf_load(y + i);
        const vm is_number = vf_equal(results, results);
        vf_put(y + i, vf_select(is_number, results, vf_set(NAN)));
        vm_put(decided, i,
               decide_nans ? vf_special(results) : vf_equal(vf_abs(results), infinity));
    }
    for (size_t i = 0; i < VECTOR_BITS; ++i)
        hard[i] &= (char)~decided[i];
}

/* Returns whether to sum along the rows: for contiguous vectors, or those too long for
 * planes. */
static bool by_rows(const halfcl_vectors *a, const halfcl_vectors *b)
{
    bool in_one_piece = is_row(a) && is_row(b);
    return a->width == 0 || a->width > (in_one_piece ? MOST_JOINED : WIDEST);
}

static halfcl_vectors vectors_from(const halfcl_vectors *v, size_t i)
{
    return (halfcl_vectors){component_of(v, i, 0), v->step, v->component, v->width};
}

/* The parts of a function: its fast phase, along the rows or on planes; the loop that computes
 * infinite results and NaNs, without other invalid operations than those of the function; its
 * hard cases; and whether an infinite component decides even beside a NaN. */
typedef struct {
    vectors_loop *fast_loop, *special_loop;
    bool along_rows;
    hard_component *hard_case;
    bool infinities_first;
} vectors_function;

/* The vectors of the operands: b is a in functions of one vector. */
typedef struct {
    const halfcl_vectors *a, *b, *out;
    size_t n;
    size_t computed; /* the first planes of the output; the others are zero */
    halfcl_rounding mode;
} vectors_call;

/* Returns whether no component is infinite; false if it was not checked, as of rows. */
static bool has_no_infinity(const vector_block *v, bool along_rows)
{
    return !along_rows && !has_infinity(&v->a, v->n) && !has_infinity(&v->b, v->n);
}

/* Decides the hard cases of a block in which the fast phase met infinities and NaNs. */
static __attribute__((noinline)) unsigned
solve_block_of_specials(const vector_block *v, const vectors_function f, size_t results,
                        float_plane *y, bit_plane *hard)
{
    halfcl_env env;
    unsigned flags = 0;
    halfcl_enter(&env, HALFCL_RTP);
    f.special_loop(v, y, hard);
    const bool tells_all = tell_all(y);
    const bool decide_nans = !f.infinities_first || has_no_infinity(v, f.along_rows);
    for (size_t k = 0; k < results; k++) {
        if (tells_all)
            decide_specials(y[k], v->n, hard[k], decide_nans);
        flags |= solve_hard_components(v, v->n, k, y[k], hard[k], f.hard_case, NULL);
    }
    halfcl_leave(&env);
    return flags;
}

ALWAYS_INLINE unsigned map_vectors(const vectors_call call, const vectors_function f)
{
    _Alignas(64) half_plane a_planes[WIDEST], b_planes[WIDEST], results[WIDEST];
    _Alignas(64) float_plane y[WIDEST];
    bit_plane hard[WIDEST];
    unsigned flags = 0;
    acc seen = acc_none();
    memset(hard, ALL_HARD, sizeof hard);
    for (size_t k = call.computed; k < call.out->width; k++)
        memset(results[k], 0, sizeof results[k]);
    for (size_t done = 0; done < call.n; done += VECTORS) {
        const halfcl_vectors to = vectors_from(call.out, done);
        vector_block v = {.a = vectors_from(call.a, done),
                          .b = vectors_from(call.b, done),
                          .mode = call.mode,
                          .fast = HAVE_FMA ? y[0] : NULL};
        halfcl_env env;
        v.n = call.n - done < VECTORS ? call.n - done : VECTORS;
        if (!f.along_rows) {
            v.a = split(&v.a, v.n, a_planes);
            v.b = call.a == call.b ? v.a : split(&v.b, v.n, b_planes);
        }
        halfcl_enter(&env, HALFCL_RTP);
        if (HAVE_FMA)
            f.fast_loop(&v, y, hard);
        bool met = false;
        for (size_t k = 0; k < call.computed; k++)
            flags |= solve_hard_components(&v, v.n, k, y[k], hard[k], f.hard_case,
                                           HAVE_FMA ? &met : NULL);
        if (met)
            flags |= solve_block_of_specials(&v, f, call.computed, y, hard);
        for (size_t k = 0; k < call.computed; k++)
            fill_lanes(y[k], v.n);
        halfcl_leave(&env);
        for (size_t k = 0; k < call.computed; k++)
            round_block(y[k], v.n, results[k], call.mode, &seen, MAYBE_TINY);
        join(&to, v.n, results);
    }
    return flags | acc_flags(seen);
}

/* Computes components [v->done, v->done + n) of normalized rows. */
static unsigned normalize_chunk(const vector_block *v, size_t n, const halfcl_vectors *out,
                                acc *seen)
{
    _Alignas(64) float_plane y[LANES];
    bit_plane hard[LANES];
    half_plane halves;
    bool in_place = is_row(out) && is_aligned(out);
    halfcl_env env;
    unsigned flags = 0;
    memset(hard, ALL_HARD, sizeof hard);
    halfcl_enter(&env, HALFCL_RTP);
    for (size_t i = 0; HAVE_FMA && i < v->n; i++) {
        const char *from = component_of(&v->a, i, v->done);
        if (isnan(v->norms->high[i]))
            fill_with_nans(y[i], n, hard[i]);
        else
            find_ratios(v, i, halfcl_gather(halves, from, v->a.component, n), n, y[i], hard[i]);
    }
    for (size_t i = 0; i < v->n; i++) { /* not before the bits have been stored to memory */
        flags |= solve_hard_components(v, n, i, y[i], hard[i], ratio_hard_case, NULL);
        fill_lanes(y[i], n);
    }
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
        vector_block v = {from, from, n - done < LANES ? n - done : LANES, mode, &norms,
                          0,    NULL};
        halfcl_env env;
        halfcl_enter(&env, HALFCL_RTP);
        if (HAVE_FMA)
            find_norms(&v, &flags);
        halfcl_leave(&env);
        for (; v.done < a->width; v.done += VECTORS) {
            size_t remaining = a->width - v.done;
            flags |= normalize_chunk(&v, remaining < VECTORS ? remaining : VECTORS, &to, &seen);
        }
    }
    return flags | acc_flags(seen);
}

#define SCALAR_KERNEL(kernel, name, special, hard_case, infinities_first, b, out)              \
    static unsigned kernel(const halfcl_vectors *v, size_t n, halfcl_rounding mode)            \
    {                                                                                          \
        const bool rows = by_rows(v, b);                                                       \
        return map_vectors(                                                                    \
            (vectors_call){v, b, out, n, 1, mode},                                             \
            (vectors_function){rows ? name##_rows_loop : name##_planes_loop,                   \
                               rows ? special##_rows_loop : special##_planes_loop, rows,       \
                               hard_case, infinities_first});                                  \
    }
SCALAR_KERNEL(each_dot, dot, special_dot, dot_hard_case, false, v + 1, v + 2)
SCALAR_KERNEL(distance_vectors, distance, special_distance, distance_hard_case, true, v + 1,
              v + 2)
SCALAR_KERNEL(length_vectors, length, special_length, length_hard_case, true, v, v + 1)
/* NumPy's: see exact/vector.h. */
SCALAR_KERNEL(norm_vectors, length, special_length, norm_hard_case, false, v, v + 1)

/* Computes the dot products of a few pairs, without the overhead for many. */
static unsigned few_dots(const halfcl_vectors *v, size_t n, halfcl_rounding mode)
{
    const size_t width = v->width;
    unsigned flags = 0;
    halfcl_env env;
    halfcl_enter(&env, HALFCL_RTP);
    for (size_t i = 0; i < n; i++) {
        const halfcl_vectors a = vectors_from(v, i), b = vectors_from(v + 1, i);
        const vector_block block = {.a = a, .b = b, .n = 1, .mode = mode};
        uint16_t result;
        if (width > MOST_ENCLOSED ||
            !products_enclosed((const uint16_t *)a.start, (const uint16_t *)b.start, width,
                               &result, mode, &flags))
            result = halfcl_from_double(dot_hard_case(&block, 0, 0, &flags), mode, &flags);
        memcpy(component_of(v + 2, i, 0), &result, sizeof result);
    }
    halfcl_leave(&env);
    return flags;
}

static unsigned dot_vectors(const halfcl_vectors *v, size_t n, halfcl_rounding mode)
{
    enum { FEW = 4 };
    const bool few =
        HAVE_FMA && n <= FEW && v->width > 0 && can_be_read(v) && can_be_read(v + 1);
    return few ? few_dots(v, n, mode) : each_dot(v, n, mode);
}

/* Returns whether each of the products is a zero, if none is NaN. */
static bool are_zeros(const halfcl_vectors *v, size_t i)
{
    for (size_t k = 0; k < v[0].width; k++) {
        const uint16_t a = read_half(component_of(v, i, k));
        const uint16_t b = read_half(component_of(v + 1, i, k));
        if (a & ~HALF_SIGN && b & ~HALF_SIGN)
            return false;
    }
    return true;
}

/* The dot product of NumPy's functions: the sum starts from +0. */
static unsigned vecdot_vectors(const halfcl_vectors *v, size_t n, halfcl_rounding mode)
{
    unsigned flags = dot_vectors(v, n, mode);
    for (size_t i = 0; i < n && mode != HALFCL_RTN; i++) {
        char *result = component_of(v + 2, i, 0);
        /* Not a number too small for a half. */
        if (read_half(result) == HALF_SIGN && are_zeros(v, i))
            memset(result, 0, sizeof(uint16_t));
    }
    return flags;
}

#define CROSS_KERNEL(kernel, hard_case)                                                        \
    static unsigned kernel(const halfcl_vectors *v, size_t n, halfcl_rounding mode)            \
    {                                                                                          \
        return map_vectors((vectors_call){v, v + 1, v + 2, n, CROSS_WIDTH, mode},              \
                           (vectors_function){cross_planes_loop, special_cross_planes_loop,    \
                                              false, hard_case, false});                       \
    }
CROSS_KERNEL(cross_vectors, cross_hard_case)
/* NumPy's, which computes differences in double; the results may differ where one product is
 * 2^54 times the other. For HALFCL_RTE, whose sign of zero it has in any mode. */
CROSS_KERNEL(cross_vectors_in_double, cross_hard_case_in_double)

static unsigned normalize_vectors(const halfcl_vectors *v, size_t n, halfcl_rounding mode)
{
    if (v->width > WIDEST)
        return normalize_rows(v, v + 1, n, mode);
    return map_vectors((vectors_call){v, v, v + 1, n, v->width, mode},
                       (vectors_function){normalize_planes_loop,
                                          normalize_carefully_planes_loop, false,
                                          normalize_hard_case, false});
}

#define GEOMETRIC_KERNELS                                                                      \
    VECTORS_TO_NUMBERS("vectors_dot", dot_vectors, 2)                                          \
    VECTORS_TO_NUMBERS("vectors_vecdot", vecdot_vectors, 2)                                    \
    VECTORS_TO_NUMBERS("vectors_distance", distance_vectors, 2)                                \
    VECTORS_TO_NUMBERS("vectors_length", length_vectors, 1)                                    \
    VECTORS_TO_NUMBERS("vectors_norm", norm_vectors, 1)                                        \
    VECTORS_TO_VECTORS("vectors_cross", cross_vectors, 2, CROSS_WIDTH, CROSS_WIDTH + 1)        \
    VECTORS_TO_VECTORS("vectors_cross_in_double", cross_vectors_in_double, 2, CROSS_WIDTH,     \
                       CROSS_WIDTH)                                                            \
    VECTORS_TO_VECTORS("vectors_normalize", normalize_vectors, 1, 0, 0)

#endif
