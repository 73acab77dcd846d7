/* The vocabulary (VOCABULARY.md) for x86-64 with AVX-512 F, BW, DQ, VL and FP16. */
#ifndef HALFCL_SIMD_AVX512FP16_H
#define HALFCL_SIMD_AVX512FP16_H

#include "simd/avx512_floats.h"
#include "simd/avx512_formats.h"
#include "simd/avx512_halves.h"

#endif
