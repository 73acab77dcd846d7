"""The cache of translations: private, whole, limited, and never in the way."""

import os
import stat
import subprocess
import sys
import textwrap

import pytest

from halfcl.cl._layer import cache as module
from halfcl.cl._layer.cache import Cache, cache_folder, digest_of_file, key_of

KEY = "0" * 64
ANSWER = {"status": b"ok", "text": b"kernel\0\xff", "log": b""}

on_posix = pytest.mark.skipif(os.name != "posix", reason="modes and owners are of POSIX")


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "halfcl" / "layer"


@pytest.fixture
def cache(folder):
    return Cache(str(folder))


def entry_of(folder):
    (path,) = folder.iterdir()
    return path


def test_answer_is_found_again(cache, folder):
    assert cache.get(KEY) is None
    cache.put(KEY, ANSWER, {})
    assert cache.get(KEY) == ANSWER
    assert Cache(str(folder)).get(KEY) == ANSWER
    assert cache.get("1" * 64) is None


@on_posix
def test_folder_and_entries_are_the_users_alone(cache, folder):
    before = os.umask(0)
    try:
        cache.put(KEY, ANSWER, {})
    finally:
        os.umask(before)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(entry_of(folder).stat().st_mode) == 0o600


@on_posix
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o720, 0o702])
def test_folder_that_others_can_write_to_is_not_used(cache, folder, mode):
    cache.put(KEY, ANSWER, {})
    folder.chmod(mode)
    assert cache.get(KEY) is None
    cache.put("1" * 64, ANSWER, {})
    assert len(list(folder.iterdir())) == 1
    assert "others can write" in cache.problem


@on_posix
def test_link_to_a_folder_is_not_used(cache, folder, tmp_path):
    target = tmp_path / "target"
    target.mkdir(0o700)
    folder.parent.mkdir()
    folder.symlink_to(target)
    cache.put(KEY, ANSWER, {})
    assert cache.get(KEY) is None
    assert not list(target.iterdir())


@on_posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() != 0, reason="needs root")
def test_folder_of_another_user_is_not_used(cache, folder):
    cache.put(KEY, ANSWER, {})
    os.chown(folder, 1234, -1)
    assert cache.get(KEY) is None


@on_posix
def test_entry_that_others_can_write_to_is_a_miss(cache, folder):
    cache.put(KEY, ANSWER, {})
    entry_of(folder).chmod(0o666)
    assert cache.get(KEY) is None
    cache.put(KEY, ANSWER, {})
    assert cache.get(KEY) == ANSWER


@on_posix
@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_entry_of_another_kind_is_a_miss(cache, folder, kind, tmp_path):
    cache.put(KEY, ANSWER, {})
    entry = entry_of(folder)
    moved = entry.rename(tmp_path / "moved")
    if kind == "link":
        entry.symlink_to(moved)
    elif kind == "pipe":
        os.mkfifo(entry, 0o600)
    else:
        entry.mkdir()
    assert cache.get(KEY) is None
    cache.put(KEY, ANSWER, {})
    assert kind == "folder" or cache.get(KEY) == ANSWER
    assert not [path for path in folder.iterdir() if path != entry]


def test_each_broken_byte_is_a_miss(cache, folder):
    cache.put(KEY, ANSWER, {})
    entry = entry_of(folder)
    whole = entry.read_bytes()
    for at in range(len(whole)):
        broken = bytearray(whole)
        broken[at] ^= 0x55
        entry.write_bytes(broken)
        assert cache.get(KEY) is None
        entry.write_bytes(whole[:at])
        assert cache.get(KEY) is None
    entry.write_bytes(whole + b"\0")
    assert cache.get(KEY) is None
    entry.write_bytes(whole)
    assert cache.get(KEY) == ANSWER


def test_changed_new_and_removed_files_are_misses(cache, tmp_path):
    included, earlier = tmp_path / "b.h", tmp_path / "a.h"
    included.write_text("#define N 1")
    searched = {str(path): digest_of_file(str(path)) for path in (included, earlier)}
    cache.put(KEY, ANSWER, searched)
    assert cache.get(KEY) == ANSWER
    included.write_text("#define N 2")
    assert cache.get(KEY) is None
    included.write_text("#define N 1")
    assert cache.get(KEY) == ANSWER
    earlier.write_text("")  # would be included in its place
    assert cache.get(KEY) is None
    earlier.unlink()
    included.unlink()
    assert cache.get(KEY) is None


def test_the_oldest_in_use_are_removed(folder):
    cache = Cache(str(folder), most_bytes=3000)
    answer = {"text": bytes(900)}
    names = [f"{number:064}" for number in range(4)]
    for number, name in enumerate(names):
        module_time = 1_000_000_000 + number
        cache.put(name, answer, {})
        os.utime(folder / f"{name}.translation", (module_time, module_time))
    other = folder / "notes.txt"
    other.write_text("somebody's own")
    os.utime(other, (1, 1))
    assert cache.get(names[0]) == answer  # in use again
    Cache(str(folder), most_bytes=3000).put("9" * 64, answer, {})
    assert cache.get(names[0]) == answer
    assert cache.get(names[1]) is None
    assert cache.get(names[2]) is None
    assert cache.get("9" * 64) == answer
    assert other.exists()


def test_abandoned_files_are_removed_and_those_in_use_stay(cache, folder):
    cache.put(KEY, ANSWER, {})
    old, new = (folder / f"{KEY}.translation.1.{name}" for name in ("old", "new"))
    old.touch()
    new.touch()
    os.utime(old, (1, 1))
    Cache(str(folder)).put(KEY, ANSWER, {})
    assert not old.exists()
    assert new.exists()


def test_answer_that_is_too_large_is_not_kept(cache, folder, monkeypatch):
    monkeypatch.setattr(module, "MOST_BYTES_OF_ENTRY", 100)
    cache.put(KEY, {"text": bytes(101)}, {})
    assert not folder.exists()


@on_posix
def test_full_disk_leaves_nothing(folder):
    program = f"""
        import resource
        from halfcl.cl._layer.cache import Cache
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        Cache({str(folder)!r}).put({KEY!r}, {{"text": bytes(100000)}}, {{}})
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("place", ["file", "missing"])
def test_folder_that_cannot_be_made_is_no_cache(tmp_path, place):
    (tmp_path / "file").write_text("")
    name = tmp_path / "file" / "layer" if place == "file" else "/proc/none/layer"
    cache = Cache(str(name))
    cache.put(KEY, ANSWER, {})
    assert cache.get(KEY) is None


def test_no_folder_is_no_cache():
    cache = Cache(None)
    cache.put(KEY, ANSWER, {})
    assert cache.get(KEY) is None


@pytest.mark.parametrize(
    ("platform", "environment", "expected"),
    [
        ("linux", {"HOME": "/h"}, "/h/.cache/halfcl/layer"),
        ("linux", {"HOME": "/h", "XDG_CACHE_HOME": "/x"}, "/x/halfcl/layer"),
        ("linux", {"HOME": "/h", "XDG_CACHE_HOME": "relative"}, "/h/.cache/halfcl/layer"),
        ("linux", {}, None),
        ("linux", {"HOME": "relative"}, None),
        ("darwin", {"HOME": "/h", "XDG_CACHE_HOME": "/x"}, "/h/Library/Caches/halfcl/layer"),
        ("win32", {"HOME": "/h", "LOCALAPPDATA": "/l"}, "/l/halfcl/layer"),
        ("win32", {"HOME": "/h"}, None),
        ("linux", {"HALFCL_LAYER_CACHE": "/c", "HOME": "/h"}, "/c"),
        ("linux", {"HALFCL_LAYER_CACHE": "off", "HOME": "/h"}, None),
    ],
)
@on_posix
def test_folder_of_each_system(monkeypatch, platform, environment, expected):
    monkeypatch.setattr(module.sys, "platform", platform)
    assert cache_folder(environment) == expected


def test_key_depends_on_every_field_and_not_on_their_order():
    request = {"source": b"a", "options": b"b"}
    keys = {
        key_of(fields, fingerprint)
        for fields in (request, {"source": b"ab", "options": b""}, {**request, "floats": b"device"},
                       {**request, "header:a.h": b""}, {**request, "device.NAME": b"x"})
        for fingerprint in (b"1", b"2")
    }  # fmt: skip
    assert len(keys) == 10
    assert key_of(dict(reversed(request.items())), b"1") == key_of(request, b"1")
