/* Folds: many elements to one result. The exceptions that the hardware records meanwhile (from
 * widening a signalling NaN, adding infinities) would depend on the order, and do not count: a
 * state records those that matter. */
#include "format/half.h"
#include "format/strided.h"
#include "run/splitting.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = HALFCL_BLOCK, MAX_INPUTS = 2 };

static bool is_fold(const halfcl_kernel *kernel)
{
    return kernel && kernel->kind == HALFCL_FOLD && kernel->signature.nin <= MAX_INPUTS;
}

/* Adds n elements of each input, block by block if one needs a buffer. */
static void add_strided(const halfcl_kernel *fold, halfcl_fold_state *state,
                        char *const *inputs, const ptrdiff_t *steps, size_t n)
{
    uint16_t buffer[MAX_INPUTS][BLOCK];
    size_t block = n;
    for (int i = 0; i < fold->signature.nin; i++) {
        if (!halfcl_is_direct(inputs[i], steps[i], sizeof **buffer))
            block = BLOCK;
    }
    for (size_t done = 0; done < n; done += block) {
        size_t count = n - done < block ? n - done : block;
        const void *args[MAX_INPUTS];
        for (int i = 0; i < fold->signature.nin; i++)
            args[i] = halfcl_gather(buffer[i], inputs[i] + (ptrdiff_t)done * steps[i], steps[i],
                                    count);
        fold->fold.add(state, args, count);
    }
}

/* Adds the elements whose byte in where is not 0, compressed block by block. */
static void add_where(const halfcl_kernel *fold, halfcl_fold_state *state, char *const *inputs,
                      const ptrdiff_t *steps, const char *where, ptrdiff_t where_step, size_t n)
{
    uint16_t buffer[MAX_INPUTS][BLOCK];
    const void *args[MAX_INPUTS] = {buffer[0], buffer[1]};
    size_t count = 0;
    for (size_t k = 0; k < n; ++k) {
        for (int i = 0; i < fold->signature.nin; i++)
            memcpy(&buffer[i][count], inputs[i] + (ptrdiff_t)k * steps[i], sizeof **buffer);
        count += where[(ptrdiff_t)k * where_step] != 0;
        if (count == BLOCK || (k + 1 == n && count > 0)) {
            fold->fold.add(state, args, count);
            count = 0;
        }
    }
}

/* Returns whether the states' elements lie in rows that the kernel can read in place, and each
 * state's own elements do not. */
static bool are_rows(const halfcl_kernel *fold, const halfcl_elements *elements)
{
    const ptrdiff_t size = sizeof(uint16_t);
    bool rows = fold->fold.add_rows && !elements->where && elements->count > 1, direct = true;
    for (int i = 0; i < fold->signature.nin; i++) {
        rows &= halfcl_is_direct(elements->inputs[i], elements->across[i], sizeof(uint16_t)) &&
                elements->along[i] % size == 0;
        direct &= elements->along[i] == size;
    }
    return rows && !direct;
}

/* Returns whether each state's own elements are a row that the kernel can read in place. */
static bool are_own_rows(const halfcl_kernel *fold, const halfcl_elements *elements)
{
    const ptrdiff_t size = sizeof(uint16_t);
    bool rows = fold->fold.add_each && !elements->where && elements->count > 1;
    for (int i = 0; i < fold->signature.nin; i++)
        rows &= halfcl_is_direct(elements->inputs[i], elements->along[i], sizeof(uint16_t)) &&
                elements->across[i] % size == 0;
    return rows;
}

/* Adds elements in this thread. by_rows: they are rows, or some of such rows. */
static void add_numbers(const halfcl_kernel *fold, char *states, ptrdiff_t state_step,
                        const halfcl_elements *elements, bool by_rows)
{
    halfcl_env env;
    halfcl_enter(&env, HALFCL_RTE);
    const void *const inputs[] = {elements->inputs[0], elements->inputs[1]};
    bool own_rows = are_own_rows(fold, elements);
    if (by_rows)
        fold->fold.add_rows(states, state_step, elements->count, inputs, elements->along,
                            elements->n);
    else if (own_rows)
        fold->fold.add_each(states, state_step, elements->count, inputs, elements->across,
                            elements->n);
    by_rows |= own_rows;
    for (size_t k = 0; k < elements->count && !by_rows; k++) {
        halfcl_fold_state *state = (halfcl_fold_state *)(states + (ptrdiff_t)k * state_step);
        char *own[MAX_INPUTS];
        for (int i = 0; i < fold->signature.nin; i++)
            own[i] = elements->inputs[i] + (ptrdiff_t)k * elements->across[i];
        if (elements->where)
            add_where(fold, state, own, elements->along,
                      elements->where + (ptrdiff_t)k * elements->where_across,
                      elements->where_along, elements->n);
        else
            add_strided(fold, state, own, elements->along, elements->n);
    }
    halfcl_leave(&env);
}

enum { TILE = 1 << 14, TILE_ROWS = 1 << 7 };

/* Copies n elements, with others in place of NaNs. */
static void copy_numbers(const halfcl_kernel *number_or, const uint16_t *others,
                         uint16_t *copies, const char *from, ptrdiff_t step, size_t n)
{
    uint16_t buffer[BLOCK];
    for (size_t i = 0, count; i < n; i += count) {
        count = n - i < BLOCK ? n - i : BLOCK;
        const void *elements = halfcl_gather(buffer, from + (ptrdiff_t)i * step, step, count);
        number_or->map((void *[]){(void *)elements, (void *)others, copies + i}, count,
                       HALFCL_RTE);
    }
}

/* Copies lines of elements, one after the other, with `instead` in place of NaNs. */
static void copy_lines(const halfcl_elements *elements, bool are_rows, uint16_t *copies)
{
    const ptrdiff_t along = elements->along[0], across = elements->across[0];
    const size_t lines = are_rows ? elements->n : elements->count;
    const size_t width = are_rows ? elements->count : elements->n;
    const ptrdiff_t step = are_rows ? across : along, to_next = are_rows ? along : across;
    uint16_t others[BLOCK];
    for (size_t i = 0; i < BLOCK && i < width; ++i)
        others[i] = elements->instead;
    for (size_t k = 0; k < lines; ++k)
        copy_numbers(elements->number_or, others, copies + k * width,
                     elements->inputs[0] + (ptrdiff_t)k * to_next, step, width);
}

static size_t least_of(size_t x, size_t y)
{
    return x < y ? x : y;
}

/* Adds elements with `instead` in place of NaNs: copies of some at a time, which fit the cache.
 * Columns that are neighbours stay rows. */
static void add_without_nans(const halfcl_kernel *fold, char *states, ptrdiff_t state_step,
                             const halfcl_elements *all)
{
    const ptrdiff_t size = sizeof(uint16_t);
    const bool are_rows = all->count > 1 && llabs(all->across[0]) < llabs(all->along[0]);
    const size_t most = are_rows ? least_of(all->n, TILE_ROWS) : least_of(all->n, TILE);
    const size_t states_at_once = least_of(all->count, TILE / most);
    uint16_t copies[TILE];
    for (size_t k = 0; k < all->count; k += states_at_once) {
        for (size_t i = 0; i < all->n; i += most) {
            halfcl_elements some = *all;
            some.inputs[0] += (ptrdiff_t)k * all->across[0] + (ptrdiff_t)i * all->along[0];
            some.count = least_of(all->count - k, states_at_once);
            some.n = least_of(all->n - i, most);
            copy_lines(&some, are_rows, copies);
            const ptrdiff_t line = size * (ptrdiff_t)(are_rows ? some.count : some.n);
            some.number_or = NULL;
            for (int input = 0; input < 2; ++input) {
                some.inputs[input] = (char *)copies;
                some.across[input] = are_rows ? size : line;
                some.along[input] = are_rows ? line : size;
            }
            add_numbers(fold, states + (ptrdiff_t)k * state_step, state_step, &some, are_rows);
        }
    }
}

static void add_elements(const halfcl_kernel *fold, char *states, ptrdiff_t state_step,
                         const halfcl_elements *elements, bool by_rows)
{
    if (elements->number_or)
        add_without_nans(fold, states, state_step, elements);
    else
        add_numbers(fold, states, state_step, elements, by_rows);
}

/* ---------------------------------------------------------------- by several threads */

/* Adding elements is so fast that splitting fewer does not pay. */
enum { SPLIT_FROM = 1 << 17, IN_A_ROW = 64 };

typedef struct {
    const halfcl_kernel *fold;
    char *states;
    ptrdiff_t state_step;
    const halfcl_elements *elements;
    bool by_rows;
    /* States of the other threads, for elements of the same results as the caller's. */
    halfcl_fold_state *partial;
    bool used[HALFCL_MAX_THREADS];
} addition;

static halfcl_fold_state *state_of(const addition *a, size_t k)
{
    return (halfcl_fold_state *)(a->states + (ptrdiff_t)k * a->state_step);
}

/* Returns the minimum number of states per thread: with fewer, rows would be too short for
 * add_rows. */
static size_t states_together(const addition *a)
{
    return a->by_rows ? IN_A_ROW : 1;
}

static unsigned add_to_some(void *work, size_t first, size_t count, int thread)
{
    const addition *a = work;
    halfcl_elements some = *a->elements;
    size_t end = first + count;
    (void)thread;
    first *= states_together(a);
    end = end * states_together(a) < some.count ? end * states_together(a) : some.count;
    for (int i = 0; i < a->fold->signature.nin; i++)
        some.inputs[i] += (ptrdiff_t)first * some.across[i];
    if (some.where)
        some.where += (ptrdiff_t)first * some.where_across;
    some.count = end - first;
    add_elements(a->fold, a->states + (ptrdiff_t)first * a->state_step, a->state_step, &some,
                 a->by_rows);
    return 0;
}

static unsigned add_some(void *work, size_t first, size_t count, int thread)
{
    addition *a = work;
    halfcl_elements some = *a->elements;
    for (int i = 0; i < a->fold->signature.nin; i++)
        some.inputs[i] += (ptrdiff_t)first * some.along[i];
    if (some.where)
        some.where += (ptrdiff_t)first * some.where_along;
    some.n = count;
    if (thread == 0) {
        add_elements(a->fold, a->states, a->state_step, &some, a->by_rows);
        return 0;
    }
    halfcl_fold_state *partial = a->partial + (size_t)(thread - 1) * some.count;
    if (!a->used[thread])
        memset(partial, 0, some.count * sizeof *partial);
    a->used[thread] = true;
    add_elements(a->fold, (char *)partial, sizeof *partial, &some, a->by_rows);
    return 0;
}

/* Each thread has states of its own, which are merged. Returns false if there is no memory for
 * them. */
static bool divide_elements(addition *a, int threads)
{
    enum { FEW = 16 };
    halfcl_fold_state few[FEW];
    size_t count = a->elements->count, all = count * (size_t)(threads - 1);
    a->partial = all > FEW ? malloc(all * sizeof *a->partial) : few;
    if (!a->partial)
        return false;
    memset(a->used, 0, (size_t)threads);
    halfcl_run_divided(&(halfcl_divisible){add_some, a, a->elements->n, count}, threads);
    for (size_t k = 0; k < all; k++) {
        if (a->used[1 + k / count])
            halfcl_state_merge(a->fold, state_of(a, k % count), &a->partial[k]);
    }
    if (a->partial != few)
        free(a->partial);
    return true;
}

static void divide_states(addition *a, int threads)
{
    size_t together = states_together(a);
    size_t groups = (a->elements->count + together - 1) / together;
    halfcl_run_divided(&(halfcl_divisible){add_to_some, a, groups, together * a->elements->n},
                       threads);
}

/* Splits many states over the threads. With few states, it splits the elements of each, if
 * these are so many that merging takes less time. */
static void divide_addition(addition *a, int threads)
{
    enum { ELEMENTS_TO_MERGE = 1024 };
    size_t n = a->elements->n, count = a->elements->count;
    bool are_many = count >= IN_A_ROW * (size_t)threads || a->fold->fold.rounds ||
                    (count > 1 && n < ELEMENTS_TO_MERGE * (size_t)threads);
    if (are_many || !divide_elements(a, threads))
        divide_states(a, threads);
}

unsigned halfcl_states_add(const halfcl_kernel *fold, char *states, ptrdiff_t state_step,
                           const halfcl_elements *elements)
{
    if (!is_fold(fold))
        return HALFCL_MISUSE;
    if (elements->n == 0) /* the size of a tile divides */
        return 0;
    addition a; /* not initialised as a whole: it is large */
    bool may_split = halfcl_may_split_from(elements->count * elements->n, SPLIT_FROM);
    int threads = may_split ? halfcl_get_threads() : 1;
    if (threads < 2) {
        add_elements(fold, states, state_step, elements, are_rows(fold, elements));
        return 0;
    }
    a.fold = fold;
    a.states = states;
    a.state_step = state_step;
    a.elements = elements;
    a.by_rows = are_rows(fold, elements);
    divide_addition(&a, threads);
    return 0;
}

/* Works both between enter and leave, and outside. */
static void add_many(const halfcl_kernel *fold, halfcl_fold_state *state, char *const *inputs,
                     const ptrdiff_t *steps, size_t n)
{
    halfcl_elements elements = {.count = 1, .n = n};
    for (int i = 0; i < fold->signature.nin; i++) {
        elements.inputs[i] = inputs[i];
        elements.along[i] = steps[i];
    }
    halfcl_states_add(fold, (char *)state, sizeof *state, &elements);
}

unsigned halfcl_state_add(const halfcl_kernel *fold, halfcl_fold_state *state,
                          char *const *inputs, const ptrdiff_t *steps, size_t n)
{
    if (!is_fold(fold))
        return HALFCL_MISUSE;
    if (halfcl_may_split_from(n, SPLIT_FROM)) {
        add_many(fold, state, inputs, steps, n);
        return 0;
    }
    halfcl_env env;
    halfcl_enter(&env, HALFCL_RTE);
    add_strided(fold, state, inputs, steps, n);
    halfcl_leave(&env);
    return 0;
}

unsigned halfcl_state_merge(const halfcl_kernel *fold, halfcl_fold_state *state,
                            const halfcl_fold_state *other)
{
    if (!is_fold(fold))
        return HALFCL_MISUSE;
    halfcl_env env;
    halfcl_enter(&env, HALFCL_RTE);
    fold->fold.merge(state, other);
    halfcl_leave(&env);
    return 0;
}

unsigned halfcl_state_finish(const halfcl_kernel *fold, const halfcl_fold_state *state,
                             uint16_t *result, halfcl_rounding mode)
{
    if (!is_fold(fold))
        return HALFCL_MISUSE;
    halfcl_env env;
    halfcl_enter(&env, HALFCL_RTE);
    unsigned flags = fold->fold.finish(state, result, mode);
    halfcl_leave(&env);
    return flags;
}

unsigned halfcl_states_finish(const halfcl_kernel *fold, const char *states,
                              ptrdiff_t state_step, size_t count, uint16_t *results,
                              halfcl_rounding mode)
{
    if (!is_fold(fold))
        return HALFCL_MISUSE;
    unsigned flags = 0;
    halfcl_env env;
    halfcl_enter(&env, fold->fold.finish_all ? mode : HALFCL_RTE);
    if (fold->fold.finish_all) {
        flags = fold->fold.finish_all(states, state_step, count, results, mode);
        return flags | halfcl_leave(&env);
    }
    for (size_t k = 0; k < count; k++)
        flags |= fold->fold.finish(
            (const halfcl_fold_state *)(states + (ptrdiff_t)k * state_step), results + k, mode);
    halfcl_leave(&env);
    return flags;
}

bool halfcl_fold_by_bounds(const halfcl_kernel *fold, uint16_t *accumulator, const char *in,
                           ptrdiff_t step, size_t n, halfcl_rounding mode, unsigned *flags)
{
    if (!is_fold(fold) || !fold->fold.by_bounds || n == 0 ||
        !halfcl_is_direct(in, step, sizeof *accumulator) ||
        halfcl_may_split_from(n, SPLIT_FROM))
        return false;
    halfcl_env env;
    halfcl_enter(&env, HALFCL_RTP);
    bool is_decided = fold->fold.by_bounds(accumulator, (const uint16_t *)in, n, mode, flags);
    halfcl_leave(&env);
    return is_decided;
}

unsigned halfcl_fold(const halfcl_kernel *fold, uint16_t *accumulator, const char *in,
                     ptrdiff_t step, size_t n, halfcl_rounding mode)
{
    if (!is_fold(fold) || fold->signature.nin != 1)
        return HALFCL_MISUSE;
    unsigned bound_flags = 0;
    if (n == 0 || halfcl_fold_by_bounds(fold, accumulator, in, step, n, mode, &bound_flags))
        return bound_flags;
    halfcl_fold_state state = {0};
    halfcl_env env;
    halfcl_enter(&env, HALFCL_RTE);
    fold->fold.add(&state, (const void *[]){accumulator}, 1);
    if (halfcl_may_split_from(n, SPLIT_FROM))
        add_many(fold, &state, (char *[]){(char *)in}, &step, n);
    else
        add_strided(fold, &state, (char *[]){(char *)in}, &step, n);
    unsigned flags = fold->fold.finish(&state, accumulator, mode);
    halfcl_leave(&env);
    return flags;
}

static bool is_binary(const halfcl_kernel *kernel)
{
    const halfcl_signature binary = HALFCL_HALVES(2, 1);
    return kernel && kernel->kind == HALFCL_MAP &&
           memcmp(&kernel->signature, &binary, sizeof binary) == 0;
}

unsigned halfcl_fold_in_order(const halfcl_kernel *map, uint16_t *accumulator, const char *in,
                              ptrdiff_t step, size_t n, halfcl_rounding mode)
{
    if (!is_binary(map))
        return HALFCL_MISUSE;
    uint16_t element;
    void *const args[] = {accumulator, &element, accumulator};
    unsigned flags = 0;
    halfcl_env env;
    halfcl_enter(&env, mode);
    for (size_t i = 0; i < n; i++, in += step) {
        element = read_half(in);
        flags |= map->map(args, 1, mode);
    }
    return flags | halfcl_leave(&env);
}
