#!/usr/bin/env bash
# halfcl without the interpreter's lock: the tests that many threads have a part in, and what goes
# through every part of the extension module. PYTHON: a free-threaded interpreter with halfcl,
# pytest, pytest-xdist, hypothesis and gmpy2.
#
# halfcl does not say that it can do without the lock, so that importing it turns the lock on;
# PYTHON_GIL=0 keeps it off.
set -euo pipefail
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-python}

"$PYTHON" -W ignore::RuntimeWarning -c '
import sys, halfcl
assert sys._is_gil_enabled(), "the lock should be on: halfcl does not say that it can do without"'

export PYTHON_GIL=0
"$PYTHON" -c 'import sys, halfcl; assert not sys._is_gil_enabled()'
"$PYTHON" -m pytest -n 0 $(printf 'tests/%s.py ' test_free_threading test_rounding test_regions \
    test_dtype test_scalar test_threads test_memory test_vectors test_shapes test_signatures \
    test_acceleration test_acceleration_switching test_check)
