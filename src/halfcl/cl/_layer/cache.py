"""Translations in a folder of the user's: found again by the hash of all that they depend on.

An entry is a file of text fields, which is never executed. It is written under another name and
renamed, and has a digest of its content. The folder is used only if it is the user's and nobody
else can write to it. Whatever goes wrong with the folder or a file, there is no entry then.
"""

from __future__ import annotations

import io
import os
import stat
import sys
import time

from halfcl.cl._layer.protocol import ProtocolError, Suppress, encode, read_message

TYPE_CHECKING = False

if TYPE_CHECKING:
    import hashlib
    from collections.abc import Mapping

    from halfcl.cl._layer.protocol import Fields

#: Size of all entries at which the oldest are removed, and of the largest one.
MOST_BYTES = 64 << 20
MOST_BYTES_OF_ENTRY = 8 << 20

#: How many entries are written between two looks at the size of all.
_WRITES = 64

#: Seconds after which a temporary file belongs to no process.
_ABANDONED = 3600.0

#: How much of a file is read at once.
_PIECE = 1 << 20

_MAGIC = b"halfcl layer 1\n"
_SUFFIX = ".translation"
_SEARCHED = "searched:"
_ABSENT = b"-"

#: Others may not write; the user may use it.
_OTHERS = stat.S_IWGRP | stat.S_IWOTH

#: Whether files are opened relative to an open folder, which nobody can replace meanwhile.
_HAS_FOLDERS = os.open in os.supports_dir_fd and hasattr(os, "O_DIRECTORY")
_PRIVATE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def cache_folder(environment: Mapping[str, str]) -> str | None:
    """Return the folder of the cache; None if there is none."""
    chosen = environment.get("HALFCL_LAYER_CACHE", "")
    if chosen:
        return None if chosen == "off" else os.path.abspath(chosen)
    if sys.platform == "win32":
        base = environment.get("LOCALAPPDATA", "")
    elif sys.platform == "darwin":
        base = _in_home(environment, "Library", "Caches")
    else:
        base = environment.get("XDG_CACHE_HOME", "")
        if not os.path.isabs(base):  # as its specification has it
            base = _in_home(environment, ".cache")
    return os.path.join(base, "halfcl", "layer") if os.path.isabs(base) else None


def _in_home(environment: Mapping[str, str], *names: str) -> str:
    home = environment.get("HOME", "")
    return os.path.join(home, *names) if home else ""


def sha256(data: bytes = b"") -> hashlib._Hash:
    """Return a digest that begins with some bytes."""
    import hashlib  # which loads OpenSSL

    return hashlib.sha256(data)


def key_of(request: Fields, fingerprint: bytes) -> str:
    """Return the name of the entry of a request. fingerprint: of what translates."""
    fields = {"fingerprint": fingerprint, **request}
    return sha256(encode(dict(sorted(fields.items())))).hexdigest()


def digest_of_file(path: str) -> bytes:
    """Return the digest of a file's content, or a mark if there is no such file."""
    try:
        with open(path, "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return _ABSENT
            digest = sha256()
            while piece := file.read(_PIECE):
                digest.update(piece)
            return digest.hexdigest().encode()
    except (OSError, ValueError):
        return _ABSENT


class Cache:
    """The entries in a folder. None: there are none."""

    def __init__(self, folder: str | None, most_bytes: int = MOST_BYTES) -> None:
        self._folder, self._most_bytes = folder, most_bytes
        self._writes = 0
        #: A sentence about a folder that is not used.
        self.problem = ""

    def get(self, key: str) -> dict[str, bytes] | None:
        """Return an entry whose files have the contents that they had; None if there is none."""
        with Suppress(OSError), _Folder(self._open(creates=False)) as folder:
            name = f"{key}{_SUFFIX}"
            data = _read_file(folder, name)
            fields = None if data is None else _decode(data)
            if fields is None:
                return None
            searched = {k: v for k, v in fields.items() if k.startswith(_SEARCHED)}
            if any(digest_of_file(k.removeprefix(_SEARCHED)) != v for k, v in searched.items()):
                return None
            with Suppress(OSError):  # the oldest in use goes last
                os.utime(_at(folder, name), dir_fd=_dir_fd(folder))
            return {k: v for k, v in fields.items() if k not in searched}
        return None

    def put(self, key: str, answer: Fields, searched: Mapping[str, bytes]) -> None:
        """Keep an answer. searched: digests of files that it depends on, by full path."""
        fields = {**answer, **{f"{_SEARCHED}{path}": d for path, d in searched.items()}}
        body = encode(fields)
        if len(body) > MOST_BYTES_OF_ENTRY:
            return
        with Suppress(OSError), _Folder(self._open(creates=True)) as folder:
            data = b"".join([_MAGIC, sha256(body).digest(), body])
            _write_file(folder, f"{key}{_SUFFIX}", data)
            if self._writes % _WRITES == 0:
                _remove_oldest(folder, self._most_bytes)
            self._writes += 1

    def _open(self, creates: bool) -> str | int:
        """Return the folder, open where the system has that; raise OSError if it is not used."""
        path = self._folder
        if path is None:
            raise FileNotFoundError
        if creates:
            os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
            with Suppress(FileExistsError):
                os.mkdir(path, 0o700)
        if not _HAS_FOLDERS:
            self._check(os.lstat(path))
            return path
        number = os.open(path, os.O_RDONLY | os.O_DIRECTORY | _PRIVATE)
        try:
            self._check(os.fstat(number))
        except BaseException:
            os.close(number)
            raise
        return number

    def _check(self, status: os.stat_result) -> None:
        """Raise PermissionError unless a folder is the user's alone to write to."""
        if not stat.S_ISDIR(status.st_mode) or not _is_private(status):
            self.problem = f"{self._folder}: not used as a cache, since others can write to it"
            raise PermissionError(self.problem)


class _Folder:
    """The folder of a cache, which is closed behind a `with` if it is open."""

    def __init__(self, folder: str | int) -> None:
        self._folder = folder

    def __enter__(self) -> str | int:
        return self._folder

    def __exit__(self, *_: object) -> None:
        if isinstance(self._folder, int):
            os.close(self._folder)


def _is_private(status: os.stat_result) -> bool:
    if sys.platform == "win32":  # where the user's folders are the user's by their place
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & _OTHERS


def _dir_fd(folder: str | int) -> int | None:
    return folder if isinstance(folder, int) else None


def _at(folder: str | int, name: str) -> str:
    return name if isinstance(folder, int) else os.path.join(folder, name)


def _read_file(folder: str | int, name: str) -> bytes | None:
    """Return the content of a file; None if it is none, too long, or others can write to it."""
    # Without waiting, since a pipe would have no writer.
    flags = os.O_RDONLY | _PRIVATE | getattr(os, "O_NONBLOCK", 0)
    number = os.open(_at(folder, name), flags, dir_fd=_dir_fd(folder))
    with open(number, "rb") as file:
        status = os.fstat(number)
        if not stat.S_ISREG(status.st_mode) or not _is_private(status):
            return None
        most = MOST_BYTES_OF_ENTRY + 1024
        data = file.read(most) if status.st_size < most else b""
    return data


def _decode(data: bytes) -> dict[str, bytes] | None:
    """Return the fields of an entry; None if it is broken."""
    start = len(_MAGIC) + sha256().digest_size
    body = data[start:]
    if data[:start] != _MAGIC + sha256(body).digest():
        return None
    with Suppress(ProtocolError):
        return read_message(io.BytesIO(body))
    return None


def _write_file(folder: str | int, name: str, data: bytes) -> None:
    """Write a file whole: under another name first, which is removed if that fails."""
    temporary = f"{name}.{os.getpid()}.{os.urandom(4).hex()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _PRIVATE
    number = os.open(_at(folder, temporary), flags, 0o600, dir_fd=_dir_fd(folder))
    try:
        with open(number, "wb") as file:
            file.write(data)
        fd = _dir_fd(folder)
        os.replace(_at(folder, temporary), _at(folder, name), src_dir_fd=fd, dst_dir_fd=fd)
    except BaseException:
        with Suppress(OSError):
            os.remove(_at(folder, temporary), dir_fd=_dir_fd(folder))
        raise


def _remove_oldest(folder: str | int, most_bytes: int) -> None:
    """Remove the files that were used the longest ago, until the others need less."""
    files: list[tuple[float, int, str]] = []
    now = time.time()
    for entry in os.scandir(folder):
        if _SUFFIX not in entry.name:
            continue  # somebody else's
        with Suppress(OSError):
            status = entry.stat(follow_symlinks=False)
            is_abandoned = not entry.name.endswith(_SUFFIX) and status.st_mtime < now - _ABANDONED
            files.append((0.0 if is_abandoned else status.st_mtime, status.st_size, entry.name))
    total = sum(size for _, size, _ in files)
    for used_at, size, name in sorted(files):
        if used_at and total <= most_bytes:
            return
        with Suppress(OSError):
            os.remove(_at(folder, name), dir_fd=_dir_fd(folder))
        total -= size
