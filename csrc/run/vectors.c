#include "halfcl.h"

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

unsigned halfcl_run_vectors(const halfcl_kernel *kernel, const halfcl_vectors *operands,
                            size_t n, halfcl_rounding mode)
{
    if (!kernel || kernel->kind != HALFCL_VECTORS || !widths_fit(kernel, operands))
        return HALFCL_MISUSE;
    halfcl_env env;
    halfcl_enter(&env, mode);
    unsigned flags = kernel->vectors.map(operands, n, mode);
    return flags | halfcl_leave(&env);
}
