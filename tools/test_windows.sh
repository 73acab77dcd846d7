#!/usr/bin/env bash
# The engine and OpenCL's layer on Windows: cross-compiled by MinGW, and run by Wine.
#
#     tools/test_windows.sh            # what takes least for what it finds
#     tools/test_windows.sh all        # the engine's whole test set
#
# Needs Debian's packages of PACKAGES, and installs those that are missing if it may. BUILD: a
# folder to keep what is compiled.
set -euo pipefail
cd "$(dirname "$0")/.."

PACKAGES="gcc-mingw-w64-x86-64 wine wine64"
. tools/shared.sh
tests="vocabulary operations decomposition functions_of_several relational geometric kinds raising
    random modes nans parsing images numbers environment threads device device_nans"
export HALFCL_TEST_ONE_IN=11
[ "${1:-}" = all ] && tests="" HALFCL_TEST_ONE_IN=1

need x86_64-w64-mingw32-gcc wine
# As setup.py has it: stacks are aligned to 16 bytes, and no library comes along.
compile_engine x86_64-w64-mingw32-gcc -Wa,-muse-unaligned-vector-move

# The engine uses nothing of <fenv.h>, which MinGW's C library has for the x87 for the most part,
# and of <math.h> only what is exact: of the rest some is rounded twice, or in the x87's mode.
rounded="a?(cos|sin|tan)h?|atan2|cbrt|erfc?|exp(2|m1)?|fma|hypot|lgamma|log(2|10|1p)?|pow|sqrt|tgamma"
in_mode="l?l?rint|nearbyint"
environment="fe[a-z]*(except|round|env|exceptflag)"
objects=$(find "$build" -name '*.o' -not -path '*/tests/*')
if x86_64-w64-mingw32-nm -A -u $objects | grep -E " U (($rounded|$in_mode)[fl]?|$environment)\$"; then
    echo "the engine must not call these of the C library"
    exit 1
fi

export WINEDEBUG=-all WINEPREFIX="$folder/wine"
wine "$build/test_engine.exe" $tests

# The layer above a driver that counts what is alive, with a translator in C, since Wine has no Python.
headers=/usr/include/CL
if [ ! -e $headers/cl_layer.h ]; then
    echo "left out: the layer needs $headers/cl_layer.h (opencl-c-headers)"
    exit
fi
mkdir -p "$folder/include" "$folder/layer"
cp -r $headers "$folder/include"  # alone, since the C library's headers beside it are not Windows'
compile() { # FILE SOURCE...
    x86_64-w64-mingw32-gcc -std=gnu11 -O1 -static -pthread -I"$folder/include" "${@:2}" \
        -Wno-deprecated-declarations -o "$folder/layer/$1"
}
compile layer.dll -shared csrc/layer/*.c
compile translator.exe csrc/layer/tests/translator.c csrc/layer/{messages,text}.c
compile test_counts.exe csrc/layer/tests/{test_counts,driver}.c
cd "$folder/layer"
for threads in 1 4; do
    HALFCL_LAYER_PYTHON="$(winepath -w translator.exe)" wine test_counts.exe layer.dll 5 $threads
done
