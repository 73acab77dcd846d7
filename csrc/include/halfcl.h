/* The C API of halfcl's numeric engine, except for the order of halves, run/sort.h.
 *
 * The engine knows nothing of Python or NumPy. A half is its 16 bits in a uint16_t.
 *
 * Find a kernel by its name, kind and types, and pass it to the driver of its kind, which
 * sets and restores the floating-point environment and accepts any layout of operands:
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

/* IEEE 754 exceptions, as bits. Underflow means "inexact and tiny before rounding", as NumPy's
 * float16 raises it. Inexact is not reported. HALFCL_MISUSE is not an exception of arithmetic:
 * the caller gave a driver something that it cannot run (a kernel of another kind, operands
 * that do not fit), and the driver has written nothing. */
enum {
    HALFCL_INVALID = 1,
    HALFCL_DIVBYZERO = 2,
    HALFCL_OVERFLOW = 4,
    HALFCL_UNDERFLOW = 8,
    HALFCL_EXCEPTIONS = 15,
    HALFCL_MISUSE = 16,
    HALFCL_TOO_FEW = 32, /* no exception, either: a statistic of too few numbers is NaN */
};

/* ------------------------------------------------------------ types */

/* The type of an operand's elements. A bool is a byte, 0 or 1. */
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

/* Returns the size of an element in bytes. */
static inline size_t halfcl_type_size(halfcl_type type)
{
    static const uint8_t sizes[HALFCL_TYPES] = {2, 1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    return sizes[type];
}

enum { HALFCL_MAX_OPERANDS = 6 };

/* The types of the inputs, then of the outputs; unused entries are 0. */
typedef struct {
    uint8_t nin, nout;
    uint8_t types[HALFCL_MAX_OPERANDS];
} halfcl_signature;

/* The signature of functions of halves only. The initialiser is short because HALFCL_HALF is
 * 0. */
#define HALFCL_HALVES(nin, nout)                                                               \
    {                                                                                          \
        nin, nout,                                                                             \
        {                                                                                      \
            HALFCL_HALF                                                                        \
        }                                                                                      \
    }

/* ------------------------------------------------------------ images, as data */

/* The values are OpenCL's constants. */
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

/* The value of a component that no channel stores. */
enum { HALFCL_ALWAYS_0 = -1, HALFCL_ALWAYS_1 = -2 };

/* The greatest size. A coordinate of 24 bits times such a size is exact in double. */
enum { HALFCL_MAX_SIZE = (1 << 29) - 1 };

/* An image in memory: its texels have one element per channel, or one packed word with the
 * first channel in the highest bits. Texels outside read as (0, 0, 0, border_alpha). */
typedef struct {
    char *texels;
    int32_t size[3];   /* along x, y and z; 1 beyond dims */
    ptrdiff_t step[4]; /* bytes to the next texel along x, y and z, and to the next layer */
    int dims;
    int32_t layers; /* of an image array; otherwise 0 */
    halfcl_channel_type type;
    int channels;
    int8_t components[4]; /* the channels of r, g, b and a, or a HALFCL_ALWAYS_ constant */
    bool border_alpha;
    bool srgb; /* r, g and b of UNORM_INT8 have the sRGB encoding */
} halfcl_image;

typedef struct {
    bool normalized;
    halfcl_addressing addressing;
    halfcl_filter filter;
} halfcl_sampler;

/* Coordinates: `width` numbers per sample, floats or int32. They are x, y, z as far as the
 * image has these dimensions, then the layer, then numbers that are ignored. */
typedef struct {
    const void *start;
    size_t width;
    bool are_integers;
} halfcl_coordinates;

/* ------------------------------------------------------------ kernels */

/* The kinds of kernels: each has one function type, below. Every kernel must run in the
 * environment that halfcl_enter sets; the drivers below do that. */
typedef enum {
    HALFCL_MAP,     /* element by element */
    HALFCL_FOLD,    /* many elements to one result */
    HALFCL_VECTORS, /* vectors to vectors, or to one result each */
    HALFCL_LOCATE,  /* coordinates to texels of images */
    HALFCL_BLEND,   /* texels to their sums */
    HALFCL_FILTER,  /* texels to halves, but for hard cases */
    HALFCL_SCAN,    /* for each element a fold of all elements up to it */
    HALFCL_AT,      /* chosen elements of an array, one after the other */
} halfcl_kind;

/* Maps elements. args: the inputs, then the outputs, each contiguous and aligned to its
 * element. An output may be the same array as an input if its elements are no wider. Returns
 * the exceptions that the hardware did not record. */
typedef unsigned halfcl_map(void *const *args, size_t n, halfcl_rounding mode);

/* A sum is an integer: the sum of limb[k] * 2^(32 k), in a unit that the user of the sum
 * knows. */
enum { HALFCL_LIMBS = 5 };
typedef struct {
    int64_t limb[HALFCL_LIMBS];
} halfcl_exact_sum;

/* The elements, or rows, of an array that an operation changes: `length` of them, `step` bytes
 * apart. The indices select them; they are within the array, or negative from its end. The
 * values are the second operands, with a step of their own. All are aligned. */
typedef struct {
    char *start;
    ptrdiff_t step;
    size_t length;
    const ptrdiff_t *indices;
    const char *values;
    ptrdiff_t value_step;
} halfcl_targets;

/* Replaces n elements, one after the other, by the results for them and their values. Returns
 * the exceptions that the hardware did not record. */
typedef unsigned halfcl_map_at(const halfcl_targets *targets, size_t n, halfcl_rounding mode);

/* The state of a fold: all that it needs to know of the elements added so far. All zero means
 * no elements. It has no pointers, so states can be stored, sent and merged in any order: the
 * result and its exceptions are those of all elements at once. */
typedef struct {
    union {
        halfcl_exact_sum sum;
        struct {
            int16_t least, most; /* keys in the order of halves */
        } range;
        struct {
            double high, low; /* the sum of the two times 2^exponent */
            int64_t exponent;
            int32_t odd; /* the product of the odd parts of the significands, if it is short */
        } product;
    };
    uint32_t seen; /* flags of exact/sum.h */
} halfcl_fold_state;

/* The flag in `seen` of a sum that starts from +0; other sums start from their first term. */
enum { HALFCL_FROM_ZERO = 2 };

/* The functions of a fold: add n elements of each input, contiguous and aligned, to a state;
 * merge another state into a state; write the result, rounded once, and return the exceptions
 * of the whole fold (exceptions that the hardware records meanwhile do not count). */
typedef void halfcl_fold_add(halfcl_fold_state *state, const void *const *inputs, size_t n);
typedef void halfcl_fold_merge(halfcl_fold_state *state, const halfcl_fold_state *other);
typedef unsigned halfcl_fold_finish(const halfcl_fold_state *state, uint16_t *result,
                                    halfcl_rounding mode);

/* Adds rows of elements: element c of each row to state c. Row r of input i begins r * steps[i]
 * bytes from inputs[i], contiguous and aligned. The states are state_step bytes apart. */
typedef void halfcl_fold_add_rows(char *states, ptrdiff_t state_step, size_t count,
                                  const void *const *inputs, const ptrdiff_t *steps,
                                  size_t rows);

/* Adds a row of n elements, contiguous and aligned, to each of count states. The row of state k
 * and input i begins k * steps[i] bytes from inputs[i]. */
typedef void halfcl_fold_add_each(char *states, ptrdiff_t state_step, size_t count,
                                  const void *const *inputs, const ptrdiff_t *steps, size_t n);

/* Writes the results of count states, each rounded once in the mode, in which the processor
 * rounds, too. Returns the exceptions that the hardware does not record. */
typedef unsigned halfcl_fold_finish_all(const char *states, ptrdiff_t state_step, size_t count,
                                        uint16_t *results, halfcl_rounding mode);

/* Sets *accumulator to the fold of it and n elements, contiguous and aligned, if lower and
 * upper bounds of the result round to the same half and that is not a zero, or if an infinity
 * or a NaN decides it; otherwise returns false and changes nothing. The processor rounds up,
 * and the exceptions that it records do not count. */
typedef bool halfcl_fold_bound(uint16_t *accumulator, const uint16_t *in, size_t n,
                               halfcl_rounding mode, unsigned *flags);

/* Adds one to HALFCL_FEW rows of count elements each, as add_rows does, into a double per
 * column, with room for HALFCL_ROOM more. Returns whether all additions were exact. Infinities
 * and NaNs give what they give in double. */
enum { HALFCL_FEW = 32, HALFCL_ROOM = 64 };
typedef bool halfcl_fold_few(double *results, size_t count, const void *const *inputs,
                             const ptrdiff_t *steps, size_t rows);

typedef enum {
    HALFCL_SUM,
    HALFCL_SUM_OF_PRODUCTS,
    HALFCL_MEAN,
    HALFCL_VARIANCE,  /* (n products - sum^2) / (n freedom), where the products are squares */
    HALFCL_DEVIATION, /* the square root of the variance */
    HALFCL_NORM,      /* the square root of the sum of products */
    HALFCL_PRODUCT,   /* of the numbers themselves: for halfcl_reduce_few only */
} halfcl_statistic;

/* A statistic of each column of some rows, the same array twice if it has squares. */
typedef struct {
    halfcl_statistic what;
    size_t rows;
    double divisor; /* of means, and of variances times the number of rows */
    float zero;     /* what sums start with */
    halfcl_rounding mode;
} halfcl_few;

/* Computes the results for up to HALFCL_FEW_COLUMNS: halves, rounded in the mode, in which the
 * processor rounds, too, whose exceptions are those that the hardware records and those in
 * flags; for roots and variances doubles that round to half like these, with room for
 * HALFCL_ROOM more, where the processor rounds to nearest. Returns false, with arbitrary
 * results and exceptions, if they need a closer look. */
enum { HALFCL_FEW_COLUMNS = 256 };
typedef bool halfcl_fold_round_few(void *results, size_t count, const void *const *inputs,
                                   const ptrdiff_t *steps, const halfcl_few *how,
                                   unsigned *flags);

/* A matrix of halves in memory, with the bytes from row to row and from column to column. */
typedef struct {
    char *start;
    ptrdiff_t row, column;
} halfcl_matrix;

/* Operands of a matrix product: out, m by p, becomes the product of a, m by n, and b, n by
 * p. */
typedef struct {
    halfcl_matrix a, b, out;
    size_t m, n, p;
} halfcl_matrix_product;

/* A stack of count products: each matrix lies so many bytes after the one before it. */
typedef struct {
    halfcl_matrix_product first;
    size_t count;
    ptrdiff_t a, b, out;
} halfcl_matrix_stack;

/* Multiplies matrices by exact dot products, each rounded once in the mode, in which the
 * processor rounds, too. Of the exceptions that the hardware records, overflow and underflow
 * count, besides those returned. */
typedef unsigned halfcl_multiply(const halfcl_matrix_stack *stack, halfcl_rounding mode);

/* Writes for each of n elements, contiguous and aligned, the result for all elements that the
 * state contains and those up to this one, rounded in the mode, in which the processor rounds,
 * too; then adds them to the state. out may be the array of the elements if it holds halves. */
typedef unsigned halfcl_scan_map(halfcl_fold_state *state, const uint16_t *in, size_t n,
                                 void *out, halfcl_rounding mode);

/* Scans down the columns of a matrix of rows, contiguous and aligned in each row, with one
 * state per column. */
typedef unsigned halfcl_scan_down(halfcl_fold_state *states, size_t columns, const char *in,
                                  ptrdiff_t in_step, char *out, ptrdiff_t out_step, size_t rows,
                                  halfcl_rounding mode);

/* Scans each of count rows of n halves, which follow each other, starting every row with no
 * elements. n is at most HALFCL_LONGEST_SCAN. out may be the array of the elements. */
enum { HALFCL_LONGEST_SCAN = 1 << 11 };
typedef unsigned halfcl_scan_rows(const uint16_t *in, size_t n, size_t count, uint16_t *out,
                                  halfcl_rounding mode);

/* Scans down columns, as halfcl_scan_down. Returns false and does nothing if there are too many
 * rows. */
typedef bool halfcl_scan_few_rows(const char *in, ptrdiff_t in_step, char *out,
                                  ptrdiff_t out_step, size_t rows, size_t columns,
                                  halfcl_rounding mode, unsigned *flags);

/* Vectors in memory: the bytes from one vector to the next and from one component to the next;
 * width is the number of components, 1 in the output of a function with one result per
 * vector. */
typedef struct {
    char *start;
    ptrdiff_t step, component;
    size_t width;
} halfcl_vectors;

/* Maps n vectors of each operand, inputs then output, anywhere in memory. Returns the
 * exceptions that the hardware did not record. */
typedef unsigned halfcl_vector_map(const halfcl_vectors *operands, size_t n,
                                   halfcl_rounding mode);

/* Kernels of images take at most a block of samples. */
enum { HALFCL_IMAGE_BLOCK = 128, HALFCL_CORNERS = 8 };

/* The addresses of the texels of a block of samples, by corner, with x varying fastest: with
 * LINEAR two per dimension, otherwise one; and the weights of the second texel along each
 * dimension. If `together` is set, only the first corner is stored: the others lie so many
 * bytes further along each dimension. */
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

/* Finds the texels of n samples, from number `first` on, in the layers that begin so many bytes
 * from the first one (NULL: there is only one). A layer that is HALFCL_OUTSIDE, like all else
 * outside, is at the border. The result is right if the function returns true or if the
 * hardware records nothing inexact; otherwise all addresses still lie inside the image. */
#define HALFCL_OUTSIDE (-((int64_t)1 << 50))
typedef bool halfcl_locate(const halfcl_image *image, const halfcl_sampler *sampler,
                           const halfcl_coordinates *coordinates, size_t first, size_t n,
                           const int64_t *layers, char *border, halfcl_texels *texels);

/* Blends n colours, of four doubles each, and returns whether they are all finite. They are
 * right if the hardware records nothing inexact; otherwise the errors are within bounds, which
 * may be NULL. */
typedef bool halfcl_blend(const halfcl_texels *texels, int dims, size_t n, double *colors,
                          double *bounds);

/* Filters n colours of planes to halves, rounded in the mode, in which the processor rounds,
 * too. Returns the number of hard cases and writes their indices; their colours are arbitrary.
 * The texels are together, with the pairs along x next to each other, and there are valid
 * addresses for a whole block, even if n is smaller. next: the texels of another block, which
 * the function prefetches. */
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
            bool quiet; /* its steps raise exceptions that mean nothing, so none are reported */
        };
        struct {
            halfcl_fold_add *add;
            halfcl_fold_merge *merge;
            halfcl_fold_finish *finish;
            halfcl_fold_add_rows *add_rows; /* this and the next ones: or NULL */
            halfcl_fold_add_each *add_each;
            halfcl_fold_finish_all *finish_all;
            halfcl_multiply *multiply; /* for dot products */
            halfcl_fold_few *take_few;
            halfcl_fold_round_few *round_few; /* where take_few is */
            halfcl_fold_bound *by_bounds;
            bool rounds; /* intermediate results are rounded, so that the grouping of elements
                            may change the result slightly */
        } fold;
        struct {
            halfcl_vector_map *map;
            bool gives_vectors;          /* otherwise one result per vector */
            uint8_t narrowest, broadest; /* the widths that it accepts; 0: any */
        } vectors;
        halfcl_map_at *at;
        halfcl_locate *locate;
        halfcl_blend *blend;
        halfcl_filter_map *filter;
        struct {
            halfcl_scan_map *scan;
            halfcl_scan_down *scan_down; /* or NULL */
            halfcl_scan_rows *scan_rows; /* or NULL, as the next one */
            halfcl_scan_few_rows *scan_columns;
            halfcl_fold_add *scan_add; /* adds elements without writing results; or NULL */
            halfcl_fold_merge *scan_merge;
        };
    };
} halfcl_kernel;

/* A family: kernels that are compiled together. */
typedef struct {
    const halfcl_kernel *kernels;
    size_t count;
} halfcl_family;

/* An instruction set that is compiled in. */
typedef struct halfcl_isa {
    const char *name;                           /* as in targets.def: "portable", "avx2", ... */
    const halfcl_family *const *families;       /* NULL after the last */
    const struct halfcl_mode_tools *mode_tools; /* of format/modes.h */
    const struct halfcl_order_tools *order_tools; /* of format/order.h */
    halfcl_vector_map *const
        *copies; /* for elements of 1, 2, 4 and 8 bytes; NULL: use the base's */
    const struct halfcl_isa *base; /* has the kernels that this set omits, or NULL */
} halfcl_isa;

/* Returns the index-th of the compiled-in sets that this CPU can run, the best one last; NULL
 * past the end. */
const halfcl_isa *halfcl_available(size_t index);

/* Returns the set of that name if this CPU can run it, otherwise NULL. A name of NULL asks for
 * the best set. */
const halfcl_isa *halfcl_find_isa(const char *name);

/* Returns the kernel of that name, kind and signature in a set, otherwise NULL. */
const halfcl_kernel *halfcl_find_kernel(const halfcl_isa *isa, const char *name,
                                        halfcl_kind kind, const halfcl_signature *signature);

/* Returns the index-th kernel of a set itself, without those of its base; NULL past the end. */
const halfcl_kernel *halfcl_kernel_at(const halfcl_isa *isa, size_t index);

/* Returns the name of the index-th CPU feature that halfcl uses; NULL past the end. */
const char *halfcl_cpu_feature(size_t index);

/* ------------------------------------------------------------ drivers, one per kind */

/* Drivers. Each runs kernels of its kind over operands that may be strided, unaligned or
 * broadcast (step 0), in the floating-point environment that it sets and restores, and returns
 * the exceptions raised. For a kernel of another kind it returns HALFCL_MISUSE and writes
 * nothing. Steps are in bytes. */

/* Applies a map to n elements of each operand (inputs, then outputs). Where an output overlaps
 * an input, the result is as if elements were computed one after the other, as NumPy's
 * accumulate needs. */
unsigned halfcl_run(const halfcl_kernel *map, char *const *operands, const ptrdiff_t *steps,
                    size_t n, halfcl_rounding mode);

/* A grid of elements along several axes: the length of each axis, and for each operand the
 * bytes from one element to the next. conversions: for each input NULL, or the map that
 * converts its elements in memory to the kernel's, exactly; NULL if no input is converted.
 * masked: after the kernel's operands, which are halves except for outputs of at most four
 * bytes, there is one of bools; elements where it is false are not computed, and stay in the
 * outputs. */
enum { HALFCL_MAX_AXES = 64 };
typedef struct {
    int axes;
    size_t shape[HALFCL_MAX_AXES];
    ptrdiff_t steps[HALFCL_MAX_OPERANDS][HALFCL_MAX_AXES];
    const halfcl_kernel *const *conversions;
    bool masked;
} halfcl_grid;

/* Applies a map to a grid of operands, in any order of elements, as halfcl_run does. No two
 * elements of an output overlap; an output may lie on an input element by element, but not
 * overlap it otherwise. */
unsigned halfcl_run_grid(const halfcl_isa *isa, const halfcl_kernel *map, char *const *operands,
                         const halfcl_grid *grid, halfcl_rounding mode);

/* Runs a map as halfcl_run does, but raises the exceptions among `wanted` in the caller's
 * environment. If that environment is as the kernel needs it, which is nearly always so,
 * nothing is read or written after the kernel. Returns HALFCL_MISUSE or 0. */
unsigned halfcl_run_raising(const halfcl_kernel *map, char *const *operands,
                            const ptrdiff_t *steps, size_t n, halfcl_rounding mode,
                            unsigned wanted);

/* Runs a map of that set as halfcl_run does, with a mode for each element, 0 to 3; mode_step is
 * in bytes, 0 for one mode for all. The exceptions are those of each element in its own mode.
 * An output may lie on an input element by element, but not overlap it otherwise. */
unsigned halfcl_run_in_modes(const halfcl_isa *isa, const halfcl_kernel *map,
                             char *const *operands, const ptrdiff_t *steps,
                             const uint8_t *modes, ptrdiff_t mode_step, size_t n);

/* Returns whether every code is the number of a mode. */
bool halfcl_are_modes(const halfcl_isa *isa, const uint8_t *codes, size_t n);

/* Indices into one axis of an array, each within the axis, or negative from its end: ptrdiff_t,
 * with bytes from one to the next along each axis of the places that they select. */
typedef struct {
    const char *start;
    ptrdiff_t steps[HALFCL_MAX_AXES];
    size_t length;  /* of the axis */
    ptrdiff_t step; /* bytes of the array along it */
} halfcl_indices;

/* Places in an array of halves, along several axes: the bytes from one element to the next, and
 * of the values likewise. Along some axes indices select the elements instead. */
typedef struct {
    int axes, indexed;
    size_t shape[HALFCL_MAX_AXES];
    ptrdiff_t steps[HALFCL_MAX_AXES], value_steps[HALFCL_MAX_AXES];
    char *start;
    const char *values;
    halfcl_indices indices[HALFCL_MAX_AXES];
} halfcl_places;

/* Replaces the halves at places, one after the other, by the results of a map of them and their
 * values; at: the kernel that does so for single elements, or NULL. Joins the axes of the
 * places. */
unsigned halfcl_run_at(const halfcl_kernel *map, const halfcl_kernel *at, halfcl_places *places,
                       halfcl_rounding mode);

/* Converts n halves, step bytes apart, to contiguous complex numbers, with a map from half to
 * the type of the parts. Raises no exceptions. */
void halfcl_run_to_complex(const halfcl_kernel *convert, void *to, const void *from,
                           ptrdiff_t step, size_t n);

/* Copies n halves, aligned or not. */
void halfcl_run_copy(void *to, const void *from, size_t n);

/* Applies a map of two halves to the accumulator and each of n elements, from left to right. */
unsigned halfcl_fold_in_order(const halfcl_kernel *map, uint16_t *accumulator, const char *in,
                              ptrdiff_t step, size_t n, halfcl_rounding mode);

/* Sets *accumulator to the fold, of one input, of it and n elements. */
unsigned halfcl_fold(const halfcl_kernel *fold, uint16_t *accumulator, const char *in,
                     ptrdiff_t step, size_t n, halfcl_rounding mode);

/* Does what halfcl_fold does if bounds determine the result and it is not a zero, in half the
 * time. Otherwise returns false and changes nothing. Adds the exceptions to *flags. */
bool halfcl_fold_by_bounds(const halfcl_kernel *fold, uint16_t *accumulator, const char *in,
                           ptrdiff_t step, size_t n, halfcl_rounding mode, unsigned *flags);

/* The steps of a fold: add n elements of each input to a state, merge a state into another, and
 * write the result. */
unsigned halfcl_state_add(const halfcl_kernel *fold, halfcl_fold_state *state,
                          char *const *inputs, const ptrdiff_t *steps, size_t n);
unsigned halfcl_state_merge(const halfcl_kernel *fold, halfcl_fold_state *state,
                            const halfcl_fold_state *other);
unsigned halfcl_state_finish(const halfcl_kernel *fold, const halfcl_fold_state *state,
                             uint16_t *result, halfcl_rounding mode);

/* Sums of states in the least memory: a sum is an integer of `words` words of 64 bits, the
 * lowest first and the last in two's complement. word[w] points to word w of all sums, which
 * need not be aligned; seen[k] is the one of state k. */
enum { HALFCL_PACKED_WORDS = 3 };
typedef struct {
    char *word[HALFCL_PACKED_WORDS];
    int words;
    uint8_t *seen;
} halfcl_packed_sums;

/* Packs n states of "add_reduce" or "dot" into words that are wide enough for them, and unpacks
 * them. */
void halfcl_pack_sums(const halfcl_fold_state *states, size_t n,
                      const halfcl_packed_sums *packed);
void halfcl_unpack_sums(const halfcl_packed_sums *packed, size_t n, halfcl_fold_state *states);

/* Adds n sums to n others, which have at least as many words and are wide enough for the
 * results. */
void halfcl_add_packed_sums(const halfcl_packed_sums *to, const halfcl_packed_sums *other,
                            size_t n);

/* Runs a scan that starts from a state, to which all elements are added. out may lie on in
 * element by element, but not overlap it otherwise. */
unsigned halfcl_run_scan(const halfcl_kernel *scan, halfcl_fold_state *state, const char *in,
                         ptrdiff_t in_step, char *out, ptrdiff_t out_step, size_t n,
                         halfcl_rounding mode);

/* Runs a scan down columns, which are next to each other in the rows of in and of out, starting
 * from one state per column. Returns false and does nothing if the elements lie otherwise or
 * the kernel has no function for columns. */
bool halfcl_scan_columns(const halfcl_kernel *scan, halfcl_fold_state *states, size_t columns,
                         const char *in, ptrdiff_t in_step, char *out, ptrdiff_t out_step,
                         size_t rows, halfcl_rounding mode, unsigned *flags);

/* Lines of n elements each: the bytes from one element to the next, and from one line to the
 * next. out may lie on in element by element, but not overlap it otherwise. */
typedef struct {
    const char *in;
    ptrdiff_t in_step, in_across;
    char *out;
    ptrdiff_t out_step, out_across;
    size_t n;
} halfcl_scanned_lines;

/* Runs a scan of halves along each of count lines, each from no elements on. Returns false and
 * does nothing if they are longer than HALFCL_LONGEST_SCAN or the kernel has no function for
 * lines. */
bool halfcl_scan_lines(const halfcl_kernel *scan, const halfcl_scanned_lines *lines,
                       size_t count, halfcl_rounding mode, unsigned *flags);

/* Maps by which the functions below compute: conversions from half to double and back, and maps
 * of doubles: a - b; (c - b) - (b - a); (b - a) c, rounded to 45 bits; and (b - a) / c. */
typedef struct {
    const halfcl_kernel *widen, *narrow;
    const halfcl_kernel *subtract, *subtract_twice, *multiply_difference, *divide_difference;
} halfcl_neighbour_maps;

/* Lines of halves whose results are computed of neighbours, operation by operation in double,
 * and rounded to half once. The functions below return the exceptions of all operations.
 * Results do not overlap the elements. */
typedef struct {
    const halfcl_neighbour_maps *maps;
    halfcl_scanned_lines lines;
    size_t count;
} halfcl_neighbours;

/* Writes differences of neighbours, of these differences, and so on, to the given order. */
enum { HALFCL_MOST_DIFFERENCES = 32 };
unsigned halfcl_differences(const halfcl_neighbours *lines, size_t order, halfcl_rounding mode);

/* Writes derivatives as numpy.gradient does, of elements at a distance that is not 0, or at the
 * places x. There are at least two elements, and three with wide ends, which are computed of
 * three elements. */
unsigned halfcl_even_gradient(const halfcl_neighbours *lines, double distance, bool wide_ends,
                              halfcl_rounding mode);
unsigned halfcl_gradient(const halfcl_neighbours *lines, const double *x, bool wide_ends,
                         halfcl_rounding mode);

/* Adds multiples of a finite positive period, as numpy.unwrap does, where neighbours differ by
 * more than half of it and at least the discontinuity. */
unsigned halfcl_unwrap(const halfcl_neighbours *lines, double period, double discontinuity,
                       halfcl_rounding mode);

/* Writes a polynomial of each element, by Horner's rule, the highest power's coefficient
 * first: halves, or doubles. */
unsigned halfcl_polynomial(const halfcl_neighbours *lines, const double *coefficients,
                           size_t count, bool to_double, halfcl_rounding mode);

/* Writes for each line of two to HALFCL_MOST_SUMMED elements the exact integral by trapezoids,
 * rounded once. Returns false if some integrals are infinite or NaN. */
enum { HALFCL_MOST_SUMMED = 256 };
bool halfcl_trapezoid(const halfcl_neighbours *lines, double distance, halfcl_rounding mode,
                      unsigned *flags);

/* Runs a scan as halfcl_run_scan does, over one first element without a result and n others. */
unsigned halfcl_accumulate(const halfcl_kernel *scan, const char *first, const char *in,
                           ptrdiff_t in_step, char *out, ptrdiff_t out_step, size_t n,
                           halfcl_rounding mode);

/* For each of count states n elements of each input: the bytes from one state's elements to the
 * next state's, and from one element to the next. number_or: "number_or" if NaNs count as
 * `instead`, where both inputs are the same; or NULL. where: bytes that are 0 for elements to
 * omit; or NULL. */
typedef struct {
    char *inputs[2];
    ptrdiff_t across[2], along[2];
    const halfcl_kernel *number_or;
    uint16_t instead;
    const char *where;
    ptrdiff_t where_across, where_along;
    size_t count, n;
} halfcl_elements;

/* Adds elements to states, state_step bytes apart. */
unsigned halfcl_states_add(const halfcl_kernel *fold, char *states, ptrdiff_t state_step,
                           const halfcl_elements *elements);

/* Writes the results of count states. */
unsigned halfcl_states_finish(const halfcl_kernel *fold, const char *states,
                              ptrdiff_t state_step, size_t count, uint16_t *results,
                              halfcl_rounding mode);

/* The sums from which statistics are computed: of n numbers, by "add_reduce", and of as many
 * products, by "dot". */
typedef struct {
    const halfcl_fold_state *sum, *products;
} halfcl_moments;

/* Computes a statistic, exactly and rounded once to half, float or double; arguments that it
 * does not need may be NULL. For no numbers it is NaN, except for sums; n and freedom are below
 * 2^63. */
unsigned halfcl_round_statistic(halfcl_statistic what, const halfcl_moments *of, uint64_t n,
                                uint64_t freedom, halfcl_type type, halfcl_rounding mode,
                                void *result);

/* Computes a statistic of count sums, next to each other, each of n numbers, rounded to half;
 * narrow is "convert" from double to half. */
unsigned halfcl_round_statistics(halfcl_statistic what, const halfcl_moments *of, size_t count,
                                 uint64_t n, uint64_t freedom, const halfcl_kernel *narrow,
                                 halfcl_rounding mode, uint16_t *results);

/* Computes a statistic of each of many rows or columns of up to HALFCL_FEW elements, without
 * `where` and without a previous state, rounded to half; sums, sums of products and means that
 * skip no NaNs also to float or double. Returns HALFCL_MISUSE and writes nothing for others,
 * and without the kernels that the statistic needs. */
typedef struct {
    halfcl_statistic what;
    const halfcl_kernel
        *sum; /* "add_reduce", or "multiply_reduce"; NULL if it is not available */
    const halfcl_kernel *products; /* "dot", or NULL */
    const halfcl_kernel *narrow;   /* "convert" from double to half */
    halfcl_type type;              /* of the results */
    uint64_t freedom;              /* of a row without NaNs, if these are not counted */
    unsigned seen; /* the initial flags of each state: HALFCL_FROM_ZERO, or nothing */
    halfcl_rounding mode;
} halfcl_reduction;
/* If NaNs count as zeros (see halfcl_elements), means, variances and deviations are those of
 * the other elements; where these are too few it is NaN, and HALFCL_TOO_FEW is returned. */
unsigned halfcl_reduce_few(const halfcl_reduction *how, const halfcl_elements *elements,
                           void *results);

/* Returns x y + z, truncated with a sticky last bit, so that a later rounding to half is
 * correct. */
double halfcl_multiply_add_to_odd(double x, double y, double z);

/* Writes start + i * step for n numbers i from the first on, at most 2^31, as doubles that
 * round to half, in any mode, like the exact ones; exactly: also in a mode of chance. */
void halfcl_even_numbers(double *to, double start, double step, size_t first, size_t n,
                         bool exactly);

/* Exact sums of halves, or of products of two: each is the sum of three doubles, of which each
 * is at most half a unit in the last place of the one before. It starts as -0.0, 0 and 0.
 * Infinities and NaN make the first of them infinite or NaN. */
typedef struct {
    double *part[3];
} halfcl_totals;

typedef struct {
    const halfcl_kernel *widen, *sum,
        *products;    /* "convert" to float, "add_reduce" and "dot" */
    bool halves_ends; /* of lines: the first and the last number count half */
} halfcl_totalling;

/* Adds to each of count totals, from that one on and so many apart, n elements times scale,
 * which is 1 or -1; weighted: the products of elements of both inputs. Only numbers without
 * weights may have halved ends. */
void halfcl_add_to_totals(const halfcl_totalling *how, const halfcl_totals *totals,
                          ptrdiff_t at, ptrdiff_t step, const halfcl_elements *elements,
                          bool weighted, float scale);

/* Write n quotients of totals, or products with a finite factor, as doubles that round to half,
 * in any mode, like the exact ones. Return false if some totals are not finite, or are 0 and
 * divide: these results are NaN. */
bool halfcl_divide_totals(double *results, const halfcl_totals *tops,
                          const halfcl_totals *bottoms, size_t n);
bool halfcl_multiply_totals(double *results, const halfcl_totals *totals, double factor,
                            size_t n);

/* Rounds the product of "multiply_reduce" to that type. To float and double the result is right
 * unless the exact one is within the error (see kernels/folds/product.h) of a number at which
 * that type rounds. */
unsigned halfcl_round_product(const halfcl_kernel *fold, const halfcl_fold_state *product,
                              halfcl_type type, halfcl_rounding mode, void *result);

/* Multiplies matrices with a fold of two inputs, the dot product. Each sum starts from +0: if
 * all terms are -0, it is -0 in HALFCL_RTN only. */
unsigned halfcl_matmul(const halfcl_kernel *dot, const halfcl_matrix_product *product,
                       halfcl_rounding mode);

/* Correlates a row of n elements with a row of weights, in double. Result i is the sum of the
 * products of the weights and the elements from i - before on, as far as there are such.
 * Returns false, with arbitrary results, if that does not give the exact sums, rounded once: if
 * there are more than HALFCL_FEW_WEIGHTS of either, infinities or NaNs. It raises no
 * exceptions. */
enum { HALFCL_FEW_WEIGHTS = 64 };
bool halfcl_correlate_few(const halfcl_matrix *a, size_t n, const halfcl_matrix *v,
                          size_t weights, size_t before, size_t count, halfcl_rounding mode,
                          uint16_t *results);

/* Multiplies a stack of matrices. */
unsigned halfcl_matmul_stack(const halfcl_kernel *dot, const halfcl_matrix_stack *stack,
                             halfcl_rounding mode);

/* Applies a kernel of vectors to n vectors of each operand, inputs then output. The output
 * overlaps no input. Returns HALFCL_MISUSE and writes nothing for widths that the kernel does
 * not accept. */
unsigned halfcl_run_vectors(const halfcl_kernel *kernel, const halfcl_vectors *operands,
                            size_t n, halfcl_rounding mode);

/* Applies a kernel of vectors of halves with a mode for each vector (see
 * halfcl_run_in_modes). */
unsigned halfcl_run_vectors_in_modes(const halfcl_isa *isa, const halfcl_kernel *kernel,
                                     const halfcl_vectors *operands, const uint8_t *modes,
                                     ptrdiff_t mode_step, size_t n);

/* Copies n halves, to_step and from_step bytes apart, aligned or not. */
void halfcl_copy(char *to, ptrdiff_t to_step, const char *from, ptrdiff_t from_step, size_t n);

/* Copies those of n aligned halves whose byte in where is not 0. */
void halfcl_copy_where(uint16_t *to, const uint16_t *from, const uint8_t *where, size_t n);

/* Raises exceptions in the caller's floating-point environment. */
void halfcl_raise(unsigned flags);

/* ------------------------------------------------------------ threads */

/* The drivers split a call of many elements over threads if that saves time. Bits and
 * exceptions do not depend on the number of threads. Calls that overlap so that order matters
 * are not split, nor are those with random rounding, since that is one sequence. */

enum { HALFCL_MAX_THREADS = 256 };

/* Sets how many threads a call may use, the calling thread included. It starts at 1 and is
 * clamped to 1 to HALFCL_MAX_THREADS. */
void halfcl_set_threads(int n);

/* Sets the limit for calls made by this thread only; 0: this thread has no limit of its own.
 * Returns the previous limit. */
int halfcl_limit_threads(int n);

/* Registers a function that is called once in each thread that makes large calls and has no
 * limit yet; its result becomes the limit of that thread. It may wait for locks that the
 * threads of its caller hold: the pool's own threads never call it. */
void halfcl_ask_threads(int (*limit)(void));

/* Returns how many threads a call made now by this thread may use: the smaller of the two
 * limits. */
int halfcl_get_threads(void);

/* For tests: splits every call of at least twice as many elements into parts of so many,
 * whatever the cost. 0: split by measuring, as at first. */
void halfcl_set_grain(size_t elements);

/* For tests: returns how many threads wait for work now. */
int halfcl_idle_threads(void);

/* ------------------------------------------------------------ stochastic rounding */

/* The drivers with stochastic rounding: every result of every element is rounded down or up at
 * random; a zero that is exact has the same sign as to nearest. (If vectors have more than 256
 * components, the components of each result vector are all rounded in one direction.) The state
 * of the generator determines the directions and is advanced. decided, which only the user
 * clears, becomes true once a random direction may have affected a result: before that, no
 * result was inexact. */
typedef struct {
    uint64_t state;
    bool decided;
} halfcl_random;

/* Returns the mode for a function that rounds one number, or the one of two results that the
 * generator chooses. */
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

/* Returns the size of a texel in bytes; 0 if there is no such channel type, if it does not have
 * so many channels, if a component names none of them, or if sRGB is set for another type. */
size_t halfcl_texel_size(const halfcl_image *image);

/* Returns whether an image can be read or written as a type: half or float, or int32 or uint32,
 * depending on its channel type. */
bool halfcl_image_has(const halfcl_image *image, halfcl_type type);

/* Reads n samples as r, g, b, a of a type (half, float, int32 or uint32), rounded once. Without
 * a sampler (NULL) the coordinates are integers. Returns the exceptions of the conversions to
 * that type; HALFCL_MISUSE, with nothing written, if the image cannot be read as that type or
 * through that sampler. */
unsigned halfcl_read_image(const halfcl_isa *isa, const halfcl_image *image,
                           const halfcl_sampler *sampler, const halfcl_coordinates *coordinates,
                           void *out, halfcl_type type, size_t n, halfcl_rounding mode);

/* Writes n samples at int32 coordinates, one after the other. Samples outside the image are
 * dropped and counted. */
unsigned halfcl_write_image(const halfcl_isa *isa, const halfcl_image *image,
                            const halfcl_coordinates *coordinates, const void *colors,
                            halfcl_type type, size_t n, halfcl_rounding mode, size_t *dropped);

/* ------------------------------------------------------------ environment, scalars, text */

/* The floating-point environment around kernels. halfcl_enter sets rounding in the given mode,
 * no traps, subnormals kept whatever FTZ and DAZ say, no exception pending. halfcl_leave
 * restores the previous environment and returns the exceptions that the hardware recorded since
 * enter. */
typedef struct {
    uint64_t saved[8]; /* opaque; large enough for fenv_t */
} halfcl_env;

void halfcl_enter(halfcl_env *env, halfcl_rounding mode);
unsigned halfcl_leave(const halfcl_env *env);

/* Conversions of one number. They depend on no environment and change none. */
float halfcl_to_float(uint16_t half);

/* Widens few halves to floats or doubles, in less time than a kernel, and raises nothing. Steps
 * are in bytes. Returns false at a NaN. */
bool halfcl_widen_few(char *to, ptrdiff_t to_step, bool to_double, const char *from,
                      ptrdiff_t step, size_t n);
uint16_t halfcl_from_double(double value, halfcl_rounding mode, unsigned *flags);

/* Reads one decimal or hexadecimal number ("1.5", "-0x1.8p-3", "inf", "nan", "1e-7", with an
 * optional OpenCL suffix h or H after a digit or exponent) from text[0..length). ASCII white
 * space may surround it. The result is the exact value rounded to odd to a double, however long
 * the text is: halfcl_from_double then rounds it correctly in every mode. Returns the number of
 * characters read, 0 if there is no number. */
size_t halfcl_parse(const char *text, size_t length, double *rounded_to_odd);

/* Writes the shortest decimal number that rounds to nearest to the half ("0.1", "6e-08",
 * "-inf", "nan"), as str(numpy.float16) does: halves below 1e-4, and those from large on, with
 * an exponent. text has room for HALFCL_PRINTED characters. Returns their number; no NUL ends
 * them. */
enum { HALFCL_PRINTED = 16 };
size_t halfcl_print(uint16_t half, uint16_t large, char *text);

#endif
