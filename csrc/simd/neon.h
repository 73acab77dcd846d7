/* The vocabulary (VOCABULARY.md) for 64-bit Arm: Advanced SIMD, which all of them have. */
#ifndef HALFCL_SIMD_NEON_H
#define HALFCL_SIMD_NEON_H

#include "simd/neon_floats.h"
#include "simd/neon_formats.h"
#include "simd/neon_words.h"

#define HAVE_HALVES 0
#define HAVE_QUIET_HALVES 0
#define HAVE_HALF_DIVISION 0

#endif
