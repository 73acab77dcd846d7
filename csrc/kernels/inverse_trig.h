/* Arc sine, arc cosine and arc tangent, in radians and in half turns. */
#include "function.h"

static float atan2_slow(uint16_t y, uint16_t x, unsigned *flags)
{
    return halfcl_evaluate(dd_atan2, y, x, flags);
}

static float atan2pi_slow(uint16_t y, uint16_t x, unsigned *flags)
{
    return halfcl_evaluate(dd_atan2pi, y, x, flags);
}

TABLED(asin)
TABLED(acos)
TABLED(atan)
TABLED(asinpi)
TABLED(acospi)
TABLED(atanpi)
SLOW2(atan2, atan2_slow)
SLOW2(atan2pi, atan2pi_slow)

#define INVERSE_TRIG_KERNELS                                                                   \
    {"asin", "e>e", asin_e}, {"acos", "e>e", acos_e}, {"atan", "e>e", atan_e},                 \
        {"asinpi", "e>e", asinpi_e}, {"acospi", "e>e", acospi_e}, {"atanpi", "e>e", atanpi_e}, \
        {"atan2", "ee>e", atan2_ee}, {"atan2pi", "ee>e", atan2pi_ee},
