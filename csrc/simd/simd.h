/* The vectors that kernels use: the vocabulary (VOCABULARY.md) of the instruction set being
 * compiled, and the operations derived from it. */
#ifndef HALFCL_SIMD_H
#define HALFCL_SIMD_H

#include "simd/derived.h"
#include "simd/fixes.h"
#include "simd/vocabulary.h"

#ifdef HALFCL_SIMD_DEVICE_H
#include "simd/device_fixes.h"
#endif

#endif
