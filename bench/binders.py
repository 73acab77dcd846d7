"""Bind the calls of peers that need more than one function for the same result.

A binder gets (module, out, *inputs) and returns the callable that is timed.

A binder gets (module, out, *inputs) and gives the callable that is timed.
"""

from functools import partial


def numpy_cast(np, out, x):
    return partial(np.copyto, out, x, casting="unsafe")


def torch_cast(torch, out, x):
    return partial(out.copy_, x)


def numkong_cast(nk, out, x):
    return partial(nk.astype, x, out.dtype.name, out=out)


CASTS = {"numpy": numpy_cast, "torch": torch_cast, "numkong": numkong_cast}


def numkong_subtract(nk, out, x, y):
    return partial(nk.blend, x, y, alpha=1.0, beta=-1.0, out=out)


def numkong_negative(nk, out, x):
    return partial(nk.scale, x, alpha=-1.0, beta=0.0, out=out)


def torch_fma(torch, out, x, y, z):
    return partial(torch.addcmul, z, x, y, out=out)


def numpy_rsqrt(np, out, x):
    def rsqrt():
        np.sqrt(x, out)
        np.reciprocal(out, out)

    return rsqrt


def numpy_sincos(np, out, x):
    def sincos():
        np.sin(x, out[0])
        np.cos(x, out[1])

    return sincos


def torch_sincos(torch, out, x):
    def sincos():
        torch.sin(x, out=out[0])
        torch.cos(x, out=out[1])

    return sincos


def numpy_mix(np, out, x, y, a):
    def mix():
        np.subtract(y, x, out)
        np.multiply(out, a, out)
        np.add(out, x, out)

    return mix


def numpy_step(np, out, edge, x):
    return partial(np.greater_equal, x, edge, out=out)


def torch_step(torch, out, edge, x):
    return partial(torch.ge, x, edge, out=out)


def numpy_smoothstep(np, out, edge0, edge1, x):
    t = np.empty_like(x)

    def smoothstep():
        np.subtract(x, edge0, t)
        np.subtract(edge1, edge0, out)
        np.divide(t, out, t)
        np.clip(t, 0, 1, t)
        np.multiply(t, t, out)
        np.multiply(t, -2, t)
        np.add(t, 3, t)
        np.multiply(out, t, out)

    return smoothstep


def torch_smoothstep(torch, out, edge0, edge1, x):
    t = torch.empty_like(x)

    def smoothstep():
        torch.sub(x, edge0, out=t)
        torch.sub(edge1, edge0, out=out)
        torch.div(t, out, out=t)
        torch.clamp(t, 0, 1, out=t)
        torch.mul(t, t, out=out)
        torch.mul(t, -2, out=t)
        torch.add(t, 3, out=t)
        torch.mul(out, t, out=out)

    return smoothstep


def numpy_select(np, out, a, b, c):
    def select():
        np.copyto(out, a)
        np.copyto(out, b, where=c)

    return select


def torch_select(torch, out, a, b, c):
    return partial(torch.where, c, b, a, out=out)


def numpy_bitselect(np, out, a, b, c):
    out, a, b, c = (x.view(f"u{x.itemsize}") for x in (out, a, b, c))

    def bitselect():
        np.bitwise_xor(a, b, out)
        np.bitwise_and(out, c, out)
        np.bitwise_xor(out, a, out)

    return bitselect


def torch_bitselect(torch, out, a, b, c):
    out, a, b, c = (x.view(torch.int16) for x in (out, a, b, c))

    def bitselect():
        torch.bitwise_xor(a, b, out=out)
        torch.bitwise_and(out, c, out=out)
        torch.bitwise_xor(out, a, out=out)

    return bitselect


def load_all(hc, out, x):
    every = range(x.size)
    return partial(hc.vload_half, every, x, out=out)


def store_all(hc, out, x):
    return partial(hc.vstore_half, x, 0, out)


def numpy_dot(np, out, x, y):
    return partial(np.einsum, "ij,ij->i", x, y, out=out)  # faster than vecdot


def numpy_cross(np, out, x, y):
    return lambda: np.copyto(out, np.cross(x, y))


def numpy_length(np, out, x):
    return lambda: np.copyto(out, np.linalg.norm(x, axis=-1))


def numpy_distance(np, out, x, y):
    return lambda: np.copyto(out, np.linalg.norm(x - y, axis=-1))


def numpy_normalize(np, out, x):
    return lambda: np.divide(x, np.linalg.norm(x, axis=-1, keepdims=True), out)


def torch_dot(torch, out, x, y):
    return partial(torch.linalg.vecdot, x, y, out=out)


def torch_cross(torch, out, x, y):
    return partial(torch.linalg.cross, x, y, out=out)


def torch_length(torch, out, x):
    return partial(torch.linalg.vector_norm, x, dim=-1, out=out)


def torch_distance(torch, out, x, y):
    return lambda: torch.linalg.vector_norm(x - y, dim=-1, out=out)


def torch_normalize(torch, out, x):
    return partial(torch.nn.functional.normalize, x, dim=-1, out=out)


def numkong_dot(nk, out, x, y):
    return partial(nk.dot, x, y)


def numkong_distance(nk, out, x, y):
    return partial(nk.euclidean, x, y)
