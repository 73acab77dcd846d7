"""A start hook that imports halfcl, which then accelerates, once a process has imported NumPy.

A process that never needs NumPy starts as fast as without it: even `contextlib` would be one of
the costly modules here. `halfcl._numpy.children` explains how this comes to run. Errors here are
ignored: a process starts as it would without halfcl.
"""

# ruff: noqa: SIM105

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # instead of `typing`, which is a costly module
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType


class _AfterNumPy:
    """A finder that imports halfcl after NumPy, and finds nothing by itself.

    It stays until NumPy is imported, since code that only checks for NumPy asks for a spec, too.
    """

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != "numpy":
            return None
        finders = sys.meta_path
        # Ask only the finders after this one, since two of its kind would recur without end.
        for finder in finders[finders.index(self) + 1 if self in finders else 0 :]:
            find = getattr(finder, "find_spec", None)
            spec: ModuleSpec | None = find and find(name, path, target)
            if spec is not None:
                try:
                    self._follow(spec)
                except AttributeError:  # the loader is not Python's own
                    pass
                return spec
        return None

    def _follow(self, spec: ModuleSpec) -> None:
        """Let the spec's loader import halfcl at the end."""
        loader = spec.loader
        if loader is None:  # a folder without code
            return
        load = loader.exec_module

        def load_both(module: ModuleType) -> None:
            load(module)
            # Assign a new list, since other threads may be iterating over the old one.
            sys.meta_path = [finder for finder in sys.meta_path if finder is not self]
            accelerate()

        loader.exec_module = load_both  # type: ignore[method-assign]


def accelerate() -> None:
    """If the environment still asks for it, and halfcl is there."""
    if os.environ.get("HALFCL_ACCELERATE") == "1":
        try:
            import halfcl  # noqa: F401
        except Exception:  # it may be another Python's, or not installed
            pass


def wait_for_numpy() -> None:
    """Accelerate once there is a NumPy."""
    if "numpy" in sys.modules:
        accelerate()
    else:
        sys.meta_path.insert(0, _AfterNumPy())
