# Images: the layout of their texels, reading and writing them.
# Needs: call.pxi, regions.pxi, scalar.pxi, types.pxi, vector.pxi

cdef object MAX_LAYERS = 2**31 - 1, MAX_STEP = 2**63 - 1


cdef object integer_argument(object value, str name, object least, object most):
    """Return an integer within bounds as an int; raise ValueError for anything else."""
    try:
        number = PyNumber_Index(value)
    except TypeError:
        number = None
    if number is None or not least <= number <= most:
        raise ValueError(f"{name}: expected an integer from {least} to {most}, got {value!r}")
    return number


cdef tuple tuple_argument(object value, str name, int length):
    if type(value) is not tuple or len(value) != length:
        raise ValueError(f"{name}: expected a tuple of {length}, got {value!r}")
    return value


cdef tuple reach(object shape, object steps):
    """Return the least and the greatest offset of elements with this shape and these steps."""
    ends = [(count - 1) * step for count, step in zip(shape, steps)]
    return sum(min(0, end) for end in ends), sum(max(0, end) for end in ends)


@cython.final
cdef class ImageLayout:
    """The layout of an image's texels in an array's memory.

    array: the memory; its first element is the first texel.

    sizes: texels along x, y and z, 1 beyond dims.

    steps: bytes to the next texel along x, y and z, and to the next layer.

    dims: 1 to 3. layers: those of an image array, else 0.

    channel_type: OpenCL's constant. channels: how many a texel has.

    components: for r, g, b and a the channel; -1 for 0, -2 for 1.

    border_alpha: texels outside are (0, 0, 0, border_alpha).

    srgb: whether r, g and b of CL_UNORM_INT8 are encoded in sRGB.
    """

    cdef halfcl_image image
    cdef readonly cnp.ndarray array
    cdef char *first  # the memory from the first texel to the last
    cdef char *last
    cdef Py_ssize_t bytes

    def __cinit__(
        self, cnp.ndarray array not None, sizes, steps, dims, layers, channel_type, channels,
        components, border_alpha, srgb
    ):
        cdef halfcl_image *image = &self.image
        cdef int k
        sizes = tuple_argument(sizes, "sizes", 3)
        steps = tuple_argument(steps, "steps", 4)
        components = tuple_argument(components, "components", 4)
        image.dims = integer_argument(dims, "dims", 1, 3)
        image.layers = integer_argument(layers, "layers", 0, MAX_LAYERS)
        for k in range(3):
            most = HALFCL_MAX_SIZE if k < image.dims else 1
            image.size[k] = integer_argument(sizes[k], f"sizes[{k}]", 1, most)
        for k in range(4):
            image.components[k] = integer_argument(components[k], f"components[{k}]", -2, 3)
        image.type = <halfcl_channel_type><int>integer_argument(channel_type, "channel_type", 0, 0xffff)
        image.channels = integer_argument(channels, "channels", 1, 4)
        image.border_alpha = integer_argument(border_alpha, "border_alpha", 0, 1)
        image.srgb = bool(srgb)
        if halfcl_texel_size(image) == 0:
            raise ValueError(
                "channel_type: expected one of OpenCL's that has these channels and components, "
                f"got {channel_type:#x}, {channels} and {components}{' in sRGB' if srgb else ''}")
        # The stored numbers are used, since the objects that were passed may return others later.
        shape = (image.size[0], image.size[1], image.size[2], max(<int>image.layers, 1))
        self.take_memory(array, shape, steps)

    cdef int take_memory(self, cnp.ndarray array, tuple shape, tuple steps) except -1:
        """Check that all texels are in the array's memory, and remember its bounds."""
        cdef cnp.ndarray plain = np.asarray(array)  # a derived class may report another shape
        cdef int k
        # The step along a single texel is never taken.
        steps = tuple([
            integer_argument(steps[k], f"steps[{k}]", -MAX_STEP, MAX_STEP) * (shape[k] > 1)
            for k in range(4)
        ])
        if plain.dtype.hasobject or not cnp.PyArray_ISNOTSWAPPED(plain):
            raise TypeError(
                "array: expected numbers in the byte order of this processor, "
                f"got {plain.dtype}")
        low, high = reach(shape, steps)
        least, most = reach(np.shape(plain), (<object>plain).strides)
        if (
            cnp.PyArray_SIZE(array) == 0 or low < least
            or high + halfcl_texel_size(&self.image) > most + cnp.PyArray_ITEMSIZE(array)
        ):
            raise ValueError(
                f"steps: expected texels within the array's memory, got {steps} for "
                f"{shape[:3]} texels in {max(shape[3], 1)} layers, "
                f"and an array of shape {np.shape(plain)}")
        for k in range(4):
            self.image.step[k] = steps[k]
        self.array = array
        self.bytes = cnp.PyArray_NBYTES(array)
        self.image.texels = <char *>cnp.PyArray_DATA(array)
        self.first = self.image.texels + <Py_ssize_t>low
        self.last = self.image.texels + <Py_ssize_t>(high + halfcl_texel_size(&self.image))
        return 0

    cdef int check_memory(self) except -1:
        """Raise ValueError if resize(refcheck=False) has freed the memory."""
        if (
            <char *>cnp.PyArray_DATA(self.array) != self.image.texels
            or cnp.PyArray_NBYTES(self.array) != self.bytes
        ):
            raise ValueError(
                "image: expected an array with the memory that it had when the image was made, "
                f"got one that was resized to {np.shape(self.array)}")
        return 0

    cdef bint touches(self, cnp.ndarray other) noexcept:
        """Return whether a contiguous array shares memory with the image."""
        cdef char *start = <char *>cnp.PyArray_DATA(other)
        return start < self.last and self.first < start + cnp.PyArray_NBYTES(other)


cdef int check_rows(cnp.ndarray array, str name, Py_ssize_t width, bint exactly) except -1:
    """Raise ValueError unless it is an array of rows of that many numbers, or more unless exactly.
    """
    if (
        cnp.PyArray_NDIM(array) != 2
        or not cnp.PyArray_CHKFLAGS(array, cnp.NPY_ARRAY_C_CONTIGUOUS | cnp.NPY_ARRAY_ALIGNED)
        or not cnp.PyArray_ISNOTSWAPPED(array)
        or cnp.PyArray_DIM(array, 1) < width
        or exactly and cnp.PyArray_DIM(array, 1) > width
    ):
        raise ValueError(
            f"{name}: expected shape (n, {width}{'' if exactly else ' or more'}) in one piece of "
            f"memory, got shape {np.shape(array)}, strides {(<object>array).strides}")
    return 0


cdef int take_coordinates(
    ImageLayout layout, cnp.ndarray array, halfcl_coordinates *coordinates
) except -1:
    cdef int type = engine_type(cnp.PyArray_TYPE(array))
    if type != HALFCL_FLOAT and type != HALFCL_INT32:
        raise TypeError(f"coordinates: expected float32 or int32, got {array.dtype}")
    check_rows(array, "coordinates", layout.image.dims + (layout.image.layers > 0), False)
    coordinates.start = cnp.PyArray_DATA(array)
    coordinates.width = cnp.PyArray_DIM(array, 1)
    coordinates.are_integers = type == HALFCL_INT32
    return 0


cdef int colors_type(ImageLayout layout, cnp.ndarray array, str name, Py_ssize_t n) except -1:
    """Return the type that n colours are read or written as."""
    cdef int type = engine_type(cnp.PyArray_TYPE(array))
    if (
        type not in (HALFCL_HALF, HALFCL_FLOAT, HALFCL_INT32, HALFCL_UINT32)
        or not halfcl_image_has(&layout.image, <halfcl_type>type)
    ):
        raise TypeError(
            f"{name}: expected what channels of type {<int>layout.image.type:#x} are read as, "
            f"got {array.dtype}")
    check_rows(array, name, 4, True)
    if cnp.PyArray_DIM(array, 0) != n:
        raise ValueError(
            f"{name}: expected as many as coordinates, {n}, got {cnp.PyArray_DIM(array, 0)}")
    return type


cdef int take_sampler(object sampler, halfcl_sampler *to) except -1:
    normalized, addressing, filter = tuple_argument(sampler, "sampler", 3)
    to.normalized = bool(normalized)
    to.addressing = <halfcl_addressing><int>integer_argument(
        addressing, "sampler: addressing", <int>HALFCL_ADDRESS_NONE,
        <int>HALFCL_ADDRESS_MIRRORED_REPEAT)
    to.filter = <halfcl_filter><int>integer_argument(
        filter, "sampler: filter", <int>HALFCL_NEAREST, <int>HALFCL_LINEAR)
    if to.addressing >= HALFCL_ADDRESS_REPEAT and not to.normalized:
        raise ValueError("sampler: expected normalized coordinates where the image repeats")
    return 0


def read_image(
    ImageLayout layout not None, sampler, cnp.ndarray coordinates not None,
    cnp.ndarray out not None, mode
):
    """Read an image at coordinates into out, rounded once.

    sampler: whether coordinates are normalized, and OpenCL's constants of addressing and filter;
    None for integer coordinates. coordinates: (n, k) float32 or int32. out: (n, 4) of half,
    float32, int32 or uint32.
    """
    cdef halfcl_sampler how
    cdef halfcl_coordinates where
    cdef halfcl_rounding rounding = <halfcl_rounding>mode_number(mode)
    cdef unsigned flags
    coordinates = np.asarray(coordinates)
    cdef cnp.ndarray colors = np.asarray(out)
    if sampler is not None:
        take_sampler(sampler, &how)
    layout.check_memory()
    take_coordinates(layout, coordinates, &where)
    cdef size_t n = cnp.PyArray_DIM(coordinates, 0)
    cdef int type = colors_type(layout, colors, "out", n)
    if sampler is not None:
        if how.filter == HALFCL_LINEAR and type != HALFCL_HALF and type != HALFCL_FLOAT:
            raise ValueError("sampler: expected the filter NEAREST for integers, got LINEAR")
    elif not where.are_integers:
        raise TypeError("coordinates: expected int32 without a sampler, got float32")
    if not cnp.PyArray_ISWRITEABLE(colors):
        raise ValueError("out: expected an array that can be written to")
    cdef cnp.ndarray to = colors
    if layout.touches(colors) or not are_separate(colors, coordinates):
        to = np.empty_like(colors)
    cdef const halfcl_sampler *by = NULL if sampler is None else &how
    cdef void *start = cnp.PyArray_DATA(to)
    with nogil:
        flags = halfcl_read_image(
            ISA, &layout.image, by, &where, start, <halfcl_type>type, n, rounding)
    if to is not colors:
        colors[...] = to
    if flags:
        report(flags, "read_image")


def write_image(
    ImageLayout layout not None, cnp.ndarray coordinates not None, cnp.ndarray colors not None, mode
):
    """Write colors, (n, 4), to an image at coordinates, (n, k) int32; return how many were outside.
    """
    cdef halfcl_coordinates where
    cdef halfcl_rounding rounding = <halfcl_rounding>mode_number(mode)
    cdef size_t dropped = 0
    cdef unsigned flags
    coordinates, colors = np.asarray(coordinates), np.asarray(colors)
    layout.check_memory()
    take_coordinates(layout, coordinates, &where)
    if not where.are_integers:
        raise TypeError("coordinates: expected int32, got float32")
    cdef size_t n = cnp.PyArray_DIM(coordinates, 0)
    cdef int type = colors_type(layout, colors, "colors", n)
    if not cnp.PyArray_ISWRITEABLE(layout.array):
        raise ValueError("layout: expected an image that can be written to")
    if layout.touches(colors):
        colors = colors.copy()
    if layout.touches(coordinates):
        coordinates = coordinates.copy()
        where.start = cnp.PyArray_DATA(coordinates)
    cdef const void *start = cnp.PyArray_DATA(colors)
    with nogil:
        flags = halfcl_write_image(
            ISA, &layout.image, &where, start, <halfcl_type>type, n, rounding, &dropped)
    if flags:
        report(flags, "write_image")
    return dropped
