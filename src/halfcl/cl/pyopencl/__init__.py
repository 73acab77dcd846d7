"""pyopencl's `Program`, with halfcl behind it: translated for the device, or checked on the host.

    from halfcl.cl.pyopencl import Program  # in place of pyopencl.Program

Everything else is pyopencl's own: contexts, queues, buffers, images, events and arrays.
"""

from halfcl._support.names import publish
from halfcl.cl.pyopencl._installing import install, uninstall
from halfcl.cl.pyopencl._program import Program

__all__ = ["Program", "install", "uninstall"]

publish(globals())
