#!/usr/bin/env bash
# Makes the wheels of a release in build/release/wheels, for x86_64 and aarch64 Linux:
#
#     tools/make_wheels.sh [PROCESSOR...]
#
# etscope         program, library and Python modules, built by zig over glibc 2.17 (manylinux2014)
# etscope-engine  the engine, built by GCC over glibc 2.28, as the runtime's wheel is
#
# auditwheel checks that each needs no more than its name says. tools/release_setup.sh comes first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

release=build/release
processors=("$@")
((${#processors[@]} > 0)) || processors=(x86_64 aarch64)
python=$release/venv/bin/python

fail() { printf 'make_wheels: %s\n' "$*" >&2; exit 1; }

# The program and the library of a processor.
build_package() {
    local target=$1-linux-gnu.2.17
    tools/release_build.sh "$release/$target" --toolchain "$PWD/cmake/toolchains/zig.cmake" \
        -DETS_ZIG_TARGET="$target" -DEXECUTORCH_ROOT= -DETS_PYTHON_VENV="$PWD/$release/venv" \
        -- etscope_python
}

# The engine of a processor, over the runtime of its wheel.
build_engine() {
    local folder=$PWD/$release/engine-$1 stubs=$PWD/$release/stubs-$1 compiler=() root
    mkdir -p "$folder"
    [[ $1 != "$(uname -m)" || -e $folder/runtime || ! -e build/runtime/executorch ]] ||
        cp -al build/runtime "$folder/runtime" # the same files
    root=$(tools/fetch_runtime.sh "$folder/runtime" "$1")
    if [[ $1 != "$(uname -m)" ]]; then
        compiler=(--toolchain "$PWD/cmake/toolchains/foreign.cmake" -DETS_FOREIGN="$1"
            -DETS_FOREIGN_ROOT="$PWD/$release/root-$1-linux-gnu.2.17")
    else
        compiler=(-DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++)
    fi
    tools/release_build.sh "$release/engine-$1" "${compiler[@]}" -DEXECUTORCH_ROOT="$root" \
        -DCMAKE_MODULE_LINKER_FLAGS="-L$stubs -Wl,-z,defs -s" \
        -DCMAKE_SHARED_LINKER_FLAGS="-L$stubs -Wl,-z,defs -s" \
        -DCMAKE_CXX_STANDARD_LIBRARIES="-lpthread -ldl -lld" -DETS_PYTHON_VENV="$PWD/$release/venv" \
        -- etscope_engine
}

# Packs the wheel $1 from the build $2 for the platforms $3, and lets auditwheel say whether it is.
pack() {
    local wheel found
    wheel=$("$python" tools/make_wheel.py "$1" "$2" --platform "$3" --output "$release/wheels")
    # The engine's is "consistent with" less, because ExecuTorch's libraries are not in it.
    found=$("$release/venv/bin/auditwheel" show "$wheel" | tr '\n' ' ')
    [[ $found == *"platform tag"*"\"${3%%.*}\""* ]] || fail "$wheel is not ${3%%.*}: $found"
    printf '%s\n' "$wheel"
}

[[ -x $python ]] || fail "tools/release_setup.sh was not run"
for processor in "${processors[@]}"; do
    build_package "$processor"
    pack etscope "$release/$processor-linux-gnu.2.17" "manylinux_2_17_$processor.manylinux2014_$processor"
    build_engine "$processor"
    read -r _ _ platform _ < <(tools/fetch_runtime.sh --wheel "$processor")
    pack etscope-engine "$release/engine-$processor" "$platform"
done
