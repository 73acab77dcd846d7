/* Functions of two arguments, a half and a half or an integer, in the phases of phases.h. */
#ifndef HALFCL_KERNELS_FUNCTIONS_FUNCTION2_H
#define HALFCL_KERNELS_FUNCTIONS_FUNCTION2_H

#include "exact/table.h"
#include "kernels/functions/accurate.h"
#include "kernels/functions/polynomial.h"
#include "kernels/shared/phases.h"

/* The operands of a kernel; the type of b is the one that its load_second reads. */
typedef struct {
    const uint16_t *a;
    const void *b;
    uint16_t *out;
    halfcl_rounding mode;
} operands2;

/* Loads elements [at, at + count) of b, count up to LANES. */
typedef vf load_second(const void *b, size_t at, size_t count);

/* An approximation in float. It adds the lanes whose result is right as it is to exact_case; no
 * NaN is among them. */
typedef vf fast_function(vf x, vf y, vm *exact_case);

/* Returns further lanes where the approximation is right. */
typedef vm exact_function(vf x, vf y);

/* An approximation in double, for hard cases: within 2^-40 relatively, or an exact case. Zeros,
 * infinities, NaNs and numbers of 12 bits fail the rounding test again. Other results must be
 * in float's range, even if beyond half's. */
typedef double accurate_function(double x, double y, bool *exact_case);

/* Returns the lanes whose y the approximation does not support. */
typedef vm unfit_function(vf y);

/* Computes element k if the fast phase is not enough. */
typedef float hard_case(const uint16_t *a, const void *b, size_t k, unsigned *flags);

/* GCC schedules long dependency chains, such as those of powers, better before register
 * allocation; for shorter ones that costs more moves than it gains. */
#if defined(__GNUC__) && !defined(__clang__)
#define SCHEDULED __attribute__((optimize("schedule-insns")))
#else
#define SCHEDULED
#endif
#define AS_WRITTEN

/* Loops with the approximation compiled in. A function that calls no other keeps its constants
 * in registers. */

/* The fast phase of elements [start, start + n): stores results to y, and a bit for each hard
 * case. */
typedef void fast_loop(const operands2 *v, size_t start, size_t n, float *y, char *hard);

/* Approximates, tests and rounds at once: decided results are rounded and stored from `to` on,
 * and their bits set. No branch waits for results. Returns the exceptions that the hardware
 * does not record. */
typedef unsigned rounding_loop(const operands2 *v, size_t start, size_t n, uint16_t *to,
                               char *decided);

/* Computes the special cases among the hard cases `lanes` of a group of up to n elements from
 * `at` on, and stores them to y. Returns the remaining lanes. */
typedef uint64_t special_loop(const operands2 *v, size_t at, size_t n, float *y,
                              uint64_t lanes);

/* A function, described by its phases. */
typedef struct {
    load_second *load_b;
    size_t b_size;
    fast_function
        *fast; /* within slack units of float's last place unless it is an exact case */
    int slack; /* a power of two; if negative, results are above the exact ones by up to that
                  much */
    fast_function *special; /* decides special cases among the hard ones */
    exact_function *exact;  /* for lanes that only a few vectors need to test, or NULL */
    unfit_function *unfit;  /* or NULL */
    hard_case *hard_case;
    fast_loop *fast_loop;
    rounding_loop *rounding_loop;
    special_loop *special_loop;
} function2;

/* Decides one hard case: by the accurate phase or, if that fails its rounding test, the slow
 * path. value converts an element of b, of the type, to a number; slow_path is a function of
 * the two elements and flags. */
#define HARD_CASE(name, type, value, accurate_phase, slow_path)                                \
    static float name##_hard_case(const uint16_t *a, const void *b, size_t k, unsigned *flags) \
    {                                                                                          \
        uint16_t x = a[k];                                                                     \
        type y = ((const type *)b)[k];                                                         \
        bool exact_case = false;                                                               \
        double result = accurate_phase(float_of_half(x), value(y), &exact_case);               \
        if (exact_case || passes_rounding_test(result))                                        \
            return round_to_odd(result);                                                       \
        leave_vectors();                                                                       \
        return slow_path(x, y, flags);                                                         \
    }

/* Computes all elements as hard cases. */
ALWAYS_INLINE unsigned map_hard_cases(const operands2 *v, size_t n, hard_case *hard_case)
{
    _Alignas(64) float y[FUNCTION_BLOCK];
    unsigned flags = 0;
    acc seen = acc_none();
    for (size_t done = 0; done < n; done += FUNCTION_BLOCK) {
        size_t count = n - done < FUNCTION_BLOCK ? n - done : FUNCTION_BLOCK;
        halfcl_env env;
        halfcl_enter(&env, HALFCL_RTE);
        for (size_t k = 0; k < count; k++)
            y[k] = hard_case(v->a, v->b, done + k, &flags);
        fill_lanes(y, count);
        halfcl_leave(&env);
        round_block(y, count, v->out + done, v->mode, &seen, MAYBE_TINY);
    }
    return flags | acc_flags(seen);
}

ALWAYS_INLINE vf load_halves(const void *b, size_t at, size_t count)
{
    return load_part(ahead_of((const uint16_t *)b + at), count);
}

/* Returns the hard cases of an approximation, given its operands. */
ALWAYS_INLINE vm hard_cases_of(vf result, vf x, vf y, vm exact_case, const function2 *f)
{
    vm hard = failing_lanes(result, f->slack, exact_case);
    if (f->exact && vm_any(hard))
        hard = vm_and_not(hard, f->exact(x, y));
    return f->unfit ? vm_or(hard, f->unfit(y)) : hard;
}

/* The body of a fast_loop. */
ALWAYS_INLINE void approximate2(const operands2 *v, size_t start, size_t n, float *y,
                                char *hard, const function2 *f)
{
    const uint16_t *a = v->a;
    const void *b = v->b;
    for (size_t i = 0; i < n; i += LANES) {
        size_t at = start + i, count = n - i < LANES ? n - i : LANES;
        vm exact_case = vm_none();
        vf first = load_halves(a, at, count), second = f->load_b(b, at, count);
        vf result = f->fast(first, second, &exact_case);
        vf_put(y + i, result);
        vm_put(hard, i, hard_cases_of(result, first, second, exact_case, f));
    }
}

/* The body of a special_loop. */
ALWAYS_INLINE uint64_t find_special(const operands2 *v, size_t at, size_t n, float *y,
                                    uint64_t lanes, const function2 *f)
{
    for (size_t i = 0; i < n && i < GROUP; i += LANES) {
        size_t count = n - i < LANES ? n - i : LANES;
        vm exact_case = vm_none();
        if ((lanes >> i & (((uint64_t)1 << LANES) - 1)) == 0)
            continue;
        vf result = f->special(load_halves(v->a, at + i, count), f->load_b(v->b, at + i, count),
                               &exact_case);
        vf_put(y + i, vf_select(exact_case, result, vf_load(y + i)));
        lanes &= ~((uint64_t)vm_bits(exact_case) << i);
    }
    return lanes;
}

/* Decides the hard cases of a block, one by one except for special ones. */
static __attribute__((unused)) unsigned solve_hard_cases(const operands2 *v, size_t start,
                                                         size_t n, float *y, const char *hard,
                                                         const function2 *f)
{
    unsigned flags = 0;
    for (size_t g = 0; GROUP * g < n; g++) {
        uint64_t lanes = hard_cases_of_group(hard, g, n);
        size_t i = GROUP * g;
        if (__builtin_popcountll(lanes) > MANY)
            lanes = f->special_loop(v, start + i, n - i, y + i, lanes);
        for (; lanes; lanes &= lanes - 1) {
            size_t k = i + (size_t)__builtin_ctzll(lanes);
            y[k] = f->hard_case(v->a, v->b, start + k, &flags);
        }
    }
    return flags;
}

/* A block in progress, n up to FUNCTION_BLOCK. */
typedef struct {
    size_t start, n;
    acc seen;
    unsigned flags;
} block2;

/* Computes a block phase by phase. */
static __attribute__((noinline, unused)) void map_block2(const operands2 *v, block2 *block,
                                                         const function2 *f)
{
    _Alignas(64) float y[FUNCTION_BLOCK];
    char hard[HARD_BYTES] = {0};
    halfcl_env env;
    halfcl_enter(&env, HALFCL_RTE);
    f->fast_loop(v, block->start, block->n, y, hard);
    block->flags |= solve_hard_cases(v, block->start, block->n, y, hard, f);
    halfcl_leave(&env);
    round_block(y, block->n, v->out + block->start, v->mode, &block->seen, MAYBE_TINY);
}

/* Results of a rounding_loop. */
typedef struct {
    vf result;
    vm clear, decided; /* lanes that pass the rounding test, which are inexact; and those or
                       exact cases */
} approximation;

ALWAYS_INLINE approximation approximate(vf x, vf y, const function2 *f)
{
    vm exact_case = vm_none();
    vf result = f->fast(x, y, &exact_case);
    vm clear = passing_lanes(result, f->slack);
    if (f->unfit)
        clear = vm_and_not(clear, f->unfit(y));
    return (approximation){result, clear, vm_or(clear, exact_case)};
}

ALWAYS_INLINE void round_decided(uint16_t *to, vm some, approximation a, halfcl_rounding mode)
{
    acc seen = acc_none();
    vf_narrow_where(to, vm_and(a.decided, some), a.result, mode, &seen);
}

/* The body of a rounding_loop. For exact cases the hardware records underflow. */
ALWAYS_INLINE unsigned approximate_and_round(const operands2 *v, size_t start, size_t n,
                                             uint16_t *to, char *decided, const function2 *f)
{
    const uint16_t *a = v->a;
    const void *b = v->b;
    const halfcl_rounding mode = v->mode;
    const vm all = vm_not(vm_none());
    vf least = vf_set(1);
    size_t i = HAVE_STATIC_ROUNDING ? 0 : n; /* otherwise only the last loop is used */
    for (; i + PAIR <= n; i += PAIR) {
        const size_t at = start + i;
        vf x = load(ahead_of(a + at)), x_too = load(a + at + LANES);
        vf y = f->load_b(b, at, LANES), y_too = f->load_b(b, at + LANES, LANES);
        approximation first = approximate(x, y, f), second = approximate(x_too, y_too, f);
        least = vn_least_abs_where(first.clear, least, first.result);
        least = vn_least_abs_where(second.clear, least, second.result);
        vm_put(decided, i, first.decided);
        vm_put(decided, i + LANES, second.decided);
        round_decided(to + i, all, first, mode);
        round_decided(to + i + LANES, all, second, mode);
    }
    for (; i < n; i += LANES) {
        const size_t at = start + i, count = n - i < LANES ? n - i : LANES;
        approximation one = approximate(load_halves(a, at, count), f->load_b(b, at, count), f);
        least = vn_least_abs_where(one.clear, least, one.result);
        vm_put(decided, i, one.decided);
        round_decided(to + i, vm_first(count), one, mode);
    }
    return vm_any(vf_less(least, vf_set(0x1p-14f))) ? HALFCL_UNDERFLOW : 0;
}

/* Scattered hard cases that wait, with their operands, which caches may evict: they are decided
 * together, so that the processor works at several at a time. */
enum { MOST_WAITING = 256, ROOM_TO_WAIT = MOST_WAITING + FUNCTION_BLOCK / 16 };
typedef struct {
    size_t at[ROOM_TO_WAIT], count;
    uint16_t a[ROOM_TO_WAIT], halves[ROOM_TO_WAIT];
    int32_t b[ROOM_TO_WAIT]; /* or halves, as many */
    _Alignas(64) float y[ROOM_TO_WAIT];
} waiting;

static __attribute__((noinline, unused)) void solve_waiting(const operands2 *v, waiting *rest,
                                                            block2 *block, hard_case *hard_case)
{
    halfcl_env env;
    halfcl_enter(&env, HALFCL_RTE);
    for (size_t k = 0; k < rest->count; k++)
        rest->y[k] = hard_case(rest->a, rest->b, k, &block->flags);
    fill_lanes(rest->y, rest->count);
    halfcl_leave(&env);
    round_block(rest->y, rest->count, rest->halves, v->mode, &block->seen, MAYBE_TINY);
    for (size_t k = 0; k < rest->count; k++)
        v->out[rest->at[k]] = rest->halves[k];
    rest->count = 0;
}

/* Adds lanes of the elements from at on. */
ALWAYS_INLINE void queue_lanes(waiting *rest, const operands2 *v, size_t at, uint64_t lanes,
                               size_t b_size)
{
    for (; lanes; lanes &= lanes - 1) {
        const size_t k = at + (size_t)__builtin_ctzll(lanes), to = rest->count++;
        rest->at[to] = k;
        rest->a[to] = v->a[k];
        memcpy((char *)rest->b + b_size * to, (const char *)v->b + b_size * k, b_size);
    }
}

/* Rounds the decided results of a block and queues its hard cases. Returns false, without
 * queueing, if they are too many for one by one. */
ALWAYS_INLINE bool round_block2(const operands2 *v, block2 *block, waiting *rest,
                                const function2 *f)
{
    enum { ONE_IN = 32 };
    const bool in_place = v->out == v->a || (const void *)v->out == v->b;
    const size_t start = block->start, n = block->n, most = rest->count + n / ONE_IN + 1;
    uint16_t halves[FUNCTION_BLOCK], *to = in_place ? halves : v->out + start;
    char decided[HARD_BYTES];
    block->flags |= f->rounding_loop(v, start, n, to, decided);
    for (size_t g = 0; GROUP * g < n; g++) {
        const uint64_t lanes = undecided_of_group(decided, g, n);
        if (__builtin_expect(lanes == 0, 1))
            continue;
        if (rest->count + (size_t)__builtin_popcountll(lanes) > most) {
            rest->count = most - n / ONE_IN - 1;
            return false;
        }
        queue_lanes(rest, v, start + GROUP * g, lanes, f->b_size);
    }
    if (in_place)
        memcpy(v->out + start, halves, n * sizeof *halves);
    return true;
}

/* With static rounding the fast phase and the rounding are one loop. A block with many hard
 * cases is computed phase by phase instead, and so are the next blocks, twice as many each
 * time. */
ALWAYS_INLINE unsigned map_function2(void *const *args, size_t n, halfcl_rounding mode,
                                     const function2 *f)
{
    enum { MOST_BY_PHASES = 64 };
    const operands2 v = {args[0], args[1], args[2], mode};
    block2 block = {.seen = acc_none()};
    size_t by_phases = 0, next_time = 1;
    waiting rest;
    rest.count = 0;
    for (; block.start < n; block.start += block.n) {
        block.n = n - block.start < FUNCTION_BLOCK ? n - block.start : FUNCTION_BLOCK;
        if (HAVE_STATIC_ROUNDING && by_phases == 0 && round_block2(&v, &block, &rest, f)) {
            next_time = 1;
            if (rest.count > MOST_WAITING)
                solve_waiting(&v, &rest, &block, f->hard_case);
            continue;
        }
        map_block2(&v, &block, f);
        if (by_phases > 0) {
            by_phases--;
        } else {
            by_phases = next_time;
            next_time = next_time < MOST_BY_PHASES ? 2 * next_time : next_time;
        }
    }
    if (rest.count)
        solve_waiting(&v, &rest, &block, f->hard_case);
    return block.flags | acc_flags(block.seen);
}

/* Defines the loops of name_function. order: SCHEDULED or AS_WRITTEN. */
#define LOOPS2(name, order)                                                                    \
    static const function2 name##_function;                                                    \
    static __attribute__((noinline)) void name##_fast_loop(                                    \
        const operands2 *v, size_t start, size_t n, float *restrict y, char *restrict hard)    \
    {                                                                                          \
        approximate2(v, start, n, y, hard, &name##_function);                                  \
    }                                                                                          \
    static __attribute__((noinline)) order unsigned name##_rounding_loop(                      \
        const operands2 *v, size_t start, size_t n, uint16_t *to, char *restrict decided)      \
    {                                                                                          \
        return approximate_and_round(v, start, n, to, decided, &name##_function);              \
    }                                                                                          \
    SPECIAL_LOOP2(name)
#define SPECIAL_LOOP2(name)                                                                    \
    static const function2 name##_function;                                                    \
    static __attribute__((noinline)) uint64_t name##_special_loop(                             \
        const operands2 *v, size_t at, size_t n, float *y, uint64_t lanes)                     \
    {                                                                                          \
        return find_special(v, at, n, y, lanes, &name##_function);                             \
    }
#define THE_LOOPS2(name)                                                                       \
    .fast_loop = name##_fast_loop, .rounding_loop = name##_rounding_loop,                      \
    .special_loop = name##_special_loop

/* Defines a kernel by these phases if the set has the capabilities that the fast one needs;
 * otherwise all elements are hard cases. */
#define FUNCTION2_KERNEL(kernel, needs, name)                                                  \
    KERNEL(kernel, (needs) ? map_function2(args, n, mode, &name##_function)                    \
                           : map_hard_cases(&(operands2){args[0], args[1], args[2], mode}, n,  \
                                            name##_hard_case))

/* Defines name_kernel, of two halves, by its phases. */
#define FUNCTION2(...) FUNCTION2_IN(AS_WRITTEN, __VA_ARGS__)
#define FUNCTION2_IN(order, needs, name, fast_phase, units, special_cases, accurate_phase,     \
                     slow_path)                                                                \
    HARD_CASE(name, uint16_t, float_of_half, accurate_phase, slow_path)                        \
    LOOPS2(name, order)                                                                        \
    static const function2 name##_function = {.load_b = load_halves,                           \
                                              .b_size = sizeof(uint16_t),                      \
                                              .fast = fast_phase,                              \
                                              .slack = units,                                  \
                                              .special = special_cases,                        \
                                              .hard_case = name##_hard_case,                   \
                                              THE_LOOPS2(name)};                               \
    FUNCTION2_KERNEL(name##_kernel, needs, name)

#endif
