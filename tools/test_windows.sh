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

PACKAGES="gcc-mingw-w64-x86-64 opencl-c-headers wine wine64"
. tools/shared.sh
tests="vocabulary operations decomposition functions_of_several relational geometric kinds raising
    random modes nans parsing images numbers environment threads device device_nans"
export HALFCL_TEST_ONE_IN=11
[ "${1:-}" = all ] && tests="" HALFCL_TEST_ONE_IN=1

need x86_64-w64-mingw32-gcc wine /usr/include/CL/cl_layer.h
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

# The layer above a driver that counts what is alive, with a translator in place of Python's. Names
# of folders have letters that are in no code page of Windows together.
layer=csrc/layer
home="$folder/ü ж"
mkdir "$home" "$folder/include"
ln -s /usr/include/CL "$folder/include/CL"
compile() {  # a program or library
    x86_64-w64-mingw32-gcc -std=gnu11 -O1 -Wall -Wextra -Werror -Wno-deprecated-declarations \
        -static -I "$folder/include" "$@"
}
compile -Wconversion -shared $layer/*.c -o "$home/halfcl_layer.dll"
compile $layer/tests/mock_translator.c $layer/messages.c -o "$home/translator.exe"
compile $layer/tests/test_loader.c -o "$home/test_loader.exe"
compile $layer/tests/test_counts.c $layer/tests/driver.c -pthread -o "$home/test_counts.exe"
cd "$home"
for name in $(wine test_loader.exe | tr -d '\r'); do
    is_off=$([ "$name" = off ] && echo off || echo translate)
    HALFCL_LAYER=$is_off wine test_loader.exe halfcl_layer.dll "$name"
done
export OPENCL_LAYERS=none HALFCL_LAYER_PYTHON=".\\translator.exe" HALFCL_LAYER_LOG=log.txt
wine test_counts.exe halfcl_layer.dll 10 1
wine test_counts.exe halfcl_layer.dll 5 4
grep -q "hello" log.txt
