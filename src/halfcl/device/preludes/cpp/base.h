#define HCI_FUNCTION __device__ __forceinline__
#define HCI_SELDOM inline __device__ __noinline__
#define HCI_RARE inline __device__ __noinline__
#define HCI_SMALL HCI_RARE
#define HCI_LAST HCI_RARE
#define HCI_ROLLED _Pragma("unroll 1")
#define HCI_OVERLOAD __device__ __forceinline__
#define HCI_TABLE(type, name, size) static __device__ const type name size
/* Tables of functions in double, which GPUs with slow doubles do not use. Coefficients are not
 * const, since compilers would put each of them into instructions, which takes more of them.
 */
#define HCI_DOUBLES(type, name, size) [[maybe_unused]] static __device__ const type name size
#define HCI_COEFFICIENTS(type, name, size) [[maybe_unused]] static __constant__ type name size
#define HCI_POINTER(type) const type *
#define HCI_MAKE(type) type
#define HCI_INFINITY __int_as_float(0x7f800000)
#define HCI_NAN __int_as_float(0x7fc00000)

typedef long long hci_long;
typedef unsigned long long hci_ulong;

#define hci_bits_of_float(x) __float_as_uint(x)
#define hci_float_of_bits(x) __uint_as_float(x)
#define hci_float_rint(x) rintf(x)
#define hci_float_trunc(x) truncf(x)
#define hci_float_ceil(x) ceilf(x)
#define hci_float_floor(x) floorf(x)
#define hci_summand(x) (x)
#define hci_mul_high(a, b) __umul64hi(a, b)
#define hci_leading_zeros(x) __clzll((long long)(x))
#define hci_float_add(a, b) __fadd_rn(a, b)
#define hci_float_mul(a, b) __fmul_rn(a, b)
#define hci_float_fma(a, b, c) __fmaf_rn(a, b, c)

/* Operations for which GPUs have instructions. */
#define hci_vn_fma_up(a, b, c) __fmaf_ru(a, b, c)
#define hci_vn_fma_down(a, b, c) __fmaf_rd(a, b, c)
#define hci_vn_fma_cut(a, b, c) __fmaf_rz(a, b, c)
