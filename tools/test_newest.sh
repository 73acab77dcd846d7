#!/usr/bin/env bash
# All tests beside the newest Python of Debian's, and the newest NumPy, SciPy and pandas that pip
# finds for it, in a Debian of its own (debootstrap, chroot). Without a Debian, or root, it says why
# and does nothing.
#
#     tools/test_newest.sh build      # the Debian, in NEWEST, halfcl and what its tests need
#     tools/test_newest.sh test       # pytest there; arguments after it are pytest's
#     tools/test_newest.sh            # both, and the Debian goes
#
# NEWEST: the folder of the Debian. SUITE: which; by default trixie, with Python 3.13. The next one,
# forky, has 3.14. The mirror is the one of this machine's packages, and pip's settings are this
# machine's, as is ccache's folder. Variables named HALFCL_* and NPY_* count.
set -euo pipefail
cd "$(dirname "$0")/.."
PACKAGES="debootstrap"
. tools/shared.sh

why_not() {  # nothing if it can be done
    [ -e /etc/debian_version ] || { echo "needs Debian's packages"; return; }
    [ "$(id -u)" = 0 ] || { echo "needs root, for chroot"; return; }
    unshare --mount true 2>/dev/null || echo "mounting is forbidden"
}

reason=$(why_not)
if [ "$reason" ]; then
    echo "left out: $reason"
    exit 0
fi
root=${NEWEST:-$folder/debian}
SUITE=${SUITE:-trixie}

inside() {  # a command in the Debian
    # Mounts are of this command's own namespace, so that none is left, however it ends.
    CCACHE_FOLDER=$(ccache -k cache_dir 2>/dev/null || true) unshare --mount --propagation private bash -c '
        set -e
        mount --rbind /dev "$0/dev"
        mount -t proc proc "$0/proc"
        mkdir -p "$0/ccache"
        [ ! -d "$CCACHE_FOLDER" ] || mount --bind "$CCACHE_FOLDER" "$0/ccache"
        exec chroot "$0" /usr/bin/env --chdir=/halfcl "$@"' "$root" "$@"
}

settings() {  # this machine's, by which pip finds packages, and hosts their addresses
    local file
    for file in /etc/pip.conf "${PIP_CONFIG_FILE:-}" "$HOME/.config/pip/pip.conf" /etc/resolv.conf \
        /etc/hosts /etc/ssl/certs/ca-certificates.crt "${PIP_CERT:-}"; do
        [ -f "$file" ] || continue
        mkdir -p "$root$(dirname "$file")"
        cp --dereference "$file" "$root$file"
    done
}

build() {
    local mirror scripts=/usr/share/debootstrap/scripts script
    mirror=$(debian_mirror)
    need debootstrap
    # A debootstrap older than the suite has no script for it; that of unstable builds every suite.
    script=$scripts/$SUITE
    [ -e "$script" ] || script=$scripts/sid
    quietly debootstrap --variant=minbase \
        --include=python3,python3-venv,python3-dev,gcc,g++,make,ca-certificates,ccache \
        "$SUITE" "$root" "$mirror" "$script"
    settings
    mkdir "$root/halfcl"
    git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$root/halfcl"
    inside python3 -m venv /venv
    # The compiler lies elsewhere in each Debian, and pip's folder of NumPy's headers has a new name.
    quietly inside CC="ccache gcc" CCACHE_DIR=/ccache CCACHE_COMPILERCHECK=content CCACHE_NOHASHDIR=1 \
        /venv/bin/pip install --quiet ".[test]" scipy pandas pyarrow
    inside /venv/bin/pip list
}

run_tests() {
    inside LC_ALL=C.UTF-8 /venv/bin/pytest -p no:cacheprovider "$@"
}

case ${1:-all} in
build) build ;;
test) shift && run_tests "$@" ;;
all) build && run_tests ;;
*) echo "expected build or test, got $1" >&2 && exit 2 ;;
esac
