"""Define the operations to time: the rows of halfcl's table, and some other calls.

A row's name, types and rounding come from the table. Here stands what is the benchmark's own:
where the inputs lie, and how peers spell the function if not by its name. A row without an entry
is timed on MODERATE inputs.
"""

from collections.abc import Callable
from dataclasses import dataclass

import binders
import numpy as np

from halfcl._tables import TABLE
from halfcl._tables.row import (
    ABOVE_MINUS_ONE,
    ABOVE_ZERO,
    FROM_ONE,
    FROM_ZERO,
    INSIDE_UNIT,
    UNIT as UNIT_INTERVAL,
)

SAME = "(the row's name)"


def uniform(low, high):
    return lambda rng, n: rng.uniform(low, high, n)


def log_uniform(low, high):
    return lambda rng, n: np.exp(rng.uniform(np.log(low), np.log(high), n))


def integers(low, high):
    return lambda rng, n: rng.integers(low, high, n, endpoint=True)


MODERATE = uniform(-8, 8)
POSITIVE = log_uniform(2**-10, 2**10)
NONZERO = log_uniform(2**-5, 2**5)
BASE, EXPONENT = log_uniform(0.125, 8), uniform(-4, 4)
SMALL_INTEGERS = integers(-4, 4)
UNIT = uniform(-0.999, 0.999)
ABOVE_ONE = log_uniform(1, 2**10)


@dataclass(frozen=True)
class Op:
    """An operation to time.

    A peer's entry is the name of its function, called as f(*inputs, out=out); or a binder
    (module, out, *inputs) -> callable; or None. A name that the peer lacks counts as None.
    The opencl entry is an expression in x, y, z, with {w} for the width of a vector; a second
    result goes through a pointer, &second.
    """

    name: str
    types: str  # as in the table: "ee>e", e half, f float, h int16, ? bool; of
    # functions of vectors e is a vector as argument, a half as result, and v a vector as result
    domain: Callable | tuple = MODERATE  # (rng, n) -> values, for every input; or one for each
    # A function; "np.add": NumPy's, on half; or a binder, timed in a region of the mode.
    halfcl: str | Callable = SAME
    numpy: str | Callable | None = SAME
    torch: str | Callable | None = SAME
    numkong: str | Callable | None = SAME
    opencl: str | None = SAME
    rounds: bool = True  # whether the rounding mode can change the result
    mode: str = "rte"  # the mode of the peers, used for the ratio
    reduces: bool = False  # one result: no out, and opencl's expression is what is added up
    vector: int = 0  # components, where an element is a vector, along the last axis; v: a result

    @property
    def inputs(self):
        return self.types.split(">")[0]

    @property
    def outputs(self):
        return self.types.split(">")[1]

    @property
    def domains(self):
        return self.domain if isinstance(self.domain, tuple) else (self.domain,) * len(self.inputs)

    def count(self, n):
        """Return how many vectors to time: n of up to 4 components, or 4 n components in all."""
        return max(1, n * 4 // self.vector) if self.vector > 4 else n

    @property
    def converts(self):
        return set(self.types) <= set(">efhi") and set(self.types) & set("fh")


# ---------------------------------------------------------------- rows of the table

#: The ranges of inputs of functions that have a domain.
BY_DOMAIN = {
    **dict.fromkeys((FROM_ZERO, ABOVE_ZERO, ABOVE_MINUS_ONE), POSITIVE),
    **dict.fromkeys((UNIT_INTERVAL, INSIDE_UNIT), UNIT),
    FROM_ONE: ABOVE_ONE,
}
#: The ranges of a row's inputs, where neither its domain nor its types tell them.
DOMAINS = {
    "divide": NONZERO,
    **{row.name: BY_DOMAIN[row.domain] for row in TABLE if row.domain in BY_DOMAIN},
    **dict.fromkeys(("exp10", "exp10m1"), uniform(-4, 4)),
    "cbrt": POSITIVE,
    **dict.fromkeys(("erf", "erfc"), uniform(-4, 4)),
    "tgamma": uniform(-4, 8),
    **dict.fromkeys(("pow", "powr"), (BASE, EXPONENT)),
    "pown": (BASE, SMALL_INTEGERS),
    "rootn": (POSITIVE, integers(1, 5)),
    "compoundn": (uniform(-0.05, 0.25), integers(1, 30)),
    **dict.fromkeys(("fmod", "remainder", "remquo"), (MODERATE, NONZERO)),
    "nan": integers(0, 1023),
    "clamp": (MODERATE, uniform(-8, 0), uniform(0, 8)),
    "mix": (MODERATE, MODERATE, uniform(0, 1)),
    "smoothstep": (uniform(-2, -1), uniform(1, 2), uniform(-2, 2)),
    **{row.name: SMALL_INTEGERS for row in TABLE if row.public and row.types == "ee>?"},
    **dict.fromkeys(("isordered", "isunordered"), MODERATE),
}

#: The ranges by an argument's letter, for rows that are not in DOMAINS.
DEFAULTS = {"e": MODERATE, "i": SMALL_INTEGERS, **dict.fromkeys("bBhH", integers(0, 127))}

#: How peers spell a row: NumPy by its row's twin, others by its name, with these exceptions.
#: NumKong's sin, cos and atan are skipped: of the 65,536 results for half, 13,055, 44,438 and
#: 3,109 are wrong.
SPELLED = {
    "add": {"opencl": "x + y"},
    "subtract": {"opencl": "x - y", "numkong": binders.numkong_subtract},
    "multiply": {"opencl": "x * y"},
    "divide": {"opencl": "x / y"},
    "negative": {"opencl": "-x", "numkong": binders.numkong_negative},
    "fma": {"torch": binders.torch_fma},
    **{name: {"numkong": None} for name in ("sin", "cos", "atan")},
    "sincos": {"numpy": binders.numpy_sincos, "torch": binders.torch_sincos},
    "rsqrt": {"numpy": binders.numpy_rsqrt},
    "rint": {"torch": "round"},
    "round": {"numpy": None, "torch": None},  # to even
    "remainder": {"numpy": None, "torch": None},  # of the floor
    "ldexp": {"torch": None},
    "fabs": {"torch": "abs"},
    "nan": {"numpy": None, "torch": None},  # a constant
    "clamp": {"numpy": "clip"},
    "degrees": {"torch": "rad2deg"},
    "radians": {"torch": "deg2rad"},
    "max": {"numpy": "maximum", "torch": "maximum"},
    "min": {"numpy": "minimum", "torch": "minimum"},
    "mix": {"numpy": binders.numpy_mix, "torch": "lerp"},
    "smoothstep": {"numpy": binders.numpy_smoothstep, "torch": binders.torch_smoothstep},
    "step": {"numpy": binders.numpy_step, "torch": binders.torch_step},
    "isequal": {"torch": "eq"},
    "isnotequal": {"torch": "ne"},
    "isgreater": {"torch": "gt"},
    "isgreaterequal": {"torch": "ge"},
    "isless": {"torch": "lt"},
    "islessequal": {"torch": "le"},
    **{name: {"torch": None} for name in ("isfinite", "isinf", "isnan")},
}

#: OpenCL has these conversions for images; in kernels one writes them.
for _type, _integer, _greatest in (
    ("unorm8", "uchar", "255.0f"),
    ("unorm16", "ushort", "65535.0f"),
    ("snorm8", "char", "127.0f"),
    ("snorm16", "short", "32767.0f"),
):
    _fraction = f"convert_float{{w}}(x) * (1 / {_greatest})"
    if _type.startswith("s"):
        _fraction = f"fmax({_fraction}, -1.0f)"
    SPELLED[f"from_{_type}"] = {"opencl": f"convert_half{{w}}({_fraction})"}
    SPELLED[f"to_{_type}"] = {
        "opencl": f"convert_{_integer}{{w}}_sat_rte(convert_float{{w}}(x) * {_greatest})"
    }

#: Rows that are not timed, and why.
LEFT_OUT = {"mad": "fma's kernel"}


def op_of_row(row):
    """Return the operation for a row of the table."""
    spelled = {"numpy": row.numpy[0]} if row.numpy else {}
    if len(row.outputs) == 2:
        spelled["opencl"] = f"{row.name}({', '.join('xyz'[: row.nin])}, &second)"
    if not row.opencl:
        spelled["opencl"] = None
    spelled |= SPELLED.get(row.name, {})
    domain = DOMAINS.get(row.name) or tuple(DEFAULTS[letter] for letter in row.inputs)
    return Op(row.name, row.types, domain, rounds=row.governed != "exact", **spelled)


# ---------------------------------------------------------------- functions of vectors

#: The widths to time for each function: those of OpenCL's vectors, and longer ones.
WIDTHS = {
    "dot": (4, 3, 16, 64),
    "distance": (4,),
    "length": (4, 64),
    "normalize": (4, 64),
    "cross": (3, 4),
}

#: The binders of functions of vectors.
VECTORS = {
    "dot": {
        "numpy": binders.numpy_dot, "torch": binders.torch_dot, "numkong": binders.numkong_dot,
    },
    "distance": {
        "numpy": binders.numpy_distance, "torch": binders.torch_distance,
        "numkong": binders.numkong_distance,
    },
    "length": {"numpy": binders.numpy_length, "torch": binders.torch_length, "numkong": None},
    "normalize": {
        "numpy": binders.numpy_normalize, "torch": binders.torch_normalize, "numkong": None,
    },
    "cross": {"numpy": binders.numpy_cross, "torch": binders.torch_cross, "numkong": None},
}  # fmt: skip


def op_of_vectors(row, width):
    """Return the operation for a function of vectors of a width, each counted as an element."""
    gives_vectors = not row.signature.endswith("()")
    spelled = dict(VECTORS.get(row.name, {}))
    if row.name == "cross" and width == 4:
        spelled |= {"numpy": None, "torch": None}
    # OpenCL's runtime takes twice as long in half, and lacks functions of more than 4 components.
    arguments = ", ".join(f"convert_float{{w}}({x})" for x in "xyz"[: row.nin])
    result = "convert_half{w}" if gives_vectors else "convert_half"
    return Op(
        f"{row.name}{width}", f"{row.inputs}>{'v' if gives_vectors else 'e'}", halfcl=row.name,
        opencl=f"{result}({row.name}({arguments}))" if width <= 4 else None,
        vector=width, **spelled,
    )  # fmt: skip


# ---------------------------------------------------------------- what is no row

CASTS = {
    "numpy": binders.numpy_cast, "torch": binders.torch_cast, "numkong": binders.numkong_cast,
}  # fmt: skip

OTHERS = (
    Op(
        "select", "ee?>e", (MODERATE, MODERATE, integers(0, 1)), rounds=False,
        numpy=binders.numpy_select, torch=binders.torch_select, opencl=None,
    ),
    Op(
        "select_short", "eeh>e", (MODERATE, MODERATE, integers(-1, 0)), "select", rounds=False,
        numpy=None, opencl="select(x, y, z)",
    ),
    Op(
        "bitselect", "eee>e", rounds=False,
        numpy=binders.numpy_bitselect, torch=binders.torch_bitselect, opencl="bitselect(x, y, z)",
    ),
    # conversions
    Op(
        "f16_to_f32", "e>f", halfcl="convert_float", rounds=False,
        opencl="convert_float{w}(x)", **CASTS,
    ),
    Op("f32_to_f16", "f>e", halfcl="convert_half", opencl="convert_half{w}(x)", **CASTS),
    Op(
        "f16_to_i16", "e>h", uniform(-30000, 30000), "convert_short", mode="rtz",
        opencl="convert_short{w}(x)", **CASTS,
    ),
    Op(
        "i16_to_f16", "h>e", integers(-30000, 30000), "convert_half",
        opencl="convert_half{w}(x)", **CASTS,
    ),
    # loads and stores of all, from offset 0 on
    Op(
        "vload_half", "e>f", halfcl=binders.load_all, rounds=False,
        opencl="convert_float{w}(x)", **CASTS,
    ),
    Op("vstore_half", "f>e", halfcl=binders.store_all, opencl="convert_half{w}(x)", **CASTS),
    # reductions
    Op("sum", "e>e", MODERATE, "np.add.reduce", "add.reduce", opencl="x", reduces=True),
    Op("dot", "ee>e", MODERATE, opencl="x * y", reduces=True),
)  # fmt: skip

PUBLIC = [row for row in TABLE if row.public and row.name not in LEFT_OUT]
OPS = {
    op.name: op
    for op in (
        *(op_of_row(row) for row in PUBLIC if not row.signature),
        *(op_of_vectors(r, width) for r in PUBLIC if r.signature for width in WIDTHS[r.name]),
        *OTHERS,
    )
}
