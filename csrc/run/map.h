/* Declarations of maps that other drivers need. */
#ifndef HALFCL_RUN_MAP_H
#define HALFCL_RUN_MAP_H

#include "halfcl.h"

/* Returns whether elements can be computed in any order: no output overlaps another, or an
 * input except the element from which it is computed. n > 0. */
bool halfcl_are_independent(const halfcl_signature *signature, char *const *operands,
                            const ptrdiff_t *steps, size_t n);

#endif
