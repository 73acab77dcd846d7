/* Detects the features of a 64-bit Arm processor. */
#include "env/env.h"

#ifdef HALFCL_ARM

/* Returns whether the processor computes with vectors of halves (FEAT_FP16), as the operating
 * system reports it, since programs may not read the register that says so. */

#if defined(__ARM_FEATURE_FP16_VECTOR_ARITHMETIC)

/* The compiler may assume it. */
static bool has_fp16(void)
{
    return true;
}

#elif defined(__linux__)

#include <sys/auxv.h>

static bool has_fp16(void)
{
    enum { ASIMDHP = 1 << 10 }; /* HWCAP_ASIMDHP */
    return getauxval(AT_HWCAP) & ASIMDHP;
}

#elif defined(__APPLE__)

#include <sys/sysctl.h>

static bool is_set(const char *name)
{
    int value = 0;
    size_t size = sizeof value;
    return sysctlbyname(name, &value, &size, NULL, 0) == 0 && value;
}

/* The second is the name in macOS 11. */
static bool has_fp16(void)
{
    return is_set("hw.optional.arm.FEAT_FP16") || is_set("hw.optional.neon_fp16");
}

#elif defined(_WIN32)

#include <windows.h>

static bool has_fp16(void)
{
    enum { FP16 = 67 }; /* PF_ARM_V82_FP16_INSTRUCTIONS_AVAILABLE, which older headers lack */
    return IsProcessorFeaturePresent(FP16);
}

#else

static bool has_fp16(void)
{
    return false;
}

#endif

const char *halfcl_cpu_feature(size_t index)
{
    static const char *const names[] = {"asimd", "fp16"};
    size_t count = has_fp16() ? 2 : 1;
    return index < count ? names[index] : NULL;
}

#endif
