/* Sums, products, running sums and matrix products. */
#ifndef HALFCL_BASE

#include "targets/family.h"

#include "kernels/matrix.h"
#include "kernels/product.h"
#include "kernels/reduce.h"
#include "kernels/scan.h"

/* clang-format off */
HALFCL_FAMILY(folds,
    PRODUCT_KERNELS
    REDUCE_KERNELS
    SCAN_KERNELS
    SUM_KERNELS)
/* clang-format on */

#endif
