"""The extension module ``native``: all code that uses NumPy's C API.

The stub beside this file lists what other parts use of it.
"""

from halfcl._core.native import *  # noqa: F403
