"""Files that this version and releases store are read unchanged, and names still exist.

tools/make_golden.py writes a folder of tests/data/golden for each release; there is none before the
first tag. docs/project/promises.md has the promise.
"""

import json
import pickle
import re
import sys
from importlib import import_module

import numpy as np
import pytest
from places import ROOT, TESTS

from halfcl.reductions import Accumulator

pytestmark = pytest.mark.once

GOLDEN = TESTS / "data" / "golden"
if not (ROOT / "tools" / "make_golden.py").exists():
    pytest.skip("the sources are not beside the tests", allow_module_level=True)
sys.path.append(str(ROOT / "tools"))

import make_golden  # noqa: E402

VERSIONS = sorted(path.name for path in GOLDEN.iterdir()) if GOLDEN.exists() else []


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


@pytest.fixture(scope="module", params=["now", *VERSIONS])
def folder(request, tmp_path_factory):
    """Return the folder of a release, or what the tool writes now."""
    if request.param in VERSIONS:
        return GOLDEN / request.param
    if sys.byteorder != "little":
        pytest.skip("the files are a little-endian machine's")
    folder = tmp_path_factory.mktemp("golden") / "now"
    make_golden.write(folder)
    return folder


def read_list(folder, name):
    return json.loads((folder / name).read_text(encoding="ascii"))


@pytest.mark.skipif(sys.byteorder != "little", reason="the files are a little-endian machine's")
def test_stored_files_are_read(folder):
    for file, expected in read_list(folder, "reads.json").items():
        path = folder / file
        assert READ[path.suffix](path) == expected, file


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


def test_every_file_is_tested(folder):
    there = {path.name for path in folder.iterdir()}
    assert there == {*read_list(folder, "reads.json"), "reads.json", "names.json"}


def test_names_still_exist(folder):
    """Names still have their parameters or members, in their order; there may be more."""
    for module, groups in read_list(folder, "names.json").items():
        for parameters, names in groups.items():
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


def test_existing_folder_is_not_written_again(folder):
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(SystemExit, match="stays"):
        make_golden.write(folder)
    assert files == {path.name: path.read_bytes() for path in folder.iterdir()}
