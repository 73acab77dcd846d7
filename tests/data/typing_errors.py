"""Lines that a type checker has to refuse, each for the reason in its comment."""

import numpy as np

import halfcl as hc

a = np.ones(3, hc.half)
hc.exp(a, rounding="up")  # call-overload
hc.expp(a)  # attr-defined
hc.exp()  # call-overload
hc.exp(a, rouding="rtp")  # call-overload
hc.add(a)  # call-overload
hc.frexp(a, out=a)  # call-overload
hc.dot(a, a, where=True)  # call-arg
hc.exp_up(a)  # attr-defined
hc.convert_int5(a)  # attr-defined
hc.convert_half_sat(a)  # attr-defined
hc.convert_int4_rtz(a, rounding="rtp")  # call-arg
hc.vload_half4(0, a, rounding="rtp")  # call-arg
hc.vstore_half(0.1, 0, a, rounding="down")  # arg-type
hc.rounding("nearest")  # arg-type
hc.half(1, rounding="RTZ")  # arg-type
print(hc.np)  # attr-defined
hc.Sampler(True, "REPEAT", hc.filter_mode.LINEAR)  # arg-type
hc.read_imageh(a, (0, 0))  # arg-type
hc.write_imagei(hc.Image.empty(3, "R8"), 0, 1)  # arg-type
