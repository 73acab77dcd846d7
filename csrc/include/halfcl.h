/* The numeric engine of halfcl: its C API, but for the order among halves, run/sort.h.
 *
 * The engine knows nothing of Python or NumPy. A half is its 16 bits in a uint16_t.
 *
 * Find a kernel by its name, kind and types, and hand it to its kind's driver, which sets
 * and restores the floating-point environment and takes operands as they come:
 *
 *     halfcl_signature binary = HALFCL_HALVES(2, 1);
 *     const halfcl_kernel *add =
 *         halfcl_find_kernel(halfcl_find_isa(NULL), "add", HALFCL_MAP, &binary);
 *     unsigned flags = halfcl_run(add, operands, steps, n, HALFCL_RTP);
 */
#ifndef HALFCL_H
#define HALFCL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { HALFCL_RTE, HALFCL_RTZ, HALFCL_RTP, HALFCL_RTN } halfcl_rounding;

/* IEEE 754 exceptions, as bits. Underflow means "inexact and tiny before
 * rounding", which is what NumPy's float16 raises. Inexact is not reported.
 * Misuse is no exception of arithmetic: a driver was given what it cannot run, a kernel of
 * another kind or operands that do not fit, and has written nothing. */
enum {
    HALFCL_INVALID = 1,
    HALFCL_DIVBYZERO = 2,
    HALFCL_OVERFLOW = 4,
    HALFCL_UNDERFLOW = 8,
    HALFCL_EXCEPTIONS = 15,
    HALFCL_MISUSE = 16,
};

/* ------------------------------------------------------------ types */

/* What an operand's elements are. A bool is a byte, 0 or 1. */
typedef enum {
    HALFCL_HALF,
    HALFCL_BOOL,
    HALFCL_INT8,
    HALFCL_UINT8,
    HALFCL_INT16,
    HALFCL_UINT16,
    HALFCL_INT32,
    HALFCL_UINT32,
    HALFCL_INT64,
    HALFCL_UINT64,
    HALFCL_FLOAT,
    HALFCL_DOUBLE,
    HALFCL_TYPES
} halfcl_type;

/* Bytes an element. */
static inline size_t halfcl_type_size(halfcl_type type)
{
    static const uint8_t sizes[HALFCL_TYPES] = {2, 1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    return sizes[type];
}

enum { HALFCL_MAX_OPERANDS = 6 };

/* The types of the inputs, then of the outputs; what is beyond is 0. */
typedef struct {
    uint8_t nin, nout;
    uint8_t types[HALFCL_MAX_OPERANDS];
} halfcl_signature;

/* That of halves alone, which HALFCL_HALF being 0 makes short. */
#define HALFCL_HALVES(nin, nout)                                                               \
    {                                                                                          \
        nin, nout,                                                                             \
        {                                                                                      \
            HALFCL_HALF                                                                        \
        }                                                                                      \
    }

/* ------------------------------------------------------------ images, as data */

/* OpenCL's constants. */
typedef enum {
    HALFCL_SNORM_INT8 = 0x10D0,
    HALFCL_SNORM_INT16 = 0x10D1,
    HALFCL_UNORM_INT8 = 0x10D2,
    HALFCL_UNORM_INT16 = 0x10D3,
    HALFCL_UNORM_SHORT_565 = 0x10D4,
    HALFCL_UNORM_SHORT_555 = 0x10D5,
    HALFCL_UNORM_INT_101010 = 0x10D6,
    HALFCL_SIGNED_INT8 = 0x10D7,
    HALFCL_SIGNED_INT16 = 0x10D8,
    HALFCL_SIGNED_INT32 = 0x10D9,
    HALFCL_UNSIGNED_INT8 = 0x10DA,
    HALFCL_UNSIGNED_INT16 = 0x10DB,
    HALFCL_UNSIGNED_INT32 = 0x10DC,
    HALFCL_HALF_FLOAT = 0x10DD,
    HALFCL_FLOAT_CHANNEL = 0x10DE,
    HALFCL_UNORM_INT_101010_2 = 0x10E0,
} halfcl_channel_type;

typedef enum {
    HALFCL_ADDRESS_NONE = 0x1130,
    HALFCL_ADDRESS_CLAMP_TO_EDGE = 0x1131,
    HALFCL_ADDRESS_CLAMP = 0x1132,
    HALFCL_ADDRESS_REPEAT = 0x1133,
    HALFCL_ADDRESS_MIRRORED_REPEAT = 0x1134,
} halfcl_addressing;

typedef enum { HALFCL_NEAREST = 0x1140, HALFCL_LINEAR = 0x1141 } halfcl_filter;

/* What a component is that no channel holds. */
enum { HALFCL_ALWAYS_0 = -1, HALFCL_ALWAYS_1 = -2 };

/* The greatest size: a coordinate, of 24 bits, times a size is exact in double. */
enum { HALFCL_MAX_SIZE = (1 << 29) - 1 };

/* Texels anywhere in memory, of channels next to each other, or packed into one word, the first
 * channel on top. What is outside reads as (0, 0, 0, border_alpha). */
typedef struct {
    char *texels;
    int32_t size[3];   /* along x, y and z; 1 beyond dims */
    ptrdiff_t step[4]; /* bytes to the next texel along x, y and z, and to the next layer */
    int dims;
    int32_t layers; /* of an image array; else 0 */
    halfcl_channel_type type;
    int channels;
    int8_t components[4]; /* the channels of r, g, b and a, or HALFCL_ALWAYS_ */
    bool border_alpha;
    bool srgb; /* r, g and b of UNORM_INT8 are encoded so */
} halfcl_image;

typedef struct {
    bool normalized;
    halfcl_addressing addressing;
    halfcl_filter filter;
} halfcl_sampler;

/* For each sample width numbers, floats or int32: x, y, z as far as the image has them, the
 * layer, and what is not looked at. */
typedef struct {
    const void *start;
    size_t width;
    bool are_integers;
} halfcl_coordinates;

/* ------------------------------------------------------------ kernels */

/* A kernel has one shape for its kind. Whatever its kind, it must run in the environment of
 * halfcl_enter, which the drivers below see to. */
typedef enum {
    HALFCL_MAP,     /* element by element */
    HALFCL_FOLD,    /* many elements to one result */
    HALFCL_VECTORS, /* vectors to vectors, or to one result each */
    HALFCL_LOCATE,  /* coordinates to texels of images */
    HALFCL_BLEND,   /* texels to their sums */
    HALFCL_FILTER,  /* texels to halves, but for hard cases */
    HALFCL_SCAN,    /* for each element a fold of all up to it */
    HALFCL_AT,      /* some elements of an array, one after the other */
} halfcl_kind;

/* args: the inputs, then the outputs, each contiguous and aligned to its element. An output
 * may be an input, exactly, if its elements are no wider. Returns the exceptions that the
 * hardware did not record. */
typedef unsigned halfcl_map(void *const *args, size_t n, halfcl_rounding mode);

/* A sum as an integer: limb[k] * 2^(32 k), in a unit that its user knows. */
enum { HALFCL_LIMBS = 5 };
typedef struct {
    int64_t limb[HALFCL_LIMBS];
} halfcl_exact_sum;

/* Elements, or rows, of an array: each step bytes further, length of them. Those that are
 * meant, by their indices, which are within the array, or negative from its end; and the
 * values, the second operands, so many bytes apart. All are aligned. */
typedef struct {
    char *start;
    ptrdiff_t step;
    size_t length;
    const ptrdiff_t *indices;
    const char *values;
    ptrdiff_t value_step;
} halfcl_targets;

/* Replaces n elements, one after the other, by results of themselves and their values. Returns
 * the exceptions that the hardware did not record. */
typedef unsigned halfcl_map_at(const halfcl_targets *targets, size_t n, halfcl_rounding mode);

/* What a fold knows of the elements that it has taken. All zero: none. It points nowhere, so
 * that states can be kept, sent and merged in any order: the result, and its exceptions, are
 * those of all elements at once. */
typedef struct {
    union {
        halfcl_exact_sum sum;
        struct {
            int16_t least, most; /* in the order of halves */
        } range;
        struct {
            double high, low; /* their sum times 2^exponent */
            int64_t exponent;
            int32_t odd; /* the product of the odd parts of significands, if it is short */
        } product;
    };
    uint32_t seen; /* bits of exact/sum.h */
} halfcl_fold_state;

/* What the state of a sum has seen that starts from +0, where others start from their first
 * term. */
enum { HALFCL_FROM_ZERO = 2 };

/* Takes n elements of each input, contiguous and aligned, into a state; takes another state
 * in; writes the result, rounded once, and returns the exceptions of the whole fold (those
 * that the hardware records on the way do not count). */
typedef void halfcl_fold_add(halfcl_fold_state *state, const void *const *inputs, size_t n);
typedef void halfcl_fold_merge(halfcl_fold_state *state, const halfcl_fold_state *other);
typedef unsigned halfcl_fold_finish(const halfcl_fold_state *state, uint16_t *result,
                                    halfcl_rounding mode);

/* Takes rows of elements, one for each state: row r of input i begins r * steps[i] bytes from
 * inputs[i], contiguous and aligned. The states are state_step bytes apart. */
typedef void halfcl_fold_add_rows(char *states, ptrdiff_t state_step, size_t count,
                                  const void *const *inputs, const ptrdiff_t *steps,
                                  size_t rows);

/* Takes for each of count states a row of n elements, contiguous and aligned: that of state k
 * and input i begins k * steps[i] bytes from inputs[i]. */
typedef void halfcl_fold_add_each(char *states, ptrdiff_t state_step, size_t count,
                                  const void *const *inputs, const ptrdiff_t *steps, size_t n);

/* Writes the results of count states, rounded once each in the mode, which is the processor's,
 * too; returns the exceptions that the hardware does not record. */
typedef unsigned halfcl_fold_finish_all(const char *states, ptrdiff_t state_step, size_t count,
                                        uint16_t *results, halfcl_rounding mode);

/* *accumulator = the fold of it and n elements, contiguous and aligned, if bounds of it round
 * to the same half, and not to a zero; else false, and nothing done. The processor rounds up,
 * and what it records does not count. */
typedef bool halfcl_fold_bound(uint16_t *accumulator, const uint16_t *in, size_t n,
                               halfcl_rounding mode, unsigned *flags);

/* Takes up to HALFCL_FEW rows of count elements each, as add_rows does, into a double for each
 * column, with room for HALFCL_ROOM more; whether all that was rounded is exact. Infinities and
 * NaNs come to what they come to in double. */
enum { HALFCL_FEW = 32, HALFCL_ROOM = 64 };
typedef bool halfcl_fold_few(double *results, size_t count, const void *const *inputs,
                             const ptrdiff_t *steps, size_t rows);

/* Where a matrix of halves is; bytes from row to row and from column to column. */
typedef struct {
    char *start;
    ptrdiff_t row, column;
} halfcl_matrix;

/* out, m by p, is to be the product of a, m by n, and b, n by p. */
typedef struct {
    halfcl_matrix a, b, out;
    size_t m, n, p;
} halfcl_matrix_product;

/* count products, of matrices of which each is so many bytes after the one before. */
typedef struct {
    halfcl_matrix_product first;
    size_t count;
    ptrdiff_t a, b, out;
} halfcl_matrix_stack;

/* Products of matrices by exact dot products, each rounded once, in the mode, which is the
 * processor's, too. Of the exceptions that the hardware records, overflow and underflow count
 * besides those returned. */
typedef unsigned halfcl_multiply(const halfcl_matrix_stack *stack, halfcl_rounding mode);

/* Writes for each of n elements, contiguous and aligned, the result of all that the state has
 * taken, and of those up to it, rounded in the mode, which is the processor's, too; the state
 * takes them in. out may be where the elements are, if it is of halves. */
typedef unsigned halfcl_scan_map(halfcl_fold_state *state, const uint16_t *in, size_t n,
                                 void *out, halfcl_rounding mode);

/* The same of rows by columns, contiguous and aligned in each row, down the columns: each has a
 * state of its own. */
typedef unsigned halfcl_scan_down(halfcl_fold_state *states, size_t columns, const char *in,
                                  ptrdiff_t in_step, char *out, ptrdiff_t out_step, size_t rows,
                                  halfcl_rounding mode);

/* The same of count rows of n halves each, one after the other, from nothing on in each row: no
 * more than HALFCL_LONGEST_SCAN. out may be where the elements are. */
enum { HALFCL_LONGEST_SCAN = 1 << 11 };
typedef unsigned halfcl_scan_rows(const uint16_t *in, size_t n, size_t count, uint16_t *out,
                                  halfcl_rounding mode);

/* And down columns, as halfcl_scan_down. false, and nothing done, if the rows are too many. */
typedef bool halfcl_scan_few_rows(const char *in, ptrdiff_t in_step, char *out,
                                  ptrdiff_t out_step, size_t rows, size_t columns,
                                  halfcl_rounding mode, unsigned *flags);

/* Bytes from one vector to the next, and from one component to the next; width: how many
 * components there are: 1 in the output of what gives one result a vector. */
typedef struct {
    char *start;
    ptrdiff_t step, component;
    size_t width;
} halfcl_vectors;

/* n vectors of each operand, inputs then output, anywhere in memory. Returns the exceptions
 * that the hardware did not record. */
typedef unsigned halfcl_vector_map(const halfcl_vectors *operands, size_t n,
                                   halfcl_rounding mode);

/* Of images, kernels take a block of samples at most. */
enum { HALFCL_IMAGE_BLOCK = 128, HALFCL_CORNERS = 8 };

/* The texels of a block of samples by corner, x going first: of LINEAR 2 in each dimension,
 * else one; and the weight along each dimension of the second one. Where they are together, the
 * first corner is all that is told: the others are so many bytes further along each dimension.
 */
typedef struct {
    char *at[HALFCL_CORNERS][HALFCL_IMAGE_BLOCK];
    double weight[3][HALFCL_IMAGE_BLOCK];
    bool together;
    ptrdiff_t apart[3];
} halfcl_texels;

static inline char *halfcl_texel_at(const halfcl_texels *texels, int corner, size_t sample)
{
    if (!texels->together)
        return texels->at[corner][sample];
    char *texel = texels->at[0][sample];
    for (int d = 0; d < 3; ++d)
        texel += corner >> d & 1 ? texels->apart[d] : 0;
    return texel;
}

/* Finds the texels of n samples, from that number on, in the layers that begin so many bytes
 * from the first (NULL: there is one). A layer that is HALFCL_OUTSIDE, and all else that is
 * outside, is at the border. Right if that is returned, or if the hardware records nothing
 * inexact; else inside all the same. */
#define HALFCL_OUTSIDE (-((int64_t)1 << 50))
typedef bool halfcl_locate(const halfcl_image *image, const halfcl_sampler *sampler,
                           const halfcl_coordinates *coordinates, size_t first, size_t n,
                           const int64_t *layers, char *border, halfcl_texels *found);

/* n colours, of four doubles, and whether they are all finite. They are right if the hardware
 * records nothing inexact; else within bounds, which may be NULL. */
typedef bool halfcl_blend(const halfcl_texels *texels, int dims, size_t n, double *colors,
                          double *bounds);

/* n colours of planes as halves, rounded in the mode, which is the processor's, too; the
 * numbers of those that are not decided, hard cases, and how many there are: their colours are
 * anything. Texels are together, their pairs along x next to each other, and those of a whole
 * block are there, beyond n as well. next: texels of another block, which are called into the
 * cache. */
typedef size_t halfcl_filter_map(const halfcl_texels *texels, char *const *next, size_t n,
                                 uint16_t *colors, uint16_t *hard, halfcl_rounding mode);

/* One row of the kernel table. */
typedef struct {
    const char *name;
    halfcl_kind kind;
    halfcl_signature signature;
    union {
        struct {
            halfcl_map *map;
            bool quiet; /* what its steps raise means nothing: no exceptions are reported */
        };
        struct {
            halfcl_fold_add *add;
            halfcl_fold_merge *merge;
            halfcl_fold_finish *finish;
            halfcl_fold_add_rows *add_rows; /* this and those below: or NULL */
            halfcl_fold_add_each *add_each;
            halfcl_fold_finish_all *finish_all;
            halfcl_multiply *multiply; /* of dot products */
            halfcl_fold_few *take_few;
            halfcl_fold_bound *by_bounds;
            bool rounds; /* on the way: how elements are grouped may tell, however little */
        } fold;
        struct {
            halfcl_vector_map *map;
            bool gives_vectors;          /* else one result a vector */
            uint8_t narrowest, broadest; /* the widths that it takes; 0: any */
        } vectors;
        halfcl_map_at *at;
        halfcl_locate *locate;
        halfcl_blend *blend;
        halfcl_filter_map *filter;
        struct {
            halfcl_scan_map *scan;
            halfcl_scan_down *scan_down; /* or NULL */
            halfcl_scan_rows *scan_rows; /* or NULL, and the next one, too */
            halfcl_scan_few_rows *scan_columns;
            halfcl_fold_add *scan_add; /* takes elements without results; or NULL */
            halfcl_fold_merge *scan_merge;
        };
    };
} halfcl_kernel;

/* Kernels that are compiled together. */
typedef struct {
    const halfcl_kernel *kernels;
    size_t count;
} halfcl_family;

/* An instruction set that is compiled in. */
typedef struct halfcl_isa {
    const char *name;                     /* as targets.def has it: "portable", "avx2", ... */
    const halfcl_family *const *families; /* NULL past the last */
    const struct halfcl_mode_tools *mode_tools;   /* of format/modes.h */
    const struct halfcl_order_tools *order_tools; /* of format/order.h */
    halfcl_vector_map *const *copies; /* of elements of 1, 2, 4 and 8 bytes; NULL: the base's */
    const struct halfcl_isa *base;    /* has the kernels that this one leaves out, or NULL */
} halfcl_isa;

/* The sets compiled in that this CPU can run, best last; NULL past the end. */
const halfcl_isa *halfcl_available(size_t index);

/* The set of that name if this CPU can run it, else NULL. NULL asks for the best. */
const halfcl_isa *halfcl_find_isa(const char *name);

/* The kernel of that name, kind and types in a set, else NULL. */
const halfcl_kernel *halfcl_find_kernel(const halfcl_isa *isa, const char *name,
                                        halfcl_kind kind, const halfcl_signature *signature);

/* Each kernel of a set in turn, without its base's; NULL past the end. */
const halfcl_kernel *halfcl_kernel_at(const halfcl_isa *isa, size_t index);

/* The CPU features that matter here, by name; NULL past the end. */
const char *halfcl_cpu_feature(size_t index);

/* ------------------------------------------------------------ drivers, one a kind */

/* Each runs kernels of its kind over operands that are strided, unaligned or broadcast (step
 * 0), in the floating-point environment that it sets and restores, and returns the exceptions
 * raised; HALFCL_MISUSE, with nothing written, for a kernel that is not of its kind. Steps
 * are in bytes. */

/* Applies a map to n elements of each operand (inputs, then outputs). Where an output
 * overlaps an input, the result is that of one element after the other, as NumPy's accumulate
 * needs. */
unsigned halfcl_run(const halfcl_kernel *map, char *const *operands, const ptrdiff_t *steps,
                    size_t n, halfcl_rounding mode);

/* Elements along several axes: how many along each, and for each operand bytes from one to the
 * next. */
enum { HALFCL_MAX_AXES = 64 };
typedef struct {
    int axes;
    size_t shape[HALFCL_MAX_AXES];
    ptrdiff_t steps[HALFCL_MAX_OPERANDS][HALFCL_MAX_AXES];
} halfcl_grid;

/* As halfcl_run, of such operands, in any order of elements. No two elements of an output touch
 * each other; an output may lie on an input element by element, but not touch one otherwise. */
unsigned halfcl_run_grid(const halfcl_isa *isa, const halfcl_kernel *map, char *const *operands,
                         const halfcl_grid *grid, halfcl_rounding mode);

/* As halfcl_run, but the exceptions, those of wanted, are raised in the caller's environment.
 * Where that is as the kernel needs it, which is nearly always, there is nothing to read or
 * write after the kernel. Returns HALFCL_MISUSE or 0. */
unsigned halfcl_run_raising(const halfcl_kernel *map, char *const *operands,
                            const ptrdiff_t *steps, size_t n, halfcl_rounding mode,
                            unsigned wanted);

/* As halfcl_run, for a kernel of that set, with a mode for each element, 0 to 3; mode_step is
 * in bytes, 0 for one of all. The exceptions are those of each element in its own mode. An
 * output may lie on an input element by element, but not touch one otherwise. */
unsigned halfcl_run_in_modes(const halfcl_isa *isa, const halfcl_kernel *map,
                             char *const *operands, const ptrdiff_t *steps,
                             const uint8_t *modes, ptrdiff_t mode_step, size_t n);

/* Whether each is a mode's number. */
bool halfcl_are_modes(const halfcl_isa *isa, const uint8_t *codes, size_t n);

/* Replaces elements, or rows of width halves next to each other, one after the other, by the
 * results of a map of two halves; at: what does the same for single ones, or NULL. */
unsigned halfcl_run_at(const halfcl_kernel *map, const halfcl_kernel *at,
                       const halfcl_targets *targets, size_t n, size_t width,
                       halfcl_rounding mode);

/* Converts n halves, step bytes apart, to complex numbers next to each other, by a map of
 * halves to the parts' type. Raises nothing. */
void halfcl_run_to_complex(const halfcl_kernel *convert, void *to, const void *from,
                           ptrdiff_t step, size_t n);

/* Copies n halves, aligned or not. */
void halfcl_run_copy(void *to, const void *from, size_t n);

/* Applies a map of two halves to the accumulator and each of n elements, from left to right. */
unsigned halfcl_fold_in_order(const halfcl_kernel *map, uint16_t *accumulator, const char *in,
                              ptrdiff_t step, size_t n, halfcl_rounding mode);

/* *accumulator = the fold, of one input, of it and n elements. */
unsigned halfcl_fold(const halfcl_kernel *fold, uint16_t *accumulator, const char *in,
                     ptrdiff_t step, size_t n, halfcl_rounding mode);

/* The same, where bounds tell the result, which is no zero; it takes half as long. Else false,
 * and nothing done. Adds the exceptions. */
bool halfcl_fold_by_bounds(const halfcl_kernel *fold, uint16_t *accumulator, const char *in,
                           ptrdiff_t step, size_t n, halfcl_rounding mode, unsigned *flags);

/* The same in parts: n elements of each input into a state, a state into another, and the
 * result. */
unsigned halfcl_state_add(const halfcl_kernel *fold, halfcl_fold_state *state,
                          char *const *inputs, const ptrdiff_t *steps, size_t n);
unsigned halfcl_state_merge(const halfcl_kernel *fold, halfcl_fold_state *state,
                            const halfcl_fold_state *other);
unsigned halfcl_state_finish(const halfcl_kernel *fold, const halfcl_fold_state *state,
                             uint16_t *result, halfcl_rounding mode);

/* States of sums in the least room: a sum is an integer of as many words of 64 bits, the lowest
 * first and the last in two's complement. word[w] is where word w of all is, which need not be
 * aligned; seen[k] is as in state k. */
enum { HALFCL_PACKED_WORDS = 3 };
typedef struct {
    char *word[HALFCL_PACKED_WORDS];
    int words;
    uint8_t *seen;
} halfcl_packed_sums;

/* Packs n states of "add_reduce" or "dot" into words that have room for them, and unpacks them.
 */
void halfcl_pack_sums(const halfcl_fold_state *states, size_t n,
                      const halfcl_packed_sums *packed);
void halfcl_unpack_sums(const halfcl_packed_sums *packed, size_t n, halfcl_fold_state *states);

/* Adds n sums to n others, which have as many words or more, and room for the results. */
void halfcl_add_packed_sums(const halfcl_packed_sums *to, const halfcl_packed_sums *other,
                            size_t n);

/* Runs a scan, from a state on, which takes in all elements. out may lie on in element by
 * element, but not touch it otherwise. */
unsigned halfcl_run_scan(const halfcl_kernel *scan, halfcl_fold_state *state, const char *in,
                         ptrdiff_t in_step, char *out, ptrdiff_t out_step, size_t n,
                         halfcl_rounding mode);

/* Runs it down columns, next to each other in rows of in and of out, from as many states on.
 * false, and nothing done, if elements do not lie so, or the kernel does not do it. */
bool halfcl_scan_columns(const halfcl_kernel *scan, halfcl_fold_state *states, size_t columns,
                         const char *in, ptrdiff_t in_step, char *out, ptrdiff_t out_step,
                         size_t rows, halfcl_rounding mode, unsigned *flags);

/* Lines of n elements each: bytes from one element to the next, and from one line to the next.
 * out may lie on in element by element, but not touch it otherwise. */
typedef struct {
    const char *in;
    ptrdiff_t in_step, in_across;
    char *out;
    ptrdiff_t out_step, out_across;
    size_t n;
} halfcl_scanned_lines;

/* Runs a scan of halves along each of count lines, from nothing on. false, and nothing done, if
 * they are longer than HALFCL_LONGEST_SCAN, or the kernel does not do it. */
bool halfcl_scan_lines(const halfcl_kernel *scan, const halfcl_scanned_lines *lines,
                       size_t count, halfcl_rounding mode, unsigned *flags);

/* As halfcl_run_scan, of one element that comes first, without a result, and n others. */
unsigned halfcl_accumulate(const halfcl_kernel *scan, const char *first, const char *in,
                           ptrdiff_t in_step, char *out, ptrdiff_t out_step, size_t n,
                           halfcl_rounding mode);

/* For each of count states n elements of each input: bytes from one state's to the next one's,
 * and from one to the next. where: bytes that are 0 for elements that are left out; or NULL. */
typedef struct {
    char *inputs[2];
    ptrdiff_t across[2], along[2];
    const char *where;
    ptrdiff_t where_across, where_along;
    size_t count, n;
} halfcl_elements;

/* Takes elements into states, state_step bytes apart. */
unsigned halfcl_states_add(const halfcl_kernel *fold, char *states, ptrdiff_t state_step,
                           const halfcl_elements *elements);

/* Writes the results of count states. */
unsigned halfcl_states_finish(const halfcl_kernel *fold, const char *states,
                              ptrdiff_t state_step, size_t count, uint16_t *results,
                              halfcl_rounding mode);

/* The sums that statistics are made of: of n numbers, by "add_reduce", and of as many products,
 * by "dot". */
typedef struct {
    const halfcl_fold_state *sum, *products;
} halfcl_moments;

typedef enum {
    HALFCL_SUM,
    HALFCL_SUM_OF_PRODUCTS,
    HALFCL_MEAN,
    HALFCL_VARIANCE,  /* (n products - sum^2) / (n freedom), where products are squares */
    HALFCL_DEVIATION, /* its root */
    HALFCL_NORM,      /* the root of products */
    HALFCL_PRODUCT,   /* of the numbers themselves: for halfcl_reduce_few alone */
} halfcl_statistic;

/* A statistic, exact and rounded once to half, float or double; what it does not need may be
 * NULL. Of no numbers it is NaN, but for sums; n and freedom are below 2^63. */
unsigned halfcl_round_statistic(halfcl_statistic what, const halfcl_moments *of, uint64_t n,
                                uint64_t freedom, halfcl_type type, halfcl_rounding mode,
                                void *result);

/* The same of count sums, next to each other, of as many numbers each, to half; narrow is
 * "convert" from double to half. */
unsigned halfcl_round_statistics(halfcl_statistic what, const halfcl_moments *of, size_t count,
                                 uint64_t n, uint64_t freedom, const halfcl_kernel *narrow,
                                 halfcl_rounding mode, uint16_t *results);

/* A statistic of each of many rows or columns of up to HALFCL_FEW elements, without where, to
 * half: what has taken elements before is left to states. HALFCL_MISUSE, with nothing written,
 * for others, and without the kernels that the statistic is made of. */
typedef struct {
    halfcl_statistic what;
    const halfcl_kernel *sum; /* "add_reduce", or "multiply_reduce"; NULL if there is none */
    const halfcl_kernel *products; /* "dot", or NULL */
    const halfcl_kernel *narrow;   /* "convert" from double to half */
    uint64_t freedom;
    /* How many elements of each row count, for means, variances and deviations: others are
     * zeros. freedom is that of a row of which all count. NULL: all do. */
    const uint64_t *counts;
    unsigned seen; /* by states at first: HALFCL_FROM_ZERO, or nothing */
    halfcl_rounding mode;
} halfcl_reduction;
unsigned halfcl_reduce_few(const halfcl_reduction *how, const halfcl_elements *elements,
                           uint16_t *results);

/* The product of "multiply_reduce", rounded to that type; to float and double right where it is
 * not within its error, see kernels/folds/product.h, of a number where that rounds. */
unsigned halfcl_round_product(const halfcl_kernel *fold, const halfcl_fold_state *product,
                              halfcl_type type, halfcl_rounding mode, void *result);

/* Multiplies matrices by a fold of two inputs, the dot product. Each sum starts from +0: of
 * terms that are all -0 it is -0 in HALFCL_RTN alone. */
unsigned halfcl_matmul(const halfcl_kernel *dot, const halfcl_matrix_product *product,
                       halfcl_rounding mode);

/* The same of many. */
unsigned halfcl_matmul_stack(const halfcl_kernel *dot, const halfcl_matrix_stack *stack,
                             halfcl_rounding mode);

/* Applies a kernel of vectors to n vectors of each operand, inputs then output. The output
 * overlaps no input. HALFCL_MISUSE, with nothing written, for widths that it does not take. */
unsigned halfcl_run_vectors(const halfcl_kernel *kernel, const halfcl_vectors *operands,
                            size_t n, halfcl_rounding mode);

/* The same of halves, with a mode for each vector, as halfcl_run_in_modes has it. */
unsigned halfcl_run_vectors_in_modes(const halfcl_isa *isa, const halfcl_kernel *kernel,
                                     const halfcl_vectors *operands, const uint8_t *modes,
                                     ptrdiff_t mode_step, size_t n);

/* Copies n halves, steps bytes apart, aligned or not. */
void halfcl_copy(char *to, ptrdiff_t to_step, const char *from, ptrdiff_t from_step, size_t n);

/* Copies those of n halves, aligned, for which a byte is not 0. */
void halfcl_copy_where(uint16_t *to, const uint16_t *from, const uint8_t *where, size_t n);

/* Raises exceptions in the caller's floating-point environment. */
void halfcl_raise(unsigned flags);

/* ------------------------------------------------------------ threads */

/* The drivers split a call of many elements over threads where that pays. Bits and exceptions
 * are the same whatever their number; calls that overlap so that order matters, and those of
 * random rounding, which are one sequence, are not split. */

enum { HALFCL_MAX_THREADS = 256 };

/* How many threads a call may use, the calling one included; from 1, which it is at first, to
 * HALFCL_MAX_THREADS: what is beyond is taken for the nearest. */
void halfcl_set_threads(int n);

/* The same for calls made by this thread alone: 0: no limit of its own. Returns the one before.
 */
int halfcl_limit_threads(int n);

/* Has a function called once in each thread that makes large calls and has no limit: it gives
 * the limit that the thread has from then on. It may wait for what its caller's threads hold:
 * the pool's own are never asked. */
void halfcl_ask_threads(int (*limit)(void));

/* How many a call made now by this thread may use: the smaller of the two. */
int halfcl_get_threads(void);

/* For tests: every call of at least twice as many elements is split, into parts of so many,
 * whatever it costs. 0: by measuring, as at first. */
void halfcl_set_grain(size_t elements);

/* For tests: how many threads wait for work now. */
int halfcl_idle_threads(void);

/* ------------------------------------------------------------ random rounding */

/* The same drivers, where every result of every element is rounded down or up by the toss of
 * a coin; a zero that is exact has the sign that it has to nearest. (Of vectors of more than
 * 256 components, results that are vectors are rounded one way each.) The state decides the
 * tosses, and is changed by them. decided, which only its user clears, becomes true once a
 * toss may have decided a result: none was inexact before. */
typedef struct {
    uint64_t state;
    bool decided;
} halfcl_random;

/* The mode for what rounds one number; or the one of two results that the coin chooses. */
halfcl_rounding halfcl_toss(halfcl_random *random);
uint16_t halfcl_choose(uint16_t down, uint16_t up, halfcl_random *random);

unsigned halfcl_run_random(const halfcl_kernel *map, char *const *operands,
                           const ptrdiff_t *steps, size_t n, halfcl_random *random);
unsigned halfcl_fold_random(const halfcl_kernel *fold, uint16_t *accumulator, const char *in,
                            ptrdiff_t step, size_t n, halfcl_random *random);
unsigned halfcl_fold_in_order_random(const halfcl_kernel *map, uint16_t *accumulator,
                                     const char *in, ptrdiff_t step, size_t n,
                                     halfcl_random *random);
unsigned halfcl_matmul_random(const halfcl_kernel *dot, const halfcl_matrix_product *product,
                              halfcl_random *random);
unsigned halfcl_run_vectors_random(const halfcl_kernel *kernel, const halfcl_vectors *operands,
                                   size_t n, halfcl_random *random);

/* ------------------------------------------------------------ images */

/* Bytes of a texel. 0 if there is no such channel type, or not of so many channels, or a
 * component is of none of them, or sRGB is of another type. */
size_t halfcl_texel_size(const halfcl_image *image);

/* What an image can be read or written as: half or float, int32 or uint32 by its type. */
bool halfcl_image_has(const halfcl_image *image, halfcl_type type);

/* n samples as r, g, b, a of a type, half, float, int32 or uint32, rounded once. Without a
 * sampler (NULL) coordinates are integers. Returns the exceptions of the conversions to that
 * type; HALFCL_MISUSE, with nothing written, if the image cannot be read as that, or not
 * through that sampler. */
unsigned halfcl_read_image(const halfcl_isa *isa, const halfcl_image *image,
                           const halfcl_sampler *sampler, const halfcl_coordinates *coordinates,
                           void *out, halfcl_type type, size_t n, halfcl_rounding mode);

/* The reverse, at int32 coordinates, one sample after the other. Those outside are dropped, and
 * counted. */
unsigned halfcl_write_image(const halfcl_isa *isa, const halfcl_image *image,
                            const halfcl_coordinates *coordinates, const void *colors,
                            halfcl_type type, size_t n, halfcl_rounding mode, size_t *dropped);

/* ------------------------------------------------------------ environment, scalars, text */

/* Floating-point environment around kernels: rounding in the given mode, no
 * traps, subnormals kept whatever FTZ and DAZ say, no exception pending. leave
 * restores what was there and returns the exceptions that the hardware
 * recorded since enter. */
typedef struct {
    uint64_t saved[8]; /* opaque; large enough for a fenv_t */
} halfcl_env;

void halfcl_enter(halfcl_env *env, halfcl_rounding mode);
unsigned halfcl_leave(const halfcl_env *env);

/* Scalar conversions. They need no environment and change none. */
float halfcl_to_float(uint16_t half);
uint16_t halfcl_from_double(double value, halfcl_rounding mode, unsigned *flags);

/* Reads one decimal or hexadecimal number ("1.5", "-0x1.8p-3", "inf", "nan",
 * "1e-7", with an optional OpenCL suffix h or H after a digit or exponent) from
 * text[0..length). Surrounding ASCII white space is allowed.
 * The result is the double that is the exact value rounded to odd, however long
 * the text is: halfcl_from_double then rounds it right in every mode.
 * Returns the number of characters read, 0 if there is no number. */
size_t halfcl_parse(const char *text, size_t length, double *rounded_to_odd);

#endif
