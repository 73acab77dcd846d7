/* Sorting of many halves by counting them; see sort.h. */
#ifndef HALFCL_RUN_COUNTING_SORT_H
#define HALFCL_RUN_COUNTING_SORT_H

#include "halfcl.h"

int halfcl_counting_sort(uint16_t *values, size_t n);
int halfcl_counting_argsort(const uint16_t *values, ptrdiff_t *order, size_t n);

#endif
