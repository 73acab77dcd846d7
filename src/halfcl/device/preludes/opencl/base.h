#if defined(__FAST_RELAXED_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "halfcl's functions need IEEE arithmetic: build without -cl-fast-relaxed-math"
#endif
#if defined(__EMBEDDED_PROFILE__) && !defined(cles_khr_int64)
#error "halfcl's functions need 64-bit integers: this device has none"
#endif
#pragma OPENCL FP_CONTRACT OFF

#define HCI_FUNCTION static inline __attribute__((always_inline, unused))
#define HCI_SELDOM HCI_FUNCTION
#define HCI_RARE static __attribute__((noinline, unused))
/* Long functions, and those that almost nothing calls: Intel's compiler takes a fifth less time
 * if it does not optimise them. */
#ifdef __INTEL_LLVM_COMPILER
#define HCI_SMALL static __attribute__((noinline, unused, minsize))
#define HCI_LAST static __attribute__((noinline, unused, optnone))
#else
#define HCI_SMALL HCI_RARE
#define HCI_LAST HCI_RARE
#endif
#define HCI_ROLLED _Pragma("unroll 1")
#define HCI_OVERLOAD static inline __attribute__((overloadable, always_inline, unused))
#define HCI_CALLED static __attribute__((overloadable, noinline, unused))
#define HCI_TABLE(type, name, size) static __constant type name size
#define HCI_POINTER(type) __constant const type *
#define HCI_MAKE(type) (type)
/* A function of vectors is one of whole vectors, or calls that of a half for each component.
 * Where the device converts, sums to nearest are few instructions, and their functions have no
 * branches for other modes: compilers inline before they simplify. */
#if defined(HC_WHOLE_VECTORS)
#define HCI_VECTORS 1
#define HCI_NEAREST_ONLY 0
#define HCI_WHOLE(mode, whole, parts) whole
#define HCI_ONE(mode, nearest, general) general
#elif defined(HC_NATIVE_CONVERSION)
#define HCI_VECTORS 1
#define HCI_NEAREST_ONLY 1
#define HCI_WHOLE(mode, whole, parts) ((mode) == hci_RTE ? whole : parts)
#define HCI_ONE(mode, nearest, general) ((mode) == hci_RTE ? nearest : general)
#else
#define HCI_VECTORS 0
#define HCI_WHOLE(mode, whole, parts) parts
#define HCI_ONE(mode, nearest, general) general
#endif
#define HCI_INFINITY INFINITY
#define HCI_NAN NAN

typedef long hci_long;
typedef ulong hci_ulong;

#define hci_bits_of_float(x) as_uint((float)(x))
#define hci_float_of_bits(x) as_float((uint)(x))
#define hci_float_rint(x) rint((float)(x))
#define hci_float_trunc(x) trunc((float)(x))
#define hci_float_ceil(x) ceil((float)(x))
#define hci_float_floor(x) floor((float)(x))
/* The bits of a summand. With AVX512-FP16 Intel's compiler for CPUs joins products of halves
 * with their sums to products of complex numbers, which round less often, even without
 * contraction, and narrows products of floats first. It cannot know that this zero is one. */
#if defined(__INTEL_LLVM_COMPILER) && defined(HC_NATIVE_CONVERSION)
#define hci_summand(x) ((x) ^ (ushort)(get_work_dim() >> 2))
#else
#define hci_summand(x) (x)
#endif
#define hci_mul_high(a, b) mul_hi((ulong)(a), (ulong)(b))
#define hci_leading_zeros(x) (int)clz((ulong)(x))

/* The pragma keeps Clang from reassociating, even under -cl-unsafe-math-optimizations. */
HCI_FUNCTION float hci_float_add(float a, float b)
{
#if defined(__clang__) && __clang_major__ >= 13
#pragma clang fp reassociate(off)
#endif
    return a + b;
}

HCI_FUNCTION float hci_float_fma(float a, float b, float c)
{
    return fma(a, b, c);
}

/* A sum with a zero is never fused with another operation. */
HCI_FUNCTION float hci_float_mul(float a, float b)
{
#if defined(__clang__) && __clang_major__ >= 13
#pragma clang fp contract(off) reassociate(off)
    return a * b;
#else
    return fma(a, b, -0.0f);
#endif
}
