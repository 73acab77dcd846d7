"""Files that earlier versions stored are read unchanged, and their names still exist.

tests/data/golden has them, by tools/make_golden.py; docs/project/promises.md has the promise.
"""

import json
import pickle
import re
import sys
from importlib import import_module

import numpy as np
import pytest
from places import ROOT, TESTS

import halfcl as hc
from halfcl.reductions import Accumulator

pytestmark = pytest.mark.once

GOLDEN = TESTS / "data" / "golden"
if not (ROOT / "tools" / "make_golden.py").exists():
    pytest.skip("the sources are not beside the tests", allow_module_level=True)
sys.path.append(str(ROOT / "tools"))

import make_golden  # noqa: E402

VERSIONS = sorted(path.name for path in GOLDEN.iterdir())


def read_pickle(path):
    return make_golden.describe(pickle.loads(path.read_bytes()))


def read_npz(path):
    with np.load(path) as arrays:
        return {name: make_golden.describe(arrays[name]) for name in arrays.files}


READ = {
    ".pickle": read_pickle,
    ".npy": lambda path: make_golden.describe(np.load(path)),
    ".npz": read_npz,
    ".bytes": lambda path: make_golden.describe(Accumulator.from_bytes(path.read_bytes())),
}


def expected_reads(version):
    return json.loads((GOLDEN / version / "reads.json").read_text(encoding="ascii"))


def files():
    return [(version, file) for version in VERSIONS for file in expected_reads(version)]


@pytest.mark.skipif(sys.byteorder != "little", reason="the files are a little-endian machine's")
@pytest.mark.parametrize(("version", "file"), files())
def test_stored_files_are_read(version, file):
    path = GOLDEN / version / file
    assert READ[path.suffix](path) == expected_reads(version)[file]


@pytest.mark.parametrize("name", make_golden.PICKLED)
def test_pickles_name_only_public_modules(name):
    """Pickles name only public modules, so that modules with an underscore can move."""
    text = pickle.dumps(make_golden.PICKLED[name](), 0)
    named = set(re.findall(rb"^c(halfcl[\w.]*)$", text, re.MULTILINE))
    assert named <= {module.encode() for module in make_golden.MODULES}


def test_padding_of_fields_is_ignored():
    array = make_golden.structured_array()
    other = array.copy()
    other.view(np.uint8).reshape(len(other), -1)[:, 2:4] = 255  # between x and n
    assert other.tobytes() != array.tobytes()
    assert make_golden.describe(other) == make_golden.describe(array)


@pytest.mark.parametrize("version", VERSIONS)
def test_every_file_is_tested(version):
    there = {path.name for path in (GOLDEN / version).iterdir()}
    assert there == {*expected_reads(version), "reads.json", "names.json"}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("module", make_golden.MODULES)
def test_names_still_exist(version, module):
    """Names still have their parameters or members, in their order; there may be more."""
    listed = json.loads((GOLDEN / version / "names.json").read_text(encoding="ascii"))
    for parameters, names in listed.get(module, {}).items():
        had = parameters.split(", ")
        for name in names:
            thing = getattr(import_module(module), name)
            if parameters:
                have = make_golden.parameters(thing).split(", ")
                assert [one for one in have if one in had] == had, f"{module}.{name}"


def test_a_release_has_its_files():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.findall(r"^## (\d+\.\d+\.\d+) ", changelog, re.MULTILINE)
    assert set(released) <= set(VERSIONS), "python tools/make_golden.py"


def test_this_version_stores_what_it_reads():
    """Files written now, by every maker, are read, also those that no release has written yet."""
    stored, reads = make_golden.golden_files()
    assert stored.keys() == reads.keys()
    for file, data in stored.items():
        read = Accumulator.from_bytes if file.endswith(".bytes") else pickle.loads
        assert make_golden.describe(read(data)) == reads[file], file


def test_existing_files_are_not_written_again(tmp_path, monkeypatch):
    monkeypatch.setattr(make_golden, "FOLDER", tmp_path)
    folder = tmp_path / hc.__version__
    make_golden.write(folder)
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(SystemExit, match="stays"):
        make_golden.write(folder)
    assert files == {path.name: path.read_bytes() for path in folder.iterdir()}
