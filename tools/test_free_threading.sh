#!/usr/bin/env bash
# halfcl without the interpreter's lock: the tests that many threads have a part in, and what goes
# through every part of the extension module. PYTHON: a free-threaded interpreter with halfcl,
# pytest, pytest-xdist, hypothesis and gmpy2. TESTS: the files of tests to run, "all" for all, which
# need the extra "test". Arguments are pytest's.
set -euo pipefail
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-python}
some="core/test_free_threading settings/test_rounding settings/test_regions core/test_dtype
    core/test_scalar settings/test_threads opencl/test_memory vectors/test_types
    core/test_shapes tables/test_signatures core/test_modes numpy/test_acceleration
    numpy/test_acceleration_arrays numpy/test_acceleration_switching stability/test_reruns
    check/test_check"
TESTS=${TESTS:-$some}

env -u PYTHON_GIL "$PYTHON" -W error -c 'import sys, halfcl
assert not sys._is_gil_enabled(), "halfcl has turned the lock on"'

export PYTHON_GIL=0  # another package may turn it on
if [ "$TESTS" = all ]; then
    "$PYTHON" -m pytest "$@"
else
    "$PYTHON" -m pytest -n 0 "$@" $(printf 'tests/%s.py ' $TESTS)
fi
