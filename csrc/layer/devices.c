#include "devices.h"

#include "answers.h"
#include "entry.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

static const char MODES[] = "cl_khr_select_fprounding_mode";
static const char HALF[] = "cl_khr_fp16";

// Operations on halves are translated to functions that round correctly in all modes.
static const cl_device_fp_config HALF_CONFIG = CL_FP_DENORM | CL_FP_INF_NAN |
                                               CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO |
                                               CL_FP_ROUND_TO_INF | CL_FP_FMA;
// Operations on floats are, too, where they do not round to nearest.
static const cl_device_fp_config SINGLE_CONFIG = CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF;

static cl_int query_device(const void *device, cl_uint name, size_t room, void *value,
                           size_t *size)
{
    return driver()->clGetDeviceInfo((cl_device_id)(uintptr_t)device, name, room, value, size);
}

static cl_int query_platform(const void *platform, cl_uint name, size_t room, void *value,
                             size_t *size)
{
    return driver()->clGetPlatformInfo((cl_platform_id)(uintptr_t)platform, name, room, value,
                                       size);
}

// A number of a device; 0 if the driver does not know the query.
static unsigned long long number_of(cl_device_id device, cl_uint name)
{
    cl_ulong number = 0;
    size_t size = 0;
    if (query_device(device, name, 0, NULL, &size) || size > sizeof number)
        return 0;
    if (size == sizeof(cl_uint)) {
        cl_uint value = 0;
        query_device(device, name, sizeof value, &value, NULL);
        return value;
    }
    query_device(device, name, sizeof number, &number, NULL);
    return number;
}

bool device_is_translated_for(cl_device_id device)
{
    if (!number_of(device, CL_DEVICE_COMPILER_AVAILABLE))
        return false;
    char *extensions = query_bytes(query_device, device, CL_DEVICE_EXTENSIONS, NULL);
    bool has_modes = text_has_word(extensions, MODES);
    bool is_known = extensions != NULL;
    free(extensions);
    return is_known && !has_modes;
}

struct described {
    const char *key;
    cl_uint name;
};

static const struct described TEXTS[] = {
    {"device.NAME", CL_DEVICE_NAME},
    {"device.VENDOR", CL_DEVICE_VENDOR},
    {"device.VERSION", CL_DEVICE_VERSION},
    {"device.DRIVER_VERSION", CL_DRIVER_VERSION},
    {"device.OPENCL_C_VERSION", CL_DEVICE_OPENCL_C_VERSION},
    {"device.EXTENSIONS", CL_DEVICE_EXTENSIONS},
};

static const struct described PLATFORM_TEXTS[] = {
    {"device.PLATFORM_NAME", CL_PLATFORM_NAME},
    {"device.PLATFORM_VERSION", CL_PLATFORM_VERSION},
};

static const struct described NUMBERS[] = {
    {"device.HALF_FP_CONFIG", CL_DEVICE_HALF_FP_CONFIG},
    {"device.SINGLE_FP_CONFIG", CL_DEVICE_SINGLE_FP_CONFIG},
    {"device.DOUBLE_FP_CONFIG", CL_DEVICE_DOUBLE_FP_CONFIG},
    {"device.IMAGE_SUPPORT", CL_DEVICE_IMAGE_SUPPORT},
    {"device.ADDRESS_BITS", CL_DEVICE_ADDRESS_BITS},
    {"device.MAX_WORK_GROUP_SIZE", CL_DEVICE_MAX_WORK_GROUP_SIZE},
    {"device.LOCAL_MEM_SIZE", CL_DEVICE_LOCAL_MEM_SIZE},
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

static void add_texts(struct message *request, const struct described *texts, size_t count,
                      query_function query, const void *object)
{
    for (size_t i = 0; i < count; i++) {
        char *text = query_bytes(query, object, texts[i].name, NULL);
        message_add(request, texts[i].key, text);
        free(text);
    }
}

void device_describe(cl_device_id device, struct message *request)
{
    add_texts(request, TEXTS, COUNT(TEXTS), query_device, device);
    cl_platform_id platform = NULL;
    query_device(device, CL_DEVICE_PLATFORM, sizeof(platform), &platform, NULL);
    add_texts(request, PLATFORM_TEXTS, COUNT(PLATFORM_TEXTS), query_platform, platform);
    for (size_t i = 0; i < COUNT(NUMBERS); i++)
        message_add_number(request, NUMBERS[i].key, number_of(device, NUMBERS[i].name));
    bool is_cpu = number_of(device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU;
    message_add_number(request, "device.IS_CPU", is_cpu);
}

static cl_int answer_extensions(cl_device_id device, size_t room, void *value, size_t *size)
{
    char *list = query_bytes(query_device, device, CL_DEVICE_EXTENSIONS, NULL);
    if (!list)
        return CL_OUT_OF_HOST_MEMORY;
    size_t length = strlen(list);
    bool is_open = length && list[length - 1] != ' ';
    bool has_half = text_has_word(list, HALF);
    char *longer = text_print("%s%s%s%s%s", list, is_open ? " " : "", has_half ? "" : HALF,
                              has_half ? "" : " ", MODES);
    cl_int status = longer ? answer_text(longer, room, value, size) : CL_OUT_OF_HOST_MEMORY;
    free(longer);
    free(list);
    return status;
}

static void add_extension(cl_name_version *list, size_t *count, const char *name)
{
    for (size_t i = 0; i < *count; i++)
        if (!strcmp(list[i].name, name))
            return;
    cl_name_version *added = &list[(*count)++];
    *added = (cl_name_version){.version = CL_MAKE_VERSION(1, 0, 0)};
    memcpy(added->name, name, strlen(name));
}

static cl_int answer_versions(cl_device_id device, size_t room, void *value, size_t *size_ret)
{
    size_t size;
    char *bytes = query_bytes(query_device, device, CL_DEVICE_EXTENSIONS_WITH_VERSION, &size);
    if (!bytes) // a device of OpenCL 2, say: the driver has the error
        return query_device(device, CL_DEVICE_EXTENSIONS_WITH_VERSION, room, value, size_ret);
    size_t count = size / sizeof(cl_name_version);
    cl_name_version *list = calloc(count + 2, sizeof *list);
    if (!list) {
        free(bytes);
        return CL_OUT_OF_HOST_MEMORY;
    }
    if (count)
        memcpy(list, bytes, count * sizeof *list);
    add_extension(list, &count, HALF);
    add_extension(list, &count, MODES);
    cl_int status = answer_query(list, count * sizeof *list, room, value, size_ret);
    free(list);
    free(bytes);
    return status;
}

static cl_int answer_config(cl_device_fp_config config, size_t room, void *value, size_t *size)
{
    return answer_query(&config, sizeof config, room, value, size);
}

// Devices without half have vectors of 0 halves.
static cl_int answer_width(cl_device_id device, cl_uint name, size_t room, void *value,
                           size_t *size)
{
    cl_uint width = (cl_uint)number_of(device, name);
    width = width ? width : 1;
    return answer_query(&width, sizeof width, room, value, size);
}

static cl_int answer_translated(cl_device_id device, cl_device_info name, size_t room,
                                void *value, size_t *size)
{
    switch (name) {
    case CL_DEVICE_EXTENSIONS:
        return answer_extensions(device, room, value, size);
    case CL_DEVICE_EXTENSIONS_WITH_VERSION:
        return answer_versions(device, room, value, size);
    case CL_DEVICE_HALF_FP_CONFIG:
        return answer_config(HALF_CONFIG, room, value, size);
    case CL_DEVICE_SINGLE_FP_CONFIG:
        return answer_config(number_of(device, name) | SINGLE_CONFIG, room, value, size);
    default:
        return answer_width(device, name, room, value, size);
    }
}

// Returns whether the layer changes the answer to a query.
static bool is_changed(cl_device_info name)
{
    return name == CL_DEVICE_EXTENSIONS || name == CL_DEVICE_EXTENSIONS_WITH_VERSION ||
           name == CL_DEVICE_HALF_FP_CONFIG || name == CL_DEVICE_SINGLE_FP_CONFIG ||
           name == CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF ||
           name == CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF;
}

cl_int CL_API_CALL layer_clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t room,
                                         void *value, size_t *size)
{
    if (is_changed(name) && device_is_translated_for(device))
        return answer_translated(device, name, room, value, size);
    return driver()->clGetDeviceInfo(device, name, room, value, size);
}
