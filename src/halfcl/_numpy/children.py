"""Acceleration in processes that this one starts: by the environment, which they inherit.

``HALFCL_ACCELERATE=1`` accelerates a process that imports halfcl. One that does float16 work of
NumPy's alone never does. So PYTHONPATH gets a folder with a ``sitecustomize``, which every Python
imports as it starts, whoever starts it: `multiprocessing`, joblib, Dask, `subprocess`. A hook in
each of these would have to be written again for the next one. A ``.pth`` file among the installed
packages would run at every start of Python, of those who never asked for it, too; it is not there
where halfcl is run from its sources, and Python 3.18 will ignore code in such files (PEP 829).
"""

from __future__ import annotations

import os

VARIABLE = "HALFCL_ACCELERATE"

_PATH = "PYTHONPATH"
# Not by pathlib, which importing halfcl needs for nothing else.
_FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "_startup")

#: What variables were before this process set them.
_before: dict[str, str | None] = {}


def is_asked_for() -> bool:
    """Whether the environment asks this process to accelerate."""
    value = os.environ.get(VARIABLE, "")
    if value not in ("", "0", "1"):
        raise ImportError(
            f"{VARIABLE}={value[:40]!r}: expected '1' or '0'",
            name="halfcl",  # by which python -m halfcl tells that the message says it all
        )
    return value == "1"


def accelerate_children() -> None:
    """Let processes that start from now on accelerate, unless the environment says otherwise."""
    if not os.environ.get(VARIABLE):
        _set(VARIABLE, "1")
    if os.environ[VARIABLE] == "1":
        put_on_path()


def put_on_path() -> None:
    """Let Python processes that start from now on run the ``sitecustomize``."""
    folders = _folders()
    if _FOLDER not in folders:
        _set(_PATH, os.pathsep.join([_FOLDER, *folders]))


def restore_children() -> None:
    """Put back what `accelerate_children` has set, and what somebody set after it leave."""
    if os.environ.get(VARIABLE) == "1":
        _restore(VARIABLE)
    if _PATH in _before:
        others = [folder for folder in _folders() if folder != _FOLDER]
        if others:
            os.environ[_PATH] = os.pathsep.join(others)
        else:
            _restore(_PATH)
    _before.clear()


def _folders() -> list[str]:
    # Of no text Python makes no folder; of text between two separators it makes the current one.
    text = os.environ.get(_PATH)
    return text.split(os.pathsep) if text else []


def _set(name: str, value: str) -> None:
    _before[name] = os.environ.get(name)
    os.environ[name] = value


def _restore(name: str) -> None:
    if name not in _before:
        return
    before = _before[name]
    if before is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = before
