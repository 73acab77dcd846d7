"""A stand-in for CuPy, over NumPy's arrays in a class of its own.

Calls take the path of CuPy's arrays; its kernels call the host's function that their text names.
"""

import re
import types

import numpy as np

import halfcl as hc

#: Texts that were compiled.
texts = []


class ndarray:  # CuPy's name
    """An array that lies on the host, and does not say so."""

    __module__ = "cupy"

    def __init__(self, shape, dtype=None, order="C", of=None):
        self.held = np.empty(shape, dtype, order) if of is None else of

    shape = property(lambda self: self.held.shape)
    strides = property(lambda self: self.held.strides)
    T = property(lambda self: own(self.held.T))
    dtype = property(lambda self: self.held.dtype)
    size = property(lambda self: self.held.size)
    ndim = property(lambda self: self.held.ndim)
    flags = property(lambda self: self.held.flags)
    device = types.SimpleNamespace(id=0)

    @property
    def data(self):
        return types.SimpleNamespace(ptr=self.held.__array_interface__["data"][0], device_id=0)

    def reshape(self, *shape):
        return own(self.held.reshape(*shape))

    def view(self, dtype):
        return own(self.held.view(dtype))

    def astype(self, dtype):
        return own(self.held.astype(dtype))

    def __getitem__(self, key):
        return own(self.held[key])

    def __ne__(self, other):
        return own(self.held != other)

    __hash__ = None

    def __and__(self, other):
        return own(self.held & other.held)

    def __or__(self, other):
        return own(self.held | other.held)

    def __xor__(self, other):
        return own(self.held ^ other.held)

    def __array_ufunc__(self, *_, **__):
        return NotImplemented


def own(x):
    return ndarray((), of=np.asarray(x))


class Function:
    """A kernel, by its text."""

    def __init__(self, code):
        kernel = code[code.index("hck(unsigned long long n") :]
        self._name, self._mode = re.search(r"\bhc_(\w+)_(rt[ezpn])\(", kernel).groups()
        self._parameters = re.search(r"hck\((.*?)\)", kernel).group(1).split(", ")
        self._is_wide = "= 8 * (" in kernel
        # What is wide takes vectors of numbers that lie side by side, not arrays of vectors.
        self._width = None if self._is_wide else re.search(r"hc_half(\d+) x_v", kernel)

    def __call__(self, grid, block, arguments, shared_mem=0, stream=None):
        count, *operands = arguments
        outs = [operands.pop() for p in self._parameters if "*" in p and "const" not in p][::-1]
        assert len(arguments) == len(self._parameters) and count > 0
        host_arguments = []
        for x, parameter in zip(operands, self._parameters[1:], strict=False):
            if "*" in parameter:
                x = x.held
                assert x.flags.c_contiguous or x.flags.f_contiguous
                flat = x.ravel(order="K")
                host_arguments.append(
                    flat.reshape(-1, int(self._width[1])) if self._width else flat
                )
            else:  # halves are their bits
                host_arguments.append(
                    x.view(np.float16) if parameter.startswith("unsigned short") else x
                )
        host = getattr(np if self._name == "positive" else hc, self._name)
        results = host(*host_arguments, **({} if host is np.positive else {"rounding": self._mode}))
        for out, result in zip(
            outs, results if isinstance(results, tuple) else (results,), strict=True
        ):
            flat = out.held.ravel(order="K")
            assert np.shares_memory(flat, out.held)
            out.held.T.reshape(-1)[...] = 0
            flat[...] = np.ravel(result)


class RawModule:
    def __init__(self, code, options, backend):
        assert (options, backend) == (("--std=c++17",), "nvrtc")
        texts.append(code)
        self._code = code

    def compile(self):
        pass

    def get_function(self, name):
        function = Function(self._code)
        function.kernel = function
        return function


class Device:
    def __init__(self, number=None):
        self.id = number or 0
        self.attributes = {"MultiProcessorCount": 1}

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        pass


class Stream(Device):
    device_id = -1


def copyto(out, x, where=True):
    np.copyto(out.held, x.held, where=getattr(where, "held", where))


def module():
    """In CuPy's place."""
    properties = {"name": b"nothing at all"}
    module = types.ModuleType("cupy")
    module.__dict__.update(
        ndarray=ndarray, RawModule=RawModule, copyto=copyto,
        asarray=lambda x: own(np.array(x)),
        asnumpy=lambda x: x.held,
        empty=lambda shape, dtype, order="C": own(np.empty(shape, dtype, order)),
        broadcast_to=lambda x, shape: own(np.broadcast_to(x.held, shape)),
        ascontiguousarray=lambda x: own(np.array(x.held, order="C")),
        may_share_memory=lambda x, y: np.may_share_memory(x.held, y.held),
        moveaxis=lambda x, source, target: own(np.moveaxis(x.held, source, target)),
        reshape=lambda x, shape: own(x.held.reshape(shape)),
        cuda=types.SimpleNamespace(
            Device=Device, Stream=Stream, ExternalStream=Stream,
            compiler=types.SimpleNamespace(CompileException=SyntaxError),
            runtime=types.SimpleNamespace(
                getDeviceProperties=lambda number: properties, getDevice=lambda: 0,
                deviceGetAttribute=lambda attribute, number: 0,
            ),
        ),
    )  # fmt: skip
    return module
