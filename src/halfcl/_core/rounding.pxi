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

# What a region says beside its mode, in one number with it.
cdef enum:
    BUILTINS = 4  # it governs the built-in functions too
    STRICT = 8    # in it half turns into no wider type by a cast
    RANDOM = 16   # each result of each element is rounded down or up at random
    ASKED = 32    # an Experiment's, which decides the mode anew each time
    OBSERVED = 64 # an Experiment's, which is told what leaves half

# Beside the four: what drivers.pxi runs by the tossing of coins.
cdef enum:
    RANDOM_MODE = 4

cdef extern from *:
    """
    #if defined(_MSC_VER)
    #define HALFCL_THREAD_LOCAL __declspec(thread)
    #else
    #define HALFCL_THREAD_LOCAL _Thread_local
    #endif
    /* Each thread tosses coins of its own: what others compute does not change its results. */
    static HALFCL_THREAD_LOCAL halfcl_random halfcl_thread_coins;
    static halfcl_random *halfcl_coins(void)
    {
        return &halfcl_thread_coins;
    }
    /* The Experiment that this thread is asking; borrowed, to compare. */
    static HALFCL_THREAD_LOCAL void *halfcl_asked;
    /* The Experiment that is told of this thread's truths, while it is entered; borrowed. */
    static HALFCL_THREAD_LOCAL void *halfcl_told;
    static void **halfcl_told_of_truths(void)
    {
        return &halfcl_told;
    }
    /* Whether float16 arrays are added up in NumPy's own steps, in this thread. */
    static HALFCL_THREAD_LOCAL int halfcl_in_steps;
    static int *halfcl_takes_steps(void)
    {
        return &halfcl_in_steps;
    }

    #include <stdatomic.h>
    static atomic_bool halfcl_regions_used;
    """
    halfcl_random *halfcl_coins() nogil
    void *halfcl_asked
    void **halfcl_told_of_truths() nogil
    int *halfcl_takes_steps() nogil
    # Whether any region was ever entered. Until then every mode is rte, and loops
    # that run without the GIL need not take it to find that out. It never goes
    # back: a copied context can outlive the region that it was copied in. Another thread's
    # regions are not this one's, so that it does not matter when this one sees them.
    bint regions_used "halfcl_regions_used"

# The variable's value is the innermost region of the context, an Entered; or None.
cdef object region_variable = ContextVar("halfcl_rounding", default=None)


@cython.final
@cython.internal
@cython.freelist(16)
@cython.trashcan(True)  # chains are let go of all at once, however long
cdef class Entered:
    """One entry into a region. It never changes: copies of contexts share it."""

    cdef int value
    cdef Region region
    cdef void *frame  # that it was entered in: compared, never looked into
    cdef Entered outer


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
    # A class that derives from str may hash and compare by code of its users: its plain text is asked.
    number = MODE_NUMBERS.get(PyUnicode_FromObject(name)) if isinstance(name, str) else None
    if number is None:
        hint = "; calls of functions, half and convert take one" if isinstance(name, cnp.ndarray) else ""
        raise ValueError(
            "rounding: expected one of 'rte', 'rtz', 'rtp', 'rtn', got "
            f"{'an array' if hint else repr(name)}{hint}")
    return number


cdef inline Entered innermost():
    """The current context's innermost region; or None."""
    cdef PyObject *value = NULL
    PyContextVar_Get(region_variable, NULL, &value)
    found = <object>value
    Py_DECREF(found)  # PyContextVar_Get has given a reference
    # Copies of contexts name their variables: users may have set this one to anything.
    return <Entered>found if Py_TYPE(found) is <PyTypeObject *>Entered else None


cdef int region_value() except -1:
    """The innermost region's mode, BUILTINS and STRICT. Needs the GIL."""
    if not regions_used:
        return 0
    cdef Entered entered = innermost()
    return 0 if entered is None else entered.value


# Who chooses a function's mode: a region, as operator or as built-in; or, as the
# mode's own number, nobody.
cdef enum:
    BY_OPERATOR = -1
    BY_BUILTIN = -2


cdef int mode_of_loops(int chooser) noexcept:
    """The mode in force for what is chosen so; or RANDOM_MODE."""
    if chooser >= 0:
        return chooser
    cdef int value = region_value()
    if chooser == BY_BUILTIN and not value & BUILTINS:
        return HALFCL_RTE
    if value & ASKED:
        value = (<Experiment>innermost().region).ask()
    return RANDOM_MODE if value & RANDOM else value & 3


cdef inline halfcl_rounding toss(int mode) noexcept nogil:
    """The mode; of RANDOM_MODE, down or up: for what rounds one number."""
    return halfcl_toss(halfcl_coins()) if mode == RANDOM_MODE else <halfcl_rounding>mode


cdef halfcl_rounding chosen_mode(int chooser) noexcept:
    """The mode in force, one of the four, for what is chosen so."""
    return toss(mode_of_loops(chooser))


cdef halfcl_rounding operator_mode() noexcept:
    """The mode that governs operators and conversions to half."""
    return chosen_mode(BY_OPERATOR)


cdef int loop_mode_nogil(int chooser=BY_OPERATOR) noexcept nogil:
    """mode_of_loops for code that NumPy may run without the GIL."""
    if chooser >= 0:
        return chooser
    if not regions_used:
        return HALFCL_RTE
    with gil:
        return mode_of_loops(chooser)


cdef halfcl_rounding operator_mode_nogil() noexcept nogil:
    """The same, one of the four."""
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
    """The mode in force for built-in functions: a region's that governs them, else rte."""
    return MODES[chosen_mode(BY_BUILTIN)]


def rounds_at_random():
    """Whether the region in force is an Experiment that rounds at random."""
    return bool(region_value() & RANDOM)


cdef bint leaving_is_watched():
    """Whether a region refuses casts from half, or notes them."""
    cdef Entered entered = innermost()
    while entered is not None:
        if entered.value & (STRICT | OBSERVED):
            return True
        entered = entered.outer
    return False


def is_strict():
    """Whether the region in force keeps half from turning into wider types."""
    return bool(region_value() & STRICT)


def check_mode(mode):
    """ValueError unless mode is one of the four."""
    mode_number(mode)



# ---------------------------------------------------------------- regions

cdef extern from *:
    """
    /* The frame of Python code that called; borrowed, NULL if there is none. */
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
    /* The code that called a frame's; NULL, without an error, if there is none. */
    static void *halfcl_caller_code(void *frame)
    {
        PyFrameObject *caller = PyFrame_GetBack(frame);
        PyCodeObject *code = caller ? PyFrame_GetCode(caller) : NULL;
        Py_XDECREF(code);  /* borrowed: to compare */
        Py_XDECREF(caller);
        return code;
    }
    """
    void *halfcl_frame()
    int halfcl_code_flags(void *)
    void *halfcl_caller_code(void *)
    int CO_GENERATOR, CO_ITERABLE_COROUTINE, CO_ASYNC_GENERATOR


cdef object entering = None  # set while halfcl is imported, and never again


def call_when_entering(function):
    """Have a function called, without arguments, where Python code enters a region."""
    global entering
    entering = function


def _no_context():
    yield


# What runs the generators that are context managers: these leak on purpose.
cdef object RUN_MANAGER = type(contextmanager(_no_context)()).__enter__.__code__
cdef object RUN_ASYNC_MANAGER = type(asynccontextmanager(_no_context)()).__aenter__.__code__


cdef bint leaks(void *frame) noexcept:
    """Whether regions entered in a frame stay when it is left: it is a generator's."""
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
    """Region(mode, builtins=False, strict=False)\n--\n\nWhat halfcl.rounding is.

    A region, entered and left in C: no signal is handled between a step and the next.

    It keeps nothing of who has entered it: that is the context's. So it may be entered
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
        if entering is not None:
            entering()
        self.enter(frame)
        return self

    @cython.binding(False)
    def __exit__(self, *exception):
        self.leave(halfcl_frame())

    cdef int enter(self, void *frame) except -1:
        """Set the mode in the current context, inside the regions that it has."""
        global regions_used
        cdef Entered entered = Entered.__new__(Entered)
        entered.value = self.value
        entered.region = self
        entered.frame = frame
        entered.outer = innermost()
        if not regions_used:  # once: threads would wait for each other's writes
            regions_used = True
        PyContextVar_Set(region_variable, entered)
        return 0

    cdef Entered find(self, void *frame):
        """The innermost entry into this region: from that frame if there is one, else any.

        Two generators may have entered one region: each is to leave its own.
        """
        cdef Entered entered = innermost(), other = None
        while entered is not None:
            if entered.region is self:
                if entered.frame == frame:
                    return entered
                if other is None:
                    other = entered
            entered = entered.outer
        return other

    cdef int leave(self, void *frame) except -1:
        """Take this region away from the current context, and none that is inside it.

        Where the context has no such region, as where a generator is closed by another
        task than has run it, there is nothing to take away.
        """
        cdef Entered found = self.find(frame)
        if found is not None:
            PyContextVar_Set(region_variable, without(found))
        return 0


cdef class Experiment(Region):
    """Experiment(mode, decide=None, left=None, seed=0, compared=None, steps=False)
--

A region to try code in.

    It governs built-ins too. Its mode may be "random": each result of each element is rounded
    down or up, by coins that the seed decides; entering it starts them anew.

    decide: called for each decision, gives the mode in place of the region's; what it computes
    itself is rounded to nearest. left: called with the name of a type whenever half turns into it
    by a cast: a wider one, or float16, whose operators are NumPy's. compared: called with the
    truths, a byte each, that a kernel gives of halves. failure: what they have raised, which cannot
    be raised from there. tossed: whether a coin may have decided a result
    when it was last entered. steps: whether running sums and products of float16 arrays, and those
    along other axes than the last, are rounded at each step, as NumPy's own; else once.

    One thread enters it. Others that were started inside may ask it at any time.
    """

    cdef object decide, left, compared
    cdef unsigned long long seed
    cdef halfcl_random outer
    cdef void *outer_told
    cdef object raised
    cdef readonly bint tossed
    cdef int steps, outer_steps

    def __init__(
        self, mode, decide=None, left=None, unsigned long long seed=0, compared=None,
        bint steps=False,
    ):
        self.value, self.steps = BUILTINS | experiment_value(mode), steps
        self.decide, self.left, self.seed, self.compared = decide, left, seed, compared
        self.value |= (0 if decide is None else ASKED) | (0 if left is None else OBSERVED)

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
        self.outer_told = halfcl_told_of_truths()[0]
        halfcl_told_of_truths()[0] = NULL if self.compared is None else <void *>self
        self.outer_steps, halfcl_takes_steps()[0] = halfcl_takes_steps()[0], self.steps
        return self.enter(NULL)  # by nobody's frame: none else enters one

    cdef int stop(self) except -1:
        self.leave(NULL)
        self.tossed = halfcl_coins().decided
        halfcl_coins()[0] = self.outer
        halfcl_told_of_truths()[0] = self.outer_told
        halfcl_takes_steps()[0] = self.outer_steps
        return 0

    @cython.binding(False)
    def call(self, function, tuple args):
        """What function(*args) gives inside. Raises failure, whatever else was raised."""
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
        """What tossed would be if it were left now."""
        return bool(halfcl_coins().decided)

    cdef int ask(self) noexcept:
        """The mode of one decision, or RANDOM."""
        return self.answer(self.decide, (), True)

    cdef int tell(self, object name) noexcept:
        self.answer(self.left, (name,), False)
        return 0

    cdef int hear(self, const char *truths, Py_ssize_t step, size_t n) noexcept:
        """Of a kernel's truths. What is computed meanwhile is told to nobody."""
        cdef size_t i
        cdef bytearray copy
        halfcl_told_of_truths()[0] = NULL
        try:
            copy = bytearray(n)
            for i in range(n):
                (<char *>copy)[i] = truths[<Py_ssize_t>i * step]
            self.answer(self.compared, (copy,), False)
        except BaseException as failure:
            with cython.critical_section(self):
                self.raised = failure
        halfcl_told_of_truths()[0] = <void *>self
        return 0

    cdef int answer(self, object function, tuple args, bint is_mode) noexcept:
        """The mode that a function gives; to nearest if it fails, or gives none, or asks itself."""
        global halfcl_asked
        cdef void *outer = halfcl_asked
        if outer == <void *>self:
            return HALFCL_RTE
        halfcl_asked = <void *>self
        try:
            found = function(*args)
            return experiment_value(found) if is_mode else HALFCL_RTE
        except BaseException as failure:
            with cython.critical_section(self):
                self.raised = failure
            return HALFCL_RTE
        finally:
            halfcl_asked = outer


cdef int experiment_value(object mode) except -1:
    return RANDOM if mode == "random" else mode_number(mode)


cdef Entered without(Entered left):
    """The current context's innermost region once that one is left."""
    cdef Entered entered = innermost(), outer = left.outer, copy
    if entered is left:
        return outer
    cdef list inside = []
    while entered is not left:
        inside.append(entered)
        entered = entered.outer
    for entered in reversed(inside):
        copy = Entered.__new__(Entered)
        copy.value, copy.region, copy.frame = entered.value, entered.region, entered.frame
        copy.outer = outer
        outer = copy
    return outer
