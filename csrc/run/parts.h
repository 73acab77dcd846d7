/* Splitting a call over threads, where that pays. */
#ifndef HALFCL_RUN_PARTS_H
#define HALFCL_RUN_PARTS_H

#include "run/limits.h"

/* Work on items that can be done in any order and at the same time. run does those from first
 * on, by a thread that has this number, and returns the exceptions. */
typedef unsigned halfcl_run_items(void *work, size_t first, size_t count, int thread);

typedef struct {
    halfcl_run_items *run;
    void *work;
    size_t items;
    size_t weight; /* elements an item, about */
} halfcl_divisible;

/* By at most so many threads. First some items are done, and their time says whether the others
 * are worth splitting. */
unsigned halfcl_run_divided(const halfcl_divisible *call, int threads);

/* For what goes over its elements more than once: whether a call of so many may be split, if
 * that pays from so many on; and how many a part of it gets. */
bool halfcl_may_split_from(size_t elements, size_t from);
size_t halfcl_stretch(size_t elements, int threads);

/* Whether of two steps through memory the outer one is beyond all that count inner ones reach,
 * of elements of that size: no two of them touch. */
bool halfcl_are_nested(ptrdiff_t inner, size_t count, ptrdiff_t outer, size_t size);

#endif
