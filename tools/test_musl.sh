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
. tools/shared.sh
tests="vocabulary operations decomposition functions_of_several relational numbers environment threads device parsing"
export HALFCL_TEST_ONE_IN=11
[ "${1:-}" = all ] && tests="" HALFCL_TEST_ONE_IN=1

need musl-gcc
compile_engine musl-gcc -Werror -O1  # the library is what differs, not the kernels
"$build/test_engine" $tests
