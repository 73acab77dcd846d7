/* Sums in half, rounded up: cc rounds_up.c -lOpenCL -o rounds_up && python -m halfcl layer ./rounds_up */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static const char *text =
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    "#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable\n"
    "#pragma OPENCL SELECT_ROUNDING_MODE rtp\n"
    "kernel void add(global const half *a, half b, global half *sum) { *sum = *a + b; }\n";

int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return puts("no device"), 2;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL)) {
        char log[4096] = "";
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        return fprintf(stderr, "%s\n", log), 1;
    }
    cl_kernel add = clCreateKernel(program, "add", NULL);
    cl_half one = 0x3c00, small = 0x0001, sum = 0; /* 1 and 2^-24 */
    cl_mem a = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof one, &one, NULL);
    cl_mem out = clCreateBuffer(context, 0, sizeof sum, NULL, NULL);
    clSetKernelArg(add, 0, sizeof a, &a);
    clSetKernelArg(add, 1, sizeof small, &small);
    clSetKernelArg(add, 2, sizeof out, &out);
    clEnqueueNDRangeKernel(queue, add, 1, NULL, &(size_t){1}, NULL, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof sum, &sum, 0, NULL, NULL);
    printf("1 + 2^-24 = 0x%04x\n", sum);
    return 0;
}
