/* The functions of the math table. */
#ifndef HALFCL_BASE

#include "targets/family.h"

#include "kernels/division.h"
#include "kernels/exp_log.h"
#include "kernels/gamma_erf.h"
#include "kernels/hyperbolic.h"
#include "kernels/inverse_trig.h"
#include "kernels/neighbours.h"
#include "kernels/power.h"
#include "kernels/remainder.h"
#include "kernels/roots.h"
#include "kernels/trig.h"

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
