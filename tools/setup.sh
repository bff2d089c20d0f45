#!/usr/bin/env bash
# Installs what is missing for building and testing, and fetches the ExecuTorch runtime.
#
#     tools/setup.sh              packages, runtime and build/python-venv
#     tools/setup.sh --host-only  the same without what only tests need
#     tools/setup.sh --install    packages alone: nothing is fetched
#     tools/setup.sh --packages   prints the packages of a full setup and changes nothing
#
# Debian packages are installed as root or through a sudo that asks no password. Without either, and on
# macOS, what is there is used: a missing compiler, CMake or Python ends the script with the one line
# to run, anything else is left out with a note. EXECUTORCH_ROOT names a runtime of your own; then
# nothing is fetched. Otherwise the runtime's folder is written to build/runtime.root. Written for
# bash 3.2, which macOS has.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

required_packages=(build-essential cmake python3)
record_packages=(zlib1g-dev rapidjson-dev)
sql_packages=(libsqlite3-dev)
test_packages=(pkg-config libcmocka-dev ninja-build flatbuffers-compiler xz-utils zsh fish graphviz
    openssh-client)
device_packages=(clang libclang-rt-dev lld llvm qemu-system-arm)
foreign_packages=(gcc-i686-linux-gnu g++-i686-linux-gnu gcc-s390x-linux-gnu g++-s390x-linux-gnu
    qemu-user)
page_packages=(nodejs npm chromium)
runtime_packages=(python3-pip python3-venv)

with_python=1 with_downloads=1
if [[ ${1-} == --packages ]]; then
    echo "${required_packages[@]}" "${record_packages[@]}" "${sql_packages[@]}" \
        "${test_packages[@]}" "${device_packages[@]}" "${foreign_packages[@]}" \
        "${page_packages[@]}" "${runtime_packages[@]}"
    exit 0
elif [[ ${1-} == --host-only ]]; then
    test_packages=() device_packages=() page_packages=() with_python=0
elif [[ ${1-} == --install ]]; then
    with_downloads=0
elif (($# > 0)); then
    sed -n '2,13s/^# \{0,1\}//p' "$0"
    exit 2
fi

cc=${CC:-cc} cxx=${CXX:-c++}

note() { printf 'setup: %s\n' "$*" >&2; }
have() { command -v "$1" >/dev/null 2>&1; }

# Whether the CMake on the path is version 3.22 or newer.
have_cmake() {
    local version
    version=$(cmake --version 2>/dev/null) || return 1
    [[ $version =~ ([0-9]+)\.([0-9]+) ]] || return 1
    ((BASH_REMATCH[1] > 3 || (BASH_REMATCH[1] == 3 && BASH_REMATCH[2] >= 22)))
}

# Prints the packages of those C and C++ headers that the compiler does not find.
missing_headers() {
    if ! have "$cxx"; then
        printf '%s\n' "${record_packages[@]}" "${sql_packages[@]}" libcmocka-dev
        return
    fi
    "$cxx" -E -P -x c++ - <<'HEADERS' 2>/dev/null || true
#if !__has_include(<zlib.h>)
zlib1g-dev
#endif
#if !__has_include(<rapidjson/reader.h>)
rapidjson-dev
#endif
#if !__has_include(<sqlite3.h>)
libsqlite3-dev
#endif
#if !(__has_include(<cmocka.h>) || __has_include("cmocka.h"))
libcmocka-dev
#endif
HEADERS
}

runtime_root() {
    if [[ -n ${EXECUTORCH_ROOT-} ]]; then
        echo "$EXECUTORCH_ROOT"
    elif [[ -f build/runtime.root ]]; then
        cat build/runtime.root
    fi
}

is_runtime() {
    [[ -n $1 ]] && { [[ -e $1/lib/libexecutorch.so ]] || [[ -e $1/lib/libexecutorch.dylib ]] ||
        [[ -e $1/lib/libexecutorch.a ]]; }
}

runtime_is_there() {
    is_runtime "$(runtime_root)"
}

# Whether the runtime that was fetched has the library of llama:: kernels, too.
llama_is_there() {
    compgen -G "$(runtime_root)/extension/llm/custom_ops/libcustom_ops_aot_lib.*" >/dev/null
}

# Whether the environment in which the Python package is tested is complete, or not asked for.
python_is_there() {
    ((with_python == 0)) ||
        { cmp -s python/tests/requirements.txt build/python-venv/requirements.txt &&
            cmp -s python/tests/readers.txt build/python-venv/readers.txt; }
}

make_python() {
    mkdir -p build
    python3 -m venv --clear build/python-venv >build/python-setup.log 2>&1 &&
        build/python-venv/bin/python -m pip install --quiet --no-compile \
            --disable-pip-version-check --requirement python/tests/requirements.txt \
            >>build/python-setup.log 2>&1 &&
        build/python-venv/bin/python -m pip install --quiet --no-compile --no-deps \
            --disable-pip-version-check --requirement python/tests/readers.txt \
            >>build/python-setup.log 2>&1 &&
        cp python/tests/requirements.txt python/tests/readers.txt build/python-venv/
}

# Fills `missing` with the packages whose contents are not there, whoever installed them.
find_missing() {
    missing=()
    if ! have "$cc" || ! have "$cxx" || ! { have make || have ninja; }; then
        missing+=(build-essential)
    fi
    have_cmake || missing+=(cmake)
    have python3 || missing+=(python3)
    local package
    while read -r package; do
        [[ $package == libcmocka-dev && ${#test_packages[@]} -eq 0 ]] || missing+=("$package")
    done < <(missing_headers)
    if ((${#test_packages[@]} > 0)); then
        have pkg-config || have pkgconf || missing+=(pkg-config)
        have ninja || missing+=(ninja-build)
        have flatc || missing+=(flatbuffers-compiler)
        have xz || missing+=(xz-utils)
        have zsh || missing+=(zsh)
        have fish || missing+=(fish)
        have dot || missing+=(graphviz)
        have ssh || missing+=(openssh-client)
    fi
    # Either of pip and venv can fetch the runtime; the Python package's tests need venv.
    if ! python3 -c 'import ensurepip' >/dev/null 2>&1; then
        if ! runtime_is_there && ! python3 -m pip --version >/dev/null 2>&1; then
            missing+=("${runtime_packages[@]}")
        elif ! python_is_there; then
            missing+=(python3-venv)
        fi
    fi
}

# Whether clang links a libFuzzer program.
can_fuzz() {
    local program
    program=$(mktemp) || return 1
    echo 'int LLVMFuzzerTestOneInput(const char *d, long n) { return d == 0 && n > 0; }' |
        clang -fsanitize=fuzzer,address -x c - -o "$program" 2>/dev/null
    local code=$?
    rm -f "$program"
    return "$code"
}

# Fills `missing_for_devices` with what only fuzzing and the tests on other processors need.
find_missing_for_devices() {
    missing_for_devices=()
    ((${#device_packages[@]} > 0)) || return 0
    have clang || missing_for_devices+=(clang)
    can_fuzz || missing_for_devices+=(libclang-rt-dev)
    have ld.lld || missing_for_devices+=(lld)
    { have llvm-ar && have llvm-objdump && have llvm-nm; } || missing_for_devices+=(llvm)
    have qemu-system-arm || missing_for_devices+=(qemu-system-arm)
    # Cross compilers are for x86-64 hosts; elsewhere `make foreign` is left out.
    [[ $(uname -m) == x86_64 ]] || return 0
    local triplet
    for triplet in i686-linux-gnu s390x-linux-gnu; do
        have "$triplet-gcc" || missing_for_devices+=("gcc-$triplet")
        have "$triplet-g++" || missing_for_devices+=("g++-$triplet")
    done
    { have qemu-s390x && have qemu-i386; } || missing_for_devices+=(qemu-user)
}

# Fills `missing_for_page` with what only the tests of the report's page need.
find_missing_for_page() {
    missing_for_page=()
    ((${#page_packages[@]} > 0)) || return 0
    have node || missing_for_page+=(nodejs)
    have npm || missing_for_page+=(npm)
    have chromium || have chromium-browser || have google-chrome || missing_for_page+=(chromium)
}

# Whether the packages of web/ are those of its lock file, or not asked for.
page_is_there() {
    ((${#page_packages[@]} == 0)) || cmp -s web/package-lock.json web/node_modules/.installed
}

make_page() {
    mkdir -p build
    npm --prefix web ci --ignore-scripts --no-audit --no-fund >build/web-setup.log 2>&1 &&
        cp web/package-lock.json web/node_modules/.installed
}

# Installs the packages named; what apt-get says is shown only where it fails.
install_packages() {
    local as_root=()
    have apt-get || return 1
    if ((EUID != 0)); then
        have sudo && sudo -n true 2>/dev/null || return 1
        as_root=(sudo -n)
    fi
    note "installing $*"
    mkdir -p build
    # An update that fails for one source may still have brought what is needed.
    "${as_root[@]}" apt-get -qq update >build/setup.log 2>&1 || true
    if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq install \
        --yes --no-install-recommends "$@" >>build/setup.log 2>&1; then
        tail -n 15 build/setup.log >&2
        return 1
    fi
}

# The line that installs the packages named; on macOS by Homebrew's names, beside Xcode's tools.
install_line() {
    local package line=
    if [[ $(uname -s) != Darwin ]]; then
        echo "as root: apt-get install $*"
        return
    fi
    for package in "$@"; do
        case $package in
        build-essential | zlib1g-dev | libsqlite3-dev) continue ;; # Xcode's tools have them
        python3 | python3-pip | python3-venv) package=python ;;
        rapidjson-dev) package=rapidjson ;;
        libcmocka-dev) package=cmocka ;;
        flatbuffers-compiler) package=flatbuffers ;;
        ninja-build) package=ninja ;;
        xz-utils) package=xz ;;
        nodejs | npm) package=node ;;
        clang | llvm | libclang-rt-dev) package=llvm ;;
        qemu-system-arm) package=qemu ;;
        esac
        [[ " $line " == *" $package "* ]] || line="$line $package"
    done
    echo "xcode-select --install${line:+ && brew install$line}"
}

# Whether one of the packages named is among the missing ones.
is_missing() {
    local package absent
    for package in "$@"; do
        for absent in "${missing[@]}"; do
            [[ $package != "$absent" ]] || return 0
        done
    done
    return 1
}

fetch_runtime() {
    local path=$PATH root
    mkdir -p build
    if ! python3 -m pip --version >/dev/null 2>&1; then
        [[ -x build/venv/bin/pip ]] || python3 -m venv build/venv || return 1
        path=$PWD/build/venv/bin:$PATH
    fi
    root=$(PATH=$path tools/fetch_runtime.sh build/runtime) || return 1
    is_runtime "$root" || return 1
    (cd "$root" && pwd) >build/runtime.root
}

find_missing
if ((${#missing[@]} > 0)) && install_packages "${missing[@]}"; then
    find_missing
fi
# By themselves, as nothing else has to fail where one of them cannot be had.
find_missing_for_devices
if ((${#missing_for_devices[@]} > 0)) && install_packages "${missing_for_devices[@]}"; then
    find_missing_for_devices
fi

find_missing_for_page
if ((${#missing_for_page[@]} > 0)) && install_packages "${missing_for_page[@]}"; then
    find_missing_for_page
fi

if ((${#missing[@]} > 0)); then
    if is_missing "${required_packages[@]}"; then
        note "a compiler, CMake 3.22 or Python 3 is missing; run:"
        install_line "${missing[@]}"
        exit 1
    fi
    ! is_missing "${record_packages[@]}" ||
        note "without zlib1g-dev and rapidjson-dev, ETRecords cannot be read"
    ! is_missing "${sql_packages[@]}" ||
        note "without libsqlite3-dev, 'sql' is left out"
    ! is_missing pkg-config libcmocka-dev ||
        note "without pkg-config and libcmocka-dev, the unit tests are left out"
    ! is_missing flatbuffers-compiler xz-utils zsh fish graphviz openssh-client ||
        note "without flatbuffers-compiler, xz-utils, zsh, fish, graphviz and openssh-client, the tests" \
            "that use them are left out"
    ! is_missing "${runtime_packages[@]}" ||
        note "without python3-pip or python3-venv, the runtime cannot be fetched, nor the Python" \
            "package tested"
    note "to have all, $(install_line "${missing[@]}")"
fi
if ((${#missing_for_devices[@]} > 0)); then
    note "without ${missing_for_devices[*]}, the tracer is not tested for other processors;" \
        "$(install_line "${missing_for_devices[@]}")"
fi
if ((${#missing_for_page[@]} > 0)); then
    note "without ${missing_for_page[*]}, the page of reports is not tested;" \
        "$(install_line "${missing_for_page[@]}")"
fi

((with_downloads)) || exit 0

# Three downloads at a time; what ends this ends them.
python_job= page_job=
trap 'jobs=$(jobs -p); [[ -z $jobs ]] || kill $jobs 2>/dev/null || true' EXIT
python_is_there || { make_python & python_job=$!; }
! have npm || page_is_there || { make_page & page_job=$!; }

if [[ -n ${EXECUTORCH_ROOT-} ]]; then
    if ! runtime_is_there; then
        note "EXECUTORCH_ROOT=$EXECUTORCH_ROOT holds no lib/libexecutorch"
        exit 1
    fi
elif ! { runtime_is_there && llama_is_there; } && ! fetch_runtime; then
    if runtime_is_there; then
        note "the runtime stays as it was fetched before"
    else
        rm -f build/runtime.root
        note "the ExecuTorch runtime is not there: the engine is left out," \
            "and 'run' and 'profile' with it"
    fi
fi

if [[ -n $python_job ]] && ! wait "$python_job"; then
    tail -n 3 build/python-setup.log >&2
    rm -rf build/python-venv
    note "without pip and the packages of python/tests/requirements.txt and readers.txt, the Python" \
        "package's tests are left out"
fi

# A server that is not installed, so that none runs on this machine but in its tests.
if ((${#test_packages[@]} > 0)) && have ssh && [[ ! -x /usr/sbin/sshd ]] &&
    ! tools/foreign_root.sh "$(uname -m)" build/sshd openssh-server libwrap0 2>/dev/null; then
    note "without sshd, --target is tested without a real ssh"
fi
# One that root starts gives up its rights to this user, whom the package's installation makes.
if ((EUID == 0)) && [[ -x build/sshd/usr/sbin/sshd ]] && ! getent passwd sshd >/dev/null; then
  useradd --system --no-create-home --home-dir /run/sshd --shell /usr/sbin/nologin sshd 2>/dev/null ||
    note "without a user sshd, --target is tested without a real ssh"
fi

if [[ -n $page_job ]] && ! wait "$page_job"; then
    tail -n 3 build/web-setup.log >&2
    note "without the packages of web/package-lock.json, the page of reports is not tested"
fi
