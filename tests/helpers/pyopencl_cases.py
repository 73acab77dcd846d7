"""Scripts for pyopencl's arrays and kernels of snippets, and what they give: halfcl's and its own.

`python tests/helpers/pyopencl_cases.py`, where pyopencl and an OpenCL device are, writes anew what
the device gives, as digests.
"""

import hashlib
import importlib
import json
import warnings

import numpy as np
from places import TESTS

RECORDED = TESTS / "data" / "pyopencl_outcomes.json"

MODULES = ("algorithm", "array", "clmath", "cltypes", "elementwise", "reduction", "scan", "tools")
FLOATS = np.float32([0.0, -0.0, 1.5, -2.25, 1e-40, 3e38, np.inf, np.nan, 0.1, 7])
INTS = np.int32([0, 1, -1, 7, -8, 2**31 - 1, -(2**31), 100, 3, 12])


class Setting:
    """The names that scripts use."""

    def __init__(self, cl, package, context):
        for name in MODULES:
            setattr(self, name, importlib.import_module(f"{package}.{name}"))
        self.cl, self.ctx, self.queue = cl, context, cl.CommandQueue(context)

    def names(self):
        def dev(a):
            return self.array.to_device(self.queue, np.asarray(a))

        return {
            "cl": self.cl, "a": self.array, "m": self.clmath, "t": self.cltypes,
            "tools": self.tools, "alg": self.algorithm, "ctx": self.ctx, "q": self.queue,
            "np": np, "dev": dev,
            "Elementwise": self.elementwise.ElementwiseKernel,
            "Reduction": self.reduction.ReductionKernel,
            "Scan": self.scan.GenericScanKernel,
            "Inclusive": self.scan.InclusiveScanKernel,
            "Exclusive": self.scan.ExclusiveScanKernel,
            "x": dev(FLOATS), "y": dev(FLOATS[::-1].copy()), "i": dev(INTS), "n": 10,
            "j": dev(INTS[::-1].copy()), "u": dev(INTS.astype(np.uint8)),
            "d": dev(FLOATS.astype(np.float64)), "w": dev(np.arange(10, dtype=np.float32)),
            "mat": dev(np.arange(12, dtype=np.float32).reshape(3, 4)),
            "for_": dev(np.asfortranarray(np.arange(12, dtype=np.float32).reshape(3, 4))),
            "one": dev(np.float32(3)), "big": dev((np.arange(5000) % 97).astype(np.float32)),
            "none": self.array.zeros(self.queue, 0, np.float32),
            "indices": dev(np.int32([3, 1, 1, 9])),
        }  # fmt: skip


def comparable(result, array):
    """Return a comparable form: NaNs are alike, zeros of different signs are not."""
    if isinstance(result, array):
        result = result.get()
    if isinstance(result, np.ndarray | np.generic):
        result = np.array(result)
        if result.dtype.kind == "f":
            result[np.isnan(result)] = np.nan
        return str(result.dtype), result.shape, result.tobytes()
    if isinstance(result, tuple | list):
        return tuple(comparable(each, array) for each in result)
    return repr(result)


def outcome(setting, code):
    """Return the last line's value, or the kind of error."""
    names = setting.names()
    *lines, last = code.strip().split("\n")
    try:
        exec("\n".join(lines), names)
        result = comparable(eval(last, names), setting.array.Array)
    except setting.cl.Error as error:
        return f"cl.{type(error).__name__}"
    except SyntaxError:  # the case's own
        raise
    except Exception as error:
        return type(error).__name__
    return result


VALUES = """
x + y; x - y; x * y; x / y; -x; +x; abs(x); abs(i); abs(u); x + 2.5; 2.5 + x; x - 0.1; 0.1 - x
x * 0.1; 0.1 * x; x / 3; 3 / x; x / 1; x + 0; x - 0; i + j; i - j; i * j; i + 3; 3 - i; i * 3
i / 2; i / j.astype(np.float32); u + u; u * 3; u - 1; x + i; i * x; d + x; x * d
x + np.float64(0.1); x * np.float32(0.1); np.float32(0.1) * x; i & j; i | j; i ^ j; i & 3; 3 | i
i ^ 3; ~i; ~u; w ** 2; w ** 2.0; 2 ** w; w ** w; x == y; x != y; x < y; x <= y; x > y; x >= y
x == 1.5; x < 0; i >= 7; i == j; x == None; x[2:5]; x[1:9][2:4]; x[-3:]; x[3]; x[...]; mat[1]
mat[1, 2]; mat[1:, ...]; mat[None, 0]; x[indices]; mat.T[1:3].T; mat.T; mat.reshape(4, 3)
mat.reshape(2, -1); mat.ravel(); for_.ravel("F"); mat.T.copy(); mat.transpose((1, 0)).shape
mat.reshape(1, 12).squeeze().shape; for_.strides; mat.T.strides; x.view(np.int32)
x.view(np.uint8).shape; mat.view(np.float64).shape; mat.view(np.int16).strides
i.astype(np.float32); w.astype(np.int16); i.astype(np.int32); u.astype(np.float64); x.fill(2.5)
i.fill(-3); x.copy(); x.reverse(); x.real; x.imag; x.conj(); w.mul_add(2, w, -3)
w.mul_add(2, 3, 4); len(mat); mat.size; mat.nbytes; mat.ndim; mat.flags.forc; mat[:, 1].flags.forc
x[2:].offset; str(mat); repr(mat); repr(one); bool(one); one + x; x * one; one + one; one * 2
mat + mat; for_ + for_; (for_ * 2).strides; a.zeros(q, (2, 3), np.int32)
a.zeros(q, (3, 0, 2), "f4").strides; a.zeros_like(mat)
a.empty_like(mat).shape; a.empty_like(for_).strides; a.arange(q, 10, dtype=np.int32)
a.arange(q, 2, 10, 3, dtype=np.float32); a.arange(q, 5, np.dtype("f8")); a.sum(w); a.sum(big)
a.sum(i); a.sum(u); a.sum(w, np.float64); a.sum(w, initial=3); a.sum(mat)
a.sum(w, slice=slice(2, 5)); a.dot(w, w); a.dot(w, i); a.dot(i, i); a.vdot(w, w); a.max(w)
a.min(w); a.max(i); a.min(i); a.min(u); a.max(x); a.min(big); a.max(w, initial=50)
a.max(none, initial=3); a.any(x); a.all(x); a.any(none); w.any(); (w < 20).all(); a.sum(none)
a.maximum(x, y); a.minimum(x, y); a.maximum(i, j); a.minimum(x, np.float32(3)); a.maximum(1, 2)
a.if_positive(x, x, y); a.if_positive(x, y, np.float32(9)); a.if_positive(i, i, j)
a.take(x, indices); a.concatenate([x, y, w]); a.concatenate([mat, mat]); a.hstack([x, y])
a.stack([x, y]); a.stack([x, y], axis=1); a.diff(w); a.reshape(mat, (2, 6)); a.transpose(mat)
a.logical_and(i, j); a.logical_or(i, x); a.logical_not(i); a.logical_and(i, 2)
a.subset_dot(indices, w, w); a.subset_min(indices, w); a.subset_max(indices, w); a.cumsum(i)
a.cumsum(w); a.cumsum(big); a.as_strided(w, (3,), (12,)).strides; m.floor(x); m.ceil(x); m.fabs(x)
m.sqrt(w); m.trunc(x); m.round(x); m.rint(x); m.fmod(w, one + w); m.frexp(w); m.modf(w / 4)
m.ldexp(w, w); x.map_to_host().sum(); mat[1:].map_to_host(); x.with_queue(None).queue
x.get(ary=np.empty(10, "f4")); t.float4; t.make_int2(3, 4); t.zeros_float3(); t.filled_short8(2)
a.zeros(q, 3, t.float4); t.uchar16.itemsize; tools.dtype_to_ctype(np.uint16)
tools.dtype_to_ctype(t.float4); tools.get_or_register_dtype("uint")
[p.name for p in tools.parse_arg_list("float *a, const int b, __global uint *restrict c")]
"""

ERRORS = """
x + [1]; x // 2; x % 2; i << 1; hash(x); bool(x); x & 1; ~x; x | x; mat + x; x[::2] + 1
x[::-1] * 2; mat[:, 1] + 1; x[::2].get(); x[::2].copy(); mat.T.reshape(12); x[10]; x["a"]
x.reshape(3, 3); x[1:].data; a.arange(q, 8); a.arange(q, 1, stop=2, start=1, dtype=np.int32)
a.arange(q, 5, dtype=np.int32, foo=3); a.empty(q, -1, "f4"); a.empty(3, 1, "f4")
a.empty(q, 2.5, "f4"); dev(np.array([None])); x == i[:3]; x[x]; x.get(ary=np.zeros(10))
x.get(ary=np.zeros(3, "f4")); x.with_queue(None) + 1; x.with_queue(None).get(); a.min(none)
a.max(none); a.concatenate([]); a.concatenate([mat, x]); a.stack([x, mat]); a.hstack([])
a.if_positive(x, x, i); a.if_positive(x, x, w[:3]); a.sum(w, initial="a"); a.diff(mat)
mat.transpose((1, 0, 2)); a.concatenate([mat, dev(np.ones((3, 5), "f4"))])
a.logical_and(i, i[:3])
Elementwise(ctx, "float a, float b", "a = b")(1, 2)
Elementwise(ctx, "strange *a", "a[i] = 0")(x)
Elementwise(ctx, "__local float *a", "a[i] = 0")(x)
Elementwise(ctx, "float *a", "a[i] = nothing")(x)
Reduction(ctx, np.float32, "0", "a+b")
Reduction(ctx, np.float32, "0", "a+nothing", arguments="float *in")
Reduction(ctx, np.float32, "0", "a+b // c", arguments="float *in")
Scan(ctx, np.float32, "float *x", "x[i]", "a+b", None, "x[i] = item")
Scan(ctx, np.int16, "short *x", "x[i]", "a+b", "0", "x[i] = item")
Scan(ctx, np.int32, "int *x", "x[i]", "a+b", "0", "x[i] = item", index_dtype=np.uint32)
Scan(ctx, np.int32, "int *x", "x[i]", "a+b", "0", "x[i] = item")(i, i)
tools.dtype_to_ctype(np.dtype("M8[s]")); tools.parse_c_arg("blah *x")
tools.match_dtype_to_c_struct(ctx.devices[0], "s", np.dtype("f4"))
cl.Program(ctx, "kernel void f(global float *x) { x[0] = 1; }").build().f(q, (1,), None, x)
"""

#: Statements, and what they leave.
SCRIPTS = (
    [
        f"{target} {operator}= {value}\n{target}"
        for target, operator, value in [
            ("x", "+", "y"),
            ("x", "-", "y"),
            ("x", "*", "y"),
            ("x", "/", "y"),
            ("x", "+", "0.1"),
            ("x", "-", "0.1"),
            ("x", "*", "0.1"),
            ("x", "/", "3"),
            ("x", "+", "i"),
            ("x", "*", "one"),
            ("i", "+", "j"),
            ("i", "+", "1.5"),
            ("i", "*", "3"),
            ("i", "/", "2"),
            ("i", "&", "j"),
            ("i", "|", "3"),
            ("i", "^", "j"),
            ("mat", "+", "x"),
            ("u", "+", "u"),
            ("d", "+", "x"),
        ]
    ]
    + [
        f"{statement}\n{result}"
        for statement, result in [
            ("x[2:5] = 7", "x"),
            ("x[2:5] = y[:3]", "x"),
            ("x[3] = 1.5", "x"),
            ("mat[1] = 0", "mat"),
            ("x[0:4] = np.ones(4, 'f4')", "x"),
            ("x[0:4] = np.ones(3, 'f4')", "x"),
            ("x[0] = y", "x"),
            ("x[::2] = 1", "x"),
            ("mat[...] = mat * 2", "mat"),
            ("x[indices] = w[:4]", "x"),
            ("x.set(np.arange(10, dtype='f4'))", "x"),
            ("x.set(np.zeros((10, 2), 'f4')[:, 0])", "x"),
            ("mat.set(np.asfortranarray(np.zeros((3, 4), 'f4')))", "mat"),
            ("v = x[4:]; v += 1", "x"),
            ("v = mat.reshape(12); v *= 2", "mat"),
            ("x.finish()", "x"),
            ("z = a.empty(q, (3, 4), 'f4', order='F'); z.fill(1)", "z.strides"),
            ("e = x.get_async()[1]; e.wait()", "x"),
        ]
    ]
    + [
        """
k = Elementwise(ctx, "float a, float *x, float *z", "z[i] = a * x[i]", "scale")
z = a.zeros_like(w)
k(2, w, z).wait()
z
""",
        """
k = Elementwise(ctx, "float *x", "if (i % 2) PYOPENCL_ELWISE_CONTINUE; x[i] = i + n", "odd")
k(w)
w
""",
        """
k = Elementwise(ctx, "float *x, float *z", '''
    float y = x[i];  // a comment, and a line of the preprocessor's:
    #ifdef TWICE
    z[i] = 2 * y;
    #else
    z[i] = y;
    #endif
    z[i] += 1;  // and the last''', "name", ["-DTWICE"])
k(w, x)
x
""",
        """
k = Scan(ctx, np.int32, "int *z", "z[i]", "a+b", "0", '''
    item += 1;  // one more
    z[i] = item;  // and the last
''')
k(i)
i
""",
        """
k = Elementwise(ctx, "int *z", "z[i] = -5")
k(i, range=slice(1, 9, 3))
i
""",
        """
k = Elementwise(ctx, "int *z", "z[i] = -5")
k(i, slice=slice(-4, None, 2))
i
""",
        """
k = Elementwise(ctx, "int *z", "z[i] = -5")
k(i, range=slice(8, 2, -2))
i
""",
        """
k = Elementwise(ctx, "float4 *v, float *z", "z[i] = v[i].x + v[i].w")
z = a.zeros(q, 5, np.float32)
k(dev(np.array([t.make_float4(k, 2, 3, 2 * k) for k in range(5)], t.float4)), z)
z
""",
        """
k = Elementwise(ctx, [tools.VectorArg(np.int32, "z", with_offset=True),
                      tools.ScalarArg(np.int32, "c")],
                "z[i] = twice(c) + N", preamble="int twice(int c) { return 2 * c; }",
                options=["-D", "N=100"])
k(i[3:], 4)
i
""",
        """
k = Reduction(ctx, np.float32, "0", "a+b", "x[i]*y[i]", "float *x, float *y", "sumprod")
k(big, big), k(w, w, slice=slice(1, 4)), k(w, w, range=slice(2, 9, 2)), k(none, none)
""",
        """
k = Reduction(ctx, np.int32, "-1", "max(a, b)", arguments="int *in")
out = a.empty(q, (), np.int32)
k(i, out=out)
out, k(i[:3]), k(i, return_event=True)[0]
""",
        """
s = np.dtype([("low", np.int32), ("high", np.float32)])
s, text = tools.match_dtype_to_c_struct(ctx.devices[0], "low_and_high", s)
s = tools.get_or_register_dtype("low_and_high", s)
pre = text + "low_and_high of(int n) { low_and_high s; s.low = n; s.high = n; return s; }"
pre += "low_and_high join(low_and_high a, low_and_high b) { low_and_high s;"
pre += "s.low = min(a.low, b.low); s.high = max(a.high, b.high); return s; }"
k = Reduction(ctx, s, "of(5)", "join(a, b)", "of(x[i])", "int *x", preamble=pre)
found = k(i).get()
found["low"], found["high"], text
""",
        """
k = Scan(ctx, np.int32, "int *x, int *z", "x[i]", "a+b", "0", "z[i] = item - prev_item;")
z = a.zeros_like(i)
k(i, z)
z
""",
        """
k = Scan(ctx, np.float32, "float *x, float *z", "x[i]", "a+b", "0", "z[i] = last_item + N;")
z = a.zeros_like(big)
k(big, z)
z
""",
        """
k = Scan(ctx, np.int32, "int *x, char *s, int *z", "x[i]", "across_seg_boundary ? b : (a+b)",
         "0", "z[i] = 1000 * item + prev_item;", is_segment_start_expr="s[i]")
z = a.zeros(q, 3000, np.int32)
k(dev((np.arange(3000) % 7).astype(np.int32)), dev((np.arange(3000) % 41 == 5).astype(np.int8)), z)
z
""",
        """
k = Scan(ctx, np.int32, "int *x, int *z", "i == 0 || here != before ? 1 : 0", "a+b", "0",
         "if (prev_item != item) z[item - 1] = i;",
         input_fetch_exprs=[("here", "x", 0), ("before", "x", -1)])
z = a.zeros(q, 100, np.int32)
k(dev((np.arange(700) // 9).astype(np.int32)), z)
z
""",
        """
k = Scan(ctx, np.int32, "int *x", "x[i]", "max(a, b)", "-99", "x[i] = item;")
k(i, size=4)
i
""",
        """
out, count, event = alg.copy_if(x, "ary[i] > least", [("least", np.float32(1)), ("w", w)])
out[: int(count.get())]
""",
        """
out, count, event = alg.remove_if(i, "odd(ary[i])", preamble="int odd(int n) { return n & 1; }")
event.wait()
out[: int(count.get())]
""",
        """
yes, no, count, event = alg.partition(i, "ary[i] > 5")
n = int(count.get())
n, yes[:n], no[: 10 - n]
""",
        """
out, count, event = alg.unique(dev(np.int32([1, 1, 2, 2, 2, 1, 3, 4, 4])))
out[: int(count.get())]
""",
        """
out, count, event = alg.unique(i, "abs(a) == abs(b)")
out[: int(count.get())]
""",
        "Inclusive(ctx, np.int32, 'a+b', '0')(i)\ni",
        "Exclusive(ctx, np.int32, 'a+b', '0')(i)\ni",
        "Inclusive(ctx, np.int32, 'a+b', '0')(i, 'new'), i",
        "Exclusive(ctx, np.float32, 'max(a, b)', '-1')(big)",
        """
k = cl.Program(ctx, "kernel void f(global float *x) { x[get_global_id(0)] += 1; }").build().f
k(q, (10,), None, w.data)
k(q, (8,), None, w[2:].base_data)
w
""",
    ]
)

CASES = [
    case.strip()
    for text in (VALUES, ERRORS)
    for line in text.strip().split("\n")
    for case in (line.split("; ") if "(ctx" not in line else [line])
]

ALL = [code.strip() for code in CASES + SCRIPTS]


def here():
    """halfcl's."""
    ours = importlib.import_module("halfcl.cl.pyopencl")
    return Setting(ours, ours.__name__, ours.create_some_context())


def there():
    """pyopencl's, on a CPU; None if there is none."""
    try:
        cl = importlib.import_module("pyopencl")
        devices = [d for p in cl.get_platforms() for d in p.get_devices(cl.device_type.CPU)]
    except Exception:  # pyopencl is not there, or there is no platform
        return None
    devices = [d for d in devices if d.double_fp_config]
    return Setting(cl, "pyopencl", cl.Context(devices[:1])) if devices else None


def digest(result):
    return hashlib.sha256(repr(result).encode()).hexdigest()[:12]


if __name__ == "__main__":
    setting = there()
    assert setting is not None, "needs pyopencl and an OpenCL device"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        digests = {code: digest(outcome(setting, code)) for code in ALL}
    RECORDED.write_text(json.dumps(digests, indent=0) + "\n", encoding="utf-8")
