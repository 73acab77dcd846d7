/* What this processor can run, and the floating-point environment to run it in. */
#include <stdbool.h>
#include <string.h>

#include "targets/targets.h"

#ifdef HALFCL_X86

#include <cpuid.h>
#include <immintrin.h>
#include <stdatomic.h>

enum { F16C, AVX2, FMA, AVX512F, AVX512BW, AVX512DQ, AVX512VL, AVX512FP16, FEATURES };

static const char *const feature_names[FEATURES] = {
    "f16c", "avx2", "fma", "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512fp16",
};

/* The features as bits. CPUID leaf 1, ECX: bit 29 is F16C; leaf 7, EDX: bit 23 is
 * AVX512-FP16. Compilers differ in whether __builtin_cpu_supports, which minds what the
 * operating system saves, knows these two; the system saves their registers if it
 * saves those of AVX and AVX-512. */
static unsigned detect(void)
{
    unsigned a, b, c = 0, d = 0, found = 0;
    __builtin_cpu_init();
#define FEATURE(bit, name) found |= (unsigned)!!__builtin_cpu_supports(name) << bit;
    FEATURE(AVX2, "avx2")
    FEATURE(FMA, "fma")
    FEATURE(AVX512F, "avx512f")
    FEATURE(AVX512BW, "avx512bw")
    FEATURE(AVX512DQ, "avx512dq")
    FEATURE(AVX512VL, "avx512vl")
#undef FEATURE
    if (__builtin_cpu_supports("avx") && __get_cpuid(1, &a, &b, &c, &d))
        found |= (c >> 29 & 1) << F16C;
    if (__builtin_cpu_supports("avx512f") && __get_cpuid_count(7, 0, &a, &b, &c, &d))
        found |= (d >> 23 & 1) << AVX512FP16;
    return found;
}

/* Asked once: virtual machines take long to answer CPUID. */
static unsigned features(void)
{
    static atomic_uint known;
    const unsigned asked = 1u << 31;
    unsigned found = atomic_load(&known);
    if (!found) {
        found = detect() | asked;
        atomic_store(&known, found);
    }
    return found;
}

static bool has_all(unsigned needed)
{
    return (features() & needed) == needed;
}

const char *halfcl_cpu_feature(size_t index)
{
    for (unsigned k = 0; k < FEATURES; ++k) {
        if (features() >> k & 1 && index-- == 0)
            return feature_names[k];
    }
    return NULL;
}

const halfcl_isa *halfcl_available(size_t index)
{
    const unsigned avx2 = 1u << F16C | 1u << AVX2 | 1u << FMA;
    const unsigned avx512 =
        avx2 | 1u << AVX512F | 1u << AVX512BW | 1u << AVX512DQ | 1u << AVX512VL;
    const halfcl_isa *sets[3] = {&halfcl_portable};
    size_t count = 1;
    if (has_all(avx2))
        sets[count++] = &halfcl_avx2;
    if (has_all(avx512))
        sets[count++] = &halfcl_avx512;
    return index < count ? sets[index] : NULL;
}

#else

const char *halfcl_cpu_feature(size_t index)
{
    (void)index;
    return NULL;
}

const halfcl_isa *halfcl_available(size_t index)
{
    return index == 0 ? &halfcl_portable : NULL;
}

#endif

const halfcl_isa *halfcl_find_isa(const char *name)
{
    const halfcl_isa *best = NULL, *isa;
    for (size_t i = 0; (isa = halfcl_available(i)); ++i) {
        best = isa;
        if (name && strcmp(name, isa->name) == 0)
            return isa;
    }
    return name ? NULL : best;
}

const halfcl_kernel *halfcl_find_kernel(const halfcl_isa *isa, const char *name,
                                        const char *types)
{
    for (size_t i = 0; i < isa->count; ++i) {
        const halfcl_kernel *row = &isa->kernels[i];
        if (strcmp(row->name, name) == 0 && strcmp(row->types, types) == 0)
            return row;
    }
    return NULL;
}

#ifdef HALFCL_X86

/* MXCSR: exceptions in bits 0 to 5, their masks in 7 to 12, rounding in 13 and 14. FTZ
 * (bit 15) and DAZ (bit 6) stay clear. Inexact (bit 5), which is not reported, stays set, as it
 * nearly always is: each change of these bits takes the processor some hundred cycles. */
enum { MXCSR_MASKS = 0x1f80, MXCSR_INEXACT = 0x20, MXCSR_ROUNDING = 13 };

void halfcl_enter(halfcl_env *env, halfcl_rounding mode)
{
    static const unsigned control[] = {
        [HALFCL_RTE] = 0,
        [HALFCL_RTN] = 1,
        [HALFCL_RTP] = 2,
        [HALFCL_RTZ] = 3,
    };
    env->saved[0] = _mm_getcsr();
    _mm_setcsr(MXCSR_MASKS | MXCSR_INEXACT | control[mode] << MXCSR_ROUNDING);
}

unsigned halfcl_leave(const halfcl_env *env)
{
    unsigned status = _mm_getcsr();
    _mm_setcsr((unsigned)env->saved[0]);
    return (status & 1 ? HALFCL_INVALID : 0) | (status & 4 ? HALFCL_DIVBYZERO : 0) |
           (status & 8 ? HALFCL_OVERFLOW : 0) | (status & 16 ? HALFCL_UNDERFLOW : 0);
}

#else

#include <fenv.h>

/* Elsewhere the kernels are the portable ones: they round by themselves, and expect the
 * mode of the processor to be to nearest. What they leave to the hardware is invalid and
 * division by zero; its other exceptions may come from steps on the way. */

_Static_assert(sizeof(fenv_t) <= sizeof(halfcl_env), "halfcl_env holds a fenv_t");

void halfcl_enter(halfcl_env *env, halfcl_rounding mode)
{
    (void)mode;
    fenv_t saved;
    fegetenv(&saved);
    memcpy(env, &saved, sizeof saved);
    fesetenv(FE_DFL_ENV);
    feclearexcept(FE_ALL_EXCEPT);
}

unsigned halfcl_leave(const halfcl_env *env)
{
    unsigned flags = 0;
#ifdef FE_INVALID
    if (fetestexcept(FE_INVALID))
        flags |= HALFCL_INVALID;
#endif
#ifdef FE_DIVBYZERO
    if (fetestexcept(FE_DIVBYZERO))
        flags |= HALFCL_DIVBYZERO;
#endif
    fenv_t saved;
    memcpy(&saved, env, sizeof saved);
    fesetenv(&saved);
    return flags;
}

#endif
