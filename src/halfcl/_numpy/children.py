"""Acceleration of child processes, by environment variables, which they inherit.

``HALFCL_ACCELERATE=1`` accelerates a process that imports halfcl. A process that only uses NumPy's
float16 never imports it. Therefore a folder with a ``sitecustomize`` is put on PYTHONPATH: every
Python process imports that when it starts, whether `multiprocessing`, joblib, Dask or `subprocess`
starts it. Hooks in each of these libraries would not cover the next one. A ``.pth`` file among the
installed packages would run at every start of Python, also for users who never asked for it; it
does not exist when halfcl is run from its sources, and Python 3.18 will ignore code in such files
(PEP 829).
"""

from __future__ import annotations

import os

VARIABLE = "HALFCL_ACCELERATE"
#: Whether products of float16 are exact in an accelerated process, unless it decides otherwise.
EXACT_PRODUCTS = "HALFCL_EXACT_PRODUCTS"

_PATH = "PYTHONPATH"
# os.path rather than pathlib, since importing halfcl needs pathlib for nothing else.
_FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "_startup")

#: The values of variables before this process set them, and those that it has set last.
_before: dict[str, str | None] = {}
_set_by_us: dict[str, str] = {}


def is_requested() -> bool:
    """Return whether the environment asks this process to accelerate."""
    return _read_switch(VARIABLE, default=False)


def are_products_exact() -> bool:
    """Return whether products are exact by the environment, which may forbid it."""
    return _read_switch(EXACT_PRODUCTS, default=True)


def _read_switch(name: str, *, default: bool) -> bool:
    value = os.environ.get(name, "")
    if value not in ("", "0", "1"):
        raise ImportError(
            f"{name}={value[:40]!r}: expected '1' or '0'",
            name="halfcl",  # python -m halfcl then prints the message without a traceback
        )
    return value == "1" if value else default


def accelerate_children(*, exact_products: bool) -> None:
    """Make processes that start from now on accelerate, unless the environment forbids it."""
    if not os.environ.get(VARIABLE):
        _set(VARIABLE, "1")
    if os.environ[VARIABLE] == "1":
        put_on_path()
        if (os.environ.get(EXACT_PRODUCTS) != "0") is not exact_products:
            _set(EXACT_PRODUCTS, "1" if exact_products else "0")


def put_on_path() -> None:
    """Make Python processes that start from now on run the ``sitecustomize``."""
    folders = _folders()
    if _FOLDER not in folders:
        _set(_PATH, os.pathsep.join([_FOLDER, *folders]))


def restore_children() -> None:
    """Restore variables that `accelerate_children` has set, unless they were changed since."""
    if os.environ.get(VARIABLE) == "1":
        _restore(VARIABLE)
    if os.environ.get(EXACT_PRODUCTS) == _set_by_us.get(EXACT_PRODUCTS):
        _restore(EXACT_PRODUCTS)
    if _PATH in _before:
        others = [folder for folder in _folders() if folder != _FOLDER]
        if others:
            os.environ[_PATH] = os.pathsep.join(others)
        else:
            _restore(_PATH)
    _before.clear()
    _set_by_us.clear()


def _folders() -> list[str]:
    # An empty variable means no folder, but an empty item between two separators means the current
    # folder.
    text = os.environ.get(_PATH)
    return text.split(os.pathsep) if text else []


def _set(name: str, value: str) -> None:
    _before.setdefault(name, os.environ.get(name))
    _set_by_us[name] = os.environ[name] = value


def _restore(name: str) -> None:
    if name not in _before:
        return
    before = _before[name]
    if before is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = before
