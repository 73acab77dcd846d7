/* Enough of CUDA C++ for g++: kernels run on the host, a thread for each of a block's. Threads
 * are C's: what the C++ library has of them takes g++ longer than a kernel. */
#ifndef CUDA_HOST_H
#define CUDA_HOST_H

#include <cfenv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <utility>

#define __device__
#define __constant__
#define __global__
#define __host__
#define __forceinline__ inline
#define __noinline__
#define __shared__ static
#define __launch_bounds__(...)

struct host_place {
    unsigned int x, y, z;
};
struct uint2 {
    unsigned int x, y;
};
struct alignas(16) uint4 {
    unsigned int x, y, z, w;
};
static thread_local host_place threadIdx, blockIdx;
static host_place blockDim, gridDim;
alignas(128) static unsigned char hc_local[1 << 16];

/* ------------------------------------------------------------ bits */

template <typename To, typename From> static inline To host_as(From x)
{
    static_assert(sizeof(To) == sizeof(From));
    To y;
    std::memcpy(&y, &x, sizeof y);
    return y;
}
static inline int __float_as_int(float x)
{
    return host_as<int>(x);
}
static inline unsigned int __float_as_uint(float x)
{
    return host_as<unsigned int>(x);
}
static inline float __int_as_float(int x)
{
    return host_as<float>(x);
}
static inline float __uint_as_float(unsigned int x)
{
    return host_as<float>(x);
}
static inline long long __double_as_longlong(double x)
{
    return host_as<long long>(x);
}
static inline double __longlong_as_double(long long x)
{
    return host_as<double>(x);
}
struct alignas(16) double2 {
    double x, y;
};
static inline int __double2hiint(double x)
{
    return (int)(host_as<long long>(x) >> 32);
}
static inline int __double2loint(double x)
{
    return (int)host_as<long long>(x);
}
static inline double __hiloint2double(int high, int low)
{
    return host_as<double>((long long)high << 32 | (unsigned int)low);
}
static inline int __clzll(long long x)
{
    return x ? __builtin_clzll((unsigned long long)x) : 64;
}
static inline int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}

/* ------------------------------------------------------------ halves */

struct __half_raw {
    unsigned short x;
};
struct __half {
    unsigned short x;
    __half() = default;
    constexpr __half(const __half_raw &raw) : x(raw.x)
    {
    }
};
static inline unsigned short __half_as_ushort(__half x)
{
    return x.x;
}
static inline __half __ushort_as_half(unsigned short x)
{
    return __half(__half_raw{x});
}

static inline float __half2float(__half h)
{
    int exponent = h.x >> 10 & 31, fraction = h.x & 1023;
    float size = exponent == 31  ? (fraction ? NAN : INFINITY)
                 : exponent == 0 ? std::ldexp((float)fraction, -24)
                                 : std::ldexp((float)(fraction + 1024), exponent - 25);
    return h.x >> 15 ? -size : size;
}

/* Without operators, as PyTorch compiles its extensions. */
#define __CUDA_NO_HALF_OPERATORS__
#define HOST_COMPARISON(name, operator)                                                        \
    static inline bool name(__half x, __half y)                                                \
    {                                                                                          \
        return __half2float(x) operator __half2float(y);                                       \
    }
HOST_COMPARISON(__heq, ==)
HOST_COMPARISON(__hneu, !=)
HOST_COMPARISON(__hlt, <)
HOST_COMPARISON(__hle, <=)
HOST_COMPARISON(__hgt, >)
HOST_COMPARISON(__hge, >=)

/* mode: to nearest, toward zero, up, down. */
static inline __half host_half(double x, int mode)
{
    unsigned short sign = std::signbit(x) ? 0x8000 : 0;
    double size = std::fabs(x);
    if (x != x)
        return __ushort_as_half(0x7fff);
    if (size == INFINITY)
        return __ushort_as_half(sign | 0x7c00);
    int exponent = size < 0x1p-14 ? -14 : std::ilogb(size);
    double count = std::ldexp(size, 10 - exponent), whole = std::floor(count);
    double rest = count - whole;
    bool is_away = (mode == 2 && !sign) || (mode == 3 && sign);
    if (mode == 0 ? rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2) == 1)
                  : is_away && rest > 0)
        whole += 1;
    double result = std::ldexp(whole, exponent - 10);
    if (result > 65504)
        return __ushort_as_half(sign | (mode == 0 || is_away ? 0x7c00 : 0x7bff));
    if (result < 0x1p-14)
        return __ushort_as_half(sign | (unsigned short)std::ldexp(result, 24));
    exponent = std::ilogb(result);
    int fraction = (int)std::ldexp(result, 10 - exponent) - 1024;
    return __ushort_as_half((unsigned short)(sign | (exponent + 15) << 10 | fraction));
}
static inline __half __float2half_rn(float x)
{
    return host_half(x, 0);
}
static inline __half __float2half_rz(float x)
{
    return host_half(x, 1);
}
static inline __half __float2half_ru(float x)
{
    return host_half(x, 2);
}
static inline __half __float2half_rd(float x)
{
    return host_half(x, 3);
}

/* ------------------------------------------------------------ arithmetic in modes */

struct host_mode {
    explicit host_mode(int mode)
    {
        std::fesetround(mode);
    }
    ~host_mode()
    {
        std::fesetround(FE_TONEAREST);
    }
};
#define HOST_TWO(name, type, mode, value)                                                      \
    static inline type name(type x, type y)                                                    \
    {                                                                                          \
        host_mode kept(mode);                                                                  \
        volatile type a = x, b = y, r = value;                                                 \
        return r;                                                                              \
    }
#define HOST_ONE(name, to, from, mode, value)                                                  \
    static inline to name(from x)                                                              \
    {                                                                                          \
        host_mode kept(mode);                                                                  \
        volatile from a = x;                                                                   \
        volatile to r = value;                                                                 \
        return r;                                                                              \
    }
#define HOST_IN(cuda, mode)                                                                    \
    HOST_TWO(__fadd_##cuda, float, mode, a + b)                                                \
    HOST_TWO(__fsub_##cuda, float, mode, a - b)                                                \
    HOST_TWO(__fmul_##cuda, float, mode, a *b)                                                 \
    HOST_TWO(__fdiv_##cuda, float, mode, a / b)                                                \
    HOST_TWO(__dadd_##cuda, double, mode, a + b)                                               \
    HOST_TWO(__dsub_##cuda, double, mode, a - b)                                               \
    HOST_TWO(__dmul_##cuda, double, mode, a *b)                                                \
    HOST_TWO(__ddiv_##cuda, double, mode, a / b)                                               \
    HOST_ONE(__fsqrt_##cuda, float, float, mode, std::sqrt(a))                                 \
    HOST_ONE(__dsqrt_##cuda, double, double, mode, std::sqrt(a))                               \
    HOST_ONE(__int2float_##cuda, float, int, mode, (float)a)                                   \
    HOST_ONE(__uint2float_##cuda, float, unsigned int, mode, (float)a)                         \
    HOST_ONE(__ll2float_##cuda, float, long long, mode, (float)a)                              \
    HOST_ONE(__ull2float_##cuda, float, unsigned long long, mode, (float)a)                    \
    HOST_ONE(__ll2double_##cuda, double, long long, mode, (double)a)                           \
    HOST_ONE(__ull2double_##cuda, double, unsigned long long, mode, (double)a)                 \
    HOST_ONE(__double2float_##cuda, float, double, mode, (float)a)                             \
    static inline float __fmaf_##cuda(float x, float y, float z)                               \
    {                                                                                          \
        host_mode kept(mode);                                                                  \
        volatile float a = x, b = y, c = z, r = std::fma((float)a, (float)b, (float)c);        \
        return r;                                                                              \
    }                                                                                          \
    static inline double __fma_##cuda(double x, double y, double z)                            \
    {                                                                                          \
        host_mode kept(mode);                                                                  \
        volatile double a = x, b = y, c = z, r = std::fma((double)a, (double)b, (double)c);    \
        return r;                                                                              \
    }
HOST_IN(rn, FE_TONEAREST)
HOST_IN(rz, FE_TOWARDZERO)
HOST_IN(ru, FE_UPWARD)
HOST_IN(rd, FE_DOWNWARD)

/* Operations on halves. A float has more than twice their bits, so rounding to float first
 * equals rounding once; a sum of three is rounded to odd. */
static inline __half __hadd_rn(__half x, __half y)
{
    return __float2half_rn(__half2float(x) + __half2float(y));
}
static inline __half __hsub_rn(__half x, __half y)
{
    return __float2half_rn(__half2float(x) - __half2float(y));
}
static inline __half __hmul_rn(__half x, __half y)
{
    return __float2half_rn(__half2float(x) * __half2float(y));
}
static inline __half __hfma(__half x, __half y, __half z)
{
    float a = __half2float(x), b = __half2float(y), c = __half2float(z);
    float cut = __fmaf_rz(a, b, c);
    bool is_exact = __fmaf_rd(a, b, c) == __fmaf_ru(a, b, c);
    return __float2half_rn(is_exact || cut != cut ? cut
                                                  : __int_as_float(__float_as_int(cut) | 1));
}

/* Functions that C's library did not always have. */
#define HOST_FUNCTION(name, value)                                                             \
    static inline double name(double x)                                                        \
    {                                                                                          \
        return value;                                                                          \
    }                                                                                          \
    static inline float name##f(float x)                                                       \
    {                                                                                          \
        return (float)name((double)x);                                                         \
    }
#if !__GLIBC_PREREQ(2, 41)
HOST_FUNCTION(sinpi, std::sin(3.14159265358979323846 * std::fmod(x, 2)))
HOST_FUNCTION(cospi, std::cos(3.14159265358979323846 * std::fmod(x, 2)))
#endif
#if !__GLIBC_PREREQ(2, 42)
HOST_FUNCTION(rsqrt, 1 / std::sqrt(x))
#endif

/* The instructions that halfcl's text names: estimates, which are less exact than the GPU's,
 * and conversions of double to half. */
static inline float host_instruction(const char *text, float x)
{
    float y = std::strstr(text, "rsqrt") ? 1 / std::sqrt(x) : 1 / x;
    return y != y || y - y != 0 || y == 0 ? y : y * (1 + 0x1p-23f);
}
static inline unsigned short host_instruction(const char *text, double x)
{
    const char mode = std::strstr(text, "cvt.r")[5];
    return __half_as_ushort(host_half(x, mode == 'n'   ? 0
                                         : mode == 'z' ? 1
                                         : mode == 'p' ? 2
                                                       : 3));
}
#define asm(...) result = host_instruction(#__VA_ARGS__, a)

/* ------------------------------------------------------------ what threads share */

static bool host_waits; /* at the barrier, which is there */
static pthread_barrier_t host_barrier;
static pthread_mutex_t host_lock = PTHREAD_MUTEX_INITIALIZER;

/* Within its scope no other thread does what is guarded. */
struct host_guard {
    host_guard()
    {
        pthread_mutex_lock(&host_lock);
    }
    ~host_guard()
    {
        pthread_mutex_unlock(&host_lock);
    }
};

static inline void __syncthreads()
{
    if (host_waits)
        pthread_barrier_wait(&host_barrier);
}
static inline void __threadfence()
{
}
static int host_truths;
static inline int host_vote(bool truth)
{
    __syncthreads();
    if (threadIdx.x + threadIdx.y + threadIdx.z == 0)
        host_truths = 0;
    __syncthreads();
    {
        host_guard held;
        host_truths += truth;
    }
    __syncthreads();
    return host_truths;
}
/* The memory that a pointer points to. Variables that a block shares are static, and hold no
   initial values. */
extern "C" __attribute__((visibility("hidden"))) char __bss_start[], _end[];
static inline unsigned int __isShared(const void *p)
{
    return (const char *)p >= __bss_start && (const char *)p < _end;
}
static inline unsigned int __isLocal(const void *p)
{
    pthread_attr_t attributes;
    void *start;
    size_t size;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &start, &size);
    pthread_attr_destroy(&attributes);
    return (const char *)p >= (char *)start && (const char *)p < (char *)start + size;
}
static inline unsigned int __isGlobal(const void *p)
{
    return p && !__isShared(p) && !__isLocal(p);
}
static inline int __syncthreads_or(int x)
{
    return host_vote(x != 0) != 0;
}
static inline int __syncthreads_and(int x)
{
    return host_vote(x == 0) == 0;
}

#define HOST_ATOMIC(name, value)                                                               \
    template <typename T> static inline T name(T *p, T x)                                      \
    {                                                                                          \
        host_guard held;                                                                       \
        T old = *p;                                                                            \
        *p = value;                                                                            \
        return old;                                                                            \
    }
HOST_ATOMIC(atomicAdd, (T)((unsigned long long)old + (unsigned long long)x))
HOST_ATOMIC(atomicMin, x < old ? x : old)
HOST_ATOMIC(atomicMax, x > old ? x : old)
HOST_ATOMIC(atomicAnd, old &x)
HOST_ATOMIC(atomicOr, old | x)
HOST_ATOMIC(atomicXor, old ^ x)
HOST_ATOMIC(atomicExch, x)
template <typename T> static inline T atomicCAS(T *p, T expected, T x)
{
    host_guard held;
    T old = *p;
    if (old == expected)
        *p = x;
    return old;
}

/* ------------------------------------------------------------ launches */

/* A kernel and its arguments. */
template <typename... P> struct host_call {
    void (*kernel)(P...);
    void **arguments;

    template <size_t... k> void once(std::index_sequence<k...>) const
    {
        kernel(*(std::remove_reference_t<P> *)arguments[k]...);
    }
};

/* Threads from first to last of each block, one after the other. */
template <typename... P>
static void host_run(const void *call, unsigned int first, unsigned int last)
{
    for (unsigned int z = 0; z < gridDim.z; ++z)
        for (unsigned int y = 0; y < gridDim.y; ++y)
            for (unsigned int x = 0; x < gridDim.x; ++x) {
                blockIdx = {x, y, z};
                for (unsigned int k = first; k < last; ++k) {
                    threadIdx = {k % blockDim.x, k / blockDim.x % blockDim.y,
                                 k / blockDim.x / blockDim.y};
                    ((const host_call<P...> *)call)->once(std::index_sequence_for<P...>());
                }
                __syncthreads();
            }
}

struct host_thread {
    void (*run)(const void *, unsigned int, unsigned int);
    const void *call;
    unsigned int number;
    pthread_t self;
};

static void *host_start(void *of)
{
    const host_thread *thread = (const host_thread *)of;
    thread->run(thread->call, thread->number, thread->number + 1);
    return nullptr;
}

/* Each thread of a block as one of the host's. */
static void host_run_at_once(host_thread of_all, unsigned int count)
{
    static host_thread threads[1024];
    if (count > 1024)
        std::abort();
    host_waits = true;
    pthread_barrier_init(&host_barrier, nullptr, count);
    for (unsigned int k = 0; k < count; ++k) {
        threads[k] = of_all;
        threads[k].number = k;
        if (pthread_create(&threads[k].self, nullptr, host_start, &threads[k]))
            std::abort();
    }
    for (unsigned int k = 0; k < count; ++k)
        pthread_join(threads[k].self, nullptr);
    pthread_barrier_destroy(&host_barrier);
    host_waits = false;
}

/* sizes: of the grid and of a block. Threads are only where there is a barrier to wait at. */
template <typename... P>
static void host_launch(void (*kernel)(P...), const unsigned int *sizes, int has_barriers,
                        void **arguments)
{
    gridDim = {sizes[0], sizes[1], sizes[2]};
    blockDim = {sizes[3], sizes[4], sizes[5]};
    unsigned int count = blockDim.x * blockDim.y * blockDim.z;
    host_call<P...> call{kernel, arguments};
    if (has_barriers)
        host_run_at_once({host_run<P...>, &call, 0, 0}, count);
    else
        host_run<P...>(&call, 0, count);
}

#endif
