/* What other drivers need to know of maps. */
#ifndef HALFCL_RUN_MAP_H
#define HALFCL_RUN_MAP_H

#include "halfcl.h"

/* Whether elements can be computed in any order: no output touches another, or an input but
 * for the element that it is computed from. n > 0. */
bool halfcl_are_independent(const halfcl_signature *signature, char *const *operands,
                            const ptrdiff_t *steps, size_t n);

#endif
