"""Protects the user's files by means of the system: overlay mounts, Landlock, and an audit hook.

An overlay redirects every write below the working folder to the scratch folder of the run, also
writes of C libraries and other programs. Landlock refuses writes elsewhere. The audit hook names
the file in an error.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import stat
import struct
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from halfcl.stability._programs._running.scratch import (
    MEMORY,
    MOST_BYTES,
    Scratch,
    is_below,
    path_of_handle,
    redirect_into,
    resolve,
)

#: A private environment variable for tests: the mechanisms to use, separated by commas.
VARIABLE = "_HALFCL_STABILITY_PROTECTION"

OVERLAY, LANDLOCK, HOOK = "overlay", "landlock", "hook"

#: Names of the mechanisms in reports.
NAMES = {
    OVERLAY: "an overlay mount",
    MEMORY: "an overlay mount whose layer is in memory (at most 1 GiB for each run)",
    LANDLOCK: "Landlock",
    HOOK: "an audit hook",
}

#: Places outside the folder without files of the user: devices, ptys, shared memory.
_SYSTEM = ("/dev", "/proc", os.path.realpath("/dev/shm"))


def _system() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _raise_if_failed(result: int, what: str) -> int:
    """Return the result of a system call; raise an error if it is negative."""
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result


# ---------------------------------------------------------------- the end of the parent

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36


def end_with_parent(parent: int, by: signal.Signals = signal.SIGKILL) -> None:
    """Make the system send this process a signal when its parent ends; on Linux only."""
    if sys.platform != "linux":
        return
    _system().prctl(_PR_SET_PDEATHSIG, by, 0, 0, 0)
    if os.getppid() != parent:  # The parent ended before the signal was requested.
        os._exit(1)


def adopt_orphans() -> None:
    """Make orphaned descendants children of this process; on Linux only."""
    if sys.platform == "linux":
        _system().prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


# ---------------------------------------------------------------- overlay

_NEWNS, _NEWUSER = 0x00020000, 0x10000000
_MS_NOSUID, _MS_NODEV = 0x2, 0x4
_MS_BIND, _MS_REC, _MS_PRIVATE = 0x1000, 0x4000, 0x40000


def mount_overlays(scratch: Scratch) -> None:
    """Mount overlays on the folders of a run, in namespaces of this process.

    All other mounts become read-only there, except the places that the run may write to.

    Raise OSError if the system forbids it, or a file system cannot be a layer.
    """
    has_own_user = _enter_namespaces()
    handles = [os.open(folder, os.O_PATH | os.O_DIRECTORY) for folder in scratch.covered]
    places = {place: os.open(place, os.O_PATH) for place in scratch.allowed}
    inner = [
        place
        for place in places
        if place not in scratch.covered and any(is_below(place, own) for own in scratch.covered)
    ]
    outer = [scratch.root, *_SYSTEM, *(place for place in places if place not in inner)]
    outer = [place for place in outer if os.path.lexists(place)]
    for place in outer:
        _bind(place, place)
    if MEMORY in scratch.means:
        _mount_memory(scratch.layers)
    for number, (folder, lower) in enumerate(zip(scratch.covered, handles, strict=True)):
        upper, work = (
            os.path.join(scratch.layers, f"{name}{number}") for name in ("upper", "merge")
        )
        for layer in (upper, work):
            os.makedirs(layer, exist_ok=True)
        os.chmod(upper, stat.S_IMODE(os.stat(folder).st_mode))
        _mount_overlay(folder, lower, upper, work)
    for place in inner:
        _bind(f"/proc/self/fd/{places[place]}", place)  # The overlay hides the original.
    for handle in (*handles, *places.values()):
        os.close(handle)
    _make_read_only_except([*scratch.covered, *inner, *outer])
    if has_own_user and os.geteuid():
        _drop_capabilities()  # Else the process could write to read-only files.


def _bind(source: str, place: str) -> None:
    """Bind-mount a file or folder, with all mounts below it."""
    flags = _MS_BIND | _MS_REC
    _raise_if_failed(
        _system().mount(os.fsencode(source), os.fsencode(place), None, flags, None), "mount"
    )


def _mount_memory(folder: str) -> None:
    """Mount a file system in memory; it exists until the last process in the namespace ends."""
    os.makedirs(folder, exist_ok=True)
    options = f"size={MOST_BYTES},mode=700".encode()
    flags = _MS_NOSUID | _MS_NODEV
    _raise_if_failed(
        _system().mount(b"halfcl", os.fsencode(folder), b"tmpfs", flags, options), "mount"
    )


_MOUNT_SETATTR = 442
_AT_FDCWD, _AT_SYMLINK_NOFOLLOW, _AT_NO_AUTOMOUNT = -100, 0x100, 0x800
_READ_ONLY = struct.pack("=QQQQ", 1, 0, 0, 0)  # what is set, cleared, propagated, and by whom


def _make_read_only_except(places: Sequence[str]) -> None:
    """Make all mounts outside some places read-only, which also protects modes and times of files.

    Kernels before 5.12 cannot do this; then only Landlock protects the files.
    """
    system, flags = _system(), _AT_SYMLINK_NOFOLLOW | _AT_NO_AUTOMOUNT
    for point in mount_points():
        if not any(is_below(point, place) for place in places):
            system.syscall(
                _MOUNT_SETATTR, _AT_FDCWD, os.fsencode(point), flags, _READ_ONLY,
                ctypes.c_size_t(len(_READ_ONLY)),
            )  # fmt: skip


def _drop_capabilities() -> None:
    header = struct.pack("=Ii", 0x20080522, 0)
    _raise_if_failed(_system().capset(header, bytes(24)), "capset")


def _enter_namespaces() -> bool:
    """Enter a mount namespace of this process, and return whether that needed a user namespace.

    Root needs none; without one, the files of other users keep their owners.
    """
    system, user, group = _system(), os.geteuid(), os.getegid()
    has_own_user = bool(system.unshare(_NEWNS))
    if has_own_user:
        _raise_if_failed(system.unshare(_NEWUSER | _NEWNS), "unshare")
        for name, text in (
            ("setgroups", "deny"), ("uid_map", f"{user} {user} 1"),
            ("gid_map", f"{group} {group} 1"),
        ):  # fmt: skip
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
    _raise_if_failed(system.mount(None, b"/", None, _MS_REC | _MS_PRIVATE, None), "mount")
    return has_own_user


def _mount_overlay(folder: str, lower: int, upper: str, work: str) -> None:
    """Mount an overlay.

    Layers are passed as file descriptors, since paths may contain the separators of options.
    """
    handles = [lower, *(os.open(layer, os.O_PATH) for layer in (upper, work))]
    layers = [f"/proc/self/fd/{handle}" for handle in handles]
    options = "lowerdir={},upperdir={},workdir={}".format(*layers)
    result = -1
    for more in (",userxattr", ""):  # Kernels before 5.11 do not support `userxattr`.
        data = (options + more).encode()
        result = _system().mount(b"overlay", os.fsencode(folder), b"overlay", 0, data)
        if not result:
            break
    code = ctypes.get_errno()
    for handle in handles[1:]:
        os.close(handle)
    if result:
        raise OSError(code, f"mount: {os.strerror(code)}")


def mount_points() -> list[str]:
    """Return the mount points; empty if the system does not list them."""
    points = []
    with contextlib.suppress(OSError), open("/proc/self/mountinfo", "rb") as file:
        for line in file:
            name = line.split()[4].decode("unicode_escape").encode("latin-1")
            points.append(os.fsdecode(name))
    return points


def folders_with_mounts(folders: Sequence[str]) -> list[str]:
    """Return folders and the mount points below them, which one overlay would not show."""
    inner = [p for p in mount_points() if any(is_below(p, folder) for folder in folders)]
    return sorted(dict.fromkeys([*folders, *inner]))


# ---------------------------------------------------------------- Landlock

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_PR_SET_NO_NEW_PRIVS = 38
_ABI = 3  # The first version that restricts truncation.

#: Write, remove, make anything, link and rename across folders, truncate.
_RIGHTS = (1 << 1) | sum(1 << bit for bit in range(4, 15))
_FILE_RIGHTS = (1 << 1) | (1 << 14)


def has_landlock() -> bool:
    """Return whether the kernel supports Landlock with truncation."""
    if sys.platform != "linux":
        return False
    version: int = _system().syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    return version >= _ABI


def restrict_writes(allowed: Sequence[str]) -> None:
    """Restrict the writes of this process and its children to some places."""
    system, rights = _system(), struct.pack("Q", _RIGHTS)
    ruleset = system.syscall(_CREATE_RULESET, rights, ctypes.c_size_t(len(rights)), 0)
    _raise_if_failed(ruleset, "landlock_create_ruleset")
    for path in allowed:
        try:
            handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        known = _RIGHTS if stat.S_ISDIR(os.fstat(handle).st_mode) else _FILE_RIGHTS
        rule = struct.pack("=Qi", known, handle)
        _raise_if_failed(system.syscall(_ADD_RULE, ruleset, 1, rule, 0), "landlock_add_rule")
        os.close(handle)
    _raise_if_failed(system.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl")
    _raise_if_failed(system.syscall(_RESTRICT_SELF, ruleset, 0), "landlock_restrict_self")
    os.close(ruleset)


# ---------------------------------------------------------------- the audit hook

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

#: Audit events: positions of paths in the arguments, and of the open folders they are relative to.
_EVENTS: dict[str, tuple[tuple[int, int | None], ...]] = {
    "os.remove": ((0, 1),), "os.rmdir": ((0, 1),), "os.mkdir": ((0, 2),), "os.chmod": ((0, 2),),
    "os.chown": ((0, 3),), "os.utime": ((0, 3),), "os.truncate": ((0, None),),
    "os.setxattr": ((0, None),), "os.removexattr": ((0, None),), "os.symlink": ((1, 2),),
    "os.link": ((1, 3),), "os.rename": ((0, 2), (1, 3)), "os.chflags": ((0, None),),
}  # fmt: skip

#: Events that change an entry itself, not the target of a link.
_NAME_EVENTS = {"os.remove", "os.rmdir", "os.mkdir", "os.symlink", "os.link", "os.rename"}


def install_audit_hook(
    allowed: Sequence[str], scratch: Scratch, suspend: Callable[[], AbstractContextManager[None]]
) -> None:
    """Refuse writes of this process outside some places, and list them in the folder of the run.

    allowed: files and folders that may be written to, as real paths. scratch: the folder of the
    run. suspend: returns a context in which paths are not redirected.
    """
    places = tuple(allowed)

    def check(path: object, start: object, is_name: bool) -> None:
        if not isinstance(path, int | str | bytes | os.PathLike):
            return
        with suspend():
            whole = (
                _path_of_open_file(path)
                if isinstance(path, int)
                else _path_of_argument(path, start, is_name)
            )
            if any(is_below(whole, place) for place in places) or _is_special(whole):
                return
            scratch.note_refusal(refusal_message(whole))
        raise PermissionError(refusal_message(whole))

    def copy_database(path: object) -> None:
        """Copy a database for SQLite, which opens files in C; refuse files outside the folder."""
        if scratch.covered or not isinstance(path, str | bytes | os.PathLike):
            return
        name = os.fsdecode(path)
        if name and name != ":memory:" and not name.startswith("file:"):
            with suspend():
                scratch.to_write(scratch.intended_path(name))
            if LANDLOCK not in scratch.means:  # Landlock still allows reading.
                check(name, None, False)

    def on_audit_event(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if isinstance(flags, int) and flags & _WRITES and not isinstance(path, int):
                check(path, None, False)
        elif event == "sqlite3.connect":
            copy_database(arguments[0])
        elif event in _EVENTS:
            for path, start in _EVENTS[event]:
                handle = arguments[start] if start is not None else None
                check(arguments[path], handle, event in _NAME_EVENTS)

    sys.addaudithook(on_audit_event)


def _path_of_argument(
    path: str | bytes | os.PathLike[str] | os.PathLike[bytes], start: object, is_name: bool
) -> str:
    """Return the real path of an argument; with `is_name`, its last link is not followed."""
    name = os.fsdecode(path)
    if isinstance(start, int) and start >= 0 and not os.path.isabs(name):
        with contextlib.suppress(OSError):  # If the folder is unknown, use the working folder.
            name = os.path.join(path_of_handle(start), name)
    return resolve(name) if is_name else os.path.realpath(name)


def _path_of_open_file(handle: int) -> str:
    """Return the path of an open file or folder; `os.devnull` if it is neither, or has no name."""
    try:
        state = os.fstat(handle)
        is_harmless = not state.st_nlink or not (
            stat.S_ISREG(state.st_mode) or stat.S_ISDIR(state.st_mode)
        )
        return os.devnull if is_harmless else path_of_handle(handle)
    except OSError:
        return os.devnull  # The handle is closed.


def _is_special(path: str) -> bool:
    """Return whether a path is a device, a pipe or a socket, which store nothing."""
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def refusal_message(path: str) -> str:
    """Return the message of a refused write, with the existing file or folder to allow."""
    place = path
    while not os.path.lexists(place):
        place = os.path.dirname(place)
    return f"writes to {path} outside its folder; --allow-write {place} allows it"


# ---------------------------------------------------------------- a run


def usable_means(probe: Scratch, forks: bool) -> tuple[str, ...]:
    """Return the mechanisms that can protect runs here.

    probe: the folder with which mounting an overlay is tried. forks: whether runs are forks of this
    process; other processes have threads before they can be protected.
    """
    wanted = os.environ.get(VARIABLE, ",".join(NAMES)).split(",")
    means = []
    if sys.platform == "linux" and forks:
        overlays = (name for name in (OVERLAY, MEMORY) if name in wanted)
        means += [name for name in overlays if _can_mount(probe, name)][:1]
        if LANDLOCK in wanted and has_landlock():
            means.append(LANDLOCK)
    return (*means, HOOK)


def _can_mount(scratch: Scratch, name: str) -> bool:
    """Return whether a fork of this process can mount overlays, and write there."""
    if any(is_below(scratch.root, folder) for folder in scratch.covered):
        return False
    number = os.fork()
    if not number:
        status = 1
        try:
            scratch.means = (name,)
            mount_overlays(scratch)
            if os.access(scratch.covered[0], os.W_OK):
                name = f".halfcl-{os.getpid()}"
                place = os.path.join(scratch.covered[0], name)
                os.close(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
                status = int(not os.path.exists(os.path.join(scratch.layers, "upper0", name)))
            else:
                status = 0
        except OSError:
            pass
        finally:
            os._exit(status)
    return os.waitpid(number, 0)[1] == 0


def has_overlay(means: Sequence[str]) -> bool:
    """Return whether an overlay protects the user's files."""
    return OVERLAY in means or MEMORY in means


#: Environment variable with the folder of a run, for Python processes that it starts (`_startup`).
CHILD_VARIABLE = "_HALFCL_STABILITY_RUN"


def protect_children(scratch: Scratch) -> None:
    """Make Python processes that this one starts redirect their writes to the same folder."""
    os.environ[CHILD_VARIABLE] = json.dumps(scratch.arguments())


def protect_child() -> None:
    """Redirect and restrict the writes of this process, which a run has started."""
    scratch = Scratch(*json.loads(os.environ[CHILD_VARIABLE]))
    protect(scratch, redirect_into(scratch), is_child=True)


def protect(
    scratch: Scratch, suspend: Callable[[], AbstractContextManager[None]], is_child: bool = False
) -> None:
    """Refuse all writes of this process outside the folders of the run; this is irrevocable.

    A child inherits Landlock from the process of the run.
    """
    allowed = [*scratch.covered, scratch.root, *_SYSTEM, *scratch.allowed]
    install_audit_hook(allowed, scratch, suspend)
    if LANDLOCK in scratch.means and not is_child:
        restrict_writes(allowed)
