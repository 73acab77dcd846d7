/* What this processor can run, and the floating-point environment to run it in. */
#include <fenv.h>
#include <stdbool.h>
#include <string.h>

#include "targets/targets.h"

#ifdef HALFCL_X86

#include <cpuid.h>
#include <immintrin.h>

/* CPUID leaf 1, ECX: bit 29 is F16C. Leaf 7, EDX: bit 23 is AVX512-FP16. Compilers
 * differ in whether __builtin_cpu_supports knows these two. */
static bool has_f16c(void)
{
    unsigned a, b, c, d;
    return __builtin_cpu_supports("avx") && __get_cpuid(1, &a, &b, &c, &d) && (c >> 29 & 1);
}

static bool has_avx512fp16(void)
{
    unsigned a, b, c, d;
    return __builtin_cpu_supports("avx512bw") && __get_cpuid_count(7, 0, &a, &b, &c, &d) &&
           (d >> 23 & 1);
}

static size_t detect_features(const char **names)
{
    size_t count = 0;
    __builtin_cpu_init();
#define FEATURE(name, present)                                                                 \
    if (present)                                                                               \
        names[count++] = name;
#define BUILTIN(name) FEATURE(name, __builtin_cpu_supports(name))
    FEATURE("f16c", has_f16c())
    BUILTIN("avx2")
    BUILTIN("fma")
    BUILTIN("avx512f")
    BUILTIN("avx512bw")
    BUILTIN("avx512dq")
    BUILTIN("avx512vl")
    FEATURE("avx512fp16", has_avx512fp16())
    return count;
}

static bool runs_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c();
}

static bool runs_avx512(void)
{
    return runs_avx2() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

#else

static size_t detect_features(const char **names)
{
    (void)names;
    return 0;
}

#endif

const char *halfcl_cpu_feature(size_t index)
{
    const char *names[16];
    return index < detect_features(names) ? names[index] : NULL;
}

const halfcl_isa *halfcl_available(size_t index)
{
    const halfcl_isa *sets[4];
    size_t count = 0;
    sets[count++] = &halfcl_portable;
#ifdef HALFCL_X86
    __builtin_cpu_init();
    if (runs_avx2())
        sets[count++] = &halfcl_avx2;
    if (runs_avx512())
        sets[count++] = &halfcl_avx512;
#endif
    return index < count ? sets[index] : NULL;
}

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
 * (bit 15) and DAZ (bit 6) stay clear. */
enum { MXCSR_MASKS = 0x1f80, MXCSR_ROUNDING = 13 };

void halfcl_enter(halfcl_env *env, halfcl_rounding mode)
{
    static const unsigned control[] = {
        [HALFCL_RTE] = 0,
        [HALFCL_RTN] = 1,
        [HALFCL_RTP] = 2,
        [HALFCL_RTZ] = 3,
    };
    env->saved[0] = _mm_getcsr();
    _mm_setcsr(MXCSR_MASKS | control[mode] << MXCSR_ROUNDING);
}

unsigned halfcl_leave(const halfcl_env *env)
{
    unsigned status = _mm_getcsr();
    _mm_setcsr((unsigned)env->saved[0]);
    return (status & 1 ? HALFCL_INVALID : 0) | (status & 4 ? HALFCL_DIVBYZERO : 0) |
           (status & 8 ? HALFCL_OVERFLOW : 0) | (status & 16 ? HALFCL_UNDERFLOW : 0);
}

#else

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
