"""What Python imports as it starts, where `halfcl.accelerate` has put this folder on PYTHONPATH.

Any Python may find it, an older one, too: nothing here is newer than Python 2.7, and whatever is
not for that Python is left without a word. Then comes the ``sitecustomize`` that this one hides.
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
# Where there is none, Python expects the error.
import sitecustomize  # type: ignore[import-not-found]  # noqa: E402, F401
