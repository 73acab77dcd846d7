"""The translator's loop: requests come in, answers go out, from the cache or translated."""

from __future__ import annotations

import os
import sys

from halfcl.cl._layer import protocol
from halfcl.cl._layer.cache import Cache, digest_of_file, key_of, sha256
from halfcl.cl._layer.protocol import ProtocolError, Suppress, encode, read_message

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Protocol, TypeAlias

    from halfcl.cl._layer.protocol import Fields, Reader

    #: A function that translates: the answer, and the paths at which files were searched; None: it
    #: may have searched others, so that the answer is not kept.
    Translate: TypeAlias = Callable[[Fields], tuple[dict[str, bytes], list[str] | None]]

    class Writer(Protocol):
        """A stream that takes bytes."""

        def write(self, data: bytes, /) -> object: ...
        def flush(self) -> object: ...


#: The folder of the package halfcl.
PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Server:
    """The answers to requests. translate: makes those that are not kept."""

    def __init__(self, translate: Translate, cache: Cache) -> None:
        self._translate, self._cache = translate, cache
        self._fingerprint: bytes | None = None
        self._has_reported = False

    def answer(self, request: Fields) -> dict[str, bytes]:
        """Answer one request; whatever happens, by fields."""
        command = request.get("command", b"")
        if command == b"hello":
            version = package_version()
            return {"status": b"ok", "protocol": protocol.VERSION.encode(), "version": version}
        if command != b"translate":
            return failure(f"expected translate or hello, got {command!r}")
        try:
            return self._answer_translate(request)
        except Exception as error:
            import traceback

            log(traceback.format_exc())
            return failure(f"{type(error).__name__}: {error}")

    def _answer_translate(self, request: Fields) -> dict[str, bytes]:
        if folder := request.get("folder"):  # to which -I and quoted names are relative
            with Suppress(OSError):
                os.chdir(folder)
        if _is_translation(request):
            return {"status": b"ok", "passes": b"untouched"}
        key = key_of({"folder": os.fsencode(_working_folder()), **request}, self.fingerprint())
        answer = self._cache.get(key)
        if answer is not None:
            return answer
        answer, searched = self._translate(request)
        if searched is not None:
            paths = map(os.path.abspath, searched)
            self._cache.put(key, answer, {path: digest_of_file(path) for path in paths})
            if self._cache.problem and not self._has_reported:
                self._has_reported = True
                log(self._cache.problem)
        return answer

    def fingerprint(self) -> bytes:
        """Return bytes that change with halfcl and its compiler."""
        if self._fingerprint is None:
            self._fingerprint = _fingerprint()
        return self._fingerprint


def serve(server: Server, reader: Reader, writer: Writer) -> None:
    """Answer requests until the stream ends, or a message is malformed."""
    while True:
        is_readable = True
        try:
            request = read_message(reader)
            if request is None:
                return
            answer = server.answer(request)
        except (ProtocolError, MemoryError) as error:
            is_readable = False
            answer = failure(f"{type(error).__name__}: {error}")
        except OSError:  # the program has ended
            return
        try:
            writer.write(encode(answer))
            writer.flush()
        except OSError:
            return
        if not is_readable:
            return


def _is_translation(request: Fields) -> bool:
    """Return whether a text has halfcl's functions already, as `halfcl.cl.translate` returns it."""
    return b"\n#define HCI_FUNCTION " in request.get("source", b"")


def failure(why: str) -> dict[str, bytes]:
    """Return the answer for what the translator itself could not do."""
    message = f"error: halfcl's translator failed: {why}\n"
    return {"status": b"failed", "log": message.encode("utf-8", "backslashreplace")}


def log(text: str) -> None:
    """Append lines to the layer's log, if there is one."""
    name = os.environ.get("HALFCL_LAYER_LOG", "")
    lines = [f"halfcl layer: {os.getpid()}: {line}\n" for line in text.splitlines()]
    with Suppress(OSError):
        if name == "-":
            sys.stderr.writelines(lines)
            sys.stderr.flush()
        elif name:
            with open(name, "a", encoding="utf-8", errors="backslashreplace") as file:
                file.write("".join(lines))


# ---------------------------------------------------------------- what is cached


def package_version() -> bytes:
    """Return halfcl's version without importing it."""
    with open(os.path.join(PACKAGE, "__init__.py"), "rb") as file:
        version = file.read().partition(b'\n__version__ = "')[2]
    return version.partition(b'"')[0] or b"unknown"


def _fingerprint() -> bytes:
    """Return the digest of halfcl's version, and of the names, sizes and times of its files."""
    digest = sha256(package_version())
    for path in sorted(_files_of_translation()):
        status = os.stat(path)
        digest.update(f"\n{path}\0{status.st_size}\0{status.st_mtime_ns}".encode(
            "utf-8", "surrogateescape"))  # fmt: skip
    return digest.digest()


def _files_of_translation() -> Iterator[str]:
    """Yield the files of which a translation is made: the package's, and libclang."""
    for folder, folders, names in os.walk(PACKAGE):
        folders[:] = [name for name in folders if name != "__pycache__"]
        endings = (".py", ".h", ".so", ".pyd")
        yield from (os.path.join(folder, name) for name in names if name.endswith(endings))
    for folder in sys.path:
        library = os.path.join(folder, "clang", "cindex.py")
        if os.path.isfile(library):
            yield library
            return


def _working_folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it has been removed
        return ""
