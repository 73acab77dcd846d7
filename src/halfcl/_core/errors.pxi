# Errors of a function's calls: they name the function and its arguments instead of its ufuncs'.
# Needs: regions.pxi, scalar.pxi, types.pxi

# OpenCL's functions whose names NumPy uses for others, which a call with other arguments may mean.
cdef dict OF_NUMPY = {
    "max": "OpenCL's max(x, y) compares two, numpy.max(a) reduces one",
    "min": "OpenCL's min(x, y) compares two, numpy.min(a) reduces one",
    "round": "OpenCL's round(x) rounds to integers, numpy.round(x, decimals) to decimals",
}

cdef object ARGUMENT = re.compile(r"argument (\d+):")


cdef object rename_error(object error, str name, str ufunc_name, object signature, object out=None):
    """Return the error with the function's name; None if it names neither that nor a ufunc.

    out: the argument that the call passed after its inputs.
    """
    loops = getattr(error, "dtypes", None)  # set by NumPy's error that no loop was found
    if loops is not None and ufunc_name in str(error):
        types = [t.type for t in loops if t is not None]
        own = types[0] if types[0] is np.float16 else half
        asked = next((t.__name__ for t in types if t is not own), "nothing")
        return TypeError(
            f"{name}: dtype, signature: expected {own.__name__}, the arguments' type, got {asked}; "
            f"halfcl.convert(result, numpy.{asked}) converts a result")
    cdef str text = str(error)
    if text == "return arrays must be of ArrayType":
        text = f"{ufunc_name}: argument out: expected an array"
        if isinstance(out, str) and out in MODE_NUMBERS:
            text = f"{text}, got {out!r}; rounding={out!r} is given by name"
    if ufunc_name not in text:
        return None
    text = text.replace(ufunc_name, name)
    if name in OF_NUMPY and ("positional argument" in text or "argument out" in text):
        text = f"{text}: {OF_NUMPY[name]}"
    parameters = [] if signature is None else list(signature.parameters)

    def name_argument(match):
        place = int(match[1]) - 1
        return f"argument {place + 1} ({parameters[place]}):" if place < len(parameters) else match[0]

    return (ValueError if isinstance(error, ValueError) else TypeError)(ARGUMENT.sub(name_argument, text))


cdef object call_method_of(object ufunc, str method, str name, tuple args, dict kwargs):
    try:
        return getattr(ufunc, method)(*args, **kwargs)
    except (TypeError, ValueError) as error:
        renamed = rename_error(error, f"{name}.{method}", ufunc.__name__, None)
        if renamed is None:
            raise
        raise renamed from None
