/* Folds: many elements to one result. What the hardware records on the way (a signalling NaN
 * widened, infinities added up) would depend on the order, and does not count: a state has seen
 * what matters. */
#include "format/strided.h"

#include <string.h>

enum { BLOCK = HALFCL_BLOCK, MAX_INPUTS = 2 };

static bool is_fold(const halfcl_kernel *kernel)
{
    return kernel && kernel->kind == HALFCL_FOLD && kernel->signature.nin <= MAX_INPUTS;
}

/* Takes n elements of each input, block by block where one needs a buffer. */
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

unsigned halfcl_state_add(const halfcl_kernel *fold, halfcl_fold_state *state,
                          char *const *inputs, const ptrdiff_t *steps, size_t n)
{
    if (!is_fold(fold))
        return HALFCL_MISUSE;
    halfcl_env env;
    halfcl_enter(&env, HALFCL_RTE);
    add_strided(fold, state, inputs, steps, n);
    halfcl_leave(&env);
    return 0;
}

/* Takes the elements of which where says so, compressed block by block. */
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

/* Whether the states' elements lie in rows that the kernel takes as they are, and each state's
 * own do not. */
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

unsigned halfcl_states_add(const halfcl_kernel *fold, char *states, ptrdiff_t state_step,
                           const halfcl_elements *elements)
{
    if (!is_fold(fold))
        return HALFCL_MISUSE;
    halfcl_env env;
    halfcl_enter(&env, HALFCL_RTE);
    bool by_rows = are_rows(fold, elements);
    if (by_rows)
        fold->fold.add_rows(states, state_step, elements->count,
                            (const void *const[]){elements->inputs[0], elements->inputs[1]},
                            elements->along, elements->n);
    for (size_t k = 0; k < elements->count && !by_rows; k++) {
        halfcl_fold_state *state = (halfcl_fold_state *)(states + (ptrdiff_t)k * state_step);
        char *inputs[MAX_INPUTS];
        for (int i = 0; i < fold->signature.nin; i++)
            inputs[i] = elements->inputs[i] + (ptrdiff_t)k * elements->across[i];
        if (elements->where)
            add_where(fold, state, inputs, elements->along,
                      elements->where + (ptrdiff_t)k * elements->where_across,
                      elements->where_along, elements->n);
        else
            add_strided(fold, state, inputs, elements->along, elements->n);
    }
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

unsigned halfcl_fold(const halfcl_kernel *fold, uint16_t *accumulator, const char *in,
                     ptrdiff_t step, size_t n, halfcl_rounding mode)
{
    if (!is_fold(fold) || fold->signature.nin != 1)
        return HALFCL_MISUSE;
    if (n == 0)
        return 0;
    halfcl_fold_state state = {0};
    halfcl_env env;
    halfcl_enter(&env, HALFCL_RTE);
    fold->fold.add(&state, (const void *[]){accumulator}, 1);
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
        memcpy(&element, in, sizeof element);
        flags |= map->map(args, 1, mode);
    }
    return flags | halfcl_leave(&env);
}
