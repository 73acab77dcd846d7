/* The functions hc_NAME of kernels on devices, for halfcl.cl on the host, which honours the pragma:
 * each operation of OpenCL C itself in each mode. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable

typedef half hc_half;

#define HC_IN(name, mode) HC_OF(hc_##name##_, mode)
#define HC_OF(prefix, mode) prefix##mode

#define OPERATIONS(mode)                                         \
    half hc_add_##mode(half x, half y) { return x + y; }         \
    half hc_sub_##mode(half x, half y) { return x - y; }         \
    half hc_mul_##mode(half x, half y) { return x * y; }         \
    half hc_div_##mode(half x, half y) { return x / y; }         \
    half hc_convert_half_##mode(int x) { return convert_half_##mode(x); }

#pragma OPENCL SELECT_ROUNDING_MODE rtz
OPERATIONS(rtz)
#pragma OPENCL SELECT_ROUNDING_MODE rtp
OPERATIONS(rtp)
#pragma OPENCL SELECT_ROUNDING_MODE rtn
OPERATIONS(rtn)
#pragma OPENCL SELECT_ROUNDING_MODE rte
OPERATIONS(rte)

half hc_fmin(half x, half y) { return fmin(x, y); }
half hc_fmax(half x, half y) { return fmax(x, y); }
int hc_islessequal(half x, half y) { return islessequal(x, y); }
