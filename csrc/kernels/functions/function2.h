/* Functions of two arguments, a half and a half or an integer, in the phases of phases.h. */
#ifndef HALFCL_KERNELS_FUNCTIONS_FUNCTION2_H
#define HALFCL_KERNELS_FUNCTIONS_FUNCTION2_H

#include "exact/table.h"
#include "kernels/functions/accurate.h"
#include "kernels/functions/polynomial.h"
#include "kernels/shared/phases.h"

/* The operands of a kernel; b has what a load_second reads. */
typedef struct {
    const uint16_t *a;
    const void *b;
    uint16_t *out;
    halfcl_rounding mode;
} operands2;

/* Elements [at, at + count) of b, count up to LANES. */
typedef vf load_second(const void *b, size_t at, size_t count);

/* An approximation in float. The lanes that it adds to known are right as they are; no NaN is
 * among them. */
typedef vf fast_function(vf x, vf y, vm *known);

/* Where that is right, besides. */
typedef vm exact_function(vf x, vf y);

/* The same in double, for hard cases: within 2^-40 relatively, or known. Zeros, infinities,
 * NaNs and numbers of 12 bits fail the rounding test again. Others come in float's range,
 * whatever half's. */
typedef double accurate_function(double x, double y, bool *known);

/* Element k where the fast phase is not enough. */
typedef float hard_case(const uint16_t *a, const void *b, size_t k, unsigned *flags);

/* Hard cases that have waited: where they come from, and their operands, since the outputs may
 * overwrite the inputs. */
enum { QUEUE = 512 };

typedef struct {
    size_t count, at[QUEUE];
    uint16_t a[QUEUE];
    int32_t b[QUEUE]; /* room for halves or integers */
} queue;

/* GCC orders the instructions of long chains, such as powers, better if it does so before it
 * assigns registers; for shorter ones that costs more moves than it gains. */
#if defined(__GNUC__) && !defined(__clang__)
#define SCHEDULED __attribute__((optimize("schedule-insns")))
#else
#define SCHEDULED
#endif
#define AS_WRITTEN

/* Loops with the approximation compiled in. A function that calls no other keeps its constants
 * in registers. */

/* The fast phase of elements [start, start + n): to y, and its hard cases to a bit each. */
typedef void fast_loop(const operands2 *v, size_t start, size_t n, float *y, char *hard);

/* Both phases at once, from start on, up to a pair of vectors with many hard cases, or more
 * than the queue takes, or to stop, but for a last vector or two with a hard case. Returns how
 * far it came. */
typedef size_t rounding_loop(const operands2 *v, size_t start, size_t stop, acc *seen,
                             queue *late);

/* A function by its phases. */
typedef struct {
    load_second *load_b;
    size_t b_size;
    fast_function *fast;    /* within slack units of float's last place where it is not known */
    int slack;              /* a power of two */
    fast_function *special; /* knows special cases among the hard ones */
    exact_function *exact;  /* for what only a few vectors need to know, or NULL */
    hard_case *hard_case;
    fast_loop *fast_loop;
    rounding_loop *rounding_loop;
} function2;

/* Hard cases one at a time: the accurate phase, and what fails its rounding test. value makes a
 * number of an element of b, of the type; last is a function of the two elements and flags. */
#define HARD_CASE(name, type, value, accurate, last)                                           \
    static float name##_hard_case(const uint16_t *a, const void *b, size_t k, unsigned *flags) \
    {                                                                                          \
        uint16_t x = a[k];                                                                     \
        type y = ((const type *)b)[k];                                                         \
        bool known = false;                                                                    \
        double result = accurate(float_of_half(x), value(y), &known);                          \
        if (known || passes_rounding_test(result))                                             \
            return round_to_odd(result);                                                       \
        leave_vectors();                                                                       \
        return last(x, y, flags);                                                              \
    }

/* All elements as hard cases. */
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

/* Of an approximation and its operands. */
ALWAYS_INLINE vm hard_cases_of(vf result, vf x, vf y, vm known, const function2 *f)
{
    vm hard = vf_hard_cases(result, f->slack, known);
    return f->exact && vm_any(hard) ? vm_and_not(hard, f->exact(x, y)) : hard;
}

/* The body of a fast_loop. */
ALWAYS_INLINE void approximate2(const operands2 *v, size_t start, size_t n, float *y,
                                char *hard, const function2 *f)
{
    const uint16_t *a = v->a;
    const void *b = v->b;
    for (size_t i = 0; i < n; i += LANES) {
        size_t at = start + i, count = n - i < LANES ? n - i : LANES;
        vm known = vm_none();
        vf first = load_halves(a, at, count), second = f->load_b(b, at, count);
        vf result = f->fast(first, second, &known);
        vf_put(y + i, result);
        vm_put(hard, i, hard_cases_of(result, first, second, known, f));
    }
}

/* Of a group from element at on, what is special among the hard cases, lanes. Returns what
 * remains. */
ALWAYS_INLINE uint64_t find_special(const operands2 *v, size_t at, size_t n, float *y,
                                    uint64_t lanes, const function2 *f)
{
    for (size_t i = 0; i < n && i < GROUP; i += LANES) {
        size_t count = n - i < LANES ? n - i : LANES;
        vm known = vm_none();
        if ((lanes >> i & (((uint64_t)1 << LANES) - 1)) == 0)
            continue;
        vf result = f->special(load_halves(v->a, at + i, count), f->load_b(v->b, at + i, count),
                               &known);
        vf_put(y + i, vf_select(known, result, vf_load(y + i)));
        lanes &= ~((uint64_t)vm_bits(known) << i);
    }
    return lanes;
}

/* The hard cases of a block, one by one but for special ones. */
ALWAYS_INLINE unsigned solve_hard_cases(const operands2 *v, size_t start, size_t n, float *y,
                                        const char *hard, const function2 *f)
{
    unsigned flags = 0;
    for (size_t g = 0; GROUP * g < n; g++) {
        uint64_t lanes = hard_cases_of_group(hard, g, n);
        size_t i = GROUP * g;
        if (__builtin_popcountll(lanes) > MANY)
            lanes = find_special(v, start + i, n - i, y + i, lanes, f);
        for (; lanes; lanes &= lanes - 1) {
            size_t k = i + (size_t)__builtin_ctzll(lanes);
            y[k] = f->hard_case(v->a, v->b, start + k, &flags);
        }
    }
    return flags;
}

/* Elements [start, start + n), n up to FUNCTION_BLOCK, phase by phase. */
ALWAYS_INLINE unsigned map_block2(const operands2 *v, size_t start, size_t n, acc *seen,
                                  const function2 *f)
{
    _Alignas(64) float y[FUNCTION_BLOCK];
    char hard[HARD_BYTES] = {0};
    halfcl_env env;
    halfcl_enter(&env, HALFCL_RTE);
    f->fast_loop(v, start, n, y, hard);
    unsigned flags = solve_hard_cases(v, start, n, y, hard, f);
    halfcl_leave(&env);
    round_block(y, n, v->out + start, v->mode, seen, MAYBE_TINY);
    return flags;
}

/* With static rounding the fast phase and the rounding are one loop, but for a few hard cases,
 * which queue up. */
enum { FIRST_BLOCK = HAVE_STATIC_ROUNDING ? PAIR : FUNCTION_BLOCK };

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

/* The body of a rounding_loop. */
ALWAYS_INLINE size_t approximate_and_round(const operands2 *v, size_t start, size_t stop,
                                           acc *seen, queue *late, const function2 *f)
{
    const uint16_t *a = v->a;
    const void *b = v->b;
    uint16_t *out = v->out;
    halfcl_rounding mode = v->mode;
    acc tiny = *seen; /* in a register */
    size_t i = start;
    for (; HAVE_STATIC_ROUNDING && i + PAIR <= stop; i += PAIR) {
        vm known = vm_none(), known_too = vm_none();
        vf x = load(ahead_of(a + i)), x_too = load(a + i + LANES);
        vf y = f->load_b(b, i, LANES), y_too = f->load_b(b, i + LANES, LANES);
        vf first = f->fast(x, y, &known), second = f->fast(x_too, y_too, &known_too);
        vm hard = vf_hard_cases(first, f->slack, known);
        vm hard_too = vf_hard_cases(second, f->slack, known_too);
        if (vm_any(vm_or(hard, hard_too))) {
            if (f->exact) {
                hard = vm_and_not(hard, f->exact(x, y));
                hard_too = vm_and_not(hard_too, f->exact(x_too, y_too));
            }
            uint64_t lanes = vm_bits(hard) | (uint64_t)vm_bits(hard_too) << LANES;
            if (__builtin_popcountll(lanes) > MANY || late->count > QUEUE - MANY)
                break;
            enqueue(late, a, b, f->b_size, i, lanes);
            first = vf_select(hard, vf_set(1), first);
            second = vf_select(hard_too, vf_set(1), second);
        }
        store_narrowed(out + i, first, second, mode, &tiny, MAYBE_TINY); /* no NaNs are left */
    }
    while (HAVE_STATIC_ROUNDING && stop - i < PAIR && i < stop) {
        size_t count = stop - i < LANES ? stop - i : LANES;
        vm known = vm_none();
        vf x = load_halves(a, i, count), y = f->load_b(b, i, count);
        vf result = f->fast(x, y, &known);
        vm hard = hard_cases_of(result, x, y, known, f);
        if (vm_bits(hard) & (((uint64_t)1 << count) - 1))
            break;
        vh_store_n(out + i, round_to_half(result, mode, &tiny, MAYBE_TINY), count);
        i += count;
    }
    *seen = tiny;
    return i;
}

/* Those in the queue, and puts them in their places. */
static __attribute__((noinline, unused)) unsigned
solve_queue(queue *late, uint16_t *out, halfcl_rounding mode, hard_case *hard_case)
{
    uint16_t results[QUEUE];
    const operands2 v = {late->a, late->b, results, mode};
    unsigned flags = map_hard_cases(&v, late->count, hard_case);
    for (size_t k = 0; k < late->count; k++)
        out[late->at[k]] = results[k];
    late->count = 0;
    return flags;
}

/* Many hard cases that follow each other closely are worked off in longer and longer blocks. */
ALWAYS_INLINE unsigned map_function2(void *const *args, size_t n, halfcl_rounding mode,
                                     const function2 *f)
{
    const operands2 v = {args[0], args[1], args[2], mode};
    unsigned flags = 0;
    acc seen = acc_none();
    queue late;
    late.count = 0;
    size_t block = FIRST_BLOCK;
    for (size_t done = 0; done < n;) {
        size_t start = f->rounding_loop(&v, done, n, &seen, &late), left = n - start;
        if (late.count)
            flags |= solve_queue(&late, v.out, mode, f->hard_case);
        bool close = start - done < block;
        block = !close ? FIRST_BLOCK : block < FUNCTION_BLOCK ? 2 * block : FUNCTION_BLOCK;
        size_t count = left < block ? left : block;
        if (count)
            flags |= map_block2(&v, start, count, &seen, f);
        done = start + count;
    }
    return flags | acc_flags(seen);
}

/* The loops of name_function. order: SCHEDULED or AS_WRITTEN. */
#define LOOPS2(name, order)                                                                    \
    static const function2 name##_function;                                                    \
    static __attribute__((noinline)) void name##_fast_loop(                                    \
        const operands2 *v, size_t start, size_t n, float *restrict y, char *restrict hard)    \
    {                                                                                          \
        approximate2(v, start, n, y, hard, &name##_function);                                  \
    }                                                                                          \
    static __attribute__((noinline)) order size_t name##_rounding_loop(                        \
        const operands2 *v, size_t start, size_t stop, acc *seen, queue *late)                 \
    {                                                                                          \
        return approximate_and_round(v, start, stop, seen, late, &name##_function);            \
    }

/* A kernel by these phases if the set has what the fast one needs, else all hard cases. */
#define FUNCTION2_KERNEL(kernel, needs, name)                                                  \
    KERNEL(kernel, (needs) ? map_function2(args, n, mode, &name##_function)                    \
                           : map_hard_cases(&(operands2){args[0], args[1], args[2], mode}, n,  \
                                            name##_hard_case))

/* name_kernel, of two halves, from its phases. */
#define FUNCTION2(...) FUNCTION2_IN(AS_WRITTEN, __VA_ARGS__)
#define FUNCTION2_IN(order, needs, name, fast, slack, special, accurate, last)                 \
    HARD_CASE(name, uint16_t, float_of_half, accurate, last)                                   \
    LOOPS2(name, order)                                                                        \
    static const function2 name##_function = {                                                 \
        load_halves,      sizeof(uint16_t),    fast, slack, special, NULL, name##_hard_case,   \
        name##_fast_loop, name##_rounding_loop};                                               \
    FUNCTION2_KERNEL(name##_kernel, needs, name)

#endif
