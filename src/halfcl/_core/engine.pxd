# The engine's C interface: csrc/include and csrc/run.
from libc.stdint cimport int8_t, int32_t, uint8_t, uint16_t, uint64_t

cdef extern from "halfcl.h" nogil:
    ctypedef enum halfcl_rounding:
        HALFCL_RTE, HALFCL_RTZ, HALFCL_RTP, HALFCL_RTN

    enum:
        HALFCL_INVALID, HALFCL_DIVBYZERO, HALFCL_OVERFLOW, HALFCL_UNDERFLOW, HALFCL_EXCEPTIONS
        HALFCL_MISUSE, HALFCL_TOO_FEW

    ctypedef enum halfcl_type:
        HALFCL_HALF, HALFCL_BOOL, HALFCL_INT8, HALFCL_UINT8, HALFCL_INT16, HALFCL_UINT16
        HALFCL_INT32, HALFCL_UINT32, HALFCL_INT64, HALFCL_UINT64, HALFCL_FLOAT, HALFCL_DOUBLE
        HALFCL_TYPES

    size_t halfcl_type_size(halfcl_type type)

    enum:
        HALFCL_MAX_OPERANDS

    ctypedef struct halfcl_signature:
        uint8_t nin, nout
        uint8_t types[4]

    ctypedef enum halfcl_kind:
        HALFCL_MAP, HALFCL_FOLD, HALFCL_VECTORS, HALFCL_SCAN

    # The members of a kernel for folds and of one for vectors, which have no names of their own.
    ctypedef struct kernel_of_folds:
        void *by_bounds

    ctypedef struct kernel_of_vectors:
        bint gives_vectors
        uint8_t narrowest, broadest

    ctypedef struct halfcl_kernel:
        const char *name
        halfcl_kind kind
        halfcl_signature signature
        kernel_of_folds fold
        kernel_of_vectors vectors

    ctypedef struct halfcl_isa:
        const char *name

    const halfcl_isa *halfcl_available(size_t index)
    const halfcl_isa *halfcl_find_isa(const char *name)
    const halfcl_kernel *halfcl_find_kernel(
        const halfcl_isa *isa, const char *name, halfcl_kind kind,
        const halfcl_signature *signature)
    const char *halfcl_cpu_feature(size_t index)

    ctypedef struct halfcl_env:
        pass

    void halfcl_enter(halfcl_env *env, halfcl_rounding mode)
    unsigned halfcl_leave(const halfcl_env *env)

    unsigned halfcl_run(
        const halfcl_kernel *map, char *const *operands, const Py_ssize_t *steps,
        size_t n, halfcl_rounding mode)
    unsigned halfcl_run_raising(
        const halfcl_kernel *map, char *const *operands, const Py_ssize_t *steps,
        size_t n, halfcl_rounding mode, unsigned wanted)
    enum:
        HALFCL_MAX_AXES
    ctypedef struct halfcl_grid:
        int axes
        size_t[64] shape
        Py_ssize_t[6][64] steps
        const halfcl_kernel *const *conversions
        bint masked
    unsigned halfcl_run_grid(
        const halfcl_isa *isa, const halfcl_kernel *map, char *const *operands,
        const halfcl_grid *grid, halfcl_rounding mode)
    unsigned halfcl_run_in_modes(
        const halfcl_isa *isa, const halfcl_kernel *map, char *const *operands, const Py_ssize_t *steps,
        const unsigned char *modes, Py_ssize_t mode_step, size_t n)
    bint halfcl_are_modes(const halfcl_isa *isa, const unsigned char *codes, size_t n)
    unsigned halfcl_fold(
        const halfcl_kernel *fold, uint16_t *accumulator,
        const char *data, Py_ssize_t step, size_t n, halfcl_rounding mode)
    bint halfcl_fold_by_bounds(
        const halfcl_kernel *fold, uint16_t *accumulator, const char *data, Py_ssize_t step,
        size_t n, halfcl_rounding mode, unsigned *flags) nogil
    unsigned halfcl_fold_in_order(
        const halfcl_kernel *map, uint16_t *accumulator,
        const char *data, Py_ssize_t step, size_t n, halfcl_rounding mode)

    ctypedef struct halfcl_exact_sum:
        long long limb[5]
    ctypedef struct halfcl_fold_state:
        halfcl_exact_sum sum
        unsigned seen
    enum:
        HALFCL_FROM_ZERO

    ctypedef struct halfcl_elements:
        char *inputs[2]
        Py_ssize_t across[2]
        Py_ssize_t along[2]
        const halfcl_kernel *number_or
        uint16_t instead
        const char *where
        Py_ssize_t where_across, where_along
        size_t count, n

    ctypedef struct halfcl_moments:
        const halfcl_fold_state *sum
        const halfcl_fold_state *products

    ctypedef enum halfcl_statistic:
        HALFCL_SUM, HALFCL_SUM_OF_PRODUCTS, HALFCL_MEAN, HALFCL_VARIANCE, HALFCL_DEVIATION
        HALFCL_NORM, HALFCL_PRODUCT

    unsigned halfcl_state_add(
        const halfcl_kernel *fold, halfcl_fold_state *state, char *const *inputs,
        const Py_ssize_t *steps, size_t n)
    unsigned halfcl_state_finish(
        const halfcl_kernel *fold, const halfcl_fold_state *state, uint16_t *result,
        halfcl_rounding mode)
    unsigned halfcl_state_merge(
        const halfcl_kernel *fold, halfcl_fold_state *state, const halfcl_fold_state *other)
    unsigned halfcl_states_add(
        const halfcl_kernel *fold, char *states, Py_ssize_t state_step,
        const halfcl_elements *elements)
    unsigned halfcl_states_finish(
        const halfcl_kernel *fold, const char *states, Py_ssize_t state_step, size_t count,
        uint16_t *results, halfcl_rounding mode)
    enum:
        HALFCL_PACKED_WORDS
    ctypedef struct halfcl_packed_sums:
        char *word[3]
        int words
        unsigned char *seen
    void halfcl_pack_sums(
        const halfcl_fold_state *states, size_t n, const halfcl_packed_sums *packed) nogil
    void halfcl_unpack_sums(
        const halfcl_packed_sums *packed, size_t n, halfcl_fold_state *states) nogil
    void halfcl_add_packed_sums(
        const halfcl_packed_sums *to, const halfcl_packed_sums *other, size_t n) nogil
    unsigned halfcl_run_scan(
        const halfcl_kernel *scan, halfcl_fold_state *state, const char *data,
        Py_ssize_t step, char *out, Py_ssize_t out_step, size_t n, halfcl_rounding mode)
    bint halfcl_scan_columns(
        const halfcl_kernel *scan, halfcl_fold_state *states, size_t columns, const char *data,
        Py_ssize_t step, char *out, Py_ssize_t out_step, size_t rows, halfcl_rounding mode,
        unsigned *flags)
    ctypedef struct halfcl_scanned_lines:
        const char *in_ "in"
        Py_ssize_t in_step, in_across
        char *out
        Py_ssize_t out_step, out_across
        size_t n
    bint halfcl_scan_lines(
        const halfcl_kernel *scan, const halfcl_scanned_lines *lines, size_t count, halfcl_rounding mode,
        unsigned *flags)
    ctypedef struct halfcl_neighbour_maps:
        const halfcl_kernel *widen
        const halfcl_kernel *narrow
        const halfcl_kernel *subtract
        const halfcl_kernel *subtract_twice
        const halfcl_kernel *multiply_difference
        const halfcl_kernel *divide_difference
    ctypedef struct halfcl_neighbours:
        const halfcl_neighbour_maps *maps
        halfcl_scanned_lines lines
        size_t count
    enum:
        HALFCL_MOST_DIFFERENCES
    unsigned halfcl_differences(
        const halfcl_neighbours *lines, size_t order, halfcl_rounding mode)
    unsigned halfcl_even_gradient(
        const halfcl_neighbours *lines, double distance, bint wide_ends, halfcl_rounding mode)
    unsigned halfcl_gradient(
        const halfcl_neighbours *lines, const double *x, bint wide_ends, halfcl_rounding mode)
    unsigned halfcl_unwrap(
        const halfcl_neighbours *lines, double period, double discontinuity, halfcl_rounding mode)
    unsigned halfcl_polynomial(
        const halfcl_neighbours *lines, const double *coefficients, size_t count,
        bint to_double, halfcl_rounding mode)
    enum:
        HALFCL_MOST_SUMMED
    bint halfcl_trapezoid(
        const halfcl_neighbours *lines, double distance, halfcl_rounding mode, unsigned *flags)
    unsigned halfcl_accumulate(
        const halfcl_kernel *scan, const char *first, const char *data, Py_ssize_t step,
        char *out, Py_ssize_t out_step, size_t n, halfcl_rounding mode)
    unsigned halfcl_round_statistic(
        halfcl_statistic what, const halfcl_moments *of, unsigned long long n,
        unsigned long long freedom, halfcl_type type, halfcl_rounding mode, void *result)
    unsigned halfcl_round_statistics(
        halfcl_statistic what, const halfcl_moments *of, size_t count, unsigned long long n,
        unsigned long long freedom, const halfcl_kernel *narrow, halfcl_rounding mode,
        uint16_t *results)
    enum: HALFCL_FEW
    ctypedef struct halfcl_reduction:
        halfcl_statistic what
        const halfcl_kernel *sum
        const halfcl_kernel *products
        const halfcl_kernel *narrow
        halfcl_type type
        unsigned long long freedom
        unsigned seen
        halfcl_rounding mode
    unsigned halfcl_reduce_few(
        const halfcl_reduction *how, const halfcl_elements *elements, void *results)
    double halfcl_multiply_add_to_odd(double x, double y, double z)
    void halfcl_even_numbers(
        double *to, double start, double step, size_t first, size_t n, bint exactly)

    ctypedef struct halfcl_totals:
        double *part[3]

    ctypedef struct halfcl_totalling:
        const halfcl_kernel *widen
        const halfcl_kernel *sum
        const halfcl_kernel *products
        bint halves_ends

    void halfcl_add_to_totals(
        const halfcl_totalling *how, const halfcl_totals *totals, Py_ssize_t at, Py_ssize_t step,
        const halfcl_elements *elements, bint weighted, float scale)
    bint halfcl_divide_totals(
        double *results, const halfcl_totals *tops, const halfcl_totals *bottoms, size_t n)
    bint halfcl_multiply_totals(
        double *results, const halfcl_totals *totals, double factor, size_t n)
    unsigned halfcl_round_product(
        const halfcl_kernel *fold, const halfcl_fold_state *product, halfcl_type type,
        halfcl_rounding mode, void *result)

    ctypedef struct halfcl_matrix:
        char *start
        Py_ssize_t row, column

    ctypedef struct halfcl_matrix_product:
        halfcl_matrix a, b, out
        size_t m, n, p

    ctypedef struct halfcl_matrix_stack:
        halfcl_matrix_product first
        size_t count
        Py_ssize_t a, b, out

    enum: HALFCL_FEW_WEIGHTS
    bint halfcl_correlate_few(
        const halfcl_matrix *a, size_t n, const halfcl_matrix *v, size_t weights, size_t before,
        size_t count, halfcl_rounding mode, uint16_t *results)
    unsigned halfcl_matmul_stack(
        const halfcl_kernel *dot, const halfcl_matrix_stack *stack, halfcl_rounding mode)
    unsigned halfcl_matmul(
        const halfcl_kernel *dot, const halfcl_matrix_product *product, halfcl_rounding mode)

    ctypedef struct halfcl_vectors:
        char *start
        Py_ssize_t step, component
        size_t width

    unsigned halfcl_run_vectors(
        const halfcl_kernel *kernel, const halfcl_vectors *operands, size_t n,
        halfcl_rounding mode)

    ctypedef struct halfcl_random:
        unsigned long long state
        bint decided

    halfcl_rounding halfcl_toss(halfcl_random *random)
    uint16_t halfcl_choose(uint16_t down, uint16_t up, halfcl_random *random)
    unsigned halfcl_run_random(
        const halfcl_kernel *map, char *const *operands, const Py_ssize_t *steps,
        size_t n, halfcl_random *random)
    unsigned halfcl_fold_random(
        const halfcl_kernel *fold, uint16_t *accumulator,
        const char *data, Py_ssize_t step, size_t n, halfcl_random *random)
    unsigned halfcl_fold_in_order_random(
        const halfcl_kernel *map, uint16_t *accumulator,
        const char *data, Py_ssize_t step, size_t n, halfcl_random *random)
    unsigned halfcl_matmul_random(
        const halfcl_kernel *dot, const halfcl_matrix_product *product, halfcl_random *random)
    unsigned halfcl_run_vectors_random(
        const halfcl_kernel *kernel, const halfcl_vectors *operands, size_t n,
        halfcl_random *random)

    unsigned halfcl_run_vectors_in_modes(
        const halfcl_isa *isa, const halfcl_kernel *kernel, const halfcl_vectors *operands,
        const unsigned char *modes, Py_ssize_t mode_step, size_t n)

    void halfcl_copy_where(uint16_t *, const uint16_t *, const unsigned char *, size_t)
    void halfcl_copy(
        char *to, Py_ssize_t to_step, const char *source, Py_ssize_t step, size_t n)
    void halfcl_raise(unsigned flags)

    enum:
        HALFCL_MAX_THREADS

    void halfcl_set_threads(int n)
    int halfcl_limit_threads(int n)
    int halfcl_get_threads()
    void halfcl_ask_threads(int (*limit)() noexcept)
    void halfcl_set_grain(size_t elements)
    int halfcl_idle_threads()

    float halfcl_to_float(uint16_t half)
    bint halfcl_widen_few(
        char *to, Py_ssize_t to_step, bint to_double, const char *source, Py_ssize_t step, size_t n)
    uint16_t halfcl_from_double(double value, halfcl_rounding mode, unsigned *flags)
    size_t halfcl_parse(const char *text, size_t length, double *rounded_to_odd)
    enum: HALFCL_PRINTED
    size_t halfcl_print(uint16_t half, uint16_t large, char *text)

    ctypedef enum halfcl_channel_type:
        pass
    ctypedef enum halfcl_addressing:
        HALFCL_ADDRESS_NONE, HALFCL_ADDRESS_CLAMP_TO_EDGE, HALFCL_ADDRESS_CLAMP
        HALFCL_ADDRESS_REPEAT, HALFCL_ADDRESS_MIRRORED_REPEAT
    ctypedef enum halfcl_filter:
        HALFCL_NEAREST, HALFCL_LINEAR

    enum:
        HALFCL_MAX_SIZE

    ctypedef struct halfcl_image:
        char *texels
        int32_t[3] size
        Py_ssize_t[4] step
        int dims
        int32_t layers
        halfcl_channel_type type
        int channels
        int8_t[4] components
        bint border_alpha
        bint srgb

    ctypedef struct halfcl_sampler:
        bint normalized
        halfcl_addressing addressing
        halfcl_filter filter

    ctypedef struct halfcl_coordinates:
        const void *start
        size_t width
        bint are_integers

    size_t halfcl_texel_size(const halfcl_image *image)
    bint halfcl_image_has(const halfcl_image *image, halfcl_type type)
    unsigned halfcl_read_image(
        const halfcl_isa *isa, const halfcl_image *image, const halfcl_sampler *sampler,
        const halfcl_coordinates *coordinates, void *out, halfcl_type type, size_t n,
        halfcl_rounding mode)
    unsigned halfcl_write_image(
        const halfcl_isa *isa, const halfcl_image *image,
        const halfcl_coordinates *coordinates, const void *colors, halfcl_type type, size_t n,
        halfcl_rounding mode, size_t *dropped)
