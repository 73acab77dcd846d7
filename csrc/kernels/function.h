/* Loops for the mathematical functions.
 *
 * A function works block by block, in two phases. The first computes floats, rounding to
 * nearest and with exceptions ignored, that round to half as the exact results do. The second
 * rounds them, in the kernel's mode; what that raises is what the function raises.
 *
 * In the first phase an approximation serves, if it is within a few units of the last place
 * of float, the slack: half has 13 bits less, so that nearly always the exact result is
 * between the same two of the numbers where half rounds, which are the halves and the
 * midpoints of halves: floats whose last 12 bits are zero. Where the approximation is so near
 * to one of these that this is in doubt, the slow way decides: double-double arithmetic, by
 * table for functions of one argument; for those of two, after a try in double. Zeros,
 * infinities, NaNs and exact results are always in doubt, unless the approximation says that
 * it is right there. So it need not be right, and its exceptions do not matter, where its
 * value in float has 11 bits, or is no number. */
#ifndef HALFCL_FUNCTION_H
#define HALFCL_FUNCTION_H

#include "../table.h"
#include "map.h"

enum { FUNCTION_BLOCK = 1024 };

/* An approximation. The lanes that it adds to settled are right as they are. */
typedef vf vf_function(vf x, vm *settled);
typedef vf vf_function2(vf x, vf y, vm *settled);

/* The same in double, for what is in doubt in float: within 2^-44 relatively, or settled.
 * Zeros, infinities, NaNs and numbers of 12 bits are in doubt again. */
typedef double refined_function(double x, double y, bool *settled);

/* The function of two arguments by double-double arithmetic, see table.h. */
typedef float slow_function(uint16_t x, uint16_t y, unsigned *flags);

/* Element k of a function of two arguments, refined or slowly. */
typedef float decide_function(const uint16_t *a, const void *b, size_t k, unsigned *flags);

/* table[a[0..n)], or, in lanes past n, anything; with the exceptions. */
ALWAYS_INLINE vf look_up(const float *table, halfcl_function id, const uint16_t *a, size_t n,
                         unsigned *flags)
{
    vf result = vf_gather(table, vh_load_n(a, n));
    if (vm_any(vf_special(result))) {
        for (size_t k = 0; k < LANES && k < n; k++)
            *flags |= halfcl_table_flags(id, a[k]);
    }
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
        vf first = look_up(table, id, a + i, LANES, &flags);
        vf second = look_up(table, id, a + i + LANES, LANES, &flags);
        store_rounded(out + i, first, second, mode, &seen, MAYBE_TINY);
    }
    for (; i < n; i += LANES) {
        vf result = look_up(table, id, a + i, n - i, &flags);
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
    const uint64_t slack = 1 << 9, last = ((uint64_t)1 << 41) - 2 * slack;
    return ((bits_of_double(y) + slack) & last) == 0;
}

/* Tries refined, unless it is NULL: whether the result, rounded to odd, is right. */
ALWAYS_INLINE bool refine(refined_function *refined, double x, double y, float *result)
{
    bool settled = false;
    if (!refined)
        return false;
    double value = refined(x, y, &settled);
    *result = halfcl_round_to_odd(dd_of(value));
    return settled || !still_doubtful(value);
}

#define DECIDE2(name, refined, slow)                                                           \
    static float name##_decide(const uint16_t *a, const void *second, size_t k,                \
                               unsigned *flags)                                                \
    {                                                                                          \
        const uint16_t *b = second;                                                            \
        float result;                                                                          \
        if (refine(refined, halfcl_to_float(a[k]), halfcl_to_float(b[k]), &result))            \
            return result;                                                                     \
        return slow(a[k], b[k], flags);                                                        \
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
        for (size_t k = count; k % LANES != 0; k++)
            y[k] = 1; /* the last vector is rounded whole */
        halfcl_leave(&env);
        round_block(y, count, out + done, mode, &seen, MAYBE_TINY);
    }
    return flags | acc_flags(seen);
}

#if VECTOR_FUNCTIONS

/* For the few elements in doubt and those beside them. */
static __attribute__((noinline)) unsigned look_up_some(halfcl_function id, const uint16_t *a,
                                                       size_t n, float *y)
{
    const float *table = halfcl_table(id);
    unsigned flags = 0;
    for (size_t i = 0; i < n && i < PAIR; i += LANES)
        vf_put(y + i, look_up(table, id, a + i, n - i, &flags));
    return flags;
}

/* The first phase, of one argument. y has room for whole vectors. */
ALWAYS_INLINE unsigned approximate(const uint16_t *a, size_t n, float *y, vf_function *op,
                                   int slack, halfcl_function id)
{
    unsigned flags = 0;
    halfcl_env env;
    halfcl_enter(&env, HALFCL_RTE);
    size_t i = 0;
    for (; i + PAIR <= n; i += PAIR) {
        vm settled = vm_none(), settled_too = vm_none();
        vf first = op(load(a + i), &settled), second = op(load(a + i + LANES), &settled_too);
        vm doubt = vf_doubtful(first, slack, settled);
        vm doubt_too = vf_doubtful(second, slack, settled_too);
        vf_put(y + i, first);
        vf_put(y + i + LANES, second);
        if (vm_any(vm_or(doubt, doubt_too)))
            flags |= look_up_some(id, a + i, PAIR, y + i);
    }
    for (; i < n; i += LANES) {
        vm settled = vm_none();
        vf result = op(load_n(a + i, n - i), &settled);
        vf_put(y + i, result);
        if (vm_any(vf_doubtful(result, slack, settled)))
            flags |= look_up_some(id, a + i, n - i, y + i);
    }
    halfcl_leave(&env);
    return flags;
}

ALWAYS_INLINE unsigned map_function(void *const *args, size_t n, halfcl_rounding mode,
                                    vf_function *op, int slack, tininess tiny,
                                    halfcl_function id)
{
    const uint16_t *a = args[0];
    uint16_t *out = args[1];
    _Alignas(64) float y[FUNCTION_BLOCK];
    unsigned flags = 0;
    acc seen = acc_none();
    for (size_t done = 0; done < n; done += FUNCTION_BLOCK) {
        size_t count = n - done < FUNCTION_BLOCK ? n - done : FUNCTION_BLOCK;
        flags |= approximate(a + done, count, y, op, slack, id);
        round_block(y, count, out + done, mode, &seen, tiny);
    }
    return flags | acc_flags(seen);
}

/* Two arguments: a half, and what a load_function reads from elements [at, at + count) of b. */
typedef vf load_function(const void *b, size_t at, size_t count);

ALWAYS_INLINE vf load_halves(const void *b, size_t at, size_t count)
{
    const uint16_t *halves = (const uint16_t *)b + at;
    return count == LANES ? load(halves) : load_n(halves, count);
}

/* A vector with lanes in doubt: those that exact settles, if there is such a function, are as
 * it says; the others are decided one by one. */
ALWAYS_INLINE void decide_some(const uint16_t *a, const void *b, size_t at, size_t count,
                               load_function *load_b, vf_function2 *exact,
                               decide_function *decide, vm doubt, float *y, unsigned *flags)
{
    if (exact) {
        vm settled = vm_none();
        vf result = exact(load_halves(a, at, count), load_b(b, at, count), &settled);
        vf_put(y, vf_select(settled, result, vf_load(y)));
        doubt = vm_and_not(doubt, settled);
    }
    unsigned lanes = vm_bits(doubt);
    for (size_t k = 0; k < count; k++) {
        if (lanes >> k & 1)
            y[k] = decide(a, b, at + k, flags);
    }
}

/* The first phase, of two arguments: of elements [start, start + n). */
ALWAYS_INLINE unsigned approximate2(const uint16_t *a, const void *b, size_t start, size_t n,
                                    float *y, load_function *load_b, vf_function2 *op,
                                    int slack, vf_function2 *exact, decide_function *decide)
{
    unsigned flags = 0;
    halfcl_env env;
    halfcl_enter(&env, HALFCL_RTE);
    for (size_t i = 0; i < n; i += LANES) {
        size_t at = start + i, count = n - i < LANES ? n - i : LANES;
        vm settled = vm_none();
        vf result = op(load_halves(a, at, count), load_b(b, at, count), &settled);
        vm doubt = vf_doubtful(result, slack, settled);
        vf_put(y + i, result);
        if (vm_any(doubt))
            decide_some(a, b, at, count, load_b, exact, decide, doubt, y + i, &flags);
    }
    halfcl_leave(&env);
    return flags;
}

ALWAYS_INLINE unsigned map_function2(void *const *args, size_t n, halfcl_rounding mode,
                                     load_function *load_b, vf_function2 *op, int slack,
                                     vf_function2 *exact, decide_function *decide)
{
    uint16_t *out = args[2];
    _Alignas(64) float y[FUNCTION_BLOCK];
    unsigned flags = 0;
    acc seen = acc_none();
    for (size_t done = 0; done < n; done += FUNCTION_BLOCK) {
        size_t count = n - done < FUNCTION_BLOCK ? n - done : FUNCTION_BLOCK;
        flags |=
            approximate2(args[0], args[1], done, count, y, load_b, op, slack, exact, decide);
        round_block(y, count, out + done, mode, &seen, MAYBE_TINY);
    }
    return flags | acc_flags(seen);
}

/* Kernels by approximation: op is within slack (a power of two) units of float's last place
 * wherever it does not say that it is right; tiny: whether results may be subnormal. Where op
 * of two arguments is in doubt, exact comes next: it settles what it can, or is NULL. */
#define FUNCTION(name, op, slack, tiny)                                                        \
    KERNEL(name##_e, map_function(args, n, mode, op, slack, tiny, FUNCTION_##name))
#define FUNCTION2(name, op, slack, exact, refined, slow)                                       \
    DECIDE2(name, refined, slow)                                                               \
    KERNEL(name##_ee,                                                                          \
           map_function2(args, n, mode, load_halves, op, slack, exact, name##_decide))

#else

#define FUNCTION(name, op, slack, tiny) TABLED(name)
#define FUNCTION2(name, op, slack, exact, refined, slow)                                       \
    DECIDE2(name, refined, slow)                                                               \
    KERNEL(name##_ee, map_decided(args, n, mode, name##_decide))

#endif

/* A kernel without an approximation. */
#define TABLED(name) KERNEL(name##_e, map_table(args, n, mode, FUNCTION_##name))

/* A function of two arguments that has only the slow way. */
#define SLOW2(name, slow)                                                                      \
    static float name##_decide(const uint16_t *a, const void *second, size_t k,                \
                               unsigned *flags)                                                \
    {                                                                                          \
        const uint16_t *b = second;                                                            \
        return slow(a[k], b[k], flags);                                                        \
    }                                                                                          \
    KERNEL(name##_ee, map_decided(args, n, mode, name##_decide))

#endif
