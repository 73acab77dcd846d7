# What a function's errors say: its own name, and its arguments', in place of its ufuncs'.
# Needs: rounding.pxi, scalar.pxi, types.pxi

# OpenCL's functions of which NumPy has others, which a call with other arguments may mean.
cdef dict OF_NUMPY = {
    "max": "OpenCL's max(x, y) compares two, numpy.max(a) reduces one",
    "min": "OpenCL's min(x, y) compares two, numpy.min(a) reduces one",
    "round": "OpenCL's round(x) rounds to integers, numpy.round(x, decimals) to decimals",
}

cdef object ARGUMENT = re.compile(r"argument (\d+):")


cdef object as_told(object error, str name, str ufunc_name, object signature, object out=None):
    """The error with the function's name; None if it says neither that nor a ufunc's.

    out: what the call gave behind its arguments.
    """
    loops = getattr(error, "dtypes", None)  # of NumPy's error that no loop was found
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

    def named(match):
        place = int(match[1]) - 1
        return f"argument {place + 1} ({parameters[place]}):" if place < len(parameters) else match[0]

    return (ValueError if isinstance(error, ValueError) else TypeError)(ARGUMENT.sub(named, text))


cdef object call_method_of(object ufunc, str method, str name, tuple args, dict kwargs):
    try:
        return getattr(ufunc, method)(*args, **kwargs)
    except (TypeError, ValueError) as error:
        told = as_told(error, f"{name}.{method}", ufunc.__name__, None)
        if told is None:
            raise
        raise told from None
