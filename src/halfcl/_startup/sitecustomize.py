"""Python's start hook, in a folder that `halfcl.accelerate` puts on PYTHONPATH.

Any Python may find it, older ones included: nothing here is newer than Python 2.7, and whatever
does not suit that Python is skipped silently. It then imports the ``sitecustomize`` that it hides.
"""

import os
import sys

if sys.version_info >= (3, 11) and os.environ.get("_HALFCL_STABILITY_RUN"):
    import _halfcl_protection  # type: ignore[import-not-found]  # beside this file

    _halfcl_protection.protect()
if sys.version_info >= (3, 11) and os.environ.get("HALFCL_ACCELERATE") == "1":
    import _halfcl_startup  # type: ignore[import-not-found]  # beside this file

    _halfcl_startup.wait_for_numpy()

_here = os.path.normcase(os.path.abspath(os.path.dirname(__file__)))
sys.path[:] = [x for x in sys.path if os.path.normcase(os.path.abspath(x)) != _here]
del sys.modules["sitecustomize"]
# Let the error pass if there is none, as Python expects it.
import sitecustomize  # type: ignore[import-not-found]  # noqa: E402, F401
