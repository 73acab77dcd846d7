/* The vocabulary (VOCABULARY.md) for 64-bit Arm with arithmetic on halves, FEAT_FP16. */
#ifndef HALFCL_SIMD_NEON_FP16_H
#define HALFCL_SIMD_NEON_FP16_H

#include "simd/neon_floats.h"
#include "simd/neon_formats.h"
#include "simd/neon_halves.h"

#endif
