/* The functions of the math table. */
#ifndef HALFCL_BASE

#include "targets/family.h"

#include "kernels/functions/division.h"
#include "kernels/functions/exp_log.h"
#include "kernels/functions/gamma_erf.h"
#include "kernels/functions/hyperbolic.h"
#include "kernels/functions/inverse_trig.h"
#include "kernels/functions/neighbours.h"
#include "kernels/functions/power.h"
#include "kernels/functions/remainder.h"
#include "kernels/functions/roots.h"
#include "kernels/functions/trig.h"

/* clang-format off */
HALFCL_FAMILY(functions,
    DIVISION_KERNELS
    EXP_LOG_KERNELS
    GAMMA_ERF_KERNELS
    HYPERBOLIC_KERNELS
    INVERSE_TRIG_KERNELS
    NEIGHBOUR_KERNELS
    POWER_KERNELS
    REMAINDER_KERNELS
    ROOT_KERNELS
    TRIG_KERNELS)
/* clang-format on */

#endif
