# Launches of kernels on a library's arrays on CUDA devices. The driver's function is called directly,
# and tensors are read by DLPack's exchange functions where a library has them, since other ways take
# longer than the launch itself.
# Needs: call.pxi, folds.pxi, regions.pxi, scalar.pxi, types.pxi

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int64_t, uintptr_t

cdef extern from *:
    """
    #ifdef _WIN32
    #define HALFCL_CUDA_CALL __stdcall
    #else
    #define HALFCL_CUDA_CALL
    #endif

    /* cuLaunchKernel and cuCtxGetDevice of the CUDA driver. */
    typedef int (HALFCL_CUDA_CALL *halfcl_cuda_launch)(
        void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
        unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream,
        void **parameters, void **more);
    typedef int (HALFCL_CUDA_CALL *halfcl_cuda_device)(int *device);

    /* DLPack's DLTensor and DLPackExchangeAPI, of its major version 1. */
    typedef struct {
        void *data;
        int32_t device_type, device;
        int32_t ndim;
        uint8_t code, bits;
        uint16_t lanes;
        int64_t *shape, *strides;
        uint64_t byte_offset;
    } halfcl_dl_tensor;
    typedef struct halfcl_dl_exchange {
        uint32_t major, minor;
        const struct halfcl_dl_exchange *older;
        void *allocate, *from_object, *to_object;
        int (*read)(void *object, halfcl_dl_tensor *tensor);
        int (*current_stream)(int device_type, int32_t device, void **stream);
    } halfcl_dl_exchange;
    """
    ctypedef int (*halfcl_cuda_launch)(
        void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
        void **) noexcept nogil
    ctypedef int (*halfcl_cuda_device)(int *) noexcept nogil
    ctypedef struct halfcl_dl_tensor:
        void *data
        int32_t device_type, device, ndim
        unsigned char code, bits
        unsigned short lanes
        int64_t *shape
        int64_t *strides
        uint64_t byte_offset
    ctypedef struct halfcl_dl_exchange:
        unsigned major
        const halfcl_dl_exchange *older
        int (*read)(void *, halfcl_dl_tensor *) except? -1
        int (*current_stream)(int, int32_t, void **) except? -1

cdef enum:
    MAX_LAUNCH_ARGUMENTS = 32
    CUDA_ALIGNMENT = 16  # of the memory that wide kernels read
    MOST_REDUCTIONS = 1 << 10  # to remember

cdef halfcl_cuda_launch cuda_launch = NULL
cdef halfcl_cuda_device cuda_device = NULL


def set_cuda_driver(uintptr_t launch, uintptr_t device):
    """Set the addresses of the CUDA driver's functions cuLaunchKernel and cuCtxGetDevice.

    Return those that were set before.
    """
    global cuda_launch, cuda_device
    before = <uintptr_t>cuda_launch, <uintptr_t>cuda_device
    cuda_launch, cuda_device = <halfcl_cuda_launch>launch, <halfcl_cuda_device>device
    return before


cdef class CudaKernel:
    """A function of a CUDA module with its number of threads per block; owner keeps the module."""

    cdef void *function
    cdef unsigned block
    cdef object owner

    def __init__(self, uintptr_t function, unsigned block, owner):
        self.function, self.block, self.owner = <void *>function, block, owner

    cdef int launch(
        self, unsigned groups, unsigned chunks, uint64_t *arguments, int count, void *stream
    ) except -1:
        """Launch the kernel over a grid; each argument's bytes begin an integer."""
        cdef void *parameters[MAX_LAUNCH_ARGUMENTS]
        cdef int i, error
        for i in range(count):
            parameters[i] = &arguments[i]
        with nogil:  # the driver waits if too many launches are pending
            error = cuda_launch(
                self.function, groups, chunks, 1, self.block, 1, 1, 0, stream, parameters, NULL)
        if error:
            raise RuntimeError(f"CUDA: cuLaunchKernel failed with error {error}")
        return 0


cdef class ElementwiseKernel(CudaKernel):
    """The kernel of a function over contiguous arrays of one shape and over numbers.

    inputs, outputs: letters of types; per_block: elements per block; many: from this number of
    elements on, ``launch_many(count, operands, results, stream)`` launches it instead.
    """

    cdef int[HALFCL_MAX_OPERANDS] types
    cdef readonly str inputs, outputs
    cdef uint64_t per_block, many
    cdef object launch_many

    def __init__(
        self, uintptr_t function, unsigned block, owner, str inputs, str outputs,
        uint64_t per_block, uint64_t many, launch_many
    ):
        CudaKernel.__init__(self, function, block, owner)
        self.inputs, self.outputs = inputs, outputs
        self.per_block, self.many, self.launch_many = per_block, many, launch_many
        for i, letter in enumerate(inputs):
            self.types[i] = TYPES_BY_LETTER[letter]


cdef class CudaLaunch:
    """A launch of a kernel over a grid, prepared but for the arrays' addresses.

    arguments: NumPy's numbers, and for each array its index among the arrays of a call. A kernel takes
    an array as a multiple of 16 bytes and the offset from it in halves; other arrays than those of
    halves begin at such a multiple.
    """

    cdef CudaKernel kernel
    cdef unsigned groups, chunks
    cdef int count
    cdef uint64_t[MAX_LAUNCH_ARGUMENTS] words  # numbers, which begin with their bytes
    cdef int[MAX_LAUNCH_ARGUMENTS] arrays      # indices; -1 for a number

    def __init__(self, CudaKernel kernel not None, groups, arguments):
        words = len(arguments) + sum([type(x) is int for x in arguments])
        if words > MAX_LAUNCH_ARGUMENTS:
            raise ValueError(f"arguments: expected {MAX_LAUNCH_ARGUMENTS} words at most, got {words}")
        self.kernel = kernel
        self.groups, self.chunks = groups
        self.count = len(arguments)
        for k, x in enumerate(arguments):
            self.arrays[k] = x if type(x) is int else -1
            self.words[k] = 0 if type(x) is int else int.from_bytes(x.tobytes(), "little")

    cdef int run(self, const uint64_t *addresses, int arrays, void *stream) except -1:
        """Launch the kernel on arrays at so many addresses."""
        cdef uint64_t[MAX_LAUNCH_ARGUMENTS] arguments
        cdef int k, count = 0
        for k in range(self.count):
            arguments[count] = self.words[k]
            if self.arrays[k] >= arrays:
                raise IndexError(f"arrays: expected more than {self.arrays[k]}, got {arrays}")
            if self.arrays[k] >= 0:
                arguments[count] = addresses[self.arrays[k]] & ~<uint64_t>(CUDA_ALIGNMENT - 1)
                count += 1
                arguments[count] = addresses[self.arrays[k]] % CUDA_ALIGNMENT // sizeof(uint16_t)
            count += 1
        return self.kernel.launch(self.groups, self.chunks, arguments, count, stream)


cdef class PreparedReduction:
    """The launches of a reduction, and functions of an array that make the memory each one writes."""

    cdef tuple launches, make

    def __init__(self, launches, make):
        self.launches, self.make = tuple(launches), tuple(make)


def key_of_reduction(name, axis, dtype, keepdims, ddof, mode, layouts):
    """Return a key of calls whose arrays differ in their elements only."""
    is_plain = axis is None and keepdims is False and type(ddof) is int and ddof == 0
    options = "" if is_plain else repr((axis, keepdims, ddof))  # repr tells True from 1
    return name, options, dtype, mode, layouts


# ---------------------------------------------------------------- a library's arrays

# An array of a device. What the pointers point to lives as long as the array, or is held here.
ctypedef struct CudaOperand:
    uint64_t address
    int device, ndim, type
    const int64_t *shape
    const int64_t *strides  # in elements
    int64_t held_shape[MAX_AXES]
    int64_t held_strides[MAX_AXES]


cdef int type_of_dlpack(const halfcl_dl_tensor *tensor) noexcept nogil:
    """Return the engine's type of a DLPack tensor's elements, or NO_TYPE."""
    cdef int k, size = tensor.bits // 8
    if tensor.lanes != 1 or tensor.bits % 8 != 0:
        return NO_TYPE
    for k in range(4):
        if size != 1 << k:
            continue
        if tensor.code < 2:  # kDLInt and kDLUInt; the engine's types alternate
            return HALFCL_INT8 + 2 * k + tensor.code
        if tensor.code == 2 and k > 0:  # kDLFloat
            return HALFCL_HALF if k == 1 else HALFCL_FLOAT if k == 2 else HALFCL_DOUBLE
        if tensor.code == 6 and k == 0:  # kDLBool
            return HALFCL_BOOL
    return NO_TYPE


cdef bint is_in_c_order(const CudaOperand *x) noexcept nogil:
    """Return whether the elements lie without gaps in C's order of axes."""
    cdef int k
    cdef int64_t step = 1
    for k in range(x.ndim - 1, -1, -1):
        if x.shape[k] != 1 and x.strides[k] != step:
            return False
        step *= x.shape[k]
    return True


cdef bint has_no_gaps(const CudaOperand *x) noexcept nogil:
    """Return whether the elements lie without gaps, whatever the order of the axes."""
    cdef int k, axes = 0
    cdef int64_t step = 1
    for k in range(x.ndim):
        axes += x.shape[k] != 1
    while axes > 0:  # find the next axis in memory
        for k in range(x.ndim - 1, -1, -1):
            if x.shape[k] != 1 and x.strides[k] == step:
                step *= x.shape[k]
                axes -= 1
                break
        else:
            return False
    return True


cdef bint are_laid_out_alike(const CudaOperand *x, const CudaOperand *y) noexcept nogil:
    """Return whether two arrays have one shape and one order in memory, on one device."""
    cdef int k
    if x.device != y.device or x.ndim != y.ndim:
        return False
    for k in range(x.ndim):
        if x.shape[k] != y.shape[k] or (x.shape[k] != 1 and x.strides[k] != y.strides[k]):
            return False
    return True


cdef uint64_t size_of_operand(const CudaOperand *x) noexcept nogil:
    cdef uint64_t count = 1
    cdef int k
    for k in range(x.ndim):
        count *= x.shape[k]
    return count


cdef class CudaArrays:
    """The arrays of a library, as kernels read them; those that the library treats specially are
    left to others.

    types: the exact classes; exchange: the library's capsule of DLPack's exchange functions, or None;
    read: returns an array's (address, device, shape, strides in bytes, NumPy's dtype), used without
    the capsule; stream: returns the address of a device's current stream; is_special: pairs of
    functions of an array, which is special if both return true; make: functions by letters of types,
    which return a new array that lies like another one in C's order; make_other(array, letter): the
    same in other orders; find(ufunc, device, kinds): returns the ElementwiseKernel for operands that
    are arrays or numbers, as kinds tells by False or True, or None; prepare(device, key, count):
    returns the PreparedReduction for calls of so many arrays with a key, or None.
    """

    cdef tuple types, is_special
    cdef const halfcl_dl_exchange *exchange
    cdef object capsule, read_array, get_stream, make_other, find, prepare
    cdef int device_type
    cdef dict make, kernels, reductions

    def __init__(
        self, types, exchange, read, stream, is_special, dict make, make_other, find, prepare,
        int device_type=2,
    ):
        self.types, self.is_special = tuple(types), tuple(is_special)
        self.read_array, self.get_stream, self.prepare = read, stream, prepare
        self.make, self.make_other, self.find = make, make_other, find
        self.device_type, self.capsule = device_type, exchange
        self.kernels, self.reductions = {}, {}
        self.exchange = NULL
        if exchange is not None:
            self.exchange = <const halfcl_dl_exchange *>PyCapsule_GetPointer(
                exchange, "dlpack_exchange_api")
        while self.exchange != NULL and (self.exchange.major != 1 or self.exchange.read == NULL):
            self.exchange = self.exchange.older

    cdef bint is_array(self, object x):
        for one in self.types:
            if type(x) is one:
                return True
        return False

    cdef bint read_plain(self, object x, CudaOperand *operand) except -1:
        """Read an array, unless the library treats it specially; return whether it was read."""
        for is_perhaps, is_really in self.is_special:
            if is_perhaps(x) and is_really(x):
                return False
        return self.read(x, operand)

    cdef bint read(self, object x, CudaOperand *operand) except -1:
        """Read an array; return False if it is on no device of CUDA."""
        cdef halfcl_dl_tensor tensor
        if self.exchange == NULL:
            return self.read_attributes(x, operand)
        try:
            self.exchange.read(<void *>x, &tensor)
        except Exception:  # as of sparse tensors, which others refuse better
            return False
        if tensor.device_type != self.device_type or tensor.ndim > MAX_AXES:
            return False
        operand.address = <uint64_t>tensor.data + tensor.byte_offset
        operand.device, operand.ndim = tensor.device, tensor.ndim
        operand.type = type_of_dlpack(&tensor)
        operand.shape, operand.strides = tensor.shape, tensor.strides
        return operand.type != NO_TYPE and (tensor.strides != NULL or tensor.ndim == 0)

    cdef bint read_attributes(self, object x, CudaOperand *operand) except -1:
        """Read an array by the library's attributes."""
        cdef object attributes = self.read_array(x)
        if attributes is None:
            return False
        address, operand.device, shape, strides, dtype = attributes
        operand.address, operand.ndim = address, len(shape)
        operand.type = engine_type((<cnp.dtype?>dtype).type_num)
        if operand.ndim > MAX_AXES or operand.type == NO_TYPE:
            return False
        for k in range(operand.ndim):
            operand.held_shape[k] = shape[k]
            operand.held_strides[k] = strides[k] // halfcl_type_size(<halfcl_type>operand.type)
        operand.shape, operand.strides = operand.held_shape, operand.held_strides
        return True

    cdef void *stream_of(self, int device) except? NULL:
        cdef void *stream = NULL
        if self.exchange == NULL:
            return <void *><uintptr_t>self.get_stream(device)
        self.exchange.current_stream(self.device_type, device, &stream)
        return stream

    def call(self, ufunc, args, rounding):
        """Return a function's results for arrays that lie alike on the current device, and numbers.

        None for anything else, and in a region that rounds at random.
        """
        cdef CudaOperand[HALFCL_MAX_OPERANDS] operands
        cdef uint64_t[MAX_LAUNCH_ARGUMENTS] arguments
        cdef ElementwiseKernel kernel
        cdef int k, first = -1, numbers = 0, nargs = len(args)
        if cuda_launch == NULL or nargs > HALFCL_MAX_OPERANDS or rounds_at_random():
            return None
        for k in range(nargs):
            x = args[k]
            if not self.is_array(x):
                if not isinstance(x, (float, int)) or type(x) is bool:
                    return None
                numbers |= 1 << k
            elif not self.read_plain(x, &operands[k]):
                return None
            elif first < 0:
                first = k
            elif not are_laid_out_alike(&operands[k], &operands[first]):
                return None
        if first < 0 or not is_current(operands[first].device) or not has_no_gaps(&operands[first]):
            return None
        kernel = self.find_kernel(ufunc, operands[first].device, nargs, numbers)
        arguments[0] = size_of_operand(&operands[first])
        if kernel is None or arguments[0] == 0:
            return None
        for k in range(nargs):
            if numbers >> k & 1:
                if kernel.types[k] != HALFCL_HALF:
                    return None
                arguments[k + 1] = bits_of_number(args[k], rounding)
            elif operands[k].type != kernel.types[k] or operands[k].address % CUDA_ALIGNMENT != 0:
                return None
            else:
                arguments[k + 1] = operands[k].address
        return self.launch(kernel, args[first], &operands[first], nargs, arguments)

    cdef ElementwiseKernel find_kernel(self, object ufunc, int device, int nargs, int numbers):
        cdef tuple key = (ufunc, device << HALFCL_MAX_OPERANDS | numbers, nargs)
        kernel = self.kernels.get(key, self)
        if kernel is self:
            kernel = self.find(ufunc, device, tuple([bool(numbers >> k & 1) for k in range(nargs)]))
            self.kernels[key] = kernel
        return kernel

    cdef object launch(
        self, ElementwiseKernel kernel, object like, const CudaOperand *first, int nargs,
        uint64_t *arguments
    ):
        """Launch a kernel on operands, and return its results, which lie like the first array."""
        cdef CudaOperand result
        cdef int k, device = first.device, count = nargs + 1
        cdef uint64_t blocks = (arguments[0] + kernel.per_block - 1) // kernel.per_block
        cdef bint in_c = is_in_c_order(first)
        cdef tuple results = tuple([
            self.make[letter](like) if in_c else self.make_other(like, letter)
            for letter in kernel.outputs
        ])
        for x in results:
            self.read(x, &result)
            arguments[count] = result.address
            count += 1
        if arguments[0] < kernel.many:
            kernel.launch(blocks, 1, arguments, count, self.stream_of(device))
        else:
            addresses = tuple([arguments[k] for k in range(1, count)])
            kernel.launch_many(
                arguments[0], addresses[:nargs], addresses[nargs:],
                <uintptr_t>self.stream_of(device))
        return results[0] if len(results) == 1 else results

    def layouts(self, arrays):
        """Return (device, layouts, addresses) of arrays of halves on the current device, or None.

        A layout is (shape, strides in bytes, dtype, offset in elements from a multiple of 16 bytes).
        """
        cdef CudaOperand operand
        cdef list layouts = [], addresses = []
        cdef int k, device = -1
        if cuda_launch == NULL or rounds_at_random():
            return None
        for x in arrays:
            if not self.is_array(x) or not self.read_plain(x, &operand) or operand.type != HALFCL_HALF:
                return None
            if device not in (-1, operand.device):
                return None
            device = operand.device
            shape = tuple([operand.shape[k] for k in range(operand.ndim)])
            strides = tuple([operand.strides[k] * 2 for k in range(operand.ndim)])
            offset = operand.address % CUDA_ALIGNMENT // 2
            layouts.append((shape, strides, FLOAT16, offset))
            addresses.append(operand.address)
        return (device, tuple(layouts), tuple(addresses)) if is_current(device) else None

    def reduce(self, call):
        """Return the result of a reduction that differs from an earlier one's in its elements only.

        None for any other. call: a `halfcl.reductions._arguments.Call` whose dtype is NumPy's.
        """
        cdef PreparedReduction prepared
        name, arrays, axis, dtype, out, keepdims, initial, where, ddof, rounding = call
        if out is not None or initial is not None or where is not True:
            return None
        if rounding is not None:
            mode_number(rounding)  # refuses what is no mode
        known = self.layouts(arrays)
        if known is None:
            return None
        device, layouts, addresses = known
        key = key_of_reduction(
            name, axis, dtype, keepdims, ddof, get_rounding() if rounding is None else rounding,
            layouts)
        try:
            prepared = self.reductions.get((device, key))
            if prepared is None:
                prepared = self.prepare(device, key, len(addresses))
                if prepared is None:
                    return None
                if len(self.reductions) >= MOST_REDUCTIONS:
                    self.reductions.clear()
                self.reductions[device, key] = prepared
        except TypeError:  # a dtype that is not hashable
            return None
        first = arrays[0]
        outputs = tuple([make(first) for make in prepared.make])
        self.run(prepared.launches, device, addresses, outputs)
        return outputs[len(outputs) - 1]

    def run(self, launches, int device, tuple addresses not None, tuple arrays not None):
        """Run launches in the device's current stream, on arrays at addresses and on more arrays."""
        cdef CudaOperand operand
        cdef uint64_t[MAX_LAUNCH_ARGUMENTS] starts
        cdef CudaLaunch launch
        cdef void *stream = self.stream_of(device)
        cdef int k, count = len(addresses), total = count + len(arrays)
        if total > MAX_LAUNCH_ARGUMENTS or cuda_launch == NULL:
            raise ValueError(f"arrays: expected {MAX_LAUNCH_ARGUMENTS} at most, got {total}")
        for k in range(total):
            if k < count:
                starts[k] = addresses[k]
            else:
                self.read(arrays[k - count], &operand)
                starts[k] = operand.address
        for launch in launches:
            launch.run(starts, total, stream)


cdef bint is_current(int device) noexcept:
    """Return whether a device's context is the current one of this thread."""
    cdef int current = -1
    return cuda_device(&current) == 0 and current == device


cdef uint16_t bits_of_number(object number, object rounding) except? 0:
    """Return the half nearest a number, in a mode or the region's."""
    cdef unsigned flags = 0
    cdef uint16_t bits
    if rounding is None:
        bits = to_bits_by_region(number, &flags)
    else:
        bits = to_bits(number, <halfcl_rounding>mode_number(rounding), &flags)
    report(flags & HALFCL_OVERFLOW, "cast")
    return bits
