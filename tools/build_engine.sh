#!/usr/bin/env bash
# Builds etscope and its engine over an ExecuTorch of your own, for `--target-runtime FOLDER`.
#
#     tools/build_engine.sh EXECUTORCH FOLDER [--libraries LIBRARIES]... [CMAKE-OPTION]...
#
#   EXECUTORCH    what `cmake --install` of your build wrote, or an unpacked wheel: include/ and lib/
#   FOLDER        gets etscope, the engine, the shared libraries that they need and are in
#                 EXECUTORCH/lib or LIBRARIES, and `start`; what else they need is the target's
#   CMAKE-OPTION  such as -DCMAKE_TOOLCHAIN_FILE=... for another processor, and
#                 -DETS_ENGINE_LIBRARIES=NAME;NAME for further backends and kernels in EXECUTORCH/lib
#
# For Android: -DCMAKE_TOOLCHAIN_FILE=$ANDROID_NDK/build/cmake/android.toolchain.cmake
# -DANDROID_ABI=arm64-v8a -DANDROID_PLATFORM=android-28 -DANDROID_STL=c++_static. READELF names another
# readelf than the system's.
set -euo pipefail

fail() { printf 'build_engine: %s\n' "$*" >&2; exit 1; }

if (($# < 2)); then
    sed -n '2,15s/^# \{0,1\}//p' "$0"
    exit 2
fi
executorch=$(cd "$1" 2>/dev/null && pwd) || fail "no folder $1"
[[ -d $executorch/include && -d $executorch/lib ]] || fail "$1 has no include/ and lib/"
mkdir -p "$(dirname "$2")"
folder=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
shift 2
libraries=(--libraries "$executorch/lib") options=()
while (($# > 0)); do
    case $1 in
    --libraries) libraries+=(--libraries "$(cd "$2" && pwd)"); shift 2 ;;
    *) options+=("$1"); shift ;;
    esac
done
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=build/engines/$(basename "$folder").build
mkdir -p build/engines
tools/quiet.sh "building $build" "$build.log" sh -c '
    build=$1 jobs=$2; shift 2
    cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DETS_WERROR=OFF "$@" &&
    cmake --build "$build" --parallel "$jobs" &&
    rm -rf "$build/prefix" && cmake --install "$build" --prefix "$PWD/$build/prefix"' \
    sh "$build" "${JOBS:-$(getconf _NPROCESSORS_ONLN)}" "-DEXECUTORCH_ROOT=$executorch" \
    ${options[@]+"${options[@]}"}
[[ -e $build/prefix/lib/etscope/libetscope_engine.so ]] ||
    fail "the engine was left out; $build.log says why"
python3 tools/make_bundle.py "$build/prefix" "$folder" "${libraries[@]}" --system \
    --readelf "${READELF:-readelf}"
