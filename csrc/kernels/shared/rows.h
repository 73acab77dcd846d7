/* Rows of the kernel table, as the families' lists write them.
 *
 * The function of a row has the kernel's name, or is name_kernel if C's library, or an
 * operation here, has that name. If there is one per type, a letter says which: b B h H i I q Q
 * are integers of 8 to 64 bits, small letters signed, e f d half, float and double (as in
 * Python's struct). Loops are named by the number of their operands: unary, binary, ternary;
 * pair and int are a second result. */
#ifndef HALFCL_KERNELS_SHARED_ROWS_H
#define HALFCL_KERNELS_SHARED_ROWS_H

#include "halfcl.h"

/* A map of any types: those of the inputs, then of the outputs. */
#define MAP(name, loop, nin, nout, ...)                                                        \
    {name, HALFCL_MAP, {nin, nout, {__VA_ARGS__}}, {.map = loop}},
#define QUIET_MAP(name, loop, nin, nout, ...)                                                  \
    {name, HALFCL_MAP, {nin, nout, {__VA_ARGS__}}, {.map = loop, .quiet = true}},

/* The type constant of a C integer type. */
#define TYPE_OF(type)                                                                          \
    _Generic((type)0,                                                                          \
        int8_t: HALFCL_INT8,                                                                   \
        uint8_t: HALFCL_UINT8,                                                                 \
        int16_t: HALFCL_INT16,                                                                 \
        uint16_t: HALFCL_UINT16,                                                               \
        int32_t: HALFCL_INT32,                                                                 \
        uint32_t: HALFCL_UINT32,                                                               \
        int64_t: HALFCL_INT64,                                                                 \
        uint64_t: HALFCL_UINT64)

/* Maps of halves: to a half, by the number of inputs; to two halves; to truths. */
#define UNARY(name, loop) {name, HALFCL_MAP, HALFCL_HALVES(1, 1), {.map = loop}},
#define BINARY(name, loop) {name, HALFCL_MAP, HALFCL_HALVES(2, 1), {.map = loop}},
#define TERNARY(name, loop) {name, HALFCL_MAP, HALFCL_HALVES(3, 1), {.map = loop}},
#define UNARY_PAIR(name, loop) {name, HALFCL_MAP, HALFCL_HALVES(1, 2), {.map = loop}},
#define BINARY_PAIR(name, loop) {name, HALFCL_MAP, HALFCL_HALVES(2, 2), {.map = loop}},
#define QUIET(name, loop, nin)                                                                 \
    {name, HALFCL_MAP, HALFCL_HALVES(nin, 2), {.map = loop, .quiet = true}},
#define INTERVAL_UNARY(name, loop) QUIET(name, loop, 2)
#define INTERVAL_BINARY(name, loop) QUIET(name, loop, 4)
#define TEST(name, loop) MAP(name, loop, 1, 1, HALFCL_HALF, HALFCL_BOOL)
#define RELATION(name, loop) MAP(name, loop, 2, 1, HALFCL_HALF, HALFCL_HALF, HALFCL_BOOL)

/* A fold of nin inputs, with its three functions and those for many states. */
#define FOLD_OF_MANY(name, nin, add, merge, finish, ...)                                       \
    {name, HALFCL_FOLD, HALFCL_HALVES(nin, 1), {.fold = {add, merge, finish, __VA_ARGS__}}},

/* Maps of vectors, of one operand or two: to numbers; to vectors, for the widths from narrowest
 * to broadest (0: any). */
#define VECTORS_TO_NUMBERS(name, loop, nin)                                                    \
    {name, HALFCL_VECTORS, HALFCL_HALVES(nin, 1), {.vectors = {loop, false, 0, 0}}},
#define VECTORS_TO_VECTORS(name, loop, nin, narrowest, broadest)                               \
    {name,                                                                                     \
     HALFCL_VECTORS,                                                                           \
     HALFCL_HALVES(nin, 1),                                                                    \
     {.vectors = {loop, true, narrowest, broadest}}},

#endif
