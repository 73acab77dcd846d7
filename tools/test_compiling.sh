#!/usr/bin/env bash
# The engine compiled and linked for systems that nothing here can run, by the Clang of Zig, which
# has their headers and libraries: macOS on both processors, and Windows on Arm. Any warning is an
# error. Tests are compiled, too, and not run.
#
#     tools/test_compiling.sh                # all of them: some minutes
#     tools/test_compiling.sh x86_64-macos   # those named
#
# PYTHON: an interpreter with the package ziglang; by default one is made. BUILD: a folder to keep
# what is compiled.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- aarch64-macos x86_64-macos aarch64-windows-gnu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [ -z "${PYTHON:-}" ]; then
    python3 -m venv "$folder/venv"
    PYTHON=$folder/venv/bin/python
    "$PYTHON" -m pip install --quiet ziglang==0.17.1
fi

for target in "$@"; do
    case $target in
        # Zig says of each feature whether the processor has it, and Clang then takes no attribute.
        aarch64-windows-*) processor=-mcpu=baseline+fullfp16 ;;
        *) processor= ;;
    esac
    build=${BUILD:-$folder}/$target
    # -O1 has fma of doubles as an instruction, as packages have it. What Zig adds for debugging
    # would not be in packages.
    make -s -C csrc -j"$(nproc)" BUILD="$build" \
        CC="$PYTHON -m ziglang cc -target $target $processor -fno-sanitize=undefined" \
        CFLAGS="-std=c11 -O1 -Wall -Wextra -Werror -pthread -Iinclude -I." "$build/test_engine"
    echo "$target: compiled without a warning"
done
