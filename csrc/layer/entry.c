#include "entry.h"

#include "answers.h"
#include "builds.h"
#include "log.h"
#include "objects.h"
#include "system.h"
#include "translator.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#define EXPORTED __declspec(dllexport)
#else
#define EXPORTED __attribute__((visibility("default")))
#endif

static const char LAYER_NAME[] = "halfcl: rounding modes and half";

// Functions that the layer itself calls: without one of them it passes everything through.
#define NEEDED_FUNCTIONS(FUNCTION)                                                             \
    FUNCTION(clGetPlatformInfo)                                                                \
    FUNCTION(clGetDeviceInfo)                                                                  \
    FUNCTION(clCreateProgramWithSource)                                                        \
    FUNCTION(clCreateProgramWithBinary)                                                        \
    FUNCTION(clRetainProgram)                                                                  \
    FUNCTION(clReleaseProgram)                                                                 \
    FUNCTION(clBuildProgram)                                                                   \
    FUNCTION(clGetProgramInfo)                                                                 \
    FUNCTION(clGetProgramBuildInfo)                                                            \
    FUNCTION(clCreateKernel)                                                                   \
    FUNCTION(clCreateKernelsInProgram)                                                         \
    FUNCTION(clRetainKernel)                                                                   \
    FUNCTION(clReleaseKernel)                                                                  \
    FUNCTION(clGetKernelInfo)

static _Atomic(const cl_icd_dispatch *) functions_below;
static const struct settings *settings_of_process;
static system_lock initializing = SYSTEM_LOCK;

const cl_icd_dispatch *driver(void)
{
    return atomic_load_explicit(&functions_below, memory_order_acquire);
}

const struct settings *settings(void)
{
    return settings_of_process;
}

// A table's bytes may be those of more or fewer functions than the headers name.
static void *copy_table(const cl_icd_dispatch *table, size_t size, size_t room)
{
    void *copy = calloc(1, room);
    if (copy)
        memcpy(copy, table, size);
    return copy;
}

static bool has_needed(const cl_icd_dispatch *table)
{
    bool has_all = true;
#define LOOK(name) has_all = has_all && table->name;
    NEEDED_FUNCTIONS(LOOK)
#undef LOOK
    return has_all;
}

// Puts the layer's functions where there are functions.
static void replace(cl_icd_dispatch *table)
{
#define REPLACE(name)                                                                          \
    if (table->name)                                                                           \
        table->name = layer_##name;
    LAYER_FUNCTIONS(REPLACE)
#undef REPLACE
}

EXPORTED CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t room,
                                                        void *value, size_t *size)
{
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    if (name == CL_LAYER_API_VERSION)
        return answer_query(&version, sizeof version, room, value, size);
    if (name == CL_LAYER_NAME)
        return answer_query(LAYER_NAME, sizeof LAYER_NAME, room, value, size);
    return CL_INVALID_VALUE;
}

// Returns whether a table has any of the layer's functions: a layer in between may have
// replaced the others.
static bool is_layer(const cl_icd_dispatch *table)
{
    bool has_any = false;
#define LOOK(name) has_any = has_any || table->name == layer_##name;
    LAYER_FUNCTIONS(LOOK)
#undef LOOK
    return has_any;
}

// Returns whether this table gets the layer's functions.
static bool decide(const cl_icd_dispatch *table, cl_uint count)
{
    if (settings_of_process->is_off) {
        log_line("off: everything passes through");
        return false;
    }
    if (is_layer(table)) {
        log_line("this library is a layer of this loader already: the second passes through");
        return false;
    }
    if (!has_needed(table)) {
        log_line(
            "the loader lacks functions of OpenCL 1.1 (its table has %u): everything passes "
            "through",
            (unsigned)count);
        return false;
    }
    return true;
}

// Keeps a table for calls into the driver, and returns one for calls of the program.
static cl_int make_tables(cl_uint count, const cl_icd_dispatch *target, cl_icd_dispatch **below,
                          cl_icd_dispatch **table)
{
    size_t size = count * sizeof(void *);
    size_t room = size > sizeof(cl_icd_dispatch) ? size : sizeof(cl_icd_dispatch);
    *below = copy_table(target, size, room);
    *table = copy_table(target, size, room);
    if (*below && *table)
        return CL_SUCCESS;
    free(*below);
    free(*table);
    return CL_OUT_OF_HOST_MEMORY;
}

// Reads the settings, once in a process.
static void initialize(void)
{
    if (settings_of_process)
        return;
    settings_of_process = settings_read();
    system_keep_library();
    objects_prepare_for_forks();
    translator_prepare_for_forks();
    builds_prepare_for_forks();
}

// The loader may call this again: from another loader in the process, whose table then serves
// for all objects, since the loaders' own functions find the driver by the object. Tables are
// never freed, since threads may be calling through them.
EXPORTED CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint count,
                                                     const cl_icd_dispatch *target,
                                                     cl_uint *count_of_layer,
                                                     const cl_icd_dispatch **table_of_layer)
{
    if (!count || !target || !count_of_layer || !table_of_layer)
        return CL_INVALID_VALUE;
    cl_icd_dispatch *below, *table;
    cl_int status = make_tables(count, target, &below, &table);
    if (status)
        return status;
    system_acquire(&initializing);
    initialize();
    log_line("hello: layer interface %d, %u functions", CL_LAYER_API_VERSION_100,
             (unsigned)count);
    if (decide(below, count)) {
        replace(table);
        atomic_store_explicit(&functions_below, below, memory_order_release);
    } else {
        free(below);
    }
    system_release(&initializing);
    *count_of_layer = count;
    *table_of_layer = table;
    return CL_SUCCESS;
}

// Newer loaders call this instead. There are no properties yet; the declaration is not in older
// headers.
EXPORTED CL_API_ENTRY cl_int CL_API_CALL
clInitLayerWithProperties(cl_uint count, const cl_icd_dispatch *target, cl_uint *count_of_layer,
                          const cl_icd_dispatch **table_of_layer, const void *properties);

EXPORTED CL_API_ENTRY cl_int CL_API_CALL
clInitLayerWithProperties(cl_uint count, const cl_icd_dispatch *target, cl_uint *count_of_layer,
                          const cl_icd_dispatch **table_of_layer, const void *properties)
{
    (void)properties;
    return clInitLayer(count, target, count_of_layer, table_of_layer);
}

EXPORTED CL_API_ENTRY cl_int CL_API_CALL clDeinitLayer(void);

// Newer loaders call this before they unload drivers, when the process ends.
EXPORTED CL_API_ENTRY cl_int CL_API_CALL clDeinitLayer(void)
{
    builds_end();
    translator_stop();
    return CL_SUCCESS;
}
