#include "run/map.h"

#include "env/env.h"
#include "format/strided.h"
#include "run/splitting.h"

#include <stddef.h>
#include <string.h>

enum { BLOCK = HALFCL_BLOCK, MAX_SIZE = 8 };

/* Returns 0 if a function of one or two halves can use its operands in place: contiguous and
 * aligned, the output apart from each input or identical to it. The functions below find that,
 * too; for few elements they take longer than this, which has no branch to predict. */

static inline uintptr_t needs_buffer(const char *operand, ptrdiff_t step, size_t n)
{
    const ptrdiff_t size = sizeof(uint16_t);
    return (uintptr_t)(n == 1 ? 0 : step ^ size) |
           ((uintptr_t)operand & (sizeof(uint16_t) - 1));
}

static inline bool are_touching(const char *in, const char *out, size_t n)
{
    uintptr_t after = (uintptr_t)out - (uintptr_t)in, before = -after;
    return (after < before ? after : before) - 1 < n * sizeof(uint16_t) - 1; /* false for 0 */
}

/* Returns whether a conversion can use its operands in place: elements of two sizes, apart from
 * each other. */
static inline bool is_plain_conversion(const halfcl_kernel *kernel, char *const *operands,
                                       const ptrdiff_t *steps, size_t n)
{
    if (kernel->signature.nin != 1 || kernel->signature.nout != 1)
        return false;
    size_t from = halfcl_type_size(kernel->signature.types[0]);
    size_t to = halfcl_type_size(kernel->signature.types[1]);
    uintptr_t in = (uintptr_t)operands[0], out = (uintptr_t)operands[1];
    return steps[0] == (ptrdiff_t)from && steps[1] == (ptrdiff_t)to && in % from == 0 &&
           out % to == 0 && (in + n * from <= out || out + n * to <= in);
}

static inline bool is_plain(const halfcl_kernel *kernel, char *const *operands,
                            const ptrdiff_t *steps, size_t n)
{
    static const halfcl_signature unary = HALFCL_HALVES(1, 1), binary = HALFCL_HALVES(2, 1);
    if (memcmp(&kernel->signature, &unary, sizeof unary) &&
        memcmp(&kernel->signature, &binary, sizeof binary))
        return is_plain_conversion(kernel, operands, steps, n);
    int out = kernel->signature.nin, last = out - 1;
    uintptr_t strange = needs_buffer(operands[0], steps[0], n) |
                        needs_buffer(operands[last], steps[last], n) |
                        needs_buffer(operands[out], steps[out], n);
    return !(strange | are_touching(operands[0], operands[out], n) |
             are_touching(operands[last], operands[out], n));
}

/* The layout of one call's operands. */
typedef struct {
    int nin, nargs;
    size_t size[HALFCL_MAX_OPERANDS];
    bool direct[HALFCL_MAX_OPERANDS];   /* no buffer needed */
    bool constant[HALFCL_MAX_OPERANDS]; /* one element for all, which no output changes */
    bool ordered; /* operands overlap, so that elements must be computed in order */
} layout;

static void describe(layout *l, const halfcl_signature *signature, char *const *operands,
                     const ptrdiff_t *steps, size_t n)
{
    l->nin = signature->nin;
    l->nargs = signature->nin + signature->nout;
    l->ordered = false;
    for (int i = 0; i < l->nargs; i++) {
        l->size[i] = halfcl_type_size((halfcl_type)signature->types[i]);
        ptrdiff_t step = n == 1 ? (ptrdiff_t)l->size[i]
                                : steps[i]; /* the step of one element has no meaning */
        l->direct[i] = halfcl_is_direct(operands[i], step, l->size[i]);
        l->constant[i] = i < l->nin && step == 0;
    }
}

/* The position of an output relative to an input: the bytes from the input's first element to
 * the output's. */
typedef struct {
    ptrdiff_t distance, in_step, out_step, in_size, out_size;
} pair;

/* Returns whether one ends before the other begins. */
static bool are_apart(const pair *p, size_t n)
{
    ptrdiff_t in_reach = p->in_step * (ptrdiff_t)(n - 1);
    ptrdiff_t out_reach = p->out_step * (ptrdiff_t)(n - 1);
    ptrdiff_t in_low = in_reach < 0 ? in_reach : 0, in_high = in_reach < 0 ? 0 : in_reach;
    ptrdiff_t out_low = out_reach < 0 ? out_reach : 0, out_high = out_reach < 0 ? 0 : out_reach;
    return p->distance + out_low >= in_high + p->in_size ||
           p->distance + out_high + p->out_size <= in_low;
}

/* Rounded down; d > 0. */
static ptrdiff_t floor_quotient(ptrdiff_t x, ptrdiff_t d)
{
    return x / d - (x % d < 0);
}

static ptrdiff_t common_divisor(ptrdiff_t a, ptrdiff_t b)
{
    while (b != 0) {
        ptrdiff_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

/* Returns whether no element of one overlaps one of the other, however many there are: both
 * repeat a pattern with the greatest common divisor of their steps. */
static bool are_interleaved(const pair *p)
{
    ptrdiff_t period = common_divisor(p->in_step, p->out_step);
    if (period == 0)
        return false;
    ptrdiff_t offset = p->distance - period * floor_quotient(p->distance, period);
    return offset >= p->in_size && period - offset >= p->out_size;
}

/* With one step for both, element i of the input and element j of the output overlap if i - j
 * is from first to last: if -out_size < distance - (i - j) * step < in_size. */
static void find_touching(const pair *p, ptrdiff_t *first, ptrdiff_t *last)
{
    ptrdiff_t step = p->in_step < 0 ? -p->in_step : p->in_step;
    *first = floor_quotient(p->distance - p->in_size, step) + 1;
    *last = -floor_quotient(-p->distance - p->out_size, step) - 1;
    if (p->in_step < 0) {
        ptrdiff_t swap = -*first;
        *first = -*last;
        *last = swap;
    }
}

/* Returns how many elements can be computed before any of them is written, for an output and an
 * input that overlap: at most the distance of the two. */
static size_t elements_ahead(const pair *p, size_t n)
{
    ptrdiff_t first, last;
    if (p->in_step != p->out_step || p->in_step == 0)
        return 1;
    find_touching(p, &first, &last);
    first = first > 1 ? first : 1;
    return first <= last && first < (ptrdiff_t)n ? (size_t)first : n;
}

/* Returns whether each output element is the input element from which it is computed, and
 * overlaps no others. */
static bool are_same(const pair *p)
{
    return p->distance == 0 && p->in_step == p->out_step && p->in_size >= p->out_size &&
           (p->in_step >= p->in_size || -p->in_step >= p->in_size);
}

/* Returns how many elements can be computed at a time. The result must be as if each element
 * were read, computed and written before the next one: NumPy's accumulate makes each output the
 * next input. An output that overlaps an input gets a buffer, so that a block is read before it
 * is written. */
static size_t find_block(layout *l, char *const *operands, const ptrdiff_t *steps, size_t n)
{
    size_t block = n;
    for (int out = l->nin; out < l->nargs; out++) {
        for (int other = 0; other < out; other++) {
            const pair p = {(ptrdiff_t)((uintptr_t)operands[out] - (uintptr_t)operands[other]),
                            steps[other], steps[out], (ptrdiff_t)l->size[other],
                            (ptrdiff_t)l->size[out]};
            bool is_input = other < l->nin;
            if (are_apart(&p, n) || (is_input && are_same(&p)) || are_interleaved(&p))
                continue;
            size_t ahead = is_input ? elements_ahead(&p, n) : 1;
            block = ahead < block ? ahead : block;
            l->ordered = true;
            l->direct[out] = l->constant[other] = false;
        }
    }
    return block;
}

bool halfcl_are_independent(const halfcl_signature *signature, char *const *operands,
                            const ptrdiff_t *steps, size_t n)
{
    layout l;
    describe(&l, signature, operands, steps, n);
    find_block(&l, operands, steps, n);
    for (int i = l.nin; i < l.nargs; i++)
        l.ordered |=
            n > 1 && steps[i] < (ptrdiff_t)l.size[i] && -steps[i] < (ptrdiff_t)l.size[i];
    return !l.ordered;
}

/* Runs the kernel block by block, with a buffer for each operand that needs one. */
static unsigned run_blocks(halfcl_map *map, const layout *l, char *const *operands,
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
            /* A constant is broadcast once and serves every block. */
            if (i < l->nin && !l->direct[i] && !(l->constant[i] && done))
                halfcl_copy_strided(buffer[i], (ptrdiff_t)l->size[i], here, steps[i],
                                    l->size[i], count);
        }
        flags |= map(args, count, mode);
        for (int i = l->nin; i < l->nargs; i++) {
            if (!l->direct[i])
                halfcl_copy_strided(operands[i] + steps[i] * (ptrdiff_t)done, steps[i],
                                    buffer[i], (ptrdiff_t)l->size[i], l->size[i], count);
        }
    }
    return flags;
}

/* Runs between enter and leave. */
static unsigned run_entered(const halfcl_kernel *kernel, char *const *operands,
                            const ptrdiff_t *steps, size_t n, halfcl_rounding mode)
{
    layout l;
    describe(&l, &kernel->signature, operands, steps, n);
    size_t block = find_block(&l, operands, steps, n);
    bool all_direct = block == n;
    for (int i = 0; i < l.nargs; i++)
        all_direct &= l.direct[i];
    if (all_direct)
        return kernel->map((void *const *)operands, n, mode);
    return run_blocks(kernel->map, &l, operands, steps, n, block < BLOCK ? block : BLOCK, mode);
}

/* Runs in this thread. n > 0. */
static inline unsigned run_whole(const halfcl_kernel *kernel, char *const *operands,
                                 const ptrdiff_t *steps, size_t n, halfcl_rounding mode)
{
    halfcl_env env;
    halfcl_enter(&env, mode);
    unsigned flags = is_plain(kernel, operands, steps, n)
                         ? kernel->map((void *const *)operands, n, mode)
                         : run_entered(kernel, operands, steps, n, mode);
    flags |= halfcl_leave(&env);
    return kernel->quiet ? 0 : flags;
}

typedef struct {
    const halfcl_kernel *kernel;
    char *const *operands;
    const ptrdiff_t *steps;
    halfcl_rounding mode;
} call;

static unsigned run_elements(void *work, size_t first, size_t count, int thread)
{
    const call *c = work;
    char *here[HALFCL_MAX_OPERANDS];
    (void)thread;
    for (int i = 0; i < c->kernel->signature.nin + c->kernel->signature.nout; i++)
        here[i] = c->operands[i] + c->steps[i] * (ptrdiff_t)first;
    return run_whole(c->kernel, here, c->steps, count, c->mode);
}

/* Many elements, or none. */
static __attribute__((noinline)) unsigned run_unusual(const halfcl_kernel *kernel,
                                                      char *const *operands,
                                                      const ptrdiff_t *steps, size_t n,
                                                      halfcl_rounding mode)
{
    call c = {kernel, operands, steps, mode};
    if (n == 0)
        return 0;
    if (!halfcl_are_independent(&kernel->signature, operands, steps, n))
        return run_whole(kernel, operands, steps, n, mode);
    return halfcl_run_divided(&(halfcl_divisible){run_elements, &c, n, 1},
                              halfcl_get_threads());
}

unsigned halfcl_run(const halfcl_kernel *kernel, char *const *operands, const ptrdiff_t *steps,
                    size_t n, halfcl_rounding mode)
{
    if (!kernel || kernel->kind != HALFCL_MAP)
        return HALFCL_MISUSE;
    if (halfcl_is_unusual(n))
        return run_unusual(kernel, operands, steps, n, mode);
    return run_whole(kernel, operands, steps, n, mode);
}

/* The rare paths of the driver below, in separate functions, so that the usual path saves few
 * registers. */

static __attribute__((noinline)) unsigned raise_wanted(unsigned flags, unsigned wanted)
{
    if (~wanted & HALFCL_EXCEPTIONS)
        halfcl_forget(~wanted);
    if (flags & wanted)
        halfcl_raise(flags & wanted);
    return 0;
}

static __attribute__((noinline)) unsigned run_and_raise(const halfcl_kernel *kernel,
                                                        char *const *operands,
                                                        const ptrdiff_t *steps, size_t n,
                                                        halfcl_rounding mode, unsigned wanted)
{
    unsigned flags = halfcl_run(kernel, operands, steps, n, mode);
    if (flags & wanted)
        halfcl_raise(flags & wanted);
    return flags & HALFCL_MISUSE;
}

unsigned halfcl_run_raising(const halfcl_kernel *kernel, char *const *operands,
                            const ptrdiff_t *steps, size_t n, halfcl_rounding mode,
                            unsigned wanted)
{
    if (!kernel || kernel->kind != HALFCL_MAP || kernel->quiet || halfcl_is_unusual(n) ||
        !halfcl_is_entered(mode) || !is_plain(kernel, operands, steps, n))
        return run_and_raise(kernel, operands, steps, n, mode, wanted);
    unsigned flags = kernel->map((void *const *)operands, n, mode);
    return flags | (~wanted & HALFCL_EXCEPTIONS) ? raise_wanted(flags, wanted) : 0;
}
