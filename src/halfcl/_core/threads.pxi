# The number of threads that the engine may use: in all calls, and in those of one thread.
# Needs: regions.pxi

import sys

from cpython.pystate cimport PyThreadState_GetDict

cdef extern from *:
    """
    /* threadpoolctl recognises this library by this symbol. */
    #if defined(__GNUC__)
    __attribute__((visibility("default")))
    #endif
    int halfcl_threads_of_library(void);
    int halfcl_threads_of_library(void)
    {
        return halfcl_get_threads();
    }
    """

MAX_THREADS = HALFCL_MAX_THREADS

# The key, in the dictionary that Python keeps for each thread, of its entries of ThreadLimits:
# innermost first, as pairs of the limit and its count; after them None and the count outside all.
cdef str LIMITS = "halfcl_thread_limits"


# ---------------------------------------------------------------- Dask's threads

# Dask's threads are recognised only by the code that they run: the tasks of its local schedulers,
# in a thread of an executor, or those of its workers.
cdef str LOCAL = "dask.local", WORKER = "distributed.threadpoolexecutor"
cdef tuple EXECUTORS = ("concurrent.futures.", "multiprocessing.")


cdef bint is_thread_of_dask():
    """Return whether Dask's code has started this thread.

    It runs no Python code, and no signal's handler.
    """
    if LOCAL not in sys.modules and WORKER not in sys.modules:
        return False
    cdef void *innermost = halfcl_frame()
    frame, called = <object>innermost if innermost != NULL else None, None
    while frame is not None:
        module = frame.f_globals.get("__name__")
        if module == WORKER or called == LOCAL and str(module).startswith(EXECUTORS):
            return True
        frame, called = frame.f_back, module
    return False


cdef int limit_of_new_thread() noexcept with gil:
    """Return the limit of a thread on its first call: 1 in Dask's threads, which run in parallel.
    """
    try:
        return is_thread_of_dask()
    except Exception:
        return 0  # it only affects speed


halfcl_ask_threads(limit_of_new_thread)


# ---------------------------------------------------------------- counts

cdef extern from *:
    """
    static atomic_int halfcl_process_threads = 1;
    """
    int process_threads "halfcl_process_threads"


def set_threads(int n):
    """Let calls use up to n threads, from 1 to MAX_THREADS."""
    global process_threads
    process_threads = n
    halfcl_set_threads(n)


def threads_of_process():
    """Return the number that set_threads has set."""
    return process_threads


def threads_of_call():
    """Return how many threads a call made here and now may use."""
    return halfcl_get_threads()


def set_grain(size_t elements):
    """Set the elements of a part that calls are split into, for tests; 0: as it pays."""
    halfcl_set_grain(elements)


def idle_threads():
    """Return how many threads of the pool wait for work, for tests."""
    return halfcl_idle_threads()


cdef class ThreadLimit:
    """ThreadLimit(n)\n--\n\nThe context manager that halfcl.num_threads returns.

    It enters and exits in C, so no signal is handled between two steps. It stores nothing about
    who has entered it, so that it may be entered any number of times, by many threads at once.
    """

    cdef readonly int n

    def __init__(self, int n):
        self.n = n

    @cython.binding(False)
    def __reduce__(self):
        return type(self), (self.n,)

    @cython.binding(False)
    def __enter__(self):
        cdef dict of_thread = <dict>PyThreadState_GetDict()
        cdef int before = halfcl_limit_threads(self.n)
        of_thread.setdefault(LIMITS, [(None, before)]).insert(0, (self, self.n))
        return self

    @cython.binding(False)
    def __exit__(self, *exception):
        """Remove this limit from the thread, and none that was entered since.

        Where another thread has entered it, for example in a generator that is closed here, nothing
        is removed.
        """
        cdef dict of_thread = <dict>PyThreadState_GetDict()
        cdef list entries = of_thread.get(LIMITS) or [(None, 0)]
        for k, entry in enumerate(entries):
            if entry[0] is self:
                del entries[k]
                halfcl_limit_threads(entries[0][1])
                break
        if entries[0][0] is None:
            of_thread.pop(LIMITS, None)
