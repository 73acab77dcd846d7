#!/usr/bin/env bash
# Run the test of hostile objects under AddressSanitizer, which ends a process that reads or writes
# memory that is not its own, freed memory too. The extension module is compiled once more, into
# build/address-sanitizer. PYTHON: an interpreter with the extra "test" and setup.py's needs;
# TESTS: other files of tests; CC: a gcc. Arguments are pytest's.
set -euo pipefail
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-python}
CC=${CC:-gcc}
TESTS=${TESTS:-tests/core/test_hostile.py}
folder=$PWD/build/address-sanitizer

# Optimised little: that compiles in a third of the time, and reports name more lines.
mkdir -p "$folder/package"
cat > "$folder/compiler" <<END
#!/usr/bin/env bash
arguments=()
for argument; do
    case \$argument in
    -O[23]) arguments+=(-O1) ;;
    -g0) arguments+=(-g1) ;;
    *) arguments+=("\$argument") ;;
    esac
done
exec $CC "\${arguments[@]}" -fsanitize=address -fno-omit-frame-pointer
END
chmod +x "$folder/compiler"
cp -r src/. "$folder/package"
rm -f "$folder"/package/halfcl/_core/*.so
CC="$folder/compiler" "$PYTHON" setup.py build_ext \
    --build-lib "$folder/package" --build-temp "$folder/address-sanitizer"

# The interpreter is not compiled so: the library comes first, and leaks are its own. Its blocks
# come from malloc, which AddressSanitizer watches.
export LD_PRELOAD ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 PYTHONMALLOC=malloc
LD_PRELOAD=$($CC -print-file-name=libasan.so)
export PYTHONPATH=$folder/package
# shellcheck disable=SC2086 # files are many
"$PYTHON" -m pytest -n 0 "$@" $TESTS
