/* Detects the features of an x86-64 processor. */
#include "env/env.h"

#ifdef HALFCL_X86

#include <cpuid.h>
#include <stdatomic.h>

enum { F16C, AVX2, FMA, AVX512F, AVX512BW, AVX512DQ, AVX512VL, AVX512FP16, FEATURES };

static const char *const feature_names[FEATURES] = {
    "f16c", "avx2", "fma", "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512fp16",
};

/* Returns the features as bits. CPUID leaf 1, ECX: bit 29 is F16C; leaf 7, EDX: bit 23 is
 * AVX512-FP16. Compilers differ in whether __builtin_cpu_supports, which respects what the
 * operating system saves, supports these two; the system saves their registers if it saves
 * those of AVX and AVX-512. */
static unsigned detect(void)
{
    unsigned a, b, c = 0, d = 0, bits = 0;
    __builtin_cpu_init();
#define FEATURE(bit, name) bits |= (unsigned)!!__builtin_cpu_supports(name) << bit;
    FEATURE(AVX2, "avx2")
    FEATURE(FMA, "fma")
    FEATURE(AVX512F, "avx512f")
    FEATURE(AVX512BW, "avx512bw")
    FEATURE(AVX512DQ, "avx512dq")
    FEATURE(AVX512VL, "avx512vl")
#undef FEATURE
    if (__builtin_cpu_supports("avx") && __get_cpuid(1, &a, &b, &c, &d))
        bits |= (c >> 29 & 1) << F16C;
    if (__builtin_cpu_supports("avx512f") && __get_cpuid_count(7, 0, &a, &b, &c, &d))
        bits |= (d >> 23 & 1) << AVX512FP16;
    return bits;
}

/* The result is cached: CPUID is slow in virtual machines. */
static unsigned features(void)
{
    static atomic_uint cached;
    const unsigned is_cached = 1u << 31;
    unsigned bits = atomic_load(&cached);
    if (!bits) {
        bits = detect() | is_cached;
        atomic_store(&cached, bits);
    }
    return bits;
}

const char *halfcl_cpu_feature(size_t index)
{
    for (unsigned k = 0; k < FEATURES; ++k) {
        if (features() >> k & 1 && index-- == 0)
            return feature_names[k];
    }
    return NULL;
}

#endif
