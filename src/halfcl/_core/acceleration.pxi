# Replaces NumPy's float16 loops in place by halfcl's kernels, and restores them.
#
# A NumPy ufunc has an array of functions; NumPy looks one up for each call, perhaps while another
# thread replaces it: a call uses NumPy's or halfcl's (replaced_loops.h). What a running loop may
# use is written before it is published, and never freed. Only one thread replaces and restores at a
# time: halfcl._numpy.acceleration holds a lock.
# Needs: drivers.pxi, loops.pxi, regions.pxi, types.pxi

cdef extern from "numpy/ufuncobject.h":
    ctypedef void (*PyUFuncGenericFunction)(
        char **, const cnp.npy_intp *, const cnp.npy_intp *, void *) noexcept nogil

    # The struct in loops.pxi, with the members used here.
    ctypedef struct ReplacedUFuncObject "PyUFuncObject":
        int nargs
        int ntypes
        PyUFuncGenericFunction *functions
        void **data
        const char *types

cdef extern from "replaced_loops.h":
    ctypedef void halfcl_replaced_run(
        char **, const cnp.npy_intp *, const cnp.npy_intp *, void *, void *) noexcept nogil
    PyUFuncGenericFunction halfcl_new_replacement(halfcl_replaced_run *, void *) noexcept

cdef extern from *:
    """
    /* Replace a pointer of NumPy's, also to a function, that other threads read meanwhile: they see
       whatever was written before. */
    typedef void *halfcl_pointer __attribute__((may_alias));
    static void halfcl_publish(void *place, const void *pointer)
    {
        __atomic_store_n((halfcl_pointer *)place, (void *)pointer, __ATOMIC_RELEASE);
    }
    /* The pointer in such a place, which other threads may replace meanwhile. */
    static const void *halfcl_published(const void *place)
    {
        return __atomic_load_n((const halfcl_pointer *)place, __ATOMIC_ACQUIRE);
    }
    /* Copy pointers that are replaced. The copy stays from the first time on, as others may read
       it. */
    static void halfcl_keep(void *copy, const void *replaced, size_t size)
    {
        for (size_t at = 0; at < size; at += sizeof(void *))
            halfcl_publish((char *)copy + at, halfcl_published((const char *)replaced + at));
    }
    /* The pointer in such a copy, for the function that has replaced it. */
    static const void *halfcl_kept(const void *copy)
    {
        halfcl_see_what_was_published();
        return halfcl_published(copy);
    }
    """
    void halfcl_publish(void *, const void *) noexcept
    const void *halfcl_published(const void *) noexcept
    void halfcl_keep(void *, const void *, size_t) noexcept
    const void *halfcl_kept(const void *) noexcept nogil

# A loop of NumPy's and its replacement: the kernel of the ufunc's loop for half, in each mode.
ctypedef struct ReplacedLoop:
    int place                # index among the ufunc's loops
    int chooser              # who chooses the mode
    unsigned exceptions      # those of the kernel's flags that NumPy raises too
    const halfcl_kernel *kernel
    LoopData *in_modes       # five of them
    cnp.npy_intp few         # to nearest, fewer elements than these are left to NumPy
    PyUFuncGenericFunction replacement
    PyUFuncGenericFunction of_numpy


# ---------------------------------------------------------------- loops
#
# Computations on float16 arrays are not counted, as these are not halves.

cdef inline void run_of_numpy(
    const ReplacedLoop *loop, char **data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, void *of_numpy
) noexcept nogil:
    (<PyUFuncGenericFunction>halfcl_kept(&loop.of_numpy))(data, dimensions, strides, of_numpy)


cdef void replaced_map(
    char **data, const cnp.npy_intp *dimensions, const cnp.npy_intp *strides, void *of_numpy,
    void *own
) noexcept nogil:
    cdef ReplacedLoop *loop = <ReplacedLoop *>own
    cdef int mode = loop_mode_nogil(loop.chooser) if may_be_in_region() else HALFCL_RTE
    if dimensions[0] < loop.few and mode == HALFCL_RTE and not are_finite_results_watched():
        run_of_numpy(loop, data, dimensions, strides, of_numpy)
        observe_truths(loop.kernel, data, <const Py_ssize_t *>strides, dimensions[0])
        return
    raise_by_map(
        loop.kernel, data, <const Py_ssize_t *>strides, dimensions[0], mode, loop.exceptions)


cdef inline bint reduces(char **data, const cnp.npy_intp *strides, cnp.npy_intp n) noexcept nogil:
    """Return whether each result is the next one's first argument, all in one place."""
    return n > 1 and data[0] == data[2] and strides[0] == 0 and strides[2] == 0


cdef inline bint accumulates(
    char **data, const cnp.npy_intp *strides, cnp.npy_intp n
) noexcept nogil:
    """Return whether each result is the next one's first argument, each in a place of its own."""
    return n > 1 and data[0] + strides[0] == data[2] and strides[0] == strides[2] != 0


cdef void replaced_binary(
    char **data, const cnp.npy_intp *dimensions, const cnp.npy_intp *strides, void *of_numpy,
    void *own
) noexcept nogil:
    """Compute a binary function of halves in float16's loop.

    To nearest, NumPy computes reductions and accumulate itself unless a kernel rounds them once:
    between the steps of some, NumPy keeps a float. It computes all of them where an Experiment
    takes NumPy's steps.
    """
    cdef ReplacedLoop *loop = <ReplacedLoop *>own
    cdef cnp.npy_intp n = dimensions[0]
    cdef int mode = loop_mode_nogil(loop.chooser) if may_be_in_region() else HALFCL_RTE
    cdef bint in_place = reduces(data, strides, n), in_row = accumulates(data, strides, n)
    cdef bint in_steps = halfcl_takes_steps()[0] != 0
    if mode == HALFCL_RTE and (
        n < loop.few and not in_place and not in_row and not are_finite_results_watched()
        or in_place and (in_steps or loop.in_modes.reduce == NULL)
        or in_row and (in_steps or loop.in_modes.scan == NULL)
    ):
        run_of_numpy(loop, data, dimensions, strides, of_numpy)
    elif in_row and in_steps:
        run_uncounted(elementwise_loop, data, dimensions, strides, &loop.in_modes[mode])
    elif in_place or in_row:
        run_uncounted(binary_loop, data, dimensions, strides, &loop.in_modes[mode])
    else:
        raise_by_map(
            loop.kernel, data, <const Py_ssize_t *>strides, n, mode, loop.exceptions)


cdef inline void run_uncounted(
    strided_loop function, char **data, const cnp.npy_intp *dimensions, const cnp.npy_intp *strides,
    LoopData *loop
) noexcept nogil:
    cdef cnp.npy_uint64 count = halfcl_runs()[0]
    function(NULL, data, dimensions, strides, &loop.base)
    halfcl_runs()[0] = count


cdef void replaced_product(
    char **data, const cnp.npy_intp *dimensions, const cnp.npy_intp *strides, void *of_numpy,
    void *own
) noexcept nogil:
    cdef ReplacedLoop *loop = <ReplacedLoop *>own
    run_uncounted(product_loop, data, dimensions, strides, &loop.in_modes[loop_mode_nogil(loop.chooser)])


cdef void replaced_vectors(
    char **data, const cnp.npy_intp *dimensions, const cnp.npy_intp *strides, void *of_numpy,
    void *own
) noexcept nogil:
    cdef ReplacedLoop *loop = <ReplacedLoop *>own
    run_uncounted(geometric_loop, data, dimensions, strides, &loop.in_modes[loop_mode_nogil(loop.chooser)])


cdef halfcl_replaced_run *replacement_for(const halfcl_kernel *kernel) noexcept:
    if kernel.kind == HALFCL_VECTORS:
        return replaced_vectors
    if kernel.kind == HALFCL_FOLD:
        return replaced_product
    return replaced_binary if is_binary(kernel) else replaced_map


# ---------------------------------------------------------------- replacing

cdef bint is_float16_loop(const halfcl_kernel *kernel, const char *types) noexcept:
    """Return whether a NumPy loop with these types is a float16 loop that the kernel can replace.
    """
    cdef int i
    for i in range(kernel.signature.nin + kernel.signature.nout):
        if engine_type(types[i]) != kernel.signature.types[i]:
            return False
    return True


cdef bint is_hidden(const ReplacedUFuncObject *ufunc, int place):
    """Return whether an earlier loop has the same types, so that NumPy never uses this one."""
    cdef int i, n = ufunc.nargs
    for i in range(place):
        if ufunc.types[i * n:(i + 1) * n] == ufunc.types[place * n:(place + 1) * n]:
            return True
    return False


# Keyed by ufunc, since halfcl may be imported again while they are replaced. One thread at a time
# uses it.
cdef dict replaced_ufuncs = {}


def replaceable_ufunc(ufunc not None, bint quiet, cnp.npy_intp few):
    """Return the one ReplacedUfunc of a NumPy ufunc; None without loops for half and float16."""
    if twins[twin_place(<PyObject *>ufunc)] == NULL:
        return None
    if ufunc not in replaced_ufuncs:
        replaced_ufuncs[ufunc] = ReplacedUfunc(ufunc, quiet, few)
    return replaced_ufuncs[ufunc] if replaced_ufuncs[ufunc].count else None


cdef class ReplacedUfunc:
    """A NumPy ufunc whose float16 loops can be replaced by halfcl's, where half has a loop.

    quiet: whether NumPy's loops never raise underflow, where the kernels do. few: see ReplacedLoop;
    for a ufunc that NumPy rounds correctly.
    """

    cdef readonly object ufunc
    cdef readonly int count
    cdef ReplacedLoop *loops  # never freed: a call in another thread may be using them
    cdef atomic_int is_on  # other threads read it meanwhile

    def __cinit__(self, ufunc not None, bint quiet, cnp.npy_intp few):
        cdef UfuncData *of_half = twin_data(<PyObject *>ufunc)
        cdef ReplacedUFuncObject *own = <ReplacedUFuncObject *><PyObject *>ufunc
        cdef int i, place
        self.ufunc = ufunc
        self.loops = <ReplacedLoop *>calloc(own.ntypes + 1, sizeof(ReplacedLoop))
        if self.loops == NULL:
            raise MemoryError()
        for place in range(own.ntypes):
            for i in range(of_half.count):
                if (
                    is_float16_loop(of_half.kernels[i], own.types + place * own.nargs)
                    and not is_hidden(own, place)
                ):
                    self.add(of_half, i, place, quiet, few)
                    break
        of_half.replaced = self.loops

    cdef int add(self, UfuncData *of_half, int i, int place, bint quiet, cnp.npy_intp few) except -1:
        cdef ReplacedLoop *loop = &self.loops[self.count]
        loop.place, loop.chooser = place, of_half.chooser
        loop.exceptions = ~<unsigned>(HALFCL_UNDERFLOW if quiet else 0)
        loop.kernel, loop.in_modes = of_half.kernels[i], of_half.loops[i]
        loop.few = few
        loop.replacement = halfcl_new_replacement(replacement_for(of_half.kernels[i]), loop)
        if loop.replacement == NULL:
            raise SystemError("halfcl: more loops of NumPy's than replaced_loops.h has room for")
        self.count += 1
        return 0

    cdef int publish_count(self, int count) except -1:
        """Publish how many of the ufunc's loops are replaced, for its calls."""
        twin_data(<PyObject *>self.ufunc).replaced_count = count
        return 0

    @property
    def is_replaced(self):
        """True while NumPy has halfcl's loops, unless others have replaced them in turn."""
        cdef ReplacedUFuncObject *own = <ReplacedUFuncObject *><PyObject *>self.ufunc
        cdef int i
        for i in range(self.count):
            if halfcl_published(&own.functions[self.loops[i].place]) != <void *>self.loops[i].replacement:
                return False
        return self.count > 0 and self.is_on

    def replace(self):
        """Replace NumPy's loops by halfcl's, unless they are already."""
        cdef ReplacedUFuncObject *own = <ReplacedUFuncObject *><PyObject *>self.ufunc
        cdef ReplacedLoop *loop
        cdef int i
        if self.is_on or self.count == 0:
            return
        self.is_on = True
        for i in range(self.count):
            loop = &self.loops[i]
            halfcl_keep(&loop.of_numpy, &own.functions[loop.place], sizeof(loop.of_numpy))
            halfcl_publish(&own.functions[loop.place], <void *>loop.replacement)
        self.publish_count(self.count)

    def restore(self):
        """Restore NumPy's loops where halfcl's are in place."""
        cdef ReplacedUFuncObject *own = <ReplacedUFuncObject *><PyObject *>self.ufunc
        cdef const ReplacedLoop *loop
        cdef int i
        if not self.is_replaced:
            return
        self.is_on = False
        self.publish_count(0)
        for i in range(self.count):
            loop = &self.loops[i]
            halfcl_publish(&own.functions[loop.place], <void *>loop.of_numpy)
