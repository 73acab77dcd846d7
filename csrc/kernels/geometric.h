/* Geometric functions of many vectors, a lane each.
 *
 * A kernel takes {operands, norm} for n vectors: halfcl_vectors, inputs then output, anywhere
 * in memory, of 1 to WIDEST components; norm is NULL, see normalize. It works on blocks of
 * vectors, whose components it takes apart into planes, in the two phases of function.h: first
 * floats that round to half as the exact results do, computed with rounding up and exceptions
 * ignored; then these are rounded in the kernel's mode. What the first phase leaves in doubt,
 * exact_vector.h decides.
 *
 * Sums of products, which are exact in float, are enclosed: rounding up gives an upper bound,
 * and the sum of the negated products a lower one. Unless there is one of the numbers where
 * half rounds between the two, or one of the two is such a number and they differ, any float
 * between them serves. Roots and ratios are approximated; near such a number squares decide. */
#include "../driver.h"
#include "../exact_vector.h"
#include "../geometric.h"
#include "function.h"

enum { VECTORS = HALFCL_VECTORS, WIDEST = HALFCL_WIDEST, VECTOR_DOUBTS = VECTORS / 8 };

typedef uint16_t half_plane[VECTORS];
typedef float float_plane[VECTORS];
typedef char doubt_plane[VECTOR_DOUBTS];

/* The vectors that a phase works on: n, and more that fill the last lanes. */
typedef struct {
    const half_plane *a, *b;
    size_t n, width;
    halfcl_rounding mode;
    const exact_norm *norm;
} vector_block;

/* The exact way, for result k of vector i. */
typedef double decide_vector(const vector_block *v, size_t i, size_t k, unsigned *flags);

static double dot_decide(const vector_block *v, size_t i, size_t k, unsigned *flags)
{
    (void)k;
    return exact_dot(&v->a[0][i], &v->b[0][i], v->width, sizeof(half_plane), v->mode, flags);
}

static double length_decide(const vector_block *v, size_t i, size_t k, unsigned *flags)
{
    (void)k;
    return exact_length(&v->a[0][i], v->width, sizeof(half_plane), flags);
}

static double distance_decide(const vector_block *v, size_t i, size_t k, unsigned *flags)
{
    const ptrdiff_t step = sizeof(half_plane);
    (void)k;
    return exact_distance(&v->a[0][i], &v->b[0][i], v->width, step, step, flags);
}

static double normalize_decide(const vector_block *v, size_t i, size_t k, unsigned *flags)
{
    return exact_normalize(&v->a[0][i], k, v->width, sizeof(half_plane), flags);
}

static double ratio_decide(const vector_block *v, size_t i, size_t k, unsigned *flags)
{
    (void)k, (void)flags;
    return exact_ratio(v->a[0][i], v->norm);
}

/* Component k of a cross product comes of the components after it, in turn: a1 b2 - a2 b1. */
enum { CROSS_WIDTH = 3 };
static const size_t cross_next[] = {1, 2, 0}, cross_last[] = {2, 0, 1};

static double cross_decide(const vector_block *v, size_t i, size_t k, unsigned *flags)
{
    const uint16_t x[] = {v->a[cross_next[k]][i], v->a[cross_last[k]][i]};
    const uint16_t y[] = {v->b[cross_last[k]][i], v->b[cross_next[k]][i] ^ HALF_SIGN};
    return exact_dot(x, y, 2, sizeof *x, v->mode, flags);
}

/* ------------------------------------------------------------ vectors apart and together */

/* Of a width known to the compiler, which vectorises these. */
ALWAYS_INLINE void split_vectors(const uint16_t *restrict rows, size_t n, size_t width,
                                 half_plane *restrict planes)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < width; k++)
            planes[k][i] = rows[width * i + k];
    }
}

ALWAYS_INLINE void join_vectors(uint16_t *restrict rows, size_t n, size_t width,
                                const half_plane *restrict planes)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < width; k++)
            rows[width * i + k] = planes[k][i];
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

/* Whether the vectors follow each other in memory, aligned, and are short. */
static bool are_joined(const halfcl_vectors *v)
{
    return v->width <= MOST_JOINED && v->step == 2 * (ptrdiff_t)v->width &&
           (v->component == 2 || v->width == 1) && (uintptr_t)v->start % 2 == 0;
}

static char *component_of(const halfcl_vectors *v, size_t i, size_t k)
{
    return v->start + (ptrdiff_t)i * v->step + (ptrdiff_t)k * v->component;
}

/* Vectors [done, done + n) of an operand, from memory to planes and back. */
static __attribute__((noinline)) void split(const halfcl_vectors *v, size_t done, size_t n,
                                            half_plane *planes)
{
    if (are_joined(v)) {
        const uint16_t *rows = (const uint16_t *)component_of(v, done, 0);
#define SPLIT(width) split_vectors(rows, n, width, planes)
        BY_WIDTH(v->width, SPLIT)
#undef SPLIT
    } else {
        for (size_t k = 0; k < v->width; k++)
            halfcl_copy((char *)planes[k], 2, component_of(v, done, k), v->step, n);
    }
    /* The last vector of lanes is computed whole. */
    for (size_t k = 0; k < v->width; k++) {
        for (size_t i = n; i % LANES != 0; i++)
            planes[k][i] = HALF_ONE;
    }
}

static __attribute__((noinline)) void join(const halfcl_vectors *v, size_t done, size_t n,
                                           const half_plane *planes)
{
    if (are_joined(v)) {
        uint16_t *rows = (uint16_t *)component_of(v, done, 0);
#define JOIN(width) join_vectors(rows, n, width, planes)
        BY_WIDTH(v->width, JOIN)
#undef JOIN
    } else {
        for (size_t k = 0; k < v->width; k++)
            halfcl_copy(component_of(v, done, k), v->step, (const char *)planes[k], 2, n);
    }
}

/* ------------------------------------------------------------ the first phase */

/* The planes of results, and of what is in doubt. */
typedef void vectors_phase(const vector_block *v, float_plane *y, doubt_plane *doubts);

#if VECTOR_FUNCTIONS

ALWAYS_INLINE vf vf_minus(vf x)
{
    return vf_of_bits(vi_xor(vf_bits(x), vi_set(INT32_MIN)));
}

/* A sum from below, negated, and from above. */
typedef struct {
    vf minus_low, high;
} enclosure;

ALWAYS_INLINE enclosure product_enclosure(vf x, vf y)
{
    return (enclosure){vf_fnma(x, y, vf_set(-0.0f)), vf_mul(x, y)};
}

ALWAYS_INLINE enclosure add_product_to(enclosure sum, vf x, vf y)
{
    return (enclosure){vf_fnma(x, y, sum.minus_low), vf_fma(x, y, sum.high)};
}

/* Whether there may be a number of 12 bits between. There is none if the bounds are the same,
 * or if they share the first 20 bits and do so with one unit less, too: then none is such a
 * number. */
ALWAYS_INLINE vm encloses_short(enclosure sum)
{
    vi one = vi_set(1), low = vf_bits(vf_minus(sum.minus_low)), high = vf_bits(sum.high);
    vi less = vi_xor(vi_sub(low, one), vi_sub(high, one));
    vm same = vi_has_none(vi_or(vi_xor(low, high), less), ~0xfff);
    return vm_or(vm_not(same), vf_special(sum.high));
}

/* Stores sums, with doubts. Sums that come to zero from both signs have the mode's. */
ALWAYS_INLINE void put_sum(enclosure sum, halfcl_rounding mode, float *y, char *doubts)
{
    vm doubtful = encloses_short(sum);
    if (vm_any(doubtful)) {
        vf zero = vf_set(0), mode_zero = vf_set(mode == HALFCL_RTN ? -0.0f : 0.0f);
        vm cancelled = vm_and(vf_equal(sum.high, zero), vf_equal(sum.minus_low, zero));
        sum.high = vf_select(vm_and(doubtful, cancelled), mode_zero, sum.high);
        doubtful = vm_and_not(doubtful, cancelled);
    }
    vf_put(y, sum.high);
    vm_put(doubts, doubtful);
}

ALWAYS_INLINE void dot_vectors(vector_block v, size_t width, float_plane *y,
                               doubt_plane *doubts)
{
    for (size_t i = 0; i < v.n; i += LANES) {
        enclosure sum = product_enclosure(load(v.a[0] + i), load(v.b[0] + i));
        for (size_t k = 1; k < width; k++)
            sum = add_product_to(sum, load(v.a[k] + i), load(v.b[k] + i));
        put_sum(sum, v.mode, y[0] + i, doubts[0] + i / 8);
    }
}

ALWAYS_INLINE void cross_vectors(vector_block v, size_t width, float_plane *y,
                                 doubt_plane *doubts)
{
    (void)width;
    for (size_t i = 0; i < v.n; i += LANES) {
        vf a[CROSS_WIDTH], b[CROSS_WIDTH];
        for (int k = 0; k < CROSS_WIDTH; k++) {
            a[k] = load(v.a[k] + i);
            b[k] = load(v.b[k] + i);
        }
        for (int k = 0; k < CROSS_WIDTH; k++) {
            enclosure sum = product_enclosure(a[cross_next[k]], b[cross_last[k]]);
            sum = add_product_to(sum, vf_minus(a[cross_last[k]]), b[cross_next[k]]);
            put_sum(sum, v.mode, y[k] + i, doubts[k] + i / 8);
        }
    }
}

/* Bounds of a sum of squares. */
typedef struct {
    vf low, high;
} squares;

/* The number of 12 bits nearest to |v|. */
ALWAYS_INLINE vf nearest_of_12_bits(vf v)
{
    vi bits = vi_add(vf_bits(vf_abs(v)), vi_set(0x800));
    return vf_of_bits(vi_and(bits, vi_set(~0xfff)));
}

/* The number, or a float next to it, as the exact value is above or below. */
ALWAYS_INLINE vf moved(vf number, vm above, vm below)
{
    vi one = vi_set(1), zero = vi_set(0), bits = vf_bits(number);
    bits = vi_add(bits, vi_select(above, one, zero));
    return vf_of_bits(vi_sub(bits, vi_select(below, one, zero)));
}

/* The root near a number of 12 bits, whose square is exact. */
ALWAYS_INLINE vf settle_root(vf root, squares sum, vm *doubtful)
{
    vf number = nearest_of_12_bits(root), square = vf_mul(number, number), zero = vf_set(0);
    vm above = vf_less(square, sum.low), below = vf_less(sum.high, square);
    vm same = vm_and(vf_equal(sum.low, square), vf_equal(sum.high, square));
    vm none = vf_equal(sum.high, zero);
    vm settled = vm_and(*doubtful, vm_or(vm_or(above, below), vm_or(same, none)));
    *doubtful = vm_and_not(*doubtful, settled);
    return vf_select(settled, vf_select(none, zero, moved(number, above, below)), root);
}

/* How far roots and ratios may be off, in units of float's last place: more than twice as many
 * as u = 2^-23 relatively. Rounding up takes a sum of squares up by width * u at most, and by 2
 * u more if they are those of rounded differences; half of that is left in the root. The step
 * of Newton's method and the product with x add up to 3 u: 6 u or 12 u in all. */
#define SLACK(width) ((width) <= 4 ? 16 : 32)

/* Stores the root of a sum of squares, approximately its upper bound. */
ALWAYS_INLINE void put_root(squares sum, int slack, float *y, char *doubts)
{
    vf inverse = vf_rsqrt_estimate(sum.high), root = vf_mul(sum.high, inverse);
    vf rest = vf_fnma(root, inverse, vf_set(1));
    root = vf_fma(vf_mul(root, vf_set(0.5f)), rest, root);
    vm doubtful = vf_doubtful(root, slack, vm_none());
    if (vm_any(doubtful))
        root = settle_root(root, sum, &doubtful);
    vf_put(y, root);
    vm_put(doubts, doubtful);
}

/* Adds the squares of numbers between low and high, in magnitude. */
ALWAYS_INLINE enclosure add_square(enclosure sum, vf low, vf high)
{
    return (enclosure){vf_fnma(low, low, sum.minus_low), vf_fma(high, high, sum.high)};
}

ALWAYS_INLINE squares bounds(enclosure sum)
{
    return (squares){vf_minus(sum.minus_low), sum.high};
}

ALWAYS_INLINE squares squares_of(const half_plane *a, size_t i, size_t width)
{
    enclosure sum = {vf_set(0), vf_set(0)};
    for (size_t k = 0; k < width; k++) {
        vf x = load(a[k] + i);
        sum = add_square(sum, x, x);
    }
    return bounds(sum);
}

ALWAYS_INLINE void length_vectors(vector_block v, size_t width, float_plane *y,
                                  doubt_plane *doubts)
{
    for (size_t i = 0; i < v.n; i += LANES)
        put_root(squares_of(v.a, i, width), SLACK(width), y[0] + i, doubts[0] + i / 8);
}

/* Rounded up, a - b and b - a are an upper and a lower bound of the magnitude, or the other way
 * round. */
ALWAYS_INLINE void distance_vectors(vector_block v, size_t width, float_plane *y,
                                    doubt_plane *doubts)
{
    for (size_t i = 0; i < v.n; i += LANES) {
        enclosure sum = {vf_set(0), vf_set(0)};
        for (size_t k = 0; k < width; k++) {
            vf a = load(v.a[k] + i), b = load(v.b[k] + i);
            vf forth = vf_abs(vf_sub(a, b)), back = vf_abs(vf_sub(b, a));
            sum = add_square(sum, vf_min(forth, back), vf_max(forth, back));
        }
        put_root(bounds(sum), SLACK(width), y[0] + i, doubts[0] + i / 8);
    }
}

/* The ratio of x and the root of the sum, near a number of 12 bits. The signs of
 * x^2 - number^2 * sum are right: rounded once, and far from underflow. The vector of zeros
 * stays as it is. */
ALWAYS_INLINE vf settle_ratio(vf ratio, vf x, squares sum, vm *doubtful)
{
    vf number = nearest_of_12_bits(ratio), zero = vf_set(0);
    vf factor = vf_mul(number, number), square = vf_mul(x, x);
    vf least = vf_fnma(factor, sum.high, square), most = vf_fnma(factor, sum.low, square);
    vm above = vf_less(zero, least), below = vf_less(most, zero);
    vm same = vm_and(vf_equal(least, zero), vf_equal(most, zero));
    vm none = vf_equal(sum.high, zero);
    vm settled = vm_and(*doubtful, vm_or(vm_or(above, below), vm_or(same, none)));
    vf value = vf_select(none, x, vf_copysign(moved(number, above, below), x));
    *doubtful = vm_and_not(*doubtful, settled);
    return vf_select(settled, value, ratio);
}

ALWAYS_INLINE vf inverse_root(vf sum)
{
    vf inverse = vf_rsqrt_estimate(sum);
    vf rest = vf_fnma(vf_mul(sum, inverse), inverse, vf_set(1));
    return vf_fma(vf_mul(inverse, vf_set(0.5f)), rest, inverse);
}

/* Stores the ratio of x and the root of the sum, of which inverse is the inverse. */
ALWAYS_INLINE void put_ratio(vf x, squares sum, vf inverse, int slack, float *y, char *doubts)
{
    vf ratio = vf_mul(x, inverse);
    vm doubtful = vf_doubtful(ratio, slack, vm_none());
    if (vm_any(doubtful))
        ratio = settle_ratio(ratio, x, sum, &doubtful);
    vf_put(y, ratio);
    vm_put(doubts, doubtful);
}

ALWAYS_INLINE void normalize_vectors(vector_block v, size_t width, float_plane *y,
                                     doubt_plane *doubts)
{
    for (size_t i = 0; i < v.n; i += LANES) {
        squares sum = squares_of(v.a, i, width);
        vf inverse = inverse_root(sum.high);
        for (size_t k = 0; k < width; k++)
            put_ratio(load(v.a[k] + i), sum, inverse, SLACK(width), y[k] + i,
                      doubts[k] + i / 8);
    }
}

/* The components of one long vector. Vectors that have infinities or NaNs are left to
 * exact_ratio, as are those whose squares are too many for a float. */
ALWAYS_INLINE void ratio_vectors(vector_block v, size_t width, float_plane *y,
                                 doubt_plane *doubts)
{
    double sum = v.norm->nan || v.norm->infinite ? NAN : exact_square(v.norm);
    squares all = {vf_set(-(float)-sum), vf_set((float)sum)};
    vf inverse = inverse_root(all.high);
    (void)width;
    for (size_t i = 0; i < v.n; i += LANES)
        put_ratio(load(v.a[0] + i), all, inverse, SLACK(1), y[0] + i, doubts[0] + i / 8);
}

#define VECTORS_PHASE(name)                                                                    \
    static __attribute__((noinline)) void name##_vectors_phase(                                \
        const vector_block *v, float_plane *restrict y, doubt_plane *restrict doubts)          \
    {                                                                                          \
        BY_WIDTH(v->width, name##_OF_WIDTH)                                                    \
    }
#define dot_OF_WIDTH(width) dot_vectors(*v, width, y, doubts)
#define cross_OF_WIDTH(width) cross_vectors(*v, width, y, doubts)
#define length_OF_WIDTH(width) length_vectors(*v, width, y, doubts)
#define distance_OF_WIDTH(width) distance_vectors(*v, width, y, doubts)
#define normalize_OF_WIDTH(width) normalize_vectors(*v, width, y, doubts)
#define ratio_OF_WIDTH(width) ratio_vectors(*v, width, y, doubts)

/* Decides what is in doubt of plane k. */
ALWAYS_INLINE unsigned decide_doubts(const vector_block *v, size_t k, float *y,
                                     const char *doubts, decide_vector *decide)
{
    unsigned flags = 0;
    for (size_t g = 0; GROUP * g < v->n; g++) {
        for (uint64_t lanes = doubts_of_group(doubts, g, v->n); lanes; lanes &= lanes - 1) {
            size_t i = GROUP * g + (size_t)__builtin_ctzll(lanes);
            leave_vectors();
            y[i] = odd_float(decide(v, i, k, &flags));
        }
    }
    return flags;
}

#else

#define VECTORS_PHASE(name)                                                                    \
    static void name##_vectors_phase(const vector_block *v, float_plane *y,                    \
                                     doubt_plane *doubts)                                      \
    {                                                                                          \
        (void)v, (void)y, (void)doubts;                                                        \
    }

/* Everything is in doubt. */
ALWAYS_INLINE unsigned decide_doubts(const vector_block *v, size_t k, float *y,
                                     const char *doubts, decide_vector *decide)
{
    unsigned flags = 0;
    (void)doubts;
    for (size_t i = 0; i < v->n; i++)
        y[i] = odd_float(decide(v, i, k, &flags));
    return flags;
}

#endif

/* ------------------------------------------------------------ kernels */

/* Of the planes of the output, the first ones are computed, and others are zero. */
ALWAYS_INLINE unsigned map_vectors(const halfcl_vectors *a, const halfcl_vectors *b,
                                   const halfcl_vectors *out, const exact_norm *norm, size_t n,
                                   size_t computed, halfcl_rounding mode, vectors_phase *phase,
                                   decide_vector *decide)
{
    _Alignas(64) half_plane planes[2][WIDEST], results[WIDEST];
    _Alignas(64) float_plane y[WIDEST];
    doubt_plane doubts[WIDEST] = {{0}};
    vector_block v = {planes[0], planes[1], 0, a->width, mode, norm};
    unsigned flags = 0;
    acc seen = acc_none();
    for (size_t k = computed; k < out->width; k++)
        memset(results[k], 0, sizeof results[k]);
    for (size_t done = 0; done < n; done += VECTORS) {
        halfcl_env env;
        v.n = n - done < VECTORS ? n - done : VECTORS;
        split(a, done, v.n, planes[0]);
        if (b)
            split(b, done, v.n, planes[1]);
        halfcl_enter(&env, HALFCL_RTP);
        phase(&v, y, doubts);
        for (size_t k = 0; k < computed; k++) {
            flags |= decide_doubts(&v, k, y[k], doubts[k], decide);
            for (size_t i = v.n; i % LANES != 0; i++)
                y[k][i] = 1; /* the last vector of lanes is rounded whole */
        }
        halfcl_leave(&env);
        for (size_t k = 0; k < computed; k++)
            round_block(y[k], v.n, results[k], mode, &seen, MAYBE_TINY);
        join(out, done, v.n, results);
    }
    return flags | acc_flags(seen);
}

#define VECTORS_KERNEL(name, b, out, computed)                                                 \
    VECTORS_PHASE(name)                                                                        \
    static unsigned name##_vectors_kernel(void *const *args, size_t n, halfcl_rounding mode)   \
    {                                                                                          \
        const halfcl_vectors *v = args[0];                                                     \
        return map_vectors(v, b, v + (out), args[1], n, computed, mode, name##_vectors_phase,  \
                           name##_decide);                                                     \
    }
VECTORS_KERNEL(dot, v + 1, 2, 1)
VECTORS_KERNEL(distance, v + 1, 2, 1)
VECTORS_KERNEL(length, NULL, 1, 1)
VECTORS_KERNEL(cross, v + 1, 2, CROSS_WIDTH)
VECTORS_KERNEL(normalize, NULL, 1, v->width)
VECTORS_KERNEL(ratio, NULL, 1, 1)

/* With a norm, each vector of one component is one of a long vector, whose norm it is. */
static unsigned normalize_kernel(void *const *args, size_t n, halfcl_rounding mode)
{
    return args[1] ? ratio_vectors_kernel(args, n, mode)
                   : normalize_vectors_kernel(args, n, mode);
}

#define GEOMETRIC_KERNELS                                                                      \
    {"vectors_dot", "ee>e", dot_vectors_kernel},                                               \
        {"vectors_distance", "ee>e", distance_vectors_kernel},                                 \
        {"vectors_length", "e>e", length_vectors_kernel},                                      \
        {"vectors_cross", "ee>e", cross_vectors_kernel},                                       \
        {"vectors_normalize", "e>e", normalize_kernel},
