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
hc.dot(a, a, where=True)  # call-arg
hc.rounding("nearest")  # arg-type
hc.half(1, rounding="RTZ")  # arg-type
hc.Sampler(True, "REPEAT", hc.filter_mode.LINEAR)  # arg-type
hc.convert([0.1], hc.half, rounding="down")  # arg-type
hc.read_imageh(a, (0, 0))  # arg-type
hc.write_imagei(hc.Image.empty(3, "R8"), 0, 1)  # arg-type
