#include "geometric.h"

unsigned halfcl_geometric(const halfcl_kernel *kernel, const halfcl_vectors *operands, size_t n,
                          halfcl_rounding mode)
{
    halfcl_env env;
    halfcl_enter(&env, mode);
    unsigned flags = kernel->loop((void *[]){(void *)operands}, n, mode);
    return flags | halfcl_leave(&env);
}
