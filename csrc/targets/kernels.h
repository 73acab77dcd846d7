/* All kernel families, for the one instruction set whose vocabulary was included
 * before. */
#include "../kernels/arithmetic.h"
#include "../kernels/convert.h"
#include "../kernels/division.h"
#include "../kernels/power.h"
#include "../kernels/reduce.h"
#include "../kernels/relational.h"
#include "../kernels/rounding.h"

/* clang-format off */
static const halfcl_kernel kernel_table[] = {
    ARITHMETIC_KERNELS
    CONVERT_KERNELS
    DIVISION_KERNELS
    POWER_KERNELS
    REDUCE_KERNELS
    RELATIONAL_KERNELS
    ROUNDING_KERNELS
};
/* clang-format on */

#define KERNELS_NAMED(name) {name, kernel_table, sizeof kernel_table / sizeof *kernel_table}
