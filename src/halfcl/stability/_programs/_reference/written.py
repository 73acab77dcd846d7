"""Records what a program has written at one moment of its run."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from halfcl.stability._programs._recording import watching
from halfcl.stability._programs._recording.numbers import parse_numbers, read_output
from halfcl.stability._programs._running.child import STDOUT
from halfcl.stability._programs._running.scratch import Scratch


@dataclass(frozen=True)
class Written:
    """The output of a program up to one moment.

    watched: the number of calls that recorded each watched result. printed: how many numbers are on
    standard output. files: digests of the contents of files, by the user's name.
    """

    watched: Mapping[str, int] = field(default_factory=dict)
    printed: int = 0
    files: Mapping[str, bytes] = field(default_factory=dict)

    def until(self, other: Written | None) -> Written:
        """Return what was also written at another moment, which another thread may have noted."""
        if other is None:
            return self
        watched = {name: min(n, other.watched.get(name, 0)) for name, n in self.watched.items()}
        files = dict(self.files.items() & other.files.items())
        return Written(watched, min(self.printed, other.printed), files)


NOTHING = Written()


def look_at(scratch: Scratch) -> Written:
    """Return what the program of this process has written.

    What it holds back in buffers counts as written later.
    """
    with contextlib.suppress(Exception):  # It may be an object of the program's own.
        sys.stdout.flush()
    return Written(watching.count_calls(), _count_printed(scratch), digests_of_files(scratch))


def _count_printed(scratch: Scratch) -> int:
    """Return how many numbers are printed; one that ends the text may be going on."""
    text = read_output(os.path.join(scratch.root, STDOUT))[0]
    count = int(parse_numbers(text)[0].size)
    return count if not text or text[-1].isspace() else max(0, count - 1)


def digests_of_files(scratch: Scratch) -> dict[str, bytes]:
    """Return digests of the files that the program has written, by the user's name."""
    return dict(_digests(scratch.written_files(scratch.layers)))


def _digests(files: Iterable[tuple[str, str]]) -> Iterable[tuple[str, bytes]]:
    for name, path in files:
        try:
            with open(path, "rb") as file:
                yield name, hashlib.file_digest(file, "sha256").digest()
        except OSError:  # It may not be read: then it is not known to be the same in the end.
            continue
