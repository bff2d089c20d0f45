#!/usr/bin/env bash
# Installs what makes a release into build/release: a virtual environment with the compiler zig and
# auditwheel (tools/release_requirements.txt, about 90 MB), programs that call the compiler for each
# target, the source of zlib (Debian's), and what of Debian's packages is missing.
#
#     tools/release_setup.sh
#
# Needs the network once. zig's C libraries make programs that run on old systems; zlib is linked into
# them, as no version of it is on all.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

targets=(x86_64-linux-gnu.2.17 aarch64-linux-gnu.2.17 x86_64-linux-musl aarch64-linux-musl)
folder=$PWD/build/release
mkdir -p "$folder/bin"
log=$folder/setup.log

fail() { printf 'release_setup: %s\n' "$*" >&2; exit 1; }

install_packages() {
    local packages=(dpkg-dev lintian rapidjson-dev libsqlite3-dev)
    [[ $(uname -m) != x86_64 ]] || packages+=(gcc-aarch64-linux-gnu g++-aarch64-linux-gnu qemu-user)
    tools/packages.sh "$log" "${packages[@]}"
}

make_environment() {
    ! cmp -s tools/release_requirements.txt "$folder/venv/requirements.txt" || return 0
    python3 -m venv --clear "$folder/venv" >"$log" 2>&1 &&
        "$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
            --requirement tools/release_requirements.txt >>"$log" 2>&1 ||
        { tail -n 3 "$log" >&2; fail "the packages of tools/release_requirements.txt cannot be had"; }
    cp tools/release_requirements.txt "$folder/venv/requirements.txt"
}

# Programs named TARGET-cc, TARGET-c++, zig-ar and zig-ranlib, as CMake wants them.
write_compilers() {
    local zig target name
    zig=$(echo "$folder"/venv/lib/python3*/site-packages/ziglang/zig)
    [[ -x $zig ]] || fail "ziglang has no program zig"
    for target in "${targets[@]}"; do
        printf '#!/bin/sh\nexec "%s" cc -target %s "$@"\n' "$zig" "$target" >"$folder/bin/$target-cc"
        # Linked without a C++ library, which zig would have to build, and nothing here uses.
        printf '#!/bin/sh\ncase " $* " in *" -c "*|*" -E "*) name=c++ ;; *) name=cc ;; esac\nexec "%s" $name -target %s "$@"\n' \
            "$zig" "$target" >"$folder/bin/$target-c++"
    done
    for name in ar ranlib; do
        printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$zig" "$name" >"$folder/bin/zig-$name"
    done
    chmod +x "$folder"/bin/*
}

# Headers and libz.a of a target: what is linked with a program beside its C library.
make_root() {
    local root=$folder/root-$1 name
    [[ ! -e $root/lib/libz.a ]] || return 0
    mkdir -p "$root/include" "$root/lib" "$root/objects"
    cp "$folder"/zlib/{zlib.h,zconf.h} "$root/include/"
    ln -sfn /usr/include/rapidjson "$root/include/rapidjson"
    ln -sfn /usr/include/sqlite3.h "$root/include/sqlite3.h"
    for name in adler32 compress crc32 deflate inffast inflate inftrees trees uncompr zutil; do
        "$folder/bin/$1-cc" -O2 -fPIC -DHAVE_HIDDEN -D_LARGEFILE64_SOURCE=1 -w -c \
            "$folder/zlib/$name.c" -o "$root/objects/$name.o"
    done
    "$folder/bin/zig-ar" rc "$root/lib/libz.a" "$root"/objects/*.o
    rm -r "$root/objects"
}

# Stand-ins of glibc 2.28's libraries, with which GCC links the engine: its C++ library must be GCC's,
# as that of the runtime's wheel, and zig's is another.
make_stubs() {
    local stubs=$folder/stubs-$1 cache=$folder/stubs-$1.cache zig made name
    [[ ! -e $stubs/libc.so ]] || return 0
    zig=$(echo "$folder"/venv/lib/python3*/site-packages/ziglang/zig)
    mkdir -p "$cache" "$stubs"
    echo 'int ets_nothing(void) { return 0; }' >"$cache/nothing.c"
    ZIG_GLOBAL_CACHE_DIR=$cache ZIG_LOCAL_CACHE_DIR=$cache "$zig" build-lib -dynamic -lc \
        -fno-compiler-rt -fno-ubsan-rt -target "$1-linux-gnu.2.28" "$cache/nothing.c" \
        -femit-bin="$cache/nothing.so" 2>>"$log" || fail "zig makes no stand-ins of glibc for $1"
    made=$(find "$cache" -name libdl.so.2 | head -n 1)
    for name in ld dl pthread rt m c; do
        cp "${made%/*}/lib$name.so".? "$stubs/lib$name.so"
    done
    rm -rf "$cache"
}

install_packages
make_environment
write_compilers
tools/zlib_source.sh "$folder/zlib" "$log"
for target in "${targets[@]}"; do
    make_root "$target"
done
for processor in x86_64 aarch64; do
    make_stubs "$processor"
done
