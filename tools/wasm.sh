#!/usr/bin/env bash
# Builds the program for WebAssembly (WASI preview 1) with Debian's clang, lld, wasi-libc and C++
# headers, build-wasm/bin/etscope.wasm, with zlib and SQLite linked in, and the page around it that
# reads dropped files, build-wasm/etscope.html.
#
#     tools/wasm.sh
#
# Needs the network once.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

root=build/foreign/wasm
log=build/wasm-setup.log
tools/packages.sh "$log" clang lld llvm wasi-libc libc++-dev-wasm32 libclang-rt-dev-wasm32 \
    rapidjson-dev dpkg-dev
mkdir -p "$root"/{include,lib,objects}
compile() {
    local out=$root/objects/$1
    shift
    clang --target=wasm32-wasi -O2 -w -D_WASI_EMULATED_SIGNAL "$@" -c -o "$out"
}

if [[ ! -e $root/lib/libz.a ]]; then
    tools/zlib_source.sh build/release/zlib "$log"
    cp build/release/zlib/{zlib.h,zconf.h} "$root/include/"
    for name in adler32 compress crc32 deflate inffast inflate inftrees trees uncompr zutil; do
        compile "$name.o" -DHAVE_HIDDEN "build/release/zlib/$name.c"
    done
    llvm-ar rc "$root/lib/libz.a" "$root"/objects/*.o
    rm "$root"/objects/*.o
fi
ln -sfn /usr/include/rapidjson "$root/include/rapidjson"
# All is in memory: no files (src/output/sql/sqlite_linked.c), no threads, no library that is loaded.
if [[ ! -e $root/lib/libsqlite3.a ]]; then
    tools/sqlite_source.sh build/foreign/sqlite
    cp build/foreign/sqlite/sqlite3.h "$root/include/"
    compile sqlite3.o -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_THREADSAFE=0 -DSQLITE_OS_OTHER=1 \
        -DSQLITE_TEMP_STORE=3 -DSQLITE_OMIT_WAL -DSQLITE_OMIT_DEPRECATED \
        build/foreign/sqlite/sqlite3.c
    llvm-ar rc "$root/lib/libsqlite3.a" "$root"/objects/*.o
    rm "$root"/objects/*
fi
tools/quiet.sh "building (wasm)" build/wasm.log sh -c '
    cmake --preset wasm -DEXECUTORCH_ROOT= &&
    cmake --build --preset wasm --parallel "$1" --target etscope' sh "${JOBS:-$(nproc)}"
node web/app/build.mjs build-wasm/bin/etscope.wasm examples/mobile_cnn build-wasm/etscope.html
