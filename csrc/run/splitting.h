/* Splits calls over threads, if that is faster. */
#ifndef HALFCL_RUN_SPLITTING_H
#define HALFCL_RUN_SPLITTING_H

#include "run/limits.h"

/* Work on items that can be done in any order and at the same time. run processes count items
 * from first on, in the thread with this number, and returns the exceptions. */
typedef unsigned halfcl_run_items(void *work, size_t first, size_t count, int thread);

typedef struct {
    halfcl_run_items *run;
    void *work;
    size_t items;
    size_t weight; /* elements per item, about */
} halfcl_divisible;

/* Runs a call with at most so many threads. It processes some items first; their time decides
 * whether splitting the others pays. */
unsigned halfcl_run_divided(const halfcl_divisible *call, int threads);

/* For drivers that process their elements more than once: returns whether to split a call of so
 * many elements, given the number from which on that pays; and how many elements a part
 * gets. */
bool halfcl_may_split_from(size_t elements, size_t from);
size_t halfcl_stretch(size_t elements, int threads);

/* Returns whether the outer of two steps through memory exceeds the extent of count inner ones,
 * of elements of that size: no two elements overlap. */
bool halfcl_are_nested(ptrdiff_t inner, size_t count, ptrdiff_t outer, size_t size);

#endif
