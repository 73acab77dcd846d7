#!/usr/bin/env bash
# Wheels, each in a bare virtual environment and away from the sources: what it needs, how long
# installing, importing and the demo take, and tests.
#
#     tools/test_wheel.sh dist/*.whl
#
# PYTHON: the interpreter that the wheels are for. TESTS: the files of tests to run, "all" for all
# (which installs the extra "test"); by default some that take seconds and go through every part.
# INSTALL_SECONDS, IMPORT_SECONDS, DEMO_SECONDS: other limits, for a machine that is slow.
set -euo pipefail
cd "$(dirname "$0")/.."
sources=$PWD
PYTHON=${PYTHON:-python3}
some="command/test_command settings/test_rounding core/test_scalar
    tables/test_signatures numpy/test_acceleration_children opencl/test_selection interval/test_arithmetic"
TESTS=${TESTS:-$some}

. tools/shared.sh
seconds() {  # of a command, which must take less than so many
    local most=$1 start=$EPOCHREALTIME
    shift
    "$@" >"$folder/output" 2>&1 || { cat "$folder/output"; return 1; }
    awk -v s="$start" -v e="$EPOCHREALTIME" -v m="$most" -v what="${*: -3}" 'BEGIN {
        printf "%6.1f s (at most %s): %s\n", e - s, m, what; exit e - s > m }'
}

for wheel in "$@"; do
    wheel=$(realpath "$wheel")
    echo "== $(basename "$wheel")"
    rm -rf "$folder/venv" "$folder/away"
    "$PYTHON" -m venv "$folder/venv"
    mkdir "$folder/away"
    python=$folder/venv/bin/python
    cd "$folder/away"

    seconds "${INSTALL_SECONDS:-20}" "$python" -m pip install --quiet "$wheel"
    "$python" - "$folder/venv" "${IMPORT_SECONDS:-0.15}" <<'PYTHON'
import subprocess, sys
from importlib.metadata import version

import halfcl

assert halfcl.__file__.startswith(sys.argv[1]), halfcl.__file__
assert version("halfcl") == halfcl.__version__
code = "import time, numpy; start = time.process_time(); import halfcl; print(time.process_time() - start)"
best = min(float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(7))
most = float(sys.argv[2])
print(f"{1000 * best:6.0f} ms (at most {1000 * most:.0f}): import beyond NumPy's")
assert best < most
PYTHON
    "$folder/venv/bin/halfcl" info --json >info.json
    "$python" -m halfcl info
    "$python" -m halfcl check | tail -1
    seconds "${DEMO_SECONDS:-20}" "$python" -m pip install --quiet "$wheel[demo]"
    seconds "${DEMO_SECONDS:-20}" "$python" -m halfcl demo --repeat 3

    cp -r "$sources/tests" "$sources/pyproject.toml" .
    if [ "$TESTS" = all ]; then
        "$python" -m pip install --quiet "$wheel[test]"
        "$python" -m pytest
    else
        "$python" -m pip install --quiet pytest pytest-xdist hypothesis gmpy2
        "$python" -m pytest -n 0 $(printf 'tests/%s.py ' $TESTS)
    fi
    cd "$sources"
done
