# The rounding mode of a region, in a context variable.
# Needs: nothing

import warnings
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar

cimport cython
from cpython.contextvars cimport PyContextVar_Get, PyContextVar_Set
from cpython.long cimport PyLong_AsUnsignedLongMask
from cpython.ref cimport Py_DECREF

cdef str RTE = "rte", RTZ = "rtz", RTP = "rtp", RTN = "rtn"
MODES = (RTE, RTZ, RTP, RTN)
cdef dict MODE_NUMBERS = {name: number for number, name in enumerate(MODES)}

# The properties of a region beside its mode, combined with it in one number.
cdef enum:
    BUILTINS = 4  # it governs the built-in functions too
    STRICT = 8    # casts from half to wider types are errors
    RANDOM = 16   # each result of each element is rounded down or up at random
    ASKED = 32    # an Experiment, which decides the mode anew each time
    OBSERVED = 64 # an Experiment that is notified of casts from half
    CASTS = 128   # an Experiment that governs NumPy's casts to float16, too

# Beside the four modes: stochastic rounding; see drivers.pxi.
cdef enum:
    RANDOM_MODE = 4

cdef extern from *:
    """
    #if defined(_MSC_VER)
    #define HALFCL_THREAD_LOCAL __declspec(thread)
    #else
    #define HALFCL_THREAD_LOCAL _Thread_local
    #endif
    /* Each thread has random bits of its own, so that other threads do not change its results. */
    static HALFCL_THREAD_LOCAL halfcl_random halfcl_thread_coins;
    static halfcl_random *halfcl_coins(void)
    {
        return &halfcl_thread_coins;
    }
    /* The Experiment whose function this thread is running; borrowed, only compared. */
    static HALFCL_THREAD_LOCAL void *halfcl_asked_experiment;
    /* The Experiment notified of comparisons in this thread, while it is entered; borrowed. */
    static HALFCL_THREAD_LOCAL void *halfcl_thread_observer;
    static void **halfcl_truth_observer(void)
    {
        return &halfcl_thread_observer;
    }
    /* The Experiment notified of results that are not finite, while it is entered; borrowed. */
    static HALFCL_THREAD_LOCAL void *halfcl_thread_watcher;
    static void **halfcl_finite_observer(void)
    {
        return &halfcl_thread_watcher;
    }
    /* Set while this thread adds up float16 arrays in NumPy's own steps. */
    static HALFCL_THREAD_LOCAL int halfcl_in_steps;
    static int *halfcl_takes_steps(void)
    {
        return &halfcl_in_steps;
    }

    #include <stdatomic.h>
    /* How many entries exist, on a cache line that other variables do not share: other threads'
       loops read it. */
    enum { HALFCL_CACHE_LINE = 64 };
    static struct {
        char before[HALFCL_CACHE_LINE];
        atomic_long count;
        atomic_long watchers;
        char after[HALFCL_CACHE_LINE];
    } halfcl_entries;
    static void halfcl_count_entry(int change)
    {
        atomic_fetch_add_explicit(&halfcl_entries.count, change, memory_order_relaxed);
    }
    static inline long halfcl_count_of_entries(void)
    {
        return atomic_load_explicit(&halfcl_entries.count, memory_order_relaxed);
    }
    /* How many Experiments exist that govern casts or watch results. */
    static void halfcl_count_watcher(int change)
    {
        atomic_fetch_add_explicit(&halfcl_entries.watchers, change, memory_order_relaxed);
    }
    static inline long halfcl_count_of_watchers(void)
    {
        return atomic_load_explicit(&halfcl_entries.watchers, memory_order_relaxed);
    }
    """
    halfcl_random *halfcl_coins() nogil
    void *halfcl_asked_experiment
    void **halfcl_truth_observer() nogil
    void **halfcl_finite_observer() nogil
    int *halfcl_takes_steps() nogil
    void halfcl_count_entry(int) noexcept nogil
    long halfcl_count_of_entries() noexcept nogil
    # Return whether any context, a copied one too, holds a region. If none does, every mode is rte,
    # and loops that run without the GIL need not take it to find that out. Another thread's regions
    # do not apply to this one, so it does not matter when this one sees their number.
    bint may_be_in_region "halfcl_count_of_entries" () noexcept nogil
    void halfcl_count_watcher(int) noexcept nogil
    # Return whether any Experiment governs casts, or watches results: if none does, casts to
    # float16 need not look for one.
    bint may_be_watched "halfcl_count_of_watchers" () noexcept nogil


def entries_of_regions():
    """Return how many entries into regions exist, in all contexts."""
    return halfcl_count_of_entries()

# The variable's value is the innermost region of the context, an Entry; or None.
cdef object region_variable = ContextVar("halfcl_rounding", default=None)


@cython.final
@cython.internal
@cython.freelist(16)
@cython.trashcan(True)  # deallocates long chains without recursion
cdef class Entry:
    """One entry into a region. It never changes: copies of contexts share it."""

    cdef int value
    cdef Region region
    cdef void *frame  # the frame of the entry: only compared
    cdef Entry outer

    def __cinit__(self):
        halfcl_count_entry(1)

    def __dealloc__(self):
        halfcl_count_entry(-1)


cdef extern from "Python.h":
    object PyUnicode_FromObject(object)


cdef int mode_number(object name) except -1:
    # Literals are interned: most calls stop at the first comparison that holds.
    if name is RTE:
        return HALFCL_RTE
    if name is RTZ:
        return HALFCL_RTZ
    if name is RTP:
        return HALFCL_RTP
    if name is RTN:
        return HALFCL_RTN
    # A class derived from str may hash and compare by its own code: its plain text is compared.
    number = MODE_NUMBERS.get(PyUnicode_FromObject(name)) if isinstance(name, str) else None
    if number is None:
        raise ValueError(
            "rounding: expected one of 'rte', 'rtz', 'rtp', 'rtn', got "
            + ("an array; calls of functions, half and convert take one"
               if isinstance(name, cnp.ndarray) else
               f"{name!r}; they round to nearest, toward zero, up, down"))
    return number


cdef inline Entry innermost():
    """Return the current context's innermost region; or None."""
    cdef PyObject *value = NULL
    PyContextVar_Get(region_variable, NULL, &value)
    entry = <object>value
    Py_DECREF(entry)  # PyContextVar_Get returned a new reference
    # Copies of contexts list their variables, so users may have set this one to anything.
    return <Entry>entry if Py_TYPE(entry) is <PyTypeObject *>Entry else None


cdef int region_value() except -1:
    """Return the innermost region's mode, BUILTINS and STRICT. Needs the GIL."""
    if not may_be_in_region():
        return 0
    cdef Entry entered = innermost()
    return 0 if entered is None else entered.value


# The chooser of a function's mode: a region, as operator or as built-in; or, as the mode's own
# number, nobody.
cdef enum:
    BY_OPERATOR = -1
    BY_BUILTIN = -2


cdef int mode_of_loops(int chooser) noexcept:
    """Return the mode in force for a chooser; or RANDOM_MODE."""
    if chooser >= 0:
        return chooser
    cdef int value = region_value()
    if chooser == BY_BUILTIN and not value & BUILTINS:
        return HALFCL_RTE
    if value & ASKED:
        value = (<Experiment>innermost().region).ask()
    return RANDOM_MODE if value & RANDOM else value & 3


cdef inline bint rounds_to_nearest() except -1:
    """Return whether operators round to nearest, without asking a function that decides modes.

    For ways that may yet leave a computation to another one, which asks.
    """
    return not region_value() & (3 | RANDOM | ASKED)


cdef inline halfcl_rounding toss(int mode) noexcept nogil:
    """Return the mode; down or up at random for RANDOM_MODE: for code that rounds one number."""
    return halfcl_toss(halfcl_coins()) if mode == RANDOM_MODE else <halfcl_rounding>mode


cdef Experiment governor_of_casts():
    """Return the Experiment that governs NumPy's casts to float16; or None. Needs the GIL.

    They round to nearest in every region, also in those that code enters inside an Experiment,
    unless that Experiment governs casts: then in the Experiment's mode.
    """
    cdef Entry entered = innermost() if may_be_watched() else None
    while entered is not None and not entered.value & CASTS:
        entered = entered.outer
    return None if entered is None else <Experiment>entered.region


cdef int mode_of_casts() noexcept:
    """Return the mode of NumPy's casts to float16; or RANDOM_MODE. Needs the GIL."""
    cdef Experiment governor = governor_of_casts()
    return HALFCL_RTE if governor is None else governor.next_mode()


cdef halfcl_rounding mode_of_cast(double number) noexcept:
    """Return the mode of a cast of one number to float16, which it does not keep. Needs the GIL."""
    cdef Experiment governor = governor_of_casts()
    return HALFCL_RTE if governor is None else governor.mode_of_number(governor.next_mode(), number)


cdef halfcl_rounding mode_of_cast_nogil(double number) noexcept nogil:
    """Return mode_of_cast in code that NumPy may run without the GIL."""
    if not may_be_watched():
        return HALFCL_RTE
    with gil:
        return mode_of_cast(number)


cdef bint depends_on_number(int mode) noexcept:
    """Return whether the mode of loops is another one for a single number: see mode_of_number."""
    cdef Entry entered
    if mode == RANDOM_MODE:
        return True
    if not may_be_in_region():
        return False
    entered = innermost()
    return entered is not None and entered.value & ASKED and (
        (<Experiment>entered.region).hashes_numbers(mode))


cdef halfcl_rounding mode_of_number(int mode, double number) noexcept:
    """Return the mode for one number that becomes a half, in the mode of loops. Needs the GIL."""
    cdef Entry entered = innermost() if depends_on_number(mode) else None
    if entered is None or not entered.value & (RANDOM | ASKED):  # those of Experiments alone
        return toss(mode)
    return (<Experiment>entered.region).mode_of_number(mode, number)


cdef halfcl_rounding mode_of_number_nogil(int mode, double number) noexcept nogil:
    """Return mode_of_number in code that NumPy may run without the GIL."""
    if not may_be_in_region():
        return toss(mode)
    with gil:
        return mode_of_number(mode, number)


cdef int mode_of_casts_nogil() noexcept nogil:
    """Return mode_of_casts in code that NumPy may run without the GIL."""
    if not may_be_watched():
        return HALFCL_RTE
    with gil:
        return mode_of_casts()


cdef inline bint are_finite_results_watched() noexcept nogil:
    """Return whether this thread's Experiment is notified of results that are not finite."""
    return may_be_watched() and halfcl_finite_observer()[0] != NULL


cdef halfcl_rounding chosen_mode(int chooser) noexcept:
    """Return the mode in force for a chooser, one of the four."""
    return toss(mode_of_loops(chooser))


cdef halfcl_rounding operator_mode() noexcept:
    """Return the mode that governs operators and conversions to half."""
    return chosen_mode(BY_OPERATOR)


cdef int loop_mode_nogil(int chooser=BY_OPERATOR) noexcept nogil:
    """Return mode_of_loops in code that NumPy may run without the GIL."""
    if chooser >= 0:
        return chooser
    if not may_be_in_region():
        return HALFCL_RTE
    with gil:
        return mode_of_loops(chooser)


cdef halfcl_rounding operator_mode_nogil() noexcept nogil:
    """Return operator_mode in code that NumPy may run without the GIL."""
    return toss(loop_mode_nogil())


def get_rounding():
    """The rounding mode in force: OpenCL's ``__ROUNDING_MODE__``.

    Returns
    -------
    str
        ``"rte"``, ``"rtz"``, ``"rtp"`` or ``"rtn"``; ``"rte"`` outside any region.

    See Also
    --------
    rounding : set it for a region.

    Notes
    -----
    Source: the cl_khr_select_fprounding_mode extension of OpenCL 1.0.

    Examples
    --------
    >>> import halfcl as hc
    >>> with hc.rounding("rtp"):
    ...     hc.get_rounding()
    'rtp'
    """
    return MODES[operator_mode()]


def get_builtin_rounding():
    """Return the mode for built-in functions: the region's if it governs them, else rte."""
    return MODES[chosen_mode(BY_BUILTIN)]


def rounds_at_random():
    """Return whether the region in force is an Experiment that rounds at random."""
    return bool(region_value() & RANDOM)


cdef bint are_promotions_watched():
    """Return whether a region refuses casts from half, or notes them."""
    cdef Entry entered = innermost()
    while entered is not None:
        if entered.value & (STRICT | OBSERVED):
            return True
        entered = entered.outer
    return False


def is_strict():
    """Return whether the region in force keeps half from turning into wider types."""
    return bool(region_value() & STRICT)


def check_mode(mode):
    """Raise ValueError unless mode is one of the four."""
    mode_number(mode)



# ---------------------------------------------------------------- regions

cdef extern from *:
    """
    /* Return the frame of the calling Python code; borrowed, NULL if there is none. */
    static void *halfcl_frame(void)
    {
        return PyEval_GetFrame();
    }
    static int halfcl_code_flags(void *frame)
    {
        PyCodeObject *code = PyFrame_GetCode(frame);
        int flags = code->co_flags;
        Py_DECREF(code);
        return flags;
    }
    /* Return the code of a frame's caller; NULL, without an error, if there is none. */
    static void *halfcl_caller_code(void *frame)
    {
        PyFrameObject *caller = PyFrame_GetBack(frame);
        PyCodeObject *code = caller ? PyFrame_GetCode(caller) : NULL;
        Py_XDECREF(code);  /* borrowed: only compared */
        Py_XDECREF(caller);
        return code;
    }
    """
    void *halfcl_frame()
    int halfcl_code_flags(void *)
    void *halfcl_caller_code(void *)
    int CO_GENERATOR, CO_ITERABLE_COROUTINE, CO_ASYNC_GENERATOR


cdef object before_region = None  # set while halfcl is imported, and never again


def set_before_region(function):
    """Set the function that is called, without arguments, when Python code enters a region."""
    global before_region
    before_region = function


def _no_context():
    yield


# The code that runs generators as context managers, which leak regions on purpose.
cdef object RUN_MANAGER = type(contextmanager(_no_context)()).__enter__.__code__
cdef object RUN_ASYNC_MANAGER = type(asynccontextmanager(_no_context)()).__aenter__.__code__


cdef bint leaks(void *frame) noexcept:
    """Return whether regions entered in a frame remain when it is left: it is a generator's."""
    if frame == NULL:
        return False
    cdef int flags = halfcl_code_flags(frame)
    if not flags & (CO_GENERATOR | CO_ASYNC_GENERATOR) or flags & CO_ITERABLE_COROUTINE:
        return False
    caller = halfcl_caller_code(frame)
    return caller != <void *>RUN_MANAGER and caller != <void *>RUN_ASYNC_MANAGER


cdef int warn_of_generator() except -1:
    warnings.warn(
        "rounding: a region entered in a generator also governs its caller where it yields "
        "inside; compute in a function that the generator calls, and let that enter the region, "
        "or give rounding= in the calls",
        RuntimeWarning, stacklevel=1)
    return 0


cdef object NOT_GIVEN = object()


cdef class Region:
    """Region(mode, builtins=False, strict=False)\n--\n\nThe context manager that halfcl.rounding is.

    It enters and exits in C, so no signal is handled between two steps.

    It stores nothing about who has entered it, as the context does that. So it may be entered
    any number of times, by many threads and tasks at once.
    """

    cdef int value

    def __init__(self, mode=NOT_GIVEN, builtins=False, strict=False):
        if mode is NOT_GIVEN:
            raise TypeError("rounding: expected a mode: 'rte', 'rtz', 'rtp' or 'rtn'")
        for name, value in (("builtins", builtins), ("strict", strict)):
            if type(value) is not bool and type(value) is not np.bool:
                raise TypeError(f"{name}: expected a bool, got {value!r}")
        self.value = mode_number(mode) | (BUILTINS if builtins else 0) | (STRICT if strict else 0)

    @property
    def mode(self):
        return MODES[self.value & 3]

    @property
    def builtins(self):
        return bool(self.value & BUILTINS)

    @property
    def strict(self):
        return bool(self.value & STRICT)

    @cython.binding(False)
    def __reduce__(self):
        return type(self), (self.mode, self.builtins, self.strict)

    @cython.binding(False)
    def __enter__(self):
        cdef void *frame = halfcl_frame()
        if leaks(frame):
            warn_of_generator()
        if before_region is not None:
            before_region()
        self.enter(frame)
        return self

    @cython.binding(False)
    def __exit__(self, *exception):
        self.leave(halfcl_frame())

    cdef int enter(self, void *frame) except -1:
        """Set the mode in the current context, inside the regions that it has."""
        cdef Entry entered = Entry.__new__(Entry)
        entered.value = self.value
        entered.region = self
        entered.frame = frame
        entered.outer = innermost()
        PyContextVar_Set(region_variable, entered)
        return 0

    cdef Entry find(self, void *frame):
        """Return the innermost entry into this region, from that frame if there is one.

        Two generators may have entered one region: each has to leave its own.
        """
        cdef Entry entered = innermost(), other = None
        while entered is not None:
            if entered.region is self:
                if entered.frame == frame:
                    return entered
                if other is None:
                    other = entered
            entered = entered.outer
        return other

    cdef int leave(self, void *frame) except -1:
        """Remove this region from the current context, and no other one that is inside it.

        Where the context has no such region, for example because another task closes a generator,
        nothing is removed.
        """
        cdef Entry entry = self.find(frame)
        if entry is not None:
            PyContextVar_Set(region_variable, region_without(entry))
        return 0


cdef extern from *:
    """
    /* Return a bit that depends on a number and a seed: the hash is splitmix64's (see random.c).
       Numbers that are equal in float, such as 0.1 and numpy.float32(0.1), have the same. */
    static int halfcl_bit_of_number(double number, npy_uint64 seed)
    {
        const float rounded = (float)number;
        npy_uint32 bits;
        memcpy(&bits, &rounded, sizeof bits);
        npy_uint64 z = (bits | seed << 32) + UINT64_C(0x9E3779B97F4A7C15);
        z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
        return (int)((z ^ (z >> 31)) >> 63);
    }
    """
    bint halfcl_bit_of_number(double, cnp.npy_uint64) nogil


cdef class Experiment(Region):
    """Experiment(mode, decide=None, promoted=None, seed=0, compared=None, steps=False, casts=False, \
not_finite=None, numbers=0)
--

A region that observes code, and may round at random.

    It governs built-ins too. Its mode may be "random": stochastic rounding, each result of each
    element down or up, by random bits that start from the seed at each entry. But a single number of
    Python's or NumPy's that becomes a half, and each text, goes down or up by a hash of it and of
    the seed's lower 32 bits, so that equal numbers are equal halves in all threads.

    decide: called for each decision, returns the mode in place of the region's; its own
    computations are rounded to nearest. promoted: called with the name of a type whenever a cast
    turns half into it: a wider one, or float16, whose operators are NumPy's. compared: called with
    the bools, a byte each, that a kernel returns for halves. failure: the exception that these
    functions raised, which cannot be raised where it occurs. tossed: whether a random bit may have
    decided a result when the region was last entered. steps: whether running sums and products of
    float16 arrays, and those along other axes than the last, are rounded at each step, as NumPy's
    own; else once. casts: whether NumPy's casts to float16, and Python's numbers that become
    float16, follow the mode and ask `decide` unless they are exact; else they round to nearest.
    not_finite: called when an operation on halves, or a cast to them, gives infinity although its
    operands are finite, or NaN although none of them is; with the operation's name, the operands of
    the first such element, as NumPy's scalars, and "overflow", "divide by zero" or "invalid". The
    operands are () for sums and products of many halves, and for what is called a second time for
    one operation. numbers: 1 for such a hash also where `decide` returns down or up, -1 for the
    opposite direction, 2 for the hash whatever it returns, 0 for what it returns.

    One thread enters it. Threads that were started inside may use it at any time.
    """

    cdef object decide, promoted, compared, not_finite
    cdef unsigned long long seed
    cdef halfcl_random outer
    cdef void *outer_observer
    cdef void *outer_watcher
    cdef object raised
    cdef readonly bint tossed
    cdef bint is_watcher
    cdef int steps, outer_steps, numbers

    def __init__(
        self, mode, decide=None, promoted=None, unsigned long long seed=0, compared=None,
        bint steps=False, bint casts=False, not_finite=None, int numbers=0,
    ):
        self.value, self.steps = BUILTINS | experiment_value(mode), steps
        self.numbers = numbers
        self.decide, self.promoted, self.seed, self.compared = decide, promoted, seed, compared
        self.not_finite = not_finite
        self.value |= (0 if promoted is None else OBSERVED) | (CASTS if casts else 0)
        self.value |= 0 if decide is None else ASKED
        if (casts or not_finite is not None) and not self.is_watcher:
            self.is_watcher = True
            halfcl_count_watcher(1)

    def __dealloc__(self):
        if self.is_watcher:
            halfcl_count_watcher(-1)

    @cython.binding(False)
    def __reduce__(self):
        raise TypeError("Experiment: cannot be pickled")

    @cython.binding(False)
    def __enter__(self):
        self.start()
        return self

    @cython.binding(False)
    def __exit__(self, *exception):
        self.stop()

    cdef int start(self) except -1:
        self.outer = halfcl_coins()[0]
        halfcl_coins().state = self.seed
        halfcl_coins().decided = False
        self.outer_observer = halfcl_truth_observer()[0]
        halfcl_truth_observer()[0] = NULL if self.compared is None else <void *>self
        self.outer_watcher = halfcl_finite_observer()[0]
        halfcl_finite_observer()[0] = NULL if self.not_finite is None else <void *>self
        self.outer_steps, halfcl_takes_steps()[0] = halfcl_takes_steps()[0], self.steps
        return self.enter(NULL)  # without a frame: only this thread enters it

    cdef int stop(self) except -1:
        self.leave(NULL)
        self.tossed = halfcl_coins().decided
        halfcl_coins()[0] = self.outer
        halfcl_truth_observer()[0] = self.outer_observer
        halfcl_finite_observer()[0] = self.outer_watcher
        halfcl_takes_steps()[0] = self.outer_steps
        return 0

    @cython.binding(False)
    def call(self, function, tuple args):
        """Return function(*args), called inside; raise failure, whatever else was raised."""
        self.start()
        try:
            return function(*args)
        finally:
            self.stop()
            failure = self.failure
            if failure is not None:
                raise failure

    @property
    def failure(self):
        with cython.critical_section(self):
            return self.raised

    def has_tossed(self):
        """Return what `tossed` would be if the region were left now."""
        return bool(halfcl_coins().decided)

    cdef int next_mode(self) noexcept:
        """Return the mode of an operation; or RANDOM_MODE."""
        cdef int value = self.ask() if self.value & ASKED else self.value
        return RANDOM_MODE if value & RANDOM else value & 3

    cdef halfcl_rounding mode_of_number(self, int mode, double number) noexcept:
        """Return the mode for one number that becomes a half and does not stay exact."""
        cdef bint is_up
        if not self.hashes_numbers(mode):
            return <halfcl_rounding>mode
        is_up = halfcl_bit_of_number(number, self.seed)
        if mode == RANDOM_MODE:
            halfcl_coins().decided = True
        elif self.numbers < 0:
            is_up = not is_up
        return HALFCL_RTP if is_up else HALFCL_RTN

    cdef bint hashes_numbers(self, int mode) noexcept:
        """Return whether a hash decides on single numbers where operations have this mode."""
        if mode == RANDOM_MODE or self.numbers == 2:
            return True
        return self.numbers != 0 and mode in (HALFCL_RTP, HALFCL_RTN)

    cdef int ask(self) noexcept:
        """Return the mode of one decision, or RANDOM."""
        return self.call_back(self.decide, (), True)

    cdef int notify_promotion(self, object name) noexcept:
        self.call_back(self.promoted, (name,), False)
        return 0

    cdef int notify_comparison(self, const char *truths, Py_ssize_t step, size_t n) noexcept:
        """Pass a kernel's bools to `compared`; whatever it computes is not observed itself."""
        cdef size_t i
        cdef bytearray copy
        halfcl_truth_observer()[0] = NULL
        try:
            copy = bytearray(n)
            for i in range(n):
                (<char *>copy)[i] = truths[<Py_ssize_t>i * step]
            self.call_back(self.compared, (copy,), False)
        except BaseException as failure:
            with cython.critical_section(self):
                self.raised = failure
        halfcl_truth_observer()[0] = <void *>self
        return 0

    cdef int notify_not_finite(self, object name, tuple operands, object reason) noexcept:
        """Pass an operation to `not_finite`; whatever that computes is not watched itself."""
        halfcl_finite_observer()[0] = NULL
        self.call_back(self.not_finite, (name, operands, reason), False)
        halfcl_finite_observer()[0] = <void *>self
        return 0

    cdef int call_back(self, object function, tuple args, bint is_mode) noexcept:
        """Return the mode that a function returns; rte if it fails, or asks for a mode itself."""
        global halfcl_asked_experiment
        cdef void *outer = halfcl_asked_experiment
        if outer == <void *>self:
            return HALFCL_RTE
        halfcl_asked_experiment = <void *>self
        try:
            result = function(*args)
            return experiment_value(result) if is_mode else HALFCL_RTE
        except BaseException as failure:
            with cython.critical_section(self):
                self.raised = failure
            return HALFCL_RTE
        finally:
            halfcl_asked_experiment = outer


cdef int experiment_value(object mode) except -1:
    return RANDOM if mode == "random" else mode_number(mode)


cdef Entry region_without(Entry removed):
    """Return the current context's innermost region once an entry is removed."""
    cdef Entry entered = innermost(), outer = removed.outer, copy
    if entered is removed:
        return outer
    cdef list inside = []
    while entered is not removed:
        inside.append(entered)
        entered = entered.outer
    for entered in reversed(inside):
        copy = Entry.__new__(Entry)
        copy.value, copy.region, copy.frame = entered.value, entered.region, entered.frame
        copy.outer = outer
        outer = copy
    return outer
