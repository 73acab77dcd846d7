/* The vectors that kernels are written in: the vocabulary (VOCABULARY.md) of the instruction
 * set being compiled, and what can be made of it. */
#ifndef HALFCL_SIMD_H
#define HALFCL_SIMD_H

#include "simd/derived.h"
#include "simd/fixes.h"
#include "simd/vocabulary.h"

#ifdef HALFCL_SIMD_DEVICE_H
#include "simd/device_fixes.h"
#endif

#endif
