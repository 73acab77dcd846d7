// Builds a program and launches its kernel, as any OpenCL program would: see layer.py.
//
//     layer SOURCE OPTIONS BUILDS BLOCKS
//
// Prints the seconds of the fastest build, of the first one, and of the fastest launch in
// blocks of 50. Each build has its own -DNUMBER.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { LAUNCHES = 50 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(cl_int status, const char *what)
{
    if (!status)
        return;
    fprintf(stderr, "%s: status %d\n", what, status);
    exit(1);
}

int main(int count, char **words)
{
    if (count != 5)
        return 2;
    static char text[1 << 20];
    FILE *file = fopen(words[1], "r");
    if (!file || !fread(text, 1, sizeof text - 1, file))
        return 2;
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");

    double first = 0, fastest = 1e9;
    cl_program program = NULL;
    const char *source = text;
    for (int i = 0; i < atoi(words[3]); i++) {
        char options[4096], log[10000] = "";
        snprintf(options, sizeof options, "%s -DNUMBER=%d", words[2], i);
        if (program)
            clReleaseProgram(program);
        double start = now();
        program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
        status = clBuildProgram(program, 1, &device, options, NULL, NULL);
        double seconds = now() - start;
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        if (status)
            fprintf(stderr, "%s\n", log);
        check(status, "clBuildProgram");
        fastest = seconds < fastest ? seconds : fastest;
        first = i ? first : seconds;
    }

    cl_kernel kernel = clCreateKernel(program, "k", &status);
    check(status, "clCreateKernel");
    cl_mem memory = clCreateBuffer(context, 0, 4096, NULL, &status);
    check(clSetKernelArg(kernel, 0, sizeof memory, &memory), "clSetKernelArg");
    double launch = 1e9;
    size_t items = 1;
    for (int block = 0; block < atoi(words[4]); block++) {
        double start = now();
        for (int i = 0; i < LAUNCHES; i++) {
            clSetKernelArg(kernel, 0, sizeof memory, &memory);
            clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
        }
        check(clFinish(queue), "clFinish");
        double seconds = (now() - start) / LAUNCHES;
        launch = seconds < launch ? seconds : launch;
    }
    printf("%.9f %.9f %.9f\n", fastest, first, launch);
    return 0;
}
