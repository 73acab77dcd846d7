/* The gamma and error functions. */
#include "function.h"

TABLED(erf)
TABLED(erfc)
TABLED(tgamma)
TABLED(lgamma)

/* The sign of gamma(x): 0 where it has none, at its poles; of -inf and NaN, 1. */
ALWAYS_INLINE int32_t gamma_sign(uint16_t half)
{
    float x = halfcl_to_float(half), below = floorf(x);
    if (isnan(x) || isinf(x) || x > 0) /* in this order: comparing a NaN raises invalid */
        return 1;
    if (x == below)
        return 0;
    return (int32_t)below % 2 == 0 ? 1 : -1;
}

static unsigned lgamma_r_e(void *const *args, size_t n, halfcl_rounding mode)
{
    const uint16_t *a = args[0];
    uint16_t *out = args[1];
    int32_t *signs = args[2];
    uint16_t x[FUNCTION_BLOCK];
    unsigned flags = 0;
    for (size_t done = 0; done < n; done += FUNCTION_BLOCK) {
        size_t count = n - done < FUNCTION_BLOCK ? n - done : FUNCTION_BLOCK;
        memcpy(x, a + done, count * sizeof *a); /* the first output may be the input */
        flags |= lgamma_e((void *[]){x, out + done}, count, mode);
        for (size_t k = 0; k < count; k++)
            signs[done + k] = gamma_sign(x[k]);
    }
    return flags;
}

#define GAMMA_ERF_KERNELS                                                                      \
    {"erf", "e>e", erf_e}, {"erfc", "e>e", erfc_e}, {"tgamma", "e>e", tgamma_e},               \
        {"lgamma", "e>e", lgamma_e}, {"lgamma_r", "e>ei", lgamma_r_e},
