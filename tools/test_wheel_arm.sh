#!/usr/bin/env bash
# The wheel for Linux on 64-bit Arm, and the tests of Python on it: in a Debian for that processor,
# whose programs QEMU runs. Only the C compiler is this machine's.
#
#     tools/test_wheel_arm.sh                # tests of every part: tens of minutes
#     TESTS=all tools/test_wheel_arm.sh      # all of them: hours
#
# Needs root on a Debian for x86-64, and PACKAGES, which are installed if they may be. ROOT: a folder
# to keep the other Debian in for the next time. WHEELS: a folder in which the wheel stays.
set -euo pipefail
cd "$(dirname "$0")/.."
PACKAGES="debootstrap qemu-user-static gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
SUITE=$(. /etc/os-release && echo "$VERSION_CODENAME")  # whose C library is the compiler's
compiler=aarch64-linux-gnu-gcc                          # by this name Python calls its own

[ "$(id -u)" = 0 ] || { echo "only root can make a Debian in a folder" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
root=${ROOT:-$folder/root}
quietly() { "$@" >"$folder/log" 2>&1 || { tail -20 "$folder/log"; return 1; }; }
if ! command -v debootstrap >/dev/null || ! command -v qemu-aarch64-static >/dev/null \
    || ! command -v $compiler >/dev/null; then
    apt-get update --quiet=2
    quietly apt-get install --yes --quiet=2 --no-install-recommends $PACKAGES
fi
formats=/proc/sys/fs/binfmt_misc  # by which Linux hands Arm's programs to QEMU
[ -e $formats/register ] || mount -t binfmt_misc binfmt_misc $formats
[ -e $formats/qemu-aarch64 ] || cat /usr/lib/binfmt.d/qemu-aarch64.conf >$formats/register

inside() {  # what is mounted is gone with the command
    unshare --mount --pid --fork --kill-child sh -euc '
        root=$1
        shift
        mount -t proc proc "$root/proc"
        mount --rbind /dev "$root/dev"
        mount -t tmpfs tmpfs "$root/dev/shm"
        for path in /lib64 /usr/lib/x86_64-linux-gnu /usr/lib/gcc-cross /usr/aarch64-linux-gnu; do
            mkdir -p "$root$path"
            mount --bind "$path" "$root$path"
        done
        exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
            PIP_CERT=/etc/ssl/certs/ca-certificates.crt PIP_DISABLE_PIP_VERSION_CHECK=1 \
            chroot "$root" "$@"' sh "$root" "$@"
}

if [ ! -e "$root/complete" ]; then
    rm -rf "$root"
    quietly debootstrap --arch=arm64 --variant=minbase \
        --include=python3,python3-venv,python3-dev,ca-certificates "$SUITE" "$root"
    touch "$root/complete"
fi
for tool in gcc as ld ar; do
    cp --dereference "/usr/bin/aarch64-linux-gnu-$tool" "$root/usr/bin/"
done
cp /etc/resolv.conf "$root/etc/"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"

rm -rf "$root/halfcl" "$root/wheels"
mkdir "$root/halfcl"
git ls-files -z --cached --others --exclude-standard \
    | tar --null --files-from=- --create | tar --extract --directory "$root/halfcl"
inside env IMPORT_SECONDS=10 INSTALL_SECONDS=1000 DEMO_SECONDS=3600 WHEELS=/wheels \
    ${TESTS:+TESTS="$TESTS"} ${PYTEST_ADDOPTS:+PYTEST_ADDOPTS="$PYTEST_ADDOPTS"} \
    /halfcl/tools/test_pythons.sh python3
if [ "${WHEELS:-}" ]; then
    mkdir -p "$WHEELS"
    cp "$root"/wheels/*.whl "$WHEELS"
fi
