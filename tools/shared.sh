# What scripts in this folder share, which source it in the root of the sources: a folder for as long
# as they run, Debian's packages, and the engine compiled for another system.

folder=$(mktemp -d)
# Wine's server goes on for some seconds, and writes to its folder.
trap 'rm -rf "$folder" 2>/dev/null || { sleep 10; rm -rf "$folder"; }' EXIT
unset PYTHONPATH

quietly() {  # a command, of which nothing is seen unless it fails
    "$@" >"$folder/log" 2>&1 || { tail -50 "$folder/log" >&2; return 1; }
}

need() {  # commands and files: if one is missing, Debian's PACKAGES are installed
    local name
    for name in "$@"; do
        if [ -e "$name" ] || command -v "$name" >/dev/null; then continue; fi
        quietly apt-get update --quiet=2
        quietly apt-get install --yes --quiet=2 --no-install-recommends $PACKAGES
        return
    done
}

debian_mirror() {  # where this machine's packages come from
    apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep '/debian/$' | head -1 || true
}

compile_engine() {  # its tests, as $build/test_engine: by a compiler, with flags beside a package's
    local compiler=$1
    shift
    build=${BUILD:-$folder/engine}
    command -v ccache >/dev/null && compiler="ccache $compiler"
    make -s -C csrc -j"$(nproc)" BUILD="$build" CC="$compiler" "$build/test_engine" \
        CFLAGS="-std=c11 -O3 -Wall -Wextra -pthread -static -Iinclude -I. $*"
}
