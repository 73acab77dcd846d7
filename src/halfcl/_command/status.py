"""Exit statuses that all commands share."""

from __future__ import annotations

#: All is well; the command found something that should not be; an argument, a file or a missing
#: package, which is the user's to mend; stopped by the keyboard, as shells say it.
DONE, FOUND, USER_ERROR, INTERRUPTED = 0, 1, 2, 130
