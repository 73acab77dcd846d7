/* The device functions as C: defines what a prelude of OpenCL or CUDA defines. The Makefile
 * lets tools/make_device.py write device/kernels.h to its folder of objects.
 */
#ifndef HALFCL_DEVICE_IN_C_H
#define HALFCL_DEVICE_IN_C_H

#include "simd/device_primitives.h"

#define HCI_FUNCTION ALWAYS_INLINE
#define HCI_SELDOM static __attribute__((unused))
#define HCI_RARE static __attribute__((noinline, unused))
#ifndef HCI_TABLE
#define HCI_TABLE(type, name, size) static const type name size
#endif
#define HCI_POINTER(type) const type *
#define HCI_MAKE(type) (type)
#define HCI_INFINITY INFINITY
#define HCI_NAN NAN
typedef int64_t hci_long;
typedef uint64_t hci_ulong;

#define hci_bits_of_float bits_of_float
#define hci_float_of_bits float_of_bits
#define hci_float_mul float_mul
#define hci_float_add float_add
#define hci_float_fma float_fma
#define hci_float_rint float_rint
#define hci_float_trunc float_trunc
#define hci_float_ceil float_ceil
#define hci_float_floor float_floor
#define hci_summand summand
#define hci_mul_high mul_high
#define hci_leading_zeros leading_zeros

#include "device/kernels.h"

#endif
