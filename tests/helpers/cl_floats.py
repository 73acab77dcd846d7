"""Kernels that call the functions of float and double, each once, and numbers for them."""

import numpy as np

from halfcl.cl._frontend.builtins import TABLE

#: Functions of float and double by name: those of the families that compute.
ROWS = {
    row.name: row
    for row in TABLE.values()
    if row.family in ("math", "geometric") and row.overloads[0].parameters
}

#: Variables by the words of the table; further numbers are y and z.
_INTEGERS = {"I": "n", "U": "u"}
_RESULTS = {"T": "number", "E": "element", "I": "integer"}


def is_for(name, type_):
    """Return whether a function has an overload of a type (float, double4)."""
    element, width = type_.rstrip("0123456789"), type_.lstrip("abcdefghijklmnopqrstuvwxyz")
    elements = {str(e) for o in ROWS[name].overloads for e in o.elements}
    if name.startswith("fast_") and element != "float":
        return False
    if name == "cross" and width not in ("3", "4"):
        return False
    return element in elements and not (ROWS[name].family == "geometric" and int(width or 1) > 4)


def call(name, type_):
    """Return statements that call a function: results in number, element or integer."""
    overload = ROWS[name].overloads[0]
    arguments, names, after, before = [], iter("xyz"), "", ""
    width = type_.lstrip("abcdefghijklmnopqrstuvwxyz")
    for parameter in overload.parameters:
        if parameter == "T*":
            before, after = f"{type_} p;", " other[i] = p;"
            arguments.append("&p")
        elif parameter == "I*":
            before, after = f"int{width} p;", " integer[i] = p;"
            arguments.append("&p")
        else:
            arguments.append(_INTEGERS.get(parameter) or next(names))
    result = _RESULTS[overload.result]
    return f"{before} {result}[i] = {name}({', '.join(arguments)});{after}"


def parameters(type_):
    """Return the parameters of the kernels, and the statements that load them."""
    element, width = type_.rstrip("0123456789"), type_.lstrip("abcdefghijklmnopqrstuvwxyz")
    bits = f"u{'long' if element == 'double' else 'int'}{width}"
    inputs = ", ".join(f"global const {type_} *{v}s" for v in "xyz")
    outputs = f"global {type_} *number, global {type_} *other, global {element} *element, "
    loads = " ".join(f"{type_} {v} = {v}s[i];" for v in "xyz")
    return (
        f"{inputs}, global const int{width} *ns, {outputs}global int{width} *integer",
        f"size_t i = get_global_id(0); {loads} int{width} n = ns[i]; {bits} u = as_{bits}(x);",
    )


def program(type_, names):
    """Return a program with a kernel for each function, k_NAME."""
    declared, loads = parameters(type_)
    return "\n".join(
        f"kernel void k_{name}({declared}) {{ {loads} {call(name, type_)} }}" for name in names
    )


def dtype_of(type_):
    return np.dtype("f8" if type_.startswith("double") else "f4")


def inputs(type_, count, seed=0):
    """Return x, y, z and n: specials with each other, any bits, and numbers near each other."""
    dtype = dtype_of(type_)
    info, rng = np.finfo(dtype), np.random.default_rng(seed)
    above = [0, 0.25, 0.5, 1 - info.epsneg, 1, 1.5, 2, 2.5, 3, 7, 2**23 + 1, 1e9, info.max]
    above += [info.tiny, info.smallest_subnormal, 0.75 * info.tiny, np.inf]
    specials = np.array([*above, *(-x for x in above), np.nan], dtype)
    bits = f"u{dtype.itemsize}"

    def any_bits():
        numbers = rng.integers(0, 1 << 8 * dtype.itemsize, count, bits).view(dtype)
        return np.where(np.isnan(numbers), dtype.type(np.nan), numbers)  # none that signals

    def near():
        return (rng.normal(size=count) * 2.0 ** rng.integers(-8, 8, count)).astype(dtype)

    step = near()
    with np.errstate(all="ignore"):
        multiples = (step * rng.integers(-300, 300, count) / 2).astype(dtype)
    columns = []
    for second in (False, True, None):
        pair = np.repeat(specials, specials.size) if second is False else None
        pair = np.tile(specials, specials.size) if second else pair
        pair = rng.permutation(np.tile(specials, specials.size)) if second is None else pair
        last = {False: multiples, True: step, None: near()}[second]
        columns.append(np.concatenate([pair, any_bits(), near(), last]))
    small = rng.integers(-40, 40, columns[0].size)
    wild = rng.integers(-(2**31), 2**31, columns[0].size)
    n = np.where(rng.integers(0, 8, columns[0].size) > 0, small, wild).astype(np.int32)
    size = columns[0].size // 16 * 16  # for vectors of all widths
    return [*(c[:size] for c in columns), n[:size]]


def run(program, name, type_, arrays):
    """Run a kernel; return its results as (number, other, element, integer)."""
    width = int(type_.lstrip("abcdefghijklmnopqrstuvwxyz") or 1)
    dtype, size = dtype_of(type_), arrays[0].size
    lanes = 4 if width == 3 else width
    results = [np.zeros(size, d) for d in (dtype, dtype, dtype, np.int32)]
    program[f"k_{name}"](size // lanes, None, *arrays, *results)
    if width == 3:  # the fourth is padding
        results = [r.reshape(-1, 4)[:, :3].copy() if i != 2 else r for i, r in enumerate(results)]
    return results


def differing(right, actual):
    """Return the indices of elements with other bits; NaNs are equal to each other."""
    wrong = []
    for a, b in zip(right, actual, strict=True):
        same = a.view(f"u{a.itemsize}") == b.view(f"u{b.itemsize}")
        wrong.append(np.flatnonzero(~(same | ((a != a) & (b != b)))))
    return np.unique(np.concatenate(wrong))
