/* The vocabulary (VOCABULARY.md) for x86-64 with AVX-512 F, BW, DQ and VL. */
#ifndef HALFCL_SIMD_AVX512_H
#define HALFCL_SIMD_AVX512_H

#include "simd/avx512_floats.h"
#include "simd/avx512_formats.h"
#include "simd/avx512_words.h"

#define HAVE_HALVES 0
#define HAVE_QUIET_HALVES 0
#define HAVE_HALF_DIVISION 0

#endif
