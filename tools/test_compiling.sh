#!/usr/bin/env bash
# What nothing here can run, compiled and linked by the Clang of Zig, which has the systems' headers
# and libraries: the engine and OpenCL's layer for macOS on both processors and for Windows on Arm,
# and for macOS the extension module, too. Any warning is an error. The engine's tests are compiled,
# and not run.
#
#     tools/test_compiling.sh                # all of them: a quarter of an hour
#     tools/test_compiling.sh x86_64-macos   # those named
#
# PYTHON: an interpreter with the packages ziglang, cython, numpy and setuptools; by default one is
# made. BUILD: a folder to keep what is compiled. The layer needs Debian's package of PACKAGES.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/shared.sh
PACKAGES=opencl-c-headers
need /usr/include/CL/cl_layer.h
[ $# -gt 0 ] || set -- aarch64-macos x86_64-macos aarch64-windows-gnu

if [ -z "${PYTHON:-}" ]; then
    python3 -m venv "$folder/venv"
    PYTHON=$folder/venv/bin/python
    "$PYTHON" -m pip install --quiet ziglang==0.17.1 "cython>=3.1" "numpy>=2" "setuptools>=77"
fi

compile_module() {  # for macOS, as a wheel has it, with NumPy's headers for it; this Python's fit
    local processor=${1%-macos} headers=$folder/numpy-$1
    processor=${processor/aarch64/arm64}
    "$PYTHON" -m pip install --quiet --no-deps --only-binary :all: --target "$headers" \
        --platform "macosx_14_0_$processor" "numpy==$("$PYTHON" -c 'import numpy; print(numpy.__version__)')"
    (
        export _PYTHON_HOST_PLATFORM=macosx-11.0-$processor SETUPTOOLS_EXT_SUFFIX=.cpython-darwin.so
        export CC="$compiler -I$headers/numpy/_core/include" CFLAGS="-Wall -Wextra -Werror"
        # A bundle it would be on a Mac, at which Zig's linker crashes.
        export LDSHARED="$compiler -dynamiclib -undefined dynamic_lookup"
        quietly "$PYTHON" setup.py build_ext --build-lib "$build/package"
    )
    echo "$1: the extension module compiled without a warning"
}

compile_layer() {  # the headers alone, since the C library's beside them are another system's
    mkdir -p "$build/include"
    ln -sfn /usr/include/CL "$build/include/CL"
    # They declare two functions without the attribute of Windows' exports.
    $compiler -std=gnu11 -O1 -Wall -Wextra -Werror -Wno-deprecated-declarations \
        -Wno-unknown-warning-option -Wno-dll-attribute-on-redeclaration \
        -I "$build/include" -shared csrc/layer/*.c -o "$build/libhalfcl_layer"
    echo "$1: OpenCL's layer compiled without a warning"
}

for target in "$@"; do
    case $target in
        # Zig says of each feature whether the processor has it, and Clang then takes no attribute.
        aarch64-windows-*) processor=-mcpu=baseline+fullfp16 ;;
        *) processor= ;;
    esac
    build=${BUILD:-$folder}/$target
    # What Zig adds for debugging would not be in packages.
    compiler="$PYTHON -m ziglang cc -target $target $processor -fno-sanitize=undefined"
    # -O1 has fma of doubles as an instruction, as packages have it.
    make -s -C csrc -j"$(nproc)" BUILD="$build" CC="$compiler" \
        CFLAGS="-std=c11 -O1 -Wall -Wextra -Werror -pthread -Iinclude -I." "$build/test_engine"
    echo "$target: the engine compiled without a warning"
    compile_layer "$target"
    case $target in
        *-macos) compile_module "$target" ;;
    esac
done
