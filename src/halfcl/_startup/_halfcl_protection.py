"""Protection of the user's files from Python processes that a run of `halfcl.stability` starts.

It loads two modules by their files, since importing halfcl, and NumPy with it, would delay the
start of each process. Errors here are ignored: the system protects the files, too, where it can.
"""

from __future__ import annotations

import os
import sys
from importlib.util import module_from_spec, spec_from_file_location

_PACKAGE = "halfcl.stability._programs._running"
_FOLDER = os.path.join(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
    "stability",
    "_programs",
    "_running",
)


def protect() -> None:
    """Redirect or refuse this process's writes, as those of the run."""
    names = [f"{_PACKAGE}.{name}" for name in ("scratch", "protecting")]
    try:
        for name in names:  # each imports those before it from `sys.modules`
            spec = spec_from_file_location(
                name, os.path.join(_FOLDER, f"{name.rpartition('.')[2]}.py")
            )
            if spec is None or spec.loader is None:
                return
            sys.modules[name] = module = module_from_spec(spec)
            spec.loader.exec_module(module)
        sys.modules[names[-1]].protect_child()
    except Exception:  # the files may be another version's
        pass
    finally:
        for name in names:
            sys.modules.pop(name, None)
