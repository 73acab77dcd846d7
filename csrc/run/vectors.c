#include "run/vectors.h"

/* Returns whether all inputs have one width, which the kernel supports, and the output that
 * width, or one component. */
static bool widths_fit(const halfcl_kernel *kernel, const halfcl_vectors *operands)
{
    size_t width = operands[0].width, broadest = kernel->vectors.broadest;
    for (int i = 1; i < kernel->signature.nin; i++) {
        if (operands[i].width != width)
            return false;
    }
    return width >= kernel->vectors.narrowest && (broadest == 0 || width <= broadest) &&
           operands[kernel->signature.nin].width == (kernel->vectors.gives_vectors ? width : 1);
}

static bool takes(const halfcl_kernel *kernel, const halfcl_vectors *operands)
{
    return kernel && kernel->kind == HALFCL_VECTORS && widths_fit(kernel, operands);
}

bool halfcl_takes_halves(const halfcl_kernel *kernel, const halfcl_vectors *operands)
{
    if (!takes(kernel, operands))
        return false;
    for (int i = 0; i <= kernel->signature.nin; i++) {
        if (kernel->signature.types[i] != HALFCL_HALF)
            return false;
    }
    return true;
}

static bool are_nested(const halfcl_vectors *v, size_t n, size_t size)
{
    return halfcl_are_nested(v->component, v->width, v->step, size) ||
           halfcl_are_nested(v->step, n, v->component, size);
}

/* The memory of vectors: from the first byte to that after the last. */
typedef struct {
    ptrdiff_t low, high;
} span;

static span span_of(const halfcl_vectors *v, size_t n, size_t size)
{
    ptrdiff_t along = v->component * (ptrdiff_t)(v->width - 1);
    ptrdiff_t across = v->step * (ptrdiff_t)(n - 1), start = (ptrdiff_t)v->start;
    return (span){start + (along < 0 ? along : 0) + (across < 0 ? across : 0),
                  start + (along > 0 ? along : 0) + (across > 0 ? across : 0) +
                      (ptrdiff_t)size};
}

/* Returns whether no result overlaps a vector from which another one is computed. */
static bool are_apart(const halfcl_vectors *in, size_t in_size, const halfcl_vectors *out,
                      size_t out_size, size_t n)
{
    span from = span_of(in, n, in_size), to = span_of(out, n, out_size);
    if (from.high <= to.low || to.high <= from.low)
        return true;
    if (in->step != out->step)
        return false;
    from = span_of(in, 1, in_size), to = span_of(out, 1, out_size);
    ptrdiff_t both =
        (from.high > to.high ? from.high : to.high) - (from.low < to.low ? from.low : to.low);
    bool in_place = in->start == out->start && in_size == out_size &&
                    (out->width == 1 || in->component == out->component);
    return both <= (in->step < 0 ? -in->step : in->step) ||
           (in_place && are_nested(in, n, in_size));
}

bool halfcl_may_split_vectors(const halfcl_kernel *kernel, const halfcl_vectors *operands,
                              size_t n)
{
    int last = kernel->signature.nin;
    const halfcl_vectors *out = &operands[last];
    size_t width = operands[0].width;
    size_t size = halfcl_type_size((halfcl_type)kernel->signature.types[last]);
    if (width == 0 || !halfcl_may_split(n * width) || !are_nested(out, n, size))
        return false;
    for (int i = 0; i < last; i++) {
        size_t of_input = halfcl_type_size((halfcl_type)kernel->signature.types[i]);
        if (!are_apart(&operands[i], of_input, out, size, n))
            return false;
    }
    return true;
}

/* Runs in this thread. */
static unsigned run_whole(const halfcl_kernel *kernel, const halfcl_vectors *operands, size_t n,
                          halfcl_rounding mode)
{
    halfcl_env env;
    halfcl_enter(&env, mode);
    unsigned flags = kernel->vectors.map(operands, n, mode);
    return flags | halfcl_leave(&env);
}

typedef struct {
    const halfcl_kernel *kernel;
    const halfcl_vectors *operands;
    halfcl_rounding mode;
} call;

static unsigned run_some(void *work, size_t first, size_t count, int thread)
{
    const call *c = work;
    halfcl_vectors here[HALFCL_MAX_OPERANDS];
    (void)thread;
    halfcl_vectors_from(here, c->operands, c->kernel->signature.nin + 1, first);
    return run_whole(c->kernel, here, count, c->mode);
}

unsigned halfcl_run_vectors(const halfcl_kernel *kernel, const halfcl_vectors *operands,
                            size_t n, halfcl_rounding mode)
{
    if (!takes(kernel, operands))
        return HALFCL_MISUSE;
    size_t width = operands[0].width;
    call c = {kernel, operands, mode};
    if (halfcl_may_split_vectors(kernel, operands, n))
        return halfcl_run_divided(&(halfcl_divisible){run_some, &c, n, width},
                                  halfcl_get_threads());
    return run_whole(kernel, operands, n, mode);
}
