"""Lines that a type checker has to refuse, each for the reason in its comment."""

import numpy as np

import halfcl as hc

a = np.ones(3, hc.half)
hc.exp(a, rounding="up")  # call-overload
hc.exp()  # call-overload
hc.exp(a, rouding="rtp")  # call-overload
hc.add(a)  # call-overload
hc.add(a, a, casting="never")  # call-overload
hc.add(a, a, axis=0)  # call-overload
hc.normalize(a, where=True)  # call-overload
hc.frexp(a, out=a)  # call-overload
hc.dot(a, a, where=True)  # call-overload
hc.rounding("nearest")  # arg-type
hc.half(1, rounding="RTZ")  # call-overload
hc.Sampler(True, "REPEAT", hc.filter_mode.LINEAR)  # arg-type
hc.convert([0.1], hc.half, rounding="down")  # call-overload
hc.read_imageh(a, (0, 0))  # arg-type
hc.write_imagei(hc.Image.empty(3, "R8"), 0, 1)  # arg-type

# What no function of halves accepts when it runs, either.
hc.exp("a")  # call-overload
hc.exp(np.ones(3))  # arg-type
hc.exp(1j)  # call-overload
hc.sum("a")  # call-overload
hc.sum(np.ones(3))  # arg-type
hc.pown(a, 0.5)  # call-overload
hc.any(hc.half(1))  # arg-type
hc.half([1, 2]).hex()  # attr-defined
hc.parse(1.5)  # call-overload
print(hc.interval.Interval(1).lower)  # attr-defined
