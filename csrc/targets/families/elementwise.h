/* Arithmetic, comparisons, conversions and what else takes halves one by one. */
#include "targets/family.h"

#include "kernels/arithmetic.h"
#include "kernels/common.h"
#include "kernels/convert.h"
#include "kernels/decomposition.h"
#include "kernels/extrema.h"
#include "kernels/relational.h"
#include "kernels/rounding.h"

/* clang-format off */
HALFCL_FAMILY(elementwise,
    ARITHMETIC_KERNELS
    COMMON_KERNELS
    CONVERT_KERNELS
    DECOMPOSITION_KERNELS
    EXTREMA_KERNELS
    RELATIONAL_KERNELS
    ROUNDING_KERNELS)
/* clang-format on */
