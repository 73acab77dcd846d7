#!/usr/bin/env bash
# The engine by musl, Alpine's C library, linked in: its mathematical functions, its locale and its
# threads, whose stacks are small, are not glibc's.
#
#     tools/test_musl.sh            # what takes least for what it finds
#     tools/test_musl.sh all        # the engine's whole test set
#
# Needs Debian's packages of PACKAGES, and installs those that are missing if it may. BUILD: a
# folder to keep what is compiled.
set -euo pipefail
cd "$(dirname "$0")/.."

PACKAGES="musl-tools"
compiler=musl-gcc
tests="vocabulary operations decomposition functions_of_several relational numbers environment threads device parsing"
[ "${1:-}" = all ] && tests=""

if ! command -v $compiler >/dev/null; then
    apt-get update --quiet=2
    apt-get install --yes --quiet=2 --no-install-recommends $PACKAGES >/dev/null
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
build=${BUILD:-$folder/engine}
command -v ccache >/dev/null && compiler="ccache $compiler"

make -s -C csrc -j"$(nproc)" BUILD="$build" CC="$compiler" "$build/test_engine" \
    CFLAGS="-std=c11 -O3 -Wall -Wextra -Werror -pthread -static -Iinclude -I."
"$build/test_engine" $tests
