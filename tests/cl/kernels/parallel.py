"""parallel.cl over scalars: trees add in their own order."""

import numpy as np
from cl_library import H, Wanted, integers, launch, values

from halfcl import cl


def groups(x):
    return x.reshape(-1, 16)


def reduce_sum():
    x = values(64)

    def of(part):
        part = list(part)
        while len(part) > 1:
            middle = len(part) // 2
            part = [a + b for a, b in zip(part[:middle], part[middle:], strict=True)]
        return part[0]

    memory = cl.LocalMemory(32)
    return launch(64, x, memory, out=[of(g) for g in groups(x)], place=1, local=16)


def reduce_argmax():
    x = values(64)
    wanted = [16 * g + int(np.argmax(part)) for g, part in enumerate(groups(x))]
    return launch(64, x, out=wanted, dtype="i4", local=16)


def scan_steps():
    x = integers(64, low=-1000, high=1000)
    wanted = [int(part[: k + 1].sum()) for part in groups(x) for k in range(16)]
    return launch(64, out=wanted, start=x, dtype="i4", local=16)


def scan_tree():
    x = values(32)

    def of(t):
        t, offset = list(t), 1
        while offset < 16:
            for i in range(8 // offset):
                b = offset * (2 * i + 2) - 1
                t[b] = t[b] + t[b - offset]
            offset *= 2
        t[15] = H(0)
        while offset > 1:
            offset //= 2
            for i in range(8 // offset):
                b = offset * (2 * i + 2) - 1
                t[b - offset], t[b] = t[b], t[b] + t[b - offset]
        return t

    return launch(16, out=[v for part in groups(x) for v in of(part)], start=x, local=8)


def bitonic_sort():
    x = values(64)
    wanted = [v for part in groups(x) for v in sorted(part)]
    return launch(64, cl.LocalMemory(32), out=wanted, start=x, place=0, local=16)


def sort4():
    x = integers(40, 4)
    return launch(40, out=[sorted(v) for v in x.tolist()], start=x, dtype="i4")


def odd_even_pass():
    x = integers(21, dtype="i2")
    wanted = x.tolist()
    for k in range(1, 20, 2):
        wanted[k : k + 2] = sorted(wanted[k : k + 2])
    return launch(10, 21, 1, out=wanted, start=x, dtype="i2", place=0)


def histogram_counted():
    x = integers(100, dtype="u1")
    wanted = [sum(int(v) // 16 == bin for v in x) for bin in range(16)]
    return launch(16, x, 100, out=wanted, dtype="u4")


def compact():
    x = integers(64, low=-5, high=5)
    out, count = np.zeros(64, "i4"), np.zeros(4, "i4")
    kept = [[v for v in part if v > 0] for part in groups(x).tolist()]
    wanted = np.array([k + [0] * (16 - len(k)) for k in kept], "i4")
    return Wanted(64, 16, [x, out, count], {1: wanted, 2: np.array([len(k) for k in kept], "i4")})


def stencil_local():
    x = values(48)
    padded = [H(0), *x, H(0)]
    wanted = [(padded[i] + padded[i + 1] + padded[i + 2]) / H(3) for i in range(48)]
    return launch(48, x, out=wanted, local=16)


def rank_sort():
    x = np.round(values(40) * 4).astype(H)
    return launch(40, x, 40, out=sorted(x), place=1)
