/* The vocabulary (VOCABULARY.md) for x86-64 with AVX2, FMA and F16C. */
#ifndef HALFCL_SIMD_AVX2_H
#define HALFCL_SIMD_AVX2_H

#include "simd/avx2_floats.h"
#include "simd/avx2_formats.h"
#include "simd/avx2_words.h"

#endif
