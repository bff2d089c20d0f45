#!/usr/bin/env bash
# Makes the bundle that `etscope ... --target` pushes to machines of one processor:
# build/bundles/etscope-bundle-PROCESSOR.tar, with the program, its engine, the runtime of the wheel
# and the C library.
#
#     tools/bundle.sh [PROCESSOR]     x86_64 or aarch64; default: this machine's
#
# For this machine's own processor it packs what is in build/. For aarch64 on x86_64 it installs
# Debian's cross compiler where it is missing, and fetches the runtime's wheel for that processor.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

here=$(uname -m) processor=${1:-$(uname -m)}
triplet=$processor-linux-gnu
output=build/bundles/etscope-bundle-$processor.tar
prefix=build/bundles/prefix-$processor
mkdir -p build/bundles

fail() { printf 'bundle: %s\n' "$*" >&2; exit 1; }

case $processor in
"$here")
    binaries=build
    libraries=("/lib/$triplet" "/usr/lib/$triplet" /lib64 /usr/lib64 /lib /usr/lib)
    [[ -e build/lib/libetscope_engine.so ]] || fail "build/ has no engine: make engine"
    ;;
aarch64)
    command -v "$triplet-g++" >/dev/null ||
        tools/packages.sh build/bundles/setup.log "gcc-$triplet" "g++-$triplet" ||
        fail "a cross compiler is missing"
    binaries=build-aarch64
    libraries=("/usr/$triplet/lib" "build/foreign/aarch64/lib/$triplet"
        "build/foreign/aarch64/usr/lib/$triplet")
    tools/foreign_root.sh aarch64 build/foreign/aarch64
    root=$(tools/fetch_runtime.sh build-aarch64/runtime aarch64)
    tools/quiet.sh "building (aarch64)" build/aarch64.log sh -c '
        cmake --preset aarch64 -DEXECUTORCH_ROOT="$1" -DBUILD_TESTING=OFF &&
        cmake --build --preset aarch64 --parallel "$2"' sh "$root" "${JOBS:-$(nproc)}"
    ;;
*)
    fail "no runtime for $processor comes from PyPI: give one of your own with --target-runtime"
    ;;
esac
rm -rf "$prefix"
cmake --install "$binaries" --prefix "$prefix" >build/bundles/install.log
python3 tools/make_bundle.py "$prefix" "$output" "${libraries[@]/#/--libraries=}"
rm -rf "$prefix"
