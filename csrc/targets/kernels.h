/* The kernel families of the instruction set that is being compiled: all of them, or, of a set
 * that leaves the rest to its base, those that calculate with halves as they are. */
#ifndef HALFCL_KERNELS_H
#define HALFCL_KERNELS_H

#include "kernels/arithmetic.h"
#include "kernels/common.h"
#include "kernels/convert.h"
#include "kernels/decomposition.h"
#include "kernels/extrema.h"
#include "kernels/modes.h"
#include "kernels/relational.h"
#include "kernels/rounding.h"
#include "kernels/rows.h"

#ifndef HALFCL_BASE
#include "kernels/arithmetic_numbers.h"
#include "kernels/convert_numbers.h"
#include "kernels/division.h"
#include "kernels/exp_log.h"
#include "kernels/gamma_erf.h"
#include "kernels/geometric.h"
#include "kernels/hyperbolic.h"
#include "kernels/images.h"
#include "kernels/interval_functions.h"
#include "kernels/intervals.h"
#include "kernels/inverse_trig.h"
#include "kernels/matrix.h"
#include "kernels/neighbours.h"
#include "kernels/normalized.h"
#include "kernels/power.h"
#include "kernels/product.h"
#include "kernels/reduce.h"
#include "kernels/remainder.h"
#include "kernels/roots.h"
#include "kernels/scan.h"
#include "kernels/special_numbers.h"
#include "kernels/trig.h"
#include "kernels/words.h"
#endif

/* clang-format off */
#ifdef HALFCL_BASE
static const halfcl_kernel kernel_table[] = {
    ARITHMETIC_KERNELS
    COMMON_KERNELS
    CONVERT_KERNELS
    DECOMPOSITION_KERNELS
    EXTREMA_KERNELS
    RELATIONAL_KERNELS
    ROUNDING_KERNELS
};
#define HALFCL_COPIES NULL
#else
static const halfcl_kernel kernel_table[] = {
    ARITHMETIC_KERNELS
    ARITHMETIC_NUMBERS_KERNELS
    COMMON_KERNELS
    CONVERT_KERNELS
    CONVERT_NUMBERS_KERNELS
    DECOMPOSITION_KERNELS
    DIVISION_KERNELS
    EXP_LOG_KERNELS
    EXTREMA_KERNELS
    GAMMA_ERF_KERNELS
    GEOMETRIC_KERNELS
    HYPERBOLIC_KERNELS
    IMAGE_KERNELS
    INTERVAL_KERNELS
    INTERVAL_FUNCTION_KERNELS
    INVERSE_TRIG_KERNELS
    NEIGHBOUR_KERNELS
    NORMALIZED_KERNELS
    POWER_KERNELS
    PRODUCT_KERNELS
    REDUCE_KERNELS
    RELATIONAL_KERNELS
    ROOT_KERNELS
    REMAINDER_KERNELS
    ROUNDING_KERNELS
    SCAN_KERNELS
    SUM_KERNELS
    SPECIAL_NUMBERS_KERNELS
    TRIG_KERNELS
    WORDS_KERNELS
};
#define HALFCL_BASE NULL
#define HALFCL_COPIES word_copies
#endif
/* clang-format on */

#define KERNELS_NAMED(name)                                                                    \
    {name,        kernel_table,  sizeof kernel_table / sizeof *kernel_table,                   \
     &mode_tools, HALFCL_COPIES, HALFCL_BASE}

#ifdef HALFCL_TARGET
#define HALFCL_ISA_OF(target) const halfcl_isa halfcl_##target = KERNELS_NAMED(#target);
#define HALFCL_DEFINE_ISA(target) HALFCL_ISA_OF(target)
HALFCL_DEFINE_ISA(HALFCL_TARGET)
#endif

#endif
