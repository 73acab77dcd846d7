/* Geometric functions of many vectors, a lane each.
 *
 * A kernel takes {a[n][width], b[n][width], out[n] or out[n][width], &width}, width at most
 * WIDEST. It works on blocks of vectors, whose components it takes apart into planes, in the
 * two phases of function.h: first floats that round to half as the exact results do, computed
 * with rounding up and exceptions ignored; then these are rounded in the kernel's mode. What
 * the first phase leaves in doubt, exact_vector.h decides.
 *
 * Sums of products, which are exact in float, are enclosed: rounding up gives an upper bound,
 * and the sum of the negated products a lower one. Unless there is one of the numbers where
 * half rounds between the two, or one of the two is such a number and they differ, any float
 * between them serves. Roots and ratios are approximated; near such a number, squares decide.
 */
#include "../exact_vector.h"
#include "../geometric.h"
#include "function.h"

enum { VECTORS = HALFCL_VECTORS, WIDEST = HALFCL_WIDEST, VECTOR_DOUBTS = VECTORS / 8 };

typedef uint16_t half_plane[VECTORS];
typedef float float_plane[VECTORS];
typedef char doubt_plane[VECTOR_DOUBTS];

/* The exact way, for result k of the vectors whose components are in planes. */
typedef double decide_vector(const uint16_t *a, const uint16_t *b, size_t k, size_t width,
                             halfcl_rounding mode, unsigned *flags);

enum { PLANE = sizeof(half_plane) };

static double dot_decide(const uint16_t *a, const uint16_t *b, size_t k, size_t width,
                         halfcl_rounding mode, unsigned *flags)
{
    (void)k;
    return exact_dot(a, b, width, PLANE, mode, flags);
}

static double length_decide(const uint16_t *a, const uint16_t *b, size_t k, size_t width,
                            halfcl_rounding mode, unsigned *flags)
{
    (void)b, (void)k, (void)mode;
    return exact_length(a, width, PLANE, flags);
}

static double distance_decide(const uint16_t *a, const uint16_t *b, size_t k, size_t width,
                              halfcl_rounding mode, unsigned *flags)
{
    (void)k, (void)mode;
    return exact_distance(a, b, width, PLANE, PLANE, flags);
}

static double normalize_decide(const uint16_t *a, const uint16_t *b, size_t k, size_t width,
                               halfcl_rounding mode, unsigned *flags)
{
    (void)b, (void)mode;
    return exact_normalize(a, k, width, PLANE, flags);
}

/* Component k of a cross product comes of the components after it, in turn: a1 b2 - a2 b1. */
enum { CROSS_WIDTH = 3 };
static const size_t next[] = {1, 2, 0}, last[] = {2, 0, 1};

static double cross_decide(const uint16_t *a, const uint16_t *b, size_t k, size_t width,
                           halfcl_rounding mode, unsigned *flags)
{
    const uint16_t x[] = {a[next[k] * VECTORS], a[last[k] * VECTORS]};
    const uint16_t y[] = {b[last[k] * VECTORS], b[next[k] * VECTORS] ^ HALF_SIGN};
    (void)width;
    return exact_dot(x, y, 2, sizeof *x, mode, flags);
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

static __attribute__((noinline)) void split(const uint16_t *rows, size_t n, size_t width,
                                            half_plane *planes)
{
#define SPLIT(width) split_vectors(rows, n, width, planes)
    BY_WIDTH(width, SPLIT)
#undef SPLIT
    /* The last vector is computed whole. */
    for (size_t k = 0; k < width; k++) {
        for (size_t i = n; i % LANES != 0; i++)
            planes[k][i] = HALF_ONE;
    }
}

static __attribute__((noinline)) void join(uint16_t *rows, size_t n, size_t width,
                                           const half_plane *planes)
{
#define JOIN(width) join_vectors(rows, n, width, planes)
    BY_WIDTH(width, JOIN)
#undef JOIN
}

/* ------------------------------------------------------------ the first phase */

/* From planes of a and b, n vectors, the planes of results and of doubts. */
typedef void vectors_phase(const half_plane *a, const half_plane *b, size_t n, size_t width,
                           halfcl_rounding mode, float_plane *y, doubt_plane *doubts);

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

ALWAYS_INLINE void dot_vectors(const half_plane *a, const half_plane *b, size_t n, size_t width,
                               halfcl_rounding mode, float_plane *y, doubt_plane *doubts)
{
    for (size_t i = 0; i < n; i += LANES) {
        enclosure sum = product_enclosure(load(a[0] + i), load(b[0] + i));
        for (size_t k = 1; k < width; k++)
            sum = add_product_to(sum, load(a[k] + i), load(b[k] + i));
        put_sum(sum, mode, y[0] + i, doubts[0] + i / 8);
    }
}

ALWAYS_INLINE void cross_vectors(const half_plane *a, const half_plane *b, size_t n,
                                 size_t width, halfcl_rounding mode, float_plane *y,
                                 doubt_plane *doubts)
{
    (void)width;
    for (size_t i = 0; i < n; i += LANES) {
        vf x[CROSS_WIDTH], z[CROSS_WIDTH];
        for (int k = 0; k < CROSS_WIDTH; k++) {
            x[k] = load(a[k] + i);
            z[k] = load(b[k] + i);
        }
        for (int k = 0; k < CROSS_WIDTH; k++) {
            enclosure sum = product_enclosure(x[next[k]], z[last[k]]);
            sum = add_product_to(sum, vf_minus(x[last[k]]), z[next[k]]);
            put_sum(sum, mode, y[k] + i, doubts[k] + i / 8);
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
    vi moved = vi_add(vf_bits(vf_abs(v)), vi_set(0x800));
    return vf_of_bits(vi_and(moved, vi_set(~0xfff)));
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

ALWAYS_INLINE void length_vectors(const half_plane *a, const half_plane *b, size_t n,
                                  size_t width, halfcl_rounding mode, float_plane *y,
                                  doubt_plane *doubts)
{
    (void)b, (void)mode;
    for (size_t i = 0; i < n; i += LANES)
        put_root(squares_of(a, i, width), SLACK(width), y[0] + i, doubts[0] + i / 8);
}

/* Rounded up, a - b and b - a are an upper and a lower bound of the magnitude, or the other way
 * round. */
ALWAYS_INLINE void distance_vectors(const half_plane *a, const half_plane *b, size_t n,
                                    size_t width, halfcl_rounding mode, float_plane *y,
                                    doubt_plane *doubts)
{
    (void)mode;
    for (size_t i = 0; i < n; i += LANES) {
        enclosure sum = {vf_set(0), vf_set(0)};
        for (size_t k = 0; k < width; k++) {
            vf x = load(a[k] + i), z = load(b[k] + i);
            vf forth = vf_abs(vf_sub(x, z)), back = vf_abs(vf_sub(z, x));
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

ALWAYS_INLINE void normalize_vectors(const half_plane *a, const half_plane *b, size_t n,
                                     size_t width, halfcl_rounding mode, float_plane *y,
                                     doubt_plane *doubts)
{
    (void)b, (void)mode;
    for (size_t i = 0; i < n; i += LANES) {
        squares sum = squares_of(a, i, width);
        vf inverse = vf_rsqrt_estimate(sum.high);
        vf rest = vf_fnma(vf_mul(sum.high, inverse), inverse, vf_set(1));
        inverse = vf_fma(vf_mul(inverse, vf_set(0.5f)), rest, inverse);
        for (size_t k = 0; k < width; k++) {
            vf x = load(a[k] + i), ratio = vf_mul(x, inverse);
            vm doubtful = vf_doubtful(ratio, SLACK(width), vm_none());
            if (vm_any(doubtful))
                ratio = settle_ratio(ratio, x, sum, &doubtful);
            vf_put(y[k] + i, ratio);
            vm_put(doubts[k] + i / 8, doubtful);
        }
    }
}

#define VECTORS_PHASE(name)                                                                    \
    static __attribute__((noinline)) void name##_vectors_phase(                                \
        const half_plane *a, const half_plane *b, size_t n, size_t width,                      \
        halfcl_rounding mode, float_plane *restrict y, doubt_plane *restrict doubts)           \
    {                                                                                          \
        BY_WIDTH(width, name##_OF_WIDTH)                                                       \
    }
#define dot_OF_WIDTH(width) dot_vectors(a, b, n, width, mode, y, doubts)
#define cross_OF_WIDTH(width) cross_vectors(a, b, n, width, mode, y, doubts)
#define length_OF_WIDTH(width) length_vectors(a, b, n, width, mode, y, doubts)
#define distance_OF_WIDTH(width) distance_vectors(a, b, n, width, mode, y, doubts)
#define normalize_OF_WIDTH(width) normalize_vectors(a, b, n, width, mode, y, doubts)

/* Decides what is in doubt of plane k. */
ALWAYS_INLINE unsigned decide_doubts(const half_plane *a, const half_plane *b, size_t k,
                                     size_t n, size_t width, halfcl_rounding mode, float *y,
                                     const char *doubts, decide_vector *decide)
{
    unsigned flags = 0;
    for (size_t g = 0; GROUP * g < n; g++) {
        for (uint64_t lanes = doubts_of_group(doubts, g, n); lanes; lanes &= lanes - 1) {
            size_t i = GROUP * g + (size_t)__builtin_ctzll(lanes);
            leave_vectors();
            y[i] = odd_float(decide(a[0] + i, b[0] + i, k, width, mode, &flags));
        }
    }
    return flags;
}

#else

/* Everything is in doubt. */
ALWAYS_INLINE unsigned decide_doubts(const half_plane *a, const half_plane *b, size_t k,
                                     size_t n, size_t width, halfcl_rounding mode, float *y,
                                     const char *doubts, decide_vector *decide)
{
    unsigned flags = 0;
    (void)doubts;
    for (size_t i = 0; i < n; i++)
        y[i] = odd_float(decide(a[0] + i, b[0] + i, k, width, mode, &flags));
    for (size_t i = n; i % LANES != 0; i++)
        y[i] = 1; /* the last vector is rounded whole */
    return flags;
}

#define VECTORS_PHASE(name)                                                                    \
    static void name##_vectors_phase(const half_plane *a, const half_plane *b, size_t n,       \
                                     size_t width, halfcl_rounding mode, float_plane *y,       \
                                     doubt_plane *doubts)                                      \
    {                                                                                          \
        (void)a, (void)b, (void)n, (void)width, (void)mode, (void)y, (void)doubts;             \
    }

#endif

/* ------------------------------------------------------------ kernels */

/* computed: planes of results; joined: planes of the output, 0 if it has one result a vector.
 * Planes that are joined and not computed are zero. */
ALWAYS_INLINE unsigned map_vectors(const uint16_t *a, const uint16_t *b, uint16_t *out,
                                   size_t n, size_t width, size_t computed, size_t joined,
                                   halfcl_rounding mode, vectors_phase *phase,
                                   decide_vector *decide)
{
    _Alignas(64) half_plane planes[2][WIDEST], results[WIDEST];
    _Alignas(64) float_plane y[WIDEST];
    doubt_plane doubts[WIDEST] = {{0}};
    unsigned flags = 0;
    acc seen = acc_none();
    for (size_t k = computed; k < joined; k++)
        memset(results[k], 0, sizeof results[k]);
    for (size_t done = 0; done < n; done += VECTORS) {
        size_t count = n - done < VECTORS ? n - done : VECTORS;
        halfcl_env env;
        split(a + done * width, count, width, planes[0]);
        if (b)
            split(b + done * width, count, width, planes[1]);
        halfcl_enter(&env, HALFCL_RTP);
        phase(planes[0], planes[1], count, width, mode, y, doubts);
        for (size_t k = 0; k < computed; k++)
            flags |= decide_doubts(planes[0], planes[1], k, count, width, mode, y[k], doubts[k],
                                   decide);
        halfcl_leave(&env);
        for (size_t k = 0; k < computed; k++)
            round_block(y[k], count, joined ? results[k] : out + done, mode, &seen, MAYBE_TINY);
        if (joined)
            join(out + done * width, count, joined, results);
    }
    return flags | acc_flags(seen);
}

#define VECTORS_KERNEL(name, b, out, computed, joined)                                         \
    VECTORS_PHASE(name)                                                                        \
    static unsigned name##_vectors_kernel(void *const *args, size_t n, halfcl_rounding mode)   \
    {                                                                                          \
        size_t width = *(const size_t *)args[(b) ? 3 : 2];                                     \
        return map_vectors(args[0], (b) ? args[1] : NULL, args[out], n, width, computed,       \
                           joined, mode, name##_vectors_phase, name##_decide);                 \
    }
VECTORS_KERNEL(dot, true, 2, 1, 0)
VECTORS_KERNEL(distance, true, 2, 1, 0)
VECTORS_KERNEL(length, false, 1, 1, 0)
VECTORS_KERNEL(normalize, false, 1, width, width)
VECTORS_KERNEL(cross, true, 2, CROSS_WIDTH, width)

#define GEOMETRIC_KERNELS                                                                      \
    {"vectors_dot", "ee>e", dot_vectors_kernel},                                               \
        {"vectors_distance", "ee>e", distance_vectors_kernel},                                 \
        {"vectors_length", "e>e", length_vectors_kernel},                                      \
        {"vectors_normalize", "e>e", normalize_vectors_kernel},                                \
        {"vectors_cross", "ee>e", cross_vectors_kernel},
