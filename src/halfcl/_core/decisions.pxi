# Modes of an Experiment's decisions that depend on the instruction that computes.
# Needs: regions.pxi

cdef extern from *:
    """
    /* Return the address of an instruction in its code object, which no other living code has. */
    static size_t halfcl_instruction(void *frame)
    {
        PyCodeObject *code = PyFrame_GetCode(frame);
        size_t address = (size_t)code + (size_t)PyFrame_GetLasti(frame);
        Py_DECREF(code);
        return address;
    }
    """
    size_t halfcl_instruction(void *frame)


cdef class InstructionModes:
    """InstructionModes(find)
---

Decides the mode of each operation by the instruction of Python code that computes it.

    find: called with a frame whose instruction is new; returns a mode, or a function that returns
    the mode of each operation, and whether that holds whenever the instruction runs. It is then
    not called for it again: in a process with audit hooks, a frame's code is slow to get in Python.
    """

    cdef object find
    cdef dict sources
    cdef list codes

    def __init__(self, find):
        self.find, self.sources, self.codes = find, {}, []

    @cython.binding(False)
    def __reduce__(self):
        raise TypeError("InstructionModes: cannot be pickled")

    @cython.binding(False)
    def __call__(self):
        """Return the mode of an operation that the calling code is about to run."""
        cdef void *frame = halfcl_frame()
        cdef object place, source
        if frame == NULL:
            return "rte"
        place = halfcl_instruction(frame)
        source = self.sources.get(place)
        if source is None:
            source, is_lasting = self.find(<object>frame)
            if is_lasting:
                self.codes.append((<object>frame).f_code)  # alive, so that its address stays its own
                self.sources[place] = source
        return source if type(source) is str else source()
