#!/bin/sh
# Fetches the ExecuTorch runtime that the engine is built against: the C++ libraries and headers of
# the pinned PyPI wheel, with its library of llama:: kernels, unpacked into a folder. Prints what to give as EXECUTORCH_ROOT:
#
#     cmake -S . -B build -DEXECUTORCH_ROOT="$(tools/fetch_runtime.sh build/runtime)"
#     tools/fetch_runtime.sh FOLDER aarch64         # for another processor
#     tools/fetch_runtime.sh FOLDER arm64 Darwin    # for another system
#     tools/fetch_runtime.sh --wheel aarch64        # prints version, Python, platform and SHA-256
#
# Needs python3 with pip, and the network once: a folder that is complete is left as it is. The
# wheel's Python version does not matter, as nothing that is used of it is Python.
set -eu

version=1.5.1
python_version=3.11

fail() {
    echo "fetch_runtime: $*" >&2
    exit 1
}

# Sets the platform tag and the wheel's SHA-256.
choose_wheel() {
    case "$system $machine" in
    "Linux x86_64")
        platform=manylinux_2_28_x86_64
        digest=274c28c2fe2b76acb03f9fa381537425c40e0098dcf886baf6d97a1a55ffe300
        ;;
    "Linux aarch64")
        platform=manylinux_2_28_aarch64
        digest=8ee02348a3ea80ddf770822911ebf78da616b73afce0fbaaa79f23311c88c66a
        ;;
    "Darwin arm64")
        platform=macosx_14_0_arm64
        digest=e747dacb39950a2d234e08f230c1e5540f7b297fd32bc8c8f4296a953bb40dc0
        ;;
    *)
        fail "executorch $version has no wheel for $system $machine: build ExecuTorch" \
            "yourself and give its install folder as EXECUTORCH_ROOT"
        ;;
    esac
}

# Downloads the wheel into the folder $1.
download() {
    python3 -m pip --version >/dev/null 2>&1 ||
        fail "python3 has no pip: install it (Debian: python3-pip), or unpack the wheel" \
            "executorch $version for $platform yourself"
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: \
        --implementation cp --python-version "$python_version" --platform "$platform" \
        --dest "$1" "executorch==$version" >&2 ||
        fail "pip could not download executorch $version (see above): is the network reachable?"
}

# Checks the one wheel in the folder $1 against its digest and unpacks what C++ needs into $2.
unpack() {
    python3 - "$1" "$2" "$digest" <<'PYTHON'
import hashlib, pathlib, sys, zipfile

source, target, digest = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
wheels = list(source.glob("*.whl"))
if len(wheels) != 1:
    sys.exit(f"fetch_runtime: expected one wheel, found {len(wheels)}")
found = hashlib.sha256(wheels[0].read_bytes()).hexdigest()
if found != digest:
    sys.exit(f"fetch_runtime: {wheels[0].name} has SHA-256 {found}, expected {digest}")
wanted = ("executorch/include/", "executorch/lib/", "executorch/share/", "executorch/version.py",
          "executorch/extension/llm/custom_ops/libcustom_ops_aot_lib")
with zipfile.ZipFile(wheels[0]) as wheel:
    names = [n for n in wheel.namelist() if n.startswith(wanted) or ".dist-info/" in n]
    wheel.extractall(target, names)
PYTHON
}

[ $# -ge 1 ] && [ $# -le 3 ] || fail "usage: tools/fetch_runtime.sh DIR|--wheel [PROCESSOR [SYSTEM]]"
machine=${2:-$(uname -m)} system=${3:-$(uname -s)}
command -v python3 >/dev/null 2>&1 || fail "python3 is not installed"
choose_wheel
if [ "$1" = --wheel ]; then
    echo "$version $python_version $platform $digest"
    exit 0
fi
mkdir -p "$1" || fail "cannot make the folder $1"
folder=$(cd "$1" && pwd)
mark="$folder/.executorch-$version-$platform-with-llama"
if [ ! -f "$mark" ]; then
    work=$(mktemp -d "$folder/.fetch.XXXXXX") || fail "cannot write to $folder"
    trap 'rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    download "$work/wheel"
    unpack "$work/wheel" "$work/unpacked"
    rm -rf "$folder"/executorch "$folder"/executorch-*.dist-info
    mv "$work"/unpacked/* "$folder"/
    : >"$mark"
fi
echo "$folder/executorch"
