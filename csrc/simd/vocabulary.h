/* The vocabulary of the instruction set being compiled, and nothing else. */
#ifndef HALFCL_SIMD_VOCABULARY_H
#define HALFCL_SIMD_VOCABULARY_H

/* The files in targets/ define the header of their set. The default is the portable set, so
 * that every header can be read and compiled by itself. */
#ifndef HALFCL_VOCABULARY
#define HALFCL_VOCABULARY "simd/portable.h"
#endif

#include HALFCL_VOCABULARY

#endif
