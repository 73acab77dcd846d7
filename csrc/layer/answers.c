#include "answers.h"

#include <stdlib.h>
#include <string.h>

cl_int answer_query(const void *bytes, size_t size, size_t room, void *value, size_t *size_ret)
{
    if (value) {
        if (room < size)
            return CL_INVALID_VALUE;
        if (size)
            memcpy(value, bytes, size);
    }
    if (size_ret)
        *size_ret = size;
    return CL_SUCCESS;
}

cl_int answer_text(const char *text, size_t room, void *value, size_t *size_ret)
{
    const char *bytes = text ? text : "";
    return answer_query(bytes, strlen(bytes) + 1, room, value, size_ret);
}

char *query_bytes(query_function query, const void *objects, cl_uint name, size_t *size)
{
    size_t length = 0;
    if (query(objects, name, 0, NULL, &length) != CL_SUCCESS)
        return NULL;
    char *bytes = calloc(1, length + 1);
    if (bytes && query(objects, name, length, bytes, NULL) != CL_SUCCESS) {
        free(bytes);
        return NULL;
    }
    if (size)
        *size = length;
    return bytes;
}
