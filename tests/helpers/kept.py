"""A cache of the oracles' results in a folder, for other processes and for the next run.

The next run uses it where HALFCL_KEPT_RESULTS names the folder.

They take most of the tests' time and do not depend on the instruction set: .ci/run names a
folder of its own, for its runs.
"""

import contextlib
import functools
import hashlib
import os
import pickle
from pathlib import Path

LARGE = 1 << 15  # operands fewer than these are evaluated faster than found


def _path(folder, name, operands):
    digest = hashlib.sha256()
    for operand in operands:
        digest.update(f"{operand.dtype} {operand.shape} ".encode())
        digest.update(operand.tobytes())
    return Path(folder) / f"{name}-{digest.hexdigest()}"


def cache_in_folder(evaluate):
    """Decorate a function of a name and arrays, so that results of many elements are cached."""
    folder = os.environ.get("HALFCL_KEPT_RESULTS")
    if not folder:
        return evaluate

    @functools.wraps(evaluate)
    def cached_evaluate(name, *operands):
        if operands[0].size < LARGE:
            return evaluate(name, *operands)
        path = _path(folder, f"{evaluate.__module__}.{name}", operands)
        if path.exists():
            return pickle.loads(path.read_bytes())
        results = evaluate(name, *operands)
        with contextlib.suppress(OSError):  # no room: the next one evaluates, too
            own = path.with_name(f"{path.name}.{os.getpid()}")  # another may be at it
            own.write_bytes(pickle.dumps(results, protocol=pickle.HIGHEST_PROTOCOL))
            own.replace(path)
        return results

    return cached_evaluate
