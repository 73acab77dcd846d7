#!/bin/sh
# Checks that VOCABULARY.md explains, vocabulary.def tests for every target, and the headers of the
# sets define the same operations.
set -eu
cd "$(dirname "$0")/.."

names='\(v[a-z]\|wm\|acc\)_[A-Za-z0-9_]*'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed -n 's/^| *`\([A-Za-z0-9_]*\)(.*/\1/p' simd/VOCABULARY.md | sort >"$work/explained"
sed -n 's/^TEST(\([A-Za-z0-9_]*\),.*/\1/p' tests/vocabulary.def | sort -u >"$work/tested"
sed -n -e "s/^OP([A-Za-z0-9_]*, *\($names\),.*/\1/p" -e "s/^ALWAYS_INLINE [a-z]* \($names\)(.*/\1/p" \
    -e "s/^#define \($names\)(.*/\1/p" simd/*.h |
    sort -u >"$work/defined"
printf 'vi_load_%s\n' b B h H i I q Q >>"$work/defined" # by a macro in the portable set
printf 'vc_load_%s\n' e f b B h H >>"$work/defined"
sort -u -o "$work/defined" "$work/defined"
grep -v '^\(leave_vectors\|float_of_half\)$' "$work/tested" >"$work/vectors"

diff "$work/explained" "$work/tested" || { echo 'explained (<) is not tested (>)'; exit 1; }
diff "$work/vectors" "$work/defined" || { echo 'tested (<) is not defined (>)'; exit 1; }
