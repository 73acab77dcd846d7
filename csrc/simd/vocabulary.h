/* The vocabulary of the instruction set being compiled, and no more. */
#ifndef HALFCL_SIMD_VOCABULARY_H
#define HALFCL_SIMD_VOCABULARY_H

/* The files in targets/ name the header of their set. Without one it is the portable set, so
 * that every header can be read and compiled by itself. */
#ifndef HALFCL_VOCABULARY
#define HALFCL_VOCABULARY "simd/portable.h"
#endif

#include HALFCL_VOCABULARY

#endif
