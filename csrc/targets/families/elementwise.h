/* Arithmetic, comparisons, conversions and other maps of single halves. */
#include "targets/family.h"

#include "kernels/elementwise/arithmetic.h"
#include "kernels/elementwise/at.h"
#include "kernels/elementwise/common.h"
#include "kernels/elementwise/convert.h"
#include "kernels/elementwise/decimals.h"
#include "kernels/elementwise/decomposition.h"
#include "kernels/elementwise/extrema.h"
#include "kernels/elementwise/interpolation.h"
#include "kernels/elementwise/relational.h"
#include "kernels/elementwise/rounding.h"

/* clang-format off */
HALFCL_FAMILY(elementwise,
    ARITHMETIC_KERNELS
    AT_KERNELS
    COMMON_KERNELS
    CONVERT_KERNELS
    DECIMALS_KERNELS
    DECOMPOSITION_KERNELS
    EXTREMA_KERNELS
    INTERPOLATION_KERNELS
    RELATIONAL_KERNELS
    ROUNDING_KERNELS)
/* clang-format on */
