#!/usr/bin/env bash
# Tests of half in OpenCL's conformance suite, alone and under halfcl's layer, on the first OpenCL
# device.
#
#     tools/test_layer_conformance.sh CTS HEADERS [TEST ...]
#     SUITE=commonfns tools/test_layer_conformance.sh CTS HEADERS
#     SUITE=math_brute_force tools/test_layer_conformance.sh CTS HEADERS -f -d -r   # of half alone
#
# CTS and HEADERS are clones of github.com/KhronosGroup/OpenCL-CTS and OpenCL-Headers. Without tests,
# all run; those of SUITE (half, commonfns, ...), by the suite's option -w with a part of its numbers, unless WIMPY is empty. It needs g++
# and libOpenCL.so.
set -euo pipefail
cts=$(realpath "$1") headers=$(realpath "$2")
shift 2
wimpy=${WIMPY--w}
suite=${SUITE:-half}
python=${PYTHON:-python}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

flags="-O1 -w -DCL_TARGET_OPENCL_VERSION=300 -DCL_NO_EXTENSION_PROTOTYPES -DCL_EXPERIMENTAL"
flags="$flags -DCL_ENABLE_BETA_EXTENSIONS"
for version in 1_0 1_1 1_2 2_0 2_1 2_2; do
    flags="$flags -DCL_USE_DEPRECATED_OPENCL_${version}_APIS=1"
done
for include in "$headers" "$cts/test_common/harness" "$cts/test_common" "$cts/test_conformance"; do
    flags="$flags -I$include"
done

# The sources one by one, as many at once as there are processors.
find "$cts/test_common/harness" "$cts/test_conformance/$suite" -name '*.cpp' |
    xargs -P "$(nproc)" -I{} sh -c 'g++ -std=c++17 $1 -c "$2" -o "$3/$(basename "$2").o"' sh "$flags" {} "$folder"
gcc $flags -c "$cts/test_common/miniz/miniz.c" -o "$folder/miniz.o"
g++ "$folder"/*.o -o "$folder/test" -lOpenCL -lpthread

echo "== alone"
"$folder/test" $wimpy "$@" >"$folder/log" 2>&1 && status=0 || status=$?
grep -E '(passed|FAILED|PASSED [0-9])' "$folder/log" || true
echo "status $status"
echo "== under the layer"
"$python" -m halfcl layer --log "$folder/layer" "$folder/test" $wimpy "$@" >"$folder/log" 2>&1 && status=0 || status=$?
grep -E '(passed|FAILED|PASSED [0-9])' "$folder/log" || true
echo "status $status, $(grep -c 'built a program' "$folder/layer") programs"
exit "$status"
