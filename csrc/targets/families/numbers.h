/* Numbers that are not halves: integers, floats and doubles, and elements of any type as their
 * bits. */
#ifndef HALFCL_BASE

#include "targets/family.h"

#include "kernels/numbers/arithmetic.h"
#include "kernels/numbers/convert.h"
#include "kernels/numbers/neighbours.h"
#include "kernels/numbers/normalized.h"
#include "kernels/numbers/special.h"
#include "kernels/numbers/words.h"

/* clang-format off */
HALFCL_FAMILY(numbers,
    ARITHMETIC_NUMBERS_KERNELS
    CONVERT_NUMBERS_KERNELS
    NEIGHBOURS_KERNELS
    NORMALIZED_KERNELS
    SPECIAL_NUMBERS_KERNELS
    WORDS_KERNELS)
/* clang-format on */

/* Copies of vectors, indexed by the binary logarithm of an element's size. */
extern halfcl_vector_map *const HALFCL_OF_TARGET(copies)[];
halfcl_vector_map *const HALFCL_OF_TARGET(copies)[] = {copy_uint8_t, copy_uint16_t,
                                                       copy_uint32_t, copy_uint64_t};

#endif
