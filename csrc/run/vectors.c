#include "run/vectors.h"

/* Inputs of one width that the kernel takes; an output of that width, or of one component. */
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

bool halfcl_may_split_vectors(const halfcl_kernel *kernel, const halfcl_vectors *operands,
                              size_t n)
{
    int last = kernel->signature.nin;
    const halfcl_vectors *out = &operands[last];
    size_t width = operands[0].width;
    size_t size = halfcl_type_size((halfcl_type)kernel->signature.types[last]);
    return width > 0 && halfcl_may_split(n * width) &&
           (halfcl_are_nested(out->component, out->width, out->step, size) ||
            halfcl_are_nested(out->step, n, out->component, size));
}

/* By this thread. */
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
    if (!kernel || kernel->kind != HALFCL_VECTORS || !widths_fit(kernel, operands))
        return HALFCL_MISUSE;
    size_t width = operands[0].width;
    call c = {kernel, operands, mode};
    if (halfcl_may_split_vectors(kernel, operands, n))
        return halfcl_run_divided(&(halfcl_divisible){run_some, &c, n, width},
                                  halfcl_get_threads());
    return run_whole(kernel, operands, n, mode);
}
