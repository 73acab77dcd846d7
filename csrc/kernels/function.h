/* Loops for the mathematical functions.
 *
 * Half has 13 bits less than float. So a float rounds to half as the exact result does, in
 * every mode and with the same exceptions, if both are between the same two of the numbers
 * where half rounds, which are the halves and the midpoints of halves (floats whose last 12
 * bits are zero); or if both are the same such number.
 *
 * Of one argument there are few enough values to know them all: a function is a table of such
 * floats, or an approximation which is known to be right for every half.
 *
 * Of two arguments, an approximation serves if it is within a few units of the last place of
 * float, the slack. Where it is so near to a number where half rounds that this is in doubt,
 * slower ways decide: one for special cases, one in double, and double-double arithmetic.
 * Zeros, infinities, NaNs and exact results are always in doubt, unless the approximation says
 * that it is right there. So it need not be right, where its value in float has 11 bits, or is
 * no number.
 *
 * The slower ways work block by block, in two phases. The first computes floats, rounding to
 * nearest and with exceptions ignored. The second rounds them, in the kernel's mode; what that
 * raises is what the function raises. */
#ifndef HALFCL_FUNCTION_H
#define HALFCL_FUNCTION_H

#include "../table.h"
#include "map.h"

enum { FUNCTION_BLOCK = 2048 };

/* An approximation. The lanes that it adds to settled are right as they are. */
typedef vf vf_function2(vf x, vf y, vm *settled);

/* The same in double, for what is in doubt in float: within 2^-40 relatively, or settled.
 * Zeros, infinities, NaNs and numbers of 12 bits are in doubt again. Others come in float's
 * range, whatever half's. */
typedef double refined_function(double x, double y, bool *settled);

/* The function of two arguments by double-double arithmetic, see table.h. */
typedef float slow_function(uint16_t x, uint16_t y, unsigned *flags);

/* Element k of a function of two arguments, refined or slowly. */
typedef float decide_function(const uint16_t *a, const void *b, size_t k, unsigned *flags);

/* The exceptions that rounding results looked up does not raise, see table.h. The one for a
 * signalling NaN comes from widening it. */
static __attribute__((noinline, cold)) unsigned flags_of(vf result, vh halves)
{
    vf x = vf_widen(halves);
    vm nan = vm_not(vf_equal(result, result)), infinite = vm_xor(vf_special(result), nan);
    vm invalid = vm_and(nan, vf_equal(x, x)), pole = vm_and(infinite, vm_not(vf_special(x)));
    return (vm_any(invalid) ? HALFCL_INVALID : 0) | (vm_any(pole) ? HALFCL_DIVBYZERO : 0);
}

/* table[a[0..n)], or, in lanes past n, one of these; with the exceptions. */
ALWAYS_INLINE vf look_up(const float *table, const uint16_t *a, size_t n, unsigned *flags)
{
    uint16_t part[LANES];
    if (n < LANES) {
        for (size_t k = 0; k < LANES; k++)
            part[k] = a[k < n ? k : 0];
        a = part;
    }
    vh halves = vh_load(a);
    vf result = vf_gather(table, halves);
    if (vm_any(vf_special(result)))
        *flags |= flags_of(result, halves);
    return result;
}

/* A function by its table alone. */
ALWAYS_INLINE unsigned map_table(void *const *args, size_t n, halfcl_rounding mode,
                                 halfcl_function id)
{
    const uint16_t *a = args[0];
    uint16_t *out = args[1];
    const float *table = halfcl_table(id);
    unsigned flags = 0;
    acc seen = acc_none();
    size_t i = 0;
    for (; i + PAIR <= n; i += PAIR) {
        vf first = look_up(table, a + i, LANES, &flags);
        vf second = look_up(table, a + i + LANES, LANES, &flags);
        store_rounded(out + i, first, second, mode, &seen, MAYBE_TINY);
    }
    for (; i < n; i += LANES) {
        vf result = look_up(table, a + i, n - i, &flags);
        vh_store_n(out + i, round_to_half(result, mode, &seen, MAYBE_TINY), n - i);
    }
    return flags | acc_flags(seen);
}

/* The second phase. */
ALWAYS_INLINE void round_block(const float *y, size_t n, uint16_t *out, halfcl_rounding mode,
                               acc *seen, tininess tiny)
{
    size_t i = 0;
    for (; i + PAIR <= n; i += PAIR)
        store_rounded(out + i, vf_load(y + i), vf_load(y + i + LANES), mode, seen, tiny);
    for (; i < n; i += LANES) {
        vh result = round_to_half(vf_load(y + i), mode, seen, tiny);
        vh_store_n(out + i, result, n - i);
    }
}

/* Whether a double so refined is too close to a number whose last 41 bits are zero. */
ALWAYS_INLINE bool still_doubtful(double y)
{
    const uint64_t slack = 1 << 13, last = ((uint64_t)1 << 41) - 2 * slack;
    return ((bits_of_double(y) + slack) & last) == 0;
}

/* Tries refined: whether the result, rounded to odd, is right. */
ALWAYS_INLINE bool refine(refined_function *refined, double x, double y, float *result)
{
    bool settled = false;
    double value = refined(x, y, &settled);
    *result = odd_float(value);
    return settled || !still_doubtful(value);
}

#define DECIDE2(name, refined, slow)                                                           \
    static float name##_decide(const uint16_t *a, const void *second, size_t k,                \
                               unsigned *flags)                                                \
    {                                                                                          \
        const uint16_t *b = second;                                                            \
        float result;                                                                          \
        if (refine(refined, float_of_half(a[k]), float_of_half(b[k]), &result))                \
            return result;                                                                     \
        leave_vectors();                                                                       \
        return slow(a[k], b[k], flags);                                                        \
    }

/* Fills y up from n to a whole vector: the last one is rounded whole. */
ALWAYS_INLINE void fill_lanes(float *y, size_t n)
{
    for (; n % LANES != 0; n++)
        y[n] = 1;
}

/* A function of two arguments, one element at a time. */
ALWAYS_INLINE unsigned map_decided(void *const *args, size_t n, halfcl_rounding mode,
                                   decide_function *decide)
{
    uint16_t *out = args[2];
    _Alignas(64) float y[FUNCTION_BLOCK];
    unsigned flags = 0;
    acc seen = acc_none();
    for (size_t done = 0; done < n; done += FUNCTION_BLOCK) {
        size_t count = n - done < FUNCTION_BLOCK ? n - done : FUNCTION_BLOCK;
        halfcl_env env;
        halfcl_enter(&env, HALFCL_RTE);
        for (size_t k = 0; k < count; k++)
            y[k] = decide(args[0], args[1], done + k, &flags);
        fill_lanes(y, count);
        halfcl_leave(&env);
        round_block(y, count, out + done, mode, &seen, MAYBE_TINY);
    }
    return flags | acc_flags(seen);
}

#if VECTOR_FUNCTIONS

/* c[0] + c[1] x + ... + c[n - 1] x^(n-1). */
ALWAYS_INLINE vf polynomial(vf x, const float *c, int n)
{
    vf sum = vf_set(c[n - 1]);
    for (int i = n - 2; i >= 0; --i)
        sum = vn_fma(sum, x, vf_set(c[i]));
    return sum;
}

#define POLYNOMIAL(x, c) polynomial(x, c, sizeof(c) / sizeof *(c))

/* The doubts of a block: a bit for each element, in groups of 64. If many of a group are in
 * doubt, vectors serve them best. */
enum { GROUP = 64, MANY = 8, DOUBT_BYTES = FUNCTION_BLOCK / 8 };

/* Those of elements [64 g, 64 g + 64) below n. */
ALWAYS_INLINE uint64_t doubts_of_group(const char *doubts, size_t g, size_t n)
{
    size_t count = n - GROUP * g;
    uint64_t lanes;
    memcpy(&lanes, doubts + GROUP / 8 * g, sizeof lanes);
    return count < GROUP ? lanes & (((uint64_t)1 << count) - 1) : lanes;
}

ALWAYS_INLINE vf load_part(const uint16_t *a, size_t count)
{
    return count == LANES ? load(a) : load_n(a, count);
}

/* Two arguments: a half, and what a load_function reads from elements [at, at + count) of b. */
typedef vf load_function(const void *b, size_t at, size_t count);

ALWAYS_INLINE vf load_halves(const void *b, size_t at, size_t count)
{
    return load_part(ahead_of((const uint16_t *)b + at), count);
}

/* The first phase, of two arguments: elements [start, start + n). */
ALWAYS_INLINE void approximate2(const uint16_t *a, const void *b, size_t start, size_t n,
                                float *y, char *doubts, load_function *load_b, vf_function2 *op,
                                int slack)
{
    for (size_t i = 0; i < n; i += LANES) {
        size_t at = start + i, count = n - i < LANES ? n - i : LANES;
        vm settled = vm_none();
        vf result = op(load_halves(a, at, count), load_b(b, at, count), &settled);
        vf_put(y + i, result);
        vm_put(doubts + i / 8, vf_doubtful(result, slack, settled));
    }
}

/* Of a group in doubt, what settle can do. Returns what remains. */
ALWAYS_INLINE uint64_t settle_group(const uint16_t *a, const void *b, size_t at, size_t n,
                                    float *y, uint64_t lanes, load_function *load_b,
                                    vf_function2 *settle)
{
    for (size_t i = 0; i < n && i < GROUP; i += LANES) {
        size_t count = n - i < LANES ? n - i : LANES;
        vm settled = vm_none();
        if ((lanes >> i & (((uint64_t)1 << LANES) - 1)) == 0)
            continue;
        vf result = settle(load_halves(a, at + i, count), load_b(b, at + i, count), &settled);
        vf_put(y + i, vf_select(settled, result, vf_load(y + i)));
        lanes &= ~((uint64_t)vm_bits(settled) << i);
    }
    return lanes;
}

/* What is in doubt, one by one but for what settle can do. */
ALWAYS_INLINE unsigned decide_doubtful(const uint16_t *a, const void *b, size_t start, size_t n,
                                       float *y, const char *doubts, load_function *load_b,
                                       vf_function2 *settle, decide_function *decide)
{
    unsigned flags = 0;
    for (size_t g = 0; GROUP * g < n; g++) {
        uint64_t lanes = doubts_of_group(doubts, g, n);
        size_t i = GROUP * g;
        if (__builtin_popcountll(lanes) > MANY)
            lanes = settle_group(a, b, start + i, n - i, y + i, lanes, load_b, settle);
        for (; lanes; lanes &= lanes - 1) {
            size_t k = i + (size_t)__builtin_ctzll(lanes);
            y[k] = decide(a, b, start + k, &flags);
        }
    }
    return flags;
}

/* A first phase by itself. A function that calls no other keeps its constants in registers. */
typedef void first_phase2(const uint16_t *a, const void *b, size_t start, size_t n, float *y,
                          char *doubts);

/* Elements [start, start + n), n up to FUNCTION_BLOCK, in two phases. */
ALWAYS_INLINE unsigned two_phases(void *const *args, size_t start, size_t n,
                                  halfcl_rounding mode, acc *seen, first_phase2 *phase,
                                  load_function *load_b, vf_function2 *settle,
                                  decide_function *decide)
{
    const uint16_t *a = args[0];
    const void *b = args[1];
    uint16_t *out = args[2];
    _Alignas(64) float y[FUNCTION_BLOCK];
    char doubts[DOUBT_BYTES] = {0};
    halfcl_env env;
    halfcl_enter(&env, HALFCL_RTE);
    phase(a, b, start, n, y, doubts);
    unsigned flags = decide_doubtful(a, b, start, n, y, doubts, load_b, settle, decide);
    halfcl_leave(&env);
    round_block(y, n, out + start, mode, seen, MAYBE_TINY);
    return flags;
}

/* Where instructions say how they round, one phase does, but for a few elements in doubt: they
 * queue up with where they come from, and are decided later. Inputs are kept, since the outputs
 * may overwrite them. */
enum { QUEUE = 512, FIRST_BLOCK = EMBEDDED_ROUNDING ? PAIR : FUNCTION_BLOCK };

typedef struct {
    size_t count, at[QUEUE];
    uint16_t a[QUEUE];
    int32_t b[QUEUE]; /* room for halves or integers */
} queue;

/* Of the elements from start on those that lanes says; size is that of b's. */
ALWAYS_INLINE void enqueue(queue *late, const uint16_t *a, const char *b, size_t size,
                           size_t start, uint64_t lanes)
{
    for (; lanes; lanes &= lanes - 1) {
        size_t k = start + (size_t)__builtin_ctzll(lanes), to = late->count++;
        late->at[to] = k;
        late->a[to] = a[k];
        memcpy((char *)late->b + size * to, b + size * k, size);
    }
}

/* Elements from start on, up to a pair of vectors with many doubts, or more than the queue
 * takes, or to the last whole pair. Returns how far it came. */
typedef size_t one_phase2(void *const *args, size_t start, size_t n, halfcl_rounding mode,
                          acc *seen, queue *late);

ALWAYS_INLINE size_t round_certain(void *const *args, size_t start, size_t n,
                                   halfcl_rounding mode, acc *seen, queue *late,
                                   load_function *load_b, size_t size, vf_function2 *op,
                                   int slack)
{
    const uint16_t *a = args[0];
    const void *b = args[1];
    uint16_t *out = args[2];
    acc tiny = *seen; /* in a register */
    size_t i = start;
    for (; EMBEDDED_ROUNDING && i + PAIR <= n; i += PAIR) {
        vm settled = vm_none(), settled_too = vm_none();
        vf first = op(load(ahead_of(a + i)), load_b(b, i, LANES), &settled);
        vf second = op(load(a + i + LANES), load_b(b, i + LANES, LANES), &settled_too);
        vm doubts = vf_doubtful(first, slack, settled);
        vm doubts_too = vf_doubtful(second, slack, settled_too);
        if (vm_any(vm_or(doubts, doubts_too))) {
            uint64_t lanes = vm_bits(doubts) | (uint64_t)vm_bits(doubts_too) << LANES;
            if (__builtin_popcountll(lanes) > MANY || late->count > QUEUE - MANY)
                break;
            enqueue(late, a, b, size, i, lanes);
            first = vf_select(doubts, vf_set(1), first);
            second = vf_select(doubts_too, vf_set(1), second);
        }
        store_rounded(out + i, first, second, mode, &tiny, MAYBE_TINY);
    }
    *seen = tiny;
    return i;
}

/* Those in the queue, and puts them in their places. */
static __attribute__((noinline)) unsigned
decide_queue(queue *late, uint16_t *out, halfcl_rounding mode, decide_function *decide)
{
    uint16_t results[QUEUE];
    unsigned flags =
        map_decided((void *[]){late->a, late->b, results}, late->count, mode, decide);
    for (size_t k = 0; k < late->count; k++)
        out[late->at[k]] = results[k];
    late->count = 0;
    return flags;
}

/* Many doubts that follow each other closely are worked off in longer and longer blocks. */
ALWAYS_INLINE unsigned map_function2(void *const *args, size_t n, halfcl_rounding mode,
                                     one_phase2 *certain, first_phase2 *phase,
                                     load_function *load_b, vf_function2 *settle,
                                     decide_function *decide)
{
    unsigned flags = 0;
    acc seen = acc_none();
    queue late;
    late.count = 0;
    size_t block = FIRST_BLOCK;
    for (size_t done = 0; done < n;) {
        size_t start = certain(args, done, n, mode, &seen, &late), left = n - start;
        if (late.count)
            flags |= decide_queue(&late, args[2], mode, decide);
        bool close = start - done < block;
        block = !close ? FIRST_BLOCK : block < FUNCTION_BLOCK ? 2 * block : FUNCTION_BLOCK;
        size_t count = left < block ? left : block;
        if (count)
            flags |= two_phases(args, start, count, mode, &seen, phase, load_b, settle, decide);
        done = start + count;
    }
    return flags | acc_flags(seen);
}

#define FIRST_PHASE2(name, load_b, op, slack)                                                  \
    static __attribute__((noinline)) void name##_phase(                                        \
        const uint16_t *a, const void *b, size_t start, size_t n, float *restrict y,           \
        char *restrict doubts)                                                                 \
    {                                                                                          \
        approximate2(a, b, start, n, y, doubts, load_b, op, slack);                            \
    }

#define ONE_PHASE2(name, load_b, size, op, slack)                                              \
    static __attribute__((noinline)) size_t name##_certain(void *const *args, size_t start,    \
                                                           size_t n, halfcl_rounding mode,     \
                                                           acc *seen, queue *late)             \
    {                                                                                          \
        return round_certain(args, start, n, mode, seen, late, load_b, size, op, slack);       \
    }

/* The kernel name##types of two arguments, a half and what load_b reads. op is within slack (a
 * power of two) units of float's last place wherever it does not say that it is right. Where it
 * is in doubt settle comes next, for special cases. */
#define MAP_FUNCTION2(name, types, load_b, size, op, slack, settle)                            \
    FIRST_PHASE2(name, load_b, op, slack)                                                      \
    ONE_PHASE2(name, load_b, size, op, slack)                                                  \
    FUNCTION2_KERNEL(name, types, load_b, settle)
#define FUNCTION2_KERNEL(name, types, load_b, settle)                                          \
    KERNEL(name##types, map_function2(args, n, mode, name##_certain, name##_phase, load_b,     \
                                      settle, name##_decide))
#define FUNCTION2(name, op, slack, settle, refined, slow)                                      \
    DECIDE2(name, refined, slow)                                                               \
    MAP_FUNCTION2(name, _ee, load_halves, sizeof(uint16_t), op, slack, settle)

#else

#define FUNCTION2(name, op, slack, settle, refined, slow)                                      \
    DECIDE2(name, refined, slow)                                                               \
    KERNEL(name##_ee, map_decided(args, n, mode, name##_decide))

#endif

/* A kernel in one phase that has no doubt, for AVX-512, or by table. op computes in float, to
 * nearest if it does not say otherwise, with constants chosen so that for every half the result
 * lies between the same two of the numbers where half rounds as the exact one does, and is
 * exact if that is. Tests try every half. What rounds in the mode and raises exceptions is the
 * conversion to half, and what op says. tiny: whether results lie just below 2^-14. */
#if EMBEDDED_ROUNDING

/* Added to a float below 2^22, this leaves the nearest integer in the last bits. */
#define INTEGER_SHIFT 0x1.8p23f

/* The sum of n terms c[32 i + k] x^i, where k is the last 5 bits of piece. */
ALWAYS_INLINE vf piecewise_at(vf x, vi piece, const float *c, int n)
{
    vf sum = vf_look_up32(c + 32 * (n - 1), piece);
    for (int i = n - 2; i >= 0; --i)
        sum = vn_fma(sum, x, vf_look_up32(c + 32 * i, piece));
    return sum;
}

/* The same where k is the integer nearest to scale * x. */
ALWAYS_INLINE vf piecewise(vf x, float scale, const float *c, int n)
{
    vf shifted = vn_fma(x, vf_set(scale), vf_set(INTEGER_SHIFT));
    return piecewise_at(x, vf_bits(shifted), c, n);
}

/* a * b + c rounded to odd, where it is inexact. */
ALWAYS_INLINE vf inexact_fma_odd(vf a, vf b, vf c)
{
    return vf_of_bits(vi_or(vf_bits(vn_fma_cut(a, b, c)), vi_set(1)));
}

#define IN_FLOAT(name, op, tiny) FLOAT_UNARY(name##_e, op, tiny)
#else
#define IN_FLOAT(name, op, tiny) TABLED(name)
#endif

/* A kernel without an approximation. */
#define TABLED(name) KERNEL(name##_e, map_table(args, n, mode, FUNCTION_##name))

#endif
