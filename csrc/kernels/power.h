/* Powers, by the C library in double precision. */
#include <math.h>

#include "map.h"

static uint16_t power_of(uint16_t base, uint16_t exponent, unsigned *flags)
{
    double x = halfcl_to_float(base), y = halfcl_to_float(exponent);
    double result = pow(x, y);
    if (isfinite(x) && isfinite(y) && x != 0) {
        if (isinf(result))
            *flags |= HALFCL_OVERFLOW;
        if (result == 0)
            *flags |= HALFCL_UNDERFLOW;
    }
    return halfcl_from_double(result, HALFCL_RTE, flags);
}

static unsigned power(void *const *args, size_t n, halfcl_rounding mode)
{
    const uint16_t *a = args[0], *b = args[1];
    uint16_t *out = args[2];
    unsigned flags = 0;
    (void)mode;
    for (size_t i = 0; i < n; ++i)
        out[i] = power_of(a[i], b[i], &flags);
    return flags;
}

#define POWER_KERNELS {"power", "ee>e", power},
