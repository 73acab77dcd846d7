"""The controller by which threadpoolctl (and scikit-learn, joblib) limits halfcl's threads."""

from __future__ import annotations

from threadpoolctl import LibController, register

from halfcl import _core


class HalfclController(LibController):
    """The interface that `threadpoolctl` calls to limit the process's number of threads."""

    user_api = "halfcl"
    internal_api = "halfcl"
    filename_prefixes = ("native",)  # the extension module's, which other packages may have, too
    check_symbols = ("halfcl_threads_of_library",)

    def get_num_threads(self) -> int:
        """Return the number that `halfcl.set_num_threads` has set."""
        return _core.threads_of_process()

    def set_num_threads(self, num_threads: int) -> None:
        """Set the number of threads, clamped to the allowed range."""
        _core.set_threads(max(1, min(num_threads, _core.MAX_THREADS)))

    def get_version(self) -> None:
        """Return None, since the extension module has no version of its own."""


register(HalfclController)
