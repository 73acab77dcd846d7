/* The vocabulary (VOCABULARY.md) for any processor, in the vector types of GCC and Clang. */
#ifndef HALFCL_SIMD_PORTABLE_H
#define HALFCL_SIMD_PORTABLE_H

#include "simd/portable_floats.h"
#include "simd/portable_formats.h"
#include "simd/portable_words.h"

#endif
