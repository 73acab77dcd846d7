/* Exponentials and logarithms. */
#include "function.h"

static float logaddexp_slow(uint16_t x, uint16_t y, unsigned *flags)
{
    return halfcl_evaluate(dd_logaddexp, x, y, flags);
}

static float logaddexp2_slow(uint16_t x, uint16_t y, unsigned *flags)
{
    return halfcl_evaluate(dd_logaddexp2, x, y, flags);
}

TABLED(exp)
TABLED(exp2)
TABLED(exp10)
TABLED(expm1)
TABLED(log)
TABLED(log2)
TABLED(log10)
TABLED(log1p)
SLOW2(logaddexp, logaddexp_slow)
SLOW2(logaddexp2, logaddexp2_slow)

#define EXP_LOG_KERNELS                                                                        \
    {"exp", "e>e", exp_e}, {"exp2", "e>e", exp2_e}, {"exp10", "e>e", exp10_e},                 \
        {"expm1", "e>e", expm1_e}, {"log", "e>e", log_e}, {"log2", "e>e", log2_e},             \
        {"log10", "e>e", log10_e}, {"log1p", "e>e", log1p_e},                                  \
        {"logaddexp", "ee>e", logaddexp_ee}, {"logaddexp2", "ee>e", logaddexp2_ee},
