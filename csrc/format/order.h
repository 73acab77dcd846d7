/* What brings halves into order, compiled for each instruction set. Of lines that stand side by
 * side: the first halves of all of them follow each other in memory, then all second ones. */
#ifndef HALFCL_ORDER_H
#define HALFCL_ORDER_H

#include "halfcl.h"

struct halfcl_order_tools {
    /* For each of count rows of n halves, one row after the other, the index of the first NaN
     * if there is one, else of the first extreme. n > 0. */
    void (*extremes_of_rows)(const uint16_t *rows, size_t n, size_t count, bool greatest,
                             ptrdiff_t *indices);
    /* The same for each of count lines side by side, of which the next halves are step further.
     * n is no more than 2^15. */
    void (*extremes_of_columns)(const uint16_t *first, size_t step, size_t n, size_t count,
                                bool greatest, ptrdiff_t *indices);
};

#endif
