// Answers to the queries of OpenCL, which have one form.
#ifndef HALFCL_LAYER_ANSWERS_H
#define HALFCL_LAYER_ANSWERS_H

#include "opencl.h"

// Writes a value of `size` bytes into `value`, and its size. CL_INVALID_VALUE if there is less
// room.
cl_int answer_query(const void *bytes, size_t size, size_t room, void *value, size_t *size_ret);

// Writes a string, as `answer_query` does; NULL is an empty one.
cl_int answer_text(const char *text, size_t room, void *value, size_t *size_ret);

// Functions of the driver that answer queries about an object, or a pair of them.
typedef cl_int (*query_function)(const void *objects, cl_uint name, size_t room, void *value,
                                 size_t *size);

// Returns the answer to a query, to be freed, with a zero behind it; NULL if it fails or there
// is no memory.
char *query_bytes(query_function query, const void *objects, cl_uint name, size_t *size);

#endif
