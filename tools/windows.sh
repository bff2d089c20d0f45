#!/usr/bin/env bash
# Builds for Windows on x86-64, with mingw-w64 from Debian, what needs no engine:
# build-windows/bin/etscope.exe, libetscope.dll and sqlite3.dll, which need Windows alone, and what
# tools/make_wheel.py packs for Python there.
#
#     tools/windows.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

root=build/foreign/windows
tools/packages.sh build/windows-setup.log gcc-mingw-w64-x86-64-posix g++-mingw-w64-x86-64-posix \
    libz-mingw-w64-dev rapidjson-dev libsqlite3-dev
# Headers alone, the same on every system.
mkdir -p "$root/usr/include"
ln -sfn /usr/include/rapidjson "$root/usr/include/rapidjson"
ln -sfn /usr/include/sqlite3.h "$root/usr/include/sqlite3.h"
# Debian has no SQLite for Windows.
if [[ ! -e build-windows/bin/sqlite3.dll ]]; then
    tools/sqlite_source.sh build/foreign/sqlite
    mkdir -p build-windows/bin
    x86_64-w64-mingw32-gcc-posix -O2 -shared -static -DSQLITE_API='__declspec(dllexport)' \
        -DSQLITE_OMIT_LOAD_EXTENSION -o build-windows/bin/sqlite3.dll build/foreign/sqlite/sqlite3.c
fi
tools/quiet.sh "building (windows)" build/windows.log sh -c '
    cmake --preset windows -DEXECUTORCH_ROOT= &&
    cmake --build --preset windows --parallel "$1" --target etscope etscope_shared etscope_python' \
    sh "${JOBS:-$(nproc)}"
