/* Sums, products, running sums and matrix products. */
#ifndef HALFCL_BASE

#include "targets/family.h"

#include "kernels/folds/differences.h"
#include "kernels/folds/product.h"
#include "kernels/folds/reduce.h"
#include "kernels/folds/scan_lines.h"
#include "kernels/vectors/matrix_product.h"

/* clang-format off */
HALFCL_FAMILY(folds,
    COUNT_KERNELS
    DIFFERENCES_KERNELS
    PRODUCT_KERNELS
    REDUCE_KERNELS
    SCAN_KERNELS
    SUM_KERNELS)
/* clang-format on */

#endif
