#include "driver.h"
#include "reduction.h"

#include <fenv.h>
#include <stdbool.h>
#include <string.h>

enum { BLOCK = HALFCL_BLOCK, MAX_SIZE = 8 };

/* How one call's operands look. */
typedef struct {
    int nin, nargs;
    ptrdiff_t size[HALFCL_MAX_OPERANDS];
    bool direct[HALFCL_MAX_OPERANDS]; /* no buffer needed */
} layout;

static ptrdiff_t element_size(char letter)
{
    switch (letter) {
    case '?':
    case 'b':
    case 'B':
        return 1;
    case 'e':
    case 'h':
    case 'H':
        return 2;
    case 'i':
    case 'I':
    case 'f':
        return 4;
    default:
        return 8;
    }
}

/* Whether a kernel can read or write an operand in place: contiguous and aligned. */
static bool is_direct(const char *operand, ptrdiff_t step, ptrdiff_t size)
{
    return step == size && (uintptr_t)operand % (uintptr_t)size == 0;
}

static layout describe(const halfcl_kernel *kernel, char *const *operands,
                       const ptrdiff_t *steps)
{
    layout l = {0};
    for (const char *letter = kernel->types; *letter; letter++) {
        if (*letter == '>') {
            l.nin = l.nargs;
            continue;
        }
        ptrdiff_t size = element_size(*letter);
        l.size[l.nargs] = size;
        l.direct[l.nargs] = is_direct(operands[l.nargs], steps[l.nargs], size);
        l.nargs++;
    }
    return l;
}

/* The bytes from low to high that an operand touches. */
static void extent(const char *start, ptrdiff_t step, ptrdiff_t size, size_t n, uintptr_t *low,
                   uintptr_t *high)
{
    ptrdiff_t reach = step * (ptrdiff_t)(n - 1);
    *low = (uintptr_t)start + (uintptr_t)(reach < 0 ? reach : 0);
    *high = (uintptr_t)start + (uintptr_t)(reach < 0 ? 0 : reach) + (uintptr_t)size;
}

/* Whether some output's element may be a later (or wider) input element. */
static bool must_go_in_order(const layout *l, char *const *operands, const ptrdiff_t *steps,
                             size_t n)
{
    for (int out = l->nin; out < l->nargs; out++) {
        uintptr_t out_low, out_high;
        extent(operands[out], steps[out], l->size[out], n, &out_low, &out_high);
        for (int in = 0; in < l->nin; in++) {
            if (operands[in] == operands[out] && steps[in] == steps[out] &&
                l->size[in] >= l->size[out])
                continue;
            uintptr_t low, high;
            extent(operands[in], steps[in], l->size[in], n, &low, &high);
            if (low < out_high && out_low < high)
                return true;
        }
    }
    return false;
}

/* Copies n elements of a compile-time size, so that each copy is one move. */
#define COPY_ELEMENTS(SIZE)                                                                    \
    for (size_t i = 0; i < n; i++, to += to_step, from += from_step)                           \
        memcpy(to, from, SIZE);

static void copy_strided(char *to, ptrdiff_t to_step, const char *from, ptrdiff_t from_step,
                         ptrdiff_t size, size_t n)
{
    switch (size) {
    case 1:
        COPY_ELEMENTS(1)
        break;
    case 2:
        COPY_ELEMENTS(2)
        break;
    case 4:
        COPY_ELEMENTS(4)
        break;
    default:
        COPY_ELEMENTS(8)
        break;
    }
}

void halfcl_copy(char *to, ptrdiff_t to_step, const char *from, ptrdiff_t from_step, size_t n)
{
    if (to_step == 2 && from_step == 2)
        memmove(to, from, 2 * n);
    else
        copy_strided(to, to_step, from, from_step, 2, n);
}

/* Runs the kernel block by block, with a buffer for each operand that needs one. */
static unsigned run_blocks(const halfcl_kernel *kernel, const layout *l, char *const *operands,
                           const ptrdiff_t *steps, size_t n, size_t block, halfcl_rounding mode)
{
    _Alignas(64) char buffer[HALFCL_MAX_OPERANDS][BLOCK * MAX_SIZE];
    unsigned flags = 0;
    for (size_t done = 0; done < n; done += block) {
        size_t count = n - done < block ? n - done : block;
        void *args[HALFCL_MAX_OPERANDS];
        for (int i = 0; i < l->nargs; i++) {
            char *here = operands[i] + steps[i] * (ptrdiff_t)done;
            args[i] = l->direct[i] ? here : buffer[i];
            /* A broadcast scalar is spread once and serves every block. */
            if (i < l->nin && !l->direct[i] && (steps[i] != 0 || done == 0))
                copy_strided(buffer[i], l->size[i], here, steps[i], l->size[i], count);
        }
        flags |= kernel->loop(args, count, mode);
        for (int i = l->nin; i < l->nargs; i++) {
            if (!l->direct[i])
                copy_strided(operands[i] + steps[i] * (ptrdiff_t)done, steps[i], buffer[i],
                             l->size[i], l->size[i], count);
        }
    }
    return flags;
}

unsigned halfcl_run(const halfcl_kernel *kernel, char *const *operands, const ptrdiff_t *steps,
                    size_t n, halfcl_rounding mode)
{
    if (n == 0)
        return 0;
    layout l = describe(kernel, operands, steps);
    bool all_direct = true;
    for (int i = 0; i < l.nargs; i++)
        all_direct &= l.direct[i];
    bool in_order = n > 1 && must_go_in_order(&l, operands, steps, n);

    halfcl_env env;
    halfcl_enter(&env, mode);
    unsigned flags;
    if (all_direct && !in_order)
        flags = kernel->loop((void *const *)operands, n, mode);
    else
        flags = run_blocks(kernel, &l, operands, steps, n, in_order ? 1 : BLOCK, mode);
    return flags | halfcl_leave(&env);
}

const uint16_t *halfcl_gather(uint16_t *to, const char *from, ptrdiff_t step, size_t n)
{
    if (is_direct(from, step, sizeof *to))
        return (const uint16_t *)from;
    copy_strided((char *)to, sizeof *to, from, step, sizeof *to, n);
    return to;
}

static unsigned fold_in_order(const halfcl_kernel *binary, uint16_t *accumulator,
                              const char *in, ptrdiff_t step, size_t n, halfcl_rounding mode)
{
    uint16_t element;
    void *const args[] = {accumulator, &element, accumulator};
    halfcl_loop *loop = binary->loop;
    unsigned flags = 0;
    for (size_t i = 0; i < n; i++, in += step) {
        memcpy(&element, in, sizeof element);
        flags |= loop(args, 1, mode);
    }
    return flags;
}

static unsigned fold_blocks(const halfcl_kernel *reduce, uint16_t *accumulator, const char *in,
                            ptrdiff_t step, size_t n, halfcl_rounding mode)
{
    uint16_t buffer[BLOCK];
    reduction all = {0};
    size_t block = is_direct(in, step, sizeof *buffer) ? n : BLOCK;
    unsigned flags = reduce->loop((void *[]){accumulator, &all, NULL}, 1, mode);
    for (size_t done = 0; done < n; done += block) {
        size_t count = n - done < block ? n - done : block;
        const uint16_t *elements =
            halfcl_gather(buffer, in + (ptrdiff_t)done * step, step, count);
        flags |= reduce->loop((void *[]){(void *)elements, &all, NULL}, count, mode);
    }
    return flags | reduce->loop((void *[]){NULL, &all, accumulator}, 0, mode);
}

unsigned halfcl_fold(const halfcl_kernel *binary, const halfcl_kernel *reduce,
                     uint16_t *accumulator, const char *in, ptrdiff_t step, size_t n,
                     halfcl_rounding mode)
{
    if (n == 0)
        return 0;
    halfcl_env env;
    halfcl_enter(&env, mode);
    unsigned flags = reduce ? fold_blocks(reduce, accumulator, in, step, n, mode)
                            : fold_in_order(binary, accumulator, in, step, n, mode);
    return flags | halfcl_leave(&env);
}

void halfcl_raise(unsigned flags)
{
    int excepts = 0;
    excepts |= flags & HALFCL_INVALID ? FE_INVALID : 0;
    excepts |= flags & HALFCL_DIVBYZERO ? FE_DIVBYZERO : 0;
    excepts |= flags & HALFCL_OVERFLOW ? FE_OVERFLOW : 0;
    excepts |= flags & HALFCL_UNDERFLOW ? FE_UNDERFLOW : 0;
    if (excepts)
        feraiseexcept(excepts);
}
