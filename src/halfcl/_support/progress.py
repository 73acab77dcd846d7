"""Progress bars by tqdm: on a terminal, or a notebook's own."""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib import import_module
from typing import Any

from halfcl._support.pages.notebooks import is_notebook


class Bar:
    """A bar that its first call draws; entering it returns None where nobody would see it.

    options: those of tqdm. Without tqdm there is no bar.
    """

    def __init__(self, **options: object) -> None:
        self._options = options
        self._tqdm: Any = None
        self._bar: Any = None

    def __enter__(self) -> Bar | None:
        if is_notebook() or (sys.stderr is not None and sys.stderr.isatty()):
            with suppress(ImportError):
                self._tqdm = import_module("tqdm.auto").tqdm
        return None if self._tqdm is None else self

    def __call__(self, done: float, total: float, text: str | None = None) -> None:
        """Show how much is done, and a text in front of it."""
        if self._bar is None:  # a notebook's bar keeps the total that it began with
            self._bar = self._tqdm(total=total, **{"desc": text, **self._options})
        elif text is not None:
            self._bar.set_description_str(text, refresh=False)
        self._bar.update(done - self._bar.n)

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.close()
