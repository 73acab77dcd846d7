/* Declares the parts of CUDA's headers that the CUDA C++ texts use, for clang, which has none
 * of them: the texts are only parsed, not run. */
#pragma once

#define __device__ __attribute__((device))
#define __constant__ __attribute__((constant))
#define __global__ __attribute__((global))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))

struct __attribute__((aligned(16))) double2 {
    double x, y;
};
__device__ double __dadd_rn(double, double);
__device__ double __dsub_rn(double, double);
__device__ double __dmul_rn(double, double);
__device__ double __fma_rn(double, double, double);
__device__ int __double2hiint(double);
__device__ int __double2loint(double);
__device__ double __hiloint2double(int, int);

struct __half {
    unsigned short bits;
};

__device__ unsigned short __half_as_ushort(__half);
__device__ __half __ushort_as_half(unsigned short);
__device__ float __half2float(__half);
__device__ __half __float2half_rn(float);
__device__ __half __float2half_rz(float);
__device__ __half __float2half_ru(float);
__device__ __half __float2half_rd(float);
__device__ __half __hadd(__half, __half);
__device__ __half __hadd_rn(__half, __half);
__device__ __half __hsub_rn(__half, __half);
__device__ __half __hmul_rn(__half, __half);
__device__ __half __hfma(__half, __half, __half);

__device__ int __float_as_int(float);
__device__ unsigned int __float_as_uint(float);
__device__ float __int_as_float(int);
__device__ float __uint_as_float(unsigned int);
__device__ float fabsf(float);
__device__ float fmaxf(float, float);
__device__ float fminf(float, float);
__device__ float rintf(float);
__device__ float truncf(float);
__device__ float ceilf(float);
__device__ float floorf(float);
__device__ float expf(float);
__device__ float __fadd_rn(float, float);
__device__ float __fadd_rd(float, float);
__device__ float __fadd_ru(float, float);
__device__ float __fadd_rz(float, float);
__device__ float __fsub_rn(float, float);
__device__ float __fmul_rn(float, float);
__device__ float __fdiv_rn(float, float);
__device__ float __fdiv_rz(float, float);
__device__ float __fdiv_ru(float, float);
__device__ float __fdiv_rd(float, float);
__device__ float __fsqrt_rn(float);
__device__ float __fsqrt_rz(float);
__device__ float __fsqrt_ru(float);
__device__ float __fsqrt_rd(float);
__device__ float __fmaf_rn(float, float, float);
__device__ float __fmaf_rz(float, float, float);
__device__ float __fmaf_ru(float, float, float);
__device__ float __fmaf_rd(float, float, float);
__device__ unsigned long long __umul64hi(unsigned long long, unsigned long long);
__device__ int __clzll(long long);
