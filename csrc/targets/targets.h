/* Which instruction sets are compiled in. */
#ifndef HALFCL_TARGETS_H
#define HALFCL_TARGETS_H

#include "../halfcl.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define HALFCL_X86 1
#endif

extern const halfcl_isa halfcl_portable;
#ifdef HALFCL_X86
extern const halfcl_isa halfcl_avx2, halfcl_avx512;
#endif

#endif
